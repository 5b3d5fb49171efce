"""S18 section 6 names t-closeness on severity numbers as an extension: an example worked by hand.

Numbers 0 to 4 (N_max = 4). The whole table: 0, 0, 0, 0, 3, 3, 4, 4; up to 0, 1, 2, 3: 4/8, 4/8, 4/8, 6/8. Young: 0, 0, 0, 3;
up to each number 3/4, 3/4, 3/4, 1. Old: 0, 3, 4, 4; 1/4, 1/4, 1/4, 2/4. Each is |1/4| away at every number but the last:
(1/4 + 1/4 + 1/4 + 1/4) / 4 = 1/4. In words: the mean severity is 14/8; of the young 3/4, of the old 11/4; each differs by 1,
a quarter of 4.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import ontomask as om

LIVER, ALZHEIMER = "cancer of the liver", "Alzheimer's disease"
FRAME = pl.DataFrame(
    {
        "age": ["young"] * 4 + ["old"] * 4,
        "disease": ["flu", "flu", "flu", LIVER, "flu", LIVER, ALZHEIMER, ALZHEIMER],
    }
)
ATTRIBUTES = {"age": om.Flat(), "disease": om.Flat(role="sensitive")}


@pytest.fixture(scope="module")
def severity() -> om.Severity:
    return om.Severity.example()


def test_by_hand(severity: om.Severity) -> None:
    assert severity.largest == 4
    assert severity.of_values("disease", FRAME["disease"])[0].tolist() == [0, 0, 0, 3, 0, 3, 4, 4]
    found = om.SeverityCloseness(t=0.2, severity=severity, middle_class=1).check(FRAME, ["age"], ATTRIBUTES)
    assert found.violations.rows() == [("old", 4, 0.25), ("young", 4, 0.25)]
    assert str(found) == (
        "FAILS: O(1)-0.2-closeness: 2 of 2 classes fail (8 records in all); the farthest is at 0.25 (from the table itself; "
        f"severity of disease by {severity.definition.title!r}, {severity.definition.date})"
    )
    # The other types: cancer of the liver has 0, Alzheimer's disease still 4. Young 0; old 2 of 4; the whole 2 of 8.
    other = om.SeverityCloseness(t=0.25, severity=severity, middle_class=2).check(FRAME, ["age"], ATTRIBUTES)
    assert other.holds
    assert other.worst == 0.25
    assert om.SeverityCloseness(t=0.25, severity=severity).check(FRAME, ["age"], ATTRIBUTES).holds


def test_it_sees_what_diversity_does_not(severity: om.Severity) -> None:
    """Old people are O(1)-2-diverse and still nearly all gravely ill."""
    assert om.SeverityDiversity(l=2, severity=severity, middle_class=1).check(FRAME, ["age"], ATTRIBUTES).holds
    assert not om.SeverityCloseness(t=0.2, severity=severity).check(FRAME, ["age"], ATTRIBUTES).holds


def test_in_a_policy_file_and_a_saved_result(tmp_path: Path) -> None:
    definition = om.Severity.example().save(tmp_path / "severity.yaml")
    (tmp_path / "policy.yaml").write_text(
        "attributes:\n  age: {kind: flat}\n  disease: {kind: flat, role: sensitive}\n"
        "method: {name: generalization}\n"
        "require:\n  - {name: k_anonymity, k: 2}\n"
        "  - {name: severity_closeness, t: 0.2, severity: severity.yaml, columns: [disease], middle_class: 1}\n",
        encoding="utf-8",
    )
    policy = om.Policy.load(tmp_path / "policy.yaml")
    assert policy.named_files()["severity"] == definition
    assert policy.severity == om.Severity.example()
    result = om.anonymize(FRAME, policy)
    assert result.data["age"].to_list() == ["*"] * 8
    text = next(text for text in map(str, result.guarantees) if "closeness" in text)
    assert "O(1)-0.2-closeness of disease: 1 class, the farthest is at 0 (from the original table; severity of" in text
    folder = result.save(tmp_path / "out", report=True)
    assert om.Severity.load(folder / "confidential" / "severity-1.yaml") == om.Severity.example()
    again = om.Policy.load(folder / "confidential" / "policy.yaml")
    assert again.require[1].changed(severity=policy.require[1].severity) == policy.require[1]  # type: ignore[attr-defined]
    assert om.verify(folder / "release" / "release.csv", again).holds
    raw = tmp_path / "raw.csv"
    FRAME.write_csv(raw)
    refused = om.verify(raw, policy)
    assert not refused.holds
    assert "O(1)-0.2-closeness of disease: 2 of 2 classes fail" in str(refused)
    said = json.loads((folder / "confidential" / "manifest.json").read_text(encoding="utf-8"))["named_files"]
    assert said["severity"] == {"file": "severity.yaml", "sha256": hashlib.sha256(definition.read_bytes()).hexdigest()}
    page = (folder / "release" / "report.html").read_text(encoding="utf-8")
    assert "Severity closeness" in page
    assert "the severity of disease is distributed as in the whole table" in page


def test_on_the_command_line(tmp_path: Path) -> None:
    om.Severity.example().save(tmp_path / "severity.yaml")
    FRAME.with_columns(pay=pl.Series(range(8))).write_csv(tmp_path / "stays.csv")
    text = (
        "attributes:\n  age: {kind: flat}\n  disease: {kind: flat, role: sensitive}\n  pay: {kind: numeric, role: sensitive}\n"
        "method: {name: generalization}\n"
        "require:\n  - {name: k_anonymity, k: 2}\n  - {name: severity_closeness, t: 0.2, severity: severity.yaml%s}\n"
    )

    def command(*arguments: str, code: int) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "ontomask", *arguments],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            check=False,
        )
        assert done.returncode == code, done.stderr
        assert "Traceback" not in done.stderr
        return done.stdout + done.stderr

    (tmp_path / "policy.yaml").write_text(text % "", encoding="utf-8")
    refused = command("run", "policy.yaml", "stays.csv", "-o", "out", code=2)
    assert "the severity definition does not cover 'pay'" in refused
    assert "columns: [disease]" in refused
    (tmp_path / "policy.yaml").write_text(text % ", columns: [disease]", encoding="utf-8")
    said = command("run", "policy.yaml", "stays.csv", "-o", "out", code=0)
    assert "O-0.2-closeness of disease" in said
    assert "not checked: pay" in said
    assert "holds" in command("verify", "policy.yaml", "out/release/release.csv", "--original", "stays.csv", code=0)
    failing = command("verify", "policy.yaml", "stays.csv", code=1)
    assert "FAILS: O-0.2-closeness of disease: 2 of 2 classes fail" in failing
