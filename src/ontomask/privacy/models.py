"""Base of privacy models: findings, in figures and words.

A model is stated on classes: the records that agree in all quasi-identifiers. It gives every class a figure and says
which classes fail. Searches for a release ask the same of candidates, through judges.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field

from ontomask.arguments import as_values, counted, did_you_mean, free_name
from ontomask.arrays import Floats, Longs
from ontomask.errors import DataError, PolicyError
from ontomask.microdata.open_table import open_table
from ontomask.privacy.examined import Examined
from ontomask.privacy.judges import ClassRows, Judge
from ontomask.privacy.units import RECORDS
from ontomask.settings import Spoken, number
from ontomask.statements import Kind, Statement
from ontomask.wording import RECORD, Unit, capital

if TYPE_CHECKING:
    from ontomask.privacy.diagnostics import Diagnostics
    from ontomask.privacy.sensitive import Sensitive


#: The data that a finding is about: a frame in memory, a file as its recipient reads it, the original before masking, or
#: what a run recorded of itself.
CheckedOn = Literal["frame", "file", "original", "run"]
#: What kind of statement a finding on them is, and how it was found, in words.
CHECKED: dict[CheckedOn, tuple[Kind, str]] = {
    "frame": ("verified", "verified on the release itself"),
    "file": ("verified", "verified on the released file"),
    "original": ("note", "true of the original data"),
    "run": ("recorded", "checked on what the run recorded of itself, which the release does not show"),
}


@dataclass(frozen=True)
class Finding:
    """Whether a model holds, and what stands against it.

    ``worst`` is the figure of the worst class; ``violations`` is a frame of the classes that fail, the worst first,
    with their values and sizes, or of the columns or values that do; ``records`` counts the records, or other units
    (``unit``), in them, each once; None: it is not known. ``checked``: could it be looked at at all? What was not
    checked does not hold. ``open_text``: what :attr:`public` says where the name of the model is not enough.
    ``checked_on``: which data it was found on. ``parts``: the text line by line, a heading and what belongs to it, where it
    would be too long for one.
    """

    model: Model
    holds: bool
    worst: float
    text: str
    violations: pl.DataFrame
    records: int | None
    checked: bool = True
    open_text: str = ""
    checked_on: CheckedOn = "frame"
    unit: Unit = RECORD
    parts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.holds and not self.checked:
            raise ValueError(f"{self.model.describe()}: what was not checked cannot hold")

    @property
    def statement(self) -> Statement:
        """The finding as one of the guarantees of a release."""
        kind: Kind
        if not self.holds:
            kind, lead, end = "failed", "NOT SATISFIED: ", ""
        elif self.model.trivial:
            kind, lead, end = "caveat", "Every table satisfies this, so it promises nothing: ", "."
        else:
            kind, how = CHECKED[self.checked_on]
            lead, end = f"{capital(how)}: ", "."
        return Statement(kind, f"{lead}{self.text}{end}", self.model.describe(), f"{lead}{self.public}{end}")

    @property
    def public(self) -> str:
        """The finding without a figure of the data: which model it is, and no counts, which could be small."""
        text = self.open_text or self.model.describe()
        return text if self.checked else f"{text} was not checked"

    @property
    def state(self) -> str:
        """holds, FAILS, or NOT CHECKED."""
        return "NOT CHECKED" if not self.checked else "holds" if self.holds else "FAILS"

    @property
    def lines(self) -> str:
        """The text, with a line for each of its parts."""
        return "\n  ".join(self.parts) if self.parts else self.text

    def __str__(self) -> str:
        every = " (every table satisfies this: it promises nothing)" if self.model.trivial else ""
        return f"{self.state}: {self.lines}{every}"


class Model(Spoken):
    """A property a table can have."""

    #: Does it count records or other units, so that it matters which?
    counts: ClassVar[bool] = True
    name: str
    #: Do groups of units that are large enough satisfy it, whatever values they show?
    sizes_only: ClassVar[bool] = False
    #: Can it be aimed at by leaving records out?
    suppressible: ClassVar[bool] = True
    #: Does it protect all records of a unit together, as one who can join them sees them?
    joins_records: ClassVar[bool] = False
    #: What to do where a release fails it; nothing: what is found says it.
    remedy: ClassVar[str] = "Choose a method that promises it, a larger k, or fewer quasi-identifiers."

    @property
    def stated_k(self) -> int | None:
        """Its k, where it has one: comparisons show it, and nothing public counts fewer records exactly."""
        return None

    @property
    def class_size(self) -> int | None:
        """How many units it asks every class to have, as k-anonymity does; None: it does not ask for sizes of classes."""
        return None

    def check(self, data: Any, quasi: Sequence[str], attributes: Mapping[str, Any] | None = None) -> Finding:
        """Look at a frame (pandas, Polars or PyArrow) or file whose quasi-identifiers are the columns ``quasi``.

        ``attributes`` say what the sensitive columns are, where a model needs to know. Records are counted: whose they are
        is not known here.
        """
        names = as_values(quasi, "quasi-identifiers")
        known = attributes or {}
        return self.check_table(Examined(open_table(data, known).data, list(dict.fromkeys(names)), known, RECORDS))

    @abstractmethod
    def check_table(self, table: Examined, reference: Examined | None = None) -> Finding:
        """The same of a table; ``reference``: the one whose distribution counts, if not the one that is checked."""

    def check_made(self, table: Examined, reference: Examined | None, diagnostics: Diagnostics | None) -> Finding:
        """The same of the release of a run that is known; for most models the table alone counts."""
        return self.check_table(table, reference)

    def check_original(self, table: Examined, masked: Collection[str]) -> Finding:
        """The same of the original before masking; ``masked``: the columns that a run will change."""
        return self.check_table(table, table)

    @property
    def named_attribute(self) -> str | None:
        """The sensitive column that it names, where it names one."""
        return None

    @property
    def item_column(self) -> str | None:
        """The quasi-identifier that holds sets, where it is about the items of one."""
        return None

    @abstractmethod
    def sensitive_columns(self, attributes: Mapping[str, Any]) -> list[str]:
        """The columns besides the quasi-identifiers that the model looks at.

        Where records are not in memory, it sees no other columns: a model that left one out would judge missing values.
        """

    def require_enough(self, table: Examined) -> None:
        """An error if no release of so many records, or other units, can satisfy the model."""

    def require_possible(self, sensitive: Sensitive) -> None:
        """An error if no release of these data can satisfy the model."""

    @abstractmethod
    def describe(self) -> str:
        """The model in a few words."""

    @property
    @abstractmethod
    def trivial(self) -> bool:
        """Does every table satisfy it, so that it promises nothing?"""

    @property
    def protects(self) -> bool:
        """Does it promise anything to those in the data, whatever else it checks?"""
        return not self.trivial

    def assumptions(self) -> list[Statement]:
        """What it rests on, besides what an intruder is assumed to know."""
        return []

    def pseudonym_caveats(self, names: str) -> list[Statement]:
        """What is to be said of it where a release has pseudonyms; ``names``: their columns."""
        return []


class ClassModel(Model):
    """A model that is stated class by class."""

    def sensitive_columns(self, attributes: Mapping[str, Any]) -> list[str]:
        """None: sizes of classes alone count. A judge is given no other columns than those that are named here."""
        return []

    @abstractmethod
    def judge(self, sensitive: Sensitive) -> Judge:
        """Made ready for a table, given its sensitive columns."""

    def sensitive(self, table: Examined) -> Sensitive:
        """What the model looks at in a table besides the quasi-identifiers."""
        return table.sensitive(self.sensitive_columns(table.attributes))

    @property
    def least_units(self) -> int:
        """How many units a group needs at least: searches do not look at smaller ones."""
        return self.stated_k or 1

    def compares(self) -> bool:
        """Is a class compared with a whole table, so that it matters which?"""
        return False

    def compared(self, table: Examined, reference: Examined | None) -> tuple[Sensitive, Mapping[str, Longs]]:
        """What the model looks at in the whole table (``reference``, or the table), and the codes of the table in it."""
        whole = self.sensitive(table if reference is None else reference)
        codes = whole.codes if reference is None else whole.codes_of(table)
        if codes is None:
            raise DataError(
                f"{self.describe()}: the release holds sensitive values that the original does not have",
                remedy="Classes are compared by values of the original: choose a method that shows only these (imputation: "
                "model normal or pmm), or do not require it of this column.",
            )
        return whole, codes

    def aside(self, sensitive: Sensitive, reference: Examined | None) -> str:
        """What a reader of the finding must know besides, in brackets."""
        parts = self.aside_parts(sensitive)
        return f" ({'; '.join(parts)})" if parts else ""

    def aside_parts(self, sensitive: Sensitive) -> list[str]:
        """The same, one by one."""
        return []

    def open_text(self) -> str:
        """What the public may read of a finding beside :meth:`describe`, in place of it: nothing, or no counts."""
        return ""

    @abstractmethod
    def monotone(self, *, suppressing: bool, several: bool = False) -> bool:
        """If it holds, does it hold for everything more general?

        ``suppressing``: does the number of records in failing classes never grow either? Only then may a search with
        a limit of suppressed records skip what is more special than a failure. ``several``: is that so too where a unit
        may have several records, in classes that are joined, and counts once in what they become?
        """

    @abstractmethod
    def figure_name(self) -> str:
        """What the figure of a class is, for tables; nothing: it is the size of the class."""

    @abstractmethod
    def tell(self, figure: float) -> str:
        """The worst figure, in words."""

    def largest_is_worst(self) -> bool:
        return False

    def check_table(self, table: Examined, reference: Examined | None = None) -> Finding:
        data, quasi, units = table.data, table.quasi, table.units
        require_quasi(data, quasi, self.describe())
        require_sensitive(data, self.sensitive_columns(table.attributes), quasi, self.describe())
        classes = table.classes
        reference = reference if self.compares() else None
        whole, codes = self.compared(table, reference)
        judge = self.judge(whole)
        rows = ClassRows(classes.of, classes.sizes, None, codes, units=units)
        figures = judge.figures(rows)
        failing = judge.fails(figures)
        worst = float(figures.max() if self.largest_is_worst() else figures.min())
        number = units.number(failing[classes.of])
        violations = self._violations(table, failing, figures)
        text = self._text(failing, number, worst, units.word) + self.aside(whole, reference)
        return Finding(
            self, not failing.any(), worst, text, violations, number, open_text=self.open_text(), unit=units.word
        )

    def _violations(self, table: Examined, failing: NDArray[np.bool_], figures: Floats) -> pl.DataFrame:
        """The classes that fail, the worst first: their values, their sizes, their figures."""
        quasi, classes, largest = table.quasi, table.classes, self.largest_is_worst()
        size = free_name(table.units.word.many, quasi)
        first = np.empty(len(classes), dtype=np.int64)
        first[classes.of[::-1]] = np.arange(len(table))[::-1]  # of equal places the last one stays
        found = table.data.select(quasi)[first[failing]].with_columns(pl.Series(size, classes.sizes[failing]))
        if not self.figure_name():
            return found.sort(size, *quasi, nulls_last=True)
        figure = free_name(self.figure_name(), [*quasi, size])
        found = found.with_columns(pl.Series(figure, figures[failing]))
        return found.sort(figure, *quasi, descending=[largest, *[False] * len(quasi)], nulls_last=True)

    def _text(self, failing: NDArray[np.bool_], number: int, worst: float, unit: Unit) -> str:
        bad, all_ = int(failing.sum()), counted(len(failing), "class", "classes")
        if not bad:
            return f"{self.describe()}: {all_}, {self.tell(worst)}"
        return (
            f"{self.describe()}: {bad:,} of {all_} {'fail' if bad != 1 else 'fails'} "
            f"({unit.counted(number)} in all); {self.tell(worst)}"
        )


class WholeTableModel(ClassModel):
    """A model that compares what a class holds with a whole table: an earth mover's distance of at most t."""

    t: Annotated[float, BeforeValidator(number), Field(ge=0, le=1)] = Field(
        kw_only=False, description="how far from the whole table a class may be, 0 to 1"
    )

    def compares(self) -> bool:
        return True

    def aside(self, sensitive: Sensitive, reference: Examined | None) -> str:
        whole = "from the table itself" if reference is None else "from the original table"
        return f" ({'; '.join([whole, *self.aside_parts(sensitive)])})"

    def monotone(self, *, suppressing: bool, several: bool = False) -> bool:
        # The distance of joined classes is at most the mean of theirs, by their sizes; but one that held may fail
        # together with one that failed, and with suppression more records would be lost. A unit that was in several of
        # them weighs less in the joined one than in them together: then it is no mean of theirs.
        return not suppressing and not several

    def figure_name(self) -> str:
        return "distance"

    def tell(self, figure: float) -> str:
        return f"the farthest is at {figure:.3g}"

    def largest_is_worst(self) -> bool:
        return True


