"""Profiles of persons, written from the definitions and nothing else: slow on purpose, every person against every other."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from tests.oracle.plain_masking import PlainTable, Record, first_greatest, first_least


def profiles(persons: Sequence[Hashable], records: Sequence[Any]) -> dict[Hashable, tuple[Any, ...]]:
    """Of each person its records, sorted."""
    found: dict[Hashable, list[Any]] = defaultdict(list)
    for person, record in zip(persons, records, strict=True):
        found[person].append(record)
    return {person: tuple(sorted(own, key=repr)) for person, own in found.items()}


def rarest(persons: Sequence[Hashable], records: Sequence[Any]) -> int:
    """How many persons share the profile that fewest share."""
    return min(Counter(profiles(persons, records).values()).values())


def distance(table: PlainTable, one: Sequence[Record], other: Sequence[Record], worst: float) -> float:
    """The cheapest assignment of the records of one person to those of another; without a partner: the worst."""
    costs = np.array([[table.distance(a, b) for b in other] for a in one])
    rows, columns = linear_sum_assignment(costs)
    return float(costs[rows, columns].sum()) + worst * abs(len(one) - len(other))


def group(distances: Sequence[Sequence[float]], k: int) -> list[int]:
    """MDAV on a table of distances, around the person at the least total distance from all who are left."""
    left = list(range(len(distances)))
    groups: list[list[int]] = []

    def form(seed: int) -> None:
        members = [seed]
        left.remove(seed)
        while len(members) < k:
            members.append(left.pop(first_least(distances[seed][i] for i in left)))
        groups.append(members)

    while len(left) >= 2 * k:
        second = len(left) >= 3 * k
        centre = left[first_least(sum(distances[i][j] for j in left) for i in left)]
        r = left[first_greatest(distances[centre][i] for i in left)]
        form(r)
        if second:
            form(left[first_greatest(distances[r][i] for i in left)])
    groups.append(left)
    return [next(g for g, members in enumerate(groups) if i in members) for i in range(len(distances))]
