"""A file appears whole or not at all, and reads back as what was written."""

from __future__ import annotations

import csv
import datetime as dt
import errno
import os
import re
import subprocess
import sys
import zipfile
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from ontomask import errors
from ontomask.microdata.formats import written_formats
from ontomask.microdata.reading import read_table
from ontomask.microdata.writing import write_table

FRAME = pl.DataFrame({"n": [1, None, 3], "x": [1.5, 2.0, None], "s": ["a", None, "é"]})
SUFFIXES = ["csv", "csv.gz", "tsv", "txt", "parquet", "xlsx", "sav", "zsav", "dta", "xpt"]


def message(caught: pytest.ExceptionInfo[BaseException]) -> str:
    assert isinstance(caught.value, errors.OntomaskError)
    assert caught.value.remedy, "an error says what to do"
    return str(caught.value)


# ---- there and back ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_every_format_reads_back(tmp_path: Path, suffix: str, kind: str) -> None:
    path = tmp_path / f"t.{suffix}"
    frame: Any = {"polars": FRAME, "pandas": FRAME.to_pandas(), "pyarrow": FRAME.to_arrow()}[kind]
    assert write_table(frame, str(path)) == path
    back = read_table(path).data
    assert_frame_equal(back, FRAME, check_dtypes=kind != "pandas")  # pandas made the integers floats
    assert os.listdir(tmp_path) == [path.name]
    assert tuple(written_formats()) == ("csv", "tsv", "parquet", "excel", "sav", "zsav", "dta", "xpt")


@pytest.mark.parametrize("suffix", ["xlsx", "sav", "dta", "xpt", "parquet"])
def test_dates_and_the_like(tmp_path: Path, suffix: str) -> None:
    frame = pl.DataFrame(
        {
            "d": [dt.date(2020, 1, 31), None],
            "t": [dt.datetime(2020, 1, 31, 12, 30, 15), None],
            "b": [True, None],
            "c": pl.Series(["x", None], dtype=pl.Categorical),
            "f": ["=1+1", "http://x.y"],
        }
    )
    back = read_table(write_table(frame, tmp_path / f"t.{suffix}")).data
    numbers = suffix in ("sav", "dta", "xpt")
    assert back.rows() == [(*frame.row(0)[:2], 1 if numbers else True, "x", "=1+1"), (None,) * 4 + ("http://x.y",)]


TEXT = st.text(
    st.one_of(
        st.sampled_from(list("ab01,;\t|\"'\n\r .-+é€日")),
        st.characters(exclude_categories=["Cs", "Cc"]),
    ),
    max_size=8,
)
CODES = st.sampled_from(
    ["007", "0123", "1.50", "250.0", "250.00", "1e5", "1E50", "-0", "+1", "NA", "?", "", " ", "nan"]
)
NUMBERS = {
    pl.String: st.one_of(TEXT, CODES),
    pl.Int64: st.integers(-(2**63), 2**63 - 1),
    pl.Float64: st.one_of(
        st.floats(allow_nan=False, allow_infinity=False), st.decimals(-1000, 1000, places=2).map(float)
    ),
}


@st.composite
def frames(draw: st.DrawFn) -> pl.DataFrame:
    rows = draw(st.integers(1, 6))
    dtypes = draw(st.lists(st.sampled_from(list(NUMBERS)), min_size=1, max_size=4))
    columns = []
    for at, dtype in enumerate(dtypes):
        cells = draw(st.lists(st.none() | NUMBERS[dtype], min_size=rows, max_size=rows))
        if len(dtypes) == 1:  # an only column has no empty texts
            cells = [cell if cell != "" else None for cell in cells]
        # A column of nothing but nulls has no type in a CSV.
        kept = dtype if any(cell is not None for cell in cells) else pl.String
        columns.append(pl.Series(f"c{at}", cells, dtype=kept))
    return pl.DataFrame(columns)


