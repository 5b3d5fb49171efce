"""Data and places that cannot be used: one clear error, which says what, where and what to do, and nothing is written."""

from __future__ import annotations

import datetime as dt
import errno
import os
import pickle
import re
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import ontomask as om
from ontomask import errors

TAXONOMY = om.Taxonomy.from_edges(
    [("dog", "pet"), ("cat", "pet"), ("oak", "tree"), ("elm", "tree"), ("pet", "thing"), ("tree", "thing")],
    name="things",
)
NAN, INF = float("nan"), float("inf")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test works in an empty folder, where anything left behind shows."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def tree() -> list[str]:
    return sorted(str(path) for path in Path().rglob("*"))


def run(frame: Any, attributes: dict[str, Any], method: Any = None, **settings: Any) -> om.Result:
    allow = settings.pop("allow_unsatisfied", False)
    policy = om.Policy(attributes=attributes, method=method or om.Microaggregation(k=2), **settings)
    return om.anonymize(frame, policy, seed=1, allow_unsatisfied=allow)


def refused(kind: type[errors.OntomaskError], work: Callable[[], Any]) -> errors.OntomaskError:
    """The error, which says what to do, once nothing has been written."""
    before = tree()
    with pytest.raises(kind) as caught:
        work()
    assert tree() == before
    error = caught.value
    assert error.what
    assert error.remedy, "an error says what to do"
    assert str(error) == str(pickle.loads(pickle.dumps(error)))
    return error


# ---- columns -----------------------------------------------------------------------------------------------------


def test_a_column_that_the_data_do_not_have() -> None:
    frame = pl.DataFrame({"agee": [1, 2], "job": ["a", "b"]})
    error = refused(errors.DataError, lambda: run(frame, {"age": om.Numeric(), "job": om.Flat()}))
    assert "'age', which the data do not have. Did you mean 'agee'? The data have: 'agee', 'job'" in str(error)
    error = refused(errors.DataError, lambda: run(frame, {"age": om.Numeric(), "work": om.Flat(role="other")}))
    assert "'age', 'work'" in str(error)
    # An identifier of the policy that is not there: is it under another name, and would be released?
    error = refused(
        errors.DataError,
        lambda: run(frame, {"agee": om.Numeric(), "id": om.Identifier()}, unlisted="other"),
    )
    assert "'id'" in str(error)


def test_a_column_that_the_policy_does_not_list() -> None:
    frame = pl.DataFrame({"age": [1, 2], "name": ["Ann", "Bob"], "zip": [1, 2]})
    error = refused(errors.DataError, lambda: run(frame, {"age": om.Numeric()}))
    assert "does not list 'name', 'zip', which the data have" in str(error)
    assert "kind: identifier" in str(error)
    assert "Ann" not in str(error)
    kept = run(frame, {"age": om.Numeric()}, unlisted="other")
    assert kept.data.columns == frame.columns
    assert kept.data["name"].to_list() == ["Ann", "Bob"]
    assert any("kept as they are: name, zip" in note for note in map(str, kept.notes))
    dropped = run(frame, {"age": om.Numeric()}, unlisted="drop")
    assert dropped.data.columns == ["age"]
    assert any("dropped: name, zip" in note for note in map(str, dropped.notes))
    # A policy that lists every column says nothing of the kind.
    assert not any(
        "list" in note for note in map(str, run(frame.select("age"), {"age": om.Numeric()}, unlisted="drop").notes)
    )


def test_names_of_columns() -> None:
    twice = pd.DataFrame([[1, 2], [3, 4]], columns=["age", "age"])
    assert "several columns are called 'age'" in str(
        refused(errors.DataError, lambda: run(twice, {"age": om.Numeric()}))
    )
    arrow = pa.table([pa.array([1, 2]), pa.array([1, 2])], names=["age", "age"])
    assert "several columns are called 'age'" in str(
        refused(errors.DataError, lambda: run(arrow, {"age": om.Numeric()}))
    )
    numbers = pd.DataFrame({0: [1, 2]})
    assert "not text: 0" in str(refused(errors.DataError, lambda: run(numbers, {"0": om.Numeric()})))
    empty = pl.DataFrame({"": [1, 2], "age": [1, 2]})
    assert "no name" in str(refused(errors.DataError, lambda: run(empty, {"age": om.Numeric()}, unlisted="other")))


@pytest.mark.parametrize(
    "frame",
    [
        pl.DataFrame({"age": []}),
        pl.DataFrame({"age": [1]}).clear(),
        pd.DataFrame({"age": []}),
        pa.table({"age": pa.array([], pa.int64())}),
    ],
)
def test_no_rows(frame: Any) -> None:
    assert "no rows" in str(refused(errors.DataError, lambda: run(frame, {"age": om.Numeric()})))


