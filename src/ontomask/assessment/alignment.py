"""Row alignment: which original row became which masked row. Figures by row hold only for rows that belong together."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ontomask.arguments import counted
from ontomask.arrays import Longs
from ontomask.errors import DataError, Keyword
from ontomask.microdata.dtypes import aligned as in_one_type
from ontomask.microdata.reading import read_table
from ontomask.policy.policy import Policy
from ontomask.wording import Unit

#: How users say which row is which, and that rows belong together.
GIVE = ("Say which row of the original each masked row is with ", Keyword("records", "result.records"))
ALIGNED = Keyword("aligned", "True")
RECORDS = Keyword("records")
#: Numbers that differ by less, relative to themselves, are the same: some file formats round.
ROUNDING = 1e-9


def rows_of(
    before: pl.DataFrame,
    after: pl.DataFrame,
    policy: Policy,
    records: Sequence[int] | None,
    aligned: bool,
    masked: Any,
) -> tuple[Longs, list[str]]:
    """For every masked row the row of the original, and what should be known about it.

    ``records`` are these rows; if they are not given and the ``masked`` data are a file of a result folder, they are read
    from there. Rows that do not belong together are an error. ``aligned``: the user says that they do, one to one or as
    ``records`` say, whatever speaks against it.
    """
    notes = []
    file = None
    if records is None:
        file = records_file(masked)
        if file is not None:
            records = read_records(file)
            notes.append(f"rows are matched by {file}, the list of records of the same result")
    if records is not None:
        kept = _places(records, len(before), len(after), file)
    else:
        kept = _one_to_one(before, after, policy, aligned)
    differing = _differing(before, after, kept, policy)
    if differing is None:
        return kept, notes
    column, rows = differing
    text = f"column {column!r}, which masking leaves as it is, differs in {rows:,} of {counted(len(after), 'row')}"
    if aligned:
        return kept, [*notes, f"{text}; the rows were taken to belong together all the same, as stated"]
    if records is not None:
        told = "the list of records does not fit these data"
        remedy: tuple[str | Keyword, ...] = ("Give the list that was saved with this release",)
    else:
        told, remedy = "the masked rows are in a different order from the original rows", GIVE
    raise DataError(
        f"{told}: {text}",
        where=None if file is None else str(file),
        remedy=(*remedy, "; or state that rows belong together and the column was changed: ", ALIGNED, "."),
    )


def records_file(masked: Any) -> Path | None:
    """The list of records of the result folder that a masked file lies in, if it is the release of one."""
    if not isinstance(masked, (str, Path)):
        return None
    release = Path(masked)
    if release.absolute().parent.name != "release" or not release.name.startswith("release"):
        return None
    file = release.parent / ".." / "confidential" / "records.csv"
    if release.parent.name == "release":
        file = release.parent.parent / "confidential" / "records.csv"
    return file if file.is_file() else None


def _one_to_one(before: pl.DataFrame, after: pl.DataFrame, policy: Policy, aligned: bool) -> Longs:
    """Rows in the same order; an error where it is known that they are not."""
    if policy.row_order == "shuffled" and not aligned:
        raise DataError(
            "the policy shuffles released rows (row_order: shuffled), so rows cannot be paired by position",
            remedy=(*GIVE, "; or state that these rows do belong together, one to one: ", ALIGNED, "."),
        )
    if len(before) != len(after):
        raise DataError(
            f"the original has {counted(len(before), 'record')} and the masked data have {len(after):,}, so it is not known "
            "which belong together",
            remedy=(*GIVE, "."),
        )
    return np.arange(len(before))


def _places(records: Sequence[int], originals: int, released: int, file: Path | None) -> Longs:
    """Row numbers, one for each masked row, each a row of the original, none twice."""
    places = np.asarray(records)
    where = None if file is None else str(file)
    if places.ndim != 1 or (len(places) and places.dtype.kind not in "iu"):
        raise DataError(
            (RECORDS, " holds something other than row numbers"),
            where=where,
            remedy="Give result.records, or such a list.",
        )
    if len(places) != released:
        raise DataError(
            (RECORDS, f" lists {counted(len(places), 'row')} and the masked data have {counted(released, 'record')}"),
            where=where,
            remedy="Give the list that was saved with this release: one row of the original for each masked row.",
        )
    if len(np.unique(places)) < len(places):
        listed, times = np.unique(places, return_counts=True)
        twice, first = int((times > 1).sum()), int(listed[times > 1][0]) + 1
        raise DataError(
            (RECORDS, f" lists {counted(twice, 'row')} of the original more than once (first: row {first:,})"),
            where=where,
            remedy="Give the list that was saved with this release.",
        )
    outside = places[(places < 0) | (places >= originals)]
    if len(outside):
        raise DataError(
            (RECORDS, f" lists row {int(outside[0]) + 1:,} and the original has {counted(originals, 'row')}"),
            where=where,
            remedy="Give the original that the release was made of, and the list that was saved with it.",
        )
    return places.astype(np.int64)


def _differing(before: pl.DataFrame, after: pl.DataFrame, kept: Longs, policy: Policy) -> tuple[str, int] | None:
    """A column that masking leaves as it is and that is not equal row by row, and in how many rows."""
    for name in _untouched(before, after, policy):
        rows = _rows_that_differ(before[name].gather(kept), after[name])
        if rows:
            return name, rows
    return None


def _untouched(before: pl.DataFrame, after: pl.DataFrame, policy: Policy) -> list[str]:
    """The columns of both tables that masking does not change, as far as is known."""
    masked = {*policy.masked, *policy.identifiers, *policy.followers}
    if policy.method is None:  # a sensitive column may have been shuffled
        masked = {name for name, attribute in policy.attributes.items() if attribute.role != "other"}
        masked |= set(policy.followers)
    names = [name for name in before.columns if name in after.columns and name not in policy.shifted]
    return [n for n in names if (n not in masked if n in policy.attributes else policy.unlisted == "other")]


def _rows_that_differ(one: pl.Series, other: pl.Series) -> int:
    """0 where the types cannot be compared: that is not evidence."""
    try:
        first, second = in_one_type(one, other)
    except DataError:
        return 0
    if first.dtype == pl.String:
        first, second = (part.str.strip_chars_end().fill_null("") for part in (first, second))
    if first.dtype.is_float():
        left, right = first.to_numpy(), second.to_numpy()
        same: NDArray[np.bool_] = np.isclose(left, right, rtol=ROUNDING, atol=0, equal_nan=True)
        return int((~same).sum())
    return int((~first.eq_missing(second)).sum())


#: The column of records.csv with the row of each record; where persons are counted, another has their numbers.
ROW_COLUMN = "row of the original"


def read_records(path: Path) -> list[int]:
    """Which row of the original, counted from 1, each released row is: ``confidential/records.csv`` of a result."""
    data = read_table(path).data
    if ROW_COLUMN not in data.columns or not data[ROW_COLUMN].dtype.is_integer():
        raise DataError(
            f"has no column {ROW_COLUMN!r} of row numbers",
            where=str(path),
            remedy="Give confidential/records.csv of a result.",
        )
    rows = data[ROW_COLUMN]
    if rows.null_count() or rows.n_unique() < len(rows) or (rows < 1).any():
        raise DataError(
            f"column {ROW_COLUMN!r} must hold the row numbers 1, 2, ..., each at most once",
            where=str(path),
            remedy="Give confidential/records.csv of a result, as it was saved.",
        )
    return (rows - 1).to_list()


def read_units(path: Path, unit: Unit) -> list[Any] | None:
    """Whose each released row is, by the same file, where a unit other than records is counted; None: it does not say."""
    data = read_table(path).data
    return data[unit.one].to_list() if unit.one in data.columns else None
