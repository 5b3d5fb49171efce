"""SKOS concept schemes in RDF/XML, Turtle or N-Triples.

``skos:broader`` goes from child to parent, ``skos:narrower`` the other way; either is enough. The transitive forms say
nothing new and are ignored, as are top concepts: what has no broader concept is a root. ``skos:related`` is a relation.
Collections group concepts for display and are not concepts; classes of a mixed file are for the OWL reader. Notes tell.
"""

from __future__ import annotations

from collections.abc import Iterable

from ontomask.arguments import counted, some_of
from ontomask.files.source import Source
from ontomask.taxonomy.readers import rdf
from ontomask.taxonomy.readers.rdf import OWL, RDF, RDFS, SKOS
from ontomask.taxonomy.readers.rdf_terms import Texts, codes_of, first_of, local_name, names_of
from ontomask.taxonomy.taxonomy import Taxonomy

_TITLE = "http://purl.org/dc/terms/title"
_COLLECTIONS = {SKOS + "Collection", SKOS + "OrderedCollection"}
_OLD_TITLE = "http://purl.org/dc/elements/1.1/title"

Link = tuple[str, str]


def read(source: Source, name: str | None = None, *, language: str = "en", scheme: str | None = None) -> Taxonomy:
    """``language`` is the one preferred for labels, synonyms and definitions; then come untagged texts, then any.
    ``scheme`` (its IRI, local name or title) takes the concepts of one concept scheme only."""
    statements = _Statements(language)
    rdf.scan(source, statements.on_nodes(), statements.on_texts())
    return statements.taxonomy(source, name, scheme)