def test_no_frame() -> None:
    for odd in (None, 5, {"age": [1]}, [1, 2], pl.LazyFrame({"age": [1]}), pl.Series("age", [1]), pd.Series([1])):
        assert "expected a DataFrame" in str(refused(errors.DataError, lambda: run(odd, {"age": om.Numeric()})))  # noqa: B023
    assert "no columns" in str(refused(errors.DataError, lambda: run(pl.DataFrame(), {"age": om.Numeric()})))


def test_no_quasi_identifiers() -> None:
    error = refused_policy(lambda: run(pl.DataFrame({"age": [1, 2]}), {"age": om.Numeric(role="sensitive")}))
    assert "no column is a quasi-identifier" in error
    assert "role: quasi" in error


def refused_policy(work: Callable[[], Any]) -> str:
    before = tree()
    with pytest.raises(errors.PolicyError) as caught:
        work()
    assert tree() == before
    return str(caught.value)


def test_a_column_that_is_quasi_and_sensitive(folder: Path) -> None:
    path = folder / "policy.yaml"
    path.write_text(
        "attributes:\n  age: {kind: numeric}\n  age: {kind: numeric, role: sensitive}\nmethod: {name: recoding, k: 2}\n"
    )
    said = refused_policy(lambda: om.anonymize(pl.DataFrame({"age": [1, 2]}), path))
    assert "line 3" in said
    assert "'age' is already in line 2" in said


def test_no_method() -> None:
    policy = om.Policy(attributes={"age": om.Numeric()}, require=[om.KAnonymity(2)])
    assert "names no method" in refused_policy(lambda: om.anonymize(pl.DataFrame({"age": [1, 2]}), policy))


# ---- values ------------------------------------------------------------------------------------------------------


def test_values_without_a_place_in_the_taxonomy() -> None:
    frame = pl.DataFrame({"pet": ["dog", "dgo", "dgo", "unicorn", "cat"]})
    error = refused(errors.UnmatchedValuesError, lambda: run(frame, {"pet": om.Nominal(taxonomy=TAXONOMY)}))
    assert "column 'pet': 2 values have no concept in things" in str(error)
    assert "'dgo' (2 records) - dog" in str(error)
    assert "mapping" in str(error)
    mapped = om.Nominal(taxonomy=TAXONOMY, mapping={"dgo": "dog", "unicorn": "pet"})
    assert len(run(frame, {"pet": mapped}).data) == 5
    # Numbers and truth values are no concepts.
    for odd in ([1, 2], [True, False], [1.5, 2.5]):
        refused(
            errors.UnmatchedValuesError,
            lambda: run(pl.DataFrame({"pet": odd}), {"pet": om.Nominal(taxonomy=TAXONOMY)}),  # noqa: B023
        )


@pytest.mark.parametrize(
    ("values", "rows"),
    [([1.0, NAN, 3.0, 4.0], [2]), ([INF, 2.0, -INF, 4.0], [1, 3]), ([NAN, None, 3.0, 4.0], [1])],
)
@pytest.mark.parametrize("attribute", [om.Numeric(missing="category"), om.Ordinal(missing="category")])
def test_nan_and_infinity(values: list[float | None], rows: list[int], attribute: Any) -> None:
    error = refused(errors.DataError, lambda: run(pl.DataFrame({"age": values}), {"age": attribute}))
    assert isinstance(error, errors.DataError)
    assert error.rows == rows
    assert "column 'age'" in str(error)
    assert "NaN or infinite" in str(error)
    assert all(str(row) in str(error) for row in rows)
    assert "missing" in error.remedy if error.remedy else False


def test_nan_of_pandas_is_missing() -> None:
    frame = pd.DataFrame({"age": [1.0, NAN, 3.0, 4.0]})
    error = refused(errors.DataError, lambda: run(frame, {"age": om.Numeric()}))
    assert "1 missing value (record 2)" in str(error)
    assert run(frame, {"age": om.Numeric(missing="category")}).data.shape == (4, 1)


def test_text_in_a_numeric_column() -> None:
    frame = pl.DataFrame({"age": ["31", "x", "33", "about 40", None, "1e3"]})
    error = refused(errors.DataError, lambda: run(frame, {"age": om.Numeric(missing="category")}))
    assert isinstance(error, errors.DataError)
    assert error.rows == [2, 4]
    assert "column 'age'" in str(error)
    assert "text in 2 of 6 records (records 2, 4)" in str(error)
    assert "about 40" not in str(error)  # which records is enough
    error = refused(errors.DataError, lambda: run(pl.DataFrame({"age": ["1", "2"]}), {"age": om.Numeric()}))
    assert "numbers stored as text" in str(error)
    many = pl.DataFrame({"age": ["x"] * 500})
    error = refused(errors.DataError, lambda: run(many, {"age": om.Numeric()}))
    assert isinstance(error, errors.DataError)
    assert len(error.rows) == 500
    assert len(str(error)) < 400


