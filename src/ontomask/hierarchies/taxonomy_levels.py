"""``TaxonomyLevels``: the ancestors of each value as levels, by depth or by height."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ontomask.arrays import Floats
from ontomask.hierarchies.levels import ColumnLevels, Hierarchy, Level, make_level, own_values
from ontomask.microdata.columns import Column, Meaning
from ontomask.taxonomy.dag import Dag


class TaxonomyLevels(Hierarchy):
    """The concepts above each value in its taxonomy.

    Notes
    -----
    ``cut="depth"``: level i shows the ancestor at most so deep that i levels are gone from the deepest value up;
    ``cut="height"``: the lowest ancestor that has at least i levels below it. A level takes each value to one concept: of
    several parents the deepest counts, by height the one with the fewest levels below it; the first of equals. Groups of
    local generalization are not bound to levels: they show their lowest common subsumer, whichever parents lead to it. Items
    of a set climb each by itself; those that meet become one.

    Examples
    --------
    >>> import ontomask as om
    >>> om.TaxonomyLevels(cut="height")
    TaxonomyLevels(cut='height')
    """

    kind: Literal["taxonomy"] = "taxonomy"
    free: ClassVar[bool] = True
    cut: Literal["depth", "height"] = Field(
        default="depth", description="count levels from the root, or from the leaves"
    )

    def own(self, column: Column) -> Level:
        """The values themselves; one that is an inner concept covers all below it, whatever level shows it."""
        items = column.items
        if items is None:
            return own_values(column)
        return replace(own_values(column), penalty=penalties(column, column.centre_of_code))

    def build_levels(self, column: Column) -> list[Level]:
        if column.items is None:
            raise self._refuse(column, "a hierarchy of taxonomy levels", "nominal")
        return self._climb(column, column.items, column.items.concepts.copy())

    def recoded(self, column: Column, at: NDArray[np.int64]) -> ColumnLevels:
        """The levels of a column whose items are shown ``at`` these concepts to begin with: level 0 shows these."""
        assert column.items is not None
        own = _centres_at(column, at)
        texts = column.decode(own).to_list()
        first = make_level(column, "recoded", texts, penalties(column, own), concepts=own, keys=own.tolist())
        return self._completed(column, [first, *self._climb(column, column.items, at.copy())])

    def _climb(self, column: Column, items: Meaning, at: NDArray[np.int64]) -> list[Level]:
        """The levels above the concepts ``at`` which the items of a column are."""
        dag, known = items.taxonomy.dag, at >= 0
        if self.cut == "depth":
            limits = range(int(dag.depth[at[known]].max(initial=1)) - 1, 0, -1)
        else:
            limits = range(2, int(dag.height[dag.root]) + 1)
        levels = []
        for limit in limits:
            while True:
                low = known & ((dag.depth[at] > limit) if self.cut == "depth" else (dag.height[at] < limit))
                low &= at != dag.root
                if not low.any():
                    break
                at[low] = dag.first_parents(at[low]) if self.cut == "depth" else _lowest_parents(dag, at[low])
            all_at_root = bool((at[known] == dag.root).all())
            levels.append(_level(column, items, f"{self.cut} {limit}", at.copy(), top=all_at_root))
        return levels


def leaf_shares(dag: Dag) -> Floats:
    """The part of all leaves that each concept of a taxonomy covers, one not counted: 0 for a leaf, 1 for the root."""
    leaves = np.maximum(dag.leaf_counts, 1)
    shares: Floats = (leaves - 1) / max(int(leaves[dag.root]) - 1, 1)
    return shares


def penalties(column: Column, centres: NDArray[np.int64]) -> Floats:
    """The part of all leaves that the value of each centre covers: of a set the mean over its concepts, 0 of an empty one or of
    a missing value."""
    assert column.items is not None
    shares, sets = leaf_shares(column.items.taxonomy.dag), column.item_sets
    if sets is None:
        return np.where(centres >= 0, shares[centres], 0.0)
    distinct, place = np.unique(centres, return_inverse=True)
    members = [shares[list(sets.concepts_of(int(number)))] for number in distinct]
    return np.array([own.mean() if len(own) else 0.0 for own in members])[place]


def _level(column: Column, items: Meaning, name: str, at: NDArray[np.int64], *, top: bool) -> Level:
    """The level at which each item of a column has climbed to the concept ``at``."""
    sets, centres = column.item_sets, _centres_at(column, at)
    if sets is None:
        spelled = {int(c): items.spell(int(c)) for c in np.unique(at[at >= 0])}
        texts = [spelled.get(int(c)) for c in at]
    else:
        texts, top = column.decode(centres).to_list(), top and not sets.is_empty(centres).any()
    return make_level(column, name, texts, penalties(column, centres), concepts=centres, keys=centres.tolist(), top=top)


def _centres_at(column: Column, at: NDArray[np.int64]) -> NDArray[np.int64]:
    """What each code is where its items are shown ``at`` these concepts."""
    sets = column.item_sets
    if sets is None:
        return at
    begins, items = sets.lists()
    own = zip(column.is_missing(column.centre_of_code), begins[:-1], begins[1:], strict=True)
    numbers = [-1 if gone else sets.number_of(at[items[begin:end]].tolist()) for gone, begin, end in own]
    return np.array(numbers, dtype=np.int64)


def _lowest_parents(dag: Dag, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The parent of each concept with the fewest levels below it; then the deepest, then the first in order."""
    place, parent = dag.parents.gather(nodes)
    by = np.lexsort((parent, -dag.depth[parent], dag.height[parent], place))
    lowest = np.full(len(nodes), -1, dtype=np.int64)
    lowest[place[by][::-1]] = parent[by][::-1]
    return lowest
