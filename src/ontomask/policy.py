"""The policy: what the columns are, how they are masked, and what the release must satisfy.

One object in Python, one YAML file on disk, the same words in both.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, Field, field_validator, model_validator

from ontomask.errors import PolicyError
from ontomask.masking.microaggregation import Microaggregation
from ontomask.masking.recoding import Recoding
from ontomask.masking.resampling import Resampling
from ontomask.masking.suppression import Suppression
from ontomask.microdata.attributes import AnyAttribute
from ontomask.privacy.k_anonymity import KAnonymity
from ontomask.settings import Settings, _whole

AnyMethod = Annotated[Microaggregation | Recoding | Resampling | Suppression, Field(discriminator="name")]
AnyModel = Annotated[KAnonymity, Field()]


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

    @field_validator("seed", mode="before")
    @classmethod
    def _seed(cls, seed: Any) -> Any:
        seed = _whole(seed)
        if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int) or seed < 0):
            raise ValueError(f"{seed!r} is no seed: give a whole number from 0 up")
        return seed

    @field_validator("attributes")
    @classmethod
    def _named(cls, attributes: dict[str, Any]) -> dict[str, Any]:
        if not attributes:
            raise ValueError("no column is listed")
        return attributes

    @model_validator(mode="after")
    def _something_to_mask(self) -> Policy:
        if not self.quasi_identifiers:
            raise ValueError(
                "no column is a quasi-identifier (role: quasi): there is nothing to mask and nothing to check"
            )
        return self

    @property
    def quasi_identifiers(self) -> list[str]:
        return [name for name, attribute in self.attributes.items() if attribute.quasi]

    @property
    def identifiers(self) -> list[str]:
        return [name for name, attribute in self.attributes.items() if attribute.role == "identifier"]

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
        from ontomask.run import prepare

        prepared = prepare(frame, self)
        method = self.method
        if method is not None:
            method.require_enough(prepared.table)
        return prepared.notes


def settings_at(cls: type[BaseModel], path: tuple[Any, ...]) -> type[BaseModel] | None:
    """The settings class that stands at a path such as ('attributes', 'age', 'numeric')."""
    current: Any = cls
    for part in path:
        if isinstance(current, type) and issubclass(current, BaseModel):
            field = current.model_fields.get(str(part))
            if field is None:
                return None
            current = field.annotation
            continue
        inner = _inner(current)
        chosen = [c for c in inner if isinstance(c, type) and issubclass(c, BaseModel)]
        tagged = [
            c
            for c in chosen
            for key in ("kind", "name")
            if key in c.model_fields and c.model_fields[key].default == part
        ]
        if not inner:
            return None
        current = tagged[0] if tagged else inner[0] if len(inner) == 1 else Union[tuple(inner)]  # noqa: UP007
        if current is None:
            return None
    while not (isinstance(current, type) and issubclass(current, BaseModel)):
        inner = [c for c in _inner(current) if c is not type(None)]
        if len(inner) != 1:
            return None
        current = inner[0]
    return current


def _inner(annotation: Any) -> list[Any]:
    """What a dict, list, union or annotated type is about."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return _inner(get_args(annotation)[0]) if get_origin(get_args(annotation)[0]) else [get_args(annotation)[0]]
    if origin is dict:
        return [get_args(annotation)[1]]
    if origin in (list, Union, UnionType):
        return list(get_args(annotation))
    return []


def require_policy(policy: Any) -> Policy:
    if isinstance(policy, Policy):
        return policy
    if isinstance(policy, (str, Path)):
        return Policy.load(policy)
    if isinstance(policy, Mapping):
        made: Policy = Policy(**policy)
        return made
    raise PolicyError(
        f"a {type(policy).__name__} is no policy", remedy="Give an om.Policy, or the path of a YAML file."
    )
