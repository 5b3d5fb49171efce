"""What runs on the executors of Spark: it works on the chunks of one partition, and reports what it saw.

No exception leaves a partition: Spark would write it, with values of the data in its message, into the logs of executors and
driver. It is reported instead, and the driver raises it. A task that is run again reports the same again: reports are kept by
partition, so nothing is counted twice.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from ontomask.arguments import free_name
from ontomask.arrays import Longs
from ontomask.column_names.repeated_identifiers import named_values
from ontomask.engines.steps import RecordStep, ReleaseStep, TuplePlaces
from ontomask.errors import DataError, EngineError, OntomaskError
from ontomask.masking.method import Masked
from ontomask.microdata.columns import Codes
from ontomask.microdata.formulas import formula_cells
from ontomask.microdata.keys import Key
from ontomask.microdata.pseudonyms import canonical_column, is_token, pseudonym_column

#: Records that are worked on together, and combinations that a task holds before it hands them on.
RECORDS, COMBINATIONS = 100_000, 1_000_000
#: Bytes of the key of an order of records.
ORDER_KEY = 16


class Work(ABC):
    """What becomes of a partition. Tasks share the object that was sent to them: each works with a :meth:`fresh` one."""

    def fresh(self) -> Work:
        """One that has seen nothing yet."""
        return self

    @abstractmethod
    def frames(self, chunks: Iterable[pl.DataFrame], partition: int) -> Iterator[pl.DataFrame]:
        """What is made of the chunks of a partition."""

    @property
    def seen(self) -> Any:
        """What the driver needs to know of it, when all chunks are done."""
        return None


@dataclass(frozen=True, eq=False)
class Counting(Work):
    """The combinations of values of some columns in what the step makes of the records, with counts; several partitions, and
    sometimes one, have the same combination."""

    step: RecordStep
    names: Sequence[str]
    number: str

    def fresh(self) -> Counting:
        return replace(self, step=self.step.fresh())

    def frames(self, chunks: Iterable[pl.DataFrame], partition: int) -> Iterator[pl.DataFrame]:
        return _summed((self.step(chunk).select(self.names) for chunk in chunks), self.number)

    @property
    def seen(self) -> Any:
        return self.step.seen


@dataclass(frozen=True, eq=False)
class Naming(Work):
    """How often each value of an identifier names somebody; null: nobody."""

    step: RecordStep
    name: str
    number: str

    def fresh(self) -> Naming:
        return replace(self, step=self.step.fresh())

    def frames(self, chunks: Iterable[pl.DataFrame], partition: int) -> Iterator[pl.DataFrame]:
        return _summed((named_values(self.step(chunk)[self.name]).to_frame() for chunk in chunks), self.number)


@dataclass(frozen=True, eq=False)
class Tokens(Work):
    """The texts by which values of an identifier are compared, each with its pseudonym."""

    step: RecordStep
    name: str
    key: Key
    domain: str

    def fresh(self) -> Tokens:
        return replace(self, step=self.step.fresh())

    def frames(self, chunks: Iterable[pl.DataFrame], partition: int) -> Iterator[pl.DataFrame]:
        for chunk in chunks:
            values = self.step(chunk)[self.name].unique()
            tokens = pseudonym_column(values, self.key, self.domain)
            texts = canonical_column(values).cast(pl.String)
            yield pl.DataFrame([texts.alias("text"), tokens.alias("token")]).drop_nulls()


@dataclass(frozen=True, eq=False)
class Releasing(Work):
    """The records of the release, each with a random place where they are shuffled."""

    step: ReleaseStep
    order: bytes | None = None
    place: str = ""

    def fresh(self) -> Releasing:
        return replace(self, step=replace(self.step, records=self.step.records.fresh()))

    def frames(self, chunks: Iterable[pl.DataFrame], partition: int) -> Iterator[pl.DataFrame]:
        yield from _with_places(map(self.step, chunks), self.order, self.place, partition)

    @property
    def seen(self) -> Any:
        return self.step.records.seen


@dataclass(frozen=True, eq=False)
class Locating(Work):
    """The records that stay, each with the row of its combination."""

    step: RecordStep
    places: TuplePlaces
    row: str

    def fresh(self) -> Locating:
        return replace(self, step=self.step.fresh())

    def frames(self, chunks: Iterable[pl.DataFrame], partition: int) -> Iterator[pl.DataFrame]:
        for chunk in chunks:
            records = self.step(chunk)
            yield records.with_columns(pl.Series(self.row, self.places.combinations_of(records), dtype=pl.Int64))

    @property
    def seen(self) -> Any:
        return self.step.seen


@dataclass(frozen=True, eq=False)
class ReleasingOne(Work):
    """The same as :class:`Releasing`, where records of one combination may be in several groups.

    A record is known by the ``row`` of its combination and by its ``number`` among those that have it, from 1 up. ``ends``: how
    many records there are up to each combination; ``group_of`` and ``sources`` are of all of them, one combination after the
    other.
    """

    step: ReleaseStep
    ends: Longs
    group_of: Codes
    sources: Sequence[Codes] | None
    row: str
    number: str
    order: bytes | None = None
    place: str = ""

    def frames(self, chunks: Iterable[pl.DataFrame], partition: int) -> Iterator[pl.DataFrame]:
        yield from _with_places(map(self._released, chunks), self.order, self.place, partition)

    def _released(self, chunk: pl.DataFrame) -> pl.DataFrame:
        row, number = (chunk[name].to_numpy().astype(np.int64) for name in (self.row, self.number))
        first = np.concatenate(([0], self.ends[:-1]))
        if (first[row] + number > self.ends[row]).any():
            raise DataError(
                "the table changed while it was read: it has more records of a kind than before",
                remedy="Wait until it is complete, and run again.",
            )
        at = first[row] + number - 1
        sources = None if self.sources is None else [of[at].astype(np.int64) for of in self.sources]
        masked = Masked(self.group_of[at], (), sources=sources)
        return self.step.released(chunk.drop(self.row, self.number), masked)


@dataclass(frozen=True, eq=False)
class Formulas(Work):
    """How many cells of each column a spreadsheet would take for formulas."""

    def frames(self, chunks: Iterable[pl.DataFrame], partition: int) -> Iterator[pl.DataFrame]:
        for chunk in chunks:
            names = formula_cells([chunk.clear()])  # names of columns are counted once, and not here
            found = {name: n - names.get(name, 0) for name, n in formula_cells([chunk]).items()}
            schema = {"column": pl.String, "cells": pl.Int64}
            yield pl.DataFrame({"column": list(found), "cells": list(found.values())}, schema=schema)


@dataclass(frozen=True, eq=False)
class OtherThanTokens(Work):
    """The values of a column that have not the form of a pseudonym, with counts."""

    name: str
    number: str

    def frames(self, chunks: Iterable[pl.DataFrame], partition: int) -> Iterator[pl.DataFrame]:
        return _summed((self._others(chunk[self.name]).to_frame() for chunk in chunks), self.number)

    def _others(self, values: pl.Series) -> pl.Series:
        texts = values.cast(pl.String)
        every = texts.unique().drop_nulls()
        return texts.filter(~texts.is_in(every.filter([is_token(text) for text in every.to_list()]).implode()))


def _summed(parts: Iterable[pl.DataFrame], number: str) -> Iterator[pl.DataFrame]:
    """Equal rows as one with their number; memory holds those of some chunks."""
    found: pl.DataFrame | None = None
    for part in parts:
        names = part.columns
        own = part.group_by(names).agg(pl.len().cast(pl.Int64).alias(number))
        found = own if found is None else pl.concat([found, own]).group_by(names).agg(pl.col(number).sum())
        if len(found) >= COMBINATIONS:
            yield found
            found = None
    if found is not None:
        yield found


def _with_places(
    released: Iterable[pl.DataFrame], order: bytes | None, place: str, partition: int
) -> Iterator[pl.DataFrame]:
    """The records, each with a random number where they are shuffled."""
    rng = None if order is None else _places(order, partition)
    for records in released:
        if rng is None:
            yield records
        else:
            places = rng.integers(0, 2**63 - 1, len(records), dtype=np.int64)
            yield records.with_columns(pl.Series(place, places))


def _places(order: bytes, partition: int) -> np.random.Generator:
    """A stream of its own for each partition: their counters never meet."""
    key = int.from_bytes(order, "little")
    return np.random.Generator(np.random.Philox(key=key, counter=[0, 0, partition, 1]))


# ---- partitions ----------------------------------------------------------------------------------------------------------


class Reports:
    """Brings together what partitions report: for Spark's accumulators."""

    def zero(self, value: Mapping[int, Any]) -> dict[int, Any]:
        return {}

    def addInPlace(self, one: dict[int, Any], other: Mapping[int, Any]) -> dict[int, Any]:  # noqa: N802 - Spark's name
        one.update(other)
        return one


