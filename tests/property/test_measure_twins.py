"""Every measure, option and table shape equals the plain definitions of specification 2, and behaves as declared."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject, SearchStrategy
from numpy.typing import NDArray

import ontomask as om
from tests.oracle import plain
from tests.property.strategies import (
    Case,
    cases,
    dags,
    described,
    lists_of,
    long_dags,
    long_trees,
    trees,
)

IC_MEASURES = ("resnik", "lin", "jiang_conrath")
WHOLE_NUMBERS = ("path", "weighted_edge")
#: Each measure with the options to try. Data that options need (counts, vectors) come from ``with_data``.
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "path": [{}],
    "leacock_chodorow": [{}],
    "wu_palmer": [{}, {"depth": "edges"}],
    "logsc": [{}],
    "weighted_edge": [{}],
    "equality": [{}],
    "tversky": [{}, {"features": "synonyms"}],
    "rodriguez": [
        {},
        {"weights": (0.5, 0.3, 0.2)},
        {"weights": (0.0, 1.0, 0.0)},
        {"weights": (0.2, 0.0, 0.8), "radius": 2},
        {"radius": 3},
    ],
    "x_similarity": [{}],
    "context_vector": [{"vectors": ...}],
    **{m: [{}, {"ic": "sanchez"}, {"ic": "corpus"}, {"ic": "corpus", "counts": ...}] for m in IC_MEASURES},
}
OVER_TEXTS = ("tversky", "rodriguez", "x_similarity")
#: What depends on links alone, on long chains too.
STRUCTURAL = [m for m in OPTIONS if m not in ("rodriguez", "x_similarity", "context_vector")]
#: Papers give these as similarities, or the specification their distance as 1 - similarity.
WITH_SIMILARITY = [m for m in OPTIONS if m not in ("path", "logsc", "weighted_edge", "jiang_conrath")]
#: Beyond so many levels of links the sums of ``weighted_edge`` are not whole numbers of 53 bits: it must refuse.
LEVELS_OF_WEIGHTS = 52

by_measure = pytest.mark.parametrize("measure", OPTIONS)
by_structural = pytest.mark.parametrize("measure", STRUCTURAL)
scopes = st.sampled_from(("taxonomy", "attribute"))


def test_every_measure_has_a_twin() -> None:
    assert sorted(OPTIONS) == sorted(om.list_measures())


def vectors_for(concepts: Sequence[str]) -> SearchStrategy[dict[str, list[float]]]:
    """Vectors of small numbers, parallel or opposite often enough; none is zero, which has no direction."""
    number = st.one_of(st.integers(-3, 3).map(float), st.floats(-1e3, 1e3))
    vector = st.lists(number, min_size=3, max_size=3).filter(lambda v: math.hypot(*v) > 1e-3)
    return st.fixed_dictionaries(dict.fromkeys(concepts, vector))


def with_data(data: DataObject, case: Case, measure: str, asked: list[str]) -> list[dict[str, Any]]:
    """The options to try, with the data some need: counts of any concepts, vectors of those asked for."""
    found: dict[str, Any] = {}
    if any("counts" in options for options in OPTIONS[measure]):
        found["counts"] = data.draw(st.dictionaries(st.sampled_from(case.concepts), st.integers(0, 1000)))
    if measure == "context_vector":
        found["vectors"] = data.draw(vectors_for(list(dict.fromkeys(asked))))
    return [{k: found[k] if v is ... else v for k, v in options.items()} for options in OPTIONS[measure]]


def small_cases(measure: str) -> SearchStrategy[Case]:
    return described() if measure in OVER_TEXTS else dags()


def assert_equal(measure: str, real: NDArray[Any], expected: plain.Matrix) -> None:
    assert real.dtype == np.float64
    twin = np.array([[float(d) for d in row] for row in expected]).reshape(real.shape)
    if measure in WHOLE_NUMBERS:
        assert np.array_equal(real, twin)
    else:
        np.testing.assert_allclose(real, twin, rtol=0, atol=1e-12)


def assert_well_behaved(measure: str, real: NDArray[Any], concepts: Sequence[str]) -> None:
    """A distance table: square, symmetric to the bit, zero on equal concepts, finite, within the declared range."""
    assert np.array_equal(real, real.T)
    same = np.array([[a == b for b in concepts] for a in concepts])
    assert np.all(real[same] == 0)
    assert np.all(np.isfinite(real))
    assert np.all(real >= 0)
    assert not np.any(np.signbit(real))  # no -0.0 in a report
    largest = om.get_measure(measure).largest
    if largest is not None:
        assert np.all(real <= largest)


# ---- equal to the twins ------------------------------------------------------------------------------------------


@settings(max_examples=cases(70))
@given(st.data())
@by_measure
def test_square(measure: str, data: DataObject) -> None:
    case = data.draw(small_cases(measure))
    concepts = data.draw(lists_of(case))
    scope = data.draw(scopes)
    for options in with_data(data, case, measure, concepts):
        note(f"{options}")
        real = om.distance_matrix(case.real, concepts, measure, scope=scope, **options)
        assert_equal(measure, real, plain.distance_matrix(case.plain, concepts, measure, scope=scope, **options))
        assert_well_behaved(measure, real, concepts)


@settings(max_examples=cases(25))
@given(st.data())
@by_measure
def test_against(measure: str, data: DataObject) -> None:
    case = data.draw(small_cases(measure))
    rows, columns = data.draw(lists_of(case, 5)), data.draw(lists_of(case, 5))
    scope = data.draw(scopes)
    for options in with_data(data, case, measure, rows + columns):
        note(f"{options}")
        real = om.distance_matrix(case.real, rows, measure, against=columns, scope=scope, **options)
        assert real.shape == (len(rows), len(columns))
        expected = plain.distance_matrix(case.plain, rows, measure, against=columns, scope=scope, **options)
        assert_equal(measure, real, expected)
        turned = om.distance_matrix(case.real, columns, measure, against=rows, scope=scope, **options)
        assert np.array_equal(real, turned.T)
        # The part of a square table, to the bit.
        both = om.distance_matrix(case.real, rows + columns, measure, scope=scope, **options)
        assert np.array_equal(real, both[: len(rows), len(rows) :])


@settings(max_examples=cases(15))
@given(st.data())
@by_measure
def test_one_pair(measure: str, data: DataObject) -> None:
    case = data.draw(small_cases(measure))
    a, b = data.draw(lists_of(case, 2, min_size=2))
    scope = data.draw(scopes)
    for options in with_data(data, case, measure, [a, b]):
        note(f"{options}")
        real = om.distance(case.real, a, b, measure, scope=scope, **options)
        ((_, expected), _) = plain.distance_matrix(case.plain, [a, b], measure, scope=scope, **options)
        assert real == pytest.approx(expected, rel=0, abs=1e-12)
        assert real == om.distance(case.real, b, a, measure, scope=scope, **options)
        assert real == om.distance_matrix(case.real, [a, b], measure, scope=scope, **options)[0, 1]


@settings(max_examples=cases(25))
@given(st.data())
@pytest.mark.parametrize("measure", WITH_SIMILARITY)
def test_similarity(measure: str, data: DataObject) -> None:
    case = data.draw(small_cases(measure))
    concepts = data.draw(lists_of(case))
    against = data.draw(st.one_of(st.none(), lists_of(case, 4)))
    scope = data.draw(scopes)
    for options in with_data(data, case, measure, concepts + (against or [])):
        note(f"{options}")
        real = om.similarity_matrix(case.real, concepts, measure, against=against, scope=scope, **options)
        expected = plain.similarity_matrix(case.plain, concepts, measure, against=against, scope=scope, **options)
        assert_equal(measure, real, expected)
        if against is None:
            assert np.array_equal(real, real.T)


EXPLICIT = [
    ("wu_palmer", {"depth": "nodes"}),
    ("tversky", {"features": "ancestors"}),
    ("rodriguez", {"weights": (1 / 3, 1 / 3, 1 / 3), "radius": 1}),
    *((m, {"ic": "intrinsic"}) for m in IC_MEASURES),
]


@settings(max_examples=cases(10))
@given(st.data())
@pytest.mark.parametrize(("measure", "options"), EXPLICIT)
def test_defaults(measure: str, options: dict[str, Any], data: DataObject) -> None:
    case = data.draw(described())
    concepts = data.draw(lists_of(case))
    default, explicit = (om.distance_matrix(case.real, concepts, measure, **o) for o in ({}, options))
    assert np.array_equal(default, explicit)
    assert np.array_equal(om.distance_matrix(case.real, concepts), om.distance_matrix(case.real, concepts, "logsc"))


def too_deep(case: Case, measure: str, asked: Sequence[str], scope: str) -> bool:
    twin = plain.attribute_taxonomy(case.plain, asked) if scope == "attribute" else case.plain
    return measure == "weighted_edge" and max(twin.depth[c] - 1 for c in asked) > LEVELS_OF_WEIGHTS


def shallow(case: Case, concepts: Sequence[str]) -> list[str]:
    """Those that ``weighted_edge`` can take."""
    return [c for c in concepts if case.plain.depth[c] - 1 <= LEVELS_OF_WEIGHTS] or [case.plain.root]


@settings(max_examples=cases(6))
@given(st.data())
@by_structural
def test_long(measure: str, data: DataObject) -> None:
    case = data.draw(long_dags())
    concepts = data.draw(lists_of(case, 6, min_size=2))
    scope = data.draw(scopes)
    for options in with_data(data, case, measure, concepts):
        note(f"{options}")
        if too_deep(case, measure, concepts, scope):
            with pytest.raises(om.errors.MeasureError):
                om.distance_matrix(case.real, concepts, measure, scope=scope, **options)
            continue
        real = om.distance_matrix(case.real, concepts, measure, scope=scope, **options)
        assert_equal(measure, real, plain.distance_matrix(case.plain, concepts, measure, scope=scope, **options))
        assert_well_behaved(measure, real, concepts)


@pytest.mark.parametrize("levels", [1, 31, 32, 33, 51, 52, 53])
def test_deepest_weights(levels: int) -> None:
    """The greatest sums there can be: two arms from the root, at and beyond the last level that is exact."""
    edges = [(f"{arm}{i}", f"{arm}{i - 1}" if i > 1 else "root") for arm in "ab" for i in range(1, levels + 1)]
    case = Case(edges)
    ends = [f"a{levels}", f"b{levels}", "root"]
    if levels > LEVELS_OF_WEIGHTS:
        with pytest.raises(om.errors.MeasureError):
            om.distance_matrix(case.real, ends, "weighted_edge")
    else:
        real = om.distance_matrix(case.real, ends, "weighted_edge")
        assert_equal("weighted_edge", real, plain.distance_matrix(case.plain, ends, "weighted_edge"))
        assert real[0, 1] == 2 * (2**levels - 1)


def test_targets_and_words_spelt_alike() -> None:
    """``a`` is related to the concept 'fever', ``b`` defined by the word: nothing in common."""
    edges = [("a", "root"), ("b", "root"), ("fever", "root")]
    case = Case(edges, definitions={"b": "fever"}, relations={"part of": [("a", "fever")]})
    options = {"weights": (0.0, 1.0, 0.0)}
    real = om.distance_matrix(case.real, ["a", "b"], "rodriguez", **options)
    assert real[0, 1] == 1
    assert_equal("rodriguez", real, plain.distance_matrix(case.plain, ["a", "b"], "rodriguez", **options))


@pytest.mark.parametrize("scope", ["taxonomy", "attribute"])
@pytest.mark.parametrize(
    ("measure", "options"),
    [
        ("tversky", {"features": "synonyms"}),
        ("rodriguez", {}),
        ("rodriguez", {"weights": (1.0, 0.0, 0.0)}),
        ("x_similarity", {}),
    ],
)
def test_concepts_without_terms(measure: str, options: dict[str, Any], scope: str) -> None:
    """Labels without a letter or digit fold to nothing: such concepts share no term, yet equal themselves."""
    case = Case([("a", "r"), ("b", "r"), ("c", "a")], labels={"a": "--", "b": "?", "c": "(...)"})
    real = om.distance_matrix(case.real, case.concepts, measure, scope=scope, **options)
    expected = plain.distance_matrix(case.plain, case.concepts, measure, scope=scope, **options)
    assert_equal(measure, real, expected)
    assert_well_behaved(measure, real, case.concepts)


# Beyond 16 bits the twin is too slow; the shapes are simple enough to know the answers.


@pytest.mark.parametrize("length", [32_770] if cases(1) == 1 else [32_766, 32_769, 65_534, 65_537])
@pytest.mark.parametrize("measure", ["wu_palmer"] if cases(1) == 1 else ["wu_palmer", "path", "logsc"])
def test_very_deep(measure: str, length: int) -> None:
    """A chain with a side arm of one link below the root's child."""
    edges = [(f"a{i}", f"a{i - 1}") for i in range(1, length)]
    t = om.Taxonomy.from_edges([*edges, ("side", "a1")])
    last = f"a{length - 1}"
    assert t.depth(last) == length
    expected = {
        "path": (length - 2 + 1, 2, length - 3),
        "wu_palmer": (1 - 4 / (length - 2 + 1 + 4), 1 - 4 / (2 + 4), 1 - 6 / (length - 3 + 6)),
        "logsc": (
            math.log2(1 + (length - 1) / (length + 1)),
            math.log2(1 + 2 / 4),
            math.log2(1 + (length - 3) / length),
        ),
    }[measure]
    real = om.distance_matrix(t, [last, "side", "a2"], measure)
    assert_well_behaved(measure, real, [last, "side", "a2"])
    np.testing.assert_allclose((real[0, 1], real[1, 2], real[0, 2]), expected, rtol=1e-12)


