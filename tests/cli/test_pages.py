"""Pages that show what commands print: the commands are run, in order, and print it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

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
