"""Records, persons and items are different things: labels, sentences and counts say which they are."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import ontomask as om
from ontomask.cli import app
from ontomask.report.loss import _by_column
from ontomask.report.summary import summarize
from ontomask.wording import Counts

TAXONOMY = om.Taxonomy.from_edges([("a", "letter"), ("b", "letter"), ("c", "letter")], name="letters")


@pytest.fixture(scope="module")
def visits() -> om.Result:
    """60 visits of 20 persons, each in classes of at least 4 persons."""
    rows = range(60)
    frame = pl.DataFrame(
        {
            "who": [f"p{i % 20}" for i in rows],
            "age": [20 + 7 * (i * i % 11) + i // 20 for i in rows],
            "sex": ["f" if (i * 7) % 5 < 3 else "m" for i in rows],
            "charge": [100 * i for i in rows],
        }
    )
    attributes = {
        "who": om.Identifier(),
        "age": om.Numeric(),
        "sex": om.Flat(),
        "charge": om.Numeric(role="sensitive"),
    }
    policy = om.Policy(attributes=attributes, method=om.Microaggregation(k=4), person="who")
    return om.anonymize(frame, policy, seed=1)


def test_labels_of_figures_say_what_is_counted(visits: om.Result) -> None:
    figures = visits.assessment.figures
    disclosed = figures.filter(pl.col("figure") == "persons with a disclosed value")
    assert disclosed["original"].to_list() == visits.assessment.disclosed["records_before"].to_list()
    assert 0 < disclosed["original"][0] <= 20
    assert not [name for name in figures["figure"] if name == "disclosing records"]
    assert visits.assessment.to_dict()["counted"] == "persons"
    assert ">persons</th>" in visits.assessment.risk_after._repr_html_()


def test_figures_of_categories_are_of_marginality(visits: om.Result) -> None:
    figures = visits.assessment.figures
    of_sex = figures.filter((pl.col("attribute") == "sex") & pl.col("with").is_null())["figure"].to_list()
    assert not {"mean", "variance", "semantic mean drift"} & set(of_sex)
    assert {"least marginality (sum)", "mean marginality (sum)", "another most frequent value (1: yes)"} <= set(of_sex)
    of_age = figures.filter((pl.col("attribute") == "age") & pl.col("with").is_null())["figure"].to_list()
    assert {"mean", "variance", "semantic mean drift"} <= set(of_age)


@pytest.mark.parametrize(
    ("after", "told"), [(["f", "m", "m", "m"], "another value"), (["f", "f", "f", "m"], "same value")]
)
def test_the_centre_of_values_without_distances_moves_or_stays(after: list[str], told: str) -> None:
    before = pl.DataFrame({"sex": ["f", "f", "f", "m"]})
    found = om.assess(before, pl.DataFrame({"sex": after}), {"sex": om.Flat()}, aligned=True)

    class Named:
        name, graded = "sex", False

    assert _by_column(found, [Named()], {}, Counts())[0]["drift"] == told


def test_several_records_are_several_chances(visits: om.Result) -> None:
    """What is found above 1 in k is found because a person has several records, and the report says so."""
    found = visits.assessment
    assert found.risk_after.prosecutor_largest == 0.25
    assert found.worst_attack.share > 0.25
    # Each class gives away one person at most: of 20 persons no more than there are classes.
    assert round(found.linkage["masked_distance"] * 20) <= found.risk_after.classes
    records = visits.policy.changed(person=[])
    by_record = om.record_linkage(
        visits.prepared.data, visits.data, records, kind="masked_distance", records=visits.records.tolist()
    )
    assert by_record <= 0.25
    why = "a person with several records counts as found if one of them is, and each record is another chance."
    assert [text for text in found.readings if text.endswith(why)] == [
        f"This is more than 1 in 4, although no class has fewer than 4 persons: {why}"
    ]
    assert summarize(visits)["risk"]["several"].startswith("A person with several records counts as found")


def test_where_records_are_counted_nothing_is_said_of_several_chances() -> None:
    frame = pl.DataFrame({"age": list(range(30, 42))})
    result = om.anonymize(frame, om.Policy(attributes={"age": om.Numeric()}, method=om.Microaggregation(k=2)), seed=1)
    assert not [text for text in result.assessment.readings if "another chance" in text]
    assert summarize(result)["risk"]["several"] == ""


def test_a_record_that_fails_in_two_columns_is_one_record() -> None:
    policy = om.Policy(
        attributes={"age": om.Numeric(top=90), "stay": om.Numeric(), "codes": om.Nominal(taxonomy=TAXONOMY, many="|")}
    )
    frame = pl.DataFrame({"age": [91, 92, 40], "stay": ["x", "2", "3"], "codes": ["a|y|z", "a", "b|y"]})
    finding = om.verify(frame, policy).findings[-1]
    assert finding.records == 3
    assert finding.violations["records"].sum() == 2 + 1 + 3
    assert "2 items of 'codes' (2 records)" in finding.text
    assert ".violations" not in finding.text


def test_safe_harbor_counts_records_where_it_can() -> None:
    both = pl.DataFrame({"phone": ["(212) 555-0187", None, None], "mail": [None, None, "ann@example.org"]})
    assert om.SafeHarbor().check(both).records is None
    assert om.SafeHarbor().check(both.select("mail")).records == 1
    every = both.with_columns(pl.Series("ssn", ["078-05-1120", "219-09-9999", "457-55-5462"]))
    assert om.SafeHarbor().check(every).records == 3


def test_verify_says_on_the_command_line_what_to_do_there(tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text(
        "attributes:\n  age: {kind: numeric, top: 90}\n  stay: {kind: numeric}\n", encoding="utf-8"
    )
    (tmp_path / "table.csv").write_text("age,stay\n91,x\n92,y\n40,3\n", encoding="utf-8")
    names = [str(tmp_path / name) for name in ("policy.yaml", "table.csv")]
    said = CliRunner().invoke(app, ["verify", *names])
    assert ".violations" not in said.output
    assert "note: to see the classes, columns or values that fail: --json" in said.stderr
    finding = json.loads(CliRunner().invoke(app, ["verify", *names, "--json"]).stdout)["findings"][-1]
    assert finding["failing_records"] == 2
    assert finding["violations"] == 4
    assert {"column": "age", "value": "91", "records": 1} in finding["worst_violations"]


def test_dominance_does_not_advise_a_top_code_that_is_set() -> None:
    frame = pl.DataFrame({"age": [1, 1, 1, 80], "pay": [1, 1, 1, 900]})

    def caveats(**attributes: om.Numeric) -> str:
        policy = om.Policy(attributes=attributes, method=om.Microaggregation(k=4))
        told = om.anonymize(frame.select(*attributes), policy, seed=1).caveats
        return " ".join(s.text for s in told if s.text.startswith("Dominance"))

    assert caveats(age=om.Numeric(top=90)).endswith("(p% rule). Set numeric_centre: median.")
    assert caveats(age=om.Numeric()).endswith("Set a top code (top:), or numeric_centre: median.")
    both = caveats(age=om.Numeric(top=90), pay=om.Numeric())
    assert both.endswith("Set a top code (top:) for pay, or numeric_centre: median.")


def test_no_hint_names_a_top_code_that_is_proposed() -> None:
    frame = pl.DataFrame({"age": [20 + i % 79 for i in range(200)], "sex": ["f", "m"] * 100})
    plain, safe = om.profile(frame), om.profile(frame, preset="safe_harbor")
    hints = [next(c.proposal.hints for c in found.columns if c.name == "age") for found in (plain, safe)]
    assert any("top: 90" in hint for hint in hints[0])
    assert not any("top: 90" in hint for hint in hints[1])
