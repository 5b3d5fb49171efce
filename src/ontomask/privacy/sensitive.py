"""Sensitive columns as models see them: codes of values, and what is known of the values."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

Longs = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Values:
    """The distinct values of a column, ``counts`` of each; equal meanings of a nominal column are one value.

    ``missing``: the code of the missing value, if there is one. ``concepts``: where each stands in the taxonomy of a
    nominal column, -1 where it is missing or unknown there.
    ``numbers``: what else is known of each value, a column for each.
    """

    name: str
    attribute: Any
    values: pl.Series
    counts: Longs
    concepts: Longs | None
    of: Longs
    missing: int | None = None
    numbers: NDArray[np.float64] | None = None

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def share(self) -> NDArray[np.float64]:
        """The distribution of the whole table."""
        share: NDArray[np.float64] = self.counts / self.counts.sum()
        return share


@dataclass(frozen=True, eq=False)
class Sensitive:
    """The sensitive columns of a table that models look at; ``gaps``: how many of their values are missing."""

    columns: Mapping[str, Values]
    gaps: int = 0

    @staticmethod
    def of(data: pl.DataFrame, names: list[str], attributes: Mapping[str, Any]) -> Sensitive:
        columns = {name: _values(name, data[name], attributes.get(name)) for name in names}
        gaps = sum(int(column.counts[column.missing]) for column in columns.values() if column.missing is not None)
        return Sensitive(columns, gaps)

    @cached_property
    def codes(self) -> dict[str, Longs]:
        return {name: column.of for name, column in self.columns.items()}

    def codes_of(self, data: pl.DataFrame) -> dict[str, Longs] | None:
        """Codes of another table of the same values, such as a release that lost records; None if it has others."""
        found = {}
        for name, column in self.columns.items():
            other = _values(name, data[name], column.attribute)
            if column.concepts is not None and other.concepts is not None:
                keys = list(zip(column.concepts.tolist(), column.values.cast(pl.String).to_list(), strict=True))
                theirs = list(zip(other.concepts.tolist(), other.values.cast(pl.String).to_list(), strict=True))
                place = {_key(*key): code for code, key in enumerate(keys)}
                known = [place.get(_key(*key), -1) for key in theirs]
            else:
                place = {_same(value): code for code, value in enumerate(column.values.to_list())}
                known = [place.get(_same(value), -1) for value in other.values.to_list()]
            if -1 in known:
                return None
            found[name] = np.array(known, dtype=np.int64)[other.of]
        return found


def _same(value: Any) -> Any:
    """NaN equals itself here."""
    return "not a number" if isinstance(value, float) and math.isnan(value) else value


def _key(concept: int, text: str | None) -> Any:
    """What makes values equal: their concept; without one, how they are written."""
    return concept if concept >= 0 else text


def _values(name: str, series: pl.Series, attribute: Any) -> Values:
    if series.dtype.is_float():
        series = series.fill_nan(None)  # both stand for a missing value
    frame = pl.DataFrame({"value": series})
    distinct = frame.unique(maintain_order=True).with_columns(pl.int_range(pl.len(), dtype=pl.Int64).alias("code"))
    code = frame.join(distinct, on="value", how="left", nulls_equal=True, maintain_order="left")["code"].to_numpy()
    values = distinct["value"]
    concepts: Longs | None = None
    if getattr(attribute, "kind", None) == "nominal":
        merged, concepts, kept = _by_meaning(values, attribute)
        code, values = merged[code], values.gather(kept)
    counts = np.bincount(code, minlength=len(values)).astype(np.int64)
    gone = np.flatnonzero(values.is_null().to_numpy())
    missing = int(gone[0]) if len(gone) else None
    return Values(name, attribute, values, counts, concepts, code.astype(np.int64), missing)


def _by_meaning(values: pl.Series, attribute: Any) -> tuple[Longs, Longs, list[int]]:
    """Values of the same concept become one: different spellings are no diversity."""
    from ontomask.taxonomy.matching import match_counts

    taxonomy = attribute.load()
    texts = [None if value is None else str(value) for value in values.to_list()]
    matching = match_counts(
        Counter(text for text in texts if text is not None), taxonomy, attribute.mapping, attribute.language
    )
    place: dict[Any, int] = {}
    merged, concepts, kept = [], [], []
    for i, text in enumerate(texts):
        concept = taxonomy.position(matching.concepts[text]) if text in matching.concepts else -1
        key = _key(concept, text)
        if key not in place:
            place[key] = len(place)
            concepts.append(concept)
            kept.append(i)
        merged.append(place[key])
    return np.array(merged, dtype=np.int64), np.array(concepts, dtype=np.int64), kept
