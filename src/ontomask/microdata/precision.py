"""Precision of the means that a numeric column shows.

A mean of a few numbers has more digits than they have, and these digits narrow down what went into it: 33.333 is the mean
of three whole numbers, and of which sums of three. So means are shown as precisely as the column itself is written.
"""

from __future__ import annotations

import math

import numpy as np

from ontomask.arrays import Floats

#: Decimals that are kept at most, unless the numbers are so small that they need more.
MOST_DECIMALS = 6
#: Significant digits of the spread of a column that are always kept.
DIGITS = 3


def own_decimals(numbers: Floats, *, single: bool = False) -> int:
    """The most decimals that a number of the column has; ``single``: they were stored in 32 bits.

    Numbers that come from computing have as many as fit: of these, six are kept, or three significant digits of the
    column's spread, if that is more.

    >>> own_decimals(np.array([1.25, 3.5, 4])), own_decimals(np.array([1.0, 3.0])), own_decimals(np.array([1 / 3, 2]))
    (2, 0, 6)
    """
    known = numbers[np.isfinite(numbers)]
    if not len(known):
        return 0
    width = float(known.max() - known.min()) or float(np.abs(known).max()) or 1.0
    most = max(MOST_DECIMALS, DIGITS - math.floor(math.log10(width)))
    for decimals in range(most):
        short = rounded(known, decimals)
        if (short.astype(np.float32) == known.astype(np.float32) if single else short == known).all():
            return decimals
    return most


def rounded(numbers: Floats, decimals: int, largest: float = 0.0) -> Floats:
    """Numbers to so many decimals, halves to the even neighbour; never -0.0.

    Whether a number is a half is judged as of decimal numbers: 0.285 is, though no float is exactly that. ``largest``:
    the size of the numbers they were computed from, which says how many of their last digits are left to chance.
    """
    scale = 10.0**decimals
    scaled = numbers * scale
    half = np.rint(2 * scaled) / 2
    size = np.maximum(np.abs(scaled), 1.0)
    chance = 64 * np.finfo(np.float64).eps * np.maximum(size, largest * scale)
    near = np.abs(scaled - half) <= np.minimum(1e-6, chance)
    short = np.rint(np.where(near, half, scaled)) / scale
    # Beyond 2^52 all are whole multiples of the last decimal.
    return np.where(size < 2.0**52, short, numbers) + 0.0
