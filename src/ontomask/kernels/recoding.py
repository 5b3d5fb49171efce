"""Recoding (T12 Algorithm 2): the rarest tuples move to the nearest other tuple until every one has k records.

Where units are counted, such as persons, the frequency of a tuple is the number of its units.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.kernels.blocks import SIZE, Blocks, drop_slot, tidy
from ontomask.kernels.compiling import inner, kernel, makes_arrays
from ontomask.kernels.searching import bound_below, face, look_near, look_through, nearest_bound, renew_extremes
from ontomask.kernels.space import Longs, Point, Space, set_point, slack


class Moves(NamedTuple):
    """``into[t]``: the tuple that t moved to, or t itself; ``rarest``: the set T.

    ``state``: the next place in T, the size of T, the frequency of its tuples. ``units``: whose records have each tuple.
    """

    into: NDArray[np.int32]
    rarest: Longs
    state: Longs
    units: Owners


class Owners(NamedTuple):
    """The units of tuple t are ``unit[at[t]:at[t + 1]]``, the tuples of unit u ``tuple[of[u]:of[u + 1]]``; empty: records
    are counted.

    Tuples that moved are a list: ``after[t]`` follows t, ``end[t]`` is the last of those that moved to t (-1: none).
    ``seen[u]``: the last tuple that moved and had unit u.
    """

    at: Longs
    unit: Longs
    of: Longs
    tuple: Longs
    after: Longs
    end: Longs
    seen: Longs


def new_moves(p: int, at: Longs | None = None, unit: Longs | None = None) -> Moves:
    """``at`` and ``unit``: the units of all tuples; not given: records are counted."""
    none = np.zeros(0, dtype=np.int64)
    owners = Owners(none, none, none, none, none, none, none)
    if at is not None and unit is not None:
        units = int(unit.max(initial=-1)) + 1
        of = np.concatenate(([0], np.cumsum(np.bincount(unit, minlength=units)))).astype(np.int64)
        tuples = np.repeat(np.arange(p), np.diff(at))[np.argsort(unit, kind="stable")]
        nobody = np.full(p, -1, dtype=np.int64)
        owners = Owners(at, unit, of, tuples, nobody, np.arange(p), np.full(units, -1, dtype=np.int64))
    return Moves(np.arange(p, dtype=np.int32), np.zeros(p, dtype=np.int64), np.zeros(3, dtype=np.int64), owners)


@kernel
def recoding_steps(
    space: Space, blocks: Blocks, point: Point, moves: Moves, k: int, weighted: bool, budget: int
) -> bool:
    """Move tuples to the nearest other one until all have k records (True), or ``budget`` of them were moved (False)."""
    state = moves.state
    stop = blocks.count[1] - budget
    while True:
        if state[0] == state[1]:
            tidy(space, blocks)
            _find_rarest(blocks, moves)
            if state[2] >= k:
                return True
        if blocks.count[1] <= stop:
            return False
        tuple_ = moves.rarest[state[0]]
        state[0] += 1
        slot = blocks.slot[tuple_]
        if blocks.weight[slot] != state[2]:
            continue  # others have joined it since T was made
        target = _nearest(space, blocks, point, slot, weighted)
        blocks.weight[target] += _gain(moves, tuple_, blocks.ids[target], blocks.weight[slot])
        moves.into[tuple_] = blocks.ids[target]
        drop_slot(space, blocks, slot)


@inner
def _gain(moves: Moves, tuple_: int, target: int, weight: int) -> int:
    """How much more frequent the target is once a tuple of frequency ``weight`` has moved to it."""
    units = moves.units
    if units.at.size == 0:
        return weight
    gain, member = np.int64(0), np.int64(tuple_)
    while member >= 0:
        for i in range(units.at[member], units.at[member + 1]):
            unit = units.unit[i]
            if units.seen[unit] != tuple_:
                units.seen[unit] = tuple_
                gain += not _has(moves, target, unit)
        member = units.after[member]
    units.after[units.end[target]] = tuple_
    units.end[target] = units.end[tuple_]
    return gain


@inner
def _has(moves: Moves, target: int, unit: int) -> bool:
    """Does the unit have records that show the target by now?"""
    for i in range(moves.units.of[unit], moves.units.of[unit + 1]):
        shown = moves.units.tuple[i]
        while moves.into[shown] != shown:
            moves.into[shown] = moves.into[moves.into[shown]]  # half the way for those who ask again
            shown = np.int64(moves.into[shown])
        if shown == target:
            return True
    return False


@inner
@makes_arrays
def _find_rarest(blocks: Blocks, moves: Moves) -> None:
    """T: the tuples of least frequency, in the order first seen."""
    least, several = np.int64(-1), 0
    for b in range(blocks.count[0]):
        for i in range(b * SIZE, b * SIZE + blocks.fill[b]):
            if least < 0 or blocks.weight[i] < least:
                least, several = blocks.weight[i], 0
            if blocks.weight[i] == least:
                moves.rarest[several] = blocks.ids[i]
                several += 1
    moves.rarest[:several].sort()
    moves.state[0] = 0
    moves.state[1] = several
    moves.state[2] = least


@inner
def _nearest(space: Space, blocks: Blocks, point: Point, slot: int, weighted: bool) -> int:
    """The slot at the least distance from the tuple at ``slot``; of equals the rarest, then the first seen."""
    set_point(space, point, blocks.ids[slot])
    tie = slack(space, weighted)
    face(space, blocks, point)
    look_through(space, blocks, point, weighted, slot // SIZE)
    blocks.out[slot] = np.inf
    renew_extremes(blocks, slot // SIZE)
    if weighted:
        bound_below(space, blocks, point, True, np.inf)
    else:
        look_near(space, blocks, point, tie)
    bound = nearest_bound(space, blocks, point, weighted, tie, 0.0)
    best = np.int64(-1)
    for b in range(blocks.count[0]):
        if blocks.known[b] and blocks.least[b] <= bound:
            for i in range(b * SIZE, b * SIZE + blocks.fill[b]):
                if blocks.out[i] <= bound:
                    best = _rarer(blocks, best, i)
    return best


@inner
def _rarer(blocks: Blocks, best: int, i: int) -> int:
    """The slot with fewer records; of equals the one first seen."""
    if best < 0 or blocks.weight[i] < blocks.weight[best]:
        return i
    if blocks.weight[i] == blocks.weight[best] and blocks.ids[i] < blocks.ids[best]:
        return i
    return best
