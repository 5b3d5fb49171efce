"""Names of persons (kind A), known by frequent given names and family names, and by how they are written."""

from __future__ import annotations

import re
from collections.abc import Iterator

import polars as pl

from ontomask.direct_identifiers.cells import Cells
from ontomask.direct_identifiers.kinds import identifiers

#: So much of the different values, of so many at least, must be names. A given name alone may be a colour or a month.
SHARE, FEWEST = 0.5, 5
SHARE_ALONE, FEWEST_ALONE = 0.6, 8
#: Values that are looked at: what most of them are shows early.
LOOKED = 5000
_TITLED = r"(?:Mr|Mrs|Ms|Miss|Mx)\.? [A-Z][a-z]+"
_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")


def named(cells: Cells) -> Iterator[tuple[str, int]]:
    """What of the values are names of persons: what they look like, and in how many records."""
    if cells.is_number or cells.values.dtype.is_temporal():
        return
    titled = cells.holding(_TITLED)
    if titled.any():
        yield "names with a title", cells.records_where(titled)
        return
    if cells.distinct < FEWEST or cells.long_texts:
        return
    texts = cells.texts.head(LOOKED).to_list()
    which = [_is_name(text) for text in texts]
    alone = sum(" " not in text for text, name in zip(texts, which, strict=True) if name)
    share, fewest = (SHARE_ALONE, FEWEST_ALONE) if alone > sum(which) / 2 else (SHARE, FEWEST)
    if cells.distinct >= fewest and sum(which) >= share * len(which):
        mask = pl.Series([*which, *[False] * (cells.distinct - len(which))], dtype=pl.Boolean)
        yield "names of persons", cells.records_where(mask)


def _is_name(text: str) -> bool:
    """Is it a given name alone, or two to four words of which one is a given name and another may be a family name?"""
    known = identifiers().values
    words = [word.lower() for word in _WORD.findall(text)]
    rest = _WORD.sub("", text).strip(" .,")
    if rest or not 1 <= len(words) <= 4 or len(text) > 60:
        return False
    if len(words) == 1:
        return words[0] in known.given_names
    given = [word for word in words if word in known.given_names]
    family = [word for word in words if word in known.family_names]
    return bool(given) and (len(given) + len(family) >= 2 or "," in text)
