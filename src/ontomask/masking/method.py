"""``Method``: base classes of masking methods: settings, ``mask``, guarantees in words."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field, field_validator, model_validator

from ontomask.arguments import PartError
from ontomask.arrays import Longs
from ontomask.distances.measures import get_measure
from ontomask.errors import DataError
from ontomask.files.named_files import NamesFile
from ontomask.kinds.registry import AnyAttribute
from ontomask.kinds.set_distance import CENTROIDS
from ontomask.masking.candidates import CandidateMethod, levels_from
from ontomask.masking.dominance import dominance
from ontomask.masking.goals import Goals
from ontomask.microdata.attributes import Role
from ontomask.microdata.codes import combine
from ontomask.microdata.encoding import Rows, SomeTuples, Table, Tuples, remeasured
from ontomask.operators.aggregation import Centroid, NumericCentre, Operators
from ontomask.operators.ordering import Comparison
from ontomask.operators.record_distance import DISTANCE, ChosenDistance, Normalize, RecordDistance
from ontomask.privacy.diagnostics import Diagnostics
from ontomask.privacy.k_anonymity import KAnonymity
from ontomask.privacy.models import Model
from ontomask.progress import Progress
from ontomask.settings import Count, ListOf, plain
from ontomask.statements import Statement, caveat
from ontomask.wording import RECORD, Unit


@dataclass(frozen=True, eq=False)
class Masked:
    """What became of each record: its group (-1: it was removed), and the centre of each group by column.

    ``shown``: what each group shows by column, where a centre does not say it (an interval, a masked text). ``sources``,
    of methods that only rearrange values: for each column, the record that each record's value came from.
    ``penalty``, of generalizations: by column, the part of its domain that the value of each group covers.
    ``diagnostics``: what the method itself measured. ``details``: further tables for the
    steward, by name. ``caveats``: what weakens its promise on these data.
    """

    group_of: NDArray[np.int32]
    centres: Sequence[NDArray[Any]]
    notes: list[Statement] = field(default_factory=list)
    sources: Sequence[Longs] | None = None
    shown: Sequence[pl.Series] | None = None
    penalty: Sequence[NDArray[np.float64]] | None = None
    diagnostics: Diagnostics | None = None
    caveats: list[Statement] = field(default_factory=list)
    details: Mapping[str, pl.DataFrame] = field(default_factory=dict)

    @property
    def groups(self) -> int:
        return len(self.centres[0])

    def values(self, table: Tuples) -> list[pl.Series]:
        """What each group shows, column by column."""
        if self.shown is not None:
            return list(self.shown)
        return [column.decode(centres) for column, centres in zip(table.columns, self.centres, strict=True)]

    @staticmethod
    def of_codes(table: Tuples, codes: Sequence[NDArray[Any]], **more: Any) -> Masked:
        """Records that show values of the data, column by column; those that show the same form a group."""
        group_of, first = combine(codes, [len(column) for column in table.columns])
        centres = [column.centre_of_code[own[first]] for column, own in zip(table.columns, codes, strict=True)]
        return Masked(group_of, centres, **more)

    @staticmethod
    def of_centres(centres: Sequence[NDArray[Any]], **more: Any) -> Masked:
        """Records that show what stands beside each of them, column by column; those that show the same form a group."""
        distinct = [np.unique(values, return_inverse=True) for values in centres]
        group_of, first = combine([codes for _, codes in distinct], [len(values) for values, _ in distinct])
        return Masked(group_of, [values[codes[first]] for values, codes in distinct], **more)

    @staticmethod
    def rearranged(table: Table, sources: Sequence[Longs], **more: Any) -> Masked:
        """Records that show values of other records."""
        codes = [table.codes_of(a)[source] for a, source in enumerate(sources)]
        return Masked.of_codes(table, codes, sources=sources, **more)


@dataclass(frozen=True, eq=False)
class MaskedTuples:
    """What became of each tuple, and so of all its records: ``tuples`` says it as if every tuple were one record."""

    tuples: Masked

    def on(self, rows: Rows) -> Masked:
        """What became of these records, which may be a chunk of them."""
        return replace(self.tuples, group_of=self.tuples.group_of[rows.tuple_of])


class Method(CandidateMethod):
    """A way to mask a table."""

    name: str
    #: The roles of the columns that it masks unless columns are named, and of those that it looks at.
    masks: ClassVar[tuple[Role, ...]] = ("quasi",)
    looks_at: ClassVar[tuple[Role, ...]] = ("quasi",)

    def masked_columns(self, attributes: Mapping[str, AnyAttribute]) -> list[str]:
        """The columns that it changes, in the order of the attributes."""
        return [name for name, attribute in attributes.items() if attribute.role in self.masks]

    def studied_columns(self, attributes: Mapping[str, AnyAttribute]) -> list[str]:
        """The columns that it changes or looks at, in the order of the attributes."""
        masked = set(self.masked_columns(attributes))
        return [name for name, attribute in attributes.items() if name in masked or attribute.role in self.looks_at]

    @property
    def promised_k(self) -> int:
        """The k that every record of the output must find, whatever the input; 1: it promises none."""
        return 1

    @property
    def promised_models(self) -> list[Model]:
        """What every output satisfies, whatever the input; it is verified like what a policy requires."""
        return [KAnonymity(k=self.promised_k)] if self.promised_k > 1 else []

    @property
    @abstractmethod
    def recognizable(self) -> bool:
        """Do the masked quasi-identifiers of a record tell its class? Not where values are exchanged or drawn at random."""

    @property
    @abstractmethod
    def draws(self) -> bool:
        """Does it draw at random, with these settings? What draws nothing gives the same release under any secret."""

    @property
    @abstractmethod
    def aims(self) -> bool:
        """Does it mask just until the required models hold, so that what it left alone tells something?"""

    @property
    def refuses_sets(self) -> str | None:
        """Why it cannot work on columns that hold sets, with these settings; None: it can."""
        return "it works on single values"

    def refuses_columns(self, columns: Sequence[str]) -> str | None:
        """Why it cannot mask these columns together, with these settings; None: it can, as far as names tell."""
        return None

    def by_tuple(self, table: Tuples) -> bool:
        """Does it decide by tuple, and ask nothing of records? Then it is a :class:`TupleMethod`."""
        return False

    def require_enough(self, table: Tuples) -> None:
        """Raise what makes masking these data impossible."""

    @abstractmethod
    def mask(self, table: Table, rng: np.random.Generator, progress: Progress) -> Masked:
        """Mask the table. The same table and generator give the same result."""

    def mask_for(self, goals: Goals, table: Table, rng: np.random.Generator, progress: Progress) -> Masked:
        """Mask the table and aim at what is required, as far as the method can; what it misses is found out later."""
        return self.mask(table, rng, progress)

    @property
    def releases(self) -> int:
        """How many releases of the same records it makes."""
        return 1

    def mask_releases(self, goals: Goals, table: Table, rng: np.random.Generator, progress: Progress) -> list[Masked]:
        """All of its releases. The same records are in each of them, in the same order."""
        return [self.mask_for(goals, table, rng, progress)]

    @abstractmethod
    def assurances(self, unit: Unit = RECORD) -> list[Statement]:
        """What holds of the output by construction, and what does not."""


class TupleMethod(Method):
    """A method that decides by tuple, at least with some settings: all records of a tuple share what becomes of it."""

    def by_tuple(self, table: Tuples) -> bool:
        return True

    @abstractmethod
    def mask_tuples(self, goals: Goals, table: Tuples, rng: np.random.Generator, progress: Progress) -> MaskedTuples:
        """Mask the tuples, where :meth:`by_tuple` is true; the records may be anywhere."""

    def mask(self, table: Table, rng: np.random.Generator, progress: Progress) -> Masked:
        return self.mask_for(Goals.none(table.rows), table, rng, progress)

    def mask_for(self, goals: Goals, table: Table, rng: np.random.Generator, progress: Progress) -> Masked:
        return self.mask_tuples(goals, table, rng, progress).on(table.rows)


class RandomMethod(Method):
    """A method that exchanges values or draws them at random: a class of the release does not tell who is in it."""

    @property
    def recognizable(self) -> bool:
        return False

    @property
    def draws(self) -> bool:
        return True

    @property
    def aims(self) -> bool:
        return False


class SelectiveMethod(Method):
    """A method that masks the columns of its roles, or those that are named."""

    columns: ListOf[str] | None = Field(
        default=None, description="the columns to mask; not given: all columns of the role that the method masks"
    )

    @field_validator("columns")
    @classmethod
    def _each_once(cls, columns: list[str] | None) -> list[str] | None:
        if columns is not None and not columns:
            raise ValueError("columns is empty: name the columns to mask, or leave it out")
        if columns is not None and len(set(columns)) < len(columns):
            raise ValueError("columns: a column is named twice")
        return columns

    @property
    def named_columns(self) -> Sequence[str] | None:
        return self.columns

    def masked_columns(self, attributes: Mapping[str, AnyAttribute]) -> list[str]:
        if self.columns is None:
            return super().masked_columns(attributes)
        for name in self.columns:
            if name not in attributes:
                raise PartError(f"{name!r} is not one of the attributes", "method", "columns")
            if attributes[name].role == "identifier":
                raise PartError(f"{name!r} is an identifier, whose values no release has", "method", "columns")
        return [name for name in attributes if name in self.columns]

    def chosen(self, table: Tuples) -> list[bool]:
        """Of each column of the table: is it masked?"""
        named = self.columns
        return [c.attribute.role in self.masks if named is None else c.name in named for c in table.columns]

    def left_alone(self, table: Tuples) -> list[Statement]:
        """A caveat where quasi-identifiers are not masked because other columns are named."""
        pairs = zip(table.columns, self.chosen(table), strict=True)
        names = [column.name for column, masked in pairs if column.attribute.quasi and not masked]
        if not names:
            return []
        which = "The quasi-identifier" if len(names) == 1 else "The quasi-identifiers"
        verb, them = ("is", "it") if len(names) == 1 else ("are", "them")
        text = f"{which} {', '.join(names)} {verb} not masked: records can be found by {them}."
        return [caveat(text, ", ".join(names))]


class GroupingMethod(Method):
    """A method that makes groups of at least k records."""

    k: Count = Field(kw_only=False, description="every group has at least k records")

    @property
    def stated_k(self) -> int:
        return self.k

    @property
    def promised_k(self) -> int:
        return self.k

    @property
    def recognizable(self) -> bool:
        return True  # whatever k is: groups are made of near records, and at k = 1 values are as they were

    def require_enough(self, table: Tuples) -> None:
        if self.k > table.size:
            raise DataError(
                f"k is {self.k:,} and there {'is' if table.size == 1 else 'are'} {table.unit.counted(table.size)}",
                remedy=f"A class cannot have more {table.unit.many} than the data: choose a smaller k.",
            )

    def assurances(self, unit: Unit = RECORD) -> list[Statement]:
        return [caveat("k is 1: nothing is masked and no record is protected.")] if self.k == 1 else self._assured(unit)

    def at_k(self, k: int) -> Self | None:
        return self.changed(k=k)

    def levels(self, required: int) -> list[int]:
        return sorted({self.k, *levels_from(required if required > 1 else self.k)})

    def leaves_unmasked(self, require: Sequence[Model]) -> bool:
        return self.k == 1

    @abstractmethod
    def _assured(self, unit: Unit) -> list[Statement]:
        """The same, where k is above 1."""


class DistanceMethod(Method):
    """A method that measures distances between values."""

    measure: str | None = Field(default=None, description="a measure for all nominal columns in place of their own")
    measure_options: Annotated[
        dict[str, Any], BeforeValidator(plain), NamesFile("vectors of the method", key="vectors")
    ] = Field(default_factory=dict, description="options of that measure")

    @model_validator(mode="after")
    def _measure_exists(self) -> Self:
        if self.measure is not None:
            get_measure(self.measure).resolve_options(self.measure_options)
        elif self.measure_options:
            raise ValueError("measure_options are given without measure=")
        return self

    @property
    def named_measure(self) -> str | None:
        return self.measure

    def measured(self, table: SomeTuples) -> SomeTuples:
        """The table, its nominal columns compared as the method says."""
        changed = self._measuring()
        return remeasured(table, **changed) if changed else table

    @property
    def no_baseline(self) -> str | None:
        return "it already treats values as labels" if self.measure == "equality" else None

    def on_labels(self, columns: Collection[str]) -> Self:
        return self.changed(measure=None, measure_options={})

    def _measuring(self) -> dict[str, Any]:
        return {} if self.measure is None else {"measure": self.measure, "options": self.measure_options}


class RecordDistanceMethod(DistanceMethod):
    """A method that compares records."""

    distance: ChosenDistance = Field(default="mean", description=DISTANCE)
    normalize: Normalize = Field(
        default="pairwise", description="variance of nominal columns in s: mean of a random pair, or as published"
    )

    def record_distance(self, table: Tuples) -> RecordDistance:
        return RecordDistance.of(self.measured(table), self.distance, self.normalize)


class AggregationMethod(RecordDistanceMethod, GroupingMethod):
    """A method that puts a centre in the place of each group."""

    centroid: Centroid = Field(
        default="semantic", description="the centre of nominal values: semantic, marginality, mode, lcs or consensus"
    )
    comparison: Comparison = Field(
        default="plain", description="weighted multiplies distances by frequency, as published; plain does not"
    )

    numeric_centre: NumericCentre = Field(
        default="mean", description="what groups show of numbers: mean, or median, which an outlier does not move"
    )

    def operators(self, table: Tuples) -> Operators:
        return Operators.of(table, self.record_distance(table), self.centroid, self.numeric_centre)

    @property
    def refuses_sets(self) -> str | None:
        if self.centroid in CENTROIDS:
            return None
        return f"the centroid {self.centroid!r} has no meaning for sets: choose {' or '.join(map(repr, CENTROIDS))}"

    @property
    def no_baseline(self) -> str | None:
        return super().no_baseline if self.centroid == "mode" else None

    def on_labels(self, columns: Collection[str]) -> Self:
        """Distances are not weighted by frequency: that belongs to the semantic comparison operator (T12 def. 2)."""
        return super().on_labels(columns).changed(centroid="mode", comparison="plain")

    def aggregated(
        self,
        operators: Operators,
        rows: Rows,
        group_of: NDArray[np.int32],
        groups: int,
        progress: Progress,
        notes: Sequence[Statement] = (),
    ) -> Masked:
        """Groups of rows that show their centres, with a caveat on means that disclose one record."""
        table, centres = operators.tuples, operators.centres(rows, group_of, groups, progress)
        told, caveats = dominance(table, rows, group_of, centres) if self.numeric_centre == "mean" else ([], [])
        return Masked(group_of, self.shown(table, centres), [*notes, *told], caveats=caveats)

    @staticmethod
    def shown(table: Tuples, centres: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
        """Centres as they are shown: means as precise as their column."""
        return [column.rounded(values) for column, values in zip(table.columns, centres, strict=True)]
