"""Persons are counted where a policy says whose each record is: by every method and model, in the frame and in the file.

What such a policy promises is counted again here, in plain sets of persons. Nothing holds by records where persons are to be
counted.
"""

from __future__ import annotations

import shutil
from collections import defaultdict
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import ontomask as om
from ontomask.errors import DataError, PolicyError
from ontomask.policy.policy import METHODS
from ontomask.policy.prepared import prepare
from ontomask.privacy.diagnostics import Nodes
from ontomask.privacy.examined import Examined
from ontomask.privacy.models import Model
from tests.property.strategies import cases

ATTRIBUTES = {
    "id": om.Identifier(),
    "age": om.Numeric(),
    "job": om.Flat(),
    "grade": om.Ordinal(order=["low", "high"]),
    "ill": om.Flat(role="sensitive"),
}
QUASI = ["age", "job", "grade"]
HIERARCHIES = {"age": om.Intervals(width=2)}


def by_person(method: Any, *require: Model, **more: Any) -> om.Policy:
    return om.Policy(attributes=ATTRIBUTES, method=method, require=list(require), person="id", **more)


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


#: Every method that promises k, or aims at it.
PROMISING: list[Any] = [
    om.Microaggregation,
    lambda k: om.Microaggregation(k, partition="adaptive"),
    lambda k: om.Microaggregation(k, partition="adaptive_static", comparison="weighted"),
    lambda k: om.Microaggregation(k, distance="s", centroid="marginality"),
    om.ProfileMicroaggregation,
    om.Recoding,
    lambda k: om.Recoding(k, guide="discernibility"),
    lambda k: om.Recoding(k, guide="random"),
    om.Resampling,
    om.Suppression,
    lambda k: om.Suppression(k, cells=True),
    lambda k: om.Generalization(hierarchies=HIERARCHIES),
    lambda k: om.Generalization(hierarchies=HIERARCHIES, suppression_limit=0.2),
    lambda k: om.Generalization(search="local", hierarchies=HIERARCHIES),
    lambda k: om.Generalization(search="best_first", budget=60, hierarchies=HIERARCHIES),
]


# ---- what counts persons ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("at", "made"), list(enumerate(PROMISING)), ids=lambda made: repr(made(3)) if callable(made) else ""
)
@pytest.mark.parametrize("part", range(4))
def test_every_class_of_the_release_has_k_persons(at: int, made: Any, part: int) -> None:
    """160 tables for each method, 2,400 in all."""
    first = (4 * at + part) * cases(40)
    for seed in range(first, first + cases(40)):
        frame, k = people(seed), 2 + seed % 4
        method = made(k)
        try:
            result = om.anonymize(frame, by_person(method, om.KAnonymity(k), row_order="shuffled"), seed=seed)
        except DataError as problem:
            if "nothing would be left" not in str(problem):
                raise
            continue
        sizes = [len(persons) for persons in persons_of_classes(frame, result)]
        assert min(sizes) >= k
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
    policy = om.Policy(attributes=attributes, method=om.Generalization(), require=[model], person="id")
    assert om.anonymize(frame, policy, seed=1).data["job"].to_list() == frame["job"].to_list()
    assert not model.check_table(
        Examined.of(frame.with_columns(job=pl.lit("*")), attributes, policy.units_of(frame))
    ).holds


@pytest.mark.parametrize(
    "model", [om.LDiversity(2, "ill"), om.TCloseness(0.6, "ill"), om.ProfileAnonymity(2)], ids=repr
)
def test_groups_are_joined_until_models_hold_by_persons(model: Model) -> None:
    if isinstance(model, om.ProfileAnonymity):
        result = om.anonymize(people(4), by_person(om.ProfileMicroaggregation(2), model), seed=1)
    else:
        result = om.anonymize(people(4), by_person(om.Microaggregation(2), model), seed=1)
    assert result.verification.holds


