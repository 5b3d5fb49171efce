"""Atomic writing of tables that read back unchanged."""

from __future__ import annotations

import codecs
import gzip
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

import polars as pl

from ontomask.arguments import as_path, is_text_encoding, one_of
from ontomask.errors import DataError, Keyword, OntomaskWarning, OptionError
from ontomask.files.source import DELIMITERS
from ontomask.files.writing import checked_target, whole_file
from ontomask.microdata import stat_files
from ontomask.microdata.dtypes import is_text, only_what_cells_show
from ontomask.microdata.excel_files import check_excel, write_excel
from ontomask.microdata.formulas import escaped, formula_note
from ontomask.microdata.frames import NativeFrame
from ontomask.microdata.reading import SUFFIXES, format_of

#: Suffix -> format, of those that can be written.
_SUFFIXES = {suffix: format for suffix, format in SUFFIXES.items() if format != "sas7bdat"}
FORMATS = tuple(dict.fromkeys(_SUFFIXES.values()))
#: Rows that are turned into another encoding at a time.
_BLOCK = 100_000


def write_table(
    frame: Any,
    path: str | Path,
    *,
    format: str | None = None,
    overwrite: bool = False,
    delimiter: str | None = None,
    encoding: str = "utf-8",
    decimal: str = ".",
    source: str | Path | None = None,
    private: bool = False,
    escape_formulas: bool = False,
    check: Callable[[Path, str], None] | None = None,
) -> Path:
    """Write a pandas, Polars or PyArrow frame to a file, whole or not at all.

    Parameters
    ----------
    frame : DataFrame
        What to write.
    path : path
        The file; its suffix chooses the format.
    format : str, optional
        The format, where the suffix does not tell it.
    overwrite : bool, default False
        Replace a file that exists.
    delimiter : str, optional
        For CSV (default: comma, or tab for .tsv).
    encoding : str, default 'utf-8'
        For CSV.
    decimal : str, default '.'
        For CSV.
    source : path, optional
        The file the data came from, which is never replaced.
    private : bool, default False
        Only the owner can read the file.
    escape_formulas : bool, default False
        Put a single quote before cells of a CSV that a spreadsheet would run as formulas.
    check : callable, optional
        ``check(file, format)`` looks at the finished file before it appears; what it raises refuses the file.

    Returns
    -------
    Path
        The file.

    Warns
    -----
    OntomaskWarning
        Of cells that a spreadsheet would run as formulas, and of a pandas index other than 0..n-1, which is not written.

    Notes
    -----
    Until the file is complete only its owner can read it. Zeros are written without a sign, and lists of categories
    without those that no record has.
    """
    target = as_path(path)
    chosen = _chosen(target, format)
    separator = delimiter or ("\t" if chosen == "tsv" else ",")
    _check_options(chosen, separator, encoding, decimal)
    taken = NativeFrame.of(frame, may_be_empty=True)
    for note in taken.notes:
        warnings.warn(str(note), OntomaskWarning, stacklevel=2)
    target = checked_target(target, overwrite, source)
    plain = only_what_cells_show(taken.data)
    data = _for_spreadsheets(plain, chosen, target, escape_formulas, told=not private)
    with whole_file(target, int(taken.data.estimated_size()), private=private) as part:
        if chosen in ("csv", "tsv"):
            _write_csv(data, part, target, separator, encoding, decimal)
        elif chosen == "parquet":
            with part.open("wb") as stream:
                plain.write_parquet(stream)
        elif chosen == "excel":
            check_excel(plain, str(target))
            write_excel(plain, part)
        else:
            stat_files.write_stat(plain, part, chosen, str(target))
        if check is not None:
            check(part, chosen)
    return as_path(path)


# ---- before -----------------------------------------------------------------------------------------------------


def _chosen(target: Path, format: str | None) -> str:
    if format is None:
        return format_of(target, _SUFFIXES)
    one_of(format, FORMATS, "format to write")
    return format


def _for_spreadsheets(data: pl.DataFrame, chosen: str, target: Path, escape: bool, *, told: bool) -> pl.DataFrame:
    """The data for a CSV, with a quote before what would be a formula, or else a warning. Other formats have types."""
    if chosen not in ("csv", "tsv"):
        if escape:
            raise OptionError(
                (Keyword("escape_formulas", "True"), " is for CSV files"),
                remedy=f"Leave it out: text is text in the format {chosen!r}.",
            )
        return data
    if escape:
        return escaped(data, str(target))
    for note in formula_note(data) if told else ():
        warnings.warn(str(note), OntomaskWarning, stacklevel=3)
    return data


