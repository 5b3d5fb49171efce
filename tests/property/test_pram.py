"""PRAM: the matrix is invariant, falls with distance and keeps what it says; see test_pram_twin.py for the plain twin."""

from __future__ import annotations

import random

import numpy as np
import polars as pl
import pytest

import ontomask as om
from ontomask.masking.pram import PRAM, Transitions, relative_distances
from ontomask.microdata.encoding import Table, encode
from tests.oracle import plain_noise as twin
from tests.property.test_noise_addition import random_tree


def random_column(chance: random.Random, skewed: bool = True) -> Table:
    """A nominal column over a random tree, with counts from 1 to thousands."""
    tree = random_tree(chance, chance.randrange(3, 60))
    values = chance.sample(list(tree.concepts), chance.randrange(2, min(len(tree), 40) + 1))
    counts = [int(10 ** chance.uniform(0, 3.5)) if skewed else 7 for _ in values]
    frame = pl.DataFrame({"q": [v for v, count in zip(values, counts, strict=True) for _ in range(count)]})
    measure = chance.choice(("logsc", "wu_palmer", "path", "lin"))
    return encode(frame, {"q": om.Nominal(taxonomy=tree, measure=measure)}, ["q"])


def test_expected_counts_are_those_of_the_original() -> None:
    """t R = t to 1e-9 for 400 random taxonomies and counts; every row is a distribution; detailed balance holds."""
    for case in range(400):
        chance = random.Random(f"invariant {case}")
        keep, reach = chance.choice((0.0, 0.5, 0.8, 0.99)), chance.choice((0.02, 0.1, 0.5, 10.0))
        made = Transitions.of(random_column(chance).columns[0].metric(), keep, reach)
        matrix, counts = made.matrix(), made.counts
        np.testing.assert_allclose(counts @ matrix, counts, rtol=1e-9)
        np.testing.assert_allclose(matrix.sum(axis=1), 1.0, atol=1e-12)
        assert (matrix >= 0).all()
        flows = counts[:, None] * matrix
        np.testing.assert_allclose(flows, flows.T, rtol=1e-12)
        assert made.keep.min() > keep - 1e-9, "never less than was asked for"
        if 2 * counts.max() < 0.95 * counts.sum() and reach >= 0.1:
            np.testing.assert_allclose(made.keep, keep, atol=1e-6)


def test_the_odds_fall_with_distance() -> None:
    """R_ij R_kl / (R_il R_kj) = exp(-(d_ij + d_kl - d_il - d_kj) / reach): what each value prefers is told by distance."""
    for case in range(200):
        chance = random.Random(f"odds {case}")
        metric = random_column(chance).columns[0].metric()
        made = Transitions.of(metric, 0.5, 0.2)
        if len(made) < 4 or made.cut.min() < 1 - 1e-9:
            continue
        matrix, off = made.matrix(), relative_distances(metric, made.values)
        for _ in range(20):
            i, j, k, m = chance.sample(range(len(made)), 4)
            odds = matrix[i, j] * matrix[k, m] / (matrix[i, m] * matrix[k, j])
            assert odds == pytest.approx(np.exp(-(off[i, j] + off[k, m] - off[i, m] - off[k, j]) / 0.2), rel=1e-9)


def test_nearer_values_are_likelier() -> None:
    """Values equally frequent, and in a taxonomy where all have the same neighbourhood: strictly, by exp(-d / reach)."""
    chance = random.Random(1)
    for _ in range(40):
        depth, width = chance.choice(((2, 3), (3, 2), (4, 2), (2, 6), (3, 3)))
        edges, level = [], ["r"]
        for _ in range(depth):
            below = [f"{parent}.{i}" for parent in level for i in range(width)]
            edges += [(node, node.rpartition(".")[0]) for node in below]
            level = below
        tree = om.Taxonomy.from_edges(edges)
        frame = pl.DataFrame({"q": [leaf for leaf in level for _ in range(3)]})
        column = encode(frame, {"q": om.Nominal(taxonomy=tree)}, ["q"]).columns[0]
        metric = column.metric()
        made = Transitions.of(metric, 0.8, chance.choice((0.05, 0.1, 0.5)))
        matrix, off = made.matrix(), relative_distances(metric, made.values)
        i = chance.randrange(len(made))
        others = [j for j in range(len(made)) if j != i]
        for j in others:
            for k in others:
                if off[i, j] < off[i, k] - 1e-9:
                    assert matrix[i, j] > matrix[i, k]
        np.testing.assert_allclose(made.keep, 0.8, atol=1e-10)


def test_equal_frequency_is_nearly_always_enough() -> None:
    """In any taxonomy, with values equally frequent: the nearer of two is the likelier in more than 90 of 100 cases where it
    is nearer by 0.1. (In all of them it cannot be if every value is kept with one probability: see docs/methods/pram.md.)"""
    right = total = 0
    for case in range(150):
        metric = random_column(random.Random(f"nearer {case}"), skewed=False).columns[0].metric()
        made = Transitions.of(metric, 0.8, 0.1)
        matrix, off = made.matrix(), relative_distances(metric, made.values)
        for i in range(len(made)):
            for j in range(len(made)):
                for k in range(len(made)):
                    if i not in (j, k) and off[i, j] < off[i, k] - 0.1:
                        total += 1
                        right += matrix[i, j] > matrix[i, k]
    assert total > 10_000
    assert right / total > 0.9


