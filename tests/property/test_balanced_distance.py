"""The balanced distance: what it is, that the kernels agree, and that semantic centres have the least sum of its squares."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import ontomask as om
from ontomask.kernels.groups import distances_from
from ontomask.kernels.space import new_point, set_point
from ontomask.microdata.encoding import Table
from ontomask.operators.record_distance import RecordDistance, table_of
from tests.property.pets import LEAVES, PARENTS, TAXONOMY

KINDS: dict[str, Any] = {
    "x": om.Numeric(weight=2.0, missing="category"),
    "rank": om.Ordinal(order=["a", "b", "c", "d"]),
    "flat": om.Flat(weight=0.5),
    "pet": om.Nominal(taxonomy=TAXONOMY, missing="category"),
    "pets": om.Nominal(taxonomy=TAXONOMY, many="|"),
}
MIXES = [["x"], ["pet"], ["flat", "rank"], ["x", "rank", "flat", "pet"], ["x", "pets"]]


def draw(rng: np.random.Generator, names: list[str], n: int) -> tuple[pl.DataFrame, Table]:
    def gaps(values: list[Any]) -> list[Any]:
        return [None if rng.random() < 0.1 else value for value in values]

    made: dict[str, Any] = {
        "x": gaps(rng.gamma(1.0, 5.0, n).round(1).tolist()),
        "rank": rng.choice(["a", "b", "c", "d"], n).tolist(),
        "flat": rng.choice(["u", "v", "w"], n).tolist(),
        "pet": gaps(rng.choice(LEAVES, n).tolist()),
        "pets": ["|".join(sorted(set(rng.choice(LEAVES, 1 + rng.integers(2))))) for _ in range(n)],
    }
    frame = pl.DataFrame({name: made[name] for name in names}, schema_overrides={"x": pl.Float64, "pet": pl.String})
    return frame, table_of(frame, {name: KINDS[name] for name in names})


@pytest.mark.parametrize("names", MIXES, ids="-".join)
def test_the_formula_and_the_kernels(names: list[str]) -> None:
    rng = np.random.default_rng(3)
    for _ in range(60):
        _, table = draw(rng, names, int(rng.integers(2, 14)))
        distance = RecordDistance.of(table, "balanced")
        own = [column.centre_of_code[codes] for column, codes in zip(table.columns, table.codes, strict=True)]
        point, space = new_point(distance.space(table)), distance.space(table)
        for t in range(table.p):
            square = np.zeros(table.p)
            for metric, values in zip(distance.metrics, own, strict=True):
                raw = metric.distance(np.repeat(values[t : t + 1], table.p), values)
                scale = metric.mean_distance if metric.of_sets else metric.variance
                if scale > 0:
                    square += metric.column.attribute.weight * (raw if metric.of_sets else raw**2) / scale
            pairs = distance.pairs([np.repeat(values[t : t + 1], table.p) for values in own], own)
            assert pairs**2 == pytest.approx(square, abs=1e-12)
            assert pairs.max() <= distance.farthest + 1e-9
            out = np.empty(table.p)
            set_point(space, point, t)
            distances_from(space, point, np.arange(table.p), out)
            assert out == pytest.approx(square, abs=1e-9)


def test_the_semantic_centre_has_the_least_sum_of_squares() -> None:
    """Of all concepts that subsume a value and are subsumed by the least common subsumer."""
    rng = np.random.default_rng(4)
    other = 0
    for _ in range(300):
        values = rng.choice(LEAVES, int(rng.integers(2, 9))).tolist()
        rest = rng.choice(LEAVES, 5).tolist()
        table = table_of(pl.DataFrame({"pet": values + rest}), {"pet": om.Nominal(taxonomy=TAXONOMY)})
        group = np.array([0] * len(values) + [1] * len(rest))
        found, plain = (
            om.Microaggregation(k=2, distance=distance).operators(table).centres(table.rows, group, 2)[0][0]
            for distance in ("balanced", "mean")
        )
        metric = RecordDistance.of(table).metrics[0]
        own = table.columns[0].centre_of_code[table.codes_of(0)][: len(values)]
        sums = {c: float((metric.distance(own, np.repeat(c, len(own))) ** 2).sum()) for c in candidates(values)}
        assert sums[int(found)] == pytest.approx(min(sums.values()))
        other += int(found) != int(plain)
    assert other > 10


def candidates(values: list[str]) -> list[int]:
    """The positions of the concepts between values and what subsumes them all."""
    lines = [line(value) for value in values]
    top = next(concept for concept in lines[0] if all(concept in each for each in lines))
    return [TAXONOMY.concepts.index(concept) for each in lines for concept in each[: each.index(top) + 1]]


def line(concept: str) -> list[str]:
    """A concept and all above it, from below."""
    parents = {**PARENTS, "hen": "animal"}
    return [concept] if concept == "animal" else [concept, *line(parents[concept])]


@pytest.mark.parametrize("names", MIXES, ids="-".join)
def test_releases_are_k_anonymous(names: list[str]) -> None:
    rng = np.random.default_rng(5)
    for turn in range(6):
        frame, _ = draw(rng, names, 30)
        method = om.Microaggregation(
            k=3, distance="balanced", partition=("mdav", "adaptive", "adaptive_static")[turn % 3]
        )
        data = om.anonymize(
            frame, om.Policy(attributes={name: KINDS[name] for name in names}, method=method), seed=1
        ).data
        assert data.group_by(names).len()["len"].min() >= 3
