"""Hierarchies as levels of columns: what is shown, what it costs (specification 7, 10), and what is refused."""

from __future__ import annotations

import itertools
import random
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.hierarchies.levels import ColumnLevels
from ontomask.microdata.encoding import encode
from tests.property.strategies import Case, cases, dags

TREE = om.Taxonomy.from_edges(
    [
        ("A", "all"),
        ("A1", "A"),
        ("A11", "A1"),
        ("A12", "A1"),
        ("A2", "A"),
        ("B", "all"),
        ("B1", "B"),
        ("B2", "B"),
        ("C", "all"),
    ]
)  # leaves: A11, A12, A2, B1, B2, C


def column_levels(values: list[Any], attribute: Any, hierarchy: Any = None, dtype: Any = None) -> ColumnLevels:
    table = encode(pl.DataFrame({"v": pl.Series(values, dtype=dtype)}), {"v": attribute}, ["v"])
    (found,) = om.Generalization(hierarchies={} if hierarchy is None else {"v": hierarchy}).column_levels(table)
    return found


def told(found: ColumnLevels) -> list[dict[Any, tuple[Any, float]]]:
    """Of each level: what is shown for each value, and its penalty."""
    return [
        {
            value: (level.shown[int(g)], round(float(level.penalty[g]), 9))
            for value, g in zip(found.column.values.to_list(), level.group.tolist(), strict=True)
        }
        for level in found.levels
    ]


def shown(found: ColumnLevels) -> list[list[Any]]:
    return [[text for text, _ in level.values()] for level in told(found)]


def penalties(found: ColumnLevels) -> list[list[float]]:
    return [[penalty for _, penalty in level.values()] for level in told(found)]


# ---- taxonomies ---------------------------------------------------------------------------------------------------


def test_levels_of_a_taxonomy_by_depth() -> None:
    """Values that are less deep than a level stay at it; penalties are by leaves."""
    found = column_levels(["A11", "A12", "A2", "B1", "C", "B"], om.Nominal(taxonomy=TREE))
    assert shown(found) == [
        ["A11", "A12", "A2", "B1", "C", "B"],
        ["A1", "A1", "A2", "B1", "C", "B"],
        ["A", "A", "A", "B", "C", "B"],
        ["all"] * 6,
    ]
    assert penalties(found) == [
        pytest.approx([0, 0, 0, 0, 0, 0.2]),  # B covers what is below it, also as it was
        pytest.approx([0.2, 0.2, 0, 0, 0, 0.2]),
        pytest.approx([0.4, 0.4, 0.4, 0.2, 0, 0.2]),
        [1] * 6,
    ]


def test_levels_of_a_taxonomy_by_height() -> None:
    """Level i: the lowest ancestor with at least i levels below it."""
    found = column_levels(["A11", "A12", "A2", "B1", "C"], om.Nominal(taxonomy=TREE), om.TaxonomyLevels(cut="height"))
    assert shown(found) == [
        ["A11", "A12", "A2", "B1", "C"],
        ["A1", "A1", "A", "B", "all"],
        ["A", "A", "A", "all", "all"],
        ["all"] * 5,
    ]
    assert penalties(found)[1] == pytest.approx([0.2, 0.2, 0.4, 0.2, 1])


