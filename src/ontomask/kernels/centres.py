"""The centre of a set of tuples, kept up to date while tuples join and leave it (T12 def. 7-8, M13 def. 1).

Sums of distances are kept as whole numbers, in two parts of 30 and 31 bits, so that what is added and taken away
again leaves exactly nothing behind, however often; a centre never depends on the way a set came about.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.kernels.argmax import argmax
from ontomask.kernels.compiling import inner, kernel, makes_arrays
from ontomask.kernels.set_centres import SetRoom, SetRules, new_set_room, set_sets
from ontomask.kernels.sets import SetSpace
from ontomask.kernels.space import TIE, Codes, Floats, Longs, Point, Space, copy_values

HIGH = float(2**30)
LOW = float(2**31)

#: How the centre of a coded attribute is chosen.
HIERARCHY, PRESENT, MODE, SUBSUMER = 0, 1, 2, 3


class Rules(NamedTuple):
    """How the centre of each attribute is chosen.

    ``levels[a]`` is 0 for a numeric attribute (mean) and the number of ranks of an ordinal one (lower median), whose
    ranks lie ``step[a]`` apart. ``kind[c]``: least total cost in the minimum hierarchy, or among the values present;
    the mode; the least common subsumer. ``costs`` are tables like those of the space; ``fix[c]`` brings their entries
    to 0..2^30. Rows stand in taxonomy order: ``row_at[c]`` is where those of an attribute begin in ``depth`` and in
    ``up_at``, which cuts ``up`` into the subsumers of each row (itself included). ``void[c]`` is the row that stands
    for a missing value, or -1. ``links`` (values x rows, like ``costs``; empty if every taxonomy is a tree) holds the
    fewest links from a value up to a row. ``sets``: the same of attributes that hold sets.
    """

    levels: Longs
    step: Floats
    kind: Longs
    costs: Floats
    cost_at: Longs
    fix: Floats
    row_at: Longs
    depth: Longs
    up_at: Longs
    up: Codes
    void: Longs
    links: NDArray[np.int16]
    sets: SetRules | None


class Tally(NamedTuple):
    """What is known of a set: sums and ranks of numbers, counts of values, total costs and coverage of rows.

    Where attributes hold sets: ``listed[:state[0]]`` are its tuples, ``place`` says where each is listed (from 1; 0: it is
    not), ``times`` how many records of it there are; ``state[1]`` counts all records, ``state[2]`` those that the centre of
    sets, ``held``, was computed of. ``room`` is what that computation works in.
    """

    sums: Floats
    here: Longs
    gone: Longs
    ranks: Longs
    counts: Longs
    high: Longs
    low: Longs
    cover: Longs
    distinct: Longs
    listed: Longs
    place: Longs
    times: Longs
    state: Longs
    held: Codes
    room: SetRoom | None


def new_tally(space: Space, rules: Rules) -> Tally:
    numbers, rows = len(space.numbers), int(rules.row_at[-1])
    tuples, length = (0, 0) if space.sets is None else (space.sets.codes.shape[1], int(space.sets.point_at[-1]))
    longs = np.int64
    return Tally(
        np.zeros((numbers, 2)),
        np.zeros(numbers, dtype=longs),
        np.zeros(numbers, dtype=longs),
        np.zeros((numbers, int(rules.levels.max(initial=0))), dtype=longs),
        np.zeros(int(space.home_at[-1]), dtype=longs),
        np.zeros(rows, dtype=longs),
        np.zeros(rows, dtype=longs),
        np.zeros(rows, dtype=longs),
        np.zeros(len(space.codes), dtype=longs),
        np.zeros(tuples, dtype=longs),
        np.zeros(tuples, dtype=longs),
        np.zeros(tuples, dtype=longs),
        np.zeros(3, dtype=longs),
        np.zeros(length, dtype=np.uint32),
        new_set_room(space.sets, rules.sets),
    )


@inner
def clear(tally: Tally) -> None:
    tally.sums[:] = 0.0
    tally.here[:] = 0
    tally.gone[:] = 0
    tally.ranks[:] = 0
    tally.counts[:] = 0
    tally.high[:] = 0
    tally.low[:] = 0
    tally.cover[:] = 0
    tally.distinct[:] = 0
    for i in range(tally.state[0]):
        tally.place[tally.listed[i]] = 0
        tally.times[tally.listed[i]] = 0
    tally.state[:] = 0


@inner
def change(space: Space, rules: Rules, tally: Tally, tuple_: int, weight: int) -> None:
    """Let ``weight`` records of a tuple join the set, or leave it where the weight is negative."""
    change_numbers(space, rules, tally, tuple_, weight)
    for c in range(space.codes.shape[0]):
        _change_code(space, rules, tally, c, np.int64(space.codes[c, tuple_]), weight)
    if space.sets is not None:
        _change_list(tally, tuple_, weight)


@inner
def _change_list(tally: Tally, tuple_: int, weight: int) -> None:
    """Let records of a tuple join the list, or leave it; the last one takes the place of one that left."""
    listed, place, state = tally.listed, tally.place, tally.state
    tally.times[tuple_] += weight
    state[1] += weight
    if place[tuple_] == 0:
        listed[state[0]] = tuple_
        state[0] += 1
        place[tuple_] = state[0]
    elif tally.times[tuple_] == 0:
        state[0] -= 1
        last = listed[state[0]]
        listed[place[tuple_] - 1] = last
        place[last] = place[tuple_]
        place[tuple_] = 0


@inner
def change_numbers(space: Space, rules: Rules, tally: Tally, tuple_: int, weight: int) -> None:
    for a in range(space.numbers.shape[0]):
        if space.gap[a] > 0.0 and space.absent[a, tuple_] > 0.0:
            tally.gone[a] += weight
            continue
        tally.here[a] += weight
        x = space.numbers[a, tuple_]
        if rules.levels[a] > 0:
            rank = np.int64(x / rules.step[a] + 0.5) if rules.step[a] > 0.0 else 0
            tally.ranks[a, rank] += weight
        else:
            _add_exactly(tally.sums[a], x * weight)


@kernel
@makes_arrays
def add_all(space: Space, rules: Rules, tally: Tally, weights: Longs) -> None:
    """Let every tuple join the set with all its records."""
    add_some(space, rules, tally, np.arange(weights.size), weights)


@inner
@makes_arrays
def add_some(space: Space, rules: Rules, tally: Tally, tuples: Longs, weights: Longs) -> None:
    """Let some tuples join the set with so many records each, those of one value at once."""
    for i in range(tuples.size):
        change_numbers(space, rules, tally, tuples[i], weights[i])
    for c in range(space.codes.shape[0]):
        records = np.zeros(space.home_at[c + 1] - space.home_at[c], dtype=np.int64)
        for i in range(tuples.size):
            records[space.codes[c, tuples[i]]] += weights[i]
        for code in range(records.size):
            if records[code] > 0:
                _change_code(space, rules, tally, c, code, records[code])
    if space.sets is not None:
        for i in range(tuples.size):
            _change_list(tally, tuples[i], weights[i])


@inner
def _add_exactly(pair: Floats, x: float) -> None:
    """Add to a sum of two parts, the second what rounding took from the first (Knuth's two-sum)."""
    total = pair[0] + x
    part = total - pair[0]
    pair[1] += (pair[0] - (total - part)) + (x - part)
    pair[0] = total


@inner
def parts(cost: float, fix: float) -> tuple[int, int]:
    """A cost as whole numbers: the first 30 bits, and 31 more."""
    x = cost * fix
    whole = np.int64(x)
    return whole, np.int64((x - whole) * LOW)


@inner
def _change_code(space: Space, rules: Rules, tally: Tally, c: int, code: int, weight: int) -> None:
    place = space.home_at[c] + code
    before = tally.counts[place]
    tally.counts[place] = before + weight
    if rules.kind[c] == MODE:
        return
    first, last = rules.row_at[c], rules.row_at[c + 1]
    if rules.kind[c] != SUBSUMER:
        cost = rules.costs[rules.cost_at[c] + code * (last - first) :]
        high, low = tally.high[first:last], tally.low[first:last]
        for u in range(last - first):
            whole, rest = parts(cost[u], rules.fix[c])
            high[u] += whole * weight
            low[u] += rest * weight
    change_of = 0
    if before == 0:
        change_of = 1
    elif before + weight == 0:
        change_of = -1
    if change_of != 0 and rules.kind[c] != PRESENT:
        row = np.int64(space.home[place])
        if row != rules.void[c]:
            tally.distinct[c] += change_of
        for i in range(rules.up_at[first + row], rules.up_at[first + row + 1]):
            tally.cover[first + rules.up[i]] += change_of


@inner
def set_centre(space: Space, rules: Rules, tally: Tally, point: Point) -> None:
    """Let the point be the centre of the set, which is not empty."""
    set_numbers(space, rules, tally, point)
    for c in range(space.codes.shape[0]):
        point.rows[c] = _centre_row(space, rules, tally, c)
    _set_held(space.sets, space.codes.shape[0], rules, tally, point)


@inner
@makes_arrays
def _set_held(sets: SetSpace | None, first: int, rules: Rules, tally: Tally, point: Point) -> None:
    """The centre of sets, computed anew where records joined, or half of those that it was computed of have left.

    It takes as long as looking through all records several times, and a few that leave hardly move it.
    """
    if sets is None:
        return
    state = tally.state
    if state[1] > state[2] or 2 * state[1] <= state[2]:
        tuples = np.sort(tally.listed[: state[0]])
        set_sets(sets, rules.sets, tally.room, tuples, tally.times[tuples], tally.held)
        state[2] = state[1]
    copy_values(tally.held[first:], point.rows[first:])


@inner
def set_numbers(space: Space, rules: Rules, tally: Tally, point: Point) -> None:
    for a in range(space.numbers.shape[0]):
        # A missing value is the centre where more than half of the values are missing.
        point.gone[a] = 1.0 if tally.gone[a] > tally.here[a] else 0.0
        if point.gone[a] > 0.0:
            point.at[a] = 0.0
        elif rules.levels[a] > 0:
            point.at[a] = _median(tally.ranks[a], tally.here[a]) * rules.step[a]
        else:
            point.at[a] = (tally.sums[a, 0] + tally.sums[a, 1]) / tally.here[a]


@inner
def _median(ranks: Longs, total: int) -> int:
    """The lower median."""
    seen = 0
    for rank in range(ranks.size):
        seen += ranks[rank]
        if 2 * seen >= total:
            return rank
    return ranks.size - 1


@inner
def _centre_row(space: Space, rules: Rules, tally: Tally, c: int) -> int:
    counts = tally.counts[space.home_at[c] : space.home_at[c + 1]]
    kind = rules.kind[c]
    if kind == MODE:
        return np.int64(space.home[space.home_at[c] + argmax(counts)])
    if kind == PRESENT:
        return _least_present(space, rules, tally, c, counts)
    if tally.distinct[c] == 0:
        return rules.void[c]
    top = _subsumer(space, rules, tally, c, counts)
    if kind == SUBSUMER:
        return top
    return _least_below(rules, tally, c, top)


@inner
def _least_present(space: Space, rules: Rules, tally: Tally, c: int, counts: Longs) -> int:
    """The value present at the least total cost, the first row of equals."""
    first = rules.row_at[c]
    least, best = np.inf, np.int64(-1)
    for turn in range(2):
        for v in range(counts.size):
            if counts[v] > 0:
                row = np.int64(space.home[space.home_at[c] + v])
                cost = tally.high[first + row] + tally.low[first + row] / LOW
                if turn == 0:
                    least = min(least, cost)
                elif cost <= least + TIE * least and (best < 0 or row < best):
                    best = row
    return best


@inner
def _subsumer(space: Space, rules: Rules, tally: Tally, c: int, counts: Longs) -> int:
    """The deepest row above every value; of several the one with the fewest links in all, then the first."""
    first, last = rules.row_at[c], rules.row_at[c + 1]
    deepest, best, several = np.int64(-1), np.int64(-1), False
    for u in range(last - first):
        if tally.cover[first + u] == tally.distinct[c] and u != rules.void[c]:
            depth = rules.depth[first + u]
            if depth > deepest:
                deepest, best, several = depth, u, False
            elif depth == deepest:
                several = True
    if several:
        fewest = np.int64(-1)
        for u in range(last - first):
            common = tally.cover[first + u] == tally.distinct[c] and u != rules.void[c]
            if common and rules.depth[first + u] == deepest:
                total = np.int64(0)
                for v in range(counts.size):
                    if counts[v] > 0 and np.int64(space.home[space.home_at[c] + v]) != rules.void[c]:
                        total += rules.links[rules.cost_at[c] + v * (last - first) + u]
                if fewest < 0 or total < fewest:
                    fewest, best = total, u
    return best


@inner
def _least_below(rules: Rules, tally: Tally, c: int, top: int) -> int:
    """The row of the minimum hierarchy at the least total cost, the first of equals."""
    first, last = rules.row_at[c], rules.row_at[c + 1]
    least, best = np.inf, top
    for turn in range(2):
        for u in range(last - first):
            if tally.cover[first + u] <= 0:
                continue
            cost = tally.high[first + u] + tally.low[first + u] / LOW
            # What costs more is out, whether it lies below the top or not: the dear look-up comes last.
            if cost > least + TIE * least or not (u == rules.void[c] or is_below(rules, first, u, top)):
                continue
            if turn == 1:
                return u
            least = min(least, cost)
    return best


@inner
def is_below(rules: Rules, first: int, u: int, top: int) -> bool:
    if u == top:
        return True
    if rules.depth[first + u] <= rules.depth[first + top]:
        return False
    for i in range(rules.up_at[first + u], rules.up_at[first + u + 1]):
        if rules.up[i] == top:
            return True
    return False
