"""How fast masking, linkage and verification are: whole calls, from frame to verified frame, warm."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import ontomask as om
from benchmarks.timing import DATA, PEAK, Row, best, fresh
from ontomask.microdata.frames import give_back, take

ADULT = DATA / "adult"


def numeric(n: int) -> tuple[pl.DataFrame, dict[str, Any]]:
    rng = np.random.default_rng(n)
    return pl.DataFrame({name: rng.normal(size=n) for name in "abcd"}), {name: om.Numeric() for name in "abcd"}


def mixed(n: int = 143_472, categories: int = 409) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Three numbers and a diagnosis, long-tailed, as hospital discharges are."""
    rng = np.random.default_rng(7)
    taxonomy = om.load_taxonomy("icd9cm")
    leaves = [c for c in taxonomy.subtree("140-239").concepts if not taxonomy.children(c)][:categories]
    frame = pl.DataFrame(
        {
            "age": rng.integers(0, 100, n),
            "stay": rng.gamma(1.2, 4, n).round(),
            "charge": rng.lognormal(9, 1, n).round(),
            "diagnosis": rng.choice(leaves, n, p=rng.dirichlet(np.full(categories, 0.3))),
        }
    )
    kinds: dict[str, Any] = {name: om.Numeric() for name in ("age", "stay", "charge")}
    return frame, kinds | {"diagnosis": om.Nominal(taxonomy="icd9cm")}


def code_pairs() -> tuple[pl.DataFrame, dict[str, Any]]:
    """3,006 records with 2,331 distinct pairs of ICD-9 codes."""
    rng = np.random.default_rng(3)
    taxonomy = om.load_taxonomy("icd9cm")
    leaves = np.array([c for c in taxonomy.concepts if not taxonomy.children(c)])
    codes = rng.choice(leaves, 900, replace=False)
    pairs = rng.permutation([(a, b) for a in codes[:300] for b in codes[300:]])[:2331]
    rows = np.concatenate((np.arange(2331), rng.integers(0, 2331, 3006 - 2331)))
    frame = pl.DataFrame({"first": pairs[rows, 0], "second": pairs[rows, 1]})
    return frame, {name: om.Nominal(taxonomy="icd9cm") for name in frame.columns}


def adult(columns: list[str] | None = None) -> tuple[pl.DataFrame, dict[str, Any]]:
    frame = pl.read_csv(ADULT / "adult.csv", separator=";")
    frame = frame.select(columns or frame.columns)
    return frame, {
        name: om.Numeric() if name == "age" else om.Nominal(taxonomy=str(ADULT / f"adult_hierarchy_{name}.csv"))
        for name in frame.columns
    }


def seconds(frame: pl.DataFrame, attributes: dict[str, Any], method: Any, times: int = 3) -> float:
    policy = om.Policy(attributes=attributes, method=method)
    return best(lambda: om.anonymize(frame, policy), times)


def masking(folder: Path) -> Iterator[Row]:
    for n, target in ((20_000, "<= 0.3 s"), (50_000, "<= 1.4 s")):
        frame, attributes = numeric(n)
        yield f"MDAV, {n:,} x 4 numeric, k=3", f"{seconds(frame, attributes, om.Microaggregation(k=3)):.2f} s", target
    frame, attributes = mixed()
    for k, target in ((2, "<= 25 s"), (10, "<= 5 s")):
        took = seconds(frame, attributes, om.Microaggregation(k=k), 1)
        yield f"MDAV, 143,472 x (3 numeric + 1 nominal of 409 categories), k={k}", f"{took:.1f} s", target
    peak = fresh(
        "import ontomask as om; from benchmarks.masking import mixed; f, a = mixed(); "
        f"om.anonymize(f, om.Policy(attributes=a, method=om.Microaggregation(k=10))); {PEAK}"
    )[0]
    yield "the same in a fresh process, peak memory, k=10", f"{peak:,.0f} MB", "<= 1,024 MB"
    frame, attributes = code_pairs()
    for name, method in (("recoding", om.Recoding(k=5)), ("SA-MDAV", om.Microaggregation.preset("sa_mdav", k=5))):
        what = f"{name}, 3,006 records with 2,331 distinct pairs of ICD-9 codes, k=5"
        yield what, f"{seconds(frame, attributes, method):.2f} s", "<= 3 s"
    result = om.anonymize(frame, om.Policy(attributes=attributes, method=om.Microaggregation(k=5)), seed=1)
    yield "semantic linkage of the same", f"{best(result.linkage):.2f} s", "<= 1 s"
    if ADULT.is_dir():
        yield from on_adult()
    yield from verifying()


def on_adult() -> Iterator[Row]:
    frame, attributes = adult(["occupation", "native-country"])
    for name, preset in (("SA-MDAV", "sa_mdav"), ("adaptive, plain", None), ("recoding", "recoding")):
        took = {}
        for k in (2, 5, 15, 50, 200, 800):
            method: Any = om.Recoding(k=k) if preset == "recoding" else om.Microaggregation(k=k)
            took[k] = seconds(
                frame, attributes, om.Microaggregation.preset(preset, k=k) if preset == "sa_mdav" else method
            )
        slowest = max(took, key=lambda k: took[k])
        what = f"{name}, Adult's occupation x country, 30,162 records, slowest of six k (k={slowest})"
        yield what, f"{took[slowest]:.2f} s", "<= 0.5 s"
    for copies in (1, 2, 4, 8, 16):
        more = pl.concat([frame] * copies)
        took_ = seconds(more, attributes, om.Microaggregation(k=5))
        what = f"adaptive, the same tuples {copies} times over: {len(more):,} records"
        yield what, f"{took_:.3f} s", "grows more slowly" if copies > 1 else ""
    frame, attributes = adult()
    policy = om.Policy(attributes=attributes, method=om.Microaggregation(k=5))
    result = om.anonymize(frame, policy)
    yield "adaptive or MDAV, all nine columns of Adult, k=5", f"{best(lambda: om.anonymize(frame, policy)):.2f} s", ""
    yield "semantic linkage, all nine columns, 30,162 x 30,162", f"{best(result.linkage):.2f} s", "<= 20 s"
    yield "loss (SSE, SST, L, discernibility) of the same", f"{best(result.loss):.2f} s", ""


def verifying() -> Iterator[Row]:
    rng = np.random.default_rng(5)
    n = 5_000_000
    frame = pl.DataFrame(
        {
            "age": rng.integers(0, 100, n),
            "sex": rng.choice(["f", "m"], n),
            "zip": rng.integers(0, 200, n).astype(str),
            "job": rng.integers(0, 30, n),
        }
    )
    pandas = frame.to_pandas()

    def there_and_back() -> None:
        taken = take(pandas)
        give_back(taken.data, taken)

    yield "a pandas frame of 5,000,000 rows x 4 taken in and given back", f"{best(there_and_back, 2):.2f} s", ""
    policy = om.Policy(attributes={name: om.Flat() for name in frame.columns}, require=[om.KAnonymity(k=2)])
    took = best(lambda: om.verify(frame, policy), 2)
    yield "verifying k-anonymity, 5,000,000 rows x 4", f"{took:.2f} s", "<= 3 s"
