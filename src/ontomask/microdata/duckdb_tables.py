"""Tables and queries of DuckDB files, in batches.

DuckDB hands over Arrow records while it computes them. The file is opened to be read only, and the query sees nothing
but the file: no other files, no network, no variables of the program.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from typing import Any

import polars as pl

from ontomask.arguments import short
from ontomask.errors import DataError
from ontomask.files.extras import load_extra
from ontomask.microdata.sql_sources import SqlSource
from ontomask.microdata.sql_types import as_whole, cannot_carry, no_table, require_names, within_calendar

_SETTINGS = {
    "enable_external_access": "false",
    "autoload_known_extensions": "false",
    "autoinstall_known_extensions": "false",
}
_NUMBERS = "TINYINT|SMALLINT|INTEGER|BIGINT|UTINYINT|USMALLINT|UINTEGER|UBIGINT|FLOAT|DOUBLE|DECIMAL\\(\\d+,\\d+\\)"
_TEXTS = "VARCHAR|UUID|JSON|ENUM\\(.*\\)"
_TIMES = "DATE|TIME|TIMESTAMP|TIMESTAMP_S|TIMESTAMP_MS|TIMESTAMP_NS|TIMESTAMP WITH TIME ZONE"
_PLAIN = f'BOOLEAN|{_NUMBERS}|{_TEXTS}|{_TIMES}|BLOB|"NULL"'
#: What comes unchanged. Several values in one cell come as well: whoever looks at them says what is wrong with them.
_KNOWN = re.compile(rf"(?:(?:{_PLAIN})(?:\[\])?|STRUCT\(.*\))", re.DOTALL)
#: Problems of which DuckDB says what is wrong with the query; other texts may show values of the data.
_TELLING = ("ParserException", "BinderException", "CatalogException", "PermissionException")


def batches(source: SqlSource, rows: int) -> Generator[pl.DataFrame, None, None]:
    """The records of a table or query, in batches."""
    duckdb = load_extra("duckdb", "reading DuckDB files")
    load_extra("pyarrow", "reading DuckDB files")
    with _problems(source, duckdb), closing(_connected(source, duckdb)) as connection:
        names, types = _described(source, connection, duckdb)
        huge = [name for name, dtype in zip(names, types, strict=True) if dtype == "HUGEINT"]
        # Closed before the connection: who opens the file next waits until nobody reads it any more.
        with closing(connection.sql(source.statement).to_arrow_reader(rows)) as arrow:
            none_yet = True
            for batch in arrow:
                if len(batch):
                    yield _as_file(batch, huge, source)
                    none_yet = False
            if none_yet:
                yield _as_file(arrow.schema.empty_table(), huge, source)


def _connected(source: SqlSource, duckdb: Any) -> Any:
    try:
        connection = duckdb.connect(str(source.file), read_only=True, config=_SETTINGS)
    except duckdb.ConnectionException:
        raise DataError(
            "this program has the database open already",
            where=source.place,
            remedy="Close that connection first, or give the records as a frame: connection.sql(...).pl().",
        ) from None
    except duckdb.IOException as problem:
        if "lock" in str(problem).lower():
            what, remedy = (
                "another program is writing to the database",
                "Wait until it has closed it, or copy the file.",
            )
        else:
            what, remedy = "the file cannot be read as DuckDB", "Check that it is a database file of DuckDB, and whole."
        raise DataError(what, where=source.place, remedy=remedy) from None
    connection.execute("SET python_enable_replacements = false")
    connection.execute("SET TimeZone = 'UTC'")
    return connection


def _described(source: SqlSource, connection: Any, duckdb: Any) -> tuple[list[str], list[str]]:
    """The names and types of the columns; an error where there is not one query that reads, or a type is not carried."""
    statements = connection.extract_statements(source.statement)
    if [statement.type for statement in statements] != [duckdb.StatementType.SELECT]:
        raise DataError("this is not one query that reads", where=source.place, remedy="Give one SELECT.")
    if source.table:
        _require_table(source, connection)
    said = connection.execute(f"DESCRIBE {source.statement}").fetchall()
    names, types = [row[0] for row in said], [row[1] for row in said]
    require_names(names, source)
    for name, dtype in zip(names, types, strict=True):
        if dtype != "HUGEINT" and not _KNOWN.fullmatch(dtype):
            raise cannot_carry(source, name, f"values of type {short(dtype, 60)}")
    return names, types


def _require_table(source: SqlSource, connection: Any) -> None:
    """An error that names the tables there are, if the one that is asked for is not among them."""
    found = connection.execute(
        "SELECT table_schema, table_name FROM information_schema.tables WHERE table_catalog = current_database()"
    ).fetchall()
    known = [name if schema == "main" else f"{schema}.{name}" for schema, name in found]
    meant = [part.lower() for part in source.table[-2:]]
    if not any([schema.lower(), name.lower()][-len(meant) :] == meant for schema, name in found):
        raise no_table(source, known)


def _as_file(records: Any, huge: list[str], source: SqlSource) -> pl.DataFrame:
    """As a Parquet file of these records is read: categories are texts, sums of whole numbers whole numbers."""
    data = pl.DataFrame(records)
    for column, given in zip(data.iter_columns(), records.columns, strict=True):
        if column.null_count() != given.null_count:  # Polars has no 24:00, and would say that the value is missing
            raise cannot_carry(source, column.name, "values that Polars does not have, such as the time 24:00")
    texts = [name for name, dtype in data.schema.items() if dtype in (pl.Categorical, pl.Enum)]
    data = data.with_columns(data[name].cast(pl.String) for name in texts)
    data = data.with_columns(as_whole(data[name], source) for name in huge)
    within_calendar(data, source)
    return data


@contextmanager
def _problems(source: SqlSource, duckdb: Any) -> Iterator[None]:
    """What DuckDB says, as an error of ours. What it says while it computes may show values, and is not passed on."""
    try:
        yield
    except (duckdb.Error, OSError) as problem:  # Arrow passes on what goes wrong later as an OSError
        kind = type(problem).__name__
        said = short(" ".join(str(problem).partition("\n\n")[0].split()), 300) if kind in _TELLING else ""
        if not said and isinstance(problem, OSError):
            kind = str(problem).partition(":")[0]
        raise DataError(
            f"DuckDB cannot run this: {said}" if said else f"DuckDB failed while it read ({short(kind, 40)})",
            where=source.place,
            remedy="Check the query; it sees this database file only."
            if said
            else "Run the query in DuckDB to see why.",
        ) from None
