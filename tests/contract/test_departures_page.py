"""docs/departures.md claims nothing without a test: every row names one that exists in the file it links to."""

from __future__ import annotations

import ast
import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "departures.md"
TESTS = re.compile(r"\[`(test_\w+)`\]\(([^)]+)\)")


def rows() -> list[str]:
    text = PAGE.read_text(encoding="utf-8")
    found = [line for line in text.splitlines() if line.startswith("| ") and not line.startswith("| where")]
    assert len(found) > 25
    return found


def test_every_row_names_its_test() -> None:
    for row in rows():
        assert len(re.split(r"(?<!\\)\|", row)) == 7, row
        assert TESTS.search(row), row


def test_every_test_that_is_named_exists() -> None:
    for name, link in TESTS.findall(PAGE.read_text(encoding="utf-8")):
        module = ast.parse((PAGE.parent / link).read_text(encoding="utf-8"))
        assert name in {node.name for node in module.body if isinstance(node, ast.FunctionDef)}, (name, link)


def test_every_test_of_departures_is_on_the_page() -> None:
    file = PAGE.parents[1] / "tests" / "golden" / "test_departures.py"
    module = ast.parse(file.read_text(encoding="utf-8"))
    there = {n.name for n in module.body if isinstance(n, ast.FunctionDef) and n.name.startswith("test_")}
    assert there <= {name for name, _ in TESTS.findall(PAGE.read_text(encoding="utf-8"))}
