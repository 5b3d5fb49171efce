"""Which text columns are numbers: only those that every cell survives unchanged.

A code is easily mistaken for a number. So 0123 stays text, so do 250.0 and 250.00 in one column (as numbers they would
be the same), integers too large for 64 bits, and numbers with text among them.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
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

Form = Literal["integer", "point", "comma", "grouped", "thousands", "text"]


class Codes(frozenset[str]):
    """Columns that hold codes wherever they occur: a file need not have them."""


@dataclass
class _Column:
    """A column of text, what it looks like, and why it stays text although it looks like numbers."""

    values: pl.Series
    form: Form
    why: str | None = None


def typed(
    data: pl.DataFrame, *, delimiter: str | None, decimal: str | None = None, text: Collection[str] = ()
) -> tuple[pl.DataFrame, str, list[Statement]]:
    """The frame with its number columns as numbers, the decimal mark, and notes. ``text``: columns to leave alone."""
    commas = decimal == "," or (decimal is None and delimiter != ",")
    columns = [
        _Column(c, "text") if c.name in text else _classified(c, points=decimal != ",", commas=commas)
        for c in data.iter_columns()
    ]
    mark = decimal or ("," if any(c.form in ("comma", "grouped") for c in columns) else ".")
    notes: list[Statement] = []
    done = [_converted(column, mark, notes) for column in columns]
    for column in done:
        if column.dtype == pl.String:
            notes += _marker_note(column, mark)
    return pl.DataFrame(done), mark, notes


def _classified(values: pl.Series, *, points: bool, commas: bool) -> _Column:
    cells = _bare(values.head(_PEEK))
    # Most text columns show in their first cells what they are; the others are looked at as a whole.
    by_comma = commas and (_all(_pointed(cells), _NUMBER) or _all(cells, _GROUPED))
    if not _all(cells, _NUMBER) and not by_comma and not _all(cells, "^-?[0-9]+$"):
        return _Column(values, "text")
    cells = _bare(values)
    if not len(cells):
        return _Column(values, "text")
    if _is_integer(cells):
        return _Column(values, "integer")
    if _all(cells, "^-?[0-9]+$"):
        zeros = _any(cells, "^-?0[0-9]")
        return _Column(values, "text", "leading zeros" if zeros else "integers of more than 64 bits, or -0")
    if points and _all(cells, _NUMBER):
        return _decimal(values, cells, "point")
    if commas and not cells.str.contains(".", literal=True).any() and _all(_pointed(cells), _NUMBER):
        return _decimal(values, _pointed(cells), "comma")
    if commas and _is_grouped(cells):
        return _Column(values, "grouped")
    return _Column(values, "text")


def _is_grouped(cells: pl.Series) -> bool:
    """Amounts of one number of decimals, some with points for thousands: no two of them are one number."""
    if not _all(cells, _GROUPED):
        return False
    decimals = cells.str.split(",").list.last().str.len_bytes().n_unique()
    return decimals == 1 and _any(cells, r"\.") and _ungrouped(cells).cast(pl.Float64).n_unique() == cells.n_unique()


def _ungrouped(cells: pl.Series) -> pl.Series:
    return _pointed(cells.str.replace_all(".", "", literal=True))


def _decimal(values: pl.Series, cells: pl.Series, form: Form) -> _Column:
    """A column of decimals, given with points, unless its way of writing says more than the numbers do."""
    if not cells.cast(pl.Float64).is_finite().all():
        return _Column(values, "text", "numbers too large for a 64-bit float")
    decimals = (cells.str.len_bytes() - cells.str.find(".", literal=True)).n_unique()
    fixed = decimals == 1 and not cells.str.find(".", literal=True).has_nulls()
    if form == "comma":
        thousands = fixed and _all(cells, r"^-?[0-9]{1,3}\.[0-9]{3}$")
        return _Column(values, "thousands" if thousands else "comma")
    trailing = _any(cells, r"\.[0-9]+0$")
    mixed = _any(cells, r"\.0$") and _any(cells, "^-?[0-9]+$")
    if not fixed and (trailing or mixed):  # codes are written with points, so commas need no such care
        return _Column(values, "text", "numbers written with and without trailing zeros, like codes")
    return _Column(values, form)


def _converted(column: _Column, mark: str, notes: list[Statement]) -> pl.Series:
    """The column as numbers if it is one of them under this decimal mark, with a note where it is none or nearly."""
    values, form, name = column.values, column.form, column.values.name
    why = column.why
    if form == "thousands":
        form = "comma" if mark == "," else "text"
        why = None if mark == "," else "1,234 may be a decimal or a thousand; give decimal=',' if it is a decimal"
    elif form == "point" and mark == ",":
        form, why = "text", "points in a file with decimal commas"
    if form == "text":
        if why:
            notes.append(note(f"column {name!r} stays text: {why}", name))
        return values
    stripped = values.str.strip_chars(" ")
    stripped = stripped.set(stripped == "", None)  # an empty text among numbers is not a number
    if form == "integer":
        return stripped.cast(pl.Int64)
    if form == "grouped":
        notes.append(note(f"column {name!r} has points for thousands: 1.234,50 is read as 1234.50", name))
        stripped = _ungrouped(stripped)
    pointed = _pointed(stripped) if form == "comma" else stripped
    if _longest(pointed) > _DIGITS:
        notes.append(
            note(f"column {name!r}: numbers of more than {_DIGITS} digits were rounded to 64-bit floats", name)
        )
    return pointed.cast(pl.Float64)


def _marker_note(column: pl.Series, mark: str) -> list[Statement]:
    found = column.filter(column.is_in(MARKERS))
    if not len(found):
        return []
    counts = found.value_counts(sort=True, name="count").rows()
    shown = some_of([f"{value!r} in {count:,} {'cell' if count == 1 else 'cells'}" for value, count in counts])
    others = _bare(column.filter(~column.is_in(MARKERS)))
    numbers = len(others) > 0 and _all(_pointed(others) if mark == "," else others, _NUMBER)
    values = [value for value, _ in counts]
    rest = "; all others are numbers" if numbers else ""
    text = f"holds {shown}: values, not nulls{rest}. To make them missing: missing={values} (--missing)"
    return [note(f"column {column.name!r} {text}", column.name)]


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
