"""Shuffling (D12 2.1 and 3.1, specification 7): values exactly as they were, rank correlations the closer the more records."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject
from numpy.polynomial.legendre import leggauss
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import ndtr, ndtri
from scipy.stats import rankdata, spearmanr

import ontomask as om
from ontomask.masking.shuffling import Ordered, Shuffling, draw_scores
from ontomask.statistics.correlation import copula_correlations, correlations, nearest_correlation
from tests.oracle import plain_swapping as twin
from tests.oracle.plain_masking import PlainColumn
from tests.property.strategies import Case, cases
from tests.property.tables import Sheet, sheets

Floats = NDArray[np.float64]
seeds = st.integers(0, 2**32)


def anonymized(frame: Any, attributes: dict[str, Any], seed: int = 1, **settings: Any) -> om.Result:
    return om.anonymize(frame, om.Policy(attributes=attributes, method=Shuffling(**settings)), seed=seed)


def sensitive(attribute: Any) -> Any:
    return attribute.changed(role="sensitive")


# ---- any table -----------------------------------------------------------------------------------------------------


@settings(max_examples=cases(120))
@given(st.data())
def test_values_are_dealt_out_anew(data: DataObject) -> None:
    """Sensitive columns are permuted, all others are as they were, and the report is true."""
    sheet: Sheet = data.draw(sheets().filter(lambda sheet: sheet.n > 2))
    seed, ties = data.draw(seeds), data.draw(st.sampled_from(("corrected", "published")))
    roles = data.draw(st.lists(st.booleans(), min_size=4, max_size=4))
    secret = [r or i == 0 for i, r in enumerate(roles[: len(sheet.attributes)])]
    frame, attributes = sheet.frame(sheet.records), {}
    for (name, attribute), hidden in zip(sheet.real_attributes.items(), secret, strict=True):
        attributes[name] = attribute.changed(missing="category", role="sensitive" if hidden else "quasi")
    result = anonymized(frame, attributes, seed, ties=ties)
    assert result.data.schema == frame.schema
    assert anonymized(frame, attributes, seed, ties=ties).data.equals(result.data)
    columns = [PlainColumn(a, [r[i] for r in sheet.records]) for i, a in enumerate(sheet.attributes)]
    varying = [f"c{i}" for i, c in enumerate(columns) if secret[i] and len(set(c.column)) > 1]
    sources, measured = result.masked.sources, result.diagnostics
    assert sources is not None
    assert measured is not None
    for i, name in enumerate(frame.columns):
        if secret[i]:
            assert Counter(result.data[name].to_list()) == Counter(frame[name].to_list())
            assert sorted(sources[i].tolist()) == list(range(sheet.n))
            assert result.data[name].equals(frame[name].gather(sources[i]))
        else:
            assert result.data[name].equals(frame[name])
    event(f"{len(varying)} to shuffle, {len(secret) - sum(secret)} others")
    assert set(varying) <= set(measured.table["attribute"]) <= {f"c{i}" for i, hidden in enumerate(secret) if hidden}
    for row in measured.table.iter_rows(named=True):
        i = int(row["attribute"][1:])
        for name, expected in twin.moved(columns[i], sources[i].tolist()).items():
            assert row[name] == pytest.approx(float(expected), rel=1e-9, abs=1e-12), (f"c{i}", name)
    for i, column in enumerate(columns):
        if secret[i] and len(set(column.column)) == 1:
            assert f"c{i}: all records have the same value: shuffling changes nothing" in map(str, result.notes)


@settings(max_examples=cases(120))
@given(st.data())
def test_the_order_of_a_column(data: DataObject) -> None:
    """Numbers by size, others by marginality, equally marginal ones in some order, missing numbers last."""
    sheet: Sheet = data.draw(sheets())
    rng = np.random.default_rng(data.draw(seeds))
    for i, attribute in enumerate(sheet.attributes):
        plain, column = PlainColumn(attribute, [r[i] for r in sheet.records]), sheet.table.columns[i]
        ordered = Ordered.of(column.metric(), sheet.table.codes_of(i), rng)
        if plain.kind in ("ordinal", "numeric"):
            keys = twin.ranking_keys(plain, "fixed")
        else:
            keys = [sum(plain.separation(x, y) for y in plain.column) for x in plain.column]
        places = ordered.places[sheet.table.codes_of(i)].tolist()
        assert len(set(ordered.places.tolist())) == len(set(plain.column))  # one-to-one
        pairs = sorted(set(zip(places, keys, strict=True)))
        assert not [1 for (_, a), (_, b) in itertools.pairwise(pairs) if twin.below(b, a)]
        np.testing.assert_allclose(ordered.average_ranks, rankdata(places), rtol=1e-12)
        quantiles = ndtri((np.arange(sheet.n) + 0.5) / sheet.n)
        shared = ordered.normal_scores(rng, shared=True)
        apart = ordered.normal_scores(rng, shared=False)
        assert sorted(apart.tolist()) == quantiles.tolist()
        for place in set(places):
            own = [s for s, p in zip(apart, places, strict=True) if p == place]
            mine = [s for s, p in zip(shared, places, strict=True) if p == place]
            low = sum(p < place for p in places)
            assert sorted(own) == quantiles[low : low + len(own)].tolist()
            np.testing.assert_allclose(mine, np.mean(quantiles[low : low + len(own)]), rtol=1e-9, atol=1e-12)
        assert [places[record] for record in ordered.by_place(rng)] == sorted(places)


# ---- rank correlations ---------------------------------------------------------------------------------------------

#: Of unlike depth and breadth, so that marginalities differ.
WORDS = Case(
    [("cat", "animal"), ("dog", "animal"), ("pug", "dog"), ("oak", "tree"), ("tree", "plant"), ("rose", "plant"),
     ("animal", "thing"), ("plant", "thing"), ("stone", "thing")]
)  # fmt: skip
NOMINAL = om.Nominal(taxonomy=WORDS.real)


def related(n: int, seed: int, *, by_marginality: bool = True) -> pl.DataFrame:
    """Columns that depend on each other: continuous, skewed, in five and in two steps, nominal.

    All come from a Gaussian copula, words in the order of their marginality; else words stand in no such order.
    """
    rng = np.random.default_rng(seed)
    z = rng.standard_normal((n, 6))
    base = z[:, 0]
    words = np.array(["pug", "dog", "cat", "tree", "oak", "rose", "stone"])
    words = words if by_marginality else words[[3, 6, 1, 0, 4, 2, 5]]
    cuts = [-0.2, 0.3, 0.7, 1.1, 1.5, 2.0]
    return pl.DataFrame(
        {
            "s_wide": base,
            "s_five": np.digitize(0.7 * base + 0.7 * z[:, 1], [-1.5, -0.3, 0.2, 1.0]),
            "s_word": words[np.digitize(0.6 * base + 0.8 * z[:, 2], cuts)],
            "x_wide": np.exp(0.8 * base + 0.6 * z[:, 3]),
            "x_five": np.digitize(-0.8 * base + 0.5 * z[:, 3] + 0.4 * z[:, 4], [-2, -1, 0.7, 1.0]),
            "x_two": (0.7 * base + 0.7 * z[:, 4] > 0.8).astype(int),
            "x_word": words[np.digitize(0.8 * base + 0.6 * z[:, 5], cuts)],
        }
    )


RELATED: dict[str, Any] = {
    "s_wide": om.Numeric(),
    "s_five": om.Numeric(),
    "s_word": NOMINAL,
    "x_wide": sensitive(om.Numeric()),
    "x_five": sensitive(om.Ordinal()),
    "x_two": sensitive(om.Numeric()),
    "x_word": sensitive(NOMINAL),
}


def as_numbers(frame: pl.DataFrame, like: pl.DataFrame) -> Floats:
    """Nominal columns by the marginality of their values in ``like``."""
    columns = []
    for name in frame.columns:
        if frame.schema[name] != pl.String:
            columns.append(frame[name].to_numpy())
            continue
        often = Counter(like[name].to_list())
        table = om.distance_matrix(WORDS.real, list(often))
        marginality = dict(zip(often, (table @ np.array(list(often.values()))).round(9), strict=True))
        assert len(set(marginality.values())) == len(marginality), "ties would be broken by chance"
        columns.append(np.array([marginality[v] for v in frame[name]]))
    return np.array(columns)


def ranked(columns: Floats) -> Floats:
    return np.corrcoef([rankdata(column) for column in columns])


def change(n: int, seed: int, *, by_marginality: bool = True, **settings: Any) -> Floats:
    """How far the rank correlations of the shuffled columns moved."""
    frame = related(n, seed, by_marginality=by_marginality)
    shuffled = anonymized(frame, RELATED, seed, **settings).data
    return np.abs(ranked(as_numbers(shuffled, frame)) - ranked(as_numbers(frame, frame)))[3:]


def test_rank_correlations_approach_those_of_the_original() -> None:
    """D12 2.1: asymptotically the same, for continuous, tied and nominal columns alike."""
    few = np.mean([change(300, seed) for seed in range(4)], axis=0)
    many = np.mean([change(30_000, seed) for seed in range(2)], axis=0)
    assert many.max() < 0.02, many.round(3)
    assert many.mean() < 0.25 * few.mean()


def test_words_in_no_order_leave_little() -> None:
    """Where no Gaussian copula fits, as with words whose marginality has nothing to do with the rest."""
    few = np.mean([change(300, seed, by_marginality=False) for seed in range(4)], axis=0)
    many = np.mean([change(30_000, seed, by_marginality=False) for seed in range(1)], axis=0)
    assert many.max() < 0.05, many.round(3)
    assert many.mean() < 0.35 * few.mean()


def test_ties_as_published_weaken_what_they_touch() -> None:
    """2 sin(pi r / 6) takes no notice of ties: continuous columns keep their correlation, tied ones lose some."""
    corrected, published = change(30_000, 1), change(30_000, 1, ties="published")
    assert published[0, 0] < 0.02  # x_wide and s_wide
    assert published[2, 0] > 0.05  # x_two and s_wide
    assert corrected[2, 0] < 0.02


def test_the_note_tells_the_largest_change() -> None:
    frame = related(500, 3)
    result = anonymized(frame, RELATED, 3)
    moved = np.abs(ranked(as_numbers(result.data, frame)) - ranked(as_numbers(frame, frame)))[3:].max()
    assert f"largest change of a rank correlation: {moved:.3f}" in map(str, result.notes)


@pytest.mark.parametrize("ties", ["corrected", "published"])
def test_new_values_do_not_depend_on_the_old_ones(ties: str) -> None:
    """D12 2.1: independent of X given S: among records that are equal in S, old and new values are unrelated."""
    n = 20_000
    frame = related(n, 8).drop("s_wide")
    shuffled = anonymized(frame, {name: RELATED[name] for name in frame.columns}, 8, ties=ties).data
    before, after = as_numbers(frame, frame), as_numbers(shuffled, frame)
    _, stratum = np.unique(before[:2], axis=1, return_inverse=True)
    assert stratum.max() > 20
    related_to_s = []
    for place in (2, 3, 4, 5):
        left = []
        for column in (before[place], after[place]):
            r = rankdata(column)
            mean = np.bincount(stratum, r) / np.bincount(stratum)
            left.append(r - mean[stratum])
            related_to_s.append(mean.std() > 0.05 * n)
        assert abs(np.corrcoef(left)[0, 1]) < 4.5 / np.sqrt(n), frame.columns[place]
    assert all(related_to_s)  # S does steer


def test_without_other_columns_all_is_drawn_anew() -> None:
    """Specification 7: no S: X is drawn from its own copula; old and new values are independent."""
    frame = related(20_000, 4).select("x_wide", "x_five", "x_word")
    result = anonymized(frame, {name: RELATED[name] for name in frame.columns}, 4)
    before, after = as_numbers(frame, frame), as_numbers(result.data, frame)
    assert np.abs(ranked(before) - ranked(after)).max() < 0.03
    for one in before:
        for other in after:
            assert abs(spearmanr(one, other).statistic) < 4.5 / np.sqrt(20_000)
    assert any("no other column guides" in note for note in map(str, result.notes))
    alone = frame.select("x_five")
    assert anonymized(alone, {"x_five": RELATED["x_five"]}, 4).data["x_five"].sort().equals(alone["x_five"].sort())


def test_many_other_columns() -> None:
    rng = np.random.default_rng(2)
    n = 8_000
    z = rng.standard_normal((n, 15))
    frame = pl.DataFrame({f"s{i}": z[:, i] + 0.4 * z[:, 0] for i in range(14)}).with_columns(
        x=z[:, :14] @ np.linspace(0, 0.5, 14) + z[:, 14]
    )
    attributes: dict[str, Any] = {f"s{i}": om.Numeric() for i in range(14)} | {"x": sensitive(om.Numeric())}
    result = anonymized(frame, attributes)
    before, after = (ranked(data.to_numpy().T) for data in (frame, result.data))
    assert np.abs(before - after).max() < 0.03
    assert result.data.drop("x").equals(frame.drop("x"))


def test_columns_that_tell_the_same() -> None:
    """Singular correlations: copies, reversed copies, and a sensitive column that the others determine."""
    n = 2_000
    rng = np.random.default_rng(6)
    base = rng.permutation(n)
    frame = pl.DataFrame(
        {"a": base, "b": 3 * base + 1, "c": -base, "x": base**3, "y": -base, "z": rng.permutation(n), "w": base // 500}
    )
    attributes: dict[str, Any] = {name: om.Numeric() for name in "abc"}
    attributes |= {name: sensitive(om.Numeric()) for name in "xyzw"}
    for ties in ("corrected", "published"):
        result = anonymized(frame, attributes, 1, ties=ties)
        after = {name: result.data[name].to_numpy() for name in frame.columns}
        assert spearmanr(after["x"], base).statistic > 0.99
        assert spearmanr(after["y"], base).statistic < -0.99
        assert abs(spearmanr(after["z"], base).statistic) < 0.1
        for name in "xyzw":
            assert np.array_equal(np.sort(after[name]), np.sort(frame[name].to_numpy()))
    corrected = anonymized(frame, attributes, 1).data
    assert spearmanr(corrected["w"], base).statistic > 0.94


def test_constant_columns() -> None:
    frame = related(200, 1).with_columns(x_two=pl.lit(1), s_wide=pl.lit(0.5))
    result = anonymized(frame, RELATED)
    assert result.data["x_two"].equals(frame["x_two"])
    assert "x_two: all records have the same value: shuffling changes nothing" in map(str, result.notes)
    assert not result.data["x_wide"].equals(frame["x_wide"])
    assert result.diagnostics is not None
    assert {"x_wide", "x_five", "x_word"} <= set(result.diagnostics.table["attribute"])
    assert not [name for name in result.diagnostics.table["attribute"] if name.startswith("s_")]


def test_values_are_moved_as_they_are_written() -> None:
    n = 40
    words = ["oak", "OAK", "Oak", "cat", "dog"] * (n // 5)
    frame = pl.DataFrame({"s": list(range(n)), "x": words, "y": [0.1 * i for i in range(n)]})
    attributes = {"s": om.Numeric(), "x": sensitive(NOMINAL), "y": sensitive(om.Numeric())}
    for given_ in (frame, frame.to_pandas(), frame.to_arrow()):
        data = anonymized(given_, attributes).data
        assert type(data) is type(given_)
        for name in "xy":
            cells = data[name].to_pylist() if hasattr(data, "column_names") else data[name].to_list()
            assert Counter(cells) == Counter(frame[name].to_list())
    frame = frame.to_pandas()
    frame["x"] = frame["x"].astype("category")
    data = anonymized(frame, attributes).data
    assert data["x"].dtype == frame["x"].dtype
    assert Counter(data["x"]) == Counter(words)


# ---- the copula ----------------------------------------------------------------------------------------------------


def test_copula_as_published() -> None:
    """rho = 2 sin(pi r / 6): with it normal variables have the rank correlation r."""
    r = np.array([[1, 0.3, -0.8], [0.3, 1, 0.05], [-0.8, 0.05, 1]])
    expected = 2 * np.sin(np.pi * r / 6)
    np.fill_diagonal(expected, 1)
    np.testing.assert_allclose(copula_correlations(r), expected, rtol=1e-14)
    untied = [np.ones(50, dtype=np.int64)] * 3
    np.testing.assert_allclose(copula_correlations(r, untied), expected, rtol=1e-12)


def steps(counts: Sequence[int]) -> tuple[Floats, Floats]:
    """Where a column's values begin and end on the normal axis, and their standardized average ranks."""
    n = sum(counts)
    ends = np.concatenate(([0], np.cumsum(counts)))
    level = (ends[:-1] + ends[1:] + 1) / 2
    level = level - np.average(level, weights=counts)
    return ndtri(ends / n), level / np.sqrt(np.average(level**2, weights=counts))


