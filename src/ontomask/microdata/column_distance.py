"""How far apart the values of one column are, on the scale of the column itself (specification 3): what all kinds share.

The distance of a column is made from the original column. It measures between any values that can stand in it, masked
ones too, so that all values are compared on one scale. Values are given as centres: positions of concepts, codes, ranks
or numbers (see :mod:`ontomask.microdata.columns`). Missing values lie at the largest distance from all others.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ontomask.arrays import Floats
from ontomask.microdata.columns import Column

Centres = NDArray[Any]


class ColumnDistance(ABC):
    """The distances of a column; ``largest`` is the largest raw one."""

    #: Do the values lie on a line, so that a difference is a distance? Others have a table.
    on_line: ClassVar[bool] = False
    largest: float

    def __init__(self, column: Column) -> None:
        self.column = column
        self.weights = column.counts.astype(np.float64)
        self.n = int(column.counts.sum())

    @abstractmethod
    def distance(self, a: Centres, b: Centres) -> Floats:
        """Raw distances, pair by pair."""

    @property
    @abstractmethod
    def scale(self) -> float:
        """What a raw distance is divided by before it enters a mean."""

    def scaled(self, a: Centres, b: Centres) -> Floats:
        """Distances in 0..1, as they enter the mean distance of records."""
        return self.on_scale(self.distance(a, b))

    def on_scale(self, raw: Floats) -> Floats:
        """Raw distances in 0..1: where the column is all the same there is no scale, and whatever differs is at 1."""
        return raw / self.scale if self.scale > 0 else (raw > 0).astype(np.float64)

    def distance_of_codes(self, a: NDArray[Any], b: NDArray[Any]) -> Floats:
        """Raw distances of codes of the column, pair by pair."""
        own = self.column.centre_of_code
        return self.distance(own[a], own[b])

    def between(self, a: Centres, b: Centres) -> Floats:
        """Raw distances of all of ``a`` from all of ``b``."""
        return self.distance(np.repeat(a, len(b)), np.tile(b, len(a))).reshape(len(a), len(b))

    @cached_property
    def between_codes(self) -> Floats:
        """Raw distances between all codes of the column."""
        own = self.column.centre_of_code
        return self.between(own, own)

    @abstractmethod
    def marginalities(self) -> Floats:
        """m of each code (M13 eq. 2): the sum of its raw distances to all records."""

    def scaled_marginalities(self) -> Floats:
        """The same of distances in 0..1."""
        sums = self.marginalities()
        return sums / self.scale if self.scale > 0 else sums

    def marginality_variance(self) -> float:
        """Var_M (M13 def. 2): the mean over records of the sum of distances to all others."""
        return float((self.weights * self.marginalities()).sum() / self.n)

    def spread(self, normalize: str) -> float:
        """S2 of the S-distance (M13 eq. 7); ``pairwise``: the mean distance of a random pair."""
        if self.n < 2:
            return 0.0
        variance = self.marginality_variance()
        return variance if normalize == "published" else variance / (self.n - 1)
