"""Which columns a method masks and looks at: by their roles, or those that are named."""

from __future__ import annotations

from typing import Literal

import numpy as np
import polars as pl
import pytest

import ontomask as om
from ontomask.errors import PolicyError
from ontomask.masking.method import Choosing, Masked
from ontomask.microdata.encoding import Table, encode
from ontomask.progress import Progress


class Blanking(Choosing):
    """Shows the first value of each chosen column everywhere."""

    name: Literal["blanking"] = "blanking"

    @property
    def title(self) -> str:
        return "Blanking"

    def explain(self) -> str:
        return "Every record shows the first value."

    def mask(self, table: Table, rng: np.random.Generator, progress: Progress) -> Masked:
        chosen = zip(self.chosen(table), table.columns, strict=True)
        return Masked.of_codes(table, [np.zeros_like(c.codes) if masked else c.codes for masked, c in chosen])


ATTRIBUTES = {
    "id": om.Identifier(),
    "age": om.Numeric(),
    "job": om.Flat(),
    "income": om.Numeric(role="sensitive"),
    "note": om.Flat(role="other"),
}


def test_columns_are_those_of_the_role_unless_named() -> None:
    assert Blanking().masked_columns(ATTRIBUTES) == ["age", "job"]
    assert Blanking(columns=["note", "age"]).masked_columns(ATTRIBUTES) == ["age", "note"]
    assert Blanking(columns=["income"]).studied_columns(ATTRIBUTES) == ["age", "job", "income"]


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
        Blanking(columns=columns).masked_columns(ATTRIBUTES)


@pytest.mark.parametrize(("columns", "message"), [([], "is empty"), (["age", "age"], "twice")])
def test_lists_that_say_nothing_or_too_much(columns: list[str], message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        Blanking(columns=columns)


def test_only_chosen_columns_change() -> None:
    frame = pl.DataFrame({"age": [1, 2], "job": ["a", "b"], "income": [3, 4]})
    method = Blanking(columns=["income"])
    listed = {name: ATTRIBUTES[name] for name in frame.columns}
    table = encode(frame, listed, method.studied_columns(listed), np.arange(2))
    masked = method.mask(table, np.random.default_rng(0), lambda *_: None)
    shown = [values.gather(masked.group_of).to_list() for values in masked.values(table)]
    assert shown == [[1, 2], ["a", "b"], [3, 3]]
