"""Rank swapping on distinct tuples (R17 Algorithms 1 to 3)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.kernels.blocks import SIZE, Blocks, drop_slot, tidy
from ontomask.kernels.compiling import inner, kernel, makes_arrays
from ontomask.kernels.reach import within_reach
from ontomask.kernels.searching import face, farthest_ties, look_from
from ontomask.kernels.space import Floats, Longs, Point, Space, set_point, slack


class Swaps(NamedTuple):
    """Who exchanges values with whom.

    The records of tuple t are ``records[at[t]:at[t + 1]]``; of these the first ``open[t]`` still hold a value that was
    not swapped, and ``place`` is where each record stands. ``source[a, i]`` is the record that value a of record i
    comes from, ``done[a, i]`` says that it was swapped or found no partner, ``free[a, i]`` how many candidates there
    were when it was its turn or its partner's; ``left[i]`` counts the values of a record that are not done.
    ``now``: the reference record, how many records are not done, how many had their turn; ``turns``: these, in order.
    The rest is room to work in.
    """

    records: Longs
    at: Longs
    tuple_of: NDArray[np.int32]
    open: Longs
    place: Longs
    source: Longs
    done: NDArray[np.bool_]
    free: Longs
    left: Longs
    now: Longs
    turns: Longs
    several: Longs
    ends: Longs
    near: Longs
    some: Longs
    drawn: Longs
    heap: Floats
    load: Longs


def new_swaps(records: Longs, at: Longs, tuple_of: NDArray[np.int32], columns: int, k: int, first: int) -> Swaps:
    """Nothing is swapped yet; ``first`` is the record to begin with."""
    n, p = len(records), len(at) - 1
    place = np.empty(n, dtype=np.int64)
    place[records] = np.arange(n)
    return Swaps(
        records.copy(),
        at,
        tuple_of,
        np.diff(at),
        place,
        np.tile(np.arange(n), (columns, 1)),
        np.zeros((columns, n), dtype=np.bool_),
        np.zeros((columns, n), dtype=np.int64),
        np.full(n, columns, dtype=np.int64),
        np.array([first, n, 0], dtype=np.int64),
        np.full(n, -1, dtype=np.int64),
        np.zeros(p, dtype=np.int64),
        np.zeros(p, dtype=np.int64),
        np.zeros(k, dtype=np.int64),
        np.zeros(k, dtype=np.int64),
        np.full(n, -1, dtype=np.int64),
        np.zeros(k + 2),
        np.zeros(k + 2, dtype=np.int64),
    )


@kernel
def swap_steps(
    space: Space,
    everyone: Blocks,
    waiting: Blocks,
    point: Point,
    swaps: Swaps,
    k: int,
    together: bool,
    chance: np.random.Generator,
    budget: int,
) -> bool:
    """Swap around one reference record after another until all are done (True) or ``budget`` had their turn (False).

    ``everyone`` holds all tuples; ``waiting`` those with records that are not done. ``together``: of equally far records
    those that are equal enter an interval one after the other, tuple by tuple in random order.
    """
    tie = slack(space, False)
    now = swaps.now
    for _ in range(budget):
        reference = now[0]
        swaps.turns[now[2]] = reference
        set_point(space, point, swaps.tuple_of[reference])
        look_from(space, everyone, point, False)
        size = _interval(space, everyone, point, swaps, k, tie, together, chance)
        now[2] += 1
        for a in range(swaps.source.shape[0]):
            if not swaps.done[a, reference]:
                for left in swap_value(swaps, a, size, chance):
                    if left >= 0:
                        drop_slot(space, waiting, waiting.slot[left])
        if now[1] == 0:
            return True
        tidy(space, waiting)
        face(space, waiting, point)
        next_reference(space, waiting, point, swaps, tie, chance)
    return False


@inner
def _interval(
    space: Space,
    everyone: Blocks,
    point: Point,
    swaps: Swaps,
    k: int,
    tie: float,
    together: bool,
    chance: np.random.Generator,
) -> int:
    """The k records closest to the reference (R17 def. 5 and 9) go to ``near``; of equally far ones, some at random."""
    reference = swaps.now[0]
    reach = within_reach(space, everyone, point, k + 1, tie, swaps.heap, swaps.load)  # the reference is one of them
    inside, outside = reach - tie * reach, reach + tie * reach
    size, several, tied = 0, 0, np.int64(0)
    for b in range(everyone.count[0]):
        if everyone.known[b] and everyone.least[b] <= outside:
            for i in range(b * SIZE, b * SIZE + everyone.fill[b]):
                t = everyone.ids[i]
                if everyone.out[i] < inside:
                    for j in range(swaps.at[t], swaps.at[t + 1]):
                        if swaps.records[j] != reference:
                            swaps.near[size] = swaps.records[j]
                            size += 1
                elif everyone.out[i] <= outside:
                    tied += swaps.at[t + 1] - swaps.at[t]
                    swaps.several[several] = t
                    swaps.ends[several] = tied
                    several += 1
    return draw_tied(swaps, size, k, several, tied, together, chance)


@inner
def draw_tied(
    swaps: Swaps, size: int, k: int, several: int, tied: int, together: bool, chance: np.random.Generator
) -> int:
    """Fill ``near`` up to k with some of the ``tied`` records of several tuples, all of them equally far."""
    if together:
        return _draw_together(swaps, size, k, several, chance)
    if 4 * (k - size) < tied:
        return _draw_few(swaps, size, k, several, tied, chance)
    return _draw_many(swaps, size, k, several, tied, chance)


@inner
def pick_one(count: int, chance: np.random.Generator) -> int:
    """A whole number from 0 to count - 1, each as likely as the others."""
    return min(int(chance.random() * count), count - 1)


@inner
@makes_arrays
def _draw_few(swaps: Swaps, size: int, k: int, several: int, tied: int, chance: np.random.Generator) -> int:
    """Fill ``near`` up to k with records at random from those of several tuples, trying again where one was drawn."""
    reference, turn = swaps.now[0], swaps.now[2]
    while size < k:
        pick = pick_one(tied, chance)
        j = np.searchsorted(swaps.ends[:several], pick, side="right")
        t = swaps.several[j]
        record = swaps.records[swaps.at[t + 1] - (swaps.ends[j] - pick)]
        if record != reference and swaps.drawn[record] != turn:
            swaps.drawn[record] = turn
            swaps.near[size] = record
            size += 1
    return size


@inner
def _draw_many(swaps: Swaps, size: int, k: int, several: int, tied: int, chance: np.random.Generator) -> int:
    """The same by going through all of them once: each is taken with the chance that is due to it."""
    reference = swaps.now[0]
    for j in range(several):
        if swaps.several[j] == swaps.tuple_of[reference]:
            tied -= 1
    for j in range(several):
        t = swaps.several[j]
        for i in range(swaps.at[t], swaps.at[t + 1]):
            if size == k:
                return size
            record = swaps.records[i]
            if record != reference:
                if chance.random() * tied < k - size:
                    swaps.near[size] = record
                    size += 1
                tied -= 1
    return size


@inner
def _draw_together(swaps: Swaps, size: int, k: int, several: int, chance: np.random.Generator) -> int:
    """Fill ``near`` up to k with whole tuples in random order, the reference's own first; of the last, records at random."""
    reference = swaps.now[0]
    own = swaps.tuple_of[reference]
    first = 0
    for j in range(several):
        if swaps.several[j] == own:
            swaps.several[j] = swaps.several[0]
            swaps.several[0] = own
            size = _draw_from(swaps, size, k, own, chance)
            first = 1
    while size < k:
        j = first + pick_one(several - first, chance)
        t = swaps.several[j]
        swaps.several[j] = swaps.several[first]
        size = _draw_from(swaps, size, k, t, chance)
        first += 1
    return size


