"""Whatever a table holds, its proposed policy loads, fits the data and runs."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import ontomask as om

NAMES = (
    "age sex patient_id patient_nbr diag_1 procedure zip name comment metformin result salary admission_type_id n_visits x "
    "fecha Größe weight stay country case number_diagnoses id code 2024 no null ~ a:b #c 'q' {z} [l] -"
).split()
TEXTS = [
    *"a b c 250.00 401.9 8 38 V27 ? NA None unknown - . 70-79 80-89 [0-10) [10-20) <18 90+ low high Steady No".split(),
    *"2024-05-31 31/05/2024 1 2 01 1,5 true x@y.org".split(),
    *("", " ", "two words", "é", "a\nb"),
]


def column(n: int) -> st.SearchStrategy[pl.Series]:
    """A column of one type: some values, repeated and missing as it comes."""
    kinds: list[tuple[Any, Any]] = [
        (st.sampled_from(TEXTS), pl.String),
        (st.text(max_size=3), pl.String),
        (st.sampled_from(TEXTS[:6]), pl.Categorical),
        (st.integers(-5, 20), pl.Int64),
        (st.integers(-(2**62), 2**62), pl.Int64),
        (st.integers(0, 200), pl.UInt8),
        (st.floats(allow_nan=True, allow_infinity=True), pl.Float64),
        (st.floats(-10, 10, width=32), pl.Float32),
        (st.booleans(), pl.Boolean),
        (st.dates(dt.date(1900, 1, 1), dt.date(2100, 1, 1)), pl.Date),
        (st.datetimes(dt.datetime(1900, 1, 1), dt.datetime(2100, 1, 1)), pl.Datetime("us")),
        (st.binary(max_size=2), pl.Binary),
        (st.decimals(-99, 99, places=2), pl.Decimal(10, 2)),
        (st.lists(st.integers(0, 3), max_size=2), pl.List(pl.Int64)),
        (st.none(), pl.Null),
    ]

    def filled(kind: tuple[Any, Any]) -> st.SearchStrategy[pl.Series]:
        values, dtype = kind
        pool = st.lists(st.one_of(values, values, values, st.none()), min_size=1, max_size=6)
        places = st.lists(st.integers(0, 5), min_size=n, max_size=n)
        return st.builds(lambda p, at: pl.Series([p[i % len(p)] for i in at], dtype=dtype), pool, places)

    return st.sampled_from(kinds).flatmap(filled)


@st.composite
def tables(draw: st.DrawFn) -> pl.DataFrame:
    n = draw(st.integers(3, 40))
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=8, unique=True))
    return pl.DataFrame([draw(column(n)).alias(name) for name in names])


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(frame=tables())
def test_a_proposal_loads_fits_and_runs(frame: pl.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> None:
    found = om.profile(frame)
    assume(any(c.role == "quasi" for c in found))  # else there is nothing to mask, and policy() says so
    folder = tmp_path_factory.mktemp("proposal")
    policy = om.Policy.load(found.save(folder / "policy.yaml", k=2))
    assert om.check(frame, policy).records == len(frame)
    assert om.anonymize(frame, policy).verification.holds


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(frame=tables())
def test_so_does_one_for_a_file(frame: pl.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder: Path = tmp_path_factory.mktemp("proposal")
    plain = [
        name for name, dtype in frame.schema.items() if dtype not in (pl.Binary, pl.Null) and not dtype.is_nested()
    ]
    assume(plain)
    written = frame.select(pl.col(name).cast(pl.String) for name in plain)
    written.write_csv(folder / "data.csv", separator=";")
    try:
        found = om.profile(folder / "data.csv", reading=om.Reading(delimiter=";"))
    except om.errors.DataError:
        assume(False)  # a file without a value in it, or with odd quotes, is refused with a message
    assume(any(c.role == "quasi" for c in found))
    policy = om.Policy.load(found.save(folder / "policy.yaml", k=2))
    assert policy.reading.delimiter == ";"
    assert om.check(folder / "data.csv", policy).records == found.records
    assert om.anonymize(folder / "data.csv", policy).verification.holds