@pytest.mark.filterwarnings("ignore:a spreadsheet would run")
@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True, database=None)
@given(
    frame=frames(),
    layout=st.sampled_from([(",", "."), (";", "."), (";", ","), ("\t", ","), ("|", ".")]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)
def test_csv_reads_back_the_same(
    tmp_path_factory: pytest.TempPathFactory, frame: pl.DataFrame, layout: tuple[str, str], encoding: str
) -> None:
    delimiter, decimal = layout
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    write_table(frame, path, delimiter=delimiter, decimal=decimal, encoding=encoding)
    text = [name for name, dtype in frame.schema.items() if dtype == pl.String]
    back = read_table(path, delimiter=delimiter, decimal=decimal, text=text)
    assert back.encoding == encoding
    assert_frame_equal(back.data, frame, check_exact=True)
    path.unlink()


@pytest.mark.filterwarnings("ignore:a spreadsheet would run")
@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True, database=None)
@given(frame=frames())
def test_csv_reads_back_the_same_without_being_told_anything(
    tmp_path_factory: pytest.TempPathFactory, frame: pl.DataFrame
) -> None:
    word = frame.with_columns(pl.lit("a word", pl.String).alias("w"))
    # A text column that has nothing but numbers in it comes back as numbers; a word among them shows what it is.
    mixed = [pl.col(name) + "x" for name, dtype in frame.schema.items() if dtype == pl.String]
    word = word.with_columns(mixed)
    path = write_table(word, tmp_path_factory.mktemp("csv") / "t.csv")
    assert_frame_equal(read_table(path).data, word, check_exact=True)
    path.unlink()


def test_null_and_empty_text_differ(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": [None, "", "x"], "b": [1, 2, 3]})
    path = write_table(frame, tmp_path / "t.csv")
    assert path.read_bytes() == b'a,b\n,1\n"",2\nx,3\n'
    assert read_table(path).data.equals(frame)


def test_encodings_in_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ontomask.microdata.csv_tables._BLOCK", 2)
    frame = pl.DataFrame({"a": ["é", "b", "c", "d", "ü"], "x": [1.5, 2.5, 3.5, 4.5, 5.25]})
    for encoding in ("utf-16", "cp1252", "utf-8-sig"):
        path = write_table(frame, tmp_path / f"{encoding}.csv", encoding=encoding, delimiter=";", decimal=",")
        back = read_table(path)
        assert back.data.equals(frame)
        assert (back.encoding, back.decimal) == (encoding, ",")
    with pytest.raises(errors.DataError, match=r"column 's': the character '日' cannot be written in cp1252") as caught:
        write_table(pl.DataFrame({"s": ["a", "日"]}), tmp_path / "t.csv", encoding="cp1252")
    message(caught)
    assert not (tmp_path / "t.csv").exists()


def test_a_workbook_does_not_say_when_it_was_written(tmp_path: Path) -> None:
    pytest.importorskip("xlsxwriter")
    write_table(pl.DataFrame({"a": [1, 2]}), tmp_path / "a.xlsx")
    with zipfile.ZipFile(tmp_path / "a.xlsx") as archive:
        times = re.findall(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", archive.read("docProps/core.xml"))
    assert set(times) == {b"2000-01-01T00:00:00Z"}


def test_same_bytes_each_time(tmp_path: Path) -> None:
    first = write_table(FRAME, tmp_path / "a.csv.gz").read_bytes()
    assert write_table(FRAME, tmp_path / "b.csv.gz").read_bytes() == first


def test_a_table_without_rows_can_be_written(tmp_path: Path) -> None:
    assert write_table(FRAME.clear(), tmp_path / "t.csv").read_text() == "n,x,s\n"


def test_a_pandas_index_is_not_written_and_this_is_told(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1]}, index=pd.Index(["p1"], name="patient"))
    with pytest.warns(errors.OntomaskWarning, match="index 'patient'"):
        path = write_table(frame, tmp_path / "t.csv")
    assert path.read_text() == "a\n1\n"


# ---- what is refused --------------------------------------------------------------------------------------------


def test_nothing_is_overwritten_unasked(tmp_path: Path) -> None:
    path = write_table(FRAME, tmp_path / "t.csv")
    before = path.read_bytes()
    with pytest.raises(errors.OutputError, match=r"t\.csv: the file exists.*overwrite=True") as caught:
        write_table(FRAME.head(1), path)
    message(caught)
    assert path.read_bytes() == before
    path.chmod(0o640)
    write_table(FRAME.head(1), path, overwrite=True)
    assert read_table(path).data.height == 1
    assert path.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("way", ["itself", "symlink", "hard link", "other spelling"])
