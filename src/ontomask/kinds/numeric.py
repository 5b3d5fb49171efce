"""Numeric columns: numbers; the centre of a group is a number, NaN where it is missing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field

from ontomask.arguments import counted, short
from ontomask.arrays import Floats, Longs
from ontomask.errors import DataError, OptionError
from ontomask.kinds.line import LineColumn, middle_of_groups
from ontomask.microdata.attributes import Attribute
from ontomask.microdata.columns import Coded, Codes, first_where, refuse_odd, rows_where
from ontomask.microdata.precision import own_decimals, rounded
from ontomask.microdata.released_values import ReleasedValues
from ontomask.microdata.spelling import is_text
from ontomask.settings import whole_number
from ontomask.statements import Statement

#: No number of a numeric column may be larger: squares and sums of them would overflow.
HUGE = 1e150
_N = r"[-+]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][-+]?\d+)?"
#: A number, or numbers from one to another, however intervals are written.
NUMBER = re.compile(
    rf"\s*(?:{_N}|[\[(\]]?\s*{_N}\s*(?:-|–|to|,|;|\.\.)\s*{_N}\s*[\])\[]?|(?:<=?|>=?|≤|≥)\s*{_N}|{_N}\s*\+)\s*"
)


def _decimals(decimals: Any) -> Any:
    if decimals is not None and decimals != "exact" and not 0 <= whole_number(decimals) <= 15:
        raise ValueError(f"{decimals} decimals: give 0 to 15, or exact")
    return decimals


class Numeric(Attribute):
    """Numbers: distance by difference, centre = the mean, as precise as the column itself.

    Examples
    --------
    >>> import ontomask as om
    >>> om.Numeric(decimals=0)
    Numeric(decimals=0)
    """

    kind: Literal["numeric"] = "numeric"
    in_words: ClassVar[str] = "numbers"
    quantity: ClassVar[bool] = True
    misfit: ClassVar[tuple[str, str]] = ("is neither a number nor an interval", "are neither a number nor an interval")
    mean_called: ClassVar[str] = "mean"
    decimals: Annotated[int | Literal["exact"] | None, BeforeValidator(_decimals)] = Field(
        default=None,
        description="round means to this many decimals; not given: to those of the column; exact: as computed",
    )

    def odd(self, released: ReleasedValues) -> Counter[str]:
        """What is neither a number nor an interval."""
        if released.numeric:
            return Counter()
        return Counter({text: count for text, count in released.texts().items() if not NUMBER.fullmatch(text)})

    def error_in_words(self, error: str) -> str:
        return f"The root mean square difference from the original is {error}, in the unit of the column."

    def checked(self, name: str, values: pl.Series, rows: Longs | None) -> pl.Series:
        return _only_numbers(name, values, rows)

    def paired(self, before: pl.Series, after: pl.Series) -> tuple[pl.Series, pl.Series]:
        """An error where numbers have become texts, such as intervals, and nothing says what these stand for."""
        if before.dtype.is_numeric() and is_text(after.dtype):
            raise DataError(
                "holds numbers in the original and text in the masked data",
                where=f"column {before.name!r}",
                remedy="If the data were generalized, give the policy that was used: its hierarchies say what an interval "
                "stands for. result.assessment judges a run without reading it back.",
            )
        return before, after

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
        numbers = distinct.cast(pl.Float64).fill_null(float("nan")).to_numpy()
        return Coded(NumericColumn(name, self, distinct, counts, missing, numbers=numbers), codes)


@dataclass(frozen=True, eq=False)
class NumericColumn(LineColumn):
    """``numbers``: of each code, NaN for missing."""

    continuous: ClassVar[bool] = True
    hierarchy: ClassVar[Mapping[str, Any]] = {"kind": "intervals"}
    numbers: Floats = field(kw_only=True)

    @property
    def centre_of_code(self) -> NDArray[Any]:
        return self.numbers

    @property
    def limits(self) -> tuple[float, float]:
        known = self.numbers[~np.isnan(self.numbers)]
        return (float(known.min()), float(known.max())) if len(known) else (0.0, 0.0)

    @property
    def whole(self) -> bool:
        return self.values.dtype.is_integer()

    def interval_text(self, low: float, high: float, *, closed: bool) -> str:
        """Whole numbers by the first and the last one."""
        if self.whole and low.is_integer() and high.is_integer():
            last = int(high) if closed else int(high) - 1
            return f"{int(low)}-{last}" if last > low else f"{int(low)}"
        return f"[{low:.15g}, {high:.15g}{']' if closed else ')'}"

    def place_text(self, position: float) -> str:
        return f"{position:.6g}"

    def position_of(self, text: str) -> float | None:
        try:
            return float(text)
        except ValueError:
            return None

    def interval_share(self, low: float, high: float, extent: float, *, closed: bool) -> float:
        return min((high - low) / extent, 1.0) if extent > 0 else 1.0

    def centres_of_levels(
        self, group: NDArray[np.int32], first: Longs, spans: Any = None, concepts: Any = None
    ) -> NDArray[Any]:
        """The middle of an interval, or of the numbers of a group."""
        if spans is not None:
            return np.array([np.mean(spans[i]) for i in first])
        return np.array([_middle(self.numbers[group == g]) for g in range(len(first))])

    @property
    def missing_centre(self) -> float:
        return float("nan")

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

    def known_centre(self, value: Any) -> Any:
        """Any number; a column of numbers need not hold it."""
        remedy = "Give a finite number."
        known = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
        if not known or (not isinstance(value, int) and np.isnan(value)):
            raise OptionError(
                f"the reference {short(repr(value), 40)} is not a number", where=self.where, remedy=remedy
            )
        if abs(value if isinstance(value, int) else float(value)) > HUGE:
            raise OptionError(f"the reference is larger than {HUGE:g}", where=self.where, remedy=remedy)
        return np.float64(value)

    def is_missing(self, centres: NDArray[Any]) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = np.isnan(centres)
        return found

    def rounded(self, centres: NDArray[Any]) -> NDArray[Any]:
        """Means as the attribute wants them shown: as precise as the column itself, unless it says otherwise."""
        if self.decimals is None:
            return centres + 0.0  # -0.0 becomes 0.0
        return rounded(centres, self.decimals, float(np.nanmax(np.abs(self.numbers), initial=0.0)))

    @cached_property
    def decimals(self) -> int | None:
        """To how many decimals means are shown; None: as computed."""
        assert isinstance(self.attribute, Numeric)
        if self.attribute.decimals is None:
            return own_decimals(self.numbers, single=self.values.dtype == pl.Float32)
        return None if self.attribute.decimals == "exact" else self.attribute.decimals

    @property
    def step(self) -> float:
        """What means are a multiple of."""
        return 0.0 if self.decimals is None else 10.0**-self.decimals

    def of_centres(self, centres: NDArray[Any], counts: Longs) -> Self:
        missing = first_where(self.is_missing(centres))
        return replace(self, counts=counts, values=self.decode(centres), missing=missing, numbers=centres)

    def decode(self, centres: NDArray[Any]) -> pl.Series:
        """Numbers; of the column's own type where all of them fit it."""
        numbers = pl.Series(self.name, centres, dtype=pl.Float64).fill_nan(None)
        if self.values.dtype.is_integer():
            whole = numbers.cast(self.values.dtype, strict=False)
            if whole.null_count() == numbers.null_count() and (whole.cast(pl.Float64) == numbers).all():
                return whole
        elif self.values.dtype == pl.Float32:
            return numbers.cast(pl.Float32)
        return numbers


