"""Work on the partitions of a Spark frame: it is sent to the executors, and what they report comes back."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np
import polars as pl

from ontomask.arguments import is_a, some_of
from ontomask.arrays import Longs
from ontomask.engines.spark_executors import Partition, Reports, Work, numbered, plain
from ontomask.engines.spark_session import no_word_of_pandas, spark_errors
from ontomask.errors import DataError, OntomaskError, OptionError


class SparkTable(Protocol):
    """A DataFrame of Spark, as type checkers know it without PySpark."""

    @property
    def sparkSession(self) -> Any: ...  # noqa: N802 - Spark's name

    def mapInArrow(self, func: Any, schema: Any) -> Any: ...  # noqa: N802 - Spark's name


def require_classic(frame: Any) -> None:
    """An error where the session is of Spark Connect, which has neither broadcasts nor accumulators."""
    if not is_a(frame, "pyspark.sql.classic.dataframe", "DataFrame"):
        raise OptionError(
            "this is a frame of Spark Connect, which cannot send tables to executors",
            remedy="Use a session on a master: SparkSession.builder.master(...), not .remote(...).",
        )


def schema_of(frame: Any) -> pl.Schema:
    """The columns of a Spark frame with their types in Polars."""
    from pyspark.sql.pandas.types import to_arrow_schema  # late: pyspark is optional

    names = frame.columns
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        raise DataError(
            f"several columns are called {some_of([repr(name) for name in twice])}",
            remedy="Rename or remove all but one of them.",
        )
    with spark_errors():
        zone = frame.sparkSession.conf.get("spark.sql.session.timeZone")
        empty = pl.from_arrow(to_arrow_schema(frame.schema, timezone=zone).empty_table())
    assert isinstance(empty, pl.DataFrame)
    return empty.schema


def _spark_schema(schema: pl.Schema) -> Any:
    """The same columns for Spark, by number."""
    from pyspark.sql.pandas.types import from_arrow_schema  # late: pyspark is optional

    arrow = pl.DataFrame(schema=schema).to_arrow(compat_level=pl.CompatLevel.oldest()).schema
    made = from_arrow_schema(arrow, prefer_timestamp_ntz=True)
    for field, name in zip(made.fields, numbered(list(schema)), strict=True):
        field.name = name
    made.names = numbered(list(schema))
    return made


class Job:
    """Work on each partition of a frame. ``frame`` is what it makes when it is asked for, its columns by number."""

    def __init__(self, frame: Any, work: Work, made: pl.Schema, names: Collection[str] | None = None) -> None:
        """``made``: the columns that the work makes. ``names``: those of the frame that it needs; not given: all."""
        context, every = frame.sparkSession.sparkContext, frame.columns
        needed = [place for place, name in enumerate(every) if names is None or name in names]
        self._sent = context.broadcast(work)
        self._reports = context.accumulator({}, Reports())
        self._schema = plain(made)
        self._source = frame.toDF(*numbered(every)).select(*(f"c{place}" for place in needed))
        on_partition = Partition(
            self._sent, [every[place] for place in needed], self._schema, self._reports, _partition
        )
        self.frame = self._source.mapInArrow(on_partition, _spark_schema(self._schema))

    @property
    def names(self) -> list[str]:
        return list(self._schema)

    def reported(self) -> list[Any]:
        """What the partitions saw, in their order, once the frame was made; the first problem is raised."""
        found = dict(sorted(self._reports.value.items()))
        for part, report in found.items():
            if isinstance(report, OntomaskError):
                raise _placed(report, part, self._source.rdd.getNumPartitions())
        return list(found.values())

    def close(self) -> None:
        """Take what was sent away from the executors."""
        with spark_errors():
            self._sent.destroy()


@contextmanager
def running(frame: Any, work: Work, made: pl.Schema, names: Collection[str] | None = None) -> Iterator[Job]:
    """The work, until it is done; errors of Spark come in our words."""
    with spark_errors(), no_word_of_pandas():
        job = Job(frame, work, made, names)
        try:
            yield job
        finally:
            job.close()


def summed(frame: Any, names: Sequence[str], schema: pl.Schema) -> tuple[pl.DataFrame, Longs]:
    """Combinations of values, counted in parts (the last column), each once with its count, in the order of their values."""
    from pyspark.sql import functions  # late: pyspark is optional

    *keys, number = frame.columns
    return collected(frame.groupBy(*keys).agg(functions.sum(number)), names, schema)


def collected(counted: Any, names: Sequence[str], schema: pl.Schema) -> tuple[pl.DataFrame, Longs]:
    """Counted combinations on the driver, in the order of their values, missing ones first: however they were spread."""
    table = pl.from_arrow(counted.toArrow())
    assert isinstance(table, pl.DataFrame)
    data, counts = table.select(table.columns[:-1]), table.to_series(-1)
    data.columns = list(names)
    data = data.cast({name: schema[name] for name in names if data.schema[name] != schema[name]})
    order = data.with_columns(counts.alias("")).sort(list(names), nulls_last=False)
    return order.drop(""), order[""].to_numpy().astype(np.int64)


def _partition() -> int:
    from pyspark import TaskContext  # late: pyspark is optional

    context = TaskContext.get()
    assert context is not None
    return int(context.partitionId())


def _placed(problem: OntomaskError, part: int, parts: int) -> OntomaskError:
    """The problem; records are counted within a partition, where there are several."""
    if isinstance(problem, DataError) and problem.rows and parts > 1:
        problem.add(f"Records are counted within partition {part + 1:,} of {parts:,}.")
    return problem
