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


def band(change: float | None) -> str:
    """A change as a range, so coarse that it says nothing of single records."""
    if change is None or isnan(change):
        return "–"
    limits = ((0.01, "under 1%"), (0.05, "1 to 5%"), (0.2, "5 to 20%"), (0.5, "20 to 50%"))
    return next((text for limit, text in limits if change < limit), "over 50%")


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
    question: str, description: str, bars: list[tuple[str, float]], head: str, **options: Any
) -> dict[str, Any]:
    """A bar for each column, and the table of the same figures."""
    if len(bars) > MOST_BARS:
        description += f" The first {MOST_BARS} of {len(bars):,} columns are drawn."
    bars = bars[:MOST_BARS]
    rows = [{"name": name, "value": value} for name, value in bars]
    return figure(
        question, description, "single_bars", rows, ["Column", head], [[n, number(v)] for n, v in bars], **options
    )


_UNWRITABLE = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def writable(text: str) -> str:
    """Text without the characters that no XML may hold: the program that draws would stop at them, and all with it."""
    return _UNWRITABLE.sub("\N{REPLACEMENT CHARACTER}", text)
