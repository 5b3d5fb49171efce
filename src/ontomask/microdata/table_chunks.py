"""Tables that do not fit into memory: CSV or Parquet, one file, a folder of them, or a pattern; read chunk by chunk."""

from __future__ import annotations

import glob
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from ontomask.arguments import did_you_mean, some_of
from ontomask.errors import DataError, OntomaskError, OptionError
from ontomask.files.fingerprints import InputFile
from ontomask.microdata.csv_chunks import BLOCK, CsvChunks
from ontomask.microdata.csv_types import Codes, ColumnTypes
from ontomask.microdata.file_contents import TableContents
from ontomask.microdata.formats import Format, format_of
from ontomask.microdata.missing_markers import without_markers
from ontomask.microdata.open_table import markers_of
from ontomask.microdata.parquet_files import parquet_chunks, parquet_last, parquet_shape
from ontomask.microdata.reading import as_text, require_file, summary_of, total_row_note
from ontomask.microdata.reading_options import Reading
from ontomask.microdata.sql_sources import SqlSource, data_source
from ontomask.statements import Statement, note

#: Rows of a chunk of a Parquet file.
ROWS = 500_000
#: The formats that are read chunk by chunk.
FORMATS = ("csv", "tsv", "parquet")
#: Files of a folder that are not part of the table, as the writers of such folders mark them.
_ASIDE = (".", "_")


def is_several(path: str | Path) -> bool:
    """Does it name a folder or a pattern of files, and not one file?"""
    given = Path(path)
    return given.is_dir() or (glob.has_magic(str(path)) and not given.exists())


def files_of(path: str | Path) -> list[Path]:
    """The files of a table, by name: the file itself, those of a folder, or those that a pattern (``data/*.csv``) fits."""
    given = Path(path)
    if isinstance(data_source(path), SqlSource):
        raise OptionError(
            "this engine reads files only", remedy="Leave the engine out, or save the table as a file first."
        )
    if not is_several(path):
        require_file(given)
        return [given]
    if given.is_dir():
        found = [entry for entry in given.iterdir() if not entry.name.startswith(_ASIDE)]
        inside = [entry.name for entry in found if entry.is_dir()]
        if inside:
            raise DataError(
                f"the folder holds folders: {some_of(sorted(inside))}",
                where=str(path),
                remedy="Name the folder with the files, or a pattern such as 'data/**/*.parquet'.",
            )
    else:
        found = [Path(name) for name in glob.glob(str(path), recursive=True) if not Path(name).is_dir()]
    if not found:
        raise DataError("there are no files", where=str(path), remedy="Check the path.")
    files = sorted(found, key=lambda file: file.as_posix())
    for file in files:
        require_file(file)
    return files


