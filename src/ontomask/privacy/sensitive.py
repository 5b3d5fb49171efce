"""Sensitive columns for privacy models: codes of values, and facts about the values.

Spellings of one text are one value, and texts that say that nothing is known are missing (see
:mod:`ontomask.microdata.spelling`): neither is diversity.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ontomask.arguments import counted
from ontomask.arrays import Floats, Longs
from ontomask.microdata.attributes import ConceptAttribute
from ontomask.microdata.codes import factorize
from ontomask.microdata.item_lists import count_items, split_items
from ontomask.microdata.spelling import as_number, fold_text, is_silent, is_text
from ontomask.privacy.units import Units
from ontomask.taxonomy.match_result import Matching

if TYPE_CHECKING:
    from ontomask.privacy.examined import Examined

#: Of a column's name, its attribute, its counted texts and those of them that are stored as numbers: the concepts they mean.
Match = Callable[[str, ConceptAttribute, Counter[str], Collection[str]], Matching]


@dataclass(frozen=True)
class Spelling:
    """What was read into the texts of a column: ``texts`` different ones taken as ``values``; ``silent``: records whose
    text says that nothing is known."""

    texts: int = 0
    values: int = 0
    silent: int = 0


@dataclass(frozen=True, eq=False)
class Values:
    """The distinct values of a column, ``counts`` of each; equal meanings of a nominal column are one value.

    ``missing``: the code of the missing value, if there is one. ``concepts``: where each stands in the taxonomy of a
    nominal column, -1 where it is missing or unknown there. ``keys``: what makes values equal, None for the missing one.
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
    keys: Sequence[Hashable] = ()
    spelling: Spelling = field(default_factory=Spelling)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def nominal(self) -> ConceptAttribute:
        """The attribute of a column of ``concepts``."""
        attribute: ConceptAttribute = self.attribute
        return attribute

    @cached_property
    def positions(self) -> Floats | None:
        """Where each value lies, NaN if it is missing; None: not all of the values lie on a line."""
        if self.values.dtype.is_numeric():
            return self.values.cast(pl.Float64).fill_null(np.nan).to_numpy()
        positions: Floats | None = None if self.attribute is None else self.attribute.positions(self.values)
        return None if positions is None or np.isnan(positions).sum() > self.values.null_count() else positions

    @cached_property
    def alike(self) -> Longs | None:
        """For each code the first one whose text is the same number, as 1, 1.0 and 01 are; None if there are none.

        Where they are codes they may differ: models that must not see too little use the codes themselves.
        """
        if not any(isinstance(key, str) for key in self.keys):
            return None
        first: dict[Any, int] = {}
        found = np.arange(len(self), dtype=np.int64)
        for code, key in enumerate(self.keys):
            number = as_number(key) if isinstance(key, str) else None
            if number is not None:
                found[code] = first.setdefault(number, code)
        return found if (found != np.arange(len(self))).any() else None


@dataclass(frozen=True, eq=False)
class Sensitive:
    """The sensitive columns of a table that models look at, and what is counted; ``gaps``: how many values are missing."""

    columns: Mapping[str, Values]
    units: Units
    gaps: int = 0

    @staticmethod
    def of(columns: Mapping[str, Values], units: Units) -> Sensitive:
        gaps = sum(int(column.counts[column.missing]) for column in columns.values() if column.missing is not None)
        return Sensitive(columns, units, gaps)

    def weights(self, column: Values) -> NDArray[Any]:
        """How much each value of a column weighs in the whole table."""
        return self.units.weights(column.of, column.counts)

    @cached_property
    def codes(self) -> dict[str, Longs]:
        return {name: column.of for name, column in self.columns.items()}

    @cached_property
    def silent(self) -> int:
        """How many of the missing values are texts such as NA."""
        return sum(column.spelling.silent for column in self.columns.values())

    def spellings(self) -> list[str]:
        """What was read into texts, in words: numbers and columns, no values."""
        return [
            f"{name}: {column.spelling.texts:,} spellings taken as {counted(column.spelling.values, 'value')}"
            for name, column in self.columns.items()
            if column.spelling.texts
        ]

    def missing_in_words(self, how: str) -> list[str]:
        """How many values are missing, and ``how`` they count."""
        if not self.gaps:
            return []
        written = f", {self.silent:,} of them written as text" if self.silent else ""
        return [f"{counted(self.gaps, 'missing value')}{written}: {how}"]

    def codes_of(self, table: Examined) -> dict[str, Longs] | None:
        """Codes of another table of the same values, such as a release that lost records; None if it has others."""
        found = {}
        for name, column in self.columns.items():
            other = table.values(name)
            place = {key: code for code, key in enumerate(column.keys)}
            known = [place.get(key, -1) for key in other.keys]
            if -1 in known:
                return None
            found[name] = np.array(known, dtype=np.int64)[other.of]
        return found


