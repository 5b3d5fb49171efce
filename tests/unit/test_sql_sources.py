"""Texts that name tables and queries of databases: what they mean, and that no password gets any further."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import ontomask as om
from ontomask import errors
from ontomask.microdata.formats import FORMATS
from ontomask.microdata.sql_sources import data_file, data_source, sql_source

HOST = "postgresql://anna@db.example:5433/ward?"


@pytest.mark.parametrize(
    ("text", "table"),
    [
        ("table=stays", ("stays",)),
        ("table=care.stays", ("care", "stays")),
        ('table="my.stays"', ("my.stays",)),
        ('table=care."a ""b"".c"', ("care", 'a "b".c')),
        ("table=Stays 2024", ("Stays 2024",)),
        ("table=stays; DROP TABLE stays", ("stays; DROP TABLE stays",)),
        ("table='x' OR 1=1 --", ("'x' OR 1=1 --",)),
        ("table=käse%41", ("käse%41",)),
    ],
)
def test_the_name_of_a_table_is_taken_as_it_is_written(text: str, table: tuple[str, ...]) -> None:
    for head in (HOST, "duckdb:a?b.db?"):
        found = sql_source(head + text)
        assert found is not None
        assert found.table == table
        assert found.statement == "SELECT * FROM " + ".".join('"' + part.replace('"', '""') + '"' for part in table)
        again = sql_source(str(found))
        assert again is not None
        assert again.table == table


def test_a_query_is_taken_as_it_is_written_up_to_its_end() -> None:
    query = "SELECT a+b, '%41' AS \"x?table=y\" FROM t WHERE c LIKE '%ab&sslmode=%' OR d = 'x@y:z'"
    for head in (HOST, "duckdb:h.db?"):
        found = sql_source(f"{head}query= {query} ;\n")
        assert found is not None
        assert found.statement == query
        assert str(found) == f"{head}query={query}"


def test_the_connection_is_what_the_address_says() -> None:
    found = sql_source("postgres://a%40b@[::1]:99/w%20x?sslmode=require&sslrootcert=%2Fca.pem&table=t")
    assert found is not None
    assert found.connection == {
        "user": "a@b", "host": "::1", "port": "99", "dbname": "w x", "sslmode": "require", "sslrootcert": "/ca.pem"
    }  # fmt: skip
    assert str(found) == "postgresql://a%40b@[::1]:99/w%20x?sslmode=require&sslrootcert=%2Fca.pem&table=t"
    bare = sql_source("postgresql:///?host=/run/pg&table=t")
    assert bare is not None
    assert bare.connection == {"host": "/run/pg"}


def test_what_is_a_file_and_what_is_not() -> None:
    assert data_source("stays.csv") == Path("stays.csv")
    assert data_source(Path("duckdb:h.db?table=t")) == Path("duckdb:h.db?table=t"), "a path is always a file"
    assert data_source(r"c:\stays.csv") == Path(r"c:\stays.csv")
    assert data_file("duckdb:folder/h.db?table=t") == Path("folder/h.db")
    assert data_file(HOST + "table=t") is None
    found = sql_source("duckdb:folder/h.db?table=t")
    assert found is not None
    assert found.name == "duckdb:h.db?table=t", "manifests do not show folders"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("duckdb:h.db", "says neither a file nor what to read"),
        ("duckdb:?table=t", "says neither a file nor what to read"),
        ("postgresql://db/ward", "neither a table nor a query"),
        (HOST + "table=", "says nothing"),
        (HOST + "query= ;", "says nothing"),
        (HOST + "table=a..b", "not the name of a table"),
        (HOST + 'table="a', "not the name of a table"),
        (HOST + "table=a.", "not the name of a table"),
        (HOST + "table=t&sslmode=require", "Options of the connection come before"),
        (HOST + "nosuch=1&table=t", "an option that is not known.*sslmode"),
        ("postgresql://a@h:99999999/d?table=t", "not understood"),
        ("postgresql://a@h/d/e?table=t", "not understood"),
        ("postgresql://a@h/d%00?table=t", "not understood"),
        (HOST + "table=t\0", "says nothing"),
        ("mysql://h/d?table=t", "cannot be read from mysql:// addresses"),
        ("https://h/stays.csv", "Nothing is downloaded"),
        ("jdbc:postgresql://h/d?table=t", "cannot be read from postgresql:// addresses|jdbc"),
    ],
)
def test_what_is_not_understood_is_an_error(text: str, said: str) -> None:
    with pytest.raises(errors.OptionError, match=f"(?s){said}"):
        sql_source(text)


SECRET = "t0p-5ecret"
WITH_PASSWORD = [
    f"postgresql://anna:{SECRET}@h/d?table=t",
    f"postgresql://anna:{SECRET}/x@h/d?table=t",
    f"postgresql://anna:x@{SECRET}@h/d?query=SELECT 1",
    f"postgres://:{SECRET}@h?table=t",
    f"postgresql://anna@h/d?password={SECRET}&table=t",
    f"postgresql://anna@h/d?sslpassword={SECRET}&table=t",
    f"postgresql://anna@h/d?table=t&password={SECRET}",
    f"postgresql://anna@h/d?query=SELECT 1&sslpassword={SECRET}",
    f"postgresql://anna%3A{SECRET}@h/d?table=t",
    f"postgresql:anna:{SECRET}@h/d?table=t",
    f"duckdb:postgresql://anna:{SECRET}@h/d?table=t",
    f"duckdb:h.db?table=t&password={SECRET}",
    f" 'postgresql://anna:{SECRET}@h/d?table=t'",
    f"host=h user=anna password={SECRET} dbname=d",
    f"postgresql://anna@h/d?sslmode=require&PassWord={SECRET}",
    f"mysql://anna:{SECRET}@h/d",
    f"jdbc:postgresql://anna:{SECRET}@h/d?table=t",
]


@pytest.mark.parametrize("text", WITH_PASSWORD)
def test_a_password_is_refused_and_not_shown(text: str) -> None:
    policy = om.Policy(attributes={"a": om.Numeric()}, method=om.Microaggregation(k=2))
    uses: list[Callable[[Any], Any]] = [
        om.read_table,
        om.profile,
        lambda data: om.anonymize(data, policy),
        lambda data: om.verify(data, policy),
        lambda data: om.compare(data, {"a": policy}),
        lambda data: om.read_table(Path(data)),
    ]
    for use in uses:
        with pytest.raises(errors.OptionError, match="PGPASSWORD") as caught:
            use(text)
        assert SECRET not in str(caught.value)
        assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    "text",
    [
        f"postgresql://anna:{SECRET}?x@h/d?table=t",  # a password with a question mark in it
        f"postgresql://h/d?{SECRET}@h/d&table=t",
        f"postgresql://anna@h:{SECRET}/d?table=t",
    ],
)
def test_nothing_of_an_address_that_is_not_understood_is_shown(text: str) -> None:
    with pytest.raises(errors.OptionError) as caught:
        sql_source(text)
    assert SECRET not in str(caught.value)


def test_commands_refuse_a_password_wherever_it_stands() -> None:
    for words in (
        ["check", WITH_PASSWORD[0], "policy.yaml"],
        ["verify", WITH_PASSWORD[0]],
        ["init", "a.csv", "-o", WITH_PASSWORD[0]],
    ):
        done = subprocess.run([sys.executable, "-m", "ontomask", *words], capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert "has a password in it" in done.stderr
        assert SECRET not in done.stderr + done.stdout


def test_a_policy_opens_no_database(tmp_path: Path) -> None:
    """What a policy names is a file, confined or not: an address in it is the name of a file that is not there."""
    policy = tmp_path / "policy.yaml"
    for address in (f"duckdb:{tmp_path}/h.db?table=t", "postgresql://h/d?table=t"):
        policy.write_text(f"attributes:\n  a: {{kind: nominal, role: quasi, taxonomy: '{address}'}}\n")
        with pytest.raises(errors.PolicyError, match="no such file in its folder"):
            om.Policy.load(policy, confined=True)
        with pytest.raises(errors.OntomaskError, match="no such file"):
            om.check(pl.DataFrame({"a": ["x", "y"]}), om.Policy.load(policy))


def test_formats_of_databases_are_not_of_files(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("a\n1\n")
    for name in ("duckdb", "postgresql"):
        assert FORMATS[name].suffixes == ()
        with pytest.raises(errors.OptionError, match="format"):
            om.read_table(file, format=name)
        with pytest.raises(errors.OptionError, match="format"):
            om.write_table(om.read_table(file).data, tmp_path / "u.csv", format=name)
    with pytest.raises(errors.OptionError, match="format"):
        om.read_table(f"duckdb:{file}?table=t", format="csv")
    (tmp_path / "h.duckdb").write_bytes(b"x")
    with pytest.raises(errors.OptionError, match="duckdb:h.duckdb\\?table=NAME"):
        om.read_table(tmp_path / "h.duckdb")


def test_a_column_called_password_is_none() -> None:
    found = sql_source("postgresql://anna@h/d?query=SELECT a FROM t WHERE password = 'x' AND host = 'y'")
    assert found is not None
    assert found.query.endswith("AND host = 'y'")
    assert sql_source("stays at home: anna@work.csv") is None
