"""Preserved statistics (specification 10): D12's variations, R17's semantic means, variances, correlations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from ontomask.arguments import is_number, whole_from
from ontomask.arrays import Floats, Longs
from ontomask.assessment.column_pairs import MOST_RECORDS, MOST_VALUES, ColumnPair, Sides
from ontomask.assessment.pairing import Pairing, pair_frames
from ontomask.errors import OptionError
from ontomask.statistics import dependence

#: Records of a random sample, at most.
MOST_SAMPLED = 50_000


@dataclass(frozen=True, eq=False)
class Preservation:
    """What masking left of the data's statistics, as three tables.

    Attributes
    ----------
    statistics : polars.DataFrame
        Mean, variance and covariance of the columns (D12 Tables 1-2), before and after, with
        delta = |after - before| / |before|, on all records and (``delta_samples``) on average over random samples.
    means : polars.DataFrame
        The semantic mean of each column before and after (R17 eq. 13), and how far apart they are, in 0..1.
    dependence : polars.DataFrame
        Distance variance of each column and distance correlation of each two (R17 eq. 14-16), before and after, with their
        absolute difference; ``records`` says on how many records.
    categories : frozenset of str
        The columns whose statistics are those of marginality.
    modes : frozenset of str
        The columns whose values are only equal or different: their mean is the most frequent value, and its drift 0 or 1.

    Notes
    -----
    Nominal and flat columns by marginality: the mean is the least marginality (Num_mean), the variance Var_M, the
    covariance the mean of sqrt(m(x) m(y)); there is none between a number and a category.
    """

    statistics: pl.DataFrame
    means: pl.DataFrame
    dependence: pl.DataFrame
    categories: frozenset[str] = frozenset()
    modes: frozenset[str] = frozenset()


def preservation(
    original: Any,
    masked: Any,
    attributes: Any,
    *,
    measure: str | None = None,
    records: Sequence[int] | None = None,
    aligned: bool = False,
    samples: int = 100,
    share: float = 0.1,
    seed: int = 0,
    **options: Any,
) -> Preservation:
    """How well the statistics of two frames agree whose rows belong together, on the columns that are masked.

    Parameters
    ----------
    original : DataFrame or path
        The original: a pandas, Polars or PyArrow frame, or the path of a file.
    masked : DataFrame or path
        The masked table, of the same records.
    attributes : Policy or mapping of str to attribute
        What the columns are.
    measure : str, optional
        One measure for all nominal columns, as a comparison of methods needs; not given: that of each column.
    records : sequence of int, optional
        The rows of the original that the masked rows belong to (``result.records``).
    aligned : bool, default False
        State that row i of one table belongs to row i of the other, although a column that is not masked differs.
    samples : int, default 100
        How many random samples show how well parts of the data are preserved.
    share : float, default 0.1
        The share of the records in each sample (of 50,000 at most).
    seed : int, default 0
        Fixes the samples that are drawn.
    **options
        Options of ``measure``.

    Returns
    -------
    Preservation
        Three tables: statistics, means and dependence.

    Notes
    -----
    ``records`` and ``aligned``: see :func:`ontomask.information_loss`.

    Examples
    --------
    >>> import ontomask as om, polars as pl
    >>> before = pl.DataFrame({"age": [30.0, 32.0, 50.0, 54.0]})
    >>> after = pl.DataFrame({"age": [31.0, 31.0, 52.0, 52.0]})
    >>> kept = om.preservation(before, after, {"age": om.Numeric()}, samples=0)
    >>> kept.statistics.select("statistic", "original", "masked").rows()
    [('mean', 41.5, 41.5), ('variance', 150.33333333333334, 147.0)]
    """
    pairing = pair_frames(original, masked, attributes, records, aligned=aligned).measured(measure, options)
    return preservation_of(pairing, samples=samples, share=share, seed=seed)


def require_sampling(samples: Any, share: Any, seed: Any) -> None:
    """Settings of the random samples, checked before the work."""
    whole_from(0, samples, "samples")
    whole_from(0, seed, "seed")
    if not is_number(share) or not 0 < share <= 1:
        raise OptionError(f"share={share!r}", remedy="Give a part of the records, such as 0.1.")


def preservation_of(pairing: Pairing, *, samples: int = 100, share: float = 0.1, seed: int = 0) -> Preservation:
    require_sampling(samples, share, seed)
    rng = np.random.default_rng(seed)
    sides = Sides.of(pairing)
    pairs = [
        ColumnPair.of(
            metric,
            pairing.original.codes[a][sides.before.tuple_of],
            pairing.masked.columns[a],
            pairing.masked.codes[a][sides.after.tuple_of],
            sides,
        )
        for a, metric in enumerate(pairing.distance.metrics)
    ]
    known = [pair for pair in pairs if not pair.metric.of_sets or pair.table is not None]
    whole = _statistics(known, [None])
    drawn = _samples(sides, samples, share, rng)
    parts = _statistics(known, drawn) if drawn else None
    rows = []
    for place, (name, one, other, before, after) in enumerate(whole):
        rows.append(
            {
                "statistic": name,
                "attribute": one,
                "with": other,
                "original": before[0],
                "masked": after[0],
                "delta": _delta(before, after)[0],
                "delta_samples": _mean_of_known(_delta(*parts[place][3:])) if parts else None,
            }
        )
    texts, numbers = ("statistic", "attribute", "with"), ("original", "masked", "delta", "delta_samples")
    schema = dict.fromkeys(texts, pl.String) | dict.fromkeys(numbers, pl.Float64)
    return Preservation(
        pl.DataFrame(rows, schema=schema),
        pl.DataFrame([_means(pair) for pair in pairs if not pair.metric.of_sets], schema=_MEANS),
        _dependence(pairs, sides, rng),
        frozenset(pair.name for pair in pairs if not pair.is_line),
        frozenset(pair.name for pair in pairs if not pair.metric.column.graded),
    )


#: The columns of the table of means; sets have none.
_MEANS = {"attribute": pl.String, "original": pl.String, "masked": pl.String, "drift": pl.Float64}


def _mean_of_known(deltas: Floats) -> float | None:
    """Samples of fewer than two known numbers have no variance and say nothing."""
    known = deltas[~np.isnan(deltas)]
    return float(known.mean()) if len(known) else None


def _samples(sides: Sides, samples: int, share: float, rng: np.random.Generator) -> list[Any]:
    """Records that stayed, so many at a time: their rows in the original and in the masked table."""
    size = min(round(share * sides.records), MOST_SAMPLED)
    return [] if size < 2 else [sides.sample(size, rng) for _ in range(samples)]


def _delta(before: Floats, after: Floats) -> Floats:
    """|after - before| / |before|; where nothing was, 0 if nothing is, else infinite."""
    change = np.abs(after - before)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(change == 0, 0.0, change / np.abs(before))


# ---- means, variances, covariances (D12) ---------------------------------------------------------------------------

Row = tuple[str, str, str | None, Floats, Floats]


def _statistics(pairs: Sequence[ColumnPair], parts: Sequence[Any]) -> list[Row]:
    """Every statistic before and after, an entry for each part of the records."""
    shape = (2, len(parts))
    rows: list[Row] = []
    means, variances = np.empty((len(pairs), *shape)), np.empty((len(pairs), *shape))
    index_pairs = [(i, j) for i, j in combinations(range(len(pairs)), 2) if pairs[i].is_line == pairs[j].is_line]
    covariances = np.empty((len(index_pairs), *shape))
    for side in range(2):
        known = [None if pair.is_line else pair.marginalities(parts, bool(side)) for pair in pairs]
        for at, part in enumerate(parts):
            scores = []
            for i, pair in enumerate(pairs):
                own = known[i]
                codes = pair.codes(part, bool(side))
                if own is None:
                    mean, variance = _line_moments(pair, pair.counts(part, bool(side)))
                    score = pair.numbers(part, bool(side))
                else:
                    mean, variance, score = _moments(own[0][at], own[1][at], codes)
                means[i, side, at], variances[i, side, at] = mean, variance
                scores.append(score)
            for place, (i, j) in enumerate(index_pairs):
                weights = pairs[i].weights(part, bool(side))
                covariances[place, side, at] = _covariance(scores[i], scores[j], weights, pairs[i].is_line)
    rows += [("mean", pair.name, None, *means[i]) for i, pair in enumerate(pairs)]
    rows += [("variance", pair.name, None, *variances[i]) for i, pair in enumerate(pairs)]
    rows += [
        ("covariance", pairs[i].name, pairs[j].name, *covariances[place]) for place, (i, j) in enumerate(index_pairs)
    ]
    return rows


def _moments(marginality: Floats, counts: Longs, codes: Longs) -> tuple[float, float, Floats]:
    """Mean and variance of categories, and for each record what its covariances are made of."""
    mean = float(marginality[counts > 0].min())
    return mean, float((marginality * counts).sum() / counts.sum()), np.sqrt(np.maximum(marginality, 0.0))[codes]


def _line_moments(pair: ColumnPair, counts: Longs) -> tuple[float, float]:
    """Mean and variance of numbers or ranks, from how often each occurs: rearranged values have the very same."""
    present = ~pair.metric.column.is_missing(pair.values)
    values, counts = pair.values[present].astype(np.float64), counts[present]
    n = counts.sum()
    mean = float((values * counts).sum() / n) if n else float("nan")
    return mean, float((counts * (values - mean) ** 2).sum() / (n - 1)) if n > 1 else float("nan")


def _covariance(one: Floats, other: Floats, weights: Longs | None, line: bool) -> float:
    """The covariance of two columns; ``weights``: how many records each row stands for, if it is not one."""
    if weights is not None:
        return _weighted_covariance(one, other, weights, line)
    if not line:
        return float((one * other).mean())
    known = ~(np.isnan(one) | np.isnan(other))
    if known.sum() < 2:
        return float("nan")
    x, y = one[known], other[known]
    return float(((x - x.mean()) * (y - y.mean())).sum() / (len(x) - 1))


def _weighted_covariance(one: Floats, other: Floats, weights: Longs, line: bool) -> float:
    if not line:
        return float((one * other * weights).sum() / weights.sum())
    known = ~(np.isnan(one) | np.isnan(other))
    x, y, w = one[known], other[known], weights[known]
    n = int(w.sum())
    if n < 2:
        return float("nan")
    return float(((x - (x * w).sum() / n) * (y - (y * w).sum() / n) * w).sum() / (n - 1))


# ---- semantic means, distance variances and correlations (R17) -------------------------------------------------------


def _means(pair: ColumnPair) -> dict[str, Any]:
    """The semantic mean before and after (R17 eq. 13; the most frequent value, the mean of numbers or ranks), and the distance
    between them."""
    centres = [pair.metric.mean_centre(pair.values, pair.counts(None, masked)) for masked in (False, True)]
    gone = [isinstance(c, float) and np.isnan(c) for c in centres]  # nothing but missing values
    drift = np.array([0.0]) if all(gone) else pair.metric.scaled(*(np.array([c]) for c in centres))
    column = pair.metric.column
    # A mean of amounts or ranks is a number, of other values, such as dates, a value.
    as_value = not pair.is_line or (column.continuous and not column.attribute.quantity)
    shown = [str(column.decode(np.array([c]))[0]) if as_value else f"{c:g}" for c in centres]
    return {"attribute": pair.name, "original": shown[0], "masked": shown[1], "drift": float(drift[0])}


def _dependence(pairs: Sequence[ColumnPair], sides: Sides, rng: np.random.Generator) -> pl.DataFrame:
    """sdVar of each column and sdCor of each two; with numbers among them on a sample where there are many records."""
    part = None
    if sides.records > MOST_RECORDS or sides.before.counts is not None:
        part = sides.sample(min(MOST_RECORDS, sides.records), rng)
    columns: dict[tuple[int, bool, bool], dependence.DistanceColumn | None] = {}

    def column(i: int, masked: bool, sampled: bool) -> dependence.DistanceColumn | None:
        key = (i, masked, sampled)
        if key not in columns:
            columns[key] = _distance_column(pairs[i], part if sampled else None, masked)
        return columns[key]

    rows = []
    for i in range(len(pairs)):
        for j in range(i, len(pairs)):
            sampled = part is not None and (pairs[i].is_line or pairs[j].is_line)
            found = [(column(i, masked, sampled), column(j, masked, sampled)) for masked in (False, True)]
            figures = [
                None if a is None or b is None else a.variance if i == j else dependence.correlation_of(a, b)
                for a, b in found
            ]
            before, after = figures
            rows.append(
                {
                    "statistic": "sdVar" if i == j else "sdCor",
                    "attribute": pairs[i].name,
                    "with": None if i == j else pairs[j].name,
                    "original": before,
                    "masked": after,
                    "difference": None if before is None or after is None else abs(after - before),
                    "records": len(part[1]) if sampled and part is not None else sides.before.records,
                }
            )
    rows.sort(key=lambda row: row["statistic"] != "sdVar")
    floats = dict.fromkeys(("original", "masked", "difference"), pl.Float64)
    return pl.DataFrame(rows, schema_overrides={"with": pl.String, **floats}, infer_schema_length=None)


def _distance_column(pair: ColumnPair, part: Any, masked: bool) -> dependence.DistanceColumn | None:
    """The column as distance covariances want it; None where it would need too large a table."""
    codes = pair.codes(part, masked)
    if pair.is_line:
        numbers = pair.numbers(part, masked)
        if not np.isnan(numbers).any():
            return dependence.MeasuredColumn(numbers)
        if len(pair.values) > MOST_VALUES:
            return None
        at = np.arange(len(pair.values))
        table = pair.metric.distance(np.repeat(pair.values, len(at)), np.tile(pair.values, len(at)))
        return dependence.CategoryColumn(codes, table.reshape(len(at), len(at)), pair.weights(part, masked))
    return None if pair.table is None else dependence.CategoryColumn(codes, pair.table, pair.weights(part, masked))
