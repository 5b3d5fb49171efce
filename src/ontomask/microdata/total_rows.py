"""A row of totals or a remark below the records of a table: it is not a record, and a spreadsheet often has one."""

from __future__ import annotations

import polars as pl

from ontomask.statements import Statement, note

#: What stands in such a row, in five languages; letters in small.
_WORDS = frozenset(
    (
        "total|totals|total general|grand total|subtotal|sum|sums|overall|average|mean|summe|gesamt|gesamtsumme|insgesamt|"
        "mittelwert|durchschnitt|suma|suma total|media|promedio|mitjana|somme|totaux|moyenne"
    ).split("|")
)

#: In fewer rows, a last one that differs says nothing.
_FEW_ROWS = 10


def total_row_note(data: pl.DataFrame) -> list[Statement]:
    """What to say of the last row if it seems to be no record: a word for a total, or hardly a value in full columns."""
    if data.height < _FEW_ROWS or data.width < 2:
        return []
    last = data.row(data.height - 1)
    said = any(_says_total(cell) and _once(data[name], cell) for name, cell in zip(data.columns, last, strict=True))
    empty = [
        name for name, cell in zip(data.columns, last, strict=True) if cell is None and data[name].null_count() == 1
    ]
    if not said and len(empty) < max(2, data.width / 2):
        return []
    seems = "the last row looks like totals or a remark, not like a record"
    return [
        note(f"{seems}: if it is not a record, remove it from the file, or it will be masked and released as a record")
    ]


def _says_total(cell: object) -> bool:
    return isinstance(cell, str) and cell.strip().rstrip(":").strip().casefold() in _WORDS


def _once(column: pl.Series, cell: object) -> bool:
    return int((column.cast(pl.String) == str(cell)).sum()) == 1
