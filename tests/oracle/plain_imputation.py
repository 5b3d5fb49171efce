"""Sequential regression imputation as docs/methods/imputation.md defines it, record by record, in plain Python.

Written from the formulas, without the product's linear algebra, sorting or tables. What is random is asked of a generator in
this order: for every column a permutation that settles ties between categories; then, release by release and masked column by
masked column, for missingness and then for the value: one chi^2, one normal for the constant and each predictor, and one normal
(model pmm: one uniform) for each record.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from statistics import NormalDist
from typing import Any

from tests.oracle.plain_masking import EQUAL, PlainColumn, Value, decimals_of

NORMAL = NormalDist()
RECORDS_EACH, COLLINEAR, LEAST_LEFT, NEAR = 10, 1e-8, 1e-4, 1e-9
Column = list[float]


def quantile(share: float) -> float:
    return NORMAL.inv_cdf(share)


def below(x: float) -> float:
    return NORMAL.cdf(x)


# ---- columns as numbers ----------------------------------------------------------------------------------------------


class Line:
    """A column, its distinct values in order, and the number that stands for each in regressions."""

    def __init__(self, plain: PlainColumn, rng: Any, raw: bool) -> None:
        self.plain, self.values = plain, plain.column
        seen = list(dict.fromkeys(self.values))
        mixed = rng.permutation(len(seen)).tolist()
        keys = _keys(plain, seen)
        order = sorted(range(len(seen)), key=lambda i: (keys[i], mixed[i]))
        self.order = [seen[i] for i in order if seen[i] is not None]
        often = Counter(self.values)
        self.counts = [often[value] for value in self.order]
        self.present, self.missing = sum(self.counts), often[None]
        self.raw = raw and plain.kind == "numeric"
        if self.raw and self.present:
            numbers = [float(v) for v in self.values if v is not None]
            self.middle = math.fsum(numbers) / len(numbers)
            self.unit = math.sqrt(math.fsum((x - self.middle) ** 2 for x in numbers) / len(numbers)) or 1.0
        self.score = dict(zip(self.order, scores(self.counts), strict=True))

    @property
    def flagged(self) -> bool:
        return min(self.missing, self.present) >= RECORDS_EACH

    @property
    def constant(self) -> bool:
        return len(self.order) + (self.missing > 0) <= 1

    def predictors(self, values: Sequence[Value]) -> list[Column]:
        """What the column says of records that show these values."""
        if self.raw:
            own = [0.0 if v is None else (v - self.middle) / self.unit for v in values]
        else:
            own = [0.0 if v is None else self.score[v] for v in values]
        return [own, [float(v is None) for v in values]] if self.flagged else [own]


def _keys(plain: PlainColumn, seen: list[Value]) -> list[float]:
    """Numbers and ranks as they are, missing last; categories by the rank of their marginality."""
    if plain.kind in ("ordinal", "numeric"):
        return [math.inf if v is None else float(plain.rank(v)) for v in seen]
    sums = [math.fsum(plain.separation(x, y) for y in plain.column) for x in seen]
    ranks, rank, last = {}, -1, -math.inf
    for i in sorted(range(len(seen)), key=lambda i: sums[i]):
        rank += sums[i] > last + EQUAL * abs(last) if last > -math.inf else 1
        ranks[i], last = float(rank), sums[i]
    return [ranks[i] for i in range(len(seen))]


def scores(counts: Sequence[int]) -> list[float]:
    """Normal quantiles at (rank - 1/2) / n, scaled to mean square 1, the mean over all records of a place."""
    n = sum(counts)
    every = [quantile((i + 0.5) / n) for i in range(n)]
    size = math.sqrt(math.fsum(q * q for q in every) / n) if n else 0.0
    made, at = [], 0
    for count in counts:
        made.append(math.fsum(every[at : at + count]) / count / size if size > 0 else 0.0)
        at += count
    return made


# ---- regression ------------------------------------------------------------------------------------------------------


def mean(x: Sequence[float]) -> float:
    return math.fsum(x) / len(x)


class Fit:
    """Least squares on standardized predictors by Gauss elimination; a predictor that repeats others is left out."""

    def __init__(self, y: Column, predictors: list[Column]) -> None:
        self.n, self.level = len(y), mean(y)
        off = [v - self.level for v in y]
        spread = math.sqrt(mean([v * v for v in off]))
        centre = [mean(x) for x in predictors]
        scale = [math.sqrt(mean([(v - c) ** 2 for v in x])) for x, c in zip(predictors, centre, strict=True)]
        standard = {i: [(v - centre[i]) / scale[i] for v in x] for i, x in enumerate(predictors) if scale[i] > 1e-9}
        with_y = {i: mean([a * b for a, b in zip(x, off, strict=True)]) for i, x in standard.items()}
        most = max(self.n // RECORDS_EACH - 1, 0)
        ranked = sorted(standard, key=lambda i: -round(abs(with_y[i]) / spread if spread > 0 else 0.0, 9))
        self.used: list[int] = []
        for i in sorted(ranked[:most]):
            trial = [*self.used, i]
            left = _determinant(_correlations(standard, trial)) / _determinant(_correlations(standard, self.used))
            if left >= COLLINEAR:
                self.used = trial
        table = _correlations(standard, self.used)
        self.root = _cholesky(table)
        self.slopes = _solve(table, [with_y[i] for i in self.used])
        self.explained = math.fsum(b * with_y[i] for b, i in zip(self.slopes, self.used, strict=True))
        self.squares = self.n * max(spread * spread - self.explained, 0.0)
        self.centre, self.scale = centre, scale

    def expect(self, predictors: list[Column], level: float, slopes: list[float]) -> Column:
        n = len(predictors[0]) if predictors else 0
        return [
            level
            + sum(
                b * (predictors[i][r] - self.centre[i]) / self.scale[i] for b, i in zip(slopes, self.used, strict=True)
            )
            for r in range(n)
        ]

    def posterior(self, rng: Any) -> tuple[float, list[float], float]:
        chi2 = float(rng.chisquare(self.n - 1 - len(self.used)))
        normal = rng.standard_normal(1 + len(self.used)).tolist()
        sigma = math.sqrt(self.squares / chi2)
        across = [list(row) for row in zip(*self.root, strict=True)]
        turned = _solve(across, normal[1:])
        unit = sigma / math.sqrt(self.n)
        return self.level + unit * normal[0], [b + unit * t for b, t in zip(self.slopes, turned, strict=True)], chi2


def _correlations(columns: dict[int, Column], chosen: list[int]) -> list[list[float]]:
    return [
        [1.0 if i == j else mean([a * b for a, b in zip(columns[i], columns[j], strict=True)]) for j in chosen]
        for i in chosen
    ]


def _solve(table: list[list[float]], right: list[float]) -> list[float]:
    """Gauss-Jordan with pivots."""
    size = len(right)
    rows = [[*row, value] for row, value in zip(table, right, strict=True)]
    for i in range(size):
        best = max(range(i, size), key=lambda r: abs(rows[r][i]))
        rows[i], rows[best] = rows[best], rows[i]
        rows[i] = [v / rows[i][i] for v in rows[i]]
        for r in range(size):
            if r != i:
                rows[r] = [a - rows[r][i] * b for a, b in zip(rows[r], rows[i], strict=True)]
    return [row[-1] for row in rows]


def _determinant(table: list[list[float]]) -> float:
    rows, size, made = [list(row) for row in table], len(table), 1.0
    for i in range(size):
        best = max(range(i, size), key=lambda r: abs(rows[r][i]))
        if rows[best][i] == 0:
            return 0.0
        if best != i:
            rows[i], rows[best], made = rows[best], rows[i], -made
        made *= rows[i][i]
        for r in range(i + 1, size):
            factor = rows[r][i] / rows[i][i]
            rows[r] = [a - factor * b for a, b in zip(rows[r], rows[i], strict=True)]
    return made


def _cholesky(table: list[list[float]]) -> list[list[float]]:
    """L, lower triangular, with L L' = the table."""
    size = len(table)
    root = [[0.0] * size for _ in range(size)]
    for i in range(size):
        for j in range(i + 1):
            left = table[i][j] - math.fsum(root[i][k] * root[j][k] for k in range(j))
            root[i][j] = math.sqrt(left) if i == j else left / root[j][j]
    return root


