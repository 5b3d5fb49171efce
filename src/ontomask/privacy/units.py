"""Units: what is counted in a table. Each record is one, or several records belong to one, such as those of a person.

All that models and risks count is counted here, so that a unit counts once in each class, however many records it has
there. Of its values in a class, either each different one counts (distinct and recursive l-diversity), or they share the
weight 1 (entropy, earth mover's distances).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.arrays import Floats, Ints, Longs, distinct
from ontomask.errors import DataError, PolicyError
from ontomask.privacy.transport import Pairs
from ontomask.wording import RECORD, Unit

#: Shares of a unit are whole numbers, and sums of them exact, where their common denominator is at most this.
MOST_PARTS = 2520


@dataclass(frozen=True, eq=False)
class Units:
    """Which unit each record of a table belongs to.

    ``word`` is what units are called. ``of`` gives the unit of each record, from 0 up; None: each record is its own unit.
    ``counts``, only where ``of`` is None: how many records each row of the table stands for; None: one. ``household`` gives the
    household of each record, where it is known.
    """

    word: Unit = RECORD
    of: Longs | None = None
    counts: Longs | None = None
    household: Longs | None = None

    def __post_init__(self) -> None:
        if self.of is not None and self.counts is not None:
            raise ValueError("rows that stand for several records do not have one unit each")

    def require_rows(self, n: int) -> None:
        """The units of a table of n records are known."""
        known = self.counts if self.of is None else self.of
        if known is not None and len(known) != n:
            raise DataError(
                f"the table has {RECORD.counted(n)}, and the {self.word.many} of {len(known):,} are known",
                remedy="Give the records that were released, all of them and in their order.",
            )

    def require_records(self, what: str, remedy: str = "Leave it out") -> None:
        """An error where something else than records should be counted, for what can count nothing else."""
        if self.of is not None:
            raise PolicyError(
                f"{what} knows records only; it cannot count {self.word.many}",
                remedy=f"{remedy}, or count records and not {self.word.many}.",
            )

    def require_word(self, word: Unit, what: str) -> None:
        """An error where a policy counts something else, named by ``word``, than what is known of the table."""
        if self.word != word:
            raise PolicyError(
                f"{what} counts {self.word.many}, and the policy counts {word.many}",
                remedy="Ask the result of a run, which knows them, or give the attributes in place of the policy.",
            )

    def uncounted(self) -> Units:
        """The same for rows whose numbers of records are known otherwise, and are given as ``weights``."""
        return self if self.counts is None else Units(self.word)

    @property
    def apart(self) -> Longs | None:
        """The unit of each row, by which rows that agree otherwise differ; None: rows do not differ in it."""
        return self.of

    def joined(self, of: Ints, first: Longs) -> Units:
        """The units of rows that were joined: ``of`` gives what became of each, ``first`` one of each."""
        return self.take(first)

    def take(self, rows: NDArray[Any]) -> Units:
        """The units of some records, by mask or by position."""
        some = {
            name: None if of is None else of[rows]
            for name, of in (("of", self.of), ("counts", self.counts), ("household", self.household))
        }
        return Units(self.word, **some)

    def records(self, rows: NDArray[np.bool_]) -> int:
        """How many records these rows are."""
        return int(rows.sum() if self.counts is None else self.counts[rows].sum())

    def number(self, rows: NDArray[np.bool_]) -> int:
        """How many units have one of these records."""
        return self.records(rows) if self.of is None else int(np.count_nonzero(np.bincount(self.of[rows])))

    def sizes(self, of: Longs, classes: int, weights: Longs | None = None, *, enough: int | None = None) -> Longs:
        """How many units each class has; ``of``: the class of each row; ``weights``: how many records it stands for.

        ``enough``: it may be said of a class only whether it has so many, by any such number.
        """
        if self.of is not None:
            bound = _bound(self.of)
            return np.bincount(distinct(of * bound + self.of) // bound, minlength=classes)
        return np.bincount(of, self.counts if weights is None else weights, classes).astype(np.int64)

    def in_smallest(self, of: Longs, own: Longs, sizes: Longs) -> Longs:
        """How many units have each class as their smallest one, by ``sizes``; ``own``: how many units it has in all.

        A unit may have records in several classes. It is found most easily in the smallest.
        """
        if self.of is None:
            return own
        order = np.lexsort((of, sizes[of], self.of))
        first = order[np.diff(self.of[order], prepend=-1) != 0]
        return np.bincount(of[first], minlength=len(sizes)).astype(np.int64)

    def households(self, sizes: Longs) -> Floats | None:
        """Of each household the chance that one of its units is found, 1 - prod(1 - 1/size); None: they are not known.

        ``sizes``: of the class of each record; a unit is found by its smallest one.
        """
        if self.household is None:
            return None
        unit = np.arange(len(sizes)) if self.of is None else self.of
        order = np.lexsort((sizes, unit))
        smallest = np.zeros(_bound(unit), dtype=np.int64)
        first = order[np.diff(unit[order], prepend=-1) != 0]
        smallest[unit[first]] = sizes[first]
        pairs = distinct(self.household * _bound(unit) + unit)
        house = pairs // _bound(unit)
        begins = np.flatnonzero(np.diff(house, prepend=-1))
        missed: Floats = np.multiply.reduceat(1 - 1 / smallest[pairs % _bound(unit)], begins)
        return 1 - missed

    def largest(self, of: Longs, figures: Floats) -> tuple[Longs, Floats]:
        """Of figures of records the largest of each unit in each class, after the class."""
        if self.counts is not None:
            return np.repeat(of, self.counts), np.repeat(figures, self.counts)
        if self.of is None:
            return of, figures
        order = np.lexsort((figures, self.of, of))
        last = order[(np.diff(self.of[order], append=-1) != 0) | (np.diff(of[order], append=-1) != 0)]
        return of[last], figures[last]

    def pairs(self, of: Longs, code: Longs, values: int, weights: Longs | None = None, *, shared: bool) -> Pairs:
        """The pairs of class and value, each with how many units have it.

        ``shared``: the values of a unit in a class share the weight 1, by its records; else each counts 1. ``weights``: how
        many records a row stands for.
        """
        if self.of is None:
            return Pairs(of, code, values, self.counts if weights is None else weights)
        key = of * _bound(self.of) + self.of
        if shared:
            return Pairs(of, code, values, _shares(key, weights))
        _, first = np.unique(np.unique(key, return_inverse=True)[1] * values + code, return_index=True)
        return Pairs(of[first], code[first], values)

    def weights(self, code: Longs, counts: Longs) -> NDArray[Any]:
        """How much each value weighs in the whole table, the values of a unit sharing the weight 1; up to a factor.

        ``counts``: how many records have it.
        """
        if self.counts is not None:
            return np.bincount(code, self.counts, len(counts)).astype(np.int64)
        if self.of is None:
            return counts
        pairs = self.pairs(np.zeros(len(code), dtype=np.int64), code, len(counts), shared=True)
        found = np.zeros(len(counts), dtype=pairs.counts.dtype)
        found[pairs.code] = pairs.counts
        return found


#: Each record is counted.
RECORDS = Units()


def _bound(codes: Longs) -> int:
    return int(codes.max(initial=0)) + 1


def _shares(key: Longs, weights: Longs | None) -> NDArray[Any]:
    """One over the number of records with the same key, times ``weights``; whole multiples of it where these are small."""
    _, place = np.unique(key, return_inverse=True)
    records = np.bincount(place, weights=weights).astype(np.int64)
    own = np.ones(len(key), dtype=np.int64) if weights is None else weights
    parts = 1
    for number in np.unique(records).tolist():
        parts = math.lcm(parts, number)
        if parts > MOST_PARTS:
            return own / records[place]
    return own * (parts // records)[place]
