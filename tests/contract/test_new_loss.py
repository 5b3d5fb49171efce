"""A measure of loss is one declaration: the spread lost, declared here alone, shows up wherever losses are shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import ontomask as om
from ontomask.assessment.loss import HEADLINE, Loss, compared_losses, loss_measures
from ontomask.assessment.loss_measures import Compared, Distances, LossMeasure, Reported
from ontomask.cli import app
from ontomask.report.page import render
from ontomask.report.summary import summarize

DOCS = Path(__file__).parents[2] / "docs"
FRAME = pl.DataFrame({"age": [30, 32, 50, 54, 61, 68], "stay": [1, 9, 2, 8, 3, 7]})
POLICY = om.Policy(attributes={"age": om.Numeric(), "stay": om.Numeric()}, method=om.Microaggregation(k=3))


def spread_lost(distances: Distances) -> float:
    """The mean over columns of the share of the sum of squares around the mean that is lost, in percent."""
    shares = []
    for column, sums in zip(distances.pairing.original.columns, distances.columns.values(), strict=True):
        values = np.repeat(column.centre_of_code, column.counts)
        shares.append(100 * sums.squares / float(((values - values.mean()) ** 2).sum()))
    return sum(shares) / len(shares)


def plain_spread_lost(before: pl.DataFrame, after: pl.DataFrame) -> float:
    shares = []
    for name in before.columns:
        old, new = before[name].to_list(), after[name].to_list()
        mean = sum(old) / len(old)
        off = sum((x - y) ** 2 for x, y in zip(old, new, strict=True))
        shares.append(100 * off / sum((x - mean) ** 2 for x in old))
    return sum(shares) / len(shares)


@pytest.fixture
def measure(monkeypatch: pytest.MonkeyPatch) -> LossMeasure[float]:
    made = LossMeasure[float](
        title="spread lost",
        definition="mean over columns of SSE / SST",
        paper="a toy",
        of=spread_lost,
        unit="%",
        printed=True,
        compared=Compared("spread_lost", "spread lost %"),
        reported=Reported("Spread lost", "100%: no spread is left.", whole=100.0, public=False),
    )
    made.__set_name__(Loss, "spread_lost")
    monkeypatch.setattr(Loss, "spread_lost", made, raising=False)
    return made


def test_a_new_measure_is_shown_everywhere(measure: LossMeasure[float], tmp_path: Path) -> None:
    result = om.anonymize(FRAME, POLICY, seed=1)
    expected = plain_spread_lost(FRAME, result.data)
    loss: Any = result.loss()
    assert loss.spread_lost == pytest.approx(expected)
    assert f"spread lost {expected:.4g} %" in str(loss)
    assert "spread lost" in loss._repr_html_()
    row = result.assessment.figures.row(by_predicate=pl.col("figure") == "spread lost (%)", named=True)
    assert row["value"] == pytest.approx(expected)
    figures = json.loads(result.assessment.to_json())["figures"]
    assert any(row["figure"] == "spread lost (%)" and row["value"] == pytest.approx(expected) for row in figures)
    assert ["Spread lost", f"{expected:.1f}%", "100%: no spread is left."] in summarize(result)["loss"]["overall"]
    assert "Spread lost" in render(result)
    assert "Spread lost" not in render(result, "public")
    found = om.compare(FRAME, om.grid(POLICY, ["microaggregation"], k=[2, 3]), workers=1)
    assert found.table["spread_lost"].to_list()[1] == pytest.approx(expected)
    assert found.to_dict()["runs"][1]["spread_lost"] == pytest.approx(expected)
    assert "spread_lost" in str(found)
    FRAME.write_csv(tmp_path / "data.csv")
    POLICY.save(tmp_path / "policy.yaml")
    files = [str(tmp_path / name) for name in ("policy.yaml", "data.csv")]
    told = CliRunner().invoke(app, ["compare", *files, "--workers", "1"])
    assert "spread lost %" in told.output


def test_a_figure_that_is_not_rounded_is_not_public() -> None:
    """Numbers of the data would be handed out as they are; a share of a whole is rounded."""
    with pytest.raises(ValueError, match="Exact: shares alone are rounded in public: give whole, or public=False"):
        Reported("Exact", "A number.", whole=None)
    assert not Reported("Exact", "A number.", whole=None, public=False).public


def test_the_headline_is_called_as_it_is_declared(monkeypatch: pytest.MonkeyPatch) -> None:
    """The words for the measure that is quoted alone are in its declaration, and nowhere else."""
    monkeypatch.setattr(HEADLINE, "title", "toy loss T")
    monkeypatch.setattr(HEADLINE, "reported", Reported("Toy loss", "0%: a toy.", whole=100.0, explained="A toy."))
    result = om.anonymize(FRAME, POLICY, seed=1)
    found = om.compare(FRAME, om.grid(POLICY, ["microaggregation"], k=[2, 3]), workers=1)
    shown = repr(summarize(result))  # the page adds a heading: information loss is what all measures are of
    for text in (shown, str(found), found.map_svg(), str(result.assessment), "\n".join(found.recommendation)):
        assert "toy loss" in text.lower()
        assert "information loss" not in text.lower()
    assert summarize(result)["glossary"]["Toy loss"] == "A toy."


def test_declarations() -> None:
    measures = loss_measures()
    assert len({measure.figure_name for measure in measures}) == len(measures)
    assert len({compared.key for _, compared in compared_losses()}) == len(compared_losses())
    assert HEADLINE.compared is not None
    assert HEADLINE.compared.key == "loss"
    assert HEADLINE.unit == "%"
    assert HEADLINE.reported is not None
    assert HEADLINE.reported.public
    assert HEADLINE.reported.explained
    names = {measure.name for measure in measures}
    assert {measure.before for measure in measures} <= names | {None}
    page = (DOCS / "assessment.md").read_text(encoding="utf-8")
    assert [name for name in names if f"`{name}" not in page] == []
    page = (DOCS / "comparison.md").read_text(encoding="utf-8")
    assert [compared.key for _, compared in compared_losses() if f"`{compared.key}`" not in page] == []
