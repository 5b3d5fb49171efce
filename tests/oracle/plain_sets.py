"""Columns of sets (specification 3 and 4), written from the definitions alone.

A set is a frozenset of concepts, None is missing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Any

from tests.oracle.plain import Plain, minimum_hierarchy
from tests.oracle.plain_masking import COLUMNS, EQUAL, UNBOUNDED, PlainAttribute, PlainColumn, first_least

Value = Any


class PlainSets(PlainColumn):
    """A column of sets. ``single`` measures concepts: its values are the items of all records, one after the other."""

    def __init__(
        self, attribute: PlainAttribute, column: Sequence[Value], others: Sequence[Value] = (), normalize: str = ""
    ) -> None:
        self.attribute, self.column, self.normalize = attribute, list(column), normalize
        self.kind, self.weight = attribute.kind, attribute.weight
        self.present = [v for v in self.column if v is not None]
        of_items = replace(attribute, kind="nominal")
        items, more = ([item for v in part if v is not None for item in v] for part in (self.column, others))
        self.single = PlainColumn(of_items, items, more)
        self.taxonomy = self.single.taxonomy
        bounded = attribute.measure not in UNBOUNDED
        self.apart = 1.0 if bounded or self.single.largest == 0 else self.single.largest
        empty = any(v == frozenset() for v in [*self.present, *others])
        self.largest = max(self.single.largest, self.apart if empty else 0.0)
        self.kept: tuple[int, Value] = (0, None)
        self.spread = self._spread()

    def separation(self, a: Value, b: Value) -> float:
        """The mean over both sides of each item's distance from its best match."""
        if a is None or b is None:
            return 0.0 if a is b else self.largest
        if not a or not b:
            return 0.0 if a == b else self.apart
        both = [min(self.single.separation(x, y) for y in b) for x in a]
        both += [min(self.single.separation(x, y) for y in a) for x in b]
        return math.fsum(both) / (len(a) + len(b))

    def relative(self, a: Value, b: Value) -> float:
        raw = self.separation(a, b)
        if self.attribute.measure not in UNBOUNDED:
            return raw
        return raw / self.largest if self.largest > 0 else float(raw > 0)

    def centre(self, counts: Mapping[Value, int], kind: str) -> Value:
        """As many items as the sets have on average, each the one that brings the centre nearest to all of them."""
        if kind == "mode":
            return self.mode(counts)
        known = {v: w for v, w in counts.items() if v is not None}
        if not known:
            return None
        mean = Fraction(sum(w * len(v) for v, w in known.items()), sum(known.values()))
        items = sorted({item for v in known for item in v}, key=self.taxonomy.order)
        candidates = sorted(minimum_hierarchy(self.taxonomy, items), key=self.taxonomy.order) if items else []
        chosen: frozenset[Value] = frozenset()
        for _ in range(math.floor(mean + Fraction(1, 2))):
            left = [c for c in candidates if c not in chosen]
            chosen |= {left[first_least(self._total(known, chosen | {c}) for c in left)]}
        best, missing = self._total(counts, chosen), self._total(counts, None)
        return None if None in counts and missing < best - EQUAL * best else chosen

    def _total(self, counts: Mapping[Value, int], centre: Value) -> float:
        return math.fsum(w * self.separation(v, centre) for v, w in counts.items())

    def centre_of_left(self, counts: Mapping[Value, int], kind: str) -> Value:
        """The centre of the records without a group: computed anew once half of those it was computed of have a group."""
        if all(v is None or len(v) == 1 for v in self.column):
            return self.centre(counts, kind)  # as of single concepts
        records = sum(counts.values())
        if 2 * records <= self.kept[0] or not self.kept[0]:
            self.kept = records, self.centre(counts, kind)
        return self.kept[1]


COLUMNS["sets"] = PlainSets


def cover(taxonomy: Plain, sets: Sequence[frozenset[Value]]) -> frozenset[Value] | None:
    """What a group of sets shows: of each item the most specific concept that subsumes an item of every set; None: nothing
    is true of all, since some are empty and some are not."""
    if not all(sets):
        return None if any(sets) else frozenset()
    return frozenset(_lowest(taxonomy, item, sets) for own in sets for item in own)


def _lowest(taxonomy: Plain, item: Value, sets: Sequence[frozenset[Value]]) -> Value:
    common = [
        concept
        for concept in taxonomy.subsumers[item]
        if all(any(concept in taxonomy.subsumers[other] for other in own) for own in sets)
    ]
    leaves = {c: sum(not taxonomy.children[d] for d in {c, *taxonomy.descendants[c]}) for c in common}
    return min(common, key=lambda c: (leaves[c], -taxonomy.depth[c], taxonomy.order(c)))


def rare_combinations(sets: Sequence[frozenset[Value] | None], k: int, m: int) -> set[frozenset[Value]]:
    """All combinations of at most m items that occur in a record and in fewer than k."""
    seen = {frozenset(some) for own in sets if own for size in range(1, m + 1) for some in combinations(own, size)}
    return {some for some in seen if sum(own is not None and some <= own for own in sets) < k}
