"""Bayesian linear regression, fitted once and drawn from as often as wanted; and mixtures of normal distributions.

With a flat prior the posterior is known (Rubin 1987, 5.3): sigma^2 is the residual sum of squares over a chi^2 variable with
n - p degrees of freedom, and the coefficients are normal around their estimates with covariance sigma^2 (X'X)^-1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.arrays import Floats
from ontomask.statistics.scipy_functions import ndtr

#: Records for every coefficient, the constant included: with fewer, predictions follow the values of single records.
RECORDS_EACH = 10
#: A predictor is left out where those before it leave less than this share of its variance unexplained.
COLLINEAR = 1e-8
#: Predictors of less than this deviation are constant.
CONSTANT = 1e-9
#: Correlations that differ by less are equal when predictors are chosen.
DIGITS = 9


class Coefficients(NamedTuple):
    """One draw from the posterior; ``chi2`` is the chi^2 variable that the residual variance is made of."""

    level: float
    slopes: Floats
    chi2: float


@dataclass(frozen=True, eq=False)
class Fit:
    """A regression on standardized predictors: the response is ``level`` + sum of slopes times predictors.

    ``used``: the places of the predictors; ``repeated`` and ``crowded``: those left out because others determine them, and
    because there are too few records. ``root`` is the lower Cholesky factor of their correlations, ``squares`` the residual
    sum of squares, ``explained`` the mean square of what is predicted around the level.
    """

    n: int
    used: list[int]
    repeated: list[int]
    crowded: list[int]
    means: Floats
    scales: Floats
    level: float
    slopes: Floats
    root: Floats
    squares: float
    explained: float

    @property
    def degrees(self) -> int:
        """Degrees of freedom of the residuals."""
        return self.n - 1 - len(self.used)

    def predict(self, features: Sequence[Floats], n: int, drawn: Coefficients | None = None) -> Floats:
        """The expected response of n records, by the estimates or by coefficients that were drawn.

        Predictor by predictor, in a fixed order: equal records have equal predictions, whatever the number of threads.
        """
        level, slopes = (self.level, self.slopes) if drawn is None else (drawn.level, drawn.slopes)
        expected = np.full(n, level)
        for slope, place, mean, scale in zip(slopes, self.used, self.means, self.scales, strict=True):
            expected += (slope / scale) * (features[place] - mean)
        return expected

    def draw(self, rng: np.random.Generator) -> Coefficients:
        """Coefficients from their posterior."""
        chi2 = max(float(rng.chisquare(self.degrees)), np.finfo(np.float64).tiny)
        normal = rng.standard_normal(1 + len(self.used))
        unit = np.sqrt(self.squares / chi2 / self.n)
        turned = _solved_above(self.root, normal[1:])
        return Coefficients(float(self.level + unit * normal[0]), self.slopes + unit * turned, chi2)

    def shrunk(self, factor: float) -> Fit:
        """The same with smaller slopes."""
        return replace(self, slopes=self.slopes * factor, explained=self.explained * factor**2)

    def largest_leverage(self, features: Sequence[Floats]) -> float:
        """The largest weight that a record's own response has in its prediction, 0..1."""
        rows: list[Floats] = []
        for i, place in enumerate(self.used):  # L^-1 x, by forward substitution
            row = (features[place] - self.means[i]) / self.scales[i]
            for j, other in enumerate(rows):
                row = row - self.root[i, j] * other
            rows.append(row / self.root[i, i])
        squares = np.zeros(self.n)
        for row in rows:
            squares += row * row
        return float((1 + squares.max(initial=0.0)) / self.n)


