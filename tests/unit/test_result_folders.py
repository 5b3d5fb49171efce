"""A result folder is the old one or the new one, spares what the run came from, and knows what it was made of."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import ontomask as om
from ontomask import errors
from ontomask.files import writing
from ontomask.files.fingerprints import InputFile
from ontomask.release import saving

STOPPED = """
import os, sys
import ontomask as om
from ontomask.files import writing

count = 0
rename = os.rename

def stop(source, target):
    global count
    if count == int(sys.argv[1]):
        os._exit(9)
    count += 1
    rename(source, target)

writing.os.rename = stop
policy = om.Policy(attributes={"age": om.Numeric()}, method=om.Microaggregation(k=4))
om.anonymize("ages.csv", policy).save(sys.argv[2], overwrite=True)
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("ages.csv").write_text("age\n" + "\n".join(map(str, (20, 21, 40, 41, 60, 61, 80, 81))) + "\n")
    return tmp_path


def ages(k: int = 2) -> om.Result:
    return om.anonymize("ages.csv", om.Policy(attributes={"age": om.Numeric()}, method=om.Microaggregation(k=k)))


def snapshot(place: Path) -> dict[str, str]:
    return {
        path.relative_to(place).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(place.rglob("*"))
        if path.is_file()
    }


def whole(place: Path) -> bool:
    """Is it a result whose every file is as its manifest says?"""
    if not (place / "confidential" / "manifest.json").exists():
        return False
    listed = json.loads((place / "confidential" / "manifest.json").read_text())["files"]
    found = snapshot(place)
    return set(found) == set(listed) and all(digest in (None, found[name]) for name, digest in listed.items())


def stopped_at(step: int, target: str = "out") -> int:
    """Another process replaces the result and dies before its rename number ``step``."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    return subprocess.run([sys.executable, "-c", STOPPED, str(step), target], env=env, check=False).returncode


# ---- whole or not at all -----------------------------------------------------------------------------------------


def test_a_kill_at_any_rename_leaves_one_whole_result() -> None:
    ages().save("out")
    old = snapshot(Path("out"))
    assert stopped_at(0) == 9
    assert snapshot(Path("out")) == old
    with pytest.raises(errors.OutputError, match=r"left something behind: \.out\.\w+\.part"):
        ages().save("out")
    ages().save("out", overwrite=True)
    assert sorted(os.listdir()) == ["ages.csv", "out"]
    old = snapshot(Path("out"))
    assert stopped_at(1) == 9  # between the two renames
    assert not Path("out").exists()
    hidden = sorted(name for name in os.listdir() if name.startswith(".out."))
    assert [Path(name).suffix for name in hidden] == [".old", ".part"]
    assert snapshot(Path(hidden[0])) == old
    assert all(whole(Path(name)) for name in hidden)
    with pytest.raises(errors.OutputError, match=r"\.old is the earlier result, complete: rename it to 'out'"):
        ages().save("out")
    assert sorted(os.listdir()) == [*hidden, "ages.csv"], "nothing is removed unasked"
    os.rename(hidden[0], "out")
    assert snapshot(Path("out")) == old
    ages(4).save("out", overwrite=True)
    assert sorted(os.listdir()) == ["ages.csv", "out"]
    assert stopped_at(2) == 0
    assert whole(Path("out"))


def test_a_kill_while_the_old_one_is_removed_leaves_the_new_one(monkeypatch: pytest.MonkeyPatch) -> None:
    ages().save("out")
    before = snapshot(Path("out"))

    def stop(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(writing.shutil, "rmtree", stop)
        with pytest.raises(KeyboardInterrupt):
            ages(4).save("out", overwrite=True)
    assert whole(Path("out"))
    assert snapshot(Path("out")) != before
    with pytest.raises(errors.OutputError, match=r"left something behind: \.out\.\w+\.old.*may lead back"):
        ages().save("out")
    ages().save("out", overwrite=True)
    assert sorted(os.listdir()) == ["ages.csv", "out"]


@pytest.mark.parametrize("step", [0, 1])
def test_a_rename_that_fails_brings_the_old_one_back(monkeypatch: pytest.MonkeyPatch, step: int) -> None:
    ages().save("out")
    before = snapshot(Path("out"))
    rename, calls = os.rename, []

    def fail(source: Any, target: Any) -> None:
        calls.append(source)
        if len(calls) == step + 1:
            raise OSError(28, "No space left on device")
        rename(source, target)

    with monkeypatch.context() as patched:
        patched.setattr(writing.os, "rename", fail)
        with pytest.raises(errors.OutputError, match="Nothing was written"):
            ages(4).save("out", overwrite=True)
    assert snapshot(Path("out")) == before
    assert sorted(os.listdir()) == ["ages.csv", "out"]


def test_a_folder_that_cannot_be_renamed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A volume, or the folder that the shell is in: its parts go, all of them, before new ones come."""
    Path("out").mkdir()
    data = Path("ages.csv").absolute()
    monkeypatch.chdir("out")
    policy = om.Policy(attributes={"age": om.Numeric()}, method=om.Microaggregation(k=2))
    om.anonymize(data, policy).save(".")
    assert whole(Path())
    before = snapshot(Path())
    rename, seen = os.rename, []

    def watch(source: Any, target: Any) -> None:
        rename(source, target)
        seen.append(sorted(name for name in os.listdir() if not name.startswith(".")))
        if len(seen) == 3:
            raise OSError(5, "Input/output error")

    result = om.anonymize(data, policy.changed(method=om.Microaggregation(k=4)))
    with monkeypatch.context() as patched:
        patched.setattr(writing.os, "rename", watch)
        with pytest.raises(errors.OutputError):
            result.save(".", overwrite=True)
    assert seen[:3] == [["confidential"], [], ["confidential"]], "never parts of both"
    assert snapshot(Path()) == before
    om.anonymize(data, policy).save(".", overwrite=True)
    assert whole(Path())
    assert sorted(os.listdir()) == ["confidential", "release"]


