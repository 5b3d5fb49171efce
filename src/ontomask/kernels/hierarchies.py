"""The lowest common subsumers of many groups of values at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ontomask.kernels.compiling import kernel
from ontomask.kernels.space import Longs


@kernel
def first_in_common(
    at: Longs, nodes: NDArray[np.int32], codes: NDArray[np.int32], starts: Longs, room: NDArray[np.int32], into: Longs
) -> None:
    """The first node that all codes of each group have.

    ``nodes[at[c]:at[c + 1]]`` are those of code c, in ascending order. Group g is ``codes[starts[g]:starts[g + 1]]``. The
    nodes in common are kept in ``room`` while codes join: what a group costs grows with its codes' nodes and nothing else.
    """
    for g in range(starts.size - 1):
        last = codes[starts[g]]
        held = at[last + 1] - at[last]
        room[:held] = nodes[at[last] : at[last + 1]]
        for i in range(starts[g] + 1, starts[g + 1]):
            if codes[i] == last:
                continue
            last = codes[i]
            kept, other, end = 0, at[last], at[last + 1]
            for x in range(held):
                while other < end and nodes[other] < room[x]:
                    other += 1
                if other < end and nodes[other] == room[x]:
                    room[kept] = room[x]
                    kept += 1
            held = kept
        into[g] = room[0]
