"""``distance``, ``distance_matrix`` and their counterparts for similarity."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ontomask.arguments import whole_from
from ontomask.distances.between import Scope, between
from ontomask.distances.measure import Measure
from ontomask.distances.measures import get_measure
from ontomask.errors import MeasureError, OptionError
from ontomask.taxonomy.taxonomy import Taxonomy, require_taxonomy


def distance(
    taxonomy: Taxonomy, a: str, b: str, measure: str = "logsc", *, scope: Scope = "taxonomy", **options: Any
) -> float:
    """The distance between two concepts.

    Parameters
    ----------
    taxonomy : Taxonomy
        The taxonomy of the concepts.
    a, b : str
        The codes of the concepts.
    measure : str, default 'logsc'
        The measure of distance; :func:`ontomask.list_measures` lists them.
    scope : {'taxonomy', 'attribute'}, default 'taxonomy'
        Measure in the whole taxonomy, or only below the least common subsumer of the concepts.
    **options
        Options of the measure; see the page of each measure in docs/measures.

    Returns
    -------
    float
        0 for a concept and itself; the upper end depends on the measure.

    Examples
    --------
    >>> import ontomask as om
    >>> t = om.Taxonomy.from_edges([("lumbago", "ache"), ("migraine", "ache"), ("ache", "pain"), ("colic", "pain")])
    >>> om.distance(t, "lumbago", "migraine", measure="path"), round(om.distance(t, "lumbago", "colic"), 3)
    (2.0, 0.807)
    """
    return float(distance_matrix(taxonomy, [a, b], measure, scope=scope, workers=1, **options)[0, 1])


def similarity(
    taxonomy: Taxonomy, a: str, b: str, measure: str = "wu_palmer", *, scope: Scope = "taxonomy", **options: Any
) -> float:
    """The similarity between two concepts, for measures that are published as one.

    Parameters
    ----------
    taxonomy : Taxonomy
        The taxonomy of the concepts.
    a, b : str
        The codes of the concepts.
    measure : str, default 'wu_palmer'
        The measure of distance; :func:`ontomask.list_measures` lists them.
    scope : {'taxonomy', 'attribute'}, default 'taxonomy'
        Measure in the whole taxonomy, or only below the least common subsumer of the concepts.
    **options
        Options of the measure; see the page of each measure in docs/measures.

    Returns
    -------
    float
        As the authors of the measure define it.

    Examples
    --------
    >>> import ontomask as om
    >>> t = om.Taxonomy.from_edges([("lumbago", "ache"), ("migraine", "ache"), ("ache", "pain"), ("colic", "pain")])
    >>> round(om.similarity(t, "lumbago", "migraine"), 3), round(om.similarity(t, "lumbago", "colic"), 3)
    (0.667, 0.4)
    """
    return float(similarity_matrix(taxonomy, [a, b], measure, scope=scope, workers=1, **options)[0, 1])


def distance_matrix(
    taxonomy: Taxonomy,
    concepts: Iterable[str],
    measure: str = "logsc",
    *,
    against: Iterable[str] | None = None,
    scope: Scope = "taxonomy",
    dtype: DTypeLike = np.float64,
    workers: int | None = None,
    **options: Any,
) -> NDArray[Any]:
    """Distances between all concepts, or from them to others.

    Parameters
    ----------
    taxonomy : Taxonomy
        The taxonomy of the concepts.
    concepts : iterable of str
        Codes of concepts; alternative codes will do.
    measure : str, default 'logsc'
        The measure of distance; :func:`ontomask.list_measures` lists them.
    against : iterable of str, optional
        The concepts of the columns of the matrix; not given: the same as those of the rows.
    scope : {'taxonomy', 'attribute'}, default 'taxonomy'
        Measure in the whole taxonomy, or inside tau(X): the LCS of all the concepts and what lies below it.
    dtype : dtype, default float64
        float64 or float32.
    workers : int, optional
        The number of threads (default: all cores); it does not change the result.
    **options
        Options of the measure; see the page of each measure in docs/measures.

    Returns
    -------
    ndarray
        A row for each of ``concepts``.

    Notes
    -----
    Memory: the result and at most 200 MB.

    Examples
    --------
    >>> import ontomask as om
    >>> t = om.Taxonomy.from_edges([("lumbago", "ache"), ("migraine", "ache"), ("ache", "pain"), ("colic", "pain")])
    >>> om.distance_matrix(t, ["lumbago", "migraine", "colic"], measure="path").tolist()
    [[0.0, 2.0, 3.0], [2.0, 0.0, 3.0], [3.0, 3.0, 0.0]]
    """
    return _between_codes(taxonomy, concepts, against, get_measure(measure), scope, options, dtype, workers)


def similarity_matrix(
    taxonomy: Taxonomy,
    concepts: Iterable[str],
    measure: str = "wu_palmer",
    *,
    against: Iterable[str] | None = None,
    scope: Scope = "taxonomy",
    dtype: DTypeLike = np.float64,
    workers: int | None = None,
    **options: Any,
) -> NDArray[Any]:
    """Similarities between all concepts, or from them to others, as the authors of the measure published them.

    Parameters
    ----------
    taxonomy : Taxonomy
        The taxonomy of the concepts.
    concepts : iterable of str
        Codes of concepts; alternative codes will do.
    measure : str, default 'wu_palmer'
        The measure of distance; :func:`ontomask.list_measures` lists them.
    against : iterable of str, optional
        The concepts of the columns of the matrix; not given: the same as those of the rows.
    scope : {'taxonomy', 'attribute'}, default 'taxonomy'
        Measure in the whole taxonomy, or only below the least common subsumer of the concepts.
    dtype : dtype, default float64
        float64 or float32.
    workers : int, optional
        The number of threads (default: all cores); it does not change the result.
    **options
        Options of the measure; see the page of each measure in docs/measures.

    Returns
    -------
    ndarray
        A row for each of ``concepts``.

    Examples
    --------
    >>> import ontomask as om
    >>> t = om.Taxonomy.from_edges([("lumbago", "ache"), ("migraine", "ache"), ("ache", "pain"), ("colic", "pain")])
    >>> om.similarity_matrix(t, ["lumbago", "colic"], against=["migraine"]).round(3).tolist()
    [[0.667], [0.4]]
    """
    chosen = get_measure(measure)
    if chosen.similarity is None and not chosen.complement:
        raise MeasureError(f"{measure!r} is a distance with no similarity of its own", remedy="Use distance_matrix.")
    return _between_codes(taxonomy, concepts, against, chosen, scope, options, dtype, workers, similar=True)


def _between_codes(
    taxonomy: Taxonomy,
    concepts: Iterable[str],
    against: Iterable[str] | None,
    measure: Measure,
    scope: str,
    options: dict[str, Any],
    dtype: DTypeLike,
    workers: int | None,
    *,
    similar: bool = False,
) -> NDArray[Any]:
    """Arguments checked, codes as positions."""
    require_taxonomy(taxonomy)
    try:
        wanted = np.dtype(dtype)
    except TypeError:
        wanted = np.dtype(object)
    if wanted not in (np.dtype(np.float64), np.dtype(np.float32)):
        raise OptionError(f"dtype={dtype!r} is not supported for distances", remedy="Choose float64 or float32.")
    if workers is not None:
        whole_from(1, workers, "workers", remedy="Give a number of threads from 1 up, or None for all cores.")
    rows = taxonomy.positions(concepts)
    columns = None if against is None else taxonomy.positions(against)
    return between(taxonomy, rows, columns, measure, scope, options, similar=similar, dtype=wanted, workers=workers)
