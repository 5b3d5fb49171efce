"""Encoded columns: values as integer codes in the order first seen, with what each kind knows of them.

The centre of a group is, by kind: the position of a concept in the taxonomy (nominal), a code (flat), a rank (ordinal)
or a number (numeric); -1 and NaN stand for a missing value. ``decode`` turns centres into values in the style of the
column.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ontomask.arguments import counted, short, some_of
from ontomask.errors import DataError
from ontomask.microdata.attributes import Attribute, Nominal, Numeric, Ordinal
from ontomask.microdata.dates import read_dates
from ontomask.microdata.precision import own_decimals, rounded
from ontomask.microdata.spelling import is_text, spelled_alike
from ontomask.taxonomy.matching import Matching, match_counts
from ontomask.taxonomy.taxonomy import Taxonomy

Codes = NDArray[np.int32]
Longs = NDArray[np.int64]
Floats = NDArray[np.float64]

#: No number of a numeric column may be larger: squares and sums of them would overflow.
HUGE = 1e150


@dataclass(frozen=True, eq=False)
class Column:
    """A column of n records over V distinct values; ``missing`` is the code of a missing value, if there is one."""

    name: str
    attribute: Attribute
    codes: Codes
    values: pl.Series  # of each code; null for the missing one
    missing: int | None

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def counts(self) -> Longs:
        return np.bincount(self.codes, minlength=len(self)).astype(np.int64)

    @property
    def where(self) -> str:
        return f"column {self.name!r}"

    @property
    def own(self) -> NDArray[Any]:
        """The centre that each code is itself."""
        return np.arange(len(self))

    def decode(self, centres: NDArray[Any]) -> pl.Series:
        """The values of centres; a flat column's centres are codes."""
        return self.values.gather(centres.astype(np.int64)).rename(self.name)


@dataclass(frozen=True, eq=False)
class NominalColumn(Column):
    """``concepts``: the position of each code in the taxonomy, -1 for missing; every concept has one code.

    ``span``: concepts of another column that this one is measured against.
    """

    taxonomy: Taxonomy = field(kw_only=True)
    concepts: Longs = field(kw_only=True)
    by_label: bool = field(kw_only=True)
    dotless: bool = field(kw_only=True)
    span: Longs = field(kw_only=True, default_factory=lambda: np.zeros(0, dtype=np.int64))

    @property
    def attr(self) -> Nominal:
        assert isinstance(self.attribute, Nominal)
        return self.attribute

    @property
    def own(self) -> NDArray[Any]:
        return self.concepts

    def spell(self, position: int) -> str:
        """A concept that need not be in the column, written as the column writes its concepts.

        A label that would be read as another concept says nothing: the code stands in its place.
        """
        code = self.taxonomy.concepts[position]
        if self.by_label:
            label = self.taxonomy.label(code)
            read = match_counts(Counter([label]), self.taxonomy, self.attr.mapping, self.attr.language)
            return label if read.concepts.get(label) == code else code
        return code.replace(".", "") if self.dotless else code

    def decode(self, centres: NDArray[Any]) -> pl.Series:
        """Concepts of the column as they are written there, others by code or label."""
        distinct, place = np.unique(centres, return_inverse=True)
        code_of = {int(concept): code for code, concept in enumerate(self.concepts) if concept >= 0}
        codes = [code_of.get(int(concept), -1) for concept in distinct]
        if all(code >= 0 or concept < 0 for code, concept in zip(codes, distinct, strict=True)):
            # All are values of the column: its type can stay.
            spelled = self.values.gather([max(code, 0) for code in codes])
            if (distinct < 0).any():
                spelled = pl.select(
                    pl.when(pl.Series(distinct >= 0)).then(spelled).otherwise(None).alias(self.name)
                ).to_series()
        else:
            originals = self.values.to_list()
            kept = not self.values.dtype.is_float()  # a decimal no longer shows how its code is written
            spelled = pl.Series(
                [
                    None if concept < 0 else str(originals[code]) if kept and code >= 0 else self.spell(int(concept))
                    for code, concept in zip(codes, distinct, strict=True)
                ],
                dtype=pl.String,
            )
        return spelled.gather(place).rename(self.name)


