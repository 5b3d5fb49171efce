"""Columns without identifiers, as clinical and survey files have them: numbers, codes, labels, years, counts."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import ontomask as om

Draw = Callable[[random.Random], Any]
WORDS = (
    "acute chronic mild severe left right upper lower anterior posterior pain fracture infection lesion cyst ulcer failure "
    "disease disorder syndrome screening follow-up routine urgent elective surgical medical cardiac renal hepatic gastric"
).split()
DRUGS = "aspirin metformin lisinopril atorvastatin amlodipine omeprazole insulin warfarin heparin MS-Contin".split()
UNITS = "mg ml mcg IU mmol/L g/dL".split()
JOBS = [
    "nurse",
    "teacher",
    "Machine operator",
    "Farmer",
    "Cook",
    "Armed-Forces",
    "Exec-managerial",
    "Tech-support",
    "Clerk",
]
WARDS = ["Cardiology", "Emergency/Trauma", "Family Practice", "Surgery-General", "Orthopedics", "Mount Carmel Unit"]


def _text(chance: random.Random, most: int = 3) -> str:
    return " ".join(chance.sample(WORDS, chance.randint(1, most)))


def _band(chance: random.Random) -> str:
    low = 10 * chance.randrange(9)
    return chance.choice((f"[{low}-{low + 10})", f"{low}-{low + 9}")) if low < 80 else "80+"


def _icd9(chance: random.Random) -> str:
    return chance.choice(
        (f"{chance.randint(1, 999):03d}", f"{chance.randint(1, 999):03d}.{chance.randint(0, 99):02d}", "V45.81")
    )


def _icd10(chance: random.Random) -> str:
    code = f"{chance.choice('ABCDEFGHIJKLMNOPQRSTZ')}{chance.randint(0, 99):02d}"
    return code + chance.choice(("", f".{chance.randint(0, 9)}", f".{chance.randint(0, 99):02d}1A"))


#: By names that such columns have.
FAMILIES: dict[str, Draw] = {
    "hba1c|glucose|creatinine|ferritin|score_a|x1|index_value": lambda c: round(c.lognormvariate(2, 1), 2),
    "ratio|odds_ratio|fev1_fvc|share_of_visits|ejection_fraction": lambda c: round(c.random(), 3),
    "occupation|job|job_title|employment": lambda c: c.choice(JOBS),
    "insurance|payer|insurance_type|plan_type": lambda c: c.choice(("Medicare", "Medicaid", "private", "self-pay")),
    "education|years_of_school|household_size|parity": lambda c: c.randint(0, 18),
    "apache_score|gcs|moca|phq9|risk_score": lambda c: c.randint(0, 71),
    "age_top_coded|age_years|age_at_death": lambda c: c.choice((*map(str, range(40, 90)), "90+")),
    "cost_usd|reimbursement|copay|drug_cost": lambda c: f"{c.lognormvariate(6, 1):.2f}",
    "length_of_stay|hours_in_icu|ventilator_days": lambda c: int(c.expovariate(0.2)),
    "weight_kg|height_cm|bmi|systolic|heart_rate|temperature": lambda c: round(c.gauss(90, 20), 1),
    "charges|total_cost|income|salary_cents|platelets|cell_count|wbc": lambda c: c.randint(1_000_000, 9_999_999),
    "n_visits|num_procedures|number_diagnoses|count|los_days|days_in_hospital": lambda c: c.randint(0, 14),
    "months_since_discharge|days_to_event|cycles": lambda c: c.randint(0, 40),
    "age|age_group|age_at_admission|patient_age": lambda c: c.randint(18, 89),
    "age_months|gestational_age_days|bone_age": lambda c: c.randint(1, 300),
    "age_band|agegrp": _band,
    "year|admission_year|birth_year|fiscal_year|year_of_birth|discharge_date_year": lambda c: c.randint(1950, 2023),
    "decade|period|study_period": lambda c: c.choice(("1990s", "2000s", "2010-2014", "2015-2019")),
    "diagnosis|dx1|icd9|principal_dx|code": _icd9,
    "icd10|diag_code|cause_of_death|v7": _icd10,
    "procedure|cpt|hcpcs": lambda c: c.choice((f"{c.randint(100, 99999):05d}", f"G{c.randint(1000, 9999)}")),
    "drg|apr_drg|ms_drg": lambda c: c.randint(1, 999),
    "atc|drug_class": lambda c: f"{c.choice('ABCDGHJLMN')}{c.randint(1, 16):02d}{c.choice('ABCD')}X{c.randint(1, 50):02d}",
    "loinc|test_code": lambda c: f"{c.randint(100, 99999)}-{c.randint(0, 9)}",
    "ndc|drug_product": lambda c: f"{c.randint(1, 99999):05d}-{c.randint(1, 9999):04d}",
    "snomed|concept": lambda c: c.randint(10**5, 10**9),
    "blood_pressure|bp": lambda c: f"{c.randint(90, 180)}/{c.randint(50, 110)}",
    "lab_result|crp|troponin": lambda c: c.choice((f"<{c.randint(1, 9) / 10}", f"{c.random():.3f}", "neg", ">100")),
    "percent|saturation|rate": lambda c: f"{c.randint(0, 100)}%",
    "sex|gender|race|ethnicity|marital_status|smoker": lambda c: c.choice(("A", "B", "unknown", "other")),
    "email_consent|phone_reminder|fax_sent|photo_taken|has_mrn|ssn_verified": lambda c: c.choice(("yes", "no")),
    "address_verified|url_opened|account_active": lambda c: c.choice((0, 1)),
    "mobile_unit|ip|license_status|vehicle_involved|device_type": lambda c: c.choice(("none", "present", "pump", "stent")),
    "admission_type_id|discharge_disposition_id|ward_code|visit_number|case_type": lambda c: c.randint(1, 8),
    "state|us_state|state_of_residence": lambda c: c.choice(("MA", "NY", "CA", "TX", "Vermont", "New Mexico")),
    "country|birthplace|place_of_birth|nationality": lambda c: c.choice(("Mexico", "Jordan", "Canada", "United States")),
    "zip3|zip|postal": lambda c: c.choice(("021", "100", "000", "995", "606", "606**")),
    "city_size|county_population_class|town_type|distance_to_city": lambda c: c.choice(("small", "medium", "large")),
    "region|census_region|urban_rural": lambda c: c.choice(("Northeast", "South", "West", "Midwest")),
    "drug|medication|drug_name|active_ingredient": lambda c: c.choice(DRUGS),
    "dose|dosage|strength": lambda c: f"{c.choice((5, 10, 250, 500))} {c.choice(UNITS)}",
    "label|finding|remark_code|description|diagnosis_text": _text,
    "note|imaging": lambda c: f"{c.randint(1, 9)} {c.choice(('chest CT', 'hour drive', 'doses on the way', 'x Ms dose'))}",
    "specialty|department|medical_specialty|hospital_unit": lambda c: c.choice(WARDS),
    "colour|flower|group_name": lambda c: c.choice(("rose", "violet", "amber", "blue", "green", "black", "teal", "grey")),
    "month_length|season|weekday": lambda c: c.choice(("winter", "spring", "summer", "autumn")),
    "duration|time_to_event|waiting_time": lambda c: f"{c.randint(0, 12)}:{c.randint(0, 59):02d}",
    "stage|grade|asa|triage|pain": lambda c: c.choice(("I", "II", "III", "IV")),
    "version|protocol": lambda c: f"v{c.randint(1, 3)}.{c.randint(0, 9)}",
    "sequence|allele|blood_type|genotype": lambda c: "".join(c.choice("ACGT") for _ in range(6)),
    "latitude_band|lat|laterality": lambda c: c.choice(("left", "right", "both")),
}  # fmt: skip


def clean_columns(number: int) -> Iterator[tuple[str, list[Any]]]:
    """So many of them: a name and its values, some of them missing, of small and of larger tables."""
    names = [(name, draw) for family, draw in FAMILIES.items() for name in family.split("|")]
    labels = [om.load_taxonomy("icd9cm").label(code) for code in list(om.load_taxonomy("icd9cm").concepts)[::40]]
    names += [("label_of_diagnosis", lambda c: c.choice(labels)), ("term", lambda c: c.choice(labels))]
    for i in range(number):
        chance = random.Random(i)
        name, draw = names[i % len(names)]
        rows = chance.choice((25, 60, 300))
        yield name, [None if chance.random() < 0.05 else draw(chance) for _ in range(rows)]
