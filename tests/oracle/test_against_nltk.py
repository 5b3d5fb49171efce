"""Our measures beside NLTK's on random WordNet nouns: equal wherever both define the same thing.

Where not, and why:

* ``path``: no difference for nouns.
* ``lin``: no difference when NLTK is given the same counts.
* ``wu_palmer``: NLTK looks for the common ancestor that is deepest by its *shortest* way to the root, the specification by the
  longest; where that makes NLTK choose another concept, the values differ (and NLTK's need not be 1 for a concept
  with itself). NLTK also measures the way to the ancestor by the shortest path, which may lead round a third concept
  where the specification goes straight up.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

import numpy as np
import pytest

import ontomask as om
from benchmarks import peers

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def nltk_wordnet(tmp_path_factory: pytest.TempPathFactory) -> Any:
    pytest.importorskip("nltk", reason="NLTK is not installed")
    if not (peers.DEBIAN_WORDNET / "data.noun").exists():
        pytest.skip("Debian's wordnet-base is not installed")
    return peers.nltk_wordnet(tmp_path_factory.mktemp("nltk"))


@pytest.fixture(scope="module")
def pairs(wordnet: om.Taxonomy) -> list[tuple[str, str]]:
    rng = np.random.default_rng(20)
    chosen = rng.integers(len(wordnet), size=(250, 2))
    near = [
        (i, int(rng.choice(wordnet.dag.children.row(p)))) for i, _ in chosen for p in wordnet.dag.parents.row(i)[:1]
    ]
    return [(wordnet.concepts[a], wordnet.concepts[b]) for a, b in [*chosen.tolist(), *near]]


def test_names_are_the_same(wordnet: om.Taxonomy, nltk_wordnet: Any, pairs: list[tuple[str, str]]) -> None:
    for a, _ in pairs:
        synset = nltk_wordnet.synset(a)
        assert wordnet.position(f"{synset.offset():08d}") == wordnet.position(a)


def test_path(wordnet: om.Taxonomy, nltk_wordnet: Any, pairs: list[tuple[str, str]]) -> None:
    for a, b in pairs:
        theirs = nltk_wordnet.synset(a).shortest_path_distance(nltk_wordnet.synset(b))
        assert om.distance(wordnet, a, b, "path") == theirs


def links_up(t: om.Taxonomy, concept: str, ancestor: str) -> int:
    """Fewest links from a concept straight up to one of its ancestors."""
    at = t.dag.ancestor_pairs(np.array([t.position(concept)]))
    return int(at.links[at.concept == t.position(ancestor)][0])


def test_wu_palmer(wordnet: om.Taxonomy, nltk_wordnet: Any, pairs: list[tuple[str, str]]) -> None:
    agree = 0
    for a, b in pairs:
        one, two = nltk_wordnet.synset(a), nltk_wordnet.synset(b)
        common = one.lowest_common_hypernyms(two, use_min_depth=True)
        chosen = f"{(one if one in common else common[0]).offset():08d}"
        ours, theirs = om.similarity(wordnet, a, b, "wu_palmer"), one.wup_similarity(two)
        # NLTK's own rule, from our depth and path: no pair is left unexplained.
        depth = wordnet.depth(chosen)
        links = om.distance(wordnet, a, chosen, "path") + om.distance(wordnet, b, chosen, "path")
        assert theirs == pytest.approx(2 * depth / (links + 2 * depth), abs=1e-12)
        # Where its ancestor is the LCS and its ways to it lead straight up, both define the same.
        lcs = wordnet.lcs([a, b])
        if depth == wordnet.depth(lcs) and links == links_up(wordnet, a, lcs) + links_up(wordnet, b, lcs):
            assert ours == pytest.approx(theirs, abs=1e-12)
            agree += 1
    assert agree > 0.9 * len(pairs)


def test_lin(wordnet: om.Taxonomy, nltk_wordnet: Any, pairs: list[tuple[str, str]]) -> None:
    rng = np.random.default_rng(3)
    counts = {c: int(n) for c, n in zip(wordnet.concepts, rng.geometric(0.2, len(wordnet)), strict=True)}
    content = om.information_content(wordnet, "corpus", counts)
    offset = {position: int(o) for o, position in wordnet.aliases.items()}
    ic: dict[str, dict[int, float]] = {"n": defaultdict(float)}
    for position, concept in enumerate(wordnet.concepts):
        ic["n"][offset[position]] = math.exp(-content[concept])
    ic["n"][0] = 1.0
    flat = sorted({c for pair in pairs for c in pair})
    table = om.similarity_matrix(wordnet, flat, "lin", ic="corpus", counts=counts)
    place = {c: i for i, c in enumerate(flat)}
    for a, b in pairs:
        theirs = nltk_wordnet.synset(a).lin_similarity(nltk_wordnet.synset(b), ic)
        assert table[place[a], place[b]] == pytest.approx(theirs, abs=1e-9)
