"""The tutorial as a reader follows it: its commands, its edits and what it says they print, in an empty folder."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import polars as pl
import pytest

from tests.cli.following import Reader, says

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "tutorial.md"


def steps(page: Path = PAGE) -> list[tuple[str, str]]:
    """The blocks to be followed, in order: (console or diff, text)."""
    return re.findall(r"^```(console|diff)\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S)


def sections() -> list[str]:
    """The sections of the report that step 6 tells of."""
    table = PAGE.read_text(encoding="utf-8").split("## 6.")[1].split("## 7.")[0]
    return re.findall(r"^\| \*([^|]+)\* \|", table, re.M)


def test_the_tutorial_names_the_sections_of_the_report() -> None:
    assert len(sections()) >= 9


def edit(folder: Path, block: str) -> None:
    """Do what a diff says, where its old lines stand; the last of them may be the beginning of a line."""
    first, _, *lines = block.splitlines()
    old = "\n".join(line[1:] for line in lines if line[0] in " -")
    new = "\n".join(line[1:] for line in lines if line[0] in " +")
    file = folder / first.removeprefix("--- ")
    text = file.read_text(encoding="utf-8")
    assert old in text, f"{file.name} has no\n{old}"
    file.write_text(text.replace(old, new, 1), encoding="utf-8")


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("awk") is None, reason="awk is not here")
def test_the_tutorial_does_what_it_says(tmp_path: Path) -> None:
    reader = Reader(tmp_path)
    here, done = reader.here, 0
    for kind, block in steps():
        if kind == "diff":
            edit(here, block)
        else:
            done += reader.follow(block)
    assert done >= 8
    assert sorted(os.listdir(here / "result" / "release")) == ["guarantees.txt", "release.csv", "report.html"]
    assert (here / "map.svg").exists()
    report = (here / "result" / "confidential" / "report.html").read_text(encoding="utf-8")
    for title in sections():
        assert f". {title}</h2>" in report, f"the report has no section {title}"


@pytest.mark.parametrize("shown", ["a b\n", "a ...\n", "...\nd\n", "a\n...\nd\n", "a b c e\n", "a b\n...\ne\n"])
def test_what_is_shown_is_held_against_what_is_printed(shown: str) -> None:
    assert says("a b c\nd\n", shown) == (shown in ("a ...\n", "...\nd\n", "a\n...\nd\n"))


@pytest.mark.slow
def test_the_tutorial_of_the_hospital_does_what_it_says(tmp_path: Path) -> None:
    reader = Reader(tmp_path)
    done = 0
    for kind, block in steps(ROOT / "docs" / "tutorial-hospital.md"):
        if kind == "diff":
            edit(reader.here, block)
        else:
            done += reader.follow(block)
    assert done >= 10
    released = reader.here / "result" / "release"
    assert sorted(os.listdir(released)) == ["guarantees.txt", "release.csv", "report.html"]
    key = (reader.here / "result" / "confidential" / "key.txt").read_text(encoding="utf-8").split()[-1]
    assert len(key) >= 40
    assert not any(key in file.read_text(encoding="utf-8") for file in released.iterdir())
    assert_intervals(reader.here)


def assert_intervals(here: Path) -> None:
    """Days between dates that are shifted are exact, and those from the masked birth are not."""
    original = pl.read_csv(here / "stays.csv", try_parse_dates=True)
    released = pl.read_csv(here / "result" / "release" / "release.csv", try_parse_dates=True)
    rows = pl.read_csv(here / "result" / "confidential" / "records.csv")["row of the original"] - 1
    original = original[rows.to_list()]
    stay, age = pl.col("discharged") - pl.col("admitted"), pl.col("admitted") - pl.col("birth_date")
    assert released.select(stay).equals(original.select(stay))
    assert not released.select(age).equals(original.select(age))
    assert released.filter(pl.col("admitted") < pl.col("birth_date")).height > 0
