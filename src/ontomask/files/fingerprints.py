"""Hashes and states of files and versions of the software, to detect changes."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from ontomask import __version__
from ontomask.errors import DataError

#: Libraries whose version may show in a result.
LIBRARIES = ("numpy", "scipy", "polars", "numba", "pydantic")
#: Size, time of the last change, and inode: when they differ, the file is not what it was.
State = tuple[int, int, int]


@dataclass(frozen=True)
class InputFile:
    """A file of records as it was when it was read."""

    path: Path
    sha256: str | None
    state: State | None

    @staticmethod
    def about_to_be_read(path: Path) -> InputFile:
        """Its hash, taken before anything else is read of it."""
        state = state_of(path)
        return InputFile(path, sha256(path), state)

    @property
    def changed(self) -> bool:
        """Is the file another one than was read?"""
        return state_of(self.path) != self.state

    def require_unchanged(self) -> None:
        """An error if the file changed while it was read: its hash would be of something else."""
        if self.changed:
            raise DataError(
                "the file changed while it was read",
                where=str(self.path),
                remedy="Wait until it is complete, and run again.",
            )


@dataclass(frozen=True)
class InputFiles:
    """Several files of records, which are one table."""

    path: Path
    files: tuple[InputFile, ...]

    @property
    def sha256(self) -> None:
        """Each file has its own."""
        return None

    @property
    def changed(self) -> bool:
        """Is one of the files another one than was read?"""
        return any(file.changed for file in self.files)


def states_of(files: Mapping[str, Path]) -> dict[str, State | None]:
    """What tells later whether one of the files changed."""
    return {part: state_of(path) for part, path in files.items()}


def sha256(file: Path) -> str | None:
    """The hash of a file; None if it is not there, a folder, or a pipe or device, which might never end."""
    if not file.is_file():
        return None
    try:
        with file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return None


def state_of(file: Path) -> State | None:
    """What tells whether a file changed; None if it is not there."""
    try:
        found = file.stat()
    except (OSError, ValueError):  # a name that no file can have
        return None
    return found.st_size, found.st_mtime_ns, found.st_ino


def versions() -> tuple[str, str, dict[str, str]]:
    """Of ontomask, of Python and of the libraries whose version may show in a result."""
    return __version__, platform.python_version(), {name: metadata.version(name) for name in LIBRARIES}
