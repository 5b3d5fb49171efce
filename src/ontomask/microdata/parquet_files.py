"""Parquet files: tables with types, of which single columns can be read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from ontomask.arguments import short
from ontomask.errors import DataError
from ontomask.files.regular_files import free_memory, open_regular
from ontomask.microdata.file_contents import ExtraContents, TableContents

#: Keys of the metadata of a Parquet file that describe its columns.
_DESCRIBING = {"ARROW:schema", "pandas", "org.apache.spark.version", "org.apache.spark.sql.parquet.row.metadata"}


def read_parquet(file: Path) -> TableContents:
    """The whole table, if it fits into memory."""
    with read_errors(file, "Parquet"):
        require_parquet_fits(file)
        with open_regular(file) as stream:
            return TableContents(pl.read_parquet(stream))


def scan_parquet(file: Path) -> pl.LazyFrame:
    """The table, of which only those columns are read that are asked for."""
    return pl.scan_parquet(file, glob=False)


def write_parquet(data: pl.DataFrame, part: Path, *, target: Path) -> None:
    """Write the table."""
    with part.open("wb") as stream:
        data.write_parquet(stream)


def beside_parquet(file: Path, columns: Sequence[str], **_: Any) -> ExtraContents:
    """Metadata that do not describe the columns."""
    with open_regular(file) as stream:
        keys = [key for key in pl.read_parquet_metadata(stream) if key not in _DESCRIBING]
    return ExtraContents(parts=[f"metadata {short(repr(key), 40)}" for key in keys])


@contextmanager
def read_errors(file: Path, title: str) -> Iterator[None]:
    """What goes wrong while Polars reads a file, as an error of ours."""
    try:
        yield
    except (pl.exceptions.PolarsError, OSError) as problem:
        raise DataError(
            f"the file cannot be read as {title} ({type(problem).__name__})",
            where=str(file),
            remedy=f"Check that it is whole and really {title}.",
        ) from problem


class ParquetSize(NamedTuple):
    """What a Parquet file declares: its rows and columns, and the bytes that they take in memory at least."""

    rows: int
    columns: int
    needed: float


def parquet_size(file: Path) -> ParquetSize:
    """The size of the table in a file, of which only the metadata are read."""
    with open_regular(file) as stream:
        schema = pl.read_parquet_schema(stream)
        stream.seek(0)
        rows = int(pl.scan_parquet(stream, glob=False).select(pl.len()).collect().item())
    return ParquetSize(rows, len(schema), rows * sum(map(_width, schema.values())))


def require_parquet_fits(file: Path) -> None:
    """An error if the rows that a Parquet file declares cannot fit into memory: few bytes can stand for very many."""
    rows, _, needed = parquet_size(file)
    if needed > free_memory():
        raise DataError(
            f"{rows:,} rows need at least {needed / 1e9:,.1f} GB, and less memory is free",
            where=str(file),
            remedy="Read fewer columns or a sample of the rows, or use a machine with more memory.",
        )


def _width(dtype: pl.DataType) -> float:
    """The bytes that a value takes at least."""
    if isinstance(dtype, pl.Boolean):
        return 1 / 8
    if isinstance(dtype, pl.Int8 | pl.UInt8):
        return 1
    if isinstance(dtype, pl.Int16 | pl.UInt16):
        return 2
    if isinstance(dtype, pl.Int32 | pl.UInt32 | pl.Float32 | pl.Date | pl.Categorical | pl.Enum):
        return 4
    return 16 if isinstance(dtype, pl.String | pl.Binary) else 8
