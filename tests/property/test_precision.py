"""How numbers are shown: means and medians as precise as their column, whatever the order of records; dominance."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.masking.dominance import dominated
from ontomask.microdata.precision import own_decimals
from tests.oracle import plain_masking as twin
from tests.property.strategies import cases

SEEDS = st.integers(0, 2**32)


def numbers(chance: random.Random, n: int, decimals: int) -> list[Any]:
    """Decimal numbers, some of them equal, some far out."""
    reach = chance.choice((3, 50, 10_000))
    drawn = [chance.randint(-reach, reach) * (100 if chance.random() < 0.05 else 1) for _ in range(n)]
    return drawn if decimals == 0 else [float(f"{x}e-{decimals}") for x in drawn]


@pytest.mark.parametrize("centre", ["mean", "median"])
@settings(max_examples=cases(150))
@given(seed=SEEDS)
def test_groups_show_rounded_centres(centre: Any, seed: int) -> None:
    """Each group shows the exact mean or median of its numbers, half to even at the column's last decimal."""
    chance = random.Random(seed)
    decimals = chance.choice((0, 0, 1, 2, 4))
    values = numbers(chance, chance.choice((4, 9, 16, 25)), decimals)
    asked = chance.choice((None, None, 0, 1, 3))
    method = om.Microaggregation(k=chance.choice((2, 3, 4)), numeric_centre=centre)
    policy = om.Policy(attributes={"x": om.Numeric(decimals=asked)}, method=method)
    result = om.anonymize(pl.DataFrame({"x": values}), policy)
    own = twin.decimals_of(values) if asked is None else asked
    group_of = result.masked.group_of
    for group in range(result.masked.groups):
        inside = [values[i] for i in np.flatnonzero(group_of == group)]
        expected = float(twin.shown_centre(inside, centre, own))
        assert {result.data["x"][int(i)] for i in np.flatnonzero(group_of == group)} == {expected}
    if own == 0 and decimals == 0:
        assert result.data.schema["x"] == pl.Int64
    assert not np.signbit(result.data["x"].to_numpy()[result.data["x"].to_numpy() == 0]).any()


@settings(max_examples=cases(60))
@given(seed=SEEDS)
def test_the_order_of_records_does_not_change_a_bit(seed: int) -> None:
    """The same records in another order get the same values, to the last bit, also where nothing is rounded."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([12, 40]))
    frame = pl.DataFrame({"x": rng.normal(size=n) * 10.0 ** rng.integers(-3, 9), "y": rng.integers(0, 4, n)})
    attributes = {"x": om.Numeric(decimals=random.Random(seed).choice((None, "exact"))), "y": om.Flat()}
    policy = om.Policy(attributes=attributes, method=om.Microaggregation(k=3))
    plain = om.anonymize(frame.select("x"), om.Policy(attributes={"x": attributes["x"]}, method=policy.method))
    order = rng.permutation(n)
    mixed = om.anonymize(frame.select("x")[order], om.Policy(attributes={"x": attributes["x"]}, method=policy.method))
    assert plain.data["x"].to_numpy()[order].tobytes() == mixed.data["x"].to_numpy().tobytes()


@settings(max_examples=cases(150))
@given(seed=SEEDS)
def test_dominance(seed: int) -> None:
    chance = random.Random(seed)
    groups = chance.randint(1, 4)
    of = list(range(groups)) + [chance.randrange(groups) for _ in range(chance.randint(0, 12))]
    values = [chance.choice((0, 1, 2, -5, 10, 40, -300, 1000, 20000)) for _ in of]
    p = chance.choice((1, 10, 50))
    step = chance.choice((0, 0.5, 1, 16))
    found = dominated(np.array(values, dtype=np.float64), np.array(of), groups, p, step)
    for group in range(groups):
        inside = [v for v, g in zip(values, of, strict=True) if g == group]
        assert bool(found[group]) == twin.gives_away(inside, p, step), inside


@pytest.mark.parametrize(
    ("values", "decimals"),
    [
        ([1, 2], 0),
        ([30.0, 41.0], 0),
        ([1.5, 2.25], 2),
        ([1 / 3, 2.0], 6),
        ([1e-9, 3e-9, 2.34e-9], 11),
        ([0.1 + 0.2, 5.0], 6),
        ([123456789012.5, 3.0], 1),
        ([0.0], 0),
        ([5e-12], 12),
    ],
)
def test_the_precision_of_a_column(values: list[float], decimals: int) -> None:
    assert own_decimals(np.array(values, dtype=np.float64)) == decimals


def test_numbers_of_32_bits_have_the_decimals_they_were_written_with() -> None:
    frame = pl.DataFrame({"x": pl.Series([0.1, 0.2, 0.7, 0.8], dtype=pl.Float32)})
    result = om.anonymize(frame, om.Policy(attributes={"x": om.Numeric()}, method=om.Microaggregation(k=2)))
    assert result.data.schema["x"] == pl.Float32
    assert result.data["x"].to_list() == pytest.approx([0.2, 0.2, 0.8, 0.8])


PAY = pl.DataFrame({"pay": [21000, 23000, 2900000, 24000, 22000, 26000]})


def test_means_that_give_a_record_away_are_named_without_numbers() -> None:
    result = om.anonymize(PAY, om.Policy(attributes={"pay": om.Numeric()}, method=om.Microaggregation(k=3)))
    (caveat,) = result.masked.caveats
    assert "total of pay" in caveat.text
    assert caveat in result.guarantees
    assert any(note.startswith("pay: in 1 of 2 groups (3 records)") for note in map(str, result.notes))
    assert not any("1 of 2 groups" in text for text in map(str, result.guarantees))


@pytest.mark.parametrize(
    ("frame", "method"),
    [
        (PAY, om.Microaggregation(k=3, numeric_centre="median")),
        (PAY.with_columns(pl.col("pay").clip(upper_bound=30000)), om.Microaggregation(k=3)),
        (PAY, om.Microaggregation(k=1)),
    ],
    ids=["median", "top-coded", "k = 1"],
)
def test_where_nothing_dominates_nothing_is_said(frame: pl.DataFrame, method: Any) -> None:
    result = om.anonymize(frame, om.Policy(attributes={"pay": om.Numeric()}, method=method))
    assert not result.masked.caveats


def test_exact_means_are_exact() -> None:
    policy = om.Policy(attributes={"age": om.Numeric(decimals="exact")}, method=om.Microaggregation(k=2))
    assert om.anonymize(pl.DataFrame({"age": [30, 31, 52, 55]}), policy).data["age"].to_list() == [
        30.5,
        30.5,
        53.5,
        53.5,
    ]


def test_loss_is_that_of_the_release() -> None:
    frame = pl.DataFrame({"age": [30, 31, 52, 55]})
    kept = om.anonymize(frame, om.Policy(attributes={"age": om.Numeric()}, method=om.Microaggregation(k=2)))
    again = om.information_loss(frame, kept.data, {"age": om.Numeric()})
    assert kept.loss().sse == pytest.approx(again.sse)
