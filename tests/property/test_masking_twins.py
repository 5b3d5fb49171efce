"""Record distances, centres and masking methods equal the plain definitions of METHODS 3, 4, 5, 7 and 10."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numba
import numpy as np
from hypothesis import event, given, note, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject
from numpy.typing import NDArray

import ontomask as om
from ontomask.kernels.centres import change, clear, new_tally, set_centre
from ontomask.kernels.groups import distances_from
from ontomask.kernels.space import new_point, set_point
from ontomask.masking import microaggregation
from ontomask.masking.resampling import grouped_by_rank
from ontomask.progress import silent
from ontomask.statistics.aggregation import members
from ontomask.statistics.ordering import sorted_records
from tests.oracle import plain_masking as twin
from tests.oracle.plain_masking import Record
from tests.property.strategies import CHOICES, cases
from tests.property.tables import CENTROIDS, DISTANCES, sheets, some_k

distances = st.sampled_from(DISTANCES)
centroids = st.sampled_from(CENTROIDS)
comparisons = st.sampled_from(("plain", "weighted"))


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


def some_groups(data: DataObject, n: int) -> NDArray[np.int32]:
    """Every record in a group, none of them empty."""
    chosen = data.draw(CHOICES)
    raw = np.array([chosen[i] % (1 + chosen[-1] % max(1, n)) for i in range(n)])
    return np.unique(raw, return_inverse=True)[1].astype(np.int32)


# ---- distances (METHODS 3) ---------------------------------------------------------------------------------------


@settings(max_examples=cases(300))
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

    point, every = new_point(operators.space), np.arange(len(tuples))
    points = operators.points(*members(sheet.table.tuple_of, groups, len(centres), len(tuples)))
    measured = []
    for t in range(len(tuples) + len(centres)):
        if t < len(tuples):
            set_point(operators.space, point, t)
        else:
            for target, source in zip(point, points, strict=True):
                target[:] = source[t - len(tuples)]
        out = np.empty(len(tuples))
        distances_from(operators.space, point, every, out)
        measured += list(np.sqrt(out) if distance.squared else out)
    assert_close(measured, expected)


# ---- centres (METHODS 4) -----------------------------------------------------------------------------------------


@settings(max_examples=cases(300))
@given(st.data())
def test_centres(data: DataObject) -> None:
    sheet, how = data.draw(sheets()), data.draw(distances)
    groups = some_groups(data, sheet.n)
    plain = sheet.plain(how)
    number = int(groups.max()) + 1
    inside = [[r for r, g in zip(sheet.records, groups, strict=True) if g == h] for h in range(number)]
    for centroid in CENTROIDS:
        note(centroid)
        real = sheet.operators(how, centroid).centres(groups, number)
        assert_same_records(sheet.decoded(real), [plain.centre(records, centroid) for records in inside])


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
    chosen = iter(data.draw(st.binary(min_size=500, max_size=500)))
    left: Counter[int] = Counter()
    steps: list[tuple[int, int]] = []
    for byte, how_many in zip(chosen, chosen, strict=True):
        t = byte % sheet.table.p
        # Now and then a tuple leaves altogether, so that values vanish and come back.
        weight = -left[t] if how_many >= 160 else how_many % (int(sheet.table.counts[t]) + 1) - left[t]
        if weight == 0 or (left.total() + weight == 0):
            continue
        steps.append((t, weight))
        left[t] += weight
    if not steps:
        return
    walked, taken = zip(*steps, strict=True)
    point, tally = new_point(operators.space), new_tally(operators.space, operators.rules)
    _wander(operators.space, operators.rules, tally, point, np.array(walked), np.array(taken))
    kept = sorted(t for t, w in left.items() if w)
    fresh = operators.points(np.array([0, len(kept)]), np.array(kept), np.array([left[t] for t in kept]))
    assert np.array_equal(point.rows, fresh.rows[0])
    assert np.array_equal(point.gone, fresh.gone[0])
    np.testing.assert_allclose(point.at, fresh.at[0], rtol=1e-9, atol=1e-13)
    records = [r for t in kept for r in [list(twin.frequencies(sheet.records))[t]] * left[t]]
    real = operators.centres_of(np.array([0, len(kept)]), np.array(kept), np.array([left[t] for t in kept]))
    assert_same_records(sheet.decoded(real), [sheet.plain(how).centre(records, centroid)])


# ---- methods (METHODS 5, 7) --------------------------------------------------------------------------------------


@settings(max_examples=cases(300))
@given(st.data())
def test_mdav(data: DataObject) -> None:
    sheet, how, centroid = data.draw(sheets()), data.draw(distances), data.draw(centroids)
    k = data.draw(some_k(sheet.n))
    expected = twin.mdav(sheet.records, sheet.attributes, k, *how, centroid)
    groups, number = microaggregation.mdav(sheet.operators(how, centroid), k, silent)
    assert groups.tolist() == expected
    assert number == max(expected) + 1


@settings(max_examples=cases(300))
@given(st.data())
def test_adaptive(data: DataObject) -> None:
    sheet, how, centroid = data.draw(sheets()), data.draw(distances), data.draw(centroids)
    k, comparison, static = data.draw(some_k(sheet.n)), data.draw(comparisons), data.draw(st.booleans())
    expected = twin.adaptive(sheet.records, sheet.attributes, k, *how, centroid, comparison, static)
    groups, number = microaggregation.adaptive(
        sheet.operators(how, centroid), k, weighted=comparison == "weighted", static=static, progress=silent
    )
    assert groups.tolist() == expected
    assert number == max(expected) + 1


@settings(max_examples=cases(300))
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
    chosen = data.draw(CHOICES)
    some = [i for i in range(sheet.n) if chosen[i] >= 64] or [0]
    records = [sheet.records[i] for i in some]
    order = twin.sort_records(records, sheet.attributes, *how, centroid, comparison, sheet.records)
    real = sorted_records(sheet.operators(how, centroid), np.array(some[::-1]), comparison)
    assert real.tolist() == [some[i] for i in order]


@settings(max_examples=cases(300))
@given(st.data())
def test_resampling(data: DataObject) -> None:
    sheet, how, centroid = data.draw(sheets()), data.draw(distances), data.draw(centroids)
    k, comparison = data.draw(some_k(sheet.n)), data.draw(comparisons)
    drawn = np.random.default_rng(data.draw(st.integers(0, 2**16))).permutation(sheet.n)
    samples = drawn[: sheet.n // k * k].reshape(k, -1)
    event(f"{sheet.n % k} left over" if sheet.n % k < 3 else "more left over")
    expected = twin.k_anonymous_resampling(
        sheet.records, sheet.attributes, k, samples.tolist(), *how, centroid, comparison
    )
    real = grouped_by_rank(sheet.operators(how, centroid), samples, comparison, silent)
    assert real.tolist() == expected
