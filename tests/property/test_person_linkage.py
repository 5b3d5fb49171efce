"""Record linkage by persons equals its plain definition, and linkage by records where each person has one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject

import ontomask as om
from ontomask.assessment.assess import _sample
from ontomask.assessment.linkage import KINDS, linkage_of
from ontomask.assessment.pairing import Pairing, pair_frames
from ontomask.wording import PERSON
from tests.oracle.plain_masking import PlainTable, Record, least_ones, unweighted
from tests.property.strategies import cases
from tests.property.tables import DISTANCES, sheets
from tests.property.test_masking_twins import some_kept, some_masking
from tests.property.test_person_twins import some_persons
from tests.property.test_profiles import ATTRIBUTES, people


def plain(
    known: Sequence[Record],
    sought: Sequence[Record],
    owners: tuple[Sequence[int], Sequence[int]],
    table: PlainTable | None,
    persons: int,
) -> float:
    """Each known record is linked to the nearest sought ones (without a table: to equal ones); a person is found by the record
    that has the fewest persons beside it."""
    best: dict[int, float] = {}
    for record, person in zip(known, owners[0], strict=True):
        if table is None:
            linked = [i for i, other in enumerate(sought) if other == record]
        else:
            linked = least_ones(table.distance(record, other) for other in sought) if sought else []
        among = {owners[1][i] for i in linked}
        if person in among:
            best[person] = max(best.get(person, 0.0), 1 / len(among))
    return sum(best.values()) / persons


def with_persons(pairing: Pairing, persons: Sequence[int]) -> Pairing:
    return replace(pairing, original=pairing.original.owned(PERSON, np.array(persons)), _found={})


@settings(max_examples=cases(400))
@given(st.data())
def test_linkage_by_persons(data: DataObject) -> None:
    sheet, how = data.draw(sheets()), data.draw(st.sampled_from(DISTANCES))
    masked, kept = some_masking(data, sheet), some_kept(data, sheet.n)
    masked = masked if kept is None else [masked[i] for i in kept]
    persons = some_persons(data, sheet.n)
    released = persons if kept is None else [persons[i] for i in kept]
    pairing = pair_frames(sheet.frame(sheet.records), sheet.frame(masked), sheet.real_attributes, kept)
    pairing = with_persons(pairing, persons)
    table = PlainTable(sheet.records, unweighted(sheet.attributes), *how, others=masked)
    turned = PlainTable(sheet.records, unweighted(sheet.attributes), *how, others=masked)
    number = len(set(persons))
    expected = {
        "semantic": plain(sheet.records, masked, (persons, released), table, number),
        "matching": plain(sheet.records, masked, (persons, released), None, number),
        "masked_matching": plain(masked, sheet.records, (released, persons), None, number),
        "masked_distance": plain(masked, sheet.records, (released, persons), turned, number),
    }
    for kind, share in expected.items():
        note(kind)
        assert linkage_of(pairing, kind, *how) == pytest.approx(share, rel=1e-9, abs=1e-12)  # type: ignore[arg-type]
    assert pairing.size == number
    assert pairing.released == len(set(released))


@settings(max_examples=cases(150))
@given(st.data())
def test_one_record_of_each_person(data: DataObject) -> None:
    sheet = data.draw(sheets())
    masked = some_masking(data, sheet)
    pairing = pair_frames(sheet.frame(sheet.records), sheet.frame(masked), sheet.real_attributes)
    own = with_persons(pairing, data.draw(st.permutations(range(sheet.n))))
    for kind in KINDS:
        assert linkage_of(own, kind) == pytest.approx(linkage_of(pairing, kind), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("kind", ["semantic", "masked_distance"])
def test_samples_are_of_persons_with_all_their_records(kind: str) -> None:
    """The mean over many samples is what all persons give."""
    frame = people(7)
    policy = om.Policy(attributes=ATTRIBUTES, method=om.NoiseAddition(share=0.1, columns=["age"]), person="id")
    pairing = om.anonymize(frame, policy, seed=3).pairing
    whole = linkage_of(pairing, kind)  # type: ignore[arg-type]
    rng, shares = np.random.default_rng(1), []
    for _ in range(400):
        some, tuples, persons = _sample(pairing, kind, 12, rng)  # type: ignore[arg-type]
        assert len(some) == persons
        assert tuples <= 12 + 6
        shares.append(linkage_of(pairing, kind, tried=some))  # type: ignore[arg-type]
    assert whole > 0
    assert np.mean(shares) == pytest.approx(whole, abs=4 * np.std(shares) / 20 + 0.02)


@pytest.mark.parametrize("seed", range(10))
def test_an_assessment_of_files_is_that_of_the_result(seed: int) -> None:
    """Also where rows are shuffled and some are left out: the original says whose the records are."""
    frame = people(seed)
    method = [om.Microaggregation(3), om.ProfileMicroaggregation(2), om.Recoding(2)][seed % 3]
    policy = om.Policy(attributes=ATTRIBUTES, method=method, person="id", row_order="shuffled")
    result = om.anonymize(frame, policy, seed=seed)
    found = om.assess(frame, result.data, policy, records=result.records.tolist())
    assert found.linkage == pytest.approx(result.assessment.linkage)
    assert found.risk_after.figures == result.assessment.risk_after.figures
    assert found.worst_attack == result.assessment.worst_attack
    # k persons: nobody is found with a chance above 1/k by the class.
    k = method.k
    assert found.risk_after.prosecutor_largest <= 1 / k
    assert any("persons" in reading for reading in found.readings)
    assert om.disclosure_risk(frame, policy).figures == result.assessment.risk_before.figures
