"""Groups of records for cell suppression: a group shows what all of its members share, and blanks.

Its cost is the sum of the costs of its blanked cells; a cell that was missing before costs nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.kernels.compiling import inner, kernel
from ontomask.kernels.space import Floats, Longs

Matrix = NDArray[np.int32]

#: A new cost must be lower by more than this.
LESS = 1e-9


class Members(NamedTuple):
    """Combinations of values in groups: ``codes[t, a]`` (-1: missing), the ``count`` of records, the group and the stratum
    of each; ``after[t]``: the next member of the same group (-1: none). The first ``used[0]`` places are taken.
    """

    codes: Matrix
    count: Longs
    group: Longs
    after: Longs
    stratum: Longs
    origin: Longs  # the combination of the data that it is, or is a part of
    used: Longs


class Groups(NamedTuple):
    """Of each group: its ``first`` member (-1: it is empty), what it ``shows`` (-1: a blank), its ``size``, its ``cost`` and
    its ``stratum``. ``free``: the groups that are empty, the first ``free_count[0]`` of the list."""

    first: Longs
    shows: Matrix
    size: Longs
    cost: Floats
    stratum: Longs
    free: Longs
    free_count: Longs


@inner
def take_empty_group(groups: Groups) -> int:
    """A group that is empty; -1: there is none."""
    if groups.free_count[0] == 0:
        return -1
    groups.free_count[0] -= 1
    return groups.free[groups.free_count[0]]


@inner
def release_group(groups: Groups, g: int) -> None:
    """A group has become empty."""
    groups.free[groups.free_count[0]] = g
    groups.free_count[0] += 1


@inner
def show_group(members: Members, groups: Groups, costs: Floats, g: int) -> None:
    """What a group shows, and what that costs."""
    groups.cost[g] = 0.0
    for a in range(len(costs)):
        shown, filled = members.codes[groups.first[g], a], 0
        at = groups.first[g]
        while at >= 0:
            code = members.codes[at, a]
            if code != shown:
                shown = -1
            if code >= 0:
                filled += members.count[at]
            at = members.after[at]
        groups.shows[g, a] = shown
        if shown < 0:
            groups.cost[g] += costs[a] * filled


@kernel
def show_groups(members: Members, groups: Groups, costs: Floats) -> None:
    """Lists of members, sizes and costs of all groups, by the group of each member."""
    groups.first[:] = -1
    groups.size[:] = 0
    groups.free_count[0] = 0
    for at in range(members.used[0] - 1, -1, -1):
        g = members.group[at]
        members.after[at] = groups.first[g]
        groups.first[g] = at
        groups.size[g] += members.count[at]
        groups.stratum[g] = members.stratum[at]
    for g in range(len(groups.first) - 1, -1, -1):
        if groups.first[g] >= 0:
            show_group(members, groups, costs, g)
        else:
            release_group(groups, g)
