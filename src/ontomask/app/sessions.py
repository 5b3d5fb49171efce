"""Visitors: one-time links, sessions of browsers, the token of programs, and the password for other machines.

What a visitor shows is compared by its hash, in constant time. Sessions are kept in the folder of the app, by their hashes, so
that a page goes on after a restart of the server on the same port.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import re
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from ontomask.app.storage import read_json, write_json, write_private
from ontomask.errors import OutputError

SESSIONS = "sessions.json"
#: Random bytes of a token, what its file holds, and how much of a file is looked at.
TOKEN_BYTES, _TOKEN, LONGEST = 32, re.compile(rb"[A-Za-z0-9_-]{43}\s*"), 100
#: Seconds without a request after which a session ends; seconds after which its last use is written again.
LASTS, NOTED = 12 * 3600.0, 300.0
#: Wrong passwords from one address, and from all, within so many seconds.
ATTEMPTS, ALL_ATTEMPTS, WITHIN = 5, 30, 60.0
_COST = {"n": 1 << 14, "r": 8, "p": 1, "maxmem": 64 << 20}


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


class Visitors:
    """Who may come in."""

    def __init__(self, folder: Path, port: int, *, password: str | None = None) -> None:
        self.cookie = f"ontomask-{port}"
        self._file = folder / SESSIONS
        self._link: str | None = None
        self._program: str | None = None
        kept = read_json(self._file)
        kept = (
            kept if isinstance(kept, dict) and "sessions" in kept else {"salt": None, "password": None, "sessions": {}}
        )
        self._salt = bytes.fromhex(kept["salt"]) if kept["salt"] else secrets.token_bytes(16)
        self._password = None if password is None else self._derived(password)
        # Who came in with another password, or without one, does not stay.
        same = kept["password"] == (None if self._password is None else self._password.hex())
        now = time.time()
        self._sessions: dict[str, float] = {k: s for k, s in kept["sessions"].items() if same and now - s < LASTS}
        self._wrong: list[tuple[float, str]] = []
        #: Called with a new link when the one before was used.
        self.on_used: Callable[[], None] = lambda: None

    # ---- links and sessions --------------------------------------------------------------------------------------

    def new_link(self) -> str:
        """A fresh one-time token; an earlier one that nobody used is not valid any more."""
        token = secrets.token_urlsafe(TOKEN_BYTES)
        self._link = _hash(token)
        return token

    def enter(self, token: str) -> str | None:
        """The session that a one-time token is exchanged for; None: it is wrong, or was used."""
        if self._link is None or not hmac.compare_digest(self._link, _hash(token)):
            return None
        session = self._new_session()
        self._link = None
        self.on_used()
        return session

    def knows(self, session: str) -> bool:
        """Is it a session of a browser that came in?"""
        key, now = _hash(session), time.time()
        seen = self._sessions.get(key)
        if seen is None or now - seen > LASTS:
            return False
        if now - seen > NOTED:
            self._sessions[key] = now
            self._write()
        return True

    def _new_session(self) -> str:
        session = secrets.token_urlsafe(TOKEN_BYTES)
        self._sessions[_hash(session)] = time.time()
        self._write()
        return session

    def _write(self) -> None:
        now = time.time()
        self._sessions = {key: seen for key, seen in self._sessions.items() if now - seen < LASTS}
        kept = {
            "salt": self._salt.hex(),
            "password": None if self._password is None else self._password.hex(),
            "sessions": self._sessions,
        }
        with suppress(OutputError):  # on a full disk sessions last as long as this process
            write_json(kept, self._file, lasting=False)

    # ---- programs ------------------------------------------------------------------------------------------------

    def new_program_token(self, path: Path) -> None:
        """Write a fresh token for programs to a file for its owner alone; only an earlier token is replaced."""
        if path.exists() and not (path.is_file() and _TOKEN.fullmatch(path.read_bytes()[:LONGEST])):
            raise OutputError("the file exists and holds no token", where=str(path), remedy="Choose another name.")
        if not path.absolute().parent.is_dir():
            raise OutputError("its folder does not exist", where=str(path), remedy="Create the folder first.")
        token = secrets.token_urlsafe(TOKEN_BYTES)
        self._program = _hash(token)
        write_private(f"{token}\n".encode(), path)

    def is_program(self, token: str) -> bool:
        """Is it the token of programs?"""
        return self._program is not None and hmac.compare_digest(self._program, _hash(token))

    # ---- passwords -----------------------------------------------------------------------------------------------

    @property
    def has_password(self) -> bool:
        return self._password is not None

    def _derived(self, password: str) -> bytes:
        return hashlib.scrypt(password.encode(), salt=self._salt, **_COST)

    async def log_in(self, password: str, who: str) -> tuple[str | None, int]:
        """A session for the right password, or none; and the seconds to wait where there were too many attempts."""
        now = time.monotonic()
        self._wrong = [(when, one) for when, one in self._wrong if now - when < WITHIN]
        own = [when for when, one in self._wrong if one == who]
        if len(own) >= ATTEMPTS or len(self._wrong) >= ALL_ATTEMPTS:
            first = min(own) if len(own) >= ATTEMPTS else self._wrong[0][0]
            return None, max(1, int(WITHIN - (now - first)) + 1)
        self._wrong.append((now, who))  # counted before it is compared: attempts at one time count, too
        derived = await asyncio.to_thread(self._derived, password)
        if self._password is None or not hmac.compare_digest(self._password, derived):
            return None, 0
        self._wrong = [(when, one) for when, one in self._wrong if one != who]
        return self._new_session(), 0
