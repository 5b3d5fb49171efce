"""Tables and queries of databases, as texts name them: ``duckdb:hospital.db?table=stays``, ``postgresql://anna@host/db?table=stays``.

A source has no password. Programs on the same machine see the arguments of a command, shells keep them, and reports
show where data came from; so a text with a password is refused, and no message shows any of it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn, TypeAlias
from urllib.parse import quote, unquote

from ontomask.arguments import as_path, short
from ontomask.errors import OptionError

DUCKDB, POSTGRESQL = "duckdb", "postgresql"
_FORMS = "Write duckdb:FILE?table=NAME, or postgresql://USER@HOST/DATABASE?table=NAME; or ?query=SELECT ... in place of ?table="
#: Options of the driver, in front of ``table=`` or ``query=``. None of it is a secret.
CONNECTION_OPTIONS = (
    "host port sslmode sslrootcert sslcert sslkey sslcrl channel_binding gssencmode krbsrvname connect_timeout passfile "
    "service target_session_attrs"
).split()
#: ``scheme://...``; a scheme of one letter would be a drive of Windows.
_URL = re.compile(r"(?:jdbc:)?([A-Za-z][A-Za-z0-9+.-]+)://(.*)", re.DOTALL)
#: The same as somebody may write it by mistake, or as the path of a file that has lost a sign.
_ADDRESS = re.compile(
    r"(?:jdbc:)?([A-Za-z][A-Za-z0-9+.-]+)(?:://?|(?<=postgresql):|(?<=postgres):)(.*)", re.DOTALL | re.IGNORECASE
)
#: A password where none belongs: behind the table or query, and in the form ``host=... password=...`` of other programs.
_OPTION = re.compile(r"&[^=&\s]*password[^=&\s]*=", re.IGNORECASE)
_SECRET = re.compile(r"(?:^|\s)password\s*=", re.IGNORECASE)
_HOST_OR_USER = re.compile(r"(?:^|\s)(?:host|hostaddr|user|dbname|port|service)\s*=", re.IGNORECASE)
#: What comes before the table or query, which of both it is, and what it says: all that follows, as it is written.
_ASKED = re.compile(r"(.*?)[?&](table|query)=(.*)", re.DOTALL)
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^:\[\]@,?#]*)(?::([0-9]{1,5}))?")
#: A part of the name of a table: between double quotes, in which two stand for one, or without points.
_PART = re.compile(r'"((?:[^"]|"")+)"|([^".&]+)')
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True)
class SqlSource:
    """A table or a query of a database; its text says where the data come from, and holds no password.

    ``head`` is its part before ``table=`` or ``query=``. ``file`` is the database file of DuckDB, ``connection`` the
    options for the driver of another database. Of ``table`` (its schema, if named, and its name) and ``query`` one is given.
    """

    format: str
    head: str
    table: tuple[str, ...] = ()
    query: str = ""
    file: Path | None = None
    connection: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    def asked(self) -> str:
        """What is read of the database: ``table=...`` or ``query=...``."""
        if self.query:
            return f"query={self.query}"
        return f"table={'.'.join(part if _PLAIN.fullmatch(part) else quoted(part) for part in self.table)}"

    @property
    def statement(self) -> str:
        """The SQL that gives the records."""
        return self.query or f"SELECT * FROM {'.'.join(map(quoted, self.table))}"

    @property
    def name(self) -> str:
        """The source without the folder of a database file, as a manifest names files."""
        return str(self) if self.file is None else f"{self.format}:{self.file.name}?{self.asked}"

    @property
    def place(self) -> str:
        """Where an error is, on one line."""
        return short(" ".join(str(self).split()), 200)

    def __str__(self) -> str:
        return f"{self.head}{self.asked}"


#: Where data come from, beside frames.
TableSource: TypeAlias = Path | SqlSource


def quoted(name: str) -> str:
    """The name of a table or column as SQL has it, whatever signs it has."""
    return '"' + name.replace('"', '""') + '"'


def data_source(value: Any) -> TableSource:
    """The path of a file, or the table or query that a text names. A :class:`Path` is always a file."""
    if isinstance(value, Path):
        refuse_password(str(value))
        return value
    found = sql_source(value) if isinstance(value, str) else None
    return as_path(value) if found is None else found


def data_file(value: Any) -> Path | None:
    """The file that holds the data, which no output may replace: a database file, too."""
    source = data_source(value)
    return source.file if isinstance(source, SqlSource) else source


def sql_source(text: str) -> SqlSource | None:
    """The table or query that the text names; None if it is the path of a file."""
    refuse_password(text)
    if text.lower().startswith("duckdb:"):
        return _of_duckdb(text[len("duckdb:") :])
    url = _URL.fullmatch(text)
    if url is None:
        return None
    scheme, rest = url.groups()
    if text.lower().startswith("jdbc:") or scheme.lower() not in ("postgresql", "postgres"):
        hint = "Nothing is downloaded: save it as a file. " if scheme.lower() in ("http", "https", "ftp", "s3") else ""
        raise OptionError(f"data cannot be read from {scheme}:// addresses", remedy=f"{hint}{_FORMS}.")
    return _of_postgresql(rest)


def refuse_password(text: str) -> None:
    """An error if the text is an address with a password in it. The message shows nothing of the address."""
    given = text.strip(" \t\r\n'\"")
    given = given[len("duckdb:") :] if given.lower().startswith("duckdb:") else given
    found = _ASKED.fullmatch(given)
    before, asked = (given, "") if found is None else (found[1], found[3])
    url = _ADDRESS.match(before)
    authority = "" if url is None else unquote(url[2]).rpartition("@")[0]
    options = [] if url is None else re.split("[?&]", unquote(before))[1:]
    named = any("password" in option.partition("=")[0].lower() for option in options)
    if ":" in authority or named or _OPTION.search(asked) or (_HOST_OR_USER.search(before) and _SECRET.search(before)):
        what = "the text" if url is None else f"the {url[1]}:// address"
        raise OptionError(
            f"{what} has a password in it; other users of this machine can see it, and shells keep it",
            remedy="Leave it out, and give it in the environment (PGPASSWORD) or in ~/.pgpass, which only you may read. "
            "If it was a real one, change it.",
        )


def _of_duckdb(rest: str) -> SqlSource:
    found = _ASKED.fullmatch(rest)
    if found is None or not found[1]:
        raise OptionError("duckdb: says neither a file nor what to read of it", remedy=f"{_FORMS}.")
    table, query = _asked(found[2], found[3])
    return SqlSource(DUCKDB, f"duckdb:{found[1]}?", table, query, Path(found[1]))


def _of_postgresql(rest: str) -> SqlSource:
    found = _ASKED.fullmatch(rest)
    if found is None:
        raise OptionError("the postgresql:// address says neither a table nor a query", remedy=f"{_FORMS}.")
    address, *options = re.split("[?&]", found[1])
    authority, _, database = address.partition("/")
    user, _, place = authority.rpartition("@")
    host = _HOST.fullmatch(place)
    if host is None or "/" in database or "#" in address:
        _not_understood()
    given = {"user": user, "host": host[1].strip("[]"), "port": host[2] or "", "dbname": database}
    for option in options:
        name, sign, value = option.partition("=")
        if name not in CONNECTION_OPTIONS or not sign:
            raise OptionError(
                "the postgresql:// address has an option that is not known here",
                remedy=f"Known, in front of table= or query=: {', '.join(CONNECTION_OPTIONS)}.",
            )
        given[name] = value
    connection = {name: unquote(value) for name, value in given.items() if value}
    if any("\0" in value for value in connection.values()):
        _not_understood()
    table, query = _asked(found[2], found[3])
    at = f"{quote(unquote(user))}@" if user else ""
    head = f"postgresql://{at}{place}/{quote(unquote(database))}?{''.join(f'{option}&' for option in options)}"
    return SqlSource(POSTGRESQL, head, table, query, None, connection)


def _not_understood() -> NoReturn:
    raise OptionError(
        "the postgresql:// address is not understood", remedy=f"{_FORMS}. Other signs are written as %XX."
    )


def _asked(what: str, said: str) -> tuple[tuple[str, ...], str]:
    """The parts of the name of a table, or a query: all that was written behind the sign, without blanks around it."""
    said = said.strip() if what == "table" else said.strip().rstrip("; \t\r\n")
    if "\0" in said or not said:
        raise OptionError(f"{what}= says nothing that can be read", remedy=f"{_FORMS}.")
    if what == "query":
        return (), said
    parts, at = [], 0
    while found := _PART.match(said, at):
        parts.append(found[1].replace('""', '"') if found[1] else found[2])
        at = found.end() + 1
        if found.end() == len(said) or said[found.end()] != ".":
            break
    if at != len(said) + 1:
        raise OptionError(
            f"table={short(said, 60)} is not the name of a table",
            remedy='Write NAME or SCHEMA.NAME; between double quotes what has points or quotes in it: "my.table". '
            "Options of the connection come before table=.",
        )
    return tuple(parts), ""
