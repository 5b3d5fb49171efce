"""A candidate of a comparison as the policy of today: its method is taken, and what was decided since the comparison stays."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ontomask.arguments import short
from ontomask.errors import PolicyError
from ontomask.policy.policy import Policy


def with_candidate(now: Policy, compared: Policy, candidates: Iterable[Policy], chosen: Policy) -> Policy:
    """The policy of ``now`` with that in which ``chosen`` differs from the policy that was compared.

    ``candidates``: all of the comparison. If one of them was chosen before, what came with it goes. An error if a column was
    changed that the chosen one would change, too.
    """
    before = _made_from(now, [compared, *candidates])
    attributes: dict[str, Any] = {}
    for name, own in now.attributes.items():
        was, wanted = before.attributes.get(name), chosen.attributes.get(name)
        if wanted is None or wanted == was:
            attributes[name] = own
        elif own in (was, wanted):
            attributes[name] = wanted
        else:
            raise PolicyError(
                f"column {short(repr(name), 40)} was changed after the comparison", remedy="Compare again, then choose."
            )
    kept = [model for model in now.require if model in chosen.require or model not in before.require]
    added = [model for model in chosen.require if model not in before.require and model not in kept]
    return now.changed(attributes=attributes, method=chosen.method, require=[*added, *kept])


def _made_from(now: Policy, known: list[Policy]) -> Policy:
    """The one that the policy was before what somebody changed in it: with its method, and with the most in common."""

    def apart(one: Policy) -> tuple[bool, int]:
        columns = sum(now.attributes.get(name) != attribute for name, attribute in one.attributes.items())
        gone, new = (sum(m not in b for m in a) for a, b in ((one.require, now.require), (now.require, one.require)))
        return one.method != now.method, columns + gone + new

    return min(known, key=apart)