def rank_correlation(one: Sequence[int], other: Sequence[int], rho: float) -> float:
    """E[g(U) h(V)] of standard normal U, V with correlation rho, by quadrature over U: the slow way round."""
    at, level = steps(one)
    there, height = steps(other)
    x, w = leggauss(60)
    total = 0.0
    for low, high, g in zip(at[:-1], at[1:], level, strict=True):
        for a, b in itertools.pairwise(np.linspace(max(low, -9.0), min(high, 9.0), 5)):
            u = (a + b) / 2 + (b - a) / 2 * x
            density = np.exp(-u * u / 2) / np.sqrt(2 * np.pi) * w * (b - a) / 2
            below = ndtr((there[:, None] - rho * u) / np.sqrt(1 - rho * rho))
            total += g * float((height @ np.diff(below, axis=0)) @ density)
    return total


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((50, 50), (50, 50)),
        ((90, 10), (30, 70)),
        ((1, 99), (99, 1)),
        ((20, 30, 5, 45), (60, 40)),
        ((20, 30, 5, 45), (10, 10, 50, 29, 1)),
        ((1,) * 100, (30, 70)),
        ((1,) * 100, (1,) * 99 + (2,)),
        ((2,) * 50 + (100,), (1,) * 200),
    ],
    ids=lambda counts: f"{len(counts)} values",
)
def test_copula_allows_for_ties(one: Sequence[int], other: Sequence[int]) -> None:
    """The rho it finds has the rank correlation asked for."""
    # Of untied columns, only as many steps as quadrature can bear; the n of both must agree.
    for rho in (-0.95, -0.5, 0.0, 0.1, 0.6, 0.9, 0.98):
        r = rank_correlation(one, other, rho)
        asked = np.array([[1, r], [r, 1]])
        found = copula_correlations(asked, [np.array(one), np.array(other)])[0, 1]
        assert rank_correlation(one, other, found) == pytest.approx(r, abs=2e-3), rho
        if abs(rho) < 0.95 and 1 not in (min(one[0], one[-1]), min(other[0], other[-1])):
            assert found == pytest.approx(rho, abs=5e-3)


