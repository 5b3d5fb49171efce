"""PyArrow tables as Polars frames and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, cast

import polars as pl
import pyarrow as pa

from ontomask.errors import DataError
from ontomask.microdata.dtypes import in_use, nested, values_unread


class ArrowColumn(NamedTuple):
    """The field of a column and, for a dictionary column, its values."""

    field: Any
    categories: list[object] | None = None


def to_polars(table: Any, unread: Callable[[str], bool] | None = None) -> tuple[pl.DataFrame, Any, dict[str, Any]]:
    """Data, kind, native data types. Dictionary columns are unpacked; metadata of the schema are not kept."""
    columns, native = [], {}
    for field, column in zip(table.schema, table.columns, strict=True):
        try:
            _check_type(field)
        except DataError:
            if unread is None or not unread(field.name):
                raise
            native[field.name] = ArrowColumn(field)
            columns.append(values_unread(field.name, len(column)))
            continue
        values, categories = column, None
        if pa.types.is_dictionary(field.type):
            unified = column.unify_dictionaries()
            categories = unified.chunk(0).dictionary.to_pylist() if unified.num_chunks else []
            values = unified.cast(field.type.value_type)
        native[field.name] = ArrowColumn(field, categories)
        columns.append(cast("pl.Series", pl.from_arrow(values)).alias(field.name))
    return pl.DataFrame(columns), "pyarrow", native


def to_arrow(columns: Sequence[pl.Series], before: pl.DataFrame, native: Mapping[str, ArrowColumn]) -> Any:
    """Columns as a table, with the types the native ones had where the values allow them."""
    arrays, fields = [], []
    for column in columns:
        array = column.to_arrow()
        old = native.get(column.name)
        if old is not None:
            array = _native(column, array, before[column.name], old)
        nullable = old is None or old.field.nullable or array.null_count > 0
        arrays.append(array)
        fields.append(pa.field(column.name, array.type, nullable=nullable))
    return pa.table(arrays, schema=pa.schema(fields))


def _native(column: pl.Series, array: Any, before: pl.Series, old: ArrowColumn) -> Any:
    kind = old.field.type
    if old.categories is not None:
        if column.dtype != before.dtype:
            return array
        kept = in_use(old.categories, column)
        places = dict(zip(kept, range(len(kept)), strict=True))
        try:
            codes = column.replace_strict(list(places), list(places.values()), return_dtype=pl.Int64, default=None)
            values = pa.array(kept, type=kind.value_type)
            # New values at the end would claim an order that nobody gave.
            ordered = kind.ordered and set(kept) <= set(old.categories)
            return pa.DictionaryArray.from_arrays(codes.to_arrow().cast(kind.index_type), values, ordered=ordered)
        except pa.ArrowInvalid:  # more values than the type of the index can count
            return array.dictionary_encode()
    if column.dtype != before.dtype:
        return array
    try:
        return array.cast(kind)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return array


def _check_type(field: Any) -> None:
    kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
    if pa.types.is_nested(kind):
        raise nested(field.name, str(kind))
    known = (
        "integer floating boolean decimal128 date time timestamp duration string large_string string_view null binary"
    )
    if not any(getattr(pa.types, f"is_{name}")(kind) for name in known.split()):
        raise DataError(
            f"the type {kind} is not supported",
            where=f"column {field.name!r}",
            remedy="Cast the column to text or numbers, or drop it.",
        )