def values_of(name: str, series: pl.Series, attribute: Any, match: Match, counts: Longs | None = None) -> Values:
    """The values of a column as its attribute says, spellings of one value as one; ``match`` finds the meaning of texts.

    ``counts``: how many records each row stands for, if it is not one.
    """
    if series.dtype.is_float():
        series = series.fill_nan(None)  # both stand for a missing value
    first, values = factorize(series)
    code = first.astype(np.int64)
    keys: list[Hashable] = values.to_list()
    spelling, concepts = Spelling(), None
    nominal = attribute is not None and attribute.named_taxonomy is not None
    if nominal or is_text(values.dtype):
        texts = [None if value is None else str(value) for value in values.to_list()]
        often = np.bincount(code, counts, len(values)).astype(np.int64)
        read: list[Hashable]
        if nominal:
            read = _concept_keys(name, attribute, texts, often, match, numeric=values.dtype.is_numeric())
        else:
            read = [_text_key(text) for text in texts]
        merged, kept, keys = _merged(read)
        spelling = spelling_of(texts, read, often)
        code = merged[code]
        known = pl.Series([key is not None for key in keys], dtype=pl.Boolean)
        values = pl.select(pl.when(known).then(values.gather(kept)).alias("value")).to_series()
        concepts = np.array([k if isinstance(k, int) else -1 for k in keys], dtype=np.int64) if nominal else None
    number = np.bincount(code, counts, len(values)).astype(np.int64)
    missing = next((place for place, key in enumerate(keys) if key is None), None)
    return Values(name, attribute, values, number, concepts, code, missing, keys=keys, spelling=spelling)


def _text_key(text: str | None) -> str | None:
    folded = "" if text is None else fold_text(text)
    return None if is_silent(folded) else folded


def _concept_keys(
    name: str,
    attribute: ConceptAttribute,
    texts: list[str | None],
    counts: NDArray[Any],
    match: Match,
    *,
    numeric: bool,
) -> list[Hashable]:
    """The place of a text's concept in the taxonomy; without one, the text as it is compared."""
    tally: Counter[str] = Counter()
    for text, count in zip(texts, counts.tolist(), strict=True):
        if text is not None:
            tally[text] += count
    sign = attribute.separator
    items = tally if sign is None else count_items(tally, sign)
    matching = match(name, attribute, items, items if numeric else ())
    concepts, position = matching.concepts, matching.taxonomy.position

    def key(text: str | None) -> Hashable:
        return int(position(concepts[text])) if text in concepts else _text_key(text)

    return [
        key(text) if text is None or sign is None else _set_key(map(key, split_items(text, sign))) for text in texts
    ]


def _set_key(items: Iterable[Hashable]) -> Hashable:
    """What makes sets equal: their items, in no order; of one item what makes that equal."""
    own = frozenset(items)
    return next(iter(own)) if len(own) == 1 else own


def _merged(keys: Sequence[Hashable]) -> tuple[Longs, list[int], list[Hashable]]:
    """The new code of each value; of each new code the first value and its key."""
    place: dict[Hashable, int] = {}
    kept = []
    merged = np.empty(len(keys), dtype=np.int64)
    for i, key in enumerate(keys):
        if key not in place:
            place[key] = len(place)
            kept.append(i)
        merged[i] = place[key]
    return merged, kept, list(place)


def spelling_of(texts: Sequence[str | None], keys: Sequence[Hashable], counts: NDArray[Any]) -> Spelling:
    """What was read into distinct texts, by the keys that make them equal (None: missing) and how often each occurs."""
    often = Counter(key for key in keys if key is not None)
    several = [number for number in often.values() if number > 1]
    silent = sum(
        int(count)
        for text, key, count in zip(texts, keys, counts.tolist(), strict=True)
        if text is not None and key is None
    )
    return Spelling(sum(several), len(several), silent)
