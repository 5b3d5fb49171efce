"""Examples of masked records, and the branch of a taxonomy that a column uses. Only for the internal edition."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ontomask.arguments import short
from ontomask.microdata.codes import count_pairs
from ontomask.microdata.columns import Column
from ontomask.report.counts import Studied, meanings, text_in, text_of

if TYPE_CHECKING:
    from ontomask.report.reportable import Reportable

#: Groups or records that are shown, combinations of a group, columns of a table.
MOST_GROUPS, MOST_COMBINATIONS, MOST_RECORDS, MOST_COLUMNS = 3, 6, 6, 8
#: Of a branch: levels below its top, concepts side by side, lines in all.
DEPTH, WIDTH, LINES = 2, 5, 40


def examples(result: Reportable) -> dict[str, Any] | None:
    """A few groups with the combinations of values that went into them, or a few records whose values moved."""
    columns = [column.name for column in result.prepared.table.columns]
    head = {"columns": columns[:MOST_COLUMNS], "more_columns": len(columns) - len(columns[:MOST_COLUMNS])}
    if result.masked.sources is not None:
        rows = _moved(result)
        return {**head, "kind": "moved", "records": rows} if rows else None
    groups = _groups(result)
    return {**head, "kind": "groups", "groups": groups} if groups else None


def _groups(result: Reportable) -> list[dict[str, Any]]:
    """The smallest group, the largest and some between, of those that hold different records if there are any."""
    table, masked = result.prepared.table, result.masked
    inside = np.flatnonzero(masked.group_of >= 0)
    if not len(inside):
        return []
    group_of = masked.group_of[inside].astype(np.int64)
    sizes = np.bincount(group_of, minlength=masked.groups)
    pairs, _, _ = count_pairs(group_of, table.rows.tuple_of[inside], table.p)
    distinct = np.bincount(pairs, minlength=masked.groups)
    worth = np.flatnonzero(distinct > 1) if (distinct > 1).any() else np.flatnonzero(sizes)
    ranked = worth[np.argsort(sizes[worth], kind="stable")]
    chosen = dict.fromkeys(int(ranked[i]) for i in np.linspace(0, len(ranked) - 1, MOST_GROUPS).astype(np.int64))
    released = [series.gather(list(chosen)).to_list() for series in masked.values(table)[:MOST_COLUMNS]]
    named = [meanings(column) for column in table.columns[:MOST_COLUMNS]]
    groups = []
    for place, group in enumerate(chosen):
        tuples, counts = np.unique(table.rows.tuple_of[inside[group_of == group]], return_counts=True)
        order = np.argsort(-counts, kind="stable")
        groups.append(
            {
                "records": int(sizes[group]),
                "before": [
                    {"records": int(counts[i]), "values": _combination(result, named, int(tuples[i]))}
                    for i in order[:MOST_COMBINATIONS]
                ],
                "more": max(0, len(tuples) - MOST_COMBINATIONS),
                "after": [
                    short(name(text_in(column, values[place])), 80)
                    for name, column, values in zip(named, table.columns, released, strict=False)
                ],
            }
        )
    return groups


def _combination(result: Reportable, named: Sequence[Callable[[str], str]], tuple_: int) -> list[str]:
    table = result.prepared.table
    parts = zip(named, table.columns, table.codes, strict=False)
    return [short(name(text_in(column, column.values[int(codes[tuple_])])), 80) for name, column, codes in parts]


def _moved(result: Reportable) -> list[list[dict[str, Any]]]:
    """Records from all over the table whose values changed; each cell before and after."""
    table, sources = result.prepared.table, result.masked.sources
    assert sources is not None
    changed = np.zeros(table.n, dtype=np.bool_)
    codes = [table.codes_of(a) for a in range(min(len(table.columns), MOST_COLUMNS))]
    for own, source in zip(codes, sources, strict=False):
        changed |= own != own[source]
    places = np.flatnonzero(changed)
    if not len(places):
        return []
    chosen = dict.fromkeys(int(places[i]) for i in np.linspace(0, len(places) - 1, MOST_RECORDS).astype(np.int64))
    named = [meanings(column) for column in table.columns[:MOST_COLUMNS]]

    def cell(i: int, record: int) -> dict[str, Any]:
        column, came_from = table.columns[i], int(sources[i][record])
        old, new = int(codes[i][record]), int(codes[i][came_from])
        before, after = (short(named[i](text_in(column, column.values[code])), 60) for code in (old, new))
        return {"before": before, "after": after, "changed": old != new}

    return [[cell(i, record) for i in range(len(named))] for record in chosen]


# ---- taxonomies ------------------------------------------------------------------------------------------------------


def branch(studied: Studied) -> dict[str, Any] | None:
    """The branch of the taxonomy that holds all values of a column, with the records at and below each concept."""
    column = studied.column
    meaning = column.items
    if meaning is None or not (meaning.concepts >= 0).any():
        return None
    dag, taxonomy = meaning.taxonomy.dag, meaning.taxonomy
    shown = _concepts_shown(studied, column)
    parts = [(meaning.concepts, meaning.counts)] + ([shown] if shown is not None else [])
    used = np.unique(np.concatenate([concepts[concepts >= 0] for concepts, _ in parts]))
    top = dag.common_subsumer(used)
    nodes = dag.in_order(dag.mark_ancestors(used))
    sums = [dag.descendant_sums(_weights(len(dag), *part), nodes) for part in parts]
    total = np.rint(np.sum(sums, axis=0))

    def named(position: int) -> str:
        code, label = taxonomy.concepts[position], taxonomy.terms(position)[0]
        return short(code if code == label else f"{code} {label}", 100)

    def records(position: int) -> list[int]:
        return [round(float(part[position])) for part in sums]

    lines: list[dict[str, Any]] = []

    def walk(position: int, depth: int) -> None:
        below = [int(child) for child in dag.children.row(position) if total[child] > 0]
        below.sort(key=lambda child: (-total[child], child))
        hidden = len(below) if depth == DEPTH else 0
        lines.append({"name": named(position), "depth": depth, "records": records(position), "hidden": hidden})
        kept = below[:WIDTH] if depth < DEPTH and len(lines) < LINES else []
        for child in kept:
            walk(child, depth + 1)
        if depth < DEPTH and len(below) > len(kept):
            more = len(below) - len(kept)
            lines.append({"name": "", "depth": depth + 1, "records": [], "hidden": more})

    walk(top, 0)
    way = [top]
    while way[-1] != dag.root:
        way.append(int(dag.first_parents(np.array([way[-1]]))[0]))
    return {
        "column": studied.name,
        "taxonomy": taxonomy.name or "taxonomy",
        "concepts": len(taxonomy),
        "used": int((meaning.concepts >= 0).sum()),
        "way": [named(position) for position in reversed(way[1:])],
        "ways": bool((dag.parents.lengths()[way] > 1).any()),
        "after": shown is not None,
        "lines": lines,
    }


def _concepts_shown(studied: Studied, column: Column) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """The concepts that groups show, of sets all of them, and the records of each; None if what they show is not a concept, as
    levels of a file need not be."""
    if not studied.decoded:
        spelled = {text_of(column.decode(np.array([centre]))[0]) for _, centre in studied.shown_centres()}
        if not {text_of(value) for value, _ in studied.shown_centres()} <= spelled:
            return None
    centres, sets = studied.centres.astype(np.int64), column.item_sets
    if sets is None:
        return centres, studied.records
    members = [sets.concepts_of(int(number)) for number in centres]
    concepts = np.array([concept for own in members for concept in own], dtype=np.int64)
    return concepts, np.repeat(studied.records, [len(own) for own in members])


def _weights(n: int, concepts: NDArray[np.int64], records: NDArray[np.int64]) -> NDArray[np.float64]:
    known = concepts >= 0
    return np.bincount(concepts[known], records[known], n).astype(np.float64)
