"""The badge of every guarantee in a report says which kind of statement it is."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import polars as pl
import pytest

import ontomask as om
from ontomask.report import summary
from ontomask.statements import KINDS

TEMPLATES = Path(summary.__file__).parent / "templates"
FRAME = pl.DataFrame({"age": [30, 31, 52, 55, 71, 72], "job": list("abcdef"), "pay": [1, 1, 1, 1, 1, 2]})
ATTRIBUTES = {"age": om.Numeric(decimals=0), "job": om.Flat(), "pay": om.Flat(role="sensitive")}


def run(method: om.Microaggregation | om.Recoding | om.Shuffling, *require: om.KAnonymity | om.LDiversity) -> om.Result:
    policy = om.Policy(attributes=ATTRIBUTES, method=method, require=list(require))
    return om.anonymize(FRAME, policy, allow_unsatisfied=True)


RUNS = {
    "promised": lambda: run(om.Microaggregation(2)),
    "required": lambda: run(om.Microaggregation(3), om.KAnonymity(3)),
    "failing": lambda: run(om.Recoding(2), om.KAnonymity(2), om.LDiversity(2), om.KAnonymity(5)),
    "nothing masked": lambda: run(om.Microaggregation(1)),
    "no k": lambda: run(om.Shuffling()),
}


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("public", [False, True])
def test_what_failed_held_and_is_assumed_is_called_so(name: str, public: bool) -> None:
    result = RUNS[name]()
    said = result.public_guarantees if public else result.guarantees
    told = summary.guarantees(said)
    assert [(entry["kind"], entry["text"]) for entry in told] == [(one.kind, str(one)) for one in said]
    kinds = Counter(entry["kind"] for entry in told)
    checked = [finding for finding in result.verification if finding.holds and not finding.model.trivial]
    assert kinds["failed"] == len(result.verification.failed)
    assert kinds["verified"] == len(checked)
    assert kinds["warning"] == (not result.promises)
    assert kinds["assumed"] == bool({"age", "job"} & set(result.policy.masked))


def test_runs_that_promise_have_what_is_verified_and_those_that_fail_what_failed() -> None:
    kinds = {name: {statement.kind for statement in made().guarantees} for name, made in RUNS.items()}
    assert {"verified", "promised"} <= kinds["promised"]
    assert "verified" in kinds["required"]
    assert "failed" not in kinds["required"]
    assert {"failed", "verified", "assumed"} <= kinds["failing"]
    assert "verified" not in kinds["nothing masked"]
    assert "tried" in kinds["no k"]


def test_every_kind_has_its_word_and_its_look() -> None:
    page = (TEMPLATES / "report.html.j2").read_text(encoding="utf-8")
    style = (TEMPLATES / "style.css").read_text(encoding="utf-8")
    shown = re.search(r"set kinds = \{(.*?)\}", page)
    assert shown is not None
    words = dict(re.findall(r'"(\w+)": "([^"]+)"', shown[1]))
    assert set(words) == set(KINDS)
    assert words["failed"].isupper()
    assert all(f".badge.{kind}" in style for kind in words)
