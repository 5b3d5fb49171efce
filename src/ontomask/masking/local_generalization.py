"""Local generalization: near records form groups, and each group shows what its values have in common (T12 8.4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ontomask.arguments import counted
from ontomask.arrays import TIE, Floats, Longs
from ontomask.hierarchies.above_sets import above_of
from ontomask.hierarchies.levels import ColumnLevels, LossKind
from ontomask.kinds.nominal import Nominal
from ontomask.kinds.nominal_column import NominalColumn
from ontomask.masking.full_domain import Search
from ontomask.masking.goals import Goals
from ontomask.masking.method import Masked
from ontomask.masking.partitions import mdav
from ontomask.masking.repair import merge_until
from ontomask.microdata.encoding import Table, remeasured
from ontomask.operators.aggregation import Operators
from ontomask.operators.record_distance import RecordDistance
from ontomask.privacy.diagnostics import Losses
from ontomask.progress import Progress, stretch
from ontomask.statements import Statement, note
from ontomask.taxonomy.taxonomy import Taxonomy

if TYPE_CHECKING:
    from ontomask.masking.generalization import Generalization

#: A lattice of more nodes than this is not searched beside.
MOST_NODES = 20_000


@dataclass(frozen=True, eq=False)
class Classes:
    """Records in groups, each shown as specifically as its hierarchies allow; what that loses, and how it came about."""

    group_of: NDArray[np.int32]
    groups: int
    masked: Masked
    loss: float
    notes: list[Statement]


class Showing:
    """What groups of records show: column by column the lowest common subsumer of their values, and what that loses."""

    def __init__(self, table: Table, hierarchies: list[ColumnLevels], loss: LossKind) -> None:
        self.table = table
        self.columns = [above_of(hierarchy) for hierarchy in hierarchies]
        self.loss = loss

    def classes(self, group_of: NDArray[Any], groups: int, notes: Sequence[Statement] = ()) -> Classes:
        """Groups of records as a release."""
        centres, shown, penalties, losses = [], [], [], []
        by_column = self.nodes(group_of, groups)
        for above, codes, nodes in zip(self.columns, self.codes, by_column, strict=True):
            centres.append(above.centres[nodes])
            shown.append(above.shown(nodes))
            penalties.append(above.penalty[nodes])
            losses.append(float(above.losses(codes, nodes[group_of], self.loss).mean()))
        measured = Losses(pl.DataFrame({"attribute": [above.column.name for above in self.columns], "loss": losses}))
        own = group_of.astype(np.int32)
        masked = Masked(own, centres, shown=shown, penalty=penalties, diagnostics=measured)
        return Classes(own, groups, masked, float(np.mean(losses)), list(notes))

    def nodes(self, group_of: NDArray[Any], groups: int) -> list[Longs]:
        """By column the node that each group shows."""
        order = np.argsort(group_of, kind="stable")
        starts = np.concatenate(([0], np.cumsum(np.bincount(group_of, minlength=groups))))
        return [above.lowest(codes[order], starts) for above, codes in zip(self.columns, self.codes, strict=True)]

    def holds(self, goals: Goals, classes: Classes) -> bool:
        """Do the models hold of what is shown? Groups that show the same are one class."""
        nodes = self.nodes(classes.group_of, classes.groups)
        key = np.zeros(classes.groups, dtype=np.int64)
        for above, node in zip(self.columns, nodes, strict=True):
            key = np.unique(key * len(above) + node, return_inverse=True)[1]
        _, first, same = np.unique(key, return_index=True, return_inverse=True)
        shown = np.array([node[first] for node in nodes])
        return not goals.fails(same[classes.group_of], len(first), shown).any()

    def each(self, group_of: NDArray[Any], groups: int) -> Floats:
        """What each record loses, all columns together."""
        lost, nodes = np.zeros(len(group_of)), self.nodes(group_of, groups)
        for above, codes, node in zip(self.columns, self.codes, nodes, strict=True):
            lost += above.losses(codes, node[group_of], self.loss)
        return lost

    @cached_property
    def codes(self) -> list[NDArray[np.int32]]:
        """The code of each record, by column."""
        return [self.table.codes_of(a) for a in range(len(self.columns))]


def generalize_groups(
    method: Generalization, table: Table, hierarchies: list[ColumnLevels], goals: Goals, progress: Progress
) -> Masked:
    """MDAV's groups of k records, joined where a model still fails, each as specific as its hierarchies allow.

    Distances follow the hierarchies, so that near records are those whose common values are not far up.
    """
    showing = Showing(table, hierarchies, method.loss)
    operators = compared(method, table, hierarchies)
    near = near_records(showing, operators, goals, stretch(progress, 0.0, 0.8))
    found = at_one_level(method, showing, hierarchies, goals, stretch(progress, 0.8, 1.0))
    best = found if found is not None and found.loss <= near.loss * (1 + TIE) else near
    return replace(best.masked, notes=[*best.notes, loss_note(method, best.loss)])


def loss_note(method: Generalization, loss: float) -> Statement:
    return note(f"loss ({method.loss}, mean of a value): {loss:.3f}")


def near_records(showing: Showing, operators: Operators, goals: Goals, progress: Progress) -> Classes:
    """Groups of k near records, joined with others until the models hold."""
    k = max([model.stated_k for model in goals.models if model.stated_k is not None], default=2)
    group_of, groups = mdav(operators, showing.table.rows, k, stretch(progress, 0.0, 0.875))
    group_of, groups, merged = merge_until(goals, operators, group_of, groups, stretch(progress, 0.875, 1.0))
    notes = [note(f"{counted(groups, 'group')} of near records")]
    if merged:
        notes.append(note(f"{counted(merged, 'group')} joined with others until the models held"))
    return showing.classes(group_of, groups, notes)


def at_one_level(
    method: Generalization, showing: Showing, hierarchies: list[ColumnLevels], goals: Goals, progress: Progress
) -> Classes | None:
    """The classes of the best full-domain generalization, where there are not too many to look for it.

    Each is shown as specifically as it can be. A model of parts of the columns need not hold any more then: None.
    """
    if np.prod([float(len(hierarchy)) for hierarchy in hierarchies]) > MOST_NODES:
        return None
    found = Search(method, showing.table, hierarchies, goals, progress).run().on(showing.table.rows)
    notes = [note("one level for each column loses no more than groups of near records: taken")]
    classes = showing.classes(found.group_of, found.groups, notes)
    return classes if showing.holds(goals, classes) else None


def compared(method: Generalization, table: Table, hierarchies: list[ColumnLevels]) -> Operators:
    """How records are compared: by distances that follow the hierarchies."""
    placed = _compared(method, table, hierarchies)
    return Operators.of(placed, RecordDistance.of(placed), "semantic")


def _compared(method: Generalization, table: Table, hierarchies: list[ColumnLevels]) -> Table:
    """The table with distances that follow the hierarchies: flat columns with one are placed in the tree it is."""
    measure = method.measure or (None if method.loss == "semantic" else "wu_palmer")
    columns = []
    for hierarchy in hierarchies:
        column = hierarchy.column
        if not column.graded and len(hierarchy) > 2:
            column = _in_tree(hierarchy)
        columns.append(column)
    placed = replace(table, columns=tuple(columns))
    return placed if measure is None else remeasured(placed, measure=measure, options=dict(method.measure_options))


def _in_tree(hierarchy: ColumnLevels) -> NominalColumn:
    """A flat column as a nominal one: the groups of all levels are the concepts."""
    column, levels = hierarchy.column, hierarchy.levels
    edges: dict[tuple[int, int], tuple[int, int]] = {}
    for level in range(len(levels) - 1):
        for lower, upper in zip(levels[level].group.tolist(), levels[level + 1].group.tolist(), strict=True):
            edges[level, lower] = (level + 1, upper)
    names = {node: f"{node[0]}:{node[1]}" for edge in edges.items() for node in edge}
    taxonomy = Taxonomy.from_edges([(names[child], names[parent]) for child, parent in edges.items()])
    concepts = np.array([taxonomy.position(names[0, code]) for code in range(len(column))], dtype=np.int64)
    attribute = Nominal(taxonomy=taxonomy, role=column.attribute.role, weight=column.attribute.weight)
    return NominalColumn(
        column.name,
        attribute,
        column.values,
        column.counts,
        None,
        taxonomy=taxonomy,
        concepts=concepts,
        by_label=False,
        dotless=False,
    )
