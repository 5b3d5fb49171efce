"""Notes of a comparison: which columns, which risk, which baselines, which seconds the figures are about."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import TYPE_CHECKING

from ontomask.arguments import counted
from ontomask.comparison.baselines import no_baseline
from ontomask.masking.method import Method
from ontomask.policy.policy import Policy

if TYPE_CHECKING:
    from ontomask.comparison.outcome import Comparison

#: Columns that are named one by one.
MOST_COLUMNS = 12


def notes_of(found: Comparison) -> list[str]:
    return [
        *_columns(found),
        *_disclosure(found),
        *_releases(found),
        *_meaning(found),
        *_without_twin(found),
        *_seconds(found),
    ]


def masked_sets(found: Comparison) -> set[frozenset[str]]:
    """The different sets of columns that candidates with a release mask."""
    policies = [found.policies[run.name] for run in found.satisfied if run.name in found.policies]
    return {frozenset(policy.masked) for policy in policies}


def _columns(found: Comparison) -> list[str]:
    if len(masked_sets(found)) < 2:
        return []
    return [
        (
            f"Loss covers every column that a candidate masks: {_listed(found.columns)}. A candidate loses nothing in a column "
            "that it leaves unchanged."
        )
    ]


def _disclosure(found: Comparison) -> list[str]:
    guess = found.guess
    if guess is None:
        return []
    return [
        (
            f"Disclosure is the share of the sensitive values ({_listed(list(guess.guessed))}) that an intruder learns. The "
            "intruder knows the quasi-identifiers, finds the records that match best, and reads the value of one of them. "
            f"Guessing gets {100 * guess.guess:.3g}% right."
        )
    ]


def _releases(found: Comparison) -> list[str]:
    """Candidates that hand out several releases of the same records."""
    several = [
        run.name
        for run in found.satisfied
        if run.name in found.policies and _method(found.policies[run.name]).releases > 1
    ]
    if not several:
        return []
    return [
        (
            f"Several releases of the same records: {'; '.join(several)}. Loss is the mean over the releases. Linkage and "
            "disclosure are the largest of a single release. What an intruder learns from all of them together is not counted."
        )
    ]


def _meaning(found: Comparison) -> list[str]:
    """What meaning saves: candidates against their baselines."""
    sse = {run.name: run.losses.get("sse") for run in found.satisfied}
    saved: dict[str, list[float]] = {}
    for name, baseline in found.baselines.items():
        own, other = sse.get(name), sse.get(baseline)
        if own is not None and other:
            saved.setdefault(_method(found.policies[name]).label, []).append(1 - own / other)
    sentences = [
        f"{method} {_saved(fmean(parts))}" + (f" (mean of {counted(len(parts), 'setting')})" if len(parts) > 1 else "")
        for method, parts in saved.items()
    ]
    return (
        [f"Compared with labels only, methods that use the meaning of values lose (SSE): {'; '.join(sentences)}."]
        if sentences
        else []
    )


def _saved(part: float) -> str:
    share = f"{abs(part):.0%}"
    return "as much" if share == "0%" else f"{share} {'less' if part > 0 else 'more'}"


def _without_twin(found: Comparison) -> list[str]:
    """Candidates that have no baseline, where others have one."""
    if not found.baselines:
        return []
    reasons: dict[str, list[str]] = {}
    for name, policy in found.policies.items():
        if name not in found.baselines and name not in found.baselines.values():
            reasons.setdefault(no_baseline(policy) or "none was asked for", []).append(_method(policy).label)
    return [
        f"Without a labels-only baseline: {'; '.join(dict.fromkeys(names))} ({why})." for why, names in reasons.items()
    ]


def _method(policy: Policy) -> Method:
    assert policy.method is not None
    return policy.method


def _seconds(found: Comparison) -> list[str]:
    first = sum(run.first_seconds for run in found.runs)
    if not any(run.seconds for run in found.runs) or first < 0.1:
        return []
    return [
        (
            "Seconds measure masking alone. Loading or compiling code and reading taxonomies, which each process does once, "
            f"took another {first:.1f} s in all."
        )
    ]


def _listed(names: Sequence[str]) -> str:
    shown = list(names)[:MOST_COLUMNS]
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" and {more:,} more" if more else "")
