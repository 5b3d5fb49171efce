"""Reading CSV files as text columns: encoding, delimiter, header, and a check that every line has every cell.

The parser of Polars is fast but fills short lines with nulls and is at odds with stray quotes. So the bytes are
checked first: where they are not plain RFC 4180, Python's slower parser reads the file, or says which lines are wrong.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ontomask.arguments import short, some_of
from ontomask.errors import DataError, OntomaskError, OptionError
from ontomask.files.source import DELIMITERS, HEAD, LONGEST_LINE, NOT_CP1252, Source, detect_delimiter
from ontomask.microdata.file_contents import TableContents
from ontomask.microdata.frames import LONGEST_NAME, is_pattern
from ontomask.statements import note

_QUOTE, _NEWLINE, _RETURN = 34, 10, 13
#: Lines of another width that are kept for an error, which names one less.
_MOST_RAGGED = 6
_NUMBER = re.compile(r"\s*[-+]?[0-9]+([.,][0-9]+)?\s*")


class DataSource(Source):
    """A file of records. What is wrong with it is an error of the data, not of a taxonomy."""

    #: Lines above the header: blank ones, or Excel's hint of the delimiter.
    above = 0
    #: The bytes of the file, its cells as text, and marks of delimiters, line ends and quotes.
    room = 3
    failure = DataError


def read_csv(path: Path, *, delimiter: str | None = None, encoding: str | None = None) -> TableContents:
    """The cells of a CSV as text, nulls where nothing stood, and what was found out on the way."""
    check_delimiter(delimiter)
    source = DataSource(path, encoding)
    payload, found = _payload(source)
    payload, hint = from_header(source, payload)
    separator = delimiter or hint or likely_delimiter(source, payload)
    header = next(rows_of(source, io.BytesIO(payload), separator))[1]
    check_header(source, header)
    if len(header) > 1:
        payload = payload.rstrip(b"\r\n")
    spaced = is_spaced(header)
    data, blank = _parse(source, payload, separator, header, spaced)
    if spaced and blanks_after_delimiters(data) != "somewhere":
        data, header = without_blanks(data), names_without_blanks(source, header)
    data.columns = header
    note_lines(source, header, blank, data.height)
    return TableContents(data, list(map(note, source.notes)), separator, found)


def check_delimiter(delimiter: str | None) -> None:
    """An error unless it is one character, or detected."""
    if delimiter is not None and (not isinstance(delimiter, str) or len(delimiter) != 1 or not delimiter.isascii()):
        raise OptionError(f"the delimiter {delimiter!r}", remedy="Give one character, such as ';'.")


def line_of_record(path: Path, record: int, *, delimiter: str | None = None, encoding: str | None = None) -> int:
    """The line on which a record of a CSV begins; both are counted from 1, and the header is not counted as a record."""
    source = DataSource(path, encoding)
    payload, hint = from_header(source, _payload(source)[0])
    rows = rows_of(source, io.BytesIO(payload), delimiter or hint or likely_delimiter(source, payload))
    width = len(next(rows)[1])
    lines = (line for line, row in rows if row or width == 1)
    return next(islice(lines, record - 1, None))


# ---- bytes ------------------------------------------------------------------------------------------------------


def _payload(source: DataSource) -> tuple[bytes, str]:
    """The whole file as UTF-8 with line ends that end in \\n, and the encoding it was in."""
    require_lines(source)
    payload = source.read()
    text, found = source.decoded(payload)
    odd = NOT_CP1252.search(payload) if found == "latin-1" and source.encoding is None else None
    if odd:
        raise unknown_encoding(source, odd[0], payload[: odd.start()].count(b"\n") + 1)
    if found != "utf-8":
        payload = text.encode()
    if b"\n" not in payload:
        payload = payload.replace(b"\r", b"\n")
    zero = payload.find(b"\0")
    if zero >= 0:
        raise zero_bytes(source, payload[:zero].count(b"\n") + 1)
    return payload, found


def require_lines(source: DataSource) -> None:
    """An error if the first bytes of a file show that it is not a table in lines."""
    head = source.head()
    if len(head) == HEAD and b"\n" not in head and b"\r" not in head:
        first = source.read(LONGEST_LINE)
        if b"\n" not in first and b"\r" not in first and len(first) == LONGEST_LINE:
            raise source.error(
                f"no line end in the first {len(first):,} bytes",
                remedy="Expected a table with line breaks; is it the right file?",
            )


def unknown_encoding(source: DataSource, odd: bytes, line: int) -> OntomaskError:
    """The error for a byte that no encoding has which is assumed."""
    return source.error(
        f"byte 0x{odd.hex()} is neither UTF-8 nor cp1252, so the encoding is not known",
        line=line,
        remedy="Give the encoding the file was written in: encoding='cp850' or 'cp1250', say (--encoding).",
    )


def zero_bytes(source: DataSource, line: int) -> OntomaskError:
    """The error for a zero byte."""
    return source.error(
        "the file holds zero bytes",
        line=line,
        remedy="It is damaged, or not text. Remove them if you know where they come from.",
    )


def from_header(source: DataSource, payload: bytes) -> tuple[bytes, str | None]:
    """The file from its header on, and the delimiter if a line ``sep=;``, which Excel understands, names it."""
    body = payload.lstrip(b"\r\n")
    hint = re.match(rb"sep=([\x20-\x7e\t])\r?\n", body)
    if hint:
        body = body[hint.end() :].lstrip(b"\r\n")
    source.above = payload[: len(payload) - len(body)].count(b"\n")
    return body, hint[1].decode() if hint else None


def likely_delimiter(source: DataSource, payload: bytes) -> str:
    """The delimiter that cuts most of the first rows into as many cells as the header, and into most of them."""
    sample = payload[:HEAD]
    if len(payload) > HEAD and b"\n" in sample:
        sample = sample[: sample.rfind(b"\n")]
    text = sample.decode("utf-8", "ignore")
    found = detect_delimiter(text, header=True)
    if found is None:
        source.notes.append(
            f"read as one column: none of {', '.join(map(repr, DELIMITERS))} cuts the first line; "
            "if there are more columns, name the delimiter"
        )
    return found or ","


def check_header(source: DataSource, header: Sequence[str]) -> None:
    nameless = [str(at) for at, name in enumerate(header, start=1) if not name.strip()]
    if nameless:
        raise source.error(
            f"the first line names no column at place {some_of(nameless)} of {len(header)}",
            line=source.above + 1,
            remedy="The first line must name every column. Row names of R: write with row.names = FALSE. "
            "A delimiter at the end of the lines: remove it.",
        )
    long = next((name for name in header if len(name) > LONGEST_NAME), None)
    if long is not None:
        raise source.error(
            f"a column name has {len(long):,} characters: {short(repr(long), 40)}",
            line=source.above + 1,
            remedy=f"Shorten it to {LONGEST_NAME:,}, or look for a quote that is opened and not closed.",
        )
    pattern = next((name for name in header if is_pattern(name)), None)
    if pattern is not None:
        raise source.error(
            f"the first line names a column {short(repr(pattern))}, which would be read as a pattern of names",
            remedy="Rename it: a name is not * and does not begin with ^ and end with $.",
        )
    twice = [name for name, count in Counter(header).items() if count > 1]
    if twice:
        raise source.error(
            f"several columns are called {some_of([short(repr(name), 40) for name in twice])}",
            line=source.above + 1,
            remedy="Rename all but one. If the first line is a record already, put a line of column names above it.",
        )


# ---- rows -------------------------------------------------------------------------------------------------------


def _parse(
    source: DataSource, payload: bytes, delimiter: str, header: Sequence[str], spaced: bool
) -> tuple[pl.DataFrame, int]:
    """All cells as text, and how many blank lines were left out."""
    found = parsed_fast(payload, delimiter, len(header))
    return _parse_slowly(source, payload, delimiter, header, spaced) if found is None else found


def parsed_fast(payload: bytes, delimiter: str, width: int) -> tuple[pl.DataFrame, int] | None:
    """The same by the parser of Polars; None where the bytes are not what it reads as it should."""
    if not _quotes_fit(payload, ord(delimiter)):
        return None
    try:
        data = pl.read_csv(payload, separator=delimiter, infer_schema=False, raise_if_empty=False)
    except pl.exceptions.PolarsError:
        return None
    if width == 1 or not data.to_series(-1).has_nulls():
        # Long lines were refused by Polars, short ones would end in a null. In one column an empty line is a cell.
        return data, 0
    delimiters, records, blank = _shape(payload, ord(delimiter))
    if data.height + 1 != records or delimiters != (records - len(blank)) * (width - 1):
        return None
    if len(blank):
        keep = np.ones(data.height, dtype=bool)
        keep[blank - 1] = False
        data = data.filter(pl.Series(keep))
    return data, len(blank)


def _shape(payload: bytes, delimiter: int) -> tuple[int, int, NDArray[np.intp]]:
    """How many delimiters and records there are outside quotes, and which records are blank lines."""
    buffer = np.frombuffer(payload, dtype=np.uint8)
    is_delimiter, is_newline = buffer == delimiter, buffer == _NEWLINE
    if _QUOTE in payload:
        outside = ~np.logical_xor.accumulate(buffer == _QUOTE)
        is_delimiter &= outside
        is_newline &= outside
    ends = np.flatnonzero(is_newline)
    length = np.diff(ends, prepend=-1) - 1
    blank = np.flatnonzero((length == 0) | ((length == 1) & (buffer[ends - 1] == _RETURN)))
    records = len(ends) + (not payload.endswith(b"\n"))
    return int(np.count_nonzero(is_delimiter)), records, blank


def _quotes_fit(payload: bytes, delimiter: int) -> bool:
    """Whether every quote opens a cell, closes one, or is half of a doubled one inside."""
    if _QUOTE not in payload:
        return True
    buffer = np.frombuffer(payload, dtype=np.uint8)
    quotes = np.flatnonzero(buffer == _QUOTE)
    if len(quotes) % 2:
        return False
    opening, closing = quotes[0::2], quotes[1::2]
    before = buffer[opening[opening > 0] - 1]
    after = buffer[closing[closing < len(buffer) - 1] + 1]
    return bool(
        np.isin(before, [delimiter, _NEWLINE, _QUOTE]).all()
        and np.isin(after, [delimiter, _NEWLINE, _RETURN, _QUOTE]).all()
    )


def _parse_slowly(
    source: DataSource, payload: bytes, delimiter: str, header: Sequence[str], spaced: bool
) -> tuple[pl.DataFrame, int]:
    """The same by Python's parser, which lets quotes stand inside cells; here a quoted empty cell is null, too."""
    rows = SlowRows(source, io.BytesIO(payload), delimiter, len(header), spaced)
    cells = list(rows)
    rows.require_no_ragged()
    return cells_of(cells, len(header)), rows.blank


