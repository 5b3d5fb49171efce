"""The sections of a report that speak in figures: what was done, who could be found, what was lost. Plain content only."""

from __future__ import annotations

from math import ceil, isfinite, isnan
from typing import TYPE_CHECKING, Any

import polars as pl

from ontomask.arguments import counted, short
from ontomask.microdata.attributes import Identifier, Nominal
from ontomask.report.counts import Studied, by_size, distribution
from ontomask.report.words import (
    KINDS,
    MISSING,
    ROLES,
    settings_in_words,
    taxonomy_name,
)

if TYPE_CHECKING:
    from ontomask.result import Result

#: Columns that get charts of their own, bars of a chart, and pairs of columns that are compared.
MOST_CHARTS, MOST_BARS, MOST_PAIRS = 16, 30, 12
#: In the public edition, figures by column are told from this many records on.
FEW = 30
LINKAGE = {
    "semantic": "from each record of the original to the released records that are closest in meaning",
    "matching": "from each record of the original to the released records that are equal",
    "masked_matching": "from each released record to the records of the original that are equal",
    "masked_distance": "from each released record to the records of the original that are closest",
}


def number(value: float | None) -> str:
    """A figure for the eye."""
    if value is None or isnan(value):
        return "–"
    return (
        f"{value:,.3g}" if isfinite(value) and abs(value) < 1e6 else f"{value:.3g}" if isfinite(value) else "unbounded"
    )


def percent(share: float, digits: int = 1) -> str:
    """A share as a percentage; what is not nothing does not look like it."""
    least = 10.0 ** -(digits + 2)
    return "0%" if share == 0 else f"under {least:.{digits}%}" if 0 < share < least else f"{share:.{digits}%}"


def band(change: float | None) -> str:
    """A change, so coarse that it says nothing of single people."""
    if change is None or isnan(change):
        return "–"
    limits = ((0.01, "under 1%"), (0.05, "1 to 5%"), (0.2, "5 to 20%"), (0.5, "20 to 50%"))
    return next((text for limit, text in limits if change < limit), "over 50%")


def figure(
    question: str, description: str, kind: str, rows: Any, head: list[str], table: list[list[Any]], **options: Any
) -> dict[str, Any]:
    """A chart to be drawn and the table of the same figures."""
    chart = {"kind": kind, "rows": rows, "options": options}
    return {"question": question, "description": description, "note": description, "chart": chart} | {
        "head": head,
        "table": table,
    }


# ---- asked and done --------------------------------------------------------------------------------------------------


def asked(result: Result, *, public: bool) -> dict[str, Any]:
    """The policy in words."""
    policy = result.policy
    assert policy.method is not None
    columns = []
    for name, attribute in policy.attributes.items():
        nominal, named = isinstance(attribute, Nominal), ""
        if isinstance(attribute, Nominal):
            shown = not public and isinstance(attribute.taxonomy, str)
            named = str(attribute.taxonomy) if shown else taxonomy_name(attribute.taxonomy)
        columns.append(
            {
                "name": name,
                "role": ROLES[attribute.role],
                "masked": "yes" if attribute.role in policy.method.masks else "no",
                "kind": KINDS[attribute.kind],
                "taxonomy": named,
                "measure": "" if public or not nominal else policy_measure(policy, attribute),
                "weight": "" if public or isinstance(attribute, Identifier) else number(attribute.weight),
                "missing": MISSING.get(attribute.missing or "", ""),
            }
        )
    unlisted = {
        "error": "Columns that are not listed here were not allowed in the data.",
        "other": "Columns that are not listed here were kept as they are.",
        "drop": "Columns that are not listed here were removed.",
    }
    models = [finding.model for finding in result.verification.findings]
    return {
        "columns": columns,
        "method": policy.method.title,
        "sentence": policy.method.explain(),
        "settings": [] if public else settings_in_words(policy.method),
        "models": [
            {
                "title": model.title,
                "name": model.describe(),
                "meaning": model.explain(),
                "by": "required by the policy" if model in policy.require else "promised by the method"
                if model.name != "no_identifiers" else "always required",
            }
            for model in models
        ],
        "unlisted": unlisted[policy.unlisted],
    }  # fmt: skip


