"""Dates finer than a year, and ages above 89 (kind C).

A date that is the first or the last day of a year says no more than the year, if all dates of the column are. Ages above 89 may
stand in a column as a class without an upper end that begins at 90 or earlier: 90+, 80 and over.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from datetime import date, time

import polars as pl

from ontomask.column_names.names import words_of
from ontomask.direct_identifiers.cells import Cells

#: Years that a number of four digits may be, and the months of a year.
FIRST_YEAR, LAST_YEAR = 1850, 2100
_YEAR = "(?:18[5-9][0-9]|19[0-9]{2}|20[0-9]{2})"
_MONTHS = (
    "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|januar|februar|marz|mai|juni|juli|oktober|dezember|enero|febrero|marzo|"
    "abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)[a-z]*"
)
#: Days, with the year first or last; in numbers, and with the name of the month.
_DAYS = re.compile(
    rf"(?<![\d.])(?:(?P<y>{_YEAR})[-/.](?P<m>\d{{1,2}})[-/.](?P<d>\d{{1,2}})|"
    rf"(?P<a>\d{{1,2}})[-/.](?P<b>\d{{1,2}})[-/.](?P<z>{_YEAR}))(?!\d)"
)
_ORDINAL = r"\d{1,2}(?:st|nd|rd|th)?"
_NAMED = re.compile(
    rf"(?i)(?<!\w)(?:{_ORDINAL}[ .-]+(?:de )?{_MONTHS}[ .,-]+(?:de )?{_YEAR}|{_MONTHS}[ .-]+{_ORDINAL},?[ -]+{_YEAR})(?!\w)"
)
#: Shapes that other codes may have, too: half of the values must.
_WEAK = {
    "days": rf"[0-9]{{1,2}}/[0-9]{{1,2}}/[0-9]{{2}}|{_YEAR}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])",
    "months, weeks or quarters": rf"(?i){_YEAR}[-/.](?:0?[1-9]|1[0-2])|(?:0?[1-9]|1[0-2])/{_YEAR}|{_MONTHS}[ -]+{_YEAR}|"
    rf"{_YEAR}[- ]?Q[1-4]|Q[1-4][-/ ]{_YEAR}|{_YEAR}-?W[0-5][0-9]",
}
#: Numbers of this many digits that are all days or months, of so many different ones at least.
_FEWEST = 5
AGE_WORDS = frozenset("age ages agegrp agegroup ageband ageyears agey edad edat alter lebensalter idade".split())
#: Names of ages that are not counted in years, and how many there are in a year.
_UNITS = {"month": 12.0, "months": 12.0, "mes": 12.0, "weeks": 52.2, "week": 52.2, "days": 365.25, "day": 365.25}
_NOT_OF_PEOPLE = frozenset("gestational gestation gest bone stage".split())
#: The age from which on ages may only be shown as one class; and an age that nobody reaches, which is no upper end.
TOP, NOBODY = 90, 120
_BIRTH = frozenset("birth born dob yob birthyear geburtsjahr nacimiento naissance".split())
_SPAN = re.compile(
    r"(?i)[\[(]?\s*(?P<low>-?\d+(?:\.\d+)?)\s*(?:-|to|\u2013|,|;|\.\.)\s*"
    r"(?P<high>-?\d+(?:\.\d+)?)\s*(?P<end>[\])]?)(?: (?:years?|yrs?))?"
)
_OPEN = re.compile(
    r"(?i)(?:(?P<least>>=?|\u2265|over|above|from)|(?P<most><=?|\u2264|under|below|up to))?\s*(?P<end>\d+(?:\.\d+)?)\s*"
    r"(?P<more>\+|(?:years )?(?:and|or|&) ?(?:over|older|above|more|up))?(?: (?:years?|yrs?))?"
)


#: Years of birth: one, a decade, an interval, or a class without an end.
_BORN = re.compile(
    r"(?i)[\[(]?\s*(?:(?P<before><=?|\u2264|before|until|up to)|(?P<after>>=?|\u2265|after|since|from))?\s*"
    r"(?P<first>\d{4})(?:\.0)?(?P<decade>s)?(?:\s*(?:-|to|\u2013|,|;|\.\.)\s*(?P<last>\d{4})\s*[\])]?)?"
    r"(?:\s+(?:(?P<earlier>(?:or|and) (?:earlier|before|older))|(?P<later>(?:or|and) (?:later|after|younger))))?"
)


def dated(cells: Cells) -> Iterator[tuple[str, int]]:
    """What of the values are dates finer than a year: what they look like, and in how many records."""
    dtype = cells.values.dtype
    if isinstance(dtype, pl.Date | pl.Datetime):
        days = cells.values.dt
        timed = isinstance(dtype, pl.Datetime) and bool((days.time() != time(0)).any())
        if timed or not ((days.month() == 1) & (days.day() == 1)).all():
            yield "dates", cells.records
        return
    if dtype.is_temporal():  # a length of time, or a time of day
        return
    if not cells.is_number:
        # Every date has a year of four digits: other texts need no closer look.
        dates = cells.texts.str.contains(_YEAR).fill_null(False)
        found = [_days_in(text) if dated else [] for text, dated in zip(cells.texts.to_list(), dates, strict=True)]
        if any(not _only_the_year(day) for days in found for day in days):
            yield "dates", cells.records_where(pl.Series([bool(days) for days in found], dtype=pl.Boolean))
            return
    if cells.is_number and not cells.is_whole:
        return
    for what, pattern in _WEAK.items():
        which = cells.texts.str.contains(rf"^(?:{pattern})$").fill_null(False)
        enough = cells.share(which) == 1 and cells.distinct >= _FEWEST if cells.is_whole else cells.share(which) >= 0.5
        if which.any() and enough and _all_days(cells.texts.filter(which)):
            yield what, cells.records_where(which)
            return


def _days_in(text: str) -> list[tuple[int, int] | None]:
    """The month and day of each date in a text; None where a month is named."""
    found: list[tuple[int, int] | None] = [None for _ in _NAMED.finditer(text)]
    for match in _DAYS.finditer(text):
        if match["y"]:
            pair = int(match["m"]), int(match["d"])
        else:
            first, second = int(match["a"]), int(match["b"])
            pair = (first, second) if first <= 12 else (second, first)
        if 1 <= pair[0] <= 12 and 1 <= pair[1] <= 31:
            found.append(pair)
    return found


def _only_the_year(day: tuple[int, int] | None) -> bool:
    return day in ((1, 1), (12, 31))


def _all_days(texts: pl.Series) -> bool:
    """Of texts of eight digits: is each a day of the calendar, and not all the first or last of a year?"""
    eight = texts.filter(texts.str.contains("^[0-9]{8}$")).to_list()
    try:
        days = [date(int(text[:4]), int(text[4:6]), int(text[6:])) for text in eight]
    except ValueError:
        return False
    return not eight or not all(_only_the_year((day.month, day.day)) for day in days)


# ---- columns that are named like times -------------------------------------------------------------------------------------


def of_named_dates(cells: Cells) -> Iterator[tuple[str, int]]:
    """In a column that is named like a date: numbers that are not years, and parts of dates."""
    numbers = cells.texts.cast(pl.Float64, strict=False)
    years = numbers.is_between(FIRST_YEAR, LAST_YEAR).fill_null(False)
    parts = cells.texts.str.contains(rf"(?i)^(?:{_MONTHS}|0?[1-9]|[12][0-9]|3[01])$").fill_null(False)
    words = set(words_of(cells.name))
    if not words.isdisjoint(("month", "day", "mes", "monat", "mois")) and parts.any():
        yield "months or days", cells.records_where(parts)
    elif cells.is_number and not years.all() and not words.isdisjoint(("date", "dates", "datum", "fecha", "timestamp")):
        yield "numbers that may stand for days", cells.records_where(~years)


def is_age(name: str) -> bool:
    """Is a column named like an age of persons?"""
    words = words_of(name)
    return not AGE_WORDS.isdisjoint(words) and _NOT_OF_PEOPLE.isdisjoint(words)


def units_per_year(name: str) -> float:
    """How many units of an age make a year, by the name of the column."""
    return next((number for word, number in _UNITS.items() if word in words_of(name)), 1.0)


def old_ages(cells: Cells) -> Iterator[tuple[str, int]]:
    """Ages above 89 in a column that is named like an age, unless they are in a class without an upper end."""
    if not is_age(cells.name):
        return
    unit = units_per_year(cells.name)
    old = pl.Series([_tells_old_age(text, unit) for text in cells.texts.to_list()], dtype=pl.Boolean)
    if old.any():
        yield f"ages above {TOP - 1}", cells.records_where(old)


def _tells_old_age(text: str, unit: float) -> bool:
    """Does a text stand for ages of which some are above 89, and tell more of them than "90 or older"?"""
    span = _span(text)
    if span is None:
        return False
    low, high = span[0] / unit, span[1] / unit
    return high >= TOP and not (low <= TOP and high >= NOBODY)


def _span(text: str) -> tuple[float, float] | None:
    """The lowest and highest age that a text stands for."""
    closed = _SPAN.fullmatch(text)
    if closed is not None:
        high = float(closed["high"])
        return float(closed["low"]), math.nextafter(high, 0) if closed["end"] == ")" else high
    opened = _OPEN.fullmatch(text)
    if opened is None:
        return None
    end = float(opened["end"])
    if opened["most"]:
        return 0.0, math.nextafter(end, 0) if opened["most"].lower() in ("<", "under", "below") else end
    if opened["least"] or opened["more"]:
        beyond = (opened["least"] or "").lower() in (">", "over", "above")
        return end + beyond, math.inf  # over 89 is 90 or older
    return end, end


def years_in(cells: Cells) -> pl.Series:
    """The years of a column that holds years and nothing else; none of any other column."""
    numbers = cells.texts.cast(pl.Float64, strict=False)
    if (
        not cells.distinct
        or not (numbers.is_between(FIRST_YEAR, LAST_YEAR) & (numbers.floor() == numbers)).fill_null(False).all()
    ):
        return pl.Series([], dtype=pl.Float64)
    return numbers


def old_births(cells: Cells, year: float) -> Iterator[tuple[str, int]]:
    """Years of birth of those who were 90 or older in a year."""
    if _BIRTH.isdisjoint(words_of(cells.name)):
        return
    old = pl.Series([_tells_old_birth(text, year) for text in cells.texts.to_list()], dtype=pl.Boolean)
    if old.any():
        yield f"years of birth of ages above {TOP - 1}", cells.records_where(old)


def _tells_old_birth(text: str, year: float) -> bool:
    """Does a text stand for years of birth of which some are of ages above 89, and tell more than "90 or older"?"""
    found = _BORN.fullmatch(text)
    if found is None:
        return False
    first = float(found["first"])
    last = float(found["last"]) if found["last"] else first + 9 if found["decade"] else first
    if not FIRST_YEAR <= first <= last <= LAST_YEAR:
        return False
    if found["before"] or found["earlier"]:
        first = -math.inf
    elif found["after"] or found["later"]:
        last = math.inf
    oldest, youngest = year - first, year - last
    return oldest >= TOP and not (youngest <= TOP and oldest >= NOBODY)
