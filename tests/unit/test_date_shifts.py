"""Shifts of dates: all dates of a person move alike, by days that a key and the person decide."""

from __future__ import annotations

import base64
from collections import Counter
from datetime import date, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from typer.testing import CliRunner

import ontomask as om
from ontomask.cli import app
from ontomask.errors import DataError, OptionError, PolicyError
from ontomask.microdata.date_shifts import Shift, moved
from ontomask.microdata.keys import Key
from tests.oracle import plain_dates as twin

KEY = bytes(range(7, 39))
OTHER = bytes(range(100, 132))
MOST = 365


def policy(*, person: Any = "pid", method: Any = None, **dates: Any) -> om.Policy:
    """Stays of persons; every column of dates is kept unless it is given."""
    attributes: dict[str, Any] = {"pid": om.Identifier(), "age": om.Numeric()}
    return om.Policy(
        attributes={**attributes, **dates}, method=method or om.Microaggregation(k=3), person=person, unlisted="other"
    )


def shifting(**settings: Any) -> Any:
    return om.Date(**({"role": "other", "shift": MOST} | settings))


def stays(n: int = 60) -> pl.DataFrame:
    rng = np.random.default_rng(3)
    begun = [date(2020, 1, 1) + timedelta(days=int(day)) for day in rng.integers(0, 900, n)]
    return pl.DataFrame(
        {
            "pid": [100 + i // 3 for i in range(n)],
            "age": rng.integers(20, 80, n),
            "begun": begun,
            "ended": [day + timedelta(days=int(more)) for day, more in zip(begun, rng.integers(0, 60, n), strict=True)],
        }
    )


def released(frame: Any, chosen: om.Policy, key: Any = KEY) -> pl.DataFrame:
    data: pl.DataFrame = om.anonymize(frame, chosen, key=key).data
    return data


def moves(before: pl.Series, after: pl.Series) -> list[timedelta | None]:
    return [None if a is None else b - a for a, b in zip(before.to_list(), after.to_list(), strict=True)]


# ---- the days of a person --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("most", "step"), [(1, 1), (3, 1), (365, 1), (1, 7), (52, 7), (36_525, 1)])
def test_shifts_are_those_of_the_plain_twin(most: int, step: int) -> None:
    for person in (["17"], ["017"], ["x", "y"], ["xy"], ["Ä"]):
        days = Shift(most, step).days(Key(KEY), person)
        assert days == twin.shift(KEY, most, step, person)
        assert days % step == 0
        assert 0 < abs(days) <= most * step


@pytest.mark.parametrize("most", [1, 4])
def test_every_shift_but_0_is_as_likely(most: int) -> None:
    tally = Counter(Shift(most, 1).days(Key(KEY), [str(person)]) for person in range(8000))
    assert sorted(tally) == [day for day in range(-most, most + 1) if day]
    share = 8000 / (2 * most)
    assert all(abs(count - share) < 5 * share**0.5 for count in tally.values())


def test_all_days_between_events_of_a_person_are_exact() -> None:
    rng = np.random.default_rng(11)
    n, persons = 100_000, 4000
    begin = datetime(2015, 1, 1)
    times = [begin + timedelta(seconds=int(second)) for second in rng.integers(0, 9 * 365 * 86_400, n)]
    frame = pl.DataFrame(
        {
            "pid": rng.integers(0, persons, n),
            "age": rng.integers(20, 30, n),
            "event": times,
            "day": [time.date() for time in times],
        }
    )
    chosen = policy(event=shifting(time_of_day="keep"), day=shifting())
    after = released(frame, chosen)
    moved = frame.select(
        "pid",
        event=(after["event"] - frame["event"]).dt.total_microseconds(),
        day=(after["day"] - frame["day"]).dt.total_days(),
    )
    # The days between two events are exact where both moved by the same: of all pairs of a person.
    assert moved.group_by("pid").agg(pl.col("event", "day").n_unique()).select("event", "day").unique().rows() == [
        (1, 1)
    ]
    assert (moved["event"] == moved["day"] * 86_400_000_000).all()
    days = moved["day"].abs()
    assert days.min() == 1
    assert days.max() == MOST
    assert (after["event"].dt.time() == frame["event"].dt.time()).all()
    some = frame["pid"].unique().sort().head(20)
    for person in some:
        own = pl.arange(n, eager=True).filter(frame["pid"] == person).to_list()
        for one, other in pairwise(own):
            assert after["event"][other] - after["event"][one] == frame["event"][other] - frame["event"][one]
    assert {twin.shift(KEY, MOST, 1, [str(p)]) for p in some} == set(moved.filter(pl.col("pid").is_in(some))["day"])


def test_one_person_moves_alike_in_all_columns_and_tables() -> None:
    frame = stays()
    chosen = policy(begun=shifting(), ended=shifting())
    after = released(frame, chosen)
    by_column = {name: moves(frame[name], after[name]) for name in ("begun", "ended")}
    assert by_column["begun"] == by_column["ended"]
    of_person = dict(zip(frame["pid"], by_column["begun"], strict=True))
    # Another table: in another order, its persons as text, in a column with another name, its dates as text.
    other = frame.sample(fraction=1, shuffle=True, seed=5)
    table = other.select(patient=pl.col("pid").cast(pl.String), age="age", seen=pl.col("begun").dt.strftime("%d.%m.%Y"))
    attributes = {"patient": om.Identifier(keep="pseudonym"), "age": om.Numeric(), "seen": shifting()}
    visits = om.Policy(attributes=attributes, method=om.Microaggregation(k=3), person="patient")
    shown = released(table, visits)["seen"].str.to_date("%d.%m.%Y")
    assert moves(other["begun"], shown) == [of_person[person] for person in other["pid"]]
    assert released(frame, chosen, OTHER)["begun"].to_list() != after["begun"].to_list()
    drawn = [om.anonymize(frame, chosen).data["begun"].to_list() for _ in range(2)]
    assert drawn[0] != drawn[1]


def test_settings_that_differ_move_apart() -> None:
    frame = stays(300)
    after = released(frame, policy(begun=shifting(), ended=shifting(shift=366)))
    pairs = zip(moves(frame["begun"], after["begun"]), moves(frame["ended"], after["ended"]), strict=True)
    assert sum(one == other for one, other in pairs) < 30


def test_whole_weeks_keep_the_weekday() -> None:
    frame = stays(300)
    after = released(frame, policy(begun=shifting(shift=30, shift_by="weeks")))
    assert (after["begun"].dt.weekday() == frame["begun"].dt.weekday()).all()
    assert {found.days for found in moves(frame["begun"], after["begun"]) if found} == {
        *range(-28, 0, 7),
        *range(7, 29, 7),
    }


def test_a_person_of_several_columns() -> None:
    frame = stays().with_columns(site=pl.Series([f"s{i // 6 % 2}" for i in range(60)]))
    attributes = {"pid": om.Identifier(), "site": om.Identifier(), "age": om.Numeric(), "begun": shifting()}
    chosen = om.Policy(attributes=attributes, method=om.Microaggregation(k=3), person=["pid", "site"], unlisted="other")
    found = moves(frame["begun"], released(frame, chosen)["begun"])
    expected = [twin.shift(KEY, MOST, 1, [str(pid), site]) for pid, site in frame.select("pid", "site").iter_rows()]
    assert [move.days for move in found if move] == expected


# ---- with all else ---------------------------------------------------------------------------------------------------

FORMS: dict[str, Any] = {
    "dates": lambda days: days,
    "text": lambda days: days.dt.strftime("%d/%m/%Y"),
    "categories": lambda days: days.dt.strftime("%d/%m/%Y").cast(pl.Categorical),
    "numbers": lambda days: days.dt.strftime("%Y%m%d").cast(pl.Int64),
}


@pytest.mark.parametrize("form", FORMS)
def test_dates_in_every_form(form: str) -> None:
    frame = stays()
    written = {"dates": None, "numbers": "%Y%m%d"}.get(form, "%d/%m/%Y")
    given = frame.with_columns(begun=FORMS[form](frame["begun"]))
    shown = released(given, policy(begun=shifting(format=written)))["begun"]
    days = shown if form == "dates" else shown.cast(pl.String).str.to_date(written)
    assert [move.days for move in moves(frame["begun"], days) if move] == [
        twin.shift(KEY, MOST, 1, [str(pid)]) for pid in frame["pid"]
    ]


def test_categories_of_pandas_are_not_handed_out() -> None:
    frame = stays().to_pandas()
    frame["begun"] = pd.Categorical(frame["begun"].dt.strftime("%Y-%m-%d"))
    shown = om.anonymize(frame, policy(begun=shifting()), key=KEY).data["begun"]
    held = set(shown.cat.categories) if isinstance(shown.dtype, pd.CategoricalDtype) else set(shown)
    assert held == set(shown)


def test_a_quasi_identifier_is_shifted_and_then_masked() -> None:
    frame = stays()
    shift = [twin.shift(KEY, MOST, 1, [str(pid)]) for pid in frame["pid"]]
    moved = frame.with_columns(
        begun=pl.Series([d + timedelta(days=s) for d, s in zip(frame["begun"], shift, strict=True)])
    )
    chosen, still = (policy(begun=om.Date(shift=days)) for days in (MOST, None))
    result = om.anonymize(frame, chosen, key=KEY)
    expected = om.anonymize(moved, still)
    assert result.data["begun"].to_list() == expected.data["begun"].to_list()
    assert result.assessment.loss == expected.assessment.loss
    assert result.verification.holds
    assert result.mapping.equals(expected.mapping)


def test_open_ends_are_of_shifted_dates() -> None:
    frame = stays()
    shown = released(frame, policy(begun=shifting(latest="2021-06-30")))["begun"]
    shift = [twin.shift(KEY, MOST, 1, [str(pid)]) for pid in frame["pid"]]
    for text, day, days in zip(shown, frame["begun"], shift, strict=True):
        moved = day + timedelta(days=days)
        assert text == ("2021-06-30 or later" if moved >= date(2021, 6, 30) else str(moved))


def test_missing_dates_stay_missing() -> None:
    frame = stays().with_columns(begun=pl.when(pl.col("age") > 40).then("begun"))
    assert released(frame, policy(begun=shifting()))["begun"].is_null().to_list() == frame["begun"].is_null().to_list()


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_points_in_time_are_read_back(format: str, tmp_path: Path) -> None:
    times = pl.Series([datetime(2020, 3, 28, 12, 30) + timedelta(hours=7 * i) for i in range(60)])
    frame = stays().with_columns(begun=times)
    file = tmp_path / f"stays.{format}"
    frame.write_csv(file) if format == "csv" else frame.write_parquet(file)
    chosen = policy(begun=shifting(time_of_day="keep"), ended=shifting())
    folder = om.anonymize(file, chosen, key=KEY).save(tmp_path / "out")
    assert om.verify_result(folder).holds
    after = om.read_table(folder / "release" / f"release.{format}").data
    for name in ("begun", "ended"):
        shown = after[name].str.to_datetime(time_unit="us") if after[name].dtype == pl.String else after[name]
        found = [move for move in moves(frame[name], shown.cast(frame[name].dtype)) if move]
        assert [move.total_seconds() / 86_400 for move in found] == [
            twin.shift(KEY, MOST, 1, [str(pid)]) for pid in frame["pid"]
        ]


def test_points_in_time_of_a_zone_move_by_whole_days() -> None:
    times = pl.Series([datetime(2020, 3, 28, 12, 30) + timedelta(hours=7 * i) for i in range(60)])
    frame = stays().with_columns(begun=times.dt.replace_time_zone("UTC").dt.convert_time_zone("Europe/Madrid"))
    after = released(frame, policy(begun=shifting(time_of_day="keep")))["begun"]
    # By the clock of the zone: days of the calendar, whatever the hour of the sun; a skipped hour is the next one.
    hours = (after.dt.replace_time_zone(None) - frame["begun"].dt.replace_time_zone(None)).dt.total_hours()
    days = [twin.shift(KEY, MOST, 1, [str(pid)]) for pid in frame["pid"]]
    assert hours.to_list() == [24 * day for day in days]


def test_days_between_are_those_of_the_calendar_in_a_zone() -> None:
    """Over a change of the clock, too: elsewhere midnight and a half would be the day before."""
    begun = pl.Series([datetime(2024, 7, 10, 0, 30) + timedelta(days=i) for i in range(60)])
    frame = stays().with_columns(
        begun=begun.dt.replace_time_zone("Europe/Berlin"), ended=(begun.dt.date() + timedelta(days=2))
    )
    chosen = policy(begun=shifting(time_of_day="keep"), ended=shifting())
    data = released(frame, chosen)
    assert (data["ended"] - data["begun"].dt.date()).dt.total_days().to_list() == [2] * 60


def test_a_time_that_the_clock_skips_is_an_hour_later() -> None:
    night = pl.Series([datetime(2024, 3, 24, 2, 30)]).dt.replace_time_zone("Europe/Berlin")
    assert str(moved(night, np.array([7]))[0]) == "2024-03-31 03:30:00+02:00"


# ---- what is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"shift": 0}, "0 days: give 1 to 36,525"),
        ({"shift": -3}, "-3 days: give 1 to"),
        ({"shift": 40_000}, "40000 days: give 1 to"),
        ({"shift": 2.5}, "2.5"),
        ({"shift": True}, "whole number"),
        ({"shift": 6, "shift_by": "weeks"}, "shift_by: weeks goes with a shift of 7 days or more"),
        ({"shift_by": "weeks"}, "shift_by: weeks goes with a shift of 7 days or more"),
        ({"time_of_day": "keep"}, "time_of_day: keep is for columns with role: other"),
        ({"time_of_day": "keep", "role": "other", "latest": "2024-01-01"}, "without earliest and latest"),
    ],
)
def test_settings_that_cannot_be_meant(settings: Any, expected: str) -> None:
    with pytest.raises(PolicyError, match=expected):
        om.Date(**settings)


