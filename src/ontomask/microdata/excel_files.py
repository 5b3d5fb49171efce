"""Excel workbooks (.xlsx): one sheet, its first row naming the columns.

Excel knows numbers (64-bit floats), text, truth values and dates. A number is not text there: 007 typed into a cell is
7 before any program can read it.

What is released is the file, not the table: a workbook may have another sheet, hidden or not, a pivot table the data it
was made from, and a cell with 5 beside one with the text 5 are two cells that a reader takes for one.
"""

from __future__ import annotations

import datetime
import logging
import re
import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path, PurePosixPath
from typing import Any
from xml.parsers import expat

import polars as pl

from ontomask.arguments import short, some_of
from ontomask.errors import DataError
from ontomask.files.extras import load_extra
from ontomask.files.regular_files import open_regular
from ontomask.microdata.file_contents import ExtraContents, TableContents
from ontomask.microdata.workbook_size import column_number, require_reasonable_workbook
from ontomask.statements import note

_MOST_ROWS, _MOST_COLUMNS, _LONGEST_TEXT = 1_048_576, 16_384, 32_767
#: The largest integer up to which a 64-bit float holds every one.
EXACT = 2**53
#: The time of writing in every workbook.
WRITTEN = datetime.datetime(2000, 1, 1)


# ---- reading ----------------------------------------------------------------------------------------------------


def read_excel(path: Path, *, sheet: str | int | None) -> TableContents:
    """One sheet. ``sheet``: a name, or a number counted from 1; else the first."""
    fastexcel = load_extra("fastexcel", "reading Excel files")
    # It logs columns without values to standard error; here they are nulls and nothing to tell.
    logging.getLogger("fastexcel").addHandler(logging.NullHandler())
    require_reasonable_workbook(path)
    try:
        book = fastexcel.read_excel(path)
    except fastexcel.FastExcelError:
        raise DataError(
            "the file is not an Excel workbook, or protected by a password",
            where=str(path),
            remedy="Save it again as .xlsx without a password, or as CSV.",
        ) from None
    name = chosen_sheet(path, book.sheet_names, sheet)
    notes = []
    if sheet is None and len(book.sheet_names) > 1:
        others = some_of([repr(other) for other in book.sheet_names if other != name])
        notes.append(note(f"read from the sheet {name!r}; not read: {others}"))
    header = _header(path, name, book, named=sheet is not None)
    if sheet is None:
        _refuse_alike(path, name, header, book)
    data, mixed = _cells(fastexcel, book, name)
    if mixed:
        notes.append(note("a column with numbers and text in it was read as text"))
    data.columns = header
    filled = data.filter(~pl.all_horizontal(pl.all().is_null()))
    if filled.height < data.height:
        notes.append(note(f"{data.height - filled.height:,} empty rows left out"))
    data = pl.DataFrame([_whole_days(whole_numbers(c)) for c in filled.iter_columns()])
    return TableContents(data, notes, sheet=name)


def chosen_sheet(path: Path, names: list[str], sheet: str | int | None) -> str:
    """The name of the sheet that is read."""
    if sheet is None and names:
        return names[0]
    if isinstance(sheet, int) and not isinstance(sheet, bool) and 1 <= sheet <= len(names):
        return names[sheet - 1]
    if str(sheet) in names:
        return str(sheet)
    if isinstance(sheet, str) and sheet.isdecimal() and 1 <= int(sheet) <= len(names):
        return names[int(sheet) - 1]
    raise DataError(
        f"the workbook has no sheet {sheet!r}",
        where=str(path),
        remedy=f"It has: {some_of([repr(n) for n in names], 10)}.",
    )


def _header(path: Path, sheet: str, book: Any, *, named: bool) -> list[str]:
    where = f"{path}, sheet {sheet!r}"
    others = [repr(other) for other in book.sheet_names if other != sheet]
    also = "" if named or not others else f" Or name another sheet (--sheet): there are {some_of(others, 10)} as well."
    first = book.load_sheet(sheet, header_row=None, n_rows=1, dtypes="string").to_polars()
    if not first.height:
        raise DataError("the sheet is empty", where=where, remedy=f"Name another one with sheet= (--sheet).{also}")
    header = ["" if name is None else str(name) for name in first.row(0)]
    nameless = [str(at) for at, name in enumerate(header, start=1) if not name.strip()]
    if nameless:
        raise DataError(
            f"the first row names no column at place {some_of(nameless)} of {len(header)}",
            where=where,
            remedy=f"The first row must name every column; remove titles above it and notes beside the table.{also}",
        )
    twice = [name for name, count in Counter(header).items() if count > 1]
    if twice:
        raise DataError(
            f"several columns are called {some_of([short(repr(name), 40) for name in twice])}",
            where=where,
            remedy="Rename all but one.",
        )
    return header


