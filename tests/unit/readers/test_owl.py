"""OWL in RDF: what counts as a concept, a link, a name; and everything that must be refused."""

from __future__ import annotations

import gzip
import random
import sys
from html import escape
from pathlib import Path
from typing import Any

import pytest

import ontomask as om
from ontomask.errors import CycleError, MissingExtraError, TaxonomyFileError
from ontomask.taxonomy.readers import rdf

pytest.importorskip("pyoxigraph", reason="the extra 'rdf' is not installed")

NAMESPACES = (
    'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#" '
    'xmlns:owl="http://www.w3.org/2002/07/owl#" xmlns:obo="http://purl.obolibrary.org/obo/" '
    'xmlns:oio="http://www.geneontology.org/formats/oboInOwl#" xmlns:skos="http://www.w3.org/2004/02/skos/core#"'
)
PREFIXES = """\
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix obo: <http://purl.obolibrary.org/obo/> .
@prefix oio: <http://www.geneontology.org/formats/oboInOwl#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix ex: <http://example.org/onto#> .
"""
HP = "http://purl.obolibrary.org/obo/HP_"
PAIN = """\
<owl:Class rdf:about="http://example.org/onto#pain"><rdfs:label>Pain</rdfs:label></owl:Class>
<owl:Class rdf:about="http://example.org/onto#ache"><rdfs:subClassOf rdf:resource="http://example.org/onto#pain"/></owl:Class>
<owl:Class rdf:about="http://example.org/onto#colic"><rdfs:subClassOf rdf:resource="http://example.org/onto#pain"/></owl:Class>
"""


def xml(body: str, before: str = '<?xml version="1.0"?>\n') -> str:
    return f"{before}<rdf:RDF {NAMESPACES}>\n{body}</rdf:RDF>\n"


def read(folder: Path, content: str | bytes, file: str = "t.owl", **options: Any) -> om.Taxonomy:
    path = folder / file
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return om.read_taxonomy(path, **options)


def ttl(folder: Path, body: str, **options: Any) -> om.Taxonomy:
    return read(folder, PREFIXES + body, "t.ttl", **options)


def refused(folder: Path, content: str | bytes, file: str = "t.owl", **options: Any) -> str:
    with pytest.raises(TaxonomyFileError) as caught:
        read(folder, content, file, **options)
    assert str(folder / file) in str(caught.value)
    assert caught.value.remedy
    return str(caught.value)


