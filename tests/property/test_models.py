"""Privacy models against plain twins on random tables, and their claims on more general tables (specification 8, S18 3-4)."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.policy.policy import _MODELS
from ontomask.privacy.diagnostics import Swaps
from ontomask.privacy.examined import Examined
from ontomask.privacy.models import ClassModel
from ontomask.privacy.units import RECORDS
from tests.oracle import plain_models as twin
from tests.oracle.plain import distance_matrix
from tests.property.strategies import Case, cases, small_edges

QUASI = ["a", "b"]
SEEDS = st.integers(0, 2**32)
SCALE = ["low", "a bit", "half", "much", "all"]
MEASURES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("logsc", {}),
    ("wu_palmer", {}),
    ("wu_palmer", {"depth": "edges"}),
    ("path", {}),
    ("equality", {}),
    ("lin", {}),
    ("lin", {"ic": "corpus"}),
    ("jiang_conrath", {"ic": "sanchez"}),
    ("leacock_chodorow", {}),
    ("weighted_edge", {}),
)


def quasi_columns(chance: random.Random, n: int) -> dict[str, list[Any]]:
    """Few values, some of them missing, so that classes are of all sizes."""
    letters = chance.sample("xyzw", chance.randint(1, 4))
    numbers = chance.sample(range(-3, 6), chance.randint(1, 4))
    holes = chance.choice((0, 0, 0.2))
    hole = lambda v: None if chance.random() < holes else v  # noqa: E731
    return {
        "a": [hole(chance.choice(letters)) for _ in range(n)],
        "b": [hole(chance.choice(numbers)) for _ in range(n)],
    }


def values_of(chance: random.Random, among: Sequence[Any], n: int, holes: bool = True) -> list[Any]:
    """Values of unequal frequency."""
    often = [0.1 + chance.random() ** 2 for _ in among]
    lost = chance.choice((0, 0, 0.2)) if holes else 0
    return [None if chance.random() < lost else v for v in chance.choices(list(among), often, k=n)]


def size(chance: random.Random) -> int:
    return chance.choice((1, 2, 3, 5, 8, 12, 16, 20))


def quasi_rows(frame: pl.DataFrame) -> list[tuple[Any, ...]]:
    return frame.select(QUASI).rows()


def agree(found: Any, expected: twin.PlainFinding, figure: str | None) -> None:
    """The same verdict, the same worst figure, the same failing classes with their sizes, the worst first."""
    assert found.holds == expected.holds
    assert found.worst == pytest.approx(expected.worst, abs=1e-9)
    assert found.records == expected.records
    rows = found.violations.rows(named=True)
    assert {(row["a"], row["b"]): row["records"] for row in rows} == {k: n for k, (_, n) in expected.failing.items()}
    assert len(rows) == len(expected.failing)
    name = figure or "records"
    figures = [row[name] for row in rows]
    assert figures == pytest.approx([expected.failing[row["a"], row["b"]][0] for row in rows], abs=1e-9)
    if figures:
        assert figures[0] == pytest.approx(found.worst, abs=1e-9)
        ordered = sorted(figures, reverse=figure == "distance")
        assert figures == pytest.approx(ordered, abs=1e-9)


# ---- sizes --------------------------------------------------------------------------------------------------------


@settings(max_examples=cases(160))
@given(SEEDS)
def test_k_anonymity(seed: int) -> None:
    chance = random.Random(seed)
    frame = pl.DataFrame(quasi_columns(chance, size(chance)))
    k = chance.choice((1, 2, 2, 3, 4, 7))
    expected = twin.finding(twin.classes(quasi_rows(frame)), len, lambda rows: len(rows) < k)
    agree(om.KAnonymity(k=k).check(frame, QUASI), expected, None)


@settings(max_examples=cases(160))
@given(SEEDS)
def test_km_anonymity(seed: int) -> None:
    """Every set of at most m columns, the smaller ones too."""
    chance = random.Random(seed)
    n, width = size(chance), chance.randint(1, 4)
    frame = pl.DataFrame({f"c{i}": values_of(chance, "xyzw"[: chance.randint(1, 4)], n) for i in range(width)})
    k, m = chance.choice((1, 2, 3, 5)), chance.randint(1, 5)
    sets = twin.km_sizes(frame.rows(), min(m, width))
    small = [(some, rows) for some, of in sets.items() for rows in of.values() if len(rows) < k]
    found = om.KmAnonymity(k=k, m=m).check(frame, frame.columns)
    assert found.holds == (not small)
    assert found.worst == min(len(rows) for of in sets.values() for rows in of.values())
    assert found.records == len({i for _, rows in small for i in rows})
    widest = {some for some, _ in small if len(some) == min(m, width)}
    assert set(found.violations["columns"]) == {", ".join(f"c{i}" for i in some) for some in widest}
    for row in found.violations.iter_rows(named=True):
        some = tuple(int(name[1:]) for name in row["columns"].split(", "))
        sizes = [len(rows) for rows in sets[some].values() if len(rows) < k]
        assert (row["classes"], row["records"], row["smallest"]) == (len(sizes), sum(sizes), min(sizes))


# ---- l-diversity --------------------------------------------------------------------------------------------------


def diversity(
    variant: str, l: float, c: float | None
) -> tuple[Callable[[list[Any]], float], Callable[[list[Any]], bool]]:
    """The figure of a list of values, and whether it fails."""
    if variant == "distinct":
        return twin.distinct, lambda values: twin.distinct(values) < l
    if variant == "entropy":
        return twin.effective, lambda values: twin.effective(values) < l - 1e-9
    assert c is not None
    return (
        lambda values: twin.tail_over_first(values, int(l)),
        lambda values: not twin.recursive_holds(values, c, int(l)),
    )


FIGURES = {"distinct": "values", "entropy": "exp(entropy)", "recursive": "tail / first"}


@pytest.mark.parametrize("variant", list(FIGURES))
@settings(max_examples=cases(160))
@given(seed=SEEDS)
def test_l_diversity(variant: str, seed: int) -> None:
    """One sensitive column or, where none is named, every one; a missing value is a value or counts for nothing."""
    chance = random.Random(seed)
    n = size(chance)
    secret = {name: values_of(chance, chance.sample("pqrstu", chance.randint(1, 6)), n) for name in ("s", "z")}
    frame = pl.DataFrame({**quasi_columns(chance, n), **secret}, schema_overrides={"s": pl.String, "z": pl.String})
    named = chance.random() < 0.6
    l = chance.choice((1, 2, 2, 3, 4) if variant != "entropy" else (1, 1.5, 2, 2.5, 3))
    c = chance.choice((0.5, 1, 2, 3, 1 / 3)) if variant == "recursive" else None
    missing: Any = chance.choice(("ignored", "value"))
    model = om.LDiversity(l=l, variant=variant, c=c, attribute="s" if named else None, missing=missing)  # type: ignore[arg-type]
    columns = ["s"] if named else ["s", "z"]
    figure, fails = diversity(variant, l, c)

    def counted(name: str, rows: Sequence[int]) -> list[Any]:
        values = [secret[name][i] for i in rows]
        return values if missing == "value" else [value for value in values if value is not None]

    expected = twin.finding(
        twin.classes(quasi_rows(frame)),
        lambda rows: min(figure(part) if (part := counted(name, rows)) else 0 for name in columns),
        lambda rows: any(not (part := counted(name, rows)) or fails(part) for name in columns),
    )
    attributes = {name: om.Flat(role="sensitive") for name in secret} | {name: om.Flat() for name in QUASI}
    agree(model.check(frame, QUASI, attributes), expected, FIGURES[variant])


#: The same text, written otherwise.
DISGUISES: tuple[Callable[[str], str], ...] = (
    str.upper,
    str.title,
    lambda text: f" {text}",
    lambda text: f"{text}\u00a0\t",
    lambda text: text.replace(" ", " \u2003"),
    lambda text: f"\ufeff{text[:1]}\u200b{text[1:]}",
    lambda text: unicodedata.normalize("NFD", text),
    lambda text: text.translate({ord("f"): "\uff46", ord("1"): "\uff11"}),
)
NOTHING = ("NA", "n/a", "N. A.", "Unknown", " ", "", "?", "-", "null", "keine Angabe", "Desconocido", "non renseigné")
TEXTS = ("flu", "hiv 1", "Ménière", "straße", "none", "rash é")


@pytest.mark.parametrize("variant", list(FIGURES))
@settings(max_examples=cases(120))
@given(seed=SEEDS)
def test_spellings_are_no_diversity(variant: str, seed: int) -> None:
    """A disguised column is as diverse as the plain one: texts in other spellings, nothing said in many ways."""
    chance = random.Random(seed)
    n = size(chance)
    values = values_of(chance, chance.sample(TEXTS, chance.randint(1, 6)), n)
    disguised = []
    for value in values:
        text = chance.choice((None, *NOTHING)) if value is None else value
        for _ in range(chance.randint(0, 3) if value is not None else 0):
            text = chance.choice(DISGUISES)(text)
        assert value is None or twin.spelled(text) == twin.spelled(value)
        disguised.append(text)
    quasi = quasi_columns(chance, n)
    frame = pl.DataFrame({**quasi, "s": disguised}, schema_overrides={"s": chance.choice((pl.String, pl.Categorical))})
    l = chance.choice((1, 2, 2, 3))
    c = chance.choice((0.5, 1, 2)) if variant == "recursive" else None
    missing: Any = chance.choice(("ignored", "value"))
    model = om.LDiversity(l=l, variant=variant, c=c, attribute="s", missing=missing)  # type: ignore[arg-type]
    figure, fails = diversity(variant, l, c)

    def counted(rows: Sequence[int]) -> list[Any]:
        return [values[i] for i in rows if missing == "value" or values[i] is not None]

    expected = twin.finding(
        twin.classes(quasi_rows(frame)),
        lambda rows: figure(part) if (part := counted(rows)) else 0,
        lambda rows: not (part := counted(rows)) or fails(part),
    )
    attributes = {"s": chance.choice((om.Flat(role="sensitive"), om.Nominal(taxonomy=SPELLED, role="sensitive")))}
    agree(model.check(frame, QUASI, attributes), expected, FIGURES[variant])
    t = some_t(chance)
    close = om.TCloseness(t=t, attribute="s").check(frame, QUASI, attributes)
    agree(close, closeness(frame, values, t, twin.equal_ground), "distance")


@pytest.mark.parametrize("variant", list(FIGURES))
@pytest.mark.parametrize("tree", [True, False], ids=["trees", "DAGs"])
@settings(max_examples=cases(90))
@given(data=st.data())
def test_general_values_add_no_diversity(variant: str, tree: bool, data: st.DataObject) -> None:
    """Distinct: the largest antichain. Entropy, recursive: the least over all ways to read general values as special
    ones; exactly that in trees, and never more in DAGs."""
    case = Case(data.draw(small_edges(tree=tree)))
    chance = random.Random(data.draw(SEEDS))
    n = few(chance)
    values = values_of(
        chance, chance.sample(case.concepts, min(len(case.concepts), chance.randint(1, 6))), n, holes=False
    )
    frame = pl.DataFrame({**quasi_columns(chance, n), "s": values})
    attributes = {"s": om.Nominal(taxonomy=case.real, role="sensitive")}
    l = chance.choice((1, 2, 2, 3))
    c = chance.choice((0.5, 1, 2)) if variant == "recursive" else None
    model = om.LDiversity(l=l, variant=variant, c=c, attribute="s")  # type: ignore[arg-type]
    figure, fails = diversity(variant, l, c)

    def least(rows: Sequence[int]) -> float:
        part = [values[i] for i in rows]
        if variant == "distinct":
            return twin.widest(case.plain, part)
        return min(figure(read) for read in twin.assignments(case.plain, part))

    def fail(rows: Sequence[int]) -> bool:
        part = [values[i] for i in rows]
        if variant == "distinct":
            return twin.widest(case.plain, part) < l
        return any(fails(read) for read in twin.assignments(case.plain, part))

    expected = twin.finding(twin.classes(quasi_rows(frame)), least, fail)
    found = model.check(frame, QUASI, attributes)
    if tree or variant == "distinct":
        agree(found, expected, FIGURES[variant])
    else:
        assert found.worst <= expected.worst + 1e-9
        assert {row[:2] for row in found.violations.rows()} >= set(expected.failing)


@pytest.mark.parametrize("variant", list(FIGURES))
@pytest.mark.parametrize("tree", [True, False], ids=["trees", "DAGs"])
@settings(max_examples=cases(90))
@given(data=st.data())
def test_joined_classes_are_as_diverse_as_the_least_of_them(variant: str, tree: bool, data: st.DataObject) -> None:
    """What searches rely on, unless the model says that they must not."""
    case = Case(data.draw(small_edges(tree=tree)))
    chance = random.Random(data.draw(SEEDS))
    values = values_of(chance, case.concepts, 2 * few(chance), holes=False)
    apart = pl.DataFrame({"q": [chance.choice("xyz") for _ in values], "s": values})
    attributes = {"s": om.Nominal(taxonomy=case.real, role="sensitive")}
    l, c = chance.choice((1, 2, 3)), 1.0 if variant == "recursive" else None
    model = om.LDiversity(l=l, variant=variant, c=c, attribute="s")  # type: ignore[arg-type]
    sure = model.judge(model.sensitive(Examined(apart, [], attributes, RECORDS))).monotone
    assert sure or (variant != "distinct" and not tree)
    if sure:
        joined = model.check(apart.with_columns(q=pl.lit("x")), ["q"], attributes).worst
        assert joined >= model.check(apart, ["q"], attributes).worst - 1e-9


@settings(max_examples=cases(120))
@given(SEEDS)
def test_numbers_far_apart(seed: int) -> None:
    chance = random.Random(seed)
    n, scale = size(chance), chance.choice((1, 0.1))
    values = values_of(chance, [x * scale for x in chance.sample(range(-9, 30), chance.randint(1, 8))], n)
    frame = pl.DataFrame({**quasi_columns(chance, n), "s": pl.Series(values, dtype=pl.Float64)})
    l, least = chance.choice((1, 2, 2, 3)), chance.choice((1, 2, 3, 5, 12)) * scale
    far = lambda a, b: abs(a - b) >= least * (1 - 1e-9)  # noqa: E731

    def figure(rows: Sequence[int]) -> int:
        return twin.far_apart((values[i] for i in rows if values[i] is not None), far)

    expected = twin.finding(twin.classes(quasi_rows(frame)), figure, lambda rows: figure(rows) < l)
    agree(om.LDiversity(l=l, attribute="s", min_distance=least).check(frame, QUASI), expected, "values")


@settings(max_examples=cases(110))
@given(data=st.data())
def test_concepts_far_apart(data: st.DataObject) -> None:
    """None part of another, and by the column's measure at least so far apart; counted up to l."""
    case = Case(data.draw(small_edges()))
    chance = random.Random(data.draw(SEEDS))
    n = few(chance)
    measure, options = chance.choice(MEASURES)
    values = values_of(
        chance, chance.sample(case.concepts, min(len(case.concepts), chance.randint(1, 7))), n, holes=False
    )
    present = list(dict.fromkeys(values))
    asked = options | ({"counts": {v: values.count(v) for v in present}} if options.get("ic") == "corpus" else {})
    table = np.array(distance_matrix(case.plain, present, measure, **asked), dtype=float)
    distances = sorted({float(d) for d in table.ravel() if d > 0}) or [1.0]
    least, l = chance.choice(distances) * chance.choice((0.9, 1)), chance.choice((1, 2, 2, 3))

    def far(a: str, b: str) -> bool:
        apart = float(table[present.index(a), present.index(b)])
        return apart >= least * (1 - 1e-9) and twin.is_antichain(case.plain, (a, b))

    def figure(rows: Sequence[int]) -> int:
        return min(l, twin.far_apart((values[i] for i in rows), far))

    frame = pl.DataFrame({**quasi_columns(chance, n), "s": values})
    attributes = {"s": om.Nominal(taxonomy=case.real, measure=measure, options=options, role="sensitive")}
    expected = twin.finding(twin.classes(quasi_rows(frame)), figure, lambda rows: figure(rows) < l)
    agree(om.LDiversity(l=l, attribute="s", min_distance=least).check(frame, QUASI, attributes), expected, "values")


