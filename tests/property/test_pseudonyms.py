"""Tokens against a plain HMAC, and two laws: different values have different tokens, and a table has one per value."""

from __future__ import annotations

import base64
import hashlib

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from ontomask.microdata.keys import Key
from ontomask.microdata.pseudonyms import canonical_text, is_token, pseudonym_column

KEYS = st.binary(min_size=32, max_size=32).filter(lambda key: len(set(key)) >= 12)
VALUES = st.one_of(st.none(), st.text(max_size=20), st.integers(), st.floats(-1e15, 1e15))


def plain_hmac(key: bytes, message: bytes) -> bytes:
    """RFC 2104, of SHA-256: H((key xor opad) || H((key xor ipad) || message))."""
    padded = key.ljust(64, b"\0")
    inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in padded) + message).digest()
    return hashlib.sha256(bytes(byte ^ 0x5C for byte in padded) + inner).digest()


def plain_token(key: bytes, domain: str, text: str) -> str:
    parts = [part.encode("utf-8", "surrogatepass") for part in ("pseudonym", domain, text)]
    code = plain_hmac(key, b"".join(len(part).to_bytes(8, "big") + part for part in parts))[:15]
    return "p" + base64.b32encode(code).decode().lower()


@given(KEYS, st.text(min_size=1).filter(str.strip), st.lists(VALUES))
def test_tokens_are_those_of_the_plain_twin(key: bytes, domain: str, values: list[object]) -> None:
    texts = [canonical_text(value) for value in values]
    expected = [None if text is None else plain_token(key, domain, text) for text in texts]
    assert om.pseudonyms(values, key, domain) == expected
    assert len(set(expected)) == len(set(texts))
    assert all(is_token(token) for token in expected if token is not None)


@given(KEYS, st.lists(st.one_of(st.none(), st.text(max_size=5)), min_size=1))
def test_a_column_has_the_tokens_of_its_values(key: bytes, values: list[str | None]) -> None:
    column = pl.Series("pid", values, dtype=pl.String)
    assert pseudonym_column(column, Key.of(key), "pid").to_list() == om.pseudonyms(values, key, "pid")
