"""``open_table``: a frame or a file as a Polars frame; files are read as their attributes require."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from ontomask.arguments import did_you_mean, some_of
from ontomask.errors import DataError
from ontomask.microdata.csv_files import line_of_record
from ontomask.microdata.csv_types import Codes
from ontomask.microdata.formats import format_of
from ontomask.microdata.frames import NativeFrame, Unread
from ontomask.microdata.missing_markers import MissingMarkers
from ontomask.microdata.reading import TableFile, read_table, require_source, take_as_text, where_of
from ontomask.microdata.reading_options import Reading
from ontomask.microdata.sql_sources import SqlSource, data_source
from ontomask.statements import Statement, note


@dataclass(frozen=True)
class OpenTable:
    """A frame or file as Polars ``data``; ``native`` says how to restore its kind, ``source`` is the path of a file,
    ``database`` the table or query of a database, and ``notes`` say how it was read and what was left out."""

    native: NativeFrame
    source: Path | None = None
    notes: list[Statement] = field(default_factory=list)
    database: SqlSource | None = None

    @property
    def data(self) -> pl.DataFrame:
        return self.native.data


def open_table(
    frame: Any,
    attributes: Mapping[str, Any],
    *,
    text: Iterable[str] = (),
    reading: Reading | None = None,
    release: bool = False,
    unread: Unread | None = None,
    may_be_empty: bool = False,
    missing: MissingMarkers | None = None,
) -> OpenTable:
    """A frame or the path of a file, opened as its attributes require: what every public function begins with.

    The arguments are those of :func:`read_frame` and of :meth:`NativeFrame.of`. ``missing``: what stands for a missing
    value, in place of what reading and attributes say.
    """
    missing = markers_of(attributes, reading) if missing is None else missing
    read, file = read_frame(frame, attributes, text, reading, release=release, missing=missing)
    native = NativeFrame.of(
        read,
        keep_index=list(attributes),
        missing=missing,
        unread=unread,
        may_be_empty=may_be_empty,
        separators=separators_of(attributes),
    )
    if file is None:
        return OpenTable(native, None, native.notes)
    database = file.source if isinstance(file.source, SqlSource) else None
    return OpenTable(native, file.path, [*file.notes, *native.notes], database)


def open_as_written(frame: Any, *, text: Iterable[str] = (), reading: Reading | None = None) -> OpenTable:
    """The same for what is only moved about: cells of text files stay the texts they are, 250.00 and 007 too."""
    opened = open_table(frame, {}, text=text, reading=reading)
    if opened.source is not None and format_of(opened.source).text:
        opened = open_table(frame, {}, text=opened.data.columns, reading=reading)
    return opened


def markers_of(attributes: Mapping[str, Any], reading: Reading | None) -> MissingMarkers:
    """What stands for a missing value: everywhere as the table is read, and in each column as its attribute says."""
    own = {name: a.missing_markers for name, a in attributes.items() if a.missing_markers}
    return MissingMarkers(() if reading is None else reading.missing, own)


def separators_of(attributes: Mapping[str, Any]) -> dict[str, str]:
    """The columns whose cells hold several items, and what separates these in text."""
    return {name: a.separator for name, a in attributes.items() if a.separator is not None}


def read_frame(
    frame: Any,
    attributes: Mapping[str, Any],
    text: Iterable[str] = (),
    reading: Reading | None = None,
    *,
    release: bool = False,
    missing: MissingMarkers | None = None,
) -> tuple[Any, TableFile | None]:
    """A frame as it is; of a path, or of the text that names a table of a database, the frame, and how it was read.

    Codes stay the text they are. ``text`` names more columns that are text. ``reading``: how the file of the original is
    to be read; a ``release`` is another file, of which only its missing markers and text columns are true.
    """
    if not isinstance(frame, (str, Path)):
        return frame, None
    source = data_source(frame)
    require_source(source)
    chosen = reading or Reading()
    if release:
        chosen = chosen.of_release()
    format = format_of(source)
    options, unused = chosen.for_format(format)
    options["missing"] = markers_of(attributes, chosen) if missing is None else missing
    named = options.pop("text", [])
    codes = Codes([*text, *named, *(name for name, a in attributes.items() if a.read_as_text)])
    file = read_table(frame, text=codes, **options)
    notes = [note(file.summary()), *file.notes]
    if unused:
        notes.append(note(f"reading options that this format does not use: {', '.join(unused)}"))
    absent = [name for name in named if name not in file.data.columns]
    if absent and not release:
        raise DataError(
            f"no column {some_of([repr(name) for name in absent])} to read as text",
            where=where_of(source),
            remedy=f"{did_you_mean(absent[0], file.data.columns)}Correct the names of reading.text (--text).",
        )
    file.notes = notes
    if not format.text:
        take_as_text(file, named)
    return file.data, file


@contextmanager
def naming_lines(source: Path | None, reading: Reading) -> Iterator[None]:
    """Errors that name records of a CSV file say also on which line of the file the first of them begins."""
    try:
        yield
    except DataError as problem:
        if source is not None and problem.rows and format_of(source).text:
            line = line_of_record(source, problem.rows[0], delimiter=reading.delimiter, encoding=reading.encoding)
            problem.add(f"Record {problem.rows[0]:,} begins on line {line:,} of {source.name}.")
        raise


def with_own_orders(attributes: Mapping[str, Any], taken: NativeFrame) -> dict[str, Any]:
    """The attributes, the ordinal ones with the order that the frame itself gives their categories."""
    orders = taken.orders()
    return {
        name: attribute.with_order(orders[name]) if name in orders else attribute
        for name, attribute in attributes.items()
    }
