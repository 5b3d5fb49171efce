"""Assessment of tables from anywhere: values are compared as the values they are, and one yardstick judges all."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import ontomask as om
from ontomask import errors

FLAT, ORDINAL = {"a": om.Flat()}, {"a": om.Ordinal()}


def masked(frame: Any, attributes: dict[str, Any], k: int = 2, **settings: Any) -> tuple[om.Result, om.Policy]:
    policy = om.Policy(attributes=attributes, method=om.Microaggregation(k=k), **settings)
    return om.anonymize(frame, policy), policy


def sse(before: Any, after: Any, attributes: dict[str, Any]) -> float:
    frames = (
        pl.DataFrame({"a": values}) if not isinstance(values, pl.DataFrame) else values for values in (before, after)
    )
    return om.information_loss(*frames, attributes).sse["a"]


# ---- values as values --------------------------------------------------------------------------------------------


def test_no_value_is_cut_to_fit() -> None:
    whole, parts = pl.DataFrame({"a": [1, 1, 2, 2]}), pl.DataFrame({"a": [1.0, 1.0, 2.5, 2.5]})
    assert sse(whole, parts, FLAT) == sse(whole.cast(pl.Float64), parts, FLAT) == 2.0
    assert sse(parts, whole, FLAT) == 2.0
    assert om.record_linkage(whole, parts, FLAT, "matching") == 0.25
    assert om.clustering_distance(whole, parts, FLAT, clusters=2).distance == 0.0
    with pytest.raises(errors.DataError, match=r"column 'a': holds 1 value that the original does not have: 2.5"):
        sse(whole, parts, ORDINAL)
    assert sse(whole, pl.DataFrame({"a": [1.0, 1.0, 2.0, 2.0]}), ORDINAL) == 0.0
    assert sse([300, 1], pl.DataFrame({"a": pl.Series([44, 1], dtype=pl.Int8)}), FLAT) == 1.0
    # Numbers that no type holds both of.
    with pytest.raises(errors.DataError, match="column 'a': holds Int64 in the original and Float64"):
        sse([2**53 + 1, 2**53], [0.5, 1.0], FLAT)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([1, 2], ["x", "y"]),
        ([1, 2], ["1", "2"]),
        (["1", "2"], [1, 2]),
        ([True, False], ["yes", "no"]),
        ([dt.date(2024, 1, 1), dt.date(2024, 1, 2)], ["2024-01-01", "in spring"]),
        ([dt.date(2024, 1, 1), dt.date(2024, 1, 2)], ["1/1/2024", "2/1/2024"]),
        ([dt.date(2024, 1, 1), dt.date(2024, 1, 2)], [1, 2]),
        ([dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 2)], ["2024-01-01T00:00:00Z", "2024-01-02T00:00:00Z"]),
        ([dt.timedelta(1), dt.timedelta(2)], ["1d", "2d"]),
    ],
)
def test_types_that_do_not_go_together_are_an_error_of_ours(before: list[Any], after: list[Any]) -> None:
    for attributes in (FLAT, ORDINAL):
        for assess in (om.information_loss, om.record_linkage, om.clustering_distance):
            with pytest.raises(
                errors.DataError, match="column 'a': holds .* in the original and .* in the masked data"
            ) as e:
                assess(pl.DataFrame({"a": before}), pl.DataFrame({"a": after}), attributes)
            assert not [value for value in after if repr(value) in str(e.value)], "no data are shown"
            assert "text=['a']" in str(e.value)


COLUMNS: dict[str, list[Any]] = {
    "date": [dt.date(2024, 1, 1), dt.date(2024, 2, 1), dt.date(1580, 1, 1), dt.date(9999, 12, 31)] * 2,
    "moment": [dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 1, 12, 30, 1, 5), dt.datetime(2024, 1, 2), None] * 2,
    "time": [dt.time(1, 2), dt.time(3, 4, 5), dt.time(0), dt.time(1, 2)] * 2,
    "truth": [True, False, True, None] * 2,
    "word": ["a", "b", "007", "c"] * 2,
    "number": [1, 2, 3, 2] * 2,
}


@pytest.mark.parametrize("kind", ["polars", "pandas", "pyarrow"])
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("name", list(COLUMNS))
def test_a_release_read_back_is_what_it_was(tmp_path: Path, name: str, suffix: str, kind: str) -> None:
    frame: Any = pl.DataFrame({name: COLUMNS[name]})
    frame = {"polars": lambda: frame, "pandas": frame.to_pandas, "pyarrow": frame.to_arrow}[kind]()
    for attribute in (om.Flat(missing="category"), om.Ordinal(missing="category")):
        if name == "word" and isinstance(attribute, om.Ordinal):
            continue
        result, policy = masked(frame, {name: attribute})
        path = result.write(tmp_path / f"{attribute.kind}.{suffix}")
        expected = result.loss()
        for after in (result.data, path, str(path), om.read_table(path).data):
            assert om.information_loss(frame, after, policy) == expected
            assert om.record_linkage(frame, after, policy) == result.linkage()
        # The original, too, may be the one that is text.
        original = om.write_table(frame, tmp_path / f"{attribute.kind}-in.{suffix}")
        assert om.information_loss(original, result.data, policy) == expected


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin"])
def test_moments_with_a_zone(tmp_path: Path, zone: str) -> None:
    column = pl.Series("a", [dt.datetime(2024, 3, 31, h) for h in (0, 1, 3, 4)]).dt.replace_time_zone(zone)
    result, policy = masked(column.to_frame(), ORDINAL)
    path = result.write(tmp_path / "out.csv")
    assert om.information_loss(column.to_frame(), path, policy) == result.loss()


def test_truth_values_of_statistical_packages(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": [True, True, False, False, True, False]})
    result, policy = masked(frame, FLAT, 3)
    assert om.information_loss(frame, result.write(tmp_path / "out.sav"), policy) == result.loss()
    assert sse([True, False], [2, 0], FLAT) == 1.0


def test_what_is_text_in_the_original_stays_text_in_a_file(tmp_path: Path) -> None:
    """Once 007 is gone, only what looks like numbers may be left."""
    before = pl.DataFrame({"a": ["007", "7", "7"]})
    (tmp_path / "out.csv").write_text("a\n7\n7\n7\n")
    assert sse_of_file(before, tmp_path / "out.csv") == 1.0
    with pytest.raises(errors.DataError, match=r"text in the original and Int64.*text=\['a'\]"):
        om.information_loss(before, om.read_table(tmp_path / "out.csv").data, FLAT)


def sse_of_file(before: pl.DataFrame, path: Path) -> float:
    return om.information_loss(before, path, FLAT).sse["a"]


def test_codes_of_a_file_stay_codes(tmp_path: Path) -> None:
    frame = pd.DataFrame({"diag": ["162.9", "486", "153.9"] * 20})
    result, policy = masked(frame, {"diag": om.Nominal("icd9cm")}, 4)
    path = result.write(tmp_path / "out.csv")
    original = om.write_table(frame, tmp_path / "in.csv")
    for before in (frame, original):
        for after in (path, str(path), result.data):
            assert om.information_loss(before, after, policy).information_loss == 0.0
            assert om.record_linkage(before, after, policy) == result.linkage()
            assert om.clustering_distance(before, after, policy).distance == 0.0
    with pytest.raises(errors.DataError, match="no such file"):
        om.information_loss(frame, tmp_path / "absent.csv", policy)


def test_a_masked_value_means_what_it_meant_in_the_original(icd9cm: om.Taxonomy) -> None:
    """38 is 038 among codes with dots; alone it could be 003.8 as well."""
    attributes = {"diag": om.Nominal(icd9cm)}
    before = pl.DataFrame({"diag": ["38", "38", "250.01"]})
    after = pl.DataFrame({"diag": ["38", "38", "38"]})
    assert om.information_loss(before, after, attributes).sse["diag"] > 0
    assert om.information_loss(before, before, attributes).sse["diag"] == 0


# ---- orders of their own -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_ordered_categories(tmp_path: Path, kind: str) -> None:
    categories = ["low", "mid", "high", "top"]
    values = ["high", "low", "mid", "low", "high", "mid"]
    frame: Any = pd.DataFrame({"a": pd.Categorical(values, categories=categories, ordered=True)})
    if kind == "polars":
        frame = pl.DataFrame({"a": pl.Series(values, dtype=pl.Enum(categories))})
    elif kind == "pyarrow":
        import pyarrow as pa

        codes = pa.array([categories.index(value) for value in values], type=pa.int8())
        frame = pa.table({"a": pa.DictionaryArray.from_arrays(codes, pa.array(categories), ordered=True)})
    result, policy = masked(frame, ORDINAL, 3)
    assert om.information_loss(frame, result.data, policy) == result.loss()
    assert om.information_loss(frame, result.write(tmp_path / "out.csv"), policy) == result.loss()
    assert om.record_linkage(frame, result.data, policy) == result.linkage()
    assert om.record_distances(frame, ORDINAL)[0, 1] == pytest.approx(2 / 3)
    # The scale is that of the frame, also for what nobody had.
    top = pl.DataFrame({"a": ["top"] * 6})
    assert om.information_loss(frame, top, policy).sse["a"] == 1 + 9 + 4 + 9 + 1 + 4


def test_an_index_that_the_policy_names(tmp_path: Path) -> None:
    frame = pd.DataFrame({"b": [1, 2, 3, 4]}, index=pd.Index([20, 21, 40, 41], name="a"))
    result, policy = masked(frame, {"a": om.Numeric(), "b": om.Numeric("other")})
    assert om.information_loss(frame, result.data, policy) == result.loss()


# ---- removed records ---------------------------------------------------------------------------------------------


def test_dropped_records_are_removed_records(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [20, 21, None, 41, 60, 61, 80.0], "b": ["x", "y", "x", None, "y", "x", "y"]})
    attributes = {"a": om.Numeric(missing="drop_record"), "b": om.Flat("sensitive", missing="drop_record")}
    result, policy = masked(frame, attributes)
    assert result.removed.tolist() == [2, 3]
    loss = result.loss()
    assert (loss.records, loss.removed) == (7, 2)
    path = result.write(tmp_path / "out.csv")
    for after in (result.data, path):
        assert om.information_loss(frame, after, policy, records=result.records) == loss
        for kind in ("semantic", "matching", "masked_matching", "masked_distance"):
            assert om.record_linkage(frame, after, policy, kind, records=result.records) == result.linkage(kind)
    # They count with the largest distance, and cannot be linked.
    kept = frame.iloc[result.records].reset_index(drop=True)
    alone = om.information_loss(kept, result.data, policy)
    assert loss.sse_record == pytest.approx(alone.sse_record + 2)
    assert loss.sst_record == pytest.approx(alone.sst_record)
    assert loss.semantic_loss == pytest.approx((5 * alone.semantic_loss + 2) / 7)
    assert result.linkage() == pytest.approx(om.record_linkage(kept, result.data, policy) * 5 / 7)
    # Dropped ones cannot be clustered.
    assert om.clustering_distance(frame, result.data, policy, records=result.records).available == 5


def test_a_record_that_is_there_was_not_dropped() -> None:
    """A foreign table may keep what our policy would drop."""
    before = pl.DataFrame({"a": [20, 21, None, 41]})
    attributes = {"a": om.Numeric(missing="drop_record")}
    assert om.information_loss(before, before, attributes).removed == 0
    some = om.information_loss(before, before[1:], attributes, records=[1, 2, 3])
    assert (some.removed, some.sse_record) == (1, 1.0)


def test_rows_in_any_order() -> None:
    before = pl.DataFrame({"a": [20, None, 40, 41, 60]})
    attributes = {"a": om.Numeric(missing="drop_record")}
    loss = om.information_loss(before, pl.DataFrame({"a": [60, 20, 41]}), attributes, records=[4, 0, 3])
    assert (loss.removed, loss.sse_record) == (2, 2.0)


# ---- one yardstick -----------------------------------------------------------------------------------------------


def test_weights_steer_masking_and_judge_nothing_but_information_loss() -> None:
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"a": rng.normal(size=80), "b": rng.normal(size=80)})
    plain = {"a": om.Numeric(), "b": om.Numeric()}
    losses = []
    for weight in (1, 10, 100):
        weighted = {"a": om.Numeric(weight=weight), "b": om.Numeric()}
        result, policy = masked(frame, weighted, 5)
        alone = om.information_loss(frame, result.data, plain)
        own = result.loss()
        assert {name for name in own.values if own.values[name] != alone.values[name]} <= {"information_loss"}
        shares = own.variance_lost
        mean = sum(a.weight * shares[name] for name, a in weighted.items()) / sum(a.weight for a in weighted.values())
        assert own.information_loss == pytest.approx(mean)
        assert alone.information_loss == pytest.approx(sum(shares.values()) / len(shares))
        assert om.information_loss(frame, result.data, policy) == result.loss()
        assert result.linkage() == om.record_linkage(frame, result.data, plain)
        assert om.record_linkage(frame, result.data, policy, distance="s") == om.record_linkage(
            frame, result.data, plain, distance="s"
        )
        both = [om.clustering_distance(frame, result.data, a) for a in (weighted, plain)]
        assert both[0] == both[1]
        losses.append(result.loss().record_loss)
    assert losses == sorted(losses), "who looks at one column only, loses the other"


def test_words() -> None:
    before, after = pl.DataFrame({"a": [30.0, 32.0, 50.0, 54.0]}), pl.DataFrame({"a": [31.0, 31.0, 52.0, 52.0]})
    assert str(om.information_loss(before, after, {"a": om.Numeric()})) == (
        "information loss IL 2.217 %\n"
        "loss L (T12) 2.217 %\n"
        "semantic loss 0.0625\n"
        "KL divergence 0.7117\n"
        "discernibility 8\n"
        "discernibility of the original 4\n"
        "variance lost of a 2.217 %\n"
        "RMSE of a 1.581\n"
        "4 records, 0 of them removed"
    )


def test_sensitive_numbers_too_far_apart_for_their_distance() -> None:
    """Their distance is infinite, which is a warning of NumPy and no reason to stop."""
    frame = pl.DataFrame({"q": [1, 1, 2, 2, 3, 3], "s": [-1.7e308, 1.7e308, 0.0, 0.0, 1e300, -1.6e308]})
    policy = om.Policy(
        attributes={"q": om.Numeric(), "s": om.Numeric(role="sensitive")}, method=om.Microaggregation(k=2)
    )
    assert om.anonymize(frame, policy).assessment.disclosed["records"].to_list() == [2]