def test_copula_of_columns_with_very_many_values() -> None:
    """More values than its series has steps: as good as none tied."""
    counts = np.ones(100_000, dtype=np.int64)
    some = np.array([50_000, 50_000])
    for rho in (-0.7, 0.2, 0.9):
        # A binary column and a continuous one: r = sqrt(12) E[U 1(V > 0)] 2 = sqrt(3) * 2 / pi * asin(rho / sqrt 2)
        r = np.sqrt(3) * 2 / np.pi * np.arcsin(rho / np.sqrt(2))
        found = copula_correlations(np.array([[1, r], [r, 1]]), [counts, some])[0, 1]
        assert found == pytest.approx(rho, abs=2e-3)


def test_copula_by_simulation() -> None:
    rng = np.random.default_rng(3)
    n, counts = 400_000, [np.array([5, 1, 3, 1]), np.array([8, 2])]
    asked = np.array([[1, 0.35], [0.35, 1]])
    rho = copula_correlations(asked, counts)
    z = np.linalg.cholesky(rho) @ rng.standard_normal((2, n))
    cut = [np.digitize(x, ndtri(np.cumsum(c) / c.sum())[:-1]) for x, c in zip(z, counts, strict=True)]
    assert spearmanr(*cut).statistic == pytest.approx(0.35, abs=0.01)


