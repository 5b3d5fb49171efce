"""Output of the commands: Rich tables on a terminal, plain aligned text elsewhere, JSON, errors on stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

import typer

from ontomask.showing import figure, numeric, text_table

#: What a command ends with when its input or options are wrong.
USAGE = 2
#: A release fails what the policy requires.
REFUSED = 1

#: What the library calls its keywords, in the words of the command line.
SPOKEN = {
    "overwrite=True": "--force",
    "give force=True": "add --force",
    "allow_unsatisfied=True": "--allow-unsatisfied",
    "escape_formulas=True": "--escape-formulas",
    "records= (result.records)": "--records (confidential/records.csv of a result)",
    "records= ": "--records ",
    "aligned=True": "--aligned",
    "workers=1": "--workers 1",
}


def fail(message: str, code: int = USAGE) -> int:
    """Say what is wrong on stderr; the exit code to end with."""
    for keyword, option in SPOKEN.items():
        message = message.replace(keyword, option)
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
