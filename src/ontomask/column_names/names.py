"""What the name of a column tells: its words, and what they say of its role and its values.

Names are taken apart into words, so that ``paid`` holds no ``id``. German writes several words as one: of those that are
not known as a whole, the last part, and for stays and deaths the first, tells what they are.

A noun and a word for a number make the name of a key of persons, stays, visits or cases (``patient_nbr``, ``hadm_id``,
``Fallnummer``), in English, Spanish, Catalan, French and German, in any order and also written as one word. A third word
that says what is numbered of them (type, source, age) makes it something else.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import Annotated, Literal

from pydantic import BeforeValidator

from ontomask.files.packaged import Packaged, WordList, Words

Codes = Literal["diagnoses", "procedures"]
#: The steps of a scale, from first to last.
Steps = Annotated[list[str], BeforeValidator(lambda scale: scale.split(" < "))]


class Topic(Packaged):
    """What a column is about: its role, and the kind of its values where the name tells."""

    what: str
    #: What code decides on, where a topic is treated in its own way.
    id: (
        Literal["key", "postal_code", "date", "stay", "visits", "work", "institution", "age", "name", "address"] | None
    ) = None
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
    words: WordList


class KeyWords(Packaged):
    """Words of names that number persons or events."""

    persons: Words
    events: Words
    numbered: Words
    counting: Words
    codes: Words
    endings: WordList
    properties: Words


class Vocabulary(Packaged):
    """All words; the file explains each list."""

    scales: Words
    coded: Words
    counted: Words
    times: Words
    ends: WordList
    substances: WordList
    ordered: list[Steps]
    starts: dict[str, str]
    keys: KeyWords
    units: dict[str, Words]
    topics: list[TopicWords]


@cache
def vocabulary() -> Vocabulary:
    """The words of ``words.toml``."""
    return Vocabulary.load("column_names/data/words.toml")


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


PERSON = Topic(what="a number that stands for one person", role="identifier")
EVENT = Topic(what="a number that stands for one stay, visit or case", role="identifier")
TREATMENT = Topic(what="a medicine or treatment", role="sensitive", clinical=True)
#: Whole numbers of clinical things: how many, not which.
COUNT = Topic(
    what="how many diagnoses, procedures, tests or medicines somebody has",
    role="sensitive",
    kind="numeric",
    clinical=True,
)
LENGTH = Topic(what="a length of time", role="quasi", kind="numeric")
CODES = Topic(what="a code", role="quasi", kind="flat")


def words_of(name: str) -> list[str]:
    """The words of a column name, in small letters and without accents: ``PatientID`` -> patient, id."""
    # The German sharp s and its like have no accent to take off.
    folded = unicodedata.normalize("NFKD", name.replace("ß", "ss").replace("ẞ", "SS"))
    plain = "".join(mark for mark in folded if not unicodedata.combining(mark))
    plain = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])", " ", plain)
    return [word.lower() for word in re.findall(r"[^\W_]+", plain)]


def topic_of(name: str) -> Topic | None:
    """What a column of this name is about; None where no word is known. What is named tells more than that it is."""
    words = words_of(name)
    unit = numbered_unit(words)
    if unit is not None:
        return PERSON if unit == "person" else EVENT
    known = set(words) | {word[:-1] for word in words if len(word) > 3 and word.endswith("s")}
    known |= {"".join(words)} if len(words) > 1 else set()
    whole = words[0] if len(words) == 1 else ""
    found = next((topic for topic, phrase in _phrases() if _stands(phrase, known, whole)), None)
    if (found is None or found.weak) and any(_substance().match(word) for word in words):
        return TREATMENT
    return found if found is not None else next(filter(None, map(_of_compound, words)), None)


def _of_compound(word: str) -> Topic | None:
    """What a German word of several says: by its end (``Fallkosten``), or how a stay or a life began or ended by its start."""
    end = next((end for end in vocabulary().ends if word.endswith(end) and len(word) >= len(end) + 3), None)
    starts = vocabulary().starts.items()
    start = next((known for start, known in starts if word.startswith(start) and word != start), None)
    return topic_of(end or start or "") if end or start else None


def is_scale(name: str) -> bool:
    """Does the name say that the values have an order?"""
    return not vocabulary().scales.isdisjoint(words_of(name))


def is_coded(name: str) -> bool:
    """Does the name say that numbers stand for something?"""
    return not vocabulary().coded.isdisjoint(words_of(name))


def is_counted(name: str) -> bool:
    """Does the name say that numbers are counts or amounts?"""
    return not vocabulary().counted.isdisjoint(words_of(name))


def is_time(name: str) -> bool:
    """Does the name say a length of time?"""
    return not vocabulary().times.isdisjoint(words_of(name))


def _stands(phrase: tuple[str, ...], known: set[str], whole: str) -> bool:
    if phrase[0].startswith("="):
        return phrase[0][1:] == whole
    return known.issuperset(phrase)


@cache
def _phrases() -> list[tuple[Topic, tuple[str, ...]]]:
    """What is found first decides: topics with several words, then the others, then the weak ones."""
    phrases = [(entry.topic, tuple(word.split("+"))) for entry in vocabulary().topics for word in entry.words]
    return sorted(phrases, key=lambda entry: (entry[0].weak, -len(entry[1])))


@cache
def _substance() -> re.Pattern[str]:
    return re.compile(rf"^[a-z]{{2,}}(?:{'|'.join(vocabulary().substances)})$")


def names_a_key(name: str) -> bool:
    """Does the name say that something is numbered, whatever it is?"""
    words = set(words_of(name)) | {"".join(words_of(name))}
    return any(topic.id == "key" and words.issuperset(phrase) for topic, phrase in _phrases())
