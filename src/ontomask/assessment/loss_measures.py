"""Measures of information loss: what each declares, and the functions that compute them (specification 10)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from ontomask.arrays import Floats
from ontomask.assessment.pairing import Pairing
from ontomask.microdata.column_distance import ColumnDistance
from ontomask.microdata.encoding import Table, Tuples
from ontomask.operators.aggregation import Operators
from ontomask.operators.record_distance import RecordDistance

if TYPE_CHECKING:
    from ontomask.assessment.loss import Loss

#: What every combination of values counts more than it occurs, in divergences.
SMOOTHING = 0.5

Value = TypeVar("Value", float, int, dict[str, float])


@dataclass(frozen=True)
class Compared:
    """A column of the comparison table: its key, and its head where people see it (none: only in the table and JSON)."""

    key: str
    head: str = ""


@dataclass(frozen=True)
class Reported:
    """A row of the report, or a column of its table by column: its head, and what the figure means.

    ``whole`` is the figure that is shown as 100%; None: it is shown as a number. ``removed`` is added to the meaning where
    records are removed. ``public``: does the public edition show it, rounded? Only a figure with a ``whole`` can be.
    ``explained``: what the glossary says of it, where it is the headline.
    """

    head: str
    meaning: str
    removed: str = ""
    whole: float | None = 1.0
    public: bool = True
    explained: str = ""

    def __post_init__(self) -> None:
        if self.public and self.whole is None:
            raise ValueError(f"{self.head}: shares alone are rounded in public: give whole, or public=False")


@dataclass(eq=False, kw_only=True)
class LossMeasure(Generic[Value]):
    """One measure of information loss; the lower, the better. Whatever shows losses reads this declaration.

    It is an attribute of :class:`Loss`, which gives it its name. ``of`` computes it from the distances of a pairing: a
    number, or a number for each column (``by_column``). ``title``, ``unit`` and ``form`` say how it is shown, ``definition``
    and ``paper`` what it is. ``before`` names the figure of the original to compare with, ``landmark`` a value that people
    know. ``figure``: is it among the figures of an assessment? ``printed``: does ``print(loss)`` show it?
    """

    title: str
    definition: str
    paper: str
    of: Callable[[Distances], Value]
    by_column: bool = False
    unit: str = ""
    form: str = ".4g"
    before: str | None = None
    landmark: str = ""
    figure: bool = True
    printed: bool = False
    compared: Compared | None = None
    reported: Reported | None = None

    def __post_init__(self) -> None:
        self.name = ""
        self.__doc__ = f"{self.title}: {self.definition} ({self.paper})."

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, loss: None, owner: type[Loss]) -> Self: ...
    @overload
    def __get__(self, loss: Loss, owner: type[Loss]) -> Value: ...
    def __get__(self, loss: Loss | None, owner: type[Loss]) -> Self | Value:
        if loss is None:
            return self
        found: Value = loss.values[self.name]
        return found

    @property
    def head(self) -> str:
        """What tables and charts for readers call it."""
        return self.title if self.reported is None else self.reported.head

    @property
    def in_sentences(self) -> str:
        return self.head[0].lower() + self.head[1:]

    @property
    def figure_name(self) -> str:
        """What the figures of an assessment call it."""
        return f"{self.title} ({self.unit})" if self.unit else self.title

    def shown(self, value: float) -> str:
        """A value for the eye, with its unit."""
        return f"{value:{self.form}} {self.unit}".rstrip()


# ---- what measures are computed from -------------------------------------------------------------------------------


@dataclass(frozen=True)
class ColumnSums:
    """Sums over the released records of a column: squared distances, distances, distances in 0..1, changed values.

    ``scale`` is the distance with which a removed record counts. ``lost`` is the share of the variance that is lost, over
    all records (:func:`share_lost`).
    """

    squares: float
    distances: float
    relative: float
    changed: float
    scale: float
    lost: float


class Distances:
    """Distances between the original and the released values of a pairing; what several measures need is computed once."""

    def __init__(self, pairing: Pairing) -> None:
        self.pairing, self.n, self.gone = pairing, pairing.n, pairing.gone
        self._both = pairing.centres("original"), pairing.centres("masked")

    @cached_property
    def columns(self) -> dict[str, ColumnSums]:
        """The sums of each column."""
        found = {}
        records = self.pairing.records
        for a, (metric, one, other) in enumerate(zip(self.pairing.distance.metrics, *self._both, strict=True)):
            raw = metric.distance(one, other)
            apart = metric.scaled_from(raw, one, other)
            found[metric.column.name] = ColumnSums(
                squares=float((records * raw**2).sum()),
                distances=float((records * raw).sum()),
                relative=float((records * apart).sum()),
                changed=float(records[~self.pairing.equal(a)].sum()),
                scale=metric.scale,
                lost=share_lost(self.pairing, a, apart),
            )
        return found

    def by_column(self, figure: Callable[[ColumnSums], float]) -> dict[str, float]:
        """A figure for each column."""
        return {name: figure(sums) for name, sums in self.columns.items()}

    def by_released(self, figure: Callable[[ColumnSums, int], float]) -> dict[str, float]:
        """The same over the released records; not a number (NaN) where nothing is released."""
        released = self.n - self.gone
        return self.by_column(lambda sums: figure(sums, released) if released else float("nan"))

    @cached_property
    def sse(self) -> dict[str, float]:
        return self.by_column(lambda sums: sums.squares + self.gone * sums.scale**2)

    @cached_property
    def relative(self) -> dict[str, float]:
        return self.by_column(lambda sums: (sums.relative + self.gone) / self.n)

    @cached_property
    def sse_record(self) -> float:
        mean: Floats = self.pairing.distance.pairs(*self._both)
        return float((self.pairing.records * mean**2).sum()) + self.gone

    @cached_property
    def sst_record(self) -> float:
        """SST around the semantic centre, whatever centre the method used."""
        table, distance = self.pairing.original, self.pairing.distance
        centre = [_centre(metric) for metric in distance.metrics]
        own = [column.centre_of_code[codes] for column, codes in zip(table.columns, table.codes, strict=True)]
        off = distance.pairs(own, [np.repeat(c, table.p) for c in centre])
        return float((table.counts * off**2).sum())


def _centre(metric: ColumnDistance) -> NDArray[Any]:
    """The semantic centre of a whole column: a column's centre depends on it alone, and on its values, not on records."""
    column = metric.column
    counts = column.counts
    values = np.flatnonzero(counts)
    table = Tuples((column,), np.arange(len(column), dtype=np.int32)[None, :], counts)
    operators = Operators.of_centres(table, RecordDistance([metric]))
    return operators.centres_of(np.array([0, len(values)]), values, counts[values])[0]


