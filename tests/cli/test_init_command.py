"""``ontomask init`` as it is run: real processes, what they print and write, and what they end with."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import ontomask as om


def run(*arguments: str | Path, code: int = 0, where: Path) -> tuple[str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "ontomask", "init", *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=120,
        cwd=where,
        env=os.environ | {"PYTHONPATH": str(Path(om.__file__).parents[1])},  # it may be a relative path
    )
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout, done.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    om.write_table(om.demo_data(300, seed=1), tmp_path / "my stays.csv")
    return tmp_path


def test_a_policy_to_begin_from(folder: Path) -> None:
    out, err = run("my stays.csv", where=folder)
    assert "note: CSV, delimiter" in err
    assert "\x1b" not in out, "no colours where nobody looks"
    assert re.search(r"charge +whole numbers +\d+ +0 +[\d.]+% +sensitive +numeric", out)
    assert re.search(r"procedure +text +\d+ +0 +[\d.]+% +quasi +nominal +icd9cm_procedures +CHECK", out)
    assert "  diagnosis, secondary_diagnosis, procedure: if nobody can know it" in out
    assert "  ontomask check policy.yaml 'my stays.csv'\n  ontomask run policy.yaml 'my stays.csv' -o result\n" in out
    text = (folder / "policy.yaml").read_text(encoding="utf-8")
    for value in ("female", *om.demo_data(300, seed=1)["diagnosis"].unique().to_list()):
        if "." in value or value.isalpha():  # 250 may be a number of something
            assert value not in out + err + text
    policy = om.Policy.load(folder / "policy.yaml")
    assert "seed" not in text
    assert om.anonymize(folder / "my stays.csv", policy).verification.holds


def test_options_and_json(folder: Path) -> None:
    arguments = (
        "my stays.csv",
        "-o",
        "other.yaml",
        "--k",
        "3",
        "--method",
        "generalization",
        "--role",
        "race=sensitive",
    )
    out, err = run(*arguments, "--json", where=folder)
    assert err == ""
    said = json.loads(out)
    assert list(said) == ["records", "looked_at", "columns", "taxonomies", "person", "notes", "policy", "next"]
    assert (said["records"], said["policy"]) == (300, "other.yaml")
    race = next(row for row in said["columns"] if row["column"] == "race")
    assert (race["role"], "examples" in race) == ("sensitive", False)
    policy = om.Policy.load(folder / "other.yaml")
    assert policy.method is not None
    assert (policy.method.name, policy.require) == ("generalization", [om.KAnonymity(k=3)])


def test_values_are_shown_only_when_asked_for(folder: Path) -> None:
    out, _ = run("my stays.csv", "--show-values", where=folder)
    assert re.search(r"sex .*(female; male|male; female)", out)
    assert "female" not in (folder / "policy.yaml").read_text(encoding="utf-8")


def test_quiet_and_force(folder: Path) -> None:
    small = ("my stays.csv", "--role", "race=other")
    assert run(*small, "--quiet", where=folder) == ("", "")
    before = (folder / "policy.yaml").read_bytes()
    out, err = run(*small, code=2, where=folder)
    assert out == ""
    assert err == "ontomask: policy.yaml: the file exists. Choose another name with -o, or give --force.\n"
    assert (folder / "policy.yaml").read_bytes() == before
    (folder / "policy.yaml").write_text("mine")
    run(*small, "--quiet", "--force", where=folder)
    assert (folder / "policy.yaml").read_bytes() == before, "nothing in it is drawn"
    data = (folder / "my stays.csv").read_bytes()
    _, err = run(*small, "--force", "-o", "my stays.csv", code=2, where=folder)
    assert "this is the file the data came from" in err
    assert (folder / "my stays.csv").read_bytes() == data


def test_errors_are_one_message(folder: Path) -> None:
    def fails(*arguments: str | Path) -> str:
        out, err = run(*arguments, code=2, where=folder)
        assert out == ""
        assert not (folder / "policy.yaml").exists()
        return err

    assert "gone.csv: no such file" in fails("gone.csv")
    assert "--role 'race' is not of the form COLUMN=ROLE" in fails("my stays.csv", "--role", "race")
    assert "no role 'secret'. There are: 'identifier'" in fails("my stays.csv", "--role", "race=secret")
    assert "no column 'raze'. Did you mean 'race'?" in fails("my stays.csv", "--taxonomy", "raze=icd9cm")
    assert "no method 'magic'. There are: " in fails("my stays.csv", "--method", "magic")
    assert "0 is too small" in fails("my stays.csv", "--k", "0")


def test_help_shows_an_example(tmp_path: Path) -> None:
    out, _ = run("--help", where=tmp_path)
    assert "ontomask init patients.parquet -o patients.yaml --k 10" in out
    assert "Exit codes: 0 done; 2 " in out
