"""Tables and queries of DuckDB and PostgreSQL: the same records as from a Parquet file, in batches, and nothing but read."""

from __future__ import annotations

import datetime as dt
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from hashlib import sha256
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from typer.testing import CliRunner

import ontomask as om
from ontomask import errors
from ontomask.cli import app
from ontomask.microdata import sql_tables
from ontomask.microdata.sql_sources import quoted, sql_source
from ontomask.microdata.sql_tables import records_sha256, sql_batches
from tests import postgres

duckdb = pytest.importorskip("duckdb", reason="needs the extra sql")
pytest.importorskip("psycopg", reason="needs the extra sql")
pytest.importorskip("pyarrow", reason="needs the extra sql")

HOSTILE = 'Robert\'); DROP TABLE stays;-- "%s" \\ ä.😀'
SECRET = sha256(b"tests").digest()


@dataclass(frozen=True)
class Database:
    """A database to be filled by statements, and read by the texts of :meth:`source`."""

    format: str
    execute: Callable[..., None]
    source: Callable[[str], str]

    def put(self, frame: pl.DataFrame, table: str) -> None:
        """A table of the records, with the types of its own that hold them."""
        types = [_TYPES[type(dtype)](dtype, self.format) for dtype in frame.dtypes]
        columns = ", ".join(f"{quoted(name)} {one}" for name, one in zip(frame.columns, types, strict=True))
        rows = ", ".join(f"({', '.join(map(_literal, row))})" for row in frame.rows())
        self.execute(f"CREATE TABLE {table} ({columns})", f"INSERT INTO {table} VALUES {rows}")


_TYPES: dict[Any, Callable[[Any, str], str]] = {
    pl.Int32: lambda *_: "integer",
    pl.Int64: lambda *_: "bigint",
    pl.Float32: lambda *_: "real",
    pl.Float64: lambda *_: "double precision",
    pl.Decimal: lambda dtype, _: f"decimal({dtype.precision}, {dtype.scale})",
    pl.String: lambda *_: "text",
    pl.Boolean: lambda *_: "boolean",
    pl.Date: lambda *_: "date",
    pl.Time: lambda *_: "time",
    pl.Datetime: lambda dtype, _: "timestamp" if dtype.time_zone is None else "timestamp with time zone",
    pl.Binary: lambda _, format: "blob" if format == "duckdb" else "bytea",
}


