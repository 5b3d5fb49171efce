"""Identifiers that repeat: whoever reads of k is told that it counts records, not the persons behind them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import ontomask as om
from ontomask.column_names.repeated_identifiers import Repeating, repeating_column, unit_of
from ontomask.report.summary import summarize


def stays(keys: list[Any], **more: Any) -> pl.DataFrame:
    n = len(keys)
    frame = {"patient_nbr": keys, "age": [30 + i % 7 for i in range(n)], "pay": [i % 5 for i in range(n)]}
    return pl.DataFrame(frame | more)


def policy(**more: Any) -> om.Policy:
    attributes = {"patient_nbr": om.Identifier(), "age": om.Numeric(), "pay": om.Numeric(role="sensitive")}
    return om.Policy(attributes=attributes | more, method=om.Microaggregation(k=3), require=[om.KAnonymity(k=3)])


SENTENCE = "40 different patient_nbr in 60 records: k counts records, not patients. To count patients, set person: patient_nbr."
PUBLIC = "Several records share one patient_nbr: k counts records, not patients."


@pytest.fixture
def repeated() -> pl.DataFrame:
    return stays([f"P{i % 40}" for i in range(60)])


def test_check_run_and_both_reports_tell_that_an_identifier_repeats(repeated: pl.DataFrame, tmp_path: Path) -> None:
    assert any(note.text.startswith(SENTENCE) for note in om.check(repeated, policy()).notes)
    result = om.anonymize(repeated, policy())
    [caveat] = [note for note in result.notes if note.kind == "caveat"]
    assert caveat in result.guarantees
    assert caveat.subject == "patient_nbr"
    assert caveat.text.startswith(SENTENCE)
    assert any(statement.text.startswith(PUBLIC) for statement in result.public_guarantees)
    result.save(tmp_path / "result", report=True)
    told = (tmp_path / "result" / "release" / "guarantees.txt").read_text(encoding="utf-8")
    assert PUBLIC in told
    assert "40" not in told.replace(PUBLIC, ""), "no count of the persons leaves the house"
    for edition, sentence in (("internal", SENTENCE), ("public", PUBLIC)):
        warnings = summarize(result, edition)["warnings"]  # type: ignore[arg-type]
        care = [w["text"] for w in warnings if w["level"] == "care"]
        assert sum(sentence in text for text in care) == 1, edition
        assert not any(SENTENCE in w["text"] for w in warnings if w["level"] == "note"), "told once"
    public = (tmp_path / "result" / "release" / "report.html").read_text(encoding="utf-8")
    assert "40 different" not in public


def test_nothing_is_told_where_every_record_has_its_own() -> None:
    result = om.anonymize(stays([f"P{i}" for i in range(60)]), policy())
    assert not any("different patient_nbr" in note for note in map(str, result.notes))
    assert not any("share" in text and "patient_nbr" in text for text in map(str, result.guarantees))


@pytest.mark.parametrize("nobody", [None, "", "  ", "NA", "?"])
def test_missing_identifiers_are_no_repetition(nobody: Any) -> None:
    keys = [nobody if i % 3 else f"P{i}" for i in range(60)]
    assert not any("different" in note for note in map(str, om.check(stays(keys), policy()).notes))
    keys[0] = keys[3]
    notes = om.check(stays(keys), policy()).notes
    told = (
        "19 different patient_nbr in 20 records (40 more have none): k counts records, not patients. To count patients"
    )
    assert any(note.text.startswith(told) for note in notes)


def test_numbers_dates_categories_and_what_is_not_a_number() -> None:
    frame = pl.DataFrame(
        {
            "float": [1.0, 1.0, float("nan"), float("nan")],
            "own": [1.0, 2.0, float("nan"), float("nan")],
            "category": pl.Series(["a", "a", "b", None], dtype=pl.Categorical),
            "nothing": pl.Series([None] * 4),
            "bool": [True, False, True, None],
            "same": [7] * 4,
        }
    )
    found = [repeat for column in frame if (repeat := repeating_column(column)) is not None]
    assert found == [
        Repeating("float", 1, 2, 2),
        Repeating("category", 2, 3, 1),
        Repeating("bool", 2, 3, 1),
        Repeating("same", 1, 4, 0),
    ]


def test_only_records_that_are_masked_are_counted(repeated: pl.DataFrame) -> None:
    """Of records that the policy drops for a missing value nothing is released."""
    frame = repeated.with_columns(age=pl.when(pl.int_range(pl.len()) < 40).then("age"))
    notes = om.check(frame, policy(age=om.Numeric(missing="drop_record"))).notes
    assert not any("different patient_nbr" in note.text for note in notes)


def test_a_method_without_k_speaks_of_figures(repeated: pl.DataFrame) -> None:
    swapped = policy().changed(method=om.RankSwapping(percent=10), require=[])
    told = "40 different patient_nbr in 60 records: figures count records, not patients."
    assert any(note.text.startswith(told) for note in om.anonymize(repeated, swapped).notes)


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("patient_nbr", "patients"),
        ("PatientID", "patients"),
        ("MRN", "patients"),
        ("Nº Historia Clínica", "patients"),
        ("subject_id", "subjects"),
        ("hadm_id", "admissions"),
        ("encounter_id", "encounters"),
        ("Fallnummer", "cases"),
        ("hhid", "households"),
        ("member_no", "members"),
        ("Kundennummer", "customers"),
        ("ssn", "persons"),
        ("name", "persons"),
    ],
)
def test_what_an_identifier_names(name: str, unit: str) -> None:
    assert unit_of(name) == unit


def test_a_key_of_persons_with_empty_cells_is_asked_about() -> None:
    keys = [None if i in (3, 7) else f"{100 + i // 2}" for i in range(60)]
    found = om.profile(stays(keys))
    assert found.person == ()
    (check,) = found["patient_nbr"].checks
    assert check == (
        "30 patients have 58 records, but 2 records do not say whose, so records are counted; to count patients, fill in the "
        "empty cells (a number of its own for each who is unknown), and write person: patient_nbr"
    )
    assert any("To count patients, fill in the empty cells" in str(note) for note in found.notes)


@pytest.mark.parametrize("name", ["name", "patient_name", "surname", "address"])
def test_a_name_is_no_key(name: str) -> None:
    keys = [f"Eva Gray {i // 2}" for i in range(60)]
    found = om.profile(stays(keys).rename({"patient_nbr": name}))
    assert found.person == ()
    assert not any("set person" in str(note) for note in found.notes)
