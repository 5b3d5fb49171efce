"""Units of several records (persons) in models and risk, against plain sets: each counts once in a class.

The twins of records are asked about lists in which every unit has the same length: each of its different values once, or
its values in shares, 60 entries for each unit (so that 1 to 6 records share them evenly).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.assessment.attacks import attacks_of
from ontomask.assessment.disclosed import disclosed_of
from ontomask.assessment.readings import risk_readings
from ontomask.assessment.risk import risk_of
from ontomask.errors import DataError, PolicyError
from ontomask.microdata.encoding import TupleUnits
from ontomask.privacy.classes import classes_of
from ontomask.privacy.diagnostics import Swaps
from ontomask.privacy.examined import Examined
from ontomask.privacy.judges import ClassRows
from ontomask.privacy.shared_rows import SharedRows
from ontomask.privacy.units import RECORDS, Units
from ontomask.wording import Unit
from tests.oracle import plain_models as twin
from tests.property.strategies import Case, cases, small_edges
from tests.property.test_models import QUASI, SEEDS, diversity, quasi_columns, quasi_rows, severities, values_of

PERSON = Unit("person", "persons", key="person")
SHARES = 60


@dataclass(frozen=True)
class Persons:
    """Persons of 1 to ``most`` records each, in random order: ``of[i]`` is the person of record i."""

    of: list[int]

    @staticmethod
    def drawn(chance: random.Random, most: int = 6) -> Persons:
        of = [person for person in range(chance.randint(1, 7)) for _ in range(chance.randint(1, most))]
        chance.shuffle(of)
        return Persons(of)

    @property
    def units(self) -> Units:
        return Units(PERSON, np.array(self.of, dtype=np.int64))

    def __len__(self) -> int:
        return len(self.of)

    def among(self, rows: Sequence[int]) -> set[int]:
        return {self.of[i] for i in rows}

    def sets(self, rows: Sequence[int], values: Sequence[Any]) -> list[Any]:
        """Each different value of each person once."""
        return [v for p in self.among(rows) for v in sorted({values[i] for i in rows if self.of[i] == p})]

    def shares(self, rows: Sequence[int], values: Sequence[Any]) -> list[Any]:
        """The values of each person, in shares."""
        found = []
        for person in self.among(rows):
            own = [values[i] for i in rows if self.of[i] == person]
            found += [value for value in own for _ in range(SHARES // len(own))]
        return found

    def weighed(self, variant: str, rows: Sequence[int], values: Sequence[Any]) -> list[Any]:
        return (self.shares if variant == "entropy" else self.sets)(rows, values)


def expected_of(
    persons: Persons,
    frame: pl.DataFrame,
    figure: Callable[[Sequence[int]], float],
    fails: Callable[[Sequence[int]], bool],
    *,
    largest: bool = False,
) -> tuple[bool, float, dict[Any, tuple[int, float]], int]:
    """Whether it holds, the worst figure, persons and figure of each failing class, and the persons in all of them."""
    classes = twin.classes(quasi_rows(frame))
    figures = [figure(rows) for rows in classes.values()]
    failing = {key: rows for key, rows in classes.items() if fails(rows)}
    told = {key: (len(persons.among(rows)), figure(rows)) for key, rows in failing.items()}
    inside = persons.among([i for rows in failing.values() for i in rows])
    return not failing, (max if largest else min)(figures), told, len(inside)


def agree(found: Any, expected: tuple[bool, float, dict[Any, tuple[int, float]], int]) -> None:
    holds, worst, failing, number = expected
    assert found.holds == holds
    assert found.worst == pytest.approx(worst, abs=1e-9)
    assert found.records == number
    rows = found.violations.rows()
    assert {row[:2]: row[2] for row in rows} == {key: persons for key, (persons, _) in failing.items()}
    assert [row[-1] for row in rows] == pytest.approx([failing[row[:2]][1] for row in rows], abs=1e-9)
    assert "records" not in found.text
    assert "records" not in found.violations.columns


# ---- models --------------------------------------------------------------------------------------------------------


@settings(max_examples=cases(120))
@given(SEEDS)
def test_k_anonymity(seed: int) -> None:
    chance = random.Random(seed)
    persons = Persons.drawn(chance)
    frame = pl.DataFrame(quasi_columns(chance, len(persons)))
    k = chance.choice((1, 2, 3, 4))
    found = om.KAnonymity(k=k).check_table(Examined(frame, QUASI, {}, persons.units))
    size = lambda rows: len(persons.among(rows))  # noqa: E731
    agree(found, expected_of(persons, frame, size, lambda rows: size(rows) < k))


@settings(max_examples=cases(120))
@given(SEEDS)
def test_km_anonymity(seed: int) -> None:
    chance = random.Random(seed)
    persons, width = Persons.drawn(chance), chance.randint(1, 4)
    n = len(persons)
    frame = pl.DataFrame({f"c{i}": values_of(chance, "xyzw"[: chance.randint(1, 4)], n) for i in range(width)})
    model = om.KmAnonymity(k=chance.choice((1, 2, 3, 5)), m=chance.randint(1, width))
    sets = {some: of for some, of in twin.km_sizes(frame.rows(), model.m).items() if len(some) == model.m}
    sizes = {(some, key): persons.among(rows) for some, of in sets.items() for key, rows in of.items()}
    small = {at: who for at, who in sizes.items() if len(who) < model.k}
    table = Examined(frame, frame.columns, {}, persons.units)
    found = model.check_table(table)
    assert (found.holds, found.worst) == (not small, min(map(len, sizes.values())))
    assert found.records == len(set().union(*small.values()))
    for row in found.violations.iter_rows(named=True):
        some = tuple(int(name[1:]) for name in row["columns"].split(", "))
        here = [who for (columns, _), who in small.items() if columns == some]
        assert (row["classes"], row["persons"]) == (len(here), len(set().union(*here)))
    # What searches ask: of each class the fewest persons that share any m of its values.
    classes = table.classes
    first = [int(np.flatnonzero(classes.of == c)[0]) for c in range(len(classes))]
    shown = np.array([classes_of(frame, [name]).of[first] for name in frame.columns])
    rows = ClassRows(classes.of, classes.sizes, None, {}, lambda: shown, persons.units)
    cells = [[frame.row(i)[a] for a in range(width)] for i in first]
    least = [min(len(sizes[some, tuple(row[a] for a in some)]) for some in sets) for row in cells]
    assert model.judge(table.sensitive([])).figures(rows).tolist() == least


@pytest.mark.parametrize("variant", ["distinct", "entropy", "recursive"])
@settings(max_examples=cases(80))
@given(seed=SEEDS)
def test_l_diversity(variant: Any, seed: int) -> None:
    """Missing values are none of the l, and a person whose values are missing is not counted."""
    chance = random.Random(seed)
    persons = Persons.drawn(chance)
    values = values_of(chance, "pqrst"[: chance.randint(1, 5)], len(persons))
    frame = pl.DataFrame({**quasi_columns(chance, len(persons)), "s": pl.Series(values, dtype=pl.String)})
    l, c = chance.choice((1, 2, 3)), chance.choice((0.5, 1, 2)) if variant == "recursive" else None
    figure, fails = diversity(variant, l, c)

    def weighed(rows: Sequence[int]) -> list[Any]:
        return persons.weighed(variant, [i for i in rows if values[i] is not None], values)

    model = om.LDiversity(l=l, variant=variant, c=c, attribute="s")
    found = model.check_table(Examined(frame, QUASI, {}, persons.units))
    expected = expected_of(
        persons,
        frame,
        lambda rows: figure(some) if (some := weighed(rows)) else 0.0,
        lambda rows: fails(some) if (some := weighed(rows)) else True,
    )
    if variant == "recursive" and c is not None and c > 1 and l == 1:
        return  # every class holds, but those without a value
    agree(found, expected)


@pytest.mark.parametrize("variant", ["distinct", "entropy", "recursive"])
@settings(max_examples=cases(50))
@given(data=st.data())
def test_l_diversity_of_concepts(variant: Any, data: st.DataObject) -> None:
    case = Case(data.draw(small_edges(tree=True)))
    chance = random.Random(data.draw(SEEDS))
    persons = Persons.drawn(chance)
    some = chance.sample(case.concepts, min(len(case.concepts), 5))
    values = values_of(chance, some, len(persons), holes=False)
    frame = pl.DataFrame({**quasi_columns(chance, len(persons)), "s": values})
    l, c = chance.choice((1, 2, 3)), 1.0 if variant == "recursive" else None
    figure, _ = diversity(variant, l, c)

    def least(rows: Sequence[int]) -> float:
        part = persons.weighed(variant, rows, values)
        if variant == "distinct":
            return twin.widest(case.plain, part)
        return min(figure(read) for read in twin.assignments(case.plain, part))

    model = om.LDiversity(l=l, variant=variant, c=c, attribute="s")
    attributes = {"s": om.Nominal(taxonomy=case.real, role="sensitive")}
    found = model.check_table(Examined(frame, QUASI, attributes, persons.units))
    assert found.worst == pytest.approx(min(map(least, twin.classes(quasi_rows(frame)).values())), abs=1e-9)


@pytest.mark.parametrize("ground", ["equal", "ordered", "hierarchical", "semantic"])
@settings(max_examples=cases(40))
@given(data=st.data())
def test_t_closeness(ground: Any, data: st.DataObject) -> None:
    """A class of the release and the whole original: a person counts once in each."""
    case = Case(data.draw(small_edges()))
    chance = random.Random(data.draw(SEEDS))
    persons = Persons.drawn(chance)
    n = len(persons)
    concepts = chance.sample(case.concepts, min(len(case.concepts), chance.randint(1, 5)))
    values = values_of(chance, range(6) if ground == "ordered" else concepts, n, holes=False)
    frame = pl.DataFrame({**quasi_columns(chance, n), "s": values})
    apart = {
        "equal": lambda: twin.equal_ground,
        "semantic": lambda: twin.equal_ground,
        "ordered": lambda: twin.ordered_ground(sorted(set(values))),
        "hierarchical": lambda: twin.hierarchical_ground(case.plain),
    }[ground]()
    nominal = {"s": om.Nominal(taxonomy=case.real, measure="equality", role="sensitive")}
    attributes: dict[str, Any] = {} if ground == "ordered" else nominal
    kept = sorted(chance.sample(range(n), chance.randint(1, n)))
    left, released = Persons([persons.of[i] for i in kept]), frame[kept]
    original = Examined(frame, QUASI, attributes, persons.units)
    whole, own = persons.shares(range(n), values), [values[i] for i in kept]
    model = om.TCloseness(t=0.3, attribute="s", ground=ground)
    found = model.check_table(Examined(released, QUASI, attributes, original.units.take(np.array(kept))), original)
    far = lambda rows: twin.earth_mover(left.shares(rows, own), whole, apart)  # noqa: E731
    agree(found, expected_of(left, released, far, lambda rows: far(rows) > 0.3 + 1e-9, largest=True))


@pytest.mark.parametrize("how", ["distinct", "entropy", "recursive", "downward", "closeness"])
@settings(max_examples=cases(60))
@given(seed=SEEDS)
def test_severity(how: str, seed: int) -> None:
    """Of a person, as of a record, the largest number counts where the least severe is looked for."""
    chance = random.Random(seed)
    persons, columns = Persons.drawn(chance), chance.choice((("s",), ("s", "z")))
    n, (real, plain) = len(persons), severities(chance, columns)
    cells = {c: values_of(chance, "pqrstuvw", n) for c in columns}
    frame = pl.DataFrame(quasi_columns(chance, n)).with_columns(
        pl.Series(c, cells[c], dtype=pl.String) for c in columns
    )
    l, kinds = chance.choice((1, 2, 3)), [1, 2, 3]
    c = 1.0 if how == "recursive" else None
    numbers = {(c, m): [plain.number(c, value, m) for value in cells[c]] for c in columns for m in kinds}
    records = {m: [max(numbers[c, m][i] for c in columns) for i in range(n)] for m in kinds}
    if how == "closeness":
        model: Any = om.SeverityCloseness(t=0.2, severity=real)
        told = [*numbers.values(), *(records.values() if len(columns) > 1 else ())]
        line = lambda a, b: abs(a - b) / plain.largest  # noqa: E731
        figure = lambda rows: max(  # noqa: E731
            twin.earth_mover(persons.shares(rows, one), persons.shares(range(n), one), line) for one in told
        )
        worst = max
    elif how == "downward":
        model = om.SeverityDiversity(l=l, severity=real, downward=True)
        figure = lambda rows: min(  # noqa: E731
            plain.largest - min(max(records[m][i] for i in rows if persons.of[i] == p) for p in persons.among(rows))
            for m in kinds
        )
        worst = min
    else:
        model = om.SeverityDiversity(l=l, severity=real, variant=how, c=c)
        of_values = diversity(how, l, c)[0]
        figure = lambda rows: min(of_values(persons.weighed(how, rows, one)) for one in numbers.values())  # noqa: E731
        worst = min
    found = model.check_table(Examined(frame, QUASI, {}, persons.units))
    figures = [figure(rows) for rows in twin.classes(quasi_rows(frame)).values()]
    assert found.worst == pytest.approx(worst(figures), abs=1e-9)


@settings(max_examples=cases(60))
@given(SEEDS)
def test_rows_that_stand_for_several_records(seed: int) -> None:
    """Searches join equal records of one unit to one row."""
    chance = random.Random(seed)
    persons = Persons.drawn(chance)
    frame = pl.DataFrame({**quasi_columns(chance, len(persons)), "s": values_of(chance, "pqr", len(persons))})
    table = Examined(frame, QUASI, {}, persons.units)
    seen = table.sensitive(["s"])
    classes, code = table.classes, seen.codes["s"]
    keys = list(zip(classes.of.tolist(), persons.of, code.tolist(), strict=True))
    joined = sorted(set(keys))
    of, unit, codes = (np.array(part, dtype=np.int64) for part in zip(*joined, strict=True))
    weights = np.array([keys.count(key) for key in joined])
    rows = ClassRows(of, classes.sizes, weights, {"s": codes}, units=Units(PERSON, unit))
    each = ClassRows(classes.of, classes.sizes, None, {"s": code}, units=persons.units)
    for model in (om.LDiversity(2, "s"), om.LDiversity(2, "s", variant="entropy"), om.TCloseness(0.2, "s")):
        judge = model.judge(seen)
        assert judge.figures(rows).tolist() == judge.figures(each).tolist()


def test_persons_of_very_many_records() -> None:
    """Where shares have no small common denominator, they are rounded; what needs whole numbers says so."""
    of = [person for person, many in enumerate((11, 13, 17, 7)) for _ in range(many)]
    values = [("a", "b", "c")[(i * i) % 3] for i in range(len(of))]
    frame = pl.DataFrame({"a": ["x"] * len(of), "b": [0] * 46 + [1] * 2, "s": values})
    persons = Persons(of)
    table = Examined(frame, QUASI, {}, persons.units)
    found = om.LDiversity(2, "s", variant="entropy").check_table(table)

    def share(rows: Sequence[int], value: str) -> float:
        own = [[values[i] for i in rows if of[i] == p] for p in persons.among(rows)]
        return sum(part.count(value) / len(part) for part in own) / len(own)

    classes = list(twin.classes(quasi_rows(frame)).values())
    entropies = [-sum(p * np.log(p) for v in "abc" if (p := share(rows, v))) for rows in classes]
    assert found.worst == pytest.approx(np.exp(min(entropies)))
    far = [sum(max(share(rows, v) - share(range(48), v), 0) for v in "abc") for rows in classes]
    assert om.TCloseness(0.2, "s").check_table(table).worst == pytest.approx(max(far))
    tree = om.Taxonomy.from_edges([(value, "any") for value in "abc"])
    nominal = Examined(frame, QUASI, {"s": om.Nominal(taxonomy=tree, role="sensitive")}, persons.units)
    with pytest.raises(DataError, match="too many different numbers of records"):
        om.TCloseness(0.2, "s", ground="semantic").check_table(nominal)


# ---- risk ------------------------------------------------------------------------------------------------------------


@settings(max_examples=cases(120))
@given(SEEDS)
def test_risk(seed: int) -> None:
    """A person is found by the record that is found most easily."""
    chance = random.Random(seed)
    persons = Persons.drawn(chance)
    n = len(persons)
    frame = pl.DataFrame(quasi_columns(chance, n))
    severity = [chance.randrange(4) for _ in range(n)]
    more = chance.randint(0, 10)
    people = Persons([*persons.of, *(chance.randrange(12) for _ in range(more))])
    population = pl.concat([frame, frame[[chance.randrange(n) for _ in range(more)]]])
    found = risk_of(
        Examined(frame, QUASI, {}, persons.units),
        Examined(population, QUASI, {}, people.units),
        np.array(severity, dtype=np.float64),
    )

    rows, every = quasi_rows(frame), quasi_rows(population)
    f = [len(persons.among([j for j in range(n) if rows[j] == row])) for row in rows]
    larger = [len(people.among([j for j in range(len(every)) if every[j] == row])) for row in rows]
    who = sorted(set(persons.of))

    def mean(figures: Sequence[Fraction]) -> float:
        """The mean over persons of their largest figure."""
        return float(sum(max(figures[i] for i in range(n) if persons.of[i] == p) for p in who) / len(who))

    assert (found.records, found.classes) == (len(who), len(set(rows)))
    assert found.smallest == min(f)
    assert found.unique == len({persons.of[i] for i in range(n) if f[i] == 1})
    assert found.below(3) == len({persons.of[i] for i in range(n) if f[i] < 3})
    assert found.prosecutor_largest == 1 / min(f)
    assert found.prosecutor == pytest.approx(mean([Fraction(1, size) for size in f]))
    assert found.journalist_largest == 1 / min(larger)
    assert found.marketer == pytest.approx(mean([Fraction(1, size) for size in larger]))
    assert found.population == len(set(people.of))
    worst = mean([Fraction(s, size) for s, size in zip(severity, f, strict=True)])
    total = mean([Fraction(s) for s in severity])
    assert found.severity_weighted == pytest.approx(worst / total if total else 0)
    assert found.severe_unique == len({persons.of[i] for i in range(n) if f[i] == 1 and severity[i]})
    assert f"unique {PERSON.many}" in found.figures
    assert "record" not in str(found)


@settings(max_examples=cases(60))
@given(SEEDS)
def test_disclosed_values(seed: int) -> None:
    """Persons with a record whose value all of its class have."""
    chance = random.Random(seed)
    persons = Persons.drawn(chance)
    n = len(persons)
    values = values_of(chance, "pqr", n, holes=False)
    frame = pl.DataFrame({**quasi_columns(chance, n), "s": values})
    attributes = {"a": om.Flat(), "b": om.Numeric(), "s": om.Flat(role="sensitive")}
    table = Examined.of(frame, attributes, persons.units)
    row = disclosed_of(table, table, np.arange(n)).row(0, named=True)
    agreeing = [c for c in twin.classes(quasi_rows(frame)).values() if len({values[i] for i in c}) == 1]
    assert row["classes"] == row["classes_before"] == len(agreeing)
    assert row["records"] == row["records_before"] == len(persons.among([i for c in agreeing for i in c]))


# ---- rows that several units share -----------------------------------------------------------------------------------


@settings(max_examples=cases(300))
@given(SEEDS)
def test_units_of_shared_rows_are_counted_by_plain_sets(seed: int) -> None:
    """In classes of rows, and of rows that were joined once or twice; with ``enough``, on the right side of it."""
    chance = random.Random(seed)
    persons = Persons.drawn(chance, most=chance.choice([1, 3, 12]))
    rows = chance.randint(1, 12)
    drawn = [chance.randrange(rows) for _ in persons.of]
    row_of = [sorted(set(drawn)).index(row) for row in drawn]
    number = max(row_of) + 1
    units: Units = SharedRows.of_tuples(TupleUnits(PERSON, np.array(row_of, dtype=np.int32), number, persons.units.of))
    for _ in range(3):
        classes = chance.randint(1, number)
        of = np.array([chance.randrange(classes) for _ in range(number)], dtype=np.int64)
        expected = [len(persons.among([i for i, row in enumerate(row_of) if of[row] == c])) for c in range(classes)]
        assert units.sizes(of, classes).tolist() == expected
        enough = chance.randint(1, 6)
        sizes = units.sizes(of, classes, enough=enough)
        assert (sizes >= enough).tolist() == [size >= enough for size in expected]
        _, first, joined = np.unique(of, return_index=True, return_inverse=True)
        units = units.joined(joined.astype(np.int32), first)
        row_of, number = [int(joined[row]) for row in row_of], len(first)


# ---- each record its own unit, and what cannot count others --------------------------------------------------------------


@settings(max_examples=cases(60))
@given(SEEDS)
def test_a_unit_for_each_record_counts_records(seed: int) -> None:
    """With as many persons as records all figures are those of records."""
    chance = random.Random(seed)
    n = chance.randint(1, 20)
    frame = pl.DataFrame({**quasi_columns(chance, n), "s": values_of(chance, range(4), n)})
    severity = np.array([float(chance.randrange(3)) for _ in range(n)])
    each = Units(PERSON, np.array(chance.sample(range(n), n), dtype=np.int64))
    one, other = (Examined(frame, QUASI, {}, units) for units in (RECORDS, each))
    models = (
        om.KAnonymity(2),
        om.KmAnonymity(2, 1),
        om.LDiversity(2, "s"),
        om.LDiversity(2, "s", variant="entropy"),
        om.LDiversity(2, "s", variant="recursive", c=1),
        om.TCloseness(0.2, "s", ground="ordered"),
    )
    for model in models:
        as_records, as_persons = model.check_table(one), model.check_table(other)
        assert as_records.worst == as_persons.worst
        assert as_records.violations.rows() == as_persons.violations.rows()
        assert as_records.text.replace("record", "person") == as_persons.text
    risks = [list(risk_of(table, severity=severity).figures.values()) for table in (one, other)]
    assert risks[0] == pytest.approx(risks[1])


def test_what_counts_records_alone_says_so() -> None:
    frame = pl.DataFrame({"a": ["x", "x", "y"], "b": [1, 1, 1]})
    persons = Units(PERSON, np.array([0, 0, 1]))
    table = Examined(frame, QUASI, {}, persons)
    swaps = Swaps(pl.DataFrame({"attribute": ["a"], "realised_k": [3.0]}), apart=False)
    with pytest.raises(PolicyError, match="it cannot count persons"):
        om.ProbabilisticKAnonymity(2).check_made(table, None, swaps)
    with pytest.raises(DataError, match="the table has 2 records, and the persons of 3 are known"):
        table.beside(frame.head(2))
    assert table.beside(frame.head(2), np.array([0, 1])).number == 1
    with pytest.raises(DataError, match="persons are counted in the table and records in the population"):
        risk_of(table, Examined(frame, QUASI, {}, RECORDS))
    with pytest.raises(DataError, match="there are 2 persons"):
        om.KAnonymity(3).require_enough(table)


def test_sentences_name_what_was_counted() -> None:
    frame = pl.DataFrame({"a": ["x", "x", "x", "y"], "b": [1, 1, 1, 1], "s": ["p", "p", "q", "q"]})
    table = Examined(frame, QUASI, {}, Units(PERSON, np.array([0, 0, 1, 2])))
    risk = risk_of(table, severity=np.array([0.0, 1, 0, 2]))
    assert risk_readings(risk) == [
        "1 of 3 persons is unique on a and b.",
        "3 of 3 persons are in classes of fewer than 5; there are 2 classes.",
        (
            "An intruder who knows these columns of a record in the data picks the right person with a probability of "
            "66.7% on average, 100% at worst."
        ),
        "Weighted by severity, the mean probability is 83.3%. Of the persons with a severity above 0, 1 is unique.",
    ]
    found = om.KAnonymity(2).check_table(table)
    assert found.text == "2-anonymity: 1 of 2 classes has fewer than 2 persons (1 person in all); the smallest has 1"
    assert om.KAnonymity(2).explain(PERSON).endswith("is shared by at least 2 persons.")
    assert "at least 2 persons" in om.Microaggregation(k=2).explain(PERSON)
    assert "at least 2 persons" in str(om.Microaggregation(k=2).assurances(PERSON)[0])
    assert attacks_of({}, risk, 3, 3)[0].words.endswith("picks a person of it")
