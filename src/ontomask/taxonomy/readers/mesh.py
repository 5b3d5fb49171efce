"""MeSH tree files (mtreesYYYY.bin): ``Heading;TreeNumber``, a line for each position of a heading.

A heading is a concept; its parents are the headings one position up, so a heading with several positions has several
parents. The letters above the first numbers are not in the file: they are the categories below. Tree numbers work as
alternative codes.
"""

from __future__ import annotations

import re

from ontomask.errors import UnknownParentError
from ontomask.files.source import Source
from ontomask.taxonomy.taxonomy import Taxonomy

#: The categories of MeSH, by the letter their tree numbers begin with (National Library of Medicine).
CATEGORIES = {
    "A": "Anatomy",
    "B": "Organisms",
    "C": "Diseases",
    "D": "Chemicals and Drugs",
    "E": "Analytical, Diagnostic and Therapeutic Techniques, and Equipment",
    "F": "Psychiatry and Psychology",
    "G": "Phenomena and Processes",
    "H": "Disciplines and Occupations",
    "I": "Anthropology, Education, Sociology, and Social Phenomena",
    "J": "Technology, Industry, and Agriculture",
    "K": "Humanities",
    "L": "Information Science",
    "M": "Named Groups",
    "N": "Health Care",
    "V": "Publication Characteristics",
    "Z": "Geographicals",
}
ROOT = "MeSH"
_NUMBER = re.compile(r"[A-Z]\d+(\.\d+)*")


def read(source: Source, name: str | None = None) -> Taxonomy:
    first = source.head().split(b"\n", 1)[0]
    if b";" not in first:
        raise source.error("the first line is not Heading;TreeNumber", line=1, remedy="Is it a MeSH tree file?")
    position: dict[str, int] = {}
    at_number: dict[str, int] = {}
    lines: dict[str, int] = {}
    for line, row in enumerate(source.text().split("\n"), 1):
        if not row.strip():
            continue
        heading, _, number = row.rpartition(";")
        if not heading or not _NUMBER.fullmatch(number.strip()):
            raise source.error("not Heading;TreeNumber", line=line, remedy="Is it a MeSH tree file?")
        number = number.strip()
        if number in at_number:
            raise source.error(
                f"the tree number {number} occurs in line {lines[number]} already", line=line, remedy="Remove one."
            )
        at_number[number] = position.setdefault(heading.strip(), len(position))
        lines[number] = line
    headings = list(position)
    category = {letter: len(headings) + i for i, letter in enumerate(sorted({n[0] for n in at_number}))}
    root = len(headings) + len(category)
    links = []
    for number, at in at_number.items():
        above, dot, _ = number.rpartition(".")
        if dot and above not in at_number:
            raise UnknownParentError(headings[at], above, where=source.at(lines[number]))
        links.append((at, at_number[above] if dot else category[number[0]]))
    links += [(at, root) for at in category.values()]
    # A category's code is its letter in brackets, as MeSH prints it; it cannot clash with a heading.
    codes = [*headings, *(f"[{letter}]" for letter in category), ROOT]
    return Taxonomy(
        codes,
        links,
        labels=[*headings, *(f"{CATEGORIES.get(letter, letter)} [{letter}]" for letter in category), "all headings"],
        aliases=at_number,
        name=name or "MeSH",
        source=f"Medical Subject Headings, US National Library of Medicine ({source.path.name})",
        notes=[*source.notes, f"the {len(category)} categories and the root are added; the file lists headings only"],
        where=source.where,
    )
