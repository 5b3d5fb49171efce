"""Edge list CSV: one row per is-a link, a child and a parent column, and a label if there is one.

A row with an empty parent declares a root. If any row does, every parent must have a row of its own, so that a
mistyped parent is found; else parents without a row are taken as roots. A concept with several parents has several
rows; the same row twice is an error.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

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
    columns = _columns(source, rows.first, child, parent, label) if header else _Columns(0, 1, 2)
    edges = _Edges(source, columns)
    for line, cells in rows.below_header() if header else rows:
        edges.add(line, cells)
    if not edges.position:
        raise source.error("there are no rows below the header", remedy="Check how the file was written.")
    edges.require_consistent_roots()
    edges.place_parents()
    return Taxonomy(
        list(edges.position),
        [(edges.position[c], edges.position[p]) for c, p in edges.links],
        labels=[edges.labels.get(i, c) for i, c in enumerate(edges.position)],
        synonyms=edges.synonyms,
        **source.origin(name),
    )


class _Columns(NamedTuple):
    """Where the cells of a row are; ``width``: how many it has, 0 where the first row decides."""

    child: int
    parent: int
    label: int | None = None
    short: int | None = None
    width: int = 0


def _columns(source: Source, header: table.Row, child: str | None, parent: str | None, label: str | None) -> _Columns:
    at_child = _named(source, header.cells, child, table.CHILD, "child")
    at_parent = _named(source, header.cells, parent, table.PARENT, "parent")
    at_label = _named(source, header.cells, label, table.LABEL, "label")
    at_short = table.column(header.cells, table.SHORT)
    table.refuse_repeated(source, header, (at_child, at_parent, at_label, at_short))
    if at_child is None or at_parent is None or at_child == at_parent:
        raise source.error(
            f"no child and parent column among {', '.join(map(repr, header.cells[:12]))}",
            line=header.line,
            remedy="Name them: child='...', parent='...'; or header=False if the first row is data already; "
            "or format='levels' for a hierarchy leaf;...;root.",
        )
    return _Columns(at_child, at_parent, at_label, at_short, len(header.cells))


@dataclass
class _Edges:
    """The rows read so far: concepts with their numbers, and the line of every link and of every root."""

    source: Source
    columns: _Columns
    position: dict[str, int] = field(default_factory=dict)
    labels: dict[int, str] = field(default_factory=dict)
    synonyms: dict[int, list[str]] = field(default_factory=dict)
    links: dict[tuple[str, str], int] = field(default_factory=dict)
    roots: dict[str, int] = field(default_factory=dict)

    def add(self, line: int, cells: list[str]) -> None:
        """Take a row in, or say what is wrong with it."""
        if not self.columns.width:
            self.columns = self.columns._replace(width=len(cells))
        columns, width = self.columns, self.columns.width
        if len(cells) != width or width <= max(columns.child, columns.parent):
            raise self.source.error(
                f"{len(cells)} cells where {max(width, 2)} are expected",
                line=line,
                remedy="Quote cells that hold a delimiter.",
            )
        concept, above = cells[columns.child], cells[columns.parent]
        if not concept:
            raise self.source.error("the child is empty", line=line, remedy="Give its code or remove the row.")
        if concept == above:
            raise SelfLinkError(concept, where=self.source.at(line))
        seen = self.links.setdefault((concept, above), line) if above else self.roots.setdefault(concept, line)
        if seen != line:
            raise DuplicateLinkError(
                concept, above or "(no parent)", first=f"line {seen}", again=f"line {line}", where=self.source.where
            )
        at = self.position.setdefault(concept, len(self.position))
        if columns.label is not None and columns.label < width and cells[columns.label]:
            known = self.labels.setdefault(at, cells[columns.label])
            if known != cells[columns.label]:
                raise self.source.error(
                    f"{concept!r} has the label {cells[columns.label]!r} here and {known!r} before",
                    line=line,
                    remedy="Give it one label.",
                )
        if columns.short is not None and cells[columns.short]:
            more = self.synonyms.setdefault(at, [])
            more += [s for s in split_synonyms(cells[columns.short]) if s not in more]

    def require_consistent_roots(self) -> None:
        """A root has no parent; where roots are declared, every parent has a row of its own."""
        for (concept, above), line in self.links.items():
            if concept in self.roots:
                raise self.source.error(
                    f"{concept!r} has the parent {above!r} here and none in line {self.roots[concept]}",
                    line=line,
                    remedy="Remove one of the two rows.",
                )
            if self.roots and above not in self.position:
                raise UnknownParentError(
                    concept,
                    above,
                    where=self.source.at(line),
                    suggestions=nearest_texts(above, list(self.position)),
                    remedy="Correct it, or add a row for it (with an empty parent if it is a root).",
                )

    def place_parents(self) -> None:
        """Number the parents that have no row of their own, and tell if there are several."""
        own = len(self.position)
        for _, above in self.links:
            self.position.setdefault(above, len(self.position))
        tops = list(self.position)[own:]
        if len(tops) > 1:
            self.source.notes.append(
                f"{len(tops)} parents have no row of their own and are taken as roots: "
                + some_of([repr(top) for top in tops])
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
