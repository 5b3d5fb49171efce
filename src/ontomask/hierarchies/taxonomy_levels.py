"""``TaxonomyLevels``: the ancestors of each value as levels, by depth or by height."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ontomask.hierarchies.levels import Hierarchy, Level, make_level, own_values
from ontomask.microdata.columns import Column
from ontomask.taxonomy.dag import Dag


class TaxonomyLevels(Hierarchy):
    """The concepts above each value in its taxonomy.

    Notes
    -----
    ``cut="depth"``: level i shows the ancestor at most so deep that i levels are gone from the deepest value up;
    ``cut="height"``: the lowest ancestor that has at least i levels below it. A level takes each value to one concept: of
    several parents the deepest counts, by height the one with the fewest levels below it; the first of equals. Groups of
    local generalization are not bound to levels: they show their lowest common subsumer, whichever parents lead to it.

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
        meaning = column.meaning
        if meaning is None:
            return own_values(column)
        dag, concepts = meaning.taxonomy.dag, meaning.concepts
        leaves = np.maximum(dag.leaf_counts, 1)
        domain = max(int(leaves[dag.root]) - 1, 1)
        penalty = np.where(concepts >= 0, (leaves[concepts] - 1) / domain, 0.0)
        return replace(own_values(column), penalty=penalty)

    def build_levels(self, column: Column) -> list[Level]:
        meaning = column.meaning
        if meaning is None:
            raise self._refuse(column, "a hierarchy of taxonomy levels", "nominal")
        dag = meaning.taxonomy.dag
        at = meaning.concepts.copy()
        known = at >= 0
        leaves = np.maximum(dag.leaf_counts, 1)
        domain = max(int(leaves[dag.root]) - 1, 1)
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
            spelled = {int(c): meaning.spell(int(c)) for c in np.unique(at[known])}
            shown = [spelled.get(int(c)) for c in at]
            penalty = np.where(known, (leaves[at] - 1) / domain, 0.0)
            all_at_root = bool((at[known] == dag.root).all())
            name, keys = f"{self.cut} {limit}", at.tolist()
            levels.append(make_level(column, name, shown, penalty, concepts=at.copy(), keys=keys, top=all_at_root))
        return levels


def _lowest_parents(dag: Dag, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The parent of each concept with the fewest levels below it; then the deepest, then the first in order."""
    place, parent = dag.parents.gather(nodes)
    by = np.lexsort((parent, -dag.depth[parent], dag.height[parent], place))
    lowest = np.full(len(nodes), -1, dtype=np.int64)
    lowest[place[by][::-1]] = parent[by][::-1]
    return lowest
