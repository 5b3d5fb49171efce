"""Rank swapping: every value is exchanged with one of its k nearest (R17)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field, model_validator

from ontomask.arguments import counted
from ontomask.arrays import TIE, Array, Longs, dense_ranks
from ontomask.errors import DataError
from ontomask.kernels.blocks import new_blocks
from ontomask.kernels.line_swapping import line_of, swap_steps_on_line
from ontomask.kernels.ordering import near_order
from ontomask.kernels.space import new_point
from ontomask.kernels.swapping import new_swaps, swap_along, swap_steps
from ontomask.masking.displacement import measure_swaps
from ontomask.masking.method import DistanceMethod, Masked, RandomMethod
from ontomask.microdata.column_distance import ColumnDistance
from ontomask.microdata.columns import Coded, Codes
from ontomask.microdata.encoding import Table, Tuples, make_table
from ontomask.operators.record_distance import RecordDistance
from ontomask.privacy.models import Model
from ontomask.progress import Progress, stretch
from ontomask.settings import Count, number
from ontomask.statements import Statement, caveat, note, promised
from ontomask.statistics.sample import first_greatest
from ontomask.wording import RECORD, Unit

Variant = Literal["multivariate", "dynamic", "fixed", "distributional", "random"]
Ties = Literal["together", "random"]
#: The distances of exchange that a comparison tries, as multiples of the policy's own.
SWAPPED = (0.5, 1.0, 2.0, 4.0)


class RankSwapping(RandomMethod, DistanceMethod):
    """Values change places with near ones; every column holds exactly what it held before.

    Notes
    -----
    ``variant``: ``multivariate`` exchanges each value with the same column of one of the k nearest records, so that
    columns keep their relation (R17 Alg. 3); ``dynamic`` takes each column by itself and one of the k nearest values
    (Alg. 2); ``fixed`` ranks a column once, by distance from its most distant value, numbers by size, and takes one of
    the next k (Alg. 1). For comparison: ``distributional`` ranks by frequency; ``random`` exchanges any with any.

    ``ties``: how equally far records are ranked. ``together``: equal values (with ``multivariate`` equal records) hold
    neighbouring ranks, and different values that are equally far follow each other in random order. ``random``: all
    equally far records in random order, whatever their values.

    Examples
    --------
    >>> import ontomask as om
    >>> om.RankSwapping(k=20)
    RankSwapping(k=20)
    """

    terms: ClassVar[tuple[str, ...]] = ("Probabilistic k-anonymity",)
    name: Literal["rank_swapping"] = "rank_swapping"
    k: Count | None = Field(default=None, description="how many nearest records a value may be exchanged with")
    percent: Annotated[float, BeforeValidator(number), Field(gt=0, lt=100)] | None = Field(
        default=None, description="the same as a share of all records, in percent: 5 is one record in twenty"
    )
    variant: Variant = Field(
        default="multivariate", description="multivariate, dynamic, fixed, distributional or random"
    )
    scope: Literal["attribute", "taxonomy"] = Field(
        default="attribute",
        description="measure below the subsumer of all values of a column (R17), or as the columns state",
    )
    ties: Ties = Field(
        default="together",
        description="rank equally far records with equal values together, or all of them in random order",
    )

    @model_validator(mode="after")
    def _one_k(self) -> RankSwapping:
        given = [name for name in ("k", "percent") if getattr(self, name) is not None]
        if self.variant == "random":
            if given:
                raise ValueError(f"{given[0]} has no meaning with variant='random', which exchanges any two records")
            if self.ties != "together":
                raise ValueError("ties has no meaning with variant='random', which ranks nothing")
        elif len(given) != 1:
            raise ValueError("give k, the number of nearest records, or percent, and not both")
        return self

    def _measuring(self) -> dict[str, Any]:
        return super()._measuring() | ({"scope": "attribute"} if self.scope == "attribute" else {})

    def effective_k(self, n: int) -> int:
        """k in records; with ``random`` all others."""
        if self.variant == "random":
            return n - 1
        if self.k is not None:
            return self.k
        assert self.percent is not None
        return round(self.percent * n / 100)

    @property
    def stated_k(self) -> int | None:
        return self.k

    def at_k(self, k: int) -> Self | None:
        return self.changed(k=k, percent=None)

    def variations(self, require: Sequence[Model]) -> dict[str, Self]:
        if self.k is not None:
            return {f"k={k}": self.changed(k=k) for k in sorted({max(round(self.k * step), 1) for step in SWAPPED})}
        if self.percent is None:
            return {}  # any value is exchanged with any
        percents = sorted({min(self.percent * step, 99.0) for step in SWAPPED})
        return {f"percent={percent:g}": self.changed(percent=percent) for percent in percents}

    @property
    def no_baseline(self) -> str | None:
        labels = self.variant in ("distributional", "random")
        return "it already treats values as labels" if labels else super().no_baseline

    @property
    def by_column(self) -> bool:
        """Is each column swapped with its own near values? R17 3.5 promises 1/k for Algorithm 3 only."""
        return self.variant in ("dynamic", "fixed", "distributional")

    def require_enough(self, table: Tuples) -> None:
        n = table.n
        if n < 3:
            raise DataError(
                f"there {'is' if n == 1 else 'are'} {counted(n, 'record')} to swap",
                remedy="With fewer than three records the exchange can be undone: collect more, or choose another method.",
            )
        k = self.effective_k(n)
        if k < 1:
            raise DataError(
                f"{self.percent:g} percent of {counted(n, 'record')} is less than one record",
                remedy="Give a larger percent (5 means 5 in a hundred), or k.",
            )
        if k >= n:
            raise DataError(
                f"k is {k:,} and there are {counted(n, 'record')}: each has only {n - 1:,} others",
                remedy=f"Choose k from 1 to {n - 1:,}, or variant='random'.",
            )

    def mask(self, table: Table, rng: np.random.Generator, progress: Progress) -> Masked:
        self.require_enough(table)
        progress(0.0, "measuring distances between values")
        k = self.effective_k(table.n)
        distance = RecordDistance.of(self.measured(table))
        codes = [table.codes_of(a) for a in range(len(table.columns))]
        if self.variant == "multivariate":
            sources, free = swap_records(table, distance, k, self.ties, rng, progress)
        else:
            parts = []
            for i, metric in enumerate(distance.metrics):
                columns = len(distance.metrics)
                part = stretch(progress, i / columns, (i + 1) / columns)
                parts.append(self._one_column(metric, codes[i], k, rng, part))
            sources, free = np.array([s for s, _ in parts]), np.array([f for _, f in parts])
        apart = self.by_column and len(table.columns) > 1
        swaps = measure_swaps(distance.metrics, codes, list(sources), list(free), k, apart=apart)
        changed = np.any([own != own[s] for own, s in zip(codes, sources, strict=True)], axis=0)
        notes = [note(f"{int(changed.sum()):,} of {counted(table.n, 'record')} show a different combination of values")]
        notes += [
            note(f"{c.name}: all records have the same value: swapping changes nothing", c.name)
            for c in table.columns
            if len(c) == 1
        ]
        if self.variant == "multivariate" and len(table.columns) > 1:
            notes += [
                crowded
                for i, metric in enumerate(distance.metrics)
                if (crowded := _crowded(metric, swaps.table["rank_mean"][i] / table.n)) is not None
            ]
        if self.percent is not None:
            notes.insert(0, note(f"{self.percent:g} percent of {counted(table.n, 'record')}: k is {k:,}"))
        caveats = [] if self.variant == "random" else [_realised(row) for row in swaps.table.iter_rows(named=True)]
        return Masked.rearranged(table, list(sources), notes=notes, diagnostics=swaps, caveats=caveats)

    def _one_column(
        self, metric: ColumnDistance, codes: Codes, k: int, rng: np.random.Generator, progress: Progress
    ) -> tuple[Longs, Longs]:
        """Where each value comes from, and how many candidates there were."""
        if self.variant == "random":
            return _any_with_any(metric.n, rng)
        if self.variant == "dynamic":
            table = make_table([Coded(metric.column, codes)])
            sources, free = swap_records(table, RecordDistance([metric]), k, self.ties, rng, progress)
            return sources[0], free[0]
        progress(0.0, f"swapping {metric.column.name}")
        keys = metric.column.counts if self.variant == "distributional" else ranking_keys(metric)
        source, free = np.arange(metric.n), np.zeros(metric.n, dtype=np.int64)
        swap_along(ranked(codes, keys, self.ties, rng), k, rng, source, free)
        return source, free

    @property
    def title(self) -> str:
        return "Rank swapping"

    def explain(self, unit: Unit = RECORD) -> str:
        partner = "a random record" if self.variant == "random" else "a record with a similar value"
        return (
            f"Each value was exchanged with that of {partner}, if a partner was free. Every value of the released "
            "records still occurs; values without a partner stayed where they were."
        )

    def assurances(self, unit: Unit = RECORD) -> list[Statement]:
        exact = promised(
            "Every masked column holds exactly the values that the released records had in it, exchanged between records: "
            "statistics of a single column of these records are unchanged."
        )
        not_k = "Rank swapping is not k-anonymous: a combination of values may be unique. "
        if self.variant == "random":
            return [
                exact,
                caveat("Values are exchanged at random: nothing is left of the relations between columns."),
                caveat(not_k + "Judge the release by record linkage."),
            ]
        if self.by_column:
            aims = (
                "The probability of linking a record is not bounded by 1/k: each column is swapped by itself. Values that "
                "stayed, or were exchanged with equal ones, may together identify a record. "
            )
        else:
            aims = (
                "It aims at probabilistic k-anonymity (R17 3.5): the original of a value is found with probability 1/k. This "
                "holds only where k candidates were free. "
            )
        k = f"{self.k:,}" if self.k is not None else "k"
        share = "" if self.k is not None else f" (k is {self.percent:g} percent of all records)"
        among = {
            "multivariate": "nearest records",
            "dynamic": "nearest values",
            "fixed": "neighbours in the ranking",
            "distributional": "neighbours in the order of frequency",
        }[self.variant]
        return [
            exact,
            promised(f"Each value that still found a free partner was exchanged with one of its {k} {among}{share}."),
            caveat(f"{not_k}{aims}Judge the release by record linkage."),
        ]


def _realised(row: dict[str, Any]) -> Statement:
    """What a column really got. In public k is rounded down, and the share of values that stayed is left out: of a small
    table, both would tell how many stayed."""
    nominal, realised = f"{row['attribute']}: nominal k {row['k']:,}; realised", row["realised_k"]
    stayed = "some values found no partner and stayed" if row["without_partner"] else "every value found a partner"
    return caveat(
        f"{nominal} {realised:.1f}: {row['candidates_mean']:.1f} candidates on average, {row['without_partner']:.1%} of the "
        "values found no partner and stayed.",
        row["attribute"],
        f"{nominal} at least {int(realised + TIE):,}; {stayed}.",
    )


#: Where half of the numbers lie within so little of their range, a column hardly counts in the distance of records.
CROWDED = 0.05


def _crowded(metric: ColumnDistance, moved: float) -> Statement | None:
    """A few large numbers make a column's range: its values then go far in rank, as other columns choose the partners."""
    if not metric.column.quantity or metric.largest == 0:
        return None
    own = metric.column.centre_of_code
    known = ~metric.column.is_missing(own)
    low, high = np.quantile(np.repeat(own[known], metric.column.counts[known]), [0.25, 0.75])
    half = (high - low) / metric.largest
    if half == 0 or half >= CROWDED:
        return None
    return note(
        f"{metric.column.name}: half of its values lie within {half:.1%} of its range, so that the other columns "
        f"determine the exchange partners: on average {moved:.1%} of the records are nearer to the old value than the new one "
        "is. To keep values nearer, mask its logarithm, or use the kind ordinal, which compares ranks",
        metric.column.name,
    )


