"""The encoded column of dates: positions are days, and intervals of them are shown as ``2020-01-01 to 2020-03-31``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ontomask.arrays import Floats
from ontomask.hierarchies.calendar import EARLIER, FIRST_DAY, LAST_DAY, LATER, day, unit_edges
from ontomask.kinds.continuous import ContinuousColumn

#: What stands between the first and the last day of an interval.
TO = " to "


@dataclass(frozen=True, eq=False)
class DateColumn(ContinuousColumn):
    """Values are dates, whatever the column came as."""

    @property
    def calendar_days(self) -> Floats:
        return self.at

    @property
    def whole(self) -> bool:
        return True

    @property
    def step(self) -> float:
        return 1.0

    def rounded(self, centres: NDArray[Any]) -> NDArray[Any]:
        return super().rounded(np.clip(np.rint(centres), FIRST_DAY, LAST_DAY))

    def write_between(self, low: float, high: float, *, closed: bool) -> str:
        first, last = day(np.ceil(low)), day(high if closed else np.ceil(high) - 1)
        return str(first) if first == last else f"{first}{TO}{last}"

    def write_below(self, high: float, *, closed: bool) -> str:
        return f"{day(high if closed else np.ceil(high) - 1)}{EARLIER}"

    def write_above(self, low: float) -> str:
        return f"{day(np.ceil(low))}{LATER}"

    def place_text(self, position: float) -> str:
        return str(day(position))

    def edges(self, low: float, high: float, most: int) -> list[float] | None:
        return unit_edges(low, high, most)

    def decode(self, centres: NDArray[Any]) -> pl.Series:
        days = pl.Series(self.name, np.rint(centres), dtype=pl.Float64).fill_nan(None)
        return days.clip(FIRST_DAY, LAST_DAY).cast(pl.Int32).cast(pl.Date)
