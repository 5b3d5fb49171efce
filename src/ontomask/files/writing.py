"""Writing files and folders whole or not at all, readable for their owner alone until they are complete.

A file that is opened first and narrowed afterwards can be read in between, and whoever opened it then keeps reading.
Here the mode is given when the file is created, before anything is written, whatever the umask says. Windows has no such
modes: there the rights of the folder count.

A finished folder takes the place of an earlier one, which steps aside as a whole before: at no moment do parts of both lie
side by side. Whoever stops the machine between the two steps finds both folders beside the place, hidden and complete. A
folder that is being put together is locked by its process, so that another run can tell it from one that was left behind:
the system releases the lock of a process that ends, however it ends.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
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


# ---- folders -------------------------------------------------------------------------------------------------------

#: The locks of the system; Windows has others: there a folder of another run cannot be distinguished from one left behind.
_LOCKS = import_module("fcntl") if os.name == "posix" else None

#: A hidden folder of ours: one that was being put together (part), or one that had to give way (old).
_HIDDEN = re.compile(r"\.(?:.*\.)?[0-9a-f]{8}\.(?:part|old)")


def part_for(folder: Path) -> Path:
    """Where a folder is put together: beside its place, or inside it where it cannot be exchanged."""
    mark = secrets.token_hex(4)
    if folder.exists() and not _exchangeable(folder):
        return folder / f".{mark}.part"
    return folder.with_name(f".{folder.name[:100]}.{mark}.part")


@contextmanager
def locked(part: Path) -> Iterator[None]:
    """Let others see that the folder is being worked on."""
    if _LOCKS is None:
        yield
        return
    handle = os.open(part, os.O_RDONLY)
    try:
        with suppress(OSError):  # some network file systems know no locks
            _LOCKS.flock(handle, _LOCKS.LOCK_EX | _LOCKS.LOCK_NB)
        yield
    finally:
        os.close(handle)


def in_work(part: Path) -> bool:
    """Is a process putting the folder together at this moment?"""
    if _LOCKS is None:
        return False
    try:
        handle = os.open(part, os.O_RDONLY)
    except OSError:  # gone meanwhile
        return False
    try:
        _LOCKS.flock(handle, _LOCKS.LOCK_EX | _LOCKS.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(handle)
    return False


def appear(part: Path, folder: Path, names: Iterable[str], check: Callable[[Path], None]) -> None:
    """Let what was put together in ``part`` be ``folder``; ``names`` are the parts that a folder has.

    ``check`` looks at the folder that has to give way, after nobody can reach it by its name any more: what was put into it
    meanwhile is not lost. What it raises puts the folder back.
    """
    if part.parent == folder:
        check(folder)
        _exchange_inside(part, folder, tuple(names))
    elif folder.exists():
        _exchange(part, folder, check)
    else:
        os.rename(part, folder)


def left_over(folder: Path, names: Iterable[str]) -> list[Path]:
    """What an interrupted save left behind in the folder or beside it."""
    inside = sorted(folder.iterdir()) if folder.is_dir() else []
    beside: list[Path] = []
    if folder.parent.is_dir():
        lead = f".{folder.name[:100]}."
        beside = sorted(path for path in folder.parent.iterdir() if path.name.startswith(lead))
        beside = [path for path in beside if _HIDDEN.fullmatch(path.name) and len(path.name) <= len(lead) + 13]
    return [path for path in (*inside, *beside) if _is_ours(path, tuple(names))]


def _is_ours(path: Path, names: tuple[str, ...]) -> bool:
    if not _HIDDEN.fullmatch(path.name) or path.is_symlink() or not path.is_dir():
        return False
    return {entry.name for entry in path.iterdir()} <= {f"{age}{name}" for age in ("", "old ") for name in names}


def _exchangeable(folder: Path) -> bool:
    """Can the folder itself be renamed? Not if it is a volume, if its parent is closed, or if a shell stands in it."""
    here = Path.cwd()
    inside = here == folder or folder in here.parents
    return not (inside or os.path.ismount(folder)) and os.access(folder.parent, os.W_OK | os.X_OK)


def holds_old(part: Path, names: Iterable[str]) -> bool:
    """Does it hold what had to give way and could not be put back?"""
    return any((part / f"old {name}").exists() for name in names)


def _exchange(part: Path, folder: Path, check: Callable[[Path], None]) -> None:
    old = part.with_suffix(".old")
    try:
        os.rename(folder, old)
        check(old)
        os.rename(part, folder)
    except BaseException:
        if old.exists() and not folder.exists():
            os.rename(old, folder)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _exchange_inside(part: Path, folder: Path, names: tuple[str, ...]) -> None:
    """The same inside a folder that must stay: all old parts go before a new one comes."""
    steps = [(folder / name, part / f"old {name}") for name in names if (folder / name).exists()]
    steps += [(part / name, folder / name) for name in reversed(names)]
    try:
        for source, target in steps:
            os.rename(source, target)
    except BaseException:
        for source, target in reversed(steps):
            with suppress(OSError):
                if target.exists() and not source.exists():
                    os.rename(target, source)
        raise
    shutil.rmtree(part, ignore_errors=True)
