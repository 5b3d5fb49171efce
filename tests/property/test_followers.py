"""Columns that follow another: a function of what it shows, in memory and in the file; nothing else of the record is left."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import ontomask as om
from ontomask.microdata.followers import follow
from ontomask.policy.verification import check_contents
from ontomask.privacy.contents import ContentCheck
from ontomask.privacy.examined import Examined
from ontomask.privacy.units import RECORDS

TAXONOMY = om.Taxonomy.from_edges(
    [("a", "ab"), ("b", "ab"), ("c", "cd"), ("d", "cd"), ("ab", "all"), ("cd", "all")], name="letters"
)
METHODS = [
    (om.Microaggregation(3), []),
    (om.Suppression(3, cells=True), []),
    (om.Generalization(), [om.KAnonymity(3)]),
    (om.Generalization(search="local"), [om.KAnonymity(3)]),
    (om.RankSwapping(k=3), []),
    (om.PRAM(keep=0.3), []),
]


def plain_follow(leaders: list[Any], followers: list[Any], released: list[Any]) -> list[Any]:
    """The most frequent follower of each leader, the first in order of equals; None where there is none."""
    counts: dict[Any, Counter[Any]] = defaultdict(Counter)
    for leader, follower in zip(leaders, followers, strict=True):
        if leader is not None and follower is not None:
            counts[leader][follower] += 1
    best = {leader: min(tally, key=lambda value: (-tally[value], str(value))) for leader, tally in counts.items()}
    return [None if leader is None else best.get(leader) for leader in released]


@pytest.mark.parametrize("seed", range(10))
def test_followers_are_those_of_the_twin(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(200):
        n, letters = rng.randint(1, 20), [*"abc", None]
        original = pl.DataFrame(
            {
                "leader": pl.Series([rng.choice(letters) for _ in range(n)], dtype=pl.String),
                "value": pl.Series([rng.choice([1, 2, 10, None]) for _ in range(n)], dtype=pl.Int64),
            }
        )
        released = pl.DataFrame({"leader": pl.Series([rng.choice([*letters, "*"]) for _ in range(n)], dtype=pl.String)})
        leaders, values = original["leader"].to_list(), original["value"].to_list()
        found = follow("value", "leader", original, released)
        assert found.values.to_list() == plain_follow(leaders, values, released["leader"].to_list())
        pairs = {pair for pair in zip(leaders, values, strict=True) if None not in pair}
        assert found.several == sum(times > 1 for times in Counter(leader for leader, _ in pairs).values())


@pytest.mark.parametrize("seed", range(36))
def test_the_file_shows_what_goes_with_the_released_value(seed: int, tmp_path: Path) -> None:
    rng = random.Random(100 + seed)
    method, require = METHODS[seed % len(METHODS)]
    n = rng.randint(12, 50)
    codes = [rng.choice("aabbbcd") for _ in range(n)]
    frame = pl.DataFrame(
        {
            "code": codes,
            "age": [rng.randint(20, 40) for _ in range(n)],
            "label": [f"the {code}" for code in codes],
            "group": [rng.choice([1, 2]) if code == "a" else ord(code) for code in codes],
        }
    )
    attributes = {
        "code": om.Nominal(taxonomy=TAXONOMY),
        "age": om.Numeric(),
        "label": om.Flat(follows="code"),
        "group": om.Numeric(follows="code"),
    }
    policy = om.Policy(attributes, method=method, require=require)
    assert policy.quasi_identifiers == ["code", "age"]
    result = om.anonymize(frame, policy, seed=seed)
    result.save(tmp_path / "out")
    data = om.read_table(tmp_path / "out" / "release" / "release.csv").data
    for name in ("label", "group"):
        expected = plain_follow(codes, frame[name].to_list(), data["code"].to_list())
        assert data[name].to_list() == expected
        assert result.data[name].to_list() == expected
    assert om.verify(tmp_path / "out" / "release" / "release.csv", policy).findings[-2].holds
    om.assess(frame, tmp_path / "out" / "release" / "release.csv", policy)


def followed(data: pl.DataFrame, original: pl.DataFrame | None = None) -> bool:
    """Does the check of followers hold?"""
    policy = om.Policy({"code": om.Flat(), "label": om.Flat(follows="code")}, method=om.Suppression(1))
    table = Examined.of(data, policy.attributes, RECORDS)
    reference = None if original is None else Examined.of(original, policy.attributes, RECORDS)
    finding = check_contents(table, policy, reference)[-1]
    assert isinstance(finding.model, ContentCheck)
    return finding.holds


def test_verification_finds_what_does_not_follow() -> None:
    original = pl.DataFrame({"code": ["a", "b"], "label": ["x", "y"]})
    assert followed(pl.DataFrame({"code": ["a", "a", None], "label": ["x", "x", None]}), original)
    assert not followed(pl.DataFrame({"code": ["a", "a"], "label": ["x", "y"]}))
    assert not followed(pl.DataFrame({"code": ["a", "a"], "label": ["x", None]}))
    assert not followed(pl.DataFrame({"code": [None, "b"], "label": ["x", "y"]}))
    # A function of the code, and yet not that of the original.
    swapped = pl.DataFrame({"code": ["a", "b"], "label": ["y", "x"]})
    assert followed(swapped)
    assert not followed(swapped, original)
