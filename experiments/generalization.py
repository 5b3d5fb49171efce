"""Generalization (T12 chapter 8): two hierarchies of different depth, semantic against matching linkage, risk and loss.

python -m experiments.generalization
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

import ontomask as om
from experiments.data import NOUNS, answers
from experiments.reporting import finding, show, table
from ontomask.assessment.linkage import linkage_of
from ontomask.assessment.pairing import Pairing, pair_frames
from ontomask.operators.record_distance import RecordDistance

#: The measures of T12 8.4.3, as chapter 3 defines them.
MEASURES: dict[str, dict[str, Any]] = {"path": {}, "wu_palmer": {"depth": "edges"}, "logsc": {}}
SEMANTIC, MATCHING, LOSS = "logsc", "matching", "loss"
VGHS = ("VGH2", "VGH3")
#: How deep in WordNet (the root: 1) the levels below the top are; VGH2 has the second of them only.
CUTS = (7, 4)
OTHER_CUTS = ((6, 3), (8, 5))
KS = tuple(range(2, 21))
SOME_KS = (2, 5, 20)
SEEDS = range(5)
#: Where T12 says that SRL is almost twice MRL, and from where on we call it that.
MIDDLE, ALMOST_TWICE = range(4, 9), 1.75
#: What we call a minor difference.
MINOR = 0.10
LIMIT = 0.1

Run = Mapping[str, float]  # SRL by measure and MRL in percent, semantic loss
Means = Mapping[tuple[str, int], Run]  # by hierarchy and k, over the data sets


@cache
def chain(sense: str) -> tuple[str, ...]:
    """A concept and those above it up to the root; of several parents the deepest."""
    wordnet = om.load_taxonomy("wordnet")
    found = [sense]
    while found[-1] != wordnet.root:
        found.append(max(wordnet.parents(found[-1]), key=wordnet.depth))
    return tuple(found)


def levels(noun: str, depths: Sequence[int]) -> list[str]:
    """What stands for a noun at each level: the concept of its chain that is at most so deep."""
    depth = om.load_taxonomy("wordnet").depth
    return [next(concept for concept in chain(NOUNS[noun][0]) if depth(concept) <= most) for most in depths]


def depths_of(vgh: str, cuts: Sequence[int]) -> list[int]:
    return [*(cuts if vgh == "VGH3" else cuts[1:]), 1]


def write_hierarchy(path: Path, depths: Sequence[int]) -> None:
    path.write_text("".join(";".join([noun, *levels(noun, depths)]) + "\n" for noun in NOUNS), encoding="utf-8")


def semantic_loss(pairing: Pairing) -> float:
    """``Loss.semantic_loss`` (T12 eq. 8.7) without the rest of a `Loss`, which takes most of its time."""
    apart = RecordDistance.of(pairing.original).pairs(pairing.centres("original"), pairing.centres("masked"))
    return (float((pairing.records * apart).sum()) + pairing.gone) / pairing.n


def run(path: Path, k: int, seed: int, measures: Sequence[str], *, flat: bool = True, **options: Any) -> Run:
    """Mask by a hierarchy alone, then judge the released values by WordNet, as T12 does.

    Not ``flat``: near records are found by WordNet, too.
    """
    data = answers(seed)
    method = om.Generalization(
        loss="steps", hierarchies={name: om.LevelsFile(path=str(path)) for name in data.attributes}, **options
    )
    result = om.anonymize(
        data.frame,
        om.Policy(
            attributes={name: om.Flat() for name in data.attributes} if flat else data.attributes,
            method=method,
            require=[om.KAnonymity(k=k)],
        ),
        seed=seed,
    )
    pairing = pair_frames(data.frame, result.data, data.attributes, result.records.tolist())
    found = {m: 100 * linkage_of(pairing.measured(m, MEASURES[m]), workers=1) for m in measures}
    found[MATCHING] = 100 * linkage_of(pairing, "matching")
    found[LOSS] = semantic_loss(pairing.measured(SEMANTIC, MEASURES[SEMANTIC]))
    found["removed"] = 100 * len(result.removed) / len(data.frame)
    found["classes"] = float(result.data.n_unique())
    return found


def runs(
    cuts: Sequence[int], ks: Sequence[int], measures: Sequence[str], **options: Any
) -> dict[tuple[str, int, int], Run]:
    """By hierarchy, k and seed."""
    with tempfile.TemporaryDirectory() as folder:
        paths = {vgh: Path(folder) / f"{vgh}.csv" for vgh in VGHS}
        for vgh, path in paths.items():
            write_hierarchy(path, depths_of(vgh, cuts))
        return {
            (vgh, k, seed): run(paths[vgh], k, seed, measures, **options) for vgh, k, seed in product(VGHS, ks, SEEDS)
        }


def means(found: Mapping[tuple[str, int, int], Run]) -> Means:
    cases = dict.fromkeys((vgh, k) for vgh, k, _ in found)
    names = next(iter(found.values()))
    return {
        (vgh, k): {name: float(np.mean([found[vgh, k, seed][name] for seed in SEEDS])) for name in names}
        for vgh, k in cases
    }


def report() -> Iterator[str]:
    yield "## Generalization (T12 chapter 8)"
    fine, coarse = (len({tuple(levels(noun, [depth])) for noun in NOUNS}) for depth in CUTS)
    example = [concept.partition(".")[0] for concept in levels("sailing", depths_of("VGH3", CUTS))]
    yield (
        "Groups of at least k near records show what their values have in common in a value generalization hierarchy "
        '(`om.Generalization(search="local", loss="steps")`; the thesis: a best-first search for the fewest steps). T12 '
        "prints its two hierarchies, made by hand for 25 terms, as figures only; ours come from WordNet's hypernyms. "
        f"**VGH3**: {len(NOUNS)} nouns, {fine} concepts at depth {CUTS[0]} (nouns less deep stay as they are), {coarse} at "
        f"depth {CUTS[1]}, one at the top: sailing, {', '.join(example)}. **VGH2** is the same without the level of {fine}. "
        "Masking uses only the hierarchy, the intruder only WordNet. SRL: original records are linked to the nearest "
        "released ones (T12 eq. 8.1-8.4); MRL: to equal ones (eq. 8.6); in percent of the records. Means over five "
        "synthetic data sets, each with its own seed."
    )
    found = runs(CUTS, KS, list(MEASURES), search="local")
    mean = means(found)
    yield from linkage(found, mean)
    yield from hierarchies(mean)
    yield from trade_off(found)
    yield from by_wordnet(mean)
    yield from other_cuts()
    yield from full_domain(mean)


def by_k(holds: Callable[[int], bool]) -> dict[Any, bool]:
    return {k: holds(k) for k in KS}


def by_case(holds: Callable[[str, int], bool]) -> dict[Any, bool]:
    return {f"{vgh} on answers {seed}": holds(vgh, seed) for vgh, seed in product(VGHS, SEEDS)}


def linkage(found: Mapping[tuple[str, int, int], Run], mean: Means) -> Iterator[str]:
    yield "### Semantic against matching linkage (Fig. 33)"
    heads = ["k", *(f"{vgh}: {name}" for vgh in VGHS for name in [*(f"SRL {m}" for m in MEASURES), "MRL"])]
    yield table(heads, [[str(k), *(mean[v, k][n] for v in VGHS for n in [*MEASURES, MATCHING])] for k in KS])

    def ratio(vgh: str, k: int) -> float:
        return mean[vgh, k][SEMANTIC] / mean[vgh, k][MATCHING]

    def gain(vgh: str, ks: Sequence[int]) -> float:
        return float(np.mean([mean[vgh, k][SEMANTIC] - mean[vgh, k][MATCHING] for k in ks]))

    def spread(vgh: str, k: int, measures: Sequence[str] = tuple(MEASURES)) -> float:
        some = [mean[vgh, k][m] for m in measures]
        return (max(some) - min(some)) / float(np.mean(some))

    below, beyond = [k for k in KS if k < min(MIDDLE)], [k for k in KS if k > max(MIDDLE)]
    yield "\n".join(
        [
            finding(
                "T12",
                "SRL links at least as many records as MRL, whatever the measure, hierarchy and data set",
                by_k(
                    lambda k: all(
                        r[m] >= r[MATCHING] - 1e-9 for (_, at, _), r in found.items() for m in MEASURES if at == k
                    )
                ),
            ),
            finding(
                "T12",
                f"for k from {min(MIDDLE)} to {max(MIDDLE)} SRL (logsc) links almost twice as many (criterion: at least "
                f"{ALMOST_TWICE} times, in both hierarchies)",
                {k: all(ratio(vgh, k) >= ALMOST_TWICE for vgh in VGHS) for k in MIDDLE},
            ),
            finding(
                "T12",
                "the difference in percentage points is larger there than for other k, on average",
                {
                    f"{vgh} against {name}": gain(vgh, MIDDLE) > gain(vgh, ks)
                    for vgh in VGHS
                    for name, ks in {"smaller k": below, "larger k": beyond}.items()
                },
                "case",
            ),
            finding(
                "T12",
                f"which measure is used hardly matters (criterion: the three lie apart by at most {MINOR:.0%} of their mean)",
                by_k(lambda k: all(spread(vgh, k) <= MINOR for vgh in VGHS)),
            ),
            finding(
                "T12",
                "wu_palmer and logsc link slightly more than path",
                by_k(
                    lambda k: all(
                        min(r["wu_palmer"], r[SEMANTIC]) > r["path"] for (_, at), r in mean.items() if at == k
                    )
                ),
            ),
        ]
    )
    yield (
        "The first finding must be reproduced: a record that stays as it is has distance 0 to itself and its equals, so both "
        "link it with the same chance, and only SRL may link a record that was generalized. SRL (logsc) links "
        + " and ".join(
            f"{np.mean([ratio(vgh, k) for k in MIDDLE]):.2f} times as many as MRL with {vgh} for k from {min(MIDDLE)} to "
            f"{max(MIDDLE)} ({np.mean([ratio(vgh, k) for k in beyond]):.2f} times beyond)"
            for vgh in VGHS
        )
        + f". The three measures lie apart by {np.mean([spread(*case) for case in mean]):.0%} of their mean on average, "
        f"{max(spread(*case) for case in mean):.0%} at most; `wu_palmer` and `logsc` alone by "
        f"{np.mean([spread(*case, ('wu_palmer', SEMANTIC)) for case in mean]):.0%} on average. {_most('path', mean)}"
    )


def _most(measure: str, mean: Means) -> str:
    first = sum(row[measure] >= max(row[m] for m in MEASURES) for row in mean.values())
    return f"`{measure}` links most in {first} of {len(mean)} cases (hierarchy and k)."


def hierarchies(mean: Means) -> Iterator[str]:
    yield "### The finer against the coarser hierarchy (Fig. 34 and 35)"
    yield "By how much SRL (logsc) exceeds MRL, in percent of MRL, and the semantic loss (T12 eq. 8.7, by `logsc`, 0 to 1)."

    def more(vgh: str, k: int) -> float:
        return 100 * (mean[vgh, k][SEMANTIC] / mean[vgh, k][MATCHING] - 1)

    coarse, fine = VGHS
    rows = [[str(k), *(more(v, k) for v in VGHS), *(f"{mean[v, k][LOSS]:.3f}" for v in VGHS)] for k in KS]
    yield table(["k", *(f"SRL over MRL, {v}" for v in VGHS), *(f"loss, {v}" for v in VGHS)], rows, 0)
    apart = {k: mean[fine, k][SEMANTIC] / mean[coarse, k][SEMANTIC] - 1 for k in KS}
    yield "\n".join(
        [
            finding("T12", "SRL (logsc) links more with VGH3 than with VGH2", by_k(lambda k: apart[k] > 0)),
            finding(
                "T12",
                f"MRL links about as many with both (criterion: they differ by at most {MINOR:.0%})",
                by_k(lambda k: abs(mean[fine, k][MATCHING] / mean[coarse, k][MATCHING] - 1) <= MINOR),
            ),
            finding("T12", "SRL exceeds MRL by more with VGH3", by_k(lambda k: more(fine, k) > more(coarse, k))),
            finding(
                "T12",
                "it exceeds MRL by more, in percent, the larger k is (we compare the means of the upper and the lower half)",
                {v: np.mean([more(v, k) for k in KS[-9:]]) > np.mean([more(v, k) for k in KS[:9]]) for v in VGHS},
                "case",
            ),
            finding("T12", "VGH3 loses less than VGH2", by_k(lambda k: mean[fine, k][LOSS] < mean[coarse, k][LOSS])),
        ]
    )
    loss = [mean[fine, k][LOSS] / mean[coarse, k][LOSS] - 1 for k in KS]
    yield (
        f"With VGH3 SRL links {np.mean(list(apart.values())):+.1%} on average ({min(apart.values()):+.1%} to "
        f"{max(apart.values()):+.1%}; T12: 10 to 25%), and the loss is {np.mean(loss):+.1%} ({min(loss):+.1%} to "
        f"{max(loss):+.1%})."
    )


def trade_off(found: Mapping[tuple[str, int, int], Run]) -> Iterator[str]:
    yield "### Risk against loss"

    def series(what: str, vgh: str, seed: int) -> list[float]:
        return [found[vgh, k, seed][what] for k in KS]

    def fit(values: Sequence[float], scale: Callable[[Any], Any]) -> float:
        return float(np.corrcoef(scale(np.array(KS, dtype=float)), values)[0, 1] ** 2)

    def straight(what: str, vgh: str, seed: int) -> bool:
        values = series(what, vgh, seed)
        return fit(values, np.asarray) > fit(values, np.log)

    def done(what: str, vgh: str, seed: int) -> float:
        """The part of the whole change that has come by the middle of the range in T12's words, k = 8."""
        values = series(what, vgh, seed)
        return (values[KS.index(max(MIDDLE))] - values[0]) / (values[-1] - values[0])

    yield "\n".join(
        [
            finding(
                "T12",
                "the loss grows about linearly with k (criterion: a straight line in k fits better than one in log k)",
                by_case(lambda vgh, seed: straight(LOSS, vgh, seed)),
                "case",
            ),
            finding(
                "T12",
                "the risk (SRL, logsc) falls quickly first, like an inverted logarithm (a line in log k fits better)",
                by_case(lambda vgh, seed: not straight(SEMANTIC, vgh, seed)),
                "case",
            ),
            finding(
                "T12",
                f"beyond k = {max(MIDDLE)} more of the loss is still to come than of the fall of the risk, so that high k "
                "does not pay",
                by_case(lambda vgh, seed: done(LOSS, vgh, seed) < done(SEMANTIC, vgh, seed)),
                "case",
            ),
        ]
    )

    def mean_of(figure: Callable[[str, int], float]) -> float:
        return float(np.mean([figure(vgh, seed) for vgh, seed in product(VGHS, SEEDS)]))

    yield (
        f"On average, a straight line in k explains {mean_of(lambda v, s: fit(series(LOSS, v, s), np.asarray)):.0%} of the "
        f"variance of the loss, one in log k {mean_of(lambda v, s: fit(series(LOSS, v, s), np.log)):.0%}; of the risk "
        f"{mean_of(lambda v, s: fit(series(SEMANTIC, v, s), np.asarray)):.0%} and "
        f"{mean_of(lambda v, s: fit(series(SEMANTIC, v, s), np.log)):.0%}. From k = {KS[0]} to {max(MIDDLE)}, a third of the "
        f"way to {KS[-1]}, come {mean_of(lambda v, s: done(SEMANTIC, v, s)):.0%} of the fall of the risk and "
        f"{mean_of(lambda v, s: done(LOSS, v, s)):.0%} of the growth of the loss."
    )


