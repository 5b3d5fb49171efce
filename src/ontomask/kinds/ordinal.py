"""Ordinal columns: values in an order; the centre of a group is a rank, -1 where it is missing."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field

from ontomask.arguments import counted, short, some_of
from ontomask.arrays import Longs
from ontomask.errors import DataError
from ontomask.hierarchies.intervals import Intervals
from ontomask.kinds.line import LineAttribute, LineColumn, middle_of_groups
from ontomask.microdata.columns import Coded, Codes, counts_of, extended, first_where
from ontomask.microdata.dtypes import aligned, read_dates
from ontomask.microdata.refusals import refuse_odd, rows_where
from ontomask.microdata.released_values import text_of
from ontomask.settings import plain
from ontomask.statements import Statement, note


def _ranked(order: Any) -> Any:
    if order is None:
        return None
    if not isinstance(order, (list, tuple)) or not order:
        raise ValueError("the order is not a list of values from first to last")
    odd = next((v for v in order if v is None or isinstance(v, (list, tuple, dict, set))), ...)
    if odd is not ...:
        raise ValueError(f"{odd!r} is not a value of an order: list the values of the column from first to last")
    twice = [value for place, value in enumerate(order) if value in order[:place]]
    if twice:
        raise ValueError(f"{twice[0]!r} is twice in the order: list each value once")
    return plain(list(order))


class Ordinal(LineAttribute):
    """Categories in an order: distance by rank, centre = the median.

    Examples
    --------
    >>> import ontomask as om
    >>> om.Ordinal(order=["low", "middle", "high"])
    Ordinal(order=['low', 'middle', 'high'])
    """

    kind: Literal["ordinal"] = "ordinal"
    in_words: ClassVar[str] = "categories in an order"
    misfit: ClassVar[tuple[str, str]] = ("is not in its order", "are not in its order")
    mean_called: ClassVar[str] = "mean rank"
    hierarchy: ClassVar[Any] = Intervals(width=2)
    order: Annotated[list[Any] | None, BeforeValidator(_ranked)] = Field(
        default=None, description="the values from first to last; numbers and dates have their own order"
    )

    @property
    def read_as_text(self) -> bool:
        return self.order is not None and isinstance(self.order[0], str)

    @property
    def named_order(self) -> list[Any] | None:
        return self.order

    def with_order(self, order: list[Any]) -> Self:
        return self.changed(order=order) if self.order is None else self

    def fits(self, text: str) -> bool:
        """A value of the order, or a range from one of its values to another; without an order, anything."""
        if self.order is None:
            return True
        known = self._texts
        cuts = [m.span() for m in re.finditer(" - ", text)]
        return text in known or any(text[:start] in known and text[end:] in known for start, end in cuts)

    @cached_property
    def _texts(self) -> frozenset[str]:
        return frozenset(map(text_of, self.order or ()))

    def error_in_words(self, error: str) -> str:
        return f"The root mean square difference from the original is {error} ranks."

    def checked(self, name: str, values: pl.Series, rows: Longs | None) -> pl.Series:
        if values.dtype.is_float():
            refuse_odd(name, ~values.is_finite(), "NaN or infinite", rows)
        return values

    def paired(self, before: pl.Series, after: pl.Series) -> tuple[pl.Series, pl.Series]:
        return aligned(before, after, dates=self.order is None)

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
        ranks, levels = _ranks(name, self, distinct, codes, notes, rows)
        return Coded(OrdinalColumn(name, self, distinct, counts, missing, ranks=ranks, levels=levels), codes)


@dataclass(frozen=True, eq=False)
class OrdinalColumn(LineColumn):
    """``ranks``: of each code on a scale of ``levels``, -1 for missing."""

    ranks: Longs = field(kw_only=True)
    levels: int = field(kw_only=True)

    @property
    def centre_of_code(self) -> NDArray[Any]:
        return self.ranks

    @property
    def limits(self) -> tuple[float, float]:
        return 0.0, float(max(self.levels - 1, 0))

    @property
    def whole(self) -> bool:
        return True

    @property
    def rank_values(self) -> list[Any]:
        order = self.attr.order
        if order is not None and len(order) == self.levels:
            return list(order)
        named = {int(rank): v for v, rank in zip(self.values.to_list(), self.ranks, strict=True) if rank >= 0}
        return [named.get(rank) for rank in range(self.levels)]

    def write_interval(self, low: float, high: float, *, closed: bool) -> str:
        """The first and the last value in it."""
        inside = np.flatnonzero((self.ranks >= low) & ((self.ranks <= high) if closed else (self.ranks < high)))
        ends = sorted(inside, key=lambda code: self.ranks[code])
        first, last = self.values[int(ends[0])], self.values[int(ends[-1])]
        return str(first) if len(ends) == 1 else f"{first} - {last}"

    def limits_of(self, text: str) -> tuple[float, float] | None:
        """Those of a value, or of a range as :meth:`write_interval` writes it."""
        for cut in [None, *re.finditer(" - ", text)]:
            ends = (text, text) if cut is None else (text[: cut.start()], text[cut.end() :])
            low, high = map(self.position_of, ends)
            if low is not None and high is not None:
                return low, high
        return None

    def interval_share(self, low: float, high: float, extent: float, *, closed: bool) -> float:
        """The ranks it holds less one over all less one."""
        last = min(np.floor(high) if closed else np.ceil(high) - 1, self.levels - 1)
        return float(last - max(np.ceil(low), 0)) / max(self.levels - 1, 1)

    def centres_of_levels(
        self, group: NDArray[np.int32], first: Longs, spans: Any = None, concepts: Any = None
    ) -> NDArray[Any]:
        """Lower medians."""
        return np.array([_median(self.ranks[group == g]) for g in range(len(first))], dtype=np.int64)

    @property
    def ranked(self) -> int:
        return int(self.limits[1]) + 1

    @property
    def missing_centre(self) -> int:
        return -1

    def centres_of(
        self, values: NDArray[Any], group: Longs, weights: Longs, here: NDArray[Any], numeric: str
    ) -> NDArray[Any]:
        """Lower medians."""
        medians = np.append(values, -1)[middle_of_groups(group, weights, here, np.ceil(here / 2))]
        return np.where(here == 0, -1, medians)

    def known_centre(self, value: Any) -> Any:
        order = self.attr.order
        return super().known_centre(value) if order is None else self.place_in(order, value)

    @property
    def attr(self) -> Ordinal:
        assert isinstance(self.attribute, Ordinal)
        return self.attribute

    def is_missing(self, centres: NDArray[Any]) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = centres < 0
        return found

    def of_centres(self, centres: NDArray[Any], counts: Longs) -> Self:
        missing = first_where(self.is_missing(centres))
        return replace(self, counts=counts, values=self.decode(centres), missing=missing, ranks=centres)

    def encode_like(self, values: pl.Series) -> Coded:
        """Where the values make the order themselves, masked ones must be among them."""
        if self.attr.order is not None:
            return super().encode_like(values)
        codes, distinct, missing = extended(self, values)
        new = distinct[len(self) :].drop_nulls().to_list()
        if new:
            shown = some_of([short(repr(value)) for value in new])
            raise DataError(
                f"holds {counted(len(new), 'value')} that the original does not have: {shown}",
                where=self.where,
                remedy="Give the whole scale: Ordinal(order=[...]).",
            )
        # Of new values only a missing one can be left.
        ranks = np.append(self.ranks, np.full(len(distinct) - len(self), -1))
        counts = counts_of(codes, len(distinct))
        return Coded(replace(self, counts=counts, values=distinct, missing=missing, ranks=ranks), codes)

    def decode(self, centres: NDArray[Any]) -> pl.Series:
        """A median is the rank of a value that occurs in the column."""
        code_of = np.full(self.levels + 1, -1)
        code_of[self.ranks] = np.arange(len(self.ranks))  # rank -1 stands last, for missing
        blank = self.missing is None and bool((centres < 0).any())
        values = self.values.extend_constant(None, 1) if blank else self.values
        return values.gather(code_of[centres]).rename(self.name)


def _ranks(
    name: str, attribute: Ordinal, distinct: pl.Series, codes: Codes, notes: list[Statement], rows: Longs | None
) -> tuple[Longs, int]:
    """The rank of each distinct value, and how many ranks there are."""
    where = f"column {name!r}"
    dtype = distinct.dtype
    order = attribute.order
    if order is None:
        if isinstance(dtype, pl.Enum):
            return distinct.to_physical().cast(pl.Int64).fill_null(-1).to_numpy(), len(dtype.categories)
        if dtype.is_numeric() or dtype.is_temporal() or dtype == pl.Boolean:
            return _by_size(distinct)
        times = read_dates(distinct) if dtype == pl.String else None
        if times is not None and times.n_unique() == len(times):
            notes.append(note(f"{name}: dates written as text, taken in the order of time", name))
            return _by_size(times)
        raise DataError(
            f"is ordinal, holds {'text' if dtype == pl.String else dtype} and has no order",
            where=where,
            remedy="List the values from first to last: Ordinal(order=[...]). "
            "Dates need none if all are written alike, as 2024-05-31, 2024-05-31T12:30 or 31.05.2024.",
        )
    place = {value: rank for rank, value in enumerate(order)}
    listed = distinct.to_list()
    unknown = [code for code, value in enumerate(listed) if value is not None and value not in place]
    if unknown:
        odd = pl.Series(np.isin(codes, unknown))
        _, found = rows_where(odd, rows)
        shown = some_of([short(repr(listed[code]), 40) for code in unknown])
        raise DataError(
            f"holds {counted(len(unknown), 'value')} that are not in the order: {shown} "
            f"({counted(len(found), 'record')})",
            where=where,
            remedy=f"Add them to order= where they belong. It has: {', '.join(map(repr, order[:12]))}."
            + (" (In a file, put no and yes in quotes: YAML takes them for false and true.)" if True in order else ""),
            rows=found,
        )
    return np.array([-1 if value is None else place[value] for value in listed], dtype=np.int64), len(order)


def _by_size(distinct: pl.Series) -> tuple[Longs, int]:
    """The ranks of numbers or dates, and how many there are."""
    ranks = (distinct.to_physical().rank("dense").cast(pl.Int64) - 1).fill_null(-1).to_numpy()
    return ranks, int(ranks.max(initial=0)) + 1


def _median(ranks: NDArray[np.int64]) -> int:
    known = np.sort(ranks[ranks >= 0])
    return int(known[(len(known) - 1) // 2]) if len(known) else -1
