"""A run's original and masked records on columns that it need not have worked on, as others judge them.

Methods that mask different columns are compared on all of these: a column that a method leaves alone is as it was. A
column that a method takes for labels is evaluated by its meaning, if it has one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from ontomask.arrays import Flags
from ontomask.assessment.pairing import Pairing, paired
from ontomask.kinds.nominal import NominalColumn
from ontomask.masking.method import Masked
from ontomask.microdata.columns import Column, encode_column
from ontomask.microdata.encoding import Table, make_table


def pair_on(
    names: Sequence[str],
    attributes: Mapping[str, Any],
    table: Table,
    masked: Masked,
    data: pl.DataFrame,
    dropped: int = 0,
) -> Pairing:
    """The columns ``names`` of a run as the ``attributes`` say.

    ``table`` and ``masked``: what its method saw and what it made of it; ``data`` holds the same records with all
    columns; ``dropped`` records never came into the table.
    """
    stayed = masked.group_of >= 0
    group_of = masked.group_of[stayed]
    shown: Sequence[pl.Series | None] = masked.shown or [None] * len(table.columns)
    place = {column.name: i for i, column in enumerate(table.columns)}
    before: list[Column] = []
    after: list[Column] = []
    general = []
    for name in names:
        new: Column
        if name in place:
            column = table.columns[place[name]]
            new, odd = column.released(masked.centres[place[name]], shown[place[name]], group_of)
            if attributes[name].kind != column.attribute.kind:
                column, new, odd = _by_meaning(column, new, odd, encode_column(name, attributes[name], data[name], []))
        else:
            column = encode_column(name, attributes[name], data[name], [])
            new, odd = replace(column, codes=column.codes[stayed]), np.zeros(len(column), dtype=np.bool_)
        before.append(column.aware_of(new))
        after.append(new)
        general.append(odd)
    return paired(make_table(before), make_table(after), general, stayed, dropped)


def _by_meaning(column: Column, new: Column, odd: Flags, nominal: Column) -> tuple[NominalColumn, NominalColumn, Flags]:
    """A column of labels, before and after masking, as concepts; what shows no single label is what subsumes them all."""
    assert isinstance(nominal, NominalColumn)
    concepts, hidden = np.full(len(new), -1, dtype=np.int64), np.zeros(len(new), dtype=np.bool_)
    concepts[column.codes] = nominal.concepts[nominal.codes]
    hidden[: len(odd)] = odd
    known = nominal.concepts[nominal.concepts >= 0]
    concepts[hidden] = nominal.taxonomy.dag.common_subsumer(known) if len(known) else -1
    # Labels of one meaning are one value; what is shown for several is another, though it may mean the same.
    meanings, codes = np.unique(np.array([concepts, hidden]), axis=1, return_inverse=True)
    gone = np.flatnonzero(meanings[0] < 0)
    made = replace(
        nominal,
        codes=codes.reshape(-1)[new.codes].astype(np.int32),
        values=nominal.decode(meanings[0]),
        concepts=meanings[0],
        missing=int(gone[0]) if len(gone) else None,
    )
    return nominal, made, meanings[1].astype(np.bool_)
