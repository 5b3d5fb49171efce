"""Noise addition beside its plain twin, given the same random numbers; and what it keeps of large tables."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import polars as pl
import pytest

import ontomask as om
from ontomask.masking.noise_addition import NoiseAddition, cholesky, score_correlations
from ontomask.masking.scores import Scores
from ontomask.microdata.encoding import Table, encode
from ontomask.progress import silent
from tests.oracle import plain_noise as twin

KINDS = ("nominal", "flat", "ordinal", "numeric")
SCALE = ["a", "b", "c", "d", "e", "f", "g"]


def random_tree(chance: random.Random, size: int) -> om.Taxonomy:
    edges = [(f"c{i}", f"c{chance.randrange(max(0, i - 5), i)}") for i in range(1, size)]
    return om.Taxonomy.from_edges(edges, name="tree")


def random_column(chance: random.Random, kind: str, n: int) -> tuple[Any, pl.Series]:
    """An attribute and values, some of them missing, some columns constant."""
    few = chance.choice((1, 2, 3, 8))
    made: dict[str, Any] = {"missing": "category"}
    if kind == "nominal":
        tree = random_tree(chance, chance.choice((2, 4, 9, 15)))
        among: list[Any] = chance.sample(list(tree.concepts), min(few, len(tree)))
        attribute: Any = om.Nominal(taxonomy=tree, measure=chance.choice(("logsc", "wu_palmer", "path")), **made)
    elif kind == "ordinal":
        among, attribute = chance.sample(SCALE, min(few, 7)), om.Ordinal(order=SCALE, **made)
    elif kind == "flat":
        among, attribute = [f"v{i}" for i in range(few)], om.Flat(**made)
    else:
        digits = chance.choice((0, 0, 1, 3))
        among, attribute = [round(chance.gauss(40, 15), digits) for _ in range(few * 3)], om.Numeric(**made)
    lost = chance.choice((0, 0, 0.3, 1.0 if n > 1 and kind != "numeric" else 0.3))
    values = [None if chance.random() < lost else chance.choice(among) for _ in range(n)]
    return attribute, pl.Series(values, dtype=pl.Float64 if kind == "numeric" else pl.String)


def random_table(chance: random.Random) -> Table:
    n = chance.choice((1, 2, 3, 5, 9, 14))
    kinds = [chance.choice(KINDS) for _ in range(chance.choice((1, 2, 3)))]
    made = {f"q{i}": random_column(chance, kind, n) for i, kind in enumerate(kinds)}
    frame = pl.DataFrame({name: values for name, (_, values) in made.items()})
    return encode(frame, {name: attribute for name, (attribute, _) in made.items()}, list(made))


def parts_of(column: Any) -> tuple[str, list[int], list[int]]:
    """Kind, the codes that are not missing, and their counts."""
    present = [code for code in range(len(column)) if code != column.missing]
    return column.attribute.kind, present, [int(column.counts[code]) for code in present]


def table_of(column: Any, present: list[int]) -> list[list[float]]:
    """Distances of the values of a nominal column from each other."""
    concepts = [column.taxonomy.concepts[column.concepts[code]] for code in present]
    if not concepts:
        return []
    made: list[list[float]] = om.distance_matrix(column.taxonomy, concepts, column.attribute.measure).tolist()
    return made


def plain_masked(table: Table, method: NoiseAddition, rng: np.random.Generator) -> list[list[Any]]:
    """The centre that each record shows, column by column, by the twin; the numbers are drawn in the order of the method."""
    scores: dict[str, tuple[list[float], float, float, list[list[float]]]] = {}
    for column in table.columns:
        kind, present, counts = parts_of(column)
        if kind == "flat" or len(present) < 2:
            continue
        distances = table_of(column, present) if kind == "nominal" else []
        own = (
            twin.marginalities(distances, counts)
            if distances
            else [float(column.centre_of_code[code]) for code in present]
        )
        mean, deviation = twin.mean_and_deviation(own, counts)
        wide = twin.spread(distances, counts) if distances else deviation
        if wide > 0:
            scores[column.name] = (own, mean, deviation if deviation > 1e-12 * wide else 0.0, distances)
    noise = {name: rng.standard_normal(table.n).tolist() for name in scores}
    if method.correlated and len(scores) > 1:
        by_record = [
            _standard(column, table.codes_of(a), scores[column.name])
            for a, column in enumerate(table.columns)
            if column.name in scores
        ]
        from ontomask.statistics.correlation import nearest_correlation

        matrix, _ = nearest_correlation(score_correlations(by_record))
        noise = dict(zip(scores, twin.mixed(list(noise.values()), matrix.tolist()), strict=True))
    shown: list[list[Any]] = []
    for a, column in enumerate(table.columns):
        kind, present, counts = parts_of(column)
        place = {code: at for at, code in enumerate(present)}
        codes = table.codes_of(a).tolist()
        centres: list[Any] = [column.centre_of_code[code] for code in codes]
        if kind == "flat":
            change, pick = rng.random(table.n).tolist(), rng.random(table.n).tolist()
            for r, code in enumerate(codes):
                if code in place:
                    centres[r] = present[twin.drawn_anew(place[code], change[r], pick[r], method.share, counts)]
        elif column.name in scores:
            own, mean, deviation, distances = scores[column.name]
            uniform = rng.random(table.n).tolist() if kind == "nominal" else []
            for r, code in enumerate(codes):
                if code not in place:
                    continue
                x = place[code]
                move = twin.displacement(own[x], mean, deviation, noise[column.name][r], method.share, method.rescale)
                if kind == "numeric":
                    value = own[x] + deviation * move
                    value = twin.reflected(value, min(own), max(own)) if method.limits == "kept" else value
                    centres[r] = float(column.rounded(np.array([value]))[0])
                elif kind == "ordinal":
                    centres[r] = twin.nearest_rank(own[x] + deviation * move, [int(s) for s in own])
                else:
                    y = twin.moved_by(x, move, uniform[r], distances, counts, method.nearest)
                    centres[r] = column.centre_of_code[present[y]]
        shown.append(centres)
    return shown


def _standard(column: Any, codes: Any, score: tuple[list[float], float, float, Any]) -> Any:
    _, present, _ = parts_of(column)
    own, mean, deviation, _ = score
    of = dict(zip(present, own, strict=True))
    return np.array([((of[c] - mean) / deviation if deviation else 0.0) if c in of else np.nan for c in codes.tolist()])


@pytest.mark.parametrize("block", range(4))
def test_the_twin_releases_the_same(block: int) -> None:
    """2,000 tables of every kind, size and number of missing values, in all settings."""
    for case in range(500):
        chance = random.Random(f"noise {block} {case}")
        table = random_table(chance)
        method = NoiseAddition(
            share=chance.choice((0.01, 0.1, 0.5, 2.0)),
            correlated=chance.random() < 0.5,
            rescale=chance.random() < 0.5,
            limits=chance.choice(("kept", "free")),
            nearest=chance.choice(("meaning", "score")),
        )
        masked = method.mask(table, np.random.default_rng(case), silent)
        expected = plain_masked(table, method, np.random.default_rng(case))
        for column, centres, twins in zip(table.columns, masked.centres, expected, strict=True):
            shown = centres[masked.group_of].tolist()
            assert repr([float(v) for v in shown]) == repr([float(v) for v in twins]), (block, case, column.name)


def test_a_move_of_nothing_leads_nowhere() -> None:
    """Whatever the settings: without noise every value is its own nearest."""
    from ontomask.masking.scores import moved_concepts, moved_numbers, moved_ranks

    for case in range(200):
        table = random_table(random.Random(f"nothing {case}"))
        for a, column in enumerate(table.columns):
            if column.attribute.kind == "flat":
                continue
            codes = table.codes_of(a)
            scored = Scores.of(column.metric())
            if not scored.varies:
                continue
            still = np.where(np.isin(codes, scored.present), 0.0, np.nan)
            if column.attribute.kind == "nominal":
                for nearest in ("meaning", "score"):
                    moved = moved_concepts(scored, codes, still, np.full(table.n, 0.99), nearest)  # type: ignore[arg-type]
                    assert moved.tolist() == codes.tolist()
            elif column.attribute.kind == "ordinal":
                assert moved_ranks(scored, codes, still).tolist() == codes.tolist()
            else:
                assert repr(moved_numbers(scored, codes, still, limits=True)[0].tolist()) == repr(
                    column.centre_of_code[codes].tolist()
                )


def test_on_a_line_the_nearest_in_meaning_is_the_nearest_value() -> None:
    """Concepts on a chain are as far apart as their places; where scores grow along it, a move goes where ranks go."""
    chance = random.Random(5)
    for _ in range(200):
        size = chance.randrange(2, 9)
        at = sorted(chance.sample(range(100), size))
        distances = [[float(abs(a - b)) for b in at] for a in at]
        counts = [1000, *(1 for _ in at[1:])]  # nearly all records are at one end: marginality grows away from it
        scores = twin.marginalities(distances, counts)
        assert scores == sorted(scores)
        x, move = chance.randrange(size), chance.gauss(0, 2)
        width, (_, deviation) = twin.spread(distances, counts), twin.mean_and_deviation(scores, counts)
        chosen = twin.moved_by(x, move, 0.5, distances, counts, "meaning")
        target = at[x] + move * width
        nearest = min(range(size), key=lambda y: abs(at[y] - target))
        assert abs(at[chosen] - target) <= abs(at[nearest] - target) + 0.02 * abs(at[-1] - at[0]), (at, x, move)
        assert deviation > 0


# ---- large tables ----------------------------------------------------------------------------------------------------

N = 200_000


def normal_frame(seed: int = 3) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(N)
    y = 0.7 * x + math.sqrt(1 - 0.49) * rng.standard_normal(N)
    return pl.DataFrame({"x": (100 + 15 * x).round(2), "y": (3 + y).round(4)})


def released(frame: pl.DataFrame, **settings: Any) -> pl.DataFrame:
    policy = om.Policy(attributes={name: om.Numeric() for name in frame.columns}, method=NoiseAddition(**settings))
    data: pl.DataFrame = om.anonymize(frame, policy, seed=11).data
    return data


def correlation(frame: pl.DataFrame) -> float:
    return float(np.corrcoef(frame["x"], frame["y"])[0, 1])


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_means_variances_and_correlations_of_numbers(share: float) -> None:
    """200,000 normal records: a mean has a standard error of 0.0024 sd, a deviation of 0.16%, r of 0.001."""
    frame = normal_frame()
    r = correlation(frame)
    for correlated in (False, True):
        for rescale in (False, True):
            data = released(frame, share=share, correlated=correlated, rescale=rescale, limits="free")
            for name in ("x", "y"):
                before, after = frame[name].to_numpy(), data[name].to_numpy()
                assert abs(after.mean() - before.mean()) < 0.01 * before.std()
                grown = 1.0 if rescale else math.sqrt(1 + share)
                assert after.std() / before.std() == pytest.approx(grown, rel=0.01)
                noise = after - before if not rescale else after * math.sqrt(1 + share) - before
                assert noise.var() / before.var() == pytest.approx(share, rel=0.02)
            kept = r if correlated else r / (1 + share)
            assert correlation(data) == pytest.approx(kept, abs=0.01)


def test_limits() -> None:
    frame = normal_frame().with_columns(x=pl.Series(np.random.default_rng(0).exponential(size=N)).round(3))
    free, kept = released(frame, limits="free"), released(frame)
    assert free["x"].min() < frame["x"].min()  # type: ignore[operator]
    assert kept["x"].min() >= frame["x"].min()  # type: ignore[operator]
    assert kept["x"].max() <= frame["x"].max()  # type: ignore[operator]
    assert (free["x"] != kept["x"]).mean() > 0.05, "an exponential column has much near its limit"


def test_the_variance_of_ranks_and_the_share_of_flat_values() -> None:
    rng = np.random.default_rng(8)
    grade = np.clip(np.rint(10 + 2.5 * rng.standard_normal(N)), 0, 20).astype(int)
    place = rng.choice(4, N, p=[0.5, 0.3, 0.15, 0.05])
    frame = pl.DataFrame({"grade": grade, "place": [f"p{v}" for v in place]})
    policy = om.Policy(attributes={"grade": om.Ordinal(), "place": om.Flat()}, method=NoiseAddition(share=0.5))
    result = om.anonymize(frame, policy, seed=4)
    after = result.data["grade"].to_numpy()
    assert after.mean() == pytest.approx(grade.mean(), abs=0.03)
    assert after.std() == pytest.approx(grade.std(), rel=0.03)  # rounding adds 1/12 to a variance of 6.3
    for value in range(4):
        one, other = (place == value).astype(float), (result.data["place"] == f"p{value}").to_numpy().astype(float)
        assert other.mean() == pytest.approx(one.mean(), abs=0.005)
        assert np.corrcoef(one, other)[0, 1] == pytest.approx(1 / math.sqrt(1.5), abs=0.01)


def test_cholesky_of_singular_matrices() -> None:
    rng = np.random.default_rng(2)
    for size in range(1, 7):
        for rank in range(1, size + 1):
            half = rng.standard_normal((size, rank))
            matrix = half @ half.T
            scale = np.sqrt(np.diag(matrix))
            matrix /= np.outer(scale, scale)
            root = cholesky(matrix)
            np.testing.assert_allclose(root @ root.T, matrix, atol=1e-5)
            assert (np.triu(root, 1) == 0).all()
