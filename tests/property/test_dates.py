"""Dates against their plain twins: distances, means, medians, units of the calendar, and what all methods make of them.

A date is the number of its day. So every method masks dates as it masks these numbers, and the twins of numbers are theirs.
"""

from __future__ import annotations

import random
from datetime import date, timedelta
from typing import Any

import numpy as np
import polars as pl
import pytest

import ontomask as om
from ontomask.hierarchies.calendar import EPOCH, unit_days, unit_text
from ontomask.kinds.date_texts import ISO, POINTS, read_day, write_day
from ontomask.microdata.columns import Column, encode_column
from tests.contract.test_methods import AIMING, NAMES, method
from tests.oracle import plain_dates as twin

#: The ends of the calendar, of years, of centuries, and the leap days.
EDGES = [
    *(date(1, 1, 1), date(9, 12, 31), date(10, 1, 1), date(9999, 12, 31), date(9999, 1, 1), date(9990, 1, 1)),
    *(date(year, month, day) for year in (1900, 1999, 2000, 2020, 2024) for month, day in ((1, 1), (12, 31), (2, 28))),
    *(date(2000, 2, 29), date(2024, 2, 29), date(1970, 1, 1), date(1969, 12, 31)),
    # Around New Year the week is often one of the other year.
    *(date(year, 12, 29) + timedelta(days=i) for year in range(2003, 2027) for i in range(7)),
]


def days(seed: int, n: int) -> list[date]:
    chance = random.Random(seed)
    return [date.fromordinal(chance.randint(1, date.max.toordinal())) for _ in range(n)]


def column(values: list[date | None], **settings: Any) -> Column:
    return encode_column("day", om.Date(**settings), pl.Series("day", values, dtype=pl.Date), []).column


@pytest.mark.parametrize("unit", twin.UNITS)
def test_units_of_the_calendar(unit: str) -> None:
    for day in [*EDGES, *days(1, 3000)]:
        text = unit_text(unit, day)
        assert text == twin.unit(unit, day)
        found = unit_days(text)
        assert found is not None
        if unit in ("week", "month", "quarter") or day in EDGES:
            assert tuple(date.fromordinal(place + EPOCH) for place in found) == twin.days_of(unit, day)
        assert om.Date().fits(text)


def test_texts_that_are_no_unit() -> None:
    for text in (
        "2024-W54",
        "2023-W53",
        "2024-W00",
        "2024-13",
        "2024-00",
        "2024-Q5",
        "0000",
        "0000-01",
        "2025s",
        "24",
        "",
    ):
        assert unit_days(text) is None
        assert not om.Date().fits(text)
    assert unit_days("0000s") == (1 - EPOCH, date(9, 12, 31).toordinal() - EPOCH)


@pytest.mark.parametrize("form", [ISO, POINTS, "%m/%d/%Y", "%d %b %Y", "%B %d, %Y", "%Y%m%d", "%d%b%Y"])
def test_days_are_read_as_they_are_written(form: str) -> None:
    for day in [*EDGES, *days(2, 2000)]:
        assert read_day(write_day(day, form), [form]) == (day, form, False)
        assert om.Date(format=form).position_of(write_day(day, form)) == day.toordinal() - EPOCH


@pytest.mark.parametrize("seed", range(30))
def test_distances_means_and_medians(seed: int) -> None:
    chance = random.Random(seed)
    among = days(seed, 12) if seed % 2 else [date(2024, 2, 20) + timedelta(days=i) for i in range(12)]
    values = [chance.choice(among) for _ in range(chance.randint(1, 40))]
    made = column([*values])
    distinct = made.values.to_list()
    expected = [[twin.distance(one, other) for other in distinct] for one in distinct]
    assert made.metric().between_codes.tolist() == expected
    frame = pl.DataFrame({"day": values})
    for centre, plain in (("mean", twin.mean), ("median", twin.median)):
        rules = om.Policy(
            attributes={"day": om.Date()}, method=om.Microaggregation(k=len(values), numeric_centre=centre)
        )
        assert set(om.anonymize(frame, rules).data["day"].to_list()) == {plain(values)}


