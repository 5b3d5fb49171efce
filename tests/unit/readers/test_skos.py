"""SKOS: concepts, links in either direction, names in several languages, schemes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import ontomask as om
from ontomask.errors import CycleError, OptionError, SelfLinkError, TaxonomyFileError
from ontomask.files.source import Source
from ontomask.taxonomy.readers.rdf import is_skos

pytest.importorskip("pyoxigraph", reason="the extra 'rdf' is not installed")

PREFIXES = """\
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix dct: <http://purl.org/dc/terms/> .
@prefix ex: <http://example.org/thes/> .
"""
FOOD = (
    "ex:food a skos:Concept ; skos:narrower ex:fruit . "
    "ex:fruit a skos:Concept ; skos:broader ex:food . "
    "ex:apple a skos:Concept ; skos:broader ex:fruit ; skos:broaderTransitive ex:food ; skos:related ex:pear . "
    "ex:pear a skos:Concept . ex:fruit skos:narrower ex:pear . "
)
SCHEMES = (
    FOOD
    + 'ex:s1 a skos:ConceptScheme ; dct:title "Dishes"@en ; skos:hasTopConcept ex:food . '
    + 'ex:s2 a skos:ConceptScheme ; skos:prefLabel "Plants"@en . '
    + "ex:fruit skos:inScheme ex:s1, ex:s2 . ex:apple skos:inScheme ex:s1, ex:s2 . ex:pear skos:topConceptOf ex:s2 . "
)


def read(folder: Path, body: str, file: str = "t.ttl", **options: Any) -> om.Taxonomy:
    path = folder / file
    path.write_text(PREFIXES + body, encoding="utf-8")
    return om.read_taxonomy(path, **options)


def refused(folder: Path, body: str, **options: Any) -> str:
    with pytest.raises(TaxonomyFileError) as caught:
        read(folder, body, **options)
    assert str(folder) in str(caught.value)
    assert caught.value.remedy
    return str(caught.value)


@pytest.mark.parametrize("file", ["t.ttl", "t.skos"])
def test_links_in_both_directions(tmp_path: Path, file: str) -> None:
    t = read(tmp_path, FOOD, file)
    assert t.concepts == ("food", "fruit", "apple", "pear")
    assert t.children("food") == ["fruit"]
    assert t.children("fruit") == ["apple", "pear"]
    assert t.parents("apple") == ["fruit"]
    assert t.related("apple") == [("related", "pear")]
    assert t.artificial_root is None
    assert (t.name, t.notes) == ("t", ())


def test_rdf_xml_and_n_triples(tmp_path: Path) -> None:
    skos, rdf = "http://www.w3.org/2004/02/skos/core#", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    path = tmp_path / "t.rdf"
    path.write_text(
        f'<?xml version="1.0"?><rdf:RDF xmlns:rdf="{rdf}" xmlns:skos="{skos}">'
        '<skos:Concept rdf:about="http://e.org/a"><skos:prefLabel xml:lang="en">A</skos:prefLabel></skos:Concept>'
        '<skos:Concept rdf:about="http://e.org/b"><skos:broader rdf:resource="http://e.org/a"/></skos:Concept></rdf:RDF>'
    )
    assert om.read_taxonomy(path).parents("b") == ["a"]
    path = tmp_path / "t.nt"
    path.write_text(
        f"<http://e.org/b> <{rdf}type> <{skos}Concept> .\n<http://e.org/b> <{skos}broader> <http://e.org/a> .\n"
    )
    assert om.read_taxonomy(path).parents("b") == ["a"]


def test_undeclared_concepts_are_there_and_noted(tmp_path: Path) -> None:
    t = read(tmp_path, "ex:a a skos:Concept ; skos:broader ex:b .")
    assert t.concepts == ("a", "b")
    assert t.notes == ("1 concepts are linked to but not declared, and taken as they are: http://example.org/thes/b",)


def test_languages(tmp_path: Path) -> None:
    body = (
        'ex:a a skos:Concept ; skos:prefLabel "apple"@en, "Apfel"@de ; skos:altLabel "pome"@en, "Kernobst"@de ; '
        'skos:hiddenLabel "aple"@en ; skos:scopeNote "a note"@en ; skos:definition "a fruit"@en, "ein Obst"@de . '
        'ex:b a skos:Concept ; skos:broader ex:a ; skos:prefLabel "Birne"@de, "plain" ; skos:scopeNote "only a note" . '
        'ex:c a skos:Concept ; skos:broader ex:a ; skos:prefLabel "nur deutsch"@de . '
    )
    t = read(tmp_path, body)
    assert [t.label(c) for c in t] == ["apple", "plain", "nur deutsch"]
    assert t.synonyms("a") == ["pome", "aple"]
    assert [t.definition(c) for c in t] == ["a fruit", "only a note", None]
    assert t.notes == ("1 concepts have labels in other languages only",)
    t = read(tmp_path, body, language="de")
    assert [t.label(c) for c in t] == ["Apfel", "Birne", "nur deutsch"]
    assert t.synonyms("a") == ["Kernobst"]
    assert t.definition("a") == "ein Obst"


class TestCodes:
    def test_notations_where_every_concept_has_its_own(self, tmp_path: Path) -> None:
        t = read(tmp_path, 'ex:a a skos:Concept ; skos:notation "1" . ex:b skos:broader ex:a ; skos:notation "1.1" .')
        assert t.concepts == ("1", "1.1")
        assert t.position("http://example.org/thes/b") == 1

    @pytest.mark.parametrize("notation", ["", 'skos:notation "1"', 'skos:notation "2", "3"', 'skos:notation ""'])
    def test_local_names_otherwise(self, tmp_path: Path, notation: str) -> None:
        t = read(tmp_path, f'ex:a a skos:Concept ; skos:notation "1" . ex:b skos:broader ex:a ; {notation} .')
        assert t.concepts == ("a", "b")

    def test_whole_iris_where_local_names_meet(self, tmp_path: Path) -> None:
        t = read(tmp_path, "ex:a a skos:Concept . <http://other.org/a> skos:broader ex:a . ex:b skos:broader ex:a .")
        assert t.concepts == ("http://example.org/thes/a", "http://other.org/a", "b")
        assert set(t.aliases) == {"http://example.org/thes/b"}


def test_deprecated_concepts_are_left_out(tmp_path: Path) -> None:
    t = read(tmp_path, FOOD + "ex:pear owl:deprecated true . ex:core skos:broader ex:pear, ex:apple .")
    assert "pear" not in t
    assert t.parents("core") == ["apple"]
    assert t.related("apple") == []
    assert t.notes[:2] == ("1 deprecated concepts are left out", "1 links to deprecated concepts are dropped")
    assert "every concept is deprecated" in refused(tmp_path, "ex:a a skos:Concept ; owl:deprecated true .")


class TestSchemes:
    def test_all_are_taken_together_with_a_note(self, tmp_path: Path) -> None:
        t = read(tmp_path, SCHEMES)
        assert len(t) == 4
        assert "2 schemes" in t.notes[0]
        assert "http://example.org/thes/s1 (Dishes)" in t.notes[0]

    @pytest.mark.parametrize("name", ["Plants", "s2", "http://example.org/thes/s2"])
    def test_one(self, tmp_path: Path, name: str) -> None:
        t = read(tmp_path, SCHEMES, scheme=name)
        assert t.concepts == ("fruit", "apple", "pear")
        assert t.notes == ("1 links to concepts outside the scheme are dropped",)

    def test_top_concepts_are_in_their_scheme(self, tmp_path: Path) -> None:
        assert read(tmp_path, SCHEMES, scheme="Dishes").concepts == ("food", "fruit", "apple")

    def test_unknown(self, tmp_path: Path) -> None:
        message = refused(tmp_path, SCHEMES, scheme="Animals")
        assert "no scheme 'Animals'" in message
        assert "s1 (Dishes)" in message
        assert "s2 (Plants)" in message
        assert "the file names none" in refused(tmp_path, FOOD, scheme="Animals")

    def test_ambiguous(self, tmp_path: Path) -> None:
        two = FOOD + 'ex:s1 a skos:ConceptScheme ; dct:title "X" . ex:s2 a skos:ConceptScheme ; dct:title "X" .'
        assert "2 schemes go by 'X'" in refused(tmp_path, two, scheme="X")

    def test_empty(self, tmp_path: Path) -> None:
        assert "no concept is in the scheme" in refused(tmp_path, FOOD + "ex:s a skos:ConceptScheme .", scheme="s")


def test_cycle(tmp_path: Path) -> None:
    with pytest.raises(CycleError, match="a -> b -> a"):
        read(tmp_path, "ex:a a skos:Concept ; skos:broader ex:b . ex:b skos:broader ex:a .")
    with pytest.raises(SelfLinkError):
        read(tmp_path, "ex:a a skos:Concept ; skos:broader ex:a .")


def test_no_concepts(tmp_path: Path) -> None:
    assert "no concepts" in refused(tmp_path, "ex:a dct:title 'x' .", format="skos")
    assert "format='owl'" in refused(tmp_path, "ex:a a owl:Class .", format="skos")


def test_unknown_option(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="language, scheme"):
        read(tmp_path, FOOD, tongue="en")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (FOOD, True),
        ("ex:a skos:prefLabel 'a' ; skos:broader ex:b .", True),
        ("<http://o> a owl:Ontology . ex:a a skos:Concept .", True),
        ("ex:a a owl:Class ; skos:prefLabel 'a' .", False),
        ("skos:prefLabel a owl:AnnotationProperty .", False),
        ("ex:a <http://www.w3.org/2000/01/rdf-schema#subClassOf> ex:b ; skos:prefLabel 'a' .", False),
        ("ex:a dct:title 'a' .", False),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_telling_skos_from_owl(tmp_path: Path, body: str, expected: bool, encoding: str) -> None:
    path = tmp_path / "t.ttl"
    path.write_text(PREFIXES + body, encoding=encoding)
    assert is_skos(Source(path)) is expected
