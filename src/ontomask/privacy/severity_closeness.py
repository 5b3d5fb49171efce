"""t-closeness on severity numbers (an extension of S18 section 6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic import Field

from ontomask.arrays import TIE, Floats, Longs
from ontomask.privacy.judges import ClassRows, Judge
from ontomask.privacy.models import WholeTableModel
from ontomask.privacy.sensitive import Sensitive, Values
from ontomask.privacy.severity_models import GivenColumns, GivenSeverity, Graded, SeverityModel
from ontomask.privacy.transport import LineGround, least_after
from ontomask.severity.record_cells import merged, used_keys
from ontomask.severity.severity import Severity
from ontomask.wording import RECORD, Unit

if TYPE_CHECKING:
    from ontomask.privacy.examined import Examined


class SeverityCloseness(WholeTableModel, SeverityModel):
    """In every class severity is distributed about as in the whole table: at an earth mover's distance of at most t.

    Notes
    -----
    Two severity numbers are |s - s'| / N_max apart, N_max being the largest number that the definition can give: the
    ordered distance of Li et al. (2007, 4.2) over the numbers 0, 1, ..., N_max. So a distance is the mean number by which
    severity must change, as a part of N_max. It is taken for every sensitive column, or combination of columns, that the
    definition gives numbers to and, where there are several, for records, whose number is the largest of their values
    (S18 def. 1); each for m = 1, 2 and 3 unless ``middle_class`` names one. The farthest counts. ``columns`` and missing
    values are those of :class:`~ontomask.SeverityDiversity`. The whole table is the original where that is at hand, as in a
    run; suppression does not change it.

    Examples
    --------
    >>> import ontomask as om, polars as pl
    >>> severity = om.Severity.example()
    >>> frame = pl.DataFrame({"age": [50, 50, 25, 25], "disease": ["cancer of the liver", "flu", "flu", "flu"]})
    >>> print(om.SeverityCloseness(t=0.1, severity=severity, middle_class=1).check(frame, ["age"]).worst)
    0.1875
    """

    terms: ClassVar[tuple[str, ...]] = ("t-closeness", "Severity")
    name: Literal["severity_closeness"] = "severity_closeness"
    severity: GivenSeverity = Field(
        kw_only=False, description="the severity definition: a YAML file, or an om.Severity"
    )
    columns: GivenColumns = Field(
        default=None, description="the sensitive columns to check; not given: all of them, and each must be in a set"
    )
    middle_class: Literal[1, 2, 3] | None = Field(
        default=None, description="1 life span, 2 quality of life, 3 human rights; not given: each of them"
    )

    @property
    def given(self) -> tuple[str | Severity, list[str] | None, int | None]:
        return self.severity, self.columns, self.middle_class

    def _graded(self, table: Examined) -> Graded:
        """The severity of every column and combination, and of the records."""
        found = super()._graded(table)
        if len(found.columns) < 2:
            return found
        name = f"severity of records #{id(self):x}"
        return replace(found, columns={**found.columns, name: _of_records(name, list(found.columns.values()))})

    def compared(self, table: Examined, reference: Examined | None) -> tuple[Sensitive, Mapping[str, Longs]]:
        here = self.sensitive(table)
        if reference is None:
            return here, here.codes
        whole = self.sensitive(reference)
        columns, codes = {}, {}
        for name, column in here.columns.items():
            columns[name], codes[name] = _beside(whole.columns[name], column)
        return replace(here, columns=columns, units=whole.units), codes

    def judge(self, sensitive: Sensitive) -> SeverityClosenessJudge:
        grounds = []
        for name, column in sensitive.columns.items():
            assert column.numbers is not None
            for m in self.kinds:
                values, grade = np.unique(column.numbers[m], return_inverse=True)
                weights = sensitive.weights(column)
                counts = np.bincount(grade, weights=weights, minlength=len(values)).astype(weights.dtype)
                grounds.append((name, grade, LineGround(counts, values, float(self.definition.largest))))
        return SeverityClosenessJudge(self.t, grounds)

    def describe(self) -> str:
        kind = "O" if self.middle_class is None else f"O({self.middle_class})"
        return f"{kind}-{self.t:g}-closeness{self.of_columns}"

    @property
    def title(self) -> str:
        return "Severity closeness"

    def explain(self, unit: Unit = RECORD) -> str:
        of = self.of_columns or " of every sensitive column"
        return (
            f"In every class the severity{of} is distributed as in the whole table, up to a distance of {self.t:g} "
            "(0: the same, 1: the largest)."
        )

    @property
    def trivial(self) -> bool:
        return self.t >= 1


@dataclass(frozen=True, eq=False)
class SeverityClosenessJudge(Judge):
    """The distance of each class from the whole, of the farthest column and middle class type.

    ``grounds``: the name of what has numbers, the place of the number of each of its codes, and the line of the numbers.
    """

    t: float
    grounds: list[tuple[str, Longs, LineGround]]

    def figures(self, rows: ClassRows) -> Floats:
        found = [
            ground.distances(rows.pairs(grade[rows.codes[name]], len(ground), shared=True))
            for name, grade, ground in self.grounds
        ]
        most: Floats = np.maximum.reduce(found)
        return most

    def fails(self, figures: Floats) -> NDArray[np.bool_]:
        return figures > self.t + TIE

    def stays_failed(self, figures: Floats, joined: float) -> NDArray[np.bool_]:
        return self.fails(least_after(figures, joined, [ground for _, _, ground in self.grounds]))


def _of_records(name: str, columns: list[Values]) -> Values:
    """The severity of records: for each m the largest number of their values."""
    numbers = [column.numbers for column in columns if column.numbers is not None]
    used, at = used_keys([column.of for column in columns], [len(column) for column in columns])
    largest = np.maximum.reduce([table[:, place] for table, place in zip(numbers, used, strict=True)])
    levels, code = merged(largest, at)
    return _values(name, levels, code.astype(np.int64))


def _values(name: str, numbers: Floats, code: Longs) -> Values:
    size = numbers.shape[1]
    counts = np.bincount(code, minlength=size).astype(np.int64)
    return Values(name, None, pl.Series(np.arange(size)), counts, None, code, numbers=numbers)


def _beside(whole: Values, column: Values) -> tuple[Values, Longs]:
    """The levels of both tables, counted in the whole one, and the codes of the other. A release may hold combinations of
    values, and so levels, that the original does not have."""
    assert whole.numbers is not None
    assert column.numbers is not None
    both, place = np.unique(np.hstack((whole.numbers, column.numbers)), axis=1, return_inverse=True)
    place = place.ravel()
    return _values(whole.name, both, place[: len(whole)][whole.of]), place[len(whole) :][column.of]
