"""MDAV (T12 Algorithm 3; Domingo-Ferrer & Torra): groups of k records, the exact algorithm.

Records with equal values are one tuple with a queue of records, so a scan costs one look at each distinct tuple.
Whatever the papers leave open goes to the record that stands first in the data. Where units are counted, such as persons, a
group takes the nearest records until these are of k units.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.kernels.blocks import SIZE, Blocks, drop_slot, tidy
from ontomask.kernels.centres import Rules, Tally, change, set_centre
from ontomask.kernels.compiling import inner, kernel
from ontomask.kernels.counting import Counting, gained, used_up
from ontomask.kernels.groups import GROUPS, LEFT
from ontomask.kernels.reach import reach_within
from ontomask.kernels.searching import (
    bound_below,
    face,
    farthest,
    farthest_within,
    look_through,
    nearest_bound,
    renew_extremes,
)
from ontomask.kernels.space import Floats, Longs, Point, Space, copy_values, new_point, set_point, slack


class Queues(NamedTuple):
    """The records of each tuple in order: those of tuple t are ``records[at[t]:at[t + 1]]``; ``head[t]`` is the next.

    ``group`` takes the group of every record; ``counts`` holds the number of groups, and of records (or units) left;
    ``ties``, ``heap``, ``dirty``, ``reach`` and ``load`` are room to work in. ``far[b]`` is the greatest distance block
    b had from the centre when it was last looked through; ``marks[b]`` says how far the centre had moved by then.
    """

    records: Longs
    at: Longs
    head: Longs
    group: NDArray[np.int32]
    counts: Longs
    ties: Longs
    heap: Longs
    dirty: NDArray[np.bool_]
    far: Floats
    marks: Floats
    reach: Floats
    load: Longs


class CentreDrift(NamedTuple):
    """How far the centre has moved: ``moved[0]`` along numbers, ``moved[1]`` in tables; and where it was last."""

    moved: Floats
    last: Point
    rows: Floats


def new_drift(space: Space) -> CentreDrift:
    return CentreDrift(np.zeros(2), new_point(space), np.zeros(int(space.home_at[-1])))


def new_queues(records: Longs, at: Longs, size: int) -> Queues:
    """``size``: how many records, or other units, there are."""
    p = len(at) - 1
    return Queues(
        records,
        at,
        at[:-1].copy(),
        np.full(len(records), -1, dtype=np.int32),
        np.array([0, size], dtype=np.int64),
        np.zeros(p, dtype=np.int64),
        np.zeros(p, dtype=np.int64),
        np.zeros(p // SIZE + 2, dtype=np.bool_),
        np.full(p // SIZE + 2, np.inf),
        np.zeros((p // SIZE + 2, 2)),
        np.zeros(SIZE + 1),
        np.zeros(SIZE + 1, dtype=np.int64),
    )


@kernel
def begin_queues(blocks: Blocks, queues: Queues) -> None:
    """Between equally distant tuples the one whose next record stands first in the data decides."""
    for i in range(blocks.count[1]):
        blocks.key[i] = queues.records[queues.head[blocks.ids[i]]]


@kernel
def mdav_steps(
    space: Space,
    rules: Rules,
    blocks: Blocks,
    tally: Tally,
    point: Point,
    drift: CentreDrift,
    queues: Queues,
    counting: Counting,
    k: int,
    budget: int,
) -> bool:
    """Form groups until all records have one (True), or ``budget`` groups were formed (False).

    ``tally`` holds all records that have no group.
    """
    tie = slack(space, False)
    counts = queues.counts
    stop = counts[GROUPS] + budget
    from_centre = True  # groups are formed in pairs: around r, far from the centre, and around s, far from r
    while counts[LEFT] > 0:
        if from_centre:
            if counts[GROUPS] >= stop:
                return False
            if counts[LEFT] < 2 * k:
                _take_rest(blocks, queues)
                return True
            if tidy(space, blocks):
                queues.far[:] = np.inf
            second = counts[LEFT] >= 3 * k
            set_centre(space, rules, tally, point)
            seed = _farthest_from_centre(space, blocks, queues, point, drift, tie)
        else:
            # From r, where distances are known already, among those its group has left.
            seed = farthest(space, blocks, point, False, tie)
        set_point(space, point, blocks.ids[seed])
        face(space, blocks, point)
        _form_group(space, rules, blocks, tally, queues, counting, point, seed, k, tie)
        from_centre = not (from_centre and second)
    return True


@inner
def _farthest_from_centre(
    space: Space, blocks: Blocks, queues: Queues, point: Point, drift: CentreDrift, tie: float
) -> int:
    """The slot farthest from the centre.

    The centre moves little from one group to the next. What was E + N from it (a length along numbers, and a sum from
    tables) is at most E + e + N + t from it after it moved by e and t, so most blocks need not be looked through.
    """
    face(space, blocks, point)
    along = across = 0.0
    for a in range(space.numbers.shape[0]):
        off = abs(point.at[a] - drift.last.at[a])
        along += off * off if space.squared else off
        if point.gone[a] != drift.last.gone[a]:
            along = np.inf
        drift.last.at[a] = point.at[a]
        drift.last.gone[a] = point.gone[a]
    for c in range(space.codes.shape[0]):
        if point.rows[c] != drift.last.rows[c]:
            most = 0.0
            for v in range(blocks.rows_at[c], blocks.rows_at[c + 1]):
                most = max(most, abs(blocks.rows[v] - drift.rows[v]))
                drift.rows[v] = blocks.rows[v]
            across += most
            drift.last.rows[c] = point.rows[c]
    for place in range(space.codes.shape[0], point.rows.size):
        if point.rows[place] != drift.last.rows[place]:  # nothing is known of how far a set has moved from all others
            along = np.inf
            drift.last.rows[place] = point.rows[place]
    drift.moved[0] += np.sqrt(along) if space.squared else along
    drift.moved[1] += across
    if not np.isfinite(drift.moved[0]):
        drift.moved[:] = 0.0
        queues.far[:] = np.inf
        queues.marks[:] = 0.0
    for b in range(blocks.count[0]):
        far = queues.far[b]
        if np.isfinite(far):
            e, t = drift.moved[0] - queues.marks[b, 0], drift.moved[1] - queues.marks[b, 1]
            far += 2.0 * np.sqrt(far) * e + e * e + t if space.squared else e + t
            far = far * (1.0 + 1e-9) + 1e-12  # a little more, for what rounding may have taken
        blocks.most[b] = far if blocks.fill[b] > 0 else -np.inf
    slot = farthest_within(space, blocks, point, False, tie)
    for b in range(blocks.count[0]):
        if blocks.known[b]:
            queues.far[b] = blocks.most[b]
            copy_values(drift.moved, queues.marks[b])
    return slot


@inner
def _form_group(
    space: Space,
    rules: Rules,
    blocks: Blocks,
    tally: Tally,
    queues: Queues,
    counting: Counting,
    point: Point,
    seed: int,
    k: int,
    tie: float,
) -> None:
    """The seed's first record and the records nearest to it, until there are k (or they are of k units)."""
    look_through(space, blocks, point, False, seed // SIZE)  # what is taken must be known to be gone
    reach = reach_within(blocks, seed // SIZE, k, queues.reach, queues.load)
    reach += tie * reach
    bound_below(space, blocks, point, False, reach)
    need = k - _take(space, rules, blocks, tally, queues, counting, seed, 1, k)
    while need > 0:
        need -= _take_nearest(space, rules, blocks, tally, queues, counting, point, need, tie, reach)
    queues.counts[GROUPS] += 1
    _drop_empty(space, blocks, queues)


@inner
def _take(
    space: Space,
    rules: Rules,
    blocks: Blocks,
    tally: Tally,
    queues: Queues,
    counting: Counting,
    slot: int,
    records: int,
    need: int,
) -> int:
    """Give the next records of a tuple, at most so many, to the group being formed, until it counts ``need`` more.

    How many more it counts.
    """
    tuple_ = blocks.ids[slot]
    head = queues.head[tuple_]
    end, gain = head, np.int64(0)
    while end < head + records and gain < need:
        record = queues.records[end]
        queues.group[record] = queues.counts[GROUPS]
        gain += gained(counting, record, 1, queues.counts[GROUPS])
        queues.counts[LEFT] -= used_up(counting, record, 1)
        end += 1
    queues.head[tuple_] = end
    blocks.weight[slot] -= end - head
    change(space, rules, tally, tuple_, head - end)
    block = slot // SIZE
    if blocks.weight[slot] > 0:
        blocks.key[slot] = queues.records[end]
    else:
        queues.dirty[block] = True
        blocks.out[slot] = np.inf
        if blocks.known[block]:
            renew_extremes(blocks, block)
    return gain


@inner
def _take_nearest(
    space: Space,
    rules: Rules,
    blocks: Blocks,
    tally: Tally,
    queues: Queues,
    counting: Counting,
    point: Point,
    need: int,
    tie: float,
    reach: float,
) -> int:
    """Take nearest records, equally near ones in the order of the data, until the group counts ``need`` more or they are
    all taken; how many more it counts."""
    bound = nearest_bound(space, blocks, point, False, tie, reach)
    ties, several, records = queues.ties, 0, np.int64(0)
    for b in range(blocks.count[0]):
        if blocks.known[b] and blocks.least[b] <= bound:
            for i in range(b * SIZE, b * SIZE + blocks.fill[b]):
                if blocks.out[i] <= bound:
                    ties[several] = i
                    several += 1
                    records += blocks.weight[i]
    gain = np.int64(0)
    if several == 1 or records <= need:
        for j in range(several):
            weight = blocks.weight[ties[j]]
            gain += _take(space, rules, blocks, tally, queues, counting, ties[j], weight, need - gain)
        return gain
    heap = queues.heap
    for j in range(several):
        heap[j] = ties[j]
    for j in range(several // 2 - 1, -1, -1):
        _sift(blocks, queues, j, several)
    while gain < need and several > 0:
        slot = heap[0]
        gain += _take(space, rules, blocks, tally, queues, counting, slot, 1, 1)
        if blocks.weight[slot] == 0:
            several -= 1
            heap[0] = heap[several]
        _sift(blocks, queues, 0, several)
    return gain


@inner
def _sift(blocks: Blocks, queues: Queues, place: int, size: int) -> None:
    """Let the slot at ``place`` sink to where it belongs in a heap ordered by key."""
    heap, key = queues.heap, blocks.key
    while True:
        child = 2 * place + 1
        if child >= size:
            return
        if child + 1 < size and key[heap[child + 1]] < key[heap[child]]:
            child += 1
        if key[heap[place]] <= key[heap[child]]:
            return
        heap[place], heap[child] = heap[child], heap[place]
        place = child


@inner
def _drop_empty(space: Space, blocks: Blocks, queues: Queues) -> None:
    """Take the tuples without records out of play; distances to the others stay valid."""
    for b in range(blocks.count[0]):
        if queues.dirty[b]:
            queues.dirty[b] = False
            for i in range(b * SIZE + blocks.fill[b] - 1, b * SIZE - 1, -1):
                if blocks.weight[i] == 0:
                    drop_slot(space, blocks, i)
            if blocks.known[b]:
                renew_extremes(blocks, b)


@inner
def _take_rest(blocks: Blocks, queues: Queues) -> None:
    """The last group: all records that are left."""
    for b in range(blocks.count[0]):
        for i in range(b * SIZE, b * SIZE + blocks.fill[b]):
            tuple_ = blocks.ids[i]
            for j in range(queues.head[tuple_], queues.at[tuple_ + 1]):
                queues.group[queues.records[j]] = queues.counts[GROUPS]
    queues.counts[GROUPS] += 1
    queues.counts[LEFT] = 0
