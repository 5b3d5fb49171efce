"""Centroids of groups of nominal values (T12 4.3, M13 def. 1, R17 eq. 13)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ontomask.arguments import one_of, whole_from
from ontomask.arrays import Floats
from ontomask.distances.between import SCOPES, Scope, between
from ontomask.distances.closure import Closure
from ontomask.distances.measure import Corpus, Measure
from ontomask.distances.measures import get_measure
from ontomask.distances.sweep import FewestDown, sweep
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
        The taxonomy of the concepts.
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
    chosen = get_measure(measure)
    chosen.resolve_options(options)  # wrong options are an error, also if the kind needs no distances
    whole_from(0, seed, "seed")
    sample = Sample.of(taxonomy, concepts, weights)
    if kind in _CANDIDATES:
        place = nearest_to_all(sample, kind, chosen, scope, options, sample.corpus)
    elif kind == "lcs":
        place = taxonomy.dag.common_subsumer(sample.present)
    elif kind == "mode":
        place = int(sample.concepts[int(np.argmax(sample.weights))])
    elif kind == "consensus":
        place = int(sample.present[first_least(_confusion(sample, sample.present))])
    else:
        rng = np.random.default_rng(seed)
        place = int(rng.choice(sample.concepts, p=sample.weights / sample.weights.sum()))
    return taxonomy.concepts[place]


def nearest_to_all(
    sample: Sample, kind: str, measure: Measure, scope: str, options: Mapping[str, Any], corpus: Corpus
) -> int:
    """The position of the candidate with the least sum of distances: of semantic, marginality and semantic_mean."""
    candidates = _CANDIDATES[kind](sample.taxonomy.dag, sample.present)
    # In blocks that take some 64 MB, unless distances depend on all that is asked for.
    height = len(candidates) if measure.relative_to_request else max(1, (1 << 23) // len(sample.concepts))
    parts = [
        weighted_sums(
            between(
                sample.taxonomy,
                candidates[i : i + height],
                sample.concepts,
                measure,
                scope,
                options,
                corpus=corpus,
            ),
            sample.weights,
        )
        for i in range(0, len(candidates), height)
    ]
    return int(candidates[first_least(np.concatenate(parts))])


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
