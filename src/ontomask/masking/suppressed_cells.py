"""Suppression of cells in a table: its strata, what cells to blank, and what is said of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ontomask.arguments import counted
from ontomask.arrays import Longs
from ontomask.errors import DataError, PolicyError
from ontomask.masking.cells import Blanked, Combinations, Sizes, blank_cells, blank_wildcards
from ontomask.masking.method import Masked
from ontomask.microdata.codes import combine
from ontomask.microdata.columns import Column
from ontomask.microdata.encoding import Table, TupleUnits
from ontomask.privacy.wildcards import class_sizes, too_few_matches
from ontomask.progress import Progress
from ontomask.statements import Statement, caveat, note

if TYPE_CHECKING:
    from ontomask.masking.suppression import Suppression

#: Sets of columns are bits of a number.
MOST_COLUMNS = 60


def suppress_cells(method: Suppression, table: Table, progress: Progress) -> Masked:
    """Blank cells of the quasi-identifiers; every other column stays as it is."""
    masked = [place for place, column in enumerate(table.columns) if column.attribute.quasi]
    _require_possible(method, table, masked)
    stratum = _strata(method, table)
    combination, some = _combinations(method, table, masked, stratum)
    search = blank_cells if method.blanks == "value" else blank_wildcards
    found = search(some, method.k, progress)
    if (found.group < 0).all():
        raise DataError(
            f"no stratum has {table.unit.counted(method.k)}: nothing would be left",
            remedy="Choose a smaller k, or fewer strata or bins.",
        )
    part = _part_of_rows(found, combination[table.rows.tuple_of])
    return _masked(method, table, masked, stratum, found, part)


def _require_possible(method: Suppression, table: Table, masked: Sequence[int]) -> None:
    if len(masked) > MOST_COLUMNS:
        raise PolicyError(
            f"cells of {len(masked)} quasi-identifiers cannot be suppressed",
            remedy=f"Choose at most {MOST_COLUMNS} of them.",
        )
    if method.blanks == "wildcard" and table.units is not None:
        raise PolicyError(
            f"blanks='wildcard' counts records, and this policy counts {table.unit.many}",
            remedy="Choose blanks='value'.",
        )


def _strata(method: Suppression, table: Table) -> Longs:
    """The stratum of each tuple."""
    keys, sizes = [np.zeros(table.p, dtype=np.int64)], [1]
    for column, codes in zip(table.columns, table.codes, strict=True):
        if column.name in method.strata:
            group = _binned(column, method.bins[column.name]) if column.name in method.bins else np.arange(len(column))
            keys.append(group[codes].astype(np.int64))
            sizes.append(int(group.max(initial=0)) + 1)
    return combine(keys, sizes)[0].astype(np.int64)


def _binned(column: Column, bins: int) -> Longs:
    """The interval of each code: of equal width, the lower end inside, the last with both; missing values have their own."""
    if column.line is None:
        raise PolicyError(
            "bins are given, and its values lie on no line",
            where=column.where,
            remedy="Leave the bins of this column out.",
        )
    positions = column.line.positions
    there = ~np.isnan(positions)
    if not there.any():
        return np.zeros(len(column), dtype=np.int64)
    low, high = float(positions[there].min()), float(positions[there].max())
    edges = np.linspace(low, high, bins + 1)[1:-1]
    return np.where(there, np.searchsorted(edges, np.where(there, positions, low), side="right"), bins).astype(np.int64)


def _combinations(
    method: Suppression, table: Table, masked: Sequence[int], stratum: Longs
) -> tuple[Longs, Combinations]:
    """The combination of each tuple, by the columns that are masked and its stratum, and all of them."""
    codes = np.array([_blank_where_missing(table.columns[a], table.codes[a]) for a in masked])
    keys = [stratum, *(code + 1 for code in codes)]
    number, first = combine(keys, [int(key.max(initial=0)) + 1 for key in keys])
    combination = number.astype(np.int64)
    counts = np.bincount(combination, table.counts, len(first)).astype(np.int64)
    costs = np.array([method.importance.get(table.columns[a].name, 1.0) for a in masked])
    # Units of one record each are counted as records are.
    several = None if table.units is None or table.units.number == table.n else table.units
    sizes = _sizes_of_records(counts) if several is None else _sizes_of_units(several, combination)
    own = np.ascontiguousarray(codes[:, first].T)
    return combination, Combinations(own, counts, stratum[first], costs, sizes, several is None)


def _blank_where_missing(column: Column, codes: NDArray[np.int32]) -> NDArray[np.int32]:
    """Codes, -1 for a missing value: in a release it looks like a blank."""
    return codes if column.missing is None else np.where(codes == column.missing, np.int32(-1), codes)


def _sizes_of_records(counts: Longs) -> Sizes:
    return lambda some, group, groups: np.bincount(group, counts[some], groups).astype(np.int64)


def _sizes_of_units(units: TupleUnits, combination: Longs) -> Sizes:
    """A unit counts once in a group, however many of its combinations are in it."""
    of, bound = np.repeat(combination, np.diff(units.at)), int(units.unit.max(initial=0)) + 1

    def sizes(some: Longs, group: Longs, groups: int) -> Longs:
        group_of = np.full(int(combination.max(initial=0)) + 1, -1, dtype=np.int64)
        group_of[some] = group
        there = group_of[of] >= 0
        pairs = np.unique(group_of[of][there] * bound + units.unit[there])
        return np.bincount(pairs // bound, minlength=groups).astype(np.int64)

    return sizes


def _part_of_rows(found: Blanked, combination: Longs) -> Longs:
    """The part of its combination that each row belongs to: the first rows to the first part."""
    parts = np.argsort(found.origin, kind="stable")
    part = np.empty(len(combination), dtype=np.int64)
    part[np.argsort(combination, kind="stable")] = np.repeat(parts, found.counts[parts])
    return part


def _masked(
    method: Suppression, table: Table, masked: Sequence[int], stratum: Longs, found: Blanked, part: Longs
) -> Masked:
    """What each record shows: its own values, but for blanks."""
    group = found.group[part]
    stayed = np.flatnonzero(group >= 0)
    centres, blanked = [], {}
    for place, column in enumerate(table.columns):
        own = table.codes_of(place)[stayed]
        shown = column.centre_of_code[own]
        if place in masked:
            blank = found.shows[group[stayed], masked.index(place)] < 0
            shown = np.where(blank, column.missing_centre, shown)
            blanked[column.name] = blank & (own != (-1 if column.missing is None else column.missing))
        centres.append(shown)
    made = Masked.of_centres(centres)
    group_of = np.full(len(part), -1, dtype=np.int32)
    group_of[stayed] = made.group_of
    columns = [table.columns[a].decode(made.centres[a]).gather(made.group_of) for a in masked]
    notes, caveats = _said(method, columns, stratum[table.rows.tuple_of[stayed]], blanked, len(part))
    return Masked(group_of, made.centres, notes, caveats=caveats)


def _said(
    method: Suppression, columns: list[pl.Series], stratum: Longs, blanked: dict[str, NDArray[np.bool_]], n: int
) -> tuple[list[Statement], list[Statement]]:
    """How many cells were blanked, where, and how many records are too rare in either reading of blanks."""
    released = len(stratum)
    cells = {name: int(blank.sum()) for name, blank in blanked.items()}
    records = int(np.any(list(blanked.values()), axis=0).sum())
    by_column = ", ".join(f"{name} {number:,}" for name, number in cells.items() if number)
    notes = [
        note(
            f"{counted(sum(cells.values()), 'cell')} blanked in {records:,} of {counted(n, 'record')}"
            + (f" ({by_column})" if by_column else "")
        )
    ]
    if released < n:
        notes.append(
            note(f"{counted(n - released, 'record')} removed: there are fewer than {method.k:,} in the stratum")
        )
    within = [*columns, pl.Series("stratum", stratum)]
    few = too_few_matches(within, method.k)
    notes.append(note(f"records that match fewer than {method.k:,} records, if a blank matches any value: {few:,}"))
    if method.blanks == "value":
        return notes, []
    rare = int((class_sizes(columns) < method.k).sum())
    if not rare:
        return notes, []
    told = "if a blank is a value of its own"
    text = f"{rare:,} of {counted(released, 'record')} are in classes of fewer than {method.k:,} {told}."
    return notes, [caveat(text, "", f"Records are in classes of fewer than k {told}.")]
