"""``Nominal``: the attribute of columns whose values are concepts of a taxonomy, or sets of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

import polars as pl
from pydantic import AfterValidator, BeforeValidator, Field, field_validator, model_validator

from ontomask.arguments import did_you_mean, short
from ontomask.arrays import Longs
from ontomask.distances.measures import get_measure
from ontomask.errors import OntomaskError
from ontomask.files.named_files import NamesFile
from ontomask.hierarchies.taxonomy_levels import TaxonomyLevels
from ontomask.kinds.flat import Flat
from ontomask.kinds.nominal_column import encode_nominal
from ontomask.kinds.sets import encode_sets
from ontomask.microdata.attributes import ConceptAttribute
from ontomask.microdata.columns import Coded, Codes
from ontomask.microdata.item_lists import count_items, given_separator
from ontomask.microdata.released_values import ReleasedValues
from ontomask.settings import plain
from ontomask.statements import Statement
from ontomask.taxonomy.catalog import catalog_name, list_taxonomies, load_taxonomy
from ontomask.taxonomy.lexicon import stemmer
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


class Nominal(ConceptAttribute):
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
    many: Annotated[str | None, AfterValidator(given_separator)] = Field(
        default=None,
        description="the separator where a cell holds several concepts, such as '|'; also for list columns",
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
        if isinstance(self.taxonomy, Taxonomy):
            return self.taxonomy
        name = str(self.taxonomy)
        return load_taxonomy(name) if name in list_taxonomies() else read_taxonomy(name, format=self.format)

    @property
    def separator(self) -> str | None:
        return self.many

    @property
    def named_taxonomy(self) -> str | Taxonomy:
        return self.taxonomy

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
        if self.all_fit(released.values.dtype):
            return Counter()
        tally = released.texts(codes=True)
        if self.many is not None:
            tally = count_items(tally, self.many)
        found = released.match(tally, tally if released.numeric else ())
        lost = found.taxonomy.lexicon.with_lost_zeros
        return Counter({u.value: tally[u.value] for u in found.unmatched if not u.codes and not lost(u.value)})

    def all_fit(self, dtype: pl.DataType) -> bool:
        return self.role == "other"

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
        encoded = encode_nominal if self.many is None else encode_sets
        return encoded(name, self, codes, distinct, counts, missing, notes)
