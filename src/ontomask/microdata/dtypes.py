"""Data types of columns: a masked column in the type it had, and two columns of one attribute in one type.

A value never changes on the way; where it would, the column stays as it is, or an error names it. Types that hold several
values in one cell are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from ontomask.arguments import short
from ontomask.errors import DataError
from ontomask.microdata.dates import dates_like, read_dates


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


def aligned(before: pl.Series, after: pl.Series, *, dates: bool = False) -> tuple[pl.Series, pl.Series]:
    """Both columns in one type; text is read as dates or truth values where the other column holds these.

    ``dates``: two columns of text are dates if all their values are. What cannot be brought together without changing
    a value is an error that names the column.
    """
    one, other = before.dtype, after.dtype
    pair: tuple[pl.Series | None, pl.Series | None]
    if isinstance(one, pl.Null) or isinstance(other, pl.Null):  # nothing but missing values, which can be of any type
        dtype = other if isinstance(one, pl.Null) else one
        pair = before.cast(dtype), after.cast(dtype)
    elif is_text(one) and is_text(other):
        pair = before.cast(pl.String), after.cast(pl.String)
        times = [read_dates(series) if dates else None for series in pair]
        if times[0] is not None and times[1] is not None and times[0].dtype == times[1].dtype:
            pair = times[0], times[1]
    elif one == other:
        pair = before, after
    elif is_text(other):
        pair = before, dates_like(after.cast(pl.String), one)
    elif is_text(one):
        pair = dates_like(before.cast(pl.String), other), after
    else:
        pair = _same_type(before, after)
    if pair[0] is None or pair[1] is None:
        raise DataError(
            f"holds {_named(one)} in the original and {_named(other)} in the masked data",
            where=f"column {before.name!r}",
            remedy="Give both in one type. Codes that look like numbers: read the file with "
            f"read_table(path, text=[{before.name!r}]), or give its path.",
        )
    return pair[0], pair[1]


def _same_type(before: pl.Series, after: pl.Series) -> tuple[pl.Series | None, pl.Series | None]:
    """In the type of one of them or, for numbers, in another that holds both."""
    numbers = before.dtype.is_numeric() and after.dtype.is_numeric()
    for dtype in (before.dtype, after.dtype, *([pl.Float64()] if numbers else [])):
        pair = _unchanged(before, dtype), _unchanged(after, dtype)
        if pair[0] is not None and pair[1] is not None:
            return pair
    return None, None


def _unchanged(values: pl.Series, dtype: pl.DataType) -> pl.Series | None:
    """The values in another type if each of them survives."""
    if _kind(values.dtype) != _kind(dtype):
        return None
    try:
        cast = values.cast(dtype)
        return cast if cast.cast(values.dtype).eq_missing(values).all() else None
    except pl.exceptions.PolarsError:
        return None


def _kind(dtype: pl.DataType) -> str:
    """What a type holds that can stand in other types of that kind as well."""
    if dtype.is_numeric() or isinstance(dtype, pl.Boolean):  # statistical packages write truth values as 0 and 1
        return "number"
    if isinstance(dtype, pl.Date) or (isinstance(dtype, pl.Datetime) and dtype.time_zone is None):
        return "date"
    return "date and zone" if isinstance(dtype, pl.Datetime) else str(dtype.base_type())


def _named(dtype: pl.DataType) -> str:
    return "text" if is_text(dtype) else str(dtype)


def values_unread(name: str, n: int) -> pl.Series:
    """A column in the place of one whose values are not looked at."""
    return pl.Series(name, [None], dtype=pl.Null).new_from_index(0, n)


def nested(name: str, what: str) -> DataError:
    return DataError(
        f"the column holds {short(what)}, several values in one cell",
        where=f"column {name!r}",
        remedy="Give each cell one value: explode or unnest the column, or drop it.",
    )
