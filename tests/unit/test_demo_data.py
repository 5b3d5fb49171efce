"""The synthetic discharges: the same everywhere, valid, plausible, and shaped like the papers' data."""

from __future__ import annotations

import hashlib
import re
from typing import Any

import numpy as np
import polars as pl
import pytest

import ontomask as om
from ontomask import errors
from ontomask.demo.population import population, profile
from ontomask.demo.stays import DEMO_NOTICE, demo_data, demo_policy

PINNED = [
    (34, "female", "Hispanic", 2, 7900, "654.21", "663.81", "73.51"),
    (90, "male", "Hispanic", 3, 19900, "427.31", "411.1", "88.01"),
]
TUPLE = ["age", "length_of_stay", "charge", "diagnosis"]


@pytest.fixture(scope="module")
def general() -> pl.DataFrame:
    return demo_data(200_000, seed=7)


def counts(column: pl.Series) -> pl.Series:
    return column.value_counts()["count"]


def test_same_arguments_same_records() -> None:
    assert demo_data(500, seed=3).equals(demo_data(500, seed=3))
    assert demo_data(500, np.int64(3)).equals(demo_data(500, seed=3))  # type: ignore[arg-type]
    assert not demo_data(500, seed=4).equals(demo_data(500, seed=3))
    assert demo_data(500, seed=3, chapter="digestive").equals(demo_data(500, seed=3, chapter="520-579"))


def test_the_population_is_pinned() -> None:
    """A change of the tables, of the taxonomy or of numpy's streams shows here; pin anew only on purpose."""
    first = demo_data(2, seed=0)
    assert first.rows() == PINNED
    population.cache_clear()
    assert demo_data(2, seed=0).equals(first)


@pytest.mark.parametrize(
    ("n", "seed", "chapter", "digest"),
    [
        (1000, 1, None, "a8251e275a54b84e"),
        (2000, 7, "neoplasms", "d75746b81c8cec75"),
        (500, 3, "250", "bee71d55752b68f1"),
        (1500, 11, "newborns", "88eceb3e4592fe97"),
    ],
)
def test_frames_are_pinned(n: int, seed: int, chapter: str | None, digest: str) -> None:
    table = demo_data(n, seed, chapter=chapter).write_csv()
    assert hashlib.sha256(table.encode()).hexdigest()[:16] == digest


def test_columns() -> None:
    frame = demo_data(1, seed=0)
    assert frame.schema == pl.Schema(
        {
            "age": pl.Int64,
            "sex": pl.String,
            "race": pl.String,
            "length_of_stay": pl.Int64,
            "charge": pl.Int64,
            "diagnosis": pl.String,
            "secondary_diagnosis": pl.String,
            "procedure": pl.String,
        }
    )
    assert frame.height == 1
    assert demo_data().height == 20_000
    assert "ynthetic" in DEMO_NOTICE
    assert "ynthetic" in (demo_data.__doc__ or "")


def test_codes_are_leaves(general: pl.DataFrame) -> None:
    diagnoses, procedures = om.load_taxonomy("icd9cm"), om.load_taxonomy("icd9cm_procedures")
    for column, taxonomy in (
        ("diagnosis", diagnoses),
        ("secondary_diagnosis", diagnoses),
        ("procedure", procedures),
    ):
        drawn = general[column].unique().to_list()
        assert set(drawn) <= set(taxonomy.concepts)
        assert all(taxonomy.is_leaf(code) for code in drawn)
    assert general.filter(pl.col("diagnosis") == pl.col("secondary_diagnosis")).is_empty()
    assert not general["diagnosis"].str.starts_with("E").any()


def test_every_diagnosis_has_procedures_and_companions() -> None:
    """Also those too rare to turn up in a test."""
    people = population()
    principal = int((people.weight > 0).sum())
    for likely in (people.treatment, people.companion):
        assert len(likely.start) == principal + 1
        assert (np.diff(likely.start) > 0).all()
    assert not people.weight[~people.diagnoses.dag.leaves].any()


def test_sex_agrees_with_codes(general: pl.DataFrame) -> None:
    of_women, of_men = ("174", "18[0-4]", "218", "6[1-2][4-9]", "6[3-7]"), ("185", "186", "60[0-8]")
    for column in ("diagnosis", "secondary_diagnosis"):
        codes = general[column]
        assert (general.filter(codes.str.contains(f"^({'|'.join(of_women)})"))["sex"] == "female").all()
        assert (general.filter(codes.str.contains(f"^({'|'.join(of_men)})"))["sex"] == "male").all()
    procedures = general["procedure"].str
    assert (general.filter(procedures.contains(r"^6[0-4]\."))["sex"] == "male").all()
    assert (general.filter(procedures.contains(r"^(6[5-9]|7[0-5])\."))["sex"] == "female").all()


