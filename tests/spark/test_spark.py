"""The engine on Spark: what it returns, what reaches the driver, and what is left when something fails."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import ontomask as om
from ontomask.engines import spark as engine_module
from ontomask.engines import spark_jobs
from ontomask.engines.spark import SparkEngine
from ontomask.engines.spark_executors import Work
from ontomask.engines.spark_session import start_session
from ontomask.errors import (
    DataError,
    EngineError,
    MissingDataError,
    MissingExtraError,
    NotSatisfied,
    OptionError,
    OutputError,
    PolicyError,
)
from ontomask.masking.randomness import Secret
from tests.spark.session import collected, spark_frame

KEY = bytes(range(32))
needs_spark = pytest.mark.spark


def stays(n: int = 240) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "patient": [f"Smith{i // 2}" for i in range(n)],
            "age": [20 + i * i % 7 for i in range(n)],
            "job": [("cook", "nurse", "pilot", None)[i * 5 % 7 % 4] for i in range(n)],
            "ill.x": [("flu", "gout", "=ulcer")[i % 3] for i in range(n)],
        }
    )


def policy(**changed: Any) -> om.Policy:
    settings = {
        "attributes": {
            "patient": om.Identifier(keep="pseudonym"),
            "age": om.Numeric(),
            "job": om.Flat(missing="category"),
            "ill.x": om.Flat(role="sensitive"),
        },
        "method": om.Microaggregation(k=3, partition="adaptive"),
        "require": [om.LDiversity(l=2, attribute="ill.x")],
    }
    return om.Policy(**(settings | changed))


def held(session: Any) -> int:
    """How many tables the executors hold."""
    return int(session.sparkContext._jsc.sc().getPersistentRDDs().size())


def rows(frame: Any) -> list[tuple[Any, ...]]:
    return collected(frame).rows()


# ---- the release ---------------------------------------------------------------------------------------------------------


@needs_spark
def test_the_release_does_not_depend_on_partitions_and_is_shuffled_by_the_secret(spark: Any) -> None:
    one = om.anonymize(spark_frame(spark, stays(), 1), policy(), secret=KEY, key=KEY)
    again = om.anonymize(spark_frame(spark, stays(), 1), policy(), secret=KEY, key=KEY)
    other = om.anonymize(spark_frame(spark, stays(), 3, seed=4), policy(), secret=KEY[::-1], key=KEY)
    assert one.data.columns == ["patient", "age", "job", "ill.x"]
    assert sorted(rows(one.data), key=repr) == sorted(rows(other.data), key=repr)
    assert rows(one.data) == rows(again.data)
    assert rows(one.data) not in (rows(other.data), sorted(rows(one.data), key=repr))
    assert (one.given, one.released_records, one.satisfied, one.promises) == (240, 240, True, True)
    assert any("80 cells of 'ill.x'" in str(note) for note in one.notes)


@needs_spark
def test_only_combinations_with_counts_reach_the_driver(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    collect = spark_jobs.collected

    def watched(counted: Any, *others: Any) -> Any:
        found = collect(counted, *others)
        sizes.append(len(found[0]))
        return found

    monkeypatch.setattr(spark_jobs, "collected", watched)
    monkeypatch.setattr(engine_module, "collected", watched)
    safe = policy(require=[om.SafeHarbor(cleared=["ill.x"])])
    om.anonymize(spark_frame(spark, stays()), safe, seed=1, key=KEY, allow_unsatisfied=True)
    different = stays().select("age", "job", "ill.x").n_unique()
    assert 0 < max(sizes) <= different < 120  # there are 120 patients


@needs_spark
def test_what_is_refused_is_removed(spark: Any) -> None:
    refused = policy(method=om.Suppression(k=2), require=[om.KmAnonymity(k=200, m=1)])
    before = held(spark)
    with pytest.raises(NotSatisfied, match="the release is refused"):
        om.anonymize(spark_frame(spark, stays()), refused, seed=1, key=KEY)
    assert held(spark) == before


# ---- what fails ----------------------------------------------------------------------------------------------------------


class Failing(Work):
    """A step that fails as it is told."""

    def __init__(self, fail: Callable[[], None]) -> None:
        self.fail = fail

    def frames(self, chunks: Iterable[pl.DataFrame], partition: int) -> Iterator[pl.DataFrame]:
        for chunk in chunks:
            self.fail()
            yield chunk


def value_in_the_message() -> None:
    raise ValueError("Smith17 is not a number")


def killed() -> None:
    os._exit(9)


def run_failing(session: Any, fail: Callable[[], None]) -> None:
    frame = spark_frame(session, stays(20))
    with spark_jobs.running(frame, Failing(fail), spark_jobs.schema_of(frame)) as job:
        job.frame.count()
        job.reported()


@needs_spark
def test_an_error_on_an_executor_shows_no_value(spark: Any, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(EngineError, match=r"a step failed on an executor \(ValueError") as problem:
        run_failing(spark, value_in_the_message)
    assert problem.value.__cause__ is None
    assert "Smith" not in str(problem.value) + "".join(capfd.readouterr())


@needs_spark
def test_a_killed_process_is_one_clear_message(spark: Any, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(EngineError, match="a Python process of an executor was killed or crashed") as problem:
        run_failing(spark, killed)
    assert problem.value.__cause__ is None
    assert problem.value.__suppress_context__
    assert "Traceback" not in str(problem.value) + "".join(capfd.readouterr())


@needs_spark
def test_missing_values_are_refused_with_the_partition_they_are_in(spark: Any) -> None:
    attributes = policy().attributes | {"job": om.Flat()}
    with pytest.raises(DataError, match=r"column 'job': has .* missing values .* within partition 1 of 2\.") as problem:
        om.anonymize(spark_frame(spark, stays()), policy(attributes=attributes), seed=1)
    assert problem.value.rows


@needs_spark
@pytest.mark.parametrize("change", ["values", "records"])
def test_a_table_that_changes_while_it_is_read_is_refused(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    file, later = tmp_path / "stays.parquet", stays(250) if change == "records" else stays().with_columns(age=99)
    stays().write_parquet(file)
    mask = SparkEngine.mask

    def changing(self: SparkEngine, *given: Any) -> Any:
        later.write_parquet(file)
        return mask(self, *given)

    monkeypatch.setattr(SparkEngine, "mask", changing)
    before = held(spark)
    with pytest.raises(DataError, match="changed while it was read"):
        om.anonymize(spark.read.parquet(str(file)), policy(), seed=1, key=KEY)
    assert held(spark) == before


@needs_spark
def test_methods_that_need_too_much_are_refused(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = spark_frame(spark, stays())
    monkeypatch.setattr(engine_module, "RECORDS_HERE", 100)
    with pytest.raises(PolicyError, match="forms groups of records on the driver, and 240 are more than 100"):
        om.anonymize(frame, policy(method=om.NoiseAddition(), require=[]), seed=1, key=KEY)


@needs_spark
def test_an_empty_table_is_refused(spark: Any) -> None:
    with pytest.raises(DataError, match="the table has no rows"):
        om.anonymize(spark_frame(spark, stays()).filter("age > 900"), policy(), seed=1, key=KEY)


@needs_spark
def test_columns_of_one_name_are_refused(spark: Any) -> None:
    frame = spark_frame(spark, stays())
    with pytest.raises(DataError, match="several columns are called 'age'"):
        om.anonymize(frame.select("*", "age"), policy(), seed=1)


@needs_spark
def test_a_session_with_another_master_is_not_taken_for_the_one_that_is_asked_for(spark: Any) -> None:
    with pytest.raises(OptionError, match=r"runs already with the master 'local\[2\]'"):
        start_session("local[7]")


def test_missing_java_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="the extra 'spark' is not installed")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(MissingDataError, match="needs Java, and there is none in JAVA_HOME"):
        start_session("local[1]")
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setattr(shutil, "which", lambda *given, **options: None)
    with pytest.raises(MissingDataError, match="openjdk-17-jre-headless"):
        start_session("local[1]")


def test_a_missing_extra_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'ontomask\[spark\]'"):
        start_session()


def test_frames_of_spark_connect_are_refused() -> None:
    with pytest.raises(OptionError, match="Spark Connect"):
        SparkEngine(object(), policy(), Secret.of_seed(1))


@pytest.mark.parametrize(
    ("said", "kind", "told"),
    [
        ("java.io.IOException: No space left on device", OutputError, "a disk of Spark is full"),
        ("ExecutorLostFailure (executor 3 exited): Smith17", EngineError, "executors were lost"),
        ("[CHECKPOINT_RDD_BLOCK_ID_NOT_FOUND] Checkpoint block", EngineError, "records of the release with them"),
        ("java.lang.OutOfMemoryError: Java heap space", EngineError, "ran out of memory"),
        ("[FAILED_READ_FILE.FILE_NOT_EXIST] Encountered error", DataError, "changed while it was read"),
        ("[CAST_INVALID_INPUT] The value 'Smith17'", EngineError, r"Spark could not finish \(Py4JJavaError\)"),
    ],
)
def test_errors_of_spark_are_told_in_our_words(said: str, kind: type[Exception], told: str) -> None:
    problem = type("Py4JJavaError", (Exception,), {"__module__": "py4j.protocol"})(said)
    with pytest.raises(kind, match=told) as found, spark_jobs.spark_errors():
        raise problem
    assert "Smith" not in str(found.value)