def test_a_link_to_a_folder_stays_a_link() -> None:
    Path("elsewhere").mkdir()
    Path("out").symlink_to("elsewhere")
    ages().save("out")
    ages(4).save("out", overwrite=True)
    assert Path("out").is_symlink()
    assert whole(Path("elsewhere"))
    assert sorted(os.listdir()) == ["ages.csv", "elsewhere", "out"]


# ---- two runs, one folder ----------------------------------------------------------------------------------------------


def meanwhile(monkeypatch: pytest.MonkeyPatch, work: Callable[[], Any]) -> None:
    """Let something happen after the first result was put together, and before it appears."""
    fill, waiting = saving.fill, [work]

    def filled(result: om.Result, *given: Any, **options: Any) -> None:
        fill(result, *given, **options)
        if waiting:
            waiting.pop()()

    monkeypatch.setattr(saving, "fill", filled)


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_result_in_work_is_nothing_that_was_left_behind(monkeypatch: pytest.MonkeyPatch, overwrite: bool) -> None:
    first, second = ages(), ages(3)

    def other() -> None:
        with pytest.raises(errors.OutputError, match="another run is saving a result there"):
            second.save("out", overwrite=overwrite)

    meanwhile(monkeypatch, other)
    first.save("out", overwrite=overwrite)
    assert whole(Path("out"))
    assert sorted(path.name for path in Path().iterdir()) == ["ages.csv", "out"]


def test_a_result_that_appeared_meanwhile_is_not_replaced_unasked(monkeypatch: pytest.MonkeyPatch) -> None:
    first, made = ages(), Path("elsewhere")
    ages(3).save(made)
    before = snapshot(made)
    meanwhile(monkeypatch, lambda: made.rename("out"))
    with pytest.raises(errors.OutputError, match="the folder holds a result"):
        first.save("out")
    assert snapshot(Path("out")) == before
    assert sorted(path.name for path in Path().iterdir()) == ["ages.csv", "out"]


@pytest.mark.parametrize("place", ["out/thesis.txt", "out/release/thesis.txt"])
@pytest.mark.parametrize("inside", [False, True])
def test_what_somebody_put_into_the_folder_meanwhile_is_kept(
    monkeypatch: pytest.MonkeyPatch, place: str, inside: bool
) -> None:
    policy = om.Policy(attributes={"age": om.Numeric()}, method=om.Microaggregation(k=2))
    first = om.anonymize(pl.read_csv("ages.csv"), policy)
    ages(3).save("out")
    before = snapshot(Path("out"))
    file = Path(place).resolve()
    meanwhile(monkeypatch, lambda: file.write_text("years of work"))
    target = Path("out").resolve()
    if inside:
        monkeypatch.chdir("out")
    with pytest.raises(errors.OutputError, match=r"the folder contains other files: (release/)?thesis\.txt"):
        first.save(target, overwrite=True)
    assert file.read_text() == "years of work"
    file.unlink()
    assert snapshot(target) == before


