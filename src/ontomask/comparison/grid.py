"""Candidates to compare: every method at every k, or variations of a policy's own method."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, get_args

from ontomask.arguments import as_values, one_of, short
from ontomask.comparison.baselines import with_baselines
from ontomask.errors import OptionError
from ontomask.masking.generalization import Generalization
from ontomask.masking.imputation import Imputation
from ontomask.masking.imputation import Model as ImputationModel
from ontomask.masking.method import Method
from ontomask.masking.microaggregation import PRESETS, Microaggregation
from ontomask.masking.noise_addition import NoiseAddition
from ontomask.masking.pram import PRAM
from ontomask.masking.rank_swapping import RankSwapping
from ontomask.masking.shuffling import Shuffling
from ontomask.policy.policy import METHODS, Policy
from ontomask.privacy.k_anonymity import KAnonymity
from ontomask.privacy.km_anonymity import KmAnonymity
from ontomask.settings import validated, whole_number

#: A k where neither the policy nor its method has one.
USUAL_K = 5
#: Levels that are compared where none are given, as multiples of the least one that may be released.
MULTIPLES = (1.0, 1.5, 2.0, 3.0)
#: How a policy's own rank swapping and generalization are varied.
SWAPPED = (0.5, 1.0, 2.0, 4.0)
SUPPRESSED = (0.0, 0.01, 0.05, 0.1)
#: Settings of imputation that belong to one of its models, as they are when not given.
_OF_A_MODEL = {name: Imputation.model_fields[name].default for name in ("donors", "bounded")}
#: How the noise of a policy's own noise addition is varied, and the probability of change of its PRAM.
NOISE = (0.5, 1.0, 2.0, 4.0)
CHANGE = (0.5, 1.0, 1.5, 2.0)


def grid(policy: Policy, methods: Any, k: Iterable[int] | int, *, baselines: bool = False) -> dict[str, Policy]:
    """The policy with every one of the methods at every k, by name: ``microaggregation, k=5``.

    Parameters
    ----------
    policy : Policy
        What the columns are, and what every release must satisfy.
    methods : sequence of Method or str, or mapping of str to Method
        Methods, names of methods or of presets of microaggregation, or methods by names of your own.
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
            own[named if reached is None else f"{named}, k={reached}"] = chosen
        twice = next((name for name in own if name in made), None)
        if twice is not None:
            raise OptionError(f"{twice!r} is listed twice", remedy="Name methods: {'my name': method, ...}.")
        made |= own
    if not made:
        raise OptionError("there is nothing to compare", remedy="Give at least one method and one k.")
    return with_baselines(made) if baselines else made


def levels_of(policy: Policy) -> list[int]:
    """The k to compare where none is given: the least that may be released, and larger ones."""
    least = required_k(policy)
    if least == 1 and policy.method is not None:
        least = policy.method.promised_k
    return around(least if least > 1 else USUAL_K)


def around(k: int) -> list[int]:
    """k and larger levels: 5, 8, 10, 15."""
    return sorted({math.ceil(k * multiple) for multiple in MULTIPLES})


def required_k(policy: Policy) -> int:
    """The largest k of a required k-anonymity; 1 if there is none."""
    return max([model.k for model in policy.require if isinstance(model, KAnonymity)], default=1)


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
    if isinstance(method, Generalization):
        return _generalizations(policy, method)
    if isinstance(method, RankSwapping):
        return _swappings(policy, method)
    if isinstance(method, Shuffling):
        ties = ("corrected", "published")
        return {f"shuffling, ties={way}": policy.changed(method=method.changed(ties=way)) for way in ties}
    if isinstance(method, Imputation):
        # Settings of one model do not fit another.
        others = {model: method.changed(model=model, **_OF_A_MODEL) for model in get_args(ImputationModel)}
        made = others | {method.model: method}
        return {f"imputation, model={model}": policy.changed(method=way) for model, way in made.items()}
    if isinstance(method, NoiseAddition):
        shares = sorted({min(method.share * step, 100.0) for step in NOISE})
        return {f"noise_addition, share={s:g}": policy.changed(method=method.changed(share=s)) for s in shares}
    if isinstance(method, PRAM):
        keeps = sorted({1 - min((1 - method.keep) * step, 1.0) for step in CHANGE}, reverse=True)
        return {f"pram, keep={keep:g}": policy.changed(method=method.changed(keep=round(keep, 12))) for keep in keeps}
    own = getattr(method, "k", None)
    if own is None:
        return {method.name: policy}
    least = required_k(policy)
    return grid(policy, [method], sorted({own, *around(least if least > 1 else own)}))


def _generalizations(policy: Policy, method: Generalization) -> dict[str, Policy]:
    may_suppress = not method.in_groups and not any(isinstance(model, KmAnonymity) for model in policy.require)
    if may_suppress:
        limits = sorted({method.suppression_limit, *SUPPRESSED})
        return {
            f"generalization, suppression_limit={limit:g}": policy.changed(
                method=method.changed(suppression_limit=limit)
            )
            for limit in limits
        }
    k = required_k(policy)
    return grid(policy, [method], around(k)) if k > 1 else {"generalization": policy}


def _swappings(policy: Policy, method: RankSwapping) -> dict[str, Policy]:
    setting = "k" if method.k is not None else "percent"
    own = getattr(method, setting)
    if own is None:  # any value is exchanged with any
        return {"rank_swapping": policy}
    values = [max(round(own * step), 1) if setting == "k" else min(own * step, 99.0) for step in SWAPPED]
    return {
        f"rank_swapping, {setting}={value:g}": policy.changed(method=method.changed(**{setting: value}))
        for value in sorted(set(values))
    }


def _level(k: Any) -> int:
    try:
        level = whole_number(k)
    except ValueError as problem:
        raise OptionError(str(problem), remedy="Give whole numbers, such as k=range(2, 11).") from None
    if level < 1:
        raise OptionError(f"k={level}", remedy="Give whole numbers from 1 up.")
    return level


def _label(method: Any) -> str:
    """A method by its name; what differs from its defaults, but for k, is added."""
    if not isinstance(method, Method):
        raise OptionError(
            f"expected a method, got {short(repr(method), 40)}",
            remedy="Give om.Microaggregation(k=5), or a name such as 'recoding'.",
        )
    said = {name: getattr(method, name) for name in sorted(method.model_fields_set - {"name", "k", "hierarchies"})}
    text = " ".join(f"{key}={value}" for key, value in said.items() if value != type(method).model_fields[key].default)
    return " ".join(part for part in (method.name, text) if part)


def _at(policy: Policy, method: Any, k: int) -> tuple[Policy, int | None]:
    """The policy with a method at some k, and the k it has then; None if it has none."""
    chosen = _named(method, k) if isinstance(method, str) else method
    if "k" in type(chosen).model_fields:
        other = {"percent": None} if "percent" in type(chosen).model_fields else {}
        return policy.changed(method=chosen.changed(k=k, **other)), k
    if not isinstance(chosen, Generalization):
        return policy.changed(method=chosen), None
    reached = max(k, required_k(policy))
    aims = [] if reached == required_k(policy) and reached > 1 else [KAnonymity(k=reached)]
    return policy.changed(method=chosen, require=[*aims, *policy.require]), reached


def _named(name: str, k: int) -> Method:
    """A method by its name, or a preset of microaggregation."""
    one_of(name, [*METHODS, *PRESETS], "method")
    if name in PRESETS:
        return Microaggregation.preset(name, k=k)
    kind = METHODS[name]
    made: Method = validated(kind, {"k": k} if "k" in kind.model_fields else {})
    return made
