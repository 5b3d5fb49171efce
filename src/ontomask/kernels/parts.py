"""Groups that take a record of each of several parts of a table (Soria-Comas et al. 2015), as near as MDAV finds them.

Records of one part with equal values are an entry with a queue of records, so a scan costs one look at each entry. Ties go to
the combination that stands first in the data.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.arrays import starts
from ontomask.kernels.blocks import SIZE, Blocks, drop_slot, tidy
from ontomask.kernels.centres import Rules, Tally, change, set_centre
from ontomask.kernels.compiling import inner, kernel
from ontomask.kernels.groups import GROUPS, LEFT
from ontomask.kernels.searching import bound_below, face, farthest, look_through, renew_extremes
from ontomask.kernels.space import Longs, Point, Space, between, set_point, slack, take_point


class Parts(NamedTuple):
    """The records of each part: its entries are ``first[q]`` up to ``first[q] + several[q]``, of ``rest[q]`` records.

    Entry e is of tuple ``of[e]``, and ``records[head[e]:end[e]]`` are left of it. ``group`` takes the group of every record;
    ``counts`` holds the number of groups formed, and of those to come.
    """

    records: Longs
    of: Longs
    head: Longs
    end: Longs
    first: Longs
    several: Longs
    rest: Longs
    group: NDArray[np.int32]
    counts: Longs


def new_parts(part_of: Longs, tuple_of: NDArray[np.int32], order: Longs, parts: int, tuples: int, groups: int) -> Parts:
    """``part_of`` and ``tuple_of``: of each record; ``order``: the records in the order in which queues hold them."""
    keys = part_of[order] * tuples + tuple_of[order]
    by_entry = np.argsort(keys, kind="stable")
    records = order[by_entry].astype(np.int64)
    begins = np.flatnonzero(np.diff(keys[by_entry], prepend=-1))
    entry = keys[by_entry][begins]
    several = np.bincount(entry // tuples, minlength=parts)
    return Parts(
        records,
        entry % tuples,
        begins.astype(np.int64),
        np.append(begins[1:], len(records)).astype(np.int64),
        starts(several)[:-1],
        several.astype(np.int64),
        np.bincount(part_of, minlength=parts).astype(np.int64),
        np.full(len(records), -1, dtype=np.int32),
        np.array([0, groups], dtype=np.int64),
    )


@kernel
def form_by_parts(
    space: Space, rules: Rules, blocks: Blocks, tally: Tally, point: Point, parts: Parts, budget: int
) -> bool:
    """Form groups until all records have one (True), or ``budget`` groups were formed (False).

    ``tally`` holds all records that have no group. Groups are formed in pairs as in MDAV: around the record farthest from
    the centre, and around the one farthest from that.
    """
    tie, counts = slack(space, False), parts.counts
    stop, from_centre = counts[GROUPS] + budget, True
    while counts[LEFT] > 0:
        if from_centre:
            if counts[GROUPS] >= stop:
                return False
            tidy(space, blocks)
            set_centre(space, rules, tally, point)
            face(space, blocks, point)
        seed = farthest(space, blocks, point, False, tie)
        set_point(space, point, blocks.ids[seed])
        face(space, blocks, point)
        look_through(space, blocks, point, False, seed // SIZE)
        bound_below(space, blocks, point, False, np.inf)
        _form_group(space, rules, blocks, tally, point, parts, tie)
        from_centre = not from_centre
    return True


@inner
def _form_group(
    space: Space, rules: Rules, blocks: Blocks, tally: Tally, point: Point, parts: Parts, tie: float
) -> None:
    """The nearest record of each part; where one of the parts has more records than groups will be formed, another one."""
    parts.counts[LEFT] -= 1
    spare = True
    for part in range(parts.first.size):
        _take_nearest(space, rules, blocks, tally, point, parts, part, tie)
        if spare and parts.rest[part] > parts.counts[LEFT]:
            _take_nearest(space, rules, blocks, tally, point, parts, part, tie)
            spare = False
    parts.counts[GROUPS] += 1


@inner
def _take_nearest(
    space: Space, rules: Rules, blocks: Blocks, tally: Tally, point: Point, parts: Parts, part: int, tie: float
) -> None:
    """The nearest record of a part joins the group that is formed."""
    begin = parts.first[part]
    end = begin + parts.several[part]
    least, chosen = np.inf, np.int64(-1)
    for e in range(begin, end):  # what is known already rules out most blocks
        slot = blocks.slot[parts.of[e]]
        if blocks.known[slot // SIZE]:
            least = min(least, blocks.out[slot])
    for e in range(begin, end):
        slot = blocks.slot[parts.of[e]]
        if not blocks.known[slot // SIZE] and blocks.least[slot // SIZE] <= least + tie * least:
            look_through(space, blocks, point, False, slot // SIZE)
        if blocks.known[slot // SIZE]:
            least = min(least, blocks.out[slot])
    for e in range(begin, end):
        slot = blocks.slot[parts.of[e]]
        if blocks.known[slot // SIZE] and blocks.out[slot] <= least + tie * least:
            if chosen < 0 or parts.of[e] < parts.of[chosen]:
                chosen = np.int64(e)
    _take(space, rules, blocks, tally, parts, part, chosen)


@inner
def _take(space: Space, rules: Rules, blocks: Blocks, tally: Tally, parts: Parts, part: int, entry: int) -> None:
    """The next record of an entry joins the group; an entry without records gives its place to the last of its part."""
    tuple_ = parts.of[entry]
    slot = blocks.slot[tuple_]
    parts.group[parts.records[parts.head[entry]]] = parts.counts[GROUPS]
    parts.head[entry] += 1
    parts.rest[part] -= 1
    blocks.weight[slot] -= 1
    change(space, rules, tally, tuple_, -1)
    if parts.head[entry] == parts.end[entry]:
        parts.several[part] -= 1
        last = parts.first[part] + parts.several[part]
        parts.of[entry], parts.head[entry], parts.end[entry] = parts.of[last], parts.head[last], parts.end[last]
    if blocks.weight[slot] == 0:
        drop_slot(space, blocks, slot)
        if blocks.known[slot // SIZE]:
            renew_extremes(blocks, slot // SIZE)


@kernel
def distances_from_centres(
    space: Space, point: Point, points: Point, at: Longs, tuples: Longs, weights: Longs
) -> float:
    """What all records of groups are from the centres of these, added up; S-distances stay squared.

    The tuples of group g, and how many records of each it has, are from ``at[g]`` to ``at[g + 1]``; its centre is row g.
    """
    total = 0.0
    for g in range(at.size - 1):
        take_point(points, g, point)
        for i in range(at[g], at[g + 1]):
            total += between(space, point, tuples[i]) * weights[i]
    return total