def _any_with_any(n: int, rng: np.random.Generator) -> tuple[Longs, Longs]:
    """Random pairs; where n is odd, one value stays."""
    order = rng.permutation(n)
    one, other = order[0 : n - 1 : 2], order[1::2]
    source, free = np.arange(n), np.full(n, n - 1)
    source[one], source[other] = other, one
    if n % 2:
        free[order[-1]] = 0
    return source, free


def ranking_keys(metric: ColumnDistance) -> NDArray[Any]:
    """What each code is ranked by: its number or rank, else its distance from the most distant value (R17 def. 3, 4)."""
    if metric.on_line:
        return metric.keys
    first = first_greatest(metric.marginalities())
    codes = np.arange(len(metric.column))
    return dense_ranks(metric.distance_of_codes(np.full(len(codes), first), codes))


def ranked(codes: Array, keys: NDArray[Any], ties: Ties, rng: np.random.Generator) -> Longs:
    """The records by the keys of their values, records of equal keys in random order; together: value by value."""
    shuffled = rng.permutation(len(codes))
    if ties == "together":
        order = np.lexsort((rng.permutation(len(keys)), keys))
        keys = np.empty(len(order), dtype=np.int64)
        keys[order] = np.arange(len(order))
    return shuffled[np.argsort(keys[codes[shuffled]], kind="stable")]


