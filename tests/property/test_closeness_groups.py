"""Groups made of parts of the sensitive column: t-closeness by construction (specification 7.2)."""

from __future__ import annotations

import math
import random
from collections import Counter
from fractions import Fraction
from itertools import accumulate
from typing import Any

import numpy as np
import polars as pl
import pytest

import ontomask as om
from ontomask.masking import closeness_groups
from ontomask.masking.closeness_groups import Joined, by_parts, closest, parts_for
from ontomask.masking.goals import Goals
from ontomask.masking.partitions import mdav
from ontomask.masking.repair import merge_until
from ontomask.microdata.encoding import Table
from ontomask.operators.aggregation import Operators
from ontomask.operators.record_distance import RecordDistance
from ontomask.policy.prepared import prepare
from ontomask.privacy.t_closeness import TClosenessJudge
from ontomask.progress import silent

TREE = om.Taxonomy.from_edges(
    [("a", "top"), ("b", "top"), ("a1", "a"), ("a2", "a"), ("b1", "b"), ("b2", "b"), ("b3", "b")]
)
LEAVES = ["a1", "a2", "b1", "b2", "b3"]
GROUNDS = ("equal", "ordered", "hierarchical", "semantic")


@pytest.mark.parametrize(
    ("n", "t", "parts"), [(1080, 0.05, 10), (1080, 0.1, 5), (1080, 0.25, 2), (30162, 0.05, 10), (30162, 0.2, 3)]
)
def test_published_numbers_of_parts(n: int, t: float, parts: int) -> None:
    """Of the paper's data, Census and Adult, at k = 2."""
    assert parts_for(n, t, 2) == parts


def test_parts_divide_the_records() -> None:
    """Fewer records are left over than there are groups, so that none takes more than one of them."""
    for n in range(1, 60):
        for k in range(1, n + 1):
            for t in (0.0, 0.03, 0.1, 0.5, 1.0):
                parts = parts_for(n, t, k)
                assert k <= parts <= n
                assert n % parts < n // parts
                assert (n - parts) / (2 * max(n - 1, 1) * parts) <= t + 1e-12


def random_table(chance: random.Random, *, distinct: bool = False) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Records with a few quasi-identifiers, many of them equal, and sensitive columns, of which ``pay`` may tell all apart."""
    n = chance.randrange(8, 90)
    pay = chance.sample(range(10 * n), n) if distinct else [chance.randrange(12) for _ in range(n)]
    age = [chance.randrange(20) + value // 3 for value in pay]  # so that near records have similar values
    frame = pl.DataFrame(
        {
            "age": age,
            "job": [chance.choice(LEAVES) for _ in range(n)],
            "sex": [chance.choice("fm") for _ in range(n)],
            "pay": pay,
            "ill": [chance.choice(LEAVES[: 2 + value % 4]) for value in pay],
        }
    )
    quasi = {"age": om.Numeric(), "job": om.Nominal(taxonomy=TREE), "sex": om.Flat()}
    attributes: dict[str, Any] = {name: kind for name, kind in quasi.items() if name == "age" or chance.random() < 0.7}
    attributes["pay"] = om.Numeric(role="sensitive")
    attributes["ill"] = om.Nominal(taxonomy=TREE, role="sensitive")
    return frame.select(list(attributes)), attributes


def random_case(
    chance: random.Random, require: list[Any], *, distinct: bool = False
) -> tuple[Goals, Operators, Table, int]:
    frame, attributes = random_table(chance, distinct=distinct)
    k = chance.randrange(2, 5)
    policy = om.Policy(attributes=attributes, method=om.Microaggregation(k=k), require=require)
    prepared = prepare(frame, policy)
    goals = Goals.of(require, prepared.examined, prepared.table.rows)
    kind: Any = chance.choice(("mean", "s", "balanced"))
    return goals, Operators.of(prepared.table, RecordDistance.of(prepared.table, kind)), prepared.table, k


def joined_groups(goals: Goals, operators: Operators, table: Table, k: int) -> Joined:
    return Joined(*merge_until(goals, operators, *mdav(operators, table.rows, k, silent), silent))


def ordered_distance(group: list[int], whole: list[int]) -> Fraction:
    """The earth mover's distance where the i-th and the j-th of m different values are at |i - j| / (m - 1)."""
    values = sorted(set(whole))
    own, every = Counter(group), Counter(whole)
    gaps = (Fraction(own[v], len(group)) - Fraction(every[v], len(whole)) for v in values)
    return sum(map(abs, accumulate(gaps)), Fraction(0)) / max(len(values) - 1, 1)


def test_the_bound_holds_where_all_values_differ() -> None:
    """Groups of one record of each part are as close as the paper proves; k, and whatever the quasi-identifiers are."""
    chance = random.Random("bound")
    divided = 0
    for _ in range(150):
        t = chance.choice((0.02, 0.05, 0.1, 0.2, 0.4))
        goals, operators, table, k = random_case(chance, [om.TCloseness(t, "pay", ground="ordered")], distinct=True)
        pay, n = goals.codes["pay"], len(table.rows)
        (judge,) = goals.judges
        assert isinstance(judge, TClosenessJudge)
        places = judge.order("pay")[pay]
        parts = parts_for(n, t, k)
        group_of, groups = by_parts(operators, table.rows, places, parts, silent)
        assert groups == n // parts
        sizes = np.bincount(group_of, minlength=groups)
        assert set(sizes.tolist()) <= {parts, parts + 1}
        cut = np.sort(places)
        if n % parts == 0:
            divided += 1
            own = places // groups
            bound = Fraction(n - parts, 2 * (n - 1) * parts)
            for g in range(groups):
                assert sorted(own[group_of == g].tolist()) == list(range(parts))
                group = places[group_of == g].tolist()
                assert ordered_distance(group, cut.tolist()) <= bound
    assert divided > 20


