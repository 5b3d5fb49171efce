"""The transport problem, exactly: successive shortest paths with potentials, masses as whole numbers."""

from __future__ import annotations

import numpy as np

from ontomask.kernels.compiling import inner, kernel, makes_arrays
from ontomask.kernels.space import Floats, Longs


@kernel
@makes_arrays
def transport_costs(table: Floats, whole: Longs, starts: Longs, code: Longs, counts: Longs, costs: Floats) -> None:
    """For each class the least cost of turning its values into those of the whole table, per unit of mass.

    Class c has the values ``code[starts[c]:starts[c + 1]]`` with so many ``counts``; ``whole`` counts the values of the
    table. Both sides are scaled to the same number of units, so that nothing is rounded.
    """
    n = whole.sum()
    for c in range(starts.size - 1):
        values, own = code[starts[c] : starts[c + 1]], counts[starts[c] : starts[c + 1]]
        size = own.sum()
        costs[c] = _cheapest(table, values, own * n, whole * size) / (float(n) * float(size))


@inner
@makes_arrays
def _cheapest(table: Floats, values: Longs, supply: Longs, demand: Longs) -> float:
    """min sum f_ij d(values_i, j) with rows adding up to the supply and columns to the demand; both are used up."""
    rows, columns = supply.size, demand.size
    flow = np.zeros((rows, columns), dtype=np.int64)
    up, down = np.zeros(rows), np.zeros(columns)  # potentials: reduced costs never fall below 0
    while True:
        left, right = np.full(rows, np.inf), np.full(columns, np.inf)
        from_column = np.full(rows, -1, dtype=np.int64)
        from_row = np.full(columns, -1, dtype=np.int64)
        open_left, open_right = np.ones(rows, dtype=np.bool_), np.ones(columns, dtype=np.bool_)
        waiting = False
        for i in range(rows):
            if supply[i] > 0:
                left[i] = 0.0
                waiting = True
        if not waiting:
            break
        sink = -1
        while sink < 0:
            near, place, on_left = np.inf, -1, True
            for i in range(rows):
                if open_left[i] and left[i] < near:
                    near, place, on_left = left[i], i, True
            for j in range(columns):
                if open_right[j] and right[j] < near:
                    near, place, on_left = right[j], j, False
            if on_left:
                open_left[place] = False
                for j in range(columns):
                    if open_right[j]:
                        step = near + max(table[values[place], j] + up[place] - down[j], 0.0)
                        if step < right[j]:
                            right[j], from_row[j] = step, place
            else:
                open_right[place] = False
                if demand[place] > 0:
                    sink = place
                    break
                for i in range(rows):
                    if open_left[i] and flow[i, place] > 0:
                        step = near + max(-(table[values[i], place] + up[i] - down[place]), 0.0)
                        if step < left[i]:
                            left[i], from_column[i] = step, place
        far = right[sink]
        for i in range(rows):
            up[i] += min(left[i], far)
        for j in range(columns):
            down[j] += min(right[j], far)
        _send(flow, supply, demand, from_row, from_column, sink)
    total = 0.0
    for i in range(rows):
        for j in range(columns):
            if flow[i, j] > 0:
                total += float(flow[i, j]) * table[values[i], j]
    return total


@inner
def _send(flow: Longs, supply: Longs, demand: Longs, from_row: Longs, from_column: Longs, sink: int) -> None:
    """As much as fits along the path that ends at ``sink``."""
    amount = demand[sink]
    j = np.int64(sink)
    i = from_row[j]
    while from_column[i] >= 0:
        j = from_column[i]
        amount = min(amount, flow[i, j])
        i = from_row[j]
    amount = min(amount, supply[i])
    supply[i] -= amount
    demand[sink] -= amount
    j = np.int64(sink)
    i = from_row[j]
    flow[i, j] += amount
    while from_column[i] >= 0:
        j = from_column[i]
        flow[i, j] -= amount
        i = from_row[j]
        flow[i, j] += amount
