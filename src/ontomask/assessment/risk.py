"""Unique records, class sizes, and prosecutor, journalist and marketer risk (specification 10)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ontomask.arguments import counted, is_number, plain_number
from ontomask.arrays import Longs
from ontomask.assessment.pairing import require_quasi_identifiers
from ontomask.display import html_card, html_facts, html_fold, html_table
from ontomask.errors import DataError, OptionError
from ontomask.microdata.encoding import require_columns
from ontomask.microdata.open_table import open_table
from ontomask.policy.policy import as_policy
from ontomask.privacy.classes import classes_of
from ontomask.privacy.examined import Examined
from ontomask.privacy.units import Units
from ontomask.severity.severity import Severity
from ontomask.wording import RECORD, Unit

#: Classes of fewer records than this are called small where nothing else is said.
SMALL = 5
#: What a figure of risk is: how many classes, the size of the smallest, how many records or other units, a mean probability,
#: the largest one. In public each is rounded in its own way.
FigureKind = Literal["classes", "size", "units", "mean", "largest"]


@dataclass(frozen=True)
class RiskFigure:
    """One figure of risk: what it is called, its value, and what kind of figure it is. Whatever shows risks reads this."""

    label: str
    value: float
    kind: FigureKind


@dataclass(frozen=True, eq=False, repr=False)
class Risk:
    """Classes of records that agree in all quasi-identifiers, and how likely a record is found by them.

    Attributes
    ----------
    columns : list of str
        The quasi-identifiers.
    records : int
        How many records there are.
    sizes : polars.DataFrame
        How many classes, and records in them, there are of each size.
    journalist_largest : float
        The largest 1/F: an intruder who does not know who is in the table looks in the population.
    marketer : float
        The share of records linked correctly if all are tried: the mean of 1/F over records.
    population : int or None
        The records of the population, where one was given.
    severity_weighted : float or None
        The prosecutor's mean with each record counting by its severity number, sum(s/f) / sum(s).
    severe_unique : int or None
        Records of a severity above 0 that are alone in their class.
    unit : Unit
        The words for what was counted: records, or what several records may belong to.
    household, household_largest : float or None
        The chance that somebody of a household is found, 1 - prod(1 - 1/f) over its persons: the mean over households, and
        the largest; None where the policy names no household.

    Notes
    -----
    f is the size of a record's class in the table, F in the population that the table was drawn from: the table itself
    where none is given, the least favourable assumption. The prosecutor knows that somebody is in the table and picks
    the right record of their class with the chance 1/f.
    """

    columns: list[str]
    records: int
    sizes: pl.DataFrame
    journalist_largest: float
    marketer: float
    population: int | None = None
    severity_weighted: float | None = None
    severe_unique: int | None = None
    unit: Unit = RECORD
    household: float | None = None
    household_largest: float | None = None

    @property
    def classes(self) -> int:
        """How many classes there are: different combinations of quasi-identifiers."""
        return int(self.sizes["classes"].sum())

    @property
    def smallest(self) -> int:
        """The size of the smallest class."""
        return int(self.sizes["size"].to_numpy().min(initial=self.records))

    @property
    def unique(self) -> int:
        """Records that are alone in their class."""
        return self.below(2)

    def below(self, size: int = SMALL) -> int:
        """Records in small classes.

        Parameters
        ----------
        size : int, default 5
            Classes of fewer records than this are small.

        Returns
        -------
        int
            How many records they have.
        """
        return int(self.sizes.filter(pl.col("size") < size)["records"].sum())

    @property
    def prosecutor_largest(self) -> float:
        """1/f of the smallest class: the largest chance to pick the right record."""
        return 1 / self.smallest if self.records else 0.0

    @cached_property
    def prosecutor(self) -> float:
        """The mean over records of 1/f."""
        return float((self.sizes["records"] / self.sizes["size"]).sum()) / self.records if self.records else 0.0

    @property
    def declared(self) -> list[RiskFigure]:
        """Every figure, each with its kind."""
        many = self.unit.many
        figures = [
            RiskFigure("classes", self.classes, "classes"),
            RiskFigure("smallest class", self.smallest, "size"),
            RiskFigure(f"unique {many}", self.unique, "units"),
            RiskFigure(f"{many} in classes below {SMALL}", self.below(), "units"),
            RiskFigure("prosecutor risk, largest", self.prosecutor_largest, "largest"),
            RiskFigure("prosecutor risk, mean", self.prosecutor, "mean"),
            RiskFigure("journalist risk, largest", self.journalist_largest, "largest"),
            RiskFigure("marketer risk", self.marketer, "mean"),
        ]
        if self.household is not None and self.household_largest is not None:
            figures.append(RiskFigure("household risk, mean", self.household, "mean"))
            figures.append(RiskFigure("household risk, largest", self.household_largest, "mean"))
        if self.severity_weighted is not None:
            figures.append(RiskFigure("severity-weighted risk", self.severity_weighted, "mean"))
            figures.append(RiskFigure(f"unique {many} of severity above 0", self.severe_unique or 0, "units"))
        return figures

    @property
    def figures(self) -> dict[str, float]:
        """Every figure by name."""
        return {figure.label: float(figure.value) for figure in self.declared}

    def __repr__(self) -> str:
        told = [self.unit.counted(self.records), counted(self.classes, "class", "classes"), f"{self.unique:,} unique"]
        return f"<Risk: {', '.join(told)}>"

    def _repr_html_(self) -> str:
        title = f"{self.unit.counted(self.records)} by {', '.join(self.columns)}"
        sizes = html_fold("Class sizes", html_table(("size", "classes", self.unit.many), self.sizes.rows()))
        return html_card(title, html_facts(self.figures.items()), sizes)

    def __str__(self) -> str:
        lines = [f"{self.unit.counted(self.records)} by {', '.join(self.columns)}"]
        lines += [f"{name} {plain_number(value)}" for name, value in self.figures.items()]
        return "\n".join(lines)


def disclosure_risk(
    frame: Any, attributes: Any, *, population: Any = None, severity: Severity | str | None = None
) -> Risk:
    """Unique records and small classes of a frame or file, on its quasi-identifiers.

    Parameters
    ----------
    frame : DataFrame or path
        A pandas, Polars or PyArrow frame, or the path of a file.
    attributes : Policy or mapping of str to attribute
        What the columns are.
    population : DataFrame or path, optional
        A table, coded like this one, of the population it was drawn from; not given: the table is all there is.
    severity : Severity or path, optional
        A severity definition (docs/severity.md): records count by how severe it is to disclose their values.

    Returns
    -------
    Risk
        The sizes of the classes, and what an intruder can do with them.

    Examples
    --------
    >>> import ontomask as om, polars as pl
    >>> frame = pl.DataFrame({"age": [30, 30, 41], "job": ["nurse", "nurse", "pilot"]})
    >>> risk = om.disclosure_risk(frame, {"age": om.Numeric(), "job": om.Flat()})
    >>> risk.unique, risk.smallest, round(risk.prosecutor, 3)
    (1, 1, 0.667)
    """
    policy = as_policy(attributes)
    quasi = require_quasi_identifiers(policy.quasi_identifiers)

    def examined(table: Any) -> Examined:
        data = open_table(table, policy.attributes, reading=policy.reading, unread=policy.drops).data
        require_columns(data, dict.fromkeys(quasi))
        return Examined(data, quasi, policy.attributes, policy.units_of(data))

    table = examined(frame)
    people = None if population is None else examined(population)
    return risk_of(table, people, severity_numbers(severity, table.data))


def household_risk(risks: Sequence[float]) -> float:
    """The chance that somebody of a household is found, 1 - prod(1 - r).

    Parameters
    ----------
    risks : sequence of float
        The risk r of each person of the household, 0..1.

    Returns
    -------
    float
        0..1.

    Examples
    --------
    >>> import ontomask as om
    >>> round(om.household_risk([0.02, 0.03, 0.03]), 6)
    0.077918
    """
    if any(not is_number(risk) or not 0 <= risk <= 1 for risk in risks):
        raise OptionError("a risk is not a number from 0 to 1", remedy="Give probabilities, such as [0.02, 0.03].")
    return 1 - math.prod(1 - risk for risk in risks)


def severity_numbers(severity: Severity | str | None, data: pl.DataFrame) -> NDArray[np.float64] | None:
    """The severity number of every record, whatever m; None without a definition."""
    if severity is None:
        return None
    definition = severity if isinstance(severity, Severity) else Severity.load(severity)
    columns = [name for name in definition.columns if name in data.columns]
    if not columns:
        raise DataError(
            "the data have none of the columns that the severity definition names",
            remedy=f"It names: {', '.join(definition.columns)}.",
        )
    numbers: NDArray[np.float64] = definition.of_records(data, columns=columns).max(axis=0)
    return numbers


def _comparable(table: pl.Series, population: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Numbers as numbers, everything else as it is written; an error if one is numbers and the other is not."""
    numeric = table.dtype.is_numeric()
    if numeric != population.dtype.is_numeric():
        raise DataError(
            f"holds {table.dtype} in the table and {population.dtype} in the population",
            where=f"column {table.name!r}",
            remedy="Write the values of both in the same format.",
        )
    if numeric:
        return table.cast(pl.Float64), population.cast(pl.Float64)
    return table.cast(pl.String), population.cast(pl.String)


