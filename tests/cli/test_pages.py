"""Pages that show what commands print: the commands are run, in order, and print it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import polars as pl
import pytest

from tests.cli.following import Reader

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("sh") is None, reason="no shell is here")
@pytest.mark.parametrize(
    ("page", "least"),
    [("docs/command-line.md", 9), ("README.md", 4), ("docs/comparison.md", 3), ("docs/experiments.md", 3)],
)
def test_a_page_shows_what_is_printed(page: str, least: int, tmp_path: Path) -> None:
    """Once it was: a page showed ``-o out`` where the command prints ``-o result``."""
    blocks = re.findall(
        r"^```(?:console)?\n(\$ ontomask .*?)^```$", (ROOT / page).read_text(encoding="utf-8"), re.M | re.S
    )
    reader = Reader(tmp_path)
    assert sum(reader.follow(block) for block in blocks) >= least
    if page == "README.md":
        shows_the_group(reader.here / "result")
    if page == "docs/command-line.md":
        lists_every_file(reader.here / "result", (ROOT / page).read_text(encoding="utf-8"))


def shows_the_group(result: Path) -> None:
    """The group that the README tells of under Limits: two preterm infants and three others who stayed very long."""
    mapping = pl.read_csv(result / "confidential" / "mapping.csv", infer_schema=False)
    infants = mapping.filter(pl.col("diagnosis (masked)") == "765.1", pl.col("age (masked)") == "37")
    told = infants["records", "age", "diagnosis"].sort("age", "diagnosis").rows()
    assert told == [
        ("1", "0", "765.15"),
        ("1", "0", "765.19"),
        ("1", "56", "481"),
        ("1", "57", "306.50"),
        ("1", "73", "945.01"),
    ]


def lists_every_file(result: Path, page: str) -> None:
    """The page has a row for every file of a result."""
    table = page.split("Files of a result:")[1].split("\n## ", maxsplit=1)[0]
    files = [file.relative_to(result).as_posix() for file in result.rglob("*") if file.is_file()]
    assert len(files) >= 13
    assert [file for file in files if f"`{file}`" not in table] == []