def test_a_policy_that_names_no_person() -> None:
    with pytest.raises(
        PolicyError, match=r"shifted by person \(begun\), and the policy does not say whose a record is"
    ):
        policy(person=[], begun=shifting())


def test_records_of_nobody() -> None:
    frame = stays().with_columns(pid=pl.when(pl.col("pid") > 100).then("pid"))
    with pytest.raises(DataError, match=r"3 records do not say whose they are \(records 1, 2, 3\)") as caught:
        om.anonymize(frame, policy(begun=shifting()))
    assert caught.value.rows == [1, 2, 3]
    blank = stays().with_columns(pid=pl.when(pl.col("age") < 0).then(pl.lit("x")).otherwise(pl.lit(" ")))
    with pytest.raises(DataError, match="do not say whose they are"):
        om.anonymize(blank, policy(begun=shifting()))


def test_dates_that_leave_the_calendar() -> None:
    frame = stays().with_columns(begun=pl.lit(date(9999, 12, 31)))
    with pytest.raises(DataError, match="outside of the years 1 to 9999 once shifted"):
        om.anonymize(frame, policy(begun=shifting()), key=KEY)


def test_times_as_text_stay_as_they_are_written() -> None:
    clocks = [" 12:30", "", "T07:05:09.25", " 00:00", "T23:59:59Z", " 08:00:00+02:00"] * 10
    frame = stays()
    text = frame.with_columns(begun=pl.col("begun").dt.strftime("%d.%m.%Y") + pl.Series(clocks))
    expected = [
        (day + timedelta(days=twin.shift(KEY, MOST, 1, [str(pid)]))).strftime("%d.%m.%Y") + clock
        for pid, day, clock in zip(frame["pid"], frame["begun"], clocks, strict=True)
    ]
    result = om.anonymize(text, policy(begun=shifting(time_of_day="keep")), key=KEY)
    assert result.data["begun"].to_list() == expected
    assert result.verification.holds
    still = om.anonymize(text, policy(begun=om.Date(role="other", time_of_day="keep")))
    assert still.data["begun"].to_list() == text["begun"].to_list()


