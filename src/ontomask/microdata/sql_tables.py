"""Records of databases in batches, and whole: what DuckDB and PostgreSQL give becomes Polars frames of one schema."""

from __future__ import annotations

import io
from collections.abc import Callable, Generator
from contextlib import closing
from hashlib import sha256

import polars as pl

from ontomask.errors import DataError
from ontomask.files.regular_files import free_memory
from ontomask.fork_safety import require_threads
from ontomask.microdata import duckdb_tables, postgresql_tables
from ontomask.microdata.dtypes import as_texts
from ontomask.microdata.file_contents import TableContents
from ontomask.microdata.sql_sources import DUCKDB, POSTGRESQL, SqlSource

#: Rows of a batch: enough for few calls, and few enough that a batch of wide records is small beside free memory.
ROWS = 100_000
_BATCHES: dict[str, Callable[[SqlSource, int], Generator[pl.DataFrame, None, None]]] = {
    DUCKDB: duckdb_tables.batches,
    POSTGRESQL: postgresql_tables.batches,
}


def sql_batches(source: SqlSource, rows: int = ROWS) -> Generator[pl.DataFrame, None, None]:
    """The records that a table or query has at one moment, in the order in which the database gives them.

    Frames of the same schema with at most about ``rows`` records; at least one, which may be empty. No more than a batch
    and what the driver holds is in memory. **SQL gives no order unless the query does** (ORDER BY), and another call
    sees what the database holds then: who needs the same records twice writes them to a file of their own first.
    """
    require_threads()
    return _BATCHES[source.format](source, rows)


def read_sql(source: SqlSource) -> TableContents:
    """All records, if they fit into memory."""
    parts, rows, held = list[pl.DataFrame](), 0, 0
    with closing(sql_batches(source)) as batches:
        for part in batches:
            parts.append(part)
            rows, size = rows + len(part), int(part.estimated_size())
            held += size
            if held + size > free_memory():  # the parts are put together once all are there
                raise DataError(
                    f"more than {rows:,} records do not fit into the free memory",
                    where=source.place,
                    remedy="Read fewer columns, or a sample of the records, or use a machine with more memory.",
                )
    return TableContents(pl.concat(parts, rechunk=True))


def records_sha256(data: pl.DataFrame) -> str:
    """A hash of records that have no file: of their cells as texts, in a CSV, in their order."""
    found = sha256()
    for number, part in enumerate(data.iter_slices(ROWS)):
        buffer = io.BytesIO()
        pl.DataFrame([as_texts(column) for column in part.iter_columns()]).write_csv(buffer, include_header=not number)
        found.update(buffer.getbuffer())
    return found.hexdigest()