class TestSyntaxes:
    def test_rdf_xml(self, tmp_path: Path) -> None:
        t = read(tmp_path, xml(PAIN))
        assert t.concepts == ("pain", "ache", "colic")
        assert t.root == "pain"
        assert t.label("pain") == "Pain"
        assert t.parents("ache") == ["pain"]
        assert (t.name, t.source, t.notes) == ("t", "t.owl", ())

    @pytest.mark.parametrize("file", ["t.ttl", "t.owl", "t.rdf"])
    def test_turtle_whatever_the_suffix(self, tmp_path: Path, file: str) -> None:
        body = "# a comment\n\n" + PREFIXES + "ex:pain a owl:Class . ex:ache a owl:Class ; rdfs:subClassOf ex:pain ."
        assert read(tmp_path, body, file).parents("ache") == ["pain"]

    def test_sparql_style_prefixes(self, tmp_path: Path) -> None:
        body = (
            "PREFIX o: <http://www.w3.org/2002/07/owl#>\nprefix : <http://e.org/>\n"
            ":b a o:Class ; <http://www.w3.org/2000/01/rdf-schema#subClassOf> :a ."
        )
        assert read(tmp_path, body, "t.ttl").parents("b") == ["a"]

    def test_n_triples(self, tmp_path: Path) -> None:
        sub = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"
        t = read(
            tmp_path, f"<http://e.org/b> {sub} <http://e.org/a> .\n<http://e.org/c> {sub} <http://e.org/a> .\n", "t.nt"
        )
        assert t.concepts == ("b", "a", "c")

    def test_rdf_xml_under_a_wrong_suffix(self, tmp_path: Path) -> None:
        assert read(tmp_path, xml(PAIN), "t.nt").root == "pain"

    def test_gzip(self, tmp_path: Path) -> None:
        t = read(tmp_path, gzip.compress(xml(PAIN).encode()), "pain.owl.gz")
        assert (t.name, t.root) == ("pain", "pain")

    def test_without_declaration_and_with_comments(self, tmp_path: Path) -> None:
        assert len(read(tmp_path, "\n<!-- <!DOCTYPE not one --> " + xml(PAIN, before="") + "<!-- end -->\n")) == 3

    def test_byte_order_mark(self, tmp_path: Path) -> None:
        assert len(read(tmp_path, b"\xef\xbb\xbf" + xml(PAIN).encode())) == 3
        assert len(read(tmp_path, b"\xef\xbb\xbf" + (PREFIXES + "ex:a a owl:Class .").encode(), "t.ttl")) == 1

    @pytest.mark.parametrize(("declared", "codec"), [("ISO-8859-1", "latin-1"), ("UTF-16", "utf-16")])
    def test_declared_encodings(self, tmp_path: Path, declared: str, codec: str) -> None:
        body = PAIN.replace(">Pain<", ">Schmerz, heftig: gro\xdf<")
        t = read(tmp_path, xml(body, before=f'<?xml version="1.0" encoding="{declared}"?>').encode(codec))
        assert t.label("pain") == "Schmerz, heftig: gro\xdf"

    def test_encoding_option(self, tmp_path: Path) -> None:
        content = (PREFIXES + 'ex:a a owl:Class ; rdfs:label "gro\xdf" .').encode("latin-1")
        assert read(tmp_path, content, "t.ttl", encoding="latin-1").label("a") == "gro\xdf"
        assert "encoding=" in refused(tmp_path, content, "t.ttl")

    def test_relative_iris_need_no_base(self, tmp_path: Path) -> None:
        t = read(tmp_path, xml('<owl:Class rdf:ID="b"><rdfs:subClassOf rdf:resource="#a"/></owl:Class>'))
        assert t.parents("b") == ["a"]

    def test_a_bad_iri_does_no_harm(self, tmp_path: Path) -> None:
        body = '<owl:Class rdf:about="http://e.org/a"><rdfs:seeAlso rdf:resource="http://e.org/no good"/></owl:Class>'
        assert read(tmp_path, xml(body)).concepts == ("a",)

    def test_format_by_name(self, tmp_path: Path) -> None:
        assert read(tmp_path, xml(PAIN), "t.dat", format="owl").root == "pain"

    def test_the_extra_is_named_when_missing(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "pyoxigraph", None)
        with pytest.raises(MissingExtraError, match=r"pip install 'ontomask\[rdf\]'"):
            read(tmp_path, xml(PAIN))


