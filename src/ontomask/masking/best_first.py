"""Best-first search for the grouping of records that loses least (T12 8.4.2, specification 7).

Groups of near records are where it begins. Neighbouring groups are taken apart and put together anew, a few records at a
time; a small table is then searched as a whole. What is expanded counts against one budget, so that the same data and
policy give the same release whatever the machine.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ontomask.arguments import counted
from ontomask.arrays import TIE, Floats, Longs
from ontomask.hierarchies.above import Above
from ontomask.hierarchies.levels import ColumnLevels
from ontomask.kernels.groups import nearest_group
from ontomask.kernels.space import Point, new_point
from ontomask.masking.class_search import Group, Outcome, Regrouping, Rows, Wanted
from ontomask.masking.goals import Goals
from ontomask.masking.local_generalization import (
    Classes,
    Showing,
    at_one_level,
    compared,
    loss_note,
    near_records,
)
from ontomask.masking.method import Masked
from ontomask.microdata.encoding import Table
from ontomask.operators.aggregation import Operators, members
from ontomask.progress import Progress, stretch
from ontomask.statements import Statement, note

if TYPE_CHECKING:
    from ontomask.masking.generalization import Generalization

#: States that are expanded where a policy does not say.
BUDGET = 20_000
#: States that one neighbourhood may take, and records that it may have (or those of two classes of k).
EACH, NEIGHBOURS = 1_000, 12
#: A table of more records is not searched as a whole.
MOST_RECORDS = 60


def generalize_best_first(
    method: Generalization, table: Table, hierarchies: list[ColumnLevels], goals: Goals, progress: Progress
) -> Masked:
    """The grouping that loses least, as far as the budget reaches; never more than local generalization loses."""
    showing = Showing(table, hierarchies, method.loss)
    operators = compared(method, table, hierarchies)
    near = near_records(showing, operators, goals, stretch(progress, 0.0, 0.3))
    level = at_one_level(method, showing, hierarchies, goals, stretch(progress, 0.3, 0.4))
    known = near if level is None or near.loss < level.loss else level
    pieces = Pieces(showing, goals)
    budget = method.budget or BUDGET
    share = (budget + 1) // 2 if pieces.small else budget
    regrouped, used = Neighbourhoods(pieces, operators, near).improve(share, stretch(progress, 0.4, 0.7))
    best = min((pieces.release(regrouped), known), key=lambda classes: classes.loss)
    progress(0.7, "searching the whole table")
    best, outcome = pieces.search_all(best, budget - used)
    told = _in_words(outcome, used, budget, pieces.scale)
    # Classes that show the same are one class, which may fail a model that its parts satisfy.
    if not showing.holds(goals, best):
        best, told = known, "its result fails a model on the whole table and is not used; not proven to be the optimum"
    before = note(f"best-first search, started at a loss of {known.loss:.4f}: {told}")
    return replace(best.masked, notes=[*best.notes, before, loss_note(method, best.loss)])


def _in_words(outcome: Outcome | None, used: int, budget: int, scale: float) -> str:
    """How far the search came."""
    nodes = counted(used + (outcome.nodes if outcome is not None else 0), "node")
    if outcome is None:
        full = "" if used < budget else f", the whole budget of {budget:,}"
        return f"{nodes} expanded{full}; the best release found, not proven to be the optimum"
    if outcome.complete:
        return f"complete after {nodes}; optimal: no grouping of the records loses less"
    return (
        f"stopped after {nodes} (budget: {budget:,}); the best release found, not proven to be the optimum "
        f"(no grouping loses less than {outcome.bound * scale:.4f})"
    )


@dataclass(frozen=True, eq=False)
class Cover:
    """A column of :class:`~ontomask.hierarchies.above.Above` with its costs, code by code, as lists."""

    above: Above
    cost: Floats
    floor: Floats

    @staticmethod
    def of(above: Above, cost: Floats) -> Cover:
        """``floor``: the least of a node's cost and of those that come after it."""
        floor, start = cost.copy(), above.covers.start
        for back in range(2, int(above.covers.lengths().max(initial=0)) + 1):
            here = start[1:] - back
            here = here[here >= start[:-1]]
            floor[here] = np.minimum(floor[here], floor[here + 1])
        return Cover(above, cost, floor)

    @property
    def steady(self) -> bool:
        """Does a code never lose less by a node that comes later?"""
        return bool((self.floor >= self.cost).all())

    def local(self, codes: Sequence[int]) -> tuple[list[int], list[list[float]], list[list[float]]]:
        """Of some codes the nodes as bits, their cost and floor by node; nodes are renumbered in their order."""
        covers = self.above.covers
        nodes = sorted({node for code in codes for node in covers.row(code).tolist()})
        place = {node: i for i, node in enumerate(nodes)}
        bits: list[int] = []
        cost: list[list[float]] = []
        floor: list[list[float]] = []
        for code in codes:
            begin, end = covers.start[code], covers.start[code + 1]
            own = [place[node] for node in covers.row(code).tolist()]
            bits.append(sum(1 << at for at in own))
            for into, values in ((cost, self.cost), (floor, self.floor)):
                filled = [0.0] * len(nodes)
                for at, value in zip(own, values[begin:end].tolist(), strict=True):
                    filled[at] = value
                into.append(filled)
        return bits, cost, floor


