"""A table passes verification only if it holds the columns of its policy, with values that fit them, and nothing else."""

from __future__ import annotations

import json
import os
import random
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import ontomask as om
from ontomask import errors

DISEASES = om.Taxonomy.from_edges(
    [
        ("J10", "J"), ("J11", "J"), ("E10.1", "E10"), ("E10.2", "E10"), ("E10", "E"), ("J", "all"), ("E", "all"),
    ],
    labels={"J": "respiratory", "J10": "flu", "J11": "cold", "E": "endocrine", "E10": "diabetes", "all": "any disease"},
)  # fmt: skip
ATTRIBUTES: dict[str, Any] = {
    "age": om.Numeric(),
    "ill": om.Nominal(DISEASES, mapping={"grippe": "J10"}),
    "stage": om.Ordinal(order=["I", "II", "III"]),
    "later": om.Nominal(DISEASES, role="sensitive"),
    "pay": om.Numeric(role="sensitive"),
    "note": om.Flat(role="other"),
}
GOOD = pl.DataFrame(
    {
        "age": [30.5] * 4,
        "ill": ["J10"] * 4,
        "stage": ["I"] * 4,
        "later": ["J10", "cold", "E101", "diabetes"],
        "pay": [1, 2, 3, None],
        "note": ["a", "b", "c", "d"],
    }
)


def policy(**settings: Any) -> om.Policy:
    made: om.Policy = om.Policy(**({"attributes": ATTRIBUTES, "require": [om.KAnonymity(2)]} | settings))
    return made


def check(frame: pl.DataFrame, **settings: Any) -> om.Verification:
    return om.verify(frame, policy(**settings))


# ---- columns -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("unlisted", ["error", "drop"])
def test_a_column_that_the_policy_does_not_list_fails(unlisted: str) -> None:
    found = check(GOOD.with_columns(name=pl.Series(["Ann", "Bob", "Cyd", "Dan"])), unlisted=unlisted)
    assert (found.holds, found.verdict) == (False, "fails")
    assert found.failed == ["columns that the policy does not list: 'name'"]
    assert "Ann" not in str(found)
    failing = next(finding for finding in found if not finding.holds)
    assert (failing.violations.rows(), failing.records) == ([("name",)], 4)


def test_other_columns_are_noted_where_the_policy_keeps_them() -> None:
    found = check(GOOD.with_columns(zip=pl.int_range(4)), unlisted="other")
    assert found.holds
    assert any("zip" in note for note in map(str, found.notes))


@pytest.mark.parametrize("name", ["age", "stage", "later", "pay", "note"])
def test_a_column_that_is_gone_fails(name: str) -> None:
    found = check(GOOD.drop(name))
    assert found.failed == [f"columns of the policy that the data do not have: {name!r}"]
    renamed = check(GOOD.rename({name: f"{name}s"}), unlisted="other")
    assert f"Did you mean '{name}s'" in renamed.failed[0]


def test_a_model_whose_column_is_gone_is_not_checked() -> None:
    found = check(GOOD.drop("later"), require=[om.KAnonymity(2), om.LDiversity(2, "later")])
    assert [finding.checked for finding in found] == [True, False, True, True, True]
    assert found.verdict == "fails"


# ---- values ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("column", "values", "odd"),
    [
        ("ill", ["J10", "respiratory", "grippe", "*"], 0),
        ("ill", ["E101", "E10.1", "any disease", None], 0),
        ("ill", ["Smith, Ann", "Smith, Bob", "J10", "J10"], 2),
        ("later", ["Smith, Ann", "J10", "J10", "J10"], 1),
        ("later", ["", "J10", "J10", "J10"], 1),
        ("age", ["30-39", "[1.5, 3)", "-10--1", "40"], 0),
        ("age", ["[1e-05, 3]", "<18", "65+", "*"], 0),
        ("age", ["[30-50]", "18 to 65", ">= 65", None], 0),
        ("age", ["Ann", "Bob", "40", "41"], 2),
        ("age", ["12-34-5678", "1.2.3", "40", "41"], 2),
        ("age", [True, False, True, False], 2),
        ("pay", ["1", "2", "secret", "secret"], 1),
        ("stage", ["I", "I - II", "II - III", "*"], 0),
        ("stage", ["I", "IV", "I - IV", "III"], 2),
        ("note", ["anything", "fits", "a", "flat column"], 0),
    ],
)
def test_values(column: str, values: list[Any], odd: int) -> None:
    found = om.verify(GOOD.with_columns(pl.Series(column, values)), policy(require=[om.KAnonymity(1)]))
    finding = found.findings[-1]
    assert finding.holds is (odd == 0), finding
    assert len(finding.violations) == odd
    assert set(finding.violations["column"]) <= {column}
    assert not any(str(value) in finding.text for value in finding.violations["value"] if value), (
        "values are not printed"
    )
    if odd:
        assert finding.records == finding.violations["records"].sum()
        assert found.verdict == "fails"


