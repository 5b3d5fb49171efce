"""Noise addition and PRAM: settings, hostile tables, chosen columns, what is said and saved, and the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import ontomask as om
from ontomask import errors
from ontomask.comparison.grid import variations
from ontomask.masking.pram import Transitions

TREE = om.Taxonomy.from_edges(
    [
        *[
            ("flu", "infection"),
            ("measles", "infection"),
            ("angina", "heart"),
            ("infarct", "heart"),
            ("burn", "injury"),
        ],
        *[("infection", "disease"), ("heart", "disease"), ("injury", "disease")],
    ],
    name="diseases",
)
ATTRIBUTES: dict[str, Any] = {
    "ill": om.Nominal(taxonomy=TREE),
    "grade": om.Ordinal(order=["I", "II", "III", "IV"]),
    "town": om.Flat(),
    "age": om.Numeric(),
    "cost": om.Numeric(role="sensitive"),
    "job": om.Flat(role="other"),
}
METHODS: dict[str, Any] = {
    "noise": om.NoiseAddition(share=0.5),
    "correlated": om.NoiseAddition(share=0.5, correlated=True),
    "score": om.NoiseAddition(share=0.5, nearest="score"),
    "pram": om.PRAM(keep=0.5),
    "all": om.PRAM(keep=0.0, reach=0.01),
}


def table(n: int = 120, seed: int = 1) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "ill": rng.choice(["flu", "measles", "angina", "infarct", "burn"], n),
            "grade": rng.choice(["I", "II", "III", "IV"], n),
            "town": rng.choice(["Ulm", "Bonn", "Kiel"], n),
            "age": rng.integers(18, 90, n),
            "cost": rng.exponential(1000, n).round(2),
            "job": rng.choice(["cook", "nurse"], n),
        }
    )


def policy(method: Any, attributes: dict[str, Any] | None = None, **settings: Any) -> om.Policy:
    made: om.Policy = om.Policy(attributes=attributes or ATTRIBUTES, method=method, **settings)
    return made


# ---- settings --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda: om.NoiseAddition(share=0), "share: 0"),
        (lambda: om.NoiseAddition(share=-1), "greater than 0"),
        (lambda: om.NoiseAddition(share=101), "less than or equal to 100"),
        (lambda: om.NoiseAddition(share=float("nan")), "is not finite"),
        (lambda: om.NoiseAddition(share="10%"), "is not a number"),
        (lambda: om.NoiseAddition(nearest="closest"), "is not one of meaning, score"),
        (lambda: om.NoiseAddition(limits="clipped"), "is not one of kept, free"),
        (lambda: om.NoiseAddition(columns=[]), "columns is empty"),
        (lambda: om.NoiseAddition(k=5), "unknown key"),
        (lambda: om.PRAM(keep=1), "less than 1"),
        (lambda: om.PRAM(keep=-0.1), "greater than or equal to 0"),
        (lambda: om.PRAM(reach=0), "greater than or equal to 0.01"),
        (lambda: om.PRAM(reach=True), "is not a number"),
        (lambda: om.PRAM(measure="nonsense"), "nonsense"),
        (lambda: policy(om.PRAM(columns=["ilness"])), "not one of the attributes"),
    ],
)
def test_settings_that_cannot_be(make: Any, expected: str) -> None:
    with pytest.raises(errors.PolicyError, match=expected):
        make()


def test_a_policy_is_read_as_it_was_written(tmp_path: Path) -> None:
    for method in (
        om.NoiseAddition(share=0.3, correlated=True, rescale=False, limits="free", nearest="score", columns=["cost"]),
        om.PRAM(keep=0.6, reach=0.2, columns=["ill", "job"], measure="wu_palmer"),
    ):
        made = policy(method, ATTRIBUTES | {"ill": om.Nominal(taxonomy="icd9cm")})
        assert om.Policy.load(made.save(tmp_path / f"{method.name}.yaml")).method == method


def test_neither_promises_a_k() -> None:
    for method in METHODS.values():
        assert method.promised_k == 1
        assert method.draws
        assert not method.recognizable
        assert not policy(method).recognizable
        assert not policy(method).promises
        # What is masked are the sensitive costs alone: the quasi-identifiers are as they were.
        assert policy(method.changed(columns=["cost"])).recognizable
        result = om.anonymize(table(), policy(method), seed=3)
        assert any("not k-anonymous" in text for text in map(str, result.guarantees))
        assert any(text.startswith("Tried, not promised") for text in map(str, result.guarantees))


# ---- hostile tables --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", METHODS)
def test_columns_in_which_nothing_can_change(name: str) -> None:
    """One record; one value in each column: they come out as they went in, and the guarantees say so."""
    one = table(1)
    constant = pl.concat([one] * 7)
    for frame in (one, constant):
        result = om.anonymize(frame, policy(METHODS[name]))
        assert result.data.equals(frame)
        for column in ("ill", "grade", "town", "age"):
            assert f"{column}: no value was changed; the column is released as it was." in map(str, result.guarantees)
        assert result.diagnostics is not None
        assert result.diagnostics.table["changed"].to_list() == [0.0] * 4


@pytest.mark.parametrize("name", METHODS)
def test_numbers_that_are_all_equal_are_not_moved(name: str) -> None:
    frame = pl.DataFrame({"age": [0.1] * 3, "town": ["a", "b", "a"]})
    result = om.anonymize(frame, policy(METHODS[name], {"age": om.Numeric(decimals="exact"), "town": om.Flat()}))
    assert result.data["age"].to_list() == [0.1] * 3


@pytest.mark.parametrize("name", METHODS)
def test_missing_values_stay_missing(name: str) -> None:
    holes = table(200).with_columns(
        pl.when(pl.int_range(pl.len()) % 3 != 0).then(pl.col(c)).alias(c) for c in ("ill", "grade", "town", "age")
    )
    with pytest.raises(errors.DataError, match="missing values"):
        om.anonymize(holes, policy(METHODS[name]))
    allowed = {n: a if n == "job" else a.changed(missing="category") for n, a in ATTRIBUTES.items()}
    result = om.anonymize(holes, policy(METHODS[name], allowed), seed=1)
    for column in ("ill", "grade", "town", "age"):
        assert result.data[column].is_null().equals(holes[column].is_null())
        assert not result.data[column].equals(holes[column])
        assert f"{column}: missing values stay missing" in map(str, result.notes)
    gone = holes.with_columns(pl.lit(None).cast(holes.schema[c]).alias(c) for c in ("ill", "grade", "town", "age"))
    result = om.anonymize(gone, policy(METHODS[name], allowed))
    assert result.data.equals(gone)
    # One value and missing ones: there is nothing to become.
    two = gone.with_columns(ill=pl.Series(["flu"] * 100 + [None] * 100), age=pl.Series([44] * 100 + [None] * 100))
    assert om.anonymize(two, policy(METHODS[name], allowed)).data.equals(two)


@pytest.mark.parametrize("counts", [(1, 1), (50, 50), (99, 1), (1, 99), (60, 40)])
def test_two_categories(counts: tuple[int, int]) -> None:
    frame = pl.DataFrame({"town": ["a"] * counts[0] + ["b"] * counts[1]})
    result = om.anonymize(frame, policy(om.PRAM(keep=0.6), {"town": om.Flat()}), seed=1)
    matrix = result.details["transitions"]["probability"].to_numpy().reshape(2, 2)
    t = np.array(counts)
    np.testing.assert_allclose(t @ matrix, t, rtol=1e-9)
    # The rarer one is kept with 0.6; of the other as many are expected to change as come from the rarer one.
    np.testing.assert_allclose(t * (1 - np.diag(matrix)), [0.4 * t.min()] * 2, rtol=1e-6)
    if counts[0] != counts[1]:
        assert any(
            "some values were kept with a higher probability than 0.6, up to" in text
            for text in map(str, result.guarantees)
        )
        public = [text for text in map(str, result.public_guarantees) if "higher probability" in text]
        assert public == ["town: some values were kept with a higher probability than 0.6."]


def test_a_value_that_nearly_all_have() -> None:
    frame = pl.DataFrame({"ill": ["flu"] * 970 + ["measles"] * 10 + ["angina"] * 10 + ["burn"] * 10})
    result = om.anonymize(frame, policy(om.PRAM(keep=0.5), {"ill": om.Nominal(taxonomy=TREE)}), seed=1)
    listed = {row["value"]: row for row in result.details["categories"].iter_rows(named=True)}
    assert listed["flu"]["keep"] > 0.98
    assert all(listed[value]["keep"] == pytest.approx(0.5, abs=1e-6) for value in ("measles", "angina", "burn"))
    assert listed["flu"]["expected"] == 970


def test_hostile_numbers() -> None:
    """The largest that are allowed, the smallest differences, whole numbers near the limit of exactness."""
    columns = {
        "huge": [1e150, -1e150, 0.0, 5.0],
        "tiny": [1e-140, 2e-140, 5e-140, 0.0],
        "whole": [2**52, 2**52 + 1, 2**52 + 9, 7],
        "apart": [0.0, -0.0, 1e-300, 1.0],
    }
    frame = pl.DataFrame({name: values * 5 for name, values in columns.items()}, strict=False)
    attributes = {name: om.Numeric() for name in columns}
    for method in METHODS.values():
        with np.errstate(all="raise"):
            data = om.anonymize(frame, policy(method, attributes), seed=1).data
        for name in columns:
            assert data[name].is_finite().all()
            assert data[name].min() >= frame[name].min()
            assert data[name].max() <= frame[name].max()


def test_numbers_for_pram() -> None:
    """Few different numbers are categories on a line; many are an error that says what to do, before anything is masked."""
    rng = np.random.default_rng(3)
    ages = pl.DataFrame({"age": rng.integers(18, 90, 5000)})
    result = om.anonymize(ages, policy(om.PRAM(keep=0.2), {"age": om.Numeric()}), seed=1)
    assert set(result.data["age"]) <= set(ages["age"])
    assert result.data["age"].dtype == ages["age"].dtype
    off = (result.data["age"] - ages["age"]).abs()
    assert off.filter(off > 0).mean() < 12, "the range is 71 years, the reach a tenth of it"
    many = pl.DataFrame({"cost": rng.random(1001)})
    made = policy(om.PRAM(), {"cost": om.Numeric()})
    with pytest.raises(errors.DataError, match=r"'cost'.*1,001 different numbers.*noise_addition"):
        om.anonymize(many, made)
    with pytest.raises(errors.DataError, match="noise_addition"):
        om.check(many, made)
    both = many.with_columns(town=pl.lit("x"))
    chosen = policy(om.PRAM(columns=["town"]), {"cost": om.Numeric(), "town": om.Flat()})
    assert om.anonymize(both, chosen).data.equals(both)


def test_five_thousand_categories() -> None:
    """Time and memory grow with the square of the categories, not with records times categories."""
    edges = [(f"l{i}", f"g{i // 10}") for i in range(5000)]
    edges += [(f"g{i}", f"h{i // 25}") for i in range(500)] + [(f"h{i}", "root") for i in range(20)]
    tree = om.Taxonomy.from_edges(edges)
    rng = np.random.default_rng(2)
    drawn = np.concatenate((np.arange(5000), rng.zipf(1.3, 55_000) % 5000))
    frame = pl.DataFrame({"q": [f"l{int(i)}" for i in drawn]})
    for method in (om.PRAM(), om.NoiseAddition()):
        result = om.anonymize(frame, policy(method, {"q": om.Nominal(taxonomy=tree)}), seed=1)
        assert set(result.data["q"]) <= set(frame["q"])
        assert 0.01 < (result.data["q"] != frame["q"]).mean() < 0.9
    assert "transitions" not in result.details


# ---- chosen columns --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", METHODS)
def test_columns_of_any_role(name: str) -> None:
    frame = table(300)
    numbers = ["age"] if isinstance(METHODS[name], om.PRAM) else ["age", "cost"]
    result = om.anonymize(frame, policy(METHODS[name].changed(columns=["job", *numbers])), seed=1)
    assert result.diagnostics is not None
    assert set(result.diagnostics.table["attribute"]) == {"job", *numbers}
    for column in frame.columns:
        assert result.data[column].equals(frame[column]) == (column not in ("job", *numbers)), column
    found = "The quasi-identifiers ill, grade, town are not masked: records can be found by them."
    assert found in map(str, result.guarantees)
    assert found in map(str, result.public_guarantees)
    assert not any("are not masked" in text for text in map(str, om.anonymize(frame, policy(METHODS[name])).guarantees))
    assert result.policy.masked == [c for c in frame.columns if c in ("job", *numbers)]


def test_a_column_that_is_only_looked_at_stays_as_it_is_written() -> None:
    """Once concepts written in several ways were written in one way, also in columns that were not masked."""
    frame = pl.DataFrame({"ill": ["flu", "FLU", "Flu", "burn", "flu"], "age": [1, 5, 9, 14, 3]})
    attributes = {"ill": om.Nominal(taxonomy=TREE), "age": om.Numeric()}
    for method in (om.NoiseAddition(columns=["age"]), om.PRAM(columns=["age"], keep=0.1)):
        assert om.anonymize(frame, policy(method, attributes)).data["ill"].equals(frame["ill"])


# ---- what is said and saved ------------------------------------------------------------------------------------------


def test_the_report_is_true() -> None:
    frame = table(2000)
    for name, method in METHODS.items():
        result = om.anonymize(frame, policy(method), seed=5)
        assert result.diagnostics is not None
        for row in result.diagnostics.table.iter_rows(named=True):
            before, after = frame[row["attribute"]], result.data[row["attribute"]]
            assert row["changed"] == pytest.approx((before != after).mean())
            if row["attribute"] == "age":
                off = (before - after).abs() / (before.max() - before.min())  # type: ignore[operator]
                assert row["distance_mean"] == pytest.approx(off.mean())
                assert row["distance_max"] == pytest.approx(off.max())
                if name in ("noise", "correlated", "score"):
                    assert row["mean_after"] == pytest.approx(after.mean())
                    assert row["deviation_before"] == pytest.approx(before.std(ddof=0))
                    assert row["deviation_after"] == pytest.approx(after.std(ddof=0))
            if row["attribute"] == "ill":
                pairs = pl.DataFrame({"b": before, "a": after})
                told = [om.distance(TREE, b, a) for b, a in pairs.iter_rows()]
                assert row["distance_mean"] == pytest.approx(np.mean(told))


def test_pram_lists_its_matrix(tmp_path: Path) -> None:
    frame = table(500)
    result = om.anonymize(frame, policy(om.PRAM(keep=0.7)), seed=2)
    folder = result.save(tmp_path / "result")
    listed = pl.read_csv(folder / "confidential" / "transitions.csv")
    assert listed.columns == ["attribute", "original", "released", "probability"]
    sums = listed.group_by("attribute", "original").agg(pl.col("probability").sum())
    assert sums["probability"].to_list() == pytest.approx([1.0] * len(sums))
    towns = pl.read_csv(folder / "confidential" / "categories.csv").filter(pl.col("attribute") == "town")
    for row in towns.iter_rows(named=True):
        assert row["expected"] == (frame["town"] == row["value"]).sum()
        assert row["released"] == (result.data["town"] == row["value"]).sum()
    assert not list((folder / "release").glob("*.csv.*"))
    assert {path.name for path in (folder / "release").iterdir()} == {"release.csv", "guarantees.txt"}
    assert om.verify_result(folder).holds
    made = result.policy.method.transitions(result.prepared.table)["town"]  # type: ignore[union-attr]
    assert isinstance(made, Transitions)
    assert made.matrix().ravel().tolist() == pytest.approx(
        listed.filter(pl.col("attribute") == "town")["probability"].to_list()
    )


def test_categories_written_as_formulas_are_escaped(tmp_path: Path) -> None:
    frame = pl.DataFrame({"town": ["=1+1", "Ulm"] * 20})
    result = om.anonymize(frame, policy(om.PRAM(), {"town": om.Flat()}))
    folder = result.save(tmp_path / "result", escape_formulas=True)
    assert "'=1+1" in (folder / "confidential" / "transitions.csv").read_text()


@pytest.mark.parametrize("name", METHODS)
def test_reports_for_readers(name: str) -> None:
    from ontomask.report.page import render

    result = om.anonymize(table(), policy(METHODS[name]))
    for edition in ("public", "internal"):
        page = render(result, edition)  # type: ignore[arg-type]
        assert METHODS[name].title in page
    assert "deviation_before" not in render(result, "public")
    assert ">None<" not in render(result, "internal"), "flat columns have no means"


def test_variations() -> None:
    shares = variations(policy(om.NoiseAddition(share=0.2)))
    assert list(shares) == [f"noise_addition, share={s}" for s in ("0.1", "0.2", "0.4", "0.8")]
    keeps = variations(policy(om.PRAM(keep=0.8)))
    assert list(keeps) == [f"pram, keep={k}" for k in ("0.9", "0.8", "0.7", "0.6")]
    assert list(variations(policy(om.PRAM(keep=0.2)))) == [f"pram, keep={k}" for k in ("0.6", "0.2", "0")]
    for made in (shares, keeps):
        assert sum(chosen == policy(chosen.method) for chosen in made.values()) == len(made)
    found = om.compare(table(), {**shares, **keeps}, workers=1, seed=1)
    losses = dict(zip(found.table["name"].to_list(), found.table["loss"].to_list(), strict=True))
    for made in (shares, keeps):
        ordered = [losses[name] for name in made]
        assert ordered == sorted(ordered), "more noise, more loss"


def command(*arguments: str, cwd: Path, code: int = 0) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "ontomask", *arguments], cwd=cwd, capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stderr
    return done.stdout + done.stderr


@pytest.mark.parametrize("method", ["noise_addition", "pram"])
def test_the_command_line(tmp_path: Path, method: str) -> None:
    om.demo_data(400, seed=1).select("age", "sex", "race").write_csv(tmp_path / "in.csv")
    command("init", "in.csv", "--method", method, cwd=tmp_path)
    assert om.Policy.load(tmp_path / "policy.yaml").method.name == method  # type: ignore[union-attr]
    command("check", "policy.yaml", "in.csv", cwd=tmp_path)
    command("run", "policy.yaml", "in.csv", "-o", "out", cwd=tmp_path)
    assert (tmp_path / "out" / "confidential" / "diagnostics.csv").exists()
    assert "nothing was promised" in command("verify", "out", cwd=tmp_path, code=3)
    made = json.loads(command("compare", "policy.yaml", "in.csv", "--json", cwd=tmp_path))
    assert method in json.dumps(made)


# ---- by meaning ------------------------------------------------------------------------------------------------------


def test_the_value_nearest_in_meaning_moves_less_far_than_the_nearest_score() -> None:
    """M13's warning, counted: the nearest score exchanges values that have nothing in common."""
    frame = om.demo_data(3000, seed=2).select("diagnosis")
    attributes = {"diagnosis": om.Nominal(taxonomy="icd9cm")}
    figures = {}
    for nearest in ("meaning", "score"):
        method = om.NoiseAddition(share=0.1, nearest=nearest)  # type: ignore[arg-type]
        measured = om.anonymize(frame, policy(method, attributes), seed=1).diagnostics
        assert measured is not None
        figures[nearest] = measured.table.row(0, named=True)
    far = {nearest: row["distance_mean"] / row["changed"] for nearest, row in figures.items()}
    assert far["meaning"] < 0.75 * far["score"]
