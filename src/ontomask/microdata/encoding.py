"""From a frame to an encoded table: quasi-identifiers as codes, distinct tuples with their counts; and back."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ontomask.arguments import counted, did_you_mean
from ontomask.arrays import Longs
from ontomask.errors import DataError
from ontomask.microdata.codes import combine
from ontomask.microdata.columns import Codes, Column, encode_column, rows_where


@dataclass(frozen=True, eq=False)
class Table:
    """The quasi-identifiers of n records, as p distinct tuples in the order first seen.

    ``codes[a, t]`` is the code of tuple t in column a, ``counts[t]`` its number of records, ``tuple_of`` the tuple of
    each record.
    """

    columns: tuple[Column, ...]
    codes: NDArray[np.int32]
    counts: Longs
    tuple_of: Codes
    notes: list[str] = field(default_factory=list)

    @property
    def n(self) -> int:
        return len(self.tuple_of)

    @property
    def p(self) -> int:
        return len(self.counts)

    @cached_property
    def queues(self) -> tuple[Longs, Longs]:
        """The records of each tuple, in order: all of them one after the other, and where each tuple begins."""
        records = np.argsort(self.tuple_of, kind="stable").astype(np.int64)
        at = np.zeros(self.p + 1, dtype=np.int64)
        np.cumsum(self.counts, out=at[1:])
        return records, at


def encode(data: pl.DataFrame, attributes: Mapping[str, Any], names: Sequence[str], rows: Longs | None = None) -> Table:
    """Encode the columns ``names`` of the data, in that order; ``rows`` are the places of its records in the input."""
    notes: list[str] = []
    columns = tuple(encode_column(name, attributes[name], data[name], notes, rows) for name in names)
    return make_table(columns, notes)


def make_table(columns: Sequence[Column], notes: Sequence[str] = ()) -> Table:
    """The table of encoded columns: their distinct tuples."""
    tuple_of, first = combine([column.codes for column in columns], [len(column) for column in columns])
    counts = np.bincount(tuple_of).astype(np.int64)
    codes = np.array([column.codes[first] for column in columns], dtype=np.int32)
    return Table(tuple(columns), codes, counts, tuple_of, list(notes))


def remeasured(table: Table, **changed: Any) -> Table:
    """The table with other settings (measure, options, scope; checked before) for all its nominal columns."""
    columns = tuple(column.remeasured(**changed) for column in table.columns)
    return Table(columns, table.codes, table.counts, table.tuple_of)


def require_columns(data: pl.DataFrame, attributes: Mapping[str, Any]) -> None:
    """Every column of the policy is in the data."""
    there = set(data.columns)
    absent = [name for name in attributes if name not in there]
    if absent:
        first = absent[0]
        raise DataError(
            f"the policy names {', '.join(map(repr, absent))}, which the data do not have",
            remedy=did_you_mean(first, data.columns) + f"The data have: {', '.join(map(repr, data.columns[:30]))}.",
        )


def apply_missing_rules(
    data: pl.DataFrame, attributes: Mapping[str, Any], studied: Collection[str], notes: list[str]
) -> tuple[pl.DataFrame, NDArray[np.bool_]]:
    """Missing values as the policy wants them: the data without the records it drops, and which records stayed.

    Where it does not say, a missing value is an error in the columns that are ``studied``, and left alone in others.
    """
    keep = np.ones(len(data), dtype=np.bool_)
    for name, attribute in attributes.items():
        absent = data[name].is_null()
        if attribute.missing == "drop_record" and absent.any():
            keep &= ~absent.to_numpy()
            notes.append(f"{name}: {counted(int(absent.sum()), 'record')} without a value dropped")
    if not keep.any():
        raise DataError(
            "dropping the records with missing values leaves none", remedy="Choose missing: category for some columns."
        )
    for name, attribute in attributes.items():
        absent = data[name].is_null() & pl.Series(keep)
        rule = attribute.missing or ("error" if name in studied else None)
        if rule == "error" and absent.any():
            shown, rows = rows_where(absent)
            raise DataError(
                f"holds {counted(len(rows), 'missing value')} ({shown})",
                where=f"column {name!r}",
                remedy="Fill them, or say what a missing value is: missing: category (a value of its own) "
                "or missing: drop_record.",
                rows=rows,
            )
        if rule == "category" and absent.any():
            number = int(absent.sum())
            notes.append(
                f"{name}: {counted(number, 'missing value')}, a category of {'its' if number == 1 else 'their'} own"
            )
    return (data if keep.all() else data.filter(pl.Series(keep))), keep