def by_wordnet(by_hierarchy: Means) -> Iterator[str]:
    yield "### Near records by WordNet (not in T12)"
    yield (
        "In the sections above, records are near if their common values are low in the hierarchy. Where the columns of "
        "the policy are nominal, the product forms the groups by distances in WordNet, and what they show still comes "
        "from the hierarchy. SRL by `logsc`; both in percent."
    )
    mean = means(runs(CUTS, MIDDLE, [SEMANTIC], search="local", flat=False))

    def ratio(of: Means, vgh: str, k: int) -> float:
        return of[vgh, k][SEMANTIC] / of[vgh, k][MATCHING]

    rows = [
        [f"{vgh}, k = {k}", row[SEMANTIC], row[MATCHING], ratio(mean, vgh, k), ratio(by_hierarchy, vgh, k), row[LOSS]]
        for (vgh, k), row in mean.items()
    ]
    yield table(["hierarchy", "SRL", "MRL", "SRL / MRL", "SRL / MRL, above", "loss"], rows)
    yield "\n".join(
        [
            finding(
                "T12",
                f"SRL links almost twice as many as MRL (at least {ALMOST_TWICE} times, in both hierarchies)",
                {k: all(ratio(mean, vgh, k) >= ALMOST_TWICE for vgh in VGHS) for k in MIDDLE},
            ),
            finding(
                "T12",
                "SRL links more with VGH3 than with VGH2",
                {k: mean["VGH3", k][SEMANTIC] > mean["VGH2", k][SEMANTIC] for k in MIDDLE},
            ),
            finding(
                "T12",
                "VGH3 loses less than VGH2",
                {k: mean["VGH3", k][LOSS] < mean["VGH2", k][LOSS] for k in MIDDLE},
            ),
        ]
    )

    def change(what: str) -> float:
        return float(np.mean([row[what] / by_hierarchy[case][what] - 1 for case, row in mean.items()]))

    yield (
        f"Against the groups above, MRL changes by {change(MATCHING):+.0%}, SRL by {change(SEMANTIC):+.0%} and the loss by "
        f"{change(LOSS):+.0%} on average; SRL links {np.mean([ratio(mean, *case) for case in mean]):.2f} times as many as MRL "
        f"instead of {np.mean([ratio(by_hierarchy, *case) for case in mean]):.2f} times. How much SRL gains depends on "
        "the search. With VGH3 the loss cannot be more here: the groups are the same for both hierarchies, and VGH3 has "
        "all levels of VGH2."
    )


