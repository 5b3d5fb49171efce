"""SNOMED CT release folders."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

import ontomask as om
from ontomask.errors import CycleError, OptionError, TaxonomyFileError, UnknownParentError

CONCEPT = "id effectiveTime active moduleId definitionStatusId".split()
DESCRIPTION = "id effectiveTime active moduleId conceptId languageCode typeId term caseSignificanceId".split()
RELATIONSHIP = (
    "id effectiveTime active moduleId sourceId destinationId relationshipGroup typeId characteristicTypeId modifierId"
).split()
FSN, SYNONYM, DEFINITION = 900000000000003001, 900000000000013009, 900000000000550004
INFERRED, STATED = 900000000000011006, 900000000000010007
IS_A, SITE = 116680003, 363698007
MODULE = 900000000000207008


class Release:
    """A small release that tests change before it is written."""

    def __init__(self) -> None:
        self.concepts: list[list[object]] = []
        self.descriptions: list[list[object]] = []
        self.definitions: list[list[object]] = []
        self.relationships: list[list[object]] = []

    def concept(self, code: int, name: str | None = None, active: int = 1, time: int = 20200101) -> Release:
        self.concepts.append([code, time, active, MODULE, 900000000000074008])
        return self if name is None else self.term(code, name, FSN)

    def term(
        self, code: int, term: str, kind: int = SYNONYM, language: str = "en", active: int = 1, time: int = 20200101
    ) -> Release:
        into = self.definitions if kind == DEFINITION else self.descriptions
        number = 1000 + len(self.descriptions) + len(self.definitions)
        into.append([number, time, active, MODULE, code, language, kind, term, 900000000000448009])
        return self

    def link(
        self,
        child: int,
        parent: int,
        kind: int = IS_A,
        active: int = 1,
        time: int = 20200101,
        way: int = INFERRED,
        number: int | None = None,
    ) -> Release:
        number = 5000 + len(self.relationships) if number is None else number
        self.relationships.append([number, time, active, MODULE, child, parent, 0, kind, way, 900000000000451002])
        return self

    def write(
        self, folder: Path, view: str = "Snapshot", tongue: str = "-en", edition: str = "INT", **how: Any
    ) -> Path:
        place = folder / view / "Terminology"
        place.mkdir(parents=True, exist_ok=True)
        for kind, header, rows in (
            ("Concept", CONCEPT, self.concepts),
            ("Description", DESCRIPTION, self.descriptions),
            ("TextDefinition", DESCRIPTION, self.definitions),
            ("Relationship", RELATIONSHIP, self.relationships),
        ):
            spoken = tongue if header is DESCRIPTION else ""
            if rows or kind != "TextDefinition":
                table(place / f"sct2_{kind}_{view}{spoken}_{edition}_20200101.txt", header, rows, **how)
        return folder


def table(path: Path, header: list[str], rows: Iterable[list[object]], end: str = "\r\n", before: str = "") -> None:
    lines = ["\t".join(header), *("\t".join(map(str, row)) for row in rows)]
    path.write_bytes((before + end.join(lines) + end).encode())


def asthma() -> Release:
    r = Release().concept(138875005, "SNOMED CT Concept (SNOMED RT+CTV3)")
    r.concept(IS_A, "Is a (attribute)").link(IS_A, 138875005)
    r.concept(SITE, "Finding site (attribute)").link(SITE, 138875005)
    r.concept(200, "Lung structure (body structure)").link(200, 138875005)
    r.concept(100, "Disease (disorder)").term(100, "Disorder").link(100, 138875005)
    r.concept(300, "Asthma (disorder)").link(300, 100).link(300, 200, SITE).link(300, 200, SITE)
    r.term(300, "Bronchial asthma").term(300, "Asthma").term(300, "Old name", active=0)
    return r.term(300, "A disease of the airways.", DEFINITION)


def refused(path: Path, **options: Any) -> str:
    with pytest.raises(TaxonomyFileError) as caught:
        om.read_taxonomy(path, **options)
    assert caught.value.remedy
    return str(caught.value)


@pytest.mark.parametrize("how", [{}, {"end": "\n"}, {"before": "#\n# comment\n#\n"}, {"end": "\r\n\r\n# comment\r\n"}])
def test_a_release(tmp_path: Path, how: dict[str, str]) -> None:
    t = om.read_taxonomy(asthma().write(tmp_path / "release", **how))
    assert t.concepts == ("100", "200", "300", "116680003", "138875005", "363698007")
    assert t.root == "138875005"
    assert t.parents("300") == ["100"]
    assert t.label("300") == "Asthma (disorder)"
    assert t.synonyms("300") == ["Asthma", "Bronchial asthma"]
    assert t.synonyms("100") == ["Disease", "Disorder"]
    assert t.definition("300") == "A disease of the airways."
    assert t.definition("100") is None
    assert t.related("300") == [("Finding site", "200")]
    assert t.name == "release"
    assert t.source == "release, SNOMED CT RF2 snapshot, version 20200101"
    assert t.notes == ()


def test_the_layout_of_a_real_release(data: Path) -> None:
    t = om.read_taxonomy(data / "rf2-layout")
    assert len(t) == 12
    # 73211009 is active without a parent: two roots.
    assert t.artificial_root == "(root)"
    assert t.children("(root)") == ["73211009", "138875005"]
    assert "2 roots" in t.notes[0]
    assert t.label("404684003") == "Clinical finding (finding)"
    assert t.synonyms("404684003") == ["Clinical finding"]
    assert t.parents("362969004") == ["404684003"]
    assert t.definition("362969004") == "Endocrine system disease"
    assert t.related("362969004") == [("Finding site", "113331007")]


class TestWhatCounts:
    def test_inactive_components_do_not(self, tmp_path: Path) -> None:
        r = asthma().concept(400, "Gone (disorder)", active=0).link(400, 100)
        r.link(300, 138875005, active=0).link(300, 138875005, way=STATED).link(300, 400, SITE)
        t = om.read_taxonomy(r.write(tmp_path))
        assert "400" not in t
        assert t.parents("300") == ["100"]
        assert t.related("300") == [("Finding site", "200")]
        assert t.notes == ("2 relationships from or to concepts that are not active are left out",)

    def test_stated_and_concrete_files_are_not_read(self, tmp_path: Path) -> None:
        asthma().write(tmp_path)
        for kind in ("StatedRelationship", "RelationshipConcreteValues"):
            (tmp_path / f"sct2_{kind}_Snapshot_INT_20200101.txt").write_text("nonsense\n")
        assert len(om.read_taxonomy(tmp_path)) == 6

    def test_names_with_quotes(self, tmp_path: Path) -> None:
        t = om.read_taxonomy(asthma().term(300, '"Wheezy" chest').term(300, 'one " more').write(tmp_path))
        assert t.synonyms("300")[2:] == ['"Wheezy" chest', 'one " more']

    def test_names_fall_back(self, tmp_path: Path) -> None:
        r = asthma().concept(500).link(500, 100).term(500, "only a synonym").concept(600).link(600, 100)
        t = om.read_taxonomy(r.write(tmp_path))
        assert (t.label("500"), t.synonyms("500")) == ("only a synonym", [])
        assert (t.label("600"), t.synonyms("600")) == ("600", [])

    def test_relations_without_a_name_go_by_their_number(self, tmp_path: Path) -> None:
        t = om.read_taxonomy(asthma().link(300, 200, 777).write(tmp_path))
        assert t.related("300") == [("777", "200"), ("Finding site", "200")]


class TestViews:
    @staticmethod
    def history() -> Release:
        r = asthma().concept(300, active=0, time=20190101).concept(700, "Late (disorder)", active=1, time=20190101)
        r.concept(700, active=0, time=20200101)
        r.link(300, 138875005, active=1, time=20180101, number=9001)
        return r.link(300, 138875005, active=0, time=20190101, number=9001)

    def test_full_takes_the_newest(self, tmp_path: Path) -> None:
        t = om.read_taxonomy(self.history().write(tmp_path, "Full"))
        assert t.parents("300") == ["100"]
        assert "700" not in t
        assert "full" in (t.source or "")

    def test_full_and_snapshot_agree(self, tmp_path: Path) -> None:
        asthma().write(tmp_path, "Snapshot")
        self.history().write(tmp_path, "Full")
        default, full = om.read_taxonomy(tmp_path), om.read_taxonomy(tmp_path, view="full")
        assert default == full
        assert "snapshot" in (default.source or "")
        assert default == om.read_taxonomy(tmp_path, view="snapshot")

    def test_an_extension_beside_its_edition(self, tmp_path: Path) -> None:
        asthma().write(tmp_path / "international")
        extension = Release().concept(800, "Local asthma (disorder)", time=20210101).link(800, 300, number=1)
        extension.link(300, 100, active=0, time=20210101, number=5004).link(300, 200, number=2)
        t = om.read_taxonomy(extension.write(tmp_path / "national", edition="XX1000999").parent)
        assert t.parents("800") == ["300"]
        assert t.parents("300") == ["200"]
        assert (t.source or "").endswith("version 20210101")


class TestLanguages:
    def test_another_language_falls_back_to_english(self, tmp_path: Path) -> None:
        asthma().write(tmp_path)
        swedish = Release().term(300, "astma", language="sv").term(100, "sjukdom (sjukdom)", FSN, "sv")
        place = tmp_path / "Snapshot" / "Terminology" / "sct2_Description_Snapshot-sv_SE1000052_20200101.txt"
        for i, row in enumerate(swedish.descriptions):
            row[0] = 90_000 + i
        table(place, DESCRIPTION, swedish.descriptions)
        t = om.read_taxonomy(tmp_path, language="sv")
        assert (t.label("300"), t.synonyms("300")) == ("Asthma (disorder)", ["Asthma", "astma"])
        assert (t.label("100"), t.synonyms("100")) == ("sjukdom (sjukdom)", ["sjukdom", "Disorder"])
        assert t.label("200") == "Lung structure (body structure)"
        assert t.notes == ("4 concepts have no description in the language asked for and show the English one",)
        assert om.read_taxonomy(tmp_path).label("100") == "Disease (disorder)"

    def test_one_file_for_several_languages(self, tmp_path: Path) -> None:
        r = asthma().term(300, "asma", language="es").term(300, "astma", language="sv")
        t = om.read_taxonomy(r.write(tmp_path, tongue=""), language="es")
        assert t.synonyms("300") == ["Asthma", "asma"]

    def test_none_of_them(self, tmp_path: Path) -> None:
        asthma().write(tmp_path, tongue="-fr")
        message = refused(tmp_path, language="sv")
        assert "no descriptions in 'sv' or English" in message
        assert "There are: fr" in message


class TestErrors:
    def test_missing_files_are_listed(self, tmp_path: Path) -> None:
        asthma().write(tmp_path)
        for path in tmp_path.rglob("sct2_[DR]*"):
            path.unlink()
        message = refused(tmp_path)
        assert "sct2_Description_Snapshot*.txt, sct2_Relationship_Snapshot*.txt" in message

    def test_the_other_view_is_offered(self, tmp_path: Path) -> None:
        asthma().write(tmp_path)
        assert "view='snapshot'" in refused(tmp_path, view="full")

    def test_delta_files_are_not_enough(self, tmp_path: Path) -> None:
        asthma().write(tmp_path, "Delta")
        assert "delta files are not enough" in refused(tmp_path)

    def test_a_file_is_no_release(self, tmp_path: Path) -> None:
        (tmp_path / "release.zip").write_bytes(b"PK")
        assert "is a folder" in refused(tmp_path / "release.zip", format="rf2")

    @pytest.mark.parametrize("option", ["view", "unknown_parents"])
    def test_options(self, tmp_path: Path, option: str) -> None:
        with pytest.raises(OptionError, match="It is one of"):
            om.read_taxonomy(asthma().write(tmp_path), **{option: "nonsense"})

    def test_missing_column(self, tmp_path: Path) -> None:
        asthma().write(tmp_path)
        path = next(tmp_path.rglob("sct2_Concept*"))
        path.write_bytes(path.read_bytes().replace(b"active", b"activ"))
        message = refused(tmp_path)
        assert "no column 'active'" in message
        assert path.name in message

    @pytest.mark.parametrize(
        ("row", "what"),
        [
            ("900\t20200101\t1", "3 cells where 5 are expected"),
            ("900\t20200101\t1\t1\t2\t3", "6 cells where 5 are expected"),
            ("9x0\t20200101\t1\t1\t2", "'9x0' is not a valid id"),
            ("900\t20200101\t\t1\t2", "'' is not a valid active"),
            ("900\t20200101\t1\t1\t\xe9", "not UTF-8"),
        ],
    )
    def test_damaged_rows_by_line(self, tmp_path: Path, row: str, what: str) -> None:
        asthma().write(tmp_path, before="# comment\r\n\r\n")
        path = next(tmp_path.rglob("sct2_Concept*"))
        path.write_bytes(path.read_bytes() + row.encode("latin-1"))
        message = refused(tmp_path)
        assert f"{path}, line 10: " in message
        assert what in message

    def test_no_header(self, tmp_path: Path) -> None:
        asthma().write(tmp_path)
        next(tmp_path.rglob("sct2_Concept*")).write_text("# nothing\n")
        assert "no header" in refused(tmp_path)

    def test_no_active_concept(self, tmp_path: Path) -> None:
        assert "no active concept" in refused(Release().concept(1, active=0).write(tmp_path))

    def test_no_is_a(self, tmp_path: Path) -> None:
        r = Release().concept(1, "A (x)").concept(2, "B (x)").link(2, 1, way=STATED)
        assert "no active inferred is-a" in refused(r.write(tmp_path))

    def test_no_root(self, tmp_path: Path) -> None:
        r = Release().concept(1).concept(2).link(1, 2).link(2, 1)
        with pytest.raises(CycleError, match="1 -> 2 -> 1"):
            om.read_taxonomy(r.write(tmp_path))

    def test_unknown_parents(self, tmp_path: Path) -> None:
        asthma().concept(400, active=0).link(300, 400).link(300, 999).write(tmp_path)
        with pytest.raises(UnknownParentError, match="'400' of '300'") as caught:
            om.read_taxonomy(tmp_path)
        assert "2 is-a links" in str(caught.value)
        assert "unknown_parents='drop'" in str(caught.value)
        t = om.read_taxonomy(tmp_path, unknown_parents="drop")
        assert t.parents("300") == ["100"]
        assert t.notes == ("2 is-a links to concepts that are inactive or not in the folder are dropped",)
