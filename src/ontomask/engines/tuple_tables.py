"""Tables for the steward of what became of tuples: which combination became which, and the groups they form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from ontomask.arguments import free_name
from ontomask.masking.method import Masked
from ontomask.microdata.encoding import Tuples, written_column


def mapping_of(table: Tuples, masked: Masked, attributes: Mapping[str, Any], before: pl.DataFrame) -> pl.DataFrame:
    """Which original combination became which, in how many records; no group: removed. ``masked``: of each tuple;
    ``before``: some records, which tell the types of columns."""
    names = [column.name for column in table.columns]
    number, label = free_name("records", names), free_name("group", names)
    own = zip(table.columns, table.codes, strict=True)
    values = [column.values.gather(codes).alias(column.name) for column, codes in own]
    released = pl.Series(masked.group_of >= 0)
    columns = [pl.Series(number, table.counts), *_shown(values, attributes, before)]
    for column in _shown(masked.values(table), attributes, before, names):
        shown = column.gather(np.maximum(masked.group_of, 0))
        name = free_name(f"{column.name} (masked)", [*names, *(c.name for c in columns)])
        columns.append(pl.select(pl.when(released).then(shown)).to_series().alias(name))
    columns.append(pl.select(pl.when(released).then(pl.Series(masked.group_of))).to_series().alias(label))
    return pl.DataFrame(columns).sort(number, descending=True, maintain_order=True)


def groups_of(table: Tuples, masked: Masked, attributes: Mapping[str, Any], before: pl.DataFrame) -> pl.DataFrame:
    """One row for each group: its number, its size, how many different combinations it holds, and what it shows."""
    names = [column.name for column in table.columns]
    inside = masked.group_of >= 0
    group_of, groups = masked.group_of[inside], masked.groups
    records = np.bincount(group_of, weights=table.counts[inside], minlength=groups).astype(np.int64)
    return pl.DataFrame(
        [
            pl.Series(free_name("group", names), np.arange(groups)),
            pl.Series(free_name("records", names), records),
            pl.Series(free_name("distinct", names), np.bincount(group_of, minlength=groups)),
            *_shown(masked.values(table), attributes, before, names),
        ]
    )


def _shown(
    columns: Sequence[pl.Series], attributes: Mapping[str, Any], before: pl.DataFrame, names: Sequence[str] = ()
) -> list[pl.Series]:
    """Columns as a release shows them, with the codes of open classes."""
    named = zip(columns, names or [column.name for column in columns], strict=True)
    return [written_column(column.alias(name), attributes[name], before[name]) for column, name in named]
