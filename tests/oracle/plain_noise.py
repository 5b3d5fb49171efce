"""Noise addition and PRAM in plain Python, with the random numbers given: slow on purpose, written from the docs pages.

Distances, counts and random numbers are lists; nothing of the product's masking is used.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

Square = Sequence[Sequence[float]]
EQUAL = 1e-12


# ---- noise addition ------------------------------------------------------------------------------------------------


def mean_and_deviation(scores: Sequence[float], counts: Sequence[int]) -> tuple[float, float]:
    """Of the records, each score as often as its count says."""
    total = sum(counts)
    mean = math.fsum(w * s for w, s in zip(counts, scores, strict=True)) / total
    return mean, math.sqrt(math.fsum(w * (s - mean) ** 2 for w, s in zip(counts, scores, strict=True)) / total)


def displacement(score: float, mean: float, deviation: float, noise: float, share: float, rescale: bool) -> float:
    """How far a score moves, in standard deviations; ``noise`` is standard normal."""
    own = (score - mean) / deviation if deviation > 0 else 0.0
    moved = own + math.sqrt(share) * noise
    return (moved / math.sqrt(1 + share) if rescale else moved) - own


def reflected(value: float, low: float, high: float) -> float:
    """A number beyond a limit, mirrored at it; one that lies beyond the other limit then, at that limit."""
    if value < low:
        return min(2 * low - value, high)
    return max(2 * high - value, low) if value > high else value


def nearest_rank(target: float, ranks: Sequence[int]) -> int:
    """The rank that occurs and is nearest; of two equally near ones the lower."""
    return min(sorted(ranks), key=lambda rank: abs(rank - target))


def marginalities(distances: Square, counts: Sequence[int]) -> list[float]:
    """The mean distance of each value from all records."""
    total = sum(counts)
    return [sum(w * d for w, d in zip(counts, row, strict=True)) / total for row in distances]


def spread(distances: Square, counts: Sequence[int]) -> float:
    """The root of half the mean squared distance of two records: of numbers, their standard deviation."""
    total = sum(counts)
    squares = (a * b * distances[i][j] ** 2 for i, a in enumerate(counts) for j, b in enumerate(counts))
    return math.sqrt(math.fsum(squares) / (2 * total * total))


def moved_by(x: int, delta: float, uniform: float, distances: Square, counts: Sequence[int], nearest: str) -> int:
    """The value that a displacement of ``delta`` standard deviations leads to from value x."""
    scores = marginalities(distances, counts)
    _, deviation = mean_and_deviation(scores, counts)
    width = spread(distances, counts)
    along = [(s - scores[x]) / deviation if deviation > EQUAL * width else 0.0 for s in scores]
    away = [d / width for d in distances[x]]
    if nearest == "meaning":
        cost = [(u - delta) ** 2 + (v - abs(delta)) ** 2 for u, v in zip(along, away, strict=True)]
        radius = [math.sqrt(u * u + v * v) for u, v in zip(along, away, strict=True)]
    else:
        cost = [(u - delta) ** 2 for u in along]
        radius = [abs(u) for u in along]
    least = min(cost)
    best = [y for y in range(len(cost)) if cost[y] <= least + EQUAL * (1 + delta * delta)]
    near = min(away[y] for y in best)
    tied = [y for y in best if away[y] <= near + EQUAL * (1 + near)]
    tied.sort(key=lambda y: (radius[y], y))
    return tied[min(int(uniform * len(tied)), len(tied) - 1)]


def drawn_anew(x: int, change: float, pick: float, share: float, counts: Sequence[int]) -> int:
    """A flat value: kept, or drawn anew from all records with the probability 1 - 1 / sqrt(1 + share)."""
    if change >= 1 - 1 / math.sqrt(1 + share):
        return x
    below = 0
    for value, count in enumerate(counts):
        below += count
        if pick * sum(counts) < below:
            return value
    raise AssertionError("pick is below 1")


def mixed(noise: Sequence[Sequence[float]], correlations: Square) -> list[list[float]]:
    """Independent noise of several columns, made to correlate: the rows of a Cholesky factor weigh it."""
    size = len(correlations)
    root = [[0.0] * size for _ in range(size)]
    for i in range(size):
        for j in range(i + 1):
            left = correlations[i][j] - sum(root[i][k] * root[j][k] for k in range(j))
            if i == j:
                root[i][i] = math.sqrt(left) if left > EQUAL else 0.0
            else:
                root[i][j] = left / root[j][j] if root[j][j] > 0 else 0.0
    return [[sum(root[i][j] * noise[j][r] for j in range(i + 1)) for r in range(len(noise[0]))] for i in range(size)]


# ---- PRAM ----------------------------------------------------------------------------------------------------------


def closeness(distances: Square, counts: Sequence[int], reach: float) -> list[list[float]]:
    """exp(-d / reach) off the diagonal; on it that of the nearest for a value of at least half of the records, else 0."""
    size, total = len(counts), sum(counts)
    table = [[math.exp(-distances[i][j] / reach) for j in range(size)] for i in range(size)]
    for i in range(size):
        most = size > 1 and 2 * counts[i] >= total and not (size == 2 and 2 * counts[i] == total)
        table[i][i] = max(table[i][j] for j in range(size) if j != i) if most else 0.0
    return table


def balanced(table: Square, wanted: Sequence[float], rounds: int = 2_000) -> list[float]:
    """Weights a with a_i sum_j table_ij a_j = wanted_i, as nearly as so many rounds come."""
    weights = [math.sqrt(w) for w in wanted]
    for _ in range(rounds):
        sums = [sum(k * a for k, a in zip(row, weights, strict=True)) for row in table]
        if max(abs(a * s / w - 1) for a, s, w in zip(weights, sums, wanted, strict=True)) < 1e-13:
            break
        weights = [math.sqrt(a * w / s) for a, s, w in zip(weights, sums, wanted, strict=True)]
    return weights


def transition_matrix(distances: Square, counts: Sequence[int], keep: float, reach: float) -> list[list[float]]:
    """R with counts R = counts, by detailed balance: counts_i R_ij = counts_j R_ji."""
    size = len(counts)
    if size == 1:
        return [[1.0]]
    table = closeness(distances, counts, reach)
    wanted = [(1 - keep) * t for t in counts]
    weights = balanced(table, wanted)
    reached = [a * sum(k * b for k, b in zip(row, weights, strict=True)) for a, row in zip(weights, table, strict=True)]
    cut = [min(1.0, w / r) for w, r in zip(wanted, reached, strict=True)]
    matrix = [[0.0] * size for _ in range(size)]
    for i in range(size):
        for j in range(size):
            if i != j:
                matrix[i][j] = weights[i] * weights[j] * table[i][j] * min(cut[i], cut[j]) / counts[i]
        matrix[i][i] = max(1 - sum(matrix[i]), 0.0)
    return matrix


def drawn(x: int, uniform: float, matrix: Square) -> int:
    """The value itself where the number is below its probability, else by adding up the others in order."""
    reached = matrix[x][x]
    if uniform < reached:
        return x
    others = [y for y in range(len(matrix)) if y != x and matrix[x][y] > 0]
    for y in others:
        reached += matrix[x][y]
        if uniform < reached:
            return y
    return others[-1]


def two_stage(distances: Square, counts: Sequence[int], keep: float, reach: float) -> list[list[float]]:
    """The invariant matrix of Gouweleeuw, Kooiman, Willenborg and de Wolf (1998): R = P Q."""
    size = len(counts)
    near = [[math.exp(-distances[i][j] / reach) if i != j else 0.0 for j in range(size)] for i in range(size)]
    p = [[keep if i == j else (1 - keep) * near[i][j] / sum(near[i]) for j in range(size)] for i in range(size)]
    into = [sum(counts[m] * p[m][k] for m in range(size)) for k in range(size)]
    q = [[counts[j] * p[j][k] / into[k] for j in range(size)] for k in range(size)]
    return [[sum(p[i][k] * q[k][j] for k in range(size)) for j in range(size)] for i in range(size)]


def metropolis(distances: Square, counts: Sequence[int], keep: float, reach: float) -> list[list[float]]:
    """Proposals that fall with distance, each row adding up to 1 - keep, accepted so that detailed balance holds."""
    size = len(counts)
    near = [[math.exp(-distances[i][j] / reach) if i != j else 0.0 for j in range(size)] for i in range(size)]
    per = [counts[i] / sum(near[i]) for i in range(size)]
    matrix = [[(1 - keep) * near[i][j] * min(per[i], per[j]) / counts[i] for j in range(size)] for i in range(size)]
    for i in range(size):
        matrix[i][i] = max(1 - sum(matrix[i]), 0.0)
    return matrix