def test_very_wide() -> None:
    """Two concepts with more than 65,535 ancestors each, most of them in common."""
    n, only_one = 66_000, 100
    edges = [(f"p{i}", "root") for i in range(n)] + [("a", f"p{i}") for i in range(n)]
    edges += [("b", f"p{i}") for i in range(only_one, n)]
    real = om.distance_matrix(om.Taxonomy.from_edges(edges), ["a", "b", "p0"], "logsc")
    # T(a) = a, root, all n; T(b) = b, root, n - only_one; T(p0) = p0, root.
    different, either = 2 + only_one, n + 3
    assert real[0, 1] == pytest.approx(math.log2(1 + different / either), rel=1e-12)
    assert real[0, 2] == pytest.approx(math.log2(1 + n / (n + 2)), rel=1e-12)
    assert real[1, 2] == pytest.approx(math.log2(1 + (n - only_one + 2) / (n - only_one + 3)), rel=1e-12)


@settings(max_examples=cases(30))
@given(st.data())
@pytest.mark.parametrize("measure", IC_MEASURES)
def test_counts_default_to_the_sample(measure: str, data: DataObject) -> None:
    case = data.draw(dags())
    concepts = data.draw(lists_of(case))
    by_default = om.distance_matrix(case.real, concepts, measure, ic="corpus")
    given_counts = om.distance_matrix(case.real, concepts, measure, ic="corpus", counts=Counter(concepts))
    assert np.array_equal(by_default, given_counts)


