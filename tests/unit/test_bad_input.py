"""Every wrong input ends in one clear error of ours: what, where, what to do."""

from __future__ import annotations

import gzip
import pickle
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import ontomask as om
from ontomask import errors


def write(folder: Path, text: str | bytes, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def message(caught: pytest.ExceptionInfo[BaseException]) -> str:
    assert isinstance(caught.value, errors.OntomaskError)
    assert caught.value.remedy, "an error says what to do"
    return str(caught.value)


# ---- the graph --------------------------------------------------------------------------------------------------


def test_cycle_is_named() -> None:
    with pytest.raises(errors.CycleError) as caught:
        om.Taxonomy.from_edges([("a", "b"), ("b", "c"), ("c", "a"), ("d", "a"), ("b", "top")])
    assert caught.value.cycle == ["a", "b", "c", "a"]
    assert "a -> b -> c -> a" in message(caught)


def test_cycle_without_any_root() -> None:
    with pytest.raises(errors.CycleError) as caught:
        om.Taxonomy.from_edges([("a", "b"), ("b", "a")])
    assert caught.value.cycle == ["a", "b", "a"]


def test_cycle_in_a_file_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(errors.CycleError, match=r"t\.csv.*a -> b -> a"):
        om.read_taxonomy(write(tmp_path, "child,parent\na,b\nb,a\nc,\nd,c\n"))


def test_a_long_cycle_is_shortened() -> None:
    ring = [(f"c{i}", f"c{(i + 1) % 500}") for i in range(500)]
    with pytest.raises(errors.CycleError) as caught:
        om.Taxonomy.from_edges(ring)
    assert len(caught.value.cycle) == 501
    assert len(message(caught)) < 400


def test_self_link(tmp_path: Path) -> None:
    with pytest.raises(errors.SelfLinkError, match=r"'b' is given as its own parent"):
        om.Taxonomy.from_edges([("a", "b"), ("b", "b")])
    with pytest.raises(errors.SelfLinkError, match=r"line 3: 'b'"):
        om.read_taxonomy(write(tmp_path, "child,parent\na,b\nb,b\n"))


def test_unknown_parent_suggests(tmp_path: Path) -> None:
    with pytest.raises(errors.UnknownParentError, match=r"line 4: the parent 'diseas' .*Near it: 'disease'"):
        om.read_taxonomy(write(tmp_path, "code,parent,label\ndisease,,\nflu,disease,\ncold,diseas,\n"))
    with pytest.raises(errors.UnknownParentError, match=r"edge 2.*Near it: 'disease'"):
        om.Taxonomy.from_edges([("disease", None), ("flu", "disease"), ("cold", "diseas")])


def test_several_parents_are_fine_and_a_repeated_row_is_not(tmp_path: Path) -> None:
    t = om.read_taxonomy(write(tmp_path, "child,parent\ndog,canine\ndog,pet\ncanine,animal\npet,animal\n"))
    assert t.parents("dog") == ["canine", "pet"]
    with pytest.raises(
        errors.DuplicateLinkError, match=r"line 2 is repeated in line 4.*several different parents is fine"
    ):
        om.read_taxonomy(write(tmp_path, "child,parent\ndog,canine\ncanine,animal\ndog,canine\n"))
    with pytest.raises(errors.DuplicateLinkError, match="edge 0 is repeated in edge 1"):
        om.Taxonomy.from_edges([("dog", "canine"), ("dog", "canine")])


def test_root_with_a_parent(tmp_path: Path) -> None:
    with pytest.raises(errors.TaxonomyError, match=r"'a' has the parent 'b' here and none in line 2"):
        om.read_taxonomy(write(tmp_path, "child,parent\na,\nb,\na,b\n"))
    with pytest.raises(errors.TaxonomyError, match="edge 2: 'a' has the parent 'b' and is declared a root"):
        om.Taxonomy.from_edges([("a", None), ("b", None), ("a", "b")])


@pytest.mark.parametrize("edge", [("a",), "ab", ("a", 3), (7, "b"), ("", "b"), ("a", "b", "c")])
def test_edges_must_be_pairs_of_text(edge: object) -> None:
    with pytest.raises(errors.TaxonomyError, match="edge 1"):
        om.Taxonomy.from_edges([("x", "y"), edge])  # type: ignore[list-item]


def test_nothing_at_all() -> None:
    with pytest.raises(errors.TaxonomyError, match="no concepts"):
        om.Taxonomy.from_edges([])


def test_texts_for_unknown_concepts() -> None:
    with pytest.raises(errors.TaxonomyError, match="labels are given for 'z'"):
        om.Taxonomy.from_edges([("a", "b")], labels={"z": "zed"})
    with pytest.raises(errors.TaxonomyError, match="relation 'part of' names 'z'"):
        om.Taxonomy.from_edges([("a", "b")], relations={"part of": [("a", "z")]})


def test_a_chain_of_20_000_works() -> None:
    n = 20_000
    t = om.Taxonomy.from_edges([(f"c{i}", f"c{i - 1}") for i in range(1, n)])
    last = f"c{n - 1}"
    assert t.depth(last) == n
    assert t.height("c0") == n
    assert len(t.ancestors(last)) == len(t.descendants("c0")) == n - 1
    assert t.lcs([last, "c500"]) == "c500"
    assert om.distance(t, last, "c0", "path") == n - 1
    assert om.distance(t, last, "c0", "logsc") == np.log2(1 + (n - 1) / n)
    assert om.distance(t, last, "c9999", "wu_palmer") == pytest.approx(1 - 20_000 / 30_000)
    assert 0 < om.distance(t, last, "c1", "lin") < 1
    assert t.tree(depth=3).count("\n") == 3
    assert t.path(last).count("\n") == n - 1
    assert pickle.loads(pickle.dumps(t)) == t
    with pytest.raises(errors.MeasureError, match="19999 levels"):
        om.distance(t, last, "c0", "weighted_edge")


# ---- files ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "is empty"),
        ("   \n\n", "is empty"),
        ("child,parent\n", "no rows below the header"),
        ("animal,colour\ndog,brown\ncat,black\n", "no child and parent column among 'animal', 'colour'"),
        ("child,parent\na,b\nc\n", "line 3: 1 cells where 2 are expected"),
        ("child,parent\n,b\n", "line 2: the child is empty"),
        ('child,parent\na,"b\nc,d\n', "quotes or delimiters"),
        ("just some words\nand more of them\n", "no delimiter"),
        ("child,parent,label\na,b,one\na,c,two\n", "has the label 'two' here and 'one' before"),
    ],
)
def test_edge_files(tmp_path: Path, text: str, expected: str) -> None:
    with pytest.raises(errors.TaxonomyFileError, match=expected) as caught:
        om.read_taxonomy(write(tmp_path, text))
    assert "t.csv" in message(caught)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a;b;*\nc;*\n", "line 2: 2 levels where the rows before have 3"),
        ("a;b;*\nc;;*\n", "line 2: level 1 is empty"),
        ("a;b;*\na;c;*\n", "line 2: the value 'a' has a row already, line 1"),
        ("a;b;x;*\nc;b;y;*\n", "line 2: 'b' goes up to 'y' here and to 'x' in line 1"),
    ],
)
def test_level_files(tmp_path: Path, text: str, expected: str) -> None:
    with pytest.raises(errors.TaxonomyFileError, match=expected) as caught:
        om.read_taxonomy(write(tmp_path, text), "levels")
    message(caught)


