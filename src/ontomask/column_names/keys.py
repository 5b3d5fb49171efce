"""Names of columns that number persons, or stays, visits and cases: ``patient_nbr``, ``hadm_id``, ``Fallnummer``.

A noun and a word for a number make such a name, in English, Spanish, Catalan, French and German, in any order and also
written as one word. A third word that says what is numbered of them (type, source, age) makes it something else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ontomask.column_names.words import vocabulary

Unit = Literal["person", "event"]


def numbered_unit(words: Sequence[str]) -> Unit | None:
    """What columns of such a name number: persons, events (stays, visits, cases), or nothing."""
    keys = vocabulary().keys
    numbers = keys.numbered | keys.counting
    if _numbers(words, keys.persons, numbers):
        return "person"
    return "event" if _numbers(words, keys.events, numbers - keys.codes) else None


def is_unit(words: Sequence[str]) -> bool:
    """Is the name nothing but a word for a person, a stay or a case? Its values then decide."""
    return len(words) == 1 and words[0] in vocabulary().keys.persons | vocabulary().keys.events


def may_count(words: Sequence[str]) -> bool:
    """Can the name say how many as well as which one: ``visit_number``?"""
    keys = vocabulary().keys
    return not keys.counting.isdisjoint(words) and keys.numbered.isdisjoint(words)


def _numbers(words: Sequence[str], nouns: frozenset[str], numbers: frozenset[str]) -> bool:
    if not vocabulary().keys.properties.isdisjoint(words):
        return False
    if any(_is_compound(word, nouns) for word in words):
        return True
    return not nouns.isdisjoint(words) and not numbers.isdisjoint(words)


def _is_compound(word: str, nouns: frozenset[str]) -> bool:
    """One word of both: Patientennummer, fallnr, patid, caseid."""
    for key in vocabulary().keys.endings:
        stem = word.removesuffix(key)
        if stem != word and (stem in nouns or any(stem.removesuffix(link) in nouns for link in ("s", "n", "en", "e"))):
            return True
    return False