# ---- drawing ---------------------------------------------------------------------------------------------------------


def draw_places(
    place: list[int], counts: list[int], fitted: list[Column], shown: list[Column], n: int, rng: Any
) -> Any:
    """Places drawn through the normal variable behind them."""
    score = scores(counts)
    v = mean([score[p] ** 2 for p in place])
    fit = Fit([score[p] / v for p in place], fitted)
    if fit.explained > 1 - LEAST_LEFT:
        shrink = math.sqrt((1 - LEAST_LEFT) / fit.explained)
        fit.slopes, fit.explained = [b * shrink for b in fit.slopes], 1 - LEAST_LEFT
    left = 1 - fit.explained
    behind = fit.expect(fitted, fit.level, fit.slopes) if fitted else [fit.level] * fit.n
    level, slopes, chi2 = fit.posterior(rng)
    noise = rng.standard_normal(n).tolist()
    expected = fit.expect(shown, level, slopes) if shown else [level] * n
    deviation = math.sqrt(fit.n * left / chi2)
    made = []
    for mu, e in zip(expected, noise, strict=True):
        z = mu + deviation * e
        share = mean([below((z - centre) / math.sqrt(left)) for centre in behind])
        rank = min(math.floor(share * fit.n + NEAR), fit.n - 1)
        made.append(next(p for p in range(len(counts)) if rank < sum(counts[: p + 1])))
    return made


