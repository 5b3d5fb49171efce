"""``find_identifiers``: what of a column may be one of the eighteen kinds of identifiers, and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import polars as pl

from ontomask.direct_identifiers.calendar import dated, of_named_dates, old_ages, old_births
from ontomask.direct_identifiers.cells import Cells
from ontomask.direct_identifiers.geography import of_named_places, placed
from ontomask.direct_identifiers.kinds import IdentifierKind, Letter, identifiers, kind_of, suggested
from ontomask.direct_identifiers.persons import named
from ontomask.direct_identifiers.shapes import has_digits, shaped
from ontomask.direct_identifiers.unique_codes import named_key, unique

#: A kind, what was seen of it, in how many records, and perhaps which of its remedies helps.
_Seen: TypeAlias = tuple[Letter, str, int] | tuple[Letter, str, int, str]


@dataclass(frozen=True)
class Suspicion:
    """A column that may hold identifiers of a kind: what was seen, and in how many records.

    ``found``: which of several things of the kind it is, where they have remedies of their own.
    """

    column: str
    kind: IdentifierKind
    why: str
    records: int
    found: str = ""

    @property
    def remedy(self) -> str:
        """What to do about it."""
        return self.kind.remedies.get(self.found, self.kind.remedy)

    @property
    def advice(self) -> str:
        """The same, and how it is written in a policy."""
        how = "" if self.found in self.kind.remedies else self.kind.how.replace("COLUMN", self.column)
        return f"{self.remedy} ({how})" if how else self.remedy


def find_identifiers(cells: Cells, *, concepts: bool, amounts: bool, year: float | None) -> list[Suspicion]:
    """What is found in a column, each kind once, by the shape of values first.

    ``concepts``: its values are concepts of a taxonomy, or areas of a table; ``amounts``: numbers to compute with. ``year``:
    that of the data, by which years of birth are judged.
    """
    found: dict[Letter, Suspicion] = {}
    for letter, why, records, *what in _seen(cells, concepts=concepts, amounts=amounts, year=year):
        if records:
            found.setdefault(letter, Suspicion(cells.name, kind_of(letter), why, records, *what))
    return list(found.values())


def _seen(cells: Cells, *, concepts: bool, amounts: bool, year: float | None) -> Iterator[_Seen]:
    by_shape: list[_Seen] = [(letter, f"values look like {what}", records) for letter, what, records in shaped(cells)]
    by_shape += [("C", f"values look like {what}", records) for what, records in dated(cells)]
    by_shape += [("B", f"values look like {what}", records) for what, records in placed(cells)]
    if not concepts:
        by_shape += [("A", f"values look like {what}", records) for what, records in named(cells)]
    by_shape += [("C", f"values are {what}", records, "ages") for what, records in old_ages(cells)]
    if year is not None:
        by_shape += [("C", f"values are {what}", records, "births") for what, records in old_births(cells, year)]
    by_name = list(_by_name(cells, concepts=concepts))
    yield from by_shape
    yield from by_name
    if not concepts and not by_shape and not by_name:
        yield from (("R", what, records) for what, records in named_key(cells))
        yield from (("R", f"values are {what}", records) for what, records in unique(cells, amounts=amounts))


def _by_name(cells: Cells, *, concepts: bool) -> Iterator[tuple[Letter, str, int]]:
    """What the name suggests, where the values do not speak against it."""
    kind = suggested(cells.name)
    if kind is None or not cells.distinct:
        return
    answers = cells.texts.str.to_lowercase().is_in(list(identifiers().values.answers)).fill_null(False)
    if cells.values.dtype == pl.Boolean or answers.all():
        return
    if kind.letter == "B":
        yield from (
            ("B", f"the name suggests it, and values are {what}", records) for what, records in of_named_places(cells)
        )
    elif kind.letter == "C":
        yield from (
            ("C", f"the name suggests it, and values are {what}", records) for what, records in of_named_dates(cells)
        )
    elif kind.needs == "text" and not concepts:
        words = cells.texts.str.contains(r"[^\W\d_]{2,}").fill_null(False) & ~answers
        if not cells.is_number and words.any():
            yield kind.letter, "the name suggests it", cells.records_where(words)
    elif kind.needs == "something":
        yield kind.letter, "the name suggests it", cells.records_where(~answers)
    elif kind.needs.endswith(("digit", "digits")):
        which = has_digits(cells, int(kind.needs.split()[0]))
        if cells.share(which) >= 0.5:
            yield kind.letter, "the name suggests it", cells.records_where(which)
