"""Files of statistical packages: SPSS (.sav, .zsav), Stata (.dta) and SAS (.sas7bdat, .xpt), by pyreadstat."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from ontomask.arguments import some_of
from ontomask.errors import DataError
from ontomask.files.extras import load_extra
from ontomask.microdata.excel_files import EXACT, whole_numbers
from ontomask.microdata.file_contents import ExtraContents, TableContents
from ontomask.statements import Statement, note

#: Format -> (what it is called, pyreadstat's reader, its writer if there is one).
FORMATS = {
    "sav": ("SPSS", "read_sav", "write_sav"),
    "zsav": ("SPSS", "read_sav", "write_sav"),
    "dta": ("Stata", "read_dta", "write_dta"),
    "sas7bdat": ("SAS", "read_sas7bdat", None),
    "xpt": ("SAS transport", "read_xport", "write_xport"),
}


# ---- reading ----------------------------------------------------------------------------------------------------


def read_stat(path: Path, *, format: str, encoding: str | None = None, labels: bool = False) -> TableContents:
    """Stored values, or with ``labels`` their value labels where there are any."""
    name, reader, _ = FORMATS[format]
    package = load_extra("pyreadstat", f"reading {name} files")
    data, meta = _read(package, path, reader, encoding)
    notes = _missing_note(package, path, format, encoding)
    labelled = {column: found for column, found in meta.variable_value_labels.items() if column in data.columns}
    if labelled and labels:
        data = data.with_columns(_labelled(data[column], found, notes) for column, found in labelled.items())
    elif labelled:
        shown = some_of([repr(column) for column in labelled])
        notes.append(note(f"value labels exist for {shown}; the stored values are read. labels=True reads the labels"))
    # There is no missing text in these formats: an empty one stands for it.
    columns = [c.set(c == "", None) if c.dtype == pl.String else whole_numbers(c) for c in data.iter_columns()]
    return TableContents(pl.DataFrame(columns), notes, encoding=meta.file_encoding)


def _read(package: Any, path: Path, reader: str, encoding: str | None, **options: Any) -> tuple[pl.DataFrame, Any]:
    try:
        data, meta = getattr(package, reader)(str(path), output_format="polars", encoding=encoding, **options)
    except (package.ReadstatError, package.PyreadstatError, UnicodeDecodeError, OverflowError, ValueError) as problem:
        raise DataError(
            f"the file cannot be read ({problem})",
            where=str(path),
            remedy="Check that it is whole and has the right suffix; for garbled text give encoding=.",
        ) from None
    return data, meta


def _missing_note(package: Any, path: Path, format: str, encoding: str | None) -> list[Statement]:
    """Values that the file declares missing are read as nulls, and this is reported."""
    if format == "xpt":  # it has no such declarations
        return []
    if format == "dta":  # .a to .z need no declaration: they are seen in the values alone
        declared = [repr(column) for column in undeclared(path, format, encoding)[0]]
    else:
        _, meta = _read(package, path, FORMATS[format][1], encoding, metadataonly=True, user_missing=True)
        declared = [repr(column) for column in [*meta.missing_ranges, *meta.missing_user_values]]
    return [note(f"values that the file declares missing are null, in {some_of(declared)}")] if declared else []


def beside_stat(path: Path, columns: Sequence[str], *, format: str, encoding: str | None, **_: Any) -> ExtraContents:
    """Notes in the file, and values that it declares missing."""
    hidden, notes = undeclared(path, format, encoding)
    return ExtraContents(
        parts=["notes"] if notes else [],
        blurred=dict.fromkeys(hidden, "values that the file declares missing are read as one"),
    )


def undeclared(path: Path, format: str, encoding: str | None = None) -> tuple[list[str], list[str]]:
    """Columns with values that the file declares missing and that are read as nulls; and the notes in the file."""
    name, reader, _ = FORMATS[format]
    package = load_extra("pyreadstat", f"reading {name} files")
    if format == "xpt":
        return [], []
    data, meta = _read(package, path, reader, encoding)
    stored, _ = _read(package, path, reader, encoding, user_missing=True)
    hidden = [column for column in data.columns if stored[column].null_count() < data[column].null_count()]
    return hidden, list(meta.notes or [])


def stat_size(path: Path, format: str) -> tuple[int, int, float]:
    """Rows, columns, and the bytes that they take in memory at least, by what the head of a file declares.

    0 rows: it does not say. Texts that Stata keeps beside the records, where many of these can name one, are read.
    """
    name, reader, _ = FORMATS[format]
    package = load_extra("pyreadstat", f"reading {name} files")
    _, meta = _read(package, path, reader, None, metadataonly=True)
    rows = max(0, meta.number_rows or 0)
    needed = rows * sum(8 if type != "string" else 16 for type in meta.readstat_variable_types.values())
    beside = [column for column, width in meta.variable_storage_width.items() if not width]
    if beside and format == "dta":
        texts, _ = _read(package, path, reader, None, usecols=beside)
        needed += sum(
            int(column.cast(pl.String).str.len_bytes().cast(pl.Int64).sum()) for column in texts.iter_columns()
        )
    return rows, int(meta.number_columns), float(needed)


def _labelled(column: pl.Series, labels: dict[Any, str], notes: list[Statement]) -> pl.Series:
    """The labels of the values; a value without one as text, and a note that there are some."""
    plain = whole_numbers(column)
    known = {key: str(label) for key, label in labels.items() if isinstance(key, str) == (column.dtype == pl.String)}
    named = column.replace_strict(list(known), list(known.values()), default=None, return_dtype=pl.String)
    without = plain.filter(named.is_null() & plain.is_not_null())
    if column.dtype == pl.String:
        without = without.filter(without != "")
    if len(without):
        notes.append(
            note(
                f"column {column.name!r}: {len(without):,} cells have a value without a label; it stands as text",
                column.name,
            )
        )
    return named.fill_null(plain.cast(pl.String))


# ---- writing ----------------------------------------------------------------------------------------------------


def write_stat(data: pl.DataFrame, path: Path, *, format: str, target: Path) -> None:
    """Write, read back and compare: pyreadstat rounds large integers and misses a full disk without a word."""
    name, reader, writer = FORMATS[format]
    assert writer is not None
    where = str(target)
    package = load_extra("pyreadstat", f"writing {name} files")
    prepared = pl.DataFrame([_storable(c, format, where) for c in data.iter_columns()])
    options: dict[str, Any] = {"compress": True} if format == "zsav" else {}
    try:
        getattr(package, writer)(prepared, str(path), **options)
    except (package.ReadstatError, package.PyreadstatError) as problem:
        if "write data" in str(problem):
            raise OSError(f"{problem}; the disk may be full") from None
        raise DataError(
            f"{name} cannot hold these data ({problem})",
            where=where,
            remedy="Rename columns (letters, digits, _; at most 32 characters), shorten texts, or write CSV.",
        ) from None
    _compare(prepared, package, path, reader, where)


def _storable(column: pl.Series, format: str, where: str) -> pl.Series:
    """A column in a type that the format has; what it has no type for is an error."""
    dtype = column.dtype
    if isinstance(dtype, pl.Categorical | pl.Enum):
        return column.cast(pl.String)
    if isinstance(dtype, pl.Boolean):
        return column.cast(pl.Int32)
    if dtype.is_integer():
        if ((column > EXACT) | (column < -EXACT)).any():
            raise _no_place("integers of more than 15 digits", column.name, where)
        # Stata has 32-bit integers; all others are floats there, and everywhere else.
        small = format == "dta" and not ((column > 2**31 - 100) | (column < -(2**31) + 2)).any()
        return column.cast(pl.Int32 if small else pl.Float64)
    if dtype.is_float():
        if column.is_nan().any() or column.is_infinite().any():
            raise _no_place("NaN and infinite numbers", column.name, where)
        return column.cast(pl.Float64)
    if isinstance(dtype, pl.String | pl.Date | pl.Time) or (isinstance(dtype, pl.Datetime) and dtype.time_zone is None):
        return column
    raise _no_place(f"columns of type {dtype}", column.name, where)


def _no_place(what: str, column: str, where: str) -> DataError:
    return DataError(
        f"{what} cannot be stored in this format",
        where=f"{where}, column {column!r}",
        remedy="Turn the column into text, or write CSV or Parquet.",
    )


def _compare(written: pl.DataFrame, package: Any, path: Path, reader: str, where: str) -> None:
    try:
        back, _ = getattr(package, reader)(str(path), output_format="polars")
    except (package.ReadstatError, package.PyreadstatError) as problem:
        raise OSError(f"what was written cannot be read back ({problem})") from None
    if back.height != written.height:
        raise OSError("what was written is cut off")
    for column in written.iter_columns():
        again = back[column.name] if column.name in back.columns else pl.Series([None])
        if isinstance(column.dtype, pl.String):
            same = again.dtype == pl.String and (again.fill_null("") == column.fill_null("")).all()
        elif column.dtype.is_numeric():
            same = again.cast(pl.Float64, strict=False).eq_missing(column.cast(pl.Float64)).all()
        else:
            same = again.cast(column.dtype, strict=False).eq_missing(column).all()
        if not same:
            raise _no_place("some of its values", column.name, where)
