"""Explanations of the figures that the app shows: short paragraphs of the docs, there offline."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import yaml

_FILE = Path(__file__).parents[1] / "assets" / "explanations.yaml"


@cache
def explanations() -> dict[str, str]:
    """All explanations by their names."""
    read = yaml.safe_load(_FILE.read_text(encoding="utf-8"))
    return {name: " ".join(text.split()) for name, text in read.items()}


def explanation(name: str) -> str:
    """The paragraph of that name."""
    return explanations()[name]
