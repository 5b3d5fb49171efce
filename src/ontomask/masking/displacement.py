"""Displacement of values: diagnostics of swapping, shuffling, noise addition and PRAM."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ontomask.arrays import TIE, Floats, Longs
from ontomask.kinds.concept_distance import NominalDistance
from ontomask.kinds.line import LineDistance
from ontomask.microdata.column_distance import ColumnDistance


def report_moves(metrics: Sequence[ColumnDistance], sources: Sequence[Longs]) -> pl.DataFrame:
    """A row for each column: how many values changed, and how far they went.

    ``distance``: between the old and the new value, in 0..1. ``rank``: how many records have a value that is nearer to
    the old value than the new one is (R17 def. 3), which is 0 for a value that stayed or went to its nearest.
    """
    return pl.DataFrame([_moved(metric, source) for metric, source in zip(metrics, sources, strict=True)])


def report_changes(metric: ColumnDistance, codes: Longs | None, numbers: Floats | None = None) -> dict[str, object]:
    """How many values of a column changed and how far they are from the original ones, in 0..1, where each record shows
    the code beside it, or the number; numbers beyond the range of the column are farther."""
    before = metric.column.codes.astype(np.int64)
    if codes is not None:
        key, records = np.unique(before * len(metric.column) + codes, return_counts=True)
        old, new = key // len(metric.column), key % len(metric.column)
        raw = metric.distance_of_codes(old, new)
        off = raw / metric.scale if metric.scale > 0 else (raw > 0).astype(np.float64)
        changed = int(records[old != new].sum())
    else:
        assert numbers is not None
        own = metric.column.centre_of_code[before]
        records = np.ones(len(own), dtype=np.int64)
        off = metric.scaled(own, numbers)
        changed = int((~np.isnan(own) & (own != numbers)).sum())
    return {
        "attribute": metric.column.name,
        "changed": changed / metric.n,
        "distance_mean": float((off * records).sum() / metric.n),
        "distance_max": float(off.max(initial=0.0)),
    }


def report_swaps(
    metrics: Sequence[ColumnDistance], sources: Sequence[Longs], free: Sequence[Longs], k: int
) -> pl.DataFrame:
    """The same, and what became of the promise of k candidates (R17 3.5).

    ``chance``: the mean over values of 1 / candidates, 1 where there was none: what an intruder who knows the method
    can do at most to find the original of a value; ``realised_k`` is 1 / chance, to be held against ``k``.
    """
    rows = []
    for row, source, candidates in zip(
        report_moves(metrics, sources).iter_rows(named=True), sources, free, strict=True
    ):
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


def _moved(metric: ColumnDistance, source: Longs) -> dict[str, object]:
    codes = metric.column.codes.astype(np.int64)
    key, records = np.unique(codes * len(metric.column) + codes[source], return_counts=True)
    old, new = key // len(metric.column), key % len(metric.column)
    raw = metric.distance_of_codes(old, new)
    if metric.scale == 0 and isinstance(metric, LineDistance):  # one value, and missing ones at 1 from it
        raw = (old != new).astype(np.float64)
    off = raw / metric.scale if metric.scale > 0 else raw
    ranks = _nearer(metric, old, raw)
    return {
        "attribute": metric.column.name,
        "changed": float(records[old != new].sum() / metric.n),
        "distance_mean": float((off * records).sum() / metric.n),
        "distance_max": float(off.max(initial=0.0)),
        "rank_mean": float((ranks * records).sum() / metric.n),
        "rank_max": int(ranks.max(initial=0)),
    }


def _nearer(metric: ColumnDistance, codes: NDArray[np.int64], raw: Floats) -> Longs:
    """How many records are nearer to each code than the distance beside it; ``codes`` are sorted."""
    bound = raw - TIE * raw
    if isinstance(metric, LineDistance):
        return _nearer_on_line(metric, codes, bound)
    nearer = np.zeros(len(codes), dtype=np.int64)
    if not isinstance(metric, NominalDistance):
        return np.where(bound > 0, metric.column.counts[codes], 0)
    begins = np.flatnonzero(np.diff(codes, prepend=-1))
    for begin, end in zip(begins, [*begins[1:], len(codes)], strict=True):
        row = metric.between_codes[codes[begin]]
        order = np.argsort(row)
        below = np.concatenate(([0], np.cumsum(metric.column.counts[order])))
        nearer[begin:end] = below[np.searchsorted(row[order], bound[begin:end])]
    return nearer


def _nearer_on_line(metric: LineDistance, codes: NDArray[np.int64], bound: Floats) -> Longs:
    order = np.argsort(metric.positions)
    at = metric.positions[order]
    below = np.concatenate(([0.0], np.cumsum(metric.position_weights[order])))
    own = metric.column.centre_of_code.astype(np.float64)[codes]
    gone = metric.column.is_missing(metric.column.centre_of_code)[codes]
    inside = below[np.searchsorted(at, own + bound)] - below[np.searchsorted(at, own - bound, side="right")]
    missing = metric.n - below[-1]
    if metric.scale == 0:  # the one value there is goes to a missing one, or the other way round
        inside = np.full(len(codes), below[-1])
    elif missing:
        inside = inside + np.where(bound > metric.largest, missing, 0.0)
    nearer = np.where(gone, missing, inside)
    return np.where(bound > 0, nearer, 0.0).astype(np.int64)
