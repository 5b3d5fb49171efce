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
        kept = surviving(dtype.categories.to_list(), before, column)
        return column.cast(pl.String).cast(pl.Enum(kept))
    if column.dtype == dtype or not _akin(column.dtype, dtype):
        return column
    try:
        back = column.cast(dtype)
        survived = back.cast(column.dtype).eq_missing(column).all()
    except pl.exceptions.PolarsError:
        return column
    return back if survived else column


def surviving(categories: Sequence[Any], before: pl.Series, now: pl.Series) -> list[Any]:
    """The categories of a masked column: old ones in their order, then new ones.

    A category that had records and has none any more is left out: it would tell that somebody had it. One that
    never had records stays.
    """
    had, has = set(before.unique().drop_nulls()), now.unique(maintain_order=True).drop_nulls().to_list()
    present, known = set(has), set(categories)
    kept = [c for c in categories if c in present or c not in had]
    return kept + [value for value in has if value not in known]


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
