"""Classes of records at a node of a generalization lattice."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ontomask.kernels.compiling import kernel
from ontomask.kernels.space import Longs

Ints = NDArray[np.int32]


@kernel
def classes_at(
    codes: Ints,
    rows: Longs,
    weights: Longs,
    maps: Ints,
    map_at: Longs,
    radix: Longs,
    keys: Longs,
    found: Longs,
    stamps: Longs,
    of: Longs,
    sizes: Longs,
    first: Longs,
) -> int:
    """Put rows with equal generalized values into classes; how many there are.

    Attribute a of row r shows ``maps[map_at[a] + codes[a, r]]``, and its digit in the key is worth ``radix[a]``. The
    class of the i-th row goes to ``of[i]``; ``sizes`` adds up the weights of each class and ``first`` is its first row.
    ``keys``, ``found`` and ``stamps`` are a hash table whose length is a power of two, larger than the rows; the last
    stamp is the number of calls so far.
    """
    room = keys.size - 1
    stamps[-1] += 1
    stamp = stamps[-1]
    classes = 0
    for i in range(rows.size):
        row = rows[i]
        key = np.int64(0)
        for a in range(map_at.size):
            key += maps[map_at[a] + codes[a, row]] * radix[a]
        place = np.int64((np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32)) & room
        while stamps[place] == stamp and keys[place] != key:
            place = (place + 1) & room
        if stamps[place] != stamp:
            stamps[place] = stamp
            keys[place] = key
            found[place] = classes
            sizes[classes] = 0
            first[classes] = row
            classes += 1
        c = found[place]
        of[i] = c
        sizes[c] += weights[i]
    return classes
