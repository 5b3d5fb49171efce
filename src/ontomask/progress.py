"""Progress reporting and cancellation.

A progress function is called as ``progress(fraction, message)`` between steps, with a fraction that never falls. To
stop, it raises :class:`~ontomask.errors.Cancelled` (any exception will do), or returns ``False``; nothing is written
by then.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ontomask.errors import Cancelled, OptionError

Progress = Callable[[float, str], Any]


def silent(fraction: float, message: str) -> None:
    """Says nothing and never stops."""


class Reporter:
    """Passes on what a user's function should hear: fractions from 0 to 1 that never fall."""

    def __init__(self, function: Progress | None) -> None:
        if function is not None and not callable(function):
            raise OptionError("progress is not a function", remedy="Give a function progress(fraction, message).")
        self._function = function
        self._reached = 0.0

    def __call__(self, fraction: float, message: str) -> None:
        if self._function is None:
            return
        self._reached = max(self._reached, min(1.0, float(fraction)))
        answer = self._function(self._reached, message)
        if type(answer).__name__ in ("bool", "bool_") and not answer:  # Python's or NumPy's False; no answer is no
            raise Cancelled("stopped by the progress function", remedy="Nothing was written.")

    def part(self, begin: float, end: float) -> Progress:
        """The progress of one step, which takes the stretch from ``begin`` to ``end`` of the whole."""
        return stretch(self, begin, end)


def stretch(progress: Progress, begin: float, end: float) -> Progress:
    """The progress of one step of several."""
    return lambda fraction, message: progress(begin + (end - begin) * fraction, message)
