"""Displacement of values: diagnostics of swapping, shuffling, noise addition and PRAM."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from ontomask.arrays import TIE, Array, Floats, Longs
from ontomask.microdata.codes import count_pairs
from ontomask.microdata.column_distance import ColumnDistance
from ontomask.privacy.diagnostics import Changes, Swaps


def measure_moves(metrics: Sequence[ColumnDistance], codes: Sequence[Array], sources: Sequence[Longs]) -> Changes:
    """A row for each column: how many values changed, and how far they went; ``codes`` are those of its records.

    ``distance``: between the old and the new value, in 0..1. ``rank``: how many records have a value that is nearer to
    the old value than the new one is (R17 def. 3), which is 0 for a value that stayed or went to its nearest.
    """
    return Changes(pl.DataFrame([_moved(*parts) for parts in zip(metrics, codes, sources, strict=True)]))


def measure_changes(
    metric: ColumnDistance, before: Array, codes: Longs | None, numbers: Floats | None = None
) -> dict[str, object]:
    """How many values of a column changed and how far they are from the original ones, in 0..1, where each record shows
    the code beside its code ``before``, or the number; numbers beyond the range of the column are farther."""
    if codes is not None:
        old, new, records = count_pairs(before, codes, len(metric.column))
        off = metric.on_scale(metric.distance_of_codes(old, new))
        changed = int(records[old != new].sum())
    else:
        assert numbers is not None
        own = metric.column.centre_of_code[before]
        records = np.ones(len(own), dtype=np.int64)
        off = metric.scaled(own, numbers)
        changed = int((~np.isnan(own) & (own != numbers)).sum())
    return _row(metric, changed, off, records)


def _row(metric: ColumnDistance, changed: int, off: Floats, records: Longs) -> dict[str, object]:
    """A row on a column: so many values ``changed``; so many ``records`` are as far ``off`` as stands beside them."""
    return {
        "attribute": metric.column.name,
        "changed": changed / metric.n,
        "distance_mean": float((off * records).sum() / metric.n),
        "distance_max": float(off.max(initial=0.0)),
    }


def measure_swaps(
    metrics: Sequence[ColumnDistance],
    codes: Sequence[Array],
    sources: Sequence[Longs],
    free: Sequence[Longs],
    k: int,
    *,
    apart: bool,
) -> Swaps:
    """The same, and what became of the promise of k candidates (R17 3.5).

    ``chance``: the mean over values of 1 / candidates, 1 where there was none: what an intruder who knows the method
    can do at most to find the original of a value; ``realised_k`` is 1 / chance, to be held against ``k``.
    """
    rows = []
    moves = measure_moves(metrics, codes, sources).table.iter_rows(named=True)
    for row, source, candidates in zip(moves, sources, free, strict=True):
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
    return Swaps(pl.DataFrame(rows), apart)


def _moved(metric: ColumnDistance, codes: Array, source: Longs) -> dict[str, object]:
    old, new, records = count_pairs(codes, codes[source], len(metric.column))
    raw = metric.distance_of_codes(old, new)
    if metric.scale == 0 and metric.on_line:  # one value, and missing ones at 1 from it
        raw = (old != new).astype(np.float64)
    off = raw / metric.scale if metric.scale > 0 else raw
    ranks = metric.records_nearer(old, raw - TIE * raw)
    return _row(metric, int(records[old != new].sum()), off, records) | {
        "rank_mean": float((ranks * records).sum() / metric.n),
        "rank_max": int(ranks.max(initial=0)),
    }
