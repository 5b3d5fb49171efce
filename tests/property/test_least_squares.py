"""The centre of a column with the least sum of squared distances, against every centre there can be."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import ontomask as om
from ontomask.microdata.column_distance import ColumnDistance
from ontomask.operators.record_distance import RecordDistance, table_of

ANIMALS = {"animal": None, "dog": "animal", "cat": "animal", "poodle": "dog", "collie": "dog", "siamese": "cat"}
TAXONOMY = om.Taxonomy.from_edges([(child, parent) for child, parent in ANIMALS.items() if parent])
KINDS: dict[str, Any] = {
    "numeric": om.Numeric(),
    "ordinal": om.Ordinal(order=["a", "b", "c", "d", "e"]),
    "flat": om.Flat(),
    "nominal": om.Nominal(taxonomy=TAXONOMY),
    "set": om.Nominal(taxonomy=TAXONOMY, many="|"),
}


def values(kind: str, rng: np.random.Generator, n: int) -> list[Any]:
    leaves = ["poodle", "collie", "siamese", "cat"]
    drawn: list[Any] = {
        "numeric": lambda: rng.integers(0, 30, n).astype(float).tolist(),
        "ordinal": lambda: rng.choice(["a", "b", "c", "d", "e"], n).tolist(),
        "flat": lambda: rng.choice(["x", "y", "z"], n).tolist(),
        "nominal": lambda: rng.choice(leaves, n).tolist(),
        "set": lambda: ["|".join(sorted(set(rng.choice(leaves, 1 + rng.integers(3))))) for _ in range(n)],
    }[kind]()
    return [None if rng.random() < 0.15 else value for value in drawn] if rng.random() < 0.5 else drawn


@pytest.mark.parametrize("kind", KINDS)
def test_no_centre_has_a_smaller_sum(kind: str) -> None:
    rng = np.random.default_rng(3)
    for _ in range(60):
        n = int(rng.integers(1, 15))
        given = values(kind, rng, n)
        frame = pl.DataFrame({"x": given}, schema={"x": pl.Float64 if kind == "numeric" else pl.String})
        attribute = KINDS[kind].model_copy(update={"missing": "category"})
        metric = RecordDistance.of(table_of(frame, {"x": attribute})).metrics[0]
        centre, total = metric.least_squares
        own = metric.column.centre_of_code
        known = own[~metric.column.is_missing(own)]
        assert total == pytest.approx(summed(metric, np.array([centre]))[0])
        assert metric.variance == pytest.approx(total / n)
        if not len(known):
            assert total == 0
            continue
        candidates = {
            "numeric": lambda known=known: np.linspace(known.min(), known.max(), 101),
            "nominal": lambda: np.arange(len(TAXONOMY)),
            "ordinal": lambda: np.arange(5),
        }.get(kind, lambda known=known: known)()
        assert total <= summed(metric, candidates).min() + 1e-9
        assert ColumnDistance.least_squares.func(metric)[1] >= total - 1e-9


def summed(metric: ColumnDistance, centres: np.ndarray) -> np.ndarray:
    """The sum of squared distances of all records from each centre."""
    own, counts = metric.column.centre_of_code, metric.column.counts
    return np.array([(counts * metric.distance(own, np.repeat(c, len(own))) ** 2).sum() for c in centres])
