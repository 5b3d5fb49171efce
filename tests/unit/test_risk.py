"""Who stands out: classes and risks by hand, populations and severity, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import ontomask as om
from ontomask import errors

FLAT = {"a": om.Flat()}
BOTH = {"a": om.Flat(), "b": om.Numeric()}


def frame(*rows: Any) -> pl.DataFrame:
    return pl.DataFrame({"a": list(rows)})


#: Classes of 1, 2 and 3 records.
SIX = frame("x", "y", "y", "z", "z", "z")
PEOPLE = frame(*"xxxx", *"yyyy", *"zzzzz", "w")


def test_by_hand() -> None:
    risk = om.disclosure_risk(SIX, FLAT)
    assert risk.columns == ["a"]
    assert (risk.records, risk.classes, risk.smallest, risk.unique) == (6, 3, 1, 1)
    assert risk.sizes.rows() == [(1, 1, 1), (2, 1, 2), (3, 1, 3)]
    assert risk.sizes.columns == ["size", "classes", "records"]
    assert [risk.below(size) for size in (1, 2, 3, 4, 5)] == [0, 1, 3, 6, 6]
    assert risk.below() == 6
    assert risk.prosecutor_largest == risk.journalist_largest == 1.0
    assert risk.prosecutor == risk.marketer == 0.5
    assert risk.population is risk.severity_weighted is risk.severe_unique is None
    assert risk.figures == {
        "classes": 3, "smallest class": 1, "unique records": 1, "records in classes below 5": 6,
        "prosecutor risk, largest": 1, "prosecutor risk, mean": 0.5, "journalist risk, largest": 1, "marketer risk": 0.5,
    }  # fmt: skip
    assert str(risk).splitlines()[0] == "6 records by a"
    assert len(str(risk).splitlines()) == 9


def test_a_population_by_hand() -> None:
    risk = om.disclosure_risk(SIX, FLAT, population=PEOPLE)
    assert risk.population == 14
    assert (risk.prosecutor_largest, risk.prosecutor) == (1.0, 0.5), "the prosecutor knows who is in the table"
    assert risk.journalist_largest == 1 / 4
    assert risk.marketer == pytest.approx((1 / 4 + 2 / 4 + 3 / 5) / 6)
    assert om.disclosure_risk(SIX, FLAT, population=SIX).figures == om.disclosure_risk(SIX, FLAT).figures


@pytest.mark.parametrize("kind", ["polars", "pandas", "pyarrow", "csv", "parquet"])
def test_any_frame_or_file(tmp_path: Path, kind: str) -> None:
    def given(data: pl.DataFrame, name: str) -> Any:
        if kind in ("csv", "parquet"):
            return om.write_table(data, tmp_path / f"{name}.{kind}")
        return {"polars": lambda: data, "pandas": data.to_pandas, "pyarrow": data.to_arrow}[kind]()

    risk = om.disclosure_risk(given(SIX, "table"), FLAT, population=given(PEOPLE, "people"))
    assert risk.figures == om.disclosure_risk(SIX, FLAT, population=PEOPLE).figures


def test_only_the_quasi_identifiers_count() -> None:
    data = SIX.with_columns(b=pl.int_range(6), c=pl.int_range(6))
    listed = {"a": om.Flat(), "b": om.Numeric(role="sensitive"), "c": om.Identifier()}
    assert om.disclosure_risk(data, listed).sizes.equals(om.disclosure_risk(SIX, FLAT).sizes)
    policy = om.Policy(attributes=listed, method=om.Microaggregation(k=2))
    assert om.disclosure_risk(data, policy).sizes.equals(om.disclosure_risk(SIX, FLAT).sizes)
    people = data.select("a").vstack(frame("w"))
    assert om.disclosure_risk(data, policy, population=people).population == 7


@pytest.mark.parametrize(
    ("values", "classes"),
    [
        ([None, None, "x"], 2),
        (["", None, " "], 3),
        ([0.0, -0.0, 1.0], 2),
        ([float("nan"), None, float("nan")], 2),
        ([1.0, 1.0 + 1e-15, 2.0], 3),
        ([2**63 - 1, -(2**63), 0], 3),
        ([2**62 + 1, 2**62, 2**62 + 1], 2),
        ([True, False, None], 3),
        (["x", "X", "x "], 3),
    ],
    ids=repr,
)
def test_equal_values_are_equal_and_no_others(values: list[Any], classes: int) -> None:
    assert om.disclosure_risk(frame(*values), {"a": om.Flat(missing="category")}).classes == classes


def test_categories() -> None:
    expected = om.disclosure_risk(SIX, FLAT).sizes
    for dtype in (pl.Categorical, pl.Enum(["z", "unused", "y", "x"])):
        assert om.disclosure_risk(SIX.cast(dtype), FLAT).sizes.equals(expected)
    assert om.disclosure_risk(SIX.to_pandas().astype("category"), FLAT).sizes.equals(expected)


def test_a_population_in_categories() -> None:
    expected = om.disclosure_risk(SIX, FLAT, population=PEOPLE).figures
    for table, people in (
        (SIX.cast(pl.Categorical), PEOPLE.cast(pl.Categorical)),
        (SIX.cast(pl.Categorical), PEOPLE),
        (SIX, PEOPLE.cast(pl.Enum(["w", "x", "y", "z"]))),
        (SIX.to_pandas().astype("category"), PEOPLE.to_pandas()),
    ):
        assert om.disclosure_risk(table, FLAT, population=people).figures == expected


def test_a_population_in_other_categories() -> None:
    """Once it was: a SchemaError of Polars. A sample drawn from people with more categories is the usual case."""
    people = PEOPLE.cast(pl.Enum(["w", "x", "y", "z"]))
    found = om.disclosure_risk(SIX.cast(pl.Enum(["x", "y", "z"])), FLAT, population=people)
    assert found.figures == om.disclosure_risk(SIX, FLAT, population=PEOPLE).figures
    as_pandas = [
        pd.DataFrame({"a": pd.Categorical(data["a"].to_list(), categories=list(scale), ordered=True)})
        for data, scale in ((SIX, "xyz"), (PEOPLE, "wxyz"))
    ]
    found = om.disclosure_risk(as_pandas[0], FLAT, population=as_pandas[1])
    assert found.figures == om.disclosure_risk(SIX, FLAT, population=PEOPLE).figures


def test_numbers_of_another_type() -> None:
    whole, parts = frame(1, 2, 2), frame(1.0, 2.0, 2.0, 1.0)
    assert om.disclosure_risk(whole, {"a": om.Numeric()}, population=parts).journalist_largest == 0.5


# ---- severity ------------------------------------------------------------------------------------------------------------

HEAD = {"title": "t", "institution": "i", "date": "2024-01-31", "source": "us"}
SEVERITY = om.Severity(
    {
        **HEAD,
        "columns": {"s": {"kind": "flat"}},
        "sets": [
            {"name": "grave", "small_class": "2.1.1", "where": {"s": {"values": ["ill", "dying"]}}},
            {"name": "graver", "small_class": "2.1.1", "where": {"s": {"values": ["dying"]}}},
        ],
    }
)


def test_severity_by_hand(tmp_path: Path) -> None:
    data = SIX.with_columns(s=pl.Series(["dying", "ill", "well", "ill", "well", None]))
    risk = om.disclosure_risk(data, FLAT, severity=SEVERITY)
    assert risk.severity_weighted == pytest.approx((2 / 1 + 1 / 2 + 1 / 3) / 4)
    assert risk.severe_unique == 1
    assert risk.figures["severity-weighted risk"] == risk.severity_weighted
    assert risk.figures["unique records of severity above 0"] == 1
    file = SEVERITY.save(tmp_path / "severity.yaml")
    for given in (file, str(file)):
        assert om.disclosure_risk(data, FLAT, severity=given).severity_weighted == risk.severity_weighted
    people = data.select("a").vstack(PEOPLE)
    crowd = om.disclosure_risk(data, FLAT, severity=SEVERITY, population=people)
    assert crowd.severity_weighted == risk.severity_weighted, "it is the prosecutor's"
    harmless = om.disclosure_risk(data.with_columns(s=pl.lit("well")), FLAT, severity=SEVERITY)
    assert (harmless.severity_weighted, harmless.severe_unique) == (0.0, 0)


def test_severity_of_an_assessment() -> None:
    """The numbers are those of the people, whatever became of their records; rows may come in any order."""
    before = SIX.with_columns(s=pl.Series(["dying", "ill", "well", "ill", "well", "well"]))
    policy = om.Policy(
        attributes={"a": om.Flat(), "s": om.Flat(role="sensitive")},
        method=om.Suppression(k=2),
        row_order="shuffled",
    )
    result = om.anonymize(before, policy)
    found = om.assess(before, result.data, policy, records=result.records, severity=SEVERITY)
    assert found.risk_before.severity_weighted == pytest.approx((2 / 1 + 1 / 2 + 1 / 3) / 4)
    assert found.risk_after.severity_weighted == pytest.approx((1 / 2 + 1 / 3) / 2)
    assert (found.risk_before.severe_unique, found.risk_after.severe_unique) == (1, 0)
    asked = policy.changed(require=[om.SeverityDiversity(l=1, severity=SEVERITY)])
    told = om.anonymize(before, asked).assessment
    assert told.risk_after.severity_weighted == pytest.approx(found.risk_after.severity_weighted)
    assert told.to_dict()["readings"] == found.to_dict()["readings"]


# ---- what is refused -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"population": frame("x", "y", "y", "z", "z")}, errors.DataError, "fewer records than the table in 1 class"),
        ({"population": frame("w")}, errors.DataError, "fewer records than the table in 3 classes"),
        ({"population": pl.DataFrame({"b": ["x"]})}, errors.DataError, "'a'"),
        ({"population": 5}, errors.DataError, "expected a DataFrame"),
        ({"population": "absent.csv"}, errors.OntomaskError, "absent.csv"),
        ({"population": SIX[:0]}, errors.DataError, "no rows"),
        ({"severity": SEVERITY}, errors.DataError, "none of the columns that the severity definition names.*: s"),
        ({"severity": "absent.yaml"}, errors.OntomaskError, "absent.yaml"),
        ({"severity": 5}, errors.OntomaskError, "5"),
        ({"frame": pl.DataFrame({"b": [1]})}, errors.DataError, "'a'"),
        ({"frame": SIX[:0]}, errors.DataError, "no rows"),
        ({"frame": None}, errors.OntomaskError, "DataFrame"),
        ({"attributes": {"a": om.Flat(role="sensitive")}}, errors.PolicyError, "no column is a quasi-identifier"),
        ({"attributes": {}}, errors.OntomaskError, "."),
        ({"attributes": None}, errors.OntomaskError, "."),
        ({"attributes": {"a": "flat"}}, errors.OntomaskError, "."),
    ],
)
def test_slips_are_errors_of_ours(change: dict[str, Any], error: type[Exception], message: str) -> None:
    given: dict[str, Any] = {"frame": SIX, "attributes": FLAT} | change
    with pytest.raises(error, match=message) as caught:
        om.disclosure_risk(given.pop("frame"), given.pop("attributes"), **given)
    assert isinstance(caught.value, errors.OntomaskError)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"samples": -1}, "samples=-1"),
        ({"samples": "many"}, "samples='many'"),
        ({"samples": True}, "samples=True"),
        ({"measure": "closeness"}, "closeness"),
        ({"depth": "edges"}, "without a measure"),
        ({"records": [0, 0, 1, 2, 3, 4]}, "lists 1 row of the original more than once"),
        ({"records": [0, 1, 2, 3, 4, 6]}, "lists row 7 and the original has 6 rows"),
        ({"records": [0, 1]}, "lists 2 rows and the masked data have 6 records"),
        ({"records": [0.5] * 6}, "row numbers"),
        ({"severity": SEVERITY}, "none of the columns"),
        ({"masked": SIX[:3]}, "6 records and the masked data have 3"),
        ({"masked": SIX[:0]}, "no rows"),
        ({"masked": pl.DataFrame({"b": [1] * 6})}, "'a'"),
        ({"masked": frame(1, 2, 3, 4, 5, 6)}, "column 'a'"),
        ({"attributes": {"a": om.Flat(role="sensitive")}}, "quasi-identifier"),
    ],
)
def test_slips_of_an_assessment(change: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"masked": SIX, "attributes": FLAT} | change
    with pytest.raises(errors.OntomaskError, match=message):
        om.assess(SIX, given.pop("masked"), given.pop("attributes"), **given)


@pytest.mark.parametrize("seed", [-1, "x", 1.5, True, None])
def test_a_seed_that_is_none(seed: Any) -> None:
    """Once it was: -1, 'x' and 1.5 reach NumPy first and end in its own ValueError or TypeError."""
    with pytest.raises(errors.OptionError, match="seed="):
        om.assess(SIX, SIX, FLAT, seed=seed)


def test_a_quasi_identifier_that_the_release_lacks() -> None:
    data = SIX.with_columns(s=pl.int_range(6))
    policy = om.Policy(attributes={"a": om.Flat(), "s": om.Numeric(role="sensitive")}, method=om.Shuffling())
    with pytest.raises(errors.DataError, match="'a'"):
        om.assess(data, data.drop("a"), policy)


@pytest.mark.parametrize("alpha", [-0.01, 1.01, float("nan"), float("inf"), "half", None, True, [0.5]])
def test_alpha_is_a_share(alpha: Any) -> None:
    found = om.assess(SIX, SIX, FLAT, samples=0)
    with pytest.raises(errors.OptionError, match="alpha="):
        found.score(alpha)


def test_score() -> None:
    found = om.assess(SIX, frame("x", "x", "y", "z", "z", "z"), FLAT, samples=0)
    loss, exact = found.loss.information_loss, found.linkage["masked_matching"]
    assert loss == pytest.approx(100 * 1 / 3)
    assert exact == pytest.approx((1 + 0 + 1 / 2 + 3 / 3) / 6)
    assert found.score(0) == pytest.approx(100 * exact)
    assert found.score(1) == pytest.approx(loss)
    assert found.score(np.float64(0.25)) == pytest.approx(0.25 * loss + 75 * exact)
    assert found.score(0.5, "semantic") == pytest.approx(0.5 * loss + 50 * found.linkage["semantic"])
    for kind in ("SRL", "", None, 1):
        with pytest.raises(errors.OptionError, match="masked_distance"):
            found.score(0.5, kind)  # type: ignore[arg-type]


def test_a_loss_without_end_leaves_the_risk_alone() -> None:
    """Where nothing varied, the loss of a change is infinite; alpha 0 asks for the risk only."""
    found = om.assess(frame("x", "x"), frame("x", "y"), FLAT)
    assert found.loss.information_loss == float("inf")
    assert found.score(0) == 25.0
    assert found.score(0.05) == float("inf")
    told = found.to_dict()["score"]
    assert told[0]["score (masked_matching)"] == 25.0
    assert told[1]["score (masked_matching)"] is None