def test_wrong_encoding(tmp_path: Path) -> None:
    path = write(tmp_path, "child,parent\nMénière,ear\n".encode("latin-1"))
    with pytest.raises(errors.TaxonomyFileError, match=r"line 2: byte 14 is not valid utf-8") as caught:
        om.read_taxonomy(path, encoding="utf-8")
    assert "encoding" in message(caught)
    found = om.read_taxonomy(path)  # detected, and said
    assert "Ménière" in found
    assert any("cp1252" in note for note in map(str, found.notes))
    with pytest.raises(errors.TaxonomyFileError, match="no encoding 'utf-nine'"):
        om.read_taxonomy(path, encoding="utf-nine")
    wide = write(tmp_path, "child,parent\na,b\n".encode("utf-16-le"), "wide.csv")
    with pytest.raises(errors.TaxonomyFileError, match="looks like UTF-16 without a mark.*utf-16-le"):
        om.read_taxonomy(wide)
    assert "a" in om.read_taxonomy(wide, encoding="utf-16-le")


@pytest.mark.parametrize("damage", ["cut", "junk"])
def test_damaged_gzip(tmp_path: Path, damage: str) -> None:
    packed = gzip.compress(b"child,parent\n" + b"".join(b"c%d,c%d\n" % (i + 1, i) for i in range(20_000)))
    data = packed[: len(packed) // 2] if damage == "cut" else b"this is not gzip at all"
    with pytest.raises(errors.TaxonomyFileError, match="cut off or damaged") as caught:
        om.read_taxonomy(write(tmp_path, data, "t.csv.gz"))
    message(caught)


@pytest.mark.parametrize("name", ["big.csv", "big.obo", "big.owl", "big.rdf", "big.ttl", "big.bin", "big.txt"])
@pytest.mark.parametrize("content", ["zeros", "noise", "one line", "prose"])
def test_a_gigabyte_of_junk_is_refused_from_its_head(tmp_path: Path, name: str, content: str) -> None:
    path = tmp_path / name
    head = {
        "zeros": b"",
        "noise": np.random.default_rng(1).bytes(1 << 16),
        "one line": b"x" * (1 << 21),
        "prose": b"It was a dark and stormy night\nthe rain fell in torrents\n" * 2000,
    }[content]
    with path.open("wb") as file:
        file.write(head)
        file.truncate(1 << 30)  # sparse: costs no disk
    tracemalloc.start()
    try:
        with pytest.raises(errors.TaxonomyFileError) as caught:
            om.read_taxonomy(path)
        assert tracemalloc.get_traced_memory()[1] < 50e6
    finally:
        tracemalloc.stop()
    message(caught)


def test_not_there(tmp_path: Path) -> None:
    with pytest.raises(errors.TaxonomyFileError, match="no such file or folder"):
        om.read_taxonomy(tmp_path / "absent.obo")
    with pytest.raises(errors.TaxonomyFileError, match="neither WordNet .* nor a SNOMED CT release"):
        om.read_taxonomy(tmp_path)
    with pytest.raises(errors.TaxonomyFileError, match="tells no format"):
        om.read_taxonomy(write(tmp_path, "a,b", "t.xyz"))


def test_unknown_format_and_options(tmp_path: Path) -> None:
    path = write(tmp_path, "child,parent\na,b\n")
    with pytest.raises(errors.OptionError, match=r"no taxonomy format 'edge'\. Did you mean 'edges'"):
        om.read_taxonomy(path, "edge")
    with pytest.raises(errors.OptionError, match=r"format 'edges' has no option 'sep'\. It takes: .*delimiter"):
        om.read_taxonomy(path, sep=";")
    with pytest.raises(
        errors.TaxonomyFileError, match=r"no column 'kid' for the child\. The columns are: 'child', 'parent'"
    ):
        om.read_taxonomy(path, child="kid")


# ---- asking -----------------------------------------------------------------------------------------------------


@pytest.fixture
def small() -> om.Taxonomy:
    return om.Taxonomy.from_edges([("lumbago", "ache"), ("migraine", "ache"), ("ache", "pain")], name="symptoms")


def test_unknown_concept_suggests(small: om.Taxonomy) -> None:
    for ask in (small.depth, small.parents, small.descendants, small.label):
        with pytest.raises(errors.UnknownConceptError, match=r"no concept 'migrane' in symptoms\. Near it: migraine"):
            ask("migrane")
    with pytest.raises(errors.UnknownConceptError, match="migraine"):
        om.distance(small, "ache", "migrane")
    with pytest.raises(LookupError):
        small.lcs(["ache", "qqqqqqqqqq"])
    with pytest.raises(errors.UnknownConceptError, match="Concepts are text, this is int"):
        small.depth(12)  # type: ignore[arg-type]
    with pytest.raises(errors.OptionError, match="concepts are a str, not a list of them"):
        om.distance_matrix(small, "ache")
    assert 12 not in small


def test_lcs_of_nothing(small: om.Taxonomy) -> None:
    with pytest.raises(errors.TaxonomyError, match="lcs of no concepts"):
        small.lcs([])


def test_unknown_measure_and_options(small: om.Taxonomy) -> None:
    with pytest.raises(
        errors.MeasureError, match=r"no measure 'logcs'\. Did you mean 'logsc'\? There are: context_vector"
    ):
        om.distance(small, "ache", "pain", measure="logcs")
    with pytest.raises(errors.OptionError, match=r"'logsc' has no option 'depth'\. It takes none"):
        om.distance(small, "ache", "pain", depth="edges")
    with pytest.raises(
        errors.OptionError, match=r"'lin' has no option 'icc'\. Did you mean 'ic'\? It takes: ic, counts"
    ):
        om.distance(small, "ache", "pain", measure="lin", icc="sanchez")
    with pytest.raises(errors.OptionError, match=r"depth='leaves' .* must be one of 'nodes', 'edges'"):
        om.distance(small, "ache", "pain", measure="wu_palmer", depth="leaves")
    with pytest.raises(errors.OptionError, match="scope"):
        om.distance(small, "ache", "pain", scope="all")  # type: ignore[arg-type]
    with pytest.raises(errors.OptionError, match="float64 or float32"):
        om.distance_matrix(small, ["ache"], dtype=int)
    with pytest.raises(errors.OptionError, match="workers"):
        om.distance_matrix(small, ["ache"], workers=0)
    with pytest.raises(errors.OptionError, match="three numbers"):
        om.distance(small, "ache", "pain", measure="rodriguez", weights=(1, 2))
    with pytest.raises(errors.OptionError, match="whole number >= 1"):
        om.distance(small, "ache", "pain", measure="rodriguez", radius=0)
    with pytest.raises(errors.OptionError, match="counts are given with ic='intrinsic'"):
        om.distance(small, "ache", "pain", measure="lin", counts={"ache": 1})
    with pytest.raises(errors.OptionError, match="the count -1 of 'ache'"):
        om.distance(small, "ache", "pain", measure="lin", ic="corpus", counts={"ache": -1})
    with pytest.raises(errors.MeasureError, match="no similarity of its own"):
        om.similarity(small, "ache", "pain", measure="path")


def test_context_vectors(small: om.Taxonomy, tmp_path: Path) -> None:
    vectors = {"ache": [1.0, 0.0], "pain": [0.0, 2.0], "lumbago": [0.0, 0.0], "unknown": [1.0, 1.0]}
    assert om.distance(small, "ache", "pain", "context_vector", vectors=vectors | {"lumbago": [1, 1]}) == 1.0
    tiny_and_huge = {"ache": [1e-200, 0], "pain": [1e200, 1e200]}
    assert om.distance(small, "ache", "pain", "context_vector", vectors=tiny_and_huge) == pytest.approx(1 - 0.5**0.5)
    for bad, expected in [
        (None, "needs vectors="),
        (vectors | {"pain": [0.0, 0.0]}, "'pain' has no direction"),
        ({"ache": [], "pain": []}, "not rows of numbers of one length"),
        ((5, [[1.0]]), "not rows of numbers of one length"),
        ({"ache": [1, 0]}, "1 of the concepts asked for have no vector: 'pain'"),
        ({"ache": [1, 0], "pain": [1]}, "not rows of numbers of one length"),
        (tmp_path / "none.npz", "no such file of vectors"),
        (write(tmp_path, "junk", "v.npz"), "cannot be read"),
        (write(tmp_path, "junk", "v.xlsx"), "'.xlsx' file are not known"),
    ]:
        with pytest.raises(errors.MeasureError, match=expected) as caught:
            om.distance(small, "ache", "pain", "context_vector", vectors=bad)
        message(caught)


def test_catalog() -> None:
    with pytest.raises(errors.OptionError, match=r"no taxonomy 'icd9' .*Did you mean 'icd9cm'"):
        om.load_taxonomy("icd9")
    with pytest.raises(errors.OptionError, match="takes no folder"):
        om.load_taxonomy("icd9cm", folder=".")


def test_errors_can_cross_processes() -> None:
    with pytest.raises(errors.CycleError) as caught:
        om.Taxonomy.from_edges([("a", "b"), ("b", "a")])
    copy = pickle.loads(pickle.dumps(caught.value))
    assert isinstance(copy, errors.CycleError)
    assert str(copy) == str(caught.value)
    assert copy.cycle == caught.value.cycle
