"""The definitions of specification 3, 4, 5, 7 and 10, written to be checked against the papers and nothing else.

Slow on purpose: every record against every other, one distance at a time, exact sums. Written from docs/specification.md and
T12 (Algorithms 1-4 and 6, chapters 5, 6 and 8), without sight of the product's masking.

A data set is a list of records, a record a tuple of raw values, one per attribute; None is a missing value kept as a
category of its own. Wherever two things tie, the one that comes first wins (specification 0).
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

from tests.oracle.plain import (
    OVER_IC,
    Plain,
    attribute_taxonomy,
    common_subsumers,
    distance_matrix,
    lcs,
    minimum_hierarchy,
    pruned_tree,
)

Value = Any
Record = tuple[Value, ...]
Data = Sequence[Record]

#: The measures without an upper bound (specification 3).
UNBOUNDED = {"path", "weighted_edge"}
#: Relative difference below which two distances are equal (specification 0).
EQUAL = 1e-12


@dataclass(frozen=True)
class PlainAttribute:
    """What a column holds (specification 0): 'nominal', 'flat', 'ordinal' or 'numeric', or a kind of :data:`COLUMNS`."""

    kind: str
    #: Nominal and sets only: values are concepts of the taxonomy, compared by the measure with its options.
    taxonomy: Plain | None = None
    measure: str = "logsc"
    options: Mapping[str, Any] = field(default_factory=dict)
    #: Ordinal only: the whole scale, lowest rank first.
    order: Sequence[Value] = ()
    weight: float = 1


# ---- ties (specification 0) --------------------------------------------------------------------------------------


def least_ones(values: Iterable[float]) -> list[int]:
    """The indices of all values that are equal to the least."""
    values = list(values)
    least = min(values)
    return [i for i, value in enumerate(values) if value <= least + EQUAL * abs(least)]


def first_least(values: Iterable[float]) -> int:
    """The index of the first value that is equal to the least."""
    return least_ones(values)[0]


def first_greatest(values: Iterable[float]) -> int:
    """The index of the first value that is equal to the greatest."""
    return first_least(-value for value in values)


# ---- one column: distances (specification 2, 3) ------------------------------------------------------------------


class PlainColumn:
    """An attribute and what its column says of it: table of distances, range, variance, order of appearance.

    ``column`` gives the scales; ``others`` are values that must be comparable too (a masked column), no more.
    Nominal: the table is over U, the ancestors-or-self of all values of both; its largest distance is that between
    U and the values of ``column`` (0 where there is none). Open in the spec: ``scope="attribute"`` cuts everything,
    centres included, to tau(column and others); corpus content without counts counts the column's own values.
    """

    def __init__(
        self, attribute: PlainAttribute, column: Sequence[Value], others: Sequence[Value] = (), normalize: str = ""
    ) -> None:
        self.attribute, self.column, self.normalize = attribute, list(column), normalize
        self.kind, self.weight = attribute.kind, attribute.weight
        self.present = [v for v in self.column if v is not None]
        if self.kind == "nominal":
            self._make_table([v for v in others if v is not None])
        elif self.kind == "flat":
            self.largest = 1.0
        elif self.kind == "ordinal":
            self.largest = float(len(attribute.order) - 1)
        else:
            self.largest = max(self.present) - min(self.present) if self.present else 0.0
        self.spread = self._spread()

    def _make_table(self, others: list[str]) -> None:
        values = [*self.present, *others]
        options = dict(self.attribute.options)
        if self.attribute.measure in OVER_IC and options.get("ic") == "corpus":
            options.setdefault("counts", Counter(self.present))
        assert self.attribute.taxonomy is not None
        self.taxonomy = self.attribute.taxonomy
        self.table: dict[tuple[str, str], float] = {}
        if values:
            if options.pop("scope", "taxonomy") == "attribute":
                self.taxonomy = attribute_taxonomy(self.taxonomy, values)
            universe = sorted(pruned_tree(self.taxonomy, values), key=self.taxonomy.order)
            rows = distance_matrix(self.taxonomy, universe, self.attribute.measure, **options)
            for a, row in zip(universe, rows, strict=True):
                self.table.update({(a, b): float(d) for b, d in zip(universe, row, strict=True)})
        known = set(self.present)
        self.largest = max((d for (_, b), d in self.table.items() if b in known), default=0.0)

    def rank(self, value: Value) -> float:
        """Where a value lies: its place on the scale (ordinal), or itself (numeric)."""
        return self.attribute.order.index(value) if self.kind == "ordinal" else value

    def separation(self, a: Value, b: Value) -> float:
        """The raw distance of two values: by the measure, 0/1, in ranks, or |x - y|; missing lies furthest away."""
        if a is None or b is None:
            return 0.0 if a is b else self.largest
        if self.kind == "nominal":
            return self.table[a, b]
        if self.kind == "flat":
            return 0.0 if a == b else 1.0
        return float(abs(Fraction(self.rank(a)) - Fraction(self.rank(b))))

    def relative(self, a: Value, b: Value) -> float:
        """The distance as it enters a mean (specification 3): over the range, the ranks - 1, or the table's maximum.

        Measures in [0, 1] stay as they are. Unbounded ones are always divided: with one attribute alone it changes
        nothing. Where all values are the same, a missing one or another one is at 1 from them.
        """
        if self.kind in ("ordinal", "numeric") and (a is None) != (b is None):
            return 1.0
        if self.kind == "flat" or (self.kind == "nominal" and self.attribute.measure not in UNBOUNDED):
            return self.separation(a, b)
        raw = self.separation(a, b)
        return raw / self.largest if self.largest > 0 else float(raw > 0)

    def _spread(self) -> float:
        """S2 of the column (M13 eq. 5 and 7): the sample variance; nominal: Var_M, or that over n - 1.

        Numbers and ranks: over the values present, missing ones left out. Else missing is a value like any other.
        """
        if self.kind in ("ordinal", "numeric"):
            ranks = [float(self.rank(v)) for v in self.present]
            return statistics.variance(ranks) if len(ranks) > 1 else 0.0
        n = len(self.column)
        if n < 2:
            return 0.0
        marginalities = [math.fsum(self.separation(x, y) for y in self.column) for x in self.column]
        return math.fsum(marginalities) / n / (1 if self.normalize == "published" else n - 1)

    def share(self, a: Value, b: Value) -> float:
        """S2_12 / S2, the attribute's part of the S-distance (M13 eq. 7); 0 where the column does not vary.

        A missing number lies the whole range away, a missing rank the whole scale (ranks - 1).
        """
        if self.spread == 0:
            return 0.0
        d = self.separation(a, b)
        return (d**2 / 2 if self.kind in ("ordinal", "numeric") else d) / self.spread

    # ---- one column: centres (specification 4) ----

    def centre(self, counts: Mapping[Value, int], kind: str) -> Value:
        """The centre of a multiset of values; ``kind`` matters for nominal attributes only."""
        if self.kind == "flat":
            return self.mode(counts)
        if self.kind in ("ordinal", "numeric"):
            return self._centre_of_ranks(counts)
        if kind == "mode":
            return self.mode(counts)
        present = [v for v in counts if v is not None]
        if kind == "lcs":
            return lcs(self.taxonomy, present) if present else None
        candidates = minimum_hierarchy(self.taxonomy, present) if kind == "semantic" and present else set(present)
        ordered: list[Value] = sorted(candidates, key=self.taxonomy.order)
        if None in counts:
            ordered.append(None)
        cost = {"semantic": self.separation, "marginality": self.separation, "consensus": self.confusion}[kind]
        return ordered[first_least(math.fsum(w * cost(v, c) for v, w in counts.items()) for c in ordered)]

    def centre_of_left(self, counts: Mapping[Value, int], kind: str) -> Value:
        """The centre of the records that have no group yet: a kind may keep it for a while (specification 7)."""
        return self.centre(counts, kind)

    def mode(self, counts: Mapping[Value, int]) -> Value:
        """The most frequent value, missing included; tie: the one seen first in the whole column."""
        return min(counts, key=lambda v: (-counts[v], self.column.index(v)))

    def confusion(self, a: Value, b: Value) -> int:
        """conf(a -> b): the fewest links down to b from a concept that subsumes both.

        With missing on one side, one more than the largest between values of the column.
        """
        if a is None or b is None:
            return 0 if a is b else 1 + self.largest_confusion
        return min(self.taxonomy.links[b][s] for s in common_subsumers(self.taxonomy, (a, b)))

    @cached_property
    def largest_confusion(self) -> int:
        values = set(self.present)
        return max((self.confusion(x, y) for x in values for y in values), default=0)

    def _centre_of_ranks(self, counts: Mapping[Value, int]) -> Value:
        """Mean (exactly, as a fraction) or median of the values present; missing where more than half of them are.

        The median is the rank of the whole scale with the least sum of differences, the lowest in ties.
        """
        values = [v for v, w in counts.items() if v is not None for _ in range(w)]
        if counts.get(None, 0) > len(values):
            return None
        if self.kind == "numeric":
            return statistics.mean(map(Fraction, values))
        scale = self.attribute.order
        return scale[first_least(math.fsum(self.separation(c, v) for v in values) for c in scale)]


def decimals_of(values: Iterable[float]) -> int:
    """The most decimals with which a number is written."""
    return max((max(0, -int(Decimal(repr(v)).normalize().as_tuple().exponent)) for v in values), default=0)


def shown_centre(values: Sequence[float], centre: str, decimals: int) -> Fraction:
    """The mean or the median of decimal numbers, computed as fractions, halves rounded to even."""
    exact = sorted(Fraction(repr(v)) for v in values)
    return round(statistics.mean(exact) if centre == "mean" else statistics.median(exact), decimals)


def gives_away(values: Sequence[float], p: float, step: float) -> bool:
    """The p% rule: what the others than the two largest add, and what rounding the mean to a multiple of the step leaves
    open of the total, is less than p% of the largest."""
    sizes = sorted((abs(Fraction(v)) for v in values), reverse=True)
    unknown = sum(sizes[2:]) + len(sizes) * Fraction(step) / 2
    return sizes[0] > 0 and unknown < Fraction(p) / 100 * sizes[0]


#: Further kinds of columns, by name.
COLUMNS: dict[str, type[PlainColumn]] = {}


# ---- whole records -----------------------------------------------------------------------------------------------


class PlainTable:
    """The columns of a data set, to compare and to average records by (specification 3, 4)."""

    def __init__(
        self,
        data: Data,
        attributes: Sequence[PlainAttribute],
        distance: str = "mean",
        normalize: str = "pairwise",
        others: Data = (),
    ) -> None:
        self.columns = [
            COLUMNS.get(attribute.kind, PlainColumn)(attribute, [r[i] for r in data], [r[i] for r in others], normalize)
            for i, attribute in enumerate(attributes)
        ]
        self.distance: Callable[[Record, Record], float] = {"mean": self.mean_distance, "s": self.s_distance}[distance]

    def mean_distance(self, one: Record, other: Record) -> float:
        """T12 eq. 4.3 and 8.2, R17 eq. 9, with weights of attributes."""
        parts = [c.weight * c.relative(a, b) for c, a, b in zip(self.columns, one, other, strict=True)]
        return math.fsum(parts) / math.fsum(c.weight for c in self.columns)

    def s_distance(self, one: Record, other: Record) -> float:
        """M13 eq. 7, with weights of attributes."""
        return math.sqrt(math.fsum(c.weight * c.share(a, b) for c, a, b in zip(self.columns, one, other, strict=True)))

    def centre(self, records: Iterable[Record], kind: str) -> Record:
        """The record of the centres of all attributes (T12 eq. 4.7)."""
        columns = list(zip(*records, strict=True))
        return tuple(c.centre(Counter(values), kind) for c, values in zip(self.columns, columns, strict=True))

    def centre_of_left(self, records: Iterable[Record], kind: str) -> Record:
        """The same of all records that have no group yet."""
        columns = list(zip(*records, strict=True))
        return tuple(c.centre_of_left(Counter(v), kind) for c, v in zip(self.columns, columns, strict=True))

    def compare(self, b: Record, v: Record, frequency: int, comparison: str) -> float:
        """'weighted': wsd(b, <v, w>) = w d(b, v) (T12 eq. 4.3); 'plain': d(b, v)."""
        return self.distance(b, v) * (frequency if comparison == "weighted" else 1)


def frequencies(data: Data) -> dict[Record, int]:
    """The distinct tuples in first-seen order, each with the number of its records."""
    return dict(Counter(data))


def centroid_record(
    data: Data, attributes: Sequence[PlainAttribute], centroid: str = "semantic", records: Data | None = None
) -> Record:
    """The centre of some records (by default all) of a data set."""
    return PlainTable(data, attributes).centre(data if records is None else records, centroid)


def replace_by_centroids(
    data: Data, attributes: Sequence[PlainAttribute], groups: Sequence[int], centroid: str = "semantic"
) -> list[Record]:
    """Every record becomes the centre of its group."""
    table = PlainTable(data, attributes)
    members = {g: [r for r, h in zip(data, groups, strict=True) if h == g] for g in set(groups)}
    centres = {g: table.centre(records, centroid) for g, records in members.items()}
    return [centres[g] for g in groups]


# ---- microaggregation (specification 7) --------------------------------------------------------------------------


def _at_least(data: Data, k: int) -> None:
    if len(data) < k:
        raise ValueError(f"{len(data)} records cannot make a group of {k}")


def mdav(
    data: Data,
    attributes: Sequence[PlainAttribute],
    k: int,
    distance: str = "mean",
    normalize: str = "pairwise",
    centroid: str = "semantic",
    persons: Sequence[int] | None = None,
) -> list[int]:
    """T12 Algorithm 3, record by record; s is sought among the records left after r's group is taken.

    ``persons``: whose each record is; not given: each is its own. A group takes the closest records until they are of k
    persons, and what is said of the number of records left is said of the persons who have records left.
    Returns the group of each record, groups numbered as they are formed.
    """
    owner = range(len(data)) if persons is None else persons

    def size(records: Iterable[int]) -> int:
        return len({owner[i] for i in records})

    _at_least(list(set(owner)), k)
    table = PlainTable(data, attributes, distance, normalize)
    left = list(range(len(data)))  # always in record order
    groups: list[list[int]] = []

    def furthest_from(record: Record) -> int:
        return left[first_greatest(table.distance(record, data[i]) for i in left)]

    def form_group_around(first: int) -> None:
        left.remove(first)
        group = [first]
        while size(group) < k:
            closest = left[first_least(table.distance(data[first], data[i]) for i in left)]
            left.remove(closest)
            group.append(closest)
        groups.append(group)

    while size(left) >= 3 * k:
        r = furthest_from(table.centre_of_left([data[i] for i in left], centroid))
        form_group_around(r)
        form_group_around(furthest_from(data[r]))
    while size(left) >= 2 * k:  # once, where each record is its own person's
        form_group_around(furthest_from(table.centre_of_left([data[i] for i in left], centroid)))
    groups.append(left)
    return [next(g for g, group in enumerate(groups) if i in group) for i in range(len(data))]


def adaptive(
    data: Data,
    attributes: Sequence[PlainAttribute],
    k: int,
    distance: str = "mean",
    normalize: str = "pairwise",
    centroid: str = "semantic",
    comparison: str = "plain",
    static: bool = False,
    persons: Sequence[int] | None = None,
) -> list[int]:
    """T12 Algorithm 4 (SA-MDAV) on distinct tuples, as specification 7 corrects it; sizes count records.

    Line 8 and 16: the closest tuple *not yet placed*; line 14 takes s out; line 22: the centroids as they stand
    before it. The frequency of a leftover tuple is the same for all groups, so line 22 compares plain distances.
    ``persons``: whose each record is; then sizes count persons, and frequencies still records.
    """
    owner = range(len(data)) if persons is None else persons
    _at_least(list(set(owner)), k)
    table = PlainTable(data, attributes, distance, normalize)
    frequency = frequencies(data)
    left = list(frequency)  # always in first-seen order
    groups: list[list[Record]] = []
    centres: list[Record] = []

    def size(tuples: Iterable[Record]) -> int:
        some = set(tuples)
        return len({person for person, record in zip(owner, data, strict=True) if record in some})

    def centre(tuples: Iterable[Record]) -> Record:
        return table.centre([t for t in tuples for _ in range(frequency[t])], centroid)

    def compared(reference: Record) -> list[float]:
        return [table.compare(reference, t, frequency[t], comparison) for t in left]

    def form_group_around(first: Record) -> None:
        left.remove(first)
        group = [first]
        middle = first if static else centre(group)
        while size(group) < k:
            group.append(left.pop(first_least(compared(middle))))
            middle = first if static else centre(group)
        groups.append(group)
        centres.append(middle)

    while size(left) >= k:
        everyone = [t for t in left for _ in range(frequency[t])]
        r = left[first_greatest(compared(table.centre_of_left(everyone, centroid)))]
        form_group_around(r)
        if size(left) >= k:
            form_group_around(left[first_greatest(compared(r))])
    for t in left:
        groups[first_least(table.distance(c, t) for c in centres)].append(t)
    return [next(g for g, group in enumerate(groups) if record in group) for record in data]


# ---- recoding (specification 7) ----------------------------------------------------------------------------------


def recoding(
    data: Data,
    attributes: Sequence[PlainAttribute],
    k: int,
    guide: str = "semantic",
    comparison: str = "weighted",
    distance: str = "mean",
    normalize: str = "pairwise",
    persons: Sequence[int] | None = None,
) -> list[Record]:
    """T12 Algorithm 2: the new tuple of each record.

    Guide 'semantic': to the tuple at least (weighted) distance, ties to the lower frequency, then first-seen order.
    Guide 'discernibility': to the tuple of least frequency, ties by first-seen order. Frequencies are current ones;
    distances are between the tuples of the input and never change. ``persons``: whose each record is; then the frequency
    of a tuple is the number of persons who have it.
    """
    owner = range(len(data)) if persons is None else persons
    _at_least(list(set(owner)), k)
    table = PlainTable(data, attributes, distance, normalize)
    masked = list(data)

    def persons_with(t: Record) -> int:
        return len({person for person, record in zip(owner, masked, strict=True) if record == t})

    frequency = {t: persons_with(t) for t in frequencies(data)}  # of the tuples still present, in first-seen order
    while min(frequency.values()) < k:
        least = min(frequency.values())
        for t in [t for t, w in frequency.items() if w == least]:
            if frequency[t] > least:  # another one has moved here
                continue
            others = [v for v in frequency if v != t]
            if guide == "semantic":
                closest = least_ones(table.compare(t, v, frequency[v], comparison) for v in others)
                others = [others[i] for i in closest]
            target = others[first_least(frequency[v] for v in others)]
            del frequency[t]
            masked = [target if record == t else record for record in masked]
            frequency[target] = persons_with(target)
    return masked


# ---- sorting and resampling (specification 5, 7) -----------------------------------------------------------------


def sort_records(
    data: Data,
    attributes: Sequence[PlainAttribute],
    distance: str = "mean",
    normalize: str = "pairwise",
    centroid: str = "semantic",
    comparison: str = "plain",
    scale_data: Data | None = None,
) -> list[int]:
    """T12 Algorithm 1: the positions of the records in sorted order, equal tuples together in record order.

    Frequencies and ties are those of ``data``; ranges, variances, tables and the mode's ties those of ``scale_data``.
    """
    table = PlainTable(data if scale_data is None else scale_data, attributes, distance, normalize)
    frequency = frequencies(data)
    left = list(frequency)

    def compared(reference: Record) -> list[float]:
        return [table.compare(reference, t, frequency[t], comparison) for t in left]

    f = left.pop(first_greatest(compared(table.centre(data, centroid))))
    ordered = [f]
    while left:
        ordered.append(left.pop(first_least(compared(f))))
    return [i for t in ordered for i, record in enumerate(data) if record == t]


def most_distant_record(data: Data, table: PlainTable) -> Record:
    """R17 eq. 5 and 10: the first with the largest sum of distances to all records."""
    return data[first_greatest(math.fsum(table.distance(r, other) for other in data) for r in data)]


def sort_by_reference(data: Data, table: PlainTable, reference: Record, comparison: str = "plain") -> list[int]:
    """R17 def. 3 and 7: positions by distance from the reference, which comes first; equal records together."""
    frequency = frequencies(data)
    ordered = [reference] if reference in frequency else []
    left = [t for t in frequency if t != reference]
    while left:
        compared = [table.compare(reference, t, frequency[t], comparison) for t in left]
        ordered.append(left.pop(first_least(compared)))
    return [i for t in ordered for i, record in enumerate(data) if record == t]


def k_anonymous_resampling(
    data: Data,
    attributes: Sequence[PlainAttribute],
    k: int,
    samples: Sequence[Sequence[int]],
    distance: str = "mean",
    normalize: str = "pairwise",
    centroid: str = "semantic",
    comparison: str = "plain",
) -> list[int]:
    """T12 Algorithm 6 after its draws: group i holds the i-th record of every sorted sample, and its leftovers.

    A sample is a set of positions: it is brought to record order before it is sorted, whatever order it was drawn in.
    """
    _at_least(data, k)
    placed = [i for sample in samples for i in sample]
    assert [len(sample) for sample in samples] == [len(data) // k] * k
    assert len(set(placed)) == len(placed)
    table = PlainTable(data, attributes, distance, normalize)
    groups: list[list[int]] = [[] for _ in range(len(data) // k)]
    for sample in map(sorted, samples):
        records = [data[i] for i in sample]
        for g, i in enumerate(sort_records(records, attributes, distance, normalize, centroid, comparison, data)):
            groups[g].append(sample[i])
    centres = [table.centre([data[i] for i in group], centroid) for group in groups]
    for i, record in enumerate(data):
        if i not in placed:
            groups[first_least(table.distance(c, record) for c in centres)].append(i)
    return [next(g for g, group in enumerate(groups) if i in group) for i in range(len(data))]


# ---- risk: record linkage (specification 10), as fractions -------------------------------------------------------


def unweighted(attributes: Sequence[PlainAttribute]) -> list[PlainAttribute]:
    """Weights steer masking. What came of it is judged by one yardstick (specification 0), whatever steered."""
    return [replace(attribute, weight=1) for attribute in attributes]


def _linked(sets: Sequence[Sequence[int]], own: Mapping[int, int], n: int) -> float:
    """The sum over records of 1 / |set| where the record's own other self is in its set, else 0, over all n.

    T12 eq. 8.3-8.4. ``own`` gives the other self; a record that was removed has none and is not linked.
    """
    return math.fsum(1 / len(found) for i, found in enumerate(sets) if own.get(i) in found) / n


def _other_selves(original: Data, masked: Data, records: Sequence[int] | None) -> list[int]:
    """For each masked record the original one it was made from: by default that at the same place."""
    return list(range(len(original))) if records is None else list(records)


def semantic_linkage(
    original: Data,
    masked: Data,
    attributes: Sequence[PlainAttribute],
    distance: str = "mean",
    normalize: str = "pairwise",
    records: Sequence[int] | None = None,
) -> float:
    """SRL (T12 eq. 8.1-8.4): from each original record to the closest masked ones. Scales are the original's."""
    table = PlainTable(original, unweighted(attributes), distance, normalize, others=masked)
    own = {i: j for j, i in enumerate(_other_selves(original, masked, records))}
    sets = [least_ones(table.distance(r, a) for a in masked) if masked else [] for r in original]
    return _linked(sets, own, len(original))


