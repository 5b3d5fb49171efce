"""Caveats among the guarantees of a result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ontomask.assessment.attacks import Attack, attacks_of
from ontomask.assessment.linkage import KINDS
from ontomask.assessment.risk import risk_of
from ontomask.wording import Counts

if TYPE_CHECKING:
    from ontomask.policy.policy import Policy
    from ontomask.release.result import Result

#: Linkage is tried for the guarantees where there are no more different records than this.
MOST_LINKED = 30_000


def linkage_in_words(result: Result, counts: Counts) -> list[str]:
    """Where no k is promised, what the worst attack finds; large tables take long and are left to the user."""
    assert result.policy.method is not None
    findings = result.verification.findings
    protecting = [f for f in findings if f.holds and f.model.name != "no_identifiers" and not f.model.trivial]
    if result.policy.method.promised_k > 1 or protecting:
        return []
    if max(result.prepared.table.p, result.masked.groups) > MOST_LINKED:
        return ["Record linkage was not tried, as there are many different records: see the assessment."]
    worst = max((_worst_attack(part) for part in result.each), key=lambda attack: attack.share)
    quasi = result.policy.quasi_identifiers
    known = quasi if worst.name == "prosecutor" else [column.name for column in result.prepared.table.columns]
    share = counts.at_most(worst.share, result.pairing.masked.n)
    return [
        (
            f"Tried, not promised: the worst attack known re-identifies {share} of the released records (an "
            f"intruder who knows {', '.join(known)} of every record {worst.words})."
        )
    ]


def _worst_attack(release: Result) -> Attack:
    linkage = {kind: release.linkage(kind) for kind in KINDS}
    risk = risk_of(release.released)
    n, released = release.pairing.n, release.pairing.masked.n
    return attacks_of(linkage, risk, n, released, recognizable=release.policy.recognizable)[0]


def minimality_in_words(policy: Policy) -> list[str]:
    """What a method that aims at models discloses by stopping when they hold."""
    assert policy.method is not None
    models = [
        model.describe() for model in policy.require if not model.trivial and model.sensitive_columns(policy.attributes)
    ]
    if not policy.method.aims or not models:
        return []
    text = (
        f"Not protected against: minimality. The data were masked no further than {', '.join(models)} required. An "
        "intruder who knows this and the quasi-identifiers of all records may infer which classes would have failed "
        "with less, and from that sensitive values (Wong et al. 2007)."
    )
    return [text]