# ---- what a run came from ----------------------------------------------------------------------------------------


def test_a_policy_knows_its_file_and_what_it_names(tmp_path: Path) -> None:
    policy = om.Policy(attributes={"age": om.Numeric()}, method=om.Microaggregation(k=2))
    assert policy.path is None
    assert policy.named_files() == {}
    read = om.Policy.load(policy.save("p.yaml"))
    assert read == policy, "where it comes from is no part of what it says"
    assert read.path == tmp_path / "p.yaml"
    assert read.changed(row_order="shuffled").path == tmp_path / "p.yaml"
    assert read.named_files() == {"policy": tmp_path / "p.yaml"}


def write_inputs() -> om.Policy:
    """A policy that names a file of every sort."""
    for name in ("a", "b"):
        Path(name).mkdir()
    om.write_taxonomy(om.Taxonomy.from_edges([("dog", "pet"), ("cat", "pet")], name="pets"), "a/t.csv")
    om.write_taxonomy(om.Taxonomy.from_edges([("flu", "ill"), ("gout", "ill")], name="ills"), "b/t.csv")
    Path("a/map.csv").write_text("value,concept\nhound,dog\n")
    Path("a/levels.csv").write_text("1;low;*\n2;low;*\n3;high;*\n4;high;*\n")
    Path("b/levels.csv").write_text("x;*\ny;*\n")
    np.savez("a/vectors.npz", concepts=np.array(["dog", "cat", "pet"]), vectors=np.eye(3))
    Path("severity.yaml").write_text(
        "title: t\ninstitution: i\ndate: 2024-01-01\ncolumns:\n  ill: {kind: nominal, taxonomy: b/t.csv}\n"
        "sets:\n  - {name: grave, small_class: 1.1.1, where: {ill: {values: [gout]}}}\n"
    )
    Path("policy.yaml").write_text(
        "attributes:\n"
        "  pet: {kind: nominal, taxonomy: a/t.csv, mapping: a/map.csv, measure: context_vector,"
        " options: {vectors: a/vectors.npz}}\n"
        "  age: {kind: numeric}\n"
        "  zip: {kind: flat}\n"
        "  ill: {kind: nominal, taxonomy: b/t.csv, role: sensitive}\n"
        "method:\n  name: generalization\n  hierarchies:\n"
        "    age: {kind: levels, path: a/levels.csv}\n"
        "    zip: {kind: levels, path: b/levels.csv}\n"
        "require:\n  - {name: k_anonymity, k: 2}\n"
        "  - {name: severity_diversity, l: 1, severity: severity.yaml}\n"
    )
    pl.DataFrame(
        {
            "pet": ["hound", "dog", "cat", "cat"],
            "age": [1, 2, 3, 4],
            "zip": ["x", "y", "x", "y"],
            "ill": ["flu", "gout", "flu", "gout"],
        }
    ).write_csv("stays.csv")
    return om.Policy.load("policy.yaml")


PARTS = {
    "policy": "policy.yaml",
    "taxonomy of pet": "a/t.csv",
    "mapping of pet": "a/map.csv",
    "vectors of pet": "a/vectors.npz",
    "taxonomy of ill": "b/t.csv",
    "levels of age": "a/levels.csv",
    "levels of zip": "b/levels.csv",
    "severity": "severity.yaml",
    "taxonomy of ill in severity": "b/t.csv",
}


def test_two_files_of_one_name_both_keep_their_hashes(tmp_path: Path) -> None:
    policy = write_inputs()
    assert {part: path.relative_to(tmp_path).as_posix() for part, path in policy.named_files().items()} == PARTS
    om.anonymize("stays.csv", policy).save("out")
    said = json.loads(Path("out/confidential/manifest.json").read_text())
    assert said["named_files"] == {
        part: {"file": Path(name).name, "sha256": hashlib.sha256(Path(name).read_bytes()).hexdigest()}
        for part, name in PARTS.items()
    }
    assert set(said["taxonomies"]) == {"pet", "ill"}, "the sensitive column decides what is diverse"
    assert said["taxonomies"]["ill"]["fingerprint"] == om.read_taxonomy("b/t.csv").fingerprint
    # The saved policy finds the files from where it is.
    again = om.Policy.load("out/confidential/policy.yaml")
    assert again.named_files()["vectors of pet"].samefile("a/vectors.npz")


