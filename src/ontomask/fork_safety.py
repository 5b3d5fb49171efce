"""Safety of forked processes: Polars threads do not survive a fork, and waiting for them never ends.

So whether they were running is looked up at the moment of the fork, and the first use of a table in the child is an error
that says how to start processes instead.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from ontomask.errors import OntomaskError

_WORKER = re.compile(r"polars-[0-9]|tokio-")
_threads_left_behind = False


def _threads_running() -> bool:
    """Are workers of Polars running? They carry its name; where the system does not tell, they may be."""
    try:
        return any(_WORKER.match(task.read_text()) for task in Path("/proc/self/task").glob("*/comm"))
    except OSError:
        return True


def _before() -> None:
    global _threads_left_behind  # noqa: PLW0603 - a fact of the process
    _threads_left_behind = _threads_left_behind or _threads_running()


def _after_in_parent() -> None:
    global _threads_left_behind  # noqa: PLW0603
    _threads_left_behind = False


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_after_in_parent)


def require_threads() -> None:
    """An error in a process that was forked from one in which tables were worked on already."""
    if _threads_left_behind:
        raise OntomaskError(
            "this process was forked from one that worked on tables already: it would wait forever for threads that "
            "it does not have",
            remedy="Start processes with multiprocessing.get_context('spawn') or 'forkserver'.",
        )