def test_the_written_file_is_verified_by_persons(tmp_path: Path) -> None:
    frame = people(1)
    policy = by_person(om.Microaggregation(3), om.KAnonymity(3), row_order="shuffled")
    result = om.anonymize(frame, policy, seed=1)
    folder = result.save(tmp_path / "result", report=False)
    assert "persons" in str(result.verification)
    found = om.verify_result(folder)
    assert found.holds, str(found)
    assert "3-anonymity: " in str(found)
    assert "persons" in str(found)
    # Beside it lies the list of records. Whoever has the file alone does not know whose the records are.
    beside = om.verify(folder / "release" / "release.csv", policy)
    assert beside.holds, str(beside)
    assert "records.csv, the list of records of the same result" in str(beside)
    alone = shutil.copy(folder / "release" / "release.csv", tmp_path)
    assert om.verify(alone, policy).verdict == "not everything could be checked"
    assert "--records" in str(om.verify(alone, policy))
    longer = folder / "release" / "release.csv"
    with longer.open("a", encoding="utf-8") as stream:  # the list is not that of another table
        stream.write(longer.read_text(encoding="utf-8").splitlines()[-1] + "\n")
    assert om.verify(longer, policy).verdict == "not everything could be checked"
    shutil.copy(alone, longer)
    persons = [frame["id"][record] for record in result.records.tolist()]
    assert om.verify(folder / "release" / "release.csv", policy, persons=persons).holds
    with pytest.raises(
        DataError, match=f"the table has {len(frame):,} records, and the persons of {len(frame) - 1:,} are known"
    ):
        om.verify(folder / "release" / "release.csv", policy, persons=persons[1:])
    one = om.verify(folder / "release" / "release.csv", policy, persons=["x"] * len(frame))
    assert one.verdict == "fails"
    checked = om.check(people(1), policy)
    assert "persons" in checked.readings[0]
    assert "persons" in str(checked.verification)