# ---- metrics -----------------------------------------------------------------------------------------------------


def assert_metric(measure: str, real: NDArray[Any], concepts: Sequence[str]) -> None:
    assert_well_behaved(measure, real, concepts)
    different = np.array([[a != b for b in concepts] for a in concepts])
    assert np.all(real[different] > 0)
    slack = 1e-9 * max(1.0, float(real.max()))
    through = (real[:, :, None] + real[None, :, :]).min(axis=1)
    assert np.all(real <= through + slack)


@settings(max_examples=cases(150))
@given(dags())
def test_logsc_is_a_metric(case: Case) -> None:
    assert_metric("logsc", om.distance_matrix(case.real, case.concepts, "logsc"), case.concepts)


@settings(max_examples=cases(15))
@given(long_dags())
def test_logsc_is_a_metric_on_long_chains(case: Case) -> None:
    concepts = case.concepts[:60]
    assert_metric("logsc", om.distance_matrix(case.real, concepts, "logsc"), concepts)


TREE_METRICS: list[tuple[str, dict[str, Any]]] = [
    ("path", {}),
    ("weighted_edge", {}),
    *(("jiang_conrath", {"ic": kind}) for kind in ("intrinsic", "sanchez", "corpus")),
]


@settings(max_examples=cases(60))
@given(trees())
@pytest.mark.parametrize(("measure", "options"), TREE_METRICS)
def test_metrics_on_trees(measure: str, options: dict[str, Any], case: Case) -> None:
    assert_metric(measure, om.distance_matrix(case.real, case.concepts, measure, **options), case.concepts)


