"""``ontomask join``: the columns of a second table added to the records of a first one, by a key that they share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import polars as pl

from ontomask.arguments import counted, did_you_mean, free_name, some_of
from ontomask.errors import DataError
from ontomask.microdata.open_table import open_as_written
from ontomask.microdata.reading_options import Reading


class Joined(NamedTuple):
    """Records with the columns of both tables; ``alone`` of them found no key in the second one, and miss its values;
    ``unused`` rows of the second table belong to none of them."""

    data: pl.DataFrame
    alone: int
    unused: int


def joined(records: Any, table: Any, by: Sequence[str], reading: Reading | None = None) -> Joined:
    """All records of the first table, in their order, with the columns that the second table has for their key.

    ``records`` and ``table`` are frames or paths. Keys are compared as texts. A key that is missing finds nothing.
    """
    keys = list(dict.fromkeys(by))
    first, second = (_opened(source, keys, reading, which) for source, which in ((records, "first"), (table, "second")))
    both = [name for name in second.columns if name in first.columns and name not in keys]
    if both:
        raise DataError(
            f"both tables have {some_of([repr(name) for name in both])}",
            remedy="Rename or remove the columns in one of them, or name them as keys (--by).",
        )
    named = second.drop_nulls(keys)
    repeated = len(named) - named.select(keys).n_unique()
    if repeated:
        raise DataError(
            f"the second table has {counted(repeated, 'row')} whose key ({', '.join(keys)}) an earlier row has already",
            remedy="Give it one row for each key: ontomask gather makes sets of the rows of a key.",
        )
    found = free_name("found", [*first.columns, *second.columns])
    marked = named.with_columns(pl.lit(value=True).alias(found))
    data = first.join(marked, on=keys, how="left", maintain_order="left")
    used = len(named.join(first, on=keys, how="semi"))
    return Joined(data.drop(found), int(data[found].null_count()), len(second) - used)


def _opened(source: Any, keys: Sequence[str], reading: Reading | None, which: str) -> pl.DataFrame:
    data = open_as_written(source, text=keys, reading=reading).data
    for key in keys:
        if key not in data.columns:
            raise DataError(
                f"the {which} table has no column {key!r}",
                remedy=f"{did_you_mean(key, data.columns)}Name a column that both tables have.",
            )
    return data.with_columns(pl.col(list(keys)).cast(pl.String))
