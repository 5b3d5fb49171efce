"""Nominal columns: concepts of a taxonomy; the centre of a group is the position of a concept, -1 where it is missing."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Self, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ontomask.arguments import counted, short
from ontomask.arrays import Longs
from ontomask.errors import OptionError
from ontomask.hierarchies.levels import ANY
from ontomask.kinds.concept_distance import NominalDistance
from ontomask.microdata.columns import Coded, Codes, Column, encode_column, first_where
from ontomask.statements import Statement, note
from ontomask.taxonomy.match_result import Matching
from ontomask.taxonomy.matching import as_mapping, match_counts
from ontomask.taxonomy.taxonomy import Taxonomy

if TYPE_CHECKING:
    from ontomask.kinds.nominal import Nominal


@dataclass(frozen=True, eq=False)
class ConceptColumn(Column):
    """What columns of concepts, and of sets of them, have in common. Centres are whole numbers, -1 for missing.

    ``span``: centres of another column that this one is measured against.
    """

    taxonomy: Taxonomy = field(kw_only=True)
    by_label: bool = field(kw_only=True)
    dotless: bool = field(kw_only=True)
    span: Longs = field(kw_only=True, default_factory=lambda: np.zeros(0, dtype=np.int64))

    @property
    def attr(self) -> Nominal:
        return cast("Nominal", self.attribute)

    def is_missing(self, centres: NDArray[Any]) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = centres < 0
        return found

    def spanning(self, centre: Any) -> Self:
        if centre is None or centre < 0:
            return self
        return replace(self, span=np.union1d(self.span, [centre]).astype(np.int64))

    def remeasured(self, **changed: Any) -> Self:
        return replace(self, attribute=self.attribute.model_copy(update=changed))

    def centres_of_levels(
        self, group: NDArray[np.int32], first: Longs, spans: Any = None, concepts: Any = None
    ) -> NDArray[Any]:
        """What a level names, else what subsumes all concepts of the group."""
        if concepts is not None:
            return np.asarray(concepts, dtype=np.int64)[first]
        own = self.centre_of_code
        return np.array([self._common(own[group == g]) for g in range(len(first))], dtype=np.int64)

    @abstractmethod
    def _common(self, centres: Longs) -> int:
        """What subsumes all concepts of some centres."""

    def is_general(self, text: str | None, values: Collection[str | None]) -> bool:
        """What is shown is compared as what it means; only * is none."""
        return text == ANY and ANY not in values

    def with_values_of(self, masked: Column) -> Self:
        centres = masked.centre_of_code
        return replace(self, span=centres[centres >= 0])


@dataclass(frozen=True, eq=False)
class NominalColumn(ConceptColumn):
    """``concepts``: the position of each code in the taxonomy, -1 for missing; every concept has one code."""

    concepts: Longs = field(kw_only=True)

    @property
    def centre_of_code(self) -> NDArray[Any]:
        return self.concepts

    def metric(self) -> NominalDistance:
        return NominalDistance(self)

    def known_centre(self, value: Any) -> Any:
        """Any concept of the taxonomy."""
        if not isinstance(value, (str, int, float, np.generic)):
            raise OptionError(
                f"the reference {short(repr(value), 40)} is not a value",
                where=self.where,
                remedy="Give a concept of the taxonomy.",
            )
        text = str(value)
        numbers = (text,) if self.values.dtype.is_numeric() else ()
        read = match_counts(Counter([text]), self.taxonomy, self.attr.mapping, self.attr.language, numbers)
        for unmatched in read.unmatched:
            near = [suggestion.text for suggestion in unmatched.suggestions[:1]]
            raise OptionError(
                f"the reference {short(repr(value), 40)} is not in the taxonomy",
                where=self.where,
                remedy=f"Did you mean {near[0]!r}? Give a concept of the taxonomy."
                if near
                else "Give one of its concepts.",
            )
        return self.taxonomy.position(read.concepts[text])

    def spell(self, position: int) -> str:
        """A concept that need not be in the column, written as the column writes its concepts.

        A label that would be read as another concept says nothing: the code is used instead.
        """
        code = self.taxonomy.concepts[position]
        if self.by_label:
            label = self.taxonomy.label(code)
            read = match_counts(Counter([label]), self.taxonomy, self.attr.mapping, self.attr.language)
            return label if read.concepts.get(label) == code else code
        return code.replace(".", "") if self.dotless else code

    def of_centres(self, centres: NDArray[Any], counts: Longs) -> Self:
        missing = first_where(self.is_missing(centres))
        return replace(self, counts=counts, values=self.decode(centres), missing=missing, concepts=centres)

    @property
    def meaning(self) -> Self:
        return self

    def _common(self, centres: Longs) -> int:
        known = centres[centres >= 0]
        return self.taxonomy.dag.common_subsumer(known) if len(known) else -1

    def encode_like(self, values: pl.Series) -> Coded:
        """What is written as in this column means the same, other values are matched."""
        codes = self.taxonomy.concepts
        read = {
            str(value): codes[concept]
            for value, concept in zip(self.values.to_list(), self.concepts.tolist(), strict=True)
            if concept >= 0
        }
        own = self.attr.model_copy(update={"mapping": as_mapping(self.attr.mapping) | read})
        made, places = encode_column(self.name, own, values, [])
        return Coded(replace(made, attribute=self.attribute), places)

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


def encode_nominal(
    name: str,
    attribute: Nominal,
    codes: Codes,
    distinct: pl.Series,
    counts: Longs,
    missing: int | None,
    notes: list[Statement],
) -> Coded:
    """Values to concepts; values of the same meaning become one."""
    taxonomy = attribute.load()
    texts = [None if value is None else str(value) for value in distinct.to_list()]
    tally: Counter[str] = Counter()
    for text, count in zip(texts, counts.tolist(), strict=True):
        if text is not None:
            tally[text] += count
    numbers = tally if distinct.dtype.is_numeric() else ()
    matching = match_counts(tally, taxonomy, attribute.mapping, attribute.language, numbers).require_all(name)
    notes += [note(f"{name}: {text}", name) for text in matching.notes]
    position = {text: taxonomy.position(concept) for text, concept in matching.concepts.items()}
    concept_of = np.array([-1 if text is None else position[text] for text in texts], dtype=np.int64)

    merged = merge_equal(concept_of, counts)
    notes += merged_note(name, int(np.count_nonzero(np.bincount(merged.code) > 1)))
    column = NominalColumn(
        name,
        attribute,
        distinct.gather(merged.kept),
        merged.counts,
        None if missing is None else int(merged.code[missing]),
        taxonomy=taxonomy,
        concepts=merged.centres,
        by_label=by_label(attribute, matching),
        dotless=dotless(matching),
    )
    return Coded(column, merged.code[codes])


class Merged(NamedTuple):
    """Values of the same meaning as one: the new ``code`` of each value, and of each new code its centre, its records, and
    the value that stands for it."""

    code: NDArray[np.int32]
    centres: Longs
    counts: Longs
    kept: list[int]


def merge_equal(centres: Longs, counts: Longs) -> Merged:
    """``centres``: of each value; of several with the same, the most frequent stands for all, the first of equals."""
    order: dict[int, list[int]] = {}
    for value, centre in enumerate(centres.tolist()):
        order.setdefault(centre, []).append(value)
    code = np.empty(len(centres), dtype=np.int32)
    for place, same in enumerate(order.values()):
        code[same] = place
    kept = [max(same, key=lambda value: (counts[value], -value)) for same in order.values()]
    records = np.bincount(code, weights=counts, minlength=len(kept)).astype(np.int64)
    return Merged(code, np.array(list(order), dtype=np.int64), records, kept)


def merged_note(name: str, several: int) -> list[Statement]:
    """What to say where several concepts are spelled in more than one way."""
    if not several:
        return []
    text = f"{name}: {counted(several, 'concept')} spelled in several ways, now each in its most frequent spelling"
    return [note(text, name)]


def dotless(matching: Matching) -> bool:
    """Are the codes of the column written without the dots of the taxonomy?"""
    return any("." in row.concept and "." not in row.value for row in matching.rows if row.how == "code") and not any(
        "." in row.value for row in matching.rows
    )


def by_label(attribute: Nominal, matching: Matching) -> bool:
    """Does the column hold labels rather than codes?"""
    if attribute.style != "auto":
        return attribute.style == "label"
    t = matching.taxonomy
    # A mapping may hold every value of the column: what would be a label without it still is one.
    mapped = (row.value for row in matching.rows if row.how == "mapping" and t.find(row.value) is None)
    labels = sum(row.how in ("label", "synonym", "stem") for row in matching.rows)
    labels += sum(bool(t.lexicon.by_term(value)[1]) for value in mapped)
    return labels > len(matching.rows) / 2
