"""Cells that a spreadsheet would run as formulas: warned of, escaped on request, and never one value for two."""

from __future__ import annotations

import warnings
import zipfile
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import ontomask as om
from ontomask import errors
from ontomask.cli import app
from ontomask.microdata.formulas import escaped, formula_cells

BAD = ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1", '=HYPERLINK("x")', "＝1+1"]
FINE = ["-5", "+5", "-1.5e+10", "-3,5", "-10 to -5", "-5..-1", "-", "--", "a=b", "5", "", " =1", "'=1", None]
ROWS = {"job": ["=A1", "=A1", "-x", "-x"], "age": [30, 31, 40, 41], "pay": [-1, -2, -3, -4]}


def policy() -> om.Policy:
    return om.Policy(
        attributes={"job": om.Flat(), "age": om.Numeric(), "pay": om.Numeric(role="sensitive")},
        method=om.Microaggregation(k=2),
    )


def test_what_is_a_formula_and_what_is_not() -> None:
    for cell in BAD:
        assert formula_cells([pl.DataFrame({"x": [cell]})]) == {"x": 1}, cell
    assert formula_cells([pl.DataFrame({"x": FINE})]) == {}
    assert formula_cells([pl.DataFrame({"x": [-1.5], "y": [-1]})]) == {}
    assert formula_cells([pl.DataFrame({"=x": [1]})]) == {"=x": 1}
    assert formula_cells([pl.DataFrame({"=x": ["=a"]}), pl.DataFrame({"=x": ["b", "=c"]})]) == {"=x": 3}
    assert formula_cells([pl.DataFrame({"x": pl.Series(["=a"], dtype=pl.Categorical)})]) == {"x": 1}


@given(st.lists(st.text(alphabet="'=+-@\ta15. ", max_size=5) | st.none(), min_size=1, max_size=8))
def test_escaping_keeps_different_values_different(cells: list[str | None]) -> None:
    data = pl.DataFrame({"x": pl.Series(cells, dtype=pl.String)})
    written = escaped(data, "here")
    assert formula_cells([written]) == {}
    assert written["x"].n_unique() == data["x"].n_unique()
    for before, after in zip(cells, written["x"], strict=True):
        assert after == before or after == f"'{before}"


def test_writing_warns_with_columns_and_counts_and_no_values(tmp_path: Path) -> None:
    with pytest.warns(errors.OntomaskWarning, match="2 cells of 'x' as formulas") as caught:
        path = om.write_table(pl.DataFrame({"x": ["=SECRET()", "-a", "b"], "y": ["-1", "2", "3"]}), tmp_path / "t.csv")
    assert "SECRET" not in str(caught[0].message)
    assert "escape_formulas=True" in str(caught[0].message)
    assert "=SECRET()" in path.read_text()


def test_escaping_on_request_and_nowhere_else(tmp_path: Path) -> None:
    frame = pl.DataFrame({"x": ["=1+1", "b"], "n": [-1, -2]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        path = om.write_table(frame, tmp_path / "t.csv", escape_formulas=True)
        om.write_table(frame, tmp_path / "t.parquet")
    assert path.read_text() == "x,n\n'=1+1,-1\nb,-2\n"
    with pytest.raises(errors.OptionError, match="for CSV"):
        om.write_table(frame, tmp_path / "u.parquet", escape_formulas=True)
    with pytest.raises(errors.DataError, match="the column name '=x'"):
        om.write_table(frame.rename({"x": "=x"}), tmp_path / "u.csv", escape_formulas=True)


def test_excel_files_hold_text_not_formulas(tmp_path: Path) -> None:
    path = om.write_table(pl.DataFrame({"=x": BAD[:4]}), tmp_path / "t.xlsx")
    sheet = zipfile.ZipFile(path).read("xl/worksheets/sheet1.xml")
    assert b"<f>" not in sheet
    assert om.read_table(path).data["=x"].to_list() == BAD[:4]


def test_a_run_notes_them_and_the_escaped_release_verifies(tmp_path: Path) -> None:
    result = om.anonymize(pl.DataFrame(ROWS), policy())
    assert any("4 cells of 'job' as formulas" in note for note in map(str, result.notes))
    with pytest.warns(errors.OntomaskWarning, match="formulas"):
        plain = result.write(tmp_path / "plain.csv")
    safe = result.write(tmp_path / "safe.csv", escape_formulas=True)
    assert "'=A1" in safe.read_text()
    found = [om.verify(path, policy()) for path in (plain, safe)]
    assert found[0].holds
    assert [str(f) for f in found[0].findings] == [str(f) for f in found[1].findings]
    result.save(tmp_path / "out", escape_formulas=True)
    assert "'=A1" in (tmp_path / "out" / "release" / "release.csv").read_text()
    assert "'=A1" in (tmp_path / "out" / "confidential" / "mapping.csv").read_text()


def test_on_the_command_line(tmp_path: Path) -> None:
    policy().save(tmp_path / "p.yaml")
    pl.DataFrame(ROWS).write_csv(tmp_path / "t.csv")
    words = ["run", str(tmp_path / "p.yaml"), str(tmp_path / "t.csv"), "--no-report", "-o", str(tmp_path / "out")]
    done = CliRunner().invoke(app, [*words, "--escape-formulas"])
    assert done.exit_code == 0, done.output
    assert "'=A1" in (tmp_path / "out" / "release" / "release.csv").read_text()
