"""What leads back to people is the owner's alone: not only when it is finished, but from the moment it exists."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import ontomask as om

UMASKS = (0o000, 0o022, 0o077)
FORMATS = ("csv", "parquet", "excel", "sav", "dta", "xpt")
FRAME = pl.DataFrame({"age": [30, 31, 52, 55, 56, 70], "pay": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "sex": list("fmfmfm")})
pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")


@pytest.fixture(params=UMASKS, ids=oct)
def umask(request: Any) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def policy(**settings: Any) -> om.Policy:
    made: om.Policy = om.Policy(
        attributes={"age": om.Numeric(), "sex": om.Flat(), "pay": om.Numeric(role="sensitive")},
        **({"method": om.Microaggregation(k=2)} | settings),
    )
    return made


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


Seen = dict[str, set[tuple[int, int]]]


@contextmanager
def watched(folder: Path) -> Iterator[Seen]:
    """The mode and size of everything in a folder, after each call into the system that Python makes meanwhile."""
    seen: Seen = {}
    calls = {"open", "mkdir", "write", "close", "chmod", "replace", "rename", "fsync", "__exit__", "write_csv"}

    def look() -> None:
        for where, folders, files in os.walk(folder):
            for name in (*folders, *files):
                path = os.path.join(where, name)
                found = os.lstat(path)
                seen.setdefault(os.path.relpath(path, folder), set()).add(
                    (stat.S_IMODE(found.st_mode), 0 if stat.S_ISDIR(found.st_mode) else found.st_size)
                )

    def profile(frame: Any, event: str, called: Any) -> None:
        if event in ("c_return", "c_exception") and called.__name__ in calls:
            sys.setprofile(None)
            look()
            sys.setprofile(profile)

    sys.setprofile(profile)
    try:
        yield seen
    finally:
        sys.setprofile(None)
    look()


def require_owner_only(seen: Seen, *names: str) -> None:
    for name, states in seen.items():
        if not names or any(name.endswith(end) for end in names):
            assert not {oct(found) for found, _ in states if found & 0o077}, name


def test_the_watch_sees_a_file_that_is_narrowed_too_late(tmp_path: Path) -> None:
    with watched(tmp_path) as seen:
        (tmp_path / "late").write_text("secret")
        os.chmod(tmp_path / "late", 0o600)
    assert len(seen["late"]) > 1
    with pytest.raises(AssertionError):
        require_owner_only(seen)


@pytest.mark.parametrize("again", [False, True])
def test_a_result(tmp_path: Path, umask: int, again: bool) -> None:
    result = om.anonymize(FRAME, policy())
    if again:
        result.save(tmp_path / "result", report=True)
        for path in (tmp_path / "result").rglob("*"):
            os.chmod(path, 0o777 if path.is_dir() else 0o666)
    with watched(tmp_path) as seen:
        result.save(tmp_path / "result", report=True, overwrite=again)
    confidential = tmp_path / "result" / "confidential"
    assert mode(confidential) == 0o700
    assert {mode(path) for path in confidential.iterdir()} == {0o600}
    assert mode(tmp_path / "result") == mode(tmp_path / "result" / "release") == 0o777 & ~umask
    assert {mode(path) for path in (tmp_path / "result" / "release").iterdir()} == {0o666 & ~umask}
    for name, states in seen.items():
        parts = Path(name).parts
        if ".old" in parts[0] or (again and parts[0] == "result" and not any(".part" in part for part in parts)):
            continue  # the earlier result, that somebody opened to all
        if len(parts) == 1 and ".part" in name:
            assert states == {(0o700, 0)}, name
        if "confidential" in parts:
            assert not {oct(found) for found, _ in states if found & 0o077}, name
        elif "release" in parts[:-1]:
            finished = max(size for _, size in states)
            assert all(size == finished for found, size in states if found & 0o077), name


@pytest.mark.parametrize("format", FORMATS)
def test_tables_are_closed_until_they_are_complete(tmp_path: Path, umask: int, format: str) -> None:
    frame = FRAME.rename({"sex": "s"})
    with watched(tmp_path) as seen:
        om.write_table(frame, tmp_path / "open", format=format)
        om.write_table(frame, tmp_path / "closed", format=format, private=True)
    assert mode(tmp_path / "open") == 0o666 & ~umask
    assert mode(tmp_path / "closed") == 0o600
    require_owner_only(seen, "closed")
    for name, states in seen.items():
        finished = max(size for _, size in states)
        assert all(size == finished for found, size in states if found & 0o077), name


WRITERS: dict[str, Callable[[Path], Any]] = {
    "policy": lambda path: policy().save(path, overwrite=True),
    "profile": lambda path: om.profile(FRAME).save(path, overwrite=True, k=2),
    "severity": lambda path: om.Severity.example("demo").save(path, overwrite=True),
    "internal report": lambda path: om.write_report(om.anonymize(FRAME, policy()), path, overwrite=True),
}


@pytest.mark.parametrize("what", WRITERS)
def test_what_tells_of_the_data_is_closed_also_where_it_replaces_an_open_file(
    tmp_path: Path, umask: int, what: str
) -> None:
    with watched(tmp_path) as seen:
        WRITERS[what](tmp_path / "file")
    require_owner_only(seen)
    assert mode(tmp_path / "file") == 0o600
    os.chmod(tmp_path / "file", 0o644)
    WRITERS[what](tmp_path / "file")
    assert mode(tmp_path / "file") == 0o600


def test_ordinary_files_keep_the_mode_somebody_gave_them(tmp_path: Path) -> None:
    om.write_table(FRAME, tmp_path / "table.csv")
    os.chmod(tmp_path / "table.csv", 0o640)
    om.write_table(FRAME, tmp_path / "table.csv", overwrite=True)
    assert mode(tmp_path / "table.csv") == 0o640


def test_remembered_runs(tmp_path: Path, umask: int) -> None:
    with watched(tmp_path) as seen:
        om.compare(FRAME, om.grid(policy(), ["microaggregation"], k=[2, 3]), folder=tmp_path / "runs", workers=1)
    assert mode(tmp_path / "runs") == 0o700
    assert {mode(path) for path in (tmp_path / "runs").iterdir()} == {0o600}
    require_owner_only(seen)


def test_taxonomies_and_severities_beside_a_policy(tmp_path: Path, umask: int) -> None:
    taxonomy = om.Taxonomy.from_edges([("f", "any"), ("m", "any")])
    columns = {"age": om.Numeric(), "sex": om.Nominal(taxonomy=taxonomy), "pay": om.Numeric(role="sensitive")}
    result = om.anonymize(FRAME, om.Policy(attributes=columns, method=om.Microaggregation(k=2)))
    with watched(tmp_path) as seen:
        result.save(tmp_path / "result")
    assert mode(tmp_path / "result" / "confidential" / "taxonomy-1.csv") == 0o600
    require_owner_only(seen, "taxonomy-1.csv", ".csv.part")
    om.write_taxonomy(taxonomy, tmp_path / "own.csv")
    assert mode(tmp_path / "own.csv") == 0o666 & ~umask


def test_a_planted_link_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody who can write to the folder puts a link where the file will be put together."""
    monkeypatch.setattr("ontomask.files.writing.secrets.token_hex", lambda n: "0" * (2 * n))
    elsewhere = tmp_path / "elsewhere"
    (tmp_path / ".policy.yaml.00000000.part").symlink_to(elsewhere)
    with pytest.raises(om.errors.OutputError):
        policy().save(tmp_path / "policy.yaml")
    assert not elsewhere.exists()