def k_of(models: Iterable[Model]) -> int:
    """The k of the k-anonymity that some models ask for together; 1 if none does."""
    return max((model.class_size or 1 for model in models), default=1)


def require_quasi(data: pl.DataFrame, quasi: list[str], what: str) -> None:
    """The quasi-identifiers are there, and there are some."""
    absent = [name for name in quasi if name not in data.columns]
    if absent or not quasi:
        raise DataError(
            f"no column {absent[0]!r}" if absent else f"{what} over no columns",
            remedy=did_you_mean(absent[0] if absent else "", data.columns)
            + f"The data have: {', '.join(map(repr, data.columns[:30]))}.",
        )


def require_number(k: int, table: Examined, what: str) -> None:
    """There are k records, or other units, at all."""
    n, unit = table.number, table.units.word
    if k > n:
        raise DataError(
            f"{what} is required and there {'is' if n == 1 else 'are'} {unit.counted(n)}",
            remedy=f"A class cannot have more {unit.many} than the data: choose a smaller k.",
        )


def require_sensitive(data: pl.DataFrame, columns: list[str], quasi: list[str], what: str) -> None:
    absent = [name for name in columns if name not in data.columns]
    if absent:
        raise DataError(
            f"{what} looks at {absent[0]!r}, which the data do not have",
            remedy=did_you_mean(absent[0], data.columns) + f"The data have: {', '.join(map(repr, data.columns[:30]))}.",
        )
    both = [name for name in columns if name in quasi]
    if both:
        raise PolicyError(
            f"{what} looks at {both[0]!r}, which is a quasi-identifier",
            remedy="A column cannot be both known to an intruder and sensitive: give it the role sensitive.",
        )
