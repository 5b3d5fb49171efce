"""IL and the variance that columns lose, record by record from the released frame, on mixed tables of every kind."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from typing import Any

import polars as pl
import pytest

import ontomask as om
from tests.oracle import plain_dates
from tests.oracle.plain_assessment import GONE, information_loss, variance_lost

PARENTS = {
    "dog": "animal",
    "cat": "animal",
    "fish": "animal",
    "poodle": "dog",
    "collie": "dog",
    "siamese": "cat",
    "carp": "fish",
}
TAXONOMY = om.Taxonomy.from_edges(list(PARENTS.items()))
LEAVES = ["poodle", "collie", "siamese", "carp"]
ORDER = ["none", "mild", "fair", "bad", "worst"]
DAY = date(2020, 2, 20)
#: How many tables are drawn in each of the parts that run side by side.
TABLES, PARTS = 2_000, 8

Distance = Callable[[Any, Any], float]


# ---- distances and centres, as the specification says them ---------------------------------------------------------------


def above(concept: str) -> list[str]:
    return [concept, *(above(PARENTS[concept]) if concept in PARENTS else [])]


def wu_palmer(a: str, b: str) -> float:
    shared = next(c for c in above(a) if c in above(b))
    return 1 - 2 * len(above(shared)) / (len(above(a)) + len(above(b)))


def between_sets(a: frozenset[str], b: frozenset[str]) -> float:
    best = [min(wu_palmer(x, y) for y in b) for x in a] + [min(wu_palmer(x, y) for y in a) for x in b]
    return math.fsum(best) / len(best)


def universe(concepts: Sequence[str]) -> list[str]:
    found = {c for concept in concepts for c in above(concept)}
    return sorted(found, key=TAXONOMY.position)


class Kind:
    """A kind of column: how values are drawn, written and read again, how far apart they are, what their centre can be."""

    def __init__(self, name: str) -> None:
        self.name = name

    def attribute(self, **more: Any) -> Any:
        if self.name in ("numeric", "real"):
            return om.Numeric(**more)
        if self.name == "ordinal":
            return om.Ordinal(order=ORDER, **more)
        if self.name == "nominal":
            return om.Nominal(taxonomy=TAXONOMY, measure="wu_palmer", **more)
        if self.name == "set":
            return om.Nominal(taxonomy=TAXONOMY, measure="wu_palmer", many="|", **more)
        return om.Date(**more) if self.name == "date" else om.Flat(**more)

    def draw(self, chance: random.Random) -> Any:
        return {
            "numeric": lambda: chance.choice((3, 7, 20, chance.randint(0, 60), round(chance.expovariate(0.02)))),
            "real": lambda: chance.choice((0.5, chance.uniform(-2, 2))),
            "ordinal": lambda: chance.choice(ORDER),
            "nominal": lambda: chance.choice((*LEAVES, "dog", "siamese")),
            "set": lambda: frozenset(chance.sample(LEAVES, chance.randint(1, 3))),
            "date": lambda: DAY + timedelta(days=chance.choice((0, 3, chance.randint(0, 900)))),
            "flat": lambda: chance.choice("xyzz"),
        }[self.name]()

    def written(self, values: Sequence[Any]) -> pl.Series:
        if self.name == "set":
            values = [None if v is None else "|".join(sorted(v)) for v in values]
        dtype = {"numeric": pl.Int64, "real": pl.Float64, "date": pl.Date}.get(self.name, pl.String)
        return pl.Series(values, dtype=dtype)

    def distance(self, column: Sequence[Any], shown: Sequence[Any] = ()) -> Distance:
        """Of values of a column; a missing one is as far away as two values can be."""
        known = [v for v in column if v is not None]
        apart: Distance = {
            "numeric": lambda a, b: abs(a - b), "real": lambda a, b: abs(a - b),
            "ordinal": lambda a, b: abs(ORDER.index(a) - ORDER.index(b)),
            "date": lambda a, b: abs(place(a) - place(b)),
            "nominal": wu_palmer, "set": between_sets, "flat": lambda a, b: float(a != b),
        }[self.name]  # fmt: skip
        largest = 1.0
        if self.name == "ordinal":
            largest = len(ORDER) - 1
        elif self.name in ("nominal", "set"):
            more = [v for v in shown if v is not None and v is not GONE]
            items = (
                [known, more] if self.name == "nominal" else [[i for v in part for i in v] for part in (known, more)]
            )
            every = universe(items[0] + items[1])
            largest = max((wu_palmer(a, b) for a in items[0] for b in every), default=0.0)
        elif self.name != "flat":
            largest = max((apart(a, b) for a in known for b in known), default=0.0)
        if not largest and self.name in ("numeric", "real", "date"):  # there is no scale: whatever differs is at 1
            return lambda a, b: float(apart(a, b) > 0 if a is not None and b is not None else a is not b)
        return lambda a, b: apart(a, b) if a is not None and b is not None else 0.0 if a is b else largest

    def centres(self, column: Sequence[Any]) -> list[Any]:
        known = [v for v in column if v is not None]
        if not known:
            return [None]
        if self.name in ("numeric", "real"):
            return [math.fsum(known) / len(known)]
        if self.name == "date":
            return [math.fsum(map(place, known)) / len(known)]
        if self.name == "ordinal":
            return ORDER
        if self.name == "nominal":
            return universe(known)
        if self.name == "set" and all(len(v) == 1 for v in known):  # as a column of single concepts
            return [frozenset((c,)) for c in universe([c for v in known for c in v])]
        counts = Counter(known)
        return sorted(counts, key=lambda v: -counts[v])[: 16 if self.name == "set" else None]

    def centre(self, column: Sequence[Any]) -> Any:
        """The centre with the least sum of squared distances, of equals the first."""
        apart = self.distance(column)
        return min(self.centres(column), key=lambda c: math.fsum(apart(x, c) ** 2 for x in column))

    def read(self, text: Any, column: Sequence[Any]) -> Any:
        """What a cell of a generalized release stands for."""
        if text is None or text == "*":
            return None if text is None else GONE
        known = [v for v in column if v is not None]
        if self.name == "numeric":
            low, dash, high = str(text).partition("-")
            if not dash:
                return int(text)
            around = int(low) <= self.centre(column) < int(high) + 1
            return GONE if around else (int(low) + int(high) + 1) / 2
        if self.name == "ordinal":
            first, dash, last = text.partition(" - ")
            from_, to = ORDER.index(first), ORDER.index(last or first)
            if dash and from_ <= ORDER.index(self.centre(column)) <= to:
                return GONE
            inside = sorted(i for i in {ORDER.index(v) for v in known} if from_ <= i <= to)
            return ORDER[inside[(len(inside) - 1) // 2]]
        if self.name == "date":
            if isinstance(text, date):
                return text
            first_day, last_day = days(text, known)
            if text not in map(str, known) and place(first_day) <= self.centre(column) < place(last_day) + 1:
                return GONE
            return (place(max(first_day, min(known))) + place(min(last_day, max(known)))) / 2
        return frozenset(text.split("|")) if self.name == "set" else text


def place(day: Any) -> float:
    return float((day - date(1970, 1, 1)).days) if isinstance(day, date) else float(day)


def days(text: str, known: Sequence[date]) -> tuple[date, date]:
    """The first and the last day of a unit of the calendar; of a day it is the day itself."""
    for value in known:
        for unit in ("day", *plain_dates.UNITS):
            first, last = (value, value) if unit == "day" else plain_dates.days_of(unit, value)
            if text == (str(value) if unit == "day" else plain_dates.unit(unit, value)):
                return first, last
    raise AssertionError(text)


KINDS = [Kind(name) for name in ("numeric", "real", "ordinal", "nominal", "set", "date", "flat")]


# ---- any release -------------------------------------------------------------------------------------------------------


def some_release(kind: Kind, column: Sequence[Any], chance: random.Random) -> tuple[list[Any], list[Any]]:
    """A release of a column cell by cell: as the product reads it, and as what it stands for."""
    how = chance.choice(("same", "one", "some", "any"))
    one = chance.choice([v for v in column if v is not None] or [None])
    frame: list[Any] = []
    means: list[Any] = []
    for value in column:
        shown = {"same": value, "one": one, "some": value}.get(how)
        if how == "any" or (how == "some" and chance.random() < 0.4):
            shown = chance.choice((None, kind.draw(chance), kind.draw(chance)))
            if kind.name == "nominal" and shown is not None:
                shown = chance.choice(above(shown))
            if kind.name == "set" and shown is not None:
                shown = frozenset(chance.choice(above(item)) for item in shown)
        starred = kind.name == "flat" and how != "same" and chance.random() < 0.2
        frame.append("*" if starred else shown)
        means.append(GONE if starred else shown)
    return frame, means


@pytest.mark.parametrize("part", range(PARTS))
def test_any_release(part: int) -> None:
    seen: Counter[str] = Counter()
    for seed in range(part, TABLES, PARTS):
        chance = random.Random(seed)
        n, kinds = chance.randint(1, 14), chance.choices(KINDS, k=chance.randint(1, 4))
        dropping = chance.random() < 0.3
        missing = "drop_record" if dropping else "category"
        gaps = chance.choice((0.0, 0.0, 0.2))
        weights = [chance.choice((1, 1, 2, 0.25)) for _ in kinds]
        columns = [[None if chance.random() < gaps else kind.draw(chance) for _ in range(n)] for kind in kinds]
        there = [i for i in range(n) if not dropping or all(column[i] is not None for column in columns)]
        kept = sorted(chance.sample(there, chance.randint(1, len(there)))) if there else []
        if not kept:
            continue
        attributes, before, after, expected = {}, {}, {}, []
        for at, (kind, column, weight) in enumerate(zip(kinds, columns, weights, strict=True)):
            original = [column[i] for i in there]
            frame, means = some_release(kind, original, chance)
            shown = [means[j] if i in kept else GONE for j, i in enumerate(there)]
            released = [value for value, i in zip(frame, there, strict=True) if i in kept]
            apart = kind.distance(original, [value for value in shown if value is not GONE])
            expected.append(variance_lost(original, shown, kind.centres(original), apart, n - len(there)))
            attributes[f"c{at}"] = kind.attribute(weight=weight, missing=missing)
            before[f"c{at}"], after[f"c{at}"] = kind.written(column), kind.written(released)
            seen[kind.name] += 1
        found = om.information_loss(pl.DataFrame(before), pl.DataFrame(after), attributes, records=kept)
        assert list(found.variance_lost.values()) == pytest.approx([100 * share for share in expected]), seed
        assert found.information_loss == pytest.approx(information_loss(expected, weights)), seed
        seen["removed"] += len(kept) < len(there)
        seen["dropped"] += len(there) < n
        seen["above 100"] += found.information_loss > 100
        seen["infinite"] += math.isinf(found.information_loss)
    assert (
        min(seen[name] for name in (*(kind.name for kind in KINDS), "removed", "dropped", "above 100", "infinite")) > 3
    )


# ---- releases of runs --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("search", ["full_domain", "local", "suppression"])
def test_generalized_and_suppressed(search: str) -> None:
    """Intervals, concepts, units of the calendar, ``*`` and removed records, read from the released frame."""
    hidden = removed = 0
    for seed in range(60):
        chance = random.Random(seed)
        n, kinds = (
            chance.randint(6, 24),
            chance.sample([kind for kind in KINDS if kind.name != "real"], chance.randint(1, 3)),
        )
        gaps = chance.choice((0.0, 0.1))
        weights = [chance.choice((1, 2, 0.5)) for _ in kinds]
        columns = [[None if chance.random() < gaps else kind.draw(chance) for _ in range(n)] for kind in kinds]
        attributes = {
            f"c{at}": kind.attribute(weight=weight, missing="category")
            for at, (kind, weight) in enumerate(zip(kinds, weights, strict=True))
        }
        frame = pl.DataFrame(
            {f"c{at}": kind.written(column) for at, (kind, column) in enumerate(zip(kinds, columns, strict=True))}
        )
        k = chance.randint(2, 3)
        if search == "suppression":
            policy = om.Policy(attributes=attributes, method=om.Suppression(k))
            if frame.group_by(frame.columns).len()["len"].max() < k:  # type: ignore[operator]
                continue
        else:
            limit = chance.choice((0, 0.3)) if search == "full_domain" else 0
            method = om.Generalization(search=search, suppression_limit=limit)  # type: ignore[arg-type]
            policy = om.Policy(attributes=attributes, method=method, require=[om.KAnonymity(k)])
        result = om.anonymize(frame, policy, seed=seed)
        row_of = {int(record): row for row, record in enumerate(result.records)}
        expected = []
        for at, (kind, column) in enumerate(zip(kinds, columns, strict=True)):
            cells = result.data[f"c{at}"].to_list()
            shown = [kind.read(cells[row_of[i]], column) if i in row_of else GONE for i in range(n)]
            hidden += shown.count(GONE)
            apart = kind.distance(column, shown)
            expected.append(variance_lost(column, shown, kind.centres(column), apart))
        removed += n - len(row_of)
        for found in (result.loss(), om.information_loss(frame, result.data, policy, records=list(result.records))):
            assert list(found.variance_lost.values()) == pytest.approx([100 * share for share in expected]), seed
            assert found.information_loss == pytest.approx(information_loss(expected, weights)), seed
    assert hidden > 20
    assert removed > 20 or search == "local"


# ---- landmarks ---------------------------------------------------------------------------------------------------------


def test_an_interval_around_the_centre_says_no_more_than_the_centre() -> None:
    """One interval for all loses all of the variance, and not many times as much; one aside counts as its middle."""
    stays = [1, 2, 2, 3, 4, 5, 5, 6, 8, 319]
    frame = pl.DataFrame({"stay": stays})
    hierarchies = {"stay": om.Intervals(levels=[[0, 320]])}
    method = om.Generalization(hierarchies=hierarchies)
    policy = om.Policy(attributes={"stay": om.Numeric()}, method=method, require=[om.KAnonymity(k=10)])
    result = om.anonymize(frame, policy)
    assert result.data["stay"].unique().to_list() == ["0-319"]
    assert result.loss().variance_lost == pytest.approx({"stay": 100})
    assert om.information_loss(frame, result.data, policy).information_loss == pytest.approx(100)
    hierarchies = {"stay": om.Intervals(levels=[[0, 10, 320], [0, 320]])}
    policy = om.Policy(
        attributes={"stay": om.Numeric()},
        method=om.Generalization(hierarchies=hierarchies, suppression_limit=0.1),
        require=[om.KAnonymity(k=9)],
    )
    result = om.anonymize(frame, policy)
    assert result.data["stay"].unique().to_list() == ["0-9"]
    mean = sum(stays) / len(stays)  # 35.5: not in 0-9, whose middle is 5; the last record is removed
    lost = sum((x - 5) ** 2 for x in stays[:-1]) + (319 - mean) ** 2
    whole = sum((x - mean) ** 2 for x in stays)
    assert result.loss().variance_lost["stay"] == pytest.approx(100 * lost / whole)


def test_only_centres_are_left() -> None:
    for seed in range(60):
        chance = random.Random(seed)
        n = chance.randint(4, 20)
        columns = {kind.name: [kind.draw(chance) for _ in range(n)] for kind in KINDS}
        before, after = {}, {}
        for kind in KINDS:
            column = columns[kind.name]
            apart = kind.distance(column)
            centre = min(kind.centres(column), key=lambda c: math.fsum(apart(x, c) ** 2 for x in column))
            whole = kind.name in ("numeric", "date")  # the mean is no day, and no whole number
            before[kind.name] = pl.Series([place(x) for x in column]) if whole else kind.written(column)
            after[kind.name] = pl.Series([place(centre)] * n) if whole else kind.written([centre] * n)
        attributes = {kind.name: om.Numeric() if kind.name == "date" else kind.attribute() for kind in KINDS}
        found = om.information_loss(pl.DataFrame(before), pl.DataFrame(after), attributes)
        varied = [kind.name for kind in KINDS if len(set(columns[kind.name])) > 1]
        assert [found.variance_lost[name] for name in varied] == pytest.approx([100] * len(varied))
        if len(varied) == len(KINDS):
            assert found.information_loss == pytest.approx(100)
        assert om.information_loss(pl.DataFrame(before), pl.DataFrame(before), attributes).information_loss == 0


def test_numbers_are_sse_over_sst_of_standardized_variables() -> None:
    for seed in range(60):
        chance = random.Random(seed)
        n = chance.randint(2, 30)
        before = {
            name: [chance.expovariate(1 / scale) for _ in range(n)]
            for name, scale in zip("abc", (1, 50, 9e6), strict=True)
        }
        after = {
            name: [x + chance.gauss(0, 1) * (max(column) - min(column)) for x in column]
            for name, column in before.items()
        }
        sse = sst = 0.0
        for name, column in before.items():
            mean = math.fsum(column) / n
            deviation = math.sqrt(math.fsum((x - mean) ** 2 for x in column) / (n - 1))
            sse += math.fsum(((x - y) / deviation) ** 2 for x, y in zip(column, after[name], strict=True))
            sst += math.fsum(((x - mean) / deviation) ** 2 for x in column)
        kinds = {name: om.Numeric() for name in before}
        assert om.information_loss(pl.DataFrame(before), pl.DataFrame(after), kinds).information_loss == pytest.approx(
            100 * sse / sst
        )


def test_a_column_that_did_not_vary() -> None:
    frame = pl.DataFrame({"same": [5, 5, 5], "other": [1, 2, 6]})
    kinds = {"same": om.Numeric(), "other": om.Numeric()}
    rounded = om.information_loss(frame, frame.with_columns(other=pl.lit(3)), kinds)
    assert rounded.variance_lost == {"same": 0, "other": pytest.approx(100)}
    assert om.information_loss(frame, frame[:2], kinds, records=[0, 1]).variance_lost["same"] == 0
    changed = om.information_loss(frame, frame.with_columns(same=pl.Series([5, 5, 6])), kinds)
    assert changed.variance_lost == {"same": math.inf, "other": 0}
    assert changed.information_loss == math.inf


@pytest.mark.parametrize("seed", range(20))
def test_it_is_exactly_100_where_nothing_is_left(seed: int) -> None:
    rng = random.Random(seed)
    columns = [f"c{number}" for number in range(5)]
    frame = pl.DataFrame({name: [rng.gauss(0, 10) for _ in range(9)] for name in columns})
    weights = {name: om.Numeric(weight=rng.uniform(0.01, 1)) for name in columns}
    loss = om.information_loss(
        frame, frame.with_columns(pl.lit(None, pl.Float64).alias(name) for name in columns), weights
    )
    assert loss.information_loss == 100
    assert set(loss.variance_lost.values()) == {100}
