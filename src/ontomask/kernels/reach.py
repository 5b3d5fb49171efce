"""The distance within which the nearest so many records lie."""

from __future__ import annotations

import numpy as np

from ontomask.kernels.blocks import SIZE, Blocks
from ontomask.kernels.compiling import inner
from ontomask.kernels.searching import look_through
from ontomask.kernels.space import Floats, Longs, Point, Space


@inner
def within_reach(
    space: Space, blocks: Blocks, point: Point, records: int, tie: float, heap: Floats, load: Longs
) -> float:
    """The distance within which the ``records`` nearest records lie; every tuple that near is in a known block.

    ``heap`` and ``load`` are room for one tuple more than that: the distances and weights of the nearest seen so far,
    the farthest of them on top.
    """
    size, held, bound = 0, np.int64(0), np.inf
    while True:
        b = _most_promising(blocks)
        if b < 0 or blocks.least[b] > bound + tie * bound:
            return bound
        look_through(space, blocks, point, False, b)
        for i in range(b * SIZE, b * SIZE + blocks.fill[b]):
            if blocks.out[i] < bound:
                _push(heap, load, size, blocks.out[i], blocks.weight[i])
                size += 1
                held += blocks.weight[i]
                # What lies farther than enough others is not among the nearest.
                while held - load[0] >= records:
                    held -= load[0]
                    size -= 1
                    _pop(heap, load, size)
                if held >= records:
                    bound = heap[0]


@inner
def reach_within(blocks: Blocks, b: int, records: int, heap: Floats, load: Longs) -> float:
    """The distance within which a known block holds so many records, or infinity if it does not."""
    size, held = 0, np.int64(0)
    for i in range(b * SIZE, b * SIZE + blocks.fill[b]):
        if held < records or blocks.out[i] < heap[0]:
            _push(heap, load, size, blocks.out[i], blocks.weight[i])
            size += 1
            held += blocks.weight[i]
            while held - load[0] >= records:
                held -= load[0]
                size -= 1
                _pop(heap, load, size)
    return heap[0] if held >= records else np.inf


@inner
def _most_promising(blocks: Blocks) -> int:
    """The block with the least distance of those not looked through; -1 if there is none."""
    chosen, least = np.int64(-1), np.inf
    for b in range(blocks.count[0]):
        if not blocks.known[b] and blocks.least[b] < least:
            chosen, least = b, blocks.least[b]
    return chosen


@inner
def _push(heap: Floats, load: Longs, size: int, distance: float, weight: int) -> None:
    """Add to a heap whose greatest stands first."""
    place = size
    while place > 0 and heap[(place - 1) // 2] < distance:
        above = (place - 1) // 2
        heap[place], load[place] = heap[above], load[above]
        place = above
    heap[place], load[place] = distance, weight


@inner
def _pop(heap: Floats, load: Longs, size: int) -> None:
    """Take the first away; ``size`` are left."""
    distance, weight = heap[size], load[size]
    place = 0
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        if child + 1 < size and heap[child + 1] > heap[child]:
            child += 1
        if distance >= heap[child]:
            break
        heap[place], load[place] = heap[child], load[child]
        place = child
    heap[place], load[place] = distance, weight
