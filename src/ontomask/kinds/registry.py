"""Registry of the column kinds that a policy may name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeAlias

from pydantic import Field

from ontomask.kinds.flat import Flat
from ontomask.kinds.nominal import Nominal
from ontomask.kinds.numeric import Numeric
from ontomask.kinds.ordinal import Ordinal
from ontomask.microdata.attributes import Attribute, Identifier

if TYPE_CHECKING:
    # A checker takes {"age": Numeric(), "job": Flat()} for a dict of these.
    AnyAttribute: TypeAlias = Attribute | Identifier
else:
    AnyAttribute = Annotated[Nominal | Flat | Ordinal | Numeric | Identifier, Field(discriminator="kind")]
