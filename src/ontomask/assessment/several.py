"""Several releases of the same records: combined estimates, and figures over all of them.

Rubin's rules combine estimates of data with missing values, Reiter's those of partially synthetic data.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from ontomask.arguments import as_numbers, counted, is_number, one_of, plain_number
from ontomask.arrays import Floats
from ontomask.assessment.loss import loss_measures
from ontomask.errors import OptionError
from ontomask.microdata.column_distance import ColumnDistance
from ontomask.microdata.columns import Codes, Column
from ontomask.statistics.scipy_functions import ndtri, stdtrit

if TYPE_CHECKING:
    from ontomask.assessment.outcome import Assessment
    from ontomask.assessment.pairing import Pairing

Rule = Literal["reiter", "rubin"]
RULES: tuple[Rule, ...] = ("reiter", "rubin")


@dataclass(frozen=True)
class Combined:
    """An estimate over m releases.

    Attributes
    ----------
    estimate : float
        The mean of the estimates.
    within : float
        The mean variance of an analysis.
    between : float
        The variance of the estimates among the releases.
    total : float
        The variance of ``estimate``.
    degrees : float
        Degrees of freedom of Student's t; infinite where all releases agree.
    low, high : float
        The ends of the interval.
    m : int
        How many releases there are.
    rule : {'reiter', 'rubin'}
        How the variances were combined.
    confidence : float
        How certain the interval is to hold the true figure.
    """

    estimate: float
    within: float
    between: float
    total: float
    degrees: float
    low: float
    high: float
    m: int
    rule: Rule
    confidence: float

    @property
    def standard_error(self) -> float:
        """The square root of ``total``."""
        return math.sqrt(self.total)


def combine_estimates(
    estimates: Sequence[float], variances: Sequence[float], *, rule: Rule = "reiter", confidence: float = 0.95
) -> Combined:
    """Combine the estimates of one figure from m releases, and the variances that the analyses gave them.

    Parameters
    ----------
    estimates : sequence of float
        The estimate from each release.
    variances : sequence of float
        The variance of each estimate.
    rule : {'reiter', 'rubin'}, default 'reiter'
        For values that were replaced by drawn ones, or for missing values that were filled in; see the notes.
    confidence : float, default 0.95
        How certain the interval is to hold the true figure.

    Returns
    -------
    Combined
        The estimate with its variance and its interval.

    Notes
    -----
    With q the mean of the estimates, U the mean of the variances and B the variance of the estimates among the releases,
    the estimate is q with the variance

    * ``reiter``, of records whose values were replaced by drawn ones and of which none was missing, as in
      :class:`ontomask.Imputation`: T = U + B / m, with (m - 1) (1 + U / (B / m))^2 degrees of freedom (Reiter 2003). U alone
      is the variance that the original data leave; B / m is what drawing adds to the mean of m.
    * ``rubin``, of data that were incomplete and were filled in: T = U + (1 + 1/m) B, with
      (m - 1) (1 + U / ((1 + 1/m) B))^2 degrees of freedom (Rubin 1987). B stands for what is not known because it is
      missing, and adds to U in full.

    Examples
    --------
    >>> import ontomask as om
    >>> found = om.combine_estimates([10.0, 12.0, 11.0], [4.0, 4.0, 4.0])
    >>> found.estimate, found.within, found.between, round(found.total, 4), round(found.degrees)
    (11.0, 4.0, 1.0, 4.3333, 338)
    >>> round(om.combine_estimates([10.0, 12.0, 11.0], [4.0, 4.0, 4.0], rule="rubin").total, 4)
    5.3333
    """
    one_of(rule, RULES, "rule")
    q, u = as_numbers(estimates, "the estimates"), as_numbers(variances, "the variances")
    if len(q) != len(u) or len(q) < 2:
        raise OptionError(
            f"expected an estimate and a variance of each of at least two releases, got {counted(len(q), 'estimate')} and "
            f"{counted(len(u), 'variance')}",
            remedy="Analyze each release by itself: combine_estimates([q1, q2, ...], [u1, u2, ...]).",
        )
    if (u < 0).any():
        raise OptionError("a variance is negative", remedy="Give variances: squares of standard errors.")
    if not is_number(confidence) or not 0 < confidence < 1:
        raise OptionError(f"confidence={confidence!r}", remedy="Give a number between 0 and 1, such as 0.95.")
    m = len(q)
    estimate, within, between = float(q.mean()), float(u.mean()), float(q.var(ddof=1))
    added = between / m if rule == "reiter" else (1 + 1 / m) * between
    total = within + added
    degrees = (m - 1) * (1 + within / added) ** 2 if added > 0 else math.inf
    share = (1 + confidence) / 2
    factor = float(ndtri(share) if math.isinf(degrees) else stdtrit(degrees, share))
    reach = factor * math.sqrt(total)
    return Combined(
        estimate, within, between, total, degrees, estimate - reach, estimate + reach, m, rule, float(confidence)
    )


#: What a row has of a combined estimate.
COMBINED = ("estimate", "standard_error", "low", "high", "within", "between", "degrees")
ESTIMATES = {
    **dict.fromkeys(("attribute", "statistic"), pl.String),
    **dict.fromkeys(("original", "original_error", *COMBINED), pl.Float64),
}


@dataclass(frozen=True, eq=False)
class Several:
    """``estimates``: of each masked column the mean, combined over the releases by Reiter's rule
    (:func:`ontomask.combine_estimates`), with its standard error and the ends of its 95% interval, beside the mean of the
    original and its standard error. Ranks of ordinal columns; of nominal and flat ones the marginality of values: their mean
    distance, 0..1, from the values of the original records.

    ``figures``: every figure of the assessments: its mean over the releases, the least and the largest. ``original`` is
    given where there is one.
    """

    releases: int
    estimates: pl.DataFrame
    figures: pl.DataFrame

    @property
    def readings(self) -> list[str]:
        """What this says, in plain words."""
        sentences = [
            (
                f"There are {self.releases} releases of the same records. Sentences above on released values describe the "
                "first of them; those on attacks give the worst result of any single release."
            )
        ]
        for measure in loss_measures():
            if measure.reported is None or measure.by_column:
                continue
            for row in self.figures.filter(pl.col("figure") == measure.figure_name).iter_rows(named=True):
                if row["mean"] is not None:
                    mean, least, largest = (plain_number(row[name], 3) for name in ("mean", "least", "largest"))
                    sentences.append(
                        f"Over the releases, the {measure.title} is {mean}{measure.unit} on average ({least} to {largest})."
                    )
        for row in self.estimates.iter_rows(named=True):
            if row["estimate"] is None:
                continue
            was, is_, low, high = (plain_number(row[name], 5) for name in ("original", "estimate", "low", "high"))
            sentences.append(
                f"The {row['statistic']} of {row['attribute']}, combined over the releases, is {is_} (95% interval {low} to "
                f"{high}); that of the original is {was}."
            )
        return sentences

    @property
    def rows(self) -> list[dict[str, Any]]:
        """Rows for the figures of an assessment."""
        rows: list[dict[str, Any]] = []
        for row in self.estimates.iter_rows(named=True):
            name, figure = row["attribute"], f"{row['statistic']}, combined over {self.releases} releases"
            before, after = row["original"], row["estimate"]
            change = None if before is None or after is None else after - before
            values = {"original": before, "masked": after, "value": change}
            errors = {"original": row["original_error"], "masked": row["standard_error"]}
            rows.append({"figure": figure, "attribute": name} | values)
            rows.append({"figure": f"standard error of the {row['statistic']}", "attribute": name} | errors)
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain numbers, texts and lists."""
        return {
            "releases": self.releases,
            "estimates": self.estimates.to_dicts(),
            "figures": self.figures.to_dicts(),
        }


