"""Readings: the figures of an assessment as sentences."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import polars as pl

from ontomask.arguments import counted, plain_number
from ontomask.arrays import TIE
from ontomask.assessment.disclosed import agreement, most_disclosed
from ontomask.assessment.loss import HEADLINE, Loss
from ontomask.assessment.risk import SMALL, Risk
from ontomask.wording import RECORD, percent

if TYPE_CHECKING:
    from ontomask.assessment.outcome import Assessment

UNTOUCHED = "No value changed: nothing was lost, and nothing was masked."
CODED_ONLY = "No value changed after coding: nothing was masked."
NO_QUASI = (
    "No column is a quasi-identifier: there are no classes to count. It was not examined whether records can be found by "
    "columns that others know."
)
#: More columns than this are counted, not listed.
MOST_NAMED = 6


def coded_reading(coded: Mapping[str, str]) -> str:
    """What is to be known of columns whose values were coded first; ``coded``: how, by column."""
    told = ", ".join(f"{name} ({how})" for name, how in coded.items())
    where = "this column" if len(coded) == 1 else "these columns"
    return (
        f"Coded before masking and assessment: {told}. "
        f'In {where}, "original" means "after coding"; what coding changed does not count as loss.'
    )


def readings_of(assessment: Assessment) -> list[str]:
    """The sentences a steward reads first: which records are unique, which can be found, what was lost, what is left."""
    return [
        *_classes(assessment),
        *_worst(assessment),
        *_linkage(assessment),
        *_household(assessment),
        *_severity(assessment),
        *_disclosed(assessment),
        *([coded_reading(assessment.coded)] if assessment.coded else []),
        *_loss(assessment),
        *_collapsed(assessment),
        *_tails(assessment),
        *_vanished(assessment),
        *_relations(assessment),
        *_clusters(assessment),
        *([] if assessment.several is None else assessment.several.readings),
    ]


def risk_readings(risk: Risk) -> list[str]:
    """Unique records and small classes of one table."""
    if not risk.columns:
        return [NO_QUASI]
    on, unit = joined(risk.columns), risk.unit
    sentences = [
        f"{risk.unique:,} of {unit.counted(risk.records)} {'is' if risk.unique == 1 else 'are'} unique on {on}."
    ]
    if not risk.unique:
        sentences = [f"No {unit.one} is unique on {on}: the smallest class has {unit.counted(risk.smallest)}."]
    sentences.append(
        f"{risk.below():,} of {unit.counted(risk.records)} are in classes of fewer than {SMALL}; there are "
        f"{counted(risk.classes, 'class', 'classes')}."
    )
    sentences.append(
        f"An intruder who knows these columns of a record in the data picks the right {unit.one} with a probability of "
        f"{percent(risk.prosecutor)} on average, {percent(risk.prosecutor_largest)} at worst."
    )
    if risk.severity_weighted is not None:
        sentences.append(
            f"Weighted by severity, the mean probability is {percent(risk.severity_weighted)}. Of the {unit.many} with a "
            f"severity above 0, {risk.severe_unique:,} {'is' if risk.severe_unique == 1 else 'are'} unique."
        )
    return sentences


def joined(names: Sequence[str]) -> str:
    """'age', 'age and sex', 'age, sex and job'; many are counted."""
    if len(names) > MOST_NAMED:
        return f"{len(names)} columns"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else list(names))


def _classes(found: Assessment) -> list[str]:
    before, after = found.risk_before, found.risk_after
    if not before.columns:
        return [NO_QUASI]
    on, unit = joined(before.columns), after.unit
    were = "was" if before.unique == 1 else "were"
    unique = f"{before.unique:,} of {unit.counted(before.records)} {were} unique on {on}"
    if not before.unique:
        unique = f"No {unit.one} was unique on {on} (the smallest class had {unit.counted(before.smallest)})"
    smallest = f"the smallest class has {unit.counted(after.smallest)}"
    if not after.records:
        return [f"{unique}; nothing is released."]
    if after.unique:
        still = "is" if after.unique == 1 else "are"
        same = f" (record linkage shows whether they are the same {unit.many})" if before.unique else ""
        return [f"{unique}; in the release {after.unique:,} of {after.records:,} {still}{same}."]
    sentences = [f"{unique}; in the release none is: {smallest}."]
    if after.smallest < SMALL:
        sentences.append(
            f"{after.below():,} of {after.records:,} released {unit.many} are in classes of fewer than {SMALL}: "
            f"an intruder who knows the class of a {unit.one} picks it with a probability of up to 1 in {after.smallest}."
        )
    return sentences


def _household(found: Assessment) -> list[str]:
    before, after = found.risk_before, found.risk_after
    if before.household is None or after.household is None or after.household_largest is None:
        return []
    mean = f"{percent(after.household)} (before: {percent(before.household)})"
    most = percent(after.household_largest)
    return [f"Somebody of a household is found with a probability of {mean} on average, and of {most} at most."]


def _worst(found: Assessment) -> list[str]:
    """The headline: of all attacks that are computed, the most successful."""
    worst, unit = found.worst_attack, found.risk_after.unit
    estimated = f" (estimated on {unit.counted(worst.estimated_on)})" if worst.estimated_on is not None else ""
    text = (
        f"The most successful attack computed re-identifies {percent(worst.share)} of the released {unit.many}{estimated}: an "
        f"intruder {worst.words}."
    )
    return [text, *_several_chances(found)]


def _several_chances(found: Assessment) -> list[str]:
    """Why an attack finds more than the largest risk of a class, where several records of a unit are all there is to it."""
    risk, share = found.risk_after, found.worst_attack.share
    several = found.loss.records > found.risk_before.records
    if not several or not found.exact or not set(found.columns) <= set(risk.columns):
        return []
    if share <= risk.prosecutor_largest + TIE:
        return []
    return [
        (
            f"This is more than 1 in {risk.smallest:,}, although no class has fewer than {risk.unit.counted(risk.smallest)}: a "
            f"{risk.unit.one} with several records counts as found if one of them is, and each record is another chance."
        )
    ]


def _linkage(found: Assessment) -> list[str]:
    columns, unit = list(found.columns), found.risk_after.unit
    known = joined(columns)
    nearest, exact = found.linkage["semantic"], found.linkage["matching"]
    text = (
        f"An intruder who knows {known} of every record links {percent(nearest)} of "
        f"{'them' if unit == RECORD else f'the {unit.many}'} correctly to the "
        f"nearest released record; by exact match {percent(exact)}."
    )
    if found.tried is not None:
        text += (
            f" (Nearest records: estimated on {unit.counted(found.estimated['semantic'])}, those of "
            f"{found.tried:,} combinations of values drawn at random.)"
        )
    return [text]


def _severity(found: Assessment) -> list[str]:
    before, after, unit = found.risk_before, found.risk_after, found.risk_after.unit
    if before.severity_weighted is None or after.severity_weighted is None:
        return []
    return [
        (
            f"Weighted by severity, a {unit.one} is found with a mean probability of {percent(after.severity_weighted)} "
            f"(before: {percent(before.severity_weighted)}). Of the {unit.many} with a severity above 0, "
            f"{after.severe_unique:,} "
            f"{'is' if after.severe_unique == 1 else 'are'} unique (before: {before.severe_unique:,})."
        )
    ]


def _disclosed(found: Assessment) -> list[str]:
    """What classes disclose without any record being found; of many columns, those that disclose most."""
    rows, more = most_disclosed(found.disclosed)
    sentences, unit = [], found.risk_after.unit
    for row in rows.iter_rows(named=True):
        was = f"before: {unit.counted(row['records_before'])}"
        same = agreement(row["column"] in found.numbers)
        if row["column"] in found.columns:  # values were moved, and a class shows those of other records
            own = f"{row['records']:,} of {found.risk_after.records:,} released {unit.many}"
            show = "shows its" if row["records"] == 1 else "show their"
            sentences.append(
                f"{row['column']} was masked: {own} {show} own value in a class whose values are {same} ({was})."
            )
            continue
        if row["classes"] and not found.recognizable:
            where = f"{counted(row['classes'], 'class', 'classes')} ({unit.counted(row['records'])})"
            sentences.append(
                f"In {where} the values of {row['column']}, which is not masked, are {same} ({was}): an attack that finds the "
                "class of a record discloses its value."
            )
            continue
        if not row["classes"]:
            sentences.append(f"No class discloses {row['column']} ({was}).")
            continue
        each = "its" if row["classes"] == 1 else "in each of them the"
        sentences.append(
            f"{counted(row['classes'], 'class', 'classes')} {'discloses' if row['classes'] == 1 else 'disclose'} "
            f"{row['column']} of {unit.counted(row['records'])}: {each} values are {same} ({was})."
        )
    if more > 0:
        sentences.append(
            f"The figures list {counted(more, 'more sensitive column')}, each disclosed for as many {unit.many} or fewer."
        )
    return sentences


def _collapsed(found: Assessment) -> list[str]:
    if not found.collapsed:
        return []
    if len(found.collapsed) == 1:
        return [f"{found.collapsed[0]} has the same value in all released records: its information is lost."]
    return [f"{joined(found.collapsed)} each have the same value in all released records: their information is lost."]


def _tails(found: Assessment) -> list[str]:
    """Where the ends of a numeric column were cut off."""
    sentences = []
    for row in found.tails.filter(pl.col("beyond") > 0).iter_rows(named=True):
        low, high, limit, was, is_ = (
            plain_number(row[name], 5) for name in ("low", "high", "limit", "mean_before", "mean")
        )
        side = "lower" if row["end"] == "lowest" else "higher"
        coded = "as coded " if row["column"] in found.coded else ""
        sentences.append(
            f"The {row['end']} released value of {row['column']} is {limit}: {counted(row['beyond'], 'original record')} "
            f"{'has' if row['beyond'] == 1 else 'have'} a {side} one. The mean of the {row['end']} 5% "
            f"({counted(row['records'], 'original record')}, {coded}{low} to {high}) was {was} and is {is_}."
        )
    return sentences


def _vanished(found: Assessment) -> list[str]:
    """Categories that nobody will find in the release."""
    rows = found.vanished.filter(pl.col("vanished") > 0).iter_rows(named=True)
    return [
        f"{row['column']}: {row['vanished']:,} of {counted(row['categories'], 'category', 'categories')} "
        f"({counted(row['records'], 'original record')}) no longer {'occurs' if row['vanished'] == 1 else 'occur'}."
        for row in rows
    ]


def _loss(found: Assessment) -> list[str]:
    loss = found.loss
    sentences = []
    if loss.removed:
        sentences.append(
            f"{loss.removed:,} of {counted(loss.records, 'record')} {'is' if loss.removed == 1 else 'are'} not released "
            "at all."
        )
    released = loss.records - loss.removed
    if not released:
        return sentences
    changed = {name: _released(share, loss) for name, share in loss.changed.items()}
    if not any(changed.values()):
        if loss.removed:
            return [*sentences, f"No released value changed{' after coding' if found.coded else ''}."]
        return [CODED_ONLY if found.coded else UNTOUCHED]
    away = _released(loss.semantic_loss, loss)
    total = (
        f"; {HEADLINE.title} is {percent(loss.headline / 100)} ({HEADLINE.landmark})"
        if math.isfinite(loss.headline)
        else ""
    )
    sentences.append(
        f"On average a released value differs from the original by {percent(away)} of the maximum distance between original "
        f"values{total}."
    )
    for name, share in changed.items():
        if not share:
            sentences.append(f"{name}: no value changed{' after it was coded' if name in found.coded else ''}.")
            continue
        away = _released(loss.relative[name], loss) / share
        sentences.append(
            f"{name}: {percent(share)} of the values changed, on average by {percent(away)} of the maximum distance; "
            f"{_variance(loss.variance_lost[name])}."
        )
    means = found.preservation.statistics.filter(pl.col("statistic") == "mean")
    texts = {name: told for name, *told in found.preservation.means["attribute", "original", "masked"].iter_rows()}
    for row in means.iter_rows(named=True):
        name, values = row["attribute"], [row["original"], row["masked"]]
        if found.exact and name in found.averaged and all(v is not None and math.isfinite(v) for v in values):
            was, is_ = (plain_number(value, 5) for value in values) if name in found.numbers else texts[name]
            coded = f" ({found.coded[name]})" if name in found.coded else ""
            sentences.append(f"The mean of {name}{coded} was {was} and is {is_}.")
    return sentences


def _variance(lost: float) -> str:
    """What became of the variance of a column, given in percent of it."""
    if math.isinf(lost):
        return "originally, all values were the same"
    above = " (above 100%: the centre of the column would be closer to the original values)" if lost > 100 else ""
    return f"{percent(lost / 100)} of the variance is lost{above}"


def _released(share: float, loss: Loss) -> float:
    """A mean over all records, in which a removed one counts 1, as a mean over those that are released."""
    left = (share * loss.records - loss.removed) / (loss.records - loss.removed)
    return left if left > TIE else 0.0


def _relations(found: Assessment) -> list[str]:
    table = found.preservation.dependence.filter((pl.col("statistic") == "sdCor") & pl.col("difference").is_not_null())
    if table.is_empty():
        return []
    worst = table.sort("difference", "attribute", "with", descending=[True, False, False]).row(0, named=True)
    released = found.loss.records - found.loss.removed
    sampled = int(table["records"].to_numpy().min())
    some = f" (estimated on {sampled:,} records drawn at random)" if sampled < released else ""
    if worst["difference"] < TIE:
        return [f"Relations between columns did not change{some}."]
    return [
        (
            f"Of all pairs of columns, the relation between {worst['attribute']} and {worst['with']} changed most: their "
            f"distance correlation was {worst['original']:.2f} and is {worst['masked']:.2f} (0: none, 1: perfect){some}."
        )
    ]


def _clusters(found: Assessment) -> list[str]:
    clustering = found.clustering
    if clustering is None:
        return []
    sampled = f". Estimated on {clustering.records:,} records drawn at random" if clustering.sampled else ""
    out = clustering.available - (found.loss.records - found.loss.removed)  # dropped ones are not clustered at all
    together = ". Removed records count as one cluster" if out else ""
    return [
        (
            f"Records were sorted by similarity into {counted(clustering.clusters, 'cluster')}, before and after masking. The "
            f"two partitions differ by {clustering.distance:.2f} (0: the same clusters, 1: unrelated){together}{sampled}."
        )
    ]