class Pieces:
    """Parts of a table as problems of their own."""

    def __init__(self, showing: Showing, goals: Goals) -> None:
        self.showing, self.goals, self.table = showing, goals, showing.table
        single = [above for above in showing.columns if isinstance(above, Above)]  # a policy refuses sets
        self.columns = [Cover.of(above, above.costs(showing.loss)) for above in single]
        self.row_of, self.first = goals.alike()
        self.least = max((model.least_units for model in goals.models), default=1)
        # k records may be of fewer units: then each class is judged.
        self.sizes_only = goals.units.of is None and all(model.sizes_only for model in goals.models)
        # A class of 2k records can be cut in two that lose no more, if no value loses less by climbing on.
        halved = self.sizes_only and all(column.steady for column in self.columns)
        self.most = 2 * self.least - 1 if halved else None
        self.scale = 1.0 / (self.table.n * len(self.columns))
        shown = zip(showing.columns, showing.codes, strict=True)
        #: What each record loses if it is shown as it is.
        self.own = np.sum([above.losses(codes, codes, showing.loss) for above, codes in shown], axis=0)

    @property
    def small(self) -> bool:
        """Can the table be searched as a whole?"""
        return self.table.n <= MOST_RECORDS

    def regroup(self, records: Longs, known: float, budget: int) -> tuple[Outcome, list[Longs]]:
        """The best grouping of some records that loses less than is known, and its classes if there is one."""
        rows, counts = np.unique(self.row_of[records], return_counts=True)
        judged: dict[Group, bool] = {}

        def fits(group: Group) -> bool:
            if self.sizes_only:
                return True
            if group not in judged:
                judged[group] = not self.goals.fail(self.first[rows[list(group)]])
            return judged[group]

        outcome = Regrouping(self._rows(rows, counts), Wanted(self.least, self.most, fits)).run(known, budget)
        if outcome.groups is None:
            return outcome, []
        order = records[np.argsort(self.row_of[records], kind="stable")]
        queues = [deque(part.tolist()) for part in np.split(order, np.cumsum(counts)[:-1])]
        return outcome, [np.array(sorted(queues[row].popleft() for row in group)) for group in outcome.groups]

    def _rows(self, rows: Longs, counts: Longs) -> Rows:
        tuples = self.table.rows.tuple_of[self.first[rows]]
        parts = [
            column.local(codes[tuples].tolist()) for column, codes in zip(self.columns, self.table.codes, strict=True)
        ]
        by_row = [[list(row) for row in zip(*values, strict=True)] for values in zip(*parts, strict=True)]
        return Rows(tuple(counts.tolist()), *by_row)

    def loss(self, records: Longs) -> float:
        """What a class of records loses in all."""
        begin_and_end, total = np.array([0, len(records)]), 0.0
        for above, codes in zip(self.showing.columns, self.showing.codes, strict=True):
            node = above.lowest(codes[records], begin_and_end)
            total += float(above.losses(codes[records], np.repeat(node, len(records)), self.showing.loss).sum())
        return total

    def release(self, groups: Sequence[Longs], notes: Sequence[Statement] = ()) -> Classes:
        """Classes as a release, in the order of their first records."""
        group_of = np.zeros(self.table.n, dtype=np.int32)
        for place, records in enumerate(sorted(groups, key=lambda records: int(records.min()))):
            group_of[records] = place
        return self.showing.classes(group_of, len(groups), [note(counted(len(groups), "group")), *notes])

    def search_all(self, best: Classes, budget: int) -> tuple[Classes, Outcome | None]:
        """The whole table searched, if it is small; else, or if nothing better is found, what is known."""
        if not self.small or budget <= 0:
            return best, None
        outcome, groups = self.regroup(np.arange(self.table.n), best.loss / self.scale, budget)
        return (self.release(groups) if groups else best), outcome


