"""What a result can tell of itself beside the original: loss, risk, and the tables that belong to the steward."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ontomask.arguments import free_name, one_of
from ontomask.assessment.assess import assessment_of
from ontomask.assessment.linkage import KINDS, Kind, linkage_of
from ontomask.assessment.loss import Loss, loss_of
from ontomask.assessment.pairing import Pairing, pair_result
from ontomask.assessment.preservation import Preservation, preservation_of
from ontomask.assessment.several import assessed_together
from ontomask.masking.method import Masked
from ontomask.microdata.codes import count_pairs
from ontomask.microdata.columns import counts_of
from ontomask.microdata.encoding import Rows, written_column
from ontomask.policy.policy import Policy
from ontomask.privacy.diagnostics import Diagnostics
from ontomask.progress import Progress, Reporter, silent, stretch

if TYPE_CHECKING:
    from ontomask.assessment.outcome import Assessment
    from ontomask.policy.prepared import Prepared, PreparedTuples
    from ontomask.privacy.examined import Examined
    from ontomask.severity.severity import Severity


class ReleaseEvaluation:
    """The part of a :class:`~ontomask.Result` that compares the release with the original."""

    policy: Policy
    masked: Masked
    parts: tuple[Any, ...]

    if TYPE_CHECKING:  # a field of derived classes, which would take a property for its default

        @property
        def prepared(self) -> Prepared | PreparedTuples: ...

    @property
    def kept_rows(self) -> NDArray[np.int64]:
        """Which row of the prepared original each row of :meth:`unchanged` came from."""
        raise NotImplementedError

    @property
    def given(self) -> int:
        """The records of the input."""
        return self.prepared.given

    @property
    def kept_records(self) -> int:
        """Those that were not dropped for missing values."""
        return self.prepared.table.n

    @property
    def released_records(self) -> int:
        """Those that are in the release."""
        return self._inside.records

    @property
    def _inside(self) -> Rows:
        """The rows of the original that are released."""
        return self.prepared.table.rows.part(np.flatnonzero(self.masked.group_of >= 0))

    @property
    def severity(self) -> Severity | None:
        """The severity definition by which records are weighted, if they can be."""
        return self.policy.severity

    @cached_property
    def assessment(self) -> Assessment:
        """All that can be said of the release beside the original (see :func:`ontomask.assess`)."""
        return self._assessed(silent)

    def assess(self, progress: Callable[[float, str], Any] | None = None) -> Assessment:
        """The :attr:`assessment`, computed once.

        ``progress(fraction, message)`` is called between steps; it stops the work by returning False or raising.
        """
        if "assessment" not in self.__dict__:
            self.__dict__["assessment"] = self._assessed(Reporter(progress))
        return self.assessment

    def unchanged(self) -> Examined:
        """The release as it is now; an error if it is no longer what the run made."""
        raise NotImplementedError

    def _assessed(self, progress: Progress) -> Assessment:
        each: tuple[ReleaseEvaluation, ...] = self.parts or (self,)
        released = [part.unchanged() for part in each]  # before all the work
        steps = [stretch(progress, i / len(each), (i + 1) / len(each)) for i in range(len(each))]
        found = [part._assess(now, step) for part, now, step in zip(each, released, steps, strict=True)]
        if not self.parts:
            return found[0]
        return assessed_together(found, [part.pairing for part in self.parts], self.policy.masked)

    @property
    def not_assessed(self) -> list[str]:
        """What an assessment leaves out, and why."""
        return []

    def _assess(self, released: Examined, progress: Progress) -> Assessment:
        """One release beside the original."""
        return assessment_of(
            self.pairing,
            self.prepared.examined,
            released,
            self.kept_rows,
            severity=self.severity,
            recognizable=self.policy.recognizable,
            notes=self.not_assessed,
            progress=progress,
        )

    @property
    def ncp(self) -> float | None:
        """The normalized certainty penalty of a generalization: the mean over records and columns of the part of its
        domain that a value covers, 1 for a removed record; None for other methods."""
        return self.pairing.ncp

    @property
    def diagnostics(self) -> Diagnostics | None:
        """What the method measured of its own run; its ``table`` is a frame. None if the method measures nothing."""
        if not self.parts:
            return self.masked.diagnostics
        return Diagnostics.of_releases([part.masked.diagnostics for part in self.parts])

    @property
    def details(self) -> Mapping[str, pl.DataFrame]:
        """Further tables of the method, by name, for the steward: of PRAM its categories and its transition matrices."""
        return self.masked.details

    @cached_property
    def groups(self) -> pl.DataFrame:
        """One row for each group: its number, its size, how many different records it holds, and its centre."""
        group_of = self.masked.group_of[self.masked.group_of >= 0]
        table, groups, inside = self.prepared.table, self.masked.groups, self._inside
        distinct, _, _ = count_pairs(group_of, inside.tuple_of, table.p)
        return pl.DataFrame(
            [
                pl.Series(self._ours("group"), np.arange(groups)),
                pl.Series(self._ours("records"), counts_of(group_of, groups, inside.counts)),
                pl.Series(self._ours("distinct"), np.bincount(distinct, minlength=groups)),
                *self._shown(self.masked.values(table)),
            ]
        )

    def _shown(self, columns: Sequence[pl.Series]) -> list[pl.Series]:
        """Columns of the table as the release shows them, with the codes of open classes."""
        attributes, before = self.prepared.attributes_as_read, self.prepared.before
        return [written_column(column, attributes[column.name], before[column.name]) for column in columns]

    @cached_property
    def mapping(self) -> pl.DataFrame:
        """Which original combination became which, in how many records; no group: removed.

        For the steward: with the release it shows the original of each record.
        """
        table, masked = self.prepared.table, self.masked
        place, tuple_, counts = count_pairs(masked.group_of + 1, table.rows.tuple_of, table.p, table.rows.counts)
        group = place - 1
        released = pl.Series(group >= 0)
        columns = [pl.Series(self._ours("records"), counts)]
        own = zip(table.columns, table.codes, strict=True)
        columns += self._shown([column.values.gather(codes[tuple_]).alias(column.name) for column, codes in own])
        for column, values in zip(table.columns, self._shown(masked.values(table)), strict=True):
            shown = values.gather(np.maximum(group, 0))
            name = free_name(f"{column.name} (masked)", [*(c.name for c in table.columns), *(c.name for c in columns)])
            columns.append(pl.select(pl.when(released).then(shown)).to_series().alias(name))
        columns.append(pl.select(pl.when(released).then(pl.Series(group))).to_series().alias(self._ours("group")))
        return pl.DataFrame(columns).sort(self._ours("records"), descending=True, maintain_order=True)

    def _ours(self, name: str) -> str:
        """A name for a column of ours; it gives way where the data use the same."""
        return free_name(name, [column.name for column in self.prepared.table.columns])

    @cached_property
    def pairing(self) -> Pairing:
        """Original and masked records side by side, as assessments see them."""
        return pair_result(self.prepared.table, self.masked, self.given - self.kept_records)

    def loss(self, measure: str | None = None, **options: Any) -> Loss:
        """What masking cost (see :func:`ontomask.information_loss`).

        Parameters
        ----------
        measure : str, optional
            One measure for all nominal columns; not given: that of each column.
        **options
            Options of ``measure``.

        Returns
        -------
        Loss
            The measures of loss.
        """
        return loss_of(self.pairing.measured(measure, options))

    def preservation(
        self, measure: str | None = None, *, samples: int = 100, share: float = 0.1, seed: int = 0, **options: Any
    ) -> Preservation:
        """What is left of the data's statistics (see :func:`ontomask.preservation`).

        Parameters
        ----------
        measure : str, optional
            One measure for all nominal columns; not given: that of each column.
        samples : int, default 100
            How many random samples.
        share : float, default 0.1
            The share of the records in each.
        seed : int, default 0
            Fixes the samples.
        **options
            Options of ``measure``.

        Returns
        -------
        Preservation
            Three tables: statistics, means and dependence.
        """
        return preservation_of(self.pairing.measured(measure, options), samples=samples, share=share, seed=seed)

    def linkage(self, kind: Kind = "semantic", measure: str | None = None, **options: Any) -> float:
        """The share of records an intruder links correctly (see :func:`ontomask.record_linkage`).

        Parameters
        ----------
        kind : {'semantic', 'matching', 'masked_matching', 'masked_distance'}, default 'semantic'
            How the intruder links.
        measure : str, optional
            One measure for all nominal columns; not given: that of each column.
        **options
            Options of ``measure``.

        Returns
        -------
        float
            0..1.
        """
        one_of(kind, KINDS, "linkage")
        return linkage_of(self.pairing.measured(measure, options), kind)
