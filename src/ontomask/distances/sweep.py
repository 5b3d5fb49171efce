"""Whole tables of distances in a few passes over the ancestor closure.

For a block of columns (concepts y) every concept x of the closure holds one vector over the block: what x and each
y have in common. A concept takes that vector over from its parents and corrects it where it subsumes y itself, so
one pass, parents first, fills the vectors of all concepts. A :class:`Fold` says what is handed down:

=================  =======================================  ==============================================
fold               vector of x at column y                  from the parents p of x
=================  =======================================  ==============================================
SharedAncestors    |T(x) n T(y)|                            first parent's, plus the ancestors it lacks
DeepestCommon      depth and links of the LCS, as one key   max(key[p]) - 1, or anew where x subsumes y
ShortestPath       fewest links between x and y             1 + min, or the links up from y
FewestDown         links down to y from what subsumes both  min, or the links up from y
CheapestPath       least weight between x and y             weight(x) + min, or the weight up from y
RichestCommon      rank of the greatest IC in common        max, or own rank where x subsumes y
=================  =======================================  ==============================================

All of them hold small integers, so results do not depend on how the table is cut into blocks or on the number of
threads. A measure then turns each integer into a distance, mostly by looking it up in a short table.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.arrays import Array
from ontomask.distances.closure import Closure, Step
from ontomask.taxonomy.dag import AncestorPairs

#: (what a fold holds for some rows x block, places of those rows, places of the block's columns) -> distances
Finish = Callable[[Array, NDArray[np.int64], NDArray[np.int64]], NDArray[np.float64]]

#: Bytes that all threads together may use beside the result.
WORKING_MEMORY = 128 * 2**20
#: Cells turned into distances at once; their temporaries stay in the processor's cache.
CELLS = 1 << 16
#: Entries up to which a table of all possible distances is made and looked up; it then fits that cache too.
TABLE_CELLS = 1 << 17


class Fold(ABC):
    """What concepts hand down, for one closure. A fold is shared by threads: it changes nothing in itself."""

    dtype: np.dtype[Any]

    def __init__(self, closure: Closure) -> None:
        self.closure = closure

    @abstractmethod
    def run(self, pairs: AncestorPairs, width: int) -> Array:
        """The vectors of all concepts over one block of ``width`` columns, whose ancestors ``pairs`` lists."""


class SeededFold(Fold):
    """A fold that takes the best of the parents' values, a link's cost added, and its own where x subsumes y itself."""

    best: np.ufunc  #: of two values: maximum or minimum
    #: What is added to the values that each concept takes over; None: nothing.
    cost: Array | None = None

    @abstractmethod
    def seeds(self, pairs: AncestorPairs, width: int) -> Array:
        """The value of x at y where x subsumes y, for every such pair."""

    def run(self, pairs: AncestorPairs, width: int) -> Array:
        held = np.empty((len(self.closure), width), dtype=self.dtype)
        seed = self.seeds(pairs, width).astype(self.dtype)
        held[0, pairs.row[:width]] = seed[:width]  # the root stands first and subsumes every column
        at = np.searchsorted(pairs.concept, [step.begin for step in self.closure.steps] + [len(self.closure)])
        for step, low, high in zip(self.closure.steps, at[:-1], at[1:], strict=True):
            rows = held[step.begin : step.end]
            np.take(held, step.first, axis=0, out=rows, mode="clip")
            for concept, parent in step.others:
                held[concept] = self.best(held[concept], held[parent])
            if self.cost is not None:
                rows += self.cost[step.begin : step.end, None]
            own = pairs.concept[low:high], pairs.row[low:high]
            # In a DAG the way round through another ancestor can be better than the way straight up.
            held[own] = self.best(held[own], seed[low:high])
        return held


def smallest_dtype(largest: int) -> np.dtype[Any]:
    """The smallest signed integer type that holds +-largest."""
    return np.dtype(next(t for t in (np.int8, np.int16, np.int32, np.int64) if largest <= np.iinfo(t).max))


class SharedAncestors(Fold):
    """|T(x) n T(y)|."""

    def __init__(self, closure: Closure) -> None:
        super().__init__(closure)
        largest = int(closure.subsumer_counts.max())
        self.dtype = np.dtype(np.uint8) if largest < 256 else smallest_dtype(largest)
        missing = closure.missing
        self._needed = np.unique(missing.index)  # the concepts some child's first parent lacks
        self._extra = [self._of_step(step) for step in closure.steps]

    def _of_step(self, step: Step) -> list[tuple[Array, Array]]:
        """The k-th missing ancestors of the step's concepts, as (concept, place in ``_needed``)."""
        start = self.closure.missing.start[step.begin : step.end + 1]
        count = np.diff(start)
        found = []
        for k in range(int(count.max(initial=0))):
            more = np.flatnonzero(count > k)
            found.append(
                (step.begin + more, np.searchsorted(self._needed, self.closure.missing.index[start[more] + k]))
            )
        return found

    def run(self, pairs: AncestorPairs, width: int) -> Array:
        held = np.zeros((len(self.closure), width), dtype=self.dtype)
        held[pairs.concept, pairs.row] = 1
        subsumes = held[self._needed]  # 0/1, before they are summed up
        for step, extra in zip(self.closure.steps, self._extra, strict=True):
            held[step.begin : step.end] += held[step.first]
            for concept, needed in extra:
                held[concept] += subsumes[needed]
        return held


