"""Record distances, centres and masking methods equal the plain definitions of specification 3, 4, 5, 7 and 10."""

from __future__ import annotations

import math
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import event, given, note, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject
from numpy.typing import NDArray

import ontomask as om
from ontomask.assessment.linkage import linkage_of, record_linkage
from ontomask.assessment.loss import information_loss, loss_of
from ontomask.assessment.pairing import pair_frames, pair_result
from ontomask.kernels import blocks as block_kernels
from ontomask.kernels import centres, searching
from ontomask.kernels.blocks import SIZE, new_blocks
from ontomask.kernels.centres import new_tally
from ontomask.kernels.compiling import compiled
from ontomask.kernels.groups import distances_from
from ontomask.kernels.ordering import near_order
from ontomask.kernels.space import Point, new_point, set_point
from ontomask.masking import microaggregation
from ontomask.masking.closeness_groups import by_parts
from ontomask.masking.resampling import grouped_by_rank
from ontomask.operators.aggregation import members
from ontomask.operators.ordering import Comparison, sorted_records
from ontomask.progress import silent
from tests.oracle import full_scans, plain_partitions
from tests.oracle import plain_masking as twin
from tests.oracle.plain_masking import PlainAttribute, Record
from tests.property.strategies import Case, cases
from tests.property.tables import CENTROIDS, DISTANCES, Sheet, sheets, some_k

distances = st.sampled_from(DISTANCES)
centroids = st.sampled_from(CENTROIDS)
comparisons: st.SearchStrategy[Comparison] = st.sampled_from(("plain", "weighted"))


def assert_close(real: Any, expected: Any) -> None:
    np.testing.assert_allclose(np.asarray(real, dtype=float), np.asarray(expected, dtype=float), rtol=1e-9, atol=1e-12)


def assert_same_records(real: Sequence[Record], expected: Sequence[Record]) -> None:
    """Values exactly, numbers up to rounding."""
    assert len(real) == len(expected)
    for one, other in zip(real, expected, strict=True):
        for x, y in zip(one, other, strict=True):
            if isinstance(x, float) and y is not None:
                assert math.isclose(x, float(y), rel_tol=1e-9, abs_tol=1e-9), (one, other)
            else:
                assert x == y, (one, other)


def by_chance(data: DataObject) -> random.Random:
    """Choices by the dozen in one draw: which they are is not worth shrinking."""
    return random.Random(data.draw(st.integers(0, 2**32)))


