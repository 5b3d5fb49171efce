"""``Cells``: the different values of a column as texts, each with the number of records that have it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from ontomask.arrays import Longs
from ontomask.microdata.released_values import text_of


@dataclass(frozen=True, eq=False)
class Cells:
    """The different ``values`` of the column ``name`` that are not missing, and the records of each."""

    name: str
    values: pl.Series
    counts: Longs

    @staticmethod
    def of(values: pl.Series, counts: Longs | None = None) -> Cells:
        """``counts``: how many records each row stands for, if it is not one."""
        weights = pl.Series(np.ones(len(values), dtype=np.int64) if counts is None else counts)
        frame = pl.DataFrame([values.alias("value"), weights.alias("records")])
        frame = (frame.explode("value") if isinstance(values.dtype, pl.List) else frame).drop_nulls("value")
        found = frame.group_by("value", maintain_order=True).agg(pl.col("records").sum())
        return Cells(values.name, _numbers(found["value"]), found["records"].to_numpy())

    @cached_property
    def records(self) -> int:
        """The records that have a value."""
        return int(self.counts.sum())

    @property
    def distinct(self) -> int:
        return len(self.values)

    @cached_property
    def texts(self) -> pl.Series:
        """The values as they are written, without blanks around them; bytes have no text."""
        dtype = self.values.dtype
        if dtype == pl.Duration:
            return self.values.dt.to_string()
        if dtype == pl.Binary:
            return pl.Series([""] * self.distinct, dtype=pl.String)
        if dtype.is_float():
            return pl.Series([text_of(value) for value in self.values.to_list()], dtype=pl.String)
        return self.values.cast(pl.String).str.strip_chars()

    @cached_property
    def long_texts(self) -> bool:
        """Does it hold sentences, in which something may be mentioned?"""
        words = self.texts.str.count_matches(r"\S+").cast(pl.Float64).mean()
        return isinstance(words, float) and words >= 4

    def holding(self, pattern: str) -> pl.Series:
        """Which texts hold a part that fits a pattern, and is not a piece of a longer word or number."""
        return self.texts.str.contains(rf"(?:^|[^\w-])(?:{pattern})(?:$|[^\w-])").fill_null(False)

    def fitting_too(self, pattern: str, accepts: Callable[[str], bool]) -> pl.Series:
        """Which whole texts fit a pattern and are accepted by a function, such as one that computes a check digit."""
        fits = self.texts.str.contains(rf"^(?:{pattern})$").fill_null(False)
        known = {text: accepts(text) for text in self.texts.filter(fits).to_list()}
        return pl.Series([known.get(text, False) for text in self.texts.to_list()], dtype=pl.Boolean)

    def records_where(self, which: Any) -> int:
        """How many records have these values."""
        mask = which.to_numpy() if isinstance(which, pl.Series) else which
        return int(self.counts[mask].sum())

    def share(self, which: pl.Series) -> float:
        """What part of the different values these are."""
        return int(which.sum()) / max(self.distinct, 1)

    @property
    def is_number(self) -> bool:
        return bool(self.values.dtype.is_numeric())

    @property
    def is_whole(self) -> bool:
        return bool(self.values.dtype.is_integer())


def _numbers(values: pl.Series) -> pl.Series:
    """Texts that are all whole numbers, as numbers: a file may have been read as text. A leading zero is of a code."""
    if values.dtype != pl.String or not values.str.contains(r"^(?:0|-?[1-9][0-9]{0,17})$").all():
        return values
    return values.cast(pl.Int64)
