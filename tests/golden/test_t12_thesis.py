"""T12: Table 5 (logsc) and Tables 6 to 9 (path), with the centroids that follow from them."""

from __future__ import annotations

import numpy as np
import pytest

import ontomask as om

DISEASES = om.Taxonomy.from_edges([
    ("A", "Disease"), ("degenerative disorder", "Disease"),
    ("allergy", "A"), ("squint", "A"),
    ("asbestosis", "degenerative disorder"), ("B", "degenerative disorder"),
    ("amyotrophia", "B"), ("myofibrosis", "B"),
])  # fmt: skip
SYMPTOMS = om.Taxonomy.from_edges([
    ("pain", "symptom"), ("inflammation", "symptom"), ("colic", "pain"), ("ache", "pain"),
    ("lumbago", "ache"), ("migraine", "ache"), ("appendicitis", "inflammation"), ("gastritis", "inflammation"),
])  # fmt: skip
CARE = om.Taxonomy.from_edges([
    ("therapy", "medical care"), ("hospitalisation", "medical care"), ("rehabilitation", "therapy"),
    ("medication", "therapy"), ("antibiotic", "medication"), ("analgesic", "medication"),
    ("aspirin", "analgesic"), ("codeine", "analgesic"),
])  # fmt: skip


def test_table_5() -> None:
    order = ["asbestosis", "amyotrophia", "myofibrosis", "allergy", "squint", "degenerative disorder"]
    printed = [
        [0, 0.68, 0.68, 0.85, 0.85, 0.42],
        [0.68, 0, 0.49, 0.87, 0.87, 0.58],
        [0.68, 0.49, 0, 0.87, 0.87, 0.58],
        [0.85, 0.87, 0.87, 0, 0.58, 0.81],
        [0.85, 0.87, 0.87, 0.58, 0, 0.81],
        [0.42, 0.58, 0.58, 0.81, 0.81, 0],
    ]
    np.testing.assert_array_equal(om.distance_matrix(DISEASES, order, "logsc").round(2), printed)


def sums(taxonomy: om.Taxonomy, counts: dict[str, int]) -> dict[str, float]:
    """Sum of weighted distances from every centroid candidate of H(V) to the values (T12 eq. 4.6)."""
    candidates = taxonomy.minimum_hierarchy(list(counts))
    table = om.distance_matrix(taxonomy, candidates, "path", against=list(counts))
    return dict(zip(candidates, table @ np.array(list(counts.values())), strict=True))


TABLES = {
    "6": (
        SYMPTOMS,
        {"colic": 1, "lumbago": 3, "migraine": 2, "pain": 1, "appendicitis": 1, "gastritis": 1},
        {"colic": 24, "lumbago": 19, "migraine": 21, "appendicitis": 34, "gastritis": 34, "pain": 17, "ache": 16,
         "inflammation": 27, "symptom": 22},
    ),
    "7": (
        SYMPTOMS,
        {"colic": 1, "lumbago": 1, "migraine": 1, "appendicitis": 1, "gastritis": 1},
        {"colic": 14, "lumbago": 15, "migraine": 15, "appendicitis": 16, "gastritis": 16, "pain": 11, "ache": 12,
         "inflammation": 13, "symptom": 12},
    ),
    "8": (
        SYMPTOMS,
        {"colic": 2, "lumbago": 5, "migraine": 2, "appendicitis": 1, "gastritis": 1},
        {"colic": 29, "lumbago": 20, "migraine": 26, "appendicitis": 45, "gastritis": 45, "pain": 22, "ache": 19,
         "inflammation": 36, "symptom": 29},
    ),
    "9": (
        CARE,
        {"rehabilitation": 3, "antibiotic": 1, "aspirin": 2, "codeine": 3, "hospitalisation": 2},
        {"rehabilitation": 29, "antibiotic": 32, "aspirin": 31, "codeine": 29, "hospitalisation": 38, "therapy": 24,
         "medication": 23, "analgesic": 24, "medical care": 31},
    ),
}  # fmt: skip


@pytest.mark.parametrize("table", TABLES)
def test_tables_6_to_9(table: str) -> None:
    taxonomy, counts, printed = TABLES[table]
    assert sums(taxonomy, counts) == printed
    values = [value for value, count in counts.items() for _ in range(count)]
    for candidate, total in printed.items():  # the comparison operator itself, by repetition and by weight
        one = om.weighted_distances(taxonomy, candidate, values, measure="path")
        assert one == om.weighted_distances(taxonomy, candidate, list(counts), list(counts.values()), "path")
        assert sum(one.values()) == total
        assert one == {v: w * om.distance(taxonomy, candidate, v, "path") for v, w in counts.items()}


@pytest.mark.parametrize(
    ("table", "centroid", "least"), [("6", "ache", 16), ("7", "pain", 11), ("8", "ache", 19), ("9", "medication", 23)]
)
def test_centroids(table: str, centroid: str, least: int) -> None:
    taxonomy, counts, _ = TABLES[table]
    assert om.centroid(taxonomy, list(counts), list(counts.values()), "path") == centroid
    assert sums(taxonomy, counts)[centroid] == least


def test_other_centres_of_example_4() -> None:
    taxonomy, counts, _ = TABLES["6"]
    weights = list(counts.values())
    assert om.centroid(taxonomy, list(counts), weights, "path", kind="lcs") == "symptom"
    assert om.centroid(taxonomy, list(counts), weights, "path", kind="mode") == "lumbago"
    assert om.centroid(taxonomy, list(counts), weights, "path", kind="marginality") == "pain"  # the best one present
    assert om.centroid(taxonomy, list(counts), weights, "path", kind="semantic_mean") == "ache"


@pytest.mark.parametrize(
    ("symptom", "care", "printed"),
    [("ache", "medication", 21), ("symptom", "medical care", 30), ("lumbago", "rehabilitation", 24.5)],
)
def test_multivariate_sums_of_example_6(symptom: str, care: str, printed: float) -> None:
    # Semantic centroid, LCS and mode: the mean over both attributes (T12 eq. 4.3 and 4.8).
    total = sums(*TABLES["8"][:2])[symptom] + sums(*TABLES["9"][:2])[care]
    assert total / 2 == printed


def test_minimum_hierarchy_of_example_4() -> None:
    assert set(SYMPTOMS.minimum_hierarchy(["colic", "lumbago", "gastritis"])) == {
        "colic", "lumbago", "gastritis", "pain", "ache", "inflammation", "symptom",
    }  # fmt: skip
    assert set(SYMPTOMS.minimum_hierarchy(["colic", "lumbago"])) == {"colic", "lumbago", "ache", "pain"}
