"""Groups formed one after the other, each around a record that is far from the others: MDAV and its adaptive variant."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ontomask.kernels.adaptive import adaptive_steps, new_groups, place_leftovers
from ontomask.kernels.blocks import new_blocks
from ontomask.kernels.centres import add_all, new_tally
from ontomask.kernels.counting import new_counting
from ontomask.kernels.groups import GROUPS, LEFT, new_members
from ontomask.kernels.mdav import begin_queues, mdav_steps, new_drift, new_queues
from ontomask.kernels.ordering import near_order
from ontomask.kernels.space import new_point, only_numbers
from ontomask.microdata.encoding import Rows
from ontomask.operators.aggregation import Operators
from ontomask.progress import Progress


def mdav(operators: Operators, rows: Rows, k: int, progress: Progress) -> tuple[NDArray[np.int32], int]:
    """The group of each record, and how many there are (T12 Algorithm 3); each has records of k units, where these count."""
    space, rules, tuples = operators.space, operators.rules, operators.tuples
    blocks = new_blocks(space, tuples.counts, operators.near_order)
    tally, point, drift = new_tally(space, rules), new_point(space), new_drift(space)
    add_all(space, rules, tally, tuples.counts)
    queues = new_queues(*rows.queues, tuples.size)
    counting = new_counting() if rows.unit_of is None else new_counting(np.arange(len(rows) + 1), rows.unit_of)
    begin_queues(blocks, queues)
    stride = max(1, 2_000_000 // (tuples.p + 1000))
    while not mdav_steps(space, rules, blocks, tally, point, drift, queues, counting, k, stride):
        progress(1 - int(queues.counts[LEFT]) / tuples.size, "forming groups")
    return queues.group, int(queues.counts[GROUPS])


def adaptive(
    operators: Operators, k: int, *, weighted: bool, static: bool, progress: Progress
) -> tuple[NDArray[np.int32], int]:
    """The group of each tuple, and how many there are (T12 Algorithm 4); each has records of k units, where these count."""
    space, rules, tuples = operators.space, operators.rules, operators.tuples
    blocks = new_blocks(space, tuples.counts, operators.near_order)
    # Most values of a taxonomy are about as far away as any: which tuple is the farthest is up to the numbers.
    apart = len(space.numbers) > 0 and len(space.codes) > 0
    outer = new_blocks(space, tuples.counts, near_order(only_numbers(space))) if apart else blocks
    everyone, members = new_tally(space, rules), new_tally(space, rules)
    point, seed = new_point(space), new_point(space)
    add_all(space, rules, everyone, tuples.counts)
    groups, room = new_groups(space, tuples.p, tuples.n, tuples.size, k), new_members(rules, tuples.p)
    units = tuples.units
    counting = new_counting() if units is None else new_counting(units.at, units.unit)
    stride = max(1, 20_000_000 // (tuples.p + 1000))
    while not adaptive_steps(
        space,
        rules,
        blocks,
        outer,
        apart,
        everyone,
        members,
        point,
        seed,
        groups,
        room,
        counting,
        k,
        weighted,
        static,
        stride,
    ):
        progress(1 - int(groups.counts[LEFT]) / tuples.size, "forming groups")
    place_leftovers(space, point, groups)
    return groups.group, int(groups.counts[GROUPS])
