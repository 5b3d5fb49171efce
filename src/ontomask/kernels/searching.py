"""The nearest and the farthest tuple from a point, looking through as few blocks as possible."""

from __future__ import annotations

import numpy as np

from ontomask.kernels.blocks import SIZE, Blocks, along, extremes
from ontomask.kernels.chunks import chunked, face_chunks, least_of, least_of_chunks
from ontomask.kernels.coarse import coarse_extremes, set_here
from ontomask.kernels.compiling import inner, inner_extremes
from ontomask.kernels.faced_sets import add_sets, face_sets
from ontomask.kernels.measuring import add_number, add_row, add_with_gap
from ontomask.kernels.sets import farthest_sets
from ontomask.kernels.space import Floats, Longs, Point, Space, fill_rows


@inner
def face(space: Space, blocks: Blocks, point: Point) -> None:
    """Turn to a point: the rows of its tables are at hand, and no distance is known."""
    fill_rows(space, point, blocks.rows, blocks.rows_at)
    face_chunks(blocks.chunks, blocks.rows, blocks.rows_at)
    face_sets(space.sets, point.rows, blocks.faced)
    blocks.known[: blocks.count[0]] = False


@inner
def look_from(space: Space, blocks: Blocks, point: Point, weighted: bool) -> None:
    """Begin to measure from a point: nothing is known yet but the least distance of each block.

    ``weighted`` gives wsd of T12 eq. 4.2: the distance times the number of records. Plain S-distances stay squared.
    """
    face(space, blocks, point)
    bound_below(space, blocks, point, weighted, np.inf)


@inner
def look_near(space: Space, blocks: Blocks, point: Point, tie: float) -> None:
    """The same where some blocks are known already: what lies farther than the nearest tuple in them is in doubt."""
    least = np.inf
    for b in range(blocks.count[0]):
        if blocks.known[b]:
            least = min(least, blocks.least[b])
    bound_below(space, blocks, point, False, least + tie * least)


@inner_extremes
def bound_below(space: Space, blocks: Blocks, point: Point, weighted: bool, limit: float) -> None:
    """The least distance each block that is not known can have from the point that :func:`face` was given.

    It is added up only until it exceeds ``limit``: that much is enough where something nearer is known. Sets add nothing:
    blocks hold sets of all sorts, and each is bounded where it is looked at.
    """
    count = blocks.count[0]
    least = blocks.room[:count]
    least[:] = 0.0
    for a in range(space.numbers.shape[0]):
        low, high, x = blocks.low[a, :count], blocks.high[a, :count], point.at[a]
        if space.gap[a] > 0.0:
            holes, gap = blocks.holes[a], space.gap[a]
            for b in range(count):
                if point.gone[a] > 0.0:
                    least[b] += 0.0 if holes[b] & 1 else gap
                else:
                    off = max(max(low[b] - x, x - high[b]), 0.0) if holes[b] & 2 else np.inf
                    off = off * off if space.squared else off
                    least[b] += min(off, gap) if holes[b] & 1 else off
        elif space.squared:
            for b in range(count):
                off = max(max(low[b] - x, x - high[b]), 0.0)
                least[b] += off * off
        else:
            for b in range(count):
                least[b] += max(max(low[b] - x, x - high[b]), 0.0)
    _bound_coarsely(blocks, point, least, limit)
    for b in range(count):
        if blocks.fill[b] == 0:
            blocks.least[b] = np.inf
        elif not blocks.known[b]:
            total = least[b]
            if blocks.chunks.least.size and limit < np.inf:
                total = _bound_codes(space, blocks, b, total, limit, True)
            if total <= limit:
                total = _bound_codes(space, blocks, b, least[b], limit, False)
            if weighted:
                total = (np.sqrt(total) if space.squared else total) * blocks.light[b]
            blocks.least[b] = total


@inner
def _bound_codes(space: Space, blocks: Blocks, b: int, total: float, limit: float, roughly: bool) -> float:
    """The least distance of a block, given that of its numbers, or more than ``limit``; ``roughly``: from chunks of values."""
    for c in range(space.codes.shape[0]):
        if total > limit:
            break
        if roughly and chunked(blocks.chunks, c):
            total += least_of_chunks(blocks.chunks, c, b)
        else:
            row = blocks.rows[blocks.rows_at[c] : blocks.rows_at[c + 1]]
            total += least_of(row, blocks.listed[c, b, : blocks.lengths[c, b]])
    return total


