"""Order by a reference (R17 def. 3, 7) and wsd (T12 def. 1, 2): the public functions against plain twins."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any, Literal

import numpy as np
from hypothesis import event, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject

import ontomask as om
from tests.oracle import plain_masking as twin
from tests.oracle.plain_masking import PlainTable, Record
from tests.property.strategies import cases
from tests.property.tables import DISTANCES, Sheet, sheets

comparisons: st.SearchStrategy[Literal["plain", "weighted"]] = st.sampled_from(("plain", "weighted"))
hows: st.SearchStrategy[Any] = st.sampled_from(DISTANCES)


def attributes_of(sheet: Sheet) -> dict[str, Any]:
    return {name: a.changed(missing="category") for name, a in sheet.real_attributes.items()}


def draw_reference(data: DataObject, sheet: Sheet) -> Record:
    """A record of the sheet, or one of values that may stand in its columns."""
    chance = random.Random(data.draw(st.integers(0, 2**32)))
    if chance.random() < 0.3:
        return chance.choice(sheet.records)
    drawn = []
    for attribute, column, any_ in zip(
        sheet.attributes, zip(*sheet.records, strict=True), sheet.anything(), strict=True
    ):
        outside = attribute.kind in ("nominal", "numeric") or (
            attribute.kind == "ordinal" and isinstance(attribute.order[0], str)
        )
        known = any_
        if attribute.kind == "numeric":  # near the others: from a million ranges away all of them are equally far
            known = [None, *(v + off for v in column if v is not None for off in (0, 0.5, -3))]
        among = [v for v in known if v is not None or None in column] if outside else list(column)
        drawn.append(chance.choice(among or list(column)))
    return tuple(drawn)


def same_order(real: Any, expected: list[int]) -> None:
    assert [int(i) for i in real] == expected


@settings(max_examples=cases(400))
@given(st.data())
def test_records_by_a_reference(data: DataObject) -> None:
    sheet, how, comparison = data.draw(sheets()), data.draw(hows), data.draw(comparisons)
    reference = draw_reference(data, sheet)
    event("a record of the data" if reference in sheet.records else "another")
    plain = sheet.plain(how, [reference])
    frame, attributes = sheet.frame(sheet.records), attributes_of(sheet)
    given_ = dict(zip(attributes, reference, strict=True))
    order = om.sort_records(
        frame, attributes, reference=given_, comparison=comparison, distance=how[0], normalize=how[1]
    )
    same_order(order, twin.sort_by_reference(sheet.records, plain, reference, comparison))
    often = Counter(sheet.records)
    expected = [0.0 if r == reference else plain.compare(reference, r, often[r], "weighted") for r in sheet.records]
    real = om.weighted_record_distances(frame, attributes, given_, how[0], normalize=how[1])
    np.testing.assert_allclose(real, expected, rtol=1e-9, atol=1e-12)


@settings(max_examples=cases(200))
@given(st.data())
def test_records_by_one_of_them(data: DataObject) -> None:
    """By its row number, and by the most distant of all."""
    sheet, how = data.draw(sheets()), data.draw(hows)
    plain, frame, attributes = sheet.plain(how), sheet.frame(sheet.records), attributes_of(sheet)
    row = data.draw(st.integers(0, sheet.n - 1))
    for reference, record in (
        (row, sheet.records[row]),
        ("most_distant", twin.most_distant_record(sheet.records, plain)),
    ):
        order = om.sort_records(frame, attributes, reference=reference, distance=how[0], normalize=how[1])
        same_order(order, twin.sort_by_reference(sheet.records, plain, record))


@settings(max_examples=cases(400))
@given(st.data())
def test_values_by_a_reference(data: DataObject) -> None:
    sheet, comparison = data.draw(sheets(widest=1)), data.draw(comparisons)
    sheet = Sheet(sheet.attributes[:1], sheet.taxonomies[:1], tuple(r[:1] for r in sheet.records))
    [attribute], column = attributes_of(sheet).values(), [r[0] for r in sheet.records]
    values = sheet.frame(sheet.records).to_series()
    plain = PlainTable(sheet.records, sheet.attributes)
    most = twin.most_distant_record(sheet.records, plain)
    expected = twin.sort_by_reference(sheet.records, plain, most, comparison)
    assert om.sort_values(attribute, values, comparison=comparison) == [column[i] for i in expected]
    [value] = reference = draw_reference(data, sheet)
    if value is None:
        return
    plain = sheet.plain(others=[reference])
    expected = twin.sort_by_reference(sheet.records, plain, reference, comparison)
    assert om.sort_values(attribute, values, value, comparison=comparison) == [column[i] for i in expected]
    weights = [i % 3 for i in range(sheet.n)]
    for given_ in (None, weights):
        often: Counter[Any] = Counter()
        for v, w in zip(column, given_ or [1] * sheet.n, strict=True):
            often[v] += w
        real = om.weighted_distances(attribute, value, values, given_)
        assert list(real) == list(often)
        raw = [often[v] * plain.columns[0].separation(value, v) for v in often]
        np.testing.assert_allclose(list(real.values()), raw, rtol=1e-9, atol=1e-12)
