"""Every kind of column, in one place: what a policy may name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, Union

from pydantic import Field, ValidatorFunctionWrapHandler, WrapValidator

from ontomask.kinds.flat import Flat
from ontomask.kinds.nominal import Nominal
from ontomask.kinds.numeric import Numeric
from ontomask.kinds.ordinal import Ordinal
from ontomask.microdata.attributes import Attribute, Identifier, Listed


def _ready(attribute: Any, by_kind: ValidatorFunctionWrapHandler) -> Any:
    """An attribute made in Python was checked when it was made, whatever its kind; others are recognized by their kind."""
    return attribute if isinstance(attribute, Attribute) else by_kind(attribute)


#: Every kind that a policy file can name: a new one is added here.
KINDS: tuple[type[Listed], ...] = (Nominal, Flat, Ordinal, Numeric, Identifier)


def one_of_kinds(kinds: tuple[type[Listed], ...]) -> Any:
    """The type of a setting that is a column of one of these kinds, or a kind made in Python."""
    return Annotated[Union[kinds], Field(discriminator="kind"), WrapValidator(_ready)]  # noqa: UP007 - of a tuple


if TYPE_CHECKING:
    # A checker takes {"age": Numeric(), "job": Flat()} for a dict of these.
    AnyAttribute: TypeAlias = Attribute | Identifier
else:
    AnyAttribute = one_of_kinds(KINDS)