@inner
def _bound_coarsely(blocks: Blocks, point: Point, least: Floats, limit: float) -> None:
    """Raise the least distances that do not exceed ``limit``, where coordinates are kept in coarse steps."""
    if blocks.coarse.steps.size == 0:
        return
    set_here(blocks.coarse, point.at)
    for b in range(least.size):
        if blocks.fill[b] > 0 and not blocks.known[b] and least[b] <= limit:
            least[b] = max(least[b], coarse_extremes(blocks.coarse, b * SIZE, b * SIZE + blocks.fill[b])[0])


@inner_extremes
def bound_above(space: Space, blocks: Blocks, point: Point, weighted: bool, tie: float) -> None:
    """The greatest distance each block can have from the point that :func:`face` was given.

    First as if it held the farthest value there is; the values it holds are looked at where that leaves it in question
    beside the most promising block.
    """
    count = blocks.count[0]
    for b in range(count):
        blocks.known[b] &= blocks.upto[b] == np.inf
    room, most = blocks.room[:count], blocks.most
    _bound_plain_numbers(space, blocks, point, room)
    for a in range(space.numbers.shape[0]):
        if space.gap[a] > 0.0:
            _bound_with_gap(space, blocks, point, a, room)
    sets = farthest_sets(space.sets)
    farthest = sets
    for c in range(space.codes.shape[0]):
        farthest += extremes(blocks.rows[blocks.rows_at[c] : blocks.rows_at[c + 1]])[1]
    promising, best = np.int64(-1), -np.inf
    for b in range(count):
        if blocks.fill[b] == 0:
            most[b] = -np.inf
        elif blocks.known[b]:
            best = max(best, most[b])
        else:
            most[b] = _enlarged(space, blocks, b, room[b] + farthest, weighted)
            if promising < 0 or most[b] > most[promising]:
                promising = np.int64(b)
    if promising < 0:
        return
    if most[promising] >= best:
        look_through(space, blocks, point, weighted, promising)
        best = max(best, most[promising])
    for b in range(count):
        if blocks.fill[b] > 0 and not blocks.known[b] and most[b] >= best - tie * abs(best):
            total = room[b] + sets
            for c in range(space.codes.shape[0]):
                row, listed = blocks.rows[blocks.rows_at[c] : blocks.rows_at[c + 1]], blocks.listed[c, b]
                farthest = 0.0
                for j in range(blocks.lengths[c, b]):
                    farthest = max(farthest, row[listed[j]])
                total += farthest
            most[b] = _enlarged(space, blocks, b, total, weighted)


@inner
def _enlarged(space: Space, blocks: Blocks, b: int, total: float, weighted: bool) -> float:
    """The greatest distance of a block: a little more, for what rounding may have taken."""
    bound = total * (1.0 + 1e-9) + 1e-12
    return (np.sqrt(bound) if space.squared else bound) * blocks.heavy[b] if weighted else bound


@inner_extremes
def _bound_plain_numbers(space: Space, blocks: Blocks, point: Point, room: Floats) -> None:
    """The part of coordinates that are never missing."""
    if blocks.reach.shape[0] > 0:
        room[:] = 0.0
        for pattern in range(blocks.reach.shape[0]):
            reach, here = blocks.reach[pattern], along(space, point.at, pattern)
            for b in range(room.size):
                room[b] = max(room[b], reach[b] - here)
        return
    room[:] = 0.0
    for a in range(space.numbers.shape[0]):
        if space.gap[a] == 0.0:
            low, high, x = blocks.low[a], blocks.high[a], point.at[a]
            for b in range(room.size):
                off = max(abs(low[b] - x), abs(high[b] - x))
                room[b] += off * off if space.squared else off
    if blocks.coarse.steps.size:
        outside = set_here(blocks.coarse, point.at)
        for b in range(room.size):
            if blocks.fill[b] > 0 and not blocks.known[b]:
                most = coarse_extremes(blocks.coarse, b * SIZE, b * SIZE + blocks.fill[b])[1]
                room[b] = min(room[b], most + outside)
    if space.squared:
        for b in range(room.size):
            total = 0.0
            for a in range(space.numbers.shape[0]):
                if space.gap[a] == 0.0:
                    total += (blocks.middle[a, b] - point.at[a]) ** 2
            ball = np.sqrt(total) + blocks.radius[b]
            room[b] = min(room[b], ball * ball)


