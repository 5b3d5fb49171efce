"""Distance covariance, variance and correlation of nominal and numeric columns (R17 eq. 14-16; Szekely et al. 2007).

The definition double-centres an n x n table of distances for each column. It is never built: with the contingency table
N of two nominal columns and the tables A, B of their categories, the sum over all pairs of records is
sum(N * (A N B)), whatever n (specification 6). A numeric column enters by prefix sums over its sorted values.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.arguments import as_numbers
from ontomask.arrays import Floats
from ontomask.distances.between import Scope
from ontomask.distances.measures import get_measure
from ontomask.errors import OntomaskWarning, OptionError
from ontomask.kernels.dependence import sums_between
from ontomask.statistics.sample import Sample
from ontomask.taxonomy.taxonomy import Taxonomy


class DistanceColumn:
    """A column of n records: the mean distance from each record to all, and the grand mean of those."""

    size: int
    row_means: Floats
    weights: NDArray[np.int64] | None = None  #: the records of each row, if it is not one
    scale: float = 1.0  #: what distances were divided by

    @property
    def grand_mean(self) -> float:
        if self.weights is not None:
            return float((self.row_means * self.weights).sum() / self.size)
        return float(self.row_means.mean())

    @cached_property
    def variance(self) -> float:
        """sdVar: the distance covariance of the column with itself."""
        return covariance_of(self, self)


class CategoryColumn(DistanceColumn):
    """``code`` of each record, and the ``table`` of distances between codes. ``weights``: a row stands for so many records."""

    def __init__(self, code: NDArray[np.int64], table: Floats, weights: NDArray[np.int64] | None = None) -> None:
        self.size = len(code) if weights is None else int(weights.sum())
        self.code, self.weights = code, weights
        self.table = table
        weights = np.bincount(code, weights, len(table))
        self.row_means = (np.add.reduce(table * weights, axis=1) / self.size)[code]


def _sum_over_pairs(one: DistanceColumn, two: DistanceColumn) -> float:
    """Sum over all pairs of records of the product of both columns' distances."""
    if isinstance(one, CategoryColumn) and isinstance(two, CategoryColumn):
        return _sum_of_categories(one, two)
    if isinstance(one, MeasuredColumn) and isinstance(two, MeasuredColumn):
        return 2 * _sum_of_products(one.values[one.order], two.values[one.order])
    named, measured = (one, two) if isinstance(one, CategoryColumn) else (two, one)
    assert isinstance(named, CategoryColumn)
    assert isinstance(measured, MeasuredColumn)
    return float((named.table * measured.sums_between(named.code, len(named.table))).sum())


