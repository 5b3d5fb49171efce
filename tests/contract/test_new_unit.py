"""Something else than records can be counted: a toy policy with a column that says whose each record is.

What such a policy promises is counted again here, in plain sets of persons. What knows records only refuses, and nothing holds
by records where persons are to be counted.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from pydantic import Field

import ontomask as om
from ontomask.errors import DataError, NotSatisfied, PolicyError
from ontomask.policy.policy import METHODS
from ontomask.policy.prepared import prepare
from ontomask.privacy.classes import classes_of
from ontomask.privacy.diagnostics import Nodes
from ontomask.privacy.examined import Examined
from ontomask.privacy.models import Model
from ontomask.privacy.units import Units
from ontomask.wording import Unit

PERSON = Unit("person", "persons")


class CountsPersons(om.Policy):
    """Counts persons, and does not say whose the records are."""

    @property
    def unit(self) -> Unit:
        return PERSON


class ByPerson(CountsPersons):
    """Counts the persons that a column names."""

    person: str = Field(description="the column that says whose a record is")

    def units_of(self, data: pl.DataFrame) -> Units:
        return Units(PERSON, classes_of(data, [self.person]).of)


ATTRIBUTES = {
    "id": om.Identifier(),
    "age": om.Numeric(),
    "job": om.Flat(),
    "grade": om.Ordinal(order=["low", "high"]),
    "ill": om.Flat(role="sensitive"),
}
QUASI = ["age", "job", "grade"]
HIERARCHIES = {"age": om.Intervals(width=2)}


def by_person(method: Any, *require: Model, **more: Any) -> ByPerson:
    return ByPerson(attributes=ATTRIBUTES, method=method, require=list(require), person="id", **more)


def people(seed: int) -> pl.DataFrame:
    """Persons of 1 to 6 records each, most of which resemble each other, in random order."""
    rng = np.random.default_rng([seed, 5])
    many = rng.integers(1, 7, int(rng.integers(8, 25)))
    own = {"age": rng.integers(20, 26, len(many)), "job": rng.choice(["cook", "nurse", "pilot"], len(many))}
    of = rng.permutation(np.repeat(np.arange(len(many)), many))
    moved = rng.random(len(of)) < 0.2
    return pl.DataFrame(
        {
            "id": [f"p{person}" for person in of],
            "age": np.where(moved, rng.integers(20, 26, len(of)), own["age"][of]),
            "job": np.where(moved, "cook", own["job"][of]),
            "grade": rng.choice(["low", "high"], len(of)),
            "ill": rng.choice(["flu", "gout", "ulcer"], len(of)),
        }
    )


def persons_of_classes(frame: pl.DataFrame, result: om.Result[Any]) -> list[set[str]]:
    """Of each class of the release the persons in it."""
    found: dict[Any, set[str]] = defaultdict(set)
    for row, record in zip(result.data.select(QUASI).rows(), result.records.tolist(), strict=True):
        found[row].add(frame["id"][record])
    return list(found.values())


# ---- what counts persons ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [0.0, 0.2])
@pytest.mark.parametrize("seed", range(12))
def test_every_class_of_the_release_has_k_persons(seed: int, limit: float) -> None:
    frame, k = people(seed), 2 + seed % 4
    method = om.Generalization(hierarchies=HIERARCHIES, suppression_limit=limit)
    result = om.anonymize(frame, by_person(method, om.KAnonymity(k), row_order="shuffled"), seed=seed)
    sizes = [len(persons) for persons in persons_of_classes(frame, result)]
    assert min(sizes) >= k
    assert len(frame) - len(result.data) <= limit * len(frame)
    assert "id" not in result.data.columns
    (found,) = (f for f in result.verification if isinstance(f.model, om.KAnonymity))
    assert (found.holds, found.worst) == (True, min(sizes))
    assert found.text.endswith(f"the smallest of {min(sizes)} persons")


def test_some_releases_would_fail_by_persons_if_they_were_made_by_records() -> None:
    """The test above can fail: k records are often of fewer persons."""
    fewer = 0
    for seed in range(12):
        frame, method = people(seed), om.Generalization(hierarchies=HIERARCHIES)
        policy = om.Policy(attributes=ATTRIBUTES, method=method, require=[om.KAnonymity(4)])
        fewer += any(len(persons) < 4 for persons in persons_of_classes(frame, om.anonymize(frame, policy, seed=1)))
    assert fewer > 3


ENTROPY = om.LDiversity(2.2, "ill", variant="entropy")
SEARCHED = [
    (0.0, [om.KmAnonymity(4, 2)]),
    (0.2, [om.KAnonymity(2), om.LDiversity(2, "ill")]),
    (0.0, [ENTROPY]),
    (0.2, [ENTROPY]),
    (0.0, [om.LDiversity(2, "ill", variant="recursive", c=1.2)]),
    (0.0, [om.TCloseness(0.3, "ill")]),
]


@pytest.mark.parametrize(("limit", "require"), SEARCHED)
def test_the_search_loses_least(limit: float, require: list[Model]) -> None:
    """Against every combination of levels, each tried by itself."""
    frame = people(1)
    method = om.Generalization(hierarchies=HIERARCHIES, suppression_limit=limit)
    policy = by_person(method, *require)
    levels = method.column_levels(prepare(frame, policy).table)
    losses = []
    for node in product(*(range(len(column)) for column in levels)):
        step = method.changed(search="strategy", strategy=[dict(zip(QUASI, node, strict=True))])
        with suppress(DataError):  # this one does not satisfy
            losses.append(loss_of(om.anonymize(frame, by_person(step, *require), seed=1)))
    assert len(set(losses)) > 1
    assert loss_of(om.anonymize(frame, policy, seed=1)) == pytest.approx(min(losses))


def loss_of(result: om.Result[Any]) -> float:
    nodes = result.masked.diagnostics
    assert isinstance(nodes, Nodes)
    return float(nodes.table["loss"][0])


JOINED = [
    # Of both persons the values of one class outweigh those of the other.
    (om.LDiversity(2, "ill", variant="entropy"), ["1ax", "2ay*9", "1by*9", "2bx"]),
    # Persons who are in both classes count once for the same value.
    (om.LDiversity(2, "ill", variant="recursive", c=1.5), ["1ax", "2ax", "3ay", "4ay", "5bx", "6bx", "3by", "4by"]),
]


@pytest.mark.parametrize(("model", "rows"), JOINED)
def test_a_model_may_hold_of_classes_and_not_of_what_they_become(model: Model, rows: list[str]) -> None:
    """Then the search does not conclude from the top of the hierarchies that nothing satisfies."""
    each = [text[:3] for text in rows for _ in range(int(text[4:] or 1))]
    frame = pl.DataFrame([list(text) for text in each], schema=["id", "job", "ill"], orient="row")
    attributes = {name: ATTRIBUTES[name] for name in frame.columns}
    policy = ByPerson(attributes=attributes, method=om.Generalization(), require=[model], person="id")
    assert om.anonymize(frame, policy, seed=1).data["job"].to_list() == frame["job"].to_list()
    assert not model.check_table(
        Examined.of(frame.with_columns(job=pl.lit("*")), attributes, policy.units_of(frame))
    ).holds


def test_the_written_file_is_verified_by_persons(tmp_path: Path) -> None:
    policy = by_person(om.Generalization(hierarchies=HIERARCHIES), om.KAnonymity(3))
    result = om.anonymize(people(1), policy, seed=1)
    assert result.write(tmp_path / "release.csv").exists()
    assert "persons" in str(result.verification)
    assert any("the search aimed at what is required and counted persons." in str(said) for said in result.guarantees)
    checked = om.check(people(1), policy)
    assert "persons" in checked.readings[0]
    assert "persons" in str(checked.verification)


# ---- what knows records only ------------------------------------------------------------------------------------------------


def by_records() -> list[Any]:
    made = [kind(k=2) if "k" in kind.model_fields else kind() for kind in METHODS.values()]
    local, best = om.Generalization(search="local"), om.Generalization(search="best_first")
    return [method for method in made if not isinstance(method, om.Generalization)] + [local, best]


@pytest.mark.parametrize("method", by_records(), ids=repr)
def test_methods_that_know_records_only_refuse(method: Any) -> None:
    policy = by_person(method, om.KAnonymity(2))
    for run in (om.anonymize, om.check):
        with pytest.raises(PolicyError, match=r"knows records only; it cannot count persons\. Choose .*full.domain"):
            run(people(1), policy)


def test_nothing_holds_by_records_where_persons_are_counted() -> None:
    """A policy whose persons are not known: the release is refused, whatever it would satisfy by records."""
    frame, reason = people(1), "the policy counts persons, and of this table only records are known"
    method = om.Generalization(hierarchies=HIERARCHIES)
    policy = CountsPersons(attributes=ATTRIBUTES, method=method, require=[om.KAnonymity(2), om.TCloseness(0.9, "ill")])
    with pytest.raises(NotSatisfied, match=f"2-anonymity: {reason}"):
        om.anonymize(frame, policy)
    found = om.check(frame, policy).verification
    assert [(f.state, f.text) for f in found if f.model in policy.require] == [
        ("NOT CHECKED", f"{model.describe()}: {reason}") for model in policy.require
    ]
    known = by_person(method, om.KAnonymity(2), om.TCloseness(0.9, "ill"))
    released = om.anonymize(frame, known, seed=1).data
    for original in (None, frame):
        verified = om.verify(released, known, original=original)
        assert verified.verdict == "not everything could be checked"
        assert [f.state for f in verified if f.model in known.require] == ["NOT CHECKED"] * 2
        assert all(f.holds for f in verified if f.model not in known.require)
    assert om.verify(released, om.Policy(attributes=ATTRIBUTES, require=known.require)).holds


def test_risks_and_assessments_of_tables_alone_count_records_and_say_so() -> None:
    frame, method = people(1), om.Generalization(hierarchies=HIERARCHIES)
    policy = by_person(method, om.KAnonymity(2))
    released = om.anonymize(frame, policy, seed=1).data
    with pytest.raises(PolicyError, match="disclosure_risk counts records, and the policy counts persons"):
        om.disclosure_risk(frame, policy)
    assert "records" in str(om.disclosure_risk(frame, ATTRIBUTES))
    for assessed in (om.assess, om.attribute_disclosure):
        with pytest.raises(PolicyError, match="two tables counts records, and the policy counts persons"):
            assessed(frame, released, policy)
    assert "records" in om.KAnonymity(2).check(frame, QUASI).text