class DeepestCommon(SeededFold):
    """``depth * big - links`` of the LCS: its maximum is the deepest common ancestor, then the fewest links."""

    best = np.maximum

    def __init__(self, closure: Closure) -> None:
        super().__init__(closure)
        deepest = int(closure.depth.max())
        self.big = 2 * deepest + 1  # no two concepts have more links to their LCS in all
        self.dtype = smallest_dtype(deepest * self.big + self.big)
        self.cost = np.full(len(closure), -1, dtype=self.dtype)

    def seeds(self, pairs: AncestorPairs, width: int) -> Array:
        return self.closure.depth[pairs.concept] * self.big - pairs.links

    @property
    def keys(self) -> int:
        """How many different keys there can be."""
        return int(self.closure.depth.max()) * self.big + 1

    def depth_and_links(self, key: Array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Depth of the LCS and links to it, from keys."""
        whole = key.astype(np.int64)
        depth = -(-whole // self.big)
        return depth, depth * self.big - whole


class FewestDown(SeededFold):
    """Fewest links down to y from a concept that subsumes both x and y; the way up from x is free."""

    best = np.minimum

    def __init__(self, closure: Closure) -> None:
        super().__init__(closure)
        self.dtype = smallest_dtype(2 * int(closure.depth.max()) + 1)

    def seeds(self, pairs: AncestorPairs, width: int) -> Array:
        return pairs.links


class ShortestPath(FewestDown):
    """Fewest is-a links between x and y through a common ancestor."""

    def __init__(self, closure: Closure) -> None:
        super().__init__(closure)
        self.cost = np.ones(len(closure), dtype=self.dtype)


class CheapestPath(SeededFold):
    """Least total weight between x and y, a link weighing what its child weighs."""

    best = np.minimum
    dtype = np.dtype(np.int64)
    cost: NDArray[np.int64]

    def __init__(self, closure: Closure, weight: NDArray[np.int64]) -> None:
        super().__init__(closure)
        self.cost = weight

    def seeds(self, pairs: AncestorPairs, width: int) -> Array:
        """The least weight from each column up to each of its ancestors.

        Computed from the bottom: the pairs are sorted by place, so those of deeper concepts stand behind.
        """
        size = len(self.closure)
        key = pairs.concept * width + pairs.row
        by = np.argsort(key)
        ordered = key[by]
        climb = np.full(len(key), np.iinfo(np.int64).max // 4)
        climb[pairs.links == 0] = 0
        bounds = np.searchsorted(pairs.concept, [*(step.begin for step in self.closure.steps), size])
        for low, high in zip(bounds[-2::-1], bounds[:0:-1], strict=True):
            if low == high:
                continue
            place, column = pairs.concept[low:high], pairs.row[low:high]
            owner, parent = self.closure.parents.gather(place)
            at = by[np.searchsorted(ordered, parent.astype(np.int64) * width + column[owner])]
            np.minimum.at(climb, at, climb[low:high][owner] + self.cost[place[owner]])
        return climb


class RichestCommon(SeededFold):
    """Rank of the greatest information content among the common ancestors of x and y."""

    best = np.maximum

    def __init__(self, closure: Closure, content: NDArray[np.float64]) -> None:
        super().__init__(closure)
        self.values, rank = np.unique(content, return_inverse=True)
        self._rank = rank.astype(np.int64)
        self.dtype = smallest_dtype(len(self.values))

    def seeds(self, pairs: AncestorPairs, width: int) -> Array:
        return self._rank[pairs.concept]


def sweep(
    fold: Fold,
    rows: NDArray[np.integer],
    columns: NDArray[np.integer],
    finish: Finish,
    *,
    dtype: np.dtype[Any],
    workers: int | None = None,
) -> Array:
    """The table rows x columns (positions in the taxonomy); its blocks of columns are shared out to threads."""
    closure = fold.closure
    at_rows = closure.place(rows)
    result = np.empty((len(rows), len(columns)), dtype=dtype)
    threads = workers or available_cores()
    blocks = _blocks(closure, columns, fold.dtype.itemsize, threads)

    def fill(block: slice) -> None:
        chosen = columns[block]
        held = fold.run(closure.ancestor_pairs(chosen), len(chosen))
        at_columns = closure.place(chosen)
        stride = max(1, CELLS // max(1, len(chosen)))
        for low in range(0, len(rows), stride):
            place = at_rows[low : low + stride]
            result[low : low + stride, block] = finish(held[place], place, at_columns)

    _share_out(fill, blocks, threads)
    return result


def by_rows(
    shape: tuple[int, int],
    rows_of: Callable[[slice], NDArray[np.float64]],
    *,
    dtype: np.dtype[Any],
    workers: int | None = None,
) -> Array:
    """A table whose rows do not depend on each other, filled in blocks of rows that are shared out to threads."""
    result = np.empty(shape, dtype=dtype)
    threads = workers or available_cores()
    height = max(1, (1 << 20) // threads // max(1, shape[1]))

    def fill(block: slice) -> None:
        result[block] = rows_of(block)

    _share_out(fill, [slice(low, min(low + height, shape[0])) for low in range(0, shape[0], height)], threads)
    return result


def _share_out(fill: Callable[[slice], None], blocks: list[slice], threads: int) -> None:
    if threads == 1 or len(blocks) <= 1:
        for block in blocks:
            fill(block)
    else:
        with ThreadPoolExecutor(threads) as pool:
            for _ in pool.map(fill, blocks):
                pass


def available_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _blocks(closure: Closure, columns: NDArray[np.integer], itemsize: int, threads: int) -> list[slice]:
    """Cut the columns so that what ``threads`` blocks need at once fits the working memory."""
    share = WORKING_MEMORY // threads
    # A column needs its vector in every concept, and, while its ancestors are found, some bytes for each.
    cost = len(closure) * itemsize * 1.25 + 160 * closure.depth[closure.place(columns)]
    fair = -(-len(columns) // threads)
    width = int(min(max(1, share // max(1.0, float(cost.mean()))), max(fair, 64)))
    return [slice(low, min(low + width, len(columns))) for low in range(0, len(columns), width)]
