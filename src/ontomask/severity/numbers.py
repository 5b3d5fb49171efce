"""The severity numbers of values and records under an institution's definition (S18 def. 1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ontomask.arguments import as_values, did_you_mean, is_a, short
from ontomask.arrays import Floats
from ontomask.errors import DataError, OptionError, PolicyError
from ontomask.files.yaml_files import Lines
from ontomask.microdata.frames import NativeFrame
from ontomask.microdata.open_table import open_table
from ontomask.settings import all_problems, validated
from ontomask.severity.classes import MIDDLE_TYPES
from ontomask.severity.definition import CodedColumn, Definition, LiteralColumn, SpecialSet
from ontomask.severity.domains import Unknown
from ontomask.severity.members import Attribute, compile_definition
from ontomask.severity.record_cells import RecordCells, merged, spread, used_keys

#: A column by its name, or a combination of columns.
Named = str | Sequence[str]


class SeverityNumbers:
    """A definition with its sets computed, and the numbers it gives. :class:`Severity` adds files and tables."""

    def __init__(
        self,
        definition: Definition | Mapping[str, Any],
        *,
        path: Path | None = None,
        text: str | None = None,
        lines: Lines | None = None,
    ) -> None:
        if isinstance(definition, Mapping):
            definition = validated(Definition, definition, where="Severity")
        if not isinstance(definition, Definition):
            raise PolicyError(
                f"a {type(definition).__name__} is not a definition of severity",
                remedy="Read a file with Severity.load(path), or give its content as a dictionary.",
            )
        self.definition = definition
        self.path = path
        self._text = text  # as it was read: the file may change while a run is on
        self.compiled, problems = compile_definition(definition)
        if problems:
            listed = [f"{lines(place)}: {text}" if lines else text for place, text in problems]
            raise all_problems(listed, "Severity" if path is None else str(path))

    # ---- what it is -------------------------------------------------------------------------------------------

    @property
    def sets(self) -> tuple[SpecialSet, ...]:
        """The special values sets."""
        return tuple(self.definition.sets)

    @property
    def columns(self) -> list[str]:
        """The columns that the definition covers."""
        return list(dict.fromkeys(column for attribute in self.attributes for column in attribute.columns))

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """What numbers are given to: single columns, and combinations of columns that count as one (S18 Remark 2)."""
        return self.compiled.attributes

    @property
    def largest(self) -> int:
        """N_max: the largest severity number that the definition can give at all, large class 1 included."""
        return self.compiled.extremes[1]

    @property
    def largest_in_class_2(self) -> int:
        """N of S18 def. 1: the largest severity number of a value outside large class 1."""
        return self.compiled.extremes[0]

    @property
    def notes(self) -> list[str]:
        """What the author of the definition should know."""
        return list(self.compiled.notes)

    @property
    def text_columns(self) -> list[str]:
        """Columns whose values are text, however much they look like numbers: for reading files."""
        coded = {c: s for c, s in self.definition.columns.items() if isinstance(s, (CodedColumn, LiteralColumn))}
        return [name for column, said in coded.items() for name in (column, *said.also)]

    def attribute(self, columns: Named) -> Attribute:
        """The attribute of a column, or of a combination of columns in any order."""
        names = (columns,) if isinstance(columns, str) else tuple(columns)
        for attribute in self.attributes:
            if set(attribute.columns) == set(names) and len(names) == len(attribute.columns):
                return attribute
        known = [attribute.name for attribute in self.attributes]
        raise OptionError(
            f"no set covers {short(' + '.join(map(str, names)))!r}",
            remedy=did_you_mean(" + ".join(map(str, names)), known) + f"There are: {', '.join(map(repr, known))}.",
        )

    # ---- numbers ----------------------------------------------------------------------------------------------

    def of_values(self, column: Named, values: Any, *, unknown: Unknown = "error") -> Floats:
        """The severity numbers of values of a column; a missing value has 0 unless a set says otherwise.

        Parameters
        ----------
        column : str or sequence of str
            A column, or a combination of columns.
        values : iterable
            Its values, as in :func:`ontomask.match`; of a combination tuples.
        unknown : {'error', 'zero'}, default 'error'
            What the taxonomy does not have is an error, or has the number 0.

        Returns
        -------
        ndarray
            s_1, s_2, s_3 in three rows.
        """
        names = [column] if isinstance(column, str) else list(column)
        self.attribute(names)
        if len(names) == 1:
            frame = pl.DataFrame([_series(values, names[0])])
        else:
            rows = [tuple(row) for row in _rows(values, len(names))]
            frame = pl.DataFrame([_series([row[i] for row in rows], name) for i, name in enumerate(names)])
        return self.of_attribute(frame, names, unknown=unknown)

    def of_attribute(self, frame: Any, columns: Named, *, unknown: Unknown = "error") -> Floats:
        """The severity numbers of one attribute of every record.

        Parameters
        ----------
        frame : DataFrame or path
            A pandas, Polars or PyArrow frame, or the path of a file.
        columns : str or sequence of str
            A column, or a combination of columns.
        unknown : {'error', 'zero'}, default 'error'
            What the taxonomy does not have is an error, or has the number 0.

        Returns
        -------
        ndarray
            s_1, s_2, s_3 in three rows.
        """
        attribute = self.attribute(columns)
        return spread(*RecordCells(self, self.open_table(frame, attribute.columns), unknown).levels(attribute))

    def of_records(self, frame: Any, *, columns: Sequence[str] | None = None, unknown: Unknown = "error") -> Floats:
        """The severity numbers of every record: the largest of its values.

        Parameters
        ----------
        frame : DataFrame or path
            A pandas, Polars or PyArrow frame, or the path of a file.
        columns : sequence of str, optional
            Keep to these; not given: the frame must have all columns that the definition covers.
        unknown : {'error', 'zero'}, default 'error'
            What the taxonomy does not have is an error, or has the number 0.

        Returns
        -------
        ndarray
            s_1, s_2, s_3 in three rows.

        Notes
        -----
        A column that is not there would make its records look harmless; that is why all are needed.
        """
        return spread(*self.levels(frame, columns=columns, unknown=unknown))

    def levels(
        self, frame: Any, *, columns: Sequence[str] | None = None, unknown: Unknown = "error"
    ) -> tuple[NDArray[Any], Floats]:
        """The numbers of :meth:`of_records` in short.

        Parameters
        ----------
        frame : DataFrame or path
            A pandas, Polars or PyArrow frame, or the path of a file.
        columns : sequence of str, optional
            Keep to these; not given: the frame must have all columns that the definition covers.
        unknown : {'error', 'zero'}, default 'error'
            What the taxonomy does not have is an error, or has the number 0.

        Returns
        -------
        tuple of ndarray
            The level of every record, and s_1, s_2, s_3 of each level.
        """
        attributes = self.chosen(columns)
        data = self.open_table(frame, [column for attribute in attributes for column in attribute.columns])
        record_cells = RecordCells(self, data, unknown)
        level: NDArray[Any] = np.zeros(data.height, dtype=np.uint8)
        numbers: Floats = np.zeros((len(MIDDLE_TYPES), 1))
        for attribute in attributes:
            own, its = record_cells.levels(attribute)
            used, level = used_keys([level, own], [numbers.shape[1], its.shape[1]])
            numbers, level = merged(np.maximum(numbers[:, used[0]], its[:, used[1]]), level)
        return level, numbers

    def chosen(self, columns: Sequence[str] | None) -> list[Attribute]:
        """The attributes over some of the columns."""
        if columns is None:
            return list(self.attributes)
        names = as_values(columns, "columns")
        for name in names:
            if name not in self.columns:
                raise OptionError(
                    f"no set covers the column {short(repr(name))}",
                    remedy=f"{did_you_mean(name, self.columns)}There are: {', '.join(map(repr, self.columns))}.",
                )
        return [attribute for attribute in self.attributes if set(attribute.columns) <= set(names)]

    def open_table(self, frame: Any, columns: Sequence[str]) -> pl.DataFrame:
        """A frame or file of any kind as a Polars frame that has the columns.

        Parameters
        ----------
        frame : DataFrame or path
            A pandas, Polars or PyArrow frame, or the path of a file.
        columns : sequence of str
            Those it must have.

        Returns
        -------
        polars.DataFrame
            All columns of it.
        """
        data = open_table(frame, {}, text=self.text_columns, may_be_empty=True).data
        absent = [column for column in columns if column not in data.columns]
        if absent:
            raise DataError(
                f"no column {absent[0]!r}, which the severity definition uses",
                remedy=did_you_mean(absent[0], data.columns)
                + f"The data have: {', '.join(map(repr, data.columns[:30]))}. columns=[...] (--column) "
                "keeps to some of the definition's columns.",
            )
        return data


def _series(values: Any, name: str) -> pl.Series:
    """Values as a column, whatever they come in."""
    if isinstance(values, pl.Series):
        return values.rename(name)
    if is_a(values, "pandas", "Series"):
        return NativeFrame.of(values.reset_index(drop=True).to_frame(name), may_be_empty=True).data[name]
    listed = [None if isinstance(v, float) and np.isnan(v) else v for v in as_values(values)]
    if any(isinstance(v, str) for v in listed):
        return pl.Series(name, [None if v is None else str(v) for v in listed], dtype=pl.String)
    return pl.Series(name, listed, strict=False)  # whole numbers and decimals may stand side by side


def _rows(values: Any, width: int) -> list[Any]:
    listed = list(values)
    odd = next((row for row in listed if isinstance(row, str) or len(row) != width), None)
    if odd is not None:
        raise OptionError(f"{short(repr(odd))} is not a combination of {width} values", remedy="Give tuples of values.")
    return listed
