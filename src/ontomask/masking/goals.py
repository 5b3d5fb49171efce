"""Requirements of a run, prepared for masking methods: models with their judges for the data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.arrays import Longs
from ontomask.errors import PolicyError
from ontomask.privacy.examined import Examined
from ontomask.privacy.models import ClassModel, ClassRows, Judge, Model, require_sensitive


@dataclass(frozen=True, eq=False)
class Goals:
    """Models that are stated on classes, each with its judge; ``codes``: the sensitive columns of all records."""

    models: Sequence[ClassModel]
    judges: Sequence[Judge]
    codes: Mapping[str, Longs]

    @staticmethod
    def of(models: Sequence[Model], table: Examined) -> Goals:
        """The models a method can aim at; the others are only verified."""
        stated = [model for model in models if isinstance(model, ClassModel)]
        judges: list[Judge] = []
        codes: dict[str, Longs] = {}
        for model in stated:
            require_sensitive(table.data, model.sensitive_columns(table.attributes), table.quasi, model.describe())
            seen = model.sensitive(table)
            model.require_possible(seen)
            judges.append(model.judge(seen))
            codes |= seen.codes
        return Goals(stated, judges, codes)

    def require_some(self, method: str) -> None:
        if not self.models:
            raise PolicyError(
                f"{method} needs at least one required model of classes",
                remedy="Add a model, such as require=[KAnonymity(k=5)].",
            )

    def fails(self, group_of: NDArray[Any], groups: int, shown: Longs | None = None) -> NDArray[np.bool_]:
        """Which groups of records fail a model; ``shown``: where that is known, what group g shows of column a, [a, g]."""
        group_of = group_of.astype(np.int64)
        sizes = np.bincount(group_of, minlength=groups).astype(np.int64)
        quasi = None if shown is None else lambda: shown
        rows = ClassRows(group_of, sizes, np.ones(len(group_of), dtype=np.int64), self.codes, quasi)
        failing = np.zeros(groups, dtype=np.bool_)
        for judge in self.judges:
            failing |= judge.fails(judge.figures(rows))
        return failing

    def fail(self, records: NDArray[Any]) -> bool:
        """Does a group of these records fail a model?"""
        zeros = np.zeros(len(records), dtype=np.int64)
        codes = {name: code[records] for name, code in self.codes.items()}
        rows = ClassRows(zeros, np.array([len(records)]), np.ones(len(records), dtype=np.int64), codes)
        return any(bool(judge.fails(judge.figures(rows))[0]) for judge in self.judges)
