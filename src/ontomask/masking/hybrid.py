"""Hybrid data: each value is replaced by one about as near to it as its group is wide (M13, D12)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.arrays import TIE, Array, Longs
from ontomask.kernels.perturbation import draw_near
from ontomask.microdata.column_distance import ColumnDistance
from ontomask.progress import Progress


def draw_hybrid(
    metrics: Sequence[ColumnDistance],
    codes: Sequence[Array],
    group_of: NDArray[Any],
    groups: int,
    rng: np.random.Generator,
    progress: Progress,
) -> list[Longs]:
    """New codes for every record, column by column; ``codes`` are those that it has.

    A value x becomes a uniform draw from the distinct values of the column within delta_max, the largest distance from
    x to a value of its group; in a flat column, a draw from the group's own values, each as often as it occurs.
    """
    drawn = []
    for i, metric in enumerate(metrics):
        progress(i / len(metrics), f"drawing values of {metric.column.name}")
        uniform = rng.random(metric.n)
        group = _Grouped(codes[i].astype(np.int64), group_of.astype(np.int64), groups)
        if not metric.column.graded:
            drawn.append(group.any_of_group(uniform))
        elif metric.on_line:
            drawn.append(group.near_on_line(metric, uniform))
        else:
            drawn.append(group.near(metric, uniform))
    return drawn


class _Grouped:
    """The records of each group, one after the other."""

    def __init__(self, codes: Longs, group_of: Longs, groups: int) -> None:
        self.codes, self.group_of, self.groups = codes, group_of, groups
        self.records = np.argsort(group_of, kind="stable")
        self.at = np.concatenate(([0], np.cumsum(np.bincount(group_of, minlength=groups))))

    def any_of_group(self, uniform: NDArray[np.float64]) -> Longs:
        begin, size = self.at[self.group_of], np.diff(self.at)[self.group_of]
        pick = np.minimum((uniform * size).astype(np.int64), size - 1)
        drawn: Longs = self.codes[self.records[begin + pick]]
        return drawn

    def near(self, metric: ColumnDistance, uniform: NDArray[np.float64]) -> Longs:
        values = len(metric.column)
        pairs = np.unique(self.group_of * values + self.codes)
        at = np.searchsorted(pairs // values, np.arange(self.groups + 1))
        out = np.empty_like(self.codes)
        table = np.ascontiguousarray(metric.between_codes)
        draw_near(table, self.codes, self.records, self.at, pairs % values, at, uniform, out)
        return out

    def near_on_line(self, metric: ColumnDistance, uniform: NDArray[np.float64]) -> Longs:
        """Candidates are a run of the sorted values, and the missing one where it is near enough."""
        own = metric.column.centre_of_code.astype(np.float64)
        gone = metric.column.is_missing(metric.column.centre_of_code)
        mine, lost = own[self.codes], gone[self.codes]
        low, high = np.full(self.groups, np.inf), np.full(self.groups, -np.inf)
        np.minimum.at(low, self.group_of[~lost], mine[~lost])
        np.maximum.at(high, self.group_of[~lost], mine[~lost])
        some_lost = np.bincount(self.group_of[lost], minlength=self.groups) > 0
        reach = np.maximum(mine - low[self.group_of], high[self.group_of] - mine)
        gap = (
            metric.largest if metric.largest > 0 else 1.0
        )  # a missing value is away from the others even if all are equal
        reach = np.where(some_lost[self.group_of], np.maximum(reach, gap), reach)
        present = np.isfinite(low)[self.group_of]
        reach = np.where(lost, np.where(present, gap, 0.0), reach)
        reach = reach + TIE * reach

        codes = np.argsort(metric.keys, kind="stable")  # the missing one last
        values = own[codes][: len(own) - int(gone.sum())]
        begin = np.searchsorted(values, mine - reach)
        end = np.searchsorted(values, mine + reach, side="right")
        with_missing = (reach >= gap) & bool(gone.any())
        # From a missing value all values are equally far: none of them, or all.
        begin = np.where(lost, 0, begin)
        end = np.where(lost, np.where(present, len(values), 0), end)
        with_missing = np.where(lost, True, with_missing)
        size = end - begin + with_missing
        pick = np.minimum((uniform * size).astype(np.int64), size - 1)
        place = np.where(pick < end - begin, begin + pick, len(values))
        return codes[place]
