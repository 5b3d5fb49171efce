"""Random small tables of any mix of kinds, told twice: as the product's ``Table`` and as the oracle's records.

Values repeat a lot, so that nearly every step of every method has ties to settle.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from numpy.typing import NDArray

import ontomask as om
from ontomask.distances.records import RecordDistance
from ontomask.microdata.columns import Column, NominalColumn, NumericColumn, OrdinalColumn
from ontomask.microdata.encoding import Table, encode
from ontomask.statistics.aggregation import Operators
from tests.oracle.plain_masking import PlainAttribute, PlainTable, Record, Value
from tests.property.strategies import CHOICES, Case, dags, lists_of

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
        return self.encoded(self.records)

    def encoded(self, records: Sequence[Record]) -> Table:
        """Records of this sheet's kind for the product."""
        columns = {
            f"c{i}": pl.Series([r[i] for r in records], dtype=_dtype(attribute, [r[i] for r in self.records]))
            for i, attribute in enumerate(self.attributes)
        }
        return encode(pl.DataFrame(columns), self.real_attributes, list(self.real_attributes))

    def plain(self, how: tuple[str, str] = ("mean", "pairwise"), others: Sequence[Record] = ()) -> PlainTable:
        return PlainTable(self.records, self.attributes, *how, others=others)

    def distance(self, how: tuple[str, str] = ("mean", "pairwise")) -> RecordDistance:
        return RecordDistance.of(self.table, *how)  # type: ignore[arg-type]

    def operators(self, how: tuple[str, str] = ("mean", "pairwise"), centroid: str = "semantic") -> Operators:
        return Operators.of(self.table, self.distance(how), centroid)  # type: ignore[arg-type]

    def decoded(self, centres: Sequence[NDArray[Any]]) -> list[Record]:
        """Centres by column, as the product gives them, as records."""
        columns = [_values(column, c) for column, c in zip(self.table.columns, centres, strict=True)]
        return list(zip(*columns, strict=True))

    def coded(self, records: Sequence[Record]) -> list[NDArray[Any]]:
        """Records as centres by column, as the product takes them."""
        return [_centres(c, [r[i] for r in records]) for i, c in enumerate(self.table.columns)]


def _real(attribute: PlainAttribute, taxonomy: om.Taxonomy | None) -> Any:
    weight = attribute.weight
    if attribute.kind == "nominal":
        assert taxonomy is not None
        options = dict(attribute.options)
        scope = options.pop("scope", "taxonomy")
        return om.Nominal(taxonomy=taxonomy, measure=attribute.measure, scope=scope, options=options, weight=weight)
    if attribute.kind == "ordinal":
        return om.Ordinal(order=list(attribute.order), weight=weight)
    return om.Flat(weight=weight) if attribute.kind == "flat" else om.Numeric(weight=weight)


def _dtype(attribute: PlainAttribute, values: Iterable[Value]) -> Any:
    if attribute.kind != "numeric":
        return pl.String
    return pl.Int64 if all(isinstance(v, int) for v in values if v is not None) else pl.Float64


def _values(column: Column, centres: NDArray[Any]) -> list[Value]:
    if isinstance(column, NominalColumn):
        return [None if c < 0 else column.taxonomy.concepts[c] for c in centres.tolist()]
    if isinstance(column, OrdinalColumn):
        return [None if rank < 0 else column.scale[rank] for rank in centres.tolist()]
    if isinstance(column, NumericColumn):
        return [None if np.isnan(x) else x for x in centres.tolist()]
    return [column.values[code] for code in centres.tolist()]


def _centres(column: Column, values: Sequence[Value]) -> NDArray[Any]:
    if isinstance(column, NominalColumn):
        return np.array([-1 if v is None else column.taxonomy.position(v) for v in values], dtype=np.int64)
    if isinstance(column, OrdinalColumn):
        ranks = column.scale.to_list()
        return np.array([-1 if v is None else ranks.index(v) for v in values], dtype=np.int64)
    if isinstance(column, NumericColumn):
        return np.array([np.nan if v is None else float(v) for v in values])
    codes = column.values.to_list()
    return np.array([codes.index(v) for v in values], dtype=np.int64)


@st.composite
def sheets(draw: DrawFn, max_size: int = 30, kinds: Sequence[str] = KINDS) -> Sheet:
    """1 to 30 records of 1 to 4 attributes; missing values in a third of the tables, weights in another third."""
    n = draw(st.sampled_from([n for n in (1, 2, 3, 5, 7, 9, 12, 15, 18, 22, 26, 30) if n <= max_size]))
    m = draw(st.sampled_from((1, 2, 2, 3, 4)))
    holes = draw(st.sampled_from((0, 0, 0, 0, 40, 140)))  # how many of 256 values are missing
    weighted = draw(st.sampled_from((False, False, True)))
    attributes, taxonomies, columns = [], [], []
    case: Case | None = None
    for _ in range(m):
        kind = draw(st.sampled_from(kinds))
        weight = draw(st.sampled_from((0.5, 1, 3, 0.1))) if weighted else 1
        chosen = draw(CHOICES)
        taxonomy = None
        if kind == "nominal":
            # Two attributes may well share a taxonomy.
            case = draw(dags()) if case is None or chosen[0] < 128 else case
            measure, options = draw(st.sampled_from(MEASURES))
            scope = {"scope": "attribute"} if chosen[1] < 64 else {}
            attribute = PlainAttribute(kind, case.plain, measure, options | scope, weight=weight)
            taxonomy = case.real
            among: list[Value] = list(draw(lists_of(case)))
        elif kind == "ordinal":
            among = list(SCALE[: 1 + chosen[0] % len(SCALE)])
            extra = len(among) if chosen[1] < 128 else len(SCALE)  # a scale may go beyond what occurs
            attribute = PlainAttribute(kind, order=SCALE[:extra], weight=weight)
        else:
            among = list(FLAT[: 1 + chosen[0] % 5] if kind == "flat" else NUMBERS[chosen[0] % len(NUMBERS)])
            attribute = PlainAttribute(kind, weight=weight)
        picks, gone = chosen[2 : 2 + n], chosen[80 : 80 + n]
        columns.append([None if g < holes else among[p % len(among)] for p, g in zip(picks, gone, strict=True)])
        attributes.append(attribute)
        taxonomies.append(taxonomy)
    return Sheet(tuple(attributes), tuple(taxonomies), tuple(zip(*columns, strict=True)))


def some_k(draw: DrawFn, n: int) -> int:
    """k from 1 to n, small ones more often."""
    return min(n, draw(st.sampled_from((1, 2, 2, 3, 3, 4, 5, 7, 10, n // 3 or 1, n // 2 or 1, n))))
