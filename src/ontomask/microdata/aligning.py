"""Two columns of the same attribute in one data type, so that their values can be compared; none of them changes."""

from __future__ import annotations

import polars as pl

from ontomask.errors import DataError
from ontomask.microdata.dates import dates_like, read_dates
from ontomask.microdata.restoring import is_text


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
