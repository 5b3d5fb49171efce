"""WordNet's and MeSH's own formats, on small files of the same shape."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

import ontomask as om

DATA = """\
  1 This is a licence
00000001 03 n 01 entity 0 001 ~ 00000002 n 0000 | that which is
00000002 03 n 02 animal 0 Animate_Being 0 002 @ 00000001 n 0000 ~ 00000003 n 0000 | a living thing; "the animal ran"
00000003 03 n 01 Dog 0 003 @ 00000002 n 0000 #m 00000004 n 0000 + 00000009 v 0101 | it barks
00000004 03 n 02 pack 0 dog 1 001 @ 00000001 n 0000 | a group of dogs
00000005 03 n 01 Lassie 0 001 @i 00000003 n 0000 | a famous dog
"""
INDEX = """\
  1 This is a licence
entity n 1 0 1 0 00000001
animal n 1 0 1 0 00000002
animate_being n 1 0 1 0 00000002
dog n 2 1 @ 2 1 00000004 00000003
pack n 1 0 1 0 00000004
lassie n 1 0 1 0 00000005
"""


def folder(at: Path, data: str = DATA, index: str = INDEX) -> Path:
    (at / "data.noun").write_text(data)
    (at / "index.noun").write_text(index)
    return at


def check(t: om.Taxonomy) -> None:
    assert t.concepts == ("entity.n.01", "animal.n.01", "dog.n.02", "pack.n.01", "lassie.n.01")
    assert t.parents("lassie.n.01") == ["dog.n.02"]  # an instance
    assert t.related("dog.n.02") == [("member of", "pack.n.01")]
    assert t.synonyms("animal.n.01") == ["Animate Being"]
    assert t.definition("animal.n.01") == "a living thing"  # without the example
    assert t.position("00000003") == t.position("dog.n.02")
    matching = om.match(["dog", "Animate being", "LASSIE"], t)
    assert list(matching.concepts.values()) == ["pack.n.01", "animal.n.01", "lassie.n.01"]  # dog: the first sense


def test_wordnet_folder_file_and_archive(tmp_path: Path) -> None:
    check(om.read_taxonomy(folder(tmp_path)))
    check(om.read_taxonomy(tmp_path / "data.noun"))
    check(om.load_taxonomy("wordnet", folder=tmp_path))
    with zipfile.ZipFile(tmp_path / "wordnet.zip", "w") as archive:
        archive.write(tmp_path / "data.noun", "wordnet/data.noun")
        archive.write(tmp_path / "index.noun", "wordnet/index.noun")
    check(om.read_taxonomy(tmp_path / "wordnet.zip", "wordnet"))


def test_wordnet_is_found_where_nltk_puts_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ontomask.taxonomy import catalog

    place = tmp_path / "corpora" / "wordnet"
    place.mkdir(parents=True)
    folder(place)
    monkeypatch.setenv("NLTK_DATA", str(tmp_path))
    assert place in list(catalog._wordnet_places())
    monkeypatch.setenv("WNSEARCHDIR", str(place))
    assert next(catalog._wordnet_places()) == place
    monkeypatch.setattr(catalog, "_wordnet_places", lambda: iter([place]))
    check(catalog._wordnet())
    monkeypatch.setattr(catalog, "_wordnet_places", lambda: iter([tmp_path / "nowhere"]))
    with pytest.raises(om.errors.MissingDataError, match="apt-get install wordnet-base.*nowhere"):
        catalog._wordnet()


@pytest.mark.parametrize(
    ("data", "index", "expected"),
    [
        ("00000001 03 n zz entity\n", INDEX, "line 1: not a line of WordNet's data.noun"),
        (DATA.replace("@ 00000002", "@ 00000077"), INDEX, "points to 00000077"),
        (DATA, "dog n 1 0 1 0 00000099\n", "line 1: .*another version"),
        ("  1 licence only\n", INDEX, "data.noun is empty"),
    ],
)
def test_wordnet_errors(tmp_path: Path, data: str, index: str, expected: str) -> None:
    with pytest.raises(om.errors.TaxonomyFileError, match=expected):
        om.read_taxonomy(folder(tmp_path, data, index))


def test_wordnet_without_its_index(tmp_path: Path) -> None:
    (tmp_path / "data.noun").write_text(DATA)
    with pytest.raises(om.errors.TaxonomyFileError, match=r"no file index\.noun"):
        om.read_taxonomy(tmp_path)
    (tmp_path / "x.zip").write_text("no archive")
    with pytest.raises(om.errors.TaxonomyFileError, match="no zip archive"):
        om.read_taxonomy(tmp_path / "x.zip", "wordnet")


def test_mesh(tmp_path: Path) -> None:
    path = tmp_path / "mtrees.bin"
    path.write_text(
        "Body Regions;A01\nBreast;A01.236\nNipples;A01.236.500\nSkin; of Nipples;C04.1\nTumors;C04\nBreast;C04.2\n"
    )
    t = om.read_taxonomy(path)
    assert t.parents("Breast") == ["Body Regions", "Tumors"]
    assert t.position("A01.236") == t.position("C04.2") == t.position("Breast")
    assert t.ancestors("Nipples") == ["Breast", "Body Regions", "Tumors", "[A]", "[C]", "MeSH"]
    assert t.label("[C]") == "Diseases [C]"
    assert "Skin; of Nipples" in t


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Body Regions;A01\nBreast,A01.2\n", "line 2: not Heading;TreeNumber"),
        ("Body Regions;A01\nBreast;A01\n", "line 2: the tree number A01 occurs in line 1"),
        ("Body Regions;A01\nBreast;A02.1\n", "line 2: the parent 'A02' of 'Breast'"),
        ("Body Regions\n", "line 1"),
    ],
)
def test_mesh_errors(tmp_path: Path, text: str, expected: str) -> None:
    path = tmp_path / "mtrees.bin"
    path.write_text(text)
    with pytest.raises(om.errors.TaxonomyError, match=expected):
        om.read_taxonomy(path)
