"""Comparability of candidates, and the columns on which they are evaluated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ontomask.errors import PolicyError
from ontomask.policy.policy import Policy
from ontomask.taxonomy.taxonomy import Taxonomy


def comparable(policies: Mapping[str, Policy], measure: str | None) -> tuple[dict[str, Any], dict[str, str]]:
    """What the columns are judged as, and why each of some candidates cannot be compared with the others.

    Candidates may mask different columns. They must agree on what an intruder knows and may not learn, the
    quasi-identifiers and sensitive columns; on which records are left out for a missing value; and on what is judged: the
    kind, the taxonomy and (if no ``measure`` is named for all) the measure of every column that one of them masks. A
    column that some take for labels and others for concepts is evaluated by its meaning.
    """
    leader = _leader(policies, measure)
    first = policies[leader]
    for name, other in policies.items():
        if other.reading != first.reading or _markers(other) != _markers(first):
            raise PolicyError(
                f"{leader!r} and {name!r} read the data differently",
                remedy="Give them the same block reading, and columns the same missing_markers; the data are read once.",
            )
        if (other.unit, other.unit_columns) != (first.unit, first.unit_columns):
            key = (first.unit if first.unit_columns else other.unit).key
            raise PolicyError(
                f"{leader!r} and {name!r} do not count the same: {first.unit.many} and {other.unit.many}",
                remedy=f"Give them the same {key}:, or none. A risk of one cannot be compared with a risk of the other.",
            )
    masked = {column for policy in policies.values() for column in policy.masked}
    judges: dict[str, Any] = dict(first.attributes)
    for policy in policies.values():
        for column, attribute in policy.attributes.items():
            mine = judges.setdefault(column, attribute)
            if attribute.kind != mine.kind and attribute.may_judge(mine) and attribute.role == mine.role:
                judges[column] = attribute
    reasons: dict[str, str] = {}
    for name, other in policies.items():
        judged = [column for column in judges if column in masked or judges[column].quasi]
        reason = _roles(first, other) or _difference(judges, judged, other, measure)
        if reason is not None:
            reasons[name] = f"it cannot be compared with {leader!r}: {reason}"
    return judges, reasons


def _markers(policy: Policy) -> dict[str, set[str]]:
    """What stands for a missing value, in the columns that say it."""
    return {name: set(a.missing_markers) for name, a in policy.attributes.items() if a.missing_markers}


def _leader(policies: Mapping[str, Policy], measure: str | None) -> str:
    """The first of the candidates that most others agree with."""
    alike: dict[str, list[str]] = {}
    for name, policy in policies.items():
        compared = {
            column: (
                a.role,
                a.missing == "drop_record",
                a.family or a.kind,
                a.measured_by if measure is None else None,
                taxonomy_key(a.named_taxonomy),
            )
            for column, a in policy.attributes.items()
            if a.role in ("quasi", "sensitive") or column in policy.masked
        }
        alike.setdefault(repr(sorted(compared.items())), []).append(name)
    return max(alike.values(), key=len)[0]


def taxonomy_key(taxonomy: str | Taxonomy | None) -> str:
    """The same for the same taxonomy, wherever it is."""
    return taxonomy.fingerprint if isinstance(taxonomy, Taxonomy) else str(taxonomy)


def _roles(first: Policy, other: Policy) -> str | None:
    """Where two policies do not agree on what is known and what is sensitive."""
    for role, called in (("quasi", "quasi-identifiers"), ("sensitive", "sensitive columns")):
        sets = [{name for name, a in policy.attributes.items() if a.role == role} for policy in (first, other)]
        odd = sorted(sets[0] ^ sets[1])
        if odd:
            return f"they have different {called} ({', '.join(map(repr, odd))})"
    return None


def _difference(judges: Mapping[str, Any], judged: list[str], other: Policy, measure: str | None) -> str | None:
    """Why figures of a policy cannot be compared with those of the others; None if they can."""
    for column in judged:
        one, two = judges[column], other.attributes.get(column)
        if two is None:
            return f"it does not list {column!r}, which others mask"
        if {one.missing, two.missing} == {"category", "drop_record"}:
            return f"records without a value in {column!r} are left out in one and stay in the other"
        if not one.may_judge(two):
            return f"{column!r} is {one.kind} in one and {two.kind} in the other"
        if one.kind != two.kind:
            continue  # it takes for labels what is judged by its meaning
        if measure is None and one.measured_by != two.measured_by:
            return f"they judge {column!r} by different measures; name one for all, such as measure='wu_palmer'"
        if not one.same_taxonomy(two):
            return f"{column!r} has another taxonomy in one than in the other"
    return None
