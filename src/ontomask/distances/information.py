"""Measures from information content: Resnik, Lin, Jiang & Conrath.

The common ancestor that counts is the one of greatest information content (most informative common ancestor).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.arrays import Array, Floats
from ontomask.distances import information_content as content
from ontomask.distances.measure import DistanceRequest, Measure, Option
from ontomask.distances.sweep import RichestCommon
from ontomask.errors import OptionError


def _content(request: DistanceRequest, ic: str, counts: Mapping[str, float] | None) -> Floats:
    """Information content of every concept of the request's DAG."""
    if ic != "corpus":
        if counts is not None:
            raise OptionError(f"counts are given with ic={ic!r}", remedy="They need ic='corpus'.")
        return content.intrinsic(request.dag) if ic == "intrinsic" else content.sanchez(request.dag)
    given = request.counts if counts is None else content.counts_of(request.taxonomy, counts)
    return content.corpus(request.dag, given if request.kept is None else given[request.kept])


def _prepared(
    request: DistanceRequest, ic: str, counts: Mapping[str, float] | None
) -> tuple[RichestCommon, Floats, float]:
    """The fold, the content of each concept of the closure, and the largest content in the taxonomy."""
    whole = _content(request, ic, counts)
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
                 choices=content.KINDS),
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
