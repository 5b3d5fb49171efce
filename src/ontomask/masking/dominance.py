"""Dominance: groups whose mean discloses one record, by the p% rule of tabular data (Hundepool et al. 2012, section 4.2).

The mean of a group and its size give its total. Whoever has the second largest value, or knows it, subtracts it and has
the largest one but for what the others add: the total less the two largest. A mean that is rounded leaves the total open
by half of its last decimal for each record. Where both together are less than p% of the largest, it is known to within p%.
Sizes count, so numbers are taken without their signs.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ontomask.arguments import counted
from ontomask.arrays import Floats, Longs
from ontomask.microdata.columns import counts_of
from ontomask.microdata.encoding import Rows, Tuples
from ontomask.statements import Statement, caveat, note

#: The p of the p% rule.
P = 10.0


def dominated(
    sizes: Floats,
    group_of: NDArray[np.integer],
    groups: int,
    p: float = P,
    step: float = 0.0,
    weights: Longs | None = None,
) -> NDArray[np.bool_]:
    """In which groups the largest number can be estimated to within p%; ``sizes``: of each row, NaN where it is missing.

    ``step``: what means are rounded to a multiple of. ``weights``: how many records a row stands for, if it is not one.

    >>> dominated(np.array([20.0, 21, 5000, 20, 21, 50]), np.array([0, 0, 0, 1, 1, 1]), 2).tolist()
    [True, False]
    """
    known = ~np.isnan(sizes)
    of, own = group_of[known].astype(np.int64), np.abs(sizes[known])
    number = np.ones(len(own), dtype=np.int64) if weights is None else weights[known]
    open_ = np.bincount(of, number, groups) * step / 2
    first = np.zeros(groups)
    np.maximum.at(first, of, own)
    # One record of the largest value is left out of the second round; the first of equals.
    largest = np.flatnonzero(own == first[of])
    number[largest[np.unique(of[largest], return_index=True)[1]]] -= 1
    second = np.zeros(groups)
    np.maximum.at(second, of[number > 0], own[number > 0])
    rest = np.bincount(of, own * number, groups) - second + open_
    text: NDArray[np.bool_] = (first > 0) & (rest < p / 100 * first)
    return text


def dominance(
    table: Tuples, rows: Rows, group_of: NDArray[np.integer], centres: Sequence[Floats]
) -> tuple[list[Statement], list[Statement]]:
    """Groups that show a mean of values of which the two largest make up nearly all of the total: notes with numbers for
    the steward, and a caveat that names columns only."""
    notes, names, uncoded = [], [], []
    sizes = counts_of(group_of, len(centres[0]), rows.counts)
    some = np.zeros(len(sizes), dtype=np.int64)  # a tuple of each group
    some[group_of] = rows.tuple_of
    mixed = np.bincount(group_of[some[group_of] != rows.tuple_of], minlength=len(sizes)) > 0
    for column, codes, shown in zip(table.columns, table.codes, centres, strict=True):
        if not column.quantity:
            continue
        values = column.centre_of_code[codes[rows.tuple_of]]
        told = dominated(values, group_of, len(shown), step=column.step, weights=rows.counts)
        told &= mixed & ~np.isnan(shown)  # records that are equal in all columns show their own values
        if told.any():
            records = int(sizes[told].sum())
            names.append(column.name)
            uncoded += [column.name] if column.line is None or column.line.ends[1] == np.inf else []
            notes.append(
                note(
                    f"{column.name}: in {int(told.sum()):,} of {counted(len(told), 'group')} ({counted(records, 'record')}) "
                    f"an intruder who knows the second largest value can estimate the largest to within {P:g}% from the "
                    "mean (p% rule)",
                    column.name,
                )
            )
    if not names:
        return [], []
    text = (
        f"Dominance: in some groups the two largest values make up nearly all of the total of {', '.join(names)}. An "
        f"intruder who knows the second largest value of such a group can estimate the largest to within {P:g}% from the "
        f"mean (p% rule). {_remedy(names, uncoded)}"
    )
    return notes, [caveat(text)]


def _remedy(names: Sequence[str], uncoded: Sequence[str]) -> str:
    """What can be done; a top code only in columns that have none."""
    if not uncoded:
        return "Set numeric_centre: median."
    where = "" if len(uncoded) == len(names) else f" for {', '.join(uncoded)}"
    return f"Set a top code (top:){where}, or numeric_centre: median."
