"""``Severity``: the severity numbers of values and records under an institution's definition (S18 def. 1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ontomask.arguments import as_path, as_values, did_you_mean, is_a, one_of, short
from ontomask.arrays import Floats
from ontomask.errors import DataError, OptionError, PolicyError
from ontomask.files.yaml_files import Lines
from ontomask.microdata.frames import take_any
from ontomask.microdata.reading import Codes, read_table
from ontomask.microdata.writing import write_text
from ontomask.settings import all_problems, validated
from ontomask.severity import tables
from ontomask.severity.classes import MIDDLE_TYPES
from ontomask.severity.definition import CodedColumn, Definition, LiteralColumn, SpecialSet
from ontomask.severity.domains import Unknown
from ontomask.severity.file import definition_text, names_files, read_definition
from ontomask.severity.members import Attribute, Compiled, compile_definition
from ontomask.severity.record_cells import RecordCells, merged, spread, used_keys

if TYPE_CHECKING:
    from ontomask.severity.tables import By

#: A column by its name, or a combination of columns.
Named = str | Sequence[str]


class Severity:
    """How severe it is if others learn a value, by the special values sets of an institution.

    For the middle class types m = 1, 2, 3 (length of life, quality of life, human rights) the severity number of a value
    v is (S18 def. 1)

    - n1 + N if v is in n1 > 0 sets of large class 1, whatever m;
    - otherwise the number of sets of middle class 2.m that hold v.

    N is the largest number that the second rule can give to any value, in a table or not. A record has the largest number
    of its values. Numbers come as arrays of three rows, one for each m; a number without m is the largest of the three.

    Read a file with :meth:`load`; :meth:`example` gives a shipped one.

    >>> from ontomask.severity.numbers import Severity
    >>> severity = Severity.example()
    >>> severity.of_values("disease", ["cancer of the liver", "Alzheimer's disease", "hay fever"])
    array([[3., 4., 0.],
           [0., 4., 0.],
           [0., 4., 0.]])
    """

    #: Shipped definitions, with the data that go with each.
    EXAMPLES: ClassVar[dict[str, str]] = {
        "japan": "patients in Japan in 2014 by disease group (S18 Tables 3 and 4)",
        "demo": "an illustration over ICD-9-CM, for om.demo_data",
    }

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
        self._compiled, problems = compile_definition(definition)
        if problems:
            listed = [f"{lines(place)}: {text}" if lines else text for place, text in problems]
            raise all_problems(listed, "Severity" if path is None else str(path))

    @classmethod
    def load(cls, path: str | Path) -> Severity:
        """Read a definition from a YAML file. Taxonomies and mappings that it names are looked for beside it."""
        definition, text, lines = read_definition(path)
        return cls(definition, path=Path(path), text=text, lines=lines)

    @classmethod
    def example(cls, name: str = "japan") -> Severity:
        """A shipped definition: ``japan`` (S18 section 5) or ``demo`` (for ``demo_data``; an illustration)."""
        return cls.load(cls.example_file(name))

    @classmethod
    def example_file(cls, name: str = "japan") -> Path:
        """The file of a shipped definition, to begin one's own from."""
        one_of(name, cls.EXAMPLES, "example")
        return Path(str(resources.files("ontomask.severity").joinpath("data", f"{name}.yaml")))

    @classmethod
    def example_data(cls) -> pl.DataFrame:
        """The inputs of S18 Table 3: patients (in thousands) by disease group and facility, and survival rates."""
        return pl.read_csv(cls.example_file("japan").with_name("japan_patients.csv"))

    def save(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write the definition as a file: as it was written where it was read from one, with its comments.

        Files that it names are looked for beside it, so a definition that names some is written anew, with their whole
        paths. A taxonomy that exists in Python only is written beside it.
        """
        file = as_path(path)
        text = self._text
        if text is None or names_files(self.definition):
            text = definition_text(self.definition, file)
        return write_text(text, file, overwrite=overwrite)

    # ---- what it is -------------------------------------------------------------------------------------------

    @property
    def sets(self) -> tuple[SpecialSet, ...]:
        return tuple(self.definition.sets)

    @property
    def columns(self) -> list[str]:
        """The columns that the definition covers."""
        return list(dict.fromkeys(column for attribute in self.attributes for column in attribute.columns))

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """What numbers are given to: single columns, and combinations of columns that count as one (S18 Remark 2)."""
        return self._compiled.attributes

    @property
    def largest(self) -> int:
        """N_max: the largest severity number that the definition can give at all, large class 1 included."""
        return self._compiled.extremes[1]

    @property
    def largest_in_class_2(self) -> int:
        """N of S18 def. 1: the largest severity number of a value outside large class 1."""
        return self._compiled.extremes[0]

    @property
    def notes(self) -> list[str]:
        """What the author of the definition should know."""
        return list(self._compiled.notes)

    @property
    def compiled(self) -> Compiled:
        """The sets, computed over the cells of their columns."""
        return self._compiled

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
        """s_1, s_2, s_3 of values of a column, in three rows; a missing value has 0 unless a set says otherwise.

        Codes may be without dots, and labels do as well, as in :func:`ontomask.match`. ``unknown``: what the taxonomy
        does not have is an error, or has 0. For a combination of columns, give their names and tuples of values.
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
        """s_1, s_2, s_3 of one attribute of every record: of a column, or of a combination of columns."""
        attribute = self.attribute(columns)
        return spread(*RecordCells(self, self.take(frame, attribute.columns), unknown).levels(attribute))

    def of_records(self, frame: Any, *, columns: Sequence[str] | None = None, unknown: Unknown = "error") -> Floats:
        """s_1, s_2, s_3 of every record: the largest of its values, in three rows.

        ``columns`` keeps to some of the columns; without it the frame (or file) must have all that the definition
        covers, since a column that is not there would make its records look harmless.
        """
        return spread(*self.levels(frame, columns=columns, unknown=unknown))

    def levels(
        self, frame: Any, *, columns: Sequence[str] | None = None, unknown: Unknown = "error"
    ) -> tuple[NDArray[Any], Floats]:
        """:meth:`of_records` in short: the level of every record, and s_1, s_2, s_3 of each level."""
        attributes = self.chosen(columns)
        data = self.take(frame, [column for attribute in attributes for column in attribute.columns])
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

    def take(self, frame: Any, columns: Sequence[str]) -> pl.DataFrame:
        """A frame or file of any kind as a Polars frame that has the columns."""
        is_file = isinstance(frame, (str, Path))
        data = (read_table(frame, text=Codes(self.text_columns)) if is_file else take_any(frame)).data
        absent = [column for column in columns if column not in data.columns]
        if absent:
            raise DataError(
                f"no column {absent[0]!r}, which the severity definition uses",
                remedy=did_you_mean(absent[0], data.columns)
                + f"The data have: {', '.join(map(repr, data.columns[:30]))}. columns=[...] (--column) "
                "keeps to some of the definition's columns.",
            )
        return data

    # ---- tables -----------------------------------------------------------------------------------------------

    def describe(
        self,
        frame: Any = None,
        *,
        weights: str | None = None,
        columns: Sequence[str] | None = None,
        unknown: Unknown = "error",
    ) -> pl.DataFrame:
        """Every value that occurs: its sets, s_1, s_2, s_3 and the largest of them; the most severe first.

        Of numbers, the intervals that the sets tell apart; of combinations, those that are in a set of their own.
        Without a frame: every single value that some set holds. ``weights`` names a column of counts.
        """
        return tables.describe(self, frame, weights, columns, unknown)

    def distribution(
        self,
        frame: Any,
        *,
        weights: str | None = None,
        columns: Sequence[str] | None = None,
        unknown: Unknown = "error",
    ) -> pl.DataFrame:
        """How many records have each severity number: for m = 1, 2, 3, and by the largest of the three."""
        return tables.distribution(self, frame, weights, columns, unknown)

    def sums(
        self,
        frame: Any,
        by: By = None,
        *,
        weights: str | None = None,
        m: int | None = None,
        columns: Sequence[str] | None = None,
        unknown: Unknown = "error",
    ) -> pl.DataFrame:
        """Patients, those with a severity number of 1 or more, the sum of the numbers, and the sum per patient.

        ``by``: columns to group by, such as facility and year. ``weights``: a column of counts, for a table in which a
        row stands for many patients. ``m`` counts by one middle class type; without it, by the largest number.
        """
        return tables.sums(self, frame, by, weights, m, columns, unknown)

    @property
    def table(self) -> pl.DataFrame:
        """The sets: name, class, columns, members in words, how many concepts or texts they are, source and date."""
        return tables.sets(self)

    def __str__(self) -> str:
        return tables.in_words(self)

    def __repr__(self) -> str:
        return f"<Severity {self.definition.title!r}: {len(self.sets)} sets, numbers 0 to {self.largest}>"

    def __eq__(self, other: object) -> bool:
        return self.definition == other.definition if isinstance(other, Severity) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.definition.title, len(self.sets)))

    def __reduce__(self) -> tuple[object, ...]:
        # What is computed can be computed again.
        return (_rebuilt, (self.definition, self.path))


def _rebuilt(definition: Definition, path: Path | None) -> Severity:
    return Severity(definition, path=path)


def _series(values: Any, name: str) -> pl.Series:
    """Values as a column, whatever they come in."""
    if isinstance(values, pl.Series):
        return values.rename(name)
    if is_a(values, "pandas", "Series"):
        return take_any(values.reset_index(drop=True).to_frame(name)).data[name]
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
