"""Cells to blank so that every combination of what is shown has k units: a greedy search, then groups that trade members.

Sets of columns are tried from the cheapest on. For each, those combinations that are still too rare are counted by what is
left of them; those that k units then share are done. What remains joins the group that it is cheapest to join. At last groups
divide their members anew as long as that blanks less (:mod:`ontomask.kernels.trading`). The problem is NP-hard (Meyerson &
Williams 2004).
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ontomask.arrays import Floats, Longs
from ontomask.kernels.cells import Groups, Members, show_groups
from ontomask.kernels.gathering import Draft, gather_members
from ontomask.kernels.trading import SIDES, Pool, trade_members
from ontomask.kernels.wildcards import Matching, blank_until_matched, count_matches, restore_matched
from ontomask.microdata.codes import LARGEST_KEY, combine
from ontomask.progress import Progress, stretch

#: So many sets of columns are tried; what is left then loses one column after the other.
MOST_SETS = 4096
#: Rounds in which new groups are gathered, and in which groups trade; more rarely save a cell.
GATHERING, TRADING = 2, 8
#: Members that trade at once, and comparisons of values in all rounds, about two seconds of them.
POOL, COMPARISONS = 256, 200_000_000
#: Groups that trade between two reports of progress.
STRETCH = 512

SomeInteger = TypeVar("SomeInteger", bound=np.integer[Any])
#: The number of units of each of so many groups: (combinations, the group of each, groups).
Sizes = Callable[[Longs, Longs, int], Longs]


@dataclass(frozen=True, eq=False)
class Combinations:
    """Distinct combinations of values within strata: ``codes[t, a]`` (-1: missing), the records and the stratum of each.

    ``costs``: what a blank costs, by column. ``sizes`` counts units. ``divisible``: records are counted, so that some records
    of a combination can go to one group and some to another.
    """

    codes: NDArray[np.int32]
    counts: Longs
    stratum: Longs
    costs: Floats
    sizes: Sizes
    divisible: bool

    @cached_property
    def own(self) -> Longs:
        """The number of units of each combination."""
        every = np.arange(len(self.counts), dtype=np.int64)
        return self.sizes(every, every, len(every))

    @cached_property
    def _digits(self) -> list[Longs] | None:
        """Stratum and codes as digits of one number, each times its place; None: it would not fit 64 bits."""
        columns = [self.stratum, *(self.codes[:, a].astype(np.int64) + 1 for a in range(len(self.costs)))]
        digits, place = [], 1
        for column in columns:
            digits.append(column * place)
            place *= int(column.max(initial=0)) + 1
            if place > LARGEST_KEY:
                return None
        return digits

    def keys(self, some: Longs, blanked: Collection[int]) -> Longs:
        """A number of each of these combinations, the same where they agree in all but the blanked columns."""
        left = [a for a in range(len(self.costs)) if a not in blanked]
        if self._digits is not None:
            keys: Longs = np.sum([self._digits[0][some], *(self._digits[a + 1][some] for a in left)], axis=0)
            return keys
        columns = [self.stratum[some], *(self.codes[some, a] + 1 for a in left)]
        return combine(columns, [int(column.max(initial=0)) + 1 for column in columns])[0].astype(np.int64)

    def alike(self, some: Longs, blanked: Collection[int]) -> tuple[Longs, int]:
        """Groups of these combinations that agree in all but the blanked columns: of each, and how many there are."""
        distinct, group = np.unique(self.keys(some, blanked), return_inverse=True)
        return group.astype(np.int64), len(distinct)


@dataclass(frozen=True, eq=False)
class Blanked:
    """What became of combinations, or of parts of them: the combination each is of, its records, its group (-1: they are
    removed), and what each group shows by column (-1: a blank)."""

    origin: Longs
    counts: Longs
    group: Longs
    shows: NDArray[np.int32]


def sets_by_cost(costs: Floats) -> Iterator[tuple[int, ...]]:
    """Every set of columns but the empty one, the cheapest first; of equal cost the one with fewer columns, the first ones."""
    heap: list[tuple[float, int, tuple[int, ...]]] = [(float(cost), 1, (a,)) for a, cost in enumerate(costs)]
    heapq.heapify(heap)
    while heap:
        cost, number, columns = heapq.heappop(heap)
        yield columns
        for a in range(columns[-1] + 1, len(costs)):
            heapq.heappush(heap, (cost + float(costs[a]), number + 1, (*columns, a)))


def blank_greedily(table: Combinations, k: int, progress: Progress) -> Longs:
    """The group of each combination; -1 of those that find none, of each stratum fewer than k units."""
    group = np.full(len(table.counts), -1, dtype=np.int64)
    common = table.own >= k
    group[common] = np.arange(int(common.sum()))
    groups, rare = int(common.sum()), np.flatnonzero(~common)
    columns = len(table.costs)
    tried = min(2.0**columns - 1, MOST_SETS)
    for number, blanked in enumerate(sets_by_cost(table.costs)):
        if not len(rare) or number == MOST_SETS:
            break
        progress(number / tried, "blanking cells")
        rare, groups = _settle(table, k, blanked, rare, group, groups)
    if columns > 1 and 2.0**columns - 1 > MOST_SETS:
        for number in range(1, columns + 1):
            if len(rare):
                rare, groups = _settle(table, k, _widest(table, rare)[:number], rare, group, groups)
    return group


def _settle(
    table: Combinations, k: int, blanked: Sequence[int], rare: Longs, group: Longs, groups: int
) -> tuple[Longs, int]:
    """Groups of what is too rare and has k units without these columns; what is still too rare, and how many groups there
    are."""
    alike, number = table.alike(rare, blanked)
    enough = table.sizes(rare, alike, number) >= k
    place = groups + np.cumsum(enough) - 1
    done = enough[alike]
    group[rare[done]] = place[alike[done]]
    return rare[~done], groups + int(enough.sum())


def _widest(table: Combinations, rare: Longs) -> list[int]:
    """The columns, that with the most values by cost first."""
    values = np.array([len(np.unique(table.codes[rare, a])) for a in range(len(table.costs))])
    return [int(a) for a in np.argsort(-values / table.costs, kind="stable")]


def blank_cells(table: Combinations, k: int, progress: Progress) -> Blanked:
    """The cells to blank, few and cheap ones."""
    group = blank_greedily(table, k, stretch(progress, 0.0, 0.3))
    groups = _Grouped(table, group, k)
    groups.join_rest(np.flatnonzero(group < 0))
    if table.divisible:
        groups.gather(stretch(progress, 0.3, 0.7))
        groups.trade(stretch(progress, 0.7, 1.0))
    return groups.blanked()


class _Grouped:
    """Combinations in groups, which can be joined and can trade."""

    def __init__(self, table: Combinations, group: Longs, k: int) -> None:
        self.table, self.k = table, k
        p, m = table.codes.shape
        room = p + int((table.own < k).sum()) + 1  # a class that gives records is one member more
        number = int(group.max(initial=-1)) + 1
        spare = number + p + 1
        self.members = Members(
            _wider(table.codes, room),
            _wider(table.counts, room),
            _wider(group, room),
            np.full(room, -1, dtype=np.int64),
            _wider(table.stratum, room),
            _wider(np.arange(p, dtype=np.int64), room),
            np.array([p], dtype=np.int64),
        )
        self.groups = Groups(
            np.full(spare, -1, dtype=np.int64),
            np.zeros((spare, m), dtype=np.int32),
            np.zeros(spare, dtype=np.int64),
            np.zeros(spare),
            np.zeros(spare, dtype=np.int64),
            np.zeros(spare, dtype=np.int64),
            np.zeros(1, dtype=np.int64),
        )
        self._nobody = number  # the group of what has none: it takes no part, and is removed in the end
        self.members.group[:p][group < 0] = number
        self._show()

    def _show(self) -> None:
        show_groups(self.members, self.groups, self.table.costs)
        self.groups.first[self._nobody] = -1
        free = self.groups.free[: int(self.groups.free_count[0])]
        kept = free[free != self._nobody]
        self.groups.free[: len(kept)] = kept
        self.groups.free_count[0] = len(kept)

    def join_rest(self, rest: Longs) -> None:
        """What has no group joins one of its stratum."""
        for stratum in np.unique(self.table.stratum[rest]):
            self._join(rest[self.table.stratum[rest] == stratum])
        self._show()

    def _join(self, rest: Longs) -> None:
        """Too few combinations of one stratum join the group that it is cheapest to join, if there is any."""
        table, groups = self.table, self.groups
        there = np.flatnonzero((groups.first >= 0) & (groups.stratum == table.stratum[rest[0]]))
        if not len(there):
            return
        codes, counts = table.codes[rest], table.counts[rest]
        shown = np.where((codes == codes[0]).all(axis=0), codes[0], -1)
        filled = ((codes >= 0) * counts[:, None]).sum(axis=0)
        shows = groups.shows[there]
        # A group that shows a blank already has it in all its records: only new blanks cost there.
        new = (shows != shown) & (shows >= 0)
        differing = (shows != shown) | (shows < 0)
        cost = (new * groups.size[there][:, None] + differing * filled) @ table.costs
        self.members.group[rest] = there[np.argmin(cost)]

    def gather(self, progress: Progress) -> None:
        """New groups of what agrees in all but some columns, set by set, as long as that saves something."""
        table, sets = self.table, list(islice(sets_by_cost(self.table.costs), MOST_SETS))
        draft = Draft(
            np.zeros(POOL, dtype=np.int64),
            np.zeros(POOL, dtype=np.int64),
            np.zeros(len(self.groups.first), dtype=np.int64),
        )
        for turn in range(GATHERING):
            saved = 0.0
            for number, columns in enumerate(sets):
                progress((turn + number / len(sets)) / GATHERING, "restoring cells")
                origin = self.members.origin[: int(self.members.used[0])]
                keys = table.keys(origin, columns)
                order = np.argsort(keys, kind="stable")
                starts = np.concatenate(([0], np.flatnonzero(np.diff(keys[order])) + 1, [len(order)]))
                blank = np.zeros(len(table.costs), dtype=np.bool_)
                blank[list(columns)] = True
                saved += gather_members(self.members, self.groups, draft, table.costs, self.k, order, starts, blank)
            if saved <= 0:
                return

    def trade(self, progress: Progress) -> None:
        """Groups divide their members anew until nothing is saved, or it was tried often enough."""
        m, budget = len(self.table.costs), np.array([COMPARISONS], dtype=np.int64)
        pool = Pool(
            np.zeros(POOL, dtype=np.int64),
            np.zeros(POOL, dtype=np.int64),
            np.zeros(POOL, dtype=np.int64),
            np.zeros((SIDES, m), dtype=np.int32),
            np.zeros((SIDES, m), dtype=np.int64),
            np.zeros(SIDES, dtype=np.int64),
        )
        number = len(self.groups.first)
        for turn in range(TRADING):
            saved = 0.0
            for begin in range(0, number, STRETCH):
                progress((turn + begin / number) / TRADING, "restoring cells")
                end = min(begin + STRETCH, number)
                saved += trade_members(self.members, self.groups, pool, self.table.costs, self.k, begin, end, budget)
            if saved <= 0 or budget[0] < 0:
                return

    def blanked(self) -> Blanked:
        used = int(self.members.used[0])
        group = self.members.group[:used].copy()
        group[group == self._nobody] = -1
        there = np.flatnonzero(np.bincount(group[group >= 0], minlength=len(self.groups.first)))
        number = np.full(len(self.groups.first), -1, dtype=np.int64)
        number[there] = np.arange(len(there))
        group = np.where(group >= 0, number[group], -1)
        return Blanked(
            self.members.origin[:used].copy(), self.members.count[:used].copy(), group, self.groups.shows[there]
        )


def _wider(values: NDArray[SomeInteger], room: int) -> NDArray[SomeInteger]:
    """The same, followed by zeros."""
    made = np.zeros((room, *values.shape[1:]), dtype=values.dtype)
    made[: len(values)] = values
    return made


def blank_wildcards(table: Combinations, k: int, progress: Progress) -> Blanked:
    """The cells to blank so that k records match each one, where a blank matches any value; each record by itself."""
    rare = table.own < k
    parts = np.where(rare, table.counts, 1)  # each rare record by itself, all records of a common combination as one
    origin = np.repeat(np.arange(len(parts)), parts)
    counts = np.where(rare, 1, table.counts)[origin]
    codes = np.ascontiguousarray(table.codes[origin])
    matching = Matching(codes.copy(), counts, table.stratum[origin], np.zeros(len(origin), dtype=np.int64))
    order = np.flatnonzero(rare[origin])
    room = np.zeros(len(origin), dtype=np.int64)
    for begin in range(0, len(order), STRETCH):
        progress(0.4 * begin / len(order), "blanking cells")
        blank_until_matched(matching, table.costs, k, order[begin : begin + STRETCH], room)
    for begin in range(0, len(origin), STRETCH):
        progress(0.4 + 0.2 * begin / len(origin), "counting matches")
        count_matches(matching, begin, min(begin + STRETCH, len(origin)))
    dearest = np.argsort(-table.costs, kind="stable").astype(np.int64)
    for begin in range(0, len(order), STRETCH):
        progress(0.6 + 0.4 * begin / len(order), "restoring cells")
        restore_matched(matching, codes, k, order, dearest, begin, min(begin + STRETCH, len(order)))
    kept = matching.matches >= k
    shows, group = np.unique(matching.shows, axis=0, return_inverse=True)
    return Blanked(origin, counts, np.where(kept, group.reshape(-1), -1), shows)
