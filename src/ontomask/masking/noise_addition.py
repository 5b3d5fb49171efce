"""Noise addition: random noise on the scores of each column, mapped back to values (Kim 1986; outlooks of M13 and D12)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field

from ontomask.arrays import TIE, Array, Floats, Longs
from ontomask.masking.displacement import measure_changes
from ontomask.masking.method import DistanceMethod, Masked, RandomMethod, SelectiveMethod
from ontomask.masking.scores import Nearest, Scores, moments, moved_concepts, moved_numbers, moved_ranks, present_codes
from ontomask.microdata.column_distance import ColumnDistance
from ontomask.microdata.encoding import Table
from ontomask.privacy.diagnostics import Changes
from ontomask.privacy.models import Model
from ontomask.progress import Progress
from ontomask.settings import number
from ontomask.statements import Statement, caveat, note, promised, unchanged
from ontomask.statistics.correlation import nearest_correlation
from ontomask.wording import RECORD, Unit

#: The noise that a comparison tries, as multiples of the policy's own.
NOISE = (0.5, 1.0, 2.0, 4.0)


class NoiseAddition(RandomMethod, SelectiveMethod, DistanceMethod):
    """Each column gets random noise whose variance is a share of the column's own; what comes out are values again.

    Notes
    -----
    Numbers are rounded to the precision of their column. Ordered categories have noise added to their ranks and take the
    nearest rank that occurs. Nominal values move by a normal displacement along their marginality and away from
    themselves, and take the value that occurs nearest to both (``nearest``). Flat values have no scores: each is drawn anew
    from its column with the probability 1 - 1 / sqrt(1 + share), which weakens its indicators just as noise weakens a
    number. Missing values stay missing.

    Examples
    --------
    >>> import ontomask as om
    >>> om.NoiseAddition(share=0.2)
    NoiseAddition(share=0.2)
    """

    name: Literal["noise_addition"] = "noise_addition"
    share: Annotated[float, BeforeValidator(number), Field(gt=0, le=100)] = Field(
        default=0.1, description="the variance of the noise, as a share of the variance of each column"
    )
    correlated: bool = Field(
        default=False,
        description="noise that correlates as the columns do, so that correlations are kept in expectation",
    )
    rescale: bool = Field(
        default=True,
        description="divide deviations from the mean by sqrt(1 + share), so that variances are kept in expectation",
    )
    limits: Literal["kept", "free"] = Field(
        default="kept",
        description="kept reflects numbers that noise carried beyond the smallest or largest of the column; free does not",
    )
    nearest: Nearest = Field(
        default="meaning",
        description="nominal values: by meaning, or to the value with the nearest score, however far it is in meaning",
    )

    def variations(self, require: Sequence[Model]) -> dict[str, Self]:
        shares = sorted({min(self.share * step, 100.0) for step in NOISE})
        return {f"share={share:g}": self.changed(share=share) for share in shares}

    def mask(self, table: Table, rng: np.random.Generator, progress: Progress) -> Masked:
        progress(0.0, "measuring distances between values")
        chosen = self.chosen(table)
        metrics = [c.metric() for c, masked in zip(self.measured(table).columns, chosen, strict=True) if masked]
        codes = [table.codes_of(a) for a, masked in enumerate(chosen) if masked]
        scored = [Scores.of(metric) if metric.column.graded else None for metric in metrics]
        varying = [s for s in scored if s is not None and s.varies]
        standard = [s.standardized()[own] for s, own in zip(scored, codes, strict=True) if s is not None and s.varies]
        progress(0.3, "drawing noise")
        noise, notes = self._noise(standard, table.n, rng)
        moved: list[_Moved] = []
        for place, (metric, own) in enumerate(zip(metrics, scored, strict=True)):
            progress(0.4 + 0.5 * place / len(metrics), f"adding noise to {metric.column.name}")
            if own is None:
                moved.append(_Moved(metric, codes[place], self._drawn_anew(metric, codes[place], rng)))
            elif own.varies:
                moved.append(self._moved(own, codes[place], noise[varying.index(own)], rng))
            else:
                moved.append(_Moved(metric, codes[place], codes[place].astype(np.int64)))
        notes += _notes(moved, scored)
        of = {change.metric.column.name: change for change in moved}
        centres = [
            of[c.name].centres if c.name in of else c.centre_of_code[table.codes_of(a)]
            for a, c in enumerate(table.columns)
        ]
        rows = [change.measured(own, self.share) for change, own in zip(moved, scored, strict=True)]
        changes = Changes(pl.DataFrame(rows))
        caveats = [*self.left_alone(table), *(unchanged(name) for name in changes.unchanged)]
        return Masked.of_centres(centres, notes=notes, diagnostics=changes, caveats=caveats)

    def _noise(
        self, standard: Sequence[Floats], n: int, rng: np.random.Generator
    ) -> tuple[list[Floats], list[Statement]]:
        """Standard normal noise for each column; correlated as the standardized scores are, if that is wanted."""
        drawn = [rng.standard_normal(n) for _ in standard]
        if not self.correlated or len(standard) < 2:
            return drawn, []
        matrix, repaired = nearest_correlation(score_correlations(standard))
        root = cholesky(matrix)
        mixed = []
        for i in range(len(standard)):
            together = np.zeros(n)
            for j in range(i + 1):
                together += root[i, j] * drawn[j]
            mixed.append(together)
        if repaired < TIE:
            return mixed, []
        text = "the correlations of the scores are not those of any table; the nearest that are were used"
        return mixed, [note(f"{text} (largest change {repaired:.2g})")]

    def _moved(self, own: Scores, codes: Array, noise: Floats, rng: np.random.Generator) -> _Moved:
        before = own.standardized()[codes]
        after = before + math.sqrt(self.share) * noise
        moves = (after / math.sqrt(1 + self.share) if self.rescale else after) - before
        if own.column.continuous:
            numbers, reflected = moved_numbers(own, codes, moves, limits=self.limits == "kept")
            return _Moved(own.metric, codes, None, numbers, reflected)
        if own.metric.on_line:
            return _Moved(own.metric, codes, moved_ranks(own, codes, moves))
        return _Moved(own.metric, codes, moved_concepts(own, codes, moves, rng.random(len(moves)), self.nearest))

    @property
    def _anew(self) -> float:
        """The probability that a flat value is drawn anew."""
        return 1 - 1 / math.sqrt(1 + self.share)

    def _drawn_anew(self, metric: ColumnDistance, before: Array, rng: np.random.Generator) -> Longs:
        """Flat values, some of them drawn anew; an indicator then has the correlation 1 / sqrt(1 + share) with itself."""
        codes = before.astype(np.int64)
        change, pick = rng.random(len(codes)), rng.random(len(codes))
        present = present_codes(metric.column)
        if not len(present):
            return codes
        ends = np.cumsum(metric.column.counts[present])
        anew = (change < self._anew) & np.isin(codes, present)
        codes[anew] = present[np.searchsorted(ends, pick[anew] * ends[-1], side="right")]
        return codes

    @property
    def title(self) -> str:
        return "Noise addition"

    def explain(self, unit: Unit = RECORD) -> str:
        return (
            f"Random noise was added to each masked column, with {self.share:g} times the variance of the column. "
            "Categories were replaced by ones near in order or meaning; flat categories have neither, and some were drawn anew."
        )

    def assurances(self, unit: Unit = RECORD) -> list[Statement]:
        kept = "means and variances of numbers" if self.rescale else "means of numbers (variances grow)"
        related = ", and the correlations between them" if self.correlated else ""
        return [
            promised(
                f"Noise with {self.share:g} times the variance of each masked column was added to its values or scores; flat "
                f"values, which have no scores, were drawn anew from their column with a probability of {self._anew:.3g}. "
                f"Before rounding{' and reflection at the limits of a column' if self.limits == 'kept' else ''}, "
                f"{kept}{related} are kept in expectation, not exactly. Missing values stay missing."
            ),
            caveat(
                "Noise addition is not k-anonymous: a combination of values may be unique. The smaller the share, the nearer "
                "released values lie to the original ones, and some may be equal to them. Judge the release by record linkage."
            ),
        ]


@dataclass(frozen=True, eq=False)
class _Moved:
    """A column after noise: the code that each record had, and the code or number that it shows."""

    metric: ColumnDistance
    before: Array
    codes: Longs | None
    numbers: Floats | None = None
    reflected: int = 0

    @property
    def centres(self) -> NDArray[Any]:
        if self.codes is not None:
            return self.metric.column.centre_of_code[self.codes]
        assert self.numbers is not None
        return self.numbers

    def measured(self, own: Scores | None, share: float) -> dict[str, object]:
        """A row of the diagnostics; figures of scores are null for flat columns, which have none."""
        column = self.metric.column
        row = measure_changes(self.metric, self.before, self.codes, self.numbers)
        figures: dict[str, float | None] = dict.fromkeys(
            ("noise_deviation", "mean_before", "mean_after", "deviation_before", "deviation_after", "reflected")
        )
        if own is not None and len(own.present):
            after = self.numbers if self.codes is None else own.of_codes()[self.codes]
            assert after is not None
            known = after[~np.isnan(after)]
            mean, deviation = moments(known, np.ones(len(known), dtype=np.int64))
            figures |= {
                "noise_deviation": math.sqrt(share) * own.deviation,
                "mean_before": own.mean,
                "mean_after": mean,
                "deviation_before": own.deviation,
                "deviation_after": deviation,
                "reflected": self.reflected / max(len(known), 1) if column.continuous else None,
            }
        return row | figures


def _notes(moved: Sequence[_Moved], scored: Sequence[Scores | None]) -> list[Statement]:
    notes = []
    for change, own in zip(moved, scored, strict=True):
        column = change.metric.column
        if column.missing is not None:
            notes.append(note(f"{column.name}: missing values stay missing", column.name))
        if own is not None and not own.varies:
            notes.append(note(f"{column.name}: its variance is 0: no noise was added", column.name))
        if own is None and len(present_codes(column)) > 1:
            notes.append(
                note(
                    f"{column.name}: flat values have no scores: some were drawn anew from the column instead",
                    column.name,
                )
            )
        if change.reflected:
            notes.append(
                note(f"{column.name}: numbers beyond the limits of the column were reflected into it", column.name)
            )
    before, after = [], []
    for change, own in zip(moved, scored, strict=True):
        if own is not None and own.deviation > 0:
            scores = own.of_codes()
            before.append(scores[change.before])
            after.append(change.numbers if change.codes is None else scores[change.codes])
    if len(before) > 1:
        off = np.abs(score_correlations(after) - score_correlations(before)).max()
        notes.append(note(f"largest change of a correlation between masked columns: {off:.3f}"))
    return notes


def score_correlations(columns: Sequence[Floats | None]) -> Floats:
    """Pearson's r of scores by record, each pair over the records where neither is missing; 0 where one does not vary."""
    matrix = np.eye(len(columns))
    given = [column for column in columns if column is not None]
    here = [~np.isnan(column) for column in given]
    for i in range(len(given)):
        for j in range(i):
            both = here[i] & here[j]
            if both.any():
                matrix[i, j] = matrix[j, i] = _correlation(given[i][both], given[j][both])
    return matrix


def _correlation(x: Floats, y: Floats) -> float:
    x, y = x - x.mean(), y - y.mean()
    wide = float(np.abs(x).max()), float(np.abs(y).max())
    if min(wide) == 0:
        return 0.0
    x, y = x / wide[0], y / wide[1]
    scale = math.sqrt(float((x * x).sum()) * float((y * y).sum()))
    return float(np.clip((x * y).sum() / scale, -1.0, 1.0))


def cholesky(matrix: Floats) -> Floats:
    """L with L L' = matrix, which may be singular; a few columns, so plain loops in a fixed order."""
    size = len(matrix)
    root = np.zeros((size, size))
    for i in range(size):
        for j in range(i + 1):
            left = float(matrix[i, j]) - sum(float(root[i, k] * root[j, k]) for k in range(j))
            if i == j:
                root[i, i] = math.sqrt(left) if left > TIE else 0.0
            elif root[j, j] > 0:
                root[i, j] = left / root[j, j]
    return root
