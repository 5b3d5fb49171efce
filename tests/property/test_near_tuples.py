"""Near tuples: of few tuples the nearest ones, of many most of them; the same whatever the number of threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import ontomask as om
from ontomask.microdata.encoding import Table
from ontomask.operators import neighbours
from ontomask.operators.aggregation import Operators
from ontomask.operators.neighbours import nearest_tuples
from ontomask.operators.record_distance import table_of
from tests.property.pets import LEAVES, TAXONOMY

ATTRIBUTES: dict[str, Any] = {
    "x": om.Numeric(),
    "y": om.Numeric(missing="category"),
    "flat": om.Flat(),
    "pet": om.Nominal(taxonomy=TAXONOMY),
}


def draw(rng: np.random.Generator, n: int, names: list[str]) -> Table:
    frame = pl.DataFrame(
        {
            "x": rng.gamma(1.0, 5.0, n).round(1),
            "y": [None if rng.random() < 0.1 else value for value in rng.normal(size=n).round(2).tolist()],
            "flat": rng.choice(["u", "v", "w"], n).tolist(),
            "pet": rng.choice(LEAVES, n).tolist(),
        }
    )
    return table_of(frame.select(names), {name: ATTRIBUTES[name] for name in names})


def all_distances(operators: Operators) -> np.ndarray:
    """Of each tuple from each, by the columns' own distances."""
    table = operators.tuples
    own = [column.centre_of_code[codes] for column, codes in zip(table.columns, table.codes, strict=True)]
    off = operators.distance.between_all(own)
    return off**2 if operators.distance.squared else off


@pytest.mark.parametrize("names", [["x", "pet"], ["pet"], ["flat", "pet", "y"], ["x", "y", "flat", "pet"], ["x", "y"]])
@pytest.mark.parametrize("distance", ["balanced", "mean"])
def test_of_few_tuples_the_nearest(names: list[str], distance: Any) -> None:
    rng = np.random.default_rng(len(names))
    for n in (1, 2, 5, 40, 300):
        operators = om.Microaggregation(k=1, distance=distance).operators(draw(rng, n, names))
        p = operators.tuples.p
        apart, near = all_distances(operators), nearest_tuples(operators.space, 6)
        for t in range(p):
            found = near[t][near[t] >= 0]
            assert found[0] == t
            assert len(set(found.tolist())) == len(found) == min(6, p)
            if "y" in names and "pet" not in names:
                continue  # the tree takes missing numbers for 0: not all that it finds are the nearest
            nearest = np.sort(np.delete(apart[t], t))[:5]
            assert np.sort(apart[t][found[1:]]) == pytest.approx(nearest, rel=1e-6, abs=1e-6)


def test_of_many_tuples_most_of_the_nearest(monkeypatch: pytest.MonkeyPatch) -> None:
    stays = om.demo_data(3000, seed=4)
    policy = om.demo_policy()
    quasi = {name: policy.attributes[name] for name in policy.quasi_identifiers}
    table = table_of(stays.select(list(quasi)), quasi)
    operators = om.Microaggregation(k=5).operators(table)
    near = nearest_tuples(operators.space, 11)
    apart = all_distances(operators)
    np.fill_diagonal(apart, np.inf)
    assert (near[:, 0] == np.arange(table.p)).all()
    assert all(len(set(row)) == 11 for row in near.tolist())
    off = np.take_along_axis(apart, near[:, 1:].astype(np.int64), axis=1)
    assert (np.diff(off, axis=1) >= -1e-5).all()
    tenth = np.partition(apart, 9, axis=1)[:, 9:10]
    assert (off <= tenth + 1e-5).mean() > 0.9
    monkeypatch.setattr(neighbours, "CHUNK", 700)
    for threads in (1, 3):
        monkeypatch.setattr(neighbours, "available_cores", lambda threads=threads: threads)
        assert (nearest_tuples(operators.space, 11) == near).all()