def test_a_composite_key() -> None:
    frame = pl.DataFrame(
        {"site": ["a", "a", "b", "b", "c", "c"], "no": ["1", "1", "1", "2", "1", "1"], "age": [1, 1, 1, 1, 1, 1]}
    )
    attributes = {"site": om.Identifier(), "no": om.Identifier(), "age": om.Numeric()}
    policy = om.Policy(attributes=attributes, person=["site", "no"], require=[om.KAnonymity(4)])
    assert om.check(frame, policy).verification.holds  # a1, b1, b2 and c1
    more = policy.changed(require=[om.KAnonymity(5)])
    with pytest.raises(DataError, match="there are 4 persons"):
        om.check(frame, more)
    with pytest.raises(DataError, match="do not say whose they are"):
        om.check(frame.with_columns(site=pl.Series(["a", "a", "b", "b", None, None])), policy)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"person": "nobody"}, "person: 'nobody' is not one of the attributes: list it, with kind: identifier"),
        ({"person": ["id", "id"]}, "person: a column is named twice"),
        ({"person": "job"}, "person: job would be released, and say which records belong together"),
        ({"household": "job"}, "household: job would be released"),
    ],
)
def test_keys_that_cannot_be(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        om.Policy(attributes=ATTRIBUTES, **settings)


@pytest.mark.parametrize("other", ["P1 ", " P1", "P1\t"])
def test_keys_are_compared_as_pseudonyms_are(other: str) -> None:
    """One person is not two because somebody typed a blank; nor by another form of a letter."""
    frame = pl.DataFrame({"id": ["P1", other, "P\u00e9", "Pe\u0301"], "age": [30, 31, 60, 61]})
    policy = om.Policy(
        attributes={"id": om.Identifier(), "age": om.Numeric()}, person="id", method=om.Microaggregation(2)
    )
    result = om.anonymize(frame, policy)
    assert result.data["age"].n_unique() == 1
    assert "1 class, the smallest of 2 persons" in str(result.verification)
    with pytest.raises(DataError, match="k is 3 and there are 2 persons"):
        om.anonymize(frame, policy.changed(method=om.Microaggregation(3)))


@pytest.mark.parametrize("nobody", [None, "", "  "])
def test_a_record_of_nobody_is_an_error(nobody: str | None) -> None:
    """It may be that of a person who is in the class already."""
    frame = pl.DataFrame({"id": ["a", nobody, "b", "b"], "age": [30, 30, 60, 60]})
    policy = om.Policy(attributes={"id": om.Identifier(), "age": om.Numeric()}, person="id", method=om.Suppression(2))
    with pytest.raises(DataError, match="1 record does not say whose it is .record 2., and persons are counted"):
        om.anonymize(frame, policy)


def test_other_identifiers_are_repeated_by_persons() -> None:
    """A household is, a stay of one person is not, nor what a person has several of; the person itself is what is counted."""
    frame = people(1)
    persons = frame["id"].str.slice(1).cast(pl.Int64)
    frame = frame.with_columns(
        household_id=persons // 2, stay_id=persons * 10 + pl.int_range(pl.len()) % 2, code=pl.int_range(pl.len()) % 7
    )
    attributes = ATTRIBUTES | {name: om.Identifier() for name in ("household_id", "stay_id", "code")}
    policy = om.Policy(attributes=attributes, method=om.Microaggregation(2), person="id")
    (caveat,) = (str(note) for note in om.check(frame, policy).notes if "different" in str(note))
    number, houses = frame["id"].n_unique(), frame["household_id"].n_unique()
    assert caveat == (
        f"{houses} different household_id in {number} persons: k counts persons, not households. The persons of a group may "
        "belong to fewer households than it has persons."
    )


def test_yaml_keeps_persons(tmp_path: Path) -> None:
    policy = by_person(om.Recoding(3), om.ProfileAnonymity(2), household=["id"])
    file = policy.save(tmp_path / "policy.yaml")
    assert om.Policy.load(file).changed() == policy
    assert "person:" in file.read_text(encoding="utf-8")


WITHOUT_K = [kind for kind in METHODS.values() if "k" not in kind.model_fields and kind is not om.Generalization]


@pytest.mark.parametrize("method", WITHOUT_K, ids=repr)
def test_methods_without_k_run_where_persons_are_counted(method: Any) -> None:
    """They promise nothing of persons, and say so. (Generalization aims at what is required, which counts persons.)"""
    frame = people(2)
    result = om.anonymize(frame, by_person(method()), seed=1)
    assert len(result.data) == len(frame)


# ---- households -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("person", [[], ["id"]])
@pytest.mark.parametrize("seed", range(8))
def test_the_risk_of_households(seed: int, person: list[str]) -> None:
    """Against the definition, person by person; who has no household is one of its own."""
    frame = people(seed)
    persons = frame["id"].str.slice(1).cast(pl.Int64)
    house = pl.Series("house", [None if p % 7 == 0 else p // 3 for p in persons])
    frame = frame.with_columns(house.cast(pl.String))
    attributes = ATTRIBUTES | {"house": om.Identifier()}
    policy = om.Policy(attributes=attributes, method=om.Microaggregation(2), person=person, household="house")
    result = om.anonymize(frame, policy, seed=seed)
    for table, risk in ((frame, result.assessment.risk_before), (result.data, result.assessment.risk_after)):
        classes, smallest, homes = defaultdict(set), {}, defaultdict(set)
        for i, row in enumerate(table.select(QUASI).rows()):
            classes[row].add(frame["id"][i] if person else i)
        for i, row in enumerate(table.select(QUASI).rows()):
            who: Any = frame["id"][i] if person else i
            smallest[who] = min(smallest.get(who, 10**6), len(classes[row]))
            homes[frame["house"][i] or f"none {who}"].add(who)
        risks = [om.household_risk([1 / smallest[who] for who in home]) for home in homes.values()]
        assert risk.household == pytest.approx(np.mean(risks))
        assert risk.household_largest == pytest.approx(max(risks))
    assert any("Somebody of a household" in reading for reading in result.assessment.readings)


# ---- what is not known of a table alone -----------------------------------------------------------------------------------


def test_nothing_holds_by_records_where_persons_are_counted() -> None:
    frame = people(1)
    known = by_person(om.Generalization(hierarchies=HIERARCHIES), om.KAnonymity(2), om.TCloseness(0.9, "ill"))
    released = om.anonymize(frame, known, seed=1).data
    for original in (None, frame):
        verified = om.verify(released, known, original=original)
        assert verified.verdict == "not everything could be checked"
        assert [f.state for f in verified if f.model in known.require] == ["NOT CHECKED"] * 2
        assert all(f.holds for f in verified if f.model not in known.require)
    assert om.verify(released, om.Policy(attributes=ATTRIBUTES, require=known.require)).holds
