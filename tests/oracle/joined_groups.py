"""Groups that fail a model, joined one step at a time: every distance is measured anew, every group judged by its rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from ontomask.kernels.groups import nearest_group
from ontomask.kernels.space import new_point
from ontomask.masking.goals import Goals
from ontomask.operators.aggregation import Operators, members


def joined_groups(goals: Goals, operators: Operators, group_of: Any, groups: int) -> tuple[Any, int, int]:
    """The group of each row, how many groups there are, how many were joined to another."""
    failing = goals.fails(group_of, groups)
    rows_of: list[Any] = [np.flatnonzero(group_of == group) for group in range(groups)]
    points = operators.points(*members(goals.rows, group_of, groups))
    alive = np.ones(groups, dtype=np.bool_)
    waiting = list(np.flatnonzero(failing)[::-1])
    while waiting and alive.sum() > 1:
        group = int(waiting.pop())
        if not alive[group] or not failing[group]:
            continue
        _, tuples, counts = members(goals.rows.part(rows_of[group]))
        space = operators.space
        other = int(nearest_group(space, new_point(space), points, alive, group, tuples, counts))
        rows_of[other] = np.concatenate((rows_of[other], rows_of[group]))
        alive[group] = False
        centre = operators.points(*members(goals.rows.part(rows_of[other])))
        points.at[other], points.gone[other], points.rows[other] = centre.at[0], centre.gone[0], centre.rows[0]
        failing[other] = goals.fail(rows_of[other])
        if failing[other]:
            waiting.append(other)
    left = np.flatnonzero(alive)
    result = np.empty(len(group_of), dtype=np.int32)
    for number, group in enumerate(left):
        result[rows_of[group]] = number
    return result, len(left), groups - len(left)