class TestConceptsAndLinks:
    def test_order_is_that_of_declaration(self, tmp_path: Path) -> None:
        t = ttl(tmp_path, "ex:c a owl:Class ; rdfs:subClassOf ex:a . ex:a a owl:Class . ex:b a owl:Class .")
        assert t.concepts[:3] == ("c", "a", "b")

    def test_several_parents(self, tmp_path: Path) -> None:
        t = ttl(tmp_path, "ex:r a owl:Class . ex:a rdfs:subClassOf ex:r . ex:b rdfs:subClassOf ex:r, ex:a, ex:r .")
        assert t.parents("b") == ["r", "a"]

    def test_thing_is_no_parent(self, tmp_path: Path) -> None:
        t = ttl(
            tmp_path,
            "owl:Thing a owl:Class . ex:a a owl:Class ; rdfs:subClassOf owl:Thing . ex:b rdfs:subClassOf ex:a .",
        )
        assert t.concepts == ("a", "b")
        assert t.artificial_root is None

    def test_undeclared_classes_are_there_and_noted(self, tmp_path: Path) -> None:
        t = ttl(tmp_path, "ex:a a owl:Class ; rdfs:subClassOf ex:far .")
        assert t.concepts == ("a", "far")
        assert t.notes == (
            "1 classes are linked to but not declared, and taken as they are: http://example.org/onto#far",
        )

    def test_blank_classes_are_no_concepts(self, tmp_path: Path) -> None:
        t = ttl(tmp_path, "ex:a a owl:Class . [] a owl:Class ; rdfs:subClassOf ex:a .")
        assert t.concepts == ("a",)

    def test_restriction_is_a_relation(self, tmp_path: Path) -> None:
        t = ttl(
            tmp_path,
            "ex:heart a owl:Class . ex:valve a owl:Class ; rdfs:subClassOf "
            "[a owl:Restriction ; owl:onProperty ex:partOf ; owl:someValuesFrom ex:heart] ,"
            "[a owl:Restriction ; owl:onProperty ex:near ; owl:someValuesFrom ex:heart] ,"
            "[a owl:Restriction ; owl:onProperty ex:near ; owl:allValuesFrom ex:heart] ,"
            "[a owl:Restriction ; owl:onProperty ex:near ; owl:someValuesFrom [a owl:Restriction]] ,"
            "[a owl:Restriction ; owl:onProperty [owl:inverseOf ex:near] ; owl:someValuesFrom ex:heart] ."
            'ex:partOf a owl:ObjectProperty ; rdfs:label "part of"@en, "Teil von"@de .',
        )
        assert t.related("valve") == [("part of", "heart"), ("near", "heart")]
        assert t.parents("valve") == [t.artificial_root]

    def test_relations_to_undeclared_classes_are_left_out_with_a_note(self, tmp_path: Path) -> None:
        t = ttl(tmp_path, "ex:a a owl:Class ; rdfs:subClassOf [owl:onProperty ex:p ; owl:someValuesFrom ex:far] .")
        assert t.concepts == ("a",)
        assert t.notes == ("1 relations to classes that are not declared in the file are left out",)

    DEFINED = (
        "ex:disease a owl:Class . ex:lung a owl:Class . ex:inflammation a owl:Class ; rdfs:subClassOf ex:disease . "
        "ex:pneumonia a owl:Class ; owl:equivalentClass "
        "[owl:intersectionOf (ex:inflammation [owl:onProperty ex:site ; owl:someValuesFrom ex:lung])] . "
    )

    def test_definition_gives_parents_where_none_is_asserted(self, tmp_path: Path) -> None:
        t = ttl(tmp_path, self.DEFINED)
        assert t.parents("pneumonia") == ["inflammation"]
        assert t.related("pneumonia") == [("site", "lung")]

    def test_definition_gives_no_parents_beside_asserted_ones(self, tmp_path: Path) -> None:
        t = ttl(tmp_path, self.DEFINED + "ex:pneumonia rdfs:subClassOf ex:disease .")
        assert t.parents("pneumonia") == ["disease"]
        assert t.related("pneumonia") == [("site", "lung")]

    def test_superclass_that_is_an_intersection(self, tmp_path: Path) -> None:
        t = ttl(
            tmp_path,
            "ex:r a owl:Class . ex:a rdfs:subClassOf ex:r . ex:b rdfs:subClassOf ex:r . ex:c rdfs:subClassOf "
            "[owl:intersectionOf (ex:b [owl:intersectionOf (ex:a)] [owl:onProperty ex:p ; owl:someValuesFrom ex:r])] .",
        )
        assert t.parents("c") == ["b", "a"]
        assert t.related("c") == [("p", "r")]

    def test_list_that_bites_its_tail(self, tmp_path: Path) -> None:
        t = ttl(
            tmp_path,
            "ex:r a owl:Class . ex:a a owl:Class ; owl:equivalentClass [owl:intersectionOf _:l] . "
            "_:l rdf:first ex:r ; rdf:rest _:l .",
        )
        assert t.parents("a") == ["r"]

    def test_equivalent_named_classes_are_noted_only(self, tmp_path: Path) -> None:
        t = ttl(tmp_path, "ex:a a owl:Class . ex:b a owl:Class ; rdfs:subClassOf ex:a ; owl:equivalentClass ex:a .")
        assert t.parents("b") == ["a"]
        assert t.notes == ("1 statements that two named classes are equivalent are not used",)

    def test_cycle(self, tmp_path: Path) -> None:
        with pytest.raises(CycleError, match="a -> b -> a"):
            ttl(tmp_path, "ex:a rdfs:subClassOf ex:b . ex:b rdfs:subClassOf ex:a .")

    def test_imports_are_noted(self, tmp_path: Path) -> None:
        t = ttl(
            tmp_path, '<http://o> a owl:Ontology ; owl:imports <http://p> ; owl:versionInfo "7" . ex:a a owl:Class .'
        )
        assert t.notes == ("1 other ontologies are imported by name; only this file is read",)
        assert t.source == "t.ttl, version 7"


