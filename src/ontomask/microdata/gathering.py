"""``gather``: from a long table, a row for each item, to one record for each key with a column of sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from ontomask.arguments import as_values, counted, did_you_mean, free_name, some_of
from ontomask.errors import DataError, OptionError
from ontomask.microdata.item_lists import given_separator, join_items
from ontomask.microdata.open_table import open_as_written
from ontomask.microdata.reading_options import Reading
from ontomask.microdata.refusals import rows_where


def gather(
    frame: Any,
    *,
    by: str | Sequence[str],
    set: str,
    separator: str = "|",
    drop: str | Sequence[str] = (),
    reading: Mapping[str, Any] | None = None,
) -> Any:
    """From a long table, a row for each item, to one record for each key with a column of sets.

    Parameters
    ----------
    frame : DataFrame or path
        A pandas, Polars or PyArrow frame, or the path of a file.
    by : str or sequence of str
        The column, or columns, whose rows become one record.
    set : str
        The column of items.
    separator : str, default '|'
        What separates the items of a set; the same is ``many`` of the column in a policy.
    drop : str or sequence of str, optional
        Columns to leave out, such as the number of an item.
    reading : mapping, optional
        How a file is read, as in a policy.

    Returns
    -------
    DataFrame
        Of the kind that came in, of a file a Polars frame: keys in the order first seen, items in the order of their texts,
        each once. A key whose items are all missing has the empty set, which is written as the separator alone.

    Raises
    ------
    DataError
        If another column is not the same in all rows of a key.

    Examples
    --------
    >>> import ontomask as om, polars as pl
    >>> long = pl.DataFrame({"stay": [1, 1, 2], "age": [60, 60, 31], "code": ["428.0", "250.00", "486"]})
    >>> om.gather(long, by="stay", set="code").rows()
    [(1, 60, '250.00|428.0'), (2, 31, '486')]
    """
    return gathered(frame, by, set, separator, drop, None if reading is None else Reading(**reading)).data


class Gathered(NamedTuple):
    """A gathered table, and how many rows became how many records."""

    data: Any
    rows: int
    records: int


def gathered(
    frame: Any,
    by: str | Sequence[str],
    items: str,
    separator: str = "|",
    drop: str | Sequence[str] = (),
    reading: Reading | None = None,
) -> Gathered:
    """:func:`gather`, with the numbers of rows."""
    keys = list(dict.fromkeys([by] if isinstance(by, str) else as_values(by, "key columns")))
    dropped = [drop] if isinstance(drop, str) else as_values(drop, "columns to leave out")
    try:
        sign = given_separator(separator)
    except ValueError as problem:
        raise OptionError(f"separator: {problem}", remedy="Give a sign such as '|'.") from None
    assert sign is not None
    opened = open_as_written(frame, text=[*keys, items], reading=reading)
    data = opened.data
    _require_columns(data, [*keys, items, *dropped])
    if clash := [name for name in (*keys, *dropped) if name == items or (name in keys and name in dropped)]:
        raise OptionError(f"the column {clash[0]!r} is named twice: as key, items or left out", remedy="Name it once.")
    data = data.drop(dropped)
    texts = data[items].cast(pl.String)
    _require(data[items], texts.str.contains(sign, literal=True), f"an item with the separator {sign!r} in it")
    for key in keys:
        _require(data[key], data[key].is_null(), "no key")
    records = _gathered(data.with_columns(texts), keys, items, sign)
    return Gathered(opened.native.restore(records), len(data), len(records))


def _gathered(data: pl.DataFrame, keys: list[str], items: str, separator: str) -> pl.DataFrame:
    """One pass over the rows; those of a key need not stand together."""
    others = [name for name in data.columns if name not in (*keys, items)]
    place = free_name("row", data.columns)
    times = {name: free_name(f"values of {name}", data.columns) for name in others}
    records = (
        data.lazy()
        .with_row_index(place)
        .group_by(keys)
        .agg(
            pl.col(place).min(),
            pl.col(items).drop_nulls().unique().sort(),
            pl.col(others).first(),
            *(pl.col(name).n_unique().alias(own) for name, own in times.items()),
        )
        .sort(place)
        .collect()
    )
    for name, own in times.items():
        several = records.filter(pl.col(own) > 1)
        if len(several):
            raise DataError(
                f"is not the same in all rows of one {some_of([repr(key) for key in keys])}: {len(several):,} of "
                f"{counted(len(records), 'key')} have different values, the first of them {several[own][0]:,}",
                where=f"column {name!r}",
                remedy="Leave the column out (drop), or name it among the key columns (by).",
            )
    lists = records[items].to_list()
    joined = pl.Series(items, [join_items(own, separator) for own in lists], dtype=pl.String)
    return records.with_columns(joined).select(data.columns)


def _require_columns(data: pl.DataFrame, names: list[str]) -> None:
    for name in names:
        if name not in data.columns:
            raise DataError(
                f"no column {name!r}",
                remedy=did_you_mean(name, data.columns) + f"The data have: {', '.join(map(repr, data.columns[:30]))}.",
            )


def _require(column: pl.Series, odd: pl.Series, what: str) -> None:
    if odd.any():
        shown, rows = rows_where(odd)
        raise DataError(
            f"has {what} in {counted(len(rows), 'row')} ({shown})",
            where=f"column {column.name!r}",
            remedy="Correct or remove these rows, or choose another separator.",
            rows=rows,
        )
