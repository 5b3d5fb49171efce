"""Sets as points: the distance of two sets of items, and what bounds it from below.

D(A, B) = (sum over a of min over b of d(a, b) + sum over b of min over a of d(a, b)) / (|A| + |B|): the mean over both sides
of each item's distance from its best match. Both sums read the same entries of one table, so that sets of one item are
exactly as far apart as their items. There may be as many sets as records: no table holds their distances. A point that is
faced lays out the distances of its own items from every item there is; each set is then a few look-ups.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.kernels.compiling import inner, inner_extremes, kernel

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]
Codes = NDArray[np.uint32]
Bytes = NDArray[np.uint8]

#: In the place of a number of items: the set is not known.
MISSING = 2**32 - 1
#: Distances of items in whole steps, rounded down: a byte for each, so that all stay in the processor's nearest cache.
STEPS = 255
#: The items of a point are laid out in strips of so many: a vector register or two.
STRIP = 8


class SetSpace(NamedTuple):
    """The attributes of tuples that hold sets.

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


def strips(items: int) -> int:
    """The room that so many items of a point take."""
    return -(-items // STRIP) * STRIP


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


@inner_extremes
def set_apart(sets: SetSpace, s: int, rows: Codes, tuple_: int) -> float:
    """The distance between the set of a point and that of a tuple, added up as :func:`add_sets` does."""
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


# ---- a point that is faced -----------------------------------------------------------------------------------------


@inner_extremes
def face_sets(
    sets: SetSpace, rows: Codes, strip: Floats, near_at: Longs, near: Floats, second: Floats, coarse: Bytes
) -> None:
    """Lay out how far every item is from those of a point.

    ``strip`` from ``near_at[s]`` on holds for each item its distances from the items of the point, filled up with zeros to
    whole strips: what is not there adds nothing. ``near`` and ``second``: the least of these distances, and the next;
    ``coarse``: the least in steps of which ``most`` has :data:`STEPS`.
    """
    for s in range(sets.codes.shape[0]):
        place = sets.point_at[s]
        size = np.int64(rows[place])
        if size in (MISSING, 0):
            continue
        first, wide = sets.item_at[s], sets.item_at[s + 1] - sets.item_at[s]
        row_at = np.empty(size, dtype=np.int64)
        for j in range(size):
            row_at[j] = sets.table_at[s] + np.int64(rows[place + 1 + j]) * wide
        _lay_out(sets.tables, row_at, sets.factor[s], strip[near_at[s] :], near[first:], second[first:], wide)
        for v in range(first, first + wide):
            coarse[v] = np.uint8(min(near[v] / sets.most[s] * STEPS, STEPS)) if sets.most[s] > 0.0 else np.uint8(0)


@inner_extremes
def _lay_out(
    tables: Floats, row_at: Longs, factor: float, strip: Floats, near: Floats, second: Floats, wide: int
) -> None:
    size = row_at.size
    room = (size + STRIP - 1) // STRIP * STRIP
    for v in range(wide):
        own = strip[v * room : (v + 1) * room]
        least = next_ = np.inf
        for j in range(size):
            x = tables[row_at[j] + v] * factor
            own[j] = x
            next_ = min(next_, max(x, least))
            least = min(least, x)
        for j in range(size, room):
            own[j] = 0.0
        near[v], second[v] = least, next_


@inner
def add_sets(
    sets: SetSpace,
    rows: Codes,
    tuples: Longs,
    weight: Longs,
    out: Floats,
    weighted: bool,
    squared: bool,
    limit: float,
    strip: Floats,
    near_at: Longs,
    near: Floats,
    second: Floats,
    coarse: Bytes,
    match: Floats,
    bound: Floats,
) -> bool:
    """Add to ``out`` how far the sets of some tuples are from those of the point that was faced.

    Where a lower bound of all that is added up is beyond the limit already, it takes the place of the distance; was there such
    a one? A coarse bound is tried first, and a finer one where that leaves a tuple in question. Distances are compared times
    ``weight``, where they are ``weighted``; ``bound`` is room for all tuples.
    """
    left_out = False
    if limit < np.inf:
        bound[: out.size] = out
        for s in range(sets.codes.shape[0]):
            size, (first, last) = np.int64(rows[sets.point_at[s]]), (sets.item_at[s], sets.item_at[s + 1])
            _add_coarse_bounds(sets, s, size, tuples, coarse[first:last], bound)
        left_out |= _settle(weight, out, weighted, squared, limit, bound)
        for i in range(out.size):
            if bound[i] < 0.0:
                bound[i] = out[i]
                for s in range(sets.codes.shape[0]):
                    size, (first, last) = np.int64(rows[sets.point_at[s]]), (sets.item_at[s], sets.item_at[s + 1])
                    bound[i] += _bound(sets, s, size, tuples[i], near[first:last], second[first:last])
        left_out |= _settle(weight, out, weighted, squared, limit, bound)
    else:
        bound[: out.size] = -1.0
    for s in range(sets.codes.shape[0]):
        size, (first, last) = np.int64(rows[sets.point_at[s]]), (sets.item_at[s], sets.item_at[s + 1])
        _add_distances(sets, s, size, tuples, strip[near_at[s] : near_at[s + 1]], near[first:last], match, bound, out)
    return left_out


# Loops of their own, with few arrays at hand: what they call is called for each tuple.


@inner
def _settle(weight: Longs, out: Floats, weighted: bool, squared: bool, limit: float, bound: Floats) -> bool:
    """Where a bound is beyond the limit it takes the place of the distance, else -1 takes its place; was one beyond?"""
    beyond = False
    for i in range(out.size):
        low = bound[i] * (1.0 - 1e-9) - 1e-12  # a little less, for what rounding may have added
        counted = low
        if weighted:
            counted = (np.sqrt(max(counted, 0.0)) if squared else counted) * weight[i]
        if counted > limit:
            out[i] = low
            beyond = True
        else:
            bound[i] = -1.0
    return beyond


@inner
def _add_coarse_bounds(sets: SetSpace, s: int, size: int, tuples: Longs, coarse: Bytes, bound: Floats) -> None:
    """Add to lower bounds; see :func:`_at_least_steps`."""
    codes, at, items, missing = sets.codes[s], sets.at[sets.first[s] :], sets.items, sets.missing[s]
    empty, most = sets.empty[s], sets.most[s]
    for i in range(tuples.size):
        code = np.int64(codes[tuples[i]])
        if code == missing or size == MISSING:
            bound[i] += 0.0 if code == missing and size == MISSING else most
        elif at[code] == at[code + 1] or size == 0:
            bound[i] += 0.0 if at[code + 1] - at[code] == size else empty
        else:
            steps = _at_least_steps(items[at[code] : at[code + 1]], size, coarse)
            bound[i] += steps * (most / STEPS) / (at[code + 1] - at[code] + size)


@inner
def _at_least_steps(items: Codes, size: int, coarse: Bytes) -> int:
    """A sum of distances, in steps, that best matches do not fall below.

    Items of the tuple add their least distances from the point. An item of the point is not nearer to any item of the tuple
    than the least of these.
    """
    here, least = np.int64(0), np.int64(STEPS)
    for i in range(items.size):
        steps = np.int64(coarse[items[i]])
        here += steps
        least = min(least, steps)
    return here + size * least


@inner
def _bound(sets: SetSpace, s: int, size: int, tuple_: int, near: Floats, second: Floats) -> float:
    """A lower bound of the distance of a tuple; see :func:`_at_least`."""
    begin, end = set_of(sets, s, tuple_)
    if begin < 0 or size == MISSING:
        return 0.0 if begin < 0 and size == MISSING else sets.most[s]
    if begin == end or size == 0:
        return 0.0 if end - begin == size else sets.empty[s]
    return _at_least(sets.items[begin:end], size, near, second)


@inner_extremes
def _at_least(items: Codes, size: int, near: Floats, second: Floats) -> float:
    """A distance that :func:`_apart` does not fall below, without a look at the strips.

    An item a of the tuple is the best match of at most one item of the point at its least distance near(a); to every other
    one it is at least second(a), and so at least x, the least second(a) of all. So what the items of the point add is at least
    the sum of the least of near(a) and x over the items of the tuple, and x for each item that the point has more.
    """
    here, next_ = 0.0, np.inf
    for i in range(items.size):
        here += near[items[i]]
        next_ = min(next_, second[items[i]])
    if size == 1:  # without a second, nothing is known of what the one item of the point adds
        return here / (items.size + 1)
    there = (size - items.size) * next_
    for i in range(items.size):
        there += min(near[items[i]], next_)
    return (here + max(there, 0.0)) / (items.size + size)


@inner
def _add_distances(
    sets: SetSpace,
    s: int,
    size: int,
    tuples: Longs,
    strip: Floats,
    near: Floats,
    match: Floats,
    bound: Floats,
    out: Floats,
) -> None:
    """Add the distances of those tuples that have no bound."""
    codes, at, items, missing = sets.codes[s], sets.at[sets.first[s] :], sets.items, sets.missing[s]
    empty, most = sets.empty[s], sets.most[s]
    best = match[: (size + STRIP - 1) // STRIP * STRIP] if size != MISSING else match[:0]
    for i in range(tuples.size):
        if bound[i] >= 0.0:
            continue
        code = np.int64(codes[tuples[i]])
        if code == missing or size == MISSING:
            out[i] += 0.0 if code == missing and size == MISSING else most
        elif at[code] == at[code + 1] or size == 0:
            out[i] += 0.0 if at[code + 1] - at[code] == size else empty
        else:
            out[i] += _apart(items[at[code] : at[code + 1]], size, strip, near, best)


@inner_extremes
def _apart(items: Codes, size: int, strip: Floats, near: Floats, best: Floats) -> float:
    """The distance of a set of items from that of the point that was faced, which has ``size`` items."""
    room = best.size
    best[:] = np.inf
    here = 0.0
    for i in range(items.size):
        item = np.int64(items[i])
        here += near[item]
        own = strip[item * room : (item + 1) * room]
        for j in range(room):
            best[j] = min(best[j], own[j])
    there = 0.0
    for j in range(room):
        there += best[j]
    return (here + there) / (items.size + size)


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
