"""Opening text files: compression, encoding, delimiter, and early refusal of what cannot be text.

Only the first bytes of a file decide whether it is read at all, so a gigabyte of junk costs nothing.
"""

from __future__ import annotations

import csv
import gzip
import io
import os
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

from ontomask.arguments import is_text_encoding
from ontomask.errors import OntomaskError, TaxonomyFileError
from ontomask.files.regular_files import SUSPICIOUS, NotRegular, TooLarge, free_memory, open_regular, unpacked

_REMEDIES: dict[type, str] = {
    NotRegular: "Save its contents as a file first.",
    TooLarge: "Is it the right file? If it is, unpack it first, or use a machine with more memory.",
}

#: How much of a file is looked at before it is read.
HEAD = 1 << 16
#: No line of a text format is longer; a file without line ends is not one.
LONGEST_LINE = 1 << 20
_CONTROL = bytes(c for c in range(32) if c not in b"\t\n\r\f\x1a\x1b")
BYTE_ORDER_MARKS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
#: Bytes that cp1252 does not have.
NOT_CP1252 = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")
ASSUMED_CP1252 = "read as cp1252 (Windows), because it is not valid UTF-8"
#: An accented letter or a quotation mark in UTF-8. Read as cp1252 it shows as two or three odd signs.
_WIDE = re.compile(rb"\xc3[\x80-\xbf]|\xe2\x80[\x90-\xbf]")


