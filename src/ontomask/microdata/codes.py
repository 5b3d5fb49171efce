"""Integer codes: one for each distinct value, and one for each combination of several.

Verification counts by itself (:mod:`ontomask.privacy.classes`): it must not repeat a mistake that is made here.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from ontomask.arrays import Array, Ints, Longs

#: Keys of combinations stay below it, so that they fit 64 bits.
LARGEST_KEY = 2**63


def factorize(values: pl.Series) -> tuple[Ints, pl.Series]:
    """The code of each value and the distinct values, in the order first seen; null is a value."""
    frame = pl.DataFrame({"value": values})
    distinct = frame.unique(maintain_order=True)
    if len(distinct) == 1:  # a join finds a single NaN unlike itself
        return np.zeros(len(values), dtype=np.int32), distinct["value"]
    numbered = distinct.with_columns(pl.int_range(pl.len(), dtype=pl.Int32).alias("code"))
    joined = frame.join(numbered, on="value", how="left", nulls_equal=True, maintain_order="left")
    return joined["code"].to_numpy().astype(np.int32, copy=False), distinct["value"]


def combine(keys: Sequence[Array], sizes: Sequence[int]) -> tuple[Ints, Longs]:
    """The code of each combination of keys, in the order first seen, and the place where each is first seen.

    ``sizes``: every number of a key is below its size; not every one need occur.
    """
    key, bound = keys[0].astype(np.int64), sizes[0]
    for other, size in zip(keys[1:], sizes[1:], strict=True):
        if bound * size > LARGEST_KEY:  # as few numbers as there are combinations so far: the next product fits
            shorter, distinct = factorize(pl.Series(key))
            key, bound = shorter.astype(np.int64), len(distinct)
        key, bound = key * size + other, bound * size
    code, _ = factorize(pl.Series(key))
    first = np.full(int(code.max(initial=-1)) + 1, len(code), dtype=np.int64)
    np.minimum.at(first, code, np.arange(len(code)))
    return code, first


def count_pairs(one: Array, other: Array, size: int, weights: Longs | None = None) -> tuple[Longs, Longs, Longs]:
    """The distinct pairs of two keys, ordered by the first and then the second, and how often each occurs.

    ``size``: every number of ``other`` is below it. ``weights``: how often each pair that is given counts, if not once.
    """
    key = one.astype(np.int64) * size + other
    if weights is None:
        distinct, counts = np.unique(key, return_counts=True)
    else:
        distinct, place = np.unique(key, return_inverse=True)
        counts = np.bincount(place, weights).astype(np.int64)
    return distinct // size, distinct % size, counts
