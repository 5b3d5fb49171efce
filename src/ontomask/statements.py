"""Statements about a release: each has a kind that programs decide on, and a text that people read.

Nothing in this package reads a text to find out what it says.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, get_args

#: ``failed``: required and not satisfied. ``warning``: what nobody may overlook. ``promised``: holds by construction of the
#: method. ``verified``: was checked on the release. ``recorded``: was checked on what the run recorded of itself.
#: ``tried``: an attack was carried out. ``caveat``: weakens a promise, or says what is not promised. ``assumed``: what all of
#: it rests on. ``note``: anything else.
Kind = Literal["failed", "warning", "promised", "verified", "recorded", "tried", "caveat", "assumed", "note"]
KINDS: tuple[Kind, ...] = get_args(Kind)


#: What is public of a note for the steward.
WITHHELD = "A note for the steward, which is not handed out."


@dataclass(frozen=True)
class Statement:
    """A statement for the steward: its ``kind`` (:data:`Kind`), and its ``text``, which ``str(statement)`` gives.

    ``subject``: what it is about, a column or a model; empty if it is about the whole release. ``public_text``: the wording
    that may be handed out, without figures of the data; not given: the same.
    """

    kind: Kind
    text: str
    subject: str = ""
    public_text: str = ""

    def __post_init__(self) -> None:
        if not self.public_text:
            object.__setattr__(self, "public_text", self.text)

    @property
    def public(self) -> Statement:
        """The statement as it may be handed out."""
        return replace(self, text=self.public_text)

    def to_dict(self) -> dict[str, str]:
        """Kind, subject and text, as in JSON."""
        return {"kind": self.kind, "subject": self.subject, "text": self.text}

    def __str__(self) -> str:
        return self.text


def promised(text: str) -> Statement:
    """What a method promises by construction."""
    return Statement("promised", text)


def caveat(text: str, subject: str = "", public_text: str = "") -> Statement:
    """What weakens a promise, or is not promised."""
    return Statement("caveat", text, subject, public_text)


def note(text: str, subject: str = "") -> Statement:
    """A note for the steward. It may quote values and small counts of the data, so nothing of it is public."""
    return Statement("note", text, subject, WITHHELD)


def unchanged(column: str, where: str = "") -> Statement:
    """A masked column that came out as it went in. ``where``: in which releases, if not in all."""
    return caveat(f"{column}: no value was changed{where}; the column is released as it was.", column)