class TestDeprecated:
    BODY = (
        "obo:HP_1 a owl:Class . obo:HP_2 a owl:Class ; rdfs:subClassOf obo:HP_1 ; oio:hasAlternativeId 'HP:77' . "
        "obo:HP_8 a owl:Class ; owl:deprecated true ; obo:IAO_0100001 obo:HP_2 ; rdfs:subClassOf oio:ObsoleteClass . "
        "obo:HP_9 a owl:Class ; owl:deprecated true ; obo:IAO_0100001 obo:HP_1, obo:HP_2 . "
        "obo:HP_10 a owl:Class ; owl:deprecated 'true' ; obo:IAO_0100001 'HP:2' . "
        "obo:HP_11 a owl:Class ; owl:deprecated false ; rdfs:subClassOf obo:HP_1 . "
    )

    def test_left_out_and_noted(self, tmp_path: Path) -> None:
        t = ttl(tmp_path, self.BODY)
        assert t.concepts == ("HP:1", "HP:2", "HP:11")
        assert t.notes == ("3 deprecated classes are left out",)

    def test_a_single_replacement_is_an_alias(self, tmp_path: Path) -> None:
        t = ttl(tmp_path, self.BODY)
        for gone in ("HP:8", "http://purl.obolibrary.org/obo/HP_8", "HP:10", "HP:77"):
            assert t.concepts[t.position(gone)] == "HP:2", gone
        assert "HP:9" not in t

    def test_links_follow_the_replacement_or_are_dropped(self, tmp_path: Path) -> None:
        t = ttl(
            tmp_path, self.BODY + "obo:HP_20 rdfs:subClassOf obo:HP_8 . obo:HP_21 rdfs:subClassOf obo:HP_9, obo:HP_1 ."
        )
        assert t.parents("HP:20") == ["HP:2"]
        assert t.parents("HP:21") == ["HP:1"]
        assert "1 links to deprecated classes are dropped" in t.notes

    def test_nothing_left(self, tmp_path: Path) -> None:
        message = refused(tmp_path, PREFIXES + "ex:a a owl:Class ; owl:deprecated true .", "t.ttl")
        assert "every class is deprecated" in message


class TestNames:
    def test_languages(self, tmp_path: Path) -> None:
        body = (
            'ex:a a owl:Class ; rdfs:label "Schmerz"@de, "pain"@en, "dolor"@es ; skos:altLabel "Weh"@de, "ache"@en .'
            'ex:b rdfs:subClassOf ex:a ; rdfs:label "Kolik"@de, "plain", "colic"@en-GB .'
            'ex:c rdfs:subClassOf ex:a ; rdfs:label "nur deutsch"@de ; skos:altLabel "auch deutsch"@de, "otro"@es .'
        )
        t = ttl(tmp_path, body)
        assert [t.label(c) for c in t] == ["pain", "colic", "nur deutsch"]
        assert [t.synonyms(c) for c in t] == [["ache"], ["plain"], ["auch deutsch"]]
        assert t.notes[-1] == "1 classes have labels in other languages only"
        t = ttl(tmp_path, body, language="de")
        assert [t.label(c) for c in t] == ["Schmerz", "Kolik", "nur deutsch"]
        assert t.synonyms("a") == ["Weh"]

    def test_sources_of_names(self, tmp_path: Path) -> None:
        t = ttl(
            tmp_path,
            "ex:a a owl:Class ; skos:prefLabel 'pref' ; rdfs:label 'label' ; oio:hasExactSynonym 'exact', 'label' ; "
            "oio:hasRelatedSynonym 'related' ; oio:hasNarrowSynonym 'narrow' ; oio:hasBroadSynonym 'broad' ; "
            "obo:IAO_0000118 'alternative' ; skos:altLabel 'alt' ; rdfs:comment 'c' ; skos:definition 'd' ; "
            "obo:IAO_0000115 'def\n   inition' . "
            "ex:b rdfs:subClassOf ex:a ; skos:prefLabel 'only pref' ; rdfs:comment 'c' ; skos:definition 'd' . "
            "ex:c rdfs:subClassOf ex:a ; rdfs:comment 'c' .".replace("'def\n   inition'", "'''def\n   inition'''"),
        )
        assert t.label("a") == "label"
        assert t.synonyms("a") == ["pref", "exact", "related", "alternative", "alt"]
        assert [t.definition(c) for c in t] == ["def inition", "d", "c"]
        assert [t.label(c) for c in "bc"] == ["only pref", "c"]

    def test_annotations_of_axioms_are_not_names(self, tmp_path: Path) -> None:
        t = ttl(
            tmp_path,
            "ex:a a owl:Class ; rdfs:label 'a label' . [] a owl:Axiom ; owl:annotatedSource ex:a ; "
            "owl:annotatedProperty rdfs:label ; owl:annotatedTarget 'a label' ; rdfs:label 'about it' .",
        )
        assert t.terms(0) == ("a label",)

    def test_codes(self, tmp_path: Path) -> None:
        t = ttl(
            tmp_path,
            "ex:root a owl:Class . obo:HP_0000118 rdfs:subClassOf ex:root . obo:NCIT_C12 rdfs:subClassOf ex:root . "
            "<http://e.org/v/leaf> rdfs:subClassOf ex:root . <http://a.org/same> rdfs:subClassOf ex:root . "
            "<http://b.org/#same> rdfs:subClassOf ex:root . <http://a.org/> rdfs:subClassOf ex:root . "
            "<urn:x:y> rdfs:subClassOf ex:root .",
        )
        assert t.concepts == (
            "root",
            "HP:0000118",
            "NCIT:C12",
            "leaf",
            "http://a.org/same",
            "http://b.org/#same",
            "http://a.org/",
            "urn:x:y",
        )
        assert t.position("http://purl.obolibrary.org/obo/HP_0000118") == 1
        assert t.position("http://e.org/v/leaf") == 3
        assert "http://a.org/same" not in t.aliases


