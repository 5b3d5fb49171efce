"""From text to concepts: an index over codes, labels and synonyms.

Texts are compared *folded*: case, accents, punctuation and underscores do not count. The index is made once per
taxonomy, when first needed; stems and edit distances are only computed for what nothing else could place.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ontomask.errors import OptionError

if TYPE_CHECKING:
    from ontomask.taxonomy.taxonomy import Taxonomy

_NOT_WORD = re.compile(r"(?:[^\w+<>=%#$]|_)+")
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]{1,3})?")
_SYMBOLS = frozenset({"So", "Sc", "Sm"})
_SIGN = re.compile(r"[+<>=%#$]")
#: A minus that ends a word, as in "Rh-"; anywhere else a dash is only a dash.
_MINUS = re.compile(r"(?<=\w)[-\u2212](?=[\s,;)\]]|$)")
#: Languages whose stemmer only cuts endings, so that a stem begins with the letter its word begins with.
_SUFFIX_STRIPPING = frozenset(
    "english porter french german italian spanish portuguese catalan danish norwegian swedish".split()
)


def fold(text: str) -> str:
    """Lower case, no accents, one space for any run of punctuation, underscores or spaces.

    Signs that change what is meant stay: + < > = % # $, a final minus, and symbols such as a degree or a gender sign.

    >>> fold("  Ménière's_disease (vertigo) "), fold("Rh-"), fold("well-being"), fold("<=50K")
    ('meniere s disease vertigo', 'rh minus', 'well being', '< = 50k')
    """
    text = _MINUS.sub(" minus ", text)
    if not text.isascii():
        plain = (c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
        text = "".join(
            f" s{ord(c):x} " if not c.isascii() and unicodedata.category(c) in _SYMBOLS else c for c in plain
        )
    return _NOT_WORD.sub(" ", _SIGN.sub(lambda m: f" {m[0]} ", text.casefold())).strip()


@lru_cache(maxsize=8)
def stemmer(language: str) -> Callable[[str], str]:
    """A cached word -> stem function (Snowball)."""
    import snowballstemmer  # late: few taxonomies are matched by stems

    if language not in snowballstemmer.algorithms():
        raise OptionError(
            f"no stemmer for the language {language!r}",
            remedy=f"Choose one of: {', '.join(sorted(snowballstemmer.algorithms()))}; or None to match without stems.",
        )
    return lru_cache(maxsize=1 << 18)(snowballstemmer.stemmer(language).stemWord)


#: Nobody calls a concept by a text longer than this; comparing one with all terms would take forever.
_LONGEST = 1000


class Suggestion(NamedTuple):
    """A near miss: offered, never taken."""

    concept: str
    label: str
    score: float

    @property
    def text(self) -> str:
        return self.concept if self.label == self.concept else f"{self.concept} ({self.label})"


class Lexicon:
    """The index of one taxonomy. Every look-up answers with positions, best first."""

    def __init__(self, taxonomy: Taxonomy) -> None:
        self._t = taxonomy
        self._stemmed: dict[tuple[str, str], dict[tuple[int, str], list[str]]] = {}

    @cached_property
    def _loose(self) -> dict[str, int]:
        """Codes without case, and without their dots. Codes that differ in nothing else are left out: a guess."""
        loose: dict[str, int] = {}
        clash = set()
        for position, code in enumerate(self._t.concepts):
            for key in {_loosen(code), _loosen(code).replace(".", "")}:
                if loose.setdefault(key, position) != position:
                    clash.add(key)
        for key in clash:
            del loose[key]
        return loose

    def loose_code(self, text: str) -> int | None:
        """The concept whose code is this but for case, outer blanks and missing dots: '25000' for '250.00'.

        A dot that is written must be right: '8.45' is not 845.
        """
        return self._loose.get(_loosen(text))

    def with_lost_zeros(self, text: str, *, dotted: bool = False) -> list[int]:
        """Concepts whose code is this text with up to three leading zeros put back.

        ``dotted``: the column writes dots, so a text without one is a whole number and '38' cannot be '003.8'.
        """
        text = text.strip()
        if not text or not text.replace(".", "", 1).isdigit():
            return []
        dotted = dotted or "." in text
        found = []
        for zeros in ("0", "00", "000"):
            position = self.loose_code(zeros + text)
            if position is None or position in found:
                continue
            code = self._t.concepts[position]
            if not dotted or (code.partition(".")[0] == (zeros + text).partition(".")[0]):
                found.append(position)
        return found

    @cached_property
    def _numbers(self) -> dict[str, list[int]]:
        """Codes by the number they are: 250, 250.0 and 250.00 are one."""
        return _index((_as_number(code), i) for i, code in enumerate(self._t.concepts))

    def by_number(self, text: str) -> list[int]:
        """All concepts whose code, read as a number, is this number."""
        return self._numbers.get(_as_number(text), [])

    @cached_property
    def _named(self) -> list[int]:
        """The concepts that can be meant: all but an artificial root."""
        return [i for i in range(len(self._t)) if not (self._t.artificial_root and i == self._t.dag.root)]

    @cached_property
    def _exact(self) -> dict[str, list[int]]:
        """Labels and synonyms as they are written."""
        return _index((term.strip(), i) for i in self._named for term in self._t.terms(i))

    @cached_property
    def _labels(self) -> dict[str, list[int]]:
        return _index((fold(self._t.terms(i)[0]), i) for i in self._named)

    @cached_property
    def _synonyms(self) -> dict[str, list[int]]:
        return _index((fold(s), i) for i, synonyms in self._t._synonyms.items() for s in synonyms)

    @cached_property
    def _senses(self) -> dict[str, list[int]]:
        return _index((fold(word), i) for word, positions in self._t.senses.items() for i in positions)

    def by_term(self, text: str) -> tuple[str, list[int]]:
        """('label' or 'synonym', the concepts the term can mean, most frequent sense first)."""
        key = fold(text)
        if not key:  # nothing but punctuation: only the very same text will do
            found = self._exact.get(text.strip(), [])
            return ("label" if found and self._t.terms(found[0])[0].strip() == text.strip() else "synonym"), found
        labelled, named = self._labels.get(key, []), self._synonyms.get(key, [])
        if key in self._senses:
            found = _merge(self._senses[key], labelled, named)
            return ("label" if found[0] in labelled else "synonym"), found
        if labelled:
            return "label", _merge(labelled, named)
        return ("synonym", named) if named else ("", [])

    def by_stem(self, text: str, language: str) -> list[int]:
        """The concepts with a term whose stemmed words are those of the text."""
        words = fold(text).split()
        if not words:
            return []
        stem = stemmer(language)
        wanted = [stem(word) for word in words]
        found: list[int] = []
        initial = words[0][0] if language in _SUFFIX_STRIPPING else ""
        for key in self._keys_by_stem(language, initial).get((len(words), wanted[0]), ()):
            if [stem(word) for word in key.split()] == wanted:
                found = _merge(found, self.by_term(key)[1])
        return found

    def _keys_by_stem(self, language: str, initial: str) -> dict[tuple[int, str], list[str]]:
        """Folded terms by their number of words and the stem of the first; made for each initial when it is needed."""
        known = self._stemmed.get((language, initial))
        if known is None:
            stem = stemmer(language)
            known = self._stemmed[language, initial] = {}
            for key in dict.fromkeys((*self._labels, *self._synonyms)):
                if key.startswith(initial):
                    known.setdefault((key.count(" ") + 1, stem(key.partition(" ")[0])), []).append(key)
        return known

    @cached_property
    def _choices(self) -> tuple[list[str], list[int]]:
        """Every folded text a value can be near to, with its concept."""
        texts: dict[str, int] = {}
        for position in self._named:
            texts.setdefault(fold(self._t.concepts[position]), position)
        for index in (self._labels, self._synonyms):
            for key, positions in index.items():
                texts.setdefault(key, positions[0])
        return list(texts), list(texts.values())

    def suggest(self, text: str, limit: int = 3) -> list[Suggestion]:
        """The nearest concepts by edit distance, after codes that only lack leading zeros."""
        best = dict.fromkeys(self.with_lost_zeros(text)[:limit], 1.0)
        if len(text) <= _LONGEST:
            texts, positions = self._choices
            for i, score in _nearest(fold(text), texts, 4 * limit):
                if len(best) < limit:
                    best.setdefault(positions[i], score)
        return [Suggestion(self._t.concepts[p], self._t.terms(p)[0], score) for p, score in best.items()]

    def search(self, text: str, limit: int) -> list[int]:
        """Exact code or term first, then terms that begin with the text, then word beginnings, then anything."""
        key = fold(text)
        if not key:
            return []
        ranked: dict[int, tuple[int, int, int]] = {}
        code = self._t.find(text)
        if code is not None:
            ranked[code] = (-1, 0, code)
        for texts in (self._labels, self._synonyms, self._folded_codes):
            for term, positions in texts.items():
                if key not in term:
                    continue
                how = 0 if term == key else 1 if term.startswith(key) else 2 if f" {key}" in term else 3
                for position in positions:
                    rank = (how, len(term), position)
                    ranked[position] = min(ranked.get(position, rank), rank)
        return sorted(ranked, key=ranked.__getitem__)[:limit]

    @cached_property
    def _folded_codes(self) -> dict[str, list[int]]:
        return _index((fold(code), i) for i, code in enumerate(self._t.concepts))


def nearest_texts(text: str, choices: Sequence[str], limit: int = 3) -> list[str]:
    """The choices nearest to a text by edit distance, best first; only those with some likeness."""
    return [choices[i] for i, _ in _nearest(fold(text), [fold(c) for c in choices], limit)]


def _nearest(key: str, folded: Sequence[str], limit: int) -> list[tuple[int, float]]:
    from rapidfuzz import fuzz, process  # late: only near matches need it

    if not key:
        return []
    hits = process.extract(key, folded, scorer=fuzz.ratio, limit=limit, score_cutoff=50)
    return [(i, round(score / 100, 3)) for _, score, i in sorted(hits, key=lambda h: (-h[1], h[2]))]


def _index(pairs: Iterable[tuple[str, int]]) -> dict[str, list[int]]:
    index: dict[str, list[int]] = {}
    for key, position in pairs:
        if key:
            known = index.setdefault(key, [])
            if position not in known:
                known.append(position)
    return index


def _merge(*lists: Sequence[int]) -> list[int]:
    return list(dict.fromkeys(i for part in lists for i in part))


def _as_number(text: str) -> str:
    """A number as plain digits without zeros at its ends; nothing for what is none."""
    if not _NUMBER.fullmatch(text.strip()):
        return ""
    whole, _, decimals = f"{Decimal(text.strip()):f}".partition(".")
    return f"{whole.lstrip('0') or '0'}.{decimals.rstrip('0')}"


def _loosen(code: str) -> str:
    return code.strip().casefold()
