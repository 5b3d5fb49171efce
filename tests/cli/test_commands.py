"""The commands that take a table from a policy to a release, as they are run: real processes, good and bad input."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import ontomask as om
from ontomask.cli import COMMANDS, main

COMMAND = [sys.executable, "-m", "ontomask"]


def run(*arguments: str | Path, code: int = 0, cwd: Path | None = None) -> tuple[str, str]:
    done = subprocess.run(
        [*COMMAND, *map(str, arguments)], capture_output=True, encoding="utf-8", check=False, timeout=300, cwd=cwd
    )
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout, done.stderr


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """The command in this process, for what ends before any work: a process of its own takes a second to start."""

    def call(*arguments: str, code: int = 0, cwd: Path | None = None) -> tuple[str, str]:
        handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
        monkeypatch.setattr(sys, "argv", ["ontomask", *arguments])
        if cwd is not None:
            monkeypatch.chdir(cwd)
        with pytest.raises(SystemExit) as ended:
            main()
        for number, handler in handlers.items():
            signal.signal(number, handler)
        printed = capsys.readouterr()
        assert (ended.value.code or 0) == code, printed.err
        return printed.out, printed.err

    return call


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data, policies, and a result of ``run``."""
    folder = tmp_path_factory.mktemp("place")
    om.demo_data(300).write_csv(folder / "stays.csv")
    policy = om.demo_policy(om.Microaggregation(k=3), require=[om.KAnonymity(k=3)])
    policy.changed(row_order="shuffled").save(folder / "policy.yaml")
    om.demo_policy(om.RankSwapping(k=3), require=[om.KAnonymity(k=3)]).save(folder / "swapped.yaml")
    out, _ = run("run", "policy.yaml", "stays.csv", "-o", "result", cwd=folder)
    (folder / "printed.txt").write_text(out, encoding="utf-8")
    return folder


# ---- run -------------------------------------------------------------------------------------------------------------


def test_run_writes_everything_and_says_so(place: Path) -> None:
    printed = (place / "printed.txt").read_text(encoding="utf-8")
    assert "300 of 300 records released." in printed
    assert "Verified on the release itself: 3-anonymity" in printed
    assert "links" in printed
    assert "confidential/  shows the original of each released record" in printed
    assert sorted(os.listdir(place / "result" / "release")) == ["guarantees.txt", "release.csv", "report.html"]
    assert sorted(os.listdir(place / "result" / "confidential")) == [
        "READ ME FIRST.txt", "assessment.json", "groups.csv", "manifest.json", "mapping.csv", "notes.txt", "policy.yaml",
        "records.csv", "report.html", "secret.txt",
    ]  # fmt: skip
    assert len(om.read_table(place / "result" / "release" / "release.csv").data) == 300


def test_two_runs_with_one_secret_give_identical_files(place: Path) -> None:
    secret = "result/confidential/secret.txt"
    run("run", "policy.yaml", "stays.csv", "-o", "again", "--quiet", "--secret", secret, cwd=place)
    first, again = place / "result", place / "again"
    names = sorted(path.relative_to(first) for path in first.rglob("*") if path.is_file())
    assert names == sorted(path.relative_to(again) for path in again.rglob("*") if path.is_file())
    for name in names:
        assert (first / name).read_bytes() == (again / name).read_bytes(), name


def test_run_refuses_what_is_there(place: Path) -> None:
    before = (place / "result" / "release" / "release.csv").stat().st_mtime_ns
    out, err = run("run", "policy.yaml", "stays.csv", "-o", "result", cwd=place, code=2)
    assert out == ""
    assert err == "ontomask: result: the folder holds a result. Choose another, or --force.\n"
    assert (place / "result" / "release" / "release.csv").stat().st_mtime_ns == before
    (place / "thesis").mkdir(exist_ok=True)
    (place / "thesis" / "chapter1.txt").write_text("mine")
    _, err = run("run", "policy.yaml", "stays.csv", "-o", "thesis", "--force", cwd=place, code=2)
    assert "contains other files: chapter1.txt" in err


def test_a_release_that_fails_is_refused(place: Path) -> None:
    out, err = run("run", "swapped.yaml", "stays.csv", "-o", "swapped", "--no-report", cwd=place, code=1)
    assert out == ""
    assert err.startswith("ontomask: the release is refused: 3-anonymity")
    assert "--allow-unsatisfied" in err
    assert not (place / "swapped").exists()
    out, err = run(
        "run", "swapped.yaml", "stays.csv", "-o", "swapped", "--no-report", "--allow-unsatisfied", "--json", cwd=place
    )
    said = json.loads(out)
    assert said["satisfied"] is False
    assert "release/release-NOT-SATISFIED.csv" in said["files"]
    assert "NOT SATISFIED" in err


