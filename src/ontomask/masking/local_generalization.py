"""Local generalization: near records form groups, and each group shows what its values have in common (T12 8.4.2)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ontomask.arguments import counted
from ontomask.distances.records import RecordDistance
from ontomask.hierarchies.costs import Costs
from ontomask.hierarchies.ladder import Ladder
from ontomask.masking.full_domain import Search
from ontomask.masking.goals import Goals
from ontomask.masking.method import Masked
from ontomask.masking.microaggregation import mdav
from ontomask.masking.repair import merge_until
from ontomask.microdata.attributes import Nominal
from ontomask.microdata.columns import Column, Floats, NominalColumn
from ontomask.microdata.encoding import Table, remeasured
from ontomask.privacy.k_anonymity import KAnonymity
from ontomask.privacy.km_anonymity import KmAnonymity
from ontomask.progress import Progress, stretch
from ontomask.statistics.aggregation import Operators
from ontomask.taxonomy.taxonomy import Taxonomy

if TYPE_CHECKING:
    from ontomask.masking.generalization import Generalization

#: A lattice of more nodes than this is not searched beside.
MOST_NODES = 20_000


def generalize_groups(
    method: Generalization, table: Table, ladders: list[Ladder], goals: Goals, progress: Progress
) -> Masked:
    """MDAV's groups of k records, joined where a model still fails, each as special as its hierarchies allow.

    Distances follow the hierarchies, so that near records are those whose common values are not far up.
    """
    ks = [model.k for model in goals.models if isinstance(model, (KAnonymity, KmAnonymity))]
    compared = _compared(method, table, ladders)
    operators = Operators.of(compared, RecordDistance.of(compared), "semantic")
    group_of, groups = mdav(operators, max(ks, default=2), stretch(progress, 0.0, 0.7))
    group_of, groups, merged = merge_until(goals, operators, group_of, groups, stretch(progress, 0.7, 0.8))
    notes = [f"{counted(groups, 'group')} of near records"]
    if merged:
        notes.append(f"{counted(merged, 'group')} joined with others until the models held")
    costs = Costs.of(ladders, method.loss).by_code
    masked, loss = _shown_in_common(table, ladders, costs, group_of, groups)
    columnwise = _one_level_each(method, table, ladders, goals, stretch(progress, 0.8, 1.0))
    if columnwise is not None:
        other, total = _shown_in_common(table, ladders, costs, columnwise, int(columnwise.max()) + 1)
        if total <= loss * (1 + 1e-12):
            masked, loss = other, total
            notes = ["one level for each column loses no more than groups of near records: taken"]
    notes.append(f"loss ({method.loss}, mean of a value): {loss:.3f}")
    return replace(masked, notes=notes)


def _shown_in_common(
    table: Table, ladders: list[Ladder], costs: list[list[Floats]], group_of: NDArray[Any], groups: int
) -> tuple[Masked, float]:
    """Each group as special as its hierarchies allow, and what that loses on average."""
    centres, shown, penalties, losses = [], [], [], []
    sizes = np.bincount(group_of, minlength=groups)
    order = np.argsort(group_of, kind="stable")
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    for a, ladder in enumerate(ladders):
        codes = table.codes[a][table.tuple_of]
        centre, text, penalty, level = _common(ladder, codes[order], starts)
        centres.append(centre)
        shown.append(text)
        penalties.append(penalty)
        losses.append(float(np.array(costs[a])[level[group_of], codes].mean()))
    report = pl.DataFrame({"attribute": [ladder.name for ladder in ladders], "loss": losses})
    return Masked(group_of.astype(np.int32), centres, shown=shown, penalty=penalties, report=report), float(
        np.mean(losses)
    )


def _one_level_each(
    method: Generalization, table: Table, ladders: list[Ladder], goals: Goals, progress: Progress
) -> NDArray[np.int32] | None:
    """The classes of the best full-domain generalization, where there are not too many to look for it."""
    if np.prod([float(len(ladder)) for ladder in ladders]) > MOST_NODES:
        return None
    found = Search(method, table, ladders, goals, progress).run()
    return found.group_of


def _common(
    ladder: Ladder, codes: NDArray[np.int32], starts: NDArray[np.int64]
) -> tuple[NDArray[Any], pl.Series, Floats, NDArray[np.int64]]:
    """For each group the lowest level at which all its values are one: centre, what is shown, its penalty, the level."""
    level_of = np.full(len(starts), -1, dtype=np.int64)
    place = np.zeros(len(starts), dtype=np.int64)
    for level, rung in enumerate(ladder.rungs):
        at = rung.group[codes]
        low, high = np.minimum.reduceat(at, starts), np.maximum.reduceat(at, starts)
        found = (level_of < 0) & (low == high)
        level_of[found], place[found] = level, low[found]
    centres = np.zeros(len(starts), dtype=ladder.rungs[0].centres.dtype)
    penalty = np.zeros(len(starts))
    same = all(rung.shown.dtype == ladder.rungs[0].shown.dtype for rung in ladder.rungs) or (level_of == 0).all()
    text: list[Any] = [None] * len(starts)
    offset = 0
    for level, rung in enumerate(ladder.rungs):
        here = np.flatnonzero(level_of == level)
        values = rung.shown.to_list() if same else rung.shown.cast(pl.String).to_list()
        for group in here:
            text[group] = values[place[group]]
        # Flat values of different levels are different values.
        flat = type(ladder.column) is Column and level > 0
        own = rung.centres[place[here]]
        penalty[here] = rung.penalty[place[here]]
        centres[here] = np.where(own >= len(ladder.column), own + offset, own) if flat else own
        offset += len(rung) if flat else 0
    dtype = ladder.rungs[0].shown.dtype if same else pl.String
    return centres, pl.Series(ladder.name, text, dtype=dtype), penalty, level_of


def _compared(method: Generalization, table: Table, ladders: list[Ladder]) -> Table:
    """The table with distances that follow the hierarchies: flat columns with one are placed in the tree it is."""
    measure = method.measure or (None if method.loss == "semantic" else "wu_palmer")
    columns = []
    for ladder in ladders:
        column = ladder.column
        if type(column) is Column and len(ladder) > 2:
            column = _in_tree(ladder)
        columns.append(column)
    placed = Table(tuple(columns), table.codes, table.counts, table.tuple_of)
    return placed if measure is None else remeasured(placed, measure=measure, options=dict(method.measure_options))


def _in_tree(ladder: Ladder) -> NominalColumn:
    """A flat column as a nominal one: the groups of all levels are the concepts."""
    column, rungs = ladder.column, ladder.rungs
    edges: dict[tuple[int, int], tuple[int, int]] = {}
    for level in range(len(rungs) - 1):
        for lower, upper in zip(rungs[level].group.tolist(), rungs[level + 1].group.tolist(), strict=True):
            edges[level, lower] = (level + 1, upper)
    names = {node: f"{node[0]}:{node[1]}" for edge in edges.items() for node in edge}
    taxonomy = Taxonomy.from_edges([(names[child], names[parent]) for child, parent in edges.items()])
    concepts = np.array([taxonomy.position(names[0, code]) for code in range(len(column))], dtype=np.int64)
    attribute = Nominal(taxonomy=taxonomy, role=column.attribute.role, weight=column.attribute.weight)
    return NominalColumn(
        column.name,
        attribute,
        column.codes,
        column.values,
        None,
        taxonomy=taxonomy,
        concepts=concepts,
        by_label=False,
        dotless=False,
    )