def test_times_are_not_masked() -> None:
    points = stays().with_columns(pl.col("begun").cast(pl.Datetime) + timedelta(hours=3))
    named = om.NoiseAddition(columns=["age", "begun"])
    with pytest.raises(DataError, match="60 values with a time of day"):
        om.anonymize(points, policy(method=named, begun=shifting(time_of_day="keep")))


def test_a_key_that_nothing_needs() -> None:
    with pytest.raises(OptionError, match="no column of the policy is released as a pseudonym or shifted"):
        om.anonymize(stays(), policy(), key=KEY)


# ---- what is said, and what is written -------------------------------------------------------------------------------


def test_what_is_said() -> None:
    result = om.anonymize(stays(), policy(begun=shifting(), ended=shifting(shift=30, shift_by="weeks")))
    notes = [str(one) for one in result.notes]
    assert (
        "dates shifted back or forth, in each column all dates of a person by the same number of days: "
        "begun (1 to 365 days), ended (1 to 4 weeks)"
    ) in notes
    assert "shifts of dates were made with a new key, which a saved result keeps in confidential/key.txt" in notes
    told = {one.kind: one.text for one in result.guarantees if one.subject == "shifted dates"}
    assert sorted(told) == ["assumed", "caveat"]
    assert "Dates were shifted (begun, ended)" in told["assumed"]
    assert "kept with the confidential files" in told["assumed"]
    pseudonyms = {"pid": om.Identifier(keep="pseudonym")}
    both = om.anonymize(
        stays(), policy(begun=shifting()).changed(attributes=policy(begun=shifting()).attributes | pseudonyms)
    )
    assert any(str(one).startswith("pseudonyms and shifts of dates were made with a new key") for one in both.notes)
    plain = om.anonymize(stays(), policy())
    assert not [one for one in plain.guarantees if one.subject == "shifted dates"]


