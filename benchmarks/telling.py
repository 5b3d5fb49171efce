"""The command line on large data, the demo, assessments and comparisons."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import ontomask as om
from benchmarks.timing import Row, timed

RECORDS = 5_000_000


def telling(folder: Path) -> Iterator[Row]:
    yield from _large(folder)
    yield from _demo(folder)
    stays = om.demo_data(20_000)
    result = om.anonymize(stays, om.demo_policy(om.Microaggregation(k=5)), seed=1)
    yield "assessment of 20,000 discharges, six columns", f"{timed(lambda: result.assessment):.1f} s", ""
    ways = om.grid(om.demo_policy(), ["microaggregation", "recoding", "resampling", "suppression"], [3, 5, 10])
    seconds = timed(lambda: om.compare(om.demo_data(5000), ways))
    yield "comparison of 12 ways on 5,000 discharges", f"{seconds:.1f} s", ""


def _large(folder: Path) -> Iterator[Row]:
    """`ontomask run` with SA-MDAV on two nominal columns of five million rows, drawn from 200,000 discharges."""
    base = om.demo_data(200_000, seed=3).select("diagnosis", "procedure", "age", "charge")
    base[np.random.default_rng(0).integers(0, len(base), RECORDS)].write_parquet(folder / "stays.parquet")
    for k in (5, 50):
        om.Policy(
            attributes={
                "diagnosis": om.Nominal(taxonomy="icd9cm"),
                "procedure": om.Nominal(taxonomy="icd9cm_procedures"),
                "age": om.Numeric(role="other"),
                "charge": om.Numeric(role="sensitive"),
            },
            method={"name": "microaggregation", "preset": "sa_mdav", "k": k},
            require=[om.KAnonymity(k=k)],
        ).save(folder / f"k{k}.yaml")
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        seconds = _command(folder, "run", f"k{k}.yaml", "stays.parquet", "-o", f"k{k}", "--quiet")
        peak = max(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, before) / 1024
        size = sum((folder / f"k{k}" / part / "report.html").stat().st_size for part in ("release", "confidential"))
        yield (
            f"ontomask run, SA-MDAV, {RECORDS:,} rows x 2 nominal columns, k={k}, with reports",
            f"{seconds:.0f} s, {peak:,.0f} MB; both reports {size / 2**20:.2f} MB",
            "<= 60 s, 4,096 MB; 3 MB",
        )


def _demo(folder: Path) -> Iterator[Row]:
    kept = os.environ | {"NUMBA_CACHE_DIR": str(folder / "compiled")}
    first = _command(folder, "demo", "demo", "--quiet", env=kept)
    again = _command(folder, "demo", "demo", "--quiet", env=kept)
    yield "ontomask demo, nothing compiled yet", f"{first:.0f} s", "<= 60 s"
    yield "ontomask demo, the second time", f"{again:.1f} s", "<= 15 s"


def _command(folder: Path, *arguments: str, env: dict[str, str] | None = None) -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-m", "ontomask.cli", *arguments], cwd=folder, env=env, check=True)
    return time.perf_counter() - started
