"""Assessments of combinations of values with counts: the figures of the records, each in a row of its own."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl
import pytest

import ontomask as om
from ontomask.assessment.assess import assessment_of
from ontomask.assessment.extremes import TAIL, _Numbers
from ontomask.assessment.outcome import Assessment
from ontomask.assessment.pairing import pair_result
from ontomask.engines.chunks import count_combinations
from ontomask.masking.method import Masked
from ontomask.microdata.encoding import Rows, encode
from ontomask.privacy.examined import Examined
from ontomask.privacy.units import Units

POLICY = om.Policy(
    attributes={
        "code": om.Nominal(taxonomy="icd9cm"),
        "age": om.Numeric(),
        "grade": om.Ordinal(order=["low", "middle", "high"]),
        "job": om.Flat(missing="category"),
        "ill": om.Flat(role="sensitive"),
        "pay": om.Numeric(role="sensitive"),
    },
    method=om.Recoding(k=4),
    require=[om.KAnonymity(k=3)],
    row_order="kept",
)


def table(n: int) -> pl.DataFrame:
    rng = np.random.default_rng(n)
    return pl.DataFrame(
        {
            "code": rng.choice(["428.0", "428.1", "486", "250.00"], n),
            "age": rng.choice([20, 21, 30, 80], n),
            "grade": rng.choice(["low", "middle", "high"], n),
            "job": rng.choice(["cook", "nurse", None], n).tolist(),
            "ill": rng.choice(["flu", "gout"], n, p=[0.9, 0.1]),
            "pay": rng.choice([1.0, 2.5, 7.0], n),
        }
    )


def both(data: pl.DataFrame, method: Any) -> tuple[Assessment, Assessment]:
    """The assessment of records, and of the combinations that they have."""
    policy = POLICY.changed(method=method)
    result = om.anonymize(data, policy, seed=1, allow_unsatisfied=True)
    combinations, counts = count_combinations([data], data.columns)
    names = [c.name for c in result.prepared.table.columns]
    counted = encode(combinations, policy.attributes, names, counts=counts)
    group_of_tuple = np.full(counted.p, -1, dtype=np.int32)
    group_of_tuple[result.prepared.table.rows.tuple_of] = result.masked.group_of
    m = result.masked
    masked = Masked(group_of_tuple[counted.rows.tuple_of], m.centres, shown=m.shown, penalty=m.penalty)
    stayed = np.flatnonzero(masked.group_of >= 0)
    shown = {c.name: v.gather(masked.group_of[stayed]) for c, v in zip(counted.columns, m.values(counted), strict=True)}
    after = combinations[stayed].with_columns(values.alias(name) for name, values in shown.items())
    before = Examined.of(combinations, policy.attributes, Units(counts=counts))
    pairing = pair_result(counted, masked)
    found = assessment_of(pairing, before, before.beside(after, stayed), stayed)
    return result.assessment, found


def same(one: Any, other: Any, where: str = "") -> None:
    if isinstance(one, dict):
        assert one.keys() == other.keys(), where
        for key in one:
            same(one[key], other[key], f"{where}.{key}")
    elif isinstance(one, list):
        assert len(one) == len(other), where
        for i, pair in enumerate(zip(one, other, strict=True)):
            same(*pair, f"{where}[{i}]")
    elif isinstance(one, float) and isinstance(other, float):
        assert math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12), (where, one, other)
    else:
        assert one == other, where


@pytest.mark.parametrize(
    "method",
    [
        om.Recoding(k=4),
        om.Suppression(k=3),
        om.Microaggregation(k=3, partition="adaptive"),
        om.Generalization(suppression_limit=0.1),
    ],
    ids=repr,
)
def test_combinations_with_counts_have_the_figures_of_their_records(method: Any) -> None:
    if isinstance(method, om.Generalization):
        method = method.changed(search="strategy", strategy=[{"code": 1, "age": 9, "grade": 9, "job": 9}])
    expected, found = (assessed.to_dict() for assessed in both(table(400), method))
    # Records are drawn by their places, which are others in a table that is ordered by combinations.
    for told in (expected, found):
        told.pop("clustering", None)
        told["figures"] = [row for row in told["figures"] if row["figure"] != "distance between clusterings"]
        told["readings"] = [text for text in told["readings"] if "cluster" not in text]
    same(found, expected)


def test_of_many_records_only_what_is_drawn_differs() -> None:
    data = table(30_000)
    expected, found = both(data, om.Recoding(k=4))
    same(found.loss.values, expected.loss.values)
    same(found.linkage, expected.linkage)
    kept, own = expected.preservation, found.preservation
    columns = ["statistic", "attribute", "with", "original", "masked", "delta"]
    same(own.statistics[columns].to_dicts(), kept.statistics[columns].to_dicts())
    same(own.means.to_dicts(), kept.means.to_dicts())
    whole = pl.col("records") == 30_000
    same(own.dependence.filter(whole).to_dicts(), kept.dependence.filter(whole).to_dicts())
    assert own.dependence["records"].equals(kept.dependence["records"])
    drawn = (one.dependence["original"].to_numpy() for one in (own, kept))
    assert np.allclose(*drawn, rtol=0.05, atol=0.02)
    same(found.tails.to_dicts(), expected.tails.to_dicts())
    assert found.clustering is not None
    assert expected.clustering is not None
    assert (found.clustering.records, found.clustering.available) == (
        expected.clustering.records,
        expected.clustering.available,
    )


def test_quantiles_and_tails_of_counted_numbers() -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        values, counts = np.sort(rng.choice(100, 8, replace=False)).astype(float), rng.integers(1, 50, 8)
        numbers, every = _Numbers(values, counts), np.repeat(values, counts)
        size = math.ceil(TAIL * len(every) - 1e-9)
        assert numbers.tail(True).tolist() == every[:size].tolist()
        assert numbers.tail(False).tolist() == every[-size:].tolist()
        for share in (0.0, 0.05, 0.5, 0.95, 1.0):
            assert numbers.quantile(share) == np.quantile(every, share)


def test_rows_of_records() -> None:
    rows = Rows(np.array([0, 1, 2], dtype=np.int32), 3, np.array([2, 1, 3]))
    assert rows.of_records(np.arange(6)).tolist() == [0, 0, 1, 2, 2, 2]
    assert rows.records == 6
    assert Rows(rows.tuple_of, 3).of_records(np.array([2, 0])).tolist() == [2, 0]