@pytest.mark.parametrize("part", sorted(PARTS))
def test_no_file_that_a_run_came_from_is_replaced(part: str) -> None:
    policy = write_inputs()
    result = om.anonymize("stays.csv", policy)
    result.save("out")
    os.unlink("out/confidential/notes.txt")
    os.link(PARTS[part], "out/confidential/notes.txt")  # the same file, by another name
    before = snapshot(Path())
    with pytest.raises(
        errors.OutputError, match=r"notes\.txt: this is a file that the data, the policy or the key came from"
    ):
        result.save("out", overwrite=True)
    with pytest.raises(errors.OutputError, match="the data, the policy or the key came from"):
        result.write(PARTS[part], overwrite=True, format="csv")
    assert snapshot(Path()) == before


def test_the_policy_inside_a_result_is_not_replaced_by_its_own_run() -> None:
    from typer.testing import CliRunner

    ages().save("out")
    before = snapshot(Path("out"))
    result = om.anonymize("ages.csv", "out/confidential/policy.yaml")
    with pytest.raises(
        errors.OutputError, match=r"policy\.yaml: this is a file that the data, the policy or the key came from"
    ):
        result.save("out", overwrite=True)
    from ontomask.cli import app

    arguments = ["run", "out/confidential/policy.yaml", "ages.csv", "-o", "out", "--force"]
    done = CliRunner().invoke(app, arguments)
    assert isinstance(done.exception, errors.OutputError), "before any work is done"
    assert snapshot(Path("out")) == before


# ---- what a run read ---------------------------------------------------------------------------------------------


def test_the_input_is_hashed_as_it_was_read() -> None:
    digest = hashlib.sha256(Path("ages.csv").read_bytes()).hexdigest()
    result = ages()
    Path("ages.csv").write_text("age\n1\n")
    with pytest.warns(errors.OntomaskWarning, match="changed on disk after the run read them: data"):
        result.save("out")
    said = json.loads(Path("out/confidential/manifest.json").read_text())
    assert said["input"]["sha256"] == digest
    assert said["changed_since_read"] == ["data"]
    assert "changed on disk" in Path("out/confidential/notes.txt").read_text()


def test_a_named_file_that_changes_is_said() -> None:
    policy = write_inputs()
    result = om.anonymize("stays.csv", policy)
    used = om.read_taxonomy("a/t.csv").fingerprint
    om.write_taxonomy(
        om.Taxonomy.from_edges([("dog", "pet"), ("cat", "pet"), ("bird", "pet")]), "a/t.csv", overwrite=True
    )
    with pytest.warns(errors.OntomaskWarning, match="taxonomy of pet"):
        result.save("out")
    said = json.loads(Path("out/confidential/manifest.json").read_text())
    assert said["changed_since_read"] == ["taxonomy of pet"]
    assert said["taxonomies"]["pet"]["fingerprint"] == used


def test_a_file_that_changes_while_it_is_read_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    begin = InputFile.about_to_be_read

    def slowly(path: Path) -> InputFile:
        read = begin(path)
        with path.open("a") as stream:
            stream.write("99\n")
        return read

    monkeypatch.setattr(InputFile, "about_to_be_read", staticmethod(slowly))
    with pytest.raises(errors.DataError, match=r"ages\.csv: the file changed while it was read"):
        ages()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes are POSIX")
def test_a_pipe_is_not_hashed() -> None:
    os.mkfifo("pipe.csv")
    assert InputFile.about_to_be_read(Path("pipe.csv")).sha256 is None
    policy = om.Policy(attributes={"age": om.Numeric()}, method=om.Microaggregation(k=2))
    for odd in ("pipe.csv", "a\0b.csv", "gone.csv", "."):
        with pytest.raises(errors.OntomaskError):
            om.anonymize(odd, policy)


def test_folders_of_long_and_odd_names() -> None:
    name = "o[u]t " + "x" * 150
    ages().save(name)
    left = Path(f".{name[:100]}.deadbeef.part")
    (left / "release").mkdir(parents=True)
    with pytest.raises(errors.OutputError, match="left something behind"):
        ages().save(name)
    ages().save(name, overwrite=True)
    assert sorted(os.listdir()) == sorted(["ages.csv", name])
    shutil.rmtree(name)
