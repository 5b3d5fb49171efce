"""M13, Example 1: the diagnosis sample, its distances, and what follows from the printed matrix."""

from __future__ import annotations

import numpy as np
import pytest

import ontomask as om

TREE = [
    ("Neoplasm", "Disease"),
    ("Mental disorder", "Disease"),
    ("Nervous-system disease", "Disease"),
    ("lung cancer", "Neoplasm"),
    ("paranoia", "Mental disorder"),
    ("schizophrenia", "Mental disorder"),
    ("Dementia", "Mental disorder"),
    ("vascular dementia", "Dementia"),
    ("Alzheimer", "Dementia"),
    ("meningitis", "Nervous-system disease"),
    ("multiple sclerosis", "Nervous-system disease"),
    ("Degenerative", "Nervous-system disease"),
    ("Alzheimer", "Degenerative"),
]
SAMPLE = [
    "lung cancer", "paranoia", "schizophrenia", "vascular dementia", "Alzheimer", "Alzheimer", "meningitis",
    "meningitis", "multiple sclerosis",
]  # fmt: skip
PRINTED = np.array([
    [0, 0.85, 0.85, 0.87, 0.91, 0.91, 0.85, 0.85, 0.85],
    [0.85, 0, 0.58, 0.68, 0.78, 0.78, 0.85, 0.85, 0.85],
    [0.85, 0.58, 0, 0.68, 0.78, 0.78, 0.85, 0.85, 0.85],
    [0.87, 0.68, 0.68, 0, 0.65, 0.65, 0.87, 0.87, 0.87],
    [0.91, 0.78, 0.78, 0.65, 0, 0, 0.65, 0.65, 0.65],
    [0.91, 0.78, 0.78, 0.65, 0, 0, 0.65, 0.65, 0.65],
    [0.85, 0.85, 0.85, 0.87, 0.65, 0.65, 0, 0, 0.58],
    [0.85, 0.85, 0.85, 0.87, 0.65, 0.65, 0, 0, 0.58],
    [0.85, 0.85, 0.85, 0.87, 0.65, 0.65, 0.58, 0.58, 0],
])  # fmt: skip


@pytest.fixture
def taxonomy() -> om.Taxonomy:
    return om.Taxonomy.from_edges(TREE)


def test_every_printed_distance_comes_out_but_one(taxonomy: om.Taxonomy) -> None:
    ours = om.distance_matrix(taxonomy, SAMPLE, "logsc").round(2)
    expected = PRINTED.copy()
    # By equation 1 Alzheimer is 0.78 from meningitis and sclerosis, where the paper prints 0.65: its ancestors
    # through Dementia count too.
    for alzheimer in (4, 5):
        for nervous in (6, 7, 8):
            expected[alzheimer, nervous] = expected[nervous, alzheimer] = 0.78
    np.testing.assert_array_equal(ours, expected)


def test_marginality_mean_and_variance_of_the_printed_matrix() -> None:
    marginality = PRINTED.sum(axis=1)
    np.testing.assert_allclose(marginality, [6.94, 6.22, 6.22, 6.14, 5.07, 5.07, 5.3, 5.3, 5.88], atol=1e-9)
    assert SAMPLE[int(marginality.argmin())] == "Alzheimer"
    assert marginality.min() == pytest.approx(5.07)
    assert marginality.mean() == pytest.approx(5.79, abs=0.005)


def test_marginality_of_the_tree(taxonomy: om.Taxonomy) -> None:
    """The same statistics from the tree itself, where Alzheimer is 0.78 from meningitis and sclerosis."""
    found = om.marginality(taxonomy, SAMPLE)
    table = om.distance_matrix(taxonomy, SAMPLE)
    assert found == pytest.approx(dict(zip(SAMPLE, table.sum(axis=1), strict=True)))
    mean = om.marginality_mean(taxonomy, SAMPLE)
    assert mean.concept == om.centroid(taxonomy, SAMPLE, kind="marginality") == "Alzheimer"
    assert mean.number == pytest.approx(found["Alzheimer"])
    assert om.marginality_variance(taxonomy, SAMPLE) == pytest.approx(table.sum() / len(SAMPLE))
    covariance = om.marginality_covariance([(taxonomy, SAMPLE), (taxonomy, SAMPLE[::-1])])
    m = table.sum(axis=1)
    expected = np.sqrt(m * m[::-1]).mean()
    np.testing.assert_allclose(covariance, [[m.mean(), expected], [expected, m.mean()]])
