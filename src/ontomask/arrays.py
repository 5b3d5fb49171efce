"""Array types, and the tolerance for equal figures."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Floats = NDArray[np.float64]
Longs = NDArray[np.int64]
Ints = NDArray[np.int32]
Flags = NDArray[np.bool_]

#: Figures closer than this, relatively, are equal: what is left is rounding. The first of them wins.
TIE = 1e-12


def dense_ranks(values: Floats) -> Longs:
    """The rank of each value, from 0; values closer than a relative 1e-12 are equal and share one."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    # A run goes on while the next value is equal to the one before it.
    run = np.concatenate(([0], np.cumsum(np.diff(ordered) > TIE * np.abs(ordered[:-1]))))
    ranks = np.empty(len(values), dtype=np.int64)
    ranks[order] = run
    return ranks


def by_first_seen(codes: Longs) -> Longs:
    """The same codes, which have no gaps, numbered in the order in which they are first seen."""
    n = len(codes)
    first = np.empty(int(codes.max(initial=-1)) + 1, dtype=np.int64)
    first[codes[::-1]] = np.arange(n - 1, -1, -1)  # the last that is written stays: the first place of each
    places = first[codes]
    numbers: Longs = (np.cumsum(places == np.arange(n)) - 1)[places]
    return numbers


def starts(lengths: Array) -> Longs:
    """Where each of several lists begins that stand one after the other, and where the last ends."""
    return np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)


def take_lists(at: Longs, entries: Array, some: Longs) -> tuple[Longs, Array]:
    """Some of several lists that stand one after the other: where each begins then, and their entries."""
    lengths = np.diff(at)[some]
    begins = starts(lengths)
    places = np.repeat(at[some] - begins[:-1], lengths) + np.arange(begins[-1])
    return begins, entries[places]


def distinct(numbers: Longs) -> Longs:
    """Whole numbers from 0 up, each once, in ascending order: by sorting, many times as fast as ``np.unique``, which hashes."""
    ordered: Longs = np.sort(numbers)
    return ordered[np.flatnonzero(np.diff(ordered, prepend=-1))]