@inner
def _bound_with_gap(space: Space, blocks: Blocks, point: Point, a: int, room: Floats) -> None:
    """The part of a coordinate that may be missing."""
    gap, x = space.gap[a], point.at[a]
    for b in range(room.size):
        holes = blocks.holes[a, b]
        off = 0.0
        if holes & 2:
            if point.gone[a] > 0.0:
                off = gap
            else:
                off = max(abs(blocks.low[a, b] - x), abs(blocks.high[a, b] - x))
                off = off * off if space.squared else off
        if holes & 1 and point.gone[a] == 0.0:
            off = max(off, gap)
        room[b] += off


@inner
def look_through(space: Space, blocks: Blocks, point: Point, weighted: bool, b: int) -> None:
    """Measure every tuple of a block."""
    _look(space, blocks, point, weighted, b, 0.0, np.inf)


@inner
def look_within(space: Space, blocks: Blocks, point: Point, weighted: bool, b: int, limit: float) -> None:
    """Measure every tuple of a block that may be as near as ``limit``; sets that are not get a lower bound beyond it."""
    _look(space, blocks, point, weighted, b, 0.0, limit)


@inner
def look_beyond(space: Space, blocks: Blocks, point: Point, weighted: bool, b: int, limit: float) -> None:
    """Measure every tuple of a block that may be as far away as ``limit``; sets that are not get an upper bound below it."""
    _look(space, blocks, point, weighted, b, limit, np.inf)


@inner
def _look(space: Space, blocks: Blocks, point: Point, weighted: bool, b: int, least: float, most: float) -> None:
    """Measure every tuple of a block whose distance may lie between two limits."""
    begin = b * SIZE
    end = begin + blocks.fill[b]
    out, weight = blocks.out[begin:end], blocks.weight[begin:end]
    out[:] = 0.0
    for a in range(space.numbers.shape[0]):
        number, x = blocks.numbers[a, begin:end], point.at[a]
        if space.gap[a] > 0.0:
            add_with_gap(out, number, blocks.absent[a, begin:end], x, point.gone[a], space.gap[a], space.squared)
        else:
            add_number(out, number, x, space.squared)
    for c in range(space.codes.shape[0]):
        add_row(out, blocks.codes[c, begin:end], blocks.rows[blocks.rows_at[c] : blocks.rows_at[c + 1]])
    blocks.upto[b] = np.inf
    ids = blocks.ids[begin:end]
    nearer, farther = add_sets(
        space.sets, point.rows, blocks.faced, ids, weight, out, weighted, space.squared, least, most
    )
    if nearer or farther:
        blocks.upto[b] = -1.0 if nearer else most
    if weighted:
        for i in range(out.size):
            out[i] = (np.sqrt(out[i]) if space.squared else out[i]) * weight[i]
    for i in range(begin, end):  # a tuple whose records are all taken stays so, where a block is looked through again
        if blocks.weight[i] == 0:
            blocks.out[i] = np.inf
    blocks.known[b] = True
    renew_extremes(blocks, b)


@inner
def renew_extremes(blocks: Blocks, b: int) -> None:
    """The extremes of a known block, after some of its slots changed; infinity stands for a tuple already taken."""
    blocks.least[b], blocks.most[b] = extremes(blocks.out[b * SIZE : b * SIZE + blocks.fill[b]])


# ---- the nearest and the farthest ---------------------------------------------------------------------------------


@inner
def farthest(space: Space, blocks: Blocks, point: Point, weighted: bool, tie: float) -> int:
    """The slot of the most distant tuple, of equals that with the least key."""
    bound_above(space, blocks, point, weighted, tie)
    return farthest_within(space, blocks, point, weighted, tie)


