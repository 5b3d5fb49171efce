"""Tuples are all that a method sees which decides by tuple; records follow, in chunks if need be."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ontomask as om
from ontomask.masking.goals import Goals
from ontomask.masking.method import Method, TupleMethod
from ontomask.microdata.encoding import Rows, Table, Tuples, encode
from ontomask.privacy.examined import Examined
from ontomask.privacy.units import RECORDS
from ontomask.progress import silent

CHANCE = np.random.default_rng(20)
FRAME = pl.DataFrame(
    {
        "age": CHANCE.integers(20, 26, 300),
        "job": CHANCE.choice(["nurse", "pilot", "cook", None], 300),
        "ill": CHANCE.choice(["flu", "ulcer", "gout"], 300),
    }
)
ATTRIBUTES = {"age": om.Numeric(), "job": om.Flat(missing="category"), "ill": om.Flat(role="sensitive")}


@pytest.fixture(scope="module")
def table() -> Table:
    return encode(FRAME, ATTRIBUTES, ["age", "job"])


def test_tuples_are_the_distinct_records_with_their_counts(table: Table) -> None:
    pairs = zip(table.columns, table.codes, strict=True)
    values = [column.values.gather(codes).alias(column.name) for column, codes in pairs]
    counted = FRAME.group_by("age", "job", maintain_order=True).len()
    assert pl.DataFrame(values).rows() == counted.select("age", "job").rows()
    assert table.counts.tolist() == counted["len"].to_list()
    assert table.n == len(table.rows) == 300
    for a, column in enumerate(table.columns):
        assert column.values.gather(table.codes_of(a)).to_list() == FRAME[column.name].to_list()
        assert column.counts.tolist() == np.bincount(table.codes_of(a)).tolist()


def test_queues_hold_the_records_of_each_tuple_in_order(table: Table) -> None:
    records, at = table.rows.queues
    for t in range(table.p):
        assert records[at[t] : at[t + 1]].tolist() == np.flatnonzero(table.rows.tuple_of == t).tolist()


BY_TUPLE = [
    om.Microaggregation(k=7),
    om.Suppression(k=12),
    om.Recoding(k=12),
    om.Recoding(k=9, guide="random"),
    om.Microaggregation(k=7, partition="adaptive"),
    om.Generalization(),
    om.Generalization(suppression_limit=0.1),
]
BY_RECORD = [
    om.Microaggregation(k=7, partition="mdav"),
    om.Microaggregation(k=7, partition="adaptive", replace="hybrid"),
    om.Generalization(search="local"),
    om.Resampling(k=3),
    om.RankSwapping(k=3),
]
REQUIRED = [om.KAnonymity(k=6), om.LDiversity(2, "ill")]


@pytest.mark.parametrize("method", BY_TUPLE, ids=repr)
def test_a_method_that_decides_by_tuple_needs_no_records(table: Table, method: Method) -> None:
    assert method.by_tuple(table)
    assert isinstance(method, TupleMethod)
    goals = Goals.of(REQUIRED, Examined.of(FRAME, ATTRIBUTES, RECORDS), table.rows)
    alone = Tuples(table.columns, table.codes, table.counts)
    decided = method.mask_tuples(goals.counted(), alone, np.random.default_rng(3), silent)
    whole = method.mask_for(goals, table, np.random.default_rng(3), silent)
    chunks = [Rows(part, table.p) for part in np.array_split(table.rows.tuple_of, 7)]
    applied = np.concatenate([decided.on(chunk).group_of for chunk in chunks])
    assert applied.tolist() == whole.group_of.tolist()
    sizes = np.bincount(applied[applied >= 0])
    assert sizes.min() >= (6 if method.aims else method.promised_k)


@pytest.mark.parametrize("method", BY_RECORD, ids=repr)
def test_other_methods_say_that_they_need_records(table: Table, method: Method) -> None:
    assert not method.by_tuple(table)


def test_counted_rows_of_goals_stand_for_all_records(table: Table) -> None:
    counted = Goals.of(REQUIRED, Examined.of(FRAME, ATTRIBUTES, RECORDS), table.rows).counted()
    assert len(counted.rows) == FRAME.n_unique() < len(FRAME)
    assert counted.rows.weights.sum() == len(FRAME)
    assert np.bincount(counted.rows.tuple_of, counted.rows.weights).tolist() == table.counts.tolist()
