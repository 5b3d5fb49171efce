"""Columns that hold sets, made ready for the kernels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ontomask.arrays import Floats, Longs, starts
from ontomask.kernels.centres import MODE
from ontomask.kernels.set_centres import SetRules
from ontomask.kernels.sets import MISSING, SetSpace
from ontomask.microdata.column_distance import CentreRule, SetRows


def make_set_space(
    parts: Sequence[SetRows], codes: np.ndarray, factors: Sequence[float], largest: Sequence[float], first: int
) -> SetSpace | None:
    """Sets of several columns, or None; ``first``: where a point holds the first of them. ``largest``: raw distances."""
    if not parts:
        return None
    lengths = [len(part.at) - 1 for part in parts]
    shifted = np.cumsum([0, *(len(part.items) for part in parts)])
    starts = [part.at[:-1] + shift for part, shift in zip(parts, shifted, strict=False)]
    factor = np.array(factors, dtype=np.float64)
    return SetSpace(
        codes,
        np.cumsum([0, *lengths], dtype=np.int64)[:-1],
        np.concatenate([np.zeros(0), *starts, shifted[-1:]]).astype(np.int64),
        np.concatenate([np.zeros(0), *(part.items for part in parts)]).astype(np.uint32),
        np.array([part.missing for part in parts], dtype=np.int64),
        joined_tables([part.table for part in parts]),
        np.cumsum([0, *(part.table.size for part in parts)], dtype=np.int64)[:-1],
        np.cumsum([0, *(part.table.shape[1] for part in parts)], dtype=np.int64),
        np.concatenate([np.zeros(0), *(part.home for part in parts)]).astype(np.uint32),
        factor,
        np.array([part.empty for part in parts]) * factor,
        np.array(largest, dtype=np.float64) * factor,
        np.cumsum([first, *(1 + part.widest for part in parts)], dtype=np.int64),
    )


def make_set_rules(rules: Sequence[CentreRule]) -> SetRules | None:
    """What the kernels need to choose the centres of sets; ``rules`` are those of their items."""
    if not rules:
        return None
    above = np.concatenate([np.zeros(0, dtype=np.int64), *(rule.above for rule in rules)])
    tree = all(rule.tree for rule in rules)
    return SetRules(
        np.array([rule.kind == MODE for rule in rules], dtype=np.bool_),
        np.cumsum([0, *(rule.cost.shape[1] for rule in rules)], dtype=np.int64),
        np.concatenate([np.zeros(0), *(rule.depth for rule in rules)]).astype(np.int64),
        starts(above),
        np.concatenate([np.zeros(0), *(rule.up for rule in rules)]).astype(np.uint32),
        np.zeros(0, dtype=np.int16) if tree else np.concatenate([rule.links().ravel() for rule in rules]),
        np.cumsum([0, *(rule.cost.size for rule in rules)], dtype=np.int64)[:-1],
    )


def put_sets(rows: np.ndarray, place: int, sizes: Longs, items: Longs, codes: np.ndarray) -> None:
    """Let points hold the sets of these codes, from ``place`` of their rows on."""
    counts = np.maximum(sizes, 0)
    ends = np.cumsum(counts)
    rows[:, place] = np.where(sizes[codes] < 0, MISSING, sizes[codes])
    for j in range(int(counts.max(initial=0))):
        has = counts[codes] > j
        rows[has, place + 1 + j] = items[(ends - counts)[codes[has]] + j]


def sets_of_rows(rows: np.ndarray, place: int, end: int) -> list[np.ndarray | None]:
    """The rows of the items of each point's set; None where it is missing."""
    found: list[np.ndarray | None] = []
    for own in rows[:, place:end]:
        found.append(None if own[0] == MISSING else own[1 : 1 + int(own[0])].astype(np.int64))
    return found


def joined_tables(tables: Sequence[Floats], *, squared: bool = False) -> Floats:
    """Tables, or their squares, one after the other; a single one that stays as it is is not copied, for they are large."""
    filled = [table for table in tables if table.size]
    if len(filled) == 1 and not squared:
        return np.ascontiguousarray(filled[0]).reshape(-1)
    whole, used = np.empty(sum(table.size for table in filled)), 0
    for table in filled:
        part = whole[used : used + table.size].reshape(table.shape)
        np.copyto(part, table)
        if squared:
            part *= table
        used += table.size
    return whole
