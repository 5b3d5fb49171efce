"""Refinement of a partition: items move between near groups, or change places, where that lowers the total distance of all
records from the centres of their groups (after ONA, Soria-Comas, Domingo-Ferrer & Mulero, MDAI 2019).

An item is a record, or a tuple with all its records. In numeric columns with squared distances the change of the total
follows from distances alone. In other columns it is estimated with the centres as they are; what promises something is
computed from the members of both groups before it is done. Columns of sets are not handled.
"""

from __future__ import annotations

import numpy as np

from ontomask.kernels.centres import Rules
from ontomask.kernels.compiling import inner, stay_apart
from ontomask.kernels.counting import Counting, counts_units
from ontomask.kernels.partition import (
    CHANGES,
    STAMP,
    WAITING,
    Parts,
    Room,
    Tuples,
    cost_with,
    dequeue,
    enqueue,
    from_centre,
    is_closed,
    relocate,
    renew,
    units_with,
)
from ontomask.kernels.space import Longs, Space

#: A change must lower the cost of the groups it touches by more than this share of it, and of the distances it is computed
#: from, and by more than coordinates are rounded: what is less may be rounding, and changes could follow each other for ever.
GAIN = 1e-9
#: What can be done with an item: it moves to another group, one of that group comes to its own, or both change places.
NOTHING, MOVE, PULL, SWAP = 0, 1, 2, 3
#: Items of a near tuple whose groups are looked at.
OF_TUPLE = 3


@inner
def closed_distance(tuples: Tuples, t: int, u: int) -> float:
    """The distance of two tuples in closed coordinates."""
    total = 0.0
    for a in range(tuples.x.shape[1]):
        apart = tuples.x[t, a] - tuples.x[u, a]
        total += tuples.closed[a] * apart * apart
    return total


@inner
def added_cost(mass: float, w: float, apart: float) -> float:
    """The closed cost that w records add to a group, ``apart`` from its centre; negative w: that they take with them."""
    return w * mass / (mass + w) * apart


@inner
def exchanged_cost(mass: float, w: float, x: float, v: float, y: float, apart: float) -> float:
    """The closed cost that a group gains if w records leave and v come: x and y from its centre, ``apart`` from each other."""
    both = v * v * y + w * w * x - v * w * (x + y - apart)
    return v * y - w * x - both / (mass - w + v)


@inner
def true_change(space: Space, rules: Rules, parts: Parts, room: Room, own: int, i: int, g: int, j: int) -> float:
    """By how much the total changes if i goes from one group to another and j comes (-1: none), from all their members."""
    change = 0.0
    for group, out, into in ((own, i, j), (g, j, i)):
        change += cost_with(space, rules, parts, room, group, out, into) - parts.cost[group]
    return change


@inner
def best_change(
    space: Space, tuples: Tuples, parts: Parts, counting: Counting, seen: Longs, stamp: int, k: int, i: int
) -> tuple[int, int, int, float]:
    """What lowers the total most of all that can be done with an item: what, the other group, its item, by how much.

    Centres of columns that are not closed are taken as they are. Nearly all the time is spent here.
    """
    stay_apart()
    own, t, w = parts.group[i], parts.tuple_of[i], float(parts.weight[i])
    a, mine, mine_rest = float(parts.mass[own]), parts.own[i, 0], parts.own[i, 1]
    by_record = not counts_units(counting)
    if by_record:
        may_leave = parts.size[own] - parts.weight[i] >= k
    else:
        may_leave = parts.mass[own] > parts.weight[i] and units_with(parts, counting, own, i, -1) >= k
    seen[own] = stamp
    what, where, with_, best = NOTHING, np.int64(-1), np.int64(-1), 0.0
    for place in range(tuples.near.shape[1]):
        near = tuples.near[t, place]
        if near < 0:
            break
        first, several = tuples.item_at[near], tuples.item_at[near + 1] - tuples.item_at[near]
        for turn in range(min(several, OF_TUPLE)):
            g = parts.group[tuples.item[first + (i + turn) % several]]
            if seen[g] == stamp:
                continue
            seen[g] = stamp
            b = float(parts.mass[g])
            best = min(best, -GAIN * (parts.cost[own] + parts.cost[g]) - tuples.rounding * (a + b))
            going, going_rest = from_centre(space, tuples, parts, g, t)
            if may_leave:
                change = added_cost(b, w, going) + added_cost(a, -w, mine) + w * (going_rest - mine_rest)
                if change + GAIN * w * going < best:
                    what, where, with_, best = MOVE, g, np.int64(-1), change
            j = parts.head[g]
            while j >= 0:
                u, v = parts.tuple_of[j], float(parts.weight[j])
                theirs, theirs_rest = parts.own[j, 0], parts.own[j, 1]
                coming, coming_rest = from_centre(space, tuples, parts, own, u)
                if b > v:
                    change = added_cost(a, v, coming) + added_cost(b, -v, theirs) + v * (coming_rest - theirs_rest)
                    if change + GAIN * v * coming < best:
                        if by_record:
                            fits = parts.size[g] - parts.weight[j] >= k
                        else:
                            fits = units_with(parts, counting, g, j, -1) >= k
                        if fits:
                            what, where, with_, best = PULL, g, j, change
                apart = closed_distance(tuples, t, u)
                change = exchanged_cost(a, w, mine, v, coming, apart) + exchanged_cost(b, v, theirs, w, going, apart)
                change += w * (going_rest - mine_rest) + v * (coming_rest - theirs_rest)
                if change + GAIN * (w * going + v * coming) < best:
                    if by_record:
                        more = parts.weight[j] - parts.weight[i]
                        fits = parts.size[own] + more >= k and parts.size[g] - more >= k
                    else:
                        fits = units_with(parts, counting, own, i, j) >= k and units_with(parts, counting, g, j, i) >= k
                    if fits:
                        what, where, with_, best = SWAP, g, j, change
                j = parts.after[j]
    return what, where, with_, best


@inner
def descend(
    space: Space, rules: Rules, tuples: Tuples, parts: Parts, room: Room, counting: Counting, k: int, budget: int
) -> float:
    """Take what lowers the total in the groups that wait, until none waits or ``budget`` items were looked at; by how much."""
    stay_apart()
    gained, state, closed = 0.0, room.state, is_closed(space, tuples)
    while state[WAITING] > 0 and budget > 0:
        g = dequeue(room)
        i = parts.head[g]
        while i >= 0:
            if budget <= 0 or state[CHANGES] + 2 > room.journal.shape[0]:  # more changes could not be undone
                enqueue(room, g)
                return gained
            budget -= 1
            state[STAMP] += 1
            what, where, with_, change = best_change(space, tuples, parts, counting, room.seen, state[STAMP], k, i)
            if what != NOTHING and not closed:
                out, into = np.int64(-1) if what == PULL else i, with_
                change = true_change(space, rules, parts, room, g, out, where, into)
                least = GAIN * (parts.cost[g] + parts.cost[where])
                if change >= -least - tuples.rounding * (parts.mass[g] + parts.mass[where]):
                    what = NOTHING
            following = parts.after[i]
            if what != NOTHING:
                gained += change
                if what != PULL:
                    relocate(parts, room, i, where)
                if what != MOVE:
                    relocate(parts, room, with_, g)
                for changed in (g, where):  # both wait from now on: they are looked through again
                    renew(space, rules, tuples, parts, room, counting, changed, closed)
            i = following
    return gained
