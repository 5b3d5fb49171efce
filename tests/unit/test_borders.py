"""Anything handed to a public function ends in an answer or in an error of ours."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import ontomask as om

T: Any = om.Taxonomy.from_edges([("a", "r"), ("b", "r")])

WRONG: dict[str, Callable[[Path], Any]] = {
    # what is not a taxonomy
    "match in a name": lambda tmp: om.match(["x"], "icd9cm"),  # type: ignore[arg-type]
    "matrix of a name": lambda tmp: om.distance_matrix("icd9cm", ["x"]),  # type: ignore[arg-type]
    "centroid of a name": lambda tmp: om.centroid("icd9cm", ["x"]),  # type: ignore[arg-type]
    "join with text": lambda tmp: om.join_taxonomies([T, "x"]),  # type: ignore[list-item]
    "write a name": lambda tmp: om.write_taxonomy("x", tmp / "x.csv"),  # type: ignore[arg-type]
    # what is not a list of values
    "match nothing": lambda tmp: om.match(None, T),  # type: ignore[arg-type]
    "match bytes": lambda tmp: om.match(b"a", T),
    "match a dict": lambda tmp: om.match({"a": 1}, T),
    "match a frame": lambda tmp: om.match(pl.DataFrame({"a": ["b"]}), T),
    "match lists": lambda tmp: om.match([["a"]], T),
    "match a table": lambda tmp: om.match(np.array([["a"], ["b"]]), T),
    "match a number": lambda tmp: om.match(5, T),  # type: ignore[arg-type]
    "matrix of nothing": lambda tmp: om.distance_matrix(T, None),  # type: ignore[arg-type]
    "matrix of lists": lambda tmp: om.distance_matrix(T, [["a"]]),  # type: ignore[list-item]
    "matrix of a frame": lambda tmp: om.distance_matrix(T, pl.DataFrame({"a": ["b"]})),  # type: ignore[arg-type]
    "mapping as a list": lambda tmp: om.match(["a"], T, [("x", "a")]),  # type: ignore[arg-type]
    "language as a list": lambda tmp: om.match(["a"], T, language=["english"]),  # type: ignore[arg-type]
    # options
    "dtype": lambda tmp: om.distance_matrix(T, ["a"], dtype="foo"),
    "workers": lambda tmp: om.distance_matrix(T, ["a"], workers=True),
    "depth as an array": lambda tmp: om.distance(T, "a", "b", "wu_palmer", depth=np.array(["nodes", "edges"])),
    "weights as text": lambda tmp: om.distance(T, "a", "b", "rodriguez", weights="111"),
    "counts nan": lambda tmp: om.distance(T, "a", "b", "lin", ic="corpus", counts={"a": float("nan")}),
    "counts none": lambda tmp: om.distance(T, "a", "b", "lin", ic="corpus", counts={"a": None}),
    "counts huge": lambda tmp: om.distance(T, "a", "b", "lin", ic="corpus", counts={"a": 10**400}),
    "counts number": lambda tmp: om.information_content(T, "corpus", 5),  # type: ignore[arg-type]
    "search a number": lambda tmp: T.search(5),
    "search with limit": lambda tmp: T.search("a", limit=-1),
    "tree": lambda tmp: T.tree(depth="x"),
    "tree width": lambda tmp: T.tree(width=-1),
    # measures
    "register a number": lambda tmp: om.register_measure("mine", 5),  # type: ignore[arg-type]
    "register under a number": lambda tmp: om.register_measure(5, max),  # type: ignore[arg-type]
    "register a reserved option": lambda tmp: om.register_measure("mine", max, options={"workers": 1}),
    "unregister a built-in": lambda tmp: om.unregister_measure("path"),
    # building
    "edges none": lambda tmp: om.Taxonomy.from_edges(None),  # type: ignore[arg-type]
    "edges number": lambda tmp: om.Taxonomy.from_edges(5),  # type: ignore[arg-type]
    "labels list": lambda tmp: om.Taxonomy.from_edges([("a", "b")], labels=["x"]),  # type: ignore[arg-type]
    "label number": lambda tmp: om.Taxonomy.from_edges([("a", "b")], labels={"a": 5}),  # type: ignore[dict-item]
    "synonyms text": lambda tmp: om.Taxonomy.from_edges([("a", "b")], synonyms={"a": "text"}),
    "relation text": lambda tmp: om.Taxonomy.from_edges([("a", "b")], relations={"p": ["ab"]}),  # type: ignore[list-item]
    "relation triple": lambda tmp: om.Taxonomy.from_edges([("a", "b")], relations={"p": [("a", "b", "c")]}),  # type: ignore[list-item]
    "code with blanks": lambda tmp: om.Taxonomy.from_edges([("a ", "b")]),
    # files
    "path none": lambda tmp: om.read_taxonomy(None),  # type: ignore[arg-type]
    "path too long": lambda tmp: om.read_taxonomy("child,parent\na,b\n" * 50),
    "format list": lambda tmp: om.read_taxonomy(tmp, ["edges"]),  # type: ignore[arg-type]
    "name list": lambda tmp: om.load_taxonomy(["x"]),  # type: ignore[arg-type]
    "folder number": lambda tmp: om.load_taxonomy("wordnet", folder=5),  # type: ignore[arg-type]
    "write to none": lambda tmp: om.write_taxonomy(T, None),  # type: ignore[arg-type]
    "write a long name": lambda tmp: om.write_taxonomy(T, tmp / ("x" * 300)),
    "folder called csv": lambda tmp: om.read_taxonomy(made(tmp)),
}


def made(tmp: Path) -> Path:
    (tmp / "folder.csv").mkdir()
    return tmp / "folder.csv"


@pytest.mark.parametrize("case", WRONG)
def test_wrong_argument(case: str, tmp_path: Path) -> None:
    with pytest.raises(om.errors.OntomaskError) as caught:
        WRONG[case](tmp_path)
    assert caught.value.remedy
    assert len(str(caught.value)) < 1500


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (",,,\n,,,\n", {}),
        ("\ufeff", {}),
        ("child,parent,parent\na,b,c\n", {}),
        ("child,parent\na,b\n", {"delimiter": ";;"}),
        ("child,parent\na,b\n", {"delimiter": 5}),
        ("child,parent\na,b\n", {"encoding": 5}),
        ("child,parent\na,b\n", {"encoding": "rot13"}),
        ("child,parent\na,b\n" + "x" * 200_000 + ",b\n", {"format": "levels"}),
    ],
)
def test_wrong_file(text: str, options: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(om.errors.OntomaskError):
        om.read_taxonomy(path, **options)


def test_a_huge_value_makes_no_huge_message() -> None:
    with pytest.raises(om.errors.UnmatchedValuesError) as caught:
        om.match(["x" * 1_000_000], T).require_all()
    assert len(str(caught.value)) < 1000
    with pytest.raises(om.errors.UnknownConceptError) as unknown:
        T.depth("x" * 1_000_000)
    assert len(str(unknown.value)) < 1000


def test_what_was_assumed_stands_in_the_notes(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("dog,canine,x\ncat,feline,x\n")
    assert any("read as levels" in note for note in om.read_taxonomy(path).notes)


def test_columns_of_other_libraries_are_taken() -> None:
    for column in (pl.Series(["a", "b"]), np.array(["a", "b"]), ("a", "b"), iter(["a", "b"])):
        assert om.match(column, T).complete
    for column in (pl.Series(["a", "b"]), np.array(["a", "b"]), ("a", "b"), iter(["a", "b"])):
        assert om.distance_matrix(T, column, "path")[0, 1] == 2


def test_a_registered_measure_sees_the_scope() -> None:
    t = om.Taxonomy.from_edges([("a", "m"), ("b", "m"), ("m", "r"), ("z", "r")])
    om.register_measure("size", lambda taxonomy, concepts: len(taxonomy) * (1 - np.eye(len(concepts))))
    try:
        assert om.distance(t, "a", "b", "size") == 5
        assert om.distance(t, "a", "b", "size", scope="attribute") == 3
    finally:
        om.unregister_measure("size")


def test_deep_and_entangled_taxonomies_stay_cheap() -> None:
    n = 6_000
    edges = [(f"c{i}", f"c{i - 1}") for i in range(1, n)]
    t = om.Taxonomy.from_edges([*edges, (f"c{n - 1}", "c5")])
    assert t.lcs(t.concepts) == "c0"
    assert t.lcs([f"c{n - 1}", f"c{n - 2}"]) == f"c{n - 2}"
    assert 0 < om.distance(t, f"c{n - 1}", "c4", "lin") < 1
    assert 0 < om.distance(t, f"c{n - 1}", "c4", "lin", ic="sanchez") < 1
