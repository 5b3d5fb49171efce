"""Every public function opens frames and files in the same way."""

from __future__ import annotations

from pathlib import Path

import polars as pl

import ontomask as om
from ontomask.microdata.open_table import open_table

FRAME = pl.DataFrame({"age": [30, 30, 41], "code": ["01", "01", "02"]})
ATTRIBUTES = {"age": om.Numeric(), "code": om.Ordinal(order=["01", "02"])}


def written(folder: Path) -> Path:
    FRAME.write_csv(folder / "table.csv")
    return folder / "table.csv"


def test_a_file_is_read_as_its_attributes_require(tmp_path: Path) -> None:
    file = written(tmp_path)
    table = open_table(file, ATTRIBUTES)
    assert table.data.equals(FRAME), "codes keep their zeros"
    assert table.source == file
    assert any("table.csv" in note or "CSV" in note for note in map(str, table.notes))
    assert open_table(FRAME, ATTRIBUTES).source is None


def test_models_and_operators_take_files(tmp_path: Path) -> None:
    file = written(tmp_path)
    found = om.KAnonymity(k=2).check(file, ["age", "code"])
    assert str(found) == str(om.KAnonymity(k=2).check(FRAME, ["age", "code"]))
    assert om.central_record(file, ATTRIBUTES) == om.central_record(FRAME, ATTRIBUTES)