@settings(
    max_examples=cases(100),
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(dags(), st.integers(0, 2**32), st.sampled_from(("depth", "height")))
def test_levels_of_any_taxonomy(case: Case, seed: int, cut: Any) -> None:
    """They nest, show subsumers of each value, get no deeper, cost by the leaves below, and end in one for all."""
    chance, t = random.Random(seed), case.plain
    values = chance.sample(case.concepts, chance.randint(1, min(8, len(case.concepts))))
    if chance.random() < 0.3:
        values.append(None)
    found = column_levels(
        values, om.Nominal(taxonomy=case.real, missing="category"), om.TaxonomyLevels(cut=cut), pl.String
    )
    leaves = {c: sum(not t.children[d] for d in {c, *t.descendants[c]}) for c in t.parents}
    levels = told(found)
    whole = max(leaves[t.root] - 1, 1)
    assert levels[0] == {v: (v, 0.0 if v is None else pytest.approx((leaves[v] - 1) / whole)) for v in values}
    assert len({label for label, _ in levels[-1].values()}) == 1
    for lower, upper in itertools.pairwise(levels):
        joined: dict[Any, Any] = {}
        for v in values:
            assert joined.setdefault(lower[v][0], upper[v][0]) == upper[v][0]
        assert len(set(upper.values())) <= len(set(lower.values()))
        for v in values:
            label, penalty = upper[v]
            if v is None or label == "*":
                assert (label, penalty) in ((None, 0.0), ("*", 1.0))
                continue
            assert label in t.subsumers[v]
            assert lower[v][0] == label or label in t.subsumers[lower[v][0]]
            assert penalty == pytest.approx((leaves[label] - 1) / max(leaves[t.root] - 1, 1))


# ---- files --------------------------------------------------------------------------------------------------------


def test_levels_of_a_file(tmp_path: Path) -> None:
    """Leaves are the values of the file, in the data or not; a value may stay as it is."""
    path = tmp_path / "h.csv"
    path.write_text("a;x;X;*\nb;x;X;*\nc;y;X;*\nd;y;X;*\ne;e;e;*\n")
    found = column_levels(["a", "c", "b", "e"], om.Flat(), om.LevelsFile(path=str(path)))
    assert shown(found) == [["a", "c", "b", "e"], ["x", "y", "x", "e"], ["X", "X", "X", "e"], ["*"] * 4]
    assert penalties(found) == [[0] * 4, [0.25, 0.25, 0.25, 0], [0.75, 0.75, 0.75, 0], [1] * 4]


def test_a_file_without_a_top_is_given_one(tmp_path: Path) -> None:
    path = tmp_path / "h.csv"
    path.write_text("a;x\nb;x\nc;y\n")
    found = column_levels(["a", "b", "c", None], om.Flat(missing="category"), om.LevelsFile(path=str(path)))
    assert shown(found) == [["a", "b", "c", None], ["x", "x", "y", None], ["*"] * 4]
    assert penalties(found)[1:] == [[0.5, 0.5, 0, 0], [1] * 4]


def test_numbers_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "h.csv"
    path.write_text("1,low,*\n2,low,*\n3,high,*\n")
    for attribute in (om.Numeric(), om.Flat(), om.Ordinal()):
        found = column_levels([1, 2, 3], attribute, om.LevelsFile(path=str(path), delimiter=","))
        assert shown(found)[1:] == [["low", "low", "high"], ["*"] * 3]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "a;x;*\nb;x;*\n",
            r"column 'v': the hierarchy does not have 2 values of the column: 'c', 'd'\. Add them to h\.csv",
        ),
        ("a;x;*\nb;x\nc;y;*\nd;y;*\n", r"h\.csv, line 2: 2 levels where the rows before have 3"),
        ("a;x;*\nb;x;*\na;y;*\n", r"h\.csv, line 3: the value 'a' has a row already, line 1"),
        ("a;x;p\nb;x;q\nc;y;q\nd;y;q\n", r"level 2.* separates what level .*level 1.* joins"),
        ("a;x;p;*\nb;x;q;*\nc;y;p;*\nd;y;q;*\n", r"level 2.* separates what level .*level 1.* joins"),
        ("a;x;p;*\nb;x;q;*\nc;x;r;*\nd;y;s;*\n", r"level 2.* separates what level .*level 1.* joins"),
    ],
    ids=["values that are not there", "unequal", "twice", "not nested", "crosswise", "finer"],
)
def test_files_that_are_no_hierarchy(tmp_path: Path, text: str, expected: str) -> None:
    path = tmp_path / "h.csv"
    path.write_text(text)
    with pytest.raises(om.errors.OntomaskError, match=expected):
        column_levels(["a", "b", "c", "d"], om.Flat(), om.LevelsFile(path=str(path)))


# ---- intervals ----------------------------------------------------------------------------------------------------


def test_given_intervals() -> None:
    """By cut points or by ends; the penalty is the interval's part of the range of the column."""
    for levels in (
        [[0, 20, 40, 60, 120], [0, 60, 120]],
        [[[0, 20], [20, 40], [40, 60], [60, 120]], [[0, 60], [60, 120]]],
    ):
        found = column_levels([10, 19, 20, 59, 60, 110], om.Numeric(), om.Intervals(levels=levels))
        assert shown(found)[1:3] == [
            ["0-19", "0-19", "20-39", "40-59", "60-119", "60-119"],
            ["0-59", "0-59", "0-59", "0-59", "60-119", "60-119"],
        ]
        assert penalties(found)[1:] == [
            pytest.approx([0.2, 0.2, 0.2, 0.2, 0.6, 0.6]),
            pytest.approx([0.6] * 6),
            [1] * 6,
        ]


