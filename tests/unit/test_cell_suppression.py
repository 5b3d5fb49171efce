"""Suppression of cells: what it says, what it refuses, and what becomes of strata, persons and comparisons."""

from __future__ import annotations

from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import ontomask as om
from ontomask import errors

FRAME = pl.DataFrame(
    {
        "sex": ["f", "f", "f", "m", "m", "m"],
        "job": ["nurse", "nurse", "pilot", "pilot", "pilot", "cook"],
        "age": [31, 31, 47, 47, 47, 47],
        "id": list("aabbcc"),
    }
)
ATTRIBUTES: dict[str, Any] = {
    "sex": om.Flat(),
    "job": om.Flat(),
    "age": om.Numeric(role="other"),
    "id": om.Identifier(),
}


def run(frame: pl.DataFrame = FRAME, k: int = 2, **settings: Any) -> om.Result[pl.DataFrame]:
    return om.anonymize(frame, om.Policy(attributes=ATTRIBUTES, method=om.Suppression(k, cells=True, **settings)))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"importance": {"sex": 2}}, "importance is for cells=True"),
        ({"strata": ["age"]}, "strata is for cells=True"),
        ({"blanks": "wildcard"}, "blanks is for cells=True"),
        ({"cells": True, "importance": {"sex": 0}}, "greater than or equal to 0.000001"),
        ({"cells": True, "importance": {"sex": 1e300}}, "less than or equal to 1000000"),
        ({"cells": True, "importance": {"sex": float("nan")}}, "importance"),
        ({"cells": True, "strata": ["age", "age"]}, "named twice"),
        ({"cells": True, "bins": {"age": 5}}, "'age' is not one of the strata"),
        ({"cells": True, "strata": ["age"], "bins": {"age": 1}}, "greater than or equal to 2"),
        ({"cells": True, "strata": ["age"], "bins": {"age": 10**12}}, "less than or equal to 1000000"),
        ({"cells": True, "blanks": "star"}, "blanks"),
    ],
)
def test_settings_without_a_meaning(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(errors.PolicyError, match=message):
        om.Suppression(2, **settings)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"importance": {"agee": 2}}, "'agee' is not a quasi-identifier"),
        ({"importance": {"age": 2}}, "'age' is not a quasi-identifier"),
        ({"strata": ["jobb"]}, "'jobb' is not one of the attributes. Did you mean 'job'"),
        ({"strata": ["id"]}, "'id' is an identifier"),
    ],
)
def test_columns_that_do_not_fit(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(errors.PolicyError, match=message):
        run(**settings)


def test_bins_need_numbers() -> None:
    with pytest.raises(errors.PolicyError, match="values lie on no line"):
        run(strata=["job"], bins={"job": 2})


def test_no_stratum_is_large_enough() -> None:
    with pytest.raises(errors.DataError, match="no stratum has 3 records"):
        run(FRAME.head(4), k=3, strata=["job"])


def test_records_of_small_strata_are_removed_and_counted() -> None:
    result = run(strata=["job"])
    assert result.removed.tolist() == [5]
    assert "1 record removed: there are fewer than 2 in the stratum" in map(str, result.notes)
    # Both pilots of one sex are a class; the third joins them, and all three lose their sex.
    assert result.data["sex"].to_list() == ["f", "f", None, None, None]
    assert result.data["age"].to_list() == FRAME["age"].to_list()[:5]


def test_importance_decides_where_cells_are_blanked() -> None:
    frame = pl.DataFrame({"sex": ["f", "f", "m", "m"], "job": ["a", "b", "a", "b"], "age": [1] * 4, "id": list("abcd")})
    assert run(frame, importance={"sex": 2}).data.select(pl.all().null_count()).row(0)[:2] == (0, 4)
    assert run(frame, importance={"job": 2}).data.select(pl.all().null_count()).row(0)[:2] == (4, 0)


def test_a_missing_value_looks_like_a_blank_and_costs_nothing() -> None:
    frame = FRAME.with_columns(job=pl.Series(["nurse", "nurse", None, None, None, "cook"]))
    attributes = ATTRIBUTES | {"job": om.Flat(missing="category")}
    result = om.anonymize(frame, om.Policy(attributes=attributes, method=om.Suppression(2, cells=True)))
    assert min(Counter(result.data.select("sex", "job").rows()).values()) >= 2
    # The woman without a job and the cook lose their sex; only the cook had a job to lose.
    assert str(result.notes[-2]) == "3 cells blanked in 2 of 6 records (sex 2, job 1)"


def test_persons_are_counted() -> None:
    policy = om.Policy(attributes=ATTRIBUTES, person="id", method=om.Suppression(2, cells=True))
    result = om.anonymize(FRAME, policy)
    holders: dict[Any, set[str]] = {}
    for place, row in zip(result.records, result.data.select("sex", "job").rows(), strict=True):
        holders.setdefault(row, set()).add(FRAME["id"][int(place)])
    assert min(map(len, holders.values())) >= 2
    with pytest.raises(errors.PolicyError, match="counts records, and this policy counts persons"):
        om.anonymize(FRAME, policy.changed(method=om.Suppression(2, cells=True, blanks="wildcard")))


def test_from_a_policy_file_and_compared(tmp_path: Path) -> None:
    method = om.Suppression(2, cells=True, importance={"sex": 2}, strata=["age"], bins={"age": 2})
    policy = om.Policy(attributes=ATTRIBUTES, method=method)
    file = policy.save(tmp_path / "policy.yaml")
    assert om.Policy.load(file) == policy
    found = om.compare(FRAME, {"cells": policy, "records": policy.changed(method=om.Suppression(2))})
    assert all(name in str(found) for name in ("cells", "records"))


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (om.Numeric(), list(range(6))),
        (om.Numeric(top=5), list(range(6))),
        (om.Flat(), list(range(6))),
        (om.Date(), [date(2024, 1, day) for day in range(1, 7)]),
        (om.Date(format="%d.%m.%Y"), [f"0{day}.01.2024" for day in range(1, 7)]),
        (om.Ordinal(order=list("abcdef")), list("abcdef")),
    ],
)
def test_a_column_that_lost_all_its_values_is_assessed_from_a_file(
    kind: Any, values: list[Any], tmp_path: Path
) -> None:
    frame = pl.DataFrame({"sex": ["f"] * 6, "day": values})
    policy = om.Policy(attributes={"sex": om.Flat(), "day": kind}, method=om.Suppression(2, cells=True))
    result = om.anonymize(frame, policy)
    assert result.data["day"].null_count() == 6
    file = tmp_path / "release.csv"
    result.write(file)
    assert om.information_loss(frame, file, result.policy).variance_lost == result.loss().variance_lost
