"""Opening untrusted files: only regular ones, and no more of a compressed one than fits into memory.

A pipe makes its reader wait forever, a device such as /dev/zero never ends, and a few kilobytes can unpack to
terabytes. Whatever reads data, policies, taxonomies or mappings opens them here.
"""

from __future__ import annotations

import gzip
import io
import os
import stat
from pathlib import Path
from typing import Any, BinaryIO, cast

from ontomask.errors import OntomaskError

#: What is not unpacked at all: more than this much, at more than this many bytes from one.
SUSPICIOUS, RATIO = 100 << 20, 250
#: What is assumed where the system does not tell.
_UNKNOWN = 16 << 30


class NotRegular(OSError):
    """There is something of that name, and it is not a file with contents of its own."""


class TooLarge(OSError):
    """A file is, or unpacks to, more than can be held."""


def open_regular(path: str | Path) -> BinaryIO:
    """The file, open for reading as bytes. A pipe, device or socket is an error, without waiting for anybody.

    A file without a size is empty, whatever the system would say when it is read.
    """
    _require_regular(os.stat(path).st_mode)  # opening some devices already does something
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | _BINARY)
    try:
        found = os.fstat(handle)
        _require_regular(found.st_mode)
        if not found.st_size:  # files of /proc have contents that no size tells of, and some never end
            os.close(handle)
            return open(os.devnull, "rb")
        return os.fdopen(handle, "rb")
    except NotRegular:
        os.close(handle)
        raise


_BINARY = getattr(os, "O_BINARY", 0)
_KINDS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFDIR: "a folder",
}


def _require_regular(mode: int) -> None:
    if not stat.S_ISREG(mode):
        raise NotRegular(0, f"it is {_KINDS.get(stat.S_IFMT(mode), 'something else')}, not a file")


def exists(path: Path) -> bool:
    """Is there something of that name? A name that the file system cannot have is of nothing."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def kind_of(path: str | Path) -> str | None:
    """What stands there if it is neither a regular file nor a folder: a pipe, a socket, a device."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return None
    return None if stat.S_ISREG(mode) or stat.S_ISDIR(mode) else _KINDS.get(stat.S_IFMT(mode), "something else")


def refuse_special(path: Path, error: type[OntomaskError]) -> None:
    """An error if there is a pipe, a socket or a device of that name."""
    kind = kind_of(path)
    if kind is not None:
        raise error(f"it is {kind}, not a file", where=str(path), remedy="Save its contents as a file first.")


def free_memory() -> int:
    """The bytes that this process can still be given, as far as the system tells."""
    found = [_available(), _left_of_limit()]
    known = [amount for amount in found if amount is not None]
    return min(known) if known else _UNKNOWN


def _available() -> int | None:
    """Memory and swap that are free, by Linux's own estimate."""
    try:
        lines = dict(line.split(":", 1) for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines())
        return sum(int(lines[key].split()[0]) for key in ("MemAvailable", "SwapFree")) * 1024
    except (OSError, ValueError, KeyError):
        return None


def _left_of_limit() -> int | None:
    """What a limit on the address space leaves; None if there is none."""
    try:
        import resource  # late: only Unix has it

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit == resource.RLIM_INFINITY:
            return None
        used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * os.sysconf("SC_PAGE_SIZE")
        return max(limit - used, 0)
    except (ImportError, OSError, ValueError):
        return None


def unpacked(packed: BinaryIO, *, held: bool = True) -> BinaryIO:
    """A gzip file as the bytes in it; an error (:class:`TooLarge`) once there are too many. ``held``: all of them at once?"""
    size = os.fstat(packed.fileno()).st_size
    return cast(BinaryIO, io.BufferedReader(_Counted(gzip.GzipFile(fileobj=packed, mode="rb"), size, held), 1 << 20))


def require_reasonable(count: int, packed: int, *, held: bool = True) -> None:
    """An error if so many bytes come out of so few, or, where they are held at once, would not fit into memory."""
    if count > SUSPICIOUS and count > packed * RATIO:
        raise TooLarge(0, f"it unpacks to more than {RATIO} times its size, which is not plausible for a table")
    if held and count > SUSPICIOUS and count > free_memory():
        raise TooLarge(0, f"it unpacks to more than {count / 1e9:,.1f} GB, and less memory is free")


class _Counted(io.RawIOBase):
    """A stream that is watched while it is read."""

    def __init__(self, stream: Any, packed: int, held: bool) -> None:
        self._stream, self._packed, self._count, self._checked, self._held = stream, packed, 0, 0, held

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        read: int = self._stream.readinto(buffer)
        self._count += read
        if self._count - self._checked > SUSPICIOUS // 4:
            self._checked = self._count
            require_reasonable(self._count, self._packed, held=self._held)
        return read

    def close(self) -> None:
        self._stream.close()
        super().close()
