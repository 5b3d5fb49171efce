"""Items of sets recoded until every combination of at most m of them is common: Apriori-based anonymization.

Terrovitis, Mamoulis & Kalnis (VLDB 2008): combinations of one item first, then of two, up to m. What is rare climbs the
taxonomy: an item that goes up to a concept takes all items below that concept along, in all records. Combinations that were
common stay so, since records that share items share what these become.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np

from ontomask.arguments import counted
from ontomask.arrays import Longs
from ontomask.errors import DataError
from ontomask.hierarchies.levels import ColumnLevels, Hierarchy
from ontomask.hierarchies.taxonomy_levels import TaxonomyLevels, leaf_shares
from ontomask.masking.goals import Goals
from ontomask.microdata.codes import combine
from ontomask.microdata.columns import Column
from ontomask.microdata.encoding import Tuples
from ontomask.privacy.km_anonymity import KmAnonymity
from ontomask.progress import Progress
from ontomask.statements import Statement, note


class ItemRecoding:
    """The items of a column and the concept ``at`` which each of them is shown."""

    def __init__(self, table: Tuples, column: Column, goals: Goals) -> None:
        assert column.items is not None
        self.column, self.goals = column, goals
        self.dag, self.items = column.items.taxonomy.dag, column.items
        self.at: Longs = self.items.concepts.copy()
        sets = column.item_sets
        begins, items = (np.arange(len(column) + 1), np.arange(len(column))) if sets is None else sets.lists()
        known = self.at[items] >= 0
        code = np.repeat(np.arange(len(column)), np.diff(begins))[known]
        #: Every item of every set that occurs, and the set.
        self.item, self.code = items[known], code
        place = next(i for i, own in enumerate(table.columns) if own.name == column.name)
        codes = table.codes[place][goals.rows.tuple_of]
        units = goals.units
        #: Which sets records, or other units, have: each set with a number of records, or each pair of a set and a unit.
        self.has = np.arange(len(column)) if units.of is None else np.unique(np.array([codes, units.of]), axis=1)[0]
        self.unit = None if units.of is None else np.unique(np.array([codes, units.of]), axis=1)[1]
        self.records = np.bincount(codes, goals.rows.weights, len(column)).astype(np.int64)
        self.shares = leaf_shares(self.dag)

    def run(self, model: KmAnonymity, progress: Progress) -> list[Statement]:
        """Recode until the model holds; what was done."""
        for size in range(1, model.m + 1):
            progress((size - 1) / model.m, "recoding items")
            while rare := self._rare(size, model.k):
                self._climb(rare, model)
        if not self.changed:
            return [note(f"{self.column.name}: {model.describe()} holds without recoding", self.column.name)]
        changed = self.at != self.items.concepts
        became = counted(len(np.unique(self.at[changed])), "concept")
        text = f"{self.column.name}: {int(changed.sum()):,} of {counted(len(self.at), 'item')} recoded to {became}"
        return [note(f"{text} for {model.describe()}", self.column.name)]

    @property
    def changed(self) -> bool:
        """Was any item recoded?"""
        return bool((self.at != self.items.concepts).any())

    def _rare(self, size: int, k: int) -> list[tuple[int, ...]]:
        """The combinations of so many concepts that fewer than k units have, the rarest first, then in taxonomy order."""
        pairs = np.unique(np.array([self.code, self.at[self.item]]), axis=1)
        concepts, codes = np.unique(pairs[1], return_inverse=True)
        lengths = np.bincount(pairs[0], minlength=len(self.column))
        begins = np.concatenate(([0], np.cumsum(lengths)))
        parts: list[Longs] = []
        sets: list[Longs] = []
        for length in np.unique(lengths[lengths >= size]).tolist():
            own = np.flatnonzero(lengths == length)
            listed = codes[begins[own][:, None] + np.arange(length)]  # of each set its concepts, in ascending order
            for some in combinations(range(length), size):
                parts.append(listed[:, some])
                sets.append(own)
        if not parts:
            return []
        every = np.concatenate(parts)
        key, first = combine(list(every.T), [len(concepts)] * size)
        counts = self._units(key.astype(np.int64), np.concatenate(sets), len(first))
        rare = np.flatnonzero(counts < k)
        found = concepts[every[first[rare]]]
        order = np.lexsort((*found.T[::-1], counts[rare]))
        return [tuple(row) for row in found[order].tolist()]

    def _units(self, key: Longs, sets: Longs, number: int) -> Longs:
        """How many records, or other units, have each combination; ``sets[i]`` has the combination ``key[i]``."""
        if self.unit is None:
            return np.bincount(key, self.records[sets], number).astype(np.int64)
        order = np.argsort(self.has, kind="stable")
        begins = np.searchsorted(self.has[order], np.arange(len(self.column) + 1))
        lengths = np.diff(begins)[sets]
        step = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        unit = self.unit[order][np.repeat(begins[:-1][sets], lengths) + step]
        pairs = np.unique(np.array([np.repeat(key, lengths), unit]), axis=1)
        return np.bincount(pairs[0], minlength=number)

    def _climb(self, rare: list[tuple[int, ...]], model: KmAnonymity) -> None:
        """Of each rare combination of which nothing has moved yet, the concept that loses least goes up to its parent."""
        lost: dict[int, float] = {}
        parent: dict[int, int] = {}
        moved: set[int] = set()
        for some in rare:
            if moved & set(some):
                continue
            low = [concept for concept in some if concept != self.dag.root]
            if not low:
                self._join_all(model)
                return
            for concept in low:
                if concept not in lost:
                    parent[concept] = int(self.dag.first_parents(np.array([concept]))[0])
                    lost[concept] = self._loss(parent[concept])
            best = min(low, key=lambda concept: (lost[concept], concept))
            below = self._below(parent[best])
            moved |= set(np.unique(self.at[below]).tolist())
            self.at[below] = parent[best]

    def _join_all(self, model: KmAnonymity) -> None:
        """The root is rare itself: there is nothing above it, so all else comes up to it."""
        if not (self.at[self.item] != self.dag.root).any():
            raise DataError(
                f"{model.describe()} is required, and fewer than {model.k:,} have an item at all",
                where=self.column.where,
                remedy="Choose a smaller k.",
            )
        self.at[self.at >= 0] = self.dag.root

    def _below(self, concept: int) -> np.ndarray:
        """Which items are shown at or below a concept."""
        under = self.dag.mark_descendants(np.array([concept]))
        found: np.ndarray = (self.at >= 0) & under[self.at]
        return found

    def _loss(self, concept: int) -> float:
        """How much more of the leaves is covered, all records and items added up, where a concept stands for all below it."""
        below = self._below(concept)
        more = np.where(below, self.shares[concept] - self.shares[self.at], 0.0)
        return float((more * self.items.counts).sum())


def with_common_items(
    goals: Goals, table: Tuples, levels: list[ColumnLevels], chosen: Mapping[str, Hierarchy], progress: Progress
) -> tuple[list[ColumnLevels], list[Statement]]:
    """The levels, those of sets above what their items are recoded to where combinations of them must be common.

    ``chosen``: the hierarchies of a policy, by column.
    """
    notes: list[Statement] = []
    recodings: dict[str, ItemRecoding] = {}
    for model in goals.models:
        if isinstance(model, KmAnonymity) and model.column is not None:
            column = next(own for own in table.columns if own.name == model.column)
            if model.column not in recodings:
                recodings[model.column] = ItemRecoding(table, column, goals)
            notes += recodings[model.column].run(model, progress)
    changed = {name: recoding.at for name, recoding in recodings.items() if recoding.changed}
    for place, own in enumerate(levels):
        if own.name in changed:
            named = chosen.get(own.name)
            climbing = named if isinstance(named, TaxonomyLevels) else TaxonomyLevels()
            levels = [*levels[:place], climbing.recoded(own.column, changed[own.name]), *levels[place + 1 :]]
    return levels, notes
