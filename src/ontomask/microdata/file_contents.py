"""Contents of a data file: the table that is read from it, and what else it holds."""

from __future__ import annotations

from dataclasses import dataclass, field

import polars as pl

from ontomask.statements import Statement


@dataclass
class TableContents:
    """A table as the reader of a format found it: ``data``, what was detected, and ``notes`` for the user."""

    data: pl.DataFrame
    notes: list[Statement] = field(default_factory=list)
    delimiter: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    sheet: str | None = None


@dataclass
class ExtraContents:
    """``tables``: what anybody can read besides; ``parts``: what nobody looked into; ``blurred``: columns of which cells
    that differ are read as one value, and why."""

    tables: list[str] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    blurred: dict[str, str] = field(default_factory=dict)
