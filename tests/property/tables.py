"""Random small tables of any mix of kinds, told twice: as the product's ``Table`` and as the oracle's records.

Values repeat a lot, so that nearly every step of every method has ties to settle.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from numpy.typing import NDArray

import ontomask as om
from ontomask.kinds.nominal_column import NominalColumn
from ontomask.kinds.sets import SetColumn
from ontomask.microdata.columns import Column
from ontomask.microdata.encoding import Table, encode
from ontomask.operators.aggregation import Operators
from ontomask.operators.record_distance import RecordDistance
from tests.oracle.plain import attribute_taxonomy, pruned_tree
from tests.oracle.plain_masking import PlainAttribute, PlainTable, Record, Value
from tests.property.strategies import NAMES, Case, to_edges

KINDS = ("nominal", "flat", "ordinal", "numeric")
CENTROIDS = ("semantic", "marginality", "mode", "lcs", "consensus")
#: A distance of records and how it is normalized.
DISTANCES = (("mean", "pairwise"), ("s", "pairwise"), ("s", "published"))
MEASURES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("logsc", {}),
    ("logsc", {}),
    ("wu_palmer", {}),
    ("wu_palmer", {"depth": "edges"}),
    ("path", {}),
    ("equality", {}),
    ("weighted_edge", {}),
    ("lin", {}),
    ("lin", {"ic": "corpus"}),
    ("jiang_conrath", {"ic": "sanchez"}),
)
FLAT = ("u", "w", "v", "s", "t", "p", "q", "o")
SCALE = ("low", "a bit", "half", "much", "very", "all")
#: What numbers a column draws from: ties, gaps, fractions, both signs, a short range far from zero, none but one.
NUMBERS: tuple[tuple[float, ...], ...] = (
    (0, 1, 2, 3),
    (3, 1, 4, 1, 5, 9, 2, 6),
    (0, 1, 10, 100),
    (-2, -1, 0, 1, 2),
    (0.25, 0.5, 1.0, -1.75),
    (1_000_001, 1_000_002, 1_000_004),
    (7,),
)


@dataclass(frozen=True)
class Sheet:
    """A table as both sides see it. Columns are called c0, c1, ..."""

    attributes: tuple[PlainAttribute, ...]
    taxonomies: tuple[om.Taxonomy | None, ...]
    records: tuple[Record, ...]

    @property
    def n(self) -> int:
        return len(self.records)

    @cached_property
    def real_attributes(self) -> dict[str, Any]:
        return {
            f"c{i}": _real(attribute, taxonomy)
            for i, (attribute, taxonomy) in enumerate(zip(self.attributes, self.taxonomies, strict=True))
        }

    @cached_property
    def table(self) -> Table:
        return encode(self.frame(self.records), self.real_attributes, list(self.real_attributes))

    def frame(self, records: Sequence[Record]) -> pl.DataFrame:
        """Records of this sheet's kind, as a user has them."""
        columns = list(zip(*records, strict=True)) or [()] * len(self.attributes)
        typed = zip(self.attributes, columns, strict=True)
        return pl.DataFrame(
            {f"c{i}": pl.Series(_told(a, values), dtype=_dtype(a, values)) for i, (a, values) in enumerate(typed)}
        )

    def plain(self, how: tuple[str, str] = ("mean", "pairwise"), others: Sequence[Record] = ()) -> PlainTable:
        return PlainTable(self.records, self.attributes, *how, others=others)

    def distance(self, how: tuple[str, str] = ("mean", "pairwise")) -> RecordDistance:
        return RecordDistance.of(self.table, *how)  # type: ignore[arg-type]

    def operators(self, how: tuple[str, str] = ("mean", "pairwise"), centroid: str = "semantic") -> Operators:
        return Operators.of(self.table, self.distance(how), centroid)  # type: ignore[arg-type]

    def grouped(self, group_of: Sequence[int] | NDArray[Any]) -> list[list[Record]]:
        """The records of each group."""
        groups = range(max(group_of) + 1)
        return [[r for r, g in zip(self.records, group_of, strict=True) if g == h] for h in groups]

    def anything(self) -> list[list[Value]]:
        """For each attribute what a masked table might show: missing values, more general and other values, too."""
        found: list[list[Value]] = []
        for attribute, column in zip(self.attributes, zip(*self.records, strict=True), strict=True):
            values: list[Value] = [None, *(v for v in dict.fromkeys(column) if v is not None)]
            if attribute.kind == "nominal" and len(values) > 1:
                assert attribute.taxonomy is not None
                taxonomy = attribute.taxonomy
                if attribute.options.get("scope") == "attribute":
                    taxonomy = attribute_taxonomy(taxonomy, values[1:])
                values += sorted(pruned_tree(taxonomy, values[1:]) - set(values))
                values += list(attribute.taxonomy.parents)[:3]  # a foreign file may hold any concept
            elif attribute.kind == "sets":
                assert attribute.taxonomy is not None
                among = list(attribute.taxonomy.parents)
                values += [frozenset(), frozenset(among[:1]), frozenset(among[:3]), frozenset(among[-2:])]
            elif attribute.kind == "flat":
                values.append("something else")
            elif attribute.kind == "ordinal":
                values += [v for v in attribute.order if v not in values]
            elif attribute.kind == "numeric":
                values += [2, 3.5]
            found.append(values)
        return found

    def decoded(self, centres: Sequence[NDArray[Any]]) -> list[Record]:
        """Centres by column, as the product gives them, as records."""
        columns = zip(self.attributes, self.table.columns, centres, strict=True)
        return list(zip(*(_values(*column) for column in columns), strict=True))

    def coded(self, records: Sequence[Record]) -> list[NDArray[Any]]:
        """Records as centres by column, as the product takes them."""
        columns = zip(self.attributes, self.table.columns, zip(*records, strict=True), strict=True)
        return [_centres(*column) for column in columns]


