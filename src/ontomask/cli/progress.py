"""Progress bar on a terminal, and interrupts (Ctrl-C, SIGTERM).

After an interrupt unfinished files are removed, and the exit code reports it.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

from ontomask.errors import Cancelled
from ontomask.progress import Progress


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


@contextmanager
def shown_progress(quiet: bool) -> Iterator[Progress]:
    """A progress function that draws a bar on stderr; silent where nobody looks or nobody wants it."""
    if quiet or not sys.stderr.isatty():
        yield _listening
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (
        BarColumn(bar_width=30),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeElapsedColumn(),
        TextColumn("elapsed,"),
        TimeRemainingColumn(),
        TextColumn("remaining"),
        TextColumn("{task.description}", markup=False),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=1.0)

        def tell(fraction: float, message: str) -> None:
            stop_if_asked()
            bar.update(task, completed=fraction, description=message)

        yield tell


def _listening(fraction: float, message: str) -> None:
    """Draws nothing, and stops when asked to."""
    stop_if_asked()