@settings(max_examples=cases(5))
@given(long_trees())
@pytest.mark.parametrize(("measure", "options"), TREE_METRICS)
def test_metrics_on_long_trees(measure: str, options: dict[str, Any], case: Case) -> None:
    concepts = case.concepts[:60]
    if measure == "weighted_edge":
        concepts = shallow(case, concepts)
    assert_metric(measure, om.distance_matrix(case.real, concepts, measure, **options), concepts)


# ---- the same bytes whatever the engine does ---------------------------------------------------------------------

BLOCKS: list[dict[str, int]] = [
    {},
    {"sweep.WORKING_MEMORY": 1},
    {"sweep.CELLS": 7},
    {"closure.STRIDE": 2},
    {"sweep.WORKING_MEMORY": 1, "sweep.CELLS": 7, "closure.STRIDE": 2},
    {"sweep.WORKING_MEMORY": 1, "sweep.CELLS": 1, "closure.STRIDE": 1},
]


def in_blocks(sizes: dict[str, int], *args: Any, **options: Any) -> NDArray[Any]:
    """A table made with the internal block sizes set so. (A fixture would not be undone between examples.)"""
    with pytest.MonkeyPatch.context() as patch:
        for constant, size in sizes.items():
            patch.setattr(f"ontomask.distances.{constant}", size)
        return om.distance_matrix(*args, **options)


