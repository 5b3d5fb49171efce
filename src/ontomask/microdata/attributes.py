"""Attributes: the kind of a column, and the role it plays for an intruder.

*Quasi-identifiers* are what others may know about a person (age, place, diagnosis): these are masked. *Sensitive*
columns are what must not be learned about a person. *Other* columns are neither. *Identifiers* name a person: they are
removed, or released as pseudonyms.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from ontomask.arrays import Floats, Longs
from ontomask.errors import PolicyError
from ontomask.microdata.missing_markers import MarkerList
from ontomask.microdata.pseudonyms import is_token
from ontomask.settings import Settings, number
from ontomask.statements import Statement
from ontomask.taxonomy.taxonomy import Taxonomy

if TYPE_CHECKING:
    import polars as pl

    from ontomask.microdata.columns import Coded, Codes
    from ontomask.microdata.date_shifts import Shift
    from ontomask.microdata.released_values import ReleasedValues

Role = Literal["quasi", "sensitive", "other"]
Missing = Literal["error", "category", "drop_record"]


class Listed(Settings):
    """What every column that a policy lists can be asked, identifiers too; a kind overrides what differs."""

    kind: str
    #: The kind in words, for reports.
    in_words: ClassVar[str] = ""
    #: The kind that a column is without its meaning: candidates that take it for either can be compared.
    family: ClassVar[str] = ""
    #: Are the values amounts, of which near ones are nearly right and a sum has a meaning?
    quantity: ClassVar[bool] = False
    #: The hierarchy where a policy names none (a ``Hierarchy``, of a package above this one); None: no level but "any".
    hierarchy: ClassVar[Any] = None

    @property
    def described(self) -> str:
        """The same with the settings that a reader of the release must know."""
        return self.in_words

    @property
    def read_as_text(self) -> bool:
        """Must the column be read as text, though it may look like numbers?"""
        return False

    @property
    def released(self) -> bool:
        """Does a release have the column, masked or not?"""
        return True

    @property
    def separator(self) -> str | None:
        """What separates the items of a cell, where it holds several."""
        return None

    def with_order(self, order: list[Any]) -> Self:
        """The attribute with the order that a frame gives its categories, where it needs one and has none."""
        return self

    @property
    def named_taxonomy(self) -> str | Taxonomy | None:
        """The taxonomy as it is given, where the kind has one."""
        return None

    @property
    def named_order(self) -> list[Any] | None:
        """The values from first to last, where the kind has an order and it is given."""
        return None

    @property
    def measured_by(self) -> tuple[str, dict[str, Any]] | None:
        """The measure of distances and its options, where the kind has one."""
        return None

    def may_judge(self, other: Any) -> bool:
        """Can a column that another policy takes for ``other`` be judged as this one says?"""
        return other.kind in (self.kind, self.family)

    def same_taxonomy(self, other: Any) -> bool:
        """Do two columns of this kind have the same taxonomy, if any?"""
        return True

    def without_meaning(self) -> Listed:
        """The same column, its values equal or not and nothing else, where the kind has more to them."""
        return self

    # ---- columns that are read and written in a form of their own, whatever their role ------------------------------------

    @property
    def converts(self) -> bool:
        """Do the data and the release hold values in another form than the kind works with, such as codes of open classes?"""
        return False

    @property
    def coded_as(self) -> str | None:
        """How values are coded before anything is masked or measured, in words; None: they are not."""
        return None

    def read(self, name: str, values: pl.Series, rows: Longs | None) -> tuple[pl.Series, Counter[str]]:
        """The values of the data as the kind works with them, and what was read into how many of them; an error names the
        records of others."""
        return values, Counter()

    def noted(self, name: str, tally: Counter[str]) -> list[Statement]:
        """What should be known of how a column was read."""
        return []

    def read_any(self, values: pl.Series) -> pl.Series:
        """The values of any table, original or released, as the kind works with them as far as they can be read."""
        return values

    def as_read(self, dtype: pl.DataType, tally: Counter[str]) -> Self:
        """The attribute as it was found in a table of which only a part is at hand when it is written; ``tally``: what
        :meth:`read` counted in all of it."""
        return self

    def shows_codes(self, values: pl.Series) -> bool:
        """Are there values that a release shows as codes, so that the column becomes text?"""
        return False

    def written(self, values: pl.Series, before: pl.Series, *, coded: bool) -> pl.Series:
        """What a release shows; ``before``: the column as it came in. ``coded``: the column is text, for it has codes."""
        return values

    @property
    def date_shift(self) -> Shift | None:
        """By how much the dates of a person are moved before anything looks at them; None: they are not. ``read`` of such a
        kind takes the days by which each record is ``shifted``."""
        return None

    def shown(self, value: Any) -> Any:
        """A value that the kind works with, as a release shows it where it is a code."""
        return value

    def cell(self, value: Any) -> str | None:
        """A cell, in memory or from a file, as text: what is equal stands for the same."""
        return None if value is None else str(value)

    # ---- releases ----------------------------------------------------------------------------------------------------

    def positions(self, values: pl.Series) -> Floats | None:
        """Where values lie, NaN for those that have no position; None: values of this kind do not lie on a line."""
        return None

    @abstractmethod
    def odd(self, released: ReleasedValues) -> Counter[str]:
        """The texts of a released column that do not fit this kind, with their records."""

    def all_fit(self, dtype: pl.DataType) -> bool:
        """Is nothing odd (:meth:`odd`) in a released column of this type, whatever it holds?"""
        return False


class Attribute(Listed):
    """What all kinds but identifiers share."""

    role: Role = Field(default="quasi", description="quasi (masked), sensitive or other")
    missing: Missing | None = Field(
        default=None,
        description="missing values: error, category (a value of its own) or drop_record; "
        "not given: an error in masked columns, unchanged elsewhere",
    )
    missing_markers: MarkerList = Field(
        default_factory=list, description="values of this column that stand for a missing one, such as ? or 999"
    )
    weight: Annotated[float, BeforeValidator(number), Field(gt=0, allow_inf_nan=False)] = Field(
        default=1.0,
        description="weight of the column in distances between records during masking, and in information loss",
    )

    follows: str | None = Field(
        default=None,
        description="a masked column that this one is a function of, as a label is of its code: masked with it",
    )

    #: What the kind must have besides, as fields or otherwise.
    asked: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def __pydantic_init_subclass__(cls, **options: Any) -> None:
        """A kind that columns can have is complete, or it is not made."""
        super().__pydantic_init_subclass__(**options)
        if cls.model_fields["kind"].is_required():
            return
        missing = set(cls.__abstractmethods__) | {
            n for n in cls.asked if n not in cls.model_fields and not hasattr(cls, n)
        }
        if not cls.in_words.strip():
            missing.add("in_words")
        if missing:
            raise TypeError(f"{cls.__name__} is a kind and does not define {', '.join(sorted(missing))}")

    @model_validator(mode="before")
    @classmethod
    def _role_of_a_follower(cls, given: Any) -> Any:
        """A column that follows another has the role other, where none is given."""
        if isinstance(given, Mapping) and given.get("follows") is not None:
            return {"role": "other"} | dict(given)
        return given

    @model_validator(mode="after")
    def _followers_are_others(self) -> Self:
        if self.follows is not None and self.role != "other":
            raise ValueError(f"role: a column that follows another has the role other, not {self.role}: leave it out")
        return self

    @property
    def quasi(self) -> bool:
        return self.role == "quasi"

    #: Is a mean of values a value?
    averaged: ClassVar[bool] = False
    #: What the mean of a column is of.
    mean_called: ClassVar[str] = "mean marginality"

    @property
    def misfit(self) -> tuple[str, str]:
        """What is said of a value that does not fit, and of several."""
        return "does not fit its kind", "do not fit its kind"

    def error_in_words(self, error: str) -> str:
        """What a root mean squared error of the column means."""
        return f"The root mean square distance from the original value is {error} (0: the same)."

    def checked(self, name: str, values: pl.Series, rows: Longs | None) -> pl.Series:
        """The values of a column as this kind computes with them; an error names those that it cannot use."""
        return values

    def paired(self, before: pl.Series, after: pl.Series) -> tuple[pl.Series, pl.Series]:
        """A column of the original and of masked data, of types that can be compared."""
        return before, after

    @abstractmethod
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
        """The encoded column of this kind.

        ``distinct``: its values, with the ``counts`` of their records; ``codes``: of each row; ``missing``: the code of a
        missing value.
        """


class ConceptAttribute(Attribute):
    """A kind whose values are concepts of a taxonomy: what matching, distances and models ask of it.

    Each of ``asked`` is a field or a constant of the kind.
    """

    family: ClassVar[str] = "flat"
    asked: ClassVar[tuple[str, ...]] = ("measure", "options", "scope", "mapping", "language")
    if TYPE_CHECKING:  # a property of the base would stand in the way of a field

        @property
        def measure(self) -> str:
            """The measure of distances between two concepts."""

        @property
        def options(self) -> Mapping[str, Any]:
            """The options of the measure."""

        @property
        def scope(self) -> str:
            """Where distances are measured: taxonomy, or attribute (below the subsumer of all values of the column)."""

        @property
        def mapping(self) -> Mapping[str, str] | str | None:
            """The concepts of values that matching does not find, or the file that has them."""

        @property
        def language(self) -> str | None:
            """The language of the values, for matching by stems; None: no stems are taken."""

    @abstractmethod
    def load(self) -> Taxonomy:
        """The taxonomy itself, wherever it is."""

    @property
    @abstractmethod
    def named_taxonomy(self) -> str | Taxonomy | None:
        """The taxonomy as it is given; None: with these settings values are labels."""

    @abstractmethod
    def same_taxonomy(self, other: Any) -> bool:
        """Do two columns of this kind have the same taxonomy?"""

    @abstractmethod
    def without_meaning(self) -> Listed:
        """The same column, its values equal or not and nothing else."""

    @property
    def measured_by(self) -> tuple[str, dict[str, Any]] | None:
        return self.measure, dict(sorted(self.options.items()))

    @property
    def read_as_text(self) -> bool:
        return True


class Identifier(Listed):
    """Names a person directly (name, number, address): removed from the release, or released as a pseudonym.

    Notes
    -----
    A pseudonym is a token that is derived from the value with a secret key (:func:`ontomask.pseudonyms`). The same value
    under the same key has the same token in all records and tables, in every column of the same domain.

    Examples
    --------
    >>> import ontomask as om
    >>> om.Identifier()
    Identifier()
    >>> om.Identifier(keep="pseudonym", domain="patient")
    Identifier(keep='pseudonym', domain='patient')
    """

    kind: Literal["identifier"] = "identifier"
    role: Literal["identifier"] = Field(default="identifier", description="it names a person directly")
    keep: Literal["pseudonym"] | None = Field(
        default=None, description="pseudonym: release a keyed token in place of the value; not given: remove the column"
    )
    domain: str | None = Field(
        default=None,
        description="what pseudonyms stand for, such as patient: columns of one domain have the same pseudonym for the "
        "same value; not given: the name of the column",
    )
    missing_markers: MarkerList = Field(
        default_factory=list, description="values of this column that stand for a missing one: they get no pseudonym"
    )
    quasi: ClassVar[bool] = False
    missing: ClassVar[None] = None
    follows: ClassVar[None] = None

    @model_validator(mode="after")
    def _domain_of_pseudonyms(self) -> Identifier:
        if self.domain is not None and self.keep is None:
            raise ValueError("domain is for pseudonyms: add keep: pseudonym, or leave it out")
        if self.domain is not None and not self.domain.strip():
            raise ValueError("domain is empty: name what the column identifies, such as patient")
        return self

    @property
    def read_as_text(self) -> bool:
        return True

    @property
    def released(self) -> bool:
        return self.keep is not None

    def odd(self, released: ReleasedValues) -> Counter[str]:
        """What is not a pseudonym, where these are kept; else none: that it is released at all is the finding."""
        if self.keep is None:
            return Counter()
        return Counter({text: count for text, count in released.texts(codes=True).items() if not is_token(text)})


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
                remedy="Give its kind, such as Numeric(), Flat(), Nominal(taxonomy=...) or Identifier().",
            )
    return dict(attributes)
