"""Requirements of a run, prepared for masking methods: models with their judges for the data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.arrays import Floats, Longs
from ontomask.errors import PolicyError
from ontomask.microdata.columns import counts_of
from ontomask.microdata.encoding import Rows, TupleUnits
from ontomask.privacy.examined import Examined
from ontomask.privacy.judges import ClassRows, Judge
from ontomask.privacy.models import ClassModel, Model, require_sensitive
from ontomask.privacy.shared_rows import SharedRows
from ontomask.privacy.units import RECORDS, Units


@dataclass(frozen=True, eq=False)
class Contents:
    """What models see of one group: its rows, and how many records each stands for.

    Where records are counted, one row stands for all that agree with it in what models look at: a group that grows has
    no more of them than there are different values.
    """

    rows: Longs
    weights: Longs

    @staticmethod
    def counted(rows: Longs, weights: Longs) -> Contents:
        """Rows that occur several times as one."""
        distinct, place = np.unique(rows, return_inverse=True)
        return Contents(distinct, np.bincount(place, weights).astype(np.int64))


@dataclass(frozen=True, eq=False)
class Goals:
    """Models that are stated on classes, each with its judge, and the rows of a table that they judge.

    A row has a tuple, stands for a number of records, and has ``codes`` in the sensitive columns. ``units``: what is counted;
    where that is not records, the unit of each row.
    """

    models: Sequence[ClassModel]
    judges: Sequence[Judge]
    rows: Rows
    codes: Mapping[str, Longs]
    units: Units = RECORDS

    @staticmethod
    def of(models: Sequence[Model], table: Examined, rows: Rows) -> Goals:
        """The models a method can aim at; the others are only verified. ``rows``: those of the table, encoded."""
        stated = [model for model in models if isinstance(model, ClassModel)]
        judges: list[Judge] = []
        codes: dict[str, Longs] = {}
        for model in stated:
            require_sensitive(table.data, model.sensitive_columns(table.attributes), table.quasi, model.describe())
            seen = model.sensitive(table)
            model.require_possible(seen)
            judges.append(model.judge(seen))
            codes |= seen.codes
        return Goals(stated, judges, rows, codes, table.units.uncounted())

    @staticmethod
    def none(rows: Rows) -> Goals:
        """Nothing to aim at."""
        return Goals((), (), rows, {})

    def of_records(self, row_of: NDArray[Any], rows: Rows) -> Goals:
        """The same of single records, where a row stands for several; ``row_of``: the row of each record."""
        return replace(self, rows=rows, codes={name: code[row_of] for name, code in self.codes.items()})

    def require_some(self, method: str) -> None:
        if not self.models:
            raise PolicyError(
                f"{method} needs at least one required model of classes",
                remedy="Add a model, such as require=[KAnonymity(k=5)].",
            )

    def alike(self) -> tuple[Longs, Longs]:
        """Rows that agree in tuple, unit and what the models look at are one: of each row, and the first of each."""
        units = () if self.units.of is None else (self.units.of,)
        return _alike(self.rows.tuple_of, *self.codes.values(), *units)

    def counted(self, *, sharing: bool = False) -> Goals:
        """The same of counted rows, of which no two agree: for methods that decide by tuple.

        ``sharing``: units may share a row where models look at sizes alone; no part of such rows can be judged.
        """
        rows = self.rows
        if not self.codes and (self.units.of is None or sharing):
            everyone = counts_of(rows.tuple_of, rows.p, rows.counts)
            units = self.units
            if units.of is not None:
                units = SharedRows.of_tuples(TupleUnits(units.word, rows.tuple_of, rows.p, units.of))
            return replace(self, rows=Rows(np.arange(rows.p, dtype=np.int32), rows.p, everyone), units=units)
        row_of, first = self.alike()
        distinct = Rows(rows.tuple_of[first], rows.p, counts_of(row_of, len(first), rows.counts))
        codes = {name: code[first] for name, code in self.codes.items()}
        return replace(self, rows=distinct, codes=codes, units=self.units.take(first))

    def fails(self, group_of: NDArray[Any], groups: int, shown: Longs | None = None) -> NDArray[np.bool_]:
        """Which groups of rows fail a model; ``shown``: where that is known, what group g shows of column a, [a, g]."""
        of = group_of.astype(np.int64)
        quasi = None if shown is None else lambda: shown
        sizes = self.units.sizes(of, groups, self.rows.counts)
        rows = ClassRows(of, sizes, self.rows.weights, self.codes, quasi, self.units)
        failing = np.zeros(groups, dtype=np.bool_)
        for judge in self.judges:
            failing |= judge.fails(judge.figures(rows))
        return failing

    def fail(self, members: NDArray[Any]) -> bool:
        """Does a group of these rows fail a model?"""
        return self.fail_contents(Contents(members, self.rows.weights[members]))

    @cached_property
    def _like(self) -> Longs:
        """Of each row the first that agrees with it in all that models look at."""
        row_of, first = _alike(np.zeros(len(self.rows), dtype=np.int64), *self.codes.values())
        return first[row_of]

    def contents(self, members: Longs) -> Contents:
        """Rows of a group as models see them."""
        if self.units.of is not None:
            return Contents(members, self.rows.weights[members])
        return Contents.counted(self._like[members], self.rows.weights[members])

    def joined_contents(self, one: Contents, other: Contents) -> Contents:
        """Those of two groups that become one."""
        rows, weights = np.concatenate((one.rows, other.rows)), np.concatenate((one.weights, other.weights))
        return Contents(rows, weights) if self.units.of is not None else Contents.counted(rows, weights)

    def fail_contents(self, contents: Contents) -> bool:
        """Does a group with these contents fail a model?"""
        return self.failed(contents) is not None

    def failed(self, contents: Contents) -> tuple[Judge, Floats] | None:
        """The first model that a group with these contents fails, by its judge, and the figure of the group."""
        of, units = np.zeros(len(contents.rows), dtype=np.int64), self.units.take(contents.rows)
        codes = {name: code[contents.rows] for name, code in self.codes.items()}
        size = np.array([contents.weights.sum()]) if units.of is None else units.sizes(of, 1)
        rows = ClassRows(of, size, contents.weights, codes, units=units)
        found = ((judge, judge.figures(rows)) for judge in self.judges)
        return next(((judge, figures) for judge, figures in found if judge.fails(figures)[0]), None)


def _alike(key: NDArray[Any], *codes: Longs) -> tuple[Longs, Longs]:
    """Rows that agree in a key and in all codes are one: of each row, and the first of each, in the order of keys and codes."""
    key = key.astype(np.int64)
    for code in codes:
        key = np.unique(key * (int(code.max(initial=0)) + 1) + code, return_inverse=True)[1]
    _, first, row_of = np.unique(key, return_index=True, return_inverse=True)
    return row_of.astype(np.int64, copy=False), first.astype(np.int64, copy=False)
