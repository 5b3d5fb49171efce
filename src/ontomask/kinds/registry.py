"""Every kind of column, in one place: what a policy may name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import Field, ValidatorFunctionWrapHandler, WrapValidator

from ontomask.kinds.flat import Flat
from ontomask.kinds.nominal import Nominal
from ontomask.kinds.numeric import Numeric
from ontomask.kinds.ordinal import Ordinal
from ontomask.microdata.attributes import Attribute, Identifier


def _ready(attribute: Any, by_kind: ValidatorFunctionWrapHandler) -> Any:
    """An attribute made in Python was checked when it was made, whatever its kind; others are recognized by their kind."""
    return attribute if isinstance(attribute, Attribute) else by_kind(attribute)


if TYPE_CHECKING:
    # A checker takes {"age": Numeric(), "job": Flat()} for a dict of these.
    AnyAttribute: TypeAlias = Attribute | Identifier
else:
    #: A new kind is added here: then a policy file can name it.
    AnyAttribute = Annotated[
        Nominal | Flat | Ordinal | Numeric | Identifier, Field(discriminator="kind"), WrapValidator(_ready)
    ]
