"""The definitions of specification 1 and 2, written to be checked against the papers and nothing else.

Slow on purpose: dicts, sets and loops, one pair of concepts at a time. The product must give the same numbers
(tests/property). Written from docs/specification.md and T12 section 3.2, without sight of the product's arrays.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ontomask.distances.features import STOP_WORDS
from ontomask.taxonomy.lexicon import fold

Parents = Mapping[str, Sequence[str]]
Matrix = list[list[float]]


# ---- the taxonomy (specification 1) -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Plain:
    """A rooted DAG: each concept with its parents, in taxonomy order (the order that breaks ties); one root."""

    parents: Parents
    labels: Mapping[str, str] = field(default_factory=dict)
    synonyms: Mapping[str, Sequence[str]] = field(default_factory=dict)
    definitions: Mapping[str, str] = field(default_factory=dict)
    #: Relations other than is-a: name -> (from, to) pairs.
    relations: Mapping[str, Sequence[tuple[str, str]]] = field(default_factory=dict)

    @cached_property
    def root(self) -> str:
        (root,) = (c for c, above in self.parents.items() if not above)
        return root

    @cached_property
    def children(self) -> dict[str, list[str]]:
        return {c: [d for d, above in self.parents.items() if c in above] for c in self.parents}

    @cached_property
    def subsumers(self) -> dict[str, set[str]]:
        """T(c): all ancestors of c, c included."""
        return {c: _reachable(c, self.parents) for c in self.parents}

    @cached_property
    def descendants(self) -> dict[str, set[str]]:
        """All concepts below c, c not included."""
        below: dict[str, set[str]] = {c: set() for c in self.parents}
        for d in self.parents:
            for c in self.subsumers[d] - {d}:
                below[c].add(d)
        return below

    @cached_property
    def depth(self) -> dict[str, int]:
        """Nodes on the longest path from the root to c, both included."""
        return _longest(self.parents)

    @cached_property
    def height(self) -> dict[str, int]:
        """Nodes on the longest path from c down to a leaf, both included."""
        return _longest(self.children)

    @cached_property
    def links(self) -> dict[str, dict[str, int]]:
        """links[c][a]: the fewest is-a links from c up to its ancestor a."""
        return {c: cheapest_way_up(self, c, lambda child: 1) for c in self.parents}

    def order(self, concept: str) -> int:
        """The place of a concept in the taxonomy, the last tie-breaker."""
        return list(self.parents).index(concept)

    # What a concept is called and what is said of it: for the measures over features (specification 2).

    def terms(self, concept: str) -> set[str]:
        """Label (by default the code) and synonyms, folded. A text without a letter or digit names nothing."""
        texts = [self.labels.get(concept, concept), *self.synonyms.get(concept, ())]
        return {fold(text) for text in texts} - {""}

    def words(self, concept: str) -> set[str]:
        """The words of the definition that mean something."""
        return set(fold(self.definitions.get(concept, "")).split()) - set(STOP_WORDS)

    def is_a_neighbours(self, concept: str) -> set[str]:
        return {*self.parents[concept], *self.children[concept]}

    def targets(self, concept: str) -> set[str]:
        """Where the other relations lead, in the direction they are written, all relations together."""
        return {b for pairs in self.relations.values() for a, b in pairs if a == concept}

    def related(self, concept: str, relation: str) -> set[str]:
        """Neighbours by one relation, in either direction."""
        pairs = self.relations[relation]
        return {b for a, b in pairs if a == concept} | {a for a, b in pairs if b == concept}

    def followed(self, concept: str, relation: str) -> set[str]:
        """All that is reached by following one relation as it is written, any number of steps; not the concept."""
        links = {c: [b for a, b in self.relations[relation] if a == c] for c in self.parents}
        return _reachable(concept, links) - {concept}

    def neighbourhood(self, concept: str, radius: int) -> set[str]:
        """Concepts within so many links of any kind and direction, the concept itself included."""
        reached = {concept}
        for _ in range(radius):
            step = set(reached)
            for c in reached:
                step |= self.is_a_neighbours(c).union(*(self.related(c, r) for r in self.relations))
            reached = step
        return reached


def _reachable(start: str, links: Parents) -> set[str]:
    found, waiting = {start}, [start]
    while waiting:
        for c in links[waiting.pop()]:
            if c not in found:
                found.add(c)
                waiting.append(c)
    return found


def _longest(links: Parents) -> dict[str, int]:
    """Nodes on the longest way from each concept to where the links end."""
    length: dict[str, int] = {}
    while len(length) < len(links):
        for c, following in links.items():
            if c not in length and all(f in length for f in following):
                length[c] = 1 + max((length[f] for f in following), default=0)
    return length


def cheapest_way_up(t: Plain, concept: str, weight: Callable[[str], int]) -> dict[str, int]:
    """Per ancestor, the least sum of link weights on a way up to it; a link weighs by its child."""
    cost = {concept: 0}
    # A child lies deeper than its parents: taken deepest first, each ancestor is final when its turn comes.
    for c in sorted(t.subsumers[concept], key=lambda c: -t.depth[c]):
        for parent in t.parents[c]:
            by_here = cost[c] + weight(c)
            cost[parent] = min(cost.get(parent, by_here), by_here)
    return cost


def common_subsumers(t: Plain, values: Iterable[str]) -> set[str]:
    return set.intersection(*(t.subsumers[v] for v in values))


def lcs(t: Plain, values: Iterable[str]) -> str:
    """LCS(V): the deepest common subsumer; tie: fewest links to the values in all, then taxonomy order."""
    distinct = set(values)
    return min(
        common_subsumers(t, distinct),
        key=lambda s: (-t.depth[s], sum(t.links[v][s] for v in distinct), t.order(s)),
    )


def minimum_hierarchy(t: Plain, values: Iterable[str]) -> set[str]:
    """H(V): the union over the values of all concepts on any is-a path between the value and LCS(V) (T12 def. 5)."""
    distinct = set(values)
    top = lcs(t, distinct)
    return {c for v in distinct for c in t.subsumers[v] if top in t.subsumers[c]}


def attribute_taxonomy(t: Plain, values: Iterable[str]) -> Plain:
    """tau(X): LCS(X) and everything below it; links to the outside are cut (R17 def. 2)."""
    top = lcs(t, values)
    inside = {top} | t.descendants[top]
    return Plain(
        parents={c: [p for p in above if p in inside] for c, above in t.parents.items() if c in inside},
        labels={c: text for c, text in t.labels.items() if c in inside},
        synonyms={c: texts for c, texts in t.synonyms.items() if c in inside},
        definitions={c: text for c, text in t.definitions.items() if c in inside},
        relations={r: [(a, b) for a, b in pairs if a in inside and b in inside] for r, pairs in t.relations.items()},
    )


def pruned_tree(t: Plain, values: Iterable[str]) -> set[str]:
    """The concepts that subsume at least one value (D12 Algorithm 1, step 1)."""
    return set().union(*(t.subsumers[v] for v in values))


# ---- information content (specification 2; T12 eq. 3.10) ---------------------------------------------------------


def intrinsic_ic(t: Plain) -> dict[str, float]:
    """Seco 2004: 1 - ln(descendants + 1) / ln(concepts). A lone root says nothing."""
    total = len(t.parents)
    if total == 1:
        return {t.root: 0.0}
    return {c: 1 - math.log(len(t.descendants[c]) + 1) / math.log(total) for c in t.parents}


def sanchez_ic(t: Plain) -> dict[str, float]:
    """Sanchez 2011: -ln((leaves(c) / |T(c)| + 1) / (leaves(root) + 1)); a leaf is not its own leaf."""
    leaves = {c: sum(not t.children[d] for d in t.descendants[c]) for c in t.parents}
    return {c: -math.log((leaves[c] / len(t.subsumers[c]) + 1) / (leaves[t.root] + 1)) for c in t.parents}


def corpus_ic(t: Plain, counts: Mapping[str, int]) -> dict[str, float]:
    """-ln p(c) (T12 eq. 3.10), p from one more than the counts of c and all below it, each once, over the root's."""
    own = {c: counts.get(c, 0) + 1 for c in t.parents}
    seen = {c: own[c] + sum(own[d] for d in t.descendants[c]) for c in t.parents}
    return {c: -math.log(seen[c] / seen[t.root]) for c in t.parents}


