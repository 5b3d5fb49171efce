"""Shifts of dates: all dates of a person move by the same number of days, which a key and the person decide.

A shift is a number of steps, days or weeks, from -n to n but 0. With h = HMAC-SHA256(key, n, days of a step, person) as a whole
number and r = h mod 2n, it is r - n where r < n, else r - n + 1: each of the 2n shifts has the same probability, up to 2^-256.
Without the key nobody can compute it. Persons are compared as texts, as :mod:`ontomask.microdata.pseudonyms` says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from ontomask.arguments import counted, free_name
from ontomask.arrays import Longs
from ontomask.microdata.keys import Key
from ontomask.microdata.pseudonyms import known_keys
from ontomask.settings import whole_number
from ontomask.statements import Statement, note
from ontomask.wording import PERSON

WEEK = 7
#: Dates are shifted by no more days than a century has.
MOST_DAYS = 36_525


class Shift(NamedTuple):
    """How dates are shifted: by at most so many steps, of so many days each."""

    most: int
    step: int

    def days(self, key: Key, person: Sequence[str]) -> int:
        """By how many days the dates of a person move: never by 0."""
        code = key.derive("date shift", str(self.most), str(self.step), *person)
        steps = int.from_bytes(code, "big") % (2 * self.most) - self.most
        return self.step * (steps + 1 if steps >= 0 else steps)

    @property
    def in_words(self) -> str:
        """How far dates move, back or forth."""
        return f"1 to {counted(self.most, 'week' if self.step == WEEK else 'day')}"


def checked_shift(days: Any) -> Any:
    """The most days of a shift, if dates can be shifted so far."""
    if days is not None and not 1 <= whole_number(days) <= MOST_DAYS:
        raise ValueError(f"{days} days: give 1 to {MOST_DAYS:,}")
    return days


def shifts_of_records(
    data: pl.DataFrame, person: Sequence[str], shifts: Mapping[str, Shift], key: Key
) -> dict[str, Longs]:
    """Of each column that is shifted, by how many days the date of each record moves.

    ``data``: with their identifiers; ``person``: the columns that say whose a record is.
    """
    if not shifts:
        return {}
    keys = known_keys(data, person, PERSON).cast(pl.String)
    distinct, place = keys.unique(maintain_order=True), free_name("place", person)
    places = keys.join(distinct.with_row_index(place), on=list(person), how="left", maintain_order="left")[place]
    persons = distinct.rows()
    moves = {
        shift: np.array([shift.days(key, texts) for texts in persons], dtype=np.int64) for shift in set(shifts.values())
    }
    return {name: moves[shift][places.to_numpy()] for name, shift in shifts.items()}


def shift_note(shifts: Mapping[str, Shift]) -> Statement:
    """Which dates were shifted, and how far at most."""
    told = ", ".join(f"{name} ({shift.in_words})" for name, shift in shifts.items())
    return note(f"dates shifted back or forth, in each column all dates of a person by the same number of days: {told}")


def moved(dates: pl.Series, days: Longs) -> pl.Series:
    """Dates or points in time, each later by its number of days, at the same time of day on the clock of their zone.

    A time that the clock skips on the new day is that an hour later, and of one that it shows twice the first is meant.
    """
    step = pl.select(pl.duration(days=pl.lit(pl.Series(days)))).to_series()
    zone = dates.dtype.time_zone if isinstance(dates.dtype, pl.Datetime) else None
    if zone is None:
        return dates + step
    clock = dates.dt.replace_time_zone(None) + step
    there = clock.dt.replace_time_zone(zone, ambiguous="earliest", non_existent="null")
    skipped = (clock + timedelta(hours=1)).dt.replace_time_zone(zone, ambiguous="earliest", non_existent="null")
    return pl.select(pl.coalesce(pl.lit(there), pl.lit(skipped))).to_series().rename(dates.name)
