"""Which columns a method masks and looks at: by their roles, or those that are named."""

from __future__ import annotations

import polars as pl
import pytest

import ontomask as om
from ontomask.errors import PolicyError

ATTRIBUTES = {
    "id": om.Identifier(),
    "age": om.Numeric(),
    "job": om.Flat(),
    "income": om.Numeric(role="sensitive"),
    "note": om.Flat(role="other"),
}


def test_columns_are_those_of_the_role_unless_named() -> None:
    assert om.Imputation().masked_columns(ATTRIBUTES) == ["income"]
    assert om.Imputation(columns=["note", "age"]).masked_columns(ATTRIBUTES) == ["age", "note"]
    assert om.Imputation(columns=["note"]).studied_columns(ATTRIBUTES) == ["age", "job", "income", "note"]


def test_policies_know_what_is_masked() -> None:
    policy = om.Policy(attributes=ATTRIBUTES, method=om.Shuffling())
    assert (policy.masked, policy.studied) == (["income"], ["age", "job", "income"])
    assert om.Policy(attributes=ATTRIBUTES).masked == ["age", "job"]


def test_classes_are_recognized_unless_a_quasi_identifier_is_drawn_at_random() -> None:
    assert om.Policy(attributes=ATTRIBUTES, method=om.Shuffling()).recognizable
    assert om.Policy(attributes=ATTRIBUTES, method=om.Microaggregation(k=3)).recognizable
    assert not om.Policy(attributes=ATTRIBUTES, method=om.RankSwapping(k=3)).recognizable


@pytest.mark.parametrize(
    ("columns", "message"),
    [(["id"], "identifier"), (["wage"], "not one of the attributes")],
)
def test_names_that_cannot_be_masked(columns: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        om.Imputation(columns=columns).masked_columns(ATTRIBUTES)


@pytest.mark.parametrize(("columns", "message"), [([], "is empty"), (["age", "age"], "twice")])
def test_lists_that_say_nothing_or_too_much(columns: list[str], message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        om.Imputation(columns=columns)


def test_only_chosen_columns_change() -> None:
    frame = pl.DataFrame({"age": list(range(40)), "job": ["a", "b"] * 20, "income": [7, 3, 9, 1] * 10})
    listed = {name: ATTRIBUTES[name] for name in frame.columns}
    result = om.anonymize(frame, om.Policy(attributes=listed, method=om.Imputation(columns=["age"])), seed=1)
    assert [name for name in frame.columns if not frame[name].equals(result.data[name])] == ["age"]
