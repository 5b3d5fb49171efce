"""From a frame to distinct tuples with their counts, which methods work on, and to the tuple of each row.

This is the seam where data that do not fit into memory enter: a frame may hold records, or combinations of values that a
database or a loop over chunks has counted (``counts`` of :func:`encode`). What becomes of tuples is applied to records
(:class:`Rows`) chunk by chunk.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ontomask.arguments import counted, did_you_mean
from ontomask.arrays import Longs, distinct, starts
from ontomask.errors import DataError
from ontomask.microdata.codes import combine
from ontomask.microdata.columns import Coded, Codes, Column, counts_of, encode_column
from ontomask.microdata.refusals import rows_where
from ontomask.statements import Statement, note
from ontomask.wording import RECORD, Unit

SomeTuples = TypeVar("SomeTuples", bound="Tuples")


@dataclass(frozen=True, eq=False)
class TupleUnits:
    """The units, such as persons, that have records of each tuple, where something else than records is counted.

    Those of tuple t are ``unit[at[t]:at[t + 1]]``, each once. ``tuple_of`` and ``unit_of``: of each record; p tuples.
    """

    word: Unit
    tuple_of: Codes
    p: int
    unit_of: Longs

    @cached_property
    def number(self) -> int:
        """How many units there are."""
        return int(np.count_nonzero(np.bincount(self.unit_of)))

    @property
    def at(self) -> Longs:
        return self._pairs[0]

    @property
    def unit(self) -> Longs:
        return self._pairs[1]

    @cached_property
    def _pairs(self) -> tuple[Longs, Longs]:
        """Where the units of each tuple begin, and the units."""
        bound = int(self.unit_of.max(initial=-1)) + 1
        pairs = distinct(self.tuple_of.astype(np.int64) * bound + self.unit_of)
        return np.searchsorted(pairs, np.arange(self.p + 1) * bound).astype(np.int64), pairs % bound


@dataclass(frozen=True, eq=False)
class Tuples:
    """p distinct combinations of values in the order first seen: all that most methods ask of a table.

    ``codes[a, t]`` is the code of tuple t in column a, ``counts[t]`` its number of records. ``units``: whose these records
    are, where something else than records is counted.
    """

    columns: tuple[Column, ...]
    codes: NDArray[np.int32]
    counts: Longs
    units: TupleUnits | None = field(default=None, kw_only=True)

    @property
    def p(self) -> int:
        return len(self.counts)

    @cached_property
    def n(self) -> int:
        """The number of records."""
        return int(self.counts.sum())

    @property
    def unit(self) -> Unit:
        """The words for what is counted."""
        return RECORD if self.units is None else self.units.word

    @property
    def size(self) -> int:
        """The number of records, or of other units."""
        return self.n if self.units is None else self.units.number

    @cached_property
    def sizes(self) -> Longs:
        """The number of records, or of other units, that have each tuple."""
        return self.counts if self.units is None else np.diff(self.units.at)

    @property
    def as_rows(self) -> Rows:
        """Each tuple as one row that stands for all of its records."""
        return Rows(np.arange(self.p, dtype=np.int32), self.p, self.counts)

    def part(self, some: Longs) -> Tuples:
        """Some of the tuples, with the columns of all; whose their records are is not kept."""
        return Tuples(self.columns, self.codes[:, some], self.counts[some])


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of a table: ``tuple_of`` gives the tuple of each, of which there are ``p``.

    ``counts``: how many records each row stands for; None: each is one record. ``unit_of``: the unit of each row, where
    something else than records is counted.
    """

    tuple_of: Codes
    p: int
    counts: Longs | None = None
    unit_of: Longs | None = None

    def __len__(self) -> int:
        return len(self.tuple_of)

    @cached_property
    def weights(self) -> Longs:
        """How many records each row stands for."""
        return np.ones(len(self), dtype=np.int64) if self.counts is None else self.counts

    def part(self, rows: Longs) -> Rows:
        """Some of the rows."""
        counts, unit_of = (None if of is None else of[rows] for of in (self.counts, self.unit_of))
        return Rows(self.tuple_of[rows], self.p, counts, unit_of)

    @property
    def records(self) -> int:
        """How many records the rows stand for."""
        return len(self) if self.counts is None else int(self.counts.sum())

    def of_records(self, places: Longs) -> Longs:
        """The rows of some records, which are numbered row by row."""
        if self.counts is None:
            return places
        return np.searchsorted(np.cumsum(self.counts), places, side="right").astype(np.int64)

    @cached_property
    def queues(self) -> tuple[Longs, Longs]:
        """The records of each tuple, in order: all of them one after the other, and where each tuple begins."""
        records = np.argsort(self.tuple_of, kind="stable").astype(np.int64)
        return records, starts(np.bincount(self.tuple_of, minlength=self.p))


