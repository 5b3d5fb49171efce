"""Progress bar on a terminal: step, elapsed time, estimated time left."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from ontomask.cli.interrupts import stop_if_asked
from ontomask.progress import Progress


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
