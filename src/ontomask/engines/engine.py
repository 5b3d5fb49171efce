"""``Engine``: the steps of a run, in their order; an engine says where records are read, masked and written."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
import polars as pl

from ontomask.errors import Keyword, NotSatisfied, PolicyError
from ontomask.masking.goals import Goals
from ontomask.masking.method import Masked, Method
from ontomask.masking.randomness import Secret, masking_generator
from ontomask.microdata.encoding import Rows, Tuples
from ontomask.microdata.keys import Key, chosen_key
from ontomask.policy.policy import Policy
from ontomask.policy.prepared import Original
from ontomask.policy.verification import Verification, check_release, models_of
from ontomask.privacy.examined import Examined
from ontomask.progress import Progress, Reporter
from ontomask.release.guarantees import marks_of
from ontomask.statements import Statement


class Outcome(Protocol):
    """What a run hands back."""

    @property
    def verification(self) -> Verification: ...

    @property
    def notes(self) -> list[Statement]: ...

    @property
    def guarantees(self) -> list[Statement]: ...


SomeOutcome = TypeVar("SomeOutcome", bound=Outcome)


@dataclass(frozen=True, eq=False)
class Written:
    """A release as it was written: what models look at, and what was noticed of its cells."""

    examined: Examined
    notes: list[Statement]


@dataclass(frozen=True, eq=False)
class Verified:
    """One release of a run, verified, and all that was noticed of it."""

    masked: Masked
    examined: Examined
    verification: Verification
    notes: list[Statement]


class Engine(ABC, Generic[SomeOutcome]):
    """Masks a table as the policy says, and verifies what it wrote."""

    def __init__(self, policy: Policy, secret: Secret, key: Key | None = None) -> None:
        if policy.method is None:
            raise PolicyError("the policy names no method", remedy="Add one, such as method=Microaggregation(k=5).")
        self.policy, self.secret = policy, secret
        self.key = chosen_key(key, needed=bool(policy.derived))
        self.method: Method = policy.method

    @abstractmethod
    def study(self, progress: Progress) -> Original:
        """Check the table against the policy, and encode it."""

    @abstractmethod
    def rows(self) -> Iterable[Rows]:
        """The tuple of each record, in the order of the table, in one chunk or in several."""

    @abstractmethod
    def mask(self, goals: Goals, rng: np.random.Generator, progress: Progress) -> Sequence[Masked]:
        """What becomes of records or tuples, for each release that the method makes."""

    @abstractmethod
    def write(self, each: Sequence[Masked]) -> Sequence[Written]:
        """Write each release."""

    @abstractmethod
    def discard(self) -> None:
        """Remove what was written: the release is refused, or the run was stopped."""

    @abstractmethod
    def outcome(self, parts: Sequence[Verified], seconds: float, *, allow_unsatisfied: bool) -> SomeOutcome:
        """What is handed back; ``seconds``: what the method took."""

    def verify(self, table: Examined, original: Original, masked: Masked) -> Verification:
        """What the models say of a release, and what else fails in it."""
        return check_release(table, models_of(self.policy), self.policy, original.examined, masked.diagnostics)

    def run(
        self, progress: Callable[[float, str], Any] | None = None, *, allow_unsatisfied: bool = False
    ) -> SomeOutcome:
        """Mask, write and verify; an error if the release fails what it must satisfy, unless ``allow_unsatisfied``."""
        reporter = Reporter(progress)
        original = self.study(reporter.part(0.0, 0.1))
        for model in self.policy.require:
            model.require_enough(original.examined)
        # What draws nothing has no key: the key holds all of the data.
        rng = masking_generator(self.secret, original.table, self.rows if self.method.draws else None)
        goals = Goals.of(self.policy.require, original.examined, original.table.rows)
        began = time.perf_counter()
        each = self.mask(goals, rng, reporter.part(0.1, 0.85))
        seconds = time.perf_counter() - began
        try:
            reporter(0.85, "writing masked values")
            written = self.write(each)
            reporter(0.9, "verifying the release")
            parts = [self._verified(original, *pair) for pair in zip(each, written, strict=True)]
            outcome = self.outcome(parts, seconds, allow_unsatisfied=allow_unsatisfied)
            if not allow_unsatisfied:
                _require_satisfied(outcome.verification)
            reporter(0.95, "handing out")
        except BaseException:
            self.discard()
            raise
        reporter(1.0, "done")
        return outcome

    def _verified(self, original: Original, masked: Masked, written: Written) -> Verified:
        verification = self.verify(written.examined, original, masked)
        notes = [
            *verification.failures,
            *marks_of(self.policy, self.secret),
            *original.shared_identifiers,
            *original.notes,
            *([] if self.key is None else [self.key.note(self.policy.derived)]),
            *masked.notes,
            *written.notes,
        ]
        return Verified(masked, written.examined, verification, notes)


def _require_satisfied(verification: Verification) -> None:
    """What a run cannot check is not satisfied either."""
    if verification.failed:
        raise NotSatisfied(
            f"the release is refused: {verification.refusal}",
            remedy=(
                f"{verification.remedy} (".lstrip(),
                Keyword("allow_unsatisfied", "True"),
                " hands it out and marks it.)",
            ),
            verification=verification,
        )


def shown_values(policy: Policy, table: Tuples, masked: Masked) -> list[pl.Series]:
    """What each group shows, of the columns that the policy masks; those that are only looked at stay as written."""
    columns, changed = zip(table.columns, masked.values(table), strict=True), set(policy.masked)
    return [values.alias(column.name) for column, values in columns if column.name in changed]


def decode(data: pl.DataFrame, masked: Masked, shown: Sequence[pl.Series]) -> pl.DataFrame:
    """The release of these records, all of them or a chunk: what their groups show, every other column as it was."""
    stayed = np.flatnonzero(masked.group_of >= 0)
    data = data if len(stayed) == len(data) else data[stayed]
    group_of = masked.group_of[stayed]
    return data.with_columns(values.gather(group_of) for values in shown)
