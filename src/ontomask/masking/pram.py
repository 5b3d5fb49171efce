"""PRAM by meaning: values are replaced at random, preferably by near ones, and counts are kept in expectation.

R_ij is the probability that value i is released as j. With counts t and closeness K_ij = exp(-d_ij / reach), weights a are
sought with

    a_i sum_(j != i) K_ij a_j = (1 - keep) t_i        for every value i

(symmetric matrix scaling; Sinkhorn & Knopp 1967), and R_ij = a_i a_j K_ij / t_i off the diagonal. Then t_i R_ij = t_j R_ji:
as many records are expected to go from i to j as back, so expected counts are those of the original, exactly (invariant
PRAM: Gouweleeuw, Kooiman, Willenborg & de Wolf 1998). Every value is kept with the same probability, and of all such
matrices this one is nearest to K (least Kullback-Leibler divergence).

A value of half of the records or more cannot change as often as the others: there are too few of them to take its place. It
counts as close to itself as the nearest other value is (K_ii = max_j K_ij): part of its draws leave it as it is. (With K_ii =
1 it would be kept nearly always, and the others would only be exchanged among themselves.) Where the scaling is not finished
after the allowed rounds, flows that are too large are cut: t_i R_ij = a_i a_j K_ij min(c_i, c_j) with c_i <= 1. That keeps
balance and leaves values kept more often than was asked for, never less.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Literal, Self

import numpy as np
import polars as pl
from pydantic import BeforeValidator, Field

from ontomask.arguments import counted
from ontomask.arrays import Floats, Longs
from ontomask.errors import DataError
from ontomask.kernels.perturbation import draw_values, keep_probabilities, sums_of_rows
from ontomask.masking.displacement import measure_changes
from ontomask.masking.method import DistanceMethod, Masked, RandomMethod, SelectiveMethod
from ontomask.masking.scores import by_code, present_codes
from ontomask.microdata.column_distance import ColumnDistance
from ontomask.microdata.encoding import Table, Tuples
from ontomask.privacy.diagnostics import Changes
from ontomask.privacy.models import Model
from ontomask.progress import Progress
from ontomask.settings import number
from ontomask.statements import Statement, caveat, note, promised, unchanged
from ontomask.wording import RECORD, Unit

#: Different numbers of a numeric column at most: more are measurements, not categories.
MOST_NUMBERS = 1000
#: Values of a column whose whole transition matrix is listed for the steward.
MOST_LISTED = 300


#: The probabilities of change that a comparison tries, as multiples of the policy's own.
CHANGE = (0.5, 1.0, 1.5, 2.0)


class PRAM(RandomMethod, SelectiveMethod, DistanceMethod):
    """Post-randomisation: each value is kept with a stated probability, else replaced by another of its column.

    Notes
    -----
    The probability of a replacement falls with its distance, by a factor e for each ``reach``. The matrix of all
    probabilities is invariant: the expected number of records with each value is what it was. Flat values are all
    equally near; ordered categories and numbers of few different values are as near as their ranks or numbers. Missing
    values stay missing.

    Examples
    --------
    >>> import ontomask as om
    >>> om.PRAM(keep=0.9)
    PRAM(keep=0.9)
    """

    name: Literal["pram"] = "pram"
    keep: Annotated[float, BeforeValidator(number), Field(ge=0, lt=1)] = Field(
        default=0.8, description="the probability that a value is kept"
    )
    reach: Annotated[float, BeforeValidator(number), Field(ge=0.01, le=100)] = Field(
        default=0.1,
        description="the distance, in units of the column's largest, over which a replacement gets less likely by a factor e",
    )

    def variations(self, require: Sequence[Model]) -> dict[str, Self]:
        keeps = sorted({1 - min((1 - self.keep) * step, 1.0) for step in CHANGE}, reverse=True)
        return {f"keep={keep:g}": self.changed(keep=round(keep, 12)) for keep in keeps}

    def require_enough(self, table: Tuples) -> None:
        for column, masked in zip(table.columns, self.chosen(table), strict=True):
            if masked and column.continuous and len(column) > MOST_NUMBERS:
                raise DataError(
                    f"holds {len(column):,} different numbers; PRAM replaces categories, and takes numbers for them up to "
                    f"{MOST_NUMBERS:,}",
                    where=column.where,
                    remedy="Mask it with noise_addition, round it, or name the columns to mask without it: columns=[...].",
                )

    def mask(self, table: Table, rng: np.random.Generator, progress: Progress) -> Masked:
        self.require_enough(table)
        chosen = self.chosen(table)
        measured = self.measured(table).columns
        codes = [table.codes_of(a).astype(np.int64) for a in range(len(table.columns))]
        rows: list[dict[str, object]] = []
        parts: list[pl.DataFrame] = []
        matrices: list[pl.DataFrame] = []
        notes: list[Statement] = []
        for place, column in enumerate(measured):
            if not chosen[place]:
                continue
            progress(place / len(measured), f"replacing values of {column.name}")
            made = Transitions.of(column.metric(), self.keep, self.reach)
            before, codes[place] = codes[place], made.draw(codes[place], rng.random(table.n))
            rows.append(self._row(made, before, codes[place]))
            parts.append(_categories(made, codes[place]))
            matrices += [_listed(made)] if len(made) <= MOST_LISTED else []
            notes += _notes(made)
        changes = Changes(pl.DataFrame(rows))
        details = {"categories": pl.concat(parts)} | ({"transitions": pl.concat(matrices)} if matrices else {})
        caveats = [*self.left_alone(table), *self._caveats(changes)]
        return Masked.of_codes(table, codes, notes=notes, diagnostics=changes, caveats=caveats, details=details)

    def transitions(self, table: Tuples) -> dict[str, Transitions]:
        """The transition matrices of the masked columns, by name: ``matrix()`` of one is the whole of it."""
        columns = zip(self.measured(table).columns, self.chosen(table), strict=True)
        return {c.name: Transitions.of(c.metric(), self.keep, self.reach) for c, masked in columns if masked}

    def _row(self, made: Transitions, before: Longs, codes: Longs) -> dict[str, object]:
        kept, counts = made.keep, made.counts
        after = np.bincount(codes, minlength=len(made.metric.column))[made.values]
        figures = {
            "categories": len(made),
            "keep": self.keep,
            "keep_min": float(kept.min(initial=1.0)),
            "keep_mean": float((kept * counts).sum() / counts.sum()) if len(counts) else 1.0,
            "keep_max": float(kept.max()) if len(kept) else 1.0,
            "count_change_max": int(np.abs(after - counts).max(initial=0)),
        }
        return measure_changes(made.metric, before, codes) | figures

    def _caveats(self, changes: Changes) -> list[Statement]:
        said = [unchanged(name) for name in changes.unchanged]
        for row in changes.table.iter_rows(named=True):
            if row["categories"] > 1 and row["keep_max"] > self.keep + 1e-6:
                told = f"{row['attribute']}: some values were kept with a higher probability than {self.keep:g}"
                figures = f"up to {row['keep_max']:.3f} (on average over records {row['keep_mean']:.3f})"
                said.append(caveat(f"{told}, {figures}.", row["attribute"], f"{told}."))
        return said

    @property
    def title(self) -> str:
        return "PRAM"

    def explain(self, unit: Unit = RECORD) -> str:
        return (
            f"Each value of the masked columns was kept with a probability of at least {self.keep:g}. Otherwise it was "
            "replaced at random by another value of its column, preferably a similar one."
        )

    def assurances(self, unit: Unit = RECORD) -> list[Statement]:
        return [
            promised(
                f"Each value of a masked column was kept with a probability of at least {self.keep:g}. Otherwise it was "
                "replaced by another value of the column, preferably a near one. In expectation, each value occurs in as many "
                "records as in the original; the actual numbers differ by chance. Missing values stay missing."
            ),
            promised(
                "A released value is the original one with the probability with which the value was kept. An intruder who has "
                "only this column and the transition matrix knows no more; other columns may disclose more."
            ),
            caveat(
                "PRAM is not k-anonymous: a combination of values may be unique. Judge the release by record linkage. "
                "Relations between columns are weakened; the steward has the transition matrix, which serves to correct this."
            ),
        ]


def _categories(made: Transitions, codes: Longs) -> pl.DataFrame:
    """A row for each value: how many records had it, which is also the expected number, and how many show it."""
    column = made.metric.column
    after = np.bincount(codes, minlength=len(column))[made.values]
    return pl.DataFrame(
        {
            "attribute": pl.Series([column.name] * len(made), dtype=pl.String),
            "value": _texts(made),
            "expected": pl.Series(made.counts.astype(np.int64)),
            "released": pl.Series(after.astype(np.int64)),
            "keep": pl.Series(made.keep),
        }
    )


def _listed(made: Transitions) -> pl.DataFrame:
    """The transition matrix, a row for each pair of values."""
    size, texts = len(made), _texts(made)
    return pl.DataFrame(
        {
            "attribute": pl.Series([made.metric.column.name] * size**2, dtype=pl.String),
            "original": texts.gather(np.repeat(np.arange(size), size)),
            "released": texts.gather(np.tile(np.arange(size), size)),
            "probability": pl.Series(made.matrix().ravel()),
        }
    )


def _texts(made: Transitions) -> pl.Series:
    return made.metric.column.values.gather(made.values).cast(pl.String)


def _notes(made: Transitions) -> list[Statement]:
    name, notes = made.metric.column.name, []
    if made.metric.column.missing is not None:
        notes.append(note(f"{name}: missing values stay missing", name))
    if len(made) < 2:
        notes.append(
            note(f"{name}: {counted(len(made), 'category', 'categories')}: no other value to replace it with", name)
        )
    if len(made) > MOST_LISTED:
        notes.append(
            note(
                f"{name}: {len(made):,} categories; the transition matrix is not listed: "
                f"method.transitions(result.prepared.table)[{name!r}].matrix() has it",
                name,
            )
        )
    return notes


#: The scaling is finished when every sum is right to this, relatively.
FINISHED = 1e-11
#: Rounds of the scaling at most, and products of all rounds together.
ROUNDS, PRODUCTS = 2_000, 4_000_000_000


@dataclass(frozen=True, eq=False)
class Transitions:
    """The transition matrix of one column over its ``values``, the codes that are not missing, with their ``counts``."""

    metric: ColumnDistance
    values: Longs
    counts: Floats
    closeness: Floats
    weights: Floats
    cut: Floats

    @staticmethod
    def of(metric: ColumnDistance, keep: float, reach: float) -> Transitions:
        values = present_codes(metric.column)
        counts = metric.column.counts[values].astype(np.float64)
        closeness = relative_distances(metric, values)
        np.exp(np.divide(closeness, -reach, out=closeness), out=closeness)
        total = counts.sum()
        alone = not (len(counts) == 2 and counts[0] == counts[1])
        np.fill_diagonal(closeness, 0.0)
        if len(counts) < 2:
            return Transitions(metric, values, counts, closeness, np.zeros(len(counts)), np.ones(len(counts)))
        np.fill_diagonal(closeness, np.where(alone & (2 * counts >= total), closeness.max(axis=1), 0.0))
        wanted = (1 - keep) * counts
        weights, reached = balanced(closeness, wanted)
        return Transitions(metric, values, counts, closeness, weights, np.minimum(1.0, wanted / reached))

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def keep(self) -> Floats:
        """The probability of each value to be kept: the diagonal of the matrix."""
        kept = np.ones(len(self))
        if len(self) > 1:
            keep_probabilities(self.closeness, self.weights, self.cut, self.counts, kept)
        return kept

    def matrix(self) -> Floats:
        """All probabilities: row i is what value i may become."""
        flows = self.weights[:, None] * self.weights * self.closeness
        matrix: Floats = flows * np.minimum(self.cut[:, None], self.cut) / self.counts[:, None]
        np.fill_diagonal(matrix, self.keep)
        return matrix

    def draw(self, codes: Longs, uniform: Floats) -> Longs:
        """A new code for each record, whose ``codes`` these are; missing values stay."""
        if len(self) < 2:
            return codes
        codes = codes.copy()
        place = np.full(len(self.metric.column), -1)
        place[self.values] = np.arange(len(self))
        here = np.flatnonzero(place[codes] >= 0)
        records, at = by_code(place[codes[here]], len(self))
        drawn = np.empty(len(here), dtype=np.int64)
        draw_values(self.closeness, self.weights, self.cut, self.counts, self.keep, records, at, uniform[here], drawn)
        codes[here] = self.values[drawn]
        return codes


def relative_distances(metric: ColumnDistance, codes: Longs) -> Floats:
    """The distances of values of a column from each other, in 0..1; the table is the caller's own."""
    table = metric.table_of(codes)
    return np.divide(table, metric.scale, out=table) if metric.scale > 0 else table


def balanced(closeness: Floats, wanted: Floats) -> tuple[Floats, Floats]:
    """Weights a with a_i sum_j closeness_ij a_j = wanted_i, and what the left side is with them."""
    weights, sums = np.sqrt(wanted), np.empty(len(wanted))
    rounds = min(ROUNDS, max(PRODUCTS // len(wanted) ** 2, 50))
    for _ in range(rounds):
        sums_of_rows(closeness, weights, sums)
        if np.abs(weights * sums / wanted - 1).max() < FINISHED:
            break
        weights = np.sqrt(weights * wanted / sums)
    sums_of_rows(closeness, weights, sums)
    return weights, weights * sums
