"""Output of the commands: Rich tables on a terminal, plain aligned text elsewhere, JSON, errors on stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

import typer

from ontomask.display import figure, numeric, text_table
from ontomask.errors import Keyword, OntomaskError

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
    return "".join(sign if sign.isprintable() or sign in "\n\t" else _escape(sign) for sign in text)


def _escape(sign: str) -> str:
    return sign.encode("unicode_escape").decode()


def remark(text: str) -> None:
    """Something beside the answer: it must not get into a pipe."""
    typer.echo(printable(text), err=True)


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
