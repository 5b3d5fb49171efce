"""Best-first search in policies, on the command line, in reports and comparisons; what it says of its result."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

import ontomask as om
from ontomask.cli import app

EDGES = """child,parent
sailing,water sport
rowing,water sport
water sport,sport
cycling,sport
sport,activity
birdwatching,activity
activity,
"""
POLICY = """attributes:
  reason: {kind: nominal, taxonomy: activities.csv}
method: {name: generalization, search: best_first, loss: steps, budget: 500}
require:
  - {name: k_anonymity, k: 2}
row_order: kept
"""
REASONS = ["sailing", "cycling", "rowing", "birdwatching"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "activities.csv").write_text(EDGES)
    (tmp_path / "policy.yaml").write_text(POLICY)
    pl.DataFrame({"reason": REASONS}).write_csv(tmp_path / "visits.csv")
    return tmp_path


def crowd(n: int, seed: int = 3) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Records of several columns, too many to be searched as a whole."""
    chance = random.Random(seed)
    frame = pl.DataFrame(
        {
            "age": [chance.randrange(18, 90) for _ in range(n)],
            "zip": [f"{chance.randrange(100, 999)}" for _ in range(n)],
            "s": [chance.choice("pqr") for _ in range(n)],
        }
    )
    return frame, {"age": om.Numeric(), "zip": om.Flat(), "s": om.Flat(role="sensitive")}


def release(n: int, *models: Any, **method: Any) -> om.Result:
    frame, attributes = crowd(n)
    chosen = om.Generalization(hierarchies={"zip": om.MaskedText()}, **method)
    return om.anonymize(frame, om.Policy(attributes=attributes, method=chosen, require=list(models)), seed=1)


def test_the_fewest_steps_by_hand(folder: Path) -> None:
    """Sailing and rowing climb one step each, cycling two, birdwatching one: 5 of 4 values by 3 levels."""
    policy = om.Policy.load(folder / "policy.yaml")
    assert om.Policy.load(policy.save(folder / "again.yaml")).method == policy.method
    result = om.anonymize(folder / "visits.csv", policy)
    assert result.data["reason"].to_list() == ["water sport", "activity", "water sport", "activity"]
    assert result.diagnostics is not None
    assert result.diagnostics.table.rows() == [("reason", pytest.approx(5 / 12))]
    assert any(note.endswith("optimal: no grouping of the records loses less") for note in map(str, result.notes))


def test_on_the_command_line_and_in_the_report(folder: Path) -> None:
    words = ["run", str(folder / "policy.yaml"), str(folder / "visits.csv"), "-o", str(folder / "out")]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert "optimal: no grouping of the" in " ".join(done.output.split())
    pages = [path.read_text(encoding="utf-8") for path in (folder / "out").rglob("*.html")]
    assert any("A search for the least loss put records into groups" in page for page in pages)
    assert any("optimal: no grouping of the records loses less" in page for page in pages)
    released = next(path for path in (folder / "out").rglob("*.csv") if "water sport" in path.read_text())
    found = om.assess(folder / "visits.csv", released, om.Policy.load(folder / "policy.yaml"), aligned=True)
    assert found.ncp is not None


def test_beside_other_searches_in_a_comparison() -> None:
    frame, attributes = crowd(40)
    policy = om.Policy(attributes=attributes, require=[om.KAnonymity(k=3)])
    methods = {s: om.Generalization(search=s, hierarchies={"zip": om.MaskedText()}) for s in ("local", "best_first")}
    compared = om.compare(frame, om.grid(policy, methods, k=3))
    assert len(compared.table) == 2


@pytest.mark.parametrize(
    "models",
    [
        (om.KAnonymity(k=3),),
        (om.KAnonymity(k=2), om.LDiversity(l=2, attribute="s")),
        (om.LDiversity(l=2, attribute="s", variant="entropy"),),
        (om.KAnonymity(k=2), om.TCloseness(t=0.4, attribute="s")),
        (om.KmAnonymity(k=3, m=1),),
    ],
    ids=lambda models: "+".join(model.describe() for model in models),
)
def test_large_tables_are_improved_and_not_called_optimal(models: tuple[Any, ...]) -> None:
    local = release(150, *models, search="local")
    before = local.ncp
    assert before is not None
    for budget in (1, 200, 3_000):
        result = release(150, *models, search="best_first", budget=budget)
        assert result.satisfied
        assert len(result.data) == 150
        assert result.ncp is not None
        assert result.ncp <= before + 1e-9
        assert any("not proven to be the optimum" in note for note in map(str, result.notes))
    assert result.ncp < before


def test_the_bound_is_told_where_a_small_table_is_not_finished() -> None:
    result = release(40, om.KAnonymity(k=4), search="best_first", budget=2_000)
    note = next(note for note in map(str, result.notes) if note.startswith("best-first search"))
    assert "not proven to be the optimum (no grouping loses less than 0." in note
    assert result.diagnostics is not None
    bound = float(note.rpartition("than ")[2].rstrip(")"))
    assert bound <= float(result.diagnostics.table["loss"].mean()) + 1e-4  # type: ignore[arg-type]


def test_one_class_for_all_where_nothing_else_satisfies() -> None:
    frame = pl.DataFrame({"n": [1, 2, 3, 4], "s": list("ppqq")})
    attributes = {"n": om.Numeric(), "s": om.Flat(role="sensitive")}
    policy = om.Policy(
        attributes=attributes, method=om.Generalization(search="best_first"), require=[om.KAnonymity(k=4)]
    )
    assert om.anonymize(frame, policy).data["n"].n_unique() == 1
    with pytest.raises(om.errors.OntomaskError, match="3-diversity"):
        om.anonymize(frame, policy.changed(require=[om.LDiversity(l=3, attribute="s")]))
