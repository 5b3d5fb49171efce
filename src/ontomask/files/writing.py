"""Writing files whole or not at all, readable for their owner alone until they are complete.

A file that is opened first and narrowed afterwards can be read in between, and whoever opened it then keeps reading.
Here the mode is given when the file is created, before anything is written, whatever the umask says. Windows has no such
modes: there the rights of the folder count.
"""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ontomask.arguments import short
from ontomask.errors import OVERWRITE, OntomaskError, OutputError

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
#: Modes for the owner alone.
FILE, FOLDER = 0o600, 0o700
_ONE_AT_A_TIME = threading.Lock()


def create_file(path: Path) -> None:
    """A new, empty file for the owner alone; an error if there is something of that name, a symbolic link included."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), FILE)
    os.close(handle)
    os.chmod(path, FILE)  # a strict umask takes rights from the owner as well


def create_folder(path: Path) -> None:
    """A new folder for the owner alone."""
    os.mkdir(path, FOLDER)
    os.chmod(path, FOLDER)


def make_ordinary(path: Path) -> None:
    """Give a finished file or folder the mode that the umask gives to new ones."""
    os.chmod(path, (0o777 if path.is_dir() else 0o666) & ~_umask())


def _umask() -> int:
    """The umask. It can only be read by setting it: meanwhile it is the strictest useful one, and one thread asks."""
    with _ONE_AT_A_TIME:
        mask = os.umask(0o077)
        os.umask(mask)
    return mask


def write_text(text: str, path: Path, *, overwrite: bool = False, private: bool = True) -> Path:
    """Write a text file as a whole or not at all: for its owner alone, unless ``private`` is False."""
    target = checked_target(path, overwrite, None)
    data = text.encode()
    with whole_file(target, len(data), private=private) as part:
        part.write_bytes(data)
    return path


def checked_target(target: Path, overwrite: bool, source: str | Path | None) -> Path:
    """The file to write, behind any symbolic link; an error if there must be none."""
    if "\0" in str(target):
        raise OutputError("the name holds a null byte", where=repr(str(target)), remedy="Choose another name.")
    try:
        if target.is_dir():
            raise OutputError("this is a folder", where=str(target), remedy="Name a file in it.")
        if not target.parent.is_dir():
            raise OutputError("its folder does not exist", where=str(target), remedy="Create the folder first.")
        exists = target.exists()
        if source is not None and exists and os.path.exists(source) and os.path.samefile(target, source):
            raise OutputError(
                "this is the file the data came from", where=str(target), remedy="Give the output a name of its own."
            )
        if exists and not overwrite:
            raise OutputError("the file exists", where=str(target), remedy=("Choose another name, or ", OVERWRITE, "."))
        return target.resolve() if target.is_symlink() else target
    except OSError as problem:
        if isinstance(problem, OntomaskError):
            raise
        raise _failed(problem, target, 0) from problem


@contextmanager
def whole_file(target: Path, needed: int, *, private: bool) -> Iterator[Path]:
    """As :func:`replacing`; what goes wrong ends in an error that names the file. ``needed``: its size in bytes, about."""
    try:
        with replacing(target, private=private) as part:
            yield part
    except Exception as problem:
        of_a_writer = type(problem).__module__.split(".")[0] in ("polars", "xlsxwriter")
        if isinstance(problem, OntomaskError) or not (isinstance(problem, OSError) or of_a_writer):
            raise
        raise _failed(problem, target, needed) from problem


@contextmanager
def replacing(target: Path, *, private: bool) -> Iterator[Path]:
    """A file beside the target that takes its place when it is complete; whatever happens, nothing else remains.

    Only its owner can read it until then. After that it has the mode of the file that it replaces, or of any new file; a
    ``private`` one stays as it is.
    """
    packed = ".gz" if target.name.lower().endswith(".gz") else ""  # readers go by the name
    part = target.with_name(f".{target.name[:100]}.{secrets.token_hex(4)}.part{packed}")
    try:
        create_file(part)
        yield part
        with part.open("rb+") as stream:
            os.fsync(stream.fileno())
        if private:
            os.chmod(part, FILE)
        elif target.exists():
            shutil.copymode(target, part)
        else:
            make_ordinary(part)
        os.replace(part, target)
    except BaseException:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise


def _failed(problem: BaseException, target: Path, needed: int) -> OutputError:
    cause = next((e for e in (problem, problem.__cause__, *problem.args) if getattr(e, "errno", None)), problem)
    code = getattr(cause, "errno", None)
    if code in _FULL or "os error 28" in str(problem) or "No space left" in str(problem):
        sizes = ""
        with suppress(OSError):
            free = shutil.disk_usage(target.parent).free
            sizes = f", {_size(free)} are free" if free < needed else ""
        return OutputError(
            f"the disk is full (the table has about {_size(needed)}{sizes})",
            where=str(target),
            remedy="Free some space or choose another folder. Nothing was written.",
        )
    reason = getattr(cause, "strerror", None) or short(str(problem), 200) or type(problem).__name__
    return OutputError(
        f"the file cannot be written ({reason})",
        where=str(target),
        remedy="Check the folder, your permissions and the length of the name. Nothing was written.",
    )


def _size(count: int) -> str:
    return f"{count / 1e6:,.1f} MB"
