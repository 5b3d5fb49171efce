"""Edge list CSV: one row per is-a link, a child and a parent column, and a label if there is one.

A row with an empty parent declares a root. If any row does, every parent must have a row of its own, so that a
mistyped parent is found; else parents without a row are taken as roots. A concept with several parents has several
rows; the same row twice is an error.
"""

from __future__ import annotations

import re

from ontomask.arguments import some_of
from ontomask.errors import DuplicateLinkError, SelfLinkError, UnknownParentError
from ontomask.files.source import Source
from ontomask.taxonomy.lexicon import nearest_texts
from ontomask.taxonomy.readers import table
from ontomask.taxonomy.taxonomy import Taxonomy


def read(
    source: Source,
    name: str | None = None,
    *,
    child: str | None = None,
    parent: str | None = None,
    label: str | None = None,
    delimiter: str | None = None,
    header: bool = True,
) -> Taxonomy:
    """``child``, ``parent``, ``label`` name columns that do not go by a usual name; without ``header`` the columns
    are child, parent and, if there, label."""
    rows = table.Rows(source, delimiter)
    first = rows.first
    if header:
        at_child = _named(source, first.cells, child, table.CHILD, "child")
        at_parent = _named(source, first.cells, parent, table.PARENT, "parent")
        at_label = _named(source, first.cells, label, table.LABEL, "label")
        at_short = table.column(first.cells, table.SHORT)
        table.refuse_repeated(source, first, (at_child, at_parent, at_label, at_short))
        width = len(first.cells)
        if at_child is None or at_parent is None or at_child == at_parent:
            raise source.error(
                f"no child and parent column among {', '.join(map(repr, first.cells[:12]))}",
                line=first.line,
                remedy="Name them: child='...', parent='...'; or header=False if the first row is data already; "
                "or format='levels' for a hierarchy leaf;...;root.",
            )
    else:
        at_child, at_parent, at_label, at_short, width = 0, 1, 2, None, 0

    position: dict[str, int] = {}
    labels: dict[int, str] = {}
    synonyms: dict[int, list[str]] = {}
    links: dict[tuple[str, str], int] = {}
    roots: dict[str, int] = {}
    for line, cells in rows.below_header() if header else rows:
        width = width or len(cells)
        if len(cells) != width or width <= max(at_child, at_parent):
            raise source.error(
                f"{len(cells)} cells where {max(width, 2)} are expected",
                line=line,
                remedy="Quote cells that hold a delimiter.",
            )
        concept, above = cells[at_child], cells[at_parent]
        if not concept:
            raise source.error("the child is empty", line=line, remedy="Give its code or remove the row.")
        if concept == above:
            raise SelfLinkError(concept, where=source.at(line))
        seen = roots.setdefault(concept, line) if not above else links.setdefault((concept, above), line)
        if seen != line:
            raise DuplicateLinkError(
                concept, above or "(no parent)", first=f"line {seen}", again=f"line {line}", where=source.where
            )
        at = position.setdefault(concept, len(position))
        if at_label is not None and at_label < width and cells[at_label]:
            known = labels.setdefault(at, cells[at_label])
            if known != cells[at_label]:
                raise source.error(
                    f"{concept!r} has the label {cells[at_label]!r} here and {known!r} before",
                    line=line,
                    remedy="Give it one label.",
                )
        if at_short is not None and cells[at_short]:
            more = synonyms.setdefault(at, [])
            more += [s for s in split_synonyms(cells[at_short]) if s not in more]
    if not position:
        raise source.error("there are no rows below the header", remedy="Check how the file was written.")
    own = len(position)
    for (concept, above), line in links.items():
        if concept in roots:
            raise source.error(
                f"{concept!r} has the parent {above!r} here and none in line {roots[concept]}",
                line=line,
                remedy="Remove one of the two rows.",
            )
        if roots and above not in position:
            raise UnknownParentError(
                concept,
                above,
                where=source.at(line),
                suggestions=nearest_texts(above, list(position)),
                remedy="Correct it, or add a row for it (with an empty parent if it is a root).",
            )
    for _, above in links:
        position.setdefault(above, len(position))
    if len(position) - own > 1:
        tops = list(position)[own:]
        source.notes.append(
            f"{len(tops)} parents have no row of their own and are taken as roots: "
            + some_of([repr(top) for top in tops])
        )
    return Taxonomy(
        list(position),
        [(position[c], position[p]) for c, p in links],
        labels=[labels.get(i, c) for i, c in enumerate(position)],
        synonyms=synonyms,
        name=name or source.stem,
        source=source.path.name,
        notes=source.notes,
        where=source.where,
    )


def split_synonyms(cell: str) -> list[str]:
    """Synonyms are joined by |; a | or a backslash of their own has a backslash before it."""
    parts = re.findall(r"(?:\\[\\|]|[^|])+", cell)
    return [re.sub(r"\\([\\|])", r"\1", part).strip() for part in parts if part.strip()]


def _named(source: Source, header: list[str], wanted: str | None, usual: tuple[str, ...], what: str) -> int | None:
    if wanted is None:
        return table.column(header, usual)
    if wanted not in header:
        raise source.error(
            f"no column {wanted!r} for the {what}",
            remedy=f"The columns are: {', '.join(map(repr, header[:12]))}.",
        )
    return header.index(wanted)
