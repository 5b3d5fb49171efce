"""``ontomask run --engine spark``: from Parquet files to a folder that appears when it is complete."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import ontomask as om
from ontomask.cli import main
from ontomask.masking.randomness import Secret
from tests.spark.test_spark import KEY, needs_spark, policy, stays

Command = Callable[[list[str]], tuple[int, str, str]]


@pytest.fixture
def ontomask(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """The command in this process, where Spark runs: its code, and what it said on both streams."""

    def call(arguments: list[str]) -> tuple[int, str, str]:
        handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
        monkeypatch.setattr(sys, "argv", ["ontomask", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        for number, handler in handlers.items():
            signal.signal(number, handler)
        printed = capsys.readouterr()
        return int(ended.value.code or 0), printed.out, printed.err

    return call


YAML = """\
attributes:
  patient: {kind: identifier, keep: pseudonym}
  age: {kind: numeric}
  job: {kind: flat, missing: category}
  ill.x: {kind: flat, role: sensitive}
method: {name: microaggregation, k: 3, partition: adaptive}
require:
  - {name: l_diversity, l: 2, attribute: ill.x}
"""


def arguments(folder: Path, *more: str) -> list[str]:
    """A run of three files in a folder with a name that Spark takes for a pattern."""
    place = folder / "stays [x] 2"
    if not place.exists():
        place.mkdir()
        for number, part in enumerate(stays().iter_slices(100)):
            part.write_parquet(place / f"{number}.parquet")
        (folder / "policy.yaml").write_text(YAML, encoding="utf-8")
        (folder / "secret.txt").write_text(Secret(KEY).text(), encoding="utf-8")
    given = [
        str(folder / "policy.yaml"),
        str(place),
        "-o",
        str(folder / "result"),
        "--secret",
        str(folder / "secret.txt"),
    ]
    return ["run", *given, "--engine", "spark", "--master", "local[2]", *more]


@needs_spark
def test_the_command_line_writes_a_folder_that_is_verified(spark: Any, tmp_path: Path, ontomask: Command) -> None:
    code, said, told = ontomask(arguments(tmp_path))
    assert code == 0, told
    assert "240 of 240 records released" in said
    result = tmp_path / "result"
    manifest = json.loads((result / "confidential" / "manifest.json").read_text(encoding="utf-8"))
    inside = {path.relative_to(result).as_posix() for path in result.rglob("*") if path.is_file()}
    assert set(manifest["files"]) == inside
    files = {name.rpartition("/")[2] for name in inside if name.startswith("release/data/")}
    assert files == {"part-00001.parquet", "part-00002.parquet"}
    assert not list(tmp_path.glob(".result*"))
    memory = om.anonymize(
        stays().sort("age", "job", "ill.x", nulls_last=False),
        policy(),
        secret=KEY,
        key=result / "confidential" / "key.txt",
    )
    released = pl.read_parquet(result / "release" / "data")
    assert_frame_equal(released, memory.data, check_row_order=False)
    assert (result / "release" / "guarantees.txt").read_text(encoding="utf-8").splitlines()[1:2] == [
        str(statement.public) for statement in memory.guarantees
    ][1:2]
    assert om.verify_result(result).holds
    assert {"release/report.html", "confidential/report.html", "confidential/assessment.json"} <= inside
    mapping = pl.read_csv(result / "confidential" / "mapping.csv", infer_schema_length=None)
    assert mapping["records"].sum() == 240
    groups = pl.read_csv(result / "confidential" / "groups.csv", infer_schema_length=None)
    assert groups["records"].sum() == 240
    assert ontomask(arguments(tmp_path))[0] == 2  # there is a result
    (result / "release" / "data" / "part-00002.parquet").unlink()
    assert not om.verify_result(result).holds
    assert ontomask(arguments(tmp_path, "--force", "--json", "--no-report"))[0] == 0


@needs_spark
def test_a_refused_release_leaves_no_folder(spark: Any, tmp_path: Path, ontomask: Command) -> None:
    given = arguments(tmp_path)
    refused = YAML.replace("l_diversity, l: 2, attribute: ill.x", "km_anonymity, k: 200, m: 1")
    refused = refused.replace("microaggregation, k: 3, partition: adaptive", "suppression, k: 2")
    (tmp_path / "policy.yaml").write_text(refused, encoding="utf-8")
    code, _, told = ontomask(given)
    assert (code, "the release is refused" in told) == (1, True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["policy.yaml", "secret.txt", "stays [x] 2"]
    code, said, told = ontomask([*given, "--allow-unsatisfied"])
    assert code == 0, told
    assert "NOT SATISFIED" in said
    assert (tmp_path / "result" / "release" / "data-NOT-SATISFIED").is_dir()


@needs_spark
def test_a_disk_that_fails_leaves_no_folder(
    spark: Any, tmp_path: Path, ontomask: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*given: Any, **options: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("ontomask.engines.spark_files.fill", fails)
    code, _, told = ontomask(arguments(tmp_path))
    assert (code, "No space left on device" in told) == (2, True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["policy.yaml", "secret.txt", "stays [x] 2"]


def test_options_that_do_not_fit_the_engine_are_refused(tmp_path: Path, ontomask: Command) -> None:
    assert "--format: the engine spark writes Parquet files" in ontomask(arguments(tmp_path, "--format", "csv"))[2]
    in_memory = [text for text in arguments(tmp_path) if text not in ("--engine", "spark")]
    assert "--master: it is for the engine spark" in ontomask(in_memory)[2]


@needs_spark
def test_a_wrong_master_is_one_message(spark: Any, tmp_path: Path, ontomask: Command) -> None:
    given = [text.replace("local[2]", "nonsense") for text in arguments(tmp_path)]
    done = subprocess.run([sys.executable, "-m", "ontomask", *given], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    said = " ".join(done.stderr.split())
    assert said.startswith("ontomask: Spark cannot start with the master 'nonsense' (")
    assert said.endswith("Give --master as Spark knows it: local[2], spark://host:7077, yarn, k8s://https://host:443.")
    assert not list(tmp_path.glob("*result*"))
