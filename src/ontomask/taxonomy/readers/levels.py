"""Levels CSV, a value generalization hierarchy: one row per value, leaf;...;root, no header (as ARX writes it).

A cell equal to the one before it means that the value stays as it is at that level.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from ontomask.files.source import Source
from ontomask.taxonomy.readers import table
from ontomask.taxonomy.taxonomy import Taxonomy


def read(source: Source, name: str | None = None, *, delimiter: str | None = None, header: bool = False) -> Taxonomy:
    """``header``: the first row names the levels and is not a value."""
    position: dict[str, int] = {}
    above: dict[str, tuple[str, int]] = {}
    for line, cells in read_rows(source, delimiter=delimiter, header=header):
        for lower, upper in pairwise(cells):
            position.setdefault(lower, len(position))
            position.setdefault(upper, len(position))
            if lower == upper:
                continue
            known, known_line = above.setdefault(lower, (upper, line))
            if known != upper:
                raise source.error(
                    f"{lower!r} goes up to {upper!r} here and to {known!r} in line {known_line}",
                    line=line,
                    remedy="In a hierarchy of levels a value has one generalization; "
                    "use an edge list (child, parent) for several parents.",
                )
        position.setdefault(cells[0], len(position))
    return Taxonomy(
        list(position),
        [(position[c], position[p]) for c, (p, _) in above.items()],
        **source.origin(name),
    )


def read_rows(source: Source, *, delimiter: str | None = None, header: bool = False) -> Iterator[tuple[int, list[str]]]:
    """Each value with its levels, and the line it stands in: every row of the same length, no value twice."""
    rows = table.Rows(source, delimiter)
    lines: dict[str, int] = {}
    width = len(rows.first.cells)
    for line, cells in rows.below_header() if header else rows:
        if len(cells) != width:
            raise source.error(
                f"{len(cells)} levels where the rows before have {width}",
                line=line,
                remedy="Every value needs the same number of levels; repeat a value that stays as it is.",
            )
        if "" in cells:
            raise source.error(f"level {cells.index('')} is empty", line=line, remedy="Fill it, or remove the row.")
        if lines.setdefault(cells[0], line) != line:
            raise source.error(
                f"the value {cells[0]!r} has a row already, line {lines[cells[0]]}", line=line, remedy="Remove one."
            )
        yield line, cells
    if not lines:
        raise source.error("there are no rows", remedy="Check how the file was written.")