def test_labels_that_name_a_sex_are_bound_to_it() -> None:
    people = population()
    women = re.compile(r"\b(female|uterus|ovary|vagina|vulva|pregnancy|menstrual)\b", re.IGNORECASE)
    men = re.compile(r"\b(male|prostate|testis|penis|scrotum|epididymis)\b", re.IGNORECASE)
    for place in np.flatnonzero(people.weight).tolist():
        code = people.diagnoses.concepts[place]
        label = people.diagnoses.label(code)
        if "except scrotum" in label or code.startswith("76"):  # the mother's illness, the child's code
            continue
        if women.search(label) and not men.search(label):
            assert people.male[place] == 0, (code, label)
        if men.search(label) and not women.search(label):
            assert people.male[place] == 100, (code, label)


def test_age_agrees_with_codes(general: pl.DataFrame) -> None:
    def ages(pattern: str, column: str = "diagnosis") -> pl.Series:
        return general.filter(general[column].str.contains(pattern))["age"]

    for column in ("diagnosis", "secondary_diagnosis"):
        assert (ages("^(76|77|V3)", column) == 0).all()
    childbirth = ages("^6[3-7]")
    assert childbirth.min() >= 13  # type: ignore[operator]
    assert childbirth.max() <= 48  # type: ignore[operator]
    assert ages("^185$").min() >= 40  # type: ignore[operator]
    assert ages("^820").mean() > 75  # type: ignore[operator]
    assert ages("^466.1").mean() < 3  # type: ignore[operator]
    assert general["age"].is_between(0, 105).all()


def test_the_mix_is_that_of_a_hospital(general: pl.DataFrame) -> None:
    people = population()
    chapter = people.chapter[people.diagnoses.positions(general["diagnosis"].to_list())]
    shares = np.bincount(chapter, minlength=len(profile().chapters)) / general.height * 100
    assert shares == pytest.approx([c.share for c in profile().chapters.values()], abs=0.3)
    assert sum(c.share for c in profile().chapters.values()) == pytest.approx(100)
    grown = general.filter(pl.col("age") > 0)
    assert (grown["age"] >= 65).mean() == pytest.approx(0.40, abs=0.03)
    assert (general["sex"] == "male").mean() == pytest.approx(0.42, abs=0.02)
    assert set(general["race"].unique()) == set(profile().races)
    sickle = general.filter(pl.col("diagnosis").str.starts_with("282.6"))
    assert (sickle["race"] == "Black").mean() > 0.8  # type: ignore[operator]


def test_long_tails_and_what_stay_and_charge_follow(general: pl.DataFrame) -> None:
    stay, charge = general["length_of_stay"], general["charge"]
    assert stay.min() >= 0  # type: ignore[operator]
    assert stay.max() > 60  # type: ignore[operator]
    assert stay.mean() == pytest.approx(4.9, abs=0.5)  # HCUP 1996: 5.0; NHDS 2001: 4.9
    assert stay.mean() > stay.median()  # type: ignore[operator]
    assert charge.min() >= 100  # type: ignore[operator]
    assert charge.mean() > 1.2 * charge.median()  # type: ignore[operator]
    assert np.corrcoef(stay, charge)[0, 1] > 0.4
    heart = general.filter(pl.col("diagnosis").str.starts_with("41"))
    bypass = heart["procedure"].str.starts_with("36.1")
    look = heart["procedure"].str.starts_with("88.72")
    assert heart.filter(bypass)["charge"].median() > 2 * heart.filter(look)["charge"].median()  # type: ignore[operator]
    grave = general["secondary_diagnosis"].is_in(["995.92", "518.81", "785.52"])
    assert general.filter(grave)["length_of_stay"].mean() > 1.5 * stay.mean()  # type: ignore[operator]
    frequent = counts(general["diagnosis"])
    assert (frequent == 1).mean() > 0.1  # type: ignore[operator]
    assert frequent.max() > 10_000  # type: ignore[operator]


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_neoplasms_are_like_those_of_m13(seed: int) -> None:
    """M13 section 3.2: 19,502 records, 542 codes, 129 of them once; 12,304 unique tuples."""
    frame = demo_data(19_502, seed, chapter="neoplasms")
    codes = counts(frame["diagnosis"])
    assert 500 <= len(codes) <= 580
    assert 90 <= (codes == 1).sum() <= 180
    unique = frame.group_by(TUPLE).len().filter(pl.col("len") == 1).height
    assert 0.6 <= unique / frame.height <= 0.7


