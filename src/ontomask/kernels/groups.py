"""The centres of many groups of tuples at once."""

from __future__ import annotations

from ontomask.kernels.centres import Rules, Tally, change, clear, set_centre
from ontomask.kernels.compiling import kernel
from ontomask.kernels.space import Codes, Floats, Longs, Point, Space


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
