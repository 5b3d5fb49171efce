"""Chunks of values that stand side by side in a taxonomy: how near the values of a block can be, from a few numbers.

A block of near tuples may hold hundreds of values of a nominal attribute, mostly of a few branches. The least distance of each
chunk of values from a point is found once; that of a block, at least, is the least of the chunks its values are in.
"""

from __future__ import annotations

import os
from typing import NamedTuple

import numpy as np

from ontomask.kernels.compiling import inner, inner_extremes
from ontomask.kernels.space import Codes, Floats, Longs, Space

#: Values of a chunk; attributes of fewer values than ``MANY`` have no chunks. (Tests that make blocks small do so here too.)
WIDE, MANY = (2, 3) if "ONTOMASK_BLOCK" in os.environ else (16, 64)


class Chunks(NamedTuple):
    """``values[value_at[c] : value_at[c + 1]]``: the values of attribute c in the order of the taxonomy, ``WIDE`` to a chunk;
    ``chunk_of`` each value, by its code. ``least`` from ``at[c]`` on: the least distance of each chunk.
    ``listed[c, b, :lengths[c, b]]``: the chunks of a block, those of values that have left it too. ``stamp``: room to tell
    which are listed already.
    """

    values: Codes
    value_at: Longs
    chunk_of: Codes
    least: Floats
    at: Longs
    listed: Codes
    lengths: Longs
    stamp: Longs


def new_chunks(space: Space, count: int, size: int) -> Chunks:
    """For so many blocks of so many slots; none of them is described yet."""
    values, chunk_of, value_at, at = [np.zeros(0)], [np.zeros(0)], [0], [0]
    for c in range(len(space.codes)):
        rows = space.home[space.home_at[c] : space.home_at[c + 1]]
        chunked = space.table_at[c] >= 0 and len(rows) >= MANY
        order = np.argsort(rows, kind="stable") if chunked else np.zeros(0, dtype=np.int64)
        place = np.empty(len(order))
        place[order] = np.arange(len(order)) // WIDE
        values.append(order)
        chunk_of.append(place)
        value_at.append(value_at[-1] + len(order))
        at.append(at[-1] - (-len(order) // WIDE))
    some = value_at[-1] > 0
    shape = (len(space.codes), count, size) if some else (0, 0, 0)
    return Chunks(
        np.concatenate(values).astype(np.uint32),
        np.array(value_at, dtype=np.int64),
        np.concatenate(chunk_of).astype(np.uint32),
        np.zeros(at[-1]),
        np.array(at, dtype=np.int64),
        np.zeros(shape, dtype=np.uint32),
        np.zeros(shape[:2], dtype=np.int64),
        np.zeros(at[-1] + 1, dtype=np.int64),
    )


@inner
def list_chunks(chunks: Chunks, c: int, b: int, codes: Codes) -> None:
    """Of a block that holds these values of an attribute."""
    if chunks.value_at[c] == chunks.value_at[c + 1]:
        return
    chunks.stamp[-1] += 1  # a new stamp for every list
    length = 0
    for j in range(codes.size):
        chunk = chunks.chunk_of[chunks.value_at[c] + np.int64(codes[j])]
        place = chunks.at[c] + np.int64(chunk)
        if chunks.stamp[place] != chunks.stamp[-1]:
            chunks.stamp[place] = chunks.stamp[-1]
            chunks.listed[c, b, length] = chunk
            length += 1
    chunks.lengths[c, b] = length


@inner
def face_chunks(chunks: Chunks, rows: Floats, rows_at: Longs) -> None:
    """The least distance of each chunk; ``rows`` from ``rows_at[c]`` on: the distances of the values of an attribute."""
    for c in range(chunks.at.size - 1):
        row, values = rows[rows_at[c] : rows_at[c + 1]], chunks.values[chunks.value_at[c] : chunks.value_at[c + 1]]
        for place in range(chunks.at[c], chunks.at[c + 1]):
            begin = (place - chunks.at[c]) * WIDE
            chunks.least[place] = least_of(row, values[begin : begin + WIDE])


@inner_extremes
def least_of(row: Floats, codes: Codes) -> float:
    """The least distance of some values."""
    least = np.inf
    for j in range(codes.size):
        least = min(least, row[codes[j]])
    return least


@inner
def chunked(chunks: Chunks, c: int) -> bool:
    return bool(chunks.at[c] < chunks.at[c + 1])


@inner
def least_of_chunks(chunks: Chunks, c: int, b: int) -> float:
    """The values of an attribute in a block are at least so far away."""
    return least_of(chunks.least[chunks.at[c] : chunks.at[c + 1]], chunks.listed[c, b, : chunks.lengths[c, b]])
