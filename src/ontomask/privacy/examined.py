"""A table as privacy models check it: equivalence classes and sensitive columns, each computed once.

Several models ask for the same classes and the same columns, and tables of one run (the original, the release, the file
that was written) hold the same texts: what a text means is found once for all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import polars as pl

from ontomask.arrays import Longs
from ontomask.errors import PolicyError
from ontomask.microdata.attributes import ConceptAttribute
from ontomask.microdata.encoding import read_any
from ontomask.privacy.classes import Classes, classes_of
from ontomask.privacy.sensitive import Sensitive, Values, values_of
from ontomask.privacy.units import Units
from ontomask.taxonomy.match_result import Matching
from ontomask.taxonomy.matching import match_counts

Found = TypeVar("Found")


class Meanings:
    """Matchings of the texts of nominal columns; the same texts of a column are matched once.

    What a text means may depend on the other texts of its column (a dot in one of them), never on how often they occur.
    """

    def __init__(self) -> None:
        self._found: dict[tuple[str, frozenset[str], frozenset[str]], tuple[ConceptAttribute, Matching]] = {}

    def match(
        self, name: str, attribute: ConceptAttribute, tally: Counter[str], numbers: Collection[str] = ()
    ) -> Matching:
        """The concepts of counted texts; ``numbers``: those that are not stored as text."""
        key = name, frozenset(tally), frozenset(numbers)
        known, matching = self._found.get(key, (None, None))
        if matching is None or known is not attribute:
            matching = match_counts(tally, attribute.load(), attribute.mapping, attribute.language, key[2])
            self._found[key] = attribute, matching
        return matching


@dataclass(frozen=True, eq=False)
class Examined:
    """A table, its quasi-identifiers, what is known of its columns, and what is counted in it."""

    data: pl.DataFrame
    quasi: list[str]
    attributes: Mapping[str, Any]
    units: Units
    meanings: Meanings = field(default_factory=Meanings)
    _found: dict[Any, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.units.require_rows(len(self.data))

    @staticmethod
    def of(
        data: pl.DataFrame, attributes: Mapping[str, Any], units: Units, meanings: Meanings | None = None
    ) -> Examined:
        """A table with those of the quasi-identifiers that it has, in its own order."""
        quasi = [name for name in data.columns if name in attributes and attributes[name].quasi]
        return Examined(data, quasi, attributes, units, meanings or Meanings())

    def __len__(self) -> int:
        """Rows: records, unless ``units`` say that a row stands for several."""
        return len(self.data)

    @cached_property
    def number(self) -> int:
        """How many units there are."""
        return self.units.number(np.ones(len(self), dtype=np.bool_))

    @cached_property
    def classes(self) -> Classes:
        """The records that agree in all quasi-identifiers."""
        return classes_of(self.data, self.quasi, self.units)

    @cached_property
    def as_read(self) -> pl.DataFrame:
        """The table with columns as their kinds work with them: dates and the limits of open classes, not texts."""
        return read_any(self.data, self.attributes)

    def values(self, name: str) -> Values:
        """The values of a column, spellings of one value as one."""
        return self.once(name, lambda: self.read(name, self.as_read[name], self.units.counts))

    def read(self, name: str, series: pl.Series, counts: Longs | None = None) -> Values:
        """The values of a series as those of the column ``name`` are read; ``counts``: records of each, if it is not one."""
        return values_of(name, series, self.attributes.get(name), self.meanings.match, counts)

    def separator(self, name: str) -> str | None:
        """What separates the items of a column, where it is known to hold sets."""
        attribute = self.attributes.get(name)
        return None if attribute is None else attribute.separator

    def sensitive(self, names: list[str]) -> Sensitive:
        """The columns that a model looks at; sets are refused: of different sets all may hold one and the same item."""
        for name in names:
            if self.separator(name) is not None:
                raise PolicyError(
                    f"a model looks at {name!r}, which holds sets: different sets may have items in common",
                    remedy="Models of sensitive values take columns of single values. KmAnonymity(column=...) is about items.",
                )
        return Sensitive.of({name: self.values(name) for name in names}, self.units)

    def once(self, key: Any, work: Callable[[], Found]) -> Found:
        """What several models ask for, computed once."""
        if key not in self._found:
            self._found[key] = work()
        found: Found = self._found[key]
        return found

    def beside(self, data: pl.DataFrame, rows: Longs | None = None) -> Examined:
        """Another table of the same columns, such as a release. Only the meanings of texts are shared.

        ``rows``: which records of this table it has; not given: all, in their order.

        What was counted of this table is never used for another, not even for an equal one: both may share memory that
        was changed after the counting.
        """
        units = self.units if rows is None else self.units.take(rows)
        return Examined.of(data, self.attributes, units, self.meanings)
