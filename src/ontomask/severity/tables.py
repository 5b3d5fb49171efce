"""Severity tables: numbers by value, records by number, sums by group; and a definition in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ontomask.arguments import as_values, counted, did_you_mean, free_name, one_of
from ontomask.arrays import Floats
from ontomask.errors import DataError, OptionError
from ontomask.severity.classes import MIDDLE_TYPES, riopsi
from ontomask.severity.domains import Unknown
from ontomask.severity.members import Attribute
from ontomask.severity.numbers import SeverityNumbers
from ontomask.severity.record_cells import RecordCells, used_keys

NUMBERS = tuple(f"s_{m}" for m in MIDDLE_TYPES)
_VALUES: dict[str, Any] = {
    "column": pl.String,
    "value": pl.String,
    "meaning": pl.String,
    "records": pl.Float64,
    "sets": pl.List(pl.String),
    **dict.fromkeys((*NUMBERS, "max"), pl.Float64),
}


class SeverityTables(SeverityNumbers):
    """The numbers of a definition, and tables of them."""

    def describe(
        self,
        frame: Any = None,
        *,
        weights: str | None = None,
        columns: Sequence[str] | None = None,
        unknown: Unknown = "error",
    ) -> pl.DataFrame:
        """Every value that occurs, with its sets and numbers; the most severe first.

        Parameters
        ----------
        frame : DataFrame or path, optional
            The data; not given: every single value that some set holds.
        weights : str, optional
            A column of counts, where a row is many records.
        columns : sequence of str, optional
            Keep to these; not given: the frame must have all columns that the definition covers.
        unknown : {'error', 'zero'}, default 'error'
            What the taxonomy does not have is an error, or has the number 0.

        Returns
        -------
        polars.DataFrame
            Of numbers the intervals that the sets tell apart; of combinations those in a set of their own.
        """
        attributes = self.chosen(columns)
        if frame is None:
            parts = [_of_definition(self, attribute) for attribute in attributes if len(attribute.columns) == 1]
            return _whole_counts(_ordered(parts).drop("records"))
        data = self.open_table(frame, [column for attribute in attributes for column in attribute.columns])
        counts = _counts(data, weights)
        record_cells = RecordCells(self, data, unknown)
        return _whole_counts(_ordered([_occurring(self, a, record_cells, counts) for a in attributes]))

    def distribution(
        self,
        frame: Any,
        *,
        weights: str | None = None,
        columns: Sequence[str] | None = None,
        unknown: Unknown = "error",
    ) -> pl.DataFrame:
        """How many records have each severity number.

        Parameters
        ----------
        frame : DataFrame or path
            A pandas, Polars or PyArrow frame, or the path of a file.
        weights : str, optional
            A column of counts, where a row is many records.
        columns : sequence of str, optional
            Keep to these; not given: the frame must have all columns that the definition covers.
        unknown : {'error', 'zero'}, default 'error'
            What the taxonomy does not have is an error, or has the number 0.

        Returns
        -------
        polars.DataFrame
            For m = 1, 2, 3, and by the largest of the three.
        """
        data = self.open_table(frame, [])
        counts = _counts(data, weights)
        level, numbers = self.levels(data, columns=columns, unknown=unknown)
        records = np.bincount(level, weights=counts, minlength=numbers.shape[1])
        steps = np.unique(np.concatenate((numbers.ravel(), np.arange(self.largest + 1))))
        table = {"severity": steps}
        for name, row in zip((*NUMBERS, "max"), (*numbers, numbers.max(axis=0)), strict=True):
            table[name] = np.bincount(np.searchsorted(steps, row), weights=records, minlength=len(steps)).round(9)
        return _whole_counts(pl.DataFrame(table), (*NUMBERS, "max"))

    def sums(
        self,
        frame: Any,
        by: str | Sequence[str] | None = None,
        *,
        weights: str | None = None,
        m: int | None = None,
        columns: Sequence[str] | None = None,
        unknown: Unknown = "error",
    ) -> pl.DataFrame:
        """Patients, those with a severity number of 1 or more, the sum of the numbers, and the sum per patient.

        Parameters
        ----------
        frame : DataFrame or path
            A pandas, Polars or PyArrow frame, or the path of a file.
        by : str or sequence of str, optional
            Columns to group by, such as facility and year.
        weights : str, optional
            A column of counts, where a row is many records.
        m : {1, 2, 3}, optional
            Count by one middle class type; not given: by the largest number.
        columns : sequence of str, optional
            Keep to these; not given: the frame must have all columns that the definition covers.
        unknown : {'error', 'zero'}, default 'error'
            What the taxonomy does not have is an error, or has the number 0.

        Returns
        -------
        polars.DataFrame
            A row for each group.
        """
        data = self.open_table(frame, [])
        groups = [by] if isinstance(by, str) else as_values(by or [], "columns to group by")
        for name in groups:
            _require(data, name, "to group by")
        counts = _counts(data, weights)
        level, numbers = self.levels(data, columns=columns, unknown=unknown)
        if m is not None:
            one_of(m, MIDDLE_TYPES, "middle class type")
        chosen = (numbers.max(axis=0) if m is None else numbers[m - 1]).take(level)
        names = [free_name(name, groups) for name in ("patients", "severe", "sum", "per_patient")]
        own = [counts, np.where(chosen >= 1, counts, 0.0), counts * chosen]
        rows = pl.DataFrame([*data.select(groups).iter_columns(), *map(pl.Series, names[:3], own)])
        # Counts with decimals leave a trace in the last digits.
        totals = [pl.col(name).sum().round(9) for name in names[:3]]
        rows = rows.group_by(groups).agg(totals).sort(groups, nulls_last=True) if groups else rows.select(totals)
        patients, total = rows[names[0]].to_numpy(), rows[names[2]].to_numpy()
        each = np.divide(total, patients, out=np.zeros(len(rows)), where=patients > 0)
        return _whole_counts(rows.with_columns(pl.Series(names[3], each)), names[:2])

    @property
    def table(self) -> pl.DataFrame:
        """The sets: name, class, columns, members in words, how many concepts or texts they are, source and date."""
        found = {members.said.name: members for attribute in self.attributes for members in attribute.own}
        rows = []
        for said in self.sets:
            boxes = found[said.name].boxes
            attribute = next(a for a in self.attributes if found[said.name] in a.own)
            countable = len(said.columns) == 1 and attribute.domains[0].countable
            size = int(np.any([box[0][:-2] for box in boxes], axis=0).sum()) if countable else None
            origin = said.source or self.definition.source, said.date or self.definition.date
            rows.append((said.name, said.class_text, attribute.name, said.members_text, size, *origin))
        names = ("set", "small_class", "column", "members", "size", "source", "date")
        return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String) | {"size": pl.Int64}, orient="row")

    def __str__(self) -> str:
        """The definition for a terminal."""
        said = self.definition
        lines = [said.title, f"{said.institution}, {said.date}" + (f"; source: {said.source}" if said.source else "")]
        lines.append(
            f"{counted(len(self.sets), 'set')} over {', '.join(a.name for a in self.attributes)}; N = "
            f"{self.largest_in_class_2} (largest number outside large class 1), N_max = {self.largest}"
        )
        known = riopsi()
        for row in self.table.iter_rows(named=True):
            size = "" if row["size"] is None else f" ({counted(row['size'], 'value')})"
            lines.append(f"  {row['small_class']}  {row['set']}: {row['members']}{size}")
        used = dict.fromkeys(number for one in self.sets for number in one.classes)
        lines.append("classes:")
        lines += [f"  {number}  {known.small[number].about}" for number in sorted(used)]
        lines += [f"note: {note}" for note in self.notes]
        return "\n".join(lines)


def _ordered(parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """The most severe values first, then those of most records."""
    table = pl.concat(parts) if parts else pl.DataFrame(schema=_VALUES)
    return table.sort("max", "records", "column", "value", descending=[True, True, False, False], nulls_last=True)


def _of_definition(severity: SeverityNumbers, attribute: Attribute) -> pl.DataFrame:
    """The values of one column that some set holds."""
    domain = attribute.domains[0]
    every = np.arange(domain.size)
    inside = attribute.inside([every])
    texts = domain.cell_texts(inside)
    held = [cell for cell in np.flatnonzero(inside.any(axis=0)).tolist() if cell != domain.elsewhere]
    # Several cells of numbers make one interval.
    first = list({texts[cell]: cell for cell in reversed(held)}.values())[::-1]
    labels = [domain.label(cell) for cell in first]
    return _rows(severity, attribute, [texts[c] for c in first], labels, None, inside[:, first])


def _occurring(
    severity: SeverityNumbers, attribute: Attribute, record_cells: RecordCells, counts: Floats
) -> pl.DataFrame:
    """The values of one attribute that occur."""
    sorts, sort_at = record_cells.sorts(attribute)
    alone = len(attribute.columns) == 1
    # Of combinations only those with a set of their own: all others are known from their columns.
    in_own = np.logical_or.reduce(attribute.inside(sorts)[: len(attribute.own)], axis=0)
    own = slice(None) if alone else in_own[sort_at]
    codes_of, values, cells = [], [], []
    for place, (name, domain) in enumerate(zip(attribute.columns, attribute.domains, strict=True)):
        codes, distinct, placed = record_cells.column(name, domain)
        masks = np.array([box[place] for members in attribute.own for box in members.boxes])
        codes_of.append(codes[own])
        values.append(domain.shown(distinct, placed, masks))
        cells.append(placed)
    used, at = used_keys(codes_of, [len(shown) for shown in values])
    cells = [placed[code] for placed, code in zip(cells, used, strict=True)]
    inside = attribute.inside(cells)
    shown = [[texts[code] for code in codes.tolist()] for texts, codes in zip(values, used, strict=True)]
    labels: list[str | None] = [None] * len(shown[0])
    if alone:
        labels = [attribute.domains[0].label(cell) for cell in cells[0].tolist()]
        texts = shown[0]
    else:
        texts = [" + ".join("(missing)" if t is None else t for t in row) for row in zip(*shown, strict=True)]
    records = np.bincount(at, weights=counts[own], minlength=len(texts)).astype(np.float64)
    table = _rows(severity, attribute, texts, labels, records, inside)
    # Several numbers make one interval.
    keys = [name for name in table.columns if name != "records"]
    return table.group_by(keys, maintain_order=True).agg(pl.col("records").sum()).select(table.columns)


def _rows(
    severity: SeverityNumbers,
    attribute: Attribute,
    texts: Sequence[str | None],
    labels: Sequence[str | None],
    records: Floats | None,
    inside: NDArray[np.bool_],
) -> pl.DataFrame:
    numbers = severity.compiled.numbers(attribute, inside)
    names = [members.said.name for members in attribute.sets]
    return pl.DataFrame(
        {
            "column": [attribute.name] * len(texts),
            "value": texts,
            "meaning": labels,
            "records": [None] * len(texts) if records is None else records,
            "sets": [[names[i] for i in np.flatnonzero(own).tolist()] for own in inside.T],
            **dict(zip(NUMBERS, numbers, strict=True)),
            "max": numbers.max(axis=0),
        },
        schema=_VALUES,
    )


def _counts(data: pl.DataFrame, weights: str | None) -> Floats:
    """How many patients each row stands for."""
    if weights is None:
        return np.ones(data.height)
    _require(data, weights, "of weights")
    column = data[weights]
    if not column.dtype.is_numeric():
        raise DataError(
            f"holds {column.dtype}, not counts", where=f"column {weights!r}", remedy="Weights are numbers from 0 up."
        )
    counts = column.cast(pl.Float64).fill_null(float("nan")).to_numpy()
    odd = np.flatnonzero(~(np.isfinite(counts) & (counts >= 0)))
    if len(odd):
        raise DataError(
            f"holds {counted(len(odd), 'value')} that cannot be a count, the first in record {odd[0] + 1:,}",
            where=f"column {weights!r}",
            remedy="Weights are numbers from 0 up.",
            rows=(odd + 1).tolist(),
        )
    return counts


def _require(data: pl.DataFrame, name: Any, what: str) -> None:
    if name not in data.columns:
        raise OptionError(
            f"no column {name!r} {what}",
            remedy=f"{did_you_mean(name, data.columns)}The data have: {', '.join(map(repr, data.columns[:30]))}.",
        )


def _whole_counts(table: pl.DataFrame, names: Sequence[str] = ("records",)) -> pl.DataFrame:
    """Counts of records as whole numbers, unless weights have decimals."""
    for name in names:
        if name in table.columns and (table[name] == table[name].round()).all():
            table = table.with_columns(pl.col(name).cast(pl.Int64))
    return table
