"""What findings say besides holding: missing values, the table of reference, what cannot be checked; definitions kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import ontomask as om
from ontomask import errors

PAIRED: dict[str, Any] = {
    "title": "ward 7",
    "institution": "i",
    "date": "2024-01-31",
    "columns": {"disease": {"kind": "flat"}, "treatment": {"kind": "flat"}, "stay": {"kind": "numeric"}},
    "sets": [
        {"name": "d", "small_class": "2.1.1", "where": {"disease": {"values": ["cancer", "042"]}}},
        {"name": "long", "small_class": "2.1.1", "where": {"stay": {"above": 60, "missing": True}}},
        {
            "name": "p",
            "small_class": "2.1.2",
            "where": [{"disease": {"values": ["cancer"]}, "treatment": {"values": ["none", "no"]}}],
        },
    ],
}


# ---- missing sensitive values ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", ["distinct", "entropy", "recursive"])
def test_missing_values_are_no_diversity(variant: Any) -> None:
    c = 4.0 if variant == "recursive" else None
    frame = pl.DataFrame({"q": list("aaaabbb"), "s": ["x", "x", "y", "y", "x", None, "y"]})
    ignoring = om.LDiversity(l=2, attribute="s", variant=variant, c=c)
    found = ignoring.check(frame, ["q"])
    assert found.holds
    assert "1 missing value: not counted" in found.text
    gap = pl.DataFrame({"q": list("aabb"), "s": ["x", None, "x", "y"]})
    assert not ignoring.check(gap, ["q"]).holds
    assert om.LDiversity(l=2, attribute="s", variant=variant, c=c, missing="value").check(gap, ["q"]).holds


def test_a_class_of_nothing_but_missing_values_has_no_diversity() -> None:
    frame = pl.DataFrame({"q": list("aabbcc"), "s": ["x", "y", None, None, "y", "x"]})
    found = om.LDiversity(l=1, attribute="s").check(frame, ["q"])
    assert not found.holds
    assert found.worst == 0
    assert found.violations["q"].to_list() == ["b"]


def test_generalization_aims_at_known_values() -> None:
    frame = pl.DataFrame({"q": [1, 1, 2, 2], "s": ["x", None, "y", "x"]})
    attributes: dict[str, Any] = {"q": om.Numeric(), "s": om.Flat(role="sensitive")}
    for missing, classes in (("ignored", 1), ("value", 2)):
        model = om.LDiversity(l=2, attribute="s", missing=missing)  # type: ignore[arg-type]
        policy = om.Policy(attributes=attributes, method=om.Generalization(), require=[model])
        assert om.anonymize(frame, policy).data["q"].n_unique() == classes


def test_l_beyond_the_known_values_can_never_hold() -> None:
    frame = pl.DataFrame({"q": [1, 1, 2, 2], "s": ["x", None, "y", "x"]})
    attributes: dict[str, Any] = {"q": om.Numeric(), "s": om.Flat(role="sensitive")}
    policy = om.Policy(attributes=attributes, method=om.Generalization(), require=[om.LDiversity(l=3, attribute="s")])
    with pytest.raises(errors.DataError, match="has 2 different values besides missing ones"):
        om.anonymize(frame, policy)


# ---- spellings, and values that are part of others -------------------------------------------------------------------


@pytest.mark.parametrize(
    "texts",
    [
        ["HIV", "HIV "],
        ["HIV", "hiv"],
        ["HIV", "H\u200bIV\u00a0"],
        ["M\u00e9ni\u00e8re", "Me\u0301nie\u0300re"],
        ["flu", "NA"],
        ["flu", "unknown"],
        ["flu", ""],
        ["flu", "k. A."],
        ["1", "1.0"],
        ["01", "1"],
    ],
)
@pytest.mark.parametrize("kind", [pl.String, pl.Categorical, pl.Enum])
def test_a_class_of_one_value_written_twice_is_not_diverse(texts: list[str], kind: Any) -> None:
    dtype = pl.Enum(list(dict.fromkeys(texts))) if kind is pl.Enum else kind
    frame = pl.DataFrame({"q": ["a", "a"], "s": pl.Series(texts, dtype=dtype)})
    found = om.LDiversity(l=2, attribute="s").check(frame, ["q"])
    assert not found.holds
    assert found.worst == 1


@pytest.mark.parametrize("texts", [["none", "flu"], ["no", "yes"], ["0", "1"], ["Rh+", "Rh-"], ["1,000", "1"]])
def test_values_that_say_something_stay_values(texts: list[str]) -> None:
    frame = pl.DataFrame({"q": ["a", "a"], "s": texts})
    assert om.LDiversity(l=2, attribute="s").check(frame, ["q"]).holds


def test_what_was_folded_is_said_in_numbers() -> None:
    frame = pl.DataFrame({"q": list("aaaaaa"), "s": ["HIV", "hiv ", "Hiv", "flu", "NA", None]})
    text = om.LDiversity(l=2, attribute="s").check(frame, ["q"]).text
    assert "2 missing values, 1 of them written as text: not counted; s: 3 spellings taken as 1 value" in text
    assert "HIV" not in text
    assert "s: 3 spellings taken as 1 value" in om.TCloseness(t=1, attribute="s").check(frame, ["q"]).text


def test_texts_that_say_nothing_count_once_where_a_gap_is_a_value() -> None:
    frame = pl.DataFrame({"q": ["a", "a", "b", "b"], "s": ["NA", "", "NA", "x"]})
    found = om.LDiversity(l=2, attribute="s", missing="value").check(frame, ["q"])
    assert found.violations["q"].to_list() == ["a"]


def test_a_parent_beside_its_child_is_no_diversity() -> None:
    attributes: dict[str, Any] = {"q": om.Flat(), "d": om.Nominal(taxonomy="icd9cm", role="sensitive")}
    frame = pl.DataFrame({"q": ["a", "a", "b", "b"], "d": ["250", "250.00", "250.00", "042"]})
    for variant, c in (("distinct", None), ("entropy", None), ("recursive", 2.0)):
        found = om.LDiversity(l=2, attribute="d", variant=variant, c=c).check(frame, ["q"], attributes)  # type: ignore[arg-type]
        assert found.violations["q"].to_list() == ["a"], variant


def test_masking_aims_at_the_same_definition() -> None:
    """Every method that aims at a model still finds a release, whatever the spelling."""
    frame = pl.DataFrame({"q": [1, 1, 2, 2, 8, 8, 9, 9], "s": ["x", "X ", "y", "x", "NA", "y", "x", "y"]})
    attributes: dict[str, Any] = {"q": om.Numeric(), "s": om.Flat(role="sensitive")}
    require = [om.LDiversity(l=2, attribute="s")]
    for method in (om.Generalization(), om.Generalization(search="local"), om.Microaggregation(k=2)):
        result = om.anonymize(frame, om.Policy(attributes=attributes, method=method, require=require))
        assert result.satisfied
        assert result.data["q"].n_unique() < 4


def test_l_beyond_the_values_that_differ_can_never_hold() -> None:
    frame = pl.DataFrame({"q": [1, 2, 3], "d": ["250", "250.00", "250.01"]})
    attributes: dict[str, Any] = {"q": om.Numeric(), "d": om.Nominal(taxonomy="icd9cm", role="sensitive")}
    policy = om.Policy(attributes=attributes, method=om.Generalization(), require=[om.LDiversity(l=3, attribute="d")])
    with pytest.raises(errors.DataError, match="has 2 different values, none of them part of another"):
        om.anonymize(frame, policy)


def test_values_must_be_far_enough_apart() -> None:
    frame = pl.DataFrame({"q": ["a", "a", "b", "b"], "pay": [1000, 1010, 1000, 5000]})
    model = om.LDiversity(l=2, attribute="pay", min_distance=100)
    found = model.check(frame, ["q"])
    assert found.violations["q"].to_list() == ["a"]
    assert "distinct 2-diversity of pay (values at least 100 apart)" in found.text
    attributes: dict[str, Any] = {"q": om.Flat(), "d": om.Nominal(taxonomy="icd9cm", role="sensitive")}
    codes = pl.DataFrame({"q": ["a", "a", "b", "b"], "d": ["250.00", "250.01", "250.00", "042"]})
    near = om.LDiversity(l=2, attribute="d", min_distance=0.5)
    assert near.check(codes, ["q"], attributes).violations["q"].to_list() == ["a"]
    policy = om.Policy(attributes={**attributes, "q": om.Flat()}, method=om.Generalization(), require=[near])
    assert om.anonymize(codes, policy).data["q"].n_unique() == 1


def test_a_distance_that_has_no_meaning_is_refused() -> None:
    with pytest.raises(errors.PolicyError, match="min_distance needs variant='distinct'"):
        om.LDiversity(l=2, attribute="s", variant="entropy", min_distance=1)
    with pytest.raises(errors.PolicyError, match="missing value is at no distance"):
        om.LDiversity(l=2, attribute="s", missing="value", min_distance=1)
    frame = pl.DataFrame({"q": [1, 1], "s": ["x", "y"]})
    with pytest.raises(errors.DataError, match="min_distance needs values on a line, such as numbers, or a taxonomy"):
        om.LDiversity(l=2, attribute="s", min_distance=1).check(frame, ["q"])


def test_a_search_that_gives_up_claims_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """It then counts the values it has found, and does not say that none can be found."""
    from ontomask.privacy import apart

    monkeypatch.setattr(apart, "MOST_TRIES", 2)
    attributes: dict[str, Any] = {"q": om.Numeric(), "d": om.Nominal(taxonomy="icd9cm", role="sensitive")}
    codes = pl.DataFrame({"q": [1, 1, 2, 2], "d": ["250.00", "042", "162.9", "487.1"]})
    model = om.LDiversity(l=4, attribute="d", min_distance=0.1)
    assert not model.check(codes, ["q"], attributes).holds
    with pytest.raises(errors.DataError) as refused:
        om.anonymize(codes, om.Policy(attributes=attributes, method=om.Generalization(), require=[model]))
    assert "cannot hold" not in str(refused.value)


@pytest.mark.parametrize(
    "texts",
    [
        ["HIV", "HIV\U000e0101", "HIV\u180b"],  # selectors of variants, drawn as nothing
        ["-1", "\u22121", "\u20131.0"],
        ["HIV", "-nan", "-NaN"],  # what pandas reads as missing by its defaults
        ["HIV", "-1.#IND", "1.#QNAN"],
    ],
)
def test_one_value_in_disguise_is_no_diversity(texts: list[str]) -> None:
    frame = pl.DataFrame({"q": ["a"] * len(texts), "s": texts})
    assert om.LDiversity(l=2, attribute="s").check(frame, ["q"]).worst == 1


def test_spellings_of_quasi_identifiers_are_noted() -> None:
    frame = pl.DataFrame({"q": ["Paris", "paris ", "Rome", "Rome"], "w": ["a", "b", "c", "c"]})
    policy = om.Policy(attributes={"q": om.Flat(), "w": om.Flat()}, method=om.Microaggregation(k=2))
    notes = [note for note in map(str, om.anonymize(frame, policy).notes) if "spellings" in note]
    assert len(notes) == 1
    assert notes[0].startswith("q: 2 spellings differ from another only in case, blanks or Unicode form")
    assert "Paris" not in notes[0]


def test_severity_of_other_spellings() -> None:
    severity = om.Severity(PAIRED)
    attributes: dict[str, Any] = {"q": om.Flat(), "disease": om.Flat(role="sensitive")}
    frame = pl.DataFrame({"q": ["a", "a"], "disease": ["cancer", "Cancer "]})
    model = om.SeverityDiversity(l=2, severity=severity, middle_class=1)
    assert not model.check(frame, ["q"], attributes).holds
    known = model.check(frame.with_columns(disease=pl.Series(["cancer", "unknown"])), ["q"], attributes)
    assert "1 missing value, 1 of them written as text, of severity 0" in known.text


def test_releases_that_aim_at_sensitive_values_say_what_minimality_gives_away() -> None:
    frame = pl.DataFrame({"q": [1, 1, 2, 2], "s": ["x", "x", "y", "x"]})
    attributes: dict[str, Any] = {"q": om.Numeric(), "s": om.Flat(role="sensitive")}
    diverse, k = om.LDiversity(l=2, attribute="s"), om.KAnonymity(k=2)

    def said(method: Any, require: list[Any]) -> list[str]:
        policy = om.Policy(attributes=attributes, method=method, require=require)
        return [text for text in map(str, om.anonymize(frame, policy).public_guarantees) if "minimality" in text]

    for method in (om.Generalization(), om.Generalization(search="local"), om.Microaggregation(k=2)):
        assert len(said(method, [diverse, k])) == 1
        assert "distinct 2-diversity of s" in said(method, [diverse, k])[0]
        assert not said(method, [k])


# ---- the table of reference ------------------------------------------------------------------------------------------


def test_closeness_says_what_it_was_measured_from(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "q": ["A"] * 10 + ["B"] * 90 + [f"C{i}" for i in range(100)],
            "d": ["flu"] * 10 + ["flu", "aids"] * 45 + ["flu"] * 100,
        }
    )
    policy = om.Policy(
        attributes={"q": om.Flat(), "d": om.Flat(role="sensitive")},
        method=om.Suppression(k=5),
        require=[om.TCloseness(t=0.3, attribute="d")],
    )
    result = om.anonymize(frame, policy)
    assert any("at 0.275 (from the original table)" in text for text in map(str, result.guarantees))
    file = result.save(tmp_path / "out") / "release" / "release.csv"
    alone, beside = om.verify(file, policy), om.verify(file, policy, original=frame)
    assert not alone.holds
    assert "at 0.45 (from the table itself)" in str(alone)
    assert beside.holds
    assert "from the original table" in str(beside)


def test_the_original_without_its_columns() -> None:
    policy = om.Policy(
        attributes={"q": om.Flat(), "d": om.Flat(role="sensitive")}, require=[om.TCloseness(t=0.3, attribute="d")]
    )
    frame = pl.DataFrame({"q": ["a", "a"], "d": ["x", "y"]})
    with pytest.raises(errors.DataError, match="'d'"):
        om.verify(frame, policy, original=frame.drop("d"))


# ---- what cannot be checked ------------------------------------------------------------------------------------------


def test_what_a_table_cannot_show_is_reported_and_the_rest_checked() -> None:
    frame = pl.DataFrame({"q": [1, 2, 3, 4], "id": [1, 2, 3, 4]})
    policy = om.Policy(
        attributes={"q": om.Numeric(), "id": om.Identifier()},
        require=[om.ProbabilisticKAnonymity(k=2), om.KAnonymity(k=1)],
    )
    verification = om.verify(frame.drop("id"), policy)
    assert not verification.holds, "what was not checked does not hold"
    assert not verification.complete
    assert verification.verdict == "not everything could be checked"
    assert "NOT CHECKED: probabilistic 2-anonymity cannot be seen in a table" in str(verification)
    assert not om.verify(frame, policy).holds  # the identifier is left
    only = om.Policy(attributes={"q": om.Numeric()}, require=[om.ProbabilisticKAnonymity(k=2)])
    assert not om.verify(frame.drop("id"), only.changed(unlisted="other")).holds  # nothing was checked at all


def test_a_run_that_cannot_check_what_is_required_is_refused() -> None:
    policy = om.Policy(
        attributes={"q": om.Numeric()},
        method=om.Microaggregation(k=2, replace="hybrid"),
        require=[om.ProbabilisticKAnonymity(k=2)],
    )
    # Of few records hybrid values are often 2-anonymous by chance, and then the requirement does hold.
    with pytest.raises(errors.NotSatisfied, match="cannot be seen in a table"):
        om.anonymize(pl.DataFrame({"q": [i * 1.5 for i in range(200)]}), policy, seed=1)


# ---- severity definitions --------------------------------------------------------------------------------------------


def test_a_definition_made_in_python_is_kept_with_the_run(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "q": ["a"] * 4 + ["b"] * 4,
            "disease": ["cancer", "042"] * 2 + ["flu"] * 4,
            "treatment": ["none"] * 8,
            "stay": [1] * 8,
        }
    )
    roles = {name: om.Flat(role="sensitive") for name in ("disease", "treatment")}
    model = om.SeverityDiversity(l=1, severity=om.Severity(PAIRED), downward=True)
    policy = om.Policy(
        attributes={"q": om.Flat(), **roles, "stay": om.Numeric(role="sensitive")},
        method=om.Generalization(),
        require=[om.KAnonymity(k=2), model],
    )
    result = om.anonymize(frame, policy)
    assert any("disease + treatment" in text and "'ward 7'" in text for text in map(str, result.guarantees))
    folder = result.save(tmp_path / "out")
    kept = om.Severity.load(folder / "confidential" / "severity-1.yaml")
    for column, values in (("disease", ["cancer", "042", "flu"]), ("stay", [3, 61, None])):
        np.testing.assert_array_equal(kept.of_values(column, values), model.definition.of_values(column, values))
    again = om.Policy.load(folder / "confidential" / "policy.yaml")
    assert om.verify(folder / "release" / "release.csv", again).holds


def test_a_definition_is_kept_as_the_run_read_it(tmp_path: Path) -> None:
    file = tmp_path / "severity.yaml"
    text = om.Severity.example_file("demo").read_text(encoding="utf-8")
    file.write_text(text, encoding="utf-8")
    policy = om.demo_policy(
        om.Generalization(search="local"),
        require=[om.KAnonymity(k=2), om.SeverityDiversity(l=1, severity=str(file), downward=True)],
    )
    sensitive = policy.attributes | {"charge": om.Numeric(role="sensitive")}
    result = om.anonymize(om.demo_data(300), policy.changed(attributes=sensitive))
    file.write_text("title: changed", encoding="utf-8")
    with pytest.warns(errors.OntomaskWarning, match="changed on disk after the run read them: severity"):
        folder = result.save(tmp_path / "out")
    assert (folder / "confidential" / "severity-1.yaml").read_text(encoding="utf-8") == text


def test_a_definition_over_its_own_taxonomy_is_written_with_it(tmp_path: Path) -> None:
    taxonomy = om.Taxonomy.from_edges([("flu", "mild"), ("cancer", "grave"), ("mild", "all"), ("grave", "all")])
    content = {
        **{key: PAIRED[key] for key in ("title", "institution", "date")},
        "columns": {"dis ease": {"kind": "nominal", "taxonomy": taxonomy}},
        "sets": [{"name": "g", "small_class": "1.1.1", "where": {"dis ease": {"branches": ["grave"]}}}],
    }
    file = om.Severity(content).save(tmp_path / "s.yaml")
    again = om.Severity.load(file)
    np.testing.assert_array_equal(again.of_values("dis ease", ["cancer", "flu"])[0], [1.0, 0.0])


def test_shuffled_pairs_are_judged_by_what_they_are() -> None:
    rng = np.random.default_rng(0)
    disease = rng.choice(["cancer", "flu"], 60)
    treated = np.where(disease == "cancer", rng.choice(["surgery", "chemo"], 60), rng.choice(["none", "surgery"], 60))
    frame = pl.DataFrame({"q": rng.choice(["a", "b"], 60), "disease": disease, "treatment": treated, "stay": 1})
    roles = {name: om.Flat(role="sensitive") for name in ("disease", "treatment")}
    policy = om.Policy(
        attributes={"q": om.Flat(), **roles, "stay": om.Numeric(role="other")},
        method=om.Shuffling(),
        require=[
            om.SeverityDiversity(l=1, severity=om.Severity(PAIRED), columns=["disease", "treatment"], downward=True),
            om.SeverityCloseness(t=0.9, severity=om.Severity(PAIRED), columns=["disease", "treatment"]),
        ],
    )
    result = om.anonymize(frame, policy, seed=1)
    assert result.satisfied
    pairs = set(frame.select("disease", "treatment").rows())
    assert set(result.data.select("disease", "treatment").rows()) - pairs  # pairs that the original does not have


# ---- policies --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("require", "expected"),
    [
        ([om.LDiversity(l=2, attribute="id")], "looks at 'id', an identifier"),
    ],
)
def test_requirements_that_cannot_be_meant(require: list[Any], expected: str) -> None:
    with pytest.raises(errors.PolicyError, match=expected):
        om.Policy(attributes={"q": om.Flat(), "id": om.Identifier()}, require=require)


# ---- what sensitive values mean --------------------------------------------------------------------------------------

CODED = om.Taxonomy.from_edges([("1.20", "1"), ("2.50", "2"), ("1", "all"), ("2", "all")])


def test_codes_stored_as_numbers_mean_to_a_model_what_they_mean_to_the_run() -> None:
    frame = pl.DataFrame({"q": [1, 1, 1, 1], "code": [1.2, 2.5, 1.2, 2.5]})
    policy = om.Policy(
        attributes={"q": om.Numeric(), "code": om.Nominal(CODED, role="sensitive")},
        method=om.Microaggregation(k=2),
        require=[om.TCloseness(0.1, ground="semantic"), om.LDiversity(2, "code")],
    )
    assert om.anonymize(frame, policy).satisfied


class Coded(om.Nominal):
    """A kind of its own that has concepts."""

    kind: Any = "coded"


def test_a_kind_with_concepts_keeps_them_in_verification() -> None:
    flus = om.Taxonomy.from_edges([("J11", "respiratory"), ("J12", "respiratory")], labels={"J11": "influenza"})
    frame = pl.DataFrame({"q": [1, 1], "disease": ["J11", "influenza"]})
    for kind in (om.Nominal, Coded):
        attributes = {"q": om.Numeric(), "disease": kind(flus, role="sensitive")}
        policy = om.Policy(attributes=attributes, require=[om.LDiversity(2, "disease")])
        found = om.verify(frame, policy).findings
        assert not next(f for f in found if isinstance(f.model, om.LDiversity)).holds, kind
