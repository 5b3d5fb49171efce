"""Unique codes (kind R): numbers and codes that stand for one person, stay or record, whatever they are called."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from ontomask.column_names.names import is_counted, names_a_key, numbered_unit, topic_of, words_of
from ontomask.direct_identifiers.calendar import FIRST_YEAR, LAST_YEAR
from ontomask.direct_identifiers.cells import Cells

#: With fewer records, that all values differ says nothing.
FEWEST = 20
#: A named key has so many different values for each record, or so many of them in all.
DIFFERENT, MANY = 0.5, 50
_HEX = "[0-9a-fA-F]"
_MACHINE = f"{_HEX}{{8}}(?:-{_HEX}{{4}}){{3}}-{_HEX}{{12}}|{_HEX}{{32}}|{_HEX}{{40}}|{_HEX}{{64}}|{_HEX}{{128}}"
_CODE = r"[A-Za-z]{0,6}[-_/. ]?[0-9]+(?:[-_/.]?[0-9A-Za-z]+)*"
#: Codes of classifications, of which a small table may have no two alike: ICD-9 and 10, HCPCS and CPT, ATC, LOINC, drugs.
_CLASSIFIED = (
    r"[0-9]{3}(?:\.[0-9]{1,2})?|[VE][0-9]{2,3}(?:\.[0-9]{1,2})?|[A-Z][0-9][0-9A-Z](?:\.?[0-9A-Z]{1,4})?|[A-Z][0-9]{4}|[0-9]{4}[A-Z0-9]|"
    r"[A-Z][0-9]{2}(?:[A-Z]{1,2}[0-9]{0,2})?|[0-9]{1,6}-[0-9]|[0-9]{4,5}-[0-9]{3,4}(?:-[0-9]{1,2})?|[0-9]{2}\.[0-9]{1,2}"
)
#: Names of such classifications, and of numbers that stand for their concepts.
_CLASSIFICATIONS = frozenset("snomed sctid icd loinc ndc cpt hcpcs atc rxnorm rxcui concept drg mesh omop".split())
_AMOUNT = r"[<>]?=?-?[0-9]*[.,]?[0-9]+(?:[eE][-+]?[0-9]+)?%?"
_NUMBER = rf"{_AMOUNT}(?:[/:]{_AMOUNT})*(?: ?[A-Za-z%/]{{1,8}})?"


def unique(cells: Cells, *, amounts: bool) -> Iterator[tuple[str, int]]:
    """What of the values stand for one record each, by their shape; ``amounts``: they are numbers to compute with."""
    machine = cells.holding(_MACHINE) if not cells.is_number else pl.Series([], dtype=pl.Boolean)
    if len(machine) and cells.share(machine) >= 0.5:
        yield "keys made by machines", cells.records_where(machine)
        return
    if cells.records < FEWEST or cells.distinct < 0.99 * cells.records:
        return
    if not _CLASSIFICATIONS.isdisjoint(words_of(cells.name)):
        return
    if cells.is_whole and _like_keys(cells, amounts=amounts):
        yield "whole numbers in sequence or of one length, each in one record", cells.records
    elif not cells.is_number and not cells.values.dtype.is_temporal():
        coded = cells.texts.str.contains(f"^(?:{_CODE})$").fill_null(False)
        classified = cells.texts.str.contains(f"^(?:{_CLASSIFIED}|{_NUMBER})$").fill_null(False)
        if cells.share(coded) >= 0.9 and cells.share(classified) < 0.9:
            yield "codes, each in one record", cells.records_where(coded)


def _like_keys(cells: Cells, *, amounts: bool) -> bool:
    low, high = int(cells.values.min()), int(cells.values.max())  # type: ignore[arg-type]
    if low >= FIRST_YEAR and high <= LAST_YEAR:
        return False
    dense = high - low + 1 <= 1.2 * cells.distinct
    if dense and (low in (0, 1) or high > 200):
        return True
    counted = amounts or is_counted(cells.name) or _is_quantity(cells.name)
    return not counted and low > 0 and len(str(low)) == len(str(high)) >= 7


def _is_quantity(name: str) -> bool:
    topic = topic_of(name)
    return topic is not None and (topic.kind == "numeric" or topic.role == "sensitive")


def named_key(cells: Cells) -> Iterator[tuple[str, int]]:
    """A column that is named like a key of persons, stays or records, and whose values tell records apart."""
    words = words_of(cells.name)
    if numbered_unit(words) is None and not names_a_key(cells.name):
        return
    if cells.is_number and not cells.is_whole:
        return
    if cells.distinct >= DIFFERENT * cells.records or (cells.distinct >= MANY and cells.records <= 10 * cells.distinct):
        yield "a key by its name, with as many values", cells.records
