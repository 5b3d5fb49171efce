"""S18 section 1: Table 1 is 2-anonymous, and 2-diverse only after the change that the paper names."""

from __future__ import annotations

import polars as pl
import pytest

import ontomask as om

QUASI = ["age", "zip", "occupation"]
TABLE_1 = pl.DataFrame(
    {
        "age": [50, 50, 25, 25, 25],
        "zip": ["371-8510"] * 2 + ["376-8515"] * 3,
        "occupation": ["Professor"] * 2 + ["Nurse"] * 3,
        "disease": ["Parkinson's disease", "Parkinson's disease", "Bronchitis", "Gastric ulcer", "Flu"],
    }
)
CHANGED = TABLE_1.with_columns(pl.Series("disease", ["myasthenia gravis", *TABLE_1["disease"][1:]]))
DIVERSE = om.LDiversity(l=2, attribute="disease")
#: Both diseases of the professors need serious and specialized treatment; the others are in no set.
GRAVE = om.Severity(
    {
        "title": "Table 1",
        "institution": "the paper",
        "date": "2018-01-01",
        "source": "S18 section 1",
        "columns": {"disease": {"kind": "flat"}},
        "sets": [
            {
                "name": "officially intractable",
                "small_class": "1.2.1",
                "where": {"disease": {"values": ["Parkinson's disease", "myasthenia gravis"]}},
            },
            {"name": "hospital", "small_class": "2.2.4", "where": {"disease": {"values": ["Gastric ulcer"]}}},
        ],
    }
)


def test_table_1_is_2_anonymous_and_not_3_anonymous() -> None:
    assert om.KAnonymity(k=2).check(TABLE_1, QUASI).holds
    found = om.KAnonymity(k=3).check(TABLE_1, QUASI)
    assert found.violations.rows() == [(50, "371-8510", "Professor", 2)]


def test_table_1_is_2_diverse_after_the_change() -> None:
    before = DIVERSE.check(TABLE_1, QUASI)
    assert not before.holds
    assert before.violations.rows() == [(50, "371-8510", "Professor", 2, 1.0)]
    after = DIVERSE.check(CHANGED, QUASI)
    assert after.holds
    assert after.worst == 2


@pytest.mark.parametrize("l", [1, 2])
def test_severity_still_gives_it_away(l: int) -> None:
    """The changed table: whoever is a professor of 50 has something grave (why S18 asks for more than l-diversity)."""
    assert GRAVE.largest == 2
    for model in (
        om.SeverityDiversity(l=2, severity=GRAVE, middle_class=2),
        om.SeverityDiversity(l=l, severity=GRAVE, downward=True),
        om.SeverityDiversity(l=l, severity=GRAVE, middle_class=1, downward=True),
    ):
        found = model.check(CHANGED, QUASI)
        assert found.violations["occupation"].to_list() == ["Professor"]
    # Joined with the nurses they are not told apart: a generalization reaches the models (section 4).
    joined = CHANGED.with_columns(age=pl.lit("*"), zip=pl.lit("37*"), occupation=pl.lit("*"))
    assert om.SeverityDiversity(l=2, severity=GRAVE, middle_class=2).check(joined, QUASI).holds
    assert om.SeverityDiversity(l=l, severity=GRAVE, downward=True).check(joined, QUASI).holds


def test_the_process_of_section_4() -> None:
    """(ii) a strategy, (iii) a model, (iv) the fewest generalizations of the strategy that satisfy it."""
    strategy = [{}, {"zip": 6}, {"zip": 6, "occupation": 1}, {"zip": 6, "occupation": 1, "age": 1}]
    policy = om.Policy(
        attributes={
            "age": om.Numeric(),
            "zip": om.Flat(),
            "occupation": om.Flat(),
            "disease": om.Flat(role="sensitive"),
        },
        method=om.Generalization(
            search="strategy",
            strategy=strategy,
            hierarchies={"age": om.Intervals(levels=[[0, 100]]), "zip": om.MaskedText()},
        ),
        require=[om.KAnonymity(k=2), om.SeverityDiversity(l=1, severity=GRAVE, downward=True)],
    )
    result = om.anonymize(CHANGED, policy)
    assert result.diagnostics is not None
    assert len(result.diagnostics.table) == len(strategy)
    assert result.diagnostics.table.row(0, named=True) | {"loss": 0} == {
        "age": 1, "zip": 6, "occupation": 1, "loss": 0, "chosen": True,
    }  # fmt: skip
    assert set(result.data["zip"]) == {"37******"}
    assert set(result.data["age"]) == {"0-99"}
