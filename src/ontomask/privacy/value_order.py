"""The order of the values of a sensitive column: that of its kind, else by meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ontomask.arrays import Floats, Longs, dense_ranks
from ontomask.microdata.dtypes import read_dates
from ontomask.microdata.spelling import fold_text
from ontomask.privacy.apart import semantic_distances

if TYPE_CHECKING:
    from ontomask.privacy.sensitive import Values

#: Values whose distances from all others are in memory at once.
BAND = 256


def own_places(column: Values) -> Longs | None:
    """The rank of each value: by the order of an ordinal column, else by size; None: they have no order."""
    values = column.values
    order = None if column.attribute is None else column.attribute.named_order
    keys: NDArray[Any]
    if order is not None:
        rank: dict[Any, int] = {}
        for place, value in enumerate(order):
            rank.setdefault(_spelled(value), place)
        keys = np.array([rank.get(_spelled(value), len(rank)) for value in values.to_list()])
    elif values.dtype.is_numeric() or values.dtype.is_temporal() or isinstance(values.dtype, pl.Enum):
        keys = values.to_physical().rank("dense").fill_null(len(values) + 1).to_numpy()
    elif column.positions is not None:
        keys = np.where(np.isnan(column.positions), np.inf, column.positions)
    elif values.dtype == pl.String and (dates := read_dates(values)) is not None:
        keys = dates.to_physical().rank("dense").fill_null(len(values) + 1).to_numpy()
    else:
        return None
    return _ranks(keys)


def semantic_places(column: Values) -> Longs:
    """The rank of each value; concepts without an order stand by their distance from the most marginal one (R17 def. 3, 4),
    other values as they were first seen."""
    places = own_places(column) if column.concepts is None else None
    if places is not None:
        return places
    keys = np.full(len(column), np.inf)
    if column.concepts is not None and (column.concepts >= 0).any():
        known = np.flatnonzero(column.concepts >= 0)
        sums: Floats = np.concatenate(
            [
                (semantic_distances(column, known[begin : begin + BAND], known) * column.counts[known]).sum(axis=1)
                for begin in range(0, len(known), BAND)
            ]
        )
        farthest = known[int(np.argmax(dense_ranks(sums)))]
        keys[known] = dense_ranks(semantic_distances(column, np.array([farthest]), known)[0])
    return _ranks(keys)


def _ranks(keys: NDArray[Any]) -> Longs:
    """The place of each key among all, of equal ones the first first."""
    places = np.empty(len(keys), dtype=np.int64)
    places[np.argsort(keys, kind="stable")] = np.arange(len(keys))
    return places


def _spelled(value: Any) -> Any:
    """A value of an order, as texts are compared."""
    return fold_text(value) if isinstance(value, str) else value
