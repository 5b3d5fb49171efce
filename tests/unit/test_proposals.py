"""What is proposed for columns of many names and shapes, in five languages: role, kind, and whether somebody must check."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import ontomask as om
from ontomask.profiling.ordered_values import band_order, scale_order

N = 400
rng = np.random.default_rng(5)


def of(*values: Any) -> list[Any]:
    """The values, over and over."""
    return [values[i % len(values)] for i in range(N)]


def upto(low: int, high: int) -> list[int]:
    """Small numbers, low ones more often."""
    return [int(x) for x in np.clip(rng.poisson((high - low) / 4, N) + low, low, high - 1)] + list(range(low, high + 1))


def keys(share: float = 0.7, low: int = 100, high: int = 200_000_000) -> list[int]:
    """Numbers of persons, some of whom have several records."""
    persons = rng.choice(np.arange(low, high, 97), int(share * N), replace=False)
    return [int(x) for x in [*persons, *rng.choice(persons, N - len(persons))]]


def amounts() -> list[int]:
    return [int(x) for x in rng.gamma(2, 400, N)]


ROUND = [int(x) * 500 for x in rng.integers(20, 200, N)]
DENSE = [i // 4 for i in range(N)]  # 100 patients, four records each, one after the other
WORDS = of("alpha thing", "beta thing", "gamma thing")
ICD = of("250.00", "401.9", "428.0", "V27.0", "038.9")
SHORT_ICD = of("8", "38", "428", "V27", "250.8", "401")

# (name, values, role, kind, is it marked CHECK?); None: not asserted
CASES: list[tuple[str, list[Any], str, str, bool | None]] = [
    # keys of persons that repeat, by name
    *[(name, keys(), "identifier", "identifier", False) for name in (
        "patient_nbr", "patient_id", "PatientID", "pat_id", "PATNR", "mrn", "MRN", "subject_id", "subjid", "person_id",
        "member_id", "memberNo", "ssn", "nhs_number", "beneficiary_id", "participant_id", "respondent_no", "client_id",
        "customer_id", "employee_nr", "household_id", "id_paciente", "numero_paciente", "codigo_paciente", "num_pacient",
        "identificador_pacient", "numero_patient", "identifiant_patient", "Patientennummer", "Versichertennummer",
        "Probanden_ID", "Kundennummer", "Mitgliedsnummer", "DNI", "NHC", "user_id", "donor_key", "hh_id",
        "study_patient_id", "acme_patient_id",
    )],
    # keys of stays, visits, cases
    *[(name, keys(), "identifier", "identifier", False) for name in (
        "encounter_id", "hadm_id", "admission_id", "icustay_id", "visit_id", "case_id", "case_no", "episode_id", "stay_id",
        "id_ingreso", "id_episodio", "numero_sejour", "Fallnummer", "fall_id", "claim_id", "specimen_id",
    )],
    # bare words for a unit are keys if there are many
    ("subject", keys(), "identifier", "identifier", None),
    ("member", keys(), "identifier", "identifier", None),
    ("encounter", keys(), "identifier", "identifier", None),
    ("case", of("case", "control"), "quasi", "flat", True),
    # keys by their values alone
    ("x", keys(), "identifier", "identifier", True),
    ("x", [f"P{k:09d}" for k in keys()], "identifier", "identifier", True),
    ("x", DENSE, "identifier", "identifier", True),
    ("x", amounts(), "quasi", "numeric", True),
    ("x", ROUND, "quasi", "numeric", True),
    ("x", [round(v * 1.37, 2) for v in amounts()], "quasi", "numeric", True),
    ("income", amounts(), "sensitive", "numeric", False),
    # codes that are stored as small numbers
    *[(name, of(1, 2, 3, 5, 6, 7, 8, 17), "quasi", "flat", True) for name in (
        "admission_type_id", "discharge_disposition_id", "admission_source_id", "group_id", "site_code", "visit_type",
        "category", "tipo_ingreso", "codigo_motivo", "tipus_alta", "code_mode_entree", "Aufnahmegrund_Code", "status_cd",
        "encounter_type_id", "case_type",
    )],
    ("group_id", of("A", "B", "C"), "quasi", "flat", None),
    ("hospital_id", of(10, 20, 31), "quasi", "flat", None),
    # counts
    *[(name, upto(0, 12), "sensitive", "numeric", True) for name in (
        "number_diagnoses", "num_procedures", "num_lab_procedures", "num_medications", "number_outpatient", "number_emergency",
        "number_inpatient", "n_visits", "numero_diagnosticos", "anzahl_diagnosen", "nb_consultations", "diagnoses",
    )],
    ("children", upto(0, 6), "quasi", "numeric", True),
    ("x", upto(0, 9), "quasi", "numeric", True),
    ("x", upto(1, 14), "quasi", "numeric", True),
    ("x", of("01", "02", "03", "10"), "quasi", "flat", True),  # zeros say that these are codes
    ("visit_number", upto(1, 6), "quasi", "numeric", True),
    # lengths of time beside a hospital
    *[(name, upto(1, 14), "quasi", "numeric", False) for name in (
        "time_in_hospital", "days_in_hospital", "hospital_days", "length_of_stay", "LOS", "hours_in_icu", "dias_ingreso",
        "dies_hospital", "jours_hopital", "Verweildauer", "Tage_Krankenhaus", "duree_sejour",
    )],
    ("hospital", of("North", "South"), "quasi", "flat", False),
    # bands
    *[(name, values, "quasi", "ordinal", False) for name, values in (
        ("age", of("[70-80)", "[0-10)", "[10-20)", "[80-90)")),
        ("age", of("70-79", "80-89", "90+", "<18", "18-69")),
        ("age", of("70 to 79", "80 to 89")),
        ("age_group", of("under 5", "5-64", "65 and over")),
        ("edad", of("menos de 18", "18-64", "65 y más")),
        ("edat", of("0-14 anys", "15-64 anys", "65 anys i més")),
        ("age", of("moins de 18 ans", "18 à 64 ans", "65 ans et plus")),
        ("Alter", of("unter 18", "18 bis 64", "65 und älter")),
        ("age", of("0-4 years", "5-9 years", "10+ years")),
        ("weight", of("[0-25)", "[25-50)", ">200")),
        ("household", of("1", "2", "3-5", "6+")),
        ("birth", of("1950–1959", "1960–1969")),
    )],
    ("income", of("0-999", "1,000-1,999", "2,000-2,999", "3,000 or more"), "sensitive", "ordinal", False),
    ("x", of("20-29", "30-39"), "quasi", "ordinal", True),
    ("glucose", of("Norm", ">200", ">300"), "sensitive", "ordinal", True),
    ("x", of("12-34", "11-50", "30-31"), "quasi", "flat", True),  # they cross: codes, not bands
    ("readmitted", of("NO", ">30", "<30"), "sensitive", "flat", False),
    # scales that everybody knows
    *[(name, values, "quasi", "ordinal", True) for name, values in (
        ("x", of("low", "medium", "high")),
        ("x", of("never", "sometimes", "often")),
        ("x", of("none", "small", "large")),
        ("x", of("Down", "Up")),
        ("x", of("bajo", "medio", "alto")),
        ("x", of("baix", "mitjà", "alt")),
        ("x", of("faible", "moyen", "élevé")),
        ("x", of("niedrig", "mittel", "hoch")),
    )],
    ("severity", of("mild", "moderate", "severe"), "sensitive", "ordinal", True),
    ("dolor", of("leve", "moderado", "grave"), "sensitive", "ordinal", True),
    ("x", of("low", "medium", "other"), "quasi", "flat", True),
    ("x", of("Low", "low", "high"), "quasi", "flat", True),
    ("x", of("yes", "no"), "quasi", "flat", True),
    # medicines
    *[(name, of("No", "Steady", "Up", "Down"), "sensitive", "flat", True) for name in (
        "metformin", "glyburide-metformin", "insulin", "tolbutamide", "citoglipton", "x", "medicamento", "Medikament", "drug_1",
        "amoxicillin", "simvastatin", "bisoprolol",
    )],
    ("diabetesMed", of("Yes", "No"), "sensitive", "flat", True),
    # results and measurements
    *[(name, [float(v) / 10 for v in upto(30, 200)], "sensitive", "numeric", True) for name in (
        "A1Cresult", "max_glu_serum", "heart_rate", "systolic", "creatinine", "colesterol", "Blutdruck", "hemoglobina",
        "test_score",
    )],
    # what others can know
    ("race", of("A", "B", "C"), "quasi", "flat", False),
    ("gender", of("Female", "Male"), "quasi", "flat", False),
    ("payer_code", of("MC", "HM", "SP"), "quasi", "flat", False),
    ("insurance", of("public", "private"), "quasi", "flat", False),
    ("Krankenkasse", of("AOK-like", "TK-like"), "quasi", "flat", False),
    ("medical_specialty", of("Cardio-x", "Ortho-x"), "quasi", "flat", False),
    ("Fachabteilung", of("Innere", "Chirurgie"), "quasi", "flat", False),
    ("discharge", of("home-x", "ward-x"), "quasi", "flat", False),
    ("admission_date", of("2024-05-31", "2024-06-01", "2024-06-07"), "quasi", "date", False),
    ("visit_date", of("2024-05-31", "2024-06-01", "2024-06-07"), "quasi", "date", False),
    ("zip", of("08001", "43002"), "quasi", "flat", False),
    ("bmi", [float(v) / 7 for v in upto(100, 200)], "quasi", "numeric", False),
    # diagnoses, with dropped zeros and marks of missing values
    ("diag_1", ICD, "quasi", "nominal", True),
    ("diag_1", SHORT_ICD, "quasi", "nominal", True),
    ("diag_1", [*SHORT_ICD, "?", "?"], "quasi", "nominal", True),
    ("diag_1", [*ICD, "zzz"], "quasi", "flat", True),
    # what is unknown, empty, constant, free text
    ("x", WORDS, "quasi", "flat", True),
    ("x", [None] * N, "identifier", "identifier", True),
    ("x", ["same"] * N, "quasi", "flat", False),
    ("comments", [f"the patient number {i} said that the night was bad" for i in range(N)], "identifier", "identifier", False),
    ("x", [f"the patient number {i} said that the night was bad" for i in range(N)], "identifier", "identifier", True),
    ("x", [[1, 2]] * N, "identifier", "identifier", True),
    ("x", [{"a": 1}] * N, "identifier", "identifier", True),
    # numbers that may stand for a missing value
    ("age", [*upto(18, 90), 999, 999], "quasi", "numeric", True),
    ("age", [*upto(18, 90), -9, -9], "quasi", "numeric", True),
    ("age", upto(0, 99), "quasi", "numeric", False),
]  # fmt: skip


def test_there_are_many_cases() -> None:
    assert len(CASES) >= 150


@pytest.mark.parametrize(
    ("name", "values", "role", "kind", "check"),
    CASES,
    ids=[f"{at}-{case[0]}" for at, case in enumerate(CASES)],
)
def test_a_column_is_proposed_as(name: str, values: list[Any], role: str, kind: str, check: bool | None) -> None:
    frame = pl.DataFrame({name: values}).with_columns(pl.Series("sexo", [i % 2 for i in range(len(values))]))
    found = om.profile(frame)
    column = found[name]
    assert (column.role, column.kind) == (role, kind), column.proposal
    assert column.reason
    if check is not None:
        # Whether persons are counted is asked besides.
        assert any("person:" not in question for question in column.checks) == check, column.checks
    policy = found.policy(k=3)
    assert om.check(frame, policy).records == len(values)


# ---- bands and scales --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "ordered",
    [
        ["[0-10)", "[10-20)", "[90-100)"],
        ["(0,10]", "(10,20]"],
        ["<18", "18-69", "70-79", "90+"],
        ["under 5", "5-64", "65 and over"],
        ["Norm", ">200", ">300"],
        ["0-999", "1,000-1,999", "10.000-19.999"],
        ["<18.5", "18.5-24.9", "25-29.9", "≥30"],
        ["0", "1", "2-5", "6+"],
        ["9-10", "10-11", "100-110"],
        ["<=18", ">18"],
        ["$0-$999", "$1000-$1999"],
        ["-10-0", "0-10"],
    ],
)
def test_bands_are_put_into_order(ordered: list[str]) -> None:
    assert band_order(ordered[::-1]) == ordered
    assert band_order([*ordered, "something else"]) is None


@pytest.mark.parametrize(
    "values",
    [
        ["1", "2", "3"],
        ["10-20", "15-25"],
        ["70-79", "[70-79]"],
        ["20-10", "30-20"],
        ["<5", "<10", "3-4"],
        ["A-B", "C-D"],
        ["1-2"],
        [f"{i}-{i + 1}" for i in range(0, 400, 2)],
    ],
)
def test_what_is_no_list_of_bands(values: list[str]) -> None:
    assert band_order(values) is None


def test_scales_need_every_value() -> None:
    assert scale_order(["High", "low "]) == ["low ", "High"]
    assert scale_order(["No", "Steady", "Up"]) is None, "no dose is no step of it"
    assert scale_order(["low", "LOW"]) is None
    assert scale_order(["none"]) is None


# ---- markers -----------------------------------------------------------------------------------------------------


def test_markers_are_proposed_and_the_columns_are_what_they_would_be() -> None:
    frame = pl.DataFrame({"diag": [*SHORT_ICD, "?"], "age": [*of("[0-10)", "[10-20)"), "?"], "n": range(N + 1)})
    found = om.profile(frame)
    assert found.reading.missing == []
    assert [found[name].kind for name in ("diag", "age")] == ["nominal", "ordinal"]
    assert any("taken for missing values: '?' in 2 columns" in note for note in found.notes)
    attributes = found.policy().attributes
    assert {name: attributes[name].missing_markers for name in attributes} == {"diag": ["?"], "age": ["?"], "n": []}
    assert attributes["diag"].missing == "category"


@pytest.mark.parametrize(
    ("values", "missing"),
    [
        (of("ES", "FR", "NA", "DE"), []),  # Namibia
        (of("+", "-"), []),
        (of("smoker", "none"), []),
        (of("a", "unknown"), []),
        (of("1.5", "2.5", "unknown"), ["unknown"]),
        (of("1", "2", "None"), ["None"]),
        (of("a", "N/A", "NULL"), ["N/A", "NULL"]),
        (of("a", " ? "), ["?"]),
        (of("-", "."), []),  # nothing else says what they mean
    ],
)
def test_which_marks_stand_for_missing_values(values: list[str], missing: list[str]) -> None:
    frame = pl.DataFrame({"v": values, "age": range(N)})
    assert sorted(om.profile(frame)["v"].proposal.missing_markers) == missing


def test_a_mark_that_is_a_value_elsewhere_stays_one_there() -> None:
    frame = pl.DataFrame({"country": of("ES", "FR", "NA", "DE"), "size": of("10", "11", "NA"), "age": range(N)})
    found = om.profile(frame)
    assert [column.proposal.missing_markers for column in found] == [[], ["NA"], []]
    assert om.anonymize(frame, found.policy(k=2)).prepared.data["country"].null_count() == 0


def test_given_markers_are_all_there_are() -> None:
    frame = pl.DataFrame({"v": of("a", "?", "NULL"), "age": range(N)})
    found = om.profile(frame, reading=om.Reading(missing=["NULL"]))
    assert found.reading.missing == ["NULL"]
    assert found["v"].proposal.missing_markers == []


# ---- many columns ------------------------------------------------------------------------------------------------


def test_at_most_so_many_unknown_columns_are_masked() -> None:
    unknown = {f"q{i}": of(f"a{i} b", f"c{i} d", f"e{i} f") for i in range(30)}
    frame = pl.DataFrame({"age": upto(20, 90)[:N], "sex": of("f", "m"), **unknown})
    found = om.profile(frame)
    assert sum(column.role == "quasi" for column in found) == 15
    assert (found["q12"].role, found["q13"].role) == ("quasi", "identifier")
    assert "left out of the release" in found["q13"].reason
    assert found["q13"].checks
    assert any("17 columns of which nothing is known left out" in note for note in found.notes)
    kept = om.profile(frame, roles={"q20": "quasi", "q21": "other"})
    assert (kept["q20"].role, kept["q21"].role) == ("quasi", "other"), "what is given is not touched"
    assert om.anonymize(frame, found.policy(k=3)).verification.holds


def test_what_others_can_know_is_masked_however_much_it_is() -> None:
    frame = pl.DataFrame({f"city_{i}": of("a x", "b y", "c z") for i in range(20)})
    found = om.profile(frame)
    assert {column.role for column in found} == {"quasi"}
    assert any("20 quasi-identifiers: masking so many" in note for note in found.notes)


def test_thousands_of_columns() -> None:
    frame = pl.DataFrame({f"gene {i}": rng.random(30) for i in range(1500)} | {"age": range(30)})
    found = om.profile(frame)
    assert len(found) == 1501
    assert len(found.policy(k=3).quasi_identifiers) == 15


# ---- keys that stay ----------------------------------------------------------------------------------------------


def test_a_key_that_is_given_another_role_is_asked_about() -> None:
    frame = pl.DataFrame({"patient_nbr": keys(), "age": upto(20, 90)[:N]})
    for role in ("quasi", "sensitive", "other"):
        found = om.profile(frame, roles={"patient_nbr": role})
        assert any("named like a key and its values repeat" in check for check in found["patient_nbr"].checks)
    own = om.profile(frame.with_columns(patient_nbr=pl.int_range(pl.len())), roles={"patient_nbr": "other"})
    assert not any("named like a key" in check for check in own["patient_nbr"].checks)


def test_a_profile_says_that_an_identifier_repeats() -> None:
    frame = pl.DataFrame({"encounter_nbr": [*range(300), *range(100)], "age": upto(20, 90)[:N]})
    assert "300 different encounter_nbr in 400 records: k counts records, not encounters." in om.profile(frame).notes
