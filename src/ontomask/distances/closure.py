"""The part of a taxonomy that decides the distances of some concepts: they and all their ancestors.

It is laid out parents first, in levels, so that a quantity each concept takes over from its parents can be computed for
a whole level in one array operation. See :mod:`ontomask.distances.sweep` for what travels through it.
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.taxonomy.dag import AncestorPairs, Csr, Dag

#: Concepts handled at once: small enough that their vectors stay in the processor's cache.
STRIDE = 128


class Step(NamedTuple):
    """Concepts ``begin..end`` of one level, with their parents.

    ``first`` is the deepest parent of each; ``others`` holds, for those with more, the k-th further parents as
    (concept, parent) arrays.
    """

    begin: int
    end: int
    first: NDArray[np.int64]
    others: list[tuple[NDArray[np.int64], NDArray[np.int64]]]


class Closure:
    """The ancestor closure of ``concepts``, renumbered 0..C-1 with parents before children; 0 is the root."""

    def __init__(self, dag: Dag, concepts: NDArray[np.integer]) -> None:
        nodes = dag.in_order(dag.mark_ancestors(concepts))
        self.concepts = nodes  #: position in the taxonomy of each
        self.depth = dag.depth[nodes].astype(np.int64)
        place = np.full(len(dag), -1, dtype=np.int64)
        place[nodes] = np.arange(len(nodes))
        owner, parent = dag.parents.gather(nodes)
        above = place[parent]
        # The deepest parent first: it shares most ancestors with its child.
        by = np.lexsort((above, -self.depth[above], owner))
        self.parents = Csr.of(len(nodes), owner[by], above[by])
        self._dag = dag
        self._place = place
        self.steps = self._steps()

    def __len__(self) -> int:
        return len(self.concepts)

    def place(self, concepts: NDArray[np.integer]) -> NDArray[np.int64]:
        """Where concepts of the taxonomy stand in the closure."""
        places: NDArray[np.int64] = self._place[concepts]
        return places

    def ancestor_pairs(self, concepts: NDArray[np.integer]) -> AncestorPairs:
        """(row, place of an ancestor-or-self, fewest links between), sorted by that place."""
        pairs = self._dag.ancestor_pairs(concepts)
        place = self._place[pairs.concept]
        by = np.argsort(place, kind="stable")
        return AncestorPairs(pairs.row[by], place[by], pairs.links[by])

    def _steps(self) -> list[Step]:
        """All concepts but the root, level by level, in strides."""
        bounds = [*np.flatnonzero(np.diff(self.depth, prepend=0)).tolist(), len(self)]
        steps = []
        for level_begin, level_end in pairwise(bounds[1:]):
            for begin in range(level_begin, level_end, STRIDE):
                end = min(begin + STRIDE, level_end)
                start = self.parents.start[begin : end + 1]
                count = np.diff(start)
                others = []
                for k in range(1, int(count.max())):
                    more = np.flatnonzero(count > k)
                    others.append((begin + more, self.parents.index[start[more] + k].astype(np.int64)))
                steps.append(Step(begin, end, self.parents.index[start[:-1]].astype(np.int64), others))
        return steps

    @cached_property
    def missing(self) -> Csr:
        """For each concept the ancestors its first parent does not have: T(c) - T(first parent) - {c}.

        Empty for a concept with one parent.
        """
        owner, ancestor = self._dag.missing_ancestors(self.concepts)
        return Csr.of(len(self), self._place[owner], self._place[ancestor])

    @cached_property
    def subsumer_counts(self) -> NDArray[np.int64]:
        """|T(c)| of every concept of the closure."""
        count = np.ones(len(self), dtype=np.int64)
        extra = self.missing.lengths()
        for step in self.steps:
            count[step.begin : step.end] = 1 + count[step.first] + extra[step.begin : step.end]
        return count