def _real(attribute: PlainAttribute, taxonomy: om.Taxonomy | None) -> Any:
    weight = attribute.weight
    if attribute.kind in ("nominal", "sets"):
        assert taxonomy is not None
        options = dict(attribute.options)
        scope, many = options.pop("scope", "taxonomy"), "|" if attribute.kind == "sets" else None
        return om.Nominal(
            taxonomy=taxonomy, measure=attribute.measure, scope=scope, options=options, weight=weight, many=many
        )
    if attribute.kind == "ordinal":
        # Numbers have an order of their own.
        order = None if isinstance(attribute.order[0], int) else list(attribute.order)
        return om.Ordinal(order=order, weight=weight)
    return om.Flat(weight=weight) if attribute.kind == "flat" else om.Numeric(weight=weight)


def _told(attribute: PlainAttribute, values: Sequence[Value]) -> list[Value]:
    """Values as a user has them: sets as texts, in any order, an item now and then twice."""
    if attribute.kind != "sets":
        return list(values)
    chance = random.Random(len(values))
    return [None if v is None else "|".join(chance.choices(sorted(v), k=2) + list(v)) if v else "|" for v in values]


def _dtype(attribute: PlainAttribute, values: Iterable[Value]) -> Any:
    if attribute.kind == "numeric":
        return pl.Int64 if all(isinstance(v, int) for v in values if v is not None) else pl.Float64
    return pl.Int64 if attribute.kind == "ordinal" and isinstance(attribute.order[0], int) else pl.String


def _values(attribute: PlainAttribute, column: Column, centres: NDArray[Any]) -> list[Value]:
    if isinstance(column, SetColumn):
        own = [None if c < 0 else column.sets.members(c) for c in centres.tolist()]
        return [None if members is None else frozenset(column.taxonomy.concepts[c] for c in members) for members in own]
    if isinstance(column, NominalColumn):
        return [None if c < 0 else column.taxonomy.concepts[c] for c in centres.tolist()]
    if attribute.kind == "ordinal":
        return [None if rank < 0 else attribute.order[rank] for rank in centres.tolist()]
    if attribute.kind == "numeric":
        return [None if np.isnan(x) else x for x in centres.tolist()]
    return [column.values[code] for code in centres.tolist()]


def _centres(attribute: PlainAttribute, column: Column, values: Sequence[Value]) -> NDArray[Any]:
    if attribute.kind == "numeric":
        return np.array([np.nan if v is None else float(v) for v in values])
    if isinstance(column, SetColumn):
        at, sets = column.taxonomy.position, column.sets
        return np.array([-1 if v is None else sets.number(map(at, v)) for v in values], dtype=np.int64)
    if isinstance(column, NominalColumn):
        place: Callable[[Any], int] = column.taxonomy.position
    else:
        place = (attribute.order if attribute.kind == "ordinal" else column.values.to_list()).index
    gone = place(None) if attribute.kind == "flat" and None in values else -1
    return np.array([gone if v is None else place(v) for v in values], dtype=np.int64)


# ---- drawing them ------------------------------------------------------------------------------------------------


def _taxonomy(chance: random.Random) -> Case:
    """A DAG like those of ``dags()``: bushy or deep, with diamonds, ways of unequal length, now and then two roots."""
    n, width = chance.choice((1, 4, 8, 10, 12, 15, 18, 20)), chance.choice((1, 2, 3, 4))
    reach, several_roots = chance.choice((width, 2 * width, 20)), chance.random() < 0.2
    extra_parents = chance.choice((0.0, 0.3, 0.6))  # the first: a tree
    above: list[list[int]] = [[]]
    for i in range(1, n):
        if several_roots and chance.random() < 0.2:
            above.append([])
            continue
        layer = 1 + (i - 1) // width * width
        near = {layer - 1 - chance.randrange(min(reach, layer)): None}
        more = [chance.randrange(min(3 * reach, layer)) for _ in range(2) if chance.random() < extra_parents]
        above.append(list(near | {layer - 1 - back: None for back in more}))
    edges = to_edges(above, chance.sample(NAMES, len(NAMES)), chance.random() < 0.5)
    return Case(chance.sample(edges, len(edges)) if chance.random() < 0.8 else edges)