def test_text_in_a_numeric_column_of_a_file(folder: Path) -> None:
    (folder / "in.csv").write_text("age,pay\n31,1\n32,2\nunknown,3\n34,4\n")
    attributes = {"age": om.Numeric(), "pay": om.Numeric(role="sensitive")}
    error = refused(errors.DataError, lambda: run("in.csv", attributes))
    assert isinstance(error, errors.DataError)
    assert error.rows == [3]
    assert "record 3" in str(error)


@pytest.mark.parametrize("values", [[True, False], [dt.date(2020, 1, 1)] * 2, [dt.timedelta(1)] * 2, [b"a", b"b"]])
def test_what_is_no_number(values: list[Any]) -> None:
    error = refused(errors.DataError, lambda: run(pl.DataFrame({"age": values}), {"age": om.Numeric()}))
    assert "column 'age'" in str(error)
    assert "Ordinal or Flat" in str(error)


@pytest.mark.parametrize("value", [2**53 + 1, 2**60, -(2**53) - 1])
def test_whole_numbers_that_would_be_changed(value: int) -> None:
    frame = pl.DataFrame({"age": [1, value, 3, 4]})
    for method in (om.Suppression(1), om.Microaggregation(1), om.Recoding(2)):
        error = refused(errors.DataError, lambda: run(frame, {"age": om.Numeric()}, method))  # noqa: B023
        assert "record 2" in str(error)
        assert str(value) not in str(error).replace(",", "")
    largest = pl.DataFrame({"age": [2**53 - 1, 2**53 - 2, -(2**53) + 1]})
    assert run(largest, {"age": om.Numeric()}, om.Microaggregation(1)).data.equals(largest)
    # As what they are, they pass unchanged.
    assert run(frame, {"age": om.Flat()}, om.Suppression(1)).data.equals(frame)


@pytest.mark.parametrize("values", [[1e308, -1e308, 1.0, 2.0], [5e-324, 0.0, 5e-324, 0.0], [1e200, 1.0, 2.0, 3.0]])
@pytest.mark.parametrize("distance", ["mean", "s"])
def test_numbers_that_cannot_be_computed_with(values: list[float], distance: Any) -> None:
    method = om.Microaggregation(2, distance=distance)
    error = refused(errors.DataError, lambda: run(pl.DataFrame({"age": values}), {"age": om.Numeric()}, method))
    assert "column 'age'" in str(error)
    usual = pl.DataFrame({"age": [1e100, -1e100, 3.0, 4.0]})
    assert run(usual, {"age": om.Numeric()}, method).data["age"].is_finite().all()


def test_decimals_that_would_be_changed() -> None:
    frame = pl.DataFrame({"age": [Decimal("12345678901234567890.12")] * 2 + [Decimal("1.50")] * 2})
    try:
        result = run(frame, {"age": om.Numeric()}, om.Suppression(2))
    except errors.DataError as error:
        assert "column 'age'" in str(error)  # noqa: PT017
    else:
        assert result.data["age"].to_list() == frame["age"].to_list()
    usual = pl.DataFrame({"age": [Decimal("0.10"), Decimal("19.99")]})
    assert run(usual, {"age": om.Numeric()}, om.Microaggregation(1)).data.equals(usual)


def test_rounding_is_for_means() -> None:
    """Methods that promise values of the data keep that promise, whatever decimals are asked for."""
    frame = pl.DataFrame({"age": [1.26, 1.26, 2.26, 2.36]})
    attributes = {"age": om.Numeric(decimals=1)}
    assert run(frame, attributes, om.Microaggregation(2)).data["age"].to_list() == [1.3, 1.3, 2.3, 2.3]
    for method in (om.Recoding(2), om.Suppression(2)):
        result = run(frame, attributes, method)
        occurs = set(result.data["age"]) <= set(frame["age"])
        assert occurs or "occur in the original" not in " ".join(map(str, result.guarantees))
    assert run(frame, attributes, om.Suppression(2)).data["age"].to_list() == [1.26, 1.26]


@pytest.mark.parametrize(
    "values",
    [
        pl.Series([3, 1, 2, 2], dtype=pl.Datetime("ns")),
        pl.Series([3, 1, 2, 2], dtype=pl.Duration("ns")),
        pl.Series([3, 1, 2, 2], dtype=pl.Time),
        # the hour when clocks are turned back: 02:30 twice
        pl.Series([1729989000, 1729992600, 1729992600], dtype=pl.Int64).cast(pl.Datetime("ms")),
        (pl.Series([1729989000, 1729992600, 1729992600]) * 1000).cast(pl.Datetime("ms", "Europe/Berlin")),
    ],
)
def test_times_are_not_changed_by_ranking_them(values: pl.Series) -> None:
    frame = pl.DataFrame({"when": values})
    for method in (om.Microaggregation(1), om.Suppression(1)):
        assert run(frame, {"when": om.Ordinal()}, method).data.equals(frame)
    median = run(frame.head(3), {"when": om.Ordinal()}, om.Microaggregation(3)).data["when"]
    assert median.to_physical().to_list() == [sorted(values.head(3).to_physical())[1]] * 3


