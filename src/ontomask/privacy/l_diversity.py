"""l-diversity (Machanavajjhala et al. 2007): every class has enough different sensitive values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field, model_validator

from ontomask.arguments import counted
from ontomask.arrays import TIE, Floats, Longs
from ontomask.errors import DataError
from ontomask.privacy.apart import Apart, values_apart
from ontomask.privacy.judges import ClassRows, Judge
from ontomask.privacy.models import ClassModel
from ontomask.privacy.subsumption import Order
from ontomask.privacy.transport import Pairs
from ontomask.settings import number
from ontomask.wording import RECORD, Unit

if TYPE_CHECKING:
    from ontomask.privacy.examined import Examined
    from ontomask.privacy.sensitive import Sensitive, Values

Variant = Literal["distinct", "entropy", "recursive"]


def sensitive_names(attribute: str | None, attributes: Mapping[str, Any], what: str) -> list[str]:
    """The column that a model names, or all that are sensitive."""
    if attribute is not None:
        return [attribute]
    found = [name for name, a in attributes.items() if a.role == "sensitive"]
    if not found:
        raise DataError(f"{what} needs a sensitive column, and there is none", remedy="Give one the role sensitive.")
    return found


class LDiversity(ClassModel):
    """Every class holds at least l different values of a sensitive column (of every one, if none is named).

    Notes
    -----
    ``distinct``: l different values. ``entropy``: the entropy of its values is at least log(l). ``recursive``: the most
    frequent value is rarer than c times those from the l-th most frequent on together, r_1 < c (r_l + ... + r_m).
    Spellings of one text (case, blanks, Unicode form, numbers as 1 and 1.0) are one value, and so are values of a nominal
    column that mean the same. A value of a nominal column that is more general than another of the class adds nothing
    (:mod:`ontomask.privacy.subsumption`). A missing value, also one written as text such as NA or unknown, is none of the
    l, unless ``missing="value"``: for columns where a gap means that there is nothing, such as no operation.
    ``min_distance`` (distinct only): the l values are pairwise at least so far apart, by difference in a column of numbers
    and by the column's measure in a nominal one (:mod:`ontomask.privacy.apart`).

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"age": [50, 50, 25, 25], "disease": ["flu", "flu", "flu", "ulcer"]})
    >>> print(LDiversity(l=2, attribute="disease").check(frame, ["age"]))
    FAILS: distinct 2-diversity of disease: 1 of 2 classes fails (2 records in all); the least diverse has 1 value
    """

    terms: ClassVar[tuple[str, ...]] = ("l-diversity",)
    name: Literal["l_diversity"] = "l_diversity"
    l: Annotated[float, BeforeValidator(number), Field(ge=1)] = Field(  # noqa: E741 - it is called l
        kw_only=False, description="how diverse a class must be; a whole number for distinct and recursive"
    )
    attribute: str | None = Field(
        default=None, kw_only=False, description="the sensitive column; not given: every sensitive one"
    )
    variant: Variant = Field(default="distinct", description="distinct, entropy or recursive")
    c: Annotated[float, BeforeValidator(number), Field(gt=0)] | None = Field(
        default=None, description="recursive: how much more frequent the first value may be than the tail"
    )
    missing: Literal["ignored", "value"] = Field(
        default="ignored", description="missing values: not counted, or counted as a value"
    )

    min_distance: Annotated[float, BeforeValidator(number), Field(ge=0, allow_inf_nan=False)] = Field(
        default=0.0,
        description="distinct: how far apart the l values are at least, as numbers or by the column's measure",
    )

    @model_validator(mode="after")
    def _fits(self) -> LDiversity:
        if self.variant != "entropy" and not float(self.l).is_integer():
            raise ValueError(f"l is {self.l:g}: {self.variant} l-diversity counts values, give a whole number")
        check_c(self.variant, self.c)
        if self.min_distance and self.variant != "distinct":
            raise ValueError(f"min_distance needs variant='distinct', not {self.variant!r}")
        if self.min_distance and self.missing == "value":
            raise ValueError("min_distance: a missing value is at no distance from others; leave out missing='value'")
        return self

    @property
    def least_units(self) -> int:
        return math.ceil(self.l - TIE)  # l values that are well represented take l records

    @property
    def named_attribute(self) -> str | None:
        return self.attribute

    def sensitive_columns(self, attributes: Mapping[str, Any]) -> list[str]:
        return sensitive_names(self.attribute, attributes, self.describe())

    def judge(self, sensitive: Sensitive) -> LDiversityJudge:
        return LDiversityJudge(self, {name: self._compared(column) for name, column in sensitive.columns.items()})

    def _compared(self, column: Values) -> Compared:
        order = None
        if column.concepts is not None and (column.concepts >= 0).any():
            order = Order(column.concepts, column.nominal.load().dag) or None
        apart = values_apart(column, order, self.min_distance, int(self.l)) if self.min_distance else None
        ignored = column.missing if self.missing == "ignored" else None
        return Compared(len(column), ignored, column.alike, order, apart)

    def monotone(self, *, suppressing: bool, several: bool = False) -> bool:
        # A class that is joined with others has no fewer values. Its entropy may fall below that of one that held,
        # though not below that of all of them, unless units are in several of them; so may the recursive figure.
        return self.variant == "distinct" or not (suppressing or several)

    def require_possible(self, sensitive: Sensitive) -> None:
        for name, column in sensitive.columns.items():
            compared = self._compared(column)
            known = compared.most(column.of)
            if known < self.l and not (compared.apart and compared.apart.gave_up):
                besides = " besides missing ones" if compared.ignored is not None else ""
                subsumed = ", none of them part of another" if compared.order is not None else ""
                raise DataError(
                    f"{self.describe()} cannot hold: {name!r} has {counted(known, 'different value')}"
                    f"{besides}{subsumed}" + (f", at least {self.min_distance:g} apart" if self.min_distance else ""),
                    remedy=f"Choose l up to {known}." if known else "Leave the column out of the model.",
                )

    def aside(self, sensitive: Sensitive, reference: Examined | None) -> str:
        missing = sensitive.missing_in_words("not counted" if self.missing == "ignored" else "counted as one value")
        said = [*missing, *sensitive.spellings()]
        return f" ({'; '.join(said)})" if said else ""

    def figure_name(self) -> str:
        return {"distinct": "values", "entropy": "exp(entropy)", "recursive": "tail / first"}[self.variant]

    def tell(self, figure: float) -> str:
        if self.variant == "distinct":
            apart = f" at least {self.min_distance:g} apart" if self.min_distance and figure > 1 else ""
            return f"the least diverse has {counted(int(figure), 'value')}{apart}"
        if self.variant == "entropy":
            return f"the least diverse is as diverse as {figure:.3g} equally frequent values"
        return f"in the least diverse the tail is {figure:.3g} times as frequent as the first value"

    def describe(self) -> str:
        kind = (
            f"{self.variant} ({self.c:g}, {self.l:g})" if self.variant == "recursive" else f"{self.variant} {self.l:g}"
        )
        apart = f" (values at least {self.min_distance:g} apart)" if self.min_distance else ""
        return f"{kind}-diversity" + (f" of {self.attribute}" if self.attribute else "") + apart

    @property
    def title(self) -> str:
        return "l-diversity"

    def explain(self, unit: Unit = RECORD) -> str:
        of = f" of {self.attribute}" if self.attribute else " of each sensitive column"
        apart = f", pairwise at least {self.min_distance:g} apart" if self.min_distance else ""
        return f"In every class the values{of} differ enough: {in_words(self.variant, self.l, self.c, 'value')}{apart}."

    @property
    def trivial(self) -> bool:
        return asks_nothing(self.variant, self.l, self.c)


@dataclass(frozen=True, eq=False)
class Compared:
    """How the values of a column are compared; ``ignored``: the code that does not count."""

    values: int
    ignored: int | None
    alike: Longs | None
    order: Order | None
    apart: Apart | None = None

    def codes(self, codes: Longs) -> Longs:
        return codes if self.alike is None else self.alike[codes]

    def most(self, codes: Longs) -> int:
        """How many values there are in all that count as different."""
        codes = codes if self.ignored is None else codes[codes != self.ignored]
        if not len(codes):
            return 0
        zeros = np.zeros(len(codes), dtype=np.int64)
        return int(self.diversity(Pairs(zeros, self.codes(codes), self.values), "distinct", 1)[0])

    def diversity(self, pairs: Pairs, variant: Variant, l: int) -> Floats:  # noqa: E741 - it is called l
        if self.apart is not None:
            return self.apart.count(pairs)
        if self.order is None:
            return diversity(pairs, variant, l)
        return (
            self.order.antichains(pairs)
            if variant == "distinct"
            else diversity(self.order.concentrated(pairs), variant, l)
        )


@dataclass(frozen=True)
class LDiversityJudge(Judge):
    """The diversity of each class, of the least diverse column."""

    model: LDiversity
    columns: Mapping[str, Compared]

    @property
    def monotone(self) -> bool:
        """Frequencies of general values that are counted with others may fall where classes are joined, unless the
        values form a forest; a search for concepts that are far apart may give up in a larger class."""
        orders = [column.order for column in self.columns.values() if column.order is not None]
        even = self.model.variant == "distinct" or all(order.forest for order in orders)
        return even and all(column.apart is None or column.apart.exact for column in self.columns.values())

    def figures(self, rows: ClassRows) -> Floats:
        found = [self._column(rows, name) for name in self.columns]
        least: Floats = np.minimum.reduce(found)
        return least

    def _column(self, rows: ClassRows, name: str) -> Floats:
        code, compared = rows.codes[name], self.columns[name]
        known = None if compared.ignored is None else code != compared.ignored
        # A class of nothing but missing values has no diversity at all.
        figures = np.zeros(len(rows.sizes))
        if known is None or known.any():
            variant = self.model.variant
            pairs = rows.pairs(compared.codes(code), compared.values, known, shared=variant == "entropy")
            figures[pairs.of[pairs.starts]] = compared.diversity(pairs, variant, int(self.model.l))
        return figures

    def fails(self, figures: Floats) -> NDArray[np.bool_]:
        return not_diverse(figures, self.model.variant, self.model.l, self.model.c)


def check_c(variant: Variant, c: float | None) -> None:
    if (variant == "recursive") != (c is not None):
        raise ValueError("variant='recursive' needs c, and no other variant takes it")


def in_words(variant: Variant, l: float, c: float | None, noun: str) -> str:  # noqa: E741 - it is called l
    """How diverse a class must be, for readers who do not program."""
    if variant == "distinct":
        return f"at least {counted(int(l), f'different {noun}')}"
    if variant == "entropy":
        return f"as diverse as {l:g} equally frequent {noun}s (by entropy)"
    return f"the most frequent {noun} is rarer than {c:g} times all from the {l:g}. most frequent on together"


def asks_nothing(variant: Variant, l: float, c: float | None) -> bool:  # noqa: E741 - it is called l
    """Is every class diverse enough? With l = 1 the recursive variant bounds the most frequent value only if c <= 1."""
    return l <= 1 and (variant != "recursive" or c is None or c > 1)


def not_diverse(figures: Floats, variant: Variant, l: float, c: float | None) -> NDArray[np.bool_]:  # noqa: E741
    """Which figures of :func:`diversity` are too low."""
    if variant == "recursive":
        assert c is not None
        return figures * c <= 1.0 + TIE
    return figures < l * (1 - TIE)


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
