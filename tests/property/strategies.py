"""Random taxonomies, told twice: as the product's ``Taxonomy`` and as the oracle's ``Plain``, from the same edges."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

import ontomask as om
from tests.oracle.plain import Plain

Edge = tuple[str, str | None]

#: Names in no relation to the order of the links. Some are also words of definitions, labels of others, or fold alike.
NAMES = (
    "tau", "K7", "fever", "x", "alpha", "B-2", "ache", "nu", "pain", "Z", "mu", "q.1", "cough", "rash", "w", "E0",
    "eta", "chill", "D", "phi", "sting", "g_3", "burn", "Y", "itch", "omicron",
)  # fmt: skip
#: Few, so that they meet often; some fold alike, one is a stop word, one folds to nothing.
WORDS = ("fever", "pain", "Fièvre", "fievre", "ache", "Sharp pain", "sharp_PAIN", "the", "--", "of the skin", "K7")
RELATIONS = ("part of", "caused by")
#: Choices by the dozen in one draw, many times faster than a draw each. Always of one size, whatever is needed:
#: hypothesis exchanges draws of a kind between examples, and where sizes differ it puts zeros, half of the time.
CHOICES = st.binary(min_size=160, max_size=160)


def cases(count: int) -> int:
    """How many examples to run: as written, or more where HYPOTHESIS_SCALE says so."""
    return max(1, round(count * float(os.environ.get("HYPOTHESIS_SCALE", "1"))))


@dataclass(frozen=True)
class Case:
    """What a taxonomy is made from."""

    edges: Sequence[Edge]
    labels: Mapping[str, str] = field(default_factory=dict)
    synonyms: Mapping[str, Sequence[str]] = field(default_factory=dict)
    definitions: Mapping[str, str] = field(default_factory=dict)
    relations: Mapping[str, Sequence[tuple[str, str]]] = field(default_factory=dict)

    @cached_property
    def real(self) -> om.Taxonomy:
        return om.Taxonomy.from_edges(
            self.edges,
            labels=self.labels,
            synonyms=self.synonyms,
            definitions=self.definitions,
            relations=self.relations,
        )

    @cached_property
    def plain(self) -> Plain:
        parents: dict[str, list[str]] = {}
        for child, parent in self.edges:
            above = parents.setdefault(child, [])
            if parent is not None:
                parents.setdefault(parent, [])
                above.append(parent)
        roots = [c for c, above in parents.items() if not above]
        labels = dict(self.labels)
        if len(roots) > 1:
            # The name and label of the artificial root are the product's to choose; that it comes last is told.
            top = self.real.root
            assert top not in parents
            labels[top] = self.real.label(top)
            for root in roots:
                parents[root].append(top)
            parents[top] = []
        return Plain(parents, labels, self.synonyms, self.definitions, self.relations)

    @property
    def concepts(self) -> list[str]:
        return list(self.plain.parents)


def to_edges(above: Sequence[Sequence[int]], names: Sequence[str], declare: bool) -> list[Edge]:
    """(child, parent) pairs; above[i] are the parents of concept i. Roots without children must be declared."""
    parents = {p for some in above for p in some}
    roots = [i for i, some in enumerate(above) if not some]
    edges: list[Edge] = [(names[i], names[p]) for i, some in enumerate(above) for p in some]
    if declare or any(r not in parents for r in roots):
        edges += [(names[r], None) for r in roots]
    return edges


def _order(draw: DrawFn) -> Callable[[list[Any]], list[Any]]:
    """A random order by one draw (an order is not worth the hundreds that would shrink it); 0 leaves all as it is."""
    seed = draw(st.integers(0, 2**16))
    chance = random.Random(seed)
    return lambda things: chance.sample(things, len(things)) if seed else things


@st.composite
def small_edges(draw: DrawFn, tree: bool = False) -> list[Edge]:
    """1 to 25 concepts, bushy or deep; parents of one concept may be ancestors of one another."""
    n = draw(st.sampled_from((1, 2, 4, 8, 12, 16, 18, 20, 22, 23, 24, 25)))
    width = draw(st.sampled_from((1, 2, 3, 4)))  # concepts a layer: of equal depth, so that subsumers tie
    reach = draw(st.sampled_from((width, 2 * width, 25)))  # near parents make deep taxonomies with many diamonds
    several_roots = draw(st.sampled_from((False, False, False, True)))
    chosen = draw(CHOICES)
    above: list[list[int]] = [[]]
    for i in range(1, n):
        first, *more = chosen[3 * i : 3 * i + 3]  # three bytes a concept say who its parents are
        if several_roots and first >= 192:
            above.append([])
            continue
        layer = 1 + (i - 1) // width * width
        near = {layer - 1 - first % min(reach, layer): None}
        # Second parents may lie further up than the first: the longest way is not the shortest.
        further = {} if tree else {layer - 1 - byte % min(3 * reach, layer): None for byte in more if byte >= 128}
        above.append(list(near | further))
    shuffled = _order(draw)
    return shuffled(to_edges(above, shuffled(list(NAMES)), draw(st.booleans())))


@st.composite
def long_edges(draw: DrawFn, tree: bool = False) -> list[Edge]:
    """A chain that crosses the borders of small integers (127, 255 ancestors), with branches and short cuts."""
    length = draw(st.sampled_from((60, 126, 127, 128, 129, 200, 253, 254, 255, 256, 257, 300)))
    above: list[list[int]] = [[], *([i - 1] for i in range(1, length))]
    for start, size in draw(st.lists(st.tuples(st.integers(0, length - 1), st.integers(1, 60)), max_size=3)):
        above += [[start], *([len(above) + i] for i in range(size - 1))]
    if not tree:
        for _ in range(draw(st.integers(0, 3))):
            child = draw(st.integers(1, len(above) - 1))
            extra = draw(st.integers(0, child - 1))
            if extra not in above[child]:
                above[child].append(extra)
    shuffled = _order(draw)
    names = shuffled([f"n{i}" for i in range(len(above))])
    return shuffled(to_edges(above, names, draw(st.booleans())))


def _words(chosen: Sequence[int]) -> list[str]:
    """At most one word a byte; half the bytes choose none."""
    return [WORDS[byte % len(WORDS)] for byte in chosen if byte >= 128]


@st.composite
def described(draw: DrawFn) -> Case:
    """A small DAG with labels, synonyms, definitions and relations on some of its concepts."""
    edges = draw(small_edges())
    concepts = list(dict.fromkeys(c for edge in edges for c in edge if c is not None))
    n = len(concepts)
    texts = draw(CHOICES)
    labels, synonyms, definitions = {}, {}, {}
    for i, c in enumerate(concepts):
        label, *rest = texts[6 * i : 6 * i + 6]
        # A label that folds to nothing is a case of its own: test_concepts_without_terms.
        if label >= 128 and _words([label]) != ["--"]:
            (labels[c],) = _words([label])
        synonyms[c] = _words(rest[:2])
        definitions[c] = "; ".join(_words(rest[2:]))
    relations = {}
    for r in RELATIONS[: draw(st.integers(0, len(RELATIONS)))]:
        chosen = draw(CHOICES)[: draw(st.integers(0, 30))]
        # Few targets, so that relations meet and make chains.
        pairs = [(a % n, b % min(n, 6)) for a, b in zip(chosen[::2], chosen[1::2], strict=False)]
        relations[r] = list(dict.fromkeys((concepts[a], concepts[b]) for a, b in pairs if a != b))
    return Case(edges, labels, synonyms, definitions, relations)


def dags() -> SearchStrategy[Case]:
    return small_edges().map(Case)


def trees() -> SearchStrategy[Case]:
    return small_edges(tree=True).map(Case)


def long_dags() -> SearchStrategy[Case]:
    return long_edges().map(Case)


def long_trees() -> SearchStrategy[Case]:
    return long_edges(tree=True).map(Case)


@st.composite
def lists_of(draw: DrawFn, case: Case, max_size: int = 8, min_size: int = 1) -> list[str]:
    """Concepts of a taxonomy, some more than once; at times all from one branch, so that tau(X) is a part."""
    among = case.concepts
    branches = [c for c in among if len(case.plain.descendants[c]) > 2]
    if branches and draw(st.booleans()):
        top = draw(st.sampled_from(branches))
        among = [c for c in among if top in case.plain.subsumers[c]]
    size = max(min_size, draw(st.sampled_from((1, 2, max_size // 2, max_size, max_size))))
    chosen = draw(CHOICES)
    return [among[int.from_bytes(chosen[2 * i : 2 * i + 2]) % len(among)] for i in range(size)]
