"""Rows per second and core of each step of a run on Spark, on this machine: ``python -m benchmarks.spark_rates 10000000``.

Each step is timed by itself: wall time, and the processor time of the driver, of Java and of the Python processes of executors.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import ontomask as om
from ontomask.engines.spark import SparkEngine
from ontomask.engines.spark_files import Files, read_parquet
from ontomask.engines.spark_session import start_session
from ontomask.masking.randomness import Secret

CORES, FILE = 2, 1_000_000


def generate(rows: int, folder: Path) -> None:
    """Diagnoses with frequencies that fall as 1/rank, and an amount that stays as it is."""
    codes = [code for code in om.load_taxonomy("icd9cm").concepts if "." in code]
    rng = np.random.default_rng(1)
    for start in range(0, rows, FILE):
        columns = {}
        for name, values in {"main": codes[:500], "second": codes[500:560]}.items():
            weights = 1 / np.arange(1, len(values) + 1)
            places = rng.choice(len(values), min(FILE, rows - start), p=weights / weights.sum())
            columns[name] = pl.Series(values).gather(places)
        columns["cost"] = pl.Series(rng.integers(0, 10_000, len(places)))
        pl.DataFrame(columns).write_parquet(folder / f"{start // FILE:05d}.parquet")


def processor_seconds() -> float:
    """Of this process and of all that descend from it, dead ones included."""
    table: dict[int, tuple[int, float]] = {}
    for place in Path("/proc").iterdir():
        try:
            fields = (place / "stat").read_text().rpartition(")")[2].split() if place.name.isdigit() else []
        except OSError:
            continue
        if fields:
            table[int(place.name)] = int(fields[1]), sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    own, found = {os.getpid()}, 0
    while len(own) > found:
        found = len(own)
        own |= {pid for pid, (parent, _) in table.items() if parent in own}
    return sum(table[pid][1] for pid in own if pid in table)


class Timed(SparkEngine):
    """The engine, with a line for each step."""

    rows_in_all = 0

    def _timed(self, what: str, work: Callable[[], Any]) -> Any:
        wall, processor = time.perf_counter(), processor_seconds()
        found = work()
        wall, processor = time.perf_counter() - wall, processor_seconds() - processor
        rate, each = self.rows_in_all / wall / CORES, self.rows_in_all / processor
        print(f"| {what} | {wall:.1f} s | {processor:.1f} s | {rate:,.0f} | {each:,.0f} |", flush=True)
        return found

    def study(self, progress: Any) -> Any:
        return self._timed("count", lambda: SparkEngine.study(self, progress))

    def mask(self, goals: Any, rng: Any, progress: Any) -> Any:
        return self._timed("mask", lambda: SparkEngine.mask(self, goals, rng, progress))

    def write_records(self, step: Any) -> Any:
        return self._timed("write", lambda: SparkEngine.write_records(self, step))

    def count_written(self, names: Any) -> Any:
        return self._timed(f"verify: count {len(names)} columns", lambda: SparkEngine.count_written(self, names))

    def formulas_written(self) -> Any:
        return self._timed("verify: look for formulas", lambda: SparkEngine.formulas_written(self))


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000_000
    folder = Path(tempfile.mkdtemp(prefix="spark-rates-"))
    try:
        (folder / "table").mkdir()
        generate(rows, folder / "table")
        session = start_session(f"local[{CORES}]", {"spark.sql.shuffle.partitions": "8"})
        kinds = {name: om.Nominal(taxonomy="icd9cm") for name in ("main", "second")}
        method = om.Microaggregation(k=5, partition="adaptive")
        print(
            "| step | wall | processor | rows per second and core, wall | rows per second of processor |\n|---|---|---|---|---|"
        )
        for order in ("kept", "kept", "shuffled"):  # the first run warms up
            policy = om.Policy(
                attributes={**kinds, "cost": om.Numeric(role="sensitive")}, method=method, row_order=order
            )
            frame = read_parquet(session, folder / "table")
            engine = Timed(frame, policy, Secret.of_seed(1), None, Files(folder / "out"))
            engine.rows_in_all = rows
            release = engine.run()
            print(f"| {order}: {release.prepared.table.p:,} combinations | | | | |", flush=True)
            engine.discard()
        session.stop()
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
