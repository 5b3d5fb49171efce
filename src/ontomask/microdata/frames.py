"""Conversion of pandas, Polars and PyArrow tables to one Polars frame and back.

What comes in is never changed and never coerced: what has no exact counterpart is an error that names the column.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from ontomask.arguments import is_a, short, some_of
from ontomask.errors import DataError
from ontomask.fork_safety import require_threads
from ontomask.microdata.dtypes import nested, restore_dtype, values_unread
from ontomask.microdata.item_lists import ListColumn, give_lists, take_lists
from ontomask.microdata.missing_markers import MissingMarkers, marker_note, without_marker_categories, without_markers
from ontomask.statements import Statement

if TYPE_CHECKING:  # with a default, ``om.Result`` alone means a result of any kind of frame
    from typing_extensions import TypeVar

    FrameT = TypeVar("FrameT", default=Any)
else:
    from typing import TypeVar

    #: A kind of frame: what comes in comes out.
    FrameT = TypeVar("FrameT")

FrameKind = Literal["pandas", "polars", "pyarrow"]
#: Characters of a column name; a longer one is a cell that went astray.
LONGEST_NAME = 10_000
#: Of the name of a column: will nobody look at its values?
Unread = Callable[[str], bool]
_MAKE = "Give a pandas or Polars DataFrame or a PyArrow table"


@dataclass(frozen=True)
class NativeFrame:
    """A frame in Polars form, and how to restore its kind.

    ``data`` has all its columns, in order; ``kind`` and ``native_dtypes`` say how to restore it; ``index`` names the
    levels of a pandas index that carry information, kept as columns or not; ``notes`` say what was left out. ``lists``: the
    columns that came as lists, and are texts here.
    """

    data: pl.DataFrame
    kind: FrameKind
    native_dtypes: Mapping[str, Any] = field(repr=False)
    index: list[str] = field(default_factory=list)
    notes: list[Statement] = field(default_factory=list)
    lists: Mapping[str, ListColumn] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        frame: Any,
        *,
        keep_index: Collection[str] = (),
        missing: MissingMarkers | Collection[str] = (),
        unread: Unread | None = None,
        may_be_empty: bool = False,
        separators: Mapping[str, str] | None = None,
    ) -> NativeFrame:
        """The frame as a Polars frame, with what is needed to restore its kind.

        The index of a pandas frame counts as an identifier and is left out, with a note, unless it is the plain 0..n-1 or
        ``keep_index`` names its levels: those become the first columns. Values equal to a marker of ``missing`` become
        missing. A column whose values cannot be compared is an error, unless ``unread`` says that nobody will look at it:
        it is then taken without its values. A frame without rows is an error, unless it ``may_be_empty``. List columns that
        ``separators`` name become texts, the items of a list joined by their separator.
        """
        if is_a(frame, "narwhals", "DataFrame"):
            frame = frame.to_native()
        frame, lists = take_lists(frame, separators or {})
        native = replace(_converted(frame, keep_index, unread), lists=lists)
        native = native._without_markers(MissingMarkers.of(missing))
        if not native.data.height and not may_be_empty:
            raise DataError("the frame has no rows", remedy="Check the filter or the query that made it.")
        return native

    def _without_markers(self, missing: MissingMarkers) -> NativeFrame:
        data, found = without_markers(self.data, missing)
        if not found:
            return self
        if self.kind == "polars":
            native: Mapping[str, Any] = dict(data.schema)
        else:
            native = without_marker_categories(self.native_dtypes, found, missing)
        return replace(self, data=data, native_dtypes=native, notes=[*self.notes, *marker_note(self.data, data, found)])

    def restore(self, data: pl.DataFrame) -> Any:
        """Masked data as the kind of frame that came in.

        Columns stand in the order of ``data``. Each has the data type it had, as far as its values allow: whole numbers
        are integers again, a category stays one (new values are added to its categories, values that no record has are
        removed), text is text, lists are lists. A pandas frame has a fresh index 0..n-1.
        """
        return give_lists(self._restored(data), self.lists)

    def _restored(self, data: pl.DataFrame) -> Any:
        restored = [
            restore_dtype(c, self.data[c.name]) if c.name in self.data.columns else c for c in data.iter_columns()
        ]
        if self.kind == "pandas":
            from ontomask.microdata import pandas_frames  # late: pandas is optional

            return pandas_frames.to_pandas(restored, self.data, self.native_dtypes)
        if self.kind == "pyarrow":
            from ontomask.microdata import arrow_frames  # late: pyarrow is optional

            return arrow_frames.to_arrow(restored, self.data, self.native_dtypes)
        return pl.DataFrame(restored)

    def orders(self) -> dict[str, list[Any]]:
        """The order of categories in the columns that have one of their own: ordered categoricals and enums."""
        if self.kind == "polars":
            return {name: d.categories.to_list() for name, d in self.data.schema.items() if isinstance(d, pl.Enum)}
        if self.kind == "pandas":
            ordered = {n: dtype for n, dtype in self.native_dtypes.items() if getattr(dtype, "ordered", False)}
            return {name: list(dtype.categories) for name, dtype in ordered.items()}
        dictionaries = {name: c for name, c in self.native_dtypes.items() if c.categories is not None}
        return {name: c.categories for name, c in dictionaries.items() if c.field.type.ordered}


def _converted(frame: Any, keep_index: Collection[str], unread: Unread | None) -> NativeFrame:
    require_threads()
    if is_a(frame, "pandas", "DataFrame"):
        from ontomask.microdata import pandas_frames  # late: pandas is optional

        _check_names(list(frame.columns))
        data, dtypes, index, notes = pandas_frames.to_polars(frame, keep_index, unread)
        return NativeFrame(data, "pandas", dtypes, index, notes)
    if is_a(frame, "pyarrow", "Table"):
        from ontomask.microdata import arrow_frames  # late: pyarrow is optional

        _check_names(frame.column_names)
        return NativeFrame(*arrow_frames.to_polars(frame, unread))
    if isinstance(frame, pl.DataFrame):
        _check_names(frame.columns)
        frame = _check_polars(frame.clone(), unread)
        return NativeFrame(frame, "polars", dict(frame.schema))
    raise _no_frame(frame)


def _check_names(names: list[Any]) -> None:
    if not names:
        raise DataError("the frame has no columns", remedy="Give one with a column for each attribute.")
    if any(isinstance(name, tuple) for name in names):
        raise DataError(
            "the column names have several levels",
            remedy="Join them first: frame.columns = ['_'.join(map(str, c)) for c in frame.columns].",
        )
    if "" in names:
        raise DataError("a column has no name", remedy="Name it, or leave it out.")
    odd = [name for name in names if not isinstance(name, str)]
    if odd:
        raise DataError(
            f"column names that are not text: {some_of([short(repr(name)) for name in odd])}",
            remedy="Name the columns with text: frame.columns = [str(c) for c in frame.columns].",
        )
    long = next((name for name in names if len(name) > LONGEST_NAME), None)
    if long is not None:
        raise DataError(
            f"a column name has {len(long):,} characters: {short(repr(long), 40)}",
            remedy=f"Shorten it to {LONGEST_NAME:,}.",
        )
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise DataError(
            f"several columns are called {some_of([repr(name) for name in twice])}",
            remedy="Rename or remove all but one of them.",
        )
    patterns = [name for name in names if is_pattern(name)]
    if patterns:
        raise DataError(
            f"the column name {short(repr(patterns[0]))} would be read as a pattern of names",
            remedy="Rename it: a name is not * and does not begin with ^ and end with $.",
        )


def is_pattern(name: str) -> bool:
    """Would Polars take the name for several columns?"""
    return name == "*" or (name.startswith("^") and name.endswith("$"))


def _check_polars(frame: pl.DataFrame, unread: Unread | None) -> pl.DataFrame:
    """The frame, if its values can be compared; columns that nobody reads without values if they cannot."""
    for name, dtype in frame.schema.items():
        if not dtype.is_nested() and not isinstance(dtype, pl.Object):
            continue
        if unread is not None and unread(name):
            frame = frame.with_columns(values_unread(name, len(frame)))
        elif dtype.is_nested():
            raise nested(name, str(dtype))
        else:
            raise DataError(
                "the column holds Python objects, which cannot be compared",
                where=f"column {name!r}",
                remedy="Turn them into text or numbers, or drop the column.",
            )
    return frame


def _no_frame(value: Any) -> DataError:
    kind = type(value)
    remedy = f"{_MAKE}."
    if isinstance(value, pl.LazyFrame) or is_a(value, "narwhals", "LazyFrame"):
        remedy = "Call .collect() on it first."
    elif isinstance(value, (str, Path)):
        remedy = f"Read the file first: read_table({short(repr(str(value)))}).data."
    elif isinstance(value, (dict, list, tuple)):
        remedy = "Make a frame of it first: polars.DataFrame(...) or pandas.DataFrame(...)."
    elif isinstance(value, pl.Series) or is_a(value, "pandas", "Series") or is_a(value, "narwhals", "Series"):
        remedy = "It is one column: call .to_frame() on it."
    elif any(hasattr(value, f"to_{kind}") for kind in ("pandas", "polars", "arrow")):
        remedy = f"{_MAKE}: this one has a method to_pandas, to_polars or to_arrow."
    package = kind.__module__.split(".")[0]
    name = kind.__qualname__ if package == "builtins" else f"{package}.{kind.__qualname__}"
    return DataError(f"expected a DataFrame, got {name}", remedy=remedy)