def distance_linkage_reverse(
    original: Data,
    masked: Data,
    attributes: Sequence[PlainAttribute],
    distance: str = "mean",
    normalize: str = "pairwise",
    records: Sequence[int] | None = None,
) -> float:
    """Distance-based RL (D12): from each masked record to the closest original ones. Scales are the original's."""
    table = PlainTable(original, unweighted(attributes), distance, normalize, others=masked)
    own = dict(enumerate(_other_selves(original, masked, records)))
    return _linked([least_ones(table.distance(r, a) for r in original) for a in masked], own, len(original))


def matching_linkage(original: Data, masked: Data, records: Sequence[int] | None = None) -> float:
    """MRL (T12 eq. 8.6, the right way up): from each original record to the masked ones equal to it."""
    own = {i: j for j, i in enumerate(_other_selves(original, masked, records))}
    return _linked([[j for j, a in enumerate(masked) if a == r] for r in original], own, len(original))


def reverse_matching_linkage(original: Data, masked: Data, records: Sequence[int] | None = None) -> float:
    """RL (T12 eq. 5.7-5.8): from each masked record to G, the original ones equal to it."""
    own = dict(enumerate(_other_selves(original, masked, records)))
    return _linked([[i for i, r in enumerate(original) if r == a] for a in masked], own, len(original))


