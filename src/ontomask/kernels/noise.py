"""Noise mapped back to values that occur: for each record the value that its displacement leads to."""

from __future__ import annotations

import numpy as np

from ontomask.kernels.compiling import kernel
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
