"""The centres of many groups of tuples at once, and the group that is closest to a tuple."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ontomask.kernels.centres import Rules, Tally, change, clear, set_centre
from ontomask.kernels.compiling import inner, kernel
from ontomask.kernels.space import Codes, Floats, Longs, Point, Space, between, slack

#: Places in the counts of a partition that is under way: groups formed, records left.
GROUPS, LEFT = 0, 1


@kernel
def centres_of_groups(
    space: Space,
    rules: Rules,
    tally: Tally,
    point: Point,
    group_at: Longs,
    tuples: Longs,
    weights: Longs,
    at: Floats,
    gone: Floats,
    rows: Codes,
    begin: int,
    end: int,
) -> None:
    """Centre ``g`` (begin <= g < end) of the tuples ``group_at[g]..group_at[g + 1]``, into row g of the results.

    Members are taken out again instead of clearing the tally: groups are small and tables may be large.
    """
    clear(tally)
    for g in range(begin, end):
        for i in range(group_at[g], group_at[g + 1]):
            change(space, rules, tally, tuples[i], weights[i])
        set_centre(space, rules, tally, point)
        at[g] = point.at
        gone[g] = point.gone
        rows[g] = point.rows
        for i in range(group_at[g], group_at[g + 1]):
            change(space, rules, tally, tuples[i], -weights[i])
        # Sums of numbers are the one thing that rounding may leave a trace in.
        tally.sums[:] = 0.0


@inner
def closest_group(space: Space, point: Point, at: Floats, gone: Floats, rows: Codes, groups: int, tuple_: int) -> int:
    """The group whose centre is closest to a tuple; of equals the first."""
    tie = slack(space, False)
    least, best = np.inf, np.int64(-1)
    for g in range(groups):
        point.at[:] = at[g]
        point.gone[:] = gone[g]
        point.rows[:] = rows[g]
        apart = between(space, point, tuple_)
        # A later one must be nearer by more than a tie.
        if best < 0 or apart < least - tie * least:
            least, best = apart, g
    return best


@kernel
def closest_groups(
    space: Space, point: Point, at: Floats, gone: Floats, rows: Codes, groups: int, tuples: Longs, into: Longs
) -> None:
    """:func:`closest_group` for several tuples."""
    for i in range(tuples.size):
        into[i] = closest_group(space, point, at, gone, rows, groups, tuples[i])


@kernel
def distances_from(space: Space, point: Point, tuples: Longs, out: Floats) -> None:
    """From the point to each of the tuples; S-distances stay squared."""
    for i in range(tuples.size):
        out[i] = between(space, point, tuples[i])


@kernel
def nearest_group(
    space: Space,
    point: Point,
    at: Floats,
    gone: Floats,
    rows: Codes,
    alive: NDArray[np.bool_],
    group: int,
    tuples: Longs,
    weights: Longs,
) -> int:
    """The other group whose centre is nearest to the given tuples on average; of equals the first."""
    tie = slack(space, False)
    least, best = np.inf, np.int64(-1)
    for g in range(alive.size):
        if not alive[g] or g == group:
            continue
        point.at[:] = at[g]
        point.gone[:] = gone[g]
        point.rows[:] = rows[g]
        total = 0.0
        for i in range(tuples.size):
            apart = between(space, point, tuples[i])
            total += (np.sqrt(apart) if space.squared else apart) * weights[i]
        if best < 0 or total < least - tie * least:
            least, best = total, np.int64(g)
    return best
