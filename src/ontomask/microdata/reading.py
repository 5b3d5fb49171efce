"""Reading data files: CSV, Parquet, Excel, SPSS, Stata, SAS, and tables of databases; what was detected is reported."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from ontomask.arguments import did_you_mean, one_of, some_of
from ontomask.errors import DataError, OptionError
from ontomask.files.regular_files import refuse_special
from ontomask.fork_safety import require_threads
from ontomask.microdata.csv_types import Codes, typed
from ontomask.microdata.dtypes import is_text
from ontomask.microdata.file_contents import TableContents
from ontomask.microdata.formats import FORMATS, Format, chosen_format
from ontomask.microdata.missing_markers import MissingMarkers, marker_note, without_markers
from ontomask.microdata.sql_sources import SqlSource, TableSource, data_source
from ontomask.statements import Statement, note

_DELIMITER_NAMES = {"\t": "tab", " ": "blank"}
_DECIMAL_NAMES = {".": "decimal point", ",": "decimal comma"}


@dataclass(repr=False, kw_only=True)
class TableFile(TableContents):
    """A file that was read: ``data``, and how. ``notes`` say what the user should know.

    ``source`` says where the data came from; ``path`` is the file, where it is one.

    ``delimiter`` and ``decimal`` are of CSV files only, ``sheet`` of Excel's; ``encoding`` of all text formats.
    """

    source: TableSource
    format: str

    @property
    def path(self) -> Path | None:
        return self.source if isinstance(self.source, Path) else None

    def summary(self) -> str:
        """What was detected, in words: ``CSV, delimiter ";", encoding cp1252, decimal comma; 30,162 rows, 9 columns``."""
        return summary_of(self, self.format, *self.data.shape)

    def __repr__(self) -> str:
        return self.summary()


def summary_of(found: TableContents, format: str, rows: int, columns: int) -> str:
    """What was detected of a table of so many rows and columns, in words."""
    how = [FORMATS[format].title]
    if found.delimiter is not None:
        named = _DELIMITER_NAMES.get(found.delimiter)
        how.append(f"delimiter {named}" if named else f'delimiter "{found.delimiter}"')
    if found.sheet is not None:
        how.append(f'sheet "{found.sheet}"')
    if found.encoding is not None:
        how.append(f"encoding {found.encoding}")
    if found.decimal is not None:
        how.append(_DECIMAL_NAMES[found.decimal])
    size = f"{rows:,} {'row' if rows == 1 else 'rows'}, {columns:,} {'column' if columns == 1 else 'columns'}"
    return f"{', '.join(how)}; {size}"


def read_table(
    path: str | Path,
    *,
    format: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    sheet: str | int | None = None,
    labels: bool = False,
    text: Collection[str] = (),
    missing: MissingMarkers | Mapping[str, Collection[str]] | Collection[str] = (),
) -> TableFile:
    """Read a table. What is not given is detected; nothing is converted that does not survive unchanged.

    Parameters
    ----------
    path : path
        The file: CSV, Parquet, Excel, SPSS, Stata, SAS and others; or the text that names a table or a query of a database,
        ``duckdb:hospital.db?table=stays`` or ``postgresql://anna@host/db?query=SELECT ...`` (docs/files.md).
    format : str, optional
        The format, where the name of the file does not tell it.
    delimiter : str, optional
        What separates the columns of a CSV.
    encoding : str, optional
        The encoding of a CSV.
    decimal : str, optional
        The decimal mark of a CSV.
    sheet : str or int, optional
        The name or the number, from 1, of an Excel sheet.
    labels : bool, default False
        Read the value labels of SPSS and Stata files instead of the stored values.
    text : collection of str, optional
        Columns that hold codes and must not be taken for numbers.
    missing : collection of str, or mapping of such, optional
        Texts that mean a missing value, such as ``"NA"``, in all columns or by column; blanks around a value do not count.

    Returns
    -------
    TableFile
        ``data``, a Polars frame, and how the file was read.
    """
    require_threads()
    source = data_source(path)
    require_source(source)
    chosen = chosen_format(source, format)
    where = where_of(source)
    options: dict[str, Any] = {"delimiter": delimiter, "decimal": decimal, "text": text, "missing": missing}
    options |= {"encoding": encoding, "sheet": sheet, "labels": labels}
    _check_options(chosen, options)
    options["missing"] = markers = MissingMarkers.of(missing)
    used = chosen.takes if chosen.text else chosen.options
    contents = chosen.read(source, **{name: options[name] for name in used})
    table = TableFile(source=source, format=chosen.name, **vars(contents))
    unknown = [repr(name) for name in text if name not in table.data.columns]
    if unknown and not isinstance(text, Codes):
        raise DataError(f"no column {some_of(unknown)}", where=where, remedy="Correct the names given as text=.")
    if not chosen.text:
        _mark_missing(table, markers, text)
        take_as_text(table, () if isinstance(text, Codes) else text)
    if not table.data.height or not table.data.width:
        checked = "Check how the file was written." if isinstance(source, Path) else "Check the table or the query."
        raise DataError("there are no records in it", where=where, remedy=checked)
    table.notes += total_row_note(table.data.tail(1), table.data.height, lambda: [table.data])
    return table


def _mark_missing(table: TableFile, missing: MissingMarkers, codes: Collection[str]) -> None:
    """Nulls for the markers. Where nothing but numbers is left of a column of a sheet, it holds numbers."""
    data, found = without_markers(table.data, missing)
    table.notes += marker_note(table.data, data, found)
    mixed = [name for name in found if data.schema[name] == pl.String and name not in codes]
    if FORMATS[table.format].cell_types and mixed:
        numbers, _, notes = typed(data.select(mixed), delimiter=",", decimal=".")
        data = data.with_columns(numbers.iter_columns())
        table.notes += notes
    table.data = data


def take_as_text(table: TableFile, names: Collection[str]) -> None:
    """Whole numbers as text, in the columns that the user says are text; formats with types know the others."""
    table.data, notes = as_text(table.data, names)
    table.notes += notes


def as_text(data: pl.DataFrame, names: Collection[str]) -> tuple[pl.DataFrame, list[Statement]]:
    """The same of a frame, with what should be known of it."""
    notes = []
    for name in names:
        dtype = data.schema.get(name)
        if dtype is None or is_text(dtype):
            continue
        if dtype.is_integer():
            data = data.with_columns(data[name].cast(pl.String))
            notes.append(
                note(f"column {name!r} holds numbers in this file; taken as text (leading zeros are not known)", name)
            )
        else:
            notes.append(note(f"column {name!r} cannot be taken as text: it holds {dtype}", name))
    return data, notes


def where_of(source: TableSource) -> str:
    """The source as messages name it."""
    return str(source) if isinstance(source, Path) else source.place


def require_source(source: TableSource) -> None:
    """An error unless there is a file with something in it; a database on another machine is asked later."""
    file = source.file if isinstance(source, SqlSource) else source
    if file is not None:
        require_file(file)


def require_file(file: Path) -> None:
    """An error unless there is a file with something in it."""
    if file.is_dir():
        raise DataError("this is a folder", where=str(file), remedy="Name a file in it.")
    refuse_special(file, DataError)
    if not file.is_file():
        near = did_you_mean(file.name, [p.name for p in file.parent.iterdir()]) if file.parent.is_dir() else ""
        raise DataError("no such file", where=str(file), remedy=f"{near}Check the path.")
    if not file.stat().st_size:
        raise DataError("the file is empty", where=str(file), remedy="Check how it was written.")


def _check_options(chosen: Format, options: dict[str, Any]) -> None:
    """An option that the format does not have is an error, not something to pass over."""
    for name, value in options.items():
        if name in ("text", "missing") and isinstance(value, str):
            raise OptionError(f"{name}={value!r} is one text", remedy=f"Give a list: {name}=[{value!r}].")
        if value and name not in chosen.takes:
            raise OptionError(
                f"{name}= has no effect on {chosen.title} files",
                remedy=f"Leave it out; they take: {', '.join(chosen.takes)}.",
            )
    if options["decimal"] is not None:
        one_of(options["decimal"], (".", ","), "decimal mark")


#: What stands in such a row, in five languages; letters in small.
_WORDS = frozenset(
    (
        "total|totals|total general|grand total|subtotal|sum|sums|overall|average|mean|summe|gesamt|gesamtsumme|insgesamt|"
        "mittelwert|durchschnitt|suma|suma total|media|promedio|mitjana|somme|totaux|moyenne"
    ).split("|")
)

#: In fewer rows, a last one that differs says nothing.
_FEW_ROWS = 10


def total_row_note(last: pl.DataFrame, rows: int, chunks: Callable[[], Iterable[pl.DataFrame]]) -> list[Statement]:
    """What to say of the ``last`` row if it seems to be no record: a word for a total, or hardly a value in full columns.

    ``chunks`` gives all ``rows``. They are read only where the last row looks odd by itself.
    """
    if rows < _FEW_ROWS or last.width < 2:
        return []
    cells = dict(zip(last.columns, last.row(0), strict=True))
    alike = {name: 0 for name, cell in cells.items() if _says_total(cell)}
    empty = {name: 0 for name, cell in cells.items() if cell is None}
    enough = max(2, last.width / 2)
    if not alike and len(empty) < enough:
        return []
    for chunk in chunks():
        for name in alike:
            alike[name] += int((chunk[name].cast(pl.String) == str(cells[name])).sum())
        for name in empty:
            empty[name] += chunk[name].null_count()
    if 1 not in alike.values() and list(empty.values()).count(1) < enough:
        return []
    seems = "the last row looks like totals or a remark, not like a record"
    return [
        note(f"{seems}: if it is not a record, remove it from the file, or it will be masked and released as a record")
    ]


def _says_total(cell: object) -> bool:
    return isinstance(cell, str) and cell.strip().rstrip(":").strip().casefold() in _WORDS
