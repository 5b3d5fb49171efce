"""Groups that are t-close by construction: each takes a record of every part of the sensitive column (Soria-Comas et al. 2015).

The records, sorted by the sensitive column, are cut into k' parts of n / k' records. A group with one record of each part is
at an ordered earth mover's distance of at most (n - k') / (2 (n - 1) k') from the whole table where all values differ. With
equal values or another ground the model itself decides, and groups that fail are joined.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ontomask.arrays import Longs
from ontomask.kernels.blocks import new_blocks
from ontomask.kernels.centres import add_all, new_tally
from ontomask.kernels.groups import GROUPS
from ontomask.kernels.parts import distances_from_centres, form_by_parts, new_parts
from ontomask.kernels.space import new_point
from ontomask.masking.goals import Goals
from ontomask.masking.repair import merge_until
from ontomask.microdata.encoding import Rows
from ontomask.operators.aggregation import Operators, members
from ontomask.privacy.t_closeness import TClosenessJudge
from ontomask.progress import Progress, stretch
from ontomask.statements import Statement, note

#: Groups times distinct combinations up to which groups are formed this way: about a minute.
MOST_WORK = 5_000_000_000


@dataclass(frozen=True, eq=False)
class Joined:
    """Groups, some of them joined until what is required held: of each record, how many there are and were joined."""

    group_of: NDArray[np.int32]
    groups: int
    joined: int
    notes: tuple[Statement, ...] = ()

    def loss(self, operators: Operators, rows: Rows) -> float:
        """How far records are from the centre of their group on average; squared where record distances are roots."""
        found = members(rows, self.group_of, self.groups)
        space = operators.space
        total = distances_from_centres(space, new_point(space), operators.points(*found), *found)
        return float(total) / len(rows)


def closest(goals: Goals, operators: Operators, rows: Rows, k: int, joined: Joined, progress: Progress) -> Joined:
    """Groups that were joined until all models held, or those made of parts of the column that one t-closeness is about:
    whichever lose less. Notes say which, and what both lose.

    ``rows``: the records. Nothing is tried where no group had to be joined, no or several columns must be t-close, or some
    units have several records.
    """
    tuples = operators.tuples
    judge = _close_column(goals)
    if judge is None or not joined.joined or tuples.size < tuples.n:
        return joined
    (name,) = judge.columns
    parts = parts_for(len(rows), judge.model.t, k)
    about, groups = judge.model.describe(), len(rows) // parts
    if groups * tuples.p > MOST_WORK:
        told = note(f"{about}: too many records to form groups by parts of the column, so groups were joined", name)
        return replace(joined, notes=(told,))
    of, _ = by_parts(operators, rows, judge.order(name)[goals.codes[name]], parts, stretch(progress, 0.0, 0.7))
    made = Joined(*merge_until(goals, operators, of, groups, stretch(progress, 0.7, 1.0)))
    theirs, own = joined.loss(operators, rows), made.loss(operators, rows)
    distance = f"the mean {'squared ' if operators.distance.squared else ''}distance of records from their centres is"
    taken = f"each group takes a record of each of {parts:,} parts of the column"
    if own < theirs and not goals.fails(made.group_of, made.groups).any():
        text = f"{about}: {taken}; {distance} {own:.4g}, and {theirs:.4g} if groups are joined"
        return replace(made, notes=(note(text, name),))
    text = f"{about}: groups were joined; {distance} {theirs:.4g}, and {own:.4g} if {taken}"
    return replace(joined, notes=(note(text, name),))


def _close_column(goals: Goals) -> TClosenessJudge | None:
    """The t-closeness that is required, where there is one and it is about one column."""
    judges = [judge for judge in goals.judges if isinstance(judge, TClosenessJudge)]
    return judges[0] if len(judges) == 1 and len(judges[0].columns) == 1 else None


def parts_for(n: int, t: float, k: int) -> int:
    """k': the least number of parts, at least k, for which (n - k') / (2 (n - 1) k') is at most t; as many more as groups
    can take from what is left over."""
    parts = min(n, max(k, math.ceil(n / (2 * (n - 1) * t + 1))))
    return parts + n % parts // (n // parts)


def by_parts(
    operators: Operators, rows: Rows, places: Longs, parts: int, progress: Progress
) -> tuple[NDArray[np.int32], int]:
    """The group of each record, and how many there are: a record of each part in each group. ``places``: what records are
    sorted by.

    What is left over is in the middle part, or in both: these give some groups another record.
    """
    n, tuples = len(rows), operators.tuples
    groups, spare = divmod(n, parts)
    sizes = np.full(parts, groups)
    sizes[(parts - 1) // 2] += spare - spare // 2
    sizes[parts // 2] += spare // 2
    order = np.argsort(places, kind="stable")
    part_of = np.empty(n, dtype=np.int64)
    part_of[order] = np.repeat(np.arange(parts), sizes)
    space, rules = operators.space, operators.rules
    blocks = new_blocks(space, tuples.counts, operators.near_order)
    tally, point = new_tally(space, rules), new_point(space)
    add_all(space, rules, tally, tuples.counts)
    made = new_parts(part_of, rows.tuple_of, order, parts, tuples.p, groups)
    stride = max(2, 20_000_000 // (tuples.p + 1000))
    while not form_by_parts(space, rules, blocks, tally, point, made, stride):
        progress(int(made.counts[GROUPS]) / groups, "forming groups of all parts of the sensitive column")
    return made.group, groups
