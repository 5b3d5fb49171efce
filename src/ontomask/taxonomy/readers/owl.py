"""OWL ontologies in RDF/XML, Turtle or N-Triples.

Named classes are the concepts and ``rdfs:subClassOf`` between them is is-a. An existential restriction ("part of some
heart") is a relation. A defined class (``owl:equivalentClass`` to an intersection) takes the named members of its
definition as parents only if no superclass is asserted: beside asserted ones they would mostly be shortcuts past them.
Individuals are concepts too (:mod:`ontomask.taxonomy.readers.owl_individuals`). Nothing is inferred; ontologies that
rely on a reasoner should be read in their classified form.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ontomask.arguments import some_of
from ontomask.errors import OntomaskError
from ontomask.files.source import Source
from ontomask.taxonomy.readers import rdf
from ontomask.taxonomy.readers.owl_individuals import Individuals
from ontomask.taxonomy.readers.rdf import OWL, RDF, RDFS, SKOS
from ontomask.taxonomy.readers.rdf_terms import Texts, codes_of, first_of, local_name, names_of
from ontomask.taxonomy.taxonomy import Taxonomy

OBO = "http://purl.obolibrary.org/obo/"
OBO_IN_OWL = "http://www.geneontology.org/formats/oboInOwl#"
_CLASSES = {OWL + "Class", RDFS + "Class"}
_NO_CONCEPTS = {OWL + "Thing", OWL + "Nothing"}

Link = tuple[str, str]


def read(source: Source, name: str | None = None, *, language: str = "en") -> Taxonomy:
    """``language`` is the one preferred for labels, synonyms and definitions; then come untagged texts, then any."""
    ontology = _Ontology(language)
    rdf.scan(source, ontology.on_nodes(), ontology.on_texts())
    return ontology.taxonomy(source, name)


class _Ontology:
    """What the statements say, as they come; :meth:`taxonomy` puts it together."""

    def __init__(self, language: str) -> None:
        self.declared: dict[str, None] = {}
        self.ontologies: list[str] = []
        self.versions: dict[str, str] = {}
        self.imports: dict[str, str] = {}
        self.individuals = Individuals()
        self.skos_concepts = 0
        self.above: list[Link] = []
        self.equivalent: list[Link] = []
        self.deprecated: dict[str, None] = {}
        self.replaced_by: dict[str, list[str]] = {}
        self.alternative: list[Link] = []
        # Class expressions are blank nodes whose parts come as separate statements.
        self.intersection: dict[str, str] = {}
        self.first: dict[str, str] = {}
        self.rest: dict[str, str] = {}
        self.on_property: dict[str, str] = {}
        self.some_values: dict[str, str] = {}
        self.labels = [Texts(language) for _ in range(2)]
        self.synonyms = Texts(language)
        self.definitions = [Texts(language) for _ in range(3)]

    def on_nodes(self) -> dict[str, rdf.OnNode]:
        return {
            RDF + "type": self._type,
            RDFS + "subClassOf": self._above,
            SKOS + "broader": self.individuals.broader,
            SKOS + "narrower": self.individuals.narrower,
            OWL + "equivalentClass": self._equivalent,
            OWL + "intersectionOf": self.intersection.__setitem__,
            RDF + "first": self.first.__setitem__,
            RDF + "rest": self.rest.__setitem__,
            OWL + "onProperty": self.on_property.__setitem__,
            OWL + "someValuesFrom": self.some_values.__setitem__,
            OWL + "imports": self.imports.__setitem__,
            OBO + "IAO_0100001": self._replaced_by,
        }

    def on_texts(self) -> dict[str, rdf.OnText]:
        return {
            OWL + "deprecated": self._deprecated,
            OWL + "versionInfo": self._version,
            OBO + "IAO_0100001": self._replaced_by,
            OBO_IN_OWL + "hasAlternativeId": self._alternative,
            RDFS + "label": self.labels[0].add,
            SKOS + "prefLabel": self.labels[1].add,
            OBO_IN_OWL + "hasExactSynonym": self.synonyms.add,
            OBO_IN_OWL + "hasRelatedSynonym": self.synonyms.add,
            SKOS + "altLabel": self.synonyms.add,
            OBO + "IAO_0000118": self.synonyms.add,
            OBO + "IAO_0000115": self.definitions[0].add,
            SKOS + "definition": self.definitions[1].add,
            RDFS + "comment": self.definitions[2].add,
        }

    # ---- handlers -------------------------------------------------------------------------------------------------

    def _type(self, subject: str, node: str) -> None:
        if node in _CLASSES:
            if not subject.startswith("_:") and subject not in _NO_CONCEPTS:
                self.declared[subject] = None
        else:
            if node == OWL + "Ontology":
                self.ontologies.append(subject)
            elif node == SKOS + "Concept":
                self.skos_concepts += 1
            self.individuals.typed(subject, node)

    def _above(self, subject: str, node: str) -> None:
        if not subject.startswith("_:"):
            self.above.append((subject, node))

    def _equivalent(self, subject: str, node: str) -> None:
        if not subject.startswith("_:"):
            self.equivalent.append((subject, node))

    def _deprecated(self, subject: str, text: str, _: str | None) -> None:
        if text.strip().lower() in ("true", "1"):
            self.deprecated[subject] = None

    def _replaced_by(self, subject: str, target: str, _: str | None = None) -> None:
        self.replaced_by.setdefault(subject, []).append(target.strip())

    def _alternative(self, subject: str, text: str, _: str | None) -> None:
        self.alternative.append((subject, text.strip()))

    def _version(self, subject: str, text: str, _: str | None) -> None:
        self.versions[subject] = text.strip()

    # ---- putting together -----------------------------------------------------------------------------------------

    def taxonomy(self, source: Source, name: str | None) -> Taxonomy:
        links, related = self._links(source)
        given = {c: None for c in self.declared if c not in self.deprecated}
        implied = {c: None for link in links for c in link if c not in given and c not in self.deprecated}
        if not given and not implied:
            raise self._no_classes(source)
        placed = self.individuals.placed({**given, **implied}, links, self.deprecated, self._named)
        links += placed.links
        concepts = [*given, *implied, *placed.concepts]
        gone = [c for c in self.deprecated if c in self.declared or c in self.replaced_by]
        codes = codes_of([*concepts, *gone])
        at = {c: i for i, c in enumerate(concepts)}
        aliases = self._aliases(concepts, codes, gone, at)
        self._tell(source, implied, sum(c in self.declared for c in self.deprecated))
        source.notes += placed.notes
        ends = self._ends(source, links, at, aliases)
        names = names_of(at, self.labels, [self.synonyms])
        if names.foreign:
            what = "concepts" if placed.concepts else "classes"
            source.notes.append(f"{names.foreign:,} {what} have labels in other languages only")
        version = next((self.versions[o] for o in self.ontologies if o in self.versions), None)
        return Taxonomy(
            codes[: len(concepts)],
            ends,
            labels=names.labels,
            synonyms=names.synonyms,
            definitions={i: text.value for i, text in first_of(at, self.definitions).items()},
            relations=self._relations(source, related, at),
            aliases=aliases,
            **source.origin(name, version),
        )

    def _links(self, source: Source) -> tuple[list[Link], list[tuple[str, str, str]]]:
        """The is-a links and the (class, property, class) relations."""
        links: list[Link] = []
        related: list[tuple[str, str, str]] = []
        for child, parent in self.above:
            for named, restricted in self._expression(parent):
                if restricted is None:
                    links.append((child, named))
                else:
                    related.append((child, restricted, named))
        links = [link for link in links if _NO_CONCEPTS.isdisjoint(link)]
        asserted = {child for child, parent in links if parent not in self.deprecated}
        same = 0
        for child, expression in self.equivalent:
            same += not expression.startswith("_:") and _NO_CONCEPTS.isdisjoint((child, expression))
            if not expression.startswith("_:") or child in _NO_CONCEPTS:
                continue
            for named, restricted in self._expression(expression):
                if restricted is not None:
                    related.append((child, restricted, named))
                elif child not in asserted and named != child and named not in _NO_CONCEPTS:
                    links.append((child, named))
        if same:
            source.notes.append(f"{same:,} statements that two named classes are equivalent are not used")
        return [link for link in links if link[0] not in self.deprecated], related

    def _expression(self, node: str) -> Iterator[tuple[str, str | None]]:
        """The named classes a class expression asserts, each with the property that restricts it, if one does."""
        waiting, seen = [node], {node}
        while waiting:
            part = waiting.pop()
            if not part.startswith("_:"):
                yield part, None
            elif part in self.some_values:
                filler, prop = self.some_values[part], self.on_property.get(part)
                if prop is not None and not prop.startswith("_:") and not filler.startswith("_:"):
                    yield filler, prop
            elif part in self.intersection:
                members = [m for m in self._members(self.intersection[part]) if m not in seen]
                seen.update(members)
                waiting += reversed(members)

    def _named(self, node: str) -> Iterator[str]:
        """The named classes that a class expression asserts."""
        return (named for named, restricted in self._expression(node) if restricted is None)

    def _members(self, cell: str) -> Iterator[str]:
        """The members of an RDF list; a list that bites its tail ends there."""
        seen: set[str] = set()
        while cell in self.first and cell not in seen:
            seen.add(cell)
            yield self.first[cell]
            cell = self.rest.get(cell, "")

    def _aliases(self, concepts: list[str], codes: list[str], gone: list[str], at: dict[str, int]) -> dict[str, int]:
        """Whole IRIs, alternative ids, and deprecated classes that a single live one replaces."""
        own = set(codes[: len(concepts)])
        by_code = dict(zip(codes, range(len(concepts)), strict=False))
        aliases = {iri: i for i, iri in enumerate(concepts) if iri != codes[i]}
        for iri, text in self.alternative:
            if iri in at and text not in own:
                aliases.setdefault(text, at[iri])
        for iri, code in zip(gone, codes[len(concepts) :], strict=True):
            targets = {at.get(t, by_code.get(t)) for t in self.replaced_by.get(iri, ())}
            if len(targets) == 1 and (target := targets.pop()) is not None:
                aliases.setdefault(iri, target)
                if code not in own:
                    aliases.setdefault(code, target)
        return aliases

    def _ends(
        self, source: Source, links: Iterable[Link], at: dict[str, int], aliases: dict[str, int]
    ) -> list[tuple[int, int]]:
        """The links as positions. A deprecated parent gives way to what replaces it."""
        ends, lost = [], 0
        for child, parent in links:
            target = at.get(parent, aliases.get(parent))
            if target is None:
                lost += 1
            elif parent in at or target != at[child]:
                ends.append((at[child], target))
        if lost:
            source.notes.append(f"{lost:,} links to deprecated classes are dropped")
        return ends

    def _relations(
        self, source: Source, related: list[tuple[str, str, str]], at: dict[str, int]
    ) -> dict[str, dict[tuple[int, int], None]]:
        """By the label of the property. Classes of other ontologies, not declared here, are not concepts."""
        properties = {prop: i for i, prop in enumerate(dict.fromkeys(prop for _, prop, _ in related))}
        labels = first_of(properties, self.labels)
        called = {prop: labels[i].value if i in labels else local_name(prop) for prop, i in properties.items()}
        pairs: dict[str, dict[tuple[int, int], None]] = {}
        lost = 0
        for a, prop, b in related:
            if a in at and b in at:
                pairs.setdefault(called[prop], {})[at[a], at[b]] = None
            elif a in at and b not in self.deprecated:
                lost += 1
        if lost:
            source.notes.append(f"{lost:,} relations to classes that are not declared in the file are left out")
        return pairs

    def _tell(self, source: Source, implied: dict[str, None], deprecated: int) -> None:
        if deprecated:
            source.notes.append(f"{deprecated:,} deprecated classes are left out")
        if implied:
            source.notes.append(
                f"{len(implied):,} classes are linked to but not declared, and taken as they are: {some_of(list(implied))}"
            )
        if self.imports:
            source.notes.append(f"{len(self.imports):,} other ontologies are imported by name; only this file is read")

    def _no_classes(self, source: Source) -> OntomaskError:
        if self.skos_concepts:
            return source.error("no classes but SKOS concepts", remedy="Read it with format='skos'.")
        if self.deprecated:
            return source.error("every class is deprecated", remedy="Get the current release.")
        if self.individuals.declared:
            return source.error(
                "no classes (owl:Class) but individuals",
                remedy="Declare the classes that they belong to, or write an edge list.",
            )
        return source.error("no classes (owl:Class) in the file", remedy="Is it an ontology, and the right file?")
