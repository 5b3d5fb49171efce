"""Lowest common subsumers and the best grouping of records, by their definitions: everything is tried.

Records are tuples of values. What a group shows is found column by column from sets of subsumers or from levels; the
best grouping is the best of all partitions of the records whose classes satisfy what is required.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.oracle.plain import Plain, common_subsumers
from tests.oracle.plain_models import PlainLevels

Value = Any
Record = tuple[Value, ...]


def leaves_below(t: Plain, concept: str) -> int:
    """How many leaves a concept covers, each counted once; a leaf covers itself."""
    return sum(not t.children[c] for c in {concept, *t.descendants[concept]})


def lowest_common_subsumers(t: Plain, values: Iterable[str]) -> set[str]:
    """The concepts that subsume all values, none of them above another."""
    shared = common_subsumers(t, values)
    return {c for c in shared if not any(d != c and c in t.subsumers[d] for d in shared)}


def lowest(t: Plain, values: Iterable[str]) -> str:
    """Of several lowest common subsumers the one that covers fewest leaves; then the deepest, then the first."""
    found = lowest_common_subsumers(t, values)
    return min(found, key=lambda c: (leaves_below(t, c), -t.depth[c], t.order(c)))


@dataclass
class ByTaxonomy:
    """A nominal column; ``present``: all its values."""

    taxonomy: Plain
    present: Sequence[Value]
    _size: dict[str, int] = field(default_factory=dict)

    def show(self, values: Sequence[Value]) -> tuple[Value, float]:
        """What a group shows, and the part of the domain that this covers."""
        distinct = set(values)
        if distinct == {None}:
            return None, 0.0
        if None in distinct:
            return "*", 1.0
        shown = values[0] if len(distinct) == 1 else lowest(self.taxonomy, distinct)
        return shown, (self._leaves(shown) - 1) / max(self._leaves(self.taxonomy.root) - 1, 1)

    def _leaves(self, concept: str) -> int:
        if concept not in self._size:
            self._size[concept] = leaves_below(self.taxonomy, concept)
        return self._size[concept]

    def steps(self, values: Sequence[Value]) -> list[float]:
        """Of each value the fewest links up to what is shown, over the levels that the column has above its values."""
        t, shown = self.taxonomy, self.show(values)[0]
        known = [v for v in self.present if v is not None]
        levels = max((t.depth[v] for v in known), default=1)
        levels += None in self.present or levels == 1
        return [1.0 if shown == "*" else 0.0 if v is None else t.links[v][shown] / max(levels - 1, 1) for v in values]


@dataclass
class ByLevels:
    """A column with levels; groups show the lowest at which all their values are one."""

    column_levels: PlainLevels

    def _level(self, values: Sequence[Value]) -> int:
        return next(i for i, level in enumerate(self.column_levels.levels) if len({level[v][0] for v in values}) == 1)

    def show(self, values: Sequence[Value]) -> tuple[Value, float]:
        shown, penalty = self.column_levels.levels[self._level(values)][values[0]]
        return shown, penalty

    def steps(self, values: Sequence[Value]) -> list[float]:
        return [self._level(values) / max(len(self.column_levels) - 1, 1)] * len(values)


PlainColumn = ByTaxonomy | ByLevels


def lost(columns: Sequence[PlainColumn], group: Sequence[Record], loss: str) -> float:
    """What the records of a group lose, all columns together."""
    total = 0.0
    for column, values in zip(columns, zip(*group, strict=True), strict=True):
        total += sum(column.steps(values)) if loss == "steps" else len(values) * column.show(values)[1]
    return total


def groupings(items: Sequence[int]) -> Iterator[list[list[int]]]:
    """All ways to put items into groups."""
    if not items:
        yield []
        return
    for rest in groupings(items[1:]):
        yield [[items[0]], *rest]
        for place in range(len(rest)):
            yield [*rest[:place], [items[0], *rest[place]], *rest[place + 1 :]]


def least_loss(
    columns: Sequence[PlainColumn], records: Sequence[Record], fails: Callable[[Sequence[int]], bool], loss: str = "ncp"
) -> float:
    """The mean loss of a value under the best grouping; infinite if there is none whose groups satisfy."""
    known: dict[tuple[int, ...], float] = {}

    def of(group: Sequence[int]) -> float:
        key = tuple(group)
        if key not in known:
            known[key] = float("inf") if fails(group) else lost(columns, [records[i] for i in group], loss)
        return known[key]

    best = min(sum(map(of, grouping)) for grouping in groupings(range(len(records))))
    return best / (len(records) * len(columns))
