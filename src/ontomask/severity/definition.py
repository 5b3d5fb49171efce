"""Severity definitions: the columns of a severity file and its special values sets (S18 2.1).

These are the words alone; what they select in a taxonomy or on a scale is computed in
:mod:`ontomask.severity.members`.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping
from contextlib import suppress
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, field_validator, model_validator

from ontomask.arguments import did_you_mean, short
from ontomask.errors import PolicyError
from ontomask.kinds.nominal import MAPPING_FILE, TAXONOMY_FILE, Nominal
from ontomask.settings import Settings, number
from ontomask.severity.classes import riopsi
from ontomask.taxonomy.taxonomy import Taxonomy

_DATES = ("%Y-%m-%d", "%Y-%m", "%Y")


def _text(value: Any) -> Any:
    if isinstance(value, str) and value.strip():
        return value.strip()
    if isinstance(value, str):
        raise ValueError("the value is empty: write it, or leave the key out")
    return value


def _date(value: Any) -> Any:
    if isinstance(value, dt.date):
        return value.isoformat()[:10]
    for form in _DATES if isinstance(value, str) else ():
        with suppress(ValueError):
            dt.datetime.strptime(value.strip(), form)
            return value.strip()
    raise ValueError(f"{short(repr(value), 40)} is not a date: write it as 2024-05-31, 2024-05 or 2024")


def as_bound(value: Any) -> float:
    """A number of a file, where all is text, or of Python."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            raise ValueError(f"{short(repr(value), 40)} is not a number: a threshold is a number such as 60") from None
    bound = number(value)
    if not math.isfinite(bound):
        raise ValueError(f"{value} is not a threshold: give a finite number, or leave it out")
    return bound


def _bounds(value: Any) -> Any:
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        raise ValueError(f"{short(repr(value), 40)} is not a pair: write between: [60, 120], both ends included")
    return tuple(map(as_bound, value))


def _truth(value: Any) -> Any:
    known = {"true": True, "yes": True, "false": False, "no": False}
    return known.get(value.strip().lower(), value) if isinstance(value, str) else value


def _small_class(value: Any) -> Any:
    known = riopsi().small
    if value in known:
        return value
    parts = [number for number in known if isinstance(value, str) and value and number.startswith(f"{value}.")]
    hint = f"It holds the small classes {', '.join(parts)}. " if parts else did_you_mean(value, known)
    raise ValueError(f"there is no small class {short(repr(value), 40)}. {hint}There are: {', '.join(known)}")


def _shares(value: Any) -> Any:
    """{class: share}; a list gives equal shares."""
    if isinstance(value, (list, tuple)) and value:
        value = dict.fromkeys(map(str, value), 1 / len(value))
    if not isinstance(value, Mapping) or len(value) < 2:
        raise ValueError(
            "a mixture names two or more small classes: [1.1.1, 2.3.2], or with shares {1.1.1: 0.25, 2.3.2: 0.75}"
        )
    shares = {_small_class(key): as_bound(share) for key, share in value.items()}
    if any(share <= 0 for share in shares.values()) or abs(sum(shares.values()) - 1) > 1e-6:
        raise ValueError(f"shares of a mixture are above 0 and sum to 1; these sum to {sum(shares.values()):g}")
    return shares


Text = Annotated[str, BeforeValidator(_text)]
Date = Annotated[str, BeforeValidator(_date)]
Bound = Annotated[float, BeforeValidator(as_bound)]


class _Column(Settings):
    """What the kinds of columns share."""

    kind: str
    also: list[Text] = Field(
        default_factory=list, description="other columns with values of the same sort; the sets hold for them too"
    )


class CodedColumn(_Column):
    """A column whose values are concepts of a taxonomy."""

    kind: Literal["nominal"] = "nominal"
    taxonomy: Annotated[str | Taxonomy, TAXONOMY_FILE] = Field(
        description="the taxonomy of the values: a built-in name or a file"
    )
    format: Text | None = Field(default=None, description="format of the taxonomy file, if its name does not show it")
    mapping: Annotated[dict[str, str] | str | None, MAPPING_FILE] = Field(
        default=None, description="value -> concept where matching does not find it, or a CSV of both"
    )
    language: Text | None = Field(default="english", description="language of the values, for matching by stems")

    @model_validator(mode="after")
    def _can_be_loaded(self) -> CodedColumn:
        try:
            self.attribute  # noqa: B018 - it checks what the keys say
        except PolicyError as wrong:
            raise ValueError("; ".join(wrong.problems)) from None
        return self

    @property
    def attribute(self) -> Nominal:
        """The column as a policy would have it: the same words, checked and loaded in the same way."""
        return Nominal(taxonomy=self.taxonomy, format=self.format, mapping=self.mapping, language=self.language)


class LiteralColumn(_Column):
    """A column of texts without a taxonomy: a value is in a set that lists it, as it is written."""

    kind: Literal["flat"] = "flat"


class NumberColumn(_Column):
    """A column of numbers, for thresholds."""

    kind: Literal["numeric"] = "numeric"


AnyColumn = Annotated[CodedColumn | LiteralColumn | NumberColumn, Field(discriminator="kind")]


