"""l-diversity (Machanavajjhala et al. 2007): a class holds enough different sensitive values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field, model_validator

from ontomask.arguments import counted
from ontomask.errors import DataError
from ontomask.privacy.models import ClassModel, ClassRows, Floats, Longs
from ontomask.privacy.transport import Pairs
from ontomask.settings import number

if TYPE_CHECKING:
    from ontomask.privacy.sensitive import Sensitive

Variant = Literal["distinct", "entropy", "recursive"]


def sensitive_names(attribute: str | None, attributes: Mapping[str, Any], what: str) -> list[str]:
    """The column that a model names, or all that are sensitive."""
    if attribute is not None:
        return [attribute]
    found = [name for name, a in attributes.items() if a.role == "sensitive"]
    if not found:
        raise DataError(f"{what} looks at sensitive columns and there are none", remedy="Give one the role sensitive.")
    return found


class LDiversity(ClassModel):
    """Every class holds at least l different values of a sensitive column (of every one, if none is named).

    ``distinct``: l different values. ``entropy``: the entropy of its values is at least log(l). ``recursive``: the most
    frequent value is rarer than c times those from the l-th most frequent on together, r_1 < c (r_l + ... + r_m).
    Values of a nominal column that mean the same count as one.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"age": [50, 50, 25, 25], "disease": ["flu", "flu", "flu", "ulcer"]})
    >>> print(LDiversity(l=2, attribute="disease").check(frame, ["age"]))
    FAILS: distinct 2-diversity of disease: 1 of 2 classes fails (2 records in all); the least diverse has 1 value
    """

    name: Literal["l_diversity"] = "l_diversity"
    l: Annotated[float, BeforeValidator(number), Field(ge=1)] = Field(  # noqa: E741 - it is called l
        description="how diverse a class must be; a whole number for distinct and recursive"
    )
    attribute: str | None = Field(default=None, description="the sensitive column; not given: every sensitive one")
    variant: Variant = Field(default="distinct", description="distinct, entropy or recursive")
    c: Annotated[float, BeforeValidator(number), Field(gt=0)] | None = Field(
        default=None, description="recursive: how much more frequent the first value may be than the tail"
    )

    @model_validator(mode="after")
    def _fits(self) -> LDiversity:
        if self.variant != "entropy" and not float(self.l).is_integer():
            raise ValueError(f"l is {self.l:g}: {self.variant} l-diversity counts values, give a whole number")
        check_c(self.variant, self.c)
        return self

    def sensitive_columns(self, attributes: Mapping[str, Any]) -> list[str]:
        return sensitive_names(self.attribute, attributes, self.describe())

    def judge(self, sensitive: Sensitive) -> Diversity:
        return Diversity(self, {name: len(column) for name, column in sensitive.columns.items()})

    def monotone(self, *, suppressing: bool) -> bool:
        # A class that is joined with others has no fewer values. Its entropy may fall below that of one that held,
        # though not below that of all of them; so may the recursive figure.
        return self.variant == "distinct" or not suppressing

    def require_possible(self, sensitive: Sensitive) -> None:
        for name, column in sensitive.columns.items():
            if len(column) < self.l:
                raise DataError(
                    f"{self.describe()} can never hold: {name!r} has {counted(len(column), 'different value')}",
                    remedy=f"Choose l up to {len(column)}.",
                )

    def figure_name(self) -> str:
        return {"distinct": "values", "entropy": "exp(entropy)", "recursive": "tail / first"}[self.variant]

    def tell(self, figure: float) -> str:
        if self.variant == "distinct":
            return f"the least diverse has {counted(int(figure), 'value')}"
        if self.variant == "entropy":
            return f"the least diverse is as diverse as {figure:.3g} equally frequent values"
        return f"in the least diverse the tail is {figure:.3g} times as frequent as the first value"

    def describe(self) -> str:
        kind = (
            f"{self.variant} ({self.c:g}, {self.l:g})" if self.variant == "recursive" else f"{self.variant} {self.l:g}"
        )
        return f"{kind}-diversity" + (f" of {self.attribute}" if self.attribute else "")


@dataclass(frozen=True)
class Diversity:
    """The diversity of each class, of the least diverse column."""

    model: LDiversity
    values: Mapping[str, int]

    def figures(self, rows: ClassRows) -> Floats:
        found = [self._column(rows, rows.codes[name], values) for name, values in self.values.items()]
        least: Floats = np.minimum.reduce(found)
        return least

    def _column(self, rows: ClassRows, code: Longs, values: int) -> Floats:
        return diversity(Pairs(rows.of, code, values, rows.weights), self.model.variant, int(self.model.l))

    def fails(self, figures: Floats) -> NDArray[np.bool_]:
        return not_diverse(figures, self.model.variant, self.model.l, self.model.c)


def check_c(variant: Variant, c: float | None) -> None:
    if (variant == "recursive") != (c is not None):
        raise ValueError("c goes with variant='recursive', and is needed there")


def not_diverse(figures: Floats, variant: Variant, l: float, c: float | None) -> NDArray[np.bool_]:  # noqa: E741
    """Which figures of :func:`diversity` are too low."""
    if variant == "recursive":
        assert c is not None
        return figures * c <= 1.0 + 1e-12
    return figures < l * (1 - 1e-12)


def diversity(pairs: Pairs, variant: Variant, l: int) -> Floats:  # noqa: E741 - it is called l
    """Of each class: its number of values; exp of its entropy; (r_l + ... + r_m) / r_1."""
    if variant == "distinct":
        return np.diff(np.append(pairs.starts, len(pairs.of))).astype(np.float64)
    if variant == "entropy":
        return np.exp(pairs.sums(-pairs.share * np.log(pairs.share)))
    order = np.lexsort((-pairs.counts, pairs.of))
    counts = pairs.counts[order].astype(np.float64)
    rank = np.arange(len(order)) - np.repeat(pairs.starts, np.diff(np.append(pairs.starts, len(order))))
    tail: Floats = pairs.sums(np.where(rank >= l - 1, counts, 0.0)) / counts[pairs.starts]
    return tail
