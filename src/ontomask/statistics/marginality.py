"""Marginality and what follows from it: mean, variance, covariance of nominal data (M13 eq. 2-6; D12)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ontomask.arrays import Floats
from ontomask.distances.tables import Scope
from ontomask.errors import OptionError
from ontomask.statistics.sample import Sample, first_least, weighted_sums
from ontomask.taxonomy.taxonomy import Taxonomy


class MarginalityMean(NamedTuple):
    """The least marginal value and its marginality (M13 eq. 3 and 4)."""

    concept: str
    number: float


def marginality(
    taxonomy: Taxonomy,
    concepts: Iterable[str],
    weights: Sequence[float] | None = None,
    measure: str = "logsc",
    *,
    scope: Scope = "taxonomy",
    **options: Any,
) -> dict[str, float]:
    """m(x) = sum of the distances from x to all other elements of the sample (M13 eq. 2).

    The greater, the less central. With counts w and the table D of distinct values, m = D w. D12's marginality is
    this with ``measure="weighted_edge"``.
    """
    sample = Sample.of(taxonomy, concepts, weights)
    return dict(zip(sample.codes(), _marginality(sample, measure, scope, options).tolist(), strict=True))


def marginality_mean(
    taxonomy: Taxonomy,
    concepts: Iterable[str],
    weights: Sequence[float] | None = None,
    measure: str = "logsc",
    *,
    scope: Scope = "taxonomy",
    **options: Any,
) -> MarginalityMean:
    """The least marginal of the values present, with its marginality; ties go to taxonomy order."""
    sample = Sample.of(taxonomy, concepts, weights)
    values = _marginality(sample, measure, scope, options)
    present = np.flatnonzero(sample.weights > 0)
    ordered = present[np.argsort(sample.concepts[present])]
    best = ordered[first_least(values[ordered])]
    return MarginalityMean(taxonomy.concepts[sample.concepts[best]], float(values[best]))


def marginality_variance(
    taxonomy: Taxonomy,
    concepts: Iterable[str],
    weights: Sequence[float] | None = None,
    measure: str = "logsc",
    *,
    scope: Scope = "taxonomy",
    **options: Any,
) -> float:
    """Var_M: the mean marginality of the sample's elements (M13 eq. 5). It grows with the size of the sample."""
    sample = Sample.of(taxonomy, concepts, weights)
    values = _marginality(sample, measure, scope, options)
    return float((values * sample.weights).sum() / sample.weights.sum())


def marginality_covariance(
    columns: Sequence[tuple[Taxonomy, Iterable[str]]],
    measure: str = "logsc",
    *,
    scope: Scope = "taxonomy",
    **options: Any,
) -> Floats:
    """The covariance matrix of nominal columns of the same records (M13 eq. 6).

    Off the diagonal the mean of sqrt(m(x_j) m(y_j)) over records, on it Var_M.
    """
    samples = [Sample.of(t, values) for t, values in columns]
    if not samples or len({len(sample) for sample in samples}) > 1:
        raise OptionError(
            f"columns of {', '.join(str(len(sample)) for sample in samples) or 'no'} values",
            remedy="Give at least one column, all of the same records.",
        )
    per_record = [_marginality(sample, measure, scope, options)[sample.code] for sample in samples]
    matrix = np.empty((len(samples), len(samples)))
    for i, x in enumerate(per_record):
        for j, y in enumerate(per_record[: i + 1]):
            matrix[i, j] = matrix[j, i] = x.mean() if i == j else np.sqrt(x * y).mean()
    return matrix


def _marginality(sample: Sample, measure: str, scope: Scope, options: dict[str, Any]) -> Floats:
    return weighted_sums(sample.distances(measure, scope, options), sample.weights)
