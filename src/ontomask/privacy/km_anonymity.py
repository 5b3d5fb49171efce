"""k^m-anonymity (Terrovitis et al. 2008): every combination of m quasi-identifiers, or of m items of a set, has at least k
records."""

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
from ontomask.errors import PolicyError
from ontomask.privacy.classes import classes_of
from ontomask.privacy.item_combinations import ItemRows
from ontomask.privacy.judges import ClassRows, Judge
from ontomask.privacy.models import ClassModel, Finding, require_number, require_quasi
from ontomask.settings import Count, whole_number
from ontomask.wording import RECORD, Unit

if TYPE_CHECKING:
    from ontomask.privacy.examined import Examined
    from ontomask.privacy.sensitive import Sensitive


class KmAnonymity(ClassModel):
    """Every combination of values of at most m quasi-identifiers is shared by at least k records.

    Notes
    -----
    An intruder is taken to know at most m of them. Any m columns are looked at: fewer tell fewer records apart. With ``column``
    it is said of a column of sets: every combination of at most m items that a record has is in at least k records. That is
    what the paper defines.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"age": [30, 30, 41, 41], "job": ["nurse", "pilot", "nurse", "pilot"]})
    >>> print(KmAnonymity(k=2, m=1).check(frame, ["age", "job"]))
    holds: 2^1-anonymity: 2 combinations of columns, the smallest class of 2 records
    """

    name: Literal["km_anonymity"] = "km_anonymity"
    k: Count = Field(kw_only=False, description="every combination of m values is shared by at least k records")
    m: Annotated[int, BeforeValidator(whole_number), Field(ge=1)] = Field(
        kw_only=False, description="how many quasi-identifiers, or items, an intruder knows"
    )
    column: str | None = Field(
        default=None, description="a column of sets (many) whose items an intruder knows; not given: values of columns"
    )
    sizes_only: ClassVar[bool] = True
    suppressible: ClassVar[bool] = False  # without a record, combinations of other records are smaller, too

    @property
    def stated_k(self) -> int:
        return self.k

    @property
    def item_column(self) -> str | None:
        return self.column

    def check_table(self, table: Examined, reference: Examined | None = None) -> Finding:
        if self.column is not None:
            return self._check_items(table, self.column)
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
        return Finding(self, not failing, float(smallest), text, violations, table.units.number(rows), unit=unit)

    def _check_items(self, table: Examined, column: str) -> Finding:
        require_quasi(table.data, [column], self.describe())
        separator = table.separator(column)
        if separator is None:
            raise PolicyError(
                f"{self.describe()}: {column!r} is not known to hold sets",
                remedy="Give its attribute a separator, such as Nominal(taxonomy, many='|').",
            )
        unit, items = table.units.word, ItemRows.of(table.data[column], separator)
        least, rare, failing = items.rare(self.k, self.m, table.units)
        least = min(least, table.number)
        violations = pl.DataFrame(
            [(separator.join(sorted(items.texts[i] for i in some)), units) for some, units in rare],
            schema={"items": pl.String, unit.many: pl.Int64},
            orient="row",
        ).sort(unit.many, "items")
        inside = np.zeros(len(table), dtype=np.bool_)
        inside[: len(failing)] = failing
        records = table.units.number(inside)
        text = f"{self.describe()}: {counted(len(items.texts), 'item')}"
        text += (
            f", the rarest combination is in {unit.counted(least)}"
            if len(items.texts)
            else ", so that nothing is known"
        )
        if rare:
            text = (
                f"{self.describe()}: {counted(len(rare), 'combination')} of {counted(len(rare[0][0]), 'item')} "
                f"{'is' if len(rare) == 1 else 'are'} in fewer "
                f"than {unit.counted(self.k)} ({unit.counted(records)} in all); the rarest is in {least:,}"
            )
        return Finding(self, not rare, float(least), text, violations, records, unit=unit)

    def judge(self, sensitive: Sensitive) -> Judge:
        return KmAnonymityJudge(self.k, self.m) if self.column is None else ItemsJudge()

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
        return f"{self.k}^{self.m}-anonymity" + ("" if self.column is None else f" of items of {self.column}")

    @property
    def title(self) -> str:
        return "k^m-anonymity"

    def explain(self, unit: Unit = RECORD) -> str:
        if self.column is not None:
            known = "Every item" if self.m == 1 else f"Every combination of at most {counted(self.m, 'item')}"
            return f"{known} of {self.column} that a record has is shared by at least {unit.counted(self.k)}."
        return (
            f"Every combination of values of any {counted(self.m, 'quasi-identifier')} is shared by at least "
            f"{unit.counted(self.k)}."
        )

    @property
    def trivial(self) -> bool:
        return self.k <= 1


@dataclass(frozen=True)
class ItemsJudge(Judge):
    """A class does not fail by its items: a method recodes them, and the model is verified on what records show."""

    def figures(self, rows: ClassRows) -> Floats:
        return np.full(len(rows.sizes), np.inf)

    def fails(self, figures: Floats) -> NDArray[np.bool_]:
        return np.zeros(len(figures), dtype=np.bool_)


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
