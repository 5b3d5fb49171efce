"""What is said of a masked table beside its original (specification 10), in the plainest Python that can say it.

Written from the specification and T12 5.2, 6.3, 8 and 9.2, record by record: n x n where that is the definition. Figures that
are ratios of whole numbers come as fractions. Distances of values and records are those of ``plain_masking``.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from tests.oracle import plain_dates
from tests.oracle.plain import Plain, pruned_tree
from tests.oracle.plain_masking import (
    Data,
    PlainAttribute,
    PlainColumn,
    PlainTable,
    Record,
    Value,
    least_ones,
    unweighted,
)

#: What specification 10 adds to every count of the divergence.
SMOOTHING = Fraction(1, 2)


# ---- who stands out: classes of equal records ----------------------------------------------------------------------


def class_of(rows: Data, i: int) -> list[int]:
    """The records that agree with record i in everything, i among them."""
    return [j for j, row in enumerate(rows) if row == rows[i]]


def class_sizes(rows: Data) -> list[tuple[int, int, int]]:
    """(size, classes of that size, records in them), by size."""
    counted = Counter(Counter(rows).values())
    return [(size, counted[size], size * counted[size]) for size in sorted(counted)]


def below(rows: Data, size: int) -> int:
    """Records in classes of fewer than so many."""
    return sum(len(class_of(rows, i)) < size for i in range(len(rows)))


def prosecutor(rows: Data) -> tuple[Fraction, Fraction]:
    """The chance 1/f of each record: the largest, and the mean."""
    chances = [Fraction(1, len(class_of(rows, i))) for i in range(len(rows))]
    return max(chances), sum(chances, Fraction()) / len(chances)


def in_population(rows: Data, population: Data | None) -> tuple[Fraction, Fraction]:
    """1/F of each record, F its class in the population: the largest (journalist), and the mean (marketer)."""
    people = rows if population is None else population
    chances = [Fraction(1, sum(person == row for person in people)) for row in rows]
    return max(chances), sum(chances, Fraction()) / len(chances)


def severity_weighted(rows: Data, severity: Sequence[int]) -> Fraction:
    """sum(s / f) / sum(s); 0 where nothing is grave."""
    found = sum((Fraction(s, len(class_of(rows, i))) for i, s in enumerate(severity)), Fraction())
    return found / sum(severity) if any(severity) else Fraction()


def severe_unique(rows: Data, severity: Sequence[int]) -> int:
    return sum(s > 0 and len(class_of(rows, i)) == 1 for i, s in enumerate(severity))


# ---- loss -------------------------------------------------------------------------------------------------------------


def divergence(original: Data, masked: Data, dropped: int = 0) -> float:
    """T12 eq. 9.2 over the distinct records of both tables, each counted half a record more than it occurs.

    A removed record is one that became a thing no original record is. The dropped ones are equal to each other.
    """
    were = [*original, *["dropped"] * dropped]
    became = [*masked, *["removed"] * (len(were) - len(masked))]
    every: set[Any] = {*were, *masked}
    whole = len(were) + SMOOTHING * len(every)
    f = {x: (were.count(x) + SMOOTHING) / whole for x in every} | {"removed": Fraction()}
    g = {x: (became.count(x) + SMOOTHING) / whole for x in every}
    g["removed"] = became.count("removed") / whole
    assert sum(f.values()) == sum(g.values()) == 1
    return math.fsum(float(f[x]) * math.log(f[x] / g[x]) for x in every)


def whole(column: PlainColumn) -> float:
    """A relative distance of 1, in the column's own units: what a removed record is away (specification 10)."""
    if column.kind == "nominal" and column.attribute.measure not in ("path", "weighted_edge"):
        return 1.0
    return column.largest


def changed(original: Sequence[Value], masked: Sequence[Value], removed: int = 0) -> Fraction:
    """The share of records whose value is another; a removed record has none."""
    other = sum(a != b for a, b in zip(original, masked, strict=True))
    return Fraction(other + removed, len(original) + removed)


def relative(column: PlainColumn, original: Sequence[Value], masked: Sequence[Value], removed: int = 0) -> float:
    """The mean distance of a column, in 0..1 (T12 eq. 5.1 of one attribute)."""
    parts = [column.relative(a, b) for a, b in zip(original, masked, strict=True)]
    return (math.fsum(parts) + removed) / (len(parts) + removed)


def sum_wsd(column: PlainColumn, original: Sequence[Value], masked: Sequence[Value], removed: int = 0) -> float:
    """T12 eq. 4.8: the sum of distances, in the column's own units."""
    parts = [column.separation(a, b) for a, b in zip(original, masked, strict=True)]
    return math.fsum(parts) + removed * whole(column)


