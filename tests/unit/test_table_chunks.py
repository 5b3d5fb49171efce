"""Tables in files that are read chunk by chunk: as the file read at once, and several files as one table."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import ontomask as om
from ontomask.errors import DataError
from ontomask.microdata.open_table import open_table
from ontomask.microdata.table_chunks import TableChunks, files_of

CSV = "code;age;pay;zip;seen\n" + "".join(
    f"{428 + i % 3}.{i % 2};{20 + i};{i},5;0{i};{'NA' if i % 4 == 0 else i}\n" for i in range(40)
)


def read(path: Path | str, attributes: dict[str, om.Attribute] | None = None, **reading: object) -> TableChunks:
    return TableChunks(path, attributes or {}, om.Reading(**reading), block=100, rows_at_once=7)  # type: ignore[arg-type]


@pytest.mark.parametrize("reading", [{}, {"missing": ["NA"]}, {"text": ["age"]}, {"decimal": ",", "delimiter": ";"}])
def test_a_csv_is_read_as_at_once(tmp_path: Path, reading: dict[str, object]) -> None:
    file = tmp_path / "t.csv"
    file.write_text(CSV, encoding="utf-8")
    attributes = {"code": om.Nominal("icd9cm"), "age": om.Numeric(missing="category", missing_markers=["33"])}
    found = read(file, attributes, **reading)
    chunks = list(found.chunks())
    assert len(chunks) > 3
    expected = open_table(file, attributes, reading=om.Reading(**reading))  # type: ignore[arg-type]
    assert pl.concat(chunks).equals(expected.data)
    assert pl.concat(chunks).schema == expected.data.schema
    told = [str(note) for note in expected.notes if not str(note).startswith("missing markers")]
    assert [str(note) for note in found.notes] == told
    assert found.rows == [40]


@pytest.mark.parametrize("groups", [3, 10, 100])
def test_parquet_is_read_as_at_once(tmp_path: Path, groups: int) -> None:
    file = tmp_path / "t.parquet"
    data = pl.read_csv(CSV.encode(), separator=";").with_columns(pl.col("zip").cast(pl.Int32))
    data.with_columns(pl.col("code").cast(pl.String).cast(pl.Categorical)).write_parquet(file, row_group_size=groups)
    found = read(file, text=["zip"])
    expected = open_table(file, {}, reading=om.Reading(text=["zip"]))
    assert pl.concat(found.chunks()).equals(expected.data)
    assert list(map(str, found.notes)) == list(map(str, expected.notes))


def test_files_come_by_name_and_are_one_table(tmp_path: Path) -> None:
    (tmp_path / "b.csv").write_text("x,y\n2.5,b\n", encoding="utf-8")
    (tmp_path / "a.csv").write_text("x,y\n1,007\n3,8\n", encoding="utf-8")
    (tmp_path / "c.csv").write_text("x,y\n", encoding="utf-8")
    (tmp_path / "_SUCCESS").write_text("", encoding="utf-8")
    (tmp_path / ".hidden.csv").write_text("z\n1\n", encoding="utf-8")
    for path in (tmp_path, f"{tmp_path}/*.csv"):
        found = read(path)
        data = pl.concat(found.chunks())
        assert data.rows() == [(1.0, "007"), (3.0, "8"), (2.5, "b")]
        assert found.rows == [2, 1, 0]
        assert found.place_of(3) == (tmp_path / "b.csv", 1)
        assert str(found.notes[0]).startswith("3 files: CSV")
    assert files_of(tmp_path / "b.csv") == [tmp_path / "b.csv"]


def test_what_is_not_one_table(tmp_path: Path) -> None:
    def refused(says: str, path: Path | str = tmp_path, **reading: object) -> None:
        with pytest.raises(DataError, match=says) as caught:
            read(path, **reading)
        assert caught.value.remedy

    refused("there are no files")
    refused("there are no files", f"{tmp_path}/*.csv")
    refused("no such file", tmp_path / "none.csv")
    (tmp_path / "a.csv").write_text("x,y\n", encoding="utf-8")
    refused("no rows below", tmp_path / "a.csv")
    (tmp_path / "b.csv").write_text("x,y\n", encoding="utf-8")
    refused("no records in it")
    (tmp_path / "a.csv").write_text("x,y\n1,2\n", encoding="utf-8")
    (tmp_path / "b.csv").unlink()
    refused("no column 'z' to read as text", text=["z"])
    (tmp_path / "b.csv").write_text("x,z\n1,2\n", encoding="utf-8")
    refused("has no column 'y' and has more columns: 'z', compared with a.csv")
    (tmp_path / "b.csv").write_text("y,x\n1,2\n", encoding="utf-8")
    refused("another order")
    (tmp_path / "b.csv").write_text("x;y\n1;2\n", encoding="utf-8")
    refused("different delimiters")
    (tmp_path / "b.csv").unlink()
    pl.DataFrame({"x": [1], "y": [2]}).write_parquet(tmp_path / "b.parquet")
    refused("different formats: csv, parquet")
    (tmp_path / "a.csv").unlink()
    pl.DataFrame({"x": [1.0], "y": [2]}).write_parquet(tmp_path / "c.parquet")
    refused("the column 'x' holds Float64, and Int64 in b.parquet")
    (tmp_path / "c.parquet").write_bytes(b"PAR1")
    refused("cannot be read as Parquet")
    (tmp_path / "sub").mkdir()
    refused("holds folders: sub")
    (tmp_path / "t.xlsx").write_bytes(b"x")
    refused("Excel files are not read in chunks", tmp_path / "t.xlsx")


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_chunks_can_be_enlarged(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"t.{suffix}"
    data = pl.DataFrame({"x": range(1000), "y": ["a", "b"] * 500})
    data.write_csv(file) if suffix == "csv" else data.write_parquet(file)
    found = read(file)
    before = len(list(found.chunks()))
    found.enlarge(500)
    after = list(found.chunks())
    assert len(after) <= 4 < before
    assert pl.concat(after).equals(data)


def test_totals_are_noted(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("name,pay\n" + "a,1\n" * 30 + "Total,30\n", encoding="utf-8")
    assert "totals or a remark" in str(read(file).notes[-1])


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_file_that_changes_meanwhile_is_an_error(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"t.{suffix}"
    data = pl.DataFrame({"x": range(100), "y": ["a", "b"] * 50})

    def write(frame: pl.DataFrame) -> None:
        frame.write_csv(file) if suffix == "csv" else frame.write_parquet(file)

    write(data)
    found = read(file)
    assert pl.concat(found.chunks()).equals(data)
    write(data.with_columns(pl.lit("changed").alias("x")))
    with pytest.raises(DataError, match="changed while it was read"):
        list(found.chunks())