def information_content(t: Plain, kind: str, counts: Mapping[str, int] | None = None) -> dict[str, float]:
    if kind == "corpus":
        return corpus_ic(t, counts or {})
    return {"intrinsic": intrinsic_ic, "sanchez": sanchez_ic}[kind](t)


# ---- measures over links -----------------------------------------------------------------------------------------


def path(t: Plain, a: str, b: str) -> int:
    """T12 eq. 3.1: the fewest is-a links between a and b through a common ancestor, be it the LCS or not."""
    return min(t.links[a][s] + t.links[b][s] for s in common_subsumers(t, (a, b)))


def leacock_chodorow_similarity(t: Plain, a: str, b: str) -> float:
    """T12 eq. 3.2: -ln(N_p / 2D), N_p the path in nodes, D the depth of the taxonomy in nodes."""
    return -math.log((path(t, a, b) + 1) / (2 * max(t.depth.values())))


def leacock_chodorow(t: Plain, a: str, b: str) -> float:
    """Specification 2: 1 - sim / max sim; the similarity is greatest on a path of one node."""
    return 1 - leacock_chodorow_similarity(t, a, b) / leacock_chodorow_similarity(t, t.root, t.root)


def wu_palmer(t: Plain, a: str, b: str, depth: str = "nodes") -> float:
    """1 - 2 N3 / (N1 + N2 + 2 N3): R17 eq. 3 with N3 in nodes, T12 eq. 3.3 with N3 in edges."""
    s = lcs(t, (a, b))
    n1, n2 = t.links[a][s], t.links[b][s]
    n3 = t.depth[s] if depth == "nodes" else t.depth[s] - 1
    if n1 + n2 + 2 * n3 == 0:  # (root, root) in edges
        return 0.0
    return 1 - 2 * n3 / (n1 + n2 + 2 * n3)