class SlowRows:
    """The cells of each record, by Python's parser. Counted are blank lines between them, and lines of another width, which are
    left out."""

    def __init__(self, source: DataSource, stream: BinaryIO, delimiter: str, width: int, spaced: bool) -> None:
        self._source, self._delimiter, self._width = source, delimiter, width
        self._rows = rows_of(source, stream, delimiter, spaced)
        self.blank, self._ragged, self._first = 0, 0, list[tuple[int, int]]()

    def __iter__(self) -> Iterator[list[str]]:
        next(self._rows)
        skipped = 0
        for line, row in self._rows:
            if not row and self._width > 1:
                skipped += 1
                continue
            self.blank, skipped = self.blank + skipped, 0
            if (len(row) or 1) != self._width:
                self._ragged += 1
                if self._ragged <= _MOST_RAGGED:
                    self._first.append((line, len(row)))
            else:
                yield row or [""]

    def require_no_ragged(self) -> None:
        """An error if there were lines of another width."""
        if not self._ragged:
            return
        told = [f"line {line} has {count}" for line, count in self._first]
        shown = some_of(told)
        many = f" ({self._ragged:,} such lines)" if self._ragged > 1 else ""
        raise DataError(
            f"the header has {self._width} columns, but {shown}{many}",
            where=self._source.at(self._first[0][0]),
            remedy="Look there for a missing cell, or a delimiter or line break in a text without quotes. "
            f"The file was cut at {self._delimiter!r}: if that is not its delimiter, name the right one.",
        )


