"""``check``: a true line for every required model, what a run will refuse, and counts that no key changes."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import ontomask as om
from ontomask import errors
from tests.cli.following import Reader

VISITS = pl.DataFrame(
    {
        "patient": [f"P{i // 2:02d}" for i in range(40)],
        "age": [30 + i % 7 for i in range(38)] + [92, 95],
        "sex": ["f", "m"] * 20,
        "admitted": [date(2023, 1, 1) + timedelta(days=9 * (i // 4)) for i in range(40)],
        "charge": [100 * i for i in range(40)],
    }
)


def policy(*require: Any, **changes: Any) -> om.Policy:
    attributes: dict[str, Any] = {
        "patient": om.Identifier(),
        "age": om.Numeric(top=90),
        "sex": om.Flat(),
        "admitted": om.Date(role="other", shift=100),
        "charge": om.Numeric(role="sensitive"),
    }
    return om.Policy(
        attributes=attributes | changes, person="patient", method=om.Microaggregation(k=3), require=list(require)
    )


def test_nothing_is_said_of_identifiers_that_the_original_still_has() -> None:
    found = om.check(VISITS, policy(om.KAnonymity(k=3)))
    assert [finding.model.name for finding in found.verification] == ["k_anonymity"]
    assert "no identifier" not in str(found)
    assert any("identifiers removed: patient" in str(note) for note in found.notes)


def test_every_required_model_has_a_line() -> None:
    models = [om.KAnonymity(k=3), om.ProfileAnonymity(k=3), om.SafeHarbor(), om.LDiversity(l=2, attribute="charge")]
    found = om.check(VISITS, policy(*models))
    assert [finding.model for finding in found.verification] == models
    profiles = found.verification.findings[1]
    assert profiles.checked


def test_probabilistic_anonymity_is_named_as_checked_after_masking() -> None:
    swapping = om.Policy(
        attributes={"age": om.Numeric()},
        method=om.RankSwapping(k=3),
        require=[om.ProbabilisticKAnonymity(k=3)],
        unlisted="other",
    )
    (finding,) = om.check(VISITS, swapping).verification
    assert str(finding).startswith("NOT CHECKED: probabilistic 3-anonymity: checked after masking")


def test_what_unmasked_columns_fail_is_foreseen() -> None:
    asked = policy(om.KAnonymity(k=3), om.SafeHarbor())
    found = om.check(VISITS, asked)
    (foreseen,) = found.foreseen
    assert foreseen.violations["column"].to_list() == ["admitted"]  # and not age: it will be released as 90+
    assert "checked after masking: age, sex" in str(foreseen)
    with pytest.raises(errors.NotSatisfied, match="admitted: dates finer than a year"):
        om.anonymize(VISITS, asked)


def test_a_model_of_columns_that_no_unmasked_one_fails_is_open_until_masking() -> None:
    asked = policy(om.SafeHarbor(), admitted=om.Identifier())
    (finding,) = om.check(VISITS, asked).verification
    assert not finding.checked
    assert finding.text.endswith("Checked after masking: age, sex")
    assert om.check(VISITS, asked).foreseen == []


def test_masked_columns_that_fail_as_they_are_are_named() -> None:
    asked = policy(om.SafeHarbor(), admitted=om.Date())
    (finding,) = om.check(VISITS, asked).verification
    assert finding.text.endswith("Checked after masking: age, sex, admitted (as they are, these fail: admitted)")


def test_an_unmasked_age_is_judged_as_it_is_released() -> None:
    asked = policy(om.SafeHarbor(), admitted=om.Identifier(), age=om.Numeric(role="other", top=90))
    assert om.check(VISITS, asked).foreseen == []


def test_shifted_dates_are_counted_before_they_are_shifted() -> None:
    for _ in range(3):
        columns = om.check(VISITS, policy(om.KAnonymity(k=3))).columns
        assert columns.filter(pl.col("column") == "admitted")["values"].item() == VISITS["admitted"].n_unique()


def test_the_command_says_that_a_run_would_be_refused(tmp_path: Path) -> None:
    reader = Reader(tmp_path)
    VISITS.write_csv(reader.here / "visits.csv")
    policy(om.KAnonymity(k=3), om.SafeHarbor()).save(reader.here / "policy.yaml")
    reader.follow(
        "$ ontomask check policy.yaml visits.csv; echo code $?\n"
        "...\n"
        "  FAILS: HIPAA safe harbor: 1 column may hold identifiers\n"
        "    admitted: dates finer than a year, and ages above 89 (C), because values look like dates (40 records); ...\n"
        "    checked after masking: age, sex\n"
        "\n"
        "A run would be refused: columns that are not masked fail HIPAA safe harbor. ...\n"
        "code 1\n"
    )


def test_a_refusal_has_a_line_for_each_column_and_the_remedy_that_helps() -> None:
    asked = policy(om.SafeHarbor(), sex=om.Flat(), admitted=om.Date(role="other"), charge=om.Numeric(role="other"))
    with pytest.raises(errors.NotSatisfied) as caught:
        om.anonymize(VISITS.with_columns(discharged=pl.col("admitted")), asked.changed(unlisted="other"))
    first, *columns, last = str(caught.value).splitlines()
    assert first == "the release is refused: HIPAA safe harbor: 2 columns may hold identifiers"
    assert [line.split(":")[0] for line in columns] == ["  admitted", "  discharged"]
    assert "hierarchies: {admitted: {kind: calendar, levels: [year, decade]}}" in columns[0]
    assert "top: 90" not in str(caught.value)
    assert last == "(allow_unsatisfied=True hands it out and marks it.)"


def test_a_refusal_by_classes_keeps_the_general_remedy() -> None:
    asked = om.Policy(
        attributes={"age": om.Numeric()}, method=om.NoiseAddition(), require=[om.KAnonymity(k=20)], unlisted="other"
    )
    with pytest.raises(errors.NotSatisfied, match="Choose a method that promises it, a larger k, or fewer quasi-id"):
        om.anonymize(VISITS, asked)


def test_the_lines_that_a_proposal_shows_release_the_year_alone(tmp_path: Path) -> None:
    frame = VISITS.with_columns(pl.col("admitted").dt.strftime("%d/%m/%Y")).drop("patient")
    text = om.profile(frame, preset="safe_harbor").policy_text(k=3)
    before, _, after = text.partition("\n  admitted:\n")
    shown = [line.removeprefix("    #   ") for line in after.splitlines() if line.startswith("    #   ")]
    lines = [line for line in shown if line.startswith(("kind: date", "format: ", "name: ", "hierarchies: "))]
    assert lines[1:] == [
        "format: '%d/%m/%Y'",
        "name: generalization",
        "hierarchies: {admitted: {kind: calendar, levels: [year, decade]}}",
    ]
    changed = f"{before}\n  admitted:\n    {lines[0]}\n    {lines[1]}\n" + after.split("\n    kind: identifier\n", 1)[1]
    method = "".join(f"  {line}\n" for line in lines[2:])
    changed = changed.replace("  name: microaggregation\n  k: 3  # every group has at least k records\n", method)
    (tmp_path / "policy.yaml").write_text(changed, encoding="utf-8")
    result = om.anonymize(frame, tmp_path / "policy.yaml")
    assert set(result.data["admitted"]) == {"2023"}
    assert "top: 90" not in after


def test_a_question_keeps_its_mark() -> None:
    frame = pl.DataFrame({"admitted": ["31/05/2024", "02/06/2024"] * 20})
    assert "is 31 May 2024 31/05/2024?\n" in om.profile(frame).policy_text(k=3)
