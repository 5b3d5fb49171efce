"""Functional dependence: released columns that give masked ones away, such as the label of a code."""

from __future__ import annotations

import math

import numpy as np
import polars as pl

from ontomask.arrays import Longs
from ontomask.microdata.codes import factorize
from ontomask.policy.policy import Policy
from ontomask.statements import Statement, caveat

#: A dependence that is at least so probable by chance is not spoken of.
CHANCE = 0.001
#: What fails in so many records is not looked at in all of them.
FIRST = 1_000


def dependent_columns(data: pl.DataFrame, policy: Policy) -> list[Statement]:
    """A caveat for each released column that is not masked and determines a masked one, or is determined by it.

    Columns of the role other and such as are not listed are looked at. ``data``: the original, without identifiers.
    """
    masked = [name for name in policy.masked if name in data]
    others = [name for name in data.columns if name not in masked and _is_other(policy, name)]
    codes = {name: _codes(data[name]) for name in (*masked, *others)} if masked and others else {}
    return [
        caveat(text, other)
        for other in others
        for name in masked
        if (text := _told(name, codes[name], other, codes[other]))
    ]


def _is_other(policy: Policy, name: str) -> bool:
    attribute = policy.attributes.get(name)
    return attribute is None or (attribute.role == "other" and attribute.follows is None)


def _codes(values: pl.Series) -> Longs:
    """A number for each value, 0 for a missing one."""
    codes, distinct = factorize(values)
    return np.where(distinct.is_null().to_numpy()[codes], 0, codes.astype(np.int64) + 1)


def _told(masked: str, ours: Longs, other: str, theirs: Longs) -> str:
    there = (ours > 0) & (theirs > 0)
    ours, theirs = ours[there], theirs[there]
    remedy = f"Let it follow: follows: {masked}. Or remove it, or make it a quasi-identifier."
    if _determines(theirs, ours):
        told = (
            f"{other} gives {masked} away, which is masked: each of its values occurs with one value of {masked} only"
        )
        return f"{told}. {remedy}"
    if _determines(ours, theirs):
        told = (
            f"{other} depends on {masked}, which is masked: each value of {masked} occurs with one of its values only"
        )
        return f"{told}. {remedy}"
    return ""


def _determines(one: Longs, other: Longs) -> bool:
    """Has each value of the first column one value of the second, and would that be improbable if they had nothing in common?

    Each record beyond the first of a value agrees with it by chance at most as often as the most frequent value occurs.
    """
    n = len(one)
    if n < 2 or not _is_function(one[:FIRST], other[:FIRST]) or not _is_function(one, other):
        return False
    share = float(np.bincount(other).max()) / n
    repeated = n - len(np.unique(one))
    return share < 1 and repeated * math.log(share) < math.log(CHANCE)


def _is_function(one: Longs, other: Longs) -> bool:
    pairs = np.unique(one * (int(other.max(initial=0)) + 1) + other)
    return len(pairs) == len(np.unique(one))
