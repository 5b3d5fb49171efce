"""Report sections on the policy, the masking, values before and after, and several releases. Plain content only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from ontomask.arguments import counted
from ontomask.report.counts import Studied, distribution
from ontomask.report.elements import figure, number
from ontomask.report.words import MISSING, PSEUDONYM, ROLES, settings_in_words, taxonomy_name
from ontomask.wording import Counts

if TYPE_CHECKING:
    from ontomask.policy.policy import Policy
    from ontomask.privacy.models import Model
    from ontomask.report.reportable import Reportable

#: Columns that get charts of their own.
MOST_CHARTS = 16
#: Columns that a method may report on.
MOST_ROWS = 50


# ---- asked and done --------------------------------------------------------------------------------------------------


def asked(result: Reportable, counts: Counts) -> dict[str, Any]:
    """The policy in words."""
    policy, public = result.policy, not counts.exact
    assert policy.method is not None
    columns = []
    for name, attribute in policy.attributes.items():
        taxonomy, named, measure = attribute.named_taxonomy, "", attribute.measured_by
        if taxonomy is not None:
            named = taxonomy if not public and isinstance(taxonomy, str) else taxonomy_name(taxonomy)
        columns.append(
            {
                "name": name,
                "role": PSEUDONYM if name in policy.pseudonyms else ROLES[attribute.role],
                "masked": f"with {attribute.follows}"
                if attribute.follows
                else "yes"
                if name in policy.masked
                else "no",
                "kind": attribute.described,
                "taxonomy": named,
                "measure": "" if public or measure is None else policy.method.named_measure or measure[0],
                "weight": "" if public or attribute.role == "identifier" else number(attribute.weight),
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
        "sentence": policy.method.explain(policy.unit),
        "settings": [] if public else settings_in_words(policy.method, policy.unit),
        "models": [
            {
                "title": model.title,
                "name": model.describe(),
                "meaning": model.explain(policy.unit),
                "by": _asked_by(model, policy),
            }
            for model in models
        ],
        "unlisted": unlisted[policy.unlisted],
    }


def _asked_by(model: Model, policy: Policy) -> str:
    if model in policy.require:
        return "required by the policy"
    return "promised by the method" if model.protects else "always required"


def original_records(result: Reportable, counts: Counts) -> int:
    """How many records the original has; in public only what follows from the release and from what is said of the rest."""
    given, kept, released = result.given, result.kept_records, result.released_records
    return released + counts.said(given - kept) + counts.said(kept - released)


def done(result: Reportable, counts: Counts) -> dict[str, Any]:
    """Records in and out, and what the method measured of itself."""
    prepared, masked = result.prepared, result.masked
    assert result.policy.method is not None
    given, kept, released = result.given, result.kept_records, result.released_records
    rows = [
        ["Records in the original", counts.number(original_records(result, counts))],
        ["Left out because a value is missing", counts.number(given - kept)],
        ["Suppressed by the method", counts.number(kept - released)],
        ["Records in the release", counts.number(released)],
    ]
    if result.parts:
        rows.append(["Releases of these records", f"{len(result.parts)}"])
    if masked.sources is None:
        rows.append(["Groups formed by the method (several can show the same values)", counts.number(masked.groups)])
    rows.append(["Columns masked", f"{len(result.policy.masked):,}"])
    rows.append(["Columns removed", f"{len(prepared.removed):,}"])
    measured = None
    if result.diagnostics is not None and counts.exact:
        table = result.diagnostics.table
        measured = {
            "head": table.columns,
            "rows": [[_cell(value) for value in row] for row in table.head(MOST_ROWS).rows()],
            "more": max(len(table) - MOST_ROWS, 0),
        }
    return {"rows": rows, "diagnostics": measured}


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return number(value) if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)


# ---- distributions ---------------------------------------------------------------------------------------------------


def distributions(columns: list[Studied]) -> dict[str, Any]:
    """A chart for each column, as far as they go."""
    figures = []
    for column in columns[:MOST_CHARTS]:
        what = "each item" if column.holds_sets else "each value, or a value in each band,"
        several = "Records that have each item; a record can have several. " if column.holds_sets else ""
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
            figures.append(
                figure(
                    question,
                    f"Bars show how many records have {what} of {column.name}; the figures are in the table.",
                    part["kind"],
                    part["rows"],
                    ["Item" if column.holds_sets else "Value", "Before", "After"],
                    table,
                    **options,
                )
                | {"note": f"{several}{part.get('note', '')}"}
            )
    rest = [column.name for column in columns[MOST_CHARTS:]]
    note = f"The first {MOST_CHARTS} columns are drawn; {counted(len(rest), 'more column')} not drawn." if rest else ""
    return {"figures": figures, "note": note}


#: Figures over all releases that are shown.
MOST_FIGURES = 60
COMBINE = (
    "To estimate a figure, compute it and its variance from each release. The estimate is the mean of the m figures. "
    "Its variance is U + B / m, with (m - 1) (1 + U / (B / m))^2 degrees of freedom (Reiter 2003: partially synthetic data). "
    "U is the mean of the m variances, and B is the variance of the m figures among the releases."
)


def several(result: Reportable, counts: Counts) -> dict[str, Any] | None:
    """What m releases mean, the combined means, and figures over all releases; in public no figure of the data."""
    if not result.parts:
        return None
    content: dict[str, Any] = {"note": note(result), "combine": COMBINE, "estimates": [], "figures": [], "more": 0}
    found = result.assessment.several
    if not counts.exact or found is None:
        return content
    names = ("original", "original_error", "estimate", "standard_error", "low", "high")
    content["estimates"] = [
        [f"{row['statistic']} of {row['attribute']}", *(number(row[name]) for name in names)]
        for row in found.estimates.iter_rows(named=True)
    ]
    differing = found.figures.filter(pl.col("mean").is_not_null() & (pl.col("least") < pl.col("largest")))
    content["more"] = max(len(differing) - MOST_FIGURES, 0)
    content["figures"] = [
        [
            " ".join(filter(None, (row["figure"], row["attribute"] and f"of {row['attribute']}", row["with"]))),
            *(number(row[name]) for name in ("original", "mean", "least", "largest")),
        ]
        for row in differing.head(MOST_FIGURES).iter_rows(named=True)
    ]
    return content


def note(result: Reportable) -> str:
    """What a reader of all figures must know."""
    return (
        f"There are {len(result.parts)} releases of the same records. Anyone who has all of them can learn more than the "
        "attacks in this report show: these look at one release at a time, and the worst result is shown. All other figures "
        "of released values are of the first release unless they say otherwise."
    )
