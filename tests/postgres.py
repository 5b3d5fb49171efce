"""A PostgreSQL server of the tests: a data folder of its own, on 127.0.0.1 at a free port, started and stopped here.

PostgreSQL refuses to run as root; there it runs as the user that Debian's package makes, or as nobody.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PASSWORD = "s3cret-w0rd/of:tests"


@dataclass(frozen=True)
class Server:
    """A running server with one database, ``hospital``, of the user ``steward``."""

    port: int

    def source(self, asked: str) -> str:
        """The text that names a table or a query of it: ``table=stays``."""
        return f"postgresql://steward@127.0.0.1:{self.port}/hospital?{asked}"

    def execute(self, *statements: str) -> None:
        """Run statements, each committed at once."""
        import psycopg

        given: dict[str, Any] = {"host": "127.0.0.1", "port": self.port, "user": "steward", "password": PASSWORD}
        with psycopg.connect(dbname="hospital", autocommit=True, **given) as connection:
            for statement in statements:
                connection.execute(statement)


def programs() -> Path | None:
    """The folder of PostgreSQL's programs; Debian keeps them out of the path."""
    beside = shutil.which("initdb")
    found = [Path(beside).parent] if beside else sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    whole = [folder for folder in found if all((folder / name).is_file() for name in ("initdb", "pg_ctl", "postgres"))]
    return whole[-1] if whole else None


def unprivileged() -> dict[str, Any]:
    """How to start a program as somebody who is not root; nothing to do where the tests are not run by root."""
    if os.name != "posix" or os.geteuid() != 0:
        return {}
    import pwd

    for name in ("postgres", "nobody"):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
    raise RuntimeError("there is no user to run the server as")


@contextmanager
def running() -> Iterator[Server]:
    """The server, until the end of the block."""
    who = unprivileged()
    home = Path(tempfile.mkdtemp(prefix="ontomask-postgres-"))  # pytest's folders are closed to other users
    try:
        if who:
            os.chown(home, who["user"], who["group"])
        (home / "password").write_text(f"{PASSWORD}\n")
        _run("initdb", "-D", "data", "-U", "steward", "--pwfile=password", "-A", "scram-sha-256", "-E", "UTF8", at=home)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        started = f"-p {port} -h 127.0.0.1 -k '' -F -c max_connections=10 -c shared_buffers=16MB"
        _run("pg_ctl", "-D", "data", "-w", "-l", "log", "-o", started, "start", at=home)
        try:
            _create(port)
            yield Server(port)
        finally:
            _run("pg_ctl", "-D", "data", "-w", "-m", "immediate", "stop", at=home)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _run(program: str, *arguments: str, at: Path) -> None:
    """A program of PostgreSQL. Its output goes to a file: a server would keep a pipe open."""
    folder = programs()
    assert folder is not None
    with (at / "output").open("ab") as output:
        done = subprocess.run(
            [str(folder / program), *arguments], cwd=at, stdout=output, stderr=output, check=False, **unprivileged()
        )
    assert done.returncode == 0, (at / "output").read_text(errors="replace")


def _create(port: int) -> None:
    import psycopg

    given: dict[str, Any] = {"host": "127.0.0.1", "port": port, "user": "steward", "password": PASSWORD}
    with psycopg.connect(dbname="postgres", autocommit=True, **given) as connection:
        connection.execute("CREATE DATABASE hospital")
