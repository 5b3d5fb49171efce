"""What :func:`ontomask.anonymize` hands back: the release, what is known of it, and the steward's own record."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ontomask.arguments import one_of
from ontomask.masking.method import Masked
from ontomask.policy import Policy
from ontomask.verification import Verification

if TYPE_CHECKING:
    from ontomask.assessment.linkage import Kind
    from ontomask.assessment.loss import Loss
    from ontomask.assessment.pairing import Pairing
    from ontomask.run import Prepared


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """``data``: the release, of the kind of frame that came in. ``seed``: what fixed all that was random.

    ``records`` are the places in the input of the released records; like ``mapping`` and ``groups`` they lead back to
    people and belong to the steward alone.
    """

    policy: Policy
    seed: int
    data: Any
    verification: Verification
    prepared: Prepared
    masked: Masked
    records: NDArray[np.int64]
    notes: list[str] = field(default_factory=list)

    @property
    def satisfied(self) -> bool:
        """Does the release satisfy all that it must?"""
        return self.verification.holds

    @cached_property
    def guarantees(self) -> list[str]:
        """What holds of the release, under which assumptions, in words; what fails comes first."""
        assert self.policy.method is not None
        failed = [f"NOT SATISFIED: {finding.text}" for finding in self.verification.findings if not finding.holds]
        held = [f"Verified on the release itself: {f.text}." for f in self.verification.findings if f.holds]
        quasi = ", ".join(column.name for column in self.prepared.table.columns)
        assumptions = [
            (
                f"Assumed: an intruder knows at most the quasi-identifiers ({quasi}). What else they know of a person, "
                "above all in the other columns, is not protected against."
            ),
        ]
        if self.verification.findings:
            assumptions.append(
                "Not promised by k-anonymity: that a class holds different sensitive values. "
                "If all of them agree, they are disclosed without anybody being singled out."
            )
        assumptions.append(
            "Records are in random order."
            if self.policy.row_order == "shuffled"
            else "Records stand in their original order: whoever knows the order of the source knows who is who. "
            "Set row_order: shuffled to break it; no method of this family does so by itself."
        )
        return [*failed, *self.policy.method.assurances(), *held, *assumptions]

    @cached_property
    def groups(self) -> pl.DataFrame:
        """One row for each group: its size, how many different records it holds, and its centre."""
        group_of = self.masked.group_of
        inside = group_of >= 0
        sizes = np.bincount(group_of[inside], minlength=self.masked.groups)
        pairs = np.unique(
            group_of[inside].astype(np.int64) * self.prepared.table.p + self.prepared.table.tuple_of[inside]
        )
        distinct = np.bincount(pairs // self.prepared.table.p, minlength=self.masked.groups)
        columns = [
            pl.Series("group", np.arange(self.masked.groups)),
            pl.Series("records", sizes),
            pl.Series("distinct", distinct),
        ]
        for column, centres in zip(self.prepared.table.columns, self.masked.centres, strict=True):
            columns.append(column.decode(centres).alias(f"{column.name}"))
        return pl.DataFrame(_unique_names(columns))

    @cached_property
    def mapping(self) -> pl.DataFrame:
        """Which original combination became which, in how many records; ``null`` group: removed.

        For the steward: with the release it leads back to people.
        """
        table, masked = self.prepared.table, self.masked
        key = (masked.group_of.astype(np.int64) + 1) * table.p + table.tuple_of
        distinct, counts = np.unique(key, return_counts=True)
        group, tuple_ = distinct // table.p - 1, distinct % table.p
        columns = [pl.Series("records", counts)]
        for column, codes in zip(table.columns, table.codes, strict=True):
            columns.append(column.values.gather(codes[tuple_]).alias(column.name))
        for column, centres in zip(table.columns, masked.centres, strict=True):
            shown = column.decode(centres).gather(np.maximum(group, 0))
            shown = pl.select(pl.when(pl.Series(group >= 0)).then(shown).otherwise(None)).to_series()
            columns.append(shown.alias(f"{column.name} (masked)"))
        columns.append(pl.select(pl.when(pl.Series(group >= 0)).then(pl.Series(group))).to_series().alias("group"))
        frame = pl.DataFrame(_unique_names(columns))
        return frame.sort("records", descending=True, maintain_order=True)

    @cached_property
    def removed(self) -> NDArray[np.int64]:
        """Places in the input of the records that are not in the release."""
        return np.setdiff1d(np.arange(len(self.prepared.kept)), self.records)

    @cached_property
    def _pairing(self) -> Pairing:
        from ontomask.assessment.pairing import pair_result

        return pair_result(self.prepared.table, self.masked)

    def loss(self, measure: str | None = None, **options: Any) -> Loss:
        """What masking cost (see :class:`~ontomask.assessment.loss.Loss`), by one measure if it is named."""
        from ontomask.assessment.loss import loss_of

        return loss_of(self._pairing.measured(measure, options))

    def linkage(self, kind: Kind = "semantic", measure: str | None = None, **options: Any) -> float:
        """The share of records an intruder links correctly (see :func:`ontomask.record_linkage`)."""
        from ontomask.assessment.linkage import KINDS, linkage_of

        one_of(kind, KINDS, "linkage")
        return linkage_of(self._pairing.measured(measure, options), kind)

    def write(self, path: str | Path, *, overwrite: bool = False, **options: Any) -> Path:
        """Write the release to a file; never over the file the data came from."""
        from ontomask.microdata.writing import write_table

        return write_table(self.data, path, overwrite=overwrite, source=self.prepared.source, **options)

    def save(self, folder: str | Path, *, overwrite: bool = False) -> Path:
        """Write the release, its policy and its guarantees; the mapping goes to a folder marked confidential."""
        from ontomask.saving import save_result

        return save_result(self, Path(folder), overwrite=overwrite)

    def __repr__(self) -> str:
        state = "" if self.satisfied else " NOT SATISFIED"
        rows = len(self.records)
        return f"<Result{state}: {rows:,} records, {self.masked.groups:,} groups, {len(self.notes)} notes>"

    def __str__(self) -> str:
        lines = [repr(self), *(f"  {text}" for text in self.guarantees), *(f"  note: {note}" for note in self.notes)]
        return "\n".join(lines)


def _unique_names(columns: list[pl.Series]) -> list[pl.Series]:
    """Columns of ours give way where the data use the same name."""
    seen: set[str] = set()
    named = []
    for column in columns:
        name = column.name
        while name in seen:
            name += " "
        seen.add(name)
        named.append(column.alias(name))
    return named
