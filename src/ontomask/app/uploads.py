"""Uploads: streamed to disk with a limit, looked at before they are kept, and gone if something is wrong with them."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ontomask.app.storage import own_process
from ontomask.errors import DataError, OptionError, OutputError, PolicyError
from ontomask.files.writing import create_file
from ontomask.microdata.formats import Format, format_of, suffixes
from ontomask.taxonomy.readers import SUFFIXES

#: What a file of each format begins with; text has none of these.
_BEGINNINGS: dict[str, tuple[bytes, ...]] = {
    "parquet": (b"PAR1",),
    "excel": (b"PK\x03\x04",),
    "sav": (b"$FL2", b"$FL3"),
    "zsav": (b"$FL2", b"$FL3"),
    "dta": (b"<stata_dta>", *(bytes([version]) for version in range(102, 120))),
    "sas7bdat": (bytes(12) + b"\xc2\xea\x81\x60",),
    "xpt": (b"HEADER RECORD*******LIB",),
}
_PACKED = b"\x1f\x8b"
#: Byte order marks of encodings that write null bytes.
_WIDE = (b"\xff\xfe", b"\xfe\xff")
#: Bytes that are looked at.
_HEAD = 1 << 16
#: Bytes of a policy, and the colons and commas in it: of about as many settings.
MOST_TEXT, MOST_MARKS = 2 << 20, 30_000
#: What is not text can unpack to very much: it is looked at for so many seconds at most.
LONGEST_LOOK = 900
#: Threads that a look may have.
THREADS = 4


class TooLargeUpload(OptionError):
    """An upload has more bytes than the app takes."""


def too_large(most: int, name: str) -> TooLargeUpload:
    """The error of a file with more bytes than it may have."""
    return TooLargeUpload(
        f"the file has more than {shown_size(most)}",
        where=name,
        remedy="Take fewer columns or records, or start the app with a larger --max-upload.",
    )


def data_suffixes() -> tuple[str, ...]:
    """Suffixes of the tables that may be uploaded, .gz among them where text may be packed."""
    known = suffixes()
    return (*known, ".gz") if any(format.text for format in known.values()) else tuple(known)


def taxonomy_suffixes() -> tuple[str, ...]:
    """Suffixes of the taxonomies that may be uploaded, as far as one file holds one."""
    return (*SUFFIXES, ".gz")


def stored_name(name: str) -> tuple[str, Format]:
    """The name that an uploaded table is stored under, and its format; the suffix decides both."""
    format = format_of(Path(name))
    packed = ".gz" if name.lower().endswith(".gz") else ""
    suffix = Path(name.lower().removesuffix(".gz")).suffix
    return f"data{suffix}{packed}", format


def stored_taxonomy(name: str) -> str:
    """The suffix that an uploaded taxonomy is stored with."""
    lowered = name.lower()
    packed = ".gz" if lowered.endswith(".gz") else ""
    suffix = Path(lowered.removesuffix(".gz")).suffix
    if suffix not in SUFFIXES:
        raise OptionError(
            f"the suffix {suffix!r} of {name!r} is not of a known taxonomy format",
            remedy=f"Known suffixes: {', '.join(SUFFIXES)} (with .gz as well).",
        )
    return suffix + packed


@contextmanager
def receive(
    folder: Path, chunks: Iterable[bytes], most: int, name: str, format: Format | None
) -> Iterator[tuple[Path, int]]:
    """An uploaded file and its bytes, to be moved to its place; what is left of it when this ends is removed.

    ``name``: what messages call it. ``format``: what it should be; None: not a table.
    """
    part = folder / f"part-{secrets.token_hex(8)}"
    try:
        try:
            create_file(part)
            with part.open("wb") as stream:
                size = 0
                for chunk in chunks:
                    size += len(chunk)
                    if size > most:
                        raise too_large(most, name)
                    stream.write(chunk)
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as problem:
            raise OutputError(
                f"the file cannot be stored ({problem.strerror})", where=name, remedy="Free some space on the disk."
            ) from None
        if not size:
            raise DataError("the file is empty", where=name, remedy="Check how it was written.")
        if format is not None:
            _require_format(part, name, format)
        yield part, size
    finally:
        part.unlink(missing_ok=True)


def checked_text(text: str) -> bytes:
    """A policy as bytes, if it is not so long that reading it would keep others waiting for seconds."""
    try:
        content = text.encode()
    except UnicodeEncodeError:
        raise PolicyError("the text holds signs that are not text", remedy="Remove them.") from None
    if len(content) > MOST_TEXT:
        raise PolicyError(f"the text has more than {MOST_TEXT >> 20} MB", remedy="Is it the right file?")
    marks = sum(line.count(":") + line.count(",") for line in text.splitlines() if not line.lstrip().startswith("#"))
    if marks > MOST_MARKS:
        raise PolicyError(
            f"the policy has more than {MOST_MARKS:,} settings", remedy="Use ontomask run for such a policy."
        )
    return content


def shown_size(size: int) -> str:
    """Bytes in words."""
    return f"{size / 1e9:,.1f} GB" if size >= 1e9 else f"{size / 1e6:,.1f} MB"


def _require_format(part: Path, name: str, format: Format) -> None:
    """An error if the content is plainly not of the format that the name tells."""
    with part.open("rb") as stream:
        head = stream.read(_HEAD)
    expected = (_PACKED,) if name.lower().endswith(".gz") else _BEGINNINGS.get(format.name)
    if expected is not None:
        fits = head.startswith(expected)
    else:
        known = [beginning for every in _BEGINNINGS.values() for beginning in every if len(beginning) > 3]
        fits = not head.startswith((*known, _PACKED)) and (b"\0" not in head or head.startswith(_WIDE))
    if not fits:
        raise DataError(
            f"the content is not {format.title}, which the name says",
            where=name,
            remedy="Check that it is the right file, and that its suffix tells its format.",
        )
    if not format.text:
        _require_reasonable(part, name, format)


def _require_reasonable(part: Path, name: str, format: Format) -> None:
    """An error if a file unpacks to too much; another process looks, so that this one goes on answering."""
    command = own_process("ontomask.app.upload_check", format.name, str(part))
    # Each thread takes memory of its own: with hundreds of processors there would be none left to look with.
    few = os.environ | {"POLARS_MAX_THREADS": str(min(os.cpu_count() or 1, THREADS))}
    try:
        ended = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=LONGEST_LOOK, env=few
        )
    except subprocess.TimeoutExpired:
        raise DataError(
            f"to look at it took more than {LONGEST_LOOK // 60} minutes",
            where=name,
            remedy="Is it the right file? If it is, save it as CSV.",
        ) from None
    if ended.returncode == 0:
        return
    try:
        found = json.loads(ended.stdout)
    except ValueError:
        if ended.returncode < 0:  # it was not given the memory that it asked for
            raise DataError(
                f"to read it as {format.title} takes more memory than is plausible for a table of its size, or is free",
                where=name,
                remedy="Is it the right file? If it is, save it as CSV.",
            ) from None
        found = {"what": f"the file cannot be read as {format.title}", "remedy": "Save it again, or as CSV."}
    raise DataError(found["what"], where=name, remedy=found["remedy"])
