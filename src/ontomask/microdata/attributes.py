"""What the columns of a table are: their kind, and the role they play for an intruder.

*Quasi-identifiers* are what others may know about a person (age, place, diagnosis): these are masked. *Sensitive*
columns are what must not be learned about a person. *Other* columns are neither. *Identifiers* name a person and are
removed.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import BeforeValidator, Field, field_validator, model_validator

from ontomask.arguments import did_you_mean, short
from ontomask.distances.measures import get_measure
from ontomask.errors import PolicyError
from ontomask.settings import Settings, number, plain, whole_number
from ontomask.taxonomy.catalog import list_taxonomies, load_taxonomy
from ontomask.taxonomy.lexicon import stemmer
from ontomask.taxonomy.readers import read_taxonomy
from ontomask.taxonomy.taxonomy import Taxonomy

Role = Literal["quasi", "sensitive", "other"]
Missing = Literal["error", "category", "drop_record"]


def _named_taxonomy(taxonomy: Any) -> Any:
    """A taxonomy, a name of the catalog, or a path; a bare word that is neither is a slip."""
    if isinstance(taxonomy, Taxonomy):
        return taxonomy
    if isinstance(taxonomy, Path):
        return str(taxonomy)
    if not isinstance(taxonomy, str) or not taxonomy:
        raise ValueError(
            f"{short(repr(taxonomy), 40)} is not a taxonomy: give a name such as 'icd9cm', a file, or a Taxonomy"
        )
    if _is_bare(taxonomy) and taxonomy not in list_taxonomies() and not _exists(taxonomy):
        near = did_you_mean(taxonomy, list_taxonomies())
        raise ValueError(f"no taxonomy {short(repr(taxonomy))} is built in and there is no such file. {near}".strip())
    return taxonomy


def _exists(name: str) -> bool:
    try:
        return Path(name).exists()
    except (OSError, ValueError):  # too long for a file, or no name at all
        return False


def _is_bare(name: str) -> bool:
    return not any(mark in name for mark in "./\\")


def _text_mapping(mapping: Any) -> Any:
    if mapping is None or isinstance(mapping, str):
        return mapping
    if isinstance(mapping, Path):
        return str(mapping)
    if not isinstance(mapping, Mapping):
        raise ValueError("expected a mapping {value: concept}, or the path of a CSV with both columns")
    odd = next((part for pair in mapping.items() for part in pair if not isinstance(part, str)), None)
    if odd is not None:
        raise ValueError(f"values and concepts of a mapping are text: write '{odd}' for {odd!r}")
    return dict(mapping)


def _ranked(order: Any) -> Any:
    if order is None:
        return None
    if not isinstance(order, (list, tuple)) or not order:
        raise ValueError("the order is not a list of values from first to last")
    odd = next((v for v in order if v is None or isinstance(v, (list, tuple, dict, set))), ...)
    if odd is not ...:
        raise ValueError(f"{odd!r} is not a value of an order: list the values of the column from first to last")
    twice = [value for place, value in enumerate(order) if value in order[:place]]
    if twice:
        raise ValueError(f"{twice[0]!r} stands twice in the order: list each value once")
    return plain(list(order))


def _decimals(decimals: Any) -> Any:
    if decimals is not None and decimals != "exact" and not 0 <= whole_number(decimals) <= 15:
        raise ValueError(f"{decimals} decimals: give 0 to 15, or exact")
    return decimals


class Attribute(Settings):
    """What Nominal, Flat, Ordinal and Numeric share."""

    kind: str
    role: Role = Field(default="quasi", description="quasi (masked), sensitive or other")
    missing: Missing | None = Field(
        default=None,
        description="a missing value is an error, a category of its own, or drop_record; "
        "not given: an error in a column that is masked, left alone elsewhere",
    )
    weight: Annotated[float, BeforeValidator(number), Field(gt=0, allow_inf_nan=False)] = Field(
        default=1.0, description="how much the column counts in distances between records when they are masked"
    )

    @property
    def quasi(self) -> bool:
        return self.role == "quasi"


class Nominal(Attribute):
    """Values with a meaning and no order: concepts of a taxonomy."""

    kind: Literal["nominal"] = "nominal"
    taxonomy: Annotated[str | Taxonomy, BeforeValidator(_named_taxonomy)] = Field(
        kw_only=False, description="where the values have their place: a built-in name, a file, or a Taxonomy"
    )
    measure: str = Field(default="logsc", description="how far apart two meanings are; see docs/measures")
    scope: Literal["taxonomy", "attribute"] = Field(
        default="taxonomy", description="measure in the whole taxonomy, or below what subsumes all values of the column"
    )
    options: Annotated[dict[str, Any], BeforeValidator(plain)] = Field(
        default_factory=dict, description="options of the measure"
    )
    mapping: Annotated[dict[str, str] | str | None, BeforeValidator(_text_mapping)] = Field(
        default=None, description="value -> concept where matching cannot know, or a CSV of both"
    )
    format: str | None = Field(default=None, description="format of the taxonomy file, where its name does not tell")
    language: str | None = Field(default="english", description="language of the values, for matching by stems")
    style: Literal["auto", "code", "label"] = Field(
        default="auto", description="how concepts that are not in the column are written in it"
    )

    @model_validator(mode="after")
    def _measure_exists(self) -> Nominal:
        get_measure(self.measure).settle(self.options)
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


class Flat(Attribute):
    """Values that are equal or not, nothing between: distance 0 or 1, centre = the most frequent."""

    kind: Literal["flat"] = "flat"


class Ordinal(Attribute):
    """Categories in an order: distance by rank, centre = the median."""

    kind: Literal["ordinal"] = "ordinal"
    order: Annotated[list[Any] | None, BeforeValidator(_ranked)] = Field(
        default=None, description="the values from first to last; numbers and dates have their own order"
    )


class Numeric(Attribute):
    """Numbers: distance by difference, centre = the mean, as precise as the column itself."""

    kind: Literal["numeric"] = "numeric"
    decimals: Annotated[int | Literal["exact"] | None, BeforeValidator(_decimals)] = Field(
        default=None,
        description="round means to this many decimals; not given: to those of the column; exact: as computed",
    )


class Identifier(Settings):
    """Names a person directly (name, number, address): removed from the release."""

    kind: Literal["identifier"] = "identifier"
    role: Literal["identifier"] = Field(default="identifier", description="removed from the release")
    quasi: ClassVar[bool] = False
    missing: ClassVar[None] = None


if TYPE_CHECKING:
    AnyAttribute: TypeAlias = (
        Attribute | Identifier
    )  # a checker takes {"age": Numeric(), "job": Flat()} for a dict of these
else:
    AnyAttribute = Annotated[Nominal | Flat | Ordinal | Numeric | Identifier, Field(discriminator="kind")]


def as_attributes(attributes: Any) -> dict[str, Any]:
    """A mapping of column names to attributes, checked: for functions that take one without a policy."""
    if not isinstance(attributes, Mapping) or not attributes:
        raise PolicyError(
            "the attributes are not a mapping of columns", remedy="Give {'age': Numeric(), 'job': Nominal(...)}."
        )
    for name, attribute in attributes.items():
        if not isinstance(attribute, (Attribute, Identifier)):
            raise PolicyError(
                f"the column {name!r} is given a {type(attribute).__name__}",
                remedy="Give Nominal(...), Flat(), Ordinal(...), Numeric() or Identifier().",
            )
    return dict(attributes)