@pytest.mark.parametrize("often", [(11, 9), (17, 3), (18, 11), (25, 7), (7, 3)])
def test_recursive_diversity_where_both_sides_are_equal(often: tuple[int, int]) -> None:
    """r_1 < c r_2 does not hold where c r_2 is r_1."""
    first, second = often
    frame = pl.DataFrame({"q": [1] * (first + second), "s": ["x"] * first + ["y"] * second})
    model = om.LDiversity(l=2, variant="recursive", c=first / second, attribute="s")
    assert not model.check(frame, ["q"]).holds


def test_entropy_of_equal_shares_is_exact() -> None:
    for l in range(1, 30):
        frame = pl.DataFrame({"q": [1] * 3 * l, "s": list(range(l)) * 3})
        assert om.LDiversity(l=l, variant="entropy", attribute="s").check(frame, ["q"]).holds


SPELLED = om.Taxonomy.from_edges(
    [("A", "all"), ("A1", "A"), ("A2", "A"), ("B", "all"), ("B1", "B")],
    labels={"A1": "fever", "A2": "cough", "B1": "rash"},
    synonyms={"A1": ["high temperature"]},
)


def test_spellings_of_one_concept_are_one_value() -> None:
    frame = pl.DataFrame({"q": ["x"] * 3 + ["y"] * 2, "s": ["A1", "Fever", "high temperature", "fever", "rash"]})
    attributes = {"q": om.Flat(), "s": om.Nominal(taxonomy=SPELLED, role="sensitive")}
    found = om.LDiversity(l=2, attribute="s").check(frame, ["q"], attributes)
    assert found.violations.rows() == [("x", 3, 1.0)]
    assert om.LDiversity(l=2, attribute="s").check(frame, ["q"]).holds  # as mere texts they differ
    # Four fevers in five: the class of fevers alone is at 1 - 4/5.
    for ground in ("equal", "hierarchical", "semantic"):
        model = om.TCloseness(t=0.0, attribute="s", ground=ground)  # type: ignore[arg-type]
        one = model.check(frame.filter(pl.col("q") == "x"), ["q"], attributes)
        assert one.holds
    assert om.TCloseness(t=1, attribute="s").check(frame, ["q"], attributes).worst == pytest.approx(0.3)