class Selection(Settings):
    """Values of one column. Lists add up; thresholds hold together, as an interval."""

    values: list[str | int | float] = Field(
        default_factory=list, description="these values alone: codes, labels, texts"
    )
    ranges: list[Text] = Field(
        default_factory=list, description="from code to code in the taxonomy's order, each with all below: C16-C18"
    )
    branches: list[str | int | float] = Field(
        default_factory=list, description="concepts, each with everything below it"
    )
    above: Bound | None = Field(default=None, description="numbers greater than this")
    at_least: Bound | None = Field(default=None, description="numbers from this one up")
    below: Bound | None = Field(default=None, description="numbers less than this")
    at_most: Bound | None = Field(default=None, description="numbers up to this one")
    between: Annotated[tuple[float, float] | None, BeforeValidator(_bounds)] = Field(
        default=None, description="numbers from the first to the second, both included"
    )
    missing: Annotated[bool, BeforeValidator(_truth)] = Field(
        default=False, description="true: a missing value is in the set as well"
    )

    @property
    def thresholds(self) -> list[str]:
        return [key for key in ("above", "at_least", "below", "at_most", "between") if getattr(self, key) is not None]

    @property
    def interval(self) -> str:
        """The thresholds in words; empty if there are none."""
        words = {"above": ">", "at_least": ">=", "below": "<", "at_most": "<="}
        parts = [f"{words[key]} {getattr(self, key):.15g}" for key in self.thresholds if key in words]
        if self.between is not None:
            parts.append(f"{self.between[0]:.15g} to {self.between[1]:.15g}")
        return " and ".join(parts)

    def __str__(self) -> str:
        """The selection in words."""
        listed = [str(value) for value in self.values] + list(self.ranges)
        listed += [f"{concept} and below" for concept in self.branches]
        said = [self.interval] if self.interval else []
        return ", ".join([*said, *listed, *(["missing"] if self.missing else [])])


def _alternatives(where: Any) -> Any:
    return [where] if isinstance(where, Mapping) else where


class SpecialSet(Settings):
    """A special values set: values of a column, or combinations of several columns, that belong to a small class."""

    name: Text = Field(description="what the set is called")
    small_class: Annotated[str | None, BeforeValidator(_small_class)] = Field(
        default=None, description="the small class of RIOPSI that the set belongs to, such as 2.1.1"
    )
    mixture: Annotated[dict[str, float] | None, BeforeValidator(_shares)] = Field(
        default=None, description="in place of small_class, where it is not known: the classes it may be, with shares"
    )
    where: Annotated[list[dict[str, Selection]], BeforeValidator(_alternatives)] = Field(
        description="column: selection; several columns hold together; a list of such: any of them"
    )
    source: Text | None = Field(default=None, description="the source: a list, a law, a committee")
    date: Date | None = Field(default=None, description="the day that list was made or looked up")

    @model_validator(mode="after")
    def _is_somewhere(self) -> SpecialSet:
        if (self.small_class is None) is (self.mixture is None):
            raise ValueError("give small_class, or mixture where the class is not known; one of the two")
        return self

    @field_validator("where")
    @classmethod
    def _of_one_kind(cls, where: list[dict[str, Selection]]) -> list[dict[str, Selection]]:
        if not where or not all(where):
            raise ValueError("the set is empty: say which values are in it, as column: {values: [...]}")
        odd = next((columns for columns in where if set(columns) != set(where[0])), None)
        if odd is not None:
            raise ValueError(
                f"a set is of one column or of one combination of columns; here are {', '.join(where[0])} "
                f"and {', '.join(odd)}: make two sets of it"
            )
        return where

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns it is over, in the order of the file: of a pair, the disease first."""
        return tuple(self.where[0])

    @property
    def classes(self) -> dict[str, float]:
        """The small classes it may belong to, with their shares."""
        return dict(self.mixture) if self.mixture is not None else {str(self.small_class): 1.0}

    @property
    def class_text(self) -> str:
        if self.mixture is None:
            return str(self.small_class)
        return " or ".join(f"{number} ({share:.4g})" for number, share in self.mixture.items())

    @property
    def members_text(self) -> str:
        """The members in words."""
        every = [", ".join(f"{column}: {chosen}" for column, chosen in columns.items()) for columns in self.where]
        return "; or ".join(every)


class Definition(Settings):
    """The special values sets of an institution."""

    title: Text = Field(description="what the file is")
    institution: Text = Field(description="the institution that decides it")
    date: Date = Field(description="the date of the decision")
    source: Text | None = Field(default=None, description="the source of sets that do not name their own")
    columns: dict[str, AnyColumn] = Field(description="the columns that the sets cover, each with its kind")
    sets: list[SpecialSet] = Field(description="the special values sets; a value counts each set it is in")

    @field_validator("columns")
    @classmethod
    def _each_once(cls, columns: dict[str, Any]) -> dict[str, Any]:
        seen: set[str] = set()
        for name in (name for column, said in columns.items() for name in (column, *said.also)):
            if not name.strip():
                raise ValueError("a column without a name is listed")
            if name in seen:
                raise ValueError(f"the column {name!r} is listed twice; a column is of one kind")
            seen.add(name)
        return columns

    @field_validator("sets")
    @classmethod
    def _some(cls, sets: list[SpecialSet]) -> list[SpecialSet]:
        if not sets:
            raise ValueError("there is no set: without one every value has severity 0")
        return sets
