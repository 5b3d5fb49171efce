"""The words of column names, from ``data/words.toml``: each list with what it says of a column."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Literal

from pydantic import BeforeValidator

from ontomask.files.packaged import Listed, Packaged, Words

Codes = Literal["diagnoses", "procedures"]
#: The steps of a scale, from first to last.
Steps = Annotated[list[str], BeforeValidator(lambda scale: scale.split(" < "))]


class Topic(Packaged):
    """What a column is about: its role, and the kind of its values where the name tells."""

    what: str
    role: Literal["identifier", "quasi", "sensitive"]
    kind: Literal["numeric", "flat", "ordinal", "text"] | None = None
    codes: Codes | None = None
    #: One that only says that something is named or numbered; what it is tells more.
    weak: bool = False
    #: A short list of values of its own, of which a dictionary knows nothing worth knowing.
    listed: bool = False
    #: A fact of somebody's treatment: others seldom know it, so the role is proposed with a question.
    clinical: bool = False


class TopicWords(Packaged):
    """A topic and its words: ``a+b`` are words that occur together, ``=a`` is the whole name."""

    topic: Topic
    words: Listed


class KeyWords(Packaged):
    """Words of names that number persons or events."""

    persons: Words
    events: Words
    numbered: Words
    counting: Words
    codes: Words
    endings: Listed
    properties: Words


class Vocabulary(Packaged):
    """All words; the file explains each list."""

    scales: Words
    coded: Words
    counted: Words
    times: Words
    ends: Listed
    substances: Listed
    ordered: list[Steps]
    starts: dict[str, str]
    keys: KeyWords
    units: dict[str, Words]
    topics: list[TopicWords]


@cache
def vocabulary() -> Vocabulary:
    """The words of ``words.toml``."""
    return Vocabulary.load("column_names/data/words.toml")
