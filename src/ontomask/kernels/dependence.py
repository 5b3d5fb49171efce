"""Sums over pairs of records for distance covariances."""

from __future__ import annotations

import numpy as np

from ontomask.kernels.compiling import kernel, makes_arrays
from ontomask.kernels.space import Floats, Longs


@kernel
@makes_arrays
def sums_between(code: Longs, values: Floats, sums: Floats) -> None:
    """For every two categories the sum of |x - y| over their records, in one pass over records sorted by value.

    Each record meets all before it: x times their number minus their sum, by category.
    """
    categories = sums.shape[0]
    seen, total = np.zeros(categories), np.zeros(categories)
    for i in range(values.size):
        group, x = code[i], values[i]
        row = sums[group]
        for c in range(categories):
            row[c] += x * seen[c] - total[c]
        seen[group] += 1.0
        total[group] += x
    for a in range(categories):
        for b in range(a + 1):
            both = sums[a, b] + sums[b, a]
            sums[a, b] = both
            sums[b, a] = both
