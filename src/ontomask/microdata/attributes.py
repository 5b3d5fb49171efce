"""What the columns of a table are: their kind, and the role they play for an intruder.

*Quasi-identifiers* are what others may know about a person (age, place, diagnosis): these are masked. *Sensitive*
columns are what must not be learned about a person. *Other* columns are neither. *Identifiers* name a person and are
removed.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, field_validator, model_validator

from ontomask.distances.measures import get_measure
from ontomask.errors import PolicyError
from ontomask.settings import Settings
from ontomask.taxonomy.lexicon import stemmer
from ontomask.taxonomy.taxonomy import Taxonomy

Role = Literal["quasi", "sensitive", "other"]
Missing = Literal["error", "category", "drop_record"]


class Attribute(Settings):
    """What Nominal, Flat, Ordinal and Numeric share."""

    kind: str
    role: Role = Field(default="quasi", description="quasi (masked), sensitive or other")
    missing: Missing | None = Field(
        default=None,
        description="a missing value is an error, a category of its own, or drop_record; "
        "not given: an error in a quasi-identifier, left alone elsewhere",
    )
    weight: Annotated[float, Field(gt=0, allow_inf_nan=False)] = Field(
        default=1.0, description="how much the column counts in distances between records"
    )

    @property
    def quasi(self) -> bool:
        return self.role == "quasi"


class Nominal(Attribute):
    """Values with a meaning and no order: concepts of a taxonomy."""

    kind: Literal["nominal"] = "nominal"
    taxonomy: str | Path | Taxonomy = Field(
        description="where the values have their place: a built-in name, a file, or a Taxonomy"
    )
    measure: str = Field(default="logsc", description="how far apart two meanings are; see docs/measures")
    scope: Literal["taxonomy", "attribute"] = Field(
        default="taxonomy", description="measure in the whole taxonomy, or below what subsumes all values of the column"
    )
    options: dict[str, Any] = Field(default_factory=dict, description="options of the measure")
    mapping: dict[str, str] | str | Path | None = Field(
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
        from ontomask.taxonomy.catalog import list_taxonomies, load_taxonomy
        from ontomask.taxonomy.readers import read_taxonomy

        name = str(self.taxonomy)
        is_name = isinstance(self.taxonomy, str) and not any(mark in name for mark in "./\\")
        if name in list_taxonomies() or (is_name and not Path(name).exists()):
            return load_taxonomy(name)  # an unknown name is an error that lists those there are
        return read_taxonomy(name, format=self.format)


class Flat(Attribute):
    """Values that are equal or not, nothing between: distance 0 or 1, centre = the most frequent."""

    kind: Literal["flat"] = "flat"


class Ordinal(Attribute):
    """Categories in an order: distance by rank, centre = the median."""

    kind: Literal["ordinal"] = "ordinal"
    order: list[Any] | None = Field(
        default=None, description="the values from first to last; numbers and dates have their own order"
    )

    @field_validator("order")
    @classmethod
    def _each_once(cls, order: list[Any] | None) -> list[Any] | None:
        if order is not None:
            if not order:
                raise ValueError("the order is empty: list the values from first to last")
            twice = [value for place, value in enumerate(order) if value in order[:place]]
            if twice:
                raise ValueError(f"{twice[0]!r} stands twice in the order: list each value once")
        return order


class Numeric(Attribute):
    """Numbers: distance by difference, centre = the mean."""

    kind: Literal["numeric"] = "numeric"
    decimals: Annotated[int, Field(ge=0, le=15)] | None = Field(
        default=None, description="round masked values to this many decimals; 0 keeps whole numbers whole"
    )


class Identifier(Settings):
    """Names a person directly (name, number, address): removed from the release."""

    kind: Literal["identifier"] = "identifier"
    role: ClassVar[str] = "identifier"
    quasi: ClassVar[bool] = False
    missing: ClassVar[None] = None


AnyAttribute = Annotated[Nominal | Flat | Ordinal | Numeric | Identifier, Field(discriminator="kind")]


def as_attributes(attributes: Any) -> dict[str, Any]:
    """A mapping of column names to attributes, checked: for functions that take one without a policy."""
    if not isinstance(attributes, Mapping) or not attributes:
        raise PolicyError(
            "the attributes are no mapping of columns", remedy="Give {'age': Numeric(), 'job': Nominal(...)}."
        )
    for name, attribute in attributes.items():
        if not isinstance(attribute, (Attribute, Identifier)):
            raise PolicyError(
                f"the column {name!r} is given a {type(attribute).__name__}",
                remedy="Give Nominal(...), Flat(), Ordinal(...), Numeric() or Identifier().",
            )
    return dict(attributes)
