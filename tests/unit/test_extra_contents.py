"""What leaves the house is the file: verify looks at all of it, and at cells as they differ."""

from __future__ import annotations

import gzip
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import ontomask as om

openpyxl = pytest.importorskip("openpyxl")
pyreadstat = pytest.importorskip("pyreadstat")

HEAD = ["age", "job", "pay"]
GOOD = [HEAD, [30, "nurse", 1], [30, "nurse", 2], [30, "nurse", 3]]
UNCHECKED = "not everything could be checked"


def policy(**settings: Any) -> om.Policy:
    attributes = {"age": om.Numeric(), "job": om.Flat(), "pay": om.Numeric(role="sensitive")}
    return om.Policy(attributes=attributes, require=[om.KAnonymity(k=3)], **settings)


def workbook(file: Path, rows: list[list[Any]], change: Callable[[Any], Any] = lambda book: None) -> Path:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    change(book)
    book.save(file)
    return file


def last(found: om.Verification) -> str:
    return found.findings[-1].text


# ---- workbooks ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("state", ["visible", "hidden", "veryHidden"])
def test_another_sheet_fails(tmp_path: Path, state: str) -> None:
    def add(book: Any) -> None:
        other = book.create_sheet("original")
        other.append(["name"])
        other.append(["Ada"])
        other.sheet_state = state

    found = om.verify(workbook(tmp_path / "a.xlsx", GOOD, add), policy())
    assert found.verdict == "fails"
    assert last(found) == "the file holds more than the table that was verified: the sheet 'original'"


def test_an_empty_sheet_and_one_that_is_named_change_nothing(tmp_path: Path) -> None:
    file = workbook(tmp_path / "a.xlsx", GOOD, lambda book: book.create_sheet("empty"))
    assert om.verify(file, policy()).verdict == "holds"
    assert om.verify(file, policy(), reading=om.Reading(sheet="Sheet")).verdict == "holds"


@pytest.mark.parametrize(
    "cells", [[5, "5", 5], [True, "true", True], [True, 1, 1], ["#N/A", "#REF!", None], ["#N/A", "#N/A", None]]
)
def test_cells_of_several_kinds_are_not_counted_as_one(tmp_path: Path, cells: list[Any]) -> None:
    found = om.verify(workbook(tmp_path / "a.xlsx", [HEAD, *([30, cell, 1] for cell in cells)]), policy())
    assert found.verdict == UNCHECKED
    assert "cells differ that were read as one value ('job': its cells are " in last(found)


def test_a_table_that_does_not_begin_in_the_first_column(tmp_path: Path) -> None:
    rows = [[None] * 4, [None, *HEAD], *([None, 30, cell, 1] for cell in (5, "5", 5))]
    assert "'job': its cells are numbers and text" in last(om.verify(workbook(tmp_path / "a.xlsx", rows), policy()))


def test_sensitive_cells_may_mix(tmp_path: Path) -> None:
    attributes = {"age": om.Numeric(), "job": om.Flat(role="sensitive")}
    mixed = om.Policy(attributes=attributes, require=[om.KAnonymity(k=3)])
    file = workbook(tmp_path / "a.xlsx", [["age", "job"], [30, 5], [30, "5"], [30, "x"]])
    assert om.verify(file, mixed).verdict == "holds"


def test_parts_that_nobody_looks_into(tmp_path: Path) -> None:
    def comment(book: Any) -> None:
        from openpyxl.comments import Comment

        book.active["A2"].comment = Comment("Ada", "me")

    def name(book: Any) -> None:
        from openpyxl.workbook.defined_name import DefinedName

        book.defined_names["original"] = DefinedName("original", attr_text='"Ada"')

    files = [workbook(tmp_path / "a.xlsx", GOOD, comment), workbook(tmp_path / "b.xlsx", GOOD, name)]
    files += [workbook(tmp_path / "c.xlsx", GOOD), workbook(tmp_path / "d.xlsx", GOOD)]
    with zipfile.ZipFile(files[2], "a") as archive:
        archive.writestr("original.csv", "name\nAda\n")
    files[3].write_bytes(b"name\nAda\n" + files[3].read_bytes())
    found = [om.verify(file, policy()) for file in files]
    assert [f.verdict for f in found] == [UNCHECKED] * 4
    parts = ["comment", "named values", "'original.csv'", "bytes before or after the archive"]
    assert all(part in last(f) for part, f in zip(parts, found, strict=True))