def test_what_a_levels_file_and_masked_texts_show_fits(tmp_path: Path) -> None:
    levels = tmp_path / "levels.csv"
    levels.write_text("J10;airways;*\nJ11;airways;*\n")
    made = policy(
        attributes={"ill": om.Nominal(DISEASES), "zip": om.Nominal(DISEASES)},
        method=om.Generalization(hierarchies={"ill": om.LevelsFile(path=str(levels)), "zip": om.MaskedText()}),
    )
    frame = pl.DataFrame({"ill": ["airways"] * 2, "zip": ["J1*"] * 2})
    assert om.verify(frame, made)
    assert not om.verify(frame.with_columns(ill=pl.lit("Ann")), made)
    assert not om.verify(frame.with_columns(zip=pl.lit("Ann")), made)
    levels.unlink()
    assert om.verify(frame, made).verdict == "not everything could be checked"


def test_sensitive_values_without_a_place_are_refused_before_the_work() -> None:
    frame = pl.DataFrame({"age": [1, 2, 3, 4], "later": ["J10", "J11", "Smith", "J10"]})
    made = om.Policy(attributes={n: ATTRIBUTES[n] for n in frame.columns}, method=om.Microaggregation(k=2))
    with pytest.raises(errors.UnmatchedValuesError, match="column 'later': 1 value has no concept"):
        om.anonymize(frame, made)


# ---- every release of ours passes --------------------------------------------------------------------------------

METHODS: dict[str, Any] = {
    "microaggregation": om.Microaggregation(k=3),
    "lcs": om.Microaggregation(k=3, centroid="lcs"),
    "hybrid": om.Microaggregation(k=3, replace="hybrid"),
    "recoding": om.Recoding(k=3),
    "resampling": om.Resampling(k=3),
    "suppression": om.Suppression(k=2),
    "swapping": om.RankSwapping(k=3),
    "shuffling": om.Shuffling(),
    "noise": om.NoiseAddition(share=0.5),
    "pram": om.PRAM(keep=0.5),
    "full_domain": om.Generalization(suppression_limit=0.3),
    "local": om.Generalization(search="local"),
    "best_first": om.Generalization(search="best_first", budget=500),
}
STYLES: dict[str, list[str | None]] = {
    "codes": ["J10", "J11", "E10.1", "E10.2"],
    "dotless": ["J10", "J11", "E101", "E102"],
    "labels": ["flu", "cold", "diabetes", "Respiratory"],
    "mapped": ["grippe", "J11", "E10.1", "cold"],
    "missing": ["J10", None, "E10.1", "J11"],
}


def records(style: str, n: int = 60) -> pl.DataFrame:
    rng = random.Random(3)
    values = STYLES[style]
    return pl.DataFrame(
        {
            "age": [rng.choice([-1.5, 0.0, 20.25, 41.0]) for _ in range(n)],
            "ill": [rng.choice(values) for _ in range(n)],
            "stage": [rng.choice(["I", "II", "III"]) for _ in range(n)],
            "later": [rng.choice(values) for _ in range(n)],
            "pay": [rng.randint(1, 5) for _ in range(n)],
            "note": [rng.choice("ab") for _ in range(n)],
        }
    )


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("method", METHODS)
def test_every_release_passes(tmp_path: Path, method: str, style: str) -> None:
    chosen = METHODS[method]
    attributes = ATTRIBUTES
    if style in ("missing", "mapped"):
        given = {"missing": "category", "mapping": {"grippe": "J10"}}
        attributes = ATTRIBUTES | {
            "ill": om.Nominal(DISEASES, **given),
            "later": om.Nominal(DISEASES, "sensitive", **given),
        }
    require = [om.KAnonymity(3)] if method in ("full_domain", "local", "best_first") else [om.KAnonymity(1)]
    made = policy(attributes=attributes, method=chosen, require=require)
    result = om.anonymize(records(style), made)
    found = om.verify(result.data, made)
    assert all(finding.holds for finding in found), found
    for suffix in ("csv", "parquet", "xlsx"):
        found = om.verify(result.write(tmp_path / f"r.{suffix}"), made)
        assert all(finding.holds for finding in found), (suffix, found)


@pytest.mark.parametrize("k", [2, 60])
@pytest.mark.parametrize("model", [om.KAnonymity, om.ProbabilisticKAnonymity])
@pytest.mark.parametrize("method", [om.Microaggregation(k=2), om.Shuffling(), om.RankSwapping(k=3)])
def test_satisfied_and_holds_are_one_truth(method: Any, model: Any, k: int) -> None:
    made = policy(method=method, require=[model(k)])
    result = om.anonymize(records("codes"), made, allow_unsatisfied=True)
    assert result.satisfied == result.verification.holds == bool(result.verification)
    assert result.satisfied == (not result.verification.failed)
    nothing = om.anonymize(records("codes"), made.changed(method=om.Shuffling(), require=[]))
    assert nothing.satisfied == nothing.verification.holds
    assert nothing.verification.verdict == "nothing was promised"


