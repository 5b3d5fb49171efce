"""The head of a report: the verdict, the worst attack, the release it belongs to; and what is warned of."""

from __future__ import annotations

import hashlib
import html
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

import ontomask as om
from ontomask.policy.verification import NOTHING_PROMISED
from ontomask.report.page import render
from ontomask.report.summary import summarize, today
from ontomask.wording import percent

ATTRIBUTES: dict[str, Any] = {"age": om.Numeric(), "town": om.Flat(), "ill": om.Flat(role="sensitive")}


def frame() -> pl.DataFrame:
    n = 40
    return pl.DataFrame(
        {
            "age": [20 + i % 20 for i in range(n)],
            "town": [("a", "b")[i // 20] for i in range(n)],
            "ill": [("flu", "gout", "flu")[i % 3] for i in range(n)],
        }
    )


def run(method: Any, *require: Any) -> om.Result:
    return om.anonymize(frame(), om.Policy(attributes=ATTRIBUTES, method=method, require=list(require)))


@pytest.mark.parametrize(
    ("method", "require"),
    [
        (om.Microaggregation(k=1), []),
        (om.Microaggregation(k=1), [om.KAnonymity(k=1)]),
        (om.Suppression(k=1), [om.LDiversity(l=1), om.TCloseness(t=1)]),
        (om.Generalization(), [om.KAnonymity(k=1)]),
        (om.RankSwapping(k=3), [om.ProbabilisticKAnonymity(k=1)]),
        (om.Shuffling(), []),
        (om.NoiseAddition(), []),
        (om.PRAM(), []),
    ],
)
def test_what_promises_nothing_is_not_green(method: Any, require: list[Any]) -> None:
    result = run(method, *require)
    assert result.satisfied
    assert not result.promises
    for edition in ("internal", "public"):
        content = summarize(result, edition)  # type: ignore[arg-type]
        assert (content["verdict"]["state"], content["verdict"]["word"]) == ("unchecked", "NOTHING WAS PROMISED")
        assert any(warning["text"] == NOTHING_PROMISED.text for warning in content["warnings"])
    assert any(text.startswith("NOTHING WAS PROMISED") for text in map(str, result.guarantees))
    assert not any(text.startswith("Verified") for text in map(str, result.guarantees))


def test_unique_records_are_not_green_whatever_is_satisfied() -> None:
    result = run(om.RankSwapping(k=3), om.KmAnonymity(k=2, m=1))
    assert result.promises
    assert result.assessment.risk_after.unique
    verdict = summarize(result)["verdict"]
    assert verdict["state"] != "satisfied"
    assert verdict["word"] == "SATISFIED, WITH UNIQUE RECORDS"


def test_what_the_release_does_not_show_is_not_said_to_be_verified_on_it() -> None:
    recorded = "checked on what the run recorded of itself, which the release does not show"
    verified = "verified on the release itself"
    swapping, asked = om.RankSwapping(k=12), om.ProbabilisticKAnonymity(k=2)
    assert f"(probabilistic 2-anonymity), {recorded}." in summarize(run(swapping, asked))["verdict"]["text"]
    both = summarize(run(swapping, asked, om.KmAnonymity(k=2, m=1)))["verdict"]["text"]
    assert f"), {verified} and {recorded}." in both
    alone = summarize(run(om.Microaggregation(k=3), om.KAnonymity(k=3)))["verdict"]["text"]
    assert f"satisfies all that was required or promised (3-anonymity), {verified}." in alone


def test_a_finding_says_which_data_it_is_about(tmp_path: Path) -> None:
    policy = om.Policy(attributes=ATTRIBUTES, method=om.Microaggregation(k=3), require=[om.KAnonymity(k=3)])
    result = om.anonymize(frame(), policy)
    file = result.write(tmp_path / "release.csv")
    assert (
        {f.checked_on for f in result.verification}
        == {f.checked_on for f in om.verify(result.data, policy)}
        == {"frame"}
    )
    assert {f.checked_on for f in om.verify(file, policy)} == {"file"}
    assert {f.checked_on for f in om.check(frame(), policy).verification} == {"original"}
    swapped = run(om.RankSwapping(k=12), om.ProbabilisticKAnonymity(k=2), om.KmAnonymity(k=2, m=1))
    assert [f.checked_on for f in swapped.verification] == ["run", "frame"]
    folder = result.save(tmp_path / "saved")
    assert "Verified on the released file: 3-anonymity" in (folder / "release" / "guarantees.txt").read_text()
    assert {f.checked_on for f in om.verify_result(folder)} == {"file"}


def test_the_headline_is_the_worst_attack() -> None:
    for method in (om.Shuffling(), om.Microaggregation(k=3), om.RankSwapping(k=3)):
        result = run(method)
        worst = result.assessment.worst_attack
        content = summarize(result)
        named = {name: (value, remark) for name, value, remark in content["key_figures"]}["Most successful attack"]
        assert named[0] == percent(worst.share)
        assert worst.name.replace("_", " ") in named[1]
        assert f"({worst.name.replace('_', ' ')}) re-identifies" in content["verdict"]["text"]
        assert [row["name"] for row in content["risk"]["attacks"]] == [
            attack.name.replace("_", " ") for attack in result.assessment.attacks
        ]


def test_disclosed_values_and_columns_of_one_value_are_warned_of() -> None:
    table = frame().with_columns(ill=pl.lit("flu"))
    policy = om.Policy(attributes=ATTRIBUTES, method=om.Generalization(), require=[om.KAnonymity(k=40)])
    result = om.anonymize(table, policy)
    told = {warning["text"]: warning["level"] for warning in summarize(result, "public")["warnings"]}
    assert told["age has the same value in all released records: its information is lost."] == "care"
    assert any(text.startswith("ill is disclosed for about 40 records") for text in told)
    assert summarize(result)["risk"]["disclosed"] == [["ill", "40", "40", "1", "40"]]


@pytest.mark.parametrize("edition", ["internal", "public"])
def test_many_disclosed_columns_do_not_bury_other_warnings(edition: Any) -> None:
    names = [f"drug {i}" for i in range(9)]
    table = frame().drop("ill").with_columns(pl.lit("no").alias(name) for name in names)
    attributes = {"age": om.Numeric(), "town": om.Flat()} | {name: om.Flat(role="sensitive") for name in names}
    result = om.anonymize(table, om.Policy(attributes=attributes, method=om.Microaggregation(k=4)))
    content = summarize(result, edition)
    told = [warning["text"] for warning in content["warnings"]]
    assert sum(" is disclosed for " in text for text in told) == 6
    assert "The same holds for 3 more sensitive columns; section Disclosure risk lists them." in told
    assert len(content["risk"]["disclosed"]) == 9


def test_a_column_that_did_not_change_says_so() -> None:
    table = pl.DataFrame({"age": [20] * 20 + [40] * 20, "town": ["a"] * 20 + ["b"] * 20, "ill": ["flu", "gout"] * 20})
    policy = om.Policy(attributes=ATTRIBUTES, method=om.Microaggregation(k=5))
    result = om.anonymize(table, policy)
    for edition in ("internal", "public"):
        content = summarize(result, edition)  # type: ignore[arg-type]
        assert {name: value for name, value, _ in content["key_figures"]}["Information loss"] == "none changed"
        assert {column["losses"][0] for column in content["loss"]["columns"]} == {"none changed"}


# ---- which report this is ------------------------------------------------------------------------------------------


def test_a_saved_report_carries_the_hash_of_the_release_as_it_was_written(tmp_path: Path) -> None:
    file = tmp_path / "discharges.yaml"
    om.Policy(attributes=ATTRIBUTES, method=om.Microaggregation(k=3)).save(file)
    result = om.anonymize(frame(), file)
    result.save(tmp_path / "out", report=True)
    digest = hashlib.sha256((tmp_path / "out" / "release" / "release.csv").read_bytes()).hexdigest()
    for part in ("release", "confidential"):
        page = (tmp_path / "out" / part / "report.html").read_text(encoding="utf-8").replace("<wbr>", "")
        assert digest in page
        assert "release.csv" in page
        assert "discharges.yaml" in page
        assert today() in page
    assert "without a released file" in html.unescape(render(result))
    with pytest.raises(om.errors.OptionError, match="the release cannot be read"):
        om.write_report(result, tmp_path / "r.html", release=tmp_path / "none.csv")


def test_the_day_can_be_fixed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert today() == "1970-01-02"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    with pytest.raises(om.errors.OptionError, match="SOURCE_DATE_EPOCH is 'yesterday'"):
        today()
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    assert len(today()) == 10


# ---- the command line and comparisons ------------------------------------------------------------------------------


def test_commands_say_that_nothing_was_promised(tmp_path: Path) -> None:
    from ontomask.cli import app

    policy = om.Policy(attributes=ATTRIBUTES, method=om.Microaggregation(k=1), require=[om.KAnonymity(k=1)])
    policy.save(tmp_path / "p.yaml")
    om.write_table(frame(), tmp_path / "d.csv")
    files = [str(tmp_path / "p.yaml"), str(tmp_path / "d.csv")]
    checked = CliRunner().invoke(app, ["check", *files])
    assert "NOTHING WAS PROMISED" in checked.output
    verified = CliRunner().invoke(app, ["verify", *files])
    assert "NOTHING WAS PROMISED" in verified.output
    assert verified.exit_code == 3
    done = CliRunner().invoke(app, ["run", *files, "-o", str(tmp_path / "out"), "--no-report"])
    assert done.output.count("NOTHING WAS PROMISED") == 2
    found = CliRunner().invoke(app, ["verify", *files, "--json"])
    assert json.loads(found.output)["promises"] is False


def test_a_comparison_marks_what_promises_nothing() -> None:
    policy = om.Policy(attributes=ATTRIBUTES)
    found = om.compare(frame(), om.grid(policy, ["microaggregation"], k=[1, 3]), workers=1)
    assert found.table["promises"].to_list() == [False, True]


@pytest.mark.parametrize("kind", ["pandas", "polars", "values"])
def test_figures_of_data_that_were_changed_are_not_reported(kind: str, tmp_path: Path) -> None:
    given = frame() if kind == "polars" else frame().to_pandas()
    policy = om.Policy(attributes=ATTRIBUTES, method=om.Microaggregation(k=3), require=[om.KAnonymity(k=3)])
    result = om.anonymize(given, policy)
    kept = result.assessment
    om.write_report(result, tmp_path / "before.html")
    if kind == "polars":
        result.data.replace_column(result.data.get_column_index("ill"), pl.Series("ill", ["flu"] * len(result.data)))
    elif kind == "pandas":
        result.data["ill"] = "flu"
    else:
        result.data["age"].array._ndarray.setflags(write=True)
        result.data["age"].array._ndarray[:] = 50
    for step in (
        lambda: om.write_report(result, tmp_path / "report.html"),
        lambda: result.save(tmp_path / "out", report=True),
    ):
        with pytest.raises(om.errors.DataError, match=r"were changed after they were verified.*assess\(original"):
            step()
    assert not (tmp_path / "out").exists()
    assert kept.risk_after.records == len(given)
