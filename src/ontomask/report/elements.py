"""Elements of report sections: figures, and charts with their tables."""

from __future__ import annotations

import re
from math import isfinite, isnan
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ontomask.assessment.outcome import Assessment
    from ontomask.wording import Counts

#: Bars of a chart at most.
MOST_BARS = 30


def number(value: float | None) -> str:
    """A figure for the eye."""
    if value is None or isnan(value):
        return "–"
    return (
        f"{value:,.3g}" if isfinite(value) and abs(value) < 1e6 else f"{value:.3g}" if isfinite(value) else "unbounded"
    )


#: Limits of the ranges in which changes are published: so coarse that they say nothing of single records.
RANGES = (0.01, 0.05, 0.2, 0.5)


def band(change: float | None) -> str:
    """A relative change as a range: 'under 1%', '5% to 20%'."""
    return _range(change, [f"{limit:.0%}" for limit in RANGES])


def change_of_correlation(change: float) -> str:
    """The difference of two numbers between 0 and 1 as a range: 'under 0.01', '0.05 to 0.2'."""
    return _range(change, [f"{limit:g}" for limit in RANGES])


def _range(change: float | None, limits: list[str]) -> str:
    if change is None or isnan(change):
        return "–"
    place = sum(change >= limit for limit in RANGES)
    if place == 0:
        return f"under {limits[0]}"
    return f"{limits[-1]} or more" if place == len(RANGES) else f"{limits[place - 1]} to {limits[place]}"


def near_original(assessment: Assessment, counts: Counts) -> bool:
    """Is the original the release and a few records more? Then figures of the original, beside the release, count them."""
    loss = assessment.loss
    return 0 < loss.removed < counts.base and not any(loss.changed_released.values())


def figure(
    question: str, description: str, kind: str, rows: Any, head: list[str], table: list[list[Any]], **options: Any
) -> dict[str, Any]:
    """A chart to be drawn and the table of the same figures."""
    chart = {"kind": kind, "rows": rows, "options": options}
    return {"question": question, "description": description, "note": description, "chart": chart} | {
        "head": head,
        "table": table,
    }


def by_column(
    question: str, description: str, bars: list[tuple[str, float, str]], head: str, **options: Any
) -> dict[str, Any]:
    """A bar for each column, and the table of the same figures; ``bars``: name, height and figure in words."""
    if len(bars) > MOST_BARS:
        description += f" The first {MOST_BARS} of {len(bars):,} columns are drawn."
    bars = bars[:MOST_BARS]
    rows = [{"name": name, "value": height} for name, height, _ in bars]
    table = [[name, text] for name, _, text in bars]
    return figure(question, description, "single_bars", rows, ["Column", head], table, **options)


_UNWRITABLE = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def writable(text: str) -> str:
    """Text without the characters that no XML may hold: the program that draws would stop at them, and all with it."""
    return _UNWRITABLE.sub("\N{REPLACEMENT CHARACTER}", text)
