"""Adaptive microaggregation (SA-MDAV, T12 Algorithm 4): equal records stay together, groups have k records or more.

Where units are counted, such as persons, they have records of k units or more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.kernels.blocks import Blocks, drop_slot, tidy
from ontomask.kernels.centres import Rules, Tally, change, clear, set_centre
from ontomask.kernels.compiling import inner, kernel
from ontomask.kernels.counting import Counting, gained, used_up
from ontomask.kernels.groups import GROUPS, LEFT, closest_group
from ontomask.kernels.searching import face, farthest, look_from, nearest
from ontomask.kernels.space import Codes, Floats, Longs, Point, Space, new_points, set_point, slack


class Groups(NamedTuple):
    """``group`` of each tuple (-1: none yet), the centre of each group, and ``counts``: groups formed, records (or other
    units) left."""

    group: NDArray[np.int32]
    counts: Longs
    at: Floats
    gone: Floats
    rows: Codes


def new_groups(space: Space, p: int, records: int, size: int, k: int) -> Groups:
    """For p tuples of so many records; ``size``: how many records, or other units, there are."""
    centres = new_points(space, min(p, records // k))
    return Groups(np.full(p, -1, dtype=np.int32), np.array([0, size], dtype=np.int64), *centres)


@kernel
def adaptive_steps(
    space: Space,
    rules: Rules,
    blocks: Blocks,
    everyone: Tally,
    members: Tally,
    point: Point,
    seed: Point,
    groups: Groups,
    counting: Counting,
    k: int,
    weighted: bool,
    static: bool,
    budget: int,
) -> bool:
    """Form groups until fewer than k records (or units) are left (True), or about ``budget`` tuples have one (False).

    ``everyone`` holds all records that have no group; ``members`` those of the group being formed. ``static`` keeps
    the first tuple of a group as its centre.
    """
    counts, tie = groups.counts, slack(space, weighted)
    stop = blocks.count[1] - budget
    from_centre = True  # groups are formed in pairs: around r, far from the centre, and around s, far from r
    while counts[LEFT] >= k:
        if from_centre:
            if blocks.count[1] <= stop:
                return False
            tidy(space, blocks)
            set_centre(space, rules, everyone, point)
        else:
            point.at[:] = seed.at
            point.gone[:] = seed.gone
            point.rows[:] = seed.rows
        face(space, blocks, point)
        slot = farthest(space, blocks, point, weighted, tie)
        if from_centre:
            set_point(space, seed, blocks.ids[slot])
        _form_group(space, rules, blocks, everyone, members, point, groups, counting, slot, k, weighted, static)
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
    counting: Counting,
    slot: int,
    k: int,
    weighted: bool,
    static: bool,
) -> None:
    """The tuple at ``slot``, then the tuple nearest to the centre of the group, until it has k records (or units)."""
    number, size = groups.counts[GROUPS], np.int64(0)
    clear(members)
    while True:
        tuple_, weight = blocks.ids[slot], blocks.weight[slot]
        groups.group[tuple_] = number
        groups.counts[LEFT] -= used_up(counting, tuple_, weight)
        change(space, rules, everyone, tuple_, -weight)
        change(space, rules, members, tuple_, weight)
        drop_slot(space, blocks, slot)
        if size == 0 or not static:
            set_centre(space, rules, members, point)
        size += gained(counting, tuple_, weight, number)
        if size >= k:
            break
        look_from(space, blocks, point, weighted)
        slot = nearest(space, blocks, point, weighted, slack(space, weighted))
    groups.at[number] = point.at
    groups.gone[number] = point.gone
    groups.rows[number] = point.rows
    groups.counts[GROUPS] = number + 1


@kernel
def place_leftovers(space: Space, point: Point, groups: Groups) -> None:
    """Each tuple without a group joins the one whose centre, as it stands, is closest; of equals the first formed."""
    for t in range(groups.group.size):
        if groups.group[t] < 0:
            groups.group[t] = closest_group(space, point, groups.at, groups.gone, groups.rows, groups.counts[GROUPS], t)
