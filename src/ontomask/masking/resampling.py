"""Resampling: records at the same rank of sorted samples are averaged (Heer; T12 ch. 7)."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from ontomask.kernels.groups import closest_groups
from ontomask.kernels.space import new_point
from ontomask.masking.method import AggregationMethod, Masked
from ontomask.microdata.encoding import Rows, Table
from ontomask.operators.aggregation import Operators, members
from ontomask.operators.ordering import sorted_records
from ontomask.privacy.models import Model
from ontomask.progress import Progress, silent, stretch
from ontomask.settings import Count
from ontomask.statements import Statement, caveat, note, promised
from ontomask.wording import RECORD, Unit


class Resampling(AggregationMethod):
    """Samples of the records are sorted, and records at equal places share their average.

    Notes
    -----
    ``k_anonymous`` (T12 Alg. 6): k samples without replacement; the records at one place of all of them form a group.
    ``heer`` (T12 Alg. 5): ``samples`` samples of all n records, drawn with replacement; the average at rank i goes to the
    record of rank i. It is not k-anonymous.

    Examples
    --------
    >>> import ontomask as om
    >>> om.Resampling(5)
    Resampling(k=5)
    """

    name: Literal["resampling"] = "resampling"
    variant: Literal["k_anonymous", "heer"] = Field(default="k_anonymous", description="k_anonymous or heer")
    samples: Count | None = Field(default=None, description="heer: how many samples are averaged; k if not given")

    @model_validator(mode="after")
    def _samples_have_a_meaning(self) -> Resampling:
        if self.variant == "k_anonymous" and self.samples is not None:
            raise ValueError("samples= needs variant='heer'; k_anonymous draws k samples")
        return self

    @property
    def promised_k(self) -> int:
        return self.k if self.variant == "k_anonymous" else 1

    @property
    def recognizable(self) -> bool:
        return self.variant == "k_anonymous"  # Heer's averages are of records drawn at random

    @property
    def aims(self) -> bool:
        return False

    @property
    def draws(self) -> bool:
        return True

    def leaves_unmasked(self, require: Sequence[Model]) -> bool:
        return self.variant != "heer" and super().leaves_unmasked(require)  # one sample is not the data

    def mask(self, table: Table, rng: np.random.Generator, progress: Progress) -> Masked:
        self.require_enough(table)
        progress(0.0, "measuring distances between values")
        operators = self.operators(table)
        if self.variant == "heer":
            return self._heer(table, operators, rng, progress)
        samples = draw_samples(table.rows, self.k, rng)
        group_of = grouped_by_rank(operators, table.rows, samples, self.comparison, progress)
        return self.aggregated(operators, table.rows, group_of, samples.shape[1], silent)

    def _heer(self, table: Table, operators: Operators, rng: np.random.Generator, progress: Progress) -> Masked:
        t, n = self.samples or self.k, table.n
        ranked = np.empty((t, n), dtype=np.int64)
        for i in range(t):
            progress(0.5 * i / t, "sorting samples")
            ranked[i] = sorted_records(operators, table.rows, rng.integers(n, size=n), self.comparison)
        rank = np.tile(np.arange(n), t)
        centres = operators.centres_of(
            *members(Rows(table.rows.tuple_of[ranked.ravel()], table.p), rank, n),
            progress=stretch(progress, 0.5, 1.0),
        )
        group_of = np.empty(n, dtype=np.int32)
        group_of[sorted_records(operators, table.rows, np.arange(n), self.comparison)] = np.arange(n)
        return Masked(group_of, self.shown(table, centres), [note(f"averages of {t:,} samples with replacement")])

    @property
    def title(self) -> str:
        return "Resampling"

    def explain(self, unit: Unit = RECORD) -> str:
        return (
            "Samples were drawn from the records and sorted. Records at the same position of all samples now show their "
            "centroid."
        )

    def assurances(self, unit: Unit = RECORD) -> list[Statement]:
        return self._assured(unit) if self.variant == "heer" else super().assurances(unit)

    def _assured(self, unit: Unit) -> list[Statement]:
        if self.variant == "heer":
            return [
                caveat(
                    "Heer's resampling is not k-anonymous: a record may be unique after masking. "
                    "Judge the release by record linkage."
                )
            ]
        return [
            promised(
                f"Every combination of masked quasi-identifiers is shared by at least {unit.counted(self.k)}: one "
                "record or more from each sample form a group, and all records of a group show its centroid."
            )
        ]


def draw_samples(rows: Rows, k: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """k samples of equal size without replacement, as large as can be.

    Where units are counted, such as persons, all records of a unit are in one sample, so that records at the same place of
    all samples are of k units: units go at random, those of most records first, to the sample with the fewest records.
    """
    drawn = rng.permutation(len(rows))
    if rows.unit_of is None:
        each = len(rows) // k
        return drawn[: each * k].reshape(k, each)
    records = np.bincount(rows.unit_of)
    order = rng.permutation(np.flatnonzero(records))
    order = order[np.argsort(-records[order], kind="stable")]
    filled = [(0, sample) for sample in range(k)]
    sample_of = np.zeros(len(records), dtype=np.int64)
    for unit, size in zip(order.tolist(), records[order].tolist(), strict=True):
        total, sample = filled[0]
        sample_of[unit] = sample
        heapq.heapreplace(filled, (total + size, sample))
    each = min(total for total, _ in filled)
    place = sample_of[rows.unit_of[drawn]]
    return np.array([drawn[place == sample][:each] for sample in range(k)])


def grouped_by_rank(
    operators: Operators,
    rows: Rows,
    samples: NDArray[np.int64],
    comparison: Literal["plain", "weighted"],
    progress: Progress,
) -> NDArray[np.int32]:
    """Records at the same place of the sorted samples share a group; the others join the closest (T12 Alg. 6)."""
    each = samples.shape[1]
    group_of = np.full(len(rows), -1, dtype=np.int32)
    for i, sample in enumerate(samples):
        progress(i / len(samples), "sorting samples")
        group_of[sorted_records(operators, rows, sample, comparison)] = np.arange(each)
    left = np.flatnonzero(group_of < 0)
    if len(left):
        taken = group_of >= 0
        points = operators.points(*members(Rows(rows.tuple_of[taken], rows.p), group_of[taken], each))
        into = np.empty(len(left), dtype=np.int64)
        tuples = rows.tuple_of[left].astype(np.int64)
        closest_groups(operators.space, new_point(operators.space), points, each, tuples, into)
        group_of[left] = into
    return group_of
