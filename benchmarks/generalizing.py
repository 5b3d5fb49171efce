"""How fast the search for a generalization is, and the checks of every privacy model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import ontomask as om
from benchmarks.masking import ADULT
from benchmarks.timing import PEAK, Row, best, fresh


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


def generalizing(folder: Path) -> Iterator[Row]:
    if ADULT.is_dir():
        yield from on_adult()
    yield from checking()


def on_adult() -> Iterator[Row]:
    frame, kinds, hierarchies = adult()
    k5 = [om.KAnonymity(k=5)]
    for limit, target in ((0.0, "<= 0.5 s, 0.636"), (0.05, "<= 1.5 s, 0.270")):
        chosen = policy(kinds, hierarchies, k5, suppression_limit=limit)
        took = best(lambda chosen=chosen: om.anonymize(frame, chosen))  # type: ignore[misc]
        report = om.anonymize(frame, chosen).report
        assert report is not None
        what = f"optimal full-domain node, Adult, nine columns, k=5, {limit:.0%} suppression"
        yield what, f"{took:.2f} s, NCP {report['loss'][0]:.4f}", target
    local = policy(kinds, hierarchies, k5, search="local")
    took = best(lambda: om.anonymize(frame, local), 2)
    report = om.anonymize(frame, local).report
    assert report is not None
    yield "local generalization of the same", f"{took:.2f} s, NCP {report['loss'].mean():.4f}", "<= 8 s, 0.180"
    kinds["occupation"] = om.Flat(role="sensitive")
    del hierarchies["occupation"]
    diverse = policy(kinds, hierarchies, [*k5, om.LDiversity(l=3, attribute="occupation")])
    took = best(lambda: om.anonymize(frame, diverse))
    yield "the same with distinct 3-diversity of occupation, eight columns", f"{took:.2f} s", "<= 1.5 s"
    took, peak = fresh(
        "import time; import ontomask as om; from benchmarks.generalizing import bootstrapped; f, p = bootstrapped(); "
        "om.anonymize(f.head(1000), p.changed(require=[om.KAnonymity(k=5)])); "
        f"t = time.perf_counter(); om.anonymize(f, p); print(time.perf_counter() - t); {PEAK}"
    )
    yield (
        "1,000,000 rows from Adult, k=166, 5% suppression, fresh process",
        f"{took:.1f} s, {peak:,.0f} MB",
        "<= 6 s, 1 GB",
    )
    raw = {"occupation": om.Nominal(taxonomy=str(ADULT / "adult_hierarchy_occupation.csv"), role="sensitive")}
    known = [name for name in frame.columns if name != "occupation"]
    for ground in ("equal", "hierarchical", "semantic"):
        model = om.TCloseness(t=0.2, attribute="occupation", ground=ground)
        took = best(lambda model=model: model.check(frame, known, raw))  # type: ignore[misc]
        yield f"t-closeness of raw Adult, {ground}", f"{took:.3f} s", "<= 0.5 s"


def checking(n: int = 5_000_000) -> Iterator[Row]:
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
    severity = om.Severity.example("demo")
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
        om.SeverityDiversity(l=2, severity=severity),
        om.SeverityDiversity(l=2, severity=severity, downward=True),
    ]
    for model in models:
        took = best(lambda model=model: model.check(frame, quasi, kinds), 1)  # type: ignore[misc]
        yield f"check on 5,000,000 rows: {model.describe()}", f"{took:.1f} s", "<= 10 s"
