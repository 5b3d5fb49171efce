"""Values of a nominal column that are more general than others of their class: they add no diversity.

``250`` (diabetes) and ``250.00`` (diabetes of type 2) disclose the same. Distinct l-diversity counts values none of which
subsumes another: the largest antichain of the class's concepts. In a tree that is the number of its most specific
concepts; where concepts have several parents it is found by Dilworth's theorem, as the number of values less a maximum
matching of values with values that subsume them.

Entropy and recursive l-diversity need frequencies. A record with a general value may have any of the more specific ones
of its class, so it is counted where diversity becomes least: with the most frequent most specific value that it
subsumes. In a tree, taking the lowest general value first makes the frequencies as uneven as they can be (the result
majorizes every other assignment), and both figures fall with unevenness. Where concepts have several parents, general
values are counted with the most frequent most specific value of the class, whether they subsume it or not: that is never
more diverse.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.arrays import Floats, Longs
from ontomask.privacy.transport import Pairs
from ontomask.taxonomy.dag import Dag


class Order:
    """Which values of a column subsume which; ``concepts``: the place of each value in the taxonomy, or -1."""

    def __init__(self, concepts: Longs, dag: Dag) -> None:
        self.values = len(concepts)
        known = np.flatnonzero(concepts >= 0)
        own = np.full(len(dag), -1, dtype=np.int64)
        own[concepts[known]] = known
        pairs = dag.ancestor_pairs(concepts[known])
        lower, upper = known[pairs.row], own[pairs.concept]
        real = (upper >= 0) & (upper != lower)
        lower, upper = lower[real], upper[real]
        order = np.argsort(lower, kind="stable")
        self._above = upper[order]
        #: How many values of the column subsume each value.
        self.depth = np.bincount(lower, minlength=self.values)
        self._at = np.concatenate(([0], np.cumsum(self.depth)))
        # In a forest the values above a value form a chain, so each of them has another number of values above it.
        key = np.unique(lower * (self.values + 1) + self.depth[upper])
        self.forest = len(key) == len(lower)

    @property
    def table(self) -> NDArray[np.bool_]:
        """Values by values: does one subsume the other?"""
        found = np.zeros((self.values, self.values), dtype=np.bool_)
        lower = np.repeat(np.arange(self.values), self.depth)
        found[lower, self._above] = found[self._above, lower] = True
        return found

    def __bool__(self) -> bool:
        """Does any value subsume another?"""
        return len(self._above) > 0

    def related(self, pairs: Pairs) -> tuple[Longs, Longs]:
        """Places among the pairs of class and value: a value, and another of the same class that subsumes it."""
        lengths = self.depth[pairs.code]
        lower = np.repeat(np.arange(len(pairs.of)), lengths)
        first = np.repeat(self._at[pairs.code] - np.cumsum(lengths) + lengths, lengths)
        wanted = pairs.of[lower] * self.values + self._above[first + np.arange(len(lower))]
        keys = pairs.of * self.values + pairs.code
        upper = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        there = keys[upper] == wanted
        return lower[there], upper[there]

    def antichains(self, pairs: Pairs) -> Floats:
        """Of each class, how many of its values there are at most of which none subsumes another."""
        lower, upper = self.related(pairs)
        lost = np.zeros(len(pairs.of))
        if self.forest:
            lost[upper] = 1.0
        elif len(lower):
            lost[_matched(lower, upper, len(lost))] = 1.0
        return pairs.sums(1.0 - lost)

    def concentrated(self, pairs: Pairs) -> Pairs:
        """The pairs with the records of general values counted with more specific ones, as unevenly as possible."""
        lower, upper = self.related(pairs)
        if not len(lower):
            return pairs
        general = np.zeros(len(pairs.of), dtype=np.bool_)
        general[upper] = True
        counts = pairs.counts.copy()
        if self.forest:
            bottom = ~general[lower]
            lower, upper = lower[bottom], upper[bottom]
            depth = self.depth[pairs.code[upper]]
            for level in np.unique(depth)[::-1]:  # the lowest first: those of one level have no value below in common
                here = depth == level
                into, gone = _largest(lower[here], upper[here], counts)
                counts[into] += counts[gone]
        else:
            classes = np.repeat(np.arange(len(pairs)), np.diff(np.append(pairs.starts, len(pairs.of))))
            special = np.flatnonzero(~general)
            into, at = _largest(special, classes[special], counts)
            more = np.bincount(classes[general], weights=counts[general], minlength=len(pairs)).astype(counts.dtype)
            counts[into] += more[at]
        stays = ~general
        return Pairs(pairs.of[stays], pairs.code[stays], self.values, counts[stays])


def _largest(places: Longs, groups: Longs, counts: NDArray[Any]) -> tuple[Longs, Longs]:
    """For each group the place with the largest count, the first of equals; and the groups."""
    order = np.lexsort((places, -counts[places], groups))
    first = np.flatnonzero(np.diff(groups[order], prepend=-1))
    return places[order][first], groups[order][first]


def _matched(lower: Longs, upper: Longs, size: int) -> NDArray[np.bool_]:
    """Which places below are in a maximum matching of the pairs."""
    from scipy.sparse import csr_array  # late: it takes 0.15 s to load
    from scipy.sparse.csgraph import maximum_bipartite_matching  # late: it takes 0.15 s to load

    graph = csr_array((np.ones(len(lower), dtype=np.int8), (lower, upper)), shape=(size, size))
    matched: NDArray[np.bool_] = maximum_bipartite_matching(graph, perm_type="column") >= 0
    return matched
