"""Dates as text: the forms in which they are written, and how a cell is read by one of them.

2024-05-31 is one day everywhere, and so is 31.05.2024: where points stand between the numbers, the day comes first. 5/6/2024
may be in May or in June: such a form is never guessed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from datetime import date
from functools import cache

import polars as pl

#: The forms that are read without being named: year, month, day, and with points the day first.
ISO, POINTS = "%Y-%m-%d", "%d.%m.%Y"
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_PARTS = {
    "%Y": r"(?P<year>\d{4})",
    "%m": r"(?P<month>\d{1,2})",
    "%d": r"(?P<day>\d{1,2})",
    "%b": rf"(?P<name>{'|'.join(name[:3] for name in MONTHS)})",
    "%B": rf"(?P<name>{'|'.join(MONTHS)})",
}
#: A time of day behind a date; a day begins at midnight.
_CLOCK = r"(?P<time>[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)?(?:Z|[+-]\d\d:?\d\d)?"
_MIDNIGHT = re.compile(r"[T ]00:00(?::00(?:\.0+)?)?")
#: A day whose month cannot be taken for it, as an example of a form.
MAY = date(2024, 5, 31)
#: Forms that can be read in two ways, by what stands between the numbers.
_TWO_WAYS = re.compile(r"\d{1,2}([/-])\d{1,2}\1\d{4}")
_SHORT_YEAR = re.compile(r"\d{1,2}[./-]\d{1,2}[./-]\d{2}")


def checked_format(form: str) -> str:
    """The form, if it says of each date its year, month and day, each once."""
    parts = re.findall(r"%.", form)
    unknown = [part for part in parts if part not in _PARTS]
    if "%y" in unknown:
        raise ValueError("%y: a year of two digits may be of two centuries: write years with four digits (%Y)")
    if unknown:
        raise ValueError(f"{unknown[0]} is not a part of a date: give {', '.join(_PARTS)}")
    month = sum(part in ("%m", "%b", "%B") for part in parts)
    if parts.count("%Y") != 1 or parts.count("%d") != 1 or month != 1:
        raise ValueError(f"{form!r} does not name year, month and day once each: write it as '%d.%m.%Y'")
    return form


@cache
def _pattern(form: str) -> re.Pattern[str]:
    pieces = re.split(r"(%.)", form)
    written = "".join(_PARTS[piece] if piece in _PARTS else re.escape(piece) for piece in pieces)
    return re.compile(rf"\s*(?P<date>{written}){_CLOCK}\s*", re.IGNORECASE | re.ASCII)


def read_day(text: str, forms: Sequence[str]) -> tuple[date, str, bool] | None:
    """The day that a text is, the form in which it is written, and whether it has a time of day; None: it is none."""
    for form in forms:
        found = _pattern(form).fullmatch(text)
        if found is None:
            continue
        parts = found.groupdict()
        name = parts.get("name")
        month = int(parts["month"]) if name is None else _month(name)
        try:
            day = date(int(parts["year"]), month, int(parts["day"]))
        except ValueError:  # no such day
            continue
        time = parts["time"]
        return day, form, time is not None and not _MIDNIGHT.fullmatch(time)
    return None


def with_day(text: str, forms: Sequence[str], day: date) -> str:
    """A text that is read by one of the forms, with another day and the same time of day."""
    for form in forms:
        found = _pattern(form).fullmatch(text)
        if found is not None and read_day(text, [form]) is not None:
            first, last = found.span("date")
            return text[:first] + write_day(day, form) + text[last:]
    raise ValueError("the text is not read by any of these forms")


def _month(name: str) -> int:
    return 1 + [month[:3].lower() for month in MONTHS].index(name[:3].lower())


def write_day(day: date, form: str) -> str:
    """A day in a form; the same on every machine, whatever its language."""
    name = MONTHS[day.month - 1]
    parts = {"%Y": f"{day.year:04d}", "%m": f"{day.month:02d}", "%d": f"{day.day:02d}", "%b": name[:3], "%B": name}
    return "".join(parts.get(piece, piece) for piece in re.split(r"(%.)", form))


def readings(texts: Sequence[str]) -> dict[str, bool]:
    """The two forms of texts such as 05/06/2024, day first and month first, and whether each reads all of them; none where
    they are written otherwise."""
    marks = [_TWO_WAYS.fullmatch(text.strip()) for text in texts]
    if not marks or len({None if mark is None else mark[1] for mark in marks}) > 1 or marks[0] is None:
        return {}
    between = marks[0][1]
    ways = (f"%d{between}%m{between}%Y", f"%m{between}%d{between}%Y")
    return {way: all(read_day(text, [way]) is not None for text in texts) for way in ways}


def _shown(forms: Sequence[str]) -> str:
    """Forms, and how a day is written in them."""
    return " or ".join(f"{form!r} (31 May 2024 is {write_day(MAY, form)})" for form in forms)


def remedy(lost: Sequence[str], every: Sequence[str], forms: Sequence[str]) -> tuple[str, str]:
    """What is wrong with texts that none of the forms reads, and what to do about it.

    ``every``: all texts of the column. A format is advised only where it reads all of them, or where nothing was read.
    """
    ways = readings(every)
    fit = [way for way, fits in ways.items() if fits]
    if ways and (fit or len(lost) == len(every)):
        shown = [f"format: '{way}' ({'day' if way.startswith('%d') else 'month'} first)" for way in fit or ways]
        only = "Only one of the two reads all of them: set" if len(fit) == 1 else "Say which it is: set"
        return "that can be read in two ways, day first or month first", f"{only} {' or '.join(shown)}."
    if all(_SHORT_YEAR.fullmatch(text.strip()) for text in lost):
        return "with a year of two digits, which may be of two centuries", "Write years with four digits."
    expected = _shown(forms)
    other = next((form for form in (ISO, POINTS) if all(read_day(text, [form]) for text in every)), None)
    if other is not None:
        return f"in another form than {expected}", f"All values have another form: set format: '{other}'."
    if len(lost) < len(every):
        mend = "Correct the cells: the other dates of the column have that form."
        if all(read_day(text, (ISO, POINTS, *readings(lost))) for text in lost):
            return f"in another form than {expected}", mend
        return f"that {'are not dates' if len(lost) > 1 else 'is not a date'} of the form {expected}", mend
    return "", (
        "Correct them, or say how the column writes dates: format: '%d.%m.%Y' (parts: %Y %m %d, %b or %B for names of months)."
    )


def commonest_form(texts: pl.Series, forms: Sequence[str]) -> str:
    """The form of days that most of these texts have."""
    tally: Counter[str] = Counter()
    for text, records in texts.cast(pl.String).alias("text").drop_nulls().value_counts(name="records").iter_rows():
        found = read_day(text, forms)
        tally[ISO if found is None else found[1]] += records
    return commonest(tally, forms)


def commonest(tally: Counter[str], forms: Sequence[str]) -> str:
    """The one of these forms that most texts have; of several the usual one, else the first that is named."""
    return max(forms, key=lambda form: (tally[form], form == ISO))
