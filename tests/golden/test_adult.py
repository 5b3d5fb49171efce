"""Specification 11 / T12 6.3: adaptive microaggregation against earlier methods on Adult, occupation x native-country."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import ontomask as om
from experiments.data import COUNTRIES, OCCUPATIONS

KS = (2, 5, 15, 50, 200, 800)
#: Where the published weighting of distances by frequency (SA-MDAV) loses more than the product's plain distances, by
#: wu_palmer with depth in edges. It does not everywhere: the weights help at some k and hurt at others.
WEIGHTED_LOSES_MORE = {"wordnet": {5, 15, 50, 200}, "hierarchies": {15, 50, 200, 800}}


@pytest.fixture(scope="module")
def adult(data: Path) -> pl.DataFrame:
    return om.read_table(data / "adult" / "adult.csv").data.select("occupation", "native-country")


class Losses:
    """L of a method on Adult, by wu_palmer with depth in edges and by logsc; each is worked out once."""

    def __init__(self, name: str, frame: pl.DataFrame, attributes: dict[str, Any]) -> None:
        self.name, self.frame, self.attributes = name, frame, attributes
        self.known: dict[tuple[str, int], list[float]] = {}

    def __call__(self, preset: str, k: int) -> list[float]:
        if (preset, k) not in self.known:
            plain = om.Microaggregation(k=k, distance="mean", refine="none")
            method = plain if preset == "plain" else om.Microaggregation.preset(preset, k=k)
            result = om.anonymize(self.frame, om.Policy(attributes=self.attributes, method=method), seed=0)
            judged = [result.loss("wu_palmer", depth="edges"), result.loss("logsc")]
            self.known[preset, k] = [loss.record_loss for loss in judged]
        return self.known[preset, k]


@pytest.fixture(scope="module")
def by_wordnet(adult: pl.DataFrame, wordnet: om.Taxonomy) -> Losses:
    """The columns placed in WordNet, as in T12 Table 12."""
    mappings = {"occupation": OCCUPATIONS, "native-country": COUNTRIES}
    placed = {name: om.Nominal(taxonomy=wordnet, mapping=m) for name, m in mappings.items()}
    return Losses("wordnet", adult, placed)


@pytest.fixture(scope="module")
def by_hierarchies(adult: pl.DataFrame, data: Path) -> Losses:
    """The columns placed in ARX's hierarchies of three levels."""
    files = {name: data / "adult" / f"adult_hierarchy_{name}.csv" for name in adult.columns}
    placed = {name: om.Nominal(taxonomy=om.read_taxonomy(file)) for name, file in files.items()}
    return Losses("hierarchies", adult, placed)


@pytest.fixture(params=["by_wordnet", "by_hierarchies"])
def losses(request: pytest.FixtureRequest) -> Losses:
    found: Losses = request.getfixturevalue(request.param)
    return found


def test_the_file_is_the_one_the_facts_are_about(adult: pl.DataFrame) -> None:
    counts = adult.group_by(pl.all()).len()["len"]
    assert (len(adult), len(counts), int((counts == 1).sum()), counts.max()) == (30_162, 394, 84, 3_735)


def test_the_mapping_keeps_all_values_apart(adult: pl.DataFrame, wordnet: om.Taxonomy) -> None:
    for name, mapping in (("occupation", OCCUPATIONS), ("native-country", COUNTRIES)):
        placed = om.match(adult[name], wordnet, mapping)
        assert placed.complete
        assert len(set(placed.concepts.values())) == adult[name].n_unique()


@pytest.mark.parametrize("k", KS)
def test_adaptive_loses_less_than_earlier_methods(losses: Losses, k: int) -> None:
    for preset in ("abril", "domingo_ferrer_torra"):
        for ours, theirs in zip(losses("plain", k), losses(preset, k), strict=True):
            assert ours < theirs, preset


def test_weighting_by_frequency_cuts_both_ways(losses: Losses) -> None:
    worse = {k for k in KS if losses("sa_mdav", k)[0] > losses("plain", k)[0]}
    assert worse == WEIGHTED_LOSES_MORE[losses.name]


def test_the_published_weighting_fails_against_abril(by_wordnet: Losses) -> None:
    found = [by_wordnet(preset, 15)[0] for preset in ("plain", "abril", "sa_mdav")]
    assert found == pytest.approx([2.00, 2.89, 3.58], abs=0.005)
