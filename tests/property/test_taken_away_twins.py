"""What classes disclose, and which tails and categories vanish, against plain twins."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import polars as pl
import pytest

import ontomask as om
from ontomask.assessment.disclosed import TOLERANCE, disclosed_of
from ontomask.assessment.extremes import collapsed_of, tails_of, vanished_of
from ontomask.assessment.pairing import pair_frames
from ontomask.privacy.examined import Examined
from ontomask.privacy.units import RECORDS
from tests.oracle import plain_assessment as twin

TAXONOMY = om.Taxonomy.from_edges(
    [("flu", "airway"), ("cold", "airway"), ("gout", "joint"), ("airway", "any"), ("joint", "any")],
    synonyms={"flu": ["influenza"]},
)
MEANING = {"flu": "flu", "influenza": "flu", "cold": "cold", "gout": "gout", None: None}
ATTRIBUTES = {
    "town": om.Flat(),
    "age": om.Numeric(),
    "ill": om.Nominal(taxonomy=TAXONOMY, role="sensitive", missing="category"),
    "pay": om.Numeric(role="sensitive", missing="category"),
    "mood": om.Flat(role="sensitive", missing="category"),
}


def some_table(chance: random.Random, n: int) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "town": [chance.choice("ab") for _ in range(n)],
            "age": [chance.choice((20, 30, 40)) for _ in range(n)],
            "ill": [chance.choice((*MEANING, "flu", "flu")) for _ in range(n)],
            "pay": [chance.choice((None, 10.0, 10.0, 10.001, 20.0, 500.0)) for _ in range(n)],
            "mood": [chance.choice(("good", "good", "bad", None)) for _ in range(n)],
        },
        schema={"town": pl.String, "age": pl.Int64, "ill": pl.String, "pay": pl.Float64, "mood": pl.String},
    )


@pytest.mark.parametrize("seed", range(120))
def test_disclosing_classes(seed: int) -> None:
    chance = random.Random(seed)
    before = some_table(chance, chance.randrange(1, 14))
    kept = sorted(chance.sample(range(len(before)), chance.randrange(1, len(before) + 1)))
    chance.shuffle(kept)
    after = before[kept].with_columns(age=pl.Series([chance.choice((25, 35)) for _ in kept]))
    for name in ("pay", "mood"):  # as a method that moves sensitive values does
        if chance.random() < 0.5:
            after = after.with_columns(after[name].shuffle(seed))
    found = disclosed_of(
        Examined.of(before, ATTRIBUTES, RECORDS), Examined.of(after, ATTRIBUTES, RECORDS), np.array(kept)
    )
    assert found["column"].to_list() == ["ill", "pay", "mood"]
    for row in found.iter_rows(named=True):
        name, numeric = row["column"], row["column"] == "pay"
        own, shown = before[name].to_list(), after[name].to_list()
        if name == "ill":
            own, shown = [MEANING[v] for v in own], [MEANING[v] for v in shown]
        known = [value for value in own if value is not None]
        width = None
        if numeric:
            low, high = np.quantile(known, (0.05, 0.95)) if known else (0.0, 0.0)
            width = TOLERANCE * (high - low)
        keys = [frame.select("town", "age").rows() for frame in (before, after)]
        was = twin.disclosed(keys[0], own, own, width)
        now = twin.disclosed(keys[1], shown, [own[i] for i in kept], width)
        assert (row["classes_before"], row["records_before"]) == was
        assert (row["classes"], row["records"]) == now


@pytest.mark.parametrize("seed", range(60))
def test_tails_and_categories(seed: int) -> None:
    chance = random.Random(seed)
    n = chance.randrange(2, 70)
    before = pl.DataFrame(
        {
            "x": [chance.choice((None, *range(9))) if chance.random() < 0.7 else chance.gauss(0, 50) for _ in range(n)],
            "town": [chance.choice(("a", "b", "c", None)) for _ in range(n)],
            "pain": [chance.choice(("low", "mid", "high")) for _ in range(n)],
            "ill": [chance.choice(("flu", "cold", "gout")) for _ in range(n)],
        },
        schema={"x": pl.Float64, "town": pl.String, "pain": pl.String, "ill": pl.String},
        strict=False,
    )
    kept = sorted(chance.sample(range(n), chance.randrange(1, n + 1)))
    after = before[kept].with_columns(
        x=pl.Series([None if v is None else min(v, 4.5) for v in before["x"][kept]], dtype=pl.Float64),
        ill=pl.Series([chance.choice((v, "airway")) for v in before["ill"][kept]]),
    )
    attributes: dict[str, Any] = {
        "x": om.Numeric(missing="category"),
        "town": om.Flat(missing="category"),
        "pain": om.Ordinal(order=["low", "mid", "high"]),
        "ill": om.Nominal(taxonomy=TAXONOMY),
    }
    pairing = pair_frames(before, after, attributes, kept)
    tails = {row["end"]: row for row in tails_of(pairing).iter_rows(named=True)}
    if before["x"].null_count() < n and after["x"].null_count() < len(after):
        for end in ("lowest", "highest"):
            plain = twin.tail(before["x"].to_list(), after["x"].to_list(), end)
            assert {name: tails[end][name] for name in plain} == pytest.approx(plain)
    else:
        assert not tails
    for row in vanished_of(pairing).iter_rows(named=True):
        plain_ = twin.vanished(before[row["column"]].to_list(), after[row["column"]].to_list())
        assert (row["categories"], row["vanished"], row["records"]) == plain_
    plain_collapsed = [
        name
        for name in before.columns
        if before[name].drop_nulls().n_unique() > 1 and after[name].drop_nulls().n_unique() <= 1
    ]
    assert collapsed_of(pairing) == plain_collapsed


def test_intervals_have_no_tail_and_one_interval_is_nothing() -> None:
    frame = pl.DataFrame({"age": [20, 30, 40, 50], "town": ["a", "b", "c", "d"]})
    attributes = {"age": om.Numeric(), "town": om.Flat()}
    policy = om.Policy(attributes=attributes, method=om.Generalization(), require=[om.KAnonymity(k=4)])
    found = om.anonymize(frame, policy).assessment
    assert found.tails.is_empty()
    assert found.collapsed == ["age", "town"]
    assert found.vanished.rows() == [("town", 4, 4, 4)]
    assert "age and town each have the same value in all released records: their information is lost." in found.readings