def _refuse_alike(path: Path, sheet: str, header: list[str], book: Any) -> None:
    """An error where another sheet has the same columns: the records may be spread over both."""
    for other in book.sheet_names:
        if other == sheet:
            continue
        first = book.load_sheet(other, header_row=None, n_rows=1, dtypes="string").to_polars()
        if first.height and list(map(str, first.row(0))) == header:
            raise DataError(
                f"the sheets {sheet!r} and {other!r} have the same columns",
                where=str(path),
                remedy=f"Say which to read: sheet={sheet!r} (--sheet), or put all records into one sheet. "
                f"The workbook has: {some_of([repr(n) for n in book.sheet_names], 10)}.",
            )


def _cells(fastexcel: Any, book: Any, sheet: str) -> tuple[pl.DataFrame, bool]:
    """The cells below the header, and whether a column mixes numbers and text."""
    try:
        return book.load_sheet(sheet, schema_sample_rows=None, dtype_coercion="strict").to_polars(), False
    except fastexcel.FastExcelError:
        return book.load_sheet(sheet, schema_sample_rows=None).to_polars(), True


def whole_numbers(column: pl.Series) -> pl.Series:
    """Floats that are all whole as integers: these formats know no others."""
    if not column.dtype.is_float() or not column.count():
        return column
    present = column.drop_nulls()
    if not (present.is_finite() & (present.abs() <= EXACT) & (present == present.round())).all():
        return column
    return column.cast(pl.Int64)


def _whole_days(column: pl.Series) -> pl.Series:
    """Moments that are all midnights as dates: Excel knows no difference."""
    if isinstance(column.dtype, pl.Datetime) and (column.dt.time() == datetime.time()).all():
        return column.cast(pl.Date)
    return column


# ---- writing ----------------------------------------------------------------------------------------------------


def _check(data: pl.DataFrame, where: str) -> None:
    """Refuse what a sheet cannot hold; it would be cut off or rounded without a word."""
    if data.height >= _MOST_ROWS or data.width > _MOST_COLUMNS:
        raise DataError(
            f"{data.height:,} rows and {data.width:,} columns do not fit into an Excel sheet",
            where=where,
            remedy="Write CSV or Parquet.",
        )
    for column in data.iter_columns():
        problem = _problem(column)
        if problem:
            raise DataError(problem, where=f"{where}, column {column.name!r}", remedy="Write CSV or Parquet.")


def _problem(column: pl.Series) -> str | None:
    dtype = column.dtype
    if isinstance(dtype, pl.String) and (column.str.len_chars() > _LONGEST_TEXT).any():
        return f"texts of more than {_LONGEST_TEXT:,} characters do not fit into an Excel cell"
    if dtype.is_integer() and ((column > EXACT) | (column < -EXACT)).any():
        return "integers of more than 15 digits would be rounded in Excel"
    if dtype.is_float() and not column.drop_nulls().is_finite().all():
        return "NaN and infinite numbers cannot be stored in Excel"
    if isinstance(dtype, pl.Date | pl.Datetime) and (column.dt.year() < 1900).any():
        return "dates before 1900 cannot be stored in Excel"
    if isinstance(dtype, pl.Datetime) and dtype.time_zone is not None:
        return "times with a time zone cannot be stored in Excel"
    if isinstance(dtype, pl.Datetime) and (column.dt.nanosecond() % 1_000_000 != 0).any():
        return "times finer than a millisecond would be rounded in Excel"
    if isinstance(dtype, pl.Binary | pl.Duration):
        return f"columns of type {dtype} cannot be stored in Excel"
    return None


def write_excel(data: pl.DataFrame, path: Path, *, target: Path) -> None:
    """One sheet called data; text stays text, also where it looks like a formula or a link."""
    _check(data, str(target))
    xlsxwriter = load_extra("xlsxwriter", "writing Excel files")
    # In memory: no copies of the records in the system's temporary folder.
    book = xlsxwriter.Workbook(str(path), {"in_memory": True})
    book.set_properties({"created": WRITTEN})  # the same table gives the same bytes, and says nothing of when
    sheet = book.add_worksheet("data")
    formats = {
        pl.Date: book.add_format({"num_format": "yyyy-mm-dd"}),
        pl.Datetime: book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"}),
        pl.Time: book.add_format({"num_format": "hh:mm:ss"}),
    }
    for at, column in enumerate(data.iter_columns()):
        sheet.write_string(0, at, column.name)
        form = formats.get(type(column.dtype))
        for row, value in enumerate(column.to_list(), start=1):
            if value is None:
                continue
            if isinstance(value, str):
                sheet.write_string(row, at, value)
            elif isinstance(value, bool):
                sheet.write_boolean(row, at, value)
            elif isinstance(value, datetime.date | datetime.time):
                sheet.write_datetime(row, at, value, form)
            else:
                sheet.write_number(row, at, value)
    book.close()


