"""Recoding (T12 Algorithm 2): the rarest tuples move to the nearest other tuple until every one has k records."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.kernels.blocks import SIZE, Blocks, drop_slot, tidy
from ontomask.kernels.compiling import inner, kernel
from ontomask.kernels.searching import bound_below, face, look_near, look_through, nearest_bound, renew_extremes
from ontomask.kernels.space import Longs, Point, Space, set_point, slack


class Moves(NamedTuple):
    """``into[t]``: the tuple that t moved to, or t itself; ``rarest``: the set T.

    ``state``: the next place in T, the size of T, the frequency of its tuples.
    """

    into: NDArray[np.int32]
    rarest: Longs
    state: Longs


def new_moves(p: int) -> Moves:
    return Moves(np.arange(p, dtype=np.int32), np.zeros(p, dtype=np.int64), np.zeros(3, dtype=np.int64))


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
        blocks.weight[target] += blocks.weight[slot]
        moves.into[tuple_] = blocks.ids[target]
        drop_slot(space, blocks, slot)


@inner
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
    bound = nearest_bound(space, blocks, point, weighted, tie)
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
