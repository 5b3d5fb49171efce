"""Codes CSV without a parent column, for classifications whose codes grow to the right (ISCO: 1, 11, 111, 1111).

The parent of a code is its longest proper prefix among the codes.
"""

from __future__ import annotations

from collections.abc import Iterable

from ontomask.files.source import Source
from ontomask.taxonomy.readers import table
from ontomask.taxonomy.taxonomy import Taxonomy


def read(
    source: Source,
    name: str | None = None,
    *,
    code: str | None = None,
    label: str | None = None,
    delimiter: str | None = None,
) -> Taxonomy:
    """``code`` and ``label`` name the columns (default: the first, and the first that goes by a usual name)."""
    rows = table.Rows(source, delimiter)
    header = rows.first
    for wanted in (code, label):
        if wanted is not None and wanted not in header.cells:
            raise source.error(
                f"no column {wanted!r}", line=header.line, remedy=f"The columns are: {', '.join(header.cells[:12])}."
            )
    at_code = header.cells.index(code) if code else 0
    at_label = header.cells.index(label) if label else table.column(header.cells, table.LABEL)
    labels: dict[str, str] = {}
    for line, cells in rows.below_header():
        if len(cells) != len(header.cells) or not cells[at_code]:
            raise source.error("cells are missing or too many", line=line, remedy="Quote cells that hold a delimiter.")
        if cells[at_code] in labels:
            raise source.error(f"the code {cells[at_code]!r} occurs twice", line=line, remedy="Remove one of the rows.")
        labels[cells[at_code]] = cells[at_label] if at_label is not None else cells[at_code]
    if not labels:
        raise source.error("there are no rows below the header", remedy="Check how the file was written.")
    return Taxonomy(
        list(labels),
        prefix_links(labels),
        labels=list(labels.values()),
        **source.origin(name),
    )


def prefix_links(codes: Iterable[str]) -> list[tuple[int, int]]:
    """Links from each code to its longest proper prefix among the codes."""
    position = {code: i for i, code in enumerate(codes)}
    links = []
    for code, i in position.items():
        above = next((position[code[:n]] for n in range(len(code) - 1, 0, -1) if code[:n] in position), None)
        if above is not None:
            links.append((i, above))
    return links
