"""Partitions of a few records: what the best of one column loses (Hansen & Mukherjee 2003), found by trying every one of them,
in fractions; and groups that take a record of each part of a sensitive column (Soria-Comas et al. 2015)."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache

from tests.oracle.plain_masking import (
    Data,
    PlainAttribute,
    PlainTable,
    Record,
    first_greatest,
    first_least,
    frequencies,
)

Numbers = Sequence[Fraction]


def squares(group: Numbers) -> Fraction:
    """The squared differences from the mean."""
    mean = sum(group, Fraction(0)) / len(group)
    return sum(((x - mean) ** 2 for x in group), Fraction(0))


def differences(group: Numbers) -> Fraction:
    """The absolute differences from the median."""
    median = statistics.median_low(group)
    return sum((abs(x - median) for x in group), Fraction(0))


def least_loss(numbers: Numbers, k: int, loss: Callable[[Numbers], Fraction]) -> Fraction:
    """The least total loss of all ways to divide the numbers into groups of at least k, however large and mixed they are."""

    @cache
    def of_group(members: int) -> Fraction:
        return loss([x for i, x in enumerate(numbers) if members >> i & 1])

    @cache
    def of_rest(rest: int) -> Fraction | None:
        """The least loss of those that are left, as the bits of a number; None: they are too few."""
        if not rest:
            return Fraction(0)
        first, found = rest & -rest, None
        others = some = rest ^ first
        while True:  # the group of the first is the first with some of the others
            if some.bit_count() + 1 >= k:
                more = of_rest(others ^ some)
                total = None if more is None else of_group(first | some) + more
                found = total if found is None or (total is not None and total < found) else found
            if not some:
                return found
            some = (some - 1) & others

    least = of_rest((1 << len(numbers)) - 1)
    assert least is not None
    return least


def by_parts(
    data: Data,
    attributes: Sequence[PlainAttribute],
    places: Sequence[int],
    parts: int,
    distance: str = "mean",
    normalize: str = "pairwise",
    centroid: str = "semantic",
) -> list[int]:
    """The group of each record, groups numbered as they are formed: in turn around the record farthest from the centre of those
    left, and the one farthest from that, each with the nearest record of every part.

    The parts are cut from the records in the order of ``places``; what is left over is in the middle, and as long as a part has
    more records than there are groups to form, one group after the other takes a second one of it. Ties: the combination first
    seen, then the record that stands first in that order.
    """
    table, n = PlainTable(data, attributes, distance, normalize), len(data)
    ranked = sorted(range(n), key=lambda i: (places[i], i))
    groups, spare = n // parts, n % parts
    part: dict[int, int] = {}
    for q in range(parts):
        size = groups
        if parts % 2:
            size += spare if q == parts // 2 else 0
        else:
            size += {parts // 2 - 1: (spare + 1) // 2, parts // 2: spare // 2}.get(q, 0)
        for _ in range(size):
            part[ranked[len(part)]] = q
    seen = list(frequencies(data))
    left = sorted(range(n), key=lambda i: (seen.index(data[i]), ranked.index(i)))
    formed: list[list[int]] = []

    def farthest_from(record: Record) -> Record:
        return data[left[first_greatest(table.distance(record, data[i]) for i in left)]]

    def take(group: list[int], seed: Record, q: int) -> None:
        own = [i for i in left if part[i] == q]
        nearest = own[first_least(table.distance(seed, data[i]) for i in own)]
        left.remove(nearest)
        group.append(nearest)

    seed: Record | None = None
    while left:
        around_centre = seed is None
        seed = farthest_from(table.centre_of_left([data[i] for i in left], centroid) if seed is None else seed)
        group: list[int] = []
        for q in range(parts):
            take(group, seed, q)
            more = sum(part[i] == q for i in left) > groups - len(formed) - 1
            if more and len(group) == q + 1:
                take(group, seed, q)
        formed.append(group)
        seed = seed if around_centre else None
    return [next(g for g, group in enumerate(formed) if i in group) for i in range(n)]
