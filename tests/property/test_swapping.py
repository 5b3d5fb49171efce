"""Rank swapping (R17, specification 7): every run is one that the algorithms allow, and each is as likely as it should be."""

from __future__ import annotations

import itertools
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject
from scipy.stats import chi2

import ontomask as om
from ontomask.kernels import coarse, swapping
from ontomask.kernels.blocks import SIZE, Blocks, new_blocks
from ontomask.kernels.ordering import near_order
from ontomask.kernels.space import new_point
from ontomask.masking import rank_swapping
from ontomask.masking.rank_swapping import RankSwapping, Ties
from ontomask.progress import silent
from ontomask.statistics.sample import first_greatest
from tests.oracle import plain_swapping as twin
from tests.oracle.plain_masking import PlainAttribute, PlainColumn
from tests.property.strategies import Case, cases
from tests.property.tables import Sheet, make_sheet, sheets

VARIANTS = ("multivariate", "dynamic", "fixed", "distributional", "random")
TIES: tuple[Ties, ...] = ("together", "random")
seeds = st.integers(0, 2**32)


def draw_sheet(data: DataObject, most: int = 30) -> Sheet:
    return data.draw(sheets(most).filter(lambda sheet: sheet.n > 2))


def draw_k(data: DataObject, n: int) -> int:
    return min(n - 1, data.draw(st.sampled_from((1, 2, 2, 3, 3, 4, 5, 7, 10, n // 3, n // 2, n - 1))) or 1)


def plain_columns(sheet: Sheet) -> list[PlainColumn]:
    return [PlainColumn(a, [r[i] for r in sheet.records]) for i, a in enumerate(sheet.attributes)]


def one_column(sheet: Sheet, i: int) -> Sheet:
    return Sheet((sheet.attributes[i],), (sheet.taxonomies[i],), tuple((r[i],) for r in sheet.records))


def free_counts(sheet: Sheet, method: RankSwapping, seed: int) -> tuple[list[list[int]], list[list[int]]]:
    """Sources and numbers of candidates as the method has them, which tells others only the sums."""
    rng, distance, k = np.random.default_rng(seed), sheet.distance(), method.effective_k(sheet.n)
    if method.variant == "multivariate":
        source, free = rank_swapping.swap_records(sheet.table, distance, k, method.ties, rng, silent)
        return source.tolist(), free.tolist()
    parts = [
        method._one_column(metric, sheet.table.codes_of(a), k, rng, silent) for a, metric in enumerate(distance.metrics)
    ]
    return [s.tolist() for s, _ in parts], [f.tolist() for _, f in parts]


# ---- every run is legal ------------------------------------------------------------------------------------------


def follow(sheet: Sheet, k: int, ties: Ties, seed: int) -> Any:
    swaps = rank_swapping.swapped(sheet.table, sheet.distance(), k, ties, np.random.default_rng(seed), silent)
    turns = swaps.turns[: swaps.now[2]].tolist()
    assert (swaps.turns[swaps.now[2] :] == -1).all()
    assert swaps.done.all()
    assert swaps.now[1] == 0
    distances, equal = twin.square(sheet.plain(), sheet.records), sheet.records if ties == "together" else None
    twin.follow_records(distances, k, turns, swaps.source.tolist(), swaps.free.tolist(), equal)
    return swaps


@settings(max_examples=cases(450))
@given(st.data())
def test_algorithm_3(data: DataObject) -> None:
    """From the most distant record on, always to the farthest; partners among the k nearest, each value once."""
    sheet = draw_sheet(data)
    k = draw_k(data, sheet.n)
    swaps = follow(sheet, k, data.draw(st.sampled_from(TIES)), data.draw(seeds))
    event(f"{int((swaps.source == np.arange(sheet.n)).any())} without partner")


@settings(max_examples=cases(300))
@given(st.data())
def test_algorithm_2(data: DataObject) -> None:
    sheet = one_column(draw_sheet(data), 0)
    follow(sheet, draw_k(data, sheet.n), data.draw(st.sampled_from(TIES)), data.draw(seeds))


@settings(max_examples=cases(300))
@given(st.data())
def test_algorithm_1_and_ranks_by_frequency(data: DataObject) -> None:
    """The ranking is by the plain keys, equal values together where they should be, and the swaps go along it."""
    sheet, variant = draw_sheet(data), data.draw(st.sampled_from(("fixed", "distributional")))
    k, seed, ties = draw_k(data, sheet.n), data.draw(seeds), data.draw(st.sampled_from(TIES))
    method = RankSwapping(k=k, variant=variant, scope="taxonomy", ties=ties)
    for a, (metric, column) in enumerate(zip(sheet.distance().metrics, plain_columns(sheet), strict=True)):
        keys = metric.column.counts if variant == "distributional" else rank_swapping.ranking_keys(metric)
        codes = sheet.table.codes_of(a)
        ranking = rank_swapping.ranked(codes, keys, ties, np.random.default_rng(seed)).tolist()
        assert sorted(ranking) == list(range(sheet.n))
        plain = twin.ranking_keys(column, variant)
        assert not [1 for i, j in itertools.pairwise(ranking) if twin.below(plain[j], plain[i])]
        if ties == "together":
            runs = [value for value, _ in itertools.groupby(column.column[i] for i in ranking)]
            assert len(runs) == len(set(column.column)), "equal values are apart"
        source, free = method._one_column(metric, codes, k, np.random.default_rng(seed), silent)
        twin.follow_ranking(ranking, k, source.tolist(), free.tolist())


@settings(max_examples=cases(100))
@given(st.data())
def test_any_with_any(data: DataObject) -> None:
    """Random swapping: all values find a partner, but one where their number is odd."""
    sheet = draw_sheet(data)
    masked = RankSwapping(variant="random").mask(sheet.table, np.random.default_rng(data.draw(seeds)), silent)
    assert masked.sources is not None
    for source in masked.sources:
        assert (source[source] == np.arange(sheet.n)).all()
        assert (source == np.arange(sheet.n)).sum() == sheet.n % 2


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize(("n", "k"), [(320, 1), (330, 9), (310, 100)])
def test_many_blocks(n: int, k: int, ties: Ties) -> None:
    """Tables where most blocks are never looked through."""
    chance = random.Random(n + k)
    case = Case([(f"n{i}", f"n{(i - 1) // 3}") for i in range(1, 40)] + [("n30", "n2"), ("n17", "n6")])
    columns = [
        chance.choices([f"n{i}" for i in range(3, 40)], [1 + i % 7 for i in range(3, 40)], k=n),
        [round(chance.gauss(chance.choice((0.2, 0.7)), 0.1) * 300) for _ in range(n)],
    ]
    sheet = Sheet(
        (PlainAttribute("nominal", case.plain, "logsc"), PlainAttribute("numeric")),
        (case.real, None),
        tuple(zip(*columns, strict=True)),
    )
    assert sheet.table.p > SIZE
    follow(sheet, k, ties, 1)


# ---- and as likely as it should be --------------------------------------------------------------------------------


TREE = Case([("cat", "animal"), ("dog", "animal"), ("oak", "plant"), ("animal", "thing"), ("plant", "thing")])


def tiny(*columns: Sequence[Any]) -> Sheet:
    attributes, taxonomies = [], []
    for column in columns:
        nominal = isinstance(column[0], str)
        attributes.append(PlainAttribute("nominal", TREE.plain, "logsc") if nominal else PlainAttribute("numeric"))
        taxonomies.append(TREE.real if nominal else None)
    return Sheet(tuple(attributes), tuple(taxonomies), tuple(zip(*columns, strict=True)))


def fits(counted: Counter[Any], chances: twin.Chances) -> None:
    """Chi-square at a chance of one in a million; rare outcomes count as one."""
    total = counted.total()
    assert sum(chances.values()) == 1
    assert set(counted) <= set(chances), "an outcome that cannot be"
    often = {outcome: float(chance) * total for outcome, chance in chances.items() if chance * total >= 5}
    expected, seen = list(often.values()), [counted[outcome] for outcome in often]
    rare = total - sum(expected)
    if rare > 1e-9:
        expected.append(rare)
        seen.append(total - sum(seen))
    statistic = sum((s - e) ** 2 / e for s, e in zip(seen, expected, strict=True) if e > 0.5)
    assert statistic <= chi2.isf(1e-6, max(len(expected) - 1, 1)), (statistic, len(expected))
    assert len(often) > 1


def run_often(sheet: Sheet, k: int, ties: Ties, times: int) -> Counter[Any]:
    """Many runs of the kernel with one generator."""
    table, distance = sheet.table, sheet.distance()
    space = distance.space(table)
    order = near_order(space)
    records, at = table.rows.queues
    first = int(records[at[first_greatest(distance.summed(table))]])
    everyone, untouched = (new_blocks(space, table.counts, order) for _ in range(2))
    point, rng = new_point(space), np.random.default_rng(20)
    counted: Counter[Any] = Counter()
    for _ in range(times):
        swaps = swapping.new_swaps(records, at, table.rows.tuple_of, len(table.columns), k, first)
        waiting = Blocks(*(part.copy() if isinstance(part, np.ndarray) else part for part in untouched))  # type: ignore[arg-type]
        assert swapping.swap_steps(space, everyone, waiting, point, swaps, k, ties == "together", rng, 1000)
        counted[swaps.source.tobytes()] += 1
    shape = (len(table.columns), table.n)
    return Counter(
        {
            twin.swaps_of(np.frombuffer(source, dtype=np.int64).reshape(shape).tolist()): number
            for source, number in counted.items()
        }
    )


#: Name, columns, k: ties at the edge of the interval in few and in many records, and among the farthest.
TINY: dict[str, tuple[Sheet, int]] = {
    "numbers": (tiny((0, 1, 2, 3, 5, 8)), 2),
    "all equal, one of five": (tiny((7, 7, 7, 7, 7, 7)), 1),
    "all equal, three of five": (tiny((7, 7, 7, 7, 7, 7)), 3),
    "two values": (tiny(("cat", "oak", "oak", "cat", "oak")), 1),
    "two values, two of four": (tiny(("cat", "oak", "oak", "cat", "oak")), 2),
    "ties on both sides": (tiny((0, 2, 4, 6, 8, 4)), 2),
    "tree": (tiny(("cat", "dog", "oak", "cat", "thing", "dog")), 2),
    "equals among the tied": (tiny((5, 4, 4, 6, 6, 2)), 3),
    "equals in two columns": (tiny(("cat", "cat", "oak", "dog", "dog"), (1, 1, 1, 1, 1)), 2),
    "two columns": (tiny(("cat", "dog", "oak", "cat"), (1, 2, 2, 3)), 2),
    "two columns, much the same": (tiny(("cat", "cat", "oak", "cat"), (1, 1, 1, 2)), 1),
    "two columns, five records": (tiny(("cat", "cat", "oak", "oak", "dog"), (1, 1, 1, 2, 2)), 2),
}
RUNS = 4000


def chances_of(sheet: Sheet, k: int, ties: Ties) -> twin.Chances:
    distances, equal = twin.square(sheet.plain(), sheet.records), sheet.records if ties == "together" else None
    return twin.all_runs_of_records(distances, len(sheet.attributes), k, equal)


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("name", TINY)
def test_each_outcome_is_as_likely_as_it_should_be(name: str, ties: Ties) -> None:
    sheet, k = TINY[name]
    fits(run_often(sheet, k, ties, RUNS), chances_of(sheet, k, ties))


def test_ties_make_a_difference_in_them() -> None:
    """Elsewhere both settings are the same: no records are equal, or whole groups of equals are in the interval."""
    differ = {name for name, (s, k) in TINY.items() if chances_of(s, k, "together") != chances_of(s, k, "random")}
    assert differ == {"ties on both sides", "tree", "equals among the tied", "equals in two columns"}


def test_both_ways_to_draw_tied_records_are_among_them() -> None:
    """Few of many are drawn again and again until they differ, many by going through all."""
    few, many = set(), set()
    for name, (sheet, k) in TINY.items():
        distances = twin.square(sheet.plain(), sheet.records)
        for reference in range(sheet.n):
            _, tied, need = twin.neighbours(distances, reference, k)
            own = twin.equal(distances[reference][tied[0]], 0.0)  # then the kernel sees the reference with them
            (few if 4 * need < len(tied) + own else many).add(name)
    assert {"all equal, one of five"} <= few - many
    assert {"all equal, three of five", "two values, two of four"} <= many - few


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("variant", ["fixed", "distributional"])
@pytest.mark.parametrize(
    ("values", "k"), [((3, 1, 2, 1, 5), 2), (("cat", "oak", "dog", "cat", "oak", "cat"), 2), ((1, 1, 1, 1), 1)]
)
def test_each_outcome_along_a_ranking(values: Sequence[Any], k: int, variant: str, ties: Ties) -> None:
    sheet = tiny(values)
    method = RankSwapping(k=k, variant=variant, scope="taxonomy", ties=ties)
    [column], [metric] = plain_columns(sheet), sheet.distance().metrics
    rng = np.random.default_rng(4)
    codes = sheet.table.codes_of(0)
    counted = Counter(
        twin.swaps_of([method._one_column(metric, codes, k, rng, silent)[0].tolist()]) for _ in range(RUNS)
    )
    equal = values if ties == "together" else None
    fits(counted, twin.all_runs_of_ranking(twin.ranking_keys(column, variant), k, equal))


@pytest.mark.parametrize("n", [4, 5])
def test_each_outcome_of_any_with_any(n: int) -> None:
    rng = np.random.default_rng(4)
    counted = Counter(twin.swaps_of([rank_swapping._any_with_any(n, rng)[0].tolist()]) for _ in range(RUNS))
    pairings = {4: 3, 5: 15}[n]
    assert len(counted) == pairings
    fits(counted, dict.fromkeys(counted, twin.Fraction(1, pairings)))


# ---- small blocks -------------------------------------------------------------------------------------------------

IN_BLOCKS = ("test_algorithm_3", "test_algorithm_2", "test_small_outcomes")


@pytest.mark.skipif("ONTOMASK_BLOCK" not in os.environ, reason="runs in test_small_blocks")
@pytest.mark.parametrize("name", ["ties on both sides", "two columns, five records"])
def test_small_outcomes(name: str) -> None:
    """Of tied records in several blocks each is as likely as the others."""
    sheet, k = TINY[name]
    for ties in TIES:
        fits(run_often(sheet, k, ties, 700), chances_of(sheet, k, ties))


@pytest.mark.skipif("ONTOMASK_BLOCK" in os.environ, reason="this is it")
def test_small_blocks() -> None:
    """The same with blocks of two tuples: small tables have many, and most are never looked through."""
    here = Path(__file__)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    command += ["-W", "ignore:invalid value encountered:RuntimeWarning"]
    done = subprocess.run(
        command + [f"{here}::{test}" for test in IN_BLOCKS],
        cwd=here.parents[2],
        env=os.environ | {"ONTOMASK_BLOCK": "2", "NUMBA_DISABLE_JIT": "1", "HYPOTHESIS_SCALE": "0.15"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "4 passed" in done.stdout


# ---- what comes out ------------------------------------------------------------------------------------------------


def method_of(variant: str, k: int, **settings: Any) -> RankSwapping:
    return RankSwapping(variant=variant, **({} if variant == "random" else {"k": k}), **settings)


def draw_ties(data: DataObject, variant: str) -> dict[str, Any]:
    return {} if variant == "random" else {"ties": data.draw(st.sampled_from(TIES))}


@settings(max_examples=cases(250))
@given(st.data())
def test_report(data: DataObject) -> None:
    """What it says of moves and candidates is what plain counting finds."""
    sheet, variant, seed = draw_sheet(data), data.draw(st.sampled_from(VARIANTS)), data.draw(seeds)
    method = method_of(variant, draw_k(data, sheet.n), scope="taxonomy", **draw_ties(data, variant))
    masked = method.mask(sheet.table, np.random.default_rng(seed), silent)
    source, free = free_counts(sheet, method, seed)
    assert masked.sources is not None
    assert masked.diagnostics is not None
    assert [s.tolist() for s in masked.sources] == source
    assert masked.diagnostics.table["attribute"].to_list() == [f"c{i}" for i in range(len(sheet.attributes))]
    for i, column in enumerate(plain_columns(sheet)):
        row = masked.diagnostics.table.row(i, named=True)
        assert row["k"] == method.effective_k(sheet.n)
        for name, expected in (twin.moved(column, source[i]) | twin.promised(source[i], free[i])).items():
            assert row[name] == pytest.approx(float(expected), rel=1e-9, abs=1e-12), (f"c{i}", name)
    changed = sum(old != new for old, new in zip(sheet.records, _rearranged(sheet, source), strict=True))
    assert any(note.startswith(f"{changed} of {sheet.n} records show a different") for note in map(str, masked.notes))


def _rearranged(sheet: Sheet, source: Sequence[Sequence[int]]) -> list[tuple[Any, ...]]:
    return [tuple(sheet.records[column[i]][a] for a, column in enumerate(source)) for i in range(sheet.n)]


@settings(max_examples=cases(60))
@given(st.data())
def test_columns_are_permutations(data: DataObject) -> None:
    """On the release itself; and scope="attribute", the default, measures below what subsumes all values."""
    sheet, variant = draw_sheet(data), data.draw(st.sampled_from(VARIANTS))
    k, seed = draw_k(data, sheet.n), data.draw(seeds)
    given_, frame = method_of(variant, k, **draw_ties(data, variant)), sheet.frame(sheet.records)
    attributes = {name: a.changed(missing="category") for name, a in sheet.real_attributes.items()}
    result = om.anonymize(frame, om.Policy(attributes=attributes, method=given_), seed=seed)
    assert result.data.schema == frame.schema
    for name in frame.columns:
        assert Counter(result.data[name].to_list()) == Counter(frame[name].to_list())
    sources = result.masked.sources
    assert sources is not None
    assert result.data.rows() == _rearranged(Sheet((), (), tuple(frame.rows())), [s.tolist() for s in sources])
    narrow = {n: a.changed(scope="attribute") if a.kind == "nominal" else a for n, a in attributes.items()}
    same = om.anonymize(frame, om.Policy(attributes=narrow, method=given_.changed(scope="taxonomy")), seed=seed)
    assert result.data.equals(same.data)
    assert result.diagnostics is not None
    assert same.diagnostics is not None
    assert result.diagnostics.table.equals(same.diagnostics.table)


SPELLED = om.Taxonomy.from_edges(
    [("flu", "disease"), ("cold", "disease"), ("break", "injury"), ("disease", "all"), ("injury", "all")],
    labels={"flu": "Influenza", "cold": "Common cold", "break": "Fracture"},
    synonyms={"flu": ["Grippe"]},
)


def as_polars(frame: Any) -> pl.DataFrame:
    if isinstance(frame, pl.DataFrame):
        return frame
    made = pl.from_arrow(frame) if hasattr(frame, "column_names") else pl.from_pandas(frame)
    assert isinstance(made, pl.DataFrame)
    return made


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("kind", ["polars", "pandas", "pyarrow"])
def test_values_are_moved_as_they_are_written(variant: str, kind: str) -> None:
    """Spelling variants of one concept, categories, dates, floats."""
    from datetime import date

    n = 24
    chance = random.Random(5)
    frame = pl.DataFrame(
        {
            "illness": chance.choices(["flu", "Influenza", "INFLUENZA", "Grippe", "cold", "Fracture", None], k=n),
            "colour": pl.Series(chance.choices(["red", "green", "blue"], k=n), dtype=pl.Categorical),
            "day": [date(2020, 1 + chance.randrange(12), 1) for _ in range(n)],
            "pay": chance.choices([0.1, 0.2, 0.30000000000000004, 1e-9, 12345.678, -0.5], k=n),
            "kept": [f"r{i}" for i in range(n)],
        }
    )
    attributes = {
        "illness": om.Nominal(taxonomy=SPELLED, missing="category"),
        "colour": om.Flat(),
        "day": om.Ordinal(),
        "pay": om.Numeric(),
        "kept": om.Flat(role="other"),
    }
    convert: dict[str, Callable[[], Any]] = {
        "polars": lambda: frame,
        "pandas": frame.to_pandas,
        "pyarrow": frame.to_arrow,
    }
    given_ = convert[kind]()
    result = om.anonymize(given_, om.Policy(attributes=attributes, method=method_of(variant, 5)), seed=3)
    assert type(result.data) is type(given_)
    if kind == "pandas":
        assert (result.data.dtypes == given_.dtypes).all()
        assert list(result.data["colour"].cat.categories) == list(given_["colour"].cat.categories)
    before, after = as_polars(given_), as_polars(result.data)
    for name in ("illness", "colour", "day", "pay"):
        assert Counter(map(repr, before[name].to_list())) == Counter(map(repr, after[name].to_list())), name
    assert after["illness"].to_list() != frame["illness"].to_list()
    assert after["kept"].to_list() == frame["kept"].to_list()
    assert result.diagnostics is not None
    assert result.diagnostics.table["attribute"].to_list() == ["illness", "colour", "day", "pay"]


@pytest.mark.parametrize("variant", VARIANTS)
def test_one_value_only_changes_nothing_and_says_so(variant: str) -> None:
    frame = pl.DataFrame({"a": [4] * 6, "b": ["x"] * 6})
    result = om.anonymize(
        frame, om.Policy(attributes={"a": om.Numeric(), "b": om.Flat()}, method=method_of(variant, 2)), seed=1
    )
    assert result.data.equals(frame)
    assert sum("swapping changes nothing" in note for note in map(str, result.notes)) == 2
    assert result.diagnostics is not None
    assert result.diagnostics.table["changed"].to_list() == [0, 0]
    assert result.diagnostics.table["distance_max"].to_list() == [0, 0]


def test_more_candidates_with_a_larger_k() -> None:
    """Specification 7: about k / 2 are free on average; at k = 2 a fifth to a third of the values find no partner."""
    sheet = make_sheet(11, 3000, ["numeric"])
    sheet = Sheet(sheet.attributes, sheet.taxonomies, tuple((float(i * i % 3001),) for i in range(3000)))
    method = RankSwapping(k=20, variant="dynamic")
    masked = method.mask(sheet.table, np.random.default_rng(1), silent)
    assert masked.diagnostics is not None
    assert 5 < masked.diagnostics.table["candidates_mean"][0] < 15
    assert 1 < masked.diagnostics.table["realised_k"][0] < 20
    two = RankSwapping(k=2, variant="dynamic").mask(sheet.table, np.random.default_rng(1), silent).diagnostics
    assert two is not None
    assert 0.1 < two.table["without_partner"][0] < 0.4


def test_equal_values_stay_where_there_are_more_than_k() -> None:
    """R17 4.3: what is k-anonymous already does not change; and k counts in every algorithm."""
    flat = pl.DataFrame({"a": [letter for letter in "abcdef" for _ in range(50)]})
    shares = {}
    for variant, ties in itertools.product(("fixed", "distributional", "dynamic", "multivariate"), TIES):
        policy = om.Policy(attributes={"a": om.Flat()}, method=RankSwapping(k=5, variant=variant, ties=ties))
        measured = om.anonymize(flat, policy, seed=1).diagnostics
        assert measured is not None
        shares[variant, ties] = measured.table["changed"][0]
    assert shares["fixed", "together"] < 0.1
    assert shares["fixed", "random"] > 0.5
    assert shares["distributional", "together"] < 0.1
    assert shares["distributional", "random"] > 0.5  # all are equally frequent
    assert {share for (variant, _), share in shares.items() if variant in ("dynamic", "multivariate")} == {0.0}


def test_a_column_whose_range_a_few_numbers_make_is_named() -> None:
    """It hardly counts in the distance of records, so that its values go far."""
    chance = np.random.default_rng(1)
    frame = pl.DataFrame({"age": chance.integers(18, 90, 500), "pay": np.exp(chance.normal(10, 1.5, 500))})

    def noted(data: pl.DataFrame, variant: Any = "multivariate", pay: Any = None) -> list[str]:
        attributes = {"age": om.Numeric(), "pay": pay or om.Numeric()}
        method = RankSwapping(k=10, variant=variant)
        notes = list(map(str, om.anonymize(data, om.Policy(attributes=attributes, method=method), seed=1).notes))
        return [note for note in notes if "half of its values lie within" in note]

    [note] = noted(frame)
    assert note.startswith("pay: half of its values lie within")
    assert noted(frame, "dynamic") == noted(frame, "fixed") == []
    assert noted(frame, pay=om.Ordinal()) == []
    assert noted(frame.with_columns(pl.col("pay").log())) == []


def test_r17_figure_4() -> None:
    """The first reference is neuropathy; the ranking from it begins with the disorder, then coma or varicella."""
    case = Case(
        [("coma", "disorder"), ("neuropathy", "disorder"), ("varicella", "disorder"), ("hepatic", "coma"),
         ("hypoglycemic", "coma"), ("ophthalmicus", "varicella"), ("auricularis", "varicella")]
    )  # fmt: skip
    values = "disorder varicella coma neuropathy ophthalmicus auricularis hepatic hypoglycemic".split()
    sheet = Sheet((PlainAttribute("nominal", case.plain, "wu_palmer"),), (case.real,), tuple((v,) for v in values))
    swaps = rank_swapping.swapped(sheet.table, sheet.distance(), 2, "random", np.random.default_rng(1), silent)
    assert values[swaps.turns[0]] == "neuropathy"
    [metric] = sheet.distance().metrics
    for ties in TIES:
        ranking = rank_swapping.ranked(
            sheet.table.codes_of(0), rank_swapping.ranking_keys(metric), ties, np.random.default_rng(1)
        )
        ordered = [values[i] for i in ranking]
        assert ordered[:2] == ["neuropathy", "disorder"]
        assert set(ordered[2:4]) == {"coma", "varicella"}


def test_percent_is_a_share_of_the_records() -> None:
    """R17 3.3: k = p n / 100."""
    frame = pl.DataFrame({"a": list(range(40))})
    policies = [
        om.Policy(attributes={"a": om.Numeric()}, method=RankSwapping(**{name: value}))
        for name, value in (("k", 4), ("percent", 10), ("percent", 10.0))
    ]
    one, two, three = (om.anonymize(frame, policy, seed=2) for policy in policies)
    assert one.data.equals(two.data)
    assert one.data.equals(three.data)
    assert "10 percent of 40 records: k is 4" in map(str, two.notes)


# ---- shortcuts -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("spread", [3, 100, None])
def test_a_line_is_swapped_as_any_table(monkeypatch: pytest.MonkeyPatch, ties: Ties, spread: int | None) -> None:
    """Numbers in order, with gaps of whole numbers (many ties) or without, give what blocks of tuples give."""
    on_line = 0
    for seed in range(4):
        rng = np.random.default_rng([seed, spread or 0])
        n = 4 * SIZE + int(rng.integers(0, 200))
        values = rng.normal(size=n) if spread is None else rng.integers(0, spread * SIZE, n) * 0.1
        method = RankSwapping(k=int(rng.integers(1, 12)), variant="dynamic", ties=ties)
        policy = om.Policy(attributes={"x": om.Numeric()}, method=method)
        frame = pl.DataFrame({"x": values})
        found = om.anonymize(frame, policy, seed=seed).data
        with monkeypatch.context() as patched:
            patched.setattr(rank_swapping, "line_of", lambda *_: None)
            assert om.anonymize(frame, policy, seed=seed).data.equals(found)
        on_line += len(np.unique(values)) > SIZE
    assert on_line


@pytest.mark.parametrize("columns", [6, 9])
def test_coarse_steps_change_nothing(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    rng = np.random.default_rng(columns)
    frame = pl.DataFrame({f"x{a}": rng.normal(size=3 * SIZE).round(1 if a % 2 else 6) for a in range(columns)})
    kinds = {name: om.Numeric() for name in frame.columns}
    for method in (RankSwapping(k=5), om.Microaggregation(k=4), om.Recoding(k=2)):
        policy = om.Policy(attributes=kinds, method=method)
        found = om.anonymize(frame, policy, seed=1).data
        with monkeypatch.context() as patched:
            patched.setattr(coarse, "MANY", 100)
            assert om.anonymize(frame, policy, seed=1).data.equals(found)
