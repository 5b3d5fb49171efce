"""Sets as points, and the distance of two sets of items.

D(A, B) = (sum over a of min over b of d(a, b) + sum over b of min over a of d(a, b)) / (|A| + |B|): the mean over both sides
of each item's distance from its best match. Both sums read the same entries of one table, so that sets of one item are
exactly as far apart as their items. There may be as many sets as records: no table holds their distances.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.kernels.compiling import inner, inner_extremes, kernel

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]
Codes = NDArray[np.uint32]

#: In the place of a number of items: the set is not known.
MISSING = 2**32 - 1


class SetSpace(NamedTuple):
    """The attributes of tuples that hold sets. A space without them has None instead: numba leaves out what follows
    ``if sets is None``, so that nothing on sets is compiled where there are none.

    ``codes[s, t]`` is the set of tuple t; its items are ``items[at[j]:at[j + 1]]``, j being ``first[s]`` plus the code.
    ``missing[s]`` is the code that stands for a missing value, or -1. ``tables`` from ``table_at[s]`` on holds raw distances,
    rows x items; the attribute has ``item_at[s + 1] - item_at[s]`` items, and ``home`` from ``item_at[s]`` on is the row of
    each. Raw distances count times ``factor[s]``; ``empty[s]`` is how far an empty set is from every other, ``most[s]`` the
    largest distance, and how far a missing set is from every other: both as they count. A point holds its set from
    ``point_at[s]`` of its rows on: the number of items (or :data:`MISSING`), then their rows; the last entry is the length.
    """

    codes: Codes
    first: Longs
    at: Longs
    items: Codes
    missing: Longs
    tables: Floats
    table_at: Longs
    item_at: Longs
    home: Codes
    factor: Floats
    empty: Floats
    most: Floats
    point_at: Longs


@inner
def set_of(sets: SetSpace, s: int, tuple_: int) -> tuple[int, int]:
    """Where the items of a tuple's set begin and end; -1, -1: it is missing."""
    code = np.int64(sets.codes[s, tuple_])
    if code == sets.missing[s]:
        return np.int64(-1), np.int64(-1)
    return sets.at[sets.first[s] + code], sets.at[sets.first[s] + code + 1]


@inner
def put_set(sets: SetSpace, s: int, tuple_: int, rows: Codes) -> None:
    """Let a point hold the set of a tuple."""
    begin, end = set_of(sets, s, tuple_)
    place = sets.point_at[s]
    rows[place : sets.point_at[s + 1]] = 0
    if begin < 0:
        rows[place] = MISSING
        return
    rows[place] = end - begin
    for i in range(begin, end):
        place += 1
        rows[place] = sets.home[sets.item_at[s] + sets.items[i]]


@inner
def put_sets(sets: SetSpace | None, tuple_: int, rows: Codes) -> None:
    """Let a point hold the sets of a tuple."""
    if sets is None:
        return
    for s in range(sets.codes.shape[0]):
        put_set(sets, s, tuple_, rows)


@inner
def add_set_distances(sets: SetSpace | None, rows: Codes, tuple_: int, total: float) -> float:
    """A distance between a point and a tuple, with how far their sets are apart."""
    if sets is None:
        return total
    for s in range(sets.codes.shape[0]):
        total += set_apart(sets, s, rows, tuple_)
    return total


@inner
def farthest_sets(sets: SetSpace | None) -> float:
    """The largest distance of sets, of all attributes together."""
    if sets is None:
        return 0.0
    total = 0.0
    for s in range(sets.codes.shape[0]):
        total += sets.most[s]
    return total


@inner_extremes
def set_apart(sets: SetSpace, s: int, rows: Codes, tuple_: int) -> float:
    """The distance between the set of a point and that of a tuple, added up as where the point is faced."""
    begin, end = set_of(sets, s, tuple_)
    place = sets.point_at[s]
    size = np.int64(rows[place])
    if begin < 0 or size == MISSING:
        return 0.0 if begin < 0 and size == MISSING else sets.most[s]
    if begin == end or size == 0:
        return 0.0 if end - begin == size else sets.empty[s]
    wide, factor = sets.item_at[s + 1] - sets.item_at[s], sets.factor[s]
    here = near = 0.0
    for i in range(begin, end):
        best = np.inf
        for j in range(place + 1, place + 1 + size):
            best = min(best, sets.tables[sets.table_at[s] + np.int64(rows[j]) * wide + sets.items[i]] * factor)
        here += best
    for j in range(place + 1, place + 1 + size):
        row = sets.table_at[s] + np.int64(rows[j]) * wide
        best = np.inf
        for i in range(begin, end):
            best = min(best, sets.tables[row + sets.items[i]] * factor)
        near += best
    return (here + near) / (end - begin + size)


# ---- many pairs of sets --------------------------------------------------------------------------------------------


class ItemLists(NamedTuple):
    """Sets as lists of items: those of set v are ``items[at[v]:at[v + 1]]``; ``missing[v]``: it is not known."""

    at: Longs
    items: Longs
    missing: NDArray[np.bool_]


@inner_extremes
def _pair(table: Floats, one: ItemLists, other: ItemLists, a: int, b: int, empty: float, gone: float) -> float:
    if one.missing[a] or other.missing[b]:
        return 0.0 if one.missing[a] and other.missing[b] else gone
    size, more = one.at[a + 1] - one.at[a], other.at[b + 1] - other.at[b]
    if size == 0 or more == 0:
        return 0.0 if size == more else empty
    here = there = 0.0
    for i in range(one.at[a], one.at[a + 1]):
        best = np.inf
        for j in range(other.at[b], other.at[b + 1]):
            best = min(best, table[one.items[i], other.items[j]])
        here += best
    for j in range(other.at[b], other.at[b + 1]):
        best = np.inf
        for i in range(one.at[a], one.at[a + 1]):
            best = min(best, table[one.items[i], other.items[j]])
        there += best
    return (here + there) / (size + more)


@kernel
def pair_distances(
    table: Floats, one: ItemLists, other: ItemLists, a: Longs, b: Longs, empty: float, gone: float, out: Floats
) -> None:
    """Raw distances of the sets ``a[i]`` of one list from ``b[i]`` of the other; ``table``: of their items."""
    for i in range(out.size):
        out[i] = _pair(table, one, other, a[i], b[i], empty, gone)


@kernel
def all_distances(
    table: Floats, one: ItemLists, other: ItemLists, begin: int, empty: float, gone: float, out: Floats
) -> None:
    """Raw distances of all sets of the other list from those of the first that begin at ``begin``, one for each row."""
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = _pair(table, one, other, begin + i, j, empty, gone)
