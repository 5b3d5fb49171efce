"""Imputation on tables that regressions do not like: it draws something that can be, or ends in one clear message."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import polars as pl
import pytest

import ontomask as om
from ontomask import errors

MODELS = ("normal", "linear", "pmm")
TREE = om.Taxonomy.from_edges([("a", "ab"), ("b", "ab"), ("ab", "all"), ("c", "all")], name="tree")


def drawn(
    frame: pl.DataFrame, attributes: dict[str, Any], model: str = "normal", seed: int = 1, **more: Any
) -> om.Result:
    return om.anonymize(frame, om.Policy(attributes=attributes, method=om.Imputation(model=model, **more)), seed=seed)


def hidden(attribute: Any, missing: str | None = None) -> Any:
    return attribute.changed(role="sensitive", missing=missing)


def hostile() -> dict[str, tuple[pl.DataFrame, dict[str, Any]]]:
    rng = np.random.default_rng(2)
    n = 60
    x = rng.normal(0, 1, n)
    number, secret = om.Numeric(), hidden(om.Numeric())
    many = {f"q{i}": rng.normal(0, 1, 12) for i in range(40)}
    holes = [None if i % 2 else float(i) for i in range(n)]
    return {
        "copies": (
            pl.DataFrame({"a": x, "b": x, "c": -3 * x, "y": x}),
            {"a": number, "b": number, "c": number, "y": secret},
        ),
        "constants": (pl.DataFrame({"a": [5] * n, "b": x, "y": [7.5] * n}), {"a": number, "b": number, "y": secret}),
        "one category": (
            pl.DataFrame({"a": ["u"] * n, "y": ["v"] * n, "z": x}),
            {"a": om.Flat(), "y": hidden(om.Flat()), "z": secret},
        ),
        "more columns than records": (
            pl.DataFrame({**many, "y": rng.normal(0, 1, 12)}),
            {**dict.fromkeys(many, number), "y": secret},
        ),
        "three records": (pl.DataFrame({"a": [1, 2, 3], "y": [4.0, 5.0, 6.0]}), {"a": number, "y": secret}),
        "no predictors": (pl.DataFrame({"y": x, "z": x**2}), {"y": secret, "z": secret}),
        "holes": (
            pl.DataFrame(
                {"a": holes, "y": holes[::-1], "w": [None] * (n - 1) + [1.0]}, schema_overrides={"w": pl.Float64}
            ),
            {
                "a": om.Numeric(missing="category"),
                "y": hidden(om.Numeric(), "category"),
                "w": hidden(om.Numeric(), "category"),
            },
        ),
        "nothing but holes": (
            pl.DataFrame({"a": x, "y": pl.Series([None] * n, dtype=pl.Float64)}),
            {"a": number, "y": hidden(om.Numeric(), "category")},
        ),
        "huge and tiny": (
            pl.DataFrame({"a": x * 1e149, "y": x * 1e-140, "z": 1e149 * rng.normal(0, 1, n)}),
            {"a": number, "y": secret, "z": secret},
        ),
        "an outlier": (
            pl.DataFrame({"a": [*x[:-1], 1e9], "y": [*x[:-1], -1e12]}),
            {"a": number, "y": secret},
        ),
        "all different texts": (
            pl.DataFrame({"a": [f"t{i}" for i in range(n)], "y": [f"s{i}" for i in range(n)]}),
            {"a": om.Flat(), "y": hidden(om.Flat())},
        ),
        "concepts": (
            pl.DataFrame({"a": ["a", "A", "b", "c"] * 15, "y": ["c", "B", "b", "a"] * 15}),
            {"a": om.Nominal(taxonomy=TREE), "y": hidden(om.Nominal(taxonomy=TREE))},
        ),
        "days and truths": (
            pl.DataFrame({"a": [i % 2 == 0 for i in range(n)], "y": pl.Series(range(n), dtype=pl.Int32).cast(pl.Date)}),
            {"a": om.Flat(), "y": hidden(om.Ordinal())},
        ),
    }


CASES = hostile()


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", CASES)
def test_hostile_tables(name: str, model: str) -> None:
    frame, attributes = CASES[name]
    result = drawn(frame, attributes, model, m=2)
    masked = result.policy.masked
    for release in result.releases:
        assert release.schema == frame.schema
        assert release.drop(masked).equals(frame.drop(masked)), "what is not masked is as it was written"
        for column in masked:
            known, shown = frame[column].drop_nulls(), release[column].drop_nulls()
            assert frame[column].null_count() or not release[column].null_count()
            if model == "linear" and known.dtype.is_float() and len(known):
                assert shown.is_finite().all()
                assert shown.is_between(known.min(), known.max()).all()
            else:
                assert set(shown.to_list()) <= set(known.to_list()) | {"b", "B"}
    assert drawn(frame, attributes, model, m=2).data.equals(result.data)
    assert result.assessment.several is not None


def test_notes_say_what_is_left_out_and_what_stays() -> None:
    notes = " ".join(map(str, drawn(*CASES["constants"]).notes))
    assert "y: all records have the same value: imputation changes nothing" in notes
    assert any("y: no other column predicts it" in note for note in map(str, drawn(*CASES["no predictors"]).notes))
    told = drawn(*CASES["more columns than records"])
    assert any("too few records (10 to a coefficient)" in note and "..." in note for note in map(str, told.notes))
    assert told.diagnostics is not None
    assert told.diagnostics.table["predictors"].to_list() == [0]
    copies = drawn(*CASES["copies"])
    assert any(
        "y: predictors determined by other columns are not used: b, c" in note for note in map(str, copies.notes)
    )
    assert any(
        text.startswith("y is almost determined by columns that are not masked") for text in map(str, copies.guarantees)
    )
    outlier = drawn(*CASES["an outlier"], model="linear")
    assert any("follows single records" in text for text in map(str, outlier.guarantees))
    assert not any("follows single records" in text for text in map(str, drawn(*CASES["an outlier"]).guarantees))


@pytest.mark.parametrize("model", MODELS)
def test_what_masked_columns_determine_is_not_close_to_the_original(model: str) -> None:
    """A copy of a masked column follows what is drawn of it: no warning, and no closeness."""
    rng = np.random.default_rng(9)
    y = rng.normal(0, 1, 300)
    frame = pl.DataFrame({"a": rng.normal(0, 1, 300), "y": y, "z": 2 * y})
    attributes = {"a": om.Numeric(), "y": hidden(om.Numeric()), "z": hidden(om.Numeric())}
    result = drawn(frame, attributes, model)
    assert not [text for text in map(str, result.guarantees) if "almost determined" in text]
    shown = result.data
    assert np.corrcoef(shown["y"], shown["z"])[0, 1] > 0.99
    assert abs(np.corrcoef(frame["z"], shown["z"])[0, 1]) < 0.3
    plain = drawn(frame, {**attributes, "y": om.Numeric()}, model)
    assert [text for text in map(str, plain.guarantees) if text.startswith("z is almost determined")]
    assert np.corrcoef(frame["z"], plain.data["z"])[0, 1] > 0.99


@pytest.mark.parametrize("model", MODELS)
def test_few_records_are_not_handed_out_again(model: str) -> None:
    """As many predictors as records would fit every record's own value: at most one in ten is used."""
    frame, attributes = CASES["more columns than records"]
    same = [(drawn(frame, attributes, model, seed=s).data["y"] - frame["y"]).abs().to_numpy() < 1e-6 for s in range(40)]
    assert np.mean(same) < 0.2


