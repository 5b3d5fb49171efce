"""Columns as scores that noise can be added to, and values from noisy scores.

Numbers are their own scores, ordered categories have their ranks, nominal values their marginality: the mean distance from
all records (M13 eq. 2, divided by n).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ontomask.arrays import TIE, Array, Floats, Longs
from ontomask.kernels.perturbation import nearest_values
from ontomask.microdata.column_distance import ColumnDistance
from ontomask.microdata.columns import Column

Nearest = Literal["meaning", "score"]


@dataclass(frozen=True, eq=False)
class Scores:
    """``present``: the codes that are not missing; ``scores``: of these, with their mean and standard deviation.

    ``spread``: the root of half the mean squared distance of two records. Of numbers and ranks that is the standard
    deviation; nominal values have it without having an order.
    """

    metric: ColumnDistance
    present: Longs
    scores: Floats
    mean: float
    deviation: float
    spread: float

    @staticmethod
    def of(metric: ColumnDistance) -> Scores:
        column = metric.column
        present = present_codes(column)
        counts = column.counts[present]
        numbers = column.centre_of_code.astype(np.float64)
        if len(present) < 2:  # a mean of equal numbers need not be exactly that number
            own = numbers[present] if metric.on_line else np.zeros(len(present))
            return Scores(metric, present, own, float(own.sum()), 0.0, 0.0)
        scores: Floats = numbers[present] if metric.on_line else metric.marginalities()[present] / metric.n
        mean, deviation = moments(scores, counts)
        spread = deviation if metric.on_line else _spread(metric, present, counts)
        if deviation <= TIE * spread:  # equally marginal values: what is left is rounding
            deviation = 0.0
        return Scores(metric, present, scores, mean, deviation, spread)

    @property
    def column(self) -> Column:
        return self.metric.column

    @property
    def varies(self) -> bool:
        """Is there anything that noise could be measured by?"""
        return self.spread > 0

    def standardized(self) -> Floats:
        """The score of each code in standard deviations from the mean; NaN for a missing value, 0 where all are equal."""
        standard = np.full(len(self.column), np.nan)
        standard[self.present] = (self.scores - self.mean) / self.deviation if self.deviation > 0 else 0.0
        return standard

    def of_codes(self) -> Floats:
        """The score of each code; NaN for a missing value."""
        scores = np.full(len(self.column), np.nan)
        scores[self.present] = self.scores
        return scores


def present_codes(column: Column) -> Longs:
    """The codes of a column without that of a missing value."""
    codes = np.arange(len(column))
    return codes if column.missing is None else codes[codes != column.missing]


def moments(scores: Floats, counts: Longs) -> tuple[float, float]:
    """Mean and standard deviation of the records; sums are exact, so that their order does not matter."""
    total = int(counts.sum())
    if total == 0:
        return 0.0, 0.0
    mean = math.fsum((counts * scores).tolist()) / total
    off = scores - mean
    most = float(np.abs(off).max(initial=0.0))
    if most < 1e-100 or most > 1e100:  # squares would vanish or overflow
        scale = most or 1.0
        return mean, scale * math.sqrt(math.fsum((counts * (off / scale) ** 2).tolist()) / total)
    return mean, math.sqrt(math.fsum((counts * off**2).tolist()) / total)


def _spread(metric: ColumnDistance, present: Longs, counts: Longs) -> float:
    """sqrt(E d(X, X')^2 / 2) of two records drawn at random."""
    total = int(counts.sum())
    if total == 0:
        return 0.0
    rows = ((metric.between_codes[code][present] ** 2 * counts).sum() for code in present)
    squares = math.fsum(float(count) * float(row) for count, row in zip(counts, rows, strict=True))
    return math.sqrt(squares / (2 * total * total))


# ---- the way back --------------------------------------------------------------------------------------------------


def moved_numbers(scored: Scores, codes: Array, moves: Floats, *, limits: bool) -> tuple[Floats, int]:
    """The number of each record after its move (in standard deviations), as precise as the column; NaN stays.

    ``limits``: what lies beyond the smallest or largest number of the column is reflected there. Also, how many were.
    """
    column = scored.column
    values = column.centre_of_code[codes] + scored.deviation * moves
    reflected = 0
    if limits:
        low, high = float(scored.scores.min()), float(scored.scores.max())
        below, above = values < low, values > high
        reflected = int(below.sum() + above.sum())
        values = np.where(below, np.minimum(2 * low - values, high), values)
        values = np.where(above, np.maximum(2 * high - values, low), values)
    return column.rounded(values), reflected


def moved_ranks(scored: Scores, before: Array, moves: Floats) -> Longs:
    """The code of each record after its move: that of the nearest rank that occurs, the lower of two; missing stays."""
    codes = before.astype(np.int64)
    order = np.argsort(scored.scores, kind="stable")
    ranks, ranked = scored.scores[order], scored.present[order]
    here = ~np.isnan(moves)
    targets = scored.of_codes()[codes[here]] + scored.deviation * moves[here]
    above = np.clip(np.searchsorted(ranks, targets), 1, len(ranks) - 1)
    lower = targets - ranks[above - 1] <= ranks[above] - targets
    codes[here] = ranked[np.where(lower, above - 1, above)]
    return codes


def moved_concepts(scored: Scores, before: Array, moves: Floats, uniform: Floats, nearest: Nearest) -> Longs:
    """The code of each record after its move; missing stays.

    From value x a move of d standard deviations leads to the value y with the least (u - d)^2 + (v - |d|)^2, where u is
    the difference of their scores in standard deviations and v their distance in units of the spread. On a line u is
    +-v and y the value nearest to x + d. With ``nearest="score"`` it is the least (u - d)^2.
    """
    metric, present = scored.metric, scored.present
    codes = before.astype(np.int64)
    records, at = by_code(codes, len(scored.column))
    out = codes.copy()
    for place, code in enumerate(present):
        mine = records[at[code] : at[code + 1]]
        along = (scored.scores - scored.scores[place]) / (scored.deviation or 1.0)
        if scored.deviation == 0:
            along[:] = 0.0
        away = metric.between_codes[code][present] / scored.spread
        radius = np.sqrt(along**2 + away**2) if nearest == "meaning" else np.abs(along)
        order = np.argsort(radius, kind="stable")
        chosen = np.empty(len(mine), dtype=np.int64)
        nearest_values(
            along[order], away[order], radius[order], nearest == "meaning", moves[mine], uniform[mine], chosen
        )
        out[mine] = present[order[chosen]]
    return out


def by_code(codes: NDArray[np.int64], size: int) -> tuple[Longs, Longs]:
    """The records of each code, one code after the other, and where each begins."""
    at = np.zeros(size + 1, dtype=np.int64)
    np.cumsum(np.bincount(codes, minlength=size), out=at[1:])
    return np.argsort(codes, kind="stable").astype(np.int64), at