# ---- other formats -----------------------------------------------------------------------------------------------------


def test_metadata_of_parquet_and_gzip(tmp_path: Path) -> None:
    table = pa.table({"age": [30] * 3, "job": ["x"] * 3, "pay": [1, 2, 3]})
    pq.write_table(table.replace_schema_metadata({"original": "Ada"}), tmp_path / "a.parquet")
    found = om.verify(tmp_path / "a.parquet", policy())
    assert (found.verdict, last(found)) == (UNCHECKED, "parts of the file were not checked: metadata 'original'")
    table.to_pandas().to_parquet(tmp_path / "b.parquet")
    assert om.verify(tmp_path / "b.parquet", policy()).verdict == "holds"
    packed = gzip.compress(table.to_pandas().to_csv(index=False).encode())
    (tmp_path / "a.csv.gz").write_bytes(packed)
    assert om.verify(tmp_path / "a.csv.gz", policy()).verdict == "holds"
    (tmp_path / "b.csv.gz").write_bytes(packed[:3] + bytes([packed[3] | 16]) + packed[4:10] + b"Ada\0" + packed[10:])
    assert "a comment in the head" in last(om.verify(tmp_path / "b.csv.gz", policy()))


def test_several_missing_values_of_one_column(tmp_path: Path) -> None:
    spss, stata = tmp_path / "a.sav", tmp_path / "a.dta"
    frame = pd.DataFrame({"age": [97.0, 98, 99], "job": ["x"] * 3, "pay": [1.0, 2, 3]})
    pyreadstat.write_sav(frame, spss, missing_ranges={"age": [97, 98, 99]})
    pyreadstat.write_dta(frame.assign(age=["a", "b", "c"]), stata, missing_user_values={"age": ["a", "b", "c"]})
    for file in (spss, stata):
        found = om.verify(file, policy())
        assert found.verdict == UNCHECKED
        assert "'age': values that the file declares missing are read as one" in last(found)
        assert "values that the file declares missing are null, in 'age'" in map(str, found.notes)
    pyreadstat.write_sav(frame.assign(age=30.0), spss, missing_ranges={"age": [97]})
    assert om.verify(spss, policy()).verdict == "holds"
    pyreadstat.write_sav(frame.assign(age=30.0), spss, note="Ada was here")
    assert last(om.verify(spss, policy())) == "parts of the file were not checked: notes"


@pytest.mark.parametrize("jobs", [["NA", "?", ""], ["NA", " NA", "NA "], ["NA", "NA", ""]])
@pytest.mark.parametrize("suffix", ["csv", "parquet", "frame"])
def test_missing_markers_are_different_cells(tmp_path: Path, jobs: list[str], suffix: str) -> None:
    frame = pl.DataFrame({"age": [30] * 3, "job": [job or None for job in jobs], "pay": ["1", "2", "NA"]})
    given: Any = tmp_path / f"a.{suffix}"
    if suffix == "csv":
        frame.write_csv(given)
    elif suffix == "parquet":
        frame.write_parquet(given)
    else:
        given = frame
    marked = policy(reading=om.Reading(missing=["NA", "?"]))
    found = om.verify(given, marked)
    assert found.verdict == "fails"
    assert found.failed[0].startswith("3-anonymity")
    assert [f.holds for f in found.findings[1:]] == [True] * 3  # NA among the numbers is not text
