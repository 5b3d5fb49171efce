"""Order by a reference (R17 def. 3 and 7) and the comparison operator wsd (T12 def. 1 and 2).

The distance from a reference ranks values and records of any kind: a total preorder, in which the equally far are tied.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ontomask.arguments import as_numbers, as_values, counted, did_you_mean, is_whole, one_of, short
from ontomask.arrays import Floats
from ontomask.distances.between import Scope
from ontomask.errors import OptionError
from ontomask.kinds.nominal import Nominal
from ontomask.kinds.numeric import Numeric
from ontomask.microdata.attributes import Attribute
from ontomask.microdata.columns import Coded
from ontomask.microdata.encoding import Table
from ontomask.operators.ordering import Comparison, in_order
from ontomask.operators.record_distance import Distance, Normalize, RecordDistance, check_distance, table_of
from ontomask.statistics.sample import first_greatest
from ontomask.taxonomy.taxonomy import Taxonomy, require_taxonomy

#: A value for each column, the number of a row, or the record with the largest sum of distances to all (R17 eq. 10).
RecordReference: TypeAlias = Mapping[str, Any] | int | Literal["most_distant"]
#: What a column holds: concepts of a taxonomy, numbers (None), or what an attribute says.
Kind: TypeAlias = Taxonomy | Attribute | None
VALUE = "value"


def sort_values(
    taxonomy: Kind,
    values: Any,
    reference: Any = None,
    measure: str | None = None,
    *,
    comparison: Comparison = "plain",
    scope: Scope | None = None,
    **options: Any,
) -> list[Any]:
    """The values by increasing distance from a reference value (R17 def. 3), which itself comes first.

    Parameters
    ----------
    taxonomy : Taxonomy, attribute or None
        The taxonomy of nominal values; None for numbers; or ``Ordinal(order=...)``, ``Flat()``.
    values : iterable
        The values to sort.
    reference : object, optional
        Any concept or number, any rank of an order, or a flat value that occurs; not given: the value with the largest
        sum of distances to all values (R17 eq. 5).
    measure : str, optional
        The measure of distance for nominal values.
    comparison : {'plain', 'weighted'}, default 'plain'
        Weighted: multiply each distance by how often the value occurs (T12 eq. 4.2).
    scope : {'taxonomy', 'attribute'}, optional
        Measure in the whole taxonomy, or only below the least common subsumer of the values.
    **options
        Options of the measure; see the page of each measure in docs/measures.

    Returns
    -------
    list
        Equal values stay together; equally far ones are in the order first seen.

    Examples
    --------
    >>> t = Taxonomy.from_edges([("hepatic", "coma"), ("hypoglycemic", "coma"), ("coma", "any"), ("neuropathy", "any")])
    >>> sort_values(t, ["any", "coma", "neuropathy", "hepatic", "hypoglycemic"], "coma", "wu_palmer")
    ['coma', 'hepatic', 'hypoglycemic', 'any', 'neuropathy']
    """
    one_of(comparison, get_args(Comparison), "comparison")
    (column, codes), listed = _column(taxonomy, values, measure, scope, options)
    centre = None if reference is None else column.centre_of(reference)
    metric = column.spanning(centre).metric()
    if centre is None:
        centre = column.centre_of_code[first_greatest(metric.scaled_marginalities())]
    off = metric.scaled(np.full(len(column), centre), column.centre_of_code)
    off = off * column.counts if comparison == "weighted" else off
    off[_same(column.centre_of_code, centre)] = -1.0
    return [listed[i] for i in in_order(off, codes)]


def weighted_distances(
    taxonomy: Kind,
    reference: Any,
    values: Any,
    weights: Sequence[float] | None = None,
    measure: str | None = None,
    *,
    scope: Scope | None = None,
    **options: Any,
) -> dict[Any, float]:
    """The weighted distance of each distinct value from a reference: wsd(b, <v, w>) = w d(b, v) (T12 def. 1, eq. 4.2).

    Parameters
    ----------
    taxonomy : Taxonomy, attribute or None
        The taxonomy of nominal values; None for numbers; or ``Ordinal(order=...)``, ``Flat()``.
    reference : object
        The value b; what it may be: see :func:`ontomask.sort_values`.
    values : iterable
        The values v.
    weights : sequence of float, optional
        One for each of the values, which add up where a value repeats; not given: w is how often v occurs.
    measure : str, optional
        The measure of distance for nominal values.
    scope : {'taxonomy', 'attribute'}, optional
        Measure in the whole taxonomy, or only below the least common subsumer of the values.
    **options
        Options of the measure; see the page of each measure in docs/measures.

    Returns
    -------
    dict of object to float
        By distinct value; distances are not scaled.

    Examples
    --------
    >>> t = Taxonomy.from_edges([("lumbago", "ache"), ("migraine", "ache"), ("ache", "pain"), ("colic", "pain")])
    >>> weighted_distances(t, "ache", ["lumbago", "lumbago", "colic"], measure="path")
    {'lumbago': 2.0, 'colic': 2.0}
    """
    (column, codes), _ = _column(taxonomy, values, measure, scope, options)
    frequency = column.counts.astype(np.float64)
    if weights is not None:
        given = as_numbers(weights, "the weights")
        if given.shape != codes.shape or (given < 0).any():
            raise OptionError(
                "the weights do not fit the values",
                remedy=f"Give {len(codes)} finite numbers >= 0, one for each value.",
            )
        frequency = np.bincount(codes, weights=given, minlength=len(column)).astype(np.float64)
    centre = column.centre_of(reference)
    apart = column.spanning(centre).metric().distance(np.full(len(column), centre), column.centre_of_code)
    return dict(zip(column.values.to_list(), (frequency * apart).tolist(), strict=True))


def weighted_record_distances(
    frame: Any,
    attributes: Any,
    reference: RecordReference,
    distance: Distance = "mean",
    *,
    normalize: Normalize = "pairwise",
) -> Floats:
    """The weighted distance of each record from a reference record: its distance, times how often the record occurs.

    Parameters
    ----------
    frame : DataFrame or path
        A pandas, Polars or PyArrow frame, or the path of a file.
    attributes : Policy or mapping of str to attribute
        What the columns are.
    reference : mapping, int or 'most_distant'
        A value for each column, the number of a row, or the record with the largest sum of distances (R17 eq. 10).
    distance : {'mean', 's'}, default 'mean'
        The mean over the columns, each scaled to 0..1, or the S-distance (M13 eq. 7).
    normalize : {'pairwise', 'published'}, default 'pairwise'
        With ``s``: every column counts 1 on average, or as printed in M13.

    Returns
    -------
    ndarray
        One distance for each record.

    Notes
    -----
    wsd of T12 def. 2 and eq. 4.3. Columns are scaled to 0..1 and averaged, as in :func:`ontomask.record_distances`.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"age": [20, 30, 30, 60], "sex": ["f", "m", "m", "m"]})
    >>> from ontomask import Flat, Numeric
    >>> weighted_record_distances(frame, {"age": Numeric(), "sex": Flat()}, {"age": 20, "sex": "f"}).tolist()
    [0.0, 1.25, 1.25, 1.0]
    """
    table = table_of(frame, attributes)
    check_distance(distance, normalize)
    off = distances_from_reference(table, reference, distance, normalize, "weighted")
    return np.maximum(off, 0.0)[table.rows.tuple_of]


def distances_from_reference(
    table: Table, reference: RecordReference, distance: Distance, normalize: Normalize, comparison: Comparison
) -> Floats:
    """The distance of each tuple from a reference record; -1 for the reference itself, which is always nearest."""
    centres = _record_centres(table, reference, distance, normalize)
    columns = [column.spanning(centre) for column, centre in zip(table.columns, centres, strict=True)]
    measured = RecordDistance.of(replace(table, columns=tuple(columns)), distance, normalize)
    own = [column.centre_of_code[codes] for column, codes in zip(columns, table.codes, strict=True)]
    off = measured.pairs([np.full(table.p, centre) for centre in centres], own)
    if comparison == "weighted":
        off = off * table.counts
    off[np.all([_same(o, c) for o, c in zip(own, centres, strict=True)], axis=0)] = -1.0
    return off


def _record_centres(table: Table, reference: RecordReference, distance: Distance, normalize: Normalize) -> list[Any]:
    """The reference as a centre for each column."""
    if isinstance(reference, Mapping):
        names = [column.name for column in table.columns]
        odd = [name for name in reference if name not in names]
        if odd:
            raise OptionError(
                f"the reference names {some(odd)}, which {'is' if len(odd) == 1 else 'are'} not compared",
                remedy=did_you_mean(odd[0], names) + f"The columns are: {some(names, 30)}.",
            )
        absent = [name for name in names if name not in reference]
        if absent:
            raise OptionError(
                f"the reference has no value for {some(absent)}",
                remedy="Give a value for each column that is compared.",
            )
        return [column.centre_of(reference[column.name]) for column in table.columns]
    if isinstance(reference, str) and reference == "most_distant":
        tuple_ = first_greatest(RecordDistance.of(table, distance, normalize).summed(table))
    elif is_whole(reference):
        if not 0 <= reference < table.n:
            raise OptionError(
                f"there is no row {int(reference):,}: the frame has {counted(table.n, 'record')}",
                remedy=f"Give the number of a row from 0 to {table.n - 1:,}.",
            )
        tuple_ = int(table.rows.tuple_of[reference])
    else:
        raise OptionError(
            f"{short(repr(reference))} is not a reference",
            remedy="Give a mapping with a value for each column, the number of a row, or 'most_distant'.",
        )
    return [column.centre_of_code[codes[tuple_]] for column, codes in zip(table.columns, table.codes, strict=True)]


def some(items: Sequence[Any], most: int = 5) -> str:
    return ", ".join(short(repr(item), 40) for item in items[:most]) + (", ..." if len(items) > most else "")


def _column(
    taxonomy: Kind, values: Any, measure: str | None, scope: Scope | None, options: dict[str, Any]
) -> tuple[Coded, list[Any]]:
    """One column, encoded, and its values as a list."""
    if taxonomy is None or isinstance(taxonomy, Attribute):
        given = {"measure": measure, "scope": scope} | options
        odd = [name for name, value in given.items() if value is not None]
        if odd:
            raise OptionError(
                f"{odd[0]}= needs a taxonomy",
                remedy="Numbers need none; an attribute has its own: Nominal(taxonomy=..., measure=...).",
            )
        attribute = Numeric() if taxonomy is None else taxonomy.model_copy(update={"role": "quasi"})
    else:
        attribute = Nominal(
            taxonomy=require_taxonomy(taxonomy),
            measure="logsc" if measure is None else measure,
            scope="taxonomy" if scope is None else scope,
            options=options,
        )
    table = table_of(_frame(values), {VALUE: attribute})
    [column] = table.columns
    codes = table.codes_of(0)
    return Coded(column, codes), column.values.gather(codes).to_list() if len(column) else []


def _frame(values: Any) -> Any:
    """A frame of one column; a Series keeps its type, and the order of its categories."""
    if hasattr(values, "to_frame") and not hasattr(values, "columns"):
        series = values.to_series() if hasattr(values, "to_series") else values  # an index of pandas
        return series.to_frame(VALUE)
    listed = as_values(values)
    if not listed:
        raise OptionError("there are no values to compare", remedy="Give at least one value.")
    try:
        return pl.DataFrame({VALUE: pl.Series(VALUE, _of_one_type(listed), strict=True)})
    except (TypeError, OverflowError, pl.exceptions.PolarsError):
        raise OptionError(
            "the values are of several types", remedy="Give values of one type, all text or all numbers."
        ) from None


def _of_one_type(listed: list[Any]) -> list[Any]:
    """Whole numbers among others as such, if no digit is lost."""
    kinds = {type(value) for value in listed if value is not None}
    if kinds != {int, float} or any(type(value) is int and abs(value) > 2**53 for value in listed):
        return listed
    return [float(value) if type(value) is int else value for value in listed]


def _same(own: NDArray[Any], centre: Any) -> NDArray[np.bool_]:
    same: NDArray[np.bool_] = own == centre
    return same | (np.isnan(own) & np.isnan(centre)) if own.dtype.kind == "f" else same
