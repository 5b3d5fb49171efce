"""The methods of specification 7 on tables of thousands of records: NumPy, every record looked at in every step.

The twins of :mod:`tests.oracle.plain_masking` are too slow for tables that fill more than one block of the kernels.
These are the same algorithms with arrays in the place of lists; ties by the same rule. One nominal centre (semantic),
means for numbers, no missing values but in numbers.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tests.oracle.plain import lcs
from tests.oracle.plain_masking import EQUAL, PlainAttribute, PlainColumn, Record

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]


class Number:
    """A numeric attribute: coordinates whose differences are distances (mean), or their roots (s)."""

    def __init__(self, values: Sequence[float | None], distance: str, share: float) -> None:
        raw = np.array([np.nan if v is None else v for v in values], dtype=float)
        present = raw[~np.isnan(raw)]
        self.squared = distance == "s"
        size = float(np.ptp(present))
        scale = math.sqrt(share / 2 / present.var(ddof=1)) if self.squared else share / size
        self.at = (raw - present.min()) * scale
        self.gap = (size * scale) ** 2 if self.squared else share

    def keep(self, some: Sequence[int]) -> None:
        self.at = self.at[list(some)]

    def centre(self, some: Longs, weight: Longs) -> float:
        gone = np.isnan(self.at[some])
        if weight[some][gone].sum() > weight[some][~gone].sum():
            return math.nan
        return float(np.average(self.at[some][~gone], weights=weight[some][~gone]))

    def from_record(self, i: int) -> float:
        return float(self.at[i])

    def off(self, point: float) -> Floats:
        gone = np.isnan(self.at)
        if math.isnan(point):
            return np.where(gone, 0.0, self.gap)
        apart = np.abs(self.at - point)
        return np.where(gone, self.gap, apart**2 if self.squared else apart)


class Concept:
    """A nominal attribute: its distances from every concept that subsumes a value."""

    def __init__(self, attribute: PlainAttribute, values: Sequence[str], distance: str, share: float) -> None:
        column = PlainColumn(attribute, list(dict.fromkeys(values)))
        self.taxonomy = column.taxonomy
        self.values = column.column
        self.universe = sorted({u for u, _ in column.table}, key=self.taxonomy.order)
        self.raw = np.array([[column.table[v, u] for u in self.universe] for v in self.values])
        self.code = np.array([self.values.index(v) for v in values])
        self.home = np.array([self.universe.index(v) for v in self.values])
        if distance == "s":
            count = np.array([Counter(values)[v] for v in self.values], dtype=float)
            n = len(values)
            scale = share * n * (n - 1) / (count @ self.raw[:, self.home] @ count)
        else:
            scale = share / column.largest if attribute.measure in ("path", "weighted_edge") else share
        self.table = self.raw * scale
        self.above = np.array([[u in self.taxonomy.subsumers[v] for u in self.universe] for v in self.universe])

    def keep(self, some: Sequence[int]) -> None:
        self.code = self.code[list(some)]

    def centre(self, some: Longs, weight: Longs) -> int:
        count = np.bincount(self.code[some], weights=weight[some], minlength=len(self.values))
        present = np.flatnonzero(count)
        top = self.universe.index(lcs(self.taxonomy, [self.values[v] for v in present]))
        inside = self.above[self.home[present]].any(axis=0) & self.above[:, top]
        cost = np.where(inside, count @ self.raw, np.inf)
        return int(np.argmax(cost <= cost.min() * (1 + EQUAL)))

    def from_record(self, i: int) -> int:
        return int(self.home[self.code[i]])

    def off(self, point: int) -> Floats:
        off: Floats = self.table[:, point][self.code]
        return off


class Scans:
    """A table of records, to look through from any point."""

    def __init__(self, records: Sequence[Record], attributes: Sequence[PlainAttribute], distance: str = "mean") -> None:
        whole = 1.0 if distance == "s" else math.fsum(a.weight for a in attributes)
        self.columns: list[Number | Concept] = [
            (
                Number(values, distance, a.weight / whole)
                if a.kind == "numeric"
                else Concept(a, values, distance, a.weight / whole)
            )
            for a, values in zip(attributes, zip(*records, strict=True), strict=True)
        ]
        self.n, self.squared = len(records), distance == "s"
        self.ones = np.ones(self.n, dtype=np.int64)

    def keep(self, some: Sequence[int]) -> None:
        """Look at these records only, on the scales of all."""
        for column in self.columns:
            column.keep(some)
        self.n = len(some)

    def off(self, point: Sequence[float]) -> Floats:
        parts = [column.off(x) for column, x in zip(self.columns, point, strict=True)]  # type: ignore[arg-type]
        total: Floats = np.sum(parts, axis=0)
        return np.sqrt(total) if self.squared else total

    def centre(self, some: Longs, weight: Longs) -> list[float]:
        return [column.centre(some, weight) for column in self.columns]

    def point(self, i: int) -> list[float]:
        return [column.from_record(i) for column in self.columns]


def first_least(values: Floats) -> int:
    return int(np.argmax(values <= values.min() * (1 + EQUAL)))


def first_greatest(values: Floats) -> int:
    return int(np.argmax(values >= values.max() * (1 - EQUAL)))


def mdav(scans: Scans, k: int) -> list[int]:
    """T12 Algorithm 3."""
    group_of, groups = np.full(scans.n, -1), 0

    def left() -> Longs:
        return np.flatnonzero(group_of < 0)

    def farthest(point: Sequence[float]) -> int:
        return int(left()[first_greatest(scans.off(point)[left()])])

    def form_group_around(first: int) -> None:
        nonlocal groups
        off = scans.off(scans.point(first))
        group_of[first] = groups
        for _ in range(k - 1):
            group_of[left()[first_least(off[left()])]] = groups
        groups += 1

    while len(left()) >= 3 * k:
        r = farthest(scans.centre(left(), scans.ones))
        form_group_around(r)
        form_group_around(farthest(scans.point(r)))
    if len(left()) >= 2 * k:
        form_group_around(farthest(scans.centre(left(), scans.ones)))
    group_of[left()] = groups
    return group_of.tolist()


def adaptive(scans: Scans, weight: Longs, k: int, *, weighted: bool, static: bool) -> list[int]:
    """T12 Algorithm 4; the records of the scans are distinct tuples, ``weight`` says how often each occurs."""
    group_of = np.full(scans.n, -1)
    centres: list[list[float]] = []

    def left() -> Longs:
        return np.flatnonzero(group_of < 0)

    def off(point: Sequence[float]) -> Floats:
        return (scans.off(point) * weight if weighted else scans.off(point))[left()]

    def form_group_around(first: int) -> None:
        member, middle = first, scans.point(first)
        while True:
            group_of[member] = len(centres)
            group = np.flatnonzero(group_of == len(centres))
            if not static:
                middle = scans.centre(group, weight)
            if weight[group].sum() >= k:
                centres.append(middle)
                return
            member = int(left()[first_least(off(middle))])

    while weight[left()].sum() >= k:
        r = int(left()[first_greatest(off(scans.centre(left(), weight)))])
        form_group_around(r)
        if weight[left()].sum() >= k:
            form_group_around(int(left()[first_greatest(off(scans.point(r)))]))
    from_centres = np.array([scans.off(c) for c in centres])
    for t in left():
        group_of[t] = first_least(from_centres[:, t])
    return group_of.tolist()


def recoding(scans: Scans, weight: Longs, k: int, *, weighted: bool) -> list[int]:
    """T12 Algorithm 2, by distance: the tuple that each tuple becomes."""
    apart = np.array([scans.off(scans.point(i)) for i in range(scans.n)])
    frequency, into = weight.copy(), np.arange(scans.n)
    while frequency[frequency > 0].min() < k:
        least = frequency[frequency > 0].min()
        for t in np.flatnonzero(frequency == least):
            if frequency[t] != least:
                continue
            off = apart[t] * frequency if weighted else apart[t].copy()
            off[(frequency == 0) | (np.arange(scans.n) == t)] = np.inf
            closest = np.flatnonzero(off <= off.min() * (1 + EQUAL))
            target = closest[np.argmin(frequency[closest])]
            frequency[target] += frequency[t]
            frequency[t] = 0
            into[into == t] = target
    return into.tolist()


def semantic_linkage(scans: Scans, masked: Sequence[int]) -> float:
    """SRL where record i shows the values of record ``masked[i]``."""
    found = []
    for i in range(scans.n):
        off = scans.off(scans.point(i))[list(masked)]
        closest = off <= off.min() * (1 + EQUAL)
        found.append(closest[i] / closest.sum())
    return math.fsum(found) / scans.n
