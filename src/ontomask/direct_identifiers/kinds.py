"""The eighteen kinds of identifiers of 45 CFR 164.514(b)(2)(i), and which of them the name of a column suggests."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from ontomask.column_names.names import words_of
from ontomask.files.packaged import Packaged, WordList, Words

Letter = Literal["A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L", "M", "N", "O", "P", "Q", "R"]
#: What the values of a column must show where its name suggests a kind.
Needs = Literal["text", "place", "time", "key", "shape", "something", "1 digit", "3 digits", "4 digits", "7 digits"]
#: Phrases that are parted by bars, which may stand at line ends.
Phrases = Annotated[
    frozenset[str], BeforeValidator(lambda text: [part for phrase in text.split("|") if (part := phrase.strip())])
]


class IdentifierKind(Packaged):
    """One of the eighteen: its letter in the rule, what it is, and what to do where it is found.

    ``how``: how the remedy is written in a policy; COLUMN stands for the name of the column. ``remedies``: what to do in
    place of both, by what was found.
    """

    letter: Letter
    title: str
    needs: Needs
    remedy: str
    how: str = ""
    remedies: dict[str, str] = Field(default_factory=dict)
    words: WordList

    def __str__(self) -> str:
        return f"{self.title} ({self.letter})"


class KnownValues(Packaged):
    """What is known of values; the file explains each list."""

    answers: Words
    states: Phrases
    countries: Phrases
    given_names: Words
    family_names: Words


class Identifiers(Packaged):
    """All of the file."""

    kinds: list[IdentifierKind]
    values: KnownValues


@cache
def identifiers() -> Identifiers:
    """The kinds and lists of ``identifiers.toml``."""
    return Identifiers.load("direct_identifiers/data/identifiers.toml")


@cache
def kind_of(letter: Letter) -> IdentifierKind:
    return next(kind for kind in identifiers().kinds if kind.letter == letter)


def suggested(name: str) -> IdentifierKind | None:
    """The kind that the name of a column suggests; the longest phrase decides: ``ip_address`` is not an address."""
    words = words_of(name)
    whole = "".join(words)
    known = {*words, whole, *(word[:-1] for word in words if len(word) > 3 and word.endswith("s"))}
    for kind, phrase in _phrases():
        if (phrase[0] == f"={whole}") if phrase[0].startswith("=") else known.issuperset(phrase):
            return kind
    return None


@cache
def _phrases() -> list[tuple[IdentifierKind, tuple[str, ...]]]:
    phrases = [(kind, tuple(word.split("+"))) for kind in identifiers().kinds for word in kind.words]
    return sorted(phrases, key=lambda entry: -len(entry[1]))
