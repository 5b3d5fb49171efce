"""Centres of nominal records (T12 4.3.5): how far is the record that stands for all from all of them?

python -m experiments.centroids
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import polars as pl

import ontomask as om
from experiments.data import Data, adult, answers
from experiments.reporting import comes_out, show, table
from ontomask.assessment.clustering import cut, ward

RANDOM_SEEDS = range(20)
ANSWER_SEEDS = range(5)
CLUSTERS = 7
SEMANTIC = {"path": "SC, path", "wu_palmer": "SC, wu_palmer", "logsc": "SC, logsc"}
OTHERS = ("random record", "most frequent record", "LCS", "consensus record")

Sums = dict[str, float]


def total(data: Data, frame: pl.DataFrame, centre: dict[str, str]) -> float:
    """The sum of logsc distances from a centre to all records (T12 eq. 4.8)."""
    shown = pl.DataFrame({name: [value] * len(frame) for name, value in centre.items()})
    return om.information_loss(frame, shown, data.attributes, measure="logsc").semantic_loss * len(frame)


def strategies(data: Data, frame: pl.DataFrame) -> Sums:
    """The sum for each way to choose the centre (T12 4.3.5.2)."""
    attributes = data.attributes
    sums = {
        name: total(data, frame, om.central_record(frame, data.with_measure(measure), "semantic"))
        for measure, name in SEMANTIC.items()
    }
    drawn = [om.central_record(frame, attributes, "random", unit="record", seed=seed) for seed in RANDOM_SEEDS]
    sums["random record"] = float(np.mean([total(data, frame, centre) for centre in drawn]))
    sums["most frequent record"] = total(data, frame, om.central_record(frame, attributes, "mode", unit="record"))
    sums["LCS"] = total(data, frame, om.central_record(frame, attributes, "lcs"))
    consensus = om.central_record(frame, attributes, "consensus", unit="record")
    sums["consensus record"] = total(data, frame, consensus)
    return sums


#: What the thesis finds in its first scenario (Fig. 10), as a test of the sums on one data set.
CLAIMS: dict[str, Callable[[Sums], bool]] = {
    "no other strategy is nearer to all than the semantic centroid (by logsc)": lambda s: all(
        s["SC, logsc"] <= s[other] + 1e-6 for other in OTHERS
    ),
    "the semantic centroid is strictly nearer than every other": lambda s: all(
        s["SC, logsc"] < s[other] - 1e-6 for other in OTHERS
    ),
    "logsc and wu_palmer choose equally good centroids": lambda s: np.isclose(s["SC, logsc"], s["SC, wu_palmer"]),
    "path chooses a worse one": lambda s: s["SC, path"] > s["SC, logsc"] * (1 + 1e-9),
    "the LCS is the worst centre of all": lambda s: s["LCS"] == max(s.values()),
    "the consensus record is better than the LCS": lambda s: s["consensus record"] < s["LCS"],
    "the most frequent record is better than a random one": lambda s: s["most frequent record"] < s["random record"],
}


def report() -> Iterator[str]:
    yield "## Centres of records (T12 4.3.5)"
    yield (
        "The sum of `logsc` distances from a centre to all records (T12 eq. 4.8), for each method of choosing the centre. "
        "SC: the semantic centroid, which takes for each column the concept of the values' hierarchy with the least sum, "
        f"measured by `path`, `wu_palmer` or `logsc`; the random record is a mean over {len(RANDOM_SEEDS)} seeds; the "
        "consensus record has the least total confusion (Guzman-Arenas). T12 prints its sums as a figure only, so that "
        "just the order can be compared."
    )
    yield "### Scenario 1: the whole data"
    by_seed = {seed: strategies(answers(seed), answers(seed).frame) for seed in ANSWER_SEEDS}
    census = strategies(adult(), adult().frame)
    rows = [
        [name, by_seed[0][name], float(np.mean([s[name] for s in by_seed.values()])), census[name]] for name in census
    ]
    heads = ["centre", "answers, seed 0", f"answers, mean of {len(ANSWER_SEEDS)} seeds", "Adult"]
    yield table(heads, rows, digits=1)
    cases = {f"answers {seed}": sums for seed, sums in by_seed.items()} | {"Adult": census}
    yield "\n".join(
        f"* T12: {said}. {comes_out({case: bool(holds(sums)) for case, sums in cases.items()}, 'data set')}"
        for said, holds in CLAIMS.items()
    )
    tied = sum(np.isclose(s["SC, logsc"], min(s[other] for other in OTHERS)) for s in cases.values())

    def saved(other: str, sets: list[Sums]) -> float:
        return float(np.mean([1 - s["SC, logsc"] / s[other] for s in sets]))

    every = list(by_seed.values())
    yield (
        f"In words: the semantic centroid is {saved('LCS', every):.0%} nearer to the answers than the LCS, "
        f"{saved('random record', every):.0%} nearer than a random record and {saved('most frequent record', every):.0%} "
        f"nearer than the most frequent one ({saved('LCS', [census]):.0%}, {saved('random record', [census]):.0%} and "
        f"{saved('most frequent record', [census]):.0%} on Adult). Where a few values dominate, one of the records can be "
        f"the optimum, and a strategy that only looks among records finds it by itself: that happens in {tied} of "
        f"{len(cases)} data sets."
    )
    yield from clusters()


def clusters() -> Iterator[str]:
    yield f"### Scenario 2: {CLUSTERS} clusters"
    data = answers(0)
    label = cut(ward(om.record_distances(data.frame, data.attributes)), CLUSTERS)
    order = np.argsort(-np.bincount(label), kind="stable")
    parts = [data.frame.filter(pl.Series(label == c)) for c in order]
    sums = [strategies(data, part) for part in parts]
    every: Sums = {name: sum(s[name] for s in sums) for name in sums[0]}
    rows = []
    for i, (part, s) in enumerate(zip(parts, sums, strict=True), 1):
        largest = int(part.group_by(pl.all()).len()["len"].max() or 0)
        rows.append([f"{i}: {len(part)} records, most frequent {largest}", *s.values()])
    rows.append(["all clusters", *every.values()])
    yield (
        f"The answers (seed 0), clustered by Ward's method on `logsc` distances and cut into {CLUSTERS} as in the thesis; "
        "each cluster has a centre of its own."
    )
    yield table(["cluster", *every], rows, digits=1)
    semantic = list(SEMANTIC.values())
    best_other = {i: min(s[o] for o in OTHERS) for i, s in enumerate(sums, 1)}
    tied = [i for i, s in enumerate(sums, 1) if np.isclose(s["SC, logsc"], best_other[i])]
    every_cluster = {f"cluster {i}": s["SC, logsc"] <= best_other[i] + 1e-9 for i, s in enumerate(sums, 1)}
    whole = min(every[o] for o in OTHERS)
    yield "\n".join(
        [
            "* T12: over all clusters the semantic centroid gives the least sum. "
            + comes_out({measure: every[name] < whole for measure, name in SEMANTIC.items()}, "measure")
            + f" (Best of the others: {whole:,.1f}; semantic: {', '.join(f'{every[s]:,.1f}' for s in semantic)}.)",
            f"* T12: no strategy is nearer than the semantic centroid in any cluster. {comes_out(every_cluster, 'cluster')}",
            "* T12: in homogeneous clusters, where one record dominates, other strategies find the same optimum. Here "
            + (f"that happens in the clusters {', '.join(map(str, tied))}." if tied else "that happens in no cluster."),
            "* T12: the LCS is the worst. "
            + comes_out({f"cluster {i}": s["LCS"] == max(s.values()) for i, s in enumerate(sums, 1)}, "cluster"),
        ]
    )


if __name__ == "__main__":
    show(report())
