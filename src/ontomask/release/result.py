"""``Result``: the release, what is known of it, and the confidential record of the run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ontomask.arguments import as_path, counted, free_name, one_of
from ontomask.assessment.assess import assessment_of
from ontomask.assessment.linkage import KINDS, Kind, linkage_of
from ontomask.assessment.loss import Loss, loss_of
from ontomask.assessment.pairing import Pairing, pair_result
from ontomask.assessment.preservation import Preservation, preservation_of
from ontomask.assessment.several import assessed_together
from ontomask.masking.method import Masked
from ontomask.masking.randomness import EXPLICIT_SEED, Secret
from ontomask.microdata.frames import take
from ontomask.policy.policy import Policy
from ontomask.policy.verification import NOTHING_PROMISED, Verification
from ontomask.privacy.k_anonymity import KAnonymity
from ontomask.progress import Progress, Reporter, silent, stretch
from ontomask.release.guarantees import linkage_in_words, minimality_in_words
from ontomask.release.releases import all_verified, reports_of, write_releases
from ontomask.release.saving import save_result
from ontomask.wording import Counts, public_text

if TYPE_CHECKING:
    from ontomask.assessment.outcome import Assessment
    from ontomask.policy.prepared import Prepared
    from ontomask.privacy.examined import Examined
    from ontomask.privacy.models import Finding


def _held(text: str, finding: Finding) -> str:
    if finding.model.trivial:
        return f"Every table satisfies this, so it promises nothing: {text}."
    if finding.of_run:
        return f"Checked on what the run recorded of its swaps, which the release does not show: {text}."
    return f"Verified on the release itself: {text}."


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """``data``: the release, of the kind of frame that came in. ``secret``: what all that was random came from.

    The frame can be changed, so it is verified again whenever it is written. ``allow_unsatisfied``: may it fail?
    ``examined``: the table that was verified.

    ``records`` are the places in the input of the released records; like ``mapping`` and ``groups`` they lead back to
    people and belong to the steward alone. ``parts``: where a method makes several releases of the same records, the result
    of each; ``data``, ``masked``, ``mapping`` and ``groups`` are of the first. ``masking_seconds``: what the method itself
    took, without reading, encoding and verifying.
    """

    policy: Policy
    secret: Secret
    data: Any
    verification: Verification
    examined: Examined
    prepared: Prepared
    masked: Masked
    records: NDArray[np.int64]
    notes: list[str] = field(default_factory=list)
    allow_unsatisfied: bool = False
    parts: tuple[Result, ...] = ()
    masking_seconds: float = 0.0

    @property
    def each(self) -> tuple[Result, ...]:
        """The results of all releases, one by one; of most methods there is one release."""
        return self.parts or (self,)

    @property
    def releases(self) -> list[Any]:
        """The data of all releases: the same records in the same order; ``data`` is the first."""
        return [part.data for part in self.each]

    @property
    def released(self) -> Examined:
        """The frame as it is now; nobody need have changed it."""
        return self.examined.beside(take(self.data).data)

    @property
    def seed(self) -> int | None:
        """The explicit seed of the run; None where a secret was drawn, as it should be for a release."""
        return self.secret.seed

    @property
    def reproducible(self) -> bool:
        """Did something random come from an explicit seed, so that whoever knows or guesses it can repeat it?"""
        return self.secret.explicit and self.policy.draws

    @property
    def satisfied(self) -> bool:
        """Does the release satisfy all that it must?"""
        return not self.verification.failed

    @property
    def caveats(self) -> list[str]:
        """What weakens a promise on these data; nothing that only the steward may know."""
        counting = self.policy.counting
        shared = [identifier.public_sentence(counting) for identifier in self.prepared.repeating]
        return [*self.masked.caveats, *shared]

    @property
    def promises(self) -> bool:
        """Was anything promised that not every table satisfies?"""
        return self.verification.promises

    @cached_property
    def counts(self) -> Counts:
        """How counts of records are written in what is handed out: none below the k of the policy is given exactly."""
        assert self.policy.method is not None
        required = [getattr(finding.model, "k", 1) for finding in self.verification.findings]
        return Counts.public(max([self.policy.method.promised_k, *required]))

    @cached_property
    def guarantees(self) -> list[str]:
        """What holds of the release, under which assumptions, in words; what fails comes first. For the steward."""
        return self._stated(Counts())

    @cached_property
    def public_guarantees(self) -> list[str]:
        """The same as it may be handed out: without figures of the data, and small counts only as bounds."""
        return [public_text(text) for text in self._stated(self.counts)]

    def _stated(self, counts: Counts) -> list[str]:
        findings = self.verification.findings
        assert self.policy.method is not None
        said = [finding.text if counts.exact else finding.public for finding in findings]
        failed = [f"NOT SATISFIED: {text}" for text, f in zip(said, findings, strict=True) if not f.holds]
        held = [_held(text, f) for text, f in zip(said, findings, strict=True) if f.holds]
        nothing = [] if self.promises else [NOTHING_PROMISED]
        k = self.policy.method.promised_k
        broken = any(isinstance(f.model, KAnonymity) and f.model.k <= k and not f.holds for f in findings)
        assured = [] if broken else self.policy.method.assurances()  # data that were changed need not keep them
        explicit = [EXPLICIT_SEED] if self.reproducible else []
        told = [*failed, *nothing, *explicit, *assured, *self.caveats, *held]
        return [*told, *linkage_in_words(self, counts), *self._assumptions()]

    def _assumptions(self) -> list[str]:
        assert self.policy.method is not None
        quasi = ", ".join(self.policy.quasi_identifiers)
        assumptions = []
        if set(self.policy.masked) & set(self.policy.quasi_identifiers):
            assumptions.append(
                f"Assumed: an intruder knows at most the quasi-identifiers ({quasi}). Nothing protects against other "
                "knowledge of a person, above all of values in the other columns."
            )
        models = [finding.model for finding in self.verification.findings]
        k_anonymous = any(isinstance(model, KAnonymity) for model in models)
        if k_anonymous and not any(model.sensitive_columns(self.policy.attributes) for model in models):
            assumptions.append(
                "Not promised by k-anonymity: that a class holds different sensitive values. "
                "If all of them agree, they are disclosed without any record being singled out."
            )
        assumptions += minimality_in_words(self.policy)
        assumptions.append(
            "Records are in random order."
            if self.policy.row_order == "shuffled"
            else "Records are in their original order: anyone who knows that order can tell which record is whose. "
            "Set row_order: shuffled to change it."
        )
        return assumptions

    @cached_property
    def assessment(self) -> Assessment:
        """All that can be said of the release beside the original (see :func:`ontomask.assess`)."""
        return self._assessed(silent)

    def assess(self, progress: Callable[[float, str], Any] | None = None) -> Assessment:
        """The same, telling how far it is; computed once."""
        if "assessment" not in self.__dict__:
            self.__dict__["assessment"] = self._assessed(Reporter(progress))
        return self.assessment

    def _assessed(self, progress: Progress) -> Assessment:
        if self.parts:
            steps = [stretch(progress, i / len(self.parts), (i + 1) / len(self.parts)) for i in range(len(self.parts))]
            found = [part._assessed(step) for part, step in zip(self.parts, steps, strict=True)]
            return assessed_together(found, [part.pairing for part in self.parts], self.policy.masked)

        inside = np.flatnonzero(self.prepared.kept)
        return assessment_of(
            self.pairing,
            self.prepared.examined,
            self.released,
            np.searchsorted(inside, self.records),
            severity=self.policy.severity,
            ncp=self.ncp,
            recognizable=self.policy.recognizable,
            progress=progress,
        )

    @property
    def ncp(self) -> float | None:
        """The normalized certainty penalty of a generalization: the mean over records and columns of the part of its
        domain that a value covers, 1 for a removed record; None for other methods."""
        return self.masked.certainty_penalty(len(self.prepared.kept))

    @property
    def report(self) -> pl.DataFrame | None:
        """What the method itself measured, a row for each masked column; None if it reports nothing."""
        if not self.parts:
            return self.masked.report
        return reports_of(self.parts)

    @property
    def details(self) -> Mapping[str, pl.DataFrame]:
        """Further tables of the method, by name, for the steward: of PRAM its categories and its transition matrices."""
        return self.masked.details

    @cached_property
    def groups(self) -> pl.DataFrame:
        """One row for each group: its number, its size, how many different records it holds, and its centre."""
        group_of = self.masked.group_of
        inside = group_of >= 0
        table, groups = self.prepared.table, self.masked.groups
        pairs = np.unique(group_of[inside].astype(np.int64) * table.p + table.tuple_of[inside])
        return pl.DataFrame(
            [
                pl.Series(self._ours("group"), np.arange(groups)),
                pl.Series(self._ours("records"), np.bincount(group_of[inside], minlength=groups)),
                pl.Series(self._ours("distinct"), np.bincount(pairs // table.p, minlength=groups)),
                *self.masked.values(table),
            ]
        )

    @cached_property
    def mapping(self) -> pl.DataFrame:
        """Which original combination became which, in how many records; no group: removed.

        For the steward: with the release it leads back to people.
        """
        table, masked = self.prepared.table, self.masked
        key = (masked.group_of.astype(np.int64) + 1) * table.p + table.tuple_of
        distinct, counts = np.unique(key, return_counts=True)
        group, tuple_ = distinct // table.p - 1, distinct % table.p
        released = pl.Series(group >= 0)
        columns = [pl.Series(self._ours("records"), counts)]
        for column, codes in zip(table.columns, table.codes, strict=True):
            columns.append(column.values.gather(codes[tuple_]).alias(column.name))
        for column, values in zip(table.columns, masked.values(table), strict=True):
            shown = values.gather(np.maximum(group, 0))
            name = free_name(f"{column.name} (masked)", [*(c.name for c in table.columns), *(c.name for c in columns)])
            columns.append(pl.select(pl.when(released).then(shown)).to_series().alias(name))
        columns.append(pl.select(pl.when(released).then(pl.Series(group))).to_series().alias(self._ours("group")))
        return pl.DataFrame(columns).sort(self._ours("records"), descending=True, maintain_order=True)

    def _ours(self, name: str) -> str:
        """A name for a column of ours; it gives way where the data use the same."""
        return free_name(name, [column.name for column in self.prepared.table.columns])

    @cached_property
    def removed(self) -> NDArray[np.int64]:
        """Places in the input of the records that are not in the release."""
        return np.setdiff1d(np.arange(len(self.prepared.kept)), self.records)

    @cached_property
    def pairing(self) -> Pairing:
        """Original and masked records side by side, as assessments see them."""
        dropped = len(self.prepared.kept) - self.prepared.table.n
        return pair_result(self.prepared.table, self.masked, dropped)

    def loss(self, measure: str | None = None, **options: Any) -> Loss:
        """What masking cost (see :class:`~ontomask.assessment.loss.Loss`), by one measure if it is named."""
        return loss_of(self.pairing.measured(measure, options))

    def preservation(
        self, measure: str | None = None, *, samples: int = 100, share: float = 0.1, seed: int = 0, **options: Any
    ) -> Preservation:
        """What is left of the data's statistics (see :func:`ontomask.preservation`)."""
        return preservation_of(self.pairing.measured(measure, options), samples=samples, share=share, seed=seed)

    def linkage(self, kind: Kind = "semantic", measure: str | None = None, **options: Any) -> float:
        """The share of records an intruder links correctly (see :func:`ontomask.record_linkage`)."""
        one_of(kind, KINDS, "linkage")
        return linkage_of(self.pairing.measured(measure, options), kind)

    def write(
        self,
        path: str | Path,
        *,
        overwrite: bool = False,
        format: str | None = None,
        delimiter: str | None = None,
        encoding: str = "utf-8",
        decimal: str = ".",
        escape_formulas: bool = False,
    ) -> Path:
        """Write the release to a file, whole or not at all; never over the file the data came from.

        The file is read back as a recipient would read it, and what it holds is verified before it appears. The options
        are those of :func:`ontomask.write_table`. Several releases become ``NAME-1.csv``, ``NAME-2.csv`` and so on, all of
        them or none; the path of the first is returned.
        """
        return write_releases(
            self,
            as_path(path),
            overwrite=overwrite,
            format=format,
            delimiter=delimiter,
            encoding=encoding,
            decimal=decimal,
            escape_formulas=escape_formulas,
        )

    def save(
        self,
        folder: str | Path,
        *,
        overwrite: bool = False,
        format: str | None = None,
        report: bool = False,
        escape_formulas: bool = False,
    ) -> Path:
        """Write two folders below ``folder``: ``release``, which may be handed out, and ``confidential``.

        ``release`` holds the data and the guarantees; ``confidential`` the policy, the secret, the notes, the mapping,
        the groups, the rows of the original, and a manifest of versions and hashes. ``report`` adds a page to read to
        each, and the assessment. The released file is read back and verified. A new folder appears when it is complete. With
        ``overwrite`` an earlier result of ours is replaced; anything else is never touched, nor is a file that the data
        or the policy came from. ``format`` is that of the release: CSV unless it is given or the data came from Parquet.
        ``escape_formulas`` is for CSV, as in :func:`ontomask.write_table`; mapping and groups are escaped as well.
        """
        if report:
            self.assess()  # kept with this result, too
        return save_result(
            self,
            as_path(folder),
            overwrite=overwrite,
            format=format,
            report=report,
            escape_formulas=escape_formulas,
        )

    def verified(self, found: Sequence[Verification]) -> Result:
        """This result with what was found in the file of each of its releases."""
        parts = tuple(part.verified([one]) for part, one in zip(self.parts, found, strict=bool(self.parts)))
        again = replace(self, verification=all_verified(found), parts=parts)
        kept = ("assessment", "groups", "mapping", "pairing")  # computed once
        again.__dict__.update({name: self.__dict__[name] for name in kept if name in self.__dict__})
        return again

    def __repr__(self) -> str:
        state = "" if self.satisfied else " NOT SATISFIED"
        rows = len(self.records)
        told = [counted(rows, "record"), counted(self.masked.groups, "group"), counted(len(self.notes), "note")]
        told = [f"{len(self.parts)} releases", *told] if self.parts else told
        return f"<Result{state}: {', '.join(told)}>"

    def __str__(self) -> str:
        lines = [repr(self), *(f"  {text}" for text in self.guarantees), *(f"  note: {note}" for note in self.notes)]
        return "\n".join(lines)
