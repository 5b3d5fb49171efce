"""Recommendation of a comparison in sentences (after T12 9.2.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ontomask.arguments import counted
from ontomask.arrays import TIE
from ontomask.assessment.loss import HEADLINE
from ontomask.wording import Unit

if TYPE_CHECKING:
    from ontomask.comparison.evaluation import Run
    from ontomask.comparison.outcome import Comparison

#: How a candidate that cannot be chosen is called, by what happened to it.
FAILED = {
    "refused": "Refused, because a requirement is not satisfied",
    "unmasked": "Not considered, because nothing is masked",
    "invalid": "Not possible with these data",
    "incomparable": "Not compared",
    "died": "Not finished",
}
#: Different reasons that are given, why candidates cannot be chosen.
MOST_REASONS = 4
#: Candidates that are named of one reason.
MOST_NAMED = 6


def recommend(found: Comparison) -> list[str]:
    """The choice and its reasons; what would be chosen under other weights; what cannot be chosen, and why."""
    best = next((run for run in found.runs if run.name == found.best), None)
    if best is None:
        return [_nothing(found), *_failed(found)]
    good = [run for run in found.runs if run.error is None]
    return [
        _choice(found, best, good),
        *_chosen_risk(found),
        *_otherwise(found, best),
        *_distribution(best, good),
        *_cost(best, good),
        *_promise(best, found.unit),
        *_requirements(found, good),
        *_failed(found),
    ]


def _nothing(found: Comparison) -> str:
    """Why there is no choice."""
    if not found.satisfied:
        return "Nothing can be recommended: no candidate gave a release that satisfies what is required of it."
    return (
        f"Nothing can be recommended: no release has a score. {HEADLINE.head} is undefined if a column was changed whose "
        "original values are all the same."
    )


def _choice(found: Comparison, best: Run, good: list[Run]) -> str:
    return (
        f"Recommended: {best.name}. {_among(found, good)} {found.score(best):.3g} with alpha {found.alpha:g} ({_loss(best)}, "
        f"{_risk(found, best)})."
    )


def _chosen_risk(found: Comparison) -> list[str]:
    """Why risk is not linkage, where nobody asked for something else."""
    if not found.chosen:
        return []
    return [
        (
            "Risk is attribute disclosure, because a candidate masks other columns than quasi-identifiers. Linkage shows "
            "which records are found. It does not show whether the sensitive values found with them are their own."
        )
    ]


def _among(found: Comparison, good: list[Run]) -> str:
    """Of how many; that something is satisfied is said only where something is required or promised."""
    if len(good) == 1:
        return f"It is the only candidate{' with a release' if len(found.runs) > 1 else ''}. Its score is"
    satisfy = " that satisfy what is required" if all(run.promises for run in good) else ""
    return f"Of {len(good):,} candidates{satisfy}, it has the lowest score:"


def _loss(run: Run) -> str:
    return "its loss is undefined" if run.loss is None else f"{HEADLINE.in_sentences} {run.loss:.3g}%"


def _risk(found: Comparison, run: Run) -> str:
    if found.kind == "worst":
        share = f"{100 * (run.worst or 0):.3g}% of the released {found.unit.many}"
        return f"the worst attack, {run.worst_attack}, re-identifies {share}"
    if found.kind == "disclosure":
        assert run.disclosure is not None
        return f"an intruder learns {100 * run.disclosure.share:.3g}% of the sensitive values"
    return f"{100 * run.linkage[found.kind]:.3g}% of the {found.unit.many} linked correctly"


def _otherwise(found: Comparison, best: Run) -> list[str]:
    """Who wins where loss or risk counts more."""
    sentences = []
    for low, high, name in found.winners:
        if name == best.name or low < found.alpha < high:
            continue
        if high == 0:
            sentences.append(f"If only risk counts (alpha 0), choose {name}.")
        elif high <= found.alpha:
            sentences.append(f"If risk counts more (alpha from {_alpha(low)} to {_alpha(high)}), choose {name}.")
        else:
            sentences.append(f"If loss counts more (alpha from {_alpha(low)} to {_alpha(high)}), choose {name}.")
    always = len(found.winners) == 1 and best.loss is not None
    return sentences or ["It has the lowest score, whatever the weights of loss and risk."] * always


def _alpha(value: float) -> str:
    """A weight in few digits, but 0 and 1 only for what is just that."""
    told = (f"{value:.{digits}g}" for digits in (2, 3, 4, 6, 17))
    return next(text for text in told if value in (0, 1) or 0 < float(text) < 1)


def _distribution(best: Run, good: list[Run]) -> list[str]:
    # What is left of few records says nothing on the distribution of all.
    whole = [run for run in good if 20 * (run.removed or 0) <= (run.records or 0)] or good
    far = {run.name: divergence for run in good if (divergence := run.losses.get("divergence")) is not None}
    nearest = min(whole, key=lambda run: (far.get(run.name, float("inf")), run.seconds))
    if best.name not in far or nearest.name not in far or far[nearest.name] >= far[best.name] * (1 - TIE):
        return []
    return [
        (
            f"If only the frequencies of combinations of values matter, and not their meaning, choose {nearest.name}. Its KL "
            f"divergence is {far[nearest.name]:.3g}; that of {best.name} is {far[best.name]:.3g}."
        )
    ]


def _cost(best: Run, good: list[Run]) -> list[str]:
    sentences = []
    if best.removed:
        sentences.append(f"{best.name} leaves out {best.removed:,} of {counted(best.records or 0, 'record')}.")
    fastest = min(good, key=lambda run: run.seconds)
    if fastest.name != best.name and best.seconds > 10 and best.seconds > 5 * fastest.seconds:
        sentences.append(f"{best.name} took {best.seconds:.0f} s to mask; {fastest.name} took {fastest.seconds:.1f} s.")
    return sentences


def _promise(best: Run, unit: Unit) -> list[str]:
    if best.promised_k > 1:
        return [f"Every record that {best.name} releases is in a class of at least {unit.counted(best.smallest or 0)}."]
    if best.unique:
        are = f"{best.unique:,} released {f'{unit.one} is' if best.unique == 1 else f'{unit.many} are'} unique"
    else:
        are = f"no released {unit.one} is unique, but that is not guaranteed"
    return [
        (
            f"{best.name} promises no k-anonymity: {are}. Its "
            "risk was measured by the attacks that were tried. It is not a guarantee."
        )
    ]


def _requirements(found: Comparison, good: list[Run]) -> list[str]:
    """Where candidates have policies that require different things, each was evaluated by its own."""
    policies = [found.policies[run.name] for run in good if run.name in found.policies]
    # A generalization aims at a k-anonymity that takes the place of a k of its own.
    ks = {policy.required_k for policy in policies if policy.method is None or not policy.method.takes_required_k}
    others = {
        frozenset(model for model in policy.require if not model.sizes_only or model.class_size is None)
        for policy in policies
    }
    if len(ks) < 2 and len(others) < 2:
        return []
    return ["The candidates have different requirements. Each was checked against those of its own policy."]


def _failed(found: Comparison) -> list[str]:
    """Every candidate without a release, by its reason."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for run in found.runs:
        if run.error is not None:
            why = FAILED.get(run.failure or "", "Without a release")
            reasons.setdefault((why, run.error), []).append(run.name)
    listed = list(reasons.items())
    sentences = [f"{why}: {_listed(names)} ({error})." for (why, error), names in listed[:MOST_REASONS]]
    rest = sum(len(names) for _, names in listed[MOST_REASONS:])
    if rest:
        more = counted(rest, "more candidate")
        sentences.append(f"{more} without a release: the column error of the table gives the reasons (see --json).")
    return sentences


def _listed(names: list[str]) -> str:
    """Names hold commas themselves."""
    return "; ".join(names[:MOST_NAMED]) + ("; ..." if len(names) > MOST_NAMED else "")
