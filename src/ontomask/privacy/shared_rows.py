"""Units of rows that several of them share: how many there are in classes of rows, counted only where bounds do not tell."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ontomask.arrays import Ints, Longs, distinct, starts
from ontomask.kernels.counting import add_up_lists, join_lists, pairs_of_classes
from ontomask.microdata.encoding import TupleUnits
from ontomask.privacy.units import Units


@dataclass(frozen=True, eq=False, kw_only=True)
class SharedRows(Units):
    """The units of rows, of which only sizes of classes can be counted.

    Row r is one of units ``of[at[r]:at[r + 1]]``, and of ``single[r]`` more that have no other row. A unit has at most
    ``most`` entries in the lists, and a number below ``bound``.
    """

    at: Longs
    single: Longs
    most: int
    bound: int

    @staticmethod
    def of_tuples(units: TupleUnits) -> SharedRows:
        """The units of tuples, each of them a row."""
        entries = np.bincount(units.unit)
        row = np.repeat(np.arange(units.p), np.diff(units.at))
        several = entries[units.unit] > 1
        return SharedRows(
            word=units.word,
            of=units.unit[several],
            at=starts(np.bincount(row[several], minlength=units.p)),
            single=np.bincount(row[~several], minlength=units.p),
            most=int(entries.max(initial=1)),
            bound=len(entries),
        )

    @property
    def apart(self) -> Longs | None:
        return None

    def joined(self, of: Ints, first: Longs) -> Units:
        # A unit may be in the list of a row more than once now: finding that out costs more than it saves.
        assert self.of is not None
        single, entries = np.zeros((2, len(first)), dtype=np.int64)
        add_up_lists(of, self.single, self.at, single, entries)
        at, units = starts(entries), np.empty_like(self.of)
        join_lists(of, self.at, self.of, at[:-1].copy(), units)
        return replace(self, of=units, at=at, single=single)

    def sizes(self, of: Longs, classes: int, weights: Longs | None = None, *, enough: int | None = None) -> Longs:
        assert self.of is not None
        single, entries = np.zeros((2, classes), dtype=np.int64)
        add_up_lists(of, self.single, self.at, single, entries)
        fewest, most = single - (-entries // self.most), single + entries
        sizes, counted = most, fewest < most
        if enough is not None:
            sizes = np.where(fewest >= enough, fewest, most)
            counted &= (fewest < enough) & (most >= enough)
        pairs = np.empty(int(entries[counted].sum()), dtype=np.int64)
        pairs_of_classes(of, self.at, self.of, counted, self.bound, pairs)
        several = np.bincount(distinct(pairs) // self.bound, minlength=classes)
        return np.where(counted, single + several, sizes)