def test_rounding_leaves_no_negative_zero() -> None:
    data = run(pl.DataFrame({"age": [-0.3, -0.4, 7.3, 7.4]}), {"age": om.Numeric(decimals=0)}).data
    assert [str(value) for value in data["age"].to_list()] in (["0.0", "0.0", "7.0", "7.0"], ["0", "0", "7", "7"])


def test_mixed_types() -> None:
    frame = pd.DataFrame({"code": [1, "a", 2.5]})
    error = refused(errors.DataError, lambda: run(frame, {"code": om.Flat()}))
    assert "column 'code': the column mixes types: float (record 3), int (record 1), str (record 2)" in str(error)
    nested = pl.DataFrame({"code": [[1, 2], [3]]})
    assert "several values in one cell" in str(refused(errors.DataError, lambda: run(nested, {"code": om.Flat()})))


def test_ordinal_values_that_the_order_does_not_have() -> None:
    frame = pl.DataFrame({"stage": ["I", "II", "IV", "V", "IV"]})
    error = refused(errors.DataError, lambda: run(frame, {"stage": om.Ordinal(order=["I", "II"])}))
    assert isinstance(error, errors.DataError)
    assert error.rows == [3, 4, 5]
    assert "'IV', 'V' (3 records)" in str(error)
    assert "It has: 'I', 'II'" in str(error)
    error = refused(errors.DataError, lambda: run(frame, {"stage": om.Ordinal()}))
    assert "order=[" in str(error)
    # In YAML, no and yes without quotes are truth values.
    answers = pl.DataFrame({"answer": ["no", "yes"]})
    error = refused(errors.DataError, lambda: run(answers, {"answer": om.Ordinal(order=[False, True])}))
    assert "quote" in str(error)


@pytest.mark.parametrize(
    ("values", "order"),
    [
        (pl.Series(["a", "b"] * 2, dtype=pl.Enum(["a", "b"])), ["a", "mid", "b"]),
        (pl.Series([1, 2] * 2, dtype=pl.Int8), [1, 2, 300]),
        (pl.Series([1, 2] * 2), [1, 1.5, 2, "more"]),
        (pl.Series([1.0, 2.0] * 2), [1, 2]),
        (pl.Series(["b", "a"] * 2, dtype=pl.Categorical), ["a", "b"]),
        (pl.Series([True, False] * 2), [False, True]),
        (pl.Series([dt.date(2020, 1, 2), dt.date(2020, 1, 1)] * 2), None),
        (pl.Series(["b", "a"] * 2, dtype=pl.Enum(["a", "b"])), None),
    ],
)
def test_an_order_may_know_more_than_the_column(values: pl.Series, order: list[Any] | None) -> None:
    frame = pl.DataFrame({"stage": values})
    assert run(frame, {"stage": om.Ordinal(order=order)}).data.equals(frame)


def test_pandas_categories_in_order_are_an_order() -> None:
    values = pd.Categorical(["low", "high", "mid", "mid"], categories=["low", "mid", "high"], ordered=True)
    data = run(pd.DataFrame({"x": values}), {"x": om.Ordinal()}, om.Microaggregation(4)).data
    assert list(data["x"]) == ["mid"] * 4
    unordered = pd.DataFrame({"x": pd.Categorical(["low", "high"])})
    assert "no order" in str(refused(errors.DataError, lambda: run(unordered, {"x": om.Ordinal()})))


def test_a_constant_quasi_identifier_is_noted() -> None:
    result = run(pl.DataFrame({"age": [1, 1, 1], "job": ["a", "b", "b"]}), {"age": om.Numeric(), "job": om.Flat()})
    assert [note for note in map(str, result.notes) if "same value" in note] == [
        "age: all records have the same value; as a quasi-identifier it distinguishes no records"
    ]


# ---- missing values ----------------------------------------------------------------------------------------------

GAPS = pl.DataFrame(
    {"age": [30, None, 31, None, 52, 53], "pet": ["dog", "dog", None, "cat", "oak", "oak"], "pay": [None, *range(5)]}
)


def gaps(age: str | None = None, pet: str | None = None, pay: str | None = None) -> dict[str, Any]:
    return {
        "age": om.Numeric(missing=age),
        "pet": om.Nominal(taxonomy=TAXONOMY, missing=pet),
        "pay": om.Numeric(role="sensitive", missing=pay),
    }


