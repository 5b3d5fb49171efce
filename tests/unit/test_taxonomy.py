"""The taxonomy's own behaviour: queries, order, roots, names, pickling, display."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

import ontomask as om
from ontomask.taxonomy.lexicon import fold

EDGES = [
    ("dog", "canine"), ("dog", "pet"), ("cat", "pet"), ("canine", "animal"), ("pet", "animal"), ("wolf", "canine"),
]  # fmt: skip


@pytest.fixture
def animals() -> om.Taxonomy:
    return om.Taxonomy.from_edges(
        EDGES,
        labels={"dog": "Dog", "cat": "House cat"},
        synonyms={"dog": ["hound", "Canis familiaris"], "cat": ["hound"]},
        definitions={"dog": "a domestic animal that barks"},
        relations={"chases": [("dog", "cat")]},
        name="animals",
    )


def test_queries(animals: om.Taxonomy) -> None:
    assert animals.concepts == ("dog", "canine", "pet", "cat", "animal", "wolf")
    assert list(animals) == list(animals.concepts)
    assert len(animals) == 6
    assert animals.root == "animal"
    assert animals.artificial_root is None
    assert animals.parents("dog") == ["canine", "pet"]
    assert animals.children("pet") == ["dog", "cat"]
    assert animals.ancestors("dog") == ["canine", "pet", "animal"]
    assert animals.subsumers("dog") == ["dog", "canine", "pet", "animal"]
    assert animals.descendants("animal") == ["canine", "pet", "dog", "cat", "wolf"]
    assert animals.ancestors("animal") == []
    assert (animals.depth("animal"), animals.depth("dog"), animals.height("animal"), animals.height("dog")) == (
        1,
        3,
        3,
        1,
    )
    assert animals.is_leaf("wolf")
    assert animals.lcs(["dog", "wolf"]) == "canine"
    assert animals.lcs(["dog"]) == "dog"
    assert animals.lcs(["dog", "canine"]) == "canine"
    assert animals.lcs(["dog", "wolf", "cat"]) == "animal"
    assert animals.label("cat") == "House cat"
    assert animals.label("wolf") == "wolf"
    assert animals.synonyms("dog") == ["hound", "Canis familiaris"]
    assert animals.definition("dog") == "a domestic animal that barks"
    assert animals.definition("cat") is None
    assert animals.related("dog") == [("chases", "cat")]
    assert animals.related("dog", "part of") == []
    assert "dog" in animals
    assert "DOG" in animals  # case of a code does not count
    assert "fish" not in animals


def test_depth_is_the_longest_path() -> None:
    t = om.Taxonomy.from_edges([("x", "root"), ("x", "c"), ("c", "b"), ("b", "root")])
    assert t.depth("x") == 4
    # Nothing but the concept itself is its own least common subsumer, whatever its shortest way up.
    assert t.lcs(["x", "x"]) == "x"


def test_ties_of_the_lcs_go_to_fewer_links_then_to_the_order() -> None:
    t = om.Taxonomy.from_edges(
        [("p", "r"), ("q", "r"), ("m", "q"), ("a", "p"), ("b", "p"), ("a", "m"), ("b", "q"), ("n", "p"), ("c", "n")]
    )
    assert t.lcs(["a", "b"]) == "p"  # p and q are as deep; a-m-q is longer
    t = om.Taxonomy.from_edges([("q", "r"), ("p", "r"), ("a", "p"), ("a", "q"), ("b", "p"), ("b", "q")])
    assert t.lcs(["a", "b"]) == "q"  # first in the taxonomy


def test_several_roots_are_joined() -> None:
    t = om.Taxonomy.from_edges([("a", "x"), ("b", "y"), ("(root)", "y")])
    assert t.artificial_root == t.root == "((root))"
    assert t.children(t.root) == ["x", "y"]
    assert "2 roots ('x', 'y') are joined" in t.notes[0]
    assert "artificial" in str(t)


def test_one_concept() -> None:
    t = om.Taxonomy.from_edges([("alone", None)])
    assert (len(t), t.root, t.depth("alone")) == (1, "alone", 1)
    for measure in om.list_measures():
        if measure != "context_vector":
            assert om.distance(t, "alone", "alone", measure) == 0


def test_arrays_are_what_they_say(animals: om.Taxonomy) -> None:
    dag = animals.dag
    rank = {int(c): i for i, c in enumerate(dag.order)}
    for child in range(len(dag)):
        assert all(rank[int(p)] < rank[child] for p in dag.parents.row(child))
        assert dag.descendant_counts[child] == len(animals.descendants(animals.concepts[child]))
        assert dag.subsumer_counts[child] == len(animals.subsumers(animals.concepts[child]))
    assert dag.leaf_counts[dag.root] == 3


def test_subtree_and_attribute_taxonomy(animals: om.Taxonomy) -> None:
    pets = animals.subtree("pet")
    assert pets.concepts == ("dog", "pet", "cat")
    assert pets.parents("dog") == ["pet"]  # the canine side is cut
    assert pets.related("dog") == [("chases", "cat")]
    assert pets.label("cat") == "House cat"
    assert animals.attribute_taxonomy(["dog", "wolf"]).root == "canine"
    assert animals.minimum_hierarchy(["dog", "wolf"]) == ["dog", "canine", "wolf"]


def test_search(animals: om.Taxonomy) -> None:
    assert animals.search("hound") == ["dog", "cat"]
    assert animals.search("CAT") == ["cat"]
    assert animals.search("an") == ["animal", "canine", "dog"]  # a beginning first, then shorter terms
    assert animals.search("an", limit=1) == ["animal"]
    assert animals.search("  ") == []


def test_equality_hash_and_pickle(animals: om.Taxonomy) -> None:
    copy = pickle.loads(pickle.dumps(animals))
    assert copy == animals
    assert hash(copy) == hash(animals)
    assert copy.search("hound") == ["dog", "cat"]
    assert animals != om.Taxonomy.from_edges(EDGES)
    assert animals != "animals"


def test_it_does_not_change(animals: om.Taxonomy) -> None:
    with pytest.raises(TypeError):
        animals.relations["eats"] = None  # type: ignore[index]
    with pytest.raises(AttributeError):
        animals.name = "other"  # type: ignore[misc]
    dag = animals.dag
    for array in (dag.depth, dag.order, dag.height, dag.leaves, dag.descendant_counts, dag.leaf_counts,
                  dag.subsumer_counts, dag.parents.start, animals.relations["chases"].index):  # fmt: skip
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7


def test_display(animals: om.Taxonomy) -> None:
    assert animals.tree("pet", depth=1) == "pet\n├── dog  Dog\n└── cat  House cat"
    assert animals.tree(depth=1, width=1) == "animal\n├── canine  (+2)\n└── ... 1 more"
    assert animals.path("cat") == "animal\n  pet\n    cat  House cat"
    assert repr(animals) == "<Taxonomy 'animals': 6 concepts, root 'animal'>"
    card = animals._repr_html_()
    assert "<details open>" in card
    assert "House cat" in card
    assert "<script" not in om.Taxonomy.from_edges([("<script>", "x")])._repr_html_()


def test_round_trip(animals: om.Taxonomy, tmp_path: Path) -> None:
    path = om.write_taxonomy(animals, tmp_path / "animals.csv")
    back = om.read_taxonomy(path)
    assert back.fingerprint == animals.fingerprint
    assert back.synonyms("dog") == animals.synonyms("dog")
    with pytest.raises(om.errors.TaxonomyFileError, match="the file exists"):
        om.write_taxonomy(animals, path)
    om.write_taxonomy(animals, path, overwrite=True)
    joined = om.Taxonomy.from_edges([("a|b", "x"), ("c", "y")], synonyms={"a|b": ["one|two", "three"]})
    odd = om.Taxonomy.from_edges([("a", "r")], labels={"a": " two\r\nlines "}, synonyms={"a": ["x\\", "y", "p|q"]})
    read = om.read_taxonomy(om.write_taxonomy(odd, tmp_path / "odd.csv"))
    assert (read.label("a"), read.synonyms("a")) == ("two lines", ["x\\", "y", "p|q"])
    again = om.read_taxonomy(om.write_taxonomy(joined, tmp_path / "joined.csv.gz"))
    assert again.synonyms("a|b") == ["one|two", "three"]
    assert (again.root, again.artificial_root, set(again.concepts)) == (joined.root, joined.root, set(joined.concepts))
    with pytest.raises(om.errors.TaxonomyFileError, match="cannot be written"):
        om.write_taxonomy(animals, tmp_path / "no" / "such" / "folder.csv")


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Ménière's_disease", "meniere s disease"),
        ("  A--B ", "a b"),
        ("Straße", "strasse"),
        ("_", ""),
        ("ﬁbre", "fibre"),
    ],
)
def test_fold(text: str, folded: str) -> None:
    assert fold(text) == folded


def test_joining() -> None:
    a = om.Taxonomy.from_edges([("flu", "infection"), ("infection", "disease")], name="A")
    b = om.Taxonomy.from_edges(
        [("bird flu", "influenza"), ("influenza", "illness")], synonyms={"influenza": ["grippe"]}
    )
    bridged = om.join_taxonomies([a, b], [("flu", "influenza"), ("disease", "illness")])
    assert bridged.artificial_root is None
    assert om.distance(bridged, "infection", "bird flu", "path") == 2
    assert bridged.depth("influenza") == 3  # its code still works
    assert bridged.synonyms("flu") == ["influenza", "grippe"]
    apart = om.join_taxonomies([a, b])
    assert om.distance(apart, "flu", "bird flu", "path") == 6  # under the joint root
    with pytest.raises(om.errors.TaxonomyError, match="is in two of the taxonomies"):
        om.join_taxonomies([a, a])
    twice = om.join_taxonomies([a, a], prefixes=["x:", "y:"], bridge=[("x:flu", "y:flu")])
    assert twice.parents("x:flu") == ["x:infection", "y:infection"]
    for wrong, expected in [
        ([("flu", "nothing")], "in none of the taxonomies"),
        ([("flu", "disease")], "of one taxonomy"),
        ([("flu", "influenza"), ("infection", "influenza")], "of one taxonomy"),
        (["flu"], "not a pair of concepts"),
    ]:
        with pytest.raises(om.errors.TaxonomyError, match=expected):
            om.join_taxonomies([a, b], wrong)
    with pytest.raises(om.errors.CycleError):
        om.join_taxonomies([a, b], [("flu", "illness"), ("disease", "bird flu")])
    c = om.Taxonomy.from_edges([("swine flu", "grippe"), ("grippe", "all")])
    for chain in ([("influenza", "grippe"), ("flu", "influenza")], [("flu", "influenza"), ("influenza", "grippe")]):
        three = om.join_taxonomies([a, b, c], chain)
        assert three.label("grippe") == "flu"  # whatever the order of the pairs
        assert set(three.children("flu")) == {"bird flu", "swine flu"}
    with pytest.raises(om.errors.TaxonomyError, match="fewer than two"):
        om.join_taxonomies([a])
    with pytest.raises(om.errors.TaxonomyError, match="1 prefixes for 2"):
        om.join_taxonomies([a, b], prefixes=["x"])