@dataclass(frozen=True, eq=False)
class Table(Tuples):
    """Tuples whose rows are at hand: for methods that choose among equal records, and to apply an outcome to them."""

    rows: Rows
    notes: list[Statement] = field(default_factory=list)

    def owned(self, word: Unit, unit_of: Longs) -> Table:
        """The same, whose records belong to units; ``unit_of``: of each row."""
        units = TupleUnits(word, self.rows.tuple_of, self.p, unit_of)
        return replace(self, rows=replace(self.rows, unit_of=unit_of), units=units)

    def codes_of(self, column: int) -> Codes:
        """The code of each row in a column."""
        codes: Codes = self.codes[column][self.rows.tuple_of]
        return codes


def encode(
    data: pl.DataFrame,
    attributes: Mapping[str, Any],
    names: Sequence[str],
    rows: Longs | None = None,
    counts: Longs | None = None,
    unit_of: Longs | None = None,
    word: Unit = RECORD,
) -> Table:
    """Encode the columns ``names`` of the data, in that order; ``rows`` are the places of its records in the input.

    ``counts``: how many records each row of the data stands for, if it is not one. The tuples are the same whether rows
    are records or distinct combinations of values in the order first seen. ``unit_of``: the unit of each record, called
    by ``word``, where something else than records is counted.
    """
    notes: list[Statement] = []
    columns = [encode_column(name, attributes[name], data[name], notes, rows, counts) for name in names]
    table = make_table(columns, notes, counts)
    if unit_of is None:
        return table
    return table.owned(word, unit_of)


def make_table(columns: Sequence[Coded], notes: Sequence[Statement] = (), counts: Longs | None = None) -> Table:
    """The table of encoded columns: their distinct tuples."""
    tuple_of, first = combine([codes for _, codes in columns], [len(column) for column, _ in columns])
    rows = Rows(tuple_of, len(first), counts)
    codes = np.array([codes[first] for _, codes in columns], dtype=np.int32)
    return Table(tuple(column for column, _ in columns), codes, counts_of(tuple_of, rows.p, counts), rows, list(notes))


def remeasured(table: SomeTuples, **changed: Any) -> SomeTuples:
    """The table with other settings (measure, options, scope; checked before) for all its nominal columns."""
    return replace(table, columns=tuple(column.remeasured(**changed) for column in table.columns))


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


def require_some_kept(kept: int) -> None:
    """Not every record was dropped; ``kept``: how many were not."""
    if not kept:
        raise DataError(
            "dropping the records with missing values leaves none", remedy="Choose missing: category for some columns."
        )


class Conversions:
    """Columns as their kinds work with them: dates read and shifted, open classes coded, areas raised; of all or in chunks."""

    def __init__(self, attributes: Mapping[str, Any]) -> None:
        self._attributes = {name: attribute for name, attribute in attributes.items() if attribute.converts}
        self._tally: dict[str, Counter[str]] = {name: Counter() for name in self._attributes}
        self._seen = 0

    def apply(self, data: pl.DataFrame, shifts: Mapping[str, Longs] | None = None) -> pl.DataFrame:
        """The data, converted; an error names the records whose values cannot be. ``shifts``: by column, by how many days the
        date of each record moves."""
        rows, changed = np.arange(self._seen, self._seen + len(data)), []
        for name, attribute in self._attributes.items():
            if name in data.columns:
                own = {"shifted": shifts[name]} if shifts and name in shifts else {}
                values, tally = attribute.read(name, data[name], rows, **own)
                self._tally[name] += tally
                changed.append(values.alias(name))
        self._seen += len(data)
        return data.with_columns(changed) if changed else data

    @property
    def records(self) -> int:
        """How many records were seen."""
        return self._seen

    @property
    def seen(self) -> Conversions:
        """What was seen alone, which is sent to another process and added there."""
        alone = Conversions({})
        alone._tally, alone._seen = self._tally, self._seen
        return alone

    def add(self, other: Conversions) -> None:
        """Count also what another one saw, in the records that follow."""
        for name, tally in other._tally.items():
            self._tally[name] += tally
        self._seen += other._seen

    def as_read(self, before: pl.DataFrame) -> dict[str, Any]:
        """The attributes of these columns as they were read: a part of the table does not tell the form of its dates.

        ``before``: some of the records, as they came in.
        """
        return {
            name: attribute.as_read(before[name].dtype, self._tally[name])
            for name, attribute in self._attributes.items()
            if name in before.columns
        }

    @property
    def notes(self) -> list[Statement]:
        """How columns were read, of all that was seen."""
        return [one for name, tally in self._tally.items() for one in self._attributes[name].noted(name, tally)]


