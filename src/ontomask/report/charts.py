"""Charts as specifications: plain rows in, an Altair chart out, and from it an SVG that needs nothing else.

Colours are those of Okabe and Ito, which the colour-blind can distinguish; what comes before masking is always the lighter one,
so that a black and white print tells them apart, too. Nothing of the data becomes code: fields have fixed names.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from math import isfinite
from typing import TYPE_CHECKING, Any

import altair as alt
import vl_convert
from markupsafe import escape

from ontomask.arguments import short
from ontomask.assessment.loss import HEADLINE
from ontomask.report.elements import writable
from ontomask.report.label_places import PLACES, place_labels

if TYPE_CHECKING:
    import polars as pl

Rows = Sequence[Mapping[str, Any]]
#: A chart of Altair's, of one of its many classes.
Chart = Any

#: Before masking and after it: light orange and dark blue.
BEFORE, AFTER = "#E69F00", "#0072B2"
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "stroke")
DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 4], [12, 3], [1, 3])
FONT = "Helvetica, Arial, 'Liberation Sans', sans-serif"
WHEN = ("before", "after")
#: Room for the names on the left of bars, and for the bars.
NAMES, WIDTH = 215, 280
#: Between panels: the lowest number of one and the highest of the next must not touch.
PANELS = 20
#: Between names and an axis whose points can lie at 0 and reach beyond it.
BESIDE_POINTS = 12
#: Characters of a name that fit there.
LONGEST = 34


def svg(chart: Chart, name: str, title: str, description: str) -> str:
    """The chart as an SVG element for a page that holds many: its ids begin with ``name``, its size gives way.

    ``title`` and ``description`` are what a reader hears who cannot see it.
    """
    drawn = _drawn(json.dumps(_writable(_dressed(chart).to_dict(validate=False))))
    size = re.match(r'<svg[^>]*? width="([\d.]+)" height="([\d.]+)" viewBox="([^"]*)"[^>]*>', drawn)
    assert size is not None
    body = drawn[size.end() :]
    # Vega numbers its ids through all charts of a process: what it drew before must not show in these bytes.
    for place, old in enumerate(dict.fromkeys(re.findall(r'\bid="([^"]+)"', body))):
        body = re.sub(rf'(\bid="|url\(#|href="#){re.escape(old)}(?=[")])', rf"\g<1>{name}-part{place}", body)
    # What scripts and readers of single marks would use: the description and the table beside the chart say it better.
    body = re.sub(r' (?:class|aria-[a-z]+|role|pointer-events)="[^"]*"', "", body)
    body = re.sub(r'<path d="(?:M0,0h0v0h0Z)?"(?: display="none")?/>', "", body)
    body = re.sub(r"\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}", body)
    width, height, box = size.groups()
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="{name}-title {name}-desc" '
        f'viewBox="{box}" width="{width}" height="{height}">'
        f'<title id="{name}-title">{escape(writable(title))}</title>'
        f'<desc id="{name}-desc">{escape(writable(description))}</desc>{body}'
    )


def prepare() -> None:
    """Draw something: the first drawing of a process takes half a second longer."""
    _drawn(json.dumps({"mark": "point", "data": {"values": []}}))


@lru_cache(maxsize=32)
def _drawn(spec: str) -> str:
    """What Vega-Lite draws; kept, since both editions of a report show the same charts."""
    drawn: str = vl_convert.vegalite_to_svg(json.loads(spec))
    return drawn


def _writable(spec: Any) -> Any:
    if isinstance(spec, dict):
        return {key: _writable(value) for key, value in spec.items()}
    if isinstance(spec, list):
        return [_writable(value) for value in spec]
    return writable(spec) if isinstance(spec, str) else spec


def _dressed(chart: Any) -> Any:
    """The one look of all charts."""
    grey = "#333333"
    return chart.configure(
        background="white", font=FONT, aria=False, padding=4, view={"stroke": None}, bar={"stroke": grey, "strokeWidth": 0.5}
    ).configure_axis(
        labelFontSize=12, titleFontSize=12, titleFontWeight="normal", labelColor="#111111", titleColor="#111111",
        labelPadding=4, gridColor="#E4E4E4", domainColor=grey, tickColor=grey, labelLimit=NAMES,
    ).configure_legend(
        labelFontSize=12, titleFontSize=12, orient="top", symbolStrokeWidth=1, labelColor="#111111", labelLimit=400,
    ).configure_header(labelFontSize=12, labelColor="#111111")  # fmt: skip


def _data(rows: Iterable[Mapping[str, Any]]) -> Any:
    return alt.Data(values=[dict(row) for row in rows])  # type: ignore[no-untyped-call]


def _names(rows: Rows, field: str, longest: int = LONGEST) -> tuple[list[dict[str, Any]], list[str]]:
    """Rows whose names fit beside the bars, still different from each other; and these names in order."""
    given = list(dict.fromkeys(str(row[field]) for row in rows))
    shown: dict[str, str] = {}
    for name in given:
        label = text = short(name, longest).replace("\n", " ")
        number = 1
        while label in shown.values():
            number += 1
            label = f"{text} ({number})"
        shown[name] = label
    return [dict(row) | {field: shown[str(row[field])]} for row in rows], list(shown.values())


def _counts(rows: Rows, ticks: int, **more: Any) -> Any:
    """An axis of whole numbers; large ones are shortened."""
    large = max([abs(float(row["value"])) for row in rows if row["value"] is not None] + [0.0]) >= 100_000
    return alt.Axis(
        tickCount=ticks, tickMinStep=1, format="~s" if large else ",d", labelOverlap=True, labelSeparation=8, **more
    )


def _when() -> dict[str, Any]:
    """Colour and place of before and after, the same everywhere."""
    return {
        "color": alt.Color(
            "when:N",
            scale=alt.Scale(domain=list(WHEN), range=[BEFORE, AFTER]),
            legend=alt.Legend(title=None),
            sort=list(WHEN),
        )
    }


# ---- one release -------------------------------------------------------------------------------------------------


def paired_bars(rows: Rows, axis: str = "records") -> Chart:
    """``name``, ``when`` (before or after) and ``value``: two bars for each name, in the order of the rows."""
    rows, names = _names(rows, "name")
    return (
        alt.Chart(_data(rows), width=WIDTH, height=alt.Step(11))
        .mark_bar()
        .encode(
            y=alt.Y("name:N", sort=names, title=None, axis=alt.Axis(minExtent=NAMES, maxExtent=NAMES, ticks=False)),
            yOffset=alt.YOffset("when:N", sort=list(WHEN), scale=alt.Scale(domain=list(WHEN))),
            x=alt.X("value:Q", title=axis, axis=_counts(rows, 4), scale=alt.Scale(zero=True)),
            **_when(),
        )
    )


def single_bars(rows: Rows, axis: str, *, mark: float | None = None, when: str = "after") -> Chart:
    """``name`` and ``value``: a bar for each name, and a line at ``mark``."""
    rows, names = _names(rows, "name")
    colour = AFTER if when == "after" else BEFORE
    most = max([float(row["value"]) for row in rows if row["value"] is not None] + [mark or 0.0, 1e-12])
    bars = (
        alt.Chart(_data(rows), width=WIDTH, height=alt.Step(20))
        .mark_bar(color=colour)
        .encode(
            y=alt.Y("name:N", sort=names, title=None, axis=alt.Axis(minExtent=NAMES, maxExtent=NAMES, ticks=False)),
            x=alt.X("value:Q", title=axis, axis=_counts(rows, 4), scale=alt.Scale(domain=[0, most * 1.04])),
        )
    )
    line = alt.Chart(_data([{"value": mark}] if mark is not None else [])).mark_rule(
        color="black", strokeDash=[4, 3], strokeWidth=1.5
    )
    return alt.layer(bars, line.encode(x="value:Q"))


def histograms(rows: Rows, axis: str) -> Chart:
    """``low``, ``high``, ``when`` and ``value``: one panel above the other on the same scales."""
    present = [when for when in WHEN if any(row["when"] == when for row in rows)]
    scale = alt.Axis(tickCount=6, format=".12~g", labelOverlap=True, labelSeparation=8)
    return (
        alt.Chart(_data(rows), width=WIDTH + 120, height=80)
        .mark_bar()
        .encode(
            x=alt.X(
                "low:Q",
                bin="binned",
                title=short(axis, 60),
                axis=scale,
            ),
            x2="high:Q",
            y=alt.Y("value:Q", title="records", axis=_counts(rows, 3, minExtent=44, maxExtent=44)),
            row=alt.Row(
                "when:N", sort=present, title=None, header=alt.Header(labelAngle=0, labelAlign="left"), spacing=PANELS
            ),
            **({key: value.legend(None) for key, value in _when().items()}),
        )
    )


def paired_columns(rows: Rows, axis: str, up: str) -> Chart:
    """``name``, ``when`` and ``value``: two columns side by side for each name, in the order of the rows."""
    names = list(dict.fromkeys(str(row["name"]) for row in rows))
    return (
        alt.Chart(_data(rows), width=WIDTH + 140, height=170)
        .mark_bar()
        .encode(
            x=alt.X("name:N", sort=names, title=axis, axis=alt.Axis(labelAngle=0, ticks=False)),
            xOffset=alt.XOffset("when:N", sort=list(WHEN), scale=alt.Scale(domain=list(WHEN))),
            y=alt.Y("value:Q", title=up, axis=_counts(rows, 4, minExtent=44, maxExtent=44)),
            **_when(),
        )
    )


def dumbbells(rows: Rows, axis: str) -> Chart:
    """``name``, ``before`` and ``after``: two points on a line for each name, a ring before and a full point after."""
    rows, names = _names(rows, "name")
    ends = [{"name": row["name"], "when": when, "value": row[when]} for row in rows for when in WHEN]
    beside = alt.Axis(minExtent=NAMES, maxExtent=NAMES, ticks=False, labelPadding=BESIDE_POINTS)
    base = alt.Y("name:N", sort=names, title=None, axis=beside)
    x = alt.X("before:Q", title=axis, axis=alt.Axis(tickCount=5), scale=alt.Scale(domain=[0, 1]))
    lines = (
        alt.Chart(_data(rows), width=WIDTH, height=alt.Step(20))
        .mark_rule(color="#777777", strokeWidth=2)
        .encode(
            y=base,
            x=x,
            x2="after:Q",
        )
    )
    points = (
        alt.Chart(_data(ends))
        .mark_point(size=70, filled=True, opacity=1, stroke="#333333", strokeWidth=0.7)
        .encode(
            y=base,
            x="value:Q",
            shape=alt.Shape(
                "when:N", scale=alt.Scale(domain=list(WHEN), range=["diamond", "circle"]), legend=alt.Legend(title=None)
            ),
            **_when(),
        )
    )
    return alt.layer(lines, points)


# ---- several releases ----------------------------------------------------------------------------------------------


def risk_utility_map(
    table: pl.DataFrame,
    risk: str = "records linked correctly",
    hollow: Collection[str] = (),
    labels: Mapping[str, str] | None = None,
) -> Chart:
    """Candidates by what they lose and what they risk: ``name``, ``method``, ``loss``, ``risk``, ``frontier``.

    ``risk`` says what that is, in percent. Methods differ in colour and shape; a line joins the frontier. The
    points of the names in ``hollow`` are hollow. ``labels``: by name what stands beside a point, as the legend says the
    method. A label that finds no room is left out.
    """
    rows: list[dict[str, Any]] = [
        {
            "name": short((labels or {}).get(row["name"], row["name"]), 40),
            "method": short(str(row["method"]), 40),
        }
        | {field: _finite(row[field]) for field in ("loss", "risk")}
        | {"frontier": bool(row["frontier"]), "hollow": row["name"] in hollow}
        for row in table.iter_rows(named=True)
    ]
    rows = [row for row in rows if row["loss"] is not None and row["risk"] is not None]
    methods = list(dict.fromkeys(row["method"] for row in rows))
    # Room on the right, so that names of points there stay in the picture.
    most = {field: max([float(row[field]) for row in rows] + [1e-12]) for field in ("loss", "risk")}
    most = {"loss": most["loss"] * 1.3, "risk": most["risk"] * 1.05}
    title = {"loss": f"{HEADLINE.in_sentences} (%; 0: nothing is lost)", "risk": f"{risk} (%; 0: none)"}
    x, y = (
        channel(f"{field}:Q", title=title[field], scale=alt.Scale(domain=[0, most[field]], nice=False))
        for channel, field in ((alt.X, "loss"), (alt.Y, "risk"))
    )
    wide, high = WIDTH + 180, 300
    front = sorted((row for row in rows if row["frontier"]), key=lambda row: (row["loss"], -row["risk"]))
    line = (
        alt.Chart(_data(front), width=wide, height=high)
        .mark_line(color="black", strokeDash=[5, 3], strokeWidth=1.2)
        .encode(x=x, y=y, order="loss:Q")
    )
    scales, legend = _by_name(methods), alt.Legend(title=None, columns=4)
    points = (
        alt.Chart(_data(rows))
        .mark_point(size=80, filled=False, opacity=1, strokeWidth=1.6)
        .encode(
            x=x,
            y=y,
            color=alt.Color("method:N", scale=scales["color"], legend=legend),
            fill=alt.Fill("method:N", scale=scales["color"], legend=legend),
            shape=alt.Shape("method:N", scale=scales["shape"], legend=legend),
            fillOpacity=alt.condition("datum.hollow", alt.value(0), alt.value(1)),
        )
    )
    at = [(wide * row["loss"] / most["loss"], high * (1 - row["risk"] / most["risk"]), row["name"]) for row in rows]
    places = place_labels(at, wide, high, [row["frontier"] for row in rows])
    names = [
        alt.Chart(_data([row for row, own in zip(rows, places, strict=True) if own == place]))
        .mark_text(align="right" if place.right else "left", dx=place.dx, dy=place.dy, fontSize=11, color="#111111")
        .encode(x=x, y=y, text="name:N")
        for place in PLACES
        if place in places
    ]
    return alt.layer(line, points, *names)


def score_curves(table: pl.DataFrame, winning: Sequence[str] = (), lowest: Sequence[tuple[float, float]] = ()) -> Chart:
    """The score of candidates (``name``, ``alpha``, ``score``) by how much loss counts against risk.

    Candidates differ in colour and in the pattern of the line. Where there are more of them than colours, only the
    ``winning`` ones do; the others are thin and grey. A broad band marks the ``lowest`` scores, (alpha, score).
    """
    rows: list[dict[str, Any]] = [
        {"name": str(row["name"]), "alpha": _finite(row["alpha"]), "score": _finite(row["score"])}
        for row in table.iter_rows(named=True)
    ]
    rows = [row for row in rows if row["score"] is not None]
    given = dict.fromkeys(row["name"] for row in rows)
    named = set(winning) if winning and len(given) > len(COLOURS) else set(given)
    mine, names = _names([row for row in rows if row["name"] in named], "name", 60)
    scales = _by_name(names)
    legend = alt.Legend(title=None, columns=2, symbolType="stroke", symbolSize=300, labelLimit=300)
    title = "how much loss counts: alpha (0: only risk, 1: only loss)"
    x = alt.X("alpha:Q", title=title, scale=alt.Scale(domain=[0, 1]))
    y = alt.Y("score:Q", title="score (the lower, the better)", scale=alt.Scale(zero=True))
    band = alt.Chart(_data([{"alpha": a, "score": _finite(score)} for a, score in lowest]))
    grey = alt.Chart(_data([row for row in rows if row["name"] not in named]))
    lines = alt.Chart(_data(mine), width=WIDTH + 180, height=300).mark_line(strokeWidth=2)
    colour = alt.Color("name:N", scale=scales["color"], legend=legend)
    dash = alt.StrokeDash("name:N", scale=scales["dash"], legend=legend)
    return alt.layer(
        band.mark_line(color="#F0E442", strokeWidth=9, opacity=0.7, strokeCap="round").encode(x=x, y=y),
        grey.mark_line(color="#BBBBBB", strokeWidth=0.8).encode(x=x, y=y, detail="name:N"),
        lines.encode(x=x, y=y, color=colour, strokeDash=dash),
    )


def _by_name(names: list[str]) -> dict[str, Any]:
    """A colour, a shape and a pattern for each name; where there are many, no two share all of them."""
    several = range(len(names))
    return {
        "color": alt.Scale(domain=names, range=[COLOURS[i % len(COLOURS)] for i in several]),
        "shape": alt.Scale(domain=names, range=[SHAPES[(i + i // len(COLOURS)) % len(SHAPES)] for i in several]),
        "dash": alt.Scale(domain=names, range=[DASHES[(i + i // len(COLOURS)) % len(DASHES)] for i in several]),
    }


def _finite(value: Any) -> float | None:
    """A number that can be drawn."""
    return float(value) if value is not None and isfinite(value) else None


#: By name, for pages that choose what to draw.
KINDS = {
    "paired_bars": paired_bars,
    "single_bars": single_bars,
    "histograms": histograms,
    "paired_columns": paired_columns,
    "dumbbells": dumbbells,
}
