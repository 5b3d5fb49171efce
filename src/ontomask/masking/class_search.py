"""Optimal classes of a few records: best-first search with branch and bound (T12 8.4.2).

A state is a grouping that is not finished: classes that are closed, one that is open, and records left. A step takes one
more record into the open class, whose values all climb to the lowest common subsumer, or closes the class where it
satisfies the models. The state that promises least loss is expanded first. What it promises is a bound from below: what
is closed loses what it loses; a record of the open class loses at least what the class shows now; a record that is left
loses at least what it has in common with the k - 1 records left that are nearest to it. A state that promises no less
than the best grouping known is given up. The hardest record left always opens the next class, and records join in one
order, so that no grouping is met twice. Before all that one way is taken straight down, always by the step that promises
least loss.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

#: A class of records by their rows, in ascending order; a row as often as it has records there.
Group = tuple[int, ...]
#: States that may wait; a search that keeps more is given up as if its budget were used up.
MOST_WAITING = 200_000
#: Losses that differ by less, relatively, are equal: they are sums of many terms, so more of their digits are rounding.
EQUAL_LOSSES = 1e-11


@dataclass(frozen=True)
class Rows:
    """Kinds of records that are alike in all that counts; ``counts``: how many records each has.

    ``covers[r][a]``: the nodes that cover row r in column a, as bits, the most specific lowest; so the lowest common
    subsumer of several rows is the lowest bit that they share. ``cost[r][a][node]``: what the row loses if the node is
    shown; ``floor``: the least it loses if that node or one that comes after it is shown.
    """

    counts: tuple[int, ...]
    covers: Sequence[Sequence[int]]
    cost: Sequence[Sequence[Sequence[float]]]
    floor: Sequence[Sequence[Sequence[float]]]

    def shared(self, group: Group) -> list[int]:
        """By column the nodes that cover all of a group."""
        both = list(self.covers[group[0]])
        for row in group[1:]:
            both = [a & b for a, b in zip(both, self.covers[row], strict=True)]
        return both

    def at_least(self, row: int, shared: Sequence[int]) -> float:
        """The least that a record of a row loses in a class that has no more than these nodes in common."""
        return sum([floors[_lowest(bits)] for floors, bits in zip(self.floor[row], shared, strict=True)])

    def loss(self, group: Group) -> float:
        """What all records of a group lose together."""
        nodes = [_lowest(bits) for bits in self.shared(group)]
        return sum([costs[node] for row in sorted(group) for costs, node in zip(self.cost[row], nodes, strict=True)])


@dataclass(frozen=True)
class Wanted:
    """What a class must be: of ``least`` records, of at most ``most`` where larger ones can be cut in two, and ``fits``."""

    least: int
    most: int | None
    fits: Callable[[Group], bool]


@dataclass(frozen=True)
class Outcome:
    """``groups``: the best grouping found that loses less than what was known, if there is one, and what it loses.

    ``complete``: is there certainly none that loses less? ``bound``: no grouping loses less than this.
    """

    groups: list[Group] | None
    loss: float
    complete: bool
    nodes: int
    bound: float


class Closed(NamedTuple):
    """A class that is closed, and those that were closed before it."""

    group: Group
    before: Closed | None


class State(NamedTuple):
    """States are compared by what they promise, then by the records left, then by age.

    ``shared``: by column the nodes that cover all of the open class; ``alone``: of each row what a record of it loses at
    least, if its class is made of what was left when the open class was opened.
    """

    bound: float
    unplaced: int
    serial: int
    lost: float
    left: tuple[int, ...]
    group: Group
    shared: Sequence[int]
    alone: tuple[float, ...]
    closed: Closed | None


class Regrouping:
    """One search."""

    def __init__(self, rows: Rows, wanted: Wanted) -> None:
        self.rows, self.wanted = rows, wanted
        size = range(len(rows.counts))
        #: Of each row all rows, the nearest first, with what it loses at least beside them.
        self.near = [sorted((rows.at_least(row, rows.shared((row, other))), other) for other in size) for row in size]
        alone = self._alone(rows.counts)
        self.order = sorted(size, key=lambda row: (-alone[row], row))  # the hardest first
        self.place = {row: place for place, row in enumerate(self.order)}
        self.waiting: list[State] = []
        self.reached: dict[tuple[int, ...], float] = {}
        self.serial = count()
        self.best = math.inf
        self.found: list[Group] | None = None

    def run(self, known: float, budget: int) -> Outcome:
        """The best grouping that loses less than ``known``; at most ``budget`` states are expanded."""
        self.best = known
        nodes = self._dive(budget)
        self._open(0.0, self.rows.counts, None)
        while self.waiting and self._better(self.waiting[0].bound):
            if nodes >= budget or len(self.waiting) > MOST_WAITING:
                return Outcome(self.found, self.best, False, nodes, self.waiting[0].bound)
            nodes += 1
            self._expand(heapq.heappop(self.waiting))
        return Outcome(self.found, self.best, True, nodes, self.best)

    def _dive(self, budget: int) -> int:
        """Straight down, always to the step that promises least loss: a grouping soon, and the states it took."""
        state = self._opened(0.0, self.rows.counts, None)
        for nodes in range(budget):
            left = sum(state.left)
            if (left == 0 or left >= self.wanted.least) and self._may_close(state.group):
                closed = Closed(state.group, state.closed)
                lost = state.lost + self.rows.loss(state.group)
                if left == 0:
                    self._finish(lost, closed)
                    return nodes + 1
                state = self._opened(lost, state.left, closed)
                continue
            wider = list(self._wider(state, self.order))
            if not wider:
                return nodes + 1
            state = min(wider, key=lambda one: one.bound)
        return budget

    def _better(self, loss: float) -> bool:
        return loss < self.best - EQUAL_LOSSES * max(self.best, 1.0)

    def _alone(self, left: Sequence[int]) -> tuple[float, ...]:
        """Of each row what a record of it loses at least, if its class is made of the records left."""
        needed, found = self.wanted.least - 1, []
        for row, near in enumerate(self.near):
            company = -1  # a record does not accompany itself
            for loss, other in near if left[row] else ():
                company += left[other]
                if company >= needed:
                    found.append(loss)
                    break
            else:
                found.append(0.0)  # nobody is left, or too few: such a state is given up
        return tuple(found)

    def _finish(self, lost: float, closed: Closed | None) -> None:
        if self._better(lost):
            self.best, self.found = lost, _unrolled(closed)

    def _open(self, lost: float, left: tuple[int, ...], closed: Closed | None) -> None:
        """No class is open: the grouping is finished, or the hardest row that is left opens the next class."""
        if not any(left):
            self._finish(lost, closed)
        elif sum(left) >= self.wanted.least and self.reached.get(left, math.inf) > lost:
            self.reached[left] = lost
            self._wait(self._opened(lost, left, closed))

    def _opened(self, lost: float, left: tuple[int, ...], closed: Closed | None) -> State:
        row = next(row for row in self.order if left[row])
        alone = self._alone(left)
        return self._bounded(State(0.0, 0, 0, lost, _less(left, row), (row,), self.rows.covers[row], alone, closed))

    def _bounded(self, state: State) -> State:
        """A state with what it promises."""
        bound = state.lost
        for least, records in zip(state.alone, state.left, strict=True):
            bound += least * records
        for row in state.group:
            bound += max(self.rows.at_least(row, state.shared), state.alone[row])
        return state._replace(bound=bound, unplaced=sum(state.left), serial=next(self.serial))

    def _wait(self, state: State) -> None:
        if self._better(state.bound):
            heapq.heappush(self.waiting, state)

    def _may_close(self, group: Group) -> bool:
        return len(group) >= self.wanted.least and self.wanted.fits(tuple(sorted(group)))

    def _wider(self, state: State, rows: Sequence[int]) -> Iterator[State]:
        """One more record in the open class, of one of the rows."""
        for row in rows:
            if state.left[row]:
                shared = [a & b for a, b in zip(state.shared, self.rows.covers[row], strict=True)]
                left, group = _less(state.left, row), (*state.group, row)
                yield self._bounded(state._replace(left=left, group=group, shared=shared))

    def _expand(self, state: State) -> None:
        if self._may_close(state.group):
            self._open(state.lost + self.rows.loss(state.group), state.left, Closed(state.group, state.closed))
        if self.wanted.most is None or len(state.group) < self.wanted.most:
            for wider in self._wider(state, self.order[self.place[state.group[-1]] :]):
                self._wait(wider)


def _lowest(bits: int) -> int:
    """The place of the lowest bit."""
    return (bits & -bits).bit_length() - 1


def _less(left: tuple[int, ...], row: int) -> tuple[int, ...]:
    return (*left[:row], left[row] - 1, *left[row + 1 :])


def _unrolled(closed: Closed | None) -> list[Group]:
    """The classes of a finished grouping, the first that was closed first."""
    groups: list[Group] = []
    while closed is not None:
        groups.append(tuple(sorted(closed.group)))
        closed = closed.before
    return groups[::-1]
