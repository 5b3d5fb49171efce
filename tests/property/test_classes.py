"""Equivalence classes of the privacy models against counting with a dictionary."""

from __future__ import annotations

import datetime as dt
import math
from collections import Counter
from typing import Any

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.privacy.classes import classes_of
from tests.property.strategies import cases

DAYS = st.dates(dt.date(2000, 1, 1), dt.date(2000, 1, 4))
VALUES: dict[Any, st.SearchStrategy[Any]] = {
    pl.Int64: st.sampled_from([0, 1, -3, 2**62, -(2**62), 2**40]),
    pl.UInt64: st.sampled_from([0, 1, 2**64 - 1, 2**63]),
    pl.Int8: st.integers(-2, 2),
    pl.Float64: st.sampled_from([0.0, -0.0, 0.1, 0.1 + 1e-17, 1e300, math.nan, math.inf]),
    pl.Boolean: st.booleans(),
    pl.String: st.sampled_from(["", "a", "A", "é", "a "]),
    pl.Categorical: st.sampled_from(["x", "y"]),
    pl.Enum(["lo", "mid", "hi"]): st.sampled_from(["lo", "hi"]),
    pl.Date: DAYS,
    pl.Binary: st.sampled_from([b"", b"a"]),
}


@st.composite
def frames(draw: st.DrawFn) -> pl.DataFrame:
    n = draw(st.integers(1, 25))
    kinds = draw(st.lists(st.sampled_from(list(VALUES)), min_size=1, max_size=5))
    columns = []
    for i, dtype in enumerate(kinds):
        values = draw(st.lists(st.none() | VALUES[dtype], min_size=n, max_size=n))
        columns.append(pl.Series(f"c{i}", values, dtype=dtype))
    return pl.DataFrame(columns)


def key(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple("NaN" if isinstance(v, float) and math.isnan(v) else v for v in row)


@settings(max_examples=cases(400))
@given(frames(), st.integers(1, 4))
def test_classes_are_those_of_a_dictionary(frame: pl.DataFrame, k: int) -> None:
    plain = Counter(map(key, frame.rows()))
    classes = classes_of(frame, frame.columns)
    assert sorted(classes.sizes.tolist()) == sorted(plain.values())
    together: dict[int, tuple[Any, ...]] = {}
    for number, row in zip(classes.of.tolist(), map(key, frame.rows()), strict=True):
        assert together.setdefault(number, row) == row
        assert classes.sizes[number] == plain[row]
    finding = om.KAnonymity(k=k).check(frame, frame.columns)
    assert finding.holds == (min(plain.values()) >= k)
    assert finding.worst == min(plain.values())
    assert finding.records == sum(count for count in plain.values() if count < k)
    assert len(finding.violations) == sum(count < k for count in plain.values())