def _only_numbers(name: str, values: pl.Series, rows: Longs | None) -> pl.Series:
    where = f"column {name!r}"
    if values.dtype == pl.Null:
        raise DataError("holds no value at all", where=where, remedy="Leave the column out of the policy and the data.")
    if values.dtype.is_decimal():
        floats = values.cast(pl.Float64)
        odd = floats.cast(values.dtype, strict=False).ne_missing(values)
        refuse_odd(name, odd, "decimals with too many digits to compute with", rows)
        values = floats
    if not values.dtype.is_numeric():
        raise _not_numeric(name, values, rows)
    if values.dtype.is_float():
        refuse_odd(name, ~values.is_finite(), "NaN or infinite", rows)
    size = values.cast(pl.Float64).abs()
    if values.dtype.is_integer():
        # From here on, numbers are no longer distinguished by what they are computed with.
        refuse_odd(name, size >= 2.0**53, "beyond 9,007,199,254,740,991 (an identifier, perhaps?)", rows)
    refuse_odd(name, size > HUGE, f"larger than {HUGE:g}", rows)
    low, high = values.cast(pl.Float64).min(), values.cast(pl.Float64).max()
    if isinstance(low, float) and isinstance(high, float) and 0 < high - low < 1 / HUGE:
        raise DataError(
            f"all values lie within {high - low:g} of each other",
            where=where,
            remedy="These differences are too small to compute with: choose a smaller unit.",
        )
    return values


def _not_numeric(name: str, values: pl.Series, rows: Longs | None) -> DataError:
    where = f"column {name!r}"
    if values.dtype == pl.String or values.dtype in (pl.Categorical, pl.Enum):
        text = values.cast(pl.String)
        odd = text.cast(pl.Float64, strict=False).is_null() & text.is_not_null()
        if odd.any():
            shown, found = rows_where(odd, rows)
            return DataError(
                f"is numeric in the policy but holds text in {len(found):,} of {counted(len(values), 'record')} ({shown})",
                where=where,
                remedy="Correct these values, or call the column Nominal, Ordinal or Flat.",
                rows=found,
            )
        return DataError(
            "is numeric in the policy but holds numbers stored as text",
            where=where,
            remedy="Convert the column to numbers first (are these codes? then it is Nominal or Flat).",
        )
    return DataError(
        f"is numeric in the policy but holds {values.dtype}",
        where=where,
        remedy="Convert it to numbers, or call the column Ordinal or Flat.",
    )


def _middle(numbers: Floats) -> float:
    known = numbers[~np.isnan(numbers)]
    return float((known.min() + known.max()) / 2) if len(known) else float("nan")
