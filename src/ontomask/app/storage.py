"""Private files of the app: random names, whole JSON files, locks between processes, and which process is which."""

from __future__ import annotations

import json
import os
import re
import secrets
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, TypeGuard

from ontomask.errors import OntomaskError, OutputError
from ontomask.files.writing import FILE, create_folder

#: Names of projects and jobs: drawn at random, never made of what somebody typed.
_ID = re.compile(r"[0-9a-f]{16}")
#: What of a name people see is kept: long enough for any file, short enough for any page.
LONGEST_NAME = 200
_SUFFIX = re.compile(r"\.\w{1,10}(\.gz)?$", re.IGNORECASE)
_POSIX = os.name == "posix"
_FLOCK = import_module("fcntl") if _POSIX else import_module("msvcrt")


def new_id() -> str:
    """A random name for a project or a job."""
    return secrets.token_hex(8)


def is_id(text: object) -> TypeGuard[str]:
    """Is it such a name? Nothing else may become a part of a path."""
    return isinstance(text, str) and _ID.fullmatch(text) is not None


def shown_name(name: str, otherwise: str) -> str:
    """A name as people may see it: one line without signs that cannot be printed, and not too long."""
    text = "".join(sign if sign.isprintable() else " " for sign in name).strip()
    return text[:LONGEST_NAME].strip() or otherwise


def file_name(name: str, otherwise: str) -> str:
    """The last part of a file's name as a browser or a client gives it, for people to see; it is never used as a path.

    A name that is too long loses signs before its suffix, which tells the format.
    """
    last = re.split(r"[/\\]", name)[-1].strip()
    kept = _SUFFIX.search(last)
    if len(last) > LONGEST_NAME and kept is not None:
        last = last[: LONGEST_NAME - len(kept[0])] + kept[0]
    return shown_name(last, otherwise)


def write_json(content: Any, path: Path, *, lasting: bool = True) -> None:
    """Write a JSON file for its owner alone, whole or not at all. ``lasting``: it also survives a loss of power."""
    write_private(json.dumps(content, ensure_ascii=False, allow_nan=False).encode(), path, lasting=lasting)


def write_private(data: bytes, path: Path, *, lasting: bool = True) -> None:
    """Write bytes to a file for its owner alone, whole or not at all."""
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), FILE)
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            if lasting:
                stream.flush()
                os.fsync(stream.fileno())
        os.replace(part, path)
    except OSError as problem:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise OutputError(
            f"the folder of the app cannot be written ({problem.strerror})",
            remedy="Free some space, or restart the app.",
        ) from None


def read_json(path: Path) -> Any:
    """What a JSON file holds; None if there is none, or if it is not whole."""
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None


def make_private(folder: Path) -> None:
    """Let there be a folder for its owner alone, with those above it."""
    try:
        if not folder.parent.is_dir():
            make_private(folder.parent)
        with suppress(FileExistsError):
            create_folder(folder)
    except OSError as problem:
        raise OutputError(
            f"the folder cannot be made ({problem.strerror})", where=str(folder), remedy="Name another with --folder."
        ) from None


def all_private(folder: Path) -> None:
    """Give everything in a folder, and the folder, to its owner alone: results of the library are handed out otherwise."""
    for path in [folder, *folder.rglob("*")]:
        if not path.is_symlink():
            path.chmod(0o700 if path.is_dir() else FILE)


# ---- locks ---------------------------------------------------------------------------------------------------------


class Locked(OntomaskError):
    """Another process holds the lock."""


@contextmanager
def lock(path: Path, *, wait: float = 10.0) -> Iterator[int]:
    """Hold a lock that the system releases when the process ends, however it ends. ``wait``: seconds, 0 not at all."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), FILE)
    try:
        end = time.monotonic() + wait
        while not _taken(handle):
            if time.monotonic() >= end:
                raise Locked("another process works there at this moment", remedy="Try again.")
            time.sleep(0.01)
        yield handle
    finally:
        os.close(handle)


def _taken(handle: int) -> bool:
    try:
        if _POSIX:
            _FLOCK.flock(handle, _FLOCK.LOCK_EX | _FLOCK.LOCK_NB)
        else:
            os.lseek(handle, 0, os.SEEK_SET)
            _FLOCK.locking(handle, _FLOCK.LK_NBLCK, 1)
    except OSError:
        return False
    return True


def is_locked(path: Path) -> bool:
    """Does a process hold the lock?"""
    try:
        with lock(path, wait=0.0):
            return False
    except Locked:
        return True


# ---- processes -----------------------------------------------------------------------------------------------------


def own_process(module: str, *arguments: str) -> list[str]:
    """The command that runs a module of ours, whatever lies in the current folder."""
    return [sys.executable, "-P", "-m", module, *arguments]


def started_at(pid: int) -> str | None:
    """When a process was started, as the system tells it: with its number it names one process.

    None: there is no such process, or it has ended and nobody has asked for its exit code yet. Where the system does not tell
    it, a process is known by its number alone.
    """
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
        return None if fields[0] in "ZX" else fields[19]
    except FileNotFoundError:
        if Path("/proc/self/stat").exists():
            return None
    except (OSError, IndexError):
        return None
    try:
        if _POSIX:  # on Windows a signal of 0 is not a question
            os.kill(pid, 0)
    except OSError:
        return None
    return ""