def test_the_source_is_never_overwritten(tmp_path: Path, way: str) -> None:
    source = write_table(FRAME, tmp_path / "source.csv")
    before = source.read_bytes()
    target = tmp_path / "link.csv"
    if way == "symlink":
        target.symlink_to(source)
    elif way == "hard link":
        os.link(source, target)
    else:
        target = source if way == "itself" else tmp_path / ".." / tmp_path.name / "source.csv"
    for overwrite in (True, False):
        with pytest.raises(errors.OutputError, match="the file the data came from") as caught:
            write_table(FRAME.head(1), target, overwrite=overwrite, source=source)
        message(caught)
    assert source.read_bytes() == before


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    real = write_table(FRAME, tmp_path / "real.csv")
    link = tmp_path / "link.csv"
    link.symlink_to(real)
    write_table(FRAME.head(1), link, overwrite=True, source=tmp_path / "other.csv")
    assert link.is_symlink()
    assert read_table(real).data.height == 1


@pytest.mark.parametrize(
    ("name", "options", "kind", "expected"),
    [
        ("", {}, errors.OutputError, "is a folder"),
        ("no/t.csv", {}, errors.OutputError, "its folder does not exist.*Create the folder"),
        ("file.csv/t.csv", {}, errors.OutputError, "its folder does not exist"),
        ("t.doc", {}, errors.OptionError, r"the suffix '\.doc'"),
        ("t.sas7bdat", {}, errors.OptionError, r"the suffix '\.sas7bdat'"),
        ("t.csv", {"format": "sas7bdat"}, errors.OptionError, "no format to write 'sas7bdat'"),
        ("t.csv", {"delimiter": "x"}, errors.OptionError, "no delimiter 'x'"),
        ("t.csv", {"decimal": ","}, errors.OptionError, "both decimal mark and delimiter"),
        ("t.csv", {"encoding": "utf-nine"}, errors.OptionError, "no encoding 'utf-nine'"),
        ("t.parquet", {"delimiter": ";"}, errors.OptionError, "are for CSV"),
        ("x" * 300 + ".csv", {}, errors.OutputError, "File name too long"),
        ("t\0.csv", {}, errors.OutputError, "null byte"),
    ],
)
def test_bad_targets(tmp_path: Path, name: str, options: dict[str, Any], kind: type[Exception], expected: str) -> None:
    (tmp_path / "file.csv").write_text("a\n")
    with pytest.raises(kind, match=expected) as caught:
        write_table(FRAME, tmp_path / name, format=options.pop("format", "csv" if not name else None), **options)
    message(caught)
    assert os.listdir(tmp_path) == ["file.csv"]


@pytest.mark.parametrize(
    ("suffix", "column", "expected"),
    [
        ("csv", [float("nan")], "NaN and infinite"),
        ("csv", [b"x"], "Binary"),
        ("csv", ["a\0b"], "zero byte"),
        ("xlsx", [float("inf")], "NaN and infinite"),
        ("xlsx", [2**60], "more than 15 digits"),
        ("xlsx", ["x" * 40_000], "32,767 characters"),
        ("xlsx", [dt.date(1850, 1, 1)], "before 1900"),
        ("xlsx", [dt.timedelta(1)], "cannot be stored in Excel"),
        ("xlsx", [dt.datetime(2020, 1, 1, tzinfo=dt.UTC)], "time zone"),
        ("xlsx", [dt.datetime(2020, 1, 1, 0, 0, 0, 1)], "millisecond"),
        ("sav", [2**60], "more than 15 digits"),
        ("sav", [float("inf")], "NaN and infinite"),
        ("sav", [Decimal("1.10")], "Decimal"),
        ("dta", [dt.timedelta(1)], "Duration"),
        ("sav", ["a  "], "some of its values"),
    ],
)
def test_what_a_format_cannot_hold(tmp_path: Path, suffix: str, column: list[Any], expected: str) -> None:
    with pytest.raises(errors.DataError, match=rf"t\.{suffix}, column 'c': .*{expected}") as caught:
        write_table(pl.DataFrame({"c": column}), tmp_path / f"t.{suffix}")
    message(caught)
    assert os.listdir(tmp_path) == []


def test_names_that_a_format_cannot_hold(tmp_path: Path) -> None:
    with pytest.raises(errors.DataError, match="SPSS cannot hold these data.*Rename columns") as caught:
        write_table(pl.DataFrame({"a b": [1]}), tmp_path / "t.sav")
    message(caught)
    with pytest.raises(errors.DataError, match="without a name"):
        write_table(pl.DataFrame({" ": [1]}), tmp_path / "t.csv")
    assert os.listdir(tmp_path) == []


def test_no_frame(tmp_path: Path) -> None:
    with pytest.raises(errors.DataError, match="expected a DataFrame, got .*dict"):
        write_table({"a": [1]}, tmp_path / "t.csv")
    with pytest.raises(errors.DataError, match="holds list"):
        write_table(pa.table({"a": [[1]]}), tmp_path / "t.csv")


