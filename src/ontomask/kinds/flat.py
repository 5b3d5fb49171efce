"""Flat columns: values that are equal or not; the centre of a group is a code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Literal, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ontomask.arrays import Floats, Longs
from ontomask.kernels.centres import MODE
from ontomask.microdata.attributes import Attribute
from ontomask.microdata.column_distance import CentreRule, Centres, ColumnDistance
from ontomask.microdata.columns import Coded, Codes, Column, counts_of, extended
from ontomask.microdata.dtypes import aligned
from ontomask.microdata.released_values import ReleasedValues
from ontomask.microdata.spelling import is_text, spelled_alike
from ontomask.statements import Statement, note

#: Values that are written out at once.
BLOCK = 100_000


class Flat(Attribute):
    """Values that are equal or not, nothing between: distance 0 or 1, centre = the most frequent.

    Examples
    --------
    >>> import ontomask as om
    >>> om.Flat(role="sensitive")
    Flat(role='sensitive')
    """

    kind: Literal["flat"] = "flat"
    in_words: ClassVar[str] = "categories, equal or different"
    family: ClassVar[str] = "flat"

    def odd(self, released: ReleasedValues) -> Counter[str]:
        """None: a flat column may hold any value."""
        return Counter()

    def all_fit(self, dtype: pl.DataType) -> bool:
        return True

    def paired(self, before: pl.Series, after: pl.Series) -> tuple[pl.Series, pl.Series]:
        return aligned(before, after, dates=False)

    def column(
        self,
        name: str,
        codes: Codes,
        distinct: pl.Series,
        counts: Longs,
        missing: int | None,
        notes: list[Statement],
        rows: Longs | None,
    ) -> Coded:
        if self.quasi and is_text(distinct.dtype):
            notes += [note(f"{name}: {text}", name) for text in spelled_alike(distinct)]
        return Coded(FlatColumn(name, self, distinct, counts, missing), codes)


@dataclass(frozen=True, eq=False)
class FlatColumn(Column):
    """Its centres are codes; the missing value is one of them, or follows after them where masking brings it in."""

    graded: ClassVar[bool] = False

    @property
    def missing_centre(self) -> int:
        return len(self) if self.missing is None else self.missing

    @property
    def centre_of_code(self) -> NDArray[Any]:
        return np.arange(len(self))

    def content(self) -> Iterator[bytes]:
        for start in range(0, len(self), BLOCK):
            texts = ("" if v is None else str(v) for v in self.values[start : start + BLOCK].to_list())
            yield "\0".join(texts).encode("utf-8", "surrogatepass")

    def of_centres(self, centres: NDArray[Any], counts: Longs) -> Self:
        """Centres beyond the codes of the column stand for several values, and have none of their own."""
        most = int(centres.max(initial=-1)) + 1
        values = self.values.extend_constant(None, most - len(self)) if most > len(self) else self.values
        of_code = np.bincount(centres.astype(np.int64), weights=counts, minlength=len(values)).astype(np.int64)
        return replace(self, counts=of_code, values=values)

    def released(
        self,
        centres: NDArray[Any],
        shown: pl.Series | None,
        group_of: NDArray[Any],
        counts: Longs | None = None,
    ) -> tuple[Coded, NDArray[np.bool_]]:
        made = self.of_centres(centres, counts_of(group_of, len(centres), counts))
        general = np.arange(int(centres.max(initial=-1)) + 1) >= len(self)
        if shown is None and general.any():  # no group of values, but a blank
            made, general = replace(made, missing=self.missing_centre), np.zeros_like(general)
        return Coded(made, centres[group_of].astype(np.int32)), general

    def centres_of_levels(
        self, group: NDArray[np.int32], first: Longs, spans: Any = None, concepts: Any = None
    ) -> NDArray[Any]:
        """A group of several flat values is a value of its own."""
        alone = np.bincount(group) == 1
        return np.where(alone, first, len(self) + np.arange(len(first)))

    def with_values_of(self, masked: Column) -> Self:
        new = np.zeros(len(masked) - len(self), dtype=np.int64)
        return replace(self, values=masked.values, counts=np.append(self.counts, new))

    def encode_like(self, values: pl.Series) -> Coded:
        codes, distinct, missing = extended(self, values)
        counts = counts_of(codes, len(distinct))
        return Coded(replace(self, counts=counts, values=distinct, missing=missing), codes)

    def decode(self, centres: NDArray[Any]) -> pl.Series:
        blank = self.missing is None and bool((centres == len(self)).any())
        values = self.values.extend_constant(None, 1) if blank else self.values
        return values.gather(centres.astype(np.int64)).rename(self.name)

    def is_missing(self, centres: NDArray[Any]) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = centres == (-1 if self.missing is None else self.missing)
        return found

    def metric(self) -> FlatDistance:
        return FlatDistance(self)


class FlatDistance(ColumnDistance):
    """0 if equal, else 1."""

    largest = 1.0
    scale = 1.0

    def distance(self, a: Centres, b: Centres) -> Floats:
        unequal: Floats = (a != b).astype(np.float64)
        return unequal

    def table_of(self, codes: Longs) -> Floats:
        return 1.0 - np.eye(len(codes))

    def marginalities(self) -> Floats:
        sums: Floats = self.n - self.weights
        return sums

    @cached_property
    def least_squares(self) -> tuple[Any, float]:
        """The most frequent value."""
        codes = np.flatnonzero(~self.column.is_missing(self.column.centre_of_code) & (self.weights > 0))
        if not len(codes):
            return self.column.centre_of_code[0], 0.0
        best = codes[np.argmax(self.weights[codes])]
        return self.column.centre_of_code[best], float(self.n - self.weights[best])

    def scores(self, column: Column) -> Floats:
        known = dict(zip(self.column.values.to_list(), self.weights.tolist(), strict=True))
        return np.array(
            [np.nan if value is None else 1 - known.get(value, 0.0) / self.n for value in column.values.to_list()]
        )

    def records_nearer(self, codes: Longs, bound: Floats) -> Longs:
        return np.where(bound > 0, self.column.counts[codes], 0)

    def rows(self, column: Column, against: Column | None = None) -> tuple[Floats | None, Longs]:
        return None, np.arange(len(column))

    def centre_rule(self, centroid: str) -> CentreRule:
        """The most frequent value, whichever centroid is asked for."""
        none = np.zeros(0, dtype=np.int64)
        empty = (len(self.column), 0)
        return CentreRule(MODE, np.zeros(empty), -1, none, none, none, lambda: np.zeros(empty, dtype=np.int16), True)
