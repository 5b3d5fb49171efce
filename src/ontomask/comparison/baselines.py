"""Non-semantic baseline of a candidate: the same method and k, nominal values as mere labels (T12 9.2.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ontomask.masking.generalization import Generalization
from ontomask.masking.method import DistanceMethod
from ontomask.masking.rank_swapping import RankSwapping
from ontomask.masking.recoding import Recoding
from ontomask.policy.policy import Policy

#: What the name of a baseline ends with.
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

    Distances are not weighted by frequency: that belongs to the semantic comparison operator (T12 def. 2), not to the
    equality of labels. Of a generalization the nominal columns have no levels: a label is shown, or no value at all.
    """
    flat = _labels(policy)
    attributes: dict[str, Any] = {
        name: attribute.without_meaning() if name in flat else attribute
        for name, attribute in policy.attributes.items()
    }
    method = policy.method
    assert method is not None
    settings: dict[str, Any] = {"measure": None, "measure_options": {}, "centroid": "mode", "comparison": "plain"}
    settings = {key: value for key, value in settings.items() if key in type(method).model_fields}
    if isinstance(method, Generalization):
        settings["hierarchies"] = {name: levels for name, levels in method.hierarchies.items() if name not in flat}
    return policy.changed(attributes=attributes, method=method.changed(**settings))


def no_baseline(policy: Policy) -> str | None:
    """Why a candidate has no baseline of its own; None if it has one."""
    method = policy.method
    assert method is not None
    flat = _labels(policy)
    if not flat:
        return "no column that it works on is nominal"
    if not isinstance(method, DistanceMethod):
        return "it only tests whether values are equal, so labels only is the same method"
    if method.measure == "equality" and getattr(method, "centroid", "mode") == "mode":
        return "it already treats values as labels"
    if isinstance(method, RankSwapping) and method.variant in ("distributional", "random"):
        return "it already treats values as labels"
    if isinstance(method, Recoding) and method.guide != "semantic":
        return "it does not use the meaning of values"
    if isinstance(method, Generalization) and method.search == "strategy":
        return "its strategy names levels that labels do not have"
    looked_at = {name for model in policy.require for name in model.sensitive_columns(policy.attributes)}
    if looked_at & set(flat):
        return f"a required model uses the meaning of {', '.join(sorted(looked_at & set(flat)))}"
    return None


def _labels(policy: Policy) -> list[str]:
    """The nominal columns that the method works on."""
    return [name for name in policy.studied if policy.attributes[name].named_taxonomy is not None]
