"""Cost of showing a value at a level of its hierarchy: NCP, distance, or levels climbed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ontomask.arrays import Floats
from ontomask.hierarchies.levels import ColumnLevels

LossKind = Literal["ncp", "semantic", "steps"]


@dataclass(frozen=True, eq=False)
class Costs:
    """The loss of each code of each column at each level; ``even``: is it the same for all of a group?"""

    by_code: list[list[Floats]]
    even: bool

    @staticmethod
    def of(hierarchies: Sequence[ColumnLevels], loss: LossKind) -> Costs:
        if loss == "semantic":
            return Costs([_semantic(hierarchy) for hierarchy in hierarchies], False)
        if loss == "steps":
            steps = [[np.full(len(a.column), i / max(len(a) - 1, 1)) for i in range(len(a))] for a in hierarchies]
            return Costs(steps, True)
        return Costs([[level.penalty[level.group] for level in hierarchy.levels] for hierarchy in hierarchies], True)


def _semantic(hierarchy: ColumnLevels) -> list[Floats]:
    metric = hierarchy.column.distance()
    own = hierarchy.column.centre_of_code
    return [metric.scaled(own, level.centres[level.group]) for level in hierarchy.levels]
