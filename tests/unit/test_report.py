"""The report: what it says, what the public edition must not say, and that the same result gives the same bytes."""

from __future__ import annotations

import datetime
import html
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import ontomask as om
from ontomask import errors
from ontomask.comparison.grid import name_without
from ontomask.report import charts
from ontomask.report.counts import distribution, studied
from ontomask.report.page import render, render_summary
from ontomask.report.summary import summarize
from ontomask.wording import percent
from tests.contract import test_methods as contract

TAXONOMY = om.Taxonomy.from_edges(
    [
        ("Quirkitis", "Airway"),
        ("Zorblosis", "Airway"),
        ("Flumpoma", "Growth"),
        ("Airway", "Illness"),
        ("Growth", "Illness"),
    ],
    name="illnesses",
)
#: Names that are code if anybody forgets to escape them, and others that are hard on a page.
EVIL = "</svg><script>alert(1)</script>"
LONG, ARABIC, CONTROL = "c" * 200, "عمود <b>", "x.y[0]"


def small() -> pl.DataFrame:
    """Every kind of column, with values that occur nowhere else in a report."""
    n = 36
    return pl.DataFrame(
        {
            "person": [f"Xaver Q{i:03}" for i in range(n)],
            "born": [80_213 + 7_919 * i for i in range(n)],
            "illness": [("Quirkitis", "Zorblosis", "Flumpoma")[i % 3] for i in range(n)],
            "town": [("Wibbleford", "Snorkum", "Plinth-on-Sea", "Gnarlbury")[i % 4] for i in range(n)],
            "pain": [("unhurtful", "achingish", "agonizing")[i // 12] for i in range(n)],
            "admitted": [datetime.date(1987, 3, 1) + datetime.timedelta(days=11 * i) for i in range(n)],
            "income": [913_777.25 + 1_013 * i for i in range(n)],
        }
    )


def small_policy(method: Any, **more: Any) -> om.Policy:
    attributes = {
        "person": om.Identifier(),
        "born": om.Numeric(decimals=0),
        "illness": om.Nominal(taxonomy=TAXONOMY),
        "town": om.Flat(),
        "pain": om.Ordinal(order=["unhurtful", "achingish", "agonizing"]),
        "admitted": om.Ordinal(),
        "income": om.Numeric(role="sensitive"),
    }
    return om.Policy(attributes=attributes, method=method, **more)


METHODS: dict[str, tuple[Any, list[Any]]] = {
    "microaggregation": (om.Microaggregation(k=3), []),
    "hybrid": (om.Microaggregation(k=3, replace="hybrid"), []),
    "swapping": (om.RankSwapping(k=5), []),
    "shuffling": (om.Shuffling(), []),
    "imputation": (om.Imputation(m=3), []),
    "noise": (om.NoiseAddition(share=0.5), []),
    "pram": (om.PRAM(keep=0.5), []),
    "generalization": (om.Generalization(), [om.KAnonymity(k=3)]),
    "local": (om.Generalization(search="local"), [om.KAnonymity(k=3)]),
    "failing": (om.RankSwapping(k=5), [om.KAnonymity(k=7), om.LDiversity(l=3), om.TCloseness(t=0.01)]),
}
_MADE: dict[str, om.Result] = {}


def made(name: str) -> om.Result:
    if name not in _MADE:
        method, require = METHODS[name]
        policy = small_policy(method, require=require)
        _MADE[name] = om.anonymize(small(), policy, seed=918_273_645, allow_unsatisfied=name == "failing")
    return _MADE[name]


def words(page: str) -> str:
    """What a reader sees: no tags, no styles."""
    page = re.sub(r"<style>.*?</style>", " ", page, flags=re.DOTALL)
    return html.unescape(re.sub(r"<[^>]*>", "", page))


def charts_in(content: Any) -> Iterator[Any]:
    """The charts of a summary, wherever they are: the page draws each of them."""
    if isinstance(content, Mapping):
        yield from [content["chart"]] if "chart" in content else []
        content = content.values()
    elif not isinstance(content, (list, tuple)):
        return
    for part in content:
        yield from charts_in(part)


def spellings(value: Any) -> Iterator[str]:
    """The ways in which a value of the data might be written."""
    yield str(value)
    if isinstance(value, int):
        yield f"{value:,}"
    if isinstance(value, float):
        yield from (f"{value:g}", f"{value:,.2f}", f"{value:.0f}", f"{value:,.0f}", f"{value:.6g}")


# ---- what it says ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("edition", ["internal", "public"])
def test_it_is_one_page_that_needs_nothing_else(name: str, edition: Any) -> None:
    content = summarize(made(name), edition)
    page = render_summary(content)
    assert page.startswith("<!DOCTYPE html>")
    assert "default-src 'none'" in page
    for forbidden in ("<script", '<link rel="stylesheet', "@import", "<iframe", "javascript:", " onload", " onclick"):
        assert forbidden not in page.lower()
    # Addresses are names of the page itself, data, or the name of SVG's language, which nobody asks for.
    assert set(re.findall(r'(?:href|src)="([^"#]*)', page)) <= {"", "data:,"}
    assert set(re.findall(r"https?://[^\s\"'<)]*", page)) <= {"http://www.w3.org/2000/svg"}
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"', page)) | set(re.findall(r"url\(#([^)]+)\)", page)) <= set(ids)
    assert page.count("<svg") == page.count("<figure") == len(list(charts_in(content))) >= 2
    assert page.count("<desc") == page.count("<svg")


@pytest.mark.parametrize("name", [*contract.MAIN, *sorted(contract.AIMING)])
@pytest.mark.parametrize("missing", [False, True])
def test_every_method_on_every_kind_of_column(name: str, missing: bool) -> None:
    frame = contract.table(contract.KINDS, 60, missing=missing, distinct=20)
    result = om.anonymize(frame, contract.policy(name, 3))
    internal, public = summarize(result, "internal"), summarize(result, "public")
    for content in (internal, public):
        assert json.loads(json.dumps(content, allow_nan=False)) == content
    told = dict(internal["done"]["rows"])
    assert told["Records in the original"] == "60"
    assert told["Records in the release"] == str(len(result.records))
    assert {column["name"] for column in internal["asked"]["columns"]} == set(frame.columns)
    for column in studied(result):
        for when, records in (("before", 60), ("after", len(result.records))):
            # Whatever is cut off or put together, every record is in one row of a table.
            place = 1 if when == "before" else 2
            parts = [row[place] for part in distribution(column) for row in part["table"] if row[place] is not None]
            assert sum(parts) == records, (column.name, when)


@pytest.mark.parametrize(
    ("name", "state", "words"),
    [
        ("microaggregation", "satisfied", "SATISFIED"),
        ("failing", "failed", "NOT SATISFIED"),
        ("swapping", "unchecked", "NOTHING WAS PROMISED"),
    ],
)
def test_the_verdict_comes_first(name: str, state: str, words: str) -> None:
    content = summarize(made(name))
    assert (content["verdict"]["state"], content["verdict"]["word"]) == (state, words)
    page = render(made(name), "public")
    assert f"<strong>{words}</strong>" in page
    assert page.index(words) < page.index("1. Warnings") < page.index("2. Policy")


def test_warnings_begin_with_what_fails_and_then_what_weakens() -> None:
    result = made("failing")
    warnings = summarize(result)["warnings"]
    levels = [warning["level"] for warning in warnings]
    assert levels == sorted(levels, key=["bad", "care", "note"].index)
    assert [w["text"] for w in warnings if w["level"] == "bad"] == [
        f"NOT SATISFIED: {text}" for text in result.verification.failed
    ]
    told = " ".join(w["text"] for w in warnings)
    assert "unique in the quasi-identifiers" in told
    assert "original order" in told
    assert all(note in told for note in map(str, result.notes))
    shuffled = om.anonymize(small(), small_policy(om.Microaggregation(k=3), row_order="shuffled"))
    assert "original order" not in json.dumps(summarize(shuffled)["warnings"])


def test_missing_sensitive_values_and_those_nobody_looks_at_are_warned_of() -> None:
    frame = small().with_columns(pl.when(pl.col("income") > 915_000).then("income").alias("income"))
    gone = frame["income"].null_count()
    told = [w["text"] for w in summarize(om.anonymize(frame, small_policy(om.Microaggregation(k=3))))["warnings"]]
    assert f"The sensitive column income has no value in {gone} released records." in told
    assert any("No model protects the sensitive column income" in text for text in told)


def test_figures_are_those_of_the_result() -> None:
    result = made("microaggregation")
    content = summarize(result)
    after = result.assessment.risk_after
    assert content["risk"]["unique"] == [str(result.assessment.risk_before.unique), str(after.unique)]
    assert content["risk"]["smallest"][1] == str(after.smallest)
    assert after.smallest >= 3
    assert [g["text"] for g in content["guarantees"]] == list(map(str, result.guarantees))
    assert content["readings"] == result.assessment.readings
    loss = {column["name"]: column for column in content["loss"]["columns"]}
    lost = result.assessment.loss
    shown = [lost.variance_lost["town"] / 100, lost.relative["town"], lost.changed["town"]]
    assert loss["town"]["losses"][:3] == [percent(share) for share in shown]
    sizes = content["risk"]["figures"][0]["table"]
    assert sum(int(row[4].replace(",", "")) for row in sizes) == after.records


def test_the_internal_edition_shows_examples_branches_and_the_policy() -> None:
    page = render(made("microaggregation"), "internal")
    text = words(page)
    assert "918273645" in text
    assert "kind: ordinal" in text or "cannot be written as a file" in text
    assert "Quirkitis" in text
    assert "Airway" in text
    moved = summarize(made("swapping"))["examples"]
    assert moved["kind"] == "moved"
    assert any(cell["changed"] and cell["before"] != cell["after"] for record in moved["records"] for cell in record)
    groups = summarize(made("microaggregation"))["examples"]["groups"]
    assert all(sum(row["records"] for row in group["before"]) <= group["records"] for group in groups)
    branch = summarize(made("microaggregation"))["branches"][0]
    assert branch["lines"][0] == {"name": "Illness", "depth": 0, "records": [36, 36], "hidden": 0}
    by_name = {line["name"]: line["records"][0] for line in branch["lines"]}
    assert (by_name["Airway"], by_name["Growth"], by_name["Zorblosis"]) == (24, 12, 12)


# ---- what the public edition must not say ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", METHODS)
def test_the_public_edition_holds_no_value_of_the_data(name: str) -> None:
    result, frame = made(name), small()
    public, internal = (render(result, edition) for edition in ("public", "internal"))
    for page in (public, html.unescape(public), words(public)):
        for column in frame.columns:
            for value in frame[column].unique().to_list():
                assert not any(spelled in page for spelled in spellings(value)), (column, value)
        for column in result.policy.quasi_identifiers:
            for value in result.data[column].unique().to_list():
                # An interval or a level may be written as a figure is; whatever has a word in it may not occur.
                if isinstance(value, str) and re.search(r"[A-Za-z]{4}", value):
                    assert value not in page, (column, value)
        for secret in ("918273645", "918,273,645", "unhurtful", "Airway", "Growth"):
            assert secret not in page
    if name not in ("shuffling", "imputation"):  # of which the internal edition shows the columns, too
        assert "Wibbleford" in internal
    told = dict(summarize(result, "public")["left_out"])
    assert any("secret" in what for what in told)
    assert all(what in words(public) and why in words(public) for what, why in told.items())


def test_the_public_edition_holds_no_path(tmp_path: Path) -> None:
    file, taxonomy = tmp_path / "quietly-kept.csv", tmp_path / "secret-tree.csv"
    om.write_table(small().drop("person", "admitted"), file)
    om.write_taxonomy(TAXONOMY, taxonomy)
    attributes = {
        "born": om.Numeric(),
        "illness": om.Nominal(taxonomy=str(taxonomy)),
        "town": om.Flat(),
        "pain": om.Ordinal(order=["unhurtful", "achingish", "agonizing"]),
        "income": om.Numeric(role="sensitive"),
    }
    result = om.anonymize(file, om.Policy(attributes=attributes, method=om.Microaggregation(k=3)), seed=1)
    public, internal = (words(render(result, edition)) for edition in ("public", "internal"))
    for hidden in (str(tmp_path), "quietly-kept", "secret-tree"):
        assert hidden not in public
        assert hidden in internal
    with pytest.raises(errors.OutputError, match="the file the data came from"):
        om.write_report(result, file, overwrite=True)


def test_with_few_records_the_public_edition_tells_nothing_by_column() -> None:
    few = om.anonymize(small().head(9), small_policy(om.Microaggregation(k=3)))
    assert summarize(few, "public")["loss"]["columns"] == []
    assert "Losses by column" in dict(summarize(few, "public")["left_out"])
    many = summarize(made("microaggregation"), "public")["loss"]["columns"]
    assert {column["kept"] for column in many} <= {"–", "under 5%", *(f"about {i}%" for i in range(5, 500, 5))}


# ---- hard cases ------------------------------------------------------------------------------------------------------


def evil() -> om.Result:
    n = 40
    frame = pl.DataFrame(
        {
            LONG: ["v" * 300, "<script>alert(2)</script>"] * (n // 2),
            ARABIC: ["قيمة", "שלום"] * (n // 2),
            EVIL: [1e140, -1e140] * (n // 2),
            CONTROL: ["a'b\"c", "\x01\x02\x00\ufffe"] * (n // 2),
        }
    )
    attributes = {LONG: om.Flat(), ARABIC: om.Flat(), EVIL: om.Numeric(), CONTROL: om.Flat()}
    policy = om.Policy(attributes=attributes, method=om.RankSwapping(k=3), require=[om.KAnonymity(k=21)])
    return om.anonymize(frame, policy, seed=1, allow_unsatisfied=True)


@pytest.mark.parametrize("edition", ["internal", "public"])
def test_names_and_values_are_text_whatever_they_look_like(edition: Any) -> None:
    page = render(evil(), edition, title="<img src=x onerror=alert(3)> & co")
    assert "<script" not in page
    assert "<img" not in page
    assert "<b>" not in page
    assert page.count("</svg>") == page.count("<svg")
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f]", page)
    assert EVIL in words(page)
    assert ARABIC in words(page)
    assert LONG in words(page)


def test_one_record_no_quasi_identifier_and_nothing_but_missing_values() -> None:
    one = pl.DataFrame({"age": [5]})
    result = om.anonymize(one, om.Policy(attributes={"age": om.Numeric()}, method=om.Microaggregation(k=1)), seed=1)
    assert "Records are protected only by what is required" in words(render(result))
    free = pl.DataFrame({"age": range(40), "pay": [i * i % 7 for i in range(40)]})
    attributes = {name: om.Numeric(role="sensitive") for name in free.columns}
    shuffled = om.anonymize(free, om.Policy(attributes=attributes, method=om.Shuffling()), seed=1)
    assert "The policy names no quasi-identifier" in words(render(shuffled, "public"))
    empty = pl.DataFrame({"age": [None, None, None, 1.0], "town": pl.Series([None] * 4, dtype=pl.String)})
    attributes = {"age": om.Numeric(missing="category"), "town": om.Flat(missing="category")}
    result = om.anonymize(empty, om.Policy(attributes=attributes, method=om.Microaggregation(k=2)), seed=1)
    assert "(missing)" in words(render(result))


def test_much_data_gives_no_longer_report() -> None:
    """Values, columns, notes and groups are cut to what can be read, and it says so."""
    n = 200
    frame = pl.DataFrame({f"column {i}": [f"{i}:{j * (i + 1) % n}" * 20 for j in range(n)] for i in range(20)})
    policy = om.Policy(attributes={name: om.Flat() for name in frame.columns}, method=om.RankSwapping(k=3))
    result = om.anonymize(frame, policy)
    page = render(result)
    assert len(page) < 500_000
    assert "The first 16 columns are drawn; 4 more columns not drawn." in words(page)
    assert "190 other values" in words(page)


def test_a_few_values_far_out_do_not_hide_the_others() -> None:
    frame = pl.DataFrame({"stay": [i % 10 for i in range(1_000)] + [100_000]})
    policy = om.Policy(attributes={"stay": om.Numeric()}, method=om.Microaggregation(k=5))
    column = next(iter(studied(om.anonymize(frame, policy))))
    (chart,) = distribution(column)
    assert len(chart["table"]) >= 10
    assert chart["table"][-1][0].endswith("and more")
    assert sum(row[1] for row in chart["table"]) == 1_001
    assert "a few are far from the others" in chart["note"]


# ---- writing ---------------------------------------------------------------------------------------------------------


def test_it_is_written_whole_and_only_where_it_may(tmp_path: Path) -> None:
    result, path = made("microaggregation"), tmp_path / "report.html"
    assert om.write_report(result, path, title="Survey 7") == path
    text = path.read_text(encoding="utf-8")
    assert text == render(result, title="Survey 7")
    assert "<title>Survey 7 (internal edition)</title>" in text
    with pytest.raises(errors.OutputError, match="the file exists"):
        om.write_report(result, path, "public")
    om.write_report(result, path, "public", overwrite=True)
    assert "public edition" in path.read_text(encoding="utf-8")
    with pytest.raises(errors.OptionError, match="no edition 'secret'.*'internal', 'public'"):
        om.write_report(result, tmp_path / "other.html", "secret")  # type: ignore[arg-type]
    for title in ("", "  ", 7, "\ud800"):
        with pytest.raises(errors.OptionError, match="is not a valid title"):
            om.write_report(result, tmp_path / "other.html", title=title)  # type: ignore[arg-type]
    with pytest.raises(errors.OptionError, match="a str is not a result"):
        om.write_report("result", tmp_path / "other.html")  # type: ignore[arg-type]
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]


SCRIPT = """
import hashlib, ontomask as om
from ontomask.report.page import render
result = om.anonymize(om.demo_data(120, seed=3), om.demo_policy(om.RankSwapping(k=5)), seed=4)
print([hashlib.sha256(render(result, edition).encode()).hexdigest() for edition in ("internal", "public")])
"""


def test_the_same_result_gives_the_same_bytes_in_every_process() -> None:
    told = set()
    for seed in ("0", "1"):
        environment = os.environ | {"PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True, env=environment
        )
        told.add(done.stdout)
    assert len(told) == 1
    assert len(next(iter(told))) > 130


def test_importing_the_report_loads_no_charts() -> None:
    code = "import sys, ontomask as om; om.write_report; print(sorted({m.split('.')[0] for m in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    for heavy in ("altair", "vl_convert"):
        assert f"'{heavy}'" not in loaded


# ---- charts ----------------------------------------------------------------------------------------------------------


def test_many_charts_on_a_page_do_not_share_ids() -> None:
    import altair as alt

    rows = alt.Data(values=[{"a": 1, "b": 2}, {"a": 2, "b": 5}])  # type: ignore[no-untyped-call]
    clipped = alt.Chart(rows).mark_line(clip=True).encode(x="a:Q", y="b:Q")
    one, other = (charts.svg(clipped, name, "a < b?", "a & b") for name in ("one", "other"))
    assert charts.svg(clipped, "one", "a < b?", "a & b") == one
    ids = [set(re.findall(r'\bid="([^"]+)"', drawn)) for drawn in (one, other)]
    assert len(ids[0]) == 3  # a clip path besides title and description
    assert not ids[0] & ids[1]
    assert set(re.findall(r"url\(#([^)]+)\)", one)) <= ids[0]
    assert '<title id="one-title">a &lt; b?</title>' in one
    assert '<desc id="one-desc">a &amp; b</desc>' in one


def compared() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "name": ["micro 3", "micro 5", "swap 10", "<b>local</b>", "broken"],
            "method": ["microaggregation", "microaggregation", "rank_swapping", "generalization", "generalization"],
            "k": [3, 5, 10, 5, None],
            "loss": [12.0, 20.0, 8.0, 30.0, None],
            "risk": [20.0, 11.0, 25.0, 40.0, None],
            "score": [16.0, 15.5, 16.5, 35.0, None],
            "seconds": [1.0, 1.0, 1.0, 1.0, 1.0],
            "frontier": [True, True, True, False, False],
            "satisfied": [True, True, True, True, False],
        }
    )


def test_the_map_of_risk_and_utility() -> None:
    chart = charts.risk_utility_map(compared())
    line, points, *_ = chart.to_dict()["layer"]
    data = chart.to_dict().get("datasets", {})
    rows = [layer["data"].get("values") or data[layer["data"]["name"]] for layer in (line, points)]
    assert [row["name"] for row in rows[0]] == ["swap 10", "micro 3", "micro 5"]  # by loss
    assert [row["name"] for row in rows[1]] == ["micro 3", "micro 5", "swap 10", "<b>local</b>"]
    assert points["encoding"]["color"]["field"] == points["encoding"]["shape"]["field"] == "method"
    drawn = charts.svg(chart, "map", "Which to choose?", "Points.")
    for name in ("micro 3", "swap 10", "&lt;b&gt;local&lt;/b&gt;"):
        assert name in drawn
    assert "<b>" not in drawn


def test_a_point_of_the_map_says_what_the_legend_does_not() -> None:
    names = ["microaggregation, k=3", "microaggregation", "my swap, k=10"]
    table = compared().head(3).with_columns(name=pl.Series(names))
    labels = {name: name_without("microaggregation", name) for name in names}
    points = charts.risk_utility_map(table, labels=labels).to_dict()["layer"][1]
    assert [row["name"] for row in points["data"]["values"]] == ["k=3", "microaggregation", "my swap, k=10"]


def test_score_curves_differ_in_colour_and_pattern() -> None:
    names = [f"way {i}" for i in range(9)]
    table = pl.DataFrame(
        [{"name": name, "alpha": a / 4, "score": 10.0 + a * i} for i, name in enumerate(names) for a in range(5)]
    )
    encoding = charts.score_curves(table).to_dict()["layer"][-1]["encoding"]
    looks = list(
        zip(encoding["color"]["scale"]["range"], map(str, encoding["strokeDash"]["scale"]["range"]), strict=True)
    )
    assert len(looks) == len(set(looks)) == 9
    assert "way 8" in charts.svg(charts.score_curves(table), "curves", "Which is best?", "Lines.")


def test_a_loss_of_zero_is_not_taken_for_no_change() -> None:
    """A record that has the centre of each column loses no variance where it is left out."""
    frame = pl.DataFrame({"one": list("xxyyx"), "other": list("vvuuu")})
    policy = om.Policy(attributes={"one": om.Flat(), "other": om.Flat()}, method=om.Suppression(2))
    result = om.anonymize(frame, policy)
    assert (result.loss().information_loss, result.removed.tolist()) == (0.0, [4])
    for page in (render(result), render(result, "public")):
        assert not re.search("no value changed|none changed|no record left out", page)
