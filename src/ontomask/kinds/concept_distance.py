"""The distance of nominal columns: between concepts, by the measure of the attribute."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ontomask.arrays import Floats, Longs
from ontomask.distances.between import between
from ontomask.distances.closure import Closure
from ontomask.distances.kept_tables import TableKey, kept_table
from ontomask.distances.measure import Corpus
from ontomask.distances.measures import get_measure
from ontomask.distances.sweep import FewestDown, sweep
from ontomask.kernels.centres import HIERARCHY, MODE, PRESENT, SUBSUMER
from ontomask.microdata.column_distance import CentreRule, Centres, ColumnDistance
from ontomask.microdata.columns import Column
from ontomask.statistics.centroids import nearest_to_all
from ontomask.statistics.sample import Sample, first_least
from ontomask.taxonomy.dag import Dag

if TYPE_CHECKING:
    from ontomask.kinds.nominal_column import NominalColumn

_RULE = {"semantic": HIERARCHY, "marginality": PRESENT, "consensus": PRESENT, "mode": MODE, "lcs": SUBSUMER}


class NominalDistance(ColumnDistance):
    """Concepts: by the measure of the attribute.

    ``universe`` holds all concepts that subsume a value of the column, in taxonomy order (with ``scope="attribute"``
    only those below the LCS of all): every centre lies in it. Concepts that the column is compared with (its ``span``)
    count as values here, so that all is measured on one scale. ``table[v, u]`` is the distance of each code of the
    column from each of the universe; a missing value has a row of its own, and a column at the end. Distances that
    are in it are looked up, wherever they are asked for.
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
        attribute = column.attr
        key = TableKey(
            self.taxonomy,
            self.measure,
            attribute.scope,
            attribute.options,
            self.concepts,
            self.universe,
            column.counts,
        )
        self.table = kept_table(key, self._table)
        self.largest = float(self.table.max(initial=0.0))

    def inside(self, positions: NDArray[Any]) -> Longs:
        """Positions in ``dag``, which is part of the taxonomy where the scope is the attribute."""
        return positions if self.kept is None else np.searchsorted(self.kept, positions)

    @property
    def corpus(self) -> Corpus:
        """What information content from a corpus counts: the column's own values."""
        known = self.concepts >= 0
        return self.concepts[known], self.column.counts[known]

    def _compute(self, a: Longs, b: Longs) -> Floats:
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
        distances = self._ask(self.concepts[known], self.universe)
        if known.all():
            return np.ascontiguousarray(distances)
        table = np.zeros((len(self.concepts), len(self.universe) + 1))
        table[known, :-1] = distances
        largest = table.max(initial=0.0)
        table[known, -1] = largest
        table[~known, :-1] = largest
        return table

    @cached_property
    def _code_of_row(self) -> Longs:
        """The code of each concept of the universe, -1 where the column does not hold it."""
        known = self.concepts >= 0
        codes = np.full(len(self.universe), -1, dtype=np.int64)
        codes[np.searchsorted(self.universe, self.concepts[known])] = np.flatnonzero(known)
        return codes

    def _rows_of(self, concepts: Longs) -> Longs | None:
        """Where concepts stand in the universe; None if one of them does not, or is missing."""
        rows = np.searchsorted(self.universe, concepts)
        inside = (
            bool(len(concepts)) and rows.max() < len(self.universe) and np.array_equal(self.universe[rows], concepts)
        )
        return rows if inside else None

    @property
    def scale(self) -> float:
        return self.measure.scale(self.largest)

    @property
    def row_of_code(self) -> Longs:
        """Where each code of the column stands in the universe; a missing value after all of it."""
        return np.where(self.concepts >= 0, np.searchsorted(self.universe, self.concepts), len(self.universe))

    @cached_property
    def between_codes(self) -> Floats:
        return self.table[:, self.row_of_code]

    def _distances(self, a: Longs, b: Longs) -> Floats:
        """Of all of ``a`` from all of ``b``: what is in the table from there, read either way round."""
        rows_a, rows_b = self._rows_of(a), self._rows_of(b)
        if rows_a is None or rows_b is None:
            return self._compute(a, b)
        codes_a, codes_b = self._code_of_row[rows_a], self._code_of_row[rows_b]
        own_a, own_b = codes_a >= 0, codes_b >= 0
        if own_a.all():
            return self.table[np.ix_(codes_a, rows_b)]
        if own_b.all():
            return np.ascontiguousarray(self.table[np.ix_(codes_b, rows_a)].T)
        distances = np.empty((len(a), len(b)))
        distances[own_a] = self.table[np.ix_(codes_a[own_a], rows_b)]
        distances[np.ix_(~own_a, own_b)] = self.table[np.ix_(codes_b[own_b], rows_a[~own_a])].T
        distances[np.ix_(~own_a, ~own_b)] = self._compute(a[~own_a], b[~own_b])
        return distances

    def places(self, a: Longs, b: Longs) -> tuple[Floats, Longs, Longs] | None:
        """A table that holds the distances of all of ``a`` from all of ``b``, and where these stand in its rows and columns;
        None where the column does not hold all of ``a`` or nothing subsumes ``b`` in it."""
        rows_a, rows_b = self._rows_of(a), self._rows_of(b)
        if rows_a is None or rows_b is None or not (self._code_of_row[rows_a] >= 0).all():
            return None
        return self.table, self._code_of_row[rows_a], rows_b

    def between(self, a: Longs, b: Longs) -> Floats:
        known_a, known_b = a >= 0, b >= 0
        if known_a.all() and known_b.all():
            return np.ascontiguousarray(self._distances(a, b))
        table = np.full((len(a), len(b)), self.largest)
        if known_a.any() and known_b.any():
            table[np.ix_(known_a, known_b)] = self._distances(a[known_a], b[known_b])
        table[np.ix_(~known_a, ~known_b)] = 0.0
        return table

    def distance(self, a: Centres, b: Centres) -> Floats:
        found = self.places(a, b)
        if found is not None:
            table, codes, own = found
            raw: Floats = table[codes, own]
            return raw
        rows, row_of = np.unique(a, return_inverse=True)
        columns, column_of = np.unique(b, return_inverse=True)
        return self.between(rows, columns)[row_of, column_of]

    def distance_of_codes(self, a: NDArray[Any], b: NDArray[Any]) -> Floats:
        raw: Floats = self.between_codes[a, b]
        return raw

    def table_of(self, codes: Longs) -> Floats:
        return self.table[np.ix_(codes, self.row_of_code[codes])]

    def mean_centre(self, values: Centres, counts: Longs) -> int:
        """The semantic mean (R17 eq. 13)."""
        known = (values >= 0) & (counts > 0)
        if not known.any():
            return -1
        sample = Sample.of_distinct(self.taxonomy, values[known], counts[known])
        attribute = self.column.attr
        return nearest_to_all(sample, "semantic_mean", self.measure, attribute.scope, attribute.options, self.corpus)

    def marginalities(self) -> Floats:
        sums: Floats = np.add.reduce(
            self.between_codes * self.weights, axis=1
        )  # in a fixed order, whatever the threads
        return sums

    @cached_property
    def least_squares(self) -> tuple[Any, float]:
        """Of all concepts that subsume a value of the column; what it is compared with (its span) cannot move the centre."""
        known = self.concepts[self.concepts >= 0]
        if not len(known):
            return -1, 0.0
        rows = np.flatnonzero(self.dag.mark_ancestors(self.inside(known))[self.inside(self.universe)])
        sums = np.zeros(len(rows))
        for weight, distances in zip(self.weights, self.table, strict=True):
            sums += weight * distances[rows] ** 2
        best = first_least(sums)
        return self.universe[rows[best]], float(sums[best])

    # ---- what the kernels need ------------------------------------------------------------------------------------

    def rows(self, column: Column, against: Column | None = None) -> tuple[Floats | None, Longs]:
        return (self.table, self.row_of_code) if against is None else super().rows(column, against)

    def centre_of_row(self, rows: Longs) -> Centres:
        return np.append(self.universe, -1)[rows]

    def centre_rule(self, centroid: str) -> CentreRule:
        cost = self.confusion() if centroid == "consensus" else self.table
        missing = self.column.missing is not None
        universe = self.inside(self.universe)
        pairs = self.dag.ancestor_pairs(universe)
        above = np.searchsorted(universe, pairs.concept)[np.argsort(pairs.row, kind="stable")]
        lengths = np.bincount(pairs.row, minlength=len(universe))
        if missing:
            lengths, above = np.append(lengths, 1), np.append(above, len(universe))
        return CentreRule(
            _RULE[centroid],
            cost,
            len(universe) if missing else -1,
            lengths,
            above,
            np.append(self.dag.depth[universe], [0] if missing else []),
            lambda: self._links(cost.shape[1]),
            bool((self.dag.parents.lengths()[universe] <= 1).all()),
        )

    def confusions(self, weights: NDArray[Any]) -> Floats:
        sums: Floats = weights @ self.confusion()[:, self.row_of_code]  # from a (row) to b (column)
        return sums

    def _links(self, wide: int) -> NDArray[np.int16]:
        """The fewest links from each code of the column up to each concept of the universe, where it subsumes it."""
        links = np.zeros((len(self.concepts), wide), dtype=np.int16)
        known = np.flatnonzero(self.concepts >= 0)
        universe = self.inside(self.universe)
        pairs = self.dag.ancestor_pairs(self.inside(self.concepts[known]))
        links[known[pairs.row], np.searchsorted(universe, pairs.concept)] = pairs.links
        return links

    def confusion(self) -> Floats:
        """conf(a -> b) for the codes a and b of the column, b at its row: the fewest links down to b from what subsumes both.

        A missing value is one link further from all others than any of these is.
        """
        known = np.flatnonzero(self.concepts >= 0)
        concepts = self.inside(self.concepts[known])
        cost = np.zeros_like(self.table)
        if len(known):
            between = sweep(
                FewestDown(Closure(self.dag, concepts)),
                concepts,
                concepts,
                lambda held, x, y: held,
                dtype=np.dtype(np.float64),
                workers=1,
            )
            cost[np.ix_(known, self.row_of_code[known])] = between
        missing = self.column.missing
        if missing is not None:
            far = 1 + cost.max(initial=0.0)
            cost[known, len(self.universe)] = far
            cost[missing, : len(self.universe)] = far
        return cost
