"""Measures that compare sets of features: ancestors, synonyms, neighbours, words of the definition."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ontomask.arguments import is_number, is_whole
from ontomask.arrays import Array, Floats
from ontomask.distances.measure import DistanceRequest, Measure, Option
from ontomask.distances.sweep import TABLE_CELLS, SharedAncestors
from ontomask.taxonomy.dag import Csr
from ontomask.taxonomy.lexicon import fold

if TYPE_CHECKING:
    from scipy.sparse import csr_array  # late: it takes 0.15 s to load

Places = NDArray[np.int64]

#: Words of a definition that say nothing about what is defined.
STOP_WORDS = frozenset(
    "a an and are as at be by for from has have in into is it its of on or such than that the their this to used "
    "usually was were which who whose with".split()
)


def logsc(request: DistanceRequest) -> Array:
    """log2(1 + (|T u T'| - |T n T'|) / |T u T'|): the share of ancestors not in common (M13 eq. 1, T12 eq. 3.9)."""
    closure = request.closure
    counts = closure.subsumer_counts
    most = int(counts.max())
    width = 2 * most + 1
    if (most + 1) * width > TABLE_CELLS:
        return request.sweep(SharedAncestors(closure), lambda held, x, y: _logsc(held, counts[x][:, None] + counts[y]))
    # The distance depends on two small numbers only: all of them are computed once and looked up.
    shared, both = np.divmod(np.arange((most + 1) * width), width)
    distance = np.zeros(len(shared))
    valid = (2 * shared <= both) & (both > 0)
    distance[valid] = _logsc(shared[valid], both[valid])

    def finish(held: Array, x: Places, y: Places) -> Floats:
        place = np.multiply(held, width, dtype=np.intp)
        place += counts[y]
        place += counts[x][:, None]
        return distance.take(place, mode="clip")

    return request.sweep(SharedAncestors(closure), finish)


def _logsc(shared: Array, both: Array) -> Floats:
    """``both`` = |T| + |T'|."""
    union = both - shared.astype(np.int64)
    result: Floats = np.log2(1 + (union - shared) / union)
    return result


def tversky(request: DistanceRequest, features: str) -> Array:
    """1 - Tversky's similarity with T12's gamma from the depths, the mean of both directions (T12 eq. 3.4-3.5)."""
    if features == "synonyms":
        return _synonym_tversky(request)
    counts, depth = request.closure.subsumer_counts, request.closure.depth

    def finish(held: Array, x: Places, y: Places) -> Floats:
        gamma = _gamma(depth[x], depth[y])
        return _tversky(held.astype(np.float64), counts[x].astype(float), counts[y].astype(float), gamma)

    return request.sweep(SharedAncestors(request.closure), finish)


def _gamma(rows: Places, columns: Places) -> Floats:
    """depth of the shallower over the sum of both depths (eq. 3.5, which comes to this in both its cases)."""
    gamma: Floats = np.minimum(rows[:, None], columns) / (rows[:, None] + columns)
    return gamma


def _tversky(shared: Floats, rows: Floats, columns: Floats, gamma: Floats) -> Floats:
    only_x, only_y = rows[:, None] - shared, columns - shared
    there = shared + gamma * only_x + (1 - gamma) * only_y
    back = shared + gamma * only_y + (1 - gamma) * only_x
    # shared is 0 wherever a sum is: two empty sets have nothing in common.
    forth = np.divide(shared, there, out=np.zeros_like(shared), where=there > 0)
    return 1 - (forth + np.divide(shared, back, out=np.zeros_like(shared), where=back > 0)) / 2


def _synonym_tversky(request: DistanceRequest) -> Array:
    terms = _Sets(request, _terms(request))
    depth = request.dag.depth.astype(np.int64)

    def rows_of(block: slice) -> Floats:
        gamma = _gamma(depth[request.rows[block]], depth[request.columns])
        distance = _tversky(terms.shared(block), terms.row_sizes[block], terms.column_sizes, gamma)
        distance[request.rows[block, None] == request.columns] = 0  # also without any term
        return distance

    return request.by_rows(rows_of)


def rodriguez(request: DistanceRequest, weights: Sequence[float], radius: int) -> Array:
    """1 - (w S_synonyms + u S_features + v S_neighbourhood) / (the weights that apply) (T12 eq. 3.6).

    Each S is |A n B| / |A u B|: over label and synonyms; over distinguishing features, which are the concepts
    reached by relations other than is-a and the words of the definition; and over the semantic neighbourhood, the
    concepts within ``radius`` links of any relation, the concept itself included. A set empty on both sides drops
    out and the weights are scaled up. Different concepts alike in every set are at distance 0.
    """
    relations = list(request.taxonomy.relations.values())
    features = [
        _step(request, relations, [c]) | {f"word {w}" for w in _words(request.taxonomy.definition_at(c))}
        for c in _asked(request)
    ]
    parts = [_Sets(request, _terms(request)), _Sets(request, features), _Sets(request, _neighbours(request, radius))]

    def rows_of(block: slice) -> Floats:
        total: Floats = np.zeros((len(request.rows[block]), len(request.columns)))
        applied = np.zeros_like(total)
        for weight, part in zip(weights, parts, strict=True):
            likeness, known = part.jaccard(block)
            total += weight * likeness
            applied += weight * known
        distance = 1 - np.divide(total, applied, out=np.zeros_like(total), where=applied > 0)
        distance[request.rows[block, None] == request.columns] = 0
        return distance.clip(0, 1)

    return request.by_rows(rows_of)


def x_similarity(request: DistanceRequest) -> Array:
    """1 - X-similarity (T12 eq. 3.7-3.8): 1 where synonyms meet, else the best of neighbourhoods and definitions.

    A neighbourhood is what is reached by following one relation to its end: the ancestors for is-a, the wholes for
    part-of, and so on. Each relation is compared apart and the greatest likeness counts; definitions are compared by
    their words.
    """
    terms = _Sets(request, _terms(request))
    links = (request.taxonomy.dag.parents, *request.taxonomy.relations.values())
    neighbourhoods = [_Sets(request, [_followed(request, link, c) for c in _asked(request)]) for link in links]
    described = _Sets(request, [set(_words(request.taxonomy.definition_at(c))) for c in _asked(request)])

    def rows_of(block: slice) -> Floats:
        best: Floats = np.zeros((len(request.rows[block]), len(request.columns)))
        for part in (*neighbourhoods, described):
            np.maximum(best, part.jaccard(block)[0], out=best)
        best[terms.shared(block) > 0] = 1
        best[request.rows[block, None] == request.columns] = 1
        return 1 - best

    return request.by_rows(rows_of)


# ---- sets of features -------------------------------------------------------------------------------------------


class _Sets:
    """A set of features for every concept asked for, as sparse 0/1 rows: intersections are matrix products."""

    def __init__(self, request: DistanceRequest, sets: Sequence[set[Any]]) -> None:
        from scipy.sparse import csr_array  # late: it takes 0.15 s to load

        number: dict[Any, int] = {}
        # Sorted, so that the numbering, and with it every sum, is the same in each run.
        indices = [number.setdefault(f, len(number)) for s in sets for f in sorted(s, key=repr)]
        size = np.array([len(s) for s in sets], dtype=np.int64)
        start = np.concatenate(([0], np.cumsum(size)))
        matrix = csr_array((np.ones(len(indices)), indices, start), shape=(len(sets), max(1, len(number))))
        at_rows, at_columns = (np.searchsorted(request.asked, places) for places in (request.rows, request.columns))
        self._rows: csr_array = matrix[at_rows]
        self._columns: csr_array = matrix[at_columns].T.tocsr()
        self.row_sizes, self.column_sizes = size[at_rows].astype(float), size[at_columns].astype(float)

    def shared(self, block: slice) -> Floats:
        """|A n B| for a block of rows."""
        product: Floats = (self._rows[block] @ self._columns).toarray()
        return product

    def jaccard(self, block: slice) -> tuple[Floats, NDArray[np.bool_]]:
        """|A n B| / |A u B|, 0 where both are empty, and where they are not."""
        shared = self.shared(block)
        union = self.row_sizes[block, None] + self.column_sizes - shared
        known = union > 0
        return np.divide(shared, union, out=shared, where=known), known


def _asked(request: DistanceRequest) -> list[int]:
    """The concepts asked for, each once, as positions in the taxonomy."""
    return [int(i) for i in request.in_taxonomy(request.asked)]


def _terms(request: DistanceRequest) -> list[set[str]]:
    return [{fold(term) for term in request.taxonomy.terms(c)} - {""} for c in _asked(request)]


def _words(text: str | None) -> Iterable[str]:
    return (word for word in fold(text or "").split() if word not in STOP_WORDS)


def _step(request: DistanceRequest, links: Sequence[Csr], concepts: Iterable[int]) -> set[int]:
    """What is one link away; links that lead out of the request's scope are cut."""
    reached = {int(n) for c in concepts for link in links for n in link.row(c)}
    return reached if request.kept is None else reached & request.inside


def _followed(request: DistanceRequest, link: Csr, concept: int) -> set[int]:
    """All concepts reached by following one relation, the concept itself left out."""
    reached: set[int] = set()
    edge = {concept}
    while edge:
        edge = _step(request, [link], edge) - reached
        reached |= edge
    return reached - {concept}


def _neighbours(request: DistanceRequest, radius: int) -> list[set[int]]:
    """Concepts within ``radius`` links of any relation, either way, with the concept itself."""
    t = request.taxonomy
    links = [t.dag.parents, t.dag.children]
    for relation, forward in t.relations.items():
        links += [forward, t.reverse_relation(relation)]
    found = []
    for concept in _asked(request):
        near, edge = {concept}, {concept}
        for _ in range(radius):
            edge = _step(request, links, edge) - near
            if not edge:
                break
            near |= edge
        found.append(near)
    return found


def _check_weights(value: Any) -> str | None:
    numbers = list(value) if isinstance(value, (list, tuple, np.ndarray)) else []
    if not all(is_number(v) for v in numbers):
        numbers = []
    if len(numbers) == 3 and min(numbers) >= 0 and 0 < sum(numbers) < np.inf:
        return None
    return "three numbers >= 0, not all 0: for synonyms, features and neighbourhood"


MEASURES = (
    Measure(
        "logsc", "share of ancestors not in common, on a log scale: the default",
        "Batet, Sanchez & Valls 2011; M13 eq. 1, T12 eq. 3.9", logsc, metric="always",
    ),
    Measure(
        "tversky", "common against distinct features, weighted by depth", "Tversky 1977; T12 eq. 3.4-3.5",
        tversky, complement=True,
        options={"features": Option("ancestors", "What is compared: T(c), or label and synonyms.",
                                    choices=("ancestors", "synonyms"))},
    ),
    Measure(
        "rodriguez", "likeness of synonyms, features and neighbourhood", "Rodriguez & Egenhofer 2003; T12 eq. 3.6",
        rodriguez, complement=True,
        options={
            "weights": Option((1 / 3, 1 / 3, 1 / 3), "Weights of synonyms, features and neighbourhood.",
                              check=_check_weights),
            "radius": Option(1, "How many links the neighbourhood reaches.",
                             check=lambda n: None if is_whole(n) and n >= 1 else "a whole number >= 1"),
        },
    ),
    Measure(
        "x_similarity", "synonyms that meet, else the best of neighbourhoods and definitions",
        "Petrakis et al. 2006; T12 eq. 3.7-3.8", x_similarity, complement=True,
    ),
)  # fmt: skip
