"""Reading data files: CSV, Parquet, Excel, SPSS, Stata, SAS; what was detected is reported."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from ontomask.arguments import as_path, did_you_mean, one_of, some_of
from ontomask.errors import DataError, OptionError
from ontomask.files.regular_files import free_memory, kind_of, open_regular
from ontomask.fork_safety import require_threads
from ontomask.microdata import stat_files
from ontomask.microdata.csv_files import read_csv
from ontomask.microdata.csv_types import typed
from ontomask.microdata.excel_files import read_excel
from ontomask.microdata.missing_markers import marker_note, without_markers
from ontomask.statements import Statement, note

#: Suffix -> format. The first three may be packed: .csv.gz.
SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".txt": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".xlsx": "excel",
    ".sav": "sav",
    ".zsav": "zsav",
    ".dta": "dta",
    ".sas7bdat": "sas7bdat",
    ".xpt": "xpt",
}
FORMATS = tuple(dict.fromkeys(SUFFIXES.values()))
_DELIMITER_NAMES = {"\t": "tab", " ": "blank"}
_DECIMAL_NAMES = {".": "decimal point", ",": "decimal comma"}


@dataclass(repr=False)
class TableFile:
    """A file that was read: ``data``, and how. ``notes`` say what the user should know.

    ``delimiter`` and ``decimal`` are of CSV files only, ``sheet`` of Excel's; ``encoding`` of all text formats.
    """

    data: pl.DataFrame
    path: Path
    format: str
    delimiter: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    sheet: str | None = None
    notes: list[Statement] = field(default_factory=list)

    def summary(self) -> str:
        """What was detected, in words: ``CSV, delimiter ";", encoding cp1252, decimal comma; 30,162 rows, 9 columns``."""
        how = [format_name(self.format)]
        if self.delimiter is not None:
            named = _DELIMITER_NAMES.get(self.delimiter)
            how.append(f"delimiter {named}" if named else f'delimiter "{self.delimiter}"')
        if self.sheet is not None:
            how.append(f'sheet "{self.sheet}"')
        if self.encoding is not None:
            how.append(f"encoding {self.encoding}")
        if self.decimal is not None:
            how.append(_DECIMAL_NAMES[self.decimal])
        rows, columns = self.data.shape
        size = f"{rows:,} {'row' if rows == 1 else 'rows'}, {columns:,} {'column' if columns == 1 else 'columns'}"
        return f"{', '.join(how)}; {size}"

    def __repr__(self) -> str:
        return self.summary()


class Codes(frozenset[str]):
    """Columns that hold codes wherever they occur: a file need not have them."""


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
    missing: Collection[str] = (),
) -> TableFile:
    """Read a table. What is not given is detected; nothing is converted that does not survive unchanged.

    Parameters
    ----------
    path : path
        The file: CSV, Parquet, Excel, SPSS, Stata, SAS and others (docs/files.md).
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
        Columns of a CSV that hold codes and must not be taken for numbers.
    missing : collection of str, optional
        Texts that mean a missing value, such as ``"NA"``; blanks around a value do not count.

    Returns
    -------
    TableFile
        ``data``, a Polars frame, and how the file was read.
    """
    require_threads()
    file = as_path(path)
    require_file(file)
    chosen = _format(file, format)
    codes = text
    if isinstance(text, Codes) and chosen not in ("csv", "tsv"):
        text = ()  # other formats know what is text
    options: dict[str, object] = {"delimiter": delimiter, "decimal": decimal, "text": text, "missing": missing}
    options |= {"encoding": encoding, "sheet": sheet, "labels": labels}
    _check_options(chosen, options)
    if chosen in ("csv", "tsv"):
        table = _read_csv(file, chosen, delimiter, encoding, decimal, text, missing)
    elif chosen == "parquet":
        table = TableFile(_read_parquet(file), file, chosen)
    elif chosen == "excel":
        data, name, notes = read_excel(file, sheet)
        table = TableFile(data, file, chosen, sheet=name, notes=notes)
    else:
        data, found, notes = stat_files.read_stat(file, chosen, encoding=encoding, labels=labels)
        table = TableFile(data, file, chosen, encoding=found, notes=notes)
    if missing and chosen not in ("csv", "tsv"):
        _mark_missing(table, missing, codes)
    if not table.data.height or not table.data.width:
        raise DataError("there are no records in it", where=str(file), remedy="Check how the file was written.")
    table.notes += total_row_note(table.data)
    return table


def _read_csv(
    file: Path,
    chosen: str,
    delimiter: str | None,
    encoding: str | None,
    decimal: str | None,
    text: Collection[str],
    missing: Collection[str],
) -> TableFile:
    raw = read_csv(file, delimiter=delimiter or ("\t" if chosen == "tsv" else None), encoding=encoding)
    unknown = [repr(name) for name in text if name not in raw.data.columns]
    if unknown and not isinstance(text, Codes):
        raise DataError(f"no column {some_of(unknown)}", where=str(file), remedy="Correct the names given as text=.")
    if raw.data.width == 1:  # a missing value of an only column is two quotes: readers skip empty lines
        raw.data = raw.data.with_columns(pl.when(pl.all() != "").then(pl.all()))
    data, found = without_markers(raw.data, missing)
    raw.notes += marker_note(raw.data, data, found)
    data, mark, notes = typed(data, delimiter=raw.delimiter, decimal=decimal, text=text)
    return TableFile(data, file, chosen, raw.delimiter, raw.encoding, mark, notes=raw.notes + notes)


def _mark_missing(table: TableFile, missing: Collection[str], codes: Collection[str]) -> None:
    """Nulls for the markers. Where nothing but numbers is left of a column of a sheet, it holds numbers."""
    data, found = without_markers(table.data, missing)
    table.notes += marker_note(table.data, data, found)
    mixed = [name for name in found if data.schema[name] == pl.String and name not in codes]
    if table.format == "excel" and mixed:
        numbers, _, notes = typed(data.select(mixed), delimiter=",", decimal=".")
        data = data.with_columns(numbers.iter_columns())
        table.notes += notes
    table.data = data


def _read_parquet(file: Path) -> pl.DataFrame:
    with parquet_errors(file):
        require_parquet_fits(file)
        with open_regular(file) as stream:
            return pl.read_parquet(stream)


@contextmanager
def parquet_errors(file: Path) -> Iterator[None]:
    """What goes wrong while a Parquet file is read, as an error of ours."""
    try:
        yield
    except (pl.exceptions.PolarsError, OSError) as problem:
        raise DataError(
            f"the file cannot be read as Parquet ({type(problem).__name__})",
            where=str(file),
            remedy="Check that it is whole and really a Parquet file.",
        ) from problem


def require_parquet_fits(file: Path, names: Collection[str] | None = None) -> None:
    """An error if the rows that a Parquet file declares cannot fit into memory: few bytes can stand for very many."""
    with open_regular(file) as stream:
        schema = pl.read_parquet_schema(stream)
        stream.seek(0)
        rows = int(pl.scan_parquet(stream, glob=False).select(pl.len()).collect().item())
    needed = rows * sum(_width(dtype) for name, dtype in schema.items() if names is None or name in names)
    if needed > free_memory():
        raise DataError(
            f"{rows:,} rows need at least {needed / 1e9:,.1f} GB, and less memory is free",
            where=str(file),
            remedy="Read fewer columns or a sample of the rows, or use a machine with more memory.",
        )


def _width(dtype: pl.DataType) -> float:
    """The bytes that a value takes at least."""
    if isinstance(dtype, pl.Boolean):
        return 1 / 8
    if isinstance(dtype, pl.Int8 | pl.UInt8):
        return 1
    if isinstance(dtype, pl.Int16 | pl.UInt16):
        return 2
    if isinstance(dtype, pl.Int32 | pl.UInt32 | pl.Float32 | pl.Date | pl.Categorical | pl.Enum):
        return 4
    return 16 if isinstance(dtype, pl.String | pl.Binary) else 8


def require_file(file: Path) -> None:
    """An error unless there is a file with something in it."""
    if file.is_dir():
        raise DataError("this is a folder", where=str(file), remedy="Name a file in it.")
    kind = kind_of(file)
    if kind is not None:
        raise DataError(f"it is {kind}, not a file", where=str(file), remedy="Save its contents as a file first.")
    if not file.is_file():
        near = did_you_mean(file.name, [p.name for p in file.parent.iterdir()]) if file.parent.is_dir() else ""
        raise DataError("no such file", where=str(file), remedy=f"{near}Check the path.")
    if not file.stat().st_size:
        raise DataError("the file is empty", where=str(file), remedy="Check how it was written.")


def _format(file: Path, format: str | None) -> str:
    if format is not None:
        one_of(format, FORMATS, "format")
        return format
    return format_of(file, SUFFIXES)


def format_of(file: Path, suffixes: dict[str, str]) -> str:
    """The format a file name tells."""
    name = file.name.lower()
    packed = name.endswith(".gz")
    suffix = Path(name.removesuffix(".gz")).suffix
    found = suffixes.get(suffix)
    if found is None or (packed and found not in ("csv", "tsv")):
        shown = f"{suffix}.gz" if packed else suffix
        hint = "Save it as .xlsx. " if suffix in (".xls", ".xlsb", ".ods") else ""
        raise OptionError(
            f"the suffix {shown!r} of {file.name!r} is not of a known format",
            remedy=f"{hint}Known suffixes: {', '.join(suffixes)} (.csv, .tsv and .txt also with .gz).",
        )
    return found


def _check_options(chosen: str, options: dict[str, object]) -> None:
    """An option that the format does not have is an error, not something to pass over."""
    takes = {"csv": ("delimiter", "decimal", "text", "missing", "encoding"), "excel": ("sheet", "missing")}
    takes |= {"tsv": takes["csv"], "parquet": ("missing",)}
    fits = takes.get(chosen, ("encoding", "labels", "missing"))
    for name, value in options.items():
        if name in ("text", "missing") and isinstance(value, str):
            raise OptionError(f"{name}={value!r} is one text", remedy=f"Give a list: {name}=[{value!r}].")
        if value and name not in fits:
            raise OptionError(
                f"{name}= has no effect on {format_name(chosen)} files",
                remedy=f"Leave it out; they take: {', '.join(fits) or 'none'}.",
            )
    if options["decimal"] is not None:
        one_of(options["decimal"], (".", ","), "decimal mark")


def format_name(format: str) -> str:
    """What a format is called."""
    known = {"csv": "CSV", "tsv": "TSV", "parquet": "Parquet", "excel": "Excel"}
    return known.get(format) or stat_files.FORMATS[format][0]


#: What stands in such a row, in five languages; letters in small.
_WORDS = frozenset(
    (
        "total|totals|total general|grand total|subtotal|sum|sums|overall|average|mean|summe|gesamt|gesamtsumme|insgesamt|"
        "mittelwert|durchschnitt|suma|suma total|media|promedio|mitjana|somme|totaux|moyenne"
    ).split("|")
)

#: In fewer rows, a last one that differs says nothing.
_FEW_ROWS = 10


def total_row_note(data: pl.DataFrame) -> list[Statement]:
    """What to say of the last row if it seems to be no record: a word for a total, or hardly a value in full columns."""
    if data.height < _FEW_ROWS or data.width < 2:
        return []
    last = data.row(data.height - 1)
    said = any(_says_total(cell) and _once(data[name], cell) for name, cell in zip(data.columns, last, strict=True))
    empty = [
        name for name, cell in zip(data.columns, last, strict=True) if cell is None and data[name].null_count() == 1
    ]
    if not said and len(empty) < max(2, data.width / 2):
        return []
    seems = "the last row looks like totals or a remark, not like a record"
    return [
        note(f"{seems}: if it is not a record, remove it from the file, or it will be masked and released as a record")
    ]


def _says_total(cell: object) -> bool:
    return isinstance(cell, str) and cell.strip().rstrip(":").strip().casefold() in _WORDS


def _once(column: pl.Series, cell: object) -> bool:
    return int((column.cast(pl.String) == str(cell)).sum()) == 1
