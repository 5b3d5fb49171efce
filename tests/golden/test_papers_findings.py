"""What M13, R17, D12 and chapter 9 of T12 found, on small samples of the synthetic discharges: means of seeds, each its
own sample.

The whole tables, and where findings do not come out, are in docs/experiments-discharges.md and docs/experiments.md (T12);
what fails there is not tested here.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import polars as pl
import pytest

import ontomask as om
from experiments import framework_runs, marginality, rank_swapping
from experiments.data import discharges
from experiments.framework_runs import CLASSIC, METHODS, MIC, REC, RES, SEMANTIC, SETTINGS, SUPPRESSION
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
TIES = ("together", "random")


@cache
def sample(seed: int) -> Judge:
    return Judge.of(discharges(300, seed, (DIAGNOSIS, PROCEDURE), measure="wu_palmer", scope="attribute"))


@cache
def swapped(method: str, k: int, ties: str = "together") -> list[Run]:
    if method == RANDOM and (k, ties) != (0, "together"):
        return swapped(RANDOM, 0)
    return [sample(s).run(method, k, s, ties) for s in SEEDS]


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("column", [DIAGNOSIS, PROCEDURE])
@pytest.mark.parametrize("k", KS)
def test_rmse_of_the_algorithms(column: str, k: int, ties: str) -> None:
    mean = {m: np.mean([run.rmse[column] for run in swapped(m, k, ties)]) for m in VARIANTS}
    assert mean[TWO] <= mean[THREE] <= mean[ONE] <= mean[RANDOM]
    assert mean[THREE] <= mean[DISTRIBUTIONAL]


@pytest.mark.parametrize("column", [DIAGNOSIS, PROCEDURE])
def test_equal_values_ranked_together_let_rmse_grow_with_k(column: str) -> None:
    """R17: the larger k, the larger RMSE. With ties in random order Algorithm 1 swaps at random, whatever k is."""

    def rmse(method: str, k: int, ties: str) -> float:
        return float(np.mean([run.rmse[column] for run in swapped(method, k, ties)]))

    for method in (ONE, TWO, THREE):
        assert rmse(method, 5, "together") < rmse(method, 20, "together")
    assert rmse(ONE, 5, "together") < 0.95 * rmse(ONE, 5, "random")
    assert rmse(ONE, 5, "random") > 0.97 * rmse(ONE, 20, "random")
    # Where the k nearest are equal anyway, there is little to choose.
    assert rmse(ONE, 5, "together") < rmse(DISTRIBUTIONAL, 5, "random")


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("k", KS)
def test_correlation_left_by_the_algorithms(k: int, ties: str) -> None:
    mean = {m: np.mean([run.apart() for run in swapped(m, k, ties)]) for m in VARIANTS}
    assert mean[THREE] <= mean[TWO] <= mean[ONE]


@pytest.mark.parametrize("method", VARIANTS)
def test_what_one_column_tells_alone_is_exactly_preserved(method: str) -> None:
    assert all(run.same for k in KS for ties in TIES for run in swapped(method, k, ties))
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


# ---- T12 chapter 9: the framework on health records ----------------------------------------------------------------


@cache
def compared() -> framework_runs.Means:
    """Every way at two k, mean of three samples of 600 records."""
    return framework_runs.means(
        [framework_runs.runs(framework_runs.records(seed, 600), seed, (3, 8), workers=1) for seed in range(3)]
    )


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("k", [3, 8])
def test_semantics_saves_with_every_method_and_most_with_microaggregation(setting: str, k: int) -> None:
    at = compared()[k]
    saved = {m: 1 - at[SETTINGS[setting][m]].sse / at[CLASSIC.format(m)].sse for m in METHODS}
    assert min(saved.values()) > 0
    assert saved[MIC] > max(saved[REC], saved[RES])
    assert at[SUPPRESSION].sse > max(at[way].sse for way in SEMANTIC)


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("k", [3, 8])
def test_microaggregation_loses_least_and_resampling_is_linked_least(setting: str, k: int) -> None:
    at = framework_runs.in_setting(compared()[k], SETTINGS[setting])
    assert at[MIC].sse < at[REC].sse < at[RES].sse
    assert at[RES].srl < at[REC].srl < at[MIC].srl
    assert at[MIC].score() < at[REC].score() < at[RES].score()
