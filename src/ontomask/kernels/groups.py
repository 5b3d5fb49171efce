"""The centres of many groups of tuples at once, and the group that is closest to a tuple."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.kernels.centres import (
    LOW,
    MODE,
    PRESENT,
    SUBSUMER,
    Rules,
    Tally,
    add_some,
    change_numbers,
    clear,
    is_below,
    parts,
    set_centre,
    set_numbers,
)
from ontomask.kernels.compiling import inner, kernel, makes_arrays, stay_apart
from ontomask.kernels.set_centres import set_sets
from ontomask.kernels.space import TIE, Codes, Floats, Longs, Point, Space, between, keep_point, slack, take_point

#: Places in the counts of a partition that is under way: groups formed, records left.
GROUPS, LEFT = 0, 1
#: Tuples of a group up to which only the rows that can be its centre are looked at.
FEW = 64


class Members(NamedTuple):
    """Room for the tuples of a group and their numbers of records, and for what its centre is computed in."""

    tuples: Longs
    times: Longs
    present: Longs
    rows_above: Longs


def new_members(rules: Rules, most: int) -> Members:
    tuples, times = np.zeros((2, most), dtype=np.int64)
    return Members(tuples, times, np.empty(FEW, dtype=np.int64), np.empty(rules.depth.size, dtype=np.int64))


@inner
def centre_of_first(space: Space, rules: Rules, tally: Tally, point: Point, members: Members, n: int) -> None:
    """Let the point be the centre of the first n members; the tally is empty before and after."""
    tuples, times = members.tuples[:n], members.times[:n]
    centre_of_members(space, rules, tally, point, tuples, times, members.present, members.rows_above)


@kernel
@makes_arrays
def centres_of_groups(
    space: Space,
    rules: Rules,
    tally: Tally,
    point: Point,
    group_at: Longs,
    tuples: Longs,
    weights: Longs,
    points: Point,
    begin: int,
    end: int,
) -> None:
    """Centre ``g`` (begin <= g < end) of the tuples ``group_at[g]..group_at[g + 1]``, into the points."""
    clear(tally)
    present, rows_above = np.empty(FEW, dtype=np.int64), np.empty(rules.depth.size, dtype=np.int64)
    for g in range(begin, end):
        members, times = tuples[group_at[g] : group_at[g + 1]], weights[group_at[g] : group_at[g + 1]]
        centre_of_members(space, rules, tally, point, members, times, present, rows_above)
        keep_point(point, points, g)


@inner
def centre_of_members(
    space: Space,
    rules: Rules,
    tally: Tally,
    point: Point,
    members: Longs,
    times: Longs,
    present: Longs,
    rows_above: Longs,
) -> None:
    """Let the point be the centre of some tuples, of each so many records; the tally is empty before and after.

    ``present`` is room for FEW codes, ``rows_above`` for all rows.
    """
    stay_apart()
    if members.size > FEW:
        add_some(space, rules, tally, members, times)
        set_centre(space, rules, tally, point)
        clear(tally)
    else:
        _set_centre_of_few(space, rules, tally, point, members, times, present, rows_above)
        set_sets(space.sets, rules.sets, tally.room, members, times, point.rows)


@inner
def _set_centre_of_few(
    space: Space,
    rules: Rules,
    tally: Tally,
    point: Point,
    members: Longs,
    times: Longs,
    present: Longs,
    rows_above: Longs,
) -> None:
    """The same centre as that of a tally, of which only what the members touch is looked at; it is left empty.

    Groups are small and tables may be large: total costs are added up only for the rows that can be the centre.
    """
    for i in range(members.size):
        change_numbers(space, rules, tally, members[i], times[i])
    set_numbers(space, rules, tally, point)
    for i in range(members.size):
        change_numbers(space, rules, tally, members[i], -times[i])
    tally.sums[:] = 0.0  # the one thing that rounding may leave a trace in
    for c in range(space.codes.shape[0]):
        several = 0
        for i in range(members.size):
            code = np.int64(space.codes[c, members[i]])
            place = space.home_at[c] + code
            if tally.counts[place] == 0:
                present[several] = code
                several += 1
            tally.counts[place] += times[i]
        codes, counts = present[:several], tally.counts[space.home_at[c] : space.home_at[c + 1]]
        point.rows[c] = _row_of_few(space, rules, tally, c, codes, counts, rows_above)
        for j in range(several):
            counts[codes[j]] = 0


@inner
def _row_of_few(
    space: Space, rules: Rules, tally: Tally, c: int, codes: Longs, counts: Longs, rows_above: Longs
) -> int:
    home, kind = space.home[space.home_at[c] : space.home_at[c + 1]], rules.kind[c]
    if kind == MODE:
        best = codes[0]
        for j in range(1, codes.size):
            code = codes[j]
            if counts[code] > counts[best] or (counts[code] == counts[best] and code < best):
                best = code
        return np.int64(home[best])
    if kind == PRESENT:
        for j in range(codes.size):
            rows_above[j] = home[codes[j]]
        return _least_of(rules, c, codes, counts, rows_above[: codes.size], np.int64(-1))
    # The rows that subsume a member, and how many distinct members each subsumes.
    first, void, known, several = rules.row_at[c], rules.void[c], 0, 0
    for j in range(codes.size):
        row = np.int64(home[codes[j]])
        known += row != void
        for i in range(rules.up_at[first + row], rules.up_at[first + row + 1]):
            if tally.cover[first + rules.up[i]] == 0:
                rows_above[several] = rules.up[i]
                several += 1
            tally.cover[first + rules.up[i]] += 1
    above = rows_above[:several]
    top = void if known == 0 else _top_of(rules, tally, c, codes, home, above, known)
    for j in range(several):
        tally.cover[first + above[j]] = 0
    if known == 0 or kind == SUBSUMER:
        return top
    inside = 0
    for j in range(several):
        if above[j] == void or is_below(rules, first, above[j], top):
            above[inside] = above[j]
            inside += 1
    return _least_of(rules, c, codes, counts, above[:inside], top)


@inner
def _top_of(rules: Rules, tally: Tally, c: int, codes: Longs, home: Codes, above: Longs, known: int) -> int:
    """The deepest row above every value; of several the one with the fewest links in all, then the first."""
    first, void = rules.row_at[c], rules.void[c]
    wide = rules.row_at[c + 1] - first
    deepest, best, fewest = np.int64(-1), np.int64(-1), np.int64(-1)
    for j in range(above.size):
        u = above[j]
        if tally.cover[first + u] != known or u == void or rules.depth[first + u] < deepest:
            continue
        links = np.int64(0)
        if rules.links.size:  # in a tree no two common subsumers are equally deep
            for i in range(codes.size):
                if np.int64(home[codes[i]]) != void:
                    links += rules.links[rules.cost_at[c] + codes[i] * wide + u]
        deeper = rules.depth[first + u] > deepest
        if deeper or links < fewest or (links == fewest and u < best):
            deepest, best, fewest = rules.depth[first + u], u, links
    return best


@inner
def _least_of(rules: Rules, c: int, codes: Longs, counts: Longs, rows: Longs, otherwise: int) -> int:
    """The one of some rows at the least total cost, the first of equals."""
    wide = rules.row_at[c + 1] - rules.row_at[c]
    least, best = np.inf, np.int64(-1)
    for turn in range(2):
        for j in range(rows.size):
            high, low = np.int64(0), np.int64(0)
            for i in range(codes.size):
                whole, rest = parts(rules.costs[rules.cost_at[c] + codes[i] * wide + rows[j]], rules.fix[c])
                high += whole * counts[codes[i]]
                low += rest * counts[codes[i]]
            cost = high + low / LOW
            if turn == 0:
                least = min(least, cost)
            elif cost <= least + TIE * least and (best < 0 or rows[j] < best):
                best = rows[j]
    return best if best >= 0 else otherwise


@inner
def closest_group(space: Space, point: Point, points: Point, groups: int, tuple_: int) -> int:
    """The group whose centre is closest to a tuple; of equals the first."""
    tie = slack(space, False)
    least, best = np.inf, np.int64(-1)
    for g in range(groups):
        take_point(points, g, point)
        apart = between(space, point, tuple_)
        # A later one must be nearer by more than a tie.
        if best < 0 or apart < least - tie * least:
            least, best = apart, g
    return best


@kernel
def closest_groups(space: Space, point: Point, points: Point, groups: int, tuples: Longs, into: Longs) -> None:
    """:func:`closest_group` for several tuples."""
    for i in range(tuples.size):
        into[i] = closest_group(space, point, points, groups, tuples[i])


@kernel
def distances_from(space: Space, point: Point, tuples: Longs, out: Floats) -> None:
    """From the point to each of the tuples; S-distances stay squared."""
    for i in range(tuples.size):
        out[i] = between(space, point, tuples[i])


@kernel
def nearest_group(
    space: Space,
    point: Point,
    points: Point,
    alive: NDArray[np.bool_],
    group: int,
    tuples: Longs,
    weights: Longs,
) -> int:
    """The other group whose centre is nearest to the given tuples on average; of equals the first."""
    tie = slack(space, False)
    least, best = np.inf, np.int64(-1)
    for g in range(alive.size):
        if not alive[g] or g == group:
            continue
        take_point(points, g, point)
        total = 0.0
        for i in range(tuples.size):
            apart = between(space, point, tuples[i])
            total += (np.sqrt(apart) if space.squared else apart) * weights[i]
        if best < 0 or total < least - tie * least:
            least, best = total, np.int64(g)
    return best
