"""Several items in one cell: written as a text with a separator, or held by a list column of a frame."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple, cast

import numpy as np
import polars as pl

from ontomask.arguments import is_a
from ontomask.errors import DataError
from ontomask.microdata.codes import factorize
from ontomask.microdata.refusals import rows_where

#: What a cell of a pandas column may be to count as a list; arrays of NumPy as well.
LISTS = (list, tuple, set, frozenset)


def given_separator(sign: str | None) -> str | None:
    """A sign that can separate items, or none."""
    if sign is None:
        return None
    if not sign.strip() or any(letter.isalnum() or letter in "*'\"" for letter in sign):
        raise ValueError(
            f"{sign!r} cannot separate items: give a sign such as '|' or ';', without letters, digits, quotes or *"
        )
    return sign


def split_items(text: str, separator: str) -> list[str]:
    """The items that a text means, in the order written; none: the empty set.

    A text without the separator is one item, as it stands; of others the blanks around items do not count.
    """
    if separator not in text:
        return [text] if text.strip() else []
    return [item for part in text.split(separator) if (item := part.strip())]


def count_items(texts: Counter[str], separator: str) -> Counter[str]:
    """The items of texts, each with the records that have it."""
    tally: Counter[str] = Counter()
    for text, records in texts.items():
        for item in dict.fromkeys(split_items(text, separator)):
            tally[item] += records
    return tally


def join_items(items: list[str], separator: str) -> str:
    """Items as one text; the empty set is the separator alone, since an empty cell is a missing value."""
    return separator.join(items) if items else separator


class ListColumn(NamedTuple):
    """A column that came as lists: the separator of its items in text, the type of an item, and of the Arrow column."""

    separator: str
    inner: pl.DataType
    arrow: Any = None


def take_lists(frame: Any, separators: Mapping[str, str]) -> tuple[Any, dict[str, ListColumn]]:
    """A frame of any kind with texts in the place of the list columns that ``separators`` name, and what these were."""
    taken: dict[str, ListColumn] = {}
    for name, separator in separators.items():
        found = _list_column(frame, name)
        if found is not None:
            lists, arrow = found
            texts = lists_as_text(lists, separator)
            taken[name] = ListColumn(separator, lists.dtype.inner, arrow)  # type: ignore[attr-defined]
            frame = _with_column(frame, texts)
    return frame, taken


def give_lists(frame: Any, taken: Mapping[str, ListColumn]) -> Any:
    """The same frame with its lists again; their items have the type that they had, if each survives."""
    for name, column in taken.items():
        if isinstance(frame, pl.DataFrame):
            if name in frame.columns:
                frame = frame.with_columns(text_as_lists(frame[name], column))
        elif is_a(frame, "pandas", "DataFrame"):
            if name in frame.columns:
                cells = zip(frame[name].tolist(), frame[name].isna().tolist(), strict=True)
                texts = pl.Series(name, [None if missing else text for text, missing in cells], dtype=pl.String)
                frame = _with_lists(frame, text_as_lists(texts, column), column)
        elif name in frame.column_names:
            texts = cast("pl.Series", pl.from_arrow(frame.column(name))).alias(name)
            frame = _with_arrow(frame, text_as_lists(texts, column), column)
    return frame


def lists_as_text(lists: pl.Series, separator: str) -> pl.Series:
    """A list column as texts with a separator; an error names the records where an item would not be itself any more."""
    texts = lists.cast(pl.List(pl.String))
    holds = texts.list.eval(pl.element().str.contains(separator, literal=True)).list.any()
    gone = texts.list.eval(pl.element().is_null()).list.any()
    for odd, what in ((holds, f"an item with the separator {separator!r} in it"), (gone, "a missing item")):
        if odd.any():
            shown, rows = rows_where(odd)
            raise DataError(
                f"holds lists with {what} ({shown})",
                where=f"column {lists.name!r}",
                remedy="Correct them, or choose another separator (many:).",
                rows=rows,
            )
    empty = pl.when(texts.list.len() == 0).then(pl.lit(separator)).otherwise(texts.list.join(separator))
    return pl.select(empty.alias(lists.name)).to_series()


def text_as_lists(texts: pl.Series, column: ListColumn) -> pl.Series:
    """Texts with a separator as the list column that it was."""
    codes, distinct = factorize(texts.cast(pl.String))
    split = [None if text is None else split_items(text, column.separator) for text in distinct.to_list()]
    lists = pl.Series(texts.name, split, dtype=pl.List(pl.String))
    if column.inner.is_integer():
        numbers = lists.cast(pl.List(column.inner), strict=False)
        lists = numbers if numbers.cast(pl.List(pl.String)).eq_missing(lists).all() else lists
    return lists.gather(codes)


def without_lists(data: pl.DataFrame, separators: Mapping[str, str]) -> pl.DataFrame:
    """A table read from a file, with texts in the place of the list columns that ``separators`` name."""
    taken: pl.DataFrame = take_lists(data, separators)[0]
    return taken


# ---- columns of frames -------------------------------------------------------------------------------------------------


def _list_column(frame: Any, name: str) -> tuple[pl.Series, Any] | None:
    """A list column as Polars has it, and its Arrow type; None: the frame does not have it, or it does not hold lists."""
    if isinstance(frame, pl.DataFrame):
        series = frame[name] if name in frame.columns else None
        return None if series is None or not _holds_lists(series.dtype) else (_as_list(series), None)
    if is_a(frame, "pandas", "DataFrame"):
        return _pandas_lists(frame[name]) if name in frame.columns else None
    if is_a(frame, "pyarrow", "Table") and name in frame.column_names:
        column = frame.column(name)
        if "list" in str(column.type).partition("<")[0]:
            return _as_list(cast("pl.Series", pl.from_arrow(column)).alias(name)), column.type
    return None


def _holds_lists(dtype: pl.DataType) -> bool:
    return isinstance(dtype, (pl.List, pl.Array))


def _as_list(series: pl.Series) -> pl.Series:
    """A list column of texts or of whole numbers, which may be codes; others are an error."""
    inner = series.dtype.inner  # type: ignore[attr-defined]
    if isinstance(inner, pl.Null):
        return series.cast(pl.List(pl.String))
    if isinstance(inner, (pl.String, pl.Categorical, pl.Enum)) or inner.is_integer():
        return series.cast(pl.List(inner)) if isinstance(series.dtype, pl.Array) else series
    raise DataError(
        f"holds lists of {inner}",
        where=f"column {series.name!r}",
        remedy="Give lists of texts: codes or labels of concepts.",
    )


def _pandas_lists(column: Any) -> tuple[pl.Series, Any] | None:
    cells = column.tolist()
    listed = [None if not isinstance(cell, LISTS) and not hasattr(cell, "tolist") else list(cell) for cell in cells]
    if not any(items is not None for items in listed):
        return None
    gone = column.isna().tolist()
    odd = pl.Series([items is None and not missing for items, missing in zip(listed, gone, strict=True)])
    items = [item for own in listed for item in own or ()]
    if odd.any() or not (all(isinstance(i, str) for i in items) or all(_is_whole(i) for i in items)):
        raise DataError(
            "mixes lists with other values, or holds lists of other things than texts or whole numbers",
            where=f"column {column.name!r}",
            remedy="Give lists of texts: codes or labels of concepts.",
        )
    inner = pl.Int64 if items and not isinstance(items[0], str) else pl.String
    return pl.Series(column.name, listed, dtype=pl.List(inner)), getattr(column.dtype, "pyarrow_dtype", None)


def _is_whole(item: Any) -> bool:
    return isinstance(item, (int, np.integer)) and not isinstance(item, bool)


def _with_column(frame: Any, texts: pl.Series) -> Any:
    if isinstance(frame, pl.DataFrame):
        return frame.with_columns(texts)
    if is_a(frame, "pandas", "DataFrame"):
        made = np.empty(len(texts), dtype=object)
        made[:] = texts.to_list()
        return frame.assign(**{texts.name: made})
    return frame.set_column(frame.column_names.index(texts.name), texts.name, texts.to_arrow())


def _with_lists(frame: Any, lists: pl.Series, column: ListColumn) -> Any:
    import pandas as pd  # late: pandas is optional

    if column.arrow is not None:
        return frame.assign(**{lists.name: pd.array(_arrow_lists(lists, column), dtype=pd.ArrowDtype(column.arrow))})
    made = np.empty(len(lists), dtype=object)
    made[:] = lists.to_list()
    return frame.assign(**{lists.name: made})


def _with_arrow(frame: Any, lists: pl.Series, column: ListColumn) -> Any:
    place = frame.column_names.index(lists.name)
    array = _arrow_lists(lists, column)
    return frame.set_column(place, frame.schema.field(place).with_type(array.type), array)


def _arrow_lists(lists: pl.Series, column: ListColumn) -> Any:
    """In the type that it had; one of another length or of numbers only is given up where the items do not fit it."""
    import pyarrow as pa  # late: pyarrow is optional

    array = lists.to_arrow()
    try:
        return array.cast(column.arrow)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return array
