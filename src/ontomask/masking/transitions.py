"""Invariant transition matrices for PRAM, with probabilities that fall with semantic distance.

R_ij is the probability that value i is released as j. With counts t and closeness K_ij = exp(-d_ij / reach), weights a are
sought with

    a_i sum_(j != i) K_ij a_j = (1 - keep) t_i        for every value i

(symmetric matrix scaling; Sinkhorn & Knopp 1967), and R_ij = a_i a_j K_ij / t_i off the diagonal. Then t_i R_ij = t_j R_ji:
as many records are expected to go from i to j as back, so expected counts are those of the original, exactly (invariant
PRAM: Gouweleeuw, Kooiman, Willenborg & de Wolf 1998). Every value is kept with the same probability, and of all such
matrices this one is nearest to K (least Kullback-Leibler divergence).

A value of half of the records or more cannot change as often as the others: there are too few of them to take its place. It
counts as close to itself as the nearest other value is (K_ii = max_j K_ij): part of its draws leave it as it is. (With K_ii =
1 it would be kept nearly always, and the others would only be exchanged among themselves.) Where the scaling is not finished
after the allowed rounds, flows that are too large are cut: t_i R_ij = a_i a_j K_ij min(c_i, c_j) with c_i <= 1. That keeps
balance and leaves values kept more often than was asked for, never less.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ontomask.arrays import Floats, Longs
from ontomask.kernels.transitions import draw_values, keep_probabilities, sums_of_rows
from ontomask.masking.scores import by_code, present_codes
from ontomask.microdata.column_distance import ColumnDistance

#: The scaling is finished when every sum is right to this, relatively.
FINISHED = 1e-11
#: Rounds of the scaling at most, and products of all rounds together.
ROUNDS, PRODUCTS = 2_000, 4_000_000_000


@dataclass(frozen=True, eq=False)
class Transitions:
    """The transition matrix of one column over its ``values``, the codes that are not missing, with their ``counts``."""

    metric: ColumnDistance
    values: Longs
    counts: Floats
    closeness: Floats
    weights: Floats
    cut: Floats

    @staticmethod
    def of(metric: ColumnDistance, keep: float, reach: float) -> Transitions:
        values = present_codes(metric.column)
        counts = metric.column.counts[values].astype(np.float64)
        closeness = relative_distances(metric, values)
        np.exp(np.divide(closeness, -reach, out=closeness), out=closeness)
        total = counts.sum()
        alone = not (len(counts) == 2 and counts[0] == counts[1])
        np.fill_diagonal(closeness, 0.0)
        if len(counts) < 2:
            return Transitions(metric, values, counts, closeness, np.zeros(len(counts)), np.ones(len(counts)))
        np.fill_diagonal(closeness, np.where(alone & (2 * counts >= total), closeness.max(axis=1), 0.0))
        wanted = (1 - keep) * counts
        weights, reached = balanced(closeness, wanted)
        return Transitions(metric, values, counts, closeness, weights, np.minimum(1.0, wanted / reached))

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def keep(self) -> Floats:
        """The probability of each value to be kept: the diagonal of the matrix."""
        kept = np.ones(len(self))
        if len(self) > 1:
            keep_probabilities(self.closeness, self.weights, self.cut, self.counts, kept)
        return kept

    def matrix(self) -> Floats:
        """All probabilities: row i is what value i may become."""
        flows = self.weights[:, None] * self.weights * self.closeness
        matrix: Floats = flows * np.minimum(self.cut[:, None], self.cut) / self.counts[:, None]
        np.fill_diagonal(matrix, self.keep)
        return matrix

    def draw(self, codes: Longs, uniform: Floats) -> Longs:
        """A new code for each record, whose ``codes`` these are; missing values stay."""
        if len(self) < 2:
            return codes
        codes = codes.copy()
        place = np.full(len(self.metric.column), -1)
        place[self.values] = np.arange(len(self))
        here = np.flatnonzero(place[codes] >= 0)
        records, at = by_code(place[codes[here]], len(self))
        drawn = np.empty(len(here), dtype=np.int64)
        draw_values(self.closeness, self.weights, self.cut, self.counts, self.keep, records, at, uniform[here], drawn)
        codes[here] = self.values[drawn]
        return codes


def relative_distances(metric: ColumnDistance, codes: Longs) -> Floats:
    """The distances of values of a column from each other, in 0..1; the table is the caller's own."""
    table = metric.table_of(codes)
    return np.divide(table, metric.scale, out=table) if metric.scale > 0 else table


def balanced(closeness: Floats, wanted: Floats) -> tuple[Floats, Floats]:
    """Weights a with a_i sum_j closeness_ij a_j = wanted_i, and what the left side is with them."""
    weights, sums = np.sqrt(wanted), np.empty(len(wanted))
    rounds = min(ROUNDS, max(PRODUCTS // len(wanted) ** 2, 50))
    for _ in range(rounds):
        sums_of_rows(closeness, weights, sums)
        if np.abs(weights * sums / wanted - 1).max() < FINISHED:
            break
        weights = np.sqrt(weights * wanted / sums)
    sums_of_rows(closeness, weights, sums)
    return weights, weights * sums
