"""Another unit can be counted: a policy that counts practices, through masking, files, verification, comparison and report."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from pydantic import Field

import ontomask as om
from ontomask.errors import DataError, PolicyError
from ontomask.masking.randomness import Secret
from ontomask.wording import Unit
from tests.contract.test_new_engine import ToyEngine

PRACTICE = Unit("practice", "practices", key="practice")
ATTRIBUTES = {"doctor": om.Identifier(), "age": om.Numeric(), "job": om.Flat(), "ill": om.Flat(role="sensitive")}


class ByPractice(om.Policy):
    """Counts the practices that a column names."""

    practice: str = Field(description="the column that says from which practice a record is")

    @property
    def unit(self) -> Unit:
        return PRACTICE

    @property
    def unit_columns(self) -> list[str]:
        return [self.practice]


def policy(k: int = 3) -> ByPractice:
    return ByPractice(attributes=ATTRIBUTES, method=om.Microaggregation(k), practice="doctor", row_order="shuffled")


@pytest.fixture(scope="module")
def frame() -> pl.DataFrame:
    rng = np.random.default_rng(4)
    return pl.DataFrame(
        {
            "doctor": [f"d{number}" for number in rng.integers(0, 12, 90)],
            "age": rng.integers(20, 40, 90),
            "job": rng.choice(["cook", "pilot"], 90),
            "ill": rng.choice(["flu", "gout"], 90),
        }
    )


def test_every_class_has_k_of_them_and_everything_says_so(frame: pl.DataFrame, tmp_path: Path) -> None:
    result = om.anonymize(frame, policy(), seed=1)
    found = defaultdict(set)
    for row, record in zip(result.data.select("age", "job").rows(), result.records.tolist(), strict=True):
        found[row].add(frame["doctor"][record])
    assert min(map(len, found.values())) >= 3
    folder = result.save(tmp_path / "result", report=True)
    verified = om.verify_result(folder, policy())
    assert verified.holds, str(verified)
    assert "practices" in str(verified)
    page = (folder / "confidential" / "report.html").read_text(encoding="utf-8")
    assert "Every class has at least k practices." in page
    assert "every group has at least k practices" in page
    assert "at least k records" not in page
    assert "k: 3  # every group has at least k practices" in (folder / "confidential" / "policy.yaml").read_text(
        "utf-8"
    )
    assert any("practices" in reading for reading in result.assessment.readings)


def test_spellings_of_a_key_are_one_practice() -> None:
    """Read as written, "d1" and "d1 " would be two, and a class of both would pass for one of k=2."""
    pl.Series(["d2", "d1"]).cast(pl.Categorical)  # Polars remembers categories, and that d2 came before d1
    data = pl.DataFrame({"doctor": ["d1", "d1 ", "d2", "d2 "], "age": [20, 20, 60, 60], "job": "a", "ill": "flu"})
    units = policy().units_of(data)
    assert units.word == PRACTICE
    assert units.of is not None
    assert units.of.tolist() == [0, 0, 1, 1]
    with pytest.raises(DataError, match="k is 3 and there are 2 practices"):
        om.anonymize(data, policy(3), seed=1)
    result = om.anonymize(data, policy(2), seed=1)
    assert result.data.select("age", "job").n_unique() == 1


def test_a_record_of_no_practice_is_an_error(frame: pl.DataFrame) -> None:
    data = frame.with_columns(doctor=pl.when(pl.int_range(pl.len()) == 4).then(None).otherwise("doctor"))
    with pytest.raises(DataError, match="does not say whose it is .* and practices are counted"):
        om.anonymize(data, policy(), seed=1)


def test_whose_records_are_is_not_released(frame: pl.DataFrame) -> None:
    shown = ATTRIBUTES | {"doctor": om.Flat(role="other")}
    with pytest.raises(PolicyError, match="practice: doctor would be released, and say which records belong together"):
        ByPractice(attributes=shown, method=om.Microaggregation(3), practice="doctor")
    with pytest.raises(PolicyError, match="practice: 'nurse' is not one of the attributes"):
        ByPractice(attributes=ATTRIBUTES, method=om.Microaggregation(3), practice="nurse")


@pytest.mark.parametrize(
    "method",
    [om.ProfileMicroaggregation(3), om.Recoding(3), om.Generalization(), om.Suppression(2)],
    ids=lambda method: method.name,
)
def test_nothing_speaks_of_persons(method: Any, frame: pl.DataFrame, tmp_path: Path) -> None:
    """Every method and the models on classes, with a pseudonym: what is written and said names practices."""
    models: list[Any] = [om.KAnonymity(2)]
    if method.name == "profile_microaggregation":
        models.append(om.ProfileAnonymity(2))
    elif method.name != "suppression":
        models.append(om.LDiversity(2, "ill"))
    chosen = ByPractice(
        attributes=ATTRIBUTES | {"doctor": om.Identifier(keep="pseudonym")},
        method=method,
        require=models,
        practice="doctor",
        row_order="shuffled",
    )
    result = om.anonymize(frame, chosen, seed=1)
    folder = result.save(tmp_path / "result", report=True)
    written = [folder / "confidential" / "policy.yaml", *folder.glob("*/guarantees.txt"), *folder.glob("*/notes.txt")]
    said = [line for file in written for line in file.read_text(encoding="utf-8").splitlines()]
    said += [
        *map(str, result.guarantees),
        *map(str, result.notes),
        *result.assessment.readings,
        str(result.verification),
    ]
    said += [model.explain(PRACTICE) for model in models] + [method.explain(PRACTICE)]
    assert any("practices" in line for line in said)
    assert [line for line in said if re.search(r"\bpersons?\b", line) and "identify a person" not in line] == []


def test_it_is_compared_with_nothing_that_counts_otherwise(frame: pl.DataFrame) -> None:
    records = om.Policy(attributes=ATTRIBUTES, method=om.Microaggregation(3), row_order="shuffled")
    with pytest.raises(PolicyError, match="do not count the same"):
        om.compare(frame, {"practices": policy(), "records": records})


def test_tables_in_chunks_count_records_only(frame: pl.DataFrame) -> None:
    with pytest.raises(PolicyError, match="practices are not counted in a table that is read in chunks"):
        ToyEngine(frame, 7, policy().changed(row_order="kept"), Secret.of_seed(1), None)
