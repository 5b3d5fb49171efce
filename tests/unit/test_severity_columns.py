"""Severity models are about every sensitive column (S18 def. 2): what is not looked at is written in the policy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import ontomask as om
from ontomask import errors

DEFINITION: dict[str, Any] = {
    "title": "ward 7",
    "institution": "i",
    "date": "2024-01-01",
    "columns": {"disease": {"kind": "flat"}, "drug": {"kind": "flat"}, "ward": {"kind": "flat"}},
    "sets": [
        {"name": "grave", "small_class": "1.2.1", "where": {"disease": {"values": ["HIV", "ALS"]}}},
        {"name": "cost", "small_class": "2.2.2", "where": {"drug": {"values": ["x"]}}},
        {"name": "locked", "small_class": "2.3.1", "where": {"ward": {"values": ["P1"]}}},
        {
            "name": "pairs",
            "small_class": "2.1.2",
            "where": {"disease": {"values": ["flu"]}, "drug": {"values": ["none"]}},
        },
    ],
}
FRAME = pl.DataFrame(
    {
        "age": [1, 1, 2, 2],
        "disease": ["HIV", "flu", "ALS", "flu"],
        "drug": ["x", "y", "x", "y"],
        "ward": ["P1", "P2", "P1", "P2"],
        "income": [1, 1, 1, 1],
    }
)
MODELS = [
    om.SeverityDiversity(l=2, severity=om.Severity(DEFINITION)),
    om.SeverityDiversity(l=1, severity=om.Severity(DEFINITION), downward=True),
    om.SeverityDiversity(l=2, severity=om.Severity(DEFINITION), variant="entropy"),
    om.SeverityCloseness(t=0.5, severity=om.Severity(DEFINITION)),
]


def attributes(**roles: str) -> dict[str, Any]:
    """Roles of the columns but for age, which is known; what is not named is not in the policy."""
    numbers = {"income"}
    return {"age": om.Numeric()} | {
        name: (om.Numeric if name in numbers else om.Flat)(role=role)  # type: ignore[arg-type]
        for name, role in roles.items()
    }


every_model = pytest.mark.parametrize("model", MODELS, ids=lambda model: model.describe())


@every_model
def test_a_sensitive_column_that_the_definition_does_not_speak_of(model: Any) -> None:
    """Once it was passed over in silence."""
    listed = attributes(disease="sensitive", drug="sensitive", ward="sensitive", income="sensitive")
    with pytest.raises(errors.PolicyError, match=r"every sensitive column.*does not cover 'income'") as refused:
        model.check(FRAME, ["age"], listed)
    assert "columns: [disease, drug, ward]" in str(refused.value)
    policy = om.Policy(attributes=listed, method=om.Generalization(), require=[om.KAnonymity(k=2), model])
    for look in (om.anonymize, om.check, om.verify):
        with pytest.raises(errors.PolicyError, match="does not cover 'income'"):
            look(FRAME, policy)


@every_model
def test_a_column_of_the_role_other_that_the_definition_speaks_of(model: Any) -> None:
    """Once it counted, though the policy does not call it sensitive."""
    listed = attributes(disease="sensitive", drug="sensitive", ward="other")
    with pytest.raises(errors.PolicyError, match="covers 'ward', which has the role other"):
        model.check(FRAME, ["age"], listed)


@every_model
def test_the_choice_is_written_and_said(model: Any) -> None:
    listed = attributes(disease="sensitive", drug="sensitive", ward="other", income="sensitive")
    chosen = model.changed(columns=["disease"])
    assert chosen.describe() == f"{model.describe()} of disease"
    assert " of disease" in chosen.explain()
    assert " of every sensitive column" in model.explain()
    found = chosen.check(FRAME, ["age"], listed)
    assert "severity of disease by 'ward 7'" in found.text
    assert "not checked: drug, ward, income, disease + drug" in found.text
    assert found.public.startswith(chosen.describe())
    both = model.changed(columns=["disease", "drug"]).check(FRAME, ["age"], listed)
    assert "severity of disease, drug, disease + drug by" in both.text
    assert "not checked: ward, income" in both.text


def test_what_is_not_looked_at_decides_nothing() -> None:
    """The class of age 1 has one severity of income: literally, def. 2 can never hold of a column without sets."""
    listed = attributes(disease="sensitive", income="sensitive")
    model = om.SeverityDiversity(l=2, severity=om.Severity(DEFINITION), middle_class=1, columns=["disease"])
    assert model.check(FRAME, ["age"], listed).holds
    same = FRAME.with_columns(disease=pl.Series(["HIV", "ALS", "flu", "flu"]))
    assert not model.check(same, ["age"], listed).holds


def test_all_columns_covered() -> None:
    listed = attributes(disease="sensitive", drug="sensitive", ward="sensitive")
    found = MODELS[0].check(FRAME, ["age"], listed)
    assert "severity of disease, drug, ward, disease + drug by" in found.text
    assert "not checked" not in found.text


def test_columns_that_are_not_listed_are_said() -> None:
    listed = attributes(disease="sensitive", drug="sensitive")
    model = om.SeverityDiversity(l=1, severity=om.Severity(DEFINITION))
    assert "not checked: ward" in model.check(FRAME, ["age"], listed).text
    policy = om.Policy(
        attributes=listed, method=om.Generalization(), unlisted="other", require=[om.KAnonymity(k=2), model]
    )
    assert any("not checked: ward" in text for text in map(str, om.anonymize(FRAME, policy).guarantees))
    dropped = om.anonymize(FRAME, policy.changed(unlisted="drop"))
    assert not any("not checked" in text for text in map(str, dropped.guarantees))


@pytest.mark.parametrize(
    ("columns", "roles", "expected"),
    [
        (["income"], {"income": "sensitive"}, "does not cover 'income'. It names: disease, drug, ward"),
        (["diseases"], {"disease": "sensitive"}, "does not cover 'diseases'. Did you mean 'disease'"),
        (["ward"], {"ward": "other"}, "looks at 'ward', which has the role other. Give it the role sensitive"),
        (["ward"], {"ward": "quasi"}, "looks at 'ward', which has the role quasi"),
        (["ward"], {"drug": "sensitive"}, "looks at 'ward', which is not listed in the policy"),
    ],
)
def test_columns_that_cannot_be_meant(columns: list[str], roles: dict[str, str], expected: str) -> None:
    for model in MODELS:
        with pytest.raises(errors.PolicyError, match=expected):
            model.changed(columns=columns).check(FRAME, ["age"], attributes(**roles))  # type: ignore[attr-defined]


def test_a_column_that_is_only_in_a_pair() -> None:
    definition = {
        **DEFINITION,
        "columns": {name: {"kind": "flat"} for name in ("disease", "drug")},
        "sets": [DEFINITION["sets"][0], DEFINITION["sets"][3]],
    }
    model = om.SeverityDiversity(l=1, severity=om.Severity(definition), columns=["drug"])
    listed = attributes(disease="sensitive", drug="sensitive")
    with pytest.raises(errors.PolicyError, match="covers 'drug' only in disease \\+ drug"):
        model.check(FRAME, ["age"], listed)
    found = model.changed(columns=["disease", "drug"]).check(FRAME, ["age"], listed)
    assert "severity of disease, disease + drug by" in found.text
    # Without its partner the pair is no attribute of the table, and nothing speaks of the drug alone.
    with pytest.raises(errors.PolicyError, match="does not cover 'drug'"):
        model.changed(columns=None).check(FRAME, ["age"], attributes(drug="sensitive"))


def test_no_sensitive_column_and_an_empty_list() -> None:
    with pytest.raises(errors.DataError, match="needs a sensitive column, and there is none"):
        MODELS[0].check(FRAME, ["age"], attributes(income="other"))
    with pytest.raises(errors.PolicyError, match="columns: no column is named"):
        om.SeverityDiversity(l=2, severity=om.Severity(DEFINITION), columns=[])
    with pytest.raises(errors.PolicyError, match="columns: 'disease' is not a list"):
        om.SeverityDiversity(l=2, severity=om.Severity(DEFINITION), columns="disease")  # type: ignore[arg-type]


def test_without_roles_all_that_the_definition_speaks_of() -> None:
    """A frame alone says nothing of roles."""
    found = MODELS[1].check(FRAME, ["age"])
    assert "severity of disease, drug, ward, disease + drug by" in found.text


def test_in_a_file(tmp_path: Path) -> None:
    om.Severity(DEFINITION).save(tmp_path / "severity.yaml")
    listed = attributes(disease="sensitive", drug="sensitive", ward="other", income="sensitive")
    model = om.SeverityDiversity(l=1, severity=str(tmp_path / "severity.yaml"), columns=["disease"], downward=True)
    policy = om.Policy(attributes=listed, method=om.Generalization(), require=[om.KAnonymity(k=2), model])
    again = om.Policy.load(policy.save(tmp_path / "policy.yaml"))
    assert again.require == policy.require
    assert "columns: [disease]" in (tmp_path / "policy.yaml").read_text(encoding="utf-8")
    result = om.anonymize(FRAME, again)
    assert any("downward-O-1-diversity of disease" in text for text in map(str, result.public_guarantees))


# ---- what was read into texts ----------------------------------------------------------------------------------------


@every_model
def test_spellings_and_missing_texts_are_counted_as_in_l_diversity(model: Any) -> None:
    frame = FRAME.with_columns(
        disease=pl.Series(["HIV", "hiv ", "unknown", None]),
        drug=pl.Series(["other", "Other", "x", "X"]),
    )
    text = (
        model.changed(columns=["disease", "drug"])
        .check(frame, ["age"], attributes(disease="sensitive", drug="sensitive"))
        .text
    )
    assert "2 missing values, 1 of them written as text, of severity 0" in text
    assert "disease: 2 spellings taken as 1 value; drug: 4 spellings taken as 2 values" in text
    diverse = om.LDiversity(l=1, attribute="drug").check(frame, ["age"]).text
    assert "drug: 4 spellings taken as 2 values" in diverse


def test_missing_values_that_a_set_names_are_not_called_harmless() -> None:
    """Once the finding said 'of severity 0' of values that the definition calls grave."""
    sets = [{"name": "gone", "small_class": "1.2.1", "where": {"disease": {"values": ["HIV"], "missing": True}}}]
    severity = om.Severity({**DEFINITION, "columns": {"disease": {"kind": "flat"}}, "sets": sets})
    frame = pl.DataFrame({"age": [1, 1], "disease": ["flu", None]})
    found = om.SeverityDiversity(l=2, severity=severity).check(frame, ["age"])
    assert found.holds
    assert "1 missing value of the severity that the definition gives them" in found.text


# ---- strategies --------------------------------------------------------------------------------------------------------


def strategic(strategy: list[dict[str, Any]]) -> list[str]:
    method = om.Generalization(
        search="strategy", strategy=strategy, hierarchies={"age": om.Intervals(levels=[[0, 2, 4], [0, 4]])}
    )
    listed = {"age": om.Numeric(), "sex": om.Flat(), "disease": om.Flat(role="sensitive")}
    model = om.SeverityDiversity(l=1, severity=om.Severity(DEFINITION), downward=True, columns=["disease"])
    frame = pl.DataFrame({"age": [1, 1, 2, 3], "sex": list("mfmf"), "disease": ["HIV", "flu", "flu", "flu"]})
    policy = om.Policy(attributes=listed, method=method, require=[om.KAnonymity(k=2), model])
    return [note for note in map(str, om.anonymize(frame, policy).notes) if "iterative" in note]


def test_a_strategy_that_is_not_iterative_is_noted() -> None:
    """S18 section 4 (ii): a sequence of iterative generalizations. Once nothing was said of any other."""
    assert not strategic([{}, {"sex": 1}, {"sex": 1, "age": 1}, {"sex": 1, "age": 2}])
    assert not strategic([{"sex": 1, "age": 2}])
    (note,) = strategic([{"age": 2}, {"sex": 1, "age": 1}, {"sex": 1, "age": 2}])
    assert note == (
        "the strategy is not iterative (S18 section 4): step 2 shows age in more detail than step 1, so the first step that "
        "satisfies the requirements may be more general than a later one"
    )
    (note,) = strategic([{"sex": 1, "age": 2}, {"sex": 1, "age": 2}, {}])
    assert "step 3 shows age, sex in more detail than step 2" in note