def _sum_of_categories(one: CategoryColumn, two: CategoryColumn) -> float:
    """tr(C' A C B) = sum (A C) * (C B), C counting the records of every two codes: few of them occur together."""
    if one is two:
        weights = np.bincount(one.code, one.weights, len(one.table)).astype(np.float64)
        return float(weights @ (one.table * one.table) @ weights)
    from scipy.sparse import csr_array  # late: it takes 0.15 s to load

    width = len(two.table)
    pairs, counts = _counted(one.code * width + two.code, one.weights)
    together: Any = csr_array(
        (counts.astype(np.float64), (pairs // width, pairs % width)), shape=(len(one.table), width)
    )
    if together.nnz * 20 > together.shape[0] * together.shape[1]:
        together = together.toarray()  # many do: then dense products are faster
    return float(((together.T @ one.table).T * (together @ two.table)).sum())


def _counted(key: NDArray[np.int64], weights: NDArray[np.int64] | None) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """The different keys, and the records of each."""
    if weights is None:
        return np.unique(key, return_counts=True)
    pairs, place = np.unique(key, return_inverse=True)
    return pairs, np.bincount(place, weights)


class MeasuredColumn(DistanceColumn):
    def __init__(self, values: Floats) -> None:
        self.size = len(values)
        # Distances do not see an offset, but running sums would drown in one: dates and amounts lie far from 0.
        values = values - np.median(values)
        self.scale = float(np.abs(values).max()) or 1.0
        self.values = values / self.scale
        self.order = np.argsort(self.values, kind="stable")
        ordered = self.values[self.order]
        before = np.concatenate(([0.0], np.cumsum(ordered)[:-1]))
        rank = np.arange(self.size)
        # sum |x - y| = what x exceeds the smaller ones by + what the larger ones exceed x by
        total = ordered.sum()
        sums = ordered * rank - before + (total - before - ordered) - ordered * (self.size - 1 - rank)
        self.row_means = np.empty(self.size)
        self.row_means[self.order] = sums / self.size

    def sums_between(self, code: NDArray[np.int64], categories: int) -> Floats:
        """For every two categories the sum of |x - y| over their records, in one pass over the sorted values."""
        sums = np.zeros((categories, categories))
        sums_between(code[self.order], self.values[self.order], sums)
        return sums


def _sum_of_products(x: Floats, y: Floats) -> float:
    """Sum over i < j of (x_j - x_i) |y_j - y_i| for sorted x, by merging halves (Huo & Szekely 2016).

    At each level the records of neighbouring blocks are sorted by y together; each one of the right block then meets
    those of the left block with smaller y through running sums, and those with larger y through what is left.
    """
    n = len(x)
    total = 0.0
    width = 1
    place = np.arange(n)
    while width < n:
        pair = place // (2 * width)
        by = np.lexsort((place, y, pair))
        left = (place[by] // width) % 2 == 0
        xs, ys, blocks = x[by], y[by], pair[by]
        starts = np.flatnonzero(np.diff(blocks, prepend=-1))
        lengths = np.diff(np.append(starts, n))
        parts = []
        for weight in (np.ones(n), xs, ys, xs * ys):
            running = np.cumsum(np.where(left, weight, 0.0))
            offset = np.where(starts > 0, running[starts - 1], 0.0)
            below = running - np.repeat(offset, lengths)
            whole = np.repeat(running[starts + lengths - 1] - offset, lengths)
            parts.append((below, whole - below))
        right = ~left
        for sign, side in ((1.0, 0), (-1.0, 1)):
            count, sum_x, sum_y, sum_xy = (part[side][right] for part in parts)
            total += sign * float(
                (xs[right] * ys[right] * count - xs[right] * sum_y - ys[right] * sum_x + sum_xy).sum()
            )
        width *= 2
    return total


def distance_covariance(
    taxonomy1: Taxonomy | None,
    x: Iterable[Any],
    taxonomy2: Taxonomy | None,
    y: Iterable[Any],
    measure: str = "wu_palmer",
    *,
    scope: Scope = "taxonomy",
    **options: Any,
) -> float:
    """The distance covariance sdCov of two columns of the same records (R17 eq. 14).

    Parameters
    ----------
    taxonomy1 : Taxonomy or None
        The taxonomy of ``x``; None: it is numeric.
    x : iterable
        The values of the first column.
    taxonomy2 : Taxonomy or None
        The taxonomy of ``y``; None: it is numeric.
    y : iterable
        The values of the second column, of the same records.
    measure : str, default 'wu_palmer'
        The measure of distance; :func:`ontomask.list_measures` lists them.
    scope : {'taxonomy', 'attribute'}, default 'taxonomy'
        Measure in the whole taxonomy, or only below the least common subsumer of the concepts.
    **options
        Options of the measure; see the page of each measure in docs/measures.

    Returns
    -------
    float
        0 or more.

    Notes
    -----
    The cost of two nominal columns depends on their numbers of categories, not on the number of records.

    Examples
    --------
    >>> import ontomask as om
    >>> t = om.Taxonomy.from_edges([("lumbago", "ache"), ("migraine", "ache"), ("ache", "pain"), ("colic", "pain")])
    >>> round(om.distance_covariance(t, ["lumbago", "migraine", "colic"], None, [1, 2, 9]), 3)
    0.881
    """
    return covariance_of(*_columns(taxonomy1, x, taxonomy2, y, measure, scope, options))


def distance_variance(
    taxonomy: Taxonomy | None,
    x: Iterable[Any],
    measure: str = "wu_palmer",
    *,
    scope: Scope = "taxonomy",
    **options: Any,
) -> float:
    """The distance variance sdVar of a column: its distance covariance with itself (R17 eq. 15).

    Parameters
    ----------
    taxonomy : Taxonomy or None
        The taxonomy of ``x``; None: it is numeric.
    x : iterable
        The values of the column.
    measure : str, default 'wu_palmer'
        The measure of distance; :func:`ontomask.list_measures` lists them.
    scope : {'taxonomy', 'attribute'}, default 'taxonomy'
        Measure in the whole taxonomy, or only below the least common subsumer of the concepts.
    **options
        Options of the measure; see the page of each measure in docs/measures.

    Returns
    -------
    float
        0 if the column does not vary.

    Examples
    --------
    >>> import ontomask as om
    >>> t = om.Taxonomy.from_edges([("lumbago", "ache"), ("migraine", "ache"), ("ache", "pain"), ("colic", "pain")])
    >>> round(om.distance_variance(t, ["lumbago", "migraine", "colic"]), 3)
    0.255
    """
    return _column(taxonomy, x, measure, scope, options).variance


def distance_correlation(
    taxonomy1: Taxonomy | None,
    x: Iterable[Any],
    taxonomy2: Taxonomy | None,
    y: Iterable[Any],
    measure: str = "wu_palmer",
    *,
    scope: Scope = "taxonomy",
    **options: Any,
) -> float:
    """The distance correlation sdCor of two columns of the same records (R17 eq. 16).

    Parameters
    ----------
    taxonomy1 : Taxonomy or None
        The taxonomy of ``x``; None: it is numeric.
    x : iterable
        The values of the first column.
    taxonomy2 : Taxonomy or None
        The taxonomy of ``y``; None: it is numeric.
    y : iterable
        The values of the second column, of the same records.
    measure : str, default 'wu_palmer'
        The measure of distance; :func:`ontomask.list_measures` lists them.
    scope : {'taxonomy', 'attribute'}, default 'taxonomy'
        Measure in the whole taxonomy, or only below the least common subsumer of the concepts.
    **options
        Options of the measure; see the page of each measure in docs/measures.

    Returns
    -------
    float
        From 0 (independent) to 1; 0 if one of them does not vary.

    Notes
    -----
    The cost of two nominal columns depends on their numbers of categories, not on the number of records.

    Examples
    --------
    >>> import ontomask as om
    >>> t = om.Taxonomy.from_edges([("lumbago", "ache"), ("migraine", "ache"), ("ache", "pain"), ("colic", "pain")])
    >>> x = ["lumbago", "lumbago", "migraine", "colic"]
    >>> round(om.distance_correlation(t, x, t, x), 3), round(om.distance_correlation(t, x, None, [1, 1, 2, 9]), 3)
    (1.0, 0.961)
    """
    return correlation_of(*_columns(taxonomy1, x, taxonomy2, y, measure, scope, options))


def correlation_of(one: DistanceColumn, two: DistanceColumn) -> float:
    """sdCor: the covariance over the root of both variances; 0 if one does not vary."""
    variances = one.variance * two.variance
    return covariance_of(one, two) / float(np.sqrt(variances)) if variances > 0 else 0.0


def covariance_of(one: DistanceColumn, two: DistanceColumn) -> float:
    """sdCov from the raw sum of products: minus 2 n r_a' r_b, plus n^2 g_a g_b (specification 6)."""
    n = one.size
    products = one.row_means * two.row_means
    together = float((products if one.weights is None else products * one.weights).sum())
    centred = _sum_over_pairs(one, two) - 2 * n * together
    centred += n * n * one.grand_mean * two.grand_mean
    # Rounding can take the sum a little below 0; distances that are not a metric (wu_palmer, path in a DAG) some more.
    if centred < -1e-9 * n * n:
        warnings.warn(
            "the distance covariance is slightly negative and counts as 0: the measure is not a metric here",
            OntomaskWarning,
            stacklevel=3,
        )
    return float(np.sqrt(max(centred, 0.0) * one.scale * two.scale)) / n


def _columns(
    taxonomy1: Taxonomy | None,
    x: Iterable[Any],
    taxonomy2: Taxonomy | None,
    y: Iterable[Any],
    measure: str,
    scope: Scope,
    options: dict[str, Any],
) -> tuple[DistanceColumn, DistanceColumn]:
    one, two = (_column(t, values, measure, scope, options) for t, values in ((taxonomy1, x), (taxonomy2, y)))
    if one.size != two.size:
        raise OptionError(f"columns of {one.size} and {two.size} values", remedy="Give columns of the same records.")
    return one, two


def _column(
    taxonomy: Taxonomy | None, values: Iterable[Any], measure: str, scope: Scope, options: dict[str, Any]
) -> DistanceColumn:
    if taxonomy is not None:
        sample = Sample.of(taxonomy, values)
        return CategoryColumn(sample.code, sample.distances(measure, scope, options))
    get_measure(measure)  # wrong options are an error, also if no nominal column needs it
    numbers = as_numbers(values, "the values of a column without a taxonomy")
    if len(numbers) == 0:
        raise OptionError("a column has no values", remedy="Give at least one value.")
    return MeasuredColumn(numbers)
