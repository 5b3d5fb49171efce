"""Number of values of a class that are pairwise at least a given distance apart.

Values on a line: taken from the least on, each that is far enough from the one taken before; no set is larger. Concepts: a
search for as many as are asked for, by trying and going back; where it has tried often enough it keeps the most it has found.
What is counted is always there, so a verdict is never too good.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from ontomask.arrays import TIE, Floats, Longs
from ontomask.distances.between import between
from ontomask.distances.measures import get_measure
from ontomask.errors import DataError
from ontomask.privacy.subsumption import Order
from ontomask.privacy.transport import Pairs

if TYPE_CHECKING:
    from ontomask.privacy.sensitive import Values

#: How often a search for values that are far apart tries another one, for each class.
MOST_TRIES = 20_000


class Apart(Protocol):
    """Counts values that are far enough apart; ``exact``: always as many as there are. ``gave_up``: it once was not."""

    exact: ClassVar[bool]
    gave_up: bool

    def count(self, pairs: Pairs) -> Floats:
        """How many there are in each class."""


def values_apart(column: Values, order: Order | None, least: float, wanted: int) -> Apart:
    """How values of a column are counted that are at least ``least`` apart, none of them part of another."""
    if column.concepts is None:
        positions = column.positions
        if positions is None:
            raise DataError(
                "min_distance needs values on a line, such as numbers, or a taxonomy",
                where=f"column {column.name!r}",
                remedy="Give it such a kind in the policy, or Nominal(taxonomy=...), or leave out min_distance.",
            )
        return NumbersApart(positions, least)
    far = np.zeros((len(column), len(column)), dtype=np.bool_)
    known = np.flatnonzero(column.concepts >= 0)  # what is not in the taxonomy is at no known distance
    far[np.ix_(known, known)] = semantic_distances(column, known) >= least * (1 - TIE)
    if order is not None:
        far &= ~order.table
    np.fill_diagonal(far, val=False)
    return ConceptsApart(far, wanted)


def semantic_distances(column: Values, known: Longs, others: Longs | None = None) -> Floats:
    """The measure of a nominal column between some of its values, or from these to others, which include them."""
    attribute = column.nominal
    assert column.concepts is not None
    every = known if others is None else others
    concepts, corpus = column.concepts[known], (column.concepts[every], column.counts[every])
    measure, columns = get_measure(attribute.measure), None if others is None else column.concepts[others]
    return between(attribute.load(), concepts, columns, measure, attribute.scope, attribute.options, corpus=corpus)


class NumbersApart:
    """Values on a line; ``numbers``: the position of each code, NaN where it has none."""

    exact: ClassVar[bool] = True
    gave_up = False

    def __init__(self, numbers: Floats, least: float) -> None:
        self.numbers, self.least = numbers, least

    def count(self, pairs: Pairs) -> Floats:
        ends = np.append(pairs.starts[1:], len(pairs.of))
        x = self.numbers[pairs.code]
        order = np.lexsort((x, pairs.of))
        x = x[order]
        found = np.ones(len(pairs))
        last, place = x[pairs.starts], pairs.starts.copy()
        going = np.arange(len(pairs))
        while len(going):  # one round for each value taken, all classes at once
            far = last[going] + self.least - TIE * (np.abs(last[going]) + self.least)
            place[going] = _first_at_least(x, place[going] + 1, ends[going], far)
            going = going[place[going] < ends[going]]
            found[going] += 1
            last[going] = x[place[going]]
        return found


def _first_at_least(x: Floats, low: Longs, high: Longs, bound: Floats) -> Longs:
    """In each stretch of sorted numbers the first place that reaches the bound, or its end: by halving."""
    low, high = low.copy(), high.copy()
    while True:
        open_ = low < high
        if not open_.any():
            return low
        middle = (low + high) // 2
        reached = open_ & (x[np.minimum(middle, len(x) - 1)] >= bound)
        high = np.where(reached, middle, high)
        low = np.where(open_ & ~reached, middle + 1, low)


class ConceptsApart:
    """Values with a table of which of them are far enough apart; ``wanted``: how many are looked for."""

    exact: ClassVar[bool] = False

    def __init__(self, far: NDArray[np.bool_], wanted: int) -> None:
        self.gave_up = False
        self.wanted = wanted
        self._far = [sum(1 << int(j) for j in np.flatnonzero(row)) for row in far]
        self._known: dict[bytes, int] = {}

    def count(self, pairs: Pairs) -> Floats:
        ends = np.append(pairs.starts[1:], len(pairs.of))
        found = np.empty(len(pairs))
        for c, (begin, end) in enumerate(zip(pairs.starts.tolist(), ends.tolist(), strict=True)):
            codes = pairs.code[begin:end]
            key = codes.tobytes()
            if key not in self._known:
                self._known[key] = self._most(codes.tolist())
            found[c] = self._known[key]
        return found

    def _most(self, codes: list[int]) -> int:
        """The most values that are pairwise far enough apart, up to as many as are wanted."""
        best, tries = 0, 0
        waiting = [(0, sum(1 << code for code in codes))]  # how many were taken, and which may still be
        while waiting and best < self.wanted and tries < MOST_TRIES:
            taken, free = waiting.pop()
            tries += 1
            best = max(best, taken)
            if not free or taken + free.bit_count() <= best:
                continue
            first = min(_bits(free), key=lambda code: (free & ~self._far[code]).bit_count())
            waiting.append((taken, free & ~(1 << first)))
            waiting.append((taken + 1, free & self._far[first]))
        self.gave_up |= best < self.wanted and bool(waiting)
        return min(best, self.wanted)


def _bits(mask: int) -> list[int]:
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found
