"""Order by a reference and wsd: every kind of column, whatever frame, and one message for each slip."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import ontomask as om
from ontomask import errors

T = om.Taxonomy.from_edges(
    [("lumbago", "ache"), ("migraine", "ache"), ("ache", "pain"), ("colic", "pain")],
    labels={"lumbago": "Low back pain"},
    name="pains",
)
FRAME = pl.DataFrame(
    {
        "pain": ["colic", "lumbago", "migraine", "lumbago", "colic"],
        "age": [20, 30, 40, 30, 60],
        "rank": ["low", "high", "mid", "high", "low"],
        "sex": ["f", "m", "m", "m", "f"],
    }
)
KINDS: dict[str, Any] = {
    "pain": om.Nominal(taxonomy=T, measure="path"),
    "age": om.Numeric(),
    "rank": om.Ordinal(order=["low", "mid", "high", "top"]),
    "sex": om.Flat(),
}
RECORD = {"pain": "ache", "age": 35, "rank": "top", "sex": "m"}


# ---- what comes out -------------------------------------------------------------------------------------------------


def test_values_of_every_kind() -> None:
    assert om.sort_values(T, FRAME["pain"], "migraine", "path") == ["migraine", *["lumbago"] * 2, *["colic"] * 2]
    assert om.sort_values(T, ["colic", "Low back pain", "lumbago"], "Low back pain")[2] == "colic"
    assert om.sort_values(None, [3, 1, 2, 2, 9], 2.4) == [2, 2, 3, 1, 9]
    assert om.sort_values(KINDS["rank"], FRAME["rank"], "top") == ["high", "high", "mid", "low", "low"]
    assert om.sort_values(om.Ordinal(), [5, 1, 3, 1], 1) == [1, 1, 3, 5]
    assert om.sort_values(om.Flat(), ["x", "y", "x", "z"], "y") == ["y", "x", "x", "z"]
    # Roles and weights of an attribute do not matter where it is alone.
    assert om.sort_values(om.Numeric(role="sensitive", weight=5), [3, 1, 2], 1) == [1, 2, 3]


def test_wsd_counts_how_often_a_value_occurs() -> None:
    """T12 eq. 4.2: two of lumbago at 2 links weigh as much as one at 4."""
    assert om.weighted_distances(T, "migraine", FRAME["pain"], measure="path") == {
        "colic": 6.0, "lumbago": 4.0, "migraine": 0.0,
    }  # fmt: skip
    assert om.weighted_distances(None, 1, [1, 3, 3]) == {1: 0.0, 3: 4.0}
    assert om.weighted_distances(KINDS["rank"], "top", FRAME["rank"]) == {"low": 6.0, "high": 2.0, "mid": 2.0}
    assert om.weighted_distances(om.Flat(), "f", FRAME["sex"]) == {"f": 0.0, "m": 3.0}
    # Weighted, the rare comes before the near: 1 x 3 before 3 x 2.
    values = ["colic", *["lumbago"] * 3, "migraine"]
    assert om.sort_values(T, values, "migraine", "path") == ["migraine", *["lumbago"] * 3, "colic"]
    assert om.sort_values(T, values, "migraine", "path", comparison="weighted") == [
        "migraine", "colic", *["lumbago"] * 3,
    ]  # fmt: skip


def test_records_of_all_kinds() -> None:
    """By hand: path / 3, age / 40, rank / 3, sex, averaged over four columns."""
    apart = np.array([2 / 3 + 15 / 40 + 1 + 1, 1 / 3 + 5 / 40 + 1 / 3, 1 / 3 + 5 / 40 + 2 / 3]) / 4
    far = om.weighted_record_distances(FRAME, KINDS, RECORD)
    assert far[:3] == pytest.approx(apart * [1, 2, 1])  # the second record occurs twice
    assert far[3] == far[1]
    assert om.sort_records(FRAME, KINDS, reference=RECORD).tolist() == [1, 3, 2, 0, 4]
    assert om.sort_records(FRAME, KINDS, reference=2).tolist() == [2, 1, 3, 0, 4]
    assert om.weighted_record_distances(FRAME, KINDS, np.int64(0))[0] == 0
    assert om.sort_records(FRAME, KINDS, reference="most_distant")[0] == 4


def test_any_frame_and_missing_values() -> None:
    expected = om.sort_records(FRAME, KINDS, reference=RECORD).tolist()
    for frame in (FRAME.to_pandas(), FRAME.to_arrow()):
        assert om.sort_records(frame, KINDS, reference=RECORD).tolist() == expected
    assert om.sort_values(None, pd.Series([3, 1, 2]), 1) == [1, 2, 3]
    ordered = pd.Series(pd.Categorical(["b", "a", "c"], categories=["c", "a", "b"], ordered=True))
    assert om.sort_values(om.Ordinal(), ordered, "c") == ["c", "a", "b"]
    holes = om.Numeric(missing="category")
    assert om.sort_values(holes, [3, None, 1], 1) == [1, 3, None]
    gone = pl.DataFrame({"age": [3, None, 1]})
    assert om.sort_records(gone, {"age": holes}, reference={"age": None}).tolist() == [1, 0, 2]


# ---- slips ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: om.sort_values(T, ["colic"], "colik"),
            r"the reference 'colik' is not in the taxonomy.*Did you mean 'colic'",
        ),
        (lambda: om.sort_values(T, ["colic", "zz"]), r"1 value has no concept in pains"),
        (lambda: om.sort_values("pains", ["colic"]), r"'pains' is not a Taxonomy"),
        (lambda: om.sort_values(None, [1, 2], "2"), r"the reference '2' is not a number"),
        (lambda: om.sort_values(None, [1, 2], float("nan")), r"nan is not a number.*finite number"),
        (lambda: om.sort_values(None, [1, 2], 1e200), r"larger than 1e\+150"),
        (lambda: om.sort_values(None, ["1"], 1), r"numbers stored as text"),
        (lambda: om.sort_values(None, []), r"no values"),
        (lambda: om.sort_values(None, 5), r"not a list"),
        (lambda: om.sort_values(om.Flat(), ["a", 1]), r"several types"),
        (
            lambda: om.sort_values(om.Flat(), ["male"], "mal"),
            r"'mal' is not a value of the column.*Did you mean 'male'",
        ),
        (lambda: om.sort_values(KINDS["rank"], ["low"], "lowest"), r"'lowest' is not a value.*'low', 'mid'"),
        (lambda: om.sort_values(om.Ordinal(), [1, 5], 3), r"3 is not a value of the column.*1, 5"),
        (lambda: om.sort_values(None, [1], measure="path"), r"measure= needs a taxonomy"),
        (lambda: om.sort_values(om.Flat(), ["a"], scope="attribute"), r"scope= needs a taxonomy"),
        (lambda: om.sort_values(T, ["colic"], measure="patch"), r"patch"),
        (lambda: om.sort_values(T, ["colic"], comparison="heavy"), r"no comparison 'heavy'.*'plain', 'weighted'"),
        (lambda: om.sort_values(T, ["colic", None]), r"has 1 missing value"),
        (lambda: om.weighted_distances(T, None, ["colic"]), r"the reference is a missing value"),
        (lambda: om.weighted_distances(T, "ache", ["colic"], [1, 2]), r"weights do not fit"),
        (lambda: om.weighted_distances(T, "ache", ["colic"], [-1]), r"weights do not fit"),
        (lambda: om.weighted_distances(T, "ache", ["colic"], ["a"]), r"finite numbers"),
        (lambda: om.sort_records(FRAME, KINDS, reference=5), r"no row 5: the frame has 5 records.*0 to 4"),
        (lambda: om.sort_records(FRAME, KINDS, reference=-1), r"no row -1"),
        (lambda: om.sort_records(FRAME, KINDS, reference=True), r"True is not a reference"),
        (lambda: om.sort_records(FRAME, KINDS, reference="far"), r"'far' is not a reference.*most_distant"),
        (lambda: om.sort_records(FRAME, KINDS, reference=[1]), r"\[1\] is not a reference"),
        (lambda: om.sort_records(FRAME, KINDS, reference={"age": 3}), r"no value for 'pain', 'rank', 'sex'"),
        (lambda: om.sort_records(FRAME, KINDS, reference=RECORD | {"agee": 3}), r"'agee'.*Did you mean 'age'"),
        (lambda: om.sort_records(FRAME, KINDS, reference=RECORD | {"age": "old"}), r"column 'age'.*not a number"),
        (
            lambda: om.sort_records(FRAME, KINDS, reference=0, centroid="mode"),
            r"centroid= cannot be combined with reference=",
        ),
        (lambda: om.sort_records(FRAME, {"age": om.Numeric(role="other")}), r"nothing to compare"),
        (lambda: om.record_distances(FRAME, {"age": om.Numeric(role="sensitive")}), r"nothing to compare"),
        (lambda: om.weighted_record_distances(FRAME, KINDS, 0, "far"), r"no distance 'far'"),
    ],
)
def test_a_slip_is_one_message(call: Any, said: str) -> None:
    with pytest.raises(errors.OntomaskError, match=f"(?s){said}") as caught:
        call()
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("value", [10**400, float("inf"), float("nan"), 1j, b"2", np.float32("nan"), [2]])
def test_a_reference_that_is_no_finite_number(value: Any) -> None:
    with pytest.raises(errors.OptionError, match="the reference"):
        om.sort_values(None, [1, 2, 3], value)
    with pytest.raises(errors.OptionError, match="the reference"):
        om.weighted_distances(None, value, [1, 2, 3])


def test_weights_that_no_float_can_hold() -> None:
    with pytest.raises(errors.OptionError, match="the weights hold something other than finite numbers"):
        om.weighted_distances(None, 1, [1, 2], [10**400, 1])


def test_whole_numbers_among_others_are_numbers() -> None:
    assert om.sort_values(None, [1, 2.5, 4], 2) == [2.5, 1, 4]
    assert om.weighted_distances(None, 2, [1, 2.5]) == {1: 1.0, 2.5: 0.5}
    with pytest.raises(errors.DataError, match="NaN or infinite"):
        om.sort_values(None, [1, float("nan"), 3])
    with pytest.raises(errors.OptionError, match="several types"):
        om.sort_values(None, [2**60 + 1, 2.5])


def test_an_index_is_a_column() -> None:
    assert om.sort_values(T, pd.Index(["colic", "lumbago", "ache"]), "ache", "path") == ["ache", "lumbago", "colic"]


def test_a_list_is_no_reference() -> None:
    with pytest.raises(errors.OptionError, match="is not a value"):
        om.sort_values(T, ["colic", "ache"], ["ache"])


def test_a_single_nan_is_told() -> None:
    """Once it ended in a ValueError: a join finds a single NaN unlike itself."""
    with pytest.raises(errors.UnmatchedValuesError, match="no concept in pains"):
        om.sort_values(T, [float("nan")])
