"""What every masking method is: checked settings, one function, and plain words on what it promises."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field, model_validator

from ontomask.arguments import counted
from ontomask.distances.measures import get_measure
from ontomask.distances.records import Distance, Normalize, RecordDistance
from ontomask.errors import DataError
from ontomask.microdata.columns import NominalColumn, NumericColumn
from ontomask.microdata.encoding import Table
from ontomask.progress import Progress
from ontomask.settings import K, Settings, plain
from ontomask.statistics.aggregation import Centroid, Operators
from ontomask.statistics.ordering import Comparison


@dataclass(frozen=True, eq=False)
class Masked:
    """What became of each record: its group (-1: it was removed), and the centre of each group by column."""

    group_of: NDArray[np.int32]
    centres: Sequence[NDArray[Any]]
    notes: list[str] = field(default_factory=list)

    @property
    def groups(self) -> int:
        return len(self.centres[0])


class Method(Settings):
    """A way to mask the quasi-identifiers of a table."""

    name: str
    #: Does a record keep its place in the table?
    keeps_order: ClassVar[bool] = True
    #: May records be missing from the output?
    removes_records: ClassVar[bool] = False

    k: K

    @property
    def promised_k(self) -> int:
        """The k that every record of the output must find, whatever the input."""
        return self.k

    def require_enough(self, table: Table) -> None:
        if self.k > table.n:
            raise DataError(
                f"k is {self.k:,} and there {'is' if table.n == 1 else 'are'} {counted(table.n, 'record')}",
                remedy="Nobody can hide among more people than there are: choose a smaller k.",
            )

    def mask(self, table: Table, rng: np.random.Generator, progress: Progress) -> Masked:
        """Mask the table. The same table and generator give the same result."""
        raise NotImplementedError

    def assurances(self) -> list[str]:
        """What holds of the output by construction, and what does not, in words."""
        return ["k is 1: nothing is masked and nobody is protected."] if self.k == 1 else self._assured()

    def _assured(self) -> list[str]:
        raise NotImplementedError


class Comparing(Method):
    """A method that compares records."""

    distance: Distance = Field(
        default="mean", description="mean: average over the columns; s: each column by its own variance (M13 eq. 7)"
    )
    normalize: Normalize = Field(
        default="pairwise", description="variance of nominal columns in s: mean of a random pair, or as published"
    )
    measure: str | None = Field(default=None, description="a measure for all nominal columns in place of their own")
    measure_options: Annotated[dict[str, Any], BeforeValidator(plain)] = Field(
        default_factory=dict, description="options of that measure"
    )

    @model_validator(mode="after")
    def _measure_exists(self) -> Comparing:
        if self.measure is not None:
            get_measure(self.measure).settle(self.measure_options)
        elif self.measure_options:
            raise ValueError("measure_options are given and no measure: name it with measure=")
        return self

    def record_distance(self, table: Table) -> RecordDistance:
        if self.measure is not None:
            changed = {"measure": self.measure, "options": self.measure_options}
            table = Table(
                tuple(_with_attribute(column, changed) for column in table.columns),
                table.codes,
                table.counts,
                table.tuple_of,
            )
        return RecordDistance.of(table, self.distance, self.normalize)


class Aggregating(Comparing):
    """A method that puts a centre in the place of each group."""

    centroid: Centroid = Field(
        default="semantic", description="the centre of nominal values: semantic, marginality, mode, lcs or consensus"
    )
    comparison: Comparison = Field(
        default="plain", description="weighted multiplies distances by frequency, as published; plain does not"
    )

    def operators(self, table: Table) -> Operators:
        return Operators.of(table, self.record_distance(table), self.centroid)

    @staticmethod
    def shown(table: Table, centres: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
        """Centres as they are shown: means are rounded where the policy says so."""
        return [
            column.rounded(values) if isinstance(column, NumericColumn) else values
            for column, values in zip(table.columns, centres, strict=True)
        ]


def _with_attribute(column: Any, changed: dict[str, Any]) -> Any:
    if not isinstance(column, NominalColumn):
        return column
    return replace(column, attribute=column.attribute.model_copy(update=changed))