# ---- t-closeness --------------------------------------------------------------------------------------------------


def closeness(
    frame: pl.DataFrame,
    values: Sequence[Any],
    t: float,
    apart: Callable[[Any, Any], float],
    whole: Sequence[Any] | None = None,
) -> twin.PlainFinding:
    whole = values if whole is None else whole
    known: dict[Any, float] = {}

    def distance(rows: Sequence[int]) -> float:
        part = [values[i] for i in rows]
        key = tuple(sorted(map(repr, part)))
        if key not in known:
            known[key] = twin.earth_mover(part, whole, apart)
        return known[key]

    return twin.finding(twin.classes(quasi_rows(frame)), distance, lambda rows: distance(rows) > t + 1e-9, largest=True)


def some_t(chance: random.Random) -> float:
    return chance.choice((0, 0.1, 0.17, 0.23, 0.31, 0.47, 0.61, 1))


def few(chance: random.Random) -> int:
    return chance.choice((1, 2, 4, 6, 9, 12))


@settings(max_examples=cases(100))
@given(SEEDS)
def test_equal_closeness(seed: int) -> None:
    chance = random.Random(seed)
    n = few(chance)
    values = values_of(chance, chance.sample("pqrstu", chance.randint(1, 6)), n)
    frame = pl.DataFrame({**quasi_columns(chance, n), "s": pl.Series(values, dtype=pl.String)})
    t = some_t(chance)
    found = om.TCloseness(t=t, attribute="s").check(frame, QUASI)
    agree(found, closeness(frame, values, t, twin.equal_ground), "distance")