def sse(column: PlainColumn, original: Sequence[Value], masked: Sequence[Value], removed: int = 0) -> float:
    """M13 3.3."""
    parts = [column.separation(a, b) ** 2 for a, b in zip(original, masked, strict=True)]
    return math.fsum(parts) + removed * whole(column) ** 2


def discernibility(rows: Data, removed: int = 0) -> int:
    """Every record counts the size of its class, a removed one the number of all (Bayardo and Agrawal 2005)."""
    return sum(len(class_of(rows, i)) for i in range(len(rows))) + removed * (len(rows) + removed)


#: What stands in the place of a released value that is not there any more.
GONE = object()


def variance_lost(
    original: Sequence[Value],
    released: Sequence[Any],
    candidates: Sequence[Value],
    distance: Callable[[Value, Value], float],
    dropped: int = 0,
) -> float:
    """The share of a column's variance that is lost (specification 10), record by record.

    ``candidates``: what a centre can be, the first of equals wins. ``dropped`` records have lost all they had.
    """
    totals = [math.fsum(distance(x, c) ** 2 for x in original) for c in candidates]
    least = min(totals)
    centre = next(c for c, total in zip(candidates, totals, strict=True) if total <= least * (1 + 1e-9))
    squares = [
        distance(x, centre if y is GONE or (y is None and x is not None) else y) ** 2
        for x, y in zip(original, released, strict=True)
    ]
    lost = math.fsum(squares)
    share = lost / least if least > 0 else math.inf if lost > 0 else 0.0
    return (share * len(original) + dropped) / (len(original) + dropped)


def centres(column: PlainColumn) -> list[Value]:
    """What the centre of a whole column can be, in the order in which equals are taken."""
    if not column.present:
        return [None]
    if column.kind == "numeric":
        return [sum(map(Fraction, column.present)) / len(column.present)]
    if column.kind == "ordinal":
        return list(column.attribute.order)
    if column.kind == "nominal":
        return sorted(pruned_tree(column.taxonomy, column.present), key=column.taxonomy.order)
    counts = Counter(column.present)
    return sorted(counts, key=lambda value: -counts[value])[: 16 if column.kind == "sets" else None]


def information_loss(shares: Sequence[float], weights: Sequence[float]) -> float:
    """IL: 100 times the weighted mean of what columns lost."""
    return 100 * math.fsum(w * share for w, share in zip(weights, shares, strict=True)) / math.fsum(weights)


def record_loss(table: PlainTable, original: Data, now: Data, were: Data, removed: int) -> float:
    """L (T12 eq. 6.4): SSE of what ``were`` before and are ``now``, 1 for each removed; SST of all the original."""
    centre = table.centre(original, "semantic")
    total = math.fsum(table.mean_distance(r, centre) ** 2 for r in original)
    lost = math.fsum(table.mean_distance(r, a) ** 2 for r, a in zip(were, now, strict=True)) + removed
    if lost == 0:
        return 0.0
    return 100 * lost / total if total > 0 else math.inf


# ---- linkage (T12 5.7-5.8, 8.1-8.6, D12) -------------------------------------------------------------------------------


def linkage(
    kind: str,
    original: Data,
    masked: Data,
    attributes: Sequence[PlainAttribute],
    own: Sequence[int],
    dropped: int = 0,
) -> float:
    """The share of all records that are linked correctly. Masked record j was made from the original record own[j]."""
    if not masked:
        return 0.0
    table = PlainTable(original, unweighted(attributes), others=masked)
    chances = []
    for j, i in enumerate(own):
        if kind == "semantic":
            linked, true = least_ones(table.mean_distance(original[i], a) for a in masked), j
        elif kind == "matching":
            linked, true = [at for at, a in enumerate(masked) if a == original[i]], j
        elif kind == "masked_matching":
            linked, true = [at for at, r in enumerate(original) if r == masked[j]], i
        else:
            assert kind == "masked_distance"
            linked, true = least_ones(table.mean_distance(r, masked[j]) for r in original), i
        chances.append(1 / len(linked) if true in linked else 0.0)
    return math.fsum(chances) / (len(original) + dropped)


def score(alpha: float, loss: float, risk: float) -> float:
    """T12 eq. 6.5, both in percent."""
    return 100 * risk if alpha == 0 else alpha * loss + (1 - alpha) * 100 * risk


# ---- NCP --------------------------------------------------------------------------------------------------------------


