"""Texts of RDF subjects in several languages, and codes for IRIs; shared by the OWL and the SKOS reader."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

_FOREIGN = 3
_PURL = re.compile(r"https?://purl\.obolibrary\.org/obo/([A-Za-z]\w*)_([A-Za-z]*[0-9][A-Za-z0-9]*)")


class Text(NamedTuple):
    """``rank`` tells how near its language is to the wanted one: 0 the same, 1 a regional form, 2 untagged, 3 other."""

    rank: int
    value: str
    language: str | None


class _Ranks(dict[str | None, int]):
    """Language tags with their rank, computed when first met."""

    def __init__(self, wanted: str) -> None:
        super().__init__({None: 2})
        self._wanted = wanted.lower()

    def __missing__(self, tag: str | None) -> int:
        low = str(tag).lower()
        self[tag] = rank = 0 if low == self._wanted else 1 if low.startswith(self._wanted + "-") else _FOREIGN
        return rank


class Texts:
    """Texts of subjects. The wanted language comes first, then its regional forms, then untagged, then any other.

    Held in flat lists and worked on as a whole: for a hundred thousand subjects anything done one by one is slow.
    """

    def __init__(self, language: str) -> None:
        self._ranks = _Ranks(language)
        self._subjects: list[str] = []
        self._values: list[str] = []
        self._languages: list[str | None] = []

    def add(self, subject: str, value: str, language: str | None) -> None:
        """A handler for :func:`rdf.scan`."""
        self._subjects.append(subject)
        self._values.append(_tidy(value))
        self._languages.append(language)

    def rows(self, at: Mapping[str, int]) -> Iterator[tuple[int, str, str | None, int]]:
        """(position, text, language, rank) of the texts of those subjects that have a position, in file order."""
        ranks = self._ranks
        for subject, value, language in zip(self._subjects, self._values, self._languages, strict=True):
            if subject in at and value:
                yield at[subject], value, language, ranks[language]

    def best(self, at: Mapping[str, int]) -> dict[int, Text]:
        """For each position the first text in the best language there is."""
        found: dict[int, Text] = {}
        for i, value, language, rank in self.rows(at):
            if i not in found or rank < found[i].rank:
                found[i] = Text(rank, value, language)
        return found


def first_of(at: Mapping[str, int], several: Sequence[Texts]) -> dict[int, Text]:
    """For each position the best text of the first of ``several`` that has one, if possible in the wanted language."""
    found: dict[int, Text] = {}
    for texts in several:
        for i, text in texts.best(at).items():
            if i not in found or found[i].rank == _FOREIGN > text.rank:
                found[i] = text
    return found


class Names(NamedTuple):
    labels: list[str]
    synonyms: dict[int, list[str]]
    foreign: int  #: how many labels are in a language that was not asked for


def names_of(at: Mapping[str, int], labels: Sequence[Texts], more: Sequence[Texts]) -> Names:
    """Labels, and as synonyms all other texts that are in the wanted language or untagged; for a subject that has
    none of these, those in the language of its label."""
    best = first_of(at, labels)
    synonyms: dict[int, list[str]] = {}
    instead: dict[int, list[str]] = {}
    for texts in (*labels, *more):
        for i, value, language, rank in texts.rows(at):
            label = best.get(i)
            if label is not None and label.value == value:
                continue
            if rank < _FOREIGN:
                synonyms.setdefault(i, []).append(value)
            elif label is not None and label.language == language:
                instead.setdefault(i, []).append(value)
    return Names(
        [best[i].value if i in best else "" for i in at.values()],
        {i: list(dict.fromkeys(found)) for i, found in (instead | synonyms).items()},
        sum(text.rank == _FOREIGN for text in best.values()),
    )


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
