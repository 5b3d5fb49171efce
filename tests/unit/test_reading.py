"""Files of records: what is detected, what stays text, what is refused."""

from __future__ import annotations

import datetime as dt
import gzip
import re
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pyreadstat
import pytest
import xlsxwriter

from ontomask import errors
from ontomask.microdata import csv_files
from ontomask.microdata.reading import TableFile, read_table


def write(folder: Path, text: str | bytes, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def message(caught: pytest.ExceptionInfo[BaseException]) -> str:
    assert isinstance(caught.value, errors.OntomaskError)
    assert caught.value.remedy, "an error says what to do"
    return str(caught.value)


def read(folder: Path, content: str | bytes, name: str = "t.csv", **options: Any) -> TableFile:
    return read_table(write(folder, content, name), **options)


def cells(table: TableFile) -> dict[str, list[Any]]:
    return table.data.to_dict(as_series=False)


# ---- what is detected -------------------------------------------------------------------------------------------


def test_what_was_detected_is_said_in_words(tmp_path: Path) -> None:
    table = read(tmp_path, "Größe;Ort\n1,70;Köln\n1,5;Ulm\n".encode("cp1252"))
    assert table.summary() == 'CSV, delimiter ";", encoding cp1252, decimal comma; 2 rows, 2 columns'
    assert repr(table) == table.summary()
    assert any("cp1252" in note for note in map(str, table.notes))
    assert cells(table) == {"Größe": [1.7, 1.5], "Ort": ["Köln", "Ulm"]}
    assert read(tmp_path, "a\n1\n").summary().endswith("1 row, 1 column")


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiters(tmp_path: Path, delimiter: str) -> None:
    text = 'name,age,note\n"Doe, J; x|y\tz",30,a\n"Roe",40,\n'.replace(",", "\0").replace("Doe\0", "Doe,")
    table = read(tmp_path, text.replace("\0", delimiter))
    assert table.delimiter == delimiter
    assert cells(table) == {"name": ["Doe, J; x|y\tz", "Roe"], "age": [30, 40], "note": ["a", None]}


def test_the_header_decides_the_delimiter(tmp_path: Path) -> None:
    table = read(tmp_path, "weight;height\n" + "70,5;1,8\n" * 50)
    assert table.delimiter == ";"
    assert table.data.width == 2
    named = read(tmp_path, "a;b,c\n1;2,3\n", delimiter=",")
    assert named.data.columns == ["a;b", "c"]
    hinted = read(tmp_path, "sep=;\na;b,c\n1;2\n")
    assert hinted.data.columns == ["a", "b,c"]


@pytest.mark.parametrize(
    ("encoding", "found"),
    [("utf-8", "utf-8"), ("utf-8-sig", "utf-8-sig"), ("utf-16", "utf-16"), ("cp1252", "cp1252")],
)
def test_encodings(tmp_path: Path, encoding: str, found: str) -> None:
    table = read(tmp_path, "name,x\nMénière,1\n".encode(encoding))
    assert table.encoding == found
    assert cells(table) == {"name": ["Ménière"], "x": [1]}


def test_encoding_given(tmp_path: Path) -> None:
    data = "name,x\nMénière,1\n".encode("mac-roman")
    assert cells(read(tmp_path, data, encoding="mac-roman"))["name"] == ["Ménière"]
    with pytest.raises(errors.DataError, match="line 2: byte 8 is not valid utf-8") as caught:
        read(tmp_path, data, encoding="utf-8")
    message(caught)
    with pytest.raises(errors.DataError, match="no encoding 'utf-nine'"):
        read(tmp_path, data, encoding="utf-nine")
    with pytest.raises(errors.DataError, match="line 2: byte 0x81 is neither UTF-8 nor cp1252") as caught:
        read(tmp_path, b"name,x\n\x81\xe9,1\n")
    message(caught)


def test_gzip(tmp_path: Path) -> None:
    packed = gzip.compress(b"a,b\n1,x\n")
    assert cells(read(tmp_path, packed, "t.csv.gz")) == {"a": [1], "b": ["x"]}
    with pytest.raises(errors.DataError, match="cut off or damaged") as caught:
        read(tmp_path, packed[:-9], "t.csv.gz")
    message(caught)


def test_line_ends(tmp_path: Path) -> None:
    windows = read(tmp_path, b'a,b\r\n1,"x\r\ny"\r\n2,z\r\n')
    assert cells(windows) == {"a": [1, 2], "b": ["x\r\ny", "z"]}
    assert cells(read(tmp_path, b"a,b\r1,x\r2,y\r")) == {"a": [1, 2], "b": ["x", "y"]}
    assert cells(read(tmp_path, b"a,b\n1,x\n2,")) == {"a": [1, 2], "b": ["x", None]}


def test_tsv_and_format(tmp_path: Path) -> None:
    table = read(tmp_path, "a\tb,c\n1\tx\n", "t.tsv")
    assert table.summary() == "TSV, delimiter tab, encoding utf-8, decimal point; 1 row, 2 columns"
    assert read(tmp_path, "a,b\n1,2\n", "data.dat", format="csv").format == "csv"


def test_a_blank_after_every_delimiter(tmp_path: Path) -> None:
    table = read(tmp_path, 'age, sex, job\n39, M, clerk\n40, F, "cook, chef"\n')
    assert cells(table) == {"age": [39, 40], "sex": ["M", "F"], "job": ["clerk", "cook, chef"]}
    assert any("blank follows every delimiter" in note for note in map(str, table.notes))
    plain = read(tmp_path, "age, sex\n39, M\n40, F\n")
    assert cells(plain) == {"age": [39, 40], "sex": ["M", "F"]}
    some = read(tmp_path, "age, sex\n39, M\n40,F\n")
    assert cells(some) == {"age": [39, 40], " sex": [" M", "F"]}


# ---- numbers, codes and nulls -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("column", "expected", "note"),
    [
        (["1", "-2", "0"], [1, -2, 0], ""),
        (["1", "", "3"], [1, None, 3], ""),
        ([" 1", "2 "], [1, 2], ""),
        (['"1"', '""'], [1, None], ""),
        (["007", "12"], ["007", "12"], "leading zeros"),
        (["-07", "12"], ["-07", "12"], "leading zeros"),
        (["0", "0"], [0, 0], ""),
        (["+49", "1"], ["+49", "1"], ""),
        (["9223372036854775807"], [2**63 - 1], ""),
        (["9223372036854775808", "1"], ["9223372036854775808", "1"], "64 bits"),
        (["1.5", "2"], [1.5, 2.0], ""),
        (["1.50", "2.00"], [1.5, 2.0], ""),
        ([".5", "-.25"], [0.5, -0.25], ""),
        (["1e-7", "1.5E+3"], [1e-7, 1500.0], ""),
        (["1E50", "1E51"], ["1E50", "1E51"], ""),
        (["250.0", "250.00"], ["250.0", "250.00"], "trailing zeros, like codes"),
        (["250", "250.0"], ["250", "250.0"], "trailing zeros, like codes"),
        (["001.1", "2.5"], ["001.1", "2.5"], ""),
        (["1.5", "x"], ["1.5", "x"], ""),
        (["1,5", "2,25"], ["1,5", "2,25"], ""),
        (["1e+400", "1.5"], ["1e+400", "1.5"], "too large"),
        (["0.12345678901234567891"], [0.12345678901234568], "rounded"),
        (["true", "false"], ["true", "false"], ""),
        (["2020-01-01"], ["2020-01-01"], ""),
        (["NA", "12"], ["NA", "12"], "'NA' in 1 cell.*all others are numbers.*missing=.'NA'"),
        (["?", "x", "?"], ["?", "x", "?"], r"'\?' in 2 cells: values, not nulls\. "),
        (["nan", "1.5"], ["nan", "1.5"], "'nan' in 1 cell"),
        (["٣", "٤"], ["٣", "٤"], ""),
    ],
)
def test_only_what_survives_is_a_number(tmp_path: Path, column: list[str], expected: list[Any], note: str) -> None:
    quoted = [f'"{cell}"' if "," in cell else cell for cell in column]
    table = read(tmp_path, "k,v\n" + "".join(f"k,{cell}\n" for cell in quoted))
    assert cells(table)["v"] == expected
    assert (not note and not table.notes) or any(re.search(note, found) for found in map(str, table.notes))


