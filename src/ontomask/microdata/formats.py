"""Formats of data files: one row for each says what its files are called, how they are read and written, and what differs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from ontomask.arguments import one_of
from ontomask.errors import OptionError
from ontomask.microdata import stat_files
from ontomask.microdata.csv_tables import beside_csv, read_csv_table, read_tsv_table, write_csv
from ontomask.microdata.excel_files import beside_excel, read_excel, write_excel
from ontomask.microdata.file_contents import ExtraContents, TableContents
from ontomask.microdata.parquet_files import beside_parquet, read_parquet, scan_parquet, write_parquet
from ontomask.microdata.sql_sources import DUCKDB, POSTGRESQL, SqlSource, TableSource
from ontomask.microdata.sql_tables import read_sql

#: Options of reading that need no help of a format: texts that mean a missing value, columns that hold text.
COMMON = ("missing", "text")


def nothing_beside(file: Path, columns: Sequence[str], **_: Any) -> ExtraContents:
    """A file of this format can hold nothing besides its table."""
    return ExtraContents()


@dataclass(frozen=True)
class Format:
    """A format of data files.

    Parameters
    ----------
    name : str
        As ``format=`` and ``--format`` name it.
    title : str
        What people call it.
    suffixes : tuple of str
        Of its files; the first is that of files we write. A database has none: it is read where a text names a table or query
        of it (:class:`SqlSource`).
    read : callable
        ``read(file, **options)`` with the ``options``; those of a format with types do not get :data:`COMMON`.
    write : callable, optional
        ``write(data, part, target=target)`` fills ``part``, which becomes ``target``; where ``text``, it also takes
        ``delimiter``, ``encoding`` and ``decimal``. None: it is only read.
    beside : callable, optional
        ``beside(file, columns, sheet=, encoding=)``: what a file holds besides the table; by default nothing.
    scan : callable, optional
        ``scan(file)``: a lazy frame, where single columns can be read without the others.
    options : tuple of str
        Reading options beside :data:`COMMON`.
    extra : str, optional
        The extra of this package that installs what the format needs.
    text : bool
        Cells are text without types: they are typed here, compared as they are written, and may be packed (.gz).
    cell_types : bool
        Each cell has its own type, so that a text among numbers makes a column text.
    lists : bool
        A cell can hold a list; in other formats lists are texts with a separator.
    kept : bool
        Releases have the format of the data, if nobody asks for another; else they are CSV.
    delimiter : str
        Of text files that we write.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    read: Callable[..., TableContents]
    write: Callable[..., None] | None = None
    beside: Callable[..., ExtraContents] = nothing_beside
    scan: Callable[[Path], pl.LazyFrame] | None = None
    options: tuple[str, ...] = ()
    extra: str | None = None
    text: bool = False
    cell_types: bool = False
    lists: bool = False
    kept: bool = False
    delimiter: str = ","

    @property
    def takes(self) -> tuple[str, ...]:
        """All reading options that have an effect."""
        return (*self.options, *COMMON)


_OF_TEXT = ("delimiter", "encoding", "decimal")


def _statistical(name: str) -> Format:
    title, _, writer = stat_files.FORMATS[name]
    return Format(
        name,
        title,
        (f".{name}",),
        partial(stat_files.read_stat, format=name),
        partial(stat_files.write_stat, format=name) if writer else None,
        partial(stat_files.beside_stat, format=name),
        options=("encoding",) if title.startswith("SAS") else ("encoding", "labels"),  # SAS keeps labels elsewhere
        extra="stat",
    )


_ROWS = (
    Format("csv", "CSV", (".csv", ".txt"), read_csv_table, write_csv, beside_csv, options=_OF_TEXT, text=True),
    Format("tsv", "TSV", (".tsv",), read_tsv_table, write_csv, beside_csv, options=_OF_TEXT, text=True, delimiter="\t"),
    Format(
        "parquet",
        "Parquet",
        (".parquet", ".pq"),
        read_parquet,
        write_parquet,
        beside_parquet,
        scan_parquet,
        lists=True,
        kept=True,
    ),
    Format(
        "excel",
        "Excel",
        (".xlsx",),
        read_excel,
        write_excel,
        beside_excel,
        options=("sheet",),
        extra="excel",
        cell_types=True,
    ),
    *map(_statistical, stat_files.FORMATS),
    Format(DUCKDB, "DuckDB", (), read_sql, extra="sql", lists=True),
    Format(POSTGRESQL, "PostgreSQL", (), read_sql, extra="sql"),
)
#: Every format by its name.
FORMATS: dict[str, Format] = {row.name: row for row in _ROWS}


def written_formats() -> list[str]:
    """The names of the formats that can be written."""
    return [row.name for row in FORMATS.values() if row.write is not None]


def suffixes(*, written: bool = False) -> dict[str, Format]:
    """Suffix -> format; ``written``: of those that can be written."""
    rows = [row for row in FORMATS.values() if row.write is not None or not written]
    return {suffix: row for row in rows for suffix in row.suffixes}


def chosen_format(source: TableSource, name: str | None = None, *, written: bool = False) -> Format:
    """The format of that name, or else the one that the name of the file tells."""
    if name is None:
        return format_of(source, written=written)
    files = [row.name for row in FORMATS.values() if row.suffixes]
    known = [source.format] if isinstance(source, SqlSource) else written_formats() if written else files
    one_of(name, known, "format to write" if written else "format")
    return FORMATS[name]


def format_of(file: TableSource, *, written: bool = False) -> Format:
    """The format that the name of a file tells, or a source the database that it names."""
    if isinstance(file, SqlSource):
        return FORMATS[file.format]
    name, known = file.name.lower(), suffixes(written=written)
    packed = name.endswith(".gz")
    suffix = Path(name.removesuffix(".gz")).suffix
    found = known.get(suffix)
    if found is None or (packed and not found.text):
        shown = f"{suffix}.gz" if packed else suffix
        hint = "Save it as .xlsx. " if suffix in (".xls", ".xlsb", ".ods") else ""
        if suffix in (".duckdb", ".db", ".ddb") and not written:
            hint = f"Name a table of a DuckDB file: duckdb:{file.name}?table=NAME. "
        packable = ", ".join(suffix for suffix, row in known.items() if row.text)
        raise OptionError(
            f"the suffix {shown!r} of {file.name!r} is not of a known format",
            remedy=f"{hint}Known suffixes: {', '.join(known)} (with .gz as well: {packable}).",
        )
    return found