def weighted_edge(t: Plain, a: str, b: str, asked: Collection[str]) -> int:
    """D12 Algorithm 1: the cheapest path in the pruned tree; an edge down to depth i (in edges) weighs 2^(L-i)."""
    deepest = max(t.depth[c] - 1 for c in pruned_tree(t, asked))

    def weight(child: str) -> int:
        return 2 ** (deepest - (t.depth[child] - 1))

    up_a, up_b = cheapest_way_up(t, a, weight), cheapest_way_up(t, b, weight)
    return min(up_a[s] + up_b[s] for s in common_subsumers(t, (a, b)))


def equality(t: Plain, a: str, b: str) -> float:
    """0 if equal else 1."""
    return 0.0 if a == b else 1.0


# ---- measures over features --------------------------------------------------------------------------------------


def logsc(t: Plain, a: str, b: str) -> float:
    """M13 eq. 1, T12 eq. 3.9: log2(1 + (|T u T'| - |T n T'|) / |T u T'|)."""
    either, both = t.subsumers[a] | t.subsumers[b], t.subsumers[a] & t.subsumers[b]
    return math.log2(1 + (len(either) - len(both)) / len(either))


def tversky_gamma(t: Plain, a: str, b: str) -> float:
    """T12 eq. 3.5."""
    share = t.depth[a] / (t.depth[a] + t.depth[b])
    return share if t.depth[a] <= t.depth[b] else 1 - share


def tversky_one_way(t: Plain, a: str, b: str, features: str) -> float:
    """T12 eq. 3.4, as printed: not symmetric."""
    sets = t.subsumers if features == "ancestors" else {c: t.terms(c) for c in (a, b)}
    common, only_a, only_b = sets[a] & sets[b], sets[a] - sets[b], sets[b] - sets[a]
    gamma = tversky_gamma(t, a, b)
    if not common:
        return 0.0
    return len(common) / (len(common) + gamma * len(only_a) + (1 - gamma) * len(only_b))


def tversky(t: Plain, a: str, b: str, features: str = "ancestors") -> float:
    """Specification 2: 1 - the mean of both directions of T12 eq. 3.4."""
    if a == b:
        return 0.0
    return 1 - (tversky_one_way(t, a, b, features) + tversky_one_way(t, b, a, features)) / 2


def jaccard(one: Collection[Any], other: Collection[Any]) -> float:
    """|A n B| / |A u B|; two empty sets have nothing in common."""
    either = set(one) | set(other)
    return len(set(one) & set(other)) / len(either) if either else 0.0


def rodriguez(t: Plain, a: str, b: str, weights: Sequence[float] = (1 / 3, 1 / 3, 1 / 3), radius: int = 1) -> float:
    """1 - (w S_synsets + u S_features + v S_neighbourhoods), T12 eq. 3.6.

    What is empty on both concepts drops out and the other weights are renormalised; where nothing is left, 1.
    """
    if a == b:
        return 0.0

    def features(c: str) -> set[tuple[str, str]]:
        # A target and a word that happen to be spelt alike are still two things.
        return {("concept", x) for x in t.targets(c)} | {("word", x) for x in t.words(c)}

    compared = [
        (t.terms(a), t.terms(b)),
        (features(a), features(b)),
        (t.neighbourhood(a, radius), t.neighbourhood(b, radius)),
    ]
    kept = [(w, jaccard(x, y)) for w, (x, y) in zip(weights, compared, strict=True) if x or y]
    whole = sum(w for w, _ in kept)
    return 1 - sum(w * s for w, s in kept) / whole if whole > 0 else 1.0


def x_similarity(t: Plain, a: str, b: str) -> float:
    """T12 eq. 3.7-3.8: 0 where terms meet, else 1 - the best of the neighbourhoods and definition words.

    There is one neighbourhood per relation: all that is reached by following it (is-a: the ancestors).
    """
    if a == b or t.terms(a) & t.terms(b):
        return 0.0
    neighbourhoods = [jaccard(t.subsumers[a] - {a}, t.subsumers[b] - {b})]
    neighbourhoods += [jaccard(t.followed(a, r), t.followed(b, r)) for r in t.relations]
    return 1 - max(*neighbourhoods, jaccard(t.words(a), t.words(b)))


