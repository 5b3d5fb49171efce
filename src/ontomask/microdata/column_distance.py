"""``ColumnDistance``: distances between the values of one column, on its own scale (specification 3).

The distance of a column is made from the original column. It measures between any values that can stand in it, masked
ones too, so that all values are compared on one scale. Values are given as centres: positions of concepts, codes, ranks
or numbers (see :mod:`ontomask.microdata.columns`). Missing values lie at the largest distance from all others.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.arrays import Floats, Longs, dense_ranks
from ontomask.kernels.centres import MODE, PRESENT
from ontomask.microdata.columns import Column

Centres = NDArray[Any]


class CentreRule(NamedTuple):
    """How the kernels choose the centre of a group, in a column with a table: see :class:`ontomask.kernels.centres.Rules`.

    ``cost``: of each code at each row; ``above``: how many rows subsume each row (itself included), and ``up`` these, one
    after the other. ``links`` are only asked for where some taxonomy is not a ``tree``.
    """

    kind: int
    cost: Floats
    void: int
    above: Longs
    up: Longs
    depth: Longs
    links: Callable[[], NDArray[np.int16]]
    tree: bool


class SetRows(NamedTuple):
    """Sets for the kernels: those of each code, and what their items are measured from; see
    :class:`ontomask.kernels.sets.SetSpace`.

    The items of code v are ``items[at[v]:at[v + 1]]``; ``missing`` is the code of a missing value, or -1. ``table``: raw
    distances, rows x items; ``home``: the row of each item. ``widest``: the most items that a point can have. ``empty``: the
    raw distance of an empty set from all others.
    """

    at: Longs
    items: Longs
    missing: int
    table: Floats
    home: Longs
    widest: int
    empty: float


class ColumnDistance(ABC):
    """The distances of a column; ``largest`` is the largest raw one."""

    largest: float
    #: Are the values sets of items? Then the kernels get :meth:`set_rows`, and no table of all values.
    of_sets: ClassVar[bool] = False
    #: Where the line begins, if the values lie on one.
    low: float = 0.0
    #: How many ranks there are, if the centre of a group is a median of ranks.
    ranks: int = 0

    def __init__(self, column: Column) -> None:
        self.column = column
        self.weights = column.counts.astype(np.float64)
        self.n = int(column.counts.sum())

    @abstractmethod
    def distance(self, a: Centres, b: Centres) -> Floats:
        """Raw distances, pair by pair."""

    @property
    @abstractmethod
    def scale(self) -> float:
        """What a raw distance is divided by before it enters a mean."""

    def scaled(self, a: Centres, b: Centres) -> Floats:
        """Distances in 0..1, as they enter the mean distance of records."""
        return self.scaled_from(self.distance(a, b), a, b)

    def scaled_from(self, raw: Floats, a: Centres, b: Centres) -> Floats:
        """The same where the raw distances of ``a`` from ``b`` are known."""
        return self.on_scale(raw)

    def on_scale(self, raw: Floats) -> Floats:
        """Raw distances in 0..1: where the column is all the same there is no scale, and whatever differs is at 1."""
        return raw / self.scale if self.scale > 0 else (raw > 0).astype(np.float64)

    @property
    def on_line(self) -> bool:
        return self.column.on_line

    @property
    def keys(self) -> Floats:
        """What the codes of the column are sorted by where an order is needed: marginality, equal ones sharing a rank."""
        return dense_ranks(self.marginalities()).astype(np.float64)

    def distance_of_codes(self, a: NDArray[Any], b: NDArray[Any]) -> Floats:
        """Raw distances of codes of the column, pair by pair."""
        own = self.column.centre_of_code
        return self.distance(own[a], own[b])

    def between(self, a: Centres, b: Centres) -> Floats:
        """Raw distances of all of ``a`` from all of ``b``."""
        return self.distance(np.repeat(a, len(b)), np.tile(b, len(a))).reshape(len(a), len(b))

    @cached_property
    def between_codes(self) -> Floats:
        """Raw distances between all codes of the column."""
        own = self.column.centre_of_code
        return self.between(own, own)

    def table_of(self, codes: Longs) -> Floats:
        """Raw distances between some codes of the column: an array of its own."""
        return self.between_codes[np.ix_(codes, codes)]

    def scores(self, column: Column) -> Floats:
        """A number for each code of a column, masked or not: its mean distance from the original; NaN where missing."""
        own, weights = column.centre_of_code, self.weights
        # Row by row, in a fixed order: a matrix product would depend on the number of threads.
        every = np.array([(row * weights).sum() for row in self.between(own, self.column.centre_of_code)])
        every = every / (self.n * self.scale) if self.scale > 0 else every
        return np.where(column.is_missing(own), np.nan, every)

    def mean_centre(self, values: Centres, counts: Longs) -> Any:
        """The mean of values with counts, as a centre: the most frequent value."""
        return values[int(np.argmax(counts))]

    def records_nearer(self, codes: Longs, bound: Floats) -> Longs:
        """How many records are nearer to each code than the distance beside it; ``codes`` are sorted."""
        nearer = np.zeros(len(codes), dtype=np.int64)
        begins = np.flatnonzero(np.diff(codes, prepend=-1))
        for begin, end in zip(begins, [*begins[1:], len(codes)], strict=True):
            row = self.between_codes[codes[begin]]
            order = np.argsort(row)
            below = np.concatenate(([0], np.cumsum(self.column.counts[order])))
            nearer[begin:end] = below[np.searchsorted(row[order], bound[begin:end])]
        return nearer

    @abstractmethod
    def marginalities(self) -> Floats:
        """m of each code (M13 eq. 2): the sum of its raw distances to all records."""

    def scaled_marginalities(self) -> Floats:
        """The same of distances in 0..1."""
        sums = self.marginalities()
        return sums / self.scale if self.scale > 0 else sums

    def marginality_variance(self) -> float:
        """Var_M (M13 def. 2): the mean over records of the sum of distances to all others."""
        return float((self.weights * self.marginalities()).sum() / self.n)

    def spread(self, normalize: str) -> float:
        """S2 of the S-distance (M13 eq. 7); ``pairwise``: the mean distance of a random pair."""
        if self.n < 2:
            return 0.0
        variance = self.marginality_variance()
        return variance if normalize == "published" else variance / (self.n - 1)

    @cached_property
    def least_squares(self) -> tuple[Any, float]:
        """The centre whose squared distances from all records have the least sum, and this sum (specification 10).

        It is a value that is not missing, of several the first; a missing one where all are.
        """
        own = self.column.centre_of_code
        centres = own[~self.column.is_missing(own) & (self.weights > 0)]
        if not len(centres):
            return own[0], 0.0
        sums = np.zeros(len(centres))
        for code, weight in enumerate(self.weights):  # one row at a time: the table may be large
            sums += weight * self.between(own[code : code + 1], centres)[0] ** 2
        best = int(np.argmin(sums))
        return centres[best], float(sums[best])

    @property
    def variance(self) -> float:
        """The mean squared distance of the records from the centre that has the least."""
        return self.least_squares[1] / self.n if self.n else 0.0

    @cached_property
    def mean_distance(self) -> float:
        """The mean distance of the records from that centre."""
        own = self.column.centre_of_code
        off = self.distance(own, np.repeat(np.asarray([self.least_squares[0]], dtype=own.dtype), len(own)))
        return float((self.weights * off).sum() / self.n) if self.n else 0.0

    # ---- what the kernels need ------------------------------------------------------------------------------------

    def rows(self, column: Column, against: Column | None = None) -> tuple[Floats | None, Longs]:
        """Raw distances of the codes of a column from the rows that a centre can be, and the row of each code.

        With ``against`` the rows are the values of that column. None: 0 if equal, else 1.
        """
        if against is None:
            return self.between_codes, np.arange(len(column))
        return self.between(column.centre_of_code, against.centre_of_code), np.zeros(len(column), dtype=np.int64)

    def set_rows(self, column: Column, against: Column | None = None) -> SetRows:
        """What :meth:`rows` gives, of a column that holds sets; with ``against`` rows are the items of that column."""
        raise NotImplementedError

    def set_points(self, column: Column) -> tuple[Longs, Longs]:
        """Where the kernels measure from the sets of a column: the number of items of each code (-1: missing), and the rows of
        the items of all, one code after the other."""
        raise NotImplementedError

    def centres_of_sets(self, sets: Sequence[Longs | None]) -> Centres:
        """Sets that the kernels chose, given as the rows of their items (None: missing), as centres."""
        raise NotImplementedError

    def centre_of_row(self, rows: Longs) -> Centres:
        """What the kernels chose, as centres."""
        return self.column.centre_of_code[rows]

    def centre_rule(self, centroid: str) -> CentreRule:
        """The value present with the least sum of distances, or the mode."""
        values, cost = len(self.column), self.between_codes
        own = np.arange(values)
        return CentreRule(
            MODE if centroid == "mode" else PRESENT,
            cost,
            -1 if self.column.missing is None else self.column.missing,
            np.ones(values, dtype=np.int64),
            own,
            np.zeros(values, dtype=np.int64),
            lambda: np.zeros(cost.shape, dtype=np.int16),
            True,
        )

    def line_centres(self, values: Centres, group: Longs, weights: Longs, groups: int, numeric: str) -> Centres:
        """The centre of each group of values that lie on a line; the kernels choose all others."""
        raise NotImplementedError

    def confusions(self, weights: NDArray[Any]) -> Floats:
        """For each code the confusion of putting it in the place of all records: 1 for every other value."""
        unequal: Floats = weights.sum() - weights
        return unequal
