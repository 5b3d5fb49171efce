"""Which texts a hierarchy can show: what verification accepts beside the values of a column."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest

import ontomask as om
from ontomask.errors import OntomaskError
from ontomask.hierarchies.kinds import HIERARCHIES

ROOT = Path(__file__).parents[2]


def test_masked_texts_are_masked_at_their_side() -> None:
    right, left = om.MaskedText().shows(), om.MaskedText(side="left", character="x").shows()
    assert [right(text) for text in ("3718*", "*3718", "37185")] == [True, False, False]
    assert [left(text) for text in ("xx185", "185xx", "37185")] == [True, False, False]


def test_a_levels_file_shows_its_cells(tmp_path: Path) -> None:
    path = tmp_path / "levels.csv"
    path.write_text("a;first;all\nb;second;all\n", encoding="utf-8")
    shows = om.LevelsFile(str(path)).shows()
    assert [shows(text) for text in ("a", "second", "all", "third")] == [True, True, True, False]
    absent = om.LevelsFile(str(tmp_path / "absent.csv")).shows()  # it is read only where a text is asked for
    with pytest.raises(OntomaskError):
        absent("a")


def test_others_show_nothing_that_their_column_does_not_know() -> None:
    assert not om.TaxonomyLevels().shows()("anything")
    assert not om.Intervals().shows()("[0, 10)")


@pytest.mark.parametrize("text", ["37*", "3x"])
def test_verification_asks_the_hierarchy(text: str) -> None:
    policy = om.Policy(
        attributes={"zip": om.Numeric(role="quasi")},
        method=om.Generalization(hierarchies={"zip": om.MaskedText()}),
    )
    assert om.verify(pl.DataFrame({"zip": [text, text]}), policy).holds == (text == "37*")


def test_every_hierarchy_is_public_and_in_the_docs() -> None:
    page = (ROOT / "docs" / "methods" / "generalization.md").read_text(encoding="utf-8")
    for hierarchy in HIERARCHIES:
        assert getattr(om, hierarchy.__name__) is hierarchy
        assert re.search(rf"\b{hierarchy.model_fields['kind'].default}\b", page)
