"""The glossary of a report: every method and model names the entries that explain its own words."""

from __future__ import annotations

import re

import pytest

from ontomask.policy.policy import _METHODS, _MODELS
from ontomask.report.words import GLOSSARY, SPECIAL

#: Words that a special entry explains, as texts use them.
WORDS = {
    "l-diversity": r"-diversity|\bdiverse\b",
    "t-closeness": r"-closeness",
    "Probabilistic k-anonymity": r"robabilistic",
    "Severity": r"\bseverity",
}


def test_entries_that_not_every_report_has_are_entries() -> None:
    assert set(GLOSSARY) >= SPECIAL >= set(WORDS)


@pytest.mark.parametrize("part", [*_METHODS, *_MODELS], ids=lambda part: part.__name__)
def test_a_method_or_model_names_entries_for_its_words(part: type) -> None:
    assert set(part.terms) <= SPECIAL
    said = f"{part.__name__} {part.model_fields['name'].default} {part.__doc__.splitlines()[0]}".replace("_", "-")
    for term, words in WORDS.items():
        if re.search(words, said):
            assert term in part.terms, (term, said)