@settings(max_examples=cases(110))
@given(SEEDS)
def test_ordered_closeness(seed: int) -> None:
    """Numbers by size, ordinal values by their order; the values that occur count."""
    chance = random.Random(seed)
    n = few(chance)
    quasi, t = quasi_columns(chance, n), some_t(chance)
    attributes: dict[str, Any] = {}
    if chance.random() < 0.5:
        values = values_of(chance, chance.sample(range(-20, 20), chance.randint(1, 6)), n, holes=False)
        places = sorted(set(values))
    else:
        values = values_of(chance, chance.sample(SCALE, chance.randint(1, 5)), n, holes=False)
        places = [v for v in SCALE if v in values]
        attributes = {"s": om.Ordinal(order=SCALE, role="sensitive")}
    frame = pl.DataFrame({**quasi, "s": values})
    found = om.TCloseness(t=t, attribute="s", ground="ordered").check(frame, QUASI, attributes)
    agree(found, closeness(frame, values, t, twin.ordered_ground(places)), "distance")


def test_ordered_closeness_of_many_classes_is_exact() -> None:
    """Every class is the whole table in small: it is at 0, however many there are."""
    n = 60_000
    frame = pl.DataFrame({"q": np.repeat(np.arange(n), 3), "s": np.tile([0, 1, 2], n)})
    assert om.TCloseness(t=0, attribute="s", ground="ordered").check(frame, ["q"]).holds


