"""Groups of concepts with several parents show their lowest common subsumer, and never more than they did."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import polars as pl
import pytest

import ontomask as om
from ontomask.hierarchies.above import Above
from ontomask.hierarchies.kinds import levels_of
from ontomask.masking.local_generalization import Showing
from ontomask.microdata.encoding import Table, encode
from tests.oracle import one_path
from tests.oracle import plain_generalization as twin
from tests.oracle.plain import Plain
from tests.property.strategies import Case, cases
from tests.property.tables import _taxonomy


def drawn(chance: random.Random, n: int) -> tuple[Case, list[str]]:
    """A taxonomy, most of them with several parents, and a column of its concepts."""
    case = _taxonomy(chance)
    among = chance.sample(case.concepts, min(len(case.concepts), chance.choice((2, 3, 5, 8))))
    return case, chance.choices(among, k=n)


def encoded(columns: dict[str, tuple[Case, list[Any]]], **settings: Any) -> Table:
    attributes = {name: om.Nominal(taxonomy=case.real, **settings) for name, (case, _) in columns.items()}
    frame = pl.DataFrame({name: pl.Series(values, dtype=pl.String) for name, (_, values) in columns.items()})
    return encode(frame, attributes, list(columns))


def random_groups(chance: random.Random, n: int) -> np.ndarray:
    groups = [chance.randrange(max(1, n // chance.choice((1, 2, 3, 5)))) for _ in range(n)]
    return np.unique(groups, return_inverse=True)[1]


@pytest.mark.parametrize("block", range(20))
def test_lowest_common_subsumers_by_definition(block: int) -> None:
    """2,000 random taxonomies; both cuts of the levels, which groups are not bound to."""
    for seed in range(block * cases(100), (block + 1) * cases(100)):
        chance = random.Random(seed)
        case, values = drawn(chance, chance.choice((2, 5, 9, 14)))
        table = encoded({"c": (case, values)})
        above = Above.of(levels_of(table.columns[0], om.TaxonomyLevels(cut=chance.choice(("depth", "height")))))
        group_of = random_groups(chance, len(values))
        order = np.argsort(group_of, kind="stable")
        starts = np.concatenate(([0], np.cumsum(np.bincount(group_of))))
        nodes = above.lowest(table.codes_of(0)[order], starts)
        plain = twin.ByTaxonomy(case.plain, values)
        for group, node in enumerate(nodes):
            members = [v for v, g in zip(values, group_of, strict=True) if g == group]
            shown, part = plain.show(members)
            assert above.text(int(node)) == shown
            assert above.penalty[node] == pytest.approx(part, abs=1e-12)
            if len(set(members)) > 1:
                assert shown in twin.lowest_common_subsumers(case.plain, members)


@pytest.mark.parametrize("block", range(10))
def test_no_group_shows_more_than_one_path_did(block: int) -> None:
    """1,000 random tables of two columns: the same in trees, never more general anywhere, sometimes less."""
    lower = 0
    for seed in range(block * cases(100), (block + 1) * cases(100)):
        chance = random.Random(10_000 + seed)
        n = chance.choice((4, 8, 12))
        columns: dict[str, tuple[Case, list[Any]]] = {name: drawn(chance, n) for name in "ab"}
        if chance.random() < 0.2:
            columns["a"] = (columns["a"][0], [None if chance.random() < 0.3 else v for v in columns["a"][1]])
        table = encoded(columns, missing="category")
        all_levels = [levels_of(column, None) for column in table.columns]
        group_of = random_groups(chance, n)
        groups = int(group_of.max()) + 1
        now = Showing(table, all_levels, "ncp").classes(group_of, groups)
        shown, penalties, loss = one_path.shown_in_common(table, all_levels, "ncp", group_of, groups)
        assert now.masked.shown is not None
        assert now.masked.penalty is not None
        assert now.loss <= loss + 1e-12
        for a, (case, values) in enumerate(columns.values()):
            told = now.masked.shown[a].to_list()
            plain = twin.ByTaxonomy(case.plain, values)
            parts = [plain.show([v for v, g in zip(values, group_of, strict=True) if g == x]) for x in range(groups)]
            assert told == [text for text, _ in parts]
            assert now.masked.penalty[a] == pytest.approx([part for _, part in parts], abs=1e-12)
            assert (now.masked.penalty[a] <= penalties[a] + 1e-12).all()
            lower += int((now.masked.penalty[a] < penalties[a] - 1e-12).sum())
            if _tree(case.plain):
                assert told == shown[a]
    assert lower > 0


def _tree(t: Plain) -> bool:
    return all(len(parents) < 2 for parents in t.parents.values())


@pytest.mark.parametrize("loss", ["ncp", "steps", "semantic"])
def test_losses_are_those_of_what_is_shown(loss: Any) -> None:
    for seed in range(cases(60)):
        chance = random.Random(20_000 + seed)
        case, values = drawn(chance, 10)
        table = encoded({"c": (case, values)}, measure="path")
        group_of = random_groups(chance, 10)
        all_levels = [levels_of(table.columns[0], None)]
        found = Showing(table, all_levels, loss).classes(group_of, int(group_of.max()) + 1)
        plain, total = twin.ByTaxonomy(case.plain, values), 0.0
        for group in range(int(group_of.max()) + 1):
            members = [v for v, g in zip(values, group_of, strict=True) if g == group]
            if loss == "semantic":
                position = case.real.position(str(plain.show(members)[0]))
                metric = table.columns[0].metric()
                own = table.columns[0].centre_of_code[[table.columns[0].values.to_list().index(v) for v in members]]
                total += float(metric.scaled(own, np.full(len(members), position)).sum())
            else:
                total += sum(plain.steps(members)) if loss == "steps" else len(members) * plain.show(members)[1]
        assert found.loss == pytest.approx(total / 10, abs=1e-9)
