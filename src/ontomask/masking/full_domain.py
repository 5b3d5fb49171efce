"""Full-domain generalization: every column at one level, the combination of levels that loses least."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ontomask.arguments import counted, did_you_mean, free_name
from ontomask.arrays import TIE, Floats
from ontomask.errors import DataError, PolicyError
from ontomask.hierarchies.levels import ColumnLevels, Costs
from ontomask.masking.goals import Goals
from ontomask.masking.lattice import Lattice, Node, NodeResult, Rows, minimal
from ontomask.masking.method import Masked, MaskedTuples
from ontomask.microdata.encoding import Tuples
from ontomask.privacy.diagnostics import Nodes
from ontomask.progress import Progress, stretch
from ontomask.statements import Statement, note

if TYPE_CHECKING:
    from ontomask.masking.generalization import Generalization

#: Combinations of levels that are searched, at most.
MOST_NODES = 20_000_000


class Search:
    """The search for a combination of levels."""

    def __init__(
        self, method: Generalization, table: Tuples, hierarchies: list[ColumnLevels], goals: Goals, progress: Progress
    ) -> None:
        self.method, self.table, self.hierarchies, self.goals, self.progress = (
            method,
            table,
            hierarchies,
            goals,
            progress,
        )
        self.notes: list[Statement] = []
        nodes = math.prod(len(hierarchy) for hierarchy in hierarchies)
        if nodes > MOST_NODES and method.strategy is None:
            levels = ", ".join(f"{hierarchy.name} {len(hierarchy)}" for hierarchy in hierarchies)
            raise DataError(
                f"the hierarchies make {nodes:,} combinations of levels ({levels})",
                remedy="Give hierarchies of fewer levels, generalize fewer columns, or choose search='local' or 'strategy'.",
            )
        counted_goals = goals.counted(sharing=True)
        self.tuple_of = counted_goals.rows.tuple_of
        codes = np.ascontiguousarray(table.codes[:, self.tuple_of])
        rows = Rows(codes, counted_goals.rows.weights, counted_goals.codes, lambda: counted_goals.units)
        allowed = int(np.floor(method.suppression_limit * table.n + 1e-9))
        self.lattice = Lattice(hierarchies, rows, allowed)
        self.costs = Costs.of(hierarchies, method.loss)
        how = {"suppressing": allowed > 0, "several": goals.units.of is not None}
        pairs = list(zip(goals.models, goals.judges, strict=True))
        sure = [model.monotone(**how) and judge.monotone for model, judge in pairs]
        self.monotone = [judge for (_, judge), monotone in zip(pairs, sure, strict=True) if monotone]
        self.others = [judge for (_, judge), monotone in zip(pairs, sure, strict=True) if not monotone]

    def run(self) -> MaskedTuples:
        if self.method.strategy is not None:
            node, listed = self._first_of_strategy(self.method.strategy)
        else:
            node, listed = self._optimum()
        return self._masked(node, listed)

    # ---- the best node -----------------------------------------------------------------------------------------------

    def _optimum(self) -> tuple[Node, pl.DataFrame]:
        lattice = self.lattice
        bounds = lattice.bounds(self.costs.by_code)
        losses: dict[Node, float] = {}

        def seen(node: Node, result: NodeResult) -> None:
            losses[node] = lattice.loss(node, result, self.costs.by_code, float(bounds[node]))

        keep = seen if self.costs.even and not self.others else None
        holds = lattice.frontier(self.monotone, stretch(self.progress, 0.0, 0.9), keep)
        if self.others:
            holds = self._check_remaining(holds)
        if not holds.any():
            self._refuse()
        best, chosen = np.inf, None
        # The least bound first; of equal ones the less general.
        order = np.lexsort((lattice.heights.ravel(), np.where(holds, bounds, np.inf).ravel()))
        for place in order:
            node = tuple(int(level) for level in np.unravel_index(place, lattice.shape))
            if not holds[node] or bounds[node] >= best * (1 - TIE):
                break
            if node not in losses:
                losses[node] = self._loss(node, bounds)
            if losses[node] < best * (1 - TIE):
                best, chosen = losses[node], node
        assert chosen is not None
        least = minimal(holds)
        for node in least:
            if node not in losses:
                losses[node] = self._loss(node, bounds)
        return chosen, self._nodes([chosen, *(n for n in least if n != chosen)], losses, least)

    def _check_remaining(self, holds: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Models that are not monotone are asked at every node that the others leave."""
        holds = holds.copy()
        open_ = np.argwhere(holds)
        for i, levels in enumerate(open_):
            if i % 64 == 0:
                self.progress(0.9 * i / len(open_), "evaluating the remaining nodes")
            node = tuple(int(level) for level in levels)
            holds[node] = self._evaluate(node).failing <= self.lattice.allowed
        return holds

    def _evaluate(self, node: Node) -> NodeResult:
        return self.lattice.evaluate(node, [*self.monotone, *self.others])

    def _loss(self, node: Node, bounds: Floats) -> float:
        if self.lattice.allowed == 0:
            return float(bounds[node])
        if self.costs.even:
            return self.lattice.loss(node, self._evaluate(node), self.costs.by_code, float(bounds[node]))
        result = self.lattice.evaluate_exact(node, [*self.monotone, *self.others])
        return self.lattice.loss_of_rows(node, result, self.costs.by_code)

    def _refuse(self) -> None:
        """Nothing satisfies: which model fails even where everything is as general as can be, and by how much."""
        top, said = self.lattice.top, []
        for model, judge in zip(self.goals.models, self.goals.judges, strict=True):
            result = self.lattice.evaluate(top, [judge])
            if result.failing > self.lattice.allowed:
                figures = self.lattice.figures(top, judge)
                worst = float(figures.max() if model.largest_is_worst() else figures.min())
                said.append(f"{model.describe()} fails at the top of all hierarchies: {model.tell(worst)}")
        raise DataError(
            "no generalization satisfies the requirements"
            + (": " + "; ".join(said) if said else ": the models cannot be satisfied together"),
            remedy="Relax the requirements, choose another hierarchy, or allow suppression.",
        )

    # ---- a strategy --------------------------------------------------------------------------------------------------

    def _first_of_strategy(self, strategy: Sequence[Mapping[str, int | str]]) -> tuple[Node, pl.DataFrame]:
        nodes = [self._node(step, levels) for step, levels in enumerate(strategy, 1)]
        self.notes += self._not_iterative(nodes)
        for tried, node in enumerate(nodes, 1):
            self.progress(0.9 * tried / len(nodes), "trying the steps of the strategy")
            result = self.lattice.evaluate_exact(node, [*self.monotone, *self.others])
            if result.failing <= self.lattice.allowed:
                loss = self.lattice.loss_of_rows(node, result, self.costs.by_code)
                self.notes.append(note(f"step {tried} of {len(nodes)} of the strategy is the first that satisfies"))
                return node, self._steps(nodes[:tried], loss)
        raise DataError(
            f"no step of the strategy satisfies the requirements ({counted(len(strategy), 'step')} tried)",
            remedy="Add a step that generalizes more, or relax the requirements.",
        )

    def _not_iterative(self, nodes: Sequence[Node]) -> list[Statement]:
        """S18 section 4 (ii): each version is a generalization of the one before. A note where one is not."""
        for step, (before, after) in enumerate(pairwise(nodes), 2):
            names = [hierarchy.name for hierarchy in self.hierarchies]
            finer = [name for name, was, now in zip(names, before, after, strict=True) if now < was]
            if finer:
                text = (
                    f"the strategy is not iterative (S18 section 4): step {step} shows {', '.join(finer)} in more detail than "
                    f"step {step - 1}, so the first step that satisfies the requirements may be more general than a later one"
                )
                return [note(text)]
        return []

    def _node(self, step: int, levels: Mapping[str, int | str]) -> Node:
        """The levels that a step names; the columns that it does not name stay as they are."""
        hierarchies = {hierarchy.name: hierarchy for hierarchy in self.hierarchies}
        node = dict.fromkeys(hierarchies, 0)
        for name, asked in levels.items():
            if name not in hierarchies:
                raise PolicyError(
                    f"step {step} of the strategy names {name!r}, which is not a quasi-identifier",
                    remedy=did_you_mean(name, list(hierarchies)) + f"There are: {', '.join(hierarchies)}.",
                )
            names = [level.name for level in hierarchies[name].levels]
            index = hierarchies[name].index_of(asked)
            if index is None:
                raise PolicyError(
                    f"step {step} of the strategy takes {name!r} to {asked!r}",
                    remedy=f"Its levels are: {', '.join(f'{i} ({level})' for i, level in enumerate(names))}.",
                )
            if isinstance(asked, int) and asked > index:
                self.notes.append(
                    note(f"{name}: level {asked} of the strategy is its last here, {index} ({names[-1]})", name)
                )
            node[name] = index
        return tuple(node.values())

    def _steps(self, nodes: Sequence[Node], loss: float) -> pl.DataFrame:
        """The steps tried, the last of them, which was chosen, first."""
        names = [hierarchy.name for hierarchy in self.hierarchies]
        rows = [
            {
                **dict(zip(names, node, strict=True)),
                free_name("loss", names): None if i else loss,
                free_name("chosen", names): i == 0,
            }
            for i, node in enumerate(reversed(nodes))
        ]
        return pl.DataFrame(rows, infer_schema_length=None)

    # ---- what comes of it --------------------------------------------------------------------------------------------

    def _nodes(self, nodes: Sequence[Node], losses: dict[Node, float], least: Sequence[Node]) -> pl.DataFrame:
        """The chosen node first, then the others by loss: their levels, their loss, and whether they are minimal."""
        names = [hierarchy.name for hierarchy in self.hierarchies]
        rest = sorted(nodes[1:], key=lambda node: (losses[node], node))
        minimal_ = set(least)
        rows = [
            {
                **dict(zip(names, node, strict=True)),
                free_name("loss", names): losses[node],
                free_name("chosen", names): node == nodes[0],
                free_name("minimal", names): node in minimal_,
            }
            for node in [nodes[0], *rest]
        ]
        return pl.DataFrame(rows)

    def _masked(self, node: Node, listed: pl.DataFrame) -> MaskedTuples:
        result = self.lattice.evaluate_exact(node, [*self.monotone, *self.others])
        kept = np.flatnonzero(~result.fails)
        renumbered = np.full(len(result.fails), -1, dtype=np.int32)
        renumbered[kept] = np.arange(len(kept), dtype=np.int32)
        group_of = np.empty(self.table.p, dtype=np.int32)
        group_of[self.tuple_of] = renumbered[result.of]  # all rows of a tuple are in one class
        centres, shown, penalty = [], [], []
        for codes, hierarchy, index in zip(result.rows.codes, self.hierarchies, node, strict=True):
            level = hierarchy.levels[index]
            groups = level.group[codes[result.first[kept]]]
            centres.append(level.centres[groups])
            shown.append(level.shown.gather(groups))
            penalty.append(level.penalty[groups])
        levels = ", ".join(
            f"{hierarchy.name} {hierarchy.levels[index].name}"
            for hierarchy, index in zip(self.hierarchies, node, strict=True)
        )
        notes = [note(f"levels: {levels}"), *self.notes]
        if self.method.strategy is None:
            notes.append(note(f"{self.lattice.evaluated:,} of {self.lattice.count:,} nodes were evaluated"))
        removed = int(self.table.counts[group_of < 0].sum())
        if removed:
            notes.append(note(f"{removed:,} of {counted(self.table.n, 'record')} suppressed"))
        masked = Masked(group_of, centres, notes, shown=shown, penalty=penalty, diagnostics=Nodes(listed))
        return MaskedTuples(masked)
