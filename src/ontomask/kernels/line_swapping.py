"""Rank swapping of one column of numbers, none of them missing (R17 Algorithm 2): the nearest stand side by side.

What comes out is what :mod:`ontomask.kernels.swapping` gives with the same random numbers, sooner.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ontomask.kernels.blocks import SIZE, Blocks, drop_slot, tidy
from ontomask.kernels.compiling import inner, kernel
from ontomask.kernels.searching import face
from ontomask.kernels.space import Floats, Longs, Point, Space, set_point, slack
from ontomask.kernels.swapping import Swaps, draw_tied, next_reference, pick_one, swap_value

#: How many ties apart the two most distant must be, so that there is no doubt which one is.
CLEAR = 4.0


class Line(NamedTuple):
    """Tuples in ascending order: that at place j is ``ids[j]`` and lies at ``at[j]``; ``place`` is where each stands.

    ``ends``: the first and the last place with records that are not done. ``left``: the tuples that none is left of, as they
    left, and -1 after each turn; ``noted``: how many entries it has, and up to which of them blocks have followed.
    """

    at: Floats
    ids: Longs
    place: Longs
    ends: Longs
    left: Longs
    noted: Longs


def line_of(space: Space, order: Longs, records: int) -> Line | None:
    """The tuples, if they lie on one line and blocks hold them in its order, in which ties are drawn; else None."""
    single = space.numbers.shape[0] == 1 and not len(space.codes) and space.sets is None
    if not single or space.squared or space.gap[0] > 0.0 or len(order) <= SIZE:
        return None
    at = space.numbers[0, order]
    if not (np.diff(at) > 0).all():
        return None
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    left = np.empty(len(order) + records, dtype=np.int64)
    return Line(at, order, place, np.array([0, len(order) - 1]), left, np.zeros(2, dtype=np.int64))


@kernel
def swap_steps_on_line(
    space: Space,
    line: Line,
    waiting: Blocks,
    point: Point,
    swaps: Swaps,
    k: int,
    together: bool,
    chance: np.random.Generator,
    budget: int,
) -> bool:
    """Swap around one reference record after another until all are done (True) or ``budget`` had their turn (False)."""
    tie = slack(space, False)
    now = swaps.now
    for _ in range(budget):
        reference = now[0]
        swaps.turns[now[2]] = reference
        size = _interval(line, swaps, k, tie, together, chance)
        now[2] += 1
        if not swaps.done[0, reference]:
            for left in swap_value(swaps, 0, size, chance):
                if left >= 0:
                    _note(line, left)
        if now[1] == 0:
            return True
        _note(line, np.int64(-1))
        tuple_ = _farthest(line, swaps, tie)
        if tuple_ >= 0:
            now[0] = swaps.records[swaps.at[tuple_] + pick_one(swaps.open[tuple_], chance)]
        else:
            _follow(space, line, waiting)
            set_point(space, point, swaps.tuple_of[reference])
            face(space, waiting, point)
            next_reference(space, waiting, point, swaps, tie, chance)
    return False


@inner
def _interval(line: Line, swaps: Swaps, k: int, tie: float, together: bool, chance: np.random.Generator) -> int:
    """The k records closest to the reference go to ``near``, in the order of the line; of equally far ones, some at random."""
    reference, at = swaps.now[0], line.at
    here = line.place[swaps.tuple_of[reference]]
    x, reach = at[here], 0.0
    left, right = here - 1, here + 1
    held = _records(line, swaps, here)
    while held < k + 1:  # the reference is one of them
        if right == at.size or (left >= 0 and abs(at[left] - x) <= abs(at[right] - x)):
            reach = abs(at[left] - x)
            held += _records(line, swaps, left)
            left -= 1
        else:
            reach = abs(at[right] - x)
            held += _records(line, swaps, right)
            right += 1
    inside, outside = reach - tie * reach, reach + tie * reach
    while left >= 0 and abs(at[left] - x) <= outside:
        left -= 1
    while right < at.size and abs(at[right] - x) <= outside:
        right += 1
    size, several, tied = 0, 0, np.int64(0)
    for place in range(left + 1, right):
        t = line.ids[place]
        if abs(at[place] - x) < inside:
            for j in range(swaps.at[t], swaps.at[t + 1]):
                if swaps.records[j] != reference:
                    swaps.near[size] = swaps.records[j]
                    size += 1
        else:
            tied += swaps.at[t + 1] - swaps.at[t]
            swaps.several[several] = t
            swaps.ends[several] = tied
            several += 1
    return draw_tied(swaps, size, k, several, tied, together, chance)


@inner
def _records(line: Line, swaps: Swaps, place: int) -> int:
    return swaps.at[line.ids[place] + 1] - swaps.at[line.ids[place]]


@inner
def _note(line: Line, left: int) -> None:
    line.left[line.noted[0]] = left
    line.noted[0] += 1


@inner
def _follow(space: Space, line: Line, waiting: Blocks) -> None:
    """Take out of the blocks what has left since they were asked last: they say in which order equally far ones are drawn."""
    for i in range(line.noted[1], line.noted[0]):
        if line.left[i] >= 0:
            drop_slot(space, waiting, waiting.slot[line.left[i]])
        else:
            tidy(space, waiting)
    line.noted[1] = line.noted[0]


@inner
def _farthest(line: Line, swaps: Swaps, tie: float) -> int:
    """The tuple that is farthest from the last reference, of those with records that are not done; -1: there may be others."""
    at, ends = line.at, line.ends
    while swaps.open[line.ids[ends[0]]] == 0:
        ends[0] += 1
    while swaps.open[line.ids[ends[1]]] == 0:
        ends[1] -= 1
    first, last = ends[0], ends[1]
    if first == last:
        return line.ids[first]
    x = at[line.place[swaps.tuple_of[swaps.now[0]]]]
    below, above = abs(at[first] - x), abs(at[last] - x)
    clear = max(below, above) * (1.0 - CLEAR * tie)
    if below > above:
        return line.ids[first] if max(above, abs(at[first + 1] - x)) < clear else np.int64(-1)
    return line.ids[last] if max(below, abs(at[last - 1] - x)) < clear else np.int64(-1)
