"""``Taxonomy``: concepts, their is-a links and their names; immutable."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, Self

import numpy as np

from ontomask.arguments import short
from ontomask.errors import CycleError, OptionError, TaxonomyError
from ontomask.taxonomy import construction, overview
from ontomask.taxonomy.construction import Links
from ontomask.taxonomy.dag import Csr, CycleFound, Dag
from ontomask.taxonomy.lexicon import Lexicon
from ontomask.taxonomy.structure import Structure


class Taxonomy(Structure):
    """A rooted DAG of concepts over is-a, with labels, synonyms and whatever else its source tells of them.

    A concept is named by its code, a text. Wherever a method takes a concept, an alternative code of it (OBO
    ``alt_id``, a MeSH tree number, an ICD code without its dot) does as well; answers always use the code proper.
    Methods that return several concepts return them as a list of codes in a fixed order.

    Make one with :meth:`from_edges`, :func:`ontomask.read_taxonomy` or :func:`ontomask.load_taxonomy`.
    """

    def __init__(
        self,
        concepts: Sequence[str],
        links: Links,
        *,
        labels: Sequence[str] | None = None,
        synonyms: Mapping[int, Sequence[str]] | None = None,
        definitions: Mapping[int, str] | None = None,
        relations: Mapping[str, Links] | None = None,
        aliases: Mapping[str, int] | None = None,
        senses: Mapping[str, Sequence[int]] | None = None,
        name: str | None = None,
        source: str | None = None,
        notes: Iterable[str] = (),
        where: str | None = None,
    ) -> None:
        """From positions: each of ``links`` is the position of a child and that of its parent.

        ``labels`` stand beside ``concepts``; the other texts are keyed by position. ``relations`` holds what is
        not is-a, by name, as pairs of positions too. ``senses`` orders the concepts a word can mean, most frequent
        first. Repeated links count once. ``where`` is the place errors name (a file).
        """
        if len(concepts) == 0:
            raise TaxonomyError("no concepts", where=where, remedy="A taxonomy needs at least one concept.")
        names = list(concepts)
        texts = names.copy() if labels is None else [label or c for label, c in zip(labels, names, strict=True)]
        child, parent = construction.distinct_links(links, names, where)
        notes = list(notes)
        has_parent = np.zeros(len(names), dtype=np.bool_)
        has_parent[child] = True
        roots = np.flatnonzero(~has_parent)
        self._artificial_root = len(roots) > 1
        if self._artificial_root:
            root = construction.artificial_root(names)
            notes.append(construction.joined_note(root, [names[r] for r in roots]))
            child = np.concatenate((child, roots))
            parent = np.concatenate((parent, np.full(len(roots), len(names))))
            names.append(root)
            texts.append(f"all of {name}" if name else "everything")
        self._position = construction.positions_of(names, where)
        try:
            self._dag = Dag.build(len(names), child, parent)
        except CycleFound as found:
            raise CycleError([names[i] for i in found.positions], where=where) from None
        self._concepts = tuple(names)
        self._labels = tuple(texts)
        self._synonyms = {i: tuple(s) for i, s in (synonyms or {}).items() if s}
        self._definitions = dict(definitions or {})
        others = {relation: construction.as_links(pairs) for relation, pairs in (relations or {}).items()}
        self._relations = {r: Csr.of(len(names), pairs[:, 0], pairs[:, 1]) for r, pairs in others.items() if len(pairs)}
        self._reversed: dict[str, Csr] = {}
        self._aliases = dict(aliases or {})
        self._senses = {word: tuple(s) for word, s in (senses or {}).items()}
        self._name = name
        self._source = source
        self._notes = tuple(notes)

    @classmethod
    def from_edges(
        cls,
        edges: Iterable[tuple[str, str | None]],
        labels: Mapping[str, str] | None = None,
        synonyms: Mapping[str, Iterable[str]] | None = None,
        name: str | None = None,
        *,
        definitions: Mapping[str, str] | None = None,
        relations: Mapping[str, Iterable[tuple[str, str]]] | None = None,
    ) -> Self:
        """From (child, parent) pairs of codes.

        Parameters
        ----------
        edges : iterable of (str, str or None)
            Child and parent. A pair ``(concept, None)`` declares a root.
        labels : mapping of str to str, optional
            The name of each concept.
        synonyms : mapping of str to iterable of str, optional
            Other names.
        name : str, optional
            What the taxonomy is called.
        definitions : mapping of str to str, optional
            What each concept is.
        relations : mapping of str to iterable of (str, str), optional
            Relations other than is-a, by name.

        Returns
        -------
        Taxonomy
            Concepts keep the order in which they are first seen.

        Notes
        -----
        A parent that is nobody's child is a root. Once a root is declared, every parent must be declared too (as the child of
        some pair), so that typing errors are found. Several roots are joined under an artificial one.

        Examples
        --------
        >>> t = Taxonomy.from_edges([("lumbago", "ache"), ("migraine", "ache"), ("ache", "pain")])
        >>> t.lcs(["lumbago", "migraine"]), t.depth("migraine"), t.ancestors("lumbago")
        ('ache', 3, ['ache', 'pain'])
        """
        position, links = construction.collect(edges)
        concepts = list(position)

        def at(texts: Mapping[str, Any] | None, what: str, of: type = str) -> dict[int, Any]:
            if texts is not None and not isinstance(texts, Mapping):
                raise TaxonomyError(f"{what} are a {type(texts).__name__}", remedy=f"Give {{concept: {what}}}.")
            odd = next((c for c, text in (texts or {}).items() if isinstance(text, str) != (of is str)), None)
            if odd is not None:
                raise TaxonomyError(
                    f"the {what} of {odd!r} are {(texts or {})[odd]!r}",
                    remedy="A label or definition is a text, synonyms are a list of texts.",
                )
            unknown = next((c for c in texts or {} if c not in position), None)
            if unknown is not None:
                raise TaxonomyError(
                    f"{what} are given for {unknown!r}, which no edge mentions",
                    remedy=f"Remove it from the {what} or add its edge.",
                )
            return {position[c]: text for c, text in (texts or {}).items()}

        own_labels = at(labels, "labels")
        return cls(
            concepts,
            links,
            labels=[own_labels.get(i, c) for i, c in enumerate(concepts)],
            synonyms={i: list(s) for i, s in at(synonyms, "synonyms", list).items()},
            definitions=at(definitions, "definitions"),
            relations={r: construction.relation_links(pairs, position, r) for r, pairs in (relations or {}).items()},
            name=name,
        )

    # ---- what it is -------------------------------------------------------------------------------------------

    @property
    def name(self) -> str | None:
        """What it is called."""
        return self._name

    @property
    def source(self) -> str | None:
        """Where it comes from: file, version, licence, in words."""
        return self._source

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reader noticed and anybody judging results should know."""
        return self._notes

    @property
    def artificial_root(self) -> str | None:
        """The code of the root if it was added to join several, else None. It changes distances near the top."""
        return self.root if self._artificial_root else None

    @property
    def relations(self) -> Mapping[str, Csr]:
        """Relations other than is-a, by name."""
        return MappingProxyType(self._relations)

    @property
    def senses(self) -> Mapping[str, tuple[int, ...]]:
        """Words with the concepts they can mean, most frequent first, where the source orders them."""
        return MappingProxyType(self._senses)

    @cached_property
    def lexicon(self) -> Lexicon:
        """The index over codes, labels and synonyms that search and matching use; made when first needed."""
        return Lexicon(self)

    @cached_property
    def fingerprint(self) -> str:
        """A hash over codes, links and labels: equal taxonomies have equal fingerprints on every machine."""
        digest = hashlib.sha256()
        for part in (self._concepts, self._labels):
            digest.update("\x00".join(part).encode())
            digest.update(b"\x01")
        digest.update(self._dag.parents.start.astype("<i8").tobytes())
        digest.update(self._dag.parents.index.astype("<i4").tobytes())
        return digest.hexdigest()

    def attribute_taxonomy(self, concepts: Iterable[str]) -> Taxonomy:
        """tau(X): the LCS of the concepts and everything below it (R17 def. 2)."""
        return self.subtree(self.lcs(concepts))

    def subtree(self, concept: str) -> Taxonomy:
        """The concept and everything below it, as a taxonomy of its own; links to the outside are cut."""
        dag, kept = self._dag.below(self.position(concept))
        place, parent = dag.parents.gather(np.arange(len(dag)))
        new = {int(old): i for i, old in enumerate(kept)}
        relations: dict[str, Links] = {}
        for relation, links in self._relations.items():
            owner, target = links.gather(kept)
            inside = np.isin(target, kept)
            relations[relation] = np.stack((owner[inside], np.searchsorted(kept, target[inside])), axis=1)
        return Taxonomy(
            self._codes(kept),
            np.stack((place, parent), axis=1),
            labels=[self._labels[i] for i in kept],
            synonyms={new[i]: s for i, s in self._synonyms.items() if i in new},
            definitions={new[i]: d for i, d in self._definitions.items() if i in new},
            relations=relations,
            aliases={a: new[i] for a, i in self._aliases.items() if i in new},
            senses={w: k for w, s in self._senses.items() if (k := [new[i] for i in s if i in new])},
            name=f"{self._name or 'taxonomy'}: {self.label(concept)}",
            source=self._source,
            notes=[note for note in self._notes if not (self._artificial_root and repr(self.root) in note)],
        )

    def label(self, concept: str) -> str:
        """The name of a concept; its code if it has none."""
        return self._labels[self.position(concept)]

    def synonyms(self, concept: str) -> list[str]:
        """Other names of a concept."""
        return list(self._synonyms.get(self.position(concept), ()))

    def definition(self, concept: str) -> str | None:
        """What a concept is, where the source says it."""
        return self._definitions.get(self.position(concept))

    def related(self, concept: str, relation: str | None = None) -> list[tuple[str, str]]:
        """Relations of a concept other than is-a, as the source directs them.

        Parameters
        ----------
        concept : str
            A code.
        relation : str, optional
            Keep to this relation.

        Returns
        -------
        list of (str, str)
            Relation and concept.
        """
        at = self.position(concept)
        names = self._relations if relation is None else [r for r in self._relations if r == relation]
        return [(r, self._concepts[i]) for r in names for i in self._relations[r].row(at)]

    def definition_at(self, position: int) -> str | None:
        """The definition of the concept at a position."""
        return self._definitions.get(position)

    def reverse_relation(self, relation: str) -> Csr:
        """A relation followed backwards."""
        if relation not in self._reversed:
            links = self._relations[relation]
            owner = np.repeat(np.arange(len(self)), links.lengths())
            self._reversed[relation] = Csr.of(len(self), links.index, owner)
        return self._reversed[relation]

    def terms(self, position: int) -> tuple[str, ...]:
        """Label and synonyms of the concept at a position."""
        return (self._labels[position], *self._synonyms.get(position, ()))

    def search(self, text: str, limit: int = 20) -> list[str]:
        """Concepts whose code, label or a synonym contains a text, best first.

        Parameters
        ----------
        text : str
            What to look for; case, accents and punctuation do not count.
        limit : int, default 20
            How many at most.

        Returns
        -------
        list of str
            Codes.
        """
        if not isinstance(text, str) or not isinstance(limit, int) or limit < 1:
            raise OptionError(f"search({text!r}, limit={limit!r})", remedy="Give a text and a limit from 1 up.")
        return self._codes(self.lexicon.search(text, limit))

    # ---- showing ----------------------------------------------------------------------------------------------

    def tree(self, concept: str | None = None, depth: int = 2, width: int = 12) -> str:
        """The branch at a concept as text.

        Parameters
        ----------
        concept : str, optional
            A code (default: the root).
        depth : int, default 2
            How many levels down.
        width : int, default 12
            How many children of each concept.

        Returns
        -------
        str
            A drawing of lines.
        """
        if not (isinstance(depth, int) and isinstance(width, int) and depth >= 0 and width >= 1):
            raise OptionError(f"a tree of depth {depth!r} and width {width!r}", remedy="Give whole numbers from 1 up.")
        return overview.tree(self, self._dag.root if concept is None else self.position(concept), depth, width)

    def path(self, concept: str) -> str:
        """A longest way from the root down to the concept, one line a step."""
        return overview.path(self, self.position(concept))

    def __str__(self) -> str:
        return overview.summary(self)

    def __repr__(self) -> str:
        return f"<Taxonomy {self._name or ''!r}: {len(self):,} concepts, root {self.root!r}>"

    def _repr_html_(self) -> str:
        return overview.html(self)

    # ---- the usual protocols ----------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Taxonomy):
            return NotImplemented
        return self is other or (
            self.fingerprint == other.fingerprint
            and self._synonyms == other._synonyms
            and self._definitions == other._definitions
            and self._artificial_root == other._artificial_root
        )

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __getstate__(self) -> dict[str, object]:
        # The lexicon is an index that can be made again; it would double the size of a pickle.
        return {k: v for k, v in self.__dict__.items() if k != "lexicon"}


def require_taxonomy(value: Any) -> Taxonomy:
    """The taxonomy itself, or an error that says how to get one."""
    if isinstance(value, Taxonomy):
        return value
    raise OptionError(
        f"{short(repr(value))} is not a Taxonomy",
        remedy="Give one: load_taxonomy('icd9cm'), read_taxonomy('file.csv') or Taxonomy.from_edges(pairs).",
    )
