"""Individuals of an ontology (``owl:NamedIndividual``), which are concepts below their class or below a broader individual.

Many small ontologies list values (countries, occupations, degrees) as individuals of a class instead of as subclasses. An
individual is below each class of the file that it has as ``rdf:type``, and below the individuals that ``skos:broader`` or
``skos:narrower`` put above it; a class that such an individual already belongs to adds no second link. An IRI that is a
class as well (punning) keeps its superclasses; its own class is above it only if it has none.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from typing import NamedTuple

from ontomask.arguments import counted, some_of
from ontomask.taxonomy.readers.rdf import OWL, RDF, RDFS, SKOS
from ontomask.taxonomy.readers.rdf_terms import local_name

Link = tuple[str, str]
_DECLARES = {OWL + "NamedIndividual", OWL + "Thing", SKOS + "Concept"}
_VOCABULARY = (OWL, RDF, RDFS, SKOS)
_NOT_A_CLASS = (*_VOCABULARY, "_:")


class Placed(NamedTuple):
    """The individuals that are ``concepts``, their ``links`` upwards, and ``notes`` on what was done."""

    concepts: list[str]
    links: list[Link]
    notes: list[str]


class Individuals:
    """What the statements say about individuals, as they come; :meth:`placed` finds their places."""

    def __init__(self) -> None:
        self.declared: dict[str, None] = {}
        self.types: list[Link] = []
        self.wider: list[Link] = []
        self.others: set[str] = set()
        self.nameless = 0

    # ---- handlers -------------------------------------------------------------------------------------------------

    def typed(self, subject: str, node: str) -> None:
        """A statement ``rdf:type`` whose object is not a class of classes."""
        if subject.startswith("_:"):
            self.nameless += not node.startswith(_NOT_A_CLASS)
        elif node in _DECLARES:
            self.declared[subject] = None
        elif node.startswith(_VOCABULARY):
            self.others.add(subject)  # properties, data types, the ontology itself
        else:
            self.types.append((subject, node))

    def broader(self, child: str, parent: str) -> None:
        if not child.startswith("_:") and not parent.startswith("_:"):
            self.wider.append((child, parent))

    def narrower(self, parent: str, child: str) -> None:
        self.broader(child, parent)

    # ---- putting together -----------------------------------------------------------------------------------------

    def placed(
        self,
        classes: Container[str],
        superclasses: Iterable[Link],
        deprecated: Container[str],
        named: Callable[[str], Iterable[str]],
    ) -> Placed:
        """Where the individuals belong. ``named``: the named classes of a class or class expression."""
        if not (self.declared or self.types or self.wider):
            return Placed([], [], [])
        kinds = self._kinds(classes, deprecated, named)
        known = {c: None for c in (*self.declared, *(c for c, _ in self.types)) if c not in self.others}
        usable = {c: None for c in known if c not in deprecated and c not in classes}
        above, lost = self._above(usable, classes)
        linked = dict.fromkeys(end for link in above for end in link if end in usable)
        concepts = [c for c in usable if kinds.get(c) or c in linked]
        links = [*above, *_to_classes(concepts, kinds, above)]
        punned = [c for c in known if c in classes]
        links += _punned(punned, kinds, list(superclasses))
        taken = set(concepts)
        notes = [
            *self._told(concepts, punned),
            *self._left_out([c for c in known if c not in taken and c not in classes], deprecated),
        ]
        if lost:
            notes.append(
                f"{counted(lost, 'broader link')} of individuals to concepts not in the file {_are(lost)} not used"
            )
        return Placed(concepts, links, notes)

    def _kinds(
        self, classes: Container[str], deprecated: Container[str], named: Callable[[str], Iterable[str]]
    ) -> dict[str, dict[str, None]]:
        """The classes of the file that each individual belongs to."""
        kinds: dict[str, dict[str, None]] = {}
        for subject, node in self.types:
            for kind in named(node):
                if kind in classes and kind not in deprecated and kind != subject:
                    kinds.setdefault(subject, {})[kind] = None
        return kinds

    def _above(self, usable: Container[str], classes: Container[str]) -> tuple[list[Link], int]:
        """The broader links of individuals to individuals or classes, and how many lead elsewhere."""
        above, lost = dict[Link, None](), 0
        for child, parent in self.wider:
            if child in usable and (parent in usable or parent in classes):
                above[child, parent] = None
            else:
                lost += child in usable or parent in usable
        return list(above), lost

    def _told(self, concepts: list[str], punned: list[str]) -> Iterator[str]:
        if concepts:
            are = "is a concept" if len(concepts) == 1 else "are concepts"
            yield f"{counted(len(concepts), 'individual')} {are} too, below {'its' if len(concepts) == 1 else 'their'} class"
        if punned:
            are = "is a class" if len(punned) == 1 else "are classes"
            yield f"{counted(len(punned), 'individual')} {are} as well, with the superclasses of the class"

    def _left_out(self, left: list[str], deprecated: Container[str]) -> Iterator[str]:
        """Why individuals have no concept."""
        gone = sum(c in deprecated for c in left)
        typed = dict[str, list[str]]()
        for subject, node in self.types:
            typed.setdefault(subject, []).append(node)
        foreign = [c for c in left if c not in deprecated and c in typed]
        bare = [c for c in left if c not in deprecated and c not in typed]
        if gone:
            yield f"{counted(gone, 'deprecated individual')} {_are(gone)} left out"
        if foreign:
            elsewhere = dict.fromkeys(
                local_name(node) for c in foreign for node in typed[c] if not node.startswith("_:")
            )
            listed = f" (rdf:type: {some_of(list(elsewhere))})" if elsewhere else ""
            yield f"{counted(len(foreign), 'individual')} {_are(len(foreign))} left out: not of a class of the file{listed}"
        if bare:
            yield f"{counted(len(bare), 'individual')} {_are(len(bare))} left out: without a class and a broader individual"
        if self.nameless:
            yield f"{counted(self.nameless, 'individual')} without a name {_are(self.nameless)} left out"


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def _to_classes(concepts: list[str], kinds: dict[str, dict[str, None]], above: list[Link]) -> Iterator[Link]:
    """Links to classes; not to one that a broader individual belongs to already, which would be a shortcut past it."""
    wider: dict[str, list[str]] = {}
    for child, parent in above:
        wider.setdefault(child, []).append(parent)
    for concept in concepts:
        inherited = {kind for parent in _reached(concept, wider) for kind in kinds.get(parent, ())}
        for kind in kinds.get(concept, ()):
            if kind not in inherited:
                yield concept, kind


def _punned(punned: list[str], kinds: dict[str, dict[str, None]], superclasses: list[Link]) -> list[Link]:
    """Links of classes that are individuals too and have no superclass; none that would close a circle."""
    if not any(kinds.get(c) for c in punned):
        return []
    wider: dict[str, list[str]] = {}
    for child, parent in superclasses:
        wider.setdefault(child, []).append(parent)
    found: list[Link] = []
    for concept in punned:
        if concept in wider:
            continue
        for kind in kinds.get(concept, ()):
            if concept not in _reached(kind, wider):
                wider.setdefault(concept, []).append(kind)
                found.append((concept, kind))
    return found


def _reached(start: str, wider: dict[str, list[str]]) -> set[str]:
    """Everything above, without the start itself unless a circle leads back to it."""
    seen: set[str] = set()
    waiting = list(wider.get(start, ()))
    while waiting:
        here = waiting.pop()
        if here not in seen:
            seen.add(here)
            waiting += wider.get(here, ())
    return seen
