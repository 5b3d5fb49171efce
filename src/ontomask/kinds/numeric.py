"""Numeric columns: numbers; the centre of a group is a number, NaN where it is missing."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field, model_validator

from ontomask.arguments import counted, is_number, is_whole, short
from ontomask.arrays import Floats, Longs
from ontomask.errors import DataError, OptionError
from ontomask.kinds.continuous import ContinuousAttribute, ContinuousColumn, Span
from ontomask.microdata.precision import own_decimals, rounded
from ontomask.microdata.refusals import refuse_odd, rows_where
from ontomask.microdata.released_values import ReleasedValues
from ontomask.microdata.spelling import is_text
from ontomask.settings import number, whole_number
from ontomask.statements import Statement, note

#: No number of a numeric column may be larger: squares and sums of them would overflow.
HUGE = 1e150
_N = r"[-+]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][-+]?\d+)?"
#: A number, or numbers from one to another or without end, however intervals are written.
SPAN = re.compile(
    rf"\s*(?:(?P<value>{_N})"
    rf"|(?P<left>[\[(\]]?)\s*(?P<low>{_N})\s*(?:-|–|to|,|;|\.\.)\s*(?P<high>{_N})\s*(?P<right>[\])\[]?)"
    rf"|(?P<sign><=?|>=?|≤|≥)\s*(?P<end>{_N})|(?P<least>{_N})\s*\+)\s*"
)


def _limit(limit: Any) -> Any:
    """A number, whole as it is given: it is shown."""
    return limit if limit is None or is_whole(limit) else number(limit)


def _decimals(decimals: Any) -> Any:
    if decimals is not None and decimals != "exact" and not 0 <= whole_number(decimals) <= 15:
        raise ValueError(f"{decimals} decimals: give 0 to 15, or exact")
    return decimals


class Numeric(ContinuousAttribute):
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
    mean_called: ClassVar[str] = "mean"
    decimals: Annotated[int | Literal["exact"] | None, BeforeValidator(_decimals)] = Field(
        default=None,
        description="round means to this many decimals; not given: to those of the column; exact: as computed",
    )

    top: Annotated[int | float | None, BeforeValidator(_limit)] = Field(
        default=None,
        description="top code: this number and all above are one class, 90+, in every release, whatever the role",
    )
    bottom: Annotated[int | float | None, BeforeValidator(_limit)] = Field(
        default=None, description="bottom code: this number and all below are one class, <=18, in every release"
    )

    @model_validator(mode="after")
    def _codes_apart(self) -> Self:
        if self.top is not None and self.bottom is not None and not self.bottom < self.top:
            raise ValueError(f"bottom is {self.bottom} and top is {self.top}: bottom must be below top")
        return self

    @property
    def misfit(self) -> tuple[str, str]:
        beyond = ", or beyond a top or bottom code" if self.converts else ""
        return f"is neither a number nor an interval{beyond}", f"are neither a number nor an interval{beyond}"

    @property
    def described(self) -> str:
        return f"{self.in_words}; {self.coded_as}" if self.coded_as else self.in_words

    @property
    def open_codes(self) -> list[str]:
        return [str(self.shown(limit)) for limit in (self.bottom, self.top) if limit is not None]

    @property
    def least(self) -> float | None:
        return self.bottom

    @property
    def most(self) -> float | None:
        return self.top

    def span_of(self, text: str) -> Span | None:
        found = SPAN.fullmatch(text)
        if found is None:
            return None
        numbers = [
            float(found[part].replace(",", ".")) for part in ("value", "low", "high", "end", "least") if found[part]
        ]
        low, high = min(numbers), max(numbers)
        # An end that does not belong to it: the next number that can be stored does.
        if found["left"] in ("(", "]") or found["sign"] == ">":
            low = float(np.nextafter(low, np.inf))
        if found["right"] in (")", "[") or found["sign"] == "<":
            high = float(np.nextafter(high, -np.inf))
        if found["sign"]:
            return Span(low, np.inf) if found["sign"] in (">", ">=", "≥") else Span(-np.inf, high)
        return Span(low, np.inf if found["least"] else high)

    def odd(self, released: ReleasedValues) -> Counter[str]:
        return Counter() if self.all_fit(released.values.dtype) else super().odd(released)

    def all_fit(self, dtype: pl.DataType) -> bool:
        return dtype.is_numeric() and not self.converts

    # ---- top and bottom codes ----------------------------------------------------------------------------------------

    @property
    def converts(self) -> bool:
        return self.top is not None or self.bottom is not None

    def _coded(self, numbers: pl.Series) -> list[tuple[int | float, str, pl.Series]]:
        """Of each code its limit, its text, and which numbers it stands for."""
        numbers = numbers.cast(pl.Float64).fill_nan(None)
        found: list[tuple[int | float, str, pl.Series]] = []
        if self.top is not None:
            found.append((self.top, self.shown(self.top), numbers >= self.top))
        if self.bottom is not None:
            found.append((self.bottom, self.shown(self.bottom), numbers <= self.bottom))
        return found

    def read(self, name: str, values: pl.Series, rows: Longs | None) -> tuple[pl.Series, Counter[str]]:
        return self._limited(_only_numbers(name, values, rows))

    def _limited(self, numbers: pl.Series) -> tuple[pl.Series, Counter[str]]:
        """Numbers, those that a code stands for at its limit; and how many there are of each code."""
        tally: Counter[str] = Counter()
        for limit, code, beyond in self._coded(numbers):
            if beyond.any():
                tally[code] = int(beyond.sum())
                dtype = numbers.dtype if is_whole(limit) or numbers.dtype.is_float() else pl.Float64()
                within = (
                    pl.when(beyond.fill_null(value=False)).then(pl.lit(limit, dtype)).otherwise(numbers.cast(dtype))
                )
                numbers = pl.select(within.alias(numbers.name)).to_series()
        return numbers, tally

    def noted(self, name: str, tally: Counter[str]) -> list[Statement]:
        told = "they count as the limit, and the column is text where the release shows the code"
        return [note(f"{name}: {counted(n, 'value')} coded {code!r}; {told}", name) for code, n in tally.items()]

    def read_any(self, values: pl.Series) -> pl.Series:
        if values.dtype.is_numeric():
            return self._limited(values)[0]
        texts = values.cast(pl.String).unique().drop_nulls()
        numbers = [self._number(text) for text in texts.to_list()]
        if None in numbers:
            return values
        found = values.cast(pl.String).replace_strict(
            texts, pl.Series(numbers, dtype=pl.Float64), return_dtype=pl.Float64
        )
        return found.alias(values.name)

    def _number(self, text: str) -> float | None:
        """The number that a text is, or the limit that a code stands for."""
        span = self.span_of(text)
        if span is None:
            return None
        if span.high == np.inf and span.low == self.top:
            return span.low
        if span.low == -np.inf and span.high == self.bottom:
            return span.high
        return span.low if span.low == span.high else None

    def shows_codes(self, values: pl.Series) -> bool:
        return is_text(values.dtype) or any(bool(beyond.any()) for _, _, beyond in self._coded(values))

    def written(self, values: pl.Series, before: pl.Series, *, coded: bool) -> pl.Series:
        if not coded:
            return values
        numbers, texts = values, values.cast(pl.String)
        if is_text(values.dtype):  # intervals and labels stay as they are
            numbers = values.cast(pl.String).cast(pl.Float64, strict=False)
        elif values.dtype.is_float():
            texts = texts.str.strip_suffix(".0")
        shown = pl.lit(texts)
        for _, code, beyond in self._coded(numbers):
            shown = pl.when(beyond.fill_null(value=False)).then(pl.lit(code)).otherwise(shown)
        return pl.select(shown.alias(values.name)).to_series()

    def shown(self, value: Any) -> Any:
        if is_number(value) and self.top is not None and value >= self.top:
            return f"{self.top:.15g}+"
        if is_number(value) and self.bottom is not None and value <= self.bottom:
            return f"<={self.bottom:.15g}"
        return value

    def cell(self, value: Any) -> str | None:
        """30, 30.0 and '30' are the same number, and a code is its limit."""
        if value is None:
            return None
        found = self._number(str(value))
        return str(value).strip() if found is None else f"{found:.15g}"

    def position_of(self, value: Any) -> float | None:
        if not is_number(value):
            return self._number(str(value))
        return float(value) if np.isfinite(value) else None

    def positions(self, values: pl.Series) -> Floats:
        if not values.dtype.is_numeric():
            return super().positions(values)
        return values.cast(pl.Float64).fill_null(float("nan")).to_numpy()

    def error_in_words(self, error: str) -> str:
        return f"The root mean square difference from the original is {error}, in the unit of the column."

    def checked(self, name: str, values: pl.Series, rows: Longs | None) -> pl.Series:
        return self.read(name, values, rows)[0]

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

    def made(self, name: str, values: pl.Series, counts: Longs, missing: int | None, at: Floats) -> NumericColumn:
        return NumericColumn(name, self, values, counts, missing, at=at)


@dataclass(frozen=True, eq=False)
class NumericColumn(ContinuousColumn):
    """Numbers are their own positions."""

    @property
    def whole(self) -> bool:
        return self.values.dtype.is_integer()

    def write_between(self, low: float, high: float, *, closed: bool) -> str:
        """Whole numbers by the first and the last one."""
        if self.whole and low.is_integer() and high.is_integer():
            last = int(high) if closed else int(high) - 1
            return f"{int(low)}-{last}" if last > low else f"{int(low)}"
        return f"[{low:.15g}, {high:.15g}{']' if closed else ')'}"

    def write_below(self, high: float, *, closed: bool) -> str:
        if self.whole and high.is_integer():
            return f"<={int(high) - (not closed)}"
        return f"<{'=' if closed else ''}{high:.15g}"

    def write_above(self, low: float) -> str:
        return f"{low:.15g}+"

    def place_text(self, position: float) -> str:
        return f"{position:.6g}"

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

    def rounded(self, centres: NDArray[Any]) -> NDArray[Any]:
        """Means as the attribute wants them shown: as precise as the column itself, unless it says otherwise."""
        if self.decimals is None:
            return super().rounded(centres) + 0.0  # -0.0 becomes 0.0
        return super().rounded(rounded(centres, self.decimals, float(np.nanmax(np.abs(self.at), initial=0.0))))

    @cached_property
    def decimals(self) -> int | None:
        """To how many decimals means are shown; None: as computed."""
        assert isinstance(self.attribute, Numeric)
        if self.attribute.decimals is None:
            return own_decimals(self.at, single=self.values.dtype == pl.Float32)
        return None if self.attribute.decimals == "exact" else self.attribute.decimals

    @property
    def step(self) -> float:
        """What means are a multiple of."""
        return 0.0 if self.decimals is None else 10.0**-self.decimals

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
