"""What a column of dates is proposed as: a date, in which form, or what it is while its form can be read in two ways."""

from __future__ import annotations

from typing import Any

import polars as pl

from ontomask.errors import DataError
from ontomask.kinds.date import Date
from ontomask.kinds.date_texts import MAY, POINTS, readings, write_day
from ontomask.profiling.column_facts import Facts
from ontomask.profiling.outcome import Proposal


def propose_dates(facts: Facts) -> Proposal:
    """By the forms that all values can be read in; what can be read in two is a question, and flat until it is answered."""
    values = facts.counts["value"]
    attempts: tuple[dict[str, Any], ...] = ({}, {"time_of_day": "drop"})
    for settings in attempts:
        try:
            _, tally = Date(**settings).read(facts.name, values, None)
        except DataError:
            continue
        made = Proposal("quasi", "date", ["points in time, of which the days are kept" if settings else "dates"])
        points = [what for what in tally if what.startswith("%")] == [POINTS]
        made.more = settings | ({"format": POINTS} if points else {})
        if points:
            made.reasons.append("written with points, the day first")
        if settings:
            made.checks.append(
                "the time of day is dropped: to keep it, write kind: ordinal, without time_of_day and format"
            )
        return made
    if facts.dates == "dates":  # months, or times of day
        return Proposal("quasi", "ordinal", ["dates, in the order of time"])
    ways = readings(values.cast(pl.String).to_list())
    fit = [way for way, fits in ways.items() if fits]
    if len(fit) == 1:
        check = (
            f"format: '{fit[0]}' reads all dates, the other order does not: is 31 May 2024 {write_day(MAY, fit[0])}?"
        )
        return Proposal("quasi", "date", ["dates as text"], [check], more={"format": fit[0]})
    if ways:
        shown = " or ".join(f"'{way}'" for way in ways)
        check = f"dates that can be read in two ways, day first or month first: write kind: date and format: {shown}"
        return Proposal("quasi", "flat", ["dates as text"], [check])
    check = "dates that are not all written alike cannot be compared: write them as 2024-05-31 and the kind as date"
    return Proposal("quasi", "flat", ["dates as text"], [check])
