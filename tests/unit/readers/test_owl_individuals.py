"""Individuals are concepts below their class; what has no place is counted and said."""

from __future__ import annotations

from pathlib import Path

import pytest

import ontomask as om
from ontomask.errors import CycleError, TaxonomyFileError

pytest.importorskip("pyoxigraph", reason="the extra 'rdf' is not installed")

PREFIXES = """\
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix ex: <http://example.org/jobs#> .
"""
JOBS = """\
ex:job a owl:Class ; rdfs:label "Job"@en .
ex:care a owl:Class ; rdfs:subClassOf ex:job .
ex:nurse a owl:NamedIndividual, ex:care ; rdfs:label "Nurse"@en, "Enfermera"@es ; skos:altLabel "hospital nurse" .
ex:midwife a ex:care .
ex:pilot a owl:NamedIndividual , ex:job .
"""
XML = """<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#"
  xmlns:owl="http://www.w3.org/2002/07/owl#" xmlns:ex="http://example.org/jobs#">
<owl:Class rdf:about="http://example.org/jobs#job"/>
<owl:Class rdf:about="http://example.org/jobs#care"><rdfs:subClassOf rdf:resource="http://example.org/jobs#job"/></owl:Class>
<owl:NamedIndividual rdf:about="http://example.org/jobs#nurse">
  <rdf:type rdf:resource="http://example.org/jobs#care"/><rdfs:label>Nurse</rdfs:label>
</owl:NamedIndividual>
<ex:care rdf:about="http://example.org/jobs#midwife"/>
<owl:NamedIndividual rdf:about="http://example.org/jobs#pilot"><rdf:type rdf:resource="http://example.org/jobs#job"/>
</owl:NamedIndividual>
</rdf:RDF>
"""


def ttl(folder: Path, body: str) -> om.Taxonomy:
    path = folder / "jobs.ttl"
    path.write_text(PREFIXES + body, encoding="utf-8")
    return om.read_taxonomy(path)


def parents(t: om.Taxonomy) -> dict[str, list[str]]:
    return {c: sorted(t.parents(c)) for c in t.concepts}


def test_individuals_are_below_their_class(tmp_path: Path) -> None:
    """Once it was: they were dropped, and no value of such an ontology was placed."""
    t = ttl(tmp_path, JOBS)
    assert parents(t) == {"job": [], "care": ["job"], "nurse": ["care"], "midwife": ["care"], "pilot": ["job"]}
    assert t.label("nurse") == "Nurse"
    assert om.match(["Nurse", "hospital nurse", "pilot"], t).concepts == {
        "Nurse": "nurse",
        "hospital nurse": "nurse",
        "pilot": "pilot",
    }
    assert t.notes == ("3 individuals are concepts too, below their class",)
    assert om.distance(t, "nurse", "midwife") < om.distance(t, "nurse", "pilot")


def test_rdf_xml(tmp_path: Path) -> None:
    path = tmp_path / "jobs.owl"
    path.write_text(XML, encoding="utf-8")
    t = om.read_taxonomy(path)
    assert parents(t) == parents(ttl(tmp_path, JOBS))
    assert t.notes == ("3 individuals are concepts too, below their class",)


def test_n_triples(tmp_path: Path) -> None:
    kind = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
    path = tmp_path / "jobs.nt"
    path.write_text(
        f"<http://e.org/nurse> {kind} <http://e.org/care> .\n"  # before its class is known
        f"<http://e.org/care> {kind} <http://www.w3.org/2002/07/owl#Class> .\n"
    )
    assert parents(om.read_taxonomy(path)) == {"care": [], "nurse": ["care"]}


def test_files_without_individuals_are_as_before(tmp_path: Path) -> None:
    t = ttl(tmp_path, "ex:job a owl:Class . ex:p a owl:ObjectProperty . ex:care a owl:Class ; rdfs:subClassOf ex:job .")
    assert (t.concepts, t.notes) == (("job", "care"), ())


def test_several_classes_and_expressions(tmp_path: Path) -> None:
    t = ttl(
        tmp_path,
        "ex:a a owl:Class . ex:b a owl:Class . ex:p a owl:ObjectProperty . ex:x a ex:a, ex:b .\n"
        "ex:y a [ a owl:Class ; owl:intersectionOf ( ex:a [ owl:onProperty ex:p ; owl:someValuesFrom ex:b ] ) ] .",
    )
    assert (sorted(t.parents("x")), t.parents("y")) == (["a", "b"], ["a"])
    assert t.parents("a") == t.parents("b") == [t.root]