@dataclass
class Source:
    """One file to read. Readers add to ``notes`` what the user should know."""

    path: Path
    encoding: str | None = None
    notes: list[str] = field(default_factory=list)

    #: Bytes of memory that a byte of the file takes while it is read, at least.
    room: ClassVar[int] = 1
    #: Is all of it in memory at once?
    held: ClassVar[bool] = True
    #: What is raised where something is wrong with the file.
    failure: ClassVar[type[OntomaskError]] = TaxonomyFileError

    def __post_init__(self) -> None:
        if self.encoding is not None and not is_text_encoding(self.encoding):
            raise self.error(f"no encoding {self.encoding!r}", remedy="Try 'utf-8', 'cp1252' or 'latin-1'.")

    @property
    def where(self) -> str:
        return str(self.path)

    @property
    def suffix(self) -> str:
        """The suffix that tells the format, without a trailing .gz."""
        name = self.path.name.lower()
        return Path(name.removesuffix(".gz")).suffix

    @property
    def stem(self) -> str:
        name = self.path.name
        return Path(name[:-3] if name.lower().endswith(".gz") else name).stem

    def error(self, what: str, *, line: int | None = None, remedy: str | None = None) -> OntomaskError:
        return self.failure(what, where=self.where if line is None else self.at(line), remedy=remedy)

    def origin(self, name: str | None, version: str | None = None) -> dict[str, Any]:
        """Where what is read comes from, as a taxonomy takes it: its name, source and notes, and the place for errors."""
        source = self.path.name + (f", version {version}" if version else "")
        return {"name": name or self.stem, "source": source, "notes": self.notes, "where": self.where}

    def at(self, line: int) -> str:
        return f"{self.where}, line {line}"

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """The file as bytes, decompressed; what goes wrong while it is read becomes an error of ours."""
        packed = self.path.name.lower().endswith(".gz")
        try:
            with open_regular(self.path) as file, unpacked(file, held=self.held) if packed else file as stream:
                if self.held and not packed:
                    self._require_room(os.fstat(stream.fileno()).st_size)
                yield stream
        except (NotRegular, TooLarge) as problem:
            raise self.error(str(problem.strerror), remedy=_REMEDIES[type(problem)]) from None
        except (EOFError, zlib.error, gzip.BadGzipFile) as problem:
            raise self.error(
                "the compressed file is cut off or damaged", remedy="Get it again and compare its size with the source."
            ) from problem
        except OSError as problem:
            raise self.error(
                f"the file cannot be read ({problem.strerror or type(problem).__name__})",
                remedy="Check the path and your permissions.",
            ) from problem

    def _require_room(self, size: int) -> None:
        if size > SUSPICIOUS and size * self.room > free_memory():
            needed = size * self.room / 1e9
            raise TooLarge(0, f"it has {size / 1e9:,.1f} GB and needs about {needed:,.1f} GB, and less memory is free")

    def read(self, size: int = -1) -> bytes:
        with self.open() as stream:
            return stream.read(size)

    def head(self) -> bytes:
        """The first bytes; an error if they show that this is not text at all."""
        head = self.read(HEAD)
        bom = next((bom for bom, _ in BYTE_ORDER_MARKS if head.startswith(bom)), b"")
        if not head.removeprefix(bom).strip(b"\x00 \t\r\n") and (bom or not head.strip()):
            if len(head) == HEAD or self.read(HEAD * 16).strip():
                raise self.error("the file begins with a long run of blanks", remedy="Is it the right file?")
            raise self.error("the file is empty", remedy="Check the path, or how the file was written.")
        if any(head.startswith(bom) for bom, _ in BYTE_ORDER_MARKS) or self.encoding:
            return head
        if b"\x00" in head:
            looks_wide = head[1::2].count(0) > len(head) // 4 or head[::2].count(0) > len(head) // 4
            raise self.error(
                "the file holds zero bytes" + (": it looks like UTF-16 without a mark" if looks_wide else ""),
                remedy="Give encoding='utf-16-le' (or -be)." if looks_wide else "It is not text; is it the right file?",
            )
        if len(head.translate(None, _CONTROL)) < 0.99 * len(head):
            raise self.error("the file is not text", remedy="Is it the right file, or compressed under a wrong name?")
        return head

    def text(self) -> str:
        """The whole file as text, its encoding detected; line ends are \\n."""
        head = self.head()
        if len(head) == HEAD and b"\n" not in head and b"\r" not in head and not self.encoding:
            first = self.read(LONGEST_LINE)
            if b"\n" not in first and b"\r" not in first:
                raise self.error(
                    f"no line end in the first {len(first):,} bytes",
                    remedy="Expected a table with line breaks; is it the right file?",
                )
        text, _ = self.decoded(self.read())
        return text.replace("\r\n", "\n").replace("\r", "\n")

    def decoded(self, data: bytes, *, tell: bool = True) -> tuple[str, str]:
        """Bytes as text, and their encoding, detected unless given; ``tell``: note what was assumed."""
        encoding = self.encoding or next((e for bom, e in BYTE_ORDER_MARKS if data.startswith(bom)), None)
        if encoding:
            try:
                return data.decode(encoding), encoding
            except UnicodeDecodeError as problem:
                line = data[: problem.start].count(b"\n") + 1
                raise self.error(
                    f"byte {problem.start:,} is not valid {encoding}",
                    line=line,
                    remedy="Give the encoding the file was written in, or leave it out to have it detected.",
                ) from None
        try:
            return data.decode("utf-8"), "utf-8"
        except UnicodeDecodeError:
            self.refuse_mixed(io.BytesIO(data))
        assumed, note = "cp1252", ASSUMED_CP1252
        if NOT_CP1252.search(data):
            assumed, note = "latin-1", "read as latin-1, because it is neither valid UTF-8 nor cp1252"
        self.notes += [note] if tell else []
        return data.decode(assumed), assumed

    def refuse_mixed(self, lines: Iterable[bytes]) -> None:
        """An error where some lines are UTF-8 and others are not: read in one encoding, part of them is garbled."""
        utf8 = other = 0
        for number, line in enumerate(lines, start=1):
            if line.isascii():
                continue
            try:
                line.decode("utf-8")
                utf8 = utf8 or number
            except UnicodeDecodeError:
                other = other or number
                if _WIDE.search(line):  # both in one line
                    utf8 = utf8 or number
            if utf8 and other:
                raise self.error(
                    f"mixed encodings: line {utf8} holds UTF-8, line {other} does not",
                    line=max(utf8, other),
                    remedy="Save the file in one encoding. If it is in one, such as cp1252, name it: "
                    "encoding='cp1252'.",
                )


DELIMITERS = ",;\t|"
#: So many rows are looked at.
_ROWS = 200


def detect_delimiter(text: str, *, header: bool) -> str | None:
    """The delimiter that cuts most of the first rows into the same number of cells, and into most of them.

    ``header``: into as many as the first row has, which names the columns; else into the most frequent number. None
    where no delimiter cuts them.
    """
    best, best_rank = None, (0.0, 1)
    for delimiter in DELIMITERS:
        try:
            widths = [len(row) for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if row][:_ROWS]
        except csv.Error:
            continue
        counts = Counter(widths)
        width = widths[0] if header and widths else max(counts, key=lambda width: (counts[width], width), default=1)
        rank = (counts[width] / max(1, len(widths)), width)
        if width > 1 and rank > best_rank:
            best, best_rank = delimiter, rank
    return best
