"""What must fit together in a policy: keys, roles, models and columns of sets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ontomask.arguments import PartError, did_you_mean
from ontomask.policy.record_keys import require_listed, require_persons

if TYPE_CHECKING:
    from ontomask.masking.method import Method
    from ontomask.policy.policy import Policy
    from ontomask.privacy.models import Model


def require_consistent(policy: Policy, methods: Mapping[str, type[Method]]) -> None:
    """A ``PartError`` if a part of the policy has no meaning beside another; ``methods``: what a message may propose."""
    require_listed(policy.unit.key, policy.unit_columns, policy.attributes)
    require_listed("household", policy.household, policy.attributes)
    require_persons(policy.shifted, policy.person)
    _something_to_mask(policy)
    for name, leader in policy.followers.items():
        _leader_of(policy, name, leader)
    for place, model in enumerate(policy.require):
        _columns_of_model(policy, model, place)
    _columns_are_taken(policy)
    _sets_are_taken(policy, methods)


def _something_to_mask(policy: Policy) -> None:
    if not policy.masked:
        masks = ("quasi",) if policy.method is None else policy.method.masks
        if masks == ("quasi",):
            raise PartError(
                "no column is a quasi-identifier (role: quasi): there is nothing to mask and nothing to check",
                "attributes",
            )
        raise PartError(f"no column has a role that the method masks: {' or '.join(masks)}", "attributes")
    if policy.require and not policy.quasi_identifiers:
        raise PartError("no column is a quasi-identifier (role: quasi): there is nothing to check", "require")


def _leader_of(policy: Policy, name: str, leader: str) -> None:
    """A column can follow one that is masked, and is not masked itself."""
    found, why = policy.attributes.get(leader), ""
    if found is None:
        why = f"which is not one of the attributes. {did_you_mean(leader, policy.attributes)}".rstrip()
    elif found.role == "identifier":
        why = "an identifier, whose values no release has"
    elif found.follows is not None:
        why = f"which follows {found.follows!r} itself: name that one"
    elif policy.method is not None and leader not in policy.masked:
        why = "which the method does not mask"
    if why:
        raise PartError(f"{name!r} follows {leader!r}, {why}", "attributes", name, "follows")
    if name in policy.studied:
        raise PartError(f"{name!r} follows {leader!r}, and the method looks at it: leave one out", "method")


def _columns_of_model(policy: Policy, model: Model, place: int) -> None:
    items, named = model.item_column, model.named_attribute
    if items is not None and (items not in policy.quasi_identifiers or policy.attributes[items].separator is None):
        what = f"{model.describe()}: {items!r} is not a quasi-identifier that holds sets (many)"
        raise PartError(what, "require", place)
    if named in policy.followers:
        what = (
            f"{model.describe()} looks at {named!r}, which follows {policy.followers[named]!r}: name a sensitive column"
        )
        raise PartError(what, "require", place)
    if named in policy.identifiers:
        what = f"{model.describe()} looks at {named!r}, an identifier, whose values no release has: name a sensitive column"
        raise PartError(what, "require", place)


def _columns_are_taken(policy: Policy) -> None:
    why = None if policy.method is None else policy.method.refuses_columns(policy.masked)
    if why is not None:
        raise PartError(why, "method")


def take_sets(methods: Mapping[str, type[Method]]) -> list[str]:
    """The methods that take columns of sets, unless further settings refuse them."""
    return [name for name, kind in methods.items() if kind.model_construct().refuses_sets is None]


def _sets_are_taken(policy: Policy, methods: Mapping[str, type[Method]]) -> None:
    why = None if policy.method is None else policy.method.refuses_sets
    sets = [name for name in policy.studied if policy.attributes[name].separator is not None]
    if policy.method is not None and why is not None and sets:
        raise PartError(
            f"{policy.method.name} cannot be used on {sets[0]!r}, which holds sets (many): {why}. Methods that take sets: "
            f"{', '.join(take_sets(methods))}",
            "method",
        )
