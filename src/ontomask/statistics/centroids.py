"""The centre of a group of nominal values (T12 4.3, M13 def. 1, R17 eq. 13)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ontomask.arguments import one_of
from ontomask.arrays import Floats
from ontomask.distances.closure import Closure
from ontomask.distances.measures import get_measure
from ontomask.distances.sweep import FewestDown, sweep
from ontomask.distances.tables import SCOPES, Scope, distance_matrix
from ontomask.errors import OptionError
from ontomask.statistics.sample import Sample, first_least, weighted_sums
from ontomask.taxonomy.dag import Dag
from ontomask.taxonomy.taxonomy import Taxonomy


def centroid(
    taxonomy: Taxonomy,
    concepts: Iterable[str],
    weights: Sequence[float] | None = None,
    measure: str = "logsc",
    kind: str = "semantic",
    *,
    scope: Scope = "taxonomy",
    seed: int = 0,
    **options: Any,
) -> str:
    """The concept that represents a group of values best.

    Parameters
    ----------
    taxonomy : Taxonomy
        Where the concepts have their place.
    concepts : iterable of str
        The values.
    weights : sequence of float, optional
        How often each concept counts; not given: once for each time it is listed.
    measure : str, default 'logsc'
        The measure of distance; :func:`ontomask.list_measures` lists them.
    kind : {'semantic', 'marginality', 'semantic_mean', 'lcs', 'mode', 'consensus', 'random'}, default 'semantic'
        Which concept represents them; see the notes.
    scope : {'taxonomy', 'attribute'}, default 'taxonomy'
        Measure in the whole taxonomy, or only below the least common subsumer of the concepts.
    seed : int, default 0
        For ``random``.
    **options
        Options of the measure; see the page of each measure in docs/measures.

    Returns
    -------
    str
        The code of the concept.

    Notes
    -----
    * ``semantic``: the concept of the minimum hierarchy H(V) with the least sum of weighted distances to the values
      (T12 def. 7); it need not be one of them;
    * ``marginality``: the same among the values present (M13 def. 1);
    * ``semantic_mean``: the same among all of tau(X), the LCS and everything below it (R17 eq. 13);
    * ``lcs``: the least common subsumer (Abril et al.);
    * ``mode``: the most frequent value;
    * ``consensus``: the value present that confuses least when it takes the others' place; going up is free, every
      link down to it counts (Guzman-Arenas);
    * ``random``: one of the values, drawn by weight.

    Ties go to the first concept in taxonomy order; those of ``mode`` to the value seen first.

    Examples
    --------
    >>> t = Taxonomy.from_edges([("lumbago", "ache"), ("migraine", "ache"), ("ache", "pain"), ("colic", "pain")])
    >>> centroid(t, ["lumbago", "migraine", "colic"], weights=[2, 2, 1], measure="path")
    'ache'
    """
    one_of(kind, KINDS, "centroid")
    one_of(scope, SCOPES, "scope")
    get_measure(measure).settle(options)  # also where the kind needs no distances: a slip is a slip
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise OptionError(f"seed={seed!r}", remedy="Give a whole number from 0 up.")
    sample = Sample.of(taxonomy, concepts, weights)
    dag, present = taxonomy.dag, sample.present
    if kind in _CANDIDATES:
        candidates = _CANDIDATES[kind](dag, present)
        sums = sum_of_distances(sample, candidates, measure, scope, options)
        return taxonomy.concepts[int(candidates[first_least(sums)])]
    if kind == "lcs":
        return taxonomy.concepts[dag.common_subsumer(present)]
    if kind == "mode":
        return taxonomy.concepts[int(sample.concepts[int(np.argmax(sample.weights))])]
    if kind == "consensus":
        return taxonomy.concepts[int(present[first_least(_confusion(sample, present))])]
    drawn = np.random.default_rng(seed).choice(sample.concepts, p=sample.weights / sample.weights.sum())
    return taxonomy.concepts[int(drawn)]


def sum_of_distances(
    sample: Sample, candidates: np.ndarray, measure: str, scope: Scope, options: dict[str, Any]
) -> Floats:
    """sum_wsd of T12 eq. 4.6: for each candidate the weighted distances to all values."""
    codes = [sample.taxonomy.concepts[i] for i in candidates]
    against, chosen = sample.codes(), sample.options(options)
    # In blocks that take some 64 MB; weighted_edge weighs by all that is asked for, so it is asked once.
    height = len(codes) if measure == "weighted_edge" else max(1, (1 << 23) // len(against))
    parts = [
        weighted_sums(
            distance_matrix(sample.taxonomy, codes[i : i + height], measure, against=against, scope=scope, **chosen),
            sample.weights,
        )
        for i in range(0, len(codes), height)
    ]
    return np.concatenate(parts)


def _confusion(sample: Sample, candidates: np.ndarray) -> Floats:
    """For each candidate b: sum over values a of w conf(a -> b), the fewest links down to b from what subsumes both."""
    closure = Closure(sample.taxonomy.dag, sample.concepts)
    table = sweep(
        FewestDown(closure), sample.concepts, candidates, lambda held, x, y: held, dtype=np.dtype(np.float64), workers=1
    )
    return weighted_sums(np.ascontiguousarray(table.T), sample.weights)


_CANDIDATES: dict[str, Callable[[Dag, np.ndarray], np.ndarray]] = {
    "semantic": Dag.minimum_hierarchy,
    "marginality": lambda dag, present: present,
    "semantic_mean": lambda dag, present: np.flatnonzero(
        dag.mark_descendants(np.array([dag.common_subsumer(present)]))
    ),
}
KINDS = ("semantic", "marginality", "semantic_mean", "lcs", "mode", "consensus", "random")
