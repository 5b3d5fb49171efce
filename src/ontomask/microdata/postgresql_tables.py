"""Tables and queries of PostgreSQL, in batches.

The server sends the records as text (COPY), each as soon as it has it, and Polars reads the text: nothing is held but a
batch, and no value passes through Python. All is read in one transaction that cannot write and sees one state of the data.
The driver is psycopg, which has wheels for every platform and needs nothing else. Texts are exact: what becomes of numbers of
unlimited precision, of infinite dates and of unknown types is decided here, and not by a driver.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import polars as pl

from ontomask.arguments import short
from ontomask.errors import DataError
from ontomask.files.extras import load_extra
from ontomask.microdata.sql_sources import SqlSource, quoted
from ontomask.microdata.sql_types import cannot_carry, no_table, require_names, within_calendar

#: Bytes of text after which a batch ends even if it has few rows.
MOST_BYTES = 64 << 20
#: Seconds to wait for a server that does not answer.
_PATIENCE = "10"
_SETTINGS = (
    "SET LOCAL TimeZone = 'UTC'; SET LOCAL datestyle = 'ISO, MDY'; SET LOCAL extra_float_digits = 1; "
    "SET LOCAL bytea_output = 'hex' "
)
#: Classes of errors in which the server speaks of the query, the connection or rights; others may show values.
_TELLING = ("08", "0A", "25", "28", "3D", "3F", "42", "53", "57")
_MOST_DIGITS = 38
_SIMPLE: dict[str, Callable[[pl.Series], pl.Series]] = {
    "bool": lambda texts: texts == "t",
    "int2": lambda texts: texts.cast(pl.Int16, strict=False),
    "int4": lambda texts: texts.cast(pl.Int32, strict=False),
    "int8": lambda texts: texts.cast(pl.Int64, strict=False),
    "oid": lambda texts: texts.cast(pl.UInt32, strict=False),
    "float4": lambda texts: texts.cast(pl.Float32, strict=False),
    "float8": lambda texts: texts.cast(pl.Float64, strict=False),
    "date": lambda texts: _day(texts).cast(pl.Date),
    "time": lambda texts: texts.str.to_time("%H:%M:%S%.f", strict=False),
    "timestamp": lambda texts: _moment(texts, None),
    "timestamptz": lambda texts: _moment(texts, "UTC"),
    "bytea": lambda texts: texts.str.strip_prefix("\\x").str.decode("hex", strict=False),
    **dict.fromkeys(
        ["uuid", "json", "jsonb", "inet", "cidr", "macaddr", "macaddr8", "xml", "bit", "varbit", "char"], lambda t: t
    ),
}


def _day(texts: pl.Series) -> pl.Series:
    return texts.str.to_date("%Y-%m-%d", strict=False)


def _moment(texts: pl.Series, zone: str | None) -> pl.Series:
    plain = texts if zone is None else texts.str.strip_suffix("+00")
    return plain.str.to_datetime("%Y-%m-%d %H:%M:%S%.f", time_unit="us", time_zone=zone, strict=False)


@dataclass(frozen=True)
class _Column:
    """A column of the result: its name, the name of its type, and how its texts become values."""

    name: str
    type: str
    read: Callable[[pl.Series], pl.Series]


def batches(source: SqlSource, rows: int) -> Generator[pl.DataFrame, None, None]:
    """The records of a table or query, in batches."""
    psycopg = load_extra("psycopg", "reading PostgreSQL tables")
    with _problems(source, psycopg), _connected(source, psycopg) as connection:
        columns = _described(source, connection, psycopg)
        cursor, count = connection.cursor(), 0
        with cursor.copy(f"COPY (\n{source.statement}\n) TO STDOUT (FORMAT csv, FORCE_QUOTE *)") as copy:
            none_yet = True
            for text in _texts(copy, rows, alone=len(columns) == 1):
                part = _frame(text, columns, source)
                count += len(part)
                yield part
                none_yet = False
            if none_yet:
                yield _frame(b"", columns, source)
        if count != cursor.rowcount:
            raise DataError(
                f"the server sent {cursor.rowcount:,} records, and {count:,} were understood",
                where=source.place,
                remedy="Save the table as a file, and report this.",
            )


def _texts(copy: Any, rows: int, *, alone: bool) -> Iterator[bytes]:
    """The text of the records, cut between two of them. A column that is ``alone`` gets an empty one beside it.

    All that is not null is in quotes, so that a null alone would be an empty line, which readers pass over.
    """
    buffer, lines, quotes = bytearray(), 0, 0
    for block in copy:
        line = bytes(block)
        quotes += line.count(b'"')
        whole = line.endswith(b"\n") and not quotes % 2
        buffer += line[:-1] + b",\n" if alone and whole else line
        lines += whole
        if whole and (lines >= rows or len(buffer) > MOST_BYTES):
            yield bytes(buffer)
            buffer, lines, quotes = bytearray(), 0, 0
    if buffer:
        yield bytes(buffer)


def _frame(text: bytes, columns: list[_Column], source: SqlSource) -> pl.DataFrame:
    names = [f"c{number}" for number in range(len(columns) + (len(columns) == 1))]
    schema = dict.fromkeys(names, pl.String)
    cells = pl.DataFrame(schema=schema)
    if text:
        cells = pl.read_csv(io.BytesIO(text), has_header=False, schema=schema)
    values = []
    for column, texts in zip(columns, cells.iter_columns(), strict=False):
        series = column.read(texts).alias(column.name)
        if series.null_count() != texts.null_count():
            raise cannot_carry(source, column.name, f"values of type {column.type} that have no exact counterpart")
        values.append(series)
    data = pl.DataFrame(values)
    within_calendar(data, source)
    return data


# ---- the connection ------------------------------------------------------------------------------------------------


@contextmanager
def _connected(source: SqlSource, psycopg: Any) -> Iterator[Any]:
    """A connection in a transaction that cannot write; at its end nothing is committed."""
    given = {**source.connection, "client_encoding": "utf8"}
    if "PGCONNECT_TIMEOUT" not in os.environ and "service" not in given:
        given.setdefault("connect_timeout", _PATIENCE)
    try:
        connection = psycopg.connect("", **given)
    except psycopg.Error as problem:
        raise DataError(
            f"the database cannot be reached: {short(' '.join(str(problem).split()), 300)}",
            where=source.place,
            remedy="Check host, port, user and database. A password comes from the environment (PGPASSWORD) or ~/.pgpass.",
        ) from None
    try:
        connection.read_only = True
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.execute(_SETTINGS)
        yield connection
    finally:
        connection.close()


@contextmanager
def _problems(source: SqlSource, psycopg: Any) -> Iterator[None]:
    """What the server says, as an error of ours. What it says while it computes may show values, and is not passed on."""
    try:
        yield
    except psycopg.Error as problem:
        raise _refused(source, problem.sqlstate, problem.diag.message_primary) from None


def _refused(source: SqlSource, state: str | None, said: str | None) -> DataError:
    if state is None or not state.startswith(_TELLING):
        what, said = f"PostgreSQL failed while it read (SQLSTATE {state or 'unknown'})", None
    else:
        what = f"PostgreSQL cannot run this: {short(' '.join((said or state).split()), 300)}"
    return DataError(
        what, where=source.place, remedy="Check the query." if said else "Run the query in psql to see why."
    )


# ---- what comes -----------------------------------------------------------------------------------------------------


def _described(source: SqlSource, connection: Any, psycopg: Any) -> list[_Column]:
    """The columns, before anything runs: the server accepts one statement alone here, and COPY accepts only one that reads."""
    server, state = connection.pgconn, psycopg.pq.DiagnosticField.SQLSTATE
    made = server.prepare(b"", source.statement.encode())
    if made.status != psycopg.pq.ExecStatus.COMMAND_OK:
        code = (made.error_field(state) or b"").decode()
        if source.table and code in ("42P01", "3F000"):
            connection.rollback()
            raise no_table(source, _tables(connection))
        said = made.error_field(psycopg.pq.DiagnosticField.MESSAGE_PRIMARY) or b""
        raise _refused(source, code, said.decode("utf-8", "replace"))
    told = server.describe_prepared(b"")
    names = [(told.fname(at) or b"").decode() for at in range(told.nfields)]
    require_names(names, source)
    types = {told.ftype(at) for at in range(told.nfields)}
    rows = connection.execute("SELECT oid, typname, typcategory FROM pg_type WHERE oid = ANY(%s)", [list(types)])
    known = {oid: (name, category) for oid, name, category in rows}
    columns = []
    for at, name in enumerate(names):
        kind, category = known[told.ftype(at)]
        if kind == "numeric":
            read = _decimal(told.fmod(at), name, source, connection)
        elif category in ("S", "E"):
            read = _SIMPLE["char"]
        elif kind in _SIMPLE:
            read = _SIMPLE[kind]
        else:
            remedy = (
                "Make a text of the list in a query: SELECT array_to_string(column, '|') AS column."
                if category == "A"
                else ""
            )
            raise cannot_carry(source, name, f"values of type {kind}", remedy)
        columns.append(_Column(name, kind, read))
    return columns


def _decimal(modifier: int, name: str, source: SqlSource, connection: Any) -> Callable[[pl.Series], pl.Series]:
    """Decimal numbers as they are declared; without a declaration, with the most decimals that a value has.

    That asks for all values once more before they are read. Both are of the same state of the data.
    """
    digits, scale = (modifier - 4) >> 16 & 0xFFFF, ((modifier - 4 & 0x7FF) ^ 1024) - 1024
    if modifier < 0 or digits > _MOST_DIGITS or not 0 <= scale <= digits:
        asked = f"SELECT coalesce(max(scale({quoted(name)})), 0) FROM (\n{source.statement}\n) AS asked"
        digits, scale = _MOST_DIGITS, connection.execute(asked).fetchone()[0]
    if scale > _MOST_DIGITS:
        raise cannot_carry(source, name, f"numbers with {scale:,} decimals")
    return lambda texts: texts.cast(pl.Decimal(digits, scale), strict=False)


def _tables(connection: Any) -> list[str]:
    """The tables and views that the user may read."""
    rows = connection.execute(
        "SELECT table_schema, table_name FROM information_schema.tables "
        "WHERE table_schema NOT IN ('pg_catalog', 'information_schema')"
    ).fetchall()
    return [name if schema == "public" else f"{schema}.{name}" for schema, name in rows]
