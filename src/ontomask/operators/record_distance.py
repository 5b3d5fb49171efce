"""Distances between records: mean, S-distance and balanced (specification 3), made ready for the kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from ontomask.arguments import one_of
from ontomask.arrays import Floats
from ontomask.errors import OptionError
from ontomask.kernels.sets import SetSpace
from ontomask.kernels.space import Space
from ontomask.microdata.attributes import as_attributes
from ontomask.microdata.column_distance import ColumnDistance
from ontomask.microdata.encoding import MissingRules, Table, Tuples, encode, require_columns
from ontomask.microdata.open_table import open_table, with_own_orders
from ontomask.operators.set_space import make_set_space

Distance = Literal["mean", "s", "balanced"]
#: What ``auto`` is: it lost less on every table that was tried.
AUTO: Literal["balanced"] = "balanced"
ChosenDistance = Literal["auto", "mean", "s", "balanced"]
DISTANCE = (
    "mean: average of columns; s: each by its variance (M13 eq. 7); balanced: squares, by variance; auto: balanced"
)
Normalize = Literal["pairwise", "published"]
#: Values whose distances are turned from values x rows to rows x values at once.
BAND = 32


@dataclass(frozen=True, eq=False)
class RecordDistance:
    """Column distances of all columns, and the factor of each in the distance of two records.

    mean (T12 4.3): sum_a w_a d_a / sum_a w_a, every d_a in 0..1. s (M13 eq. 7): sqrt(sum_a w_a S2_12(a) / S2(a)),
    whose square the kernels compare. balanced: sqrt(sum_a w_a d_a^2 / V_a), V_a the variance of the column, the mean squared
    distance of its records from the centre that has the least; its square is what the information loss IL adds up. Sets
    enter it with their distance, not its square, divided by its mean. A column that does not vary has no part in s and
    balanced.
    """

    metrics: Sequence[ColumnDistance]
    kind: Distance = "mean"
    normalize: Normalize = "pairwise"

    @staticmethod
    def of(table: Tuples, kind: ChosenDistance = "mean", normalize: Normalize = "pairwise") -> RecordDistance:
        chosen: Distance = AUTO if kind == "auto" else kind
        return RecordDistance([column.metric() for column in table.columns], chosen, normalize)

    @property
    def squared(self) -> bool:
        return self.kind != "mean"

    def share(self, metric: ColumnDistance) -> float:
        """The part of a column in the mean distance."""
        return metric.column.attribute.weight / sum(s.column.attribute.weight for s in self.metrics)

    def factor(self, metric: ColumnDistance) -> float:
        """What a raw distance (nominal, flat) or a difference (numeric, ordinal) is multiplied by; in balanced distances the
        square of a raw distance."""
        weight = metric.column.attribute.weight
        if self.kind == "mean":
            return self.share(metric) / metric.scale if metric.scale > 0 else 0.0
        spread = self._spread(metric)
        if spread <= 0:
            return 0.0
        return float(np.sqrt(weight / spread)) if metric.on_line else weight / spread

    def _spread(self, metric: ColumnDistance) -> float:
        """What a column is divided by in squared distances: of balanced ones its variance, of others S2, twice for numbers."""
        if self.kind == "balanced":
            return metric.mean_distance if metric.of_sets else metric.variance
        return metric.spread(self.normalize) * (2 if metric.on_line else 1)

    def gap(self, metric: ColumnDistance) -> float:
        """The distance of a missing number or rank from all others, as it enters the sum."""
        if self.kind == "mean":
            return self.share(metric)
        return (metric.largest * self.factor(metric)) ** 2

    @property
    def farthest(self) -> float:
        """No two records are farther apart: 1 of mean distances."""
        if self.kind == "mean":
            return 1.0
        return float(np.sqrt(sum(self._entering(metric, metric.largest) for metric in self.metrics)))

    def coordinates(self, metric: ColumnDistance, centres: np.ndarray) -> Floats:
        """Where numbers or ranks lie, so that differences are distances."""
        off: Floats = centres - metric.low
        if self.kind == "mean" and metric.scale == 0:  # no scale: what differs from the one value is at 1 from it
            differs: Floats = self.share(metric) * (off != 0)
            return differs
        return off * self.factor(metric)

    def pairs(self, a: Sequence[np.ndarray], b: Sequence[np.ndarray]) -> Floats:
        """Distances of records given as centres by column, pair by pair."""
        total = np.zeros(len(a[0]))
        for metric, one, other in zip(self.metrics, a, b, strict=True):
            total += self._part(metric, one, other)
        return np.sqrt(total) if self.squared else total

    def between_all(self, centres: Sequence[np.ndarray]) -> Floats:
        """Distances of all records from all, these given as centres by column: each two values are compared once."""
        total = np.zeros((len(centres[0]), len(centres[0])))
        for metric, own in zip(self.metrics, centres, strict=True):
            values, place = np.unique(own, return_inverse=True)
            pairs = np.repeat(values, len(values)), np.tile(values, len(values))
            part = self._part(metric, *pairs).reshape(len(values), len(values))
            total += part[np.ix_(place, place)]
        return np.sqrt(total) if self.squared else total

    def _part(self, metric: ColumnDistance, a: np.ndarray, b: np.ndarray) -> Floats:
        """What a column adds to the distance of records, pair by pair."""
        if self.kind == "mean":
            return self.share(metric) * metric.scaled(a, b)
        part: Floats = self._entering(metric, metric.distance(a, b))
        return part

    def _entering(self, metric: ColumnDistance, raw: Any) -> Any:
        """What a raw distance adds to the square of the distance of two records."""
        if metric.on_line:
            return (raw * self.factor(metric)) ** 2
        return (raw**2 if self.squares(metric) else raw) * self.factor(metric)

    def squares(self, metric: ColumnDistance) -> bool:
        """Does a column that has no coordinates enter with the square of its distance?"""
        return self.kind == "balanced" and not metric.of_sets

    def summed(self, table: Tuples) -> Floats:
        """For each tuple the sum of its distances from all records (R17 eq. 10): mean distances column by column."""
        if self.kind == "mean":
            total = np.zeros(table.p)
            for metric, codes in zip(self.metrics, table.codes, strict=True):
                total += self.share(metric) * metric.scaled_marginalities()[codes]
            return total
        own = [column.centre_of_code[codes] for column, codes in zip(table.columns, table.codes, strict=True)]
        rows = (self.pairs([np.repeat(c[t : t + 1], table.p) for c in own], own) for t in range(table.p))
        return np.array([float((table.counts * row).sum()) for row in rows])

    def space(self, table: Tuples, *, against: Tuples | None = None, tables: bool = True) -> Space:
        """The tuples of a table for the kernels.

        Rows of nominal attributes are the concepts of the universe, or, with ``against``, the values of that table.
        Without ``tables`` no distances can be measured: enough for what only chooses centres.
        """
        p = table.p
        line = [(i, s) for i, s in enumerate(self.metrics) if s.on_line]
        coded = [(i, s) for i, s in enumerate(self.metrics) if not s.on_line and not s.of_sets]
        numbers, absent, gap = np.zeros((len(line), p)), np.zeros((len(line), p)), np.zeros(len(line))
        for place, (i, straight) in enumerate(line):
            column = table.columns[i]
            centres = column.centre_of_code[table.codes[i]]
            gone = straight.column.is_missing(centres)
            numbers[place] = np.where(gone, 0.0, self.coordinates(straight, centres))
            absent[place] = gone
            if column.missing is not None or (against is not None and against.columns[i].missing is not None):
                gap[place] = self.gap(straight)
        raws: list[tuple[Floats, float, bool]] = []
        table_at, unit, homes = [], [], []
        used = 0
        for i, metric in coded:
            column, factor = table.columns[i], self.factor(metric)
            raw, home = metric.rows(column, None if against is None else against.columns[i])
            if raw is None:
                table_at.append(-1)
                unit.append(factor)
            else:
                raws.append((raw, factor, self.squares(metric)))
                table_at.append(used)
                unit.append(0.0)
                used += raw.size
            homes.append(home)
        flat = np.array(table_at, dtype=np.int64) < 0
        lacking = bool((gap > 0).any())
        home_at = np.cumsum([0, *(len(h) for h in homes)], dtype=np.int64)
        laid_out = _side_by_side(raws if tables else [])
        return Space(
            numbers,
            absent if lacking else np.zeros((0, 0)),
            gap,
            np.ascontiguousarray(table.codes[[i for i, _ in coded]], dtype=np.uint32).reshape(len(coded), p),
            laid_out,
            np.array(table_at, dtype=np.int64),
            np.array(unit),
            np.concatenate([np.zeros(0), *homes]).astype(np.uint32),
            home_at,
            self._sets(table, against, len(coded)),
            self.squared,
            absent if lacking else np.zeros((len(line), 1)),
            int(lacking),
            np.where(flat, len(laid_out) - 1, table_at).astype(np.int64),
            np.where(flat, 0, np.diff(home_at)),
            np.where(flat, 0, 1),
        )

    def _sets(self, table: Tuples, against: Tuples | None, first: int) -> SetSpace | None:
        """The columns that hold sets; ``first``: where points hold the first of them."""
        own = [(i, s) for i, s in enumerate(self.metrics) if s.of_sets]
        parts = [s.set_rows(table.columns[i], None if against is None else against.columns[i]) for i, s in own]
        codes = np.ascontiguousarray(table.codes[[i for i, _ in own]], dtype=np.uint32).reshape(len(own), table.p)
        return make_set_space(parts, codes, [self.factor(s) for _, s in own], [s.largest for _, s in own], first)


def _side_by_side(tables: Sequence[tuple[Floats, float, bool]]) -> Floats:
    """Tables, squared or not, times a factor, turned to rows x values, one after the other: written once, for they are large.

    The last number is 0.
    """
    whole = np.empty(sum(raw.size for raw, _, _ in tables) + 1)
    whole[-1] = 0.0
    used = 0
    for raw, factor, squared in tables:
        turned = whole[used : used + raw.size].reshape(raw.shape[::-1])
        for begin in range(0, len(raw), BAND):  # in bands that stay in the processor's cache while they are turned
            band = turned[:, begin : begin + BAND]
            np.multiply(raw[begin : begin + BAND].T, factor, out=band)
            if squared:
                band *= raw[begin : begin + BAND].T
        used += raw.size
    return whole


def table_of(frame: Any, attributes: Any) -> Table:
    """The quasi-identifiers of a frame, encoded; records cannot be dropped here."""
    listed = {n: a for n, a in as_attributes(getattr(attributes, "attributes", attributes)).items() if a.quasi}
    if not listed:
        raise OptionError(
            "no column is a quasi-identifier, so there is nothing to compare",
            remedy="Give at least one attribute with role='quasi', which is the default.",
        )
    opened = open_table(frame, listed)
    data, listed = opened.data, with_own_orders(listed, opened.native)
    require_columns(data, listed)
    for name, attribute in listed.items():
        if attribute.missing == "drop_record":
            listed[name] = attribute.model_copy(update={"missing": "error"})
    data, _ = MissingRules(listed, listed).apply(data)
    return encode(data, listed, list(listed))


def check_distance(distance: str, normalize: str) -> None:
    one_of(distance, get_args(Distance), "distance")
    one_of(normalize, get_args(Normalize), "normalization")
