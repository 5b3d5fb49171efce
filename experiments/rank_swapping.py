"""Semantic rank swapping (R17 section 4, Tables 1-6 and Figures 5-7): three algorithms and two baselines without meaning.

python -m experiments.rank_swapping
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations, pairwise, product
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

import ontomask as om
from experiments.data import Data, discharges
from experiments.reporting import finding, in_parallel, show, table
from ontomask.kernels.swapping import swap_along
from ontomask.statistics.dependence import CategoryColumn, correlation_of

KS = (2, 5, 10, 20, 50, 100)
SEEDS = range(10)
#: Variants of the product by their names in R17.
VARIANTS = {
    "Alg. 1": "fixed",
    "Alg. 2": "dynamic",
    "Alg. 3": "multivariate",
    "distributional": "distributional",
    "random": "random",
}
ONE, TWO, THREE, DISTRIBUTIONAL, RANDOM = VARIANTS
DIAGNOSIS, PROCEDURE, SECONDARY = "diagnosis", "procedure", "secondary_diagnosis"
TAXONOMIES = {DIAGNOSIS: "icd9cm", PROCEDURE: "icd9cm_procedures", SECONDARY: "icd9cm"}
#: Records, chapter and columns of what stands for R17's Dataset1-3. Benign neoplasms (210-229) are a narrow part of the
#: data with about as strong correlations as R17's second sample.
NARROW = "210-229"
SETS: dict[int, tuple[int, str | None, tuple[str, ...]]] = {
    1: (1_172, None, (DIAGNOSIS, PROCEDURE)),
    2: (1_012, NARROW, (DIAGNOSIS, PROCEDURE)),
    3: (1_012, NARROW, (DIAGNOSIS, PROCEDURE, SECONDARY)),
}
AB, AC, BC = combinations((DIAGNOSIS, PROCEDURE, SECONDARY), 2)

#: R17 Tables 2-4: RMSE of both attributes, sdCor.
PRINTED: dict[str, tuple[Sequence[float], Sequence[float], Sequence[float]]] = {
    ONE: (
        (0.4558, 0.5423, 0.5560, 0.5823, 0.6018, 0.6083),
        (0.3562, 0.3712, 0.4118, 0.4166, 0.4650, 0.5016),
        (0.2705, 0.2689, 0.2649, 0.2647, 0.2628, 0.2520),
    ),
    TWO: (
        (0.1439, 0.1887, 0.2300, 0.2782, 0.3513, 0.4062),
        (0.0544, 0.0776, 0.1014, 0.1413, 0.2153, 0.2941),
        (0.4191, 0.4092, 0.4039, 0.3648, 0.3235, 0.2800),
    ),
    THREE: (
        (0.1966, 0.2707, 0.3130, 0.3659, 0.4145, 0.4656),
        (0.0920, 0.1433, 0.1613, 0.2083, 0.2697, 0.3745),
        (0.4567, 0.4410, 0.4363, 0.4160, 0.3826, 0.3145),
    ),
}
#: R17 Tables 1, 5 and 6: the correlations of the originals.
PRINTED_CORRELATION = {1: (0.4595,), 2: (0.6392,), 3: (0.6392, 0.4229, 0.3703)}
#: R17 Tables 5-6 (Algorithm 3): RMSE of each attribute, then sdCor of each two.
PRINTED_NARROW: dict[int, list[Sequence[float]]] = {
    2: [
        (0, 0.0129, 0.0336, 0.0749, 0.1965, 0.3750),
        (0, 0.0288, 0.0810, 0.1486, 0.2300, 0.3218),
        (0.6392, 0.6383, 0.6371, 0.6238, 0.5765, 0.4658),
    ],
    3: [
        (0, 0.0106, 0.0322, 0.0866, 0.2412, 0.3951),
        (0, 0.0309, 0.0890, 0.1653, 0.2409, 0.3640),
        (0.0011, 0.0579, 0.1649, 0.2948, 0.4174, 0.5035),
        (0.6392, 0.6373, 0.6319, 0.6185, 0.5276, 0.3753),
        (0.4229, 0.4220, 0.4191, 0.4031, 0.3090, 0.2291),
        (0.3703, 0.3644, 0.3577, 0.3432, 0.2828, 0.2118),
    ],
}


#: Columns of the product's report on a run, in the order of `Run`.
REPORTED = ("candidates_mean", "without_partner", "realised_k", "changed")
TOGETHER, MIXED = "together", "random"


class Task(NamedTuple):
    data: int
    method: str
    k: int
    seed: int
    ties: str = TOGETHER


@dataclass(frozen=True)
class Run:
    """``rmse`` of each column; ``before``, ``after``: sdCor of each two. ``same``: every column holds what it held.

    ``linked``: the share of records that an intruder links by distance who knows the originals (T12 eq. 8.1-8.4).
    """

    rmse: dict[str, float]
    before: dict[tuple[str, str], float]
    after: dict[tuple[str, str], float]
    same: bool
    linked: float
    candidates: float
    alone: float
    realised: float
    changed: float

    def apart(self, pair: tuple[str, str] = AB) -> float:
        return abs(self.after[pair] - self.before[pair])


def sample(number: int, seed: int) -> Data:
    n, chapter, columns = SETS[number]
    return discharges(n, seed, columns, chapter, measure="wu_palmer", scope="attribute")


def masked(data: Data, method: str, k: int, seed: int, ties: str = TOGETHER) -> om.Result:
    sized: dict[str, Any] = {} if method == RANDOM else {"k": k, "ties": ties}
    return data.mask(om.RankSwapping(variant=VARIANTS[method], measure="wu_palmer", **sized), seed)


@dataclass(frozen=True)
class Judge:
    """What all runs on a sample share: the distances between its values, and its own correlations."""

    data: Data
    values: dict[str, pl.Series]
    tables: dict[str, NDArray[np.float64]]

    @staticmethod
    def of(data: Data) -> Judge:
        values = {name: data.frame[name].unique().sort() for name in data.frame.columns}
        tables = {
            name: om.distance_matrix(om.load_taxonomy(TAXONOMIES[name]), v.to_list(), "wu_palmer", scope="attribute")
            for name, v in values.items()
        }
        return Judge(data, values, tables)

    def codes(self, frame: pl.DataFrame) -> dict[str, NDArray[np.int64]]:
        return {name: v.search_sorted(frame[name]).to_numpy().astype(np.int64) for name, v in self.values.items()}

    def correlations(self, frame: pl.DataFrame) -> dict[tuple[str, str], float]:
        columns = {name: CategoryColumn(codes, self.tables[name]) for name, codes in self.codes(frame).items()}
        return {(a, b): correlation_of(columns[a], columns[b]) for a, b in combinations(columns, 2)}

    @cached_property
    def original(self) -> dict[tuple[str, str], float]:
        return self.correlations(self.data.frame)

    def run(self, method: str, k: int, seed: int, ties: str = TOGETHER) -> Run:
        result = masked(self.data, method, k, seed, ties)
        before, after = self.codes(self.data.frame), self.codes(result.data)
        rmse = {c: float(np.sqrt((table[before[c], after[c]] ** 2).mean())) for c, table in self.tables.items()}
        same = all(np.array_equal(np.sort(before[c]), np.sort(after[c])) for c in before)
        means = [float(result.diagnostics.table[name].mean()) for name in REPORTED]
        linked = om.record_linkage(self.data.frame, result.data, self.data.attributes)
        return Run(rmse, self.original, self.correlations(result.data), same, linked, *means)


@cache
def judge(number: int, seed: int) -> Judge:
    return Judge.of(sample(number, seed))


def job(task: Task) -> Run:
    return judge(task.data, task.seed).run(task.method, task.k, task.seed, task.ties)


Figure = Callable[[Run], float]


class Runs:
    """All runs at once, and means over samples."""

    def __init__(self) -> None:
        swaps = [Task(1, m, k, s) for s, m, k in product(SEEDS, VARIANTS, KS) if m != RANDOM]
        swaps += [Task(1, RANDOM, 0, s) for s in SEEDS]  # it has no k
        swaps += [Task(d, THREE, k, s) for s, d, k in product(SEEDS, (2, 3), KS)]
        swaps += [task._replace(ties=MIXED) for task in swaps if task.method != RANDOM and task.data < 3]
        self.every = in_parallel(job, swaps)

    def mean(self, data: int, method: str, k: int, figure: Figure, ties: str = TOGETHER) -> float:
        if method == RANDOM:
            k, ties = 0, TOGETHER
        return float(np.mean([figure(self.every[Task(data, method, k, s, ties)]) for s in SEEDS]))

    def original(self, data: int, pair: tuple[str, str] = AB) -> float:
        return self.mean(data, THREE, KS[0], lambda r: r.before[pair])


def report() -> Iterator[str]:
    yield "## Rank swapping (R17 section 4)"
    yield (
        "Alg. 1 to 3 are the variants `fixed`, `dynamic` and `multivariate`; `distributional` and `random` are R17's "
        "baselines. Values are swapped and evaluated by `wu_palmer` in the tree of the attribute, as in R17. Equal values are "
        "ranked together (`ties: together`, the default), unless stated otherwise. Every figure is the "
        f"mean of {len(SEEDS)} seeds, each with a sample of its own. R17 ran one sample, in SNOMED-CT."
    )
    runs = Runs()
    yield from the_samples(runs)
    yield from compared(runs)
    yield from univariate(runs)
    yield from ties(runs)
    yield from candidates(runs)
    yield from narrow(runs)


def the_samples(runs: Runs) -> Iterator[str]:
    yield "### The samples (R17 Table 1, 4.3)"
    theirs = {1: (783, 430, None), 2: (55, 94, None), 3: (55, 94, None)}
    rows = []
    for number, (n, chapter, columns) in SETS.items():
        frames = [sample(number, s).frame for s in SEEDS]
        distinct = [float(np.mean([f[c].n_unique() for f in frames])) for c in columns]
        cor = [f"{runs.original(number, pair):.2f}" for pair in combinations(columns, 2)]
        said = ", ".join(str(v) for v in theirs[number] if v is not None)
        rows.append(
            [
                f"Dataset{number}",
                f"{n:,}, {'all chapters' if chapter is None else chapter}",
                ", ".join(f"{d:.0f}" for d in distinct),
                said,
                ", ".join(cor),
                ", ".join(f"{c:.2f}" for c in PRINTED_CORRELATION[number]),
            ]
        )
    yield table(["", "records", "distinct values", "R17", "sdCor of each two", "R17"], rows)
    yield (
        "Columns are principal diagnosis, procedure and, in Dataset3, secondary diagnosis. Dataset2 and 3 are benign "
        f"neoplasms ({NARROW}): of some ninety branches of our data it was chosen by its categories and correlations, before "
        "anything was swapped, as the nearest to R17's second sample."
    )


def compared(runs: Runs) -> Iterator[str]:
    figures: dict[str, Figure] = {
        "RMSE of the diagnosis (R17 Figure 5)": lambda r: r.rmse[DIAGNOSIS],
        "RMSE of the procedure (R17 Figure 6)": lambda r: r.rmse[PROCEDURE],
        "sdCor of the two after swapping (R17 Figure 7)": lambda r: r.after[AB],
        "Absolute difference of sdCor to that of the originals": lambda r: r.apart(),
    }
    yield "### Dataset1: five methods (R17 Tables 2-4, Figures 5-7)"
    for i, (what, figure) in enumerate(figures.items()):
        rows = []
        for at, k in enumerate(KS):
            ours = [runs.mean(1, m, k, figure) for m in VARIANTS]
            theirs = [_theirs(m, min(i, 2), at) for m in (ONE, TWO, THREE)]
            if i == 3:
                theirs = [abs(t - PRINTED_CORRELATION[1][0]) for t in theirs]
            rows.append([f"{k}", *ours, *theirs])
        was = f"; of the originals it is {runs.original(1):.4f}, in R17 {PRINTED_CORRELATION[1][0]}" if i == 2 else ""
        yield f"{what}{was}:"
        yield table(["k", *VARIANTS, *(f"R17: {m}" for m in (ONE, TWO, THREE))], rows, digits=4)
    yield "\n".join(claims(runs.mean))


def _theirs(method: str, figure: int, at: int) -> float:
    return PRINTED[method][figure][at]


def claims(mean: Callable[[int, str, int, Figure], float]) -> Iterator[str]:
    """What R17 reads from its tables and figures, at each k."""
    rmse: dict[str, Figure] = {DIAGNOSIS: lambda r: r.rmse[DIAGNOSIS], PROCEDURE: lambda r: r.rmse[PROCEDURE]}

    def apart(method: str, k: int) -> float:
        return mean(1, method, k, Run.apart)

    for column, figure in rmse.items():
        for one, other, said in (
            (TWO, THREE, "Alg. 2 loses less than Alg. 3"),
            (THREE, ONE, "Alg. 3 loses less than Alg. 1"),
            (ONE, RANDOM, "Alg. 1 loses less than random swapping"),
            (THREE, DISTRIBUTIONAL, "Alg. 3 (and so Alg. 2) loses less than distributional swapping"),
            (ONE, DISTRIBUTIONAL, "Alg. 1 loses a little less than distributional swapping"),
        ):
            holds = {k: mean(1, one, k, figure) <= mean(1, other, k, figure) for k in KS}
            yield finding("R17", f"{said} (RMSE of the {column})", holds)
        for method in (ONE, TWO, THREE):
            grows = {k: mean(1, method, k, figure) > mean(1, method, last, figure) for last, k in pairwise(KS)}
            yield finding("R17", f"the larger k, the larger RMSE ({method}, {column})", grows)
    for one, other, said in (
        (THREE, TWO, "Alg. 3 keeps the correlation better than Alg. 2"),
        (TWO, ONE, "Alg. 2 keeps it better than Alg. 1"),
        (ONE, DISTRIBUTIONAL, "Alg. 1 keeps it better than distributional swapping"),
        (ONE, RANDOM, "Alg. 1 keeps it better than random swapping"),
    ):
        yield finding("R17", f"{said} (|sdCor difference|)", {k: apart(one, k) <= apart(other, k) for k in KS})


def univariate(runs: Runs) -> Iterator[str]:
    yield "### Single columns"
    cases = [(1, m, k) for m, k in product(VARIANTS, KS) if m != RANDOM] + [(1, RANDOM, 0)]
    cases += [(d, THREE, k) for d, k in product((2, 3), KS)]
    drifts, spreads = {}, {}
    for number, method, k in cases:
        kept = masked(sample(number, 0), method, k, 0).preservation(samples=0)
        drifts[number, method, k] = float(kept.means["drift"].max())
        spreads[number, method, k] = float(kept.dependence.filter(pl.col("statistic") == "sdVar")["difference"].max())
    whole = sum(run.same for run in runs.every.values())
    yield "\n".join(
        [
            finding(
                "R17",
                "the semantic mean and sdVar of every column are exactly preserved (first sample, to rounding)",
                {case: drifts[case] == 0 and spreads[case] < 1e-12 for case in cases},
                "run",
            ),
            f"* In {whole:,} of all {len(runs.every):,} runs every column has exactly the values that it had before.",
        ]
    )
    means = masked(sample(1, 0), THREE, KS[0], 0).preservation(samples=0).means
    yield (
        "The semantic means of our Dataset1 (first sample): "
        + ", ".join(
            f"{c} *{om.load_taxonomy(TAXONOMIES[c]).label(v)}*" for c, v in means.select("attribute", "original").rows()
        )
        + ". R17's: *Acute appendicitis with peritoneal abscess*, *Endoscopic division of adhesions of peritoneum*."
    )


def ties(runs: Runs) -> Iterator[str]:
    yield "### Equally far records"
    rows = []
    for column in (DIAGNOSIS, PROCEDURE):
        every = [reference(sample(1, s).frame[column], TAXONOMIES[column]) for s in SEEDS]
        values, distances, share = (float(np.mean([e[i] for e in every])) for i in range(3))
        rows.append([column, values, distances, f"{share:.0%}"])
    yield (
        "Algorithm 1 ranks values by their distance from the most distant one. In ICD-9-CM most values have only the root in "
        "common with it, and hardly any distances are different:"
    )
    yield table(["", "distinct values", "different distances", "records at the most frequent distance"], rows, digits=1)
    yield (
        "R17 says that tied values hold neighbouring positions, not in which order. `ties: together` ranks equal values one "
        "after the other and different values in random order; `ties: random` all equally far records in random order. The "
        "figures are of the diagnosis (RMSE), of both columns (sdCor difference, realised k, changed values), of the two "
        "together (linkage: records that an intruder links by distance):"
    )
    figures: dict[str, tuple[Figure, str]] = {
        "RMSE": (lambda r: r.rmse[DIAGNOSIS], ".3f"),
        "sdCor difference": (Run.apart, ".3f"),
        "changed": (lambda r: r.changed, ".0%"),
        "realised k": (lambda r: r.realised, ".1f"),
        "linkage": (lambda r: r.linked, ".1%"),
    }
    rows = [
        [method, f"{k}"]
        + [
            f"{runs.mean(1, method, k, figure, how):{form}}"
            for how in (TOGETHER, MIXED)
            for figure, form in figures.values()
        ]
        for method, k in product((ONE, DISTRIBUTIONAL, TWO, THREE), (2, 10, 50))
    ]
    yield table(["", "k", *figures, *(f"random: {name}" for name in figures)], rows)
    lines = []
    for column in (DIAGNOSIS, PROCEDURE):

        def rmse(run: Run, column: str = column) -> float:
            return run.rmse[column]

        grows = {
            k: runs.mean(1, ONE, k, rmse, MIXED) > runs.mean(1, ONE, last, rmse, MIXED) for last, k in pairwise(KS)
        }
        less = {k: runs.mean(1, ONE, k, rmse, MIXED) <= runs.mean(1, DISTRIBUTIONAL, k, rmse, MIXED) for k in KS}
        lines.append(finding("R17", f"with random ties: the larger k, the larger RMSE (Alg. 1, {column})", grows))
        lines.append(
            finding("R17", f"with random ties: Alg. 1 loses less than distributional swapping ({column})", less)
        )
    yield "\n".join(lines)
    ordered = {
        (column, k): float(np.mean([in_order(column, k, s) for s in SEEDS]))
        for column, k in product((DIAGNOSIS, PROCEDURE), KS)
    }
    rows = [
        [f"{k}", ordered[DIAGNOSIS, k], ordered[PROCEDURE, k], PRINTED[ONE][0][at], PRINTED[ONE][1][at]]
        for at, k in enumerate(KS)
    ]
    yield (
        "If equally far values were ranked in the order of their codes, in which neighbours have much in common (the "
        "product does not offer this), RMSE of Algorithm 1 would be:"
    )
    yield table(["k", DIAGNOSIS, PROCEDURE, f"R17: {DIAGNOSIS}", f"R17: {PROCEDURE}"], rows, digits=4)
    lines = []
    for column in (DIAGNOSIS, PROCEDURE):
        less = {k: ordered[column, k] <= runs.mean(1, DISTRIBUTIONAL, k, lambda r, c=column: r.rmse[c]) for k in KS}
        said = f"with ties in the order of codes: Alg. 1 loses less than distributional swapping ({column})"
        lines.append(finding("R17", said, less))
    yield "\n".join(lines)


def in_order(column: str, k: int, seed: int) -> float:
    """RMSE of Algorithm 1 where equally far values stand in the order of their codes."""
    one = judge(1, seed)
    codes, apart = one.codes(one.data.frame)[column], one.tables[column]
    off = np.round(apart[int(np.argmax(apart @ np.bincount(codes)))], 9)
    chance = np.random.default_rng(seed)
    shuffled = chance.permutation(len(codes))
    source = np.arange(len(codes))
    ranking = shuffled[np.lexsort((codes[shuffled], off[codes[shuffled]]))]
    swap_along(ranking, k, chance, source, np.zeros_like(source))
    return float(np.sqrt((apart[codes, codes[source]] ** 2).mean()))


def reference(column: pl.Series, taxonomy: str) -> tuple[int, int, float]:
    """Distinct values, different distances from the most distant one, and the share of records at one of them."""
    counts = column.value_counts()
    values, often = counts[column.name].to_list(), counts["count"].to_numpy()
    apart = om.distance_matrix(om.load_taxonomy(taxonomy), values, "wu_palmer", scope="attribute")
    distances, place = np.unique(np.round(apart[int(np.argmax(apart @ often))], 9), return_inverse=True)
    return len(values), len(distances), float(np.bincount(place, weights=often).max() / often.sum())


def candidates(runs: Runs) -> Iterator[str]:
    yield "### Candidates"
    yield (
        "R17 3.5 assumes k candidates for each value. Free candidates on Dataset1 (mean of both columns; *realised k* is "
        "one over the mean chance to guess the partner; a value without one is found for certain):"
    )
    rows = []
    for k in KS:
        row: list[Any] = [f"{k}"]
        for method in (ONE, TWO, THREE):
            row += [runs.mean(1, method, k, lambda r: r.candidates), runs.mean(1, method, k, lambda r: r.realised)]
            row.append(f"{runs.mean(1, method, k, lambda r: r.alone):.1%}")
        rows.append(row)
    heads = [f"{m}: {what}" for m in (ONE, TWO, THREE) for what in ("candidates", "realised k", "without")]
    yield table(["k", *heads], rows, digits=1)
    holds = {k: runs.mean(1, THREE, k, lambda r: r.realised) >= k for k in KS}
    yield finding("R17", "the chance to find the original of a value is at most 1/k (Alg. 3, on average)", holds)


def narrow(runs: Runs) -> Iterator[str]:
    for number, which in ((2, "5"), (3, "6")):
        columns = SETS[number][2]
        pairs = list(combinations(columns, 2))
        yield f"### Dataset{number}: Algorithm 3 on {len(columns)} correlated attributes (R17 Table {which})"
        figures: dict[str, Figure] = {f"RMSE of {c}": lambda r, c=c: r.rmse[c] for c in columns}
        figures |= {f"sdCor of {a} and {b}": lambda r, p=(a, b): r.after[p] for a, b in pairs}
        rows = []
        for (what, figure), printed in zip(figures.items(), PRINTED_NARROW[number], strict=True):
            rows.append([what, *(f"{runs.mean(number, THREE, k, figure):.4f}" for k in KS)])
            rows.append(["R17", *(f"{value:.4f}" for value in printed)])
        was = [
            f"{runs.original(number, pair):.4f} ({p:.4f})"
            for pair, p in zip(pairs, PRINTED_CORRELATION[number], strict=True)
        ]
        yield f"sdCor of the originals, R17's in brackets: {', '.join(was)}."
        yield table(["k", *(f"{k}" for k in KS)], rows)
    lines = [
        finding(
            "R17",
            f"correlations are lost in proportion to k (|sdCor difference| of Dataset{number} grows)",
            {
                k: all(
                    runs.mean(number, THREE, k, lambda r, p=p: r.apart(p))
                    > runs.mean(number, THREE, last, lambda r, p=p: r.apart(p))
                    for p in combinations(SETS[number][2], 2)
                )
                for last, k in pairwise(KS)
            },
        )
        for number in (2, 3)
    ]
    for column in (DIAGNOSIS, PROCEDURE):
        worse = {
            k: runs.mean(3, THREE, k, lambda r, c=column: r.rmse[c])
            >= runs.mean(2, THREE, k, lambda r, c=column: r.rmse[c])
            for k in KS
        }
        lines.append(finding("R17", f"a third attribute makes the others slightly worse (RMSE of the {column})", worse))
    lines.append(
        finding(
            "R17",
            "... and their correlation",
            {k: runs.mean(3, THREE, k, Run.apart) >= runs.mean(2, THREE, k, Run.apart) for k in KS},
        )
    )
    lines.append(finding("R17", "at k = 2 nothing changes (RMSE 0 on Dataset2)", {2: _rmse(runs, 2) == 0}))
    kept, errors = repeated()
    lines.append(
        finding(
            "R17",
            "the same on the records whose pair occurs three times or more",
            dict(enumerate(e == 0 for e in errors)),
            "sample",
        )
    )
    yield "\n".join(lines)
    yield (
        "R17 explains that nothing changes at k = 2 by every pair of values being more frequent than that; here this "
        f"is true only after rare pairs are removed (which leaves {kept:.0f} of {SETS[2][0]:,} records on average)."
    )


def _rmse(runs: Runs, k: int) -> float:
    return max(runs.mean(2, THREE, k, lambda r, c=c: r.rmse[c]) for c in (DIAGNOSIS, PROCEDURE))


def repeated() -> tuple[float, list[float]]:
    """Dataset2 without rare pairs: how many records are left, and the largest RMSE at k = 2 of each sample."""
    kept, errors = [], []
    for seed in SEEDS:
        whole = sample(2, seed)
        frame = whole.frame.filter(pl.len().over(DIAGNOSIS, PROCEDURE) >= 3)
        result = masked(Data(whole.name, frame, whole.attributes), THREE, 2, seed)
        kept.append(len(frame))
        errors.append(max(result.loss().rmse.values()))
    return float(np.mean(kept)), errors


if __name__ == "__main__":
    show(report())