def test_what_ties_cannot_reach() -> None:
    """Columns with r near 1 or -1, out of reach of their ties: the end of the range, no error."""
    counts = [np.array([90, 10]), np.array([10, 90])]
    assert copula_correlations(np.array([[1, 0.9], [0.9, 1]]), counts)[0, 1] == pytest.approx(1, abs=1e-6)
    assert copula_correlations(np.array([[1, -0.9], [-0.9, 1]]), [counts[0]] * 2)[0, 1] == pytest.approx(-1, abs=1e-6)


def test_drawn_scores_have_the_distribution_given_the_others() -> None:
    """X | S is normal, its mean linear in S."""
    rho = np.array([[1, 0.4, 0.5, -0.3], [0.4, 1, 0.2, 0.6], [0.5, 0.2, 1, 0.1], [-0.3, 0.6, 0.1, 1.0]])
    rng = np.random.default_rng(5)
    n = 200_000
    s = np.linalg.cholesky(rho[2:, 2:]) @ rng.standard_normal((2, n))
    s = np.array([x - x.mean() for x in s])
    drawn = np.array(draw_scores(n, rho, list(s), rng))
    assert np.abs(np.corrcoef([*drawn, *s]) - rho).max() < 0.01
    slopes = np.linalg.solve(rho[2:, 2:], rho[2:, :2])
    left = drawn - slopes.T @ (s / s.std(axis=1, keepdims=True))
    assert np.abs(np.cov(left) - (rho[:2, :2] - rho[:2, 2:] @ slopes)).max() < 0.01
    assert np.abs(np.cov([*left, *s])[:2, 2:]).max() < 0.01
    assert [x.shape for x in draw_scores(7, np.eye(2), [], rng)] == [(7,), (7,)]


