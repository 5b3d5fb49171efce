"""Loss of extremes: tails of numeric columns, rare categories, and columns with one value left."""

from __future__ import annotations

from math import ceil

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ontomask.assessment.pairing import Pairing
from ontomask.microdata.columns import Column

#: The part of the records that a tail has at each end.
TAIL = 0.05
TAILS = {
    "column": pl.String,
    "end": pl.String,
    "records": pl.Int64,
    **dict.fromkeys(("low", "high", "limit"), pl.Float64),
    "beyond": pl.Int64,
    **dict.fromkeys(("quantile_before", "quantile", "mean_before", "mean"), pl.Float64),
}
VANISHED = {"column": pl.String, "categories": pl.Int64, "vanished": pl.Int64, "records": pl.Int64}


def tails_of(pairing: Pairing) -> pl.DataFrame:
    """The lowest and the highest 5% of each column of amounts, before and after; not of columns that show intervals.

    ``records``, ``low``, ``high``: how many records of the original are in the tail, and its smallest and largest number;
    ``limit``: the smallest (largest) number of the release; ``beyond``: records of the original below (above) it;
    ``quantile`` and ``mean``: the 5% (95%) quantile, and the mean of the tail, before and after.
    """
    rows = []
    parts = zip(pairing.original.columns, pairing.masked.columns, pairing.general, strict=True)
    for column, masked, general in parts:
        if column.quantity and not general[np.flatnonzero(masked.counts)].any():
            before, after = _numbers(column), _numbers(masked)
            if len(before) and len(after):
                rows += [_tail(column.name, end, before, after) for end in ("lowest", "highest")]
    return pl.DataFrame(rows, schema=TAILS, orient="row")


def _numbers(column: Column) -> NDArray[np.float64]:
    """The known numbers of all records, from small to large."""
    numbers: NDArray[np.float64] = np.repeat(column.centre_of_code.astype(np.float64), column.counts)
    return np.sort(numbers[~np.isnan(numbers)])


def _tail(name: str, end: str, before: NDArray[np.float64], after: NDArray[np.float64]) -> tuple[object, ...]:
    lowest = end == "lowest"
    parts = [numbers[: _size(numbers)] if lowest else numbers[-_size(numbers) :] for numbers in (before, after)]
    limit = float(after[0] if lowest else after[-1])
    beyond = int((before < limit).sum() if lowest else (before > limit).sum())
    share = TAIL if lowest else 1 - TAIL
    quantiles = [float(np.quantile(numbers, share)) for numbers in (before, after)]
    means = [float(part.mean()) for part in parts]
    tail = parts[0]
    return (name, end, len(tail), float(tail[0]), float(tail[-1]), limit, beyond, *quantiles, *means)


def _size(numbers: NDArray[np.float64]) -> int:
    return ceil(TAIL * len(numbers) - 1e-9)


def vanished_of(pairing: Pairing) -> pl.DataFrame:
    """Of each column of categories or concepts, how many of the original no released record shows, and in how many
    records of the original they occur. What a release shows only in a more general form has vanished."""
    rows = []
    parts = zip(pairing.original.columns, pairing.masked.columns, pairing.general, strict=True)
    for column, masked, general in parts:
        if column.continuous:
            continue
        before, records = _categories(column)
        codes = np.flatnonzero(masked.counts)
        shown = masked.centre_of_code[codes[~general[codes]]]
        gone = ~np.isin(before, shown)
        rows.append((column.name, len(before), int(gone.sum()), int(records[gone].sum())))
    return pl.DataFrame(rows, schema=VANISHED, orient="row")


def _categories(column: Column) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The categories that occur in a column, missing values apart, and the records of each."""
    there = column.counts > 0
    if column.missing is not None:
        there[column.missing] = False
    own = column.centre_of_code[there].astype(np.int64)
    distinct, place = np.unique(own, return_inverse=True)
    return distinct, np.bincount(place, column.counts[there], len(distinct)).astype(np.int64)


def collapsed_of(pairing: Pairing) -> list[str]:
    """Columns with several values in the original of which the release shows one at most: nothing is left of them."""
    found = []
    for column, masked in zip(pairing.original.columns, pairing.masked.columns, strict=True):
        values, shown = (_occurring(part) for part in (column, masked))
        if values > 1 and shown <= 1 and masked.counts.any():
            found.append(column.name)
    return found


def _occurring(column: Column) -> int:
    """How many different values a column shows, missing ones apart."""
    codes = np.flatnonzero(column.counts)
    return int((codes != column.missing).sum())
