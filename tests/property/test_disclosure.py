"""Attribute disclosure against its plain twin, on thousands of random tables."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import polars as pl
import pytest

import ontomask as om
from ontomask.assessment import disclosure
from ontomask.assessment.disclosed import TOLERANCE
from ontomask.assessment.disclosure import disclosure_of
from ontomask.assessment.pairing import pair_frames
from ontomask.privacy.examined import Examined
from ontomask.privacy.units import RECORDS
from tests.oracle import plain_assessment as twin
from tests.oracle.plain import Plain
from tests.oracle.plain_masking import PlainAttribute, PlainTable, least_ones

EDGES = [("flu", "airway"), ("cold", "airway"), ("gout", "joint"), ("airway", "any"), ("joint", "any")]
TAXONOMY = om.Taxonomy.from_edges(EDGES, synonyms={"flu": ["influenza"]})
MEANING = {"flu": "flu", "influenza": "flu", "cold": "cold", "gout": "gout", None: None}
QUASI: dict[str, Any] = {"town": om.Flat(), "age": om.Numeric(), "seen": om.Nominal(taxonomy=TAXONOMY)}
SENSITIVE = {
    "ill": om.Nominal(taxonomy=TAXONOMY, role="sensitive"),
    "pay": om.Numeric(role="sensitive"),
    "mood": om.Flat(role="sensitive"),
}
PLAIN = [
    PlainAttribute("flat"),
    PlainAttribute("numeric"),
    PlainAttribute("nominal", taxonomy=Plain({"any": (), **{c: (p,) for c, p in EDGES}}), measure="logsc"),
]
TYPES = {"town": pl.String, "age": pl.Int64, "seen": pl.String, "ill": pl.String, "pay": pl.Float64, "mood": pl.String}


def some_table(chance: random.Random, n: int) -> pl.DataFrame:
    pay = (None, 10.0, 10.0, 10.25, 10.5, 20.0, 30.25, 60.0)
    drawn = {
        "town": lambda: chance.choice("ab"),
        "age": lambda: chance.choice((20, 25, 30, 40)),
        "seen": lambda: chance.choice(("flu", "cold", "gout")),
        "ill": lambda: chance.choice((*MEANING, "flu")),
        "pay": lambda: chance.choice(pay),
        "mood": lambda: chance.choice(("good", " Good", "bad", None)),
    }
    return pl.DataFrame({name: [draw() for _ in range(n)] for name, draw in drawn.items()}, schema=TYPES)


def some_release(chance: random.Random, before: pl.DataFrame) -> tuple[pl.DataFrame, list[int]]:
    """Some records, in any order, with other quasi-identifiers; sensitive values perhaps elsewhere."""
    kept = sorted(chance.sample(range(len(before)), chance.randrange(1, len(before) + 1)))
    chance.shuffle(kept)
    after = before[kept]
    if chance.random() < 0.8:
        after = after.with_columns(
            age=pl.Series([chance.choice((22, 25, 35)) for _ in kept]),
            seen=pl.Series([chance.choice(("flu", "gout", "airway")) for _ in kept]),
        )
    for name in SENSITIVE:
        if chance.random() < 0.5:
            after = after.with_columns(after[name].shuffle(chance.randrange(99)))
    return after, kept


def as_compared(name: str, values: list[Any]) -> list[Any]:
    if name == "ill":
        return [MEANING[value] for value in values]
    if name == "mood":
        return [None if value is None else value.strip().lower() for value in values]
    return values


def width_of(values: list[Any]) -> float:
    known = [value for value in values if value is not None]
    low, high = np.quantile(known, (0.05, 0.95)) if known else (0.0, 0.0)
    return float(TOLERANCE * (high - low))


@pytest.mark.parametrize("recognized", [True, False])
@pytest.mark.parametrize("batch", range(10))
def test_disclosure_is_that_of_the_plain_twin(recognized: bool, batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    if batch % 2:  # a little at a time
        monkeypatch.setattr(disclosure, "LOOKED_UP", 3)
        monkeypatch.setattr("ontomask.assessment.linkage.HELD", 1)
    for seed in range(100):
        chance = random.Random(f"{batch} {seed}")
        before = some_table(chance, chance.randrange(1, 12))
        after, kept = some_release(chance, before)
        attributes = QUASI | SENSITIVE
        pairing = None if recognized else pair_frames(before, after, QUASI, kept)
        found = disclosure_of(
            Examined.of(before, attributes, RECORDS), Examined.of(after, attributes, RECORDS), np.array(kept), pairing
        )
        was, shown = twin.rows(before, list(QUASI)), twin.rows(after, list(QUASI))
        if recognized:
            matching = [twin.class_of(shown, i) for i in range(len(shown))]
        else:
            table = PlainTable(was, PLAIN, others=shown)
            matching = [least_ones(table.mean_distance(was[k], row) for row in shown) for k in kept]
        learned, guessed = {}, {}
        for name in SENSITIVE:
            own, read = as_compared(name, before[name].to_list()), as_compared(name, after[name].to_list())
            width = width_of(own) if name == "pay" else None
            share = twin.learned(matching, read, [own[k] for k in kept], width)
            if share is not None:
                learned[name] = float(share)
                guessed[name] = float(twin.learned([range(len(own))] * len(own), own, own, width) or 0)
        if not learned:
            assert found is None
            continue
        assert found is not None
        assert found.learned == pytest.approx(learned, rel=1e-12)
        assert found.guessed == pytest.approx(guessed, rel=1e-12)
        assert found.share == pytest.approx(sum(learned.values()) / len(learned))
        assert found.guess == pytest.approx(sum(guessed.values()) / len(guessed))


def test_frames_and_files_give_the_same() -> None:
    chance = random.Random(5)
    before = some_table(chance, 40)
    policy = om.Policy(attributes=QUASI | SENSITIVE, method=om.RankSwapping(k=3))
    before = before.drop_nulls()
    result = om.anonymize(before, policy, seed=1)
    pairing = pair_frames(before, result.data, QUASI)
    expected = disclosure_of(
        Examined.of(before, policy.attributes, RECORDS), result.released, np.arange(len(before)), pairing
    )
    assert om.attribute_disclosure(before, result.data, policy) == expected


def test_what_is_learned_from_nothing_masked_and_from_one_class() -> None:
    """By hand: unmasked unique records give all away; one class of all is a guess."""
    before = pl.DataFrame({"age": [20, 30, 40, 50], "ill": ["flu", "flu", "flu", "gout"]})
    attributes = {"age": om.Numeric(), "ill": om.Flat(role="sensitive")}
    found = om.attribute_disclosure(before, before, attributes)
    assert (found.share, found.guess) == (1.0, (9 + 1) / 16)
    found = om.attribute_disclosure(before, before.with_columns(age=35), attributes)
    assert found.share == found.guess == (9 + 1) / 16
    other = before.with_columns(ill=pl.Series(["gout", "flu", "flu", "flu"]))
    found = om.attribute_disclosure(before, other, attributes, aligned=True)
    assert found.share == 0.5


def test_nothing_to_learn_is_said() -> None:
    frame = pl.DataFrame({"age": [1, 2]})
    with pytest.raises(om.errors.PolicyError, match="no sensitive column"):
        om.attribute_disclosure(frame, frame, {"age": om.Numeric()})
