"""Loss of extremes: tails of numeric columns, rare categories, and columns with one value left."""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

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
            before, after = _Numbers.of(column), _Numbers.of(masked)
            if before.n and after.n:
                rows += [_tail(column.name, end, before, after) for end in ("lowest", "highest")]
    return pl.DataFrame(rows, schema=TAILS, orient="row")


class _Numbers(NamedTuple):
    """The known numbers of a column from small to large, each with its records."""

    values: NDArray[np.float64]
    counts: NDArray[np.int64]

    @staticmethod
    def of(column: Column) -> _Numbers:
        own = column.centre_of_code.astype(np.float64)
        known = ~np.isnan(own) & (column.counts > 0)
        order = np.argsort(own[known], kind="stable")
        return _Numbers(own[known][order], column.counts[known][order])

    @property
    def n(self) -> int:
        return int(self.counts.sum())

    def tail(self, lowest: bool) -> NDArray[np.float64]:
        """The numbers of the records at one end, from small to large."""
        size = ceil(TAIL * self.n - 1e-9)
        begin, end = (0, size) if lowest else (self.n - size, self.n)
        ends = np.cumsum(self.counts)
        inside = np.clip(np.minimum(ends, end) - np.maximum(ends - self.counts, begin), 0, None)
        return np.repeat(self.values, inside)

    def quantile(self, share: float) -> float:
        """As NumPy computes it of one number for each record."""
        at = share * (self.n - 1)
        ends = np.cumsum(self.counts)
        low, high = (self.values[np.searchsorted(ends, place, side="right")] for place in (int(at), ceil(at)))
        part = at - int(at)
        # The end that is nearer comes first, as there.
        return float(low + (high - low) * part if part < 0.5 else high - (high - low) * (1 - part))


def _tail(name: str, end: str, before: _Numbers, after: _Numbers) -> tuple[object, ...]:
    lowest = end == "lowest"
    parts = [numbers.tail(lowest) for numbers in (before, after)]
    limit = float(after.values[0] if lowest else after.values[-1])
    beyond = int(before.counts[before.values < limit if lowest else before.values > limit].sum())
    share = TAIL if lowest else 1 - TAIL
    quantiles = [numbers.quantile(share) for numbers in (before, after)]
    means = [float(part.mean()) for part in parts]
    tail = parts[0]
    return (name, end, len(tail), float(tail[0]), float(tail[-1]), limit, beyond, *quantiles, *means)


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
