"""The badge of every guarantee in a report says which kind of statement it is."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import polars as pl
import pytest

import ontomask as om
from ontomask.report import summary

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
    texts = result.public_guarantees if public else result.guarantees
    told = summary.guarantees(texts)
    assert [entry["text"] for entry in told] == list(texts)
    kinds = Counter(entry["kind"] for entry in told)
    assert kinds["fails"] == len(result.verification.failed)
    assert kinds["care"] == sum(entry["text"].startswith("NOTHING WAS PROMISED") for entry in told)
    assert kinds["verified"] == sum("verified on" in entry["text"].lower() for entry in told)
    assert kinds["assumed"] == sum(bool(re.match("Assumed|Not promised", entry["text"])) for entry in told)
    for entry in told:
        assert (entry["kind"] == "fails") == entry["text"].startswith("NOT SATISFIED"), entry


def test_runs_that_promise_have_what_is_verified_and_those_that_fail_what_failed() -> None:
    kinds = {name: {entry["kind"] for entry in summary.guarantees(made().guarantees)} for name, made in RUNS.items()}
    assert "verified" in kinds["promised"]
    assert "verified" in kinds["required"]
    assert "fails" not in kinds["required"]
    assert {"fails", "verified", "assumed"} <= kinds["failing"]
    assert "verified" not in kinds["nothing masked"]


def test_every_kind_has_its_word_and_its_look() -> None:
    page = (TEMPLATES / "report.html.j2").read_text(encoding="utf-8")
    style = (TEMPLATES / "style.css").read_text(encoding="utf-8")
    shown = re.search(r"set kinds = \{(.*?)\}", page)
    assert shown is not None
    words = dict(re.findall(r'"(\w+)": "([^"]+)"', shown[1]))
    given = {entry["kind"] for made in RUNS.values() for entry in summary.guarantees(made().guarantees)}
    assert given <= set(words)
    assert {"fails", "verified", "assumed", "stated", "care"} == set(words)
    assert words["fails"].isupper()
    assert all(f".badge.{kind}" in style for kind in words)
