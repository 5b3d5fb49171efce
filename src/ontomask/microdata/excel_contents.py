"""Contents of a workbook beside the sheet that is read, and cells that differ although they are read as one value.

What is released is the file, not the table: a workbook may have another sheet, hidden or not, a pivot table the data it
was made from, and a cell with 5 beside one with the text 5 are two cells that a reader takes for one.
"""

from __future__ import annotations

import re
import zipfile
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path, PurePosixPath
from typing import Any
from xml.parsers import expat

from ontomask.arguments import short
from ontomask.files.regular_files import open_regular
from ontomask.microdata.excel_files import chosen_sheet
from ontomask.microdata.file_contents import ExtraContents

#: Parts of a workbook that hold the sheets, how they look, and nothing else.
_PLAIN = re.compile(
    r"\[Content_Types\]\.xml|(?:.*/)?_rels/[^/]*\.rels|docProps/(?:app|core)\.xml|xl/(?:workbook|styles|sharedStrings|"
    r"calcChain|metadata)\.xml|xl/(?:worksheets|theme|printerSettings|tables)/[^/]+\.(?:xml|bin)"
)
_KINDS = {"s": "text", "str": "text", "inlineStr": "text", "b": "truth values", "e": "errors", "d": "dates"}
_BLOCK = 1 << 20


def beside_excel(path: Path, columns: Sequence[str], *, sheet: str | int | None, **_: Any) -> ExtraContents:
    """Other sheets, parts that are not sheets, and columns whose cells have several types."""
    try:
        return _in_workbook(path, columns, sheet)
    except (KeyError, ValueError, RuntimeError, zipfile.BadZipFile, expat.ExpatError):
        return ExtraContents(parts=["a workbook with an unusual structure"])


def _in_workbook(path: Path, columns: Sequence[str], sheet: str | int | None) -> ExtraContents:
    found = ExtraContents()
    with open_regular(path) as stream, zipfile.ZipFile(stream) as archive:
        names = archive.namelist()
        found.parts += [
            short(repr(name), 60) for name in names if not _PLAIN.fullmatch(name) and not name.endswith("/")
        ]
        if archive.comment or min(entry.header_offset for entry in archive.infolist()):
            found.parts.append("bytes before or after the archive")
        sheets, named = _sheets(archive)
        found.parts += ["named values"] if named else []
        chosen = chosen_sheet(path, list(sheets), sheet)
        for name, part in sheets.items():
            first, kinds = _cells(archive, part) if part in names else (0, {})
            if name != chosen and kinds:
                found.tables.append(f"the sheet {short(repr(name), 40)}")
            elif name == chosen:
                mixed = {place - first: kind for place, kind in kinds.items() if len(kind) > 1 or kind == {"errors"}}
                found.blurred |= {
                    columns[place]: f"its cells are {' and '.join(sorted(kind))}"
                    for place, kind in mixed.items()
                    if place < len(columns)
                }
    return found


def _sheets(archive: zipfile.ZipFile) -> tuple[dict[str, str], bool]:
    """The part of each sheet by its name, in their order; and whether the workbook names values of its own."""
    order: list[tuple[str, str]] = []
    targets: dict[str, str] = {}
    named = False

    def of_workbook(kind: str, given: dict[str, str]) -> None:
        nonlocal named
        if kind == "sheet":
            link = next((value for key, value in given.items() if key.rpartition(":")[2] == "id"), "")
            order.append((given.get("name", ""), link))
        named = named or (kind == "definedName" and not given.get("name", "").startswith("_xlnm."))

    def of_links(kind: str, given: dict[str, str]) -> None:
        if kind == "Relationship":
            target = given.get("Target", "")
            targets[given.get("Id", "")] = target[1:] if target.startswith("/") else str(PurePosixPath("xl") / target)

    _walk(archive, "xl/workbook.xml", of_workbook)
    _walk(archive, "xl/_rels/workbook.xml.rels", of_links)
    return {name: targets.get(link, "") for name, link in order}, named


def _cells(archive: zipfile.ZipFile, part: str) -> tuple[int, dict[int, set[str]]]:
    """The first column of a sheet, and which kinds of cells each column has below the first row that has any."""
    kinds: dict[int, set[str]] = defaultdict(set)
    row = column = top = 0
    kind = ""

    def start(name: str, given: dict[str, str]) -> None:
        nonlocal row, column, kind, top
        if name == "row":
            row, column = int(given.get("r", row + 1)), 0
        elif name == "c":
            placed = re.fullmatch(r"([A-Z]{1,3})([0-9]+)", given.get("r", ""))
            column = _number(placed[1]) if placed else column + 1
            kind = _KINDS.get(given.get("t", ""), "numbers")
        elif name in ("v", "is"):
            top = top or row
            kinds[column] |= {kind} if row > top else set()

    _walk(archive, part, start)
    return min(kinds, default=0), dict(kinds)


def _number(letters: str) -> int:
    place = 0
    for letter in letters:
        place = place * 26 + ord(letter) - 64
    return place


def _walk(archive: zipfile.ZipFile, part: str, start: Callable[[str, dict[str, str]], None]) -> None:
    """Go through the elements of a part; the reader of the table has seen that the archive is sound."""
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda name, given: start(name.rpartition(":")[2], given)
    with archive.open(part) as stream:
        for block in iter(lambda: stream.read(_BLOCK), b""):
            parser.Parse(block)
