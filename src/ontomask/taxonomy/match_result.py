"""``Matching``: which value of a column matched which concept, how, and what remains."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ontomask.arguments import counted, some_of
from ontomask.display import html_card, html_table
from ontomask.errors import DataError, UnmatchedValuesError
from ontomask.taxonomy.lexicon import Suggestion
from ontomask.taxonomy.taxonomy import Taxonomy

if TYPE_CHECKING:
    import polars as pl

#: Values that are listed one by one.
SHOWN = 20


@dataclass(frozen=True, slots=True)
class Match:
    """One value and where it was placed; ``others`` are the concepts it could mean as well."""

    value: str
    concept: str
    how: str
    score: float
    count: int
    others: tuple[str, ...] = ()


@dataclass(frozen=True)
class Unmatched:
    """A value without a place, with what is near it.

    ``codes``: the codes that it may be, if it is a number that several codes are.
    """

    value: str
    count: int
    _taxonomy: Taxonomy
    codes: tuple[str, ...] = ()

    @cached_property
    def suggestions(self) -> list[Suggestion]:
        """The codes it may be, else the three nearest concepts by edit distance; computed when asked for."""
        if self.codes:
            return [Suggestion(code, self._taxonomy.label(code), 1.0) for code in self.codes]
        return self._taxonomy.lexicon.suggest(self.value, 3)


class Matching:
    """What :func:`match` found: ``rows``, one for each placed value; ``unmatched``; ``notes``."""

    def __init__(
        self,
        taxonomy: Taxonomy,
        rows: list[Match],
        unmatched: list[Unmatched],
        senses: list[str],
        other_notes: list[str],
    ) -> None:
        self.taxonomy = taxonomy
        self.rows = rows
        self.unmatched = unmatched
        self.senses = senses
        self.other_notes = other_notes

    @property
    def notes(self) -> list[str]:
        """How values were taken; first those with several senses, which :attr:`ambiguous` lists."""
        return [*self.senses, *self.other_notes]

    @cached_property
    def concepts(self) -> dict[str, str]:
        """Every placed value with its concept."""
        return {row.value: row.concept for row in self.rows}

    @property
    def ambiguous(self) -> list[Match]:
        """The values that could mean other concepts too."""
        return [row for row in self.rows if row.others]

    @property
    def complete(self) -> bool:
        """Is every value placed?"""
        return not self.unmatched

    @cached_property
    def table(self) -> pl.DataFrame:
        """value, concept, how, score, count; values without a place follow with no concept, how 'unmatched'."""
        import polars as pl  # late: it takes 0.15 s to load

        rows: list[tuple[Any, ...]] = [_cells(row) for row in self.rows]
        rows += [(u.value, None, "unmatched", 0.0, u.count) for u in self.unmatched]
        schema = {"value": pl.String, "concept": pl.String, "how": pl.String, "score": pl.Float64, "count": pl.Int64}
        return pl.DataFrame(rows, schema=schema, orient="row")

    def require_all(self, column: str | None = None) -> Matching:
        """Itself, if every value is placed; otherwise an error that names the ``column`` and lists the others with suggestions.

        Raises
        ------
        UnmatchedValuesError
            If a value has no concept.
        """
        if any(value.codes for value in self.unmatched):
            raise self._stored_as_numbers(column)
        if self.unmatched:
            worst = sorted(self.unmatched, key=lambda u: -u.count)
            shown = worst[: UnmatchedValuesError.SUGGESTED]
            listed = [(u.value, u.count, [s.text for s in u.suggestions]) for u in shown]
            listed += [(u.value, u.count, []) for u in worst[len(shown) :]]
            raise UnmatchedValuesError(listed, taxonomy=self.taxonomy.name or "the taxonomy", column=column)
        return self

    def _stored_as_numbers(self, column: str | None) -> DataError:
        unclear = [u for u in self.unmatched if u.codes]
        shown = some_of([f"{u.value} may be {' or '.join(u.codes)}" for u in unclear], 3)
        named = column or "column"
        return DataError(
            f"the codes are stored as numbers, and of {counted(len(unclear), 'value')} it is unclear which code is meant: "
            + shown,
            where=f"column {column!r}" if column else None,
            remedy=f"Read the column as text: read_table(path, text=[{named!r}]), or pandas.read_csv(path, "
            f"dtype={{{named!r}: str}}); anonymize and the like do so by themselves if they are given the path.",
        )

    def __repr__(self) -> str:
        return f"<Matching: {len(self.rows)} values placed, {len(self.unmatched)} not>"

    def __str__(self) -> str:
        """A plain table for a terminal: first what is not placed, then how the others were."""
        lines = [f"{len(self.rows)} of {len(self.rows) + len(self.unmatched)} values placed in {self.taxonomy.name}"]
        for u in self.unmatched[:SHOWN]:
            near = "; ".join(s.text for s in u.suggestions) or "nothing"
            lines.append(f"  not placed: {u.value!r} ({u.count}x), near: {near}")
        if len(self.unmatched) > SHOWN:
            lines.append(f"  ... and {len(self.unmatched) - SHOWN} more not placed")
        lines += [f"  note: {note}" for note in self.notes]
        width = max((len(row.value) for row in self.rows[:SHOWN]), default=0)
        for row in self.rows[:SHOWN]:
            lines.append(f"  {row.value:<{width}}  {row.how:<13}  {row.concept}  {self.taxonomy.label(row.concept)}")
        if len(self.rows) > SHOWN:
            lines.append(f"  ... and {len(self.rows) - SHOWN} more")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        cells = [(*_cells(row), self.taxonomy.label(row.concept)) for row in self.rows]
        missing = [
            (u.value, "", "not placed", None, u.count, "near: " + "; ".join(s.text for s in u.suggestions))
            for u in self.unmatched[:SHOWN]
        ]
        heads = ("value", "concept", "how", "score", "count", "label")
        title = f"{len(self.rows):,} of {len(self.rows) + len(self.unmatched):,} values placed in {self.taxonomy.name}"
        return html_card(title, html_table(heads, [*missing, *cells]), notes=self.notes)


def _cells(row: Match) -> tuple[Any, ...]:
    return row.value, row.concept, row.how, row.score, row.count
