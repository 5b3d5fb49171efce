"""Argument checks of the public functions: bad input becomes an error that says what to do."""

from __future__ import annotations

import difflib
import io
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.errors import OptionError


def as_values(values: Any, what: str = "values") -> list[Any]:
    """A column as a list: any list, tuple, array, Series or iterable of single values."""
    remedy = f"Give the {what} as a list" + (" or one column, such as frame['diagnosis']." if what == "values" else ".")
    if values is None or isinstance(values, (str, bytes, bytearray, Mapping)) or hasattr(values, "columns"):
        raise OptionError(f"{what} are a {type(values).__name__}, not a list of them", remedy=remedy)
    try:
        listed = values.tolist() if isinstance(values, np.ndarray) else list(values)
    except TypeError:
        raise OptionError(f"{what} are a {type(values).__name__}, not a list of them", remedy=remedy) from None
    odd = next((v for v in listed if isinstance(v, (list, tuple, set, dict, np.ndarray))), None)
    if odd is not None:
        raise OptionError(f"one of the {what} is a {type(odd).__name__}: {short(repr(odd))}", remedy=remedy)
    return listed


def as_numbers(values: Any, what: str) -> NDArray[np.float64]:
    """Finite numbers as an array; text that looks like numbers is not taken for them."""
    try:
        array = np.asarray(values if isinstance(values, (np.ndarray, Sequence)) else list(values))
    except (TypeError, ValueError):
        array = np.array(["?"])
    if array.dtype == object and all(isinstance(v, (int, float)) for v in array.ravel()):
        try:
            array = array.astype(np.float64)
        except OverflowError:  # a whole number that no float can hold
            array = np.array(["?"])
    if array.ndim != 1 or array.dtype.kind not in "iufb" or not np.isfinite(array).all():
        raise OptionError(f"{what} hold something other than finite numbers", remedy="Give a list of numbers.")
    return array.astype(np.float64)


def as_path(value: Any) -> Path:
    if isinstance(value, (str, Path)) and str(value):
        return Path(value)
    raise OptionError(f"{short(repr(value))} is not a path", remedy="Give the path of a file or folder as text.")


def is_a(value: Any, package: str, kind: str) -> bool:
    """Is the value a ``package.kind``, such as a pandas DataFrame? The package is not imported: whoever has one has."""
    found = getattr(sys.modules.get(package), kind, None)
    return isinstance(found, type) and isinstance(value, found)


def is_whole(value: Any) -> bool:
    """Is it a whole number, Python's or NumPy's? A truth value is none."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Is it a number, Python's or NumPy's? A truth value is none."""
    return is_whole(value) or isinstance(value, (float, np.floating))


def whole_from(least: int, value: Any, what: str, most: int | None = None, remedy: str = "") -> int:
    """The value as an int, if it is a whole number in the range; ``what`` is the argument that says it."""
    if not is_whole(value) or value < least or (most is not None and value > most):
        end = "up" if most is None else f"to {most:,}"
        raise OptionError(f"{what}={short(repr(value))}", remedy=remedy or f"Give a whole number from {least} {end}.")
    return int(value)


def one_of(value: Any, known: Iterable[Any], what: str) -> None:
    """An error that lists what there is, unless the value is one of it."""
    listed = list(known)
    if not any(type(value) is type(k) and value == k for k in listed):
        raise OptionError(f"no {what} {short(repr(value))}", remedy=f"There are: {', '.join(map(repr, listed))}.")


def did_you_mean(name: Any, known: Iterable[str]) -> str:
    """The nearest of the names there are, as the beginning of a remedy; nothing where none is near."""
    text = str(name)
    alike = [k for k in known if abs(len(k) - len(text)) <= max(1, len(text) // 2)]  # 'triage' is not near 'age'
    near = difflib.get_close_matches(text, alike, n=1, cutoff=0.6)
    return f"Did you mean {near[0]!r}? " if near else ""


def is_text_encoding(name: Any) -> bool:
    """Does Python know an encoding of texts by this name? Some codecs, such as hex, are not for texts."""
    try:
        io.TextIOWrapper(io.BytesIO(), encoding=name)
    except (LookupError, TypeError, ValueError):
        return False
    return isinstance(name, str)


def some_of(items: Sequence[str], most: int = 5) -> str:
    """The first items of a list for a message."""
    return ", ".join(items[:most]) + (", ..." if len(items) > most else "")


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """'1 record', '2 records'."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def free_name(name: str, taken: Iterable[str]) -> str:
    """The name itself, or with a mark where it is taken."""
    used = set(taken)
    while name in used:
        name += " (ontomask)"
    return name


def short_path(path: str, length: int = 160) -> str:
    """A path for a message: of a long one the end, which tells most."""
    return path if len(path) <= length else f"...{path[3 - length :]}"


def short(text: str, length: int = 80) -> str:
    """A text for a message: neither a novel nor more of somebody's data than is needed."""
    return text if len(text) <= length else f"{text[: length - 3]}..."


def plain_number(value: float, digits: int = 4) -> str:
    """A number for readers: significant digits only, never as a formula."""
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    places = max(digits - 1 - math.floor(math.log10(abs(value))), 0)
    text = f"{value:,.{min(places, 12)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


class PartError(ValueError):
    """What is wrong with a part of a policy, seen where the whole is looked at.

    ``setting_path``: where the part stands, such as ``("require", 0)``; the message of the policy names it, with its line.
    """

    def __init__(self, what: str, *path: str | int) -> None:
        super().__init__(what)
        self.setting_path = path