@pytest.mark.parametrize("tree", [True, False], ids=["trees", "DAGs"])
@settings(max_examples=cases(90))
@given(data=st.data())
def test_hierarchical_closeness(tree: bool, data: st.DataObject) -> None:
    case = Case(data.draw(small_edges(tree=tree)))
    chance = random.Random(data.draw(SEEDS))
    n = few(chance)
    values = values_of(
        chance, chance.sample(case.concepts, min(len(case.concepts), chance.randint(1, 6))), n, holes=False
    )
    frame = pl.DataFrame({**quasi_columns(chance, n), "s": values})
    attributes = {"s": om.Nominal(taxonomy=case.real, role="sensitive")}
    t = some_t(chance)
    found = om.TCloseness(t=t, attribute="s", ground="hierarchical").check(frame, QUASI, attributes)
    agree(found, closeness(frame, values, t, twin.hierarchical_ground(case.plain)), "distance")


@settings(max_examples=cases(110))
@given(data=st.data())
def test_semantic_closeness(data: st.DataObject) -> None:
    """The measure of the column; one without an upper bound over the largest distance between values of the column."""
    case = Case(data.draw(small_edges()))
    chance = random.Random(data.draw(SEEDS))
    n = few(chance)
    measure, options = chance.choice(MEASURES)
    scope: Any = chance.choice(("taxonomy", "attribute"))
    values = values_of(
        chance, chance.sample(case.concepts, min(len(case.concepts), chance.randint(1, 6))), n, holes=False
    )
    present = list(dict.fromkeys(values))
    asked = options | ({"counts": {v: values.count(v) for v in present}} if options.get("ic") == "corpus" else {})
    table = np.array(distance_matrix(case.plain, present, measure, scope=scope, **asked), dtype=float)
    if measure in ("path", "weighted_edge") and table.max() > 0:
        table = table / table.max()
    frame = pl.DataFrame({**quasi_columns(chance, n), "s": values})
    attributes = {
        "s": om.Nominal(taxonomy=case.real, measure=measure, options=options, scope=scope, role="sensitive"),
    }
    t = some_t(chance)
    found = om.TCloseness(t=t, attribute="s", ground="semantic").check(frame, QUASI, attributes)
    expected = closeness(frame, values, t, lambda a, b: float(table[present.index(a), present.index(b)]))
    agree(found, expected, "distance")


@settings(max_examples=cases(100))
@given(SEEDS)
def test_the_distribution_of_the_original_is_kept(seed: int) -> None:
    """A release that lost records is compared with the whole original."""
    chance = random.Random(seed)
    n = few(chance) + 1
    ground: Any = chance.choice(("equal", "ordered"))
    values = values_of(chance, chance.sample(range(9), chance.randint(1, 6)), n, holes=False)
    original = pl.DataFrame({**quasi_columns(chance, n), "s": values})
    kept = sorted(chance.sample(range(n), chance.randint(1, n)))
    release, t = original[kept], some_t(chance)
    apart = twin.equal_ground if ground == "equal" else twin.ordered_ground(sorted(set(values)))
    expected = closeness(release, release["s"].to_list(), t, apart, values)
    found = om.TCloseness(t=t, attribute="s", ground=ground).check_table(
        Examined(release, QUASI, {}, RECORDS), Examined(original, QUASI, {}, RECORDS)
    )
    agree(found, expected, "distance")


def test_numbers_that_are_none_are_a_value_of_the_original_too() -> None:
    """NaN is a value like any other: a release that lost a record is still compared with the whole original."""
    original = pl.DataFrame({"q": ["a"] * 4 + ["b"] * 4 + ["c"], "s": [float("nan"), 1.0] * 4 + [2.0]})
    policy = om.Policy(
        attributes={"q": om.Flat(), "s": om.Numeric(role="sensitive")},
        method=om.Suppression(k=2),
        require=[om.TCloseness(t=0.05, attribute="s")],
    )
    with pytest.raises(om.errors.NotSatisfied, match=r"the farthest is at 0\.111"):
        om.anonymize(original, policy)


