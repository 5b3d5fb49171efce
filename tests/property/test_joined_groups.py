"""Groups joined until models hold are those of the twin that measures and judges everything anew at each step."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

import ontomask as om
from ontomask.masking.goals import Goals
from ontomask.masking.repair import merge_tuples_until, merge_until
from ontomask.operators.aggregation import Operators
from ontomask.operators.record_distance import RecordDistance
from ontomask.policy.prepared import prepare
from ontomask.progress import silent
from tests.oracle.joined_groups import joined_groups

#: Tables for each of the seeds below.
TABLES = int(os.environ.get("ONTOMASK_JOINED_TABLES", "12"))
EDGES = [("a", "top"), ("b", "top"), ("a1", "a"), ("a2", "a"), ("b1", "b"), ("b2", "b"), ("b3", "b"), ("b31", "b3")]
TREE = om.Taxonomy.from_edges(EDGES)


def random_table(rng: np.random.Generator) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Up to 150 records with columns of several kinds; many values are equal, so that there are ties."""
    n = int(rng.integers(2, 150))
    leaves = ["a1", "a2", "b1", "b2", "b31"]
    sets = [rng.choice(leaves, int(rng.integers(1, 4))).tolist() for _ in range(n)]
    made: dict[str, tuple[list[Any], Any]] = {
        "age": (rng.integers(0, 30, n).tolist(), om.Numeric()),
        "pay": (np.round(rng.lognormal(3, 1, n), 1).tolist(), om.Numeric()),
        "grade": (rng.choice(["low", "middle", "high"], n).tolist(), om.Ordinal(order=["low", "middle", "high"])),
        "sex": (rng.choice(["f", "m"], n).tolist(), om.Flat()),
        "work": (rng.choice(leaves, n).tolist(), om.Nominal(taxonomy=TREE)),
        "skills": (["|".join(sorted(set(own))) for own in sets], om.Nominal(taxonomy=TREE, many="|")),
    }
    chosen = [name for name in made if rng.random() < 0.4] or ["age"]
    if rng.random() < 0.3:
        for name in ("age", "sex"):
            made[name] = ([None if rng.random() < 0.2 else value for value in made[name][0]], made[name][1])
    frame = pl.DataFrame({name: made[name][0] for name in chosen}, strict=False)
    frame = frame.with_columns(
        pl.Series("illness", rng.choice(leaves, n)),
        pl.Series("cost", rng.integers(0, 12, n)),
        pl.Series("who", rng.integers(0, max(1, n // 2), n)),
    )
    attributes = {name: made[name][1].model_copy(update={"missing": "category"}) for name in chosen}
    attributes["illness"] = om.Nominal(taxonomy=TREE, role="sensitive")
    attributes["cost"] = om.Numeric(role="sensitive")
    return frame, attributes


def random_models(rng: np.random.Generator) -> list[Any]:
    models: list[Any] = [
        om.KAnonymity(k=int(rng.integers(2, 8))),
        om.LDiversity(l=2, attribute="illness"),
        om.LDiversity(l=1.7, attribute="cost", variant="entropy"),
        om.LDiversity(l=2, attribute="cost", variant="recursive", c=2),
        om.TCloseness(t=float(rng.uniform(0.15, 0.6)), attribute="illness"),
        om.TCloseness(t=float(rng.uniform(0.05, 0.4)), attribute="cost", ground="ordered"),
        om.TCloseness(t=0.3, attribute="illness", ground="hierarchical"),
    ]
    return [models[i] for i in rng.permutation(len(models))[: int(rng.integers(1, 3))]]


def random_case(rng: np.random.Generator) -> tuple[Goals, Operators, Any]:
    frame, attributes = random_table(rng)
    attributes["who"] = om.Identifier()
    person = {"person": "who"} if rng.random() < 0.3 else {}
    require = random_models(rng)
    policy = om.Policy(attributes=attributes, method=om.Microaggregation(k=2), require=require, **person)
    prepared = prepare(frame, policy)
    goals = Goals.of(require, prepared.examined, prepared.table.rows)
    distance = RecordDistance.of(prepared.table, "s" if rng.random() < 0.4 else "mean")
    return goals, Operators.of(prepared.table, distance), prepared.table


def goals_of(frame: pl.DataFrame, attributes: dict[str, Any], require: list[Any]) -> tuple[Goals, Any]:
    policy = om.Policy(attributes=attributes, method=om.Microaggregation(k=2), require=require)
    prepared = prepare(frame, policy)
    return Goals.of(require, prepared.examined, prepared.table.rows), prepared.table


@pytest.mark.parametrize("seed", range(4))
def test_what_stays_failed_fails_with_whatever_joins(seed: int) -> None:
    rng = np.random.default_rng([seed, 9])
    given_up = 0
    for _ in range(TABLES):
        frame, attributes = random_table(rng)
        models: list[Any] = [
            om.TCloseness(t=float(rng.uniform(0.001, 0.3)), attribute="illness", ground=ground)
            for ground in ("semantic", "hierarchical", "equal")
        ]
        models.append(om.TCloseness(t=float(rng.uniform(0.001, 0.3)), attribute="cost", ground="ordered"))
        attributes["who"] = om.Identifier()
        goals, table = goals_of(frame, attributes, models)
        order = rng.permutation(table.n)
        for judge in goals.judges:
            alone = replace(goals, judges=[judge])
            for size in rng.integers(1, table.n, 20).tolist():
                whole = int(rng.integers(size, min(table.n, size + size // 5 + 1) + 1))
                found = alone.failed(alone.contents(order[:size]))
                if found is not None and judge.stays_failed(found[1], 1 - size / whole)[0]:
                    given_up += whole > size
                    assert alone.fail_contents(alone.contents(order[:whole]))
    assert given_up > 20


def test_a_group_that_grows_is_judged_seldom(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = []
    failed = Goals.failed
    monkeypatch.setattr(Goals, "failed", lambda self, contents: looked.append(1) or failed(self, contents))
    rng = np.random.default_rng(4)
    n = 1500
    age = np.sort(rng.integers(0, 1000, n))
    frame = pl.DataFrame({"age": age, "illness": np.where(age < 900, "a1", "b1")})
    attributes = {"age": om.Numeric(), "illness": om.Flat(role="sensitive")}
    goals, table = goals_of(frame, attributes, [om.TCloseness(t=0.02, attribute="illness", ground="equal")])
    operators = Operators.of(table, RecordDistance.of(table, "mean"))
    joined = merge_until(goals, operators, np.arange(n) // 3, n // 3, silent)[2]
    assert joined > 300
    assert 0 < len(looked) < joined / 2


@pytest.mark.parametrize("seed", range(12))
def test_joined_groups(seed: int) -> None:
    rng = np.random.default_rng([seed, 7])
    joined = 0
    for _ in range(TABLES):
        try:
            goals, operators, table = random_case(rng)
        except om.errors.DataError:  # no release can satisfy the models
            continue
        group_of = np.unique(rng.integers(0, max(1, table.n // 3), table.n), return_inverse=True)[1]
        groups = int(group_of.max()) + 1
        found = merge_until(goals, operators, group_of, groups, silent)
        wanted = joined_groups(goals, operators, group_of, groups)
        assert found[1:] == wanted[1:]
        np.testing.assert_array_equal(found[0], wanted[0])
        joined += found[2]
    assert joined > 0


@pytest.mark.parametrize("seed", range(4))
def test_joined_groups_of_tuples(seed: int) -> None:
    rng = np.random.default_rng([seed, 8])
    for _ in range(TABLES):
        try:
            goals, operators, table = random_case(rng)
        except om.errors.DataError:
            continue
        of_tuple = np.unique(rng.integers(0, max(1, table.p // 2), table.p), return_inverse=True)[1].astype(np.int32)
        groups = int(of_tuple.max()) + 1
        found = merge_tuples_until(goals, operators, of_tuple, groups, silent)
        counted = goals.counted()
        wanted = joined_groups(counted, operators, of_tuple[counted.rows.tuple_of], groups)
        assert found[1:] == wanted[1:]
        np.testing.assert_array_equal(found[0][counted.rows.tuple_of], wanted[0])