def test_beside_the_matrices_of_the_literature() -> None:
    """Two-stage PRAM and Metropolis are invariant as well; neither keeps every value with the stated probability."""
    ours, theirs = [], {"two_stage": [], "metropolis": []}  # type: ignore[var-annotated]
    for case in range(60):
        metric = random_column(random.Random(f"beside {case}")).columns[0].metric()
        made = Transitions.of(metric, 0.8, 0.1)
        if 2 * made.counts.max() >= 0.95 * made.counts.sum():
            continue
        off, counts = relative_distances(metric, made.values).tolist(), made.counts.astype(int).tolist()
        ours.append(float(made.keep.max() - made.keep.min()))
        for name, spreads in theirs.items():
            matrix = np.array(getattr(twin, name)(off, counts, 0.8, 0.1))
            np.testing.assert_allclose(made.counts @ matrix, made.counts, rtol=1e-9)
            spreads.append(float(np.diag(matrix).max() - np.diag(matrix).min()))
    assert max(ours) < 1e-3
    assert np.mean(theirs["two_stage"]) > 0.1
    assert np.mean(theirs["metropolis"]) > 0.1


def test_counts_and_changes_of_a_large_table() -> None:
    """200,000 records: each count is within 5 standard deviations of what is expected, and so is the share that stays."""
    rng = np.random.default_rng(3)
    chance = random.Random(12)
    tree = random_tree(chance, 60)
    values = np.array(list(tree.concepts))
    weights = 1 / np.arange(1, len(values) + 1) ** 0.7
    drawn = rng.choice(values, 200_000, p=weights / weights.sum())
    frame = pl.DataFrame({"q": drawn})
    policy = om.Policy(attributes={"q": om.Nominal(taxonomy=tree)}, method=PRAM(keep=0.7))
    result = om.anonymize(frame, policy, seed=2)
    assert (result.data["q"] == frame["q"]).mean() == pytest.approx(0.7, abs=5 * np.sqrt(0.21 / 200_000))
    listed = result.details["categories"]
    made = policy.method.transitions(result.prepared.table)["q"]  # type: ignore[union-attr]
    matrix = made.matrix()
    deviation = np.sqrt((made.counts[:, None] * matrix * (1 - matrix)).sum(axis=0))
    assert (np.abs(listed["released"].to_numpy() - listed["expected"].to_numpy()) < 5 * deviation + 1).all()
    assert listed["expected"].to_list() == [int((drawn == v).sum()) for v in listed["value"].to_list()]
    assert listed["released"].to_list() == [int((result.data["q"] == v).sum()) for v in listed["value"].to_list()]
    # What a released value says: it is the original one with the probability that it was kept with.
    for value in listed.sort("released", descending=True)["value"].to_list()[:10]:
        shown = (result.data["q"] == value).to_numpy()
        assert (drawn[shown] == value).mean() == pytest.approx(0.7, abs=5 * np.sqrt(0.21 / shown.sum()))
    # Two values, their flows: as many as the matrix says.
    codes = {value: place for place, value in enumerate(listed["value"].to_list())}
    before, after = (np.array([codes[v] for v in data["q"].to_list()]) for data in (frame, result.data))
    flows = np.zeros_like(matrix)
    np.add.at(flows, (before, after), 1)
    expected = made.counts[:, None] * matrix
    assert (np.abs(flows - expected) < 6 * np.sqrt(expected + 1)).all()


def test_estimates_are_corrected_by_the_matrix() -> None:
    """A cross table of a masked and an unmasked column: the inverse of the matrix takes the bias away."""
    rng = np.random.default_rng(9)
    group = rng.random(200_000) < 0.5
    place = np.where(group, rng.choice(3, 200_000, p=[0.7, 0.2, 0.1]), rng.choice(3, 200_000, p=[0.1, 0.3, 0.6]))
    frame = pl.DataFrame({"place": [f"p{v}" for v in place], "group": group})
    attributes = {"place": om.Flat(), "group": om.Flat(role="other")}
    policy = om.Policy(attributes=attributes, method=PRAM(keep=0.6))
    result = om.anonymize(frame, policy, seed=3)
    listed = result.details["transitions"]
    values = listed["original"].unique(maintain_order=True).to_list()
    matrix = listed["probability"].to_numpy().reshape(3, 3)
    inside = result.data.filter(pl.col("group"))["place"]
    seen = np.array([(inside == v).sum() for v in values])
    true = np.array([((frame["place"] == v) & frame["group"]).sum() for v in values])
    assert np.abs(seen - true).max() > 5_000
    assert np.abs(seen @ np.linalg.inv(matrix) - true).max() < 1_500


@pytest.mark.parametrize(
    "counts", [(50, 25, 25), (60, 30, 10), (80, 10, 10), (95, 1, 1, 1, 1, 1), (990, 5, 3, 1, 1), (99, 1)]
)
@pytest.mark.parametrize("reach", [0.02, 0.1, 1.0])
def test_a_value_of_most_records_changes_nearly_as_often_as_it_can(counts: tuple[int, ...], reach: float) -> None:
    """Flat values, all equally near: the most common one is exchanged for the others, and these are for it."""
    frame = pl.DataFrame({"q": [f"v{i}" for i, count in enumerate(counts) for _ in range(count)]})
    metric = encode(frame, {"q": om.Flat()}, ["q"]).columns[0].metric()
    matrix, t = (made := Transitions.of(metric, 0.8, reach)).matrix(), made.counts
    most = int(t.argmax())
    can = 0.2 * (t.sum() - t[most]) / t[most]
    assert 0.5 * can < 1 - matrix[most, most] < can + 1e-9
    for i in range(len(t)):
        if i != most:
            assert matrix[i, i] == pytest.approx(0.8, abs=1e-6)
            assert matrix[i, most] > 0.5 * (1 - matrix[i, i]), "the most common of equally near values takes the most"
