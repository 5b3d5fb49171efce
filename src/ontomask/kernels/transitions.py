"""Transition probabilities of PRAM from weights and closeness, row by row, and draws from them."""

from __future__ import annotations

import numpy as np

from ontomask.kernels.compiling import kernel
from ontomask.kernels.space import Floats, Longs


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
