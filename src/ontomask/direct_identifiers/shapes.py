"""Shapes of values that show by themselves what they are: addresses of the internet, and numbers with a form or a check digit.

Where a shape is as particular as an e-mail address, one record is enough. Where other codes may have it by chance, half of the
values must.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from ipaddress import ip_address

import polars as pl

from ontomask.direct_identifiers.cells import Cells
from ontomask.direct_identifiers.kinds import Letter

#: The share of the values that must have a shape which other codes may have, too.
MOST = 0.5
_LETTERS = "[AC-HJKMNP-RT-Y]"  # of Medicare numbers: without S, L, O, I, B and Z
_ANY = "[0-9AC-HJKMNP-RT-Y]"
_IMAGE = (
    r"(?i)\S.*\.(?:jpe?g|png|gif|bmp|tiff?|heic|webp|dcm)|(?i)data:image/[a-z+.-]+;base64,.*|(?:/9j/|iVBORw0KGgo)\S{8,}"
)
_MAGIC = (b"\xff\xd8\xff", b"\x89PNG", b"GIF8", b"BM", b"II*\x00", b"MM\x00*", b"RIFF")


@dataclass(frozen=True)
class Shape:
    """What values look like; ``accepts`` computes what a pattern cannot say. ``share``: how many of the values must."""

    letter: Letter
    what: str
    pattern: str
    accepts: Callable[[str], bool] | None = None
    share: float = 0.0

    def found(self, cells: Cells) -> pl.Series:
        if self.accepts is not None:
            return cells.fitting_too(self.pattern, self.accepts)
        return cells.holding(self.pattern)


def _digits(text: str) -> list[int]:
    return [int(sign) for sign in text if sign.isdigit()]


def is_luhn(text: str) -> bool:
    """Does the last digit check the others, as that of cards does (ISO/IEC 7812)?

    >>> is_luhn("4111 1111 1111 1111"), is_luhn("4111 1111 1111 1112")
    (True, False)
    """
    digits = _digits(text)[::-1]
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[1::2]]
    return len(set(digits)) > 1 and (sum(digits[::2]) + sum(doubled)) % 10 == 0


#: What letters of a vehicle identification number count (49 CFR 565.15): I, O and Q do not occur.
_VIN_VALUES = dict(zip("ABCDEFGHJKLMNPRSTUVWXYZ", (*range(1, 9), *range(1, 6), 7, 9, *range(2, 10)), strict=True))
_VIN_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)


def is_vin(text: str) -> bool:
    """Is the ninth sign the check digit of a vehicle identification number?

    >>> is_vin("1HGCM82633A004352"), is_vin("1HGCM82643A004352")
    (True, False)
    """
    text = text.upper()
    values = [int(sign) if sign.isdigit() else _VIN_VALUES[sign] for sign in text]
    check = sum(value * weight for value, weight in zip(values, _VIN_WEIGHTS, strict=True)) % 11
    return text[8] == ("X" if check == 10 else str(check)) and not text.isdigit()


def is_dea(text: str) -> bool:
    """Does the last digit check a number of the Drug Enforcement Administration?

    >>> is_dea("AB1234563"), is_dea("AB1234567")
    (True, False)
    """
    d = _digits(text)
    return (d[0] + d[2] + d[4] + 2 * (d[1] + d[3] + d[5])) % 10 == d[6]


def is_iban(text: str) -> bool:
    """Does an international bank account number check (ISO 13616: modulo 97)?

    >>> is_iban("DE89 3704 0044 0532 0130 00"), is_iban("DE88 3704 0044 0532 0130 00")
    (True, False)
    """
    plain = text.replace(" ", "").upper()
    return int("".join(str(int(sign, 36)) for sign in plain[4:] + plain[:4])) % 97 == 1


def _is_ip(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def _is_phone(text: str) -> bool:
    """Enough digits for a number with an area code, and not the same throughout."""
    return 10 <= len(_digits(text)) <= 15 and len(set(_digits(text))) > 2


SHAPES: tuple[Shape, ...] = (
    Shape("F", "e-mail addresses", r"[A-Za-z0-9._%+'-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}"),
    Shape("N", "web addresses", r"(?:(?:https?|ftp)://|www\.)[^\s<>]+\.[^\s<>]+"),
    Shape("G", "social security numbers", r"(?:00[1-9]|0[1-9][0-9]|[1-578][0-9]{2}|6(?:[0-57-9][0-9]|6[0-57-9]))[- ]"
          r"(?:0[1-9]|[1-9][0-9])[- ](?:[0-9]{3}[1-9]|[0-9]{2}[1-9]0|[0-9][1-9]00|[1-9]000)"),
    Shape("D", "telephone numbers", r"(?:\+?1[-. ]?)?(?:\([2-9][0-9]{2}\) ?|[2-9][0-9]{2}[-. ])[0-9]{3}[-. ][0-9]{4}"
          r"(?: ?(?:x|ext\.?) ?[0-9]{1,6})?"),
    Shape("D", "telephone numbers", r"\+[1-9][0-9]{0,2}[-. ]?(?:\(?[0-9]{1,5}\)?[-. ]?){1,5}[0-9]{2,}", _is_phone),
    Shape("O", "internet addresses", r"(?:[0-9]{1,3}\.){3}[0-9]{1,3}", _is_ip, MOST),
    Shape("O", "internet addresses", r"[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}(?:%\w+)?", _is_ip),
    Shape("M", "addresses of network devices", r"(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}"),
    Shape("M", "unique device identifiers", r"\(01\)[0-9]{14}.*"),
    Shape("L", "vehicle identification numbers", r"[A-HJ-NPR-Za-hj-npr-z0-9]{17}", is_vin),
    Shape("J", "bank accounts", r"[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]){11,30}", is_iban),
    Shape("J", "numbers of payment cards", r"[3-6][0-9]{3}[- ]?[0-9]{4}[- ]?[0-9]{4}[- ]?[0-9]{1,7}", is_luhn, MOST),
    Shape("I", "Medicare numbers", rf"[1-9]{_LETTERS}{_ANY}[0-9]-?{_LETTERS}{_ANY}[0-9]-?{_LETTERS}{{2}}[0-9]{{2}}",
          None, MOST),
    Shape("H", "medical record numbers", r"(?i)mrn[-:# ]*[0-9]{3,}"),
    Shape("K", "numbers of the Drug Enforcement Administration", r"[A-Za-z]{2}[0-9]{7}", is_dea, MOST),
    Shape("Q", "images, or the files of images", _IMAGE),
)  # fmt: skip


def shaped(cells: Cells) -> Iterator[tuple[Letter, str, int]]:
    """The kinds that values show by their shape: the letter, what they look like, and in how many records."""
    if cells.values.dtype == pl.Binary:
        pictures = pl.Series([bytes(value).startswith(_MAGIC) for value in cells.values.to_list()], dtype=pl.Boolean)
        if pictures.any():
            yield "Q", "images", cells.records_where(pictures)
        elif cells.distinct:
            yield "P", "bytes, such as those of prints and recordings", cells.records
        return
    if cells.is_whole or not cells.is_number:
        for shape in SHAPES:
            which = shape.found(cells)
            if which.any() and cells.share(which) >= shape.share:
                yield shape.letter, shape.what, cells.records_where(which)
    if not cells.is_number:
        coded = cells.texts.str.contains(r"^[A-Za-z0-9+/=_-]{160,}$").fill_null(False)
        if cells.share(coded) >= MOST:
            yield "P", "long codes, such as those of prints and recordings", cells.records_where(coded)


def has_digits(cells: Cells, least: int) -> pl.Series:
    """Which values have so many digits at least."""
    return cells.texts.str.count_matches("[0-9]") >= least
