"""Attribute disclosure: the sensitive values that an intruder with the quasi-identifiers learns.

He finds the released records that match a record best and reads the sensitive value of one of them, at random. It is the
one risk that methods have in common: some hide which record belongs to whom, others hide which value belongs to a record.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from ontomask.arrays import Floats, Longs
from ontomask.assessment.disclosed import codes_of, sensitive_in_both, together, tolerance_of
from ontomask.assessment.linkage import nearest_released
from ontomask.assessment.pairing import Pairing, open_frames, pair_opened, require_quasi_identifiers
from ontomask.errors import PolicyError
from ontomask.privacy.examined import Examined

#: Values times nearest classes that are looked up at a time.
LOOKED_UP = 1 << 22


@dataclass(frozen=True)
class Disclosure:
    """By sensitive column, shares 0..1 of the released records that have a value there.

    Attributes
    ----------
    learned : dict of str to float
        Records whose own value the intruder reads, as expected.
    guessed : dict of str to float
        The same for an intruder who reads the value of any record of the original.
    """

    learned: dict[str, float]
    guessed: dict[str, float]

    @property
    def share(self) -> float:
        """The mean over the sensitive columns."""
        return sum(self.learned.values()) / len(self.learned)

    @property
    def guess(self) -> float:
        """What guessing gives, likewise."""
        return sum(self.guessed.values()) / len(self.guessed)


def attribute_disclosure(
    original: Any,
    masked: Any,
    attributes: Any,
    *,
    measure: str | None = None,
    records: Sequence[int] | None = None,
    aligned: bool = False,
    **options: Any,
) -> Disclosure:
    """The sensitive values that an intruder learns from a masked frame or file who knows the quasi-identifiers.

    Parameters
    ----------
    original : DataFrame or path
        The original: a pandas, Polars or PyArrow frame, or the path of a file.
    masked : DataFrame or path
        The masked table, of the same records.
    attributes : Policy or mapping of str to attribute
        What the columns are.
    measure : str, optional
        Compares nominal columns where the intruder looks for the nearest records; not given: that of each column.
    records : sequence of int, optional
        The rows of the original that the masked rows belong to (``result.records``).
    aligned : bool, default False
        State that row i of one table belongs to row i of the other, although a column that is not masked differs.
    **options
        Options of ``measure``.

    Returns
    -------
    Disclosure
        By sensitive column, the share of records whose value is learned, and the share that guessing gives.

    Notes
    -----
    The records that match best are those of the record's own class, where it can be recognized (values are not masked,
    generalized, or shown by classes of k), else those nearest to it. The intruder is right if what he reads is the
    record's own value: spellings and synonyms of one value are one, numbers may differ by 1% of the distance between the
    5% and 95% quantiles of the original column. ``records`` and ``aligned``: see :func:`ontomask.information_loss`.

    Examples
    --------
    >>> import ontomask as om, polars as pl
    >>> before = pl.DataFrame({"age": [30, 32, 50, 54], "ill": ["flu", "gout", "flu", "flu"]})
    >>> after = before.with_columns(age=pl.Series([31, 31, 52, 52]))
    >>> found = om.attribute_disclosure(before, after, {"age": om.Numeric(), "ill": om.Flat(role="sensitive")})
    >>> found.share, found.guess
    (0.75, 0.625)
    """
    frames = open_frames(original, masked, attributes, records, aligned=aligned)
    quasi = require_quasi_identifiers(frames.policy.quasi_identifiers)
    pairing = None
    if not frames.policy.recognizable:
        pairing = pair_opened(replace(frames, studied=quasi)).measured(measure, options)
    place = np.cumsum(frames.there) - 1
    found = disclosure_of(*frames.examined, place[frames.kept], pairing)
    if found is None:
        raise PolicyError(
            "no sensitive column has values in both tables", remedy="Give at least one column the role sensitive."
        )
    return found


def disclosure_of(original: Examined, released: Examined, kept: Longs, pairing: Pairing | None) -> Disclosure | None:
    """Attribute disclosure where record ``kept[i]`` of the original became record i of the release.

    ``pairing`` of the quasi-identifiers, where classes cannot be recognized and the nearest records are sought; None
    where they can. None is returned where there is nothing to learn: no sensitive column has a value.
    """
    names = sensitive_in_both(original, released)
    if not names or not len(released):
        return None
    readings, guessed = {}, {}
    for name in names:
        values, width = _on_a_line(name, original, released)
        all_before, shown = values[: len(original)], values[len(original) :]
        if np.isnan(all_before[kept]).all():
            continue
        readings[name] = _Reading(all_before[kept], shown, width)
        anybody = np.zeros(len(all_before), dtype=np.int64)
        reading = _Reading(all_before, all_before, width)
        guessed[name] = _read_within(reading, anybody) / reading.known
    if not readings:
        return None
    if pairing is None:
        class_of = released.classes.of
        right = [_read_within(reading, class_of) for reading in readings.values()]
    else:
        right = _read_nearest(list(readings.values()), pairing, kept)
    learned = {name: found / reading.known for (name, reading), found in zip(readings.items(), right, strict=True)}
    return Disclosure(learned, guessed)


def _on_a_line(name: str, original: Examined, released: Examined) -> tuple[Floats, float]:
    """Both columns, one below the other, as numbers, NaN where a value is missing; and how much equal ones may differ."""
    both = together(original.as_read[name], released.as_read[name])
    if original.attributes[name].quantity and both.dtype.is_numeric():
        numbers = both.cast(pl.Float64).fill_null(float("nan")).to_numpy()
        numbers = np.where(np.isfinite(numbers), numbers, np.nan)
        return numbers, tolerance_of(numbers[: len(original)])
    codes = codes_of(original.read(name, both)).astype(np.float64)
    return np.where(codes < 0, np.nan, codes), 0.0


class _Reading:
    """One column: what released records show, as places among its distinct values, and which places are right.

    ``value[i]`` of record i is one of the distinct original ones, for which the places ``low`` to ``high`` (without it)
    are right; -1 where it is missing. ``shown[i]``: the place of what the released record i shows; -1 where it shows
    nothing, which is never right.
    """

    def __init__(self, own: Floats, shown: Floats, width: float) -> None:
        there = ~np.isnan(shown)
        places, at = np.unique(shown[there], return_inverse=True)
        self.shown = np.full(len(shown), -1, dtype=np.int64)
        self.shown[there] = at
        self.places = max(len(places), 1)
        has = ~np.isnan(own)
        distinct, which = np.unique(own[has], return_inverse=True)
        self.value = np.full(len(own), -1, dtype=np.int64)
        self.value[has] = which
        self.known = int(has.sum())
        self.distinct = len(distinct)
        self.low = _first(places, distinct, lambda place, value: value - place <= width)
        self.high = _first(places, distinct, lambda place, value: place - value > width)

    def asked(self, group_of: Longs) -> tuple[Longs, Longs, Longs]:
        """Groups, values that are sought for records of them, and how many records each; sorted by group."""
        has = self.value >= 0
        key, records = np.unique(group_of[has] * self.distinct + self.value[has], return_counts=True)
        return key // self.distinct, key % self.distinct, records

    def lookup(self, class_of: Longs) -> _Lookup:
        """What the released records of each class show."""
        there = self.shown >= 0
        return _Lookup(np.sort(class_of[there] * self.places + self.shown[there]), self)


def _first(places: Floats, values: Floats, holds: Any) -> Longs:
    """Of each value the first of the sorted places for which something holds that holds for all after it."""
    low, high = np.zeros(len(values), dtype=np.int64), np.full(len(values), len(places), dtype=np.int64)
    while (low < high).any():
        middle = (low + high) // 2
        open_ = low < high
        yes = np.zeros(len(values), dtype=np.bool_)
        yes[open_] = holds(places[middle[open_]], values[open_])
        high = np.where(open_ & yes, middle, high)
        low = np.where(open_ & ~yes, middle + 1, low)
    return low


class _Lookup:
    """How many records of a class show what is right for a value."""

    def __init__(self, keys: Longs, reading: _Reading) -> None:
        self.keys, self.reading = keys, reading

    def right(self, classes: Longs, values: Longs) -> Longs:
        base = classes * self.reading.places
        begin = np.searchsorted(self.keys, base + self.reading.low[values])
        end = np.searchsorted(self.keys, base + self.reading.high[values])
        found: Longs = np.maximum(end - begin, 0)
        return found


def _read_within(reading: _Reading, class_of: Longs) -> float:
    """Expected right answers where each record is looked up in its own class."""
    sizes, lookup = np.bincount(class_of), reading.lookup(class_of)
    classes, values, records = reading.asked(class_of)
    return math.fsum((records * lookup.right(classes, values) / sizes[classes]).tolist())  # in whatever order


def _read_nearest(readings: Sequence[_Reading], pairing: Pairing, kept: Longs) -> list[float]:
    """The same where each record is looked up in the released tuples nearest to its original one."""
    class_of = pairing.masked.rows.tuple_of[np.searchsorted(pairing.stayed, kept)].astype(np.int64)
    tuple_of = pairing.original.rows.tuple_of[kept].astype(np.int64)
    lookups = [reading.lookup(class_of) for reading in readings]
    asked = [reading.asked(tuple_of) for reading in readings]
    right: list[list[float]] = [[] for _ in readings]
    for known, begins, nearest in nearest_released(pairing, np.unique(tuple_of)):
        among = np.add.reduceat(pairing.masked.counts[nearest], begins[:-1])
        for i, (lookup, (tuples, values, records)) in enumerate(zip(lookups, asked, strict=True)):
            first, last = np.searchsorted(tuples, (known[0], known[-1] + 1))
            place = np.searchsorted(known, tuples[first:last])
            for begin, end in _parts(begins[place + 1] - begins[place]):
                at, several = place[begin:end], begins[place[begin:end] + 1] - begins[place[begin:end]]
                starts = np.cumsum(several) - several
                among_nearest = np.repeat(begins[at] - starts, several) + np.arange(several.sum())
                wanted = np.repeat(values[first + begin : first + end], several)
                hits = np.add.reduceat(lookup.right(nearest[among_nearest], wanted), starts)
                right[i] += (records[first + begin : first + end] * hits / among[at]).tolist()
    return [math.fsum(parts) for parts in right]


def _parts(sizes: Longs) -> Iterator[tuple[int, int]]:
    """Stretches of what is looked up that fit into memory, each of at least one."""
    ends = np.cumsum(sizes)
    begin = 0
    while begin < len(sizes):
        done = ends[begin - 1] if begin else 0
        end = max(int(np.searchsorted(ends, done + LOOKED_UP, side="right")), begin + 1)
        yield begin, end
        begin = end
