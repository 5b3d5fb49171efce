"""Classes of records at a node of a generalization lattice."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ontomask.kernels.compiling import inner, kernel
from ontomask.kernels.space import Longs

Ints = NDArray[np.int32]


@kernel
def classes_at(
    codes: Ints,
    weights: Longs,
    maps: Ints,
    map_at: Longs,
    radix: Longs,
    keys: Longs,
    table: Longs,
    found: Ints,
    of: Longs,
    sizes: Longs,
    first: Longs,
) -> int:
    """Put rows with equal generalized values into classes; how many there are.

    Attribute a of row i shows ``maps[map_at[a] + codes[a, i]]``, and its digit in the key is worth ``radix[a]``. The
    class of each row goes to ``of``; ``sizes`` adds up the weights of each class and ``first`` is its first row.
    ``keys`` is room for as many rows, ``table`` and ``found`` are a hash table of at least twice as many places.
    """
    rows = codes.shape[1]
    keys[:rows] = 0
    for a in range(map_at.size):
        _add_digit(keys[:rows], codes[a], maps[map_at[a] :], radix[a])
    room = 16
    while room < 2 * rows:
        room *= 2
    found[:room] = -1
    room -= 1
    classes = 0
    for i in range(rows):
        key = keys[i]
        place = np.int64((np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(33)) & room
        while found[place] >= 0 and table[place] != key:
            place = (place + 1) & room
        if found[place] < 0:
            table[place] = key
            found[place] = classes
            sizes[classes] = 0
            first[classes] = i
            classes += 1
        c = found[place]
        of[i] = c
        sizes[c] += weights[i]
    return classes


@inner
def _add_digit(keys: Longs, codes: Ints, shown: Ints, worth: int) -> None:
    for i in range(keys.size):
        keys[i] += shown[codes[i]] * worth
