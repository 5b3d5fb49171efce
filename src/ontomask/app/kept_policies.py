"""Policies that were read, kept for as long as their files stay the same: to read a large one takes seconds."""

from __future__ import annotations

import threading
from collections import OrderedDict
from pathlib import Path

from ontomask.policy.policy import Policy

#: Policies that are kept at one time.
MOST = 16
_KEPT: OrderedDict[tuple[str, int, int, int], Policy] = OrderedDict()
_LOCK = threading.Lock()


def policy_in(path: Path) -> Policy:
    """The policy in a file of a project. All who ask share it, as a policy cannot be changed.

    A policy is written as a new file, and the files that it names stay as they are while it names them.
    """
    try:
        found = path.stat()
    except OSError:
        return Policy.load(path, confined=True)  # says what is wrong
    key = (str(path), found.st_ino, found.st_mtime_ns, found.st_size)
    with _LOCK:
        if key in _KEPT:
            _KEPT.move_to_end(key)
            return _KEPT[key]
    policy = Policy.load(path, confined=True)
    _keep(key, policy)
    return policy


def keep_policy(path: Path, policy: Policy) -> None:
    """Keep what was read from a file that is the policy of a project from now on."""
    found = path.stat()
    _keep((str(path), found.st_ino, found.st_mtime_ns, found.st_size), policy.read_from(path.resolve()))


def _keep(key: tuple[str, int, int, int], policy: Policy) -> None:
    with _LOCK:
        _KEPT[key] = policy
        while len(_KEPT) > MOST:
            _KEPT.popitem(last=False)
