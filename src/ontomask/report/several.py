"""Report section on several releases of the same records: how figures are combined. Plain content only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from ontomask.report.elements import number
from ontomask.wording import Counts

if TYPE_CHECKING:
    from ontomask.report.reportable import Reportable

#: Figures over all releases that are shown.
MOST_FIGURES = 60
COMBINE = (
    "To estimate a figure, compute it and its variance from each release. The estimate is the mean of the m figures. With U "
    "the mean of the m variances and B the variance of the m figures among the releases, its variance is U + B / m (Reiter "
    "2003: partially synthetic data), with (m - 1) (1 + U / (B / m))^2 degrees of freedom."
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
        f"There are {len(result.parts)} releases of the same records. Whoever has all of them knows more than the attacks in "
        "this report tell: these look at one release at a time, and give the worst. All other figures of released values are "
        "of the first release unless they say otherwise."
    )
