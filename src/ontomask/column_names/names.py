"""What the name of a column tells: its words, and what they say of its role and its values.

Names are taken apart into words, so that ``paid`` holds no ``id``. German writes several words as one: of those that are
not known as a whole, the last part, and for stays and deaths the first, tells what they are.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from ontomask.column_names.keys import numbered_unit
from ontomask.column_names.words import Topic, vocabulary

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
    return any(topic.what == "a key" and words.issuperset(phrase) for topic, phrase in _phrases())
