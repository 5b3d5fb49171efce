"""A partition that is under refinement: its groups as lists of items, with their sizes, centres and costs.

Centres and costs are always computed from the members of a group, so they never drift.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.kernels.centres import Rules, Tally, new_tally
from ontomask.kernels.compiling import inner, stay_apart
from ontomask.kernels.counting import Counting, counts_units, gained
from ontomask.kernels.groups import Members, centre_of_first, new_members
from ontomask.kernels.space import Codes, Floats, Longs, Point, Space, between, keep_point, new_point, new_points

#: Changes that can be undone.
JOURNAL = 4096
#: Places in the state: the first group that waits, how many wait, changes made, the random number, the last stamp.
FIRST, WAITING, CHANGES, RANDOM, STAMP = 0, 1, 2, 3, 4


class Tuples(NamedTuple):
    """What items are looked at with: all that belongs to a tuple lies together.

    ``x``, ``lacks``, ``y``: its coordinates, which of them are missing (1), its codes. ``near``: the nearest tuples, itself
    first (-1: no more). The items of tuple t are ``item[item_at[t]:item_at[t + 1]]``. ``closed[a]`` is 1 where the cost of
    coordinate a follows from distances alone, else 0. ``rounding``: what the last digits of coordinates may add to the
    distance of a record from a centre.
    """

    x: Floats
    lacks: Floats
    y: Codes
    near: NDArray[np.int32]
    item_at: Longs
    item: Longs
    closed: Floats
    rounding: float


class Parts(NamedTuple):
    """A partition under refinement.

    Item i is ``weight[i]`` records of ``tuple_of[i]``, in ``group[i]``, at a distance of ``own[i]`` from its centre: that of
    closed coordinates, and the rest. The items of a group are a list: ``head[g]``, then ``after[i]`` and ``before[i]`` (-1:
    none). ``mass``: its records; ``size``: these, or other units; ``cost``: their total distance from its centre, which is
    the g-th of ``centres``.
    """

    tuple_of: Longs
    weight: Longs
    group: Longs
    own: Floats
    head: Longs
    after: Longs
    before: Longs
    mass: Longs
    size: Longs
    cost: Floats
    centres: Point


class Room(NamedTuple):
    """What refinement works in: members of a group that is tried, its centre, groups that wait, changes that were made."""

    tally: Tally
    point: Point
    members: Members
    queue: Longs
    waits: NDArray[np.bool_]
    seen: Longs
    journal: Longs
    state: Longs


def new_tuples(space: Space, rules: Rules, tuple_of: Longs, near: NDArray[np.int32]) -> Tuples:
    p = len(near)
    item = np.argsort(tuple_of, kind="stable").astype(np.int64)
    lacks = np.broadcast_to(space.lacks, space.numbers.shape)
    closed = np.full(len(space.gap), bool(space.squared)) & (space.gap == 0) & (rules.levels == 0)
    return Tuples(
        np.ascontiguousarray(space.numbers.T),
        np.array(lacks.T, order="C"),  # never a view that cannot be written: that would be another type
        np.ascontiguousarray(space.codes.T),
        near,
        np.searchsorted(tuple_of[item], np.arange(p + 1)).astype(np.int64),
        item,
        closed.astype(np.float64),
        _rounding(space),
    )


def _rounding(space: Space) -> float:
    """Beside a far outlier other records differ in the last digits of their coordinates only, and so do their centres."""
    steps = np.spacing(np.abs(space.numbers).max(axis=1, initial=0.0)) * 4
    return float((steps**2).sum() if space.squared else steps.sum())


def new_parts(space: Space, tuple_of: Longs, weight: Longs, group: Longs, groups: int) -> Parts:
    """A partition whose lists, sizes and costs :func:`settle_all` computes."""
    n = len(tuple_of)
    heads, after, before = (np.full(length, -1, dtype=np.int64) for length in (groups, n, n))
    mass, size = np.zeros((2, groups), dtype=np.int64)
    return Parts(
        tuple_of=tuple_of,
        weight=weight,
        group=group.astype(np.int64),
        own=np.zeros((n, 2)),
        head=heads,
        after=after,
        before=before,
        mass=mass,
        size=size,
        cost=np.zeros(groups),
        centres=new_points(space, groups),
    )


def new_room(space: Space, rules: Rules, items: int, groups: int) -> Room:
    return Room(
        tally=new_tally(space, rules),
        point=new_point(space),
        members=new_members(rules, items + 1),
        queue=np.zeros(groups + 1, dtype=np.int64),
        waits=np.zeros(groups, dtype=np.bool_),
        seen=np.zeros(groups, dtype=np.int64),
        journal=np.zeros((JOURNAL, 2), dtype=np.int64),
        state=np.array([0, 0, 0, 1, 0], dtype=np.int64),
    )


# ---- distances ---------------------------------------------------------------------------------------------------


@inner
def from_centre(space: Space, tuples: Tuples, parts: Parts, g: int, t: int) -> tuple[float, float]:
    """The distance of a tuple from the centre of a group: of closed coordinates, and the rest."""
    shut, rest = 0.0, 0.0
    for a in range(tuples.x.shape[1]):
        apart = tuples.x[t, a] - parts.centres.at[g, a]
        apart = apart * apart if space.squared else abs(apart)
        lacks, gone = tuples.lacks[t, a], parts.centres.gone[g, a]
        apart = apart * (1.0 - lacks) * (1.0 - gone) + space.gap[a] * (lacks + gone - 2.0 * lacks * gone)
        shut += tuples.closed[a] * apart
        rest += (1.0 - tuples.closed[a]) * apart
    for c in range(tuples.y.shape[1]):
        code, row = np.int64(tuples.y[t, c]), np.int64(parts.centres.rows[g, c])
        rest += (
            space.unit[c] * (code != row) + space.tables[space.begin[c] + row * space.stride[c] + code * space.step[c]]
        )
    return shut, rest


@inner
def is_closed(space: Space, tuples: Tuples) -> bool:
    """Does the cost of all columns follow from distances alone?"""
    return tuples.closed.sum() == tuples.closed.size and tuples.y.shape[1] == 0


# ---- lists and costs ---------------------------------------------------------------------------------------------


@inner
def _take_out(parts: Parts, i: int) -> None:
    g, before, after = parts.group[i], parts.before[i], parts.after[i]
    if before >= 0:
        parts.after[before] = after
    else:
        parts.head[g] = after
    if after >= 0:
        parts.before[after] = before


@inner
def _put_in(parts: Parts, i: int, g: int) -> None:
    first = parts.head[g]
    parts.group[i], parts.head[g] = g, i
    parts.before[i], parts.after[i] = -1, first
    if first >= 0:
        parts.before[first] = i


@inner
def cost_with(space: Space, rules: Rules, parts: Parts, room: Room, g: int, out: int, into: int) -> float:
    """The cost of a group without one item, and with another (-1: none); its centre is left in the point."""
    n, i = 0, parts.head[g]
    while i >= 0:
        if i != out:
            room.members.tuples[n], room.members.times[n] = parts.tuple_of[i], parts.weight[i]
            n += 1
        i = parts.after[i]
    if into >= 0:
        room.members.tuples[n], room.members.times[n] = parts.tuple_of[into], parts.weight[into]
        n += 1
    return cost_of_members(space, rules, room, n)


@inner
def cost_of_members(space: Space, rules: Rules, room: Room, n: int) -> float:
    """The cost of the first n members as one group; its centre is left in the point."""
    stay_apart()
    if n == 0:
        return 0.0
    centre_of_first(space, rules, room.tally, room.point, room.members, n)
    total = 0.0
    for j in range(n):
        total += room.members.times[j] * between(space, room.point, room.members.tuples[j])
    return total


@inner
def _set_mean(tuples: Tuples, parts: Parts, g: int) -> None:
    """Let the centre of a group be the mean of closed coordinates."""
    for a in range(tuples.x.shape[1]):
        first = tuples.x[parts.tuple_of[parts.head[g]], a]
        total, i = 0.0, parts.head[g]
        while i >= 0:
            total += parts.weight[i] * (tuples.x[parts.tuple_of[i], a] - first)
            i = parts.after[i]
        parts.centres.at[g, a] = first + total / parts.mass[g]


@inner
def new_mark(counting: Counting) -> int:
    """A mark that no unit bears yet."""
    if not counts_units(counting):
        return 0
    counting.left[0] += 1
    return counting.left[0]


@inner
def added(parts: Parts, counting: Counting, item: int, mark: int) -> int:
    """How many records an item adds to others, or units that do not bear the mark yet; they do from now on."""
    return gained(counting, item, parts.weight[item], mark)


@inner
def units_with(parts: Parts, counting: Counting, g: int, out: int, into: int) -> int:
    mark, found, i = new_mark(counting), np.int64(0), parts.head[g]
    while i >= 0:
        if i != out:
            found += added(parts, counting, i, mark)
        i = parts.after[i]
    return found if into < 0 else found + added(parts, counting, into, mark)


@inner
def size_with(parts: Parts, counting: Counting, g: int, out: int, into: int) -> int:
    """How many records, or other units, a group has without one item, and with another (-1: none)."""
    if counts_units(counting):
        return units_with(parts, counting, g, out, into)
    size = parts.size[g]
    if out >= 0:
        size -= parts.weight[out]
    if into >= 0:
        size += parts.weight[into]
    return size


@inner
def renew(
    space: Space, rules: Rules, tuples: Tuples, parts: Parts, room: Room, counting: Counting, g: int, closed: bool
) -> None:
    """The centre, cost and size of a group whose items changed, and their distances from it; it waits to be looked at."""
    stay_apart()
    parts.mass[g], parts.size[g], parts.cost[g] = 0, 0, 0.0
    if parts.head[g] < 0:
        return
    mark, i = new_mark(counting), parts.head[g]
    while i >= 0:
        parts.mass[g] += parts.weight[i]
        parts.size[g] += added(parts, counting, i, mark)
        i = parts.after[i]
    if closed:
        _set_mean(tuples, parts, g)
    else:
        cost_with(space, rules, parts, room, g, -1, -1)
        keep_point(room.point, parts.centres, g)
    i = parts.head[g]
    while i >= 0:
        shut, rest = from_centre(space, tuples, parts, g, parts.tuple_of[i])
        parts.own[i, 0], parts.own[i, 1] = shut, rest
        parts.cost[g] += parts.weight[i] * (shut + rest)
        i = parts.after[i]
    enqueue(room, g)


@inner
def settle_all(space: Space, rules: Rules, tuples: Tuples, parts: Parts, room: Room, counting: Counting) -> None:
    """Lists, sizes, costs and centres of all groups; all of them wait."""
    stay_apart()
    closed = is_closed(space, tuples)
    for i in range(parts.group.size - 1, -1, -1):
        _put_in(parts, i, parts.group[i])
    for g in range(parts.head.size):
        renew(space, rules, tuples, parts, room, counting, g, closed)


@inner
def relocate(parts: Parts, room: Room, i: int, g: int) -> None:
    """Let an item change its group; the journal has where it was. Costs and sizes are not renewed."""
    made = room.state[CHANGES]
    room.journal[made, 0], room.journal[made, 1] = i, parts.group[i]
    room.state[CHANGES] = made + 1
    _take_out(parts, i)
    _put_in(parts, i, g)


@inner
def enqueue(room: Room, g: int) -> None:
    if not room.waits[g]:
        room.waits[g] = True
        room.queue[(room.state[FIRST] + room.state[WAITING]) % room.queue.size] = g
        room.state[WAITING] += 1


@inner
def dequeue(room: Room) -> int:
    g = room.queue[room.state[FIRST]]
    room.state[FIRST] = (room.state[FIRST] + 1) % room.queue.size
    room.state[WAITING] -= 1
    room.waits[g] = False
    return g
