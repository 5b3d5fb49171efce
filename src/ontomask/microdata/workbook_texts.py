"""Texts that cells of a workbook share: each stands in it once, and is copied for every cell that refers to it."""

from __future__ import annotations

import re
import zipfile
from array import array
from collections.abc import Iterator
from typing import BinaryIO

from ontomask.files.regular_files import SUSPICIOUS
from ontomask.microdata.workbook_parts import BLOCK, blocks_of

#: The part with the texts, and the end of each.
_PART = "xl/sharedstrings.xml"
_END = re.compile(rb"</(?:\w+:)?si\s*>|<(?:\w+:)?si\s*/>")
#: A cell with such a text, as far as it is certain, and the number of the text.
_CELL = re.compile(rb"\st\s*=\s*[\"']s[\"']")
_NUMBER = re.compile(rb"\st\s*=\s*[\"']s[\"'][^>]*>\s*<(?:\w+:)?v>\s*([0-9]{1,9})\s*<")


def shared_texts(stream: BinaryIO, archive: zipfile.ZipFile, cells: int) -> int:
    """The bytes of the shared texts in all cells; 0 where so many ``cells`` cannot make them many."""
    lengths = array("q")
    for entry in archive.infolist():
        if entry.filename.replace("\\", "/").lower() == _PART:
            lengths.extend(_lengths(stream, entry))
    longest = max(lengths, default=0)
    if longest * cells <= SUSPICIOUS:
        return 0
    return sum(
        _in_cells(stream, entry, lengths, longest)
        for entry in archive.infolist()
        if entry.filename.replace("\\", "/").lower() != _PART
    )


def _lengths(stream: BinaryIO, entry: zipfile.ZipInfo) -> Iterator[int]:
    """The length of each text, with its tags."""
    before, tail = 0, b""
    for block in blocks_of(stream, entry):
        text, place = tail + block, 0
        for end in _END.finditer(text):
            yield before + end.start() - place
            before, place = 0, end.end()
        keep = max(place, len(text) - 40)  # an end may be cut
        before, tail = before + keep - place, text[keep:]


def _in_cells(stream: BinaryIO, entry: zipfile.ZipInfo, lengths: array[int], longest: int) -> int:
    """The bytes of the texts that the cells of a part refer to; the longest where the number is not plain to see."""
    total, rest = 0, b""
    for block in blocks_of(stream, entry):
        text = rest + block
        cut = text.rfind(b"<c")
        text, rest = (text[:cut], text[cut:]) if cut > 0 and len(text) - cut < BLOCK else (text, b"")
        total += _in_text(text, lengths, longest)
    return total + _in_text(rest, lengths, longest)


def _in_text(text: bytes, lengths: array[int], longest: int) -> int:
    numbers = _NUMBER.findall(text)
    known = sum(lengths[int(number)] for number in numbers if int(number) < len(lengths))
    return known + (len(_CELL.findall(text)) - len(numbers)) * longest