@dataclass(frozen=True, eq=False)
class OrdinalColumn(Column):
    """``ranks``: of each code on a scale of ``levels``, -1 for missing."""

    ranks: Longs = field(kw_only=True)
    levels: int = field(kw_only=True)

    @property
    def own(self) -> NDArray[Any]:
        return self.ranks

    def decode(self, centres: NDArray[Any]) -> pl.Series:
        """A median is the rank of a value that occurs in the column."""
        code_of = np.full(self.levels + 1, -1)
        code_of[self.ranks] = np.arange(len(self.ranks))  # rank -1 stands last, for missing
        return self.values.gather(code_of[centres]).rename(self.name)


@dataclass(frozen=True, eq=False)
class NumericColumn(Column):
    """``numbers``: of each code, NaN for missing."""

    numbers: Floats = field(kw_only=True)

    @property
    def own(self) -> NDArray[Any]:
        return self.numbers

    def rounded(self, centres: NDArray[Any]) -> NDArray[Any]:
        """Means as the attribute wants them shown: as precise as the column itself, unless it says otherwise."""
        if self.decimals is None:
            return centres + 0.0  # -0.0 becomes 0.0
        return rounded(centres, self.decimals, float(np.nanmax(np.abs(self.numbers), initial=0.0)))

    @cached_property
    def decimals(self) -> int | None:
        """To how many decimals means are shown; None: as computed."""
        assert isinstance(self.attribute, Numeric)
        if self.attribute.decimals is None:
            return own_decimals(self.numbers, single=self.values.dtype == pl.Float32)
        return None if self.attribute.decimals == "exact" else self.attribute.decimals

    @property
    def step(self) -> float:
        """What means are a multiple of."""
        return 0.0 if self.decimals is None else 10.0**-self.decimals

    def decode(self, centres: NDArray[Any]) -> pl.Series:
        """Numbers; of the column's own type where all of them fit it."""
        numbers = pl.Series(self.name, centres, dtype=pl.Float64).fill_nan(None)
        if self.values.dtype.is_integer():
            whole = numbers.cast(self.values.dtype, strict=False)
            if whole.null_count() == numbers.null_count() and (whole.cast(pl.Float64) == numbers).all():
                return whole
        elif self.values.dtype == pl.Float32:
            return numbers.cast(pl.Float32)
        return numbers


# ---- making them -------------------------------------------------------------------------------------------------


def factorize(values: pl.Series) -> tuple[Codes, pl.Series]:
    """The code of each value and the distinct values, in the order first seen; null is a value."""
    frame = pl.DataFrame({"value": values})
    distinct = frame.unique(maintain_order=True)
    if len(distinct) == 1:  # a join finds a single NaN unlike itself
        return np.zeros(len(values), dtype=np.int32), distinct["value"]
    numbered = distinct.with_columns(pl.int_range(pl.len(), dtype=pl.Int32).alias("code"))
    joined = frame.join(numbered, on="value", how="left", nulls_equal=True, maintain_order="left")
    return joined["code"].to_numpy().astype(np.int32, copy=False), distinct["value"]


def encode_column(
    name: str, attribute: Attribute, values: pl.Series, notes: list[str], rows: Longs | None = None
) -> Column:
    """A column of the data as its attribute says; missing values are categories by now.

    ``rows`` are the places of the records in the input, where some of it was dropped: errors speak of these.
    """
    if isinstance(attribute, Numeric):
        values = _only_numbers(name, values, rows)
    elif isinstance(attribute, Ordinal) and values.dtype.is_float():
        _refuse_odd(name, values, ~values.is_finite(), "NaN or infinite", rows)
    codes, distinct = factorize(values)
    missing = next(iter(np.flatnonzero(distinct.is_null().to_numpy()).tolist()), None)
    if isinstance(attribute, Nominal):
        return _nominal(name, attribute, codes, distinct, missing, notes)
    if isinstance(attribute, Ordinal):
        ranks, levels = _ranks(name, attribute, distinct, codes, notes, rows)
        return OrdinalColumn(name, attribute, codes, distinct, missing, ranks=ranks, levels=levels)
    if isinstance(attribute, Numeric):
        numbers = distinct.cast(pl.Float64).fill_null(float("nan")).to_numpy()
        return NumericColumn(name, attribute, codes, distinct, missing, numbers=numbers)
    if attribute.quasi and is_text(distinct.dtype):
        notes += [f"{name}: {note}" for note in spelled_alike(distinct)]
    return Column(name, attribute, codes, distinct, missing)