def share_lost(pairing: Pairing, column: int, apart: Floats) -> float:
    """sum d(x, y)^2 / sum d(x, c)^2: the share of the variance of a column that is lost (specification 10).

    ``apart``: the distances of the pairs in 0..1; the ratio is the same on every scale. c is the centre with the least sum.
    A value that is not there any more counts as released at c, be it that of a removed record; so does one that is in an
    interval around c. The values of dropped records are not known: each loses what it had. 0 for a column that did not
    change; infinite for one that changed although all its values were the same.
    """
    table, metric = pairing.original, pairing.distance.metrics[column]
    own = metric.column.centre_of_code
    centre = metric.least_squares[0]
    off = (metric.scaled(own, np.repeat(centre, len(own))) ** 2)[table.codes[column]]
    at_centre = pairing.taken_away(column) | (pairing.within(column, centre) if metric.on_line else False)
    squares = np.where(at_centre, off[pairing.before], apart**2)
    lost = float((pairing.records * squares).sum() + (pairing.removed * off).sum())
    total = float((table.counts * off).sum())
    share = lost / total if total > 0 else float("inf") if lost > 0 else 0.0
    return (table.n * share + pairing.dropped) / pairing.n if pairing.dropped else share


# ---- measures that are more than a line ----------------------------------------------------------------------------


def weighted_share_lost(distances: Distances) -> float:
    """IL = 100 sum w lost / sum w over the columns, w the weights of the policy."""
    lost = [sums.lost for sums in distances.columns.values()]
    weights = distances.pairing.weights
    # The mean first: times 100 before it, equal shares of all of it would not always make 100.
    return 100 * (sum(weight * share for weight, share in zip(weights, lost, strict=True)) / sum(weights))


def record_loss_percent(distances: Distances) -> float:
    """L = 100 SSE / SST; 0 for data that did not change, infinite for changed data that were all alike."""
    if distances.sse_record == 0:
        return 0.0
    return 100 * distances.sse_record / distances.sst_record if distances.sst_record > 0 else float("inf")


def squared_class_sizes(table: Table) -> int:
    """The sum of squared class sizes, exactly."""
    return int((table.counts.astype(object) ** 2).sum()) if table.n else 0


def kl_divergence(distances: Distances) -> float:
    """sum f ln(f / f*) over the combinations of both tables, with additive smoothing.

    f* is the share of all n records, removed ones included: together the shares of the release fall short of 1 by what
    was removed, an outcome that no original record has. So every term falls with the records of its combination, and a
    combination that only the release had leaves the sum with its last record, which makes the others weigh more: the
    figure never falls when a record is removed, and is largest where nothing is released. Dropped records, whose
    combinations are not known, are one combination: as several they would count less.
    """
    pairing = distances.pairing
    first, second = pairing.original, pairing.masked
    key = np.zeros(first.p + second.p, dtype=np.int64)
    for a, (column, other) in enumerate(zip(first.columns, second.columns, strict=True)):
        both = np.concatenate((column.centre_of_code[first.codes[a]], other.centre_of_code[second.codes[a]]))
        values, code = np.unique(both, return_inverse=True)
        general = pairing.general[a][second.codes[a]]
        code[first.p :][general] = len(values) + second.codes[a][general]
        values = np.arange(code.max(initial=-1) + 1)
        key = np.unique(key * len(values) + code, return_inverse=True)[1]
    size = int(key.max(initial=-1)) + 1
    before = np.bincount(key[: first.p], weights=first.counts, minlength=size)
    after = np.bincount(key[first.p :], weights=second.counts, minlength=size)
    if pairing.dropped:
        before, after = np.append(before, float(pairing.dropped)), np.append(after, 0.0)
    total = pairing.n + SMOOTHING * len(before)
    f, released = ((counts + SMOOTHING) / total for counts in (before, after))
    return max(float((f * np.log(f / released)).sum()), 0.0)
