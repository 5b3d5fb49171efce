"""How little any partition of the Tarragona data into groups of at least k records can lose: a proof by multipliers.

For any numbers L_i, one for each record, the SSE of a partition is sum_i L_i + sum_g r(g), where r(g) = SSE(g) - sum of L_i
over the records of g. Order the records by their distance from the mean, the farthest first; the root of a group is its first
record. Every record is the root of at most one group, and there are at most n / k groups. So with v_i <= 0 that is at most
r(g) for all groups with root i, SSE >= sum_i L_i + the sum of the n / k least v_i. A group of 2k records or more can be split
without a greater SSE: sizes from k to 2k - 1 are enough.

The multipliers are in ``tarragona_multipliers.csv``. They come from the dual of the linear program over groups, by column
generation; but where they come from does not matter, for any others give a bound too. ``least_costs`` finds every v_i by a
complete search. Run, for about a minute: ``python -m experiments.lower_bounds Tarragona.csv``.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]

MULTIPLIERS = Path(__file__).with_name("tarragona_multipliers.csv")
#: Reduced costs above this are not told apart: v_i is at most its negative.
CLOSE = {5: 0.0001, 10: 0.01}


def bound(records: Floats, k: int, multipliers: Floats) -> float:
    """No partition of standardized records into groups of k or more loses less, in percent of the total variance."""
    n = len(records)
    centred = records - records.mean(axis=0)
    apart = ((centred[:, None, :] - centred[None, :, :]) ** 2).sum(axis=2)
    order = np.argsort(-(centred**2).sum(axis=1), kind="stable")
    least = least_costs(apart, multipliers, order, k, CLOSE.get(k, 0.01))
    return float(100 * (multipliers.sum() + np.sort(least)[: n // k].sum()) / (centred**2).sum())


@njit
def least_costs(apart: Floats, multipliers: Floats, order: Longs, k: int, close: float) -> Floats:
    """For each record, in ``order``, the least r(g) of groups of k to 2k - 1 records whose root it is, or -``close``."""
    found = np.full(order.size, -close)
    for place in range(order.size):
        for size in range(k, min(2 * k, order.size - place + 1)):
            found[place] = min(
                found[place], _least_cost(apart, multipliers, order[place], order[place + 1 :], size, -close)
            )
    return found


@njit
def _least_cost(apart: Floats, multipliers: Floats, root: int, later: Longs, size: int, best: float) -> float:
    """The least r(g) of groups of the root and ``size`` - 1 later records, or ``best`` if none is below it.

    size x SSE(g) is the sum of the squared distances of all pairs. With some members chosen and t to choose, a candidate adds
    at least its distances from the chosen ones, and half of its t - 1 least distances from other candidates, less its
    multiplier.
    """
    left = size - 1
    candidates, near, chosen, adds = _worth_trying(apart, multipliers, root, later, size, best)
    some = np.empty((size, candidates.size), dtype=np.int64)  # the candidates at each depth, those that add least first
    gathered, added = np.empty(some.shape), np.empty(some.shape)
    some[0], gathered[0], added[0] = candidates, chosen, adds
    count, place, cost = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64), np.zeros(size)
    room, rest = np.empty(size), np.empty(candidates.size)
    count[0], cost[0], depth = candidates.size, -multipliers[root], 0
    while depth >= 0:
        left, at = size - 1 - depth, place[depth]
        if at + left > count[depth] or cost[depth] + added[depth, at : at + left].sum() >= best:
            depth -= 1
            continue
        place[depth] = at + 1
        new = some[depth, at]
        total = cost[depth] + gathered[depth, at] / size - multipliers[new]
        if left == 1:
            best = min(best, total)
            continue
        least = room[: left - 1]
        least[:] = np.inf
        for i in range(at + 1, count[depth]):
            other = some[depth, i]
            rest[i] = (gathered[depth, i] + apart[new, other] + near[left - 2, other] / 2) / size - multipliers[other]
            _insert(least, rest[i])
        most, several = best - total - least[:-1].sum(), 0  # what one of them may add
        for i in range(at + 1, count[depth]):
            if rest[i] < most and least[-1] < most:
                some[depth + 1, several], added[depth + 1, several] = some[depth, i], rest[i]
                gathered[depth + 1, several] = gathered[depth, i] + apart[new, some[depth, i]]
                several += 1
        if several < left - 1:
            continue
        inner = np.argsort(added[depth + 1, :several])
        for values in (gathered, added):
            values[depth + 1, :several] = values[depth + 1, :several][inner]
        some[depth + 1, :several] = some[depth + 1, :several][inner]
        depth += 1
        count[depth], place[depth], cost[depth] = several, 0, total
    return best


@njit
def _worth_trying(
    apart: Floats, multipliers: Floats, root: int, later: Longs, size: int, best: float
) -> tuple[Longs, Floats, Floats, Floats]:
    """The candidates that some group below ``best`` may have, those that add least first: what is near each (the sums of its 0,
    1, ... least distances from others), how far they are from the root, and what they add at least."""
    candidates, left = later.copy(), size - 1
    near = np.zeros((size, apart.shape[0]))
    while True:
        adds = np.empty(candidates.size)
        for i in range(candidates.size):
            one = candidates[i]
            least = np.full(size, np.inf)
            for j in range(candidates.size):
                if j != i:
                    _insert(least[: max(left - 1, 0)], apart[one, candidates[j]])
            for several in range(1, left):
                near[several, one] = near[several - 1, one] + least[several - 1]
            adds[i] = (apart[root, one] + near[left - 1, one] / 2) / size - multipliers[one]
        order = np.argsort(adds)
        candidates, adds = candidates[order], adds[order]
        if candidates.size < left:
            return candidates[:0], near, adds[:0], adds[:0]
        others = -multipliers[root] + adds[: left - 1].sum()
        kept = np.maximum(adds, adds[left - 1]) + others < best
        if kept.all():
            return candidates, near, apart[root][candidates], adds
        candidates = candidates[kept]


@njit
def _insert(least: Floats, value: float) -> None:
    """Put a value among the least ones, which stay sorted."""
    place = least.size
    while place > 0 and least[place - 1] > value:
        if place < least.size:
            least[place] = least[place - 1]
        place -= 1
    if place < least.size:
        least[place] = value


def read_multipliers(k: int) -> Floats:
    """Those of the records, in the order of their file."""
    with MULTIPLIERS.open(encoding="utf-8", newline="") as file:
        return np.array([float(row[f"k{k}"]) for row in csv.DictReader(file)])


def tarragona(path: str | Path) -> Floats:
    """The standardized records."""
    raw = np.loadtxt(path, delimiter=",", skiprows=1)
    return np.ascontiguousarray((raw - raw.mean(axis=0)) / raw.std(axis=0))


if __name__ == "__main__":
    records = tarragona(sys.argv[1])
    for k in (5, 10):
        sys.stdout.write(f"k = {k}: no partition loses less than {bound(records, k, read_multipliers(k)):.3f}%\n")