# ---- measures over information content ---------------------------------------------------------------------------


def resnik_similarity(t: Plain, a: str, b: str, ic: Mapping[str, float]) -> float:
    """T12 eq. 3.11: IC(LCS), the LCS being the common ancestor of greatest IC."""
    return max(ic[s] for s in common_subsumers(t, (a, b)))


def resnik(t: Plain, a: str, b: str, ic: Mapping[str, float]) -> float:
    """Specification 2: 1 - IC(LCS) / max IC, 0 from a concept to itself."""
    return 0.0 if a == b else 1 - resnik_similarity(t, a, b, ic) / max(ic.values())


def lin(t: Plain, a: str, b: str, ic: Mapping[str, float]) -> float:
    """1 - T12 eq. 3.12; 0/0 at the root = 0."""
    if a == b:
        return 0.0
    return 1 - 2 * resnik_similarity(t, a, b, ic) / (ic[a] + ic[b])


def jiang_conrath(t: Plain, a: str, b: str, ic: Mapping[str, float]) -> float:
    """T12 eq. 3.13 over 2 max IC."""
    if a == b:
        return 0.0
    return (ic[a] + ic[b] - 2 * resnik_similarity(t, a, b, ic)) / (2 * max(ic.values()))


# ---- measures over vectors ---------------------------------------------------------------------------------------


def cosine(v: Sequence[float], w: Sequence[float]) -> float:
    """T12 eq. 3.14."""
    # Lengths are taken out first: squares of very large or small numbers leave the range of floats.
    return math.fsum((x / math.hypot(*v)) * (y / math.hypot(*w)) for x, y in zip(v, w, strict=True))


def context_vector(t: Plain, a: str, b: str, vectors: Mapping[str, Sequence[float]]) -> float:
    """1 - T12 eq. 3.14, 0 from a concept to itself."""
    return 0.0 if a == b else 1 - cosine(vectors[a], vectors[b])


# ---- whole tables ------------------------------------------------------------------------------------------------

OVER_IC = {"resnik": resnik, "lin": lin, "jiang_conrath": jiang_conrath}
OVER_TAXONOMY: dict[str, Callable[..., float]] = {
    "path": path,
    "leacock_chodorow": leacock_chodorow,
    "wu_palmer": wu_palmer,
    "equality": equality,
    "logsc": logsc,
    "tversky": tversky,
    "rodriguez": rodriguez,
    "x_similarity": x_similarity,
    "context_vector": context_vector,
}
SIMILARITIES = {"leacock_chodorow": leacock_chodorow_similarity, "resnik": resnik_similarity}


def _table(
    t: Plain,
    concepts: Sequence[str],
    measure: str,
    against: Sequence[str] | None,
    scope: str,
    functions: Mapping[str, Callable[..., float]],
    options: Mapping[str, Any],
) -> Matrix:
    asked = [*concepts, *(against or ())]
    if scope == "attribute":
        t = attribute_taxonomy(t, asked)
    function, extra = functions[measure], dict(options)
    if measure in OVER_IC:
        counts = extra.pop("counts", None)
        extra["ic"] = information_content(t, extra.get("ic", "intrinsic"), Counter(asked) if counts is None else counts)
    elif measure == "weighted_edge":
        extra["asked"] = asked
    columns = concepts if against is None else against
    return [[function(t, a, b, **extra) for b in columns] for a in concepts]


def distance_matrix(
    t: Plain,
    concepts: Sequence[str],
    measure: str,
    *,
    against: Sequence[str] | None = None,
    scope: str = "taxonomy",
    **options: Any,
) -> Matrix:
    """Every concept against every other, or against the columns; what depends on the list asked for takes both."""
    functions = {**OVER_TAXONOMY, **OVER_IC, "weighted_edge": weighted_edge}
    return _table(t, concepts, measure, against, scope, functions, options)


def similarity_matrix(
    t: Plain,
    concepts: Sequence[str],
    measure: str,
    *,
    against: Sequence[str] | None = None,
    scope: str = "taxonomy",
    **options: Any,
) -> Matrix:
    """The similarity a paper prints; where its distance is 1 - sim, sim is 1 - distance."""
    if measure in SIMILARITIES:
        return _table(t, concepts, measure, against, scope, SIMILARITIES, options)
    table = distance_matrix(t, concepts, measure, against=against, scope=scope, **options)
    return [[1 - d for d in row] for row in table]
