"""Written files as recipients read them: the csv module, pandas, openpyxl. Nothing of the product is used here."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pyreadstat

Rows = list[dict[str, Any]]
#: pandas by its defaults makes texts such as "None" missing: classes can be counted in what it reads, values cannot.
DEFAULTS = "pandas by its defaults"


def views(file: Path, texts: Collection[str], delimiter: str = ",", decimal: str = ".") -> Iterator[tuple[str, Rows]]:
    """The rows of a file, once for each way in which somebody would read it; ``texts`` are columns known to hold text."""
    typed: dict[str, Any] = {"keep_default_na": False, "na_values": [""], "dtype": dict.fromkeys(texts, str)}
    name = file.name.removesuffix(".gz")
    if name.endswith((".csv", ".tsv")):
        separator = "\t" if name.endswith(".tsv") else delimiter
        yield "csv", _text(file, separator)
        yield DEFAULTS, _frame(pd.read_csv(file, sep=separator, decimal=decimal))
        yield "pandas", _frame(pd.read_csv(file, sep=separator, decimal=decimal, **typed))
    elif name.endswith(".parquet"):
        yield "pandas", _frame(pd.read_parquet(file))
    elif name.endswith(".xlsx"):
        yield DEFAULTS, _frame(pd.read_excel(file))
        yield "pandas", _frame(pd.read_excel(file, **typed))
        yield "pandas as text", _frame(pd.read_excel(file, dtype=str, keep_default_na=False))
    elif name.endswith(".sav"):
        yield "pandas", _frame(pd.read_spss(file, convert_categoricals=False))
    elif name.endswith(".dta"):
        yield "pandas", _frame(pd.read_stata(file, convert_categoricals=False))
    elif name.endswith(".xpt"):
        yield "pyreadstat", _frame(pyreadstat.read_xport(str(file))[0])
    else:
        raise AssertionError(f"no reader for {file.name}")


def content(file: Path) -> bytes:
    """All bytes of a file, unpacked where that is a matter of gzip."""
    return gzip.decompress(file.read_bytes()) if file.name.endswith(".gz") else file.read_bytes()


def _text(file: Path, delimiter: str) -> Rows:
    text = content(file).decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter))


def _frame(data: pd.DataFrame) -> Rows:
    """Rows of plain values, None for whatever pandas takes for missing."""
    columns = []
    for name in data:
        cells = zip(data[name].tolist(), data[name].isna().tolist(), strict=True)
        columns.append([None if missing else cell for cell, missing in cells])
    return [dict(zip(data.columns, row, strict=True)) for row in zip(*columns, strict=True)]
