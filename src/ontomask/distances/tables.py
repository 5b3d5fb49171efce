"""``distance``, ``distance_matrix`` and their counterparts for similarity."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ontomask.arguments import one_of
from ontomask.arrays import Array
from ontomask.distances.measures import Compute, Measure, Table, get_measure
from ontomask.errors import MeasureError, OptionError
from ontomask.taxonomy.taxonomy import Taxonomy, require_taxonomy

Scope = Literal["taxonomy", "attribute"]
SCOPES = ("taxonomy", "attribute")

#: Largest table of distinct concepts that is kept beside the result when concepts repeat.
SPARE_BYTES = 100 * 2**20


def distance(
    taxonomy: Taxonomy, a: str, b: str, measure: str = "logsc", *, scope: Scope = "taxonomy", **options: Any
) -> float:
    """The distance between two concepts.

    Parameters
    ----------
    taxonomy : Taxonomy
        Where the concepts have their place.
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
        Where the concepts have their place.
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
        Where the concepts have their place.
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
    chosen = get_measure(measure)
    return _matrix(taxonomy, concepts, against, chosen, chosen.compute, scope, dtype, workers, options)


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
        Where the concepts have their place.
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
    compute = chosen.similarity or chosen.compute
    table = _matrix(taxonomy, concepts, against, chosen, compute, scope, dtype, workers, options)
    return table if chosen.similarity else np.subtract(1, table, out=table)


def _matrix(
    taxonomy: Taxonomy,
    concepts: Iterable[str],
    against: Iterable[str] | None,
    measure: Measure,
    compute: Compute,
    scope: str,
    dtype: DTypeLike,
    workers: int | None,
    options: dict[str, Any],
) -> Array:
    require_taxonomy(taxonomy)
    try:
        wanted = np.dtype(dtype)
    except TypeError:
        wanted = np.dtype(object)
    if wanted not in (np.dtype(np.float64), np.dtype(np.float32)):
        raise OptionError(f"dtype={dtype!r} is not a type for distances", remedy="Choose float64 or float32.")
    one_of(scope, SCOPES, "scope")
    if workers is not None and (isinstance(workers, bool) or not isinstance(workers, (int, np.integer)) or workers < 1):
        raise OptionError(f"workers={workers!r}", remedy="Give a number of threads from 1 up, or None for all cores.")
    settled = measure.settle(options)
    rows = taxonomy.positions(concepts)
    columns = rows if against is None else taxonomy.positions(against)
    if len(rows) == 0 or len(columns) == 0:
        return np.zeros((len(rows), len(columns)), dtype=wanted)
    counts = np.bincount(rows if against is None else np.concatenate((rows, columns)), minlength=len(taxonomy))

    distinct_rows, row_of = distinct_in_order(rows)
    distinct_columns, column_of = (distinct_rows, row_of) if against is None else distinct_in_order(columns)
    repeated = len(distinct_rows) < len(rows) or len(distinct_columns) < len(columns)
    if repeated and len(distinct_rows) * len(distinct_columns) * wanted.itemsize > SPARE_BYTES:
        # Too large to be kept beside the result: let the measure fill in the repetitions itself.
        repeated, distinct_rows, distinct_columns = False, rows, columns

    dag, kept = taxonomy.dag, None
    if scope == "attribute":
        dag, kept = dag.below(dag.common_subsumer(np.concatenate((distinct_rows, distinct_columns))))
        distinct_rows, distinct_columns = (np.searchsorted(kept, p) for p in (distinct_rows, distinct_columns))
    table = compute(Table(taxonomy, dag, distinct_rows, distinct_columns, kept, counts, wanted, workers), **settled)
    return table[np.ix_(row_of, column_of)] if repeated else table


def distinct_in_order(positions: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The distinct positions in order of first appearance, and the place of each position among them."""
    sorted_, first, inverse = np.unique(positions, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return sorted_[order], place[inverse]
