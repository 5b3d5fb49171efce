"""Repeated identifiers: one person, household or stay has several records, so counts of records are not of persons."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from ontomask.arguments import counted, short
from ontomask.arrays import Longs
from ontomask.column_names.names import is_unit, names_a_key, numbered_unit, topic_of, vocabulary, words_of
from ontomask.microdata.csv_types import MARKERS
from ontomask.statements import Statement, caveat
from ontomask.wording import RECORD

#: A column that is not named like a key is none if its values have more records than this on average.
_MOST_RECORDS = 20


@dataclass(frozen=True)
class Repeating:
    """An identifier that several records share: ``different`` values in ``records`` that have one; ``missing`` have none."""

    name: str
    different: int
    records: int
    missing: int = 0

    @property
    def unit(self) -> str:
        """What the column names, as far as its name tells."""
        return unit_of(self.name)

    def sentence(self, what: str = f"k counts {RECORD.many}") -> str:
        """For the steward, with exact numbers. ``what``: what is counted, and for what."""
        text = f"{self.different:,} different {short(self.name)} in {counted(self.records, 'record')}"
        if self.missing:
            text += f" ({self.missing:,} more have none)"
        return f"{text}: {what}, not {self.unit}."

    def statement(self, what: str = f"k counts {RECORD.many}") -> Statement:
        """The same as a caveat; those who get the release read no number of it."""
        more = f"The records of a group may belong to fewer {self.unit} than it has records."
        public = f"Several records share one {short(self.name)}: {what}, not {self.unit}."
        return caveat(f"{self.sentence(what)} {more}", self.name, f"{public} {more}")


def unit_of(name: str) -> str:
    """What an identifier of this name names: patients, households, stays; persons if the name does not tell."""
    words = words_of(name)
    return next((unit for unit, known in vocabulary().units.items() if not known.isdisjoint(words)), "persons")


def repeating_column(values: pl.Series, counts: Longs | None = None) -> Repeating | None:
    """The column, if a value is in more than one record and values name somebody.

    Nulls, blanks and marks such as NA name nobody. Neither do remarks, nor a few values that all records share, unless the
    column is named like a key: it was left out for another reason. ``counts``: records of each value, if it is not one.
    """
    held = values.is_not_null()
    if values.dtype.is_float():
        held &= values.is_not_nan().fill_null(False)
    elif values.dtype in (pl.String, pl.Categorical, pl.Enum):
        values = values.cast(pl.String).str.strip_chars()
        held &= ~values.is_in(["", *MARKERS]).fill_null(True)
    different = values.filter(held).n_unique()
    counts = np.ones(len(held), dtype=np.int64) if counts is None else counts
    records, all_records = int(counts[held.to_numpy()].sum()), int(counts.sum())
    if different == records or not _names_somebody(values.name, different, records):
        return None
    return Repeating(values.name, different, records, all_records - records)


def _names_somebody(name: str, different: int, records: int) -> bool:
    words, topic = words_of(name), topic_of(name)
    if unit_of(name) != "persons" or numbered_unit(words) is not None or is_unit(words) or names_a_key(name):
        return True
    if topic is not None and topic.kind == "text":
        return False
    return records <= _MOST_RECORDS * different