class Predictors:
    """Columns that responses are regressed on; products of two of them are computed once."""

    def __init__(self, features: Sequence[Floats]) -> None:
        self.features = features
        self.means = [float(feature.mean()) for feature in features]
        self._centred = [feature - mean for feature, mean in zip(features, self.means, strict=True)]
        self.scales = [float(np.sqrt((centred * centred).mean())) for centred in self._centred]
        self._products: dict[tuple[int, int], float] = {}

    def correlation(self, i: int, j: int) -> float:
        key = (min(i, j), max(i, j))
        if key not in self._products:
            product = float((self._centred[i] * self._centred[j]).mean())
            self._products[key] = product / (self.scales[i] * self.scales[j])
        return self._products[key]

    def fit(self, response: Floats, places: Sequence[int]) -> Fit:
        """The response regressed on the predictors at these places, as far as they vary and add anything.

        There are at least ten records for every coefficient; where there are fewer, the predictors that correlate most
        with the response are used.
        """
        n, level = len(response), float(response.mean())
        off = response - level
        varying = [i for i in places if self.scales[i] > CONSTANT]
        slope = {i: float((self._centred[i] * off).mean()) / self.scales[i] for i in varying}
        scale = float(np.sqrt((off * off).mean()))
        most = max(n // RECORDS_EACH - 1, 0)
        ranked = sorted(varying, key=lambda i: -round(abs(slope[i]) / scale if scale > 0 else 0.0, DIGITS))
        chosen = [i for i in varying if i in set(ranked[:most])]
        used, repeated, root = self._independent(chosen)
        half = _solved_below(root, np.array([slope[i] for i in used]))
        explained = float((half * half).sum())
        return Fit(
            n,
            used,
            repeated,
            [i for i in varying if i not in chosen],
            np.array([self.means[i] for i in used]),
            np.array([self.scales[i] for i in used]),
            level,
            _solved_above(root, half),
            root,
            n * max(scale * scale - explained, 0.0),
            explained,
        )

    def _independent(self, places: Sequence[int]) -> tuple[list[int], list[int], Floats]:
        """Predictors that those before them do not determine, those that they do, and the Cholesky factor of the former."""
        used: list[int] = []
        repeated: list[int] = []
        root = np.zeros((len(places), len(places)))
        for place in places:
            at = len(used)
            row = _solved_below(root[:at, :at], np.array([self.correlation(place, other) for other in used]))
            left = 1.0 - float((row * row).sum())
            if left < COLLINEAR:
                repeated.append(place)
                continue
            root[at, :at], root[at, at] = row, np.sqrt(left)
            used.append(place)
        return used, repeated, root[: len(used), : len(used)]


def _solved_below(root: Floats, right: Floats) -> Floats:
    """x with L x = right. Sums in a fixed order, which a library's solver need not keep."""
    x = np.zeros(len(right))
    for i in range(len(right)):
        x[i] = (right[i] - (root[i, :i] * x[:i]).sum()) / root[i, i]
    return x


def _solved_above(root: Floats, right: Floats) -> Floats:
    """x with L' x = right."""
    x = np.zeros(len(right))
    for i in reversed(range(len(right))):
        x[i] = (right[i] - (root[i + 1 :, i] * x[i + 1 :]).sum()) / root[i, i]
    return x


# ---- mixtures of normal distributions ------------------------------------------------------------------------------

#: Components of a mixture at most; more are put together in bins of equal weight.
COMPONENTS = 512
#: Values of the normal distribution function that are computed for a table of a mixture, about.
EVALUATIONS = 2_000_000
#: Where a component of a mixture begins and ends, in deviations.
REACH = 6.0


class Mixture:
    """The distribution of expected values ``centres``, each with normal noise of one deviation."""

    def __init__(self, centres: Floats, deviation: float) -> None:
        self.deviation = deviation
        ordered = np.sort(centres)
        low, counts = np.unique(ordered, return_counts=True)
        high = low
        if len(low) > COMPONENTS:
            ends = np.linspace(0, len(ordered), COMPONENTS + 1).astype(np.int64)
            low, high, counts = ordered[ends[:-1]], ordered[ends[1:] - 1], np.diff(ends)
        self.low, self.high = low, high
        self.weights = counts / len(centres)

    def below(self, points: Floats) -> Floats:
        """The probability of less than each point: exactly where there are few, else between the points of a table."""
        if len(points) * len(self.low) <= EVALUATIONS:
            return self._exactly(points)
        table, shares = self._table()
        return np.interp(points, table, shares)

    def _table(self) -> tuple[Floats, Floats]:
        if not hasattr(self, "_made"):
            each = int(np.clip(EVALUATIONS // len(self.low) ** 2, 8, 256))
            around = self.deviation * np.linspace(-REACH, REACH, each)
            ends = [self.low[0] - around, self.high[-1] + around]
            points = np.unique(np.concatenate([self.low, self.high, (self.low[:, None] + around).ravel(), *ends]))
            self._made = (points, self._exactly(points))
        return self._made

    def _exactly(self, points: Floats) -> Floats:
        if self.high is self.low and len(points) * len(self.low) <= EVALUATIONS:
            every: Floats = (ndtr((points[:, None] - self.low) / self.deviation) * self.weights).sum(axis=1)
            return np.clip(every, 0.0, 1.0)
        share: Floats = np.zeros(len(points))
        for low, high, weight in zip(self.low, self.high, self.weights, strict=True):
            wide = (high - low) / self.deviation
            if wide < 1e-3:
                share += weight * ndtr((points - (low + high) / 2) / self.deviation)
            else:  # all that lies in a bin counts as spread evenly over it
                share += (
                    weight * (_area((points - low) / self.deviation) - _area((points - high) / self.deviation)) / wide
                )
        return np.clip(share, 0.0, 1.0)


def _area(x: NDArray[np.float64]) -> Floats:
    """The integral of the normal distribution function up to x."""
    area: Floats = x * ndtr(x) + np.exp(-x * x / 2) / np.sqrt(2 * np.pi)
    return area
