"""Repeated identifiers: one person, household or stay has several records, so counts of records are not of persons.

Where a policy counts persons, the same of identifiers that several persons share, such as that of a household.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from ontomask.arguments import short
from ontomask.arrays import Longs
from ontomask.column_names.names import is_unit, names_a_key, numbered_unit, topic_of, vocabulary, words_of
from ontomask.microdata.csv_types import MARKERS
from ontomask.statements import Statement, caveat
from ontomask.wording import RECORD, Unit

#: What an identifier may name besides persons.
NOT_PERSONS = frozenset({"households", "encounters", "admissions", "cases"})
#: A column that is not named like a key is none if its values have more records than this on average.
_MOST_RECORDS = 20
#: With fewer values a key is not taken for one of persons without being asked: no class could have k of them.
_FEWEST_PERSONS = 10
#: What to do with records that do not say whose they are.
FILL = "fill in the empty cells (a number of its own for each who is unknown)"


@dataclass(frozen=True)
class Repeating:
    """An identifier that several records, or other units, share: ``different`` values in ``number`` that have one;
    ``missing`` have none."""

    name: str
    different: int
    number: int
    missing: int = 0
    among: Unit = RECORD

    @property
    def unit(self) -> str:
        """What the column names, as far as its name tells."""
        return unit_of(self.name)

    @property
    def names_persons(self) -> bool:
        """Does the name of the column say that it numbers persons, and are there some? Two may share a name."""
        words = words_of(self.name)
        named = self.unit not in NOT_PERSONS | {"persons"} or numbered_unit(words) == "person"
        return named and self._is_key and self.different >= _FEWEST_PERSONS and self.among == RECORD

    @property
    def _is_key(self) -> bool:
        topic = topic_of(self.name)
        return topic is None or topic.id not in ("name", "address")

    def sentence(self, what: str = f"k counts {RECORD.many}") -> str:
        """For the steward, with exact numbers. ``what``: what is counted, and for what."""
        text = f"{self.different:,} different {short(self.name)} in {self.among.counted(self.number)}"
        if self.missing:
            text += f" ({self.missing:,} more have none)"
        return f"{text}: {what}, not {self.unit}.{self._remedy}"

    @property
    def _remedy(self) -> str:
        """How to count what the column names, if it can be counted."""
        if self.among != RECORD or self.unit in NOT_PERSONS or not self._is_key:
            return ""
        fill = f"{FILL}, and " if self.missing else ""
        return f" To count {self.unit}, {fill}set person: {short(self.name)}."

    def statement(self, what: str = f"k counts {RECORD.many}") -> Statement:
        """The same as a caveat; those who get the release read no number of it."""
        many = self.among.many
        more = f" The {many} of a group may belong to fewer {self.unit} than it has {many}."
        public = f"Several {many} share one {short(self.name)}: {what}, not {self.unit}."
        return caveat(f"{self.sentence(what)}{more}", self.name, f"{public}{more}")


def unit_of(name: str) -> str:
    """What an identifier of this name names: patients, households, stays; persons if the name does not tell."""
    words = words_of(name)
    return next((unit for unit, known in vocabulary().units.items() if not known.isdisjoint(words)), "persons")


def repeating_column(values: pl.Series, counts: Longs | None = None, among: Unit = RECORD) -> Repeating | None:
    """The column, if a value is in more than one record (or other unit, ``among`` which each is given once) and values
    name somebody.

    Nulls, blanks and marks such as NA name nobody. Neither do remarks, nor a few values that all records share, unless the
    column is named like a key: it was left out for another reason. ``counts``: records of each value, if it is not one.
    """
    named = named_values(values)
    counts = np.ones(len(named), dtype=np.int64) if counts is None else counts
    records, all_records = int(counts[named.is_not_null().to_numpy()].sum()), int(counts.sum())
    return repeating_counts(values.name, named.drop_nulls().n_unique(), records, all_records - records, among)


def named_values(values: pl.Series) -> pl.Series:
    """The values that name somebody, without blanks around them; null where a value names nobody."""
    if values.dtype.is_float():
        return values.fill_nan(None)
    if values.dtype in (pl.String, pl.Categorical, pl.Enum):
        texts = values.cast(pl.String).str.strip_chars()
        return texts.set(texts.is_in(["", *MARKERS]).fill_null(False), None)
    return values


def repeating_counts(name: str, different: int, records: int, missing: int, among: Unit = RECORD) -> Repeating | None:
    """The same from counts: ``different`` values in ``records`` that have one; ``missing`` have none."""
    if different == records or not _names_somebody(name, different, records):
        return None
    return Repeating(name, different, records, missing, among)


def _names_somebody(name: str, different: int, records: int) -> bool:
    words, topic = words_of(name), topic_of(name)
    if unit_of(name) != "persons" or numbered_unit(words) is not None or is_unit(words) or names_a_key(name):
        return True
    if topic is not None and topic.kind == "text":
        return False
    return records <= _MOST_RECORDS * different
