"""Shared by numeric columns and dates: every position between two values is a value too, so that a mean is one."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ontomask.arguments import short, some_of
from ontomask.arrays import Floats, Longs
from ontomask.errors import OptionError
from ontomask.hierarchies.intervals import Intervals
from ontomask.hierarchies.levels import ANY
from ontomask.kinds.line import LineAttribute, LineColumn, middle_of_groups
from ontomask.microdata.columns import Coded, Codes, first_where
from ontomask.microdata.refusals import refuse_misfits
from ontomask.statements import Statement


class Span(NamedTuple):
    """The first and the last position of what a text stands for; they are equal where it is a single value."""

    low: float
    high: float


class ContinuousAttribute(LineAttribute):
    """A kind whose positions are all values. It says how a value, and an interval of them, is read from text.

    Its ends may be open: all values from ``most`` on are one class, and all up to ``least``. They are coded before anything
    looks at them, the position of the limit stands for them, and no release shows more of them.
    """

    hierarchy: ClassVar[Any] = Intervals()
    averaged: ClassVar[bool] = True

    @abstractmethod
    def span_of(self, text: str) -> Span | None:
        """What a released text stands for, a value or an interval; None: it is neither."""

    @property
    def least(self) -> float | None:
        """The position from which on downwards all values are one class."""
        return None

    @property
    def most(self) -> float | None:
        """The position from which on all values are one class."""
        return None

    @property
    def open_codes(self) -> list[str]:
        """The codes of its open classes."""
        return []

    @property
    def coded_as(self) -> str | None:
        return f"open classes {', '.join(self.open_codes)}" if self.open_codes else None

    def fits(self, text: str) -> bool:
        """A value or an interval that tells nothing of what lies beyond an open end."""
        span = self.span_of(text)
        if span is None:
            return False
        low, high = self.ends
        above = span.high < high or (span.high == np.inf and span.low <= high)
        below = span.low > low or (span.low == -np.inf and span.high >= low)
        return above and below

    @property
    def ends(self) -> tuple[float, float]:
        """Both, infinite where an end is not open."""
        return -np.inf if self.least is None else self.least, np.inf if self.most is None else self.most

    def limited(self, positions: Floats) -> Floats:
        """Positions, those beyond an open end at its limit."""
        return np.clip(positions, *self.ends)

    def position_of(self, value: Any) -> float | None:
        """The position of a value, as it is or written as text; None: it has none. No column need hold it."""
        span = self.span_of(str(value))
        return None if span is None or span.low != span.high else span.low

    def positions(self, values: pl.Series) -> Floats:
        """The position of each value; NaN where it is missing or has none."""
        found = [None if value is None else self.position_of(value) for value in values.to_list()]
        return np.array([np.nan if place is None else place for place in found], dtype=np.float64)

    def checked(self, name: str, values: pl.Series, rows: Longs | None) -> pl.Series:
        lost = np.isnan(self.positions(values)) & values.is_not_null().to_numpy()
        refuse_misfits(name, pl.Series(lost), self.misfit, rows)
        return values

    @abstractmethod
    def made(self, name: str, values: pl.Series, counts: Longs, missing: int | None, at: Floats) -> ContinuousColumn:
        """The encoded column; ``at``: the position of each value, NaN for the missing one."""

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
        return Coded(self.made(name, distinct, counts, missing, self.positions(distinct)), codes)


@dataclass(frozen=True, eq=False)
class ContinuousColumn(LineColumn):
    """``at``: the position of each code, NaN for missing."""

    continuous: ClassVar[bool] = True
    at: Floats = field(kw_only=True)

    @property
    def kind(self) -> ContinuousAttribute:
        assert isinstance(self.attribute, ContinuousAttribute)
        return self.attribute

    @property
    def centre_of_code(self) -> NDArray[Any]:
        return self.at

    @property
    def limits(self) -> tuple[float, float]:
        known = self.at[~np.isnan(self.at)]
        return (float(known.min()), float(known.max())) if len(known) else (0.0, 0.0)

    @property
    def ends(self) -> tuple[float, float]:
        return self.kind.ends

    @property
    def missing_centre(self) -> float:
        return float("nan")

    def is_missing(self, centres: NDArray[Any]) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = np.isnan(centres)
        return found

    def of_centres(self, centres: NDArray[Any], counts: Longs) -> Self:
        missing = first_where(self.is_missing(centres))
        return replace(self, counts=counts, values=self.decode(centres), missing=missing, at=centres)

    def position_of(self, value: Any) -> float | None:
        return self.kind.position_of(value)

    def limits_of(self, text: str) -> tuple[float, float] | None:
        return self.kind.span_of(text)

    def known_centre(self, value: Any) -> Any:
        """Any value of the kind; the column need not hold it."""
        place = self.position_of(value)
        if place is None:
            held = some_of([repr(v) for v in self.values.drop_nulls().head(3).to_list()])
            raise OptionError(
                f"the reference {short(repr(value), 40)} {self.attribute.misfit[0]}",
                where=self.where,
                remedy=f"Give a value such as {held}.",
            )
        return np.float64(place)

    def write_interval(self, low: float, high: float, *, closed: bool) -> str:
        """An interval that holds the limit of an open end is open."""
        least, most = self.kind.least, self.kind.most
        below = least is not None and low <= least
        above = most is not None and (most < high or (closed and most == high))
        if below or above:
            return ANY if below and above else self.write_below(high, closed=closed) if below else self.write_above(low)
        return self.write_between(low, high, closed=closed)

    @abstractmethod
    def write_between(self, low: float, high: float, *, closed: bool) -> str:
        """The text of an interval [low, high); ``closed``: it holds its upper end as well."""

    def write_below(self, high: float, *, closed: bool) -> str:
        """The same without a lower end, of kinds with open ends."""
        raise NotImplementedError

    def write_above(self, low: float) -> str:
        """The same without an upper end."""
        raise NotImplementedError

    def rounded(self, centres: NDArray[Any]) -> NDArray[Any]:
        return self.kind.limited(centres)

    def interval_share(self, low: float, high: float, extent: float, *, closed: bool) -> float:
        low, high = self.kind.limited(np.array([low, high])).tolist()
        return min((high - low) / extent, 1.0) if extent > 0 else 1.0

    def centres_of_levels(
        self, group: NDArray[np.int32], first: Longs, spans: Any = None, concepts: Any = None
    ) -> NDArray[Any]:
        """The middle of an interval, or of the positions of a group."""
        if spans is not None:
            return np.array([np.mean(self.kind.limited(np.array(spans[i], dtype=np.float64))) for i in first])
        return np.array([_middle(self.at[group == g]) for g in range(len(first))])

    def centres_of(
        self, values: NDArray[Any], group: Longs, weights: Longs, here: NDArray[Any], numeric: str
    ) -> NDArray[Any]:
        """Means or medians."""
        if numeric == "mean":
            # The mean of the differences from each group's least value: equal values have exactly themselves as mean.
            first = np.zeros(len(here))
            first[group[::-1]] = values[::-1]
            sums = np.bincount(group, weights=(values - first[group]) * weights, minlength=len(here))
            means: NDArray[Any] = first + sums / np.maximum(here, 1)
            return means
        low, high = (
            np.append(values, 0.0)[middle_of_groups(group, weights, here, rank)]
            for rank in (np.ceil(here / 2), np.floor(here / 2) + 1)
        )
        medians: NDArray[Any] = low + (high - low) / 2
        return medians


def _middle(positions: Floats) -> float:
    known = positions[~np.isnan(positions)]
    return float((known.min() + known.max()) / 2) if len(known) else float("nan")
