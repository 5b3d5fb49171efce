"""What the library says of policies and commands, in the words of the pages: stewards choose and do not write settings."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ontomask.arguments import short

ROLES = {"identifier": "identifier", "quasi": "quasi-identifier", "sensitive": "sensitive", "other": "other"}
#: Letters of the name of a column in a sentence.
LONGEST_NAME = 60
_ROLE = "|".join(ROLES)
_PERSON = r" \(person: .*?\); if records are to be counted, delete that line"
_MAPPING = (
    r"ontomask taxonomy match \S+ DATA --column COLUMN -o mapping.csv .*? write kind: flat without taxonomy and measure"
)
_OTHERS = r"give a mapping for the other values|resolve the senses with a mapping"
_NOMINAL = rf"write kind: nominal and taxonomy: (\S+), and (?:{_OTHERS})"
#: Sentences of the library, and what a page says in their place.
_SAID: tuple[tuple[str, str], ...] = (
    (
        r"write missing_markers: \[(\S+)\] and missing: category",
        r"name \1 in step 1 as a text that means a missing value",
    ),
    (r"missing_markers: \[MARK\] makes it missing", "name it in step 1 to make it missing"),
    (r"start again with --missing and the text of it", "name the text of it in step 1"),
    (r" \(missing_markers in the policy; --missing says it otherwise\)", ""),
    (r" \(missing_markers\)", ""),
    (r"To make them missing: missing=\S.*? \(--missing\)", "To make them missing, name them in step 1."),
    (_PERSON, "; to count records, delete the line person in Policy"),
    (_MAPPING, "say in step 3 what they mean"),
    (r"ontomask taxonomy match \S+ DATA --column COLUMN shows them", "step 3 shows them"),
    (_NOMINAL, r"choose \1 in step 3 and say there what the other values mean"),
    (r" \(--taxonomy COLUMN=FILE\)", ""),
    (r": --taxonomy COLUMN=FILE", ": step 3 takes one"),
    (r"write them as 2024-05-31 and the kind as date", "write them in the file as 2024-05-31"),
    (r"write kind: identifier", "choose identifier"),
    (r"\. labels=True reads the labels", ""),
    (r"(declares missing are) null\b", r"\1 missing values"),
)
#: What only the text of the policy can say.
_SETTING = re.compile(r"\b(?:write|keep|give) (?:\w+ )?(?:kind|person|order|format|day_first)\b|\border:|\bkind:")


def with_short_names(text: str, names: Iterable[str]) -> str:
    """A sentence in which long names of columns are cut."""
    for name in names:
        if len(name) > LONGEST_NAME:
            text = text.replace(name, short(name, LONGEST_NAME))
    return text


def in_plain_words(text: str, names: Iterable[str] = ()) -> str:
    """A sentence of the library for people who do not write policies; long ``names`` of columns are cut."""
    text = with_short_names(text, names)
    for said, shown in _SAID:
        text = re.sub(said, shown, text)
    text = re.sub(rf"(?:write role:|give the role) ({_ROLE})\b", lambda found: f"choose {ROLES[found[1]]}", text)
    if text.startswith("decide the role") or "decide the role" in text:
        text = re.sub(r"\bquasi\b", "quasi-identifier", text.replace("decide the role", "choose the role"))
    if _SETTING.search(text):
        text += " (in Policy, at the top right)"
    first = text.partition(" ")[0]
    shown = (
        text if any(sign.isdigit() for sign in first) else f"{text[:1].upper()}{text[1:]}"
    )  # not the name of a taxonomy
    return f"{shown.rstrip('.')}."
