"""``join_taxonomies``: two ontologies for one attribute, joined at equivalent concepts or under a common root."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ontomask.errors import TaxonomyError
from ontomask.taxonomy.taxonomy import Taxonomy, require_taxonomy

#: A taxonomy and the prefix of its codes.
Part = tuple[Taxonomy, str]


def join_taxonomies(
    taxonomies: Sequence[Taxonomy],
    bridge: Iterable[tuple[str, str]] = (),
    *,
    prefixes: Sequence[str] | None = None,
    name: str | None = None,
) -> Taxonomy:
    """One taxonomy from several, in which concepts of all of them can be compared.

    Parameters
    ----------
    taxonomies : sequence of Taxonomy
        At least two.
    bridge : iterable of (str, str), optional
        Pairs of equivalent concepts, one of the first taxonomy and one of another: each pair becomes one concept, under
        the first one's code, with the parents, children and names of both.
    prefixes : sequence of str, optional
        Put before the codes of each taxonomy; needed where two use the same code. The bridge is then written with them.
    name : str, optional
        The name of the new taxonomy.

    Returns
    -------
    Taxonomy
        Without a bridge the taxonomies meet only in an artificial root.

    Examples
    --------
    >>> a = Taxonomy.from_edges([("flu", "infection"), ("infection", "disease")])
    >>> b = Taxonomy.from_edges([("avian influenza", "influenza"), ("influenza", "illness")])
    >>> joined = join_taxonomies([a, b], bridge=[("flu", "influenza"), ("disease", "illness")])
    >>> joined.subsumers("avian influenza")
    ['avian influenza', 'flu', 'infection', 'disease']
    """
    for t in taxonomies:
        require_taxonomy(t)
    if len(taxonomies) < 2:
        raise TaxonomyError("fewer than two taxonomies to join", remedy="Give at least two.")
    marks = [""] * len(taxonomies) if prefixes is None else list(prefixes)
    if len(marks) != len(taxonomies):
        raise TaxonomyError(f"{len(marks)} prefixes for {len(taxonomies)} taxonomies", remedy="Give one for each.")
    parts = list(zip(taxonomies, marks, strict=True))
    same = _bridged(bridge, _homes(parts), parts)
    joined = _Joined(same)
    for taxonomy, mark in parts:
        joined.add(taxonomy, mark)
    titles = [t.name or f"taxonomy {i + 1}" for i, t in enumerate(taxonomies)]
    return Taxonomy(
        list(joined.position),
        joined.links,
        labels=joined.labels,
        synonyms=joined.synonyms,
        definitions=joined.definitions,
        relations=joined.relations,
        aliases={a: i for a, i in joined.aliases.items() if a not in joined.position},
        senses=joined.senses,
        name=name or " + ".join(titles),
        source="; ".join(t.source for t in taxonomies if t.source) or None,
        notes=[
            *(note for t in taxonomies for note in t.notes),
            f"{' and '.join(titles)} are joined at {len(same)} equivalent concepts",
        ],
    )


def _homes(parts: Sequence[Part]) -> dict[str, int]:
    """The number of the taxonomy of every code, with its prefix."""
    home: dict[str, int] = {}
    for number, (t, mark) in enumerate(parts):
        for concept in t.concepts:
            if concept != t.artificial_root and home.setdefault(mark + concept, number) != number:
                raise TaxonomyError(
                    f"the code {mark + concept!r} is in two of the taxonomies",
                    remedy="Give prefixes=['a:', 'b:'] to keep their codes apart.",
                )
    return home


def _found(concept: str, home: Mapping[str, int], parts: Sequence[Part]) -> str:
    """The code with its prefix, from it or from an alternative code."""
    if concept in home:
        return concept
    for t, mark in parts:
        if isinstance(concept, str) and concept.startswith(mark):
            at = t.find(concept.removeprefix(mark))
            if at is not None:
                return mark + t.concepts[at]
    raise TaxonomyError(
        f"the bridge names {concept!r}, which is in none of the taxonomies",
        remedy="Write codes as they stand in the taxonomies, with their prefixes if there are any.",
    )


@dataclass
class _Joined:
    """What the joined taxonomy is made of; ``same``: code -> the code that stands for it."""

    same: Mapping[str, str]
    position: dict[str, int] = field(default_factory=dict)
    labels: list[str] = field(default_factory=list)
    synonyms: dict[int, list[str]] = field(default_factory=dict)
    definitions: dict[int, str] = field(default_factory=dict)
    links: list[tuple[int, int]] = field(default_factory=list)
    relations: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    aliases: dict[str, int] = field(default_factory=dict)
    senses: dict[str, list[int]] = field(default_factory=dict)

    def add(self, taxonomy: Taxonomy, mark: str) -> None:
        """Take in the concepts and links of a taxonomy whose codes get the prefix ``mark``."""
        t, placed = taxonomy, np.full(len(taxonomy), -1)
        for at, concept in enumerate(t.concepts):
            if concept != t.artificial_root:
                placed[at] = self._placed(t, at, mark + concept)
        everywhere = np.arange(len(t))
        self.links += _moved(*t.dag.parents.gather(everywhere), placed)
        for relation, csr in t.relations.items():
            self.relations.setdefault(relation, []).extend(_moved(*csr.gather(everywhere), placed))
        for word, meant in t.senses.items():
            known = self.senses.setdefault(word, [])
            known.extend(int(placed[i]) for i in meant if placed[i] not in known)
        self.aliases.update({mark + a: int(placed[i]) for a, i in t.aliases.items() if placed[i] >= 0})

    def _placed(self, t: Taxonomy, at: int, own: str) -> int:
        """The number of a concept, with the names and the definition that it brings."""
        code = self.same.get(own, own)
        new = self.position.setdefault(code, len(self.position))
        if new == len(self.labels):
            self.labels.append(t.terms(at)[0])
        known = {self.labels[new], *self.synonyms.get(new, ())}
        more = [term for term in t.terms(at) if term not in known]
        if more:
            self.synonyms.setdefault(new, []).extend(more)
        definition = t.definition_at(at)
        if definition:
            self.definitions.setdefault(new, definition)
        if code != own:
            self.aliases[own] = new
        return new


def _bridged(bridge: Iterable[tuple[str, str]], home: Mapping[str, int], parts: Sequence[Part]) -> dict[str, str]:
    """code -> the code that stands for it: of all that are equivalent, the one of the first taxonomy.

    Equivalence is followed through (a = b and b = c make a = c), whatever the order of the pairs.
    """
    group: dict[str, dict[int, str]] = {}  # the members of each concept's class, by taxonomy
    for pair in bridge:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise TaxonomyError(f"{pair!r} in the bridge is not a pair of concepts", remedy="Give pairs of codes.")
        a, b = (_found(concept, home, parts) for concept in pair)
        merged = dict(group.get(a, {home[a]: a}))
        for number, concept in group.get(b, {home[b]: b}).items():
            known = merged.setdefault(number, concept)
            if known != concept or home[a] == home[b]:
                raise TaxonomyError(
                    f"the bridge makes {a!r} and {b!r} equivalent, and with them {known!r} and {concept!r} of one taxonomy",
                    remedy="A concept has at most one equivalent in each of the other taxonomies.",
                )
        for concept in merged.values():
            group[concept] = merged
    return {c: members[min(members)] for c, members in group.items() if members[min(members)] != c}


def _moved(owner: np.ndarray, target: np.ndarray, placed: np.ndarray) -> list[tuple[int, int]]:
    """Links in the numbering of the joined taxonomy; those at an artificial root are dropped."""
    return [(int(a), int(b)) for a, b in zip(placed[owner], placed[target], strict=True) if a >= 0 and b >= 0]
