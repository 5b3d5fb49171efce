"""Marginality and what follows from it: mean, variance, covariance of nominal data (M13 eq. 2-6; D12)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ontomask.arrays import Floats
from ontomask.distances.between import Scope
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
    """The marginality of each value of a sample: the greater, the less central.

    Parameters
    ----------
    taxonomy : Taxonomy
        The taxonomy of the concepts.
    concepts : iterable of str
        The values of the sample.
    weights : sequence of float, optional
        How often each concept counts; not given: once for each time it is listed.
    measure : str, default 'logsc'
        The measure of distance; :func:`ontomask.list_measures` lists them.
    scope : {'taxonomy', 'attribute'}, default 'taxonomy'
        Measure in the whole taxonomy, or only below the least common subsumer of the concepts.
    **options
        Options of the measure; see the page of each measure in docs/measures.

    Returns
    -------
    dict of str to float
        By distinct value.

    Notes
    -----
    m(x) is the sum of the distances from x to all other elements of the sample (M13 eq. 2): with counts w and the table
    D of distances between distinct values, m = D w. D12's marginality is this with ``measure="weighted_edge"``.

    Examples
    --------
    >>> import ontomask as om
    >>> t = om.Taxonomy.from_edges([("lumbago", "ache"), ("migraine", "ache"), ("ache", "pain"), ("colic", "pain")])
    >>> om.marginality(t, ["lumbago", "lumbago", "migraine", "colic"], measure="path")
    {'lumbago': 5.0, 'migraine': 7.0, 'colic': 9.0}
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
    """The least marginal of the values present, with its marginality; ties go to taxonomy order.

    Parameters
    ----------
    taxonomy : Taxonomy
        The taxonomy of the concepts.
    concepts : iterable of str
        The values of the sample.
    weights : sequence of float, optional
        How often each concept counts; not given: once for each time it is listed.
    measure : str, default 'logsc'
        The measure of distance; :func:`ontomask.list_measures` lists them.
    scope : {'taxonomy', 'attribute'}, default 'taxonomy'
        Measure in the whole taxonomy, or only below the least common subsumer of the concepts.
    **options
        Options of the measure; see the page of each measure in docs/measures.

    Returns
    -------
    MarginalityMean
        ``concept`` and ``number``.

    Examples
    --------
    >>> import ontomask as om
    >>> t = om.Taxonomy.from_edges([("lumbago", "ache"), ("migraine", "ache"), ("ache", "pain"), ("colic", "pain")])
    >>> om.marginality_mean(t, ["lumbago", "lumbago", "migraine", "colic"], measure="path").concept
    'lumbago'
    """
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
    """Var_M: the mean marginality of the elements of a sample (M13 eq. 5). It grows with the size of the sample.

    Parameters
    ----------
    taxonomy : Taxonomy
        The taxonomy of the concepts.
    concepts : iterable of str
        The values of the sample.
    weights : sequence of float, optional
        How often each concept counts; not given: once for each time it is listed.
    measure : str, default 'logsc'
        The measure of distance; :func:`ontomask.list_measures` lists them.
    scope : {'taxonomy', 'attribute'}, default 'taxonomy'
        Measure in the whole taxonomy, or only below the least common subsumer of the concepts.
    **options
        Options of the measure; see the page of each measure in docs/measures.

    Returns
    -------
    float
        0 if all values are equal.

    Examples
    --------
    >>> import ontomask as om
    >>> t = om.Taxonomy.from_edges([("lumbago", "ache"), ("migraine", "ache"), ("ache", "pain"), ("colic", "pain")])
    >>> om.marginality_variance(t, ["lumbago", "lumbago", "migraine", "colic"], measure="path")
    6.5
    """
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

    Parameters
    ----------
    columns : sequence of (Taxonomy, iterable of str)
        For each column its taxonomy and its values, in the order of the records.
    measure : str, default 'logsc'
        The measure of distance; :func:`ontomask.list_measures` lists them.
    scope : {'taxonomy', 'attribute'}, default 'taxonomy'
        Measure in the whole taxonomy, or only below the least common subsumer of the concepts.
    **options
        Options of the measure; see the page of each measure in docs/measures.

    Returns
    -------
    ndarray
        A row and a column for each of the columns.

    Notes
    -----
    Off the diagonal the mean of sqrt(m(x_j) m(y_j)) over records, on it Var_M.

    Examples
    --------
    >>> import ontomask as om
    >>> t = om.Taxonomy.from_edges([("lumbago", "ache"), ("migraine", "ache"), ("ache", "pain"), ("colic", "pain")])
    >>> om.marginality_covariance([(t, ["lumbago", "colic"]), (t, ["lumbago", "migraine"])], measure="path").round(3).tolist()
    [[3.0, 2.449], [2.449, 2.0]]
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
