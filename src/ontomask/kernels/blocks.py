"""The tuples in play, in blocks of near ones, so that most of them need not be looked at.

For each block it is known between which numbers its coordinates lie and which codes occur in it. From that follow the
least and the greatest distance any of its tuples can have; a block is looked through only if that leaves it in
question. Bounds are added up in the same order as distances, so rounding cannot put a tuple outside them: the result
is that of looking at every tuple.
"""

from __future__ import annotations

import os
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.kernels.chunks import Chunks, list_chunks, new_chunks
from ontomask.kernels.coarse import Coarse, new_coarse
from ontomask.kernels.compiling import inner, inner_extremes, kernel
from ontomask.kernels.faced_sets import Faced, new_faced
from ontomask.kernels.space import Codes, Floats, Longs, Space

#: Slots of a block: their distances stay in the processor's nearest cache.
#: (Tests make it small, so that small tables have many blocks.)
SIZE = int(os.environ.get("ONTOMASK_BLOCK", "256"))
#: Up to this many coordinates every pattern of signs is followed: 2^5 directions.
FEW = 5


class Blocks(NamedTuple):
    """Slot ``i`` of block ``i // SIZE`` holds tuple ``ids[i]``; ``slot`` is where each tuple is.

    ``weight``: its number of records; ``key``: what decides between equals, the least first; ``out``: its distance, in
    blocks that are ``known``. ``fill``: slots in use, those at the beginning of a block; ``count``: blocks in use and
    tuples left. ``low`` to ``high``: the coordinates of a block; ``holes``: does it hold missing ones (1), others (2)?
    ``reach[s, b]``: how far a block reaches in the direction of the s-th pattern of signs, over the coordinates that
    are never missing (mean distances of few coordinates); ``middle`` and ``radius``: a ball around them (squared
    distances). ``listed[c, b, :lengths[c, b]]``: the codes in a block. ``light``, ``heavy``: least and greatest
    weight. ``least``, ``most``: bounds of the distances of a block, exact if it is known. ``upto``: of a known block the
    distance up to which ``out`` is exact, infinite but for sets; beyond it is a lower bound, and ``most`` says nothing; -1:
    only the farthest are exact, others have an upper bound. ``waiting``: room for blocks that are in question. ``faced``: the
    sets of the point that is faced. ``coarse``: the coordinates again, in coarse steps, where there are many of them.
    ``chunks``: the codes again, in chunks of near values, where there are many of them.
    """

    numbers: Floats
    absent: Floats
    codes: Codes
    ids: Longs
    weight: Longs
    key: Longs
    out: Floats
    slot: Longs
    fill: Longs
    count: Longs
    low: Floats
    high: Floats
    holes: NDArray[np.uint8]
    reach: Floats
    middle: Floats
    radius: Floats
    listed: Codes
    lengths: Longs
    light: Floats
    heavy: Floats
    least: Floats
    most: Floats
    room: Floats
    sums: Floats
    known: NDArray[np.bool_]
    waiting: Longs
    rows: Floats
    rows_at: Longs
    stamp: Longs
    upto: Floats
    faced: Faced | None
    coarse: Coarse
    chunks: Chunks


