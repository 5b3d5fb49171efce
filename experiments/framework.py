"""The framework on health records (T12 chapter 9): three methods, with semantics and without, and suppression.

python -m experiments.framework
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl

import ontomask as om
from experiments import framework_command
from experiments.framework_runs import (
    CLASSIC,
    COLUMNS,
    EVERY,
    KS,
    MEASURE,
    METHODS,
    MIC,
    PLAIN,
    REC,
    RES,
    SEEDS,
    SEMANTIC,
    SETTINGS,
    SUPPRESSION,
    THESIS,
    WAYS,
    At,
    Figures,
    Means,
    claim,
    in_setting,
    in_settings,
    means,
    records,
    runs,
)
from experiments.reporting import finding, show, table
from ontomask.policy.prepared import prepare
from ontomask.progress import silent

#: T12 9.2.2: SSE at k = 15.
THESIS_SSE = {"microaggregation": 645, "suppression": 2875}
#: At which k T12 varies alpha.
MIDDLE = 7
ALPHAS = tuple(step / 20 for step in range(21))
#: From where on T12 has resampling with the lowest linkage, and up to which k recoding with the best score.
LOWEST_FROM, RECODING_UP_TO = 4, 5
#: Below this k T12 has microaggregation as the slowest.
FASTER_FROM = 4
TIMED = (2, 3, 4, 5, 7, 10, 15)
ROUNDS = 5
#: How much more the largest of some figures may be than the smallest, for us to call them almost constant.
CONSTANT = 1.25
SMOOTHINGS = (0.5, 0.1, 0.01)
UNWEIGHTED = om.Recoding(k=2, measure=MEASURE, comparison="plain")


def by_k(mean: Means, ways: Sequence[str], figure: Callable[[Figures], float], digits: int) -> str:
    return table(["k", *ways], [[str(k), *(figure(row[way]) for way in ways)] for k, row in mean.items()], digits)


def report() -> Iterator[str]:
    yield "## The framework on health records (T12 chapter 9)"
    yield from about()
    mean = means([runs(records(seed), seed) for seed in SEEDS])
    yield from semantics(mean)
    yield from methods(mean)
    yield from divergence(mean)
    yield from linkage(mean)
    yield from score(mean)
    yield from over_alpha(mean)
    yield from seconds()
    yield from framework_command.report()


def about() -> Iterator[str]:
    pairs = [records(seed).frame.group_by(COLUMNS).len()["len"] for seed in SEEDS]
    low, high = min(KS), max(KS)
    ours = {
        "records": [int(counts.sum()) for counts in pairs],
        "distinct pairs": [len(counts) for counts in pairs],
        "unique pairs": [int((counts == 1).sum()) for counts in pairs],
    }
    rare = [100 * counts.filter(counts < high).sum() / counts.sum() for counts in pairs]
    yield (
        "T12 takes two columns of discharges of a Californian hospital, the principal diagnosis and another condition, "
        "placed in SNOMED CT. Ours are synthetic ([`om.demo_data`](demo-data.md)): diagnosis and secondary diagnosis of a "
        "general hospital, placed in ICD-9-CM, which is a tree of few levels. As many records are drawn as T12 has; the "
        "similar numbers of distinct and unique pairs are a coincidence."
    )
    rows: list[list[Any]] = [[what, THESIS[what], *found] for what, found in ours.items()]
    rows.append([f"% of the records in pairs of fewer than {high}", "up to 90", *(f"{share:.0f}" for share in rare)])
    yield table(["", "T12", *(f"sample {seed}" for seed in SEEDS)], rows)
    yield (
        f"*Semantic*: recoding (T12 Alg. 2), microaggregation (SA-MDAV) and resampling (Alg. 6) compare by `{MEASURE}` and "
        "show the semantic centroid; distances are weighted by frequency, as published. *Plain*, the product's own "
        "setting, leaves the weights out of microaggregation and resampling. *Non-semantic*: the same methods compare by "
        "equality, without weights, and show the mode of each column (T12: the most frequent record). All runs are made by "
        f"[`om.compare`](comparison.md) and evaluated by `{MEASURE}`. Figures are means over {len(SEEDS)} "
        f"samples, each drawn and masked with its own seed, for k from {low} to {high}."
    )


def saved(at: At, method: str) -> float:
    """The part of the SSE that semantics saves."""
    return 1 - at[method].sse / at[CLASSIC.format(method)].sse


def semantics(mean: Means) -> Iterator[str]:
    yield "### With semantics and without (Fig. 37): SSE"
    yield (
        "The sum over records of the squared mean distance to the released records (T12 eq. 9.1); a removed record counts "
        "1."
    )
    yield by_k(mean, EVERY, lambda f: f.sse, 0)
    yield "\n".join(
        [
            finding(
                "T12",
                "SSE grows with k (criterion: it never falls)",
                {way: all(mean[k][way].sse >= mean[before][way].sse for before, k in pairwise(KS)) for way in EVERY},
                "case",
            ),
            finding("T12", f"{REC} loses less with semantics", {k: saved(at, REC) > 0 for k, at in mean.items()}),
            claim(f"{MIC} loses less with semantics", mean, lambda at: saved(at, MIC) > 0),
            claim(f"{RES} loses less with semantics", mean, lambda at: saved(at, RES) > 0),
            claim(
                f"{MIC} gains most by semantics", mean, lambda at: saved(at, MIC) > max(saved(at, REC), saved(at, RES))
            ),
            claim(f"{MIC} keeps over 50% more (criterion: its SSE is halved)", mean, lambda at: saved(at, MIC) > 0.5),
            claim(
                f"{RES} gains least by semantics", mean, lambda at: saved(at, RES) < min(saved(at, REC), saved(at, MIC))
            ),
            finding(
                "T12",
                "suppression loses more than every semantic method",
                {k: at[SUPPRESSION].sse > max(at[way].sse for way in SEMANTIC) for k, at in mean.items()},
            ),
        ]
    )
    last = mean[KS[-1]]
    worse = sum(at[SUPPRESSION].sse > max(at[CLASSIC.format(m)].sse for m in METHODS) for at in mean.values())
    yield (
        "Of the SSE, semantics saves on average over k "
        + "; ".join(
            f"{np.mean([1 - at[way].sse / at[CLASSIC.format(m)].sse for at in mean.values()]):.0%} ({way})"
            for way, m in method_of().items()
        )
        + f". At k = {KS[-1]} T12 prints {THESIS_SSE[MIC]:,} for {MIC} and {THESIS_SSE[SUPPRESSION]:,} for suppression; "
        f"here it is {last[MIC].sse:,.0f} ({last[PLAIN.format(MIC)].sse:,.0f} plain) and {last[SUPPRESSION].sse:,.0f}. "
        f"Suppression also loses more than every non-semantic method at {worse} of {len(KS)} k."
    )


def method_of() -> dict[str, str]:
    """The method of every semantic way."""
    return {way: next(m for m in METHODS if way.endswith(m)) for way in SEMANTIC}


def fit(values: Sequence[float], scale: Callable[[Any], Any]) -> float:
    """The part of the variance that a straight line in k, or in a function of it, explains."""
    return float(np.corrcoef(scale(np.array(KS, dtype=float)), values)[0, 1] ** 2)


def methods(mean: Means) -> Iterator[str]:
    yield "### The methods compared (Fig. 38): SSE"
    yield "The semantic columns of the table above."

    def straight(way: str) -> bool:
        values = [mean[k][way].sse for k in KS]
        return fit(values, np.asarray) > fit(values, np.log)

    kinds = method_of()
    yield "\n".join(
        [
            claim(f"{MIC} loses less than {REC}", mean, lambda at: at[MIC].sse < at[REC].sse),
            claim(f"{RES} loses most of the three", mean, lambda at: at[RES].sse > max(at[REC].sse, at[MIC].sse)),
            finding(
                "T12",
                f"SSE of {MIC} and {REC} grows about linearly (criterion: a line in k fits better than one in log k)",
                {way: straight(way) for way, method in kinds.items() if method != RES},
                "case",
            ),
            finding(
                "T12",
                f"that of {RES} like a logarithm (a line in log k fits better)",
                {way: not straight(way) for way, method in kinds.items() if method == RES},
                "case",
            ),
        ]
    )
    yield (
        "Of the variance of SSE over k, a line in k and one in log k explain "
        + "; ".join(
            f"{fit(values, np.asarray):.0%} and {fit(values, np.log):.0%} ({way})"
            for way in SEMANTIC
            for values in [[mean[k][way].sse for k in KS]]
        )
        + f". Averaged over k, {REC} loses {np.mean([at[REC].sse / at[MIC].sse for at in mean.values()]):.2f} times as much "
        f"as {MIC} ({np.mean([at[REC].sse / at[PLAIN.format(MIC)].sse for at in mean.values()]):.2f} times as much as "
        f"the plain one), {RES} {np.mean([at[RES].sse / at[MIC].sse for at in mean.values()]):.2f} times. T12: {MIC} is "
        f"*closely followed* by {REC}."
    )
    rises = {k: mean[k][REC].sse - mean[before][REC].sse for before, k in pairwise(KS)}
    jumps = sorted(sorted(rises, key=rises.__getitem__)[-3:])
    plain = {
        k: np.mean([records(s).mask(UNWEIGHTED.changed(k=k), s).loss(MEASURE).sse_record for s in SEEDS]) for k in jumps
    }
    yield (
        f"SSE of {REC} rises most at k = {', '.join(map(str, jumps))}: by {sum(rises[k] for k in jumps):,.0f} of "
        f"{sum(rises.values()):,.0f} in all. "
        + (
            "These are the k just above 2, 4 and 8. All pairs of the least frequency move at once, and weighted distances "
            "lead them to rare ones: most pairs of one record become pairs of two, these of four, these of eight. "
            if jumps == [3, 5, 9]
            else ""
        )
        + "Not in T12: without the weights SSE at these k is "
        + ", ".join(f"{sse:,.0f} ({sse / mean[k][REC].sse - 1:+.0%})" for k, sse in plain.items())
        + "."
    )


def divergence(mean: Means) -> Iterator[str]:
    yield "### The methods compared (Fig. 38): KL divergence"
    yield (
        f"Over the pairs of both tables, each counted {SMOOTHINGS[0]} records more than it occurs; T12 does not say what it "
        "does with pairs that no longer occur (eq. 9.2 divides by 0)."
    )
    yield by_k(mean, SEMANTIC, lambda f: f.kl, 3)
    yield "\n".join(
        [
            claim(f"{REC} diverges least", mean, lambda at: at[REC].kl < min(at[MIC].kl, at[RES].kl)),
            claim(f"{RES} diverges most", mean, lambda at: at[RES].kl > max(at[REC].kl, at[MIC].kl)),
        ]
    )
    yield from what_is_left()


def left(way: str, k: int, seed: int) -> list[float]:
    """Different pairs that are shown; those of them in the original; records whose own pair is, in percent; KL."""
    data = records(seed)
    masked = data.mask(WAYS[way].changed(k=k), seed).data
    before, after = (frame.group_by(COLUMNS).len(name) for frame, name in ((data.frame, "before"), (masked, "after")))
    both = before.join(after, on=COLUMNS, how="full", coalesce=True).fill_null(0).sort(COLUMNS)
    still = both.filter((pl.col("before") > 0) & (pl.col("after") > 0))
    found = [len(after), len(still), 100 * still["before"].sum() / len(data.frame)]
    for more in SMOOTHINGS:
        f, g = ((both[name].to_numpy() + more) / (both[name] + more).sum() for name in ("before", "after"))
        found.append(float((f * np.log(f / g)).sum()))
    return found


def what_is_left(k: int = MIDDLE) -> Iterator[str]:
    mean = {way: np.mean([left(way, k, seed) for seed in SEEDS], axis=0) for way in SEMANTIC}
    yield f"Remaining pairs at k = {k}; *kept* is the percentage of the records whose own pair still occurs:"
    heads = ["", "different pairs", "of them in the original", "kept", *(f"KL, smoothing {s}" for s in SMOOTHINGS)]
    yield table(heads, [[way, *(f"{n:.0f}" for n in one[:2]), *one[2:].tolist()] for way, one in mean.items()])
    new = {way: 1 - one[1] / one[0] for way, one in mean.items()}
    orders = {tuple(sorted(mean, key=lambda way, i=i: mean[way][i])) for i in range(3, 3 + len(SMOOTHINGS))}
    yield (
        f"T12 explains its order by the new pairs that centroids make. They are {new[MIC]:.0%} of the pairs that {MIC} shows, "
        f"and {new[RES]:.0%} of those of {RES}. But {REC} has {THESIS['records'] / mean[REC][0]:.1f} records to a pair, {MIC} "
        f"{THESIS['records'] / mean[MIC][0]:.1f}: it shows {mean[MIC][0] / mean[REC][0]:.2f} times as many pairs, "
        f"{mean[MIC][1] / mean[REC][1]:.2f} times as many that are known, and {mean[MIC][2] / mean[REC][2]:.2f} times as many "
        f"records keep their own. The order of the methods is {'the same' if len(orders) == 1 else '**not** the same'} with "
        f"each of the {len(SMOOTHINGS)} smoothings."
    )


def linkage(mean: Means) -> Iterator[str]:
    yield "### Disclosure risk (Fig. 39): SRL"
    yield f"Original records linked to the nearest released ones by `{MEASURE}` (T12 eq. 8.1-8.4), in percent."
    yield by_k(mean, SEMANTIC, lambda f: f.srl, 2)
    later = [k for k in KS if k >= LOWEST_FROM]
    yield "\n".join(
        [
            claim(
                f"{RES} has the lowest linkage from k = {LOWEST_FROM} on",
                mean,
                lambda at: at[RES].srl < min(at[REC].srl, at[MIC].srl),
                later,
            ),
            claim(
                f"{REC} has the lowest at k = {KS[0]}",
                mean,
                lambda at: at[REC].srl < min(at[MIC].srl, at[RES].srl),
                KS[:1],
            ),
            claim(f"{MIC} has the highest", mean, lambda at: at[MIC].srl > max(at[REC].srl, at[RES].srl)),
            claim(
                f"{REC} is between the two for larger k (criterion: from {LOWEST_FROM} on)",
                mean,
                lambda at: at[RES].srl < at[REC].srl < at[MIC].srl,
                later,
            ),
        ]
    )


def best(at: At, alpha: float = 0.5) -> str:
    return min(METHODS, key=lambda method: at[method].score(alpha))


def score(mean: Means) -> Iterator[str]:
    yield "### Balance (Fig. 40): the score at alpha = 0.5"
    yield "L/2 + SRL/2 with L = 100 SSE / SST (T12 eq. 6.4-6.5); less is better."
    yield by_k(mean, SEMANTIC, Figures.score, 2)
    low = [k for k in KS if k <= RECODING_UP_TO]
    high = [k for k in KS if k > RECODING_UP_TO]

    def spread(way: str) -> float:
        scores = [at[way].score() for at in mean.values()]
        return max(scores) / min(scores)

    yield "\n".join(
        [
            claim(f"{REC} is best up to k = {RECODING_UP_TO}", mean, lambda at: best(at) == REC, low),
            claim(f"{MIC} is best for larger k", mean, lambda at: best(at) == MIC, high),
            claim(f"{RES} is worst", mean, lambda at: at[RES].score() > max(at[REC].score(), at[MIC].score())),
            finding(
                "T12",
                f"the score hardly changes with k (criterion: its largest value is at most {CONSTANT} times its smallest)",
                {way: spread(way) <= CONSTANT for way in SEMANTIC},
                "case",
            ),
        ]
    )
    yield "Its largest value is " + ", ".join(f"{spread(way):.2f} ({way})" for way in SEMANTIC) + " times its smallest."


def over_alpha(mean: Means) -> Iterator[str]:
    yield f"### Balance (Fig. 41): the score over alpha at k = {MIDDLE}"
    yield "The weight moves from linkage (alpha = 0) to loss (alpha = 1)."
    rows = [[f"{alpha:.1f}", *(mean[MIDDLE][way].score(alpha) for way in SEMANTIC)] for alpha in ALPHAS[::2]]
    yield table(["alpha", *SEMANTIC], rows)

    def winner(ways: Mapping[str, str], alpha: float) -> str:
        return best(in_setting(mean[MIDDLE], ways), alpha)

    yield "\n".join(
        [
            in_settings(
                f"{RES} is best at alpha = 0 and nowhere else",
                lambda ways: {alpha: (winner(ways, alpha) == RES) == (alpha == 0) for alpha in ALPHAS},
                "alpha",
            ),
            in_settings(
                f"{REC} is best for low alpha above 0 (criterion: below 0.5)",
                lambda ways: {alpha: winner(ways, alpha) == REC for alpha in ALPHAS if 0 < alpha < 0.5},
                "alpha",
            ),
            in_settings(
                f"{MIC} is best for high alpha (criterion: from 0.5 on)",
                lambda ways: {alpha: winner(ways, alpha) == MIC for alpha in ALPHAS if alpha >= 0.5},
                "alpha",
            ),
        ]
    )
    stretches = {setting: _stretches(in_setting(mean[MIDDLE], ways)) for setting, ways in SETTINGS.items()}
    yield "The best of the three is " + "; ".join(f"{told} ({setting})" for setting, told in stretches.items()) + "."


def _stretches(at: At, steps: int = 1000) -> str:
    """Who has the lowest score from which alpha on."""
    first: dict[str, float] = {}
    for step in range(steps + 1):
        first.setdefault(best(at, step / steps), step / steps)
    return ", ".join(f"{method} from alpha = {alpha:.2f} on" for method, alpha in first.items())


def milliseconds(work: Callable[[], Any]) -> float:
    """Processor time of some work."""
    began = time.process_time()
    work()
    return 1000 * (time.process_time() - began)


def seconds() -> Iterator[str]:
    yield "### Run time (Fig. 42)"
    data = records(0)
    encoded = prepare(data.frame, om.Policy(attributes=data.attributes)).table

    def mask(way: str, k: int) -> Any:
        return WAYS[way].changed(k=k).mask(encoded, np.random.default_rng(0), silent)

    for way in METHODS:
        mask(way, KS[0])  # compiled code is loaded before anything is timed
    # In rounds over all cases, of which the least counts: a busy spell of the machine must not fall on some k alone.
    rounds = [
        {(k, way): milliseconds(lambda k=k, way=way: mask(way, k)) for k in TIMED for way in METHODS}
        for _ in range(ROUNDS)
    ]
    found = {k: {way: min(one[k, way] for one in rounds) for way in METHODS} for k in TIMED}
    distances = min(milliseconds(lambda: WAYS[REC].record_distance(encoded).space(encoded)) for _ in range(ROUNDS))
    yield (
        "Milliseconds of processor time of masking sample 0 once it is read and encoded, as published, on the machine that "
        f"made this page; the least of {ROUNDS} runs."
    )
    yield table(["k", *METHODS], [[str(k), *row.values()] for k, row in found.items()], 0)
    low, high = TIMED[: len(TIMED) // 2], TIMED[-(len(TIMED) // 2) :]

    def trend(way: str) -> list[float]:
        """By round, the time at the largest k against that at the smallest."""
        return [float(np.mean([one[k, way] for k in high]) / np.mean([one[k, way] for k in low])) for one in rounds]

    yield "\n".join(
        [
            finding("T12", f"{RES} is the fastest", {k: row[RES] == min(row.values()) for k, row in found.items()}),
            finding(
                "T12",
                f"{MIC} is the slowest below k = {FASTER_FROM}",
                {k: row[MIC] == max(row.values()) for k, row in found.items() if k < FASTER_FROM},
            ),
            finding(
                "T12",
                f"from there on it is faster than {REC}",
                {k: row[MIC] < row[REC] for k, row in found.items() if k >= FASTER_FROM},
            ),
        ]
    )
    longest = max(value for row in found.values() for value in row.values())
    yield (
        f"T12 also has the time of {MIC} and {RES} fall with k, and that of {REC} stay the same. **This is not tested**: runs "
        "are so short that other programs disturb them by more. From round to round, the mean time at the three largest k "
        "is "
        + ", ".join(f"{min(trend(way)):.2f} to {max(trend(way)):.2f} ({way})" for way in METHODS)
        + f" times that at the three smallest. About {distances:.0f} milliseconds of each run are spent on the distances "
        "between all values, whatever the method and k. Recoding then finds the nearest pair without looking at every "
        f"other, and {RES} has k samples to sort, each around a centre of its own. No run takes longer than "
        f"{longest / 1000:.1f} seconds: at this size, time is not a reason to choose one of them."
    )


if __name__ == "__main__":
    show(report())
