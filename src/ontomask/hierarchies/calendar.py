"""``Calendar``: days become weeks, months, quarters, years and decades; what each is written as, and read back.

Weeks are those of ISO 8601: they begin on Monday, and week 1 of a year holds its first Thursday.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from itertools import pairwise
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from pydantic import BeforeValidator, Field

from ontomask.arrays import Floats
from ontomask.hierarchies.levels import ANY, Hierarchy, Level, make_level
from ontomask.microdata.columns import Column, Line
from ontomask.settings import ListOf

EPOCH = date(1970, 1, 1).toordinal()
#: The days of the calendar, from the year 1 to the year 9999, counted from 1970-01-01.
FIRST_DAY, LAST_DAY = date.min.toordinal() - EPOCH, date.max.toordinal() - EPOCH
#: What stands behind a day or a unit that holds all days before it, or after it.
EARLIER, LATER = " or earlier", " or later"

Unit = Literal["day", "week", "month", "quarter", "year", "decade"]
#: Each unit joins whole ones of the unit before it; weeks end with none of them.
NESTED: tuple[Unit, ...] = ("day", "month", "quarter", "year", "decade")


class Days(NamedTuple):
    """The first and the last day of a unit, counted from 1970-01-01."""

    first: int
    last: int


def day(number: float) -> date:
    """A day by its number; the nearest of the calendar where it lies beyond."""
    return date.fromordinal(int(np.clip(np.rint(number), FIRST_DAY, LAST_DAY)) + EPOCH)


def number(of: date) -> int:
    """Days from 1970-01-01 on."""
    return of.toordinal() - EPOCH


def unit_text(unit: str, of: date) -> str:
    """The unit that a day lies in."""
    match unit:
        case "week":
            year, week, _ = of.isocalendar()
            return f"{year:04d}-W{week:02d}"
        case "month":
            return f"{of.year:04d}-{of.month:02d}"
        case "quarter":
            return f"{of.year:04d}-Q{(of.month + 2) // 3}"
        case "year":
            return f"{of.year:04d}"
        case _:
            return f"{of.year // 10:03d}0s"


_UNITS: dict[str, Callable[[re.Match[str]], Days]] = {
    r"(\d{4})-W(\d\d)": lambda m: _week(int(m[1]), int(m[2])),
    r"(\d{4})-(\d\d)": lambda m: _months(int(m[1]), int(m[2]), 1),
    r"(\d{4})-Q([1-4])": lambda m: _months(int(m[1]), 3 * int(m[2]) - 2, 3),
    r"(\d{4})": lambda m: _months(int(m[1]), 1, 12),
    r"(\d{3})0s": lambda m: _months(10 * int(m[1]), 1, 120),
}


def unit_days(text: str) -> Days | None:
    """The days of a unit that is written as :func:`unit_text` does; None: it is none."""
    for pattern, days in _UNITS.items():
        found = re.fullmatch(pattern, text, re.ASCII)
        if found is not None:
            try:
                return days(found)
            except ValueError:  # no such week, month or year
                return None
    return None


def unit_edges(low: float, high: float, most: int) -> list[float] | None:
    """The first days of the shortest units of which at most so many cover the days from low to high, and the day after the
    last; None where single days do, or no unit."""
    for unit in ("week", "month", "quarter", "year", "decade") if high - low > most else ():
        edges = [low]
        while edges[-1] <= min(high, LAST_DAY) and len(edges) <= most + 1:
            inside = unit_days(unit_text(unit, day(edges[-1])))
            assert inside is not None
            edges[-1:] = [float(inside.first), float(inside.last + 1)]
        if len(edges) <= most + 1:
            return edges
    return None


def _week(year: int, week: int) -> Days:
    first = number(date.fromisocalendar(year, week, 1))
    return Days(first, min(first + 6, LAST_DAY))


def _months(year: int, month: int, months: int) -> Days:
    """So many months from this one on, as far as the calendar has them; it has no year 0."""
    begin, end = 12 * year + month - 1, 12 * year + month - 1 + months
    if not 1 <= month <= 12 or end <= 12:
        raise ValueError("no such month")
    first = FIRST_DAY if begin < 12 else number(date(begin // 12, begin % 12 + 1, 1))
    last = LAST_DAY if end >= 120_000 else number(date(end // 12, end % 12 + 1, 1)) - 1
    return Days(first, last)


def _in_order(levels: Any) -> Any:
    """Each level joins whole groups of the one before it."""
    if not isinstance(levels, (list, tuple)) or not levels:
        raise ValueError("levels is not a list of units of the calendar, such as [day, month, year]")
    if "week" in levels and list(levels) not in (["week"], ["day", "week"]):
        raise ValueError("weeks do not end with months or years: give [day, week], or leave week out")
    for one, other in pairwise(unit for unit in levels if unit in NESTED):
        if NESTED.index(one) >= NESTED.index(other):
            raise ValueError(f"{other} does not join whole units of {one}: give units from the shortest to the longest")
    return list(levels)


class Calendar(Hierarchy):
    """Days in the units of the calendar.

    Notes
    -----
    A day is shown as it is, then as week (2024-W05, ISO 8601), month (2024-05), quarter (2024-Q1), year (2024) or decade
    (2020s). Each level joins whole units of the one before it. Weeks do not end with months: they have a list of their own.

    Examples
    --------
    >>> import ontomask as om
    >>> om.Calendar(levels=["month", "year"])
    Calendar(levels=['month', 'year'])
    """

    kind: Literal["calendar"] = "calendar"
    levels: Annotated[ListOf[Unit], BeforeValidator(_in_order)] = Field(
        default=list(NESTED),
        description="the units from the shortest to the longest: day, month, quarter, year, decade; or day, week",
    )

    def build_levels(self, column: Column) -> list[Level]:
        days, line = column.calendar_days, column.line
        if days is None or line is None:
            raise self._refuse(column, "a hierarchy of the calendar", "date")
        if np.isnan(days).all():
            return []
        return [_unit_level(column, days, line, unit) for unit in self.levels if unit != "day"]


def _unit_level(column: Column, days: Floats, line: Line, unit: str) -> Level:
    low, high = float(np.nanmin(days)), float(np.nanmax(days))
    least, most = line.ends
    texts: list[str | None] = [None] * len(days)
    parts, spans = np.zeros(len(days)), np.full((len(days), 2), np.nan)
    for code in np.flatnonzero(~np.isnan(days)).tolist():
        text = unit_text(unit, day(days[code]))
        inside = unit_days(text)
        assert inside is not None
        texts[code] = _opened(text, inside.first <= least, inside.last >= most)
        parts[code] = line.interval_share(inside.first, inside.last + 1, high - low, closed=False)
        # In a decade of which the data hold two years, the middle of these is compared.
        spans[code] = max(inside.first, low), min(inside.last, high)
    return make_level(column, unit, texts, parts, spans=spans)


def _opened(text: str, below: bool, above: bool) -> str:
    """A unit that holds the limit of an open end is open as well."""
    return ANY if below and above else text + EARLIER if below else text + LATER if above else text
