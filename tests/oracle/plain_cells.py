"""Suppression of cells in plain Python: the greedy search, the least that is possible, and both readings of blanks.

A table is a list of tuples; None is a missing value, which looks like a blank.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from itertools import combinations

Row = tuple[Hashable, ...]


def cost(rows: Sequence[Row], members: Sequence[int], costs: Sequence[float]) -> float:
    """What it costs to blank every column in which the members of a group differ."""
    total = 0.0
    for a, each in enumerate(costs):
        values = [rows[i][a] for i in members]
        if len(set(values)) > 1:
            total += each * sum(value is not None for value in values)
    return total


def settled(
    rows: Sequence[Row], strata: Sequence[Hashable], k: int, costs: Sequence[float]
) -> tuple[list[list[int]], list[int]]:
    """Sets of columns from the cheapest on: what k records share without them is a group. The groups, and who is left."""
    columns = range(len(costs))
    sets = [blanked for size in range(len(costs) + 1) for blanked in combinations(columns, size)]
    sets.sort(key=lambda blanked: (sum(costs[a] for a in blanked), len(blanked), blanked))
    left, groups = list(range(len(rows))), []
    for blanked in sets:
        alike = defaultdict(list)
        for i in left:
            alike[strata[i], *(rows[i][a] for a in columns if a not in blanked)].append(i)
        groups += [members for members in alike.values() if len(members) >= k]
        left = [i for members in alike.values() if len(members) < k for i in members]
    return groups, left


def greedy(rows: Sequence[Row], strata: Sequence[Hashable], k: int, costs: Sequence[float]) -> list[list[int]]:
    """The same; who is left joins the group of the stratum that it is cheapest to join, if there is one."""
    groups, left = settled(rows, strata, k, costs)
    for stratum in dict.fromkeys(strata[i] for i in left):
        rest = [i for i in left if strata[i] == stratum]
        there = [members for members in groups if strata[members[0]] == stratum]
        if there:
            best = min(there, key=lambda own: cost(rows, [*own, *rest], costs) - cost(rows, own, costs))
            best += rest
    return groups


def partitions(members: list[int], k: int) -> Iterator[list[list[int]]]:
    """Every way to put them into groups of at least k."""
    if not members:
        yield []
        return
    first, others = members[0], members[1:]
    for size in range(k - 1, len(others) + 1):
        for chosen in combinations(others, size):
            for rest in partitions([i for i in others if i not in chosen], k):
                yield [[first, *chosen], *rest]


def least(rows: Sequence[Row], k: int, costs: Sequence[float]) -> float:
    """The least cost there is, by trying everything."""
    every = partitions(list(range(len(rows))), k)
    return min(sum(cost(rows, members, costs) for members in groups) for groups in every)


def matches(one: Row, other: Row) -> bool:
    """Are they equal wherever neither has a blank?"""
    return all(x is None or y is None or x == y for x, y in zip(one, other, strict=True))


def unmatched(rows: Sequence[Row], k: int) -> int:
    """The records that fewer than k match, where a blank matches any value."""
    return sum(sum(matches(one, other) for other in rows) < k for one in rows)
