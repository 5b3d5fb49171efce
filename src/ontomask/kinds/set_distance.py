"""The distance of columns that hold sets of concepts: the mean over both sides of each item's distance from its best match.

Only distances of items are held in a table. Those of sets are computed where they are asked for: there may be as many sets
as records.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ontomask.arrays import Floats, Longs
from ontomask.errors import PolicyError
from ontomask.kernels.sets import ItemLists, all_distances, pair_distances
from ontomask.kinds.concept_distance import NominalDistance
from ontomask.microdata.column_distance import CentreRule, Centres, ColumnDistance, SetRows
from ontomask.microdata.columns import Column
from ontomask.statistics.sample import first_least

if TYPE_CHECKING:
    from ontomask.kinds.sets import SetColumn

#: Centroids that sets can have.
CENTROIDS = ("semantic", "mode")
#: Distances that are held at once where all sets are compared with all.
MOST_HELD = 1 << 24
#: The most frequent sets, among which the centre of a whole column is: to try them all would take too long.
MOST_FREQUENT = 16


class SetDistance(ColumnDistance):
    """Sets of concepts: ``items`` measures single concepts, those of the column with the records that have each.

    An empty set is as far from every other as two items can be on the scale of the measure (``apart``): 1 once distances are
    scaled. A missing set is at the largest distance from every other.
    """

    of_sets: ClassVar[bool] = True

    def __init__(self, column: SetColumn) -> None:
        super().__init__(column)
        self.column: SetColumn = column
        self.sets = column.sets
        self.items = NominalDistance(column.items)
        self.apart = self.items.scale if self.items.scale > 0 else 1.0
        empty = (column.numbers == self.sets.empty).any() or (column.span == self.sets.empty).any()
        self.largest = max(self.items.largest, self.apart if empty else 0.0)

    @property
    def scale(self) -> float:
        return self.items.measure.scale(self.largest)

    # ---- distances -------------------------------------------------------------------------------------------------

    def distance(self, a: Centres, b: Centres) -> Floats:
        one, row_of = np.unique(a, return_inverse=True)
        other, column_of = np.unique(b, return_inverse=True)
        table, first, second = self._lists(one, other)
        raw = np.empty(len(a))
        pair_distances(table, first, second, row_of, column_of, self.apart, self.largest, raw)
        return raw

    def between(self, a: Centres, b: Centres) -> Floats:
        raw = np.empty((len(a), len(b)))
        table, first, second = self._lists(a, b)
        all_distances(table, first, second, 0, self.apart, self.largest, raw)
        return raw

    def _lists(self, a: Longs, b: Longs) -> tuple[Floats, ItemLists, ItemLists]:
        """The items of sets as places in a table of their distances: that of the column, where it has them all."""
        (at_a, items_a), (at_b, items_b) = self.sets.lists(a), self.sets.lists(b)
        found = self.items.places(items_a, items_b)
        if found is None:
            (rows, items_a), (columns, items_b) = (
                np.unique(items, return_inverse=True) for items in (items_a, items_b)
            )
            table = self.items.between(rows, columns)
        else:
            table, items_a, items_b = found
        return table, ItemLists(at_a, items_a, a < 0), ItemLists(at_b, items_b, b < 0)

    def _sums(self, centres: Centres) -> Floats:
        """Of each centre the sum of its distances from all records, a few centres at a time."""
        own = self.column.centre_of_code
        table, first, second = self._lists(centres, own)
        step = max(1, MOST_HELD // max(1, len(own)))
        sums = np.empty(len(centres))
        for begin in range(0, len(centres), step):
            rows = np.empty((min(step, len(centres) - begin), len(own)))
            all_distances(table, first, second, begin, self.apart, self.largest, rows)
            # Row by row, in a fixed order: a matrix product would depend on the number of threads.
            sums[begin : begin + step] = [(row * self.weights).sum() for row in rows]
        return sums

    def marginalities(self) -> Floats:
        return self._sums(self.column.centre_of_code)

    @cached_property
    def least_squares(self) -> tuple[Any, float]:
        """Of the most frequent sets; where each has one concept, that of a column of concepts, whatever it is compared with."""
        own, counts = self.column.centre_of_code, self.column.counts
        known = np.flatnonzero(~self.column.is_missing(own))
        if not len(known):
            return -1, 0.0
        centres = own[known[np.argsort(-counts[known], kind="stable")[:MOST_FREQUENT]]]
        if (own < self.sets.empty).all():
            centres = np.array([self.items.least_squares[0]])
        sums = np.array([(row**2 * self.weights).sum() for row in self.between(centres, own)])
        best = first_least(sums)
        return centres[best], float(sums[best])

    def scores(self, column: Column) -> Floats:
        own = column.centre_of_code
        sums = self._sums(own) / (self.n * (self.scale if self.scale > 0 else 1 / self.n))
        return np.where(column.is_missing(own), np.nan, sums)

    # ---- what the kernels need ---------------------------------------------------------------------------------------

    def set_rows(self, column: Column, against: Column | None = None) -> SetRows:
        missing = -1 if column.missing is None else column.missing
        if against is None:
            (at, codes), table = self.column.lists(), np.ascontiguousarray(self.items.table.T)
            return SetRows(at, codes, missing, table, self.items.row_of_code, _widest(at), self.apart)
        at, items = self.sets.lists(column.centre_of_code)
        values, codes = np.unique(items, return_inverse=True)
        known_at, known = self.sets.lists(against.centre_of_code)
        table = np.ascontiguousarray(self.items.between(values, np.unique(known)).T)
        return SetRows(at, codes, missing, table, np.zeros(len(values), dtype=np.int64), _widest(known_at), self.apart)

    def set_points(self, column: Column) -> tuple[Longs, Longs]:
        at, items = self.sets.lists(column.centre_of_code)
        sizes = np.where(column.is_missing(column.centre_of_code), -1, np.diff(at))
        return sizes, np.unique(items, return_inverse=True)[1]

    def centres_of_sets(self, sets: Sequence[Longs | None]) -> Centres:
        universe = self.items.universe
        return np.array(
            [-1 if rows is None else self.sets.number(universe[rows].tolist()) for rows in sets], dtype=np.int64
        )

    def centre_rule(self, centroid: str) -> CentreRule:
        if centroid not in CENTROIDS:
            raise PolicyError(
                f"the centroid {centroid!r} has no meaning for sets",
                where=self.column.where,
                remedy=f"Choose {' or '.join(map(repr, CENTROIDS))}.",
            )
        return self.items.centre_rule(centroid)


def _widest(at: Longs) -> int:
    return int(np.diff(at).max(initial=0))