def some_groups(data: DataObject, n: int) -> NDArray[np.int32]:
    """Every record in a group, none of them empty."""
    chance = by_chance(data)
    number = chance.choice((1, 2, 3, n // 3 or 1, n // 2 or 1, n))
    raw = [chance.randrange(number) for _ in range(n)]
    return np.unique(raw, return_inverse=True)[1].astype(np.int32)


def put(point: Point, points: Point, place: int) -> None:
    """Let the point be one of several."""
    point.at[:], point.gone[:], point.rows[:] = points.at[place], points.gone[place], points.rows[place]


# ---- distances (specification 3) ---------------------------------------------------------------------------------


@settings(max_examples=cases(250))
@given(st.data())
def test_record_distances(data: DataObject) -> None:
    """Between the records, and from their groups' centres, as the product's pairs and as the kernels measure them."""
    sheet, how, centroid = data.draw(sheets()), data.draw(distances), data.draw(centroids)
    plain, distance, operators = sheet.plain(how), sheet.distance(how), sheet.operators(how, centroid)
    tuples = list(twin.frequencies(sheet.records))
    groups = some_groups(data, sheet.n)
    centres = [
        plain.centre([r for r, g in zip(sheet.records, groups, strict=True) if g == h], centroid)
        for h in range(groups.max() + 1)
    ]
    pairs = [(a, b) for a in [*tuples, *centres] for b in tuples]
    expected = [plain.distance(a, b) for a, b in pairs]
    assert_close(distance.pairs(sheet.coded([a for a, _ in pairs]), sheet.coded([b for _, b in pairs])), expected)
    for i in {0, len(pairs) // 2, len(pairs) - 1, 13 % len(pairs)}:  # whoever else is asked for
        a, b = pairs[i]
        assert_close(distance.pairs(sheet.coded([a]), sheet.coded([b])), expected[i])

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


# ---- centres (specification 4) -----------------------------------------------------------------------------------


@settings(max_examples=cases(250))
@given(st.data())
def test_centres(data: DataObject) -> None:
    sheet, how = data.draw(sheets()), data.draw(distances)
    groups = some_groups(data, sheet.n)
    plain = sheet.plain(how)
    inside = sheet.grouped(groups)
    for centroid in CENTROIDS:
        note(centroid)
        real = sheet.operators(how, centroid).centres(sheet.table.rows, groups, len(inside))
        assert_same_records(sheet.decoded(real), [plain.centre(records, centroid) for records in inside])


clear, change, set_centre = map(compiled, (centres.clear, centres.change, centres.set_centre))
drop_slot, tidy = map(compiled, (block_kernels.drop_slot, block_kernels.tidy))
look_from, bound_above, look_through = map(
    compiled, (searching.look_from, searching.bound_above, searching.look_through)
)


@numba.njit
def _wander(space: Any, rules: Any, tally: Any, point: Any, tuples: Any, weights: Any) -> None:
    clear(tally)
    for i in range(tuples.size):
        change(space, rules, tally, tuples[i], weights[i])
    set_centre(space, rules, tally, point)


@settings(max_examples=cases(300))
@given(st.data())
def test_centres_forget_who_left(data: DataObject) -> None:
    """Records join and leave a set one tuple at a time; what is left has the centre of a set just made."""
    sheet, how, centroid = data.draw(sheets()), data.draw(distances), data.draw(centroids)
    operators = sheet.operators(how, centroid)
    chance, counts = by_chance(data), sheet.table.counts.tolist()
    left: Counter[int] = Counter()
    steps: list[tuple[int, int]] = []
    for _ in range(chance.choice((5, 50, 250))):
        t = chance.randrange(sheet.table.p)
        # Every other time a tuple leaves altogether, so that values vanish and come back.
        weight = chance.choice((0, chance.randint(0, counts[t]))) - left[t]
        if weight != 0:
            steps.append((t, weight))
            left[t] += weight
    if not left.total():
        steps.append((0, counts[0]))
        left[0] += counts[0]
    point, tally = new_point(operators.space), new_tally(operators.space, operators.rules)
    _wander(operators.space, operators.rules, tally, point, *np.array(steps).T.copy())
    kept = sorted(t for t, w in left.items() if w)
    group = np.array([0, len(kept)]), np.array(kept), np.array([left[t] for t in kept])
    fresh = operators.points(*group)
    assert np.array_equal(point.rows, fresh.rows[0])
    assert np.array_equal(point.gone, fresh.gone[0])
    np.testing.assert_allclose(point.at, fresh.at[0], rtol=1e-9, atol=1e-13)
    tuples = list(twin.frequencies(sheet.records))
    expected = sheet.plain(how).centre([tuples[t] for t in kept for _ in range(left[t])], centroid)
    assert_same_records(sheet.decoded(operators.centres_of(*group)), [expected])


# ---- blocks ------------------------------------------------------------------------------------------------------


@numba.njit
def _probe(space: Any, blocks: Any, point: Any, weighted: Any, dropped: Any, close_gaps: Any, bounds: Any) -> None:
    """Drop some tuples, then tell what each block's bounds are before it is looked through."""
    for t in dropped:
        drop_slot(space, blocks, blocks.slot[t])
        if close_gaps:
            tidy(space, blocks)
    look_from(space, blocks, point, weighted)
    bound_above(space, blocks, point, weighted, 0.0)
    for b in range(blocks.count[0]):
        bounds[b, 0], bounds[b, 1] = blocks.least[b], blocks.most[b]
        if blocks.fill[b] > 0:
            look_through(space, blocks, point, weighted, b)


@settings(max_examples=cases(250))
@given(st.data())
def test_bounds(data: DataObject) -> None:
    """What a block is said to hold is what it holds, and bounds hold, after any tuples have left."""
    wide = data.draw(st.booleans())  # many coordinates are bounded in another way than few
    sheet = data.draw(sheets(kinds=("numeric", "ordinal", "flat"), widest=8) if wide else sheets())
    how, weighted = data.draw(distances), data.draw(st.booleans())
    operators = sheet.operators(how)
    space, p = operators.space, sheet.table.p
    groups = some_groups(data, sheet.n)
    points = operators.points(*members(sheet.table.rows, groups, int(groups.max()) + 1))
    point = new_point(space)
    put(point, points, -1)
    expected = np.empty(p)
    distances_from(space, point, np.arange(p), expected)
    if weighted:
        expected = (np.sqrt(expected) if space.squared else expected) * sheet.table.counts

    chance = by_chance(data)
    dropped = np.array(chance.sample(range(p), chance.randrange(p)), dtype=np.int64)
    blocks = new_blocks(space, sheet.table.counts, near_order(space))
    bounds = np.zeros((len(blocks.fill), 2))
    _probe(space, blocks, point, weighted, dropped, data.draw(st.booleans()), bounds)
    held = []
    for b in range(blocks.count[0]):
        slots = np.arange(b * SIZE, b * SIZE + blocks.fill[b])
        ids = blocks.ids[slots]
        held += ids.tolist()
        assert np.array_equal(blocks.slot[ids], slots)
        assert_close(blocks.out[slots], expected[ids])
        if len(slots):
            assert bounds[b, 0] <= blocks.out[slots].min()
            assert bounds[b, 1] >= blocks.out[slots].max()
    assert sorted(held) == sorted(set(range(p)) - set(dropped.tolist()))
    assert blocks.count[1] == len(held)
    event(f"{blocks.count[0]} blocks")


# ---- methods (specification 5, 7) --------------------------------------------------------------------------------


@settings(max_examples=cases(400))
@given(st.data())
def test_mdav(data: DataObject) -> None:
    sheet, how, centroid = data.draw(sheets()), data.draw(distances), data.draw(centroids)
    k = data.draw(some_k(sheet.n))
    expected = twin.mdav(sheet.records, sheet.attributes, k, *how, centroid)
    groups, number = microaggregation.mdav(sheet.operators(how, centroid), sheet.table.rows, k, silent)
    assert groups.tolist() == expected
    assert number == max(expected) + 1


@settings(max_examples=cases(200))
@given(st.data())
def test_by_parts(data: DataObject) -> None:
    """Groups that take a record of each part, of records sorted by a column with many equal values or few."""
    sheet, how, centroid = data.draw(sheets()), data.draw(distances), data.draw(centroids)
    parts, chance = data.draw(some_k(sheet.n)), by_chance(data)
    parts += sheet.n % parts // (sheet.n // parts)
    places = [chance.randrange(chance.choice((2, sheet.n + 1))) for _ in range(sheet.n)]
    expected = plain_partitions.by_parts(sheet.records, sheet.attributes, places, parts, *how, centroid)
    groups, number = by_parts(sheet.operators(how, centroid), sheet.table.rows, np.array(places), parts, silent)
    assert groups.tolist() == expected
    assert number == max(expected) + 1


@settings(max_examples=cases(500))
@given(st.data())
def test_adaptive(data: DataObject) -> None:
    sheet, how, centroid = data.draw(sheets()), data.draw(distances), data.draw(centroids)
    k, comparison, static = data.draw(some_k(sheet.n)), data.draw(comparisons), data.draw(st.booleans())
    expected = twin.adaptive(sheet.records, sheet.attributes, k, *how, centroid, comparison, static)
    groups, number = microaggregation.adaptive(
        sheet.operators(how, centroid), k, weighted=comparison == "weighted", static=static, progress=silent
    )
    assert groups[sheet.table.rows.tuple_of].tolist() == expected
    assert number == max(expected) + 1


@settings(max_examples=cases(400))
@given(st.data())
def test_recoding(data: DataObject) -> None:
    sheet, how = data.draw(sheets()), data.draw(distances)
    k, comparison = data.draw(some_k(sheet.n)), data.draw(comparisons)
    guide = data.draw(st.sampled_from(("semantic", "semantic", "discernibility")))
    distance, normalize = how
    method = om.Recoding(k=k, guide=guide, comparison=comparison, distance=distance, normalize=normalize)
    masked = method.mask(sheet.table, np.random.default_rng(0), silent)
    expected = twin.recoding(sheet.records, sheet.attributes, k, guide, comparison, *how)
    centres = sheet.decoded(masked.centres)
    assert [centres[g] for g in masked.group_of] == expected


@settings(max_examples=cases(300))
@given(st.data())
def test_sorting(data: DataObject) -> None:
    sheet, how, centroid = data.draw(sheets()), data.draw(distances), data.draw(centroids)
    comparison = data.draw(comparisons)
    chance = by_chance(data)
    some = sorted(chance.sample(range(sheet.n), chance.randint(1, sheet.n)))
    records = [sheet.records[i] for i in some]
    order = twin.sort_records(records, sheet.attributes, *how, centroid, comparison, sheet.records)
    real = sorted_records(sheet.operators(how, centroid), sheet.table.rows, np.array(some[::-1]), comparison)
    assert real.tolist() == [some[i] for i in order]


@settings(max_examples=cases(300))
@given(st.data())
def test_resampling(data: DataObject) -> None:
    sheet, how, centroid = data.draw(sheets()), data.draw(distances), data.draw(centroids)
    k, comparison = data.draw(some_k(sheet.n)), data.draw(comparisons)
    drawn = by_chance(data).sample(range(sheet.n), sheet.n)
    samples = np.array(drawn[: sheet.n // k * k]).reshape(k, -1)
    event(f"{sheet.n % k} left over" if sheet.n % k < 3 else "more left over")
    expected = twin.k_anonymous_resampling(
        sheet.records, sheet.attributes, k, samples.tolist(), *how, centroid, comparison
    )
    real = grouped_by_rank(sheet.operators(how, centroid), sheet.table.rows, samples, comparison, silent)
    assert real.tolist() == expected


# ---- assessment (specification 10) -------------------------------------------------------------------------------


def some_masking(data: DataObject, sheet: Sheet) -> list[Record]:
    """What records might have become: the centres of groups, other records, or anything cell by cell."""
    way = data.draw(st.sampled_from(("centres", "records", "cells")))
    event(way)
    if way == "centres":
        groups = some_groups(data, sheet.n)
        centroid = data.draw(centroids)
        return as_floats(twin.replace_by_centroids(sheet.records, sheet.attributes, groups.tolist(), centroid))
    chance = by_chance(data)
    if way == "records":
        return chance.choices(sheet.records, k=sheet.n)
    masked = [list(r) for r in sheet.records]
    for i, column in enumerate(sheet.anything()):
        for record in masked:
            if chance.random() < 0.5:
                record[i] = chance.choice(column)
    return [tuple(r) for r in masked]


def as_floats(records: Sequence[Record]) -> list[Record]:
    return [tuple(float(v) if isinstance(v, Fraction) else v for v in r) for r in records]


def some_kept(data: DataObject, n: int) -> list[int] | None:
    """The records that were not removed: mostly all. They come in any order."""
    if data.draw(st.sampled_from((True, True, False))):
        return None
    chance = by_chance(data)
    return chance.sample(range(n), chance.randint(1, n))


@settings(max_examples=cases(300))
@given(st.data())
def test_linkage(data: DataObject) -> None:
    sheet, how = data.draw(sheets()), data.draw(distances)
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


@settings(max_examples=cases(250))
@given(st.data())
def test_loss(data: DataObject) -> None:
    sheet = data.draw(sheets())
    masked = some_masking(data, sheet)
    real = information_loss(sheet.frame(sheet.records), sheet.frame(masked), sheet.real_attributes)
    both, attributes = (sheet.records, masked), sheet.attributes
    for i, attribute in enumerate(attributes):
        columns = [r[i] for r in sheet.records], [r[i] for r in masked]
        note(f"c{i}")
        assert_close(real.sse[f"c{i}"], twin.sse_attribute(*columns, attribute))
        assert_close(real.rmse[f"c{i}"], twin.rmse_attribute(*columns, attribute))
    assert_close(real.sse_record, twin.sse_record(*both, attributes))
    assert_close(real.sst_record, twin.sst_record(sheet.records, attributes, masked))
    assert_close(real.record_loss, twin.record_loss(*both, attributes))
    assert_close(real.semantic_loss, twin.semantic_loss(*both, attributes))
    assert real.discernibility == twin.discernibility(masked)
    assert real.discernibility_before == twin.discernibility(sheet.records)


@settings(max_examples=cases(60))
@given(st.data())
def test_loss_of_removed_records(data: DataObject) -> None:
    """Specification 10: they are at distance 1. Scales are those of the whole original."""
    sheet = data.draw(sheets())
    kept = some_kept(data, sheet.n) or list(range(sheet.n))
    made = some_masking(data, sheet)
    masked = [made[i] for i in kept]
    real = information_loss(sheet.frame(sheet.records), sheet.frame(masked), sheet.real_attributes, records=kept)
    plain = twin.PlainTable(sheet.records, twin.unweighted(sheet.attributes), others=masked)
    gone = sheet.n - len(kept)
    off = [plain.mean_distance(sheet.records[i], a) for i, a in zip(kept, masked, strict=True)]
    assert_close(real.sse_record, math.fsum(d**2 for d in off) + gone)
    assert (real.records, real.removed) == (sheet.n, gone)


@settings(max_examples=cases(100))
@given(st.data())
def test_assessment_of_a_run(data: DataObject) -> None:
    """A run is judged without going through frames."""
    sheet = data.draw(sheets())
    method = om.Microaggregation(k=data.draw(some_k(sheet.n)), centroid=data.draw(centroids))
    masked = method.mask(sheet.table, np.random.default_rng(0), silent)
    centres = sheet.decoded(masked.centres)
    records = [centres[g] for g in masked.group_of]
    pairing = pair_result(sheet.table, masked)
    assert_close(linkage_of(pairing), twin.semantic_linkage(sheet.records, records, sheet.attributes))
    assert_close(linkage_of(pairing, "matching"), twin.matching_linkage(sheet.records, records))
    loss = loss_of(pairing)
    assert_close(loss.record_loss, twin.record_loss(sheet.records, records, sheet.attributes))
    assert_close(loss.semantic_loss, twin.semantic_loss(sheet.records, records, sheet.attributes))


# ---- many blocks -------------------------------------------------------------------------------------------------

#: Where it matters what is in which block.
IN_BLOCKS = ("test_bounds", "test_mdav", "test_by_parts", "test_adaptive", "test_recoding", "test_linkage")


@pytest.mark.skipif("ONTOMASK_BLOCK" in os.environ, reason="this is it")
def test_small_blocks() -> None:
    """The same tests with blocks of three tuples: small tables have many, and most are never looked through.

    The size is compiled into the kernels, which takes a minute; they are short enough here to be interpreted.
    """
    here = Path(__file__)
    half = str(0.5 * float(os.environ.get("HYPOTHESIS_SCALE", "1")))  # interpreted kernels are slow
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    # Compiled kernels do not warn of the infinite bounds of blocks where all numbers are missing.
    command += ["-W", "ignore:invalid value encountered:RuntimeWarning"]
    done = subprocess.run(
        command + [f"{here}::{test}" for test in IN_BLOCKS],
        cwd=here.parents[2],
        env=os.environ | {"ONTOMASK_BLOCK": "3", "NUMBA_DISABLE_JIT": "1", "HYPOTHESIS_SCALE": half},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(IN_BLOCKS)} passed" in done.stdout


#: n, distance, k, share of missing numbers, measures of the nominal columns, numeric columns and their greatest number.
MEDIUM: list[tuple[int, str, int, float, list[str], list[int]]] = [
    (1500, "mean", 3, 0, ["logsc"], [60]),
    (1200, "s", 5, 0, ["logsc"], [40, 300]),
    (1000, "mean", 4, 0.1, ["path"], [30, 90]),
    (900, "s", 10, 0.6, ["wu_palmer"], [12, 50]),
    (2000, "mean", 10, 0, [], [9, 50, 200]),
    (1100, "s", 7, 0, [], [9, 50, 20]),
    (800, "mean", 3, 0, [], [5, 6, 7, 8, 9, 10]),
    (1400, "mean", 6, 0, ["logsc", "weighted_edge"], [25]),
    (700, "s", 2, 0, ["equality", "lin", "logsc"], [9]),
]
#: Looking through all of these takes too long but for MDAV.
LARGE = [*MEDIUM, (6000, "mean", 25, 0.0, ["logsc"], [400, 90]), (6000, "s", 40, 0.0, ["path"], [400, 90])]


@cache
def medium(n: int, distance: str, k: int, holes: float, measures: tuple[str, ...], numbers: tuple[int, ...]) -> Sheet:
    """Whole numbers, in clusters and repeated, so that there is much to prune and there are ties all the way."""
    chance = random.Random(n)
    attributes: list[PlainAttribute] = []
    taxonomies: list[om.Taxonomy | None] = []
    columns: list[list[Any]] = []
    for measure in measures:
        case = Case([(f"n{i}", f"n{(i - 1) // 3}") for i in range(1, 40)] + [("n30", "n2"), ("n17", "n6")])
        attributes.append(PlainAttribute("nominal", case.plain, measure, weight=chance.choice((1, 2))))
        taxonomies.append(case.real)
        columns.append(chance.choices([f"n{i}" for i in range(3, 40)], [1 + i % 7 for i in range(3, 40)], k=n))
    for greatest in numbers:
        attributes.append(PlainAttribute("numeric", weight=chance.choice((1, 1, 3))))
        taxonomies.append(None)
        column = [min(greatest, round(chance.gauss(chance.choice((0.2, 0.7)), 0.1) % 1 * greatest)) for _ in range(n)]
        columns.append([None if chance.random() < holes else x for x in column])
    return Sheet(tuple(attributes), tuple(taxonomies), tuple(zip(*columns, strict=True)))


by_medium = pytest.mark.parametrize("table", MEDIUM, ids=lambda t: "-".join(map(str, t[:3])))
by_large = pytest.mark.parametrize("table", LARGE, ids=lambda t: "-".join(map(str, t[:3])))


def make_medium(table: tuple[Any, ...]) -> tuple[Sheet, str, int]:
    *shape, measures, numbers = table
    return medium(*shape, tuple(measures), tuple(numbers)), table[1], table[2]


@by_large
def test_medium_mdav(table: tuple[Any, ...]) -> None:
    sheet, distance, k = make_medium(table)
    assert sheet.table.p > 2 * SIZE
    expected = full_scans.mdav(full_scans.Scans(sheet.records, sheet.attributes, distance), k)
    real, groups = microaggregation.mdav(sheet.operators((distance, "pairwise")), sheet.table.rows, k, silent)
    assert real.tolist() == expected
    assert groups == max(expected) + 1


@by_medium
@pytest.mark.parametrize(("weighted", "static"), [(False, False), (True, False), (False, True)])
def test_medium_adaptive(table: tuple[Any, ...], weighted: bool, static: bool) -> None:
    sheet, distance, k = make_medium(table)
    frequency = twin.frequencies(sheet.records)
    scans, weight = full_scans.Scans(sheet.records, sheet.attributes, distance), np.array(list(frequency.values()))
    scans.keep([sheet.records.index(t) for t in frequency])
    expected = full_scans.adaptive(scans, weight, k, weighted=weighted, static=static)
    real, groups = microaggregation.adaptive(
        sheet.operators((distance, "pairwise")), k, weighted=weighted, static=static, progress=silent
    )
    assert real.tolist() == list(expected)
    assert groups == max(expected) + 1


@by_medium
@pytest.mark.parametrize("weighted", [False, True])
def test_medium_recoding(table: tuple[Any, ...], weighted: bool) -> None:
    sheet, distance, k = make_medium(table)
    frequency = twin.frequencies(sheet.records)
    scans, weight = full_scans.Scans(sheet.records, sheet.attributes, distance), np.array(list(frequency.values()))
    scans.keep([sheet.records.index(t) for t in frequency])
    expected = full_scans.recoding(scans, weight, k, weighted=weighted)
    method = om.Recoding(k=k, distance=distance, comparison="weighted" if weighted else "plain")
    masked = method.mask(sheet.table, np.random.default_rng(0), silent)
    kept, centres = list(frequency), sheet.decoded(masked.centres)
    assert [centres[g] for g in masked.group_of] == [kept[expected[t]] for t in sheet.table.rows.tuple_of]


@by_medium
def test_medium_linkage(table: tuple[Any, ...]) -> None:
    """Every record shows the values of one that stood a few places further."""
    sheet, distance, k = make_medium(table)
    masked = [min(sheet.n - 1, i // k * k) for i in range(sheet.n)]
    scans = full_scans.Scans(sheet.records, twin.unweighted(sheet.attributes), distance)
    expected = full_scans.semantic_linkage(scans, masked)
    frames = sheet.frame(sheet.records), sheet.frame([sheet.records[i] for i in masked])
    for workers in (1, 2):
        assert_close(record_linkage(*frames, sheet.real_attributes, distance=distance, workers=workers), expected)  # type: ignore[arg-type]
