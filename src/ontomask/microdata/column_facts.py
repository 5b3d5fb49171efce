"""What the values of a column show, whatever it is called: how many, how often, written how. No value leaves here."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import polars as pl

from ontomask.microdata.csv_types import MARKERS
from ontomask.microdata.dates import read_dates

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


@dataclass(frozen=True, eq=False)
class Facts:
    """A column by its counts: ``counts`` holds every value and how many records have it, the most frequent first.

    ``rising``: whole numbers stand in the order of the records. ``ordered``: the frame gives the categories an order.
    """

    name: str
    dtype: pl.DataType
    records: int
    missing: int
    rising: bool
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
            ordered=ordered,
            counts=counts,
        )

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
        if self.dtype == pl.String and share(self.texts, r"^[0-9]{4}-[0-9]{2}") == 1:
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
    def like_keys(self) -> bool:
        """Whole numbers, every record its own, that run as keys do: rising, without gaps, or all equally long."""
        if not self.is_whole or not self.all_differ or self.different < 0.99:
            return False
        low, high = self.counts["value"].min(), self.counts["value"].max()
        assert isinstance(low, int)
        assert isinstance(high, int)
        dense = high - low + 1 <= 1.5 * self.distinct
        return self.rising or dense or (low > 0 and len(str(low)) == len(str(high)) >= 7)

    @cached_property
    def markers(self) -> int:
        """In how many records stands a text that often means that the value is missing."""
        if not self.is_text:
            return 0
        marked = self.counts.filter(pl.col("value").cast(pl.String).is_in(MARKERS))
        return int(marked["count"].sum())

    @cached_property
    def numbers_as_text(self) -> bool:
        """Would all be numbers, were it not for marks of missing values or the way they are written?"""
        if not self.is_text:
            return False
        others = self.texts.filter(~self.texts.is_in(MARKERS))
        return len(others) > 0 and share(others, _NUMBER) == 1

    @cached_property
    def decimals(self) -> int | None:
        """To how many decimals the numbers are written; None if to more than four."""
        if self.is_whole:
            return 0
        values = self.counts["value"].cast(pl.Float64)
        return next((d for d in range(5) if (values.round(d) == values).all()), None)

    def extremes(self) -> pl.Series:
        """Some values that show whether all can be computed with: the most frequent, the ends, and what is no number."""
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
