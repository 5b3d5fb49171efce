"""Files and folders that only their owner can read, from the moment they exist.

A file that is opened first and narrowed afterwards can be read in between, and whoever opened it then keeps reading.
Here the mode is given when the file is created, before anything is written, whatever the umask says. Windows has no such
modes: there the rights of the folder count.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path

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
