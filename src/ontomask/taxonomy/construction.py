"""Construction of taxonomies: from pairs of codes to numbered links, with every error found on the way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ontomask.arguments import some_of
from ontomask.arrays import Longs
from ontomask.errors import DuplicateLinkError, SelfLinkError, TaxonomyError, UnknownParentError
from ontomask.taxonomy.lexicon import nearest_texts

#: Pairs of positions: (child, parent) for is-a, (from, to) for other relations.
Links = Iterable[tuple[int, int]] | NDArray[np.integer]


def collect(edges: Iterable[tuple[str, str | None]]) -> tuple[dict[str, int], Longs]:
    """Number the concepts of (child, parent) pairs as they come; the links as rows (child, parent) of numbers.

    Once a root is declared by ``(concept, None)``, every parent must be the child of some pair.
    """
    position: dict[str, int] = {}
    seen: dict[tuple[int, int], int] = {}
    declared: set[int] = set()
    roots: dict[int, int] = {}
    if edges is None or isinstance(edges, (str, Mapping)) or not isinstance(edges, Iterable):
        raise TaxonomyError(f"the edges are a {type(edges).__name__}", remedy="Give a list of (child, parent) pairs.")
    for i, edge in enumerate(edges):
        c, p = _pair(edge, i)
        child = position.setdefault(c, len(position))
        declared.add(child)
        if p is None:
            first = roots.setdefault(child, i)
            if first != i:
                raise DuplicateLinkError(c, "no parent", first=f"edge {first}", again=f"edge {i}")
            continue
        parent = position.setdefault(p, len(position))
        if child == parent:
            raise SelfLinkError(c, where=f"edge {i}")
        first = seen.setdefault((child, parent), i)
        if first != i:
            raise DuplicateLinkError(c, p, first=f"edge {first}", again=f"edge {i}")
    concepts = list(position)
    if roots:
        for (child, parent), i in seen.items():
            if child in roots:
                raise TaxonomyError(
                    f"{concepts[child]!r} has the parent {concepts[parent]!r} and is declared a root (edge {roots[child]})",
                    where=f"edge {i}",
                    remedy="Remove one of the two.",
                )
            if parent not in declared:
                near = nearest_texts(concepts[parent], [concepts[d] for d in sorted(declared)])
                raise UnknownParentError(concepts[child], concepts[parent], where=f"edge {i}", suggestions=near)
    return position, as_links(seen)


def positions_of(concepts: Sequence[str], where: str | None) -> dict[str, int]:
    """The position of each concept; an error if one is declared twice."""
    position = {concept: i for i, concept in enumerate(concepts)}
    if len(position) < len(concepts):
        twice = next(concept for i, concept in enumerate(concepts) if position[concept] != i)
        raise TaxonomyError(
            f"the concept {twice!r} is declared twice", where=where, remedy="Give each concept a code of its own."
        )
    return position


def artificial_root(concepts: Iterable[str]) -> str:
    """A code for a root above several, unlike all concepts."""
    taken, root = set(concepts), "(root)"
    while root in taken:
        root = f"({root})"
    return root


def as_links(pairs: Links) -> Longs:
    """Pairs of positions as the rows of an array."""
    array = pairs if isinstance(pairs, np.ndarray) else np.array(list(pairs))
    return array.astype(np.int64).reshape(-1, 2)


def distinct_links(pairs: Links, names: Sequence[str], where: str | None) -> tuple[Longs, Longs]:
    """Children and parents of the links without repetition, first occurrences in their order."""
    links = as_links(pairs)
    lower, upper = links[:, 0], links[:, 1]
    loop = np.flatnonzero(lower == upper)
    if len(loop):
        raise SelfLinkError(names[lower[loop[0]]], where=where)
    _, first = np.unique(lower * len(names) + upper, return_index=True)
    first.sort()
    return lower[first], upper[first]


def joined_note(root: str, roots: Sequence[str]) -> str:
    shown = some_of([repr(r) for r in roots])
    return f"{len(roots)} roots ({shown}) are joined under the artificial root {root!r}; it takes part in distances"


def _pair(edge: object, i: int) -> tuple[str, str | None]:
    if not isinstance(edge, (tuple, list)) or len(edge) != 2:
        raise TaxonomyError(f"{edge!r} is not a (child, parent) pair", where=f"edge {i}", remedy="Give pairs of codes.")
    child, parent = edge
    for side, concept in (("child", child), ("parent", parent)):
        if side == "parent" and (concept is None or concept == ""):
            return child, None
        if not isinstance(concept, str) or not concept or concept != concept.strip():
            raise TaxonomyError(
                f"the {side} {concept!r} is not a code",
                where=f"edge {i}",
                remedy="Concepts are text without blanks at its ends; write numbers as text ('012'), so that no zero is "
                "lost.",
            )
    return child, parent


def relation_links(
    pairs: Iterable[tuple[str, str]], position: Mapping[str, int], relation: str
) -> list[tuple[int, int]]:
    rows = []
    for pair in pairs:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise TaxonomyError(
                f"{pair!r} of the relation {relation!r} is not a pair of concepts", remedy="Give pairs."
            )
        a, b = pair
        for concept in (a, b):
            if concept not in position:
                raise TaxonomyError(
                    f"the relation {relation!r} names {concept!r}, which no edge mentions",
                    remedy="Add its edge or leave it out.",
                )
        rows.append((position[a], position[b]))
    return rows
