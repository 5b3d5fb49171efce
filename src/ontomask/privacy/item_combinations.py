"""Combinations of items in a column of sets: which of at most m items occur in fewer than k records, or other units.

Items are texts, as whoever reads the release sees them. Combinations are counted one item after the other: all those whose
rarest item it is. Each of them is seen with all its records at once, and few at a time are held in memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ontomask.arrays import Longs
from ontomask.privacy.units import Units


@dataclass(frozen=True, eq=False)
class ItemRows:
    """Every item of every record: ``record[i]`` has ``item[i]``, those of a record together and in ascending order, the rarest
    item of all being 0; a record's items end before ``end[i]``. ``texts``: what each item is."""

    record: Longs
    item: Longs
    end: Longs
    texts: list[str]

    @staticmethod
    def of(values: pl.Series, separator: str) -> ItemRows:
        """The items of a column of texts; a missing value has none."""
        split = pl.col("text").str.split(separator).list.eval(pl.element().str.strip_chars())
        rows = (
            values.cast(pl.String)
            .to_frame("text")
            .with_row_index("record")
            .select("record", split.alias("item"))
            .explode("item")
            .filter(pl.col("item").is_not_null() & (pl.col("item") != ""))
            .unique()
        )
        often = rows.group_by("item").len().sort("len", "item").with_row_index("code")
        coded = rows.join(often.select("item", "code"), on="item").sort("record", "code")
        record = coded["record"].cast(pl.Int64).to_numpy()
        last = np.flatnonzero(np.diff(record, append=-1)) + 1
        end = np.repeat(last, np.diff(last, prepend=0)) if len(record) else last
        return ItemRows(record, coded["code"].cast(pl.Int64).to_numpy(), end, often["item"].to_list())

    def rare(self, k: int, m: int, units: Units) -> tuple[int, list[tuple[tuple[int, ...], int]], NDArray[np.bool_]]:
        """How many units the rarest combination of at most m items has, the combinations of the least size that fewer than k
        have, with how many, and which records have one of them."""
        least, found = len(self.record), []
        failing = np.zeros(int(self.record.max(initial=-1)) + 1, dtype=np.bool_)
        for size in range(1, m + 1):
            for items, records, key in self._combinations(size):
                counts = units.take(records).sizes(key, len(items))
                least = min(least, int(counts.min()))
                rare = counts < k
                failing[records[rare[key]]] = True
                found += [(tuple(items[i].tolist()), int(counts[i])) for i in np.flatnonzero(rare)]
            if found:
                break
        return least, found, failing

    def _combinations(self, size: int) -> Iterator[tuple[Longs, Longs, Longs]]:
        """The combinations of so many items, those of one rarest item at a time: their items, one row for each, and for each
        time that one occurs the record and the row."""
        order = np.argsort(self.item, kind="stable")
        begins = np.searchsorted(self.item[order], np.arange(len(self.texts) + 1))
        for first in range(len(self.texts)):
            place = order[begins[first] : begins[first + 1]]
            places = place[:, None]
            for _ in range(size - 1):  # each combination goes on with every later item of its record
                last = places[:, -1]
                more = self.end[last] - last - 1
                source = np.repeat(np.arange(len(last)), more)
                step = np.arange(len(source)) - np.repeat(np.cumsum(more) - more, more) + 1
                places = np.column_stack((places[source], last[source] + step))
            if len(places):
                items, key = np.unique(self.item[places], axis=0, return_inverse=True)
                yield items, self.record[places[:, 0]], key.reshape(-1)
