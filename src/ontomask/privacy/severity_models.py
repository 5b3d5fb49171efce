"""Shared by the models on severity numbers (S18): the definition, the columns they check, and their numbers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

import numpy as np
import polars as pl
from pydantic import BeforeValidator

from ontomask.arguments import counted, did_you_mean, short, some_of
from ontomask.arrays import Longs
from ontomask.errors import DataError, PolicyError
from ontomask.files.named_files import NamesFile, named_files
from ontomask.microdata.spelling import fold_text, is_text
from ontomask.privacy.models import ClassModel
from ontomask.privacy.sensitive import Sensitive, Spelling, Values, spelling_of
from ontomask.severity.file import names_in
from ontomask.severity.members import Attribute
from ontomask.severity.record_cells import RecordCells
from ontomask.severity.severity import Severity

if TYPE_CHECKING:
    from ontomask.privacy.examined import Examined


def _definition(given: Any) -> Any:
    if isinstance(given, (Severity, str)):
        return given
    if isinstance(given, Path):
        return str(given)
    raise ValueError(f"{short(repr(given), 40)} is not a severity definition: give a file, or an om.Severity")


def _columns(given: Any) -> Any:
    if isinstance(given, (list, tuple)) and not given:
        raise ValueError("no column is named: leave columns out to check every sensitive column")
    return list(given) if isinstance(given, tuple) else given


#: A severity definition: a YAML file, or an om.Severity.
GivenSeverity = Annotated[str | Severity, BeforeValidator(_definition), NamesFile("severity", inside=names_in)]
#: The sensitive columns to look at, if not all.
GivenColumns = Annotated[list[str] | None, BeforeValidator(_columns)]


@dataclass(frozen=True)
class Covered:
    """What a model looks at: ``attributes`` of the definition and their ``columns``. ``left``: what it does not look at
    although it is sensitive, or although the definition covers it."""

    attributes: list[Attribute]
    columns: list[str]
    left: list[str]


@dataclass(frozen=True, eq=False)
class Graded(Sensitive):
    """Severity numbers in place of values. ``left``: see :class:`Covered`; ``texts``: what was read into the texts of each
    column; ``graded``: the names of what has numbers; ``harmless``: has every missing value the number 0?"""

    left: Sequence[str] = ()
    texts: Mapping[str, Spelling] = field(default_factory=dict)
    graded: Sequence[str] = ()
    harmless: bool = True

    @cached_property
    def silent(self) -> int:
        return sum(spelling.silent for spelling in self.texts.values())

    def spellings(self) -> list[str]:
        return [
            f"{name}: {said.texts:,} spellings taken as {counted(said.values, 'value')}"
            for name, said in self.texts.items()
            if said.texts
        ]

    def gaps_in_words(self) -> list[str]:
        if not self.gaps:
            return []
        written = f", {self.silent:,} of them written as text," if self.silent else ""
        number = "of severity 0" if self.harmless else "of the severity that the definition gives them"
        return [f"{counted(self.gaps, 'missing value')}{written} {number}"]


class SeverityModel(ClassModel):
    """A model on the severity numbers of sensitive columns.

    S18 states its models for every sensitive attribute. So every column of the role sensitive must be one that the
    definition covers, and every column that it covers and that is released must be sensitive, or a
    quasi-identifier, which is known anyway. ``columns`` names the sensitive columns to look at where that is not meant;
    the finding then says which were left out.
    """

    @property
    @abstractmethod
    def given(self) -> tuple[str | Severity, list[str] | None, int | None]:
        """The definition or its file, the columns to look at if not all, the middle class type if not each."""

    @cached_property
    def definition(self) -> Severity:
        """The severity definition itself; a file is read once."""
        severity = self.given[0]
        return severity if isinstance(severity, Severity) else Severity.load(severity)

    def inner_files(self) -> Iterator[tuple[str, Path]]:
        """The file that the definition was read from, and those that it names."""
        if self.definition.path is not None:
            yield "severity", self.definition.path
        yield from ((f"{role} in severity", file) for role, file in named_files(self.definition.definition))

    def with_files(self, folder: Path) -> Self:
        """As the run read it, whatever became of its file since."""
        file = self.definition.save(folder / f"severity-{len(list(folder.glob('severity-*'))) + 1}.yaml")
        return self.changed(severity=str(file.resolve()))

    @property
    def kinds(self) -> list[int]:
        """Rows of the severity numbers that count."""
        middle_class = self.given[2]
        return [0, 1, 2] if middle_class is None else [middle_class - 1]

    @property
    def of_columns(self) -> str:
        """Of which columns, where the model names some."""
        named = self.given[1]
        return f" of {', '.join(named)}" if named else ""

    # ---- which columns ------------------------------------------------------------------------------------------------

    def sensitive_columns(self, attributes: Mapping[str, Any]) -> list[str]:
        """The columns that are looked at."""
        return self.covered(attributes).columns

    def covered(self, attributes: Mapping[str, Any]) -> Covered:
        """What is looked at; an error where a sensitive column would be passed over without a word in the policy."""
        named = self.given[1]
        known = {name: attribute.role for name, attribute in attributes.items()}
        if named is not None:
            self._require_named(named, known)
            return self._only(named, known)
        if not known:  # nothing is said of roles: all that the definition covers
            return Covered(list(self.definition.attributes), self.definition.columns, [])
        return self._every(known)

    def _require_named(self, named: Sequence[str], known: Mapping[str, str]) -> None:
        spoken = self.definition.columns
        for name in named:
            if name not in spoken:
                raise PolicyError(
                    f"{self.describe()}: the severity definition does not cover {short(repr(name))}",
                    remedy=f"{did_you_mean(name, spoken)}It names: {', '.join(spoken)}.",
                )
            if known and known.get(name) != "sensitive":
                role = f"has the role {known[name]}" if name in known else "is not listed in the policy"
                raise PolicyError(
                    f"{self.describe()} looks at {short(repr(name))}, which {role}",
                    remedy="Give it the role sensitive, or leave it out of columns.",
                )

    def _only(self, named: Sequence[str], known: Mapping[str, str]) -> Covered:
        """The columns that the model names, and what it leaves out."""
        definition = self.definition
        found = [one for one in definition.attributes if set(one.columns) <= set(named)]
        columns = _columns_of(found)
        alone = [name for name in named if name not in columns]
        if alone:
            pairs = [one.name for one in definition.attributes if alone[0] in one.columns]
            raise PolicyError(
                f"{self.describe()}: the severity definition covers {alone[0]!r} only in {', '.join(pairs)}",
                remedy="Name the other column in columns as well, or leave this one out.",
            )
        released = [name for name, role in known.items() if role in ("sensitive", "other")]
        left = [
            name
            for name in released
            if name not in columns and (known[name] == "sensitive" or name in definition.columns)
        ]
        left += [
            one.name
            for one in definition.attributes
            if len(one.columns) > 1
            and one not in found
            and all(known.get(name) in ("sensitive", "other", "quasi") for name in one.columns)
        ]
        return Covered(found, columns, left)

    def _every(self, known: Mapping[str, str]) -> Covered:
        """Every sensitive column."""
        definition = self.definition
        sensitive = [name for name, role in known.items() if role == "sensitive"]
        if not sensitive:
            raise DataError(
                f"{self.describe()} needs a sensitive column, and there is none",
                remedy=f"Give one the role sensitive. The severity definition covers: {', '.join(definition.columns)}.",
            )
        found: list[Attribute] = []
        for attribute in definition.attributes:
            roles = {known.get(name, "identifier") for name in attribute.columns}
            if "quasi" in roles and roles & {"sensitive", "other"}:
                raise PolicyError(
                    f"{self.describe()}: the severity definition covers {attribute.name!r}, of which one column is a "
                    "quasi-identifier: once that is masked, the severity of both together is no longer known",
                    remedy="Give both the role sensitive, or both the role quasi, or leave the set out.",
                )
            if roles == {"sensitive"}:
                found.append(attribute)
        columns = _columns_of(found)
        other = [name for name in definition.columns if known.get(name) == "other"]
        if other:
            raise PolicyError(
                f"{self.describe()}: the severity definition covers {_listed(other)}, which "
                f"{'has' if len(other) == 1 else 'have'} the role other",
                remedy="Give it the role sensitive, or name the columns to check: "
                f"columns: [{', '.join(columns or sensitive)}].",
            )
        uncovered = [name for name in sensitive if name not in columns]
        if uncovered:
            alone = "" if columns else " (it covers none of the sensitive columns)"
            choice = f", or name the columns to check: columns: [{', '.join(columns)}]" if columns else ""
            raise PolicyError(
                f"{self.describe()} is about every sensitive column, and the severity definition does not cover "
                f"{_listed(uncovered)}{alone}",
                remedy=f"Add a set over {'it' if len(uncovered) == 1 else 'them'}{choice}, or give another role. "
                f"The definition covers: {', '.join(definition.columns)}.",
            )
        return Covered(found, columns, [])

    # ---- their numbers --------------------------------------------------------------------------------------------------

    def sensitive(self, table: Examined) -> Graded:
        """The levels of severity of every column, or combination of columns, that is looked at."""
        # The model is kept with what was found, so that no other one can have its number.
        return table.once(id(self), lambda: (self, self._graded(table)))[1]

    def _graded(self, table: Examined) -> Graded:
        data, attributes = table.as_read, table.attributes
        definition, covered = self.definition, self.covered(attributes)
        record_cells = RecordCells(definition, definition.open_table(data, covered.columns), "error")
        found = {}
        for attribute in covered.attributes:
            level, numbers = record_cells.levels(attribute)
            name = f"severity of {attribute.name}"
            code = level.astype(np.int64)
            counts = np.bincount(code, minlength=numbers.shape[1]).astype(np.int64)
            levels = pl.Series(np.arange(numbers.shape[1]))
            # Several definitions may cover one column.
            found[f"{name} #{id(self):x}"] = Values(name, None, levels, counts, None, code, numbers=numbers)
        unlisted = [name for name in definition.columns if attributes and name in data and name not in attributes]
        domains = {n: d for a in covered.attributes for n, d in zip(a.columns, a.domains, strict=True)}
        return Graded(
            found,
            table.units,
            sum(table.units.records(record_cells.missing(name, domain)) for name, domain in domains.items()),
            [*covered.left, *unlisted],
            {name: _spelling(record_cells, name, domains[name], table.units.counts) for name in covered.columns},
            [attribute.name for attribute in covered.attributes],
            self._missing_is_harmless(covered.columns),
        )

    def _missing_is_harmless(self, columns: Sequence[str]) -> bool:
        """Does no set over these columns hold missing values?"""
        definition = self.definition.definition
        own = {column for column, said in definition.columns.items() if {column, *said.also} & set(columns)}
        boxes = [where for one in definition.sets for where in one.where]
        return not any(chosen.missing for where in boxes for column, chosen in where.items() if column in own)

    def aside_parts(self, sensitive: Sensitive) -> list[str]:
        """What qualifies a finding: who decides on severity, what was not checked, what was read into texts."""
        assert isinstance(sensitive, Graded)
        said = self.definition.definition
        left = [f"not checked: {', '.join(sensitive.left)}"] if sensitive.left else []
        return [
            f"severity of {', '.join(sensitive.graded)} by {said.title!r}, {said.date}",
            *left,
            *sensitive.gaps_in_words(),
            *sensitive.spellings(),
        ]

    def open_text(self) -> str:
        said = self.definition.definition
        return f"{self.describe()} (severity by {said.title!r}, {said.date})"


def _columns_of(attributes: Sequence[Attribute]) -> list[str]:
    return list(dict.fromkeys(name for attribute in attributes for name in attribute.columns))


def _listed(names: Sequence[str]) -> str:
    return some_of([short(repr(name)) for name in names])


def _spelling(record_cells: RecordCells, name: str, domain: Any, counts: Longs | None) -> Spelling:
    """What was read into the texts of a column, as l-diversity counts it."""
    codes, distinct, cells = record_cells.column(name, domain)
    if not is_text(distinct.dtype):
        return Spelling()
    texts = [None if value is None else str(value) for value in distinct.to_list()]
    keys: list[Any] = [
        None if cell == domain.missing else fold_text(str(text)) if cell == domain.elsewhere else int(cell)
        for text, cell in zip(texts, cells.tolist(), strict=True)
    ]
    return spelling_of(texts, keys, np.bincount(codes, counts, len(texts)))
