"""Pages say what stewards can do there, not what stands in commands and policies."""

from __future__ import annotations

import re

import polars as pl
import pytest

import ontomask as om
from ontomask.app.pages.plain import in_plain_words
from ontomask.profiling.profile import _marker_notes

COMMAND = re.compile(r"--[a-z]|ontomask \w+|\bDATA\b|COLUMN|missing_markers")


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("decide the role: quasi, sensitive or other", "Choose the role: quasi-identifier, sensitive or other."),
        (
            "if nobody can know it, write role: sensitive; it is then released unchanged",
            "If nobody can know it, choose sensitive; it is then released unchanged.",
        ),
        (
            "-9 is far: if it stands for a missing value, write missing_markers: [-9] and missing: category",
            "-9 is far: if it stands for a missing value, name -9 in step 1 as a text that means a missing value.",
        ),
        (
            "patients are counted (person: nr); if records are to be counted, delete that line",
            "Patients are counted; to count records, delete the line person in Policy.",
        ),
        (
            "if the numbers are codes, write kind: flat; if a scale, kind: ordinal",
            "If the numbers are codes, write kind: flat; if a scale, kind: ordinal (in Policy, at the top right).",
        ),
        (
            "icd9cm covers 64%: write kind: nominal and taxonomy: icd9cm, and give a mapping for the other values",
            "icd9cm covers 64%: choose icd9cm in step 3 and say there what the other values mean.",
        ),
    ],
)
def test_advice_is_of_the_pages(said: str, shown: str) -> None:
    assert in_plain_words(said) == shown


def test_long_names_are_cut() -> None:
    name = "n" * 300
    assert in_plain_words(f"column {name!r} stays text", [name, "text"]) == f"Column '{'n' * 57}...' stays text."


def test_no_advice_on_dirty_data_is_a_command() -> None:
    codes = ["250.00", "250,00", "4019", "v30.00", "486", "diabets", "NA", "-9", " 486 "]
    rows = range(200)
    found = om.profile(
        pl.DataFrame(
            {
                "patient_id": [f"p{i // 2}" for i in rows],
                "born": [("01.02.1960", "1960-02-01", "2/1/60")[i % 3] for i in rows],
                "seen": [f"0{1 + i % 9}/0{1 + i % 7}/2021" for i in rows],
                "weight": [["81.5", "NA", "-9"][i % 3] if i % 4 else str(40 + i / 7) for i in rows],
                "height": [-9 if i == 3 else 150 + i % 40 for i in rows],
                "diagnosis": [codes[i % len(codes)] for i in rows],
                "score": [i % 5 for i in rows],
                "status": [("low", "high", "None")[i % 3] for i in rows],
            }
        )
    )
    said = [*found.notes, *(check for column in found for check in column.checks), *_marker_notes({"a": ["NA"]})]
    assert any(COMMAND.search(text) for text in said), "the library speaks of commands"
    assert [text for text in map(in_plain_words, said) if COMMAND.search(text)] == []
