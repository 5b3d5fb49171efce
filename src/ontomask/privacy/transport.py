"""Earth mover's distances between the values of classes and those of the whole table (Li et al. 2007; specification 8).

Each ground distance is a small object with ``distances(pairs)``: for every class the least cost of turning its
distribution into that of the whole. Classes are given sparsely, as the distinct :class:`Pairs` of class and value with
what is counted in each (:mod:`ontomask.privacy.units`), so the cost depends on what occurs and not on classes times values.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.arrays import Floats, Longs
from ontomask.errors import DataError
from ontomask.kernels.transport import transport_costs

#: Steps of the transport problem that may be taken: some minutes.
MOST_WORK = 6e10
#: More than rounding can make of a distance.
ROUNDING = 1e-9


class Pairs:
    """The distinct pairs of class and value, sorted, with how much each weighs: a number of records, or parts of units."""

    def __init__(self, of: Longs, code: Longs, values: int, weights: NDArray[Any] | None = None) -> None:
        key = of * values + code
        room = (int(of.max(initial=0)) + 1) * values
        if room <= 4 * len(key) + 2**20:  # counting is faster than sorting where there is room for all pairs
            every = np.bincount(key, weights=weights, minlength=room)
            distinct = np.flatnonzero(every != 0)  # of truth values they are found twice as fast as of numbers
            counts = every[distinct]
        else:
            distinct, place = np.unique(key, return_inverse=True)
            counts = np.bincount(place, weights=weights)
        self.of = distinct // values
        self.code = distinct - self.of * values
        self.counts: NDArray[Any] = counts.astype(np.int64 if weights is None else weights.dtype)
        self.starts = np.flatnonzero(np.diff(self.of, prepend=-1) != 0)

    @cached_property
    def sizes(self) -> NDArray[Any]:
        """What is counted in each class."""
        return np.add.reduceat(self.counts, self.starts)

    @cached_property
    def share(self) -> Floats:
        """The part of each pair in its class."""
        share: Floats = self.counts / np.repeat(self.sizes, np.diff(np.append(self.starts, len(self.of))))
        return share

    def __len__(self) -> int:
        """Classes."""
        return len(self.starts)

    def sums(self, figures: Floats) -> Floats:
        """Figures of pairs, added up by class."""
        return np.add.reduceat(figures, self.starts)


def least_after(figures: Floats, joined: float, grounds: Iterable[Any]) -> Floats:
    """What distances of classes are at least after others joined them, which are then a part ``joined`` of their records.

    A class can be turned into the whole as it then is, at no more than its own cost, but for that part, which is moved by no
    more than the largest distance there is. A little is taken off for rounding.
    """
    largest: float = max(ground.largest for ground in grounds)
    return figures - joined * largest - ROUNDING


class EqualGround:
    """Any two values are at 1: half the sum of the differences (the variational distance)."""

    largest = 1.0

    def __init__(self, whole: Floats) -> None:
        self.whole = whole

    def distances(self, pairs: Pairs) -> Floats:
        return pairs.sums(np.maximum(pairs.share - self.whole[pairs.code], 0.0))


class OrderedGround:
    """Values in an order, the i-th and the j-th at |i - j| / (m - 1): sum |P(i) - Q(i)| / (m - 1).

    ``whole`` and the codes of pairs are in that order. P is constant between two values of a class and Q grows, so each
    stretch is two sums of Q.
    """

    largest = 1.0

    def __init__(self, whole: Floats) -> None:
        self.values = len(whole)
        self.upto = np.cumsum(whole)
        self.running = np.concatenate(([0.0], np.cumsum(self.upto)))

    def distances(self, pairs: Pairs) -> Floats:
        if self.values < 2:
            return np.zeros(len(pairs))
        place, first = pairs.code, pairs.starts
        last = np.append(first[1:], len(place)) - 1
        running, lengths = np.cumsum(pairs.counts), np.diff(np.append(first, len(place)))  # whole numbers: exact
        seen = running - np.repeat(running[first] - pairs.counts[first], lengths)
        reached = seen / np.repeat(pairs.sizes, lengths)
        reached[last] = 1.0
        stop = np.append(place[1:], self.values)
        stop[last] = self.values
        stretches = self._between(place, stop, reached)
        # Before the first value of a class nothing of it was reached.
        stretches[first] += self._between(np.zeros_like(first), place[first], np.zeros(len(first)))
        total: Floats = np.add.reduceat(stretches, first) / (self.values - 1)
        return total

    def _between(self, begin: Longs, end: Longs, reached: Floats) -> Floats:
        """sum |P - Q(i)| for i from begin up to end, where P is the same."""
        cross = np.clip(np.searchsorted(self.upto, reached), begin, end)
        below = reached * (cross - begin) - (self.running[cross] - self.running[begin])
        above = (self.running[end] - self.running[cross]) - reached * (end - cross)
        sums: Floats = below + above
        return sums


class LineGround:
    """Numbers, s and s' at |s - s'| / ``length``: sum over the gaps between numbers of gap times |P - Q| below it.

    ``counts``: how often the whole table has each of the ``values``, which ascend; a class may have values that it has not.
    """

    def __init__(self, counts: NDArray[Any], values: Floats, length: float) -> None:
        self.upto = np.cumsum(counts) / counts.sum()
        self.gaps = np.diff(values) / length
        self.largest = float(self.gaps.sum())

    def __len__(self) -> int:
        """Values."""
        return len(self.upto)

    def distances(self, pairs: Pairs) -> Floats:
        place = np.cumsum(np.diff(pairs.of, prepend=-1) != 0) - 1
        seen, total = np.zeros(len(pairs), dtype=pairs.counts.dtype), np.zeros(len(pairs))
        for value, gap in enumerate(self.gaps):
            here = pairs.code == value
            seen[place[here]] += pairs.counts[here]  # a class has each value once: whole numbers, exact
            total += gap * np.abs(seen / pairs.sizes - self.upto[value])
        return total


class TreeGround:
    """Values at the leaves of a tree with lengths: the sum over its edges of length times |P - Q| below the edge.

    ``above[v]`` are the edges between value v and the root, ``length`` of each edge.
    """

    def __init__(self, whole: Floats, above: Sequence[Longs], length: Floats) -> None:
        from scipy.sparse import csr_array  # late: it takes 0.15 s to load

        self.length = length
        edges = np.concatenate([np.asarray(a, dtype=np.int64) for a in above])
        at = np.concatenate(([0], np.cumsum([len(a) for a in above])))
        self.above = csr_array((np.ones(len(edges)), edges, at), shape=(len(above), len(length)))
        self.largest = 2 * float((self.above @ length).max(initial=0.0))
        self.below: Floats = np.asarray(whole @ self.above)
        self.base = float((length * self.below).sum())  # what it costs where a class has nothing below an edge

    def distances(self, pairs: Pairs) -> Floats:
        from scipy.sparse import csr_array  # late: it takes 0.15 s to load

        at = np.append(pairs.starts, len(pairs.of))
        shares = csr_array((pairs.share, pairs.code, at), shape=(len(pairs), self.above.shape[0]))
        reached = (shares @ self.above).tocsr()
        below = self.below[reached.indices]
        cost = self.length[reached.indices] * (np.abs(reached.data - below) - below)
        sums = np.zeros(len(pairs))
        some = np.flatnonzero(np.diff(reached.indptr))  # a class at the root alone has no edge above it
        if len(some):
            sums[some] = np.add.reduceat(cost, reached.indptr[some])
        total: Floats = np.maximum(self.base + sums, 0.0)
        return total


class TableGround:
    """Any table of distances: the transport problem itself, solved exactly for each class.

    A class of one value is a sum; equal classes are solved once.
    """

    def __init__(self, counts: NDArray[Any], table: Floats) -> None:
        self.counts, self.table = counts, np.ascontiguousarray(table, dtype=np.float64)
        self.largest = float(self.table.max(initial=0.0))
        self.alone = self.table @ (counts / counts.sum())

    def distances(self, pairs: Pairs) -> Floats:
        found = pairs.sums(pairs.share * self.alone[pairs.code])
        ends = np.append(pairs.starts[1:], len(pairs.of))
        first: dict[bytes, int] = {}
        several = np.flatnonzero(ends - pairs.starts > 1)
        same = np.empty(len(several), dtype=np.int64)
        for place, c in enumerate(several):
            part = slice(pairs.starts[c], ends[c])
            same[place] = first.setdefault(pairs.code[part].tobytes() + pairs.counts[part].tobytes(), len(first))
        if len(several):
            _require_whole(self.counts, pairs.counts)
            self._require_time(ends[several] - pairs.starts[several])
            chosen = several[np.unique(same, return_index=True)[1]]
            rows = np.concatenate([np.arange(pairs.starts[c], ends[c]) for c in chosen])
            starts = np.concatenate(([0], np.cumsum(ends[chosen] - pairs.starts[chosen])))
            costs = np.empty(len(chosen))
            transport_costs(self.table, self.counts, starts, pairs.code[rows], pairs.counts[rows], costs)
            found[several] = costs[same]
        return found

    def _require_time(self, sizes: Longs) -> None:
        """The work grows with the square of the number of values: refuse what would take longer than some minutes."""
        values = len(self.table)
        work = float((sizes * values * (sizes + values)).sum())
        if work > MOST_WORK:
            raise DataError(
                f"the distance of {len(sizes):,} classes over {values:,} values would take very long",
                remedy="Choose ground='hierarchical', or a sensitive column of fewer values.",
            )


def _require_whole(*masses: NDArray[Any]) -> None:
    """Masses are whole numbers, as the transport problem is solved in them."""
    if any(mass.dtype.kind == "f" for mass in masses):
        raise DataError(
            "the distance of classes cannot be computed: too many different numbers of records belong to one unit",
            remedy="Choose ground='equal' or ground='ordered', or count records.",
        )
