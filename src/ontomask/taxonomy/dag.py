"""The rooted DAG underneath a taxonomy: integers only, no names.

Concepts are positions ``0..n-1``. Links are kept as CSR arrays in both directions; every traversal runs level by
level over whole arrays, so neither recursion nor a Python loop over concepts is needed and a chain of 20,000
concepts is as safe as a shallow tree.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ontomask.arrays import Ints, Longs

Array = TypeVar("Array", bound=NDArray[Any])


@dataclass(frozen=True, slots=True)
class Csr:
    """Rows of unequal length in two arrays: row ``i`` is ``index[start[i]:start[i + 1]]``."""

    start: Longs
    index: Ints

    def __post_init__(self) -> None:
        self.start.setflags(write=False)
        self.index.setflags(write=False)

    def row(self, i: int) -> Ints:
        return self.index[self.start[i] : self.start[i + 1]]

    def lengths(self) -> Longs:
        return np.diff(self.start)

    def gather(self, rows: NDArray[np.integer]) -> tuple[Longs, Ints]:
        """All entries of ``rows``, one after the other, with the place in ``rows`` each belongs to."""
        begin = self.start[rows]
        length = self.start[rows + 1] - begin
        owner = np.repeat(np.arange(len(rows)), length)
        offset = np.arange(len(owner)) - np.repeat(np.cumsum(length) - length, length)
        return owner, self.index[begin[owner] + offset]

    @staticmethod
    def of(n: int, owner: NDArray[np.integer], value: NDArray[np.integer]) -> Csr:
        """Group ``value`` by ``owner``; the given order is kept inside a row."""
        order = np.argsort(owner, kind="stable")
        start = np.zeros(n + 1, dtype=np.int64)
        np.cumsum(np.bincount(owner, minlength=n), out=start[1:])
        return Csr(start, np.ascontiguousarray(value[order], dtype=np.int32))


class CycleFound(Exception):
    """Carries the positions of one cycle, child to parent, first repeated at the end."""

    def __init__(self, positions: list[int]) -> None:
        super().__init__(positions)
        self.positions = positions


class AncestorPairs(NamedTuple):
    """Every (row, ancestor) with the fewest links between them; sorted by ancestor depth, deepest first."""

    row: Longs
    concept: Longs
    links: Longs


@dataclass(frozen=True)
class Dag:
    """A DAG with one root. ``depth`` counts the nodes of the longest path from the root (root = 1).

    Its arrays cannot be written to.
    """

    parents: Csr
    children: Csr
    depth: Ints
    order: Ints  # parents before children: by depth, then position
    root: int

    def __post_init__(self) -> None:
        self.depth.setflags(write=False)
        self.order.setflags(write=False)

    @staticmethod
    def build(n: int, child: NDArray[np.integer], parent: NDArray[np.integer]) -> Dag:
        """Links are distinct and have no self-link; exactly one concept has no parent. Raises :class:`CycleFound`."""
        parents = Csr.of(n, child, parent)
        children = Csr.of(n, parent, child)
        missing = parents.lengths()
        depth = np.zeros(n, dtype=np.int32)
        frontier = np.flatnonzero(missing == 0)
        roots, level, seen = frontier, 1, 0
        while len(frontier):
            depth[frontier] = level
            seen += len(frontier)
            below = children.gather(frontier)[1]
            if len(below) == 0:
                break
            reached, times = np.unique(below, return_counts=True)
            missing[reached] -= times
            frontier = reached[missing[reached] == 0]
            level += 1
        if seen < n:
            raise CycleFound(_one_cycle(parents, depth == 0))
        order = np.argsort(depth, kind="stable").astype(np.int32)
        return Dag(parents, children, depth, order, int(roots[0]))

    def __len__(self) -> int:
        return len(self.depth)

    def __reduce__(self) -> tuple[object, ...]:
        # What is computed on demand stays out of a pickle.
        return (Dag, (self.parents, self.children, self.depth, self.order, self.root))

    def in_order(self, mark: NDArray[np.bool_]) -> Longs:
        """The marked concepts, parents before children."""
        return self.order[mark[self.order]].astype(np.int64)

    def _levels(self, nodes: Longs) -> list[Longs]:
        """Concepts in topological order, cut where the depth changes."""
        return np.split(nodes, np.flatnonzero(np.diff(self.depth[nodes])) + 1)

    @cached_property
    def levels(self) -> list[Longs]:
        """All concepts by depth, the root's level first."""
        return self._levels(self.order.astype(np.int64))

    @cached_property
    def leaves(self) -> NDArray[np.bool_]:
        leaf: NDArray[np.bool_] = self.children.lengths() == 0
        return _fixed(leaf)

    @cached_property
    def height(self) -> Ints:
        """Nodes on the longest path down from each concept (a leaf has 1)."""
        height = np.ones(len(self), dtype=np.int32)
        for nodes in reversed(self.levels[1:]):
            owner, parent = self.parents.gather(nodes)
            np.maximum.at(height, parent, height[nodes[owner]] + 1)
        return _fixed(height)

    def first_parents(self, nodes: NDArray[np.integer]) -> Longs:
        """The deepest parent of each concept, the first in order of several; they share most ancestors. None has -1."""
        place, parent = self.parents.gather(nodes)
        by = np.lexsort((parent, -self.depth[parent], place))
        first = np.full(len(nodes), -1, dtype=np.int64)
        first[place[by][::-1]] = parent[by][::-1]
        return first

    def missing_ancestors(self, nodes: NDArray[np.integer]) -> tuple[Longs, Longs]:
        """(concept, ancestor) for every ancestor of a concept that its first parent does not have: T(c) - T(p) - {c}.

        So T(c) is the disjoint union of {x} and the missing ancestors of x over the chain of first parents from c.
        """
        n = len(self)
        several = nodes[self.parents.start[nodes + 1] - self.parents.start[nodes] > 1].astype(np.int64)
        owners, ancestors = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
        # In batches, so that however many there are, their ancestors take a few megabytes at a time.
        cost = np.cumsum(self.depth[several], dtype=np.int64) // 100_000
        for batch in np.split(several, np.flatnonzero(np.diff(cost)) + 1) if len(several) else []:
            mine, first = (self.ancestor_pairs(rows) for rows in (batch, self.first_parents(batch)))
            gone = np.concatenate((first.row * n + first.concept, np.arange(len(batch)) * n + batch))
            extra = np.setdiff1d(mine.row * n + mine.concept, gone, assume_unique=True)
            owners.append(batch[extra // n])
            ancestors.append(extra % n)
        return np.concatenate(owners), np.concatenate(ancestors)

    @cached_property
    def _missing(self) -> tuple[Longs, Longs]:
        return self.missing_ancestors(np.arange(len(self)))

    def descendant_sums(self, weight: NDArray[Any], nodes: Longs | None = None) -> NDArray[np.float64]:
        """For every concept the total ``weight`` of it and all below it, each counted once.

        With ``nodes`` (closed upwards, in topological order) only these are looked at. Weights are added up along
        first parents, a tree, and then handed to the ancestors that only other parents lead to.
        """
        levels = self.levels if nodes is None else self._levels(nodes)
        owner, ancestor = self._missing if nodes is None else self.missing_ancestors(nodes)
        total = np.zeros(len(self))
        for level in reversed(levels):
            total[level] += weight[level]
            if level[0] != self.root:
                np.add.at(total, self.first_parents(level), total[level])
        return total + np.bincount(ancestor, weights=total[owner], minlength=len(self))

    @cached_property
    def descendant_counts(self) -> Longs:
        """How many concepts lie below each, itself not counted."""
        return _fixed(np.rint(self.descendant_sums(np.ones(len(self)))).astype(np.int64) - 1)

    @cached_property
    def leaf_counts(self) -> Longs:
        """How many leaves lie below each; a leaf has none."""
        return _fixed(np.rint(self.descendant_sums(self.leaves)).astype(np.int64) - self.leaves)

    @cached_property
    def subsumer_counts(self) -> Longs:
        """|T(c)| of every concept."""
        count = np.ones(len(self), dtype=np.int64)
        extra = np.bincount(self._missing[0], minlength=len(self))
        for nodes in self.levels[1:]:
            count[nodes] = 1 + count[self.first_parents(nodes)] + extra[nodes]
        return _fixed(count)

    def mark_ancestors(self, positions: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Which concepts subsume at least one of ``positions``, themselves included."""
        return self._reach(self.parents, positions)

    def mark_descendants(self, positions: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Which concepts are, or lie below, one of ``positions``."""
        return self._reach(self.children, positions)

    def _reach(self, links: Csr, positions: NDArray[np.integer]) -> NDArray[np.bool_]:
        seen = np.zeros(len(self), dtype=np.bool_)
        frontier = np.unique(np.asarray(positions, dtype=np.int64))
        while len(frontier):
            seen[frontier] = True
            following = np.unique(links.gather(frontier)[1]).astype(np.int64)
            frontier = following[~seen[following]]
        return seen

    def ancestor_pairs(self, rows: NDArray[np.integer]) -> AncestorPairs:
        """T(rows[i]) for every i, with the fewest is-a links from rows[i] up to each ancestor.

        Pairs are settled from the deepest ancestor upwards: every way from a row to an ancestor passes deeper
        concepts only, so a pair is final, and expanded once, when its depth is reached.
        """
        n = len(self)
        rows = np.asarray(rows, dtype=np.int64)
        waiting: dict[int, list[tuple[Longs, Longs]]] = {}
        _scatter(waiting, self.depth[rows], np.arange(len(rows)) * n + rows, np.zeros(len(rows), dtype=np.int64))
        keys: list[Longs] = []
        links: list[Longs] = []
        for depth in range(int(self.depth[rows].max(initial=0)), 0, -1):
            arrived = waiting.pop(depth, None)
            if arrived is None:
                continue
            if len(arrived) == 1:
                key, link = arrived[0]
            else:
                key, link = (np.concatenate(part) for part in zip(*arrived, strict=True))
            by = np.lexsort((link, key))
            key, link = key[by], link[by]
            first = np.ones(len(key), dtype=np.bool_)
            first[1:] = key[1:] != key[:-1]
            key, link = key[first], link[first]
            keys.append(key)
            links.append(link)
            concept = key % n
            place, parent = self.parents.gather(concept)
            _scatter(waiting, self.depth[parent], (key - concept)[place] + parent, link[place] + 1)
        if not keys:
            empty = np.zeros(0, dtype=np.int64)
            return AncestorPairs(empty, empty, empty)
        key = np.concatenate(keys)
        return AncestorPairs(key // n, key % n, np.concatenate(links))

    def common_subsumer(self, positions: NDArray[np.integer]) -> int:
        """LCS of a set: the deepest common ancestor; tie: fewest links in all, then smallest position."""
        rows = np.unique(np.asarray(positions, dtype=np.int64))
        marked = self.mark_ancestors(rows)
        nodes = self.in_order(marked)
        below = self.descendant_sums(np.isin(np.arange(len(self)), rows), nodes)
        shared = nodes[np.rint(below[nodes]) == len(rows)]
        deepest = np.sort(shared[self.depth[shared] == self.depth[shared].max()])
        if len(deepest) == 1:
            return int(deepest[0])
        return int(deepest[np.argmin([self._links_down(top, marked)[rows].sum() for top in deepest.tolist()])])

    def _links_down(self, top: int, within: NDArray[np.bool_]) -> Longs:
        """Fewest links from ``top`` down to every concept below it among those marked."""
        links = np.full(len(self), -1, dtype=np.int64)
        frontier, distance = np.array([top]), 0
        while len(frontier):
            links[frontier] = distance
            following = np.unique(self.children.gather(frontier)[1])
            frontier = following[within[following] & (links[following] < 0)]
            distance += 1
        return links

    def minimum_hierarchy(self, positions: NDArray[np.integer]) -> Longs:
        """H(V): the concepts on any is-a path between one of ``positions`` and the LCS of all (T12 def. 5)."""
        below = self.mark_descendants(np.array([self.common_subsumer(positions)]))
        return np.flatnonzero(below & self.mark_ancestors(positions))

    def below(self, position: int) -> tuple[Dag, Longs]:
        """The part at and below ``position`` as a DAG of its own, with the positions its concepts have here."""
        kept = np.flatnonzero(self.mark_descendants(np.array([position])))
        new = np.full(len(self), -1, dtype=np.int64)
        new[kept] = np.arange(len(kept))
        place, parent = self.parents.gather(kept)
        inside = new[parent] >= 0
        inside &= kept[place] != position
        return Dag.build(len(kept), place[inside], new[parent[inside]]), kept


def _fixed(array: Array) -> Array:
    """The array, which from now on cannot be written to."""
    array.setflags(write=False)
    return array


def _scatter(waiting: dict[int, list[tuple[Longs, Longs]]], depth: Ints, key: Longs, link: Longs) -> None:
    """Put each pair into the bucket of its ancestor's depth."""
    for level in np.unique(depth).tolist():
        here = depth == level
        waiting.setdefault(level, []).append((key[here], link[here]) if not here.all() else (key, link))


def _one_cycle(parents: Csr, left: NDArray[np.bool_]) -> list[int]:
    """Walk upwards among the concepts that no level could take: the walk must meet itself."""
    node = int(np.flatnonzero(left)[0])
    met: dict[int, int] = {}
    walk: list[int] = []
    while node not in met:
        met[node] = len(walk)
        walk.append(node)
        node = next(int(p) for p in parents.row(node) if left[p])
    cycle = walk[met[node] :]
    smallest = cycle.index(min(cycle))
    cycle = cycle[smallest:] + cycle[:smallest]
    return [*cycle, cycle[0]]
