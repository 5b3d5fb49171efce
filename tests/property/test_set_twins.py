"""Columns of sets equal the plain definitions: distances, centres, groups, recoding, resampling, linkage and loss."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import event, given, note, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject

import ontomask as om
from ontomask.assessment.linkage import linkage_of
from ontomask.assessment.loss import information_loss
from ontomask.assessment.pairing import pair_frames
from ontomask.kernels import searching
from ontomask.kernels.blocks import SIZE, new_blocks
from ontomask.kernels.compiling import compiled
from ontomask.kernels.groups import distances_from
from ontomask.kernels.ordering import near_order
from ontomask.kernels.space import new_point, set_point
from ontomask.masking import microaggregation
from ontomask.masking.resampling import grouped_by_rank
from ontomask.operators.aggregation import Operators, members
from ontomask.operators.ordering import sorted_records
from ontomask.operators.record_distance import RecordDistance
from ontomask.progress import silent
from tests.oracle import plain_masking as twin
from tests.oracle import plain_sets  # noqa: F401 - registers columns of sets
from tests.oracle.plain_masking import Record
from tests.property.strategies import cases
from tests.property.tables import DISTANCES, Sheet, sheets, some_k
from tests.property.test_masking_twins import (
    as_floats,
    assert_close,
    assert_same_records,
    by_chance,
    put,
    some_groups,
    some_kept,
)
from tests.property.test_person_twins import owned, some_persons

KINDS = ("sets", "sets", "sets", "nominal", "flat", "numeric")
distances = st.sampled_from(DISTANCES)
centroids = st.sampled_from(("semantic", "semantic", "mode"))
comparisons = st.sampled_from(("plain", "weighted"))
tables = sheets(kinds=KINDS, widest=3)


@settings(max_examples=cases(400))
@given(st.data())
def test_record_distances(data: DataObject) -> None:
    """Between records and from centres, pair by pair and as the kernels measure them."""
    sheet, how, centroid = data.draw(tables), data.draw(distances), data.draw(centroids)
    plain, distance, operators = sheet.plain(how), sheet.distance(how), sheet.operators(how, centroid)
    tuples = list(twin.frequencies(sheet.records))
    groups = some_groups(data, sheet.n)
    centres = [plain.centre(records, centroid) for records in sheet.grouped(groups)]
    pairs = [(a, b) for a in [*tuples, *centres] for b in tuples]
    expected = [plain.distance(a, b) for a, b in pairs]
    assert_close(distance.pairs(sheet.coded([a for a, _ in pairs]), sheet.coded([b for _, b in pairs])), expected)
    point, every = new_point(operators.space), np.arange(len(tuples))
    points = operators.points(*members(sheet.table.rows, groups, len(centres)))
    measured = []
    for t in range(len(tuples) + len(centres)):
        if t < len(tuples):
            set_point(operators.space, point, t)
        else:
            put(point, points, t - len(tuples))
        out = np.empty(len(tuples))
        distances_from(operators.space, point, every, out)
        measured += list(np.sqrt(out) if distance.squared else out)
    assert_close(measured, expected)


@settings(max_examples=cases(600))
@given(st.data())
def test_centres(data: DataObject) -> None:
    sheet, how = data.draw(tables), data.draw(distances)
    groups = some_groups(data, sheet.n)
    plain, inside = sheet.plain(how), sheet.grouped(groups)
    for centroid in ("semantic", "mode"):
        note(centroid)
        real = sheet.operators(how, centroid).centres(sheet.table.rows, groups, len(inside))
        assert_same_records(sheet.decoded(real), [plain.centre(records, centroid) for records in inside])


@settings(max_examples=cases(400))
@given(st.data())
def test_marginalities(data: DataObject) -> None:
    """All distances of a column added up, and its scores on the scale of the column."""
    sheet = data.draw(sheets(kinds=("sets",), widest=1))
    metric, column = sheet.distance().metrics[0], sheet.plain().columns[0]
    values = list(dict.fromkeys(record[0] for record in sheet.records))
    expected = [math.fsum(column.separation(v, w) for w in column.column) for v in values]
    assert_close(metric.marginalities(), expected)
    scale = metric.scale or 1.0 / sheet.n
    shown = [math.nan if v is None else x / (sheet.n * scale) for v, x in zip(values, expected, strict=True)]
    np.testing.assert_allclose(metric.scores(sheet.table.columns[0]), shown, rtol=1e-9, atol=1e-12)


@settings(max_examples=cases(500))
@given(st.data())
def test_mdav(data: DataObject) -> None:
    sheet, how, centroid = data.draw(tables), data.draw(distances), data.draw(centroids)
    k = data.draw(some_k(sheet.n))
    expected = twin.mdav(sheet.records, sheet.attributes, k, *how, centroid)
    groups, _ = microaggregation.mdav(sheet.operators(how, centroid), sheet.table.rows, k, silent)
    assert groups.tolist() == expected


@settings(max_examples=cases(200))
@given(st.data())
def test_mdav_of_persons(data: DataObject) -> None:
    """A group may need more than its k nearest records: what was only bounded is then measured."""
    sheet = data.draw(tables)
    persons = some_persons(data, sheet.n)
    k, table = data.draw(st.integers(1, len(set(persons)))), owned(sheet, persons)
    expected = twin.mdav(sheet.records, sheet.attributes, k, persons=persons)
    groups, _ = microaggregation.mdav(Operators.of(table, RecordDistance.of(table)), table.rows, k, silent)
    assert groups.tolist() == expected


@settings(max_examples=cases(500))
@given(st.data())
def test_adaptive(data: DataObject) -> None:
    sheet, how, centroid = data.draw(tables), data.draw(distances), data.draw(centroids)
    k, comparison, static = data.draw(some_k(sheet.n)), data.draw(comparisons), data.draw(st.booleans())
    expected = twin.adaptive(sheet.records, sheet.attributes, k, *how, centroid, comparison, static)
    groups, _ = microaggregation.adaptive(
        sheet.operators(how, centroid), k, weighted=comparison == "weighted", static=static, progress=silent
    )
    assert groups[sheet.table.rows.tuple_of].tolist() == expected


@settings(max_examples=cases(300))
@given(st.data())
def test_recoding(data: DataObject) -> None:
    sheet, how = data.draw(tables), data.draw(distances)
    k, comparison = data.draw(some_k(sheet.n)), data.draw(comparisons)
    method = om.Recoding(k=k, comparison=comparison, distance=how[0], normalize=how[1])  # type: ignore[arg-type]
    masked = method.mask(sheet.table, np.random.default_rng(0), silent)
    centres = sheet.decoded(masked.centres)
    expected = twin.recoding(sheet.records, sheet.attributes, k, "semantic", comparison, *how)
    assert [centres[g] for g in masked.group_of] == expected


@settings(max_examples=cases(200))
@given(st.data())
def test_sorting_and_resampling(data: DataObject) -> None:
    sheet, how, comparison = data.draw(tables), data.draw(distances), data.draw(comparisons)
    real = sorted_records(sheet.operators(how), sheet.table.rows, np.arange(sheet.n), comparison)  # type: ignore[arg-type]
    assert real.tolist() == twin.sort_records(sheet.records, sheet.attributes, *how, "semantic", comparison)
    k = data.draw(some_k(sheet.n))
    samples = np.array(by_chance(data).sample(range(sheet.n), sheet.n)[: sheet.n // k * k]).reshape(k, -1)
    groups = grouped_by_rank(sheet.operators(how), sheet.table.rows, samples, comparison, silent)  # type: ignore[arg-type]
    expected = twin.k_anonymous_resampling(
        sheet.records, sheet.attributes, k, samples.tolist(), *how, "semantic", comparison
    )
    assert groups.tolist() == expected


# ---- bounds ------------------------------------------------------------------------------------------------------------


face, look_within, look_beyond = map(compiled, (searching.face, searching.look_within, searching.look_beyond))


@numba.njit
def _probe(space: Any, blocks: Any, point: Any, weighted: Any, limit: Any, far: Any) -> None:
    face(space, blocks, point)
    for b in range(blocks.count[0]):
        if far:
            look_beyond(space, blocks, point, weighted, b, limit)
        else:
            look_within(space, blocks, point, weighted, b, limit)


@settings(max_examples=cases(300))
@given(st.data())
def test_what_is_beyond_a_limit_is_bounded(data: DataObject) -> None:
    """Up to the limit distances are exact, beyond it they are lower bounds, beyond it as well; or the other way round."""
    sheet, how, weighted = data.draw(tables), data.draw(distances), data.draw(st.booleans())
    operators = sheet.operators(how)
    space, p = operators.space, sheet.table.p
    groups = some_groups(data, sheet.n)
    points = operators.points(*members(sheet.table.rows, groups, int(groups.max()) + 1))
    point, expected = new_point(space), np.empty(p)
    put(point, points, -1)
    distances_from(space, point, np.arange(p), expected)
    if weighted:
        expected = (np.sqrt(expected) if space.squared else expected) * sheet.table.counts
    limit = float(data.draw(st.sampled_from(expected.tolist()))) * data.draw(st.sampled_from((0.5, 0.9, 1.0, 1.1)))
    blocks = new_blocks(space, sheet.table.counts, near_order(space))
    far = data.draw(st.booleans())
    _probe(space, blocks, point, weighted, limit, far)
    for slot in range(p):
        exact, out, upto = expected[blocks.ids[slot]], blocks.out[slot], blocks.upto[slot // SIZE]
        assert upto in (-1.0 if far else limit, np.inf)
        if out >= limit if far else out <= upto:
            assert_close(out, exact)
        else:
            assert out >= exact * (1 - 1e-12) if far else out <= exact * (1 + 1e-12)
            event(f"bounded {'above' if far else 'below'}")


#: Where it matters what is in which block.
IN_BLOCKS = ("test_mdav", "test_mdav_of_persons", "test_adaptive", "test_recoding", "test_linkage")


@pytest.mark.skipif("ONTOMASK_BLOCK" in os.environ, reason="this is it")
def test_small_blocks() -> None:
    """The same tests with blocks of three tuples and kernels that are interpreted."""
    here = Path(__file__)
    less = str(0.2 * float(os.environ.get("HYPOTHESIS_SCALE", "1")))  # interpreted kernels are slow
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    command += ["-W", "ignore:invalid value encountered:RuntimeWarning"]
    done = subprocess.run(
        command + [f"{here}::{test}" for test in IN_BLOCKS],
        cwd=here.parents[2],
        env=os.environ | {"ONTOMASK_BLOCK": "3", "NUMBA_DISABLE_JIT": "1", "HYPOTHESIS_SCALE": less},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(IN_BLOCKS)} passed" in done.stdout


# ---- assessment --------------------------------------------------------------------------------------------------


def some_masking(data: DataObject, sheet: Sheet) -> list[Record]:
    """What records might have become: the centres of groups, other records, or anything cell by cell."""
    way, chance = data.draw(st.sampled_from(("centres", "records", "cells"))), by_chance(data)
    event(way)
    if way == "centres":
        groups = some_groups(data, sheet.n).tolist()
        return as_floats(twin.replace_by_centroids(sheet.records, sheet.attributes, groups, "semantic"))
    if way == "records":
        return chance.choices(sheet.records, k=sheet.n)
    columns = sheet.anything()
    return [
        tuple(chance.choice(columns[i]) if chance.random() < 0.5 else v for i, v in enumerate(r)) for r in sheet.records
    ]


@settings(max_examples=cases(400))
@given(st.data())
def test_linkage(data: DataObject) -> None:
    sheet, how = data.draw(tables), data.draw(distances)
    masked, kept = some_masking(data, sheet), some_kept(data, sheet.n)
    masked = masked if kept is None else [masked[i] for i in kept]
    pairing = pair_frames(sheet.frame(sheet.records), sheet.frame(masked), sheet.real_attributes, kept)
    both = sheet.records, masked
    expected = {
        "semantic": twin.semantic_linkage(*both, sheet.attributes, *how, records=kept),
        "masked_distance": twin.distance_linkage_reverse(*both, sheet.attributes, *how, records=kept),
        "matching": twin.matching_linkage(*both, records=kept),
        "masked_matching": twin.reverse_matching_linkage(*both, records=kept),
    }
    for kind, share in expected.items():
        note(kind)
        assert_close(linkage_of(pairing, kind, *how), share)  # type: ignore[arg-type]


@settings(max_examples=cases(300))
@given(st.data())
def test_loss(data: DataObject) -> None:
    sheet = data.draw(tables)
    masked = some_masking(data, sheet)
    real = information_loss(sheet.frame(sheet.records), sheet.frame(masked), sheet.real_attributes)
    both, attributes = (sheet.records, masked), sheet.attributes
    for i, column in enumerate(sheet.plain(others=masked).columns):
        far = [column.separation(a[i], b[i]) for a, b in zip(*both, strict=True)]
        assert_close(real.sse[f"c{i}"], math.fsum(d**2 for d in far))
    assert_close(real.sse_record, twin.sse_record(*both, attributes))
    assert_close(real.sst_record, twin.sst_record(sheet.records, attributes, masked))
    assert_close(real.semantic_loss, twin.semantic_loss(*both, attributes))
    assert real.discernibility == twin.discernibility(masked)
