"""What the figures of an assessment say, in plain words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import polars as pl

from ontomask.arguments import counted
from ontomask.assessment.risk import SMALL, Risk

if TYPE_CHECKING:
    from ontomask.assessment.assess import Assessment

NO_QUASI = "No column is a quasi-identifier: nobody is told apart by what others know of them."
#: More columns than this are counted, not listed.
MOST_NAMED = 6


def readings_of(assessment: Assessment) -> list[str]:
    """The sentences a steward reads first: who stands out, who can be found, what was lost, what is left."""
    return [
        *_classes(assessment),
        *_linkage(assessment),
        *_severity(assessment),
        *_loss(assessment),
        *_relations(assessment),
        *_clusters(assessment),
    ]


def risk_readings(risk: Risk) -> list[str]:
    """Who stands out in one table."""
    if not risk.columns:
        return [NO_QUASI]
    alone, on = ("stand" if risk.unique != 1 else "stands"), joined(risk.columns)
    told = [f"{risk.unique:,} of {risk.records:,} people {alone} alone on {on}."]
    if not risk.unique:
        told = [f"Nobody stands alone on {on}: the smallest class has {counted(risk.smallest, 'record')}."]
    told.append(
        f"{risk.below():,} of {counted(risk.records, 'record')} are in classes of fewer than {SMALL}; there are "
        f"{counted(risk.classes, 'class', 'classes')}."
    )
    told.append(
        f"An intruder who knows these columns of somebody in the data picks the right record with a chance of "
        f"{percent(risk.prosecutor)} on average, {percent(risk.prosecutor_largest)} at worst."
    )
    if risk.severity_weighted is not None:
        told.append(
            f"Counted by severity, the mean chance is {percent(risk.severity_weighted)}; {risk.severe_unique:,} of a "
            "severity above 0 stand alone."
        )
    return told


def joined(names: Sequence[str]) -> str:
    """'age', 'age and sex', 'age, sex and job'; many are counted."""
    if len(names) > MOST_NAMED:
        return f"{len(names)} columns"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else list(names))


def share_in_words(share: float) -> str:
    """'4 in 100', '3 in 1,000', 'none'."""
    if share <= 0:
        return "none"
    if share > 0.995:
        return "all" if share == 1 else f"{min(1000 * share, 999):.0f} in 1,000"
    for base in (100, 1_000, 10_000):
        if share * base >= 1 - 1e-9:
            return f"{share * base:.0f} in {base:,}"
    return "fewer than 1 in 10,000"


def percent(share: float) -> str:
    return f"{100 * share:.3g}%"


def _classes(found: Assessment) -> list[str]:
    before, after = found.risk_before, found.risk_after
    if not before.columns:
        return [NO_QUASI]
    on = joined(before.columns)
    people = "people" if before.records != 1 else "person"
    alone = f"{before.unique:,} of {before.records:,} {people} stood alone on {on}"
    if not before.unique:
        alone = f"Nobody stood alone on {on} (the smallest class had {counted(before.smallest, 'record')})"
    smallest = f"the smallest class has {counted(after.smallest, 'record')}"
    if not after.records:
        return [f"{alone}; nothing is released."]
    if after.unique:
        still = "still do" if before.unique else "do"
        same = "whether they are the same people, linkage tells"
        return [f"{alone}; in the release {after.unique:,} of {after.records:,} {still} ({same})."]
    told = [f"{alone}; in the release nobody does: {smallest}."]
    if after.smallest < SMALL:
        told.append(
            f"{after.below():,} of {after.records:,} released records are in classes of fewer than {SMALL}: "
            f"whoever is known to be in one is found with a chance of up to 1 in {after.smallest}."
        )
    return told


def _linkage(found: Assessment) -> list[str]:
    columns = list(found.columns)
    known = joined(columns)
    nearest, exact = found.linkage["semantic"], found.linkage["matching"]
    text = (
        f"An intruder who knows {known} of everybody links {share_in_words(nearest)} of the records correctly to the "
        f"nearest released one; by exact match {share_in_words(exact)}."
    )
    if found.tried is not None:
        text += f" (Nearest records: estimated on {found.tried:,} combinations of values drawn at random.)"
    return [text]


def _severity(found: Assessment) -> list[str]:
    before, after = found.risk_before, found.risk_after
    if before.severity_weighted is None or after.severity_weighted is None:
        return []
    return [
        (
            f"Counted by severity, a record is found with a mean chance of {percent(after.severity_weighted)} (before: "
            f"{percent(before.severity_weighted)}); {after.severe_unique:,} of a severity above 0 stand alone "
            f"(before: {before.severe_unique:,})."
        )
    ]


def _loss(found: Assessment) -> list[str]:
    loss = found.loss
    told = []
    if loss.removed:
        told.append(
            f"{loss.removed:,} of {counted(loss.records, 'record')} {'is' if loss.removed == 1 else 'are'} not released "
            "at all."
        )
    if not any(loss.changed.values()):
        return [*told, "Every value is as it was: nothing was lost, and nothing was masked."]
    told.append(
        f"Released values are on average {percent(loss.semantic_loss)} of the largest possible distance from the true "
        f"ones; information loss L is {loss.information_loss:.3g}% (100%: all records made equal)."
    )
    for name, changed in loss.changed.items():
        away = f", on average {percent(loss.relative[name])} of the largest distance away" if changed else ""
        told.append(f"{name}: {share_in_words(changed)} of the values changed{away}.")
    means = found.preservation.statistics.filter(pl.col("statistic") == "mean")
    for row in means.iter_rows(named=True):
        numeric = found.columns.get(row["attribute"]) == "numeric"
        if numeric and row["original"] is not None and row["masked"] is not None:
            told.append(f"The mean of {row['attribute']} was {row['original']:.5g} and is {row['masked']:.5g}.")
    return told


def _relations(found: Assessment) -> list[str]:
    table = found.preservation.dependence.filter((pl.col("statistic") == "sdCor") & pl.col("difference").is_not_null())
    if table.is_empty():
        return []
    worst = table.sort("difference", "attribute", "with", descending=[True, False, False]).row(0, named=True)
    if worst["difference"] < 1e-12:
        return ["Relations between columns are as they were."]
    return [
        (
            f"Of the relations between columns, that of {worst['attribute']} and {worst['with']} changed most: their "
            f"distance correlation was {worst['original']:.2f} and is {worst['masked']:.2f} (0: none, 1: perfect)."
        )
    ]


def _clusters(found: Assessment) -> list[str]:
    clustering = found.clustering
    if clustering is None:
        return []
    sampled = f", on {clustering.records:,} records drawn at random" if clustering.sampled else ""
    return [
        (
            f"Sorted into {counted(clustering.clusters, 'cluster')} of similar records, original and release differ by "
            f"{clustering.distance:.2f} (0: the same clusters, 1: unrelated{sampled})."
        )
    ]