# ---- repair --------------------------------------------------------------------------------------------------------


def nearest_by_dual(matrix: Floats) -> Floats:
    """Another way to the nearest correlation matrix: (G + diag y)+ of unit diagonal, by the dual of Qi & Sun 2006."""

    def positive(y: Floats) -> Floats:
        values, vectors = np.linalg.eigh(matrix + np.diag(y))
        return (vectors * np.maximum(values, 0)) @ vectors.T

    def dual(y: Floats) -> tuple[float, Floats]:
        made = positive(y)
        return (made**2).sum() / 2 - y.sum(), np.diag(made) - 1

    options = {"maxiter": 5000, "ftol": 1e-16, "gtol": 1e-10}
    best = minimize(dual, np.zeros(len(matrix)), jac=True, method="L-BFGS-B", options=options)
    made = positive(best.x)
    scale = np.sqrt(np.diag(made))
    return made / np.outer(scale, scale)


@settings(max_examples=cases(100))
@given(st.data())
def test_nearest_correlation(data: DataObject) -> None:
    rng = np.random.default_rng(data.draw(seeds))
    size = data.draw(st.sampled_from((2, 3, 4, 6, 9)))
    kind = data.draw(st.sampled_from(("any", "strong", "copies", "good", "signs")))
    if kind == "good":
        matrix = np.corrcoef(rng.standard_normal((size, 4 * size)))
    elif kind == "copies":
        x = rng.standard_normal((size, 50))
        x[-1] = x[0]
        matrix = correlations(list(x))
    else:
        raw = rng.uniform(-1, 1, (size, size)) if kind == "any" else rng.uniform(0.8, 1, (size, size))
        raw = np.sign(rng.uniform(-1, 1, (size, size))) if kind == "signs" else raw
        matrix = np.triu(raw, 1) + np.triu(raw, 1).T + np.eye(size)
    given_ = matrix.copy()
    near, off = nearest_correlation(matrix)
    assert np.array_equal(matrix, given_)
    event(kind)
    least = np.linalg.eigvalsh(matrix)[0]
    np.testing.assert_allclose(np.diag(near), 1, atol=1e-12)
    np.testing.assert_allclose(near, near.T, atol=1e-15)
    np.linalg.cholesky(near)
    assert off == pytest.approx(np.abs(near - matrix).max(), abs=1e-15)
    if least > 1e-6:
        assert off == 0
        assert np.array_equal(near, matrix)
        return
    slow = nearest_by_dual(matrix)
    assert np.linalg.norm(near - matrix) <= np.linalg.norm(slow - matrix) + 1e-6
    np.testing.assert_allclose(near, slow, atol=1e-5)


def test_higham_s_example() -> None:
    """Higham 2002: the nearest of this matrix is printed there as 0.7607 and 0.1573."""
    near, off = nearest_correlation(np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1.0]]))
    np.testing.assert_allclose(near, [[1, 0.7607, 0.1573], [0.7607, 1, 0.7607], [0.1573, 0.7607, 1]], atol=1e-4)
    assert off == pytest.approx(0.2393, abs=1e-4)


def test_repair_is_told() -> None:
    """Columns whose copula is no correlation matrix: 2 sin(pi r / 6) of a singular r."""
    n = 300
    base = np.random.default_rng(1).permutation(n)
    frame = pl.DataFrame({"a": base, "b": base, "x": base})
    attributes = {"a": om.Numeric(), "b": om.Numeric(), "x": sensitive(om.Numeric())}
    assert any("did not form a correlation matrix" in note for note in map(str, anonymized(frame, attributes).notes))
