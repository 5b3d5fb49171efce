"""CSV files as tables: read with types, written so that they read back unchanged."""

from __future__ import annotations

import codecs
import gzip
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, cast

import polars as pl

from ontomask.errors import DataError
from ontomask.files.regular_files import open_regular
from ontomask.microdata.csv_files import read_csv
from ontomask.microdata.csv_types import typed
from ontomask.microdata.dtypes import is_text
from ontomask.microdata.file_contents import ExtraContents, TableContents
from ontomask.microdata.missing_markers import MissingMarkers, marker_note, without_markers

#: Rows that are turned into another encoding at a time.
_BLOCK = 100_000
_GZIP_EXTRA, _GZIP_COMMENT = 4, 16


# ---- reading ----------------------------------------------------------------------------------------------------


def read_csv_table(
    file: Path,
    *,
    delimiter: str | None,
    encoding: str | None,
    decimal: str | None,
    text: Collection[str],
    missing: MissingMarkers,
) -> TableContents:
    """A table with types, as far as they are certain; columns named by ``text`` stay as they are."""
    raw = read_csv(file, delimiter=delimiter, encoding=encoding)
    if raw.data.width == 1:  # a missing value of an only column is two quotes: readers skip empty lines
        raw.data = raw.data.with_columns(pl.when(pl.all() != "").then(pl.all()))
    data, found = without_markers(raw.data, missing)
    raw.notes += marker_note(raw.data, data, found)
    data, mark, notes = typed(data, delimiter=raw.delimiter, decimal=decimal, text=text)
    return replace(raw, data=data, notes=raw.notes + notes, decimal=mark)


def read_tsv_table(file: Path, *, delimiter: str | None, **options: Any) -> TableContents:
    """The same, with tabs where nobody says otherwise."""
    return read_csv_table(file, delimiter=delimiter or "\t", **options)


def beside_csv(file: Path, columns: Sequence[str], **_: Any) -> ExtraContents:
    """What the head of a packed file says besides."""
    with open_regular(file) as stream:
        head = stream.read(4)
    commented = head[:2] == b"\x1f\x8b" and head[3] & (_GZIP_EXTRA | _GZIP_COMMENT)
    return ExtraContents(parts=["a comment in the head of the packed file"] if commented else [])


# ---- writing ----------------------------------------------------------------------------------------------------


def write_csv(data: pl.DataFrame, part: Path, *, target: Path, delimiter: str, encoding: str, decimal: str) -> None:
    """Null is an empty cell, an empty text two quotes.

    In a table of one column an empty cell would be an empty line, which most readers skip: there null is two quotes.
    """
    for column in data.iter_columns():
        _check_csv(column, str(target))
    layout: dict[str, Any] = {"separator": delimiter, "decimal_comma": decimal == ","}
    if data.width == 1:
        only = data.to_series()
        _check_only_column(only, str(target))
        layout["null_value"] = '""'
        if _holds_blanks(data):
            layout["quote_style"] = "non_numeric"  # a line of blanks is an empty line to some readers
    with part.open("wb") as raw, _packed(raw, target) as stream:
        if codecs.lookup(encoding).name == "utf-8":
            data.write_csv(stream, **layout)
            return
        encode = codecs.getincrementalencoder(encoding)().encode
        for start in range(0, max(data.height, 1), _BLOCK):
            block = data.slice(start, _BLOCK)
            text = block.write_csv(include_header=start == 0, **layout)
            try:
                stream.write(encode(text))
            except UnicodeEncodeError as problem:
                raise _unwritable(block, problem, encoding, target) from None


def write_csv_chunks(
    chunks: Callable[[], Iterable[pl.DataFrame]], part: Path, *, target: Path, delimiter: str
) -> tuple[pl.Schema, int]:
    """The same of a table in chunks, in UTF-8; its columns, and how many rows it has.

    ``chunks`` gives the table, once more where that has to be known before the first line is written.
    """
    layout: dict[str, Any] = {"separator": delimiter}
    schema, rows = pl.Schema(), 0
    with part.open("wb") as stream:
        for data in chunks():
            if data.width == 1 and not schema:
                layout["null_value"] = '""'
                if any(map(_holds_blanks, chunks())):
                    layout["quote_style"] = "non_numeric"
            for column in data.iter_columns():
                _check_csv(column, str(target))
                if data.width == 1:
                    _check_only_column(column, str(target))
            data.write_csv(stream, include_header=not schema, **layout)
            schema, rows = schema or data.schema, rows + len(data)
    return schema, rows


def _holds_blanks(data: pl.DataFrame) -> bool:
    """Is there a text of nothing but blanks in the only column?"""
    only = data.to_series()
    return is_text(only.dtype) and bool((only.cast(pl.String).str.strip_chars() == "").any())


@contextmanager
def _packed(raw: BinaryIO, target: Path) -> Iterator[BinaryIO]:
    if not target.name.lower().endswith(".gz"):
        yield raw
        return
    with gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0) as stream:
        yield cast("BinaryIO", stream)


def _check_csv(column: pl.Series, where: str) -> None:
    """Refuse what would not read back as what it is."""
    problem = None
    if not column.name.strip():
        problem = "a column without a name"
    elif column.dtype.is_float() and (column.is_nan().any() or column.is_infinite().any()):
        problem = "NaN and infinite numbers"
    elif isinstance(column.dtype, pl.Binary):
        problem = "columns of type Binary"
    elif isinstance(column.dtype, pl.String) and column.str.contains("\0", literal=True).any():
        problem = "texts with a zero byte"
    if problem:
        raise DataError(
            f"{problem} cannot be written as CSV",
            where=f"{where}, column {column.name!r}",
            remedy="Replace them, by null for instance, or write Parquet.",
        )


def _check_only_column(column: pl.Series, where: str) -> None:
    """Refuse empty texts, which would come back as missing values."""
    if is_text(column.dtype) and (column.cast(pl.String) == "").any():
        raise DataError(
            "empty texts and missing values look the same in a CSV of one column",
            where=f"{where}, column {column.name!r}",
            remedy="Replace the empty texts, or write Parquet.",
        )


def _unwritable(block: pl.DataFrame, problem: UnicodeEncodeError, encoding: str, target: Path) -> DataError:
    character = problem.object[problem.start]
    column = next(
        (
            name
            for name in block.columns
            if character in name or block[name].cast(pl.String).str.contains(character, literal=True).any()
        ),
        "",
    )
    return DataError(
        f"the character {character!r} cannot be written in {encoding}",
        where=f"{target}, column {column!r}",
        remedy="Choose encoding='utf-8', or 'utf-8-sig' for Excel.",
    )