@pytest.mark.parametrize("kind", ["polars", "pandas", "pyarrow"])
def test_missing_values(kind: str) -> None:
    frame: Any = {"polars": GAPS, "pandas": GAPS.to_pandas(), "pyarrow": GAPS.to_arrow()}[kind]
    # An error unless something else is said, in quasi-identifiers.
    error = refused(errors.DataError, lambda: run(frame, gaps()))
    assert isinstance(error, errors.DataError)
    assert error.rows == [2, 4]
    assert "column 'age': has 2 missing values (records 2, 4)" in str(error)
    assert "missing: category" in str(error)
    assert "missing: drop_record" in str(error)
    refused(errors.DataError, lambda: run(frame, gaps(age="error")))
    # A category.
    result = run(frame, gaps(age="category", pet="category"))
    assert len(result.records) == 6
    assert any(re.match(r"age: 2 missing values", note) for note in map(str, result.notes))
    assert any(re.match(r"pet: 1 missing value\b", note) for note in map(str, result.notes))
    assert not any(note.startswith("pay") for note in map(str, result.notes))  # left alone
    # Dropped.
    result = run(frame, gaps(age="drop_record", pet="drop_record"))
    assert result.records.tolist() == [0, 4, 5]
    assert result.removed.tolist() == [1, 2, 3]
    assert result.mapping["records"].sum() == 3
    assert any(re.match(r"age: 2 records .*dropped", note) for note in map(str, result.notes))
    assert any(re.match(r"pet: 1 record .*dropped", note) for note in map(str, result.notes))
    # The sensitive column can be held to it as well.
    error = refused(errors.DataError, lambda: run(frame, gaps("category", "category", "error")))
    assert "column 'pay': has 1 missing value (record 1)" in str(error)
    assert run(frame, gaps("category", "category", "drop_record")).records.tolist() == [1, 2, 3, 4, 5]


def test_records_that_are_dropped_raise_no_error_elsewhere() -> None:
    frame = pl.DataFrame({"age": [None, 2, 3], "size": [None, 1, 1]})
    attributes = {"age": om.Numeric(missing="drop_record"), "size": om.Numeric()}
    assert run(frame, attributes).records.tolist() == [1, 2]
    assert run(frame.select("size", "age"), attributes).records.tolist() == [1, 2]


def test_dropping_everything() -> None:
    frame = pl.DataFrame({"age": [None, 2], "size": [1, None]})
    attributes = {"age": om.Numeric(missing="drop_record"), "size": om.Numeric(missing="drop_record")}
    assert "leaves none" in str(refused(errors.DataError, lambda: run(frame, attributes)))


@pytest.mark.parametrize(
    ("values", "attribute"),
    [
        ([1.0, 1.0, 1.0, NAN, 1.0], om.Numeric()),
        (["1", "1", "1", "x", "1"], om.Numeric()),
        (["a", "a", "b", "c", "a"], om.Ordinal(order=["a", "b"])),
        ([1.0, 1.0, 1.0, NAN, 1.0], om.Ordinal()),
        ([1, 1, 1, 2**60, 1], om.Numeric()),
    ],
)
def test_records_are_counted_as_in_the_input(values: list[Any], attribute: Any) -> None:
    """Also where records before them were dropped."""
    frame = pl.DataFrame({"first": [None, 2, None, 4, 5], "second": values})
    error = refused(
        errors.DataError, lambda: run(frame, {"first": om.Numeric(missing="drop_record"), "second": attribute})
    )
    assert isinstance(error, errors.DataError)
    assert error.rows == [4]


# ---- k and what is required --------------------------------------------------------------------------------------


def test_k_above_n() -> None:
    error = refused(errors.DataError, lambda: run(pl.DataFrame({"age": [1]}), {"age": om.Numeric()}))
    assert "k is 2 and there is 1 record" in str(error)
    error = refused(
        errors.DataError,
        lambda: run(pl.DataFrame({"age": [1, 2, 3]}), {"age": om.Numeric()}, require=[om.KAnonymity(4)]),
    )
    assert "4-anonymity is required and there are 3 records" in str(error)


FOUR = pl.DataFrame({"age": [1, 2, 30, 31], "pay": [100, 200, 300, 400]})
TWO = {"age": om.Numeric(), "pay": om.Numeric(role="sensitive")}


def test_a_release_that_fails_is_refused_with_the_classes_that_fail() -> None:
    error = refused(errors.NotSatisfied, lambda: run(FOUR, TWO, om.Recoding(k=2), require=[om.KAnonymity(3)]))
    assert isinstance(error, errors.NotSatisfied)
    assert "the release is refused: 3-anonymity: 2 of 2 classes have fewer than 3 records" in str(error)
    assert "allow_unsatisfied=True" in str(error)
    verification: Any = error.verification
    assert isinstance(verification, om.Verification)
    assert not verification.holds
    assert [finding.holds for finding in verification] == [True, False]
    failed = verification.findings[1]
    assert failed.model == om.KAnonymity(3)
    assert failed.violations.sort("age").to_dicts() == [{"age": 2, "records": 2}, {"age": 31, "records": 2}]
    assert (failed.worst, failed.records) == (2, 4)
    # Everything that fails is named, not only the first.
    error = refused(
        errors.NotSatisfied, lambda: run(FOUR, TWO, om.Recoding(k=2), require=[om.KAnonymity(4), om.KAnonymity(3)])
    )
    assert "4-anonymity" in str(error)
    assert "3-anonymity" in str(error)
    # The same k as the method promises is not checked twice.
    assert len(run(FOUR, TWO, om.Recoding(k=2), require=[om.KAnonymity(2)]).verification.findings) == 1


