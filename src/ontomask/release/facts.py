"""What follows from the policy of a release and from what was found on it."""

from __future__ import annotations

from functools import cached_property

from ontomask.masking.randomness import Secret
from ontomask.policy.policy import Policy
from ontomask.policy.verification import Verification
from ontomask.release.guarantees import marks_of
from ontomask.statements import Statement
from ontomask.wording import Counts


class ReleaseFacts:
    """The part of a result that is the same wherever its records are."""

    policy: Policy
    secret: Secret
    verification: Verification

    @property
    def seed(self) -> int | None:
        """The explicit seed of the run; None where a secret was drawn, as it should be for a release."""
        return self.secret.seed

    @property
    def reproducible(self) -> bool:
        """Did something random come from an explicit seed, so that whoever knows or guesses it can repeat it?"""
        return bool(marks_of(self.policy, self.secret))

    @property
    def satisfied(self) -> bool:
        """Does the release satisfy all that it must?"""
        return self.verification.holds

    @property
    def promises(self) -> bool:
        """Was anything promised that not every table satisfies?"""
        return self.verification.promises

    @cached_property
    def counts(self) -> Counts:
        """How counts of records are written in what is handed out: none below the k of the policy is given exactly."""
        required = [finding.model.stated_k or 1 for finding in self.verification.findings]
        return Counts.public(max([self.policy.promised_k, *required]))

    @property
    def guarantees(self) -> list[Statement]:
        """What holds of the release and under which assumptions; what fails comes first. For the steward."""
        raise NotImplementedError

    @property
    def public_guarantees(self) -> list[Statement]:
        """The same as it may be handed out: without figures of the data, and small counts only as bounds."""
        return [statement.public for statement in self.guarantees]
