"""Parquet files: tables with types, of which single columns can be read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
from polars.io.plugins import register_io_source
from polars.selectors import by_name

from ontomask.arguments import short
from ontomask.errors import DataError
from ontomask.files.regular_files import free_memory, open_regular
from ontomask.microdata.file_contents import ExtraContents, TableContents

#: Keys of the metadata of a Parquet file that describe its columns.
_DESCRIBING = {"ARROW:schema", "pandas", "org.apache.spark.version", "org.apache.spark.sql.parquet.row.metadata"}

#: Types that older Polars do not have.
_EXTENSION: Any = getattr(pl, "BaseExtension", ())
_MAP: Any = getattr(pl, "Map", ())


def read_parquet(file: Path) -> TableContents:
    """The whole table, if it fits into memory."""
    with read_errors(file, "Parquet"):
        require_parquet_fits(file)
        with open_regular(file) as stream:
            return TableContents(pl.read_parquet(stream))


def scan_parquet(file: Path) -> pl.LazyFrame:
    """The table, of which only those columns are read that are asked for."""
    return pl.scan_parquet(file, glob=False)


def parquet_chunks(file: Path, rows: int) -> Iterator[pl.DataFrame]:
    """The table in chunks of so many rows, in their order; one of them is in memory, and what is read ahead."""
    with read_errors(file, "Parquet"):
        yield from scan_parquet(file).collect_batches(chunk_size=rows, maintain_order=True)


def parquet_shape(file: Path) -> tuple[dict[str, pl.DataType], int]:
    """The columns of a file with their types, and its rows, of which none is read."""
    with read_errors(file, "Parquet"), open_regular(file) as stream:
        return dict(pl.read_parquet_schema(stream)), parquet_size(file).rows


def parquet_last(file: Path) -> pl.DataFrame:
    """The last row of a file."""
    with read_errors(file, "Parquet"):
        return scan_parquet(file).tail(1).collect()


def write_parquet(data: pl.DataFrame, part: Path, *, target: Path) -> None:
    """Write the table."""
    with part.open("wb") as stream:
        data.write_parquet(stream)


def write_parquet_chunks(chunks: Callable[[], Iterable[pl.DataFrame]], part: Path) -> tuple[pl.Schema, int]:
    """Write a table in chunks, of which few are in memory; its columns, and how many rows it has."""
    left = iter(chunks())
    first = next(left)
    rows = 0

    def counted(*_: object) -> Iterator[pl.DataFrame]:
        nonlocal rows
        for chunk in chain([first], left):
            rows += len(chunk)
            yield chunk

    register_io_source(counted, schema=first.schema).sink_parquet(part, maintain_order=True)
    return first.schema, rows


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


def parquet_texts(file: Path) -> int:
    """The bytes of all texts and lists in the table, each as often as it stands there: a file may hold a long one once.

    The table is read for it, part by part.
    """
    with open_regular(file) as stream:
        frame = pl.scan_parquet(stream, glob=False)
        names = {name: dtype for name, dtype in frame.collect_schema().items() if _varies(dtype)}
        if not names:
            return 0
        lengths = [
            _bytes_in(by_name(name).as_expr(), dtype).alias(str(at)) for at, (name, dtype) in enumerate(names.items())
        ]
        return sum(frame.select(lengths).collect(engine="streaming").row(0))


def _varies(dtype: pl.DataType) -> bool:
    """May values of the type be of any length?"""
    dtype = _plain(dtype)
    return dtype.is_nested() or isinstance(dtype, pl.String | pl.Binary | pl.Categorical | pl.Enum)


def _plain(dtype: Any) -> pl.DataType:
    """What values of a type are stored as, where it is a map or an extension, such as JSON."""
    if isinstance(dtype, _EXTENSION):
        return _plain(dtype.ext_storage())
    if isinstance(dtype, _MAP):
        return pl.List(pl.Struct({"key": dtype.key, "value": dtype.value}))
    assert isinstance(dtype, pl.DataType)
    return dtype


def _bytes_in(values: pl.Expr, dtype: Any) -> pl.Expr:
    """The bytes in values of a type, one number."""
    while isinstance(dtype, _EXTENSION):
        values, dtype = values.ext.storage(), dtype.ext_storage()
    if _plain(dtype) != dtype:
        values, dtype = values.cast(_plain(dtype)), _plain(dtype)
    if isinstance(dtype, pl.String | pl.Categorical | pl.Enum):
        return values.cast(pl.String).str.len_bytes().cast(pl.Int64).sum()
    if isinstance(dtype, pl.Binary):
        return values.bin.size().cast(pl.Int64).sum()
    if isinstance(dtype, pl.List | pl.Array):
        lists = values if isinstance(dtype, pl.List) else values.arr.to_list()
        inner = dtype.inner
        assert isinstance(inner, pl.DataType)
        own = lists.list.len().cast(pl.Int64).sum() * max(1, round(_width(inner)))
        return own + _bytes_in(lists.list.explode(), inner) if _varies(inner) else own
    if isinstance(dtype, pl.Struct):
        parts = [_bytes_in(values.struct.field(field.name), field.dtype) for field in dtype.fields]
        return pl.sum_horizontal(parts) if parts else pl.lit(0, pl.Int64)
    return values.len().cast(pl.Int64) * round(_width(dtype) + 0.5)


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
