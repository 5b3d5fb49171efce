"""From the values of a column to concepts of a taxonomy, with an account of how each was placed.

Ways are tried from certain to less certain: the user's mapping, the code, an alternative code, the label, a synonym,
a code that lost its leading zeros, the stems of its words. The first way that places a value decides. What remains
is not placed at all: near concepts are suggested, never taken.

A value that is stored as a decimal number has lost the way it was written: 845.0 may be the code 845, 845.0 or 845.00.
It is placed only where one code alone is that number.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from decimal import Decimal
from math import isnan
from numbers import Real
from pathlib import Path
from typing import Any

from ontomask.arguments import as_values, counted, some_of
from ontomask.errors import OptionError, TaxonomyFileError, UnknownConceptError
from ontomask.files.regular_files import kind_of
from ontomask.files.source import Source
from ontomask.taxonomy.lexicon import stemmer
from ontomask.taxonomy.match_result import Match, Matching, Unmatched
from ontomask.taxonomy.readers import table
from ontomask.taxonomy.taxonomy import Taxonomy, require_taxonomy

#: How sure each way is. Scores order the ways; they are not probabilities.
SCORES = {
    "mapping": 1.0,
    "code": 1.0,
    "alias": 0.99,
    "label": 0.98,
    "synonym": 0.95,
    "leading zeros": 0.9,
    "number": 0.9,
    "stem": 0.85,
}
_DOTTED = re.compile(r"\d+\.\d+")
#: What pandas writes for a missing value, told by name so that pandas need not be there.
_MISSING_TYPES = frozenset({"NAType", "NaTType"})


def match(
    values: Iterable[Any],
    taxonomy: Taxonomy,
    mapping: Mapping[str, str] | str | Path | None = None,
    *,
    language: str | None = "english",
) -> Matching:
    """Place each distinct value in a taxonomy.

    Parameters
    ----------
    values : iterable
        The values of a column. Missing values (None, NaN) are counted in the notes and not placed.
    taxonomy : Taxonomy
        The taxonomy of the values.
    mapping : mapping of str to str, or path, optional
        Concepts by value, or a CSV of the columns value and concept: decides before anything else.
    language : str or None, default 'english'
        Chooses the Snowball stemmer; None matches without stems.

    Returns
    -------
    Matching
        Where each value was placed and how, and what remains.

    Examples
    --------
    >>> import ontomask as om
    >>> t = om.Taxonomy.from_edges([("lumbago", "ache"), ("ache", "pain")], synonyms={"lumbago": ["low back pain"]})
    >>> for row in om.match(["Lumbago", "low-back pain", "aches"], t).rows:
    ...     print(row.value, "->", row.concept, "by", row.how)
    Lumbago -> lumbago by code
    low-back pain -> lumbago by synonym
    aches -> ache by stem
    """
    require_taxonomy(taxonomy)
    counts, numbers, told = _counted(as_values(values))
    matching = match_counts(counts, taxonomy, mapping, language, numbers)
    matching.other_notes += told
    return matching


def match_counts(
    counts: Counter[str],
    taxonomy: Taxonomy,
    mapping: Mapping[str, str] | str | Path | None,
    language: str | None,
    numbers: Collection[str] = (),
) -> Matching:
    """:func:`match` for values that are counted already; ``numbers`` are those that are not stored as text."""
    if language is not None:  # an unknown language is an error at once, not only when a stem is needed
        stemmer(language if isinstance(language, str) else repr(language))
    chosen = _mapping(mapping, taxonomy)
    placer = _Placer(taxonomy, chosen, language, counts, frozenset(numbers))
    rows: list[Match] = []
    unmatched: list[Unmatched] = []
    for value, count in counts.items():
        placed = placer.place(value)
        if placed is None:
            unmatched.append(Unmatched(value, count, taxonomy, tuple(placer.codes_of_number(value))))
        else:
            positions, how = placed
            concept, *others = (taxonomy.concepts[i] for i in positions)
            rows.append(Match(value, concept, how, SCORES[how], count, tuple(others)))
    notes = placer.notes(rows)
    unused = [value for value in chosen if value not in counts]
    if unused:
        shown = some_of([repr(value) for value in unused])
        notes.append(f"{counted(len(unused), 'value')} of the mapping not met in the column: {shown}")
    return Matching(taxonomy, rows, unmatched, placer.senses(rows), notes)


class _Placer:
    """Tries the ways in order and remembers what to report."""

    def __init__(
        self,
        taxonomy: Taxonomy,
        mapping: Mapping[str, int],
        language: str | None,
        values: Iterable[str],
        numbers: frozenset[str],
    ) -> None:
        self._t = taxonomy
        self._lexicon = taxonomy.lexicon
        self._mapping = mapping
        self._language = language
        self._numbers = numbers
        # 845.0 as a number says nothing of dots.
        self._dotted = any(_DOTTED.fullmatch(v.strip()) and not (v in numbers and _whole(v)) for v in values)

    def place(self, value: str) -> tuple[list[int], str] | None:
        """The concepts a value can mean, the one to take first, and how they were found."""
        text = value.strip()
        for key in (value, text):
            if key in self._mapping:
                return [self._mapping[key]], "mapping"
        if not text:
            return None
        codes = self.codes_of_number(value)
        if codes:
            return self._only(codes, text)
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

    def codes_of_number(self, value: str) -> list[str]:
        """The codes that a value stored as a decimal number may be."""
        if value not in self._numbers or value.isdigit():  # whole numbers show all their digits
            return []
        found = self._lexicon.by_number(value) or self._dotless(value)
        return [self._t.concepts[at] for at in found]

    def _dotless(self, value: str) -> list[int]:
        """Codes written without their dots, where no value of the column has one: 25000.0 for 250.00."""
        whole = _whole(value)
        if self._dotted or not whole:
            return []
        at = self._lexicon.loose_code(whole)
        return list(dict.fromkeys([*([] if at is None else [at]), *self._lexicon.with_lost_zeros(whole)]))

    def _only(self, codes: list[str], text: str) -> tuple[list[int], str] | None:
        """The one code that a number can be."""
        if len(codes) > 1:
            return None
        lost = codes[0].removesuffix(text)
        how = "code" if not lost else "leading zeros" if lost.strip("0") == "" else "number"
        return [self._t.position(codes[0])], how

    def senses(self, rows: list[Match]) -> list[str]:
        """A note on values with several senses, if there are any."""
        senses = [
            f"{row.value!r} is taken as {row.concept} (else {some_of(row.others, 3)})" for row in rows if row.others
        ]
        if not senses:
            return []
        order = "most frequent sense" if self._t.senses else "first in the taxonomy"
        return [
            (
                f"{counted(len(senses), 'value')} with several senses: the {order} is taken unless a mapping decides "
                f"otherwise: {'; '.join(senses[:10])}{'; ... (see .ambiguous)' if len(senses) > 10 else ''}"
            )
        ]

    def notes(self, rows: list[Match]) -> list[str]:
        notes = []
        zeros = [row for row in rows if row.how == "leading zeros"]
        read = [row for row in rows if row.how == "number"]
        for placed, how, remedy in (
            (zeros, "without leading zeros, read with them", "store codes as text to keep zeros"),
            (read, "stored as numbers, each read as the only code it can be", "store codes as text"),
        ):
            if placed:
                shown = some_of([f"{row.value} as {row.concept}" for row in placed], 10)
                codes = f"{counted(len(placed), 'code')} ({counted(sum(row.count for row in placed), 'record')})"
                notes.append(f"{codes} {how}: {shown}; {remedy}")
        doubtful = [
            f"{row.value} (or {self._t.concepts[other[0]]})"
            for row in rows
            if row.how in ("code", "number") and (zeros or row.value in self._numbers) and (other := self._zeros(row))
        ]
        if doubtful:
            notes.append(
                f"since zeros {'were' if zeros else 'may have been'} lost, {counted(len(doubtful), 'code')} taken as "
                f"written may mean another: {some_of(doubtful, 10)}"
            )
        aliases = [row for row in rows if row.how == "alias"]
        if aliases:
            shown = some_of([f"{row.value} is {row.concept}" for row in aliases], 10)
            notes.append(f"{counted(len(aliases), 'alternative code')}: {shown}")
        return notes

    def _zeros(self, row: Match) -> list[int]:
        """What a code that was placed means if it lost leading zeros."""
        text = row.value if row.value not in self._numbers else _whole(row.value) or row.value
        return self._lexicon.with_lost_zeros(text, dotted=self._dotted)


def _whole(number: str) -> str:
    """The digits of a number that is whole, such as 845 of 845.0; nothing of others."""
    digits, _, decimals = number.strip().partition(".")
    return digits if not decimals.strip("0") else ""


def _counted(values: list[Any]) -> tuple[Counter[str], set[str], list[str]]:
    """Distinct values as text with their counts, in order of first appearance, which of them are numbers, and notes."""
    counts: Counter[str] = Counter()
    numbers: set[str] = set()
    missing = 0
    tally = Counter(values)
    each: Iterable[tuple[Any, int]] = tally.items()
    if any(isinstance(value, (Real, Decimal)) for value in tally):
        # 250 and 250.0 are equal as numbers and different as codes.
        each = ((value, count) for (_, value), count in Counter((type(value), value) for value in values).items())
    for value, count in each:
        if (
            value is None
            or (isinstance(value, (Real, Decimal)) and isnan(value))
            or type(value).__name__ in _MISSING_TYPES
        ):
            missing += count
            continue
        if isinstance(value, (Real, Decimal)):
            numbers.add(str(value))
        counts[value if isinstance(value, str) else str(value)] += count
    notes = []
    if numbers:
        notes.append(
            f"{counted(len(numbers), 'value')} stored as numbers, not text: a code stored as a number loses leading and "
            "trailing zeros (250 and 250.0 are different codes)"
        )
    if missing:
        notes.append(f"{counted(missing, 'missing value')} (None or NaN) not matched")
    return counts, numbers - {value for value in tally if isinstance(value, str)}, notes


def as_mapping(mapping: Mapping[str, str] | str | Path | None) -> dict[str, str]:
    """A mapping of values to concepts, wherever it is."""
    if mapping is None:
        return {}
    if isinstance(mapping, (str, Path)):
        return _read_mapping(Path(mapping))
    if not isinstance(mapping, Mapping):
        raise OptionError(
            f"the mapping is a {type(mapping).__name__}", remedy="Give {value: concept} or a CSV of both columns."
        )
    return dict(mapping)


def _mapping(mapping: Mapping[str, str] | str | Path | None, taxonomy: Taxonomy) -> dict[str, int]:
    """The position of each mapped value in the taxonomy."""
    where = f" {mapping}" if isinstance(mapping, (str, Path)) else ""
    placed = {}
    for value, concept in as_mapping(mapping).items():
        at = taxonomy.find(concept)
        if at is None:
            raise UnknownConceptError(
                concept,
                taxonomy=f"{taxonomy.name or 'the taxonomy'} for the value {value!r} of the mapping{where}",
                suggestions=[s.text for s in taxonomy.lexicon.suggest(str(concept))],
            )
        placed[str(value)] = at
    return placed


def _read_mapping(path: Path) -> dict[str, str]:
    """A CSV with the columns value and concept."""
    source = Source(path)
    if not path.is_file() and kind_of(path) is None:  # what is not a file is refused when it is opened
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
        if not concept:  # not decided (yet): the value is matched as others are
            continue
        if mapping.setdefault(value, concept) != concept:
            raise source.error(
                f"{value!r} is mapped to {concept!r} here and to {mapping[value]!r} before",
                line=line,
                remedy="Keep one.",
            )
    return mapping