def test_the_last_cut_point_is_covered_by_what_is_shown() -> None:
    """Generalized values are true (docs: "values are true, only more general"): 120 is not in 60-119."""
    found = column_levels([10, 110, 120], om.Numeric(), om.Intervals(levels=[[0, 60, 120]]))
    low, high = map(float, shown(found)[1][2].strip("[])").replace("-", ",").split(","))
    assert low <= 120 <= high
    order = ["none", "mild", "bad", "worse", "worst"]
    ranks = column_levels(order, om.Ordinal(order=order), om.Intervals(levels=[[0, 2, 4]]))
    assert shown(ranks)[1][4] == "bad - worst"


@pytest.mark.parametrize("values", [[0, 3, 7, 12], [-12, -7, -3, 0], [-2, -1, 0, 1, 2], [-5.5, 2.5, 9]], ids=str)
@pytest.mark.parametrize(
    "hierarchy",
    [None, om.Intervals(width=2), om.Intervals(width=5, factor=3, origin=1)],
    ids=["default", "2", "5 from 1"],
)
def test_built_intervals_end_in_one(values: list[float], hierarchy: Any) -> None:
    found = column_levels(values, om.Numeric(), hierarchy)
    assert len(found.levels[-1]) == 1
    for level in found.levels[1:]:
        assert ((level.penalty > 0) & (level.penalty <= 1)).all()


def test_built_intervals_double_from_the_origin() -> None:
    found = column_levels([3, 4, 5, 9, 12], om.Numeric(), om.Intervals(width=2, origin=1))
    assert shown(found)[1] == ["3-4", "3-4", "5-6", "9-10", "11-12"]
    assert shown(found)[2] == ["1-4", "1-4", "5-8", "9-12", "9-12"]
    assert penalties(found)[1] == pytest.approx([2 / 9] * 5)
    assert penalties(found)[-1] == [1] * 5


@pytest.mark.parametrize("width", [0.1, 0.2, 0.3, 0.05])
def test_built_intervals_of_fractions_nest(width: float) -> None:
    """Cut points that are no binary fractions are still the same at each level."""
    values = [round(0.01 * i, 2) for i in range(10, 200)]
    found = column_levels(values, om.Numeric(), om.Intervals(width=width))
    assert len(found.levels[-1]) == 1


def test_fractions_in_large_numbers_are_shown() -> None:
    """Different intervals look different, and cover what they stand for."""
    values = [1000001.5, 1000001.6, 1000002.5, 1000003.5]
    found = column_levels(values, om.Numeric(), om.Intervals(width=1))
    for value, (text, _) in told(found)[1].items():
        low, high = map(float, text.strip("[])").split(","))
        assert low <= value <= high
        assert high - low == pytest.approx(1)


def test_intervals_of_ranks() -> None:
    order = ["none", "mild", "bad", "worse", "worst"]
    found = column_levels(
        ["mild", "none", "worse", "bad"], om.Ordinal(order=order), om.Intervals(levels=[[0, 2, 4, 5], [0, 4, 5]])
    )
    assert shown(found)[1] == ["none - mild", "none - mild", "bad - worse", "bad - worse"]
    assert shown(found)[2] == ["none - worse"] * 4
    by_default = column_levels(order, om.Ordinal(order=order))
    assert shown(by_default)[1] == ["none - mild", "none - mild", "bad - worse", "bad - worse", "worst"]


@pytest.mark.parametrize(
    ("settings_", "expected"),
    [
        ({"levels": [[[0, 10], [5, 20]]]}, r"level 1: the intervals 0 to 10 and 5 to 20 overlap"),
        ({"levels": [[0, 10], [10]]}, r"level 2: expected at least two cut points, got one"),
        ({"levels": [[0, 10, 10]]}, r"from 10 to 10 is empty"),
        ({"levels": [[10, 0]]}, r"from 10 to 0 is empty"),
        ({"levels": [[[0, 1, 2]]]}, r"an interval is a pair"),
        ({"levels": []}, r"levels is empty"),
        ({"levels": [[]]}, r"no intervals"),
        ({"levels": [[0, 1]], "width": 2}, r"give either levels, or width"),
        ({"width": 0}, r"width: 0 should be greater than 0"),
        ({"width": -1}, r"width: -1 should be greater than 0"),
        ({"factor": 1}, r"factor: 1 should be greater than or equal to 2"),
        ({"levels": [[0, "x"]]}, r"'x' is not a number"),
    ],
    ids=str,
)
def test_intervals_that_cannot_be_meant(settings_: dict[str, Any], expected: str) -> None:
    with pytest.raises(om.errors.PolicyError, match=expected):
        om.Intervals(**settings_)


