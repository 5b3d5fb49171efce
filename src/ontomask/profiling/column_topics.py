"""Topic of a column, by its name and its values: small numbers named ``number_diagnoses`` are counts, not diagnoses."""

from __future__ import annotations

from ontomask.column_names.names import (
    CODES,
    COUNT,
    EVENT,
    LENGTH,
    PERSON,
    TREATMENT,
    Topic,
    is_coded,
    is_counted,
    is_time,
    is_unit,
    may_count,
    names_a_key,
    numbered_unit,
    topic_of,
    words_of,
)
from ontomask.profiling.column_facts import FEW_RECORDS, Facts

#: Topics that a length of time takes precedence of: ``time_in_hospital`` is not a hospital.
_BESIDE_TIME = ("institution", "stay", "date", "visits")


def topic_of_column(facts: Facts) -> Topic | None:
    """The topic of the name, corrected by what the values show."""
    topic = topic_of(facts.name)
    if topic is not None and topic.kind == "text" and not (facts.is_text and facts.words >= 2):
        topic = None  # a note may be a grade
    if topic is not None and topic.role == "identifier":
        return _identifying(facts, topic)
    if topic is None and _is_unit_of_many(facts):
        return PERSON
    if topic is None and facts.doses:
        return TREATMENT
    if facts.is_number and topic is not None:
        return _of_numbers(facts, topic)
    if topic is None and facts.is_number and is_time(facts.name):
        return LENGTH
    return topic


def names_a_person(facts: Facts) -> bool:
    """Is the column named like a key of persons or stays?"""
    return numbered_unit(words_of(facts.name)) is not None or names_a_key(facts.name) or _is_unit_of_many(facts)


def _identifying(facts: Facts, topic: Topic) -> Topic | None:
    """A key with a few small values numbers no persons: it is a code, or it counts."""
    keys = topic is EVENT or topic.id == "key"
    if may_count(words_of(facts.name)) and topic in (PERSON, EVENT) and facts.small_range and facts.few_codes:
        return None
    return CODES if keys and facts.few_codes else topic


def _is_unit_of_many(facts: Facts) -> bool:
    many = facts.held >= FEW_RECORDS and facts.distinct >= max(FEW_RECORDS, 0.1 * facts.held)
    return many and is_unit(words_of(facts.name))


def _of_numbers(facts: Facts, topic: Topic) -> Topic:
    if topic.id in _BESIDE_TIME and is_time(facts.name):
        return LENGTH
    clinical = topic.codes is not None or topic.clinical
    coded = is_coded(facts.name) or names_a_key(facts.name)
    if clinical and facts.is_whole and (is_counted(facts.name) or (facts.small_range and topic.codes and not coded)):
        return topic if topic.id == "visits" else COUNT
    return topic