@dataclass(frozen=True, eq=False)
class Partition:
    """A function for ``mapInArrow``: the work on one partition.

    ``names``: of the columns, which Spark knows by number: it takes some names for expressions, and others for equal.
    ``schema``: of what is made. ``sent`` is a broadcast of the work, ``reports`` an accumulator.
    """

    sent: Any
    names: Sequence[str]
    schema: pl.Schema
    reports: Any
    partition: Callable[[], int]

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        part = self.partition()
        try:
            work: Work = self.sent.value.fresh()
            for made in work.frames(chunks_of(batches, self.names), part):
                yield from _arrow(made, self.schema).to_batches()
            self.reports.add({part: work.seen})
        except OntomaskError as problem:
            self.reports.add({part: problem})
        except Exception as problem:
            self.reports.add({part: _without_values(problem)})


def chunks_of(batches: Iterable[Any], names: Sequence[str]) -> Iterator[pl.DataFrame]:
    """The batches of Arrow that Spark gives, several together."""
    waiting, records = list[pl.DataFrame](), 0
    for batch in batches:
        frame = pl.from_arrow(batch)
        assert isinstance(frame, pl.DataFrame)
        frame.columns = list(names)
        waiting.append(frame)
        records += len(frame)
        if records >= RECORDS:
            yield pl.concat(waiting, rechunk=True)
            waiting, records = [], 0
    if records:
        yield pl.concat(waiting, rechunk=True)


