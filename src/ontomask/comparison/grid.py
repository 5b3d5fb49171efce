"""Candidates to compare: every method at every k, or variations of a policy's own method."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ontomask.arguments import as_values, one_of, short
from ontomask.comparison.baselines import with_baselines
from ontomask.errors import OptionError
from ontomask.masking.candidates import levels_from
from ontomask.masking.method import Method
from ontomask.masking.microaggregation import Microaggregation
from ontomask.masking.published import PRESETS
from ontomask.policy.policy import METHODS, Policy
from ontomask.privacy.k_anonymity import KAnonymity
from ontomask.settings import validated, whole_number

#: Settings of microaggregation beside its default, by the names that they are compared under.
VARIANTS: dict[str, dict[str, Any]] = {
    "microaggregation_mdav": {"partition": "mdav"},
    "microaggregation_thorough": {"refine": "thorough"},
}
#: A k where neither the policy nor its method has one.
USUAL_K = 5


def grid(policy: Policy, methods: Any, k: Iterable[int] | int, *, baselines: bool = False) -> dict[str, Policy]:
    """The policy with every one of the methods at every k, by name: ``microaggregation, k=5``.

    Parameters
    ----------
    policy : Policy
        What the columns are, and what every release must satisfy.
    methods : sequence of Method or str, or mapping of str to Method
        Methods, names of methods, of presets or variants of microaggregation (``microaggregation_mdav``,
        ``microaggregation_thorough``), or methods by names of your own.
    k : int or iterable of int
        The values of k to try.
    baselines : bool, default False
        Add to each candidate its non-semantic baseline, ``microaggregation, k=5, labels only``.

    Returns
    -------
    dict of str to Policy
        The candidates, for :func:`ontomask.compare`.

    Notes
    -----
    What the policy requires stays required of every candidate, whatever its k. k-anonymity is asked of a candidate if the
    policy requires it or its method promises it; generalization, which has no k of its own, aims at k or at the k that is
    required, if that is larger. A method without any k, such as shuffling, is one candidate.

    A baseline is the same method at the same k, with nominal columns taken for labels that are equal or not (T12 9.2.2). A
    candidate that does not look at what values mean has none.

    Examples
    --------
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
    levels = list(dict.fromkeys(_level(level) for level in ([k] if isinstance(k, int) else as_values(k, "k"))))
    made: dict[str, Policy] = {}
    for label, method in listed:
        named = label or (method if isinstance(method, str) else _label(method))
        own: dict[str, Policy] = {}
        for level in levels:
            chosen, reached = _at(policy, method, level)
            own[named if reached is None else candidate_name(named, f"k={reached}")] = chosen
        twice = next((name for name in own if name in made), None)
        if twice is not None:
            raise OptionError(f"{twice!r} is listed twice", remedy="Name methods: {'my name': method, ...}.")
        made |= own
    if not made:
        raise OptionError("there is nothing to compare", remedy="Give at least one method and one k.")
    return with_baselines(made) if baselines else made


def candidate_name(method: str, setting: str) -> str:
    """What a candidate is called: its method, and the setting in which it differs from others of the method."""
    return f"{method}, {setting}"


def name_without(method: str, name: str) -> str:
    """What a candidate is called where its method is said beside; a name of the user's own stays as it is."""
    return name.removeprefix(candidate_name(method, ""))


def levels_of(policy: Policy) -> list[int]:
    """The k to compare where none is given: the least that may be released, and larger ones."""
    least = policy.required_k if policy.required_k > 1 else policy.promised_k
    return levels_from(least if least > 1 else USUAL_K)


def variations(policy: Policy) -> dict[str, Policy]:
    """The policy's own method in several settings, the policy as it is among them.

    With a k: that of the policy, the least that is required, and larger ones. Generalization: several suppression limits,
    and where nothing may be suppressed several k. Rank swapping: a smaller and larger distances of exchange. Shuffling:
    both corrections of ties. Imputation: all models. Noise addition: less and more noise. PRAM: smaller and larger
    probabilities of change.

    >>> import ontomask as om
    >>> policy = om.Policy(
    ...     attributes={"age": om.Numeric()}, method=om.Microaggregation(k=5), require=[om.KAnonymity(k=5)]
    ... )
    >>> list(variations(policy))
    ['microaggregation, k=5', 'microaggregation, k=8', 'microaggregation, k=10', 'microaggregation, k=15']
    """
    method = policy.method
    if method is None:
        raise OptionError(
            "the policy names no method to vary", remedy="Name methods to compare, or add one to the policy."
        )
    made = method.variations(policy.require)
    if made:
        return {candidate_name(method.name, setting): policy.changed(method=one) for setting, one in made.items()}
    levels = method.levels(policy.required_k)
    return grid(policy, [method], levels) if levels else {method.name: policy}


def _level(k: Any) -> int:
    try:
        level = whole_number(k)
    except ValueError as problem:
        raise OptionError(str(problem), remedy="Give whole numbers, such as k=range(2, 11).") from None
    if level < 1:
        raise OptionError(f"k={level}", remedy="Give whole numbers from 1 up.")
    return level


def _label(method: Any) -> str:
    if not isinstance(method, Method):
        raise OptionError(
            f"expected a method, got {short(repr(method), 40)}",
            remedy="Give om.Microaggregation(k=5), or a name such as 'recoding'.",
        )
    return method.label


def _at(policy: Policy, method: Any, k: int) -> tuple[Policy, int | None]:
    """The policy with a method at some k, and the k it has then; None if it has none."""
    chosen = _named(method, k) if isinstance(method, str) else method
    at_k = chosen.at_k(k)
    if at_k is not None:
        return policy.changed(method=at_k), k
    if not chosen.takes_required_k:
        return policy.changed(method=chosen), None
    reached = max(k, policy.required_k)
    aims = [] if reached == policy.required_k and reached > 1 else [KAnonymity(k=reached)]
    return policy.changed(method=chosen, require=[*aims, *policy.require]), reached


def _named(name: str, k: int) -> Method:
    """A method by its name, or a preset or variant of microaggregation."""
    one_of(name, [*METHODS, *VARIANTS, *PRESETS], "method")
    if name in PRESETS:
        return Microaggregation.preset(name, k=k)
    kind = Microaggregation if name in VARIANTS else METHODS[name]
    settings = {"k": k} if "k" in kind.model_fields else {}
    made: Method = validated(kind, settings | VARIANTS.get(name, {}))
    return made
