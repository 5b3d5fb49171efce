"""Record linkage where records belong to units, such as persons: the share of units that an intruder finds.

The intruder knows a record of somebody and looks for the nearest (or equal) released records. They are of q units: the right
one is among them or not, and is picked with a chance of 1/q. Who has several records is found by the one that is best for the
intruder. Where each unit has one record, this is record linkage as it is (specification 10).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ontomask.arrays import Floats, Longs, distinct
from ontomask.microdata.codes import combine
from ontomask.microdata.encoding import TupleUnits

if TYPE_CHECKING:
    from collections.abc import Callable

    from ontomask.assessment.pairing import Pairing

#: Known tuples, where the sought ones that are nearest to each begin (one entry more than tuples), and these.
Nearest = tuple[Longs, Longs, Longs]


def sides(pairing: Pairing) -> tuple[TupleUnits, TupleUnits]:
    """Whose the tuples of the original and of the release are."""
    units, unit_of = pairing.original.units, pairing.original.rows.unit_of
    assert units is not None
    assert unit_of is not None
    masked = pairing.masked
    return units, TupleUnits(units.word, masked.rows.tuple_of, masked.p, unit_of[pairing.stayed])


def units_linked(
    pairing: Pairing, nearest: Callable[[Longs], Iterator[Nearest]], some: Longs | None = None, *, back: bool
) -> float:
    """The share of units that are found; of ``some`` units, if these are given.

    ``nearest`` gives, for known tuples, the sought ones that they are linked to. ``back``: released tuples are known, and
    original ones sought.
    """
    original, masked = sides(pairing)
    known, sought = (masked, original) if back else (original, masked)
    units = int(original.unit_of.max(initial=-1)) + 1
    best = np.zeros(units)
    owner = np.repeat(np.arange(known.p), np.diff(known.at))
    asked = np.ones(len(owner), dtype=np.bool_)
    if some is not None:
        chosen = np.zeros(units, dtype=np.bool_)
        chosen[some] = True
        asked = chosen[known.unit]
    pairs = _Pairs(sought, units)
    for tuples, begins, found in nearest(distinct(owner[asked])):
        _find(known, pairs, tuples, begins, found, best)
    if some is not None:
        return float(np.sort(best[some]).sum() / max(len(some), 1))
    return float(np.sort(best).sum() / max(original.number, 1))


class _Pairs:
    """The units of sought tuples, to be looked up."""

    def __init__(self, sought: TupleUnits, units: int) -> None:
        self.sought, self.units = sought, units
        self.keys = np.repeat(np.arange(sought.p), np.diff(sought.at)) * units + sought.unit
        self.sizes = np.diff(sought.at)

    def has(self, tuples: Longs, units: Longs) -> Any:
        """Does a unit have a record of the tuple beside it?"""
        wanted = tuples * self.units + units
        place = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        return self.keys[place] == wanted

    def of(self, tuples: Longs) -> Longs:
        """The units of several tuples, each once."""
        return distinct(np.concatenate([self.sought.unit[self.sought.at[t] : self.sought.at[t + 1]] for t in tuples]))


def _find(known: TupleUnits, pairs: _Pairs, tuples: Longs, begins: Longs, found: Longs, best: Floats) -> None:
    """Raise the chance of every unit that is among those that one of its known tuples is linked to."""
    several = np.diff(begins)
    one = several == 1
    # Most are linked to one tuple: looked up all at once.
    lengths = known.at[tuples[one] + 1] - known.at[tuples[one]]
    starts = np.cumsum(lengths) - lengths
    entries = np.repeat(known.at[tuples[one]] - starts, lengths) + np.arange(lengths.sum())
    target, unit = np.repeat(found[begins[:-1][one]], lengths), known.unit[entries]
    hit = pairs.has(target, unit) if len(pairs.keys) else np.zeros(len(unit), dtype=np.bool_)
    np.maximum.at(best, unit[hit], 1 / pairs.sizes[target[hit]])
    # Others by the set that they are linked to, which many may share.
    by_set: dict[bytes, list[int]] = defaultdict(list)
    for place in np.flatnonzero(several > 1).tolist():
        by_set[np.sort(found[begins[place] : begins[place + 1]]).tobytes()].append(int(tuples[place]))
    for key, linked in by_set.items():
        among = pairs.of(np.frombuffer(key, dtype=np.int64))
        own = np.concatenate([known.unit[known.at[t] : known.at[t + 1]] for t in linked])
        hits = own[among[np.minimum(np.searchsorted(among, own), len(among) - 1)] == own]
        np.maximum.at(best, hits, 1 / len(among))


def equal_tuples(pairing: Pairing, known: Longs, *, back: bool) -> Iterator[Nearest]:
    """For known tuples the sought one that is equal in every column, where there is one."""
    codes, sizes = [], []
    masked, original = pairing.masked, pairing.original
    for a, column in enumerate(original.columns):
        one = column.centre_of_code[original.codes[a]]
        other = masked.columns[a].centre_of_code[masked.codes[a]]
        values, code = np.unique(np.concatenate((one, other)), return_inverse=True)
        codes.append(code.astype(np.int32))
        sizes.append(len(values))
    key, _ = combine(codes, sizes)
    # An interval equals no value, whatever stands in its middle.
    hidden = np.any([general[own] for general, own in zip(pairing.general, masked.codes, strict=True)], axis=0)
    place = np.full(int(key.max()) + 1, -1, dtype=np.int64)
    own, other = key[: original.p], key[original.p :]
    if back:
        place[own] = np.arange(original.p)
        found = np.where(hidden[known], -1, place[other[known]])
    else:
        place[other[~hidden]] = np.flatnonzero(~hidden)
        found = place[own[known]]
    there = found >= 0
    yield known[there], np.arange(int(there.sum()) + 1), found[there]
