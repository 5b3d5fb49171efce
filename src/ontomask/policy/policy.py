"""The policy: what the columns are, how they are masked, and what the release must satisfy.

One object in Python, one YAML file on disk, the same words in both.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, TypeAlias

import polars as pl
from pydantic import BeforeValidator, Field, field_validator, model_validator

from ontomask.display import html_card, html_facts, html_table
from ontomask.errors import PolicyError
from ontomask.files.named_files import named_files
from ontomask.kinds.registry import AnyAttribute
from ontomask.masking.generalization import Generalization
from ontomask.masking.imputation import Imputation
from ontomask.masking.method import Method
from ontomask.masking.microaggregation import Microaggregation
from ontomask.masking.noise_addition import NoiseAddition
from ontomask.masking.pram import PRAM
from ontomask.masking.profile_microaggregation import ProfileMicroaggregation
from ontomask.masking.rank_swapping import RankSwapping
from ontomask.masking.recoding import Recoding
from ontomask.masking.resampling import Resampling
from ontomask.masking.shuffling import Shuffling
from ontomask.masking.suppression import Suppression
from ontomask.microdata.attributes import Identifier, as_attributes
from ontomask.microdata.date_shifts import Shift
from ontomask.microdata.open_table import separators_of
from ontomask.microdata.reading_options import Reading
from ontomask.policy.consistency import require_consistent
from ontomask.policy.policy_file import load_policy, save_policy
from ontomask.policy.record_keys import units_by_key, with_households
from ontomask.privacy.k_anonymity import KAnonymity
from ontomask.privacy.km_anonymity import KmAnonymity
from ontomask.privacy.l_diversity import LDiversity
from ontomask.privacy.models import Model, k_of
from ontomask.privacy.probabilistic import ProbabilisticKAnonymity
from ontomask.privacy.profile_anonymity import ProfileAnonymity
from ontomask.privacy.safe_harbor import SafeHarbor
from ontomask.privacy.severity_closeness import SeverityCloseness
from ontomask.privacy.severity_diversity import SeverityDiversity
from ontomask.privacy.severity_models import SeverityModel
from ontomask.privacy.t_closeness import TCloseness
from ontomask.privacy.units import RECORDS, Units
from ontomask.settings import DictOf, ListOf, Settings, either, given_settings, validated
from ontomask.severity.severity import Severity
from ontomask.taxonomy.taxonomy import Taxonomy
from ontomask.wording import PERSON, RECORD, Unit

_METHODS = (
    *(Generalization, Imputation, Microaggregation, NoiseAddition, PRAM, ProfileMicroaggregation, RankSwapping),
    *(Recoding, Resampling, Shuffling, Suppression),
)
_MODELS = (
    KAnonymity,
    KmAnonymity,
    LDiversity,
    ProbabilisticKAnonymity,
    ProfileAnonymity,
    SafeHarbor,
    SeverityCloseness,
    SeverityDiversity,
    TCloseness,
)
#: Methods by the names that policies know them by.
METHODS: dict[str, type[Method]] = {str(kind.model_fields["name"].default): kind for kind in _METHODS}
#: Models by theirs.
MODELS: dict[str, type[Model]] = {str(kind.model_fields["name"].default): kind for kind in _MODELS}


if TYPE_CHECKING:  # a checker takes [KAnonymity(k=3), LDiversity(l=2)] for a list of models
    AnyMethod: TypeAlias = Method
    AnyModel: TypeAlias = Model
else:
    AnyMethod, AnyModel = either(Method, _METHODS, "name"), either(Model, _MODELS, "name")


def _names(columns: Any) -> Any:
    """One column may be given by its name alone."""
    return [columns] if isinstance(columns, str) else columns


class Policy(Settings):
    """What the columns are, how they are masked, and what the release must satisfy.

    Examples
    --------
    >>> import ontomask as om
    >>> policy = om.Policy(
    ...     attributes={"age": om.Numeric(), "job": om.Flat(), "income": om.Numeric(role="sensitive")},
    ...     method=om.Microaggregation(k=3),
    ... )
    >>> policy.quasi_identifiers
    ['age', 'job']
    """

    gone: ClassVar[Mapping[str, str]] = {
        "seed": "a policy is handed around and holds no secret: remove it. To repeat a run give its secret: --secret "
        "result/confidential/secret.txt, or anonymize(..., secret=...). For experiments: --seed, or anonymize(..., seed=...)"
    }

    attributes: DictOf[str, AnyAttribute] = Field(
        kw_only=False, description="the columns of the data, each with its kind and role"
    )
    person: Annotated[ListOf[str], BeforeValidator(_names)] = Field(
        default_factory=list,
        description="the column, or columns, that identify the person: persons are counted, not records",
    )
    household: Annotated[ListOf[str], BeforeValidator(_names)] = Field(
        default_factory=list,
        description="the column, or columns, that say which household or family a record belongs to",
    )
    method: AnyMethod | None = Field(default=None, description="how the quasi-identifiers are masked")
    require: ListOf[AnyModel] = Field(
        default_factory=list, description="what the release must satisfy, checked on the release itself"
    )
    unlisted: Literal["error", "other", "drop"] = Field(
        default="error", description="columns of the data that are not listed: error, other (keep them) or drop"
    )
    row_order: Literal["kept", "shuffled"] = Field(
        default="kept", description="shuffled puts the released records in random order"
    )
    reading: Reading = Field(
        default_factory=Reading, description="how the file of the original data is read; everything else is detected"
    )

    @field_validator("attributes")
    @classmethod
    def _named(cls, attributes: dict[str, Any]) -> dict[str, Any]:
        if not attributes:
            raise ValueError("no column is listed")
        if any(not name.strip() for name in attributes):
            raise ValueError("a column without a name is listed")
        return attributes

    @field_validator("require", mode="before")
    @classmethod
    def _one_is_a_list(cls, require: Any) -> Any:
        return [require] if isinstance(require, Model) else require

    @model_validator(mode="after")
    def _fits_together(self) -> Policy:
        require_consistent(self, METHODS)
        return self

    def _repr_html_(self) -> str:
        rows = [(name, part.role, part.kind, _written_settings(part)) for name, part in self.attributes.items()]
        facts = [
            ("method", "none" if self.method is None else repr(self.method)),
            ("require", ", ".join(model.describe() for model in self.require) or "nothing"),
            ("columns not listed", self.unlisted),
            ("order of records", self.row_order),
        ]
        return html_card("Policy", html_facts(facts), html_table(("column", "role", "kind", "settings"), rows))

    @cached_property
    def path(self) -> Path | None:
        """The file that the policy was read from; None if it was made in Python."""
        return None

    def read_from(self, path: Path) -> Policy:
        """This policy, which knows from now on the ``path`` it was read from."""
        self.__dict__["path"] = path
        return self

    def changed(self, **changes: Any) -> Self:
        """The same with some settings replaced; it still comes from the same file."""
        made = super().changed(**changes)
        if self.path is not None:
            made.read_from(self.path)
        return made

    def named_files(self) -> dict[str, Path]:
        """The files that the policy rests on, by the part they play; the policy's own file is the first.

        >>> import ontomask as om
        >>> age = om.LevelsFile(path="ages/levels.csv")
        >>> method = om.Generalization(hierarchies={"age": age})
        >>> list(om.Policy(attributes={"age": om.Numeric()}, method=method).named_files())
        ['levels of age']
        """
        found = {} if self.path is None else {"policy": self.path}
        found |= {f"{role} of {column}": file for column, a in self.attributes.items() for role, file in named_files(a)}
        found |= {} if self.method is None else dict(named_files(self.method))
        models = [files for model in self.require if (files := dict(named_files(model)))]
        for place, files in enumerate(models, 1):
            number = "" if len(models) == 1 else f" {place}"
            found |= {f"{role}{number}": file for role, file in files.items()}
        return found

    def with_files(self, folder: Path) -> Self:
        """Write what exists in memory only, and severity definitions, into the folder, and name these files.

        Parameters
        ----------
        folder : Path
            Where new files are written.

        Returns
        -------
        Policy
            The same settings with the names of these files.
        """
        method = self.method and self.method.with_files(folder)
        attributes = {name: attribute.with_files(folder) for name, attribute in self.attributes.items()}
        return self.changed(attributes=attributes, method=method, require=[m.with_files(folder) for m in self.require])

    @property
    def quasi_identifiers(self) -> list[str]:
        """The columns that others may know."""
        return [name for name, attribute in self.attributes.items() if attribute.quasi]

    @property
    def studied(self) -> list[str]:
        """The columns that the method works on: the quasi-identifiers, and with some methods others too."""
        return self.quasi_identifiers if self.method is None else self.method.studied_columns(self.attributes)

    @property
    def masked(self) -> list[str]:
        """The columns that the method changes; without a method the quasi-identifiers."""
        return self.quasi_identifiers if self.method is None else self.method.masked_columns(self.attributes)

    @property
    def recognizable(self) -> bool:
        """Can somebody who knows a record's quasi-identifiers tell which class of the release it is in? Yes, unless some
        are masked by a method that exchanges values or draws them at random."""
        return self.method is None or self.method.recognizable or not set(self.masked) & set(self.quasi_identifiers)

    @property
    def promises(self) -> bool:
        """Does the method promise a k above 1, or does a required model ask for what not every table has?"""
        return self.promised_k > 1 or any(model.protects for model in self.require)

    @property
    def promised_k(self) -> int:
        """The k that the method promises; 1 if it promises none."""
        return 1 if self.method is None else self.method.promised_k

    @property
    def stated_k(self) -> int | None:
        """The k of the method, or else of the first required model that has one; None: there is none."""
        parts = (self.method, *self.require)
        return next((part.stated_k for part in parts if part is not None and part.stated_k is not None), None)

    @property
    def required_k(self) -> int:
        """The k of the k-anonymity that is required; 1 if none is."""
        return k_of(self.require)

    @property
    def severity(self) -> Severity | None:
        """The severity definition of the first required model that has one."""
        return next((model.definition for model in self.require if isinstance(model, SeverityModel)), None)

    @property
    def draws(self) -> bool:
        """Is anything random in a run of it: the masking, or the order of the records?"""
        return self.row_order == "shuffled" or (self.method is not None and self.method.draws)

    @property
    def identifiers(self) -> list[str]:
        """The columns that name a person: no release has their values."""
        return [name for name, attribute in self.attributes.items() if attribute.role == "identifier"]

    @property
    def pseudonyms(self) -> dict[str, str]:
        """The identifiers that a release has as pseudonyms, each with its domain: what the pseudonyms stand for."""
        kept = {n: a for n, a in self.attributes.items() if isinstance(a, Identifier) and a.released}
        return {name: attribute.domain or name for name, attribute in kept.items()}

    @property
    def separators(self) -> dict[str, str]:
        """The columns whose cells hold several items, and what separates these in text."""
        return separators_of(self.attributes)

    @property
    def followers(self) -> dict[str, str]:
        """The columns that are masked with another, each with the column that it follows."""
        return {name: attribute.follows for name, attribute in self.attributes.items() if attribute.follows is not None}

    @property
    def shifted(self) -> dict[str, Shift]:
        """The columns whose dates are moved by person, each with how far."""
        every = {name: attribute.date_shift for name, attribute in self.attributes.items()}
        return {name: shift for name, shift in every.items() if shift is not None}

    @property
    def coded(self) -> dict[str, str]:
        """The columns whose values are coded before anything is masked or measured, each with how."""
        every = {name: attribute.coded_as for name, attribute in self.attributes.items() if attribute.released}
        return {name: coded for name, coded in every.items() if coded is not None}

    @property
    def derived(self) -> list[str]:
        """What a run derives from a key, in words."""
        return [*(["pseudonyms"] if self.pseudonyms else []), *(["shifts of dates"] if self.shifted else [])]

    @property
    def unit(self) -> Unit:
        """The words for what models, risks and statements count."""
        return PERSON if self.person else RECORD

    @property
    def unit_columns(self) -> list[str]:
        """The columns of the original that say which unit a record belongs to; none where records are counted."""
        return list(self.person)

    def units_of(self, data: pl.DataFrame) -> Units:
        """What is counted in the data, which still have their identifiers; its word is :attr:`unit`."""
        units = units_by_key(self.unit, data, self.unit_columns) if self.unit_columns else RECORDS
        return with_households(units, data, self.household)

    @property
    def counting(self) -> str:
        """What of the policy counts, and what is counted, as the beginning of a sentence."""
        k = self.promised_k > 1 or any(model.stated_k is not None for model in self.require)
        return f"{'k counts' if k else 'figures count'} {self.unit.many}"

    def drops(self, name: str) -> bool:
        """Is the column ``name`` of the data left out of every release?"""
        attribute = self.attributes.get(name)
        return self.unlisted == "drop" if attribute is None else not attribute.released

    @staticmethod
    def load(path: str | Path, *, confined: bool = False) -> Policy:
        """Read a policy from a YAML file.

        Parameters
        ----------
        path : path
            The file.
        confined : bool, default False
            Files that it names must lie in its folder, links followed.

        Returns
        -------
        Policy
            It knows its file.
        """
        return load_policy(Policy, path, confined=confined)

    def save(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write the policy as YAML with a comment on every key.

        Parameters
        ----------
        path : path
            The file.
        overwrite : bool, default False
            Replace a file that exists.

        Returns
        -------
        Path
            The file.
        """
        return save_policy(self, path, overwrite=overwrite)


def _written_settings(part: Settings) -> str:
    """What is given of a column besides its role; values of the data, such as those of a mapping, are not listed."""
    given = given_settings(part).items()
    plain = {name: value for name, value in given if name not in ("kind", "role", "mapping", "order")}
    return ", ".join(f"{n}: {value.name if isinstance(value, Taxonomy) else value}" for n, value in plain.items())


def require_policy(policy: Any) -> Policy:
    if isinstance(policy, Policy):
        return policy
    if isinstance(policy, (str, Path)):
        return Policy.load(policy)
    if isinstance(policy, Mapping):
        made: Policy = validated(Policy, policy)
        return made
    raise PolicyError(
        f"a {type(policy).__name__} is not a policy", remedy="Give an om.Policy, or the path of a YAML file."
    )


def as_policy(attributes: Any) -> Policy:
    """A policy, or what the columns are as one of which nothing else is known: for functions that take either."""
    if isinstance(attributes, Policy):
        return attributes
    return Policy.model_construct(attributes=as_attributes(attributes))  # it need not have anything to mask
