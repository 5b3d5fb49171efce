"""An order of tuples that puts near ones side by side, for blocks.

It decides how fast searches are, never what they find. Refinement and groups of profiles look at near items in this order,
and rank swapping draws from candidates listed in it: with another order they have other results. Sets have no part in it:
blocks are not bounded by them.
"""

from __future__ import annotations

import numpy as np

from ontomask.kernels.blocks import SIZE
from ontomask.kernels.space import Longs, Space, number_of_tuples


def near_order(space: Space) -> Longs:
    """Halve the tuples again and again along the attribute in which they differ most (a k-d tree)."""
    pieces: list[Longs] = []
    waiting = [np.arange(number_of_tuples(space))]
    while waiting:
        some = waiting.pop()
        halves = _halves(space, some) if len(some) > SIZE else None
        if halves is None:
            pieces.append(some)
        else:
            waiting += [halves[1], halves[0]]
    return np.concatenate(pieces)


def _halves(space: Space, some: Longs) -> tuple[Longs, Longs] | None:
    """The tuples in two parts, the first a whole number of blocks; None if they are all the same."""
    best, spread = None, 0.0
    for a in range(len(space.numbers)):
        at = space.numbers[a, some]
        off = np.abs(at - at.mean()).mean()
        off = 2 * off * off if space.squared else 1.5 * off
        if off > spread:
            best, spread = at, off
    for c in range(len(space.codes)):
        codes, rows = space.codes[c, some], space.home[space.home_at[c] : space.home_at[c + 1]]
        if space.table_at[c] < 0:
            off, at = space.unit[c] * float((codes != codes[0]).mean()), codes.astype(np.float64)
        else:
            # Rows stand in taxonomy order: values of a branch are side by side.
            off, at = float(_row(space, c, int(codes[0]))[codes].mean()), rows[codes]
        if off > spread:
            best, spread = at, off
    if best is None:
        return None
    half = max(1, round(len(some) / SIZE / 2)) * SIZE
    order = np.argsort(best, kind="stable")
    return some[order[:half]], some[order[half:]]


def _row(space: Space, c: int, code: int) -> np.ndarray:
    """Distances of a value from all values of an attribute, each standing in its own row."""
    values = int(space.home_at[c + 1] - space.home_at[c])
    at = int(space.table_at[c]) + int(space.home[space.home_at[c] + code]) * values
    row: np.ndarray = space.tables[at : at + values]
    return row
