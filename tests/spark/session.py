"""One session of Spark for all tests that ask for it: two threads of this machine, few partitions."""

from __future__ import annotations

import os
import random
import shutil
from typing import Any

import polars as pl
import pytest

from ontomask.engines.spark_session import no_word_of_pandas, start_session

#: For small tables and a short life: few partitions, little memory, and no code compiled for speed.
OPTIONS = {
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.driver.memory": "1g",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}


def require_spark() -> None:
    """Skip the test, with the reason, where there is no Java or no PySpark; where tests must not be skipped, fail."""
    missing = (
        "" if shutil.which("java") else "there is no Java here (on Debian: apt-get install openjdk-17-jre-headless)"
    )
    if missing and os.environ.get("CI"):
        pytest.fail(missing)
    if missing:
        pytest.skip(missing)
    with no_word_of_pandas():
        pytest.importorskip("pyspark.sql", reason="the extra 'spark' is not installed")


def started() -> Any:
    require_spark()
    return start_session("local[2]", OPTIONS)


def spark_frame(session: Any, data: pl.DataFrame, partitions: int = 2, seed: int | None = None) -> Any:
    """The records as a frame of Spark, in an order of their own where a ``seed`` is given."""
    if seed is not None:
        data = data[random.Random(seed).sample(range(len(data)), len(data))]
    with no_word_of_pandas():
        frame = session.createDataFrame(data.to_arrow(compat_level=pl.CompatLevel.oldest()))
        return (
            frame.repartition(partitions) if frame.rdd.getNumPartitions() < partitions else frame.coalesce(partitions)
        )


def collected(frame: Any) -> pl.DataFrame:
    with no_word_of_pandas():
        found = pl.from_arrow(frame.toArrow())
    assert isinstance(found, pl.DataFrame)
    return found
