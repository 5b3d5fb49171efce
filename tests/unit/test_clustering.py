"""The distance between the clusters of original and masked data, against its definition written out (T12 5.2.4)."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import polars as pl
import pytest

import ontomask as om
from ontomask.assessment.clustering import (
    ClusteringDistance,
    best_cut,
    clustering_distance,
    cut,
    partition_distance,
    silhouette,
    ward,
)

TREE = om.Taxonomy.from_edges([
    ("work", "thing"), ("rest", "thing"), ("nurse", "work"), ("baker", "work"), ("clerk", "work"), ("sleep", "rest"),
    ("holiday", "rest"),
])  # fmt: skip
JOB = {"job": om.Nominal(taxonomy=TREE)}


def plain_partition_distance(a: list[int], b: list[int]) -> float:
    """T12 eq. 5.3-5.6, one term at a time."""

    def information(labels: list[Any]) -> float:
        return -sum(count / len(labels) * math.log2(count / len(labels)) for count in Counter(labels).values())

    both = information(list(zip(a, b, strict=True)))
    return 0.0 if both == 0 else (2 * both - information(a) - information(b)) / both


def plain_silhouette(distances: list[list[float]], labels: list[int]) -> float:
    """Rousseeuw 1987, one record at a time."""
    worth = []
    for i, mine in enumerate(labels):
        mean = {}
        for cluster in set(labels):
            others = [distances[i][j] for j, label in enumerate(labels) if label == cluster and j != i]
            if others:
                mean[cluster] = sum(others) / len(others)
        if mine not in mean or len(mean) == 1:
            worth.append(0.0)
            continue
        a, b = mean.pop(mine), min(mean.values())
        worth.append((b - a) / max(a, b) if max(a, b) > 0 else 0.0)
    return sum(worth) / len(worth)


def points(rng: np.random.Generator, n: int) -> np.ndarray:
    at = rng.integers(0, 6, size=(n, 2)).astype(float)  # some fall together
    return np.abs(at[:, None] - at[None]).sum(axis=2)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ([0, 0, 1, 1], [0, 0, 1, 1], 0.0),
        ([0, 0, 1, 1], [1, 1, 0, 0], 0.0),  # names do not matter
        ([0, 0, 1, 1], [0, 1, 0, 1], 1.0),  # one says nothing about the other
        ([0, 0, 0, 0], [0, 0, 0, 0], 0.0),  # one cluster each
        ([0, 0, 0, 0], [0, 0, 1, 1], 1.0),
        # I(A) = 1, I(B) = 2 - 0.75 log2 3, I(A and B) = 1.5
        ([0, 0, 1, 1], [0, 0, 0, 1], (3 - 1 - (2 - 0.75 * math.log2(3))) / 1.5),
    ],
)
def test_partition_distance_by_hand(a: list[int], b: list[int], expected: float) -> None:
    assert partition_distance(np.array(a), np.array(b)) == pytest.approx(expected, abs=1e-15)
    assert plain_partition_distance(a, b) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("seed", range(30))
def test_partition_distance_equals_its_twin(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 60))
    a, b = (rng.integers(0, rng.integers(1, 9), size=n) for _ in range(2))
    found = partition_distance(a, b)
    assert found == pytest.approx(plain_partition_distance(a.tolist(), b.tolist()), abs=1e-12)
    assert found == partition_distance(b, a)
    assert 0 <= found <= 1
    renamed = rng.permutation(int(a.max()) + 1)[a]
    assert partition_distance(a, renamed) == 0.0


@pytest.mark.parametrize("seed", range(30))
def test_silhouette_equals_its_twin(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 40))
    distances = points(rng, n)
    _, labels = np.unique(rng.integers(0, rng.integers(1, 7), size=n), return_inverse=True)
    expected = plain_silhouette(distances.tolist(), labels.tolist())
    assert silhouette(distances, labels) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_the_best_cut_has_the_best_silhouette(seed: int) -> None:
    distances = points(np.random.default_rng(seed), 40)
    tree = ward(distances)
    chosen = plain_silhouette(distances.tolist(), cut(tree, best_cut(distances, tree)).tolist())
    for clusters in range(2, 21):
        assert plain_silhouette(distances.tolist(), cut(tree, clusters).tolist()) <= chosen + 1e-9


def test_clusters_that_anybody_sees_are_found() -> None:
    ages = [20, 21, 22, 50, 51, 52, 80, 81, 82]
    masked = [21, 21, 21, 50, 50, 52, 81, 81, 81]
    found = clustering_distance(pl.DataFrame({"age": ages}), pl.DataFrame({"age": masked}), {"age": om.Numeric()})
    assert found == ClusteringDistance(0.0, 3, 9, 9)
    assert not found.sampled
    assert str(found) == "0.000 (3 clusters; 9 records)"


def test_identical_data_are_at_zero() -> None:
    rng = np.random.default_rng(5)
    jobs = rng.choice(["nurse", "baker", "clerk", "sleep", "holiday"], 200)
    frame = pl.DataFrame({"job": jobs, "age": rng.integers(18, 90, 200), "sex": rng.choice(["f", "m"], 200)})
    attributes = JOB | {"age": om.Numeric(), "sex": om.Flat()}
    assert clustering_distance(frame, frame, attributes).distance == 0
    assert clustering_distance(frame, frame, attributes, measure="wu_palmer", depth="edges").distance == 0


def test_masked_values_need_not_be_in_the_original() -> None:
    before = pl.DataFrame({"job": ["nurse", "nurse", "baker", "clerk", "sleep", "holiday", "sleep"]})
    by_kind = pl.DataFrame({"job": ["work"] * 4 + ["rest"] * 3})
    across = pl.DataFrame({"job": ["work", "rest", "thing", "rest", "thing", "work", "rest"]})
    assert clustering_distance(before, by_kind, JOB, clusters=2).distance == 0
    assert clustering_distance(before, across, JOB, clusters=2).distance > 0.5


def test_all_records_equal() -> None:
    same, mixed = pl.DataFrame({"age": [5] * 6}), pl.DataFrame({"age": [1, 1, 2, 2, 9, 9]})
    assert clustering_distance(same, same, {"age": om.Numeric()}) == ClusteringDistance(0.0, 1, 6, 6)
    assert clustering_distance(same, mixed, {"age": om.Numeric()}).distance == 0  # one cluster each
    assert clustering_distance(mixed, same, {"age": om.Numeric()}).distance == 1  # three clusters against one


def test_equal_records_are_never_cut_apart() -> None:
    frame = pl.DataFrame({"age": [1, 1, 1, 7, 7, 7]})
    found = clustering_distance(frame, frame[::-1], {"age": om.Numeric()}, clusters=5)
    assert (found.distance, found.clusters) == (0.0, 5)


def test_missing_values_are_a_category() -> None:
    frame = pl.DataFrame({"age": [1, 2, None, None, 50, 51]})
    found = clustering_distance(frame, frame.fill_null(1), {"age": om.Numeric(missing="category")})
    assert 0 < found.distance <= 1
    assert found.clusters == 3


def test_removed_records_are_a_cluster_of_the_masked_data() -> None:
    before = pl.DataFrame({"age": [20, 99, 21, 50, 51]})
    after = pl.DataFrame({"age": [51, 21, 20, 50]})  # in another order, without the second record
    found = clustering_distance(before, after, {"age": om.Numeric()}, records=[4, 2, 0, 3], clusters=3)
    assert found == ClusteringDistance(0.0, 3, 5, 5)
    # Two clusters of the original: 99 and the others. Of what is left: 20 and 21, 50 and 51; and the removed one.
    found = clustering_distance(before, after, {"age": om.Numeric()}, records=[4, 2, 0, 3], clusters=2)
    assert found.distance == pytest.approx(plain_partition_distance([0, 1, 0, 0, 0], [0, 2, 0, 1, 1]), abs=1e-12)


def test_a_sample_is_seeded_and_said() -> None:
    rng = np.random.default_rng(0)
    before = pl.DataFrame({"age": rng.integers(0, 100, 500)})
    after = pl.DataFrame({"age": before["age"] // 20 * 20 + rng.integers(0, 30, 500)})
    one, again, other = (
        clustering_distance(before, after, {"age": om.Numeric()}, sample=60, seed=seed) for seed in (1, 1, 2)
    )
    assert one == again
    assert one != other
    assert one.sampled
    assert (one.records, one.available) == (60, 500)
    assert "a random sample of 60 of 500 records" in str(one)
    assert not clustering_distance(before, after, {"age": om.Numeric()}, sample=500).sampled


def test_a_result_of_a_run() -> None:
    frame = pl.DataFrame({"job": ["nurse"] * 5 + ["holiday"] + ["baker"] * 3 + ["sleep"] * 4})
    policy = om.Policy(attributes=JOB, method=om.Suppression(k=3), row_order="shuffled")
    result = om.anonymize(frame, policy)
    found = clustering_distance(frame, result.data, policy, records=result.records)
    assert found == ClusteringDistance(0.0, 4, 13, 13)  # the record that was removed is a cluster by itself


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sample": 1}, "sample=1. Give a whole number from 2 to 20,000"),
        ({"sample": 2.5}, "sample=2.5"),
        ({"sample": 10**6}, "to 20,000"),
        ({"sample": True}, "sample=True"),
        ({"seed": -1}, "seed=-1. Give a whole number from 0 up"),
        ({"clusters": 0}, "clusters=0"),
        ({"measure": "nonsense"}, "nonsense"),
        ({"depth": "edges"}, "without a measure"),
        ({"records": [0]}, "lists 1 row and the masked data have 3 records"),
    ],
)
def test_slips_are_errors_of_ours(options: dict[str, Any], message: str) -> None:
    frame = pl.DataFrame({"job": ["nurse", "baker", "sleep"]})
    with pytest.raises(om.errors.OntomaskError, match=message):
        clustering_distance(frame, frame, JOB, **options)


def test_one_record_cannot_be_clustered() -> None:
    frame = pl.DataFrame({"age": [1]})
    with pytest.raises(om.errors.DataError, match="1 record cannot be clustered"):
        clustering_distance(frame, frame, {"age": om.Numeric()})