def policy_measure(policy: Any, attribute: Any) -> str:
    """The measure by which a column is compared."""
    return str(getattr(policy.method, "measure", None) or attribute.measure)


def done(result: Result, *, public: bool) -> dict[str, Any]:
    """Records in and out, and what the method said of itself."""
    prepared, masked = result.prepared, result.masked
    assert result.policy.method is not None
    given, kept = len(prepared.kept), int(prepared.kept.sum())
    released = len(result.records)
    rows = [
        ["Records in the original", f"{given:,}"],
        ["Left out because a value is missing", f"{given - kept:,}"],
        ["Suppressed by the method", f"{kept - released:,}"],
        ["Records in the release", f"{released:,}"],
    ]
    if masked.sources is None:
        rows.append(["Groups of records that show the same", f"{masked.groups:,}"])
    rows.append(
        ["Columns masked", f"{sum(a.role in result.policy.method.masks for a in result.policy.attributes.values()):,}"]
    )
    rows.append(["Columns removed", f"{len(prepared.removed):,}"])
    report = result.report
    own = None
    if report is not None and not public:
        own = {"head": report.columns, "rows": [[_cell(value) for value in row] for row in report.head(50).rows()]}
    return {"rows": rows, "report": own, "released": released, "given": given, "suppressed": kept - released}


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return number(value) if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)


# ---- who could still be found ----------------------------------------------------------------------------------------


def risk(result: Result, *, public: bool) -> dict[str, Any]:
    """Classes before and after, and linkage."""
    assessment = result.assessment
    before, after, linkage = assessment.risk_before, assessment.risk_after, assessment.linkage
    worst = max(linkage.values())
    told: dict[str, Any] = {
        "quasi": bool(before.columns),
        "unique": [before.unique, after.unique],
        "smallest": [before.smallest, after.smallest],
        "records": [before.records, after.records],
        "linkage": [] if public else [[LINKAGE[kind], percent(share, 2)] for kind, share in linkage.items()],
        "worst_linkage": f"at most {ceil(worst * 100 - 1e-9)}%" if public else percent(worst, 2),
        "tried": assessment.tried,
        "figures": [],
        "rows": [],
    }
    if told["quasi"]:
        now = after.figures
        told["rows"] = [
            [name[0].upper() + name[1:], *(_risk_figure(name, value) for value in (figure, now[name]))]
            for name, figure in before.figures.items()
        ]
        told["figures"] = [_sizes_figure(before.sizes, after.sizes)]
    return told


def _risk_figure(name: str, value: float | None) -> str:
    if value is None:
        return "–"
    return percent(value) if "risk" in name else f"{value:,.0f}"


def _sizes_figure(before: pl.DataFrame, after: pl.DataFrame) -> dict[str, Any]:
    one, other = by_size(before), by_size(after)
    names = [name for name in one if one[name][1] or other[name][1]]
    totals = [max(1, sum(records for _, records in told.values())) for told in (one, other)]
    rows = [
        {"name": name, "when": when, "value": 100 * told[name][1] / total}
        for name in names
        for when, told, total in (("before", one, totals[0]), ("after", other, totals[1]))
    ]
    table: list[list[Any]] = [[name, *(f"{n:,}" for n in (*one[name], *other[name]))] for name in names]
    return figure(
        "How many others does a record hide among?",
        "Columns show the share of records in classes of each size, before and after masking. The farther to the right, "
        "the more records look alike and the better each is hidden.",
        "paired_columns",
        rows,
        ["Class size", "Classes before", "Records before", "Classes after", "Records after"],
        table,
        axis="records in a class",
        up="percent of records",
    )


