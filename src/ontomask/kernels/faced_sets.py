"""Distances of many sets from that of a point: laid out once, bounded, and measured where bounds leave them in question.

A point that is faced lays out the distances of its own items from every item there is; each set is then a few look-ups. In
whole steps, a byte for each item, these stay in the processor's nearest cache: they suffice to see that most sets are too far
away, or too near.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.kernels.compiling import inner, inner_extremes, makes_arrays
from ontomask.kernels.sets import MISSING, Codes, Floats, Longs, SetSpace, set_of
from ontomask.kernels.space import copy_values

Bytes = NDArray[np.uint8]

#: Steps up to the largest distance that is laid out; one more fits into a byte.
STEPS = 254
#: The items of a point are laid out in strips of so many: a vector register or two.
STRIP = 8


class Faced(NamedTuple):
    """What is laid out of the sets of a point.

    ``strip`` from ``at[s]`` on holds for each item its distances from the items of the point, filled up with zeros to whole
    strips: what is not there adds nothing. By item, as in the space: ``near``, ``second`` and ``far``, the least of these
    distances, the next and the greatest; ``floor``, the least in steps of ``step[s]``, rounded down, and ``ceiling``, the
    greatest, rounded up. ``match`` is room for the best matches of a set, ``bound`` for a bound of each tuple of a block.
    """

    strip: Floats
    at: Longs
    near: Floats
    second: Floats
    far: Floats
    floor: Bytes
    ceiling: Bytes
    step: Floats
    match: Floats
    bound: Floats


def new_faced(sets: SetSpace | None, tuples: int) -> Faced | None:
    """Room for the sets of a point, and for so many tuples at a time."""
    if sets is None:
        return None
    widths = [-(-(int(width) - 1) // STRIP) * STRIP for width in np.diff(sets.point_at)]
    sizes = [int(items) * width for items, width in zip(np.diff(sets.item_at), widths, strict=True)]
    items, at = int(sets.item_at[-1]), np.cumsum([0, *sizes], dtype=np.int64)
    return Faced(
        np.zeros(int(at[-1])),
        at,
        np.zeros(items),
        np.zeros(items),
        np.zeros(items),
        np.zeros(items, dtype=np.uint8),
        np.zeros(items, dtype=np.uint8),
        np.zeros(len(widths)),
        np.zeros(max(widths, default=0)),
        np.zeros(tuples if widths else 0),
    )


@inner
@makes_arrays
def face_sets(sets: SetSpace | None, rows: Codes, faced: Faced | None) -> None:
    """Lay out how far every item is from those of a point."""
    if sets is None or faced is None:
        return
    for s in range(sets.codes.shape[0]):
        place = sets.point_at[s]
        size = np.int64(rows[place])
        if size in (MISSING, 0):
            continue
        first, last = sets.item_at[s], sets.item_at[s + 1]
        row_at = np.empty(size, dtype=np.int64)
        for j in range(size):
            row_at[j] = sets.table_at[s] + np.int64(rows[place + 1 + j]) * (last - first)
        near, far = faced.near[first:last], faced.far[first:last]
        _lay_out(sets.tables, row_at, sets.factor[s], faced.strip[faced.at[s] :], near, faced.second[first:last], far)
        faced.step[s] = _count_steps(near, far, faced.floor[first:last], faced.ceiling[first:last])


@inner_extremes
def _lay_out(
    tables: Floats, row_at: Longs, factor: float, strip: Floats, near: Floats, second: Floats, far: Floats
) -> None:
    size = row_at.size
    room = (size + STRIP - 1) // STRIP * STRIP
    for v in range(near.size):
        own = strip[v * room : (v + 1) * room]
        least, next_, most = np.inf, np.inf, 0.0
        for j in range(size):
            x = tables[row_at[j] + v] * factor
            own[j] = x
            next_ = min(next_, max(x, least))
            least = min(least, x)
            most = max(most, x)
        for j in range(size, room):
            own[j] = 0.0
        near[v], second[v], far[v] = least, next_, most


@inner_extremes
def _count_steps(near: Floats, far: Floats, floor: Bytes, ceiling: Bytes) -> float:
    """Distances in whole steps; the length of a step."""
    most = 0.0
    for v in range(far.size):
        most = max(most, far[v])
    each = STEPS / most if most > 0.0 else 0.0
    for v in range(far.size):
        floor[v] = np.uint8(near[v] * each)
        ceiling[v] = np.uint8(far[v] * each) + 1
    return most / STEPS


# ---- the sets of some tuples -------------------------------------------------------------------------------------------


@inner
def add_sets(
    sets: SetSpace | None,
    rows: Codes,
    faced: Faced | None,
    tuples: Longs,
    weight: Longs,
    out: Floats,
    weighted: bool,
    squared: bool,
    least: float,
    most: float,
) -> tuple[bool, bool]:
    """Add to ``out`` how far the sets of some tuples are from those of the point that was faced.

    Only distances from ``least`` to ``most`` matter. Where all that is added up is known to be greater or smaller, a bound that
    is so as well takes the place of the distance: was there one of each? Distances are compared times ``weight``, where they
    are ``weighted``.
    """
    if sets is None or faced is None:
        return False, False
    bound, nearer, farther = faced.bound[: out.size], False, False
    bound[:] = -1.0
    if least > 0.0:
        copy_values(out, bound)
        for s in range(sets.codes.shape[0]):
            _add_upper_bounds(sets, s, np.int64(rows[sets.point_at[s]]), tuples, faced, bound)
        nearer = _settle_nearer(weight, out, weighted, squared, least, bound)
    if most < np.inf:
        copy_values(out, bound)
        for s in range(sets.codes.shape[0]):
            _add_coarse_bounds(sets, s, np.int64(rows[sets.point_at[s]]), tuples, faced, bound)
        farther = _settle_farther(weight, out, weighted, squared, most, bound)
        for i in range(out.size):
            if bound[i] < 0.0:
                bound[i] = out[i]
                for s in range(sets.codes.shape[0]):
                    bound[i] += _bound(sets, s, np.int64(rows[sets.point_at[s]]), tuples[i], faced)
        farther |= _settle_farther(weight, out, weighted, squared, most, bound)
    for s in range(sets.codes.shape[0]):
        _add_distances(sets, s, np.int64(rows[sets.point_at[s]]), tuples, faced, out)
    return nearer, farther


# Loops of their own, with few arrays at hand: what they call is called for each tuple.


@inner
def _settle_farther(weight: Longs, out: Floats, weighted: bool, squared: bool, most: float, bound: Floats) -> bool:
    """A lower bound beyond the greatest distance that matters takes the place of the distance, else it becomes -1; was there
    one?"""
    found = False
    for i in range(out.size):
        low = bound[i] * (1.0 - 1e-9) - 1e-12  # a little less, for what rounding may have added
        counted = low
        if weighted:
            counted = (np.sqrt(max(counted, 0.0)) if squared else counted) * weight[i]
        if counted > most:
            out[i] = low
            found = True
        else:
            bound[i] = -1.0
    return found


@inner
def _settle_nearer(weight: Longs, out: Floats, weighted: bool, squared: bool, least: float, bound: Floats) -> bool:
    """The same where an upper bound is below the least distance that matters."""
    found = False
    for i in range(out.size):
        high = bound[i] * (1.0 + 1e-9) + 1e-12
        counted = high
        if weighted:
            counted = (np.sqrt(counted) if squared else counted) * weight[i]
        if counted < least:
            out[i] = high
            found = True
        else:
            bound[i] = -1.0
    return found


@inner
def _add_coarse_bounds(sets: SetSpace, s: int, size: int, tuples: Longs, faced: Faced, bound: Floats) -> None:
    """Add to lower bounds; see :func:`_at_least_steps`."""
    codes, at, items, missing = sets.codes[s], sets.at[sets.first[s] :], sets.items, sets.missing[s]
    empty, most, step = sets.empty[s], sets.most[s], faced.step[s]
    floor = faced.floor[sets.item_at[s] : sets.item_at[s + 1]]
    for i in range(tuples.size):
        code = np.int64(codes[tuples[i]])
        if code == missing or size == MISSING:
            bound[i] += 0.0 if code == missing and size == MISSING else most
        elif at[code] == at[code + 1] or size == 0:
            bound[i] += 0.0 if at[code + 1] - at[code] == size else empty
        else:
            steps = _at_least_steps(items[at[code] : at[code + 1]], size, floor)
            bound[i] += steps * step / (at[code + 1] - at[code] + size)


@inner
def _at_least_steps(items: Codes, size: int, floor: Bytes) -> int:
    """A sum of distances, in steps, that best matches do not fall below.

    Items of the tuple add their least distances from the point. The best match of an item of the point is as far away as the
    least of these, or farther.
    """
    here, least = np.int64(0), np.int64(STEPS)
    for i in range(items.size):
        steps = np.int64(floor[items[i]])
        here += steps
        least = min(least, steps)
    return here + size * least


@inner
def _add_upper_bounds(sets: SetSpace, s: int, size: int, tuples: Longs, faced: Faced, bound: Floats) -> None:
    """Add to upper bounds; see :func:`_at_most_steps`."""
    codes, at, items, missing = sets.codes[s], sets.at[sets.first[s] :], sets.items, sets.missing[s]
    empty, most, step = sets.empty[s], sets.most[s], faced.step[s]
    floor = faced.floor[sets.item_at[s] : sets.item_at[s + 1]]
    ceiling = faced.ceiling[sets.item_at[s] : sets.item_at[s + 1]]
    for i in range(tuples.size):
        code = np.int64(codes[tuples[i]])
        if code == missing or size == MISSING:
            bound[i] += 0.0 if code == missing and size == MISSING else most
        elif at[code] == at[code + 1] or size == 0:
            bound[i] += 0.0 if at[code + 1] - at[code] == size else empty
        else:
            steps = _at_most_steps(items[at[code] : at[code + 1]], size, floor, ceiling)
            bound[i] += steps * step / (at[code + 1] - at[code] + size)


@inner
def _at_most_steps(items: Codes, size: int, floor: Bytes, ceiling: Bytes) -> int:
    """A sum of distances, in steps, that best matches do not exceed.

    Items of the tuple add their least distances from the point. The best match of an item of the point is as near as any one
    item of the tuple, and so as the one whose greatest distance is least.
    """
    here, least = np.int64(0), np.int64(STEPS + 1)
    for i in range(items.size):
        here += np.int64(floor[items[i]]) + 1
        least = min(least, np.int64(ceiling[items[i]]))
    return here + size * least


@inner
def _bound(sets: SetSpace, s: int, size: int, tuple_: int, faced: Faced) -> float:
    """A lower bound of the distance of a tuple; see :func:`_at_least`."""
    begin, end = set_of(sets, s, tuple_)
    if begin < 0 or size == MISSING:
        return 0.0 if begin < 0 and size == MISSING else sets.most[s]
    if begin == end or size == 0:
        return 0.0 if end - begin == size else sets.empty[s]
    first, last = sets.item_at[s], sets.item_at[s + 1]
    return _at_least(sets.items[begin:end], size, faced.near[first:last], faced.second[first:last])


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
    if size == 1:  # without a second nothing is known of what the one item of the point adds
        return here / (items.size + 1)
    there = (size - items.size) * next_
    for i in range(items.size):
        there += min(near[items[i]], next_)
    return (here + max(there, 0.0)) / (items.size + size)


@inner
def _add_distances(sets: SetSpace, s: int, size: int, tuples: Longs, faced: Faced, out: Floats) -> None:
    """Add the distances of those tuples that have no bound."""
    codes, at, items, missing = sets.codes[s], sets.at[sets.first[s] :], sets.items, sets.missing[s]
    empty, most, bound = sets.empty[s], sets.most[s], faced.bound
    strip, near = faced.strip[faced.at[s] : faced.at[s + 1]], faced.near[sets.item_at[s] : sets.item_at[s + 1]]
    best = faced.match[: (size + STRIP - 1) // STRIP * STRIP] if size != MISSING else faced.match[:0]
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
