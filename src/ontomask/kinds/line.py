"""Shared by numeric columns, dates and ordinal columns: values on a line, distance as difference."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ontomask.arguments import is_number
from ontomask.arrays import Floats, Longs
from ontomask.hierarchies.levels import ANY
from ontomask.microdata.attributes import Attribute
from ontomask.microdata.column_distance import Centres, ColumnDistance
from ontomask.microdata.columns import Column
from ontomask.microdata.released_values import ReleasedValues


class LineAttribute(Attribute):
    """A kind whose values lie on a line: it reads what its columns write, values and intervals."""

    @abstractmethod
    def fits(self, text: str) -> bool:
        """Can a released column of this kind show this text, a value or an interval of them?"""

    def odd(self, released: ReleasedValues) -> Counter[str]:
        return Counter({text: count for text, count in released.texts().items() if not self.fits(text)})


@dataclass(frozen=True, eq=False)
class LineColumn(Column):
    """A column whose centres are positions on a line."""

    on_line: ClassVar[bool] = True

    @property
    @abstractmethod
    def limits(self) -> tuple[float, float]:
        """The lowest and the highest position there can be."""

    @property
    def line(self) -> Self:
        return self

    @property
    def kind(self) -> LineAttribute:
        assert isinstance(self.attribute, LineAttribute)
        return self.attribute

    @property
    def positions(self) -> Floats:
        """Of each code; NaN for missing."""
        own = self.centre_of_code
        return np.where(self.is_missing(own), np.nan, own.astype(np.float64))

    @property
    @abstractmethod
    def whole(self) -> bool:
        """Are positions whole numbers?"""

    @property
    def ends(self) -> tuple[float, float]:
        """Beyond which positions values are one class; infinite: there is no such class."""
        return -np.inf, np.inf

    @property
    def rank_values(self) -> list[Any]:
        """The value of each rank, if positions are ranks; None where the column does not hold it."""
        return []

    def place_text(self, position: float) -> str:
        """A position as text, for labels."""
        return str(self.decode(np.array([position]))[0])

    def edges(self, low: float, high: float, most: int) -> list[float] | None:
        """Where at most so many bins of a chart begin, and the last ends, where a kind has bins of its own; None: round
        numbers."""
        return None

    def position_of(self, value: Any) -> float | None:
        """The position of a value of the column, as it is or written as text; a number is a position. None: it has none."""
        if is_number(value):
            return float(value)
        found = np.flatnonzero((self.values.cast(pl.String) == str(value)).fill_null(False).to_numpy())
        return float(self.positions[found[0]]) if len(found) else None

    def limits_of(self, text: str) -> tuple[float, float] | None:
        """The first and the last position of what is shown, a value or an interval; None: it is neither."""
        place = self.position_of(text)
        return None if place is None else (place, place)

    def interval_text(self, low: float, high: float, *, closed: bool) -> str:
        """What an interval [low, high) shows; ``closed``: it holds its upper end as well.

        What the column writes its kind must take, or verification would refuse the release: it is asked here, at once.
        """
        text = self.write_interval(low, high, closed=closed)
        if text != ANY and not self.kind.fits(text):
            raise TypeError(f"{type(self).__name__} writes an interval as {text!r}, which does not fit its own kind")
        return text

    @abstractmethod
    def write_interval(self, low: float, high: float, *, closed: bool) -> str:
        """The text of an interval, one that :meth:`LineAttribute.fits` takes."""

    @abstractmethod
    def interval_share(self, low: float, high: float, extent: float, *, closed: bool) -> float:
        """The part of the column's domain that an interval covers; ``extent`` is the range of the values."""

    @property
    def ranked(self) -> int:
        """How many ranks there are, if positions are ranks."""
        return 0

    @abstractmethod
    def centres_of(
        self, values: NDArray[Any], group: Longs, weights: Longs, here: NDArray[Any], numeric: str
    ) -> NDArray[Any]:
        """The centre of each group: of values sorted by group and size, ``here`` records in each group."""

    @property
    @abstractmethod
    def missing_centre(self) -> Any:
        """What stands for a missing value, also where the column has none."""

    def metric(self) -> LineDistance:
        return LineDistance(self)


