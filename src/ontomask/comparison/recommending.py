"""What a comparison speaks for, in words (T12 9.2.3 is the model)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ontomask.arguments import counted, some_of

if TYPE_CHECKING:
    from ontomask.comparison.compare import Comparison
    from ontomask.comparison.running import Run


def recommend(found: Comparison) -> list[str]:
    """The choice and its reasons; who would be chosen under other weights; who cannot be chosen, and why."""
    best = next((run for run in found.runs if run.name == found.best), None)
    if best is None:
        return [
            "Nothing can be recommended: no policy gave a release that satisfies what is required.",
            *_failed(found),
        ]
    good = [run for run in found.runs if run.error is None]
    return [
        _choice(found, best, good),
        *_otherwise(found, best),
        *_distribution(best, good),
        *_cost(best, good),
        *_promise(best),
        *_failed(found),
    ]


def _choice(found: Comparison, best: Run, good: list[Run]) -> str:
    risk, score = 100 * best.linkage[found.kind], found.score(best)
    among = (
        f"of {counted(len(good), 'way')} that satisfy what is required" if len(good) > 1 else "the only one that works"
    )
    return (
        f"Recommended: {best.name}. It has the lowest score, {among}: {score:.3g} with alpha {found.alpha:g} "
        f"(information loss {best.loss:.3g}%, {risk:.3g}% of the records linked correctly)."
    )


def _otherwise(found: Comparison, best: Run) -> list[str]:
    """Who wins where loss or risk counts more."""
    told = []
    for low, high, name in found.winners:
        if name == best.name or low <= found.alpha <= high:
            continue
        if high <= 0.005:
            told.append(f"Only if risk alone counts (alpha 0), {name}.")
        elif low >= 0.995:
            told.append(f"Only if loss alone counts (alpha 1), {name}.")
        elif high < found.alpha:
            told.append(f"If risk counts more (alpha from {low:.2g} to {high:.2g}), {name}.")
        else:
            told.append(f"If loss counts more (alpha from {low:.2g} to {high:.2g}), {name}.")
    return told or ["It has the lowest score whatever the weights of loss and risk."] * (len(found.winners) == 1)


def _distribution(best: Run, good: list[Run]) -> list[str]:
    # What is left of few records says nothing on the distribution of all.
    whole = [run for run in good if 20 * (run.removed or 0) <= (run.records or 0)] or good
    nearest = min(whole, key=lambda run: (run.divergence if run.divergence is not None else float("inf"), run.seconds))
    if nearest.name == best.name or nearest.divergence is None or best.divergence is None:
        return []
    if nearest.divergence >= best.divergence * (1 - 1e-9):
        return []
    return [
        (
            f"If only the distribution of combinations of values matters and not their meaning, {nearest.name}: its "
            f"divergence is {nearest.divergence:.3g}, against {best.divergence:.3g}."
        )
    ]


def _cost(best: Run, good: list[Run]) -> list[str]:
    told = []
    if best.removed:
        told.append(f"It leaves out {best.removed:,} of {counted(best.records or 0, 'record')}.")
    fastest = min(good, key=lambda run: run.seconds)
    if fastest.name != best.name and best.seconds > 10 and best.seconds > 5 * fastest.seconds:
        told.append(f"It took {best.seconds:.0f} s; {fastest.name} took {fastest.seconds:.1f} s.")
    return told


def _promise(best: Run) -> list[str]:
    if best.promised_k > 1 or (best.smallest is not None and best.k is not None and best.smallest >= best.k > 1):
        return [f"Every released record is in a class of at least {counted(best.smallest or 0, 'record')}."]
    return [
        (
            "It promises no k-anonymity: released records can be one of a kind, and the figure of linkage, which rests on "
            "one kind of intruder, is all that speaks for it."
        )
    ]


def _failed(found: Comparison) -> list[str]:
    failed = [run for run in found.runs if run.error is not None]
    if not failed:
        return []
    listed = some_of([run.name for run in failed])
    return [f"Not to be had: {listed}. The first of them: {failed[0].error}"]
