"""Policies to compare: every method at every k."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ontomask.arguments import as_values, one_of, short
from ontomask.errors import OptionError
from ontomask.masking.method import Method
from ontomask.masking.microaggregation import PRESETS, Microaggregation
from ontomask.policy import METHODS, Policy
from ontomask.privacy.k_anonymity import KAnonymity
from ontomask.settings import refuse, whole_number


def grid(policy: Policy, methods: Any, k: Iterable[int] | int) -> dict[str, Policy]:
    """The policy with every one of the methods at every k, by name: ``microaggregation, k=5``.

    ``methods`` are methods, names of methods or of presets of microaggregation, or a mapping of names of your own to
    methods. Where the policy requires k-anonymity it is required with the same k. Generalization, which has no k of its
    own, always aims at it.

    >>> import ontomask as om
    >>> policy = om.Policy(attributes={"age": om.Numeric()})
    >>> list(om.grid(policy, ["microaggregation", om.Generalization()], k=[2, 5]))
    ['microaggregation, k=2', 'microaggregation, k=5', 'generalization, k=2', 'generalization, k=5']
    """
    listed = (
        methods.items()
        if isinstance(methods, Mapping)
        else [(None, method) for method in as_values(methods, "methods")]
    )
    levels = [_level(level) for level in ([k] if isinstance(k, int) else as_values(k, "k"))]
    made: dict[str, Policy] = {}
    for label, method in listed:
        named = label or (method if isinstance(method, str) else _label(method))
        for level in levels:
            name = f"{named}, k={level}"
            if name in made:
                raise OptionError(f"{name!r} stands there twice", remedy="Name methods: {'my name': method, ...}.")
            made[name] = _at(policy, method, level)
    if not made:
        raise OptionError("there is nothing to compare", remedy="Give at least one method and one k.")
    return made


def _level(k: Any) -> int:
    try:
        level = whole_number(k)
    except ValueError as problem:
        raise OptionError(str(problem), remedy="Give whole numbers, such as k=range(2, 11).") from None
    if level < 1:
        raise OptionError(f"k={level}", remedy="Give whole numbers from 1 up.")
    return level


def _label(method: Any) -> str:
    """A method by its name; what differs from its defaults, but for k, is told with it."""
    if not isinstance(method, Method):
        raise OptionError(
            f"{short(repr(method), 40)} is no method",
            remedy="Give om.Microaggregation(k=5), or a name such as 'recoding'.",
        )
    said = {name: getattr(method, name) for name in sorted(method.model_fields_set - {"name", "k", "hierarchies"})}
    told = " ".join(f"{key}={value}" for key, value in said.items() if value != type(method).model_fields[key].default)
    return " ".join(part for part in (method.name, told) if part)


def _at(policy: Policy, method: Any, k: int) -> Policy:
    """The policy with a method at some k."""
    require = [KAnonymity(k=k) if isinstance(model, KAnonymity) else model for model in policy.require]
    chosen = _named(method, k) if isinstance(method, str) else method
    if "k" in type(chosen).model_fields:
        other = {"percent": None} if "percent" in type(chosen).model_fields else {}
        chosen = chosen.changed(k=k, **other)
    elif not any(isinstance(model, KAnonymity) for model in require):
        require = [KAnonymity(k=k), *require]
    return policy.changed(method=chosen, require=require)


def _named(name: str, k: int) -> Method:
    """A method by its name, or a preset of microaggregation."""
    one_of(name, [*METHODS, *PRESETS], "method")
    if name in PRESETS:
        return Microaggregation.preset(name, k=k)
    kind = METHODS[name]
    made: Method = refuse(kind, {"k": k} if "k" in kind.model_fields else {})
    return made
