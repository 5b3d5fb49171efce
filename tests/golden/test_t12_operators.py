"""T12 on whole records: Example 6 of 4.3.4 through `central_record`, and Example 6 of 6.2.1 (Fig. 19)."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import ontomask as om
from tests.golden.test_t12_thesis import CARE, SYMPTOMS

MV1 = pl.DataFrame(
    [
        *[("colic", "antibiotic")],
        *[("lumbago", "rehabilitation")] * 3,
        *[("migraine", "aspirin")] * 2,
        *[("appendicitis", "hospitalisation")],
        *[("gastritis", "codeine")],
        *[("lumbago", "codeine")] * 2,
        *[("colic", "hospitalisation")],
    ],
    schema=["symptom", "care"],
    orient="row",
)
PATH = {
    "symptom": om.Nominal(taxonomy=SYMPTOMS, measure="path"),
    "care": om.Nominal(taxonomy=CARE, measure="path"),
}


def sum_wsd(centre: dict[str, Any]) -> float:
    """T12 eq. 4.8: the sum over records of the mean distance over columns."""
    return sum(
        om.distance(SYMPTOMS, centre["symptom"], symptom, "path") + om.distance(CARE, centre["care"], care, "path")
        for symptom, care in MV1.iter_rows()
    ) / len(PATH)


@pytest.mark.parametrize(
    ("centroid", "unit", "record", "printed"),
    [
        ("semantic", "attribute", ("ache", "medication"), 21),
        ("lcs", "attribute", ("symptom", "medical care"), 30),
        ("mode", "record", ("lumbago", "rehabilitation"), 24.5),
    ],
)
def test_central_records_of_example_6(centroid: str, unit: Any, record: tuple[str, str], printed: float) -> None:
    centre = om.central_record(MV1, PATH, centroid, unit=unit)
    assert tuple(centre.values()) == record
    assert sum_wsd(centre) == printed


@pytest.mark.parametrize(
    ("record", "printed"),
    [(("ache", "medication"), 21), (("symptom", "medical care"), 30), (("lumbago", "rehabilitation"), 24.5)],
)
def test_wsd_of_example_6(record: tuple[str, str], printed: float) -> None:
    """T12 eq. 4.3 and 4.8: wsd of the distinct records adds up to what is printed; both columns span 5 links."""
    distances = om.weighted_record_distances(MV1, PATH, dict(zip(PATH, record, strict=True)))
    of_tuple = dict(zip(MV1.rows(), distances.tolist(), strict=True))
    assert sum(of_tuple.values()) * 5 == pytest.approx(printed)
    # By hand: ache and medication are 1 and 2 links from lumbago and rehabilitation, which occur 3 times together.
    if printed == 21:
        assert of_tuple["lumbago", "rehabilitation"] * 5 == pytest.approx(3 * (1 + 2) / 2)


def test_the_semantic_centre_is_the_best_of_all_pairs() -> None:
    # "this multivariate centroid corresponds to the optimal solution" (4.3.4)
    sums = [sum_wsd({"symptom": s, "care": c}) for s in SYMPTOMS.concepts for c in CARE.concepts]
    assert min(sums) == 21


FIG_19 = pl.DataFrame(
    [
        *[("v11", "v21")], *[("v13", "v23")] * 2, *[("v11", "v21")], *[("v12", "v23")], *[("v13", "v23")],
        *[("v11", "v21")] * 2, *[("v13", "v23")], *[("v11", "v21")], *[("v13", "v23")], *[("v11", "v21")] * 2,
    ],
    schema=["a", "b"],
    orient="row",
)  # fmt: skip
TWO = {
    "a": om.Nominal(taxonomy=om.Taxonomy.from_edges([("v11", "r1"), ("v12", "r1"), ("v13", "r1")])),
    "b": om.Nominal(taxonomy=om.Taxonomy.from_edges([("v21", "r2"), ("v23", "r2")])),
}


@pytest.mark.parametrize(
    "method",
    [
        om.Microaggregation(k=3),
        om.Microaggregation.preset("sa_mdav", k=3),
        om.Microaggregation.preset("sa_mdav_static", k=3),
    ],
    ids=["default", "sa_mdav", "sa_mdav_static"],
)
def test_figure_19_adaptive_groups_of_seven_and_six(method: om.Microaggregation) -> None:
    result = om.anonymize(FIG_19, om.Policy(attributes=TWO, method=method), seed=0)
    assert sorted(result.groups["records"].to_list()) == [6, 7]
    assert sorted(result.groups["distinct"].to_list()) == [1, 2]
    changed = [(a, b) for a, b in zip(FIG_19.rows(), result.data.rows(), strict=True) if a != b]
    assert changed == [(("v12", "v23"), ("v13", "v23"))]


def test_figure_19_fixed_groups_are_four() -> None:
    result = om.anonymize(FIG_19, om.Policy(attributes=TWO, method=om.Microaggregation.preset("s_mdav", k=3)), seed=0)
    assert sorted(result.groups["records"].to_list()) == [3, 3, 3, 4]
