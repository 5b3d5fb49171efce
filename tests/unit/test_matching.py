"""From values to concepts: in which order, with what account, and what is refused."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

import ontomask as om
from ontomask import errors
from ontomask.taxonomy.match_result import Match


@pytest.fixture
def symptoms() -> om.Taxonomy:
    return om.Taxonomy.from_edges(
        [("R51", "R50-R69"), ("M54.5", "M54"), ("M54", "R50-R69"), ("M25", "R50-R69"), ("H81.0", "R50-R69")],
        labels={"R51": "Headache", "M54.5": "Low back pain", "M25": "Joint disorder", "H81.0": "Ménière's disease"},
        synonyms={"M54.5": ["lumbago", "Loin pain"], "R51": ["Facial pain", "cephalalgia"], "M25": ["loin pain"]},
        name="symptoms",
    )


def found(matching: om.Matching) -> dict[str, tuple[str, str]]:
    return {row.value: (row.concept, row.how) for row in matching.rows}


def test_every_way(symptoms: om.Taxonomy) -> None:
    matching = om.match(
        [
            "M54.5",
            "m545",
            " R51 ",
            "headache",
            "LOW_BACK-pain",
            "Meniere s Disease",
            "Lumbago",
            "joint disorders",
            "cold",
        ],
        symptoms,
        mapping={"cold": "R51"},
    )
    assert found(matching) == {
        "M54.5": ("M54.5", "code"),
        "m545": ("M54.5", "code"),
        " R51 ": ("R51", "code"),
        "headache": ("R51", "label"),
        "LOW_BACK-pain": ("M54.5", "label"),
        "Meniere s Disease": ("H81.0", "label"),
        "Lumbago": ("M54.5", "synonym"),
        "joint disorders": ("M25", "stem"),
        "cold": ("R51", "mapping"),
    }
    assert matching.complete
    assert matching.require_all() is matching


def test_table_counts_and_unmatched(symptoms: om.Taxonomy) -> None:
    matching = om.match(["R51", "R51", "headaches", "hedache", None, float("nan"), "hedache", "zzz"], symptoms)
    assert matching.rows[0] == Match("R51", "R51", "code", 1.0, 2)
    assert [(u.value, u.count) for u in matching.unmatched] == [("hedache", 2), ("zzz", 1)]
    assert matching.unmatched[0].suggestions[0].concept == "R51"
    assert len(matching.unmatched[0].suggestions) <= 3
    table = matching.table
    assert table.columns == ["value", "concept", "how", "score", "count"]
    assert table["count"].sum() == 6
    assert table.filter(table["how"] == "unmatched")["concept"].null_count() == 2
    assert any("2 missing values" in note for note in matching.notes)
    assert "hedache" not in matching.concepts
    assert "not placed" in str(matching)
    assert "not placed" in matching._repr_html_()


def test_unmatched_values_are_an_error_that_lists_them(symptoms: om.Taxonomy) -> None:
    with pytest.raises(errors.UnmatchedValuesError) as caught:
        om.match(["hedache"] * 3 + ["zzz"], symptoms).require_all("diagnosis")
    text = str(caught.value)
    assert "column 'diagnosis': 2 values have no concept in symptoms" in text
    assert "'hedache' (3 records) - R51 (Headache)" in text
    assert "'zzz' (1 record) - nothing near" in text
    assert [(value, count) for value, count, _ in caught.value.values] == [("hedache", 3), ("zzz", 1)]


def test_many_unmatched_values_do_not_flood(symptoms: om.Taxonomy) -> None:
    with pytest.raises(errors.UnmatchedValuesError) as caught:
        om.match([f"unknown {i}" for i in range(500)], symptoms).require_all()
    assert len(caught.value.values) == 500
    assert str(caught.value).count("\n") < 25
    assert "... and 480 more" in str(caught.value)


def test_several_senses_are_reported(symptoms: om.Taxonomy) -> None:
    matching = om.match(["loin pain"], symptoms)
    assert found(matching) == {"loin pain": ("M54.5", "synonym")}
    assert "taken as M54.5 (else M25)" in matching.notes[0]
    assert om.match(["loin pain"], symptoms, {"loin pain": "M25"}).notes == []


def test_wordnet_takes_the_most_frequent_sense(wordnet: om.Taxonomy) -> None:
    matching = om.match(["cleaner", "Columbia", "United_States", "dogs", "Ice Cream"], wordnet)
    assert matching.concepts["cleaner"] == "cleansing_agent.n.01"  # not the person: specification 11 warns of it
    assert matching.concepts["Columbia"] == "columbia.n.01"
    assert matching.concepts["dogs"] == "dog.n.01"
    assert "cleaner.n.02" in matching.notes[0]
    chosen = om.match(["cleaner", "Columbia"], wordnet, {"cleaner": "cleaner.n.03", "Columbia": "colombia.n.01"})
    assert set(chosen.concepts.values()) == {"cleaner.n.03", "colombia.n.01"}
    trinidad = om.match(["Trinadad&Tobago"], wordnet).unmatched[0]
    assert trinidad.suggestions[0].concept == "trinidad_and_tobago.n.01"


def test_codes_with_lost_zeros_are_reported(icd9cm: om.Taxonomy) -> None:
    matching = om.match(["8.5", "38", "250.00", "389"], icd9cm)
    assert found(matching) == {
        "8.5": ("008.5", "leading zeros"),
        "38": ("038", "leading zeros"),
        "250.00": ("250.00", "code"),
        "389": ("389", "code"),
    }
    assert "2 codes (2 records) without leading zeros, read with them: 8.5 as 008.5" in matching.notes[0]
    # Without dots anywhere 38 may be 038 or 003.8, and 389 may be 038.9: the first is not guessed, the second is told.
    dotless = om.match(["85", "38", "389", "25000"], icd9cm)
    assert [u.value for u in dotless.unmatched] == ["85", "38"]
    assert {s.concept for s in dotless.unmatched[1].suggestions[:2]} == {"038", "003.8"}
    sure = om.match(["19", "389"], icd9cm)  # 019 is no code; 001.9 is
    assert found(sure)["19"] == ("001.9", "leading zeros")
    assert any("389 (or 038.9)" in note for note in sure.notes)


def test_a_dot_that_is_written_must_be_right(icd9cm: om.Taxonomy) -> None:
    assert found(om.match(["8.45"], icd9cm)) == {"8.45": ("008.45", "leading zeros")}
    assert [u.value for u in om.match(["25.000", "2500.0", "25000."], icd9cm).unmatched] == [
        "25.000",
        "2500.0",
        "25000.",
    ]
    assert "8.45" not in icd9cm
    assert "0084.5" not in icd9cm


def test_signs_that_change_the_meaning_are_kept() -> None:
    t = om.Taxonomy.from_edges(
        [(c, "r") for c in "12345678"],
        labels={"1": "Rh+", "2": "Rh-", "3": "<5", "4": ">5", "5": "HIV+", "6": "♂", "7": "♀", "8": "--"},
    )
    values = ["Rh-", "RH +", "> 5", "♀", "--"]
    assert list(om.match(values, t).concepts.values()) == ["2", "1", "4", "7", "8"]
    assert not om.match(["HIV-", "5.", "HIV", "-"], t).concepts.get("HIV-")


def test_blanks_do_not_get_round_the_mapping(symptoms: om.Taxonomy) -> None:
    assert found(om.match(["headache "], symptoms, {"headache": "M25"})) == {"headache ": ("M25", "mapping")}


def test_a_full_stop_is_no_dotted_code(icd9cm: om.Taxonomy) -> None:
    assert [u.value for u in om.match(["38", "Diabetes mellitus."], icd9cm).unmatched] == ["38"]


def test_equal_numbers_are_different_codes(icd9cm: om.Taxonomy) -> None:
    matching = om.match([250, 250.0, 250], icd9cm)
    assert {row.value: row.count for row in matching.rows} == {"250": 2}
    assert [(u.value, u.count) for u in matching.unmatched] == [("250.0", 1)]


def test_a_number_is_no_code_unless_there_is_only_one(icd9cm: om.Taxonomy) -> None:
    """As a number 845 may have been written 845, 845.0 or 845.00, each a code."""
    unclear = om.match([845.0, 250.01], icd9cm)
    assert [[s.concept for s in u.suggestions] for u in unclear.unmatched] == [["845", "845.0", "845.00"]]
    with pytest.raises(errors.DataError, match=r"845\.0 may be 845 or 845\.0 or 845\.00.*text=\['diag'\]") as caught:
        unclear.require_all("diag")
    assert "column 'diag'" in str(caught.value)
    assert "dtype={'diag': str}" in str(caught.value)
    clear = om.match([486.0, 250.01, 8.45, Decimal("162.90")], icd9cm)
    assert found(clear) == {
        "486.0": ("486", "number"),
        "250.01": ("250.01", "code"),
        "8.45": ("008.45", "leading zeros"),
        "162.90": ("162.9", "number"),
    }
    assert any("486.0 as 486, 162.90 as 162.9" in note and "stored as numbers" in note for note in clear.notes)
    # Text says how it is written, and a mapping decides before all.
    assert found(om.match(["845.0"], icd9cm)) == {"845.0": ("845.0", "code")}
    assert found(om.match([845.0], icd9cm, {"845.0": "845.00"})) == {"845.0": ("845.00", "mapping")}


def test_whole_numbers_without_dots(icd9cm: om.Taxonomy) -> None:
    assert found(om.match([25001.0, 4011.0], icd9cm)) == {
        "25001.0": ("250.01", "number"),
        "4011.0": ("401.1", "number"),
    }
    # Where other values have a point, a number without one is no code that lost its own.
    assert [u.value for u in om.match([25001.0, 162.9], icd9cm).unmatched] == ["25001.0"]
    assert om.match([1e300, float("inf"), -3.0], icd9cm).rows == []
    assert any("389 (or 038.9)" in note for note in om.match([389, 401], icd9cm).notes)
    assert not any("038.9" in note for note in om.match(["389", "401"], icd9cm).notes)


def test_the_artificial_root_is_nobodys_meaning() -> None:
    t = om.Taxonomy.from_edges([("a", "x"), ("b", "y")])
    assert om.match(["everything"], t).rows == []


def test_every_ambiguous_value_is_listed(wordnet: om.Taxonomy) -> None:
    words = ["bank", "cell", "plant", "crane", "spring", "bat", "seal", "note", "light", "match", "ring", "rock"]
    matching = om.match(words, wordnet)
    assert [row.value for row in matching.ambiguous] == words
    assert "bank.n.02" not in matching.ambiguous[0].concept
    assert len(matching.ambiguous[0].others) > 5
    joined = om.join_taxonomies([om.Taxonomy.from_edges([("nothing much", "at all")]), wordnet])
    assert om.match(["bank"], joined).concepts == {"bank": matching.concepts["bank"]}  # the order of senses survives


def test_numbers_are_warned_of(icd9cm: om.Taxonomy) -> None:
    matching = om.match([250, 250.0, "250.00"], icd9cm)
    assert "250" in matching.concepts
    assert any("stored as numbers, not text" in note for note in matching.notes)


def test_alternative_codes_are_reported(hpo: om.Taxonomy) -> None:
    matching = om.match(["HP:0004715", "HP:0000003"], hpo)
    assert found(matching)["HP:0004715"] == ("HP:0000003", "alias")
    assert "HP:0004715 is HP:0000003" in matching.notes[0]


def test_languages() -> None:
    t = om.Taxonomy.from_edges([("1", "0"), ("2", "0")], labels={"1": "fractura múltiple", "2": "maladie"})
    assert found(om.match(["Fracturas multiples"], t, language="spanish")) == {"Fracturas multiples": ("1", "stem")}
    assert om.match(["maladies"], t, language="french").complete
    assert not om.match(["maladies"], t, language=None).complete
    with pytest.raises(errors.OptionError, match="no stemmer for the language 'klingon'. Choose one of: .*english"):
        om.match(["x"], t, language="klingon")


def test_mapping_file(symptoms: om.Taxonomy, tmp_path: Path) -> None:
    path = tmp_path / "mapping.csv"
    path.write_text("value;concept\nsore head;R51\nbad back;m545\nnever seen;M25\n")
    matching = om.match(["sore head", "bad back"], symptoms, path)
    assert found(matching) == {"sore head": ("R51", "mapping"), "bad back": ("M54.5", "mapping")}
    assert "1 value of the mapping not met in the column: 'never seen'" in matching.notes[0]
    path.write_text("value,concept\nsore head,R52\n")
    with pytest.raises(
        errors.UnknownConceptError, match="no concept 'R52' in symptoms for the value 'sore head' of the mapping"
    ):
        om.match(["sore head"], symptoms, path)
    path.write_text("a,b\n1,2\n")
    with pytest.raises(errors.TaxonomyFileError, match="no columns value and concept"):
        om.match(["x"], symptoms, path)
    path.write_text("value,concept\nx,R51\nx,M25\n")
    with pytest.raises(errors.TaxonomyFileError, match="line 3: 'x' is mapped to 'M25' here and to 'R51' before"):
        om.match(["x"], symptoms, path)
    with pytest.raises(errors.TaxonomyFileError, match="no such mapping file"):
        om.match(["x"], symptoms, tmp_path / "none.csv")
    with pytest.raises(errors.OptionError, match="values are a str, not a list of them"):
        om.match("headache", symptoms)


def test_nothing_to_match(symptoms: om.Taxonomy) -> None:
    matching = om.match([], symptoms)
    assert matching.complete
    assert matching.table.height == 0
    assert [u.value for u in om.match(["", "  "], symptoms).unmatched] == ["", "  "]
