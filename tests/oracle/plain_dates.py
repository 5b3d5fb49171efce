"""Dates as the specification states them, by walking through days: slow and plain."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence
from datetime import date, timedelta
from fractions import Fraction

UNITS = ("week", "month", "quarter", "year", "decade")


def distance(one: date, other: date) -> int:
    """In days."""
    return abs((one - other).days)


def mean(days: Sequence[date]) -> date:
    """The mean day, rounded; a half goes to the even day, counted from 1970-01-01."""
    start = date(1970, 1, 1)
    return start + timedelta(days=round(Fraction(sum((day - start).days for day in days), len(days))))


def median(days: Sequence[date]) -> date:
    """The middle day, or the mean of the two in the middle."""
    ranked = sorted(days)
    return mean([ranked[(len(ranked) - 1) // 2], ranked[len(ranked) // 2]])


def unit(name: str, day: date) -> str:
    """The unit of the calendar that a day lies in, as text. A week is of the year that its Thursday lies in."""
    year = f"{day.year:04d}"
    if name == "week":
        thursday = date.fromordinal(day.toordinal() + 3 - day.weekday())
        return f"{thursday.year:04d}-W{(thursday - date(thursday.year, 1, 1)).days // 7 + 1:02d}"
    if name == "month":
        return f"{year}-{day.month:02d}"
    if name == "quarter":
        return year + "-Q" + "111222333444"[day.month - 1]
    return year if name == "year" else f"{year[:3]}0s"


def days_of(name: str, day: date) -> tuple[date, date]:
    """The first and the last day of that unit."""
    first = last = day
    while first > date.min and unit(name, first - timedelta(days=1)) == unit(name, day):
        first -= timedelta(days=1)
    while last < date.max and unit(name, last + timedelta(days=1)) == unit(name, day):
        last += timedelta(days=1)
    return first, last


def shift(key: bytes, most: int, step: int, person: list[str]) -> int:
    """The days by which the dates of a person move: of all shifts but 0, from back to forth, the one at h mod their number."""
    parts = [part.encode() for part in ("date shift", str(most), str(step), *person)]
    message = b"".join(struct.pack(">Q", len(part)) + part for part in parts)
    inner, outer = (bytes(byte ^ pad for byte in key.ljust(64, b"\0")) for pad in (0x36, 0x5C))
    digest = hashlib.sha256(outer + hashlib.sha256(inner + message).digest()).hexdigest()
    shifts = [steps * step for steps in range(-most, most + 1) if steps != 0]
    return shifts[int(digest, 16) % len(shifts)]
