"""Coverage of the values of a column by a taxonomy or a file of levels.

A run ends with an error at the first column with such values; here they are reported in advance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from ontomask.arguments import counted, did_you_mean, some_of
from ontomask.errors import DataError
from ontomask.files.source import Source
from ontomask.hierarchies.levels_file import LevelsFile, as_text
from ontomask.microdata.csv_files import DataSource
from ontomask.microdata.csv_types import Codes
from ontomask.microdata.reading import read_table, require_source, where_of
from ontomask.microdata.sql_sources import data_source
from ontomask.statements import Statement, note
from ontomask.taxonomy.lexicon import nearest_texts
from ontomask.taxonomy.match_result import Matching
from ontomask.taxonomy.matching import match_counts
from ontomask.taxonomy.readers.levels import read_rows
from ontomask.taxonomy.taxonomy import Taxonomy


@dataclass(frozen=True)
class ColumnValues:
    """The distinct values of a column with how many records have each; ``missing``: how many records have none.

    ``numbers``: the file stores numbers, not text. Codes in a CSV are text always, with every zero they have.
    """

    where: str
    counts: dict[Any, int]
    missing: int
    numbers: bool
    notes: list[Statement] = field(default_factory=list)
    #: The name of the column; a plain list has none.
    column: str | None = None

    @property
    def records(self) -> int:
        """The records that have a value."""
        return sum(self.counts.values())

    def texts(self, as_text: Callable[[Any], str | None] = str) -> Counter[str]:
        """The values as text, with their records."""
        tally: Counter[str] = Counter()
        for value, count in self.counts.items():
            tally[str(as_text(value))] += count
        return tally

    def match(
        self,
        taxonomy: Taxonomy,
        mapping: Mapping[str, str] | str | Path | None = None,
        language: str | None = "english",
    ) -> Matching:
        """Each value placed in a taxonomy as masking places it."""
        tally = self.texts()
        return match_counts(tally, taxonomy, mapping, language, tally if self.numbers else ())


def read_values(path: str | Path, column: str | None = None, *, plain_list: bool = False) -> ColumnValues:
    """The values of a column of a table; without ``column`` the table must have one only.

    ``plain_list``: a text file with a value on each line and no header; a .txt without ``column`` is taken so, too.
    """
    file = data_source(path)
    require_source(file)
    if plain_list and column is not None:
        raise DataError("a plain list has no columns", where=where_of(file), remedy="Give one of both, or neither.")
    listed = plain_list or (column is None and file.name.lower().removesuffix(".gz").endswith(".txt"))
    if listed and isinstance(file, Path):
        return _listed(file)
    notes: list[Statement] = []
    delimiter = None
    if column is None:
        whole = read_table(path)
        names, delimiter = whole.data.columns, whole.delimiter
        if len(names) > 1:
            raise DataError(
                f"it has {counted(len(names), 'column')}, and none is named",
                where=where_of(file),
                remedy=f"Name one of: {some_of([repr(name) for name in names], 20)}.",
            )
        column = names[0]
        notes = [note(f"the first line, {column!r}, is taken for the name of the only column; a plain list has none")]
    table = read_table(path, text=Codes([column]), delimiter=delimiter)
    if column not in table.data.columns:
        raise DataError(
            f"no column {column!r}",
            where=where_of(file),
            remedy=did_you_mean(column, table.data.columns)
            + f"There are: {some_of([repr(name) for name in table.data.columns], 20)}.",
        )
    series = table.data[column]
    present = series.drop_nulls()
    if not len(present):
        raise DataError(
            "holds no value at all", where=f"{where_of(file)}, column {column!r}", remedy="Name another column."
        )
    distinct = present.unique(maintain_order=True)
    counts = dict(zip(distinct.to_list(), present.unique_counts().to_list(), strict=True))
    # What is reported of other columns does not matter here.
    notes += [said for said in table.notes if said.subject in ("", column)]
    if series.dtype.is_numeric():
        notes.append(
            note(f"column {column!r} is stored as {series.dtype}: codes have lost zeros at their ends", column)
        )
    numbers = series.dtype.is_numeric()
    where = f"column {column!r} of {file.name}"
    return ColumnValues(where, counts, series.null_count(), numbers, notes, column)


def _listed(file: Path) -> ColumnValues:
    source = DataSource(file)
    lines = [line.strip() for line in source.text().removeprefix("\ufeff").split("\n")]
    values = [line for line in lines if line]
    if not values:
        raise source.error("there is no value in it", remedy="Write a value on each line.")
    return ColumnValues(f"the list {file.name}", dict(Counter(values)), 0, False, list(map(note, source.notes)))


@dataclass(frozen=True)
class Uncovered:
    """A value that is not there, how many records have it, and what is near."""

    value: str
    records: int
    _near: Callable[[], list[str]]

    @cached_property
    def near(self) -> list[str]:
        """The nearest that are there, at most three; computed when asked for."""
        return self._near()


@dataclass(frozen=True)
class Coverage:
    """What of a column a taxonomy or a hierarchy has; ``by``: which one, in words. Most frequent uncovered first."""

    by: str
    values: int
    records: int
    missing: int
    uncovered: list[Uncovered]
    notes: list[Statement]
    #: Values that can mean several concepts; each is taken as the first.
    ambiguous: int = 0

    @property
    def complete(self) -> bool:
        """Is every value covered?"""
        return not self.uncovered

    @property
    def uncovered_records(self) -> int:
        return sum(value.records for value in self.uncovered)


def covered_by_taxonomy(
    values: ColumnValues,
    taxonomy: Taxonomy,
    mapping: Mapping[str, str] | str | Path | None = None,
    language: str | None = "english",
) -> Coverage:
    """Which values are not in a taxonomy: what ``Nominal(taxonomy=...)`` would refuse."""
    matching = values.match(taxonomy, mapping, language)
    uncovered = [
        Uncovered(u.value, u.count, lambda u=u: [s.text for s in u.suggestions])  # type: ignore[misc]
        for u in matching.unmatched
    ]
    by = f"{taxonomy.name or 'the taxonomy'} ({counted(len(taxonomy), 'concept')})"
    distinct = len(matching.rows) + len(uncovered)
    return _coverage(by, values, uncovered, distinct, matching.other_notes, len(matching.ambiguous))


def covered_by_levels(values: ColumnValues, levels: LevelsFile) -> Coverage:
    """Which values have no row in a file of levels: what ``Generalization`` by that file would refuse.

    A row is a value's own only if it is written alike; the levels above do not count.
    """
    source = Source(Path(levels.path))
    cut = read_rows(source, delimiter=levels.delimiter, header=levels.header)
    rows = {cells[0]: len(cells) for _, cells in cut}
    tally = values.texts(as_text)
    first = next(iter(rows))
    if values.column is not None and first.casefold() == values.column.strip().casefold() and first not in tally:
        raise DataError(
            f"the first row begins with the name of the column, {first!r}",
            where=levels.path,
            remedy="If it names the levels, say so: header: true in a policy, --option header=yes on the command line.",
        )
    uncovered = [
        Uncovered(text, count, lambda text=text: nearest_texts(text, list(rows)))  # type: ignore[misc]
        for text, count in tally.items()
        if text not in rows
    ]
    deep = next(iter(rows.values())) - 1
    by = f"the hierarchy {Path(levels.path).name} ({counted(len(rows), 'value')}, {counted(deep, 'level')} above)"
    return _coverage(by, values, uncovered, len(tally), source.notes)


def _coverage(
    by: str, values: ColumnValues, uncovered: list[Uncovered], distinct: int, notes: list[str], ambiguous: int = 0
) -> Coverage:
    ordered = sorted(uncovered, key=lambda u: -u.records)
    return Coverage(
        by, distinct, values.records, values.missing, ordered, values.notes + list(map(note, notes)), ambiguous
    )
