"""How fast the search for a generalization is, and the checks of every privacy model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import ontomask as om
from benchmarks.masking import ADULT
from benchmarks.timing import Job
from ontomask.privacy.diagnostics import Diagnostics, Nodes


def adult() -> tuple[pl.DataFrame, dict[str, Any], dict[str, Any]]:
    """The census extract, its columns as they are, and ARX's hierarchies."""
    frame = pl.read_csv(ADULT / "adult.csv", separator=";")
    kinds = {name: om.Numeric() if name == "age" else om.Flat() for name in frame.columns}
    hierarchies = {name: om.LevelsFile(path=str(ADULT / f"adult_hierarchy_{name}.csv")) for name in frame.columns}
    return frame, kinds, hierarchies


def policy(kinds: dict[str, Any], hierarchies: dict[str, Any], require: list[Any], **settings: Any) -> om.Policy:
    return om.Policy(attributes=kinds, method=om.Generalization(hierarchies=hierarchies, **settings), require=require)


def bootstrapped(n: int = 1_000_000) -> tuple[pl.DataFrame, om.Policy]:
    frame, kinds, hierarchies = adult()
    rows = np.random.default_rng(1).integers(0, len(frame), n)
    return frame[rows], policy(kinds, hierarchies, [om.KAnonymity(k=166)], suppression_limit=0.05)


def generalizing(folder: Path) -> Iterator[Job]:
    if ADULT.is_dir():
        yield from on_adult()
    yield from checking()


def on_adult() -> Iterator[Job]:
    frame, kinds, hierarchies = adult()
    k5 = [om.KAnonymity(k=5)]

    def run(what: str, chosen: om.Policy, target: str, data: pl.DataFrame = frame, **more: Any) -> Job:
        return Job(what, lambda: om.anonymize(data, chosen).diagnostics, target, note=_ncp, **more)

    for limit, target in ((0.0, "<= 0.5 s, 0.636"), (0.05, "<= 1.5 s, 0.270")):
        what = f"optimal full-domain node, Adult, nine columns, k=5, {limit:.0%} suppression"
        yield run(what, policy(kinds, hierarchies, k5, suppression_limit=limit), target)
    local = policy(kinds, hierarchies, k5, search="local")
    yield run("local generalization of the same", local, "<= 8 s, 0.180", times=2)
    eight = {**kinds, "occupation": om.Flat(role="sensitive")}
    fewer = {name: hierarchy for name, hierarchy in hierarchies.items() if name != "occupation"}
    diverse = policy(eight, fewer, [*k5, om.LDiversity(l=3, attribute="occupation")])
    yield run("the same with distinct 3-diversity of occupation, eight columns", diverse, "<= 1.5 s")
    many, chosen = bootstrapped()
    what = "1,000,000 rows from Adult, k=166, 5% suppression"
    yield run(what, chosen, "<= 6 s, 1 GB", many, times=1, processes=3, memory=True)
    raw = {"occupation": om.Nominal(taxonomy=str(ADULT / "adult_hierarchy_occupation.csv"), role="sensitive")}
    known = [name for name in frame.columns if name != "occupation"]
    for ground in ("equal", "hierarchical", "semantic"):
        model = om.TCloseness(t=0.2, attribute="occupation", ground=ground)  # type: ignore[arg-type]
        what = f"t-closeness of raw Adult, {ground}"
        yield Job(what, lambda model=model: model.check(frame, known, raw), "<= 0.5 s")  # type: ignore[misc]


def _ncp(measured: Diagnostics) -> str:
    """The loss of what was chosen: of a node, or the mean over records."""
    losses = measured.table["loss"]
    chosen = losses[0] if isinstance(measured, Nodes) else losses.mean()
    return f"NCP {chosen:.4f}"


def checking(n: int = 5_000_000) -> Iterator[Job]:
    """Every model on five million rows in some ten thousand classes."""
    rng = np.random.default_rng(5)
    codes = om.demo_data(20_000, 1)
    drawn = rng.integers(0, len(codes), n)
    frame = pl.DataFrame(
        {
            "age": rng.integers(0, 100, n),
            "sex": rng.choice(["f", "m"], n),
            "region": rng.integers(0, 50, n),
            "pay": rng.integers(0, 1000, n),
            "triage": rng.choice(["428.0", "486", "410.71", "250.00", "540.9", "650", "295.30", "V30.00"], n),
            "diagnosis": codes["diagnosis"].gather(drawn),
            "secondary_diagnosis": codes["secondary_diagnosis"].gather(drawn),
        }
    )
    quasi = ["age", "sex", "region"]
    codes_of = om.Nominal(taxonomy="icd9cm", role="sensitive")
    kinds = {"pay": om.Numeric(role="sensitive"), "diagnosis": codes_of, "triage": codes_of}
    kinds["secondary_diagnosis"] = codes_of
    severity, graded = om.Severity.example("demo"), ["diagnosis", "secondary_diagnosis"]
    models: list[Any] = [
        om.KAnonymity(k=5),
        om.KmAnonymity(k=5, m=2),
        om.LDiversity(l=3, attribute="diagnosis"),
        om.LDiversity(l=3, attribute="diagnosis", variant="entropy"),
        om.LDiversity(l=3, attribute="diagnosis", variant="recursive", c=3),
        om.TCloseness(t=0.3, attribute="diagnosis"),
        om.TCloseness(t=0.3, attribute="pay", ground="ordered"),
        om.TCloseness(t=0.3, attribute="diagnosis", ground="hierarchical"),
        om.TCloseness(t=0.3, attribute="triage", ground="semantic"),
        om.SeverityDiversity(l=2, severity=severity, columns=graded),
        om.SeverityDiversity(l=2, severity=severity, columns=graded, downward=True),
        om.SeverityCloseness(t=0.3, severity=severity, columns=graded),
    ]
    for model in models:
        what = f"check on 5,000,000 rows: {model.describe()}"
        call = lambda model=model: model.check(frame, quasi, kinds)  # noqa: E731
        yield Job(what, call, "<= 10 s", times=1, processes=3)
