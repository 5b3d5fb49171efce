"""Charts and tiles of the report: nothing touches, classes stand in order, no tile is alone in a row."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

import ontomask as om
from ontomask.report import charts
from ontomask.report.counts import distribution, studied
from ontomask.report.page import render, tile_columns


@pytest.mark.parametrize(("tiles", "columns"), [(3, 3), (4, 4), (5, 5), (6, 3), (7, 4), (8, 4)])
def test_rows_of_tiles_are_even(tiles: int, columns: int) -> None:
    assert tile_columns(tiles) == columns


def test_six_key_figures_stand_in_two_rows_of_three() -> None:
    frame = pl.DataFrame({"who": [f"p{i // 2}" for i in range(12)], "age": list(range(30, 42))})
    policy = om.Policy(
        attributes={"who": om.Identifier(), "age": om.Numeric()}, method=om.Microaggregation(k=2), person="who"
    )
    assert '<dl class="tiles" style="--columns: 3">' in render(om.anonymize(frame, policy, seed=1))


def shown(ages: list[int], *, texts: list[str]) -> list[str]:
    """The names of the bars after masking, where groups show these texts."""
    frame = pl.DataFrame({"age": ages})
    policy = om.Policy(attributes={"age": om.Numeric()}, method=om.Microaggregation(k=1))
    column = next(studied(om.anonymize(frame, policy, seed=1)))
    column = replace(column, shown=pl.Series("age", texts), own=False, decoded=False)
    return [row["name"] for row in distribution(column)[-1]["rows"]]


def test_classes_stand_in_the_order_of_their_limits() -> None:
    texts = ["*", "40-59", "0+", "0-79", "60-69", "0-39"]
    assert shown([40, 45, 50, 55, 60, 65], texts=texts) == ["0-39", "0-79", "0+", "40-59", "60-69", "*"]


def test_ranges_of_an_order_have_limits() -> None:
    frame = pl.DataFrame({"pain": ["low", "mid", "high", "worst"] * 2})
    attribute = om.Ordinal(order=["low", "mid", "high", "worst"])
    result = om.anonymize(frame, om.Policy(attributes={"pain": attribute}, method=om.Microaggregation(k=2)), seed=1)
    line = next(studied(result)).column.line
    assert line is not None
    assert [line.limits_of(text) for text in ("mid", "low - high", "none")] == [(1.0, 1.0), (0.0, 2.0), None]


def test_numbers_of_panels_and_points_at_0_touch_nothing() -> None:
    bars = [{"low": 0, "high": 10, "when": when, "value": 100} for when in ("before", "after")]
    panels = charts.histograms(bars, "age").to_dict(validate=False)
    assert panels["encoding"]["row"]["spacing"] >= 16  # half a line of 12 pixels from each side, and air
    pairs = charts.dumbbells([{"name": "a - b", "before": 0.0, "after": 0.4}], "correlation").to_dict(validate=False)
    radius = (pairs["layer"][1]["mark"]["size"] / 3.14) ** 0.5
    assert pairs["layer"][0]["encoding"]["y"]["axis"]["labelPadding"] > radius + 4
