"""The report on columns that hold sets: records are counted as records, items as items, and sets can be compared."""

from __future__ import annotations

import re
from collections import Counter

import polars as pl
import pytest

import ontomask as om
from ontomask.report.counts import MOST_VALUES, distribution, studied
from ontomask.report.examples import branch, cells_of
from ontomask.report.page import render
from ontomask.report.summary import summarize

#: Codes with labels, some longer than a cell; "X" has two parents.
EDGES = [(f"{chapter}{i}", chapter) for chapter in "ABC" for i in range(8)]
EDGES += [(chapter, "ROOT") for chapter in "ABC"] + [("X", "A"), ("X", "B")]
LABELS = {child: f"{child} of a rather long description that no cell of a table can hold" for child, _ in EDGES}
TAXONOMY = om.Taxonomy.from_edges(EDGES, name="letters", labels=LABELS)
SETS = [f"A{i % 8}|A{(i + 1) % 8}|B{i % 5}|C{i % 3}|C{i % 7}" for i in range(58)] + ["X|A1", "X"]


@pytest.fixture(scope="module")
def result() -> om.Result:
    frame = pl.DataFrame({"codes": SETS, "age": [20 + i for i in range(60)], "who": [f"p{i % 40}" for i in range(60)]})
    attributes = {
        "codes": om.Nominal(taxonomy=TAXONOMY, many="|"),
        "age": om.Numeric(),
        "who": om.Identifier(),
    }
    policy = om.Policy(attributes=attributes, method=om.Microaggregation(k=3), person="who")
    return om.anonymize(frame, policy, seed=1)


def at_or_below(concept: str, sets: list[str]) -> int:
    """Counted in plain Python: the records with an item at or below a concept."""
    parents: dict[str, list[str]] = {}
    for child, parent in EDGES:
        parents.setdefault(child, []).append(parent)

    def above(item: str) -> set[str]:
        return {item}.union(*(above(parent) for parent in parents.get(item, [])))

    return sum(any(concept in above(item) for item in text.split("|")) for text in sets)


def test_a_tree_counts_each_record_once_at_a_concept(result: om.Result) -> None:
    codes = next(column for column in studied(result) if column.name == "codes")
    told = branch(codes)
    assert told is not None
    released = result.data["codes"].to_list()
    lines = [line for line in told["lines"] if line["name"]]
    assert lines[0]["name"] == "ROOT"
    assert lines[0]["records"] == [60, 60]
    assert len(lines) > 10
    for line in lines:
        concept = line["name"].split()[0]
        assert line["records"] == [at_or_below(concept, SETS), at_or_below(concept, released)], concept
    page = render(result, "internal")
    assert "A record that has several of them counts once at each concept." in page


def test_items_are_called_items_and_records_counted_once(result: om.Result) -> None:
    codes = next(column for column in studied(result) if column.name == "codes")
    (told,) = distribution(codes)
    before, after = (Counter(i for t in texts for i in set(t.split("|"))) for texts in (SETS, result.data["codes"]))
    both = {item: max(before[item], after[item]) for item in before | after}
    others = sorted(both, key=lambda item: (-both[item], item))[MOST_VALUES:]
    have = [sum(bool(set(others) & set(t.split("|"))) for t in texts) for texts in (SETS, result.data["codes"])]
    assert told["table"][-1] == [f"{len(others)} other items", *have]
    assert told["note"] == (
        f"The {MOST_VALUES} most frequent items. {len(others)} other items: {have[0]} records before, {have[1]} after."
    )
    figure = next(f for f in summarize(result)["distributions"]["figures"] if "codes" in f["question"])
    assert figure["head"][0] == "Item"
    assert figure["note"].startswith(
        "Records that have each item; a record can have several. The 10 most frequent items."
    )
    assert "how many records have each item of codes" in figure["description"]


def test_the_taxonomy_of_sets_is_in_the_table_of_taxonomies(result: om.Result) -> None:
    assert summarize(result)["made"]["taxonomies"] == [["letters", f"{len(TAXONOMY)} concepts", TAXONOMY.source or ""]]
    assert '<th scope="row"><bdi>letters</bdi></th>' in render(result, "internal")


def test_examples_show_every_code_of_a_set(result: om.Result) -> None:
    codes = next(column.column for column in studied(result) if column.name == "codes")
    write = cells_of(codes)
    assert write("A1|B2") == "A1 A1 of a rather long description th... | B2 B2 of a rather long description th..."
    assert write("A1|A2|B2|C1|C2|C3|C4|C5|C6") == "A1 | A2 | B2 | C1 | C2 | C3 | C4 | C5 | C6"
    assert write("(missing)") == "(missing)"
    assert write("|") == "|"
    groups = summarize(result)["examples"]["groups"]
    assert groups
    for group in groups:
        for cell in [group["after"][0], *(row["values"][0] for row in group["before"])]:
            assert all(re.match(r"[ABC][0-7]\b|X\b|[ABC]\b|ROOT\b", part) for part in cell.split(" | ")), cell
