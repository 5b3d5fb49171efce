"""What the name of a column tells: its words, and what they say of its role and its values.

Names are taken apart into words, so that ``paid`` holds no ``id``. German writes several words as one: of those that are
not known as a whole, the last part, and for stays and deaths the first, tells what they are.
"""

from __future__ import annotations

import re
import unicodedata

from ontomask.column_names.keys import numbered_unit
from ontomask.column_names.words import WORDS, Topic

#: Words of scales: values of such a column have an order.
_SCALES = frozenset(
    "stage grade level score rank severity class scale quartile quintile decile triage asa education degree pain "
    "estadio grado nivel clase escala grau nivell classe niveau echelle stufe grad klasse rang skala stadium "
    "satisfaction satisfaccion satisfaccio zufriedenheit pflegegrad pflegestufe schweregrad".split()
)
#: Words that say that numbers stand for something.
_CODED = frozenset(
    "code codes cod codi codigo cd type tipo tipus typ category categoria categorie kategorie group grupo grup "
    "groupe gruppe status flag indicator class clase classe klasse kind art".split()
)
#: Words that say that numbers are counts or amounts.
_COUNTED = frozenset(
    "number num count n total sum days hours minutes months years visits dias horas dies hores jours heures tage "
    "stunden numero nombre+de anzahl size mean rate percent pct nb cnt counts qty quantity cantidad quantitat "
    "quantite menge anz".split()
)
#: Words that say that numbers are a length of time.
_TIMES = frozenset(
    "time days hours minutes seconds weeks months years duration length los dias horas minutos semanas meses anos "
    "tiempo dies hores minuts setmanes mesos anys temps jours heures semaines annees duree tage stunden minuten "
    "wochen monate jahre dauer zeit".split()
)


def words_of(name: str) -> list[str]:
    """The words of a column name, in small letters and without accents: ``PatientID`` -> patient, id."""
    # The German sharp s and its like have no accent to take off.
    folded = unicodedata.normalize("NFKD", name.replace("ß", "ss").replace("ẞ", "SS"))
    plain = "".join(mark for mark in folded if not unicodedata.combining(mark))
    plain = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])", " ", plain)
    return [word.lower() for word in re.findall(r"[^\W_]+", plain)]


#: Names of substances end alike: metformin, glipizide, pioglitazone, amoxicillin, omeprazole.
_SUBSTANCE = re.compile(
    r"^[a-z]{2,}(?:formin|amide|glinide|izide|buride|piride|glitazone|glipton|gliptin|gliflozin|arbose|glitol|cillin|mycin|floxacin|"
    r"prazole|conazole|sartan|[aeiou]pril|olol|dipine|vastatin|tidine|azepam|zolam|triptyline|oxetine|ximab|zumab|tinib|parin|"
    r"warfarin|prednisone|prednisolone|thyroxine)$"
)
#: Last parts of German words, which say what they are, and first parts with the word that says as much.
_ENDS = (
    "diagnose",
    "diagnosen",
    "prozedur",
    "kosten",
    "betrag",
    "datum",
    "gewicht",
    "dauer",
    "bildung",
    "arzt",
    "station",
)
_STARTS = {
    "aufnahme": "aufnahme",
    "entlass": "entlassung",
    "einweisung": "einweisung",
    "todes": "tod",
    "raucher": "raucher",
    "alters": "alter",
    "religions": "religion",
}
PERSON = Topic("a number that stands for one person", "identifier")
EVENT = Topic("a number that stands for one stay, visit or case", "identifier")
TREATMENT = Topic("a medicine or treatment", "sensitive", clinical=True)
#: Whole numbers of clinical things: how many, not which.
COUNT = Topic("how many diagnoses, procedures, tests or medicines somebody has", "sensitive", "numeric", clinical=True)
LENGTH = Topic("a length of time", "quasi", "numeric")
CODES = Topic("a code", "quasi", "flat")


def topic_of(name: str) -> Topic | None:
    """What a column of this name is about; None where no word is known. What is named tells more than that it is."""
    words = words_of(name)
    unit = numbered_unit(words)
    if unit is not None:
        return PERSON if unit == "person" else EVENT
    known = set(words) | {word[:-1] for word in words if len(word) > 3 and word.endswith("s")}
    known |= {"".join(words)} if len(words) > 1 else set()
    whole = words[0] if len(words) == 1 else ""
    found = next(
        (topic for topic, phrases in _TOPICS if any(_stands(phrase, known, whole) for phrase in phrases)), None
    )
    if (found is None or found.weak) and any(_SUBSTANCE.match(word) for word in words):
        return TREATMENT
    return found if found is not None else next(filter(None, map(_of_compound, words)), None)


def _of_compound(word: str) -> Topic | None:
    """What a German word of several says: by its end (``Fallkosten``), or how a stay or a life began or ended by its start."""
    end = next((end for end in _ENDS if word.endswith(end) and len(word) >= len(end) + 3), None)
    start = next((known for start, known in _STARTS.items() if word.startswith(start) and word != start), None)
    return topic_of(end or start or "") if end or start else None


def is_scale(name: str) -> bool:
    """Does the name say that the values have an order?"""
    return not _SCALES.isdisjoint(words_of(name))


def is_coded(name: str) -> bool:
    """Does the name say that numbers stand for something?"""
    return not _CODED.isdisjoint(words_of(name))


def is_counted(name: str) -> bool:
    """Does the name say that numbers are counts or amounts?"""
    return not _COUNTED.isdisjoint(words_of(name))


def is_time(name: str) -> bool:
    """Does the name say a length of time?"""
    return not _TIMES.isdisjoint(words_of(name))


def _stands(phrase: tuple[str, ...], known: set[str], whole: str) -> bool:
    if phrase[0].startswith("="):
        return phrase[0][1:] == whole
    return known.issuperset(phrase)


#: What is found first decides: topics with several words, then the others, then the weak ones.
_TOPICS = sorted(
    ((topic, [tuple(word.split("+"))]) for topic, words in WORDS for word in words.split()),
    key=lambda entry: (entry[0].weak, -len(entry[1][0])),
)


def names_a_key(name: str) -> bool:
    """Does the name say that something is numbered, whatever it is?"""
    words = set(words_of(name)) | {"".join(words_of(name))}
    return any(words.issuperset(phrase) for topic, phrases in _TOPICS if topic.what == "a key" for phrase in phrases)
