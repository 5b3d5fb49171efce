"""Giving a masked column the data type it had before, where its values allow that without any change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl


def as_before(column: pl.Series, before: pl.Series) -> pl.Series:
    """The column in the data type of ``before`` if every value survives, else as it is.

    Numbers go back to numbers, dates to dates, text to categories; text is never read as a number.
    """
    dtype = before.dtype
    if isinstance(dtype, pl.Enum) and is_text(column.dtype):
        return column.cast(pl.String).cast(pl.Enum(in_use(dtype.categories.to_list(), column)))
    if column.dtype == dtype or not _akin(column.dtype, dtype):
        return column
    try:
        back = column.cast(dtype)
        survived = back.cast(column.dtype).eq_missing(column).all()
    except pl.exceptions.PolarsError:
        return column
    return back if survived else column


def in_use(categories: Sequence[Any], now: pl.Series) -> list[Any]:
    """The categories of a released column: those that records have, old ones in their order, then new ones.

    One that no record has is left out, whether somebody had it before or not: a list with gaps would tell which values
    were masked or suppressed, and a list of all would tell that somebody had them.
    """
    has = now.unique(maintain_order=True).drop_nulls().to_list()
    present, known = set(has), set(categories)
    return [c for c in categories if c in present] + [value for value in has if value not in known]


def only_what_cells_show(data: pl.DataFrame) -> pl.DataFrame:
    """The table without what no cell shows: the sign of a zero, and categories that no record has."""
    changed = []
    for column in data.iter_columns():
        if column.dtype.is_float() and (column == 0).any():
            changed.append(column.set(column == 0, 0.0))
        elif isinstance(column.dtype, pl.Enum):
            kept = in_use(column.dtype.categories.to_list(), column.cast(pl.String))
            if len(kept) < len(column.dtype.categories):
                changed.append(column.cast(pl.String).cast(pl.Enum(kept)))
    return data.with_columns(changed)


def is_text(dtype: pl.DataType) -> bool:
    return isinstance(dtype, (pl.String, pl.Categorical, pl.Enum))


def _akin(now: pl.DataType, before: pl.DataType) -> bool:
    return (
        (now.is_numeric() and before.is_numeric())
        or (is_text(now) and is_text(before))
        or (isinstance(now, pl.Date | pl.Datetime) and isinstance(before, pl.Date | pl.Datetime))
        or (isinstance(now, pl.Duration) and isinstance(before, pl.Duration))
        or isinstance(now, pl.Null)
    )
