"""Suppression: records whose combination is too rare are removed; the baseline of T12 9.2."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ontomask.arguments import counted
from ontomask.errors import DataError
from ontomask.masking.goals import Goals
from ontomask.masking.method import GroupingMethod, Masked, MaskedTuples, TupleMethod
from ontomask.microdata.encoding import Tuples
from ontomask.progress import Progress
from ontomask.statements import Statement, note, promised
from ontomask.wording import RECORD, Unit


class Suppression(TupleMethod, GroupingMethod):
    """Remove the records that fewer than k share their quasi-identifiers; leave all others as they are.

    Examples
    --------
    >>> import ontomask as om
    >>> om.Suppression(5)
    Suppression(k=5)
    """

    name: Literal["suppression"] = "suppression"

    @property
    def refuses_sets(self) -> str | None:
        return None

    @property
    def draws(self) -> bool:
        return False

    @property
    def aims(self) -> bool:
        return False

    def require_enough(self, table: Tuples) -> None:
        super().require_enough(table)
        if (table.sizes < self.k).all():
            raise DataError(
                f"no combination of quasi-identifiers has {table.unit.counted(self.k)}: nothing would be left",
                remedy="Choose a smaller k, fewer quasi-identifiers, or a method that masks instead of removing.",
            )

    def mask_tuples(self, goals: Goals, table: Tuples, rng: np.random.Generator, progress: Progress) -> MaskedTuples:
        self.require_enough(table)
        common = table.sizes >= self.k
        group_of_tuple = np.where(common, np.cumsum(common) - 1, -1)
        removed = int(table.counts[~common].sum())
        centres = [
            column.centre_of_code[codes[common]] for column, codes in zip(table.columns, table.codes, strict=True)
        ]
        notes = [note(f"{removed:,} of {counted(table.n, 'record')} removed")]
        return MaskedTuples(Masked(group_of_tuple.astype(np.int32), centres, notes))

    @property
    def title(self) -> str:
        return "Suppression"

    def explain(self, unit: Unit = RECORD) -> str:
        return (
            f"Records whose combination of values has fewer than {unit.counted(self.k)} were left out. No value was "
            "changed."
        )

    def _assured(self, unit: Unit) -> list[Statement]:
        return [
            promised(
                f"Every combination of quasi-identifiers that is left is shared by at least {unit.counted(self.k)}; rare "
                "records are missing, so totals and rates of the release differ from those of the original."
            )
        ]
