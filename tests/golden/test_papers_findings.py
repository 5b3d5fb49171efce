"""What M13, R17 and D12 found, on small samples of the synthetic discharges: means of ten seeds, each its own sample.

The whole tables, and where findings do not come out, are in docs/experiments-discharges.md; what fails there is not
tested here.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import polars as pl
import pytest

import ontomask as om
from experiments import marginality, rank_swapping
from experiments.data import discharges
from experiments.rank_swapping import (
    DIAGNOSIS,
    DISTRIBUTIONAL,
    ONE,
    PROCEDURE,
    RANDOM,
    THREE,
    TWO,
    VARIANTS,
    Judge,
    Run,
)

SEEDS = range(10)

# ---- M13: marginality ----------------------------------------------------------------------------------------------


@cache
def sse(chapter: str, alone: bool, method: str, k: int) -> float:
    """SSE of the diagnosis by logsc, mean of ten samples of 1,000 records."""
    every = [marginality.data(chapter, alone, seed, 1_000) for seed in SEEDS]
    return float(np.mean([marginality.losses(data, method, k)[DIAGNOSIS] for data in every]))


@pytest.mark.parametrize(("chapter", "k"), [("neoplasms", 4), ("neoplasms", 10), ("digestive", 4)])
def test_marginality_loses_less_of_the_diagnosis_than_the_classic_method(chapter: str, k: int) -> None:
    assert sse(chapter, False, "marginality", k) < sse(chapter, False, "classic", k)


@pytest.mark.parametrize("chapter", ["neoplasms", "digestive"])
def test_on_the_diagnosis_alone_it_loses_at_least_30_percent_less(chapter: str) -> None:
    assert sse(chapter, True, "marginality", 10) <= 0.7 * sse(chapter, True, "classic", 10)


# ---- R17: rank swapping --------------------------------------------------------------------------------------------

KS = (5, 20)


@cache
def sample(seed: int) -> Judge:
    return Judge.of(discharges(300, seed, (DIAGNOSIS, PROCEDURE), measure="wu_palmer", scope="attribute"))


@cache
def swapped(method: str, k: int) -> list[Run]:
    return swapped(RANDOM, 0) if method == RANDOM and k else [sample(s).run(method, k, s) for s in SEEDS]


@pytest.mark.parametrize("column", [DIAGNOSIS, PROCEDURE])
@pytest.mark.parametrize("k", KS)
def test_rmse_of_the_algorithms(column: str, k: int) -> None:
    mean = {m: np.mean([run.rmse[column] for run in swapped(m, k)]) for m in VARIANTS}
    assert mean[TWO] <= mean[THREE] <= mean[ONE] <= mean[RANDOM]
    assert mean[THREE] <= mean[DISTRIBUTIONAL]


@pytest.mark.parametrize("k", KS)
def test_correlation_left_by_the_algorithms(k: int) -> None:
    mean = {m: np.mean([run.apart() for run in swapped(m, k)]) for m in VARIANTS}
    assert mean[THREE] <= mean[TWO] <= mean[ONE]


@pytest.mark.parametrize("method", VARIANTS)
def test_what_one_column_tells_alone_is_exactly_preserved(method: str) -> None:
    assert all(run.same for k in KS for run in swapped(method, k))
    kept = rank_swapping.masked(sample(0).data, method, KS[0], 0).preservation(samples=0)
    assert kept.means["drift"].to_list() == [0.0, 0.0]
    assert kept.means["original"].equals(kept.means["masked"])
    assert kept.dependence.filter(pl.col("statistic") == "sdVar")["difference"].max() < 1e-12


def test_nothing_changes_where_every_pair_is_more_frequent_than_k() -> None:
    _, errors = rank_swapping.repeated()
    assert errors == [0.0] * len(rank_swapping.SEEDS)


# ---- D12: shuffling ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_shuffling_changes_no_mean_and_no_variance(seed: int) -> None:
    ties = ("corrected", "published")[seed % 2]
    columns = ("age", "sex", "race", "length_of_stay", "charge", "diagnosis")
    data = discharges(500, seed, columns, "neoplasms", role="sensitive", measure="weighted_edge")
    result = data.mask(om.Shuffling(measure="weighted_edge", ties=ties), seed)
    kept = result.preservation("weighted_edge", samples=0).statistics
    assert kept.filter(pl.col("statistic") != "covariance")["delta"].to_list() == [0.0] * 12
    assert not result.data.equals(data.frame)
