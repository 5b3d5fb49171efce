"""Columns whose values are not taken: those nobody looks at, and those with several values in one cell."""

from __future__ import annotations

import polars as pl

from ontomask.arguments import short
from ontomask.errors import DataError


def values_unread(name: str, n: int) -> pl.Series:
    """A column in the place of one whose values are not looked at."""
    return pl.Series(name, [None], dtype=pl.Null).new_from_index(0, n)


def nested(name: str, what: str) -> DataError:
    return DataError(
        f"the column holds {short(what)}, several values in one cell",
        where=f"column {name!r}",
        remedy="Give each cell one value: explode or unnest the column, or drop it.",
    )
