"""pandas frames as Polars frames and back, column by column and without coercing anything."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Callable, Collection, Mapping, Sequence
from importlib.util import find_spec
from typing import Any, NamedTuple, cast

import numpy as np
import pandas as pd
import polars as pl

from ontomask.arguments import some_of
from ontomask.errors import DataError
from ontomask.microdata.dtypes import in_use, is_text, values_unread
from ontomask.statements import Statement, note

#: What an object column may hold, one kind at a time, and what Polars calls it.
_OBJECTS: dict[type, Any] = {
    str: pl.String,
    bool: pl.Boolean,
    int: pl.Int64,
    float: pl.Float64,
    decimal.Decimal: None,  # precision and scale come from the values
    datetime.datetime: pl.Datetime("us"),
    datetime.date: pl.Date,
    datetime.time: pl.Time,
    datetime.timedelta: pl.Duration("us"),
    bytes: pl.Binary,
}
_NUMPY: dict[type, type] = {np.str_: str, np.bool_: bool}


class ObjectColumn(NamedTuple):
    """A pandas column of Python objects, and what stood for a missing value in it."""

    missing: Any


# ---- in ---------------------------------------------------------------------------------------------------------


def to_polars(
    frame: Any, keep_index: Collection[str], unread: Callable[[str], bool] | None = None
) -> tuple[pl.DataFrame, dict[str, Any], list[str], list[Statement]]:
    """Data, native data types, levels of the index that carry information, notes."""
    columns, index, notes = _index(frame, keep_index)
    columns |= {name: frame[name] for name in frame.columns}
    taken, native = [], {}
    for name, column in columns.items():
        taken.append(_take_or_leave(name, column, unread))
        native[name] = ObjectColumn(_missing(column)) if _is_object(column.dtype) else column.dtype
    return pl.DataFrame(taken), native, index, notes


def _index(frame: Any, keep: Collection[str]) -> tuple[dict[str, Any], list[str], list[Statement]]:
    """The levels of the index to keep as columns, the names of those that carry information, and notes."""
    index = frame.index
    names = [
        name if isinstance(name, str) else ("index" if index.nlevels == 1 else f"level_{at}")
        for at, name in enumerate(index.names)
    ]
    plain = _is_plain(index)
    kept = {
        name: index.get_level_values(at).to_series(index=range(len(index)))
        for at, name in enumerate(names)
        if name in keep and name not in frame.columns and not (plain and index.name is None)
    }
    dropped = [] if plain else [name for name in names if name not in kept]
    notes = []
    if dropped:
        shown = some_of([repr(name) for name in dropped])
        notes.append(
            note(
                f"the index {shown} of the pandas frame was left out as an identifier; "
                "name it in the policy to keep it as a column"
            )
        )
    return kept, [] if plain and not kept else names, notes


def _is_plain(index: Any) -> bool:
    if index.nlevels > 1 or index.dtype.kind not in "iu":
        return False
    return bool((index.to_numpy() == np.arange(len(index))).all())


def _take_or_leave(name: str, values: Any, unread: Callable[[str], bool] | None) -> pl.Series:
    """The column; without its values if they cannot be taken and nobody will look at them."""
    try:
        return _take(name, values)
    except DataError:
        if unread is None or not unread(name):
            raise
    return values_unread(name, len(values))


def _take(name: str, values: Any) -> pl.Series:
    dtype = values.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        categories = _take(name, pd.Series(dtype.categories))
        codes = pl.Series(values.cat.codes.to_numpy().astype(np.int64))
        return categories.gather(codes.set(codes < 0, None))
    if isinstance(dtype, pd.DatetimeTZDtype):
        return _zoned(name, values)
    if isinstance(dtype, pd.StringDtype):
        return _strings(name, values)
    if isinstance(dtype, pd.ArrowDtype):
        return _arrow(name, values)
    if isinstance(dtype, np.dtype):
        return _numpy(name, values)
    if hasattr(dtype, "numpy_dtype"):  # the nullable integers, floats and booleans
        missing = values.isna().to_numpy()
        filled = values.to_numpy(dtype=dtype.numpy_dtype, na_value=dtype.numpy_dtype.type(0))
        column = pl.Series(name, filled)
        return column.set(pl.Series(missing), None) if missing.any() else column
    raise _unsupported(name, dtype)


def _numpy(name: str, values: Any) -> pl.Series:
    dtype = values.dtype
    if _is_object(dtype):
        return _objects(name, values)
    if dtype.kind in "iub":
        return pl.Series(name, values.to_numpy())
    if dtype.kind == "f" and dtype.itemsize <= 8:
        return pl.Series(name, values.to_numpy(), nan_to_null=True)
    if dtype.kind in "mM":
        return pl.Series(name, _fine(values.to_numpy()))
    raise _unsupported(name, dtype)


def _fine(array: Any) -> Any:
    """Dates and durations in a unit that Polars knows."""
    kind, (unit, _) = array.dtype.kind, np.datetime_data(array.dtype)
    return array.astype(f"{kind}8[ms]") if unit == "s" else array


def _zoned(name: str, values: Any) -> pl.Series:
    zone = str(values.dtype.tz)
    utc = values.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy()
    try:
        column = pl.Series(name, _fine(utc)).dt.replace_time_zone("UTC")
        return column.dt.convert_time_zone(zone)
    except pl.exceptions.PolarsError:
        raise DataError(
            f"the time zone {zone} has no name",
            where=f"column {name!r}",
            remedy=f"Convert it first: frame[{name!r}].dt.tz_convert('UTC').",
        ) from None


def _strings(name: str, values: Any) -> pl.Series:
    if find_spec("pyarrow") is None:
        present = values.astype(object).where(values.notna(), None)
        return pl.Series(name, present.tolist(), dtype=pl.String)
    import pyarrow as pa  # late: pyarrow is optional

    return cast("pl.Series", pl.from_arrow(pa.array(values.array, type=pa.large_string()))).alias(name)


def _arrow(name: str, values: Any) -> pl.Series:
    import pyarrow as pa  # late: pyarrow is optional

    from ontomask.microdata import arrow_frames  # late: pyarrow is optional

    data, _, _ = arrow_frames.to_polars(pa.table({name: pa.array(values.array)}))
    return data.to_series()


def _objects(name: str, values: Any) -> pl.Series:
    """A column of Python objects, if all that are not missing are of one kind."""
    missing = values.isna().to_numpy()
    listed = values.tolist()
    kinds = {kind: _kind(kind) for kind in {type(v) for v, gone in zip(listed, missing, strict=True) if not gone}}
    if not kinds:
        return pl.Series(name, [None] * len(listed), dtype=pl.Null)
    if len(set(kinds.values())) > 1:
        raise _mixed(name, listed, missing, set(kinds.values()))
    kind = next(iter(kinds.values()))
    if kind not in _OBJECTS:
        raise _unsupported(name, kind.__name__)
    present = (
        [None if gone else value for value, gone in zip(listed, missing, strict=True)] if missing.any() else listed
    )
    try:
        return pl.Series(name, present, dtype=_OBJECTS[kind])
    except (TypeError, OverflowError, ValueError, pl.exceptions.PolarsError):
        raise DataError(
            f"the {kind.__name__} objects in it are too large or do not fit together",
            where=f"column {name!r}",
            remedy="Keep them as text, or convert the column to one pandas data type first.",
        ) from None


def _kind(found: type) -> type:
    """The Python type a NumPy scalar stands for; any other type itself."""
    if issubclass(found, np.integer):
        return int
    if issubclass(found, np.floating):
        return float
    return _NUMPY.get(found, found)


def _mixed(name: str, listed: list[Any], missing: Any, kinds: Collection[type]) -> DataError:
    rows: dict[str, list[int]] = {kind.__name__: [] for kind in sorted(kinds, key=lambda k: k.__name__)}
    for at, (value, gone) in enumerate(zip(listed, missing, strict=True), start=1):
        found = rows.get(_kind(type(value)).__name__)
        if not gone and found is not None and len(found) < 3:
            found.append(at)
    shown = ", ".join(f"{kind} (record {', '.join(map(str, at))})" for kind, at in rows.items())
    return DataError(
        f"the column mixes types: {shown}",
        where=f"column {name!r}",
        remedy=f"Convert to one type, for instance frame[{name!r}].astype(str), where 1 and '1' become the same value.",
        rows=sorted(at for found in rows.values() for at in found),
    )


def _unsupported(name: str, dtype: object) -> DataError:
    remedy = f"Convert it first, for instance frame[{name!r}].astype(str), or drop it."
    if str(dtype).startswith("Sparse"):
        remedy = f"Make it dense first: frame[{name!r}].sparse.to_dense()."
    elif str(dtype) == "Timestamp":
        remedy = f"Convert it first: pandas.to_datetime(frame[{name!r}])."
    elif str(dtype) in ("list", "dict", "set", "tuple", "ndarray"):
        remedy = "Give each cell one value: explode the column, or drop it."
    return DataError(f"the column holds {dtype}, which is not supported", where=f"column {name!r}", remedy=remedy)


def _is_object(dtype: Any) -> bool:
    return isinstance(dtype, np.dtype) and dtype.kind == "O"


def _missing(values: Any) -> Any:
    """The first missing value itself: None, NaN, NaT or pandas.NA."""
    gone = values.isna().to_numpy()
    return values.iloc[int(gone.argmax())] if gone.any() else None


# ---- out --------------------------------------------------------------------------------------------------------


def to_pandas(columns: Sequence[pl.Series], before: pl.DataFrame, native: Mapping[str, Any]) -> Any:
    given = {
        c.name: _give(c, before[c.name], native[c.name]) if c.name in native and c.name in before else _default(c)
        for c in columns
    }
    return pd.DataFrame(given, index=pd.RangeIndex(len(columns[0]) if columns else 0))


def _give(column: pl.Series, before: pl.Series, dtype: Any) -> Any:
    if isinstance(dtype, ObjectColumn):
        return _as_objects(column, dtype.missing)
    if isinstance(dtype, pd.CategoricalDtype):
        return _categorical(column, before, dtype)
    if column.dtype != before.dtype:
        return _default(column)
    if isinstance(dtype, pd.StringDtype):
        return _text(column, dtype)
    if isinstance(dtype, pd.ArrowDtype):
        import pyarrow as pa  # late: pyarrow is optional

        from ontomask.microdata.arrow_frames import ArrowColumn, to_arrow  # late: pyarrow is optional

        native = {column.name: ArrowColumn(pa.field(column.name, dtype.pyarrow_dtype))}
        array = to_arrow([column], before.to_frame(), native).column(0)
        return pd.array(array, dtype=pd.ArrowDtype(array.type))
    values = pd.Series(_default(column))
    if isinstance(dtype, np.dtype) and dtype.kind in "iub":
        return values  # the same type, or with missing values its nullable sister
    return values.astype(dtype)


def _default(column: pl.Series) -> Any:
    """What pandas would take for the column if it had never seen it before."""
    dtype = column.dtype
    if is_text(dtype):
        return _text(column, pd.Series(["a"]).dtype)
    if isinstance(dtype, pl.Boolean) and column.null_count():
        return pd.arrays.BooleanArray(column.fill_null(False).to_numpy(writable=True), column.is_null().to_numpy())
    if dtype.is_integer() and column.null_count():
        missing = column.is_null().to_numpy()
        return pd.arrays.IntegerArray(column.fill_null(0).to_numpy(writable=True), missing)
    if isinstance(dtype, pl.Datetime) and dtype.time_zone is not None:
        utc = pd.Series(column.dt.convert_time_zone("UTC").dt.replace_time_zone(None).to_numpy(writable=True))
        return utc.dt.tz_localize("UTC").dt.tz_convert(dtype.time_zone)
    if dtype.is_integer() or dtype.is_float() or isinstance(dtype, pl.Boolean | pl.Datetime | pl.Duration):
        return column.to_numpy(writable=True)
    return _as_objects(column, None)


def _text(column: pl.Series, dtype: Any) -> Any:
    if _is_object(dtype) or find_spec("pyarrow") is None:
        return _as_objects(column, None).astype(dtype)
    return pd.array(column.cast(pl.String).to_arrow(), dtype=dtype)


def _categorical(column: pl.Series, before: pl.Series, dtype: Any) -> Any:
    old = _take(column.name, pd.Series(dtype.categories)).to_list()
    kept = in_use(old, column)
    categories = pl.Series(column.name, kept, dtype=column.dtype if kept else before.dtype)
    places = dict(zip(kept, range(len(kept)), strict=True))
    codes = column.replace_strict(list(places), list(places.values()), return_dtype=pl.Int64, default=None).fill_null(
        -1
    )
    native = dtype.categories.dtype
    index = pd.Index(kept, dtype=object) if _is_object(native) else pd.Index(_give(categories, before, native))
    # New values at the end would claim an order that nobody gave.
    ordered = bool(dtype.ordered) and set(kept) <= set(old)
    return pd.Categorical.from_codes(codes.to_numpy(), dtype=pd.CategoricalDtype(index, ordered=ordered))


def _as_objects(column: pl.Series, missing: Any) -> Any:
    array = np.empty(len(column), dtype=object)
    array[:] = column.to_list()
    if missing is not None and column.null_count():
        array[column.is_null().to_numpy()] = missing
    return pd.Series(array, dtype=object)