@pytest.mark.parametrize(("name", "package"), [("t.xlsx", "xlsxwriter"), ("t.sav", "pyreadstat")])
def test_missing_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, package: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(errors.MissingExtraError, match=package):
        write_table(FRAME, tmp_path / name)
    assert os.listdir(tmp_path) == []


# ---- failing on the way -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize("existing", [False, True])
def test_a_full_disk_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, step: str, existing: bool
) -> None:
    path = tmp_path / f"t.{suffix}"
    if existing:
        path.write_text("old")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, step, full)
    with pytest.raises(errors.OutputError, match=r"the disk is full \(the table has about .* MB") as caught:
        write_table(FRAME, path, overwrite=True)
    assert str(path) in message(caught)
    assert isinstance(caught.value, OSError)
    assert os.listdir(tmp_path) == ([path.name] if existing else [])
    assert not existing or path.read_text() == "old"


@pytest.mark.parametrize(
    ("raised", "kind"),
    [
        (PermissionError(errno.EACCES, "Permission denied"), errors.OutputError),
        (KeyboardInterrupt(), KeyboardInterrupt),
        (MemoryError(), MemoryError),
        (pl.exceptions.ComputeError("parquet: underlying IO error: (os error 28)"), errors.OutputError),
    ],
)
def test_whatever_happens_nothing_remains(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, raised: BaseException, kind: type[BaseException]
) -> None:
    def fail(self: pl.DataFrame, stream: Any, **_: object) -> None:
        stream.write(b"half")
        raise raised

    monkeypatch.setattr(pl.DataFrame, "write_csv", fail)
    with pytest.raises(kind):
        write_table(FRAME, tmp_path / "t.csv")
    assert os.listdir(tmp_path) == []


def test_no_right_to_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(
        errors.OutputError, match=r"cannot be written \(Permission denied\).*your permissions"
    ) as caught:
        write_table(FRAME, tmp_path / "t.csv")
    message(caught)
    if os.geteuid():  # root may write everywhere
        monkeypatch.undo()
        tmp_path.chmod(0o500)
        with pytest.raises(errors.OutputError, match="Permission denied"):
            write_table(FRAME, tmp_path / "t.csv")
        tmp_path.chmod(0o700)


LIMITED = """
import os, resource, sys
import numpy as np, polars as pl
from ontomask.errors import OutputError
from ontomask.microdata.writing import write_table
frame = pl.DataFrame({"x": np.random.default_rng(1).random(60_000), "s": ["text"] * 60_000})
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    write_table(frame, sys.argv[1])
except OutputError as problem:
    print("refused:", problem)
print("left:", os.listdir(os.path.dirname(sys.argv[1])))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits of file size are POSIX")
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_real_limit_of_file_size(tmp_path: Path, suffix: str) -> None:
    # Python cuts off the bytecode of a module, too, and whoever imports the module later fails.
    unwritten = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(tmp_path / f"t.{suffix}")],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **unwritten},
    )
    assert "left: []" in done.stdout, done.stderr
    assert "refused:" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("values", [["x", None, "y"], [" ", "x", None, "  "], [1, None, 2], [None, None, 2.5]])
def test_a_record_of_one_missing_cell_is_not_an_empty_line(values: list[object], tmp_path: Path) -> None:
    """Readers skip empty lines: a table of one column lost its records with missing values."""
    file = write_table(pl.DataFrame({"a": values}), tmp_path / "one.csv")
    with file.open(newline="", encoding="utf-8") as stream:
        assert len(list(csv.DictReader(stream))) == len(values)
    assert len(pd.read_csv(file)) == len(values)
    assert read_table(file).data["a"].to_list() == values


def test_blank_categories_of_an_only_column_are_not_empty_lines(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": pl.Series([" ", "x", None, " "], dtype=pl.Categorical)})
    assert len(pd.read_csv(write_table(frame, tmp_path / "one.csv"))) == 4
    with pytest.raises(errors.DataError, match="empty texts and missing values look the same"):
        write_table(pl.DataFrame({"a": pl.Series(["x", ""], dtype=pl.Enum(["x", ""]))}), tmp_path / "two.csv")


def test_empty_texts_of_an_only_column_are_refused(tmp_path: Path) -> None:
    with pytest.raises(errors.DataError, match="empty texts and missing values look the same"):
        write_table(pl.DataFrame({"a": ["x", ""]}), tmp_path / "one.csv")
    assert not list(tmp_path.iterdir())