def _sizes(table: Examined, population: Examined | None) -> tuple[Longs, Longs, Longs]:
    """The class of each record, and how many records, or other units, each class has in the table and in the population."""
    if population is None:
        return table.classes.of, table.classes.sizes, table.classes.sizes
    n, word = len(table), table.units.word
    if population.units.word != word:
        raise DataError(
            f"{word.many} are counted in the table and {population.units.word.many} in the population",
            remedy="Count the same in both.",
        )
    pairs = [_comparable(table.as_read[name], population.as_read[name]) for name in table.quasi]
    classes = classes_of(pl.DataFrame([pl.concat(pair) for pair in pairs]), table.quasi)
    own = table.units.sizes(classes.of[:n], len(classes))
    among = population.units.sizes(classes.of[n:], len(classes))
    if (among < own).any():
        raise DataError(
            f"the population has fewer {word.many} than the table in "
            f"{counted(int((among < own).sum()), 'class', 'classes')}",
            remedy="Give the population that the table was drawn from, with values written in the same way.",
        )
    return classes.of[:n], own, among


def _in_all(units: Units, of: Longs, figures: NDArray[np.float64]) -> float:
    """The sum over units of the largest figure of their records."""
    if units.counts is not None:
        return float((figures * units.counts).sum())
    return float(units.largest(of, figures)[1].sum())


