"""The newcomer's path: a wide and dirty file of hospital stays through ``init``, ``check`` and ``run``, nothing edited."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import ontomask as om
from tests.wide_hospital import MEDICINES, write_wide_hospital


def run(*arguments: str | Path, where: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "ontomask", *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=300,
        cwd=where,
        env=os.environ | {"PYTHONPATH": str(Path(om.__file__).parents[1])},
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout + done.stderr


@pytest.mark.parametrize("form", ["csv", pytest.param("semicolon", marks=pytest.mark.slow), "xlsx"])
def test_a_wide_dirty_file_fits_its_proposal_and_runs_without_editing(form: str, tmp_path: Path) -> None:
    if form == "xlsx":
        pytest.importorskip("fastexcel")
    file = write_wide_hospital(tmp_path, 3000 if form == "csv" else 1000, form)
    told = run("init", file.name, where=tmp_path)
    assert "patients are counted and not records (person: patient_nbr)" in told
    policy = om.Policy.load(tmp_path / "policy.yaml")
    attributes = policy.attributes
    marked = {name for name, attribute in policy.attributes.items() if attribute.missing_markers}
    assert marked == {"race", "weight", "payer_code", "medical_specialty", "diag_1", "diag_2", "diag_3"}
    assert policy.identifiers == ["encounter_id", "patient_nbr"]
    assert policy.quasi_identifiers == [
        "race", "gender", "age", "weight", "admission_type_id", "discharge_disposition_id", "admission_source_id",
        "time_in_hospital", "payer_code", "medical_specialty", "diag_1", "diag_2", "diag_3", "change",
    ]  # fmt: skip
    assert {attributes[name].kind for name in ("diag_1", "diag_2", "diag_3")} == {"nominal"}
    assert {attributes[name].kind for name in ("age", "weight")} == {"ordinal"}
    assert (attributes["time_in_hospital"].kind, attributes["number_diagnoses"].kind) == ("numeric", "numeric")
    assert {(attributes[name].role, attributes[name].kind) for name in MEDICINES} == {("sensitive", "flat")}
    text = (tmp_path / "policy.yaml").read_text(encoding="utf-8")
    assert text.count("# CHECK") >= 30
    assert "CODES WRITTEN AS NUMBERS" in text
    told = run("check", "policy.yaml", file.name, where=tmp_path)
    assert "k counts records" not in told
    assert "The policy fits the data" in told
    if form != "csv":  # once it is read, a table is a table
        return
    told = run("run", "policy.yaml", file.name, "-o", "result", where=tmp_path)
    assert "5-anonymity: " in told
    assert " persons." in told
    assert "holds: 5-anonymity" in run("verify", "result", where=tmp_path)
    for edition in ("release", "confidential"):
        page = (tmp_path / "result" / edition / "report.html").read_text(encoding="utf-8")
        assert "k counts records" not in page
        assert "5 persons" in page
