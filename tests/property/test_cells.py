"""Suppression of cells: k holds, nothing else changes, and it blanks no more than plain greedy does."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import ontomask as om
from ontomask.masking.cells import Blanked, Combinations, blank_cells, blank_greedily, blank_wildcards, sets_by_cost
from ontomask.microdata.reading import read_table
from ontomask.privacy.wildcards import class_sizes, too_few_matches
from tests.oracle import plain_cells as plain


def silent(fraction: float, message: str) -> None:
    """No progress."""


def random_table(rng: random.Random, most: int = 24) -> tuple[list[plain.Row], list[int], int, list[float]]:
    """Rows, strata, k and costs; whole costs, so that sums are exact."""
    columns = rng.randint(1, 5)
    values = [[*range(rng.randint(1, 4)), *([None] if rng.random() < 0.2 else [])] for _ in range(columns)]
    rows: list[plain.Row] = [tuple(map(rng.choice, values)) for _ in range(rng.randint(1, most))]
    strata = [rng.randrange(rng.choice([1, 1, 3])) for _ in rows]
    costs = [float(rng.choice([1, 1, 1, 2, 5])) for _ in range(columns)]
    return rows, strata, rng.choice([2, 2, 3, 4]), costs


def combinations_of(rows: list[plain.Row], strata: list[int], costs: list[float]) -> Combinations:
    counted = Counter(zip(strata, rows, strict=True))
    codes = np.array([[-1 if v is None else v for v in row] for _, row in counted], dtype=np.int32)
    counts = np.array(list(counted.values()), dtype=np.int64)

    def sizes(some: Any, group: Any, groups: int) -> Any:
        return np.bincount(group, counts[some], groups).astype(np.int64)

    return Combinations(codes, counts, np.array([s for s, _ in counted]), np.array(costs), sizes, True)


def released(table: Combinations, found: Blanked) -> list[tuple[int, plain.Row]]:
    """Stratum and what is shown, of each record that stayed; every cell shows its own value or a blank."""
    shown = []
    for origin, count, group in zip(found.origin, found.counts, found.group, strict=True):
        if group >= 0:
            row = found.shows[group]
            assert all(v in (-1, own) for v, own in zip(row, table.codes[origin], strict=True))
            shown += [(int(table.stratum[origin]), tuple(None if v < 0 else int(v) for v in row))] * int(count)
    assert np.bincount(found.origin, found.counts, len(table.counts)).tolist() == table.counts.tolist()
    return shown


def cost_of(table: Combinations, found: Blanked) -> float:
    stayed = found.group >= 0
    blank = (found.shows[found.group[stayed]] < 0) & (table.codes[found.origin[stayed]] >= 0)
    return float((blank * found.counts[stayed, None] * table.costs).sum())


@pytest.mark.parametrize("seed", range(8))
def test_k_holds_and_no_more_is_blanked_than_by_plain_greedy(seed: int) -> None:
    rng, fewer = random.Random(seed), 0
    for _ in range(300):
        rows, strata, k, costs = random_table(rng)
        table = combinations_of(rows, strata, costs)
        found = blank_cells(table, k, silent)
        shown = released(table, found)
        assert all(size >= k for size in Counter(shown).values())
        # Records are removed only where their stratum has fewer than k.
        assert len(shown) == sum(size for size in Counter(strata).values() if size >= k)
        groups = plain.greedy(rows, strata, k, costs)
        allowed = sum(plain.cost(rows, members, costs) for members in groups)
        assert cost_of(table, found) <= allowed
        fewer += cost_of(table, found) < allowed
    assert fewer  # local improvement does something


@pytest.mark.parametrize("seed", range(4))
def test_the_greedy_groups_are_those_of_the_twin(seed: int) -> None:
    rng = random.Random(1000 + seed)
    for _ in range(300):
        rows, strata, k, costs = random_table(rng)
        table = combinations_of(rows, strata, costs)
        group = blank_greedily(table, k, silent)
        number = {key: t for t, key in enumerate(dict.fromkeys(zip(strata, rows, strict=True)))}
        of = [int(group[number[key]]) for key in zip(strata, rows, strict=True)]
        groups, left = plain.settled(rows, strata, k, costs)
        assert [i for i, g in enumerate(of) if g < 0] == sorted(left)
        ours = {frozenset(i for i, own in enumerate(of) if own == g) for g in set(of) if g >= 0}
        assert ours == {frozenset(members) for members in groups}


def test_sets_of_columns_come_by_cost() -> None:
    costs = np.array([3.0, 1.0, 1.0, 2.0])
    sets = list(sets_by_cost(costs))
    assert len(sets) == len(set(sets)) == 15
    order = [(sum(costs[a] for a in columns), len(columns), columns) for columns in sets]
    assert order == sorted(order)


def test_how_far_from_the_least() -> None:
    """Of tables that are small enough to try everything: never below the least, together within 4% of it."""
    rng, ours, best = random.Random(7), 0.0, 0.0
    for _ in range(300):
        rows, _, _, costs = random_table(rng, most=8)
        k = rng.choice([2, 3])
        if len(rows) < k:
            continue
        table = combinations_of(rows, [0] * len(rows), costs)
        cost, least = cost_of(table, blank_cells(table, k, silent)), plain.least(rows, k, costs)
        assert cost >= least
        ours, best = ours + cost, best + least
    assert best <= ours <= 1.04 * best


@pytest.mark.parametrize("seed", range(4))
def test_wildcards_match_k_records(seed: int) -> None:
    rng = random.Random(2000 + seed)
    for _ in range(200):
        rows, strata, k, costs = random_table(rng)
        table = combinations_of(rows, strata, costs)
        shown = released(table, blank_wildcards(table, k, silent))
        for stratum in set(strata):
            assert not plain.unmatched([row for s, row in shown if s == stratum], k)
        assert len(shown) == sum(size for size in Counter(strata).values() if size >= k)


@pytest.mark.parametrize("seed", range(4))
def test_matches_are_counted_as_by_the_twin(seed: int) -> None:
    rng = random.Random(3000 + seed)
    for _ in range(200):
        rows, _, k, _ = random_table(rng)
        blanked = [tuple(None if rng.random() < 0.3 else v for v in row) for row in rows]
        columns = [pl.Series(values, dtype=pl.Int64) for values in zip(*blanked, strict=True)]
        assert too_few_matches(columns, k) == plain.unmatched(blanked, k)
        sizes = Counter(blanked)
        assert class_sizes(columns).tolist() == [sizes[row] for row in blanked]


@pytest.mark.parametrize("seed", range(40))
def test_the_file_is_k_anonymous_and_true(seed: int, tmp_path: Path) -> None:
    rng = random.Random(4000 + seed)
    n, k = rng.randint(12, 60), rng.choice([2, 3, 5])
    frame = pl.DataFrame(
        {
            "sex": [rng.choice("fm") for _ in range(n)],
            "age": [rng.choice([None, *range(20, 26)]) for _ in range(n)],
            "grade": [rng.choice(["low", "mid", "high"]) for _ in range(n)],
            "size": [rng.uniform(1, 9) for _ in range(n)],
            "row": list(range(n)),
        }
    )
    attributes = {
        "sex": om.Flat(),
        "age": om.Numeric(missing="category"),
        "grade": om.Ordinal(order=["low", "mid", "high"]),
        "size": om.Numeric(role="other"),
        "row": om.Numeric(role="other"),
    }
    settings: dict[str, Any] = rng.choice([{}, {"importance": {"sex": 5}}, {"strata": ["size"], "bins": {"size": 2}}])
    result = om.anonymize(frame, om.Policy(attributes, method=om.Suppression(k, cells=True, **settings)))
    result.save(tmp_path / "out")
    data = read_table(tmp_path / "out" / "release" / "release.csv").data
    keys = ["sex", "age", "grade"]
    assert min(Counter(data.select(keys).rows()).values()) >= k
    for row in data.iter_rows(named=True):
        own = frame.row(row["row"], named=True)
        assert all(row[name] in (None, own[name]) for name in keys)
        assert row["size"] == pytest.approx(own["size"])
