"""Markers of missing values in a table: certain ones are proposed, doubtful ones are asked about.

A marker holds for the whole table. One that is a value in some column (``NA`` among the codes of countries, ``-`` beside
``+``) is therefore proposed nowhere.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import polars as pl

from ontomask.arguments import counted, some_of
from ontomask.microdata.csv_types import MARKERS
from ontomask.profiling.column_facts import share
from ontomask.profiling.column_sources import ColumnSource

#: Words that are values as often as marks: proposed only where they stand among numbers alone.
DOUBTFUL = (
    "None none unknown Unknown UNKNOWN unk Unk UNK missing Missing MISSING desconocido Desconocido desconegut inconnu Inconnu "
    "unbekannt Unbekannt nd ND"
).split()
_SURE = tuple(marker for marker in MARKERS if marker not in DOUBTFUL)
_NUMBER = r"^-?[0-9]+(?:[.,][0-9]+)?$"


@dataclass
class Markers:
    """``proposed`` markers; in how many ``columns`` each was found; and the columns in which a doubtful one was ``taken``."""

    proposed: list[str] = field(default_factory=list)
    columns: dict[str, list[str]] = field(default_factory=dict)
    taken: dict[str, list[str]] = field(default_factory=dict)

    @property
    def notes(self) -> list[str]:
        if not self.proposed:
            return []
        shown = some_of([f"{m!r} in {counted(len(self.columns[m]), 'column')}" for m in self.proposed], 10)
        return [f"taken for missing values: {shown} (reading: missing in the policy; --missing says it otherwise)"]


def find_markers(source: ColumnSource) -> Markers:
    """The markers to propose for a table."""
    found: dict[str, list[str]] = {}
    values: set[str] = set()
    taken: dict[str, list[str]] = {}
    for name in source.names:
        column = source.column(name)
        if column.dtype != pl.String and not isinstance(column.dtype, pl.Categorical | pl.Enum):
            continue
        texts = column.drop_nulls().cast(pl.String).str.strip_chars().unique()
        present = texts.filter(texts.is_in([*_SURE, *DOUBTFUL])).to_list()
        if not present or len(present) == len(texts):
            values.update(present)  # a column of nothing else says nothing of what they mean
            continue
        others = texts.filter(~texts.is_in(present))
        numbers = share(others, _NUMBER) == 1
        for marker in present:
            if _is_value(marker, others, numbers=numbers):
                values.add(marker)
            else:
                found.setdefault(marker, []).append(name)
                if marker in DOUBTFUL:
                    taken.setdefault(name, []).append(marker)
    proposed = [marker for marker in (*_SURE, *DOUBTFUL) if marker in found and marker not in values]
    taken = {name: kept for name, m in taken.items() if (kept := [marker for marker in m if marker in proposed])}
    return Markers(proposed, {marker: found[marker] for marker in proposed}, taken)


def _is_value(marker: str, others: pl.Series, *, numbers: bool) -> bool:
    """May the text be a value among these others?"""
    if marker in DOUBTFUL:
        return not numbers
    if marker in ("-", "--"):
        return bool(others.str.contains(r"^\++$").any())
    return marker == "NA" and len(others) >= 3 and share(others, "^[A-Z]{2}$") == 1