def rows_where(mask: pl.Series, rows: Longs | None = None, most: int = 10) -> tuple[str, list[int]]:
    """The records a condition holds for, counted from 1: some of them as text, and all."""
    places = np.flatnonzero(mask.fill_null(value=False).to_numpy())
    found = [int(i) + 1 for i in (places if rows is None else rows[places])]
    shown = ", ".join(f"{row:,}" for row in found[:most]) + (", ..." if len(found) > most else "")
    return f"record{'s' if len(found) != 1 else ''} {shown}", found


def _refuse_odd(name: str, values: pl.Series, odd: pl.Series, what: str, rows: Longs | None) -> None:
    """An error that names the records where a number cannot be used."""
    if odd.any():
        shown, found = rows_where(odd, rows)
        raise DataError(
            f"holds {counted(len(found), 'value')} {'that is' if len(found) == 1 else 'that are'} {what} ({shown})",
            where=f"column {name!r}",
            remedy="Correct them, or make them missing (null) and say what a missing value means: missing=...",
            rows=found,
        )


def _only_numbers(name: str, values: pl.Series, rows: Longs | None) -> pl.Series:
    where = f"column {name!r}"
    if values.dtype == pl.Null:
        raise DataError("holds no value at all", where=where, remedy="Leave the column out of the policy and the data.")
    if values.dtype.is_decimal():
        floats = values.cast(pl.Float64)
        odd = floats.cast(values.dtype, strict=False).ne_missing(values)
        _refuse_odd(name, values, odd, "decimals with more digits than can be computed with", rows)
        values = floats
    if not values.dtype.is_numeric():
        raise _not_numeric(name, values, rows)
    if values.dtype.is_float():
        _refuse_odd(name, values, ~values.is_finite(), "NaN or infinite", rows)
    size = values.cast(pl.Float64).abs()
    if values.dtype.is_integer():
        # From here on, numbers are no longer told apart by what they are computed with.
        _refuse_odd(name, values, size >= 2.0**53, "beyond 9,007,199,254,740,991 (an identifier, perhaps?)", rows)
    _refuse_odd(name, values, size > HUGE, f"larger than {HUGE:g}", rows)
    low, high = values.cast(pl.Float64).min(), values.cast(pl.Float64).max()
    if isinstance(low, float) and isinstance(high, float) and 0 < high - low < 1 / HUGE:
        raise DataError(
            f"all values lie within {high - low:g} of each other",
            where=where,
            remedy="These differences are too small to compute with: choose a smaller unit.",
        )
    return values


def _not_numeric(name: str, values: pl.Series, rows: Longs | None) -> DataError:
    where = f"column {name!r}"
    if values.dtype == pl.String or values.dtype in (pl.Categorical, pl.Enum):
        text = values.cast(pl.String)
        odd = text.cast(pl.Float64, strict=False).is_null() & text.is_not_null()
        if odd.any():
            shown, found = rows_where(odd, rows)
            return DataError(
                f"is numeric in the policy and holds text in {len(found):,} of {counted(len(values), 'record')} ({shown})",
                where=where,
                remedy="Correct these values, or call the column Nominal, Ordinal or Flat.",
                rows=found,
            )
        return DataError(
            "is numeric in the policy and holds numbers stored as text",
            where=where,
            remedy="Convert the column to numbers first (are these codes? then it is Nominal or Flat).",
        )
    return DataError(
        f"is numeric in the policy and holds {values.dtype}",
        where=where,
        remedy="Convert it to numbers, or call the column Ordinal or Flat.",
    )