class Neighbourhoods:
    """Groups of records and how near they are to one another."""

    def __init__(self, pieces: Pieces, operators: Operators, begin: Classes) -> None:
        self.pieces, self.operators = pieces, operators
        self.limit = max(NEIGHBOURS, 2 * pieces.least + 2)
        order = np.argsort(begin.group_of, kind="stable")
        cuts = np.cumsum(np.bincount(begin.group_of, minlength=begin.groups))[:-1]
        self.groups: list[Longs] = list(np.split(order, cuts))
        each = pieces.showing.each(begin.group_of, begin.groups)
        self.losses: list[float] = np.bincount(begin.group_of, each, begin.groups).tolist()
        self.points = operators.points(*members(pieces.table.rows, begin.group_of, begin.groups))
        self.alive = np.ones(begin.groups, dtype=np.bool_)
        self.point = new_point(operators.space)

    def improve(self, budget: int, progress: Progress) -> tuple[list[Longs], int]:
        """The groups after regrouping neighbours until nothing improves or the budget is used up; and what was used."""
        avoidable = [self._avoidable(slot) for slot in range(len(self.groups))]
        waiting = deque(sorted(range(len(self.groups)), key=lambda slot: (-avoidable[slot], slot)))
        used = 0
        while waiting and used < budget:
            progress(used / budget, "regrouping neighbours")
            slot = waiting.popleft()
            if not self.alive[slot] or self._avoidable(slot) <= TIE:
                continue
            around = self._around(slot)
            size = len(self.groups[slot])
            if size > MOST_RECORDS or (len(around) == 1 and size < 2 * self.pieces.least):
                continue
            known = sum(self.losses[other] for other in around)
            records = np.sort(np.concatenate([self.groups[other] for other in around]))
            outcome, found = self.pieces.regroup(records, known, min(EACH, budget - used))
            used += max(outcome.nodes, 1)
            if found:
                waiting.extend(self._replace(around, found))
        return [records for records, alive in zip(self.groups, self.alive, strict=True) if alive], used

    def _avoidable(self, slot: int) -> float:
        """What a group loses beyond what its records lose as they are."""
        return self.losses[slot] - float(self.pieces.own[self.groups[slot]].sum())

    def _around(self, slot: int) -> list[int]:
        """A group and those nearest to it, as many as may be taken apart at once."""
        around, total = [slot], len(self.groups[slot])
        free = self.alive.copy()
        table = self.pieces.table
        tuples, counts = np.unique(table.rows.tuple_of[self.groups[slot]].astype(np.int64), return_counts=True)
        while total < self.limit:
            other = int(nearest_group(self.operators.space, self.point, self.points, free, slot, tuples, counts))
            if other < 0 or total + len(self.groups[other]) > self.limit:
                break
            around.append(other)
            total += len(self.groups[other])
            free[other] = False
        return around

    def _replace(self, old: Sequence[int], new: Sequence[Longs]) -> list[int]:
        """Other groups in the place of some; where they stand."""
        slots = list(old)[: len(new)]
        for slot in list(old)[len(new) :]:
            self.alive[slot] = False
        more = len(new) - len(slots)
        if more > 0:
            slots += range(len(self.groups), len(self.groups) + more)
            self.groups += [np.zeros(0, dtype=np.int64)] * more
            self.losses += [0.0] * more
            self.alive = np.append(self.alive, np.zeros(more, dtype=np.bool_))
            self.points = Point(
                *(np.concatenate((part, np.zeros((more, *part.shape[1:]), part.dtype))) for part in self.points)
            )
        for slot, records in zip(slots, new, strict=True):
            self.groups[slot], self.losses[slot], self.alive[slot] = records, self.pieces.loss(records), True
            self._place(slot)
        return slots

    def _place(self, slot: int) -> None:
        table = self.pieces.table
        tuples, counts = np.unique(table.rows.tuple_of[self.groups[slot]].astype(np.int64), return_counts=True)
        centre = self.operators.points(np.array([0, len(tuples)]), tuples, counts)
        self.points.at[slot], self.points.gone[slot], self.points.rows[slot] = (
            centre.at[0],
            centre.gone[0],
            centre.rows[0],
        )
