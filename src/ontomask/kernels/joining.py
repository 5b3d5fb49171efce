"""Distances of tuples from the centres of many groups, all of them at once, for groups that are joined."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.kernels.compiling import inner, kernel
from ontomask.kernels.measuring import add_number, add_with_gap
from ontomask.kernels.sets import SetSpace, add_set_distances
from ontomask.kernels.space import Codes, Floats, Longs, Point, Space, slack


class Centres(NamedTuple):
    """Centres of groups, attribute by attribute: what is read together lies together.

    ``at[a, g]`` and ``gone[a, g]``: the coordinates of centre g, and which are missing (1); ``rows[c, g]``: its rows of the
    tables; ``sets[g]``: all its rows, those of sets included, where attributes hold sets. ``totals[g]``: the distances from
    centre g that were added up so far; ``out`` is room for those of one tuple. ``free[g]``: is the group to be found?
    """

    at: Floats
    gone: Floats
    rows: Codes
    sets: Codes
    totals: Floats
    out: Floats
    free: NDArray[np.bool_]


class Turned(NamedTuple):
    """The tables of a space with a row for each value: what is read together here lies together.

    ``tables[at[c] + v * wide[c] + r]`` is for the distance of value v from row r; the distance is it, or its square
    (``squares[c]``), times ``factor[c]``.
    """

    tables: Floats
    at: Longs
    wide: Longs
    factor: Floats
    squares: NDArray[np.bool_]


def make_centres(space: Space, points: Point) -> Centres:
    """Points, one in each row, as centres; nothing is added up yet."""
    groups, coded = len(points.at), len(space.codes)
    return Centres(
        np.ascontiguousarray(points.at.T),
        np.ascontiguousarray(points.gone.T),
        np.ascontiguousarray(points.rows[:, :coded].T),
        points.rows.copy() if space.sets is not None else np.zeros((0, 0), dtype=np.uint32),
        np.zeros(groups),
        np.zeros(groups),
        np.ones(groups, dtype=np.bool_),
    )


def kept_centres(centres: Centres, kept: Longs) -> Centres:
    """Some of the centres, in the same order."""
    return Centres(
        np.ascontiguousarray(centres.at[:, kept]),
        np.ascontiguousarray(centres.gone[:, kept]),
        np.ascontiguousarray(centres.rows[:, kept]),
        centres.sets[kept] if len(centres.sets) else centres.sets,
        centres.totals[kept],
        centres.out[kept],
        centres.free[kept],
    )


def put_centre(centres: Centres, place: int, points: Point) -> None:
    """Another centre at a place, the first of some points; it is to be found."""
    centres.at[:, place], centres.gone[:, place] = points.at[0], points.gone[0]
    centres.rows[:, place] = points.rows[0, : len(centres.rows)]
    if len(centres.sets):
        centres.sets[place] = points.rows[0]
    centres.free[place] = True


@kernel
def add_distances(space: Space, turned: Turned, centres: Centres, tuples: Longs, weights: Longs) -> None:
    """Add to the total of each centre its distances from some tuples, each times its number of records.

    They are added up attribute by attribute, as where two are compared; S-distances are not squared here.
    """
    out, totals = centres.out, centres.totals
    for i in range(tuples.size):
        t = tuples[i]
        out[:] = 0.0
        for a in range(space.numbers.shape[0]):
            at, x = centres.at[a], space.numbers[a, t]
            if space.gap[a] == 0.0:
                add_number(out, at, x, space.squared)
            else:
                lacks = space.lacks[a, t * space.lacking]
                add_with_gap(out, at, centres.gone[a], x, lacks, space.gap[a], space.squared)
        for c in range(space.codes.shape[0]):
            code = np.int64(space.codes[c, t])
            if space.table_at[c] < 0:
                _add_unequal(out, centres.rows[c], code, space.unit[c])
            else:
                begin = turned.at[c] + code * turned.wide[c]
                row = turned.tables[begin : begin + turned.wide[c]]
                _add_from(out, centres.rows[c], row, turned.factor[c], turned.squares[c])
        _add_sets(space.sets, centres.sets, t, out)
        if space.squared:
            for g in range(out.size):
                totals[g] += np.sqrt(out[g]) * weights[i]
        else:
            for g in range(out.size):
                totals[g] += out[g] * weights[i]


# Small loops of their own, which the compiler turns into vector instructions.


@inner
def _add_unequal(out: Floats, rows: Codes, code: int, unit: float) -> None:
    for g in range(out.size):
        out[g] += unit * (np.int64(rows[g]) != code)


@inner
def _add_from(out: Floats, rows: Codes, row: Floats, factor: float, squares: bool) -> None:
    """The distances of one value from the rows of a table."""
    if squares:
        for g in range(out.size):
            out[g] += row[rows[g]] * row[rows[g]] * factor
    else:
        for g in range(out.size):
            out[g] += row[rows[g]] * factor


@inner
def _add_sets(sets: SetSpace | None, rows: Codes, tuple_: int, out: Floats) -> None:
    if sets is None:
        return
    for g in range(out.size):
        out[g] = add_set_distances(sets, rows[g], tuple_, out[g])


@kernel
def least_total(space: Space, centres: Centres) -> int:
    """The free centre with the least total; a later one must be nearer by more than a tie. -1: there is none."""
    tie = slack(space, False)
    least, best = np.inf, np.int64(-1)
    for g in range(centres.totals.size):
        if centres.free[g] and (best < 0 or centres.totals[g] < least - tie * least):
            least, best = centres.totals[g], np.int64(g)
    return best
