"""Logs without data: of an error its kind and its place, and nothing that it says, which may quote a value."""

from __future__ import annotations

import logging
import traceback
from pathlib import Path

#: Loggers of the libraries under the app, which print errors by themselves.
_LIBRARIES = ("uvicorn", "uvicorn.error", "uvicorn.access", "nicegui", "asyncio", "engineio", "socketio", "fastapi")


class Discreet(logging.Formatter):
    """Formats a record as one line: where it comes from, and of an error its kind and its place."""

    def format(self, record: logging.LogRecord) -> str:
        found = record.exc_info
        problem = found[1] if found else record.msg if isinstance(record.msg, BaseException) else None
        if problem is None:
            return f"{record.name}: {record.levelname.lower()} in {record.module}, line {record.lineno}"
        return f"{record.name}: {place_of(problem)}"


def place_of(problem: BaseException) -> str:
    """The kind of an error, and the last place in this package that it passed."""
    frames = traceback.extract_tb(problem.__traceback__)
    own = [frame for frame in frames if "ontomask" in Path(frame.filename).parts] or list(frames)
    where = f" in {Path(own[-1].filename).name}, line {own[-1].lineno}" if own else ""
    return f"{type(problem).__name__}{where}"


def log_discreetly() -> None:
    """From now on errors that libraries log are one line without data."""
    handler = logging.StreamHandler()
    handler.setFormatter(Discreet())
    handler.setLevel(logging.ERROR)
    root = logging.getLogger()
    root.handlers = [handler]
    for name in _LIBRARIES:
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [], True
        logger.setLevel(logging.ERROR)
