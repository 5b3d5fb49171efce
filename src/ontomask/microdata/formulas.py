"""Spreadsheet formulas in cells: a CSV has no types, so ``=HYPERLINK(...)`` in it is one.

They are warned of wherever a CSV is written, and on request a single quote is put before them, which spreadsheets take
for "this is text". Different values stay different: classes of records are the same before and after.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import polars as pl

from ontomask.arguments import counted, short, some_of
from ontomask.errors import DataError
from ontomask.microdata.dtypes import is_text
from ontomask.statements import Statement, note

_SIGNS = r"=+\-@\t\r\n＝＋－＠"
#: A formula, as far as its first sign tells; numbers, ranges of numbers and bare dashes are none.
_FORMULA = f"^[{_SIGNS}]"
_NUMBER = r"^[-+]?[0-9][0-9.,]*(?:[eE][-+]?[0-9]+)?%?(?: *(?:to|\.\.) *[-+]?[0-9][0-9.,]*)?$|^[-+]+$"
#: What is escaped, or looks as if it were: one more quote keeps both apart.
_QUOTED = f"^'*[{_SIGNS}]"


#: What is said of cells that a spreadsheet would run.
FORMULAS = "as formulas (they begin with = + - @ or a tab)"


def formula_cells(chunks: Iterable[pl.DataFrame]) -> dict[str, int]:
    """By column, how many cells a spreadsheet would take for a formula; a column name counts as a cell."""
    counts: dict[str, int] = {}
    for data in chunks:
        names = data.columns
        counts = counts or {name: int(odd) for name, odd in zip(names, _formulas(pl.Series(names)), strict=True)}
        for column in data.iter_columns():
            if is_text(column.dtype):
                counts[column.name] += int(_formulas(column.cast(pl.String)).sum())
    return {name: count for name, count in counts.items() if count}


def formula_note(chunks: Iterable[pl.DataFrame]) -> list[Statement]:
    """What to tell of them: columns and counts, no values. ``chunks``: the table, whole or in parts."""
    return formulas_noted(formula_cells(chunks))


def formulas_noted(counts: Mapping[str, int]) -> list[Statement]:
    """The same, of cells that are counted already."""
    if not counts:
        return []
    shown = some_of([f"{counted(count, 'cell')} of {short(repr(name), 40)}" for name, count in counts.items()], 10)
    text = f"a spreadsheet would run {shown} {FORMULAS}"
    return [note(f"{text}; in a CSV, escape_formulas=True (--escape-formulas) makes them text")]


def escaped(data: pl.DataFrame, where: str) -> pl.DataFrame:
    """The data with a single quote before every cell that would be a formula."""
    names = pl.Series(data.columns).filter(_formulas(pl.Series(data.columns))).to_list()
    if names:
        raise DataError(
            f"the column name {short(repr(names[0]), 40)} would be a formula, and names are not escaped",
            where=where,
            remedy="Rename the column.",
        )
    return data.with_columns(
        _with_quote(column.cast(pl.String)) for column in data.iter_columns() if is_text(column.dtype)
    )


def _formulas(cells: pl.Series) -> pl.Series:
    return (cells.str.contains(_FORMULA) & ~cells.str.contains(_NUMBER)).fill_null(False)


def _with_quote(cells: pl.Series) -> pl.Series:
    quoted = (cells.str.contains(_QUOTED) & ~cells.str.contains(_NUMBER)).fill_null(False)
    return pl.select(pl.when(quoted).then("'" + cells).otherwise(cells).alias(cells.name)).to_series()
