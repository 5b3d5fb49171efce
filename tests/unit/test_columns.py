"""Columns written and read again."""

from __future__ import annotations

import datetime as dt
import io
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

import ontomask as om
from ontomask import errors
from ontomask.kinds.nominal_column import NominalColumn


def test_a_label_that_would_be_read_as_another_concept_gives_way_to_the_code() -> None:
    taxonomy = om.Taxonomy.from_edges(
        [("s1", "root"), ("s2", "root"), ("a", "s2"), ("b", "s2"), ("c", "s1"), ("d", "s1")],
        labels={"s1": "state", "s2": "state", "a": "Ohio", "b": "Iowa", "c": "Peru", "d": "Chile", "root": "place"},
    )
    frame = pl.DataFrame({"place": ["Ohio", "Iowa", "Peru", "Chile"]})
    attributes = {"place": om.Nominal(taxonomy=taxonomy)}
    method = om.Microaggregation(k=2, centroid="lcs")
    result = om.anonymize(frame, om.Policy(attributes=attributes, method=method))
    assert result.data["place"].to_list() == ["s2", "s2", "state", "state"]
    read_again = om.information_loss(frame, result.data, attributes)
    assert read_again == result.loss()


def masked(frame: Any, attributes: dict[str, Any], method: Any = None) -> om.Result:
    return om.anonymize(frame, om.Policy(attributes=attributes, method=method or om.Microaggregation(k=2)), seed=1)


# ---- dates as text -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (["2024-12-31", "2024-02-01", "2024-01-31", "2025-01-01"], ["2024-12-31", "2024-01-31", "2024-01-31", "2024-12-31"]),
        (["2024-12", "2024-02", "2024-01", "2025-01"], ["2024-12", "2024-01", "2024-01", "2024-12"]),
        (["2024-01-01 09:30", "2024-01-01 09:05", "2024-01-01 09:04", "2024-01-01T21:00"],
         ["2024-01-01 09:30", "2024-01-01 09:04", "2024-01-01 09:04", "2024-01-01 09:30"]),
        (["2024-01-01T12:00:00+02:00", "2024-01-01T09:00:00Z", "2024-01-01T08:00:00Z", "2024-01-01T11:00:00Z"],
         ["2024-01-01T12:00:00+02:00", "2024-01-01T08:00:00Z", "2024-01-01T08:00:00Z", "2024-01-01T12:00:00+02:00"]),
    ],
    ids=["day", "month", "minute", "zone"],
)  # fmt: skip
def test_dates_in_a_file_have_their_order(tmp_path: Path, written: list[str], expected: list[str]) -> None:
    """They are compared as points in time, and stay written as they are."""
    path = om.write_table(pl.DataFrame({"day": written}), tmp_path / "in.csv")
    result = masked(path, {"day": om.Ordinal()})
    assert result.data["day"].to_list() == expected
    assert "day: dates written as text, taken in the order of time" in map(str, result.notes)
    assert result.loss() == om.information_loss(path, result.write(tmp_path / "out.csv"), {"day": om.Ordinal()})
    dates = pl.DataFrame(
        {"day": [dt.date(2024, 12, 31), dt.date(2024, 2, 1), dt.date(2024, 1, 31), dt.date(2025, 1, 1)]}
    )
    assert masked(dates, {"day": om.Ordinal()}).masked.group_of.tolist() == result.masked.group_of.tolist()


@pytest.mark.parametrize(
    "written",
    [
        ["5/6/2024", "6/5/2024"],
        ["2024-02-30", "2024-02-28"],
        ["2024-05-31", "2024-05"],
        ["2024-05-31", "unknown"],
        ["0000-01-01", "2024-05-31"],
        ["2024-05-31T10:00:00Z", "2024-05-31T12:00:00+02:00"],  # the same moment twice: which of them is to stand?
        ["low", "high"],
    ],
)
def test_what_is_no_date_for_sure_is_none(written: list[str]) -> None:
    with pytest.raises(
        errors.DataError, match=r"column 'day': is ordinal, holds text .*order=\[.*2024-05-31"
    ) as caught:
        masked(pl.DataFrame({"day": written}), {"day": om.Ordinal()})
    assert written[1] not in str(caught.value) or written[1] in "2024-05-31T12:30"


# ---- codes as numbers --------------------------------------------------------------------------------------------


def test_codes_stored_as_decimals_are_not_guessed() -> None:
    """pandas reads 250.00 and 250.01 as numbers; 250.0 is another code."""
    diag = {"diag": om.Nominal("icd9cm")}
    frame = pd.read_csv(io.StringIO("diag\n250.00\n250.00\n250.01\n250.01\n"))
    with pytest.raises(errors.DataError, match=r"column 'diag': .*250\.0 may be 250 or 250\.0 or 250\.00.*as text"):
        masked(frame, diag)
    with pytest.raises(errors.DataError, match=r"845\.0 may be 845 or 845\.0 or 845\.00"):
        masked(pd.DataFrame({"diag": [845, None, 486, 486]}), {"diag": om.Nominal("icd9cm", missing="category")})


def test_codes_stored_as_decimals_that_can_be_only_one() -> None:
    frame = pl.DataFrame({"diag": [486.0, 250.01, 486.0, 250.01, 250.02, 250.03]})
    diag = {"diag": om.Nominal("icd9cm")}
    result = masked(frame, diag, om.Suppression(k=2))
    assert any("486.0 as 486" in note for note in map(str, result.notes))
    column = result.prepared.table.columns[0]
    assert isinstance(column, NominalColumn)
    assert [column.taxonomy.concepts[i] for i in column.concepts] == ["486", "250.01", "250.02", "250.03"]
    # A concept that masking brings in makes the column text: then all codes are written as they are.
    mixed = masked(frame, diag, om.Microaggregation(k=2, centroid="lcs"))
    assert set(mixed.data["diag"]) == {"486", "250.01", "250.0"}
    assert om.information_loss(frame, mixed.data, diag) == mixed.loss()
