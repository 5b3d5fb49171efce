"""``ReleasedValues``: the values of a released column, as a kind looks at them to tell which do not fit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

if TYPE_CHECKING:
    from ontomask.taxonomy.match_result import Matching

#: What begins a formula in a spreadsheet: a quote before it is there for the spreadsheet only.
FORMULA = tuple("=+-@\t\r")


@dataclass(frozen=True, eq=False)
class ReleasedValues:
    """The ``values`` of a column; ``shows``: can its hierarchy show this text? ``match``: the concepts of counted texts, of
    which some are not stored as text."""

    values: pl.Series
    shows: Callable[[str], bool]
    match: Callable[[Counter[str], Collection[str]], Matching]

    @property
    def numeric(self) -> bool:
        """Are the values stored as numbers?"""
        return self.values.dtype.is_numeric()

    def texts(self, *, codes: bool = False) -> Counter[str]:
        """The values as text with their records, without those that the hierarchy shows; ``codes``: numbers are codes."""
        counts = self.values.drop_nulls().to_frame("value").group_by("value").len()
        tally: Counter[str] = Counter()
        for value, count in counts.iter_rows():
            tally[text_of(value, codes=codes)] += count
        return Counter({text: count for text, count in tally.items() if not self.shows(text)})


def text_of(value: Any, *, codes: bool = False) -> str:
    """A value as it is written; whole numbers without a point, but for codes, which are taken as they are."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer() and not codes:
        return str(int(value))
    text = str(value)
    return text[1:] if text[:1] == "'" and text[1:2] in FORMULA else text
