"""Generalized releases read back: what intervals, concepts and masked texts stand for, by the hierarchies of the policy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ontomask.hierarchies.ladder import Ladder
from ontomask.masking.generalization import Generalization
from ontomask.masking.method import Masked
from ontomask.microdata.columns import Column, NumericColumn
from ontomask.microdata.encoding import Table

Longs = NDArray[np.int64]


def read_generalized(
    method: Generalization, table: Table, released: Mapping[str, pl.Series], stayed: NDArray[np.bool_]
) -> Masked | None:
    """What became of the records of a table, as the run itself knew it; None where a record shows what no level of its
    hierarchy shows.

    ``released``: by column what each record that ``stayed`` shows.
    """
    levels, groups = [], []
    ladders = method.ladders(table)
    for place, ladder in enumerate(ladders):
        codes = table.codes[place][table.tuple_of][stayed]
        found = _levels(ladder, codes, released[ladder.name], one=method.search != "local")
        if found is None:
            return None
        levels.append(found)
        groups.append(_groups(ladder, codes, found))
    group_of = np.full(table.n, -1, dtype=np.int32)
    shown_by = np.array([*levels, *groups])
    _, first, of = np.unique(shown_by, axis=1, return_index=True, return_inverse=True)
    group_of[stayed] = of.reshape(-1)
    parts = [
        _shown(*parts) for parts in zip(ladders, (x[first] for x in levels), (x[first] for x in groups), strict=True)
    ]
    return Masked(
        group_of,
        [centres for centres, _, _ in parts],
        shown=[texts for _, texts, _ in parts],
        penalty=[penalty for _, _, penalty in parts],
    )


def _levels(ladder: Ladder, codes: NDArray[Any], released: pl.Series, *, one: bool) -> Longs | None:
    """The level that each record shows, the lowest of equals; ``one``: the same in all records, if there is such."""
    number = isinstance(ladder.column, NumericColumn)
    texts = [_as_text(value, number=number) for value in released.to_list()]
    place = {text: i for i, text in enumerate(dict.fromkeys(texts))}
    text_of = np.array([place[text] for text in texts], dtype=np.int64)
    pairs, pair_of = np.unique(codes.astype(np.int64) * len(place) + text_of, return_inverse=True)
    code, text = pairs // len(place), pairs % len(place)
    level = np.full(len(pairs), -1, dtype=np.int64)
    for height, rung in enumerate(ladder.rungs):
        shown = [place.get(_as_text(value, number=number), -1) for value in rung.shown.to_list()]
        agree = np.array(shown, dtype=np.int64)[rung.group[code]] == text
        if one and agree.all():
            return np.full(len(codes), height, dtype=np.int64)
        level[(level < 0) & agree] = height
    return None if (level < 0).any() else level[pair_of]


def _as_text(value: Any, *, number: bool) -> str | None:
    """A cell, in memory or from a file, as text: 30, 30.0 and '30' are the same number."""
    if value is None:
        return None
    if number:
        try:
            return f"{float(value):.15g}"
        except ValueError:
            return str(value).strip()
    return str(value)


def _groups(ladder: Ladder, codes: NDArray[Any], levels: Longs) -> Longs:
    groups = np.zeros(len(codes), dtype=np.int64)
    for height in np.unique(levels):
        here = levels == height
        groups[here] = ladder.rungs[height].group[codes[here]]
    return groups


def _shown(ladder: Ladder, levels: Longs, groups: Longs) -> tuple[NDArray[Any], pl.Series, NDArray[np.float64]]:
    """Of each group of records its centre, what it shows, and the part of the domain that this covers."""
    centres = np.zeros(len(levels), dtype=ladder.rungs[0].centres.dtype)
    penalty = np.zeros(len(levels))
    texts: list[str | None] = [None] * len(levels)
    flat, beyond = type(ladder.column) is Column, 0
    for height, rung in enumerate(ladder.rungs):
        here = np.flatnonzero(levels == height)
        own = rung.centres[groups[here]]
        # Flat values of different levels are different values.
        centres[here] = np.where(own >= len(ladder.column), own + beyond, own) if flat and height else own
        beyond += len(rung) if flat and height else 0
        penalty[here] = rung.penalty[groups[here]]
        shown = rung.shown.cast(pl.String).to_list()
        for at in here:
            texts[at] = shown[groups[at]]
    return centres, pl.Series(ladder.name, texts, dtype=pl.String), penalty
