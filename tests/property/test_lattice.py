"""The generalization search against all nodes of small lattices (specification 7; docs/methods/generalization.md)."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from tests.oracle import plain_models as twin
from tests.oracle.plain_masking import PlainAttribute, PlainColumn
from tests.property.strategies import Case, cases, to_edges

SEEDS = st.integers(0, 2**32)
Fails = Callable[[Sequence[int]], bool]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hierarchies")


@dataclass
class Drawn:
    """A column as both sides see it."""

    values: list[Any]
    attribute: Any
    hierarchy: Any
    column_levels: twin.PlainLevels
    dtype: Any = pl.String
    plain: PlainAttribute | None = None


def holes(chance: random.Random, values: list[Any]) -> tuple[list[Any], dict[str, Any]]:
    if chance.random() < 0.8:
        return values, {}
    return [None if chance.random() < 0.2 else v for v in values], {"missing": "category"}


def file_column(chance: random.Random, n: int, folder: Path) -> Drawn:
    """A file of levels that each join groups of the one before; it may have values that do not occur."""
    names = [f"v{i}" for i in range(chance.randint(2, 7))]
    group: dict[str, str] = {name: name for name in names}
    rows: dict[str, list[str]] = {name: [] for name in names}
    for level in range(chance.randint(1, 3)):
        groups = sorted(set(group.values()))
        most = 1 if level == 2 else chance.randint(1, len(groups))
        target = {g: f"L{level}.{chance.randrange(most)}" for g in groups}
        if chance.random() < 0.2:  # a group that stays as it is
            target[groups[0]] = groups[0]
        group = {name: target[g] for name, g in group.items()}
        for name in names:
            rows[name].append(group[name])
    path = folder / f"{chance.randrange(2**60)}.csv"
    path.write_text("".join(";".join([name, *labels]) + "\n" for name, labels in rows.items()))
    values, missing = holes(chance, chance.choices(names[: chance.randint(1, len(names))], k=n))
    return Drawn(values, om.Flat(**missing), om.LevelsFile(path=str(path)), twin.file_levels(rows, values))


def interval_column(chance: random.Random, n: int, folder: Path) -> Drawn:
    """Whole numbers; intervals given, or built by doubling."""
    values, missing = holes(chance, [chance.randrange(3, chance.choice((6, 12, 30))) for _ in range(n)])
    if all(v is None for v in values):
        values[0] = 4
    known = [v for v in values if v is not None]
    hierarchy: om.Intervals
    if chance.random() < 0.5:
        cuts = [[*range(0, 33, 4)], [0, 8, 16, 32], [0, 16, 32]][chance.randrange(2) :]
        given_: list[list[Any]] = [list(level) for level in cuts]
        if chance.random() < 0.5:
            given_ = [[[a, b] for a, b in itertools.pairwise(level)] for level in cuts]
        hierarchy = om.Intervals(levels=given_)
    else:
        width, factor, origin = chance.choice((1, 2, 3, 5)), chance.choice((2, 3)), chance.choice((0, 1, -4))
        hierarchy = om.Intervals(width=width, factor=factor, origin=origin)
        cuts = []
        while not cuts or len(cuts[-1]) > 2:
            begin = origin + (min(known) - origin) // width * width
            cuts.append([*range(begin, max(known) + width + 1, width)])
            while cuts[-1][-2] > max(known):
                cuts[-1].pop()
            width *= factor
    column_levels = twin.interval_levels(cuts, values, built=hierarchy.levels is None)
    return Drawn(values, om.Numeric(**missing), hierarchy, column_levels, pl.Int64)


def text_column(chance: random.Random, n: int, folder: Path) -> Drawn:
    """Zip codes, of one length or several."""
    lengths = chance.choice(((3,), (2,), (1, 2, 3)))
    among = ["".join(chance.choices("12", k=chance.choice(lengths))) for _ in range(chance.randint(1, 6))]
    values, missing = holes(chance, chance.choices(among, k=n))
    side: Any = chance.choice(("right", "left"))
    return Drawn(values, om.Flat(**missing), om.MaskedText(side=side), twin.masked_levels(values, side))


def tree_column(chance: random.Random, n: int, folder: Path) -> Drawn:
    """A tree of up to four levels; values at any depth."""
    size = chance.randint(2, 12)
    depth, above = [1], [[]]
    for i in range(1, size):
        parent = chance.choice([j for j in range(i) if depth[j] < 4])
        above.append([parent])
        depth.append(depth[parent] + 1)
    names = [f"n{i}" for i in chance.sample(range(100), size)]
    case = Case(to_edges(above, names, True))  # type: ignore[arg-type]
    values, missing = holes(chance, chance.choices(chance.sample(names, min(size, chance.randint(1, 6))), k=n))
    cut: Any = chance.choice(("depth", "height"))
    measure = chance.choice(("logsc", "wu_palmer", "path"))
    attribute = om.Nominal(taxonomy=case.real, measure=measure, **missing)
    column_levels = twin.taxonomy_levels(case.plain, values, cut)
    hierarchy = None if cut == "depth" and chance.random() < 0.5 else om.TaxonomyLevels(cut=cut)
    return Drawn(values, attribute, hierarchy, column_levels, plain=PlainAttribute("nominal", case.plain, measure))


def flat_column(chance: random.Random, n: int, folder: Path) -> Drawn:
    """Without a hierarchy: the value, and *."""
    values, missing = holes(chance, chance.choices("xyz"[: chance.randint(1, 3)], k=n))
    return Drawn(values, om.Flat(**missing), None, twin.plain_levels(values, []), plain=PlainAttribute("flat"))


MAKERS = (file_column, interval_column, text_column, tree_column, flat_column)


MONOTONE = ("k", "k", "distinct")
#: Not with suppression.
OTHERS = ("entropy", "recursive", "equal", "ordered")


def drawn_model(
    chance: random.Random, secret: Sequence[Any], numbers: Sequence[Any], kinds: Sequence[str]
) -> tuple[Any, Fails]:
    """A model over sensitive columns, told twice."""
    kind = chance.choice(kinds)
    values = len(set(secret))
    if kind == "k":
        k = chance.choice((2, 2, 3, 4))
        return om.KAnonymity(k=k), lambda rows: len(rows) < k
    if kind == "distinct":
        l = chance.randint(1, min(values, 3))
        return om.LDiversity(l=l, attribute="s"), lambda rows: len({secret[i] for i in rows}) < l
    if kind == "entropy":
        e = chance.choice([x for x in (1, 1.5, 1.9, 2.4) if x <= values])
        model = om.LDiversity(l=e, attribute="s", variant="entropy")
        return model, lambda rows: twin.effective([secret[i] for i in rows]) < e - 1e-9
    if kind == "recursive":
        l, c = chance.randint(1, min(values, 2)), chance.choice((1.5, 2.5, 3.5))
        model = om.LDiversity(l=l, attribute="s", variant="recursive", c=c)
        return model, lambda rows: not twin.recursive_holds([secret[i] for i in rows], c, l)
    t = chance.choice((0.15, 0.22, 0.33, 0.45))
    if kind == "equal":
        return om.TCloseness(t=t, attribute="s"), lambda rows: _variation([secret[i] for i in rows], secret) > t + 1e-9
    ranks = sorted(set(numbers))

    def far(rows: Sequence[int]) -> bool:
        part = [numbers[i] for i in rows]
        upto = [abs(sum(v <= r for v in part) / len(part) - sum(v <= r for v in numbers) / len(numbers)) for r in ranks]
        return sum(upto) / max(len(ranks) - 1, 1) > t + 1e-9

    return om.TCloseness(t=t, attribute="n", ground="ordered"), far


def _variation(part: Sequence[Any], whole: Sequence[Any]) -> float:
    return sum(abs(part.count(v) / len(part) - whole.count(v) / len(whole)) for v in set(whole)) / 2


class Problem:
    """A random table with random hierarchies and models."""

    def __init__(
        self,
        seed: int,
        folder: Path,
        makers: Sequence[Any] = MAKERS,
        limits: Sequence[float] = (0, 0, 0.1, 0.25, 0.5),
        loss: str | None = None,
        kinds: Sequence[str] = (*MONOTONE, *OTHERS),
        sizes: Sequence[int] = (4, 6, 10, 16, 24, 40),
    ) -> None:
        chance = self.chance = random.Random(seed)
        n = chance.choice(sizes)
        self.columns = [chance.choice(makers)(chance, n, folder) for _ in range(chance.choice((2, 2, 3, 4)))]
        self.names = [f"c{i}" for i in range(len(self.columns))]
        self.records = list(zip(*(column.values for column in self.columns), strict=True))
        secret = chance.choices("pqrs"[: chance.randint(2, 4)], k=n)
        numbers = [chance.randrange(4) for _ in range(n)]
        self.frame = pl.DataFrame(
            [
                pl.Series(name, column.values, dtype=column.dtype)
                for name, column in zip(self.names, self.columns, strict=True)
            ]
        ).with_columns(pl.Series("s", secret), pl.Series("n", numbers), pl.Series("row", range(n)))
        drawn = [drawn_model(chance, secret, numbers, kinds) for _ in range(chance.choice((1, 1, 2, 3)))]
        self.models, self.fails = [m for m, _ in drawn], [f for _, f in drawn]
        self.limit, self.loss = chance.choice(limits), loss or chance.choice(("ncp", "ncp", "steps"))
        self.lattice = twin.PlainLattice(
            self.records,
            [c.column_levels for c in self.columns],
            self.fails,
            self.limit,
            self._cost() if self.loss != "ncp" else None,
        )

    def _cost(self) -> Callable[[int, int, Any], float]:
        if self.loss == "steps":
            return lambda a, level, value: level / max(len(self.columns[a].column_levels) - 1, 1)
        return _semantic(self.columns)

    def policy(self, **more: Any) -> om.Policy:
        attributes = {name: column.attribute for name, column in zip(self.names, self.columns, strict=True)}
        attributes |= {
            "s": om.Flat(role="sensitive"),
            "n": om.Numeric(role="sensitive"),
            "row": om.Numeric(role="other"),
        }
        hierarchies = {
            name: c.hierarchy for name, c in zip(self.names, self.columns, strict=True) if c.hierarchy is not None
        }
        settings_: dict[str, Any] = {"suppression_limit": self.limit, "loss": self.loss} | more
        return om.Policy(
            attributes=attributes,
            method=om.Generalization(hierarchies=hierarchies, **settings_),
            require=self.models,
        )

    def agree(self, result: om.Result, node: tuple[int, ...]) -> None:
        """The release is that of a node: what is shown, who is left out."""
        expected = self.lattice.nodes[node]
        kept = [i for i in range(len(self.records)) if i not in set(expected.suppressed)]
        assert result.data["row"].to_list() == kept
        assert sorted(set(result.removed.tolist())) == expected.suppressed
        for a, name in enumerate(self.names):
            shown = [expected.shown[i][a] for i in kept]
            column = result.data[name]
            assert column.to_list() == (shown if column.dtype == self.columns[a].dtype else [_text(v) for v in shown])
        assert result.data["s"].to_list() == [self.frame["s"][i] for i in kept]
        assert result.verification.holds


def _text(value: Any) -> Any:
    return None if value is None else str(value)


def _semantic(columns: Sequence[Drawn]) -> Callable[[int, int, Any], float]:
    """The distance between a value and the concept that stands for it; of flat ones 0 or 1."""
    compared = []
    for column in columns:
        assert column.plain is not None
        compared.append(PlainColumn(column.plain, column.values))

    def cost(a: int, level: int, value: Any) -> float:
        shown, _ = columns[a].column_levels.levels[level][value]
        if level == 0 or shown == value:
            return 0.0
        if columns[a].plain.kind == "flat":  # type: ignore[union-attr]
            return 1.0
        if shown == "*":  # a missing value and concepts together: what the concepts have in common stands for all
            shown = _top(columns[a])
        return compared[a].relative(value, shown)

    return cost


def _top(column: Drawn) -> Any:
    from tests.oracle.plain import lcs

    assert column.plain is not None
    assert column.plain.taxonomy is not None
    known = [v for v in column.values if v is not None]
    return lcs(column.plain.taxonomy, known) if known else None


def search(problem: Problem) -> None:
    """The search against all nodes."""
    lattice = problem.lattice
    if not lattice.satisfying:
        with pytest.raises(om.errors.DataError, match="no generalization satisfies|records"):
            om.anonymize(problem.frame, problem.policy())
        return
    result = om.anonymize(problem.frame, problem.policy())
    assert result.diagnostics is not None
    listed = {tuple(row[name] for name in problem.names): row for row in result.diagnostics.table.iter_rows(named=True)}
    first = result.diagnostics.table.row(0, named=True)
    chosen = tuple(first[name] for name in problem.names)
    assert [node for node, row in listed.items() if row["chosen"]] == [chosen]
    assert chosen in lattice.satisfying
    assert first["loss"] == pytest.approx(lattice.least, abs=1e-9)
    assert {node for node, row in listed.items() if row["minimal"]} == lattice.minimal
    assert set(listed) == lattice.minimal | {chosen}
    for node, row in listed.items():
        assert row["loss"] == pytest.approx(lattice.nodes[node].loss, abs=1e-9)
    problem.agree(result, chosen)


@settings(max_examples=cases(150))
@given(seed=SEEDS)
def test_search_finds_the_optimum_and_all_minimal_nodes(seed: int, folder: Path) -> None:
    search(Problem(seed, folder))


@settings(max_examples=cases(60))
@given(seed=SEEDS)
def test_models_that_are_not_monotone_are_asked_at_every_node(seed: int, folder: Path) -> None:
    """With suppression, where a node may fail above one that satisfies; few values, so that there is much to tell."""
    makers = (file_column, file_column, tree_column)
    search(Problem(seed, folder, makers, (0.2, 0.3, 0.5), kinds=OTHERS, sizes=(24, 32)))


@settings(max_examples=cases(25))
@given(seed=SEEDS)
def test_search_over_many_equal_records(seed: int, folder: Path) -> None:
    """Rows are merged on the way up: counts must stay right."""
    search(Problem(seed, folder, (file_column, text_column, tree_column), (0.0, 0.1), kinds=MONOTONE, sizes=(60, 80)))


@settings(max_examples=cases(60))
@given(seed=SEEDS)
def test_search_with_semantic_loss(seed: int, folder: Path) -> None:
    search(Problem(seed, folder, (tree_column, tree_column, flat_column), loss="semantic"))


@settings(max_examples=cases(60))
@given(seed=SEEDS)
def test_a_strategy_takes_its_first_step_that_satisfies(seed: int, folder: Path) -> None:
    """Any nodes in any order; what a step does not name stays at level 0."""
    problem = Problem(seed, folder)
    nodes = list(problem.lattice.nodes)
    steps = [problem.chance.choice(nodes) for _ in range(problem.chance.randint(1, 6))]
    strategy = [
        {name: level for name, level in zip(problem.names, node, strict=True) if level or problem.chance.random() < 0.5}
        for node in steps
    ]
    policy = problem.policy(search="strategy", strategy=strategy)
    good = [node for node in steps if node in problem.lattice.satisfying]
    if not good:
        with pytest.raises(om.errors.DataError, match="of the strategy satisf|records"):
            om.anonymize(problem.frame, policy)
        return
    result = om.anonymize(problem.frame, policy)
    assert result.diagnostics is not None
    row = result.diagnostics.table.row(0, named=True)
    assert tuple(row[name] for name in problem.names) == good[0]
    assert row["loss"] == pytest.approx(problem.lattice.nodes[good[0]].loss, abs=1e-9)
    problem.agree(result, good[0])


@settings(max_examples=cases(12))
@given(seed=SEEDS)
def test_every_node_is_judged_rightly(seed: int, folder: Path) -> None:
    """The set of satisfying nodes, each asked for by itself."""
    problem = Problem(seed, folder)
    for node in problem.chance.sample(sorted(problem.lattice.nodes), min(6, len(problem.lattice.nodes))):
        policy = problem.policy(search="strategy", strategy=[dict(zip(problem.names, node, strict=True))])
        if node in problem.lattice.satisfying:
            problem.agree(om.anonymize(problem.frame, policy), node)
        else:
            with pytest.raises(om.errors.DataError):
                om.anonymize(problem.frame, policy)


@settings(max_examples=cases(60))
@given(seed=SEEDS)
def test_local_search(seed: int, folder: Path) -> None:
    """All models hold, every value is covered by what is shown, and the loss is that of the release."""
    problem = Problem(seed, folder, limits=(0,), loss="ncp")
    policy = problem.policy(search="local")
    if not problem.lattice.satisfying:
        with pytest.raises((om.errors.NotSatisfied, om.errors.DataError)):
            om.anonymize(problem.frame, policy)
        return
    result = om.anonymize(problem.frame, policy)
    assert result.data["row"].to_list() == list(range(len(problem.records)))
    shown = list(zip(*(map(_text, result.data[name].to_list()) for name in problem.names), strict=True))
    for rows in twin.classes(shown).values():
        assert not any(fails(rows) for fails in problem.fails)
    assert result.diagnostics is not None
    for a, (name, column) in enumerate(zip(problem.names, problem.columns, strict=True)):
        losses = []
        for record, row in zip(problem.records, shown, strict=True):
            value = record[a]
            fits = [level[value] for level in column.column_levels.levels if _text(level[value][0]) == row[a]]
            assert fits, f"{row[a]!r} does not stand for {value!r}"
            losses.append([penalty for _, penalty in fits])
        least, most = (sum(map(f, losses)) / len(losses) for f in (min, max))
        told = result.diagnostics.table.filter(pl.col("attribute") == name)["loss"][0]
        assert least - 1e-9 <= told <= most + 1e-9
