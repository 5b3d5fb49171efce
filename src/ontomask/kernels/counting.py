"""What groups count while they are formed: records, or the units, such as persons, that records belong to."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.kernels.compiling import inner, kernel
from ontomask.kernels.space import Longs


class Counting(NamedTuple):
    """Whose each item is (a tuple, or a record): the units ``unit[at[i]:at[i + 1]]``. Empty: records are counted.

    ``last[u]``: the group that counted unit u last; ``left[u]``: how many items of u have no group.
    """

    at: Longs
    unit: Longs
    last: Longs
    left: Longs


def new_counting(at: Longs | None = None, unit: Longs | None = None) -> Counting:
    """``at`` and ``unit``: of all items; not given: records are counted."""
    none = np.zeros(0, dtype=np.int64)
    if at is None or unit is None:
        return Counting(none, none, none, none)
    units = int(unit.max(initial=-1)) + 1
    return Counting(at, unit, np.full(units, -1, dtype=np.int64), np.bincount(unit, minlength=units).astype(np.int64))


@inner
def counts_units(counting: Counting) -> bool:
    return counting.at.size > 0


@inner
def gained(counting: Counting, item: int, weight: int, group: int) -> int:
    """How many more a group counts with an item of ``weight`` records."""
    if not counts_units(counting):
        return weight
    gain = np.int64(0)
    for i in range(counting.at[item], counting.at[item + 1]):
        if counting.last[counting.unit[i]] != group:
            counting.last[counting.unit[i]] = group
            gain += 1
    return gain


@inner
def used_up(counting: Counting, item: int, weight: int) -> int:
    """How many are left no more, now that an item of ``weight`` records has a group."""
    if not counts_units(counting):
        return weight
    gone = np.int64(0)
    for i in range(counting.at[item], counting.at[item + 1]):
        counting.left[counting.unit[i]] -= 1
        if counting.left[counting.unit[i]] == 0:
            gone += 1
    return gone


@kernel
def add_up_lists(of: NDArray[Any], single: Longs, at: Longs, singles: Longs, entries: Longs) -> None:
    """Of each class, how many units have a single row, which is one of its rows, and the entries in the lists of its rows.

    ``of``: the class of row r; ``single``: how many units have it and no other; its list is from ``at[r]`` to ``at[r + 1]``.
    """
    for r in range(of.size):
        singles[of[r]] += single[r]
        entries[of[r]] += at[r + 1] - at[r]


@kernel
def pairs_of_classes(of: Longs, at: Longs, unit: Longs, counted: NDArray[np.bool_], bound: int, pairs: Longs) -> None:
    """All entries in the lists of the rows of ``counted`` classes, each as class * bound + unit."""
    found = 0
    for r in range(of.size):
        if counted[of[r]]:
            for i in range(at[r], at[r + 1]):
                pairs[found] = of[r] * bound + unit[i]
                found += 1


@kernel
def join_lists(of: NDArray[np.int32], at: Longs, unit: Longs, place: Longs, joined: Longs) -> None:
    """The lists of rows that became one, one after the other; ``place``: where that of each row from now on begins."""
    for r in range(of.size):
        for i in range(at[r], at[r + 1]):
            joined[place[of[r]]] = unit[i]
            place[of[r]] += 1