@inner
def _draw_from(swaps: Swaps, size: int, k: int, t: int, chance: np.random.Generator) -> int:
    """All records of a tuple but the reference, or as many at random as there is room for."""
    reference, begin, end = swaps.now[0], swaps.at[t], swaps.at[t + 1]
    left = end - begin - (swaps.tuple_of[reference] == t)
    if size + left > k and 4 * (k - size) < left:
        swaps.several[0], swaps.ends[0] = t, end - begin
        return _draw_few(swaps, size, k, 1, end - begin, chance)
    for i in range(begin, end):
        record = swaps.records[i]
        if record != reference and size < k:
            if size + left <= k or chance.random() * left < k - size:
                swaps.near[size] = record
                size += 1
            left -= 1
    return size


@inner
def swap_value(swaps: Swaps, a: int, size: int, chance: np.random.Generator) -> tuple[int, int]:
    """Exchange value a of the reference with one of the interval that was not swapped (R17 swap_value).

    Returns the tuples of the partner and of the reference where that was their last record that was not done, else -1.
    """
    reference, free, left = swaps.now[0], 0, np.int64(-1)
    for j in range(size):
        if not swaps.done[a, swaps.near[j]]:
            swaps.some[free] = swaps.near[j]
            free += 1
    swaps.free[a, reference] = free
    if free > 0:
        partner = swaps.some[pick_one(free, chance)]
        swaps.free[a, partner] = free
        swaps.source[a, reference] = partner
        swaps.source[a, partner] = reference
        left = _finish(swaps, a, partner)
    return left, _finish(swaps, a, reference)