def swap_records(
    table: Table, distance: RecordDistance, k: int, ties: Ties, rng: np.random.Generator, progress: Progress
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each column the record every value comes from, and how many candidates there were (R17 Alg. 2 and 3).

    Algorithm 2 is Algorithm 3 on a table of one column.
    """
    swaps = swapped(table, distance, k, ties, rng, progress)
    return swaps.source, swaps.free


def swapped(
    table: Table, distance: RecordDistance, k: int, ties: Ties, rng: np.random.Generator, progress: Progress
) -> Any:
    """All that the kernel keeps about the swaps, the order of the references included."""
    space = distance.space(table)
    order = near_order(space)
    waiting, point = new_blocks(space, table.counts, order), new_point(space)
    records, at = table.rows.queues
    first = records[at[first_greatest(distance.summed(table))]]
    swaps = new_swaps(records, at, table.rows.tuple_of, len(table.columns), k, int(first))
    names = ", ".join(column.name for column in table.columns)
    stride = max(1, 20_000_000 // (table.p + 1000 + 10 * k))
    line = line_of(space, order, table.n)
    everyone = new_blocks(space, table.counts, order) if line is None else None

    def step() -> bool:
        if everyone is not None:
            return swap_steps(space, everyone, waiting, point, swaps, k, ties == "together", rng, stride)
        assert line is not None
        return swap_steps_on_line(space, line, waiting, point, swaps, k, ties == "together", rng, stride)

    while not step():
        progress(1 - int(swaps.now[1]) / table.n, f"swapping {names}")
    return swaps
