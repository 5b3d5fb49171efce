"""Reading a file again: what somebody decided stays, and what nobody decided is proposed anew."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ontomask.errors import OntomaskError, PolicyError
from ontomask.policy.policy import Policy
from ontomask.settings import given_settings, validated


@dataclass(frozen=True)
class Reopened:
    """A policy for the file as it is read now.

    ``kept`` columns are as somebody decided, ``anew`` ones are proposed otherwise than before. ``fits`` is False where what was
    decided does not fit the file any longer, and all is proposed.
    """

    policy: Policy
    kept: tuple[str, ...] = ()
    anew: tuple[str, ...] = ()
    fits: bool = True


def reopened(now: Policy, before: Policy, proposed: Policy) -> Reopened:
    """The proposal of today with the decisions that changed that of ``before`` into the policy of ``now``."""
    attributes: dict[str, Any] = {}
    kept = []
    for name, new in proposed.attributes.items():
        own, was = now.attributes.get(name), before.attributes.get(name)
        decided = own is not None and was is not None and own != was
        attributes[name] = _with_decisions(own, was, new) if decided else new
        kept += [name] if decided else []
    anew = [name for name, made in attributes.items() if name in before.attributes and made != now.attributes.get(name)]
    others = {name: getattr(now, name) for name in type(now).model_fields if name not in ("attributes", "reading")}
    others = {name: value for name, value in others.items() if value != getattr(before, name)}
    try:
        policy = proposed.changed(attributes=attributes, **others)
        if not _named(policy) <= set(attributes):
            raise PolicyError("a column that is named is not there", remedy="Propose all anew.")
    except OntomaskError:
        return Reopened(proposed, anew=tuple(proposed.attributes), fits=False)
    return Reopened(policy, tuple(kept), tuple(anew))


def _named(policy: Policy) -> set[str]:
    """The columns that the policy names outside of their list."""
    models = {model.named_attribute for model in policy.require} - {None}
    method = policy.method and policy.method.named_columns
    return {*policy.unit_columns, *policy.household, *(method or ()), *map(str, models)}


def _with_decisions(own: Any, was: Any, new: Any) -> Any:
    """What is proposed of a column now, with what somebody changed of the proposal of before."""
    if own.kind != was.kind or new.kind == "identifier":
        return own
    if own.kind != new.kind:
        return new.changed(role=own.role)
    wanted, proposed = given_settings(own), given_settings(was)
    decided = {name: value for name, value in wanted.items() if name not in proposed or proposed[name] != value}
    settings = {name: value for name, value in given_settings(new).items() if name in wanted or name not in proposed}
    return validated(type(new), settings | decided)
