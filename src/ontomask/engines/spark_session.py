"""Sessions of Spark, and its errors in our words: its own come with traces of two languages, and with values of the data."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from ontomask.errors import DataError, EngineError, MissingDataError, OptionError, OutputError
from ontomask.files.extras import load_extra

#: What an error of Spark says -> what happened, and what to do.
_KNOWN = {
    "No module named": (
        "the Python of the executors lacks a package",
        "Install ontomask with the extra spark there, and name that Python in PYSPARK_PYTHON.",
    ),
    "PYTHON_VERSION_MISMATCH": (
        "the Python of the executors is of another version than this one",
        "Name a Python of the same version in PYSPARK_PYTHON.",
    ),
    "ExecutorLostFailure": (
        "executors were lost",
        "Run again, with more memory for executors (spark.executor.memory, spark.executor.memoryOverhead).",
    ),
    "CHECKPOINT_RDD_BLOCK": (
        "executors were lost, and records of the release with them",
        "Run again with a checkpoint folder: spark.sparkContext.setCheckpointDir(...).",
    ),
    "exited unexpectedly": (
        "a Python process of an executor was killed or crashed",
        "Run again, with more memory for executors (spark.executor.memoryOverhead) or fewer tasks at a time.",
    ),
    "OutOfMemoryError": (
        "Spark ran out of memory",
        "Give it more: spark.driver.memory, spark.executor.memory.",
    ),
    "maxResultSize": (
        "there are more different combinations of values than the driver may take",
        "Raise spark.driver.maxResultSize and spark.driver.memory, or round and group values first.",
    ),
    "cancelled": ("the job was cancelled", "Run again."),
    "SparkContext was shut down": ("the Spark session was stopped", "Run again."),
}
JAVA_OPTIONS = "spark.driver.extraJavaOptions"
_CHANGED = ("FAILED_READ_FILE", "FILE_NOT_EXIST", "FileNotFoundException", "not a Parquet file")


def require_spark() -> None:
    """An error that says what to install, where PySpark or Java is missing."""
    load_extra("pyspark", "the engine spark")
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java") if not home else shutil.which("java", path=str(Path(home) / "bin"))
    if java is None:
        raise MissingDataError(
            "the engine spark needs Java, and there is none" + (f" in JAVA_HOME ({home})" if home else ""),
            remedy="Install Java 17 or newer: on Debian, apt-get install openjdk-17-jre-headless.",
        )


def start_session(master: str | None = None, options: Mapping[str, str] | None = None) -> Any:
    """A session of Spark. ``master``: where it runs, such as local[2] or spark://host:7077; not given: as Spark is configured,
    else on this machine. ``options``: more settings of Spark, by name."""
    require_spark()
    from pyspark.sql import SparkSession  # late: pyspark is optional

    builder = SparkSession.builder.appName("ontomask").config("spark.ui.showConsoleProgress", "false")
    builder = builder.config("spark.executorEnv.POLARS_MAX_THREADS", "1")  # there is a task for each core
    local = master is None or master.startswith("local")
    if local:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # else it takes the first python3 that it finds
        builder = builder.config("spark.ui.enabled", "false")
        builder = builder.config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1")
        builder = builder.config(JAVA_OPTIONS, _quiet())
    for name, value in (options or {}).items():
        builder = builder.config(name, f"{_quiet()} {value}" if name == JAVA_OPTIONS and local else value)
    if master is not None:
        builder = builder.master(master)
    elif "SPARK_HOME" not in os.environ:
        builder = builder.master("local[*]")
    there = SparkSession.getActiveSession()
    if there is not None and master is not None and there.sparkContext.master != master:
        raise OptionError(
            f"a session of Spark runs already with the master {there.sparkContext.master!r}",
            remedy="Stop it, or leave the master out.",
        )
    with tempfile.TemporaryFile() as said, _errors_into(said), no_word_of_pandas():
        try:
            return builder.getOrCreate()
        except Exception as problem:
            said.seek(0)
            why = _reason(f"{said.read().decode(errors='replace')}\n{problem}") or type(problem).__name__
    raise OptionError(
        f"Spark cannot start{'' if master is None else f' with the master {master!r}'} ({why})",
        remedy="Give --master as Spark knows it: local[2], spark://host:7077, yarn, k8s://https://host:443.",
    )


@contextmanager
def no_word_of_pandas() -> Iterator[None]:
    """PySpark warns of versions of pandas that it does not know, wherever it loads Arrow; no pandas is used here."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
        yield


def _quiet() -> str:
    """Spark's logs would mix with what is said to the user: errors come as one message."""
    return f"-Dlog4j2.configurationFile={(Path(__file__).parent / 'spark_logs.properties').as_uri()}"


@contextmanager
def spark_errors() -> Iterator[None]:
    """Errors of Spark as one message, without values of the data and without traces of Java."""
    try:
        yield
    except Exception as problem:
        if not type(problem).__module__.startswith(("pyspark", "py4j")) and not isinstance(problem, ConnectionError):
            raise
        raise _in_words(problem) from None


def _in_words(problem: Exception) -> Exception:
    said = str(problem)
    if "No space left on device" in said:
        return OutputError("a disk of Spark is full", remedy="Free some space (spark.local.dir), and run again.")
    for sign, (what, remedy) in _KNOWN.items():
        if sign in said:
            return EngineError(f"Spark could not finish: {what}", remedy=f"{remedy} Nothing was written.")
    if any(sign in said for sign in _CHANGED):
        return DataError(
            "a file of the table cannot be read, or changed while it was read",
            remedy="Wait until the table is complete, and run again.",
        )
    return EngineError(
        f"Spark could not finish ({_condition(problem)})",
        remedy="Its log says more; it may hold values of the data. Nothing was written.",
    )


def _condition(problem: Any) -> str:
    """The name that Spark gives the error: its message may hold values."""
    try:
        return str(problem.getCondition() or type(problem).__name__)
    except Exception:  # errors of Java have none, and nothing can be asked of a session that is gone
        return type(problem).__name__


def _reason(said: str) -> str:
    """The line that says why Spark did not start; nothing was read yet."""
    lines = [line.strip() for line in said.splitlines()]
    found = [line.rpartition("Exception: ")[2] for line in lines if "Exception: " in line and "awaitResult" not in line]
    return next(iter([*found, *(line for line in lines if line.startswith("Error"))]), "")[:200].rstrip(".")


@contextmanager
def _errors_into(file: IO[bytes]) -> Iterator[None]:
    """What processes that are started meanwhile write to stderr, as long as they live, goes into a file without a name."""
    sys.stderr.flush()
    kept = os.dup(2)
    os.dup2(file.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
