"""Atomic writing of tables that read back unchanged."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from ontomask.arguments import as_path, is_text_encoding, one_of
from ontomask.errors import Keyword, OntomaskWarning, OptionError
from ontomask.files.source import DELIMITERS
from ontomask.files.writing import checked_target, whole_file
from ontomask.microdata.dtypes import only_what_cells_show
from ontomask.microdata.formats import Format, chosen_format
from ontomask.microdata.formulas import escaped, formula_note
from ontomask.microdata.frames import NativeFrame
from ontomask.microdata.item_lists import give_lists


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
    separators: Mapping[str, str] | None = None,
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
    separators : mapping of str to str, optional
        List columns, each with what separates its items in a text; Parquet files hold lists as they are.
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
    chosen = chosen_format(target, format, written=True)
    layout = {"delimiter": delimiter or chosen.delimiter, "encoding": encoding, "decimal": decimal}
    _check_options(chosen, **layout)
    taken = NativeFrame.of(frame, may_be_empty=True, separators=separators)
    for note in taken.notes:
        warnings.warn(str(note), OntomaskWarning, stacklevel=2)
    target = checked_target(target, overwrite, source)
    data = _for_spreadsheets(only_what_cells_show(taken.data), chosen, target, escape_formulas, told=not private)
    data = give_lists(data, taken.lists) if chosen.lists else data
    with whole_file(target, int(taken.data.estimated_size()), private=private) as part:
        assert chosen.write is not None
        chosen.write(data, part, target=target, **(layout if chosen.text else {}))
        if check is not None:
            check(part, chosen.name)
    return as_path(path)


# ---- before -----------------------------------------------------------------------------------------------------


def _for_spreadsheets(data: pl.DataFrame, chosen: Format, target: Path, escape: bool, *, told: bool) -> pl.DataFrame:
    """The data for a CSV, with a quote before what would be a formula, or else a warning. Other formats have types."""
    if not chosen.text:
        if escape:
            raise OptionError(
                (Keyword("escape_formulas", "True"), " is for CSV files"),
                remedy=f"Leave it out: text is text in the format {chosen.name!r}.",
            )
        return data
    if escape:
        return escaped(data, str(target))
    for note in formula_note([data]) if told else ():
        warnings.warn(str(note), OntomaskWarning, stacklevel=3)
    return data


def _check_options(chosen: Format, delimiter: str, encoding: str, decimal: str) -> None:
    one_of(delimiter, tuple(DELIMITERS), "delimiter")
    one_of(decimal, (".", ","), "decimal mark")
    if not is_text_encoding(encoding):
        raise OptionError(f"no encoding {encoding!r}", remedy="Try 'utf-8', 'utf-8-sig' or 'cp1252'.")
    if chosen.text:
        if decimal == delimiter:
            raise OptionError("the comma cannot be both decimal mark and delimiter", remedy="Give delimiter=';'.")
    elif (encoding, decimal) != ("utf-8", ".") or delimiter != ",":
        raise OptionError(
            "delimiter, encoding and decimal are for CSV files",
            remedy=f"Leave them out for the format {chosen.name!r}.",
        )
