"""Columns before and after masking on one scale, row by row; a row is a record, or stands for several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.arrays import Floats, Longs
from ontomask.assessment.pairing import Pairing
from ontomask.microdata.column_distance import ColumnDistance
from ontomask.microdata.columns import Codes, Column, counts_of
from ontomask.microdata.encoding import Rows

#: Columns with more distinct values than this get no table of distances between them.
MOST_VALUES = 5_000
#: So few records have a row each; distance correlations with a number in them are computed on at most this many.
MOST_RECORDS = 20_000


@dataclass(frozen=True, eq=False)
class Sides:
    """The rows of both tables: row ``stayed[i]`` before became row i after. A row may stand for several records."""

    before: Rows
    after: Rows
    stayed: Longs

    @staticmethod
    def of(pairing: Pairing) -> Sides:
        before, after, stayed = pairing.original.rows, pairing.masked.rows, pairing.stayed
        if before.counts is None or before.records > MOST_RECORDS:
            return Sides(before, after, stayed)
        # So few that each can have a row.
        rows, own = (np.repeat(np.arange(len(part)), part.weights) for part in (before, after))
        began = np.cumsum(before.counts) - before.counts
        within = np.arange(len(own)) - np.repeat(np.cumsum(after.weights) - after.weights, after.weights)
        return Sides(
            Rows(before.tuple_of[rows], before.p), Rows(after.tuple_of[own], after.p), began[stayed][own] + within
        )

    @property
    def records(self) -> int:
        """How many records stayed."""
        return self.after.records

    def sample(self, size: int, rng: np.random.Generator) -> tuple[Longs, Longs]:
        """The rows of so many records that stayed, before and after."""
        places = self.after.of_records(np.sort(rng.choice(self.records, size=size, replace=False)))
        return self.stayed[places], places


@dataclass(frozen=True, eq=False)
class ColumnPair:
    """A column before and after on one scale: ``values`` are all that occur, as centres; codes are places in it.

    ``table``: their distances, of nominal and flat columns that do not have too many.
    """

    metric: ColumnDistance
    values: NDArray[Any]
    before: Longs
    after: Longs
    table: Floats | None
    sides: Sides

    @staticmethod
    def of(metric: ColumnDistance, codes: Codes, masked: Column, shown: Codes, sides: Sides) -> ColumnPair:
        column = metric.column
        own = np.concatenate((column.centre_of_code, masked.centre_of_code))
        values, place = np.unique(own, return_inverse=True)  # one NaN stands for all missing numbers
        table: Floats | None = None
        if len(values) <= MOST_VALUES and not metric.on_line:
            table = metric.between(values, values)
        before, after = place[: len(column)][codes], place[len(column) :][shown]
        return ColumnPair(metric, values, before, after, table, sides)

    @property
    def name(self) -> str:
        return self.metric.column.name

    @property
    def is_line(self) -> bool:
        return self.metric.on_line

    def codes(self, part: Any, masked: bool) -> Longs:
        """All records, or those of a sample."""
        codes = self.after if masked else self.before
        return codes if part is None else codes[part[int(masked)]]

    def weights(self, part: Any, masked: bool) -> Longs | None:
        """How many records each of these rows stands for, if it is not one."""
        return None if part is not None else (self.sides.after if masked else self.sides.before).counts

    def counts(self, part: Any, masked: bool) -> Longs:
        """How many records have each value."""
        return counts_of(self.codes(part, masked), len(self.values), self.weights(part, masked))

    def numbers(self, part: Any, masked: bool) -> Floats:
        """The numbers or ranks of records, NaN where missing."""
        values = np.where(self.metric.column.is_missing(self.values), np.nan, self.values.astype(np.float64))
        return values[self.codes(part, masked)]

    def marginalities(self, parts: Sequence[Any], masked: bool) -> tuple[Floats, Longs]:
        """For every part of the records the marginality of each value in it, and how often each occurs."""
        counts = np.array([self.counts(part, masked) for part in parts])
        if self.table is None:  # flat: the number of all others
            return (counts.sum(axis=1, keepdims=True) - counts).astype(np.float64), counts
        return counts.astype(np.float64) @ self.table, counts