# ---- the folder of a result --------------------------------------------------------------------------------------


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    made = policy(method=om.Microaggregation(k=3), require=[om.KAnonymity(3)])
    return om.anonymize(records("codes"), made).save(tmp_path / "out")


def test_a_saved_result_holds(saved: Path) -> None:
    found = om.verify_result(saved)
    assert (found.holds, found.verdict) == (True, "holds")
    assert "files, each as it was saved" in found.findings[0].text
    assert str(found.notes[0]) == "verified: release/release.csv against confidential/policy.yaml"
    assert om.verify_result(str(saved / "release")).holds, "its part names it, too"


def test_missing_changed_and_added_files_are_named(saved: Path) -> None:
    (saved / "confidential" / "notes.txt").unlink()
    (saved / "release" / "guarantees.txt").write_text("all is well")
    (saved / "release" / "names.csv").write_text("Ann")
    found = om.verify_result(saved)
    assert found.verdict == "fails"
    assert found.findings[0].violations.rows() == [
        ("confidential/notes.txt", "missing"),
        ("release/guarantees.txt", "changed"),
        ("release/names.csv", "added"),
    ]
    assert "missing: confidential/notes.txt; changed: release/guarantees.txt; added: release/names.csv" in str(found)


def test_a_changed_release_fails_twice(saved: Path) -> None:
    file = saved / "release" / "release.csv"
    lines = file.read_text().splitlines()
    file.write_text("\n".join([lines[0], lines[1].replace(lines[1].split(",")[0], "99.5"), *lines[2:]]) + "\n")
    found = om.verify_result(saved)
    assert [finding.holds for finding in found][:2] == [False, False]
    file.unlink()
    gone = om.verify_result(saved)
    assert gone.verdict == "fails"
    assert list(map(str, gone.notes)) == ["not verified: release/release.csv is missing"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_links_and_pipes_are_seen(saved: Path, tmp_path: Path) -> None:
    (tmp_path / "original").mkdir()
    (saved / "release" / "more").symlink_to(tmp_path / "original")
    (saved / "release" / "gone.csv").symlink_to(tmp_path / "nowhere")
    os.mkfifo(saved / "release" / "pipe")
    (saved / "release" / "guarantees.txt").rename(tmp_path / "guarantees.txt")
    (saved / "release" / "guarantees.txt").symlink_to(tmp_path / "guarantees.txt")
    assert om.verify_result(saved).findings[0].violations.rows() == [
        ("release/guarantees.txt", "a link"),
        ("release/gone.csv", "added"),
        ("release/more", "added"),
        ("release/pipe", "added"),
    ]


def test_a_manifest_that_does_not_speak_of_the_release(saved: Path) -> None:
    manifest = saved / "confidential" / "manifest.json"
    content = json.loads(manifest.read_text())
    content["files"]["release/release.csv"] = None
    manifest.write_text(json.dumps(content))
    found = om.verify_result(saved).findings[0]
    assert found.violations.rows() == [("release/release.csv", "without a hash")]
    for name in ("../release.csv", "confidential/mapping.csv", "release/other.csv"):
        manifest.write_text(json.dumps(content | {"release": name}))
        with pytest.raises(errors.DataError, match="not one of the released files that it lists"):
            om.verify_result(saved)


def test_a_release_that_was_handed_on_alone(saved: Path) -> None:
    made = om.Policy.load(saved / "confidential" / "policy.yaml")
    shutil.rmtree(saved / "confidential")
    found = om.verify_result(saved)
    assert found.verdict == "not everything could be checked"
    assert [finding.checked for finding in found] == [False, False]
    with_policy = om.verify_result(saved, policy(method=made.method, require=made.require))
    assert with_policy.verdict == "not everything could be checked"
    assert all(finding.holds for finding in with_policy.findings[1:])
    assert om.verify_result(saved / "release", policy(method=made.method)).findings[1].holds


def test_no_result(tmp_path: Path, saved: Path) -> None:
    with pytest.raises(errors.DataError, match="no such folder"):
        om.verify_result(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(errors.DataError, match="expected one released table"):
        om.verify_result(tmp_path / "empty")
    for content in (json.dumps({"files": {}}), "[" * 100_000):
        (saved / "confidential" / "manifest.json").write_text(content)
        with pytest.raises(errors.DataError, match="not a manifest of ontomask"):
            om.verify_result(saved)
