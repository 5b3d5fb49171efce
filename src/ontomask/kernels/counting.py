"""What groups count while they are formed: records, or the units, such as persons, that records belong to."""

from __future__ import annotations

from typing import NamedTuple

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
def units_of_classes(
    of: Longs,
    single: Longs,
    row: Longs,
    unit: Longs,
    enough: int,
    last: Longs,
    counted: NDArray[np.bool_],
    sizes: Longs,
) -> None:
    """How many units have rows in each class; unit i of the list, in which equal ones stand together, has row ``row[i]``.

    ``single``: how many more units have each row, and no other. A class in which these are ``enough`` may have more units
    than is counted. ``of``: the class of each row; ``last`` is room for each class, -1 at first, ``counted`` for each row.
    """
    for r in range(single.size):
        sizes[of[r]] += single[r]
    for r in range(single.size):
        counted[r] = sizes[of[r]] < enough
    for i in range(unit.size):
        if counted[row[i]]:
            c = of[row[i]]
            if last[c] != unit[i]:
                last[c] = unit[i]
                sizes[c] += 1


@kernel
def list_rows(row: Longs, unit: Longs, last: Longs, single: Longs, rows: Longs, units: Longs) -> int:
    """Each unit once with each of its rows; ``row`` and ``unit`` are of records, those of a unit together. How many there are.

    Units of one row are not listed: they are added to ``single``, by row. ``last`` is room for each row, -1 at first.
    """
    entries, i = 0, 0
    while i < unit.size:
        begin, own = entries, unit[i]
        while i < unit.size and unit[i] == own:
            if last[row[i]] != own:
                last[row[i]] = own
                rows[entries], units[entries] = row[i], own
                entries += 1
            i += 1
        if entries - begin == 1:
            entries = begin
            single[rows[begin]] += 1
    return entries
