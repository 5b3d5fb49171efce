"""Best-first search against all groupings of small tables (T12 8.4.2; docs/methods/generalization.md)."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import ontomask as om
from tests.oracle import plain_generalization as twin
from tests.property.strategies import cases
from tests.property.tables import _taxonomy
from tests.property.test_lattice import (
    drawn_model,
    file_column,
    flat_column,
    holes,
    interval_column,
    text_column,
    tree_column,
)

Fails = Callable[[Sequence[int]], bool]


@dataclass
class Small:
    """A table small enough to try all groupings."""

    frame: pl.DataFrame
    attributes: dict[str, Any]
    hierarchies: dict[str, Any]
    columns: list[twin.PlainColumn]
    records: list[tuple[Any, ...]]
    models: list[Any]
    fails: Fails

    def release(self, search: Any, **more: Any) -> om.Result:
        method = om.Generalization(search=search, hierarchies=self.hierarchies, **more)
        return om.anonymize(self.frame, om.Policy(attributes=self.attributes, method=method, require=self.models))

    def least(self, loss: str) -> float:
        return twin.least_loss(self.columns, self.records, self.fails, loss)


def dag_column(chance: random.Random, n: int) -> tuple[list[Any], Any, twin.PlainColumn]:
    """Concepts of a taxonomy in which many have several parents."""
    case = _taxonomy(chance)
    among = chance.sample(case.concepts, min(len(case.concepts), chance.choice((3, 5, 8))))
    values, missing = holes(chance, chance.choices(among, k=n))
    return values, om.Nominal(taxonomy=case.real, **missing), twin.ByTaxonomy(case.plain, values)


def small(seed: int, folder: Path, kinds: Sequence[str] = ("k",), sizes: Sequence[int] = (5, 6, 7, 8)) -> Small:
    """One to three columns: taxonomies with one parent or several, and other hierarchies."""
    chance = random.Random(seed)
    n = chance.choice(sizes)
    names, series, attributes, hierarchies, columns = [], [], {}, {}, []
    for a in range(chance.choice((1, 2, 2, 3))):
        name = f"c{a}"
        names.append(name)
        if chance.random() < 0.4:
            values, attributes[name], plain = dag_column(chance, n)
            dtype: Any = pl.String
        else:
            drawn = chance.choice((tree_column, tree_column, interval_column, file_column, text_column, flat_column))(
                chance, n, folder
            )
            values, attributes[name], dtype = drawn.values, drawn.attribute, drawn.dtype
            if drawn.hierarchy is not None:
                hierarchies[name] = drawn.hierarchy
            nominal = drawn.plain is not None and drawn.plain.kind == "nominal"
            if nominal and getattr(drawn.hierarchy, "cut", "depth") == "height":
                del hierarchies[name]  # steps are counted by the levels of a depth
            plain = twin.ByTaxonomy(drawn.plain.taxonomy, values) if nominal else twin.ByLevels(drawn.column_levels)  # type: ignore[union-attr,arg-type]
        series.append(pl.Series(name, values, dtype=dtype))
        columns.append(plain)
    secret = chance.choices("pqr"[: chance.randint(2, 3)], k=n)
    numbers = [chance.randrange(4) for _ in range(n)]
    attributes |= {"s": om.Flat(role="sensitive"), "n": om.Numeric(role="sensitive")}
    frame = pl.DataFrame([*series, pl.Series("s", secret), pl.Series("n", numbers)])
    drawn_models = [drawn_model(chance, secret, numbers, [kind]) for kind in kinds]
    models, fails = [m for m, _ in drawn_models], [f for _, f in drawn_models]
    records = list(zip(*(s.to_list() for s in series), strict=True))
    return Small(frame, attributes, hierarchies, columns, records, models, lambda rows: any(f(rows) for f in fails))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hierarchies")


def loss_of(result: om.Result) -> float:
    assert result.diagnostics is not None
    return float(result.diagnostics.table["loss"].mean())  # type: ignore[arg-type]


def told(result: om.Result) -> str:
    return next(note for note in map(str, result.notes) if note.startswith("best-first search"))


@pytest.mark.parametrize("kinds", [("k",), ("k", "distinct"), ("entropy",), ("k", "equal")], ids="-".join)
@pytest.mark.parametrize("loss", ["ncp", "steps"])
def test_a_complete_search_finds_the_optimum(kinds: tuple[str, ...], loss: Any, folder: Path) -> None:
    """Whatever the taxonomies, the kinds of columns and the models."""
    complete = 0
    for seed in range(cases(12)):
        table = small(1_000 * len(kinds) + seed, folder, kinds, sizes=(5, 6, 7))
        least = table.least(loss)
        if least == float("inf"):
            with pytest.raises(om.errors.OntomaskError):
                table.release("best_first", loss=loss)
            continue
        result = table.release("best_first", loss=loss)
        assert result.satisfied
        assert loss_of(result) >= least - 1e-9
        if "; optimal: no grouping of the records loses less" in told(result):
            assert loss_of(result) == pytest.approx(least, abs=1e-9)
            complete += 1
    assert complete >= cases(12) // 2


def test_best_first_loses_no_more_than_local_and_reaches_the_optimum_more_often(folder: Path) -> None:
    """The counts over 1,000 tables are in docs/methods/generalization.md."""
    reached = {"local": 0, "best_first": 0}
    tables = cases(40)
    for seed in range(tables):
        table = small(seed, folder)
        least = table.least("ncp")
        losses = {search: loss_of(table.release(search)) for search in reached}
        assert least - 1e-9 <= losses["best_first"] <= losses["local"] + 1e-9
        for search, loss in losses.items():
            reached[search] += loss <= least + 1e-9
    assert reached["best_first"] == tables
    assert reached["local"] < reached["best_first"]


def test_a_small_budget_keeps_every_promise(folder: Path) -> None:
    """The best release found so far is handed out, whatever the budget; nothing is called optimal that is not."""
    for seed in range(cases(15)):
        table = small(500 + seed, folder, ("k", "distinct"))
        least = table.least("ncp")
        if least == float("inf"):
            continue
        before = loss_of(table.release("local"))
        for budget in (1, 3, 10, 100):
            result = table.release("best_first", budget=budget)
            assert result.satisfied
            assert least - 1e-9 <= loss_of(result) <= before + 1e-9
            before = max(before, loss_of(result))
            if "not proven to be the optimum" not in told(result):
                assert loss_of(result) == pytest.approx(least, abs=1e-9)
            again = table.release("best_first", budget=budget)
            assert again.masked.group_of.tolist() == result.masked.group_of.tolist()
