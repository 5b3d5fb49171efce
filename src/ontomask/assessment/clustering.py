"""Cluster preservation: clusters of original and masked records compared (T12 5.2.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.arguments import counted, whole_from
from ontomask.arrays import Floats
from ontomask.assessment.pairing import Pairing, pair_frames
from ontomask.distances.measures import get_measure
from ontomask.errors import DataError
from ontomask.microdata.encoding import Table
from ontomask.operators.record_distance import RecordDistance
from ontomask.statistics.sample import first_least

Labels = NDArray[np.int64]

#: More clusters than this are never looked for where the number is not given.
MOST_CLUSTERS = 20
#: Records that are clustered where nothing else is said.
SAMPLE = 2_000
#: Records that are clustered at most: their distances are held as a matrix.
MOST_RECORDS = 20_000


@dataclass(frozen=True)
class ClusteringDistance:
    """``distance``: 0 for the same clusters, 1 for clusters that say nothing about each other (T12 eq. 5.3).

    ``clusters``: how many the data were cut into; ``records``: how many were clustered, a random sample of
    ``available`` ones where these are more.
    """

    distance: float
    clusters: int
    records: int
    available: int

    @property
    def sampled(self) -> bool:
        """Does the figure rest on a random sample?"""
        return self.records < self.available

    def __str__(self) -> str:
        rest = f"a random sample of {self.records:,} of " if self.sampled else ""
        return f"{self.distance:.3f} ({counted(self.clusters, 'cluster')}; {rest}{counted(self.available, 'record')})"


def clustering_distance(
    original: Any,
    masked: Any,
    attributes: Any,
    *,
    measure: str | None = None,
    clusters: int | None = None,
    sample: int = SAMPLE,
    seed: int = 0,
    records: Sequence[int] | None = None,
    aligned: bool = False,
    **options: Any,
) -> ClusteringDistance:
    """How differently original and masked records fall into clusters, 0..1 (T12 eq. 5.3-5.6).

    Parameters
    ----------
    original : DataFrame or path
        The original: a pandas, Polars or PyArrow frame, or the path of a file.
    masked : DataFrame or path
        The masked table, of the same records.
    attributes : Policy or mapping of str to attribute
        What the columns are.
    measure : str, optional
        One measure for all nominal columns, as a comparison of methods needs; not given: that of each column.
    clusters : int, optional
        How many; not given: the number from 2 to 20 whose silhouette is best on the original data.
    sample : int, default 2000
        Of more records than this, so many are clustered, drawn at random.
    seed : int, default 0
        Fixes the sample.
    records : sequence of int, optional
        The rows of the original that the masked rows belong to (``result.records``).
    aligned : bool, default False
        State that row i of one table belongs to row i of the other, although a column that is not masked differs.
    **options
        Options of ``measure``.

    Returns
    -------
    ClusteringDistance
        A float that knows how many clusters and records it is of.

    Notes
    -----
    Both tables are clustered by Ward's method on the distances between their records, which takes the square of their
    number, and cut into the same number of clusters. Records at equal heights stay together, so fewer clusters may come
    out. Distances are measured as in the original data. Removed records are one cluster of the masked data, since
    nothing tells them apart there; those that a policy drops for missing values have no part in the comparison.
    ``records`` and ``aligned``: see :func:`ontomask.information_loss`.

    Examples
    --------
    >>> import ontomask as om, polars as pl
    >>> before = pl.DataFrame({"age": [20, 22, 24, 60, 62, 64]})
    >>> after = pl.DataFrame({"age": [21, 21, 60, 60, 62, 62]})
    >>> print(om.clustering_distance(before, after, {"age": om.Numeric()}))
    0.685 (2 clusters; 6 records)
    """
    whole_from(2, sample, "sample", MOST_RECORDS)
    whole_from(0, seed, "seed")
    if clusters is not None:
        whole_from(1, clusters, "clusters")
    if measure is not None:
        get_measure(measure).resolve_options(options)
    pairing = pair_frames(original, masked, attributes, records, aligned=aligned).measured(measure, options)
    if pairing.original.n < 2:
        raise DataError(
            f"{counted(pairing.original.n, 'record')} cannot be clustered",
            remedy="Give frames of two records or more.",
        )
    return clustering_of(pairing, clusters, sample, seed)


def clustering_of(pairing: Pairing, clusters: int | None, sample: int, seed: int) -> ClusteringDistance:
    """The same of paired tables; the original has two records or more."""
    available = pairing.original.n
    chosen = np.arange(available)
    if available > sample:
        chosen = np.sort(np.random.default_rng(seed).choice(available, sample, replace=False))
    chosen = pairing.original.rows.of_records(chosen)
    released = np.full(len(pairing.original.rows), -1, dtype=np.int64)
    released[pairing.stayed] = np.arange(len(pairing.stayed))
    before = _matrix(pairing.distance, pairing.original, chosen)
    tree = ward(before)
    if clusters is None:
        clusters = best_cut(before, tree)
    distance = partition_distance(cut(tree, clusters), _released_clusters(pairing, released[chosen], clusters))
    return ClusteringDistance(distance, clusters, len(chosen), available)


def _released_clusters(pairing: Pairing, rows: Labels, clusters: int) -> Labels:
    """The cluster of each record in the masked table, at ``rows`` of it; removed records, at -1, are one more."""
    labels = np.zeros(len(rows), dtype=np.int64)
    there = rows >= 0
    if there.sum() > 1:
        labels[there] = cut(ward(_matrix(pairing.distance, pairing.masked, rows[there])), clusters)
    labels[~there] = labels.max() + 1 if there.any() else 0
    return labels


def _matrix(distance: RecordDistance, table: Table, rows: NDArray[Any]) -> Floats:
    """Distances between records of a table, on the scale of the original."""
    tuples, tuple_of = np.unique(table.rows.tuple_of[rows], return_inverse=True)
    own = [column.centre_of_code[codes[tuples]] for column, codes in zip(table.columns, table.codes, strict=True)]
    return distance.between_all(own)[np.ix_(tuple_of, tuple_of)]


def ward(distances: Floats) -> Floats:
    """The tree of Ward's method over a matrix of distances, as scipy writes it."""
    from scipy.cluster.hierarchy import linkage  # late: it takes 0.3 s to load

    above = np.triu_indices(len(distances), 1)
    tree: Floats = linkage(distances[above], method="ward")
    return tree