def _concepts(chance: random.Random, case: Case) -> list[Value]:
    """What occurs in a column; at times only concepts of one branch, so that tau(X) is a part."""
    among = case.concepts
    branches = [c for c in among if len(case.plain.descendants[c]) > 2]
    if branches and chance.random() < 0.4:
        top = chance.choice(branches)
        among = [c for c in among if top in case.plain.subsumers[c]]
    return chance.sample(among, min(len(among), chance.choice((2, 3, 4, 5, 6, 8, 10))))


def _sets(chance: random.Random, concepts: list[Value]) -> list[Value]:
    """Sets of none to four concepts; at times of one each."""
    sizes = chance.choice(((1, 2, 2, 3), (0, 1, 2, 3, 4), (1, 1, 1, 2), (1,), (2, 3), (0, 1)))
    drawn = [frozenset(chance.sample(concepts, min(len(concepts), chance.choice(sizes)))) for _ in range(8)]
    return list(dict.fromkeys(drawn))


def _attribute(
    chance: random.Random, kind: str, weight: float, case: Case | None
) -> tuple[PlainAttribute, Case | None, list[Value]]:
    """An attribute, its taxonomy if it has one, and the values it may take."""
    if kind in ("nominal", "sets"):
        if case is None or chance.random() < 0.6:  # two attributes may well share a taxonomy
            case = _taxonomy(chance)
        measure, options = chance.choice(MEASURES)
        scope = {"scope": "attribute"} if chance.random() < 0.3 else {}
        values = _concepts(chance, case)
        if kind == "sets":
            values = _sets(chance, values)
        return PlainAttribute(kind, case.plain, measure, options | scope, weight=weight), case, values
    if kind == "ordinal":
        if chance.random() < 0.3:
            return PlainAttribute(kind, order=(0,), weight=weight), case, [3, 1, 4, 5, 9, 2][: chance.randint(2, 6)]
        # A scale may go beyond what occurs, at both ends.
        scale = SCALE[: chance.choice((1, 3, 4, 5, 6, 6))]
        return (
            PlainAttribute(kind, order=scale, weight=weight),
            case,
            chance.sample(scale, chance.randint(len(scale) // 2 or 1, len(scale))),
        )
    values = chance.choice(NUMBERS) if kind == "numeric" else chance.sample(FLAT, chance.choice((1, 3, 4, 5, 6)))
    return PlainAttribute(kind, weight=weight), case, list(values)


def make_sheet(seed: int, n: int, kinds: Sequence[str]) -> Sheet:
    """A table of n records; its attributes are of the kinds given."""
    chance = random.Random(seed)
    holes = chance.choice((0, 0, 0, 0.15, 0.5))  # missing values in two of five tables, also in most records
    weighted = chance.random() < 0.3
    attributes, taxonomies, columns = [], [], []
    shared: Case | None = None
    for kind in kinds:
        weight = chance.choice((0.5, 1, 3, 0.1)) if weighted else 1
        attribute, shared, among = _attribute(chance, kind, weight, shared)
        often = [0.1 + chance.random() for _ in among]  # some values are common, some rare
        values = chance.choices(among, often, k=n)
        columns.append([None if chance.random() < holes else value for value in values])
        if kind == "ordinal" and attribute.order == (0,):  # numbers: the scale is what occurs
            attribute = replace(attribute, order=tuple(sorted({v for v in columns[-1] if v is not None})) or SCALE)
        attributes.append(attribute)
        taxonomies.append(shared.real if kind in ("nominal", "sets") and shared else None)
    return Sheet(tuple(attributes), tuple(taxonomies), tuple(zip(*columns, strict=True)))


@st.composite
def sheets(draw: DrawFn, most: int = 30, kinds: Sequence[str] = KINDS, widest: int = 4) -> Sheet:
    """1 to 30 records of 1 to 4 attributes. What is in them comes from a seed: it is not worth shrinking."""
    n = draw(st.sampled_from([n for n in (1, 2, 4, 6, 8, 10, 12, 14, 16, 18, 21, 23, 25, 27, 30) if n <= most]))
    seed = draw(st.integers(0, 2**32))
    chance = random.Random(seed + 1)
    return make_sheet(seed, n, [chance.choice(kinds) for _ in range(chance.choice((1, 2, 2, 3, widest)))])


@st.composite
def some_k(draw: DrawFn, n: int) -> int:
    """k from 1 to n, small ones more often."""
    return min(n, draw(st.sampled_from((2, 2, 3, 3, 4, 5, 7, 10, 1, n // 3 or 1, n // 2 or 1, n))))
