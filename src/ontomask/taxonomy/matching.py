"""From the values of a column to concepts of a taxonomy, with an account of how each was placed.

Ways are tried from certain to less certain: the user's mapping, the code, an alternative code, the label, a synonym,
a code that lost its leading zeros, the stems of its words. The first way that places a value decides. What remains
is not placed at all: near concepts are suggested, never taken.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from html import escape
from math import isnan
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ontomask.arguments import as_values, counted, require_taxonomy, some_of
from ontomask.errors import OptionError, TaxonomyFileError, UnknownConceptError, UnmatchedValuesError
from ontomask.taxonomy.lexicon import Suggestion, stemmer
from ontomask.taxonomy.readers import table
from ontomask.taxonomy.readers.source import Source
from ontomask.taxonomy.taxonomy import Taxonomy

if TYPE_CHECKING:
    import polars as pl

#: How sure each way is. Scores order the ways; they are no probabilities.
SCORES = {
    "mapping": 1.0,
    "code": 1.0,
    "alias": 0.99,
    "label": 0.98,
    "synonym": 0.95,
    "leading zeros": 0.9,
    "stem": 0.85,
}
_DOTTED = re.compile(r"\d+\.\d+")
#: What pandas writes for a missing value, told by name so that pandas need not be there.
_MISSING_TYPES = frozenset({"NAType", "NaTType"})


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
    """A value without a place, with what is near it."""

    value: str
    count: int
    _taxonomy: Taxonomy

    @cached_property
    def suggestions(self) -> list[Suggestion]:
        """The three nearest concepts by edit distance; worked out when asked for."""
        return self._taxonomy.lexicon.suggest(self.value, 3)


class Matching:
    """What :func:`match` found: ``rows``, ``unmatched``, ``notes``; ``table`` as a Polars frame.

    ``concepts`` maps every placed value to its concept.
    """

    def __init__(self, taxonomy: Taxonomy, rows: list[Match], unmatched: list[Unmatched], notes: list[str]) -> None:
        self.taxonomy = taxonomy
        self.rows = rows
        self.unmatched = unmatched
        self.notes = notes

    @cached_property
    def concepts(self) -> dict[str, str]:
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
        import polars as pl

        rows: list[tuple[Any, ...]] = [_cells(row) for row in self.rows]
        rows += [(u.value, None, "unmatched", 0.0, u.count) for u in self.unmatched]
        schema = {"value": pl.String, "concept": pl.String, "how": pl.String, "score": pl.Float64, "count": pl.Int64}
        return pl.DataFrame(rows, schema=schema, orient="row")

    def require_all(self, column: str | None = None) -> Matching:
        """Itself, if every value is placed; otherwise an error that lists the others with suggestions."""
        if self.unmatched:
            worst = sorted(self.unmatched, key=lambda u: -u.count)
            shown = worst[: UnmatchedValuesError.SUGGESTED]
            listed = [(u.value, u.count, [s.text for s in u.suggestions]) for u in shown]
            listed += [(u.value, u.count, []) for u in worst[len(shown) :]]
            raise UnmatchedValuesError(listed, taxonomy=self.taxonomy.name or "the taxonomy", column=column)
        return self

    def __repr__(self) -> str:
        return f"<Matching: {len(self.rows)} values placed, {len(self.unmatched)} not>"

    def __str__(self) -> str:
        """A plain table for a terminal: first what is not placed, then how the others were."""
        lines = [f"{len(self.rows)} of {len(self.rows) + len(self.unmatched)} values placed in {self.taxonomy.name}"]
        for u in self.unmatched[:20]:
            near = "; ".join(s.text for s in u.suggestions) or "nothing"
            lines.append(f"  not placed: {u.value!r} ({u.count}x), near: {near}")
        if len(self.unmatched) > 20:
            lines.append(f"  ... and {len(self.unmatched) - 20} more not placed")
        lines += [f"  note: {note}" for note in self.notes]
        width = max((len(row.value) for row in self.rows[:20]), default=0)
        for row in self.rows[:20]:
            lines.append(f"  {row.value:<{width}}  {row.how:<13}  {row.concept}  {self.taxonomy.label(row.concept)}")
        if len(self.rows) > 20:
            lines.append(f"  ... and {len(self.rows) - 20} more")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        cells = [(*map(str, _cells(row)), self.taxonomy.label(row.concept)) for row in self.rows[:50]]
        cells += [
            (u.value, "", "not placed", "", str(u.count), "near: " + "; ".join(s.text for s in u.suggestions))
            for u in self.unmatched[:20]
        ]
        head = "".join(f"<th>{h}</th>" for h in ("value", "concept", "how", "score", "count", "label"))
        body = "".join("<tr>" + "".join(f"<td>{escape(c)}</td>" for c in row) + "</tr>" for row in cells)
        notes = "".join(f"<p><small>{escape(note)}</small></p>" for note in self.notes)
        return f"<div><table><tr>{head}</tr>{body}</table>{notes}</div>"


def match(
    values: Iterable[Any],
    taxonomy: Taxonomy,
    mapping: Mapping[str, str] | str | Path | None = None,
    *,
    language: str | None = "english",
) -> Matching:
    """Place each distinct value of ``values`` in the taxonomy.

    ``mapping`` (value -> concept), or a CSV of the columns value and concept, decides before anything else.
    ``language`` chooses the Snowball stemmer; None matches without stems. Missing values (None, NaN) are counted in
    the notes and not placed.

    >>> import ontomask as om
    >>> t = om.Taxonomy.from_edges([("lumbago", "ache"), ("ache", "pain")], synonyms={"lumbago": ["low back pain"]})
    >>> for row in om.match(["Lumbago", "low-back pain", "aches"], t).rows:
    ...     print(row.value, "->", row.concept, "by", row.how)
    Lumbago -> lumbago by code
    low-back pain -> lumbago by synonym
    aches -> ache by stem
    """
    require_taxonomy(taxonomy)
    counts, told = _counted(as_values(values))
    matching = match_counts(counts, taxonomy, mapping, language)
    matching.notes += told
    return matching


def match_counts(
    counts: Counter[str], taxonomy: Taxonomy, mapping: Mapping[str, str] | str | Path | None, language: str | None
) -> Matching:
    """:func:`match` for values that are counted already."""
    if language is not None:  # an unknown language is an error at once, not only when a stem is needed
        stemmer(language if isinstance(language, str) else repr(language))
    chosen = _mapping(mapping, taxonomy)
    placer = _Placer(taxonomy, chosen, language, dotted=any(_DOTTED.fullmatch(value.strip()) for value in counts))
    rows: list[Match] = []
    unmatched: list[Unmatched] = []
    for value, count in counts.items():
        placed = placer.place(value)
        if placed is None:
            unmatched.append(Unmatched(value, count, taxonomy))
        else:
            positions, how = placed
            concept, *others = (taxonomy.concepts[i] for i in positions)
            rows.append(Match(value, concept, how, SCORES[how], count, tuple(others)))
    notes = placer.notes(rows)
    unused = [value for value in chosen if value not in counts]
    if unused:
        shown = some_of([repr(value) for value in unused])
        notes.append(f"{counted(len(unused), 'value')} of the mapping not met in the column: {shown}")
    return Matching(taxonomy, rows, unmatched, notes)


class _Typed:
    """A value that equals another only if it has the same type."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __hash__(self) -> int:
        return hash((type(self.value), self.value))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Typed) and type(self.value) is type(other.value) and bool(self.value == other.value)


