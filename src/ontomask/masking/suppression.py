"""Suppression: what is too rare is left out, records (the baseline of T12 9.2) or single cells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import BeforeValidator, Field, model_validator

from ontomask.arguments import PartError, counted, did_you_mean
from ontomask.errors import DataError
from ontomask.kinds.registry import AnyAttribute
from ontomask.masking.goals import Goals
from ontomask.masking.method import GroupingMethod, Masked, MaskedTuples, TupleMethod
from ontomask.masking.suppressed_cells import suppress_cells
from ontomask.microdata.encoding import Table, Tuples
from ontomask.progress import Progress
from ontomask.settings import DictOf, ListOf, number, whole_number
from ontomask.statements import Statement, caveat, note, promised
from ontomask.wording import RECORD, Unit


class Suppression(TupleMethod, GroupingMethod):
    """Leave out what fewer than k share: records, or with ``cells=True`` as few cells as possible.

    Notes
    -----
    Without ``cells`` the records that fewer than k share their quasi-identifiers are removed; all others stay as they are.

    With ``cells`` single cells of quasi-identifiers are blanked, so that every combination, in which a blank is a value of its
    own, is shared by k. The sum of ``importance`` over blanked cells is kept small by a greedy search with local improvement;
    the least is NP-hard to find (Meyerson & Williams 2004). A record is removed only where its stratum has fewer than k.

    With ``blanks="wildcard"`` cells are blanked only until k records match each one, a blank matching any value. That is not
    k-anonymity, and nothing is promised.

    Examples
    --------
    >>> import ontomask as om
    >>> om.Suppression(5)
    Suppression(k=5)
    >>> om.Suppression(3, cells=True, importance={"age": 2})
    Suppression(k=3, cells=True, importance={'age': 2.0})
    """

    name: Literal["suppression"] = "suppression"
    cells: bool = Field(
        default=False, description="true: blank single cells of quasi-identifiers; false: remove records"
    )
    importance: DictOf[str, Annotated[float, BeforeValidator(number), Field(ge=1e-6, le=1e6, allow_inf_nan=False)]] = (
        Field(
            default_factory=dict,
            description="cells: what a blank costs, by column; 1 where not given. Columns with higher numbers lose fewer cells",
        )
    )
    strata: ListOf[str] = Field(
        default_factory=list, description="cells: columns whose values, or bins, form strata; k holds in each of them"
    )
    bins: DictOf[str, Annotated[int, BeforeValidator(whole_number), Field(ge=2, le=1_000_000)]] = Field(
        default_factory=dict, description="cells: how many intervals of equal width a numeric column of the strata has"
    )
    blanks: Literal["value", "wildcard"] = Field(
        default="value",
        description="cells: a blank is a value of its own (k-anonymity), or matches any value (no promise)",
    )

    @model_validator(mode="after")
    def _settings_of_cells(self) -> Self:
        given = [name for name in ("importance", "strata", "bins") if getattr(self, name)]
        given += ["blanks"] if self.blanks != "value" else []
        if given and not self.cells:
            raise ValueError(f"{given[0]} is for cells=True, which blanks cells: without it records are removed")
        if len(set(self.strata)) < len(self.strata):
            raise ValueError("strata: a column is named twice")
        unknown = [name for name in self.bins if name not in self.strata]
        if unknown:
            raise ValueError(f"bins: {unknown[0]!r} is not one of the strata: name it there, too")
        return self

    def studied_columns(self, attributes: Mapping[str, AnyAttribute]) -> list[str]:
        quasi = self.masked_columns(attributes)
        for name in self.importance:
            if name not in quasi:
                near = did_you_mean(name, quasi)
                raise PartError(f"{name!r} is not a quasi-identifier. {near}".rstrip(), "method", "importance")
        for name in self.strata:
            if name not in attributes:
                near = did_you_mean(name, attributes)
                raise PartError(f"{name!r} is not one of the attributes. {near}".rstrip(), "method", "strata")
            if attributes[name].role == "identifier":
                raise PartError(f"{name!r} is an identifier, whose values no release has", "method", "strata")
        return [name for name in attributes if name in quasi or name in self.strata]

    @property
    def refuses_sets(self) -> str | None:
        return None

    @property
    def draws(self) -> bool:
        return False

    @property
    def aims(self) -> bool:
        return False

    @property
    def promised_k(self) -> int:
        return self.k if self.blanks == "value" else 1

    def by_tuple(self, table: Tuples) -> bool:
        return not self.cells

    def require_enough(self, table: Tuples) -> None:
        super().require_enough(table)
        if not self.cells and (table.sizes < self.k).all():
            raise DataError(
                f"no combination of quasi-identifiers has {table.unit.counted(self.k)}: nothing would be left",
                remedy="Choose a smaller k, fewer quasi-identifiers, or a method that masks instead of removing.",
            )

    def mask_tuples(self, goals: Goals, table: Tuples, rng: np.random.Generator, progress: Progress) -> MaskedTuples:
        self.require_enough(table)
        common = table.sizes >= self.k
        group_of_tuple = np.where(common, np.cumsum(common) - 1, -1)
        removed = int(table.counts[~common].sum())
        centres = [
            column.centre_of_code[codes[common]] for column, codes in zip(table.columns, table.codes, strict=True)
        ]
        notes = [note(f"{removed:,} of {counted(table.n, 'record')} removed")]
        return MaskedTuples(Masked(group_of_tuple.astype(np.int32), centres, notes))

    def mask_for(self, goals: Goals, table: Table, rng: np.random.Generator, progress: Progress) -> Masked:
        if self.by_tuple(table):
            return super().mask_for(goals, table, rng, progress)
        self.require_enough(table)
        return suppress_cells(self, table, progress)

    @property
    def title(self) -> str:
        return "Cell suppression" if self.cells else "Suppression"

    def explain(self, unit: Unit = RECORD) -> str:
        if not self.cells:
            return (
                f"Records whose combination of values has fewer than {unit.counted(self.k)} were left out. No value was "
                "changed."
            )
        if self.blanks == "wildcard":
            return (
                f"Single values of rare records were blanked until at least {unit.counted(self.k)} match each of these "
                "records, if a blank matches any value. No other value was changed."
            )
        return (
            f"Single values were blanked until every combination, blanks included, has at least {unit.counted(self.k)}. No "
            "other value was changed."
        )

    def _assured(self, unit: Unit) -> list[Statement]:
        if self.blanks == "wildcard":
            return [
                caveat(
                    f"The release is not k-anonymous: k {unit.many} match each record only if a blank matches any value. "
                    "Somebody who knows the blanked values of a person can tell such records apart. Choose blanks: value for "
                    "k-anonymity."
                )
            ]
        if self.cells:
            return [
                promised(
                    f"Every combination of quasi-identifiers is shared by at least {unit.counted(self.k)}; a blank counts as a "
                    "value of its own. Values that are shown are true. Rare values are missing more often, so distributions of "
                    "the remaining values differ from those of the original."
                )
            ]
        return [
            promised(
                f"Every combination of quasi-identifiers that is left is shared by at least {unit.counted(self.k)}; rare "
                "records are missing, so totals and rates of the release differ from those of the original."
            )
        ]
