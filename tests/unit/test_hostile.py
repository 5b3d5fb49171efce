"""Files and policies of others: none hangs, floods or ends the process; each is one clear error."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import ontomask as om
from ontomask import errors
from ontomask.saving import read_records
from ontomask.yaml_files import LARGEST

SOME = "attributes: {age: {kind: numeric}}\n"
#: Seconds in which a hostile file must be refused, on a slow machine.
SOON = 60


def said(caught: pytest.ExceptionInfo[BaseException]) -> str:
    assert isinstance(caught.value, errors.OntomaskError)
    assert caught.value.remedy, "an error says what to do"
    return str(caught.value)


def python(code: str, *, limit: int | None = None, seconds: int = SOON) -> subprocess.CompletedProcess[str]:
    """Run code in a process of its own, with so many bytes of memory; a hang is a failure."""
    bound = f"import resource\nresource.setrlimit(resource.RLIMIT_AS, ({limit}, {limit}))\n" if limit else ""
    environment = os.environ | {"POLARS_MAX_THREADS": "2", "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.run(
        [sys.executable, "-c", bound + textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
        env=environment,
    )


# ---- YAML -------------------------------------------------------------------------------------------------------

LAUGHS = "a: &a [x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)
BAD_YAML = {
    "billion laughs": (LAUGHS, "anchors .* line 1|line 1: anchors"),
    "an alias": ("attributes: &all {age: {kind: numeric}}\n", "anchors"),
    "a merge": ("attributes: {age: {kind: numeric, <<: {role: quasi}}}\n", "merge keys"),
    "nesting": ("attributes: " + "[" * 100_000, "nested more than"),
    "nesting of blocks": ("".join(f"{' ' * at}a:\n" for at in range(300)), "nested more than"),
    "many keys": ("attributes: [" + "1," * 300_000 + "]", "more than 200,000"),
    "a large file": (SOME + "#" * LARGEST, "more than 5 MB"),
    "objects": ("attributes: !!python/object/apply:os.system [ls]\n", "no YAML"),
}


@pytest.mark.parametrize("case", BAD_YAML)
@pytest.mark.parametrize("load", [om.Policy.load, om.Severity.load], ids=["policy", "severity"])
def test_yaml_that_blows_up_is_refused_at_once(case: str, load: Callable[..., Any], tmp_path: Path) -> None:
    text, expected = BAD_YAML[case]
    path = tmp_path / "p.yaml"
    path.write_text(text)
    begin = time.perf_counter()
    if case == "objects" and load == om.Severity.load:
        expected = "attributes"  # there every value is the text that is written
    with pytest.raises(errors.PolicyError, match=expected) as caught:
        load(path)
    assert "p.yaml" in str(caught.value)
    assert time.perf_counter() - begin < SOON


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("method: {name: microaggregation, k: " + "9" * 5000 + "}", "line 2.*5,000 digits"),
        ("method: {name: microaggregation, k: " + "9" * 90 + "}", "too large"),
        ("method: {name: microaggregation, k: 1e400}", "no whole number"),
        ("method: {name: microaggregation, k: .inf}", "no whole number"),
        ("method: {name: microaggregation, k: .nan}", "no whole number"),
        ("method: {name: microaggregation, k: 010}", "no whole number"),
        ("method: {name: microaggregation, k: 12:30:45}", "no whole number"),
        ("method: {name: microaggregation, k: 0x10}", "no whole number"),
        ("method: {name: microaggregation, k: 1_000}", "no whole number"),
        ("seed: 2024-02-31", "line 2.*is no date or number"),
    ],
)
def test_odd_numbers_in_yaml(text: str, expected: str, tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    path.write_text(SOME + text + "\n")
    with pytest.raises(errors.PolicyError, match=expected):
        om.Policy.load(path)


def test_times_and_codes_in_yaml_are_the_text_they_are(tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    path.write_text(
        "attributes: {at: {kind: ordinal, order: [08:00, 12:30, 010, 1_0]}, b: {kind: numeric, weight: 1.0e-1}}\n"
    )
    policy = om.Policy.load(path)
    assert policy.attributes["at"].order == ["08:00", "12:30", "010", "1_0"]
    assert policy.attributes["b"].weight == 0.1
    policy.save(tmp_path / "again.yaml")
    assert om.Policy.load(tmp_path / "again.yaml") == policy


# ---- regular files only -----------------------------------------------------------------------------------------


def generalized(path: Path) -> om.Result:
    method = om.Generalization(hierarchies={"x": om.LevelsFile(path=str(path))})
    policy = om.Policy(attributes={"x": om.Flat()}, method=method, require=[om.KAnonymity(k=2)])
    return om.anonymize(pl.DataFrame({"x": ["a", "b"]}), policy)


READERS: dict[str, Callable[[Path], Any]] = {
    "data.csv": om.read_table,
    "data.csv.gz": om.read_table,
    "data.parquet": om.read_table,
    "data.xlsx": om.read_table,
    "data.sav": om.read_table,
    "profile.csv": om.profile,
    "profile.parquet": om.profile,
    "records.csv": read_records,
    "policy.yaml": om.Policy.load,
    "severity.yaml": om.Severity.load,
    "taxonomy.csv": om.read_taxonomy,
    "taxonomy.obo": om.read_taxonomy,
    "taxonomy.owl": om.read_taxonomy,
    "mapping.csv": lambda path: om.match(["x"], om.load_taxonomy("icd9cm"), mapping=str(path)),
    "levels.csv": generalized,
}


def pipe(path: Path) -> None:
    os.mkfifo(path)


def zeros(path: Path) -> None:
    path.symlink_to("/dev/zero")


def listening(path: Path) -> None:
    server = socket.socket(socket.AF_UNIX)
    here = os.getcwd()
    os.chdir(path.parent)  # names of sockets are short
    try:
        server.bind(path.name)
    finally:
        os.chdir(here)
    server.close()


def kernel(path: Path) -> None:
    path.symlink_to("/proc/kmsg")


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("make", [pipe, zeros, listening, kernel])
def test_only_regular_files_are_read(name: str, make: Callable[[Path], None], tmp_path: Path) -> None:
    make(tmp_path / name)
    begin = time.perf_counter()
    with pytest.raises(errors.OntomaskError) as caught:
        READERS[name](tmp_path / name)
    assert time.perf_counter() - begin < SOON
    if make is not kernel:
        assert "not a file" in said(caught)