def test_digestive_diseases_are_like_those_of_m13() -> None:
    """M13 section 3.2: 143,472 records, 409 codes, 37 of them once. (Unique tuples: see the module.)"""
    codes = counts(demo_data(143_472, 0, chapter="digestive")["diagnosis"])
    assert 380 <= len(codes) <= 440
    assert 20 <= (codes == 1).sum() <= 60


@pytest.mark.parametrize(("measure", "scope"), [("wu_palmer", "attribute"), ("logsc", "taxonomy")])
def test_procedure_and_secondary_diagnosis_depend_on_the_diagnosis(measure: str, scope: Any) -> None:
    """R17: distance correlations of 0.46 and 0.64 (procedure), 0.42 (secondary diagnosis)."""
    diagnoses, procedures = om.load_taxonomy("icd9cm"), om.load_taxonomy("icd9cm_procedures")
    frame = demo_data(1_200, seed=1)

    def with_diagnosis(taxonomy: om.Taxonomy, other: pl.Series) -> float:
        return om.distance_correlation(diagnoses, frame["diagnosis"], taxonomy, other, measure, scope=scope)

    procedure = with_diagnosis(procedures, frame["procedure"])
    assert 0.4 <= procedure <= 0.7
    assert procedure > 2 * with_diagnosis(procedures, frame["procedure"].shuffle(seed=1))
    assert 0.3 <= with_diagnosis(diagnoses, frame["secondary_diagnosis"]) <= 0.7


def test_codes_have_tastes_of_their_own() -> None:
    """Procedures differ between codes of one category, not only between categories."""
    frame = demo_data(40_000, 2, chapter="162")
    most = frame["diagnosis"].value_counts(sort=True)["diagnosis"][:2].to_list()
    tables = [frame.filter(pl.col("diagnosis") == code)["procedure"].value_counts(normalize=True) for code in most]
    both = tables[0].join(tables[1], on="procedure", how="full", coalesce=True).fill_null(0)
    assert (both["proportion"] - both["proportion_right"]).abs().sum() / 2 > 0.15


@pytest.mark.parametrize(
    ("chapter", "pattern"),
    [("newborns", "^V3"), ("aftercare", "^V[56]|^V71"), ("250", "^250"), ("153.9", "^153.9$"), ("25000", "^250.00$")],
)
def test_chapters_and_branches(chapter: str, pattern: str) -> None:
    assert demo_data(300, 1, chapter=chapter)["diagnosis"].str.contains(pattern).all()


@pytest.mark.parametrize("chapter", list(profile().chapters))
def test_every_chapter_can_be_drawn(chapter: str) -> None:
    assert demo_data(50, 1, chapter=chapter).height == 50


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"n": 0}, r"n=0\. Give a whole number from 1 up"),
        ({"n": -3}, "whole number"),
        ({"n": 10.0}, "whole number"),
        ({"n": "10"}, "whole number"),
        ({"n": True}, "whole number"),
        ({"seed": -1}, r"seed=-1\. Give a whole number from 0 up"),
        ({"seed": 1.5}, "whole number"),
        ({"seed": None}, "whole number"),
        ({"chapter": "neoplasm"}, "Did you mean 'neoplasms'"),
        ({"chapter": "hearts and minds"}, "There are: infectious"),
        ({"chapter": ""}, "no chapter"),
        ({"chapter": 140}, "not text"),
        ({"chapter": "E000-E999"}, "nobody is in hospital for"),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], says: str) -> None:
    with pytest.raises(errors.OptionError, match=says):
        demo_data(**{"n": 5, **arguments})


def test_policy_fits_the_data() -> None:
    frame = demo_data(60, seed=1)
    policy = demo_policy(om.Microaggregation(k=3), require=om.KAnonymity(k=3))
    assert list(policy.attributes) == frame.columns
    assert policy.quasi_identifiers == ["age", "sex", "race", "length_of_stay", "diagnosis", "procedure"]
    assert not demo_policy().require
    assert om.anonymize(frame, policy).data.height == 60
