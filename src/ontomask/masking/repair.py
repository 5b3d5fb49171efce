"""Repair: groups that fail a model are merged with their nearest group until it holds."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.arrays import Floats, Longs
from ontomask.kernels.joining import Turned, add_distances, kept_centres, least_total, make_centres, put_centre
from ontomask.kernels.space import Point, Space
from ontomask.masking.goals import Goals
from ontomask.operators.aggregation import Operators
from ontomask.operators.aggregation import members as grouped
from ontomask.privacy.judges import Judge
from ontomask.progress import Progress


def merge_until(
    goals: Goals, operators: Operators, group_of: NDArray[Any], groups: int, progress: Progress
) -> tuple[NDArray[np.int32], int, int]:
    """The groups after joining, how many there are, and how many were joined to another; ``group_of``: of each row of the
    goals.

    The group that comes first among those that fail goes to the one with the nearest centre; the centre of both
    together counts from then on. It ends when every group satisfies every model, or when one group is left.
    """
    failing = goals.fails(group_of, groups)
    if not failing.any() or groups == 1:
        return group_of.astype(np.int32), groups, 0
    joining = Joining(goals, operators, group_of, groups)
    waiting = np.flatnonzero(failing)
    for done, group in enumerate(waiting.tolist()):
        # A group may have been joined by others, and satisfy the models since; or it is part of another.
        if joining.alive[group] and failing[group]:
            progress(done / len(waiting), "joining groups until the models hold")
            failing[joining.join(group)] = False
    return joining.result()


def merge_tuples_until(
    goals: Goals, operators: Operators, group_of: NDArray[np.int32], groups: int, progress: Progress
) -> tuple[NDArray[np.int32], int, int]:
    """The same of groups of tuples, whose records stay together; ``group_of``: of each tuple."""
    goals = goals.counted()
    tuple_of = goals.rows.tuple_of
    of_row, groups, merged = merge_until(goals, operators, group_of[tuple_of], groups, progress)
    result = np.empty_like(group_of)
    result[tuple_of] = of_row
    return result, groups, merged


class Joining:
    """Groups of rows, some of which are joined: the rows of each, and where the centres are of those that are left."""

    def __init__(self, goals: Goals, operators: Operators, group_of: NDArray[Any], groups: int) -> None:
        self.goals, self.operators, self.group_of = goals, operators, group_of
        order = np.argsort(group_of, kind="stable")
        ends = np.cumsum(np.bincount(group_of, minlength=groups))
        self.members: list[Longs] = np.split(order, ends[:-1])
        self.alive = np.ones(groups, dtype=np.bool_)
        at, tuples, counts = grouped(goals.rows, group_of, groups)
        #: The tuples of each group, and how many records of each it has.
        self.tuples, self.counts = np.split(tuples, at[1:-1]), np.split(counts, at[1:-1])
        self.nearness = Nearness(operators.space, operators.turned, operators.points(at, tuples, counts))

    def join(self, group: int) -> int:
        """Join a group that fails with the nearest one, and so on with what becomes of it, until that satisfies the models or
        no other is left; the group that it is part of then.

        Nobody asks for the centre of what becomes of it before the end. The distances of its records from all other centres
        are added up as they join: none is measured twice.
        """
        goals, nearness = self.goals, self.nearness
        pieces, fails = [self.members[group]], True
        growing = Growing(goals, pieces[0])
        nearness.begin(group)
        while fails and nearness.others:
            nearness.add(self.tuples[group], self.counts[group])
            self.alive[group] = False
            group = nearness.take_nearest()
            pieces.insert(0, self.members[group])
            fails = growing.fails_with(pieces[0])
        self.members[group] = np.concatenate(pieces)
        at, self.tuples[group], self.counts[group] = grouped(goals.rows.part(self.members[group]))
        nearness.end(group, self.operators.points(at, self.tuples[group], self.counts[group]))
        return group

    def result(self) -> tuple[NDArray[np.int32], int, int]:
        """The group of each row, how many groups there are, and how many were joined to another."""
        left = np.flatnonzero(self.alive)
        result = np.empty(len(self.group_of), dtype=np.int32)
        for number, group in enumerate(left.tolist()):
            result[self.members[group]] = number
        return result, len(left), len(self.alive) - len(left)


class Growing:
    """A group that fails a model, and grows. It is looked at only where it may satisfy all models.

    ``joining``: rows that joined since it was looked at, the last first.
    """

    def __init__(self, goals: Goals, members: Longs) -> None:
        self.goals, self.contents = goals, goals.contents(members)
        self.joining: list[Longs] = []
        self.failed: tuple[Judge, Floats] | None = None
        #: How many records it had when it was looked at, and how many it has now.
        self.size = self.now = int(goals.rows.weights[members].sum())

    def fails_with(self, members: Longs) -> bool:
        """Does it fail a model once these rows belong to it?"""
        goals = self.goals
        self.joining.insert(0, members)
        self.now += int(goals.rows.weights[members].sum())
        if self.failed is not None and goals.units.of is None:
            judge, figures = self.failed
            if judge.stays_failed(figures, 1 - self.size / self.now)[0]:
                return True
        self.contents = goals.joined_contents(goals.contents(np.concatenate(self.joining)), self.contents)
        self.joining, self.size, self.failed = [], self.now, goals.failed(self.contents)
        return self.failed is not None


class Nearness:
    """How far the centres of groups are from one that grows, and is not one of them while it does.

    The centre at place i is that of group ``groups[i]``; they stay in order.
    """

    def __init__(self, space: Space, turned: Turned, points: Point) -> None:
        self.space, self.turned, self.centres = space, turned, make_centres(space, points)
        self.others = len(points.at)
        self.groups = np.arange(self.others)

    def begin(self, group: int) -> None:
        """Nothing is added up yet, and the group is none of the others."""
        self.centres.totals[:] = 0.0
        self._hide(self._place(group))

    def add(self, tuples: Longs, counts: Longs) -> None:
        """Records join it."""
        add_distances(self.space, self.turned, self.centres, tuples, counts)

    def take_nearest(self) -> int:
        """The other group whose centre is nearest to the records on average, of equals the first; it is not found again."""
        place = int(least_total(self.space, self.centres))
        group = int(self.groups[place])
        self._hide(place)
        return group

    def end(self, group: int, points: Point) -> None:
        """What became of it is one of the others again: ``group``, the last one taken, with a new centre."""
        place = self._place(group)
        put_centre(self.centres, place, points)
        self.others += 1

    def _place(self, group: int) -> int:
        return int(np.searchsorted(self.groups, group))

    def _hide(self, place: int) -> None:
        self.centres.free[place] = False
        self.others -= 1
        if 2 * self.others < len(self.groups) - 1:  # the others alone, and the one that was hidden last
            kept = self.centres.free.copy()
            kept[place] = True
            self.centres, self.groups = kept_centres(self.centres, np.flatnonzero(kept)), self.groups[kept]
