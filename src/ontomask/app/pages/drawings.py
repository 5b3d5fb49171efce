"""Drawings: the charts of the report, made from the answers of jobs. They take a moment: call them in a thread."""

from __future__ import annotations

from typing import Any, TypeAlias

from ontomask.arguments import short

#: Title, sentence, name of the explanation, SVG, and the figures as texts.
Drawing: TypeAlias = tuple[str, str, str, str, list[tuple[str, str]]]
#: Bars of a chart.
MOST = 12
#: Characters of a name beside its bar; pixels of the longest bar; its colour.
LONGEST, WIDTH, ACCENT = 24, 300, "#2A8C86"


def before(risk: dict[str, Any]) -> list[Drawing]:
    """The charts of the original."""
    unit = risk["counted"]
    drawn = []
    sizes = [{"name": _size(row["size"]), "value": row["records"]} for row in risk["sizes"][:MOST]]
    if sizes:
        drawn.append(
            _drawing(
                "sizes",
                "How large are the classes?",
                f"{unit.capitalize()} by how many share their combination.",
                "classes",
                sizes,
                unit,
            )
        )
    alone = sorted(risk["columns"], key=lambda row: row["without"])[:MOST]
    effect = [{"name": row["column"], "value": risk["unique"] - row["without"]} for row in alone]
    if any(row["value"] for row in effect):  # else a sentence of the page says it
        drawn.append(
            _drawing(
                "columns",
                "Which columns do it?",
                f"How many {unit} would no longer be unique without this one column.",
                "column_effect",
                effect,
                unit,
            )
        )
    return drawn


def _bars(rows: list[dict[str, Any]], unit: str) -> Any:
    """A bar for each name, as wide as a card, in the accent colour of the app."""
    import altair as alt  # late: it takes 0.3 s to load, and the first page needs no chart

    shown = [
        {"name": short(str(row["name"]), LONGEST), "place": place, "value": row["value"]}
        for place, row in enumerate(rows)
    ]
    data = alt.Data(values=shown)  # type: ignore[no-untyped-call]
    order = alt.EncodingSortField("place")
    return (
        alt.Chart(data, width=WIDTH, height=alt.Step(24))
        .mark_bar(color=ACCENT, strokeWidth=0)
        .encode(
            y=alt.Y("name:N", sort=order, title=None, axis=alt.Axis(ticks=False, domain=False, labelPadding=8)),
            x=alt.X("value:Q", title=unit, axis=alt.Axis(tickCount=4, tickMinStep=1, format=",d")),
        )
    )


def _size(size: Any) -> str:
    return "unique" if size == 1 else f"shared by {size}"


def _drawing(name: str, title: str, sentence: str, key: str, rows: list[dict[str, Any]], unit: str) -> Drawing:
    from ontomask.report import charts  # late: as above

    chart = _bars(rows, unit)
    figures = [(str(row["name"]), f"{row['value']:,}") for row in rows]
    return title, sentence, key, charts.svg(chart, name, title, sentence), figures
