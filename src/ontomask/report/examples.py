"""Examples of masked records, and the branch of a taxonomy that a column uses. Only for the internal edition."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.arguments import short
from ontomask.arrays import Longs
from ontomask.microdata.codes import count_pairs
from ontomask.microdata.columns import Column, counts_of
from ontomask.microdata.item_lists import split_items
from ontomask.report.counts import Studied, labels_of, meanings, text_in, text_of
from ontomask.taxonomy.dag import Csr, Dag

if TYPE_CHECKING:
    from ontomask.report.reportable import Reportable

#: Groups or records that are shown, combinations of a group, columns of a table.
MOST_GROUPS, MOST_COMBINATIONS, MOST_RECORDS, MOST_COLUMNS = 3, 6, 6, 8
#: Characters of a cell, also where it shows two values; items of a set in it; characters below which no label is written.
LONGEST, LONGEST_MOVED, MOST_ITEMS, LEAST_LABEL = 80, 60, 20, 8
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
    rows = table.rows.part(inside)
    sizes = counts_of(group_of, masked.groups, rows.counts)
    pairs, tuple_of, records = count_pairs(group_of, rows.tuple_of, table.p, rows.counts)
    distinct = np.bincount(pairs, minlength=masked.groups)
    worth = np.flatnonzero(distinct > 1) if (distinct > 1).any() else np.flatnonzero(sizes)
    ranked = worth[np.argsort(sizes[worth], kind="stable")]
    chosen = dict.fromkeys(int(ranked[i]) for i in np.linspace(0, len(ranked) - 1, MOST_GROUPS).astype(np.int64))
    released = [series.gather(list(chosen)).to_list() for series in masked.values(table)[:MOST_COLUMNS]]
    named = [cells_of(column) for column in table.columns[:MOST_COLUMNS]]
    groups = []
    for place, group in enumerate(chosen):
        tuples, counts = tuple_of[pairs == group], records[pairs == group]
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
                    name(text_in(column, values[place]))
                    for name, column, values in zip(named, table.columns, released, strict=False)
                ],
            }
        )
    return groups


def cells_of(column: Column, longest: int = LONGEST) -> Callable[[str], str]:
    """A function that writes a value of a column for a table: a concept with its label, a set item by item.

    Sets are to be compared: every code is written in full, and labels are cut, the shorter the more items there are.
    """
    separator = column.attribute.separator
    if separator is None:
        named = meanings(column)
        return lambda text: short(named(text), longest)
    label_of, sign = labels_of(column), separator

    def written(text: str) -> str:
        items = split_items(text, sign)
        room = longest // max(len(items[:MOST_ITEMS]), 1)
        shown = []
        for item in items[:MOST_ITEMS]:
            label, left = label_of(item), room - len(item) - 1
            code = short(item, longest)
            shown.append(f"{code} {short(label, left)}" if label and left >= LEAST_LABEL else code)
        more = [f"{len(items) - MOST_ITEMS:,} more"] if len(items) > MOST_ITEMS else []
        return f" {sign} ".join([*shown, *more]) or sign

    return written


def _combination(result: Reportable, named: Sequence[Callable[[str], str]], tuple_: int) -> list[str]:
    table = result.prepared.table
    parts = zip(named, table.columns, table.codes, strict=False)
    return [name(text_in(column, column.values[int(codes[tuple_])])) for name, column, codes in parts]


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
    named = [cells_of(column, LONGEST_MOVED) for column in table.columns[:MOST_COLUMNS]]

    def cell(i: int, record: int) -> dict[str, Any]:
        column, came_from = table.columns[i], int(sources[i][record])
        old, new = int(codes[i][record]), int(codes[i][came_from])
        before, after = (named[i](text_in(column, column.values[code])) for code in (old, new))
        return {"before": before, "after": after, "changed": old != new}

    return [[cell(i, record) for i in range(len(named))] for record in chosen]


# ---- taxonomies ------------------------------------------------------------------------------------------------------


class Held(NamedTuple):
    """Concepts of the values of a column: ``concept[i]`` is one of value ``owner[i]``; ``records``: those of each value."""

    owner: Longs
    concept: Longs
    records: Longs

    def present(self) -> Held:
        """Those that records have; a missing value has no concept."""
        there = (self.concept >= 0) & (self.records[self.owner] > 0)
        return Held(self.owner[there], self.concept[there], self.records)


def branch(studied: Studied) -> dict[str, Any] | None:
    """The branch of the taxonomy that holds all values of a column, with the records at and below each concept.

    A record counts once at a concept, however many items it has there.
    """
    column = studied.column
    meaning = column.items
    if meaning is None or not (meaning.concepts >= 0).any():
        return None
    dag, taxonomy = meaning.taxonomy.dag, meaning.taxonomy
    shown = _concepts_shown(studied, column)
    parts = [part.present() for part in (_concepts_before(column), shown) if part is not None]
    used = np.unique(np.concatenate([part.concept for part in parts]))
    top = dag.common_subsumer(used)
    there = dag.mark_ancestors(used)
    near = _near_top(dag, top, there)
    counts = [_records_below(dag, part, near) for part in parts]
    total = np.sum(counts, axis=0)

    def named(position: int) -> str:
        code, label = taxonomy.concepts[position], taxonomy.terms(position)[0]
        return short(code if code == label else f"{code} {label}", 100)

    lines: list[dict[str, Any]] = []

    def walk(position: int, depth: int) -> None:
        below = [int(child) for child in dag.children.row(position) if there[child]]
        below.sort(key=lambda child: (-total[child], child))
        hidden = len(below) if depth == DEPTH else 0
        records = [int(part[position]) for part in counts]
        lines.append({"name": named(position), "depth": depth, "records": records, "hidden": hidden})
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
        "sets": column.item_sets is not None,
        "lines": lines,
    }


def _near_top(dag: Dag, top: int, there: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The concepts that the tree of a branch can show."""
    near = np.zeros(len(dag), dtype=np.bool_)
    level = np.array([top])
    for _ in range(DEPTH + 1):
        near[level] = True
        level = np.unique(dag.children.gather(level)[1])
        level = level[there[level]]
    return near


