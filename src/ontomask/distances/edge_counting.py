"""Measures that count links: path, Leacock & Chodorow, Wu & Palmer, the weighted edges of D12; and equality."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ontomask.arrays import Array
from ontomask.distances.measure import DistanceRequest, Measure, Option
from ontomask.distances.sweep import TABLE_CELLS, CheapestPath, DeepestCommon, ShortestPath
from ontomask.errors import MeasureError


def look_up(held: Array, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """values[held], without NumPy's bounds check: every held number is a valid place."""
    return values.take(held, mode="clip")


def path(request: DistanceRequest) -> Array:
    """Fewest is-a links between two concepts through a common ancestor (T12 eq. 3.1)."""
    return request.sweep(ShortestPath(request.closure), lambda held, x, y: held)


def _by_path_in_nodes(request: DistanceRequest, of_nodes: NDArray[np.float64]) -> Array:
    return request.sweep(ShortestPath(request.closure), lambda held, x, y: look_up(held, of_nodes))


def leacock_chodorow(request: DistanceRequest) -> Array:
    """1 - sim / max sim with sim = -log(N_p / 2D), that is log N_p / log 2D (T12 eq. 3.2).

    N_p counts the nodes of the shortest path, D the nodes of the longest path from the root of the taxonomy.
    """
    nodes = np.arange(1.0, 2 * request.dag.depth.max() + 2)
    return _by_path_in_nodes(request, np.log(nodes) / np.log(2.0 * request.dag.depth.max()))


def leacock_chodorow_similarity(request: DistanceRequest) -> Array:
    """-log(N_p / 2D), natural logarithm."""
    nodes = np.arange(1.0, 2 * request.dag.depth.max() + 2)
    return _by_path_in_nodes(request, -np.log(nodes / (2.0 * request.dag.depth.max())))


def wu_palmer(request: DistanceRequest, depth: str = "nodes") -> Array:
    """1 - 2 N3 / (N1 + N2 + 2 N3) (R17 eq. 3; with ``depth="edges"`` T12 eq. 3.3).

    N1, N2: fewest links from each concept up to the LCS; N3: depth of the LCS in nodes (root 1) or edges (root 0).
    """
    fold = DeepestCommon(request.closure)

    def of_key(key: Array) -> NDArray[np.float64]:
        lcs_depth, links = fold.depth_and_links(key)
        whole = links + 2.0 * (lcs_depth - (depth == "edges"))
        # Only the root with itself has 0/0, and it is at no distance from itself.
        return np.divide(links, whole, out=np.zeros(key.shape), where=whole > 0)

    if fold.keys > TABLE_CELLS:
        return request.sweep(fold, lambda held, x, y: of_key(held))
    distance = of_key(np.arange(fold.keys))
    return request.sweep(fold, lambda held, x, y: look_up(held, distance))


def weighted_edge(request: DistanceRequest) -> Array:
    """Least sum of link weights between two concepts in the pruned taxonomy (D12 Algorithm 1).

    The link from a concept at depth i (in edges, longest) up to a parent weighs 2^(L - i), L the depth of the
    pruned taxonomy: the concepts that subsume at least one of those asked for.
    """
    closure = request.closure
    edges = closure.depth - 1
    deepest = int(edges.max())
    if deepest > 52:
        raise MeasureError(
            f"weighted_edge doubles its weights at every level and this part of the taxonomy has {deepest} levels of "
            "links; beyond 52 the sums are no longer exact",
            remedy="Use 'path' or 'logsc', or scope='attribute' if the values lie close together.",
        )
    weight = np.left_shift(np.int64(1), deepest - edges)
    weight[0] = 0  # the root has no link upwards
    return request.sweep(CheapestPath(closure, weight), lambda held, x, y: held)


def equality(request: DistanceRequest) -> Array:
    """0 if the concepts are the same, else 1: the classic, non-semantic setting."""
    result = np.ones((len(request.rows), len(request.columns)), dtype=request.dtype)
    for row, concept in zip(result, request.rows, strict=True):
        row[request.columns == concept] = 0
    return result


MEASURES = (
    Measure(
        "path", "fewest is-a links between two concepts", "Rada et al. 1989; T12 eq. 3.1",
        path, largest=None, metric="on trees",
    ),
    Measure(
        "leacock_chodorow", "logarithm of the path in nodes against twice the depth of the taxonomy",
        "Leacock & Chodorow 1998; T12 eq. 3.2", leacock_chodorow, similarity=leacock_chodorow_similarity,
    ),
    Measure(
        "wu_palmer", "links to the least common subsumer against its depth", "Wu & Palmer 1994; R17 eq. 3, T12 eq. 3.3",
        wu_palmer, complement=True,
        options={"depth": Option("nodes", "Depth of the LCS in nodes (root 1, R17) or in edges (root 0, T12).",
                                 choices=("nodes", "edges"))},
    ),
    Measure(
        "weighted_edge", "sum of link weights that halve with every level", "D12 Algorithm 1",
        weighted_edge, largest=None, metric="on trees", relative_to_request=True,
    ),
    Measure(
        "equality", "0 if equal, else 1: no semantics", "the classic setting of every comparison", equality,
        metric="always", complement=True,
    ),
)  # fmt: skip