@pytest.mark.parametrize(
    ("levels", "expected"),
    [
        ([[0, 2, 4, 6], [0, 3, 6]], r"column 'v': level 'level 2' separates what level 'level 1' joins: "),
        ([[0, 2, 6], [0, 3, 6]], r"column 'v': level 'level 2' separates what level 'level 1' joins: "),
        ([[0, 3, 6], [0, 2, 3, 4, 6]], r"column 'v': level 'level 2' separates what level 'level 1' joins: "),
        ([[2, 4]], r"the intervals of level 1 do not have 2 values of the column: 1, 5"),
        ([[[0, 2], [3, 6]]], r"the intervals of level 1 do not have 1 value of the column: 2"),
    ],
    ids=["not nested", "crosswise", "finer", "outside", "in a gap"],
)
def test_intervals_that_do_not_fit(levels: Any, expected: str) -> None:
    with pytest.raises(om.errors.DataError, match=expected):
        column_levels([1, 2, 3, 5], om.Numeric(), om.Intervals(levels=levels))


def test_hierarchies_of_another_kind() -> None:
    with pytest.raises(
        om.errors.DataError, match=r"column 'v': a hierarchy of intervals does not fit .*numeric, date or ordinal"
    ):
        column_levels(["a", "b"], om.Flat(), om.Intervals())
    with pytest.raises(om.errors.DataError, match=r"column 'v': a hierarchy of taxonomy levels does not fit .*nominal"):
        column_levels(["a", "b"], om.Flat(), om.TaxonomyLevels())


# ---- texts, and no hierarchy --------------------------------------------------------------------------------------


def test_masked_texts() -> None:
    found = column_levels(["37185", "37186", "37285", "9"], om.Flat(), om.MaskedText())
    assert shown(found) == [
        ["37185", "37186", "37285", "9"],
        ["3718*", "3718*", "3728*", "*"],
        ["371**", "371**", "372**", "*"],
        ["37***", "37***", "37***", "*"],
        ["3****", "3****", "3****", "*"],
        ["*"] * 4,
    ]
    assert penalties(found)[1] == pytest.approx([1 / 3, 1 / 3, 0, 0])
    left = column_levels(["12", "32", "31"], om.Flat(), om.MaskedText(side="left", character="?"))
    assert shown(left)[1] == ["?2", "?2", "?1"]


def test_hierarchies_by_kind() -> None:
    """A taxonomy of its own, intervals of a round width that double, and the value or *."""
    assert shown(column_levels(["A11", "B"], om.Nominal(taxonomy=TREE)))[-1] == ["all", "all"]
    numbers = column_levels(list(range(17, 91)), om.Numeric())
    widths = [max(np.bincount(level.group)) for level in numbers.levels]
    assert widths[:4] == [1, 5, 10, 20]
    assert penalties(numbers)[1] == pytest.approx([5 / 73] * 74)
    assert told(column_levels(["x", "y"], om.Flat())) == [
        {"x": ("x", 0), "y": ("y", 0)},
        {"x": ("*", 1), "y": ("*", 1)},
    ]
    assert told(column_levels(["x", "x"], om.Flat()))[-1] == {
        "x": ("*", 1)
    }  # a strategy can hide what all have in common


def test_whole_numbers_stay_whole_by_default() -> None:
    """A round width of whole numbers is a whole number."""
    texts = {text for level in told(column_levels([1, 2, 3], om.Numeric()))[1:] for text, _ in level.values()}
    assert not [text for text in texts if "." in text]


def test_missing_values_stay_until_the_top() -> None:
    for values, attribute in (
        ([1, 2, 30, None], om.Numeric(missing="category")),
        (["A11", "A12", "B", None], om.Nominal(taxonomy=TREE, missing="category")),
        (["a", "b", "c", None], om.Ordinal(order=list("abc"), missing="category")),
        (["a", "b", "c", None], om.Flat(missing="category")),
    ):
        levels = told(column_levels(values, attribute))
        assert [level[None] for level in levels[:-1]] == [(None, 0)] * (len(levels) - 1)
        assert levels[-1][None] == ("*", 1)
        assert len(set(levels[-1].values())) == 1