def test_another_seed_and_format(place: Path) -> None:
    out, err = run(
        "run", "policy.yaml", "stays.csv", "-o", "other", "--seed", "7", "--format", "parquet", "--no-report", "--json",
        cwd=place,
    )  # fmt: skip
    said = json.loads(out)
    assert said["explicit_seed"] is True
    assert err.startswith("Made with an explicit seed: whoever knows or guesses it")
    assert any(
        one["kind"] == "warning" and one["text"].startswith("Made with an explicit seed") for one in said["guarantees"]
    )
    released = pl.read_parquet(place / "other" / "release" / "release.parquet")
    first = om.read_table(place / "result" / "release" / "release.csv").data
    assert released["age"].to_list() != first["age"].to_list()  # in another order
    assert sorted(released["age"].to_list()) == sorted(first["age"].to_list())


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["run", "nowhere.yaml", "stays.csv", "-o", "x"], "nowhere.yaml: there is no such policy file"),
        (["run", "policy.yaml", "nowhere.csv", "-o", "x"], "nowhere.csv"),
        (["run", "policy.yaml", "stays.csv", "-o", "no/such/place"], "its folder does not exist"),
        (["run", "policy.yaml", "stays.csv", "-o", "x", "--format", "docx"], "docx"),
        (["run", "policy.yaml", "stays.csv", "-o", "stays.csv"], "this is a file"),
        (["run", "policy.yaml", "stays.csv"], "Missing option"),
        (["check", "policy.yaml", "policy.yaml"], "policy.yaml"),
        (["verify", "policy.yaml", "nowhere.csv"], "nowhere.csv"),
        (["assess", "policy.yaml", "stays.csv", "nowhere.csv"], "nowhere.csv"),
        (["compare", "policy.yaml", "stays.csv", "--k", "x"], "--k 'x'"),
        (["compare", "policy.yaml", "stays.csv", "--method", "psychic"], "psychic"),
        (["compare", "policy.yaml", "stays.csv", "--alpha", "2"], "alpha=2"),
        (["frobnicate"], "No such command"),
    ],
)
def test_what_is_wrong_is_one_message(place: Path, here: Any, arguments: list[str], expected: str) -> None:
    out, err = here(*arguments, cwd=place, code=2)
    assert out == ""
    assert expected in err
    assert not (place / "x").exists()


