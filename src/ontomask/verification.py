"""Checking a finished table against privacy models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ontomask.policy import Policy
from ontomask.privacy.identifiers import NoIdentifiers
from ontomask.privacy.models import Finding, Model
from ontomask.privacy.probabilistic import ProbabilisticKAnonymity

if TYPE_CHECKING:
    import polars as pl

#: What is said of a table of which no model asks anything.
NOTHING_PROMISED = (
    "NOTHING WAS PROMISED: no privacy model is required that not every table satisfies. Require one, such as k-anonymity "
    "with k of at least 2."
)


@dataclass(frozen=True)
class Verification:
    """``holds``: does every model hold that could be checked? ``complete``: could all of them? ``findings``: one for each."""

    findings: list[Finding]
    notes: list[str] = field(default_factory=list)

    @property
    def holds(self) -> bool:
        checked = [finding for finding in self.findings if finding.checked]
        return bool(checked) and all(finding.holds for finding in checked)

    @property
    def complete(self) -> bool:
        return all(finding.checked for finding in self.findings)

    @property
    def promises(self) -> bool:
        """Is there a model that not every table satisfies? That no identifier is left promises nothing by itself."""
        return any(not f.model.trivial and not isinstance(f.model, NoIdentifiers) for f in self.findings)

    @property
    def failed(self) -> list[str]:
        """What fails or could not be checked, in words."""
        return [finding.text for finding in self.findings if not finding.holds]

    def __bool__(self) -> bool:
        return self.holds

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __str__(self) -> str:
        return "\n".join([*(str(finding) for finding in self.findings), *(f"note: {note}" for note in self.notes)])

    __repr__ = __str__


def check_models(
    data: pl.DataFrame,
    models: Sequence[Model],
    policy: Policy,
    reference: pl.DataFrame | None = None,
    report: pl.DataFrame | None = None,
) -> Verification:
    """Whether the models hold, and before them all, if the policy names identifiers, that none is left.

    ``reference``: the original, whose distribution of sensitive values counts; ``report``: what the method said of its
    run, for models that are about the run.
    """
    if policy.identifiers:
        models = [NoIdentifiers(), *(model for model in models if not isinstance(model, NoIdentifiers))]
    quasi = [name for name in data.columns if name in policy.quasi_identifiers]
    findings = []
    for model in models:
        if isinstance(model, ProbabilisticKAnonymity) and report is not None and "realised_k" in report.columns:
            findings.append(model.check_run(report, len(data)))
        else:
            findings.append(model.check_polars(data, quasi, policy.attributes, reference))
    return Verification(findings)
