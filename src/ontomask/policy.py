"""The policy: what the columns are, how they are masked, and what the release must satisfy.

One object in Python, one YAML file on disk, the same words in both.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import Field, field_validator, model_validator

from ontomask.errors import PolicyError
from ontomask.masking.generalization import Generalization
from ontomask.masking.method import Method
from ontomask.masking.microaggregation import Microaggregation
from ontomask.masking.rank_swapping import RankSwapping
from ontomask.masking.recoding import Recoding
from ontomask.masking.resampling import Resampling
from ontomask.masking.shuffling import Shuffling
from ontomask.masking.suppression import Suppression
from ontomask.microdata.attributes import AnyAttribute
from ontomask.microdata.reading_options import Reading
from ontomask.privacy.k_anonymity import KAnonymity
from ontomask.privacy.km_anonymity import KmAnonymity
from ontomask.privacy.l_diversity import LDiversity
from ontomask.privacy.models import Model
from ontomask.privacy.probabilistic import ProbabilisticKAnonymity
from ontomask.privacy.severity_diversity import SeverityDiversity
from ontomask.privacy.t_closeness import TCloseness
from ontomask.settings import Settings, refuse, whole_number
from ontomask.severity.numbers import Severity

AnyMethod = Annotated[
    Generalization | Microaggregation | RankSwapping | Recoding | Resampling | Shuffling | Suppression,
    Field(discriminator="name"),
]
#: Methods by the names that policies know them by.
METHODS: dict[str, type[Method]] = {
    str(kind.model_fields["name"].default): kind for kind in get_args(get_args(AnyMethod)[0])
}
AnyModel = Annotated[
    KAnonymity | KmAnonymity | LDiversity | ProbabilisticKAnonymity | SeverityDiversity | TCloseness,
    Field(discriminator="name"),
]


class Policy(Settings):
    """What the columns are, how they are masked, and what the release must satisfy.

    >>> import ontomask as om
    >>> policy = om.Policy(
    ...     attributes={"age": om.Numeric(), "job": om.Flat(), "income": om.Numeric(role="sensitive")},
    ...     method=om.Microaggregation(k=3),
    ... )
    >>> policy.quasi_identifiers
    ['age', 'job']
    """

    attributes: dict[str, AnyAttribute] = Field(description="every column of the data: its kind and its role")
    method: AnyMethod | None = Field(default=None, description="how the quasi-identifiers are masked")
    require: list[AnyModel] = Field(
        default_factory=list, description="what the release must satisfy, checked on the release itself"
    )
    seed: int | None = Field(
        default=None, description="fixes everything random; without it a fresh one is drawn and reported"
    )
    unlisted: Literal["error", "other", "drop"] = Field(
        default="error", description="columns of the data that are not listed: an error, kept as other, or dropped"
    )
    row_order: Literal["kept", "shuffled"] = Field(
        default="kept", description="shuffled puts the released records in random order"
    )
    reading: Reading = Field(
        default_factory=Reading, description="how the file of the original data is read; the rest is detected"
    )

    @field_validator("seed", mode="before")
    @classmethod
    def _seed(cls, seed: Any) -> Any:
        if seed is not None and whole_number(seed) < 0:
            raise ValueError(f"{seed!r} is no seed: give a whole number from 0 up")
        return seed

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
    def _something_to_mask(self) -> Policy:
        masks = ("quasi",) if self.method is None else self.method.masks
        if not any(attribute.role in masks for attribute in self.attributes.values()):
            if masks == ("quasi",):
                raise ValueError(
                    "no column is a quasi-identifier (role: quasi): there is nothing to mask and nothing to check"
                )
            raise ValueError(f"no column has a role that the method masks: {' or '.join(masks)}")
        if self.require and not self.quasi_identifiers:
            raise ValueError("require: no column is a quasi-identifier (role: quasi): there is nothing to check")
        for model in self.require:
            named = getattr(model, "attribute", None)
            if named in self.identifiers:
                raise ValueError(
                    f"require: {model.describe()} looks at {named!r}, an identifier, which no release has: "
                    "name a sensitive column"
                )
        return self

    @property
    def quasi_identifiers(self) -> list[str]:
        return [name for name, attribute in self.attributes.items() if attribute.quasi]

    @property
    def studied(self) -> list[str]:
        """The columns that the method works on: the quasi-identifiers, and with some methods others too."""
        roles = ("quasi",) if self.method is None else self.method.looks_at
        return [name for name, attribute in self.attributes.items() if attribute.role in roles]

    @property
    def promises(self) -> bool:
        """Does the method promise a k above 1, or does a required model ask for what not every table has?"""
        promised = self.method.promised_k if self.method is not None else 1
        return promised > 1 or any(not model.trivial for model in self.require)

    @property
    def severity(self) -> Severity | None:
        """The severity definition of the first required model that has one."""
        return next((model.definition for model in self.require if isinstance(model, SeverityDiversity)), None)

    @property
    def identifiers(self) -> list[str]:
        return [name for name, attribute in self.attributes.items() if attribute.role == "identifier"]

    @property
    def counting(self) -> str:
        """What of the policy counts records, as the beginning of a sentence on them."""
        promised = self.method.promised_k if self.method is not None else 1
        return "k counts" if promised > 1 or any("k" in type(m).model_fields for m in self.require) else "figures count"

    def drops(self, name: str) -> bool:
        """Is a column of the data left out of every release?"""
        attribute = self.attributes.get(name)
        return self.unlisted == "drop" if attribute is None else attribute.role == "identifier"

    @staticmethod
    def load(path: str | Path) -> Policy:
        """Read a policy from a YAML file."""
        from ontomask.policy_file import load_policy

        return load_policy(path)

    def save(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write the policy as YAML with a comment on every key."""
        from ontomask.policy_file import save_policy

        return save_policy(self, path, overwrite=overwrite)

    def check_data(self, frame: Any) -> list[str]:
        """Everything that can be checked without masking: raises what is wrong, returns what should be known."""
        from ontomask.checking import check

        return check(frame, self).notes


def require_policy(policy: Any) -> Policy:
    if isinstance(policy, Policy):
        return policy
    if isinstance(policy, (str, Path)):
        return Policy.load(policy)
    if isinstance(policy, Mapping):
        made: Policy = refuse(Policy, policy)
        return made
    raise PolicyError(
        f"a {type(policy).__name__} is no policy", remedy="Give an om.Policy, or the path of a YAML file."
    )
