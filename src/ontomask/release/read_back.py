"""The written file, read back as a recipient would and verified before it appears.

A file is not the frame it was written from: formats round, trim, and know fewer types. What a recipient compares are
cells, so quasi-identifiers of a CSV are compared as texts: the finest classes that anybody can see. If these satisfy the
models, coarser ones do as well.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
from polars import selectors

from ontomask.arguments import some_of
from ontomask.errors import DataError, NotSatisfied, OntomaskError, OntomaskWarning
from ontomask.microdata.csv_types import Codes, typed
from ontomask.microdata.dtypes import is_text
from ontomask.microdata.formats import FORMATS
from ontomask.microdata.item_lists import without_lists
from ontomask.microdata.reading import read_table
from ontomask.policy.verification import Verification, check_release
from ontomask.privacy.classes import as_written
from ontomask.privacy.column_models import ColumnModel
from ontomask.privacy.contents import ContentCheck

if TYPE_CHECKING:
    from ontomask.release.result import Result


class ReadBack:
    """The check of a file that was just written for a result: it raises what refuses the file.

    ``verification``: what was found, once it was called. Where the result may fail, a failure is warned of instead.
    """

    def __init__(self, result: Result, *, encoding: str = "utf-8", decimal: str = ".") -> None:
        self._result = result
        self._encoding, self._decimal = encoding, decimal
        self._released = result.released.data
        self._require_known_columns()
        self._models = [f.model for f in result.verification.findings if not isinstance(f.model, ContentCheck)]
        self.verification = result.verification

    def _require_known_columns(self) -> None:
        policy = self._result.policy
        known = {*policy.attributes, *self._result.prepared.data.columns}
        strange = [repr(name) for name in self._released.columns if name not in known]
        if strange and policy.unlisted != "other":
            raise NotSatisfied(
                f"columns were added that the policy does not list: {some_of(strange)}",
                remedy="Remove them, or list them in the policy and anonymize again.",
            )

    def __call__(self, file: Path, format: str) -> None:
        data = self._read(file, format)
        self.verification = self._verified(data).on("file")
        if self.verification.holds:
            return
        failed = "; ".join(self.verification.failed)
        if self._result.allow_unsatisfied:
            text = f"the release does not satisfy its requirements: {failed}"
            warnings.warn(text, OntomaskWarning, stacklevel=4)
            return
        in_memory = self._verified(as_written(self._released, self._result.policy.quasi_identifiers))
        if not in_memory.holds:
            raise NotSatisfied(
                f"the data were changed after they were verified, and now fail: {'; '.join(in_memory.failed)}",
                remedy="Write result.data as it was handed out; change data before they are anonymized.",
                verification=in_memory,
            )
        raise NotSatisfied(
            f"read back from {FORMATS[format].title}, the release fails what it satisfied before: {failed}",
            remedy="Nothing was written. Choose another format, such as Parquet, or round the masked numbers (decimals:).",
            verification=self.verification,
        )

    def _verified(self, data: pl.DataFrame) -> Verification:
        """What the models say of the data, and what else fails."""
        result = self._result
        original, diagnostics = result.prepared.examined, result.masked.diagnostics
        return check_release(result.examined.beside(data), self._models, result.policy, original, diagnostics)

    def _read(self, file: Path, format: str) -> pl.DataFrame:
        policy, released = self._result.policy, self._released
        needed = [*policy.quasi_identifiers, *(n for n, a in policy.attributes.items() if a.role == "sensitive")]
        needed += [name for model in self._models for name in model.sensitive_columns(policy.attributes)]
        # What these hold counts whatever their role.
        types = released.schema
        there = {name: a for name, a in policy.attributes.items() if name in types}
        needed += [name for name, a in there.items() if a.converts or not a.all_fit(types[name])]
        needed += [column for pair in policy.followers.items() for column in pair]
        every = any(isinstance(model, ColumnModel) for model in self._models)
        needed = [name for name in released.columns if every or name in needed]
        try:
            data, columns = self._columns(file, format, needed)
        except (OntomaskError, pl.exceptions.PolarsError) as problem:
            raise _unreadable(format, f"cannot be read back ({problem})") from problem
        if columns != released.columns:
            lost = [repr(name) for name in released.columns if name not in columns] or ["their order"]
            raise _unreadable(format, f"does not read back with its columns ({some_of(lost)})")
        if data.height != released.height:
            raise _unreadable(format, f"reads back with {data.height:,} of {released.height:,} records")
        sensitive = [name for name in needed if name not in policy.quasi_identifiers]
        data = data.with_columns(_like(data[name], released[name]) for name in sensitive)
        unread = pl.repeat(None, data.height, dtype=pl.Null, eager=True)
        return pl.DataFrame([data[name] if name in needed else unread.alias(name) for name in columns])

    def _columns(self, file: Path, format: str, needed: list[str]) -> tuple[pl.DataFrame, list[str]]:
        """What is needed of the file, and the names of all its columns."""
        policy = self._result.policy
        known = FORMATS[format]
        if known.scan is not None:
            lazy = known.scan(file)
            names = lazy.collect_schema().names()
            data = lazy.select(selectors.by_name([name for name in names if name in needed])).collect()
            return as_written(without_lists(data, policy.separators), policy.quasi_identifiers), names
        if not known.text:
            data = read_table(file, format=format).data
            return as_written(data, policy.quasi_identifiers), data.columns
        # Other encodings have to be told to whoever reads the file; the delimiter is found out.
        text = None if self._encoding.lower().startswith("utf") else self._encoding
        table = read_table(file, format=format, encoding=text, text=Codes(self._released.columns))
        cells, names = table.data.select(c for c in table.data.columns if c in needed), table.data.columns
        others = [name for name in cells.columns if name not in policy.quasi_identifiers]
        if others:
            attributes = policy.attributes
            codes = [name for name in others if name in attributes and attributes[name].read_as_text]
            numbers, _, _ = typed(cells.select(others), delimiter=table.delimiter, decimal=self._decimal, text=codes)
            cells = cells.with_columns(numbers.iter_columns())
        return cells, names


def _unreadable(format: str, what: str) -> DataError:
    return DataError(
        f"the release, written as {FORMATS[format].title}, {what}",
        remedy="Nothing was written. Choose another format, such as Parquet.",
    )


def _like(read: pl.Series, released: pl.Series) -> pl.Series:
    """A sensitive column of the file; where only its type is lost, and no value, as it was released."""
    both_text = is_text(read.dtype) and is_text(released.dtype)
    if read.dtype == released.dtype or both_text or (read.dtype.is_numeric() and released.dtype.is_numeric()):
        return read
    pairs = pl.DataFrame([read.alias("read"), released.alias("released")]).unique().height
    return released if pairs == read.n_unique() == released.n_unique() else read