# ---- what was lost ---------------------------------------------------------------------------------------------------


def loss(result: Result, *, public: bool) -> dict[str, Any]:
    """Losses in all and by column, with a line that says what the figure means."""
    assessment, columns = result.assessment, result.prepared.table.columns
    figures = assessment.loss
    told: dict[str, Any] = {
        "overall": [
            [
                "Information loss",
                f"{figures.information_loss:.2g}%" if public else f"{number(figures.information_loss)}%",
                "0%: nothing changed; 100%: as if all records had been replaced by one average record.",
            ],
            [
                "Mean distance of a value from its original",
                f"{figures.semantic_loss:.2g}" if public else number(figures.semantic_loss),
                "0: the same; 1: nothing in common. Suppressed records count as 1.",
            ],
        ],
        "columns": [],
        "figures": [],
        "pairs": [],
    }
    if public and figures.records < FEW:
        return told
    kept = _variety(assessment)
    drift = {row["attribute"]: row["drift"] for row in assessment.preservation.means.iter_rows(named=True)}
    for column in columns:
        name = column.name
        told["columns"].append(
            {
                "name": name,
                "away": _coarse(figures.relative[name]) if public else percent(figures.relative[name]),
                "changed": "" if public else percent(figures.changed[name], 0),
                "rmse": "" if public else number(figures.rmse[name]),
                "reading": "" if public else reading(column, figures.rmse[name]),
                "drift": band(drift.get(name)) if public else _shift(drift.get(name)),
                "kept": _coarse(kept.get(name)) if public else _shift(kept.get(name), 0),
            }
        )
    away = [(name, _step(share, public)) for name, share in figures.relative.items()]
    if any(share for _, share in away):
        told["figures"].append(_away_figure(away))
    bars = [(name, _step(share, public)) for name, share in kept.items() if share is not None]
    if bars:
        told["figures"].append(_variety_figure(bars))
    pairs = _pairs(assessment)
    if pairs and not public:
        told["figures"].append(_pairs_figure(pairs))
    elif pairs:
        told["pairs"] = [[f"{a} and {b}", band(abs(y - x))] for a, b, x, y in pairs[:MOST_PAIRS]]
    return told


def reading(column: Any, rmse: float) -> str:
    """What an error of a column means."""
    kind = column.attribute.kind
    if rmse == 0:
        return "No value changed."
    if kind == "flat":
        return f"{percent(rmse**2, 0)} of the values are others than before."
    if kind == "numeric":
        return f"A released number is typically {number(rmse)} away from the original one, in the unit of the column."
    if kind == "ordinal":
        return f"A released value is typically {number(rmse)} ranks away from the original one."
    return f"A released concept is typically at a distance of {number(rmse)} from the original one (0: the same)."


def _shift(share: float | None, digits: int = 1) -> str:
    return "–" if share is None or isnan(share) else percent(share, digits)


def _step(share: float, public: bool) -> float:
    """In percent; in public in steps of 5."""
    return float(round(share * 20) * 5) if public else 100 * share


def _coarse(share: float | None) -> str:
    return "–" if share is None or isnan(share) else "under 5%" if share < 0.025 else f"about {_step(share, True):.0f}%"


def _variety(assessment: Any) -> dict[str, float | None]:
    """Of each column, distance variance after masking as a share of that before."""
    told: dict[str, float | None] = {}
    for row in assessment.preservation.dependence.filter(pl.col("statistic") == "sdVar").iter_rows(named=True):
        before, after = row["original"], row["masked"]
        known = before is not None and after is not None and isfinite(before) and isfinite(after) and before > 0
        told[row["attribute"]] = after / before if known else None
    return told


def _away_figure(bars: list[tuple[str, float]]) -> dict[str, Any]:
    return _by_column(
        "How far are released values from the true ones?",
        "A bar for each column: the mean distance of released values from the original ones, in percent of the largest "
        f"distance that is possible in the column.{_cut(bars)}",
        bars,
        "Mean distance (%)",
        axis="percent of the largest distance",
    )