def cut(tree: Floats, clusters: int) -> Labels:
    """The cluster of each record where the tree is cut into that many, or fewer if merges of equal height forbid it."""
    from scipy.cluster.hierarchy import fcluster  # late: it takes 0.3 s to load

    if clusters > len(tree):  # every record by itself, where scipy would part equal ones
        return fcluster(tree, 0.0, criterion="distance").astype(np.int64) - 1
    return fcluster(tree, clusters, criterion="maxclust").astype(np.int64) - 1


def best_cut(distances: Floats, tree: Floats) -> int:
    """The number of clusters from 2 to 20 with the best silhouette, the smallest of equals; 1 where all are equal."""
    found: dict[int, float] = {}
    for clusters in range(2, min(MOST_CLUSTERS, len(distances)) + 1):
        labels = cut(tree, clusters)
        formed = int(labels.max()) + 1
        if formed > 1 and formed not in found:
            found[formed] = silhouette(distances, labels)
    return list(found)[first_least(-np.array(list(found.values())))] if found else 1


def silhouette(distances: Floats, labels: Labels) -> float:
    """The mean over records of (b - a) / max(a, b) (Rousseeuw 1987); 0 for a record that is alone.

    a: its mean distance to the other records of its cluster; b: the least mean distance to those of another cluster.
    """
    every = np.arange(len(labels))
    sizes = np.bincount(labels)
    if len(sizes) < 2:
        return 0.0
    inside = np.zeros((len(labels), len(sizes)))
    inside[every, labels] = 1.0
    sums = distances @ inside
    own = sums[every, labels] / np.maximum(sizes[labels] - 1, 1)
    means = sums / sizes
    means[every, labels] = np.inf
    other = means.min(axis=1)
    largest = np.maximum(own, other)
    worth = np.divide(other - own, largest, out=np.zeros(len(labels)), where=(largest > 0) & (sizes[labels] > 1))
    return float(worth.mean())


def partition_distance(a: Labels, b: Labels) -> float:
    """De Mantaras' distance of two partitions of the same records (T12 eq. 5.3), 0..1.

    (2 I(A and B) - I(A) - I(B)) / I(A and B), I being the information of a partition in bits; 0 where both have one
    cluster.
    """
    both = _information(a.astype(np.int64) * (int(b.max()) + 1) + b)
    if both == 0:
        return 0.0
    return min(max((2 * both - (_information(a) + _information(b))) / both, 0.0), 1.0)


def _information(labels: Labels) -> float:
    """-sum p log2 p over the clusters (T12 eq. 5.4), the small ones first, so that names of clusters do not matter."""
    _, counts = np.unique(labels, return_counts=True)
    share = np.sort(counts) / len(labels)
    return float(-(share * np.log2(share)).sum()) if len(counts) > 1 else 0.0
