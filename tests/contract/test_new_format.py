"""A format of data files is one row of FORMATS: a toy one, defined here alone, is read, written, released and verified.

The rows are also what the docs and the help of the command line say about formats.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import ontomask as om
from ontomask import errors
from ontomask.cli.options import READING
from ontomask.microdata.file_contents import ExtraContents, TableContents
from ontomask.microdata.formats import FORMATS, Format, suffixes, written_formats
from ontomask.statements import note

PROJECT = Path(__file__).parents[2]
DATA = pl.DataFrame({"age": [30, 31, 30, 50, 52, 51], "zip": ["0007", "0008", "0007", None, "0010", "0010"]})


# ---- the toy ----------------------------------------------------------------------------------------------------


def read_pages(file: Path, *, sheet: str | int | None) -> TableContents:
    pages = json.loads(file.read_text(encoding="utf-8"))
    chosen = str(sheet) if sheet is not None else next(iter(pages))
    return TableContents(pl.DataFrame(pages[chosen]), [note("read from JSON")], sheet=chosen)


def write_pages(data: pl.DataFrame, part: Path, *, target: Path) -> None:
    if "_" in data.columns:
        raise errors.DataError("a column called _", where=str(target), remedy="Rename it.")
    part.write_text(json.dumps({"data": data.to_dict(as_series=False)}), encoding="utf-8")


def beside_pages(file: Path, columns: Sequence[str], *, sheet: str | int | None, **_: Any) -> ExtraContents:
    others = list(json.loads(file.read_text(encoding="utf-8")))[1:]
    return ExtraContents(tables=[f"the page {name!r}" for name in others])


PAGES = Format(
    "pages", "JSON pages", (".pages", ".pgs"), read_pages, write_pages, beside_pages, options=("sheet",), kept=True
)


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FORMATS, "pages", PAGES)


def policy(**changes: Any) -> om.Policy:
    return om.Policy(
        attributes={"age": om.Numeric(role="quasi"), "zip": om.Flat(role="quasi", missing="category")},
        method=om.Microaggregation(k=3),
        **changes,
    )


@pytest.mark.usefixtures("pages")
def test_a_new_format_is_read_and_written(tmp_path: Path) -> None:
    path = om.write_table(DATA, tmp_path / "t.pages")
    table = om.read_table(path)
    assert table.data.equals(DATA)
    assert table.summary() == 'JSON pages, sheet "data"; 6 rows, 2 columns'
    assert [str(each) for each in table.notes] == ["read from JSON"]
    assert om.read_table(path, missing=["0007"]).data["zip"].null_count() == 3
    with pytest.raises(errors.OptionError, match="delimiter= has no effect on JSON pages files.*sheet, missing, text"):
        om.read_table(path, delimiter=";")
    with pytest.raises(errors.DataError, match="a column called _"):
        om.write_table(DATA.rename({"zip": "_"}), tmp_path / "u.pgs")
    assert not (tmp_path / "u.pgs").exists()
    with pytest.raises(errors.OptionError, match="escape_formulas"):
        om.write_table(DATA, tmp_path / "u.pgs", escape_formulas=True)
    with pytest.raises(errors.PolicyError, match="this is a table, not a policy"):
        om.Policy.load(path)


@pytest.mark.usefixtures("pages")
def test_a_new_format_is_released_and_verified(tmp_path: Path) -> None:
    source = om.write_table(DATA, tmp_path / "stays.pages")
    folder = om.anonymize(source, policy()).save(tmp_path / "result")
    release = folder / "release" / "release.pages"
    assert om.verify_result(folder).holds
    assert om.verify(release, policy()).holds
    assert om.profile(release).records == 6
    more = json.loads(release.read_text(encoding="utf-8")) | {"names": {"name": ["Ana"]}}
    release.write_text(json.dumps(more), encoding="utf-8")
    found = om.verify(release, policy())
    assert not found.holds
    assert "the page 'names'" in "; ".join(found.failed)


@pytest.mark.usefixtures("pages")
def test_a_format_that_loses_values_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lossy(data: pl.DataFrame, part: Path, *, target: Path) -> None:
        write_pages(data.head(3), part, target=target)

    monkeypatch.setitem(
        FORMATS, "pages", Format("pages", "JSON pages", (".pages",), read_pages, lossy, options=("sheet",))
    )
    with pytest.raises(errors.DataError, match="written as JSON pages, reads back with 3 of 6 records"):
        om.anonymize(DATA, policy()).save(tmp_path / "result", format="pages")
    assert not (tmp_path / "result").exists()


# ---- what the rows say, elsewhere ---------------------------------------------------------------------------------


def test_the_docs_have_a_row_for_each_format() -> None:
    page = (PROJECT / "docs" / "files.md").read_text(encoding="utf-8")
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if line.startswith("| `")
    ]
    said = {
        row[0].strip("`"): (
            tuple(re.findall(r"\.\w+", row[1].replace("`.gz`", ""))),
            "`.gz`" in row[1],
            row[3] == "yes",
            next(iter(re.findall(r"`(\w+)`", row[4])), None),
            set(re.findall(r"`(\w+)`", row[5])),
        )
        for row in rows
    }
    assert said == {
        row.name: (row.suffixes, row.text, row.write is not None, row.extra, set(row.options))
        for row in FORMATS.values()
    }


def test_the_help_names_every_format_that_can_be_written() -> None:
    text = (PROJECT / "src" / "ontomask" / "cli" / "run.py").read_text(encoding="utf-8")
    assert f"Format of the released data: {', '.join(written_formats())}. " in text


def test_rows_agree_with_each_other_and_with_the_package() -> None:
    rows = list(FORMATS.values())
    assert len(suffixes()) == sum(len(row.suffixes) for row in rows), "two formats have a suffix in common"
    extras = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert {row.extra for row in rows} - {None} <= set(extras)
    assert {name for row in rows for name in row.takes} - {"labels"} == set(READING) == set(om.Reading.model_fields)


def test_columns_are_taken_as_text_in_every_format(tmp_path: Path) -> None:
    """``text=`` and ``reading.text`` mean the same; a format with types says that zeros are lost."""
    data = pl.DataFrame({"code": [250, 7], "weight": [1.5, 2.25]})
    for name in ("t.csv", "t.tsv", "t.parquet", "t.xlsx", "t.dta"):
        path = om.write_table(data, tmp_path / name)
        table = om.read_table(path, text=["code"])
        assert table.data["code"].to_list() == ["250", "7"], name
        assert table.data["weight"].to_list() == [1.5, 2.25], name
        assert any("leading zeros are not known" in str(each) for each in table.notes) == (
            not FORMATS[table.format].text
        )
        with pytest.raises(errors.DataError, match="no column 'kode'"):
            om.read_table(path, text=["kode"])
