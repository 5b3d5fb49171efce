"""Comparisons: the table, the frontier, the recommendation, processes and what is remembered."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import ontomask as om
from ontomask import errors
from ontomask.comparison import running
from ontomask.comparison.compare import Comparison
from ontomask.comparison.running import Run

TREE = om.Taxonomy.from_edges([("flu", "lung"), ("cough", "lung"), ("rash", "skin"), ("lung", "all"), ("skin", "all")])
RNG = np.random.default_rng(3)
FRAME = pl.DataFrame({"age": 10 * RNG.integers(2, 5, 40), "dx": RNG.choice(["flu", "cough", "rash"], 40)})
POLICY = om.Policy(attributes={"age": om.Numeric(), "dx": om.Nominal(taxonomy=TREE)})
WAYS = om.grid(POLICY, ["microaggregation", "recoding", "suppression", om.Generalization()], [2, 4])


@pytest.fixture(scope="module")
def found() -> Comparison:
    return om.compare(FRAME, WAYS, workers=1, seed=1)


def made(*figures: tuple[float | None, float | None]) -> Comparison:
    """Runs of such losses and risks, in percent."""
    runs = [
        Run(f"r{i}", "recoding", 2, error="refused")
        if loss is None or risk is None
        else Run(f"r{i}", "recoding", 2, loss=loss, linkage={"semantic": risk / 100}, divergence=1.0, smallest=2)
        for i, (loss, risk) in enumerate(figures)
    ]
    return Comparison(runs, {}, "semantic", 0.5)


# ---- figures ---------------------------------------------------------------------------------------------------------


def test_figures_are_those_of_single_runs(found: Comparison) -> None:
    for name, policy in WAYS.items():
        row = found.table.row(by_predicate=pl.col("name") == name, named=True)
        result = om.anonymize(FRAME, policy)
        assert row["loss"] == pytest.approx(result.loss().information_loss)
        assert row["risk"] == pytest.approx(100 * result.linkage())
        assert row["score"] == pytest.approx(result.assessment.score(0.5, "semantic"))
        assert row["divergence"] == pytest.approx(result.loss().divergence)
        assert row["smallest"] == result.assessment.risk_after.smallest
        assert row["removed"] == result.loss().removed


def test_another_measure_judges_all() -> None:
    found = om.compare(FRAME, WAYS, workers=1, measure="equality", kind="matching", alpha=0.25)
    for name, policy in WAYS.items():
        result = om.anonymize(FRAME, policy)
        loss, risk = result.loss("equality").information_loss, 100 * result.linkage("matching", "equality")
        row = found.table.row(by_predicate=pl.col("name") == name, named=True)
        assert (row["loss"], row["risk"]) == (pytest.approx(loss), pytest.approx(risk))
        assert row["score"] == pytest.approx(0.25 * loss + 0.75 * risk)


def test_the_frontier_is_what_nobody_beats() -> None:
    for seed in range(200):
        chance = random.Random(seed)
        points = [
            (None, None) if chance.random() < 0.2 else (float(chance.randrange(5)), float(chance.randrange(5)))
            for _ in range(chance.randint(1, 7))
        ]
        table = made(*points).table
        for (loss, risk), on in zip(points, table["frontier"].to_list(), strict=True):
            beaten = loss is None or any(
                other[0] is not None and other != (loss, risk) and other[0] <= loss and other[1] <= risk  # type: ignore[operator]
                for other in points
            )
            assert on == (not beaten)


def test_winners_have_the_lowest_score_at_their_alphas() -> None:
    for seed in range(100):
        chance = random.Random(seed)
        compared = made(*[(chance.uniform(0, 50), chance.uniform(0, 50)) for _ in range(chance.randint(1, 6))])
        assert compared.winners[0][0] == 0
        assert compared.winners[-1][1] == 1
        for low, high, name in compared.winners:
            for alpha in (low, high):
                scores = {run.name: compared.score(run, alpha) for run in compared.runs}
                assert scores[name] == pytest.approx(min(scores.values()))  # type: ignore[type-var]


# ---- words -----------------------------------------------------------------------------------------------------------


def test_the_recommendation_names_its_reasons() -> None:
    told = made((10, 10), (2, 30), (40, 1), (None, None)).recommendation
    assert told[0].startswith("Recommended: r0. It has the lowest score, of 3 ways that satisfy what is required: 10 ")
    assert any(text.startswith("If risk counts more") and text.endswith("r2.") for text in told)
    assert any(text.startswith("If loss counts more") and text.endswith("r1.") for text in told)
    assert told[-1] == "Not to be had: r3. The first of them: refused"


def test_who_is_best_everywhere() -> None:
    assert "It has the lowest score whatever the weights of loss and risk." in made((1, 1), (2, 2)).recommendation


def test_nothing_can_be_recommended() -> None:
    compared = made((None, None))
    assert compared.best is None
    assert compared.recommendation[0].startswith("Nothing can be recommended")
    assert compared.curve.is_empty()


def test_a_refused_release_is_a_row_with_its_error() -> None:
    base = POLICY.changed(require=[om.KAnonymity(k=3)])
    compared = om.compare(FRAME, om.grid(base, ["rank_swapping", "microaggregation"], 3), workers=1)
    row = compared.table.row(0, named=True)
    assert row["satisfied"] is False
    assert "the release is refused" in row["error"]
    assert compared.best == "microaggregation, k=3"
    assert "Every released record is in a class of at least" in " ".join(compared.recommendation)


def test_ways_without_a_promise_are_said_to_have_none() -> None:
    compared = om.compare(FRAME, om.grid(POLICY, ["rank_swapping"], 3), workers=1)
    assert any("promises no k-anonymity" in text for text in compared.recommendation)


def test_everything_is_printed(found: Comparison) -> None:
    text = str(found)
    assert all(name in text for name in WAYS)
    assert found.recommendation[0] in text


# ---- processes and memory --------------------------------------------------------------------------------------------


def without_time(table: pl.DataFrame) -> pl.DataFrame:
    return table.drop("seconds")


@pytest.mark.slow
def test_processes_find_the_same(found: Comparison, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "SOON", -1.0)
    heard: list[float] = []
    parallel = om.compare(FRAME, WAYS, workers=2, progress=lambda fraction, message: heard.append(fraction))
    assert without_time(parallel.table).equals(without_time(found.table))
    assert heard == sorted(heard)
    assert heard[-1] == 1.0


def test_what_was_done_is_not_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    real = running.run_policy

    def counting(frame: Any, name: str, *others: Any) -> Run:
        done.append(name)
        return real(frame, name, *others)

    monkeypatch.setattr(running, "run_policy", counting)
    some = dict(list(WAYS.items())[:3])
    first = om.compare(FRAME, some, folder=tmp_path / "runs", workers=1)
    assert done == list(some)
    again = om.compare(FRAME, WAYS, folder=tmp_path / "runs", workers=1)
    assert done == list(WAYS)
    assert again.table.head(3).equals(first.table)
    om.compare(FRAME.head(39), some, folder=tmp_path / "runs", workers=1)  # other data
    assert done == [*WAYS, *some]
    om.compare(FRAME, some, folder=tmp_path / "runs", workers=1, measure="equality")
    assert done == [*WAYS, *some, *some]


def test_a_comparison_that_was_stopped_goes_on(tmp_path: Path) -> None:
    def stop(fraction: float, message: str) -> None:
        if fraction > 0.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        om.compare(FRAME, WAYS, folder=tmp_path, workers=1, progress=stop)
    kept = len(list(tmp_path.glob("run-*.json")))
    assert 0 < kept < len(WAYS)
    assert om.compare(FRAME, WAYS, folder=tmp_path, workers=1).table["satisfied"].all()


def test_memory_holds_no_values_and_survives_damage(tmp_path: Path) -> None:
    om.compare(FRAME, WAYS, folder=tmp_path, workers=1)
    files = sorted(tmp_path.glob("run-*.json"))
    assert len(files) == len(WAYS)
    assert not any("cough" in file.read_text() for file in files)
    files[0].write_text("{", encoding="utf-8")
    files[1].write_text(json.dumps({"odd": 1}), encoding="utf-8")
    assert om.compare(FRAME, WAYS, folder=tmp_path, workers=1).table["satisfied"].all()


# ---- what cannot be compared -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("policies", "options", "expected"),
    [
        ({}, {}, "there is nothing to compare"),
        (POLICY, {}, "one policy is nothing to compare"),
        ([POLICY], {}, "names no method"),
        (WAYS, {"alpha": 2}, "alpha=2"),
        (WAYS, {"kind": "psychic"}, "psychic"),
        (WAYS, {"workers": 0}, "workers=0"),
        (WAYS, {"measure": "psychic"}, "psychic"),
        (
            [
                POLICY.changed(method=om.Recoding(k=2)),
                POLICY.changed(method=om.Recoding(k=2), attributes={**POLICY.attributes, "dx": om.Flat(role="other")}),
            ],
            {},
            "mask different columns: 'dx'",
        ),
        (
            [
                POLICY.changed(method=om.Recoding(k=2)),
                POLICY.changed(
                    method=om.Recoding(k=2),
                    attributes={**POLICY.attributes, "dx": om.Nominal(taxonomy=TREE, measure="path")},
                ),
            ],
            {},
            "judge 'dx' by different measures",
        ),
    ],
)
def test_what_cannot_be_compared(policies: Any, options: Any, expected: str) -> None:
    with pytest.raises(errors.OntomaskError, match=expected):
        om.compare(FRAME, policies, **options)


# ---- grids -----------------------------------------------------------------------------------------------------------


def test_grids() -> None:
    base = POLICY.changed(require=[om.KAnonymity(k=9)])
    made = om.grid(base, {"mine": om.Generalization(suppression_limit=0.1), "sa_mdav": "sa_mdav"}, range(2, 4))
    assert list(made) == ["mine, k=2", "mine, k=3", "sa_mdav, k=2", "sa_mdav, k=3"]
    assert [model.k for policy in made.values() for model in policy.require] == [2, 3, 2, 3]  # type: ignore[attr-defined]
    assert made["sa_mdav, k=3"].method == om.Microaggregation.preset("sa_mdav", k=3)
    assert om.grid(POLICY, [om.Generalization()], 4)["generalization, k=4"].require == [om.KAnonymity(k=4)]
    percent = om.grid(POLICY, [om.RankSwapping(percent=5)], 4)
    assert [policy.method.k for policy in percent.values()] == [4]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("methods", "k", "expected"),
    [
        (["psychic"], 2, "psychic"),
        ([3], 2, "3 is no method"),
        (["recoding"], [], "nothing to compare"),
        (["recoding"], 0, "k=0"),
        (["recoding"], [2.5], "2.5"),
        (["recoding", "recoding"], 2, "stands there twice"),
    ],
)
def test_grids_that_cannot_be_made(methods: Any, k: Any, expected: str) -> None:
    with pytest.raises(errors.OntomaskError, match=expected):
        om.grid(POLICY, methods, k)