def test_a_number_column_that_turns_to_text_late(tmp_path: Path) -> None:
    table = read(tmp_path, "k,v\n" + "k,1\n" * 5000 + "k,x\n")
    assert table.data["v"].dtype == pl.String
    zeros = read(tmp_path, "k,v\n" + "k,1\n" * 5000 + "k,01\n")
    assert zeros.data["v"].dtype == pl.String


def test_decimal_commas(tmp_path: Path) -> None:
    table = read(tmp_path, "a;b;c;d\n1,5;1,234;250.0;x,y\n2;5,678;401.9;z\n")
    assert table.decimal == ","
    assert cells(table)["a"] == [1.5, 2.0]
    assert cells(table)["b"] == [1.234, 5.678], "the first column settles what a comma is"
    assert cells(table)["c"] == ["250.0", "401.9"]
    assert any("'c' stays text: points" in note for note in map(str, table.notes))
    unclear = read(tmp_path, "a;b\n1,234;1\n5,678;2\n")
    assert cells(unclear)["a"] == ["1,234", "5,678"]
    assert unclear.decimal == "."
    assert any("decimal or a thousand" in note for note in map(str, unclear.notes))
    assert cells(read(tmp_path, "a;b\n1,234;1\n5,678;2\n", decimal=","))["a"] == [1.234, 5.678]
    assert cells(read(tmp_path, "a;b\n1,5;1\n", decimal="."))["a"] == ["1,5"]
    assert cells(read(tmp_path, 'a,b\n"1,5",1\n', decimal=","))["a"] == [1.5]
    with pytest.raises(errors.OptionError, match="no decimal mark ';'"):
        read(tmp_path, "a;b\n1;2\n", decimal=";")