def _ranks(
    name: str, attribute: Ordinal, distinct: pl.Series, codes: Codes, notes: list[str], rows: Longs | None
) -> tuple[Longs, int]:
    """The rank of each distinct value, and how many ranks there are."""
    where = f"column {name!r}"
    dtype = distinct.dtype
    order = attribute.order
    if order is None:
        if isinstance(dtype, pl.Enum):
            return distinct.to_physical().cast(pl.Int64).fill_null(-1).to_numpy(), len(dtype.categories)
        if dtype.is_numeric() or dtype.is_temporal() or dtype == pl.Boolean:
            return _by_size(distinct)
        times = read_dates(distinct) if dtype == pl.String else None
        if times is not None and times.n_unique() == len(times):
            notes.append(f"{name}: dates written as text, taken in the order of time")
            return _by_size(times)
        raise DataError(
            f"is ordinal, holds {'text' if dtype == pl.String else dtype} and has no order",
            where=where,
            remedy="List the values from first to last: Ordinal(order=[...]). "
            "Dates need none if all are written alike, as 2024-05-31, 2024-05-31T12:30 or 31.05.2024.",
        )
    place = {value: rank for rank, value in enumerate(order)}
    listed = distinct.to_list()
    unknown = [code for code, value in enumerate(listed) if value is not None and value not in place]
    if unknown:
        odd = pl.Series(np.isin(codes, unknown))
        _, found = rows_where(odd, rows)
        shown = some_of([short(repr(listed[code]), 40) for code in unknown])
        raise DataError(
            f"holds {counted(len(unknown), 'value')} that the order does not have: {shown} "
            f"({counted(len(found), 'record')})",
            where=where,
            remedy=f"Add them to order= where they belong. It has: {', '.join(map(repr, order[:12]))}."
            + (" (In a file, put no and yes in quotes: YAML takes them for false and true.)" if True in order else ""),
            rows=found,
        )
    return np.array([-1 if value is None else place[value] for value in listed], dtype=np.int64), len(order)


def _by_size(distinct: pl.Series) -> tuple[Longs, int]:
    """The ranks of numbers or dates, and how many there are."""
    ranks = (distinct.to_physical().rank("dense").cast(pl.Int64) - 1).fill_null(-1).to_numpy()
    return ranks, int(ranks.max(initial=0)) + 1


def _nominal(
    name: str, attribute: Nominal, codes: Codes, distinct: pl.Series, missing: int | None, notes: list[str]
) -> NominalColumn:
    """Values to concepts; values of the same meaning become one."""
    taxonomy = attribute.load()
    counts = np.bincount(codes, minlength=len(distinct))
    texts = [None if value is None else str(value) for value in distinct.to_list()]
    tally: Counter[str] = Counter()
    for text, count in zip(texts, counts.tolist(), strict=True):
        if text is not None:
            tally[text] += count
    numbers = tally if distinct.dtype.is_numeric() else ()
    matching = match_counts(tally, taxonomy, attribute.mapping, attribute.language, numbers).require_all(name)
    notes += [f"{name}: {note}" for note in matching.notes]
    position = {text: taxonomy.position(concept) for text, concept in matching.concepts.items()}
    concept_of = np.array([-1 if text is None else position[text] for text in texts], dtype=np.int64)

    order: dict[int, list[int]] = {}
    for code, concept in enumerate(concept_of.tolist()):
        order.setdefault(concept, []).append(code)
    new = np.empty(len(distinct), dtype=np.int32)
    kept = []
    for place, same in enumerate(order.values()):
        new[same] = place
        kept.append(max(same, key=lambda code: (counts[code], -code)))  # the most frequent spelling stands for all
    merged = [(texts[keep], len(same)) for keep, same in zip(kept, order.values(), strict=True) if len(same) > 1]
    if merged:
        notes.append(
            f"{name}: {counted(len(merged), 'concept')} written in several ways, now each in its most frequent one"
        )
    return NominalColumn(
        name,
        attribute,
        new[codes],
        distinct.gather(kept),
        None if missing is None else int(new[missing]),
        taxonomy=taxonomy,
        concepts=np.array(list(order), dtype=np.int64),
        by_label=_by_label(attribute, matching),
        dotless=any("." in row.concept and "." not in row.value for row in matching.rows if row.how == "code")
        and not any("." in row.value for row in matching.rows),
    )


def _by_label(attribute: Nominal, matching: Matching) -> bool:
    """Does the column hold labels rather than codes?"""
    if attribute.style != "auto":
        return attribute.style == "label"
    t = matching.taxonomy
    # A mapping may hold every value of the column: what would be a label without it still is one.
    mapped = (row.value for row in matching.rows if row.how == "mapping" and t.find(row.value) is None)
    labels = sum(row.how in ("label", "synonym", "stem") for row in matching.rows)
    labels += sum(bool(t.lexicon.by_term(value)[1]) for value in mapped)
    return labels > len(matching.rows) / 2