class _Placer:
    """Tries the ways in order and remembers what has to be told."""

    def __init__(self, taxonomy: Taxonomy, mapping: Mapping[str, int], language: str | None, *, dotted: bool) -> None:
        self._t = taxonomy
        self._lexicon = taxonomy.lexicon
        self._mapping = mapping
        self._language = language
        self._dotted = dotted

    def place(self, value: str) -> tuple[list[int], str] | None:
        """The concepts a value can mean, the one to take first, and how they were found."""
        text = value.strip()
        for key in (value, text):
            if key in self._mapping:
                return [self._mapping[key]], "mapping"
        if not text:
            return None
        at = self._t._position.get(text)
        if at is not None:
            return [at], "code"
        at = self._t.aliases.get(text)
        if at is not None:
            return [at], "alias"
        at = self._lexicon.loose_code(text)
        if at is not None:
            return [at], "code"
        how, found = self._lexicon.by_term(text)
        if found:
            return found, how
        restored = self._lexicon.with_lost_zeros(text, dotted=self._dotted)
        if len(restored) == 1:
            return restored, "leading zeros"
        if restored or self._language is None:
            return None
        found = self._lexicon.by_stem(text, self._language)
        return (found, "stem") if found else None

    def notes(self, rows: list[Match]) -> list[str]:
        notes = []
        senses = [
            f"{row.value!r} is taken as {row.concept} (else {some_of(row.others, 3)})" for row in rows if row.others
        ]
        if senses:
            order = "most frequent sense" if self._t.senses else "first in the taxonomy"
            notes.append(
                f"{counted(len(senses), 'value')} with several senses: the {order} is taken unless a mapping decides "
                f"otherwise: {'; '.join(senses[:10])}{'; ... (see .ambiguous)' if len(senses) > 10 else ''}"
            )
        zeros = [row for row in rows if row.how == "leading zeros"]
        if zeros:
            shown = some_of([f"{row.value} as {row.concept}" for row in zeros], 10)
            notes.append(
                f"{counted(len(zeros), 'code')} ({counted(sum(row.count for row in zeros), 'record')}) without leading zeros, "
                f"read with them: {shown}; store codes as text to keep zeros"
            )
            doubtful = [
                f"{row.value} (or {self._t.concepts[other[0]]})"
                for row in rows
                if row.how == "code" and (other := self._lexicon.with_lost_zeros(row.value, dotted=self._dotted))
            ]
            if doubtful:
                notes.append(
                    f"since zeros were lost, {counted(len(doubtful), 'code')} taken as written may mean another: "
                    f"{some_of(doubtful, 10)}"
                )
        aliases = [row for row in rows if row.how == "alias"]
        if aliases:
            shown = some_of([f"{row.value} is {row.concept}" for row in aliases], 10)
            notes.append(f"{counted(len(aliases), 'alternative code')}: {shown}")
        return notes