def test_a_release_that_fails_is_marked_everywhere(folder: Path) -> None:
    result = run(FOUR, TWO, om.Recoding(k=2), require=[om.KAnonymity(3)], allow_unsatisfied=True)
    assert not result.satisfied
    assert not result.verification.holds
    assert "NOT SATISFIED" in repr(result)
    assert str(result).count("NOT SATISFIED") >= 2
    assert result.guarantees[0].text.startswith("NOT SATISFIED: 3-anonymity")
    assert any(note.startswith("NOT SATISFIED") for note in map(str, result.notes))
    with pytest.warns(errors.OntomaskWarning, match="does not satisfy"):
        result.write("out.csv")
    with pytest.warns(errors.OntomaskWarning, match="does not satisfy"):
        result.save("out")
    assert any("NOT-SATISFIED" in path.name for path in (folder / "out" / "release").iterdir())
    assert "NOT SATISFIED" in (folder / "out" / "release" / "guarantees.txt").read_text()
    # One that holds is not marked, whatever is allowed.
    good = run(FOUR, TWO, allow_unsatisfied=True)
    assert good.satisfied
    assert "NOT" not in repr(good)
    assert not any("NOT" in text for text in map(str, good.guarantees))


# ---- files that are in the way -----------------------------------------------------------------------------------


def test_a_taxonomy_that_vanished(folder: Path) -> None:
    deep = folder / ("a folder with a long name" * 4)  # paths are long; what matters stands at their end
    deep.mkdir()
    path = deep / "things.csv"
    om.write_taxonomy(TAXONOMY, path)
    policy = om.Policy(attributes={"pet": om.Nominal(taxonomy=path)}, method=om.Recoding(2))
    frame = pl.DataFrame({"pet": ["dog", "dog"]})
    om.anonymize(frame, policy)
    path.unlink()
    error = refused(errors.TaxonomyFileError, lambda: om.anonymize(frame, policy))
    assert "things.csv" in str(error)
    assert "no such file" in str(error)
    mapped = om.Nominal(taxonomy=TAXONOMY, mapping="gone.csv")
    assert "gone.csv" in str(refused(errors.TaxonomyFileError, lambda: run(frame, {"pet": mapped})))


def test_data_that_are_not_there(folder: Path) -> None:
    (folder / "patients.csv").write_text("age\n1\n")
    error = refused(errors.DataError, lambda: run("patient.csv", {"age": om.Numeric()}))
    assert "Did you mean 'patients.csv'" in str(error)
    refused(errors.DataError, lambda: run(folder, {"age": om.Numeric()}))
    (folder / "empty.csv").write_text("")
    assert "empty" in str(refused(errors.DataError, lambda: run("empty.csv", {"age": om.Numeric()})))
    (folder / "head.csv").write_text("age\n")
    refused(errors.DataError, lambda: run("head.csv", {"age": om.Numeric()}))


@pytest.fixture
def released(folder: Path) -> om.Result:
    om.write_table(FOUR, folder / "in.csv")
    return run(folder / "in.csv", TWO)


def test_the_input_is_never_written_over(folder: Path, released: om.Result) -> None:
    before = (folder / "in.csv").read_bytes()
    (folder / "link.csv").symlink_to(folder / "in.csv")
    os.link(folder / "in.csv", folder / "hard.csv")
    for path in ("in.csv", folder / "in.csv", f"../{folder.name}/in.csv", "link.csv", "hard.csv"):
        error = refused(errors.OutputError, lambda: released.write(path, overwrite=True))  # noqa: B023
        assert "the file the data came from" in str(error)
    assert (folder / "in.csv").read_bytes() == before
    assert "other files" in str(refused(errors.OutputError, lambda: released.save(folder, overwrite=True)))
    assert released.write("out.csv") == Path("out.csv")
    assert (folder / "in.csv").read_bytes() == before


def test_places_that_cannot_be_written(folder: Path, released: om.Result) -> None:
    assert "does not exist" in str(refused(errors.OutputError, lambda: released.write("absent/out.csv")))
    refused(errors.OutputError, lambda: released.save("absent/deeper/out"))
    (folder / "there.csv").write_text("precious")
    assert "overwrite=True" in str(refused(errors.OutputError, lambda: released.write("there.csv")))
    assert (folder / "there.csv").read_text() == "precious"
    assert "this is a file" in str(refused(errors.OutputError, lambda: released.save("there.csv")))
    refused(errors.OutputError, lambda: released.write("a\0b.csv"))
    refused(errors.OutputError, lambda: released.save("a\0b"))
    refused(errors.OutputError, lambda: released.write("x" * 300 + ".csv"))
    refused(errors.OutputError, lambda: released.save("x" * 300))
    for odd in (None, "", 3):
        refused(errors.OptionError, lambda: released.write(odd))  # type: ignore[arg-type] # noqa: B023
        refused(errors.OptionError, lambda: released.save(odd))  # type: ignore[arg-type] # noqa: B023


