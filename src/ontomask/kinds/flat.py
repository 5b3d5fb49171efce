"""Flat columns: values that are equal or not; the centre of a group is a code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ontomask.arrays import Floats, Longs
from ontomask.kernels.centres import MODE
from ontomask.microdata.attributes import Attribute
from ontomask.microdata.column_distance import CentreRule, Centres, ColumnDistance
from ontomask.microdata.columns import Codes, Column
from ontomask.microdata.spelling import is_text, spelled_alike


class Flat(Attribute):
    """Values that are equal or not, nothing between: distance 0 or 1, centre = the most frequent."""

    kind: Literal["flat"] = "flat"

    def column(
        self, name: str, codes: Codes, distinct: pl.Series, missing: int | None, notes: list[str], rows: Longs | None
    ) -> FlatColumn:
        if self.quasi and is_text(distinct.dtype):
            notes += [f"{name}: {note}" for note in spelled_alike(distinct)]
        return FlatColumn(name, self, codes, distinct, missing)


@dataclass(frozen=True, eq=False)
class FlatColumn(Column):
    """Its centres are codes; the missing value is one of them."""

    graded: ClassVar[bool] = False

    @property
    def centre_of_code(self) -> NDArray[Any]:
        return np.arange(len(self))

    def decode(self, centres: NDArray[Any]) -> pl.Series:
        return self.values.gather(centres.astype(np.int64)).rename(self.name)

    def is_missing(self, centres: NDArray[Any]) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = centres == (-1 if self.missing is None else self.missing)
        return found

    def distance(self) -> FlatDistance:
        return FlatDistance(self)


class FlatDistance(ColumnDistance):
    """0 if equal, else 1."""

    largest = 1.0
    scale = 1.0

    def distance(self, a: Centres, b: Centres) -> Floats:
        unequal: Floats = (a != b).astype(np.float64)
        return unequal

    def marginalities(self) -> Floats:
        sums: Floats = self.n - self.weights
        return sums

    def rows(self, column: Column, against: Column | None = None) -> tuple[Floats | None, Longs]:
        return None, np.arange(len(column))

    def centre_rule(self, centroid: str) -> CentreRule:
        """The most frequent value, whichever centroid is asked for."""
        none = np.zeros(0, dtype=np.int64)
        empty = (len(self.column), 0)
        return CentreRule(MODE, np.zeros(empty), -1, none, none, none, np.zeros(empty, dtype=np.int16), True)
