"""Rows that do not belong together are never judged row by row."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import ontomask as om
from ontomask import errors
from ontomask.assessment.alignment import read_records

RNG = np.random.default_rng(11)
N = 60
FRAME = pl.DataFrame(
    {
        "age": RNG.integers(20, 60, N),
        "job": RNG.choice(["cook", "nurse", "pilot"], N),
        "pay": RNG.integers(1, 10_000, N),
        "note": RNG.choice(list("abcdefgh"), N),
    }
)
ATTRIBUTES = {
    "age": om.Numeric(),
    "job": om.Flat(),
    "pay": om.Numeric(role="sensitive"),
    "note": om.Flat(role="other"),
}
QUASI = {"age": om.Numeric(), "job": om.Flat()}
KEPT = om.Policy(attributes=ATTRIBUTES, method=om.Microaggregation(k=3))
SHUFFLED = KEPT.changed(row_order="shuffled")
FUNCTIONS: list[Callable[..., Any]] = [
    om.assess,
    om.information_loss,
    om.record_linkage,
    om.preservation,
    om.clustering_distance,
]
each_function = pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)


@each_function
def test_a_shuffled_release_needs_the_list_of_records(function: Callable[..., Any]) -> None:
    """Once linkage of shuffled rows was printed: 'fewer than 1 in 10,000' where 11 in 100 were linked."""
    result = om.anonymize(FRAME, SHUFFLED)
    with pytest.raises(errors.DataError, match=r"row_order: shuffled.*records=result\.records.*aligned=True"):
        function(FRAME, result.data, SHUFFLED)
    function(FRAME, result.data, SHUFFLED, records=result.records)


def test_figures_of_a_shuffled_release_are_those_of_the_run() -> None:
    result = om.anonymize(FRAME, SHUFFLED)
    found = om.assess(FRAME, result.data, SHUFFLED, records=result.records)
    assert found.linkage == pytest.approx(result.assessment.linkage)
    assert found.loss.information_loss == pytest.approx(result.loss().information_loss)


@each_function
def test_rows_that_say_kept_and_are_not(function: Callable[..., Any]) -> None:
    """Columns that are not masked tell that a policy with ``row_order: kept`` does not describe this release."""
    result = om.anonymize(FRAME, SHUFFLED)
    with pytest.raises(errors.DataError, match=r"different order.*'pay'.*differs in \d+ of 60 rows.*aligned=True"):
        function(FRAME, result.data, KEPT)
    function(FRAME, result.data, KEPT, records=result.records)
    with pytest.raises(
        errors.DataError, match=r"different order.*'note'"
    ):  # what the method is, a mapping does not say
        function(FRAME, result.data, ATTRIBUTES)


@each_function
def test_another_result_s_list_of_records(function: Callable[..., Any]) -> None:
    result = om.anonymize(FRAME, SHUFFLED)
    with pytest.raises(errors.DataError, match="list of records does not fit these data: column 'pay'"):
        function(FRAME, result.data, SHUFFLED, records=np.arange(N))


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        (range(N - 1), "lists 59 rows and the masked data have 60 records"),
        ([*range(N - 1), 0], r"lists 1 row of the original more than once \(first: row 1\)"),
        ([*range(N - 1), N], "lists row 61 and the original has 60 rows"),
        ([*range(N - 1), -1], "lists row 0 and the original has 60 rows"),
        ([*range(N - 1), 2.5], "something other than row numbers"),
        ([[0, 1]], "something other than row numbers"),
    ],
)
def test_lists_of_records_that_cannot_be(records: Any, expected: str) -> None:
    for function in FUNCTIONS:
        with pytest.raises(errors.DataError, match=expected):
            function(FRAME, FRAME, QUASI, records=list(records))


def test_suppressed_rows_need_the_list_of_records() -> None:
    result = om.anonymize(FRAME, KEPT.changed(method=om.Suppression(k=2)))
    assert 0 < len(result.records) < N
    for function in FUNCTIONS:
        with pytest.raises(
            errors.DataError, match=r"60 records and the masked data have \d+, so it is not known which"
        ):
            function(FRAME, result.data, result.policy)
        function(FRAME, result.data, result.policy, records=result.records)


def test_users_may_state_that_rows_belong_together() -> None:
    found = om.assess(FRAME, FRAME, SHUFFLED, aligned=True)
    assert found.loss.information_loss == 0
    assert found.notes == []
    changed = FRAME.with_columns(pay=pl.col("pay") + 1)
    found = om.assess(FRAME, changed, KEPT, aligned=True)
    (note,) = found.notes
    assert note.startswith("column 'pay', which masking leaves as it is, differs in 60 of 60 rows; the rows were taken")
    with pytest.raises(errors.DataError, match="59"):
        om.assess(FRAME, FRAME.head(59), SHUFFLED, aligned=True)


def test_columns_that_the_method_masks_are_no_evidence() -> None:
    policy = om.Policy(attributes=ATTRIBUTES, method=om.Shuffling())
    result = om.anonymize(FRAME, policy)
    om.assess(FRAME, result.data, policy)
    om.assess(FRAME, result.data, ATTRIBUTES)  # no method is known: sensitive values may be shuffled
    with pytest.raises(errors.DataError, match="different order"):
        om.assess(FRAME, result.data.reverse(), policy)


def test_the_same_values_in_other_types_are_no_evidence(tmp_path: Path) -> None:
    data = FRAME.with_columns(
        rate=pl.Series(RNG.random(N)),
        day=pl.date_range(pl.date(2024, 1, 1), pl.date(2024, 2, 29), eager=True),
        flag=pl.Series([True, None, False] * 20),
        word=pl.Series(["a", "", None] * 20),
    )
    others = {name: om.Flat(role="other") for name in ("rate", "day", "flag", "word")}
    policy = om.Policy(attributes={**ATTRIBUTES, **others}, method=om.Microaggregation(k=3))
    result = om.anonymize(data, policy)
    for suffix in ("csv", "parquet", "xlsx", "sav", "dta"):
        result.write(tmp_path / f"masked.{suffix}")
        found = om.information_loss(data, tmp_path / f"masked.{suffix}", policy)
        assert found.information_loss == pytest.approx(result.loss().information_loss), suffix


def test_the_list_of_records_is_found_beside_the_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = om.anonymize(FRAME, SHUFFLED)
    result.save(tmp_path / "result")
    release = tmp_path / "result" / "release" / "release.csv"
    found = om.assess(FRAME, release, SHUFFLED)
    assert found.linkage == pytest.approx(result.assessment.linkage)
    (note,) = found.notes
    assert str(tmp_path / "result" / "confidential" / "records.csv") in note
    assert found.to_dict()["notes"] == [note]
    for function in FUNCTIONS:
        function(FRAME, str(release), SHUFFLED)
    monkeypatch.chdir(tmp_path / "result" / "release")
    assert om.assess(FRAME, "release.csv", SHUFFLED).linkage == pytest.approx(result.assessment.linkage)
    changed = pl.read_csv(release).with_columns(pay=pl.col("pay") + 1)
    changed.write_csv(release)
    with pytest.raises(
        errors.DataError, match=r"records.csv: the list of records does not fit these data: column 'pay'"
    ):
        om.assess(FRAME, release, SHUFFLED)
    found = om.assess(FRAME, release, SHUFFLED, aligned=True)  # as the list says, and not in the order of the file
    assert found.linkage == pytest.approx(result.assessment.linkage)
    assert len(found.notes) == 2
    (tmp_path / "copy.csv").write_bytes(release.read_bytes())
    with pytest.raises(errors.DataError, match="row_order: shuffled"):
        om.assess(FRAME, tmp_path / "copy.csv", SHUFFLED)


@pytest.mark.parametrize("rows", [[1, 2, 2], [0, 1, 2], [1, None, 2]])
def test_a_damaged_list_of_records(tmp_path: Path, rows: list[int | None]) -> None:
    pl.DataFrame({"row of the original": rows}).write_csv(tmp_path / "records.csv")
    with pytest.raises(errors.DataError, match="each at most once"):
        read_records(tmp_path / "records.csv")
