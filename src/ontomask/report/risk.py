"""Report section on disclosure risk: classes, attacks, disclosed sensitive values."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any

from ontomask.assessment.disclosed import AFTER, BEFORE
from ontomask.report.counts import by_size
from ontomask.report.elements import figure, near_original
from ontomask.wording import Counts, capital, percent

if TYPE_CHECKING:
    from ontomask.assessment.attacks import Attack
    from ontomask.assessment.risk import Risk, RiskFigure
    from ontomask.report.reportable import Reportable


#: What an intruder can do with classes, where released values are bound to the record's own and where they are not.
RECOGNIZED = "An intruder who knows only these values of a record can find its class, but not the record in the class."
NOT_RECOGNIZED = (
    "The method moved values between records or drew them at random. An intruder who knows the original values of a record "
    "cannot tell for certain which class it is in; the attacks below measure how many records can be found."
)
#: Why an attack can find more units than the largest risk of a class says.
SEVERAL = (
    "A {one} with several records counts as found if one of them is found. Each record is another chance, so the share can "
    "exceed the largest prosecutor risk, which is that of a single record."
)
#: In place of a figure that would count a few records.
NOT_GIVEN = "not given"


def risk(result: Reportable, counts: Counts) -> dict[str, Any]:
    """Classes before and after, attacks, and sensitive values that a class discloses."""
    assessment = result.assessment
    before, after = assessment.risk_before, assessment.risk_after
    near = near_original(assessment, counts)
    content: dict[str, Any] = {
        "quasi": bool(before.columns),
        "unique": [NOT_GIVEN if near else counts.number(before.unique), counts.number(after.unique)],
        "smallest": [NOT_GIVEN if near else counts.least(before.smallest), counts.least(after.smallest)],
        "worst": attack(assessment.worst_attack, after, counts),
        "attacks": [attack(found, after, counts) for found in assessment.attacks] if counts.exact else [],
        "several": SEVERAL.format(one=after.unit.one)
        if counts.rounded(result.released_records - after.records)
        else "",
        "one": after.unit.one,
        "many": after.unit.many,
        "disclosed": [
            [
                row["column"],
                *(NOT_GIVEN if near else counts.number(row[name]) for name in BEFORE),
                *(counts.number(row[name]) for name in AFTER),
            ]
            for row in assessment.disclosed.iter_rows(named=True)
        ],
        "classes": RECOGNIZED if assessment.recognizable else NOT_RECOGNIZED,
        "figures": [],
        "rows": [],
    }
    if content["quasi"]:
        fewest = min(before.records, after.records)
        content["rows"] = [
            [
                capital(was.label),
                NOT_GIVEN if near else _cell(was, before, fewest, counts),
                _cell(now, after, fewest, counts),
            ]
            for was, now in zip(before.declared, after.declared, strict=True)
        ]
        if fewest >= counts.base and not near:  # else all bars would be rounded away
            content["figures"] = [_sizes_figure(before, after, counts)]
    return content


def attack(found: Attack, after: Risk, counts: Counts) -> dict[str, str]:
    """An attack: what the intruder does, the share of records (or other units) it re-identifies, and on how many this was
    estimated."""
    on = found.estimated_on
    return {
        "name": found.name.replace("_", " "),
        "words": f"An intruder {found.words}.",
        "share": counts.at_most(found.share, after.records),
        "estimated": "" if on is None else f"estimated on {counts.units(on, after.unit)}",
    }


def _cell(figure: RiskFigure, when: Risk, fewest: int, counts: Counts) -> str:
    """A figure of risk. The largest risk is one over the smallest class: in public it must not disclose that."""
    value = figure.value
    if figure.kind == "classes":
        return counts.number(sum(counts.said(classes) for classes, _ in by_size(when.sizes, counts.base).values()))
    if figure.kind == "size":
        return counts.least(int(value))
    if figure.kind == "units":
        return counts.number(int(value))
    if counts.exact or value == 0:
        return percent(value)
    if figure.kind == "mean":
        return counts.at_most(value, fewest)
    if when.smallest < counts.base:
        return f"over {1 / counts.base:.0%}"
    return f"at most {ceil(100 / (counts.base * (when.smallest // counts.base)))}%"


def _by_size(when: Risk, released: int, counts: Counts) -> dict[str, tuple[int, int]]:
    """Classes and records by size. In public, where few records are in small classes, the most frequent size is what is
    left of the total without the others: rounded for itself it would tell how many the few are."""
    told = by_size(when.sizes, counts.base)
    small, *others = told
    if counts.exact or not 0 < told[small][1] < counts.base or not any(told[name][1] for name in others):
        return told
    most = max(others, key=lambda name: told[name][1])
    whole = released + counts.said(when.records - released)
    rest = whole - sum(counts.said(records) for name, (_, records) in told.items() if name != most)
    return told | {most: (told[most][0], max(rest, counts.base))}


def _sizes_figure(before: Risk, after: Risk, counts: Counts) -> dict[str, Any]:
    """Classes by size. In public, classes below the base are one bar, and bars have rounded heights."""
    one, other = (_by_size(when, after.records, counts) for when in (before, after))
    names = [name for name in one if one[name][1] or other[name][1]]
    drawn = [{name: counts.rounded(records) for name, (_, records) in told.items()} for told in (one, other)]
    rows = [
        {"name": name, "when": when, "value": 100 * told[name] / max(1, sum(told.values()))}
        for name in names
        for when, told in zip(("before", "after"), drawn, strict=True)
    ]
    many = after.unit.many
    table: list[list[Any]] = [[name, *(counts.number(n) for n in (*one[name], *other[name]))] for name in names]
    return figure(
        f"How many {many} share a class?",
        f"Columns show the share of {many} in classes of each size, before and after masking. The farther to the right, "
        "the larger the classes and the better the protection.",
        "paired_columns",
        rows,
        ["Class size", "Classes before", f"{many.capitalize()} before", "Classes after", f"{many.capitalize()} after"],
        table,
        axis=f"{many} in a class",
        up=f"percent of {many}",
    )
