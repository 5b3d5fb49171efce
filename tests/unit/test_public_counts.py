"""What is handed out gives no small count: not exactly, not as a complement, not by a difference or a percentage."""

from __future__ import annotations

import html
import pickle
import random
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import ontomask as om
from ontomask.policy.policy import METHODS
from ontomask.policy.verification import NOTHING_PROMISED
from ontomask.report.page import render
from ontomask.report.summary import LEFT_OUT, LIMITS, summarize
from ontomask.report.words import GLOSSARY
from ontomask.statements import Statement, caveat
from ontomask.wording import Counts

LEVELS = ["none", "some", "much"]


def planted(seed: int) -> tuple[pl.DataFrame, dict[str, Any]]:
    """A table in which some records are dropped, some are rare, some have no sensitive value: a few of each."""
    chance = random.Random(seed)
    n = chance.randrange(40, 160)
    frame = pl.DataFrame(
        {
            "age": [chance.choice((20, 30, 40, 50)) for _ in range(n)],
            "town": [chance.choice("ab") for _ in range(n)],
            "pain": [chance.choice(LEVELS) for _ in range(n)],
            "pay": [chance.choice((10.0, 20.0, 30.0)) for _ in range(n)],
            "ill": [chance.choice(("flu", "flu", "gout")) for _ in range(n)],
        }
    )
    rare = chance.sample(range(n), chance.randrange(0, 9))
    gone, silent = rare[: chance.randrange(0, 5)], chance.sample(range(n), chance.randrange(0, 6))
    row = pl.int_range(pl.len())
    usual = row < n // 4  # so that something is left where rare records are removed
    frame = frame.with_columns(
        age=pl.when(usual).then(20).otherwise("age"),
        town=pl.when(usual).then(pl.lit("a")).otherwise("town"),
        pain=pl.when(usual).then(pl.lit("none")).otherwise("pain"),
    )
    frame = frame.with_columns(
        age=pl.when(row.is_in(rare)).then(row + 60).otherwise("age"),
        town=pl.when(row.is_in(gone)).then(None).otherwise("town"),
        ill=pl.when(row.is_in(silent)).then(None).otherwise("ill"),
    )
    attributes = {
        "age": om.Numeric(),
        "town": om.Flat(missing="drop_record"),
        "pain": om.Ordinal(order=LEVELS),
        "pay": om.Numeric(role="sensitive"),
        "ill": om.Flat(role="sensitive", missing="category"),
    }
    return frame, attributes


#: Of every method, made with a k, what is required of its release.
CASES: dict[str, Callable[[int], tuple[Any, list[Any]]]] = {
    "suppression": lambda k: (om.Suppression(k=k), []),
    "suppression of cells": lambda k: (om.Suppression(k=k, cells=True), []),
    "suppression of cells, wildcards": lambda k: (om.Suppression(k=k, cells=True, blanks="wildcard"), []),
    "microaggregation": lambda k: (om.Microaggregation(k=k), [om.LDiversity(l=2, attribute="ill")]),
    "hybrid": lambda k: (om.Microaggregation(k=max(k, 2), replace="hybrid"), []),
    "profile_microaggregation": lambda k: (om.ProfileMicroaggregation(k=max(k, 2)), [om.ProfileAnonymity(k=k)]),
    "recoding": lambda k: (
        om.Recoding(k=max(k, 2)),
        [om.KAnonymity(k=k), om.TCloseness(t=0.5, attribute="pay")],
    ),
    "resampling": lambda k: (om.Resampling(k=max(k, 2)), [om.KAnonymity(k=k)]),
    "rank_swapping": lambda k: (
        om.RankSwapping(k=max(k, 2)),
        [om.KAnonymity(k=k), om.ProbabilisticKAnonymity(k=2)],
    ),
    "shuffling": lambda k: (om.Shuffling(), [om.KmAnonymity(k=k, m=2)]),
    "imputation": lambda k: (om.Imputation(), [om.KAnonymity(k=k)]),
    "imputation, 3 releases": lambda k: (om.Imputation(m=3), []),
    "noise_addition": lambda k: (om.NoiseAddition(share=0.3), [om.KAnonymity(k=k)]),
    "pram": lambda k: (om.PRAM(keep=0.8), [om.KAnonymity(k=k)]),
    "generalization": lambda k: (om.Generalization(suppression_limit=0.1), [om.KAnonymity(k=max(k, 2))]),
    "local": lambda k: (om.Generalization(search="local"), [om.KAnonymity(k=max(k, 2))]),
}
by_case = pytest.mark.parametrize(("case", "seed"), [(case, seed) for case in CASES for seed in range(3)])


