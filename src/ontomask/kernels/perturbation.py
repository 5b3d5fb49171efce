"""Values drawn at random: by noise, within the neighbourhood of a group (hybrid data), and by the probabilities of PRAM."""

from __future__ import annotations

import numpy as np

from ontomask.kernels.compiling import kernel, makes_arrays
from ontomask.kernels.space import TIE, Floats, Longs

#: A value farther than this many displacements (2 sqrt 2, rounded up) fits worse than the value itself.
REACH = 2.8284272
#: Below this, radii and displacements are not told apart from ties.
NEAR = 2e-6


@kernel
def nearest_values(
    along: Floats, away: Floats, radius: Floats, by_meaning: bool, moves: Floats, uniform: Floats, out: Longs
) -> None:
    """For each displacement d the place of the candidate with the least (u - d)^2 + (v - |d|)^2, or (u - d)^2 alone.

    Candidates have u ``along`` the scores and v ``away`` from the original value, and are sorted by ``radius``. Ties go to the
    least v; what is still tied is picked by ``uniform`` in [0, 1), in the order of the candidates. A candidate beats the
    original value itself, whose cost is 2 d^2 (or d^2), only if its radius is at most 2 sqrt 2 |d| (or 2 |d|): the scan
    stops there.
    """
    for record in range(moves.size):
        move = moves[record]
        size = abs(move)
        limit = REACH * size + NEAR * (1 + size)
        least, seen = np.inf, 0
        while seen < radius.size and radius[seen] <= limit:
            cost = (along[seen] - move) ** 2
            if by_meaning:
                cost += (away[seen] - size) ** 2
            least = min(least, cost)
            seen += 1
        bound = least + TIE * (1 + move * move)
        near = np.inf
        for y in range(seen):
            cost = (along[y] - move) ** 2
            if by_meaning:
                cost += (away[y] - size) ** 2
            if cost <= bound:
                near = min(near, away[y])
        near += TIE * (1 + near)
        tied = 0
        for y in range(seen):
            cost = (along[y] - move) ** 2
            if by_meaning:
                cost += (away[y] - size) ** 2
            if cost <= bound and away[y] <= near:
                tied += 1
        left = min(int(uniform[record] * tied), tied - 1)
        for y in range(seen):
            cost = (along[y] - move) ** 2
            if by_meaning:
                cost += (away[y] - size) ** 2
            if cost <= bound and away[y] <= near:
                if left == 0:
                    out[record] = y
                    break
                left -= 1


@kernel
@makes_arrays
def draw_near(
    table: Floats, codes: Longs, records: Longs, record_at: Longs, listed: Longs, at: Longs, uniform: Floats, out: Longs
) -> None:
    """For each record of each group a code within the largest distance from its own code to one of the group.

    ``table[a, b]``: distances of codes; group g has ``records[record_at[g]:record_at[g + 1]]`` and the distinct codes
    ``listed[at[g]:at[g + 1]]``. ``uniform[i]`` in [0, 1) picks among the candidates of record i, in the order of codes.
    """
    reach = np.zeros(table.shape[0])
    count = np.zeros(table.shape[0], dtype=np.int64)
    for g in range(at.size - 1):
        group = listed[at[g] : at[g + 1]]
        for x in group:
            farthest = 0.0
            for v in group:
                farthest = max(farthest, table[x, v])
            reach[x] = farthest + TIE * farthest
            inside = 0
            for v in range(table.shape[0]):
                inside += table[x, v] <= reach[x]
            count[x] = inside
        for i in range(record_at[g], record_at[g + 1]):
            record = records[i]
            x = codes[record]
            left = min(np.int64(uniform[record] * count[x]), count[x] - 1)
            for v in range(table.shape[0]):
                if table[x, v] <= reach[x]:
                    if left == 0:
                        out[record] = v
                        break
                    left -= 1


@kernel
def sums_of_rows(closeness: Floats, weights: Floats, out: Floats) -> None:
    """out_i = sum_j closeness_ij weights_j, added up in the order of j; the table is symmetric and read by rows."""
    out[:] = 0.0
    for j in range(weights.size):
        weight = weights[j]
        row = closeness[j]
        for i in range(weights.size):
            out[i] += row[i] * weight


@kernel
def keep_probabilities(closeness: Floats, weights: Floats, cut: Floats, counts: Floats, out: Floats) -> None:
    """R_ii = 1 - sum of the other R_ij = a_i a_j closeness_ij min(cut_i, cut_j) / counts_i."""
    for i in range(weights.size):
        change = 0.0
        for j in range(weights.size):
            if j != i:
                change += weights[i] * weights[j] * closeness[i, j] * min(cut[i], cut[j]) / counts[i]
        out[i] = max(1.0 - change, 0.0)


@kernel
@makes_arrays
def draw_values(
    closeness: Floats,
    weights: Floats,
    cut: Floats,
    counts: Floats,
    keep: Floats,
    records: Longs,
    at: Longs,
    uniform: Floats,
    out: Longs,
) -> None:
    """A value for each record; those with value i are ``records[at[i]:at[i + 1]]``.

    A record keeps its value where its ``uniform`` is below the probability of that; else the other values' probabilities
    are added up in order until they exceed it.
    """
    reached = np.empty(weights.size)
    for i in range(weights.size):
        total, last, known = keep[i], i, False
        for r in range(at[i], at[i + 1]):
            number = uniform[records[r]]
            if number < keep[i]:
                out[records[r]] = i
                continue
            if not known:
                for j in range(weights.size):
                    if j != i:
                        chance = weights[i] * weights[j] * closeness[i, j] * min(cut[i], cut[j]) / counts[i]
                        if chance > 0:
                            total += chance
                            last = j
                    reached[j] = total
                known = True
            # The first that exceeds the number: what adds nothing, the value itself too, is never that.
            place = np.searchsorted(reached, number, side="right")
            out[records[r]] = place if place < weights.size else last
