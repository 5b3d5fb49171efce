"""Repair: groups that fail a model are merged with their nearest group until it holds."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.kernels.groups import nearest_group
from ontomask.kernels.space import new_point
from ontomask.masking.goals import Goals
from ontomask.operators.aggregation import Operators
from ontomask.operators.aggregation import members as grouped
from ontomask.progress import Progress


def merge_until(
    goals: Goals, operators: Operators, group_of: NDArray[Any], groups: int, progress: Progress
) -> tuple[NDArray[np.int32], int, int]:
    """The groups after joining, how many there are, and how many were joined to another; ``group_of``: of each row of the
    goals.

    The group that comes first among those that fail goes to the one with the nearest centre; the centre of both
    together counts from then on. It ends when every group satisfies every model, or when one group is left.
    """
    failing = goals.fails(group_of, groups)
    if not failing.any() or groups == 1:
        return group_of.astype(np.int32), groups, 0
    space, rows = operators.space, goals.rows
    order = np.argsort(group_of, kind="stable")
    ends = np.cumsum(np.bincount(group_of, minlength=groups))
    members: list[Any] = np.split(order, ends[:-1])
    points = operators.points(*grouped(rows, group_of, groups))
    alive = np.ones(groups, dtype=np.bool_)
    waiting = list(np.flatnonzero(failing)[::-1])
    merged, begun = 0, len(waiting)
    point = new_point(space)
    while waiting and merged < groups - 1:
        group = int(waiting.pop())
        if not alive[group] or not failing[group]:
            continue
        progress(max(0.0, 1 - len(waiting) / begun), "joining groups until the models hold")
        _, tuples, counts = grouped(rows.part(members[group]))
        other = int(nearest_group(space, point, *points, alive, group, tuples, counts))
        members[other] = np.concatenate((members[other], members[group]))
        alive[group] = False
        merged += 1
        centre = operators.points(*grouped(rows.part(members[other])))
        points.at[other], points.gone[other], points.rows[other] = centre.at[0], centre.gone[0], centre.rows[0]
        failing[other] = goals.fail(members[other])
        if failing[other]:
            waiting.append(other)
    renumbered = np.cumsum(alive) - 1
    result = np.empty(len(group_of), dtype=np.int32)
    for left in np.flatnonzero(alive):
        result[members[left]] = renumbered[left]
    return result, int(alive.sum()), merged


def merge_tuples_until(
    goals: Goals, operators: Operators, group_of: NDArray[np.int32], groups: int, progress: Progress
) -> tuple[NDArray[np.int32], int, int]:
    """The same of groups of tuples, whose records stay together; ``group_of``: of each tuple."""
    goals = goals.counted()
    tuple_of = goals.rows.tuple_of
    of_row, groups, merged = merge_until(goals, operators, group_of[tuple_of], groups, progress)
    result = np.empty_like(group_of)
    result[tuple_of] = of_row
    return result, groups, merged
