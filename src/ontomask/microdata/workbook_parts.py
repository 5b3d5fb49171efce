"""Parts of the archive that a workbook is, unpacked block by block to their real end, whatever the archive says of them."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from typing import BinaryIO

#: Bytes of a block.
BLOCK = 1 << 20


def blocks_of(stream: BinaryIO, entry: zipfile.ZipInfo) -> Iterator[bytes]:
    """The contents of an entry, block by block, to their real end."""
    stream.seek(entry.header_offset)
    head = stream.read(30)
    if len(head) < 30 or head[:4] != b"PK\x03\x04":
        raise zipfile.BadZipFile
    stream.seek(int.from_bytes(head[26:28], "little") + int.from_bytes(head[28:30], "little"), 1)
    left, place = entry.compress_size, stream.tell()
    inflate = zlib.decompressobj(-15) if entry.compress_type == zipfile.ZIP_DEFLATED else None
    if inflate is None and entry.compress_type != zipfile.ZIP_STORED:
        raise NotImplementedError
    while left > 0:
        stream.seek(place)  # whoever takes the blocks may read elsewhere in between
        data = stream.read(min(BLOCK, left))
        if not data:
            raise EOFError
        left, place = left - len(data), place + len(data)
        if inflate is None:
            yield data
            continue
        while data:
            yield inflate.decompress(data, BLOCK)
            data = inflate.unconsumed_tail
