"""The centres of groups of records (specification 4): T12's aggregation operator on tables of any mix of kinds.

Nominal attributes: by the kind of centroid that is asked for; with balanced distances the semantic one has the least sum of
squared distances. Flat ones: the most frequent value. Ordinal: the lower median. Numeric: the mean, or the median. Where more
than half of a group's numbers or ranks are missing, its centre is missing too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ontomask.arrays import Longs, starts
from ontomask.background import Background
from ontomask.kernels.centres import HIGH, Rules, new_tally
from ontomask.kernels.groups import centres_of_groups
from ontomask.kernels.joining import Turned
from ontomask.kernels.ordering import near_order
from ontomask.kernels.space import Point, Space, new_point, new_points, take_tuples
from ontomask.microdata.codes import count_pairs
from ontomask.microdata.column_distance import ColumnDistance
from ontomask.microdata.encoding import Rows, Tuples
from ontomask.operators.neighbours import Neighbours
from ontomask.operators.record_distance import RecordDistance
from ontomask.operators.set_space import joined_tables, make_set_rules, sets_of_rows
from ontomask.progress import Progress, silent

Centroid = Literal["semantic", "marginality", "mode", "lcs", "consensus"]
NumericCentre = Literal["mean", "median"]
#: Groups whose centres are computed between two reports of progress.
STRIDE = 1 << 14


@dataclass(frozen=True, eq=False)
class Operators:
    """A table with the operators of T12 chapter 4: how its records are compared, and how groups get their centre.

    ``numeric``: what :meth:`centres` gives of numbers; points are means, whatever groups show.
    """

    tuples: Tuples
    distance: RecordDistance
    space: Space
    rules: Rules
    centroid: Centroid = "semantic"
    numeric: NumericCentre = "mean"

    @cached_property
    def near_order(self) -> Longs:
        """The tuples in an order that puts near ones side by side."""
        return near_order(self.space)

    @cached_property
    def neighbours(self) -> Neighbours:
        """The nearest of each tuple: they are looked for in the background, from the first time that this is asked for."""
        return Neighbours(self.space, self.near_order)

    @staticmethod
    def of(
        table: Tuples, distance: RecordDistance, centroid: Centroid = "semantic", numeric: NumericCentre = "mean"
    ) -> Operators:
        for metric in _coded(distance):
            metric.rows(metric.column)  # large tables, which both need: they are made once
        rules = Background(lambda: make_rules(distance, centroid))
        return Operators(table, distance, distance.space(table), rules.result(), centroid, numeric)

    @staticmethod
    def of_centres(table: Tuples, distance: RecordDistance, centroid: Centroid = "semantic") -> Operators:
        """The same for centres only: nothing can be compared."""
        return Operators(table, distance, distance.space(table, tables=False), make_rules(distance, centroid), centroid)

    def part(self, some: Longs) -> Operators:
        """The same of some of the tuples, whose columns and distances are those of all; without sets, and without units."""
        return replace(self, tuples=self.tuples.part(some), space=take_tuples(self.space, some))

    @cached_property
    def turned(self) -> Turned:
        """The tables of the space with a row for each value; costs that are distances are not copied, for they are large."""
        coded = _coded(self.distance)
        raws = [metric.rows(metric.column)[0] for metric in coded]
        tables = [np.zeros((0, 0)) if raw is None else raw for raw in raws]
        squares = [self.distance.squares(metric) for metric in coded]
        costs = None if self.centroid == "consensus" else [metric.centre_rule(self.centroid).cost for metric in coded]
        if costs is not None and all(raw is None or raw is cost for raw, cost in zip(raws, costs, strict=True)):
            joined, at = self.rules.costs, self.rules.cost_at
            squares = [False] * len(coded) if _squared_costs(self.distance, self.centroid) else squares
        else:
            joined, at = joined_tables(tables), np.cumsum([0, *(table.size for table in tables)])[:-1]
        return Turned(
            joined,
            at.astype(np.int64),
            np.array([table.shape[1] for table in tables], dtype=np.int64),
            np.array([self.distance.factor(metric) for metric in coded], dtype=np.float64),
            np.array(squares, dtype=np.bool_),
        )

    def decode_rows(self, rows: NDArray[Any]) -> list[NDArray[Any]]:
        """Rows of the attributes that are coded or hold sets, by attribute, as concepts, codes and sets."""
        decoded, place, sets = [], 0, iter(() if self.space.sets is None else pairwise(self.space.sets.point_at))
        for metric in self.distance.metrics:
            if metric.of_sets:
                decoded.append(metric.centres_of_sets(sets_of_rows(rows, *next(sets))))
            elif not metric.on_line:
                decoded.append(metric.centre_of_row(rows[:, place].astype(np.int64)))
                place += 1
        return decoded

    def centres(
        self, rows: Rows, group_of: NDArray[Any], groups: int, progress: Progress = silent
    ) -> list[NDArray[Any]]:
        """The centre of each group, by column; ``group_of`` gives the group of each of the rows."""
        return self.centres_of(*members(rows, group_of, groups), progress=progress)

    def centres_of(
        self, at: Longs, tuples: Longs, weights: Longs, *, progress: Progress = silent
    ) -> list[NDArray[Any]]:
        """The centres of groups that are given as tuples with numbers of records; ``at`` is where each begins."""
        groups = len(at) - 1
        coded = iter(self.decode_rows(self.points(at, tuples, weights, progress=progress).rows))
        group = np.repeat(np.arange(groups), np.diff(at))
        return [
            metric.line_centres(column.centre_of_code[codes[tuples]], group, weights, groups, self.numeric)
            if metric.on_line
            else next(coded)
            for metric, column, codes in zip(self.distance.metrics, self.tuples.columns, self.tuples.codes, strict=True)
        ]

    def points(self, at: Longs, tuples: Longs, weights: Longs, *, progress: Progress = silent) -> Point:
        """The same centres where the kernels see them, one row for each group."""
        groups = len(at) - 1
        points = new_points(self.space, groups)
        tally, point = new_tally(self.space, self.rules), new_point(self.space)
        for begin in range(0, groups, STRIDE):
            end = min(groups, begin + STRIDE)
            progress(begin / groups, "computing the centre of each group")
            centres_of_groups(self.space, self.rules, tally, point, at, tuples, weights, points, begin, end)
        return points


def members(rows: Rows, group_of: NDArray[Any] | None = None, groups: int = 1) -> tuple[Longs, Longs, Longs]:
    """The tuples of each group with the number of their records in it: where each group begins, tuples, numbers.

    ``group_of``: of each row; not given: all are in one group.
    """
    group_of = np.zeros(len(rows), dtype=np.int64) if group_of is None else group_of
    group, tuples, weights = count_pairs(group_of, rows.tuple_of, rows.p, rows.counts)
    return np.searchsorted(group, np.arange(groups + 1)).astype(np.int64), tuples, weights


def _coded(distance: RecordDistance) -> list[ColumnDistance]:
    """The columns whose values stand in tables, or are equal or not."""
    return [metric for metric in distance.metrics if not metric.on_line and not metric.of_sets]


def _squared_costs(distance: RecordDistance, centroid: Centroid) -> bool:
    """Are costs squares of distances? The centre then has the least sum of what balanced distances add up."""
    return distance.kind == "balanced" and centroid == "semantic"


def make_rules(distance: RecordDistance, centroid: Centroid) -> Rules:
    """What the kernels need to choose centres."""
    line = [metric for metric in distance.metrics if metric.on_line]
    rules = [metric.centre_rule(centroid) for metric in _coded(distance)]
    squared = _squared_costs(distance, centroid)
    of_sets = [metric.centre_rule(centroid) for metric in distance.metrics if metric.of_sets]
    largest = np.array([rule.cost.max(initial=0.0) for rule in rules])
    largest = largest**2 if squared else largest
    with np.errstate(divide="ignore"):
        fix = np.where(largest > 0, HIGH / 2.0 ** np.ceil(np.log2(largest)), 1.0)
    above = np.concatenate([np.zeros(0, dtype=np.int64), *(rule.above for rule in rules)])
    tree = all(rule.tree for rule in rules)
    empty = np.zeros(0)
    return Rules(
        np.array([metric.ranks for metric in line], dtype=np.int64),
        np.array([distance.factor(metric) for metric in line], dtype=np.float64),
        np.array([rule.kind for rule in rules], dtype=np.int64),
        joined_tables([rule.cost for rule in rules], squared=squared),
        np.cumsum([0, *(rule.cost.size for rule in rules)], dtype=np.int64)[:-1],
        fix,
        np.cumsum([0, *(rule.cost.shape[1] for rule in rules)], dtype=np.int64),
        np.concatenate([empty, *(rule.depth for rule in rules)]).astype(np.int64),
        starts(above),
        np.concatenate([empty, *(rule.up for rule in rules)]).astype(np.uint32),
        np.array([rule.void for rule in rules], dtype=np.int64),
        np.zeros(0, dtype=np.int16) if tree else np.concatenate([rule.links().ravel() for rule in rules]),
        make_set_rules(of_sets),
    )
