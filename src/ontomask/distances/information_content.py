"""How much a concept says: information content, from the taxonomy alone or from counts.

Every kind is 0 at the root and does not decrease downwards.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.arguments import is_number, one_of, short
from ontomask.errors import OptionError
from ontomask.taxonomy.dag import Dag
from ontomask.taxonomy.taxonomy import Taxonomy, require_taxonomy

KINDS = ("intrinsic", "sanchez", "corpus")
#: Above this, sums of counts are no longer exact.
MOST_COUNT = 1e15


def intrinsic(dag: Dag) -> NDArray[np.float64]:
    """Seco, Veale & Hayes 2004: 1 - ln(descendants + 1) / ln(concepts); 1 at a leaf."""
    if len(dag) == 1:
        return np.zeros(1)
    content: NDArray[np.float64] = 1 - np.log(dag.descendant_counts + 1) / np.log(len(dag))
    return content


def sanchez(dag: Dag) -> NDArray[np.float64]:
    """Sanchez, Batet & Isern 2011: -ln((leaves / subsumers + 1) / (all leaves + 1)).

    A leaf does not count as a leaf of its own.
    """
    leaves = dag.leaf_counts
    content: NDArray[np.float64] = -np.log((leaves / dag.subsumer_counts + 1) / (leaves[dag.root] + 1))
    return content + 0.0  # no negative zero at the root


def corpus(dag: Dag, counts: NDArray[Any]) -> NDArray[np.float64]:
    """Resnik 1995: -ln p(c), p from the counts of c and of everything below it.

    One is added to every concept's own count, so that none has probability 0.
    """
    if counts.max(initial=0) > MOST_COUNT:
        raise OptionError(
            f"a concept counts {counts.max():g} times", remedy=f"Give counts or weights up to {MOST_COUNT:g}."
        )
    total = dag.descendant_sums(counts.astype(np.float64) + 1)
    content: NDArray[np.float64] = -np.log(total / total[dag.root])
    return content + 0.0


def counts_of(taxonomy: Taxonomy, counts: Mapping[str, Any]) -> NDArray[np.float64]:
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
    if counts is not None:
        content = corpus(taxonomy.dag, counts_of(taxonomy, counts))
    else:
        content = intrinsic(taxonomy.dag) if kind == "intrinsic" else sanchez(taxonomy.dag)
    return dict(zip(taxonomy.concepts, content.tolist(), strict=True))