def spellings(key: bytes) -> list[bytes]:
    coded = (base64.b64encode, base64.urlsafe_b64encode, base64.b32encode)
    return [key, key.hex().encode(), key.hex().upper().encode(), *(code(key).rstrip(b"=") for code in coded)]


def test_what_is_said_of_masked_dates_and_of_several_shifts() -> None:
    masked = policy(begun=shifting(role="quasi"))
    said = " ".join(map(str, om.anonymize(stays().drop("ended"), masked, key=KEY).guarantees))
    assert "by the same number of days (1 to 365 days back or forth), and masked after that." in said
    assert "exact" not in said
    assert "knows the days between" not in said
    both = policy(begun=shifting(role="quasi"), ended=shifting(shift=28, shift_by="weeks"))
    said = " ".join(map(str, om.anonymize(stays(), both, key=KEY).guarantees))
    assert (
        "in columns with equal shift settings, by the same number of days (1 to 365 days, 1 to 4 weeks back or forth)"
        in said
    )
    assert "so the days between them are exact (ended)" in said
    assert "Nor against an intruder who knows the days between dates of a person" in said


def test_the_command_line(tmp_path: Path) -> None:
    frame = stays()
    frame.write_csv(tmp_path / "stays.csv")
    policy(begun=om.Date(shift=90), ended=shifting()).save(tmp_path / "policy.yaml")
    assert "shift: 90" in (tmp_path / "policy.yaml").read_text()
    one, two = tmp_path / "one", tmp_path / "two"
    run = ["run", str(tmp_path / "policy.yaml"), str(tmp_path / "stays.csv"), "-o"]
    first = CliRunner().invoke(app, [*run, str(one)])
    assert first.exit_code == 0, first.output
    kept = one / "confidential" / "key.txt"
    again = CliRunner().invoke(app, [*run, str(two), "--key", str(kept)])
    assert again.exit_code == 0, again.output
    assert (one / "release" / "release.csv").read_bytes() == (two / "release" / "release.csv").read_bytes()
    assert "Dates were shifted" in (one / "release" / "guarantees.txt").read_text()
    assert "shifted by person by 1 to 90 days" in (one / "release" / "report.html").read_text()
    assert not (two / "confidential" / "key.txt").exists()
    key = bytes.fromhex(kept.read_text().splitlines()[1])
    for path in (*one.rglob("*"), *two.rglob("*")):
        if path.is_file() and path != kept:
            assert not any(spelled in path.read_bytes() for spelled in spellings(key)), path.name
    for folder in (one, two):
        assert om.verify_result(folder).holds
    assessed = CliRunner().invoke(
        app,
        ["assess", str(tmp_path / "policy.yaml"), str(tmp_path / "stays.csv"), str(one / "release" / "release.csv")],
    )
    assert assessed.exit_code == 0, assessed.output


def test_check_and_compare() -> None:
    chosen = policy(begun=om.Date(shift=90), ended=shifting()).changed(require=[om.KAnonymity(k=3)])
    assert om.check(stays(), chosen)
    tables = [
        om.compare(stays(), om.grid(chosen, ["microaggregation"], [3, 4]), workers=1).table["loss"].to_list()
        for _ in range(2)
    ]
    assert tables[0] == tables[1]
