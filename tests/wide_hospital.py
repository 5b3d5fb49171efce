"""A wide and dirty file of hospital stays, made up: what a newcomer brings. Fifty columns in the shape of the well-known file
of diabetic inpatients: ``?`` for missing values, codes that lost their zeros, counts, bands, keys that repeat, codes stored
as small numbers, one column for each medicine, and values that one record has.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

import ontomask as om

MEDICINES = (
    "metformin repaglinide nateglinide chlorpropamide glimepiride acetohexamide glipizide glyburide tolbutamide "
    "pioglitazone rosiglitazone acarbose miglitol troglitazone tolazamide examide citoglipton insulin "
    "glyburide-metformin glipizide-metformin glimepiride-pioglitazone metformin-rosiglitazone metformin-pioglitazone"
).split()
#: As in a file that a spreadsheet once had: 008 is 8 and 038 is 38.
CODES = (
    "428 414 786 410 486 427 491 715 682 434 780 996 276 38 250.8 599 584 V57 250.6 518 820 577 493 435 562 574 296 560 250.7 "
    "250.13 440 8 571 785 789 998 578 V58 433 722 998 250.02 403 250.1 530 345 54 3 112 70 41 E909 V27 250.83 401 272 250 "
    "285 585 424 496 511 135 7 11 458 788 305 294 78 79 425 733 790 426 278 707 V45 250.01 787 493 250.03 53 787.2"
).split()


def wide_hospital(n: int = 3000, *, seed: int = 7, umlauts: bool = False) -> pl.DataFrame:
    """``n`` stays as text and numbers, the way they are written in the file; ``umlauts`` in names of places and specialties."""
    rng = np.random.default_rng(seed)

    def pick(values: str | list[str], weights: list[float] | None = None) -> list[str]:
        listed = values.split() if isinstance(values, str) else values
        p = None if weights is None else np.array(weights) / sum(weights)
        return [listed[i] for i in rng.choice(len(listed), n, p=p)]

    def some_missing(values: list[str], share: float) -> list[str]:
        gone = rng.random(n) < share
        return ["?" if lost else value for value, lost in zip(values, gone, strict=True)]

    def count(mean: float, least: int = 0, most: int = 99) -> np.ndarray:
        return np.clip(rng.poisson(mean * rng.gamma(2, 0.5, n)) + least, least, most)

    patients = rng.choice(np.arange(135, 189_502_619), int(0.7 * n), replace=False)
    specialties = ["InternalMedicine", "Cardiology", "Surgery-General", "Family/GeneralPractice", "Orthopedics"]
    if umlauts:
        specialties = ["Innere Medizin", "Gefäßchirurgie", "Pädiatrie", "Gynäkologie", "Orthopädie"]
    popular = np.exp(-0.06 * np.arange(len(CODES)))
    ages = [f"[{10 * i}-{10 * (i + 1)})" for i in range(10)]
    frame: dict[str, object] = {
        "encounter_id": rng.choice(np.arange(12_522, 443_867_222), n, replace=False),
        "patient_nbr": np.concatenate([patients, rng.choice(patients, n - len(patients))])[rng.permutation(n)],
        "race": some_missing(pick("Caucasian AfricanAmerican Hispanic Asian Other", [75, 19, 2, 1, 2]), 0.02),
        "gender": pick("Female Male", [54, 46]),
        "age": pick(ages, [1, 2, 4, 8, 20, 34, 44, 52, 34, 6]),
        "weight": some_missing(pick(["[75-100)", "[50-75)", "[100-125)", ">200"], [40, 30, 20, 1]), 0.97),
        "admission_type_id": pick("1 2 3 4 5 6 7 8", [53, 18, 19, 0.1, 5, 5, 0.1, 0.3]),
        "discharge_disposition_id": pick("1 2 3 5 6 11 13 18 22 25 28", [60, 2, 14, 1, 13, 2, 1, 4, 2, 1, 0.1]),
        "admission_source_id": pick("1 2 4 5 6 7 8 9 17 20", [29, 1, 3, 1, 2, 56, 0.1, 0.1, 7, 0.2]),
        "time_in_hospital": count(3.4, 1, 14),
        "payer_code": some_missing(pick("MC HM SP BC MD CP UN CM", [32, 6, 5, 5, 4, 3, 2, 2]), 0.4),
        "medical_specialty": some_missing(pick(specialties, [15, 5, 3, 7, 1]), 0.49),
        "num_lab_procedures": count(42, 1, 132),
        "num_procedures": count(1.3, 0, 6),
        "num_medications": count(15, 1, 81),
        "number_outpatient": count(0.4, 0, 42),
        "number_emergency": count(0.2, 0, 76),
        "number_inpatient": count(0.6, 0, 21),
        "diag_1": some_missing(pick(CODES, popular.tolist()), 0.001),
        "diag_2": some_missing(pick(CODES, popular.tolist()), 0.004),
        "diag_3": some_missing(pick(CODES, popular.tolist()), 0.014),
        "number_diagnoses": count(6.5, 1, 16),
        "max_glu_serum": pick("None Norm >200 >300", [95, 2.5, 1.5, 1.2]),
        "A1Cresult": pick("None >8 Norm >7", [83, 8, 5, 4]),
    }
    for place, medicine in enumerate(MEDICINES):
        rare = 4.0 ** -(place % 6)
        frame[medicine] = pick("No Steady Up Down", [100, 22 * rare, rare, rare / 2])
    frame["change"] = pick("No Ch", [54, 46])
    frame["diabetesMed"] = pick("Yes No", [77, 23])
    frame["readmitted"] = pick("NO >30 <30", [54, 35, 11])
    return pl.DataFrame(frame).with_columns(pl.col("^.*_id$").cast(pl.Int64))


def write_wide_hospital(folder: Path, n: int = 3000, form: str = "csv") -> Path:
    """The file: ``csv`` with commas, ``semicolon`` with cp1252 umlauts, or ``xlsx``."""
    if form == "xlsx":
        return om.write_table(wide_hospital(n, umlauts=True), folder / "wide.xlsx")
    if form == "semicolon":
        text = wide_hospital(n, umlauts=True).write_csv(separator=";")
        (folder / "wide_de.csv").write_bytes(text.encode("cp1252"))
        return folder / "wide_de.csv"
    wide_hospital(n).write_csv(folder / "wide.csv")
    return folder / "wide.csv"