def test_null_and_empty_text_and_markers(tmp_path: Path) -> None:
    table = read(tmp_path, 'a,b\n,x\n"",y\nNA,z\n')
    assert cells(table)["a"] == [None, "", "NA"]
    given = read(tmp_path, "a,b\n1,x\nNA,?\n?,y\n", missing=["NA", "?"])
    assert cells(given) == {"a": [1, None, None], "b": ["x", None, "y"]}
    with pytest.raises(errors.OptionError, match="missing=.*one text"):
        read(tmp_path, "a,b\n1,x\n", missing="NA")


def test_columns_kept_as_text(tmp_path: Path) -> None:
    assert cells(read(tmp_path, "code,x\n250.00,1\n", text=["code"])) == {"code": ["250.00"], "x": [1]}
    with pytest.raises(errors.DataError, match="no column 'kode'"):
        read(tmp_path, "code,x\n250.00,1\n", text=["kode"])


def test_one_column(tmp_path: Path) -> None:
    table = read(tmp_path, "age\n1\n\n3\n")
    assert cells(table) == {"age": [1, None, 3]}
    assert any("one column" in note for note in map(str, table.notes))


def test_blank_lines_are_left_out_and_told(tmp_path: Path) -> None:
    table = read(tmp_path, 'a,b\n1,2\n\n3,\n\r\n"x\n\ny",4\n\n\n')
    assert cells(table) == {"a": ["1", "3", "x\n\ny"], "b": [2, None, 4]}
    assert "2 blank lines left out" in map(str, table.notes)


def test_quotes_inside_cells(tmp_path: Path) -> None:
    table = read(tmp_path, 'size,n\n5" pipe,1\n6" pipe,2\n,3\n')
    assert cells(table) == {"size": ['5" pipe', '6" pipe', None], "n": [1, 2, 3]}


def test_numbers_as_names_are_told(tmp_path: Path) -> None:
    assert any("some are numbers: '39'" in note for note in map(str, read(tmp_path, "39,clerk\n40,cook\n").notes))


