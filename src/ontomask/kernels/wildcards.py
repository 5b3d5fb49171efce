"""Cell suppression where a blank matches any value: cells of one record after the other, then those that can be restored.

Two combinations match if they are equal wherever neither has a blank (-1).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.kernels.compiling import inner, kernel
from ontomask.kernels.space import Floats, Longs


class Matching(NamedTuple):
    """``shows[t, a]``: what each combination shows; its records and its stratum; the records that match it."""

    shows: NDArray[np.int32]
    count: Longs
    stratum: Longs
    matches: Longs


@kernel
def blank_until_matched(matching: Matching, costs: Floats, k: int, order: Longs, differing: Longs) -> None:
    """Blank cells of each of these combinations until k records match it: the cheapest that let one more match, at a time.

    ``differing``: room for the columns in which another one differs, as bits.
    """
    shows, count = matching.shows, matching.count
    for place in range(len(order)):
        one = order[place]
        matched = 0
        for other in range(len(count)):
            differing[other] = _differing(matching, one, other)
            if differing[other] == 0:
                matched += count[other]
        while matched < k:
            best, least = 0, np.inf
            for other in range(len(count)):
                if differing[other] > 0:
                    cost = _cost(costs, differing[other])
                    if cost < least:
                        best, least = differing[other], cost
            if best == 0:
                break
            for other in range(len(count)):
                if differing[other] > 0:
                    differing[other] &= ~best
                    if differing[other] == 0:
                        matched += count[other]
            for a in range(len(costs)):
                if best >> a & 1:
                    shows[one, a] = -1


@inner
def _differing(matching: Matching, one: int, other: int) -> int:
    """The columns in which two combinations differ, as bits; -1: they are of different strata."""
    if matching.stratum[one] != matching.stratum[other]:
        return -1
    bits = 0
    for a in range(matching.shows.shape[1]):
        x, y = matching.shows[one, a], matching.shows[other, a]
        if x != y and x >= 0 and y >= 0:
            bits |= 1 << a
    return bits


@inner
def _cost(costs: Floats, bits: int) -> float:
    total = 0.0
    a = 0
    while bits:
        if bits & 1:
            total += costs[a]
        bits >>= 1
        a += 1
    return total


@kernel
def count_matches(matching: Matching, begin: int, end: int) -> None:
    """The records that match each of these combinations."""
    for one in range(begin, end):
        matching.matches[one] = 0
        for other in range(len(matching.count)):
            if _differing(matching, one, other) == 0:
                matching.matches[one] += matching.count[other]


@kernel
def restore_matched(
    matching: Matching, codes: NDArray[np.int32], k: int, order: Longs, columns: Longs, begin: int, end: int
) -> None:
    """Restore each cell without which all that it touches is still matched by k records; the dearest columns come first."""
    shows, count, matches = matching.shows, matching.count, matching.matches
    for place in range(begin, end):
        one = order[place]
        for i in range(len(columns)):
            a = columns[i]
            if shows[one, a] >= 0 or codes[one, a] < 0:
                continue
            own, lost, fine = codes[one, a], 0, True
            for other in range(len(count)):
                if shows[other, a] >= 0 and shows[other, a] != own and _differing(matching, one, other) == 0:
                    lost += count[other]
                    if matches[other] - count[one] < k or matches[one] - lost < k:
                        fine = False
                        break
            if not fine:
                continue
            for other in range(len(count)):
                if shows[other, a] >= 0 and shows[other, a] != own and _differing(matching, one, other) == 0:
                    matches[other] -= count[one]
            matches[one] -= lost
            shows[one, a] = own