def other_cuts() -> Iterator[str]:
    yield "### Other hierarchies (not in T12)"
    yield (
        "Results with hand-made hierarchies depend on who made them. The same with WordNet cut elsewhere; SRL by `logsc`, in "
        "percent."
    )
    rows, risk, loss = [], {}, {}
    for cuts in OTHER_CUTS:
        mean = means(runs(cuts, SOME_KS, [SEMANTIC], search="local"))
        for k in SOME_KS:
            case = f"depths {cuts[0]} and {cuts[1]}, k = {k}"
            (a, b), (c, d) = ([mean[vgh, k][what] for vgh in VGHS] for what in (SEMANTIC, LOSS))
            rows.append([case, f"{a:.2f}", f"{b:.2f}", c, d])
            risk[case], loss[case] = b > a, d < c
    yield table(["levels", *(f"SRL, {v}" for v in VGHS), *(f"loss, {v}" for v in VGHS)], rows, 3)
    yield "\n".join(
        [
            finding("T12", "SRL links more with VGH3 than with VGH2", risk, "case"),
            finding("T12", "VGH3 loses less than VGH2", loss, "case"),
        ]
    )


def full_domain(local: Means) -> Iterator[str]:
    yield "### One level for a whole column (not in T12)"
    yield (
        'The same hierarchies with `search="full_domain"`, which shows every column at one level: with no record left out, and '
        f"with up to {LIMIT:.0%} of the records suppressed (their loss is 1). SRL by `logsc`, in percent; *classes*: "
        "different released records."
    )
    mean = {limit: means(runs(CUTS, SOME_KS, [SEMANTIC], suppression_limit=limit)) for limit in (0.0, LIMIT)}
    rows = [
        [
            f"{vgh}, k = {k}",
            row["removed"],
            f"{row['classes']:.1f}",
            row[SEMANTIC],
            row[MATCHING],
            row[LOSS],
            local[vgh, k][LOSS],
        ]
        for (vgh, k), row in mean[LIMIT].items()
    ]
    yield f"With suppression of up to {LIMIT:.0%}:"
    yield table(["hierarchy", "suppressed, %", "classes", "SRL", "MRL", "loss", "loss, local"], rows)
    top = [row for row in mean[0.0].values() if row["classes"] == 1]
    times = {limit: [by[case][LOSS] / local[case][LOSS] for case in by] for limit, by in mean.items()}
    same = sum(bool(np.isclose(mean[LIMIT]["VGH2", k][LOSS], mean[LIMIT]["VGH3", k][LOSS])) for k in SOME_KS)
    yield (
        f"With no record left out, both columns go to the top in all data sets in {len(top)} of {len(mean[0.0])} cases "
        f"(hierarchy and k){_at_top(top)}. The loss is {min(times[0.0]):.1f} to {max(times[0.0]):.1f} times that of local "
        f"generalization, with suppression {min(times[LIMIT]):.1f} to {max(times[LIMIT]):.1f} times; with suppression VGH3 "
        f"loses just as much as VGH2 at {same} of {len(SOME_KS)} k."
    )


def _at_top(rows: Sequence[Run]) -> str:
    if not rows:
        return ""
    return f": nothing is left of the data, the loss is {rows[0][LOSS]:.2f} and SRL links {rows[0][SEMANTIC]:.2f}%, by chance"


if __name__ == "__main__":
    show(report())
