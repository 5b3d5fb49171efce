"""Non-semantic baseline of a candidate: the same method and k, nominal values as mere labels (T12 9.2.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ontomask.policy.policy import Policy

#: What is added to the name of a candidate for that of its baseline.
LABELS_ONLY = ", labels only"


def with_baselines(candidates: Mapping[str, Policy]) -> dict[str, Policy]:
    """Every candidate, and after it its baseline, if it has one."""
    made: dict[str, Policy] = {}
    for name, policy in candidates.items():
        made[name] = policy
        if no_baseline(policy) is None:
            made[name + LABELS_ONLY] = labels_only(policy)
    return made


def labels_only(policy: Policy) -> Policy:
    """The policy with its nominal columns flat: values are equal or not, and the centre of a group is its mode.

    Sets stay sets, of which items are equal or not.
    """
    sets = _sets(policy)
    flat = [name for name in _labels(policy) if name not in sets]
    attributes: dict[str, Any] = {
        name: attribute.without_meaning() if name in flat else attribute
        for name, attribute in policy.attributes.items()
    }
    assert policy.method is not None
    method = policy.method.on_labels(flat)
    return policy.changed(attributes=attributes, method=method.changed(measure="equality") if sets else method)


def no_baseline(policy: Policy) -> str | None:
    """Why a candidate has no baseline of its own; None if it has one."""
    assert policy.method is not None
    flat = _labels(policy)
    if not flat:
        return "no column that it works on is nominal"
    if policy.method.no_baseline is not None:
        return policy.method.no_baseline
    if _sets(policy) and "measure" not in type(policy.method).model_fields:
        return "it has no measure by which items of sets are equal or not"
    if _sets(policy) and "hierarchies" in type(policy.method).model_fields:
        return "items of sets climb their taxonomy"
    looked_at = {name for model in policy.require for name in model.sensitive_columns(policy.attributes)}
    if looked_at & set(flat):
        return f"a required model uses the meaning of {', '.join(sorted(looked_at & set(flat)))}"
    return None


def baselines_of(policies: Mapping[str, Policy]) -> dict[str, str]:
    """By candidate its baseline: the other candidate whose policy is the same on labels only."""
    names = {policy: name for name, policy in reversed(list(policies.items()))}
    semantic = {name: labels_only(policy) for name, policy in policies.items() if no_baseline(policy) is None}
    return {name: names[labels] for name, labels in semantic.items() if labels in names}


def _labels(policy: Policy) -> list[str]:
    """The nominal columns that the method works on."""
    return [name for name in policy.studied if policy.attributes[name].named_taxonomy is not None]


def _sets(policy: Policy) -> list[str]:
    """Those of them that hold sets."""
    return [name for name in _labels(policy) if policy.attributes[name].separator is not None]
