"""The list of released records: the original row of each released row."""

from __future__ import annotations

from pathlib import Path

from ontomask.errors import DataError
from ontomask.microdata.reading import read_table

#: The column of records.csv.
RECORDS = "row of the original"


def read_records(path: Path) -> list[int]:
    """Which row of the original, counted from 1, each released row is: ``confidential/records.csv`` of a result."""
    data = read_table(path).data
    if RECORDS not in data.columns or not data[RECORDS].dtype.is_integer():
        raise DataError(
            f"has no column {RECORDS!r} of row numbers",
            where=str(path),
            remedy="Give confidential/records.csv of a result.",
        )
    rows = data[RECORDS]
    if rows.null_count() or rows.n_unique() < len(rows) or (rows < 1).any():
        raise DataError(
            f"column {RECORDS!r} must hold the row numbers 1, 2, ..., each at most once",
            where=str(path),
            remedy="Give confidential/records.csv of a result, as it was saved.",
        )
    return (rows - 1).to_list()