@pytest.mark.parametrize(
    "values",
    [
        pl.Series(["hi", "lo", "mid"], dtype=pl.Enum(["lo", "mid", "hi"])),
        pl.Series(["2024-05-31", "2023-01-01", "2023-12-31"]),
        pl.Series([3, 1, 2]),
    ],
    ids=["ordered categories", "dates as text", "numbers"],
)
def test_ordinal_columns_with_an_order_of_their_own(values: pl.Series) -> None:
    """docs/policy.md: numbers, dates (also as text) and ordered categoricals have their own order."""
    frame = pl.DataFrame({"q": ["ends", "ends", "middle"], "s": values})
    found = om.TCloseness(t=0.2, attribute="s", ground="ordered").check(
        frame, ["q"], {"s": om.Ordinal(role="sensitive")}
    )
    assert [(row[0], row[1]) for row in found.violations.rows()] == [("middle", 1)]
    assert found.worst == pytest.approx(1 / 3)


# ---- severity -----------------------------------------------------------------------------------------------------

SMALL = ("1.1.1", "1.2.1", "1.3.1", "2.1.1", "2.1.2", "2.2.1", "2.2.2", "2.3.1", "2.3.2")
COMMON = ("2.1.1", "2.1.1", "2.2.1", "2.3.1")  # so that numbers above 1 are no rarity


def severities(chance: random.Random, columns: Sequence[str] = ("s", "z")) -> tuple[om.Severity, twin.PlainSeverity]:
    """A definition over one or two flat columns, told twice."""
    sets: dict[tuple[str, str, frozenset[str]], None] = {}
    for column in columns:
        for _ in range(chance.randint(1, 6)):
            members = frozenset(chance.sample("pqrstu", chance.randint(1, 4)))
            sets[column, chance.choice((*SMALL, *COMMON, *COMMON)), members] = None
    said = [
        {"name": f"set {i}", "small_class": small, "where": {column: {"values": sorted(members)}}}
        for i, (column, small, members) in enumerate(sets)
    ]
    head = {"title": "t", "institution": "i", "date": "2024-01-31", "source": "us"}
    real = om.Severity({**head, "columns": {c: {"kind": "flat"} for c in columns}, "sets": said})
    return real, twin.PlainSeverity(list(sets))


@settings(max_examples=cases(160))
@given(SEEDS)
def test_severity_diversity(seed: int) -> None:
    """O(m)-l, O-l, their downward kinds (S18 def. 2 and 3), and entropy and recursive on the numbers."""
    chance = random.Random(seed)
    n, columns = size(chance), chance.choice((("s",), ("s", "z")))
    real, plain = severities(chance, columns)
    assert (real.largest_in_class_2, real.largest) == (plain.n, plain.largest)
    rows = [
        dict(zip(columns, values, strict=True))
        for values in zip(*(values_of(chance, "pqrstuvw", n) for _ in columns), strict=True)
    ]
    frame = pl.DataFrame(quasi_columns(chance, n)).with_columns(
        pl.Series(c, [row[c] for row in rows], dtype=pl.String) for c in columns
    )
    m = chance.choice((None, 1, 2, 3))
    kinds = [m] if m else [1, 2, 3]
    how, l = chance.choice(("distinct", "downward", "downward", "entropy", "recursive")), chance.choice((1, 2, 2, 3))
    c = chance.choice((0.5, 1, 2)) if how == "recursive" else None
    variant: Any = "distinct" if how == "downward" else how
    model = om.SeverityDiversity(l=l, severity=real, middle_class=m, downward=how == "downward", variant=variant, c=c)  # type: ignore[arg-type]
    if how == "downward":
        figure: Any = lambda some: plain.room([rows[i] for i in some], columns, kinds)  # noqa: E731
        fails: Any = lambda some: figure(some) < l  # noqa: E731
    else:
        of_values, failing = diversity(variant, l, c)
        figure = lambda some: plain.diverse([rows[i] for i in some], columns, kinds, of_values)  # noqa: E731
        fails = lambda some: any(  # noqa: E731
            failing([plain.number(name, rows[i][name], kind) for i in some]) for name in columns for kind in kinds
        )
    expected = twin.finding(twin.classes(quasi_rows(frame)), figure, fails)
    agree(model.check(frame, QUASI), expected, "room" if how == "downward" else "severities")


# ---- a property of a run ------------------------------------------------------------------------------------------


@settings(max_examples=cases(100))
@given(st.lists(st.sampled_from((1.0, 1.5, 2.0, 2.99, 3.0, 4.2, 7.0)), min_size=1, max_size=4), st.integers(1, 8))
def test_probabilistic_k_anonymity_of_a_run(realised: list[float], k: int) -> None:
    report = pl.DataFrame(
        {
            "attribute": [f"c{i}" for i in range(len(realised))],
            "candidates_mean": realised,
            "without_partner": [0.0] * len(realised),
            "realised_k": realised,
        }
    )
    table = Examined(pl.DataFrame({"q": range(10)}), ["q"], {}, RECORDS)
    found = om.ProbabilisticKAnonymity(k=k).check_made(table, None, Swaps(report))
    failing = {f"c{i}" for i, value in enumerate(realised) if value < k}
    assert (found.holds, found.worst, found.records) == (not failing, min(realised), 10 if failing else 0)
    assert set(found.violations["attribute"]) == failing


