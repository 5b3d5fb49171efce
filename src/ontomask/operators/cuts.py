"""Cuts that divide tuples into blocks of bounded size, by meaning and magnitude, where few near tuples are separated.

A cut is a value of one column: numbers up to it are on one side, and so are nominal values up to it in taxonomy order, in
which the values of a branch stand side by side, and the more frequent values of a flat column. Which side a tuple is on
depends on its own values alone: the cuts, a small tree, are all that anyone needs to know to say in which block it is.

Each part is cut where the fewest pairs of near tuples are separated for what the cut contributes: the pairs, divided by the
entropy of the sizes of both sides. Cut at the median of the column that varies most (MONA: Thaeter & Reischuk, SECRYPT 2021),
groups would be divided that are near in all other columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ontomask.arrays import Floats, Ints, Longs
from ontomask.microdata.column_distance import ColumnDistance
from ontomask.microdata.encoding import Tuples
from ontomask.operators.neighbours import Neighbours

#: Tuples of a part, with all that are near them, that a cut is chosen from.
SAMPLE = 1 << 14
#: The smaller side of a cut is at least this part of both, if there is such a cut.
SHARE = 0.1


@dataclass(frozen=True, eq=False)
class Line:
    """Where the values of a column stand in a line: at their ``places``, by code; None: numbers, which stand where they are."""

    places: Floats | None

    @staticmethod
    def of(tuples: Tuples, metric: ColumnDistance, column: int) -> Line:
        own = tuples.columns[column]
        if metric.on_line:
            return Line(None)
        raw, home = metric.rows(own)
        if raw is not None:
            return Line(home.astype(np.float64))
        frequent = np.argsort(-own.counts, kind="stable")
        places = np.empty(len(own))
        places[frequent] = np.arange(len(own))
        return Line(places)

    def stand(self, tuples: Tuples, column: int) -> Floats:
        """Where the value of each tuple stands; missing numbers behind all others."""
        codes, own = tuples.codes[column], tuples.columns[column]
        places = self.places
        if places is None:
            centres = own.centre_of_code
            places = np.where(own.is_missing(centres), np.inf, centres.astype(np.float64))
        stand: Floats = places[codes]
        return stand


@dataclass(frozen=True, eq=False)
class Cuts:
    """A tree of cuts. Cut c has a tuple below if its place in ``column[c]`` is at most ``limit[c]``.

    ``below[c]`` and ``above[c]``: the cut that comes next; -b - 1: none, it is in block b.
    """

    lines: Sequence[Line]
    column: Longs
    limit: Floats
    below: Longs
    above: Longs

    @property
    def blocks(self) -> int:
        return len(self.column) + 1

    def block_of(self, tuples: Tuples) -> Ints:
        """The block of each tuple of this table, or of another one with the same columns."""
        block = np.zeros(tuples.p, dtype=np.int32)
        stands = {a: line.stand(tuples, a) for a, line in enumerate(self.lines) if a in self.column}
        waiting = [(0, np.arange(tuples.p))] if len(self.column) else []
        while waiting:
            cut, some = waiting.pop()
            under = stands[int(self.column[cut])][some] <= self.limit[cut]
            for following, side in ((self.below[cut], some[under]), (self.above[cut], some[~under])):
                if following < 0:
                    block[side] = -following - 1
                else:
                    waiting.append((int(following), side))
        return block


def make_cuts(tuples: Tuples, metrics: Sequence[ColumnDistance], near: Neighbours, most: int, least: int) -> Cuts:
    """Cuts into blocks of at most ``most`` tuples and at least ``least`` records each, as far as there are such cuts."""
    lines = [Line.of(tuples, metric, a) for a, metric in enumerate(metrics)]
    stands = [line.stand(tuples, a)[near.order] for a, line in enumerate(lines)]
    return _Cutting(lines, stands, near.nearest, tuples.counts[near.order], most, least).cuts()


class _Cutting:
    """Cuts as they are made, of tuples in an order that puts near ones side by side."""

    def __init__(
        self, lines: Sequence[Line], stands: Sequence[Floats], near: Ints, counts: Longs, most: int, least: int
    ) -> None:
        self.lines, self.stands, self.near, self.counts = lines, stands, near, counts
        self.most, self.least = most, least
        #: Which part each tuple is in.
        self.part = np.zeros(len(counts), dtype=np.int32)

    def cuts(self) -> Cuts:
        made: list[list[float]] = []  # column, limit, below, above
        waiting, parts, blocks = [(np.arange(len(self.counts)), -1, 0)], 0, 0
        while waiting:
            some, parent, side = waiting.pop()
            parts += 1
            self.part[some] = parts
            found = self._best(some, parts) if len(some) > self.most else None
            if parent >= 0:
                made[parent][side] = -blocks - 1 if found is None else len(made)
            if found is None:
                blocks += 1
                continue
            column, limit, under = found
            waiting += [(some[~under], len(made), 3), (some[under], len(made), 2)]
            made.append([column, limit, 0, 0])
        columns = np.array(made, dtype=np.float64).reshape(-1, 4)
        whole = columns.astype(np.int64)
        return Cuts(self.lines, whole[:, 0], columns[:, 1], whole[:, 2], whole[:, 3])

    def _best(self, some: Longs, part: int) -> tuple[int, float, np.ndarray] | None:
        """The column and the limit of the best cut of a part, and which tuples are below; None: there is none."""
        sample = some[:: -(-len(some) // SAMPLE)]
        near = self.near[sample, 1:]
        one, other = np.repeat(sample, near.shape[1]), near.ravel()
        inside = (other >= 0) & (self.part[other] == part)
        one, other = one[inside], other[inside]
        for share in (SHARE, 0.0):
            scored = [self._cut(a, sample, one, other, share) for a in range(len(self.stands))]
            for score, column in sorted((found[0], a) for a, found in enumerate(scored)):
                if score == np.inf:
                    break
                limit = scored[column][1]
                under = self.stands[column][some] <= limit
                records = self.counts[some]
                if min(int(records[under].sum()), int(records[~under].sum())) >= self.least:
                    return column, limit, under
        return None

    def _cut(self, column: int, sample: Longs, one: Longs, other: Longs, share: float) -> tuple[float, float]:
        """The best cut along a column: pairs that it separates for what it contributes, and its limit."""
        stand = self.stands[column]
        values, counts = np.unique(stand[sample], return_counts=True)
        if len(values) < 2:
            return np.inf, np.inf
        ends = np.searchsorted(values, stand[one]), np.searchsorted(values, stand[other])
        length = len(values) + 1
        begun, ended = (
            np.bincount(np.minimum(*ends), minlength=length),
            np.bincount(np.maximum(*ends), minlength=length),
        )
        separated = np.cumsum(begun - ended)[: len(values) - 1]
        under = np.cumsum(counts)[:-1] / len(sample)
        entropy = -(under * np.log2(under) + (1 - under) * np.log2(1 - under))
        scores = np.where(np.minimum(under, 1 - under) >= share, (separated + 1) / entropy, np.inf)
        best = int(np.argmin(scores))
        return float(scores[best]), float(values[best])
