"""Sorting records by meaning: by distance from a reference (R17 def. 7), in T12 Algorithm 1 the farthest from the centre."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ontomask.arrays import TIE, Floats, dense_ranks
from ontomask.kernels.groups import distances_from
from ontomask.kernels.space import new_point, set_point
from ontomask.microdata.encoding import Rows
from ontomask.operators.aggregation import Operators

Comparison = Literal["plain", "weighted"]


def sorted_records(
    operators: Operators, rows: Rows, records: NDArray[Any], comparison: Comparison = "plain"
) -> NDArray[np.int64]:
    """The given records in order: f, the most distant from the centre of all, then by distance from f.

    ``weighted`` multiplies a distance by how often its tuple occurs among the records (T12 eq. 4.2). Equal records stay
    together, in the order of the data; so do ties.
    """
    records = np.sort(np.asarray(records, dtype=np.int64))
    space, tuple_of = operators.space, rows.tuple_of[records]
    tuples, first, place, counts = np.unique(tuple_of, return_index=True, return_inverse=True, return_counts=True)
    by_first = np.argsort(first)
    tuples, counts = tuples[by_first].astype(np.int64), counts[by_first].astype(np.int64)
    rank_of = np.empty(len(by_first), dtype=np.int64)
    rank_of[by_first] = np.arange(len(by_first))

    at = np.array([0, len(tuples)], dtype=np.int64)
    centre = operators.points(at, tuples, counts)
    point = new_point(space)
    point.at[:], point.gone[:], point.rows[:] = centre.at[0], centre.gone[0], centre.rows[0]
    weight = counts if comparison == "weighted" else None
    off = _apart(operators, point, tuples, weight)
    farthest = int(np.argmax(off >= off.max() - TIE * off.max()))
    set_point(space, point, tuples[farthest])
    off = _apart(operators, point, tuples, weight)
    off[farthest] = -1.0  # f itself comes first
    return records[in_order(off, rank_of[place])]


def in_order(distances: Floats, code: NDArray[Any]) -> NDArray[np.int64]:
    """Places of records by the distance of their code, in the order of the data where that is equal.

    Records of one code stay together; of equally far codes the first comes first.
    """
    order = np.argsort(
        dense_ranks(distances), kind="stable"
    )  # equal up to a relative 1e-12: the first place goes first
    position = np.empty(len(order), dtype=np.int64)
    position[order] = np.arange(len(order))
    return np.argsort(position[code], kind="stable")


def _apart(operators: Operators, point: Any, tuples: NDArray[np.int64], weight: Any) -> Floats:
    off = np.empty(len(tuples))
    distances_from(operators.space, point, tuples, off)
    if operators.distance.squared:
        off = np.sqrt(off)
    return off if weight is None else off * weight
