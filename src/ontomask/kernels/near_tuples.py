"""The nearest tuples of each tuple, or nearly those: looked for along orders that put near ones side by side.

Each order halves the tuples again and again along an attribute, as a k-d tree does, but draws the attribute and the place to
cut: what one order separates stands together in another. Then the near tuples of near tuples are looked at (after Dong,
Moses & Li, WWW 2011). This finds near tuples of nominal attributes too. Sets have no part in it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ontomask.kernels.compiling import inner, kernel, makes_arrays
from ontomask.kernels.space import Codes, Floats, Longs, Space

#: Tuples that an attribute and a place to cut are chosen from.
SOME = 32
#: Tuples that are remembered as looked at already, at most.
REMEMBERED = 512
Singles = NDArray[np.float32]
Shorts = NDArray[np.int32]


@inner
def _draw(state: Longs, below: int) -> int:
    """The next number of a fixed sequence: the upper bits of a linear congruential generator modulo 2^64 (Knuth's MMIX)."""
    state[0] = state[0] * 6364136223846793005 + 1442695040888963407
    return ((state[0] >> 33) & 0x3FFFFFFF) % below


@inner
def _apart(space: Space, x: Floats, lacks: Floats, y: Codes, t: int, u: int) -> float:
    """The distance of two tuples; ``x``, ``lacks`` and ``y``: their numbers, which are missing, and their codes."""
    total = 0.0
    for a in range(x.shape[1]):
        apart = x[t, a] - x[u, a]
        apart = apart * apart if space.squared else abs(apart)
        own, other = lacks[t * space.lacking, a], lacks[u * space.lacking, a]
        total += apart * (1.0 - own) * (1.0 - other) + space.gap[a] * (own + other - 2.0 * own * other)
    for c in range(y.shape[1]):
        total += _apart_in(space, y, c, t, u)
    return total


@inner
def _apart_in(space: Space, y: Codes, c: int, t: int, u: int) -> float:
    """The distance of two tuples in a coded attribute."""
    code, row = np.int64(y[u, c]), np.int64(space.home[space.home_at[c] + y[t, c]])
    return space.unit[c] * (code != row) + space.tables[space.begin[c] + row * space.stride[c] + code * space.step[c]]


@kernel
@makes_arrays
def draw_order(space: Space, keys: Singles, y: Codes, order: Shorts, smallest: int, seed: int) -> None:
    """Put tuples into an order that is drawn: cut again and again until at most ``smallest`` are left in a part.

    ``keys``: where each tuple stands in each attribute, the numbers first; near values stand side by side.
    """
    state, stack = np.array([seed], dtype=np.int64), np.zeros((4096, 2), dtype=np.int64)
    some, at, spread = np.zeros(SOME, dtype=np.int64), np.zeros(SOME, dtype=np.float32), np.zeros(keys.shape[1])
    stack[0, 1], height = order.size, 1
    while height > 0:
        height -= 1
        begin, end = stack[height, 0], stack[height, 1]
        if end - begin <= smallest:
            continue
        for j in range(SOME):
            some[j] = order[begin + _draw(state, end - begin)]
        _spreads(space, keys, y, some, state, spread)
        middle = _cut(keys, order, begin, end, some, at, spread, state)
        if begin < middle < end and height + 2 <= stack.shape[0]:
            stack[height, 0], stack[height, 1] = begin, middle
            stack[height + 1, 0], stack[height + 1, 1] = middle, end
            height += 2


@inner
def _spreads(space: Space, keys: Singles, y: Codes, some: Longs, state: Longs, spread: Floats) -> None:
    """How much some tuples differ in each attribute, times a number that is drawn."""
    numbers = keys.shape[1] - y.shape[1]
    for a in range(keys.shape[1]):
        total, first = 0.0, some[_draw(state, some.size)]
        for j in range(some.size):
            if a < numbers:
                apart = float(keys[some[j], a]) - float(keys[first, a])
                total += apart * apart if space.squared else abs(apart)
            else:
                total += _apart_in(space, y, a - numbers, first, some[j])
        spread[a] = -np.log((_draw(state, 1 << 20) + 1.0) / (1 << 20)) * total


@inner
def _cut(
    keys: Singles, order: Shorts, begin: int, end: int, some: Longs, at: Singles, spread: Floats, state: Longs
) -> int:
    """Divide a part of the order along the attribute of the largest spread that has two values; where the rest begins."""
    for _ in range(spread.size):
        a = 0
        for other in range(1, spread.size):
            if spread[other] > spread[a]:
                a = other
        if not spread[a] > 0.0:
            return begin
        spread[a] = 0.0
        for j in range(some.size):  # sorted by insertion
            key, place = keys[some[j], a], j
            while place > 0 and at[place - 1] > key:
                at[place] = at[place - 1]
                place -= 1
            at[place] = key
        limit = at[SOME // 3 + _draw(state, SOME // 3)]
        middle = _divide(keys, order, begin, end, a, limit, False)
        if middle == begin:
            middle = _divide(keys, order, begin, end, a, limit, True)
        if begin < middle < end:
            return middle
    return begin


@inner
def _divide(keys: Singles, order: Shorts, begin: int, end: int, a: int, limit: float, with_it: bool) -> int:
    """Put what is below the limit, or at it, before all else; where all else begins."""
    middle = begin
    for i in range(begin, end):
        key = keys[order[i], a]
        if key < limit or (with_it and key == limit):
            order[i], order[middle] = order[middle], order[i]
            middle += 1
    return middle


@inner
def _keep(near: Shorts, apart: Singles, t: int, u: int, off: float) -> None:
    """Let one tuple be among the nearest of another, the nearest first, unless others are nearer or it is there."""
    last = near.shape[1] - 1
    if off >= apart[t, last]:
        return
    for place in range(1, last + 1):
        if near[t, place] == u:
            return
    place = last
    while place > 1 and apart[t, place - 1] > off:
        near[t, place], apart[t, place] = near[t, place - 1], apart[t, place - 1]
        place -= 1
    near[t, place], apart[t, place] = u, off


@kernel
def look_along(
    space: Space,
    x: Floats,
    lacks: Floats,
    y: Codes,
    order: Shorts,
    width: int,
    near: Shorts,
    apart: Singles,
    begin: int,
    end: int,
) -> None:
    """Compare each tuple with those around it in an order, ``width`` in all; of those at its places from begin to end."""
    for i in range(begin, end):
        t, first = order[i], max(0, min(i - width // 2, order.size - width))
        for j in range(first, min(first + width, order.size)):
            if j != i:
                _keep(near, apart, t, order[j], np.float32(_apart(space, x, lacks, y, t, order[j])))


@kernel
@makes_arrays
def look_around(
    space: Space,
    x: Floats,
    lacks: Floats,
    y: Codes,
    found: Shorts,
    near: Shorts,
    apart: Singles,
    begin: int,
    end: int,
) -> None:
    """Compare each tuple with the near tuples of its near tuples, as they were ``found``; of the tuples from begin to end."""
    seen = np.full(REMEMBERED, -1, dtype=np.int64)
    for t in range(begin, end):
        for one in range(1, found.shape[1]):
            if found[t, one] < 0:
                break
            for two in range(1, found.shape[1]):
                u = found[found[t, one], two]
                if u < 0:
                    break
                mark = (np.int64(t) << 32) + u
                if u != t and seen[u % REMEMBERED] != mark:
                    seen[u % REMEMBERED] = mark
                    _keep(near, apart, t, u, np.float32(_apart(space, x, lacks, y, t, u)))
