"""Facts about the values of a column: counts, frequencies, formats. It keeps no values."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import polars as pl

from ontomask.microdata.csv_types import MARKERS
from ontomask.microdata.dtypes import read_dates
from ontomask.profiling.ordered_values import MOST_STEPS, band_order, scale_order

#: Shapes are looked for in so many of the most frequent values.
LOOKED = 2000
#: With fewer records, that all values differ says nothing.
FEW_RECORDS = 20

Shape = Literal["e-mail addresses", "web addresses", "telephone numbers", "bank accounts", "keys made by machines"]
_SHAPES: dict[Shape, str] = {
    "e-mail addresses": r"^[^@\s]+@[^@\s]+\.[A-Za-z]{2,}$",
    "web addresses": r"^(?:https?://\S+|www\.\S+|(?:[0-9]{1,3}\.){3}[0-9]{1,3})$",
    "bank accounts": r"^[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]){11,30}$",
    "keys made by machines": r"^(?:[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9a-fA-F]{32,128})$",
    "telephone numbers": r"^(?:\+|00)?\(?[0-9]+\)?(?:[ ./()-]{1,2}[0-9]+)+$|^\+[0-9]{8,15}$",
}
_OTHER_DATES = (
    r"^(?:[0-9]{1,2}[./-][0-9]{1,2}[./-](?:[0-9]{4}|[0-9]{2})|[0-9]{4}[./][0-9]{1,2}[./][0-9]{1,2})(?:[ T].*)?$"
)
_NUMBER = r"^-?[0-9]+(?:[.,][0-9]+)?$"
#: Amounts with marks between thousands: 1,234.50 and 1.234,50.
_GROUPED = r"^-?[0-9]{1,3}(?:(?:,[0-9]{3})*\.[0-9]{1,2}|(?:\.[0-9]{3})*,[0-9]{1,2})$"
_CODE = r"^[A-Za-z]{0,6}[-_/. ]?[0-9]+(?:[-_/.]?[0-9A-Za-z]+)*$"
#: Keys that repeat have so many values at least, each in so few records on average.
MANY_KEYS, MOST_RECORDS_OF_A_KEY = 50, 10
#: Codes that are stored as numbers: no more different ones, and none larger.
FEW_CODES, LARGEST_CODE = 60, 9999
#: Numbers that often stand for a missing value, where they lie far from all others.
FAR_NUMBERS = (99, 999, 9999, 99999, -1, -9, -99, -999, -9999)
#: Signs that may separate several items in a cell; so large a share of the texts has one.
SEPARATORS, HAVE_SEVERAL = ("|", ";", ","), 0.1
#: Words of a column that says what became of a dose; "no" says that there was none.
_DOSES = ({"steady", "up", "down", "no"}, {"steady"})


@dataclass(frozen=True, eq=False)
class Facts:
    """A column by its counts: ``counts`` holds every value and how many records have it, the most frequent first.

    ``rising``: whole numbers stand in the order of the records. ``together``: so do the records of each value, one after
    the other. ``ordered``: the frame gives the categories an order.
    """

    name: str
    dtype: pl.DataType
    records: int
    missing: int
    rising: bool
    together: bool
    ordered: bool
    counts: pl.DataFrame = field(repr=False)

    @staticmethod
    def of(values: pl.Series, *, ordered: bool = False) -> Facts:
        held = values.alias("value").drop_nulls()  # Polars takes a name such as ^a$ for a pattern
        whole = held.dtype.is_integer()
        # Equally frequent values stay in the order of the records: sorting millions of texts takes long.
        counts = pl.DataFrame({"value": held}).group_by("value", maintain_order=True).len("count")
        counts = counts.sort("count", descending=True, maintain_order=True)
        return Facts(
            name=values.name,
            dtype=values.dtype,
            records=len(values),
            missing=len(values) - len(held),
            rising=whole and held.is_sorted(),
            together=held.rle_id().n_unique() == len(counts),
            ordered=ordered,
            counts=counts,
        )

    def with_values(self, values: pl.Series) -> Facts:
        """The same column with values that were not looked at before, each counted once."""
        held = values.alias("value").drop_nulls().unique(maintain_order=True)
        others = held.filter(~held.is_in(self.counts["value"].to_list()))
        more = pl.DataFrame({"value": others, "count": pl.Series([1] * len(others), dtype=self.counts["count"].dtype)})
        return replace(self, records=self.records + len(others), counts=pl.concat([self.counts, more]))

    @cached_property
    def separators(self) -> list[str]:
        """The signs that may separate several items in a text."""
        if self.dtype != pl.String:
            return []
        often = {sign: self.texts.str.contains(sign, literal=True) for sign in SEPARATORS}
        return [sign for sign, has in often.items() if _mean(has) >= HAVE_SEVERAL]

    def items(self, separator: str) -> Facts:
        """The items of texts as a column of their own, each with the records that have it."""
        split = pl.col("value").str.split(separator).list.eval(pl.element().str.strip_chars()).list.unique()
        items = self.counts.with_columns(split).explode("value").filter(pl.col("value").fill_null("") != "")
        counts = items.group_by("value", maintain_order=True).agg(pl.col("count").sum())
        counts = counts.sort("count", "value", descending=[True, False])
        records = int(counts["count"].sum())
        return replace(self, records=records, missing=0, together=False, ordered=False, counts=counts)

    @property
    def held(self) -> int:
        """How many records have a value."""
        return self.records - self.missing

    @property
    def distinct(self) -> int:
        return len(self.counts)

    @property
    def unique(self) -> float:
        """The share of all records whose value no other record has."""
        return float((self.counts["count"] == 1).sum()) / max(self.records, 1)

    @property
    def different(self) -> float:
        """How many different values there are for each record that has one: 1 if all differ."""
        return self.distinct / max(self.held, 1)

    @property
    def all_differ(self) -> bool:
        """Do nearly all records have a value of their own, and are they many enough for this to say something?"""
        return self.held >= FEW_RECORDS and self.different >= 0.9

    @property
    def is_text(self) -> bool:
        return self.dtype == pl.String or isinstance(self.dtype, pl.Categorical | pl.Enum)

    @property
    def is_whole(self) -> bool:
        return bool(self.dtype.is_integer())

    @property
    def is_number(self) -> bool:
        return bool(self.dtype.is_numeric())

    @property
    def type(self) -> str:
        """The type of the values, in words."""
        if not self.distinct:
            return "nothing"
        if self.is_text:
            return "text"
        if self.dtype == pl.Boolean:
            return "yes or no"
        if self.is_number:
            return "whole numbers" if self.is_whole else "numbers"
        return "dates" if self.dtype in (pl.Date, pl.Datetime) else str(self.dtype).lower()

    @cached_property
    def texts(self) -> pl.Series:
        """The most frequent values as text."""
        return self.counts["value"].head(LOOKED).cast(pl.String)

    @cached_property
    def dates(self) -> Literal["dates", "other", ""]:
        """Points in time: with an order of their own, or written in a way that can be read in two."""
        if self.dtype.is_temporal():
            return "dates"
        if not self.is_text or not self.distinct:
            return ""
        if self.dtype == pl.String and share(self.texts, r"^[0-9]{4}-[0-9]{2}|^[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{4}") == 1:
            times = read_dates(self.counts["value"])
            if times is not None and times.n_unique() == len(times):
                return "dates"
        return "other" if share(self.texts, _OTHER_DATES + "|^[0-9]{4}-[0-9]{2}-[0-9]{2}") >= 0.9 else ""

    @cached_property
    def shape(self) -> Shape | None:
        """How the texts are written, if this alone tells whose they are."""
        if not self.is_text or self.dates:
            return None
        for shape, pattern in _SHAPES.items():
            fits = self.texts.str.strip_chars().str.contains(pattern)
            if shape == "telephone numbers":  # long enough for one, and no interval such as 20-29
                fits &= self.texts.str.count_matches("[0-9]").is_between(8, 17)
            if float(fits.fill_null(value=False).sum()) >= 0.8 * len(self.texts):
                return shape
        return None

    @cached_property
    def free_text(self) -> bool:
        """Sentences, nearly every record its own."""
        if not self.is_text or not self.distinct or self.different < 0.5:
            return False
        return self.words >= 5 or _mean(self.texts.str.len_chars()) >= 60

    @cached_property
    def words(self) -> float:
        """How many words a text has on average."""
        return _mean(self.texts.str.count_matches(r"\S+"))

    @cached_property
    def ends(self) -> tuple[int, int]:
        """The smallest and the largest of whole numbers."""
        low, high = self.counts["value"].min(), self.counts["value"].max()
        assert isinstance(low, int)
        assert isinstance(high, int)
        return low, high

    @cached_property
    def like_keys(self) -> bool:
        """Whole numbers, every record its own, that run as keys do: rising, without gaps, or all equally long."""
        if not self.is_whole or not self.all_differ or self.different < 0.99:
            return False
        low, high = self.ends
        dense = high - low + 1 <= 1.5 * self.distinct
        return self.rising or dense or (low > 0 and len(str(low)) == len(str(high)) >= 7)

    @cached_property
    def repeats_as_keys(self) -> bool:
        """Many whole numbers or codes, each in a few records, that are not amounts.

        Numbers drawn from a range meet as often as they come to lie side by side. Where they are the same far more often
        than neighbours, and are not rounded, somebody has the same number twice. Numbers without gaps are keys if the
        records of each stand together.
        """
        few_each = self.distinct >= MANY_KEYS and self.held <= MOST_RECORDS_OF_A_KEY * self.distinct
        if not few_each or self.distinct == self.held or self.different >= 0.99:
            return False
        if self.is_text:
            digits = share(self.texts, r"[0-9].*[0-9].*[0-9]")
            return not self.dates and share(self.texts, _CODE) >= 0.95 and digits >= 0.9 and not self.numbers_as_text
        if not self.is_whole or self.ends[0] < 0:
            return False
        numbers = self.counts["value"].sort()
        neighbours = int((numbers.diff() == 1).sum()) / self.distinct
        repeated = 1 - self.different
        rounded = int((numbers % 10 == 0).sum()) / self.distinct
        scattered = repeated >= 0.05 and repeated > 5 * neighbours and rounded < 0.25
        return scattered or (self.together and (neighbours > 0.9 or rounded < 0.25))

    @cached_property
    def few_codes(self) -> bool:
        """A short list of small whole numbers or of short texts, as codes are."""
        if self.held < FEW_RECORDS or self.distinct > min(FEW_CODES, max(2, 0.05 * self.held)):
            return False
        if self.is_whole:
            low, high = self.ends
            return low >= -LARGEST_CODE and high <= LARGEST_CODE
        return self.is_text

    @cached_property
    def small_range(self) -> bool:
        """Whole numbers from 0 or 1 on without large gaps, as counts are."""
        if not self.is_whole or self.distinct < 3:
            return False
        low, high = self.ends
        return 0 <= low <= 1 and high <= 999 and (high <= 2 * self.distinct or (high <= 20 and self.distinct >= 5))

    @cached_property
    def order(self) -> tuple[Literal["bands", "scale"], list[str]] | None:
        """The order of texts that are bands of numbers or steps of a well-known scale, written out."""
        if not self.is_text or not 2 <= self.distinct <= MOST_STEPS:
            return None
        values = self.counts["value"].cast(pl.String).to_list()
        bands = band_order(values)
        if bands is not None:
            return "bands", bands
        steps = scale_order(values)
        return None if steps is None else ("scale", steps)

    @cached_property
    def doses(self) -> bool:
        """Do the values say what became of a dose: No, Steady, Up, Down?"""
        if not self.is_text or self.distinct > len(_DOSES[0]):
            return False
        words = {str(value).strip().casefold() for value in self.counts["value"].to_list()}
        return words <= _DOSES[0] and words >= _DOSES[1]

    @cached_property
    def markers(self) -> int:
        """In how many records stands a text that often means that the value is missing."""
        if not self.is_text:
            return 0
        marked = self.counts.filter(pl.col("value").cast(pl.String).is_in(MARKERS))
        return int(marked["count"].sum())

    @cached_property
    def far_number(self) -> int | None:
        """A number such as 999 or -9, in several records and far from all others: it may stand for a missing value."""
        if not self.is_number or self.dtype.is_decimal():
            return None
        held = self.counts.with_columns(pl.col("value").cast(pl.Float64)).filter(pl.col("value").is_finite())
        for number in FAR_NUMBERS:
            here = held["value"] == number
            others = held["value"].filter(~here)
            if len(others) < 5 or here.sum() != 1 or held["count"].filter(here).item() < 2:
                continue
            low, high = float(others.min()), float(others.max())  # type: ignore[arg-type]
            if (number > 0 and number >= 2 * high > 0) or (number < 0 <= low):
                return number
        return None

    @property
    def highest(self) -> float:
        """The largest number, but for one that may stand for a missing value."""
        numbers = self.counts["value"].cast(pl.Float64)
        found = numbers.filter(numbers.is_finite() & (numbers != (self.far_number or np.nan))).max()
        return found if isinstance(found, float) else -np.inf

    @cached_property
    def numbers_as_text(self) -> bool:
        """Would all be numbers, were it not for marks of missing values or the way they are written?"""
        if not self.is_text:
            return False
        others = self.texts.filter(~self.texts.is_in(MARKERS))
        if share(others, "^0[0-9]"):  # a code has its zeros
            return False
        return len(others) > 0 and (share(others, _NUMBER) == 1 or share(others, _GROUPED) == 1)

    @cached_property
    def among_numbers(self) -> int:
        """In how many records stands the only text of a column that holds numbers otherwise; 0 if it is not such a column."""
        if not self.is_text or self.distinct < 6:
            return 0
        texts = self.counts["value"].cast(pl.String).str.strip_chars()
        odd = ~texts.str.contains(_NUMBER)
        return int(self.counts["count"].filter(odd).sum()) if odd.sum() == 1 else 0

    @cached_property
    def decimals(self) -> int | None:
        """To how many decimals the numbers are written; None if to more than four."""
        if self.is_whole:
            return 0
        values = self.counts["value"].cast(pl.Float64)
        return next((d for d in range(5) if (values.round(d) == values).all()), None)

    def extremes(self) -> pl.Series:
        """Some values that show whether all can be computed with: the most frequent, the ends, and what is not a number."""
        values = self.counts["value"]
        if len(values) <= LOOKED or self.dtype.is_decimal():
            return values
        ends = [values.head(LOOKED), values.filter((values == values.min()) | (values == values.max()))]
        if self.dtype.is_float():
            ends.append(values.filter(values.is_nan()))
        return pl.concat(ends)

    def examples(self, most: int = 3) -> list[Any]:
        """The most frequent values: for the eyes of who holds the data, never for a file."""
        return self.counts["value"].head(most).to_list()


def share(texts: pl.Series, pattern: str) -> float:
    """What part of the texts fits a pattern."""
    return _mean(texts.str.contains(pattern)) if len(texts) else 0.0


def _mean(values: pl.Series) -> float:
    mean = values.cast(pl.Float64).mean()
    return mean if isinstance(mean, float) else 0.0
