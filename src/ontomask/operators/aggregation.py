"""The centres of groups of records (specification 4): T12's aggregation operator on tables of any mix of kinds.

Nominal attributes: by the kind of centroid that is asked for. Flat ones: the most frequent value. Ordinal: the lower
median. Numeric: the mean, or the median. Where more than half of a group's numbers or ranks are missing, its centre is
missing too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ontomask.arrays import Floats, Longs
from ontomask.distances.closure import Closure
from ontomask.distances.sweep import FewestDown, sweep
from ontomask.kernels.centres import HIERARCHY, HIGH, MODE, PRESENT, SUBSUMER, Rules, new_tally
from ontomask.kernels.groups import centres_of_groups
from ontomask.kernels.space import Point, Space, new_point
from ontomask.kinds.concept_distance import NominalDistance
from ontomask.kinds.line import LineDistance
from ontomask.kinds.numeric import NumericColumn
from ontomask.microdata.encoding import Table
from ontomask.operators.record_distance import RecordDistance
from ontomask.progress import Progress, silent

Centroid = Literal["semantic", "marginality", "mode", "lcs", "consensus"]
NumericCentre = Literal["mean", "median"]
_RULE = {"semantic": HIERARCHY, "marginality": PRESENT, "consensus": PRESENT, "mode": MODE, "lcs": SUBSUMER}
#: Groups whose centres are worked out between two reports of progress.
STRIDE = 1 << 14


@dataclass(frozen=True, eq=False)
class Operators:
    """A table with the operators of T12 chapter 4: how its records are compared, and how groups get their centre.

    ``numeric``: what :meth:`centres` gives of numbers; groups are formed around means, whatever they show.
    """

    table: Table
    distance: RecordDistance
    space: Space
    rules: Rules
    numeric: NumericCentre = "mean"

    @staticmethod
    def of(
        table: Table, distance: RecordDistance, centroid: Centroid = "semantic", numeric: NumericCentre = "mean"
    ) -> Operators:
        return Operators(table, distance, distance.space(table), make_rules(distance, centroid), numeric)

    def decode_rows(self, rows: NDArray[Any]) -> list[NDArray[Any]]:
        """Rows of the coded attributes, by attribute, as concepts and codes."""
        decoded, place = [], 0
        for metric in self.distance.metrics:
            if isinstance(metric, LineDistance):
                continue
            chosen = rows[:, place].astype(np.int64)
            if isinstance(metric, NominalDistance):
                chosen = np.append(metric.universe, -1)[chosen]
            decoded.append(chosen)
            place += 1
        return decoded

    def centres(self, group_of: NDArray[Any], groups: int, progress: Progress = silent) -> list[NDArray[Any]]:
        """The centre of each group, by column; ``group_of`` gives the group of each record."""
        return self.centres_of(*members(self.table.tuple_of, group_of, groups, self.table.p), progress=progress)

    def centres_of(
        self, at: Longs, tuples: Longs, weights: Longs, *, progress: Progress = silent
    ) -> list[NDArray[Any]]:
        """The centres of groups that are given as tuples with numbers of records; ``at`` is where each begins."""
        groups = len(at) - 1
        coded = iter(self.decode_rows(self.points(at, tuples, weights, progress=progress).rows))
        group = np.repeat(np.arange(groups), np.diff(at))
        return [
            _line_centres(metric, column.centre_of_code[codes[tuples]], group, weights, groups, self.numeric)
            if isinstance(metric, LineDistance)
            else next(coded)
            for metric, column, codes in zip(self.distance.metrics, self.table.columns, self.table.codes, strict=True)
        ]

    def points(self, at: Longs, tuples: Longs, weights: Longs, *, progress: Progress = silent) -> Point:
        """The same centres where the kernels see them, one row for each group."""
        groups = len(at) - 1
        points = Point(
            np.zeros((groups, len(self.space.numbers))),
            np.zeros((groups, len(self.space.numbers))),
            np.zeros((groups, len(self.space.codes)), dtype=np.uint32),
        )
        tally, point = new_tally(self.space, self.rules), new_point(self.space)
        for begin in range(0, groups, STRIDE):
            end = min(groups, begin + STRIDE)
            progress(begin / groups, "working out the centre of each group")
            centres_of_groups(self.space, self.rules, tally, point, at, tuples, weights, *points, begin, end)
        return points


def members(tuple_of: NDArray[Any], group_of: NDArray[Any], groups: int, p: int) -> tuple[Longs, Longs, Longs]:
    """The tuples of each group with the number of their records in it: where each group begins, tuples, numbers."""
    key = group_of.astype(np.int64) * p + tuple_of
    distinct, weights = np.unique(key, return_counts=True)
    at = np.searchsorted(distinct // p, np.arange(groups + 1))
    return at.astype(np.int64), distinct % p, weights.astype(np.int64)


def _line_centres(
    metric: LineDistance,
    values: NDArray[Any],
    group: Longs,
    weights: Longs,
    groups: int,
    numeric: NumericCentre,
) -> NDArray[Any]:
    """Means or medians of numbers, lower medians of ranks."""
    gone = metric.column.is_missing(values)
    here = np.bincount(group[~gone], weights=weights[~gone], minlength=groups)
    absent = np.bincount(group[gone], weights=weights[gone], minlength=groups)
    values, group, weights = values[~gone], group[~gone], weights[~gone]
    # By size, so that no sum depends on the order of the records.
    order = np.lexsort((weights, values, group))
    values, group, weights = values[order], group[order], weights[order]
    if not isinstance(metric.column, NumericColumn):
        medians = np.append(values, -1)[_middle(group, weights, here, np.ceil(here / 2))]
        return np.where((absent > here) | (here == 0), -1, medians)
    if numeric == "mean":
        # The mean of the differences from each group's least value: equal values have exactly themselves as mean.
        first = np.zeros(groups)
        first[group[::-1]] = values[::-1]
        sums = np.bincount(group, weights=(values - first[group]) * weights, minlength=groups)
        centres: NDArray[Any] = first + sums / np.maximum(here, 1)
    else:
        low, high = (
            np.append(values, 0.0)[_middle(group, weights, here, rank)]
            for rank in (np.ceil(here / 2), np.floor(here / 2) + 1)
        )
        centres = low + (high - low) / 2
    centres[absent > here] = np.nan
    return centres


def _middle(group: Longs, weights: Longs, here: NDArray[Any], rank: NDArray[Any]) -> Longs:
    """Where the value of a rank stands in each group, of values that are sorted by group and size."""
    seen = np.cumsum(weights)
    before = np.concatenate(([0], seen))[np.searchsorted(group, np.arange(len(here)))]
    places: Longs = np.minimum(np.searchsorted(seen, before + rank, side="left"), len(weights)).astype(np.int64)
    return places


def make_rules(distance: RecordDistance, centroid: Centroid) -> Rules:
    """What the kernels need to choose centres."""
    levels, step = [], []
    kind, fix, void = [], [], []
    costs, cost_at, used = [np.zeros(0)], [], 0
    empty: NDArray[Any] = np.zeros(0)
    row_at, depth, up_at, up, links = [0], [empty], [np.zeros(1, dtype=np.int64)], [empty], [empty]
    tree = True
    ups = 0
    for metric in distance.metrics:
        if isinstance(metric, LineDistance):
            ordinal = not isinstance(metric.column, NumericColumn)
            levels.append(int(metric.largest) + 1 if ordinal else 0)
            step.append(distance.factor(metric))
            continue
        cost_at.append(used)
        if not isinstance(metric, NominalDistance):
            kind.append(MODE)
            fix.append(1.0)
            void.append(-1)
            row_at.append(row_at[-1])
            continue
        cost = confusion(metric) if centroid == "consensus" else metric.table
        kind.append(_RULE[centroid])
        largest = cost.max(initial=0.0)
        fix.append(HIGH / 2.0 ** np.ceil(np.log2(largest)) if largest > 0 else 1.0)
        missing = metric.column.missing is not None
        void.append(len(metric.universe) if missing else -1)
        pairs = metric.dag.ancestor_pairs(metric.inside(metric.universe))
        above = np.searchsorted(metric.inside(metric.universe), pairs.concept)
        order = np.argsort(pairs.row, kind="stable")
        lengths = np.bincount(pairs.row, minlength=len(metric.universe))
        own_rows = above[order]
        if missing:
            lengths, own_rows = np.append(lengths, 1), np.append(own_rows, len(metric.universe))
        up.append(own_rows)
        up_at.append(ups + np.cumsum(lengths))
        ups += len(own_rows)
        depth.append(np.append(metric.dag.depth[metric.inside(metric.universe)], [0] if missing else []))
        parents = metric.dag.parents.lengths()[metric.inside(metric.universe)]
        tree &= bool((parents <= 1).all())
        row_at.append(row_at[-1] + cost.shape[1])
        costs.append(cost.ravel())
        links.append(_links(metric, cost.shape[1]).ravel())
        used += cost.size
    return Rules(
        np.array(levels, dtype=np.int64),
        np.array(step, dtype=np.float64),
        np.array(kind, dtype=np.int64),
        np.concatenate(costs),
        np.array(cost_at, dtype=np.int64),
        np.array(fix, dtype=np.float64),
        np.array(row_at, dtype=np.int64),
        np.concatenate(depth).astype(np.int64),
        np.concatenate(up_at).astype(np.int64),
        np.concatenate(up).astype(np.uint32),
        np.array(void, dtype=np.int64),
        np.zeros(0, dtype=np.int16) if tree else np.concatenate(links).astype(np.int16),
    )


def _links(metric: NominalDistance, wide: int) -> NDArray[np.int16]:
    """The fewest links from each code of the column up to each concept of the universe, where it subsumes it."""
    links = np.zeros((len(metric.concepts), wide), dtype=np.int16)
    known = np.flatnonzero(metric.concepts >= 0)
    universe = metric.inside(metric.universe)
    pairs = metric.dag.ancestor_pairs(metric.inside(metric.concepts[known]))
    links[known[pairs.row], np.searchsorted(universe, pairs.concept)] = pairs.links
    return links


def confusion(metric: NominalDistance) -> Floats:
    """conf(a -> b) for the codes a and b of the column, b at its row: the fewest links down to b from what subsumes both.

    A missing value is one link further from all others than any of these is.
    """
    known = np.flatnonzero(metric.concepts >= 0)
    concepts = metric.inside(metric.concepts[known])
    cost = np.zeros_like(metric.table)
    if len(known):
        between = sweep(
            FewestDown(Closure(metric.dag, concepts)),
            concepts,
            concepts,
            lambda held, x, y: held,
            dtype=np.dtype(np.float64),
            workers=1,
        )
        cost[np.ix_(known, metric.row_of_code[known])] = between
    missing = metric.column.missing
    if missing is not None:
        far = 1 + cost.max(initial=0.0)
        cost[known, len(metric.universe)] = far
        cost[missing, : len(metric.universe)] = far
    return cost
