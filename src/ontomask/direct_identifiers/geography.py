"""Places smaller than a state (kind B): addresses, coordinates, ZIP codes of more than three digits, and small ZIP areas."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from ontomask.column_names.names import words_of
from ontomask.direct_identifiers.cells import Cells
from ontomask.direct_identifiers.kinds import identifiers
from ontomask.taxonomy.areas import SMALL_ZIP3

#: A house number, one to four words, and a kind of street; "2 chest CT" and "2 hours of driving" are not addresses.
_ADDRESS = (
    r"[0-9]{1,6}[A-Za-z]? +(?:[NSEW]\.? +)?(?:(?:[A-Z][A-Za-z'-]+|[0-9]+(?:st|nd|rd|th))\.? +){1,4}"
    r"(?:Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Lane|Ln|Drive|Dr|Court|Ct|Way|Place|Pl|Terrace|Highway|Hwy|Parkway|Pkwy|Square|Sq|Circle|Cir|Trail)\b\.?|"
    r"[0-9]{1,6} +(?:[A-Z'-]+ +){1,4}(?:STREET|ST|AVENUE|AVE|ROAD|RD|BOULEVARD|BLVD|LANE|LN|DRIVE|DR|HIGHWAY|HWY|PARKWAY)\b|"
    r"[0-9]{1,6} +(?:[a-z'-]+ +){1,3}(?:street|avenue|boulevard)\b|(?i:p\.? ?o\.? ?box +[0-9]+)"
)
_CITY_LINE = r"[A-Za-z .'-]{2,40}, ?[A-Z]{2} +[0-9]{5}(?:-[0-9]{4})?"
_POINT = r"[(]?-?[0-9]{1,3}\.[0-9]{3,}[ ,;]+-?[0-9]{1,3}\.[0-9]{3,}[)]?"
#: ZIP codes with the four digits that tell blocks apart; codes of drugs are written alike, and are named so.
_ZIP9 = r"[0-9]{5}-[0-9]{4}"
_ZIP_WORDS = frozenset("zip zipcode zipcodes postal postcode plz postleitzahl".split())
_DRUG_WORDS = frozenset("ndc drug product medication rx labeler package".split())
#: Words of names that say something of a place, and not which one it is.
_PROPERTIES = frozenset(
    "size type class category population density distance count rank income score index status level change same different "
    "tenure flag indicator".split()
)
_COORDINATES = frozenset("latitude longitude lat lon lng coordinates geocode geohash".split())


def is_zip(name: str) -> bool:
    """Is a column named like ZIP codes?"""
    words = words_of(name)
    return not _ZIP_WORDS.isdisjoint(words) or any(word.startswith("zip") for word in words)


def placed(cells: Cells) -> Iterator[tuple[str, int]]:
    """What of the values are small places by their shape: what they look like, and in how many records."""
    if cells.is_number:
        return
    for what, pattern in (("street addresses", _ADDRESS), ("addresses", _CITY_LINE), ("points on the map", _POINT)):
        which = cells.holding(pattern)
        if which.any():
            yield what, cells.records_where(which)
    which = cells.texts.str.contains(f"^{_ZIP9}$").fill_null(False)
    if which.any() and cells.share(which) >= 0.5 and _DRUG_WORDS.isdisjoint(words_of(cells.name)):
        yield "ZIP codes of nine digits", cells.records_where(which)


def of_named_places(cells: Cells) -> Iterator[tuple[str, int]]:
    """In a column that is named like a small place: all but states, countries, and ZIP codes of three digits."""
    words = set(words_of(cells.name))
    if words & _PROPERTIES:
        return
    if is_zip(cells.name):
        yield from _zips(cells)
        return
    if words & _COORDINATES and not cells.is_number:
        return  # what is a point on the map shows it; lat may be lateral
    if words & _COORDINATES:
        yield "coordinates", cells.records
        return
    if "fips" in words and cells.texts.str.contains("^[0-9]{1,2}$").fill_null(False).all():
        return  # of a state
    small = ~_large(cells)
    if small.any():
        yield "places that may be smaller than a state", cells.records_where(small)


def _large(cells: Cells) -> pl.Series:
    """Which values are states, countries, or no places at all."""
    known = identifiers().values
    large = known.states | known.countries | known.answers
    return cells.texts.str.to_lowercase().is_in(list(large)).fill_null(False)


def _zips(cells: Cells) -> Iterator[tuple[str, int]]:
    """ZIP codes beyond three digits, and small areas that are not 000."""
    texts = cells.texts
    if cells.is_whole:  # leading zeros are lost: 36 is 036, and 2139 is 02139
        texts = texts.str.zfill(3)
    short = texts.str.contains(r"^(?:[0-9]{1,3}[*xX]*|[*xX]+)$").fill_null(False)
    long = ~short & ~_large(cells)
    if long.any() and (cells.is_whole or not cells.is_number):
        yield "postal codes of more than three digits", cells.records_where(long)
    small = texts.str.slice(0, 3).is_in(list(SMALL_ZIP3)) & short
    if small.any():
        yield "ZIP areas of 20,000 inhabitants or fewer, which must be 000", cells.records_where(small)
