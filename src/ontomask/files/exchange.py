"""Atomic exchange of folders: a finished folder appears completely or not at all, also in place of an earlier one.

The earlier folder steps aside as a whole before the new one takes its place: at no moment do parts of both lie side by
side. Whoever stops the machine between the two steps finds both folders beside the place, hidden and complete.

A folder that is being put together is locked by its process, so that another run can tell it from one that was left
behind: the system releases the lock of a process that ends, however it ends.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path

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
