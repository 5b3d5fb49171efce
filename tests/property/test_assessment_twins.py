"""Assessment against plain twins (specification 10): classes, risks, divergence, distances, linkage, score.

Tables have up to twelve records of one to three columns of any kind, with missing values, removed and dropped records.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import event, given, note, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject

import ontomask as om
from ontomask.assessment.linkage import KINDS, linkage_of
from ontomask.assessment.loss import Loss, loss_of
from ontomask.assessment.pairing import pair_frames
from tests.oracle import plain_assessment as twin
from tests.oracle.plain_masking import PlainTable, Record, unweighted
from tests.property.strategies import cases
from tests.property.tables import Sheet, sheets
from tests.property.test_masking_twins import assert_close, some_kept, some_masking
from tests.property.test_models import severities

SEEDS = st.integers(0, 2**32)
#: Narrow domains, so that most tables have classes of several sizes; missing values are values here.
CELLS: tuple[list[Any], ...] = (
    ["x", "y", "z"],
    [1, 2, 3, None],
    ["0", "00", " ", None],
    [0.5, 1.0, -1.0],
    [True, False],
)


def some_rows(chance: random.Random, n: int) -> tuple[list[Record], list[list[Any]]]:
    domains = [chance.choice(CELLS) for _ in range(chance.choice((1, 1, 2, 3)))]
    return [tuple(chance.choice(domain) for domain in domains) for _ in range(n)], domains


def frame_of(rows: Sequence[Record], domains: Sequence[list[Any]]) -> pl.DataFrame:
    types = [next(pl.Series([v]).dtype for v in domain if v is not None) for domain in domains]
    columns = zip(*rows, strict=True)
    return pl.DataFrame(
        {f"c{i}": pl.Series(list(c), dtype=t) for i, (c, t) in enumerate(zip(columns, types, strict=True))}
    )


# ---- who stands out ------------------------------------------------------------------------------------------------


@settings(max_examples=cases(800))
@given(SEEDS)
def test_disclosure_risk(seed: int) -> None:
    chance = random.Random(seed)
    n = chance.randint(1, 12)
    rows, domains = some_rows(chance, n)
    kinds = {f"c{i}": chance.choice((om.Flat(), om.Flat(missing="drop_record"))) for i in range(len(domains))}
    people = None
    if chance.random() < 0.5:
        people = [*rows, *chance.choices(rows, k=chance.choice((0, 1, 5, 20))), *some_rows_of(chance, domains)]
        chance.shuffle(people)
    severity = real_severity = None
    frame = frame_of(rows, domains)
    if chance.random() < 0.4:
        real_severity, plain_severity = severities(chance, ("s", "z"))
        secrets = [(chance.choice("pqrstuv"), chance.choice("pqrstuv")) for _ in rows]
        frame = frame.with_columns(s=pl.Series([a for a, _ in secrets]), z=pl.Series([b for _, b in secrets]))
        severity = [
            max(plain_severity.number(c, v, m) for c, v in (("s", a), ("z", b)) for m in (1, 2, 3)) for a, b in secrets
        ]
    population = None if people is None else frame_of(people, domains)
    real = om.disclosure_risk(frame, kinds, population=population, severity=real_severity)
    assert real.columns == list(kinds)
    assert (real.records, real.population) == (n, None if people is None else len(people))
    assert real.sizes.rows() == twin.class_sizes(rows)
    assert real.classes == len(set(rows))
    assert real.smallest == min(len(twin.class_of(rows, i)) for i in range(n))
    assert real.unique == twin.below(rows, 2)
    assert [real.below(size) for size in (1, 2, 3, 5, 100)] == [twin.below(rows, size) for size in (1, 2, 3, 5, 100)]
    assert real.below() == twin.below(rows, 5)
    assert_close([real.prosecutor_largest, real.prosecutor], [float(x) for x in twin.prosecutor(rows)])
    assert_close([real.journalist_largest, real.marketer], [float(x) for x in twin.in_population(rows, people)])
    if severity is None:
        assert real.severity_weighted is real.severe_unique is None
    else:
        assert_close(real.severity_weighted, float(twin.severity_weighted(rows, severity)))
        assert real.severe_unique == twin.severe_unique(rows, severity)
    # Nobody is safer than the population makes them, nor easier to find than with all known to be in the table.
    assert real.marketer <= real.prosecutor * (1 + 1e-12)
    assert real.journalist_largest <= real.prosecutor_largest


def some_rows_of(chance: random.Random, domains: Sequence[list[Any]]) -> list[Record]:
    return [tuple(chance.choice(domain) for domain in domains) for _ in range(chance.choice((0, 2, 8)))]


@settings(max_examples=cases(160))
@given(SEEDS)
def test_a_population_that_lacks_somebody(seed: int) -> None:
    chance = random.Random(seed)
    rows, domains = some_rows(chance, chance.randint(2, 10))
    people = [*rows, *chance.choices(rows, k=3)]
    short = chance.choice(rows)
    while people.count(short) >= rows.count(short):
        people.remove(short)
    if not people:
        return
    kinds = {f"c{i}": om.Flat() for i in range(len(domains))}
    with pytest.raises(om.errors.DataError, match="the population has fewer records than the table in 1 class"):
        om.disclosure_risk(frame_of(rows, domains), kinds, population=frame_of(people, domains))


# ---- loss -----------------------------------------------------------------------------------------------------------


def check_loss(
    real: Loss, sheet: Sheet, original: Sequence[Record], masked: Sequence[Record], own: Sequence[int], n: int
) -> None:
    """``original``: what was not dropped; masked record j was made from original[own[j]]; n: all there were."""
    were, removed = [original[i] for i in own], n - len(own)
    table = PlainTable(original, unweighted(sheet.attributes), others=masked)
    became: dict[int, Record] = dict(zip(own, masked, strict=True))
    lost = []
    for at, column in enumerate(table.columns):
        name = f"c{at}"
        note(name)
        both = [r[at] for r in were], [r[at] for r in masked]
        assert_close(real.changed[name], float(twin.changed(*both, removed)))
        assert_close(real.relative[name], twin.relative(column, *both, removed))
        assert_close(real.sum_wsd[name], twin.sum_wsd(column, *both, removed))
        assert_close(real.sse[name], twin.sse(column, *both, removed))
        assert_close(real.rmse[name], math.sqrt(twin.sse(column, *both, removed) / n))
        shown = [became[i][at] if i in became else twin.GONE for i in range(len(original))]
        possible = twin.centres(column)
        lost.append(twin.variance_lost(column.column, shown, possible, column.relative, n - len(original)))
        assert_close(real.variance_lost[name], 100 * lost[-1])
    assert_close(real.semantic_loss, math.fsum(real.relative.values()) / len(real.relative))
    assert_close(real.divergence, twin.divergence(original, masked, n - len(original)))
    assert_close(real.information_loss, twin.information_loss(lost, [a.weight for a in sheet.attributes]))
    assert_close(real.record_loss, twin.record_loss(table, original, masked, were, removed))
    assert real.discernibility == twin.discernibility(masked, removed)
    assert real.discernibility_before == twin.discernibility(original)
    assert (real.records, real.removed) == (n, removed)


@settings(max_examples=cases(400))
@given(st.data())
def test_loss(data: DataObject) -> None:
    sheet = data.draw(sheets(most=12, widest=3))
    masked, kept = some_masking(data, sheet), some_kept(data, sheet.n)
    own = list(range(sheet.n)) if kept is None else kept
    masked = [masked[i] for i in own]
    pairing = pair_frames(sheet.frame(sheet.records), sheet.frame(masked), sheet.real_attributes, kept)
    check_loss(loss_of(pairing), sheet, sheet.records, masked, own, sheet.n)


@settings(max_examples=cases(160))
@given(st.data())
def test_what_a_policy_drops_is_removed_and_no_part_of_the_original(data: DataObject) -> None:
    sheet = data.draw(sheets(most=12, widest=3))
    real = {name: a.model_copy(update={"missing": "drop_record"}) for name, a in sheet.real_attributes.items()}
    there = [i for i, r in enumerate(sheet.records) if None not in r]
    if not there:
        return
    event(f"{sheet.n - len(there) > 0} dropped")
    made = some_masking(data, sheet)
    kept = data.draw(st.lists(st.sampled_from(there), min_size=1, unique=True))
    masked = [made[i] for i in kept]
    original, own = [sheet.records[i] for i in there], [there.index(i) for i in kept]
    if any(a.kind == "ordinal" and isinstance(a.order[0], int) for a in sheet.attributes):
        return  # the scale is what occurs, and that is another one without the dropped
    found = om.information_loss(sheet.frame(sheet.records), sheet.frame(masked), real, records=kept)
    check_loss(found, sheet, original, masked, own, sheet.n)


# ---- linkage, score, all of it ---------------------------------------------------------------------------------------


@settings(max_examples=cases(160))
@given(st.data())
def test_linkage(data: DataObject) -> None:
    sheet = data.draw(sheets(most=12, widest=3))
    masked, kept = some_masking(data, sheet), some_kept(data, sheet.n)
    own = list(range(sheet.n)) if kept is None else kept
    masked = [masked[i] for i in own]
    pairing = pair_frames(sheet.frame(sheet.records), sheet.frame(masked), sheet.real_attributes, kept)
    for kind in KINDS:
        note(kind)
        expected = twin.linkage(kind, sheet.records, masked, sheet.attributes, own)
        assert_close(linkage_of(pairing, kind), expected)
        # Trying all of them one by one is trying all of them.
        every = np.arange((pairing.masked if kind == "masked_distance" else pairing.original).p)
        if kind in ("semantic", "masked_distance"):
            assert_close(linkage_of(pairing, kind, tried=every), expected)
            parts = [linkage_of(pairing, kind, tried=every[i : i + 1]) for i in every]
            if all(part < 1 for part in parts):  # each an estimate of the whole
                assert_close(math.fsum(parts) / len(parts), expected)


# Missing numbers beside numbers that lie beyond the range of the original are at no metric.
@pytest.mark.filterwarnings("ignore:the distance covariance is slightly negative")
@settings(max_examples=cases(120))
@given(st.data())
def test_assess(data: DataObject) -> None:
    sheet = data.draw(sheets(most=12, widest=3))
    masked, kept = some_masking(data, sheet), some_kept(data, sheet.n)
    own = list(range(sheet.n)) if kept is None else kept
    masked = [masked[i] for i in own]
    frames = sheet.frame(sheet.records), sheet.frame(masked)
    found = om.assess(*frames, sheet.real_attributes, records=kept, samples=0)
    check_loss(found.loss, sheet, sheet.records, masked, own, sheet.n)
    expected = {k: twin.linkage(k, sheet.records, masked, sheet.attributes, own) for k in KINDS}
    assert list(found.linkage) == list(expected)
    assert_close(list(found.linkage.values()), list(expected.values()))
    loss = found.loss.information_loss
    for alpha in (0, 0.05, 0.5, 1, 1.0):
        for kind in KINDS:
            assert_close(found.score(alpha, kind), twin.score(alpha, loss, expected[kind]))
    assert found.score() == found.score(0.5, "masked_matching")
    assert found.curve["alpha"].to_list() == [i / 20 for i in range(21)]
    for kind in ("masked_matching", "semantic"):
        course = [twin.score(i / 20, loss, expected[kind]) for i in range(21)]
        assert_close(found.curve[f"score ({kind})"].to_list(), course)
    for risk, rows in ((found.risk_before, sheet.records), (found.risk_after, masked)):
        assert risk.sizes.rows() == twin.class_sizes(rows)
        assert_close([risk.prosecutor_largest, risk.prosecutor], [float(x) for x in twin.prosecutor(rows)])
    assert found.columns == {f"c{i}": a.kind for i, a in enumerate(sheet.attributes)}
    assert found.tried is None
    assert found.ncp is None
    assert (found.clustering is None) == (sheet.n < 2)
    figures = {(r["figure"], r["attribute"], r["with"]): r for r in found.figures.to_dicts()}
    assert len(figures) == len(found.figures), "each figure once"
    for kind in KINDS:
        assert figures[f"linkage ({kind})", None, None]["value"] == found.linkage[kind]
    assert figures["classes", None, None] | {"original": 0, "masked": 0, "value": 0} == {
        "figure": "classes", "attribute": None, "with": None, "original": 0, "masked": 0, "value": 0
    }  # fmt: skip
    assert figures["classes", None, None]["masked"] == len(set(masked))
    assert figures["unique records", None, None]["value"] == twin.below(masked, 2) - twin.below(sheet.records, 2)
    if not unknown(sheet, masked):
        assert not [text for text in found.readings if re.search(r"\bnan\b", text)]


# ---- masked == original ------------------------------------------------------------------------------------------------


@settings(max_examples=cases(120))
@given(st.data())
def test_nothing_masked_is_nothing_lost(data: DataObject) -> None:
    """Every measure at its best for the data, and at its worst for the people in them."""
    sheet = data.draw(sheets(most=12, widest=3))
    frame = sheet.frame(sheet.records)
    found = om.assess(frame, frame, sheet.real_attributes, samples=5, seed=3)
    loss = found.loss
    for values in (loss.sse, loss.rmse, loss.relative, loss.sum_wsd, loss.changed):
        assert set(values.values()) == {0.0}
    assert (
        loss.sse_record
        == loss.semantic_loss
        == loss.information_loss
        == loss.record_loss
        == loss.divergence
        == loss.removed
        == 0
    )
    assert loss.discernibility == loss.discernibility_before == twin.discernibility(sheet.records)
    alone = math.fsum(1 / len(twin.class_of(sheet.records, i)) for i in range(sheet.n)) / sheet.n
    assert_close(found.linkage["matching"], alone)
    assert_close(found.linkage["masked_matching"], alone)
    for kind in ("semantic", "masked_distance"):
        assert_close(
            found.linkage[kind], twin.linkage(kind, sheet.records, sheet.records, sheet.attributes, range(sheet.n))
        )
        assert found.linkage[kind] <= alone * (1 + 1e-12)
        if telling(sheet):
            assert_close(found.linkage[kind], alone)
    assert found.risk_before.figures == found.risk_after.figures
    assert found.risk_before.sizes.equals(found.risk_after.sizes)
    for alpha in (0, 0.25, 1):
        assert_close(found.score(alpha), (1 - alpha) * 100 * alone)
    kept = found.preservation
    drifts = dict(zip(kept.means["attribute"], kept.means["drift"], strict=True))
    assert {drift for name, drift in drifts.items() if name not in unknown(sheet, sheet.records)} <= {0.0}
    assert set(kept.statistics["delta"]) <= {0.0, None} or no_numbers(sheet)
    assert set(kept.dependence["difference"]) <= {0.0, None}
    assert found.clustering is None or found.clustering.distance == 0
    assert "No value changed: nothing was lost, and nothing was masked." in found.readings


def telling(sheet: Sheet) -> bool:
    """Is there a distance between any two different records?

    Measures from information content may give 0, and so does the largest distance of a column with one concept, which
    is that of a missing value.
    """
    columns = PlainTable(sheet.records, sheet.attributes).columns
    return all(a.measure not in ("lin", "jiang_conrath") for a in sheet.attributes) and all(
        c.kind != "nominal" or c.largest > 0 or len(set(c.column)) < 2 for c in columns
    )


def unknown(sheet: Sheet, masked: Sequence[Record]) -> set[str]:
    """Columns of numbers or ranks that are all missing: tests/unit/test_readings.py looks at them by themselves."""
    found = set()
    for rows in (sheet.records, masked):
        for at, attribute in enumerate(sheet.attributes):
            if attribute.kind in ("numeric", "ordinal") and all(row[at] is None for row in rows):
                found.add(f"c{at}")
    return found


def no_numbers(sheet: Sheet) -> bool:
    """Is there a column on a line with fewer than two values, or a pair of them? It has no variance, or no covariance."""
    lines = [i for i, a in enumerate(sheet.attributes) if a.kind in ("numeric", "ordinal")]
    known = [[i for i, r in enumerate(sheet.records) if r[c] is not None] for c in lines]
    return any(len(set(one) & set(other)) < 2 for one in known for other in known)
