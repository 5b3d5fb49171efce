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

from ontomask.assessment.pairing import Pairing, Released, paired, released
from ontomask.masking.method import Masked
from ontomask.microdata.columns import Coded, counts_of, encode_column
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
    before: list[Coded] = []
    after: list[Released] = []
    for name in names:
        if name in place:
            at = place[name]
            own = Coded(table.columns[at], table.codes_of(at))
            new = released(own.column, masked.centres[at], shown[at], group_of)
            if attributes[name].kind != own.column.attribute.kind:
                own, new = _by_meaning(own, new, encode_column(name, attributes[name], data[name], []))
        else:
            own = encode_column(name, attributes[name], data[name], [])
            codes, none = own.codes[stayed], np.zeros(len(own.column), dtype=np.bool_)
            new = Released(Coded(replace(own.column, counts=counts_of(codes, len(own.column))), codes), none, none)
        before.append(Coded(own.column.with_values_of(new.coded.column), own.codes))
        after.append(new)
    original, unit_of = make_table(before), table.rows.unit_of
    if unit_of is not None:
        original = original.owned(table.unit, unit_of)
    return paired(original, after, stayed, dropped)


def _by_meaning(own: Coded, new: Released, meant: Coded) -> tuple[Coded, Released]:
    """A column of labels, before and after masking, as concepts; what shows no single label is what subsumes them all."""
    nominal, size = meant.column, len(new.coded.column)
    centres, hidden = np.full(size, -1, dtype=np.int64), np.zeros(size, dtype=np.bool_)
    centres[own.codes] = nominal.centre_of_code[meant.codes]
    hidden[: len(new.general)] = new.general
    centres[hidden] = nominal.centres_of_levels(np.zeros(len(nominal), dtype=np.int32), np.zeros(1, dtype=np.int64))
    # Labels of one meaning are one value; what is shown for several is another, though it may mean the same.
    meanings, codes = np.unique(np.array([centres, hidden]), axis=1, return_inverse=True)
    shown = codes.reshape(-1)[new.coded.codes].astype(np.int32)
    made = nominal.of_centres(meanings[0], counts_of(shown, meanings.shape[1]))
    hidden = meanings[1].astype(np.bool_)
    return meant, Released(Coded(made, shown), hidden, hidden)
