"""How far values were moved: what swapping, shuffling, noise addition and PRAM report of themselves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ontomask.arrays import TIE, Floats, Longs
from ontomask.operators.yardsticks import LineYardstick, NominalYardstick, Yardstick


def report_moves(sticks: Sequence[Yardstick], sources: Sequence[Longs]) -> pl.DataFrame:
    """A row for each column: how many values changed, and how far they went.

    ``distance``: between the old and the new value, in 0..1. ``rank``: how many records have a value that is nearer to
    the old value than the new one is (R17 def. 3), which is 0 for a value that stayed or went to its nearest.
    """
    return pl.DataFrame([_moved(stick, source) for stick, source in zip(sticks, sources, strict=True)])


def report_changes(stick: Yardstick, codes: Longs | None, numbers: Floats | None = None) -> dict[str, object]:
    """How many values of a column changed and how far they are from the original ones, in 0..1, where each record shows
    the code beside it, or the number; numbers beyond the range of the column are farther."""
    before = stick.column.codes.astype(np.int64)
    if codes is not None:
        key, records = np.unique(before * len(stick.column) + codes, return_counts=True)
        old, new = key // len(stick.column), key % len(stick.column)
        raw = stick.apart_codes(old, new)
        off = raw / stick.whole if stick.whole > 0 else (raw > 0).astype(np.float64)
        changed = int(records[old != new].sum())
    else:
        assert numbers is not None
        own = stick.column.own[before]
        records = np.ones(len(own), dtype=np.int64)
        off = stick.relative(own, numbers)
        changed = int((~np.isnan(own) & (own != numbers)).sum())
    return {
        "attribute": stick.column.name,
        "changed": changed / stick.n,
        "distance_mean": float((off * records).sum() / stick.n),
        "distance_max": float(off.max(initial=0.0)),
    }


def report_swaps(sticks: Sequence[Yardstick], sources: Sequence[Longs], free: Sequence[Longs], k: int) -> pl.DataFrame:
    """The same, and what became of the promise of k candidates (R17 3.5).

    ``chance``: the mean over values of 1 / candidates, 1 where there was none: what an intruder who knows the method
    can do at most to find the original of a value; ``realised_k`` is 1 / chance, to be held against ``k``.
    """
    rows = []
    for row, source, candidates in zip(report_moves(sticks, sources).iter_rows(named=True), sources, free, strict=True):
        chance = float((1 / np.maximum(candidates, 1)).mean())
        alone = float((source == np.arange(len(source))).mean())
        promise = {
            "k": k,
            "candidates_mean": float(candidates.mean()),
            "candidates_min": int(candidates.min()),
            "without_partner": alone,
            "chance": chance,
            "realised_k": 1 / chance,
        }
        rows.append(row | promise)
    return pl.DataFrame(rows)


def _moved(stick: Yardstick, source: Longs) -> dict[str, object]:
    codes = stick.column.codes.astype(np.int64)
    key, records = np.unique(codes * len(stick.column) + codes[source], return_counts=True)
    old, new = key // len(stick.column), key % len(stick.column)
    raw = stick.apart_codes(old, new)
    if stick.whole == 0 and isinstance(stick, LineYardstick):  # one value, and missing ones at 1 from it
        raw = (old != new).astype(np.float64)
    off = raw / stick.whole if stick.whole > 0 else raw
    ranks = _nearer(stick, old, raw)
    return {
        "attribute": stick.column.name,
        "changed": float(records[old != new].sum() / stick.n),
        "distance_mean": float((off * records).sum() / stick.n),
        "distance_max": float(off.max(initial=0.0)),
        "rank_mean": float((ranks * records).sum() / stick.n),
        "rank_max": int(ranks.max(initial=0)),
    }


def _nearer(stick: Yardstick, codes: NDArray[np.int64], raw: Floats) -> Longs:
    """How many records are nearer to each code than the distance beside it; ``codes`` are sorted."""
    bound = raw - TIE * raw
    if isinstance(stick, LineYardstick):
        return _nearer_on_line(stick, codes, bound)
    nearer = np.zeros(len(codes), dtype=np.int64)
    if not isinstance(stick, NominalYardstick):
        return np.where(bound > 0, stick.column.counts[codes], 0)
    begins = np.flatnonzero(np.diff(codes, prepend=-1))
    for begin, end in zip(begins, [*begins[1:], len(codes)], strict=True):
        row = stick.own[codes[begin]]
        order = np.argsort(row)
        below = np.concatenate(([0], np.cumsum(stick.column.counts[order])))
        nearer[begin:end] = below[np.searchsorted(row[order], bound[begin:end])]
    return nearer


def _nearer_on_line(stick: LineYardstick, codes: NDArray[np.int64], bound: Floats) -> Longs:
    order = np.argsort(stick.at)
    at = stick.at[order]
    below = np.concatenate(([0.0], np.cumsum(stick.of[order])))
    own = stick.column.own.astype(np.float64)[codes]
    gone = stick.gone(stick.column.own)[codes]
    inside = below[np.searchsorted(at, own + bound)] - below[np.searchsorted(at, own - bound, side="right")]
    missing = stick.n - below[-1]
    if stick.whole == 0:  # the one value there is goes to a missing one, or the other way round
        inside = np.full(len(codes), below[-1])
    elif missing:
        inside = inside + np.where(bound > stick.largest, missing, 0.0)
    nearer = np.where(gone, missing, inside)
    return np.where(bound > 0, nearer, 0.0).astype(np.int64)
