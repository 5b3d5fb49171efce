"""Encoded columns: distinct values in the order first seen, with the facts of each kind.

The centre of a group is, by kind: the position of a concept in the taxonomy (nominal), a code (flat), a rank (ordinal)
or a number (numeric); -1 and NaN stand for a missing value. ``decode`` turns centres into values in the style of the
column.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ontomask.arguments import did_you_mean, short, some_of
from ontomask.arrays import Floats, Longs
from ontomask.errors import OptionError
from ontomask.microdata.attributes import Attribute
from ontomask.microdata.codes import factorize
from ontomask.statements import Statement
from ontomask.taxonomy.taxonomy import Taxonomy

if TYPE_CHECKING:
    from ontomask.microdata.column_distance import ColumnDistance

Codes = NDArray[np.int32]


class Meaning(Protocol):
    """What a column of concepts offers: where they stand in a taxonomy (-1: missing), the records of each, and how one is
    written."""

    @property
    def taxonomy(self) -> Taxonomy: ...

    @property
    def values(self) -> pl.Series: ...

    @property
    def counts(self) -> Longs: ...

    @property
    def concepts(self) -> Longs: ...

    def spell(self, position: int) -> str: ...


class ItemSets(Protocol):
    """What a column of sets offers: its sets with other concepts in the place of its items, and means over items."""

    @property
    def items(self) -> Meaning: ...

    def lists(self) -> tuple[Longs, Longs]:
        """The items of all codes, as codes of :attr:`items`, one after the other, and where those of each code begin."""

    def number_of(self, concepts: Iterable[int]) -> int:
        """The centre that a set of concepts is."""

    def concepts_of(self, number: int) -> tuple[int, ...]:
        """The concepts of a centre."""

    def is_empty(self, centres: NDArray[Any]) -> NDArray[np.bool_]:
        """Which centres are empty sets."""


class Line(Protocol):
    """What a column of numbers or ranks offers: positions (NaN: missing), and what intervals of them show and cover."""

    @property
    def positions(self) -> Floats: ...

    @property
    def whole(self) -> bool: ...

    @property
    def ends(self) -> tuple[float, float]: ...

    @property
    def rank_values(self) -> list[Any]: ...

    def place_text(self, position: float) -> str: ...

    def edges(self, low: float, high: float, most: int) -> list[float] | None: ...

    def position_of(self, value: Any) -> float | None: ...

    def limits_of(self, text: str) -> tuple[float, float] | None: ...

    def interval_text(self, low: float, high: float, *, closed: bool) -> str: ...

    def interval_share(self, low: float, high: float, extent: float, *, closed: bool) -> float: ...


@dataclass(frozen=True, eq=False)
class Column(ABC):
    """The V distinct values of a column; ``missing`` is the code of a missing value, if there is one."""

    name: str
    attribute: Attribute
    values: pl.Series  # of each code; null for the missing one
    counts: Longs  # the records of each code
    missing: int | None

    #: Do the values lie on a line, so that a difference is a distance? Others have a table of distances.
    on_line: ClassVar[bool] = False
    #: Are some values nearer to each other than others? If not, they are equal or unequal, and nothing else.
    graded: ClassVar[bool] = True
    #: Is every position between two values a value too, so that a mean is one? Such a column has a ``line``.
    continuous: ClassVar[bool] = False

    def __len__(self) -> int:
        return len(self.values)

    @property
    def where(self) -> str:
        return f"column {self.name!r}"

    @property
    def quantity(self) -> bool:
        """Are the values amounts? Only then have dominance, tails and crowded ranges a meaning."""
        return self.attribute.quantity

    @property
    @abstractmethod
    def centre_of_code(self) -> NDArray[Any]:
        """Each value of the column as a centre."""

    @abstractmethod
    def is_missing(self, centres: NDArray[Any]) -> NDArray[np.bool_]:
        """Which centres stand for a missing value."""

    @property
    def missing_centre(self) -> Any:
        """What stands for a missing value, also where the column has none."""
        return -1

    def rounded(self, centres: NDArray[Any]) -> NDArray[Any]:
        """Centres as they are shown: as precise as the column."""
        return centres

    @property
    def step(self) -> float:
        """What shown centres are a multiple of; 0 where they are shown as computed."""
        return 0.0

    def content(self) -> Iterator[bytes]:
        """The values of all codes as bytes, whatever kind of frame or file they came from."""
        own = self.centre_of_code
        if own.dtype.kind == "f":
            yield (np.ascontiguousarray(own, dtype="<f8") + 0.0).tobytes()  # -0.0 is 0.0
        else:
            yield np.ascontiguousarray(own, dtype="<i8").tobytes()

    @property
    def meaning(self) -> Meaning | None:
        """The concepts of the values, where the column has a taxonomy."""
        return None

    @property
    def calendar_days(self) -> Floats | None:
        """The day of each value, counted from 1970-01-01, NaN for missing, where values are days of the calendar."""
        return None

    @property
    def items(self) -> Meaning | None:
        """The concepts that the values are, or are sets of, each with the records that have it."""
        return self.meaning

    @property
    def item_sets(self) -> ItemSets | None:
        """The sets of the values, where these are sets, and not all of one concept."""
        return None

    @property
    def line(self) -> Line | None:
        """The positions of the values, where they lie on a line."""
        return None

    def centres_of_levels(
        self, group: NDArray[np.int32], first: Longs, spans: Any = None, concepts: Any = None
    ) -> NDArray[Any]:
        """What stands for each group of codes of a level where records are compared: its most central value.

        ``first``: a code of each group; ``spans``: (low, high) of each code's group, where it is an interval;
        ``concepts``: what each code goes up to, where that is a concept.
        """
        table = self.metric().between_codes * self.counts
        members = [np.flatnonzero(group == g) for g in range(len(first))]
        central = [codes[np.argmin(table[np.ix_(codes, codes)].sum(axis=1))] for codes in members]
        return self.centre_of_code[np.array(central, dtype=np.int64)]

    @abstractmethod
    def of_centres(self, centres: NDArray[Any], counts: Longs) -> Self:
        """A column of the same kind that holds these centres, each in ``counts`` records."""

    def released(
        self,
        centres: NDArray[Any],
        shown: pl.Series | None,
        group_of: NDArray[Any],
        counts: Longs | None = None,
    ) -> tuple[Coded, NDArray[np.bool_]]:
        """The column that records show by groups, encoded like this one, and which of its codes show no single value.

        ``centres``: of each group; ``shown``: what it shows, where that is not its centre. ``counts``: how many records each
        row stands for, if it is not one.
        """
        distinct, code = np.unique(centres, return_inverse=True)
        general = np.zeros(len(distinct), dtype=np.bool_)
        if shown is not None:
            first, code, texts = _by_what_is_shown(code, shown)
            distinct = centres[first]
            values = set(self.values.cast(pl.String).to_list())
            general = np.array([self.is_general(text, values) for text in texts], dtype=np.bool_)
        codes = code[group_of].astype(np.int32)
        return Coded(self.of_centres(distinct, counts_of(codes, len(distinct), counts)), codes), general

    def is_general(self, text: str | None, values: Collection[str | None]) -> bool:
        """Does a text that is shown stand for no single value? ``values`` are those of the column."""
        return text not in values

    def with_values_of(self, masked: Column) -> Column:
        """The column on a scale that holds what only masking brought in."""
        return self

    def encode_like(self, values: pl.Series) -> Coded:
        """Other values of the column, such as masked ones, read as this one was."""
        return encode_column(self.name, self.attribute, values, [])

    @abstractmethod
    def metric(self) -> ColumnDistance:
        """How far apart the values of the column are."""

    @abstractmethod
    def decode(self, centres: NDArray[Any]) -> pl.Series:
        """The values of centres."""

    def centre_of(self, value: Any) -> Any:
        """A reference value as a centre of the column, of which it need not be a value."""
        if value is None:
            if self.missing is None:
                raise OptionError(
                    "the reference is a missing value, and the column has none",
                    where=self.where,
                    remedy="Give a value.",
                )
            return self.centre_of_code[self.missing]
        return self.known_centre(value)

    def known_centre(self, value: Any) -> Any:
        """The same of a value that is not missing."""
        return self.centre_of_code[self.place_in(self.values.to_list(), value)]

    def place_in(self, known: Sequence[Any], value: Any) -> int:
        """Where a reference value stands in a list of values; an error where it does not."""
        alike = [i for i, v in enumerate(known) if v is not None and v == value]
        exact = [i for i in alike if type(known[i]) is type(value)]
        if not alike:
            listed = [v for v in known if v is not None]
            raise OptionError(
                f"the reference {short(repr(value), 40)} is not a value of the column",
                where=self.where,
                remedy=did_you_mean(value, map(str, listed))
                + f"Give one of: {some_of([short(repr(v), 40) for v in listed], most=12)}.",
            )
        return (exact or alike)[0]

    def spanning(self, centre: Any) -> Self:
        """The column, measured on a scale that holds a reference too."""
        return self

    def remeasured(self, **changed: Any) -> Self:
        """The column with other settings of its measure, where its kind has one."""
        return self


class Coded(NamedTuple):
    """A column, and the code of each record in it."""

    column: Column
    codes: Codes


def encode_column(
    name: str,
    attribute: Attribute,
    values: pl.Series,
    notes: list[Statement],
    rows: Longs | None = None,
    counts: Longs | None = None,
) -> Coded:
    """A column of the data as its attribute says; missing values are categories by now.

    ``rows`` are the places of the records in the input, where some of it was dropped: errors name these. ``counts``: how
    many records each value stands for, if it is not one.
    """
    codes, distinct = factorize(attribute.checked(name, values, rows))
    missing = first_where(distinct.is_null().to_numpy())
    return attribute.column(name, codes, distinct, counts_of(codes, len(distinct), counts), missing, notes, rows)


def _by_what_is_shown(centre: NDArray[Any], shown: pl.Series) -> tuple[Longs, Longs, list[str | None]]:
    """Groups that show the same and stand at the same place are of one sort: the first group of each, the sort of every
    group, and what each sort shows."""
    texts = shown.cast(pl.String).to_list()
    sorts: dict[Any, int] = {}
    code = np.array([sorts.setdefault(key, len(sorts)) for key in zip(centre.tolist(), texts, strict=True)])
    first = np.zeros(len(sorts), dtype=np.int64)
    first[code[::-1]] = np.arange(len(code))[::-1]
    return first, code.astype(np.int64), [texts[i] for i in first]


def extended(column: Column, values: pl.Series) -> tuple[Codes, pl.Series, int | None]:
    """Codes of other values, whichever of the column's own are left; new values follow. Also the code of a missing one."""
    every, distinct = factorize(pl.concat([column.values, values]))
    missing = first_where(distinct.is_null().to_numpy())
    return every[len(column) :], distinct, column.missing if missing is None else missing


def first_where(mask: NDArray[np.bool_]) -> int | None:
    """The first place where a condition holds."""
    places = np.flatnonzero(mask)
    return int(places[0]) if len(places) else None


def counts_of(codes: NDArray[Any], size: int, counts: Longs | None = None) -> Longs:
    """The records of each code below ``size``; ``counts``: how many each row stands for, if it is not one."""
    return np.bincount(codes, counts, size).astype(np.int64)
