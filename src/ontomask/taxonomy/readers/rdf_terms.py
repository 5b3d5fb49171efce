"""Texts of RDF subjects in several languages, and codes for IRIs; shared by the OWL and the SKOS reader."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from operator import itemgetter
from typing import NamedTuple

_FOREIGN = 3
_PURL = re.compile(r"https?://purl\.obolibrary\.org/obo/([A-Za-z]\w*)_([A-Za-z]*[0-9][A-Za-z0-9]*)")


class Text(NamedTuple):
    """``rank`` tells how near its language is to the wanted one: 0 the same, 1 a regional form, 2 untagged, 3 other."""

    rank: int
    value: str
    language: str | None

    @property
    def foreign(self) -> bool:
        return self.rank == _FOREIGN


class _Ranks(dict[str | None, int]):
    """Language tags with their rank, worked out when first met."""

    def __init__(self, wanted: str) -> None:
        super().__init__({None: 2})
        self._wanted = wanted.lower()

    def __missing__(self, tag: str | None) -> int:
        low = str(tag).lower()
        self[tag] = rank = 0 if low == self._wanted else 1 if low.startswith(self._wanted + "-") else _FOREIGN
        return rank


class Texts:
    """Texts by subject. The wanted language comes first, then its regional forms, then untagged, then any other.

    Held in flat lists, each text pointing back to the one before it of the same subject: a million small containers
    would keep the garbage collector busier than the parser.
    """

    def __init__(self, language: str) -> None:
        self._ranks = _Ranks(language)
        self._values: list[str] = []
        self._languages: list[str | None] = []
        self._before: list[int] = []
        self._last: dict[str, int] = {}

    def add(self, subject: str, value: str, language: str | None) -> None:
        """A handler for :func:`rdf.scan`."""
        self._before.append(self._last.get(subject, -1))
        self._last[subject] = len(self._values)
        self._values.append(_tidy(value))
        self._languages.append(language)

    def of(self, subject: str) -> list[Text]:
        """All texts of a subject, first one first."""
        found = []
        at = self._last.get(subject, -1)
        while at >= 0:
            language = self._languages[at]
            found.append(Text(self._ranks[language], self._values[at], language))
            at = self._before[at]
        found.reverse()
        return found

    def best(self, subject: str) -> Text | None:
        """The first text in the best language there is."""
        return _best(self.of(subject))


def names_of(subject: str, labels: Sequence[Texts], more: Sequence[Texts]) -> tuple[Text | None, list[str]]:
    """The label (from the first of ``labels`` that has one, if possible in the wanted language) and the synonyms:
    the other texts in the wanted language or untagged; where there are none, those in the language of the label."""
    found = [texts.of(subject) for texts in labels]
    best: Text | None = None
    for texts in found:
        text = _best(texts)
        if text is not None and (best is None or best.rank == _FOREIGN > text.rank):
            best = text
    language = best.language if best is not None else None
    synonyms: dict[str, None] = {}
    for texts in (*found, *(texts.of(subject) for texts in more)):
        if texts:
            kept = [v for rank, v, _ in texts if rank < _FOREIGN] or [v for _, v, tag in texts if tag == language]
            synonyms.update(dict.fromkeys(kept))
    synonyms.pop("", None)
    if best is not None:
        synonyms.pop(best.value, None)
    return best, list(synonyms)


def _best(texts: list[Text]) -> Text | None:
    if len(texts) <= 1:
        return texts[0] if texts else None
    return min(texts, key=itemgetter(0))


def _tidy(text: str) -> str:
    """On one line: XML breaks texts where it likes. Most texts are tidy; to see that is cheaper than to redo them."""
    if text.isprintable() and "  " not in text and text[:1] != " " != text[-1:]:
        return text
    return " ".join(text.split())


def local_name(iri: str) -> str:
    """What stands after the last # or, without one, the last /; the whole IRI where that is nothing."""
    return iri[max(iri.rfind("#"), -1 if "#" in iri else iri.rfind("/")) + 1 :] or iri


def codes_of(iris: Sequence[str]) -> list[str]:
    """``HP:0000001`` for an OBO PURL; else the local name if no other of ``iris`` has it; else the whole IRI."""
    short = []
    for iri in iris:
        purl = _PURL.fullmatch(iri)
        short.append(f"{purl[1]}:{purl[2]}" if purl else local_name(iri))
    times = Counter(short)
    return [code if times[code] == 1 else iri for code, iri in zip(short, iris, strict=True)]