def random_models(chance: random.Random) -> list[Any]:
    ground: Any = chance.choice(GROUNDS)
    column = "ill" if ground in ("hierarchical", "semantic") else chance.choice(("pay", "ill"))
    column = "pay" if ground == "ordered" else column
    models: list[Any] = [om.TCloseness(chance.choice((0.05, 0.1, 0.2, 0.3)), column, ground=ground)]
    if chance.random() < 0.3:
        models.append(om.LDiversity(l=2, attribute=chance.choice(("pay", "ill"))))
    return models


def test_what_is_taken_holds_and_loses_no_more_than_joined_groups() -> None:
    chance = random.Random("taken")
    built = 0
    for _ in range(150):
        goals, operators, table, k = random_case(chance, random_models(chance))
        joined = joined_groups(goals, operators, table, k)
        taken = closest(goals, operators, table.rows, k, joined, silent)
        assert taken.groups == taken.group_of.max() + 1
        assert np.bincount(taken.group_of).min() >= k
        assert taken.loss(operators, table.rows) <= joined.loss(operators, table.rows)
        if taken.groups > 1:
            assert not goals.fails(taken.group_of, taken.groups).any()
        again = closest(goals, operators, table.rows, k, joined, silent)
        assert (again.group_of == taken.group_of).all()
        assert again.notes == taken.notes
        assert len(taken.notes) == (joined.joined > 0)
        built += any(str(told).endswith("if groups are joined") for told in taken.notes)
    assert built > 20


def test_loss_is_the_mean_distance_from_the_centres() -> None:
    chance = random.Random("loss")
    for _ in range(30):
        goals, operators, table, k = random_case(chance, random_models(chance))
        joined = joined_groups(goals, operators, table, k)
        centres = operators.centres(table.rows, joined.group_of, joined.groups)
        own = [column.centre_of_code[table.codes_of(a)] for a, column in enumerate(table.columns)]
        apart = operators.distance.pairs(own, [of[joined.group_of] for of in centres])
        apart = apart**2 if operators.distance.squared else apart
        assert math.isclose(joined.loss(operators, table.rows), float(apart.mean()), rel_tol=1e-9, abs_tol=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_a_release_holds_as_it_is_verified(seed: int) -> None:
    chance = random.Random(f"release {seed}")
    frame, attributes = random_table(chance, distinct=seed % 2 == 0)
    require = random_models(chance)
    method = om.Microaggregation(k=3, partition="mdav")
    policy = om.Policy(attributes=attributes, method=method, require=require, row_order="kept")
    result = om.anonymize(frame, policy, seed=seed)
    assert result.satisfied
    assert om.verify(result.data, policy, original=frame).holds
    pay = frame["pay"].to_list()
    if require[0].ground == "ordered":
        quasi = [name for name in attributes if name not in ("pay", "ill")]
        classes: dict[Any, list[int]] = {}
        for row, value in zip(result.data.select(quasi).rows(), pay, strict=True):
            classes.setdefault(row, []).append(value)
        assert max(ordered_distance(own, pay) for own in classes.values()) <= Fraction(require[0].t) + Fraction(
            1, 10**9
        )


def test_notes_say_what_was_taken_and_both_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(1)
    pay = list(range(60))
    frame = pl.DataFrame({"age": pay, "weight": [chance.randrange(50) for _ in pay], "pay": pay})
    attributes = {"age": om.Numeric(), "weight": om.Numeric(), "pay": om.Numeric(role="sensitive")}
    require = [om.TCloseness(0.1, "pay", ground="ordered")]
    method = om.Microaggregation(k=3, partition="mdav", distance="mean")
    policy = om.Policy(attributes=attributes, method=method, require=require)
    told = [str(one) for one in om.anonymize(frame, policy).notes if "0.1-closeness of pay" in str(one)]
    assert len(told) == 1
    assert "each group takes a record of each of 5 parts of the column; the mean " in told[0]
    assert "distance of records from their centres is 0." in told[0]
    assert told[0].endswith(" if groups are joined")
    monkeypatch.setattr(closeness_groups, "MOST_WORK", 100)
    told = [str(one) for one in om.anonymize(frame, policy).notes if "0.1-closeness of pay" in str(one)]
    assert told == [
        "0.1-closeness of pay (ordered): too many records to form groups by parts of the column, so groups were joined"
    ]


def test_nothing_is_built_where_it_does_not_apply() -> None:
    """Two columns, persons, or nothing to join: no note, and the groups are those that were joined."""
    chance = random.Random("elsewhere")
    frame, attributes = random_table(chance)
    frame = frame.with_columns(who=pl.int_range(len(frame)) // 2)
    attributes["who"] = om.Identifier()
    close = om.TCloseness(0.1, "pay", ground="ordered")
    for require, person in (
        ([close, om.TCloseness(0.2, "ill")], {}),
        ([om.TCloseness(0.2)], {}),
        ([close], {"person": "who"}),
        ([om.TCloseness(1.0, "pay")], {}),
        ([om.LDiversity(l=2, attribute="pay")], {}),
    ):
        method = om.Microaggregation(k=3, partition="mdav")
        policy = om.Policy(attributes=attributes, method=method, require=require, **person)
        assert "parts of the column" not in " ".join(map(str, om.anonymize(frame, policy).notes))