# ---- what is refused --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "the file is empty"),
        ("  \n\n", "the file is empty"),
        ("a,b\n", "no rows below the header"),
        ("a,,b\n1,2,3\n", r"line 1: the first line names no column at place 2 of 3\. .*row\.names = FALSE"),
        ("a,b,a\n1,2,3\n", "line 1: several columns are called 'a'"),
        ("\n\na, a\n1, 2\n", "line 3: several columns are called 'a'|line 3.*'a'"),
        (
            "a,b,c\n1,2,3\n4,5\n6\n",
            r"line 3: the header has 3 columns, but line 3 has 2, line 4 has 1 \(2 such lines\)",
        ),
        ("a,b,c\n1,2,3\n4,5,\n6,7,8,9\n", "line 4: the header has 3 columns, but line 4 has 4"),
        ('a,b,c\n"x\ny",2,3\n\n4,5\n', "line 5: the header has 3 columns, but line 5 has 2"),
        ('\n\na,b\n"1\n2",2\n3\n', "line 6: the header has 2 columns, but line 6 has 1"),
        ('a,b\n1,"x\n2,y\n', "line 2: unbalanced quotes or delimiters"),
        ('a,b\n"x"y,2\n', "line 2: unbalanced quotes or delimiters"),
        (b"a,b\n1,\x00\x00\n", "zero bytes"),
        (b"\x01\x02\x03\x04\x05" * 100, "not text"),
    ],
)
def test_bad_csv(tmp_path: Path, text: str | bytes, expected: str) -> None:
    with pytest.raises(errors.DataError, match=expected) as caught:
        read(tmp_path, text)
    assert "t.csv" in message(caught)


def test_short_lines_are_found_by_either_parser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good = 'a,b,c\n1,"x, ""y""",\n,,\n2,z,3\n'
    fast = read(tmp_path, good)
    monkeypatch.setattr(csv_files, "_quotes_fit", lambda payload, delimiter: False)
    assert read(tmp_path, good).data.equals(fast.data)


def test_paths_and_options(tmp_path: Path) -> None:
    write(tmp_path, "a,b\n1,2\n", "patients.csv")
    with pytest.raises(errors.DataError, match=r"no such file\. Did you mean 'patients\.csv'\?") as caught:
        read_table(tmp_path / "patient.csv")
    message(caught)
    with pytest.raises(errors.DataError, match="is a folder"):
        read_table(tmp_path)
    with pytest.raises(errors.OptionError, match=r"the suffix '\.xls'.*Save it as \.xlsx"):
        read(tmp_path, "x", "t.xls")
    with pytest.raises(errors.OptionError, match=r"the suffix '\.parquet\.gz'"):
        read(tmp_path, "x", "t.parquet.gz")
    with pytest.raises(errors.OptionError, match="no format 'cvs'"):
        read(tmp_path, "a,b\n1,2\n", format="cvs")
    with pytest.raises(errors.OptionError, match="delimiter= has no effect on Parquet"):
        read(tmp_path, "x", "t.parquet", delimiter=";")
    with pytest.raises(errors.OptionError, match="sheet= has no effect on CSV"):
        read(tmp_path, "a,b\n1,2\n", sheet="x")
    with pytest.raises(errors.OptionError, match="the delimiter ';;'"):
        read(tmp_path, "a,b\n1,2\n", delimiter=";;")


@pytest.mark.parametrize("name", ["t.parquet", "t.xlsx", "t.sav", "t.dta", "t.sas7bdat", "t.xpt"])
def test_junk_under_a_known_suffix(tmp_path: Path, name: str) -> None:
    with pytest.raises(errors.DataError) as caught:
        read(tmp_path, "this is no such file\n" * 50, name)
    assert name in message(caught)


@pytest.mark.parametrize(
    ("name", "package", "extra"), [("t.xlsx", "fastexcel", "excel"), ("t.sav", "pyreadstat", "stat")]
)
def test_missing_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, package: str, extra: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(errors.MissingExtraError, match=rf"needs the package '{package}'.*ontomask\[{extra}\]"):
        read(tmp_path, "x", name)


# ---- other formats ----------------------------------------------------------------------------------------------