def test_probabilistic_k_anonymity_of_a_table() -> None:
    """A k-anonymous table has it; of any other a table alone does not tell."""
    frame = pl.DataFrame({"q": [1, 1, 2, 2]})
    assert om.ProbabilisticKAnonymity(k=2).check(frame, ["q"]).holds
    found = om.ProbabilisticKAnonymity(k=3).check(frame, ["q"])
    assert not found.holds
    assert not found.checked
    assert "property of how the table was made" in found.text


def test_probabilistic_k_anonymity_of_real_runs() -> None:
    chance = random.Random(5)
    frame = pl.DataFrame(
        {"a": [chance.randint(0, 40) for _ in range(60)], "b": [chance.randint(0, 40) for _ in range(60)]}
    )
    for k in (2, 12):
        policy = om.Policy(
            attributes={"a": om.Numeric(), "b": om.Numeric()},
            method=om.RankSwapping(k=k),
            require=[om.ProbabilisticKAnonymity(k=3)],
        )
        result = om.anonymize(frame, policy, seed=1, allow_unsatisfied=True)
        assert result.diagnostics is not None
        assert result.verification.holds == (min(result.diagnostics.realised_k.values()) >= 3)
        # Nobody sees it in the release, so it is not said to be verified there.
        found = [said.kind for said in result.guarantees if said.subject == "probabilistic 3-anonymity"]
        assert found == ["recorded" if result.verification.holds else "failed"]


