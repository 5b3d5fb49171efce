"""The optimal partition of one column loses no more than any other partition (specification 7.2)."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest

import ontomask as om
from ontomask.masking.optimal import optimal
from ontomask.masking.partitions import adaptive, mdav
from ontomask.microdata.encoding import Table, encode
from ontomask.operators.aggregation import Operators
from ontomask.operators.record_distance import RecordDistance
from ontomask.progress import silent
from tests.oracle.plain_partitions import Numbers, differences, least_loss, squares

GRADES = ["none", "mild", "some", "much", "strong", "worst"]
#: What a column draws from: ties, gaps, a short range far from zero, outliers at both ends, tiny and huge numbers.
DRAWS: list[Callable[[random.Random], float]] = [
    lambda chance: float(chance.randrange(4)),
    lambda chance: float(chance.randrange(-20, 20)),
    lambda chance: chance.choice((0.0, 1.0, 10.0, 100.0, 1000.0)),
    lambda chance: 1e9 + chance.randrange(30),
    lambda chance: chance.choice((-1e12, 1e12, *map(float, range(9)))),
    lambda chance: chance.random() ** 6,
    lambda chance: chance.randrange(9) * 2.0**-400,
    lambda chance: chance.randrange(9) * 2.0**400,
]


def operators_of(values: Sequence[Any], attribute: Any, numeric: Any = "mean") -> tuple[Operators, Table]:
    table = encode(pl.DataFrame({"x": values}), {"x": attribute}, ["x"])
    return Operators.of(table, RecordDistance.of(table), numeric=numeric), table


def total(numbers: Numbers, group_of: Sequence[int], loss: Callable[[Numbers], Fraction]) -> Fraction:
    groups = [[x for x, h in zip(numbers, group_of, strict=True) if h == g] for g in range(max(group_of) + 1)]
    return sum(map(loss, groups), Fraction(0))


def check(values: Sequence[float], k: int, *, median: bool) -> None:
    """The loss of what comes out is the least there is, and groups are as they should be."""
    loss = differences if median else squares
    operators, table = operators_of(values, om.Numeric(), "median" if median else "mean")
    group_of, groups = optimal(operators, table.rows, k, silent)
    numbers = list(map(Fraction, values))
    sizes = np.bincount(group_of, minlength=groups)
    assert sizes.min() >= k
    assert sizes.max() <= max(2 * k - 1, k)
    assert (np.diff(group_of[np.argsort(values, kind="stable")]) >= 0).all()
    ours, least = total(numbers, group_of.tolist(), loss), least_loss(numbers, k, loss)
    assert ours == least or abs(ours - least) <= least * Fraction(1, 10**12)


@pytest.mark.parametrize("median", [False, True], ids=["mean", "median"])
@pytest.mark.parametrize("draw", DRAWS)
def test_no_partition_loses_less(draw: Callable[[random.Random], float], median: bool) -> None:
    chance = random.Random(f"{DRAWS.index(draw)}-{median}")
    for _ in range(150):
        n = chance.choice((2, 3, 4, 5, 6, 6, 7, 7, 8))
        check([draw(chance) for _ in range(n)], chance.randint(1, min(n, 4)), median=median)


@pytest.mark.parametrize("median", [False, True], ids=["mean", "median"])
def test_no_partition_of_twelve_loses_less(median: bool) -> None:
    chance = random.Random(f"twelve {median}")
    for k in (2, 3, 4):
        check([float(chance.randrange(60)) for _ in range(12)], k, median=median)


@pytest.mark.parametrize("kind", ["numeric", "median", "ordinal", "date"])
def test_it_loses_no_more_than_other_partitions(kind: str) -> None:
    chance = random.Random(kind)
    for _ in range(120):
        n, k = chance.randrange(6, 60), chance.randrange(2, 6)
        ranks = [chance.choice((chance.randrange(6), chance.randrange(3))) for _ in range(n)]
        places = ranks if kind == "ordinal" else [chance.choice((rank, rank**4)) for rank in ranks]
        values: Sequence[Any] = places
        attribute: Any = om.Numeric()
        if kind == "ordinal":
            values, attribute = [GRADES[rank] for rank in ranks], om.Ordinal(order=GRADES)
        elif kind == "date":
            values, attribute = [date(2020, 1, 1) + timedelta(days=at) for at in places], om.Date()
        loss = squares if kind in ("numeric", "date") else differences
        operators, table = operators_of(values, attribute, "median" if kind == "median" else "mean")
        numbers = list(map(Fraction, places))
        ours = total(numbers, optimal(operators, table.rows, k, silent)[0].tolist(), loss)
        of_tuple, _ = adaptive(operators, k, weighted=False, static=False, progress=silent)
        for other in (mdav(operators, table.rows, k, silent)[0], of_tuple[table.rows.tuple_of]):
            assert ours <= total(numbers, other.tolist(), loss)


@pytest.mark.parametrize("far", [-1e12, 1e12])
def test_an_outlier_hides_no_other_group(far: float) -> None:
    """Its group costs 1e24; the others are divided as if they were alone."""
    values = [far, far / 2, 0.0, 0.5, 1.0, 7.0, 8.0, 9.0, 20.0, 20.25, 21.0]
    operators, table = operators_of(values, om.Numeric())
    group_of, groups = optimal(operators, table.rows, 2, silent)
    found = {tuple(x for x, g in zip(values, group_of, strict=True) if g == h) for h in range(groups)}
    assert found == {(far, far / 2), (0.0, 0.5, 1.0), (7.0, 8.0, 9.0), (20.0, 20.25, 21.0)}


def test_equal_values_may_be_divided() -> None:
    """Seven ones and two twos at k = 3: the last ones of the data go with the twos."""
    operators, table = operators_of([1, 2, 1, 1, 1, 1, 2, 1, 1], om.Numeric())
    group_of, groups = optimal(operators, table.rows, 3, silent)
    assert groups == 3
    assert group_of[[1, 6, 8]].tolist() == [2, 2, 2]