def test_parquet(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": [1, None], "b": ["007", ""], "c": [dt.date(2020, 1, 1), None]})
    path = tmp_path / "t[1]*.parquet"
    frame.write_parquet(path)
    table = read_table(path)
    assert table.data.equals(frame)
    assert table.summary() == "Parquet; 2 rows, 3 columns"


def workbook(path: Path, sheets: dict[str, list[list[Any]]]) -> Path:
    book = xlsxwriter.Workbook(str(path))
    day = book.add_format({"num_format": "yyyy-mm-dd"})
    for name, rows in sheets.items():
        sheet = book.add_worksheet(name)
        for r, row in enumerate(rows):
            for c, value in enumerate(row):
                if isinstance(value, str):
                    sheet.write_string(r, c, value)
                elif isinstance(value, dt.date):
                    sheet.write_datetime(r, c, value, day)
                elif value is not None:
                    sheet.write(r, c, value)
    book.close()
    return path


def test_excel(tmp_path: Path) -> None:
    rows = [
        ["id", "code", "mix", "f", "day"],
        [1, "007", 5, 1.5, dt.date(2020, 1, 1)],
        [],
        [2, "x", "5a", 2, None],
    ]
    path = workbook(tmp_path / "t.xlsx", {"patients": rows, "notes": [["x"], [1]]})
    table = read_table(path)
    assert cells(table) == {
        "id": [1, 2],
        "code": ["007", "x"],
        "mix": ["5", "5a"],
        "f": [1.5, 2.0],
        "day": [dt.date(2020, 1, 1), None],
    }
    assert table.summary() == 'Excel, sheet "patients"; 2 rows, 5 columns'
    assert any("'patients'; not read: 'notes'" in note for note in map(str, table.notes))
    assert any("numbers and text" in note for note in map(str, table.notes))
    assert any("1 empty rows left out" in note for note in map(str, table.notes))
    assert cells(read_table(path, sheet="notes")) == cells(read_table(path, sheet=2)) == {"x": [1]}
    with pytest.raises(errors.DataError, match=r"no sheet 'note'\. It has: 'patients', 'notes'"):
        read_table(path, sheet="note")


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([["a", "a"], [1, 2]], "several columns are called 'a'"),
        ([["a", None, "b"], [1, 2, 3]], "names no column at place 2 of 3"),
        ([], "the sheet is empty"),
        ([["a", "b"]], "no records"),
    ],
)
def test_bad_excel(tmp_path: Path, rows: list[list[Any]], expected: str) -> None:
    with pytest.raises(errors.DataError, match=expected) as caught:
        read_table(workbook(tmp_path / "t.xlsx", {"s": rows}))
    message(caught)


def test_spss_values_labels_and_missing(tmp_path: Path) -> None:
    path = tmp_path / "t.sav"
    frame = pl.DataFrame({"sex": [1.0, 2.0, 3.0, 99.0], "job": ["c", "c", "", "x"], "w": [1.5, 2.0, 3.0, 4.0]})
    pyreadstat.write_sav(
        frame,
        str(path),
        variable_value_labels={"sex": {1: "male", 2: "female"}, "job": {"c": "clerk"}},
        missing_ranges={"sex": [99]},
    )
    table = read_table(path)
    assert cells(table) == {"sex": [1, 2, 3, None], "job": ["c", "c", None, "x"], "w": [1.5, 2.0, 3.0, 4.0]}
    assert any("value labels exist for 'sex', 'job'" in note for note in map(str, table.notes))
    assert any("declares missing are null, in 'sex'" in note for note in map(str, table.notes))
    labelled = read_table(path, labels=True)
    assert cells(labelled)["sex"] == ["male", "female", "3", None]
    assert cells(labelled)["job"] == ["clerk", "clerk", None, "x"]
    assert any("'sex': 1 cells have a value without a label" in note for note in map(str, labelled.notes))
    assert labelled.summary() == "SPSS, encoding UTF-8; 4 rows, 3 columns"


def test_stata_and_sas(tmp_path: Path) -> None:
    frame = pl.DataFrame({"n": [1, 2], "s": ["a", ""], "d": [dt.date(2020, 1, 1), None]})
    pyreadstat.write_dta(frame, str(tmp_path / "t.dta"), variable_value_labels={"n": {1: "one"}})
    pyreadstat.write_xport(frame, str(tmp_path / "t.xpt"))
    expected = {"n": [1, 2], "s": ["a", None], "d": [dt.date(2020, 1, 1), None]}
    assert cells(read_table(tmp_path / "t.dta")) == cells(read_table(tmp_path / "t.xpt")) == expected
    assert cells(read_table(tmp_path / "t.dta", labels=True))["n"] == ["one", "2"]
