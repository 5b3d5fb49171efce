"""Distances between persons who have several records, and groups of near persons.

The distance of two persons is the cost of the cheapest assignment of the records of one to those of the other; a record
without a partner costs as much as the largest distance there can be (after Tamersoy et al. 2012).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ontomask.kernels.compiling import inner, kernel
from ontomask.kernels.space import TIE, Floats, Longs, Point, Space, between, set_point


class Profiles(NamedTuple):
    """The records of person i are ``tuples[at[i]:at[i + 1]]``; ``worst`` is what a record without a partner costs."""

    at: Longs
    tuples: Longs
    worst: float


class Assignment(NamedTuple):
    """Room for one assignment: ``cost[r, c]``; ``partner[c]`` is the row (from 1) assigned to column c (from 1), 0: none."""

    cost: Floats
    of_row: Floats
    of_column: Floats
    least: Floats
    partner: Longs
    way: Longs
    used: Longs


def new_assignment(most: int) -> Assignment:
    """For persons of at most so many records."""
    return Assignment(
        np.zeros((most, most)),
        *(np.zeros(most + 1) for _ in range(3)),
        *(np.zeros(most + 1, dtype=np.int64) for _ in range(3)),
    )


@inner
def _assign(room: Assignment, rows: int, columns: int) -> float:
    """The least total cost of giving every row a column of its own, rows <= columns (Kuhn, Munkres; with potentials)."""
    room.of_row[: rows + 1] = 0.0
    room.of_column[: columns + 1] = 0.0
    room.partner[: columns + 1] = 0
    for row in range(1, rows + 1):
        room.partner[0] = row
        room.least[: columns + 1] = np.inf
        room.used[: columns + 1] = 0
        column = 0
        while room.partner[column] != 0:
            room.used[column] = 1
            here, step, best = room.partner[column], np.inf, 0
            for j in range(1, columns + 1):
                if room.used[j] == 0:
                    reduced = room.cost[here - 1, j - 1] - room.of_row[here] - room.of_column[j]
                    if reduced < room.least[j]:
                        room.least[j] = reduced
                        room.way[j] = column
                    if room.least[j] < step:
                        step, best = room.least[j], j
            for j in range(columns + 1):
                if room.used[j] == 1:
                    room.of_row[room.partner[j]] += step
                    room.of_column[j] -= step
                else:
                    room.least[j] -= step
            column = best
        while column != 0:
            before = room.way[column]
            room.partner[column] = room.partner[before]
            column = before
    total = 0.0
    for j in range(1, columns + 1):
        if room.partner[j] != 0:
            total += room.cost[room.partner[j] - 1, j - 1]
    return total


@inner
def _align(space: Space, point: Point, profiles: Profiles, room: Assignment, few: int, many: int) -> float:
    """Assign the records of a person to those of another who has at least as many; what it costs."""
    rows, columns = profiles.at[few + 1] - profiles.at[few], profiles.at[many + 1] - profiles.at[many]
    for r in range(rows):
        set_point(space, point, profiles.tuples[profiles.at[few] + r])
        for c in range(columns):
            apart = between(space, point, profiles.tuples[profiles.at[many] + c])
            room.cost[r, c] = np.sqrt(apart) if space.squared else apart
    if rows == 1:  # nothing to assign but the nearest
        best = 0
        for c in range(1, columns):
            if room.cost[0, c] < room.cost[0, best]:
                best = c
        room.partner[: columns + 1] = 0
        room.partner[best + 1] = 1
        return room.cost[0, best] + (columns - 1) * profiles.worst
    return _assign(room, rows, columns) + (columns - rows) * profiles.worst


@kernel
def profile_distances(
    space: Space, point: Point, profiles: Profiles, room: Assignment, persons: Longs, out: Floats
) -> None:
    """The distances of some persons from each other."""
    for i in range(persons.size):
        out[i, i] = 0.0
        for j in range(i):
            a, b = persons[i], persons[j]
            if profiles.at[a + 1] - profiles.at[a] > profiles.at[b + 1] - profiles.at[b]:
                a, b = b, a
            out[i, j] = _align(space, point, profiles, room, a, b)
            out[j, i] = out[i, j]


@kernel
def group_persons(distances: Floats, k: int, group: Longs) -> int:
    """MDAV (T12 Algorithm 3) on a table of distances; the centre is the person at the least total distance from the others.

    ``group`` takes the group of each; how many groups there are. Whatever is open goes to the person who comes first.
    """
    n = group.size
    group[:] = -1
    left, groups = n, 0
    while left >= 2 * k:
        second = left >= 3 * k
        centre, least = -1, np.inf
        for i in range(n):
            if group[i] < 0:
                total = 0.0
                for j in range(n):
                    if group[j] < 0:
                        total += distances[i, j]
                if centre < 0 or total < least - TIE * least:
                    centre, least = i, total
        seed = centre
        for _ in range(2 if second else 1):
            seed = _farthest(distances, group, seed)
            _take_nearest(distances, group, seed, k, groups)
            groups += 1
            left -= k
    for i in range(n):
        if group[i] < 0:
            group[i] = groups
    return groups + 1


@inner
def _farthest(distances: Floats, group: Longs, person: int) -> int:
    best, most = -1, -np.inf
    for i in range(group.size):
        if group[i] < 0 and (best < 0 or distances[person, i] > most + TIE * most):
            best, most = i, distances[person, i]
    return best


@inner
def _take_nearest(distances: Floats, group: Longs, seed: int, k: int, number: int) -> None:
    """The seed and the k - 1 persons nearest to it."""
    group[seed] = number
    for _ in range(k - 1):
        best, least = -1, np.inf
        for i in range(group.size):
            if group[i] < 0 and (best < 0 or distances[seed, i] < least - TIE * least):
                best, least = i, distances[seed, i]
        group[best] = number


@kernel
def align_group(
    space: Space, point: Point, profiles: Profiles, room: Assignment, members: Longs, centre: int, slot_of: Longs
) -> None:
    """For each record of the members the record of the centre, counted from 0, that it is assigned to; -1: to none."""
    for member in members:
        begin, columns = profiles.at[member], profiles.at[member + 1] - profiles.at[member]
        if member == centre:
            for c in range(columns):
                slot_of[begin + c] = c
        else:
            _align(space, point, profiles, room, centre, member)
            for c in range(columns):
                slot_of[begin + c] = room.partner[c + 1] - 1