@pytest.mark.parametrize("n", [1, 2])
def test_too_few_records(n: int) -> None:
    frame = pl.DataFrame({"a": range(n), "y": range(n)})
    attributes = {"a": om.Numeric(), "y": hidden(om.Numeric())}
    policy: om.Policy = om.Policy(attributes=attributes, method=om.Imputation())
    for work in (om.anonymize, om.check):
        with pytest.raises(
            errors.DataError, match=rf"{n} records? to impute from\. Regressions need at least three records"
        ):
            work(frame, policy)


def test_no_record_is_its_own_donor() -> None:
    """All values differ: a record that shows its own value was its own donor."""
    rng = np.random.default_rng(3)
    frame = pl.DataFrame({"a": rng.normal(0, 1, 50), "y": rng.normal(0, 1, 50)})
    attributes = {"a": om.Numeric(), "y": hidden(om.Numeric())}
    for seed, donors in itertools.product(range(10), (1, 2, 5, 49, 1000)):
        shown = drawn(frame, attributes, "pmm", seed, donors=donors).data
        assert not (shown["y"] == frame["y"]).any()


def test_columns_may_be_named() -> None:
    """Quasi-identifiers and other columns, too; what is not named stays, and predicts."""
    rng = np.random.default_rng(4)
    n = 400
    age = rng.integers(20, 80, n)
    frame = pl.DataFrame(
        {"age": age, "pay": age * 10.0 + rng.normal(0, 20, n).round(1), "note": age % 7, "town": age % 3}
    )
    attributes = {
        "age": om.Numeric(),
        "pay": om.Numeric(role="sensitive"),
        "note": om.Numeric(role="other"),
        "town": om.Flat(),
    }
    result = drawn(frame, attributes, columns=["age", "note"])
    assert result.data.drop("age", "note").equals(frame.drop("age", "note"))
    assert not result.data["age"].equals(frame["age"])
    assert np.corrcoef(result.data["age"], result.data["pay"])[0, 1] > 0.95
    assert any("Columns that are not named are not masked" in text for text in map(str, result.guarantees))
    assert any(text.startswith("The columns age, note were drawn") for text in map(str, result.guarantees))
    assert not result.policy.recognizable


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"m": 0}, "at least 1"),
        ({"m": 101}, "at most 100 releases"),
        ({"m": 2.5}, "whole number"),
        ({"model": "mean"}, "normal"),
        ({"donors": 3}, "donors are of model: pmm"),
        ({"model": "pmm", "donors": 0}, "at least 1"),
        ({"model": "pmm", "bounded": False}, "bounded is of model: linear"),
        ({"columns": []}, "is empty"),
    ],
)
def test_settings_that_do_not_fit(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(errors.PolicyError, match=message):
        om.Imputation(**settings)


def test_policies_keep_the_settings(tmp_path: Any) -> None:
    method: om.Imputation = om.Imputation(m=4, model="pmm", donors=8, columns=["y"])
    policy: om.Policy = om.Policy(attributes={"a": om.Numeric(), "y": hidden(om.Numeric())}, method=method)
    assert om.Policy.load(policy.save(tmp_path / "policy.yaml")) == policy


def test_candidates_to_compare() -> None:
    from ontomask.comparison.grid import variations

    attributes = {"a": om.Numeric(), "y": hidden(om.Numeric())}
    policy: om.Policy = om.Policy(attributes=attributes, method=om.Imputation(model="pmm", donors=3, m=2))
    made = variations(policy)
    assert list(made) == ["imputation, model=normal", "imputation, model=linear", "imputation, model=pmm"]
    assert made["imputation, model=pmm"] == policy
    assert all(one.method is not None and one.method.releases == 2 for one in made.values())
    assert list(om.grid(policy, ["imputation", om.Shuffling()], k=[2, 3])) == ["imputation", "shuffling"]


def test_closeness_needs_values_of_the_original() -> None:
    """Numbers drawn from a line are new: what to do is said."""
    rng = np.random.default_rng(5)
    frame = pl.DataFrame({"a": rng.integers(0, 2, 80), "y": rng.normal(0, 1, 80)})
    attributes = {"a": om.Numeric(), "y": hidden(om.Numeric())}
    near = om.TCloseness(t=0.9, attribute="y")
    for model in ("normal", "pmm"):
        policy: om.Policy = om.Policy(attributes=attributes, method=om.Imputation(model=model), require=[near])
        assert om.anonymize(frame, policy, seed=1).satisfied
    policy = om.Policy(attributes=attributes, method=om.Imputation(model="linear"), require=[near])
    with pytest.raises(errors.DataError, match=r"the original does not have.*imputation: model normal or pmm"):
        om.anonymize(frame, policy, seed=1)