def read_any(data: pl.DataFrame, attributes: Mapping[str, Any]) -> pl.DataFrame:
    """Any table, original or released, converted as far as its values can be."""
    converting = [name for name in data.columns if name in attributes and attributes[name].converts]
    return data.with_columns(attributes[n].read_any(data[n]).alias(n) for n in converting) if converting else data


def written(
    data: pl.DataFrame, attributes: Mapping[str, Any], before: pl.DataFrame, coded: Collection[str] | None = None
) -> pl.DataFrame:
    """Converted columns as a release shows them; ``before``: as they came in. ``coded``: those that hold codes of open
    classes; not given: those that hold some here."""
    converting = [name for name in data.columns if name in attributes and attributes[name].converts]
    changed = [
        written_column(data[n], attributes[n], before[n], None if coded is None else n in coded) for n in converting
    ]
    return data.with_columns(changed) if changed else data


def written_column(values: pl.Series, attribute: Any, before: pl.Series, coded: bool | None = None) -> pl.Series:
    """The same of one column."""
    coded = attribute.shows_codes(values) if coded is None else coded
    shown: pl.Series = attribute.written(values, before, coded=coded)
    return shown.alias(values.name)


class MissingRules:
    """Missing values as the policy wants them, in the data or in one chunk of them after the other.

    Where it does not say, a missing value is an error in the columns that are ``studied``, and left alone in others.
    """

    def __init__(self, attributes: Mapping[str, Any], studied: Collection[str]) -> None:
        self._attributes, self._studied = attributes, studied
        self._dropped, self._categories = dict.fromkeys(attributes, 0), dict.fromkeys(attributes, 0)
        self._seen = 0

    def apply(self, data: pl.DataFrame) -> tuple[pl.DataFrame, NDArray[np.bool_]]:
        """The data without the records that are dropped, and which records stayed."""
        keep = np.ones(len(data), dtype=np.bool_)
        for name, attribute in self._attributes.items():
            absent = data[name].is_null()
            if attribute.missing == "drop_record" and absent.any():
                keep &= ~absent.to_numpy()
                self._dropped[name] += int(absent.sum())
        for name, attribute in self._attributes.items():
            absent = data[name].is_null() & pl.Series(keep)
            rule = attribute.missing or ("error" if name in self._studied else None)
            if rule == "error" and absent.any():
                shown, rows = rows_where(absent, np.arange(self._seen, self._seen + len(data)))
                raise DataError(
                    f"has {counted(len(rows), 'missing value')} ({shown})",
                    where=f"column {name!r}",
                    remedy=f"Fill {'it' if len(rows) == 1 else 'them'} in, or set missing: category (missing values form a "
                    "category of their own) or missing: drop_record (such records are left out).",
                    rows=rows,
                )
            if rule == "category":
                self._categories[name] += int(absent.sum())
        self._seen += len(data)
        return (data if keep.all() else data.filter(pl.Series(keep))), keep

    @property
    def seen(self) -> MissingRules:
        """What was seen alone, which is sent to another process and added there."""
        alone = MissingRules({}, ())
        alone._dropped, alone._categories, alone._seen = self._dropped, self._categories, self._seen
        return alone

    def add(self, other: MissingRules) -> None:
        """Count also what another one saw, in the records that follow."""
        for mine, theirs in ((self._dropped, other._dropped), (self._categories, other._categories)):
            mine.update({name: mine[name] + number for name, number in theirs.items()})
        self._seen += other._seen

    @property
    def notes(self) -> list[Statement]:
        """How many records were dropped, and how many missing values are categories, of all that was seen."""
        dropped = {name: number for name, number in self._dropped.items() if number}
        categories = {name: number for name, number in self._categories.items() if number}
        return [
            *(note(f"{name}: {counted(n, 'record')} without a value dropped", name) for name, n in dropped.items()),
            *(
                note(f"{name}: {counted(n, 'missing value')}, a category of {'its' if n == 1 else 'their'} own", name)
                for name, n in categories.items()
            ),
        ]
