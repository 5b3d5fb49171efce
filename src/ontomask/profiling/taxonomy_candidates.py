"""Candidate taxonomies of a column: a given one, a built-in code system, or WordNet.

A taxonomy fits if it covers at least 90% of the records and 80% of the values. WordNet covers nearly
any English word, so more is asked of it: a place for every value, by its own name, and few with several senses.
Taxonomies are loaded only if the values look like theirs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ontomask.column_names.names import Topic
from ontomask.errors import MissingDataError, MissingExtraError
from ontomask.profiling.column_facts import LOOKED, Facts, share
from ontomask.taxonomy.areas import has_populations
from ontomask.taxonomy.catalog import list_taxonomies, load_taxonomy, named_taxonomy
from ontomask.taxonomy.match_result import Matching
from ontomask.taxonomy.matching import match_counts
from ontomask.taxonomy.taxonomy import Taxonomy

LEAST_RECORDS, LEAST_VALUES = 0.9, 0.8
#: A taxonomy that fits is asked for the concepts of so many values; the rest is reported.
MOST_VALUES = 50_000
#: WordNet is asked about no shorter list of words, and not proposed if more of them have several senses.
FEWEST_WORDS, MOST_AMBIGUOUS = 5, 1 / 3

_CODES = {
    "icd9cm": r"^(?:[0-9]{3}(?:\.?[0-9]{1,2})?|V[0-9]{2}(?:\.?[0-9]{1,2})?|E[0-9]{3}(?:\.?[0-9])?)$",
    "icd9cm_procedures": r"^[0-9]{2}(?:\.?[0-9]{1,2})?$",
    "icd10cm": r"^[A-Z][0-9][0-9A-Z](?:\.?[0-9A-Z]{1,4})?$",
}
#: Bare digits and short codes fit by chance: without a telling name some must look like nothing else.
_TELLING = r"^[0-9VE][0-9]+\.[0-9]{1,2}$|^[A-Z][0-9][0-9A-Z]\.|^[A-Z][0-9][0-9A-Z]{2,5}$"
_FIRST = {"diagnoses": "icd9cm", "procedures": "icd9cm_procedures"}
_WORDS = r"^[A-Za-z][A-Za-z '.&()/_-]*$"


@dataclass(frozen=True)
class Candidate:
    """How well a taxonomy holds a column: shares of values and records with a place, and how many have none."""

    taxonomy: str
    values: float
    records: float
    unmatched: int
    unmatched_records: int
    ambiguous: int
    lost_zeros: int
    asked: int
    by_name: bool
    #: A table of areas with their populations, of which the values are codes.
    areas: bool = False

    @property
    def named(self) -> str:
        """A file by its name alone."""
        return Path(self.taxonomy).name

    @property
    def complete(self) -> bool:
        return self.unmatched == 0

    @property
    def fits(self) -> bool:
        if self.taxonomy == "wordnet":
            return self.complete and self.by_name and self.ambiguous <= MOST_AMBIGUOUS * self.asked
        return self.holds_most

    @property
    def holds_most(self) -> bool:
        return self.records >= LEAST_RECORDS and self.values >= LEAST_VALUES


class Taxonomies:
    """Taxonomies by name or file, loaded once; what is not on this machine is noted and passed over."""

    def __init__(self) -> None:
        self._loaded: dict[str, Taxonomy | None] = {}
        self.notes: list[str] = []

    def get(self, name: str) -> Taxonomy | None:
        if name not in self._loaded:
            self._loaded[name] = self._load(name)
        return self._loaded[name]

    def _load(self, name: str) -> Taxonomy | None:
        if name not in list_taxonomies():
            return named_taxonomy(name)
        try:
            return load_taxonomy(name)
        except (MissingExtraError, MissingDataError) as problem:
            self.notes.append(f"{name} was not tried: {problem}")
            return None


def candidates(facts: Facts, topic: Topic | None, given: str | None, taxonomies: Taxonomies) -> list[Candidate]:
    """The taxonomies that hold values of the column, the best first. ``facts`` are of the column as it is written."""
    found: list[Candidate] = []
    for name in [given] if given is not None else _likely(facts, topic):
        taxonomy = taxonomies.get(name)
        if taxonomy is not None:
            found.append(_asked(facts, name, taxonomy))
    listed = topic is not None and topic.listed
    if given is None and not listed and not any(c.fits for c in found) and _like_words(facts):
        taxonomy = taxonomies.get("wordnet")
        if taxonomy is not None:
            found.append(_asked(facts, "wordnet", taxonomy))
    found = [c for c in found if c.values > 0 or given is not None]
    found.sort(key=lambda c: (c.fits, c.records, c.values, c.taxonomy == _first(topic)), reverse=True)
    return found


def _first(topic: Topic | None) -> str | None:
    return _FIRST.get(topic.codes) if topic is not None and topic.codes else None


def _likely(facts: Facts, topic: Topic | None) -> Iterable[str]:
    """The systems of codes that the values may be of."""
    named = topic is not None and topic.codes is not None
    if not facts.is_text and not (named and facts.is_number):
        return []
    texts = facts.texts.str.strip_chars().str.to_uppercase()
    shaped = [name for name, pattern in _CODES.items() if share(texts, pattern) >= 0.5]
    if not named:
        return shaped if share(texts, _TELLING) >= 0.2 else []
    # By the name alone: numbers that lost their zeros, or the words that codes stand for.
    words = share(texts, "^[A-Z].*[A-Z]{2}") >= 0.5
    first = _first(topic)
    tried = [first, *shaped, *(["icd10cm"] if words and first == "icd9cm" else [])]
    return list(dict.fromkeys(name for name in tried if name is not None))


def _like_words(facts: Facts) -> bool:
    return (
        facts.is_text
        and FEWEST_WORDS <= facts.distinct <= LOOKED
        and not facts.all_differ
        and facts.words <= 4
        and share(facts.texts, _WORDS) >= 0.8
    )


def _asked(facts: Facts, name: str, taxonomy: Taxonomy) -> Candidate:
    """Ask for the most frequent values; for all of them, if these fit."""
    candidate = _share(facts, name, taxonomy, LOOKED)
    return _share(facts, name, taxonomy, MOST_VALUES) if candidate.fits and facts.distinct > LOOKED else candidate


def _share(facts: Facts, name: str, taxonomy: Taxonomy, most: int) -> Candidate:
    counts = facts.counts.head(most)
    tally: Counter[str] = Counter()
    for value, count in zip(counts["value"].to_list(), counts["count"].to_list(), strict=True):
        tally[str(value)] += count
    # Stems find too much in WordNet, and are not needed for codes.
    language = None if name == "wordnet" else "english"
    matching: Matching = match_counts(tally, taxonomy, None, language, tally if facts.is_number else ())
    records = sum(tally.values())
    placed = sum(row.count for row in matching.rows)
    return Candidate(
        taxonomy=name,
        values=len(matching.rows) / len(tally),
        records=placed / records,
        unmatched=len(matching.unmatched),
        unmatched_records=records - placed,
        ambiguous=len(matching.ambiguous),
        lost_zeros=sum(row.how in ("leading zeros", "number") for row in matching.rows),
        asked=len(tally),
        by_name=all(row.how in ("label", "synonym") for row in matching.rows),
        areas=all(row.how == "code" for row in matching.rows) and has_populations(name),
    )
