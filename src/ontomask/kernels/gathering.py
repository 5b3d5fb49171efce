"""Cell suppression: new groups of members that agree in all but some columns, where that blanks fewer cells."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.kernels.cells import LESS, Groups, Members, release_group, show_group, take_empty_group
from ontomask.kernels.compiling import inner, kernel
from ontomask.kernels.space import Floats, Longs, copy_values


class Draft(NamedTuple):
    """A group in the making: the members that would come, and the ``taken`` records of each; ``leaving``: the records that
    would leave each group."""

    place: Longs
    taken: Longs
    leaving: Longs


@kernel
def gather_members(
    members: Members,
    groups: Groups,
    draft: Draft,
    costs: Floats,
    k: int,
    order: Longs,
    starts: Longs,
    blank: NDArray[np.bool_],
) -> float:
    """New groups of members that agree in all but the columns that are ``blank``; what they save.

    Those that are cheaper off in a new group come first; others, of groups that can spare them, make it k records.
    ``order``: the members, those that agree one after the other; ``starts``: where each run of them begins, and the end.
    """
    saved = 0.0
    for run in range(len(starts) - 1):
        begin, end = starts[run], starts[run + 1]
        if end - begin < 2:
            continue
        number, size, gain = 0, 0, 0.0
        for i in range(begin, end):
            at = order[i]
            better = _cost_of_member(members, groups, costs, at) - _cost_blank(members, costs, blank, at)
            if (
                better > LESS
                and number < len(draft.place)
                and _can_leave(members, groups, draft, k, at, members.count[at])
            ):
                draft.place[number], draft.taken[number] = at, members.count[at]
                draft.leaving[members.group[at]] += members.count[at]
                number, size, gain = number + 1, size + members.count[at], gain + better * members.count[at]
        wanted = number
        while number and size < k and number < len(draft.place):
            best, least, most = -1, np.inf, 0
            for i in range(begin, end):
                at = order[i]
                worse = _cost_blank(members, costs, blank, at) - _cost_of_member(members, groups, costs, at)
                if worse < -LESS or _is_drafted(draft, wanted, number, at):
                    continue
                records = members.count[at]
                if _divisible(members, groups, at):
                    records = min(records, k - size, groups.size[members.group[at]] - k)
                    if records < members.count[at] and members.used[0] + number >= len(members.count):
                        continue
                if records > 0 and worse * records < least and _can_leave(members, groups, draft, k, at, records):
                    best, least, most = at, worse * records, records
            if best < 0 or gain - least <= LESS:
                break
            draft.place[number], draft.taken[number] = best, most
            draft.leaving[members.group[best]] += most
            number, size, gain = number + 1, size + most, gain - least
        for i in range(number):
            draft.leaving[members.group[draft.place[i]]] = 0
        if size >= k and gain > LESS and groups.free_count[0] > 0:
            saved += _make_group(members, groups, draft, costs, number)
    return saved


@inner
def _cost_of_member(members: Members, groups: Groups, costs: Floats, at: int) -> float:
    """What each record of a member costs where it is."""
    g, total = members.group[at], 0.0
    if groups.cost[g] > 0:
        for a in range(len(costs)):
            if groups.shows[g, a] < 0 and members.codes[at, a] >= 0:
                total += costs[a]
    return total


@inner
def _cost_blank(members: Members, costs: Floats, blank: NDArray[np.bool_], at: int) -> float:
    """What each record of a member costs where these columns are blank."""
    total = 0.0
    for a in range(len(costs)):
        if blank[a] and members.codes[at, a] >= 0:
            total += costs[a]
    return total


@inner
def _divisible(members: Members, groups: Groups, at: int) -> bool:
    """Is it a group by itself, of which some records can go?"""
    g = members.group[at]
    return groups.first[g] == at and members.after[at] < 0


@inner
def _can_leave(members: Members, groups: Groups, draft: Draft, k: int, at: int, records: int) -> bool:
    """Has its group k records without these, or none?"""
    g = members.group[at]
    left = groups.size[g] - draft.leaving[g] - records
    return left >= k or left == 0


@inner
def _is_drafted(draft: Draft, wanted: int, number: int, at: int) -> bool:
    for i in range(wanted, number):
        if draft.place[i] == at:
            return True
    return False


@inner
def _make_group(members: Members, groups: Groups, draft: Draft, costs: Floats, number: int) -> float:
    """The members of a draft leave their groups and form a new one; what that saves."""
    saved = 0.0
    new = take_empty_group(groups)
    groups.size[new] = 0
    groups.stratum[new] = members.stratum[draft.place[0]]
    for i in range(number):
        at, records = draft.place[i], draft.taken[i]
        g = members.group[at]
        saved += groups.cost[g]
        if records < members.count[at]:
            part = members.used[0]
            members.used[0] += 1
            copy_values(members.codes[at], members.codes[part])
            members.count[part], members.count[at] = records, members.count[at] - records
            members.stratum[part], members.origin[part] = members.stratum[at], members.origin[at]
            groups.size[g] -= records
            at = part
        else:
            _unlink(members, groups, at)
        if groups.first[g] >= 0:
            show_group(members, groups, costs, g)
        else:
            groups.cost[g] = 0.0
            release_group(groups, g)
        saved -= groups.cost[g]
        members.group[at] = new
        members.after[at] = groups.first[new]
        groups.first[new] = at
        groups.size[new] += records
    show_group(members, groups, costs, new)
    return saved - groups.cost[new]


@inner
def _unlink(members: Members, groups: Groups, at: int) -> None:
    """A member leaves the list of its group."""
    g = members.group[at]
    groups.size[g] -= members.count[at]
    if groups.first[g] == at:
        groups.first[g] = members.after[at]
        return
    place = groups.first[g]
    while members.after[place] != at:
        place = members.after[place]
    members.after[place] = members.after[at]