@pytest.mark.parametrize("variant", ["dynamic", "fixed", "distributional"])
def test_candidates_of_columns_swapped_apart_are_no_promise_for_records(variant: Any) -> None:
    """With one column they are; with two, only a k-anonymous release is probabilistically k-anonymous."""
    chance = random.Random(6)
    frame = pl.DataFrame({name: [chance.random() for _ in range(60)] for name in "ab"})
    method, asked = om.RankSwapping(k=20, variant=variant), om.ProbabilisticKAnonymity(k=3)

    def run(data: pl.DataFrame) -> Any:
        attributes: dict[str, Any] = {name: om.Numeric() for name in data.columns}
        policy = om.Policy(attributes=attributes, method=method, require=[asked])
        result = om.anonymize(data, policy, seed=1, allow_unsatisfied=True)
        assert min(result.diagnostics.realised_k.values()) >= 3
        return result.verification.findings[0]

    assert run(frame.select("a")).holds
    found = run(frame)
    assert not found.holds
    assert not found.checked
    assert "does not follow from swapping each column by itself" in found.text
    same = frame.with_columns(a=pl.lit(1.0), b=pl.int_range(60) // 20)  # three classes of 20, whoever is swapped
    assert run(same.select("a", pl.col("b") * 0.0)).holds


def test_why_it_is_no_promise() -> None:
    """Records are linked far more often than the candidates of their values would have it, but for Algorithm 3."""
    chance = np.random.default_rng(2)
    frame = pl.DataFrame({name: chance.random(400) for name in "abc"})
    attributes: dict[str, Any] = {name: om.Numeric() for name in frame.columns}
    linked, promised = {}, {}
    for variant in ("multivariate", "dynamic", "fixed"):
        result = om.anonymize(
            frame, om.Policy(attributes=attributes, method=om.RankSwapping(k=10, variant=variant)), seed=1
        )
        linked[variant] = om.record_linkage(frame, result.data, attributes)
        assert result.diagnostics is not None
        promised[variant] = 1 / min(result.diagnostics.realised_k.values())
    assert linked["multivariate"] < promised["multivariate"]
    assert linked["dynamic"] > 2 * promised["dynamic"]
    assert linked["fixed"] > 2 * promised["fixed"]


# ---- more general tables ------------------------------------------------------------------------------------------


def models(chance: random.Random) -> list[tuple[Any, Mapping[str, Any]]]:
    """One of each model that is stated on classes, with what it has to know of the columns."""
    sensitive = {"s": om.Flat(role="sensitive"), "n": om.Numeric(role="sensitive")}
    severity, _ = severities(chance, ("s",))
    l, t, m = chance.choice((2, 2, 3)), chance.choice((0.1, 0.2, 0.3, 0.4, 0.5)), chance.choice((None, 1, 2))
    placed = {"s": om.Nominal(taxonomy=LETTERS, role="sensitive", measure=chance.choice(("path", "wu_palmer")))}
    found: list[tuple[Any, Mapping[str, Any]]] = [
        (om.KAnonymity(k=chance.choice((2, 3, 4))), {}),
        (om.LDiversity(l=l, attribute="s"), {}),
        (om.LDiversity(l=chance.choice((1.5, 2, 2.5)), variant="entropy", attribute="s"), {}),
        (om.LDiversity(l=2, variant="recursive", c=chance.choice((1, 2, 3)), attribute="s"), {}),
        (om.LDiversity(l=2), sensitive),
        (om.TCloseness(t=t, attribute="s"), {}),
        (om.TCloseness(t=t, attribute="n", ground="ordered"), {}),
        (om.TCloseness(t=t, attribute="s", ground="hierarchical"), placed),
        (om.TCloseness(t=t, attribute="s", ground="semantic"), placed),
        (om.SeverityDiversity(l=l, severity=severity, middle_class=m), {}),
        (om.SeverityDiversity(l=chance.choice((1, 2)), severity=severity, middle_class=m, downward=True), {}),
        (om.SeverityDiversity(l=2, severity=severity, middle_class=m, variant="entropy"), {}),
        (om.SeverityDiversity(l=2, severity=severity, middle_class=m, variant="recursive", c=2), {}),
        (om.SeverityCloseness(t=t, severity=severity, middle_class=m), {}),
        (om.KmAnonymity(k=chance.choice((2, 3, 4)), m=1), {}),
    ]
    return found


def test_every_model_that_is_stated_on_classes_is_tried() -> None:
    stated = {kind for kind in _MODELS if issubclass(kind, ClassModel)}
    assert {type(model) for model, _ in models(random.Random(1))} == stated


LETTERS = om.Taxonomy.from_edges(
    [("p", "1"), ("q", "1"), ("r", "2"), ("s", "2"), ("t", "2"), ("u", "all"), ("1", "all"), ("2", "all"), ("q", "2")]
)


@settings(max_examples=cases(110))
@given(SEEDS)
def test_what_holds_holds_for_more_general_tables(seed: int) -> None:
    """Classes are joined at random: a model that claims it stays satisfied, and its failing records do not grow."""
    chance = random.Random(seed)
    n = chance.choice((4, 8, 12, 20, 30))
    frame = pl.DataFrame(
        {
            "q": [chance.randrange(chance.choice((2, 4, 8))) for _ in range(n)],
            "s": values_of(chance, "pqrstu"[: chance.randint(2, 6)], n, holes=False),
            "n": [chance.randrange(5) for _ in range(n)],
        }
    )
    joined = {value: chance.randrange(4) for value in range(8)}
    general = frame.with_columns(pl.col("q").replace_strict(joined))
    for model, attributes in chance.sample(models(chance), 5):
        before, after = (model.check(table, ["q"], attributes) for table in (frame, general))
        if model.monotone(suppressing=False) and before.holds:
            assert after.holds, model
        if model.monotone(suppressing=True):
            assert model.monotone(suppressing=False)
            assert after.records <= before.records, model


def test_who_claims_what() -> None:
    """The table of docs/privacy.md."""
    claims = {
        True: [True, True, False, False, True, False, False, False, False, True, True, False, False, False, False],
        False: [True] * 15,
    }
    chance = random.Random(0)
    listed = models(chance)
    for suppressing, expected in claims.items():
        assert [model.monotone(suppressing=suppressing) for model, _ in listed] == expected


COUNTEREXAMPLES: list[tuple[Any, list[str], list[str]]] = [
    # A class that held is joined with one that failed, and the whole fails: more records are in failing classes.
    (om.LDiversity(l=2, variant="entropy", attribute="s"), list("xy"), list("xxxx")),
    (om.LDiversity(l=2, variant="recursive", c=2, attribute="s"), list("xy"), list("xxxx")),
    (om.TCloseness(t=0.25, attribute="s"), list("xxxxxxxyyy"), list("x" * 10)),
]


@pytest.mark.parametrize(("model", "good", "bad"), COUNTEREXAMPLES, ids=lambda x: getattr(x, "name", None))
def test_why_others_do_not(model: Any, good: list[str], bad: list[str]) -> None:
    assert not model.monotone(suppressing=True)
    rest = list("x" * 33 + "y" * 47) if model.name == "t_closeness" else []
    values = [*good, *bad, *rest]
    special = pl.DataFrame({"q": ["good"] * len(good) + ["bad"] * len(bad) + ["rest"] * len(rest), "s": values})
    general = special.with_columns(pl.col("q").replace({"good": "both", "bad": "both"}))
    before, after = model.check(special, ["q"]), model.check(general, ["q"])
    assert before.records == len(bad)
    assert after.records == len(good) + len(bad)


def test_why_severity_entropy_does_not() -> None:
    severity, _ = severities(random.Random(1), ("s",))
    grave = next(v for v in "pqrstu" if severity.of_values("s", [v])[0, 0] > 0)
    frame = pl.DataFrame({"q": ["good"] * 2 + ["bad"] * 4, "s": [grave, "w", *[grave] * 4]})
    for more in ({"variant": "entropy"}, {"variant": "recursive", "c": 2}):
        model = om.SeverityDiversity(l=2, severity=severity, middle_class=1, **more)  # type: ignore[arg-type]
        assert not model.monotone(suppressing=True)
        assert model.check(frame, ["q"]).records == 4
        assert model.check(frame.with_columns(q=pl.lit("both")), ["q"]).records == 6
