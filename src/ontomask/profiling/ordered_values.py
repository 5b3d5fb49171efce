"""Texts that have an order: bands of numbers (``70-79``, ``[70-80)``, ``<18``, ``65 and over``) and well-known scales.

An order is found only where every value fits: one text that does not fit leaves the column without one.
"""

from __future__ import annotations

import itertools
import math
import re
import unicodedata
from collections.abc import Sequence

from ontomask.column_names.names import vocabulary

#: A list of bands or steps is no longer.
MOST_STEPS = 100

_NUMBER = r"-?(?:[0-9]{1,3}(?:[,.' ][0-9]{3})+|[0-9]+(?:[.,][0-9]+)?|[.,][0-9]+)"
_UNIT = (
    r"(?:years?|yrs?|y|yo|anos?|anys?|ans?|jahren?|j|months?|mos?|meses|mesos|mois|monaten?|weeks?|days?|dias?|dies|jours?|"
    r"tagen?|hours?|h|horas?|hores|heures?|stunden?|min|kg|g|mg|cm|mm|m|km|l|ml|mmhg|mg/dl|k|%|eur|euros?|usd|gbp|\$|"
    r"€|£|persons?|people|employees|old|of age)"
)
_BETWEEN = re.compile(
    rf"^(?:from |de |von |entre |between |age |aged |edad |alter )?[\[(\]]?\s*(?P<unit>[$€£])?\s*(?P<low>{_NUMBER})"
    rf"(?:\s*{_UNIT})?\s*(?:-|–|—|~|to|a|à|bis|al|and|y|et|und|i|\.\.|:|;|,\s)\s*[$€£]?\s*(?P<high>{_NUMBER})"
    rf"(?:\s*{_UNIT})*\s*[\])\[]?$"
)
_COMMA_INTERVAL = re.compile(rf"^[\[(\]]\s*(?P<low>{_NUMBER})\s*,\s*(?P<high>{_NUMBER})\s*[\])\[]$")
_BELOW = re.compile(
    r"^(?:<=?|≤|under|below|less than|lower than|fewer than|up to|younger than|until|menos de|menores de|menor de|hasta|"
    r"menys de|fins a|moins de|jusqu'a|inferieur a|unter|bis|weniger als|junger als)\s*[$€£]?\s*"
    rf"(?P<high>{_NUMBER})(?:\s*{_UNIT})*$"
    rf"|^(?P<low_tail>{_NUMBER})(?:\s*{_UNIT})*\s*(?:and|or|o|y|ou|et|und|oder|i)\s+"
    r"(?:under|below|less|younger|fewer|menos|menor|menys|moins|weniger|junger)(?:\s*"
    rf"{_UNIT})*$"
)
_ABOVE = re.compile(
    r"^(?:>=?|≥|over|above|more than|greater than|older than|at least|from|mas de|mayores de|mayor de|desde|mes de|mes que|"
    r"plus de|superieur a|uber|ab|mehr als|alter als|mindestens)\s*[$€£]?\s*"
    rf"(?P<low>{_NUMBER})(?:\s*{_UNIT})*\+?$"
    rf"|^[$€£]?\s*(?P<plus>{_NUMBER})(?:\s*{_UNIT})*\s*(?:\+|and|or|o|y|ou|et|und|oder|i)\s*"
    rf"(?:over|above|up|older|more|greater|mas|mayor|mayores|mes|plus|alter|mehr|daruber)?(?:\s*{_UNIT})*$"
)
_PLAIN = re.compile(rf"^[$€£]?\s*(?P<value>{_NUMBER})(?:\s*{_UNIT})*$")

#: The step before all that are above something: Norm, >200, >300.
_NORMAL = ("norm", "normal")


def band_order(values: Sequence[str]) -> list[str] | None:
    """The values from the lowest band to the highest; None unless all are bands (or numbers among them) that do not cross."""
    if not 2 <= len(values) <= MOST_STEPS:
        return None
    normal = [value for value in values if _folded(value) in _NORMAL]
    bands = {value: band for value in values if value not in normal and (band := _band(value)) is not None}
    if len(bands) + len(normal) != len(values) or len(normal) > 1:
        return None
    if sum(low != high for low, high in bands.values()) < 2 or (normal and not _all_above(list(bands.values()))):
        return None
    ordered = sorted(bands, key=bands.__getitem__)
    places = [bands[value] for value in ordered]
    if len(set(places)) < len(places) or not _apart(places):
        return None
    return [*normal, *ordered]


def scale_order(values: Sequence[str]) -> list[str] | None:
    """The values from first to last, if all are steps of one well-known scale."""
    folded = {_folded(value): value for value in values}
    if len(folded) < max(2, len(values)):
        return None
    for scale in vocabulary().ordered:
        if folded.keys() <= set(scale) and folded.keys() - {"none", "neutral", "normal"}:
            return [folded[step] for step in scale if step in folded]
    return None


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text.strip().casefold().replace("ß", "ss"))
    return " ".join("".join(mark for mark in plain if not unicodedata.combining(mark)).replace("_", " ").split())


def _band(text: str) -> tuple[float, float] | None:
    """Where a band begins and ends; a plain number is a band of its own."""
    folded = _folded(text)
    found = _COMMA_INTERVAL.match(folded) or _BETWEEN.match(folded)
    if found:
        low, high = _number(found["low"]), _number(found["high"])
        return (low, high) if low < high else None
    found = _BELOW.match(folded)
    if found:
        return -math.inf, _number(found["high"] or found["low_tail"])
    if _PLAIN.match(folded):
        value = _number(_PLAIN.match(folded)["value"])  # type: ignore[index]
        return value, value
    found = _ABOVE.match(folded)
    return (_number(found["low"] or found["plus"]), math.inf) if found else None


def _number(text: str) -> float:
    """A number with thousands or decimals: 1,000 and 1.000 are a thousand, 18,5 and 18.5 eighteen and a half."""
    if re.fullmatch(r"-?[0-9]{1,3}(?:[,.' ][0-9]{3})+", text):
        return float(re.sub(r"[,.' ]", "", text))
    return float(text.replace(",", "."))


def _all_above(bands: Sequence[tuple[float, float]]) -> bool:
    return all(high == math.inf for _, high in bands)


def _apart(places: Sequence[tuple[float, float]]) -> bool:
    """Each begins where the one before ends, or later; what is open to one side may lie in another that is."""
    if _all_above(places):
        return True
    closed = [place for place in places if math.inf not in (place[1], -place[0])]
    crossing = any(second[0] < first[1] for first, second in itertools.pairwise(closed))
    below = [high for low, high in places if low == -math.inf]
    above = [low for low, high in places if high == math.inf]
    ends = [high for _, high in closed] + below
    begins = [low for low, _ in closed] + above
    fits = not below or (len(below) == 1 and all(low >= below[0] for low in begins))
    fits_above = not above or (len(above) == 1 and all(high <= above[0] for high in ends))
    return not crossing and fits and fits_above