@inner
def farthest_within(space: Space, blocks: Blocks, point: Point, weighted: bool, tie: float) -> int:
    """The same where ``most`` already holds a bound for every block."""
    count, several, best = blocks.count[0], 0, -np.inf
    for b in range(count):
        if blocks.known[b]:
            best = max(best, blocks.most[b])
    for b in range(count):
        if not blocks.known[b] and blocks.most[b] >= best - tie * abs(best):
            blocks.waiting[several] = b
            several += 1
    while several > 0:
        # The most promising block first: what it holds rules out most others.
        place = 0
        for i in range(1, several):
            if blocks.most[blocks.waiting[i]] > blocks.most[blocks.waiting[place]]:
                place = i
        b, limit = blocks.waiting[place], best - tie * abs(best)
        if blocks.most[b] < limit:
            break
        several -= 1
        blocks.waiting[place] = blocks.waiting[several]
        look_beyond(space, blocks, point, weighted, b, max(limit, 0.0))
        best = max(best, blocks.most[b])
    bound = best - tie * abs(best)
    chosen = np.int64(-1)
    for b in range(count):
        if blocks.known[b] and blocks.most[b] >= bound:
            for i in range(b * SIZE, b * SIZE + blocks.fill[b]):
                if blocks.out[i] >= bound and (chosen < 0 or blocks.key[i] < blocks.key[chosen]):
                    chosen = i
    return chosen


@inner
def nearest_bound(space: Space, blocks: Blocks, point: Point, weighted: bool, tie: float, reach: float) -> float:
    """Look through blocks until the least distance is certain; returns what still counts as equal to it.

    Every tuple within that is in a known block, measured exactly. ``reach``: so far may be asked for next, from the same point.
    """
    count, several, best = blocks.count[0], 0, np.inf
    for b in range(count):
        if blocks.known[b] and blocks.least[b] <= blocks.upto[b]:
            best = min(best, blocks.least[b])
    for b in range(count):
        if blocks.least[b] < best and not (blocks.known[b] and blocks.least[b] <= blocks.upto[b]):
            blocks.waiting[several] = b
            several += 1
    while several > 0:
        place = 0
        for i in range(1, several):
            if blocks.least[blocks.waiting[i]] < blocks.least[blocks.waiting[place]]:
                place = i
        b = blocks.waiting[place]
        if blocks.least[b] >= best:
            break
        several -= 1
        blocks.waiting[place] = blocks.waiting[several]
        look_within(space, blocks, point, weighted, b, max(reach, best + tie * best))
        if blocks.least[b] <= blocks.upto[b]:
            best = min(best, blocks.least[b])
    bound = best + tie * best
    for b in range(count):
        if blocks.least[b] <= bound and not (blocks.known[b] and blocks.upto[b] >= bound):
            look_within(space, blocks, point, weighted, b, max(reach, bound))
    return bound


@inner
def nearest(space: Space, blocks: Blocks, point: Point, weighted: bool, tie: float) -> int:
    """The slot of the nearest tuple, of equals that with the least key."""
    bound = nearest_bound(space, blocks, point, weighted, tie, 0.0)
    chosen = np.int64(-1)
    for b in range(blocks.count[0]):
        if blocks.known[b] and blocks.least[b] <= bound:
            for i in range(b * SIZE, b * SIZE + blocks.fill[b]):
                if blocks.out[i] <= bound and (chosen < 0 or blocks.key[i] < blocks.key[chosen]):
                    chosen = i
    return chosen


@inner
def farthest_ties(space: Space, blocks: Blocks, point: Point, tie: float, slots: Longs) -> int:
    """The slots of all the most distant tuples go to ``slots``; how many there are."""
    bound_above(space, blocks, point, False, tie)
    slot = farthest_within(space, blocks, point, False, tie)
    best = blocks.out[slot]  # not the very farthest, perhaps, but within the tie of it
    for b in range(blocks.count[0]):
        if blocks.known[b]:
            best = max(best, blocks.most[b])
    bound = best - tie * abs(best)
    several = 0
    for b in range(blocks.count[0]):
        if blocks.known[b] and blocks.most[b] >= bound:
            for i in range(b * SIZE, b * SIZE + blocks.fill[b]):
                if blocks.out[i] >= bound:
                    slots[several] = i
                    several += 1
    return several