def _literal(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        return "'" + "".join(f"\\x{byte:02X}" for byte in value) + "'::blob" if value else "''"
    if isinstance(value, (bool, int, Decimal)):
        return str(value)
    return "'" + str(value).replace("'", "''") + "'"


@pytest.fixture(scope="module")
def server() -> Iterator[postgres.Server]:
    if postgres.programs() is None:
        pytest.skip("PostgreSQL's server is not installed (Debian: apt-get install postgresql)")
    with postgres.running() as found:
        yield found


@pytest.fixture(params=["duckdb", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Database:
    """An empty database of either kind."""
    if request.param == "duckdb":
        file = tmp_path / "hospital.db"

        def execute(*statements: str) -> None:
            with duckdb.connect(str(file)) as connection:
                for statement in statements:
                    connection.execute(statement)

        execute("CREATE TABLE nothing (a INTEGER)")
        return Database("duckdb", execute, lambda asked: f"duckdb:{file}?{asked}")
    found: postgres.Server = request.getfixturevalue("server")
    monkeypatch.setenv("PGPASSWORD", postgres.PASSWORD)
    found.execute("DROP SCHEMA public CASCADE", "CREATE SCHEMA public", "CREATE TABLE nothing (a INTEGER)")
    return Database("postgresql", found.execute, found.source)


def frame() -> pl.DataFrame:
    """Every type that both databases and Parquet have, with what is hard about each, and missing values."""
    day, moment = dt.date(2024, 2, 29), dt.datetime(1969, 12, 31, 23, 59, 59, 123456)
    data = {
        "i": [1, None, -2],
        "b": [2**62, -5, None],
        "f": [0.1, None, -0.5],
        "d": [0.1 + 0.2, 1e-300, None],
        "n": [Decimal("12.50"), Decimal("-0.01"), None],
        "s": [HOSTILE, "", None],
        "code": ["007", ' "a",\n\r\tb\\N', "NULL"],
        "yes": [True, False, None],
        "day": [day, dt.date(1, 1, 1), None],
        "at": [dt.time(23, 59, 59, 1), None, dt.time(0)],
        "ts": [moment, None, dt.datetime(9999, 12, 31)],
        "tz": [moment.replace(tzinfo=dt.UTC), None, dt.datetime(2024, 1, 1, tzinfo=dt.UTC)],
    }
    types = {"i": pl.Int32, "f": pl.Float32, "n": pl.Decimal(6, 2), "tz": pl.Datetime("us", "UTC")}
    return pl.DataFrame(data, schema_overrides=types)


def test_the_same_records_as_from_a_parquet_file(database: Database, tmp_path: Path) -> None:
    file = om.write_table(frame(), tmp_path / "t.parquet")
    database.put(om.read_table(file).data, "t")
    table = om.read_table(database.source("table=t"))
    assert_frame_equal(table.data, om.read_table(file).data)
    assert table.path is None
    assert table.summary().endswith("; 3 rows, 12 columns")
    in_part = om.read_table(database.source("query=SELECT code, n FROM t WHERE i = 1"), text=["code"])
    assert in_part.data.rows() == [("007", Decimal("12.50"))]
    marked = om.read_table(database.source("table=t"), missing=["007"])
    assert marked.data["code"].null_count() == 1


def test_a_single_column_keeps_its_missing_values_and_empty_texts(database: Database) -> None:
    data = pl.DataFrame({"s": [None, "", "a\n", None, '"', ",", None]})
    database.put(data, "t")
    for rows in (1, 2, 100):
        source = sql_source(database.source("table=t"))
        assert source is not None
        assert_frame_equal(pl.concat(list(sql_batches(source, rows))), data)


@pytest.mark.parametrize("name", [HOSTILE, "select", "a.b", 'x"y', "t; DROP TABLE nothing", "T", "with blank"])
def test_names_are_only_names(database: Database, name: str) -> None:
    database.put(pl.DataFrame({name: ["x"]}), quoted(name))
    text = f"table={quoted(name)}"
    assert om.read_table(database.source(text)).data.to_dict(as_series=False) == {name: ["x"]}
    assert len(om.read_table(database.source("query=SELECT count(*) AS n FROM nothing")).data) == 1


def test_batches_are_one_state_of_the_data_with_one_schema(database: Database) -> None:
    data = pl.DataFrame({"a": range(2500), "s": [None, "x"] * 1250})
    database.put(data, "t")
    source = sql_source(database.source("query=SELECT a, s FROM t ORDER BY a"))
    assert source is not None
    parts = list(sql_batches(source, 1000))
    assert all(part.schema == data.schema for part in parts)
    assert max(map(len, parts)) <= 1000 or database.format == "duckdb"  # which gives whole vectors of 2,048
    assert_frame_equal(pl.concat(parts), data)
    half = sql_batches(source, 1000)
    next(half)
    if database.format == "postgresql":
        database.execute("DELETE FROM t")
    assert sum(map(len, half)) >= 450, "what is deleted meanwhile is still there"
    first = sql_batches(source, 1000)
    next(first)
    first.close()  # nothing waits for the rest
    empty = sql_source(database.source("table=nothing"))
    assert empty is not None
    assert [part.schema for part in sql_batches(empty)] == [pl.Schema({"a": pl.Int32})]


def test_records_that_do_not_fit_are_refused_while_they_are_read(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    database.put(pl.DataFrame({"a": range(5000)}), "t")
    monkeypatch.setattr(sql_tables, "free_memory", lambda: 1000)
    with pytest.raises(errors.DataError, match="do not fit into the free memory"):
        om.read_table(database.source("table=t"))


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("table=nope", "no table 'nope'.*nothing"),
        ("table=nowhere.nothing", "no table 'nowhere.nothing'"),
        ("table=nothing", "there are no records in it. Check the table or the query"),
        ("query=SELECT a FROM nothing WHERE false", "there are no records"),
        ("query=SELECT nope FROM nothing", "cannot run this.*nope"),
        ("query=SELEC", "cannot run this.*syntax error"),
        ("query=SELECT 1 AS a; SELECT 2 AS a", "one query|multiple commands"),
        ("query=SELECT 1 AS a; DROP TABLE nothing", "one query|multiple commands"),
        ("query=SELECT 1) TO PROGRAM 'true' --", "syntax error"),
        ("query=DROP TABLE nothing", "no columns|one query"),
        ("query=INSERT INTO nothing VALUES (1) RETURNING a", "read-only|one query"),
        ("query=SELECT 1 AS a, 2 AS a", "several columns are called 'a'"),
        ("query=SELECT INTERVAL '3 days' AS stay", "column 'stay' holds values of type interval"),
        ("query=SELECT DATE 'infinity' AS until", "column 'until' holds .*date"),
        ("query=SELECT TIMESTAMP '-infinity' AS since", "column 'since' holds .*(time|date)"),
        ("query=SELECT TIME '24:00:00' AS t", "column 't' holds .*time"),
        ("query=SELECT CAST(s AS integer) AS a FROM (VALUES ('Ana Puig')) AS q(s)", "failed while it read"),
    ],
)
def test_what_cannot_be_read_is_one_clear_error(database: Database, asked: str, said: str) -> None:
    with pytest.raises(errors.DataError, match=f"(?si){said}") as caught:
        om.read_table(database.source(asked))
    assert "Ana Puig" not in str(caught.value).removeprefix(caught.value.where or "")
    assert caught.value.where is not None
    assert caught.value.where.startswith(f"{database.format}:")
    assert caught.value.__cause__ is None, "what a database says while it reads may show values"
    source = sql_source(database.source("table=nothing"))
    assert source is not None
    assert len(next(iter(sql_batches(source)))) == 0, "nothing was written"


def test_a_release_of_a_database_is_that_of_a_parquet_file(database: Database, tmp_path: Path) -> None:
    n = 60
    data = pl.DataFrame(
        {
            "id": [f"p{i:03}" for i in range(n)],
            "age": [None if i == 7 else 20 + i * 7 % 50 for i in range(n)],
            "cost": [Decimal(i * 37 % 90) / 4 for i in range(n)],
            "ward": [["surgery", "medicine", ""][i % 3] for i in range(n)],
            "admitted": [dt.date(2024, 1 + i % 12, 1 + i % 28) for i in range(n)],
        },
        schema_overrides={"cost": pl.Decimal(8, 2)},
    )
    policy = om.Policy(
        attributes={
            "id": om.Identifier(),
            "age": om.Numeric(missing="drop_record"),
            "cost": om.Numeric(),
            "ward": om.Flat(role="sensitive"),
            "admitted": om.Date(role="quasi"),
        },
        method=om.Microaggregation(k=3),
    )
    file = om.write_table(data, tmp_path / "stays.parquet")
    database.put(data, "stays")
    source = database.source("query=SELECT * FROM stays ORDER BY id")
    one, other = (om.anonymize(each, policy, secret=SECRET) for each in (file, source))
    assert one.data.equals(other.data)
    folder = other.save(tmp_path / "result", report=True)
    assert om.verify_result(folder, original=source).holds
    manifest = json.loads((folder / "confidential" / "manifest.json").read_text())["input"]
    assert manifest["records"] == n
    assert manifest["database"].endswith("?query=SELECT * FROM stays ORDER BY id")
    assert manifest["records_sha256"] == records_sha256(data)
    assert str(tmp_path) not in json.dumps(manifest)
    assert (manifest["sha256"] is None) == (database.format == "postgresql")
    whole = b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())
    assert postgres.PASSWORD.encode() not in whole
    public = b"".join(path.read_bytes() for path in sorted((folder / "release").rglob("*")) if path.is_file())
    assert b"ORDER BY id" not in public
    assert b"ORDER BY id" in whole


def test_commands_take_a_table_of_a_database(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = pl.DataFrame({"age": [30 + i // 2 for i in range(40)], "ward": ["a", "b"] * 20})
    om.write_table(data, tmp_path / "t.parquet")
    database.put(data, "t")
    source, policy = database.source("table=t"), str(tmp_path / "p.yaml")

    def ontomask(*words: str) -> str:
        done = CliRunner().invoke(app, list(words), catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.stdout

    monkeypatch.chdir(tmp_path)
    assert "ontomask run" in ontomask("init", source, "-o", policy, "--k", "4", "--role", "age=quasi")
    words = ["run", policy, source, "-o", "result", "--seed", "1", "--no-report"]
    done = subprocess.run([sys.executable, "-m", "ontomask", *words], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (0, 1), done.stderr  # the remark on the seed, and no other
    ontomask("run", policy, "t.parquet", "-o", "same", "--seed", "1", "--no-report", "--format", "csv")
    release = tmp_path / "result" / "release" / "release.csv"
    assert release.read_bytes() == (tmp_path / "same" / "release" / "release.csv").read_bytes()
    assert ontomask("check", policy, source).count(source) == 1
    assert "holds" in ontomask("verify", policy, str(release), "--original", source)
    assert json.loads(ontomask("assess", policy, source, str(release), "--json", "--aligned"))
    assert "microaggregation" in ontomask("compare", policy, source, "--k", "4", "--workers", "1")
    ontomask("gather", source, "--by", "age", "--set", "ward", "-o", "sets.csv")
    assert om.read_table(tmp_path / "sets.csv").data.height == 20


def test_what_only_duckdb_has(tmp_path: Path) -> None:
    file = tmp_path / "h.db"
    (tmp_path / "other.csv").write_text("a\n1\n")
    source = f"duckdb:{file}?query="
    with duckdb.connect(str(file)) as connection:
        connection.execute("CREATE TABLE t AS SELECT 1 AS a, 'x'::ENUM('y', 'x') AS e, [1, 2] AS l, {'a': 1} AS s")
        with pytest.raises(errors.DataError, match="this program has the database open already"):
            om.read_table(f"{source}SELECT a FROM t")
    assert om.read_table(f"{source}SELECT e, sum(a) AS n FROM t GROUP BY e").data.rows() == [("x", 1)]
    assert om.read_table(f"{source}SELECT l FROM t").data["l"].to_list() == [[1, 2]]
    with pytest.raises(errors.DataError, match="several values in one cell"):
        om.anonymize(
            f"{source}SELECT a, s FROM t",
            om.Policy(attributes={"a": om.Numeric(), "s": om.Flat()}, method=om.Microaggregation(k=1)),
        )
    for query in (f"SELECT * FROM '{tmp_path}/other.csv'", f"SELECT * FROM read_csv('{tmp_path}/other.csv')"):
        with pytest.raises(errors.DataError, match="cannot run this"):
            om.read_table(source + query)
    outside = pl.DataFrame({"a": [1]})  # a variable of the program is not a table
    with pytest.raises(errors.DataError, match="outside"):
        om.read_table(f"{source}SELECT * FROM outside")
    assert len(outside) == 1
    for query, what in (
        ("SELECT 170141183460469231731687303715884105727::HUGEINT AS h", "more than 64 bits"),
        ("SELECT 1::UHUGEINT AS h", "UHUGEINT"),
        ("SELECT MAP {'a': 1} AS h", "MAP"),
    ):
        with pytest.raises(errors.DataError, match=f"column 'h' holds .*{what}"):
            om.read_table(source + query)
    with pytest.raises(errors.OutputError, match="the file the data came from"):
        om.profile(f"{source}SELECT a FROM t").save(file, overwrite=True)
    broken = tmp_path / "broken.db"
    broken.write_text("no database")
    with pytest.raises(errors.DataError, match="cannot be read as DuckDB"):
        om.read_table(f"duckdb:{broken}?table=t")
    with pytest.raises(errors.DataError, match="no such file"):
        om.read_table(f"duckdb:{tmp_path}/none.db?table=t")
    assert not (tmp_path / "none.db").exists()


@pytest.mark.usefixtures("server")
def test_what_only_postgresql_has(server: postgres.Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGPASSWORD", postgres.PASSWORD)

    def read(query: str) -> pl.DataFrame:
        return om.read_table(server.source(f"query={query}")).data

    numbers = read("SELECT * FROM (VALUES (1.5::numeric), (-12.125), (NULL)) AS q(n)")
    assert numbers["n"].to_list() == [Decimal("1.500"), Decimal("-12.125"), None]
    assert numbers.dtypes == [pl.Decimal(38, 3)]
    assert read("SELECT 'b'::char(3) AS c, 'x'::\"char\" AS d, '{\"a\": 1}'::jsonb AS j, '::1'::inet AS i").rows() == [
        ("b  ", "x", '{"a": 1}', "::1")
    ]
    assert read("SELECT '\\xdeadbeef'::bytea AS b").item() == bytes.fromhex("deadbeef")
    assert read("SELECT 'NaN'::float8 AS x, 'Infinity'::float8 AS y, 7::oid AS o").rows()[0][1:] == (float("inf"), 7)
    for query, what in (
        ("SELECT 'NaN'::numeric AS h", "numeric"),
        ("SELECT 1e60::numeric AS h", "numeric"),
        ("SELECT 1e-60::numeric AS h", "60 decimals"),
        ("SELECT '0044-03-15 BC'::date AS h", "date"),
        ("SELECT ARRAY['a', 'b'] AS h", "_text.*array_to_string"),
        ("SELECT 1::money AS h", "money"),
        ("SELECT '12:00+02'::timetz AS h", "timetz"),
    ):
        with pytest.raises(errors.DataError, match=f"(?s)column 'h' holds .*{what}"):
            read(query)
    with pytest.raises(errors.DataError, match="must be set before any query"):
        read("SELECT set_config('transaction_read_only', 'off', true) AS a")


def test_a_password_comes_from_the_environment_and_is_never_shown(
    server: postgres.Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    source = server.source("query=SELECT 1 AS a")
    monkeypatch.setenv("PGPASSWORD", "wr0ng-w0rd")
    with pytest.raises(errors.DataError, match="password authentication failed.*PGPASSWORD") as caught:
        om.read_table(source)
    assert "wr0ng-w0rd" not in str(caught.value)
    monkeypatch.delenv("PGPASSWORD")
    monkeypatch.setenv("PGPASSFILE", str(tmp_path / "none"))
    with pytest.raises(errors.DataError, match="cannot be reached"):
        om.read_table(source)
    passwords = tmp_path / "pgpass"
    passwords.write_text(f"127.0.0.1:{server.port}:hospital:steward:{postgres.PASSWORD.replace(':', chr(92) + ':')}\n")
    passwords.chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(passwords))
    assert om.read_table(source).data.item() == 1
    monkeypatch.setenv("PGPASSFILE", os.devnull)
    assert om.read_table(source.replace("?query", f"?passfile={passwords}&query")).data.item() == 1


def test_a_server_that_is_not_there_is_one_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGPASSWORD", "wr0ng-w0rd")
    with pytest.raises(errors.DataError, match="cannot be reached.*refused.*Check host, port") as caught:
        om.read_table("postgresql://anna@127.0.0.1:1/ward?table=t")
    assert "wr0ng-w0rd" not in str(caught.value)