class TestEntities:
    def test_plain_entities_work(self, tmp_path: Path) -> None:
        before = (
            "<?xml version='1.0'?>\n<!DOCTYPE rdf:RDF [\n  <!-- 'quoted' ] in a comment -->\n"
            '  <!ENTITY ex "http://example.org/onto#" >\n  <!ENTITY who \'the "patient"\'>\n  <!ENTITY nbsp "&#160;">\n]>\n'
        )
        body = '<owl:Class rdf:about="&ex;a"><rdfs:label>pain&nbsp;of &who;</rdfs:label></owl:Class>'
        t = read(tmp_path, xml(body, before))
        assert t.concepts == ("a",)
        assert t.label("a") == 'pain of the "patient"'

    @pytest.mark.parametrize(
        "doctype",
        [
            '<!DOCTYPE rdf:RDF SYSTEM "http://evil.example/x.dtd">',
            '<!DOCTYPE rdf:RDF PUBLIC "-//X//Y" "http://evil.example/x.dtd" [<!ENTITY a "b">]>',
            '<!DOCTYPE rdf:RDF [<!ENTITY a SYSTEM "file:///etc/passwd">]>',
            '<!DOCTYPE rdf:RDF [<!ENTITY a PUBLIC "x" "file:///etc/passwd">]>',
            '<!doctype rdf:RDF [<!ENTITY % a SYSTEM "http://evil.example/x"> %a;]>',
        ],
    )
    def test_external_entities_are_refused(self, tmp_path: Path, doctype: str) -> None:
        message = refused(tmp_path, xml(PAIN, '<?xml version="1.0"?>\n' + doctype))
        assert "external" in message
        assert "refused" in message
        assert "line 2" in message

    @pytest.mark.parametrize(
        "entities",
        [
            '<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">',
            "<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>",
            "<!ENTITY a '<!ENTITY b \"x\">'>",
        ],
    )
    def test_nested_entities_are_refused(self, tmp_path: Path, entities: str) -> None:
        assert "made of other entities" in refused(tmp_path, xml(PAIN, f"<!DOCTYPE rdf:RDF [{entities}]>"))

    def test_parameter_entities_are_refused(self, tmp_path: Path) -> None:
        assert "parameter entity" in refused(tmp_path, xml(PAIN, '<!DOCTYPE rdf:RDF [<!ENTITY % a "b">]>'))

    def test_long_entities_are_refused(self, tmp_path: Path) -> None:
        long = "a" * (rdf.LONGEST_ENTITY + 1)
        assert "more than" in refused(tmp_path, xml(PAIN, f'<!DOCTYPE rdf:RDF [<!ENTITY a "{long}">]>'))

    @pytest.mark.parametrize("filler", [" " * 70_000, "<!-- " + "x" * 70_000 + " -->"])
    def test_a_doctype_longer_than_the_head_is_refused(self, tmp_path: Path, filler: str) -> None:
        message = refused(tmp_path, xml(PAIN, f'<!DOCTYPE rdf:RDF [{filler}<!ENTITY a "b">]>'))
        assert "too long" in message

    @pytest.mark.parametrize("far", [0, 3_000_000])
    def test_a_second_doctype_further_down_is_refused(self, tmp_path: Path, far: int) -> None:
        # pyoxigraph would read it and expand it without bound.
        late = '<!DOCTYPE rdf:RDF [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'
        message = refused(tmp_path, xml(PAIN + "<!-- " + "x\n" * (far // 2) + " -->" + late))
        assert "ENTITY is declared outside the head" in message


class TestDamage:
    def test_malformed_xml_with_its_line(self, tmp_path: Path) -> None:
        message = refused(tmp_path, xml(PAIN + '\n<owl:Class rdf:about="http://e.org/x"></owl:Klass>\n'))
        assert "line 7: no valid RDF/XML: mismatched tag" in message

    def test_malformed_rdf_in_well_formed_xml(self, tmp_path: Path) -> None:
        body = '<owl:Class rdf:about="http://e.org/x" rdf:nodeID="y"/>'
        assert "no valid RDF/XML" in refused(tmp_path, xml(body))

    def test_malformed_turtle_with_its_line(self, tmp_path: Path) -> None:
        message = refused(tmp_path, PREFIXES + "ex:a a owl:Class .\nex:b a nope:Class .\n", "t.ttl")
        assert "line 9: no valid Turtle: The prefix nope: has not been declared" in message

    def test_malformed_n_triples_with_its_line(self, tmp_path: Path) -> None:
        assert "line 2" in refused(tmp_path, "<http://a> <http://b> <http://c> .\n<http://a> <http://b> .\n", "t.nt")

    @pytest.mark.parametrize("cut", [len("</rdf:RDF>\n"), 30, 60, 160, 200])
    def test_cut_off_xml(self, tmp_path: Path, cut: int) -> None:
        # pyoxigraph takes most of these for complete files.
        message = refused(tmp_path, xml(PAIN)[:-cut])
        assert "ends before its closing </rdf:RDF>" in message
        assert "line " in message

    def test_cut_off_gzip(self, tmp_path: Path) -> None:
        rng = random.Random(1)
        noise = "".join(f"<!-- {rng.random()} -->\n" for _ in range(20_000))
        packed = gzip.compress(xml(PAIN + noise).encode())
        assert "cut off or damaged" in refused(tmp_path, packed[: len(packed) // 2], "t.owl.gz")
        assert "cut off or damaged" in refused(tmp_path, packed[: len(packed) - 9], "t.owl.gz")

    def test_wrong_encoding(self, tmp_path: Path) -> None:
        content = xml(PAIN.replace("Pain", "gro\xdf")).encode("latin-1")
        assert "line 3" in refused(tmp_path, content)
        declared = xml(PAIN, '<?xml version="1.0" encoding="klingon"?>')
        assert "no encoding 'klingon'" in refused(tmp_path, declared)
        assert "no encoding 'hex'" in refused(tmp_path, xml(PAIN), encoding="hex")
        assert "not valid euc_jp" in refused(tmp_path, xml(PAIN).encode() + b"\xff\xff", encoding="euc_jp")

    @pytest.mark.parametrize("nothing", [xml(""), "<rdf:RDF " + NAMESPACES + "/>"])
    def test_no_statement(self, tmp_path: Path, nothing: str) -> None:
        assert "no RDF statement" in refused(tmp_path, nothing)

    def test_no_classes(self, tmp_path: Path) -> None:
        assert "no classes" in refused(tmp_path, PREFIXES + "ex:a rdfs:label 'x' .", "t.ttl")
        concept = PREFIXES + "ex:a a skos:Concept ."
        assert "format='skos'" in refused(tmp_path, concept, "t.ttl", format="owl")

    def test_text_without_end(self, tmp_path: Path) -> None:
        assert "runs on" in refused(tmp_path, xml("x" * 20_000_000))


class TestNotRdf:
    @pytest.mark.parametrize(
        ("content", "named"),
        [
            ("Prefix(:=<http://e.org/>)\nOntology(<http://e.org/>\n)", "functional syntax"),
            ("# comment\nOntology (<http://e.org/>)", "functional syntax"),
            ("Prefix: owl: <http://www.w3.org/2002/07/owl#>\nOntology: <http://e.org/>", "Manchester syntax"),
            ('<?xml version="1.0"?>\n<Ontology xmlns="http://www.w3.org/2002/07/owl#"/>', "OWL/XML"),
            ('<Ontology xmlns="http://www.w3.org/2002/07/owl#"></Ontology>', "OWL/XML"),
            ('{"@context": {}}', "JSON"),
            ('[{"@id": "x"}]', "JSON"),
            ("format-version: 1.2\n\n[Term]\nid: A:1\n", "format='obo'"),
            ("<!DOCTYPE html>\n<html><body>Sign in</body></html>", "a web page"),
            ('<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"></html>', "a web page"),
            ('<?xml version="1.0"?><mesh year="2023"></mesh>', "<mesh>, not <rdf:RDF>"),
            ("child,parent\na,b\n", "begins like no RDF"),
            ("lorem ipsum " * 1000, "begins like no RDF"),
            ("<< >> <", "begins like no RDF"),
            ("\n\n# only a comment", "begins like no RDF"),
            ("", "empty"),
        ],
    )
    def test_named_and_refused(self, tmp_path: Path, content: str, named: str) -> None:
        assert named in refused(tmp_path, content)

    def test_binary(self, tmp_path: Path) -> None:
        assert "zero bytes" in refused(tmp_path, bytes(range(256)) * 100)

    def test_a_gigabyte_of_junk_costs_nothing(self, tmp_path: Path) -> None:
        path = tmp_path / "junk.owl"
        with path.open("wb") as file:
            file.write(b"junk " * 20_000)
            file.truncate(1 << 30)
        with pytest.raises(TaxonomyFileError, match="begins like no RDF"):
            om.read_taxonomy(path)


def test_owl_with_skos_annotations_is_not_taken_for_skos(tmp_path: Path) -> None:
    properties = "".join(
        f'<owl:AnnotationProperty rdf:about="http://www.w3.org/2004/02/skos/core#{p}"/>\n'
        for p in ("prefLabel", "broader")
    )
    padding = "".join(f'<owl:AnnotationProperty rdf:about="http://e.org/p{i}"/>\n' for i in range(2000))
    t = read(tmp_path, xml(properties + padding + PAIN))
    assert t.root == "pain"


def test_hpo_by_way_of_owl(hpo: om.Taxonomy, tmp_path: Path) -> None:
    """What the OBO reader says of HPO, written as OWL and read again, is the same."""
    path = tmp_path / "hp.owl"
    path.write_text(as_owl(hpo), encoding="utf-8")
    t = om.read_taxonomy(path)
    assert t.fingerprint == hpo.fingerprint  # codes, links and labels
    for c in hpo:
        assert t.synonyms(c) == [s for s in hpo.synonyms(c) if s != hpo.label(c)]
        assert t.definition(c) == (" ".join((hpo.definition(c) or "").split()) or None)


def as_owl(t: om.Taxonomy) -> str:
    def iri(code: str) -> str:
        return "http://purl.obolibrary.org/obo/" + code.replace(":", "_")

    parts = []
    for c in t:
        parts.append(f'<owl:Class rdf:about="{iri(c)}"><rdfs:label>{escape(t.label(c))}</rdfs:label>')
        parts += [f'<rdfs:subClassOf rdf:resource="{iri(p)}"/>' for p in t.parents(c)]
        parts += [f"<oio:hasExactSynonym>{escape(s)}</oio:hasExactSynonym>" for s in t.synonyms(c)]
        if t.definition(c) is not None:
            parts.append(f"<obo:IAO_0000115>{escape(t.definition(c) or '')}</obo:IAO_0000115>")
        parts.append("</owl:Class>\n")
    return xml("".join(parts))
