"""Profile anonymity: at least k persons share the whole profile, all records of a person together.

k-anonymity looks at one record at a time. Who knows several stays of a patient may recognize the patient although each stay
is shared by k persons. This code shares nothing with the masking methods: it sorts the records of every person and counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import polars as pl
from pydantic import Field

from ontomask.arguments import counted
from ontomask.arrays import Longs
from ontomask.privacy.models import Finding, Model, require_number, require_quasi
from ontomask.settings import Count
from ontomask.wording import RECORD, Unit

if TYPE_CHECKING:
    from ontomask.privacy.examined import Examined


class ProfileAnonymity(Model):
    """The combinations of quasi-identifiers of all records of a person are together those of at least k persons.

    Notes
    -----
    The profile of a person is the multiset of the quasi-identifiers of its records (after Tamersoy et al. 2012, who treat
    sequences of diagnoses). Without ``person:`` in the policy every record is a person of its own, and this is k-anonymity.

    Examples
    --------
    >>> import ontomask as om
    >>> om.ProfileAnonymity(5)
    ProfileAnonymity(k=5)
    """

    terms: ClassVar[tuple[str, ...]] = ("Profile",)
    joins_records: ClassVar[bool] = True
    name: Literal["profile_anonymity"] = "profile_anonymity"
    k: Count = Field(kw_only=False, description="every profile is that of at least k records")

    def sensitive_columns(self, attributes: Mapping[str, Any]) -> list[str]:
        return []

    def check_table(self, table: Examined, reference: Examined | None = None) -> Finding:
        require_quasi(table.data, table.quasi, self.describe())
        unit = table.units.word
        owner = table.units.of
        profile_of, lengths = profiles(np.arange(len(table)) if owner is None else owner, table.classes.of)
        persons = np.bincount(profile_of)
        failing = persons < self.k
        number = int(persons[failing].sum())
        worst = int(persons.min())
        shown = pl.DataFrame(
            {"records": lengths[failing], unit.many if owner is not None else "persons": persons[failing]}
        )
        text = f"{self.describe()}: {counted(len(persons), 'profile')}, the rarest of {unit.counted(worst)}"
        if number:
            bad = int(failing.sum())
            text = (
                f"{self.describe()}: {bad:,} of {counted(len(persons), 'profile')} "
                f"{'are' if bad != 1 else 'is'} shared by fewer than {unit.counted(self.k)} ({unit.counted(number)} in all); "
                f"the rarest has {worst:,}"
            )
        return Finding(self, not number, float(worst), text, shown.sort(shown.columns[::-1]), number, unit=unit)

    @property
    def stated_k(self) -> int:
        return self.k

    def require_enough(self, table: Examined) -> None:
        require_number(self.k, table, self.describe())

    def describe(self) -> str:
        return f"{self.k}-anonymity of profiles"

    @property
    def title(self) -> str:
        return "Profile anonymity"

    def explain(self, unit: Unit = RECORD) -> str:
        return (
            f"The quasi-identifiers of all records of one {unit.owner.one} together are those of at least "
            f"{unit.counted(self.k)}."
        )

    @property
    def trivial(self) -> bool:
        return self.k <= 1


def profiles(owner: Longs, classes: Longs) -> tuple[Longs, Longs]:
    """The profile of each person, numbered from 0, and how many records those of each profile have.

    ``owner``: whose each record is; ``classes``: its class.
    """
    order = np.lexsort((classes, owner))
    owner, classes = owner[order], classes[order]
    begins = np.flatnonzero(np.diff(owner, prepend=-1))
    sizes = np.diff(np.append(begins, len(owner)))
    profile_of, lengths = np.empty(len(begins), dtype=np.int64), []
    found = 0
    for size in np.unique(sizes):
        some = np.flatnonzero(sizes == size)
        rows = classes[begins[some][:, None] + np.arange(size)]
        distinct, place = np.unique(rows, axis=0, return_inverse=True)
        profile_of[some] = found + place.reshape(-1)
        lengths.append(np.full(len(distinct), size))
        found += len(distinct)
    return profile_of, np.concatenate(lengths)