def _records_below(dag: Dag, part: Held, near: NDArray[np.bool_]) -> Longs:
    """Of each concept that is ``near`` the top the records that have one at or below it, each record once."""
    n, counts = len(dag), np.zeros(len(dag), dtype=np.int64)
    distinct, place = np.unique(part.concept, return_inverse=True)
    pairs = dag.ancestor_pairs(distinct)
    kept = near[pairs.concept]
    above = Csr.of(len(distinct), pairs.row[kept], pairs.concept[kept])
    # In batches of whole values, so that however many there are, their ancestors take a few megabytes at a time.
    ends = np.flatnonzero(np.diff(part.owner, append=-1)) + 1
    batches = np.unique(ends // 200_000, return_index=True)[1][1:]
    for owner, items in zip(*(np.split(of, ends[batches]) for of in (part.owner, place)), strict=True):
        entry, concept = above.gather(items)
        held = np.unique(owner[entry] * n + concept)
        counts += np.bincount(held % n, part.records[held // n], n).astype(np.int64)
    return counts


def _concepts_before(column: Column) -> Held:
    """The concepts of the original values, of sets all of them."""
    meaning, sets = column.items, column.item_sets
    assert meaning is not None
    if sets is None:
        return Held(np.arange(len(meaning.concepts)), meaning.concepts, meaning.counts)
    at, codes = sets.lists()
    return Held(np.repeat(np.arange(len(at) - 1), np.diff(at)), meaning.concepts[codes], column.counts)


def _concepts_shown(studied: Studied, column: Column) -> Held | None:
    """The concepts that groups show, of sets all of them; None if what they show is not a concept, as levels of a file need
    not be."""
    if not studied.decoded:
        spelled = {text_of(column.decode(np.array([centre]))[0]) for _, centre in studied.shown_centres()}
        if not {text_of(value) for value, _ in studied.shown_centres()} <= spelled:
            return None
    centres, sets = studied.centres.astype(np.int64), column.item_sets
    groups = np.arange(len(centres))
    if sets is None:
        return Held(groups, centres, studied.records)
    members = [sets.concepts_of(int(number)) for number in centres]
    concepts = np.array([concept for own in members for concept in own], dtype=np.int64)
    return Held(np.repeat(groups, [len(own) for own in members]), concepts, studied.records)
