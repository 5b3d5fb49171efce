"""The centre of a group of sets: as many items as its sets have on average, chosen one after the other (specification 4).

Each item is that concept of the minimum subsumer hierarchy of all items which brings the centre nearest to the sets, all
distances added up (after Batet et al. 2014).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.kernels.compiling import inner, inner_extremes, makes_arrays
from ontomask.kernels.sets import MISSING, Codes, Floats, Longs, SetSpace, set_apart, set_of

#: Sums of distances closer than this, relatively, are equal (see :data:`ontomask.kernels.space.TIE`).
TIE = 1e-12


class SetRules(NamedTuple):
    """What the centre of each attribute that holds sets is chosen from.

    ``mode[s]``: it is the most frequent set. Rows stand in taxonomy order: ``row_at[s]`` is where those of an attribute begin
    in ``depth`` and in ``up_at``, which cuts ``up`` into the subsumers of each row (itself included). ``links`` from
    ``link_at[s]`` on (items x rows; empty if every taxonomy is a tree) holds the fewest links from an item up to a row.
    """

    mode: NDArray[np.bool_]
    row_at: Longs
    depth: Longs
    up_at: Longs
    up: Codes
    links: NDArray[np.int16]
    link_at: Longs


class SetRoom(NamedTuple):
    """Room to work in: by item, by row, by size of a set, by set.

    ``cover``, ``place`` and ``times`` hold nothing but zeros between two centres.
    """

    present: Longs
    place: Longs
    near: Floats
    load: Floats
    weight: Floats
    cover: Longs
    rows: Longs
    total: Floats
    best: Floats
    held: Floats
    sizes: Longs
    size_class: Longs
    times: Longs


def new_set_room(sets: SetSpace | None, rules: SetRules | None) -> SetRoom | None:
    if sets is None or rules is None:
        return None
    items = int(np.diff(sets.item_at).max(initial=0))
    rows = int(np.diff(rules.row_at).max(initial=0))
    lengths = np.diff(sets.at)
    widest, distinct = int(lengths.max(initial=0)), len(np.unique(lengths))
    several = int(np.diff(np.append(sets.first, len(sets.at) - 1)).max(initial=0)) if len(sets.first) else 0
    longs = np.int64
    return SetRoom(
        np.zeros(items, dtype=longs),
        np.zeros(items, dtype=longs),
        np.zeros(items),
        np.zeros((items, distinct)),
        np.zeros(items),
        np.zeros(rows, dtype=longs),
        np.zeros(rows, dtype=longs),
        np.zeros(rows),
        np.zeros((rows, distinct)),
        np.zeros(distinct),
        np.zeros(distinct, dtype=longs),
        np.zeros(widest + 1, dtype=longs),
        np.zeros(several, dtype=longs),
    )


@inner
@makes_arrays
def set_sets(
    sets: SetSpace | None, rules: SetRules | None, room: SetRoom | None, tuples: Longs, weights: Longs, rows: Codes
) -> None:
    """Let a point hold the centre of the sets of some tuples, each with a number of records."""
    if sets is None or rules is None or room is None:
        return
    for s in range(sets.codes.shape[0]):
        place = sets.point_at[s]
        rows[place : sets.point_at[s + 1]] = 0
        if rules.mode[s]:
            _most_frequent(sets, room, s, tuples, weights, rows)
            continue
        known, gone, items = np.int64(0), np.int64(0), np.int64(0)
        for i in range(tuples.size):
            begin, end = set_of(sets, s, tuples[i])
            if begin < 0:
                gone += weights[i]
            else:
                known += weights[i]
                items += weights[i] * (end - begin)
        if known == 0:
            rows[place] = MISSING
            continue
        size = (2 * items + known) // (2 * known)  # the mean, halves rounded up
        rows[place] = 0
        if size > 0:
            _choose(sets, rules, room, s, tuples, weights, size, rows)
        if gone > 0 and _missing_is_nearer(sets, s, tuples, weights, known, rows):
            rows[place : sets.point_at[s + 1]] = 0
            rows[place] = MISSING


@inner
def _missing_is_nearer(sets: SetSpace, s: int, tuples: Longs, weights: Longs, known: int, rows: Codes) -> bool:
    """Is a missing value nearer to all than the set that was chosen?"""
    total = 0.0
    for i in range(tuples.size):
        total += set_apart(sets, s, rows, tuples[i]) * weights[i]
    missing = sets.most[s] * known
    return missing < total - TIE * total


@inner
def _most_frequent(sets: SetSpace, room: SetRoom, s: int, tuples: Longs, weights: Longs, rows: Codes) -> None:
    """The set with most records, the first of equals."""
    best = np.int64(-1)
    for i in range(tuples.size):
        room.times[sets.codes[s, tuples[i]]] += weights[i]
    for i in range(tuples.size):
        code = np.int64(sets.codes[s, tuples[i]])
        more = best < 0 or room.times[code] > room.times[best]
        if more or (room.times[code] == room.times[best] and code < best):
            best = code
    for i in range(tuples.size):
        room.times[sets.codes[s, tuples[i]]] = 0
    place = sets.point_at[s]
    if best == sets.missing[s]:
        rows[place] = MISSING
        return
    begin, end = sets.at[sets.first[s] + best], sets.at[sets.first[s] + best + 1]
    rows[place] = end - begin
    for i in range(begin, end):
        place += 1
        rows[place] = sets.home[sets.item_at[s] + sets.items[i]]


@inner
@makes_arrays
def _choose(
    sets: SetSpace,
    rules: SetRules,
    room: SetRoom,
    s: int,
    tuples: Longs,
    weights: Longs,
    size: int,
    rows: Codes,
) -> None:
    """``size`` items, one after the other, each with the least sum of distances of what is chosen so far.

    With c items chosen, record i adds w_i / (|A_i| + c) times the sum of near(a) over its items a, the distance from the
    nearest item chosen, and of the distances of all chosen items from their best match in A_i. near(a) is the same in all
    records, and best matches are added up once for each candidate, by size of the set: so a step looks at items and sizes,
    and not at records.
    """
    place, wide = sets.point_at[s], sets.item_at[s + 1] - sets.item_at[s]
    table = sets.tables[sets.table_at[s] : sets.table_at[s] + (rules.row_at[s + 1] - rules.row_at[s]) * wide]
    at, items = _listed(sets, s, tuples)
    several, classes = _gather(room, at, items, weights)
    count = _candidates(sets, rules, room, s, several)
    present, chosen = room.present[:several], room.rows[:count]
    for u in range(count):
        row = table[chosen[u] * wide : (chosen[u] + 1) * wide]
        _add_best_matches(row, at, items, weights, room.size_class, room.best[u, :classes])
    room.near[:several] = np.inf
    room.held[:classes] = 0.0
    sizes, load, weight = room.sizes[:classes], room.load, room.weight[:several]
    for number in range(1, size + 1):
        for j in range(several):
            weight[j] = 0.0
            for q in range(classes):
                weight[j] += load[j, q] / (sizes[q] + number)
        least = np.inf
        for u in range(count):
            if chosen[u] >= 0:
                total = 0.0
                for q in range(classes):
                    total += (room.held[q] + room.best[u, q]) / (sizes[q] + number)
                row = table[chosen[u] * wide : (chosen[u] + 1) * wide]
                room.total[u] = total + _weighed(row, present, room.near, weight)
                least = min(least, room.total[u])
        best = 0
        while chosen[best] < 0 or room.total[best] > least + TIE * least:
            best += 1
        room.held[:classes] += room.best[best, :classes]
        row = table[chosen[best] * wide : (chosen[best] + 1) * wide]
        for j in range(several):
            room.near[j] = min(room.near[j], row[present[j]])
        rows[place + number] = chosen[best]
        chosen[best] = -1  # a set holds an item once
    rows[place] = size
    rows[place + 1 : place + 1 + size].sort()
    for j in range(several):
        room.place[present[j]] = 0


# Loops of their own, with few arrays at hand: they are called for each candidate.


@inner_extremes
def _add_best_matches(row: Floats, at: Longs, items: Longs, weights: Longs, size_class: Longs, total: Floats) -> None:
    """The distances of a candidate from its best match in every set, added up by size of the set."""
    total[:] = 0.0
    for i in range(weights.size):
        if at[i + 1] > at[i]:
            least = np.inf
            for j in range(at[i], at[i + 1]):
                least = min(least, row[items[j]])
            total[size_class[at[i + 1] - at[i]]] += least * weights[i]


@inner_extremes
def _weighed(row: Floats, present: Longs, near: Floats, weight: Floats) -> float:
    """What the items of all sets add: each its distance from the candidate, or from what is chosen already."""
    total = 0.0
    for j in range(present.size):
        total += min(near[j], row[present[j]]) * weight[j]
    return total


@inner
@makes_arrays
def _listed(sets: SetSpace, s: int, tuples: Longs) -> tuple[Longs, Longs]:
    """The items of the sets of tuples, one after the other, and where each set begins."""
    at = np.zeros(tuples.size + 1, dtype=np.int64)
    for i in range(tuples.size):
        begin, end = set_of(sets, s, tuples[i])
        at[i + 1] = at[i] + end - begin
    items = np.empty(at[-1], dtype=np.int64)
    for i in range(tuples.size):
        begin, _ = set_of(sets, s, tuples[i])
        for j in range(at[i + 1] - at[i]):
            items[at[i] + j] = sets.items[begin + j]
    return at, items


@inner
@makes_arrays
def _gather(room: SetRoom, at: Longs, items: Longs, weights: Longs) -> tuple[int, int]:
    """The items of the sets in ascending order, and by size of a set how many records have each item; how many items and
    sizes there are."""
    several = classes = 0
    room.size_class[:] = 0
    for i in range(weights.size):
        room.size_class[at[i + 1] - at[i]] = 1
    for j in range(items.size):
        if room.place[items[j]] == 0:
            room.place[items[j]] = 1
            room.present[several] = items[j]
            several += 1
    for size in range(1, room.size_class.size):
        if room.size_class[size] > 0:
            room.size_class[size] = classes
            room.sizes[classes] = size
            classes += 1
    room.present[:several].sort()
    for j in range(several):
        room.place[room.present[j]] = j + 1
    room.load[:several, :classes] = 0.0
    for i in range(weights.size):
        for j in range(at[i], at[i + 1]):
            room.load[room.place[items[j]] - 1, room.size_class[at[i + 1] - at[i]]] += weights[i]
    return several, classes


@inner
@makes_arrays
def _candidates(sets: SetSpace, rules: SetRules, room: SetRoom, s: int, several: int) -> int:
    """The minimum subsumer hierarchy of the items in ascending order: all that subsumes one and is at or below their LCS."""
    first, count = rules.row_at[s], 0
    for j in range(several):
        row = first + np.int64(sets.home[sets.item_at[s] + room.present[j]])
        for i in range(rules.up_at[row], rules.up_at[row + 1]):
            if room.cover[rules.up[i]] == 0:
                room.rows[count] = rules.up[i]
                count += 1
            room.cover[rules.up[i]] += 1
    top = _top(rules, room, s, several, count)
    inside = 0
    for j in range(count):
        row = room.rows[j]
        room.cover[row] = 0
        if row == top or _lies_below(rules.depth, rules.up_at, rules.up, first, row, top):
            room.rows[inside] = row
            inside += 1
    room.rows[:inside].sort()
    return inside


@inner
def _top(rules: SetRules, room: SetRoom, s: int, several: int, count: int) -> int:
    """The deepest row above every item; of several the one with the fewest links in all, then the first."""
    first, wide = rules.row_at[s], rules.row_at[s + 1] - rules.row_at[s]
    best, deepest, fewest = np.int64(-1), np.int64(-1), np.int64(-1)
    for j in range(count):
        row = room.rows[j]
        if room.cover[row] < several or rules.depth[first + row] < deepest:
            continue
        links = np.int64(0)
        if rules.links.size:  # in a tree no two common subsumers are equally deep
            for i in range(several):
                links += rules.links[rules.link_at[s] + room.present[i] * wide + row]
        deeper = rules.depth[first + row] > deepest
        if deeper or links < fewest or (links == fewest and row < best):
            best, deepest, fewest = row, rules.depth[first + row], links
    return best


@inner
def _lies_below(depth: Longs, up_at: Longs, up: Codes, first: int, row: int, top: int) -> bool:
    if depth[first + row] <= depth[first + top]:
        return False
    for i in range(up_at[first + row], up_at[first + row + 1]):
        if up[i] == top:
            return True
    return False
