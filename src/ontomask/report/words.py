"""Roles, kinds and settings of a policy in words, and the terms of the field. Methods and models explain themselves."""

from __future__ import annotations

from typing import Any

from ontomask.arguments import short
from ontomask.taxonomy.catalog import catalog_name, list_taxonomies
from ontomask.taxonomy.taxonomy import Taxonomy

ROLES = {"quasi": "quasi-identifier", "sensitive": "sensitive", "other": "other", "identifier": "identifier, removed"}
KINDS = {
    "nominal": "concepts of a taxonomy",
    "flat": "categories, equal or not",
    "ordinal": "categories in an order",
    "numeric": "numbers",
    "identifier": "",
}
MISSING = {
    "error": "a missing value is an error",
    "category": "a missing value is a category of its own",
    "drop_record": "records without a value are left out",
}
#: In the order in which a reader meets them.
GLOSSARY = {
    "Record": "One row of the data, usually one person or one stay.",
    "Identifier": "A column that names people directly, such as a name or a number. It is removed.",
    "Quasi-identifier": "A column that others may know of a person, such as age or place. Several together may single "
    "somebody out although none of them names anybody.",
    "Sensitive column": "What nobody should learn about a person from the data, such as a diagnosis or an income.",
    "Masking": "Changing or removing values so that people are harder to find.",
    "Class": "All records that look the same in every quasi-identifier. Somebody who knows these values of a person can "
    "narrow the search down to one class, and no further.",
    "Unique record": "The only record of its class: who knows its quasi-identifiers has found it.",
    "k-anonymity": "Every class has at least k records.",
    "l-diversity": "Every class holds at least l different sensitive values, so that knowing the class does not tell the "
    "value.",
    "t-closeness": "In every class the sensitive values are spread nearly as in all the data; t says how far they may differ.",
    "Probabilistic k-anonymity": "The chance to link a record to the right value is at most 1 in k, though records may look "
    "unique.",
    "Severity": "How grave it would be for a person if a value became known, as defined by the institution.",
    "Record linkage": "An attempt to find, for each record of the original data, the released record that came from it. "
    "The share that succeeds says how well masking hides records.",
    "Prosecutor, marketer and journalist risk": "Three views on being found: somebody looks for one person known to be in "
    "the data; for as many people as possible; for anybody at all.",
    "Taxonomy": "A tree of concepts from general to special, such as a classification of diseases. It tells which values are "
    "near in meaning.",
    "Semantic distance": "How far two concepts are apart in meaning: 0 for the same, 1 for nothing in common.",
    "Information loss": "How much masking changed the records, in percent of what replacing all of them by one average record "
    "would change.",
    "Distance correlation": "How strongly two columns go together, from 0 (not at all) to 1; it works for numbers and for "
    "concepts.",
    "Suppressed record": "A record that was left out of the release because it could not be hidden.",
}

#: Terms that not every report uses, and the word that tells whether one does.
SPECIAL = {
    "Identifier": "identifier, removed",
    "k-anonymity": "-anonym",
    "l-diversity": "diversity",
    "t-closeness": "closeness",
    "Probabilistic k-anonymity": "probabilistic",
    "Severity": "severity",
    "Prosecutor, marketer and journalist risk": "prosecutor",
    "Taxonomy": "concepts of a taxonomy",
    "Semantic distance": "concepts of a taxonomy",
    "Distance correlation": "distance correlation",
}


def glossary(used: str) -> dict[str, str]:
    """The terms that occur in a text, explained."""
    text = used.lower()
    return {term: meaning for term, meaning in GLOSSARY.items() if SPECIAL.get(term, "") in text}


def taxonomy_name(taxonomy: Any) -> str:
    """A taxonomy without the path it was read from."""
    if isinstance(taxonomy, Taxonomy):
        return catalog_name(taxonomy) or taxonomy.name or "own taxonomy"
    return str(taxonomy) if taxonomy in list_taxonomies() else "own taxonomy (a file)"


def settings_in_words(settings: Any) -> list[list[str]]:
    """The settings of a method: name, value, what it means."""
    rows = []
    for name, field in type(settings).model_fields.items():
        if name == "name":
            continue
        value = getattr(settings, name)
        unset = value is None or value in ({}, [])
        if name == "hierarchies":
            value = ", ".join(f"{column}: {hierarchy.kind}" for column, hierarchy in value.items())
        rows.append([name, "not set" if unset else short(str(value), 120), field.description or ""])
    return rows
