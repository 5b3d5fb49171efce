"""Errors that name the records whose values cannot be used."""

from __future__ import annotations

import numpy as np
import polars as pl

from ontomask.arguments import counted
from ontomask.arrays import Longs
from ontomask.errors import DataError


def rows_where(mask: pl.Series, rows: Longs | None = None, most: int = 10) -> tuple[str, list[int]]:
    """The records a condition holds for, counted from 1: some of them as text, and all."""
    places = np.flatnonzero(mask.fill_null(value=False).to_numpy())
    found = [int(i) + 1 for i in (places if rows is None else rows[places])]
    shown = ", ".join(f"{row:,}" for row in found[:most]) + (", ..." if len(found) > most else "")
    return f"record{'s' if len(found) != 1 else ''} {shown}", found


def refuse_odd(name: str, odd: pl.Series, what: str, rows: Longs | None) -> None:
    """An error that names the records where a value cannot be used."""
    refuse_misfits(name, odd, (f"is {what}", f"are {what}"), rows)


def refuse_misfits(name: str, odd: pl.Series, misfit: tuple[str, str], rows: Longs | None) -> None:
    """The same; ``misfit``: what is said of one such value, and of several."""
    if odd.any():
        shown, found = rows_where(odd, rows)
        raise DataError(
            f"holds {counted(len(found), 'value')} that {misfit[len(found) > 1]} ({shown})",
            where=f"column {name!r}",
            remedy="Correct them, or make them missing (null) and set missing: category or missing: drop_record.",
            rows=found,
        )
