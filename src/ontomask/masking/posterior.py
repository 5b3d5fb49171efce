"""Posterior draws of a column from a regression on others: ranks, values of other records, or numbers.

Every response here is fitted once, to the original records, and drawn from as often as wanted; each draw begins with parameters
from their posterior (:mod:`ontomask.statistics.regression`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ontomask.arrays import Floats, Longs
from ontomask.statistics.regression import Fit, Mixture, Predictors
from ontomask.statistics.scipy_functions import ndtr, ndtri

#: The share of a column's variance that is drawn at random at least, even where the other columns determine it.
LEAST_LEFT = 1e-4
#: Expected scores are compared to so many decimals: what differs by less is equally near.
DIGITS = 9
NEAR = 10.0**-DIGITS


def normal_scores(counts: Longs) -> Floats:
    """The score of each place, given how many records are at it: normal quantiles at (rank - 0.5) / n, of mean square 1;
    records at the same place share the mean of theirs."""
    n = int(counts.sum())
    quantiles = ndtri((np.arange(n) + 0.5) / n)
    scale = np.sqrt((quantiles * quantiles).mean())
    if scale == 0:
        return np.zeros(len(counts))
    begins = np.concatenate(([0], np.cumsum(counts)[:-1]))
    shared: Floats = np.add.reduceat(quantiles, begins) / counts / scale
    return shared


class Response:
    """What is regressed: ``fit`` on the records that have a value, and the share of its variance that is ``explained``."""

    fit: Fit
    explained: float


class PlaceResponse(Response):
    """Places in an order, as cuts through a normal variable behind them.

    With x the normal score that records of one place share, of mean square v, and z the variable behind: cov(z, s) =
    cov(x, s) / v for every predictor s. So x / v is regressed, and what the predictors leave of the unit variance of z is
    noise. A drawn z is put at the place that its rank in the fitted distribution of z belongs to: the expected share of
    every place is its share among the records.
    """

    def __init__(self, place: Longs, counts: Longs, predictors: Predictors, places: Sequence[int]) -> None:
        scores = normal_scores(counts)
        v = float((scores * scores * counts).sum() / counts.sum())
        fit = predictors.fit((scores / v)[place], places)
        if fit.explained > 1 - LEAST_LEFT:
            fit = fit.shrunk(np.sqrt((1 - LEAST_LEFT) / fit.explained))
        self.fit, self.explained = fit, fit.explained
        self.left = 1 - fit.explained
        self.ends = np.cumsum(counts)
        self.behind = Mixture(fit.predict(predictors.features, fit.n), float(np.sqrt(self.left)))

    def draw(self, features: Sequence[Floats], n: int, rng: np.random.Generator) -> Longs:
        """A place for each of n records."""
        drawn = self.fit.draw(rng)
        deviation = np.sqrt(self.fit.n * self.left / drawn.chi2)
        z = self.fit.predict(features, n, drawn) + deviation * rng.standard_normal(n)
        rank = np.floor(self.behind.below(z) * self.fit.n + NEAR)  # between two heaps, the share is a whole rank
        return np.searchsorted(self.ends, np.clip(rank, 0, self.fit.n - 1), side="right")


class DonorResponse(Response):
    """Predictive mean matching: a record takes the place of one of the other records that are expected nearest to it.

    Expected scores of donors are by the estimates, those of the record by drawn coefficients. All donors that are as near
    as the last of the nearest are among them. A record never is its own donor.
    """

    def __init__(
        self, place: Longs, counts: Longs, predictors: Predictors, places: Sequence[int], rows: Longs, donors: int
    ) -> None:
        self.fit = predictors.fit(normal_scores(counts)[place], places)
        spread = self.fit.explained + self.fit.squares / self.fit.n
        self.explained = self.fit.explained / spread if spread > 0 else 0.0
        expected = np.round(self.fit.predict(predictors.features, self.fit.n), DIGITS)
        order = np.argsort(expected, kind="stable")
        self.expected, self.place = expected[order], place[order]
        self.rank = np.empty(len(order), dtype=np.int64)  # where a record stands among the donors
        self.rank[order] = np.arange(len(order))
        self.rows, self.donors = rows, min(donors, len(order) - 1)

    def draw(self, features: Sequence[Floats], n: int, rng: np.random.Generator) -> Longs:
        drawn = self.fit.draw(rng)
        wanted = self.fit.predict(features, n, drawn)
        uniform = rng.random(n)
        own = np.full(n, -1, dtype=np.int64)
        own[self.rows] = self.rank
        order = np.argsort(wanted, kind="stable")  # one after the other, searches stay near the last one
        found = np.empty(n, dtype=np.int64)
        found[order] = self._donors(wanted[order], own[order], uniform[order])
        return found

    def _donors(self, wanted: Floats, own: Longs, uniform: Floats) -> Longs:
        """The place of a donor of each record; ``own``: where it stands itself among the donors, -1: nowhere."""
        reach = self._reach(wanted, own) + NEAR
        begin = np.searchsorted(self.expected, wanted - reach, side="left")
        end = np.searchsorted(self.expected, wanted + reach, side="right")
        inside = (begin <= own) & (own < end)
        number = end - begin - inside
        pick = begin + np.minimum((uniform * number).astype(np.int64), number - 1)
        pick += inside & (pick >= own)
        found: Longs = self.place[pick]
        return found

    def _reach(self, wanted: Floats, own: Longs) -> Floats:
        """The distance to the last of the nearest donors; the record itself is none."""
        near = self._nearest(wanted, self.donors)
        off = np.abs(self.expected[np.maximum(own, 0)] - wanted)
        itself = (own >= 0) & (off <= near)
        if itself.any():
            near[itself] = self._nearest(wanted[itself], self.donors + 1)
        return near

    def _nearest(self, wanted: Floats, number: int) -> Floats:
        """The distance to the last of so many nearest donors: in the order of donors these are a window."""
        at, n = self.expected, len(self.expected)
        place = np.searchsorted(at, wanted)
        low, high = np.clip(place - number, 0, n - number), np.clip(place, 0, n - number)
        while (low < high).any():
            middle = (low + high) // 2
            # Windows that begin later are nearer as long as what they leave behind is farther than what they add.
            later = (low < high) & (wanted - at[middle] > at[np.minimum(middle + number, n - 1)] - wanted)
            low, high = np.where(later, middle + 1, low), np.where(later, high, middle)
        return np.maximum(np.abs(wanted - at[low]), np.abs(at[low + number - 1] - wanted))


class NumberResponse(Response):
    """Numbers as they are, with normal noise; where ``bounded``, within the range of the column."""

    def __init__(self, numbers: Floats, predictors: Predictors, places: Sequence[int], bounded: bool) -> None:
        self.low, self.high = float(numbers.min()), float(numbers.max())
        self.middle, self.unit = middle_and_unit(numbers)
        off = (numbers - self.middle) / self.unit
        self.fit = predictors.fit(off, places)
        spread = self.fit.explained + self.fit.squares / self.fit.n
        self.explained = self.fit.explained / spread
        self.left = max(self.fit.squares, LEAST_LEFT * spread * self.fit.n)
        self.bounded = bounded

    def draw(self, features: Sequence[Floats], n: int, rng: np.random.Generator) -> Floats:
        """A number for each of n records."""
        drawn = self.fit.draw(rng)
        deviation = np.sqrt(self.left / drawn.chi2)
        expected = self.fit.predict(features, n, drawn)
        normal = rng.standard_normal(n)
        if self.bounded:
            low, high = ((bound - self.middle) / self.unit for bound in (self.low, self.high))
            begin, end = ndtr((low - expected) / deviation), ndtr((high - expected) / deviation)
            inside = expected + deviation * ndtri(begin + ndtr(normal) * (end - begin))
            # Records that are expected far outside the range end at its border.
            off: Floats = np.clip(np.where(np.isnan(inside), expected, inside), low, high)
            return np.clip(self.middle + self.unit * off, self.low, self.high)
        off = expected + deviation * normal
        return self.middle + self.unit * off


def middle_and_unit(numbers: Floats) -> tuple[float, float]:
    """Mean and deviation of numbers, computed so that squares cannot overflow."""
    middle = float(numbers.mean())
    largest = float(np.abs(numbers - middle).max(initial=0.0))
    if largest == 0:
        return middle, 1.0
    return middle, largest * float(np.sqrt((((numbers - middle) / largest) ** 2).mean()))
