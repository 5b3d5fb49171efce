"""Coordinates in coarse steps: how near and how far the tuples of a block can be, where there are many coordinates.

A block of near tuples is then wide in most of them, so that its least and greatest coordinates say little. Sums of whole
numbers of 16 bits take a quarter of the time of exact distances, and rule out nearly every block.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.kernels.compiling import inner
from ontomask.kernels.space import Floats, Longs, Space

#: From so many coordinates on they are kept in coarse steps; up to so many the steps are fine enough.
MANY, MOST = 6, 64
#: The sum of the steps in all coordinates is at most this.
WHOLE = 65_535

Steps = NDArray[np.uint16]


class Coarse(NamedTuple):
    """``steps[a, i]``: how many steps of ``grain`` coordinate a of slot i lies above ``low[a]``; nothing: they are not kept.

    ``high``: the greatest coordinates; ``here``: the steps of the point that is looked from; ``out`` is room for a block.
    """

    steps: Steps
    low: Floats
    high: Floats
    grain: float
    here: Steps
    out: Steps


def new_coarse(space: Space, order: Longs, room: int, size: int) -> Coarse:
    """Of tuples laid out in ``order``, in as many slots as there is ``room`` for, ``size`` to a block."""
    numbers = len(space.numbers)
    useful = MANY <= numbers <= MOST and not space.squared and not space.gap.any() and room > size
    low, high = (
        (space.numbers.min(axis=1), space.numbers.max(axis=1)) if useful else (np.zeros(numbers), np.zeros(numbers))
    )
    widest = float((high - low).max(initial=0.0))
    useful = useful and widest > 0.0
    grain = widest / (WHOLE // numbers) if useful else 1.0
    steps = np.zeros((numbers, room) if useful else (0, 0), dtype=np.uint16)
    if useful:
        above = np.floor((space.numbers[:, order] - low[:, None]) / grain)
        steps[:, : len(order)] = np.clip(above, 0, WHOLE // numbers).astype(np.uint16)
    return Coarse(steps, low, high, grain, np.zeros(numbers, np.uint16), np.zeros(size, np.uint16))


@inner
def set_here(coarse: Coarse, at: Floats) -> float:
    """Turn to a point; how far it lies outside what the steps cover, which no sum of them shows."""
    outside, most = 0.0, WHOLE // at.size
    for a in range(at.size):
        outside += max(max(coarse.low[a] - at[a], at[a] - coarse.high[a]), 0.0)
        coarse.here[a] = np.uint16(min(max(np.floor((at[a] - coarse.low[a]) / coarse.grain), 0.0), most))
    return outside


@inner
def coarse_extremes(coarse: Coarse, begin: int, end: int) -> tuple[float, float]:
    """Bounds of the distances of some slots from the point.

    In each coordinate a difference is wrong by less than one step; one more is for what rounding may have taken.
    """
    out = coarse.out[: end - begin]
    out[:] = 0
    for a in range(coarse.steps.shape[0]):
        _add_steps(out, coarse.steps[a, begin:end], coarse.here[a])
    low, high = _least_and_most(out)
    doubt = coarse.steps.shape[0] + 1
    return max(low - doubt, 0.0) * coarse.grain, (high + doubt) * coarse.grain


@inner
def _add_steps(out: Steps, steps: Steps, here: np.uint16) -> None:
    for i in range(out.size):
        out[i] = np.uint16(out[i] + np.uint16(max(steps[i], here) - min(steps[i], here)))


@inner
def _least_and_most(out: Steps) -> tuple[float, float]:
    low, high = np.uint16(WHOLE), np.uint16(0)
    for i in range(out.size):
        low = min(low, out[i])
        high = max(high, out[i])
    return float(low), float(high)
