"""Hybrid microaggregation (M13 Algorithm 1, D12 Algorithm 2): each value is drawn as near as its group reaches."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject
from scipy.stats import chi2

import ontomask as om
from ontomask.masking.hybrid import draw_hybrid
from ontomask.progress import silent
from tests.oracle import plain_masking, plain_swapping
from tests.oracle.plain_masking import PlainAttribute, PlainColumn, Record
from tests.property.strategies import Case, cases
from tests.property.tables import DISTANCES, Sheet, sheets, some_k

seeds = st.integers(0, 2**32)


def plain_columns(sheet: Sheet) -> list[PlainColumn]:
    return [PlainColumn(a, [r[i] for r in sheet.records]) for i, a in enumerate(sheet.attributes)]


def some_groups(data: DataObject, n: int) -> list[int]:
    chance = random.Random(data.draw(seeds))
    number = chance.choice((1, 2, 3, n // 3 or 1, n // 2 or 1, n))
    raw = [chance.randrange(number) for _ in range(n)]
    return np.unique(raw, return_inverse=True)[1].tolist()


def expected_records(sheet: Sheet, groups: list[int], seed: int) -> list[Record]:
    """rng.random(n) for each column in turn."""
    rng = np.random.default_rng(seed)
    columns = [plain_swapping.hybrid(c, groups, rng.random(sheet.n).tolist()) for c in plain_columns(sheet)]
    return list(zip(*columns, strict=True))


def as_values(sheet: Sheet, codes: Any) -> list[Record]:
    columns = zip(sheet.table.columns, codes, strict=True)
    return list(zip(*(column.values.gather(new).to_list() for column, new in columns), strict=True))


@settings(max_examples=cases(400))
@given(st.data())
def test_draws(data: DataObject) -> None:
    """The twin draws the same with the same uniform numbers, from whatever groups."""
    sheet, seed = data.draw(sheets()), data.draw(seeds)
    groups = some_groups(data, sheet.n)
    own = [sheet.table.codes_of(a) for a in range(len(sheet.attributes))]
    codes = draw_hybrid(
        sheet.distance().metrics, own, np.array(groups), max(groups) + 1, np.random.default_rng(seed), silent
    )
    drawn = as_values(sheet, codes)
    for i, column in enumerate(plain_columns(sheet)):  # first what must hold, then which it is
        inside = [[v for v, h in zip(column.column, groups, strict=True) if h == g] for g in groups]
        for old, new, group in zip(column.column, [r[i] for r in drawn], inside, strict=True):
            reach = max(column.relative(old, v) for v in group)
            assert not plain_swapping.below(reach, column.relative(old, new))
            assert new in (group if column.kind == "flat" else column.column)
    assert drawn == expected_records(sheet, groups, seed)


@settings(max_examples=cases(150))
@given(st.data())
def test_whole_method(data: DataObject) -> None:
    """Groups as MDAV or the adaptive partition makes them, then the draws."""
    sheet, seed = data.draw(sheets(18)), data.draw(seeds)
    distance, normalize = data.draw(st.sampled_from(DISTANCES))
    k, partition = data.draw(some_k(sheet.n)), data.draw(st.sampled_from(("mdav", "adaptive")))
    method = om.Microaggregation(
        k=k, replace="hybrid", partition=partition, distance=distance, normalize=normalize, centroid="marginality"
    )
    masked = method.mask(sheet.table, np.random.default_rng(seed), silent)
    centres = sheet.decoded(masked.centres)
    real = [centres[g] for g in masked.group_of]
    form = {"mdav": plain_masking.mdav, "adaptive": plain_masking.adaptive}[partition]
    groups = form(sheet.records, sheet.attributes, k, distance, normalize, "marginality")
    assert real == (list(sheet.records) if k == 1 else expected_records(sheet, groups, seed))


# ---- by hand -------------------------------------------------------------------------------------------------------

TREE = Case([("cat", "animal"), ("dog", "animal"), ("oak", "plant"), ("animal", "thing"), ("plant", "thing")])


def test_candidates_by_hand() -> None:
    """D12 Algorithm 2 on a line: x = 3 in a group {1, 3, 4} reaches 2 each way, also past its group."""
    column = PlainColumn(PlainAttribute("numeric"), [1, 3, 4, 5, 6, 0])
    found = plain_swapping.hybrid_candidates(column, [0, 0, 0, 1, 1, 2])
    assert found == [[0, 1, 3, 4], [1, 3, 4, 5], [1, 3, 4, 5, 6], [4, 5, 6], [5, 6], [0]]
    flat = PlainColumn(PlainAttribute("flat"), ["u", "v", "u", "w"])
    assert plain_swapping.hybrid_candidates(flat, [0, 0, 0, 1]) == [["u", "v", "u"]] * 3 + [["w"]]


@pytest.mark.parametrize("kind", ["nominal", "numeric", "ordinal", "flat"])
def test_each_candidate_is_as_likely_as_the_others(kind: str) -> None:
    """Nominal, ordinal and numeric: uniform over distinct values; flat: over the records of the group."""
    values: dict[str, list[Any]] = {
        "nominal": ["cat", "dog", "oak", "cat", "thing", "cat"],
        "numeric": [1, 3, 4, 1, 6, 1],
        "ordinal": ["low", "half", "much", "low", "all", "low"],
        "flat": ["u", "v", "u", "w", "u", "u"],
    }
    order = ("low", "half", "much", "very", "all")
    attribute = PlainAttribute(kind, TREE.plain if kind == "nominal" else None, order=order)
    sheet = Sheet((attribute,), (TREE.real if kind == "nominal" else None,), tuple((v,) for v in values[kind]))
    groups, times = [0, 0, 0, 0, 1, 1], 2000
    [column], metrics = plain_columns(sheet), sheet.distance().metrics
    rng, own = np.random.default_rng(9), [sheet.table.codes_of(0)]
    counted: list[Counter[Any]] = [Counter() for _ in groups]
    for _ in range(times):
        for record, (new,) in enumerate(as_values(sheet, draw_hybrid(metrics, own, np.array(groups), 2, rng, silent))):
            counted[record][new] += 1
    several = 0
    for seen, among in zip(counted, plain_swapping.hybrid_candidates(column, groups), strict=True):
        chances = {v: w / len(among) for v, w in Counter(among).items()}
        assert set(seen) == set(chances)
        statistic = sum((seen[v] - times * c) ** 2 / (times * c) for v, c in chances.items())
        assert statistic <= chi2.isf(1e-6, max(len(chances) - 1, 1))
        several += len(chances) > 1
    assert several >= 4


# ---- the run -------------------------------------------------------------------------------------------------------


def some_frame(n: int = 60) -> pl.DataFrame:
    chance = random.Random(n)
    return pl.DataFrame(
        {
            "what": chance.choices(["cat", "dog", "oak", "thing"], k=n),
            "colour": chance.choices(["red", "green", "blue"], k=n),
            "age": [chance.randint(20, 80) for _ in range(n)],
            "kept": [f"r{i}" for i in range(n)],
        }
    )


ATTRIBUTES = {
    "what": om.Nominal(taxonomy=TREE.real),
    "colour": om.Flat(),
    "age": om.Numeric(decimals=0),
    "kept": om.Flat(role="other"),
}


@pytest.mark.parametrize("preset", ["marginality_hybrid", "micro_hybrid"])
def test_presets(preset: str) -> None:
    method = om.Microaggregation.preset(preset, k=4)
    assert (method.partition, method.distance, method.normalize) == ("mdav", "s", "published")
    assert (method.centroid, method.replace) == ("marginality", "hybrid")
    assert method.measure == {"marginality_hybrid": "logsc", "micro_hybrid": "weighted_edge"}[preset]
    frame = some_frame()
    result = om.anonymize(frame, om.Policy(attributes=ATTRIBUTES, method=method), seed=1)
    assert result.data.schema == frame.schema
    for name in ("what", "colour", "age"):
        assert set(result.data[name]) <= set(frame[name])
        assert result.data[name].to_list() != frame[name].to_list()
    assert result.data["kept"].equals(frame["kept"])
    again = om.anonymize(frame, om.Policy(attributes=ATTRIBUTES, method=method), seed=1)
    other = om.anonymize(frame, om.Policy(attributes=ATTRIBUTES, method=method), seed=2)
    assert result.data.equals(again.data)
    assert not result.data.equals(other.data)


def test_it_promises_no_k() -> None:
    """Specification 7: hybrid data are not k-anonymous, and the result must say so and be judged by record linkage."""
    method = om.Microaggregation(k=4, replace="hybrid")
    assert method.promised_k == 1
    assert om.Microaggregation(k=4).promised_k == 4
    policy = om.Policy(attributes=ATTRIBUTES, method=method)
    result = om.anonymize(some_frame(), policy, seed=1)
    said = " ".join(map(str, result.guarantees))
    assert "not k-anonymous" in said
    assert "record linkage" in said
    assert "4-anonymity" not in said
    assert "is shared by at least" not in said
    assert 0 <= result.linkage() <= 1
    with pytest.raises(om.errors.NotSatisfied, match="4-anonymity"):
        om.anonymize(some_frame(), policy.changed(require=[om.KAnonymity(4)]), seed=1)


def test_k_1_returns_the_data() -> None:
    frame = some_frame()
    for partition in ("mdav", "adaptive", "auto"):
        method = om.Microaggregation(k=1, replace="hybrid", partition=partition)
        result = om.anonymize(frame, om.Policy(attributes=ATTRIBUTES, method=method), seed=1)
        assert result.data.equals(frame)
        assert any("masks nothing" in text for text in map(str, result.guarantees))
