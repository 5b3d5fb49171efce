"""OBO: stanzas, escapes, obsolete terms, alternatives, relations."""

from __future__ import annotations

from pathlib import Path

import pytest

import ontomask as om

TEXT = r"""format-version: 1.2
data-version: toy/2025
ontology: toy

[Term]
id: T:1
name: everything

[Term]
id: T:2
name: left \"thing\"
def: "A thing, \"quoted\"; see\nbelow." [PMID:1]
synonym: "sinister thing" EXACT layperson []
synonym: "some broader thing" BROAD []
synonym: "near thing" RELATED []
alt_id: T:20
alt_id: T:21
is_a: T:1 {source="x"} ! everything
relationship: part_of T:4 ! whole

[Term]
id: T:3
name: twice below
is_a: T:2 ! left thing
is_a: T:1 ! everything
is_a: T:1 {again="true"}

[Term]
id: T:4
name: whole
is_a: T:20 ! by its alternative

[Term]
id: T:5
name: old
is_obsolete: true
replaced_by: T:3
is_a: T:99

[Term]
id: T:6
name: older
is_obsolete: true
consider: T:3

[Term]
id: T:7
name: split
is_obsolete: true
replaced_by: T:3
replaced_by: T:4

[Typedef]
id: part_of
name: part of
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "toy.obo"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_everything(tmp_path: Path, end: str) -> None:
    path = tmp_path / "toy.obo"
    path.write_bytes(TEXT.replace("\n", end).encode())
    t = om.read_taxonomy(path)
    assert t.concepts == ("T:1", "T:2", "T:3", "T:4")
    assert t.name == "toy"
    assert t.source == "toy.obo, version toy/2025"
    assert t.label("T:2") == 'left "thing"'
    assert t.definition("T:2") == 'A thing, "quoted"; see\nbelow.'
    assert t.synonyms("T:2") == ["sinister thing", "near thing"]
    assert t.parents("T:3") == ["T:2", "T:1"]
    assert t.parents("T:4") == ["T:2"]
    assert t.related("T:2") == [("part of", "T:4")]
    assert t.label("T:21") == t.label("T:2")
    assert t.label("T:5") == "twice below"  # replaced by one
    assert "T:6" not in t  # consider is for people
    assert "T:7" not in t  # replaced by two
    assert "3 obsolete terms are left out; 1 of them" in t.notes[0]


def test_without_a_header(tmp_path: Path) -> None:
    t = om.read_taxonomy(write(tmp_path, "[Term]\nid: a\n\n[Term]\nid: b\nis_a: a\n"))
    assert t.parents("b") == ["a"]
    assert t.name == "toy"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[Term]\nname: nameless\n", "a .Term. without an id"),
        ("[Term]\nid: a\n\n[Term]\nid: a\n", "line 4: the term 'a' occurs twice"),
        ("[Term]\nid: a\ndef: unquoted\n", "not in quotes"),
        ("format-version: 1.2\n", "no .Term. that is not obsolete"),
        ("[Term]\nid: a\nis_obsolete: true\n", "no .Term. that is not obsolete"),
        ("hello\nworld\n", "Is it an OBO file"),
    ],
)
def test_errors(tmp_path: Path, text: str, expected: str) -> None:
    with pytest.raises(om.errors.TaxonomyFileError, match=expected):
        om.read_taxonomy(write(tmp_path, text))


def test_unknown_parents(tmp_path: Path) -> None:
    path = write(tmp_path, "[Term]\nid: a\n\n[Term]\nid: b\nis_a: a\nis_a: X:1\n")
    with pytest.raises(om.errors.UnknownParentError, match=r"line 4: the parent 'X:1' of 'b'.*unknown_parents='drop'"):
        om.read_taxonomy(path)
    t = om.read_taxonomy(path, unknown_parents="drop")
    assert t.parents("b") == ["a"]
    assert "1 links to terms that the file does not hold are dropped" in t.notes[0]
    with pytest.raises(om.errors.TaxonomyFileError, match="Choose 'error' or 'drop'"):
        om.read_taxonomy(path, unknown_parents="ignore")


def test_cycle(tmp_path: Path) -> None:
    with pytest.raises(om.errors.CycleError, match=r"toy\.obo: .* a -> b -> a"):
        om.read_taxonomy(write(tmp_path, "[Term]\nid: a\nis_a: b\n\n[Term]\nid: b\nis_a: a\n"))
