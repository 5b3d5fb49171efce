"""Hybrid data: values drawn from the neighbourhood that a group spans (M13 Algorithm 1, D12 Algorithm 2)."""

from __future__ import annotations

import numpy as np

from ontomask.kernels.compiling import kernel
from ontomask.kernels.space import TIE, Floats, Longs


@kernel
def draw_near(
    table: Floats, codes: Longs, records: Longs, record_at: Longs, listed: Longs, at: Longs, uniform: Floats, out: Longs
) -> None:
    """For each record of each group a code within the largest distance from its own code to one of the group.

    ``table[a, b]``: distances of codes; group g has ``records[record_at[g]:record_at[g + 1]]`` and the distinct codes
    ``listed[at[g]:at[g + 1]]``. ``uniform[i]`` in [0, 1) picks among the candidates of record i, in the order of codes.
    """
    reach = np.zeros(table.shape[0])
    count = np.zeros(table.shape[0], dtype=np.int64)
    for g in range(at.size - 1):
        group = listed[at[g] : at[g + 1]]
        for x in group:
            farthest = 0.0
            for v in group:
                farthest = max(farthest, table[x, v])
            reach[x] = farthest + TIE * farthest
            inside = 0
            for v in range(table.shape[0]):
                inside += table[x, v] <= reach[x]
            count[x] = inside
        for i in range(record_at[g], record_at[g + 1]):
            record = records[i]
            x = codes[record]
            left = min(np.int64(uniform[record] * count[x]), count[x] - 1)
            for v in range(table.shape[0]):
                if table[x, v] <= reach[x]:
                    if left == 0:
                        out[record] = v
                        break
                    left -= 1