def _cells(row: Match) -> tuple[Any, ...]:
    return row.value, row.concept, row.how, row.score, row.count


def _counted(values: list[Any]) -> tuple[Counter[str], list[str]]:
    """Distinct values as text with their counts, in order of first appearance, and what has to be told of them."""
    counts: Counter[str] = Counter()
    missing = numbers = 0
    tally = Counter(values)
    if any(isinstance(value, Real) for value in tally):
        # 250 and 250.0 are equal as numbers and different as codes.
        tally = Counter(value if isinstance(value, str) or value is None else _Typed(value) for value in values)
    for held, count in tally.items():
        value = held.value if isinstance(held, _Typed) else held
        if value is None or (isinstance(value, Real) and isnan(value)) or type(value).__name__ in _MISSING_TYPES:
            missing += count
            continue
        numbers += isinstance(value, Real)
        counts[value if isinstance(value, str) else str(value)] += count
    notes = []
    if numbers:
        notes.append(
            f"{counted(numbers, 'value')} stored as numbers, not text: a code stored as a number loses leading and trailing "
            "zeros (250 and 250.0 are different codes)"
        )
    if missing:
        notes.append(f"{counted(missing, 'missing value')} (None or NaN) not matched")
    return counts, notes


def _mapping(mapping: Mapping[str, str] | str | Path | None, taxonomy: Taxonomy) -> dict[str, int]:
    if mapping is None:
        return {}
    where = None
    if isinstance(mapping, (str, Path)):
        where = str(mapping)
        mapping = _read_mapping(Path(mapping))
    if not isinstance(mapping, Mapping):
        raise OptionError(
            f"the mapping is a {type(mapping).__name__}", remedy="Give {value: concept} or a CSV of both columns."
        )
    placed = {}
    for value, concept in mapping.items():
        at = taxonomy.find(concept)
        if at is None:
            raise UnknownConceptError(
                concept,
                taxonomy=f"{taxonomy.name or 'the taxonomy'} for the value {value!r} of the mapping"
                + (f" {where}" if where else ""),
                suggestions=[s.text for s in taxonomy.lexicon.suggest(str(concept))],
            )
        placed[str(value)] = at
    return placed


def _read_mapping(path: Path) -> dict[str, str]:
    """A CSV with the columns value and concept."""
    source = Source(path)
    if not path.is_file():
        raise TaxonomyFileError("no such mapping file", where=str(path), remedy="Check the path.")
    rows = table.Rows(source, None)
    header = rows.first
    at_value, at_concept = table.column(header.cells, ("value",)), table.column(header.cells, ("concept", "code"))
    if at_value is None or at_concept is None:
        raise source.error(
            f"no columns value and concept among {', '.join(header.cells[:12])}",
            line=header.line,
            remedy="A mapping is a CSV with the columns value and concept.",
        )
    table.refuse_repeated(source, header, (at_value, at_concept))
    mapping: dict[str, str] = {}
    for line, cells in rows.below_header():
        if len(cells) <= max(at_value, at_concept):
            raise source.error("cells are missing", line=line, remedy="Give a value and a concept.")
        value, concept = cells[at_value], cells[at_concept]
        if mapping.setdefault(value, concept) != concept:
            raise source.error(
                f"{value!r} is mapped to {concept!r} here and to {mapping[value]!r} before",
                line=line,
                remedy="Keep one.",
            )
    return mapping
