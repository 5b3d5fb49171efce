"""Shuffling and MicroHybrid against multiple imputation (D12 section 4, Tables 1-2).

python -m experiments.shuffling
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any, NamedTuple

import numpy as np

import ontomask as om
from experiments.data import Data, discharges
from experiments.reporting import finding, in_parallel, show, table

RECORDS = 19_502
SEEDS = range(5)
COLUMNS = ("age", "sex", "race", "length_of_stay", "charge", "diagnosis")
#: D12's choice, and smaller ones.
GROUP = 600
GROUPS = (10, 60, 200, GROUP)
IMPUTATION, UNBOUNDED, BY_RANKS = "multiple imputation", "imputation, unbounded", "imputation by ranks"
SHUFFLING, CORRECTED = "shuffling", "shuffling, ties corrected"
HYBRID = "MicroHybrid"
METHODS = (IMPUTATION, SHUFFLING, HYBRID, UNBOUNDED, BY_RANKS, CORRECTED)
#: D12's benchmark takes numbers as they are.
IMPUTATIONS: dict[str, Any] = {
    IMPUTATION: om.Imputation(model="linear", measure="weighted_edge"),
    UNBOUNDED: om.Imputation(model="linear", bounded=False, measure="weighted_edge"),
    BY_RANKS: om.Imputation(model="normal", measure="weighted_edge"),
}

Statistic = tuple[str, str, str | None]

#: D12 Tables 1 and 2: variation on all records, and on average over 10% samples; imputation, shuffling, MicroHybrid.
PRINTED: dict[Statistic, tuple[tuple[float | None, ...], tuple[float | None, ...]]] = {
    ("mean", "age", None): ((0.00042, 0, 0.03627), (0.00654, 0.00757, 0.03644)),
    ("mean", "sex", None): ((0.00373, 0, 0.01349), (0.03060, 0.02450, 0.03044)),
    ("mean", "race", None): ((0.00033, 0, 0.01532), (0.05581, 0.05649, 0.05370)),
    ("mean", "length_of_stay", None): ((0.26345, 0, 0.57532), (0.26409, 0.03139, 0.57156)),
    ("mean", "charge", None): ((0.44923, 0, 0.91774), (0.45352, 0.03406, 0.89759)),
    ("mean", "diagnosis", None): ((None, 0, 0.00210), (None, 0.00573, 0.00745)),
    ("variance", "age", None): ((0.00785, 0, 0.02612), (0.04109, 0.03975, 0.02969)),
    ("variance", "sex", None): ((0.00124, 0, 0.00465), (0.01028, 0.00822, 0.01047)),
    ("variance", "race", None): ((0.00011, 0, 0.01362), (0.04925, 0.04996, 0.04747)),
    ("variance", "length_of_stay", None): ((0.24603, 0, 7.54256), (0.26744, 0.29376, 7.86135)),
    ("variance", "charge", None): ((0.37275, 0, 19.81236), (0.32469, 0.40743, 21.53582)),
    ("variance", "diagnosis", None): ((None, 0, 0.00197), (None, 0, 0.00296)),
    ("covariance", "age", "length_of_stay"): ((5.56559, 33.69468, 162.38189), (6.11472, 11.01168, 159.34892)),
    ("covariance", "age", "charge"): ((0.12300, 1.60121, 11.15957), (1.50547, 1.94719, 20.94929)),
    ("covariance", "sex", "race"): ((0.00064, 0.00059, 0.00514), (0.02942, 0.02984, 0.02772)),
    ("covariance", "sex", "diagnosis"): ((None, 0.00006, 0.00205), (None, 0.00546, 0.00674)),
    ("covariance", "race", "diagnosis"): ((None, 0.00005, 0.00914), (None, 0.02924, 0.02821)),
    ("covariance", "length_of_stay", "charge"): ((0.34455, 0.11783, 11.58553), (0.35682, 0.28189, 12.32575)),
}
#: Correct links in percent.
PRINTED_LINKAGE = {IMPUTATION: 0.015382, SHUFFLING: 0.005127, HYBRID: 0.03589}
WHOLE, SAMPLES = "on all records", "on 10% samples"


class Task(NamedTuple):
    method: str
    k: int
    seed: int


class Run(NamedTuple):
    """``variation`` of each statistic on all records and on samples; ``linkage`` by mean distance and by S-distance."""

    variation: dict[Statistic, tuple[float, float]]
    linkage: tuple[float, float]


def data(seed: int, role: str = "quasi") -> Data:
    return discharges(RECORDS, seed, COLUMNS, "neoplasms", role=role, measure="weighted_edge")


def masked(task: Task) -> tuple[Data, Any]:
    """The data, and what a method makes of them."""
    if task.method == HYBRID:
        method: Any = om.Microaggregation.preset("micro_hybrid", k=task.k)
        return data(task.seed), data(task.seed).mask(method, task.seed).data
    if task.method in IMPUTATIONS:
        method = IMPUTATIONS[task.method]
    else:
        method = om.Shuffling(measure="weighted_edge", ties="corrected" if task.method == CORRECTED else "published")
    return data(task.seed), data(task.seed, "sensitive").mask(method, task.seed).data


def job(task: Task) -> Run:
    before, after = masked(task)
    kept = om.preservation(before.frame, after, before.attributes, samples=100, share=0.1, seed=task.seed).statistics
    rows = kept.select("statistic", "attribute", "with", "delta", "delta_samples").rows()
    links = [
        100 * om.record_linkage(before.frame, after, before.attributes, "masked_distance", distance=distance)
        for distance in ("mean", "s")
    ]
    return Run({row[:3]: row[3:] for row in rows}, (links[0], links[1]))


class Runs:
    """All runs at once, and means over seeds."""

    def __init__(self) -> None:
        tasks = [Task(m, GROUP if m == HYBRID else 0, s) for s, m in product(SEEDS, METHODS)]
        tasks += [Task(HYBRID, k, s) for s, k in product(SEEDS, GROUPS) if k != GROUP]
        self.every = in_parallel(job, tasks)

    def runs(self, method: str, k: int = GROUP) -> list[Run]:
        return [self.every[Task(method, k if method == HYBRID else 0, s)] for s in SEEDS]

    def variation(self, method: str, part: int, k: int = GROUP) -> dict[Statistic, float]:
        runs = self.runs(method, k)
        return {which: float(np.mean([r.variation[which][part] for r in runs])) for which in runs[0].variation}

    def linkage(self, method: str, kind: int, k: int = GROUP) -> float:
        return float(np.mean([run.linkage[kind] for run in self.runs(method, k)]))


def said(which: Statistic) -> str:
    statistic, one, other = which
    return f"{statistic} of {one}" + (f" and {other}" if other else "")


def report() -> Iterator[str]:
    yield "## Shuffling and MicroHybrid (D12 section 4)"
    yield (
        f"{RECORDS:,} neoplasms with six attributes, all masked; diagnoses by their marginality under `weighted_edge`. "
        f"Mean of {len(SEEDS)} seeds, each with a sample of its own. *Multiple imputation* is "
        '`om.Imputation(model="linear")`: all columns are drawn one after the other, each number within its range. '
        "*Unbounded* lets numbers fall where the normal distribution puts them, stays below 0 days included. D12 uses IVEware, "
        "without the diagnosis, and does not say which it did; we show the bounded one beside its figures, and test "
        'against both. *By ranks* is `om.Imputation(model="normal")`, the product\'s default. *Shuffling* is '
        '`om.Shuffling(ties="published")`, *ties corrected* the product\'s default. *MicroHybrid* is the preset '
        f"`micro_hybrid`, k = {GROUP}."
    )
    runs = Runs()
    for part, (where, number) in enumerate(((WHOLE, 1), (SAMPLES, 2))):
        found = {method: runs.variation(method, part) for method in METHODS}
        yield f"### Variation {where} (D12 Table {number})"
        yield variations(found, part)
        yield "\n".join(claims(found, part))
    yield (
        "D12's numbers vary far more under MicroHybrid than ours: a value is drawn from all distinct ones that its group "
        "reaches. Probably real stays and charges reach farther than ours; M13's far larger SSE of charges, on the same data "
        "as D12, suggests this."
    )
    yield from linkage(runs)
    yield from group_sizes(runs)


def variations(found: Mapping[str, Mapping[Statistic, float]], part: int) -> str:
    rows = []
    for which, printed in PRINTED.items():
        row: list[Any] = [said(which)]
        for method, theirs in zip((IMPUTATION, SHUFFLING, HYBRID), printed[part], strict=True):
            row += [_figure(found[method].get(which)), _figure(theirs)]
        rows.append([*row, *(_figure(found[method].get(which)) for method in (UNBOUNDED, BY_RANKS, CORRECTED))])
    heads = [head for method in (IMPUTATION, SHUFFLING, HYBRID) for head in (method, "D12")]
    return table(["", *heads, UNBOUNDED, BY_RANKS, CORRECTED], rows)


def _figure(value: float | None) -> str:
    return "-" if value is None else "0" if value == 0 else f"{value:.5f}"


def claims(found: Mapping[str, Mapping[Statistic, float]], part: int) -> Iterator[str]:
    """What D12 reads from its tables, for each statistic."""

    def better(one: str, other: str) -> dict[str, bool]:
        # D12 could not impute the diagnosis, and says nothing of it.
        stated = [which for which in PRINTED if other not in IMPUTATIONS or PRINTED[which][part][0] is not None]
        return {said(which): found[one][which] <= found[other][which] for which in stated}

    if part == 0:
        exact = {said(w): found[SHUFFLING][w] == 0 == found[CORRECTED][w] for w in PRINTED if w[0] != "covariance"}
        yield finding("D12", "shuffling changes no mean and no variance (exactly 0)", exact, "statistic")
        yield finding(
            "D12",
            "shuffling is better than multiple imputation, but for the covariances of age",
            {w: held for w, held in better(SHUFFLING, IMPUTATION).items() if "covariance of age" not in w},
            "statistic",
        )
        yield finding(
            "D12",
            "multiple imputation is better for the covariances of age",
            {w: not held for w, held in better(SHUFFLING, IMPUTATION).items() if "covariance of age" in w},
            "statistic",
        )
        for benchmark in (IMPUTATION, UNBOUNDED):
            worse = _not(better(HYBRID, benchmark))
            yield finding("D12", f"MicroHybrid is worse than multiple imputation (*{benchmark}*)", worse, "statistic")
        said_so = f"shuffling is better than multiple imputation, but for the covariances of age (*{UNBOUNDED}*)"
        others = {w: held for w, held in better(SHUFFLING, UNBOUNDED).items() if "covariance of age" not in w}
        yield finding("D12", said_so, others, "statistic")
    else:
        yield finding(
            "D12",
            "shuffling no longer preserves means and variances exactly",
            {said(w): found[SHUFFLING][w] > 0 for w in PRINTED if w[0] != "covariance"},
            "statistic",
        )
    yield finding("D12", "shuffling is better than MicroHybrid", better(SHUFFLING, HYBRID), "statistic")


def _not(holds: Mapping[str, bool]) -> dict[str, bool]:
    return {case: not held for case, held in holds.items()}


def linkage(runs: Runs) -> Iterator[str]:
    yield "### Linkage"
    yield (
        "Released records that are linked to their own original as the closest one, in percent of all, by the mean distance "
        "of the columns and by the S-distance; in brackets how many records these are. Chance alone links one record, "
        f"{100 / RECORDS:.6f}%: what D12 prints are 3, 1 and 7 records."
    )
    rows = []
    for method in METHODS:
        ours = [runs.linkage(method, kind) for kind in range(2)]
        theirs = PRINTED_LINKAGE.get(method)
        cells = [f"{o:.5f} ({o * RECORDS / 100:.1f})" for o in ours]
        rows.append([method, *cells, "-" if theirs is None else f"{theirs:.6f} ({theirs * RECORDS / 100:.0f})"])
    yield table(["", "mean distance", "S-distance", "D12"], rows)
    kinds = ("mean distance", "S-distance")
    linked = {method: [runs.linkage(method, kind) for kind in range(2)] for method in METHODS}
    yield "\n".join(
        [
            finding(
                "D12",
                "shuffling links fewer than multiple imputation does",
                {kind: linked[SHUFFLING][i] <= linked[IMPUTATION][i] for i, kind in enumerate(kinds)},
                "distance",
            ),
            finding(
                "D12",
                f"MicroHybrid with k = {GROUP} still links more than either",
                {
                    kind: linked[HYBRID][i] > max(linked[SHUFFLING][i], linked[IMPUTATION][i])
                    for i, kind in enumerate(kinds)
                },
                "distance",
            ),
        ]
    )
    least = max(max(linked[method]) for method in (IMPUTATION, SHUFFLING)) * RECORDS / 100
    if least < 3:
        yield (
            "Neither imputation nor shuffling of all columns uses a record's own values to draw its new ones: what is "
            f"linked is linked by chance ({least:.1f} records at most, on average), and so is which of them links fewer, "
            "here and in D12."
        )


def group_sizes(runs: Runs) -> Iterator[str]:
    yield "### MicroHybrid with smaller groups"
    yield (
        "D12: the smaller k, the better MicroHybrid preserves statistics on random samples. The mean over all statistics of "
        "the variation, how many statistics vary as much as at the k before or more, and records linked by mean distance:"
    )
    rows, holds = [], {}
    before: dict[Statistic, float] | None = None
    for k in GROUPS:
        parts = [runs.variation(HYBRID, part, k) for part in range(2)]
        worse = None if before is None else sum(parts[1][w] >= before[w] for w in before)
        rows.append(
            [
                f"{k}",
                *(float(np.mean(list(part.values()))) for part in parts),
                "-" if worse is None else f"{worse} of {len(parts[1])}",
                f"{runs.linkage(HYBRID, 0, k) * RECORDS / 100:.1f}",
            ]
        )
        if before is not None:
            holds[k] = bool(np.mean(list(parts[1].values())) >= np.mean(list(before.values())))
        before = parts[1]
    yield table(["k", WHOLE, SAMPLES, "statistics that vary no less than before", "records linked"], rows, digits=3)
    yield finding("D12", "the smaller k, the less statistics vary on samples (on average)", holds)


if __name__ == "__main__":
    show(report())