def new_blocks(space: Space, weight: Longs, order: Longs) -> Blocks:
    """All tuples in play, laid out in ``order``, near ones side by side."""
    p, numbers, coded = len(weight), len(space.numbers), len(space.codes)
    whole = int((space.gap == 0.0).sum())
    count = -(-p // SIZE)
    room = count * SIZE

    def laid_out(array: np.ndarray) -> np.ndarray:
        new = np.zeros((len(array), room if len(array) else 0), dtype=array.dtype)
        if len(array):
            new[:, :p] = array[:, order]
        return new

    ids = np.zeros(room, dtype=np.int64)
    ids[:p] = order
    slot = np.zeros(p, dtype=np.int64)
    slot[order] = np.arange(p)
    kept = np.zeros(room, dtype=np.int64)
    kept[:p] = weight[order]
    fill = np.full(count, SIZE, dtype=np.int64)
    fill[-1] = p - (count - 1) * SIZE
    blocks = Blocks(
        laid_out(space.numbers),
        laid_out(space.absent),
        laid_out(space.codes),
        ids,
        kept,
        ids.copy(),
        np.zeros(room),
        slot,
        fill,
        np.array([count, p], dtype=np.int64),
        np.zeros((numbers, count)),
        np.zeros((numbers, count)),
        np.zeros((numbers, count), dtype=np.uint8),
        np.zeros((0 if space.squared or not 0 < whole <= FEW else 2**whole, count)),
        np.zeros((numbers, count)),
        np.zeros(count),
        np.zeros((coded, count, SIZE), dtype=np.uint32),
        np.zeros((coded, count), dtype=np.int64),
        np.zeros(count),
        np.zeros(count),
        np.zeros(count),
        np.zeros(count),
        np.zeros(count),
        np.zeros(SIZE),
        np.zeros(count, dtype=np.bool_),
        np.zeros(count, dtype=np.int64),
        np.zeros(int(space.home_at[-1])),
        space.home_at,
        np.zeros(int(space.home_at[-1]) + 1, dtype=np.int64),
        np.full(count, np.inf),
        new_faced(space.sets, SIZE),
        new_coarse(space, order, room, SIZE),
        new_chunks(space, count, SIZE),
    )
    describe_all(space, blocks)
    return blocks


# ---- what is known of a block ------------------------------------------------------------------------------------


@kernel
def describe_all(space: Space, blocks: Blocks) -> None:
    for b in range(blocks.count[0]):
        _describe(space, blocks, b)


@inner
def _describe(space: Space, blocks: Blocks, b: int) -> None:
    """Compute the bounds of a block from the tuples in it."""
    begin, end = b * SIZE, b * SIZE + blocks.fill[b]
    for a in range(space.numbers.shape[0]):
        low, high, holes = np.inf, -np.inf, 0
        for i in range(begin, end):
            if space.gap[a] > 0.0 and blocks.absent[a, i] > 0.0:
                holes |= 1
            else:
                holes |= 2
                low = min(low, blocks.numbers[a, i])
                high = max(high, blocks.numbers[a, i])
        blocks.low[a, b], blocks.high[a, b], blocks.holes[a, b] = low, high, holes
    if space.squared:
        _enclose(space, blocks, b)
    else:
        _stretch(space, blocks, b)
    for c in range(space.codes.shape[0]):
        blocks.stamp[-1] += 1  # a new stamp for every list
        length = 0
        for i in range(begin, end):
            code = blocks.codes[c, i]
            place = blocks.rows_at[c] + np.int64(code)
            if blocks.stamp[place] != blocks.stamp[-1]:
                blocks.stamp[place] = blocks.stamp[-1]
                blocks.listed[c, b, length] = code
                length += 1
        blocks.lengths[c, b] = length
        list_chunks(blocks.chunks, c, b, blocks.listed[c, b, :length])
    light, heavy = np.inf, 0.0
    for i in range(begin, end):
        light = min(light, float(blocks.weight[i]))
        heavy = max(heavy, float(blocks.weight[i]))
    blocks.light[b], blocks.heavy[b] = light, heavy


@inner
def _stretch(space: Space, blocks: Blocks, b: int) -> None:
    """How far a block reaches in every direction of signs.

    sum |x_a - r_a| is the largest of sum s_a (x_a - r_a) over all patterns of signs s; so its maximum over the block
    is the largest of reach[s] - sum s_a r_a.
    """
    for pattern in range(blocks.reach.shape[0]):
        _stretch_along(space, blocks, b, pattern)


@inner
def _stretch_along(space: Space, blocks: Blocks, b: int, pattern: int) -> None:
    begin, end = b * SIZE, b * SIZE + blocks.fill[b]
    total = blocks.sums[: end - begin]
    total[:] = 0.0
    bit = 0
    for a in range(space.numbers.shape[0]):
        if space.gap[a] == 0.0:
            _add_signed(total, blocks.numbers[a, begin:end], 1.0 if (pattern >> bit) & 1 else -1.0)
            bit += 1
    blocks.reach[pattern, b] = extremes(total)[1]


@inner
def _add_signed(total: Floats, number: Floats, sign: float) -> None:
    for i in range(total.size):
        total[i] += sign * number[i]


@inner
def along(space: Space, at: Floats, pattern: int) -> float:
    """sum s_a x_a over the coordinates that are never missing."""
    total, bit = 0.0, 0
    for a in range(at.size):
        if space.gap[a] == 0.0:
            total += at[a] if (pattern >> bit) & 1 else -at[a]
            bit += 1
    return total


@inner
def _enclose(space: Space, blocks: Blocks, b: int) -> None:
    """A ball around the middle of a block."""
    for a in range(space.numbers.shape[0]):
        blocks.middle[a, b] = (blocks.low[a, b] + blocks.high[a, b]) / 2.0
    widest = 0.0
    for i in range(b * SIZE, b * SIZE + blocks.fill[b]):
        total = 0.0
        for a in range(space.numbers.shape[0]):
            if space.gap[a] == 0.0:
                total += (blocks.numbers[a, i] - blocks.middle[a, b]) ** 2
        widest = max(widest, total)
    blocks.radius[b] = np.sqrt(widest)


@inner_extremes
def extremes(out: Floats) -> tuple[float, float]:
    low, high = np.inf, -np.inf
    for i in range(out.size):
        low = min(low, out[i])
        high = max(high, out[i])
    return low, high


# ---- leaving the game ---------------------------------------------------------------------------------------------


@inner
def drop_slot(space: Space, blocks: Blocks, slot: int) -> None:
    """Take a tuple out of play: the last of its block moves to its slot. Extremes are not renewed."""
    b, tuple_ = slot // SIZE, blocks.ids[slot]
    blocks.fill[b] -= 1
    blocks.count[1] -= 1
    _move(blocks, b * SIZE + blocks.fill[b], slot)
    if blocks.fill[b] > 0:
        _tighten(space, blocks, b, tuple_)


@inner
def _tighten(space: Space, blocks: Blocks, b: int, tuple_: int) -> None:
    """Draw in the bounds of a block where the tuple that left was what they were about."""
    begin, end = b * SIZE, b * SIZE + blocks.fill[b]
    at = space.numbers[:, tuple_]
    for a in range(at.size):
        if space.gap[a] == 0.0 and (at[a] == blocks.low[a, b] or at[a] == blocks.high[a, b]):
            blocks.low[a, b], blocks.high[a, b] = extremes(blocks.numbers[a, begin:end])
    for pattern in range(blocks.reach.shape[0]):
        # What was left out by rounding is not missed: the bound is then only wider than it need be.
        if along(space, at, pattern) >= blocks.reach[pattern, b]:
            _stretch_along(space, blocks, b, pattern)
    for c in range(space.codes.shape[0]):
        code, length = space.codes[c, tuple_], blocks.lengths[c, b]
        if length > 1 and not _occurs(blocks.codes[c, begin:end], code):
            for j in range(length):
                if blocks.listed[c, b, j] == code:
                    blocks.listed[c, b, j] = blocks.listed[c, b, length - 1]
                    blocks.lengths[c, b] = length - 1
                    break


@inner
def _occurs(codes: Codes, code: int) -> bool:
    for i in range(codes.size):
        if codes[i] == code:
            return True
    return False


@inner
def _move(blocks: Blocks, source: int, target: int) -> None:
    if source == target:
        return
    for a in range(blocks.numbers.shape[0]):
        blocks.numbers[a, target] = blocks.numbers[a, source]
        if blocks.absent.size:
            blocks.absent[a, target] = blocks.absent[a, source]
    for a in range(blocks.coarse.steps.shape[0]):
        blocks.coarse.steps[a, target] = blocks.coarse.steps[a, source]
    for c in range(blocks.codes.shape[0]):
        blocks.codes[c, target] = blocks.codes[c, source]
    blocks.ids[target] = blocks.ids[source]
    blocks.weight[target] = blocks.weight[source]
    blocks.key[target] = blocks.key[source]
    blocks.out[target] = blocks.out[source]
    blocks.slot[blocks.ids[target]] = target


@inner
def tidy(space: Space, blocks: Blocks) -> bool:
    """Close the gaps once half of the slots are empty; were there any? Distances known before are lost."""
    if blocks.count[0] < 2 or 2 * blocks.count[1] > blocks.count[0] * SIZE:
        return False
    used = 0
    for b in range(blocks.count[0]):
        for i in range(b * SIZE, b * SIZE + blocks.fill[b]):
            _move(blocks, i, used)
            used += 1
    count = max(1, (used + SIZE - 1) // SIZE)
    blocks.count[0] = count
    for b in range(count):
        blocks.fill[b] = min(SIZE, used - b * SIZE)
        _describe(space, blocks, b)
    return True
