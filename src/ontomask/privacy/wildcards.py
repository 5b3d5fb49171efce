"""Matches between records where a blank stands for any value, counted on what a release shows.

It shares nothing with the search for cells to blank: columns are compared as Polars numbers their values.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from ontomask.arrays import Longs


def class_sizes(shown: Sequence[pl.Series]) -> Longs:
    """The records of each record's class, where a blank is a value of its own."""
    frame = pl.DataFrame([column.alias(str(place)) for place, column in enumerate(shown)])
    sizes = frame.with_columns(pl.len().over(frame.columns).alias("size"))["size"]
    return sizes.to_numpy().astype(np.int64)


def too_few_matches(shown: Sequence[pl.Series], k: int) -> int:
    """The records that fewer than k match, themselves among them, where a blank stands for any value.

    ``shown``: the columns of the release, and whatever else must be equal. A class of k records needs no further look: its
    records match each other.
    """
    rare = class_sizes(shown) < k
    if not rare.any():
        return 0
    # Each column as ranks from 1; 0 is a blank.
    ranks = np.array([column.rank("dense").fill_null(0).to_numpy() for column in shown], dtype=np.int64)
    blanks, pattern = np.unique(ranks == 0, axis=1, return_inverse=True)
    pattern = pattern.reshape(-1)
    members = [np.flatnonzero(pattern == p) for p in range(blanks.shape[1])]
    few = 0
    for p in range(blanks.shape[1]):
        asking = members[p][rare[members[p]]]
        matches = np.zeros(len(asking), dtype=np.int64)
        for q in range(blanks.shape[1]):
            if not len(asking) or (matches >= k).all():
                break
            both = ~(blanks[:, p] | blanks[:, q])
            joined = np.concatenate([ranks[both][:, asking], ranks[both][:, members[q]]], axis=1)
            same = _numbered(joined)
            there = np.bincount(same[len(asking) :], minlength=int(same.max()) + 1)
            matches += there[same[: len(asking)]]
        few += int((matches < k).sum())
    return few


def _numbered(columns: Longs) -> Longs:
    """Equal columns of a matrix have the same number."""
    if not len(columns):
        return np.zeros(columns.shape[1], dtype=np.int64)
    number: Longs = columns[0]
    for row in columns[1:]:
        number = np.unique(number * (int(row.max(initial=0)) + 1) + row, return_inverse=True)[1]
    return number
