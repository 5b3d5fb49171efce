"""k^m-anonymity (Terrovitis et al. 2008): every combination of m quasi-identifiers has at least k records."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field

from ontomask.arguments import counted
from ontomask.arrays import Floats
from ontomask.privacy.classes import classes_of
from ontomask.privacy.models import ClassModel, ClassRows, Finding, Judge, require_number, require_quasi
from ontomask.settings import Count, whole_number
from ontomask.wording import RECORD, Unit

if TYPE_CHECKING:
    from ontomask.privacy.examined import Examined
    from ontomask.privacy.sensitive import Sensitive


class KmAnonymity(ClassModel):
    """Every combination of values of at most m quasi-identifiers that occurs, occurs in at least k records.

    Notes
    -----
    An intruder is taken to know at most m of them. Any m columns are looked at: fewer tell fewer records apart.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"age": [30, 30, 41, 41], "job": ["nurse", "pilot", "nurse", "pilot"]})
    >>> print(KmAnonymity(k=2, m=1).check(frame, ["age", "job"]))
    holds: 2^1-anonymity: 2 combinations of columns, the smallest class of 2 records
    """

    name: Literal["km_anonymity"] = "km_anonymity"
    k: Count = Field(kw_only=False, description="every combination of m values occurs in at least k records")
    m: Annotated[int, BeforeValidator(whole_number), Field(ge=1)] = Field(
        kw_only=False, description="how many quasi-identifiers an intruder knows"
    )
    sizes_only: ClassVar[bool] = True
    suppressible: ClassVar[bool] = False  # without a record, combinations of other records are smaller, too

    @property
    def stated_k(self) -> int:
        return self.k

    def check_table(self, table: Examined, reference: Examined | None = None) -> Finding:
        data, quasi, unit = table.data, table.quasi, table.units.word
        require_quasi(data, quasi, self.describe())
        sets = list(combinations(quasi, min(self.m, len(quasi))))
        smallest, failing, rows = table.number, [], np.zeros(len(data), dtype=np.bool_)
        for columns in sets:
            classes = table.classes if len(columns) == len(quasi) else classes_of(data, list(columns), table.units)
            least = int(classes.sizes.min(initial=table.number))
            smallest = min(smallest, least)
            if least < self.k:
                small = classes.sizes < self.k
                inside = small[classes.of]
                rows |= inside
                failing.append((", ".join(columns), int(small.sum()), table.units.number(inside), least))
        schema = {"columns": pl.String, "classes": pl.Int64, unit.many: pl.Int64, "smallest": pl.Int64}
        violations = pl.DataFrame(failing, schema=schema, orient="row").sort("smallest", "columns")
        text = f"{self.describe()}: {counted(len(sets), 'combination')} of columns, the smallest class of "
        text += unit.counted(smallest)
        if failing:
            text = (
                f"{self.describe()}: {len(failing):,} of {counted(len(sets), 'combination')} of columns have classes of "
                f"fewer than {unit.counted(self.k)} ({unit.counted(table.units.number(rows))} in all); "
                f"the smallest has {smallest:,}"
            )
        return Finding(self, not failing, float(smallest), text, violations, table.units.number(rows))

    def judge(self, sensitive: Sensitive) -> KmAnonymityJudge:
        return KmAnonymityJudge(self.k, self.m)

    def monotone(self, *, suppressing: bool, several: bool = False) -> bool:
        # Leaving records out takes them away from the parts of others, too.
        return not suppressing

    def figure_name(self) -> str:
        return "smallest part"

    def tell(self, figure: float) -> str:
        return f"the smallest class has {int(figure):,}"

    def require_enough(self, table: Examined) -> None:
        require_number(self.k, table, self.describe())

    def describe(self) -> str:
        return f"{self.k}^{self.m}-anonymity"

    @property
    def title(self) -> str:
        return "k^m-anonymity"

    def explain(self, unit: Unit = RECORD) -> str:
        return (
            f"Every combination of values of any {counted(self.m, 'quasi-identifier')} occurs in at least "
            f"{unit.counted(self.k)}."
        )

    @property
    def trivial(self) -> bool:
        return self.k <= 1


@dataclass(frozen=True)
class KmAnonymityJudge(Judge):
    """Of each class the fewest units that share any m of its values."""

    k: int
    m: int

    def figures(self, rows: ClassRows) -> Floats:
        least = np.full(len(rows.sizes), np.inf)
        if rows.quasi is None:  # groups whose values are not known yet: it is verified on what they show
            return least
        shown = rows.quasi()
        for some in combinations(range(len(shown)), min(self.m, len(shown))):
            key = np.zeros(len(rows.sizes), dtype=np.int64)
            for a in some:
                key = np.unique(key * (int(shown[a].max()) + 1) + shown[a], return_inverse=True)[1]
            least = np.minimum(least, rows.joined(key)[key])
        return least

    def fails(self, figures: Floats) -> NDArray[np.bool_]:
        return figures < self.k
