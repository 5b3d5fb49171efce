"""Groups that take a record of each of several parts of a table (Soria-Comas et al. 2015), as near as MDAV finds them.

Records of one part with equal values are an entry with a queue of records, so a scan costs one look at each entry. Ties go to
the combination that stands first in the data.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.arrays import starts
from ontomask.kernels.centres import Rules, Tally, change, set_centre
from ontomask.kernels.compiling import inner, kernel
from ontomask.kernels.groups import GROUPS, LEFT
from ontomask.kernels.space import Floats, Longs, Point, Space, between, set_point, slack

#: Place in the counts: tuples that have records left. Those before it are groups that were formed, and that are left.
LIVE = 2


class Parts(NamedTuple):
    """The records of each part: its entries are ``first[q]`` up to ``first[q] + several[q]``, of ``rest[q]`` records.

    Entry e is of tuple ``of[e]``, and ``records[head[e]:end[e]]`` are left of it. ``live`` are the tuples with records left,
    ``left[t]`` so many; ``out[t]`` is how far a tuple is from where distances were measured last. ``group`` takes the group
    of every record.
    """

    records: Longs
    of: Longs
    head: Longs
    end: Longs
    first: Longs
    several: Longs
    rest: Longs
    live: Longs
    left: Longs
    out: Floats
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
        np.arange(tuples),
        np.bincount(tuple_of, minlength=tuples).astype(np.int64),
        np.zeros(tuples),
        np.full(len(records), -1, dtype=np.int32),
        np.array([0, groups, tuples], dtype=np.int64),
    )


@kernel
def form_by_parts(space: Space, rules: Rules, tally: Tally, point: Point, parts: Parts, budget: int) -> bool:
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
            set_centre(space, rules, tally, point)
            _measure(space, point, parts)
        set_point(space, point, _farthest(parts, tie))
        _measure(space, point, parts)
        _form_group(space, rules, tally, parts, tie)
        from_centre = not from_centre
    return True


@inner
def _measure(space: Space, point: Point, parts: Parts) -> None:
    """How far all tuples that have records left are from the point."""
    for i in range(parts.counts[LIVE]):
        parts.out[parts.live[i]] = between(space, point, parts.live[i])


@inner
def _farthest(parts: Parts, tie: float) -> int:
    """The most distant tuple."""
    most, chosen = -np.inf, np.int64(-1)
    live = parts.live[: parts.counts[LIVE]]
    for t in live:
        most = max(most, parts.out[t])
    for t in live:
        if parts.out[t] >= most - tie * most and (chosen < 0 or t < chosen):
            chosen = t
    return chosen


@inner
def _form_group(space: Space, rules: Rules, tally: Tally, parts: Parts, tie: float) -> None:
    """The nearest record of each part; where one of the parts has more records than groups will be formed, another one."""
    parts.counts[LEFT] -= 1
    spare = True
    for part in range(parts.first.size):
        _take(space, rules, tally, parts, part, _nearest(parts, part, tie))
        if spare and parts.rest[part] > parts.counts[LEFT]:
            _take(space, rules, tally, parts, part, _nearest(parts, part, tie))
            spare = False
    parts.counts[GROUPS] += 1
    alive = 0
    for i in range(parts.counts[LIVE]):
        if parts.left[parts.live[i]] > 0:
            parts.live[alive] = parts.live[i]
            alive += 1
    parts.counts[LIVE] = alive


@inner
def _nearest(parts: Parts, part: int, tie: float) -> int:
    """The entry of the part whose tuple is nearest."""
    least, chosen = np.inf, np.int64(-1)
    begin = parts.first[part]
    end = begin + parts.several[part]
    for e in range(begin, end):
        least = min(least, parts.out[parts.of[e]])
    for e in range(begin, end):
        if parts.out[parts.of[e]] <= least + tie * least and (chosen < 0 or parts.of[e] < parts.of[chosen]):
            chosen = e
    return chosen


@inner
def _take(space: Space, rules: Rules, tally: Tally, parts: Parts, part: int, entry: int) -> None:
    """The next record of an entry joins the group that is formed; an entry without records gives its place to the last."""
    tuple_ = parts.of[entry]
    parts.group[parts.records[parts.head[entry]]] = parts.counts[GROUPS]
    parts.head[entry] += 1
    parts.rest[part] -= 1
    parts.left[tuple_] -= 1
    change(space, rules, tally, tuple_, -1)
    if parts.head[entry] == parts.end[entry]:
        parts.several[part] -= 1
        last = parts.first[part] + parts.several[part]
        parts.of[entry], parts.head[entry], parts.end[entry] = parts.of[last], parts.head[last], parts.end[last]


@kernel
def distances_from_centres(
    space: Space, point: Point, points: Point, at: Longs, tuples: Longs, weights: Longs
) -> float:
    """What all records of groups are from the centres of these, added up; S-distances stay squared.

    The tuples of group g, and how many records of each it has, are from ``at[g]`` to ``at[g + 1]``; its centre is row g.
    """
    total = 0.0
    for g in range(at.size - 1):
        point.at[:] = points.at[g]
        point.gone[:] = points.gone[g]
        point.rows[:] = points.rows[g]
        for i in range(at[g], at[g + 1]):
            total += between(space, point, tuples[i]) * weights[i]
    return total
