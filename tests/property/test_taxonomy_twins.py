"""What a taxonomy answers equals the plain definitions of specification 1."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject

import ontomask as om
from tests.oracle import plain
from tests.property.strategies import Case, cases, dags, described, lists_of, long_dags, trees


def same_set(answer: list[str], expected: Iterable[str]) -> None:
    assert len(answer) == len(set(answer))
    assert set(answer) == set(expected)


def assert_queries_equal(case: Case, ask: Iterable[str]) -> None:
    real, twin = case.real, case.plain
    assert list(real.concepts) == list(twin.parents)
    assert real.root == twin.root
    assert len(real) == len(twin.parents)
    for c in ask:
        same_set(real.parents(c), twin.parents[c])
        same_set(real.children(c), twin.children[c])
        same_set(real.ancestors(c), twin.subsumers[c] - {c})
        same_set(real.subsumers(c), twin.subsumers[c])
        same_set(real.descendants(c), twin.descendants[c])
        assert real.depth(c) == twin.depth[c]
        assert real.height(c) == twin.height[c]
        assert real.is_leaf(c) == (not twin.children[c])
        above = [twin.depth[a] for a in real.ancestors(c)]
        assert above == sorted(above, reverse=True)  # deepest first, as documented
        below = [twin.depth[d] for d in real.descendants(c)]
        assert below == sorted(below)  # shallowest first


def assert_sets_equal(case: Case, values: list[str]) -> None:
    real, twin = case.real, case.plain
    assert real.lcs(values) == plain.lcs(twin, values)
    same_set(real.minimum_hierarchy(values), plain.minimum_hierarchy(twin, values))


def assert_same_taxonomy(real: om.Taxonomy, twin: plain.Plain) -> None:
    """Everything public that measures read: order, links, texts, relations."""
    assert list(real.concepts) == list(twin.parents)
    for c, above in twin.parents.items():
        same_set(real.parents(c), above)
        assert real.depth(c) == twin.depth[c]
        assert real.height(c) == twin.height[c]
        assert real.label(c) == twin.labels.get(c, c)
        assert real.synonyms(c) == list(twin.synonyms.get(c, ()))
        assert (real.definition(c) or "") == twin.definitions.get(c, "")
        related = {(r, b) for r, pairs in twin.relations.items() for a, b in pairs if a == c}
        same_set(real.related(c), related)


@settings(max_examples=cases(200))
@given(st.one_of(dags(), trees()))
def test_queries(case: Case) -> None:
    named = {c for edge in case.edges for c in edge if c is not None}
    event("several roots" if case.real.artificial_root else "one root")
    # The root is added where, and only where, the edges do not name it.
    assert case.real.artificial_root == next((c for c in case.concepts if c not in named), None)
    assert_queries_equal(case, case.concepts)


@settings(max_examples=cases(15))
@given(st.data())
def test_queries_long(data: DataObject) -> None:
    case = data.draw(long_dags())
    assert_queries_equal(case, data.draw(lists_of(case)))
    assert max(case.plain.depth.values()) == max(map(case.real.depth, case.concepts))


@settings(max_examples=cases(15))
@given(st.data())
def test_every_pair(data: DataObject) -> None:
    case = data.draw(dags())
    for a in case.concepts:
        for b in case.concepts:
            expected = plain.lcs(case.plain, (a, b))
            assert case.real.lcs([a, b]) == expected, (a, b)


@settings(max_examples=cases(300))
@given(st.data())
def test_sets(data: DataObject) -> None:
    case = data.draw(dags())
    values = data.draw(lists_of(case))
    assert_sets_equal(case, values)
    # A set: neither order nor repetition count.
    assert_sets_equal(case, values[::-1])
    assert_sets_equal(case, list(dict.fromkeys(values)))


@settings(max_examples=cases(15))
@given(st.data())
def test_sets_long(data: DataObject) -> None:
    case = data.draw(long_dags())
    assert_sets_equal(case, data.draw(lists_of(case)))


@settings(max_examples=cases(150))
@given(st.data())
def test_attribute_taxonomy(data: DataObject) -> None:
    case = data.draw(described())
    values = data.draw(lists_of(case))
    assert_same_taxonomy(case.real.attribute_taxonomy(values), plain.attribute_taxonomy(case.plain, values))
    assert_same_taxonomy(case.real, case.plain)


@settings(max_examples=cases(120))
@given(st.data())
@pytest.mark.parametrize("kind", ["intrinsic", "sanchez", "corpus"])
def test_information_content(kind: str, data: DataObject) -> None:
    case = data.draw(dags())
    counts = None
    if kind == "corpus":
        counts = data.draw(st.dictionaries(st.sampled_from(case.concepts), st.integers(0, 10**6)))
    real = om.information_content(case.real, kind, counts)
    expected = plain.information_content(case.plain, kind, counts)
    assert list(real) == list(expected)
    for c, value in expected.items():
        assert real[c] == pytest.approx(value, rel=0, abs=1e-12), c
    # Nothing is said by the root, and a concept says more than what subsumes it.
    assert real[case.real.root] == 0
    for c in case.concepts:
        assert all(real[c] > real[p] for p in case.plain.parents[c])


def test_repetition_does_not_move_the_lcs() -> None:
    """Two subsumers tie in depth and in links; counting a value twice would tip them. Random cases hardly find it."""
    ways = [("near_y", "y"), ("y", "root"), ("x", "root"), ("a", "x"), ("a", "near_y"), ("b", "y"), ("b", "near_x")]
    case = Case([*ways, ("near_x", "x")])
    for values in (["a", "b"], ["a", "a", "b"], ["b", "a", "b", "b"]):
        assert plain.lcs(case.plain, values) == "y"
        assert_sets_equal(case, values)
