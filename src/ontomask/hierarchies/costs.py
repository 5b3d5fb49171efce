"""What it costs to show a value at a level of its hierarchy: NCP, distance, or levels climbed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ontomask.hierarchies.ladder import Ladder
from ontomask.microdata.columns import Floats
from ontomask.operators.yardsticks import yardstick

LossKind = Literal["ncp", "semantic", "steps"]


@dataclass(frozen=True, eq=False)
class Costs:
    """The loss of each code of each column at each level; ``even``: is it the same for all of a group?"""

    by_code: list[list[Floats]]
    even: bool

    @staticmethod
    def of(ladders: Sequence[Ladder], loss: LossKind) -> Costs:
        if loss == "semantic":
            return Costs([_semantic(ladder) for ladder in ladders], False)
        if loss == "steps":
            steps = [[np.full(len(a.column), i / max(len(a) - 1, 1)) for i in range(len(a))] for a in ladders]
            return Costs(steps, True)
        return Costs([[rung.penalty[rung.group] for rung in ladder.rungs] for ladder in ladders], True)


def _semantic(ladder: Ladder) -> list[Floats]:
    stick = yardstick(ladder.column)
    own = ladder.column.own
    return [stick.relative(own, rung.centres[rung.group]) for rung in ladder.rungs]
