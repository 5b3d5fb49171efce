"""Local generalization as it was before it knew several parents: groups climb the levels, along one parent of each concept.

Kept to compare with: what groups show now is never more general than what these functions show.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.hierarchies.levels import ColumnLevels, Costs, LossKind
from ontomask.microdata.encoding import Table


def shown_in_common(
    table: Table, all_levels: list[ColumnLevels], loss: LossKind, group_of: NDArray[Any], groups: int
) -> tuple[list[list[Any]], list[NDArray[np.float64]], float]:
    """By column what each group shows and the part of the domain that it covers; and the mean loss of a value."""
    costs = Costs.of(all_levels, loss).by_code
    shown, penalties, losses = [], [], []
    order = np.argsort(group_of, kind="stable")
    starts = np.concatenate(([0], np.cumsum(np.bincount(group_of, minlength=groups))[:-1]))
    for a, column_levels in enumerate(all_levels):
        codes = table.codes[a][table.rows.tuple_of]
        level, place = lowest_level(column_levels, codes[order], starts)
        levels = column_levels.levels
        shown.append([levels[height].shown[int(at)] for height, at in zip(level, place, strict=True)])
        penalties.append(np.array([levels[height].penalty[at] for height, at in zip(level, place, strict=True)]))
        losses.append(float(np.array(costs[a])[level[group_of], codes].mean()))
    return shown, penalties, float(np.mean(losses))


def lowest_level(
    column_levels: ColumnLevels, codes: NDArray[np.int32], starts: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each group the lowest level at which all its values are one, and which one."""
    level_of = np.full(len(starts), -1, dtype=np.int64)
    place = np.zeros(len(starts), dtype=np.int64)
    for index, level in enumerate(column_levels.levels):
        at = level.group[codes]
        low, high = np.minimum.reduceat(at, starts), np.maximum.reduceat(at, starts)
        found = (level_of < 0) & (low == high)
        level_of[found], place[found] = index, low[found]
    return level_of, place
