"""Values of databases as a Parquet file would have them; what cannot be carried unchanged is an error that names the column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import polars as pl

from ontomask.arguments import did_you_mean, short
from ontomask.errors import DataError
from ontomask.microdata.sql_sources import SqlSource

#: Days from 1970 to the ends of the calendar that dates are read in: the years 1 and 9999.
_FIRST, _LAST = -719_162, 2_932_896
#: What DuckDB writes for infinity, with either sign.
_ENDLESS = (1 << 63) - 1
#: Of these units of Polars so many are a day.
_UNITS = {"ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}


def cannot_carry(source: SqlSource, name: str, what: str, remedy: str = "") -> DataError:
    """The error of a column that would not come unchanged."""
    return DataError(
        f"column {name!r} holds {what}, which cannot be read unchanged",
        where=source.place,
        remedy=remedy
        or "Turn them into text or numbers in a query (query=SELECT CAST(...) AS ...), or leave the column out.",
    )


def no_table(source: SqlSource, known: list[str]) -> DataError:
    """The error of a table that is not there; ``known`` are those that are."""
    near = did_you_mean(".".join(source.table), known)
    there = f"There are: {short(', '.join(sorted(known)), 200)}." if known else "There are none that you may read."
    return DataError(f"no table {short('.'.join(source.table), 60)!r}", where=source.place, remedy=f"{near}{there}")


def require_names(names: Sequence[str], source: SqlSource) -> None:
    """An error if there are no columns, or several of one name, or one without."""
    if not names:
        raise DataError("this gives no columns", where=source.place, remedy="Give a query that reads a table.")
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice or "" in names:
        what = f"several columns are called {twice[0]!r}" if twice else "a column has no name"
        raise DataError(what, where=source.place, remedy="Name each column of the query: SELECT ... AS name.")


def as_whole(values: pl.Series, source: SqlSource) -> pl.Series:
    """Whole numbers of any size as 64-bit numbers, if all of them are that small."""
    whole = values.cast(pl.Int64, strict=False)
    if whole.null_count() != values.null_count():
        raise cannot_carry(source, values.name, "whole numbers of more than 64 bits")
    return whole


def within_calendar(data: pl.DataFrame, source: SqlSource) -> None:
    """An error for days before the year 1 or after 9999, infinite ones among them."""
    for column in data.iter_columns():
        dtype = column.dtype
        if not isinstance(dtype, (pl.Date, pl.Datetime)):
            continue
        day = _UNITS[dtype.time_unit] if isinstance(dtype, pl.Datetime) else 1
        low, high = _FIRST * day, (_LAST + 1) * day
        places = column.to_physical().cast(pl.Int64)
        if not ((places > max(low - 1, -_ENDLESS)) & (places < min(high, _ENDLESS))).all():
            raise cannot_carry(source, column.name, "dates without end, or outside the years 1 to 9999")
