"""CSV files that do not fit into memory: text cells block by block, the same as of the file read at once.

A block ends where a line ends outside quotes. Where the parser of Polars would misread a block, Python's slower parser reads
the whole file, as it does with a file that is read at once.
"""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO, cast

import polars as pl

from ontomask.files.source import ASSUMED_CP1252, BYTE_ORDER_MARKS, HEAD, NOT_CP1252
from ontomask.microdata.csv_files import (
    DataSource,
    SlowRows,
    blanks_after_delimiters,
    cells_of,
    check_delimiter,
    check_header,
    from_header,
    is_spaced,
    likely_delimiter,
    names_without_blanks,
    note_lines,
    parsed_fast,
    require_lines,
    rows_of,
    unknown_encoding,
    without_blanks,
    zero_bytes,
)

#: Bytes that are read at a time, and rows by the slower parser.
BLOCK, SLOW_ROWS = 1 << 24, 50_000
#: No block outside quotes is longer, or they are taken for stray ones.
_LONGEST = 1 << 26


class StreamedSource(DataSource):
    """A file of records of which no more than a block is in memory."""

    held = False


class _Unfit(Exception):
    """The parser of Polars would misread the file."""


@dataclass
class CsvChunks:
    """A CSV file as frames of text, which come in the order of the file; ``source.notes`` tell what was detected.

    What a file holds is looked at once (:meth:`look`), from its first byte to its last.
    """

    path: Path
    delimiter: str | None = None
    encoding: str | None = None
    block: int = BLOCK
    names: list[str] = field(default_factory=list)
    rows: int = 0

    def __post_init__(self) -> None:
        check_delimiter(self.delimiter)
        self.source = StreamedSource(self.path, self.encoding)
        self._width, self._slow, self._spaced, self._strip, self._returns = 0, False, False, False, False

    def look(self, *, may_be_empty: bool = False) -> None:
        """Find out how the file is to be read; an error if it is not a table, or has no rows (unless it ``may_be_empty``)."""
        require_lines(self.source)
        self.encoding = self._encoding()
        self._scan()
        body, hint = from_header(self.source, _first_of(self._pieces()))
        self.delimiter = self.delimiter or hint or likely_delimiter(self.source, body)
        header = next(rows_of(self.source, io.BytesIO(body), self.delimiter))[1]
        check_header(self.source, header)
        self._width, self._spaced = len(header), is_spaced(header)
        blank = self._try()
        self.names = names_without_blanks(self.source, header) if self._strip else header
        if self.rows or not may_be_empty:
            note_lines(self.source, self.names, blank, self.rows)

    def _try(self) -> int:
        """Read all of it, to see whether it can be read fast, and where blanks follow delimiters; how many lines are blank."""
        for self._slow in (False, True):
            self.rows, blank, where = 0, 0, set[str]()
            try:
                for data, skipped in self._raw():
                    self.rows, blank = self.rows + len(data), blank + skipped
                    if self._spaced:
                        where.add(blanks_after_delimiters(data))
                break
            except _Unfit:
                continue
        self._strip = self._spaced and len(where) <= 1 and "somewhere" not in where
        return blank

    def chunks(self) -> Iterator[pl.DataFrame]:
        """The cells as texts, nulls where nothing stood."""
        for data, _ in self._raw():
            chunk = without_blanks(data) if self._strip else data
            chunk.columns = self.names
            yield chunk

    def _raw(self) -> Iterator[tuple[pl.DataFrame, int]]:
        """Cells as they stand there, and how many blank lines were left out among them."""
        assert self.delimiter is not None
        if self._slow:
            yield from self._slowly(self.delimiter)
            return
        header = self.delimiter.join(map(str, range(self._width))).encode() + b"\n"
        for block in self._blocks(self.delimiter):
            found = parsed_fast(header + block, self.delimiter, self._width)
            if found is None:
                raise _Unfit
            yield found

    def _slowly(self, delimiter: str) -> Iterator[tuple[pl.DataFrame, int]]:
        stream = io.BufferedReader(_Joined(self._body()))
        rows, before = SlowRows(self.source, cast(BinaryIO, stream), delimiter, self._width, self._spaced), 0
        left = iter(rows)
        while some := list(islice(left, SLOW_ROWS)):
            yield cells_of(some, self._width), rows.blank - before
            before = rows.blank
        rows.require_no_ragged()
        yield cells_of([], self._width), rows.blank - before

    # ---- blocks of lines -------------------------------------------------------------------------------------------------

    def _blocks(self, delimiter: str) -> Iterator[bytes]:
        """The lines below the header, in blocks: only the first may begin with a blank line, and only the last end with one."""
        rest, header = b"", True
        for piece in self._body():
            rest += piece
            if header:
                end = _header_end(rest)
                if not end:
                    if len(rest) > _LONGEST:
                        raise _Unfit
                    continue
                if len(next(rows_of(self.source, io.BytesIO(rest[:end]), delimiter))[1]) != self._width:
                    raise _Unfit
                rest, header = rest[end:], False
            end = _block_end(rest)
            if end:
                yield rest[:end]
                rest = rest[end:]
            elif len(rest) > _LONGEST:
                raise _Unfit
        if header:  # a line without an end
            return
        last = rest if self._width == 1 else rest.rstrip(b"\r\n")
        if last:
            yield last

    # ---- bytes ---------------------------------------------------------------------------------------------------------

    def _body(self) -> Iterator[bytes]:
        """The file from its header on."""
        pieces = self._pieces()
        body, _ = from_header(self.source, _first_of(pieces))
        first = (body[at : at + self.block] for at in range(0, len(body), self.block))
        return chain(first, pieces)

    def _pieces(self) -> Iterator[bytes]:
        """The file as UTF-8 with line ends that end in \\n."""
        for piece in self._as_utf8():
            yield piece.replace(b"\r", b"\n") if self._returns else piece

    def _read(self) -> Iterator[bytes]:
        with self.source.open() as stream:
            while piece := stream.read(self.block):
                yield piece

    def _as_utf8(self) -> Iterator[bytes]:
        assert self.encoding is not None
        if self.encoding == "utf-8":
            yield from self._read()
            return
        decoder, seen, lines = codecs.getincrementaldecoder(self.encoding)(), 0, 0
        for piece in chain(self._read(), [b""]):
            pending = decoder.getstate()[0]
            try:
                yield decoder.decode(piece, final=not piece).encode()
            except UnicodeDecodeError as problem:
                whole = pending + piece
                raise self.source.error(
                    f"byte {seen - len(pending) + problem.start:,} is not valid {self.encoding}",
                    line=lines + whole[: problem.start].count(b"\n") + 1,
                    remedy="Give the encoding the file was written in, or leave it out to have it detected.",
                ) from None
            seen, lines = seen + len(piece), lines + piece.count(b"\n")

    def _encoding(self) -> str:
        """The encoding, detected unless it is given; all of the file is looked at."""
        head = self.source.read(4)
        known = self.encoding or next((name for mark, name in BYTE_ORDER_MARKS if head.startswith(mark)), None)
        if known is not None:
            return known
        decoder = codecs.getincrementaldecoder("utf-8")()
        try:
            for piece in chain(self._read(), [b""]):
                if not (piece and piece.isascii() and not decoder.getstate()[0]):
                    decoder.decode(piece, final=not piece)
            return "utf-8"
        except UnicodeDecodeError:
            pass
        with self.source.open() as stream:
            self.source.refuse_mixed(stream)
        lines = 1
        for piece in self._read():
            odd = NOT_CP1252.search(piece)
            if odd:
                raise unknown_encoding(self.source, odd[0], lines + piece[: odd.start()].count(b"\n"))
            lines += piece.count(b"\n")
        self.source.notes.append(ASSUMED_CP1252)
        return "cp1252"

    def _scan(self) -> None:
        """Find out which line ends there are; an error if there is a zero byte."""
        lines, returns, zero, ends = 1, 1, (0, 0), False
        for piece in self._as_utf8():
            at = -1 if any(zero) else piece.find(b"\0")
            if at >= 0:
                zero = lines + piece[:at].count(b"\n"), returns + piece[:at].count(b"\r")
            lines, returns = lines + piece.count(b"\n"), returns + piece.count(b"\r")
            ends = ends or b"\n" in piece
        self._returns = not ends
        if any(zero):
            raise zero_bytes(self.source, zero[self._returns])