def certainty_penalty(kind: str, shown: Any, value: Any, *, domain: Any) -> Fraction:
    """The part of its domain that a cell covers: (leaves below - 1) / (all leaves - 1), or of the range.

    ``domain``: the taxonomy, the scale, or the (least, largest) number of the column. '*' is everything.
    """
    if shown is None or shown == value or shown == str(value):
        return Fraction()
    if shown == "*":
        return Fraction(1)
    if kind == "nominal":
        t: Plain = domain
        return Fraction(_leaves(t, shown) - 1, _leaves(t, t.root) - 1)
    if kind == "ordinal":
        first, last = shown.split(" - ")
        return Fraction(domain.index(last) - domain.index(first), len(domain) - 1)
    if kind == "date":
        first, last = next(
            plain_dates.days_of(unit, value) for unit in plain_dates.UNITS if plain_dates.unit(unit, value) == shown
        )
        return min(Fraction((last - first).days + 1, (domain[1] - domain[0]).days), Fraction(1))
    assert kind == "numeric"
    ends = re.fullmatch(r"(-?\d+)-(-?\d+)", shown)
    assert ends is not None, shown
    return min(Fraction(int(ends[2]) + 1 - int(ends[1]), domain[1] - domain[0]), Fraction(1))


def _leaves(t: Plain, concept: str) -> int:
    return sum(not t.children[c] for c in {concept, *t.descendants[concept]})


def rows(frame: Any, names: Sequence[str]) -> list[Record]:
    """The rows of a Polars frame."""
    return list(zip(*(frame[name].to_list() for name in names), strict=True))


# ---- what classes give away, and what masking takes away -----------------------------------------------------------


def disclosed(keys: Sequence[Any], shown: Sequence[Any], own: Sequence[Any], width: float | None) -> tuple[int, int]:
    """Classes whose known values agree (numbers: within a width) in what some of their records really have, and these
    records. ``width`` is None where values are not numbers."""
    classes, records = 0, 0
    for key in set(keys):
        members = [i for i, other in enumerate(keys) if other == key]
        values = [shown[i] for i in members if shown[i] is not None]
        if not values:
            continue
        if width is None:
            if len(set(values)) > 1:
                continue
            hit = [i for i in members if own[i] == values[0]]
        else:
            if max(values) - min(values) > width:
                continue
            middle = min(values) + (max(values) - min(values)) / 2
            hit = [i for i in members if own[i] is not None and abs(own[i] - middle) <= width]
        classes += bool(hit)
        records += len(hit)
    return classes, records


def tail(before: Sequence[float | None], after: Sequence[float | None], end: str) -> dict[str, float]:
    """The lowest or highest twentieth of a column, before and after."""
    was, now = (sorted(x for x in values if x is not None) for values in (before, after))
    if end == "highest":
        turned = tail([None if x is None else -x for x in before], [None if x is None else -x for x in after], "lowest")
        found = {name: -value for name, value in turned.items() if name not in ("records", "beyond")}
        return found | {"low": -turned["high"], "high": -turned["low"]} | {n: turned[n] for n in ("records", "beyond")}
    first, second = (values[: -(-len(values) // 20)] for values in (was, now))
    return {
        "records": len(first),
        "low": first[0],
        "high": first[-1],
        "limit": now[0],
        "beyond": sum(x < now[0] for x in was),
        "mean_before": math.fsum(first) / len(first),
        "mean": math.fsum(second) / len(second),
    }


def vanished(before: Sequence[Any], after: Sequence[Any]) -> tuple[int, int, int]:
    """Categories there were, those that nobody shows any more, and the records that had them."""
    there = {value for value in before if value is not None}
    gone = there - set(after)
    return len(there), len(gone), sum(value in gone for value in before)


# ---- attribute disclosure ----------------------------------------------------------------------------------------------


def learned(
    matching: Sequence[Sequence[int]], shown: Sequence[Any], own: Sequence[Any], width: float | None = None
) -> Fraction | None:
    """The expected share of records whose own value is read off one of the released records that match them.

    ``matching[i]``: the released records among which record i is sought. A missing value is nobody's and is never right;
    ``width``: by how much numbers may differ. None where no record has a value.
    """

    def right(value: Any, read: Any) -> bool:
        if value is None or read is None:
            return False
        return bool(value == read if width is None else abs(value - read) <= width)

    chances = [
        Fraction(sum(right(own[i], shown[j]) for j in among), len(among))
        for i, among in enumerate(matching)
        if own[i] is not None
    ]
    return sum(chances, Fraction()) / len(chances) if chances else None