@settings(max_examples=cases(5))
@given(st.data())
@by_measure
def test_workers_and_blocks(measure: str, data: DataObject) -> None:
    case = data.draw(small_cases(measure))
    concepts = data.draw(lists_of(case, 30, min_size=3))
    against = data.draw(st.one_of(st.none(), lists_of(case, 12)))
    scope = data.draw(scopes)
    for options in with_data(data, case, measure, concepts + (against or [])):
        ask = (case.real, concepts, measure)
        how: dict[str, Any] = {"against": against, "scope": scope, **options}
        expected = in_blocks({}, *ask, workers=1, **how)
        for sizes in BLOCKS:
            for workers in (1, 3):
                note(f"{options} {sizes} {workers} workers")
                assert np.array_equal(in_blocks(sizes, *ask, workers=workers, **how), expected)


@settings(max_examples=cases(2))
@given(st.data())
@by_structural
def test_workers_and_blocks_long(measure: str, data: DataObject) -> None:
    case = data.draw(long_dags())
    # Enough columns for many blocks; drawn at once, since which they are is not worth shrinking.
    concepts = random.Random(data.draw(st.integers(0, 2**16))).choices(case.concepts, k=40)
    if measure == "weighted_edge":
        concepts = shallow(case, concepts)
    options = data.draw(st.sampled_from(with_data(data, case, measure, concepts)))
    ask = (case.real, concepts, measure)
    expected = in_blocks({}, *ask, workers=1, **options)
    assert_well_behaved(measure, expected, concepts)
    for sizes in BLOCKS[1:5]:
        note(f"{options} {sizes}")
        assert np.array_equal(in_blocks(sizes, *ask, workers=3, **options), expected)


@settings(max_examples=cases(10))
@given(st.data())
@by_measure
def test_float32(measure: str, data: DataObject) -> None:
    case = data.draw(small_cases(measure))
    concepts = data.draw(lists_of(case))
    for options in with_data(data, case, measure, concepts):
        note(f"{options}")
        double = om.distance_matrix(case.real, concepts, measure, **options)
        single = om.distance_matrix(case.real, concepts, measure, dtype=np.float32, **options)
        assert single.dtype == np.float32
        # Whole numbers beyond 24 bits are rounded by the type itself.
        np.testing.assert_allclose(single, double.astype(np.float32), rtol=2.0**-24, atol=1e-6)
        assert_well_behaved(measure, single, concepts)
