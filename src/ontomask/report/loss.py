"""Report section on information loss: in total and by column, tails, vanished categories."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite, isinf, isnan
from typing import TYPE_CHECKING, Any

import polars as pl

from ontomask.arguments import plain_number, short
from ontomask.assessment.loss import HEADLINE, Loss, loss_measures
from ontomask.assessment.loss_measures import LossMeasure, Reported
from ontomask.assessment.readings import coded_reading
from ontomask.report.elements import band, by_column, change_of_correlation, figure, near_original, number
from ontomask.wording import Counts, capital, percent

if TYPE_CHECKING:
    from ontomask.report.reportable import Reportable

#: Pairs of columns that are compared.
MOST_PAIRS = 12
#: In the public edition, figures by column are given from this many records on.
FEW = 30
NONE_CHANGED = "none changed"


def loss(result: Reportable, counts: Counts) -> dict[str, Any]:
    """Losses in all and by column, with a line that says what each figure means."""
    assessment, columns, public = result.assessment, result.prepared.table.columns, not counts.exact
    figures = assessment.loss
    n = figures.records - figures.removed  # steps are as coarse as the fewest records ask for
    changed = figures.changed_released
    untouched = not any(changed.values()) and not figures.removed
    left_out = " A record that was left out counts as 100%." if figures.removed else ""
    measures = _reported(public, by_column=False)
    values = {m.name: NONE_CHANGED if untouched else _shown(r, figures.values[m.name], n, counts) for m, r in measures}
    content: dict[str, Any] = {
        "headline": values[HEADLINE.name],
        "overall": [
            [reported.head, values[measure.name], _meaning(reported, figures)] for measure, reported in measures
        ],
        "heads": [reported.head for _, reported in _reported(public, by_column=True)],
        "meanings": [_meaning(reported, figures) for _, reported in _reported(public, by_column=True)],
        "columns": [],
        "figures": [],
        "pairs": [],
        "tails": [] if public else _tails(assessment),
        "vanished": [] if public else _vanished(assessment),
        "gone": _gone(assessment) if public else [],
        "sampled": _sampled(assessment),
        "coded": coded_reading(assessment.coded) if assessment.coded else "",
        "coded_columns": ", ".join(assessment.coded),
    }
    if public and (n < FEW or near_original(assessment, counts)):
        return content
    kept = _variety(assessment)
    content["columns"] = _by_column(assessment, columns, kept, counts)
    away = _bars(figures.relative, n, counts)
    if any(height for _, height, _ in away):
        content["figures"].append(_away_figure(away, left_out))
    bars = _bars(kept, n, counts)
    if any(height for _, height, _ in bars):
        content["figures"].append(_variety_figure(bars, content["sampled"]))
    pairs = _pairs(assessment)
    if pairs and not public:
        content["figures"].append(_pairs_figure(pairs, content["sampled"]))
    elif pairs:
        content["pairs"] = [[f"{a} and {b}", change_of_correlation(abs(y - x))] for a, b, x, y in pairs[:MOST_PAIRS]]
    return content


def _by_column(assessment: Any, columns: Any, kept: Any, counts: Counts) -> list[dict[str, str]]:
    """What each column lost: distances, changed values, drift of its mean, variety that is ``kept``."""
    figures, public = assessment.loss, not counts.exact
    n, changed = figures.records - figures.removed, figures.changed_released
    drift = {row["attribute"]: row["drift"] for row in assessment.preservation.means.iter_rows(named=True)}
    modes = assessment.preservation.modes
    rows = []
    for column in columns:
        name = column.name
        same = not changed[name] and not figures.removed
        rows.append(
            {
                "name": name,
                "losses": [
                    NONE_CHANGED
                    if same and reported.whole
                    else _shown(reported, figures.values[measure.name][name], n, counts)
                    for measure, reported in _reported(public, by_column=True)
                ],
                "reading": "" if public else reading(column, figures.rmse_released[name], changed[name]),
                "drift": _mode_shift(drift.get(name))
                if name in modes
                else _shift(drift.get(name))
                if counts.exact
                else band(drift.get(name)),
                "kept": _shift(kept.get(name)) if counts.exact else counts.coarse(kept.get(name), n),
            }
        )
    return rows


def _reported(public: bool, *, by_column: bool) -> list[tuple[LossMeasure[Any], Reported]]:
    """The measures of loss that an edition shows, with how it shows them."""
    measures = [(m, m.reported) for m in loss_measures() if m.reported is not None and m.by_column == by_column]
    return [(measure, reported) for measure, reported in measures if reported.public or not public]


def _shown(reported: Reported, value: float, n: int, counts: Counts) -> str:
    if reported.whole is None:
        return number(value)
    return "unbounded" if isinf(value) else counts.coarse(value / reported.whole, n)


def _meaning(reported: Reported, figures: Loss) -> str:
    return reported.meaning + (reported.removed if figures.removed else "")


def _bars(shares: Mapping[str, float | None], n: int, counts: Counts) -> list[tuple[str, float, str]]:
    """The known shares as bars in percent, each with its figure; in public both are rounded to a step."""
    step = None if counts.exact else counts.step(n)
    return [
        (
            name,
            100 * share if step is None else float(round(100 * Counts.stepped(share, step))),
            counts.coarse(share, n),
        )
        for name, share in shares.items()
        if share is not None
    ]


def _shift(share: float | None) -> str:
    return "–" if share is None or isnan(share) else percent(share)


def _mode_shift(drift: float | None) -> str:
    """The centre of a column whose values are only equal or different is its most frequent value: it moves or it stays."""
    return "–" if drift is None or isnan(drift) else "another value" if drift else "same value"


def _sampled(assessment: Any) -> str:
    """On how many records variety and correlations were computed, where not on all."""
    records = assessment.preservation.dependence["records"].drop_nulls()
    released = assessment.loss.records - assessment.loss.removed
    least = int(records.to_numpy().min(initial=released))
    return f" Estimated on {least:,} records drawn at random." if least < released else ""


# ---- tails and categories ----------------------------------------------------------------------------------------


def _tails(assessment: Any) -> list[list[str]]:
    """The ends of numeric columns that the release does not reach."""
    return [
        [
            row["column"],
            row["end"],
            f"{row['records']:,}",
            *(plain_number(row[name], 5) for name in ("low", "high", "limit")),
            f"{row['beyond']:,}",
            *(plain_number(row[name], 5) for name in ("mean_before", "mean")),
        ]
        for row in assessment.tails.filter(pl.col("beyond") > 0).iter_rows(named=True)
    ]


def _vanished(assessment: Any) -> list[list[str]]:
    rows = assessment.vanished.filter(pl.col("vanished") > 0).iter_rows(named=True)
    return [[row["column"], *(f"{row[name]:,}" for name in ("categories", "vanished", "records"))] for row in rows]


def _gone(assessment: Any) -> list[str]:
    """The same for the public: which columns, and no figures."""
    each = (assessment, *assessment.others)
    where = "the release" if len(each) == 1 else "every release"
    sentences = []
    for end in ("lowest", "highest"):
        cut = _columns([one.tails.filter((pl.col("end") == end) & (pl.col("beyond") > 0)) for one in each])
        if cut:
            sentences.append(f"Columns whose {end} original values do not occur in {where}: {', '.join(cut)}.")
    gone = _columns([one.vanished.filter(pl.col("vanished") > 0) for one in each])
    if gone:
        sentences.append(f"Columns with original categories that do not occur in {where}: {', '.join(gone)}.")
    return sentences


def _columns(frames: list[pl.DataFrame]) -> list[str]:
    """The columns that any of the frames lists, each once."""
    return list(dict.fromkeys(name for frame in frames for name in frame["column"]))


# ---- column by column --------------------------------------------------------------------------------------------


def reading(column: Any, rmse: float, changed: float) -> str:
    """What an error of a column means."""
    if not changed:
        return "No released value changed."
    if not column.graded:
        return f"{capital(percent(changed))} of the released values differ from the original."
    return str(column.attribute.error_in_words(number(rmse)))


def _away_figure(bars: list[tuple[str, float, str]], left_out: str) -> dict[str, Any]:
    return by_column(
        "How far are released values from the original ones?",
        "A bar for each column: the mean distance between released and original values, in percent of the maximum distance "
        f"of the column.{left_out}",
        bars,
        "Mean distance",
        axis="percent of the maximum distance",
    )


def _variety_figure(bars: list[tuple[str, float, str]], sampled: str) -> dict[str, Any]:
    return by_column(
        "How much of each column's variety is left?",
        "A bar for each column: its variety (distance variance) after masking in percent of that before. At the dashed "
        f"line (100%) values vary as much as before, although some may have changed; above it they vary more.{sampled}",
        bars,
        "Variety left",
        axis="percent of the original variety",
        mark=100.0,
    )


def _variety(assessment: Any) -> dict[str, float | None]:
    """Of each column, distance variance after masking as a share of that before."""
    content: dict[str, float | None] = {}
    for row in assessment.preservation.dependence.filter(pl.col("statistic") == "sdVar").iter_rows(named=True):
        before, after = row["original"], row["masked"]
        known = before is not None and after is not None and isfinite(before) and isfinite(after) and before > 0
        content[row["attribute"]] = after / before if known else None
    return content


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


def _pairs_figure(pairs: list[tuple[str, str, float, float]], sampled: str) -> dict[str, Any]:
    shown = pairs[:MOST_PAIRS]
    more = f" The {MOST_PAIRS} of {len(pairs):,} pairs that changed most are shown." if len(pairs) > MOST_PAIRS else ""
    return figure(
        "Are the relations between columns kept?",
        "For each pair of columns the distance correlation before masking (diamond) and after it (circle), from 0 to 1. The "
        f"closer the two points, the better the relation was kept.{more}{sampled}",
        "dumbbells",
        [{"name": f"{short(a, 16)} – {short(b, 16)}", "before": x, "after": y} for a, b, x, y in shown],
        ["Columns", "Before", "After", "Change"],
        [[f"{a} – {b}", number(x), number(y), number(abs(y - x))] for a, b, x, y in shown],
        axis="distance correlation",
    )
