"""The runs of T12 chapter 9: every way to mask two columns of discharges, at every k, judged by one measure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import product
from typing import Any

import numpy as np

import ontomask as om
from experiments.data import Data, discharges
from experiments.reporting import WORKERS, comes_out
from ontomask.comparison.baselines import labels_only

#: T12 9.2.1: how many records there are, how many distinct pairs, and how many of these are unique.
THESIS = {"records": 3006, "distinct pairs": 2331, "unique pairs": 2073}
COLUMNS = ("diagnosis", "secondary_diagnosis")
MEASURE = "logsc"
KS = tuple(range(2, 16))
SEEDS = range(2)

REC, MIC, RES, SUPPRESSION = "recoding", "microaggregation", "resampling", "suppression"
PLAIN = "plain {}"
CLASSIC = "non-semantic {}"
#: What is compared, by name; k is set for each run. The non-semantic ways are the twins that a comparison makes.
WAYS: dict[str, Any] = {
    REC: om.Recoding(k=2, measure=MEASURE),
    MIC: om.Microaggregation.preset("sa_mdav", k=2),
    RES: om.Resampling(k=2, measure=MEASURE, comparison="weighted"),
    PLAIN.format(MIC): om.Microaggregation(k=2, measure=MEASURE),
    PLAIN.format(RES): om.Resampling(k=2, measure=MEASURE),
    SUPPRESSION: om.Suppression(k=2),
}
METHODS = (REC, MIC, RES)
#: Which way a method is in each setting; recoding is weighted in the product, too.
SETTINGS = {
    "as published": dict(zip(METHODS, METHODS, strict=True)),
    "the product's own": {REC: REC, MIC: PLAIN.format(MIC), RES: PLAIN.format(RES)},
}
SEMANTIC = tuple(dict.fromkeys(way for ways in SETTINGS.values() for way in ways.values()))
#: All of them, in the order of the tables.
EVERY = (*SEMANTIC, *map(CLASSIC.format, METHODS), SUPPRESSION)


@dataclass(frozen=True)
class Figures:
    """``sse`` over records (T12 eq. 9.1), ``kl`` (eq. 9.2), ``loss``: L in percent (eq. 6.4), ``srl`` in percent."""

    sse: float
    kl: float
    loss: float
    srl: float

    def score(self, alpha: float = 0.5) -> float:
        return alpha * self.loss + (1 - alpha) * self.srl


Means = Mapping[int, Mapping[str, Figures]]  # of each k, of each way


def records(seed: int, n: int = THESIS["records"]) -> Data:
    return discharges(n, seed, COLUMNS)


def runs(data: Data, seed: int, ks: Sequence[int] = KS, workers: int = WORKERS) -> Means:
    """Every way at every k, judged by one measure."""
    ways = om.grid(om.Policy(attributes=data.attributes), WAYS, k=ks)
    own = SETTINGS["the product's own"]
    for method, k in product(METHODS, ks):
        ways[f"{CLASSIC.format(method)}, k={k}"] = labels_only(ways[f"{own[method]}, k={k}"])
    found = om.compare(data.frame, ways, measure=MEASURE, workers=workers, seed=seed).table
    by_name = {row["name"]: row for row in found.iter_rows(named=True)}

    def figures(way: str, k: int) -> Figures:
        row = by_name[f"{way}, k={k}"]
        return Figures(row["sse"], row["divergence"], row["record_loss"], row["risk"])

    return {k: {way: figures(way, k) for way in EVERY} for k in ks}


def means(every: Sequence[Means]) -> Means:
    """The mean over samples."""
    return {
        k: {
            way: Figures(
                *(float(np.mean([getattr(found[k][way], f.name) for found in every])) for f in fields(Figures))
            )
            for way in EVERY
        }
        for k in every[0]
    }


At = Mapping[str, Figures]  # of each way at one k, the methods in one setting


def in_setting(row: At, ways: Mapping[str, str]) -> At:
    return {**row, **{method: row[way] for method, way in ways.items()}}


def in_settings(said: str, holds: Callable[[Mapping[str, str]], Mapping[Any, bool]], what: str = "k") -> str:
    """A finding, tested in both settings; ``holds`` says of the ways of a setting in which cases it does."""
    told = [f"{setting[0].upper()}{setting[1:]}: {comes_out(holds(ways), what)}" for setting, ways in SETTINGS.items()]
    return f"* T12: {said}. {' '.join(told)}"


def claim(said: str, mean: Means, holds: Callable[[At], bool], ks: Sequence[int] = KS) -> str:
    """A finding, tested at some k in both settings."""
    return in_settings(said, lambda ways: {k: bool(holds(in_setting(mean[k], ways))) for k in ks})
