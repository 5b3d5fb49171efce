"""How fast masking, linkage and verification are: whole calls, from frame to verified frame."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import ontomask as om
from benchmarks.timing import DATA, Job
from ontomask.microdata.frames import NativeFrame

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


def stays_with_sets(n: int = 100_000, mean: int = 8) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Sets of about eight ICD-9 codes: half of each from one of 300 profiles, some codes beside these, others at random."""
    rng = np.random.default_rng(11)
    taxonomy = om.load_taxonomy("icd9cm")
    leaves = np.array([c for c in taxonomy.concepts if not taxonomy.children(c)])
    codes = rng.permutation(leaves)[:4000]
    profiles = rng.integers(0, len(codes), (300, 12))
    beside = {code: [c for p in taxonomy.parents(code) for c in taxonomy.children(p)] for code in codes}
    sets = []
    for profile in rng.integers(0, len(profiles), n):
        own, size = codes[profiles[profile]], max(1, rng.poisson(mean))
        draw = rng.random(size)
        some = own[rng.integers(0, len(own), size)]
        near = [
            beside[code][int(place * len(beside[code]))] for code, place in zip(some, rng.random(size), strict=True)
        ]
        sets.append(np.where(draw < 0.5, some, np.where(draw < 0.75, near, codes[rng.integers(0, len(codes), size)])))
    frame = pl.DataFrame({"diagnoses": ["|".join(sorted(set(own))) for own in sets]})
    return frame, {"diagnoses": om.Nominal(taxonomy="icd9cm", many="|")}


def adult(columns: list[str] | None = None) -> tuple[pl.DataFrame, dict[str, Any]]:
    frame = pl.read_csv(ADULT / "adult.csv", separator=";")
    frame = frame.select(columns or frame.columns)
    return frame, {
        name: om.Numeric() if name == "age" else om.Nominal(taxonomy=str(ADULT / f"adult_hierarchy_{name}.csv"))
        for name in frame.columns
    }


def job(what: str, frame: pl.DataFrame, attributes: dict[str, Any], method: Any, target: str = "", **more: Any) -> Job:
    """Masking as a whole: from frame to verified frame."""
    policy = om.Policy(attributes=attributes, method=method)
    return Job(what, lambda: om.anonymize(frame, policy) and None, target, **more)


def mdav(k: int) -> om.Microaggregation:
    """MDAV as published, by mean distances."""
    return om.Microaggregation(k=k, partition="mdav", distance="mean", refine="none")


def masking(folder: Path) -> Iterator[Job]:
    for n, target in ((20_000, "<= 0.3 s"), (50_000, "<= 1.4 s")):
        yield job(f"MDAV, {n:,} x 4 numeric, k=3", *numeric(n), mdav(3), target)
    refined = om.Microaggregation(k=3, partition="mdav", distance="balanced")
    yield job("MDAV and refinement, 50,000 x 4 numeric, k=3", *numeric(50_000), refined, "<= 2 s more than MDAV")
    frame, attributes = mixed()
    for k, target in ((2, "<= 25 s"), (10, "<= 5 s, 1,024 MB")):
        what = f"MDAV, 143,472 x (3 numeric + 1 nominal of 409 categories), k={k}"
        yield job(what, frame, attributes, mdav(k), target, times=1, memory=True)
    refined = om.Microaggregation(k=10, partition="mdav", distance="balanced")
    what = "MDAV and refinement, 143,472 x (3 numeric + 1 nominal), k=10"
    yield job(what, frame, attributes, refined, "<= 30 s more than MDAV", times=1, memory=True)
    what = "the default: adaptive groups and refinement, 20,000 stays x 6, k=5"
    policy, stays = om.demo_policy(om.Microaggregation(k=5)), om.demo_data(20_000)
    yield Job(what, lambda: om.anonymize(stays, policy) and None, "<= 10 s for refinement", times=1, memory=True)
    frame, attributes = code_pairs()
    for name, method in (("recoding", om.Recoding(k=5)), ("SA-MDAV", om.Microaggregation.preset("sa_mdav", k=5))):
        what = f"{name}, 3,006 records with 2,331 distinct pairs of ICD-9 codes, k=5"
        yield job(what, frame, attributes, method, "<= 3 s")
    result = om.anonymize(frame, om.Policy(attributes=attributes, method=om.Microaggregation(k=5)), seed=1)
    yield Job("semantic linkage of the same", lambda: replace(result).linkage() and None, "<= 1 s")
    frame, attributes = stays_with_sets()
    for partition in ("mdav", "adaptive"):
        what = f"{partition}, 100,000 sets of about 8 ICD-9 codes, k=5"
        method = om.Microaggregation(k=5, partition=partition, distance="mean")
        yield job(what, frame, attributes, method, "<= 600 s", times=0, processes=1, memory=True)
    if ADULT.is_dir():
        yield from on_adult()
    yield from verifying()


def on_adult() -> Iterator[Job]:
    frame, attributes = adult(["occupation", "native-country"])
    steps = (2, 5, 15, 50, 200, 800)
    methods: dict[str, list[Any]] = {
        "SA-MDAV": [om.Microaggregation.preset("sa_mdav", k=k) for k in steps],
        "adaptive, plain": [om.Microaggregation(k=k, distance="mean", refine="none") for k in steps],
        "recoding": [om.Recoding(k=k) for k in steps],
    }
    for name, chosen in methods.items():
        policies = [om.Policy(attributes=attributes, method=method) for method in chosen]
        what = f"{name}, Adult's occupation x country, 30,162 records, k = 2, 5, 15, 50, 200, 800 one after the other"
        yield Job(what, lambda policies=policies: [om.anonymize(frame, p) for p in policies] and None, "<= 3 s")
    for copies in (1, 2, 4, 8, 16):
        more = pl.concat([frame] * copies)
        what = f"adaptive, the same tuples {copies} times over: {len(more):,} records"
        plain = om.Microaggregation(k=5, distance="mean", refine="none")
        yield job(what, more, attributes, plain, "grows more slowly" if copies > 1 else "")
    frame, attributes = adult()
    yield job("MDAV, all nine columns of Adult, k=5", frame, attributes, mdav(5))
    again = om.anonymize(frame, om.Policy(attributes=attributes, method=om.Microaggregation(k=5)))
    # A copy of the result has not yet worked out what the result keeps.
    yield Job(
        "semantic linkage, all nine columns of Adult, 30,162 x 30,162",
        lambda: replace(again).linkage() and None,
        "<= 20 s",
    )
    yield Job("loss (SSE, SST, L, discernibility) of the same", lambda: replace(again).loss() and None)


def verifying() -> Iterator[Job]:
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
        taken = NativeFrame.of(pandas)
        taken.restore(taken.data)

    what = "a pandas frame of 5,000,000 rows x 4 taken in and given back"
    yield Job(what, there_and_back, times=2, processes=3)
    policy = om.Policy(attributes={name: om.Flat() for name in frame.columns}, require=[om.KAnonymity(k=2)])
    what = "verifying k-anonymity, 5,000,000 rows x 4"
    yield Job(what, lambda: om.verify(frame, policy), "<= 3 s", times=2, processes=3)
