"""``ontomask severity`` as it is run: real processes, what they print, and what they end with."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest


def run(*arguments: str | Path, code: int = 0) -> tuple[str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "ontomask", *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=120,
    )
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout, done.stderr


def test_tables_3_and_4_of_s18() -> None:
    out, err = run("severity", "japan", "--data", "japan", "--by", "facility", "--weights", "patients")
    assert err == ""
    assert "\x1b" not in out, "no colours where nobody looks"
    assert re.search(r"cancer of the liver +12.4 +3 +0 +0 +3  cancers; cancers with a five-year", out)
    assert re.search(r"congenital and chromosome abnormalities +20 +2 +2 +2.5 +2.5 ", out)
    assert "disease: 1 other value with severity number 0" in out
    assert re.search(r"clinic +4,278.8 +317.7 +437.85 +0.1023", out)
    assert re.search(r"hospital +2,914.9 +859.5 +1,219.75 +0.4185", out)


def test_json_says_the_same() -> None:
    arguments = ("severity", "japan", "--data", "japan", "--by", "facility", "--weights", "patients", "--json")
    said: dict[str, Any] = json.loads(run(*arguments)[0])
    assert list(said) == ["definition", "values", "distribution", "sums"]
    assert (said["definition"]["N"], said["definition"]["N_max"], len(said["definition"]["sets"])) == (3, 4, 8)
    assert said["sums"][1] == {
        "facility": "hospital",
        "patients": 2914.9,
        "severe": 859.5,
        "sum": 1219.75,
        "per_patient": pytest.approx(0.41845, abs=1e-5),
    }
    liver = next(row for row in said["values"] if row["value"] == "cancer of the liver")
    assert (liver["s_1"], liver["s_2"], liver["s_3"], liver["max"], len(liver["sets"])) == (3, 0, 0, 3, 3)
    assert {row["severity"]: row["max"] for row in said["distribution"]}[2.5] == 20


def test_a_definition_without_data(tmp_path: Path) -> None:
    out, _ = run("severity", "demo")
    assert "N:           3 (" in out
    assert "N_max:       5 (" in out
    assert "19 special values sets" in out
    assert re.search(r"2\.2\.5 +stays over 120 days +length_of_stay: > 120", out)
    text, _ = run("severity", "demo", "--print")
    own = tmp_path / "own.yaml"
    own.write_text(text, encoding="utf-8")
    assert run("severity", own)[0] == out, "what is printed is the file itself"
    values = json.loads(run("severity", own, "--column", "length_of_stay", "--json")[0])["values"]
    assert [(row["value"], row["max"]) for row in values] == [
        ("> 180", 3.0), ("> 120 and <= 180", 2.0), ("> 60 and <= 120", 1.0),
    ]  # fmt: skip


def test_the_classes() -> None:
    out, _ = run("severity")
    assert "    2.1.1  diseases that shorten life much (disease)" in out
    assert "Shipped examples: japan, " in out


OWN = """\
title: own
institution: us
date: 2024
columns: {d: {kind: nominal, taxonomy: icd9cm}, days: {kind: numeric}}
sets:
  - {name: diabetes, small_class: 2.1.1, where: {d: {values: [250]}}}
  - {name: long, small_class: 2.2.5, where: {days: {above: 60}}}
"""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    (tmp_path / "own.yaml").write_text(OWN, encoding="utf-8")
    pl.DataFrame({"d": ["250", "042", "25000"], "days": [61, 3, 60], "year": [2020, 2021, 2021]}).write_csv(
        tmp_path / "stays.csv"
    )
    return tmp_path


def test_a_file_and_a_table(own: Path) -> None:
    out, err = run("severity", own / "own.yaml", "--data", own / "stays.csv", "--by", "year")
    assert "note: set 'diabetes' holds 250 (" in err
    assert "note: 2 sets without a source: diabetes, long" in err
    assert re.search(r"d +250 Diabetes mellitus +1 +1 +0 +0 +1  diabetes", out)
    assert "d: 2 other values with severity number 0" in out, "042 is read as a code, not as 42"
    assert re.search(r"\n  2020 +1 +1 +1 +1\n  2021 +2 +0 +0 +0\n", out), "a year is no amount"


def test_errors_are_one_message(own: Path) -> None:
    def fails(*arguments: str | Path) -> str:
        out, err = run("severity", *arguments, code=2)
        assert out == ""
        return err

    said = fails(own / "gone.yaml")
    near = "Did you mean 'own.yaml'? Check the path."
    assert said == f"ontomask: {own / 'gone.yaml'}: there is no such severity file. {near}\n"
    (own / "bad.yaml").write_text(OWN.replace("[250]", "[950000]"), encoding="utf-8")
    assert "line 6: set 'diabetes': no concept '950000' in ICD-9-CM diagnoses. Near it: " in fails(own / "bad.yaml")
    table = ("--data", own / "stays.csv")
    assert "no column 'yaer' to group by. Did you mean 'year'?" in fails(own / "own.yaml", *table, "--by", "yaer")
    assert "--by needs --data" in fails(own / "own.yaml", "--by", "year")
    assert "No such option: --wieghts" in fails(own / "own.yaml", "--wieghts", "w")


def test_help_shows_an_example() -> None:
    out, _ = run("severity", "--help")
    assert "ontomask severity severity.yaml --data stays.csv --by facility --by year" in out
    assert "Exit codes: 0 done; 2 " in out
    assert re.fullmatch(r"\d+\.\d+\.\d+\n", run("--version")[0])


def test_importing_the_package_loads_no_command_line() -> None:
    code = "import sys, ontomask; sys.exit(any(m.startswith(('typer', 'rich', 'ontomask.cli')) for m in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
