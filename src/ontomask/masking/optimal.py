"""Optimal microaggregation of one column whose values lie on a line (Hansen & Mukherjee 2003).

Of all ways to divide records into groups of at least k, one with the least loss has groups of k to 2k - 1 records that are
consecutive in the sorted column. Loss is what the centre of a group makes least: squared differences from the mean, or where
groups show a median (ranks; ``numeric_centre="median"``) absolute ones. Equal values may be in different groups.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ontomask.errors import PolicyError
from ontomask.kernels.shortest_path import extend_paths, number_groups
from ontomask.microdata.encoding import Rows, Tuples
from ontomask.operators.aggregation import Operators
from ontomask.progress import Progress

NEEDS = "partition='optimal' needs one numeric, ordinal or date quasi-identifier without missing values"
REMEDY = "Choose partition='auto', which takes the optimal partition where there is one."


def has_optimum(table: Tuples) -> bool:
    """Is the best partition of a table known: one column, its values on a line, none missing, and one record of each unit?"""
    return _obstacle(table) is None


def require_optimum(table: Tuples) -> None:
    obstacle = _obstacle(table)
    if obstacle is not None:
        raise PolicyError(f"{NEEDS}, and {obstacle}", remedy=REMEDY)


def refuses_optimum(columns: Sequence[str]) -> str | None:
    """Why the best partition of some columns is not known, as far as their number tells."""
    return None if len(columns) < 2 else f"{NEEDS}, and {_several(len(columns))}. {REMEDY}"


def _several(columns: int) -> str:
    return f"there are {columns} quasi-identifiers"


def _obstacle(table: Tuples) -> str | None:
    """Why the best partition is not known."""
    if len(table.columns) > 1:
        return _several(len(table.columns))
    (column,) = table.columns
    if not column.on_line:
        return f"the values of {column.name!r} do not lie on a line"
    if column.missing is not None:
        return f"{column.name!r} has missing values"
    return f"some {table.unit.many} have several records" if table.size < table.n else None


def optimal(operators: Operators, rows: Rows, k: int, progress: Progress) -> tuple[NDArray[np.int32], int]:
    """The group of each record, and how many there are: the partition with the least loss.

    Groups are numbered by size of their values. Where equal values are divided, the first records of the data are in the
    first group.
    """
    (metric,), (column,) = operators.distance.metrics, operators.tuples.columns
    values = column.centre_of_code.astype(np.float64)
    # A power of two changes no digit, and no square is too large.
    values = np.ldexp(values, -int(np.frexp(np.abs(values).max())[1]))
    numbers = values[operators.tuples.codes[0]][rows.tuple_of]
    order = np.argsort(numbers, kind="stable")
    n, medians = len(numbers), metric.ranks > 0 or operators.numeric == "median"
    costs, rests, before = np.zeros(n + 1), np.zeros(n + 1), np.zeros(n + 1, dtype=np.int64)
    stride, numbers = max(1, 20_000_000 // k), numbers[order]
    for begin in range(1, n + 1, stride):
        progress(begin / n, "forming groups")
        extend_paths(numbers, k, medians, costs, rests, before, begin, min(n + 1, begin + stride))
    group_of = np.empty(n, dtype=np.int32)
    groups = number_groups(before, order, group_of)
    return group_of, groups