class TableChunks:
    """A table in files, as frames that come in the same order each time, with the values and types that the files have when
    they are read at once.

    ``attributes`` and ``reading`` say how, as for :func:`open_table`. ``block``: bytes of a CSV that are read at a time;
    ``rows_at_once``: rows of Parquet.
    """

    def __init__(
        self,
        path: str | Path,
        attributes: Mapping[str, Any],
        reading: Reading | None = None,
        *,
        block: int = BLOCK,
        rows_at_once: int = ROWS,
    ) -> None:
        self.path, self.files, self.rows_at_once, self.block = Path(path), files_of(path), rows_at_once, block
        self.format = _one_format(self.files)
        self._reading, self._markers = reading or Reading(), markers_of(attributes, reading)
        self._coded = [name for name, attribute in attributes.items() if attribute.read_as_text]
        self.input = [InputFile.about_to_be_read(file) for file in self.files]
        self.notes: list[Statement] = []
        #: Of each file.
        self.rows: list[int] = []
        self.names: list[str] = []
        self._csv: list[CsvChunks] = []
        self._types: ColumnTypes | None = None
        self._lasts: list[pl.DataFrame] = []
        if self.format.text:
            self._look_at_csv()
        else:
            self._look_at_parquet()
        self._finish()

    def chunks(self) -> Iterator[pl.DataFrame]:
        """All of the table. A file that changed since it was first looked at is an error, and so is one that was added."""
        for place, read in enumerate(self.input):
            yield from self._chunks_of(place)
            read.require_unchanged()
        more = [file.name for file in files_of(self.path) if file not in self.files]
        if more:
            raise DataError(
                f"the table changed while it was read: there are more files ({some_of(more)})",
                where=str(self.path),
                remedy="Wait until it is complete, and run again.",
            )

    def enlarge(self, rows: int) -> None:
        """Read at least so many rows at a time from now on, about."""
        self.rows_at_once = max(self.rows_at_once, rows)
        self.block = max(self.block, int(rows * self.size / sum(self.rows)))
        for chunks in self._csv:
            chunks.block = self.block

    def place_of(self, record: int) -> tuple[Path, int]:
        """The file of a record, and which of its records it is; both are counted from 1."""
        for file, rows in zip(self.files, self.rows, strict=True):
            if record <= rows:
                return file, record
            record -= rows
        raise ValueError(record)

    @property
    def size(self) -> int:
        """The bytes of all files."""
        return sum(file.stat().st_size for file in self.files)

    def _chunks_of(self, place: int) -> Iterator[pl.DataFrame]:
        if not self.format.text:
            for chunk in parquet_chunks(self.files[place], self.rows_at_once):
                yield as_text(chunk, self._reading.text)[0]
            return
        assert self._types is not None
        try:
            for chunk in self._texts(self._csv[place]):
                yield self._types.convert(chunk)
        except (OntomaskError, pl.exceptions.PolarsError):
            self.input[place].require_unchanged()  # the likely reason
            raise

    # ---- looking at the files ----------------------------------------------------------------------------------------------

    def _look_at_csv(self) -> None:
        options = self._reading
        delimiter = options.delimiter or ("\t" if self.format.name == "tsv" else None)
        for file in self.files:
            chunks = CsvChunks(file, delimiter, options.encoding, self.block)
            chunks.look(may_be_empty=len(self.files) > 1)
            self._require_same(file, chunks.names, self._csv[0].names if self._csv else chunks.names)
            self._csv.append(chunks)
            self.rows.append(chunks.rows)
        delimiters = {chunks.delimiter for chunks in self._csv}
        if len(delimiters) > 1 and len(self._csv[0].names) > 1:
            raise DataError(
                f"the files have different delimiters: {', '.join(sorted(map(repr, delimiters)))}",
                where=str(self.path),
                remedy="Write them with one, or name it (--delimiter).",
            )
        self.names = self._csv[0].names
        self._require_rows()
        types = ColumnTypes(
            delimiter=self._csv[0].delimiter,
            decimal=options.decimal,
            text=Codes([*options.text, *self._coded]),
        )
        lasts = [pl.DataFrame(schema=dict.fromkeys(self.names, pl.String)) for _ in self.files]
        for place, chunks in enumerate(self._csv):
            for chunk in self._texts(chunks):
                types.add(chunk)
                lasts[place] = chunk.tail(1) if len(chunk) else lasts[place]
        notes = types.decide()
        self._types, self._lasts = types, [types.convert(last) for last in lasts]
        first = self._csv[0]
        contents = TableContents(pl.DataFrame(), [], first.delimiter, first.encoding, types.mark)
        self._summary(contents)
        said = [note(text) for chunks in self._csv for text in chunks.source.notes]
        self.notes += [*dict.fromkeys(said), *notes]

    def _texts(self, chunks: CsvChunks) -> Iterator[pl.DataFrame]:
        """The cells of a CSV as texts, without missing markers."""
        for chunk in chunks.chunks():
            # A missing value of an only column is two quotes: readers skip empty lines.
            data = chunk.with_columns(pl.when(pl.all() != "").then(pl.all())) if chunk.width == 1 else chunk
            yield without_markers(data, self._markers)[0]

    def _look_at_parquet(self) -> None:
        schema: dict[str, Any] = {}
        for file in self.files:
            own, rows = parquet_shape(file)
            schema = schema or own
            self._require_same(file, list(own), list(schema))
            other = [name for name in own if own[name] != schema[name]]
            if other:
                name = other[0]
                raise DataError(
                    f"the column {name!r} holds {own[name]}, and {schema[name]} in {self.files[0].name}",
                    where=str(file),
                    remedy="Write all files of the table with the same types.",
                )
            self.rows.append(rows)
        self.names = list(schema)
        self._require_rows()
        self._summary(TableContents(pl.DataFrame()))
        self.notes += as_text(pl.DataFrame(schema=schema), self._reading.text)[1]

    def _summary(self, contents: TableContents) -> None:
        several = "" if len(self.files) == 1 else f"{len(self.files):,} files: "
        self.notes.append(note(several + summary_of(contents, self.format.name, sum(self.rows), len(self.names))))
        unused = self._reading.for_format(self.format)[1]
        if unused:
            self.notes.append(note(f"reading options that this format does not use: {', '.join(unused)}"))

    def _require_same(self, file: Path, names: list[str], expected: list[str]) -> None:
        """All files of a table have the same columns, in the same order."""
        if names == expected:
            return
        own, others = set(names), set(expected)
        missing, more = sorted(others - own), sorted(own - others)
        parts = [f"has no column {some_of(list(map(repr, missing)))}"] if missing else []
        parts += [f"has more columns: {some_of(list(map(repr, more)))}"] if more else []
        raise DataError(
            f"it {' and '.join(parts) or 'has its columns in another order'}, compared with {self.files[0].name}",
            where=str(file),
            remedy="All files of a table must have the same columns in the same order.",
        )

    def _require_rows(self) -> None:
        if not sum(self.rows):
            raise DataError("there are no records in it", where=str(self.path), remedy="Check how it was written.")

    def _finish(self) -> None:
        absent = [name for name in self._reading.text if name not in self.names]
        if absent:
            raise DataError(
                f"no column {some_of([repr(name) for name in absent])} to read as text",
                where=str(self.path),
                remedy=f"{did_you_mean(absent[0], self.names)}Correct the names of reading.text (--text).",
            )
        for place, rows in enumerate(self.rows):
            if rows:
                last = self._lasts[place] if self.format.text else parquet_last(self.files[place])
                self.notes += total_row_note(last, rows, partial(self._chunks_of, place))
        for read in self.input:
            read.require_unchanged()


def _one_format(files: Iterable[Path]) -> Format:
    """The format of all files; an error if it is not read in chunks."""
    formats: dict[str, Path] = {}
    for file in files:
        formats.setdefault(format_of(file).name, file)
    name, file = next(iter(formats.items()))
    if len(formats) > 1:
        raise DataError(
            f"the files have different formats: {', '.join(formats)}",
            where=str(file.parent),
            remedy="Put the files of one table into a folder of their own, or give a pattern such as 'data/*.csv'.",
        )
    if name not in FORMATS:
        raise DataError(
            f"{format_of(file).title} files are not read in chunks",
            where=str(file),
            remedy="Save the table as CSV or Parquet, or use the engine in memory.",
        )
    return format_of(file)
