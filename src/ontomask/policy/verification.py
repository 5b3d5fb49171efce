"""Verification of a finished table against privacy models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from ontomask.arguments import counted
from ontomask.display import html_card, html_table
from ontomask.errors import MissingDataError, MissingExtraError, TaxonomyFileError
from ontomask.policy.policy import Policy
from ontomask.privacy.contents import ContentCheck, FittingValues, ListedColumns, NoIdentifiers, PolicyColumns
from ontomask.privacy.examined import Examined
from ontomask.privacy.followed_columns import FollowedColumns
from ontomask.privacy.models import CheckedOn, Finding, Model
from ontomask.statements import Statement, caveat

if TYPE_CHECKING:
    from ontomask.privacy.diagnostics import Diagnostics

#: What is said of a table of which no model asks anything.
NOTHING_PROMISED = Statement(
    "warning",
    "NOTHING WAS PROMISED: every table satisfies what is required here. Require a privacy model, such as k-anonymity with k "
    "of at least 2.",
)


#: What is said of the order of the released records.
ORDERS = {
    "shuffled": Statement("note", "Records are in random order.", "row_order"),
    "kept": caveat(
        "Records are in their original order: anyone who knows that order can tell which record is whose. Set row_order: "
        "shuffled to change it.",
        "row_order",
    ),
}

Verdict = Literal["holds", "fails", "not everything could be checked", "nothing was promised"]


@dataclass(frozen=True)
class Verification:
    """What was found on a table: true if every model and check holds.

    Attributes
    ----------
    findings : list of Finding
        One for each model and check.
    notes : list of Statement
        Which file was verified, and the like.
    """

    findings: list[Finding]
    notes: list[Statement] = field(default_factory=list)

    @property
    def holds(self) -> bool:
        """Do all models and checks hold? What was not checked does not hold."""
        return all(finding.holds for finding in self.findings)

    @property
    def complete(self) -> bool:
        """Could all be checked?"""
        return all(finding.checked for finding in self.findings)

    @property
    def promises(self) -> bool:
        """Is there a model that not every table satisfies? That no identifier is left promises nothing by itself."""
        return any(finding.model.protects for finding in self.findings)

    @property
    def failed(self) -> list[str]:
        """What fails or could not be checked, in words."""
        return [finding.text for finding in self.findings if not finding.holds]

    @property
    def refusal(self) -> str:
        """The same in lines, where there is much to say of a finding."""
        told = [finding.lines for finding in self.findings if not finding.holds]
        if len(told) <= 1 or not any("\n" in text for text in told):
            return "; ".join(told)
        return "".join("\n  " + text.replace("\n", "\n  ") for text in told)

    @property
    def remedy(self) -> str:
        """What to do about what fails, beyond what the findings say themselves."""
        return " ".join(dict.fromkeys(f.model.remedy for f in self.findings if not f.holds and f.model.remedy))

    @property
    def failures(self) -> list[Statement]:
        """The same, as guarantees of a release say it."""
        return [finding.statement for finding in self.findings if not finding.holds]

    @property
    def verdict(self) -> Verdict:
        """holds, fails, not everything could be checked, or nothing was promised."""
        if any(finding.checked and not finding.holds for finding in self.findings):
            return "fails"
        if not self.complete:
            return "not everything could be checked"
        return "holds" if self.promises else "nothing was promised"

    def on(self, data: CheckedOn) -> Verification:
        """The same, found on these data; what a run recorded of itself stays what it is."""
        findings = [f if f.checked_on == "run" else replace(f, checked_on=data) for f in self.findings]
        return replace(self, findings=findings)

    def __bool__(self) -> bool:
        return self.holds

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __str__(self) -> str:
        lines = [*(str(finding) for finding in self.findings), *(f"note: {note}" for note in self.notes)]
        return "\n".join([*lines, f"Verdict: {self.verdict}"])

    def __repr__(self) -> str:
        return f"<Verification: {self.verdict}, {counted(len(self.findings), 'finding')}>"

    def _repr_html_(self) -> str:
        rows = [(finding.state, finding.text) for finding in self.findings]
        return html_card(
            f"Verdict: {self.verdict}", html_table(("", "what was checked"), rows), notes=map(str, self.notes)
        )


def check_models(
    table: Examined,
    models: Sequence[Model],
    policy: Policy,
    reference: Examined | None = None,
    diagnostics: Diagnostics | None = None,
    *,
    readable: bool = True,
) -> Verification:
    """Whether the models hold, and before them all, if the policy names identifiers, that none is left.

    ``reference``: the original, whose distribution of sensitive values counts; ``diagnostics``: what the method
    measured of its run, for models that are about the run. ``readable``: must every taxonomy be at hand? Else a model
    that needs one which is not is reported as not checked.
    """
    if policy.identifiers:
        models = [NoIdentifiers(), *(model for model in models if not isinstance(model, NoIdentifiers))]
    findings = []
    for model in models:
        absent = [
            n for n in model.sensitive_columns(policy.attributes) if n in policy.attributes and n not in table.data
        ]
        if model.counts and (other := _other_unit(policy, table, reference)):
            findings.append(not_checked(model, other))
        elif absent:
            findings.append(not_checked(model, f"the data do not have {', '.join(map(repr, absent))}"))
        else:
            try:
                findings.append(model.check_made(table, reference, diagnostics))
            except (MissingDataError, MissingExtraError, TaxonomyFileError) as problem:
                if readable:
                    raise
                findings.append(not_checked(model, problem.what))
    return Verification(findings)


def _other_unit(policy: Policy, *tables: Examined | None) -> str:
    """Nothing, or why the tables do not tell what the policy counts: a model that holds by records may fail by persons."""
    for units in (table.units for table in tables if table is not None):
        if units.word != policy.unit:
            return (
                f"the policy counts {policy.unit.many}, but this table shows only {units.word.many}. Give "
                "confidential/records.csv of the result, which assigns the rows: --records FILE, in Python persons="
            )
    return ""


def models_of(policy: Policy) -> list[Model]:
    """What a release of the policy is checked for, each once: what its method promises, and what it requires."""
    models = [*([] if policy.method is None else policy.method.promised_models), *policy.require]
    return [model for place, model in enumerate(models) if model not in models[:place]]


def not_checked(model: Model, why: str) -> Finding:
    """A model that could not be looked at."""
    text = f"{model.describe()}: {why}"
    return Finding(model, False, float("nan"), text, pl.DataFrame(), 0, checked=False)


def check_release(
    table: Examined,
    models: Sequence[Model],
    policy: Policy,
    reference: Examined,
    diagnostics: Diagnostics | None,
) -> Verification:
    """What the models say of a release, as :func:`check_models` does, and what else fails in it."""
    found = check_models(table, models, policy, reference, diagnostics)
    return Verification([*found.findings, *(f for f in check_contents(table, policy, reference) if not f.holds)])


def check_contents(table: Examined, policy: Policy, reference: Examined | None = None) -> list[Finding]:
    """Whether a release holds what its policy lets it hold: its columns, and values that fit them.

    ``reference``: the original, where it is known.
    """
    hierarchies: dict[str, Any] = {}
    if policy.method is not None and policy.method.named_hierarchies is not None:
        defaults = {name: policy.attributes[name].hierarchy for name in policy.quasi_identifiers}
        hierarchies = defaults | dict(policy.method.named_hierarchies)
    checks: list[ContentCheck] = [PolicyColumns(), FittingValues(hierarchies=hierarchies)]
    if policy.unlisted != "other":
        checks.insert(0, ListedColumns())
    if policy.followers:
        checks.append(FollowedColumns())
    return [check.check_table(table, reference) for check in checks]
