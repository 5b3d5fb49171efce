"""Work in the background, beside compiled loops that run without the interpreter's lock."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

_Result = TypeVar("_Result")


class Background(Generic[_Result]):
    """Something that is computed while its maker goes on. Nobody waits for it at the end if it is not asked for any more.

    >>> Background(lambda: 6 * 7).result()
    42
    """

    def __init__(self, work: Callable[[], _Result]) -> None:
        self._work = work
        self._found: list[_Result] = []
        self._problem: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._found.append(self._work())
        except BaseException as problem:  # told to whoever asks for the result
            self._problem = problem

    def done(self, seconds: float) -> bool:
        """Has it ended, or does it within so many seconds?"""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def result(self) -> _Result:
        """What was computed, once it is there; what went wrong is raised here."""
        self._thread.join()
        if self._problem is not None:
            raise self._problem
        return self._found[0]
