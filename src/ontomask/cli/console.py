"""The terminal: Rich tables, plain aligned text elsewhere, JSON, errors on stderr, a progress bar, and interrupts.

After an interrupt (Ctrl-C, SIGTERM) unfinished files are removed, and the exit code reports it.
"""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

import typer

from ontomask.display import figure, numeric, text_table
from ontomask.errors import Cancelled, Keyword, OntomaskError
from ontomask.progress import Progress

#: What a command ends with when its input or options are wrong.
USAGE = 2
#: A release fails what the policy requires.
REFUSED = 1

#: Keywords of the library, and the options of commands that set them.
OPTIONS = {
    "overwrite": "--force",
    "force": "--force",
    "allow_unsatisfied": "--allow-unsatisfied",
    "escape_formulas": "--escape-formulas",
    "records": "--records",
    "aligned": "--aligned",
    "workers": "--workers",
}
#: Where a command finds what a program has as an object.
VALUES = {"result.records": "confidential/records.csv"}


def spelled(option: Keyword) -> str:
    """An option as it is typed: ``--force``, ``--workers 1``."""
    flag = OPTIONS[option.name]
    return flag if option.value in ("", "True") else f"{flag} {VALUES.get(option.value, option.value)}"


def fail(problem: OntomaskError | str, code: int = USAGE) -> int:
    """Say what is wrong on stderr; the exit code to end with."""
    message = problem if isinstance(problem, str) else problem.message(spelled)
    typer.echo(printable(f"ontomask: {message}"), err=True)
    return code


def say(text: str = "") -> None:
    typer.echo(printable(text))


def printable(text: str) -> str:
    """The text without what would give orders to a terminal: names and values of a file are not ours."""
    return "".join(
        sign if sign.isprintable() or sign in "\n\t" else sign.encode("unicode_escape").decode() for sign in text
    )


def remark(text: str) -> None:
    """Something beside the answer: it must not get into a pipe."""
    typer.echo(printable(text), err=True)


def remark_notes(notes: Iterable[object]) -> None:
    for note in notes:
        remark(f"note: {note}")


def say_json(content: Any) -> None:
    typer.echo(json.dumps(content, ensure_ascii=False, indent=2))


def say_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """A table with a heading: columns that hold nothing but numbers stand to the right."""
    if sys.stdout.isatty():
        _rich(title, columns, rows)
        return
    say(title)
    for line in text_table(columns, rows):
        say(f"  {line}")


def _rich(title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title, title_justify="left", title_style="bold", show_edge=False)
    for name, to_right in zip(columns, numeric(rows, len(columns)), strict=True):
        table.add_column(name, justify="right" if to_right else "left", no_wrap=to_right)
    for row in rows:
        table.add_row(*(Text(printable(figure(cell))) for cell in row))  # texts of a file are not markup
    Console().print(table)


# ---- interrupts and progress ---------------------------------------------------------------------------------------


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
        yield lambda fraction, message: stop_if_asked()
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
