"""The best groups of numbers on a line: a shortest path through the sorted numbers (Hansen & Mukherjee 2003).

A path goes from cut to cut, and the numbers between two cuts form a group. A step costs what the group loses; the cost of a
longer group is that of a shorter one and something more, so that nothing is subtracted and no digits are lost. What a path
costs is kept as the sum of two floats: one outlier would otherwise hide what all other groups cost.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ontomask.kernels.compiling import inner, kernel
from ontomask.kernels.space import Floats, Longs


@kernel
def extend_paths(
    numbers: Floats, k: int, medians: bool, costs: Floats, rests: Floats, before: Longs, begin: int, end: int
) -> None:
    """The cheapest path to each cut from ``begin`` up to ``end``: its cost, in two parts, and the cut ``before`` it.

    Cut j lies behind the j first of the sorted numbers; that at 0 costs nothing. The numbers of a group, k to 2k - 1 of
    them, cost their squared differences from the mean, or with ``medians`` the absolute ones from the median. A cut that
    no path reaches costs infinity. Of equally cheap paths that whose last group is smallest counts.
    """
    for j in range(begin, end):
        last = numbers[j - 1]
        costs[j], rests[j], before[j] = np.inf, 0.0, -1
        own, mean = 0.0, 0.0  # of a group of m numbers: its cost, and how far its mean lies below the last of them
        for m in range(1, min(j, 2 * k - 1) + 1):
            i = j - m
            if medians:
                own += numbers[j - 1 - (m - 1) // 2] - numbers[i]
            else:
                off = (last - numbers[i]) - mean
                own += off * off * ((m - 1) / m)
                mean += off / m
            if m >= k and costs[i] < np.inf:
                cost, rest = _plus(costs[i], rests[i], own)
                if cost < costs[j] or (cost == costs[j] and rest < rests[j]):
                    costs[j], rests[j], before[j] = cost, rest, i


@inner
def _plus(cost: float, rest: float, more: float) -> tuple[float, float]:
    """The sum of two floats and a third one, again as two, of which the second is below the precision of the first."""
    total = cost + more
    part = total - cost
    rest += (cost - (total - part)) + (more - part)
    whole = total + rest
    return whole, rest - (whole - total)


@kernel
def number_groups(before: Longs, order: Longs, group_of: NDArray[np.int32]) -> int:
    """The group of each record on the path to the last cut, and how many there are; ``order``: the records by size."""
    groups, end = 0, before.size - 1
    while end > 0:
        groups += 1
        end = before[end]
    group, end = groups, before.size - 1
    while end > 0:
        group -= 1
        for place in range(before[end], end):
            group_of[order[place]] = group
        end = before[end]
    return groups
