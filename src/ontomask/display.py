"""Small tables: aligned text for terminals, HTML for notebooks. Texts of the data are never markup."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

_CELL = "padding:1px 10px 1px 0;vertical-align:top"
#: Rows of a table that a notebook shows.
MOST_ROWS = 50


def figure(value: Any) -> str:
    """A cell as it is shown: numbers with separators and at most four decimals, lists joined, on one line."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.4f}".rstrip("0").rstrip(".")
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, (list, tuple)):
        return figure("; ".join(map(str, value)))
    return str(value).replace("\r", "\\r").replace("\n", "\\n").replace("\t", "\\t")


def numeric(rows: Sequence[Sequence[Any]], width: int) -> list[bool]:
    """Which columns of a table hold nothing but numbers: these are aligned to the right."""
    columns = [[row[i] for row in rows if row[i] is not None] for i in range(width)]
    return [all(isinstance(cell, (int, float)) for cell in cells) if cells else False for cells in columns]


def text_table(heads: Sequence[str], rows: Sequence[Sequence[Any]], right: Sequence[bool] | None = None) -> list[str]:
    """The lines of an aligned table: the names of the columns, and their cells as :func:`figure` writes them.

    ``right``: which columns are aligned to the right; not given: those that hold numbers.
    """
    right = numeric(rows, len(heads)) if right is None else right
    cells = [list(heads), *([figure(cell) for cell in row] for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(heads))]
    return [
        "  ".join(
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in cells
    ]


def html_table(heads: Sequence[str], rows: Sequence[Sequence[Any]], right: Sequence[bool] | None = None) -> str:
    """A table for notebooks, with at most ``MOST_ROWS`` rows; the parameters are those of :func:`text_table`."""
    right = numeric(rows, len(heads)) if right is None else right

    def line(cells: Iterable[Any], tag: str) -> str:
        sides = ["right" if to_right else "left" for to_right in right]
        return "".join(
            f'<{tag} style="text-align:{side};{_CELL}">{escape(figure(cell))}</{tag}>'
            for cell, side in zip(cells, sides, strict=True)
        )

    body = "".join(f"<tr>{line(row, 'td')}</tr>" for row in rows[:MOST_ROWS])
    more = len(rows) - MOST_ROWS
    rest = f'<tr><td colspan="{len(heads)}">… {more:,} more</td></tr>' if more > 0 else ""
    return f'<table style="border-collapse:collapse;margin:4px 0"><tr>{line(heads, "th")}</tr>{body}{rest}</table>'


def html_facts(facts: Iterable[tuple[str, Any]]) -> str:
    """Names and what they are, a row each."""
    rows = "".join(
        f'<tr><th style="text-align:left;{_CELL}">{escape(name)}</th>'
        f'<td style="text-align:left;{_CELL}">{escape(figure(value))}</td></tr>'
        for name, value in facts
    )
    return f'<table style="border-collapse:collapse;margin:4px 0">{rows}</table>'


def html_list(texts: Iterable[str]) -> str:
    """Sentences, a point each; nothing where there are none."""
    points = "".join(f"<li>{escape(text)}</li>" for text in texts)
    return f'<ul style="margin:4px 0;padding-left:1.4em">{points}</ul>' if points else ""


def html_card(title: str, *parts: str, notes: Iterable[str] = ()) -> str:
    """What a notebook shows of an object: a title, parts that are HTML already, and notes in small print."""
    small = "".join(f"<p style='margin:2px 0'><small>{escape(note)}</small></p>" for note in notes)
    return f"<div><strong>{escape(title)}</strong>{''.join(parts)}{small}</div>"


def html_fold(title: str, inner: str) -> str:
    """A part that is closed until somebody opens it."""
    return f"<details><summary>{escape(title)}</summary>{inner}</details>" if inner else ""
