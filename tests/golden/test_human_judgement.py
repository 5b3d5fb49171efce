"""Specification 11 / T12 3.2.4: correlation of the measures with human judgement, computed independently elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

import ontomask as om
from benchmarks import human_judgement

EXPECTED = {  # Rubenstein-Goodenough, Miller-Charles
    "logsc": (0.849, 0.809),
    "wu_palmer": (0.786, 0.741),
    "path": (0.737, 0.638),
    "leacock_chodorow (similarity)": (0.839, 0.779),
    "lin, Seco": (0.870, 0.849),
    "jiang_conrath, Seco": (0.867, 0.890),
    "lin, Sanchez": (0.859, 0.855),
    "jiang_conrath, Sanchez": (0.869, 0.881),
}


@pytest.fixture(scope="module")
def found(wordnet: om.Taxonomy, data: Path) -> list[dict[str, float]]:
    files = human_judgement.LISTS.values()
    return [human_judgement.correlations(wordnet, human_judgement.word_pairs(data / "similarity" / f)) for f in files]


@pytest.mark.parametrize("measure", EXPECTED)
def test_correlation(found: list[dict[str, float]], measure: str) -> None:
    assert [table[measure] for table in found] == pytest.approx(EXPECTED[measure], abs=0.005)


def test_the_page_in_the_docs_is_current(found: list[dict[str, float]]) -> None:
    page = human_judgement.page(dict(zip(human_judgement.LISTS, found, strict=True)))
    assert Path(__file__).parents[2].joinpath("docs", "human-judgement.md").read_text(encoding="utf-8") == page
