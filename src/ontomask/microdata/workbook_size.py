"""Size of a workbook, determined before a library allocates memory for it.

A sheet is held as a full rectangle from its first to its last cell. One cell in the last corner of a file of a kilobyte
asks for 512 GB, and the process ends without a word. A text that stands once in a workbook may be in a million cells. So the
parts of the archive are unpacked here first, block by block and without keeping them.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO
from xml.parsers import expat

from ontomask.errors import DataError
from ontomask.files.regular_files import NotRegular, TooLarge, free_memory, open_regular, require_reasonable
from ontomask.microdata.workbook_parts import BLOCK, blocks_of
from ontomask.microdata.workbook_texts import shared_texts

_LETTERS = bytes(range(65, 91))
#: Bytes that a cell takes while a sheet is read.
_CELL = 40
#: A rectangle with more cells than this, nearly all of them empty, is not a table.
_SPARSE, _EMPTY = 20_000_000, 100
_TAG = re.compile(rb"<(?:\w+:)?c[\s/>]")
_PLACED = re.compile(rb"<c r=\"([A-Z]{1,3}[0-9]{1,7})\"")


@dataclass
class _Extent:
    """The last row and column of cells, and how many there are."""

    row: int = 0
    column: int = 0
    cells: int = 0

    @property
    def area(self) -> int:
        return self.row * self.column

    @property
    def sparse(self) -> bool:
        return self.area > _SPARSE and self.area > self.cells * _EMPTY


def require_reasonable_workbook(path: Path) -> None:
    """An error if the workbook unpacks to too much, or a sheet of it is mostly empty or too large for the memory."""
    try:
        with open_regular(path) as stream, zipfile.ZipFile(stream) as archive:
            size, total, cells = path.stat().st_size, 0, 0
            for entry in archive.infolist():
                extent, unpacked = _measured(stream, entry, total, size)
                total += unpacked
                cells += extent.cells
                _require_extent(path, extent)
            require_reasonable(total + shared_texts(stream, archive, cells), size)
    except (NotRegular, TooLarge) as problem:
        raise DataError(str(problem.strerror), where=str(path), remedy="Is it the right file?") from None
    except (zipfile.BadZipFile, zlib.error, expat.ExpatError, EOFError, NotImplementedError):
        raise DataError(
            "the file is not an Excel workbook, or protected by a password",
            where=str(path),
            remedy="Save it again as .xlsx without a password, or as CSV.",
        ) from None


def _require_extent(path: Path, extent: _Extent) -> None:
    if extent.sparse:
        raise DataError(
            f"a sheet reaches to row {extent.row:,} and column {extent.column:,}, and holds {extent.cells:,} cells",
            where=str(path),
            remedy="Delete the stray cells far from the table, or save it as CSV.",
        )
    if extent.area * _CELL > free_memory():
        raise DataError(
            f"a sheet of {extent.row:,} rows and {extent.column:,} columns does not fit into the free memory",
            where=str(path),
            remedy="Save it as CSV or Parquet, or use a machine with more memory.",
        )


def _measured(stream: BinaryIO, entry: zipfile.ZipInfo, before: int, packed: int) -> tuple[_Extent, int]:
    """The extent of what may be a sheet, and the bytes it really unpacks to, whatever the archive says."""
    extent, count, unplaced = _Extent(), 0, 0
    rest = b""
    for block in blocks_of(stream, entry):
        count += len(block)
        require_reasonable(before + count, packed)
        text = rest + block
        cut = text.rfind(b"<")
        text, rest = (text[:cut], text[cut:]) if cut > 0 and len(text) - cut < BLOCK else (text, b"")
        unplaced += _note(extent, text)
    unplaced += _note(extent, rest)
    if unplaced or extent.sparse:  # some cells do not say where they stand, or may be empty
        extent = _counted(stream, entry)
    return extent, count


def _note(extent: _Extent, text: bytes) -> int:
    """Add the cells of a piece; how many cells in it do not say plainly where they stand."""
    placed = _PLACED.findall(text)
    for name in set(placed) if len(placed) < 100 else _corners(placed):
        letters = name.rstrip(b"0123456789")
        extent.row = max(extent.row, int(name[len(letters) :]))
        extent.column = max(extent.column, column_number(letters))
    extent.cells += len(placed)
    return len(_TAG.findall(text)) - len(placed)


def _corners(placed: list[bytes]) -> list[bytes]:
    """Of many places one for each column, and the last row."""
    columns = {name.rstrip(b"0123456789") for name in placed}
    last = max(int(name.lstrip(_LETTERS)) for name in placed)
    return [letters + str(last).encode() for letters in columns]


def column_number(letters: bytes) -> int:
    """A is 1, Z 26, AA 27."""
    place = 0
    for letter in letters:
        place = place * 26 + letter - 64
    return place


def _counted(stream: BinaryIO, entry: zipfile.ZipInfo) -> _Extent:
    """The extent by walking through the elements, as a reader does; declarations of a document are not read."""
    extent = _Extent()
    row = column = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal row, column
        kind = name.rpartition(":")[2]
        if kind == "row":
            given = attributes.get("r", "")
            row, column = int(given) if given.isdecimal() else row + 1, 0
        elif kind == "c":
            found = re.fullmatch(r"([A-Z]{1,3})([0-9]+)", attributes.get("r", ""))
            if found:
                row, column = int(found[2]), column_number(found[1].encode())
            else:
                column += 1
        elif kind in ("v", "is", "f"):
            extent.cells += 1
            extent.row, extent.column = max(extent.row, row), max(extent.column, column)

    def refuse(*_: Any) -> None:
        raise expat.ExpatError("a document type")

    parser = expat.ParserCreate()
    parser.StartElementHandler = start
    parser.StartDoctypeDeclHandler = refuse
    for block in blocks_of(stream, entry):
        parser.Parse(block)
    return extent