def numbered(names: Sequence[str]) -> list[str]:
    """The names by which Spark knows columns."""
    return [f"c{place}" for place in range(len(names))]


def plain(schema: pl.Schema) -> pl.Schema:
    """The types in which columns go to Spark: it has no categories, no columns without a type, and no unsigned numbers."""
    return pl.Schema({name: _plain(dtype) for name, dtype in schema.items()})


_SIGNED = {pl.UInt8: pl.Int16, pl.UInt16: pl.Int32, pl.UInt32: pl.Int64}


def _plain(dtype: Any) -> Any:
    if dtype == pl.Null or isinstance(dtype, (pl.Enum, pl.Categorical)):
        return pl.String()
    if isinstance(dtype, pl.Datetime):
        return pl.Datetime("us", dtype.time_zone)
    return _SIGNED.get(dtype.base_type(), dtype)


def _arrow(made: pl.DataFrame, schema: pl.Schema) -> Any:
    """As Spark takes it; values that do not fit the types that were found without looking at them are an error."""
    fitting = made.select(pl.col(name).cast(dtype, strict=True) for name, dtype in schema.items())
    fitting.columns = numbered(fitting.columns)
    return fitting.to_arrow(compat_level=pl.CompatLevel.oldest())


def _without_values(problem: Exception) -> EngineError:
    """What failed and where, without the message: it may hold values of the data."""
    trace, place = problem.__traceback__, ""
    while trace is not None:
        file = Path(trace.tb_frame.f_code.co_filename)
        if "ontomask" in file.parts:
            place = f"{file.name}, line {trace.tb_lineno}"
        trace = trace.tb_next
    return EngineError(
        f"a step failed on an executor ({type(problem).__name__} in {place})",
        remedy="Its message is left out: it may hold values of the data. Run a part of the table in memory to see it.",
    )


def number_beside(names: Sequence[str]) -> str:
    """A name for counts."""
    return free_name("number", names)
