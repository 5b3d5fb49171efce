"""Columns of a frame or a file, one at a time: a large Parquet file need not fit into memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl
from polars import selectors

from ontomask.errors import DataError
from ontomask.fork_safety import require_threads
from ontomask.microdata.csv_types import Codes
from ontomask.microdata.dtypes import values_unread
from ontomask.microdata.formats import format_of
from ontomask.microdata.frames import NativeFrame
from ontomask.microdata.missing_markers import MissingMarkers, without_markers
from ontomask.microdata.open_table import open_table
from ontomask.microdata.parquet_files import read_errors
from ontomask.microdata.reading import read_table, require_file
from ontomask.microdata.reading_options import Reading
from ontomask.microdata.sql_sources import data_file, data_source
from ontomask.statements import Statement, note

#: Of a Parquet file with more cells, only a part is looked at: blocks of records from its whole length.
MOST_CELLS = 50_000_000
BLOCKS = 50


@dataclass
class ColumnSource:
    """A frame: ``names``, how many ``records`` there are, of how many the values are ``looked`` at, ``notes``."""

    frame: pl.DataFrame
    notes: list[Statement] = field(default_factory=list)
    path: Path | None = None
    ordered: frozenset[str] = frozenset()
    reading: Reading = field(default_factory=Reading)
    #: Columns that hold several values in one cell; they come without values.
    nested: list[str] = field(default_factory=list)
    missing: MissingMarkers = field(default_factory=MissingMarkers)

    @property
    def names(self) -> list[str]:
        return self.frame.columns

    @property
    def records(self) -> int:
        return len(self.frame)

    @property
    def looked(self) -> int:
        return self.records

    def column(self, name: str) -> pl.Series:
        return self.frame[name]

    def distinct(self, name: str) -> pl.Series:
        """Every value of the column once, also where only a part of the records is looked at."""
        return self.column(name).unique(maintain_order=True)

    def as_written(self, name: str) -> pl.Series:
        """The column as it stands in the file, where numbers can be read as text, too."""
        return self.column(name)


class CsvSource(ColumnSource):
    """A CSV file: numbers are available as they are written, with their zeros."""

    def as_written(self, name: str) -> pl.Series:
        return self._texts[name] if name in self._texts.columns else self.column(name)

    @cached_property
    def _texts(self) -> pl.DataFrame:
        assert self.path is not None
        numbers = [name for name, dtype in self.frame.schema.items() if dtype.is_numeric()]
        options = self.reading.for_format(format_of(self.path))[0] | {"text": Codes(numbers), "missing": self.missing}
        return read_table(self.path, **options).data.select(numbers)


@dataclass
class ScannedSource(ColumnSource):
    """A file whose columns can be read alone (Parquet), read column by column, and of a very large one only a part."""

    scan: pl.LazyFrame = field(kw_only=True)

    def __post_init__(self) -> None:
        self._records = int(self.scan.select(pl.len()).collect().item())

    @property
    def records(self) -> int:
        return self._records

    @property
    def looked(self) -> int:
        most = max(MOST_CELLS // len(self.names) // BLOCKS, 20) * BLOCKS
        return min(self._records, most)

    def column(self, name: str) -> pl.Series:
        if name in self.nested:
            return values_unread(name, self.looked)
        return without_markers(self._read(name).to_frame(), self.missing)[0].to_series()

    def distinct(self, name: str) -> pl.Series:
        chosen = self.scan.select(selectors.by_name(name)).unique(maintain_order=False).collect(engine="streaming")
        return without_markers(chosen, self.missing)[0].to_series()

    def _read(self, name: str) -> pl.Series:
        chosen = self.scan.select(selectors.by_name(name))  # a name may look like a pattern
        if self.looked == self.records:
            return chosen.collect().to_series()
        size = self.looked // BLOCKS
        starts = [int(at * (self.records - size) / (BLOCKS - 1)) for at in range(BLOCKS)]
        return pl.concat([chosen.slice(start, size).collect() for start in starts]).to_series()


def columns_of(
    data: Any, reading: Reading | None = None, markers: Mapping[str, Sequence[str]] | None = None
) -> ColumnSource:
    """The columns of a frame (pandas, Polars, PyArrow) or of a file; ``markers`` of missing values, by column."""
    require_threads()
    reading = reading or Reading()
    missing = MissingMarkers(reading.missing, markers or {})
    nested: list[str] = []

    def leave(name: str) -> bool:  # asked only of columns whose values cannot be compared
        nested.append(name)
        return True

    found = data_source(data) if isinstance(data, (str, Path)) else None
    path = found if isinstance(found, Path) else None
    source = ColumnSource
    if path is not None:
        require_file(path)
        format = format_of(path)
        if format.scan is not None:
            return _scanned(path, format.title, format.scan, reading, missing)
        source = CsvSource if format.text else ColumnSource
    else:
        path = None if found is None else data_file(data)
    table = open_table(data, {}, reading=reading, unread=leave, missing=missing)
    return source(table.data, table.notes, path, frozenset(table.native.orders()), reading, nested, missing)


def _scanned(
    path: Path, title: str, scan: Callable[[Path], pl.LazyFrame], reading: Reading, missing: MissingMarkers
) -> ColumnSource:
    with read_errors(path, title):
        lazy = scan(path)
        head = lazy.head(1).collect()
        nested = [name for name, dtype in head.schema.items() if dtype.is_nested()]
        taken = NativeFrame.of(
            head, unread=nested.__contains__, may_be_empty=True
        )  # names and types are checked as those of a frame
        if not head.height:
            raise DataError("there are no records in it", where=str(path), remedy="Check how the file was written.")
        source = ScannedSource(head, [], path, frozenset(taken.orders()), reading, nested, missing, scan=lazy)
    source.notes.append(note(f"{title}; {source.records:,} rows, {len(source.names):,} columns"))
    if source.looked < source.records:
        source.notes.append(
            note(
                f"only {source.looked:,} of {source.records:,} records were examined, in {BLOCKS} blocks from the whole "
                "file: values, missing values and unmatched values in other records are not known"
            )
        )
    return source
