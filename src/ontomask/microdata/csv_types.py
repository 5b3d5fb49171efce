"""Which text columns are numbers: only those that every cell survives unchanged.

A code is easily mistaken for a number. So 0123 stays text, so do 250.0 and 250.00 in one column (as numbers they would
be the same), integers too large for 64 bits, and numbers with text among them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Literal

import polars as pl

from ontomask.arguments import some_of
from ontomask.statements import Statement, note

#: Texts that often stand for a missing value. They stay values, and a note tells of them.
MARKERS = (
    *("?", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "Null", "null", "None", "none", ".", "-", "--"),
    *("N.A.", "n.a.", "N/D", "n/d", "S/D", "s/d", "k.A.", "k. A.", "k.A", "NS/NC", "Ns/Nc", "ns/nc", "NS/NR", "ns/nr"),
    *("keine Angabe", "Keine Angabe", "sin datos", "Sin datos", "sense dades", "Sense dades", "non renseigné"),
    *("Non renseigné", "not available", "Not available", "not recorded", "Not recorded", "no answer", "No answer"),
)
_INTEGER = "0|-?[1-9][0-9]*"
_DECIMAL = r"-?(?:0|[1-9][0-9]*)?\.[0-9]+(?:[eE][-+]?[0-9]+)?"
# Without a point the exponent needs a sign: 1E50 is a code of ICD-11.
_EXPONENT = r"-?[1-9]?[0-9](?:\.[0-9]+)?[eE][-+][0-9]+"
_NUMBER = f"^(?:{_INTEGER}|{_DECIMAL}|{_EXPONENT})$"
#: Amounts with points for thousands and a decimal comma, as most of Europe writes them: 1.234,50.
_GROUPED = r"^-?(?:0|[1-9][0-9]{0,2}(?:\.[0-9]{3})*),[0-9]+$"
_PEEK = 1000
#: What a 64-bit float holds for sure.
_DIGITS = 17
#: Numbers of so many digits are told apart by it.
_SURE = 15

Form = Literal["integer", "point", "comma", "grouped", "thousands", "text"]


class Codes(frozenset[str]):
    """Columns that hold codes wherever they occur: a file need not have them."""


@dataclass(frozen=True)
class CellFacts:
    """What tells the type of a column of text, of all its cells or of those read so far: facts of parts are brought together
    by :meth:`with_`.

    ``some``: is there a cell that holds something? Blanks around it do not count. True of all such cells: ``integer``,
    ``digits``, ``pointed`` (numbers), ``commas`` (numbers once commas are points), ``unpointed`` (no point), ``thousands``
    (1.234 once commas are points), ``grouped`` (1.234,50), ``finite``. True of some: ``leading`` zeros, ``trailing`` zeros,
    ``point_zero``, ``whole`` (nothing but digits), ``dotted``. ``decimals``: how many there are, plus one (None: no point).
    ``longest``: the most significant digits. ``alike``: grouped amounts that may be one number, though their texts differ.
    """

    some: bool = False
    integer: bool = True
    digits: bool = True
    pointed: bool = True
    commas: bool = True
    unpointed: bool = True
    thousands: bool = True
    grouped: bool = True
    finite: bool = True
    leading: bool = False
    trailing: bool = False
    point_zero: bool = False
    whole: bool = False
    dotted: bool = False
    decimals: frozenset[int | None] = frozenset()
    longest: int = 0
    alike: frozenset[str] = frozenset()

    @staticmethod
    def of(values: pl.Series) -> CellFacts:
        """The facts of a column, or of a part of it."""
        peek = _bare(values.head(_PEEK))
        # Most text columns show in their first cells what they are; the others are looked at as a whole.
        if not (_all(_pointed(peek), _NUMBER) or _all(peek, _GROUPED) or _all(peek, "^-?[0-9]+$")):
            return _TEXT
        cells = _bare(values)
        if not len(cells):
            return CellFacts()
        if _is_integer(cells):
            return replace(_INTEGERS, thousands=False, longest=_longest(cells))
        if _all(cells, "^-?[0-9]+$"):
            return _of_digits(cells)
        points = _pointed(cells)
        if _all(points, _NUMBER):
            return _of_decimals(cells, points)
        return _of_grouped(cells) if _all(cells, _GROUPED) else _TEXT

    def with_(self, other: CellFacts) -> CellFacts:
        """The facts of both parts."""
        if not (self.some and other.some):
            return self if self.some else other
        both = {name: getattr(self, name) and getattr(other, name) for name in _OF_ALL}
        either = {name: getattr(self, name) or getattr(other, name) for name in _OF_ONE}
        return CellFacts(
            **both,
            **either,
            decimals=self.decimals | other.decimals,
            longest=max(self.longest, other.longest),
            alike=self.alike | other.alike,
        )

    def numbers(self, mark: str) -> bool:
        """Are all cells numbers with this decimal mark?"""
        return self.commas if mark == "," else self.pointed

    def form(self, *, points: bool, commas: bool) -> tuple[Form, str | None]:
        """What the column looks like, and why it stays text although it looks like numbers; ``points``, ``commas``: which of
        them may be decimal marks."""
        if not self.some:
            return "text", None
        if self.integer:
            return "integer", None
        if self.digits:
            return "text", "leading zeros" if self.leading else "integers of more than 64 bits, or -0"
        if points and self.pointed:
            return self._decimal("point")
        if commas and self.unpointed and self.commas:
            return self._decimal("comma")
        return ("grouped" if commas and self._is_grouped else "text"), None

    def _decimal(self, form: Form) -> tuple[Form, str | None]:
        """Decimals, unless their way of writing says more than the numbers do."""
        if not self.finite:
            return "text", "numbers too large for a 64-bit float"
        fixed = len(self.decimals) == 1 and None not in self.decimals
        if form == "comma":  # codes are written with points, so commas need no such care
            return ("thousands" if fixed and self.thousands else "comma"), None
        if not fixed and (self.trailing or (self.point_zero and self.whole)):
            return "text", "numbers written with and without trailing zeros, like codes"
        return form, None

    @property
    def _is_grouped(self) -> bool:
        """Amounts of one number of decimals, some with points for thousands: no two of them are one number."""
        if not (self.grouped and self.dotted and len(self.decimals) == 1):
            return False
        alike = pl.Series(sorted(self.alike), dtype=pl.String)
        return _ungrouped(alike).cast(pl.Float64).n_unique() == len(alike)


_OF_ALL = ("integer", "digits", "pointed", "commas", "unpointed", "thousands", "grouped", "finite")
_OF_ONE = ("some", "leading", "trailing", "point_zero", "whole", "dotted")
_TEXT = CellFacts(**dict.fromkeys(_OF_ALL, False), some=True)  # type: ignore[arg-type]
_INTEGERS = CellFacts(some=True, thousands=False, grouped=False, whole=True, decimals=frozenset([None]))


def _of_digits(cells: pl.Series) -> CellFacts:
    """The facts of cells that are not all integers of 64 bits, though they have no other signs."""
    numbers = _all(cells, _NUMBER)
    finite = numbers and bool(cells.cast(pl.Float64).is_finite().all())
    leading, longest = _any(cells, "^-?0[0-9]"), _longest(cells)
    known = replace(_INTEGERS, integer=False, leading=leading, longest=longest)
    return replace(known, pointed=numbers, commas=numbers, finite=finite)


def _of_decimals(cells: pl.Series, points: pl.Series) -> CellFacts:
    """The facts of numbers, with points and with commas."""
    lengths = (points.str.len_bytes() - points.str.find(".", literal=True)).unique()
    return CellFacts(
        some=True,
        integer=False,
        digits=False,
        pointed=not cells.str.contains(",", literal=True).any(),
        unpointed=not cells.str.contains(".", literal=True).any(),
        thousands=_all(points, r"^-?[0-9]{1,3}\.[0-9]{3}$"),
        grouped=_all(cells, _GROUPED),
        finite=bool(points.cast(pl.Float64).is_finite().all()),
        trailing=_any(points, r"\.[0-9]+0$"),
        point_zero=_any(points, r"\.0$"),
        whole=_any(points, "^-?[0-9]+$"),
        decimals=frozenset(lengths.to_list()),
        longest=_longest(points),
        alike=_alike(cells),
    )


def _of_grouped(cells: pl.Series) -> CellFacts:
    """The facts of amounts of which some have points for thousands."""
    lengths = (_ungrouped(cells).str.len_bytes() - _ungrouped(cells).str.find(".", literal=True)).unique()
    return replace(
        _TEXT,
        grouped=True,
        dotted=_any(cells, r"\."),
        decimals=frozenset(lengths.to_list()),
        longest=_longest(cells),
        alike=_alike(cells),
    )


def _alike(cells: pl.Series) -> frozenset[str]:
    """Amounts whose text differs from that of another one of the same number of decimals and may be the same number: zeros,
    and more digits than a float tells apart."""
    digits = cells.str.replace_all("[^0-9]", "").str.strip_chars_start("0").str.len_bytes()
    return frozenset(cells.filter((digits == 0) | (digits > _SURE)).unique().to_list())


class ColumnTypes:
    """The types of the columns of a text table, decided on all of their cells, which may come in parts.

    ``text``: columns to leave alone. Each part is given to :meth:`add`; then :meth:`decide` says what they are, and
    :meth:`convert` makes it of any part.
    """

    def __init__(self, *, delimiter: str | None, decimal: str | None = None, text: Collection[str] = ()) -> None:
        self._points, self._commas = decimal != ",", decimal == "," or (decimal is None and delimiter != ",")
        self._decimal, self._text = decimal, text
        self._facts: dict[str, CellFacts] = {}
        self._markers: dict[str, Counter[str]] = {}
        self._others: dict[str, CellFacts] = {}
        self._forms: dict[str, Form] = {}
        self.mark = decimal or "."

    def add(self, data: pl.DataFrame) -> None:
        """Look at the next part of the table."""
        for column in data.iter_columns():
            name = column.name
            facts = CellFacts.of(column) if name not in self._text else _TEXT
            self._facts[name] = self._facts.get(name, CellFacts()).with_(facts)
            others = facts
            if not (facts.digits or facts.pointed or facts.commas):
                found = column.filter(column.is_in(MARKERS))
                self._markers.setdefault(name, Counter()).update(
                    dict(found.value_counts(name="count").rows()) if len(found) else {}
                )
                others = CellFacts.of(column.filter(~column.is_in(MARKERS)))
            self._others[name] = self._others.get(name, CellFacts()).with_(others)

    def decide(self) -> list[Statement]:
        """Say what the columns are, and what should be known of it."""
        looks = {
            name: ("text", None) if name in self._text else facts.form(points=self._points, commas=self._commas)
            for name, facts in self._facts.items()
        }
        any_comma = any(form in ("comma", "grouped") for form, _ in looks.values())
        self.mark = self._decimal or ("," if any_comma else ".")
        notes: list[Statement] = []
        for name, (form, why) in looks.items():
            self._forms[name] = self._chosen(name, form, why, notes)
        for name, form in self._forms.items():
            if form == "text":
                notes += self._marker_note(name)
        return notes

    def convert(self, data: pl.DataFrame) -> pl.DataFrame:
        """A part of the table, or all of it, with numbers in its columns of numbers."""
        return pl.DataFrame([_converted(column, self._forms[column.name]) for column in data.iter_columns()])

    def _chosen(self, name: str, form: Form, why: str | None, notes: list[Statement]) -> Form:
        """The form under the decimal mark of the file, with a note where it holds text that looks like numbers."""
        if form == "thousands":
            form = "comma" if self.mark == "," else "text"
            why = (
                None if form == "comma" else "1,234 may be a decimal or a thousand; give decimal=',' if it is a decimal"
            )
        elif form == "point" and self.mark == ",":
            form, why = "text", "points in a file with decimal commas"
        if form == "text" and why:
            notes.append(note(f"column {name!r} stays text: {why}", name))
        if form == "grouped":
            notes.append(note(f"column {name!r} has points for thousands: 1.234,50 is read as 1234.50", name))
        if form not in ("text", "integer") and self._facts[name].longest > _DIGITS:
            text = f"column {name!r}: numbers of more than {_DIGITS} digits were rounded to 64-bit floats"
            notes.append(note(text, name))
        return form

    def _marker_note(self, name: str) -> list[Statement]:
        counts = sorted(self._markers.get(name, Counter()).items(), key=lambda pair: (-pair[1], pair[0]))
        if not counts:
            return []
        shown = some_of([f"{value!r} in {count:,} {'cell' if count == 1 else 'cells'}" for value, count in counts])
        others, values = self._others[name], [value for value, _ in counts]
        rest = "; all others are numbers" if others.some and others.numbers(self.mark) else ""
        text = f"holds {shown}: values, not nulls{rest}. To make them missing: missing={values} (--missing)"
        return [note(f"column {name!r} {text}", name)]


def typed(
    data: pl.DataFrame, *, delimiter: str | None, decimal: str | None = None, text: Collection[str] = ()
) -> tuple[pl.DataFrame, str, list[Statement]]:
    """The frame with its number columns as numbers, the decimal mark, and notes. ``text``: columns to leave alone."""
    types = ColumnTypes(delimiter=delimiter, decimal=decimal, text=text)
    types.add(data)
    notes = types.decide()
    return types.convert(data), types.mark, notes


def _converted(values: pl.Series, form: Form) -> pl.Series:
    if form == "text":
        return values
    stripped = values.str.strip_chars(" ")
    stripped = stripped.set(stripped == "", None)  # an empty text among numbers is not a number
    if form == "integer":
        return stripped.cast(pl.Int64)
    if form == "grouped":
        stripped = _ungrouped(stripped)
    return (_pointed(stripped) if form == "comma" else stripped).cast(pl.Float64)


def _ungrouped(cells: pl.Series) -> pl.Series:
    return _pointed(cells.str.replace_all(".", "", literal=True))


def _is_integer(cells: pl.Series) -> bool:
    whole = cells.cast(pl.Int64, strict=False)
    return not whole.has_nulls() and bool((whole.cast(pl.String) == cells).all())


def _bare(values: pl.Series) -> pl.Series:
    """The cells that hold something, without blanks around."""
    cells = values.drop_nulls().str.strip_chars(" ")
    return cells.filter(cells != "")


def _pointed(cells: pl.Series) -> pl.Series:
    return cells.str.replace(",", ".", literal=True)


def _longest(cells: pl.Series) -> int:
    """The most significant digits in any number of a column."""
    long = cells.filter(cells.str.len_bytes() > _DIGITS)
    digits = long.str.replace(r"[eE].*$", "").str.replace_all("[^0-9]", "").str.strip_chars_start("0")
    longest = digits.str.len_bytes().max()
    return longest if isinstance(longest, int) else 0


def _all(cells: pl.Series, pattern: str) -> bool:
    return bool(cells.str.contains(pattern).all())


def _any(cells: pl.Series, pattern: str) -> bool:
    return bool(cells.str.contains(pattern).any())
