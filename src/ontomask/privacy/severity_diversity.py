"""l-diversity on severity numbers (S18 definitions 2 and 3): a class does not disclose that a value is severe."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field, model_validator

from ontomask.arguments import counted
from ontomask.arrays import Floats
from ontomask.errors import DataError
from ontomask.privacy.judges import ClassRows, Judge
from ontomask.privacy.l_diversity import Variant, asks_nothing, check_c, diversity, in_words, not_diverse
from ontomask.privacy.severity_models import GivenColumns, GivenSeverity, SeverityModel
from ontomask.settings import number, whole_number
from ontomask.severity.severity import Severity
from ontomask.wording import RECORD, Unit

if TYPE_CHECKING:
    from ontomask.privacy.sensitive import Sensitive


class SeverityDiversity(SeverityModel):
    """Severity numbers of every class differ enough, or one of them is low enough.

    Notes
    -----
    O(m)-l-diversity (S18 def. 2): for every sensitive column a class holds values of at least l different severity
    numbers s_m; without ``middle_class`` for m = 1, 2 and 3 (O-l-diversity). ``downward`` (def. 3): some record of the
    class has s_m <= N_max - l, N_max being the largest number that the definition can give. ``variant`` takes entropy or
    recursive l-diversity of the numbers instead. A missing value has severity 0, since it discloses nothing severe, unless a
    set says otherwise; how many there are is said with the finding. Every sensitive column counts, as in the definitions:
    one that the severity definition does not cover is an error, and so is a column that it covers and that has the
    role other; ``columns`` names the ones to look at where that is meant, and the finding says what was left out.
    """

    terms: ClassVar[tuple[str, ...]] = ("l-diversity", "Severity")
    name: Literal["severity_diversity"] = "severity_diversity"
    l: Annotated[int, BeforeValidator(whole_number), Field(ge=1)] = Field(  # noqa: E741 - it is called l
        kw_only=False,
        description="how many different severity numbers; downward: how far below the largest one must be",
    )
    severity: GivenSeverity = Field(
        kw_only=False, description="the severity definition: a YAML file, or an om.Severity"
    )
    columns: GivenColumns = Field(
        default=None, description="the sensitive columns to check; not given: all of them, and each must be in a set"
    )
    middle_class: Literal[1, 2, 3] | None = Field(
        default=None, description="1 life span, 2 quality of life, 3 human rights; not given: each of them"
    )
    downward: bool = Field(default=False, description="check only that one record of each class is much less severe")
    variant: Variant = Field(default="distinct", description="distinct, entropy or recursive")
    c: Annotated[float, BeforeValidator(number), Field(gt=0)] | None = Field(
        default=None, description="recursive: how much more frequent the first number may be than the tail"
    )

    @model_validator(mode="after")
    def _fits(self) -> SeverityDiversity:
        if self.downward and self.variant != "distinct":
            raise ValueError(f"variant={self.variant!r} has no meaning with downward")
        check_c(self.variant, self.c)
        return self

    @property
    def given(self) -> tuple[str | Severity, list[str] | None, int | None]:
        return self.severity, self.columns, self.middle_class

    def judge(self, sensitive: Sensitive) -> SeverityDiversityJudge:
        numbers = {name: column.numbers for name, column in sensitive.columns.items() if column.numbers is not None}
        return SeverityDiversityJudge(self, numbers, self.kinds, float(self.definition.largest))

    def monotone(self, *, suppressing: bool, several: bool = False) -> bool:
        # S18 Proposition 1; the entropy of a joined class may fall below that of one that held. The severity of a unit,
        # the largest of its records in a class, may grow where classes are joined.
        if self.downward:
            return not several
        return self.variant == "distinct" or not (suppressing or several)

    def require_possible(self, sensitive: Sensitive) -> None:
        most = self.definition.largest
        if self.downward and self.l > most:
            raise DataError(
                f"{self.describe()} cannot hold: the largest severity number is {most}",
                remedy=f"Choose l up to {most}.",
            )
        if self.downward:
            return
        for column in sensitive.columns.values():
            assert column.numbers is not None
            used = column.numbers[:, column.counts > 0]
            least = min(len(np.unique(used[m])) for m in self.kinds)
            if least < self.l:
                raise DataError(
                    f"{self.describe()} cannot hold: the {column.name} takes "
                    f"{counted(least, 'different number')} in these data",
                    remedy="Choose a smaller l, one middle_class, or downward=True.",
                )

    def figure_name(self) -> str:
        return "room" if self.downward else "severities"

    def tell(self, figure: float) -> str:
        if self.downward:
            return f"in the most severe the lowest is {figure:g} below the largest number"
        if self.variant == "distinct":
            return f"the least diverse has {counted(int(figure), 'different severity number')}"
        return f"the least diverse has {figure:.3g} different severity numbers"

    def describe(self) -> str:
        kind = "O" if self.middle_class is None else f"O({self.middle_class})"
        lead = "downward-" if self.downward else "" if self.variant == "distinct" else f"{self.variant} "
        return f"{lead}{kind}-{self.l}-diversity{self.of_columns}"

    @property
    def title(self) -> str:
        return "Severity diversity"

    def explain(self, unit: Unit = RECORD) -> str:
        of = self.of_columns or " of every sensitive column"
        if self.downward:
            return f"Every class has a {unit.one} whose severity{of} is at least {self.l} below the largest one."
        differ = in_words(self.variant, self.l, self.c, "severity number")
        return f"In every class the severity{of} differs enough: {differ}."

    @property
    def trivial(self) -> bool:
        return not self.downward and asks_nothing(self.variant, self.l, self.c)


@dataclass(frozen=True, eq=False)
class SeverityDiversityJudge(Judge):
    """How diverse the severity numbers of each class are, or how far its least severe record is below the largest."""

    model: SeverityDiversity
    numbers: Mapping[str, Floats]
    kinds: list[int]
    largest: float

    def figures(self, rows: ClassRows) -> Floats:
        found = [self._downward(rows, m) if self.model.downward else self._diverse(rows, m) for m in self.kinds]
        least: Floats = np.minimum.reduce(found)
        return least

    def _diverse(self, rows: ClassRows, m: int) -> Floats:
        found = []
        for name, numbers in self.numbers.items():
            distinct, grade = np.unique(numbers[m], return_inverse=True)
            pairs = rows.pairs(grade[rows.codes[name]], len(distinct), shared=self.model.variant == "entropy")
            found.append(diversity(pairs, self.model.variant, self.model.l))
        least: Floats = np.minimum.reduce(found)
        return least

    def _downward(self, rows: ClassRows, m: int) -> Floats:
        """N_max minus the least severity of a unit, which is the largest of its values in the class."""
        record = np.maximum.reduce([numbers[m][rows.codes[name]] for name, numbers in self.numbers.items()])
        of, unit = rows.units.largest(rows.of, record)
        least = np.full(len(rows.sizes), np.inf)
        np.minimum.at(least, of, unit)
        room: Floats = self.largest - least
        return room

    def fails(self, figures: Floats) -> NDArray[np.bool_]:
        return not_diverse(figures, self.model.variant, self.model.l, self.model.c)