class LineDistance(ColumnDistance):
    """The difference; ``positions`` and ``position_weights`` are of the values that are not missing."""

    def __init__(self, column: LineColumn) -> None:
        super().__init__(column)
        self.column: LineColumn = column
        self.ranks = column.ranked
        own = column.centre_of_code.astype(np.float64)
        self.present = ~column.is_missing(column.centre_of_code)
        self.positions = own[self.present]
        self.position_weights = self.weights[self.present]
        self.low, high = column.limits
        self.largest = high - self.low

    @property
    def scale(self) -> float:
        return self.largest

    @property
    def keys(self) -> Floats:
        """What the codes of the column are sorted by: missing values stand last."""
        own = self.column.centre_of_code
        return np.where(self.column.is_missing(own), np.inf, own.astype(np.float64))

    def distance(self, a: Centres, b: Centres) -> Floats:
        one, other = self.column.is_missing(a), self.column.is_missing(b)
        raw = np.abs(np.where(one, 0, a) - np.where(other, 0, b)).astype(np.float64)
        return np.where(one & other, 0.0, np.where(one | other, self.largest, raw))

    def scaled_from(self, raw: Floats, a: Centres, b: Centres) -> Floats:
        # A missing value is at 1 from the others even where these are all the same.
        return np.where(self.column.is_missing(a) != self.column.is_missing(b), 1.0, self.on_scale(raw))

    def table_of(self, codes: Longs) -> Floats:
        at = self.column.centre_of_code[codes].astype(np.float64)
        return np.abs(at[:, None] - at)

    def scores(self, column: Column) -> Floats:
        """The number or rank itself."""
        own = column.centre_of_code
        return np.where(self.column.is_missing(own), np.nan, own.astype(np.float64))

    def mean_centre(self, values: Centres, counts: Longs) -> float:
        """The mean of numbers or ranks; NaN where all are missing."""
        present = ~self.column.is_missing(values)
        n = counts[present].sum()
        return float((values[present].astype(np.float64) * counts[present]).sum() / n) if n else float("nan")

    def records_nearer(self, codes: Longs, bound: Floats) -> Longs:
        order = np.argsort(self.positions)
        at = self.positions[order]
        below = np.concatenate(([0.0], np.cumsum(self.position_weights[order])))
        own = self.column.centre_of_code.astype(np.float64)[codes]
        gone = self.column.is_missing(self.column.centre_of_code)[codes]
        inside = below[np.searchsorted(at, own + bound)] - below[np.searchsorted(at, own - bound, side="right")]
        missing = self.n - below[-1]
        if self.scale == 0:  # the one value there is goes to a missing one, or the other way round
            inside = np.full(len(codes), below[-1])
        elif missing:
            inside = inside + np.where(bound > self.largest, missing, 0.0)
        nearer = np.where(gone, missing, inside)
        return np.where(bound > 0, nearer, 0.0).astype(np.int64)

    def marginalities(self) -> Floats:
        """By sums over the sorted values: what lies below and what lies above."""
        gone = self.n - self.position_weights.sum()
        order = np.argsort(self.positions, kind="stable")
        at, of = self.positions[order] - self.low, self.position_weights[order]
        below, sum_below = np.cumsum(of) - of, np.cumsum(of * at) - of * at
        above, sum_above = of.sum() - below - of, (of * at).sum() - sum_below - of * at
        present = np.empty(len(at))
        present[order] = below * at - sum_below + sum_above - above * at
        sums = np.full(len(self.weights), self.largest * (self.n - gone))  # a missing value is as far as can be
        sums[self.present] = np.maximum(present, 0.0) + self.largest * gone
        return sums

    def scaled_marginalities(self) -> Floats:
        if self.scale > 0:
            return super().scaled_marginalities()
        # One value: it is at 1 from the missing ones, and they from it.
        there = self.position_weights.sum()
        sums: Floats = np.where(self.present, self.n - there, there)
        return sums

    def spread(self, normalize: str) -> float:
        """The sample variance of the values present."""
        at, of = self.positions, self.position_weights
        total = of.sum()
        if total < 2:
            return 0.0
        mean = self.low + float((of * (at - self.low)).sum() / total)
        return float((of * (at - mean) ** 2).sum() / (total - 1))

    @cached_property
    def least_squares(self) -> tuple[Any, float]:
        """The mean, or the rank nearest to it; missing values are at the largest distance from it."""
        at, of = self.positions, self.position_weights
        total = of.sum()
        if not total:
            return self.column.missing_centre, 0.0
        centre = self.low + float((of * (at - self.low)).sum() / total)
        if self.ranks:
            centre = np.ceil(centre - 0.5)
        return centre, float((of * (at - centre) ** 2).sum() + self.largest**2 * (self.n - total))

    def line_centres(self, values: Centres, group: Longs, weights: Longs, groups: int, numeric: str) -> Centres:
        """Missing where more than half of a group's values are."""
        gone = self.column.is_missing(values)
        here = np.bincount(group[~gone], weights=weights[~gone], minlength=groups)
        absent = np.bincount(group[gone], weights=weights[gone], minlength=groups)
        values, group, weights = values[~gone], group[~gone], weights[~gone]
        # By size, so that no sum depends on the order of the records.
        order = np.lexsort((weights, values, group))
        centres = self.column.centres_of(values[order], group[order], weights[order], here, numeric)
        centres[absent > here] = self.column.missing_centre
        return centres


def middle_of_groups(group: Longs, weights: Longs, here: NDArray[Any], rank: NDArray[Any]) -> Longs:
    """Where the value of a rank stands in each group, of values that are sorted by group and size."""
    seen = np.cumsum(weights)
    before = np.concatenate(([0], seen))[np.searchsorted(group, np.arange(len(here)))]
    places: Longs = np.minimum(np.searchsorted(seen, before + rank, side="left"), len(weights)).astype(np.int64)
    return places