def assessed_together(found: Sequence[Assessment], pairings: Sequence[Pairing], masked: Sequence[str]) -> Assessment:
    """The assessment of the first release, with what all of them say together."""
    several = Several(len(found), estimates_of(pairings, masked), _figures(found))
    collapsed = [name for name in found[0].collapsed if all(name in one.collapsed for one in found)]
    return replace(found[0], several=several, others=tuple(found[1:]), collapsed=collapsed)


def estimates_of(pairings: Sequence[Pairing], masked: Sequence[str]) -> pl.DataFrame:
    """The combined means of the masked columns."""
    rows = []
    for i, metric in enumerate(pairings[0].distance.metrics):
        name = metric.column.name
        if name not in masked:
            continue
        row: dict[str, Any] = {"attribute": name, "statistic": metric.column.attribute.mean_called}
        before = _scores(metric, metric.column, pairings[0].original.codes_of(i))
        after = [_scores(metric, p.masked.columns[i], p.masked.codes_of(i)) for p in pairings]
        if len(before) > 1:
            error = float(np.sqrt(before.var(ddof=1) / len(before)))
            row |= {"original": float(before.mean()), "original_error": error}
        if min(len(scores) for scores in after) > 1:
            means = [float(scores.mean()) for scores in after]
            found = combine_estimates(means, [float(scores.var(ddof=1) / len(scores)) for scores in after])
            row |= {name: getattr(found, name) for name in COMBINED}
        rows.append(row)
    return pl.DataFrame(rows, schema=ESTIMATES)


def _scores(metric: ColumnDistance, column: Column, codes: Codes) -> Floats:
    """A number for each record that has a value: the number, the rank, or the marginality in the original."""
    scores = metric.scores(column)[codes]
    return scores[~np.isnan(scores)]


def _figures(found: Sequence[Assessment]) -> pl.DataFrame:
    """Figures of all releases: those after masking where there are some before it, else those that compare both."""
    every = pl.concat([one.figures for one in found])
    shown = every.with_columns(
        pl.when(pl.col("masked").is_not_null()).then("masked").otherwise("value").alias("shown")
    ).with_columns(pl.when(pl.col("shown").is_finite()).then("shown").alias("shown"))
    grouped = shown.group_by("figure", "attribute", "with", maintain_order=True)
    return grouped.agg(
        pl.col("original").first(),
        pl.col("shown").mean().alias("mean"),
        pl.col("shown").min().alias("least"),
        pl.col("shown").max().alias("largest"),
    )