@inner
def _finish(swaps: Swaps, a: int, record: int) -> int:
    """A value is done; with its last value a record leaves the game. The tuple that has none left then, or -1."""
    swaps.done[a, record] = True
    swaps.left[record] -= 1
    if swaps.left[record] > 0:
        return np.int64(-1)
    place, t = swaps.place[record], np.int64(swaps.tuple_of[record])
    swaps.open[t] -= 1
    last = swaps.at[t] + swaps.open[t]
    other = swaps.records[last]
    swaps.records[place], swaps.records[last] = other, record
    swaps.place[other], swaps.place[record] = place, last
    swaps.now[1] -= 1
    return t if swaps.open[t] == 0 else np.int64(-1)


@inner
def next_reference(
    space: Space, waiting: Blocks, point: Point, swaps: Swaps, tie: float, chance: np.random.Generator
) -> None:
    """The record farthest from the last reference (R17 def. 6 and 10), of several one at random."""
    several = farthest_ties(space, waiting, point, tie, swaps.several)
    records = np.int64(0)
    for j in range(several):
        records += swaps.open[waiting.ids[swaps.several[j]]]
    pick = pick_one(records, chance)
    for j in range(several):
        t = waiting.ids[swaps.several[j]]
        if pick < swaps.open[t]:
            swaps.now[0] = swaps.records[swaps.at[t] + pick]
            return
        pick -= swaps.open[t]


# ---- along one ranking --------------------------------------------------------------------------------------------


@kernel
@makes_arrays
def swap_along(ranking: Longs, k: int, chance: np.random.Generator, source: Longs, free: Longs) -> None:
    """R17 Algorithm 1: each record in turn swaps with one of the next k in the ranking that were not swapped.

    ``source`` and ``free`` are by record. A Fenwick tree counts the records that are left, so that a large k costs
    little more than a small one.
    """
    n = ranking.size
    tree = np.zeros(n + 1, dtype=np.int64)
    for i in range(1, n + 1):
        tree[i] += 1
        above = i + (i & -i)
        if above <= n:
            tree[above] += tree[i]
    done = np.zeros(n, dtype=np.bool_)
    for i in range(n):
        if done[i]:
            continue
        done[i] = True
        _uncount(tree, i)
        # All before i are done: what is left up to a place lies after i.
        candidates = _count(tree, min(i + k, n - 1))
        free[ranking[i]] = candidates
        if candidates > 0:
            j = _select(tree, pick_one(candidates, chance))
            done[j] = True
            _uncount(tree, j)
            free[ranking[j]] = candidates
            source[ranking[i]] = ranking[j]
            source[ranking[j]] = ranking[i]


@inner
def _uncount(tree: Longs, i: int) -> None:
    i += 1
    while i < tree.size:
        tree[i] -= 1
        i += i & -i


@inner
def _count(tree: Longs, last: int) -> int:
    """How many are left at places 0 to ``last``."""
    total = 0
    i = last + 1
    while i > 0:
        total += tree[i]
        i -= i & -i
    return total


@inner
def _select(tree: Longs, rank: int) -> int:
    """The place of the ``rank``-th that is left, counted from 0."""
    step = 1
    while 2 * step < tree.size:
        step *= 2
    at = 0
    while step > 0:
        if at + step < tree.size and tree[at + step] <= rank:
            at += step
            rank -= tree[at]
        step //= 2
    return at
