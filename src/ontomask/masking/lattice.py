"""Lattice of full-domain generalizations: every column at one level, and which nodes satisfy the requirements.

A node is a tuple of levels. What is more general than a node that satisfies a monotone model satisfies it too, and what
is more special than one that fails fails too, so a few nodes decide all of them (Incognito, LeFevre et al. 2005; the
search along chains is Flash's, Kohlmayer et al. 2012). Classes at a node are made from those of a more special node that
was evaluated before.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.arrays import Floats, Longs
from ontomask.hierarchies.levels import ColumnLevels
from ontomask.kernels.generalization import classes_at, pairs_in_order
from ontomask.privacy.judges import ClassRows, Judge
from ontomask.privacy.units import RECORDS, Units
from ontomask.progress import Progress

Node = tuple[int, ...]

#: How many nodes' rows are remembered.
SNAPSHOTS = 512


@dataclass(frozen=True, eq=False)
class Rows:
    """Distinct rows: ``codes`` of the quasi-identifiers, how many records each has, codes of sensitive columns.

    ``owners`` gives what models count; where that is not records, the units of each row. It is asked when they are counted:
    the classes of most nodes have too few records already.
    """

    codes: NDArray[np.int32]
    weights: Longs
    sensitive: Mapping[str, Longs]
    owners: Callable[[], Units] = lambda: RECORDS

    def __len__(self) -> int:
        return len(self.weights)

    @cached_property
    def units(self) -> Units:
        return self.owners()

    def merged(self, of: Longs, first: Longs) -> Rows:
        """Rows that belong together as one; ``first`` stands for each."""
        weights = np.bincount(of, weights=self.weights).astype(np.int64)
        sensitive = {name: code[first] for name, code in self.sensitive.items()}
        joined = of.astype(np.int32)
        codes = np.ascontiguousarray(self.codes[:, first])
        return Rows(codes, weights, sensitive, lambda: self.units.joined(joined, first))


@dataclass(frozen=True, eq=False)
class NodeResult:
    """The result of evaluating a node: its classes of rows, which of them fail, and how many records these have.

    Where more fail than are allowed, others may fail, too.
    """

    rows: Rows
    of: Longs
    sizes: Longs
    first: Longs
    fails: NDArray[np.bool_]

    @cached_property
    def failing(self) -> int:
        return int(self.sizes[self.fails].sum())


class Lattice:
    """All nodes over the distinct rows of a table; at most ``allowed`` records may be in failing classes."""

    def __init__(self, hierarchies: Sequence[ColumnLevels], rows: Rows, allowed: int) -> None:
        self.hierarchies, self.rows, self.allowed = hierarchies, rows, allowed
        self.shape = tuple(len(hierarchy) for hierarchy in hierarchies)
        self.n = int(rows.weights.sum())
        p = len(rows)
        groups = [[level.group for level in hierarchy.levels] for hierarchy in hierarchies]
        self._maps = np.concatenate([group for column in groups for group in column]).astype(np.int32)
        starts = np.cumsum([0, *(len(group) for column in groups for group in column)])
        self._starts = np.split(starts[:-1], np.cumsum([len(column) for column in groups])[:-1])
        self._widths = [[len(level) for level in hierarchy.levels] for hierarchy in hierarchies]
        room = 1 << int(np.ceil(np.log2(max(2 * p, 16))))
        self._room = (np.zeros(p, np.int64), np.zeros(room, np.int64), np.zeros(room, np.int32))
        self._snapshots = [rows]
        self._nodes = np.full((SNAPSHOTS, len(self.shape)), np.iinfo(np.int64).max)
        self._nodes[0] = 0
        self._lengths = np.full(SNAPSHOTS, p)
        self._evaluated: set[Node] = set()

    @property
    def count(self) -> int:
        """How many nodes there are."""
        return int(np.prod(self.shape))

    @property
    def evaluated(self) -> int:
        """How many nodes were evaluated."""
        return len(self._evaluated)

    # ---- evaluating a node ------------------------------------------------------------------------------------------

    def evaluate(self, node: Node, judges: Sequence[Judge]) -> NodeResult:
        """Classes of a node, and which fail one of the judges."""
        self._evaluated.add(node)
        below = (self._nodes[: len(self._snapshots)] <= node).all(axis=1)
        lengths = np.where(below, self._lengths[: len(self._snapshots)], len(self.rows) + 1)
        result = self._evaluate(node, judges, self._snapshots[int(np.argmin(lengths))])
        if result.failing > self.allowed:  # what is above a node that satisfies is never evaluated
            self._keep(node, result)
        return result

    def evaluate_exact(self, node: Node, judges: Sequence[Judge]) -> NodeResult:
        """The same with the classes of all rows, none of them merged before."""
        return self._evaluate(node, judges, self.rows)

    def _evaluate(self, node: Node, judges: Sequence[Judge], rows: Rows) -> NodeResult:
        of, records, first = self._classes(node, rows)
        sizes = [judge.class_size for judge in judges]
        enough = max((size for size in sizes if size is not None), default=0)
        # A class has at most as many units as records: often these are too few already, and nothing else need be counted.
        fails = records < enough
        early = NodeResult(rows, of, records, first, fails)
        if early.failing > self.allowed:
            return early
        classes = self._as_judged(node, rows, of, records, first, enough=None if None in sizes else enough)
        for judge in judges:
            fails |= judge.fails(judge.figures(classes))
        return NodeResult(rows, of, records, first, fails)

    def figures(self, node: Node, judge: Judge) -> Floats:
        """The figure of each class of a node."""
        return judge.figures(self._as_judged(node, self.rows, *self._classes(node, self.rows)))

    def _as_judged(
        self, node: Node, rows: Rows, of: Longs, records: Longs, first: Longs, *, enough: int | None = None
    ) -> ClassRows:
        """The classes of a node as judges see them, to whom a class of ``enough`` units may be one of more."""
        sizes = records if rows.units.of is None else rows.units.sizes(of, len(records), enough=enough)

        def shown() -> Longs:
            columns = zip(rows.codes, self.hierarchies, node, strict=True)
            return np.array([a.levels[level].group[codes[first]] for codes, a, level in columns], dtype=np.int64)

        return ClassRows(of, sizes, rows.weights, rows.sensitive, shown, rows.units)

    def _keep(self, node: Node, result: NodeResult) -> None:
        """Remember the rows of a node where there are far fewer than before: its successors are made from them."""
        rows, of, first = result.rows, result.of, result.first
        if 3 * len(first) > 2 * len(rows) or len(self._snapshots) == SNAPSHOTS:
            return
        apart = () if self.rows.units.apart is None else (rows.units.apart,)
        # Rows that differ in what judges look at cannot be merged.
        for code in (*rows.sensitive.values(), *apart):
            of, first = distinct_pairs(of, len(first), code)
        if 3 * len(first) > 2 * len(rows):
            return
        self._nodes[len(self._snapshots)] = node
        self._lengths[len(self._snapshots)] = len(first)
        self._snapshots.append(rows.merged(of, first))

    def _classes(self, node: Node, rows: Rows) -> tuple[Longs, Longs, Longs]:
        """The class of each row, and of each class its records and its first row."""
        widths = [by_level[level] for by_level, level in zip(self._widths, node, strict=True)]
        of, sizes, first = np.empty((3, len(rows)), dtype=np.int64)
        if math.prod(widths) < 2**62:
            radix = np.array([1, *accumulate(widths[:-1], operator.mul)], dtype=np.int64)
            radix[np.array(widths) == 1] = 0  # what is the same everywhere need not be looked at
            map_at = np.array([starts[level] for starts, level in zip(self._starts, node, strict=True)])
            count = classes_at(rows.codes, rows.weights, self._maps, map_at, radix, *self._room, of, sizes, first)
            return of, sizes[:count], first[:count]
        key = np.zeros(len(rows), dtype=np.int64)
        for codes, hierarchy, index in zip(rows.codes, self.hierarchies, node, strict=True):
            level = hierarchy.levels[index]
            key = np.unique(key * len(level) + level.group[codes], return_inverse=True)[1]
        _, first, of = np.unique(key, return_index=True, return_inverse=True)
        return of, np.bincount(of, weights=rows.weights).astype(np.int64), first

    # ---- which nodes satisfy monotone models -----------------------------------------------------------------------

    @property
    def top(self) -> Node:
        return tuple(size - 1 for size in self.shape)

    def frontier(
        self, judges: Sequence[Judge], progress: Progress, seen: Callable[[Node, NodeResult], None] | None = None
    ) -> NDArray[np.bool_]:
        """For every node: does it satisfy the judges, all of them monotone? ``seen`` is called with every one that does."""
        holds, fails = np.zeros(self.shape, dtype=np.bool_), np.zeros(self.shape, dtype=np.bool_)

        def decide(node: Node) -> bool:
            if holds[node] or fails[node]:
                return bool(holds[node])
            result = self.evaluate(node, judges)
            good = result.failing <= self.allowed
            if good:
                if seen is not None:
                    seen(node, result)
                holds[tuple(slice(level, None) for level in node)] = True
            else:
                fails[tuple(slice(None, level + 1) for level in node)] = True
            return good

        if not decide(self.top):
            return holds
        # One or two columns, the others at their top: few classes, and a failure rules out whole regions.
        for width in (1, 2):
            for some in combinations(range(len(self.shape)), width):
                self._decide_columns(some, decide)
            progress(0.1 * width, "evaluating one and two columns")
        while True:
            open_ = np.flatnonzero(~(holds | fails))
            if not len(open_):
                return holds
            progress(1 - 0.8 * len(open_) / holds.size, "evaluating nodes")
            self._decide_chain(np.unravel_index(open_[0], self.shape), holds, fails, decide)

    def _decide_columns(self, some: Sequence[int], decide: Any) -> None:
        """Every node of some columns, the others at their top: the most special, whose classes make those of the others, and
        then from the most general on."""
        decide(tuple(0 if a in some else level for a, level in enumerate(self.top)))
        levels = [range(self.shape[a] - 1, -1, -1) for a in some]
        for chosen in np.ndindex(*(len(range_) for range_ in levels)):
            node = list(self.top)
            for a, range_, i in zip(some, levels, chosen, strict=True):
                node[a] = range_[i]
            decide(tuple(node))

    def _decide_chain(self, start: Any, holds: Any, fails: Any, decide: Any) -> None:
        """A chain of open nodes upwards from one of them, decided by bisection."""
        node = tuple(int(level) for level in start)
        chain = [node]
        while True:
            above = [(*node[:a], node[a] + 1, *node[a + 1 :]) for a in range(len(node)) if node[a] + 1 < self.shape[a]]
            above = [other for other in above if not holds[other] and not fails[other]]
            if not above:
                break
            node = above[len(chain) % len(above)]
            chain.append(node)
        low, high = 0, len(chain)
        while low < high:
            middle = (low + high) // 2
            if decide(chain[middle]):
                high = middle
            else:
                low = middle + 1

    # ---- loss --------------------------------------------------------------------------------------------------------

    def bounds(self, by_code: Sequence[Sequence[Floats]]) -> Floats:
        """For every node the mean loss of a record with nothing suppressed, from the loss of each code at each level.

        Suppressed records count 1, which no generalization exceeds: a bound from below.
        """
        total = np.zeros(self.shape)
        for a, (hierarchy, levels) in enumerate(zip(self.hierarchies, by_code, strict=True)):
            counts = np.bincount(self.rows.codes[a], weights=self.rows.weights, minlength=len(hierarchy.column))
            shape = [1] * len(self.shape)
            shape[a] = len(levels)
            total += np.array([float((counts * cost).sum()) for cost in levels]).reshape(shape)
        return total / (self.n * len(self.hierarchies))

    def loss(self, node: Node, result: NodeResult, by_code: Sequence[Sequence[Floats]], bound: float) -> float:
        """The mean loss of a record: of its values as generalized, 1 if it is suppressed.

        ``bound`` is what it is with nothing suppressed. Of a class whose rows were merged one row stands for all: right
        where values of one group lose the same.
        """
        out = np.flatnonzero(result.fails)
        sizes, rows = result.sizes[out], result.first[out]
        total = np.zeros(len(out))
        for codes, levels, level in zip(result.rows.codes, by_code, node, strict=True):
            total += levels[level][codes[rows]]
        return bound + float((sizes * (1.0 - total / len(self.hierarchies))).sum()) / self.n

    def loss_of_rows(self, node: Node, result: NodeResult, by_code: Sequence[Sequence[Floats]]) -> float:
        """The same row by row."""
        total = np.zeros(len(result.rows))
        for codes, levels, level in zip(result.rows.codes, by_code, node, strict=True):
            total += levels[level][codes]
        each = np.where(result.fails[result.of], 1.0, total / len(self.hierarchies))
        return float((result.rows.weights * each).sum() / self.n)

    @cached_property
    def heights(self) -> Longs:
        """The sum of levels of every node."""
        heights: Longs = np.add.reduce(np.indices(self.shape), axis=0)
        return heights


def distinct_pairs(of: Longs, classes: int, code: Longs) -> tuple[Longs, Longs]:
    """Rows of one class and one code as one, in the order of both: where each row belongs, and the first row of each."""
    ends = np.zeros(max(classes, int(code.max(initial=0)) + 1) + 1, dtype=np.int64)
    order, into, first = np.empty((3, len(of)), dtype=np.int64)
    found = pairs_in_order(of, code, ends, order, into, first)
    return into, first[:found]


def minimal(holds: NDArray[np.bool_]) -> list[Node]:
    """The nodes that satisfy with no predecessor that does, in order."""
    least = holds.copy()
    for axis in range(holds.ndim):
        here = [slice(None)] * holds.ndim
        below = [slice(None)] * holds.ndim
        here[axis], below[axis] = slice(1, None), slice(None, -1)
        least[tuple(here)] &= ~holds[tuple(below)]
    return [tuple(int(level) for level in node) for node in zip(*np.nonzero(least), strict=True)]
