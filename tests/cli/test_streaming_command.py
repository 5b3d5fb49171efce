"""``ontomask run`` on files that are read chunk by chunk."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from tests.cli.test_commands import run

POLICY = """
attributes:
  job: {kind: flat, role: quasi}
  age: {kind: numeric, role: other}
method: {name: suppression, k: 2}
require: [{name: k_anonymity, k: 2}]
row_order: kept
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "policy.yaml").write_text(POLICY, encoding="utf-8")
    (tmp_path / "data").mkdir()
    for number in range(3):
        frame = pl.DataFrame({"job": ["cook", "cook", "nurse"], "age": [number, 30, 40]})
        frame.write_csv(tmp_path / "data" / f"part{number}.csv")
    return tmp_path


def test_folders_and_patterns(place: Path) -> None:
    out, _ = run("run", "policy.yaml", "data", "-o", "result", "--quiet", cwd=place)
    assert out == ""
    out, _ = run("run", "policy.yaml", "data/*.csv", "-o", "again", "--json", "--no-report", cwd=place)
    told = json.loads(out)
    assert (told["records"], told["released"], told["satisfied"]) == (9, 9, True)
    released = [(place / name / "release/release.csv").read_bytes() for name in ("result", "again")]
    assert released[0] == released[1]
    assert (place / "result/release/report.html").exists()
    out, _ = run("verify", "result", cwd=place)
    assert "each as it was saved" in out


def test_the_engine_is_chosen(place: Path) -> None:
    run("run", "policy.yaml", "data/part0.csv", "-o", "memory", "--no-report", "--allow-unsatisfied", cwd=place)
    assert (place / "memory/confidential/records.csv").exists()
    shown, _ = run(
        *("run", "policy.yaml", "data", "-o", "stream", "--engine", "stream", "--memory", "1GB", "--no-report"),
        cwd=place,
    )
    assert "9 of 9 records released." in shown
    for options, says in (
        (("data/part0.csv", "--memory", "1GB", "--engine", "memory"), "--memory: it is for the engine stream"),
        (("data", "--engine", "memory"), "this is a folder"),
        (("data", "--engine", "spark", "--memory", "4GB"), "--memory: it is for the engine stream; Spark has settings"),
        (("data", "--memory", "1MB"), "Give at least 200 megabytes"),
        (("duckdb:x.db?table=t", "--engine", "stream"), "this engine reads files only"),
    ):
        _, error = run("run", "policy.yaml", *options, "-o", "other", code=2, cwd=place)
        assert says in error
    assert not (place / "other").exists()


def test_a_release_of_several_files_is_not_assessed_by_record(place: Path) -> None:
    run("run", "policy.yaml", "data", "-o", "result", "--no-report", cwd=place)
    released, manifest = place / "result/release/release.csv", place / "result/confidential/manifest.json"
    released.unlink()
    released.mkdir()
    (released / "part-1.parquet").touch()
    text = manifest.read_text(encoding="utf-8")
    manifest.write_text(text.replace('release.csv": ', 'release.csv/part-1.parquet": '), encoding="utf-8")
    _, error = run("assess", "result", "data/part0.csv", code=2, cwd=place)
    assert "nobody listed which record of the original" in error


def test_errors_name_the_file(place: Path) -> None:
    (place / "data/part1.csv").write_text("job,age\ncook,1\n,2\n", encoding="utf-8")
    _, error = run("run", "policy.yaml", "data", "-o", "result", code=2, cwd=place)
    assert "Record 5 is record 2 of part1.csv." in error
