"""``Intervals``: intervals of numbers and ranks that widen from level to level, given or built."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from itertools import pairwise
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field, model_validator

from ontomask.arguments import counted, is_number, short, some_of
from ontomask.arrays import TIE, Floats
from ontomask.errors import DataError
from ontomask.hierarchies.levels import Hierarchy, Level, make_level
from ontomask.microdata.columns import Column, Line
from ontomask.settings import number, whole_number


def _place(value: Any) -> Any:
    """A number; or a date or a text, which the kind of the column reads."""
    if isinstance(value, date) or (isinstance(value, str) and value.strip()):
        return value
    return number(value)


#: Where an interval begins or ends.
Place = float | date | str


class Intervals(Hierarchy):
    """Numbers, days, or ranks of an ordinal column, in intervals that widen.

    Notes
    -----
    Given by ``levels``: for each level a list of cut points, or of intervals [low, high), as the column writes its values;
    of an ordinal column values or ranks. Or built: of ``width`` (days of dates) at level 1, a round number if not given,
    ``factor`` times as wide at each further one, from ``origin`` on.

    Examples
    --------
    >>> import ontomask as om
    >>> om.Intervals(levels=[[0, 18, 65, 120]])
    Intervals(levels=[[0, 18, 65, 120]])
    """

    kind: Literal["intervals"] = "intervals"
    levels: list[list[Any]] | None = Field(
        default=None, description="for each level cut points [0, 18, 65, 120], or intervals [[0, 18], [18, 65]]"
    )
    width: Annotated[float, BeforeValidator(number), Field(gt=0)] | None = Field(
        default=None, description="built: how wide level 1 is"
    )
    factor: Annotated[int, BeforeValidator(whole_number), Field(ge=2)] = Field(
        default=2, description="built: how many intervals of a level join at the next"
    )
    origin: Annotated[Place, BeforeValidator(_place)] = Field(
        default=0.0, description="built: where an interval begins; not given: where the line begins"
    )

    @model_validator(mode="after")
    def _given_or_built(self) -> Intervals:
        if self.levels is None:
            return self
        if self.width is not None:
            raise ValueError("give either levels, or width to build them")
        if not self.levels:
            raise ValueError("levels is empty")
        for place, level in enumerate(self.levels, 1):
            pairs = _pairs(level, f"level {place}: ")
            if any(is_number(end) for pair in pairs for end in pair):  # then all of them are
                _bounds([(number(low), number(high)) for low, high in pairs], f"level {place}: ")
        return self

    def build_levels(self, column: Column) -> list[Level]:
        line = column.line
        if line is None:
            raise self._refuse(column, "a hierarchy of intervals", "numeric, date or ordinal")
        at = line.positions
        known = at[~np.isnan(at)]
        if not len(known):
            return []
        extent = float(known.max() - known.min())
        if self.levels is None:
            return self._built(column, line, extent)
        levels = []
        for place, level in enumerate(self.levels, 1):
            bounds = _read(column, line, level, place)
            inside = _places(column, at, bounds, place)
            spans = [bounds[i] if i >= 0 else None for i in inside]
            closed = bounds[-1] if (at == bounds[-1][1]).any() else None  # its end is shown only where it is needed
            levels.append(_interval_level(column, line, f"level {place}", spans, extent, closed, top=len(bounds) == 1))
        return levels

    def _built(self, column: Column, line: Line, extent: float) -> list[Level]:
        """Intervals that begin at the origin and its multiples; those on both sides of it join last, in `any`."""
        at = line.positions
        origin = _position(column, line, self.origin) if "origin" in self.model_fields_set else 0.0
        width = self.width or max(_round_width(extent / 16), 1.0 if line.whole else 0.0)
        steps = (at - origin) / width
        # What is a whole number of widths but for rounding is one.
        near = np.abs(steps - np.round(steps)) <= TIE * np.maximum(np.abs(steps), 1.0)
        cell = np.where(np.isnan(at), 0.0, np.where(near, np.round(steps), np.floor(steps)))
        levels: list[Level] = []
        join = 1
        while True:
            group = np.floor(cell / join)
            low = origin + group * join * width
            high = origin + (group + 1) * join * width
            spans = [None if np.isnan(x) else (float(a), float(b)) for x, a, b in zip(at, low, high, strict=True)]
            levels.append(_interval_level(column, line, f"width {width * join:.15g}", spans, extent))
            left = np.unique(group[~np.isnan(at)])
            if len(left) == 1 or left.tolist() == [-1.0, 0.0]:
                return levels
            join *= self.factor


def _places(column: Column, at: Floats, bounds: list[tuple[float, float]], place: int) -> NDArray[np.int64]:
    """The interval of each code; -1 for missing."""
    begins, ends = np.array([b for b, _ in bounds]), np.array([e for _, e in bounds])
    inside = np.searchsorted(begins, at, side="right") - 1
    missing = np.isnan(at)
    upper = ends[np.clip(inside, 0, None)]
    # The last number of the last interval belongs to it; elsewhere an upper end is the next interval's.
    outside = ~missing & ((inside < 0) | (at > upper) | ((at == upper) & (inside < len(bounds) - 1)))
    if outside.any():
        shown = some_of([short(repr(column.values[int(i)]), 40) for i in np.flatnonzero(outside)])
        raise DataError(
            f"the intervals of level {place} do not have {counted(int(outside.sum()), 'value')} of the column: {shown}",
            where=column.where,
            remedy="Extend the intervals to cover all values.",
        )
    return np.where(missing, -1, inside)


def _interval_level(
    column: Column,
    line: Line,
    name: str,
    spans: Sequence[tuple[float, float] | None],
    extent: float,
    closed: tuple[float, float] | None = None,
    *,
    top: bool = False,
) -> Level:
    """A level of intervals, given for each code; the ``closed`` one holds its upper end as well."""
    texts: dict[Any, str | None] = {None: None}
    for span in dict.fromkeys(spans):
        if span is not None:
            texts[span] = line.interval_text(*span, closed=span == closed)
    part = [0.0 if span is None else line.interval_share(*span, extent, closed=span == closed) for span in spans]
    known = [(np.nan, np.nan) if span is None else span for span in spans]
    return make_level(column, name, [texts[span] for span in spans], part, spans=known, top=top)


def _pairs(level: Sequence[Any], lead: str) -> list[tuple[Any, Any]]:
    """The intervals of a level, given as they are or by cut points."""
    if not level:
        raise ValueError(f"{lead}no intervals")
    if all(isinstance(part, (list, tuple)) for part in level):
        if any(len(part) != 2 for part in level):
            raise ValueError(f"{lead}an interval is a pair [low, high]")
        return [(_place(low), _place(high)) for low, high in level]
    if len(level) < 2:
        raise ValueError(f"{lead}expected at least two cut points, got one")
    return list(pairwise(map(_place, level)))


def _bounds(pairs: Sequence[tuple[float, float]], lead: str) -> list[tuple[float, float]]:
    """The same in order, none over another."""
    for low, high in pairs:
        if not low < high:
            raise ValueError(f"{lead}the interval from {low:g} to {high:g} is empty: give ends in ascending order")
    for (a, b), (c, d) in pairwise(sorted(pairs)):
        if c < b:
            raise ValueError(f"{lead}the intervals {a:g} to {b:g} and {c:g} to {d:g} overlap")
    return sorted(pairs)


def _read(column: Column, line: Line, level: Sequence[Any], place: int) -> list[tuple[float, float]]:
    """The intervals of a level, their ends read as the values of the column are."""
    pairs = [(_position(column, line, low), _position(column, line, high)) for low, high in _pairs(level, "")]
    try:
        return _bounds(pairs, "")
    except ValueError:
        raise DataError(
            f"the intervals of level {place} are empty, or lie over each other",
            where=column.where,
            remedy="Give cut points in ascending order.",
        ) from None


def _position(column: Column, line: Line, end: Any) -> float:
    found = line.position_of(end)
    if found is None:
        raise DataError(
            f"{short(repr(end), 40)}, where an interval begins or ends, cannot be read as a value of the column",
            where=column.where,
            remedy="Write it as the column writes its values.",
        )
    return found


def _round_width(width: float) -> float:
    """The next of 1, 2, 5, 10, 20, 50, ..."""
    if width <= 0:
        return 1.0
    power = 10.0 ** np.floor(np.log10(width))
    return float(next(step * power for step in (1, 2, 5, 10) if step * power >= width * (1 - 1e-9)))
