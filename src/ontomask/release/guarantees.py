"""Guarantees of a release: what holds of it, what does not, and under which assumptions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ontomask.assessment.attacks import Attack, attacks_of
from ontomask.assessment.linkage import KINDS
from ontomask.assessment.readings import coded_reading
from ontomask.assessment.risk import risk_of
from ontomask.masking.randomness import EXPLICIT_SEED
from ontomask.policy.verification import NOTHING_PROMISED, ORDERS
from ontomask.statements import Statement, caveat
from ontomask.wording import Counts

if TYPE_CHECKING:
    from ontomask.masking.randomness import Secret
    from ontomask.policy.policy import Policy
    from ontomask.policy.verification import Verification
    from ontomask.privacy.models import Model

#: Linkage is tried for the guarantees where there are no more different records than this.
MOST_LINKED = 30_000
NOT_TRIED = caveat("Record linkage was not tried here: assess the release to see what it finds.")


def guarantees(
    policy: Policy,
    verification: Verification,
    caveats: Sequence[Statement],
    marks: Sequence[Statement],
    tried: Callable[[], Statement] = lambda: NOT_TRIED,
) -> list[Statement]:
    """What holds of a release and under which assumptions; what fails comes first.

    ``caveats``: what weakens a promise on these data. ``marks``: what is said of the run, such as its seed. ``tried``:
    where no k is promised, what record linkage finds.
    """
    assert policy.method is not None
    findings, k = verification.findings, policy.promised_k
    broken = any(not f.holds and (f.model.class_size or k + 1) <= k for f in findings)
    protected = any(finding.holds and finding.model.protects and finding.model.counts for finding in findings)
    return [
        *verification.failures,
        *([] if verification.promises else [NOTHING_PROMISED]),
        *marks,
        *([] if broken else policy.method.assurances(policy.unit)),  # data that were changed need not keep them
        *caveats,
        *(finding.statement for finding in findings if finding.holds),
        *([] if k > 1 or protected else [tried()]),
        *assumptions(policy, [finding.model for finding in findings]),
    ]


def marks_of(policy: Policy, secret: Secret) -> list[Statement]:
    """What is said of a run in which something random came from an explicit seed."""
    return [EXPLICIT_SEED] if secret.explicit and policy.draws else []


def linkage_tried(result: Any) -> Statement:
    """What the most successful attack on a result finds; large tables take long and are left to the user."""
    if max(result.prepared.table.p, result.masked.groups) > MOST_LINKED:
        return NOT_TRIED
    worst = max((_worst_attack(part) for part in result.each), key=lambda attack: attack.share)
    quasi = result.policy.quasi_identifiers
    known = quasi if worst.name == "prosecutor" else [column.name for column in result.prepared.table.columns]
    released, many = result.pairing.released, result.policy.unit.many
    exact, public = (
        f"Tried, not promised: the most successful attack computed re-identifies {counts.at_most(worst.share, released)} of "
        f"the released {many} (an intruder who knows {', '.join(known)} of every record {worst.words})."
        for counts in (Counts(), result.counts)
    )
    return Statement("tried", exact, worst.name, public)


def _worst_attack(release: Any) -> Attack:
    linkage = {kind: release.linkage(kind) for kind in KINDS}
    risk = risk_of(release.released)
    pairing = release.pairing
    return attacks_of(linkage, risk, pairing.size, pairing.released, recognizable=release.policy.recognizable)[0]


def minimality(policy: Policy) -> list[Statement]:
    """What a method that aims at models discloses by stopping when they hold."""
    assert policy.method is not None
    models = [
        model.describe() for model in policy.require if not model.trivial and model.sensitive_columns(policy.attributes)
    ]
    if not policy.method.aims or not models:
        return []
    text = (
        f"Not protected against: the minimality attack. The data were masked only as far as {', '.join(models)} required. An "
        "intruder who knows this and the quasi-identifiers of all records may infer which classes would have failed with less "
        "masking. From that, the intruder may infer sensitive values (Wong et al. 2007)."
    )
    return [caveat(text, "minimality")]


def assumptions(policy: Policy, models: Sequence[Model]) -> list[Statement]:
    """What the promises rest on, and what they do not cover. ``models``: all that were checked."""
    told = []
    if set(policy.masked) & set(policy.quasi_identifiers):
        text = (
            f"Assumed: an intruder knows at most the quasi-identifiers ({', '.join(policy.quasi_identifiers)}). The "
            "release does not protect against an intruder who knows more, such as values of other columns."
        )
        told.append(Statement("assumed", text, "quasi-identifiers"))
    told += [statement for model in models for statement in model.assumptions()]
    k_anonymous = any(model.class_size is not None for model in models)
    if k_anonymous and not any(model.sensitive_columns(policy.attributes) for model in models):
        text = (
            "k-anonymity does not promise that the sensitive values of a class differ. If they are all the same, the class "
            "discloses them, although no record is singled out."
        )
        told.append(caveat(text, "k-anonymity"))
    told += [*minimality(policy), *_of_pseudonyms(policy, models), *_of_shifts(policy), *_of_codes(policy)]
    told += [_of_follower(name, leader) for name, leader in policy.followers.items()]
    return [*told, ORDERS[policy.row_order]]


def _of_pseudonyms(policy: Policy, models: Sequence[Model]) -> list[Statement]:
    """What follows where a release has pseudonyms: records can be joined, and the key leads back."""
    if not policy.pseudonyms:
        return []
    names = ", ".join(policy.pseudonyms)
    text = (
        f"Assumed: nobody who has the release has the key of its pseudonyms ({names}). Whoever has the key can compute the "
        "pseudonym of an identifier that they know. Tables whose pseudonyms come from the same key can be joined by them."
    )
    told = [Statement("assumed", text, "pseudonyms")]
    together = any(model.joins_records and not model.trivial for model in models)
    owner = policy.unit.owner
    joined = [name for name in policy.pseudonyms if not (together and [name] == policy.unit_columns)]
    if joined:
        text = (
            f"Records with the same pseudonym can be joined ({', '.join(joined)}): a guarantee for each record need not hold "
            f"for all records of one {owner.one} together. To protect them together, name the column in {owner.key}: and "
            "require profile_anonymity."
        )
        told.append(caveat(text, "pseudonyms"))
    told += [statement for model in models for statement in model.pseudonym_caveats(names)]
    if policy.row_order == "kept":
        text = (
            f"Pseudonyms ({names}) are in the original order of the records: anyone who knows that order, such as one by name "
            "or number, can tell whose pseudonym is whose, here and in other tables with the same key. Set row_order: shuffled."
        )
        told.append(caveat(text, "pseudonyms"))
    return told


def _of_follower(name: str, leader: str) -> Statement:
    """What a column shows that follows another."""
    text = (
        f"{name} was masked with {leader}: it shows the value that goes with the released value of {leader} in the original "
        f"(the most frequent of several), or a blank. It follows from the released value of {leader}, never from the value of "
        "the record itself."
    )
    return Statement("note", text, name)


def _of_codes(policy: Policy) -> list[Statement]:
    """What follows where values were coded before they were masked."""
    return [caveat(coded_reading(policy.coded), "codes")] if policy.coded else []


def _of_shifts(policy: Policy) -> list[Statement]:
    """What follows where dates were shifted: days between them are exact, and one true date gives the others away."""
    if not policy.shifted:
        return []
    names = ", ".join(policy.shifted)
    shifts = list(dict.fromkeys(policy.shifted.values()))
    alike = "" if len(shifts) == 1 else ", in columns with equal shift settings,"
    exact = [name for name in policy.shifted if name not in policy.masked]
    between = f", so the days between them are exact ({', '.join(exact)})" if exact else ", and masked after that"
    assumed = (
        f"Dates were shifted ({names}): all dates of a person{alike} by the same number of days "
        f"({', '.join(shift.in_words for shift in shifts)} back or forth){between}. Assumed: nobody who has the release has "
        "the key of the shifts, which is kept with the confidential files and never released. Anyone who has the key can undo "
        "the shift of a person that they know."
    )
    known = (
        "Not protected against: an intruder who knows a true date of a person and finds its record. This date "
        f"discloses the shift, and the shift discloses all dates of the person ({names}), in every table with the same key."
    )
    if exact:
        known += " Nor against an intruder who knows the days between dates of a person: these are released unchanged."
    told = [Statement("assumed", assumed, "shifted dates"), caveat(known, "shifted dates")]
    if masked := [name for name in policy.shifted if name in policy.masked]:
        text = (
            f"Dates of {', '.join(masked)} were shifted before they were masked: they are not true dates. In these "
            'columns, "true" and "original" values are the shifted dates.'
        )
        told.append(caveat(text, "shifted dates"))
    return told