def test_broader_individuals(tmp_path: Path) -> None:
    """The class is above the broadest one only; elsewhere it would be a shortcut."""
    t = ttl(
        tmp_path,
        "ex:job a owl:Class . ex:risk a owl:Class ; rdfs:subClassOf ex:job .\n"
        "ex:health a ex:job ; skos:narrower ex:nurse .\n"
        "ex:nurse a owl:NamedIndividual, ex:job .\n"
        "ex:midwife a ex:job, ex:risk ; skos:broader ex:nurse .\n"
        "ex:helper a owl:NamedIndividual ; skos:broader ex:nurse .\n",
    )
    assert parents(t) == {
        "job": [],
        "risk": ["job"],
        "health": ["job"],
        "nurse": ["health"],
        "midwife": ["nurse", "risk"],
        "helper": ["nurse"],
    }


def test_circles_of_individuals_are_errors(tmp_path: Path) -> None:
    with pytest.raises(CycleError, match="nurse"):
        ttl(
            tmp_path,
            "ex:job a owl:Class . ex:nurse a ex:job ; skos:broader ex:pilot . ex:pilot a ex:job ; skos:broader ex:nurse .",
        )


def test_punning(tmp_path: Path) -> None:
    """A class that is an individual too keeps its superclass; only without one is its class above it."""
    t = ttl(
        tmp_path,
        "ex:rank a owl:Class . ex:bird a owl:Class .\n"
        "ex:eagle a owl:Class, owl:NamedIndividual, ex:rank ; rdfs:subClassOf ex:bird .\n"
        "ex:order a owl:Class, owl:NamedIndividual, ex:rank .\n",
    )
    assert sorted(t.parents("eagle")) == ["bird"]
    assert t.parents("order") == ["rank"]
    assert "2 individuals are classes as well, with the superclasses of the class" in t.notes


def test_punning_makes_no_circle(tmp_path: Path) -> None:
    t = ttl(
        tmp_path,
        "ex:a a owl:Class, ex:b . ex:b a owl:Class ; rdfs:subClassOf ex:a .\n"
        "ex:c a owl:Class, ex:d . ex:d a owl:Class, ex:c . ex:e a owl:Class, ex:e .",
    )
    assert t.parents("b") == ["a"]
    assert t.parents("c") == ["d"]
    assert "c" not in t.ancestors("d")


def test_what_is_left_out_is_said(tmp_path: Path) -> None:
    t = ttl(
        tmp_path,
        "@prefix foaf: <http://xmlns.com/foaf/0.1/> .\n"
        "ex:job a owl:Class . ex:nurse a ex:job .\n"
        "ex:ann a owl:NamedIndividual, foaf:Agent . ex:bea a foaf:Agent . ex:lone a owl:NamedIndividual, owl:Thing .\n"
        "ex:old a ex:job ; owl:deprecated true . [] a ex:job .\n"
        "ex:nurse skos:broader ex:unknown .\n"
        "ex:p a owl:ObjectProperty, ex:job . <http://example.org/> a owl:Ontology .\n",
    )
    assert t.concepts == ("job", "nurse")
    assert t.notes == (
        "1 individual is a concept too, below its class",
        "1 deprecated individual is left out",
        "2 individuals are left out: not of a class of the file (rdf:type: Agent)",
        "1 individual is left out: without a class and a broader individual",
        "1 individual without a name is left out",
        "1 broader link of individuals to concepts not in the file is not used",
    )


def test_individuals_without_any_class(tmp_path: Path) -> None:
    with pytest.raises(TaxonomyFileError, match="no classes .* but individuals"):
        ttl(tmp_path, "ex:nurse a owl:NamedIndividual .")


def test_skos_says_what_it_leaves_out(tmp_path: Path) -> None:
    path = tmp_path / "jobs.ttl"
    path.write_text(
        PREFIXES
        + "ex:job a skos:Concept . ex:nurse a skos:Concept ; skos:broader ex:job . [] a skos:Concept .\n"
        + "ex:shown a skos:Collection ; skos:member ex:nurse . ex:kind a owl:Class .\n"
    )
    t = om.read_taxonomy(path, format="skos")
    assert t.concepts == ("job", "nurse")
    assert t.notes == (
        "1 collection is left out: only concepts are read, and the links between them",
        "1 class is left out: format='owl' reads classes",
        "1 concept without a name is left out: a blank node has no code",
    )


def test_obo_says_what_it_leaves_out(tmp_path: Path) -> None:
    path = tmp_path / "jobs.obo"
    path.write_text(
        "format-version: 1.2\n\n[Term]\nid: J:1\nname: job\n\n[Instance]\nid: J:2\ninstance_of: J:1\n\n"
        "[Instance]\nid: J:3\ninstance_of: J:1\n"
    )
    t = om.read_taxonomy(path)
    assert t.concepts == ("J:1",)
    assert t.notes == ("2 stanzas [Instance] are left out: only terms are concepts",)