class _Statements:
    """What the statements say, as they come; :meth:`taxonomy` puts it together."""

    def __init__(self, language: str) -> None:
        self.declared: dict[str, None] = {}
        self.schemes: dict[str, None] = {}
        self.inside: dict[str, dict[str, None]] = {}  # scheme -> its concepts
        self.classes: dict[str, None] = {}
        self.collections: dict[str, None] = {}
        self.nameless = 0
        self.broader: dict[Link, None] = {}
        self.related: dict[Link, None] = {}
        self.deprecated: dict[str, None] = {}
        self.notations: dict[str, list[str]] = {}
        self.labels = [Texts(language) for _ in range(2)]
        self.titles = Texts(language)
        self.synonyms = Texts(language)
        self.definitions = [Texts(language) for _ in range(2)]

    def on_nodes(self) -> dict[str, rdf.OnNode]:
        return {
            RDF + "type": self._type,
            SKOS + "broader": self._broader,
            SKOS + "narrower": lambda parent, child: self._broader(child, parent),
            SKOS + "related": self._related,
            SKOS + "inScheme": self._in_scheme,
            SKOS + "topConceptOf": self._in_scheme,
            SKOS + "hasTopConcept": lambda scheme, concept: self._in_scheme(concept, scheme),
        }

    def on_texts(self) -> dict[str, rdf.OnText]:
        return {
            SKOS + "prefLabel": self.labels[0].add,
            RDFS + "label": self.labels[1].add,
            SKOS + "altLabel": self.synonyms.add,
            SKOS + "hiddenLabel": self.synonyms.add,
            SKOS + "definition": self.definitions[0].add,
            SKOS + "scopeNote": self.definitions[1].add,
            SKOS + "notation": self._notation,
            OWL + "deprecated": self._deprecated,
            _TITLE: self.titles.add,
            _OLD_TITLE: self.titles.add,
        }

    # ---- handlers -------------------------------------------------------------------------------------------------

    def _type(self, subject: str, node: str) -> None:
        if node == SKOS + "Concept":
            if subject.startswith("_:"):
                self.nameless += 1
            else:
                self.declared[subject] = None
        elif node in _COLLECTIONS:
            self.collections[subject] = None
        elif node == SKOS + "ConceptScheme":
            self.schemes[subject] = None
        elif node == OWL + "Class" and not subject.startswith("_:"):
            self.classes[subject] = None

    def _broader(self, child: str, parent: str) -> None:
        if not child.startswith("_:") and not parent.startswith("_:"):
            self.broader[child, parent] = None

    def _related(self, subject: str, node: str) -> None:
        self.related[subject, node] = None

    def _in_scheme(self, concept: str, scheme: str) -> None:
        self.schemes[scheme] = None
        self.inside.setdefault(scheme, {})[concept] = None

    def _notation(self, subject: str, text: str, _: str | None) -> None:
        self.notations.setdefault(subject, []).append(text.strip())

    def _deprecated(self, subject: str, text: str, _: str | None) -> None:
        if text.strip().lower() in ("true", "1"):
            self.deprecated[subject] = None

    # ---- putting together -----------------------------------------------------------------------------------------

    def taxonomy(self, source: Source, name: str | None, scheme: str | None) -> Taxonomy:
        concepts = self._concepts(source, scheme)
        self._tell(source)
        at = {c: i for i, c in enumerate(concepts)}
        codes = self._codes(concepts)
        names = names_of(at, self.labels, [self.synonyms])
        if names.foreign:
            source.notes.append(f"{names.foreign:,} concepts have labels in other languages only")
        ends = _inside(at, self.broader)
        lost = sum(c in at and p not in at and p not in self.deprecated for c, p in self.broader)
        if lost:
            source.notes.append(f"{lost:,} links to concepts outside the scheme are dropped")
        related = _inside(at, self.related)
        return Taxonomy(
            codes,
            ends,
            labels=names.labels,
            synonyms=names.synonyms,
            definitions={i: text.value for i, text in first_of(at, self.definitions).items()},
            relations={"related": related},
            aliases={iri: i for iri, i in at.items() if iri != codes[i]},
            **source.origin(name),
        )

    def _concepts(self, source: Source, scheme: str | None) -> list[str]:
        every = dict.fromkeys([*self.declared, *(c for link in self.broader for c in link)])
        if not every:
            if self.classes:
                raise source.error("no SKOS concepts but classes", remedy="Read it with format='owl'.")
            raise source.error(
                "no concepts (skos:Concept) in the file", remedy="Is it a thesaurus, and the right file?"
            )
        if scheme is not None:
            chosen = self._scheme(source, scheme)
            every = {c: None for c in every if c in self.inside.get(chosen, {})}
            if not every:
                raise source.error(f"no concept is in the scheme {chosen}", remedy=f"Choose from: {self._choice()}.")
        elif len(self.schemes) > 1:
            source.notes.append(
                f"the concepts of {len(self.schemes)} schemes are taken together; scheme= takes one: {self._choice()}"
            )
        live = [c for c in every if c not in self.deprecated]
        if not live:
            raise source.error("every concept is deprecated", remedy="Get the current release.")
        if len(live) < len(every):
            source.notes.append(f"{len(every) - len(live):,} deprecated concepts are left out")
            dropped = sum(p in self.deprecated and c not in self.deprecated for c, p in self.broader if c in every)
            if dropped:
                source.notes.append(f"{dropped:,} links to deprecated concepts are dropped")
        implied = [c for c in live if c not in self.declared]
        if implied:
            shown = some_of(implied)
            source.notes.append(
                f"{len(implied):,} concepts are linked to but not declared, and taken as they are: {shown}"
            )
        return live

    def _tell(self, source: Source) -> None:
        """What the file holds and a taxonomy of its concepts does not."""
        classes = sum(c not in self.declared for c in self.classes)
        for number, what, why in (
            (len(self.collections), "collection", "only concepts are read, and the links between them"),
            (classes, "class", "format='owl' reads classes"),
            (self.nameless, "concept without a name", "a blank node has no code"),
        ):
            if number:
                plural = {"class": "classes", "concept without a name": "concepts without a name"}.get(what)
                are = "is" if number == 1 else "are"
                source.notes.append(f"{counted(number, what, plural)} {are} left out: {why}")

    def _scheme(self, source: Source, wanted: str) -> str:
        """The scheme that goes by a name; an error that lists them if none or several do."""
        found = [s for s in self.schemes if wanted in self._called(s)]
        if len(found) == 1:
            return found[0]
        if not self.schemes:
            raise source.error(f"no scheme {wanted!r}: the file names none", remedy="Leave scheme out.")
        what = f"{len(found)} schemes go by {wanted!r}" if found else f"no scheme {wanted!r}"
        raise source.error(what, remedy=f"The file has: {self._choice()}.")

    def _called(self, scheme: str) -> list[str]:
        """The names a scheme goes by, the best to show last."""
        places = (self.titles, self.labels[1], self.labels[0])
        return [scheme, local_name(scheme), *(row[1] for texts in places for row in texts.rows({scheme: 0}))]

    def _choice(self) -> str:
        return some_of([f"{s} ({self._called(s)[-1]})" for s in self.schemes], 12)

    def _codes(self, concepts: list[str]) -> list[str]:
        """The notations if every concept has exactly one of its own; else local names or IRIs."""
        notations = [self.notations.get(c, ()) for c in concepts]
        single = [n[0] for n in notations if len(n) == 1 and n[0]]
        return single if len(set(single)) == len(concepts) else codes_of(concepts)


def _inside(at: dict[str, int], links: Iterable[Link]) -> list[tuple[int, int]]:
    """The links between concepts that are taken, as positions."""
    return [(at[a], at[b]) for a, b in links if a in at and b in at]