# ---- loss (specification 10) -------------------------------------------------------------------------------------


def sse_attribute(original: Sequence[Value], masked: Sequence[Value], attribute: PlainAttribute) -> float:
    """M13 3.3, on one column: the sum of squared raw distances."""
    column = PlainColumn(attribute, original, masked)
    return math.fsum(column.separation(x, y) ** 2 for x, y in zip(original, masked, strict=True))


def rmse_attribute(original: Sequence[Value], masked: Sequence[Value], attribute: PlainAttribute) -> float:
    """R17, on one column: the root of the mean squared raw distance."""
    return math.sqrt(sse_attribute(original, masked, attribute) / len(original))


def sse_record(original: Data, masked: Data, attributes: Sequence[PlainAttribute]) -> float:
    """T12 eq. 6.2: the sum of squared mean distances. Scales are the original's."""
    table = PlainTable(original, unweighted(attributes), others=masked)
    return math.fsum(table.mean_distance(r, a) ** 2 for r, a in zip(original, masked, strict=True))


def sst_record(original: Data, attributes: Sequence[PlainAttribute], others: Data = ()) -> float:
    """T12 eq. 6.3, around the semantic centroid (specification 0); ``others`` widens the tables as in ``sse_record``."""
    table = PlainTable(original, unweighted(attributes), others=others)
    centre = table.centre(original, "semantic")
    return math.fsum(table.mean_distance(r, centre) ** 2 for r in original)


def record_loss(original: Data, masked: Data, attributes: Sequence[PlainAttribute]) -> float:
    """T12 eq. 6.4: L = 100 SSE / SST, both on the same tables; 0/0 = 0, and a loss where nothing varied is infinite."""
    sse, sst = sse_record(original, masked, attributes), sst_record(original, attributes, masked)
    if sst == 0:
        return 0.0 if sse == 0 else math.inf
    return 100 * sse / sst


def semantic_loss(original: Data, masked: Data, attributes: Sequence[PlainAttribute]) -> float:
    """T12 eq. 5.1: the mean over all cells of the distance as it enters a mean."""
    table = PlainTable(original, attributes, others=masked)
    cells = [
        column.relative(x, y)
        for r, a in zip(original, masked, strict=True)
        for column, x, y in zip(table.columns, r, a, strict=True)
    ]
    return math.fsum(cells) / len(cells)


def discernibility(data: Data) -> int:
    """T12 eq. 5.2 over classes (specification 10): the sum of the squared numbers of equal records."""
    return sum(w**2 for w in frequencies(data).values())
