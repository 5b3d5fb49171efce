"""k-anonymity (Samarati, Sweeney): every class has at least k records.

This code shares nothing with the masking methods: it counts rows of the finished table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ontomask.arguments import counted
from ontomask.arrays import Floats
from ontomask.privacy.judges import ClassRows, Judge
from ontomask.privacy.models import ClassModel, require_number
from ontomask.settings import Count
from ontomask.wording import RECORD, Unit

if TYPE_CHECKING:
    from ontomask.privacy.examined import Examined
    from ontomask.privacy.sensitive import Sensitive


class KAnonymity(ClassModel):
    """Every combination of quasi-identifiers is shared by at least k records.

    Notes
    -----
    A missing value is a value: it equals other missing values and nothing else.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"age": [30, 30, 41], "job": ["nurse", "nurse", "pilot"]})
    >>> print(KAnonymity(k=2).check(frame, ["age", "job"]))
    FAILS: 2-anonymity: 1 of 2 classes has fewer than 2 records (1 record in all); the smallest has 1
    """

    name: Literal["k_anonymity"] = "k_anonymity"
    k: Count = Field(kw_only=False, description="every class has at least k records")
    sizes_only: ClassVar[bool] = True

    @property
    def stated_k(self) -> int:
        return self.k

    @property
    def class_size(self) -> int:
        return self.k

    def judge(self, sensitive: Sensitive) -> KAnonymityJudge:
        return KAnonymityJudge(self.k)

    def monotone(self, *, suppressing: bool, several: bool = False) -> bool:
        return True

    def figure_name(self) -> str:
        return ""

    def tell(self, figure: float) -> str:
        return f"the smallest has {int(figure):,}"

    def _text(self, failing: NDArray[np.bool_], number: int, worst: float, unit: Unit) -> str:
        bad, all_ = int(failing.sum()), counted(len(failing), "class", "classes")
        if not bad:
            return f"{self.describe()}: {all_}, the smallest of {unit.counted(int(worst))}"
        return (
            f"{self.describe()}: {bad:,} of {all_} {'have' if bad != 1 else 'has'} fewer than "
            f"{unit.counted(self.k)} ({unit.counted(number)} in all); {self.tell(worst)}"
        )

    def require_enough(self, table: Examined) -> None:
        require_number(self.k, table, self.describe())

    def describe(self) -> str:
        return f"{self.k}-anonymity"

    @property
    def title(self) -> str:
        return "k-anonymity"

    def explain(self, unit: Unit = RECORD) -> str:
        return f"Every combination of quasi-identifiers in the release is shared by at least {unit.counted(self.k)}."

    @property
    def trivial(self) -> bool:
        return self.k <= 1


@dataclass(frozen=True)
class KAnonymityJudge(Judge):
    """Classes of at least k units."""

    k: int

    @property
    def class_size(self) -> int:
        return self.k

    def figures(self, rows: ClassRows) -> Floats:
        return rows.sizes.astype(np.float64)

    def fails(self, figures: Floats) -> NDArray[np.bool_]:
        return figures < self.k
