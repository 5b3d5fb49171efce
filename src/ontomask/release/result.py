"""``Result``: the release, what is known of it, and the confidential record of the run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Generic

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ontomask.arguments import as_path, counted
from ontomask.assessment.alignment import ROW_COLUMN
from ontomask.display import html_card, html_fold, html_list
from ontomask.errors import DataError
from ontomask.masking.method import Masked
from ontomask.masking.randomness import Secret
from ontomask.microdata.frames import FrameT, NativeFrame
from ontomask.microdata.keys import Key
from ontomask.policy.policy import Policy
from ontomask.policy.verification import Verification
from ontomask.release.evaluation import ReleaseEvaluation
from ontomask.release.facts import ReleaseFacts
from ontomask.release.guarantees import guarantees, linkage_tried, marks_of
from ontomask.release.releases import all_verified, write_releases
from ontomask.release.saving import save_result
from ontomask.statements import Statement

if TYPE_CHECKING:
    from ontomask.policy.prepared import Prepared
    from ontomask.privacy.examined import Examined


@dataclass(frozen=True, eq=False, repr=False)
class Result(ReleaseFacts, ReleaseEvaluation, Generic[FrameT]):
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
    notes : list of Statement
        What was noticed, for the steward.
    allow_unsatisfied : bool
        May the release fail? It is verified again whenever it is written, since a frame can be changed.
    parts : tuple of Result
        Where a method makes several releases of the same records, the result of each; ``data``, ``masked``, ``mapping``
        and ``groups`` are of the first.
    masking_seconds : float
        What the method itself took, without reading, encoding and verifying.
    key : Key, optional
        What pseudonyms and shifts of dates were derived from; None where the release has neither. One that was drawn is saved.

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
    notes: list[Statement] = field(default_factory=list)
    allow_unsatisfied: bool = False
    parts: tuple[Result[FrameT], ...] = ()
    masking_seconds: float = 0.0
    key: Key | None = None

    @cached_property
    def removed(self) -> NDArray[np.int64]:
        """Places in the input of the records that are not in the release."""
        return np.setdiff1d(np.arange(self.given), self.records)

    @property
    def kept_rows(self) -> NDArray[np.int64]:
        """Which row of the prepared original each released record came from."""
        return np.searchsorted(np.flatnonzero(self.prepared.kept), self.records)

    @property
    def record_list(self) -> pl.DataFrame:
        """Which record of the input each released one was, and, where persons are counted, whose it is: whoever verifies the
        file needs to know."""
        units = self.examined.units
        persons = {} if units.of is None else {units.word.one: units.of + 1}
        return pl.DataFrame({ROW_COLUMN: self.records + 1} | persons)

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
        return self.examined.beside(self._native(self.data).data)

    def _native(self, frame: FrameT) -> NativeFrame:
        return NativeFrame.of(frame, separators=self.policy.separators)

    def unchanged(self) -> Examined:
        """The frame as it is now; an error if somebody changed it: what the run knows is of the release as it was."""
        released = self.released
        if not released.data.equals(self._native(self.prepared.taken.restore(self.examined.data)).data):
            raise DataError(
                "the data were changed after they were verified: figures of the result are of what it was",
                remedy="Assess what you have now by assess(original, data, policy), or run anonymize again and leave "
                "result.data as it is.",
            )
        return released

    def require_unchanged(self) -> None:
        """An error if somebody changed the data of a release."""
        for part in self.each:
            part.unchanged()

    @property
    def caveats(self) -> list[Statement]:
        """What weakens a promise on these data."""
        return [*self.masked.caveats, *self.prepared.shared_identifiers]

    @cached_property
    def guarantees(self) -> list[Statement]:
        """What holds of the release and under which assumptions; what fails comes first. For the steward."""
        marks = marks_of(self.policy, self.secret)
        return guarantees(self.policy, self.verification, self.caveats, marks, lambda: linkage_tried(self))

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
        ``release`` holds the data and the guarantees; ``confidential`` the policy, the secret, a key that was drawn, the
        notes, the mapping, the groups, the rows of the original, and a manifest of versions and hashes. The released file is
        read back and verified.
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

    def _repr_html_(self) -> str:
        notes = html_fold(counted(len(self.notes), "note"), html_list(map(str, self.notes)))
        return html_card(repr(self).strip("<>"), html_list(map(str, self.guarantees)), notes)

    def __str__(self) -> str:
        lines = [repr(self), *(f"  {text}" for text in self.guarantees), *(f"  note: {note}" for note in self.notes)]
        return "\n".join(lines)
