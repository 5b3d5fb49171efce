"""``CountedResult``: a saved release whose records are not in memory; what is known of it comes from counted combinations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ontomask.arguments import counted
from ontomask.engines.tuples import Release
from ontomask.masking.method import Masked
from ontomask.policy.prepared import PreparedTuples
from ontomask.privacy.examined import Examined
from ontomask.release.evaluation import ReleaseEvaluation
from ontomask.release.facts import ReleaseFacts
from ontomask.release.guarantees import guarantees, linkage_tried, marks_of
from ontomask.statements import Statement

if TYPE_CHECKING:
    from ontomask.severity.severity import Severity


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class CountedResult(ReleaseFacts, ReleaseEvaluation, Release):
    """What :func:`ontomask.anonymize_files` hands back: the folder, and what is known of the release in it.

    Attributes
    ----------
    prepared : PreparedTuples
        The original: combinations of values with their counts.
    masked : Masked
        What became of each combination.
    released : Examined
        The combinations as they are released, one for each of the original that is, with their counts.
    folder : Path or None
        Where the result was saved.
    file : Path or None
        The released file in it.
    masking_seconds : float
        What the method itself took.
    """

    prepared: PreparedTuples
    masked: Masked
    released: Examined
    folder: Path | None = None
    file: Path | None = None
    masking_seconds: float = 0.0
    #: Sensitive columns that are not among those whose combinations were counted.
    uncounted: Sequence[str] = ()
    parts: tuple[Any, ...] = ()

    @property
    def each(self) -> tuple[CountedResult, ...]:
        """The results of all releases: there is one."""
        return (self,)

    @property
    def record_list(self) -> None:
        """The list of released records was written with them."""

    @property
    def kept_rows(self) -> NDArray[np.int64]:
        """Which combination of the original each row of :attr:`released` came from."""
        return np.flatnonzero(self.masked.group_of >= 0)

    def unchanged(self) -> Examined:
        """The released combinations; nobody has them as a frame."""
        return self.released

    def require_unchanged(self) -> None:
        """The file is hashed in the manifest: :func:`ontomask.verify_result` tells whether it is what it was."""

    @cached_property
    def guarantees(self) -> list[Statement]:
        """What holds of the release and under which assumptions; what fails comes first. For the steward."""
        marks = marks_of(self.policy, self.secret)
        return guarantees(self.policy, self.verification, self.caveats, marks, lambda: linkage_tried(self))

    @property
    def severity(self) -> Severity | None:
        """The severity definition, where all its columns were counted."""
        definition = self.policy.severity
        return None if definition is None or self._unweighted else definition

    @property
    def _unweighted(self) -> list[str]:
        """Columns that tell how severe a record is, and that were not counted."""
        definition, counted_names = self.policy.severity, set(self.prepared.data.columns)
        there = self.prepared.before.columns
        return [] if definition is None else [n for n in definition.columns if n in there and n not in counted_names]

    @property
    def not_assessed(self) -> list[str]:
        """What an assessment leaves out, and why."""
        told = [
            f"It was not computed which values of {name} classes disclose: no model looks at it, so that its values were not "
            "counted with those of the other columns."
            for name in self.uncounted
        ]
        if self._unweighted:
            names = ", ".join(self._unweighted)
            told.append(f"Risks were not weighted by severity: {names} was not counted with the other columns.")
        return told

    def verified(self, **changes: object) -> CountedResult:
        """The same with other facts; what was computed is kept."""
        again = replace(self, **changes)  # type: ignore[arg-type]
        kept = ("assessment", "groups", "mapping", "pairing")
        again.__dict__.update({name: self.__dict__[name] for name in kept if name in self.__dict__})
        return again

    def __repr__(self) -> str:
        state = "" if self.satisfied else " NOT SATISFIED"
        told = [counted(self.released_records, "record"), counted(self.masked.groups, "group")]
        return f"<CountedResult{state}: {', '.join(told)}>"

    def __str__(self) -> str:
        lines = [repr(self), *(f"  {text}" for text in self.guarantees), *(f"  note: {note}" for note in self.notes)]
        return "\n".join(lines)
