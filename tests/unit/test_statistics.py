"""Centres and dependence of nominal columns against their definitions written out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ontomask as om
from ontomask import errors

Floats = NDArray[np.float64]


def random_taxonomy(rng: np.random.Generator, size: int) -> om.Taxonomy:
    """A DAG of ``size`` concepts with a few second parents."""
    edges = {(f"c{i}", f"c{rng.integers(i)}") for i in range(1, size)}
    edges |= {(f"c{i}", f"c{rng.integers(i)}") for i in rng.integers(2, size, size // 3)}
    return om.Taxonomy.from_edges(sorted(edges))


def full_covariance(a: Floats, b: Floats) -> float:
    """R17 eq. 14-15 as printed, on the n x n tables."""

    def centred(table: Floats) -> Floats:
        return table - table.mean(0) - table.mean(1)[:, None] + table.mean()

    return float(np.sqrt(max((centred(a) * centred(b)).sum(), 0))) / len(a)


@pytest.mark.parametrize("seed", range(40))
def test_distance_covariance_equals_the_full_formula(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 70))
    t, p = random_taxonomy(rng, 40), random_taxonomy(rng, 15)
    columns: list[tuple[om.Taxonomy | None, Any, Floats]] = []
    for taxonomy in (t, p):
        values = [taxonomy.concepts[i] for i in rng.integers(len(taxonomy), size=n)]
        columns.append((taxonomy, values, om.distance_matrix(taxonomy, values, "logsc")))
    for numbers in (rng.normal(size=n), rng.integers(4, size=n).astype(float)):
        columns.append((None, numbers, abs(numbers[:, None] - numbers)))
    for t1, x, a in columns:
        assert om.distance_variance(t1, x, "logsc") == pytest.approx(full_covariance(a, a), abs=1e-7)
        for t2, y, b in columns:
            expected = full_covariance(a, b)
            assert om.distance_covariance(t1, x, t2, y, "logsc") == pytest.approx(expected, abs=1e-7)
            spread = full_covariance(a, a) * full_covariance(b, b)
            if spread > 1e-9:
                correlation = om.distance_correlation(t1, x, t2, y, "logsc")
                assert correlation == pytest.approx(expected / np.sqrt(spread), abs=1e-6)


def test_offset_and_scale_of_numbers_do_not_matter() -> None:
    rng = np.random.default_rng(8)
    x = rng.normal(size=400)
    y = x + rng.normal(size=400)
    expected = om.distance_correlation(None, x, None, y)
    for offset, scale in ((1e6, 1.0), (1e9, 1e3), (0.0, 1e-12), (-1e12, 1e6)):
        assert om.distance_correlation(None, offset + scale * x, None, y) == pytest.approx(expected, abs=1e-4)
    assert om.distance_covariance(None, 9 * x, None, y) == pytest.approx(3 * om.distance_covariance(None, x, None, y))


def test_distance_correlation_at_its_ends() -> None:
    t = random_taxonomy(np.random.default_rng(1), 30)
    column = [t.concepts[i % 30] for i in range(300)]
    assert om.distance_correlation(t, column, t, column) == pytest.approx(1)
    assert om.distance_correlation(t, column, t, ["c1"] * 300) == 0  # does not vary
    assert om.distance_correlation(t, column, None, range(300)) < 0.3


def confusion(t: om.Taxonomy, a: str, b: str) -> int:
    """Fewest links down to b from a concept that subsumes both."""
    at = t.dag.ancestor_pairs(np.array([t.position(b)]))
    above_a = {t.position(c) for c in t.subsumers(a)}
    return min(int(links) for c, links in zip(at.concept, at.links, strict=True) if int(c) in above_a)


@pytest.mark.parametrize("seed", range(60))
def test_centroids_equal_their_definitions(seed: int) -> None:
    rng = np.random.default_rng(seed)
    t = random_taxonomy(rng, int(rng.integers(2, 40)))
    values = [t.concepts[i] for i in rng.integers(len(t), size=int(rng.integers(1, 12)))]
    weights = rng.integers(1, 5, len(values)).tolist()

    def best(candidates: list[str], cost: Any) -> str:
        ordered = sorted(candidates, key=t.position)
        costs = [sum(w * cost(c, v) for v, w in zip(values, weights, strict=True)) for c in ordered]
        return ordered[next(i for i, c in enumerate(costs) if c <= min(costs) + 1e-12 * min(costs))]

    for measure in ("logsc", "path"):
        table = om.distance_matrix(t, t.concepts, measure)

        def distance(c: str, v: str, table: Floats = table) -> float:
            return float(table[t.position(c), t.position(v)])

        for kind, candidates in (
            ("semantic", t.minimum_hierarchy(values)),
            ("marginality", list(set(values))),
            ("semantic_mean", list(t.attribute_taxonomy(values))),
        ):
            assert om.centroid(t, values, weights, measure, kind) == best(candidates, distance)
    assert om.centroid(t, values, weights, kind="consensus") == best(list(set(values)), lambda c, v: confusion(t, v, c))
    assert om.centroid(t, values, weights, kind="lcs") == t.lcs(values)
    totals = {v: sum(w for u, w in zip(values, weights, strict=True) if u == v) for v in values}
    assert om.centroid(t, values, weights, kind="mode") == max(totals, key=totals.__getitem__)
    drawn = om.centroid(t, values, weights, kind="random", seed=seed)
    assert drawn in values
    assert drawn == om.centroid(t, values, weights, kind="random", seed=seed)


def test_weights_of_zero_leave_a_value_out() -> None:
    t = om.Taxonomy.from_edges([("a", "r"), ("b", "r"), ("c", "b")])
    for kind in ("semantic", "marginality", "semantic_mean", "lcs", "mode", "consensus", "random"):
        assert om.centroid(t, ["a", "c"], [0, 2], kind=kind) == "c"


def test_content_from_the_sample_itself() -> None:
    t = random_taxonomy(np.random.default_rng(3), 20)
    values = [t.concepts[i] for i in (3, 3, 7, 11, 11, 11)]
    counts = {t.concepts[3]: 2, t.concepts[7]: 1, t.concepts[11]: 3}
    assert om.marginality(t, values, measure="lin", ic="corpus") == om.marginality(
        t, values, measure="lin", ic="corpus", counts=counts
    )


def test_bad_input() -> None:
    t = om.Taxonomy.from_edges([("a", "r"), ("b", "r")])
    with pytest.raises(errors.OptionError, match="no centroid 'mean'. There are: 'semantic'"):
        om.centroid(t, ["a"], kind="mean")
    with pytest.raises(errors.OptionError, match="a statistic without values"):
        om.centroid(t, [])
    for weights in ([1], [1, -1], [0, 0], [1, float("nan")], ["1", "2"], "ab", [[1], [2]]):
        with pytest.raises(errors.OptionError, match="weights (do not fit|hold something)"):
            om.centroid(t, ["a", "b"], weights)
    for wrong in ({"measure": "nonsense"}, {"scope": "bogus"}, {"foo": 3}, {"seed": -1}):
        with pytest.raises(errors.OptionError):
            om.centroid(t, ["a", "b"], kind="mode", **wrong)  # type: ignore[arg-type]
    with pytest.raises(errors.MeasureError):
        om.distance_correlation(None, [1, 2], None, [1, 2], measure="zzz")
    with pytest.raises(errors.UnknownConceptError):
        om.marginality(t, ["a", "zzz"])
    with pytest.raises(errors.OptionError, match="columns of 2 and 1 values"):
        om.distance_correlation(t, ["a", "b"], t, ["a"])
    for bad in ([1, float("inf")], ["x", "y"], ["1", "2"], []):
        with pytest.raises(errors.OptionError, match="other than finite numbers|no values"):
            om.distance_correlation(t, ["a", "b"], None, bad)
    with pytest.raises(errors.OptionError, match="columns of 2, 1 values"):
        om.marginality_covariance([(t, ["a", "b"]), (t, ["a"])])
