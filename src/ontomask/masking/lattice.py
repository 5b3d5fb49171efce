"""The lattice of full-domain generalizations: every column at one of its levels; which nodes satisfy what is required.

A node is a tuple of levels. What is more general than a node that satisfies a monotone model satisfies it too, and what
is more special than one that fails fails too, so a few nodes settle all of them (Incognito, LeFevre et al. 2005; the
search along chains is Flash's, Kohlmayer et al. 2012). Classes at a node are made from those of a more special node that
was looked at before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.hierarchies.ladder import Ladder
from ontomask.privacy.models import ClassRows, Judge
from ontomask.progress import Progress

Node = tuple[int, ...]
Longs = NDArray[np.int64]
Floats = NDArray[np.float64]

#: How many nodes' rows are remembered.
SNAPSHOTS = 256


@dataclass(frozen=True, eq=False)
class Look:
    """What a node looks like: classes of rows, which of them fail, and how many records these have."""

    rows: Longs
    of: Longs
    sizes: Longs
    first: Longs
    fails: NDArray[np.bool_]

    @property
    def failing(self) -> int:
        return int(self.sizes[self.fails].sum())


class Lattice:
    """All nodes over the distinct rows of a table.

    ``codes[a, r]``: the quasi-identifiers of the distinct rows, ``weights`` their records, ``sensitive`` other codes that
    judges look at. ``allowed``: how many records may be in failing classes.
    """

    def __init__(
        self,
        ladders: Sequence[Ladder],
        codes: NDArray[np.int32],
        weights: Longs,
        sensitive: Mapping[str, Longs],
        allowed: int,
    ) -> None:
        self.ladders, self.weights, self.sensitive, self.allowed = ladders, weights, sensitive, allowed
        self.shape = tuple(len(ladder) for ladder in ladders)
        self.codes = np.ascontiguousarray(codes, dtype=np.int32)
        self.n = int(weights.sum())
        p = len(weights)
        rungs = [[rung.group for rung in ladder.rungs] for ladder in ladders]
        self.maps = np.concatenate([group for column in rungs for group in column]).astype(np.int32)
        starts = np.cumsum([0, *(len(group) for column in rungs for group in column)])
        self.starts = np.split(starts[:-1], np.cumsum([len(column) for column in rungs])[:-1])
        room = 1 << int(np.ceil(np.log2(max(2 * p, 16))))
        self._table = (np.zeros(room, np.int64), np.zeros(room, np.int64), np.zeros(room + 1, np.int64))
        self._snapshots: list[tuple[Longs, Longs]] = [(np.arange(p), weights)]
        self._nodes = np.full((SNAPSHOTS, len(self.shape)), np.iinfo(np.int64).max)
        self._nodes[0] = 0
        self._lengths = np.full(SNAPSHOTS, p)
        self._combined = self._combine()
        self.looked = 0

    def _combine(self) -> NDArray[np.int32]:
        """All sensitive columns as one code of each row: rows that differ in it cannot be merged."""
        key = np.zeros(len(self.weights), dtype=np.int64)
        for code in self.sensitive.values():
            key = np.unique(key * (int(code.max(initial=0)) + 1) + code, return_inverse=True)[1]
        return key.astype(np.int32)

    # ---- looking at a node -----------------------------------------------------------------------------------------

    def look(self, node: Node, judges: Sequence[Judge]) -> Look:
        """Classes of a node, and which fail one of the judges."""
        rows, weights = self._best(node)
        of, sizes, first = self._classes(node, rows, weights)
        codes = {name: code[rows] for name, code in self.sensitive.items()}
        together = ClassRows(of, sizes, weights, codes)
        fails = np.zeros(len(sizes), dtype=np.bool_)
        for judge in judges:
            fails |= judge.fails(judge.figures(together))
        self.looked += 1
        self._keep(node, rows, weights, of, first)
        return Look(rows, of, sizes, first, fails)

    def _best(self, node: Node) -> tuple[Longs, Longs]:
        """The fewest rows that tell the classes of a node: those of a more special one."""
        below = (self._nodes[: len(self._snapshots)] <= np.array(node)).all(axis=1)
        lengths = np.where(below, self._lengths[: len(self._snapshots)], len(self.weights) + 1)
        return self._snapshots[int(np.argmin(lengths))]

    def _keep(self, node: Node, rows: Longs, weights: Longs, of: Longs, first: Longs) -> None:
        """Remember the rows of a node where there are far fewer than before."""
        if 2 * len(first) > len(rows) or len(self._snapshots) == SNAPSHOTS:
            return
        if self.sensitive:
            key = of * (int(self._combined.max(initial=0)) + 1) + self._combined[rows]
            _, place, of = np.unique(key, return_index=True, return_inverse=True)
            first = rows[place]
            if 2 * len(first) > len(rows):
                return
        self._nodes[len(self._snapshots)] = node
        self._lengths[len(self._snapshots)] = len(first)
        self._snapshots.append((first, np.bincount(of, weights=weights).astype(np.int64)))

    def _classes(self, node: Node, rows: Longs, weights: Longs) -> tuple[Longs, Longs, Longs]:
        from ontomask.kernels.lattice import classes_at

        sizes_of = [len(ladder.rungs[level]) for ladder, level in zip(self.ladders, node, strict=True)]
        of, sizes, first = (np.empty(len(rows), dtype=np.int64) for _ in range(3))
        if float(np.prod(np.array(sizes_of, dtype=np.float64))) < 2**62:
            radix = np.cumprod([1, *sizes_of[:-1]]).astype(np.int64)
            map_at = np.array([starts[level] for starts, level in zip(self.starts, node, strict=True)], dtype=np.int64)
            count = classes_at(self.codes, rows, weights, self.maps, map_at, radix, *self._table, of, sizes, first)
            return of, sizes[:count], first[:count]
        key = np.zeros(len(rows), dtype=np.int64)
        for a, (ladder, level) in enumerate(zip(self.ladders, node, strict=True)):
            rung = ladder.rungs[level]
            key = np.unique(key * len(rung) + rung.group[self.codes[a, rows]], return_inverse=True)[1]
        _, places, of = np.unique(key, return_index=True, return_inverse=True)
        return of, np.bincount(of, weights=weights).astype(np.int64), rows[places]

    # ---- which nodes satisfy monotone models -----------------------------------------------------------------------

    @property
    def top(self) -> Node:
        return tuple(size - 1 for size in self.shape)

    def frontier(self, judges: Sequence[Judge], progress: Progress) -> NDArray[np.bool_]:
        """For every node: does it satisfy the judges, all of them monotone? The top must."""
        holds, fails = np.zeros(self.shape, dtype=np.bool_), np.zeros(self.shape, dtype=np.bool_)

        def settle(node: Node) -> bool:
            if holds[node] or fails[node]:
                return bool(holds[node])
            good = self.look(node, judges).failing <= self.allowed
            if good:
                holds[tuple(slice(level, None) for level in node)] = True
            else:
                fails[tuple(slice(None, level + 1) for level in node)] = True
            return good

        if not settle(self.top):
            return holds
        # One or two columns, the others at their top: few classes, and a failure rules out whole regions.
        for width in (1, 2):
            for some in combinations(range(len(self.shape)), width):
                self._settle_columns(some, settle)
            progress(0.1 * width, "looking at one and two columns")
        while True:
            open_ = np.flatnonzero(~(holds | fails))
            if not len(open_):
                return holds
            progress(1 - 0.8 * len(open_) / holds.size, "looking at nodes")
            self._settle_chain(np.unravel_index(open_[0], self.shape), holds, fails, settle)

    def _settle_columns(self, some: Sequence[int], settle: Any) -> None:
        """Every node of some columns, the others at their top, the most general first."""
        levels = [range(self.shape[a] - 1, -1, -1) for a in some]
        for chosen in np.ndindex(*(len(range_) for range_ in levels)):
            node = list(self.top)
            for a, range_, i in zip(some, levels, chosen, strict=True):
                node[a] = range_[i]
            settle(tuple(node))

    def _settle_chain(self, start: Any, holds: Any, fails: Any, settle: Any) -> None:
        """A chain of open nodes upwards from one of them, settled by halving it."""
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
            if settle(chain[middle]):
                high = middle
            else:
                low = middle + 1

    # ---- loss --------------------------------------------------------------------------------------------------------

    def bounds(self, by_code: Sequence[Sequence[Floats]]) -> Floats:
        """For every node the mean loss of a record with nothing suppressed, from the loss of each code at each level.

        Suppressed records count 1, which no generalization exceeds: a bound from below.
        """
        total = np.zeros(self.shape)
        for a, (ladder, levels) in enumerate(zip(self.ladders, by_code, strict=True)):
            counts = np.bincount(self.codes[a], weights=self.weights, minlength=len(ladder.column))
            mean = [float((counts * cost).sum()) for cost in levels]
            shape = [1] * len(self.shape)
            shape[a] = len(mean)
            total += np.array(mean).reshape(shape)
        return total / (self.n * len(self.ladders))

    def loss(self, node: Node, look: Look, costs: Sequence[Sequence[Floats]]) -> float:
        """The mean loss of a record: of its values as generalized, 1 if it is suppressed."""
        total = np.zeros(len(look.sizes))
        for a, (ladder, by_level, level) in enumerate(zip(self.ladders, costs, node, strict=True)):
            total += by_level[level][ladder.rungs[level].group[self.codes[a, look.first]]]
        each = np.where(look.fails, 1.0, total / len(self.ladders))
        return float((look.sizes * each).sum() / self.n)

    def loss_by_code(self, node: Node, judges: Sequence[Judge], by_code: Sequence[Sequence[Floats]]) -> float:
        """The same where values of one group lose differently: over all rows."""
        of, fails = self.all_classes(node, judges)
        total = np.zeros(len(self.weights))
        for a, (levels, level) in enumerate(zip(by_code, node, strict=True)):
            total += levels[level][self.codes[a]]
        each = np.where(fails[of], 1.0, total / len(self.ladders))
        return float((self.weights * each).sum() / self.n)

    def all_classes(self, node: Node, judges: Sequence[Judge]) -> tuple[Longs, NDArray[np.bool_]]:
        """The class of every row, and which classes fail."""
        rows = np.arange(len(self.weights))
        of, sizes, _ = self._classes(node, rows, self.weights)
        fails = np.zeros(len(sizes), dtype=np.bool_)
        for judge in judges:
            fails |= judge.fails(judge.figures(ClassRows(of, sizes, self.weights, self.sensitive)))
        return of, fails

    def figures(self, node: Node, judge: Judge) -> Floats:
        """The figure of each class of a node."""
        of, sizes, _ = self._classes(node, np.arange(len(self.weights)), self.weights)
        return judge.figures(ClassRows(of, sizes, self.weights, self.sensitive))

    @property
    def count(self) -> int:
        """How many nodes there are."""
        return int(np.prod(self.shape))

    @cached_property
    def heights(self) -> Longs:
        """The sum of levels of every node."""
        heights: Longs = np.add.reduce(np.indices(self.shape), axis=0)
        return heights


def minimal(holds: NDArray[np.bool_]) -> list[Node]:
    """The nodes that satisfy with no predecessor that does, in order."""
    least = holds.copy()
    for axis in range(holds.ndim):
        here = [slice(None)] * holds.ndim
        below = [slice(None)] * holds.ndim
        here[axis], below[axis] = slice(1, None), slice(None, -1)
        least[tuple(here)] &= ~holds[tuple(below)]
    return [tuple(int(level) for level in node) for node in zip(*np.nonzero(least), strict=True)]
