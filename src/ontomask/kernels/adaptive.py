"""Adaptive microaggregation (SA-MDAV, T12 Algorithm 4): equal records stay together, groups have k records or more.

Where units are counted, such as persons, they have records of k units or more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.kernels.blocks import SIZE, Blocks, drop_slot, tidy
from ontomask.kernels.centres import Rules, Tally, add_some, change, clear, set_centre
from ontomask.kernels.compiling import inner, kernel
from ontomask.kernels.counting import Counting, gained, used_up
from ontomask.kernels.groups import FEW, GROUPS, LEFT, Members, centre_of_first, closest_group
from ontomask.kernels.searching import face, farthest, look_from, look_near, look_through, nearest
from ontomask.kernels.space import Longs, Point, Space, copy_point, keep_point, new_points, set_point, slack


class Groups(NamedTuple):
    """``group`` of each tuple (-1: none yet), the centre of each group, and ``counts``: groups formed, records (or other
    units) left."""

    group: NDArray[np.int32]
    counts: Longs
    centres: Point


def new_groups(space: Space, p: int, records: int, size: int, k: int) -> Groups:
    """For p tuples of so many records; ``size``: how many records, or other units, there are."""
    centres = new_points(space, min(p, records // k))
    return Groups(np.full(p, -1, dtype=np.int32), np.array([0, size], dtype=np.int64), centres)


@kernel
def adaptive_steps(
    space: Space,
    rules: Rules,
    blocks: Blocks,
    outer: Blocks,
    apart: bool,
    everyone: Tally,
    members: Tally,
    point: Point,
    seed: Point,
    groups: Groups,
    room: Members,
    counting: Counting,
    k: int,
    weighted: bool,
    static: bool,
    budget: int,
) -> bool:
    """Form groups until fewer than k records (or units) are left (True), or about ``budget`` tuples have one (False).

    The nearest tuples are looked for in ``blocks``, the farthest in ``outer``: the same tuples in other blocks, if these are
    ``apart``. ``everyone`` holds all records that have no group; ``members`` those of a large group being formed. ``static``
    keeps the first tuple of a group as its centre.
    """
    counts, tie = groups.counts, slack(space, weighted)
    stop = blocks.count[1] - budget
    from_centre = True  # groups are formed in pairs: around r, far from the centre, and around s, far from r
    while counts[LEFT] >= k:
        if from_centre:
            if blocks.count[1] <= stop:
                return False
            tidy(space, blocks)
            if apart:
                tidy(space, outer)
            set_centre(space, rules, everyone, point)
        else:
            copy_point(seed, point)
        face(space, outer, point)
        first = outer.ids[farthest(space, outer, point, weighted, tie)]
        if from_centre:
            set_point(space, seed, first)
        several = _form_group(
            space, rules, blocks, everyone, members, point, groups, room, counting, first, k, weighted, static
        )
        if apart:
            for i in range(several):
                drop_slot(space, outer, outer.slot[room.tuples[i]])
        from_centre = not from_centre
    return True


@inner
def _form_group(
    space: Space,
    rules: Rules,
    blocks: Blocks,
    everyone: Tally,
    members: Tally,
    point: Point,
    groups: Groups,
    room: Members,
    counting: Counting,
    first: int,
    k: int,
    weighted: bool,
    static: bool,
) -> int:
    """A first tuple, then the tuple nearest to the centre of the group, until it has k records (or units); how many it has."""
    number, size, several, slot = groups.counts[GROUPS], np.int64(0), 0, blocks.slot[first]
    while True:
        tuple_, weight = blocks.ids[slot], blocks.weight[slot]
        groups.group[tuple_] = number
        groups.counts[LEFT] -= used_up(counting, tuple_, weight)
        change(space, rules, everyone, tuple_, -weight)
        drop_slot(space, blocks, slot)
        room.tuples[several], room.times[several] = tuple_, weight
        several += 1
        size += gained(counting, tuple_, weight, number)
        if several == 1 or not static:
            _set_centre(space, rules, members, point, room, several)
        if size >= k:
            break
        slot = _nearest(space, blocks, point, weighted, slot // SIZE)
    if several > FEW or space.sets is not None:
        clear(members)
    keep_point(point, groups.centres, number)
    groups.counts[GROUPS] = number + 1
    return several


@inner
def _nearest(space: Space, blocks: Blocks, point: Point, weighted: bool, block: int) -> int:
    """The slot of the tuple nearest to the centre of a group; ``block``: where its last tuple was, and near ones may be."""
    tie = slack(space, weighted)
    if weighted:
        look_from(space, blocks, point, weighted)
    else:
        face(space, blocks, point)
        look_through(space, blocks, point, weighted, block)
        look_near(space, blocks, point, tie)
    return nearest(space, blocks, point, weighted, tie)


@inner
def _set_centre(space: Space, rules: Rules, tally: Tally, point: Point, room: Members, several: int) -> None:
    """Let the point be the centre of the members, the last of which is new. Of a few the tally stays empty."""
    if several <= FEW and space.sets is None:
        centre_of_first(space, rules, tally, point, room, several)
        return
    if several == FEW + 1 and space.sets is None:
        add_some(space, rules, tally, room.tuples[:several], room.times[:several])
    else:
        change(space, rules, tally, room.tuples[several - 1], room.times[several - 1])
    set_centre(space, rules, tally, point)


@kernel
def place_leftovers(space: Space, point: Point, groups: Groups) -> None:
    """Each tuple without a group joins the one whose centre, as it stands, is closest; of equals the first formed."""
    for t in range(groups.group.size):
        if groups.group[t] < 0:
            groups.group[t] = closest_group(space, point, groups.centres, groups.counts[GROUPS], t)