def draw_donors(
    place: list[int],
    counts: list[int],
    fitted: list[Column],
    rows: list[int],
    donors: int,
    shown: list[Column],
    n: int,
    rng: Any,
) -> list[int]:
    score = scores(counts)
    fit = Fit([score[p] for p in place], fitted)
    offered = fit.expect(fitted, fit.level, fit.slopes) if fitted else [fit.level] * fit.n
    offered = [round(x, 9) for x in offered]
    level, slopes, _ = fit.posterior(rng)
    wanted = fit.expect(shown, level, slopes) if shown else [level] * n
    uniform = rng.random(n).tolist()
    by_offer = sorted(range(len(rows)), key=lambda i: offered[i])
    made = []
    for record in range(n):
        others = [i for i in by_offer if rows[i] != record]
        off = sorted(abs(offered[i] - wanted[record]) for i in others)
        reach = off[min(donors, len(rows) - 1) - 1] + NEAR
        pool = [i for i in others if abs(offered[i] - wanted[record]) <= reach]
        made.append(place[pool[min(math.floor(uniform[record] * len(pool)), len(pool) - 1)]])
    return made


def draw_numbers(
    numbers: list[float], fitted: list[Column], shown: list[Column], n: int, bounded: bool, rng: Any
) -> Any:
    middle = mean(numbers)
    unit = math.sqrt(mean([(x - middle) ** 2 for x in numbers]))
    fit = Fit([(x - middle) / unit for x in numbers], fitted)
    level, slopes, chi2 = fit.posterior(rng)
    deviation = math.sqrt(max(fit.squares, LEAST_LEFT * fit.n) / chi2)
    noise = rng.standard_normal(n).tolist()
    expected = fit.expect(shown, level, slopes) if shown else [level] * n
    low, high = (min(numbers) - middle) / unit, (max(numbers) - middle) / unit
    made = []
    for mu, e in zip(expected, noise, strict=True):
        if not bounded:
            made.append(middle + unit * (mu + deviation * e))
            continue
        begin, end = below((low - mu) / deviation), below((high - mu) / deviation)
        share = begin + below(e) * (end - begin)
        inside = mu + deviation * quantile(share) if 0 < share < 1 else (-math.inf if share <= 0 else math.inf)
        made.append(min(max(middle + unit * min(max(inside, low), high), min(numbers)), max(numbers)))
    return made


def impute(
    columns: Sequence[PlainColumn],
    masked: Sequence[bool],
    model: str,
    rng: Any,
    m: int = 1,
    donors: int = 5,
    bounded: bool = True,
) -> list[list[list[Value]]]:
    """m releases, each the columns of values that it shows."""
    lines = [Line(column, rng, model == "linear") for column in columns]
    n = len(columns[0].column)
    released = []
    for _ in range(m):
        shown = [list(line.values) for line in lines]
        for i, line in enumerate(lines):
            if not masked[i] or line.constant:
                continue
            known = [j for j in range(len(lines)) if not masked[j] or j < i]
            original = [p for j in known for p in lines[j].predictors(lines[j].values)]
            now = [p for j in known for p in lines[j].predictors(shown[j])]
            gone = [0] * n
            if line.missing:
                absent = [int(v is None) for v in line.values]
                counts = [line.present, line.missing] if line.present else [line.missing]
                gone = draw_places(absent, counts, original, now, n, rng)
            rows = [r for r in range(n) if line.values[r] is not None]
            fitted = [[p[r] for r in rows] for p in original]
            place = [line.order.index(line.values[r]) for r in rows]
            drawn: list[Value]
            if len(line.order) == 1:
                drawn = [line.order[0]] * n
            elif line.raw:
                numbers = draw_numbers([float(line.values[r]) for r in rows], fitted, now, n, bounded, rng)
                digits = decimals_of(line.order)
                drawn = [round(x, digits) for x in numbers]
            elif model == "pmm":
                drawn = [line.order[p] for p in draw_donors(place, line.counts, fitted, rows, donors, now, n, rng)]
            else:
                drawn = [line.order[p] for p in draw_places(place, line.counts, fitted, now, n, rng)]
            shown[i] = [None if absent_ else value for absent_, value in zip(gone, drawn, strict=True)]
        released.append(shown)
    return released
