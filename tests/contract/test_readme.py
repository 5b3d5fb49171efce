"""What README.md shows of a run is what a run gives."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

from tools.make_images import METHODS, K, before_and_after

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_records_before_and_after_are_those_of_a_run() -> None:
    assert before_and_after() in README


def test_the_picture_is_of_the_ways_that_the_tool_compares() -> None:
    picture = ElementTree.parse(ROOT / "docs" / "images" / "risk-utility-map.svg").getroot()
    told = picture.findtext("{http://www.w3.org/2000/svg}desc")
    assert told is not None
    assert re.findall(r"(\w+, k=\d+):", told) == [f"{name}, k={k}" for name in METHODS for k in K]
    figures = dict(re.findall(r"(\w+, k=\d+): (loss [\d.]+%, risk [\d.]+%)", told))
    for way, spoken in {"microaggregation, k=3": (12, 24), "generalization, k=10": (71, 2)}.items():  # said in README
        loss, risk = map(float, re.findall(r"[\d.]+", figures[way]))
        assert (round(loss), round(risk)) == spoken
        assert f"(loss {spoken[0]}%, {spoken[1]}% linked)" in README