def _check_options(chosen: str, delimiter: str, encoding: str, decimal: str) -> None:
    one_of(delimiter, tuple(DELIMITERS), "delimiter")
    one_of(decimal, (".", ","), "decimal mark")
    if not is_text_encoding(encoding):
        raise OptionError(f"no encoding {encoding!r}", remedy="Try 'utf-8', 'utf-8-sig' or 'cp1252'.")
    if chosen in ("csv", "tsv"):
        if decimal == delimiter:
            raise OptionError("the comma cannot be both decimal mark and delimiter", remedy="Give delimiter=';'.")
    elif (encoding, decimal) != ("utf-8", ".") or delimiter != ",":
        raise OptionError(
            "delimiter, encoding and decimal are for CSV files", remedy=f"Leave them out for the format {chosen!r}."
        )


def suffix_of(format: str) -> str:
    """The suffix of the files of a format."""
    one_of(format, FORMATS, "format to write")
    return next(suffix for suffix, known in _SUFFIXES.items() if known == format)


# ---- CSV --------------------------------------------------------------------------------------------------------


def _write_csv(data: pl.DataFrame, part: Path, target: Path, delimiter: str, encoding: str, decimal: str) -> None:
    """Null is an empty cell, an empty text two quotes.

    In a table of one column an empty cell would be an empty line, which most readers skip: there null is two quotes.
    """
    for column in data.iter_columns():
        _check_csv(column, str(target))
    layout: dict[str, Any] = {"separator": delimiter, "decimal_comma": decimal == ","}
    if data.width == 1:
        _check_only_column(data.to_series(), str(target))
        layout["null_value"] = '""'
        if _has_blank_texts(data.to_series()):
            layout["quote_style"] = "non_numeric"  # a line of blanks is an empty line to some readers
    with part.open("wb") as raw, _packed(raw, target) as stream:
        if codecs.lookup(encoding).name == "utf-8":
            data.write_csv(stream, **layout)
            return
        encode = codecs.getincrementalencoder(encoding)().encode
        for start in range(0, max(data.height, 1), _BLOCK):
            block = data.slice(start, _BLOCK)
            text = block.write_csv(include_header=start == 0, **layout)
            try:
                stream.write(encode(text))
            except UnicodeEncodeError as problem:
                raise _unwritable(block, problem, encoding, target) from None


@contextmanager
def _packed(raw: BinaryIO, target: Path) -> Iterator[BinaryIO]:
    if not target.name.lower().endswith(".gz"):
        yield raw
        return
    with gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0) as stream:
        yield cast("BinaryIO", stream)


def _check_csv(column: pl.Series, where: str) -> None:
    """Refuse what would not read back as what it is."""
    problem = None
    if not column.name.strip():
        problem = "a column without a name"
    elif column.dtype.is_float() and (column.is_nan().any() or column.is_infinite().any()):
        problem = "NaN and infinite numbers"
    elif isinstance(column.dtype, pl.Binary):
        problem = "columns of type Binary"
    elif isinstance(column.dtype, pl.String) and column.str.contains("\0", literal=True).any():
        problem = "texts with a zero byte"
    if problem:
        raise DataError(
            f"{problem} cannot be written as CSV",
            where=f"{where}, column {column.name!r}",
            remedy="Replace them, by null for instance, or write Parquet.",
        )


def _has_blank_texts(column: pl.Series) -> bool:
    return is_text(column.dtype) and bool((column.cast(pl.String).str.strip_chars() == "").any())


def _check_only_column(column: pl.Series, where: str) -> None:
    """Refuse empty texts, which would come back as missing values."""
    if is_text(column.dtype) and (column.cast(pl.String) == "").any():
        raise DataError(
            "empty texts and missing values look the same in a CSV of one column",
            where=f"{where}, column {column.name!r}",
            remedy="Replace the empty texts, or write Parquet.",
        )


def _unwritable(block: pl.DataFrame, problem: UnicodeEncodeError, encoding: str, target: Path) -> DataError:
    character = problem.object[problem.start]
    column = next(
        (
            name
            for name in block.columns
            if character in name or block[name].cast(pl.String).str.contains(character, literal=True).any()
        ),
        "",
    )
    return DataError(
        f"the character {character!r} cannot be written in {encoding}",
        where=f"{target}, column {column!r}",
        remedy="Choose encoding='utf-8', or 'utf-8-sig' for Excel.",
    )
