"""Cells of the records of a table under a severity definition, for millions of records.

Distinct values are placed once. Cells that no set tells apart are one sort, so a record is a small number for each
column, and a combination of columns a product of small numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ontomask.arguments import one_of
from ontomask.arrays import Floats
from ontomask.microdata.codes import factorize
from ontomask.severity.domains import Cells, Domain, Unknown
from ontomask.severity.members import Attribute

if TYPE_CHECKING:
    from ontomask.severity.numbers import SeverityNumbers

#: Keys up to here are counted in an array; beyond, they are sorted.
COUNTED = 1 << 24


class RecordCells:
    """A table whose columns are placed when they are first needed."""

    def __init__(self, severity: SeverityNumbers, data: pl.DataFrame, unknown: Unknown) -> None:
        one_of(unknown, ("error", "zero"), "way to treat unknown values")
        self._compiled = severity.compiled
        self._data = data
        self._unknown = unknown
        self._columns: dict[str, tuple[NDArray[np.int32], pl.Series, Cells]] = {}

    def column(self, name: str, domain: Domain) -> tuple[NDArray[np.int32], pl.Series, Cells]:
        """The code of every record, the distinct values, and the cell of each of these."""
        known = self._columns.get(name)
        if known is None:
            codes, distinct = factorize(self._data[name])
            known = self._columns[name] = codes, distinct, domain.place(name, distinct, self._unknown)
        return known

    def missing(self, name: str, domain: Domain) -> NDArray[np.bool_]:
        """Which records have no value in a column, or one that says that nothing is known."""
        codes, _, cells = self.column(name, domain)
        absent: NDArray[np.bool_] = cells[codes] == domain.missing
        return absent

    def sorts(self, attribute: Attribute) -> tuple[list[NDArray[Any]], NDArray[Any]]:
        """The combinations of sorts that occur, as a cell for each column, and which of them every record has."""
        parts = []
        for name, domain, (sort_of, _) in zip(attribute.columns, attribute.domains, attribute.sorts, strict=True):
            codes, _, cells = self.column(name, domain)
            parts.append(_small(sort_of[cells], int(sort_of.max()) + 1).take(codes))
        used, at = used_keys(parts, [len(one) for _, one in attribute.sorts])
        return [one[place] for (_, one), place in zip(attribute.sorts, used, strict=True)], at

    def levels(self, attribute: Attribute) -> tuple[NDArray[Any], Floats]:
        """The level of every record under one attribute, and s_1, s_2, s_3 of each level."""
        cells, at = self.sorts(attribute)
        numbers, level = merged(self._compiled.numbers(attribute, attribute.inside(cells)), at)
        return level, numbers


def used_keys(parts: Sequence[NDArray[Any]], sizes: Sequence[int]) -> tuple[list[NDArray[Any]], NDArray[Any]]:
    """The combinations of small numbers that occur, as a number for each part, and which of them every record has."""
    total = int(np.prod([float(size) for size in sizes]))
    key: NDArray[np.int64] = parts[0].astype(np.int64)
    for part, size in zip(parts[1:], sizes[1:], strict=True):
        key *= size
        key += part
    if total > COUNTED:
        used, at = np.unique(key, return_inverse=True)
    else:
        used = np.flatnonzero(np.bincount(key, minlength=1))
        place = np.zeros(total, dtype=np.int64)
        place[used] = np.arange(len(used))
        at = _small(place, len(used)).take(key)
    return [np.asarray(own) for own in np.unravel_index(used, tuple(sizes))], at


def merged(numbers: Floats, at: NDArray[Any]) -> tuple[Floats, NDArray[Any]]:
    """Columns of numbers that are equal, as one; and the new place of every record."""
    distinct, place = np.unique(numbers, axis=1, return_inverse=True)
    return distinct, _small(place.ravel(), distinct.shape[1]).take(at)


def spread(level: NDArray[Any], numbers: Floats) -> Floats:
    """The numbers of every record."""
    found = np.empty((len(numbers), len(level)))
    for row, out in zip(numbers, found, strict=True):
        np.take(row, level, out=out, mode="clip")  # the mode only spares a copy
    return found


def _small(values: NDArray[Any], size: int) -> NDArray[Any]:
    """Whole numbers from 0 to size - 1 in as few bytes as they need: there are as many as there are records."""
    return values.astype(np.uint8 if size <= 1 << 8 else np.uint16 if size <= 1 << 16 else np.int32)
