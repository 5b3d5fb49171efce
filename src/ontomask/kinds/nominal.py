"""Nominal columns: concepts of a taxonomy; the centre of a group is the position of a concept, -1 where it is missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field, field_validator, model_validator

from ontomask.arguments import counted, did_you_mean, short
from ontomask.arrays import Longs
from ontomask.distances.measures import get_measure
from ontomask.errors import OntomaskError, OptionError
from ontomask.files.named_files import NamesFile
from ontomask.hierarchies.levels import ANY
from ontomask.hierarchies.taxonomy_levels import TaxonomyLevels
from ontomask.kinds.concept_distance import NominalDistance
from ontomask.kinds.flat import Flat
from ontomask.microdata.attributes import Attribute
from ontomask.microdata.columns import Coded, Codes, Column, encode_column, first_where
from ontomask.microdata.released_values import ReleasedValues
from ontomask.settings import plain
from ontomask.statements import Statement, note
from ontomask.taxonomy.catalog import catalog_name, list_taxonomies, load_taxonomy
from ontomask.taxonomy.lexicon import stemmer
from ontomask.taxonomy.match_result import Matching
from ontomask.taxonomy.matching import as_mapping, match_counts
from ontomask.taxonomy.readers import read_taxonomy
from ontomask.taxonomy.taxonomy import Taxonomy
from ontomask.taxonomy.writing import write_taxonomy


def _named_taxonomy(taxonomy: Any) -> Any:
    """A taxonomy, a name of the catalog, or a path; a bare word that is neither is an error."""
    if isinstance(taxonomy, Taxonomy):
        return taxonomy
    if isinstance(taxonomy, Path):
        return str(taxonomy)
    if not isinstance(taxonomy, str) or not taxonomy:
        raise ValueError(
            f"{short(repr(taxonomy), 40)} is not a taxonomy: give a name such as 'icd9cm', a file, or a Taxonomy"
        )
    bare = not any(mark in taxonomy for mark in "./\\")
    if bare and taxonomy not in list_taxonomies() and not _exists(taxonomy):
        near = did_you_mean(taxonomy, list_taxonomies())
        raise ValueError(f"no taxonomy {short(repr(taxonomy))} is built in and there is no such file. {near}".strip())
    return taxonomy


def _exists(name: str) -> bool:
    try:
        return Path(name).exists()
    except (OSError, ValueError):  # too long for a file, or no name at all
        return False


def _text_mapping(mapping: Any) -> Any:
    if mapping is None or isinstance(mapping, (str, Path)):
        return mapping and str(mapping)
    if not isinstance(mapping, Mapping):
        raise ValueError("expected a mapping {value: concept}, or the path of a CSV with both columns")
    odd = next((part for pair in mapping.items() for part in pair if not isinstance(part, str)), None)
    if odd is not None:
        raise ValueError(f"values and concepts of a mapping are text: write '{odd}' for {odd!r}")
    return dict(mapping)


#: Marks of settings that name a taxonomy, a mapping, or a file of vectors among the options of a measure.
TAXONOMY_FILE, MAPPING_FILE = NamesFile("taxonomy", known=list_taxonomies), NamesFile("mapping")
VECTORS_FILE = NamesFile("vectors", key="vectors")


class Nominal(Attribute):
    """Values with a meaning and no order: concepts of a taxonomy.

    Examples
    --------
    >>> import ontomask as om
    >>> om.Nominal("icd9cm", measure="wu_palmer")
    Nominal(taxonomy='icd9cm', measure='wu_palmer')
    """

    kind: Literal["nominal"] = "nominal"
    in_words: ClassVar[str] = "concepts of a taxonomy"
    misfit: ClassVar[tuple[str, str]] = ("has no concept in its taxonomy", "have no concept in its taxonomy")
    family: ClassVar[str] = "flat"
    hierarchy: ClassVar[Any] = TaxonomyLevels()
    taxonomy: Annotated[str | Taxonomy, BeforeValidator(_named_taxonomy), TAXONOMY_FILE] = Field(
        kw_only=False, description="the taxonomy of the values: a built-in name or a file"
    )
    measure: str = Field(default="logsc", description="the semantic distance between two concepts; see docs/measures")
    scope: Literal["taxonomy", "attribute"] = Field(
        default="taxonomy",
        description="measure in the whole taxonomy, or only below the subsumer of all values of the column",
    )
    options: Annotated[dict[str, Any], BeforeValidator(plain), VECTORS_FILE] = Field(
        default_factory=dict, description="options of the measure"
    )
    mapping: Annotated[dict[str, str] | str | None, BeforeValidator(_text_mapping), MAPPING_FILE] = Field(
        default=None, description="value -> concept where matching does not find it, or a CSV of both"
    )
    format: str | None = Field(default=None, description="format of the taxonomy file, if its name does not show it")
    language: str | None = Field(default="english", description="language of the values, for matching by stems")
    style: Literal["auto", "code", "label"] = Field(
        default="auto", description="how concepts that do not occur in the column are written"
    )

    def with_files(self, folder: Path) -> Self:
        """Write a taxonomy that exists in memory only into the folder, and name that file.

        Parameters
        ----------
        folder : Path
            Where new files are written.

        Returns
        -------
        Nominal
            The same settings with the names of these files.
        """
        if not isinstance(self.taxonomy, Taxonomy) or catalog_name(self.taxonomy) is not None:
            return self
        file = folder / f"taxonomy-{len(list(folder.glob('taxonomy-*'))) + 1}.csv"
        write_taxonomy(self.taxonomy, file, private=True)
        return self.changed(taxonomy=str(file.resolve()))

    @model_validator(mode="after")
    def _measure_exists(self) -> Nominal:
        get_measure(self.measure).resolve_options(self.options)
        return self

    @field_validator("language")
    @classmethod
    def _language_exists(cls, language: str | None) -> str | None:
        if language is not None:
            stemmer(language)
        return language

    def load(self) -> Taxonomy:
        """The taxonomy itself, wherever it is."""
        if isinstance(self.taxonomy, Taxonomy):
            return self.taxonomy
        name = str(self.taxonomy)
        return load_taxonomy(name) if name in list_taxonomies() else read_taxonomy(name, format=self.format)

    @property
    def read_as_text(self) -> bool:
        return True

    @property
    def named_taxonomy(self) -> str | Taxonomy:
        return self.taxonomy

    @property
    def measured_by(self) -> tuple[str, dict[str, Any]]:
        return self.measure, dict(sorted(self.options.items()))

    def same_taxonomy(self, other: Any) -> bool:
        if self.taxonomy is other.taxonomy or (isinstance(self.taxonomy, str) and self.taxonomy == other.taxonomy):
            return True
        try:
            return bool(self.load().fingerprint == other.load().fingerprint)
        except OntomaskError:  # a run says what is wrong with it
            return True

    def without_meaning(self) -> Flat:
        markers = self.missing_markers
        return Flat(role=self.role, missing=self.missing, missing_markers=markers, weight=self.weight)

    def odd(self, released: ReleasedValues) -> Counter[str]:
        """What no concept has; a value that may be several codes is known, only not which of them it is."""
        if self.role == "other":
            return Counter()
        tally = released.texts(codes=True)
        found = released.match(tally, tally if released.numeric else ())
        lost = found.taxonomy.lexicon.with_lost_zeros
        return Counter({u.value: tally[u.value] for u in found.unmatched if not u.codes and not lost(u.value)})

    def error_in_words(self, error: str) -> str:
        return f"The root mean square distance from the original concept is {error} (0: the same)."

    def column(
        self,
        name: str,
        codes: Codes,
        distinct: pl.Series,
        counts: Longs,
        missing: int | None,
        notes: list[Statement],
        rows: Longs | None,
    ) -> Coded:
        return _nominal(name, self, codes, distinct, counts, missing, notes)


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
    def centre_of_code(self) -> NDArray[Any]:
        return self.concepts

    def is_missing(self, centres: NDArray[Any]) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = centres < 0
        return found

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

    def spanning(self, centre: Any) -> Self:
        if centre is None or centre < 0:
            return self
        return replace(self, span=np.union1d(self.span, [centre]).astype(np.int64))

    def remeasured(self, **changed: Any) -> Self:
        return replace(self, attribute=self.attribute.model_copy(update=changed))

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

    def centres_of_levels(
        self, group: NDArray[np.int32], first: Longs, spans: Any = None, concepts: Any = None
    ) -> NDArray[Any]:
        """The concept that a level names, else what subsumes the group."""
        if concepts is not None:
            return np.asarray(concepts, dtype=np.int64)[first]
        return np.array([self._common(self.concepts[group == g]) for g in range(len(first))], dtype=np.int64)

    def _common(self, concepts: Longs) -> int:
        known = concepts[concepts >= 0]
        return self.taxonomy.dag.common_subsumer(known) if len(known) else -1

    def is_general(self, text: str | None, values: Collection[str | None]) -> bool:
        """A concept is compared as what it means; only * is none."""
        return text == ANY and ANY not in values

    def with_values_of(self, masked: Column) -> Self:
        concepts = masked.centre_of_code
        return replace(self, span=concepts[concepts >= 0])

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


def _nominal(
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
            note(
                f"{name}: {counted(len(merged), 'concept')} spelled in several ways, now each in its most frequent spelling",
                name,
            )
        )
    column = NominalColumn(
        name,
        attribute,
        distinct.gather(kept),
        np.bincount(new, weights=counts, minlength=len(kept)).astype(np.int64),
        None if missing is None else int(new[missing]),
        taxonomy=taxonomy,
        concepts=np.array(list(order), dtype=np.int64),
        by_label=_by_label(attribute, matching),
        dotless=any("." in row.concept and "." not in row.value for row in matching.rows if row.how == "code")
        and not any("." in row.value for row in matching.rows),
    )
    return Coded(column, new[codes])


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
