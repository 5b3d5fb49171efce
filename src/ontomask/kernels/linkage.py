"""Record linkage by distance (T12 8.1-8.4), on distinct tuples: each known tuple against all released ones."""

from __future__ import annotations

import numpy as np

from ontomask.kernels.blocks import SIZE, Blocks
from ontomask.kernels.compiling import kernel
from ontomask.kernels.searching import bound_below, face, look_from, look_through, nearest_bound
from ontomask.kernels.space import Floats, Longs, Point, Space, slack, take_point


@kernel
def linkage_range(
    space: Space,
    blocks: Blocks,
    point: Point,
    points: Point,
    pair_at: Longs,
    pair_tuple: Longs,
    pair_count: Longs,
    begin: int,
    end: int,
    chance: Floats,
) -> None:
    """For each known tuple o (begin <= o < end) the expected number of its records that are linked correctly.

    ``space`` and ``blocks`` hold the released tuples with their frequencies; ``at[o]``, ``gone[o]``, ``rows[o]`` is
    where o stands; ``pair_tuple[pair_at[o]:pair_at[o + 1]]`` are the released tuples of o's own records, with their
    numbers. LR is the set of all released records at the least distance; a record in it is found with chance 1/|LR|.
    """
    tie = slack(space, False)
    for o in range(begin, end):
        take_point(points, o, point)
        face(space, blocks, point)
        nearest_own = least = np.inf
        for i in range(pair_at[o], pair_at[o + 1]):
            slot = blocks.slot[pair_tuple[i]]
            if not blocks.known[slot // SIZE]:
                look_through(space, blocks, point, False, slot // SIZE)
            nearest_own, least = min(nearest_own, blocks.out[slot]), min(least, blocks.least[slot // SIZE])
        chance[o] = 0.0
        if pair_at[o] == pair_at[o + 1] or nearest_own > least + tie * least:
            continue  # another tuple is nearer than all of its own: the rest need not be looked at
        bound_below(space, blocks, point, False, least + tie * least)
        bound = nearest_bound(space, blocks, point, False, tie, 0.0)
        own = np.int64(0)
        for i in range(pair_at[o], pair_at[o + 1]):
            if blocks.out[blocks.slot[pair_tuple[i]]] <= bound:
                own += pair_count[i]
        if own == 0:
            continue
        closest = np.int64(0)
        for b in range(blocks.count[0]):
            if blocks.known[b] and blocks.least[b] <= bound:
                for i in range(b * SIZE, b * SIZE + blocks.fill[b]):
                    if blocks.out[i] <= bound:
                        closest += blocks.weight[i]
        chance[o] = own / closest


@kernel
def nearest_range(
    space: Space,
    blocks: Blocks,
    point: Point,
    points: Point,
    begin: int,
    end: int,
    ends: Longs,
    found: Longs,
) -> int:
    """For each known tuple o (begin <= o < end) all released tuples at the least distance, one after the other in
    ``found``; those of o end at ``ends[o]``.

    Stops where ``found`` might not hold those of the next one; returns the first tuple that was not looked up.
    """
    tie = slack(space, False)
    used = np.int64(0)
    for o in range(begin, end):
        if used + blocks.count[1] > found.size:
            return o
        take_point(points, o, point)
        look_from(space, blocks, point, False)
        bound = nearest_bound(space, blocks, point, False, tie, 0.0)
        for b in range(blocks.count[0]):
            if blocks.known[b] and blocks.least[b] <= bound:
                for i in range(b * SIZE, b * SIZE + blocks.fill[b]):
                    if blocks.out[i] <= bound:
                        found[used] = blocks.ids[i]
                        used += 1
        ends[o] = used
    return end
