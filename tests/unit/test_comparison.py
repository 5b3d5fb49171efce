"""Comparisons: the table, the frontier, the recommendation, processes and what is remembered."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import ontomask as om
from ontomask import errors
from ontomask.comparison import runs as comparison_runs
from ontomask.comparison.evaluation import Run
from ontomask.comparison.grid import levels_of, variations
from ontomask.comparison.outcome import Comparison

TREE = om.Taxonomy.from_edges([("flu", "lung"), ("cough", "lung"), ("rash", "skin"), ("lung", "all"), ("skin", "all")])
OTHER_TREE = om.Taxonomy.from_edges(
    [("flu", "lung"), ("cough", "skin"), ("rash", "skin"), ("lung", "all"), ("skin", "all")]
)
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
        else Run(
            f"r{i}",
            "recoding",
            2,
            losses={"loss": loss, "divergence": 1.0},
            linkage={"semantic": risk / 100},
            smallest=2,
        )
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
    assert told[0].startswith("Recommended: r0. Of 3 candidates, it has the lowest score: 10 ")
    assert any(text.startswith("If risk counts more") and text.endswith("r2.") for text in told)
    assert any(text.startswith("If loss counts more") and text.endswith("r1.") for text in told)
    assert told[-1] == "Without a release: r3 (refused)."


def test_who_is_best_everywhere() -> None:
    assert "It has the lowest score, whatever the weights of loss and risk." in made((1, 1), (2, 2)).recommendation


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
    assert row["error"].startswith("3-anonymity: ")
    assert compared.best == "microaggregation, k=3"
    told = " ".join(compared.recommendation)
    assert "releases is in a class of at least" in told
    assert "Refused, because a requirement is not satisfied: rank_swapping, k=3 (3-anonymity: " in told


def test_what_is_required_stays_required() -> None:
    """Once a grid put its own k in the place of the required one, and k=2 satisfied a policy that requires 5."""
    base = POLICY.changed(require=[om.KAnonymity(k=5)])
    methods = ["recoding", "suppression", "microaggregation", om.Generalization()]
    compared = om.compare(FRAME, om.grid(base, methods, range(2, 7)), workers=1)
    table = compared.table
    satisfied = table.filter(pl.col("satisfied"))
    assert satisfied["smallest"].min() >= 5  # type: ignore[operator]
    refused = table.filter(~pl.col("satisfied"))
    assert refused["name"].to_list() == [f"{method}, k={k}" for method in methods[:3] for k in (2, 3, 4)]
    assert set(refused["error"]) == {f"it promises k={k}, and 5-anonymity is required" for k in (2, 3, 4)}
    assert refused["frontier"].sum() == 0
    assert compared.best not in refused["name"]
    assert not any(name in refused["name"] for _, _, name in compared.winners)


def test_nobody_is_asked_for_a_k_that_is_not_promised() -> None:
    """Once shuffling was asked for k-anonymity because it has no k of its own."""
    frame = FRAME.with_columns(pay=pl.Series(range(40)))
    base = POLICY.changed(attributes={**POLICY.attributes, "pay": om.Numeric(role="sensitive")})
    made_ = om.grid(base, ["shuffling", "rank_swapping", "microaggregation"], [2, 3])
    assert list(made_) == [
        "shuffling", "rank_swapping, k=2", "rank_swapping, k=3", "microaggregation, k=2", "microaggregation, k=3",
    ]  # fmt: skip
    assert all(not policy.require for policy in made_.values())
    compared = om.compare(frame, made_, workers=1)
    assert compared.table["satisfied"].to_list() == [True] * 5
    assert compared.table["promises"].to_list() == [False, False, False, True, True]
    assert compared.table["promised"].to_list() == [None, None, None, "2-anonymity", "3-anonymity"]


def test_the_worst_attack_as_risk(found: Comparison) -> None:
    worst = om.compare(FRAME, WAYS, workers=1, kind="worst", seed=1)
    for name, policy in WAYS.items():
        row = worst.table.row(by_predicate=pl.col("name") == name, named=True)
        attack = om.anonymize(FRAME, policy, seed=1).assessment.worst_attack
        assert row["risk"] == row["worst"] == pytest.approx(100 * attack.share)
        assert row["worst_attack"] == attack.name
    assert "the worst attack, " in worst.recommendation[0]


def test_ways_without_a_promise_are_said_to_have_none() -> None:
    compared = om.compare(FRAME, om.grid(POLICY, ["rank_swapping"], 3), workers=1)
    assert any("promises no k-anonymity" in text for text in compared.recommendation)
    assert "satisf" not in " ".join(compared.recommendation)


@pytest.mark.parametrize("k", [1, 2])
def test_nothing_required_is_nothing_satisfied(k: int) -> None:
    """No sentence sounds like a guarantee where none is given."""
    compared = om.compare(FRAME, om.grid(POLICY, [om.Resampling(k=k, variant="heer"), "rank_swapping"], [k]), workers=1)
    told = " ".join(compared.recommendation)
    assert "satisf" not in told
    assert "in a class of at least" not in told
    assert "promises no k-anonymity" in told


def test_what_masks_nothing_is_never_recommended() -> None:
    """Once suppression at k=1 had the lowest score, for it loses nothing."""
    compared = om.compare(FRAME, om.grid(POLICY, ["suppression", "recoding"], [1, 2]), workers=1)
    nothing = compared.table.filter(pl.col("k") == 1)
    assert nothing["satisfied"].to_list() == [False, False]
    assert (
        "Not considered, because nothing is masked: suppression, k=1; recoding, k=1 (k is 1)."
        in compared.recommendation
    )
    assert compared.best in ("suppression, k=2", "recoding, k=2")


def test_policies_that_require_different_things_are_said_to() -> None:
    one = POLICY.changed(method=om.Recoding(k=4), require=[om.KAnonymity(k=4)])
    two = POLICY.changed(method=om.Recoding(k=2), require=[om.KAnonymity(k=2)])
    same = "The candidates have different requirements. Each was checked against those of its own policy."
    assert same in om.compare(FRAME, {"one": one, "two": two}, workers=1).recommendation
    assert same not in om.compare(FRAME, WAYS, workers=1).recommendation


def test_everything_is_printed(found: Comparison) -> None:
    text = str(found)
    assert all(name in text for name in WAYS)
    assert found.recommendation[0] in text


# ---- processes and memory --------------------------------------------------------------------------------------------


def without_time(table: pl.DataFrame) -> pl.DataFrame:
    return table.drop("seconds", "total_seconds", "first_seconds")


@pytest.mark.slow
def test_processes_find_the_same(found: Comparison, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison_runs, "SOON", -1.0)
    heard: list[float] = []
    parallel = om.compare(FRAME, WAYS, workers=2, progress=lambda fraction, message: heard.append(fraction))
    assert without_time(parallel.table).equals(without_time(found.table))
    assert heard == sorted(heard)
    assert heard[-1] == 1.0


def test_what_was_done_is_not_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    real = comparison_runs.run_policy

    def counting(frame: Any, name: str, *others: Any) -> Run:
        done.append(name)
        return real(frame, name, *others)

    monkeypatch.setattr(comparison_runs, "run_policy", counting)
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
        (POLICY, {}, "expected several policies, got one"),
        ([POLICY], {}, "names no method"),
        (WAYS, {"alpha": 2}, "alpha=2"),
        (WAYS, {"kind": "psychic"}, "psychic"),
        (WAYS, {"workers": 0}, "workers=0"),
        (WAYS, {"measure": "psychic"}, "psychic"),
        (om.grid(POLICY, ["recoding", "microaggregation"], 50), {}, "k is 50 and there are 40 records"),
    ],
)
def test_what_cannot_be_compared(policies: Any, options: Any, expected: str) -> None:
    with pytest.raises(errors.OntomaskError, match=expected):
        om.compare(FRAME, policies, **options)


@pytest.mark.parametrize(
    ("attribute", "expected"),
    [
        (om.Flat(role="other"), "they have different quasi-identifiers ('dx')"),
        (om.Flat(role="sensitive"), "they have different quasi-identifiers ('dx')"),
        (om.Nominal(taxonomy=TREE, measure="path"), "they judge 'dx' by different measures"),
        (om.Nominal(taxonomy=OTHER_TREE), "'dx' has another taxonomy in one than in the other"),
        (om.Ordinal(order=["flu", "cough", "rash"]), "'dx' is nominal in one and ordinal in the other"),
    ],
)
def test_a_candidate_that_cannot_be_compared_is_a_row(attribute: Any, expected: str) -> None:
    """Once it ended the whole comparison."""
    good = {name: WAYS[name] for name in list(WAYS)[:2]}
    odd = POLICY.changed(method=om.Recoding(k=2), attributes={**POLICY.attributes, "dx": attribute})
    compared = om.compare(FRAME, {"odd": odd, **good}, workers=1)
    assert compared.table["satisfied"].to_list() == [False, True, True]
    assert expected in compared.table["error"][0]
    assert compared.best in good


def test_a_candidate_that_cannot_be_run_is_a_row() -> None:
    ways = {**om.grid(POLICY, ["recoding"], [2, 50])}
    compared = om.compare(FRAME, ways, workers=1)
    assert compared.table["satisfied"].to_list() == [True, False]
    assert "Not possible with these data: recoding, k=50 (k is 50" in compared.recommendation[-1]


def test_a_candidate_without_memory_is_a_row(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    real = comparison_runs.anonymize

    def greedy(frame: Any, policy: om.Policy, **more: Any) -> om.Result:
        if policy.method.k == 4:  # type: ignore[union-attr]
            raise MemoryError
        return real(frame, policy, **more)

    monkeypatch.setattr(comparison_runs, "anonymize", greedy)
    ways = om.grid(POLICY, ["recoding"], [2, 4])
    compared = om.compare(FRAME, ways, workers=1, folder=tmp_path)
    assert compared.table["error"].to_list() == [None, "there is not enough memory for it"]
    assert len(list(tmp_path.glob("run-*.json"))) == 1  # the other is tried again
    monkeypatch.undo()
    assert om.compare(FRAME, ways, workers=1, folder=tmp_path).table["satisfied"].all()


@pytest.mark.slow
def test_a_process_that_dies_is_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison_runs, "SOON", -1.0)
    monkeypatch.setattr(comparison_runs, "run_policy", dying)
    ways = om.grid(POLICY, ["recoding", "suppression"], [2, 4])
    compared = om.compare(FRAME, ways, workers=2)
    satisfied = dict(zip(compared.table["name"], compared.table["satisfied"], strict=True))
    assert satisfied == {name: name != "suppression, k=2" for name in ways}
    assert "Not finished: suppression, k=2 (its process ended without a result" in compared.recommendation[-1]


RUN_POLICY = comparison_runs.run_policy


def dying(frame: Any, name: str, *others: Any) -> Run:
    """A task whose process is ended from outside for one of the candidates."""
    if name == "suppression, k=2":
        os._exit(9)
    return RUN_POLICY(frame, name, *others)


# ---- grids -----------------------------------------------------------------------------------------------------------


def test_grids() -> None:
    base = POLICY.changed(require=[om.KAnonymity(k=9)])
    made = om.grid(base, {"mine": om.Generalization(suppression_limit=0.1), "sa_mdav": "sa_mdav"}, [2, 3, 12])
    assert list(made) == ["mine, k=9", "mine, k=12", "sa_mdav, k=2", "sa_mdav, k=3", "sa_mdav, k=12"]
    ks = [[model.k for model in policy.require] for policy in made.values()]  # type: ignore[attr-defined]
    assert ks == [[9], [12, 9], [9], [9], [9]]
    assert made["sa_mdav, k=3"].method == om.Microaggregation.preset("sa_mdav", k=3)
    variants = om.grid(POLICY, ["microaggregation_mdav", "microaggregation_thorough"], 4)
    assert [policy.method for policy in variants.values()] == [
        om.Microaggregation(k=4, partition="mdav"),
        om.Microaggregation(k=4, refine="thorough"),
    ]
    assert om.grid(POLICY, [om.Generalization()], 4)["generalization, k=4"].require == [om.KAnonymity(k=4)]
    percent = om.grid(POLICY, [om.RankSwapping(percent=5)], 4)
    assert [policy.method.k for policy in percent.values()] == [4]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("methods", "k", "expected"),
    [
        (["psychic"], 2, "psychic"),
        ([3], 2, "expected a method, got 3"),
        (["recoding"], [], "nothing to compare"),
        (["recoding"], 0, "k=0"),
        (["recoding"], [2.5], "2.5"),
        (["recoding", "recoding"], 2, "is listed twice"),
    ],
)
def test_grids_that_cannot_be_made(methods: Any, k: Any, expected: str) -> None:
    with pytest.raises(errors.OntomaskError, match=expected):
        om.grid(POLICY, methods, k)


@pytest.mark.parametrize(
    ("method", "require", "expected"),
    [
        (om.Microaggregation(k=5), 5, ["k=5", "k=8", "k=10", "k=15"]),
        (om.Recoding(k=3), 5, ["k=3", "k=5", "k=8", "k=10", "k=15"]),
        (om.Recoding(k=10), 5, ["k=5", "k=8", "k=10", "k=15"]),
        (om.Suppression(k=2), None, ["k=2", "k=3", "k=4", "k=6"]),
        (om.Generalization(), 3, [f"suppression_limit={limit}" for limit in ("0", "0.01", "0.05", "0.1")]),
        (om.Generalization(search="local"), 4, ["k=4", "k=6", "k=8", "k=12"]),
        (om.Generalization(search="best_first", budget=9), 4, ["k=4", "k=6", "k=8", "k=12"]),
        (om.RankSwapping(percent=10), None, [f"percent={share}" for share in ("5", "10", "20", "40")]),
        (om.RankSwapping(k=2), None, ["k=1", "k=2", "k=4", "k=8"]),
        (om.Shuffling(), None, ["ties=corrected", "ties=published"]),
        (om.NoiseAddition(share=0.2), None, [f"share={share}" for share in ("0.1", "0.2", "0.4", "0.8")]),
        (om.PRAM(), None, [f"keep={keep}" for keep in ("0.9", "0.8", "0.7", "0.6")]),
    ],
)
def test_a_policy_is_varied_by_itself(method: Any, require: int | None, expected: list[str]) -> None:
    attributes = {**POLICY.attributes, "pay": om.Numeric(role="sensitive")}
    base = POLICY.changed(
        attributes=attributes, method=method, require=[om.KAnonymity(k=require)] if require is not None else []
    )
    made = variations(base)
    assert [name.rpartition(", ")[2] for name in made] == expected
    assert any(policy.method == method for policy in made.values())
    assert all(set(base.require) <= set(policy.require) for policy in made.values())


def test_levels_where_none_are_given() -> None:
    assert levels_of(POLICY) == [5, 8, 10, 15]
    assert levels_of(POLICY.changed(method=om.Recoding(k=2))) == [2, 3, 4, 6]
    assert levels_of(POLICY.changed(method=om.Recoding(k=2), require=[om.KAnonymity(k=4)])) == [4, 6, 8, 12]


def test_candidates_with_other_weights_are_judged_by_the_same() -> None:
    """A column that a candidate weighs more would otherwise count more in its loss than in that of the others."""
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({"a": rng.normal(size=60), "b": rng.normal(size=60)})
    plain = om.Policy(attributes={"a": om.Numeric(), "b": om.Numeric()}, method=om.Microaggregation(k=5))
    weighted = plain.changed(attributes={"a": om.Numeric(weight=50), "b": om.Numeric()})
    table = om.compare(frame, {"plain": plain, "weighted": weighted}, workers=1).table
    for row, policy in zip(table.iter_rows(named=True), (plain, weighted), strict=True):
        release = om.anonymize(frame, policy).data
        assert row["loss"] == pytest.approx(om.information_loss(frame, release, plain.attributes).information_loss)


def test_labels_that_stand_for_several_concepts_are_judged_as_the_centre() -> None:
    """Generalization on labels shows the label or *, which tells nothing of a diagnosis, not even that it is one."""
    values = ["250.00", "250.01", "250.00", "162.9", "540.9", "540.9"]
    frame = pl.DataFrame({"code": values})
    meant = om.Policy(attributes={"code": om.Nominal(taxonomy="icd9cm")}, method=om.Microaggregation(k=2))
    labels = om.Policy(
        attributes={"code": om.Flat()}, method=om.Generalization(search="local"), require=[om.KAnonymity(k=2)]
    )
    row = om.compare(frame, {"meant": meant, "labels": labels}, workers=1).table.row(1, named=True)
    shown = om.anonymize(frame, labels).data["code"].to_list()
    assert "*" in shown
    kept = pl.DataFrame({"code": [None if text == "*" else text for text in shown]})
    suppressed = {"code": om.Nominal(taxonomy="icd9cm", missing="category")}
    assert row["loss"] == pytest.approx(om.information_loss(frame, kept, suppressed).information_loss)
