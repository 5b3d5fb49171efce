"""``SparkEngine``: a table of Spark. The driver has combinations of values with counts; records stay with the executors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import polars as pl

from ontomask.arguments import free_name
from ontomask.arrays import Longs
from ontomask.column_names.repeated_identifiers import Repeating, repeating_counts
from ontomask.engines.counted_result import CountedResult
from ontomask.engines.engine import Verified, decode
from ontomask.engines.spark_executors import (
    ORDER_KEY,
    Counting,
    Formulas,
    Locating,
    Naming,
    OtherThanTokens,
    Releasing,
    ReleasingOne,
    Tokens,
    numbered,
)
from ontomask.engines.spark_jobs import Job, collected, require_classic, running, schema_of, summed
from ontomask.engines.spark_session import spark_errors
from ontomask.engines.steps import RecordStep, ReleaseStep
from ontomask.engines.tuples import TupleEngine
from ontomask.errors import DataError, PolicyError
from ontomask.files.fingerprints import InputFiles, states_of
from ontomask.masking.method import Masked, MaskedTuples
from ontomask.masking.randomness import Secret
from ontomask.microdata.columns import Codes
from ontomask.microdata.dtypes import only_what_cells_show
from ontomask.microdata.encoding import Rows, written
from ontomask.microdata.formulas import formula_cells
from ontomask.microdata.keys import Key
from ontomask.policy.policy import Policy
from ontomask.policy.prepared import PreparedTuples

#: Records of which groups are formed on the driver, at most.
RECORDS_HERE = 50_000_000
#: Records whose tuples are told at a time: those of all records go into the key of what is random.
CHUNK = 1_000_000


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SparkRelease(CountedResult):
    """What :func:`ontomask.anonymize` hands back for a frame of Spark: the release, and what is known of it.

    It has all that a :class:`CountedResult` has: ``verification``, ``guarantees``, ``notes``, ``assess()`` and more.

    Attributes
    ----------
    data : pyspark.sql.DataFrame
        The release. Its records are kept by the executors as they were verified: nothing is computed again from the original.
    """

    data: Any


class Store(ABC):
    """Where the records of a release are kept."""

    @abstractmethod
    def keep(self, frame: Any) -> Any:
        """Keep the records, and give them as they are kept."""

    @abstractmethod
    def discard(self) -> None:
        """Remove them."""


class Kept(Store):
    """The executors keep the records, in memory and on their disks, or in the checkpoint folder of the session if it has one.

    Both end what Spark knows of where they came from: a record that is lost is an error, and is not computed again from a table
    that may have changed since it was verified.
    """

    def __init__(self) -> None:
        self._frame: Any = None

    def keep(self, frame: Any) -> Any:
        reliable = frame.sparkSession.sparkContext._jsc.sc().getCheckpointDir().isDefined()
        self._frame = frame.checkpoint(eager=True) if reliable else frame.localCheckpoint(eager=True)
        return self._frame

    def discard(self) -> None:
        if self._frame is not None:
            with spark_errors():
                release_checkpoint(self._frame)
            self._frame = None


def release_checkpoint(frame: Any) -> None:
    """Remove the records of a frame from executors and from the checkpoint folder."""
    records = frame._jdf.queryExecution().analyzed().rdd()
    place = records.getCheckpointFile()
    if place.isDefined():
        session = frame.sparkSession
        path = session._jvm.org.apache.hadoop.fs.Path(place.get())
        path.getFileSystem(session._jsc.hadoopConfiguration()).delete(path, True)
    records.unpersist(True)


class SparkEngine(TupleEngine):
    """Counts combinations on executors, masks them on the driver, and sends executors what becomes of each.

    Combinations are in the order of their values, missing ones first: so the release is that of ``om.anonymize`` of the same
    records in that order, however they are spread over partitions.
    """

    shuffles: ClassVar[bool] = True

    def __init__(
        self,
        frame: Any,
        policy: Policy,
        secret: Secret,
        key: Key | None = None,
        store: Store | None = None,
        files: InputFiles | None = None,
    ) -> None:
        """``files``: those that the frame was read from, if it was."""
        require_classic(frame)
        super().__init__(policy, secret, key)
        self._frame, self._store, self._files = frame, store or Kept(), files
        self._schema, self._named = schema_of(frame), states_of(policy.named_files())
        self._kept: Any = None

    def run(
        self, progress: Callable[[float, str], Any] | None = None, *, allow_unsatisfied: bool = False
    ) -> SparkRelease:
        found = super().run(progress, allow_unsatisfied=allow_unsatisfied)
        assert isinstance(found, SparkRelease)
        return found

    # ---- the table -------------------------------------------------------------------------------------------------------

    def first(self) -> pl.DataFrame | None:
        """No record: types are enough."""
        with spark_errors():
            return None if self._frame.isEmpty() else pl.DataFrame(schema=self._schema)

    def rows(self) -> Iterator[Rows]:
        """Records in the order of their combinations."""
        rows = self.original.table.rows
        ends = np.cumsum(rows.weights)
        for start in range(0, int(ends[-1]), CHUNK):
            places = np.searchsorted(ends, np.arange(start, min(start + CHUNK, int(ends[-1]))), side="right")
            yield Rows(rows.tuple_of[places], rows.p)

    def count(self, step: RecordStep, names: Sequence[str]) -> tuple[pl.DataFrame, Longs]:
        number = free_name("number", names)
        made = self._made(step, names)
        work = Counting(step.fresh(), names, number)
        with running(self._frame, work, _counted(made, number), self._needed(names)) as job:
            found = summed(job.frame, names, made)
            for seen in job.reported():
                step.add(seen)
        return found

    def repeating(self, name: str) -> Repeating | None:
        from pyspark.sql import functions as f  # late: pyspark is optional

        number = free_name("number", [name])
        made = self._made(self._step(), [name])
        work = Naming(self._step(), name, number)
        with running(self._frame, work, _counted(made, number), self._needed([name])) as job:
            counted = job.frame.groupBy("c0").agg(f.sum("c1").alias("n"))
            named = f.when(f.col("c0").isNotNull(), f.col("n")).otherwise(0)
            (found,) = counted.agg(f.count("c0"), f.sum(named), f.sum("n")).collect()
            job.reported()
        different, records, every = (int(value or 0) for value in found)
        return repeating_counts(name, different, records, every - records)

    def require_distinct_pseudonyms(self, name: str) -> None:
        from pyspark.sql import functions as f  # late: pyspark is optional

        if self.key is None:
            return
        work = Tokens(self._step(), name, self.key, self.policy.pseudonyms[name])
        made = pl.Schema({"text": pl.String(), "token": pl.String()})
        with running(self._frame, work, made, self._needed([name])) as job:
            texts = job.frame.groupBy("c1").agg(f.min("c0").alias("a"), f.max("c0").alias("b"))
            twice = texts.filter("a != b").count()
            job.reported()
        if twice:
            raise DataError(
                "two of its values have the same pseudonym under this key",
                where=f"column {name!r}",
                remedy="Use another key: by chance this happens to hardly anybody.",
            )

    def _needed(self, names: Sequence[str]) -> set[str]:
        """The columns of the table that a step looks at to make these: the rules for missing values concern all listed ones."""
        return {*names, *(name for name in self._columns if name in self.policy.attributes)}

    def _made(self, step: RecordStep, names: Sequence[str]) -> pl.Schema:
        """The types of columns as a step makes them."""
        return step.fresh()(pl.DataFrame(schema=self._schema)).select(names).schema

    @property
    def _one_by_one(self) -> bool:
        """Does the method decide by record?"""
        return self._combination_of is not None

    # ---- the release -----------------------------------------------------------------------------------------------------

    def combination_of_records(self) -> Codes:
        """One combination after the other, as if all records were here."""
        records = self.original.table.n
        if records > RECORDS_HERE:
            raise PolicyError(
                f"{self.method.name} forms groups of records on the driver, and {records:,} are more than {RECORDS_HERE:,}",
                remedy="Choose a method that decides by tuple, such as Recoding or Microaggregation with partition: adaptive.",
            )
        rows = self.original.table.rows
        return np.repeat(np.arange(len(rows), dtype=np.int32), rows.weights)

    def release_step(self, masked: Masked) -> ReleaseStep:
        self._sources = self.sources_of(masked)
        return super().release_step(masked)

    def write_records(self, step: ReleaseStep) -> None:
        group_of, self._release = step.masked.tuples.group_of, step
        step = replace(step, masked=MaskedTuples(Masked(group_of[:0] if self._one_by_one else group_of, ())))
        empty = step.records.fresh()(pl.DataFrame(schema=self._schema))
        sources = None if self._sources is None else [values[:0].astype(np.int64) for values in self._sources]
        made = step.released(empty, Masked(group_of[:0], (), sources=sources)).schema
        place = free_name("place", list(made))
        order = self._order(group_of) if self.policy.row_order == "shuffled" else None
        schema = made if order is None else pl.Schema({**made, place: pl.Int64()})
        with self._released(step, empty.schema, group_of, order, place, schema) as (job, first):
            frame = job.frame
            if order is not None:
                at = frame.columns[-1]
                parts = frame.sparkSession.conf.get("spark.sql.shuffle.partitions")
                frame = frame.repartition(int(parts), at).sortWithinPartitions(at).drop(at)
            self._kept = self._store.keep(frame.toDF(*made))
            job.reported()
            seen = first.reported()
        if sum(report.conversions.records for report in seen) != self._seen.conversions.records:
            raise DataError(
                "the table changed while it was read: it has another number of records now",
                remedy="Wait until it is complete, and run again.",
            )

    @contextmanager
    def _released(
        self, step: ReleaseStep, records: pl.Schema, group_of: Any, order: bytes | None, place: str, schema: pl.Schema
    ) -> Iterator[tuple[Job, Job]]:
        """The work that makes the release, and the one that reads the table, which may be the same."""
        if not self._one_by_one:
            with running(self._frame, Releasing(step, order, place), schema) as job:
                yield job, job
            return
        from pyspark.sql import Window, functions  # late: pyspark is optional

        row, number = free_name("row", list(records)), free_name("number", list(records))
        located = pl.Schema({**records, row: pl.Int64()})
        ends = np.cumsum(self.original.table.rows.weights)
        with running(self._frame, Locating(step.records, step.places, row), located) as first:
            *columns, at = first.frame.columns
            among = Window.partitionBy(at).orderBy(*(functions.asc_nulls_first(name) for name in columns))
            counted = first.frame.withColumn("number", functions.row_number().over(among)).toDF(*located, number)
            if self._sources is None:  # executors need no values but those that are moved
                step = replace(step, places=replace(step.places, combinations=step.places.combinations.clear()))
            work = ReleasingOne(step, ends, group_of, self._sources, row, number, order, place)
            with running(counted, work, schema) as job:
                yield job, first

    def _order(self, group_of: Any) -> bytes:
        """The key of a random order: another one for other records, and for records that are masked in another way."""
        table = self.original.table
        arrays = [*table.codes, group_of, table.counts]
        about = [np.ascontiguousarray(array, dtype="<i8").tobytes() for array in arrays]
        generator = self.secret.generator("row order", ((len(content), [content]) for content in about))
        return generator.bytes(ORDER_KEY)

    def columns_written(self) -> list[str]:
        return list(self._kept.columns)

    def count_written(self, names: Sequence[str]) -> tuple[pl.DataFrame, Longs]:
        """Counted by Spark alone: no code that made the release."""
        every = self._kept.columns
        keys = [f"c{every.index(name)}" for name in names]
        with spark_errors():
            counted = self._kept.toDF(*numbered(every)).groupBy(*keys).count()
            return collected(counted, names, pl.Schema({name: schema_of(self._kept)[name] for name in names}))

    def values_written(self, name: str) -> tuple[pl.DataFrame, Longs]:
        if name not in self.policy.pseudonyms:
            return self.count_written([name])
        number = free_name("number", [name])
        made = pl.Schema({name: pl.String()})
        with running(self._kept, OtherThanTokens(name, number), _counted(made, number), {name}) as job:
            found = summed(job.frame, [name], made)
            job.reported()
        return found

    def formulas_written(self) -> Mapping[str, int]:
        schema = schema_of(self._kept)
        found = formula_cells([pl.DataFrame(schema=schema)])
        made = pl.Schema({"column": pl.String(), "cells": pl.Int64()})
        texts = {name for name, dtype in schema.items() if dtype == pl.String}
        if texts:
            with running(self._kept, Formulas(), made, texts) as job:
                data, cells = summed(job.frame, ["column"], made)
                job.reported()
            for name, number in zip(data["column"].to_list(), cells.tolist(), strict=True):
                found[name] = found.get(name, 0) + number
        return {name: found[name] for name in schema if name in found}

    def discard(self) -> None:
        self._store.discard()
        self._kept = None

    def outcome(self, parts: Sequence[Verified], seconds: float, *, allow_unsatisfied: bool) -> SparkRelease:
        (part,) = parts
        original, masked = self.counted(part.masked)
        step = self._release
        made = written(decode(original.data, masked, step.shown), step.attributes, step.before, step.coded)
        made = only_what_cells_show(made.cast({pl.Enum: pl.String}))
        return SparkRelease(
            policy=self.policy,
            secret=self.secret,
            verification=part.verification if self._files is None else part.verification.on("file"),
            notes=part.notes,
            caveats=[*part.masked.caveats, *original.shared_identifiers],
            key=self.key,
            prepared=PreparedTuples(
                **vars(original),
                before=self._before,
                read_as=self.read_as,
                given=self._seen.conversions.records,
                removed=self._removed,
                source=None if self._files is None else self._files.path,
                input=self._files,
                named=self._named,
            ),
            masked=masked,
            released=original.examined.beside(made, np.flatnonzero(masked.group_of >= 0)),
            masking_seconds=seconds,
            uncounted=self.uncounted,
            data=self._kept,
        )


def _counted(made: pl.Schema, number: str) -> pl.Schema:
    return pl.Schema({**made, number: pl.Int64()})