def _variety_figure(bars: list[tuple[str, float]]) -> dict[str, Any]:
    return _by_column(
        "How much of each column's variety is left?",
        "A bar for each column: its variety (distance variance) after masking in percent of that before. At the "
        f"dashed line, 100 percent, nothing was lost; beyond it, masking spread the values out.{_cut(bars)}",
        bars,
        "Variety left (%)",
        axis="percent of the original variety",
        mark=100.0,
    )


def _by_column(
    question: str, description: str, bars: list[tuple[str, float]], head: str, **options: Any
) -> dict[str, Any]:
    """A bar for each column, and the table of the same figures."""
    bars = bars[:MOST_BARS]
    rows = [{"name": name, "value": value} for name, value in bars]
    return figure(
        question, description, "single_bars", rows, ["Column", head], [[n, number(v)] for n, v in bars], **options
    )


def _cut(bars: list[Any]) -> str:
    return f" The first {MOST_BARS} of {len(bars):,} columns are drawn." if len(bars) > MOST_BARS else ""


def _pairs(assessment: Any) -> list[tuple[str, str, float, float]]:
    """Pairs of columns with their distance correlation before and after, those that changed most first."""
    frame = assessment.preservation.dependence.filter(pl.col("statistic") == "sdCor")
    known = [
        (row["attribute"], row["with"], float(row["original"]), float(row["masked"]))
        for row in frame.iter_rows(named=True)
        if row["original"] is not None
        and row["masked"] is not None
        and isfinite(row["original"])
        and isfinite(row["masked"])
    ]
    return sorted(known, key=lambda pair: (-abs(pair[3] - pair[2]), pair[0], pair[1]))


def _pairs_figure(pairs: list[tuple[str, str, float, float]]) -> dict[str, Any]:
    shown = pairs[:MOST_PAIRS]
    more = f" The {MOST_PAIRS} of {len(pairs):,} pairs that changed most are shown." if len(pairs) > MOST_PAIRS else ""
    return figure(
        "Do columns still go together as they did?",
        "For each two columns their distance correlation before masking (diamond) and after it (circle), from 0 to 1. The "
        f"nearer the two points, the better the relation was kept.{more}",
        "dumbbells",
        [{"name": f"{short(a, 16)} – {short(b, 16)}", "before": x, "after": y} for a, b, x, y in shown],
        ["Columns", "Before", "After", "Change"],
        [[f"{a} – {b}", number(x), number(y), number(abs(y - x))] for a, b, x, y in shown],
        axis="distance correlation",
    )


# ---- distributions ---------------------------------------------------------------------------------------------------


def distributions(columns: list[Studied]) -> dict[str, Any]:
    """A chart for each column, as far as they go."""
    told = []
    for column in columns[:MOST_CHARTS]:
        for part in distribution(column):
            table = [[name, *("" if v is None else f"{v:,}" for v in values)] for name, *values in part["table"]]
            question = f"What does {column.name} look like before and after?"
            options: dict[str, Any] = {}
            if part["kind"] == "histograms":
                options["axis"] = column.name
                question = question if column.own else f"What does {column.name} look like before masking?"
            elif part["kind"] == "single_bars":
                options = {"axis": "records", "when": part.get("when", "after")}
                when = "before masking" if options["when"] == "before" else "after masking"
                question = f"What does {column.name} look like {when}?"
            told.append(
                figure(
                    question,
                    f"Bars show how many records have each value of {column.name}; the figures are in the table.",
                    part["kind"],
                    part["rows"],
                    ["Value", "Before", "After"],
                    table,
                    **options,
                )
                | {"note": part.get("note", "")}
            )
    rest = [column.name for column in columns[MOST_CHARTS:]]
    note = f"Not drawn, there are many columns: {counted(len(rest), 'more column')}." if rest else ""
    return {"figures": told, "note": note}
