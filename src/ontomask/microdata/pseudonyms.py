"""Pseudonyms: keyed tokens in the place of identifiers, the same for the same value in every table under one key.

The token of a value is the letter p and 24 signs of base32: the first 120 bits of HMAC-SHA256(key, domain, value). Without the
key nobody can compute it, not even for a value that they know; so a token cannot be found by trying all values, however few
there are. Among 10^9 values two have the same token with a chance below 10^-18; it is checked, and refused.

Values are compared as texts: the number 123, the whole decimal 123.0 and the text 123 are one value, the text 0123 is another.
Blanks around a text and its Unicode form (NFC) do not count; case does.
"""

from __future__ import annotations

import re
import unicodedata
from base64 import b32encode
from collections.abc import Sequence
from datetime import date, time
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from ontomask.arguments import as_values, counted
from ontomask.errors import DataError, OptionError
from ontomask.microdata.dtypes import is_text
from ontomask.microdata.keys import Key
from ontomask.microdata.refusals import rows_where
from ontomask.wording import Unit

#: Bytes of the code that a token shows: a multiple of 5, which base32 writes without padding.
BYTES = 15
_TOKEN = re.compile(rf"p[a-z2-7]{{{BYTES * 8 // 5}}}")
#: A decimal from here on stands for several whole numbers.
_EXACT = 2.0**53
#: What pandas puts for a missing value, by the names of its types: it need not be installed.
_MISSING = ("NAType", "NaTType")


def pseudonyms(values: Any, key: str | Path | bytes | Key, domain: str) -> list[str | None]:
    """The pseudonyms of known identifiers: with the key, the steward finds the records of a person in a release.

    Parameters
    ----------
    values : list or column
        Identifiers as the original data hold them.
    key : path, bytes or Key
        The key of the release: its ``confidential/key.txt``, or 32 bytes.
    domain : str
        What they identify: ``domain`` of the column in the policy, or its name where the policy gives none.

    Returns
    -------
    list of str
        A token for each value; None where the value is missing.

    Notes
    -----
    A token is the letter p and the first 120 bits of HMAC-SHA256(key, domain, value) in base32. Values are taken as
    texts: 123 and "123" have one token, "0123" has another.

    Examples
    --------
    >>> import ontomask as om
    >>> om.pseudonyms([123, "123", "0123", None], bytes(range(32)), "patient")
    ['pjpgfvxunad5ewgmee2bdjgl4', 'pjpgfvxunad5ewgmee2bdjgl4', 'pabz73vbtkqvzlvmomde55st7', None]
    """
    if not isinstance(domain, str) or not domain.strip():
        raise OptionError(
            "the domain is not a text", remedy="Give the name of the column, or its domain: in the policy."
        )
    chosen = Key.of(key)
    texts = [canonical_text(value) for value in as_values(values)]
    return [None if text is None else _token(chosen, domain, text) for text in texts]


def pseudonym_column(values: pl.Series, key: Key, domain: str) -> pl.Series:
    """The tokens of a column; an error if two different values have the same."""
    distinct = values.unique()
    texts = canonical_column(distinct).cast(pl.String).to_list()
    tokens = [None if text is None else _token(key, domain, text) for text in texts]
    if len(set(tokens)) < len(set(texts)):
        raise DataError(
            "two of its values have the same pseudonym under this key",
            where=f"column {values.name!r}",
            remedy="Use another key: by chance this happens to hardly anybody.",
        )
    return values.replace_strict(distinct, pl.Series(tokens, dtype=pl.String), return_dtype=pl.String)


def canonical_column(values: pl.Series) -> pl.Series:
    """A column of identifiers, equal where the texts by which they are compared are; null where one is missing."""
    if values.dtype.is_integer():
        return values
    if is_text(values.dtype):
        texts = values.cast(pl.String)
        plain = texts.str.contains(r"^[!-~]+$").fill_null(True)
        if plain.all():  # nothing but visible ASCII: each is its own text
            return texts
    distinct = values.unique()
    try:
        known = pl.Series([canonical_text(value) for value in distinct.to_list()], dtype=pl.String)
    except OptionError as problem:
        raise DataError(problem.what, where=f"column {values.name!r}", remedy=problem.remedy) from None
    return values.replace_strict(distinct, known, return_dtype=pl.String)


def canonical_keys(data: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """The columns that say whose each record is, as :func:`canonical_column` has them."""
    return pl.DataFrame([canonical_column(data[name]).alias(name) for name in columns])


def known_keys(data: pl.DataFrame, columns: Sequence[str], unit: Unit) -> pl.DataFrame:
    """The same; a record that does not say whose it is, is an error. It may be that of anybody: nobody knows how many units
    a class has, and what is derived for all of them alike would tell of all what is known of one."""
    keys = canonical_keys(data, columns)
    unknown = keys.select(pl.any_horizontal(pl.all().is_null())).to_series()
    if unknown.any():
        shown, rows = rows_where(unknown, None)
        do = "does not say whose it is" if len(rows) == 1 else "do not say whose they are"
        raise DataError(
            f"{counted(len(rows), 'record')} {do} ({shown}), and {unit.many} are counted",
            where=f"{unit.key}: {', '.join(columns)}",
            remedy=f"Fill in who it is (a number of its own for each unknown {unit.one}), or leave these records out.",
            rows=rows,
        )
    return keys


def is_token(text: str) -> bool:
    """Has the text the form of a pseudonym?"""
    return _TOKEN.fullmatch(text) is not None


def canonical_text(value: Any) -> str | None:
    """An identifier as the text by which it is compared, whichever format it is stored in; None where it is missing."""
    if (
        value is None
        or type(value).__name__ in _MISSING
        or (isinstance(value, (float, np.floating)) and np.isnan(value))
    ):
        return None
    if isinstance(value, str):
        return unicodedata.normalize("NFC", value).strip() or None
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value)).lower()
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        value = float(value)
        if abs(value) >= _EXACT:
            raise OptionError(
                "an identifier is stored as a decimal too large to be exact: several persons may have the same",
                remedy="Store the identifiers as text or as whole numbers.",
            )
        return str(int(value)) if value.is_integer() else repr(value)
    if isinstance(value, Decimal):
        return str(int(value)) if value == value.to_integral_value() else f"{value.normalize():f}"
    if isinstance(value, (date, time)):
        return str(value)
    raise OptionError(
        f"an identifier is a {type(value).__name__}: pseudonyms are made of text, numbers, dates and truth values",
        remedy="Turn the identifiers into text, or remove the column.",
    )


def _token(key: Key, domain: str, text: str) -> str:
    return "p" + b32encode(key.derive("pseudonym", domain, text)[:BYTES]).decode().lower()
