"""Shared by the CSV readers: delimiter, rows with line numbers, columns by name."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ontomask.errors import OptionError
from ontomask.files.source import DELIMITERS, HEAD, Source, detect_delimiter

#: Names a column goes by, best first; compared without case, blanks, dashes and underscores.
CHILD = ("child", "code", "id", "concept", "conceptid", "value", "term", "node")
PARENT = ("parent", "parentcode", "parentid", "broader", "isa", "parentconcept")
LABEL = ("label", "longdesc", "title", "name", "description", "preflabel", "text")
SHORT = ("synonyms", "synonym", "shortdesc", "altlabel")


class Row(NamedTuple):
    line: int
    cells: list[str]


def delimiter_of(source: Source, text: str) -> str:
    """The delimiter of the lines that are not blank."""
    found = detect_delimiter("\n".join(line for line in text.split("\n") if line.strip()), header=False)
    if found is None:
        raise source.error(
            f"no delimiter of {', '.join(map(repr, DELIMITERS))} cuts its first lines into columns",
            remedy="Name it with delimiter=, or check that it is the right file.",
        )
    return found


class Rows:
    """The rows of a CSV that are not blank. ``first`` comes from the head alone; iterating reads the whole file.

    So a reader can refuse a file by its header before the rest of it is read.
    """

    def __init__(self, source: Source, delimiter: str | None) -> None:
        self._source = source
        text = sample(source)
        if delimiter is not None and (not isinstance(delimiter, str) or len(delimiter) != 1):
            raise OptionError(f"the delimiter {delimiter!r}", remedy="Give one character, such as ';'.")
        self._delimiter = delimiter or delimiter_of(source, text)
        first = next(self._parse(text), None)
        if first is None:
            raise source.error("there are no rows", remedy="Check how the file was written.")
        self.first = first

    def __iter__(self) -> Iterator[Row]:
        return self._parse(self._source.text())

    def below_header(self) -> Iterator[Row]:
        rows = iter(self)
        next(rows)
        return rows

    def _parse(self, text: str) -> Iterator[Row]:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=self._delimiter, strict=True)
        try:
            for cells in reader:
                if any(cell.strip() for cell in cells):
                    yield Row(reader.line_num, [cell.strip() for cell in cells])
        except csv.Error as problem:
            raise self._source.error(
                f"unbalanced quotes or delimiters, or a cell is too long ({problem})",
                line=reader.line_num,
                remedy="Look for a quote that is opened and not closed.",
            ) from None


def sample(source: Source) -> str:
    """The first lines as text; the last, perhaps cut, is left out."""
    head = source.head()
    # What is assumed is noted when the whole file is read.
    whole = head[: _whole(head)]
    text = head.decode(source.encoding, "ignore") if source.encoding else source.decoded(whole, tell=False)[0]
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text if len(head) < HEAD or "\n" not in text else text.rsplit("\n", 1)[0]


def _whole(head: bytes) -> int:
    """Where the head can be cut without splitting a UTF-8 character."""
    end = len(head)
    if end < HEAD or head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return end - end % 2 if head[:2] in (b"\xff\xfe", b"\xfe\xff") else end
    return head.rfind(b"\n") + 1 or end


def normal(name: str) -> str:
    return "".join(c for c in name.casefold() if c.isalnum())


def column(header: Sequence[str], names: Sequence[str]) -> int | None:
    """The place of the first of ``names`` that the header has."""
    have = [normal(cell) for cell in header]
    return next((have.index(n) for n in names if n in have), None)


def refuse_repeated(source: Source, header: Row, columns: Sequence[int | None]) -> None:
    """An error if a column that is used has a namesake: which one is meant?"""
    for at in columns:
        if at is not None and [normal(cell) for cell in header.cells].count(normal(header.cells[at])) > 1:
            raise source.error(
                f"two columns are called {header.cells[at]!r}", line=header.line, remedy="Rename or remove one of them."
            )


def looks_like_levels(source: Source) -> bool:
    """No child and parent in the header, equal widths, and one root in the last column."""
    text = sample(source)
    lines = [line for line in text.split("\n") if line.strip()]
    if not lines:
        return False
    cut = list(csv.reader(lines, delimiter=delimiter_of(source, text)))
    if column(cut[0], CHILD) is not None and column(cut[0], PARENT) is not None:
        return False
    widths = {len(cells) for cells in cut}
    return len(widths) == 1 and widths.pop() > 1 and len({cells[-1].strip() for cells in cut}) == 1
