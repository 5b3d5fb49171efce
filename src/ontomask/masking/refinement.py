"""Refinement of a partition: groups of at least k whose records are nearer to their centres (see kernels.refining)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.arrays import Longs, take_lists
from ontomask.kernels.centres import Rules
from ontomask.kernels.counting import Counting, new_counting
from ontomask.kernels.partition import WAITING, new_parts, new_room, new_tuples
from ontomask.kernels.regrouping import DESCEND, DISSOLVE, EXCHANGE, SETTLE, SPLIT, refine_step
from ontomask.microdata.encoding import Rows
from ontomask.operators.aggregation import Operators
from ontomask.operators.neighbours import Neighbours
from ontomask.progress import Progress

#: Rounds of descending, dissolving and splitting, at most; few are needed.
ROUNDS = 20
#: Items that are looked at between two reports of progress, times those of a group.
STRIDE = 1 << 19
#: How often a descent looks at each item, at most; ten times is usual.
MOST = 1000
#: Changes for the worse that are tried between two reports of progress, times the items of a group.
ROUND = 1 << 13


class Refined(NamedTuple):
    """The group of each item, how many there are, and which part of the total distance from the centres is left."""

    group_of: NDArray[np.int32]
    groups: int
    left: float


def refined_groups(
    operators: Operators,
    rows: Rows | None,
    group_of: NDArray[Any],
    groups: int,
    k: int,
    tries: int,
    progress: Progress,
) -> Refined:
    """Refined groups of rows, every record by itself; or of tuples (no ``rows``), whose records stay together.

    ``tries``: changes for the worse that are tried, and kept where they pay in the end.
    """
    tuples = operators.tuples
    units: tuple[Longs, Longs] | None = None
    if rows is None:
        tuple_of, weight = np.arange(tuples.p), tuples.counts.astype(np.int64)
        units = None if tuples.units is None else (tuples.units.at, tuples.units.unit)
    else:
        tuple_of, weight = rows.tuple_of.astype(np.int64), np.ones(len(rows), dtype=np.int64)
        units = None if rows.unit_of is None else (np.arange(len(rows) + 1), rows.unit_of.astype(np.int64))
    progress(0.0, "refining groups")
    # Items stand in an order that puts near ones side by side, so that what is looked at together lies together.
    near = operators.neighbours
    items = np.argsort(near.rank[tuple_of], kind="stable")
    found, left = _refined(
        near,
        operators.rules,
        near.rank[tuple_of][items],
        weight[items],
        new_counting() if units is None else _marks(*take_lists(*units, items)),
        group_of[items],
        groups,
        k,
        tries,
        progress,
    )
    numbers, group = np.unique(found, return_inverse=True)
    result = np.empty(len(items), dtype=np.int32)
    result[items] = group
    return Refined(result, len(numbers), left)


def _refined(
    near: Neighbours,
    rules: Rules,
    tuple_of: Longs,
    weight: Longs,
    counting: Counting,
    group_of: NDArray[Any],
    groups: int,
    k: int,
    tries: int,
    progress: Progress,
) -> tuple[Longs, float]:
    """The group of each item, near items standing side by side, and which part of the total distance is left."""
    n, number, space = len(tuple_of), groups + max(8, groups // 8), near.space
    tuples = new_tuples(space, rules, tuple_of, near.nearest)
    parts = new_parts(space, tuple_of, weight, group_of, number)
    room = new_room(space, rules, n, number)
    none = np.zeros(0, dtype=np.int64)

    def step(what: int, begin: int = 0, end: int = 0, *, free: Longs = none, apart: float = 1.0) -> float:
        changed: float = refine_step(what, space, rules, tuples, parts, room, counting, k, free, begin, end, apart)
        return changed

    stride, turn = 1 + STRIDE * groups // n, 1 + ROUND * groups // n

    def descend(done: float) -> None:
        for _ in range(1 + MOST * n // stride):
            if room.state[WAITING] == 0:
                return
            step(DESCEND, 0, stride)
            progress(done, "refining groups")

    def rearrange() -> float:
        gone = step(DISSOLVE)
        return gone + step(SPLIT, free=np.flatnonzero(parts.head < 0))

    step(SETTLE)
    before = float(parts.cost.sum())
    for _ in range(ROUNDS):
        descend(0.1)
        if not rearrange():
            break
    for begin in range(0, tries, turn):
        step(EXCHANGE, begin, min(tries, begin + turn), apart=max(1.0, n / tries))
        progress(0.2 + 0.8 * begin / tries, "refining groups")
    descend(1.0)
    if tries and rearrange():
        descend(1.0)
    # Beside a far outlier a gain may be less than the last digit of the total.
    return parts.group, min(1.0, float(parts.cost.sum()) / before) if before > 0 else 1.0


def _marks(at: Longs, unit: Longs) -> Counting:
    """Units are counted by marks: -1 is none, and ``left[0]`` the last that was used."""
    counting = new_counting(at, unit)
    counting.left[:] = 0
    return counting
