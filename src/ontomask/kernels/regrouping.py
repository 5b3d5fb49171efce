"""Refinement beyond single changes: groups are dissolved and split, and changes for the worse are tried and undone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ontomask.kernels.argmax import argmax, argmin
from ontomask.kernels.centres import Rules
from ontomask.kernels.compiling import inner, kernel, makes_arrays, stay_apart
from ontomask.kernels.counting import Counting
from ontomask.kernels.partition import (
    CHANGES,
    JOURNAL,
    RANDOM,
    WAITING,
    Parts,
    Room,
    Tuples,
    added,
    cost_of_members,
    dequeue,
    enqueue,
    from_centre,
    is_closed,
    new_mark,
    relocate,
    renew,
    settle_all,
    size_with,
)
from ontomask.kernels.refining import GAIN, OF_TUPLE, added_cost, descend
from ontomask.kernels.space import Longs, Point, Space, between, set_point

#: Steps of refinement.
SETTLE, DESCEND, DISSOLVE, SPLIT, EXCHANGE = 0, 1, 2, 3, 4
#: Items that are looked at after a change for the worse, at most.
AFTERWARDS = 400
#: Items next to a place, one of which is exchanged there.
WINDOW = 64


@kernel
def refine_step(
    what: int,
    space: Space,
    rules: Rules,
    tuples: Tuples,
    parts: Parts,
    room: Room,
    counting: Counting,
    k: int,
    free: Longs,
    begin: int,
    end: int,
    step: float,
) -> float:
    """One step of refinement: lists, sizes and centres (SETTLE), or what lowers the total; what it changed.

    DESCEND takes changes until no group waits or ``end`` items were looked at: by how much the total fell. DISSOLVE and SPLIT
    look at the groups from ``begin`` to ``end``: how many went or came, numbered from ``free``. EXCHANGE tries changes for
    the worse at the places from ``begin`` to ``end``, ``step`` items apart: by how much the total fell. All is one kernel,
    for each would be compiled with nearly all the others.
    """
    if what == SETTLE:
        settle_all(space, rules, tuples, parts, room, counting)
        return 0.0
    if what == DESCEND:
        return _descend_all(space, rules, tuples, parts, room, counting, k, end)
    if what == DISSOLVE:
        return float(_dissolve_groups(space, rules, tuples, parts, room, counting))
    if what == SPLIT:
        return float(_split_groups(space, rules, tuples, parts, room, counting, k, free))
    return _try_exchanges(space, rules, tuples, parts, room, counting, k, begin, end, step)


@inner
def _descend_all(
    space: Space,
    rules: Rules,
    tuples: Tuples,
    parts: Parts,
    room: Room,
    counting: Counting,
    k: int,
    budget: int,
) -> float:
    """Take what lowers the total in the groups that wait, until ``budget`` items were looked at; by how much it fell."""
    stay_apart()
    gained = 0.0
    while room.state[WAITING] > 0 and budget > 0:
        room.state[CHANGES] = 0
        gained += descend(space, rules, tuples, parts, room, counting, k, min(budget, JOURNAL // 4))
        budget -= JOURNAL // 4
    room.state[CHANGES] = 0
    return gained


# ---- dissolving and splitting ------------------------------------------------------------------------------------


@inner
def _nearest_other(space: Space, tuples: Tuples, parts: Parts, i: int) -> tuple[int, float]:
    """The other group where an item adds least to the cost, of those that are near; and how much it adds there."""
    own, t, w = parts.group[i], parts.tuple_of[i], float(parts.weight[i])
    best, least = np.int64(-1), np.inf
    for place in range(tuples.near.shape[1]):
        u = tuples.near[t, place]
        if u < 0:
            break
        first, several = tuples.item_at[u], tuples.item_at[u + 1] - tuples.item_at[u]
        for turn in range(min(several, OF_TUPLE)):
            g = parts.group[tuples.item[first + (i + turn) % several]]
            if g != own:
                shut, rest = from_centre(space, tuples, parts, g, t)
                cost = added_cost(float(parts.mass[g]), w, shut) + w * rest
                if cost < least:
                    best, least = g, cost
    return best, least


@inner
def _may_pay(space: Space, tuples: Tuples, parts: Parts, g: int) -> bool:
    """Would the items of a group cost less in other groups as these are now?"""
    total, i, several = 0.0, parts.head[g], 0
    while i >= 0 and total < parts.cost[g]:
        total += _nearest_other(space, tuples, parts, i)[1]
        several += 1
        i = parts.after[i]
    return total < parts.cost[g] and several < JOURNAL


@inner
def _dissolve_groups(space: Space, rules: Rules, tuples: Tuples, parts: Parts, room: Room, counting: Counting) -> int:
    """Let groups go whose items cost less in other ones; how many there were."""
    stay_apart()
    gone, closed = 0, is_closed(space, tuples)
    for g in range(parts.head.size):
        if parts.head[g] < 0 or not _may_pay(space, tuples, parts, g):
            continue
        room.state[CHANGES] = 0
        before, paid = parts.cost[g] * (1.0 - GAIN), 0.0
        while parts.head[g] >= 0 and paid < before:
            i = parts.head[g]
            best, _ = _nearest_other(space, tuples, parts, i)
            paid -= parts.cost[best]
            relocate(parts, room, i, best)
            renew(space, rules, tuples, parts, room, counting, best, closed)
            paid += parts.cost[best]
        if paid < before:
            gone += 1
        else:
            _undo(space, rules, tuples, parts, room, counting)
        renew(space, rules, tuples, parts, room, counting, g, closed)
    room.state[CHANGES] = 0
    return gone


@inner
@makes_arrays
def _split_groups(
    space: Space, rules: Rules, tuples: Tuples, parts: Parts, room: Room, counting: Counting, k: int, free: Longs
) -> int:
    """Split groups of 2k or more records, or units, where that lowers the cost; how many there were.

    From the item that is farthest from the centre to the one that is farthest from it, items are divided where the halves
    cost least. ``free``: numbers of groups that have no items.
    """
    stay_apart()
    made, closed = 0, is_closed(space, tuples)
    for g in range(parts.head.size):
        if parts.head[g] < 0 or parts.size[g] < 2 * k or made == free.size:
            continue
        order = _from_end_to_end(space, parts, room, g)
        best, cut = parts.cost[g] * (1.0 - GAIN), 0
        for place in _places_to_cut(parts, counting, order, k):
            cost = 0.0
            for half in (order[:place], order[place:]):
                cost += _cost_of(space, rules, parts, room, half)
            if cost < best:
                best, cut = cost, place
        if cut > 0:
            for place in range(cut):
                room.state[CHANGES] = 0
                relocate(parts, room, order[place], free[made])
            for changed in (g, free[made]):
                renew(space, rules, tuples, parts, room, counting, changed, closed)
            made += 1
    room.state[CHANGES] = 0
    return made


@inner
@makes_arrays
def _from_end_to_end(space: Space, parts: Parts, room: Room, g: int) -> Longs:
    """The items of a group, from the one that is farthest from the centre to the one that is farthest from it."""
    n, i = 0, parts.head[g]
    while i >= 0:
        n += 1
        i = parts.after[i]
    items, lean = np.empty(n, dtype=np.int64), np.empty(n)
    i = parts.head[g]
    for place in range(n):
        items[place], lean[place] = i, parts.own[i, 0] + parts.own[i, 1]
        i = parts.after[i]
    set_point(space, room.point, parts.tuple_of[items[argmax(lean)]])
    for place in range(n):
        lean[place] = between(space, room.point, parts.tuple_of[items[place]])
    set_point(space, room.point, parts.tuple_of[items[argmax(lean)]])
    for place in range(n):
        lean[place] -= between(space, room.point, parts.tuple_of[items[place]])
    return items[np.argsort(lean, kind="mergesort")]


@inner
@makes_arrays
def _places_to_cut(parts: Parts, counting: Counting, order: Longs, k: int) -> Longs:
    """Where items can be divided so that both parts have k records, or units; not more than a few such places."""
    n = order.size
    before, behind = np.zeros(n + 1, dtype=np.int64), np.zeros(n + 1, dtype=np.int64)
    mark = new_mark(counting)
    for place in range(n):
        before[place + 1] = before[place] + added(parts, counting, order[place], mark)
    mark = new_mark(counting)
    for place in range(n - 1, -1, -1):
        behind[place] = behind[place + 1] + added(parts, counting, order[place], mark)
    fits = np.flatnonzero((before >= k) & (behind >= k))
    step = max(1, fits.size // 32)
    return fits[::step]


@inner
def _cost_of(space: Space, rules: Rules, parts: Parts, room: Room, items: Longs) -> float:
    for place in range(items.size):
        i = items[place]
        room.members.tuples[place], room.members.times[place] = parts.tuple_of[i], parts.weight[i]
    return cost_of_members(space, rules, room, items.size)


# ---- changes for the worse ---------------------------------------------------------------------------------------


@inner
def _draw(room: Room, below: int) -> int:
    """The next number of a fixed sequence: the upper bits of a linear congruential generator modulo 2^64 (Knuth's MMIX)."""
    room.state[RANDOM] = room.state[RANDOM] * 6364136223846793005 + 1442695040888963407
    return ((room.state[RANDOM] >> 33) & 0x3FFFFFFF) % below


@inner
def _try_exchanges(
    space: Space,
    rules: Rules,
    tuples: Tuples,
    parts: Parts,
    room: Room,
    counting: Counting,
    k: int,
    begin: int,
    end: int,
    step: float,
) -> float:
    """Exchange items of near groups for the worse and descend from there, once at each of some places, ``step`` items apart;
    by how much the total fell.

    What does not lower the total in the end is undone; all groups wait then. Near items stand side by side: what is looked
    at is drawn from those next to a place, so that it is still in the processor's cache.
    """
    stay_apart()
    gained, closed = 0.0, is_closed(space, tuples)
    while room.state[WAITING] > 0:
        dequeue(room)
    for place in range(begin, end):
        room.state[CHANGES] = 0
        i, change, least = (np.int64(place * step) + _draw(room, WINDOW)) % parts.group.size, 0.0, 0.0
        for _ in range(1 + _draw(room, 3)):
            own = parts.group[i]
            u = tuples.near[parts.tuple_of[i], _draw(room, tuples.near.shape[1])]
            if u < 0:
                continue
            first = tuples.item_at[u]
            j = tuples.item[first + _draw(room, tuples.item_at[u + 1] - first)]
            g = parts.group[j]
            if g == own or size_with(parts, counting, own, i, j) < k or size_with(parts, counting, g, j, i) < k:
                continue
            change -= parts.cost[own] + parts.cost[g]
            least += GAIN * (parts.cost[own] + parts.cost[g]) + tuples.rounding * (parts.mass[own] + parts.mass[g])
            relocate(parts, room, i, g)
            relocate(parts, room, j, own)
            for changed in (own, g):
                renew(space, rules, tuples, parts, room, counting, changed, closed)
            change += parts.cost[own] + parts.cost[g]
            i = _some_item(parts, room, g)
        if room.state[CHANGES] == 0:
            continue
        change += descend(space, rules, tuples, parts, room, counting, k, AFTERWARDS)
        if change < -least:
            gained += change
        else:
            _undo(space, rules, tuples, parts, room, counting)
        while room.state[WAITING] > 0:
            dequeue(room)
    room.state[CHANGES] = 0
    for g in range(parts.head.size):
        if parts.head[g] >= 0:
            enqueue(room, g)
    return gained


@inner
def _some_item(parts: Parts, room: Room, g: int) -> int:
    n, i = 0, parts.head[g]
    while i >= 0:
        n += 1
        i = parts.after[i]
    i = parts.head[g]
    for _ in range(_draw(room, n)):
        i = parts.after[i]
    return i


@inner
@makes_arrays
def _undo(space: Space, rules: Rules, tuples: Tuples, parts: Parts, room: Room, counting: Counting) -> None:
    """Take back all changes of the journal."""
    stay_apart()
    made, closed = room.state[CHANGES], is_closed(space, tuples)
    touched = np.empty(2 * made, dtype=np.int64)
    for place in range(made - 1, -1, -1):
        i, g = room.journal[place, 0], room.journal[place, 1]
        touched[2 * place], touched[2 * place + 1] = parts.group[i], g
        room.state[CHANGES] = place  # its own entry is made anew, and forgotten
        relocate(parts, room, i, g)
    room.state[CHANGES] = 0
    for g in np.unique(touched):
        renew(space, rules, tuples, parts, room, counting, g, closed)


# ---- neighbours --------------------------------------------------------------------------------------------------


@kernel
@makes_arrays
def keep_nearest(space: Space, point: Point, candidates: Longs, near: NDArray[np.int32], begin: int) -> None:
    """Of the candidates of each tuple (-1: none) the nearest, itself first; the rest of its row stays as it is.

    ``begin``: the tuple that the first row of candidates belongs to.
    """
    apart = np.empty(candidates.shape[1])
    for row in range(candidates.shape[0]):
        t = begin + row
        set_point(space, point, t)
        for place in range(candidates.shape[1]):
            u = candidates[row, place]
            apart[place] = np.inf if u < 0 or u == t else between(space, point, u)
        near[t, 0] = t
        for place in range(1, near.shape[1]):
            best = argmin(apart)
            if apart[best] == np.inf:
                break
            near[t, place] = candidates[row, best]
            apart[best] = np.inf