@cache
def some_result(case: str, seed: int) -> om.Result:
    frame, attributes = planted(seed)
    method, require = CASES[case](random.Random(f"{case} {seed}").choice((1, 2, 3, 5, 7)))
    policy = om.Policy(attributes=attributes, method=method, require=require)
    return om.anonymize(frame, policy, allow_unsatisfied=True, seed=seed)


def test_every_method_is_tried() -> None:
    assert {type(make(3)[0]) for make in CASES.values()} == set(METHODS.values())


def without_constants(text: str, result: om.Result) -> str:
    """The text without what is the same for every table: settings of the policy, labels, words of the report."""
    assert result.policy.method is not None
    models = [finding.model for finding in result.verification.findings]
    constant = [
        *map(str, result.policy.method.assurances()),
        result.policy.method.explain(),
        *(words for model in models for words in (model.explain(), model.describe())),
        NOTHING_PROMISED.text,
        *LIMITS,
        *(part for pair in LEFT_OUT for part in pair),
        *GLOSSARY.values(),
    ]
    for words in sorted(constant, key=len, reverse=True):
        text = text.replace(words, " ")
    for pattern in (
        r"fails \d+ of \d+ checks?",
        r"which is from 0 to 1",
        r"at most 1% of the distance between the 5% and 95% quantiles",
        r"realised at least \d+",
        r"nominal k \d+",
        r"\d{4}-\d\d-\d\d",
        r"ontomask \d+\.\d+\.\d+",
        r"Columns (masked|removed)\s+\d+",
        r"in classes below \d+",
        r"et al\. \d{4}",
        r"There are fewer than 30 records",
        r"\d+%? to \d+%",
        r"et al\. \d{4}",
        r"can exceed 100%",
        r"to within \d+% from the mean \(p% rule\)",
        r"There are \d+ releases|Releases of these records \d+",
        r"Its variance is U.*\(Reiter 2003",
        r"risk, largest( (over|at most) \d+%| 0%){2}",  # one over a class size, of which only a bound is known
    ):
        text = re.sub(pattern, " ", text)
    return text


def shown(page: str) -> str:
    """What a reader of a page sees, cell by cell: no pictures, no numbers of headings, no labels of class sizes."""
    for part in (r"<style>.*?</style>", r"<svg.*?</svg>", r"<h2.*?</h2>", r"<title>.*?</title>"):
        page = re.sub(part, " ", page, flags=re.DOTALL)
    page = re.sub(r'<th scope="row"><bdi>(under \d+|[\d,]+–[\d,]+|[\d,]+\+)</bdi></th>', " ", page)
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", " ", page.replace("<wbr>", ""))))


def whole_numbers(text: str) -> list[int]:
    """Numbers that are counts: no percentages, no decimals."""
    found = re.findall(r"(?<![\w.,])(\d{1,3}(?:,\d{3})+|\d+)(?![\d.]*[%\w])(?!\.\d)", text)
    return [int(number.replace(",", "")) for number in found]


def percentages(text: str) -> list[tuple[str, float, float]]:
    """The word before each percentage, the number, and how much of it is left open: half of its last digit.

    Nothing of 0% and 100%, which are said of none and of all.
    """
    found = re.findall(r"(\w+)? ?(?<![\d.])(\d+(?:\.(\d+))?)%", text)
    shares = [(sign, float(number), 0.5 / 10 ** len(digits)) for sign, number, digits in found]
    return [(sign, share, half if 0 < share < 100 else 0.0) for sign, share, half in shares]


@by_case
def test_no_number_that_is_handed_out_is_a_small_count(case: str, seed: int) -> None:
    assert_no_small_count(some_result(case, seed))


def assert_no_small_count(result: om.Result) -> None:
    base = result.counts.base
    texts = [shown(render(result, "public")), "\n".join(map(str, result.public_guarantees))]
    for text in (without_constants(text, result) for text in texts):
        # Multiples of the base: none is a small count, and no difference of two is one.
        assert [number for number in whole_numbers(text) if number % base] == []
        of_released = re.sub(r"\w+ \d+% of the records were (suppressed|left out)", " ", text)
        for n, said in ((len(result.prepared.kept), text), (len(result.records), of_released)):
            for sign, share, half in percentages(said):
                most = round((share + half) / 100 * n), round(n - (share - half) / 100 * n)
                small = [count for count in most if 0 < count < base]
                assert not small or sign == "over" or share <= 1, (sign, share, n)