def cells_of(rows: Sequence[Sequence[str]], width: int) -> pl.DataFrame:
    """Rows of cells as a frame of texts."""
    columns = [pl.Series(str(at), [row[at] or None for row in rows], dtype=pl.String) for at in range(width)]
    return pl.DataFrame(columns)


def rows_of(
    source: DataSource, stream: BinaryIO, delimiter: str, spaced: bool = False
) -> Iterator[tuple[int, list[str]]]:
    """Line number and cells of each row of UTF-8 bytes."""
    text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
    reader = csv.reader(text, delimiter=delimiter, strict=True, skipinitialspace=spaced)
    start = source.above + 1
    try:
        for row in reader:
            yield start, row
            start = source.above + reader.line_num + 1
    except csv.Error as problem:
        raise source.error(
            f"unbalanced quotes or delimiters, or a cell is too long ({problem})",
            line=start,
            remedy="Look for a quote that is not closed. If cells contain quotes, no cell may have more "
            f"than {csv.field_size_limit():,} characters.",
        ) from None


# ---- blanks after delimiters, and what is said of a file ---------------------------------------------------------------


def is_spaced(header: Sequence[str]) -> bool:
    """Does a blank follow every delimiter of the header: ``age, sex``?"""
    return len(header) > 1 and all(name.startswith(" ") for name in header[1:])


def blanks_after_delimiters(data: pl.DataFrame) -> Literal["everywhere", "nowhere", "somewhere"]:
    """Where a blank follows a delimiter, in the cells of a file or of a part of it. Without rows it is everywhere."""
    rest = pl.col(data.columns[1:])
    if data.select(pl.all_horizontal(rest.str.starts_with(" ").fill_null(True).all())).item():
        return "everywhere"
    return "somewhere" if data.select(pl.any_horizontal(rest.str.starts_with(" ").any())).item() else "nowhere"


def without_blanks(data: pl.DataFrame) -> pl.DataFrame:
    """Cells without the blank after each delimiter."""
    return data.with_columns(pl.col(data.columns[1:]).str.strip_chars_start(" "))


def names_without_blanks(source: DataSource, header: Sequence[str]) -> list[str]:
    """The names of columns likewise, checked again."""
    source.notes.append("a blank follows every delimiter; these blanks are left out")
    names = [name.lstrip(" ") for name in header]
    check_header(source, names)
    return names


def note_lines(source: DataSource, header: Sequence[str], blank: int, rows: int) -> None:
    """What should be known of the lines of a file; an error if there are no rows."""
    numbers = [repr(name) for name in header if _NUMBER.fullmatch(name)]
    if numbers:
        source.notes.append(f"the first line is taken for the column names; some are numbers: {some_of(numbers, 3)}")
    if blank:
        source.notes.append(f"{blank:,} blank {'line' if blank == 1 else 'lines'} left out")
    if not rows:
        raise source.error("there are no rows below the header", remedy="Check how the file was written.")
