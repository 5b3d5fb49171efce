"""S18, sections 2 and 5: the classes of Table 2, and Tables 3 and 4 from their inputs."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from ontomask.severity.classes import riopsi
from ontomask.severity.severity import Severity

#: Table 3 as printed: severity number; patients and sum of numbers, in thousands, in hospitals and in clinics.
TABLE_3: dict[str, tuple[float, float, float, float, float]] = {
    "cancer of the stomach": (2, 28.3, 56.6, 4.5, 9),
    "cancer of the colon, rectosigmoid junction and rectum": (2, 41.6, 83.2, 5.4, 10.8),
    "cancer of the liver": (3, 11.3, 33.9, 1.1, 3.3),
    "cancer of the trachea, bronchus and lung": (3, 33, 99, 1.9, 5.7),
    "cancer of the breast": (1, 26.8, 26.8, 2.9, 2.9),
    "Alzheimer's disease": (4, 59.9, 239.6, 32.1, 128.4),
    "other psychiatric disorders": (1, 375.4, 375.4, 148.2, 148.2),
    "vascular disease of the brain": (1, 199.6, 199.6, 53.8, 53.8),
    "chronic renal failure": (1, 68.9, 68.9, 62.5, 62.5),
    "congenital and chromosome abnormalities": (2.5, 14.7, 36.75, 5.3, 13.25),
}
#: Table 4 as printed, with the totals of Table 3: patients, of severity 1 or more, sum, sum per patient.
TABLE_4 = {"hospital": (2914.9, 859.5, 1219.75, 0.42), "clinic": (4278.8, 317.7, 437.85, 0.10)}


@pytest.fixture(scope="module")
def japan() -> Severity:
    return Severity.example()


@pytest.fixture(scope="module")
def patients() -> pl.DataFrame:
    return Severity.example_data()


def test_table_2() -> None:
    """Each small class stands in its middle and large class, and is about the attribute that Table 2 underlines."""
    about = {c.number: c.attributes[0] for c in riopsi().small.values()}
    assert [n for n, attribute in about.items() if attribute == "disease"] == [
        "1.1.1", "1.2.1", "1.3.1", "2.1.1", "2.1.2", "2.2.1", "2.2.3", "2.2.4", "2.3.1", "2.3.2",
    ]  # fmt: skip
    assert about["2.2.2"] == "treatment"
    assert about["2.2.5"] == "length of stay"
    assert {c.middle for c in riopsi().small.values()} == set(riopsi().middle)


def test_table_3(japan: Severity, patients: pl.DataFrame) -> None:
    assert (japan.largest_in_class_2, japan.largest) == (3, 4)
    numbers = japan.of_values("disease", list(TABLE_3)).max(axis=0)
    assert numbers.tolist() == [row[0] for row in TABLE_3.values()]
    sums = japan.sums(patients, ["disease", "facility"], weights="patients")
    for disease, (_, *printed) in TABLE_3.items():
        rows = {row["facility"]: row for row in sums.filter(pl.col("disease") == disease).iter_rows(named=True)}
        found = [rows[f][key] for f in ("hospital", "clinic") for key in ("patients", "sum")]
        assert found == pytest.approx(printed, abs=1e-9)


@pytest.mark.parametrize("facility", TABLE_4)
def test_table_4(japan: Severity, patients: pl.DataFrame, facility: str) -> None:
    row = japan.sums(patients, "facility", weights="patients").filter(pl.col("facility") == facility)
    *exact, each = row.drop("facility").row(0)
    *printed, per_patient = TABLE_4[facility]
    assert exact == pytest.approx(printed, abs=1e-9)
    assert round(each, 2) == per_patient


def test_middle_classes_of_the_mixture(japan: Severity) -> None:
    """(iv): 4 by class 1 whatever m, or 1 by class 2.3: 2.5 is the number for m = 3; for the others it is 4 or 0."""
    assert japan.of_values("disease", ["congenital and chromosome abnormalities"]).ravel().tolist() == [2, 2, 2.5]


def test_the_cancer_sets_follow_from_the_survival_rates(patients: pl.DataFrame) -> None:
    """(i): above 90% number 1, 60 to 90% number 2, below 60% number 3, for every cancer as printed."""
    sets = [
        {"name": name, "small_class": "2.1.1", "where": {"survival": chosen}}
        for name, chosen in {"any": {"at_most": 100}, "low": {"at_most": 90}, "lowest": {"below": 60}}.items()
    ]
    head: dict[str, Any] = {"title": "survival", "institution": "S18", "date": "2019"}
    by_rate = Severity({**head, "columns": {"survival": {"kind": "numeric"}}, "sets": sets})
    cancers = patients.filter(pl.col("survival").is_not_null())
    expected = [TABLE_3[disease][0] for disease in cancers["disease"]]
    assert by_rate.of_records(cancers)[0].tolist() == expected
    assert by_rate.of_records(patients.filter(pl.col("survival").is_null())).max() == 0
    # Table 2's own example of a low rate, below 30%, would hold none of them.
    assert cancers["survival"].min() == 31.9


def test_the_same_by_icd_10_codes(japan: Severity) -> None:
    """The groups as code ranges of ICD-10: the numbers of Table 3 for single codes."""
    pytest.importorskip("simple_icd_10_cm")
    where = {
        ("cancers", "2.1.1"): {"ranges": ["C18-C20", "C33-C34"], "branches": ["C16", "C22", "C50"]},
        ("at most 90%", "2.1.1"): {"ranges": ["C18-C20", "C33-C34"], "branches": ["C16", "C22"]},
        ("below 60%", "2.1.1"): {"ranges": ["C33-C34"], "branches": ["C22"]},
        ("grave", "1.3.1"): {"branches": ["G30"]},
        ("psychiatric", "2.3.2"): {"ranges": ["F01-F99"]},
        ("stroke", "2.2.4"): {"ranges": ["I60-I69"]},
        ("kidneys", "2.2.1"): {"branches": ["N18"]},
    }
    sets: list[dict[str, Any]] = [
        {"name": name, "small_class": number, "where": {"code": chosen}} for (name, number), chosen in where.items()
    ]
    mixture = {"1.1.1": 0.25, "1.2.1": 0.25, "2.3.2": 0.5}
    sets.append({"name": "congenital", "mixture": mixture, "where": {"code": {"ranges": ["Q00-Q99"]}}})
    head: dict[str, Any] = {"title": "codes", "institution": "S18", "date": "2019"}
    columns = {"code": {"kind": "nominal", "taxonomy": "icd10cm"}}
    severity = Severity({**head, "columns": columns, "sets": sets})
    codes = ["C16.9", "C19", "C22.0", "C341", "C50.911", "G30.9", "F32.9", "I63.9", "N18.6", "Q90.9"]
    assert severity.of_values("code", [*codes, "C21", "J45.909"]).max(axis=0).tolist() == [
        *(row[0] for row in TABLE_3.values()), 0, 0,
    ]  # fmt: skip


def test_principles_of_section_2_2() -> None:
    """(i), (ii), (iv): class 1 above all others; more sets of one viewpoint, a larger number."""
    demo = Severity.example("demo")
    numbers = demo.of_values("diagnosis", ["333.4", "340", "197.0", "162.9", "174.9", "401.9"])
    assert numbers[0].tolist() == [5, 4, 3, 2, 1, 0]
    assert numbers[1:, 2:].max() == 0
    assert np.all(numbers[:, :2] > demo.largest_in_class_2)


def test_what_the_text_says_of_table_4(japan: Severity, patients: pl.DataFrame) -> None:
    """Three times the sum, four times the sum per patient: so. One clinic patient in ten above 1: not so."""
    sums = {row["facility"]: row for row in japan.sums(patients, "facility", weights="patients").iter_rows(named=True)}
    assert sums["hospital"]["sum"] / sums["clinic"]["sum"] == pytest.approx(2.79, abs=0.005)
    assert sums["hospital"]["per_patient"] / sums["clinic"]["per_patient"] > 4
    clinics = japan.distribution(patients.filter(pl.col("facility") == "clinic"), weights="patients")
    above = clinics.filter(pl.col("severity") > 1)["max"].sum()
    assert sums["clinic"]["severe"] / sums["clinic"]["patients"] == pytest.approx(0.074, abs=0.0005)
    assert above / sums["clinic"]["patients"] == pytest.approx(0.012, abs=0.0005)