def test_a_caveat_with_a_count_is_seen() -> None:
    """What has no public wording is handed out as it is."""
    result = some_result("suppression", 1)
    told = replace(result, masked=replace(result.masked, caveats=[caveat("3 records stayed as they were.")]))
    with pytest.raises(AssertionError, match=r"\[3"):
        assert_no_small_count(told)


def test_the_parser_sees_what_it_looks_for() -> None:
    text = "3 records, 4,997 of 5,000, 12.5% and 7% (about 10), ill2, 0.333"
    assert whole_numbers(text) == [3, 4997, 5000, 10]
    assert [(share, half) for _, share, half in percentages(text)] == [(12.5, 0.05), (7.0, 0.5)]


@by_case
def test_bars_of_the_public_edition_have_rounded_heights(case: str, seed: int) -> None:
    result = some_result(case, seed)
    content = summarize(result, "public")
    base, n = result.counts.base, len(result.records)
    for figure in content["risk"]["figures"]:
        for when, place in (("before", 2), ("after", 4)):
            heights = [row["value"] for row in figure["chart"]["rows"] if row["when"] == when]
            cells = [row[place] for row in figure["table"]]
            rounded = [0 if "fewer" in cell else int(re.sub(r"\D", "", cell)) for cell in cells]
            assert all(count % base == 0 for count in rounded)
            assert heights == pytest.approx([100 * count / max(1, sum(rounded)) for count in rounded])
    step = result.counts.step(n)
    for figure in content["loss"]["figures"]:
        assert step is not None
        assert all(
            row["value"] / (100 * step) == pytest.approx(round(row["value"] / (100 * step)))
            for row in figure["chart"]["rows"]
        )


def test_what_lies_in_the_release_folder(tmp_path: Path) -> None:
    result = some_result("recoding", 1)
    assert result.verification.failed
    with pytest.warns(om.errors.OntomaskWarning):
        result.save(tmp_path / "out", report=True)
    written = (tmp_path / "out" / "release" / "guarantees.txt").read_text(encoding="utf-8")
    of_file = [str(said).replace("on the release itself", "on the released file") for said in result.public_guarantees]
    assert written.splitlines() == of_file
    page = (tmp_path / "out" / "release" / "report.html").read_text(encoding="utf-8")
    for text in result.verification.failed:
        assert text not in html.unescape(page)


def test_the_steward_sees_exact_counts() -> None:
    frame = pl.DataFrame({"age": [30] * 40 + [40] * 40 + [1, 2, 3], "ill": ["flu", "gout"] * 41 + ["flu"]})
    attributes = {"age": om.Numeric(), "ill": om.Flat(role="sensitive")}
    result = om.anonymize(frame, om.Policy(attributes=attributes, method=om.Suppression(k=5)))
    internal, public = (dict(summarize(result, edition)["done"]["rows"]) for edition in ("internal", "public"))  # type: ignore[arg-type]
    assert internal["Suppressed by the method"] == "3"
    assert internal["Records in the original"] == "83"
    assert public["Suppressed by the method"] == "fewer than 5"
    assert public["Records in the original"] == "about 85"
    assert public["Records in the release"] == "about 80"


@pytest.mark.parametrize(("k", "base"), [(1, 5), (3, 5), (5, 5), (6, 10), (10, 10), (21, 25), (100, 100)])
def test_the_base_is_at_least_k_and_five(k: int, base: int) -> None:
    assert Counts.public(k).base == base


