"""Keys of a steward: what a release derives from them cannot be computed, or tested, by anybody without the key."""

from __future__ import annotations

import hmac
from collections.abc import Sequence

from ontomask.errors import OptionError
from ontomask.files.secret_bytes import SecretBytes
from ontomask.statements import Statement, note


class Key(SecretBytes):
    """32 random bytes from which pseudonyms and shifts of dates are derived, the same in every table under one key.

    >>> Key.fresh()
    <Key>
    """

    __slots__ = ()

    called = "key"
    head = "# A key of ontomask. Whoever has it can undo pseudonyms and shifts of dates of persons they know. Never publish it."
    file = "confidential/key.txt"
    otherwise = "a fresh one is drawn"

    def derive(self, purpose: str, *texts: str) -> bytes:
        """HMAC-SHA256(key, purpose, texts): 32 bytes (RFC 2104).

        Every part goes in behind its length, so that no two lists of texts are the same message. What is derived for
        one purpose says nothing of what is derived for another.
        """
        parts = [text.encode("utf-8", "surrogatepass") for text in (purpose, *texts)]
        return hmac.digest(self._bytes, b"".join(len(part).to_bytes(8, "big") + part for part in parts), "sha256")

    def note(self, derived: Sequence[str]) -> Statement:
        """Where the key of a run is, and what was ``derived`` from it; nothing of the key itself."""
        what = " and ".join(derived)
        if self.drawn:
            return note(f"{what} were made with a new key, which a saved result keeps in {self.file}")
        return note(f"{what} were made with a key that was given; the result does not hold it")


def chosen_key(given: Key | None, *, needed: bool) -> Key | None:
    """The key of a run: fresh, unless one is given; None where the policy needs none."""
    if given is not None and not needed:
        raise OptionError(
            "a key is given, and no column of the policy is released as a pseudonym or shifted",
            remedy="Leave it out, or set keep: pseudonym for an identifier, or shift: 365 for a date.",
        )
    return (given or Key.fresh()) if needed else None