def test_a_kill_in_the_middle_leaves_no_partial_output(place: Path, tmp_path: Path) -> None:
    """Killed at many moments: the result is there, whole, or it is not there at all."""
    om.demo_data(3000).write_csv(tmp_path / "stays.csv")
    seen = set()
    for moment in (1.5, 2.5, 3.5):
        process = subprocess.Popen(
            [*COMMAND, "run", str(place / "policy.yaml"), "stays.csv", "-o", "out", "--force", "--quiet"],
            cwd=tmp_path,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(moment)
        process.send_signal(signal.SIGKILL)
        killed = process.wait() == -signal.SIGKILL
        seen.add(killed)
        if killed:
            assert not (tmp_path / "out").exists() or (tmp_path / "out" / "confidential" / "manifest.json").exists()
    assert True in seen
    run("run", place / "policy.yaml", "stays.csv", "-o", "out", "--force", "--quiet", cwd=tmp_path)
    assert sorted(os.listdir(tmp_path)) == ["out", "stays.csv"]  # what the kills left is gone


def test_an_interrupt_cleans_up(place: Path, tmp_path: Path) -> None:
    om.demo_data(20_000).write_csv(tmp_path / "stays.csv")
    process = subprocess.Popen(
        [*COMMAND, "run", str(place / "policy.yaml"), "stays.csv", "-o", "out"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    time.sleep(3.0)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted. Nothing was written." in err
    assert "Traceback" not in err
    assert os.listdir(tmp_path) == ["stays.csv"]


# ---- check, verify, assess, compare ----------------------------------------------------------------------------------


def test_check(place: Path) -> None:
    out, err = run("check", "policy.yaml", "stays.csv", cwd=place)
    assert err == ""
    assert "diagnosis            quasi      nominal  icd9cm " in out
    assert "records are unique on age, sex, race, length_of_stay, diagnosis and procedure." in out
    assert "FAILS: 3-anonymity" in out
    assert "The policy fits the data." in out
    said = json.loads(run("check", "policy.yaml", "stays.csv", "--json", cwd=place)[0])
    assert said["records"] == 300
    assert said["risk"]["unique records"] > 200


def test_check_tells_what_does_not_fit(place: Path) -> None:
    frame = om.read_table(place / "stays.csv").data
    frame.rename({"age": "Age"}).write_csv(place / "renamed.csv")
    _, err = run("check", "policy.yaml", "renamed.csv", cwd=place, code=2)
    assert "'age'" in err
    assert "Age" in err


def test_verify(place: Path) -> None:
    release = "result/release/release.csv"
    out, _ = run("verify", "result/confidential/policy.yaml", release, "--original", "stays.csv", cwd=place)
    assert out.startswith("holds: 3-anonymity")
    assert out.splitlines()[-1] == "Verdict: holds"
    out, _ = run("verify", "policy.yaml", "stays.csv", "--json", cwd=place, code=1)
    said = json.loads(out)
    assert said["holds"] is False
    assert said["verdict"] == "fails"
    assert said["findings"][0]["failing_records"] > 200
    assert len(said["findings"][0]["worst_violations"]) == 20 < said["findings"][0]["violations"]
    text = (place / "policy.yaml").read_text(encoding="utf-8").replace("k_anonymity", "probabilistic_k_anonymity")
    (place / "unseen.yaml").write_text(text.replace("microaggregation", "rank_swapping"), encoding="utf-8")
    out, _ = run("verify", "unseen.yaml", "stays.csv", cwd=place, code=3)
    assert "NOT CHECKED" in out
    assert out.splitlines()[-1] == "Verdict: not everything could be checked"


def test_verify_the_folder_of_a_result(place: Path, tmp_path: Path, here: Any) -> None:
    shutil.copytree(place / "result", tmp_path / "result")
    out, _ = here("verify", "result", cwd=tmp_path)
    assert out.startswith("holds: 13 files, each as it was saved\n")
    assert "note: verified: release/release.csv against confidential/policy.yaml" in out
    assert out.splitlines()[-1] == "Verdict: holds"
    names = pl.read_csv(tmp_path / "result" / "release" / "release.csv", infer_schema=False)
    names.with_columns(patient=pl.int_range(len(names))).write_csv(tmp_path / "named.csv")
    out, _ = here("verify", "result/confidential/policy.yaml", "named.csv", code=1)
    assert "FAILS: columns that the policy does not list: 'patient'" in out
    (tmp_path / "result" / "release" / "guarantees.txt").write_text("all is well")
    out, _ = here("verify", "result", "--json", code=1)
    said = json.loads(out)
    assert said["verdict"] == "fails"
    assert said["findings"][0]["text"].endswith("changed: release/guarantees.txt")
    shutil.rmtree(tmp_path / "result" / "confidential")
    out, _ = here("verify", "result", code=3)
    assert out.count("NOT CHECKED") == 2
    out, _ = here("verify", str(place / "policy.yaml"), "result", code=3)
    assert "holds: 3-anonymity" in out
    _, err = here("verify", "named.csv", code=2)
    assert "nothing to verify" in err
    _, err = here("verify", "nowhere", code=2)
    assert err == "ontomask: nowhere: no such file or folder. Check the path.\n"
    _, err = here("check", "named.csv", "result/confidential/policy.yaml", code=2)
    assert "this is a table, not a policy. The policy comes first, then the data" in err


def test_assess(place: Path) -> None:
    release, records = "result/release/release.csv", "result/confidential/records.csv"
    out, _ = run("assess", "policy.yaml", "stays.csv", release, "--records", records, "--json", cwd=place)
    kept = json.loads((place / "result" / "confidential" / "assessment.json").read_text(encoding="utf-8"))
    assert json.loads(out)["readings"] == kept["readings"]
    same = ["stays.csv", "stays.csv", "--aligned", "--severity", "demo.yaml"]
    out, _ = run("assess", "policy.yaml", *same, cwd=place, code=2)
    om.Severity.example("demo").save(place / "demo.yaml", overwrite=True)
    out, _ = run("assess", "policy.yaml", *same, cwd=place)
    assert "No value changed: nothing was lost, and nothing was masked." in out
    assert "Weighted by severity" in out


def test_assess_finds_the_list_of_records_of_a_result(place: Path, here: Any) -> None:
    """Once a shuffled release without --records was judged row by row: 'fewer than 1 in 10,000' linked."""
    kept = json.loads((place / "result" / "confidential" / "assessment.json").read_text(encoding="utf-8"))
    for arguments in (
        ["policy.yaml", "stays.csv", "result/release/release.csv"],
        ["policy.yaml", "stays.csv", "result"],
    ):
        out, err = here("assess", *arguments, cwd=place)
        assert out.splitlines()[: len(kept["readings"])] == kept["readings"]
        assert (
            err == "note: rows are matched by result/confidential/records.csv, the list of records of the same result\n"
        )
    out, _ = here("assess", "result", "stays.csv", "--json", cwd=place)
    assert json.loads(out)["readings"] == kept["readings"]
    assert len(json.loads(out)["notes"]) == 1


def test_assess_refuses_rows_that_do_not_belong_together(place: Path, here: Any) -> None:
    release = (place / "result" / "release" / "release.csv").read_bytes()
    (place / "copy.csv").write_bytes(release)
    out, err = here("assess", "policy.yaml", "stays.csv", "copy.csv", cwd=place, code=2)
    assert out == ""
    assert "row_order: shuffled" in err
    assert "--records confidential/records.csv" in err
    assert "--aligned" in err
    pl.DataFrame({"row of the original": list(range(1, 301))}).write_csv(place / "wrong.csv")
    out, err = here("assess", "policy.yaml", "stays.csv", "copy.csv", "--records", "wrong.csv", cwd=place, code=2)
    assert out == ""
    assert "the list of records does not fit these data" in err
    (place / "short.csv").write_bytes(b"\n".join(release.split(b"\n")[:100]) + b"\n")
    out, err = here("assess", "swapped.yaml", "stays.csv", "short.csv", cwd=place, code=2)
    assert out == ""
    assert "300 records and the masked data have 99" in err
    for arguments, expected in [
        (["policy.yaml", "stays.csv"], "no masked table is given"),
        (["result/release", "stays.csv"], "this folder is not a result"),
        (["policy.yaml", "stays.csv", "result/confidential"], "expected one released table"),
    ]:
        out, err = here("assess", *arguments, cwd=place, code=2)
        assert out == ""
        assert expected in err


def test_quiet_prints_nothing_but_errors(place: Path, here: Any) -> None:
    """Once ``assess --quiet`` printed the readings."""
    release = "result/release/release.csv"
    for arguments, code in [
        (["init", "stays.csv", "-o", "quiet.yaml", "--force"], 0),
        (["check", "policy.yaml", "stays.csv"], 0),
        (["run", "policy.yaml", "stays.csv", "-o", "quiet", "--force", "--no-report"], 0),
        (["verify", "policy.yaml", release], 0),
        (["verify", "policy.yaml", "stays.csv"], 1),
        (["assess", "policy.yaml", "stays.csv", release], 0),
        (["compare", "policy.yaml", "stays.csv", "--method", "recoding", "--k", "3"], 0),
        (["compare", "swapped.yaml", "stays.csv"], 1),
    ]:
        assert here(*arguments, "--quiet", cwd=place, code=code) == ("", ""), arguments
        if arguments[0] != "init":
            out, err = here(*arguments, "--quiet", "--json", cwd=place, code=2)
            assert (out, err) == ("", "ontomask: --quiet prints nothing. Leave it out to see --json.\n")


def test_compare(place: Path) -> None:
    arguments: list[Any] = [
        "compare",
        "policy.yaml",
        "stays.csv",
        "--method",
        "recoding",
        "--k",
        "2-3",
        "--memory",
        "runs",
    ]
    out, _ = run(*arguments, "--with", "swapped.yaml", "--map", "map.svg", cwd=place)
    assert "Recommended: " in out
    assert "recoding, k=2" in out
    assert "Refused, because a requirement is not satisfied: " in out
    assert "swapped" in out
    assert (place / "map.svg").read_text(encoding="utf-8").startswith("<svg")
    said = json.loads(run(*arguments, "--json", cwd=place)[0])
    assert [row["name"] for row in said["runs"]] == ["recoding, k=2", "recoding, k=3"]
    assert len(list((place / "runs").iterdir())) >= 2
    run("compare", "swapped.yaml", "stays.csv", "--k", "2", cwd=place, code=1)


def test_compare_writes_no_chart_of_nothing(place: Path, here: Any) -> None:
    """Once it ended in a traceback where all candidates were refused."""
    arguments = ["compare", "policy.yaml", "stays.csv", "--method", "recoding", "--k", "2", "--map", "none.svg"]
    out, _ = here(*arguments, "--curve", "none-either.svg", cwd=place, code=1)
    assert "Nothing can be recommended" in out
    assert "No chart is written" in out
    assert not list(place.glob("none*"))


@pytest.mark.parametrize(
    ("charts", "said"),
    [
        (["--map", "one.svg", "--curve", "./one.svg"], "both charts are to be written to one file"),
        (["--map", "nowhere/one.svg"], "its folder does not exist"),
        (["--curve", "one.png"], "written as SVG"),
    ],
)
def test_charts_that_cannot_be_written_are_told_before_anything_is_masked(
    place: Path, here: Any, monkeypatch: pytest.MonkeyPatch, charts: list[str], said: str
) -> None:
    monkeypatch.setattr("ontomask.comparison.compare.compare", None)
    _, err = here("compare", "policy.yaml", "stays.csv", *charts, cwd=place, code=2)
    assert said in err
    assert not list(place.glob("one*"))


def test_compare_without_options_varies_the_policy(place: Path, here: Any) -> None:
    """Once it compared the policy at k=5 with nothing, whatever it requires."""
    said = json.loads(here("compare", "policy.yaml", "stays.csv", "--json", cwd=place)[0])
    assert [row["name"] for row in said["runs"]] == [f"microaggregation, k={k}" for k in (3, 5, 6, 9)]
    assert all(row["satisfied"] for row in said["runs"])


def test_what_the_policy_requires_is_required_of_the_others(place: Path, here: Any) -> None:
    """Once another policy satisfied less than the first requires, and was recommended."""
    om.demo_policy(om.Recoding(k=2)).save(place / "weak.yaml", overwrite=True)
    out, _ = here("compare", "policy.yaml", "stays.csv", "--with", "weak.yaml", cwd=place)
    assert "Recommended: policy." in out
    assert (
        "Refused, because a requirement is not satisfied: weak (it promises k=2, and 3-anonymity is required)." in out
    )
    out, _ = here("compare", "policy.yaml", "stays.csv", "--method", "recoding", "--k", "2", cwd=place, code=1)
    assert "Nothing can be recommended" in out
    assert "refused" in out


# ---- the rest ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_examples_in_its_help_and_a_section_on_the_page(command: str, here: Any) -> None:
    out, _ = here("--help")
    assert f"  {command} " in out
    told, _ = here(command, "--help")
    assert "Examples:" in told
    assert f"ontomask {command}" in told
    assert "Exit codes: 0 " in told
    page = (Path(__file__).parents[2] / "docs" / "command-line.md").read_text(encoding="utf-8")
    assert f"\n| [`{command}`](#{command}) |" in page
    assert f"\n$ ontomask {command}" in page.split(f"\n## {command}\n")[1].split("\n## ")[0]


def test_shell_completion() -> None:
    done = subprocess.run(
        COMMAND,
        env={**os.environ, "_ONTOMASK_COMPLETE": "complete_bash", "COMP_WORDS": "ontomask ver", "COMP_CWORD": "1"},
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=60,
    )
    assert done.stdout.split() == ["verify"]


def test_a_newcomers_path(tmp_path: Path) -> None:
    """An empty folder: init, edit one line, run, look at the report."""
    frame = om.demo_data(400).with_columns(pl.Series("patient_id", range(100_000, 100_400)))
    frame.write_csv(tmp_path / "data.csv")
    out, _ = run("init", "data.csv", cwd=tmp_path)
    assert "policy.yaml" in out
    policy = tmp_path / "policy.yaml"
    text = policy.read_text(encoding="utf-8")
    assert "k: 5" in text
    policy.write_text(text.replace("k: 5", "k: 4"), encoding="utf-8")
    run("run", "policy.yaml", "data.csv", "-o", "result", cwd=tmp_path)
    released = om.read_table(tmp_path / "result" / "release" / "release.csv").data
    assert "patient_id" not in released.columns
    assert om.verify(released, om.Policy.load(policy)).holds
    report = (tmp_path / "result" / "release" / "report.html").read_text(encoding="utf-8")
    assert report.lower().startswith("<!doctype html>")
    assert "<script" not in report


@pytest.mark.slow
def test_demo(tmp_path: Path) -> None:
    out, _ = run("demo", "demo", "--records", "300", cwd=tmp_path)
    assert "Recommended: " in out
    assert "three commands to try" in out
    commands = [line.strip() for line in out.splitlines() if line.startswith("  ontomask ")]
    assert len(commands) == 3
    run(*commands[0].split()[1:], cwd=tmp_path)
    assert commands[1].startswith("ontomask compare demo/")
    assert (tmp_path / "demo" / "map.svg").exists()
    (tmp_path / "demo" / "mine.txt").write_text("mine")
    _, err = run("demo", "demo", "--records", "60", cwd=tmp_path, code=2)
    assert "'mine.txt'" in err
    assert "give --force" in err


def test_the_command_is_a_module_too() -> None:
    done = subprocess.run([sys.executable, "-m", "ontomask", "--help"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Usage: " in done.stdout
