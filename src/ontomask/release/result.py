"""``Result``: the release, what is known of it, and the confidential record of the run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Generic

import numpy as np
from numpy.typing import NDArray

from ontomask.arguments import as_path, counted
from ontomask.masking.method import Masked
from ontomask.masking.randomness import EXPLICIT_SEED, Secret
from ontomask.microdata.frames import FrameT, take
from ontomask.policy.policy import Policy
from ontomask.policy.verification import NOTHING_PROMISED, Verification
from ontomask.privacy.k_anonymity import KAnonymity
from ontomask.release.guarantees import linkage_in_words, minimality_in_words
from ontomask.release.judged import Judged
from ontomask.release.releases import all_verified, write_releases
from ontomask.release.saving import save_result
from ontomask.wording import Counts, public_text

if TYPE_CHECKING:
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
class Result(Judged, Generic[FrameT]):
    """What :func:`ontomask.anonymize` hands back: the release, and what is known of it.

    Attributes
    ----------
    policy : Policy
        What was asked for.
    secret : Secret
        What all that was random came from.
    data : DataFrame
        The release, of the kind of frame that came in.
    verification : Verification
        What was found on it.
    examined : Examined
        The table that was verified.
    prepared : Prepared
        The original, as the method saw it.
    masked : Masked
        What became of each record.
    records : ndarray of int
        The places in the input of the released records.
    notes : list of str
        What was noticed, for the steward.
    allow_unsatisfied : bool
        May the release fail? It is verified again whenever it is written, since a frame can be changed.
    parts : tuple of Result
        Where a method makes several releases of the same records, the result of each; ``data``, ``masked``, ``mapping``
        and ``groups`` are of the first.
    masking_seconds : float
        What the method itself took, without reading, encoding and verifying.

    Notes
    -----
    ``records``, ``mapping`` and ``groups`` lead back to people: they belong to the steward alone.
    """

    policy: Policy
    secret: Secret
    data: FrameT
    verification: Verification
    examined: Examined
    prepared: Prepared
    masked: Masked
    records: NDArray[np.int64]
    notes: list[str] = field(default_factory=list)
    allow_unsatisfied: bool = False
    parts: tuple[Result[FrameT], ...] = ()
    masking_seconds: float = 0.0

    @property
    def each(self) -> tuple[Result[FrameT], ...]:
        """The results of all releases, one by one; of most methods there is one release."""
        return self.parts or (self,)

    @property
    def releases(self) -> list[FrameT]:
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
        sentences = [*failed, *nothing, *explicit, *assured, *self.caveats, *held]
        return [*sentences, *linkage_in_words(self, counts), *self._assumptions()]

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

        Parameters
        ----------
        path : path
            The file. Several releases become ``NAME-1.csv``, ``NAME-2.csv`` and so on, all of them or none.
        overwrite : bool, default False
            Replace a file that exists.
        format : str, optional
            The format, where the suffix does not tell it.
        delimiter : str, optional
            For CSV.
        encoding : str, default 'utf-8'
            For CSV.
        decimal : str, default '.'
            For CSV.
        escape_formulas : bool, default False
            Put a single quote before cells of a CSV that a spreadsheet would run as formulas.

        Returns
        -------
        Path
            The file; of several the first.

        Notes
        -----
        The file is read back as a recipient would read it, and what it holds is verified before it appears.
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
        """Write two folders: ``release``, which may be handed out, and ``confidential``.

        Parameters
        ----------
        folder : path
            Where the two folders are written; it appears when it is complete.
        overwrite : bool, default False
            Replace an earlier result of ours; anything else is never touched, nor a file that data or policy came from.
        format : str, optional
            The format of the release (default: CSV, or Parquet if the data came from it).
        report : bool, default False
            Add a page to read to each folder, and the assessment.
        escape_formulas : bool, default False
            For CSV, as in :func:`ontomask.write_table`; mapping and groups are escaped as well.

        Returns
        -------
        Path
            The folder.

        Notes
        -----
        ``release`` holds the data and the guarantees; ``confidential`` the policy, the secret, the notes, the mapping, the
        groups, the rows of the original, and a manifest of versions and hashes. The released file is read back and verified.
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

    def verified(self, found: Sequence[Verification]) -> Result[FrameT]:
        """This result with what was found in the file of each of its releases."""
        parts = tuple(part.verified([one]) for part, one in zip(self.parts, found, strict=bool(self.parts)))
        again = replace(self, verification=all_verified(found), parts=parts)
        kept = ("assessment", "groups", "mapping", "pairing")  # computed once
        again.__dict__.update({name: self.__dict__[name] for name in kept if name in self.__dict__})
        return again

    def __repr__(self) -> str:
        state = "" if self.satisfied else " NOT SATISFIED"
        rows = len(self.records)
        sentences = [counted(rows, "record"), counted(self.masked.groups, "group"), counted(len(self.notes), "note")]
        sentences = [f"{len(self.parts)} releases", *sentences] if self.parts else sentences
        return f"<Result{state}: {', '.join(sentences)}>"

    def __str__(self) -> str:
        lines = [repr(self), *(f"  {text}" for text in self.guarantees), *(f"  note: {note}" for note in self.notes)]
        return "\n".join(lines)
