"""Information content, from the taxonomy alone or from counts; and the measures from it: Resnik, Lin, Jiang & Conrath.

Every kind of content is 0 at the root and does not decrease downwards. The common ancestor that counts is the one of greatest
content (most informative common ancestor).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.arguments import is_number, one_of, short
from ontomask.arrays import Array, Floats
from ontomask.distances.measure import DistanceRequest, Measure, Option
from ontomask.distances.sweep import RichestCommon
from ontomask.errors import OptionError
from ontomask.taxonomy.dag import Dag
from ontomask.taxonomy.taxonomy import Taxonomy, require_taxonomy

KINDS = ("intrinsic", "sanchez", "corpus")
#: Above this, sums of counts are no longer exact.
MOST_COUNT = 1e15


def intrinsic(dag: Dag) -> Floats:
    """Seco, Veale & Hayes 2004: 1 - ln(descendants + 1) / ln(concepts); 1 at a leaf."""
    if len(dag) == 1:
        return np.zeros(1)
    content: Floats = 1 - np.log(dag.descendant_counts + 1) / np.log(len(dag))
    return content


def sanchez(dag: Dag) -> Floats:
    """Sanchez, Batet & Isern 2011: -ln((leaves / subsumers + 1) / (all leaves + 1)).

    A leaf does not count as a leaf of its own.
    """
    leaves = dag.leaf_counts
    content: Floats = -np.log((leaves / dag.subsumer_counts + 1) / (leaves[dag.root] + 1))
    return content + 0.0  # no negative zero at the root


def corpus(dag: Dag, counts: NDArray[Any]) -> Floats:
    """Resnik 1995: -ln p(c), p from the counts of c and of everything below it.

    One is added to every concept's own count, so that none has probability 0.
    """
    if counts.max(initial=0) > MOST_COUNT:
        raise OptionError(
            f"a concept counts {counts.max():g} times", remedy=f"Give counts or weights up to {MOST_COUNT:g}."
        )
    total = dag.descendant_sums(counts.astype(np.float64) + 1)
    content: Floats = -np.log(total / total[dag.root])
    return content + 0.0


def content_of(dag: Dag, kind: str, counts: Floats | None) -> Floats:
    """The content of every concept; ``counts`` are for the kind ``corpus``."""
    if counts is not None:
        return corpus(dag, counts)
    return intrinsic(dag) if kind == "intrinsic" else sanchez(dag)


def counts_of(taxonomy: Taxonomy, counts: Mapping[str, Any]) -> Floats:
    """Counts keyed by concept as an array in taxonomy order."""
    if not isinstance(counts, Mapping):
        raise OptionError(f"counts are a {type(counts).__name__}", remedy="Give a mapping {concept: count}.")
    array = np.zeros(len(taxonomy))
    for concept, count in counts.items():
        if not is_number(count) or not 0 <= count <= MOST_COUNT:
            raise OptionError(
                f"the count {short(repr(count))} of {concept!r} is not a number from 0 to 1e15",
                remedy="counts maps a concept to the number of times it occurs.",
            )
        array[taxonomy.position(concept)] += float(count)
    return array


def information_content(
    taxonomy: Taxonomy, kind: str = "intrinsic", counts: Mapping[str, Any] | None = None
) -> dict[str, float]:
    """The information content of every concept.

    Parameters
    ----------
    taxonomy : Taxonomy
        The taxonomy of the concepts.
    kind : {'intrinsic', 'sanchez', 'corpus'}, default 'intrinsic'
        Seco's, from the number of descendants; Sanchez', from leaves and subsumers; or from counts.
    counts : mapping of str to number, optional
        How often each concept occurs; needed with ``corpus``.

    Returns
    -------
    dict of str to float
        By code, from 0 at the root.

    Examples
    --------
    >>> import ontomask as om
    >>> t = om.Taxonomy.from_edges([("lumbago", "ache"), ("migraine", "ache"), ("ache", "pain"), ("colic", "pain")])
    >>> found = om.information_content(t)
    >>> found["pain"], round(found["ache"], 3), found["lumbago"]
    (0.0, 0.317, 1.0)
    """
    require_taxonomy(taxonomy)
    one_of(kind, KINDS, "information content")
    if (kind == "corpus") != (counts is not None):
        raise OptionError(
            "kind='corpus' needs counts, and no other kind takes them", remedy="Give counts={concept: number of times}."
        )
    content = content_of(taxonomy.dag, kind, None if counts is None else counts_of(taxonomy, counts))
    return dict(zip(taxonomy.concepts, content.tolist(), strict=True))


# ---- measures ---------------------------------------------------------------------------------------------------


def _prepared(
    request: DistanceRequest, ic: str, counts: Mapping[str, float] | None
) -> tuple[RichestCommon, Floats, float]:
    """The fold, the content of each concept of the closure, and the largest content in the taxonomy."""
    given = None
    if ic == "corpus":
        given = request.counts if counts is None else counts_of(request.taxonomy, counts)
        given = given if request.kept is None else given[request.kept]
    elif counts is not None:
        raise OptionError(f"counts are given with ic={ic!r}", remedy="They need ic='corpus'.")
    whole = content_of(request.dag, ic, given)
    own = whole[request.closure.concepts]
    return RichestCommon(request.closure, own), own, float(whole.max())


def resnik(request: DistanceRequest, ic: str, counts: Mapping[str, float] | None) -> Array:
    """1 - IC(LCS) / max IC, and 0 between a concept and itself (T12 eq. 3.11)."""
    fold, _, largest = _prepared(request, ic, counts)
    distance = 1 - fold.values / (largest or 1.0)

    def finish(held: Array, x: NDArray[np.int64], y: NDArray[np.int64]) -> Floats:
        result = distance.take(held, mode="clip")
        result[x[:, None] == y] = 0
        return result

    return request.sweep(fold, finish)


def resnik_similarity(request: DistanceRequest, ic: str, counts: Mapping[str, float] | None) -> Array:
    """IC(LCS), unbounded."""
    fold, _, _ = _prepared(request, ic, counts)
    return request.sweep(fold, lambda held, x, y: fold.values.take(held, mode="clip"))


def lin(request: DistanceRequest, ic: str, counts: Mapping[str, float] | None) -> Array:
    """1 - 2 IC(LCS) / (IC(a) + IC(b)); 0/0, which only the root gives, counts as 0 (T12 eq. 3.12)."""
    fold, own, _ = _prepared(request, ic, counts)
    twice = 2 * fold.values

    def finish(held: Array, x: NDArray[np.int64], y: NDArray[np.int64]) -> Floats:
        whole = own[x][:, None] + own[y]
        result = twice.take(held, mode="clip")
        empty = whole == 0 if own[x].min() + own[y].min() == 0 else None
        if empty is not None:
            whole[empty] = 1.0
        result /= whole
        np.subtract(1.0, result, out=result)
        if empty is not None:
            result[empty] = 0.0
        return result

    return request.sweep(fold, finish)


def jiang_conrath(request: DistanceRequest, ic: str, counts: Mapping[str, float] | None) -> Array:
    """(IC(a) + IC(b) - 2 IC(LCS)) / (2 max IC) (T12 eq. 3.13)."""
    fold, own, largest = _prepared(request, ic, counts)
    twice = 2 * fold.values
    scale = 2 * largest or 1.0

    def finish(held: Array, x: NDArray[np.int64], y: NDArray[np.int64]) -> Floats:
        result = own[x][:, None] + own[y]
        result -= twice.take(held, mode="clip")
        result /= scale
        return result

    return request.sweep(fold, finish)


def _is_counts(value: Any) -> str | None:
    return None if value is None or isinstance(value, Mapping) else "None or a mapping {concept: count}"


_OPTIONS = {
    "ic": Option("intrinsic", "Where information content comes from: the taxonomy (Seco; Sanchez) or counts.",
                 choices=KINDS),
    "counts": Option(None, "For ic='corpus': {concept: count}; by default the counts of the concepts asked for.",
                     check=_is_counts),
}  # fmt: skip

MEASURES = (
    Measure(
        "resnik", "how little the most informative common ancestor says", "Resnik 1995; T12 eq. 3.11",
        resnik, options=_OPTIONS, similarity=resnik_similarity,
    ),
    Measure(
        "lin", "what two concepts share against what each says", "Lin 1998; T12 eq. 3.12",
        lin, options=_OPTIONS, complement=True,
    ),
    Measure(
        "jiang_conrath", "what two concepts say beyond what they share", "Jiang & Conrath 1997; T12 eq. 3.13",
        jiang_conrath, metric="on trees", options=_OPTIONS,
    ),
)  # fmt: skip
