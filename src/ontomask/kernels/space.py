"""Tuples as points, and the distances from one point to all of them.

An attribute is a *number* (numeric and ordinal attributes: a coordinate, scaled so that differences are distances), a
*code* (nominal and flat attributes: a place in a table of distances), or a *set* of items (:mod:`ontomask.kernels.sets`).
The distance of two points is the sum over attributes; with ``squared`` coordinates it is the square of the S-distance (M13
eq. 7).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.kernels.compiling import inner, kernel
from ontomask.kernels.sets import SetSpace, add_set_distances, put_sets

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]
Codes = NDArray[np.uint32]
Values = NDArray[Any]

#: Distances closer than this, relatively, are equal.
TIE = 1e-12


class Space(NamedTuple):
    """Distinct tuples, and how far their values are from reference rows.

    ``numbers[a, t]`` is a coordinate; ``absent[a, t]`` is 1 where it is missing (0 x 0 where nothing is), ``gap[a]``
    the distance of a missing value from all others. ``codes[c, t]`` is a value; ``tables`` holds for each coded
    attribute a table of rows x values, its distances already weighted, from ``table_at[c]`` on: what is read together,
    the distances of one row from all values, lies together. A flat attribute has no table (-1) but ``unit[c]``, the
    distance of unequal values, and its rows are its values. ``home`` from ``home_at[c]`` on is the row of each value.
    ``sets`` are the attributes that hold sets; None: there are none.

    For :func:`between`, which does not branch: ``lacks[a, t * lacking]`` is ``absent[a, t]``, or 0 where nothing is missing;
    the distance of value v from row r is ``tables[begin[c] + r * stride[c] + v * step[c]]``, which is 0 for a flat attribute.
    """

    numbers: Floats
    absent: Floats
    gap: Floats
    codes: Codes
    tables: Floats
    table_at: Longs
    unit: Floats
    home: Codes
    home_at: Longs
    sets: SetSpace | None
    squared: bool
    lacks: Floats
    lacking: int
    begin: Longs
    stride: Longs
    step: Longs


class Point(NamedTuple):
    """Where distances are measured from: coordinates, which of them are missing (1), rows of the tables, then sets."""

    at: Floats
    gone: Floats
    rows: Codes


def new_point(space: Space) -> Point:
    points = new_points(space, 1)
    return Point(points.at[0], points.gone[0], points.rows[0])


def new_points(space: Space, several: int) -> Point:
    """Several points, one in each row."""
    numbers = len(space.numbers)
    rows = len(space.codes) if space.sets is None else int(space.sets.point_at[-1])
    return Point(
        np.zeros((several, numbers)),
        np.zeros((several, numbers)),
        np.zeros((several, rows), dtype=np.uint32),
    )


def number_of_tuples(space: Space) -> int:
    return max(space.numbers.shape[1], space.codes.shape[1], 0 if space.sets is None else space.sets.codes.shape[1])


def take_tuples(space: Space, order: Longs) -> Space:
    """The same space, without sets, with its tuples in another order."""
    absent = space.absent[:, order] if space.absent.size else space.absent
    return space._replace(
        numbers=np.ascontiguousarray(space.numbers[:, order]),
        absent=np.ascontiguousarray(absent),
        codes=np.ascontiguousarray(space.codes[:, order]),
        lacks=np.ascontiguousarray(absent) if space.lacking else space.lacks,
    )


def only_numbers(space: Space) -> Space:
    """The same space, as if tuples had nothing but their numbers; for orders of tuples."""
    return space._replace(codes=space.codes[:0], sets=None)


@kernel
def set_point(space: Space, point: Point, tuple_: int) -> None:
    """Let the point be a tuple."""
    for a in range(space.numbers.shape[0]):
        point.at[a] = space.numbers[a, tuple_]
        point.gone[a] = space.absent[a, tuple_] if space.absent.size else 0.0
    for c in range(space.codes.shape[0]):
        point.rows[c] = space.home[space.home_at[c] + space.codes[c, tuple_]]
    put_sets(space.sets, tuple_, point.rows)


@inner
def copy_values(values: Values, into: Values) -> None:
    """Without making an array, as numba would for ``into[:] = values``."""
    for i in range(into.size):
        into[i] = values[i]


@inner
def copy_point(point: Point, into: Point) -> None:
    copy_values(point.at, into.at)
    copy_values(point.gone, into.gone)
    copy_values(point.rows, into.rows)


@inner
def keep_point(point: Point, points: Point, place: int) -> None:
    """Let one of several points be like the point."""
    copy_values(point.at, points.at[place])
    copy_values(point.gone, points.gone[place])
    copy_values(point.rows, points.rows[place])


@inner
def take_point(points: Point, place: int, point: Point) -> None:
    """Let the point be one of several."""
    copy_values(points.at[place], point.at)
    copy_values(points.gone[place], point.gone)
    copy_values(points.rows[place], point.rows)


@inner
def fill_rows(space: Space, point: Point, rows: Floats, rows_at: Longs) -> None:
    """For each coded attribute the distances from the point's row to every value."""
    for c in range(space.codes.shape[0]):
        row = rows[rows_at[c] : rows_at[c + 1]]
        here = np.int64(point.rows[c])
        if space.table_at[c] < 0:
            row[:] = space.unit[c]
            row[here] = 0.0
        else:
            at = space.table_at[c] + here * row.size
            copy_values(space.tables[at : at + row.size], row)


@inner
def slack(space: Space, weighted: bool) -> float:
    """How far apart, relatively, two distances may be and count as equal; squares differ twice as much."""
    return 2.0 * TIE if space.squared and not weighted else TIE


@inner
def between(space: Space, point: Point, tuple_: int) -> float:
    """The distance from the point to one tuple, added up as where a block of them is looked through; without branches."""
    total = 0.0
    for a in range(space.numbers.shape[0]):
        apart = space.numbers[a, tuple_] - point.at[a]
        apart = apart * apart if space.squared else abs(apart)
        lacks, gone = space.lacks[a, tuple_ * space.lacking], point.gone[a]
        total += apart * (1.0 - lacks) * (1.0 - gone) + space.gap[a] * (lacks + gone - 2.0 * lacks * gone)
    for c in range(space.codes.shape[0]):
        code, row = np.int64(space.codes[c, tuple_]), np.int64(point.rows[c])
        total += (
            space.unit[c] * (code != row) + space.tables[space.begin[c] + row * space.stride[c] + code * space.step[c]]
        )
    return add_set_distances(space.sets, point.rows, tuple_, total)
