"""Interrupts (Ctrl-C, SIGTERM): unfinished files are removed, and the exit code reports the interrupt."""

from __future__ import annotations

import signal
from typing import ClassVar

from ontomask.errors import Cancelled


class Interrupted(Cancelled):
    """Somebody stopped the command."""

    #: The signal that came; an exception raised at a bad moment, such as within a callback, may get lost.
    came: ClassVar[int | None] = None

    def __init__(self, number: int) -> None:
        super().__init__("interrupted", remedy="Nothing was written.")
        self.code = 128 + number


def listen() -> None:
    """From now on signals to stop end in :class:`Interrupted`."""
    Interrupted.came = None
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupt)


def stop_if_asked() -> None:
    """To be called now and then: raises what may have got lost."""
    if Interrupted.came is not None:
        raise Interrupted(Interrupted.came)


def _interrupt(number: int, frame: object) -> None:
    Interrupted.came = number
    raise Interrupted(number)