# ---- what else it holds --------------------------------------------------------------------------------------------

#: Parts of a workbook that hold the sheets, how they look, and nothing else.
_PLAIN = re.compile(
    r"\[Content_Types\]\.xml|(?:.*/)?_rels/[^/]*\.rels|docProps/(?:app|core)\.xml|xl/(?:workbook|styles|sharedStrings|"
    r"calcChain|metadata)\.xml|xl/(?:worksheets|theme|printerSettings|tables)/[^/]+\.(?:xml|bin)"
)
_KINDS = {"s": "text", "str": "text", "inlineStr": "text", "b": "truth values", "e": "errors", "d": "dates"}
_BLOCK = 1 << 20


def beside_excel(path: Path, columns: Sequence[str], *, sheet: str | int | None, **_: Any) -> ExtraContents:
    """Other sheets, parts that are not sheets, and columns whose cells have several types."""
    try:
        return _in_workbook(path, columns, sheet)
    except (KeyError, ValueError, RuntimeError, zipfile.BadZipFile, expat.ExpatError):
        return ExtraContents(parts=["a workbook with an unusual structure"])


def _in_workbook(path: Path, columns: Sequence[str], sheet: str | int | None) -> ExtraContents:
    found = ExtraContents()
    with open_regular(path) as stream, zipfile.ZipFile(stream) as archive:
        names = archive.namelist()
        found.parts += [
            short(repr(name), 60) for name in names if not _PLAIN.fullmatch(name) and not name.endswith("/")
        ]
        if archive.comment or min(entry.header_offset for entry in archive.infolist()):
            found.parts.append("bytes before or after the archive")
        sheets, named = _sheets(archive)
        found.parts += ["named values"] if named else []
        chosen = chosen_sheet(path, list(sheets), sheet)
        for name, part in sheets.items():
            first, kinds = _cell_kinds(archive, part) if part in names else (0, {})
            if name != chosen and kinds:
                found.tables.append(f"the sheet {short(repr(name), 40)}")
            elif name == chosen:
                mixed = {place - first: kind for place, kind in kinds.items() if len(kind) > 1 or kind == {"errors"}}
                found.blurred |= {
                    columns[place]: f"its cells are {' and '.join(sorted(kind))}"
                    for place, kind in mixed.items()
                    if place < len(columns)
                }
    return found


def _sheets(archive: zipfile.ZipFile) -> tuple[dict[str, str], bool]:
    """The part of each sheet by its name, in their order; and whether the workbook names values of its own."""
    order: list[tuple[str, str]] = []
    targets: dict[str, str] = {}
    named = False

    def of_workbook(kind: str, given: dict[str, str]) -> None:
        nonlocal named
        if kind == "sheet":
            link = next((value for key, value in given.items() if key.rpartition(":")[2] == "id"), "")
            order.append((given.get("name", ""), link))
        named = named or (kind == "definedName" and not given.get("name", "").startswith("_xlnm."))

    def of_links(kind: str, given: dict[str, str]) -> None:
        if kind == "Relationship":
            target = given.get("Target", "")
            targets[given.get("Id", "")] = target[1:] if target.startswith("/") else str(PurePosixPath("xl") / target)

    _walk(archive, "xl/workbook.xml", of_workbook)
    _walk(archive, "xl/_rels/workbook.xml.rels", of_links)
    return {name: targets.get(link, "") for name, link in order}, named


def _cell_kinds(archive: zipfile.ZipFile, part: str) -> tuple[int, dict[int, set[str]]]:
    """The first column of a sheet, and which kinds of cells each column has below the first row that has any."""
    kinds: dict[int, set[str]] = defaultdict(set)
    row = column = top = 0
    kind = ""

    def start(name: str, given: dict[str, str]) -> None:
        nonlocal row, column, kind, top
        if name == "row":
            row, column = int(given.get("r", row + 1)), 0
        elif name == "c":
            placed = re.fullmatch(r"([A-Z]{1,3})([0-9]+)", given.get("r", ""))
            column = column_number(placed[1].encode()) if placed else column + 1
            kind = _KINDS.get(given.get("t", ""), "numbers")
        elif name in ("v", "is"):
            top = top or row
            kinds[column] |= {kind} if row > top else set()

    _walk(archive, part, start)
    return min(kinds, default=0), dict(kinds)


def _walk(archive: zipfile.ZipFile, part: str, start: Callable[[str, dict[str, str]], None]) -> None:
    """Go through the elements of a part; the reader of the table has seen that the archive is sound."""
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda name, given: start(name.rpartition(":")[2], given)
    with archive.open(part) as stream:
        for block in iter(lambda: stream.read(_BLOCK), b""):
            parser.Parse(block)