@pytest.mark.parametrize("levels", [["day", "week"], ["month", "quarter", "year", "decade"], ["year"]], ids=str)
@pytest.mark.parametrize("seed", range(10))
def test_levels_join_whole_units(seed: int, levels: Any) -> None:
    values = [*days(seed, 40), *random.Random(seed).sample(EDGES, 40)]
    made = column([*dict.fromkeys(values), None])
    found = om.Calendar(levels=levels).column_levels(made).levels[1:]
    units = [unit for unit in levels if unit != "day"]
    assert [level.name for level in found] == [*units, "any"]
    low, high = min(values), max(values)
    for unit, level in zip(units, found, strict=False):
        assert level.shown.gather(level.group).to_list() == [
            None if day is None else twin.unit(unit, day) for day in made.values.to_list()
        ]
        for group, (text, centre, penalty) in enumerate(zip(level.shown, level.centres, level.penalty, strict=True)):
            if text is None:
                continue
            day = made.values[int(np.flatnonzero(level.group == group)[0])]
            first, last = twin.days_of(unit, day)
            inside = max(first, low), min(last, high)
            assert centre == (inside[0].toordinal() + inside[1].toordinal()) / 2 - EPOCH
            assert penalty == pytest.approx(min(1, ((last - first).days + 1) / (high - low).days))


@pytest.mark.parametrize("seed", range(20))
def test_intervals_are_read_back(seed: int) -> None:
    """What is written as an interval is read as the days that it holds."""
    chance = random.Random(seed)
    kind = om.Date(format=chance.choice([None, "%d/%m/%Y"]))
    made = column([*days(seed, 5)], format=kind.format)
    assert made.line is not None
    for _ in range(100):
        low, width = chance.randint(-719162, 2932000), chance.choice([1, 7, 31, 365, 3650])
        closed = chance.random() < 0.5
        text = made.line.interval_text(float(low), float(min(low + width, 2932896)), closed=closed)
        assert kind.span_of(text) == (low, min(low + width, 2932896) - (not closed))


# ---- methods -----------------------------------------------------------------------------------------------------


def table(seed: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    some = date(2019, 11, 5).toordinal() - EPOCH + rng.integers(0, 900, (3, 50))
    frame = pl.DataFrame({"seen": some[0], "gaps": some[1], "ill": some[2], "sex": rng.choice(["f", "m"], 50)})
    frame = frame.with_columns(pl.when(pl.Series(rng.random(50) < 0.8)).then("gaps").alias("gaps"))
    return pl.concat([frame, frame.head(4), frame.head(4)])  # suppression leaves these


def policy(name: str, kind: Any, hierarchy: Any = None) -> om.Policy:
    chosen = method(name, 3)
    if name in AIMING:
        chosen = chosen.changed(hierarchies=dict.fromkeys(("seen", "gaps"), hierarchy))
    attributes = {"seen": kind(), "gaps": kind(missing="category"), "ill": kind(role="sensitive"), "sex": om.Flat()}
    return om.Policy(attributes=attributes, method=chosen, require=[om.KAnonymity(k=3)] if name in AIMING else [])


def numbers(**settings: Any) -> Any:
    return om.Numeric(decimals=0, **settings)


def as_days(shown: Any) -> Any:
    """The number of a day, or an interval of them, as dates."""
    if shown is None or shown == "*":
        return shown
    return " to ".join(str(date.fromordinal(EPOCH + int(part))) for part in str(shown).split("-"))


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", NAMES)
def test_every_method_masks_dates_as_the_numbers_of_their_days(name: str, seed: int) -> None:
    frame = table(seed)
    dates = frame.with_columns(pl.col(column).cast(pl.Int32).cast(pl.Date) for column in ("seen", "gaps", "ill"))
    hierarchy = om.Intervals(width=30)
    found = om.anonymize(dates, policy(name, om.Date, hierarchy), seed=seed)
    plain = om.anonymize(frame, policy(name, numbers, hierarchy), seed=seed)
    for one, other in zip(found.releases, plain.releases, strict=True):
        for column in ("seen", "gaps", "ill"):
            shown = [None if value is None else str(value) for value in one[column].to_list()]
            assert shown == [as_days(value) for value in other[column].to_list()]
    assert found.loss().headline == pytest.approx(plain.loss().headline)