def _first_of(pieces: Iterator[bytes]) -> bytes:
    """The first pieces as one that tells the delimiter."""
    first = b""
    while len(first) <= HEAD and (piece := next(pieces, None)) is not None:
        first += piece
    return first


class _Joined(io.RawIOBase):
    """Pieces of bytes as a stream."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces, self._rest = pieces, b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._rest:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._rest = piece
        count = min(len(buffer), len(self._rest))
        buffer[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count


def _header_end(data: bytes) -> int:
    """Behind the first line end outside quotes; 0 if there is none."""
    at, quotes, seen = data.find(b"\n"), 0, 0
    while at >= 0:
        quotes, seen = quotes + data.count(b'"', seen, at), at
        if quotes % 2 == 0:
            return at + 1
        at = data.find(b"\n", at + 1)
    return 0


def _line_end(data: bytes, end: int) -> int:
    """Behind the last line end outside quotes before ``end``; 0 if there is none."""
    quotes = data.count(b'"', 0, end)
    while (at := data.rfind(b"\n", 0, end)) >= 0:
        quotes -= data.count(b'"', at, end)
        if quotes % 2 == 0:
            return at + 1
        end = data.rfind(b'"', 0, at)  # which keeps the line open
        quotes -= 1
    return 0


def _block_end(data: bytes) -> int:
    """Behind the last line that is not blank, and after which another one follows at once; 0 if there is none."""
    end = len(data.rstrip(b"\r\n"))
    while cut := _line_end(data, end):
        end = len(data[:cut].rstrip(b"\r\n"))
        if end and data[end:cut] in (b"\n", b"\r\n"):
            return cut
    return 0