def test_counts_and_shares_in_words() -> None:
    exact, public = Counts(), Counts(5)
    assert [exact.number(n) for n in (0, 3, 4997)] == ["0", "3", "4,997"]
    assert [public.number(n) for n in (0, 1, 4, 5, 7, 8, 4997)] == [
        "0",
        "fewer than 5",
        "fewer than 5",
        "about 5",
        "about 5",
        "about 10",
        "about 4,995",
    ]
    assert [public.least(n) for n in (0, 4, 5, 9, 12)] == [
        "0",
        "fewer than 5",
        "at least 5",
        "at least 5",
        "at least 10",
    ]
    assert exact.of(1, "class", "classes") == "1 class"
    assert public.of(1, "class", "classes") == "fewer than 5 classes"
    assert [public.share(n, 100) for n in (0, 3, 7, 97, 100)] == ["none", "under 6%", "about 5%", "about 95%", "all"]
    assert public.share(3, 4) == "some"
    assert public.share(6, 100_000) == "under 1%"
    assert exact.share(3, 100) == "3.0%"
    assert [public.coarse(share, 100) for share in (0.0, 0.02, 0.06, 0.5, float("nan"), None)] == [
        "under 5%",
        "under 5%",
        "about 5%",
        "about 50%",
        "–",
        "–",
    ]
    assert public.coarse(0.5, 3) == "not given"
    assert [public.at_most(share, 1_000) for share in (0.0, 0.121, 0.13, 1.0)] == [
        "0%",
        "at most 13%",
        "at most 13%",
        "at most 100%",
    ]
    assert public.at_most(0.121, 40) == "at most 20%"


def test_a_statement_keeps_its_public_wording() -> None:
    said = caveat("3 of 20 stayed", "age", "some stayed")
    assert str(said) == "3 of 20 stayed"
    assert str(said.public) == str(pickle.loads(pickle.dumps(said)).public) == "some stayed"
    assert said.public.kind == said.kind == "caveat"
    assert str(Statement("note", "plain").public) == "plain"
    assert said.to_dict() == {"kind": "caveat", "subject": "age", "text": "3 of 20 stayed"}


# ---- a few records that are missing in the release ------------------------------------------------------------------------


def few_suppressed(released: int, few: int, classes: int = 3) -> dict[str, Any]:
    """The public report of a release that lost a few unique records; whoever has it counts its records and classes."""
    usual = [f"town {row % classes}" for row in range(released)]
    frame = pl.DataFrame({"town": usual + [f"rare {row}" for row in range(few)]}).with_columns(
        pay=pl.int_range(pl.len())
    )
    attributes = {"town": om.Flat(), "pay": om.Numeric(role="sensitive")}
    result = om.anonymize(frame, om.Policy(attributes=attributes, method=om.Suppression(k=5)))
    assert len(result.records) == released
    return summarize(result, "public")


@pytest.mark.parametrize(
    ("released", "classes"), [(18, 3), (60, 9), (66, 11), (100, 12), (159, 9), (160, 11), (161, 3)]
)
def test_how_few_records_are_missing_cannot_be_computed(released: int, classes: int) -> None:
    found = [few_suppressed(released, few, classes) for few in (1, 2, 3, 4)]
    for part in found[0]:
        assert all(other[part] == found[0][part] for other in found), part


@pytest.mark.parametrize("released", [78, 79, 80, 81, 82])
def test_how_few_records_were_in_small_classes_cannot_be_computed(released: int) -> None:
    """Microaggregation keeps all records: the total of classes by size is known exactly."""

    def public(few: int) -> Any:
        towns = ["a"] * 40 + ["b"] * (released - few - 40) + [f"rare {row}" for row in range(few)]
        policy = om.Policy(attributes={"town": om.Flat()}, method=om.Microaggregation(k=5, partition="mdav"))
        risk = summarize(om.anonymize(pl.DataFrame({"town": towns}), policy), "public")["risk"]
        table = risk["figures"][0]["table"]
        bars = [row for row in risk["figures"][0]["chart"]["rows"] if row["when"] == "before"]
        return [row[:3] for row in table], bars, [row[:2] for row in risk["rows"]]

    found = [public(few) for few in (1, 2, 3, 4)]
    assert all(other == found[0] for other in found)


def test_totals_are_sums_of_what_is_said() -> None:
    counts = Counts(5)
    assert [counts.said(count) for count in (0, 1, 4, 5, 7, 8)] == [0, 3, 3, 5, 5, 10]
    assert [Counts().said(count) for count in (0, 1, 4)] == [0, 1, 4]
    assert [counts.coarse(share, 60) for share in (0.04, 0.0625, 0.099, 0.1, 0.16)] == ["under 10%"] * 3 + [
        "about 10%",
        "about 20%",
    ]
    assert len({counts.share(1, whole) for whole in (18, 19, 20, 21, 22)}) == 1
