"""Every figure of the app has an explanation that is there offline, and every explanation is used."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import ontomask.app
from ontomask.app.pages.explanations import explanations
from ontomask.policy.policy import METHODS
from tests.contract.test_words import claims

PAGES = sorted((Path(ontomask.app.__file__).parent / "pages").glob("*.py"))
#: Where the name of the explanation is given, counted from 0.
PLACE = {"figure": 3, "why": 0, "_drawing": 3}


def named() -> Iterator[str]:
    """The names of explanations that pages ask for."""
    for page in PAGES:
        for node in ast.walk(ast.parse(page.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called in PLACE and len(node.args) > PLACE[called]:
                given = node.args[PLACE[called]]
                if isinstance(given, ast.Constant) and isinstance(given.value, str):
                    yield given.value


def test_every_figure_has_an_explanation() -> None:
    asked = set(named())
    assert len(asked) >= 12
    assert asked <= set(explanations())


def test_no_explanation_is_left_over() -> None:
    texts = {name for name in explanations() if not name.startswith("method_")}
    assert texts == set(named())


def test_every_method_says_what_it_does() -> None:
    assert {f"method_{name}" for name in METHODS} == {name for name in explanations() if name.startswith("method_")}


def test_explanations_are_short_paragraphs_on_records() -> None:
    for name, text in explanations().items():
        assert 25 <= len(text) <= 600, name
        assert text.endswith("."), name
        assert not claims(text), name
