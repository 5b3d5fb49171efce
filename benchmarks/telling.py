"""The command line on large data, the demo, assessments and comparisons."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

import ontomask as om
from benchmarks.timing import Job, run_command

RECORDS = 5_000_000


def telling(folder: Path) -> Iterator[Job]:
    yield from _large(folder)
    yield from _demo(folder)
    stays = om.demo_data(20_000)
    policy = om.demo_policy(om.Microaggregation(k=5))
    result = om.anonymize(stays, policy, seed=1)
    # A copy of the result has not yet worked out its assessment.
    yield Job("assessment of 20,000 discharges, six columns", lambda: replace(result).assessment and None, times=2)
    candidates = om.grid(om.demo_policy(), ["microaggregation", "recoding", "resampling", "suppression"], [3, 5, 10])
    few = om.demo_data(5000)
    what = "comparison of 12 candidates on 5,000 discharges"
    yield Job(what, lambda: om.compare(few, candidates) and None, times=1, processes=3)


def _large(folder: Path) -> Iterator[Job]:
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
            method=om.Microaggregation.preset("sa_mdav", k=k),
            require=[om.KAnonymity(k=k)],
        ).save(folder / f"k{k}.yaml")
        yield Job(
            f"ontomask run, SA-MDAV, {RECORDS:,} rows x 2 nominal columns, k={k}, with reports",
            lambda k=k: run_command(folder, "run", f"k{k}.yaml", "stays.parquet", "-o", f"k{k}", "--quiet"),
            "<= 60 s, 4,096 MB; 3 MB",
            times=0,
            processes=3,
            memory=True,
            own_clock=True,
            note=lambda _, k=k: f"both reports {_reports(folder / f'k{k}'):.2f} MB",
        )


def _reports(result: Path) -> float:
    return sum((result / part / "report.html").stat().st_size for part in ("release", "confidential")) / 2**20


def _demo(folder: Path) -> Iterator[Job]:
    def nothing_compiled() -> float:
        kept = os.environ | {"NUMBA_CACHE_DIR": tempfile.mkdtemp(dir=folder)}
        return run_command(folder, "demo", "demo", "--quiet", env=kept)

    def again() -> float:
        return run_command(folder, "demo", "demo", "--quiet")

    more = {"times": 0, "processes": 3, "own_clock": True}
    yield Job("ontomask demo, nothing compiled yet", nothing_compiled, "<= 60 s", **more)
    yield Job("ontomask demo, the second time", again, "<= 15 s", **more)
