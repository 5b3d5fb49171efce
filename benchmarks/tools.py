"""Masking beside other tools of statistical disclosure control: kinds of calls that ARX and sdcMicro offer too.

Their figures beside our targets were measured at another time, and with settings that may differ in details (k, suppression);
neither tool is run here.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import ontomask as om
from benchmarks.generalizing import adult, policy
from benchmarks.masking import ADULT, job, mdav, numeric
from benchmarks.timing import Job, own_process, run_command


def beside_tools(folder: Path) -> Iterator[Job]:
    if ADULT.is_dir():
        yield from diverse_generalization()
    frame, kinds = numeric(20_000)
    swap: tuple[tuple[Any, str], ...] = (("fixed", "<= 0.1 s (sdcMicro 0.07 s)"), ("dynamic", "<= 0.5 s"))
    for variant, target in swap:
        method = om.RankSwapping(k=10, variant=variant)
        yield job(f"rank swapping, {variant}, 20,000 x 4 numeric, k=10", frame, kinds, method, target)
    what = "rank swapping, 100,000 x 10 numeric, k=10"
    yield job(what, *ten_columns(), om.RankSwapping(k=10), "<= 60 s", times=0, processes=3)
    what = "MDAV, 5,000 x 4 numeric, k=3, first call"
    yield job(what, *numeric(5000), mdav(3), "<= 0.25 s", times=0)
    yield from whole_processes(folder)
    closeness = om.TCloseness(t=0.3, attribute="secondary_diagnosis")
    chosen = om.demo_policy(om.Microaggregation(k=5), require=[closeness])
    stays = om.demo_data(100_000)
    what = "microaggregation with 0.3-closeness of the secondary diagnosis, 100,000 stays, k=5"
    yield Job(what, lambda: om.anonymize(stays, chosen) and None, "<= 30 s", times=0, processes=3)


def diverse_generalization() -> Iterator[Job]:
    """Adult with 3-diversity of occupation, eight quasi-identifiers."""
    frame, kinds, hierarchies = adult()
    kinds["occupation"] = om.Flat(role="sensitive")
    del hierarchies["occupation"]
    require = [om.KAnonymity(k=5), om.LDiversity(l=3, attribute="occupation")]
    full = policy(kinds, hierarchies, require, suppression_limit=0.05)
    what = "full-domain generalization, Adult, k=5, 3-diversity, 5% suppression"
    yield Job(what, lambda: om.anonymize(frame, full) and None, "<= 0.6 s (ARX 1.2 s)")
    local = policy(kinds, hierarchies, require, search="local")
    what = "local generalization of the same, nothing suppressed"
    yield Job(what, lambda: om.anonymize(frame, local) and None, "<= 1.5 s (ARX 2.6 s)", times=2)


def ten_columns(n: int = 100_000) -> tuple[pl.DataFrame, dict[str, Any]]:
    rng = np.random.default_rng(n)
    frame = pl.DataFrame({f"x{place}": rng.normal(size=n) for place in range(10)})
    return frame, {name: om.Numeric() for name in frame.columns}


def whole_processes(folder: Path) -> Iterator[Job]:
    """From the start of Python to its end."""
    numeric(20_000)[0].write_csv(folder / "numbers.csv")
    code = f"""
import ontomask as om
policy = om.Policy(attributes={{name: om.Numeric() for name in "abcd"}}, method=om.Microaggregation.preset("classic", k=3))
om.anonymize({str(folder / "numbers.csv")!r}, policy)
print(0)
"""

    def started() -> float:
        begin = time.perf_counter()
        own_process(code)
        return time.perf_counter() - begin

    what = "python -c: import, read a CSV file of 20,000 x 4, MDAV, k=3"
    yield Job(what, started, "<= 1.2 s", times=0, own_clock=True)
    om.demo_data(100_000).write_csv(folder / "stays.csv")
    om.demo_policy(om.Microaggregation(k=5), require=[om.KAnonymity(k=5)]).save(folder / "stays.yaml")
    arguments = ("run", "stays.yaml", "stays.csv", "-o", "made", "--quiet", "--force")
    what = "ontomask run with reports, 100,000 stays, k=5"
    yield Job(what, lambda: run_command(folder, *arguments), "<= 20 s", times=0, processes=3, own_clock=True)
