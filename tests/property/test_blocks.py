"""Blocks: every tuple is in one, as its own values say; groups in blocks keep what groups of all promise."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import ontomask as om
from ontomask.errors import Cancelled, PolicyError
from ontomask.masking import blocks
from ontomask.masking.published import PRESETS
from ontomask.microdata.encoding import Table
from ontomask.operators import neighbours
from ontomask.operators.aggregation import Operators
from ontomask.operators.cuts import Cuts, make_cuts
from ontomask.operators.record_distance import table_of
from ontomask.wording import PERSON
from tests.property.pets import LEAVES, TAXONOMY

ATTRIBUTES: dict[str, Any] = {
    "x": om.Numeric(),
    "y": om.Numeric(missing="category"),
    "flat": om.Flat(),
    "pet": om.Nominal(taxonomy=TAXONOMY, missing="category"),
    "rank": om.Ordinal(order=["a", "b", "c", "d"]),
}


def drawn(seed: int, n: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)

    def gaps(values: Any) -> list[Any]:
        return [None if rng.random() < 0.05 else value for value in values]

    return pl.DataFrame(
        {
            "x": rng.gamma(1.0, 5.0, n).round(1),
            "y": gaps(rng.normal(size=n).round(1).tolist()),
            "flat": rng.choice(["u", "v", "w"], n, p=[0.7, 0.2, 0.1]).tolist(),
            "pet": gaps(rng.choice(LEAVES, n).tolist()),
            "rank": rng.choice(["a", "b", "c", "d"], n).tolist(),
        }
    )


def cut(table: Table, most: int, least: int) -> tuple[Operators, Cuts]:
    operators = om.Microaggregation(k=2).operators(table)
    return operators, make_cuts(table, operators.distance.metrics, operators.neighbours, most, least)


def walked(cuts: Cuts, tuples: Table, t: int) -> int:
    """The block of one tuple, cut by cut."""
    at = 0
    while at >= 0:
        a = int(cuts.column[at])
        code, column, places = int(tuples.codes[a, t]), tuples.columns[a], cuts.lines[a].places
        own = np.inf if code == column.missing else column.centre_of_code[code]
        stand = own if places is None else places[code]
        at = int(cuts.below[at] if stand <= cuts.limit[at] else cuts.above[at])
    return -at - 1


@pytest.mark.parametrize("seed", range(6))
def test_every_tuple_is_in_one_block_of_bounded_size(seed: int) -> None:
    names = [["x", "pet"], ["x", "y"], ["y", "flat", "pet"], list(ATTRIBUTES), ["rank", "flat", "x"], ["pet", "x"]][
        seed
    ]
    table = table_of(drawn(seed, 900).select(names), {name: ATTRIBUTES[name] for name in names})
    most, least = min(150, table.p // 3), 12
    _, cuts = cut(table, most, least)
    block_of = cuts.block_of(table)
    assert block_of.tolist() == [walked(cuts, table, t) for t in range(table.p)]
    tuples = np.bincount(block_of, minlength=cuts.blocks)
    assert len(tuples) == cuts.blocks > 2
    assert tuples.max() <= most
    assert np.bincount(block_of, table.counts).min() >= least
    # Who has some of the tuples and the cuts finds the same blocks.
    some = np.arange(0, table.p, 3)
    assert (cuts.block_of(table.part(some)) == block_of[some]).all()
    again = cut(table, most, least)[1]
    assert (again.limit == cuts.limit).all()
    assert (again.column == cuts.column).all()


def test_what_cannot_be_cut_stays_together() -> None:
    """One side of every cut would have too few records: one block, however large."""
    table = table_of(drawn(1, 300).select("x", "pet"), {name: ATTRIBUTES[name] for name in ("x", "pet")})
    assert cut(table, 100, 200)[1].blocks == 1
    assert not cut(table, 100, 200)[1].block_of(table).any()


@pytest.mark.parametrize("partition", ["mdav", "adaptive"])
@pytest.mark.parametrize("refine", ["none", "descent"])
def test_groups_of_blocks_have_k_records_and_do_not_depend_on_threads(
    partition: Any, refine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = drawn(7, 900)
    for k in (2, 7):
        method = om.Microaggregation(k=k, partition=partition, refine=refine, block_size=150)
        policy = om.Policy(attributes=ATTRIBUTES, method=method, require=[om.KAnonymity(k=k)])
        results = []
        for threads in (1, 3):
            for module in (blocks, neighbours):
                monkeypatch.setattr(module, "available_cores", lambda threads=threads: threads)
            results.append(om.anonymize(frame, policy))
        assert results[0].data.equals(results[1].data)
        assert results[0].groups["records"].min() >= k
        notes = " ".join(map(str, results[0].notes))
        assert "groups formed in " in notes
        assert " blocks of at most 1" in notes


@pytest.mark.parametrize("partition", ["mdav", "adaptive"])
def test_a_small_table_is_one_block(partition: Any) -> None:
    frame = drawn(3, 250)
    exact, whole = (
        om.anonymize(
            frame,
            om.Policy(attributes=ATTRIBUTES, method=om.Microaggregation(k=3, partition=partition, block_size=size)),
        )
        for size in ("exact", 250)
    )
    assert exact.data.equals(whole.data)
    assert "blocks" not in " ".join(map(str, whole.notes))


def test_hybrid_values_are_drawn_within_groups_of_blocks() -> None:
    method = om.Microaggregation(k=3, partition="mdav", replace="hybrid", block_size=200)
    first, second = (
        om.anonymize(drawn(2, 700), om.Policy(attributes=ATTRIBUTES, method=method), seed=1) for _ in range(2)
    )
    assert "blocks of at most" in " ".join(map(str, first.notes))
    assert first.data.equals(second.data)


def test_persons_and_sets_are_compared_all_at_once() -> None:
    frame, method = drawn(5, 600), om.Microaggregation(k=3)
    table = table_of(frame, ATTRIBUTES)
    operators = method.operators(table)
    assert blocks.blocks_for(operators, 100, 3) is not None
    assert blocks.blocks_for(operators, "auto", 3) is None
    of_persons = method.operators(table.owned(PERSON, np.arange(600) // 2))
    assert blocks.blocks_for(of_persons, 100, 3) is None
    pets = frame.select("x", pets=pl.col("pet").fill_null("poodle") + "|hen")
    sets = table_of(pets, {"x": om.Numeric(), "pets": om.Nominal(taxonomy=TAXONOMY, many="|")})
    assert blocks.blocks_for(method.operators(sets), 100, 3) is None


def test_blocks_lose_as_little_as_all_at_once() -> None:
    stays = om.demo_data(6000, seed=2)
    exact, cut_up = (
        om.anonymize(stays, om.demo_policy(om.Microaggregation(k=5, block_size=size))).loss().headline
        for size in ("exact", 1000)
    )
    assert cut_up <= 1.03 * exact


@pytest.mark.parametrize("when", ["in 1", "near combinations"])
def test_a_run_in_blocks_can_be_stopped(when: str) -> None:
    def stop(done: float, what: str) -> None:
        if when in what:
            raise Cancelled("enough")

    policy = om.Policy(attributes=ATTRIBUTES, method=om.Microaggregation(k=3, block_size=100))
    with pytest.raises(Cancelled, match="enough"):
        om.anonymize(drawn(4, 900), policy, progress=stop)


def test_what_goes_wrong_in_a_block_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    table = table_of(drawn(4, 600), ATTRIBUTES)
    operators = om.Microaggregation(k=3).operators(table)
    divided = blocks.blocks_for(operators, 100, 3)
    assert divided is not None

    def fails(*_: Any) -> Any:
        raise MemoryError("no room")

    with pytest.raises(MemoryError, match="no room"):
        blocks.formed_in_blocks(operators, divided, None, fails, lambda done, what: None)


def test_the_setting(tmp_path: Path) -> None:
    policy = om.Policy(attributes={"x": om.Numeric()}, method=om.Microaggregation(k=3, block_size=5000))
    policy.save(tmp_path / "policy.yaml")
    assert om.Policy.load(tmp_path / "policy.yaml").method == policy.method
    assert om.Microaggregation(k=3).block_size == "auto"
    assert all(om.Microaggregation.preset(name, k=3).block_size == "exact" for name in PRESETS)
    for wrong in (99, 0, "all", 2.5, True, None):
        with pytest.raises(PolicyError, match="block_size"):
            om.Microaggregation(k=3, block_size=wrong)
    with pytest.raises(PolicyError, match="block_size has no effect"):
        om.Microaggregation(k=3, partition="optimal", block_size=500)
