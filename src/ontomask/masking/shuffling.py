"""Data shuffling: sensitive values are reassigned among the records, guided by the other columns.

Muralidhar & Sarathy's method, for nominal columns through their marginality (D12 2.1 and 3.1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ontomask.arguments import counted
from ontomask.arrays import Floats, Longs
from ontomask.errors import DataError
from ontomask.masking.displacement import measure_moves
from ontomask.masking.method import DistanceMethod, Masked, RandomMethod
from ontomask.microdata.attributes import Role
from ontomask.microdata.column_distance import ColumnDistance
from ontomask.microdata.encoding import Table, Tuples
from ontomask.privacy.models import Model
from ontomask.progress import Progress
from ontomask.statements import Statement, caveat, note, promised
from ontomask.statistics.correlation import copula_correlations, correlations, nearest_correlation
from ontomask.statistics.scipy_functions import eigh, ndtri, solve
from ontomask.wording import RECORD, Unit


class Shuffling(RandomMethod, DistanceMethod):
    """Sensitive columns are shuffled, quasi-identifiers steer how and stay as they are.

    Notes
    -----
    The joint distribution of all these columns is taken for a Gaussian copula with their rank correlations. For each
    record new normal scores of the confidential columns are drawn from their distribution given the others; then the
    original values are assigned in the order of these scores. Nominal values are ordered by their marginality.

    ``ties``: equal values weaken rank correlations, so that assigning them again weakens them twice; ``corrected``
    makes up for it, ``published`` does not.

    Examples
    --------
    >>> import ontomask as om
    >>> om.Shuffling(ties="published")
    Shuffling(ties='published')
    """

    name: Literal["shuffling"] = "shuffling"
    masks: ClassVar[tuple[Role, ...]] = ("sensitive",)
    looks_at: ClassVar[tuple[Role, ...]] = ("quasi", "sensitive")

    ties: Literal["corrected", "published"] = Field(
        default="corrected", description="allow for equal values in correlations, or take 2 sin(pi r / 6) as published"
    )

    def variations(self, require: Sequence[Model]) -> dict[str, Self]:
        return {f"ties={ties}": self.changed(ties=ties) for ties in ("corrected", "published")}

    def require_enough(self, table: Tuples) -> None:
        if table.n < 3:
            raise DataError(
                f"there {'is' if table.n == 1 else 'are'} {counted(table.n, 'record')} to shuffle",
                remedy="Correlations need at least three records: collect more, or choose another method.",
            )

    def mask(self, table: Table, rng: np.random.Generator, progress: Progress) -> Masked:
        self.require_enough(table)
        progress(0.0, "measuring distances between values")
        metrics = [column.metric() for column in self.measured(table).columns]
        confidential = [s.column.attribute.role == "sensitive" for s in metrics]
        sources: list[Longs] = [np.arange(table.n)] * len(metrics)
        varying = [i for i, metric in enumerate(metrics) if len(metric.column) > 1]
        shuffled = [i for i in varying if confidential[i]]
        steering = [i for i in varying if not confidential[i]]
        notes = [
            note(f"{s.column.name}: all records have the same value: shuffling changes nothing", s.column.name)
            for s, secret in zip(metrics, confidential, strict=True)
            if secret and len(s.column) == 1
        ]
        if not shuffled:
            return self._reassigned(table, metrics, sources, notes)
        ordered = [Ordered.of(metrics[i], table.codes_of(i), rng) for i in [*shuffled, *steering]]
        progress(0.2, "correlating ranks")
        ranks = [column.average_ranks for column in ordered]
        before = correlations(ranks)
        scores = [column.normal_scores(rng, shared=self.ties == "corrected") for column in ordered[len(shuffled) :]]
        rho, repaired = nearest_correlation(self._copula(before, ordered, scores))
        if repaired > 0:
            notes.append(
                note(
                    "the correlations of the copula did not form a correlation matrix and were replaced by the nearest one "
                    f"(largest change {repaired:.2g})"
                )
            )
        progress(0.4, "drawing normal scores")
        drawn = draw_scores(table.n, rho, scores, rng)
        for place, (i, column) in enumerate(zip(shuffled, ordered, strict=False)):
            progress(0.6 + 0.4 * place / len(shuffled), f"assigning {metrics[i].column.name}")
            source = np.empty(table.n, dtype=np.int64)
            source[np.argsort(drawn[place], kind="stable")] = column.by_place(rng)
            sources[i] = source
            ranks[place] = ranks[place][source]
        after = correlations(ranks)
        if len(ordered) > 1:
            notes.append(
                note(f"largest change of a rank correlation: {np.abs(after - before)[: len(shuffled)].max():.3f}")
            )
        if not steering:
            notes.append(
                note("no other column guides the shuffling: confidential values are independent of the originals")
            )
        return self._reassigned(table, metrics, sources, notes)

    @staticmethod
    def _reassigned(
        table: Table, metrics: Sequence[ColumnDistance], sources: list[Longs], notes: list[Statement]
    ) -> Masked:
        masked = [i for i, metric in enumerate(metrics) if metric.column.attribute.role == "sensitive"]
        moves = measure_moves(
            [metrics[i] for i in masked], [table.codes_of(i) for i in masked], [sources[i] for i in masked]
        )
        return Masked.rearranged(table, sources, notes=notes, diagnostics=moves)

    def _copula(self, ranked: Floats, ordered: Sequence[Ordered], scores: Sequence[Floats]) -> Floats:
        """The correlations of the normal scores of all columns; ``scores`` are those of the last ones."""
        if self.ties == "published":
            return copula_correlations(ranked)
        rho = copula_correlations(ranked, [column.by_value for column in ordered])
        if scores:
            # Equal values share one score, of less than unit variance: a drawn score that has correlation r with the
            # normal score behind has r * deviation with the shared one.
            first = len(rho) - len(scores)
            deviation = np.array([score.std() for score in scores])
            rho[:first, first:] *= deviation
            rho[first:, :first] *= deviation[:, None]
            rho[first:, first:] = correlations(scores)
        return rho

    @property
    def title(self) -> str:
        return "Shuffling"

    def explain(self, unit: Unit = RECORD) -> str:
        return (
            "Sensitive values were reassigned among the records, so that they relate to the other columns about as before. A "
            "record shows its own value only by chance."
        )

    def assurances(self, unit: Unit = RECORD) -> list[Statement]:
        return [
            promised(
                "Every sensitive column holds exactly the values that the released records had in it, reassigned among them: "
                "statistics of a single column of these records are unchanged. Rank correlations are kept "
                "approximately; the more records there are, the more closely."
            ),
            promised(
                "The sensitive values that a record shows were drawn from their distribution given its quasi-identifiers, not "
                "from its own values. It shows its own value only by chance."
            ),
            caveat(
                "Quasi-identifiers are not masked by shuffling: records can be found by them. Shuffling is not k-anonymous; "
                "judge the release by the most successful attack."
            ),
        ]


@dataclass(frozen=True, eq=False)
class Ordered:
    """A column whose codes stand in an order, one place for each: numbers by size, others by marginality.

    Missing values stand last. Codes that are equally marginal are put in a random order, so that each has its own
    place and can be distinguished from it.
    """

    places: Longs
    codes: NDArray[np.int32]
    counts: Longs

    @staticmethod
    def of(metric: ColumnDistance, codes: NDArray[np.int32], rng: np.random.Generator) -> Ordered:
        keys: Floats = metric.keys
        order = np.lexsort((rng.permutation(len(keys)), keys))
        places = np.empty(len(keys), dtype=np.int64)
        places[order] = np.arange(len(keys))
        return Ordered(places, codes, metric.column.counts)

    @property
    def average_ranks(self) -> Floats:
        """The rank of each record, equals sharing the mean of theirs."""
        counts = self.by_value
        shared: Floats = np.cumsum(counts) - (counts - 1) / 2
        return shared[self.places][self.codes]

    @property
    def by_value(self) -> Longs:
        """How many records have each value, in the order of the values."""
        counts = np.empty_like(self.counts)
        counts[self.places] = self.counts
        return counts

    def by_place(self, rng: np.random.Generator) -> Longs:
        """The records in the order of their values, equals in random order."""
        shuffled = rng.permutation(len(self.codes))
        return shuffled[np.argsort(self.places[self.codes[shuffled]], kind="stable")]

    def normal_scores(self, rng: np.random.Generator, *, shared: bool) -> Floats:
        """The quantile of the normal distribution at (rank - 0.5) / n.

        Equal values share the mean of theirs, or have them in random order.
        """
        n = len(self.codes)
        quantiles = ndtri((np.arange(n) + 0.5) / n)
        if shared:
            ends = np.concatenate(([0], np.cumsum(self.by_value)))
            means: Floats = np.add.reduceat(quantiles, ends[:-1]) / self.by_value
            return means[self.places][self.codes]
        scores = np.empty(n)
        scores[self.by_place(rng)] = quantiles
        return scores


def draw_scores(n: int, rho: Floats, given: Sequence[Floats], rng: np.random.Generator) -> list[Floats]:
    """Normal scores of n records in the first columns of rho, drawn given those in the others.

    X | S is normal with mean S rho_SS^-1 rho_SX and covariance rho_XX - rho_XS rho_SS^-1 rho_SX, S standardized.
    """
    given = [score / score.std() for score in given]
    first = len(rho) - len(given)
    xx, xs, ss = rho[:first, :first], rho[:first, first:], rho[first:, first:]
    slopes = solve(ss, xs.T, assume_a="pos") if given else np.zeros((0, first))
    spread, axes = eigh(xx - xs @ slopes)
    root = axes * np.sqrt(np.clip(spread, 0.0, None))
    drawn = [rng.standard_normal(n) for _ in range(first)]
    scores = []
    # Column by column, in a fixed order: sums must not depend on how a matrix product is split up among threads.
    for x in range(first):
        score = np.zeros(n)
        for weight, other in zip([*slopes[:, x], *root[x]], [*given, *drawn], strict=True):
            score += weight * other
        scores.append(score)
    return scores
