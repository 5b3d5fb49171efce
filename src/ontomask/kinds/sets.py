"""Nominal columns that hold sets: several concepts in each record, in no order; the centre of a group is a set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ontomask.arrays import Longs, starts
from ontomask.errors import DataError
from ontomask.kinds.nominal_column import ConceptColumn, NominalColumn, by_label, dotless, merge_equal, merged_note
from ontomask.kinds.set_distance import SetDistance
from ontomask.microdata.codes import factorize
from ontomask.microdata.columns import Coded, Codes, counts_of, first_where
from ontomask.microdata.item_lists import count_items, join_items, split_items
from ontomask.statements import Statement, note
from ontomask.taxonomy.matching import as_mapping, match_counts
from ontomask.taxonomy.taxonomy import Taxonomy

if TYPE_CHECKING:
    from ontomask.kinds.nominal import Nominal
    from ontomask.microdata.column_distance import ColumnDistance


class Sets:
    """Sets of concepts by number. A set of one concept has the position of that concept for its number.

    The empty set and those of several concepts follow after all positions, as they are met.
    """

    def __init__(self, taxonomy: Taxonomy) -> None:
        #: The number of the empty set; what is below it is a single concept.
        self.empty = len(taxonomy)
        self._members: list[tuple[int, ...]] = [()]
        self._number: dict[tuple[int, ...], int] = {(): self.empty}
        self._adding = Lock()
        self._kept: tuple[int, Longs, Longs] = (0, np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64))

    def number(self, members: Iterable[int]) -> int:
        """The number of a set, whatever the order of its members, and however often each is named."""
        own = tuple(sorted(set(members)))
        if len(own) == 1:
            return own[0]
        with self._adding:
            if own not in self._number:
                self._number[own] = self.empty + len(self._members)
                self._members.append(own)
            return self._number[own]

    def members(self, number: int) -> tuple[int, ...]:
        """The concepts of a set, in taxonomy order; none of a missing value."""
        if number < self.empty:
            return (number,) if number >= 0 else ()
        return self._members[number - self.empty]

    def lists(self, numbers: Longs) -> tuple[Longs, Longs]:
        """The concepts of several sets, one after the other, and where each set begins."""
        begins, members = self._joined()
        several = numbers >= self.empty
        place = np.where(several, numbers - self.empty, 0)
        lengths = np.where(several, np.diff(begins)[place], numbers >= 0)
        at = starts(lengths)
        step = np.arange(at[-1]) - np.repeat(at[:-1], lengths)
        own = np.repeat(begins[place], lengths) + step
        concepts = np.where(np.repeat(several, lengths), members[np.minimum(own, len(members) - 1)], 0)
        concepts[at[:-1][~several & (numbers >= 0)]] = numbers[~several & (numbers >= 0)]
        return at, concepts

    def _joined(self) -> tuple[Longs, Longs]:
        """The concepts of all sets that are not of one concept, one after the other, and where each begins."""
        known, begins, members = self._kept
        if known < len(self._members):
            listed = self._members[:]
            begins = np.cumsum([0, *map(len, listed)], dtype=np.int64)
            members = np.array([concept for own in listed for concept in own] or [0], dtype=np.int64)
            self._kept = len(listed), begins, members
        return begins, members


@dataclass(frozen=True, eq=False)
class SetColumn(ConceptColumn):
    """``numbers``: the set of each code in ``sets``, -1 for missing; equal sets are one code.

    ``spelled``: how the column writes its concepts. Where every set has one concept, all is measured, averaged and shown as in
    a column of single concepts.
    """

    sets: Sets = field(kw_only=True, repr=False)
    numbers: Longs = field(kw_only=True)
    spelled: Mapping[int, str] = field(kw_only=True, repr=False)

    @property
    def separator(self) -> str:
        assert self.attr.many is not None
        return self.attr.many

    @property
    def centre_of_code(self) -> NDArray[Any]:
        return self.numbers

    def content(self) -> Iterator[bytes]:
        if self.single:
            yield from super().content()
            return
        at, concepts = self.sets.lists(self.numbers)
        for part in (np.sort(np.flatnonzero(self.numbers < 0)), at, concepts):
            yield np.ascontiguousarray(part, dtype="<i8").tobytes()

    @cached_property
    def single(self) -> bool:
        """Has every set one concept?"""
        return bool((self.numbers < self.sets.empty).all() and (self.span < self.sets.empty).all())

    @cached_property
    def items(self) -> NominalColumn:
        """The concepts of all sets, each with the records that have it; where sets have one each, the same codes."""
        at, concepts = self.sets.lists(self.numbers)
        span = np.unique(self.sets.lists(self.span)[1])
        if self.single:
            values, own, counts, missing = self.values, self.numbers, self.counts, self.missing
        else:
            _, first = np.unique(concepts, return_index=True)
            own = concepts[np.sort(first)]
            records = np.repeat(self.counts, np.diff(at))
            counts = np.bincount(concepts, records, len(self.taxonomy)).astype(np.int64)[own]
            texts = [self.spelled.get(int(concept)) for concept in own]
            values, missing = pl.Series(self.name, texts, dtype=pl.String), None
        return NominalColumn(
            self.name,
            self.attribute,
            values,
            counts,
            missing,
            taxonomy=self.taxonomy,
            concepts=own,
            by_label=self.by_label,
            dotless=self.dotless,
            span=span,
        )

    @property
    def meaning(self) -> NominalColumn | None:
        return self.items if self.single else None

    @property
    def item_sets(self) -> Self | None:
        return None if self.single else self

    def lists(self) -> tuple[Longs, Longs]:
        at, concepts = self.sets.lists(self.numbers)
        own = self.items.concepts
        order = np.argsort(own)
        return at, order[np.searchsorted(own[order], concepts)]

    def number_of(self, concepts: Iterable[int]) -> int:
        return self.sets.number(concepts)

    def concepts_of(self, number: int) -> tuple[int, ...]:
        return self.sets.members(number)

    def is_empty(self, centres: NDArray[Any]) -> NDArray[np.bool_]:
        empty: NDArray[np.bool_] = centres == self.sets.empty
        return empty

    def metric(self) -> ColumnDistance:
        return self.items.metric() if self.single else SetDistance(self)

    def known_centre(self, value: Any) -> Any:
        """Any set of concepts of the taxonomy: a text, or a list of them."""
        items = split_items(value, self.separator) if isinstance(value, str) else value
        listed = items if isinstance(items, (list, tuple, set, frozenset)) else [items]
        return self.sets.number(self.items.known_centre(item) for item in listed)

    def of_centres(self, centres: NDArray[Any], counts: Longs) -> Self:
        missing = first_where(self.is_missing(centres))
        return replace(self, counts=counts, values=self.decode(centres), missing=missing, numbers=centres)

    def _common(self, centres: Longs) -> int:
        concepts = self.sets.lists(centres)[1]
        if len(concepts):
            return self.taxonomy.dag.common_subsumer(np.unique(concepts))
        return self.sets.empty if (centres >= 0).any() else -1

    def encode_like(self, values: pl.Series) -> Coded:
        """Items that are written as in this column mean the same, others are matched."""
        codes = self.taxonomy.concepts
        read = {text: codes[concept] for concept, text in self.spelled.items()}
        own = self.attr.model_copy(update={"mapping": as_mapping(self.attr.mapping) | read})
        places, distinct = factorize(own.checked(self.name, values, None))
        missing = first_where(distinct.is_null().to_numpy())
        counts = counts_of(places, len(distinct))
        made, found = encode_sets(self.name, own, places, distinct, counts, missing, [], self.sets)
        return Coded(replace(made, attribute=self.attribute), found)

    def decode(self, centres: NDArray[Any]) -> pl.Series:
        """Sets as texts: concepts in taxonomy order, each as the column writes it, others by code or label."""
        if self.single and (centres < self.sets.empty).all():
            return self.items.decode(centres)
        distinct, place = np.unique(centres, return_inverse=True)
        texts = [None if number < 0 else self.text_of(int(number)) for number in distinct]
        return pl.Series(self.name, texts, dtype=pl.String).gather(place)

    def text_of(self, number: int) -> str:
        """How the column writes a set."""
        return join_items([self._item_text(concept) for concept in self.sets.members(number)], self.separator)

    def _item_text(self, concept: int) -> str:
        if concept not in self._texts:
            text = self.spelled[concept] if concept in self.spelled else self.items.spell(concept)
            if self.separator in text:
                text = self.taxonomy.concepts[concept]
            if self.separator in text:
                raise DataError(
                    f"the concept {text!r} of its taxonomy has the separator {self.separator!r} in its code",
                    where=self.where,
                    remedy="Choose another separator (many:).",
                )
            self._texts[concept] = text
        return self._texts[concept]

    @cached_property
    def _texts(self) -> dict[int, str]:
        return {}


def encode_sets(
    name: str,
    attribute: Nominal,
    codes: Codes,
    distinct: pl.Series,
    counts: Longs,
    missing: int | None,
    notes: list[Statement],
    sets: Sets | None = None,
) -> Coded:
    """Texts to sets of concepts; texts of the same set become one value. ``sets``: those that are known already."""
    assert attribute.many is not None
    taxonomy = attribute.load()
    sets = Sets(taxonomy) if sets is None else sets
    texts = [None if value is None else str(value) for value in distinct.to_list()]
    listed = [None if text is None else split_items(text, attribute.many) for text in texts]
    known = {text: count for text, count in zip(texts, counts.tolist(), strict=True) if text is not None}
    tally = count_items(Counter(known), attribute.many)
    stored = tally if distinct.dtype.is_numeric() else ()
    matching = match_counts(tally, taxonomy, attribute.mapping, attribute.language, stored).require_all(name)
    notes += [note(f"{name}: {text}", name) for text in matching.notes]
    position = {text: taxonomy.position(concept) for text, concept in matching.concepts.items()}

    numbers = [-1 if items is None else sets.number(position[item] for item in items) for items in listed]
    merged = merge_equal(np.array(numbers, dtype=np.int64), counts)
    spelled: dict[int, str] = {}
    several: Counter[int] = Counter()
    for text, concept in position.items():
        several[concept] += 1
        if concept not in spelled or tally[text] > tally[spelled[concept]]:
            spelled[concept] = text  # the most frequent spelling stands for all, the first of equals
    notes += merged_note(name, sum(times > 1 for times in several.values()))
    column = SetColumn(
        name,
        attribute,
        distinct.gather(merged.kept),
        merged.counts,
        None if missing is None else int(merged.code[missing]),
        taxonomy=taxonomy,
        sets=sets,
        numbers=merged.centres,
        spelled=spelled,
        by_label=by_label(attribute, matching),
        dotless=dotless(matching),
    )
    if not column.single:
        column = replace(column, values=column.decode(column.numbers))
    return Coded(column, merged.code[codes])
