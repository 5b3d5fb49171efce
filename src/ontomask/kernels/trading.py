"""Cell suppression: near groups divide their members anew as long as fewer cells are blanked."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.kernels.cells import LESS, Groups, Matrix, Members, release_group, show_group, take_empty_group
from ontomask.kernels.compiling import inner, kernel, makes_arrays
from ontomask.kernels.space import Floats, Longs, copy_values

#: The nearest groups with which a group trades, and the members that are tried as the first of a new group.
NEAREST, SEEDS = 12, 24
#: So many groups are divided anew at once, into so many at most.
MOST_AT_ONCE, SIDES = 6, 12


class Pool(NamedTuple):
    """Members of near groups, which are divided anew: their places, the side of each, and the best division so far.

    ``shows`` and ``filled``: what each side shows, and its records that have a value; ``size``: the records of each side.
    """

    place: Longs
    side: Longs
    best: Longs
    shows: Matrix
    filled: NDArray[np.int64]
    size: Longs


@kernel
@makes_arrays
def trade_members(
    members: Members, groups: Groups, pool: Pool, costs: Floats, k: int, begin: int, end: int, budget: Longs
) -> float:
    """Let the groups from ``begin`` to ``end`` trade with their nearest ones; what that saves.

    ``budget``: how many comparisons of values are left; the groups that come when none are left stay as they are.
    """
    saved = 0.0
    near = np.empty(NEAREST, dtype=np.int64)
    distance = np.empty(NEAREST)
    chosen = np.empty(SIDES, dtype=np.int64)
    for g in range(begin, end):
        if groups.first[g] < 0 or groups.cost[g] <= 0:
            continue
        budget[0] -= len(groups.first) * len(costs)
        if budget[0] < 0:
            break
        found = _nearest(groups, costs, g, near, distance)
        chosen[0] = g
        for i in range(found):  # itself, each of the nearest, then several of them at once
            if groups.first[g] >= 0 and groups.cost[g] > 0 and groups.first[near[i]] >= 0:
                chosen[1] = near[i]
                saved += _divide_anew(members, groups, pool, costs, k, chosen, 1 if i == 0 else 2, budget)
        for number in range(3, min(found, MOST_AT_ONCE) + 1):
            whole = groups.first[g] >= 0 and groups.cost[g] > 0
            for i in range(1, number):
                chosen[i] = near[i]
                whole = whole and groups.first[near[i]] >= 0
            if whole:
                saved += _divide_anew(members, groups, pool, costs, k, chosen, number, budget)
    return saved


@inner
def _nearest(groups: Groups, costs: Floats, g: int, near: Longs, distance: Floats) -> int:
    """The groups of the same stratum that show most of what this one shows; itself is the first of them."""
    found = 1
    near[0], distance[0] = g, -1.0
    for h in range(len(groups.first)):
        if h == g or groups.first[h] < 0 or groups.stratum[h] != groups.stratum[g]:
            continue
        far, worst = 0.0, np.inf if found < NEAREST else distance[found - 1]
        for a in range(len(costs)):
            one, other = groups.shows[g, a], groups.shows[h, a]
            if one != other:
                far += costs[a] * (1.0 if one < 0 or other < 0 else 2.0)
            elif one < 0:
                far += costs[a] * 0.5
            if far >= worst:
                break
        if far >= worst:
            continue
        place = found if found < NEAREST else NEAREST - 1
        while place > 1 and distance[place - 1] > far:
            near[place], distance[place] = near[place - 1], distance[place - 1]
            place -= 1
        near[place], distance[place] = h, far
        found = min(found + 1, NEAREST)
    return found


@inner
def _divide_anew(
    members: Members, groups: Groups, pool: Pool, costs: Floats, k: int, chosen: Longs, number: int, budget: Longs
) -> float:
    """Divide the members of some groups anew if that costs less; what it saves."""
    pooled, total, before = 0, 0, 0.0
    for of in range(number):
        g = chosen[of]
        total, before = total + groups.size[g], before + groups.cost[g]
        place = groups.first[g]
        while place >= 0:
            if pooled >= len(pool.place):
                return 0.0
            pool.place[pooled], pool.side[pooled] = place, of
            pooled += 1
            place = members.after[place]
    if number == 1 and total < 2 * k:
        return 0.0
    least, found = before - LESS, 0
    for seed in range(-1, pooled, max(1, pooled // SEEDS)):
        budget[0] -= pooled * (k + pooled) * len(costs)
        if seed < 0:
            sides = number  # the members as they are, which may change sides
        else:
            sides = _grow_sides(members, pool, costs, k, pooled, seed)
        cost = _shift(members, pool, costs, k, pooled, sides)
        if cost < least:
            least, found = cost, sides
            copy_values(pool.side[:pooled], pool.best[:pooled])
    if found == 0 or found - number > groups.free_count[0]:
        return 0.0
    copy_values(pool.best[:pooled], pool.side[:pooled])
    stratum = groups.stratum[chosen[0]]
    for side in range(max(found, number)):
        g = chosen[side] if side < number else take_empty_group(groups)
        groups.stratum[g] = stratum
        _write(members, groups, pool, costs, pooled, g, side)
    return before - least - LESS


@inner
def _grow_sides(members: Members, pool: Pool, costs: Floats, k: int, pooled: int, seed: int) -> int:
    """Sides of k records, one after the other, each of a member and those that add least to its cost; how many there are.

    The first begins with ``seed``, each other one with the member that is farthest from the one before. What is left joins
    the side where it adds least.
    """
    left = 0
    for i in range(pooled):
        pool.side[i] = -1
        left += members.count[pool.place[i]]
    sides, first = 0, seed
    while True:
        _begin_side(members, pool, costs, sides, first)
        left -= pool.size[sides]
        while pool.size[sides] < k:
            best, least = -1, np.inf
            for i in range(pooled):
                if pool.side[i] < 0:
                    added = _added(members, pool, costs, sides, pool.place[i], least)
                    if added < least:
                        best, least = i, added
            if best < 0:
                break
            left -= members.count[pool.place[best]]
            _put(members, pool, costs, sides, best)
        sides += 1
        if left < k or sides == SIDES:
            break
        farthest = -1.0
        for i in range(pooled):
            if pool.side[i] < 0:
                far = _far(members, pool, costs, sides - 1, pool.place[i])
                if far > farthest:
                    first, farthest = i, far
    for i in range(pooled):
        if pool.side[i] < 0:
            best, least = 0, np.inf
            for side in range(sides):
                added = _added(members, pool, costs, side, pool.place[i], least)
                if added < least:
                    best, least = side, added
            _put(members, pool, costs, best, i)
    return sides


@inner
def _begin_side(members: Members, pool: Pool, costs: Floats, side: int, i: int) -> None:
    at = pool.place[i]
    pool.side[i] = side
    pool.size[side] = members.count[at]
    for a in range(len(costs)):
        code = members.codes[at, a]
        pool.shows[side, a] = code
        pool.filled[side, a] = members.count[at] if code >= 0 else 0


@inner
def _put(members: Members, pool: Pool, costs: Floats, side: int, i: int) -> None:
    """A member joins a side."""
    at = pool.place[i]
    pool.side[i] = side
    pool.size[side] += members.count[at]
    for a in range(len(costs)):
        code = members.codes[at, a]
        if code >= 0:
            pool.filled[side, a] += members.count[at]
        if code != pool.shows[side, a]:
            pool.shows[side, a] = -1


@inner
def _added(members: Members, pool: Pool, costs: Floats, side: int, at: int, most: float) -> float:
    """What a member adds to the cost of a side; ``most``: more than this need not be counted."""
    added = 0.0
    for a in range(len(costs)):
        code, shown = members.codes[at, a], pool.shows[side, a]
        more = members.count[at] if code >= 0 else 0
        if shown < 0:
            added += costs[a] * more
        elif code != shown:
            added += costs[a] * (pool.filled[side, a] + more)
        if added >= most:
            break
    return added


@inner
def _far(members: Members, pool: Pool, costs: Floats, side: int, at: int) -> float:
    """The cost of the columns in which a member differs from a side."""
    far = 0.0
    for a in range(len(costs)):
        if members.codes[at, a] != pool.shows[side, a]:
            far += costs[a]
    return far


@inner
@makes_arrays
def _shift(members: Members, pool: Pool, costs: Floats, k: int, pooled: int, sides: int) -> float:
    """Members change sides as long as that costs less and leaves k records on a side, or none; the cost in the end.

    Infinite where a side has too few.
    """
    cost = np.zeros(SIDES)
    for side in range(sides):
        cost[side] = _cost_of_side(members, pool, costs, pooled, side)
        if 0 < pool.size[side] < k:
            return np.inf
    moved = True
    while moved:
        moved = False
        for i in range(pooled):
            side, records = pool.side[i], members.count[pool.place[i]]
            left = pool.size[side] - records
            if (left < k and left != 0) or cost[side] <= 0:
                continue
            best, least, one, other = -1, -LESS, 0.0, 0.0
            pool.side[i] = -1
            without = _cost_of_side(members, pool, costs, pooled, side)
            for into in range(sides):
                if into == side or pool.size[into] == 0:
                    continue
                added = _added(members, pool, costs, into, pool.place[i], np.inf)
                if added + without - cost[side] < least:
                    best, least, one, other = into, added + without - cost[side], without, cost[into] + added
            if best < 0:
                pool.side[i] = side
                _cost_of_side(members, pool, costs, pooled, side)
                continue
            cost[side], cost[best] = one, other
            _put(members, pool, costs, best, i)
            moved = True
    return cost[:sides].sum()


@inner
def _cost_of_side(members: Members, pool: Pool, costs: Floats, pooled: int, side: int) -> float:
    """What the members of a side show together, and what that costs."""
    begun = False
    pool.size[side] = 0
    pool.filled[side] = 0
    pool.shows[side] = -1
    for i in range(pooled):
        if pool.side[i] == side:
            if begun:
                _put(members, pool, costs, side, i)
            else:
                _begin_side(members, pool, costs, side, i)
                begun = True
    total = 0.0
    for a in range(len(costs)):
        if pool.shows[side, a] < 0:
            total += costs[a] * pool.filled[side, a]
    return total


@inner
def _write(members: Members, groups: Groups, pool: Pool, costs: Floats, pooled: int, g: int, side: int) -> None:
    """The members of one side become the group g."""
    groups.first[g], groups.size[g], groups.cost[g] = -1, 0, 0.0
    for i in range(pooled - 1, -1, -1):
        if pool.side[i] == side:
            at = pool.place[i]
            members.group[at] = g
            members.after[at] = groups.first[g]
            groups.first[g] = at
            groups.size[g] += members.count[at]
    if groups.first[g] >= 0:
        show_group(members, groups, costs, g)
    else:
        release_group(groups, g)
