"""Profile anonymity is what a plain count of sorted records finds, and its masking is what the definitions say."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject
from scipy.optimize import linear_sum_assignment

import ontomask as om
from ontomask.kernels.profiles import group_persons, new_assignment, profile_distances
from ontomask.kernels.space import new_point
from ontomask.masking import profile_microaggregation
from ontomask.masking.profile_microaggregation import ProfileGroups
from ontomask.policy.prepared import prepare
from ontomask.privacy.examined import Examined
from ontomask.privacy.units import RECORDS, Units
from ontomask.wording import PERSON
from tests.oracle import plain_profiles as twin
from tests.property.strategies import cases
from tests.property.tables import DISTANCES, sheets
from tests.property.test_person_twins import operators, owned, some_k, some_persons

ATTRIBUTES = {
    "id": om.Identifier(),
    "age": om.Numeric(),
    "job": om.Flat(),
    "grade": om.Ordinal(order=["low", "mid", "high"]),
    "ill": om.Flat(role="sensitive"),
}
QUASI = ["age", "job", "grade"]


def people(seed: int, most: int = 6) -> pl.DataFrame:
    """Persons of one to so many records, in random order."""
    rng = np.random.default_rng([seed, 11])
    many = rng.integers(1, most + 1, int(rng.integers(6, 40)))
    of = rng.permutation(np.repeat(np.arange(len(many)), many))
    return pl.DataFrame(
        {
            "id": [f"p{person}" for person in of],
            "age": rng.integers(20, 20 + int(rng.integers(2, 30)), len(of)),
            "job": rng.choice(["cook", "nurse", "pilot"], len(of)),
            "grade": rng.choice(["low", "mid", "high"], len(of)),
            "ill": rng.choice(["flu", "gout"], len(of)),
        }
    )


@settings(max_examples=cases(600))
@given(st.data())
def test_the_model_counts_sorted_records(data: DataObject) -> None:
    n = data.draw(st.integers(1, 24))
    records = data.draw(st.lists(st.tuples(st.integers(0, 2), st.sampled_from("ab")), min_size=n, max_size=n))
    persons = some_persons(data, n)
    frame = pl.DataFrame(records, schema=["x", "y"], orient="row")
    table = Examined(frame, ["x", "y"], {}, Units(PERSON, np.array(persons)))
    fewest = twin.rarest(persons, records)
    for k in range(1, 5):
        found = om.ProfileAnonymity(k).check_table(table)
        assert (found.holds, found.worst) == (fewest >= k, fewest)
        shared = Counter(twin.profiles(persons, records).values())
        assert found.records == sum(number for number in shared.values() if number < k)
        assert len(found.violations) == sum(number < k for number in shared.values())


@settings(max_examples=cases(100))
@given(st.data())
def test_records_of_nobody_are_persons_of_their_own(data: DataObject) -> None:
    n = data.draw(st.integers(1, 20))
    values = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    table = Examined(pl.DataFrame({"x": values}), ["x"], {}, RECORDS)
    for k in (1, 2, 3):
        assert om.ProfileAnonymity(k).check_table(table).holds == om.KAnonymity(k).check_table(table).holds


@settings(max_examples=cases(300))
@given(st.data())
def test_distances_and_groups(data: DataObject) -> None:
    sheet, how = data.draw(sheets()), data.draw(st.sampled_from(DISTANCES))
    persons = some_persons(data, sheet.n)
    k, table = some_k(data, persons), owned(sheet, persons)
    event(f"k={k}")
    groups = ProfileGroups(operators(table, how, "semantic"), table.rows, k)
    (block,) = groups.blocks()
    tuples = list(dict.fromkeys(sheet.records))
    own = [
        [tuples[t] for t in groups.profiles.tuples[groups.profiles.at[i] : groups.profiles.at[i + 1]]] for i in block
    ]
    plain, worst = sheet.plain(how), groups.profiles.worst
    expected = [[twin.distance(plain, a, b, worst) for b in own] for a in own]
    measured = np.zeros((len(block), len(block)))
    space = groups.operators.space
    profile_distances(
        space, new_point(space), groups.profiles, new_assignment(int(groups.sizes.max())), block, measured
    )
    np.testing.assert_allclose(measured, expected, rtol=1e-9, atol=1e-12)
    # No two records are farther apart than what a record without a partner costs.
    assert max(plain.distance(a, b) for a in tuples for b in tuples) <= worst * (1 + 1e-12) + 1e-12
    found = np.empty(len(block), dtype=np.int64)
    number = group_persons(np.array(expected), k, found)
    assert found.tolist() == twin.group(expected, k)
    assert number == found.max() + 1


@pytest.mark.parametrize("size", [1, 2, 5, 12, 40])
def test_assignments_are_the_cheapest(size: int) -> None:
    """Of many records, on a line, where ties are rare."""
    rng = np.random.default_rng(size)
    frame = pl.DataFrame({"x": rng.random(3 * size), "y": rng.random(3 * size)})
    attributes = {"x": om.Numeric(), "y": om.Numeric()}
    policy = om.Policy(attributes=attributes, method=om.ProfileMicroaggregation(k=1))
    prepared = prepare(frame, policy)
    owner = np.repeat([0, 1], [size, 2 * size])
    rows = replace(prepared.table.rows, unit_of=owner)
    groups = ProfileGroups(om.ProfileMicroaggregation(k=1).operators(prepared.table), rows, 1)
    measured = np.zeros((2, 2))
    space = groups.operators.space
    room = new_assignment(int(groups.sizes.max()))
    profile_distances(space, new_point(space), groups.profiles, room, np.array([0, 1]), measured)
    spans = [float(frame[c].max() - frame[c].min()) for c in "xy"]  # type: ignore[operator]
    at = frame.to_numpy() / spans
    costs = np.abs(at[:size, None] - at[None, size:]).sum(axis=2) / 2
    best = costs[linear_sum_assignment(costs)].sum() + size
    assert measured[0, 1] == pytest.approx(best, rel=1e-12)


@pytest.mark.parametrize("seed", range(cases(150)))
def test_every_profile_of_the_release_is_that_of_k_persons(seed: int) -> None:
    frame, k = people(seed), 2 + seed % 4
    method = om.ProfileMicroaggregation(k, distance="s" if seed % 3 == 0 else "mean")
    require = [om.ProfileAnonymity(k)] if seed % 2 else []
    policy = om.Policy(attributes=ATTRIBUTES, method=method, person="id", require=require, row_order="shuffled")
    result = om.anonymize(frame, policy, seed=seed)
    persons = [frame["id"][record] for record in result.records.tolist()]
    assert twin.rarest(persons, result.data.select(QUASI).rows()) >= k
    assert "id" not in result.data.columns
    # Every person keeps records: those of the fewest of its group.
    assert set(persons) == set(frame["id"])
    removed = len(frame) - len(result.data)
    noted = [str(note) for note in result.notes if "suppressed" in str(note)]
    assert noted == (
        [f"{removed:,} of {len(frame):,} records suppressed: others of their group have fewer records"] * bool(removed)
    )


def test_what_is_k_anonymous_by_records_is_rarely_so_by_profiles() -> None:
    """The tests above can fail."""
    frame = people(3)
    policy = om.Policy(
        attributes=ATTRIBUTES, method=om.Microaggregation(3), person="id", require=[om.ProfileAnonymity(3)]
    )
    with pytest.raises(om.errors.NotSatisfied, match="profiles are shared by fewer than 3 persons"):
        om.anonymize(frame, policy, seed=1)


def test_persons_of_many_records_are_compared_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profile_microaggregation, "MOST_PERSONS", 8)
    monkeypatch.setattr(profile_microaggregation, "STEPS", 500)
    for seed in range(10):
        frame = people(seed, most=12)
        policy = om.Policy(attributes=ATTRIBUTES, method=om.ProfileMicroaggregation(2), person="id")
        result = om.anonymize(frame, policy, seed=seed)
        persons = [frame["id"][record] for record in result.records.tolist()]
        assert twin.rarest(persons, result.data.select(QUASI).rows()) >= 2