def risk_of(table: Examined, population: Examined | None = None, severity: NDArray[np.float64] | None = None) -> Risk:
    """The risk of a table; ``severity``: the number of every record.

    A unit of several records counts by the class in which it is found most easily.
    """
    quasi, units, n = table.quasi, table.units, len(table)
    if not n:
        empty = pl.DataFrame(schema={"size": pl.Int64, "classes": pl.Int64, "records": pl.Int64})
        weighted, alone = (None, None) if severity is None else (0.0, 0)
        nobody = None if units.household is None else 0.0
        return Risk(quasi, 0, empty, 0.0, 0.0, None, weighted, alone, units.word, nobody, nobody)
    of, own, among = _sizes(table, population)
    present = own > 0
    size, place, count = np.unique(own[present], return_inverse=True, return_counts=True)
    records = np.bincount(place, weights=units.in_smallest(of, own, own)[present]).astype(np.int64)
    weighted = alone = None
    if severity is not None:
        sizes, whole = own[of], np.zeros(n, dtype=np.int64)
        total = _in_all(units, whole, severity)
        weighted = _in_all(units, whole, severity / sizes) / total if total > 0 else 0.0
        alone = units.number((sizes == 1) & (severity > 0))
    houses = units.households(own[of])
    return Risk(
        quasi,
        table.number,
        pl.DataFrame({"size": size, "classes": count.astype(np.int64), "records": records}),
        float(1 / among[present].min()),
        float((units.in_smallest(of, own, among)[present] / among[present]).sum() / table.number),
        None if population is None else population.number,
        weighted,
        alone,
        units.word,
        None if houses is None else float(np.sort(houses).sum() / len(houses)),
        None if houses is None else float(houses.max()),
    )
