"""What others ask of a method without knowing its class: what its settings name, and what a comparison of candidates tries."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Self, TypeAlias

from ontomask.hierarchies.levels import Hierarchy
from ontomask.privacy.models import Model
from ontomask.settings import Spoken, given_settings

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from ontomask.masking.method import Masked
    from ontomask.microdata.encoding import Table

    #: Of the original table, what the records that stayed show by column, and which stayed: what became of each record, as
    #: the run itself knew it; None where a record shows what the method cannot have made of it.
    ReadReleased: TypeAlias = Callable[[Table, Mapping[str, pl.Series], NDArray[np.bool_]], Masked | None]

#: Values of k that are compared where none are given, as multiples of the least one that may be released.
MULTIPLES = (1.0, 1.5, 2.0, 3.0)


class CandidateMethod(Spoken):
    """A method as reports, policy files and comparisons see it. All has a default: of a method without k, without anything to
    vary, that only tests whether values are equal."""

    name: str

    @property
    def label(self) -> str:
        """Its name and the settings that differ from their defaults, but for k: methods of a grid are named by it."""
        fields, unsaid = type(self).model_fields, ("name", "k", "hierarchies")
        given = [(key, value) for key, value in sorted(given_settings(self).items()) if key not in unsaid]
        return " ".join([self.name, *(f"{key}={value}" for key, value in given if value != fields[key].default)])

    @property
    def stated_k(self) -> int | None:
        """Its k, where it has one."""
        return None

    @property
    def named_columns(self) -> Sequence[str] | None:
        """The columns to mask, where they are named."""
        return None

    @property
    def named_measure(self) -> str | None:
        """The measure for all nominal columns, where one is named."""
        return None

    @property
    def named_hierarchies(self) -> Mapping[str, Hierarchy] | None:
        """The hierarchies that are named, by column; None: it shows no levels of hierarchies."""
        return None

    @property
    def read_released(self) -> ReadReleased | None:
        """How released values are read back from a file, where they are not values of the kind of their column (levels of a
        hierarchy); None: each is read as its kind reads any value."""
        return None

    @property
    def takes_required_k(self) -> bool:
        """Has it no k of its own, and goes as far as the k-anonymity that is required?"""
        return False

    def at_k(self, k: int) -> Self | None:
        """The same method with this k; None: it has no k."""
        return None

    def levels(self, required: int) -> list[int]:
        """The values of k that a comparison tries if none are named and :meth:`variations` are empty; ``required``: the
        largest k of a required k-anonymity, or 1."""
        return []

    def variations(self, require: Sequence[Model]) -> dict[str, Self]:
        """What a comparison tries in place of several k, itself among them: by setting, such as ``share=0.2``."""
        return {}

    def leaves_unmasked(self, require: Sequence[Model]) -> bool:
        """Does it change nothing, with these settings and requirements?"""
        return False

    @property
    def no_baseline(self) -> str | None:
        """Why it has no baseline that takes nominal values for labels; None: it has one, :meth:`on_labels`."""
        return "it only tests whether values are equal, so labels only is the same method"

    def on_labels(self, columns: Collection[str]) -> Self:
        """The same method, where the values of these nominal columns are only equal or not (T12 9.2.2)."""
        return self


def levels_from(k: int) -> list[int]:
    """k and larger ones, for a comparison: 5, 8, 10, 15."""
    return sorted({math.ceil(k * multiple) for multiple in MULTIPLES})
