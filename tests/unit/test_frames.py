"""Any frame in, the same kind out, nothing changed on the way."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pandas.testing import assert_frame_equal

from ontomask import errors
from ontomask.microdata.frames import NativeFrame


def message(caught: pytest.ExceptionInfo[BaseException]) -> str:
    assert isinstance(caught.value, errors.OntomaskError)
    assert caught.value.remedy, "an error says what to do"
    return str(caught.value)


def objects(*values: Any) -> pd.Series:
    return pd.Series(list(values), dtype=object)


DATES = pd.Series([dt.datetime(2020, 1, 1), None, dt.datetime(2021, 5, 6, 7, 8, 9)], dtype="datetime64[us]")
SPANS = pd.Series([dt.timedelta(days=1), None, dt.timedelta(seconds=3)], dtype="timedelta64[us]")
PANDAS: dict[str, Any] = {
    "int64": pd.Series([1, 2, 2**62]),
    "int8": pd.Series([1, 2, 3], dtype="int8"),
    "uint64": pd.Series([1, 2, 2**64 - 1], dtype="uint64"),
    "float64": pd.Series([1.5, np.nan, 3.0]),
    "float32": pd.Series([1.1, np.nan, 3.0], dtype="float32"),
    "float16": pd.Series([1.5, np.nan, 3.0], dtype="float16"),
    "bool": pd.Series([True, False, True]),
    "Int64": pd.Series([1, None, 2**62 + 1], dtype="Int64"),
    "UInt8": pd.Series([1, None, 3], dtype="UInt8"),
    "Float64": pd.Series([1.5, None, 3.0], dtype="Float64"),
    "boolean": pd.Series([True, None, False], dtype="boolean"),
    "str": pd.Series(["a", None, ""], dtype="str"),
    "string": pd.Series(["a", None, "é"], dtype="string"),
    "string[python]": pd.Series(["a", None, "é"], dtype=pd.StringDtype("python")),
    "category": pd.Categorical(["a", None, "b"], categories=["b", "a"]),
    "ordered": pd.Categorical(["a", None, "b"], categories=["b", "a"], ordered=True),
    "category of numbers": pd.Categorical([5, None, 7]),
    "category of objects": pd.Categorical(objects("a", None, "b")),
    "category of dates": pd.Categorical(DATES),
    "category of nothing": pd.Categorical([None, None, None]),
    "text with None": objects("a", None, "b"),
    "text with NaN": objects("a", float("nan"), "b"),
    "text with NA": objects("a", pd.NA, "b"),
    "integers": objects(1, None, 2),
    "floats": objects(1.5, None, 2.0),
    "truth": objects(True, None, False),
    "decimals": objects(Decimal("1.10"), None, Decimal(2)),
    "days": objects(dt.date(2020, 1, 1), None, dt.date(1800, 1, 1)),
    "moments": objects(dt.datetime(2020, 1, 1), None, dt.datetime(1800, 1, 1)),
    "times": objects(dt.time(3), None, dt.time(4)),
    "nothing": objects(None, None, None),
    "datetime64[ns]": DATES.astype("datetime64[ns]"),
    "datetime64[s]": DATES.astype("datetime64[s]"),
    "zoned": DATES.dt.tz_localize("Europe/Madrid"),
    "timedelta64[us]": SPANS,
    "timedelta64[s]": SPANS.astype("timedelta64[s]"),
    "int32[pyarrow]": pd.Series([1, None, 2], dtype="int32[pyarrow]"),
    "string[pyarrow]": pd.Series(["a", None, "b"], dtype=pd.ArrowDtype(pa.string())),
    "date32[pyarrow]": pd.Series([dt.date(2020, 1, 1), None, None], dtype=pd.ArrowDtype(pa.date32())),
    "decimal[pyarrow]": pd.Series([Decimal("1.10"), None, Decimal("2.00")], dtype=pd.ArrowDtype(pa.decimal128(9, 2))),
}


@pytest.mark.parametrize("name", PANDAS)
def test_pandas_comes_back_as_it_was(name: str) -> None:
    frame = pd.DataFrame({name: PANDAS[name]})
    before = frame.copy(deep=True)
    taken = NativeFrame.of(frame)
    assert taken.kind == "pandas"
    assert taken.data.columns == [name]
    assert taken.data[name].null_count() == int(frame[name].isna().sum())
    assert taken.index == taken.notes == []
    assert_frame_equal(taken.restore(taken.data), frame)
    assert_frame_equal(frame, before)


def test_all_columns_at_once_keep_their_order() -> None:
    frame = pd.DataFrame(PANDAS)
    taken = NativeFrame.of(frame)
    assert taken.data.columns == list(PANDAS)
    assert_frame_equal(taken.restore(taken.data), frame)
    chosen = ["str", "int64"]
    assert_frame_equal(taken.restore(taken.data.select(chosen)), frame[chosen])


def test_polars_comes_back_as_it_was() -> None:
    frame = pl.DataFrame(
        {
            "i": pl.Series([1, None, 3], dtype=pl.Int16),
            "f": [1.5, None, float("nan")],
            "s": ["a", None, ""],
            "c": pl.Series(["x", None, "y"], dtype=pl.Categorical),
            "e": pl.Series(["x", None, "y"], dtype=pl.Enum(["y", "x"])),
            "d": [dt.date(2020, 1, 1), None, dt.date(1800, 1, 1)],
            "t": pl.Series([dt.datetime(2020, 1, 1), None, None], dtype=pl.Datetime("ms", "UTC")),
            "m": [Decimal("1.10"), None, Decimal("2.00")],
            "b": [True, None, False],
        }
    )
    taken = NativeFrame.of(frame)
    assert taken.kind == "polars"
    assert taken.data["f"].is_nan().sum() == 1, "NaN is not null in Polars"
    assert taken.restore(taken.data).equals(frame)
    assert taken.restore(taken.data).schema == frame.schema


def test_arrow_comes_back_as_it_was() -> None:
    days = [dt.date(2020, 1, 1), None, dt.date(2021, 1, 1)]
    moments = [dt.datetime(2020, 1, 1), None, dt.datetime(2021, 1, 1)]
    table = pa.table(
        {
            "i": pa.array([1, None, 3], pa.int8()),
            "f": pa.array([1.5, None, float("nan")]),
            "h": pa.array([1.5, None, 2.5], pa.float16()),
            "s": pa.array(["a", None, ""]),
            "l": pa.array(["a", None, ""], pa.large_string()),
            "v": pa.array(["a", None, ""], pa.string_view()),
            "c": pa.array(["x", None, "y"]).dictionary_encode(),
            "n": pa.array([5, None, 7]).dictionary_encode(),
            "o": pa.DictionaryArray.from_arrays(pa.array([1, None, 0], pa.int8()), ["lo", "hi"], ordered=True),
            "d": pa.array(days),
            "d64": pa.array(days, pa.date64()),
            "t": pa.array(moments, pa.timestamp("s")),
            "z": pa.array(moments, pa.timestamp("ns", "Europe/Madrid")),
            "t32": pa.array([dt.time(3), None, None], pa.time32("s")),
            "p": pa.array([dt.timedelta(3), None, None], pa.duration("s")),
            "m": pa.array([Decimal("1.10"), None, None], pa.decimal128(9, 2)),
            "b": pa.array([True, None, False]),
            "0": pa.nulls(3),
        }
    )
    table = table.append_column(pa.field("full", pa.int64(), nullable=False), pa.array([1, 2, 3]))
    taken = NativeFrame.of(table)
    assert taken.kind == "pyarrow"
    back = taken.restore(taken.data)
    assert back.schema == table.schema
    assert back.combine_chunks().drop_columns(["f"]).equals(table.combine_chunks().drop_columns(["f"]))
    assert str(back["f"].to_pylist()) == str(table["f"].to_pylist())
    chunked = pa.concat_tables([table, table])
    taken = NativeFrame.of(chunked)
    assert taken.restore(taken.data).drop_columns(["f"]).equals(chunked.unify_dictionaries().drop_columns(["f"]))


def test_a_narwhals_frame_is_unwrapped() -> None:
    taken = NativeFrame.of(nw.from_native(pd.DataFrame({"a": [1]})))
    assert taken.kind == "pandas"


# ---- masked values ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_whole_floats_are_integers_again_and_others_stay(make: Any) -> None:
    taken = NativeFrame.of(make({"a": [1, 2, 3], "b": [1, 2, 3], "c": [1, 2, 3]}))
    masked = pl.DataFrame({"a": [2.0, 2.0, 3.0], "b": [1.5, 2.0, 3.0], "c": ["[1-3]"] * 3})
    back = taken.restore(masked)
    assert type(back) is type(make({"a": [1]}))
    again = NativeFrame.of(back).data
    assert again.dtypes == [pl.Int64, pl.Float64, pl.String]
    assert again.rows() == masked.rows()


def test_text_is_not_read_as_numbers() -> None:
    taken = NativeFrame.of(pl.DataFrame({"a": [1, 2]}))
    assert taken.restore(pl.DataFrame({"a": ["1", "2"]}))["a"].dtype == pl.String


def test_suppressed_numbers_are_nullable_integers_in_pandas() -> None:
    taken = NativeFrame.of(pd.DataFrame({"a": np.array([1, 2], dtype="int32"), "b": [True, False], "c": [0.5, 1.5]}))
    back = taken.restore(pl.DataFrame({"a": [1.0, None], "b": [True, None], "c": [None, 1.5]}))
    assert [str(t) for t in back.dtypes] == ["Int32", "boolean", "float64"]
    assert back["a"].tolist() == [1, pd.NA]


def test_large_numbers_and_small_types() -> None:
    taken = NativeFrame.of(
        pd.DataFrame({"a": np.array([1, 2], dtype="int8"), "b": np.array([0.5, 1.5], dtype="float32")})
    )
    back = taken.restore(pl.DataFrame({"a": [1000, 2], "b": [0.1, 1.5]}))
    assert back["a"].tolist() == [1000, 2]
    assert back["b"].tolist() == [0.1, 1.5], "0.1 is no 32-bit float"
    assert [str(t) for t in back.dtypes] == ["int64", "float64"]


def test_categories_are_extended_and_tell_nothing_of_vanished_values() -> None:
    made = pd.Categorical(["flu", "leprosy", "cold"], categories=["cold", "flu", "leprosy", "none"], ordered=True)
    taken = NativeFrame.of(pd.DataFrame({"d": made}))
    back = taken.restore(pl.DataFrame({"d": ["flu", "disease", None]}))["d"]
    assert back.cat.categories.tolist() == ["flu", "disease"], "a list with a gap tells what is gone"
    assert not back.cat.ordered, "where 'disease' stands in the order nobody knows"
    assert back.tolist()[:2] == ["flu", "disease"]
    fewer = taken.restore(pl.DataFrame({"d": ["flu", "flu", None]}))["d"]
    assert fewer.cat.categories.tolist() == ["flu"]
    assert fewer.cat.ordered


def test_polars_and_arrow_categories_do_the_same() -> None:
    kinds = pl.Enum(["cold", "flu", "leprosy", "none"])
    taken = NativeFrame.of(pl.DataFrame({"d": pl.Series(["flu", "leprosy", "cold"], dtype=kinds)}))
    back = taken.restore(pl.DataFrame({"d": ["flu", "disease", None]}))
    assert back["d"].dtype == pl.Enum(["flu", "disease"])
    table = pa.table({"d": pa.array(["flu", "leprosy", "cold"]).dictionary_encode()})
    taken = NativeFrame.of(table)
    back = taken.restore(pl.DataFrame({"d": ["flu", "disease", None]}))
    assert back["d"].chunk(0).dictionary.to_pylist() == ["flu", "disease"]
    assert back["d"].to_pylist() == ["flu", "disease", None]


def test_a_category_of_numbers_may_become_text() -> None:
    taken = NativeFrame.of(pd.DataFrame({"zip": pd.Categorical([8001, 8002, 8001])}))
    back = taken.restore(pl.DataFrame({"zip": ["80**", "80**", None]}))["zip"]
    assert back.cat.categories.tolist() == ["80**"]


def test_objects_stay_objects_with_their_own_missing_value() -> None:
    taken = NativeFrame.of(pd.DataFrame({"a": objects("x", pd.NA)}))
    back = taken.restore(pl.DataFrame({"a": [None, "y"]}))["a"]
    assert back.dtype == object
    assert back[0] is pd.NA


def test_the_result_can_be_changed() -> None:
    taken = NativeFrame.of(pd.DataFrame({"a": [1, 2], "b": [0.5, 1.5]}))
    back = taken.restore(taken.data)
    back.loc[0, "a"] = 9
    assert taken.data["a"].to_list() == [1, 2]


# ---- the pandas index -------------------------------------------------------------------------------------------


def test_the_index_is_an_identifier() -> None:
    frame = pd.DataFrame({"age": [30, 40]}, index=pd.Index(["p1", "p2"], name="patient"))
    taken = NativeFrame.of(frame)
    assert taken.data.columns == ["age"]
    assert taken.index == ["patient"]
    assert "'patient'" in taken.notes[0].text
    assert "identifier" in taken.notes[0].text
    assert taken.restore(taken.data).index.equals(pd.RangeIndex(2))


def test_an_index_that_is_named_is_kept() -> None:
    frame = pd.DataFrame({"age": [30, 40]}, index=pd.Index(["p1", "p2"], name="patient"))
    taken = NativeFrame.of(frame, keep_index=["patient", "age"])
    assert taken.data.to_dict(as_series=False) == {"patient": ["p1", "p2"], "age": [30, 40]}
    assert taken.notes == []
    assert_frame_equal(taken.restore(taken.data), frame.reset_index())


@pytest.mark.parametrize(
    ("index", "names"),
    [
        (pd.RangeIndex(3), []),
        (pd.Index([0, 1, 2]), []),
        (pd.RangeIndex(3, name="row"), []),
        (pd.RangeIndex(1, 4), ["index"]),
        (pd.Index([0, 2, 1]), ["index"]),
        (pd.Index([0.0, 1.0, 2.0]), ["index"]),
        (pd.Index(["a", "b", "c"], name="id"), ["id"]),
        (pd.MultiIndex.from_tuples([(1, "a"), (1, "b"), (2, "a")], names=["ward", None]), ["ward", "level_1"]),
    ],
)
def test_which_index_carries_information(index: pd.Index, names: list[str]) -> None:
    taken = NativeFrame.of(pd.DataFrame({"x": [1, 2, 3]}, index=index))
    assert taken.index == names
    assert len(taken.notes) == bool(names)
    assert taken.data.columns == ["x"]


def test_some_levels_of_an_index() -> None:
    index = pd.MultiIndex.from_tuples([(1, "a"), (1, "b"), (2, "a")], names=["ward", "bed"])
    taken = NativeFrame.of(pd.DataFrame({"x": [1, 2, 3]}, index=index), keep_index={"bed"})
    assert taken.data.to_dict(as_series=False) == {"bed": ["a", "b", "a"], "x": [1, 2, 3]}
    assert "'ward'" in taken.notes[0].text
    assert "bed" not in taken.notes[0].text
    named = NativeFrame.of(pd.DataFrame({"x": [1, 2, 3]}, index=pd.RangeIndex(3, name="row")), keep_index=["row"])
    assert named.data["row"].to_list() == [0, 1, 2]


def test_a_column_goes_before_an_index_of_its_name() -> None:
    frame = pd.DataFrame({"id": [7, 8]}).set_index("id", drop=False)
    taken = NativeFrame.of(frame, keep_index=["id"])
    assert taken.data.to_dict(as_series=False) == {"id": [7, 8]}


# ---- what is refused --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (pl.LazyFrame({"a": [1]}), r"expected a DataFrame, got .*LazyFrame\. Call \.collect\(\)"),
        ({"a": [1]}, r"expected a DataFrame, got .*dict\. Make a frame"),
        ([[1]], "expected a DataFrame, got .*list"),
        ("data.csv", r"read_table\('data\.csv'\)"),
        (pd.Series([1]), r"one column: call \.to_frame"),
        (pl.Series([1]), r"one column: call \.to_frame"),
        (None, "expected a DataFrame, got .*NoneType"),
        (np.zeros((2, 2)), "expected a DataFrame, got .*ndarray"),
        (pd.DataFrame(), "no columns"),
        (pl.DataFrame(), "no columns"),
        (pd.DataFrame({"a": []}), "no rows"),
        (pl.DataFrame({"a": []}), "no rows"),
        (pa.table({"a": pa.array([], pa.int64())}), "no rows"),
        (pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"]), "several columns are called 'a'"),
        (pa.table([pa.array([1]), pa.array([2])], names=["a", "a"]), "several columns are called 'a'"),
        (pd.DataFrame([[1, 2]], columns=["a", 5]), "not text: 5"),
        (pd.DataFrame([[1]], columns=pd.MultiIndex.from_tuples([("a", "b")])), "several levels"),
        (pl.DataFrame({"a": [[1, 2]]}), r"column 'a': the column holds List\(Int64\)"),
        (pl.DataFrame({"a": [{"b": 1}]}), "column 'a': the column holds Struct"),
        (pl.DataFrame({"a": pl.Series([object()], dtype=pl.Object)}), "column 'a'.*objects"),
        (pa.table({"a": [[1, 2]]}), "column 'a': the column holds list"),
        (pa.table({"a": pa.array([Decimal(1)], pa.decimal256(50, 2))}), "decimal256.* not supported"),
        (pd.DataFrame({"a": [[1], [2]]}), "column 'a': the column holds list.*explode"),
        (pd.DataFrame({"a": pd.cut([1, 5], 2)}), r"column 'a': the column holds interval.*astype\(str\)"),
        (pd.DataFrame({"a": pd.period_range("2020", periods=2, freq="M")}), "holds period"),
        (pd.DataFrame({"a": [1 + 2j]}), "complex128"),
        (pd.DataFrame({"a": pd.arrays.SparseArray([0, 1])}), r"sparse\.to_dense"),
        (pd.DataFrame({"a": objects(2**80)}), "too large"),
        (pd.DataFrame({"a": objects(pd.Timestamp("2020"))}), r"pandas\.to_datetime"),
    ],
)
def test_no_frame_for_us(given: Any, expected: str) -> None:
    with pytest.raises(errors.DataError, match=expected) as caught:
        NativeFrame.of(given)
    message(caught)


def test_mixed_types_are_not_coerced() -> None:
    frame = pd.DataFrame({"code": objects(1, None, "1", float("nan"), 2, "x", 2.5)})
    with pytest.raises(errors.DataError, match=r"column 'code': the column mixes types") as caught:
        NativeFrame.of(frame)
    assert "float (record 7), int (record 1, 5), str (record 3, 6)" in message(caught)
    assert caught.value.rows == [1, 3, 5, 6, 7]
    with pytest.raises(errors.DataError, match="bool .*int"):
        NativeFrame.of(pd.DataFrame({"a": objects(True, 1)}))
    with pytest.raises(errors.DataError, match="date .*datetime"):
        NativeFrame.of(pd.DataFrame({"a": objects(dt.date(2020, 1, 1), dt.datetime(2020, 1, 1))}))


def test_numpy_scalars_are_their_python_kind() -> None:
    taken = NativeFrame.of(pd.DataFrame({"a": objects(1, np.int64(2)), "b": objects("x", np.str_("y"))}))
    assert taken.data.rows() == [(1, "x"), (2, "y")]


@pytest.mark.parametrize("name", ["str", "string", "category", "text with None"])
def test_pandas_text_without_pyarrow(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr("ontomask.microdata.pandas_frames.find_spec", lambda package: None)
    frame = pd.DataFrame({name: PANDAS[name]})
    taken = NativeFrame.of(frame)
    assert_frame_equal(taken.restore(taken.data), frame)
