"""How fast the methods are that keep the categories, and the statistics that judge them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import ontomask as om
from benchmarks.masking import job
from benchmarks.timing import Job


def codes(n: int, sizes: tuple[int, ...]) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Columns of ICD-9 codes, long-tailed, of so many categories each."""
    rng = np.random.default_rng(n)
    taxonomy = om.load_taxonomy("icd9cm")
    leaves = np.array([c for c in taxonomy.concepts if not taxonomy.children(c)])
    columns = {}
    for i, size in enumerate(sizes):
        some = rng.choice(leaves, size, replace=False)
        drawn = rng.choice(size, n, p=rng.dirichlet(np.full(size, 0.5)))
        drawn[:size] = np.arange(size)  # every category occurs
        columns[f"code{i}"] = some[rng.permutation(drawn)]
    frame = pl.DataFrame(columns)
    return frame, {name: om.Nominal(taxonomy="icd9cm", measure="wu_palmer") for name in frame.columns}


def numbers_and_codes(n: int) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Six columns to shuffle: two that steer, two amounts, two categories."""
    rng = np.random.default_rng(n)
    frame, kinds = codes(n, (800,))
    age = rng.integers(0, 100, n)
    frame = frame.with_columns(
        pl.Series("age", age),
        pl.Series("sex", rng.choice(["f", "m"], n)),
        pl.Series("stay", rng.gamma(1.2, 1 + age / 25).round()),
        pl.Series("charge", rng.lognormal(9 + age / 100, 1).round(2)),
        pl.Series("race", rng.choice(list("abcdef"), n)),
    )
    kinds = {name: attribute.changed(role="sensitive") for name, attribute in kinds.items()}
    amounts = {name: om.Numeric(role="sensitive") for name in ("stay", "charge")}
    return frame, {**kinds, **amounts, "race": om.Flat(role="sensitive"), "age": om.Numeric(), "sex": om.Flat()}


def keeping(folder: Path) -> Iterator[Job]:
    frame, kinds = codes(100_000, (800,))
    what = "rank swapping, Algorithm 2, 100,000 records, 800 categories, k=10"
    yield job(what, frame, kinds, om.RankSwapping(k=10, variant="dynamic"), "<= 5 s", times=2)
    yield job("rank swapping, Algorithm 1, the same", frame, kinds, om.RankSwapping(k=10, variant="fixed"), times=2)
    for n, target in ((20_000, "<= 10 s"), (100_000, "<= 120 s")):
        what = f"rank swapping, Algorithm 3, {n:,} records x 2 nominal, k=10"
        yield job(what, *codes(n, (800, 400)), om.RankSwapping(k=10), target, times=1, processes=3)
    frame, kinds = numbers_and_codes(1_000_000)
    what = "shuffling, 1,000,000 records x 6 columns"
    yield job(what, frame, kinds, om.Shuffling(), "<= 15 s", times=2, processes=3)
    for model in ("normal", "pmm"):
        what = f"imputation ({model}), 1,000,000 records x 6 columns"
        yield job(what, frame, kinds, om.Imputation(model=model), "<= 10 s", times=2, processes=3)
    one, kinds = codes(1_000_000, (800,))
    what = "1,000,000 records, 800 categories"
    yield job(f"noise addition, {what}", one, kinds, om.NoiseAddition(), "<= 10 s", times=2, processes=3)
    yield job(f"PRAM, {what}", one, kinds, om.PRAM(), "<= 10 s", times=2, processes=3)
    frame, kinds = codes(1_000_000, (800, 400))
    taxonomy = om.load_taxonomy("icd9cm")
    one, two = (frame[name].to_list() for name in frame.columns)
    what = "distance correlation, 1,000,000 records, 800 x 400 categories"
    yield Job(what, lambda: om.distance_correlation(taxonomy, one, taxonomy, two), "<= 2 s", times=2, processes=3)
    frame = om.demo_data(19_502, 1, chapter="neoplasms")
    kinds = {"age": om.Numeric(), "length_of_stay": om.Numeric(), "diagnosis": om.Nominal(taxonomy="icd9cm")}
    frame = frame.select(list(kinds))
    hybrid = om.Microaggregation.preset("marginality_hybrid", k=600)
    yield job("hybrid microaggregation, 19,502 records x 3, k=600", frame, kinds, hybrid)
    result = om.anonymize(
        frame, om.Policy(attributes=kinds, method=om.Microaggregation.preset("micro_hybrid", k=600)), seed=1
    )
    yield Job("what is left of its statistics, with 100 samples", result.preservation, times=2)
    yield Job("demo data, 20,000 discharges", lambda: om.demo_data(20_000, 1))
