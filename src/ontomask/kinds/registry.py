"""Every kind of column, in one place: what a policy may name."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from ontomask.kinds.date import Date
from ontomask.kinds.flat import Flat
from ontomask.kinds.nominal import Nominal
from ontomask.kinds.numeric import Numeric
from ontomask.kinds.ordinal import Ordinal
from ontomask.kinds.place import Place
from ontomask.microdata.attributes import Attribute, Identifier, Listed
from ontomask.settings import either

#: Every kind that a policy file can name: a new one is added here.
KINDS: tuple[type[Listed], ...] = (Nominal, Flat, Ordinal, Numeric, Date, Place, Identifier)

if TYPE_CHECKING:
    # A checker takes {"age": Numeric(), "job": Flat()} for a dict of these.
    AnyAttribute: TypeAlias = Attribute | Identifier
else:
    AnyAttribute = either(Attribute, KINDS, "kind")
