"""How far apart the values of one column are, by its kind, on the scale of the column itself (specification 3).

A yardstick is made from the original column. It measures between any values that can stand in it, masked ones too, so
that everything that is compared is compared on one scale. Values are given as centres: positions of concepts, codes,
ranks or numbers (see :mod:`ontomask.microdata.columns`); -1 and NaN are missing values, which lie at the largest
distance from everything.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.arrays import Floats, Longs
from ontomask.distances.between import between
from ontomask.distances.measures import get_measure
from ontomask.distances.request import Corpus
from ontomask.kinds.nominal import NominalColumn
from ontomask.kinds.numeric import NumericColumn
from ontomask.kinds.ordinal import OrdinalColumn
from ontomask.microdata.columns import Column
from ontomask.taxonomy.dag import Dag

#: Numeric and ordinal columns lie on a line; nominal and flat ones have a table.
Centres = NDArray[Any]


class Yardstick:
    """Flat values: 0 if equal, else 1."""

    on_line = False

    def __init__(self, column: Column) -> None:
        self.column = column
        self.weights = column.counts.astype(np.float64)
        self.n = int(column.counts.sum())

    largest = 1.0

    def apart(self, a: Centres, b: Centres) -> Floats:
        """Raw distances, pair by pair."""
        unequal: Floats = (a != b).astype(np.float64)
        return unequal

    @property
    def whole(self) -> float:
        """What a raw distance is divided by before it enters a mean."""
        return 1.0

    def relative(self, a: Centres, b: Centres) -> Floats:
        """Distances in 0..1, as they enter the mean distance of records."""
        raw = self.apart(a, b)
        # Where the column is all the same there is no scale: whatever differs is at 1.
        return raw / self.whole if self.whole > 0 else (raw > 0).astype(np.float64)

    def apart_codes(self, a: NDArray[Any], b: NDArray[Any]) -> Floats:
        """Raw distances of codes of the column, pair by pair."""
        own = self.column.own
        return self.apart(own[a], own[b])

    def marginalities(self) -> Floats:
        """m of each code (M13 eq. 2): the sum of its raw distances to all records."""
        sums: Floats = self.n - self.weights
        return sums

    def relative_marginalities(self) -> Floats:
        """The same of distances in 0..1."""
        sums = self.marginalities()
        return sums / self.whole if self.whole > 0 else sums

    def marginality_variance(self) -> float:
        """Var_M (M13 def. 2): the mean over records of the sum of distances to all others."""
        return float((self.weights * self.marginalities()).sum() / self.n)

    def spread(self, normalize: str) -> float:
        """S2 of the S-distance (M13 eq. 7); ``pairwise``: the mean distance of a random pair."""
        if self.n < 2:
            return 0.0
        variance = self.marginality_variance()
        return variance if normalize == "published" else variance / (self.n - 1)


class LineYardstick(Yardstick):
    """Numbers and ranks: the difference."""

    on_line = True

    def __init__(self, column: NumericColumn | OrdinalColumn) -> None:
        super().__init__(column)
        own = column.own.astype(np.float64)
        self.present = ~np.isnan(own) if isinstance(column, NumericColumn) else own >= 0
        self.at = own[self.present]
        self.of = self.weights[self.present]
        self.low = 0.0
        if isinstance(column, OrdinalColumn):
            self.largest = float(max(column.levels - 1, 0))
        elif len(self.at):
            self.low = float(self.at.min())
            self.largest = float(self.at.max() - self.at.min())
        else:
            self.largest = 0.0

    @property
    def whole(self) -> float:
        return self.largest

    @property
    def keys(self) -> Floats:
        """What the codes of the column are sorted by: missing values stand last."""
        own = self.column.own
        return np.where(self.gone(own), np.inf, own.astype(np.float64))

    def gone(self, centres: Centres) -> NDArray[np.bool_]:
        return np.isnan(centres) if isinstance(self.column, NumericColumn) else centres < 0

    def apart(self, a: Centres, b: Centres) -> Floats:
        one, other = self.gone(a), self.gone(b)
        raw = np.abs(np.where(one, 0, a) - np.where(other, 0, b)).astype(np.float64)
        return np.where(one & other, 0.0, np.where(one | other, self.largest, raw))

    def relative(self, a: Centres, b: Centres) -> Floats:
        # A missing value is at 1 from the others even where these are all the same.
        return np.where(self.gone(a) != self.gone(b), 1.0, super().relative(a, b))

    def marginalities(self) -> Floats:
        """By sums over the sorted values: what lies below and what lies above."""
        gone = self.n - self.of.sum()
        order = np.argsort(self.at, kind="stable")
        at, of = self.at[order] - self.low, self.of[order]
        below, sum_below = np.cumsum(of) - of, np.cumsum(of * at) - of * at
        above, sum_above = of.sum() - below - of, (of * at).sum() - sum_below - of * at
        present = np.empty(len(at))
        present[order] = below * at - sum_below + sum_above - above * at
        sums = np.full(len(self.weights), self.largest * (self.n - gone))  # a missing value is as far as can be
        sums[self.present] = np.maximum(present, 0.0) + self.largest * gone
        return sums

    def relative_marginalities(self) -> Floats:
        if self.whole > 0:
            return super().relative_marginalities()
        # One value: it is at 1 from the missing ones, and they from it.
        sums: Floats = np.where(self.present, self.n - self.of.sum(), self.of.sum())
        return sums

    def spread(self, normalize: str) -> float:
        """The sample variance of the values present."""
        total = self.of.sum()
        if total < 2:
            return 0.0
        mean = self.low + float((self.of * (self.at - self.low)).sum() / total)
        return float((self.of * (self.at - mean) ** 2).sum() / (total - 1))


class NominalYardstick(Yardstick):
    """Concepts: by the measure of the attribute.

    ``universe`` holds all concepts that subsume a value of the column, in taxonomy order (with ``scope="attribute"``
    only those below the LCS of all): every centre lies in it. Concepts that the column is compared with (its ``span``)
    count as values here, so that all is measured on one scale. ``table[v, u]`` is the distance of each code of the
    column from each of the universe; a missing value has a row of its own, and a column at the end.
    """

    def __init__(self, column: NominalColumn) -> None:
        super().__init__(column)
        self.column: NominalColumn = column
        self.taxonomy = column.taxonomy
        self.concepts = column.concepts
        known = np.union1d(self.concepts[self.concepts >= 0], column.span)
        dag, self.kept = self.taxonomy.dag, None
        if column.attr.scope == "attribute" and len(known):
            dag, self.kept = dag.below(dag.common_subsumer(known))
        self.dag: Dag = dag
        marked = np.flatnonzero(dag.mark_ancestors(self.inside(known))) if len(known) else np.zeros(0, dtype=np.int64)
        self.universe: Longs = marked if self.kept is None else self.kept[marked]
        self.measure = get_measure(column.attr.measure)
        self.table = self._table()

    def inside(self, positions: NDArray[Any]) -> Longs:
        """Positions in ``dag``, which is part of the taxonomy where the scope is the attribute."""
        return positions if self.kept is None else np.searchsorted(self.kept, positions)

    @property
    def corpus(self) -> Corpus:
        """What information content from a corpus counts: the column's own values."""
        known = self.concepts >= 0
        return self.concepts[known], self.column.counts[known]

    def _distances(self, a: Longs, b: Longs) -> Floats:
        if self.column.attr.scope == "attribute" or self.measure.relative_to_request:
            # These measure inside what all concepts asked for span: it is always that of the column.
            asked = np.concatenate((b, self.universe))
            distances: Floats = self._ask(a, asked)
            return distances[:, : len(b)]
        return self._ask(a, b)

    def _ask(self, a: Longs, b: Longs) -> Floats:
        attribute = self.column.attr
        return between(self.taxonomy, a, b, self.measure, attribute.scope, attribute.options, corpus=self.corpus)

    def _table(self) -> Floats:
        known = self.concepts >= 0
        wide = len(self.universe)
        missing = self.column.missing is not None
        table = np.zeros((len(self.concepts), wide + missing))
        if wide:
            table[np.ix_(known, np.arange(wide))] = self._distances(self.concepts[known], self.universe)
        self.largest = float(table.max(initial=0.0))
        if missing:
            table[known, wide] = self.largest
            table[~known, :wide] = self.largest
        return table

    @property
    def whole(self) -> float:
        return self.measure.scale(self.largest)

    @property
    def home(self) -> Longs:
        """Where each code of the column stands in the universe; a missing value after all of it."""
        return np.where(self.concepts >= 0, np.searchsorted(self.universe, self.concepts), len(self.universe))

    @cached_property
    def own(self) -> Floats:
        """Distances between the codes of the column themselves."""
        return self.table[:, self.home]

    def between(self, a: Longs, b: Longs) -> Floats:
        """Raw distances of all of ``a`` from all of ``b``."""
        table = np.full((len(a), len(b)), self.largest)
        known_a, known_b = a >= 0, b >= 0
        if known_a.any() and known_b.any():
            table[np.ix_(known_a, known_b)] = self._distances(a[known_a], b[known_b])
        table[np.ix_(~known_a, ~known_b)] = 0.0
        return table

    def apart(self, a: Centres, b: Centres) -> Floats:
        rows, row_of = np.unique(a, return_inverse=True)
        columns, column_of = np.unique(b, return_inverse=True)
        return self.between(rows, columns)[row_of, column_of]

    def apart_codes(self, a: NDArray[Any], b: NDArray[Any]) -> Floats:
        raw: Floats = self.own[a, b]
        return raw

    def marginalities(self) -> Floats:
        sums: Floats = np.add.reduce(self.own * self.weights, axis=1)  # in a fixed order, whatever the threads
        return sums


def yardstick(column: Column) -> Yardstick:
    if isinstance(column, NominalColumn):
        return NominalYardstick(column)
    if isinstance(column, (NumericColumn, OrdinalColumn)):
        return LineYardstick(column)
    return Yardstick(column)
