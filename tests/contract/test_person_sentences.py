"""Every sentence counts what it says, persons or records: in policies, reports, guarantees and on the command line.

Where every person has one record, counting persons and counting records must say the same but for the word. Where persons
have several, each total that is stated of persons is the number of persons, and each of records that of records.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import ontomask as om
from ontomask.cli import app

ATTRIBUTES = {"id": om.Identifier(), "age": om.Numeric(), "job": om.Flat(), "ill": om.Flat(role="sensitive")}
HIERARCHIES = {"age": om.Intervals(width=2)}
REQUIRED = [om.KAnonymity(2), om.LDiversity(2, "ill"), om.TCloseness(0.6, "ill")]
#: Sentences that speak of records where persons are counted, each of them read: it is on records, not on persons.
ON_RECORDS = Path(__file__).parent / "sentences_on_records.txt"
#: Records, and persons where they have several.
N, PERSONS = 157, 61
METHODS: list[tuple[Any, list[Any]]] = [
    (om.Microaggregation(3), REQUIRED),
    (om.Microaggregation(3, partition="mdav"), REQUIRED),
    (om.Recoding(3), REQUIRED),
    (om.Suppression(3), [om.KAnonymity(3), om.KmAnonymity(2, 1)]),
    (om.Suppression(3, cells=True), [om.KAnonymity(3)]),
    (om.Generalization(hierarchies=HIERARCHIES, suppression_limit=0.1), REQUIRED),
    (om.Generalization(search="local", hierarchies=HIERARCHIES), REQUIRED),
    (om.RankSwapping(percent=10), []),
    (om.PRAM(), []),
]
#: What only a policy that counts persons says, in the words that are compared: a record for a person.
ITS_OWN = (
    "# the column, or columns, that identify the record: records are counted, not records",
    "record: [id]",
    "RecordRecords belong to records",
    "Records in them",  # a row of its own in the table of the classes
)


def table(*, several: bool) -> pl.DataFrame:
    rng = np.random.default_rng(1)
    of = np.concatenate((np.arange(PERSONS), rng.integers(0, PERSONS, N - PERSONS))) if several else rng.permutation(N)
    own = rng.integers(20, 26, N)
    return pl.DataFrame(
        {
            "id": [f"p{person}" for person in of],
            "age": own[of],
            "job": rng.choice(["cook", "nurse", "pilot"], N),
            "ill": rng.choice(["flu", "gout", "ulcer"], N),
        }
    )


def visible(page: str) -> str:
    page = re.sub(r"<(script|style).*?</\1>", " ", page, flags=re.DOTALL)
    page = re.sub(r"</(p|li|td|th|h\d|summary|text|title|div|figcaption|span)>", "\n", page)
    return html.unescape(re.sub(r"<[^>]+>", "", page))


def said(frame: pl.DataFrame, policy: om.Policy, where: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """The lines of everything that is written or printed on the way from a policy to a verified release."""
    where.mkdir()
    monkeypatch.chdir(where)
    frame.write_csv("data.csv")
    policy.save("policy.yaml")
    found = {"policy.yaml": Path("policy.yaml").read_text(encoding="utf-8")}
    for command in ("check policy.yaml data.csv", "run policy.yaml data.csv -o result --seed 1", "verify result"):
        done = CliRunner().invoke(app, command.split())
        assert done.exit_code in (0, 3), done.output  # 3: nothing was promised
        found[command] = done.output
    found["compare"] = "\n".join(om.compare(frame, {"one": policy}, seed=1).recommendation)
    for file in sorted(Path("result").rglob("*")):
        if file.suffix in (".txt", ".html") and file.name != "secret.txt":
            text = file.read_text(encoding="utf-8")
            found[f"{file.parent.name}/{file.name}"] = visible(text) if file.suffix == ".html" else text
    return {name: [" ".join(line.split()) for line in text.splitlines()] for name, text in found.items()}


def as_records(line: str) -> str:
    for word in ("person", "Person"):
        line = line.replace(word, {"p": "record", "P": "Record"}[word[0]])
    # "links 5% of them": where persons are found by their records, the sentence names both.
    line = re.sub(r"(links [0-9.]+%) of (them|the records) correctly", r"\1 correctly", line)
    return line.replace(
        "the search aimed at what is required and counted records", "the search aimed at what is required"
    )


@pytest.mark.parametrize(("method", "require"), METHODS, ids=lambda case: repr(case) if hasattr(case, "name") else "")
def test_persons_of_one_record_change_nothing_but_the_word(
    method: Any, require: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = table(several=False)
    by_records = om.Policy(attributes=ATTRIBUTES, method=method, require=require)
    records = said(frame, by_records, tmp_path / "records", monkeypatch)
    persons = said(frame, by_records.changed(person=["id"]), tmp_path / "persons", monkeypatch)
    assert list(records) == list(persons)
    for name, lines in records.items():
        before, after = Counter(map(as_records, lines)), Counter(map(as_records, persons[name]))
        own = {line for line in after - before if line and not line.startswith(ITS_OWN)}
        lost = {line for line in before - after if line}
        assert (name, own, lost) == (name, set(), set())
    text = "\n".join(line for lines in persons.values() for line in lines)
    assert text.count("persons") > 15
    # Nobody is counted where records are.
    counted = [line for lines in records.values() for line in lines if re.search(r"[0-9] persons?\b|k persons", line)]
    assert counted == []


def on_records(lines: list[str]) -> set[str]:
    """The lines that speak of records, without their numbers."""
    return {re.sub(r"[0-9][0-9,.]*%?", "#", line) for line in lines if re.search(r"\brecords?\b", line, re.IGNORECASE)}


def totals(lines: list[str], word: str) -> Iterator[int]:
    for line in lines:
        for number in re.findall(rf"\b[0-9][0-9,]* of (?:the )?([0-9][0-9,]*) (?:original |released )?{word}\b", line):
            yield int(number.replace(",", ""))


@pytest.mark.parametrize(("method", "require"), METHODS, ids=lambda case: repr(case) if hasattr(case, "name") else "")
def test_totals_are_of_what_is_counted(
    method: Any, require: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = table(several=True)
    policy = om.Policy(attributes=ATTRIBUTES, method=method, require=require, person=["id"])
    told = said(frame, policy, tmp_path / "persons", monkeypatch)
    for name, lines in told.items():
        if name.startswith("release/"):
            continue  # counts are rounded there
        assert set(totals(lines, "persons")) <= {PERSONS}, name
        assert set(totals(lines, "records")) <= {N}, name
    everything = [line for lines in told.values() for line in lines]
    # Whoever adds a sentence on records decides that it is on records, and adds it to the file.
    assert on_records(everything) <= set(ON_RECORDS.read_text(encoding="utf-8").splitlines())
    assert {PERSONS} == set(totals(everything, "persons")), "no sentence states a total of persons"
    # k and the classes are of persons.
    assert not any(re.search(r"smallest (?:class )?(?:has|of) [0-9,]+ records", line) for line in everything)
    assert not any(re.search(r"at least (?:k|[0-9]+) records", line) for line in everything)