@pytest.mark.parametrize(
    ("code", "expected"),
    [(errno.ENOSPC, "the disk is full"), (errno.EACCES, "Permission denied"), (errno.EROFS, "cannot be written")],
)
@pytest.mark.parametrize("where", ["write", "save"])
def test_disks_that_are_full_and_folders_that_are_closed(
    released: om.Result, monkeypatch: pytest.MonkeyPatch, code: int, expected: str, where: str
) -> None:
    def fail(*given: Any, **named: Any) -> None:
        raise OSError(code, os.strerror(code))

    for function in ("fsync", "replace"):
        with monkeypatch.context() as patched:
            patched.setattr(os, function, fail)
            error = refused(
                errors.OutputError, lambda: released.write("out.csv") if where == "write" else released.save("out")
            )
        assert expected in str(error)
        assert "Nothing was written" in str(error)
        assert ".part" not in str(error)  # nobody can find that
        assert isinstance(error, OSError)


def test_a_result_that_cannot_be_replaced_stays(
    folder: Path, released: om.Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    released.save("out")
    before = {path: path.read_bytes() for path in (folder / "out").rglob("*") if path.is_file()}
    replace = os.replace

    def failing(at: int) -> Callable[..., None]:
        calls: list[Any] = []

        def fail_later(*given: Any) -> None:
            calls.append(given)
            if len(calls) == at:
                raise OSError(errno.ENOSPC, "No space left on device")
            replace(*given)

        return fail_later

    for stop in range(1, 30):
        with monkeypatch.context() as patched:
            patched.setattr(os, "replace", failing(stop))
            try:
                released.save("out", overwrite=True)
            except errors.OutputError:
                pass
            else:
                break
        assert {path: path.read_bytes() for path in (folder / "out").rglob("*") if path.is_file()} == before
    assert 5 < stop < 29, "it fails at every step, and at last there is none left"


def test_saving(folder: Path, released: om.Result) -> None:
    """What may be handed out lies apart from what leads back to people."""
    released.save("out")
    assert sorted(path.name for path in (folder / "out").iterdir()) == ["confidential", "release"]
    handed_out = {path.name: path.read_text() for path in (folder / "out" / "release").rglob("*")}
    assert sorted(handed_out) == ["guarantees.txt", "release.csv"]
    assert "2-anonymity" in handed_out["guarantees.txt"]
    assert str(folder) not in "".join(handed_out.values())
    assert "seed" not in "".join(handed_out.values())
    kept = {path.name for path in (folder / "out" / "confidential").iterdir()}
    assert {"mapping.csv", "groups.csv", "policy.yaml", "secret.txt", "READ ME FIRST.txt"} <= kept
    assert (folder / "out" / "confidential").stat().st_mode & 0o077 == 0
    back = om.Policy.load(folder / "out" / "confidential" / "policy.yaml")
    assert om.anonymize(folder / "in.csv", back).data.equals(released.data)
    # A second time only when asked for, and never among other things.
    assert "overwrite=True" in str(refused(errors.OutputError, lambda: released.save("out")))
    released.save("out", overwrite=True)
    assert sorted(path.name for path in (folder / "out" / "release").iterdir()) == ["guarantees.txt", "release.csv"]
    (folder / "thesis").mkdir()
    (folder / "thesis" / "thesis.tex").write_text("years of work")
    error = refused(errors.OutputError, lambda: released.save("thesis", overwrite=True))
    assert "thesis.tex" in str(error)
    (folder / "new").mkdir()
    os.chdir("new")
    released.save(".")
    assert sorted(os.listdir()) == ["confidential", "release"]


def test_saving_with_a_taxonomy_made_in_python(folder: Path) -> None:
    frame = pl.DataFrame({"pet": ["dog", "cat", "oak", "elm"], "plant": ["oak", "elm", "oak", "elm"]})
    made = {"pet": om.Nominal(taxonomy=TAXONOMY), "plant": om.Nominal(taxonomy=TAXONOMY)}
    result = run(frame, made, om.Microaggregation(2, centroid="lcs"))
    result.save("out")
    (folder / "out").rename(folder / "moved")
    back = om.Policy.load("moved/confidential/policy.yaml")
    assert om.anonymize(frame, back).data.equals(result.data)


@pytest.mark.parametrize(
    "names", [("records", "group"), ("records", "x (masked)", "x"), ("distinct", "records (ontomask)")]
)
def test_columns_called_like_those_of_the_mapping(names: tuple[str, ...]) -> None:
    frame = pl.DataFrame({name: [1, 2, 30, 31] for name in names})
    result = run(frame, {name: om.Numeric() for name in names})
    for table in (result.mapping, result.groups):
        assert len(set(table.columns)) == len(table.columns)
        assert set(names) <= set(table.columns)
    assert result.mapping[names[0]].to_list() == [1, 2, 30, 31] or sorted(result.mapping[names[0]]) == [1, 2, 30, 31]
    assert sorted(result.groups[names[0]]) == [2, 30]
    result.save("out")


# ---- discretion --------------------------------------------------------------------------------------------------


def test_messages_show_no_more_of_the_data_than_is_needed() -> None:
    n = 400
    secrets = [f"secret{i:03d}" + "x" * 200 for i in range(n)]
    frame = pl.DataFrame(
        {"name": secrets, "age": [str(s) for s in secrets], "pay": [None if i % 2 else 1 for i in range(n)]}
    )
    heer, high = om.Resampling(2, variant="heer"), [om.KAnonymity(300)]
    cases: list[tuple[Callable[[], Any], int]] = [
        (lambda: run(frame, {"name": om.Nominal(taxonomy=TAXONOMY)}, unlisted="drop"), 20),
        (lambda: run(frame, {"name": om.Ordinal(order=["a"])}, unlisted="drop"), 5),
        (lambda: run(frame, {"name": om.Ordinal()}, unlisted="drop"), 0),
        (lambda: run(frame, {"age": om.Numeric()}, unlisted="drop"), 0),
        (lambda: run(frame, {"pay": om.Numeric()}, unlisted="drop"), 0),
        (lambda: run(frame, {"name": om.Flat()}), 0),
        (lambda: run(frame, {"name": om.Flat(), "nam": om.Flat()}, unlisted="drop"), 0),
        (lambda: run(frame, {"name": om.Flat()}, om.Suppression(2), unlisted="drop"), 0),
        (lambda: run(frame, {"name": om.Flat()}, om.Recoding(401), unlisted="drop"), 0),
        (lambda: run(frame, {"name": om.Flat()}, heer, require=high, unlisted="drop"), 0),
        (lambda: run(frame.to_pandas().assign(age=[1, "a"] * (n // 2)), {"age": om.Flat()}, unlisted="drop"), 0),
    ]
    for work, most in cases:
        with pytest.raises(errors.OntomaskError) as caught:
            work()
        said = str(caught.value)
        assert len(set(re.findall(r"secret\d+", said))) <= most, said[:500]
        assert "x" * 100 not in said
        assert len(said) < 4000


def test_notes_and_guarantees_show_no_record() -> None:
    names, towns = ["Ann", "Bob", "Cyd", "Dan"], ["Ulm", "Ulm", "Bonn", "Bonn"]
    frame = pl.DataFrame({"name": names, "age": [30, 31, 52, None], "city": towns})
    attributes = {"name": om.Identifier(), "age": om.Numeric(missing="category"), "city": om.Flat(role="sensitive")}
    said = str(run(frame, attributes))
    assert not [value for value in (*names, *towns, "30", "52") if value in said]
    for index in (pd.Index(frame["name"], name="person"), pd.MultiIndex.from_arrays([frame["name"], range(4)])):
        result = run(frame.to_pandas().set_index(index), attributes)
        assert "Ann" not in str(result)
        assert list(result.data.index) == [0, 1, 2, 3]


def test_what_is_handed_out_is_new() -> None:
    """Changing the release does not reach the original, nor the other way round."""
    frame = pd.DataFrame({"age": [1, 2, 30, 31], "pay": [1.0, 2.0, 3.0, 4.0]})
    result = run(frame, TWO)
    result.data.loc[:, "pay"] = -1.0
    assert list(frame["pay"]) == [1.0, 2.0, 3.0, 4.0]
    again = run(frame, TWO)
    frame.loc[:, "pay"] = -2.0
    assert list(again.data["pay"]) == [1.0, 2.0, 3.0, 4.0]


@pytest.mark.parametrize("name", ["*", "^a.*$"])
def test_names_that_polars_takes_for_patterns(name: str, tmp_path: Path) -> None:
    frame = pl.DataFrame({name: ["x", "y"] * 5, "age": [1, 2] * 5})
    policy = om.Policy(attributes={name: om.Flat(), "age": om.Numeric()}, method=om.Microaggregation(k=3))
    with pytest.raises(errors.DataError, match="pattern of names.*Rename it"):
        om.anonymize(frame, policy)
    (tmp_path / "a.csv").write_text(f"{name},age\nx,1\n")
    with pytest.raises(errors.OntomaskError, match="pattern of names.*Rename it"):
        om.read_table(tmp_path / "a.csv")
