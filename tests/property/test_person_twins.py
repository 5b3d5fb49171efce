"""Masking that counts persons equals the plain definitions, and gives what it gives by records where each has one person."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject

import ontomask as om
from ontomask.masking import microaggregation
from ontomask.masking.resampling import draw_samples, grouped_by_rank
from ontomask.microdata.encoding import Table, TupleUnits
from ontomask.operators.aggregation import Operators
from ontomask.operators.record_distance import RecordDistance
from ontomask.progress import silent
from ontomask.wording import PERSON
from tests.oracle import plain_masking as twin
from tests.property.strategies import cases
from tests.property.tables import CENTROIDS, DISTANCES, Sheet, sheets

distances = st.sampled_from(DISTANCES)
centroids = st.sampled_from(CENTROIDS)
comparisons = st.sampled_from(("plain", "weighted"))


def owned(sheet: Sheet, persons: list[int]) -> Table:
    """The table of a sheet, with a person for each record."""
    unit_of = np.array(persons, dtype=np.int64)
    rows = replace(sheet.table.rows, unit_of=unit_of)
    return replace(sheet.table, rows=rows, units=TupleUnits(PERSON, rows.tuple_of, rows.p, unit_of))


def some_persons(data: DataObject, n: int) -> list[int]:
    """Whose each record is: of one to six records each, in any order."""
    most = data.draw(st.integers(1, 6))
    event(f"at most {most} records of a person")
    order = data.draw(st.permutations([person for person in range(n) for _ in range(most)][: max(n, 1) * most]))
    return list(np.unique(order[:n], return_inverse=True)[1])


def some_k(data: DataObject, persons: list[int]) -> int:
    number = len(set(persons))
    return data.draw(st.integers(1, min(number, 5)))


def operators(table: Table, how: tuple[str, str], centroid: str) -> Operators:
    return Operators.of(table, RecordDistance.of(table, *how), centroid)  # type: ignore[arg-type]


@settings(max_examples=cases(500))
@given(st.data())
def test_mdav(data: DataObject) -> None:
    sheet, how, centroid = data.draw(sheets()), data.draw(distances), data.draw(centroids)
    persons = some_persons(data, sheet.n)
    k, table = some_k(data, persons), owned(sheet, persons)
    expected = twin.mdav(sheet.records, sheet.attributes, k, *how, centroid, persons=persons)
    groups, number = microaggregation.mdav(operators(table, how, centroid), table.rows, k, silent)
    assert groups.tolist() == expected
    assert number == max(expected) + 1


@settings(max_examples=cases(500))
@given(st.data())
def test_adaptive(data: DataObject) -> None:
    sheet, how, centroid = data.draw(sheets()), data.draw(distances), data.draw(centroids)
    persons, comparison, static = some_persons(data, sheet.n), data.draw(comparisons), data.draw(st.booleans())
    k, table = some_k(data, persons), owned(sheet, persons)
    expected = twin.adaptive(sheet.records, sheet.attributes, k, *how, centroid, comparison, static, persons)
    groups, number = microaggregation.adaptive(
        operators(table, how, centroid), k, weighted=comparison == "weighted", static=static, progress=silent
    )
    assert groups[table.rows.tuple_of].tolist() == expected
    assert number == max(expected) + 1


@settings(max_examples=cases(500))
@given(st.data())
def test_recoding(data: DataObject) -> None:
    sheet, (distance, normalize) = data.draw(sheets()), data.draw(distances)
    persons, comparison = some_persons(data, sheet.n), data.draw(comparisons)
    k, table = some_k(data, persons), owned(sheet, persons)
    guide = data.draw(st.sampled_from(("semantic", "semantic", "discernibility")))
    method = om.Recoding(k=k, guide=guide, comparison=comparison, distance=distance, normalize=normalize)
    masked = method.mask(table, np.random.default_rng(0), silent)
    expected = twin.recoding(sheet.records, sheet.attributes, k, guide, comparison, distance, normalize, persons)
    centres = sheet.decoded(masked.centres)
    assert [centres[g] for g in masked.group_of] == expected


@settings(max_examples=cases(300))
@given(st.data())
def test_samples_share_no_person(data: DataObject) -> None:
    """So the records at one place of all samples are of k persons."""
    sheet = data.draw(sheets())
    persons = some_persons(data, sheet.n)
    k, table = some_k(data, persons), owned(sheet, persons)
    samples = draw_samples(table.rows, k, np.random.default_rng(data.draw(st.integers(0, 99))))
    assert samples.shape[0] == k
    assert samples.shape[1] >= 1
    assert len(set(samples.ravel().tolist())) == samples.size
    of_sample = [{persons[record] for record in sample} for sample in samples.tolist()]
    assert sum(map(len, of_sample)) == len(set().union(*of_sample))
    # As large as the smallest share can be: no other sample has a person's records more than this one.
    totals = [sum(persons[i] in own for i in range(sheet.n)) for own in of_sample]
    assert max(totals) - samples.shape[1] <= max(persons.count(person) for person in set(persons))
    groups = grouped_by_rank(operators(table, ("mean", "pairwise"), "semantic"), table.rows, samples, "plain", silent)
    for group in range(samples.shape[1]):
        assert len({persons[i] for i in np.flatnonzero(groups == group)}) >= k


METHODS = [
    om.Microaggregation(k=3, partition="mdav"),
    om.Microaggregation(k=3, partition="adaptive"),
    om.Recoding(k=3),
    om.Recoding(k=3, guide="discernibility"),
    om.Recoding(k=3, guide="random"),
    om.Suppression(k=2),
]


@pytest.mark.parametrize("method", METHODS, ids=repr)
@settings(max_examples=cases(60))
@given(data=st.data())
def test_one_record_of_each_person_is_as_before(method: om.Microaggregation, data: DataObject) -> None:
    sheet = data.draw(sheets())
    assume(sheet.n >= 3)
    table = owned(sheet, data.draw(st.permutations(range(sheet.n))))
    if isinstance(method, om.Suppression):
        assume(bool((table.counts >= 2).any()))
    one, other = (method.mask(t, np.random.default_rng(1), silent) for t in (sheet.table, table))
    assert one.group_of.tolist() == other.group_of.tolist()
    assert all(
        np.array_equal(a, b, equal_nan=a.dtype.kind == "f") for a, b in zip(one.centres, other.centres, strict=True)
    )


@settings(max_examples=cases(200))
@given(st.data())
def test_units_of_tuples(data: DataObject) -> None:
    sheet = data.draw(sheets())
    persons = some_persons(data, sheet.n)
    units = owned(sheet, persons).units
    assert units is not None
    expected = defaultdict(set)
    for t, person in zip(sheet.table.rows.tuple_of.tolist(), persons, strict=True):
        expected[t].add(person)
    found = [units.unit[units.at[t] : units.at[t + 1]].tolist() for t in range(sheet.table.p)]
    assert found == [sorted(expected[t]) for t in range(sheet.table.p)]
    assert units.number == len(set(persons))
