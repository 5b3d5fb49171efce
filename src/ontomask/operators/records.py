"""The operators of T12 chapter 4 on whole records: comparing, averaging and sorting the rows of a frame."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ontomask.arguments import one_of
from ontomask.arrays import Floats
from ontomask.errors import OptionError
from ontomask.microdata.encoding import Table, Tuples
from ontomask.operators.aggregation import Centroid, Operators
from ontomask.operators.ordering import Comparison, in_order, sorted_records
from ontomask.operators.record_distance import Distance, Normalize, RecordDistance, check_distance, table_of
from ontomask.operators.references import RecordReference, distances_from_reference
from ontomask.statistics.sample import first_least

Unit = Literal["attribute", "record"]
#: Records a matrix of all distances is computed for.
MOST = 20_000


def record_distances(
    frame: Any, attributes: Any, distance: Distance = "mean", *, normalize: Normalize = "pairwise"
) -> Floats:
    """The distances between all records of a frame.

    Parameters
    ----------
    frame : DataFrame or path
        A pandas, Polars or PyArrow frame, or the path of a file.
    attributes : Policy or mapping of str to attribute
        What the columns are.
    distance : {'mean', 's'}, default 'mean'
        The mean over the columns, each scaled to 0..1, or the S-distance (M13 eq. 7).
    normalize : {'pairwise', 'published'}, default 'pairwise'
        With ``s``: every column counts 1 on average, or as printed in M13.

    Returns
    -------
    ndarray
        n x n, in the order of the records.

    Notes
    -----
    ``mean`` is the average over columns, each scaled to 0..1 (T12 4.3, R17 eq. 9).

    Examples
    --------
    >>> import ontomask as om, polars as pl
    >>> frame = pl.DataFrame({"age": [20, 30, 60], "sex": ["f", "m", "m"]})
    >>> om.record_distances(frame, {"age": om.Numeric(), "sex": om.Flat()}).round(3).tolist()
    [[0.0, 0.625, 1.0], [0.625, 0.0, 0.375], [1.0, 0.375, 0.0]]
    """
    table = table_of(frame, attributes)
    check_distance(distance, normalize)
    if table.n > MOST:
        raise OptionError(
            f"a matrix of {table.n:,} x {table.n:,} distances",
            remedy=f"Take at most {MOST:,} records, a sample perhaps.",
        )
    measured = RecordDistance.of(table, distance, normalize)
    own = [column.centre_of_code[codes] for column, codes in zip(table.columns, table.codes, strict=True)]
    p = table.p
    distances = np.empty((p, p))
    for t in range(p):
        distances[t] = measured.pairs([np.repeat(c[t : t + 1], p) for c in own], own)
    return distances[np.ix_(table.rows.tuple_of, table.rows.tuple_of)]


def central_record(
    frame: Any,
    attributes: Any,
    centroid: str = "semantic",
    *,
    unit: Unit = "attribute",
    distance: Distance = "mean",
    normalize: Normalize = "pairwise",
    seed: int = 0,
) -> dict[str, Any]:
    """The record that represents all others (T12 4.3.4), as a value for each column.

    Parameters
    ----------
    frame : DataFrame or path
        A pandas, Polars or PyArrow frame, or the path of a file.
    attributes : Policy or mapping of str to attribute
        What the columns are.
    centroid : str, default 'semantic'
        How the centre is chosen; see the notes.
    unit : {'attribute', 'record'}, default 'attribute'
        Choose each column's centre by itself, or a record of the data.
    distance : {'mean', 's'}, default 'mean'
        The mean over the columns, each scaled to 0..1, or the S-distance (M13 eq. 7).
    normalize : {'pairwise', 'published'}, default 'pairwise'
        With ``s``: every column counts 1 on average, or as printed in M13.
    seed : int, default 0
        For ``centroid='random'``.

    Returns
    -------
    dict of str to object
        By column.

    Notes
    -----
    ``unit="attribute"`` takes semantic, marginality, mode, lcs, consensus, or random. ``unit="record"`` (T12 4.3.5.2)
    takes the most frequent record (``mode``), the one with the least total confusion (``consensus``) or distance
    (``marginality``), or a random one.

    Examples
    --------
    >>> import ontomask as om, polars as pl
    >>> frame = pl.DataFrame({"age": [20, 30, 61], "sex": ["f", "m", "m"]})
    >>> om.central_record(frame, {"age": om.Numeric(), "sex": om.Flat()})
    {'age': 37, 'sex': 'm'}
    """
    table = table_of(frame, attributes)
    check_distance(distance, normalize)
    kinds = (*get_args(Centroid), "random")
    one_of(centroid, kinds if unit == "attribute" else ("mode", "consensus", "marginality", "random"), "centroid")
    one_of(unit, get_args(Unit), "unit")
    rng = np.random.default_rng(seed)
    if unit == "record":
        place = _central_tuple(table, RecordDistance.of(table, distance, normalize), centroid, rng)
        centres = [
            column.centre_of_code[codes[place : place + 1]]
            for column, codes in zip(table.columns, table.codes, strict=True)
        ]
    elif centroid == "random":
        tuples = [table.rows.tuple_of[rng.integers(table.n)] for _ in table.columns]
        columns = zip(table.columns, table.codes, tuples, strict=True)
        centres = [column.centre_of_code[codes[tuple_]][None] for column, codes, tuple_ in columns]
    else:
        operators = Operators.of(table, RecordDistance.of(table, distance, normalize), centroid)  # type: ignore[arg-type]
        centres = operators.centres_of(np.array([0, table.p]), np.arange(table.p), table.counts)
    return {
        column.name: column.decode(np.asarray(c)).to_list()[0] for column, c in zip(table.columns, centres, strict=True)
    }


def _central_tuple(table: Table, measured: RecordDistance, kind: str, rng: np.random.Generator) -> int:
    if kind == "random":
        return int(table.rows.tuple_of[rng.integers(table.n)])
    if kind == "mode":
        return int(np.argmax(table.counts))
    if kind == "consensus":
        return first_least(_total_confusion(table, measured))
    return first_least(measured.summed(table))


def _total_confusion(table: Tuples, measured: RecordDistance) -> Floats:
    """For each tuple the confusion of putting it in the place of all others; flat and ranked values confuse by 1."""

    total = np.zeros(table.p)
    for metric, codes in zip(measured.metrics, table.codes, strict=True):
        weights = np.bincount(codes, weights=table.counts, minlength=len(metric.column))
        total += metric.confusions(weights)[codes]
    return total


def sort_records(
    frame: Any,
    attributes: Any,
    *,
    reference: RecordReference | None = None,
    centroid: str = "semantic",
    comparison: Comparison = "plain",
    distance: Distance = "mean",
    normalize: Normalize = "pairwise",
) -> NDArray[np.int64]:
    """Row numbers by increasing distance from a reference record (R17 def. 7), which itself comes first.

    Parameters
    ----------
    frame : DataFrame or path
        A pandas, Polars or PyArrow frame, or the path of a file.
    attributes : Policy or mapping of str to attribute
        What the columns are.
    reference : mapping, int or 'most_distant', optional
        A value for each column, the number of a row, or the record with the largest sum of distances (R17 eq. 10);
        not given: the record farthest from the ``centroid`` of all (T12 Alg. 1).
    centroid : str, default 'semantic'
        The centre where no reference is given; see :func:`ontomask.central_record`.
    comparison : {'plain', 'weighted'}, default 'plain'
        Weighted: multiply distances by how often a record occurs (T12 eq. 4.2 and 4.3).
    distance : {'mean', 's'}, default 'mean'
        The mean over the columns, each scaled to 0..1, or the S-distance (M13 eq. 7).
    normalize : {'pairwise', 'published'}, default 'pairwise'
        With ``s``: every column counts 1 on average, or as printed in M13.

    Returns
    -------
    ndarray of int
        Equal records stay together; equally far ones are in the order first seen.

    Examples
    --------
    >>> import ontomask as om, polars as pl
    >>> frame = pl.DataFrame({"age": [30, 80, 20, 35]})
    >>> om.sort_records(frame, {"age": om.Numeric()}).tolist()
    [1, 3, 0, 2]
    >>> om.sort_records(frame, {"age": om.Numeric()}, reference={"age": 32}).tolist()
    [0, 3, 2, 1]
    """
    table = table_of(frame, attributes)
    check_distance(distance, normalize)
    one_of(centroid, get_args(Centroid), "centroid")
    one_of(comparison, get_args(Comparison), "comparison")
    if reference is not None:
        if centroid != "semantic":
            raise OptionError("centroid= cannot be combined with reference=", remedy="Give one of the two.")
        off = distances_from_reference(table, reference, distance, normalize, comparison)
        return in_order(off, table.rows.tuple_of)
    operators = Operators.of(table, RecordDistance.of(table, distance, normalize), centroid)  # type: ignore[arg-type]
    return sorted_records(operators, table.rows, np.arange(table.n), comparison)
