"""Spellings of one text, and texts that say that nothing is known.

Sensitive texts are compared *folded*: Unicode compatibility form (NFKC), no case, no invisible characters, one blank for
any run of white space, none at the ends. Accents and punctuation stay: they may change what is meant.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from decimal import Decimal

import polars as pl

from ontomask.arguments import counted

#: What stands for "nothing is known" in English, Spanish, German and French, without accents, outer brackets and blanks
#: after dots. "none", "no", "nil" and 0 are not here: no operation or no drug is something known.
_LISTED = """
    na|n/a|n.a.|n.a|n/av|n.k.|n.d.|n/d|nan|null|unknown|unk|unkn|unknwn|not known|not available|not recorded
    not stated|not reported|not given|not specified|not provided|not answered|not applicable|missing|missing value|no data
    no answer|no information|no value|no response|no entry|blank|empty|undefined|undetermined|unspecified|don't know
    dont know|do not know|-nan|1.#ind|-1.#ind|1.#qnan|-1.#qnan
    desconocido|desconocida|se desconoce|no consta|no conocido|no conocida|no disponible|no registrado|no registrada
    no especificado|no especificada|no informado|no informada|no sabe|no contesta|no sabe no contesta|ns/nc|sin dato
    sin datos|sin informacion|sin especificar|s/d|s.d.|no aplica|no procede|falta|faltante|vacio
    unbekannt|nicht bekannt|keine angabe|keine angaben|ohne angabe|k.a.|k.a|k/a|o.a.|nicht angegeben|nicht verfugbar
    nicht erhoben|nicht erfasst|nicht dokumentiert|nicht zutreffend|keine daten|fehlt|fehlend|fehlender wert|weiss nicht
    weiß nicht|leer
    inconnu|inconnue|non connu|non connue|non renseigne|non renseignee|non precise|non precisee|non specifie
    non specifiee|non disponible|non communique|non communiquee|non applicable|n.r.|n/r|n.c.|n/c|ne sait pas
    sans reponse|aucune donnee|donnee manquante|manquant|manquante|valeur manquante|vide
"""
MISSING_TEXTS = frozenset(text.strip() for text in re.split(r"[|\n]", _LISTED)) - {""}

_LONGEST = max(map(len, MISSING_TEXTS))

#: Texts of nothing but these say nothing.
_MARKS = re.compile(r"[?\-.\u2010-\u2015\u2212_/\\*#~:;,=\u2026\u00b7 ]*")
_OUTER = "()[]{}<>\"'`*#\u2018\u2019\u201c\u201d\u00ab\u00bb "
_BLANKS = re.compile(r"\s+")
#: Signs that are written in the place of a hyphen before a number.
_MINUSES = ("\u2010", "\u2011", "\u2012", "\u2013", "\u2212")
#: A comma before three digits may part thousands: that is not a number we can be sure of.
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*|,(?![0-9]{3}$)[0-9]*)?|[.,][0-9]+)(?:e[+-]?[0-9]{1,3})?")


def fold_text(text: str) -> str:
    """A text without what does not change its meaning: case, Unicode form, invisible characters, blanks.

    >>> fold_text(" HIV\\u00a0 positive\\u200b") == fold_text("hiv positive")
    True
    >>> fold_text("Rh+") == fold_text("Rh-")
    False
    """
    if text.isascii() and text.isprintable():
        return " ".join(text.split()).lower()
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
        # Format characters: zero-width blanks and joiners, byte order marks, soft hyphens, marks of direction.
        text = "".join(c for c in text if unicodedata.category(c) != "Cf" and c not in _FILLERS)
    text = _BLANKS.sub(" ", "".join(c if c.isprintable() or c.isspace() else "" for c in text)).strip().casefold()
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


#: Letters and marks that are drawn as nothing: Hangul fillers, the grapheme joiner, Khmer, Mongolian and variation selectors.
_FILLERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0\u2800") | {
    chr(c) for c in (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))
}


def says_nothing(text: str) -> bool:
    """Does a text only say that a value is missing?

    >>> [says_nothing(text) for text in ("", "N/A", "(Unknown)", "keine Angabe", "?", "none", "0")]
    [True, True, True, True, True, False, False]
    """
    return is_silent(fold_text(text))


def is_silent(folded: str) -> bool:
    """The same of a folded text."""
    if folded.isascii() and folded.isalnum():
        return folded in MISSING_TEXTS
    if _MARKS.fullmatch(folded):
        return True
    if len(folded) > 2 * _LONGEST:
        return False
    plain = "".join(c for c in unicodedata.normalize("NFKD", folded) if not unicodedata.combining(c))
    plain = plain.strip(_OUTER).replace("\u2019", "'").replace("_", " ")
    plain = _BLANKS.sub(" ", re.sub(r"([./])\s+", r"\1", re.sub(r"\s+([./])", r"\1", plain))).strip()
    return plain in MISSING_TEXTS or plain.rstrip(".") in MISSING_TEXTS or not plain


def as_number(folded: str) -> Decimal | None:
    """The number that a folded text is: 1, 1.0, 1,0, +1 and 01 are the same, and so are -1 with a hyphen and a minus."""
    folded = "-" + folded[1:] if folded[:1] in _MINUSES else folded
    if not folded or folded[0] not in "0123456789+-.," or not _NUMBER.fullmatch(folded):
        return None
    number = Decimal(folded.replace(",", ".")).normalize()
    return number or Decimal(0)


def is_text(dtype: pl.DataType) -> bool:
    return dtype in (pl.String, pl.Categorical) or isinstance(dtype, pl.Enum)


def spelled_alike(distinct: pl.Series) -> list[str]:
    """A note if different texts are perhaps the same: numbers, no values."""
    folded = Counter(map(fold_text, distinct.drop_nulls().cast(pl.String).to_list()))
    several = [number for number in folded.values() if number > 1]
    if not several:
        return []
    text = (
        f"{sum(several):,} spellings differ from another only in case, blanks or Unicode form (they would be "
        f"{counted(len(several), 'value')}); they count as different values, the safe choice for k. To make them "
        "one, write each in one way in the data"
    )
    return [text]
